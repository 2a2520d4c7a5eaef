# SPDX-License-Identifier: Apache-2.0
"""`match` in compiled functions: it does what the interpreter's does, its reads are noted, tensors
decide, and it is taken apart where something in it cannot be compiled.
"""

import linecache
import sys

import numpy as np
import pytest

import paddle
from paddle.jit.dy2static import convert_to_static

pytestmark = pytest.mark.skipif(sys.version_info < (3, 10), reason='no match before CPython 3.10')

SOURCE = """
import collections, dataclasses, enum
import paddle
@dataclasses.dataclass
class Point:
    a: object
    b: object = 1
class Named:
    __match_args__ = ('u',)
    def __init__(self, u):
        self.u, self.w = u, 5
class Wrong:
    __match_args__ = ['u']
class Rows(collections.abc.Sequence):
    def __init__(self, *rows):
        self.rows = rows
    def __len__(self):
        return len(self.rows)
    def __getitem__(self, k):
        return self.rows[k]
Pair = collections.namedtuple('Pair', 'x y')
class Way(enum.Enum):
    UP = 1
    DOWN = 2
KEY = Pair('k', 'z')
def kinds(v):
    match v:
        case 1 | 2:
            return 'small'
        case -1 | None | True:
            return 'odd'
        case 'a' as name:
            return name
        case [] | ():
            return 'empty'
        case [x]:
            return ('one', x)
        case [1, x, *rest] if x:
            return (x, rest)
        case [x, 0, *_]:
            return ('zero', x)
        case [('p', k) | (k, 'q'), *_, last]:
            return (k, last)
        case {KEY.x: 7, KEY.y: z}:
            return ('dotted', z)
        case {'k': int(n) as m, **more}:
            return (n, m, more)
        case {'k': [x, {'y': y}]}:
            return (x, y)
        case {}:
            return 'mapping'
        case Point(0, b=b):
            return b
        case Point(Named(u), Way.UP | Way.DOWN as w):
            return (u, w)
        case Point(a, b) if a == b:
            return ('same', a)
        case Named(u=1, w=w):
            return w
        case Named(u):
            return u
        case Pair(x, y):
            return (x, y)
        case Way.UP:
            return 'UP'
        case float() | complex():
            return 'number'
        case str(s) if len(s) > 2:
            return s
    return ('none', v)
VALUES = [
    1, 2, -1, None, True, False, 0, 'a', 'b', 'abc', [], (), [5], [1, 2, 3], [1, 0, 3], [0, 0],
    [('p', 3), 4], [(3, 'q'), 5, 6], [('z', 'q'), 1], {'k': 3, 'z': 1}, {'k': True},
    {'k': 7, 'z': 2}, {'k': [1, {'y': 2}]}, {'k': [1, {}]}, {}, Point(0, 3),
    Point(Named(4), Way.UP), Point(2, 2),
    Point(Named(4), 3), Point(2, 3), Named(1), Named(7), Pair(1, 2), Pair(1, 0), Way.UP, Way.DOWN,
    1.5, 2j, range(3), range(1), b'ab', bytearray(b'x'), collections.deque([1, 2]), {1}, 2.0,
    collections.OrderedDict(k=2), collections.defaultdict(int), Rows(1, 3), Rows(4), Wrong(),
]
def times(x, i):
    return x * len(str(kinds(VALUES[i])))
def bound(v):
    match v:
        case [a, b] if type(a) is type(b) is int and a > b:
            return 'more', a, b
        case [a, *_]:
            pass
        case c:
            pass
    try:
        return a, v
    except NameError:
        return c, v
def no_class(v, kind=int | str):
    match v:
        case kind():
            return 1
def not_a_tuple(v):
    match v:
        case Wrong(u):
            return u
def too_many(v):
    match v:
        case int(a, b):
            return a
def given_twice(v):
    match v:
        case Named(2, u=u):
            return u
def equal_keys(v):
    match v:
        case {KEY.x: a, KEY.x: b}:
            return a
STATE = {'mode': 'scale', 'box': Point(2.0, [1.0, 3.0])}
def stateful(x):
    match STATE:
        case {'mode': 'scale', 'box': Point(k, [first, *_])} if k > 1:
            x = x * k + first
        case {'mode': 'shift', 'box': Point(b=[*_, last])}:
            x = x + last
        case {'mode': None | 'none'}:
            return x
        case _:
            x = x - 1
    return x * 2
def decided(x):
    match x.sum():
        case 3:
            y = x + 1
        case total if total > 5:
            y = x * total
        case _:
            y = x - 1
    return y
def shaped(x):
    match x.shape:
        case [n, 2]:
            return x * n
        case [n]:
            return x + n
        case [_, *rest]:
            return x * sum(rest)
def broken(x, mode):
    y = paddle.tanh(x) * 2 + 1
    match mode:
        case ('print', k):
            print(end='')
            y = (y * k + 1) * 2 - x
        case {'scale': k} if float(y.detach().sum()) > k:
            y = paddle.exp(y * k) + 1 - x * 3
        case str():
            return y - x + 1
    return (y + 1) * x - 2
"""

