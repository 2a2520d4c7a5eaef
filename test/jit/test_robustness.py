# SPDX-License-Identifier: Apache-2.0
"""Compiled functions where programs are not simple: threads, re-entrance, exceptions, copies and
pickles, wrappers, methods of all kinds, what is released.
"""

import copy
import functools
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
import weakref

import numpy as np
import pytest

import paddle
from paddle import nn
from paddle.jit.static_function import StaticFunction
from sanitizers import SANITIZER

MODES = pytest.mark.parametrize('full_graph', [False, True])


def ones(*shape):
    return paddle.ones(list(shape or (2,)))


def compiled_calls(function):
    return paddle.jit.explain(function).compiled_calls


class Net(nn.Layer):
    """A layer at the top of a module: pickle finds its class."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.scale = 2.0

    def forward(self, x):
        return self.fc(x) * self.scale

    @paddle.jit.to_static
    def doubled(self, x):
        return self.fc(x) * 2


def net(full_graph=False):
    return paddle.jit.to_static(Net(), full_graph=full_graph)


def same(a, b):
    np.testing.assert_array_equal(a.numpy(), b.numpy())


# --- threads


@MODES
def test_threads_that_call_one_function(full_graph):
    """Calls of different shapes, some recorded by several threads at once, with gradients."""
    layer, wrong = net(full_graph), []
    weight, bias = layer.fc.weight.numpy(), layer.fc.bias.numpy()
    start = threading.Barrier(6)

    def work(n):
        try:
            start.wait()
            for k in range(40):
                x = paddle.full([1 + (n + k) % 4, 3], float(n + 1))
                x.stop_gradient = False
                y = layer(x)
                (g,) = paddle.grad(y.sum(), [x])
                expected = (x.numpy() @ weight + bias) * 2
                if not np.allclose(y.numpy(), expected, rtol=1e-5):
                    wrong.append((n, k, 'value'))
                if not np.allclose(g.numpy(), np.tile(weight.sum(1) * 2, (len(x), 1)), rtol=1e-5):
                    wrong.append((n, k, 'gradient'))
        except Exception as error:  # the thread's own, told to the test
            wrong.append((n, error))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong
    assert compiled_calls(layer) > 0


def test_threads_of_different_modes():
    """A thread's `no_grad` and AMP are its own, also while others record."""
    f = paddle.jit.to_static(lambda x: x * 2 + x)
    found, start = {}, threading.Barrier(3)

    def work(name, mode):
        start.wait()
        try:
            for _ in range(30):
                with mode():
                    x = ones(4, 4)
                    x.stop_gradient = False
                    y = f(x)
                    found.setdefault(name, set()).add((y.stop_gradient, str(y.dtype)))
        except Exception as error:  # the assertions below show it
            found[name] = traceback.format_exception(error)

    modes = {
        'plain': paddle.enable_grad,
        'no_grad': paddle.no_grad,
        'amp': functools.partial(paddle.amp.auto_cast, level='O2', dtype='bfloat16'),
    }
    threads = [threading.Thread(target=work, args=item) for item in modes.items()]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found['plain'] == {(False, 'paddle.float32')}
    assert found['no_grad'] == {(True, 'paddle.float32')}
    assert len(found['amp']) == 1


def test_a_function_that_changes_while_another_thread_runs_it():
    """Each result is that of one of the states there were."""
    state = {'k': 1.0}
    f = paddle.jit.to_static(lambda x: x * state['k'])
    done, wrong = threading.Event(), []

    def work():
        while not done.is_set():
            if f(ones(1)).item() not in (1.0, 2.0, 3.0):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for k in range(300):
        state['k'] = float(k % 3 + 1)
        assert f(ones(1)).item() == state['k']
    done.set()
    for t in threads:
        t.join()
    assert not wrong


# --- re-entrance


@MODES
def test_functions_that_call_themselves(full_graph):
    @paddle.jit.to_static(full_graph=full_graph)
    def power(x, n):
        return x if n == 0 else power(x, n - 1) * x

    for _ in range(3):
        assert power(paddle.full([1], 3.0), 3).item() == 81.0
        assert power(paddle.full([1], 3.0), 1).item() == 9.0


