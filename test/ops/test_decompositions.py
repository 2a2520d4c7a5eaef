# SPDX-License-Identifier: Apache-2.0
"""Every op with a decomposition: what its kernel computes, its gradient too, is what the
decomposition computes, operation by operation and as a fused group, for each dtype.
"""

import os
import pathlib
import sys

import numpy as np
import paddle
import pytest
from paddle.base import libpaddle

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(ROOT, 'tools'))
try:
    from opgen import model
    from static_program import static_program
finally:
    del sys.path[:2]

F, C = paddle.nn.functional, paddle._C_ops
TOLERANCE = {'float64': 1e-11, 'float32': 3e-6, 'float16': 2e-3, 'bfloat16': 1.6e-2}


class Case:
    """`call(*tensors)` gives the results to compare. `inputs`: shapes of random numbers, or arrays;
    those named in `stay` keep their dtype, and have no gradient. `made_by`: the pass that makes the
    op of what the call records, of numbers of at least 32 bits.
    """

    def __init__(self, op, call, *inputs, stay=(), low=-2.0, gradient=True, made_by=None, name=''):
        self.made_by = made_by
        self.op, self.call, self.inputs, self.stay = op, call, inputs, stay
        self.low, self.gradient, self.name = low, gradient, f'{op}{name and "-" + name}'

    def arrays(self):
        rng = np.random.RandomState(5)
        return [
            rng.uniform(self.low, 2.0, i) if isinstance(i, tuple) else np.asarray(i)
            for i in self.inputs
        ]


def batch_norm(**attrs):
    def call(x, mean, variance, scale, bias):
        return F.batch_norm(x, mean, variance, scale, bias, **attrs)

    return call


def instance_norm(x, scale, bias):
    return F.instance_norm(x, weight=scale, bias=bias)


def cross_entropy(soft, axis=-1, **attrs):
    def call(x, label):
        loss, softmax = F.softmax_with_cross_entropy(
            x, label, soft_label=soft, return_softmax=True, axis=axis, **attrs
        )
        return loss

    return call


def with_logits(normalize=False):
    def call(x, label, *weight):
        return C.sigmoid_cross_entropy_with_logits(x, label, *(weight or [None]), normalize, 1)

    return call


def attention(mask=False, result=0, **attrs):
    def call(q, k, v, *given):
        keep = given[-1] if 'dropout' in attrs else None
        return C._fused_attention(q, k, v, given[0] if mask else None, keep, 0.5, **attrs)[result]

    return call


