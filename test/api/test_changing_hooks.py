# SPDX-License-Identifier: Apache-2.0
"""Hooks that remove, add, raise and run backward again while they run, and what they keep alive."""

import gc
import weakref

import pytest

import paddle


def leaf(value=3.0):
    """A number that needs a gradient."""
    return paddle.to_tensor([value], stop_gradient=False)


@pytest.fixture(params=['leaf', 'result', 'after'])
def place(request):
    """Where hooks hang: (leaf, loss, function that adds a hook)."""
    x = leaf()
    y = x * 2
    add = {
        'leaf': x.register_hook,
        'result': y.register_hook,
        'after': x.register_post_accumulate_grad_hook,
    }
    return x, y.sum(), add[request.param]


def test_a_hook_removes_itself_and_others(place):
    x, loss, add = place
    seen, handles = [], []

    def first(g):
        seen.append('first')
        for handle in handles:
            handle.remove()

    handles.append(add(first))
    for k in range(20):
        handles.append(add(lambda g, k=k: seen.append(k)))
    loss.backward(retain_graph=True)
    loss.backward()
    assert seen == ['first']
    assert x.grad.item() == 4
    assert not handles[0].remove()


def test_a_hook_adds_hooks(place):
    x, loss, add = place
    seen = []

    def first(g):
        seen.append('first')
        for _ in range(100):
            add(lambda g: seen.append('added'))

    handle = add(first)
    loss.backward(retain_graph=True)
    assert seen == ['first']
    handle.remove()
    loss.backward()
    assert seen == ['first'] + ['added'] * 100
    assert x.grad.item() == 4


def test_a_hook_raises(place):
    x, loss, add = place
    handle = add(lambda g: 1 / 0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            loss.backward(retain_graph=True)
    handle.remove()
    x.clear_gradient()
    loss.backward()
    assert x.grad.item() == 2


def test_a_hook_runs_backward_again(place):
    x, loss, add = place
    runs = []

    def again(g):
        if len(runs) < 5:
            runs.append(1)
            loss.backward(retain_graph=True)

    add(again)
    loss.backward(retain_graph=True)
    assert len(runs) == 5
    assert x.grad.item() == 12


def test_a_hook_drops_the_tensor():
    kept = [leaf()]
    kept[0].register_hook(lambda g: kept.clear())
    loss = (kept[0] * 2).sum()
    loss.backward()
    assert not kept


class Probe:
    """Something whose end can be seen."""


def collected(make):
    """Whether what `make` leaves behind is freed by the collector."""
    probe = Probe()
    gone = weakref.ref(probe)
    make(probe)
    del probe
    for _ in range(3):  # what is behind a shared node is free once the node is
        gc.collect()
    return gone() is None


class Own(paddle.autograd.PyLayer):
    """Its context holds its result."""

    @staticmethod
    def forward(ctx, x, probe):
        """x twice."""
        y = x * 2
        ctx.probe, ctx.y = probe, y
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        """dy twice, if the context is whole."""
        assert ctx.saved_tensor()[0] is ctx.y
        return dy * 2


def test_a_layer_that_saves_its_output_is_freed():
    x = leaf()
    assert collected(lambda probe: Own.apply(x, probe))
    assert collected(lambda probe: Own.apply(x, probe).sum())
    assert collected(lambda probe: Own.apply(x, probe).sum().backward())
    assert collected(lambda probe: Own.apply(Own.apply(x, probe), probe))


def test_a_layer_that_is_in_use_is_not_freed():
    x = leaf()
    y = Own.apply(x, Probe())
    z = (y * y).sum()
    del y
    gc.collect()
    z.backward()
    assert x.grad.item() == 24


def test_hooks_that_hold_their_tensors_are_freed():
    def on_leaf(probe):
        x = leaf()
        x.register_hook(lambda g: (x, probe))

    def after(probe):
        x = leaf()
        x.register_post_accumulate_grad_hook(lambda t: (x, probe))

    def on_result(probe):
        y = leaf() * 2
        y.register_hook(lambda g: (y, probe))

    def later_result(probe):
        y = leaf() * 2
        kept = []
        y.register_hook(lambda g: (kept, probe))
        kept.append(y + 1)

    def after_backward(probe):
        y = leaf() * 2
        kept = []
        y.register_hook(lambda g: None if kept else probe)
        kept.append((y * y).sum())
        kept[0].backward()

    def result_of_the_leaf(probe):
        x, kept = leaf(), []
        x.register_hook(lambda g: (kept, probe))
        kept.append(x + 1)

    def handle(probe):
        x = leaf()
        probe.handle = x.register_hook(lambda g: probe)
        probe.x = x

    for make in (
        on_leaf,
        after,
        on_result,
        later_result,
        after_backward,
        result_of_the_leaf,
        handle,
    ):
        assert collected(make), make.__name__


def test_hooks_in_use_are_not_freed():
    x = leaf()
    seen = []
    y = x * 2
    y.register_hook(lambda g, y=y: seen.append(y.item()))
    x.register_hook(lambda g, x=x: seen.append(x.item()))
    z = y.sum()
    del y
    gc.collect()
    z.backward()
    assert seen == [6, 3]


def test_a_long_history_with_a_hook_at_its_end():
    x = leaf(1.0)
    seen = []
    x.register_hook(lambda g: seen.append(g.item()))
    y = x
    for _ in range(3000):
        y = y * 1.0
    gc.collect()
    y.backward()
    assert seen == [1]


def test_hooks_are_refused_where_no_gradient_arrives():
    for add in (
        paddle.ones([1]).register_hook,
        paddle.ones([1]).register_post_accumulate_grad_hook,
        (leaf() * 2).register_post_accumulate_grad_hook,
    ):
        with pytest.raises(
            RuntimeError, match=r'^\[register_\w+\] expected a .*tensor that needs gradients, got '
        ):
            add(print)
    with pytest.raises(TypeError, match=r'^\[register_hook\] expected a callable, got int'):
        leaf().register_hook(3)
