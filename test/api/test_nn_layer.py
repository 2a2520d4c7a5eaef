# SPDX-License-Identifier: Apache-2.0
"""Layer: registration, traversal, hooks, state dictionaries, casts; containers."""

import copy
import warnings
from collections import OrderedDict

import numpy as np
import paddle
import pytest
from paddle import nn


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.block = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1D(4))
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(2.0))
        self.register_buffer("kept", paddle.ones([2]))
        self.register_buffer("dropped", paddle.zeros([2]), persistable=False)

    def forward(self, x, gain=1.0):
        return self.block(self.fc1(x)) * self.scale * gain


def _x(*shape):
    return paddle.to_tensor(np.random.RandomState(0).rand(*shape).astype("float32"))


def test_traversal_names_and_order():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == [
        "scale",
        "fc1.weight",
        "fc1.bias",
        "block.0.weight",
        "block.0.bias",
        "block.1.weight",
        "block.1.bias",
        "block.1._mean",
        "block.1._variance",
    ]
    assert [n for n, _ in net.named_sublayers()] == ["fc1", "block", "block.0", "block.1"]
    assert [n for n, _ in net.named_buffers()] == ["kept", "dropped"]
    assert list(net.state_dict()) == [
        "scale",
        "kept",
        "fc1.weight",
        "fc1.bias",
        "block.0.weight",
        "block.0.bias",
        "block.1.weight",
        "block.1.bias",
        "block.1._mean",
        "block.1._variance",
    ]
    assert "dropped" in net.to_static_state_dict()
    assert net.get_sublayer("block.0") is net.block[0]
    assert net.get_parameter("block.0.weight") is net.block[0].weight
    assert [n for n, _ in net.named_children()] == ["fc1", "block"]
    assert list(net.state_dict(structured_name_prefix="p."))[0] == "p.scale"


def test_shared_parameters_are_listed_once_but_saved_twice():
    a = nn.Linear(2, 2)
    both = nn.LayerList([a, a])
    assert len(both.parameters()) == 2
    assert len(both.state_dict()) == 4


def test_attribute_protocol():
    net = Net()
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'nope'"):
        net.nope
    with pytest.raises(TypeError, match="a parameter or None for 'scale'"):
        net.scale = 3
    with pytest.raises(TypeError, match="a layer or None for 'fc1'"):
        net.fc1 = 3
    net.fc1 = None
    assert net.fc1 is None
    net.plain = paddle.ones([2])
    assert "plain" in dict(net.named_buffers()) and "plain" not in net.state_dict()
    net.count = 1
    net.count = nn.ReLU()
    assert "count" not in net.__dict__ and isinstance(net.count, nn.ReLU)
    assert "scale" in dir(net) and "block" in dir(net)
    del net.scale
    assert not hasattr(net, "scale")


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda n: n.add_parameter(3, None), TypeError),
        (lambda n: n.add_parameter("a.b", None), KeyError),
        (lambda n: n.add_parameter("", None), KeyError),
        (lambda n: n.add_parameter("t", paddle.ones([1])), TypeError),
        (lambda n: n.add_sublayer("q", 3), AssertionError),
        (lambda n: n.register_buffer("bb", 3), TypeError),
        (lambda n: n.register_buffer("scale", paddle.ones([1])), KeyError),
        (lambda n: n.backward(), ValueError),
        (lambda n: nn.Layer()(1), NotImplementedError),
        (lambda n: n.create_parameter([2], attr=3), TypeError),
        (lambda n: n.get_sublayer("zz"), AttributeError),
        (lambda n: n.get_extra_state(), RuntimeError),
    ],
)
def test_errors(call, error):
    with pytest.raises(error):
        call(Net())


def test_hooks_order_results_and_removal():
    layer, seen = nn.Linear(2, 2), []
    x = _x(1, 2)
    plain = layer(x).numpy()
    first = layer.register_forward_pre_hook(lambda m, i: seen.append("pre") or (i[0] * 2,))
    second = layer.register_forward_post_hook(lambda m, i, o: seen.append("post") or o + 1)
    np.testing.assert_allclose(layer(x).numpy(), layer.forward(x * 2).numpy() + 1, rtol=1e-6)
    assert seen == ["pre", "post"]
    first.remove()
    second.remove()
    np.testing.assert_array_equal(layer(x).numpy(), plain)
    order = []
    layer.register_forward_pre_hook(lambda m, i: order.append(1))
    layer.register_forward_pre_hook(lambda m, i: order.append(0), prepend=True)
    layer(x)
    assert order == [0, 1]


