# SPDX-License-Identifier: Apache-2.0
"""Calls of operations under names of their own (functions of other operations, forms that write
their first operand, operations that run as what they are made of): by name, the operands and the
attributes, so that rules can be asked too. Operands are as in `rule_rows`; a list is one operand.
"""

import types

import numpy as np
from rule_rows import MASK, ROWS, UNIT

import paddle
from paddle import _C_ops as ops
from paddle.incubate.nn import functional as incubate

I = np.array
ONES = np.ones([4, 6], 'float32')
RATE = np.full([1], 0.5, 'float32')
INTS = I([[1, 4, 2, 0, 5, 3]] * 4)
BOXES = I([[0, 0, 2, 2], [1, 1, 3, 4], [0, 1, 2, 5], [2, 0, 6, 3]], 'float32')

# Functions of other operations.
FUNCTIONS = [
    ('add_position_encoding', [(4, 6, 4)], [1.0, 1.0]),
    ('affine_channel', [(4, 6, 2, 2), (6,), (6,)], ['NCHW']),
    ('affine_channel', [(4, 2, 2, 6), (6,), (6,)], ['NHWC']),
    ('baddbmm', [(4, 6, 2), (4, 6, 4), (4, 4, 2)], [1.0, 2.0]),
    ('batch_fc', [(4, 2, 6), (4, 6, 4), (4, 4)], []),
    ('conv2d_transpose_bias', [(4, 2, 3, 3), (2, 2, 2, 2), (2,)], []),
    ('decayed_adagrad', [ONES, ONES, ONES, RATE], []),
    (
        'depthwise_conv2d_transpose',
        [(4, 2, 3, 3), (2, 1, 2, 2)],
        [[1, 1], [0, 0], [], [], 'EXPLICIT', 2],
    ),
    ('einsum', [[(4, 6), (6, 8)]], ['ij,jk->ik']),
    ('einsum', [[(4, 6, 2), (4, 2, 8)]], ['bij,bjk->bik']),
    ('einsum', [[(4, 6), (4, 6)]], ['...i,...i']),
    ('einsum', [[(4, 4, 6)]], ['iij->j']),
    ('empty_like', [(4, 6)], []),
    ('fc', [(4, 6), (6, 8), (8,)], [1, 'relu']),
    ('ftrl', [ONES, ONES, ONES, ONES, RATE], []),
    ('fused_bias_act', [(4, 6), (6,)], []),
    ('fused_dropout_add', [(4, 6), (4, 6), None], [0.0, False, 'upscale_in_train']),
    ('fused_elementwise_add', [(4, 6), (6,)], []),
    ('fused_elementwise_div', [(4, 6), ONES], []),
    ('fused_elementwise_mul', [(4, 6, 2), (6,)], [1]),
    ('fused_elementwise_sub', [(4, 6), (4, 1)], []),
    ('fused_softmax_mask', [(4, 2, 6, 6), np.zeros([4, 1, 6, 6], 'float32')], []),
    ('fused_softmax_mask_upper_triangle', [(4, 2, 6, 6)], []),
    ('hinge_loss', [(4, 6), MASK.astype('float32')], []),
    ('identity_loss', [(4, 6)], [0]),
    ('identity_loss', [(4, 6)], [2]),
    ('index_select_strided', [(4, 6)], [2, 1]),
    ('l1_norm', [(4, 6)], []),
    ('matmul_with_flatten', [(4, 6), (6, 8)], [1, 1]),
    ('matmul_with_flatten', [(4, 2, 3), (6, 8)], [1, 1]),
    ('nansum', [(4, 6)], [[1], None, False]),
    ('norm', [(4, 6)], [1]),
    ('ones_like', [(4, 6)], []),
    ('rint', [(4, 6)], []),
    ('sequence_mask', [I([1, 3, 2, 4])], [4, 'int64']),
    ('shard_index', [I([[1], [5], [9], [14]])], [20, 2, 0]),
    ('share_data', [(4, 6)], []),
    ('shuffle_channel', [(4, 4, 2, 2)], [2]),
    ('std', [(4, 6)], [[1]]),
    ('trunc_divide', [INTS + 7, INTS + 2], []),
    ('variance', [(4, 6)], [[0]]),
    ('view_shape', [(4, 6)], [[4, 2, 3]]),
    *(
        ('item', [(4, 6, 3)], [key])
        for key in (
            1,
            np.s_[1:3],
            np.s_[:, -1],
            np.s_[::2, None],
            np.s_[..., 1:, None],
            np.s_[::-1, 4:1:-2],
            np.s_[:],
            np.s_[2:2],
        )
    ),
    ('view_slice', [(4, 6)], [1, 3]),
    ('zeros_like', [(4, 6)], []),
]
# Functions of other modules.
OTHERS = {
    'fused_rotary_position_embedding': incubate.fused_rotary_position_embedding,
    'fused_gemm_epilogue': incubate.fused_linear_activation,
    'moe_combine': incubate.moe_combine,
    'moe_gate_dispatch': incubate.moe_gate_dispatch,
    'item': lambda x, key: x[key],
    'where': ops.where,
    'where_': lambda condition, x, y: ops.where_(condition, paddle.assign(x), y),
}
FUNCTIONS += [
    ('fused_rotary_position_embedding', [(4, 6, 4, 8), (4, 6, 4, 8), (4, 6, 4, 8)], []),
    ('fused_gemm_epilogue', [(4, 6), (6, 8), (8,)], [False, False, 'relu']),
    ('moe_combine', [(8, 6), np.full([4, 2], 0.5, 'float32'), I([[0, 1, 2, 3], [4, 5, 6, 7]])], []),
    ('moe_gate_dispatch', [(8, 6), UNIT[:, :4].repeat(2, 0), None], [2, 4, True]),
]
# Operations that run as what they are made of, and some that have no other row.
COMPOSED = [
    ('addmm', [(4, 8), (4, 6), (6, 8)], [2.0, 0.5]),
    ('affine_grid', [(4, 2, 3)], [[4, 1, 2, 3], True]),
    ('allclose', [(4, 6), (4, 6)], [1e-5, 1.0, False]),
    ('channel_shuffle', [(4, 4, 2, 2)], [2, 'NCHW']),
    ('clip_by_norm', [(4, 6)], [1.0]),
    ('cross', [(4, 3), (4, 3)], [1]),
    ('dist', [(4, 6), (4, 6)], [2.0]),
    ('equal_all', [MASK, MASK], []),
    ('isclose', [(4, 6), (4, 6)], [1e-5, 1.0, False]),
    ('kldiv_loss', [(4, 6), UNIT], ['none', False]),
    (
        'lp_pool2d',
        [(4, 2, 4, 4)],
        [[2, 2], [1, 1], [0, 0], False, True, 'NCHW', '', False, False, 'EXPLICIT', 1.0],
    ),
    ('masked_fill', [(4, 6), MASK, np.array(0.5, 'float32')], []),
    ('matrix_power', [(4, 3, 3)], [2]),
    ('maxout', [(4, 8, 2)], [2, 1]),
    ('multiplex', [[(4, 6), (4, 6)], I([[0], [1], [1], [0]], 'int32')], []),
    ('pixel_shuffle', [(4, 8, 2, 2)], [2, 'NCHW']),
    ('pixel_unshuffle', [(4, 2, 4, 4)], [2, 'NCHW']),
    ('prelu', [(4, 6, 2), (6,)], ['NCHW', 'channel']),
    ('renorm', [(4, 6)], [2.0, 0, 1.0]),
    ('sigmoid_cross_entropy_with_logits', [(4, 6), ONES, None], [False, -100]),
    ('stft', [(4, 8), np.ones([4], 'float32')], [4, 2, False, True]),
    ('temporal_shift', [(4, 4, 2, 2)], [2, 0.25, 'NCHW']),
    ('trace', [(4, 6, 4)], [0, 0, 2]),
    ('unstack', [(4, 6)], [1, 6]),
    ('bilinear', [(4, 2), (4, 3), (6, 2, 3), (1, 6)], []),
    ('where_', [MASK, (4, 6), (6,)], []),
    # Of stanzas.
    ('box_coder', [BOXES, None, BOXES + 1], ['encode_center_size', True, 0, [0.1, 0.1, 0.2, 0.2]]),
    (
        'box_coder',
        [BOXES, None, BOXES[:, None].repeat(4, 1)],
        ['decode_center_size', True, 0, [1.0] * 4],
    ),
    ('c_embedding', [(8, 6), I([[0, 3], [7, 2], [5, 5], [1, 6]])], [0, 8]),
    ('c_embedding', [(8, 6), I([[0, 13], [9, 2], [5, 15], [11, 6]])], [6, 20]),
    ('embedding', [I([[0, 3], [7, 2], [5, 5], [1, 6]]), (8, 6)], [5, False]),
    ('full_with_tensor', [np.array(2.0, 'float32')], [[4, 6], paddle.float32]),
    ('hash', [INTS], [2, 1000, True]),
    ('is_empty', [(4, 6)], []),
    (
        'linspace',
        [np.array(0.0, 'float32'), np.array(1.0, 'float32'), np.array(5, 'int32')],
        [paddle.float32, paddle.CPUPlace()],
    ),
    (
        'llm_int8_linear',
        [
            ONES * I([1, 2, 9, 1, 3, 2], 'float32'),
            (INTS[:, :6] * 9).astype('int8'),
            None,
            ONES[:, 0].copy(),
        ],
        [6.0],
    ),
    ('margin_cross_entropy', [np.tanh(UNIT), I([2, 0, 5, 1])], [True, 0, 0, 1, 1.0, 0.5, 0.1, 8.0]),
    ('overlap_add', [(4, 6, 3)], [2, -1]),
    ('overlap_add', [(3, 6, 4)], [2, 0]),
    ('partial_concat', [[(4, 6), (4, 6)]], [1, 2]),
    ('partial_sum', [[(4, 6), (4, 6)]], [1, 2]),
    ('shape', [(4, 6)], []),
    ('shape64', [(4, 6)], []),
    ('sync_calc_stream', [(4, 6)], []),
    ('gaussian_inplace', [ONES], [3.0, 0.0]),
    ('top_p_sampling', [np.eye(6, dtype='float32')[:4], np.full([4, 1], 0.5, 'float32')], []),
    ('uniform_inplace', [ONES], [2.0, 2.0000003]),
    ('weight_dequantize', [(INTS * 9).astype('int8'), UNIT[:, 0].copy()], ['weight_only_int8', -1]),
    ('weight_quantize', [UNIT.repeat(4, 0).repeat(2, 1)], ['weight_only_int8', 80, -1]),
]


