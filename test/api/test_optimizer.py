# SPDX-License-Identifier: Apache-2.0
"""Optimizers: values recorded from the published 3.3.1 package, state, groups, clipping."""

import json
import os

import numpy as np
import pytest

import paddle
from optimizer_cases import CASES, build, parameters, run

RECORDED = json.load(open(os.path.join(os.path.dirname(__file__), 'data', 'optimizer_3.3.1.json')))


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize('case', sorted(CASES))
def test_recorded_values(case, dtype):
    values, _ = run(case, dtype=dtype)
    tolerance = 2e-5 if dtype == 'float32' else 1e-6
    for value, expected in zip(values, RECORDED[dtype][case]):
        assert value.dtype == np.dtype(dtype)
        np.testing.assert_allclose(value.reshape(-1), expected, rtol=tolerance, atol=tolerance)


def test_adamw_formula():
    p = paddle.create_parameter([3], 'float64')
    start = np.array([1.0, -2.0, 3.0])
    p.set_value(start)
    optimizer = paddle.optimizer.AdamW(0.1, 0.8, 0.9, 1e-6, parameters=[p], weight_decay=0.5)
    m = v = np.zeros(3)
    expected = start.copy()
    for t in range(1, 6):
        grad = np.sin(expected) + t
        p.grad = paddle.to_tensor(grad)
        optimizer.step()
        expected = expected * (1 - 0.1 * 0.5)
        m, v = 0.8 * m + 0.2 * grad, 0.9 * v + 0.1 * grad**2
        expected = expected - 0.1 * (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.9**t)) + 1e-6)
        np.testing.assert_allclose(p.numpy(), expected, rtol=1e-6)


def test_state_names_and_shapes():
    _, optimizer = run('adam', steps=1)
    state = optimizer.state_dict()
    assert [k.split('_', 2)[2].rsplit('_', 1)[0] for k in state] == [
        'moment1',
        'moment1',
        'moment2',
        'moment2',
        'beta1_pow_acc',
        'beta1_pow_acc',
        'beta2_pow_acc',
        'beta2_pow_acc',
    ]
    first = next(iter(state.values()))
    assert list(first.shape) == [3, 2] and first.name in state
    assert state[[k for k in state if 'beta1_pow' in k][0]].shape == [1]
    assert list(run('sgd', steps=1)[1].state_dict()) == []


@pytest.mark.parametrize(
    'case', ['momentum', 'adam', 'adamw', 'lamb', 'nadam', 'asgd', 'rmsprop_centered']
)
def test_resume_from_state_dict(case):
    straight, _ = run(case, steps=6)
    params = parameters()
    rng = np.random.RandomState(0)

    def steps(optimizer, count):
        for _ in range(count):
            x = paddle.to_tensor(rng.randn(4, 3).astype('float32'))
            ((paddle.matmul(x, params[0]) + params[1] - 1.0) ** 2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()

    first, _ = build(case, params)
    with paddle.utils.unique_name.guard():
        steps(first, 3)
    saved = {k: v.numpy() if hasattr(v, 'numpy') else v for k, v in first.state_dict().items()}
    second, _ = build(case, params)
    second.set_state_dict(saved)
    with paddle.utils.unique_name.guard():
        steps(second, 3)
    for p, expected in zip(params, straight):
        np.testing.assert_allclose(p.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_scheduler_in_state_dict():
    a = paddle.optimizer.SGD(paddle.optimizer.lr.StepDecay(0.1, 1), parameters=parameters())
    a._learning_rate.step()
    state = a.state_dict()
    assert state['LR_Scheduler']['last_epoch'] == 1
    b = paddle.optimizer.SGD(paddle.optimizer.lr.StepDecay(0.1, 1), parameters=parameters())
    b.set_state_dict(state)
    assert b.get_lr() == a.get_lr() == pytest.approx(0.01)


def test_parameter_groups():
    w, b = parameters()
    before = w.numpy(), b.numpy()
    optimizer = paddle.optimizer.SGD(
        0.1,
        parameters=[{'params': [w], 'learning_rate': 0.5, 'weight_decay': 0.2}, {'params': [b]}],
    )
    for p in (w, b):
        p.grad = paddle.ones(p.shape)
    optimizer.step()
    np.testing.assert_allclose(w.numpy(), before[0] - 0.05 * (1 + 0.2 * before[0]), rtol=1e-5)
    np.testing.assert_allclose(b.numpy(), before[1] - 0.1, rtol=1e-5)
    with pytest.raises(ValueError, match='each parameter in one parameter group'):
        paddle.optimizer.SGD(0.1, parameters=[{'params': [w]}, {'params': [w]}])


def test_parameters_without_gradient_are_left_alone():
    w, b = parameters()
    before = b.numpy()
    optimizer = paddle.optimizer.Adam(0.1, parameters=[w, b])
    w.grad = paddle.ones(w.shape)
    optimizer.step()
    np.testing.assert_array_equal(b.numpy(), before)
    assert not any('fixed.b' in k for k in optimizer.state_dict())
    b.grad = paddle.ones(b.shape)
    optimizer.step()
    assert np.abs(b.numpy() - before).max() > 0.05
    assert any('fixed.b' in k for k in optimizer.state_dict())
    b.stop_gradient = True
    frozen = b.numpy()
    optimizer.step()
    np.testing.assert_array_equal(b.numpy(), frozen)


def test_clear_grad():
    w, b = parameters()
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w, b])
    (w.sum() * 2 + b.sum()).backward()
    optimizer.clear_grad()
    np.testing.assert_array_equal(w.grad.numpy(), np.zeros([3, 2]))
    (w.sum() * 2 + b.sum()).backward()
    np.testing.assert_array_equal(w.grad.numpy(), np.full([3, 2], 2.0))
    optimizer.clear_grad(set_to_zero=False)
    assert w.grad is None


