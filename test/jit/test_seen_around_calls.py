# SPDX-License-Identifier: Apache-2.0
"""What programs see around compiled calls, as around plain ones: orders of keywords, gradients that
are none, frames, handlers of signals, methods that classes change, copies.
"""

import copy
import gc
import inspect
import logging
import signal
import sys
import types
import warnings
import weakref

import pytest

import paddle
from paddle import nn

MODES = pytest.mark.parametrize('full_graph', [False, True])
pytestmark = pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')


def ones(*shape):
    return paddle.ones(list(shape or (2,)))


def leaf(*values):
    return paddle.to_tensor([float(v) for v in values], stop_gradient=False)


def marked(function, full_graph):
    return paddle.jit.to_static(function, full_graph=full_graph)


def compiled_calls(function):
    return paddle.jit.explain(function).compiled_calls


# --- arguments


@MODES
def test_dicts_among_the_arguments_keep_their_order(full_graph):
    def f(x, table):
        for k, v in table.items():
            x = x * len(k) + v
        return x

    static, x = marked(f, full_graph), ones(1)
    tables = [{'a': 1.0, 'bb': 2.0}, {'bb': 2.0, 'a': 1.0}, {'a': ones(1), 'bb': ones(1) * 2}]
    tables.append(dict(reversed(tables[-1].items())))
    for _ in range(3):
        for table in tables:
            assert static(x, table).item() == f(x, table).item()
    assert compiled_calls(static) >= 4


@MODES
def test_keywords_keep_their_order(full_graph):
    def f(x, **more):
        for k, v in more.items():
            x = x * len(k) + v
        return x

    static, x = marked(f, full_graph), ones(1)
    for _ in range(3):
        assert static(x, a=1.0, bb=2.0).item() == f(x, a=1.0, bb=2.0).item()
        assert static(x, bb=2.0, a=1.0).item() == f(x, bb=2.0, a=1.0).item()
    assert compiled_calls(static) >= 2


# --- gradients


@MODES
def test_a_gradient_that_does_not_arrive_is_none(full_graph):
    """Two heads, of which one is used: an optimizer leaves the parameters of the other alone."""

    def results(wrap):
        paddle.seed(3)
        heads = [nn.Linear(2, 1) for _ in range(2)]
        f = wrap(lambda x: [head(x) for head in heads])
        parameters = [p for head in heads for p in head.parameters()]
        optimizer = paddle.optimizer.AdamW(0.1, weight_decay=0.5, parameters=parameters)
        for call in range(4):
            f(ones(1, 2))[call == 3].sum().backward()
            seen = [p.grad is None for p in parameters]
            optimizer.step()
            optimizer.clear_grad(set_to_zero=False)
        return seen, [p.numpy().round(5).tolist() for p in parameters]

    assert results(lambda f: marked(f, full_graph)) == results(lambda f: f)


@MODES
def test_gradients_of_chosen_results(full_graph):
    f = marked(lambda x, y: (x * y, x + y, x.detach() * y), full_graph)
    for _ in range(4):
        x, y = leaf(1, 2), leaf(3, 4)
        product, total, other = f(x, y)
        assert paddle.grad(product, x, retain_graph=True)[0].tolist() == [3.0, 4.0]
        assert paddle.grad(total, y, retain_graph=True)[0].tolist() == [1.0, 1.0]
        of_x, of_y = paddle.grad(other, [x, y], retain_graph=True, allow_unused=True)
        assert of_x is None and of_y.tolist() == [1.0, 2.0]
        of_x, of_y = paddle.grad(other, [x, y], create_graph=True, allow_unused=True)
        assert of_x is None and of_y.tolist() == [1.0, 2.0]


@MODES
def test_a_loss_that_has_run_backward_has_a_spent_history(full_graph):
    w = leaf(1, 2)

    def step(x):
        loss = (w * x).sum()
        loss.backward()
        w.clear_grad()
        return loss

    static = marked(step, full_graph)
    for _ in range(4):
        loss = static(ones())
        assert not loss.stop_gradient and not loss.is_leaf
        assert not (loss * 2).stop_gradient
        with pytest.raises(Exception, match='backward ran through this graph before'):
            (loss * 2).backward()
    assert compiled_calls(static) >= 2


# --- attributes of tensors


@MODES
def test_attributes_of_results_stay(full_graph):
    def f(x):
        y = x * 2
        y.tag, y.persistable, y.name = 'seen', True, 'named'
        return y, x + 1

    static = marked(f, full_graph)
    for _ in range(4):
        y, _ = static(ones())
        assert (y.tag, y.persistable, y.name) == ('seen', True, 'named')


# --- frames


@MODES
def test_frames_are_those_of_the_code(full_graph):
    def outer(x):
        return inner(x)

    def inner(x):
        names = [sys._getframe().f_code.co_name, sys._getframe(1).f_code.co_name]
        names.append(inspect.currentframe().f_code.co_name)
        assert sys._getframe().f_code.co_filename == __file__
        seen.append(names)
        return x * 2

    seen, static = [], marked(outer, full_graph)
    for _ in range(4):
        static(ones())
    assert seen == [['inner', 'outer', 'inner']] * 4