@MODES
def test_functions_that_call_each_other(full_graph):
    @paddle.jit.to_static(full_graph=full_graph)
    def even(x, n):
        return x * 2 if n == 0 else odd(x, n - 1)

    @paddle.jit.to_static(full_graph=full_graph)
    def odd(x, n):
        return x * 3 if n == 0 else even(x, n - 1)

    for _ in range(3):
        assert [even(ones(1), n).item() for n in range(4)] == [2.0, 3.0, 2.0, 3.0]


def test_a_hook_that_calls_the_function_it_hangs_on():
    f = paddle.jit.to_static(lambda x: x * x)
    for _ in range(3):
        x = paddle.full([1], 3.0)
        x.stop_gradient = False
        x.register_hook(lambda g: f(g))
        f(x).backward()
        assert x.grad.item() == 36.0


def test_an_operator_of_an_argument_that_calls_the_function():
    class Value:
        depth = 0

        def __rmul__(self, x):
            Value.depth += 1
            return x * 2 if Value.depth % 2 else f(x, 3.0)

    f = paddle.jit.to_static(lambda x, k: x * k if isinstance(k, float) else k.__rmul__(x))
    value = Value()
    assert [f(ones(1), value).item() for _ in range(4)] == [2.0, 3.0, 2.0, 3.0]


# --- exceptions


@MODES
def test_exceptions_pass_and_leave_the_function_as_it_was(full_graph):
    class Refused(Exception):
        pass

    @paddle.jit.to_static(full_graph=full_graph)
    def f(x, bad):
        y = x * 2
        if bad:
            raise Refused(bad)
        return y + 1

    for _ in range(3):
        assert f(ones(1), False).item() == 3.0
        with pytest.raises(Refused) as error:
            f(ones(1), 'why')
        assert error.value.args == ('why',)
        assert str(error.traceback[-1].path) == __file__
    assert paddle.is_grad_enabled()
    assert compiled_calls(f) > 0


def test_an_error_of_an_operation_in_a_compiled_call():
    @paddle.jit.to_static
    def f(x, y):
        return (x + 1) @ y

    for _ in range(3):
        assert f(ones(2, 3), ones(3, 1)).shape == [2, 1]
        with pytest.raises(ValueError):
            f(ones(2, 3), ones(2, 1))


def failures(function):
    return paddle.jit.explain(function).failures


@MODES
def test_explain_tells_of_recordings_that_failed(full_graph):
    f = paddle.jit.to_static(lambda x, n: paddle.gather(x, n) * 2, full_graph=full_graph)
    for n in (0, 1, 0, 7, 1, 8, 7):
        try:
            f(ones(2), paddle.to_tensor([n]))
        except (IndexError, ValueError):
            pass
    assert sum(found.calls for found in failures(f)) == 3
    assert all(found.raised == found.calls for found in failures(f))
    text = str(paddle.jit.explain(f))
    assert 'recording 0 failed' in text and failures(f)[0].error in text


def test_explain_tells_of_regions_that_failed():
    """The recording of a region fails, whose code catches what it raises."""
    seen = []

    @paddle.jit.to_static
    def f(x, n):
        y = paddle.tanh(x * 2 + 1) - x
        seen.append(len(seen))
        try:
            y = paddle.gather(paddle.exp(y) * 2 + x * 3, n) + 1
        except (IndexError, ValueError):
            y = y.sum()
        return y

    results = [f(ones(2), paddle.to_tensor([n])).item() for n in (0, 1, 0, 0, 1, 7, 1)]
    assert results[5] == pytest.approx(2 * (np.tanh(3.0) - 1), rel=1e-5)
    (found,) = failures(f)
    assert (found.calls, found.raised) == (1, 0) and 'test_robustness.py' in found.function


def test_numbers_that_decide_before_a_run_fails():
    """A recording that decided otherwise fails before its decision is known: others are made."""

    def f(x, n):
        if n.max() < 2:
            return paddle.gather(x, n) * 2 + 1
        return x.sum() - n.max()

    static = paddle.jit.to_static(f)
    for n in (0, 1, 0, 7, 8, 7, 1, 7, 0, 9, 8):
        n = paddle.to_tensor([n])
        assert static(ones(2), n).tolist() == f(ones(2), n).tolist()
    assert len(failures(static)) >= 1 and not any(found.raised for found in failures(static))
    assert static.get_traced_count() == 2 and compiled_calls(static) >= 6


