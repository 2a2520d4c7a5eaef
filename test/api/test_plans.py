# SPDX-License-Identifier: Apache-2.0
"""What the executor's plans promise: updates run early, nothing unread is computed, memory near the
least that is possible.
"""

import threading

import numpy as np
import paddle
import pytest
from paddle import static

F = paddle.nn.functional


@pytest.fixture
def programs():
    paddle.seed(1)
    paddle.enable_static()
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        yield main, startup
    paddle.disable_static()


def run(main, feed, fetch, times=4):
    executor = static.Executor()
    results = [executor.run(main, feed=feed, fetch_list=fetch) for _ in range(times)]
    ((plan, _),) = main._plans.values()
    return results, plan


def random(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype('float32')


class Net(paddle.nn.Layer):
    """Convolutions with a residual, batch norm and a linear layer."""

    def __init__(self):
        super().__init__()
        self.first, self.second = (
            paddle.nn.Conv2D(3, 16, 3, padding=1),
            paddle.nn.Conv2D(16, 16, 3, padding=1),
        )
        self.norm, self.last = paddle.nn.BatchNorm2D(16), paddle.nn.Linear(16 * 64, 20)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = F.relu(self.norm(self.second(x)) + x)
        return self.last(x.flatten(1))


def optimizers():
    return {
        'sgd': lambda p: paddle.optimizer.SGD(0.1, parameters=p),
        'momentum': lambda p: paddle.optimizer.Momentum(0.1, parameters=p, weight_decay=0.1),
        'adam': lambda p: paddle.optimizer.Adam(0.1, parameters=p),
        'clip': lambda p: paddle.optimizer.SGD(
            0.1, parameters=p, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.1)
        ),
    }


@pytest.mark.parametrize('name', optimizers())
def test_training_equals_eager(programs, name):
    main, _ = programs
    x, y = random(4, 3, 16, 16), np.arange(4).reshape(4, 1)
    net = Net()
    state = {k: v.numpy() for k, v in net.state_dict().items()}
    loss = F.cross_entropy(net(static.data('x', [4, 3, 16, 16])), static.data('y', [4, 1], 'int64'))
    optimizers()[name](net.parameters()).minimize(loss)
    got, plan = run(main, {'x': x, 'y': y}, [loss], 6)
    paddle.disable_static()
    eager = Net()
    eager.set_state_dict(state)
    step = optimizers()[name](eager.parameters())
    for (value,) in got:
        expected = F.cross_entropy(eager(paddle.to_tensor(x)), paddle.to_tensor(y))
        expected.backward()
        step.step()
        step.clear_grad()
        np.testing.assert_allclose(value, expected.numpy(), rtol=2e-5, atol=1e-6)
    for key, value in net.state_dict().items():
        np.testing.assert_allclose(
            value.numpy(), eager.state_dict()[key].numpy(), rtol=2e-3, atol=2e-5
        )
    order = plan.order
    op = {'clip': 'sgd_'}.get(name, f'{name}_')
    large, small = order.index(op), order.index(f'{op} x 7')  # the last layer's weight is large
    gradients = [i for i, one in enumerate(order) if one.startswith('conv2d_grad: ')]
    assert small > gradients[-1] and order.count(op) == 1
    if name == 'clip':  # no update before the last gradient is known
        assert large > gradients[-1]
    else:
        assert large < gradients[0]


def test_memory_is_near_the_least(programs):
    main, _ = programs
    net = Net()
    loss = F.cross_entropy(net(static.data('x', [8, 3, 16, 16])), static.data('y', [8, 1], 'int64'))
    paddle.optimizer.SGD(0.1).minimize(loss)
    _, plan = run(main, {'x': random(8, 3, 16, 16), 'y': np.zeros([8, 1], 'int64')}, [loss])
    assert (
        0 < plan.least_workspace_bytes <= plan.workspace_bytes <= 1.15 * plan.least_workspace_bytes
    )
    # What the backward needs of the forward is alive when it starts: the first convolution's result
    # is not (the addition of the bias needs its shape alone), nor is the second's normalised one.
    full = 8 * 16 * 16 * 16 * 4
    assert plan.least_workspace_bytes < 4 * full