@MODES
def test_warnings_and_logs_tell_the_line_of_the_code(full_graph, caplog):
    logger = logging.getLogger('test_seen_around_calls')

    def f(x):
        warnings.warn('given', stacklevel=1)
        logger.warning('logged')
        return x * 2

    static, line = marked(f, full_graph), f.__code__.co_firstlineno
    for _ in range(4):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter('always')
            static(ones())
        given = [w for w in given if str(w.message) == 'given']
        assert [(w.filename, w.lineno) for w in given] == [(__file__, line + 1)]
    found = [(r.pathname, r.lineno, r.funcName) for r in caplog.records if r.msg == 'logged']
    assert found == [(__file__, line + 2, 'f')] * 4


# --- handlers of signals


@pytest.mark.skipif(not hasattr(signal, 'setitimer'), reason='the system has no timers')
@MODES
def test_handlers_of_signals_run_outside_recordings(full_graph):
    state = [1.0]

    def f(x):
        y = x * state[0]
        for _ in range(40):
            y = y + 1
        return y

    static, seen = marked(f, full_graph), []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(static(ones(1)).item()))
    try:
        for call in range(40):
            signal.setitimer(signal.ITIMER_REAL, 0.001)
            state[0] = float(call % 5)
            assert static(ones(1)).item() == state[0] + 40
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert set(seen) <= {40.0, 41.0, 42.0, 43.0, 44.0}


# --- what goes


@MODES
def test_objects_go_when_the_code_drops_them(full_graph):
    class Plain:
        pass

    class Finalized:
        def __del__(self):
            gone.append(1)

    def f(x):
        held, told = [Plain()], []
        reference = weakref.ref(held[0], lambda _: told.append(1))
        held.clear()
        x = x * (2 if reference() is None else 3) + len(told)
        Finalized()
        return x + len(gone)

    gone = []
    static = marked(f, full_graph)
    for call in range(1, 5):
        assert static(ones(1)).item() == 3.0 + call and len(gone) == call


@MODES
def test_finalizers_run_outside_recordings(full_graph):
    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            seen.append((ones(1) + 1).item())

    def f(x):
        for k in range(30):
            x = x * state[0] + k
        return [x] * 2

    state, seen, thresholds = [1.0], [], gc.get_threshold()
    static = marked(f, full_graph)
    try:
        gc.set_threshold(5, 1, 1)
        for call in range(6):
            Cycle(), Cycle()
            state[0] = float(call // 3 + 1)
            assert static(ones(1))[0].item() == f(ones(1))[0].item()
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    assert seen == [2.0] * 12 and gc.isenabled()


# --- methods and copies


@MODES
def test_a_marked_method_that_its_class_replaces(full_graph):
    class Base(nn.Layer):
        k = 2.0

        def forward(self, x):
            return x * self.k

    Base.forward = marked(Base.forward, full_graph)

    class Heir(Base):
        def forward(self, x):
            return super().forward(x) + 1

    Heir.forward = marked(Heir.forward, full_graph)
    base, heir = Base(), Heir()
    for _ in range(3):
        assert (base(ones(1)).item(), heir(ones(1)).item()) == (2.0, 3.0)
    assert base.forward is base.forward and compiled_calls(base) >= 1
    Base.forward = lambda self, x: x * 100
    for _ in range(3):
        assert (base(ones(1)).item(), heir(ones(1)).item()) == (100.0, 101.0)
    base.forward = types.MethodType(lambda self, x: x * 7, base)
    assert base(ones(1)).item() == 7.0


@MODES
def test_marked_class_methods_are_compiled_for_each_class(full_graph):
    class Base:
        k = 2.0

        @classmethod
        def scaled(cls, x):
            return x * cls.k

    Base.scaled = classmethod(marked(Base.__dict__['scaled'].__func__, full_graph))

    class Heir(Base):
        k = 3.0

    for _ in range(4):
        assert (Base.scaled(ones(1)).item(), Heir().scaled(ones(1)).item()) == (2.0, 3.0)
    Base.k = 5.0
    assert (Base.scaled(ones(1)).item(), Heir.scaled(ones(1)).item()) == (5.0, 3.0)
    del Heir.k
    assert Heir.scaled(ones(1)).item() == 5.0


class Scaled(nn.Layer):
    def __init__(self):
        super().__init__()
        self.k = 2.0

    def forward(self, x):
        return x * self.k

    @paddle.jit.to_static
    def halved(self, x):
        return x * self.k / 2


@MODES
def test_a_shallow_copy_of_a_layer_has_its_own_methods(full_graph):
    layer = marked(Scaled(), full_graph)
    for _ in range(3):
        layer(ones(1)), layer.halved(ones(1))
    other = copy.copy(layer)
    other.k = 6.0
    for _ in range(3):
        assert (other(ones(1)).item(), other.halved(ones(1)).item()) == (6.0, 3.0)
        assert (layer(ones(1)).item(), layer.halved(ones(1)).item()) == (2.0, 1.0)
    assert compiled_calls(other) >= 1 and other.forward is not layer.forward
