# SPDX-License-Identifier: Apache-2.0
"""paddle.static: startup programs, state over runs, Python functions in programs, metrics, and
layers as functions.
"""

import numpy as np
import pytest
from paddle.static import nn

import paddle
from paddle import static


@pytest.fixture
def program():
    paddle.enable_static()
    try:
        with paddle.utils.unique_name.guard():
            main, startup = static.Program(), static.Program()
            with static.program_guard(main, startup):
                yield main, startup, static.Executor()
    finally:
        paddle.disable_static()


def held(name):
    return np.array(static.global_scope().find_var(name).get_tensor())


def test_startup(program):
    main, startup, exe = program
    paddle.seed(7)
    x = static.data('x', [2, 4])
    y = nn.fc(x, 3)
    loss = paddle.nn.Linear(3, 2)(y).mean()
    paddle.optimizer.Adam(0.1).minimize(loss)
    exe.run(startup)
    first = held('fc_0.w_0')  # as PaddlePaddle 3.3.1 draws them
    np.testing.assert_allclose(first.ravel()[:3], [-0.89824504, 0.2923429, 0.5601932], rtol=1e-6)
    np.testing.assert_allclose(
        held('linear_0.w_0').ravel()[:3], [0.82843053, -0.54157203, -0.07425869], rtol=1e-6
    )
    exe.run(main, feed={'x': np.ones([2, 4], 'float32')})
    assert (
        abs(held('fc_0.w_0') - first).max() > 0.09 and abs(held('linear_0.w_0_moment1_0')).max() > 0
    )
    exe.run(startup)
    np.testing.assert_allclose(
        held('fc_0.w_0').ravel()[:3], [0.8736379, 0.84155273, -0.16401082], rtol=1e-6
    )
    assert not held('linear_0.w_0_moment1_0').any()
    static.global_scope().find_var('fc_0.w_0').get_tensor().set(first, paddle.CPUPlace())
    np.testing.assert_array_equal(held('fc_0.w_0'), first)
    with pytest.raises(ValueError):
        static.global_scope().find_var('fc_0.w_0').get_tensor().set(first[:2], paddle.CPUPlace())


def test_random_seed(program):
    _, startup, exe = program
    startup.random_seed = 3
    layer = paddle.nn.Linear(4, 2)
    for _ in range(2):
        exe.run(startup)
        np.testing.assert_allclose(
            layer.weight.numpy().ravel()[:3], [0.11753201, -0.60847247, 0.1804825], rtol=1e-6
        )


def test_state(program):
    main, startup, exe = program
    total = static.create_global_var([1], 1.0, 'float32', persistable=True, name='total')
    x = static.data('x', [1])
    paddle.assign(total + x, total)
    doubled = total * 2
    with static.program_guard(static.Program(), static.Program()):
        other = total * 10
        assert exe.run(static.default_main_program(), fetch_list=[other])[0] == [10]
    tripled = total * 3
    count = static.create_global_var([1], 0, 'int64', persistable=True)
    paddle.increment(count)
    copy = main.clone()
    for n in range(2, 5):
        got = exe.run(
            main, feed={'x': np.ones(1, 'float32')}, fetch_list=[total, doubled, tripled, count]
        )
        assert [v.item() for v in got] == [n, 2 * n, 3 * n, n - 1]
    exe.run(copy, feed={'x': np.ones(1, 'float32')})
    assert held('total') == [5]
    exe.run(startup)
    assert held('total') == [1] and count.numpy() == [0]