ERRORS = {
    **dict.fromkeys(('no_class', 'not_a_tuple', 'too_many', 'given_twice'), TypeError),
    'equal_keys': ValueError,
}


@pytest.fixture(scope='module')
def functions():
    name, scope = '<functions with match>', {'__name__': 'functions_with_match'}
    linecache.cache[name] = len(SOURCE), None, SOURCE.splitlines(True), name
    exec(compile(SOURCE, name, 'exec'), scope)
    return scope


def outcome(function, *args):
    try:
        result = function(*args)
    except Exception as error:
        return type(error)
    return result.tolist() if isinstance(result, paddle.Tensor) else repr(result)


@pytest.mark.parametrize('name', ['kinds', 'bound', *ERRORS])
def test_it_does_what_the_interpreter_does(functions, name):
    function = functions[name]
    converted = convert_to_static(function)
    assert converted is not function
    results = [outcome(function, v) for v in functions['VALUES']]
    assert [outcome(converted, v) for v in functions['VALUES']] == results
    raised = ERRORS.get(name)
    assert [r for r in results if isinstance(r, type)][:1] == [raised] * (name in ERRORS)


@pytest.mark.parametrize('full_graph', [False, True])
def test_values(functions, full_graph):
    function, x = functions['times'], paddle.ones([2])
    static = paddle.jit.to_static(function, full_graph=full_graph)
    for _ in range(3):
        for i in range(len(functions['VALUES'])):
            assert outcome(static, x, i) == outcome(function, x, i)
    assert static._all_runs() >= len(functions['VALUES'])


@pytest.mark.parametrize('full_graph', [False, True])
def test_what_it_reads_is_guarded(functions, full_graph):
    function, x, state = functions['stateful'], paddle.ones([2]), functions['STATE']
    static = paddle.jit.to_static(function, full_graph=full_graph)
    before, point = dict(state), functions['Point']
    box = point(2.0, [1.0, 3.0])
    changes = (
        *('mode shift', 'mode none', 'mode None', 'mode other', 'mode scale', 'k 3', 'k 0.5'),
        *('k 2', 'parts 4', 'args', 'class', 'gone'),
    )
    try:
        state['box'] = box
        for change in ('', *changes):
            what, _, value = change.partition(' ')
            if what == 'mode':
                state['mode'] = None if value == 'None' else value
            elif what == 'k':
                box.a = float(value)
            elif what == 'parts':
                box.b.insert(0, float(value))
            elif what == 'args':
                point.__match_args__ = ('b', 'a')
            elif what == 'class':
                state['box'] = functions['Named'](2)
            elif what == 'gone':
                del state['mode']
            for _ in range(3):
                assert outcome(static, x) == outcome(function, x), change
    finally:
        point.__match_args__ = ('a', 'b')
        state.clear()
        state.update(before)
    assert static._all_runs() >= len(changes)


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('name', ['decided', 'shaped'])
def test_tensors_decide(functions, name, full_graph):
    function = functions[name]
    static = paddle.jit.to_static(function, full_graph=full_graph)
    inputs = [[1.0, 2.0], [3.0, 4.0], [0.5, 0.5], [1.0, 2.0, 3.0], [[1.0, 2.0]], [[2.0], [1.0]]]
    for _ in range(3):
        for value in inputs:
            x = paddle.to_tensor(value)
            assert outcome(static, x) == outcome(function, x)
    assert static._all_runs() > 0


def test_it_is_taken_apart(functions):
    function = functions['broken']
    static = paddle.jit.to_static(function, full_graph=False)
    x = paddle.to_tensor(np.linspace(-1, 1, 5000, dtype='float32'), stop_gradient=False)
    for _ in range(4):
        for mode in (('print', 2.0), {'scale': 0.5}, {'scale': 1e9}, 'as it is', None):
            want, got = function(x, mode), static(x, mode)
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)
            gradients = [paddle.grad(y.sum(), x)[0].numpy() for y in (want, got)]
            np.testing.assert_allclose(gradients[1], gradients[0], rtol=1e-5)
    text = str(paddle.jit.explain(function, x, ('print', 2.0)))
    assert 'compiled regions' in text and 'builtins.print' in text
