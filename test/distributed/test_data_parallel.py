# SPDX-License-Identifier: Apache-2.0
"""DataParallel and SyncBatchNorm on two ranks against one process with the joined batch."""

import pytest
import ranks

import paddle
from paddle import nn


@pytest.mark.parametrize('what', ['alike', 'accumulating', 'unused', 'normalising'])
def test_two_ranks(what):
    ranks.run(2, 'work_training', what)


def test_one_process():
    with pytest.warns(UserWarning, match='only process'):
        model = paddle.DataParallel(nn.Linear(2, 3))
    model(paddle.ones([1, 2])).sum().backward()
    with model.no_sync():
        model(paddle.ones([1, 2])).sum().backward()
    assert model._layers.bias.grad.tolist() == [2, 2, 2]
    assert list(model.state_dict()) == ['weight', 'bias']
    assert model.scale_loss(3) == 3
    model.set_state_dict(nn.Linear(2, 3).state_dict())


def test_after_backward():
    from paddle.base import core

    seen = []
    x = paddle.ones([2])
    x.stop_gradient = False
    y = x * 2
    y.register_hook(lambda g: core.after_backward(lambda: seen.append(x.grad.tolist())))
    y.sum().backward()
    assert seen == [[2, 2]]
    with pytest.raises(RuntimeError, match='under way'):
        core.after_backward(print)

    def fails():
        raise KeyError('mine')

    y = x * 2
    y.register_hook(lambda g: core.after_backward(fails))
    with pytest.raises(KeyError):
        y.sum().backward()
    (x * 2).sum().backward()
    assert seen == [[2, 2]]