def test_py_func(program):
    main, _, exe = program
    x = static.data('x', [2, -1])
    x.stop_gradient = False
    place = main.current_block().create_var(name='o', shape=[2, -1], dtype='float32')
    seen = []

    def backward(*values):
        seen.append(len(values))
        return np.array(values[-1]) * 7

    y = static.py_func(
        lambda a: np.array(a) * 2, x, place, backward, skip_vars_in_backward_input=[x]
    )
    (gradient,) = static.gradients(y.sum(), x)
    value = np.arange(6, dtype='float32').reshape(2, 3)
    got = exe.run(main, feed={'x': value}, fetch_list=['o', gradient])
    np.testing.assert_array_equal(got[0], value * 2)
    np.testing.assert_array_equal(got[1], np.full([2, 3], 7))
    assert seen == [2]
    bad = main.current_block().create_var(shape=[2], dtype='float32')
    with pytest.raises(TypeError):
        static.py_func(3, x, bad)
    with static.program_guard(static.Program()):

        def failing(*a):
            raise KeyError('from the function')

        out = static.py_func(failing, static.data('a', [2]), bad)
        with pytest.raises(KeyError, match='from the function'):
            exe.run(
                static.default_main_program(), feed={'a': np.ones(2, 'float32')}, fetch_list=[out]
            )


def test_print_and_pylayer(program, capfd):
    main, _, exe = program
    x = static.data('x', [2, 3])
    x.stop_gradient = False
    y = static.Print(x * 1, first_n=1, message='hello', summarize=2)
    z = nn.static_pylayer(lambda a: a * 2, [y], lambda g: g * 5)
    (gradient,) = static.gradients(z.sum(), x)
    for _ in range(2):
        (got,) = exe.run(
            main, feed={'x': np.arange(6, dtype='float32').reshape(2, 3)}, fetch_list=[gradient]
        )
    np.testing.assert_array_equal(got, np.full([2, 3], 5))
    text = capfd.readouterr().out
    assert (
        text.count('message: hello') == 2
        and 'data: [0.000000 1.000000]' in text
        and 'data: [5.000000 5.000000]' in text
    )


def test_metrics(program):
    main, startup, exe = program
    x, label = static.data('x', [4, 2]), static.data('l', [4, 1], 'int64')
    metrics = [
        static.accuracy(x, label),
        *static.auc(x, label)[:2],
        static.auc(x, label, curve='PR')[0],
    ]
    bundle = static.ctr_metric_bundle(x[:, 1:], label)
    exe.run(startup)
    feed = {
        'x': np.array([[0.1, 0.9], [0.6, 0.4], [0.3, 0.7], [0.8, 0.2]], 'float32'),
        'l': np.array([[1], [1], [0], [0]]),
    }
    for n in (1, 2):
        got = exe.run(main, feed=feed, fetch_list=[*metrics, *bundle])
        np.testing.assert_allclose([v.item() for v in got[:3]], [0.5, 0.75, 0.75])
        np.testing.assert_allclose(
            [v.item() for v in got[4:]], np.array([0.9, 1.6, 2.2, 2.527659, 2, 4]) * n, rtol=1e-4
        )


