# SPDX-License-Identifier: Apache-2.0
"""Calls of operations that have no public function. `python old_operation_cases.py FILE` writes
what they give with the `paddle` at hand: data/old_operations_3.3.1.json has the published one's.
"""

import json
import os
import sys

import numpy as np

import paddle
from paddle import _C_ops as C
from paddle import _legacy_C_ops as L


class Numbers:
    """Normal numbers, the same for each case."""

    def __init__(self):
        self.draw = np.random.RandomState(0)

    def __call__(self, *shape):
        return paddle.to_tensor(self.draw.randn(*shape).astype('float32'))


def f(*values):
    return paddle.to_tensor(np.array(values, 'float32'))


def i(values, dtype='int64'):
    return paddle.to_tensor(np.array(values, dtype))


TREE = [[0, 0, 0, 1, 2], [0, 1, 0, 3, 4], [0, 1, 0, 5, 6], [0, 2, 1, 0, 0], [2, 2, 1, 0, 0]]
TREE += [[3, 2, 2, 0, 0], [4, 2, 2, 0, 0]]
BETAS = (0.9, 0.999, 1e-8)
NAN = float('nan')

CONV = ([1, 1], [0, 0], [], [], 'EXPLICIT', 2, [1, 1], 'NCHW')


def step_gradient(given, grad):
    gate, reset, _ = L.gru_unit(*given, 'activation', 2, 'gate_activation', 1, 'origin_mode', False)
    return C.gru_unit_grad(*given, gate, reset, grad, 2, 1, False)