def test_an_interrupt_while_a_call_is_recorded():
    hit = []

    def g(x):
        if not hit:
            hit.append(1)
            raise KeyboardInterrupt
        return x + 1

    f = paddle.jit.to_static(lambda x: g(x) * 2)
    with pytest.raises(KeyboardInterrupt):
        f(ones(1))
    assert [f(ones(1)).item() for _ in range(4)] == [4.0] * 4


class Counter:
    """A class that counts in itself what its methods do."""

    n = 0

    def times(self, x):
        Counter.n += 1
        return x * Counter.n

    @classmethod
    def shifted(cls, x):
        cls.n += 2
        cls.extra = 5.0
        y = x * cls.n + cls.extra
        del cls.extra
        return y + hasattr(cls, 'extra')


class HeirOfCounter(Counter):
    """A class that finds what the other one holds."""


@MODES
@pytest.mark.filterwarnings('ignore:.*runs as it is')
def test_attributes_of_classes_that_a_call_writes_and_reads(full_graph):
    def results(wrap):
        Counter.n = 0
        if 'n' in HeirOfCounter.__dict__:
            del HeirOfCounter.n
        heir = HeirOfCounter()
        f, g = wrap(lambda x: heir.times(x)), wrap(lambda x: HeirOfCounter.shifted(x))
        found = [h(ones(1)).item() for _ in range(5) for h in (f, g)]
        return found, Counter.n, HeirOfCounter.n

    expected = results(lambda f: f)
    assert results(functools.partial(paddle.jit.to_static, full_graph=full_graph)) == expected


# --- copies and pickles


@MODES
def test_a_copy_has_weights_and_recordings_of_its_own(full_graph):
    layer, x = net(full_graph), ones(2, 3)
    for _ in range(3):
        first = layer(x)
    other = copy.deepcopy(layer)
    same(other(x), first)
    other.scale = 4.0
    with paddle.no_grad():
        other.fc.weight.set_value(other.fc.weight * 2)
        other.fc.bias.zero_()
    for _ in range(3):
        same(layer(x), first)
        np.testing.assert_allclose(
            other(x).numpy(), x.numpy() @ other.fc.weight.numpy() * 4, rtol=1e-6
        )
    assert isinstance(other.forward, StaticFunction) and other.forward is not layer.forward
    assert layer.forward._instance is layer and other.forward._instance is other
    assert compiled_calls(other) > 0


def test_a_copy_of_a_layer_in_a_container():
    model = nn.Sequential(net(), nn.Sequential(net()))
    model.tied = model[0]
    x = ones(1, 3)
    for _ in range(3):
        first = model(x)
    other = copy.deepcopy(model)
    assert other.tied is other[0] and other.tied is not model.tied
    with paddle.no_grad():
        other[0].fc.weight.zero_()
        other[0].fc.bias.zero_()
    for _ in range(3):
        same(model(x), first)
        assert (other[0](x).numpy() == 0).all() and (other.tied(x).numpy() == 0).all()


