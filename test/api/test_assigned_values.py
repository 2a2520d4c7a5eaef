# SPDX-License-Identifier: Apache-2.0
"""Values given to a tensor between a forward and its backward pass: set_value, copy_, optimizers
and get_tensor().set go on with the new ones and warn; operations in place are refused.
"""

import warnings

import numpy as np
import pytest

import paddle

OLD, NEW, OTHER = [2.0, 3.0], [10.0, 20.0], [5.0, 7.0]


def _array():
    return np.array(NEW, 'float32')


ASSIGNMENTS = {
    'set_value': lambda t: t.set_value(_array()),
    'set_value of a tensor': lambda t: t.set_value(paddle.to_tensor(NEW)),
    'copy_': lambda t: t.copy_(paddle.to_tensor(NEW), True),
    'get_tensor': lambda t: t.get_tensor().set(_array(), paddle.CPUPlace()),
    'of a detached one': lambda t: t.detach().set_value(_array()),
}


@pytest.fixture
def two():
    return [paddle.to_tensor(v, stop_gradient=False) for v in (OLD, OTHER)]


@pytest.mark.parametrize('name', ASSIGNMENTS)
@pytest.mark.parametrize('leaf', [True, False])
def test_gradients_read_assigned_values(name, leaf, two):
    a, b = two
    x = a if leaf else a * 1
    loss = (x * b).sum()
    ASSIGNMENTS[name](x)
    assert x.inplace_version == 0
    with pytest.warns(UserWarning, match='multiply.*after the forward pass'):
        loss.backward()
    assert (a.grad.tolist(), b.grad.tolist()) == (OTHER, NEW)


def test_results_and_views_are_assigned_too():
    a = paddle.to_tensor(OLD, stop_gradient=False)
    y = paddle.exp(a)
    loss = y.sum()
    y.reshape([1, 2]).set_value(_array().reshape(1, 2))
    with pytest.warns(UserWarning, match='exp'):
        loss.backward()
    assert a.grad.tolist() == NEW


@pytest.mark.parametrize('optimizer', ['SGD', 'Momentum', 'Adam', 'AdamW', 'Lamb', 'RMSProp'])
def test_steps_of_optimizers_are_assignments(optimizer):
    p, q = (
        paddle.create_parameter([2], 'float32', default_initializer=paddle.nn.initializer.Assign(v))
        for v in (OLD, OTHER)
    )
    step = getattr(paddle.optimizer, optimizer)(learning_rate=1.0, parameters=[p])
    first, second = (p * q).sum(), (p * q).sum()
    first.backward()
    step.step()
    q.clear_grad()
    with pytest.warns(UserWarning, match='multiply'):
        second.backward()
    assert p.inplace_version == 0 and p.tolist() != OLD
    np.testing.assert_array_equal(q.grad.numpy(), p.numpy())


def test_no_warning_without_an_assignment(two):
    a, b = two
    a.set_value(_array())
    loss = (a * b).sum()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        loss.backward()
    assert b.grad.tolist() == NEW


@pytest.mark.parametrize('order', ['before', 'after'])
def test_operations_in_place_are_refused_beside_assignments(order, two):
    a, b = two
    x = a * 1
    loss = (x * b).sum()
    if order == 'before':
        x.add_(b)
    x.set_value(_array())
    if order == 'after':
        x.add_(b)
    with pytest.raises(RuntimeError, match='modified by an in-place operation'):
        loss.backward()


def test_other_memory_is_not_read_for_the_values_of_before(two):
    a, b = two
    loss = (a * b).sum()
    a.data = paddle.to_tensor(NEW)
    with pytest.raises(RuntimeError, match='modified'):
        loss.backward()


def test_memory_of_a_tensor_is_read_and_written():
    x = paddle.to_tensor(OLD)
    memory = x.get_tensor()
    assert np.array(memory).tolist() == OLD and memory.shape() == [2] and memory._is_initialized()
    memory.set(_array(), paddle.CPUPlace())
    assert x.tolist() == NEW
    memory._share_data_with(paddle.to_tensor(OTHER).get_tensor())
    assert x.tolist() == OTHER
