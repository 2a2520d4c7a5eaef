# SPDX-License-Identifier: Apache-2.0
"""paddle.quantization and paddle.nn.quant. Numbers are those of PaddlePaddle 3.3.1."""

import sys

import numpy as np
import pytest

import paddle
from paddle import nn, quantization
from paddle.nn.quant import Stub, format, functional_layers
from paddle.nn.quant.qat import QuantedLinear
from paddle.nn.quant.stub import QuanterStub
from paddle.quantization import PTQ, QAT, BaseObserver, BaseQuanter, QuantConfig, quanter
from paddle.quantization.observers import AbsmaxObserver, GroupWiseWeightObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
from paddle.quantization.wrapper import ObserveWrapper
from paddle.static import InputSpec


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(1, 2, 3, padding=1)
        self.relu = nn.ReLU()
        self.fc = nn.Linear(32, 3)
        self.sub = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))

    def forward(self, x):
        return self.sub(self.fc(paddle.flatten(self.relu(self.conv(x)), 1)))


def net():
    """A model with set weights, and its input."""
    model, rng = Net(), np.random.RandomState(0)
    for parameter in model.parameters():
        parameter.set_value(rng.randn(*parameter.shape).astype("float32") * 0.3)
    return model, paddle.to_tensor(rng.randn(2, 1, 4, 4).astype("float32"))


def kinds(layer):
    return {name: type(one).__name__ for name, one in layer.named_sublayers()}


def test_a_moving_average_of_the_largest_magnitude():
    made = FakeQuanterWithAbsMaxObserver(moving_rate=0.9, bit_length=4)
    assert str(made) == (
        "FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.9,bit_length=4,dtype=float32)"
    )
    layer = made._instance(nn.Linear(4, 4))
    x = paddle.to_tensor(np.linspace(-1, 1.3, 12).astype("float32").reshape(3, 4))
    x.stop_gradient = False
    for factor, scale, first in ((1, 1.1578946, -0.9924811), (2, 1.6900369, -1.6900369)):
        out = layer(x * factor)
        np.testing.assert_allclose(layer.scales().numpy(), [scale], rtol=1e-6)
        np.testing.assert_allclose(out.numpy()[0, 0], first, rtol=1e-6)
    np.testing.assert_allclose(layer._state.numpy(), [2.71], rtol=1e-6)
    np.testing.assert_allclose(layer._accum.numpy(), [4.58], rtol=1e-6)
    weights = paddle.arange(12, dtype="float32").reshape([3, 4])
    (out * weights).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * weights.numpy())
    layer.eval()
    layer(x * 9)
    np.testing.assert_allclose(layer.scales().numpy(), [1.6900369], rtol=1e-6)
    assert (layer.zero_points(), layer.quant_axis(), layer.bit_length()) == (None, -1, 4)
    assert list(layer.state_dict()) == ["_scale", "_state", "_accum"]


def test_rounding():
    layer = FakeQuanterWithAbsMaxObserver(bit_length=4)._instance(None)
    layer.eval()
    layer._scale.set_value(np.array([7.0], "float32"))
    x = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 3.4999998, 8.0, -9.0, np.nan]
    want = [1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.0, 3.0, 7.0, -7.0, np.nan]
    np.testing.assert_array_equal(layer(paddle.to_tensor(x)).numpy(), want)
    np.testing.assert_array_equal(layer(paddle.to_tensor(x, "float64")).numpy(), want)
    make = format.LinearQuanter(paddle.to_tensor([7.0]), None, -1, 4)
    back = format.LinearDequanter(paddle.to_tensor([7.0]), None, -1, 4)
    want = [0.0, 2.0, 2.0, 0.0, -2.0, -2.0, 0.0, 3.0, 7.0, -8.0, np.nan]
    np.testing.assert_array_equal(make(paddle.to_tensor(x)).numpy(), want)
    np.testing.assert_array_equal(back(make(paddle.to_tensor(x))).numpy(), want)
    half = paddle.to_tensor([0.3, 600.0], "float16")
    layer._scale.set_value(np.array([700.0], "float32"))
    half.stop_gradient = False
    out = layer(half)
    assert out.dtype == paddle.float16 and out.tolist() == [0.0, 600.0]
    zeros = FakeQuanterWithAbsMaxObserver()._instance(None)
    zeros.eval()
    zeros._scale.set_value(np.array([0.0], "float32"))
    assert zeros(paddle.ones([2])).tolist() == [0.0, 0.0]


