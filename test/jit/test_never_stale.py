# SPDX-License-Identifier: Apache-2.0
"""A marked function gives what the plain one gives, whatever it reads and whatever changed since it
was recorded; and what does not change stays compiled.
"""

import gc
import random
import sys
import time
import weakref

import numpy
import pytest
import stale_cases
import stale_class_cases  # noqa: F401  registers its cases
from stale_cases import CASES, Config

import paddle
from paddle import nn


def _tensor(*values):
    return paddle.to_tensor(list(values or (1.0, 2.0)), dtype='float32')


CLOCKS = ('time', 'time_of_day')
DIFFERING = {*CLOCKS, 'id_of_an_object', 'name_of_an_argument', 'training'}  # from run to run

# What was read once and then held for ever, and the cases that change it; each runs in both modes.
ONCE_STALE = {
    'an attribute of a plain object': ['attribute_of_an_attribute'],
    'an item of a dict': ['item_of_a_dict'],
    'the random module': ['random'],
    'clocks': [*CLOCKS],
    "NumPy's generator": ['generator_of_numpy', 'generator_object_of_numpy'],
    'a file': ['file'],
    'a counter in a global object': ['counter_in_a_global_object'],
    'an iterator': ['iterator', 'count_of_itertools', 'loop_over_a_generator'],
    'argparse.Namespace': ['namespace'],
    'a value read in another method': ['value_in_another_method'],
    'an argument that keeps its identity': ['argument_that_keeps_its_identity'],
    'a property': ['property', 'cached_property'],
    'a descriptor': ['descriptor', 'data_descriptor'],
    'a class attribute': ['class_attribute', 'class_attribute_that_an_instance_hides'],
    '__getattr__': ['getattr', 'getattribute'],
    'an environment variable': ['environment', 'getenv'],
    "a partial's arguments": ['partial', 'keywords_of_a_partial'],
    'a closure cell': ['closure', 'closure_of_a_function_that_is_called'],
    'a function of a module': ['function_of_a_module'],
    'a method of a subclass': ['method_of_a_subclass'],
    'more than 64 elements': ['item_of_a_long_list'],
    'more than 4,096 places': ['one_of_many_objects'],
    'more than 6 levels': ['item_of_a_deep_nest'],
}


def _run(target, change, args):
    """Results of six calls, with the change before the fourth."""
    random.seed(3)
    numpy.random.seed(3)
    results = []
    for call in range(6):
        if call == 3 and change is not None:
            change()
        results.append(target(_tensor(1.0, 2.0), *args))
    return results


def _numbers(value):
    if isinstance(value, paddle.Tensor):
        return value.numpy().tolist()
    if isinstance(value, (list, tuple)):
        return [_numbers(v) for v in value]
    return value


def _marked(function, full_graph=False):
    """The function or layer marked; calls go through it."""
    return paddle.jit.to_static(function, full_graph=full_graph)


@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('name', sorted(set(CASES) - DIFFERING))
def test_a_change_is_seen(name, full_graph):
    results = []
    for mark in (lambda f: f, lambda f: _marked(f, full_graph)):
        stale_cases.restart()
        paddle.seed(4)
        made = CASES[name]()
        results.append([_numbers(r) for r in _run(mark(made.function), made.change, made.args)])
    plain, marked = results
    assert plain == marked
    if not name.startswith('list_that_is_returned'):
        assert plain[2] != plain[3] or 'written' in name


@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
@pytest.mark.parametrize('full_graph', [False, True])
def test_clocks_and_addresses_are_read_each_time(full_graph):
    for name in CLOCKS:
        f = _marked(CASES[name]().function, full_graph)
        seen = [float(f(_tensor())[0]) for _ in range(4)]
        assert len(set(seen)) == 4 and f._compiled_runs() == 0
    for name in ('id_of_an_object', 'name_of_an_argument'):
        f = _marked(CASES[name]().function, full_graph)
        for _ in range(3):
            f(_tensor())
        assert f._compiled_runs() == 0


@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
@pytest.mark.parametrize('full_graph', [False, True])
def test_gradients_of_several_are_added_to_those_of_before(full_graph):
    w = paddle.ones([2])
    w.stop_gradient = False

    def step(x):
        paddle.autograd.backward([(w * x).sum(), w.sum()])
        return x * 2

    f = _marked(step, full_graph)
    seen = []
    for _ in range(3):
        f(_tensor())
        seen.append(w.grad.tolist())
    assert seen == [[2.0, 3.0], [4.0, 6.0], [6.0, 9.0]]