QUERY, KEYS = (2, 5, 4, 3), (2, 6, 2, 3)  # [batch, length, heads, dim]
# Masks of which each query sees some.
ADDED = -(np.arange(30).reshape(5, 6) % 4) / 2
SEEN = (np.arange(60).reshape(2, 1, 5, 6) % 7 > 1) | (np.arange(6) == 0)
LABELS = np.array([[3], [0], [-100], [1]])
STATE = [np.zeros(4), np.ones(4)]
CASES = [
    Case('softmax', lambda x: F.softmax(x, -1), (5, 37)),
    Case('softmax', lambda x: F.softmax(x, 1), (3, 4, 5), name='inner'),
    Case('log_softmax', lambda x: F.log_softmax(x, -1), (5, 37)),
    Case('layer_norm', lambda x, w, b: F.layer_norm(x, [16], w, b), (3, 5, 16), (16,), (16,)),
    Case('layer_norm', lambda x: F.layer_norm(x, [5, 16]), (3, 5, 16), name='plain'),
    Case(
        'layer_norm',
        lambda x, w, b: F.layer_norm(x, [5, 16], w, b),
        (3, 5, 16),
        (5, 16),
        (5, 16),
        name='two-axes',
    ),
    Case('apply_per_channel_scale', C.apply_per_channel_scale, (3, 5, 16), (16,)),
    Case('rms_norm', lambda x, w: C.rms_norm(x, w, [16], 1e-5)[0], (3, 5, 16), (16,)),
    Case('rms_norm', lambda x: C.rms_norm(x, None, [16], 1e-5)[0], (3, 5, 16), name='plain'),
    Case('batch_norm_', batch_norm(training=True), (3, 4, 6, 5), *STATE, (4,), (4,), stay=(1, 2)),
    Case(
        'batch_norm_',
        batch_norm(training=False),
        (3, 4, 6, 5),
        *STATE,
        (4,),
        (4,),
        stay=(1, 2),
        name='given',
    ),
    Case(
        'batch_norm_',
        batch_norm(training=True, data_format='NHWC'),
        (3, 6, 5, 4),
        *STATE,
        (4,),
        (4,),
        stay=(1, 2),
        name='channels-last',
    ),
    Case('group_norm', lambda x, w, b: F.group_norm(x, 2, 1e-5, w, b), (3, 4, 6, 5), (4,), (4,)),
    Case(
        'group_norm',
        lambda x, w, b: F.group_norm(x, 2, 1e-5, w, b, 'NHWC'),
        (3, 6, 5, 4),
        (4,),
        (4,),
        name='channels-last',
    ),
    *(
        Case(
            'fused_add_norm',
            norm,
            (3, 5, 16),
            (3, 5, 16),
            *weights,
            gradient=False,
            made_by='add_norm_fuse_pass',
            name=name,
        )
        for name, norm, weights in (
            ('layer', lambda x, y, w, b: F.layer_norm(x + y, [16], w, b), [(16,), (16,)]),
            ('two-axes', lambda x, y: F.layer_norm(x + y, [5, 16]), []),
            ('rms', lambda x, y, w: C.rms_norm(x + y, w, [16], 1e-5)[0], [(16,)]),
        )
    ),
    Case('instance_norm', instance_norm, (3, 4, 6, 5), (4,), (4,)),
    Case('dot', paddle.dot, (5, 7), (5, 7)),
    Case('bmm', paddle.bmm, (2, 3, 4), (2, 4, 5)),
    Case('mv', paddle.mv, (3, 4), (4,)),
    Case('swiglu', lambda x, y: C.swiglu(x, y), (4, 6), (4, 6)),
    Case('swiglu', lambda x: C.swiglu(x, None), (4, 6), name='halves'),
    *(
        Case(
            'nll_loss',
            lambda x, y, w=None, r=reduction: F.nll_loss(x, y, w, 2, r),
            (4, 6, *more),
            np.arange(4 * int(np.prod(more))).reshape(4, *more) % 6,
            *weight,
            stay=(1, 2),
            name=f'{reduction}{len(more)}{len(weight)}',
        )
        for reduction in ('none', 'sum', 'mean')
        for more in ((), (3,))
        for weight in ((), (np.linspace(0.5, 1.5, 6),))
    ),
    *(
        Case(op, lambda x, o=op, k=k: getattr(paddle, o)(x, k), (2, 4, 6), name=str(k))
        for op in ('tril', 'triu')
        for k in (-1, 0, 2)
    ),
    Case('sigmoid_cross_entropy_with_logits', with_logits(), (4, 6), (4, 6)),
    *(
        Case(
            'sigmoid_cross_entropy_with_logits',
            with_logits(normalize),
            (4, 6),
            np.arange(24).reshape(4, 6) % 3 / 2,  # 1 is what is ignored
            *weight,
            stay=(1,),
            name=f'{normalize}{len(weight)}',
        )
        for normalize in (False, True)
        for weight in ((), ((6,),))
    ),
    *(
        Case(
            'margin_cross_entropy',
            lambda x, y, m=margins: C.margin_cross_entropy(x, y, False, 0, 0, 1, *m, 4.0)[1],
            np.linspace(-0.9, 0.9, 28).reshape(7, 4).T,
            [3, 0, 6, 6],
            stay=(1,),
            name=str(margins[0]),
        )
        for margins in ((1.0, 0.0, 0.35), (1.35, 0.2, 0.1))
    ),
    Case('bilinear', F.bilinear, (4, 3), (4, 5), (2, 3, 5), (1, 2)),
    Case('fused_attention', attention(), QUERY, KEYS, KEYS),
    Case('fused_attention', attention(causal=True), QUERY, QUERY, QUERY, name='causal'),
    Case('fused_attention', attention(causal=True, offset=1), QUERY, KEYS, KEYS, name='later'),
    Case('fused_attention', attention(True), QUERY, KEYS, KEYS, SEEN, name='hidden'),
    Case('fused_attention', attention(True), QUERY, KEYS, KEYS, ADDED, stay=(3,), name='added'),
    Case('fused_attention', attention(result=1), QUERY, KEYS, KEYS, gradient=False, name='sums'),
    Case(
        'fused_attention',
        attention(dropout=0.25),
        QUERY,
        KEYS,
        KEYS,
        (np.arange(240).reshape(2, 4, 5, 6) % 4 > 0).astype('uint8'),
        stay=(3,),
        name='dropout',
    ),
    Case('linear_v2', lambda x, w, b: C.linear_v2(x, w, b, False), (4, 3), (3, 5), (5,)),
    Case('linear_v2', lambda x, w, b: C.linear_v2(x, w, b, True), (4, 3), (5, 3), (5,), name='t'),
    Case('prelu', F.prelu, (3, 4, 6, 5), (1,), name='all'),
    Case('prelu', F.prelu, (3, 4, 6, 5), (4,), name='channel'),
    Case('prelu', lambda x, a: F.prelu(x, a, 'NHWC'), (3, 6, 5, 4), (4,), name='channels-last'),
    Case('prelu', lambda x, a: C.prelu(x, a, 'NCHW', 'element'), (3, 4, 6), (4, 6), name='element'),
    Case('huber_loss', lambda x, y: C.huber_loss(x, y, 0.7)[0], (4, 6), (4, 6)),
    Case('logsumexp', lambda x: paddle.logsumexp(x, 1), (4, 6)),
    Case('logsumexp', lambda x: paddle.logsumexp(x, [0, 2], True), (4, 6, 3), name='kept'),
    Case('logsumexp', paddle.logsumexp, (4, 6), name='all'),
    Case('logsumexp', paddle.logsumexp, np.full((4, 6), -np.inf), gradient=False, name='nothing'),
    Case('mean_all', C.mean_all, (4, 6)),
    Case('squared_l2_norm', C.squared_l2_norm, (4, 6)),
    Case('logsumexp', lambda x: paddle.logsumexp(x, [-2, -1]), (4, 6, 3), name='last'),
    Case('frobenius_norm', lambda x: C.frobenius_norm(x, [0, 1], True, False), (4, 6)),
    Case(
        'frobenius_norm',
        lambda x: C.frobenius_norm(x, [-1, 0], False, False),
        (4, 6, 3),
        name='dropped',
    ),
    *(
        Case(
            'kldiv_loss',
            lambda x, y, r=reduction: C.kldiv_loss(x, y, r, r == 'sum'),
            (4, 5),
            (4, 5),
            low=0.1,
            name=reduction,
        )
        for reduction in ('none', 'sum', 'mean', 'batchmean')
    ),
    Case('cross_entropy_with_softmax', cross_entropy(False), (4, 9), LABELS, stay=(1,)),
    Case(
        'cross_entropy_with_softmax',
        cross_entropy(False, axis=0),
        (9, 4),
        LABELS.T,
        stay=(1,),
        name='axis-0',
    ),
    Case(
        'cross_entropy_with_softmax',
        cross_entropy(True),
        (4, 9),
        np.full((4, 9), 1 / 9),
        name='soft',
    ),
]


