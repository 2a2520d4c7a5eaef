# SPDX-License-Identifier: Apache-2.0
"""Python face of autograd: gradient modes, grad, backward, PyLayer, Jacobian and Hessian."""

import numpy as np
import pytest

import paddle
from paddle.autograd import PyLayer, hessian, jacobian


def leaf(values):
    return paddle.to_tensor(np.array(values, 'float64'), stop_gradient=False)


def test_gradient_modes():
    x = leaf([1.0, 2.0])
    with paddle.no_grad():
        assert (x * 2).stop_gradient
        with paddle.enable_grad():
            assert not (x * 2).stop_gradient
    assert paddle.is_grad_enabled()

    @paddle.no_grad()
    def f():
        return paddle.is_grad_enabled()

    @paddle.no_grad()
    def g():
        for _ in range(2):
            got = yield paddle.is_grad_enabled()
            assert got is None

    assert f() is False and list(g()) == [False, False] and paddle.is_grad_enabled()
    with paddle.set_grad_enabled(False):
        assert not paddle.is_grad_enabled()
    assert paddle.is_grad_enabled()
    with pytest.raises(ValueError):
        with paddle.no_grad():
            raise ValueError
    assert paddle.is_grad_enabled()


def test_grad():
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    (first,) = paddle.grad((x**3).sum(), x, create_graph=True)
    (second,) = paddle.grad(first.sum(), x)
    np.testing.assert_allclose(second.numpy(), 6 * x.numpy())
    assert paddle.grad((x * 2).sum(), [x, y], allow_unused=True)[1] is None
    with pytest.raises(Exception):
        paddle.grad((x * 2).sum(), [y])
    with pytest.raises(AssertionError):
        paddle.grad(1, x)
    np.testing.assert_allclose(
        paddle.grad(x * 2, x, grad_outputs=paddle.to_tensor([1.0, 10.0], 'float64'))[0].numpy(),
        [2.0, 20.0],
    )


def test_backward_of_several():
    x = leaf([1.0, 2.0])
    a, b = x * 2, x * 3
    paddle.autograd.backward([a, b], [paddle.to_tensor([1.0, 2.0], 'float64'), None])
    np.testing.assert_allclose(x.grad.numpy(), [5.0, 7.0])
    paddle.autograd.backward([(x * 2).sum(), x.sum()])
    np.testing.assert_allclose(x.grad.numpy(), [8.0, 10.0])
    with pytest.raises(AssertionError):
        paddle.autograd.backward([x, x])


def test_py_layer():
    class Scale(PyLayer):
        @staticmethod
        def forward(ctx, x, y, factor=2.0):
            ctx.save_for_backward(x, y)
            ctx.factor = factor
            return x * y * factor, 'text'

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensor()
            return grad * y * ctx.factor, grad * x * ctx.factor

    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    out, text = Scale.apply(x, y, factor=3.0)
    assert text == 'text'
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 3 * y.numpy())
    np.testing.assert_allclose(y.grad.numpy(), 3 * x.numpy())


def test_jacobian_and_hessian():
    x, y = leaf([1.0, 2.0, 3.0]), leaf([4.0, 5.0])
    j = jacobian(x**2, x)
    assert list(j.shape) == [3, 3]
    np.testing.assert_allclose(j[1].numpy(), [0.0, 4.0, 0.0])
    np.testing.assert_allclose(j[:].numpy(), np.diag([2.0, 4.0, 6.0]))
    pair = jacobian([x * 2, y * 3], [x, y])
    np.testing.assert_allclose(pair[0][1][:].numpy(), np.zeros([3, 2]))
    np.testing.assert_allclose(hessian((x**3).sum(), x)[:].numpy(), np.diag([6.0, 12.0, 18.0]))
    batch = leaf(np.arange(6.0).reshape(2, 3))
    assert list(jacobian(batch**2, batch, batch_axis=0).shape) == [2, 3, 3]
    with pytest.raises(ValueError):
        hessian(x**2, x)
    with pytest.raises(ValueError):
        jacobian(x, x, batch_axis=1)


def test_random_state():
    paddle.seed(5)
    state = paddle.get_rng_state()
    a = paddle.rand([4]).numpy()
    paddle.set_rng_state(state)
    np.testing.assert_array_equal(paddle.rand([4]).numpy(), a)


@pytest.mark.parametrize('key', [-1, slice(1, 3), (slice(None), 0)])
def test_gradient_of_a_part_of_an_expanded_tensor(key):
    """Elements that share memory keep gradients of their own."""
    x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
    y = paddle.expand(x, [3, 2])
    gx, gy = paddle.grad((y[key] * 2).sum(), [x, y])
    want = np.zeros((3, 2), 'float32')
    want[key] = 2
    np.testing.assert_array_equal(gy.numpy(), want)
    np.testing.assert_array_equal(gx.numpy(), want.sum(0, keepdims=True))


class Twice(PyLayer):
    """2 x, whose gradients have the dtype `given`; `seen` holds those of the gradients it got."""

    seen = []

    @staticmethod
    def forward(ctx, x, consistent, given):
        ctx.set_grad_in_dtype_consistent(consistent)
        ctx.given = given
        return x * 2

    @staticmethod
    def backward(ctx, dy):
        Twice.seen.append(dy.dtype)
        return (dy * 2).astype(ctx.given or dy.dtype)


@pytest.mark.parametrize('consistent', [True, False])
def test_gradients_of_other_dtypes(consistent):
    own = paddle.float32 if consistent else paddle.float64

    def seen(y, dout):
        Twice.seen.clear()
        y.backward(dout)
        return list(Twice.seen)

    # The dtype of a gradient that is given.
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert seen(Twice.apply(x * 1, consistent, None), paddle.ones([2], 'float64')) == [own]
    assert x.grad.dtype == paddle.float32 and x.grad.tolist() == [2.0, 2.0]
    # That of another PyLayer.
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = Twice.apply(Twice.apply(x, consistent, None), True, 'float64')
    assert seen(y, None) == [paddle.float32, own]
    assert x.grad.dtype == own and x.grad.tolist() == [4.0, 4.0]
    # Integers are no gradients.
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert seen(Twice.apply(x, consistent, None), paddle.ones([2], 'int64')) == [paddle.float32]


def test_a_gradient_of_another_dtype_adds_to_that_of_a_tensor():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = Twice.apply(x, False, None)
    Twice.seen.clear()
    (Twice.apply(y, True, 'float64') + y).sum().backward()
    assert Twice.seen == [paddle.float32, paddle.float64]
    assert x.grad.dtype == paddle.float64 and x.grad.tolist() == [6.0, 6.0]
    x.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_the_core_of_py_layers_takes_a_tuple_and_a_dict():
    x = paddle.ones([2])
    for args in ((x, x, x, x), (x, x, (), [])):
        with pytest.raises(TypeError, match='a tuple of args'):
            paddle.base.core.py_layer_apply(*args)
