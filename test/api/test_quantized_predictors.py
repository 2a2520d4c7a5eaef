# SPDX-License-Identifier: Apache-2.0
"""Quantised models that are exported give the predictor the numbers that they give eagerly."""

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.inference import Config, create_predictor
from paddle.nn.quant import llm_int8_linear, weight_only_linear, weight_quantize
from paddle.quantization import PTQ, QAT, QuantConfig
from paddle.quantization.observers import AbsmaxObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2D(3, 8, 3, padding=1), nn.BatchNorm2D(8)
        self.second, self.last = nn.Conv2D(8, 16, 3, stride=2), nn.Linear(16 * 3 * 3, 10)

    def forward(self, x):
        x = nn.functional.max_pool2d(nn.functional.relu(self.norm(self.first(x))), 2)
        x = nn.functional.relu(self.second(x))
        return self.last(paddle.flatten(x, 1))


def images(count, seed):
    return np.random.RandomState(seed).randn(count, 3, 16, 16).astype('float32')


def trained():
    """A model that was trained with rounded weights and activations, and what it was."""
    rounded = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    method = QAT(QuantConfig(activation=rounded, weight=rounded))
    net = method.quantize(Net())
    net.train()
    adam = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
    for k in range(3):
        label = paddle.arange(8) % 10
        nn.functional.cross_entropy(net(paddle.to_tensor(images(8, k))), label).backward()
        adam.step()
        adam.clear_grad()
    net.eval()
    return method.convert(net), net


def observed():
    """A model whose ranges were observed after training, and what it was."""
    net = Net()
    net.eval()
    seen = AbsmaxObserver(quant_bits=8)
    method = PTQ(QuantConfig(activation=seen, weight=seen))
    watched = method.quantize(net)
    for k in range(3):
        watched(paddle.to_tensor(images(8, k)))
    return method.convert(watched), net


class WeightOnly(nn.Layer):
    """A layer whose weights are whole numbers."""

    def __init__(self, algo, group):
        super().__init__()
        self.whole = paddle.randn([128, 64])
        weight, scale = weight_quantize(self.whole, algo=algo, group_size=group)
        self.register_buffer('weight', weight)
        self.register_buffer('scale', scale)
        self.dtype, self.group = 'int4' if '4' in algo else 'int8', group
        self.llm = algo.startswith('llm')

    def forward(self, x):
        if self.llm:
            return llm_int8_linear(x, self.weight, weight_scale=self.scale)
        return weight_only_linear(
            x, self.weight, weight_scale=self.scale, weight_dtype=self.dtype, group_size=self.group
        )


def predicted(net, x, prefix, **settings):
    shape = [None, *x.shape[1:]]
    paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec(shape, 'float32')])
    config = Config(prefix + '.json', prefix + '.pdiparams')
    for name, value in settings.items():
        getattr(config, name)(value)
    return create_predictor(config).run([paddle.to_tensor(x)])[0].numpy()


@pytest.mark.filterwarnings('error::UserWarning')
@pytest.mark.parametrize('make', [trained, observed])
@pytest.mark.parametrize('settings', [{}, {'switch_ir_optim': False}])
def test_quantised_networks(make, settings, tmp_path):
    paddle.seed(1)
    net, before = make()
    net.eval()
    x = images(4, 9)
    want = net(paddle.to_tensor(x)).numpy()
    np.testing.assert_array_equal(predicted(net, x, str(tmp_path / 'net'), **settings), want)
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    loaded.eval()
    np.testing.assert_array_equal(loaded(paddle.to_tensor(x)).numpy(), want)
    whole = before(paddle.to_tensor(x)).numpy()
    assert np.abs(want - whole).max() < 0.05 * np.abs(whole).max()
    assert make is trained or not np.array_equal(want, whole)


@pytest.mark.parametrize(
    ('algo', 'group', 'near'),
    [
        ('weight_only_int8', -1, 0.02),
        ('weight_only_int8', 64, 0.02),
        ('weight_only_int4', -1, 0.3),
        ('weight_only_int4', 64, 0.3),
        ('llm.int8', -1, 0.04),
    ],
)
def test_layers_of_whole_weights(algo, group, near, tmp_path):
    paddle.seed(3)
    net = WeightOnly(algo, group)
    x = np.random.RandomState(0).randn(5, 128).astype('float32')
    want = net(paddle.to_tensor(x)).numpy()
    np.testing.assert_array_equal(predicted(net, x, str(tmp_path / 'net')), want)
    exact = x @ net.whole.numpy()
    assert np.abs(want - exact).max() < near * np.abs(exact).max()
    kept = (tmp_path / 'net.pdiparams').stat().st_size
    assert kept < 128 * 64 * (0.6 if '4' in algo else 1.1) + 1024
