# SPDX-License-Identifier: Apache-2.0
"""Gradients of gradients inside to_static, up to whole training steps of a physics-informed
loss.
"""

import numpy as np
import pytest

import paddle


@pytest.mark.parametrize('order', [1, 2, 3, 4, 5])
def test_orders(order):
    def nth(x):
        x.stop_gradient = False
        y = x**5 + paddle.sin(x)
        for _ in range(order):
            (y,) = paddle.grad(y, x, create_graph=True)
        return y

    x = np.array([0.3, 1.2, -0.8])
    power = np.polyval(np.polyder([1, 0, 0, 0, 0, 0], order), x)
    expected = power + np.sin(x + order * np.pi / 2)
    found = paddle.jit.to_static(nth, full_graph=True)(paddle.to_tensor(x))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-10)


def _training(compiled):
    """Losses of five steps, each a program of its own when compiled: loss, its gradients and the
    update.
    """
    paddle.seed(7)
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))
    optimizer = paddle.optimizer.Adam(1e-2, parameters=net.parameters())

    def step(x):
        x.stop_gradient = False
        u = net(x)
        u_x = paddle.grad(u, x, create_graph=True)[0]
        u_xx = paddle.grad(u_x[:, :1], x, create_graph=True)[0][:, :1]
        loss = ((u_x[:, 1:] + u * u_x[:, :1] - 0.1 * u_xx) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    step = paddle.jit.to_static(step, full_graph=True) if compiled else step
    x = paddle.to_tensor(np.random.RandomState(0).rand(32, 2).astype('float32'))
    return [float(step(x)) for _ in range(5)]


def test_training_step_returns_the_loss_whose_graph_it_used_up():
    np.testing.assert_allclose(_training(True), _training(False), rtol=1e-5)


@pytest.mark.parametrize('scheduled', [False, True])
def test_recorded_steps_follow_the_learning_rate(scheduled):
    def losses(compiled):
        paddle.seed(3)
        net = paddle.nn.Linear(2, 1, weight_attr=paddle.ParamAttr(learning_rate=0.5))
        rate = paddle.optimizer.lr.StepDecay(0.1, 1, 0.1) if scheduled else 0.1
        optimizer = paddle.optimizer.SGD(rate, parameters=net.parameters())

        def step(x):
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss.detach()

        step = paddle.jit.to_static(step, full_graph=True) if compiled else step
        x, found = paddle.to_tensor([[0.5, 1.0], [2.0, -1.0]]), []
        for i in range(4):
            found.append(float(step(x)))
            if scheduled:
                rate.step()
            else:
                optimizer.set_lr(0.1 / (i + 2))
        return found

    np.testing.assert_allclose(losses(True), losses(False), rtol=1e-5)


def test_derivative_graphs_fuse():
    """Groups that reach past each other must not lead back to themselves: then nothing of the
    program would be fused.
    """
    net = paddle.nn.Sequential(
        paddle.nn.Linear(2, 8),
        paddle.nn.Tanh(),
        paddle.nn.Linear(8, 8),
        paddle.nn.Tanh(),
        paddle.nn.Linear(8, 1),
    )

    def gradients(x, t):
        u = t * (1.0 - x * x) * net(paddle.concat([x * 0.5, t - 1.0], axis=1)) - paddle.sin(x)
        u_x, u_t = paddle.grad(u, [x, t], create_graph=True)
        (u_xx,) = paddle.grad(u_x, x, create_graph=True)
        return paddle.grad(((u_t + u * u_x - 0.1 * u_xx) ** 2).mean(), net.parameters())

    rows = np.random.RandomState(0).rand(2, 16, 1).astype('float32')
    x, t = (paddle.to_tensor(r, stop_gradient=False) for r in rows)
    compiled = paddle.jit.to_static(gradients, full_graph=True)
    for a, b in zip(compiled(x, t), gradients(x, t)):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-4, atol=1e-6)
    assert compiled.program_cache.last().recording.traced.num_fused > 5


def test_equal_values_are_computed_and_kept_once():
    """A derivative of third order needs one sin and one cos, also when its gradient is kept for
    later.
    """

    def third(x):
        y = paddle.sin(x * 1.5) * x
        for _ in range(3):
            (y,) = paddle.grad(y, x, create_graph=True)
        return y

    compiled = paddle.jit.to_static(third, full_graph=True, backend=None)
    values = np.linspace(-1, 1, 5)
    x = paddle.to_tensor(values, stop_gradient=False)
    for _ in range(3):
        compiled(x)
    with paddle.profiler.Profiler() as p:
        out = compiled(x)
    names = [e.name for e in p.profiler_result.events if e.type.name == 'Program']
    assert names.count('sin') <= 1 and names.count('cos') <= 1
    out.sum().backward()
    w = 1.5 * values
    np.testing.assert_allclose(
        out.numpy(), -(1.5**3) * np.cos(w) * values - 3 * 1.5**2 * np.sin(w), rtol=1e-12
    )
    np.testing.assert_allclose(
        x.grad.numpy(), 1.5**4 * np.sin(w) * values - 4 * 1.5**3 * np.cos(w), rtol=1e-12
    )


