# SPDX-License-Identifier: Apache-2.0
"""Extents and integers that vary from call to call become free in recordings: results, gradients
and exceptions stay those of the plain function, whatever its code asks of them.
"""

import math
import zlib

import numpy
import pytest
from extent_cases import CASES
from test_unknown_extents import _array, _loss, _tensors

import paddle
from paddle import nn

SIZES = (2, 3, 5, 7, 5, 4, 9, 1, 12, 2, 0, 6)


def _rows(n):
    return [paddle.cos(paddle.arange(n * 4, dtype='float32') * 0.7).reshape([n, 4])]


def _two(n):
    return _rows(n) + [x * 2 - 1 for x in _rows(n)]


def _outcome(function, args):
    """Result and gradients as comparable values, or the class of the exception."""
    given = [a.detach() if paddle.is_tensor(a) else a for a in args]
    tensors = [a for a in given if paddle.is_tensor(a)]
    for t in tensors:
        t.stop_gradient = not t.is_floating_point()
    try:
        result = function(*given)
    except Exception as error:
        return type(error)
    parts = result if isinstance(result, (tuple, list)) else [result]
    loss = [p for p in parts if paddle.is_tensor(p) and not p.stop_gradient]
    if loss:
        sum((p * paddle.cos(p.detach())).sum() for p in loss).backward()
    # Regions add zeros for results that are not used, which makes 0.0 of -0.0.
    found = [type(result), *map(_comparable, parts)]
    return found + [_comparable(None if t.grad is None else t.grad + 0) for t in tensors]


def _comparable(part):
    if not paddle.is_tensor(part):
        return type(part), part
    return part.dtype, part.shape, repr(part.numpy().tolist())


def _check(function, make=_rows, sizes=SIZES, full_graph=False, **options):
    marked = paddle.jit.to_static(function, full_graph=full_graph, backend=None, **options)
    for n in sizes:
        assert _outcome(marked, make(n)) == _outcome(function, make(n)), n
    return marked


both = pytest.mark.parametrize('full_graph', [False, True])


@both
def test_38_sizes_are_3_recordings(full_graph):
    net = nn.Sequential(nn.Linear(4, 3), nn.GELU(), nn.Linear(3, 2))
    sizes = [2 + k * 7 % 38 for k in range(38)]
    marked = _check(lambda x: net(x).softmax(-1), sizes=sizes, full_graph=full_graph)
    assert marked.get_traced_count() <= 3
    assert marked._compiled_runs() >= 34
    explanation = paddle.jit.explain(marked)
    assert explanation.events[-1].free == ['x.shape[0]']
    assert 'for any x.shape[0]' in str(explanation)


