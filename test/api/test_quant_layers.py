# SPDX-License-Identifier: Apache-2.0
"""Training with rounded weights and inputs (`ImperativeQuantAware`), against figures of the
published package.
"""

import os

import numpy as np
import paddle
import pytest
from paddle.nn.quant import quant_layers
from paddle.quantization import ImperativeQuantAware


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.c, self.r = paddle.nn.Conv2D(3, 4, 3), paddle.nn.ReLU()
        self.l, self.t = paddle.nn.Linear(4, 5), paddle.nn.Conv2DTranspose(5, 2, 2)
        for p in self.parameters():
            drawn = np.random.RandomState(p.size % 97).rand(*p.shape) - 0.5
            p.set_value(drawn.astype('float32'))

    def forward(self, x):
        hidden = self.l(self.r(self.c(x)).transpose([0, 2, 3, 1]))
        return self.t(hidden.transpose([0, 3, 1, 2]))


def _input():
    return paddle.to_tensor(np.random.RandomState(0).randn(2, 3, 8, 8).astype('float32'))


@pytest.mark.parametrize(
    'options, want',
    [
        ({}, (0.73895425, 0.88586468, 0.78562105, 0.93752009)),
        (
            {'weight_quantize_type': 'channel_wise_abs_max'},
            (0.73779428, 0.88441008, 0.78474891, 0.93593007),
        ),
        (
            {'weight_bits': 4, 'activation_bits': 4},
            (0.74010342, 0.92563641, 0.77749425, 0.96746719),
        ),
    ],
)
def test_two_steps_give_the_published_numbers(options, want):
    net = Net()
    assert ImperativeQuantAware(**options).quantize(net) is net
    found = []
    for _ in range(2):
        y = net(_input())
        found += [float(y.mean()), float(y.std())]
    np.testing.assert_allclose(found, want, rtol=1e-5)
    y.mean().backward()
    assert all(p.grad is not None for p in net.parameters() if not p.stop_gradient)
    net.eval()
    assert abs(float(net(_input()).mean()) - want[2]) < 1e-5


def test_layers_and_their_states():
    net = ImperativeQuantAware(['Linear']).quantize(Net())
    assert type(net.l._layer) is quant_layers.QuantizedLinear
    assert type(net.c._layer) is paddle.nn.Conv2D
    names = [n for n in net.state_dict() if n.startswith('l.')]
    parts = '_fake_quant_weight._scale _fake_quant_input._scale _fake_quant_input._state'
    assert {f'l._layer.{n}' for n in parts.split()} < set(names)
    assert 'l._ma_output_scale._scale' in names


def test_a_saved_model_gives_what_it_gave(tmp_path):
    net, tool = Net(), ImperativeQuantAware()
    tool.quantize(net)
    net(_input())
    path = os.path.join(tmp_path, 'model')
    tool.save_quantized_model(net, path, [paddle.static.InputSpec([None, 3, 8, 8])])
    assert net.training
    net.eval()
    loaded = paddle.jit.load(path)
    np.testing.assert_allclose(loaded(_input()).numpy(), net(_input()).numpy(), atol=1e-6)


@pytest.mark.parametrize(
    'options',
    [
        {'weight_quantize_type': 'unknown'},
        {'activation_quantize_type': 'abs_max'},
        {'weight_bits': 17},
        {'quantizable_layer_type': ['Unknown']},
        {'fuse_conv_bn': True},
        {'weight_quantize_layer': 3},
    ],
)
def test_what_is_not_served_is_refused(options):
    with pytest.raises(AssertionError, match='ImperativeQuantAware'):
        ImperativeQuantAware(**options)


def test_layers_of_the_user_round_instead():
    class Half(paddle.nn.Layer):
        def forward(self, x):
            return x / 2

    linear = paddle.nn.Linear(2, 2, bias_attr=False)
    net = paddle.nn.Sequential(linear)
    ImperativeQuantAware(weight_quantize_layer=Half, act_quantize_layer=Half).quantize(net)
    x = paddle.to_tensor([[1.0, 2.0]])
    np.testing.assert_allclose(net(x).numpy(), linear(x).numpy() / 4, rtol=1e-6)
