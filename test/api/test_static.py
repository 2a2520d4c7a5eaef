# SPDX-License-Identifier: Apache-2.0
"""paddle.static and paddle.jit: training in static mode equals eager training; layers are saved and
loaded.
"""

import numpy as np
import pytest

import paddle
import paddle.static as static
from paddle.static import InputSpec

rng = np.random.default_rng(11)
X = rng.standard_normal((16, 4)).astype('float32')
Y = (X @ rng.standard_normal((4, 1))).astype('float32')


def network():
    paddle.seed(5)
    slow = paddle.ParamAttr(learning_rate=0.25)
    return paddle.nn.Sequential(
        paddle.nn.Linear(4, 8, bias_attr=False),
        paddle.nn.BatchNorm1D(8),
        paddle.nn.Tanh(),
        paddle.nn.Linear(8, 1, weight_attr=slow),
    )


def scheduled():
    return paddle.optimizer.lr.StepDecay(0.05, step_size=2, gamma=0.1)


OPTIMIZERS = {
    'sgd': lambda p: paddle.optimizer.SGD(0.1, parameters=p),
    'sgd_scheduled': lambda p: paddle.optimizer.SGD(scheduled(), parameters=p),
    'momentum_decay': lambda p: paddle.optimizer.Momentum(0.05, parameters=p, weight_decay=0.01),
    'adam': lambda p: paddle.optimizer.Adam(0.01, parameters=p),
    'adamw_clip': lambda p: paddle.optimizer.AdamW(
        0.01, parameters=p, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)
    ),
}


@pytest.mark.parametrize('name', OPTIMIZERS)
def test_training_equals_eager(name):
    net = network()
    optimizer = OPTIMIZERS[name](net.parameters())
    want = []
    for _ in range(5):
        loss = ((net(paddle.to_tensor(X)) - paddle.to_tensor(Y)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        if name == 'sgd_scheduled':
            optimizer._learning_rate.step()
        want.append(float(loss.numpy()))
    mean = net[1]._mean.numpy()
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x, y = static.data('x', [-1, 4]), static.data('y', [-1, 1])
            net = network()
            loss = ((net(x) - y) ** 2).mean()
            optimizer = OPTIMIZERS[name](None)
            _, pairs = optimizer.minimize(loss)
        assert len(pairs) == 5
        exe = static.Executor()
        exe.run(startup)
        got = []
        for _ in range(5):
            got.append(float(exe.run(main, feed={'x': X, 'y': Y}, fetch_list=[loss])[0]))
            if name == 'sgd_scheduled':
                optimizer._learning_rate.step()
        with static.program.running():
            static_mean = net[1]._mean.numpy()
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got, want, rtol=1e-5)
    np.testing.assert_allclose(static_mean, mean, rtol=1e-5, atol=1e-7)


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = paddle.nn.Conv2D(1, 4, 3, padding=1), paddle.nn.BatchNorm2D(4)
        self.drop, self.out = paddle.nn.Dropout(0.5), paddle.nn.Linear(28, 5)

    def forward(self, x, scale=2.0):
        h = self.drop(paddle.nn.functional.relu(self.norm(self.conv(x))))
        a, b = paddle.split(h, 2, axis=1)
        h = paddle.concat([a, b * scale], axis=1).mean(axis=1)
        return self.out(h), h.max(axis=-1)


@pytest.mark.parametrize('marked', [False, True])
def test_jit_save_and_load(tmp_path, marked):
    net = Net()
    net.eval()
    spec = [InputSpec([None, 1, 28, 28], 'float32')]
    if marked:
        net = paddle.jit.to_static(net, input_spec=spec)
    paddle.jit.save(net, str(tmp_path / 'net'), None if marked else spec)
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    for batch in (1, 3):
        x = paddle.to_tensor(rng.standard_normal((batch, 1, 28, 28)).astype('float32'))
        for got, want in zip(loaded(x), net(x)):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6, atol=1e-6)
    with pytest.raises(ValueError):
        loaded(x, x)
    loaded.train()
    assert loaded.training