def decomposed_ops():
    ops = model.load(ROOT / 'paddle/phi/ops')
    return {op.name for op in ops if op.decomposition is not None and not op.composite}


def test_every_decomposition_has_a_case():
    assert decomposed_ops() == {c.op for c in CASES}


def recorded(case, dtype):
    """(program, its inputs in order): the results, and gradients of a weighed sum of squares."""
    arrays = case.arrays()
    program = paddle.static.default_main_program()
    tensors = []
    for k, a in enumerate(arrays):
        kept = k in case.stay or dtype != 'float64' and a.dtype.kind != 'f'
        kind = dtype if k not in case.stay or a.dtype.kind == 'f' and dtype == 'float64' else None
        kind = kind or ('float32' if a.dtype.kind == 'f' else str(a.dtype))
        x = paddle.static.data(f'x{k}', list(a.shape), kind)
        x.stop_gradient = kept or a.dtype.kind != 'f'
        tensors.append(x)
    out = case.call(*tensors)
    # Beside another operation of the group, so that there is one.
    results = [paddle.tanh(out)]
    if case.gradient:
        wanted = [x for x in tensors if not x.stop_gradient]
        count = int(np.prod(out.shape))
        weight = paddle.cast(paddle.arange(1, 1 + count), dtype) / count
        # Of a sign with the result, so that the sums of parameters' gradients do not cancel.
        weighed = out * out * paddle.reshape(weight, out.shape)
        results += [g for g in paddle.static.gradients([weighed], wanted) if g is not None]
    for k, r in enumerate(results):
        program._append_fetch(r, f'r{k}', k)
    if case.made_by:
        passes = paddle.pir.PassManager()
        passes.add_pass(case.made_by, {})
        passes.run(program)
        assert f'pd_op.{case.op}"' in str(program)
    return program, [(a, x.dtype) for a, x in zip(arrays, tensors)]