def test_hooks_with_kwargs():
    net = Net().eval()
    x = _x(2, 3)
    net.register_forward_pre_hook(lambda m, args, kwargs: (args, {"gain": 3.0}), with_kwargs=True)
    got = net(x, gain=1.0).numpy()
    np.testing.assert_allclose(got, net.forward(x, gain=3.0).numpy(), rtol=1e-6)
    with pytest.raises(RuntimeError):
        net.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
        net(x)


def test_train_eval_apply():
    net = Net()
    net.eval()
    assert not net.training and not net.block[1].training
    net.train()
    assert net.block[1].training
    visited = []
    net.apply(lambda layer: visited.append(type(layer).__name__))
    assert visited == ["Linear", "Linear", "BatchNorm1D", "Sequential", "Net"]


def test_state_round_trip_and_skips():
    a, b = Net(), Net()
    missing, unexpected = b.set_state_dict(a.state_dict())
    assert not missing and not unexpected
    for p, q in zip(a.parameters(), b.parameters()):
        np.testing.assert_array_equal(p.numpy(), q.numpy())
    layer = nn.Linear(2, 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = layer.set_state_dict({"weight": np.ones([3], "float32"), "zz": 1})
    assert result == (["weight", "bias"], ["weight", "zz"])
    assert len(caught) == 2 and "expected shape [2, 2] for" in str(caught[0].message)
    by_name = {p.name: np.full(p.shape, 7, "float32") for p in layer.parameters()}
    layer.set_state_dict(by_name, use_structured_name=False)
    assert (layer.weight.numpy() == 7).all()


def test_load_state_dict_is_strict():
    layer = nn.Linear(2, 2)
    with pytest.raises(RuntimeError, match=r"without \['bias'\]"):
        layer.load_state_dict({"weight": paddle.ones([2, 2])})
    with pytest.raises(RuntimeError, match=r"also with \['zz'\]"):
        layer.load_state_dict({**layer.state_dict(), "zz": paddle.ones([1])})
    result = layer.load_state_dict({"weight": paddle.ones([2, 2])}, strict=False)
    assert result.missing_keys == ["bias"] and result.unexpected_keys == []


def test_state_dict_hook():
    layer = nn.Linear(2, 2)
    handle = layer.register_state_dict_hook(
        lambda d: OrderedDict((k.upper(), v) for k, v in d.items())
    )
    assert list(layer.state_dict()) == ["WEIGHT", "BIAS"]
    handle.remove()
    assert list(layer.state_dict()) == ["weight", "bias"]


def test_casts_keep_the_parameter_objects():
    net = Net()
    weight = net.fc1.weight
    name = weight.name
    net.to(dtype="float64")
    assert net.fc1.weight is weight and weight.dtype == paddle.float64 and weight.name == name
    assert net.kept.dtype == paddle.float64
    net.float()
    assert weight.dtype == paddle.float32
    net.bfloat16()
    assert weight.dtype == paddle.bfloat16
    assert net.to("cpu") is net


def test_gradients():
    net = Net()
    net(_x(4, 3)).sum().backward()
    assert net.fc1.weight.grad is not None
    net.clear_gradients()
    assert net.fc1.weight.grad is None or float(net.fc1.weight.grad.abs().sum()) == 0
    net.requires_grad_(False)
    assert all(p.stop_gradient for p in net.parameters())


def test_parameter_attributes():
    layer = nn.Linear(
        2,
        3,
        weight_attr=paddle.ParamAttr(
            name="w",
            learning_rate=0.5,
            regularizer=paddle.regularizer.L2Decay(0.1),
            trainable=False,
            need_clip=False,
            initializer=nn.initializer.Constant(3.0),
        ),
    )
    w = layer.weight
    assert (
        w.name == "w"
        and w.optimize_attr == {"learning_rate": 0.5}
        and not w.need_clip
        and not w.trainable
    )
    assert w.stop_gradient and w.persistable and (w.numpy() == 3).all()
    w.trainable = True
    assert not w.stop_gradient
    assert isinstance(w, nn.Parameter) and isinstance(w, paddle.Tensor)
    assert repr(w).startswith("Parameter containing:\nTensor(shape=[2, 3], dtype=float32")
    assert type(w + 1) is paddle.Tensor
    assert nn.Linear(2, 3, bias_attr=False).bias is None


def test_parameter_from_data_and_copies():
    p = nn.Parameter(paddle.to_tensor([1.0, 2.0]))
    assert not p.stop_gradient and p.tolist() == [1.0, 2.0]
    assert nn.Parameter(paddle.ones([1]), requires_grad=False).stop_gradient
    layer = nn.Linear(2, 2)
    other = copy.deepcopy(layer)
    assert other.weight is not layer.weight
    assert other.weight.name == layer.weight.name + "_deepcopy_0"
    with paddle.no_grad():
        layer.weight.set_value(layer.weight * 0)
    assert float(other.weight.abs().sum()) > 0


def test_unique_names():
    from paddle.utils import unique_name

    with unique_name.guard():
        assert [
            unique_name.generate("fc"),
            unique_name.generate("fc"),
            unique_name.generate("a"),
        ] == ["fc_0", "fc_1", "a_0"]
        with unique_name.guard("pre_"):
            assert unique_name.generate("fc") == "pre_fc_0"
            assert nn.Linear(1, 1).weight.name == "pre_pre_linear_0.w_0"
        assert unique_name.generate("fc") == "fc_2"
        layer = nn.Linear(1, 1)
        assert layer.create_parameter([1]).name == "linear_0.w_1"
        assert layer.create_parameter([1], is_bias=True).name == "linear_0.b_1"


def test_sequential():
    seq = nn.Sequential(("a", nn.Linear(2, 3)), ("b", nn.ReLU()))
    assert (
        seq["a"] is seq[0]
        and len(seq) == 2
        and [type(s).__name__ for s in seq] == ["Linear", "ReLU"]
    )
    assert isinstance(seq[:1], nn.Sequential) and len(seq[:1]) == 1
    assert list(nn.Sequential(OrderedDict(x=nn.ReLU()))._sub_layers) == ["x"]
    with pytest.raises(IndexError):
        seq[5]
    np.testing.assert_array_equal(seq(_x(1, 2)).numpy(), np.maximum(seq[0](_x(1, 2)).numpy(), 0))


def test_layer_list_and_dict():
    layers = nn.LayerList([nn.Linear(1, i) for i in (1, 2, 3)])
    layers.insert(0, nn.ReLU())
    layers.append(nn.Tanh())
    assert [type(m).__name__ for m in layers] == ["ReLU", "Linear", "Linear", "Linear", "Tanh"]
    assert isinstance(layers[-1], nn.Tanh) and len(layers[1:3]) == 2
    del layers[0]
    assert [n for n, _ in layers.named_children()] == ["0", "1", "2", "3"]
    table = nn.LayerDict({"x": nn.ReLU(), "y": nn.Tanh()})
    assert list(table.keys()) == ["x", "y"] and "x" in table
    assert isinstance(table.pop("x"), nn.ReLU) and len(table) == 1
    params = nn.ParameterList([paddle.create_parameter([2], "float32") for _ in range(2)])
    params.append(paddle.create_parameter([3], "float32"))
    assert [p.shape[0] for p in params] == [2, 2, 3] and list(params.state_dict()) == [
        "0",
        "1",
        "2",
    ]
    named = nn.ParameterDict({"u": paddle.create_parameter([2], "float32")})
    assert named["u"].shape == [2] and list(named.keys()) == ["u"]


def test_batch_norm_running_statistics():
    layer, x = nn.BatchNorm2D(3, momentum=0.8), _x(4, 3, 5, 5)
    layer(x)
    a = x.numpy()
    np.testing.assert_allclose(layer._mean.numpy(), 0.2 * a.mean((0, 2, 3)), rtol=1e-5)
    np.testing.assert_allclose(layer._variance.numpy(), 0.8 + 0.2 * a.var((0, 2, 3)), rtol=1e-5)
    before = layer._mean.numpy()
    layer.eval()
    layer(x)
    np.testing.assert_array_equal(layer._mean.numpy(), before)
    sync = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Linear(2, 3), layer))
    assert isinstance(sync[1], nn.SyncBatchNorm) and sync[1].weight is layer.weight
    np.testing.assert_array_equal(sync[1]._mean.numpy(), before)