def test_jit_save_keeps_branches(tmp_path):
    def branch(x):
        if x.sum() > 0:
            return x
        return -x * x.shape[0]

    paddle.jit.save(branch, str(tmp_path / 'f'), [InputSpec([None])])
    exe = static.Executor()
    program, feeds, fetches = static.load_inference_model(str(tmp_path / 'f'), exe)
    for values in ([1.0, 2.0], [-1.0, -2.0, -3.0]):
        x = paddle.to_tensor(values)
        np.testing.assert_array_equal(
            exe.run(program, {feeds[0]: x}, fetches)[0], branch(x).numpy()
        )


def test_jit_save_refuses(tmp_path):
    with pytest.raises((TypeError, RuntimeError)):
        paddle.jit.save(lambda x: x.numpy(), str(tmp_path / 'f'), [InputSpec([2])])
    with pytest.raises(ValueError, match='input_spec'):
        paddle.jit.save(Net(), str(tmp_path / 'f'))
    with pytest.raises(ValueError, match='at least one tensor'):
        paddle.jit.save(lambda x: 3, str(tmp_path / 'f'), [InputSpec([2])])
    with pytest.raises(ValueError):
        paddle.jit.load(str(tmp_path / 'nothing'))
    assert not list(tmp_path.iterdir())
    assert paddle.in_dynamic_mode() and paddle.ones([1]).numpy()[0] == 1  # recording was left


def test_clone(static_mode):
    program = static.Program()
    with static.program_guard(program, static.Program()):
        x = static.data('x', [-1, 4])
        x.stop_gradient = False
        early = program.clone(for_test=True)
        weight = paddle.create_parameter([4, 4], 'float32')
        y = static.nn.batch_norm(paddle.matmul(paddle.nn.functional.dropout(x, 0.5), weight))
        paddle.optimizer.SGD(0.5).minimize(y.mean())
    assert early.num_ops() == 1
    late = program.clone(for_test=True)
    assert 'sgd_' in str(program) and 'sgd_' not in str(late)
    exe, feed = static.Executor(), {'x': np.ones([3, 4], 'float32')}
    before = weight.numpy().copy()
    first, second = (
        exe.run(late, feed=feed, fetch_list=[late.global_block().ops[-1].result(0)])
        for _ in range(2)
    )
    np.testing.assert_array_equal(first[0], second[0])  # no dropout
    np.testing.assert_array_equal(weight.numpy(), before)
    batch_norm = next(op for op in late.global_block().ops if op.name() == 'pd_op.batch_norm_')
    (value,) = exe.run(late, feed=feed, fetch_list=[batch_norm.result(0)])
    np.testing.assert_allclose(
        value, np.ones([3, 4]) @ before / np.sqrt(1 + 1e-5), rtol=1e-5
    )  # running statistics
    copy = program.clone()
    exe.run(copy, feed=feed)
    assert abs(weight.numpy() - before).max() > 0


def test_modes(static_mode):
    assert not paddle.in_dynamic_mode()
    program = static.Program()
    with static.program_guard(program):
        assert static.default_main_program() is program
        x = static.data('x', [-1, 3])
        assert x.shape == [-1, 3] and type(x).__name__ == 'Value'
        with pytest.raises(TypeError):
            bool(x.sum() > 0)
        with pytest.raises(ValueError):
            static.data('bad', [-2])
    assert static.default_main_program() is not program


def test_input_spec():
    spec = InputSpec([None, 3], 'int64', 'ids')
    assert (
        spec.shape == (-1, 3)
        and spec.dtype == paddle.int64
        and spec == InputSpec([-1, 3], 'int64', 'ids')
    )
    assert spec.batch(4).shape == (4, -1, 3) and spec.unbatch().shape == (-1, 3)
    with pytest.raises(TypeError):
        InputSpec(3)
    with pytest.raises(ValueError):
        InputSpec([-5])


