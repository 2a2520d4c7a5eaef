# SPDX-License-Identifier: Apache-2.0
"""Gradients that programs hold as the one op PaddlePaddle writes, with a batch of unknown size,
against eager ones.
"""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import _C_ops


def floats(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype('float32')


X, W, B = floats(3, 4, 2, 2), floats(4, seed=1), floats(4, seed=2)
ROW, OTHER = floats(3, 4, seed=3), floats(3, 4, seed=4)
POSITIVE = np.abs(ROW) + 0.5

CASES = {
    'group_norm': (lambda x, w, b: F.group_norm(x, 2, 1e-5, w, b), [X, W, B]),
    'group_norm plain': (
        lambda x: F.group_norm(x, 2, 1e-5, data_format='NHWC'),
        [floats(3, 2, 2, 4)],
    ),
    'instance_norm': (lambda x, w, b: F.instance_norm(x, None, None, w, b), [X, W, B]),
    'rms_norm': (lambda x, w: F.rms_norm(x, [4], w), [ROW, W]),
    'prelu': (F.prelu, [X, W]),
    'swiglu': (F.swiglu, [ROW, OTHER]),
    'swiglu halves': (F.swiglu, [ROW]),
    'huber_loss': (lambda x, y: F.smooth_l1_loss(x, y, 'none', 0.7), [ROW, OTHER]),
    'sigmoid_cross_entropy_with_logits': (
        lambda x: F.binary_cross_entropy_with_logits(
            x, paddle.full_like(x, 0.25), reduction='none'
        ),
        [ROW],
    ),
    'selu': (F.selu, [ROW]),
    'lerp': (lambda x, y: paddle.lerp(x, y, 0.3), [ROW, OTHER]),
    'elementwise_pow': (paddle.pow, [POSITIVE, OTHER]),
    'bmm': (paddle.bmm, [floats(3, 2, 4), floats(3, 4, 5)]),
    'mv': (paddle.mv, [ROW, W]),
    'addmm': (lambda c, x, y: paddle.addmm(c, x, y, 0.5, 2.0), [ROW, OTHER, floats(4, 4)]),
}


@pytest.mark.parametrize('case', CASES)
def test_one_op(case):
    fn, arrays = CASES[case]
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    want = paddle.grad((fn(*tensors) ** 2).sum(), tensors)
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = []
            for i, a in enumerate(arrays):
                unknown = a.ndim > 1 and a.shape[0] == 3
                data.append(
                    paddle.static.data(f'x{i}', [-1, *a.shape[1:]] if unknown else list(a.shape))
                )
                data[-1].stop_gradient = False
            grads = paddle.static.gradients([(fn(*data) ** 2).sum()], data)
        names = [op.name() for op in program.global_block().ops]
        assert f'pd_op.{case.split()[0]}_grad' in names
        feed = {f'x{i}': a for i, a in enumerate(arrays)}
        got = paddle.static.Executor().run(program, feed=feed, fetch_list=grads)
    finally:
        paddle.disable_static()
    for g, w in zip(got, want):
        np.testing.assert_allclose(g, w.numpy(), rtol=2e-5, atol=2e-6)


def test_a_gradient_the_op_does_not_give_is_composed():
    arrays = [ROW, OTHER, np.full([], 0.3, 'float32')]
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    want = paddle.grad((paddle.lerp(*tensors) ** 2).sum(), tensors)
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = [paddle.static.data(f'x{i}', list(a.shape)) for i, a in enumerate(arrays)]
            for d in data:
                d.stop_gradient = False
            grads = paddle.static.gradients([(paddle.lerp(*data) ** 2).sum()], data)
        got = paddle.static.Executor().run(
            program, feed={f'x{i}': a for i, a in enumerate(arrays)}, fetch_list=grads
        )
    finally:
        paddle.disable_static()
    for g, w in zip(got, want):
        np.testing.assert_allclose(g, w.numpy(), rtol=2e-5, atol=2e-6)


def test_complex_numbers_keep_their_imaginary_part():
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data('x', [2], 'complex64')
            results = [x * 2j, paddle.full([2], 1 + 2j, 'complex64'), x + 3]
        z = np.array([1 + 1j, 2 - 1j], 'complex64')
        got = paddle.static.Executor().run(program, feed={'x': z}, fetch_list=results)
    finally:
        paddle.disable_static()
    for g, w in zip(got, [z * 2j, np.full([2], 1 + 2j, 'complex64'), z + 3]):
        np.testing.assert_array_equal(g, w)


def test_overlapping_strides_add_up():
    x = paddle.arange(6, dtype='float64')
    x.stop_gradient = False
    windows = paddle.as_strided(x, [4, 3], [1, 1])
    weight = paddle.arange(12, dtype='float64').reshape([4, 3])
    want = np.zeros(6)
    for i in range(4):
        want[i : i + 3] += weight.numpy()[i]
    np.testing.assert_array_equal(paddle.grad((windows * weight).sum(), x)[0].numpy(), want)
    np.testing.assert_array_equal(
        paddle.grad((paddle.as_strided(x, [2, 3], [3, 1]) ** 2).sum(), x)[0].numpy(), 2 * x.numpy()
    )
    first = paddle.grad((paddle.as_strided(x, [4, 3], [1, 1]) ** 3).sum(), x, create_graph=True)[0]
    times = np.array([1, 2, 3, 3, 2, 1])
    np.testing.assert_allclose(paddle.grad(first.sum(), x)[0].numpy(), 6 * x.numpy() * times)


@pytest.mark.parametrize('create_graph', [False, True])
def test_logcumsumexp_after_nothing(create_graph):
    x = paddle.to_tensor([-np.inf, -np.inf, 1.0, 2.0], dtype='float64', stop_gradient=False)
    grad = paddle.grad(
        _C_ops.logcumsumexp(x, 0, False, False, False)[2:].sum(), x, create_graph=create_graph
    )[0]
    p = np.exp(1 - np.logaddexp(1, 2))
    np.testing.assert_allclose(grad.numpy(), [0, 0, 1 + p, 1 - p], rtol=1e-12)


def test_matrix_product_operator_takes_the_dtype_of_its_left_operand():
    a, b = paddle.full([2, 3], 1.5, 'float32'), paddle.full([3, 2], 2, 'int64')
    assert (a @ b).dtype == paddle.float32 and float((a @ b)[0, 0]) == 9
    assert (a @ b.astype('float64')).dtype == paddle.float32
    assert (a @ paddle.full([3, 2], 1j, 'complex128')).dtype == paddle.complex128


def test_derivatives_of_digamma():
    x = paddle.to_tensor([0.5, 1.0, 7.5], dtype='float64', stop_gradient=False)
    first = paddle.grad(paddle.digamma(x).sum(), x, create_graph=True)[0]
    np.testing.assert_allclose(
        first.numpy(), [np.pi**2 / 2, np.pi**2 / 6, 0.1426158966967038], rtol=1e-12
    )
    second = paddle.grad(first.sum(), x)[0].numpy()
    step = 1e-5
    for i, v in enumerate([0.5, 1.0, 7.5]):
        low, high = (
            float(paddle.polygamma(paddle.to_tensor(v + d, dtype='float64'), 1))
            for d in (-step, step)
        )
        assert abs(second[i] - (high - low) / (2 * step)) < 1e-6 * abs(second[i])