def test_global_initializer():
    nn.initializer.set_global_initializer(
        nn.initializer.Constant(5.0), nn.initializer.Constant(6.0)
    )
    try:
        layer = nn.BatchNorm2D(2)
        assert layer.weight.tolist() == [5, 5] and layer.bias.tolist() == [6, 6]
        assert nn.Linear(1, 1, weight_attr=nn.initializer.Constant(1.0)).weight.tolist() == [[1]]
    finally:
        nn.initializer.set_global_initializer(None)
    assert nn.BatchNorm2D(1).weight.tolist() == [1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.Conv2D(3, 4, 3, groups=2),
        lambda: nn.Conv2D(3, 4, 3)(_x(1, 2, 5, 5)),
        lambda: nn.Linear(2, 3)(_x(1, 3)),
        lambda: nn.BatchNorm2D(3)(_x(2, 3)),
        lambda: nn.Embedding(3, 4, padding_idx=5),
        lambda: nn.functional.dropout(_x(2), p=2.0),
        lambda: nn.functional.layer_norm(_x(2, 3), 4),
        lambda: nn.functional.mse_loss(_x(2), _x(2), "bad"),
        lambda: nn.functional.interpolate(_x(1, 1, 2, 2)),
        lambda: nn.functional.conv2d(_x(1, 2, 5, 5), _x(2, 2, 3, 3), padding="BAD"),
        lambda: nn.functional.embedding(paddle.to_tensor([7]), _x(3, 2)),
        lambda: nn.functional.softmax(_x(2), axis=3),
        lambda: nn.functional.max_pool2d(_x(2, 3), 2),
        lambda: nn.initializer.calculate_gain("foo"),
    ],
)
def test_bad_arguments_raise_value_error(call):
    with pytest.raises(ValueError):
        call()


