# SPDX-License-Identifier: Apache-2.0
"""Gradients of recorded branches and loops: from values the forward run kept, which is not run
again.
"""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.static import InputSpec


def leaf(array):
    return paddle.to_tensor(np.asarray(array, 'float32'), stop_gradient=False)


def branch(x, w):
    if x.sum() > 0:
        y = (x * w).exp()
        z = y * x
    else:
        y = x.sin() * w
        z = y - w
    return y * z


def loop(x, w):
    k = paddle.zeros([], 'int64')
    while k < 3:
        x = (x * w).tanh() + x
        k = k + 1
    return x


def nested(x, w):
    k = paddle.zeros([], 'int64')
    total = x * 0
    while total.sum() < 4:
        if k % 2 == 0:
            total = total + (x * w).exp()
        else:
            j = paddle.zeros([], 'int64')
            while j < k:
                total = total + (x * w).sin() ** 2
                j = j + 1
        k = k + 1
    return total * x


@pytest.mark.parametrize('function', [branch, loop, nested])
@pytest.mark.parametrize('sign', [1, -1])
def test_equal_eager(function, sign):
    recorded = paddle.jit.to_static(function, full_graph=True)
    for _ in range(2):
        grads = []
        for f in (function, recorded):
            x, w = leaf(np.linspace(0.2, 1, 6).reshape(2, 3) * sign), leaf(np.linspace(0.4, 0.9, 3))
            out = f(x, w)
            grads.append([out.numpy(), *(g.numpy() for g in paddle.grad([out.sum()], [x, w]))])
        for want, got in zip(*grads):
            np.testing.assert_allclose(got, want, 1e-5)


def test_the_forward_part_is_not_run_again():
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        if x.sum() > 0:
            y = x.erfinv()
        else:
            y = x.tan()
        return y * y

    x = leaf([0.1, 0.2])
    function(x)
    text = str(function.program_cache.last().recording.traced.backward_program)
    assert 'pd_op.if' in text and 'erfinv_grad' in text
    assert (
        '"pd_op.erfinv"' not in text and '"pd_op.tan"' not in text and 'cf.stack_create' not in text
    )


def test_random_operations():
    @paddle.jit.to_static(full_graph=True)
    def function(x, often):
        if x.sum() > 0:
            x = nn.functional.dropout(x, 0.5)
        k = paddle.zeros([], 'int64')
        while k < often:
            x = nn.functional.dropout(x, 0.3)
            k = k + 1
        return x

    x = leaf(np.linspace(1, 2, 200))
    for often in (0, 3):
        out = function(x, paddle.to_tensor(often))
        (gradient,) = paddle.grad([out.sum()], [x])
        assert 0 < int((out != 0).sum()) < 200
        np.testing.assert_allclose(gradient.numpy(), out.numpy() / x.numpy(), 1e-5)


def test_backward_twice_and_after_a_write():
    recorded = paddle.jit.to_static(loop, full_graph=True)
    x, w = leaf([0.5, 0.7]), leaf([0.3, 0.2])
    out = recorded(x, w).sum()
    out.backward(retain_graph=True)
    first = x.grad.numpy()
    out.backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * first, 1e-6)
    y = x * 1.0
    out = recorded(y, w).sum()
    y.add_(paddle.ones([2]))
    with pytest.raises(RuntimeError, match='in-place'):
        out.backward()


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x, often):
        if x.sum() > 0:
            x = self.first(x)
        else:
            x = self.second(x) - x
        k = paddle.zeros([], 'int64')
        while k < often:
            x = self.first(x).tanh() + x
            k = k + 1
        return x


def test_a_loaded_program_with_control_flow_trains(tmp_path):
    paddle.seed(1)
    net = Net()
    paddle.jit.save(net, str(tmp_path / 'net'), [InputSpec([None, 3]), InputSpec([], 'int64')])
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    loaded.train()
    optimizers = [paddle.optimizer.SGD(0.05, parameters=n.parameters()) for n in (net, loaded)]
    rng = np.random.default_rng(0)
    for step in range(6):
        x = paddle.to_tensor(rng.standard_normal((2 + step % 2, 3)).astype('float32'))
        often = paddle.to_tensor(step % 3)
        losses = []
        for n, o in zip((net, loaded), optimizers):
            loss = (n(x, often) ** 2).mean()
            loss.backward()
            losses.append(float(loss))
            o.step()
            o.clear_grad()
        assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    theirs = {p.name: p.numpy() for p in loaded.parameters()}
    for p in net.parameters():
        np.testing.assert_allclose(theirs[p.name], p.numpy(), 1e-4, 1e-6)