def test_recorded_gradients_are_single_ops_and_equal_eager():
    """Fused backward kernels are recorded whole; bound runs (from the third on) give what eager
    gives.
    """
    nn, F = paddle.nn, paddle.nn.functional

    class Mixed(nn.Layer):
        def __init__(self):
            super().__init__()
            self.conv, self.up, self.fc = (
                nn.Conv2D(3, 4, 3, padding=1),
                nn.Conv2DTranspose(4, 4, 2, stride=2),
                nn.Linear(256, 5),
            )
            self.norm, self.plain = (
                nn.BatchNorm2D(4),
                nn.BatchNorm2D(4, weight_attr=False, bias_attr=False),
            )
            self.rows = nn.LayerNorm(256)

        def forward(self, x, label):
            h = F.relu(self.norm(self.conv(x)))
            h = self.plain(self.plain(h)) + F.mish(h)
            h, _ = F.max_pool2d(self.up(h), 2, return_mask=True)
            h = F.interpolate(F.avg_pool2d(h, 2), scale_factor=2, mode='bilinear')
            o = self.fc(self.rows(paddle.stack([h, h * 2], 0).sum(0).flatten(1)))
            loss, probability = F.softmax_with_cross_entropy(o, label, return_softmax=True)
            return loss.mean() + (probability**2).sum() + F.nll_loss(F.log_softmax(o), label[:, 0])

    rng = np.random.default_rng(0)
    batches = [(rng.random((6, 3, 8, 8), 'float32'), rng.integers(0, 5, (6, 1))) for _ in range(5)]
    paddle.seed(3)
    eager = Mixed()
    sgd, want = paddle.optimizer.SGD(0.001, parameters=eager.parameters()), []
    for x, y in batches:
        loss = eager(paddle.to_tensor(x), paddle.to_tensor(y))
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        want.append(float(loss))
    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program):
            paddle.seed(3)
            net = Mixed()
            loss = net(static.data('x', [6, 3, 8, 8]), static.data('y', [6, 1], 'int64'))
            paddle.optimizer.SGD(0.001).minimize(loss)
        exe = static.Executor()
        got = [
            float(exe.run(program, feed={'x': x, 'y': y}, fetch_list=[loss])[0]) for x, y in batches
        ]
    finally:
        paddle.disable_static()
    names = {op.name() for op in program.global_block().ops}
    assert {
        f'pd_op.{n}_grad'
        for n in (
            'batch_norm',
            'layer_norm',
            'cross_entropy_with_softmax',
            'nll_loss',
            'linear_v2',
            'stack',
            'conv2d_transpose',
            'max_pool2d_with_index',
            'bilinear_interp',
            'mish',
        )
    } <= names
    np.testing.assert_allclose(got, want, rtol=1e-4)
    for a, b in zip(eager.state_dict().values(), net.state_dict().values()):
        np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=1e-4, atol=1e-5)


def test_extents_that_a_constant_repeats(static_mode):
    """A filled tensor as a list of sizes has all its elements."""
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [-1, 4], 'float32')
        results = [
            paddle.reshape(x, paddle.full([2], 4, 'int64')),
            paddle.expand(paddle.ones([1]), paddle.full([3], 2, 'int32')),
            paddle._C_ops.set_value_with_tensor(
                x, x[:1] * 2, [1], [paddle.full([1], 2, 'int64')], [1], [0], [], []
            ),
        ]
    data = np.arange(16, dtype='float32').reshape(4, 4)
    square, twos, changed = paddle.static.Executor().run(main, {'x': data}, results)
    assert (
        (square == data).all()
        and twos.shape == (2, 2, 2)
        and (changed[1] == data[0] * 2).all()
        and (changed[2] == data[2]).all()
    )


def test_a_copy_takes_values_of_its_original(static_mode):
    main = static.Program()
    with static.program_guard(main):
        x = static.data('x', [2, 2])
        y = paddle.nn.functional.dropout(x, 0.5) * 2
        loss = y.mean()
    exe, feed = static.Executor(), {'x': np.ones([2, 2], 'float32')}
    for copy in (main.clone(for_test=True), main.clone(for_test=True).clone()):
        for fetched in (y, loss):
            np.testing.assert_array_equal(
                exe.run(copy, feed, [fetched])[0], np.full(fetched.shape, 2.0, 'float32')
            )
    other = static.Program()
    with pytest.raises(RuntimeError):
        exe.run(other, feed, [y])