def test_assigned_values_decide_the_shape():
    values = np.arange(6, dtype='float64').reshape(2, 3)
    layer = paddle.nn.Layer()
    for asked in ([6], [2, 3], [64]):
        made = layer.create_parameter(
            asked, default_initializer=paddle.nn.initializer.Assign(values)
        )
        assert made.shape == [2, 3] and made.dtype == paddle.float32
        assert made.tolist() == values.tolist()


@pytest.mark.parametrize('dtype', ['float64', 'complex64'])
def test_biases_widen_products(dtype):
    x, weight = paddle.ones([2, 3]), paddle.ones([3, 4])
    bias = paddle.full([4], 0.1, dtype)
    bias.stop_gradient = weight.stop_gradient = False
    out = nn.functional.linear(x, weight, bias)
    assert out.dtype == bias.dtype
    np.testing.assert_array_equal(out.numpy(), np.tile(bias.numpy() + 3, [2, 1]))
    out.abs().sum().backward()
    assert bias.grad.dtype == bias.dtype and weight.grad.dtype == weight.dtype


@pytest.mark.parametrize('shape', [[], [1], [4], [2, 1], [2, 4]])
@pytest.mark.parametrize('dtype', ['float32', 'int64'])
def test_biases_broadcast_to_products(shape, dtype):
    x, weight = paddle.ones([2, 3], dtype), paddle.ones([3, 4], dtype)
    out = nn.functional.linear(x, weight, paddle.full(shape, 2, dtype))
    assert out.dtype == x.dtype and out.tolist() == [[5.0] * 4] * 2
    recorded = paddle.jit.to_static(nn.functional.linear, full_graph=True)
    assert recorded(x, weight, paddle.full(shape, 2, dtype)).tolist() == out.tolist()


@pytest.mark.parametrize('x, weight', [([2, 2, 3], [2, 3, 4]), ([2, 3], [3]), ([3], [3, 4])])
def test_linear_takes_what_matmul_takes(x, weight):
    bias = paddle.ones([4 if len(weight) > 1 else 2])
    x, weight = paddle.ones(x), paddle.ones(weight)
    want = paddle.matmul(x, weight) + bias
    got = nn.functional.linear(x, weight, bias)
    assert got.shape == want.shape and got.tolist() == want.tolist()


@pytest.mark.parametrize(
    'bias, error, text',
    [
        ([1.0] * 4, ValueError, '[linear] expected bias to be a Tensor, got list'),
        (1.0, ValueError, '[linear] expected bias to be a Tensor, got float'),
        (paddle.ones([5]), ValueError, '[linear] expected a bias of 4 elements, got shape [5]'),
        (
            paddle.ones([4], 'int32'),
            TypeError,
            '[linear] expected dtypes that promote, got float32',
        ),
    ],
)
def test_biases_that_do_not_fit_products(bias, error, text):
    with pytest.raises(error) as caught:
        nn.functional.linear(paddle.ones([2, 3]), paddle.ones([3, 4]), bias)
    assert str(caught.value).startswith(text)
