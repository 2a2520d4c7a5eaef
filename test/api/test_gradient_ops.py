# SPDX-License-Identifier: Apache-2.0
"""`paddle._C_ops.<op>_grad`, called by hand."""

import numpy as np
import pytest

import paddle
from paddle import _C_ops

RNG = np.random.default_rng(11)


def tensor(*shape, low=0.2, high=0.9):
    return paddle.to_tensor(RNG.uniform(low, high, shape).astype('float32'))


def derivative(function, *inputs, seed):
    """What the engine gives."""
    inputs = [t.detach() for t in inputs]
    for t in inputs:
        t.stop_gradient = False
    return [g.numpy() for g in paddle.grad(function(*inputs), inputs, seed)]


@pytest.mark.parametrize(
    'name', 'tanh exp sqrt rsqrt sigmoid reciprocal expm1 relu selu hardsigmoid relu6'.split()
)
def test_rules_that_read_a_result(name):
    x, seed = tensor(3, 4), tensor(3, 4)
    public = getattr(paddle, name, None) or getattr(paddle.nn.functional, name)
    attrs = {'hardsigmoid': (1 / 6, 0.5), 'selu': (1.0507009873554805, 1.6732632423543772)}
    got = getattr(_C_ops, name + '_grad')(public(x), seed, *attrs.get(name, ()))
    np.testing.assert_allclose(got.numpy(), derivative(public, x, seed=seed)[0], rtol=2e-5)


def test_rules_that_read_inputs():
    x, y, seed = tensor(2, 3), tensor(3, 4), tensor(2, 4)
    got = _C_ops.matmul_grad(x, y, seed, False, False)
    for a, b in zip(got, derivative(paddle.matmul, x, y, seed=seed)):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-5)
    a, b = _C_ops.add_grad(x, tensor(3), tensor(2, 3), -1)
    assert a.shape == [2, 3] and b.shape == [3]
    p = paddle.nn.functional.softmax(x)
    s = tensor(2, 3)
    np.testing.assert_allclose(
        _C_ops.softmax_grad(p, s, -1).numpy(),
        derivative(paddle.nn.functional.softmax, x, seed=s)[0],
        rtol=1e-4,
        atol=1e-6,
    )
    image, kernel = tensor(1, 2, 5, 5), tensor(3, 2, 3, 3)
    s = tensor(1, 3, 5, 5)
    got = _C_ops.conv2d_grad(image, kernel, s, [1, 1], [1, 1], 'EXPLICIT', [1, 1], 1, 'NCHW')
    want = derivative(
        lambda i, k: paddle.nn.functional.conv2d(i, k, padding=1), image, kernel, seed=s
    )
    for a, b in zip(got, want):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-4, atol=1e-5)
    total = _C_ops.sum_grad(x=x, out_grad=tensor(2), axis=[1], keepdim=False, reduce_all=False)
    assert total.shape == [2, 3] and total[0, 0] == total[0, 2]
    rows = _C_ops.gather_grad(x, paddle.to_tensor([1, 1, 0]), paddle.ones([3, 3]), 0)
    assert rows.tolist() == [[1.0] * 3, [2.0] * 3]


def test_further_orders():
    x = tensor(3)
    x.stop_gradient = False
    first = _C_ops.sin_grad(x, paddle.ones([3]))
    (second,) = paddle.grad(first.sum(), [x])
    np.testing.assert_allclose(second.numpy(), -np.sin(x.numpy()), rtol=1e-6)
    assert _C_ops.sin_grad(x.detach(), paddle.ones([3])).stop_gradient
    with pytest.raises(RuntimeError, match='further orders'):
        _C_ops.tanh_grad(x, x).sum().backward()


def test_what_is_refused():
    x = tensor(3)
    with pytest.raises(AttributeError):
        _C_ops.nobody_grad
    with pytest.raises(AttributeError):
        _C_ops.rrelu_grad  # drawing again gives others
    for args in ((x,), (x, 3), (x, None), (x, x, x)):
        with pytest.raises((TypeError, ValueError)):
            _C_ops.tanh_grad(*args)
    for other in (tensor(4), x.astype('float64'), x.astype('int64')):
        with pytest.raises(ValueError, match=r'\[tanh_grad\] expected out_grad of'):
            _C_ops.tanh_grad(x, other)
    with pytest.raises(ValueError, match=r'\[relu_grad\] expected a floating result'):
        _C_ops.relu_grad(x.astype('int64'), x.astype('int64'))
    with pytest.raises(ValueError):
        _C_ops.inverse_grad(tensor(2, 3), tensor(2, 3))
    with pytest.raises(ValueError, match=r'\[matmul_grad\] expected a gradient of shape'):
        _C_ops.matmul_grad(tensor(2, 3), tensor(3, 4), tensor(2, 5), False, False)
    with pytest.raises(TypeError, match='each once'):
        _C_ops.tanh_grad(x, x, out=x)
    with pytest.raises(ValueError):
        _C_ops.softmax_grad(x, x, 3)


def test_gradients_of_cross_entropy_say_what_does_not_fit():
    label, softmax = paddle.zeros([3, 1], 'int64'), paddle.full([3, 4], 0.25)
    grad = paddle.ones([3, 1])
    call = paddle._C_ops.cross_entropy_with_softmax_grad
    assert call(label, softmax, grad).shape == [3, 4]
    name = r'\[cross_entropy_with_softmax_grad\] expected '
    for given, message in (
        ((label[:2], softmax, grad), r'label of shape \[3, 1\], got \[2, 1\]'),
        ((label, softmax, grad[:2]), r'loss_grad of shape \[3, 1\], got \[2, 1\]'),
        ((label, softmax, grad, False, True, True, -100, 2), r'axis in \[-2, 2\), got 2'),
    ):
        with pytest.raises(ValueError, match=name + message):
            call(*given)


@pytest.mark.parametrize('score', [1.5, -0.5, float('nan')])
def test_scores_of_auc_are_shares(score):
    counts = paddle.zeros([1, 16], 'int64')
    given = paddle.to_tensor([[0.5, score]]), paddle.to_tensor([[1]])
    with pytest.raises(RuntimeError, match=r'\[auc\] expected scores in \[0, 1\], got some'):
        paddle._C_ops.auc(*given, counts, counts, None, 'ROC', 15, 0)


@pytest.mark.parametrize('rows', [1, 2])
def test_gradients_of_operands_that_are_fed_to_be_broadcast(rows):
    """Whether an operand of free rows is broadcast is known when the program runs."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x, y = paddle.static.data('x', [None, 3]), paddle.static.data('y', [2, 1])
            x.stop_gradient = y.stop_gradient = False
            made = paddle.broadcast_tensors([x, y])
            grads = paddle.static.gradients([made[0] * made[0], made[1] * 3], [x, y])
        feed = {'x': np.full([rows, 3], 5, 'float32'), 'y': np.ones([2, 1], 'float32')}
        of_x, of_y = paddle.static.Executor().run(main, feed=feed, fetch_list=grads)
    finally:
        paddle.disable_static()
    assert of_x.tolist() == [[20.0 / rows] * 3] * rows and of_y.tolist() == [[9.0]] * 2
