# SPDX-License-Identifier: Apache-2.0
"""stop_gradient of gradients: False where backward made them, so that they may be differentiated
and are written in place under no_grad() only; True for what paddle.grad gives; as in PaddlePaddle.
"""

import gc
import weakref

import numpy as np
import pytest

import paddle


def leaf(values=(1.0, 2.0)):
    return paddle.to_tensor(list(values), stop_gradient=False)


def with_gradient():
    x = leaf()
    (x * x).sum().backward()
    return x


def flags(tensor):
    return tensor.stop_gradient, tensor.is_leaf


def test_gradients_of_backward():
    x = with_gradient()
    assert flags(x.grad) == (False, True)
    (x * x).sum().backward()
    assert flags(x.grad) == (False, True) and x.grad.tolist() == [4, 8]
    x.clear_gradient(True)
    assert flags(x.grad) == (False, True) and x.grad.tolist() == [0, 0]
    y = x * 2
    y.retain_grads()
    y.sum().backward()
    assert flags(y.grad) == (False, True)
    table = paddle.nn.Embedding(4, 2, sparse=True)
    table(paddle.to_tensor([1, 2])).sum().backward()
    assert not table.weight.grad.stop_gradient


def test_what_grad_gives():
    x = leaf()
    assert flags(paddle.grad((x * x).sum(), x)[0]) == (True, True)
    assert flags(paddle.grad((x * x).sum(), x, create_graph=True)[0]) == (False, False)
    constant = paddle.grad((x * 3).sum(), x, create_graph=True)[0]
    assert not constant.stop_gradient
    assert paddle.grad(constant, x, allow_unused=True) == [None]
    with pytest.raises(ValueError, match='unreachable'):
        paddle.grad(paddle.grad((x * 3).sum(), x, create_graph=True)[0], x)
    seed = paddle.ones([2])
    paddle.grad(x, x, seed, create_graph=True)
    assert seed.stop_gradient


def test_a_gradient_is_differentiated():
    x = with_gradient()
    (x.grad**2).sum().backward()
    assert x.grad.grad.tolist() == [4, 8] and x.grad.tolist() == [2, 4]


def test_writes_need_no_grad():
    x = with_gradient()
    for write in (lambda g: g.scale_(2.0), lambda g: g.zero_(), lambda g: g.__setitem__(0, 1.0)):
        with pytest.raises(ValueError, match='no_grad'):
            write(x.grad)
    with paddle.no_grad():
        x.grad.scale_(2.0)
    assert x.grad.tolist() == [4, 8] and not x.grad.stop_gradient
    x.grad *= 0.5
    assert flags(x.grad) == (False, True) and x.grad.tolist() == [2, 4]
    x.grad.set_value(np.ones(2, 'float32'))
    assert x.grad.tolist() == [1, 1]


def test_an_assigned_gradient_has_the_flag_of_its_place_and_no_history():
    x = leaf()
    given = paddle.ones([2]) * x
    x.grad = given
    assert flags(x.grad) == (True, True) and not given.stop_gradient
    x = with_gradient()
    x.grad = paddle.ones([2])
    assert flags(x.grad) == (False, True)
    x.grad = x.grad * x
    assert flags(x.grad) == (False, True) and x.grad.tolist() == [1, 2]
    x.grad.stop_gradient = True
    (x * x).sum().backward()
    assert x.grad.stop_gradient


def test_steps_leave_no_graph():
    layer = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(
        0.1, parameters=layer.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)
    )
    seen = []
    for _ in range(3):
        x = paddle.ones([1, 2])
        seen.append(weakref.ref(x))
        layer(x).sum().backward()
        for p in layer.parameters():
            p.grad = p.grad * 0.5
            assert flags(p.grad) == (False, True)
        optimizer.step()
        assert all(p.is_leaf and not p.stop_gradient for p in layer.parameters())
        optimizer.clear_grad(False)
    del x
    gc.collect()
    assert [r() for r in seen] == [None] * 3


def test_a_compiled_step_leaves_the_same_flags():
    layer = paddle.nn.Linear(2, 2)

    @paddle.jit.to_static(full_graph=False)
    def step(x):
        loss = layer(x).sum()
        loss.backward()
        return loss

    for _ in range(4):
        step(paddle.ones([1, 2]))
        assert flags(layer.weight.grad) == (False, True)
    assert layer.weight.grad.numpy().ravel().tolist() == [4] * 4