def test_a_name_is_looked_for_once_in_a_version_of_a_program(static_mode, monkeypatch):
    from paddle.static import value_names

    main, searched, search = static.Program(), [], value_names._searched
    monkeypatch.setattr(
        value_names, '_searched', lambda p, name: searched.append(name) or search(p, name)
    )
    with static.program_guard(main):
        x = static.data('x', [2])
        paddle.nn.functional.relu(x) * 2.0
    exe, feed = static.Executor(), {'x': np.array([-1, 3], 'float32')}

    def fetched(name):
        return exe.run(main, feed, [name])[0].tolist()

    assert [fetched('relu_0.tmp_0') for _ in range(3)] == [[0, 3]] * 3
    assert searched == ['relu_0.tmp_0']
    assert fetched('multiply_0.tmp_0') == [0, 6] or fetched('scale_0.tmp_0') == [0, 6]
    with static.program_guard(main):
        paddle.nn.functional.relu(x + 1)
    assert fetched('relu_0.tmp_0') == [0, 3] and fetched('relu_1.tmp_0') == [0, 4]
    assert searched.count('relu_0.tmp_0') == 2
    assert not main.global_block().has_var('relu_2.tmp_0')


def test_values_are_fetched_by_the_names_they_tell():
    paddle.enable_static()
    try:
        main, startup = static.Program(), static.Program()
        with static.program_guard(main, startup):
            x = static.data('x', [2, 4])
            x.stop_gradient = False
            early = main.clone()
            h = paddle.nn.functional.relu(static.nn.fc(x, 3, bias_attr=False))
            y = paddle.nn.functional.relu(h * 2.0)
            copy = main.clone(for_test=True)
            assert [v.name for v in (x, h, y)] == ['x', 'relu_0.tmp_0', 'relu_1.tmp_0']
            y.name = 'mine'
            loss = paddle.sum(y * y)
            ((w, dw),) = static.append_backward(loss)
            assert dw.name == w.name + '@GRAD'
        exe = static.Executor()
        exe.run(startup)
        feed, block = {'x': X[:2]}, main.global_block()
        want = exe.run(main, feed, [h, y, dw])
        for program in (main, main.clone()):
            got = exe.run(program, feed, ['relu_0.tmp_0', 'mine', w.name + '@GRAD'])
            for one, other in zip(got, want):
                np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(exe.run(copy, feed, [h.name])[0], want[0])
        got = dict(
            zip('hxp', exe.run(main, feed, [h.name + '@GRAD', 'x@GRAD', 'multiply_1.tmp_0@GRAD']))
        )
        np.testing.assert_allclose(got['h'], 4 * want[1] * (want[1] > 0), rtol=1e-6)
        np.testing.assert_allclose(
            got['x'], (got['h'] * (want[0] > 0)) @ w.numpy().T, rtol=1e-5, atol=1e-5
        )
        np.testing.assert_array_equal(got['p'], np.ones([2, 3], 'float32'))
        assert block.has_var('mine') and not block.has_var('relu_2.tmp_0')
        assert not early.global_block().has_var('relu_0.tmp_0')
        assert not block.has_var('relu_0.tmp_1') and not block.has_var('none@GRAD')
    finally:
        paddle.disable_static()


def test_gradients_of_inputs_by_name():
    paddle.enable_static()
    try:
        main = static.Program()
        with static.program_guard(main):
            x = static.data('x', [3])
            x.stop_gradient = False
            ((_, dx),) = static.append_backward(paddle.sum(x**3), parameter_list=['x'])
        feed = {'x': np.array([1, 2, 3], 'float32')}
        got = static.Executor().run(main, feed, [dx.name])[0]
        assert dx.name == 'x@GRAD' and got.tolist() == [3, 12, 27]
    finally:
        paddle.disable_static()


def test_arrays_and_numbers_in_scopes():
    from paddle.base import core

    scope = static.Scope()
    array, tensor = scope.var('array').get_dense_tensor_array(), core.DenseTensor()
    tensor.set(np.ones(2, 'float32'), paddle.CPUPlace())
    array.append(tensor)
    found = scope.find_var('array').get_dense_tensor_array()
    assert len(found) == 1 and np.array(found[0]).tolist() == [1, 1]
    variable = scope.var('number')
    variable.set_int(3)
    assert variable.get_int() == 3 and variable.is_int() and not variable.is_float()
    variable.set_float(2.5)
    assert variable.get_float() == 2.5 and not variable.is_int()
    with pytest.raises(ValueError, match="'number' to hold a number of type int, got 2.5"):
        variable.get_int()


def test_losses_have_one_element(static_mode):
    with paddle.static.program_guard(paddle.static.Program()):
        y = paddle.static.nn.fc(paddle.static.data('x', [-1, 2]), 2)
        with pytest.raises(AssertionError, match='one element'):
            paddle.optimizer.SGD(0.1).minimize(y)
