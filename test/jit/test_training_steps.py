# SPDX-License-Identifier: Apache-2.0
"""Functions that run backward and an optimizer's step are compiled as a whole in both modes, and
leave parameters, gradients and state as they do unmarked.
"""

import itertools

import numpy
import pytest

import paddle
from paddle import nn

MODES = pytest.mark.parametrize('full_graph', [False, True])


def _mark(function, full_graph):
    return function if full_graph is None else paddle.jit.to_static(function, full_graph=full_graph)


def _net():
    paddle.seed(3)
    return nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))


def _batch(k=0):
    x = paddle.to_tensor(numpy.linspace(-1, 1 + k, 16, dtype='float32').reshape([8, 2]))
    return x, x[:, :1] * 2


def _state(net):
    """Parameters and gradients as arrays; None for no gradient."""
    grads = [None if p.grad is None else p.grad.numpy() for p in net.parameters()]
    return [p.numpy() for p in net.parameters()] + grads


def _compare(make, full_graph, calls=6, change=None, compiled=None):
    """`make()`: (net, function of a batch). Every call leaves what it leaves unmarked."""
    worlds = []
    for mode in (None, full_graph):
        net, function, *rest = make()
        worlds.append((net, _mark(function, mode), *rest))
    for call in range(calls):
        found = []
        for net, function, *rest in worlds:
            if change is not None:
                change(call, net, *rest)
            found.append([function(*_batch(call % 2)).numpy(), *_state(net)])
        for want, got in zip(*found):
            assert (want is None) == (got is None), call
            if want is not None:
                numpy.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5, err_msg=str(call))
    function = worlds[1][1]
    least = calls - 2 if compiled is None else compiled
    assert function._compiled_runs() >= least, paddle.jit.explain(function)
    return function


OPTIMIZERS = {
    'sgd': lambda p: paddle.optimizer.SGD(0.1, parameters=p),
    'momentum': lambda p: paddle.optimizer.Momentum(0.1, parameters=p, weight_decay=0.01),
    'adam': lambda p: paddle.optimizer.Adam(0.1, parameters=p),
    'adamw': lambda p: paddle.optimizer.AdamW(0.1, parameters=p),
    'rmsprop': lambda p: paddle.optimizer.RMSProp(0.01, parameters=p),
    'lamb': lambda p: paddle.optimizer.Lamb(0.1, parameters=p),
    'adagrad': lambda p: paddle.optimizer.Adagrad(0.1, parameters=p),
    'nadam': lambda p: paddle.optimizer.NAdam(0.1, parameters=p),
}


def _stepping(optimizer, clear, part=lambda net: net):
    """A step that clears gradients 'before' or 'after', in one of three ways, or never."""
    when, how = clear

    def make():
        net = _net()
        opt = optimizer(part(net).parameters())

        def cleared():
            if how == 'zero':
                opt.clear_grad()
            elif how == 'none':
                opt.clear_grad(set_to_zero=False)
            else:
                net.clear_gradients()

        def step(x, y):
            if when == 'before':
                cleared()
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            opt.step()
            if when == 'after':
                cleared()
            return loss.detach()

        return net, step, opt

    return make


@MODES
@pytest.mark.parametrize('name', list(OPTIMIZERS))
def test_an_optimizer(name, full_graph):
    _compare(_stepping(OPTIMIZERS[name], ('after', 'zero')), full_graph)


@MODES
@pytest.mark.parametrize(
    'clear', [*itertools.product(('before', 'after'), ('zero', 'none', 'net')), ('never', '')]
)
def test_gradients_are_cleared_or_not(clear, full_graph):
    _compare(_stepping(OPTIMIZERS['adam'], clear), full_graph, compiled=3)


@MODES
@pytest.mark.parametrize('clear', [('before', 'zero'), ('before', 'none'), ('after', 'zero')])
def test_parameters_that_the_loss_does_not_reach(clear, full_graph):
    def make():
        net = _net()
        net.unused = nn.Linear(2, 2)
        opt = paddle.optimizer.AdamW(0.1, parameters=net.parameters())
        net.unused(_batch()[0]).sum().backward()

        def step(x, y):
            if clear[0] == 'before':
                opt.clear_grad(clear[1] == 'zero')
            ((net[2](net[1](net[0](x))) - y) ** 2).mean().backward()
            opt.step()
            if clear[0] == 'after':
                opt.clear_grad()
            return x.sum()

        return net, step

    _compare(make, full_graph, compiled=3)


