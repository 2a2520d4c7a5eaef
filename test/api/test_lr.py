# SPDX-License-Identifier: Apache-2.0
"""Learning-rate schedulers: sequences recorded from the published 3.3.1 package, and state."""

import json
import os

import pytest

import paddle
from paddle.optimizer import lr

RECORDED = json.load(open(os.path.join(os.path.dirname(__file__), 'data', 'lr_3.3.1.json')))


@pytest.mark.parametrize('name', sorted(RECORDED))
def test_recorded_sequence(name):
    case = RECORDED[name]
    scheduler = getattr(lr, name)(**case['arguments'])
    for step, expected in enumerate(case['values']):
        assert scheduler() == pytest.approx(expected, rel=1e-12, abs=1e-15), f'step {step}'
        scheduler.step()
    assert scheduler.state_dict() == pytest.approx(case['last'], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize('name', sorted(RECORDED))
def test_resume(name):
    arguments = RECORDED[name]['arguments']
    first, second = getattr(lr, name)(**arguments), getattr(lr, name)(**arguments)
    for _ in range(4):
        first.step()
    second.set_state_dict(first.state_dict())
    assert second() == first()


def test_lambda_schedulers():
    a = lr.LambdaDecay(0.5, lambda step: 0.9**step)
    b = lr.MultiplicativeDecay(0.5, lambda step: 0.9)
    for step in range(5):
        assert a() == pytest.approx(0.5 * 0.9**step)
        assert b() == pytest.approx(0.5 * 0.9**step)
        a.step(), b.step()


def test_warmup_over_a_scheduler():
    scheduler = lr.LinearWarmup(lr.StepDecay(0.4, 1, 0.5), 2, 0.0, 0.4)
    seen = []
    for _ in range(5):
        seen.append(scheduler())
        scheduler.step()
    assert seen == pytest.approx([0.0, 0.2, 0.4, 0.2, 0.1])
    assert 'LinearWarmup_LR' in scheduler.state_dict()


def test_reduce_on_plateau():
    scheduler = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, cooldown=1)
    seen = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0):
        scheduler.step(paddle.to_tensor(loss))
        seen.append(scheduler())
    assert seen == [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    'make, error',
    [
        (lambda: lr.StepDecay(-0.1, 2), ValueError),
        (lambda: lr.StepDecay('a', 2), TypeError),
        (lambda: lr.StepDecay(0.1, 0.5), TypeError),
        (lambda: lr.MultiStepDecay(0.1, [3, 1]), ValueError),
        (lambda: lr.ReduceOnPlateau(0.1, factor=2.0), ValueError),
        (lambda: lr.LambdaDecay(0.1, 3), TypeError),
        (lambda: lr.PiecewiseDecay([], []), ValueError),
    ],
)
def test_bad_arguments(make, error):
    with pytest.raises(error):
        make()


def test_missing_state():
    with pytest.raises(RuntimeError, match='last_lr'):
        lr.StepDecay(0.1, 2).set_state_dict({'last_epoch': 3})