def run(program, inputs, fuse=False):
    plan = libpaddle.pir.Plan(program, None, fuse)
    order = [int(n[1:]) for n in plan.input_names]
    paddle.disable_static()
    results = plan.run([paddle.to_tensor(inputs[k][0]).astype(inputs[k][1]) for k in order])
    results = [r.astype('float64').numpy() for r in results]
    paddle.enable_static()
    return plan, results


@pytest.mark.parametrize(
    'case, dtype',
    [
        pytest.param(case, dtype, id=f'{case.name}-{dtype}')
        for case in CASES
        for dtype in TOLERANCE
        if not (case.made_by and dtype.endswith('float16'))
    ],
)
def test_decomposition_is_what_the_kernel_computes(case, dtype):
    with static_program():
        program, inputs = recorded(case, dtype)
        _, want = run(program, inputs)
        made = program._decomposed()
        if case.op != 'batch_norm_':  # which writes in place
            assert f'pd_op.{case.op}"' not in str(made)
        others = [('decomposed', made, False), ('fused', program, True), ('both', made, True)]
        for what, other, fuse in others:
            _, got = run(other, inputs, fuse)
            assert len(got) == len(want)
            for k, (a, b) in enumerate(zip(got, want)):
                scale = max(1.0, float(np.abs(b).max(initial=0)))
                np.testing.assert_allclose(
                    a,
                    b,
                    rtol=TOLERANCE[dtype],
                    atol=TOLERANCE[dtype] * scale,
                    err_msg=f'{case.name}: result {k} {what}',
                )


RNN_SHAPES = {'LSTM': 4, 'GRU': 3, 'RNN_TANH': 1, 'RNN_RELU': 1}  # gates


def network(mode, kernel):
    """A network of one layer: the op, or its steps as the composites of their stanzas say them."""
    states = 2 if mode == 'LSTM' else 1

    def steps(x, *given):
        state, (w_ih, w_hh, b_ih, b_hh) = [s[0] for s in given[:states]], given[states:]
        outputs = []
        for now in paddle.unbind(x, 0):
            gates = C.matmul(now, w_ih, False, True) + b_ih
            if mode == 'LSTM':
                state = C._lstm_cell(gates, *state, w_hh, b_hh)
            elif mode == 'GRU':
                state = [C._gru_cell(gates, *state, w_hh, b_hh)]
            else:
                state = [C._simple_rnn_cell(gates, *state, w_hh, b_hh, mode[4:].lower())]
            outputs.append(state[0])
        return paddle.stack(outputs)

    def op(x, *given):
        last = 0.0, False, 5, 6, 1, mode, 0, False
        return C.rnn(x, [*given[:states]], [*given[states:]], None, None, *last)[0]

    rows = 6 * RNN_SHAPES[mode]
    shapes = [(4, 3, 5), *[(1, 3, 6)] * states, (rows, 5), (rows, 6), (rows,), (rows,)]
    return Case('rnn', op if kernel else steps, *shapes)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('mode', RNN_SHAPES)
def test_composites_are_the_steps_of_the_kernel(mode, dtype):
    with static_program():
        _, want = run(*recorded(network(mode, True), dtype))
    with static_program():
        program, inputs = recorded(network(mode, False), dtype)
        assert 'rnn' not in str(program)
        for fuse in (False, True):
            _, got = run(program, inputs, fuse)
            assert len(got) == len(want) == len(inputs) + 1
            for k, (a, b) in enumerate(zip(got, want)):
                atol = TOLERANCE[dtype] * max(1.0, float(np.abs(b).max()))
                np.testing.assert_allclose(a, b, TOLERANCE[dtype], atol, err_msg=f'result {k}')


def test_named_operations_alone_are_decomposed():
    with static_program():
        x = paddle.static.data('x', [3, 4], 'float32')
        y = F.log_softmax(F.softmax(x))
        program = paddle.static.default_main_program()
        program._append_fetch(y, 'y', 0)
        text = str(program._decomposed(['softmax']))
        assert 'pd_op.log_softmax"' in text and 'pd_op.softmax"' not in text
        assert 'pd_op.softmax"' in str(program)