def function(name):
    return OTHERS.get(name) or getattr(ops, name)


def results(name, made):
    """Those that have numbers, in a row."""
    if isinstance(made, paddle.Tensor):
        return [made]
    return [t for one in made if one is not None for t in results(name, one)]


def call(name, operands, attrs):
    """A call of its tensors, and these: as one row."""
    tensors = [
        t for one in operands if one is not None for t in (one if isinstance(one, list) else [one])
    ]

    def run(*given):
        given = iter(given)
        args = []
        for one in operands:
            if isinstance(one, list):
                args.append([next(given) for _ in one])
            else:
                args.append(None if one is None else next(given))
        made = results(name, function(name)(*args, *attrs))
        # Its numbers are chance.
        return [t * 0 for t in made] if name == 'empty_like' else made

    return name, run, tensors


def written(rows):
    """The rows with the forms that write their first operand in place of the operations."""
    for name, run, operands in rows:
        form = getattr(ops, name + '_', None)
        if form is None or not operands or name.endswith(('_', '_grad')) or name in OTHERS:
            continue

        def call(*tensors, name=name, run=run, form=form):
            if type(run) is not types.FunctionType:
                return form(*map(paddle.assign, tensors))
            plain, used = getattr(ops, name), []

            def over(x, *args, **kwargs):
                used.append(name)
                setattr(ops, name, plain)
                return form(paddle.assign(x), *args, **kwargs)

            setattr(ops, name, over)
            try:
                made = run(*tensors)
            finally:
                setattr(ops, name, plain)
            assert used, f'{name}_ was not called'
            return made

        yield name + '_', call, operands


def gradient(name, *attrs):
    """A call of a gradient by its name, which has no gradient itself."""
    return name, lambda a, b: getattr(ops, name)(a.detach(), b.detach(), *attrs), [(4, 6), (4, 6)]


GRADIENTS = [
    *(gradient(name) for name in ('relu_grad', 'sigmoid_grad', 'tanh_grad', 'exp_grad')),
    gradient('softmax_grad', -1),
    gradient('log_softmax_grad', 0),
    gradient('relu6_grad'),
]
ROWS_OF_FORMS = [*(call(*row) for row in [*FUNCTIONS, *COMPOSED]), *GRADIENTS]
__all__ = ['COMPOSED', 'FUNCTIONS', 'ROWS', 'ROWS_OF_FORMS', 'call', 'written']
