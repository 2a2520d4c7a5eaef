# SPDX-License-Identifier: Apache-2.0
"""Tensors that a recorded function makes of data, and leaves it makes: each call makes them anew,
as in eager mode.
"""

import copy

import numpy as np
import pytest

import paddle

MODES = pytest.mark.parametrize('mode', [None, False, True], ids=['eager', 'tape', 'full'])


def compiled(function, mode):
    return function if mode is None else paddle.jit.to_static(function, full_graph=mode)


@MODES
@pytest.mark.parametrize(
    'make',
    [
        lambda: paddle.to_tensor([1.0, 2.0]),
        lambda: paddle.to_tensor(np.array([1.0, 2.0], 'float32')),
        lambda: paddle.assign(np.array([1.0, 2.0], 'float32')),
        lambda: paddle.assign([1.0, 2.0]),
        lambda: paddle.Tensor(np.array([1.0, 2.0], 'float32')),
        lambda: paddle.to_tensor([1.0, 2.0]).reshape([2]),
        lambda: paddle.to_tensor([0.0, 1.0, 2.0])[1:],
        lambda: paddle.ones([2]) * paddle.to_tensor([1.0, 2.0]),
    ],
)
def test_a_result_is_not_what_the_last_caller_wrote(make, mode):
    def function(x):
        y = make()
        return {'made': y, 'sum': x + y}

    function = compiled(function, mode)
    for _ in range(3):
        result = function(paddle.zeros([2]))
        assert result['made'].tolist() == [1.0, 2.0] and result['sum'].tolist() == [1.0, 2.0]
        result['made'].add_(paddle.ones([2]))


@MODES
def test_writes_in_the_function_start_anew(mode):
    def function(x):
        y = paddle.to_tensor([1.0, 2.0])
        y.add_(x)
        y[0] = 9.0
        return y, y * 1

    function = compiled(function, mode)
    for _ in range(3):
        y, z = function(paddle.ones([2]))
        assert y.tolist() == z.tolist() == [9.0, 3.0]
        y.add_(paddle.ones([2]))


@MODES
def test_an_attribute_that_is_made_anew(mode):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.seen = None

        def forward(self, x):
            self.seen = paddle.to_tensor([1.0, 2.0])
            return x + self.seen

    net = Net()
    forward = compiled(net.forward, mode)
    for _ in range(4):
        assert forward(paddle.zeros([2])).tolist() == [1.0, 2.0]
        assert net.seen.tolist() == [1.0, 2.0]
        net.seen.add_(paddle.ones([2]))


@MODES
def test_to_tensor_of_a_tensor_reads_it_in_each_call(mode):
    w = paddle.ones([2])

    def function(x):
        w.add_(x)
        return (
            paddle.to_tensor(w),
            paddle.to_tensor(w, dtype='float64'),
            paddle.to_tensor([w, x]),
            paddle.to_tensor([x.sum(), 1.0]),
        )

    function = compiled(function, mode)
    for k in range(4):
        one, wide, both, mixed = function(paddle.ones([2]))
        assert one.tolist() == wide.tolist() == [k + 2.0] * 2 and wide.dtype == paddle.float64
        assert both.tolist() == [[k + 2.0] * 2, [1.0] * 2] and mixed.tolist() == [2.0, 1.0]
        assert one.stop_gradient and mixed.stop_gradient
        one.add_(paddle.ones([2]))


@MODES
def test_to_tensor_takes_no_history(mode):
    def function(x):
        return (
            paddle.to_tensor(x * 2),
            paddle.to_tensor(x * 2, stop_gradient=False),
            paddle.to_tensor([x.sum(), 1.0]),
        )

    function = compiled(function, mode)
    for _ in range(3):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        stopped, leaf, mixed = function(x)
        assert (
            stopped.stop_gradient
            and mixed.stop_gradient
            and not leaf.stop_gradient
            and leaf.is_leaf
        )
        (leaf * leaf).sum().backward()
        assert x.grad is None and leaf.grad.tolist() == [4.0, 8.0]


def detached(x):
    y = x.detach()
    y.stop_gradient = False
    return y


def ones(x):
    y = paddle.ones([2])
    y.stop_gradient = False
    return y


LEAVES = {
    'detach': detached,
    'copy': copy.copy,
    'copy of a result': lambda x: copy.copy(x * 1),
    'ones': ones,
    'to_tensor': lambda x: paddle.to_tensor([1.0, 1.0], stop_gradient=False),
}


@MODES
@pytest.mark.parametrize('leaf', LEAVES.values(), ids=LEAVES)
def test_leaves_of_the_function_have_gradients(leaf, mode):
    def function(x):
        y = leaf(x)
        return y * 3 + x, y, y * y

    function = compiled(function, mode)
    for _ in range(3):
        x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
        out, y, square = function(x)
        assert not out.stop_gradient and not y.stop_gradient and not square.stop_gradient
        assert y.is_leaf and not out.is_leaf and not square.is_leaf
        (out + square).sum().backward()
        assert x.grad.tolist() == [1.0, 1.0] and y.grad.tolist() == [5.0, 5.0]


@MODES
@pytest.mark.parametrize('leaf', LEAVES.values(), ids=LEAVES)
def test_results_of_hidden_leaves_need_gradients(leaf, mode):
    function = compiled(lambda x: leaf(x) * 3, mode)
    for _ in range(3):
        x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
        out = function(x)
        assert not out.stop_gradient and not out.is_leaf
        out.sum().backward()
        assert x.grad is None