@MODES
def test_what_changes_between_steps_is_seen(full_graph):
    changes = {
        3: lambda net, opt: opt.set_lr(0.02),
        5: lambda net, opt: setattr(net[0].weight, 'stop_gradient', True),
        7: lambda net, opt: setattr(net[0].weight, 'stop_gradient', False),
        9: lambda net, opt: setattr(opt, '_grad_clip', nn.ClipGradByGlobalNorm(0.01)),
        11: lambda net, opt: opt._add_param_group({'params': net[2].parameters()}),
        13: lambda net, opt: net[0].weight.set_value(paddle.ones([2, 4])),
        15: lambda net, opt: net.eval(),
        16: lambda net, opt: setattr(net[0].weight, 'grad', paddle.ones([2, 4])),
        18: lambda net, opt: net[0].bias.register_hook(lambda g: g * 2),
    }

    def change(call, net, opt):
        if call in changes:
            changes[call](net, opt)

    def make():
        net = _net()
        groups = [{'params': net[0].parameters(), 'learning_rate': 0.5}]
        opt = paddle.optimizer.Adam(0.1, parameters=groups)

        def step(x, y):
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            opt.step()
            opt.clear_grad()
            return loss.detach()

        return net, step, opt

    _compare(make, full_graph, calls=20, change=change, compiled=4)


@MODES
def test_a_scheduler_is_followed_without_a_new_recording(full_graph):
    def make():
        net = _net()
        rate = paddle.optimizer.lr.CosineAnnealingDecay(0.1, 10)
        opt = paddle.optimizer.AdamW(rate, parameters=net.parameters())

        def step(x, y):
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            opt.step()
            opt.clear_grad()
            return loss.detach()

        return net, step, rate

    def change(call, net, rate):
        rate.step()

    f = _compare(make, full_graph, calls=8, change=change)
    assert f.get_traced_count() <= 2


@MODES
def test_gradients_of_several_losses_are_added(full_graph):
    def make():
        net = _net()
        opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())

        def step(x, y):
            ((net(x) - y) ** 2).mean().backward()
            (net(y.expand([8, 2])) ** 2).mean().backward()
            opt.step()
            opt.clear_grad()
            (net(x) ** 2).mean().backward()
            opt.step()
            opt.clear_grad()
            return x.sum()

        return net, step

    _compare(make, full_graph, compiled=3)


@MODES
def test_gradients_are_scaled_by_hand(full_graph):
    def make():
        net = _net()
        opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())

        def step(x, y):
            opt.clear_grad(set_to_zero=False)
            ((net(x) - y) ** 2).mean().backward()
            for p in net.parameters():
                if p.grad is not None:
                    p.grad = p.grad * 0.5
            opt.step()
            return x.sum()

        return net, step

    _compare(make, full_graph)


@MODES
def test_gradients_are_clipped_by_their_norm(full_graph):
    def make():
        net = _net()
        opt = paddle.optimizer.Adam(0.1, parameters=net.parameters())

        def step(x, y):
            ((net(x) - y) ** 2).mean().backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            opt.clear_grad()
            return x.sum()

        return net, step

    _compare(make, full_graph, compiled=0)


@MODES
@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
def test_gradients_reach_arguments(full_graph):
    w = paddle.to_tensor([1.0, 3.0], stop_gradient=False)

    def function(x):
        y = (x * x * w).sum()
        y.backward()
        return y.detach() * 1

    f = _mark(function, full_graph)
    for call in range(4):
        leaf = paddle.to_tensor([1.0, 2.0 + call], stop_gradient=False)
        w.clear_gradient(False)
        f(leaf)
        f(leaf)
        assert leaf.grad.tolist() == [4.0, 12.0 * (2.0 + call)]
        assert w.grad.tolist() == [2.0, 2 * (2.0 + call) ** 2]
    assert f._compiled_runs() > 2
    for _ in range(4):
        leaf = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        f(leaf * 2)
        assert leaf.grad.tolist() == [8.0, 48.0]


@MODES
@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
def test_gradients_flow_on_from_tensors_of_before(full_graph):
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    held = {'h': None}

    def function(x):
        y = (x * held['h']).sum()
        y.backward()
        return x * 2

    f = _mark(function, full_graph)
    for call in range(4):
        w.clear_gradient(False)
        held['h'] = w * w
        f(paddle.to_tensor([1.0, 3.0]))
        assert w.grad.tolist() == [2.0, 12.0]


@MODES
@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
def test_a_gradient_is_returned(full_graph):
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)

    def function(x):
        (w * w * x).sum().backward()
        return w.grad

    f = _mark(function, full_graph)
    for call in range(1, 5):
        found = f(paddle.to_tensor([1.0, 1.0]))
        assert found.tolist() == [2.0 * call, 4.0 * call] and found is w.grad


def test_numbers_are_read_after_a_step():
    def make():
        net = _net()
        opt = paddle.optimizer.AdamW(0.1, parameters=net.parameters())

        def step(x, y):
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            opt.step()
            opt.clear_grad()
            return paddle.to_tensor(loss.item() * 0.5)

        return net, step

    f = _compare(make, False, compiled=0)
    explanation = paddle.jit.explain(f)
    assert len(explanation.breaks) == 1, explanation
    assert max(r.compiled_calls for r in explanation.regions) >= 2, explanation