def _reshaped(x):
    n, c = x.shape
    return x.reshape([n * 2, c // 2]) + paddle.zeros([n * 2, 1])


def _branch(x):
    return x * 2 if x.shape[0] > 4 else x + 1


def _window(x):
    n = len(x)
    half = n // 2
    return x[:half] * 2, x[half : n - 1], x[1:n]


def _mean(x):
    return x.sum(0) / x.shape[0], x * x.shape[0] - len(x), 2 / x * len(x)


def _positions(x):
    return x + paddle.arange(x.shape[0], dtype='float32').unsqueeze(1)


def _padded(x):
    rest = -x.shape[0] % 4
    more = (4 - x.shape[0] % 4) % 4
    return nn.functional.pad(x, [0, more, 0, 0]) if rest else x * 3


def _loop(x):
    total = 0
    for k in range(x.shape[0]):
        total = total + x[k] * k
    return total


def _rows_of(x):
    return [row * k for k, row in enumerate(x)]


def _while(x):
    n, y = x.shape[0], x
    while n > 1:
        n, y = n // 2, y * 1.5
    return y


def _told(x):
    return x * 2, x.shape[0], list(x.shape), x.shape, f'{x.shape[0]} rows', x.ndim, x.size


def _kept(x):
    shape = {'n': x.shape[0], 'sizes': [d + 1 for d in x.shape]}
    sizes = []
    sizes.append(max(shape['n'], 3))
    return paddle.ones([shape['sizes'][0], sizes[0]]) * x.sum()


def _collected(x):
    tensors, others = [x], {}
    tensors.append(x * x.shape[0])
    tensors.insert(0, x + 1)
    tensors[1] = x * 3
    tensors.append(row for row in x)
    others.setdefault('last', tensors.pop())
    tensors.extend(x - 1)
    tensors[0:1] = x * 5
    return next(others['last']), *tensors, len(tensors)


def _classes(x):
    n = x.shape[0]
    if not isinstance(n, int) or type(n) is not int or n is None or n in (5, 9):
        return x + 3
    return x * math.sqrt(n) + {2: 1.0, 3: 2.0}.get(n, 4.0) + [0] * n if n < 0 else x - n


def _numbers(x):
    n = x.shape[0]
    return x * (n / 2) + n**2 + n % 3 - (n << 1) + abs(n) + round(n) + int(n) + float(n) + (n & 1)


def _numpy(x):
    return x + float(numpy.prod(x.shape)) + numpy.arange(x.shape[0]).sum()


def _grown(x):
    return paddle.concat([x, x]).reshape([-1, 2]), paddle.expand(x.sum(), [x.shape[0], 2])


def _squeezed(x):
    return (x.unsqueeze(0) * x.unsqueeze(1)).mean([0, 2]), x.squeeze(), x + paddle.ones([1, 4])


def _fails(x):
    return x.reshape([3, -1]) + 1


@both
@pytest.mark.parametrize(
    'function',
    [
        *(_reshaped, _branch, _window, _mean, _positions, _padded, _loop, _rows_of, _while, _told),
        *(_kept, _collected, _classes, _numbers, _numpy, _grown, _squeezed, _fails),
    ],
    ids=lambda f: f.__name__.strip('_'),
)
def test_what_code_does_with_extents(function, full_graph):
    _check(function, full_graph=full_graph)


@both
def test_lists_keep_what_is_appended(full_graph):
    def last(x, y):
        tensors = [x]
        tensors.append(x * y.shape[0])
        tensors.insert(0, y)
        tensors[1] = y * 2
        return tuple(tensors)

    spec = [paddle.static.InputSpec([None, 4])]
    _check(last, _two, full_graph=full_graph, input_spec=spec * 2)


@both
@pytest.mark.parametrize(
    'function, most',
    [(_reshaped, 5), (_branch, 6), (_mean, 5), (_positions, 5), (_kept, 6), (_grown, 5)],
)
def test_recordings_are_few(function, most, full_graph):
    marked = _check(function, full_graph=full_graph)
    assert 3 <= marked.get_traced_count() <= most


@both
def test_a_comparison_is_what_recordings_depend_on(full_graph):
    marked = _check(_branch, sizes=(2, 3, 5, 9, 6, 3, 4, 11, 2, 4, 8), full_graph=full_graph)
    guards = paddle.jit.explain(marked).guards
    assert 'x.shape[0] > 4' in guards and 'x.shape[0] < (4 + 1)' in guards
    assert marked.get_traced_count() == 4


@both
def test_where_the_number_is_needed_each_size_is_recorded(full_graph):
    marked = _check(_loop, sizes=(2, 3, 5, 7, 5, 7, 2, 3, 5), full_graph=full_graph)
    assert marked.get_traced_count() == 4
    assert paddle.jit.explain(marked).events[-1].free == []


@both
def test_extents_that_were_equal_are_one(full_graph):
    marked = _check(lambda x, y: (x * y).sum(1) + len(x), _two, full_graph=full_graph)
    assert any('==' in g for g in paddle.jit.explain(marked).guards)
    one = _rows(6)[0]
    assert marked(one, _rows(1)[0]).shape == [6]  # broadcast: other recordings
    with pytest.raises(ValueError, match='broadcast'):
        marked(one, _rows(5)[0])


@both
@pytest.mark.parametrize(
    'function',
    [
        lambda x, n: x * n + n,
        lambda x, n: x[:n] * 2,
        lambda x, n: x * 2 if n > 5 else x + paddle.zeros([n + 1, 1, 1]).sum(),
        lambda x, n: paddle.full([n, 3], 2.5) + x[0, 0],
        lambda x, n: (x * 2, n, [n - 1]),
        lambda x, n: paddle.arange(n) + x.shape[0],
        lambda x, n: paddle.arange(8) * n // 2,
        lambda x, n: x.astype('float64') / max(n, 3),
        lambda x, n: paddle.topk(x.flatten(), k=min(n + 1, 16))[0],
        lambda x, n: x.cumsum(0) ** n if n else x,
    ],
)
def test_integers_among_the_arguments(function, full_graph):
    sizes = (2, 3, 5, 7, 5, 4, 9, 1, 12, 2, 0, -1, 6, True, 2**40, 8)
    _check(function, lambda n: [*_rows(4), n], sizes[:14], full_graph=full_graph)
    marked = paddle.jit.to_static(
        lambda x, *, n: function(x, n), full_graph=full_graph, backend=None
    )
    for n in sizes[:13]:
        x = _rows(4)[0]
        assert _outcome(lambda a: marked(a, n=n), [x]) == _outcome(lambda a: function(a, n), [x])


@both
def test_a_counter_is_free_and_named(full_graph):
    marked = paddle.jit.to_static(lambda x, step: x * step, full_graph=full_graph, backend=None)
    for step in range(100):
        assert marked(paddle.to_tensor(1.5), step) == 1.5 * step
    assert marked.get_traced_count() <= 5
    assert 'for any step' in str(paddle.jit.explain(marked))
    for step in (1.0, True, 2**70, numpy.int64(3)):
        assert marked(paddle.to_tensor(1.5), step) == 1.5 * float(step)


@both
def test_state_is_still_guarded(full_graph):
    state = {'k': 2.0, 'limit': 6}

    def function(x):
        return x * state['k'] if x.shape[0] < state['limit'] else x - state['k']

    marked = paddle.jit.to_static(function, full_graph=full_graph, backend=None)
    for k, n in enumerate((2, 3, 4, 5, 7, 8, 9, 4, 5, 8, 2, 7) * 2):
        state['k'], state['limit'] = 2.0 + k % 3, 6 - k % 2
        assert _outcome(marked, _rows(n)) == _outcome(function, _rows(n))


@both
def test_state_that_holds_an_extent_stays_an_int(full_graph):
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.seen, self.table = 0, {}

        def forward(self, x):
            self.seen = x.shape[0]
            self.table['n'] = x.shape[0] + 1
            return x * self.seen

    plain, net = Net(), Net()
    marked = paddle.jit.to_static(net, full_graph=full_graph, backend=None)
    for n in (2, 3, 4, 5, 6, 4, 4, 4):
        assert _outcome(marked, _rows(n)) == _outcome(plain, _rows(n))
        assert (net.seen, net.table) == (n, {'n': n + 1}) and type(net.seen) is int


@both
def test_a_training_step(full_graph):
    def make():
        paddle.seed(3)
        net = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Dropout(0.3), nn.Linear(5, 1))
        optimizer = paddle.optimizer.AdamW(0.01, parameters=net.parameters())

        def step(x):
            loss = net(x).sum() / x.shape[0]
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        return net, step

    found = []
    for mark in (False, True):
        net, step = make()
        if mark:
            step = paddle.jit.to_static(step, full_graph=full_graph, backend=None)
        paddle.seed(5)
        losses = [step(_rows(n)[0]).item() for n in (2, 3, 5, 7, 5, 4, 9, 12, 6, 8, 10)]
        found.append([*losses, *(p.numpy().tolist() for p in net.parameters())])
    assert found[0] == found[1]
    assert step._compiled_runs() >= 5 and step.get_traced_count() <= 4


@both
def test_free_dims_that_were_asked_for(full_graph):
    """Extents in `dynamic_dims` are read as what they are, too."""
    for function in (_reshaped, _branch, _loop, _positions):
        marked = paddle.jit.to_static(
            function, full_graph=full_graph, backend=None, dynamic_dims={0: 0}
        )
        for n in (2, 3, 5, 7, 5, 9):
            got, want = marked(*_rows(n)), function(*_rows(n))
            numpy.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)