def test_scales_of_columns_and_groups():
    w = paddle.to_tensor(np.random.RandomState(0).randn(256, 3).astype("float32"))
    make = format.LinearQuanter(paddle.to_tensor([1.0, 2.0, 3.0]), None, 1, 8)
    assert make(w[:4]).numpy()[1].tolist() == [127.0, 119.0, -41.0]
    observer = GroupWiseWeightObserver(group_size=64)._instance(nn.Linear(256, 3))
    assert observer(w) is w
    want = np.abs(w.numpy()).reshape(4, 64, 3).max(1)
    np.testing.assert_array_equal(observer.scales().numpy(), want)
    found = format.LinearQuanterDequanter.from_quanter(observer)(w)
    step = np.repeat(want, 64, 0) / 127
    assert (np.abs(found.numpy() - w.numpy()) <= step * 0.5001).all()
    with pytest.raises(AssertionError, match="group_size 64"):
        observer(paddle.ones([100, 4]))


def test_the_largest_magnitude():
    observer = AbsmaxObserver()._instance(None)
    with pytest.raises(RuntimeError, match="got none"):
        observer.scales()
    for x in ([1.0, -3.0], [2.0]):
        assert observer(paddle.to_tensor(x)).tolist() == x
    assert float(observer.scales()) == 3 and observer.bit_length() == 8
    wrapped = ObserveWrapper(AbsmaxObserver()._instance(None), nn.ReLU())
    assert wrapped(paddle.to_tensor([-5.0, 1.0])).tolist() == [0.0, 1.0]
    assert float(wrapped._observer.scales()) == 5
    wrapped = ObserveWrapper(AbsmaxObserver()._instance(None), nn.ReLU(), observe_input=False)
    wrapped(paddle.to_tensor([-5.0, 1.0]))
    assert float(wrapped._observer.scales()) == 1


def test_training_with_rounded_numbers():
    model, x = net()
    made = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    qat = QAT(QuantConfig(activation=made, weight=made))
    quantised = qat.quantize(model)
    assert type(model.fc) is nn.Linear
    found = kinds(quantised)
    assert found["conv"] == "QuantedConv2D" and found["relu"] == "ObserveWrapper"
    assert found["sub.0"] == "QuantedLinear" and found["sub.1._observed"] == "Dropout"
    optimizer = paddle.optimizer.Adam(1e-2, parameters=quantised.parameters())
    quantised.sub[1]._observed.eval()
    losses = []
    for _ in range(30):
        loss = (quantised(x) - 1).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 3
    quantised.eval()
    converted = qat.convert(quantised)
    np.testing.assert_allclose(converted(x).numpy(), quantised(x).numpy(), atol=0.05)
    whole = converted.fc.weight.numpy()
    assert np.array_equal(whole, whole.round()) and np.abs(whole).max() <= 128
    kept = qat.convert(quantised, remain_weight=True)
    np.testing.assert_array_equal(kept.fc.weight.numpy(), quantised.fc.weight.numpy())
    np.testing.assert_array_equal(kept(x).numpy(), converted(x).numpy())
    with pytest.raises(AssertionError, match="training mode"):
        qat.quantize(model.eval())