def test_equal_gradients_are_recorded_once():
    """Two gradients of the same value share their way back, also when they are differentiated
    again.
    """
    net = paddle.nn.Sequential(
        paddle.nn.Linear(2, 8),
        paddle.nn.Tanh(),
        paddle.nn.Linear(8, 8),
        paddle.nn.Tanh(),
        paddle.nn.Linear(8, 1),
    )

    def derivatives(x, t, apart):
        u = net(paddle.concat([x, t], axis=1))
        if apart:
            u_x, u_t = (
                paddle.grad(u.sum(), [x], create_graph=True)[0],
                paddle.grad(u.sum(), [t], create_graph=True)[0],
            )
        else:
            u_x, u_t = paddle.grad(u.sum(), [x, t], create_graph=True)
        return u, u_x, u_t, paddle.grad(u_x.sum(), [x], create_graph=True)[0]

    def loss(x, t, apart=True):
        u, u_x, u_t, u_xx = derivatives(x, t, apart)
        return ((u_t + u * u_x - 0.1 * u_xx) ** 2).mean()

    rows = np.random.RandomState(0).rand(2, 16, 1).astype('float32')

    def products(function):
        compiled = paddle.jit.to_static(function, full_graph=True)
        x, t = (paddle.to_tensor(r, stop_gradient=False) for r in rows)
        value = compiled(x, t)
        value.backward()
        got = [value.numpy(), x.grad.numpy()] + [p.grad.numpy() for p in net.parameters()]
        net.clear_gradients()
        traced = compiled.program_cache.last().recording.traced
        ops = [
            op.name()
            for program in (traced.forward_program, traced.backward_program)
            for op in program.global_block().ops
        ]
        return got, sum('matmul' in name or 'linear' in name for name in ops)

    (once, count), (_, together) = products(loss), products(lambda x, t: loss(x, t, apart=False))
    assert count == together
    x, t = (paddle.to_tensor(r, stop_gradient=False) for r in rows)
    value = loss(x, t)
    value.backward()
    for a, b in zip(
        once, [value.numpy(), x.grad.numpy()] + [p.grad.numpy() for p in net.parameters()]
    ):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-6)
    net.clear_gradients()


def test_hooks_on_equal_gradients_are_apart():
    def f(x):
        y = (x**3).sum()
        a, b = paddle.grad(y, [x], create_graph=True)[0], paddle.grad(y, [x], create_graph=True)[0]
        a.register_hook(lambda g: g * 10)
        b = b + 0
        b.scale_(2.0)
        return paddle.grad((a + b).sum(), [x], create_graph=True)[0], a

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for got, want in zip(paddle.jit.to_static(f, full_graph=True)(x), f(x)):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)


@pytest.mark.skipif(
    not paddle.is_compiled_with_cinn(), reason='nothing is computed again without fused groups'
)
def test_cheap_values_are_computed_again_for_gradients():
    def loss(x, w):
        a = paddle.tanh(x @ w)
        derivative = 1 - a * a
        return ((derivative @ w) * derivative + a).sum()

    rng = np.random.RandomState(5)
    x, w = (paddle.to_tensor(rng.randn(8, 8).astype('float32')) for _ in range(2))
    w.stop_gradient = False
    loss(x, w).backward()
    expected = w.grad.numpy()

    def kept(backend):
        w.clear_grad()
        compiled = paddle.jit.to_static(loss, full_graph=True, backend=backend)
        compiled(x, w).backward()
        np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-5, atol=1e-6)
        program = compiled.program_cache.last().recording.traced.forward_program
        return [op.name() for op in program.global_block().ops].count('pd_op.fetch')

    assert (
        kept('CINN') == kept(None) - 2
    )  # a * a, and derivative @ w times derivative; derivative itself is a factor of a product


@pytest.mark.parametrize('name', ['tanh', 'sigmoid', 'sqrt', 'rsqrt', 'reciprocal'])
def test_first_gradients_of_functions_of_their_result_are_one_operation(name):
    """Gradients that are differentiated again, too: as few passes over memory as eager mode."""
    function = getattr(paddle, name, None) or getattr(paddle.nn.functional, name)

    def third(x):
        y = function(x)
        for _ in range(3):
            (y,) = paddle.grad(y, x, create_graph=True)
        return y

    x = paddle.to_tensor([0.3, 1.2, 2.5], 'float64', stop_gradient=False)
    marked = paddle.jit.to_static(third, full_graph=True, backend=None)
    results = []
    for f in (third, marked):
        result = f(x)
        results.append([result.numpy(), paddle.grad(result, x)[0].numpy()])
    np.testing.assert_allclose(*results, rtol=1e-9)
    assert f'pd_op.{name}_grad' in str(marked.concrete_program.main_program)
