# SPDX-License-Identifier: Apache-2.0
"""Gradients that add up in float32 beside half precision parameters."""

import numpy as np
import pytest

import paddle
from paddle.distributed.fleet.utils.mix_precision_utils import (
    MixPrecisionLayer,
    MixPrecisionOptimizer,
    MixPrecisionScaler,
)


class Scaled(paddle.nn.Layer):
    def __init__(self, dtype):
        super().__init__()
        two = paddle.nn.initializer.Constant(2.0)
        self.w = self.create_parameter([3], dtype=dtype, default_initializer=two)

    def forward(self, x):
        return x * self.w


@pytest.mark.parametrize('dtype', ['float32', 'bfloat16'])
def test_steps(dtype):
    net = Scaled(dtype)
    layer = MixPrecisionLayer(net, 'bfloat16')
    plain = paddle.optimizer.AdamW(0.1, parameters=layer.parameters(), multi_precision=True)
    optimizer = MixPrecisionOptimizer(plain)
    x = paddle.to_tensor([1.0, 2.0, 3.0]).astype(dtype)
    for _ in range(2):
        for factor in (1, 2):
            (layer(x) * factor).sum().backward()
        assert net.w.grad is None and net.w.main_grad.dtype == paddle.float32
        assert net.w.main_grad.tolist() == [3, 6, 9]
        assert net.w.main_grad.name == f'main_grad@{net.w.name}'
        optimizer.step()
        optimizer.clear_grad(False)
        assert net.w.main_grad is None and net.w.grad is None
    want = 1.79610229
    np.testing.assert_allclose(net.w.astype('float32').numpy(), [want] * 3, rtol=1e-2)
    if dtype == 'float32':
        np.testing.assert_allclose(net.w.numpy(), [want] * 3, rtol=1e-6)
    assert list(layer.state_dict()) == ['w'] and optimizer.get_lr() == 0.1
    layer(x).sum().backward()
    optimizer.clear_grad()
    assert net.w.main_grad.tolist() == [0, 0, 0]


def test_scaled_losses():
    net = Scaled('float32')
    layer = MixPrecisionLayer(net)
    optimizer = MixPrecisionOptimizer(paddle.optimizer.SGD(0.5, parameters=layer.parameters()))
    scaler = MixPrecisionScaler(paddle.amp.GradScaler(init_loss_scaling=8.0))
    scaler.scale(layer(paddle.to_tensor([1.0, 2.0, 4.0])).sum()).backward()
    assert net.w.main_grad.tolist() == [8, 16, 32]
    scaler.step(optimizer)
    scaler.update()
    assert net.w.main_grad.tolist() == [1, 2, 4] and net.w.tolist() == [1.5, 1, 0]
    with pytest.raises(AssertionError, match='float16'):
        MixPrecisionLayer(Scaled('float32'), 'float32')