def attention(x):
    q, k, v = (x.matmul(static.create_parameter([32, 32], 'float32')) for _ in range(3))
    weights = F.softmax(paddle.matmul(q, k, transpose_y=True) * 0.2)
    return F.layer_norm(paddle.matmul(weights, v) + x, 32)


@pytest.mark.parametrize(
    'call',
    [
        attention,
        lambda x: paddle.concat([x, attention(x) * x[:, :, :1]], 1)[:, 8:],
        lambda x: paddle.stack([x, x.transpose([0, 2, 1]).tile([1, 1, 2])[:, :16]], 1).sum(1),
        lambda x: F.pad(attention(x), [0, 2]).cumsum(1) / x.abs().max(-1, keepdim=True),
        lambda x: paddle.nn.LSTM(32, 32, num_layers=2)(attention(x))[0],
        lambda x: F.binary_cross_entropy(F.sigmoid(attention(x)), F.sigmoid(x)),
        lambda x: F.smooth_l1_loss(attention(x), x, delta=0.5),
    ],
    ids=['attention', 'concat', 'stack', 'pad', 'lstm', 'bce', 'huber'],
)
def test_programs_that_train_plan_all_memory(programs, call):
    main, _ = programs
    x = static.data('x', [8, 16, 32])
    w = static.create_parameter([32], 'float32')
    w.set_value(np.ones(32, 'float32'))
    loss = (call(x * w) ** 2).mean()
    results, plan = run(main, {'x': random(8, 16, 32)}, [loss, *static.gradients(loss, [w])])
    assert plan.unplanned == []
    for values in results[1:]:
        for a, b in zip(values, results[0]):
            np.testing.assert_array_equal(a, b)


def test_compositions_with_sizes_of_the_run(programs):
    main, _ = programs
    x, y = static.data('x', [-1, 64, 32]), static.data('y', [-1, 32, 48])
    x.stop_gradient = False
    out = paddle.bmm(x, y)
    (dx,) = static.gradients(out.sum(), [x])
    for n in (2, 2, 2, 3, 3, 3, 2):
        feed = {'x': random(n, 64, 32), 'y': random(n, 32, 48)}
        ((got, grad),), plan = run(main, feed, [out, dx], 1)
        np.testing.assert_allclose(got, feed['x'] @ feed['y'], rtol=1e-4, atol=1e-4)
        want = np.broadcast_to(feed['y'].sum(2)[:, None], grad.shape)
        np.testing.assert_allclose(grad, want, rtol=1e-4, atol=1e-4)
    # Parts take its place where that needs no extent; a sum's gradient is expanded to one.
    assert {'bmm: matmul', 'bmm_grad: matmul', 'sum_grad'} <= set(plan.order)


def test_numbers_and_extents_are_made_once_for_shapes(programs):
    main, _ = programs
    x = static.data('x', [-1, 3])
    rows = paddle.shape(x)[0].astype('float32')  # the same for inputs of one shape
    out = (x + 1.5).sum(0) * rows - paddle.full([3], 2.0)
    given = paddle.full([2], 7.0)  # leaves, so each run makes it
    moved = paddle.full([], 1.0)
    paddle.increment(moved, 2.0)
    last = x[0] * moved
    for n in (2, 2, 2, 5, 5, 5, 2, 5, 2, 4):
        value = random(n, 3)
        ((got, seven, three),), plan = run(main, {'x': value}, [out, given, last], 1)
        want = (value + 1.5).sum(0) * n - 2
        np.testing.assert_allclose(got, want, rtol=1e-5)
        np.testing.assert_array_equal(seven, [7, 7])
        seven[:] = 0  # is nobody else's
        np.testing.assert_allclose(three, value[0] * 3, rtol=1e-6)
    assert plan.order.count('full') == 1  # the one that leaves