@MODES
def test_gradients_of_leaves_differentiate_again(mode):
    def function(x):
        y = detached(x)
        return (y**3 * x).sum(), y

    function = compiled(function, mode)
    for _ in range(3):
        x = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
        out, y = function(x)
        (derivative,) = paddle.grad([out], [y], create_graph=True)
        derivative.sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), 3 * x.numpy() ** 2)


def test_a_copy_has_memory_of_its_own():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = copy.copy(x)
    assert y.is_leaf and not y.stop_gradient
    with paddle.no_grad():
        y.add_(y)
    assert x.tolist() == [1.0, 2.0] and y.tolist() == [2.0, 4.0]


@MODES
def test_the_residual_of_huber_loss_has_a_gradient(mode):
    huber_loss = paddle.base.libpaddle._functions('paddle._C_ops.whole')['huber_loss']
    function = compiled(lambda x, y: huber_loss(x, y, 1.0), mode)
    for root in (0, 1):
        for _ in range(3):
            x = paddle.to_tensor([0.5, 3.0], stop_gradient=False)
            y = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
            function(x, y)[root].sum().backward()
            # the residual is y - x
            want = [1.0, 1.0] if root else [0.5, -1.0]
            assert y.grad.tolist() == want and x.grad.tolist() == [-w for w in want]


@MODES
def test_the_softmax_of_a_cross_entropy_has_no_gradient_as_in_paddlepaddle(mode):
    def function(x, label):
        return paddle.nn.functional.softmax_with_cross_entropy(x, label, return_softmax=True)

    function = compiled(function, mode)
    label = paddle.to_tensor([[1]])
    for _ in range(3):
        x = paddle.to_tensor([[0.5, 1.0, 2.0]], stop_gradient=False)
        loss, softmax = function(x, label)
        (loss.sum() + softmax[0, 2]).backward()
        p = softmax.numpy()[0]
        want = p - [0, 1, 0]
        np.testing.assert_allclose(x.grad.numpy()[0], want, rtol=1e-5, atol=1e-6)


# These change the data and leave the history as it is.
DATA_ONLY = [lambda x: x.copy_(paddle.ones([2])), lambda x: x.set_value(paddle.ones([2]))]


@MODES
@pytest.mark.parametrize(
    'write',
    [
        lambda x: x.uniform_(),
        lambda x: x.exponential_(1.0),
        lambda x: x.floor_divide_(paddle.to_tensor(2.0)),
        lambda x: x.fill_(3.0),
        *DATA_ONLY,
    ],
    ids=['uniform_', 'exponential_', 'floor_divide_', 'fill_', 'copy_', 'set_value'],
)
def test_what_is_overwritten_has_no_gradient(write, mode):
    def plain(x):
        write(x)
        return x * 2

    function = compiled(plain, mode)
    for own in (False, True):
        for _ in range(3):
            x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
            y = x * 1
            want = plain(x * 1).stop_gradient
            out = function(y)
            assert out.stop_gradient == want
            (y if own else out).sum().backward()
            kept = 0.0 if write not in DATA_ONLY else 1.0 if own else 2.0
            assert (x.grad is None and not kept) or x.grad.tolist() == [kept, kept]


@pytest.mark.parametrize('mode', [False, True])
def test_leaves_are_not_written(mode):
    w = paddle.create_parameter([2], 'float32')

    def function(x):
        w.add_(x)
        return w * x

    with pytest.raises(ValueError, match='leaf'):
        paddle.jit.to_static(function, full_graph=mode)(paddle.ones([2]))


def test_exponential_gives_its_argument_back():
    seen = []

    def function(x):
        y = x * 1
        seen.append(y.exponential_(1.0) is y)
        return y

    paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))
    assert seen == [True]


@pytest.mark.parametrize(
    'change',
    [
        lambda y, s: y.set_(),
        lambda y, s: y.set_(s),
        lambda y, s: y.set_(s, shape=[2, 3], stride=[1, 2]),
        lambda y, s: y.set_(s, [3]),
        lambda y, s: y.set_(s, stride=[1]),
        lambda y, s: y.set_(s, [3], offset=8),
    ],
)
def test_set_takes_memory_and_is_not_recorded(change):
    def function(x, s):
        y = x * 1
        change(y, s)
        return y

    x, s = paddle.arange(6.0).reshape([2, 3]), paddle.arange(12.0)
    want = function(x, s)
    taped = paddle.jit.to_static(function, full_graph=False)
    for _ in range(2):
        got = taped(x, s)
        assert got.shape == want.shape and got.tolist() == want.tolist()
    with pytest.warns(UserWarning, match='set_ raised TypeError'):
        got = paddle.jit.to_static(function, full_graph=True)(x, s)
    assert got.shape == want.shape and got.tolist() == want.tolist()


def test_set_refuses_what_it_cannot_do():
    x, s = paddle.ones([4]), paddle.arange(10.0)
    for arguments in ({'shape': [2, 2]}, {'stride': [1]}, {'offset': 4}):
        with pytest.raises(ValueError, match='source'):
            x.set_(**arguments)
    with pytest.raises(ValueError, match='source'):
        x.set_(5)
    with pytest.raises(ValueError, match='whole elements'):
        x.set_(s, offset=6)
    with pytest.raises(IndexError):
        x.set_(s, stride=[2])
    assert x.set_(s, [4], [2], 8).tolist() == [2.0, 4.0, 6.0, 8.0]
    leaf = paddle.ones([4])
    leaf.stop_gradient = False
    with pytest.raises(ValueError, match='leaf'):
        leaf.set_(s)