def test_observing_a_trained_model(tmp_path):
    model, x = net()
    ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
    with pytest.raises(AssertionError, match="evaluation mode"):
        ptq.quantize(model)
    model.eval()
    observed = ptq.quantize(model)
    before = [[-0.231784, -0.500954, 0.979772], [-0.254853, -0.398197, 0.898266]]
    np.testing.assert_allclose(observed(x).numpy(), before, atol=2e-6)
    converted = ptq.convert(observed)
    after = [[-0.223727, -0.493743, 0.979772], [-0.246872, -0.393452, 0.89491]]
    np.testing.assert_allclose(converted(x).numpy(), after, atol=2e-6)
    state = converted.state_dict()
    assert state["conv.weight"].numpy().ravel()[:4].tolist() == [100.0, 23.0, 55.0, 127.0]
    assert state["fc.activation_quanter._quanter._scales"].shape == []
    np.testing.assert_allclose(
        float(state["relu._observer._dequanter._scales"]), 1.805308, rtol=1e-6
    )
    path = str(tmp_path / "net")
    paddle.jit.save(converted, path, [paddle.static.InputSpec([None, 1, 4, 4], "float32")])
    np.testing.assert_allclose(paddle.jit.load(path)(x).numpy(), after, atol=2e-6)


def test_configurations():
    made = FakeQuanterWithAbsMaxObserver()
    model = Net()
    config = QuantConfig(activation=None, weight=None)
    config.add_type_config(nn.Linear, activation=made, weight=made)
    config.add_name_config(model.conv.full_name(), weight=made)
    config.add_layer_config(model.sub[0], weight=made)
    quantised = QAT(config).quantize(model)
    assert quantised.conv.activation_quanter is None and quantised.conv.weight_quanter is not None
    assert type(quantised.relu) is nn.ReLU
    assert quantised.fc.activation_quanter is not None
    assert quantised.sub[0].activation_quanter is None
    model = Net()
    config = QuantConfig(activation=None, weight=None)
    config.add_layer_config([model.sub], activation=made)
    quantised = QAT(config).quantize(model, inplace=True)
    assert quantised is model and type(model.fc) is nn.Linear
    assert type(model.sub[0]) is QuantedLinear and type(model.sub[1]) is ObserveWrapper
    config = QuantConfig(activation=made, weight=None)
    model = nn.Sequential(nn.Linear(3, 3), Stub(AbsmaxObserver()), nn.Sequential(nn.ReLU()))
    config.add_customized_leaf(nn.Sequential)
    quantised = QAT(config).quantize(model)
    assert type(quantised[1]) is QuanterStub and type(quantised[2]) is ObserveWrapper
    assert type(quantised[1]._observer).__name__ == "AbsmaxObserverLayer"
    assert "moving_rate=0.9" in config.details()
    config.add_qat_layer_mapping(nn.ReLU, nn.ReLU6)
    assert config.qat_layer_mappings[nn.ReLU] is nn.ReLU6
    with pytest.raises(AssertionError, match="classes of layers"):
        config.add_qat_layer_mapping(nn.ReLU, 3)


class RateLayer(BaseQuanter):
    def __init__(self, layer, rate=3):
        super().__init__()
        self.rate = rate

    def forward(self, input):
        return input

    def scales(self):
        return paddle.ones([1])

    def zero_points(self):
        return None

    def quant_axis(self):
        return -1

    def bit_length(self):
        return 8


def test_factories():
    assert quanter("Rate")(RateLayer) is RateLayer
    made = sys.modules[__name__].Rate(rate=5)
    assert str(made) == "Rate(rate=5)" and made._instance(None).rate == 5
    for abstract in (BaseQuanter, BaseObserver):
        with pytest.raises(TypeError):
            abstract()


def test_operations_as_layers():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert functional_layers.add()(x, x).tolist() == (x + x).tolist()
    assert functional_layers.matmul()(x, x, True).tolist() == paddle.matmul(x, x, True).tolist()
    assert functional_layers.concat()([x, x], 1).shape == [2, 4]
    assert functional_layers.flatten()(x).shape == [4]
    assert functional_layers.transpose()(x, [1, 0]).tolist() == x.t().tolist()


def observed_model(config=None):
    paddle.seed(3)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(2, 4, 3),
        paddle.nn.BatchNorm2D(4),
        paddle.nn.ReLU(),
        paddle.nn.Flatten(),
        paddle.nn.Linear(64, 5),
    )
    for _ in range(3):
        net(paddle.randn([8, 2, 6, 6]) * 2 + 1)
    net.eval()
    return net, quantization.ImperativePTQ(*([config] if config else []))