def test_scratch_that_operators_declare_lies_in_the_workspace(programs):
    main, _ = programs
    x = static.data('x', [2, 8, 32, 32], 'float64')
    x.stop_gradient = False
    w = static.data('w', [1, 8, 3, 3], 'float64')
    out = F.conv2d(x, w)
    (dx,) = static.gradients(out.sum(), [x])
    feed = {'x': random(2, 8, 32, 32).astype('float64'), 'w': random(1, 8, 3, 3).astype('float64')}
    results, plan = run(main, feed, [out.sum(), dx])
    columns = 8 * 9 * 30 * 30 * 8  # of one image, in either direction
    assert columns <= plan.workspace_bytes < 2 * columns
    for result in results[1:]:
        for a, b in zip(result, results[0]):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    'call, dtype',
    [
        (lambda x: paddle.cumsum(x.transpose([1, 0]), 0), 'float32'),
        (lambda x: paddle.argsort(x.transpose([1, 0]), 0), 'float32'),
        (lambda x: paddle.repeat_interleave(x.transpose([1, 0]), 1, 0), 'float32'),
        (lambda x: F.unfold(x.reshape([1, 1, 96, 64]), 1), 'float16'),
    ],
    ids=['cumsum', 'argsort', 'repeat', 'half'],
)
def test_copies_of_operands_lie_in_the_workspace(programs, call, dtype):
    """What a kernel reads in another order or dtype is copied to memory of the plan."""
    main, _ = programs
    out = call(static.data('x', [96, 64], dtype))
    results, plan = run(main, {'x': random(96, 64).astype(dtype)}, [out.max(), out.min()])
    copy, result = 96 * 64 * 4, 96 * 64 * paddle.empty([], out.dtype).element_size()
    assert plan.workspace_bytes >= copy + result
    for values in results[1:]:
        for a, b in zip(values, results[0]):
            np.testing.assert_array_equal(a, b)
    paddle.disable_static()
    want = call(paddle.to_tensor(random(96, 64).astype(dtype)))
    np.testing.assert_array_equal(results[0][0], want.max().numpy())


@pytest.mark.parametrize('transposed', [False, True])
def test_a_matrix_that_meets_a_batch_has_one_product_as_gradient(programs, transposed):
    main, _ = programs
    w = paddle.create_parameter([256, 64] if transposed else [64, 256], 'float32')
    x = static.data('x', [16, 4, 64])
    out = paddle.matmul(x, w, transpose_y=transposed)
    (grad,) = static.gradients([(out * out).sum()], [w])
    fed = random(16, 4, 64)
    results, plan = run(main, {'x': fed}, [grad, w], 6)
    # A product of each part would take that much.
    assert plan.workspace_bytes < 16 * 64 * 256 * 4 / 2
    paddle.disable_static()
    rows = fed.reshape(64, 64).astype('float64')
    weight = results[0][1].astype('float64').T if transposed else results[0][1].astype('float64')
    want = 2 * rows.T @ (rows @ weight)
    np.testing.assert_allclose(results[0][0], want.T if transposed else want, rtol=0, atol=1e-3)


def test_lists_of_results_lie_in_the_workspace(programs):
    main, _ = programs
    net = paddle.nn.LSTM(64, 128)
    out, _ = net(static.data('x', [2, 2, 64]))
    paddle.optimizer.SGD(0.1, parameters=net.parameters()).minimize(out.sum())
    results, plan = run(main, {'x': random(2, 2, 64)}, [out.sum()], 6)
    assert plan.workspace_bytes >= 4 * 512 * (64 + 128)  # the gradients of the weights
    paddle.disable_static()


def test_scratch_of_recurrent_layers_lies_in_the_workspace(programs):
    main, _ = programs
    net = paddle.nn.LSTM(16, 32, num_layers=2)
    net.eval()
    out, _ = net(static.data('x', [4, 20, 16]))
    results, plan = run(main, {'x': random(4, 20, 16)}, [out.sum()])
    assert plan.workspace_bytes >= 4 * 20 * 4 * 32 * 4  # the gates of all steps
    assert all(value == results[0][0] for (value,) in results)


