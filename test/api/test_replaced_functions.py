# SPDX-License-Identifier: Apache-2.0
"""What programs put in the place of functions, methods and operations is what is called: by layers,
operators, public functions and recorded calls, as in PaddlePaddle.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import _C_ops, nn

X = paddle.to_tensor([[1.0, -2.0], [3.0, 4.0]])
IMAGE = paddle.ones([1, 4, 6, 6])
LABEL = paddle.to_tensor([0, 1])


@pytest.fixture
def counted(monkeypatch):
    """Puts a function that counts into the place of one."""

    def replace(holder, name):
        old, calls = getattr(holder, name), []

        def call(*args, **kwargs):
            calls.append(name)
            return old(*args, **kwargs)

        monkeypatch.setattr(holder, name, call)
        return calls

    return replace


LAYERS = {
    'relu': (nn.ReLU(), X),
    'relu6': (nn.ReLU6(), X),
    'gelu': (nn.GELU(), X),
    'silu': (nn.Silu(), X),
    'sigmoid': (nn.Sigmoid(), X),
    'tanh': (nn.Tanh(), X),
    'softplus': (nn.Softplus(), X),
    'hardswish': (nn.Hardswish(), X),
    'leaky_relu': (nn.LeakyReLU(), X),
    'softmax': (nn.Softmax(), X),
    'log_softmax': (nn.LogSoftmax(), X),
    'prelu': (nn.PReLU(), X),
    'dropout': (nn.Dropout(), X),
    'linear': (nn.Linear(2, 3), X),
    'embedding': (nn.Embedding(3, 2), LABEL),
    'conv1d': (nn.Conv1D(2, 3, 1), paddle.ones([1, 2, 4])),
    'conv2d_transpose': (nn.Conv2DTranspose(4, 3, 3), IMAGE),
    'max_pool2d': (nn.MaxPool2D(2), IMAGE),
    'avg_pool2d': (nn.AvgPool2D(2), IMAGE),
    'adaptive_avg_pool2d': (nn.AdaptiveAvgPool2D(2), IMAGE),
    'pad': (nn.Pad2D(1), IMAGE),
    'interpolate': (nn.Upsample(scale_factor=2), IMAGE),
    'unfold': (nn.Unfold(2), IMAGE),
    'cosine_similarity': (nn.CosineSimilarity(), X, X),
    'cross_entropy': (nn.CrossEntropyLoss(), X, LABEL),
    'l1_loss': (nn.L1Loss(), X, X),
    'kl_div': (nn.KLDivLoss(), X, X),
    'smooth_l1_loss': (nn.SmoothL1Loss(), X, X),
}


@pytest.mark.parametrize('name', LAYERS)
def test_layers_call_the_function_of_the_module(name, counted):
    layer, *inputs = LAYERS[name]
    calls = counted(F, name)
    layer(*inputs)
    assert calls == [name]


def test_convolution_of_one_axis_gives_what_its_function_does():
    x = paddle.rand([2, 4, 9])
    for options in (
        {'padding': 'SAME', 'stride': 2},
        {'padding': 'VALID'},
        {'padding': 2, 'dilation': 2, 'groups': 2},
        {'padding': 1, 'padding_mode': 'reflect'},
        {'padding': [1, 2]},
    ):
        layer = nn.Conv1D(4, 6, 3, **options)
        rest = dict(options)
        mode, given = rest.pop('padding_mode', 'zeros'), x
        if mode != 'zeros':
            given = F.pad(x, [rest.pop('padding')] * 2, mode, data_format='NCL')
        want = F.conv1d(given, layer.weight, layer.bias, **rest)
        np.testing.assert_array_equal(layer(x).numpy(), want.numpy())


OPERATORS = {
    '__add__': lambda: X + X,
    '__sub__': lambda: X - X,
    '__mul__': lambda: X * 2,
    '__truediv__': lambda: X / 2,
    '__matmul__': lambda: X @ X,
    '__neg__': lambda: -X,
    'add': lambda: X.add(X),
    'reshape': lambda: X.reshape([4]),
}


@pytest.mark.parametrize('name', OPERATORS)
def test_methods_of_tensors(name, counted):
    calls = counted(paddle.Tensor, name)
    OPERATORS[name]()
    assert calls == [name]


def test_a_replaced_function_is_not_what_operators_call(counted):
    calls = counted(paddle, 'add')
    assert (X + X).tolist() == X.add(X).tolist() and not calls
    paddle.add(X, X)
    assert calls == ['add']


OPERATIONS = {
    'relu': lambda: F.relu(X),
    'softmax': lambda: F.softmax(X),
    'add': lambda: paddle.add(X, X),
    'matmul': lambda: paddle.matmul(X, X, transpose_y=True),
    'sum': lambda: paddle.sum(X),
    'tanh': lambda: X.tanh(),
    'mean': lambda: X.mean(0),
    'reshape': lambda: paddle.reshape(X, [-1]),
    'transpose': lambda: paddle.transpose(X, [1, 0]),
    'gelu': lambda: nn.GELU()(X),
    'concat': lambda: paddle.concat([X, X]),
    'linear': lambda: nn.Linear(2, 2, bias_attr=None)(X),
    'topk': lambda: paddle.topk(X, 1)[0],
    'exp_': lambda: X.clone().exp_(),
    'layer_norm': lambda: nn.LayerNorm(2)(X),
    'embedding': lambda: F.embedding(LABEL, X),
    'conv2d': lambda: F.conv2d(IMAGE, paddle.ones([3, 4, 1, 1])),
    'where': lambda: paddle.where(X > 0, X, X),
    'argmax': lambda: paddle.argmax(X),
    'gather': lambda: paddle.gather(X, LABEL),
    'max': lambda: X.max(),
    'stack': lambda: paddle.stack([X, X]),
    'pool2d': lambda: F.avg_pool2d(IMAGE, 2),
    'clip': lambda: X.clip(0, 1),
    'cumsum': lambda: X.cumsum(0),
    'equal': lambda: paddle.equal(X, X),
    'arange': lambda: paddle.arange(3),
    'batch_norm_': lambda: nn.BatchNorm1D(2)(X),
}


@pytest.mark.parametrize('name', OPERATIONS)
def test_functions_call_the_operation_that_is_there(name, counted, monkeypatch):
    paddle.seed(0)
    want = OPERATIONS[name]().numpy()
    calls = counted(_C_ops, name)
    paddle.seed(0)
    got = OPERATIONS[name]().numpy()
    assert calls == [name]
    np.testing.assert_array_equal(got, want)
    monkeypatch.undo()
    OPERATIONS[name]()
    assert calls == [name]


def test_functions_are_the_same_when_the_operation_is_back():
    before = paddle.tanh, paddle.Tensor.tanh
    old = _C_ops.tanh
    _C_ops.tanh = lambda x: x * 0
    assert paddle.tanh(X).abs().sum() == 0 and X.tanh().abs().sum() == 0
    assert paddle.tanh.__name__ == 'tanh' and paddle.tanh is not before[0]
    with pytest.raises(TypeError):
        paddle.tanh()
    _C_ops.tanh = old
    assert (paddle.tanh, paddle.Tensor.tanh) == before
    _C_ops.tanh = lambda x: x * 0
    del _C_ops.tanh
    assert paddle.tanh is before[0] and (paddle.tanh(X) - X.tanh()).abs().sum() == 0


def test_results_go_where_they_are_asked_for(counted):
    calls = counted(_C_ops, 'add')
    out = paddle.zeros([2, 2])
    assert paddle.add(X, X, out=out) is out and out.tolist() == (X * 2).tolist()
    assert calls == ['add']


def test_compiled_functions_see_what_is_replaced_later(monkeypatch):
    @paddle.jit.to_static
    def f(x):
        return F.relu(x) + paddle.exp(x * 0)

    assert f(X).tolist() == [[2.0, 1.0], [4.0, 5.0]]
    relu, exp = _C_ops.relu, _C_ops.exp
    monkeypatch.setattr(_C_ops, 'relu', lambda x: relu(x) * 10)
    assert f(X).tolist() == [[11.0, 1.0], [31.0, 41.0]]
    monkeypatch.setattr(_C_ops, 'exp', lambda x: exp(x) + 1)
    assert f(X).tolist() == [[12.0, 2.0], [32.0, 42.0]]
    monkeypatch.undo()
    assert f(X).tolist() == [[2.0, 1.0], [4.0, 5.0]]


def test_recorded_programs_have_what_is_replaced(monkeypatch):
    relu = _C_ops.relu
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [2])
            monkeypatch.setattr(_C_ops, 'relu', lambda x: relu(x) * 10)
            y = F.relu(x)
        exe = paddle.static.Executor()
        got = exe.run(main, feed={'x': np.array([1.0, -1.0], 'float32')}, fetch_list=[y])
        assert got[0].tolist() == [10.0, 0.0]
    finally:
        paddle.disable_static()