def test_regions_between_breaks():
    def function(x):
        y = (x * 2).tanh().exp().reshape([x.shape[0] * 2, 2]) + 1
        z = y.sum().item()
        return (y * z).sigmoid().sum(0).cos() - len(y)

    marked = _check(function, sizes=(3, 4, 5, 6, 7, 8, 9, 10, 3, 5, 11))
    parts = paddle.jit.explain(marked).regions
    assert parts and all(r.recordings <= 4 for r in parts)


@pytest.mark.parametrize('case', CASES, ids=lambda c: c.name)
def test_operations(case):
    """Each operation at sizes that make it free, in one of the modes."""
    full_graph = bool(zlib.crc32(case.name.encode()) & 1)
    if case.name == 'matrix_exp_rows':
        full_graph = False  # cannot be recorded there at all
    marked = paddle.jit.to_static(
        lambda *args: case.call(*args), full_graph=full_graph, backend=None
    )
    for size in (5, 3, 2, 6, 1, 4):
        rng = numpy.random.default_rng(zlib.crc32(case.name.encode()) + size)
        arrays = [_array(spec, size, rng) for spec in case.inputs]
        found = []
        for function in (case.call, marked):
            given = [paddle.to_tensor(a, stop_gradient=a.dtype != numpy.float32) for a in arrays]
            try:
                results = _tensors(function(*given))
            except Exception as error:
                found.append([type(error)])
                continue
            loss = _loss(results)
            if loss is not None:
                loss.backward()
            found.append([*results, *(t.grad for t in given)])
        assert len(found[0]) == len(found[1])
        for want, got in zip(*found):
            if not paddle.is_tensor(want):
                assert want is got
                continue
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            numpy.testing.assert_allclose(got.numpy(), want.numpy(), 1e-5, 1e-6)


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('part', [slice(6), slice(-4, None), slice(2, 6), slice(1, -1)])
def test_slices_of_a_free_extent_may_be_cut(part, full_graph):
    """What a slice holds of a free extent is not what its ends say: the axis may end before."""

    def of_part(x, z):
        return x + z[part].sum(axis=0)

    marked = paddle.jit.to_static(of_part, full_graph=full_graph)
    for rows in (3, 1, 8, 5, 9, 3, 7, 2):
        x, z = paddle.ones([2]), paddle.arange(2.0 * rows).reshape([rows, 2])
        assert marked(x, z).tolist() == of_part(x, z).tolist()


def test_shapes_of_slices_of_unknown_extents():
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, paddle.static.Program()):
            z = paddle.static.data('z', [-1, 4])
            shapes = [z[:6].shape, z[-3:].shape, z[1:2].shape, z[:].shape, z[0].shape]
    finally:
        paddle.disable_static()
    assert [list(s) for s in shapes] == [[-1, 4]] * 4 + [[4]]