def test_a_number_is_read_between_forward_and_backward():
    def make():
        net = _net()
        opt = paddle.optimizer.AdamW(0.1, parameters=net.parameters())

        def step(x, y):
            loss = ((net(x) - y) ** 2).mean()
            if float(loss) > 1e6:
                return loss * 0
            loss.backward()
            opt.step()
            opt.clear_grad()
            return loss.detach()

        return net, step

    f = _compare(make, False, calls=10, compiled=0)
    assert sum(r.compiled_calls >= 2 for r in paddle.jit.explain(f).regions) == 2


@MODES
def test_a_parameter_that_moves_after_its_last_use(full_graph):
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    opt = paddle.optimizer.SGD(0.25, parameters=[w])

    def function(x):
        y = x + w
        (w * w).sum().backward()
        opt.step()
        opt.clear_grad(set_to_zero=False)
        return y

    f = _mark(function, full_graph)
    for call in range(4):
        before = w.numpy()
        y = f(paddle.ones([2]))
        assert (y.numpy() == 1 + before).all() and (w.numpy() == before * 0.5).all()
        y.sum().backward()
        assert w.grad.tolist() == [1.0, 1.0]
        w.clear_gradient(False)
    assert f._compiled_runs() >= 2


@MODES
def test_an_exception_leaves_gradients_as_they_were(full_graph):
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    limit = [5.0]

    def function(x):
        (w * x).sum().backward()
        if limit[0] < 3:
            raise ValueError('too small')
        return x * 2

    f = _mark(function, full_graph)
    for call in range(3):
        f(paddle.ones([2]))
    assert w.grad.tolist() == [3.0, 3.0]
    limit[0] = 1.0
    with pytest.raises(ValueError, match='too small'):
        f(paddle.ones([2]))
    assert w.grad.tolist() in ([4.0, 4.0], [3.0, 3.0])
    limit[0] = 4.0
    before = w.grad.tolist()[0]
    f(paddle.ones([2]))
    assert w.grad.tolist() == [before + 1, before + 1]


@MODES
@pytest.mark.parametrize('way', ['step', 'minimize', 'unscale', 'two optimizers'])
def test_loss_scaling(way, full_graph):
    """Steps with infinities leave parameters alone, and the scale follows, without a recording
    more.
    """

    def make():
        net = _net()
        scaler = paddle.amp.GradScaler(
            init_loss_scaling=1024.0, incr_every_n_steps=2, decr_every_n_nan_or_inf=2
        )
        factor, optimizers = paddle.ones([1]), []
        for part in [net[0], net[2]] if way == 'two optimizers' else [net]:
            clip = nn.ClipGradByGlobalNorm(0.5)
            optimizers.append(paddle.optimizer.AdamW(0.1, parameters=part.parameters()))
            optimizers[-1]._grad_clip = clip

        def step(x, y):
            loss = ((net(x) - y) ** 2).mean() * factor
            scaled = scaler.scale(loss)
            scaled.backward()
            for optimizer in optimizers:
                if way == 'minimize':
                    scaler.minimize(optimizer, scaled)
                    continue
                if way == 'unscale':
                    scaler.unscale_(optimizer)
                scaler.step(optimizer)
            if way != 'minimize':
                scaler.update()
            for optimizer in optimizers:
                optimizer.clear_grad()
            return loss.detach()

        return net, step, scaler, factor

    seen = []

    def change(call, net, scaler, factor):
        factor.fill_(float('inf') if call in (3, 6, 7, 9) else 1.0)
        if call == 12:
            scaler.set_init_loss_scaling(64.0)
        seen.append(scaler.state_dict())

    _compare(make, full_graph, calls=16, change=change, compiled=14)
    assert seen[::2] == seen[1::2]
    assert {float(s['scale'][0]) for s in seen} == {1024.0, 2048.0, 4096.0, 64.0, 128.0}


@MODES
@pytest.mark.parametrize('clip', [None, nn.ClipGradByGlobalNorm, nn.ClipGradByNorm])
@pytest.mark.parametrize('way', ['step', 'minimize'])
def test_clipped_gradients_that_are_cleared(way, clip, full_graph):
    """The pairs that a clip goes through are no reason against a recording."""

    def make():
        net = _net()
        options = {} if clip is None else {'grad_clip': clip(0.1)}
        opt = paddle.optimizer.AdamW(0.1, parameters=net.parameters(), **options)

        def step(x, y):
            loss = ((net(x) - y) ** 2).mean()
            loss.backward()
            opt.step() if way == 'step' else opt.minimize(loss)
            opt.clear_grad()
            return loss.detach()

        return net, step

    _compare(make, full_graph)
