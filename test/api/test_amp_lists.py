# SPDX-License-Identifier: Apache-2.0
"""In which dtype automatic mixed precision runs an operation: the lists, the levels, promotion;
eager and recorded alike.
"""

import contextlib

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from static_program import static_program

F32, LOW = 'float32', 'bfloat16'

# Results of PaddlePaddle's static programs for (x, y) of float32 and bfloat16: both first, then x,
# y, neither in float32.
FUNCTIONS = {
    'concat': lambda x, y: paddle.concat([x, y]),
    'where': lambda x, y: paddle.where(x > 0, x, y),
    'prelu': lambda x, y: F.prelu(x, y[:1, 0]),
    'index_put': lambda x, y: paddle.index_put(x, (paddle.zeros([1], 'int64'),), y[0]),
    'elementwise_add': lambda x, y: x + y,
    'relu': lambda x, y: F.relu(x),
    'flip': lambda x, y: paddle.flip(x, 0),
    'reshape2': lambda x, y: paddle.reshape(x, [16]),
    'matmul': paddle.matmul,
    'linear': lambda x, y: F.linear(x, y),
    'conv3d': lambda x, y: F.conv3d(x.reshape([1, 1, 4, 2, 2]), y.reshape([1, 1, 4, 2, 2])),
    'exp': lambda x, y: paddle.exp(x),
    'reduce_sum': lambda x, y: x.sum(),
    'cumsum': lambda x, y: paddle.cumsum(x, 0),
    'softmax': lambda x, y: F.softmax(x),
    'lookup_table_v2': lambda x, y: F.embedding(paddle.zeros([1], 'int64'), x),
    'layer_norm': lambda x, y: F.layer_norm(x, [4], y[0], y[0]),
}
TWO, ONE, LISTED, PRECISE = [F32, F32, F32, LOW], [F32, F32, LOW, LOW], [LOW] * 4, [F32] * 4
O1 = dict(
    concat=TWO,
    where=TWO,
    prelu=TWO,
    index_put=TWO,
    elementwise_add=TWO,
    relu=ONE,
    flip=ONE,
    reshape2=ONE,
    matmul=LISTED,
    linear=LISTED,
    conv3d=TWO,
    exp=PRECISE,
    reduce_sum=PRECISE,
    cumsum=PRECISE,
    softmax=PRECISE,
    lookup_table_v2=PRECISE,
    layer_norm=PRECISE,
)
EXPECTED = {
    'O1': (dict(level='O1'), O1),
    'O2': (
        dict(level='O2'),
        O1 | dict(exp=ONE, reduce_sum=ONE, cumsum=ONE, softmax=ONE, layer_norm=ONE),
    ),
    'OD': (
        dict(level='OD'),
        {name: LISTED if name in ('matmul', 'linear') else PRECISE for name in O1},
    ),
    'O2 without promotion': (
        dict(level='O2', use_promote=False),
        {name: PRECISE if name == 'lookup_table_v2' else LISTED for name in O1},
    ),
    'white': (dict(level='O1', custom_white_list=set(FUNCTIONS)), {name: LISTED for name in O1}),
    'black': (
        dict(level='O1', custom_black_list=set(FUNCTIONS) | {'matmul_v2', 'linear_v2'}),
        {name: PRECISE for name in O1},
    ),
}


def dtypes(function, arguments, recorded):
    got = []
    for dx, dy in ((F32, F32), (F32, LOW), (LOW, F32), (LOW, LOW)):
        with static_program() if recorded else contextlib.nullcontext():
            x, y = (
                paddle.static.data(n, [4, 4], d) if recorded else paddle.ones([4, 4], d)
                for n, d in (('x', dx), ('y', dy))
            )
            with paddle.amp.auto_cast(dtype=LOW, **arguments):
                got.append(str(function(x, y).dtype).rsplit('.', 1)[-1].lower())
    return got


@pytest.mark.parametrize('recorded', [False, True])
@pytest.mark.parametrize('name', FUNCTIONS)
@pytest.mark.parametrize('state', EXPECTED)
def test_dtype(state, name, recorded):
    arguments, expected = EXPECTED[state]
    assert dtypes(FUNCTIONS[name], arguments, recorded) == expected[name]


def test_old_and_new_names_name_one_operation():
    x = paddle.ones([4])
    for name in ('add', 'elementwise_add'):
        with paddle.amp.auto_cast(dtype=LOW, custom_white_list={name}):
            assert (x + x).dtype == paddle.bfloat16
            assert (x - x).dtype == paddle.float32


def test_statistics_of_batch_norm_stay_as_they_are():
    norm = paddle.nn.BatchNorm1D(4)
    for level in ('O1', 'O2', 'OD'):
        with paddle.amp.auto_cast(dtype=LOW, level=level):
            out = norm(paddle.ones([3, 4], LOW))
        assert str(out.dtype)[7:] == (F32 if level == 'OD' else LOW)
        assert norm._mean.dtype == norm._variance.dtype == paddle.float32


def test_writes_keep_the_dtype_of_their_tensor():
    for level in ('O1', 'O2', 'OD'):
        x = paddle.ones([4], LOW)
        view = x[1:3]
        with paddle.amp.auto_cast(dtype=LOW, level=level, custom_black_list={'tanh', 'scale'}):
            x.tanh_()
            x[0] = 2.0
            x[3] = paddle.full([], 3.0)
            x.fill_(4.0)
        assert x.dtype == paddle.bfloat16 and view.tolist() == [4.0, 4.0]


@pytest.mark.parametrize('create_graph', [False, True])
def test_backward_inside_is_that_outside(create_graph):
    rng = np.random.default_rng(0)
    values = rng.standard_normal((4, 4)).astype('float32')

    def gradient(inside):
        x = paddle.to_tensor(values, stop_gradient=False)
        with paddle.amp.auto_cast(dtype=LOW):
            loss = (paddle.matmul(x, x).tanh() * x).sum()
            if inside:
                return paddle.grad(loss, x, create_graph=create_graph)[0]
        return paddle.grad(loss, x, create_graph=create_graph)[0]

    inside, outside = gradient(True), gradient(False)
    assert inside.dtype == outside.dtype == paddle.float32
    np.testing.assert_array_equal(inside.numpy(), outside.numpy())


def test_hooks_and_layers_of_python_run_under_the_level_of_the_call():
    seen = []

    class Double(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, dy):
            seen.append(paddle.amp.is_autocast_enabled())
            return dy * 2

    for inside in (True, False):
        x = paddle.ones([2], 'float32')
        x.stop_gradient = False
        y = Double.apply(x)
        y.register_hook(lambda g: seen.append(paddle.amp.is_autocast_enabled()))
        with paddle.amp.auto_cast(enable=inside, dtype=LOW):
            y.sum().backward()
    assert seen == [True, True, False, False]