def test_gradients_nobody_reads_are_not_computed(programs):
    main, _ = programs
    x = static.data('x', [256, 2048])
    loss = paddle.matmul(x, static.create_parameter([2048, 4], 'float32')).mean()
    paddle.optimizer.SGD(0.1).minimize(loss)
    _, plan = run(main, {'x': random(256, 2048)}, [loss])
    assert plan.least_workspace_bytes < 256 * 2048 * 4


def test_elementwise_results_take_the_place_of_their_operands(programs):
    main, _ = programs
    x = static.data('x', [64, 1024])
    bias = static.data('b', [1024])
    out = x * 2
    for _ in range(5):
        out = F.relu(out + bias)  # the sum is broadcast
    out = F.leaky_relu(out, 0.5).sum()
    results, plan = run(main, {'x': random(64, 1024), 'b': random(1024)}, [out])
    assert plan.workspace_bytes <= 64 * 1024 * 4 + (16 << 10)
    expected = random(64, 1024) * 2
    for _ in range(5):
        expected = np.maximum(expected + random(1024), 0)
    for (value,) in results:
        np.testing.assert_allclose(value, expected.sum(dtype='float64'), rtol=1e-5)


def test_results_made_by_kernels_share_memory(programs):
    main, _ = programs
    out = static.data('x', [256, 256])
    for _ in range(12):
        out = paddle.matmul(out, out) * 1e-2
        out = paddle.concat([out[:128], out[128:]])
    results, plan = run(main, {'x': np.eye(256, dtype='float32')}, [out.sum()])
    assert plan.workspace_bytes <= 4 * 256 * 256 * 4
    assert all(value == results[0][0] for (value,) in results)