def test_what_was_stale_once_has_its_cases():
    names = [name for cases in ONCE_STALE.values() for name in cases]
    assert set(names) <= set(CASES) and len(names) == len(set(names))


@pytest.mark.parametrize('full_graph', [False, True])
def test_training_is_seen(full_graph):
    net = _marked(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)), full_graph)
    x = paddle.ones([8, 4])
    assert all((net(x) == 0).any() for _ in range(3))
    net.eval()
    assert not any((net(x) == 0).any() for _ in range(3))


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize(
    'name',
    [
        *(
            'attribute_of_an_attribute',
            'item_of_a_dict',
            'nested_containers',
            'item_of_a_long_list',
        ),
        *('length', 'set', 'namespace', 'value_in_another_method', 'property', 'descriptor'),
        *('class_attribute', 'slots', 'getattr', 'environment', 'getenv', 'partial', 'closure'),
        *('argument_that_keeps_its_identity', 'function_of_a_module', 'method_of_a_subclass'),
        *('method_through_super', 'isinstance', 'hasattr', 'dataclass', 'layers_of_a_list'),
        *('hook_of_a_sublayer', 'tensor_in_a_dict', 'array_of_numpy', 'comprehension', 'map'),
        *('sorted_with_a_key', 'generator', 'exception', 'context_manager', 'format'),
        *('truth_of_an_object', 'imported_inside', 'special_method', 'equality_of_objects'),
    ],
)
def test_what_is_read_and_guarded_stays_compiled(name, full_graph):
    stale_cases.restart()
    made = CASES[name]()
    target = _marked(made.function, full_graph)
    static = target if isinstance(target, paddle.jit.api.StaticFunction) else target.forward
    for call in range(6):
        if call == 3:
            made.change()
        target(_tensor(1.0, 2.0), *made.args)
    assert static._compiled_runs() >= 4, paddle.jit.explain(target)
    assert static.get_traced_count() == 2, paddle.jit.explain(target)


def test_a_whole_graph_is_recorded_again_for_what_its_branches_read():
    config, rounds = Config(), Config(2)

    def scaled(x):
        return x * config.k if x.sum() > 0 else x - config.k

    def function(x):
        i = paddle.zeros([], 'int64')
        while i < rounds.k:
            x, i = scaled(x), i + 1
        return x

    f = _marked(function, True)
    for change in (None, (config, 3.0), (rounds, 3), (config, 2.0)):
        if change is not None:
            change[0].k = change[1]
        for sign in (1.0, -1.0):
            x = _tensor(sign, 2 * sign)
            assert f(x).tolist() == function(x).tolist()
    assert f.get_traced_count() == 4 and f._compiled_runs() == 8, paddle.jit.explain(f)


def test_a_whole_graph_that_cannot_be_guarded_runs_as_if_it_had_not_been_tried():
    state = {'calls': 0, 'seen': []}
    net = nn.Linear(2, 2)

    def function(x):
        state['calls'] += 1
        state['seen'].append(state['calls'])
        net.last = x * 2
        return net(x) * state['calls'] + random.random() * 0

    f = _marked(function, True)
    with pytest.warns(UserWarning, match='function runs as it is.*random'):
        for call in range(1, 5):
            f(_tensor())
            assert state == {'calls': call, 'seen': list(range(1, call + 1))}
            assert net.last.tolist() == [2.0, 4.0]
    assert f._compiled_runs() == 0


def test_numbers_that_a_whole_graph_reads_are_read_each_time():
    scale = paddle.to_tensor(2.0)
    f = _marked(lambda x: x * float(scale), True)
    with pytest.warns(UserWarning, match='numbers of a tensor'):
        for k in (2.0, 3.0):
            scale.set_value(paddle.to_tensor(k))
            assert f(_tensor(1.0)).tolist() == [k]