CASES = {
    'check_finite': lambda n: C.check_finite_and_unscale_([n(2, 2), n(3)], f(4.0)),
    'check_infinite': lambda n: C.check_finite_and_unscale_([f(1.0, float('inf')), f(4.0)], f(4.0)),
    'loss_scale_shrinks': lambda n: C.update_loss_scaling_(
        [f(1, 2)],
        i([True], 'bool'),
        f(1024),
        i([3], 'int32'),
        i([1], 'int32'),
        5,
        2,
        2.0,
        0.5,
        False,
    ),
    'loss_scale_grows': lambda n: C.update_loss_scaling_(
        [f(1, 2)],
        i([False], 'bool'),
        f(1024),
        i([4], 'int32'),
        i([1], 'int32'),
        5,
        2,
        2.0,
        0.5,
        False,
    ),
    'average': lambda n: C.average_accumulates_(
        f(1, 2), f(0.5, 0.5), f(0, 0), f(0, 0), i([2]), i([0]), i([2]), 0.15, 100, 2
    ),
    'average_goes_on': lambda n: C.average_accumulates_(
        f(1, 2), f(0.5, 0.5), f(0, 0), f(0, 0), i([2]), i([0]), i([2]), 0.15, 100, 50
    ),
    'decayed_adagrad': lambda n: C.decayed_adagrad(
        f(1, 2), f(0.5, 0.1), f(0.2, 0.3), f(0.1), 0.95, 1e-6
    ),
    'ftrl': lambda n: C.ftrl(
        f(1, 2), f(0.5, 0.1), f(0.2, 0.3), f(0.4, 0.6), f(0.1), 0.01, 0.02, -0.5
    ),
    'ftrl_power': lambda n: C.ftrl(
        f(1, 2), f(0.5, 0.1), f(0.2, 0.3), f(0.4, 0.6), f(0.1), 0.01, 0.02, -0.7
    ),
    'merged_momentum': lambda n: C.merged_momentum_(
        [f(1, 2), f(3)],
        [f(0.5, 0.1), f(0.1)],
        [f(0.2, 0.3), f(0.1)],
        [f(0.1)],
        None,
        0.9,
        True,
        ['l2_decay', ''],
        [0.01, 0.0],
        False,
        1.0,
    ),
    'merged_adam': lambda n: C.merged_adam_(
        [f(1, 2)],
        [f(0.5, 0.1)],
        [f(0.1)],
        [f(0.2, 0.3)],
        [f(0.2, 0.3)],
        None,
        [f(0.9)],
        [f(0.99)],
        None,
        *BETAS,
        False,
        False,
        False,
    ),
    'fused_adam': lambda n: C.fused_adam_(
        [f(1, 2)],
        [f(0.5, 0.1)],
        f(0.1),
        [f(0.2, 0.3)],
        [f(0.2, 0.3)],
        None,
        [f(0.9)],
        [f(0.99)],
        None,
        None,
        *BETAS,
        1024,
        0.01,
        True,
        False,
        False,
        False,
    ),
    'auc': lambda n: C.auc(
        paddle.stack([f(0.3, 0.6, 0.2), f(0.7, 0.4, 0.8)], 1),
        i([[1], [0], [0]]),
        i(np.zeros([1, 25])),
        i(np.zeros([1, 25])),
        None,
        'ROC',
        11,
        1,
    ),
    'auc_of_all': lambda n: C.auc(
        paddle.stack([f(0.3, 0.6, 0.2), f(0.7, 0.4, 0.8)], 1),
        i([[1], [0], [0]]),
        i(np.ones([1, 12])),
        i(np.ones([1, 12])),
        None,
        'ROC',
        11,
        0,
    ),
    'check_numerics': lambda n: C.check_numerics(n(3), 'op', 'v', 0, -1, ''),
    'add_position_encoding': lambda n: C.add_position_encoding(n(2, 3, 4), 0.5, 2.0),
    'affine_channel_': lambda n: C.affine_channel_(n(2, 3, 2, 2), n(3), n(3), 'NCHW'),
    'bipartite_match': lambda n: C.bipartite_match(n(3, 4).abs(), 'bipartite', 0.5),
    'match_by_column': lambda n: C.bipartite_match(n(2, 5).abs(), 'per_prediction', 0.5),
    'chunk_IOB': lambda n: C.chunk_eval(
        i([[0, 1, 2, 3, 0, 1]]), i([[0, 1, 2, 2, 0, 1]]), i([6]), 2, 'IOB', []
    ),
    'chunk_IOE': lambda n: C.chunk_eval(
        i([[0, 1, 2, 3, 0, 1, 4, 4]]), i([[0, 1, 2, 2, 0, 1, 4, 0]]), i([8]), 2, 'IOE', []
    ),
    'chunk_IOBES': lambda n: C.chunk_eval(
        i([[0, 1, 2, 3, 4, 5, 6, 7, 8]]), i([[0, 1, 2, 3, 4, 6, 6, 7, 3]]), i([9]), 2, 'IOBES', [1]
    ),
    'chunk_plain': lambda n: C.chunk_eval(
        i([[0, 0, 1, 1, 2, 2, 0]]), i([[0, 1, 1, 1, 2, 0, 0]]), i([7]), 2, 'plain', []
    ),
    'crf_decoding': lambda n: C.crf_decoding(n(2, 4, 3), n(5, 3), None, i([4, 2])),
    'crf_agrees': lambda n: C.crf_decoding(
        n(2, 4, 3), n(5, 3), i([[0, 0, 1, 2], [0, 1, 1, 0]]), i([4, 2])
    ),
    'ctc_align': lambda n: C.ctc_align(
        i([[0, 1, 1, 0, 2, 2], [3, 0, 3, 0, 0, 0]], 'int32'), i([[6], [3]], 'int32'), 0, True, 0
    ),
    'cvm': lambda n: C.cvm(n(3, 5).abs(), n(3, 2).abs(), True),
    'cvm_without': lambda n: C.cvm(n(3, 5).abs(), n(3, 2).abs(), False),
    'edit_distance': lambda n: C.edit_distance(
        i([[1, 2, 3], [4, 5, 6]]), i([[1, 3, 3], [4, 5, 7]]), i([3, 2]), i([3, 3]), False
    ),
    'edit_distance_of_length': lambda n: C.edit_distance(
        i([[1, 2, 3], [4, 5, 6]]), i([[1, 3, 3], [4, 5, 7]]), i([3, 2]), i([3, 3]), True
    ),
    'fused_add': lambda n: C.fused_elementwise_add(
        n(2, 3), n(2, 3), -1, '', 0.0, 0.0, 1.0, [], 1.0, 1.0, 1.0
    ),
    'gru_unit': lambda n: C.gru_unit(n(2, 12), n(2, 4), n(4, 12), n(1, 12), 2, 1, True),
    'gru_unit_of_old': lambda n: L.gru_unit(
        n(2, 12),
        n(2, 4),
        n(4, 12),
        n(1, 12),
        *('activation', 2, 'gate_activation', 1, 'origin_mode', False),
    ),
    'im2sequence': lambda n: C.im2sequence(
        n(1, 2, 4, 4), None, [2, 2], [1, 1], [0, 0, 0, 0], [1, 1]
    ),
    'tdm_child': lambda n: C.tdm_child(i([[1], [2]], 'int32'), i(TREE, 'int32'), 2, paddle.int32),
    'cross_entropy_in_place': lambda n: C.cross_entropy_with_softmax_(
        n(2, 3), i([[0], [1]]), False, True, True, -100, -1
    ),
    'dropout_in_place': lambda n: C.dropout_(
        f(1, 2), None, 0.0, False, 'upscale_in_train', 0, False
    ),
    'bce_loss_': lambda n: C.bce_loss_(f(0.2, 0.6), f(0, 1)),
    'sigmoid_cross_entropy_': lambda n: C.sigmoid_cross_entropy_with_logits_(
        f(0.2, 0.6), f(0, 1), None, False, -100
    ),
    'assign_value_': lambda n: C.assign_value_(
        f(0, 0), [2], paddle.float32, [1.0, 3.0], paddle.CPUPlace()
    ),
    'full_': lambda n: C.full_(f(0, 0), [2], 5.0, paddle.float32, paddle.CPUPlace()),
    'trunc_divide_': lambda n: C.trunc_divide_(i([7, -7]), i([2, 2])),
    'l1_norm_': lambda n: C.l1_norm_(f(1, -2)),
    'identity_loss_': lambda n: C.identity_loss_(f(1, -2), 0),
    'div_scale': lambda n: C.div_scale(f(1, 2), 2.0),
    'linear': lambda n: C.linear(n(2, 3), n(3, 4), n(4)),
    'einsum': lambda n: L.einsum([n(2, 3), n(3, 4)], 2, 2, 'equation', 'ij,jk->ik')[0],
    'baddbmm': lambda n: L.baddbmm(n(2, 2, 2), n(2, 2, 3), n(2, 3, 2), 'Beta', 0.5, 'Alpha', 2.0),
    'sequence_mask': lambda n: L.sequence_mask(i([1, 3]), None, 'maxlen', 4, 'out_dtype', 3),
    'fill_any': lambda n: L.fill_any(n(2, 2), 'value', 3.0),
    'grad_add': lambda n: L.grad_add(n(2, 2), n(2, 2)),
    'bilinear': lambda n: L.bilinear_tensor_product(n(2, 3), n(2, 4), n(5, 3, 4), n(1, 5)),
    'cross_entropy': lambda n: L.cross_entropy(
        paddle.stack([f(0.3, 0.6), f(0.7, 0.4)], 1), i([[1], [0]]), 'soft_label', False
    ),
    'row_conv': lambda n: L.row_conv(n(2, 4, 3), n(2, 3)),
    'logspace': lambda n: L.logspace(f(0), f(2), i([3], 'int32'), f(10), 'dtype', 5),
    'nansum': lambda n: L.nansum(paddle.stack([f(1, NAN), f(2, 3)]), 'axis', [1], 'keepdim', False),
    'std': lambda n: L.std(n(3, 4), 'axis', [1], 'keepdim', False, 'unbiased', True),
    'variance': lambda n: L.variance(n(3, 4), 'axis', [1], 'keepdim', False),
    'lrn': lambda n: L.lrn(n(1, 6, 2, 2), 'n', 5, 'k', 2.0, 'alpha', 0.1, 'beta', 0.75),
    'cross_entropy2': lambda n: L.cross_entropy2(
        paddle.stack([f(0.3, 0.6), f(0.7, 0.4)], 1), i([[1], [0]]), 'ignore_index', -100
    )[0],
    'deformable_conv_v1': lambda n: L.deformable_conv_v1(
        n(1, 2, 5, 5), n(1, 18, 3, 3) * 0.1, n(3, 2, 3, 3), 'strides', [1, 1], 'paddings', [0, 0]
    ),
    'add_position_encoding_grad': lambda n: C.add_position_encoding_grad(
        n(2, 3, 4), n(2, 3, 4), 0.5, 2.0
    ),
    'affine_channel_grad': lambda n: C.affine_channel_grad(
        n(2, 3, 2, 2), n(3), n(3), n(2, 3, 2, 2), 'NCHW'
    ),
    'baddbmm_grad': lambda n: C.baddbmm_grad(
        n(2, 2, 2), n(2, 2, 3), n(2, 3, 2), n(2, 2, 2), 2.0, 0.5
    ),
    'depthwise_conv2d_transpose': lambda n: C.depthwise_conv2d_transpose(
        n(1, 2, 3, 3), n(2, 1, 2, 2), *CONV
    ),
    'depthwise_conv2d_transpose_grad': lambda n: C.depthwise_conv2d_transpose_grad(
        n(1, 2, 3, 3), n(2, 1, 2, 2), n(1, 2, 4, 4), *CONV
    ),
    'expand_as_grad': lambda n: C.expand_as_grad(n(1, 3), n(2, 3), [2, 3]),
    'identity_loss_grad': lambda n: C.identity_loss_grad(n(3), n(), 1),
    'im2sequence_grad': lambda n: C.im2sequence_grad(
        n(1, 2, 4, 4), None, n(9, 8), [2, 2], [1, 1], [0, 0, 0, 0], [1, 1]
    ),
    'index_select_strided_grad': lambda n: C.index_select_strided_grad(n(3, 4), n(4), 1, 0),
    'cross_entropy_with_softmax_grad': lambda n: C.cross_entropy_with_softmax_grad(
        i([[0], [1]]), paddle.nn.functional.softmax(n(2, 3)), n(2, 1), False, True, True, -100, -1
    ),
    'fill_diagonal_grad': lambda n: C.fill_diagonal_grad(n(3, 3), 1.0, 0, False),
    'huber_loss_grad': lambda n: C.huber_loss_grad(n(4), n(4), 0.5),
    'rint_grad': lambda n: C.rint_grad(n(3)),
    'gru_unit_grad': lambda n: step_gradient([n(2, 12), n(2, 4), n(4, 12), n(1, 12)], n(2, 4)),
    'norm_grad': lambda n: (
        lambda x: C.norm_grad(
            x, (x.square().sum(1, keepdim=True) + 1e-10).sqrt(), n(3, 4), 1, 1e-10, False
        )
    )(n(3, 4)),
    'std_grad': lambda n: (lambda x: C.std_grad(x, paddle.std(x, 1), n(3), [1], False, True, 1))(
        n(3, 4)
    ),
}


def plain(value):
    """A result as lists, numbers rounded."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or not value._is_initialized():
        return None
    array = value.numpy()
    return [str(array.dtype), list(array.shape), array.astype('float64').round(5).ravel().tolist()]


def main(path):
    """Each case in a process of its own: some end the published package."""
    found = {}
    for name, call in CASES.items():
        into, out = os.pipe()
        if not os.fork():
            with os.fdopen(out, 'w') as stream:
                json.dump(plain(call(Numbers())), stream)
            os._exit(0)
        os.close(out)
        with os.fdopen(into) as stream:
            text = stream.read()
        os.wait()
        if text:
            found[name] = json.loads(text)
    with open(path, 'w') as stream:
        json.dump(found, stream, indent=0)
    print(f'{len(found)} of {len(CASES)} cases')


if __name__ == '__main__':
    main(sys.argv[1])