def test_minimize_and_apply_gradients():
    w, _ = parameters()
    before = w.numpy()
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w])
    loss = w.sum()
    loss.backward()
    _, pairs = optimizer.minimize(loss)
    assert pairs[0][0] is w
    np.testing.assert_allclose(w.numpy(), before - 0.1, rtol=1e-5)
    optimizer.apply_gradients([(w, paddle.ones([3, 2]))])
    np.testing.assert_allclose(w.numpy(), before - 0.2, rtol=1e-5)


def test_learning_rate():
    optimizer = paddle.optimizer.SGD(0.1, parameters=parameters())
    optimizer.set_lr(0.5)
    assert optimizer.get_lr() == 0.5
    with pytest.raises(TypeError):
        optimizer.set_lr('fast')
    optimizer.set_lr_scheduler(paddle.optimizer.lr.StepDecay(0.3, 1))
    assert optimizer.get_lr() == 0.3
    with pytest.raises(RuntimeError):
        optimizer.set_lr(0.1)


@pytest.mark.parametrize(
    'make, error',
    [
        (lambda p: paddle.optimizer.Adam(0.1), AttributeError),
        (lambda p: paddle.optimizer.Adam('a', parameters=[p]), TypeError),
        (lambda p: paddle.optimizer.Adam(0.1, parameters=p), TypeError),
        (lambda p: paddle.optimizer.Adam(0.1, beta1=1.0, parameters=[p]), ValueError),
        (lambda p: paddle.optimizer.Adam(0.1, grad_clip=1.0, parameters=[p]), TypeError),
        (lambda p: paddle.optimizer.AdamW(0.1, weight_decay='a', parameters=[p]), TypeError),
        (lambda p: paddle.optimizer.RMSProp(0.1, rho=-1, parameters=[p]), ValueError),
        (lambda p: paddle.optimizer.ASGD(0.1, batch_num=0, parameters=[p]), ValueError),
        (lambda p: paddle.optimizer.Rprop(0.1, etas=(1.5, 0.1), parameters=[p]), ValueError),
        (lambda p: paddle.optimizer.LBFGS(parameters=[p]).step(None), TypeError),
    ],
)
def test_bad_arguments(make, error):
    with pytest.raises(error):
        make(parameters()[0])


@pytest.mark.parametrize('search', [None, 'strong_wolfe'])
def test_lbfgs_finds_the_minimum(search):
    p = paddle.create_parameter([2], 'float64')
    p.set_value(np.array([-1.0, 1.5]))
    optimizer = paddle.optimizer.LBFGS(
        1.0 if search else 0.1, max_iter=50, line_search_fn=search, parameters=[p]
    )

    def closure():
        optimizer.clear_grad()
        loss = (1 - p[0]) ** 2 + (10 if search else 1) * (p[1] - p[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(4):
        optimizer.step(closure)
    np.testing.assert_allclose(p.numpy(), [1.0, 1.0], atol=1e-2)


def test_gradients_show_the_scale_of_their_global_norm():
    p = paddle.create_parameter([2], 'float32')
    p.set_value(np.array([1.5, 2.0], 'float32'))
    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    optimizer = paddle.optimizer.SGD(1.0, parameters=[p], grad_clip=clip)
    (p * p).sum().backward()  # a gradient of norm 5
    held = p.grad
    optimizer.step()
    np.testing.assert_allclose(p.grad.numpy(), [0.3, 0.4], rtol=1e-6)
    np.testing.assert_allclose(held.numpy(), [0.3, 0.4], rtol=1e-6)
    np.testing.assert_allclose(p.numpy(), [1.2, 1.6], rtol=1e-6)