def test_an_update_waits_for_readers_of_the_old_value(programs):
    main, _ = programs
    w = static.create_parameter(
        [4], 'float32', default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    x = static.data('x', [4])
    loss = (w * w * x).sum()
    before = w * 1
    paddle.optimizer.SGD(0.5).minimize(loss)
    after = w * 1
    results, _ = run(main, {'x': np.ones(4, 'float32')}, [before, after, loss], 3)
    value = np.ones(4)
    for old, new, _ in results:
        np.testing.assert_allclose(old, value, rtol=1e-6)
        value = value - 0.5 * 2 * value
        np.testing.assert_allclose(new, value, rtol=1e-6)


def test_views_of_a_parameter_hold_the_update_back(programs):
    main, _ = programs
    w = static.create_parameter(
        [2, 3], 'float32', default_initializer=paddle.nn.initializer.Constant(2.0)
    )
    flat = w.reshape([6])
    loss = (w * static.data('x', [2, 3])).sum()
    paddle.optimizer.SGD(1.0).minimize(loss)
    late = flat.transpose([0]) + 0
    results, _ = run(main, {'x': np.ones([2, 3], 'float32')}, [late], 3)
    for k, (value,) in enumerate(results):
        assert np.allclose(value, 2 - (k + 1))


def test_feeding_the_memory_of_a_parameter(programs):
    main, _ = programs
    a = static.create_parameter(
        [3], 'float32', default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    b = static.create_parameter(
        [3], 'float32', default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    x = static.data('x', [3])
    loss = (paddle.tanh(x * b) * a).sum()
    paddle.optimizer.SGD(0.5, parameters=[a, b]).minimize(loss)
    executor = static.Executor()
    va, vb = np.ones(3), np.ones(3)
    for _ in range(4):
        fed = va
        executor.run(main, feed={'x': a}, fetch_list=[loss])
        t = np.tanh(fed * vb)
        va, vb = va - 0.5 * t, vb - 0.5 * va * (1 - t * t) * fed
        np.testing.assert_allclose(a.numpy(), va, rtol=1e-5)
        np.testing.assert_allclose(b.numpy(), vb, rtol=1e-5)


def test_threads_share_a_plan_with_served_memory(programs):
    main, _ = programs
    x = static.data('x', [-1, 3, 16, 16])
    conv = paddle.nn.Conv2D(3, 8, 3, padding=1)
    out = F.relu(conv(x))
    out = paddle.matmul(
        paddle.concat([out, out * 2], 1).flatten(2), static.create_parameter([256, 16], 'float32')
    ).sum([1, 2])
    plan = paddle.base.libpaddle.pir.Plan(main, [out])
    inputs = [random(1 + k % 3, 3, 16, 16) * (k + 1) for k in range(6)]
    expected = [plan.run([paddle.to_tensor(value)])[0].numpy() for value in inputs]
    wrong = []

    def work(first):
        for step in range(60):
            k = (first + step // 10) % len(inputs)
            got = plan.run([paddle.to_tensor(inputs[k])])[0].numpy()
            if not np.allclose(got, expected[k], rtol=1e-5):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize('dtype', ['float32', 'bfloat16'])
@pytest.mark.parametrize('name', ['SGD', 'Momentum', 'Adam', 'AdamW'])
def test_small_parameters_are_updated_together_to_the_bits_of_eager(programs, name, dtype):
    """More elements than a thread takes alone, so that the loop is cut inside of parameters."""
    main, _ = programs
    sizes = [15000, 1, 14999, 15001, 300, 15000, 14000]
    # Not all gradients have memory of their own and the parameter's layout.
    shapes = [[n] if k != 4 else [20, 15] for k, n in enumerate(sizes)]
    x = [random(n).reshape(shape[::-1]) for n, shape in zip(sizes, shapes)]
    kept = {} if name == 'SGD' else {'multi_precision': dtype != 'float32'}

    def parameters():
        made = [
            paddle.create_parameter(
                s, dtype, default_initializer=paddle.nn.initializer.Constant(0.5)
            )
            for s in shapes
        ]
        return made, getattr(paddle.optimizer, name)(
            0.1, parameters=made, weight_decay=0.01, **kept
        )

    def loss_of(made, inputs):
        return sum(
            (w * w * v.transpose(list(range(v.ndim))[::-1]).astype(dtype)).astype('float32').sum()
            for w, v in zip(made, inputs)
        )

    made, optimizer = parameters()
    optimizer.minimize(loss_of(made, [static.data(f'x{k}', v.shape) for k, v in enumerate(x)]))
    _, plan = run(main, {f'x{k}': v for k, v in enumerate(x)}, [], 5)
    assert f'{name.lower()}_ x 7' in plan.order
    paddle.disable_static()
    eager, step = parameters()
    for _ in range(5):
        loss_of(eager, [paddle.to_tensor(v) for v in x]).backward()
        step.step()
        step.clear_grad()
    for a, b in zip(made, eager):
        assert (a.astype('float32').numpy() == b.astype('float32').numpy()).all() and not (
            a.astype('float32').numpy() == 0.5
        ).all()


def test_updates_that_depend_on_each_other_are_not_joined(programs):
    """The second step of a parameter, and one whose gradient is what another step wrote."""
    main, _ = programs
    a, b, c = (
        static.create_parameter(
            [4], 'float32', default_initializer=paddle.nn.initializer.Constant(v)
        )
        for v in (1.0, 2.0, 3.0)
    )
    rate = static.data('rate', [1])
    paddle._C_ops.sgd_(a, rate, b, None, False)
    paddle._C_ops.sgd_(a, rate, b, None, False)
    paddle._C_ops.sgd_(c, rate, a, None, False)
    for k in range(4):
        run(main, {'rate': np.ones(1, 'float32')}, [], 1)
        assert (a.numpy() == 1 - 4 * (k + 1)).all()
    assert (c.numpy() == 3 - sum(1 - 4 * (k + 1) for k in range(4))).all()