@pytest.mark.parametrize('kind', ['KL', 'Hist', 'Absmax'])
@pytest.mark.parametrize('fuse', [False, True])
def test_models_that_hooks_observe(kind, fuse, tmp_path):
    activation = getattr(quantization, f'{kind}Quantizer')()
    config = quantization.PTQConfig(activation, quantization.PerChannelAbsmaxQuantizer())
    net, ptq = observed_model(config)
    x = paddle.randn([16, 2, 6, 6])
    want = net(x).numpy()
    model = ptq.quantize(net, fuse=fuse, fuse_list=[['0', '1']])
    assert model is not net and isinstance(model[1], paddle.nn.Identity) == fuse
    with pytest.raises(RuntimeError, match='to have been called'):
        ptq.save_quantized_model(model, str(tmp_path / 'none'), [InputSpec([None, 2, 6, 6])])
    for part in (x[:8], x[8:]):
        model(part)
    np.testing.assert_allclose(model(x).numpy(), want, rtol=1e-4, atol=1e-5)
    ptq.save_quantized_model(model, str(tmp_path / 'net'), [InputSpec([None, 2, 6, 6])])
    got = paddle.jit.load(str(tmp_path / 'net'))(x).numpy()
    assert 0 < np.abs(got - want).max() < 0.15 * np.abs(want).max()
    np.testing.assert_allclose(model(x).numpy(), want, rtol=1e-4, atol=1e-5)


def test_ranges_are_those_of_paddlepaddle():
    """Thresholds of 3.3.1."""
    rng = np.random.RandomState(0)
    samples = [paddle.to_tensor(rng.randn(4, 8).astype('float32')) for _ in range(3)]
    layer = paddle.nn.Linear(8, 5)
    found = {}
    for kind in ('Absmax', 'PerChannelAbsmax', 'KL', 'Hist'):
        quantizer = getattr(quantization, f'{kind}Quantizer')()
        for x in samples:
            quantizer.sample_data(layer, (x,))
        quantizer.cal_thresholds()
        found[kind] = quantizer.thresholds[0]
    assert found['Absmax'] == pytest.approx(2.5529897)
    assert found['PerChannelAbsmax'] == pytest.approx(
        [2.2697546, 1.9807965, 1.7062702, 2.2408931, 2.5529897, 1.8958892, 1.2527953, 1.7262826]
    )
    assert found['KL'] == pytest.approx(2.2725099)
    assert 2.5 < found['Hist'] <= 2.5529897


def test_histograms_widen():
    quantizer = quantization.HistQuantizer(hist_percent=1.0)
    for top in (1.0, 0.5, 3.0, 0.0, 7.3):
        quantizer.sample_data(None, (paddle.linspace(0, top, 100),))
    quantizer.cal_thresholds()
    assert quantizer.hists[0].sum() == pytest.approx(400)
    assert quantizer.thresholds[0] == pytest.approx(7.3, rel=0.02)
    with pytest.raises(AssertionError, match='expected 1 tensors as before, got 2'):
        quantizer.sample_data(None, (paddle.ones([2]),) * 2)


@pytest.mark.parametrize(
    'call',
    [
        lambda: quantization.PTQConfig(1, quantization.AbsmaxQuantizer()),
        lambda: quantization.PTQConfig(quantization.KLQuantizer(), quantization.KLQuantizer()),
        lambda: quantization.ImperativePTQ(3),
        lambda: quantization.ImperativePTQ().quantize(3),
        lambda: quantization.KLQuantizer(quant_bits=0),
        lambda: quantization.PTQRegistry.layer_info(paddle.nn.LSTM(2, 2)),
    ],
)
def test_quantizers_are_checked(call):
    with pytest.raises(AssertionError):
        call()


@pytest.mark.parametrize('kind', ['AbsmaxQuantizer', 'HistQuantizer', 'KLQuantizer'])
def test_samples_are_a_list(kind):
    with pytest.raises(AssertionError, match=rf'\[{kind}\] expected a list of tensors, got range'):
        getattr(paddle.quantization, kind)().sample_data(None, range(2**62))