@pytest.mark.parametrize('protocol', range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_layer_is_compiled_again(protocol):
    layer, x = net(), ones(2, 3)
    for _ in range(3):
        first, doubled = layer(x), layer.doubled(x)
    other = pickle.loads(pickle.dumps(layer, protocol))
    assert isinstance(other.forward, StaticFunction) and other.forward._instance is other
    for _ in range(3):
        same(other(x), first)
        same(other.doubled(x), doubled)
    with paddle.no_grad():
        other.fc.weight.zero_()
    same(layer(x), first)
    assert compiled_calls(other) > 0


def module_function(x):
    """A function that pickle finds by its name."""
    return x * 3


marked_function = paddle.jit.to_static(module_function)


def test_a_pickled_function():
    other = pickle.loads(pickle.dumps(marked_function))
    assert [other(ones(1)).item() for _ in range(3)] == [3.0] * 3
    assert copy.copy(marked_function)(ones(1)).item() == 3.0


# --- wrappers and methods


def test_a_function_says_what_it_is():
    @paddle.jit.to_static
    def named(x, k=2):
        """Its words."""
        return x * k

    assert (named.__name__, named.__doc__) == ('named', 'Its words.')
    assert named.__wrapped__.__name__ == 'named'
    assert 'named' in named.__qualname__ and named.__module__ == __name__


def counted(function):
    """A decorator that counts calls."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


def test_wrappers_on_either_side():
    outside = counted(paddle.jit.to_static(lambda x: x * 2))
    inside = paddle.jit.to_static(counted(lambda x: x * 2))
    assert [outside(ones(1)).item() for _ in range(4)] == [2.0] * 4
    assert [inside(ones(1)).item() for _ in range(4)] == [2.0] * 4
    assert outside.calls == 4 and inside.__wrapped__.calls == 4


def test_a_cached_function_and_a_partial():
    scale = functools.lru_cache(maxsize=None)(lambda k: k * 2)
    f = paddle.jit.to_static(functools.partial(lambda k, x: x * scale(k), 2.0))
    assert [f(ones(1)).item() for _ in range(4)] == [4.0] * 4


class Methods(nn.Layer):
    """Methods of all kinds, compiled."""

    factor = 2.0

    def __init__(self):
        super().__init__()
        self.w = self.create_parameter([1], default_initializer=nn.initializer.Constant(3.0))

    @staticmethod
    @paddle.jit.to_static
    def fixed(x):
        return x * 5

    @paddle.jit.to_static
    @staticmethod
    def fixed_too(x):
        return x * 7

    @classmethod
    @paddle.jit.to_static
    def by_class(cls, x):
        return x * cls.factor

    @paddle.jit.to_static
    @classmethod
    def by_class_too(cls, x):
        return x * cls.factor * 10

    @paddle.jit.to_static
    def own(self, x):
        return x * self.w

    @property
    def value(self):
        return self.own(ones(1))


class Heir(Methods):
    """A class that changes what the methods read."""

    factor = 4.0

    def own(self, x):
        return super().own(x) + 1


def test_methods_of_all_kinds():
    for _ in range(4):
        for home, factor in ((Methods, 2.0), (Heir, 4.0), (Methods(), 2.0), (Heir(), 4.0)):
            assert home.fixed(ones(1)).item() == 5.0
            assert home.fixed_too(ones(1)).item() == 7.0
            assert home.by_class(ones(1)).item() == factor
            assert home.by_class_too(ones(1)).item() == factor * 10
        assert Methods().value.item() == 3.0 and Heir().value.item() == 4.0


def test_a_method_of_each_object_is_its_own():
    a, b = Methods(), Methods()
    with paddle.no_grad():
        b.w.set_value(b.w + 1)
    for _ in range(4):
        assert (a.own(ones(1)).item(), b.own(ones(1)).item()) == (3.0, 4.0)
    assert a.own is a.own and a.own is not b.own


class Parent(nn.Layer):
    """A layer that calls one it is given by a bound method."""

    def __init__(self, child, k):
        super().__init__()
        self.child, self.k, self.call = child, k, child.forward

    def forward(self, x):
        return self.call(x) * self.k


def test_a_method_shared_by_two_parents():
    child, x = net(), ones(1, 3)
    parents = [paddle.jit.to_static(Parent(child, k)) for k in (1.0, 2.0)]
    for _ in range(3):
        expected = child.fc(x) * child.scale
        for parent in parents:
            np.testing.assert_allclose(parent(x).numpy(), (expected * parent.k).numpy(), rtol=1e-6)
    child.scale = 6.0
    for parent in parents:
        np.testing.assert_allclose(
            parent(x).numpy(), (child.fc(x) * 6.0 * parent.k).numpy(), rtol=1e-6
        )
    assert all(compiled_calls(p) > 0 for p in parents)


def test_a_layer_shared_by_two_parents_trains_as_one():
    child = net()
    parents = [paddle.jit.to_static(Parent(child, k)) for k in (1.0, 2.0)]
    for _ in range(3):
        child.clear_gradients()
        sum(p(ones(1, 3)).sum() for p in parents).backward()
        np.testing.assert_allclose(child.fc.bias.grad.numpy(), np.full(3, 6.0))


# --- what is released


def test_a_collected_layer_frees_its_plans():
    def made():
        layer = net()
        for shape in (1, 2):
            for _ in range(3):
                layer(ones(shape, 3)).sum().backward()
        recording = layer.forward._programs[-1].recording.traced
        return weakref.ref(layer), weakref.ref(layer.fc.weight), weakref.ref(recording)

    refs = made()
    gc.collect()
    assert [r() for r in refs] == [None] * 3


def test_a_collected_function_frees_what_it_closed_over():
    def made():
        class Big:
            pass

        big, table = Big(), {'k': 2.0}
        f = paddle.jit.to_static(lambda x: x * table['k'] if big else x)
        for _ in range(3):
            f(ones())
        return weakref.ref(big), weakref.ref(f)

    refs = made()
    gc.collect()
    assert [r() for r in refs] == [None] * 2


def test_a_result_outlives_its_function():
    f = paddle.jit.to_static(lambda x: x.exp() * x)
    x = ones(2)
    x.stop_gradient = False
    for _ in range(2):
        y = f(x)
    del f
    gc.collect()
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.exp(np.ones(2)) * 2, rtol=1e-6)


MANY = os.path.join(os.path.dirname(__file__), 'many_functions.py')


@pytest.mark.skipif(bool(SANITIZER), reason='a sanitizer keeps what is freed')
@MODES
@pytest.mark.parametrize(
    'how',
    [
        [],
        ['--apart'],
        ['--apart', '--middle', 'h = h * float(h.sum())'],
        ['--apart', '--middle', 'h = h if h.sum() > 1 else -h'],
    ],
    ids=['same_code', 'codes', 'breaks', 'branches'],
)
def test_many_compiled_functions_take_no_memory(how, full_graph):
    """Functions that come and go: less than a kilobyte stays of each."""
    env = {**os.environ, 'OMP_NUM_THREADS': '1'}
    words = [MANY, '--functions', '1000', *how, *['--full-graph'] * full_graph]
    run = subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 1000


def test_a_call_that_ends_in_the_middle_leaves_dicts_as_they_were():
    """Also those that it went through after it had written to them, and in their order."""
    written, ordered, starts = {}, {'a': 1, 'b': 2}, []

    def f(x):
        starts.append((dict(written), list(ordered)))
        written['k'] = 1
        written.clear()
        del ordered['a']
        ordered['a'] = 1
        return x * time.time()

    paddle.jit.to_static(f, full_graph=True)(paddle.ones([2]))
    assert starts[-1] == ({}, ['a', 'b'])
    assert written == {} and list(ordered) == ['b', 'a']


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('index', ['a number', 'a tensor'])
@pytest.mark.parametrize('update', ['of an optimizer', 'in place'])
def test_what_raises_has_done_what_came_before(full_graph, index, update):
    """A step that fails behind its update has updated, and drawn, as it is."""
    w = paddle.create_parameter([2], 'float32', default_initializer=nn.initializer.Constant(1.0))
    optimizer = paddle.optimizer.SGD(0.1, parameters=[w])

    def step(x, z, n):
        x = nn.functional.dropout(x, 0.5)
        if update == 'in place':
            with paddle.no_grad():
                w.subtract_(x)
        else:
            (w * x).sum().backward()
            optimizer.step()
            optimizer.clear_grad()
        return x.sum() + paddle.gather(z, n) if index == 'a tensor' else x.sum() + z[n]

    def calls(function):
        w.set_value(paddle.ones([2]))
        paddle.seed(5)
        seen = []
        for n in (0, 1, 0, 1, 3, 0, 4, 1, 0):
            n = paddle.to_tensor([n]) if index == 'a tensor' else n
            try:
                seen.append(function(paddle.ones([2]), paddle.ones([2]), n).item())
            except (IndexError, ValueError) as error:
                seen.append(type(error))
            seen.append(w.tolist())
        return seen

    compiled = paddle.jit.to_static(step, full_graph=full_graph)
    assert calls(compiled) == calls(step)
    assert compiled._all_runs() > 0