@pytest.mark.filterwarnings('ignore:.to_static.*runs as it is')
@pytest.mark.parametrize('clear', ['before', 'after', 'never'])
@pytest.mark.parametrize('warm', [False, True])
def test_gradients_that_were_there_before_a_whole_graph(clear, warm):
    def run(full_graph):
        paddle.seed(3)
        net = nn.Linear(2, 1)
        optimizer = paddle.optimizer.Adam(0.1, parameters=net.parameters())

        def step(x):
            if clear == 'before':
                optimizer.clear_grad()
            loss = (net(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            if clear == 'after':
                optimizer.clear_grad()
            return loss

        f = step if full_graph is None else _marked(step, full_graph)
        if warm:
            net(paddle.ones([1, 2])).sum().backward()
        found = [float(f(paddle.to_tensor([[k, 1.0]]))) for k in (1.0, 2.0, 3.0, 4.0)]
        return found, f

    (want, _), (got, f) = run(None), run(True)
    numpy.testing.assert_allclose(got, want, rtol=1e-5)
    if clear == 'after':
        assert f._compiled_runs() == 3, paddle.jit.explain(f)


def test_explain_tells_what_was_compiled_and_why_it_was_compiled_again():
    config = Config()

    def function(x):
        return x * config.k + 1

    f = _marked(function)
    explanation = paddle.jit.explain(f, _tensor())
    assert explanation.compiled and explanation.op_count > 0 and explanation.compiled_calls == 1
    assert any("'k'" in g and 'test_never_stale.py' in g for g in explanation.guards)
    config.k = 3.0
    explanation = paddle.jit.explain(f, _tensor())
    assert any("'k'" in why for _, why in explanation.recompiles)
    assert explanation.break_reasons == []


def test_explain_tells_why_a_function_is_not_compiled():
    def function(x):
        y = x * 2
        print('', end='')
        return y

    explanation = paddle.jit.explain(function, _tensor())
    ((reason, where),) = explanation.break_reasons
    assert not explanation.compiled and 'print' in reason
    line = function.__code__.co_firstlineno + 2
    assert where == f'{__file__}:{line}'
    assert reason in str(explanation) and where in str(explanation)


def test_what_is_not_compiled_is_logged(caplog):
    f = _marked(lambda x: x + time.perf_counter())
    try:
        paddle.jit.set_verbosity(1)
        with caplog.at_level('INFO', logger='paddle.jit'):
            f(_tensor())
            f(_tensor())
    finally:
        paddle.jit.set_verbosity(0)
    assert sum('perf_counter' in r.getMessage() for r in caplog.records) == 1


def test_what_a_function_made_inside_escapes_as_it_was_written():
    def function(x):
        def inner(y):
            return y + 1

        return inner, x * 2

    f = _marked(function)
    inner, _ = f(_tensor())
    assert inner.__code__.co_freevars == () and inner.__code__.co_names == ()
    assert inner(2) == 3


def test_functions_without_source_run_as_they_are():
    scope = {'paddle': paddle, 'k': 2.0}
    exec('def function(x):\n    return x * k', scope)
    f = _marked(scope['function'])
    for k in (2.0, 3.0, 4.0):
        scope['k'] = k
        assert f(_tensor(1.0)).tolist() == [k]
    assert 'source' in paddle.jit.explain(f).break_reasons[0][0]


def test_a_profiler_sees_the_call_that_is_recorded():
    seen = []

    def function(x):
        return x * 2

    f = _marked(function)
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    try:
        for _ in range(3):
            f(_tensor())
        still = sys.getprofile()
    finally:
        sys.setprofile(None)
    assert still is not None and 'call' in seen
    assert f._compiled_runs() == 2


def test_classes_of_collected_objects_are_let_go():
    def make():
        class Local:
            k = 2.0

            def __len__(self):
                return 3

        holder = Local()
        f = _marked(lambda x: x * holder.k * len(holder))
        for _ in range(2):
            assert f(_tensor(1.0)).tolist() == [6.0]
        assert f._compiled_runs() == 1
        return weakref.ref(Local)

    local = make()
    gc.collect()
    assert local() is None


def test_ways_of_calling_that_never_return_are_recorded_no_more():
    f = _marked(lambda x, c: x * c.k)
    for i in range(80):
        assert f(_tensor(1.0), Config(i)).tolist() == [i]
    assert f.get_traced_count() < 80
    assert 'ran once' in paddle.jit.explain(f).break_reasons[-1][0]