def test_moving_average(program):
    main, startup, exe = program
    x = static.data('x', [2, 3])
    w = static.create_parameter(
        [3, 1], 'float32', name='w', default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    paddle.optimizer.SGD(0.1).minimize(paddle.matmul(x, w).mean())
    average = static.ExponentialMovingAverage(0.9)
    average.update()
    exe.run(startup)
    expected, scale = 0.0, 1.0
    for step in range(1, 4):
        exe.run(main, feed={'x': np.ones([2, 3], 'float32')})
        expected, scale = 0.9 * expected + 0.1 * (1 - 0.1 * step), 0.9 * scale
    with average.apply(exe):
        np.testing.assert_allclose(w.numpy(), np.full([3, 1], expected / (1 - scale)), rtol=1e-5)
    np.testing.assert_allclose(w.numpy(), np.full([3, 1], 0.7), rtol=1e-6)


LAYERS = {
    'batch_norm': (
        lambda x: nn.batch_norm(x, act='relu', moving_mean_name='m'),
        [2, 4, 4, 4],
        {'batch_norm_0.w_0': [4], 'batch_norm_0.b_0': [4], 'm': [4], 'batch_norm_0.w_1': [4]},
    ),
    'group_norm': (
        lambda x: nn.group_norm(x, 2),
        [2, 4, 4, 4],
        {'group_norm_0.w_0': [4], 'group_norm_0.b_0': [4]},
    ),
    'instance_norm': (
        nn.instance_norm,
        [2, 4, 4, 4],
        {'instance_norm_0.w_0': [4], 'instance_norm_0.b_0': [4]},
    ),
    'conv3d': (
        lambda x: nn.conv3d(paddle.unsqueeze(x, 4), 2, [3, 3, 1]),
        [2, 2, 2, 2, 1],
        {'conv3d_0.w_0': [2, 4, 3, 3, 1], 'conv3d_0.b_0': [2]},
    ),
    'conv2d_transpose': (
        lambda x: nn.conv2d_transpose(x, 2, output_size=[8, 8], bias_attr=False),
        [2, 2, 8, 8],
        {'conv2d_transpose_0.w_0': [4, 2, 5, 5]},
    ),
    'prelu': (lambda x: nn.prelu(x, 'channel'), [2, 4, 4, 4], {'prelu_0.w_0': [1, 4, 1, 1]}),
    'bilinear': (
        lambda x: nn.bilinear_tensor_product(x[:, :, 0, 0], x[:, 0, 0, :3], 6),
        [2, 6],
        {'bilinear_tensor_product_0.w_0': [6, 4, 3], 'bilinear_tensor_product_0.b_0': [1, 6]},
    ),
    'row_conv': (lambda x: nn.row_conv(x[:, 0], 2), [2, 4, 4], {'row_conv_0.w_0': [3, 4]}),
    'weight_norm': (
        lambda x: nn.fc(x, 3, 3, static.WeightNormParamAttr(dim=1), False),
        [2, 4, 4, 3],
        {'fc_0.w_0_g': [1, 3], 'fc_0.w_0_v': [4, 3]},
    ),
    'nce': (
        lambda x: nn.nce(x[:, :, 0, 0], paddle.ones([2, 1], 'int64'), 10),
        [2, 1],
        {'nce_0.w_0': [10, 4], 'nce_0.b_0': [10, 1]},
    ),
}


@pytest.mark.parametrize('name', LAYERS)
def test_layers(program, name):
    main, startup, exe = program
    call, shape, parameters = LAYERS[name]
    x = static.data('x', [2, 4, 4, 4])
    y = call(x)
    assert {p.name: list(p.shape) for p in main.all_parameters()} == parameters
    trained = [p for p in main.all_parameters() if not p.stop_gradient]
    pairs = [(p, g) for p, g in static.append_backward(y.sum()) if g is not None]
    assert len(pairs) == len(trained)
    exe.run(startup)
    got = exe.run(
        main,
        feed={'x': np.random.default_rng(0).random([2, 4, 4, 4], 'float32')},
        fetch_list=[y, *(g for _, g in pairs)],
    )
    assert list(got[0].shape) == shape and all(np.isfinite(v).all() for v in got)


def test_spectral_norm(program):
    main, startup, exe = program
    w = static.create_parameter([4, 5], 'float32')
    out = nn.spectral_norm(w, dim=1, power_iters=30)
    (gradient,) = static.gradients(out.sum(), [w])  # through a transpose that is not square
    assert gradient.shape == [4, 5]
    exe.run(startup)
    (value,) = exe.run(main, fetch_list=[out])
    np.testing.assert_allclose(np.linalg.svd(value)[1][0], 1, rtol=1e-3)


def test_seeds():
    np.testing.assert_allclose(
        paddle.uniform([3], 'float32', -1.0, 1.0, 3).numpy(),
        [0.11753201, -0.60847247, 0.1804825],
        rtol=1e-6,
    )
    drawn = paddle._C_ops.gaussian([3], 0.0, 1.0, 3, paddle.float32, paddle.CPUPlace())
    np.testing.assert_allclose(drawn.numpy(), [-1.3583484, 0.2623774, -1.7517507], rtol=1e-6)
