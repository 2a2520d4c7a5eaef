# SPDX-License-Identifier: Apache-2.0
"""Without `full_graph` the first call runs the function once, with real numbers, and what it did is
recorded: the second call runs the program. What cannot be recorded keeps the finished result, and
the function goes on running as it is."""

import collections
import gc
import weakref

import jit_models
import numpy
import pytest
import test_models

import paddle
from paddle import nn
from paddle.static import InputSpec


def _tensor(*values, grad=False):
    t = paddle.to_tensor(list(values), dtype='float32')
    t.stop_gradient = not grad
    return t


def _same(a, b):
    numpy.testing.assert_array_equal(numpy.asarray(a), numpy.asarray(b))


def _close(a, b):
    numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=1e-5, atol=1e-6)


class Counted:
    """A function marked with to_static, and how often its Python code ran."""

    def __init__(self, function, **options):
        self.calls, self.function = 0, function
        self.static = paddle.jit.to_static(function, full_graph=False, **options)

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.static(*args, **kwargs)

    @property
    def runs(self):
        return self.calls - self.static._compiled_runs()

    @property
    def recordings(self):
        return self.static.get_traced_count()


@pytest.mark.parametrize('name', list(jit_models.MODELS))
def test_models_are_recorded_by_their_first_call(name):
    static = test_models._check(*jit_models.MODELS[name], full_graph=False, backend=None)
    assert static.forward.get_traced_count() == 1 and static.forward._compiled_runs() == 2


def test_python_code_runs_once():
    def function(x):
        return x * 2, [x.reshape([-1])[0], {'sum': x.sum()}]

    f, x = Counted(function), _tensor(1, 2, grad=True)
    for _ in range(3):
        double, (first, sums) = f(x)
        _same(double, [2, 4])
        assert float(first) == 1 and float(sums['sum']) == 3
        (double.sum() + first).backward()
        _same(x.grad, [3, 2])
        x.clear_grad()
    assert f.runs == 1 and f.recordings == 1


def test_what_is_printed_is_printed_at_each_call(capsys):
    def function(x):
        print('running')
        return x * 2

    f = Counted(function)
    for _ in range(3):
        _same(f(_tensor(1, 2)), [2, 4])
    assert capsys.readouterr().out == 'running\n' * 3


def test_the_first_result_is_that_of_the_plain_call():
    paddle.seed(5)
    net = nn.Sequential(
        nn.Linear(4, 8), nn.BatchNorm1D(8), nn.GELU(), nn.Dropout(0.5), nn.Linear(8, 2)
    )
    x = paddle.randn([6, 4])
    x.stop_gradient = False
    state = {k: v.numpy() for k, v in net.state_dict().items()}
    seen = []
    for function in (net.__call__, Counted(lambda x: net(x))):
        net.set_state_dict({k: paddle.to_tensor(v) for k, v in state.items()})
        paddle.seed(9)
        out = function(x)
        drawn = paddle.rand([3]).numpy()
        (out * out).sum().backward()
        seen.append([out, drawn, x.grad, *(p.grad for p in net.parameters()), *net.buffers()])
        seen[-1] = [numpy.array(numpy.asarray(t)) for t in seen[-1]]
        net.clear_gradients()
        x.clear_grad()
    assert function.runs == 1 and function.recordings == 1
    for a, b in zip(*seen):
        _same(a, b)


def test_buffers_and_draws_after_several_calls():
    def function(net, x):
        return paddle.nn.functional.dropout(net(x), 0.5) + paddle.rand([3])

    nets = [nn.BatchNorm1D(3), nn.BatchNorm1D(3)]
    f = Counted(lambda x: function(nets[1], x))
    for call in range(3):
        x = paddle.randn([5, 3])
        results = []
        for g in (lambda x: function(nets[0], x), f):
            paddle.seed(call)
            results.append((g(x), paddle.rand([2])))
        for a, b in zip(*results):
            _close(a, b)
        if call in (0, 2):
            for a, b in zip(nets[0].buffers(), nets[1].buffers()):
                _close(a, b)
    assert f.runs == 1


def test_writes_views_and_modes():
    total, rows = paddle.zeros([2]), paddle.zeros([3, 2])
    weight = _tensor(1, 2, grad=True)

    def function(x, out):
        with paddle.no_grad():
            total.add_(x)
            rows[1] = x
            half = x * weight
        out.scale_(2.0)
        y = x * 3
        y[0] = 7.0
        view = y.reshape([2, 1])
        view.add_(paddle.ones([2, 1]))
        with paddle.amp.auto_cast(level='O1', dtype='bfloat16'):
            z = paddle.matmul(y.reshape([1, 2]), weight.reshape([2, 1]))
        return total * 1, y, half, z, y.detach() * weight

    f = Counted(function)
    weight_grads = []
    for call in range(1, 4):
        x, out = _tensor(1, 2), _tensor(1, 2)
        sums, y, half, z, cut = f(x, out)
        _same(sums, [call, 2 * call])
        _same(y, [8, 7])
        _same(out, [2, 4])
        assert half.stop_gradient and z.dtype == paddle.bfloat16 and not cut.stop_gradient
        (cut.sum() + z.astype('float32').sum()).backward()
        weight_grads.append(weight.grad.numpy())
        weight.clear_grad()
    _same(total, [3, 6])
    _same(rows, [[0, 0], [1, 2], [0, 0]])
    _same(weight_grads[0], weight_grads[1])
    _same(weight_grads[0], weight_grads[2])
    assert f.runs == 1 and f.recordings == 1


def test_derivatives_inside_are_recorded():
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))

    def residual(x):
        u = net(x)
        (du,) = paddle.grad(u.sum(), x, create_graph=True)
        (d2u,) = paddle.grad(du.sum(), x, create_graph=True)
        return ((d2u + u * du) ** 2).mean()

    f, x = Counted(residual), paddle.linspace(-1, 1, 5).reshape([5, 1])
    x.stop_gradient = False
    want = residual(x)
    want.backward()
    grads = [p.grad.numpy() for p in net.parameters()[:3]]
    for _ in range(2):
        net.clear_gradients()
        loss = f(x)
        loss.backward()
        _close(loss, want)
        for p, g in zip(net.parameters(), grads):
            numpy.testing.assert_allclose(p.grad.numpy(), g, rtol=1e-4, atol=1e-5)
    assert f.runs == 1


def test_attributes_that_a_call_sets():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.last = None
            self.register_buffer('mean', paddle.zeros([2]))

        def forward(self, x):
            self.mean = self.mean * 0.5 + x
            self.last = x * 2
            return self.last + self.mean

    net, plain, kept = paddle.jit.to_static(Net(), full_graph=False), Net(), []
    for i in range(5):
        x = _tensor(i, 1)
        kept.append((net(x), plain(x)))
        _same(net.last, plain.last)
        _same(net.mean, plain.mean)
    for a, b in kept:
        _same(a, b)
    assert net.forward.get_traced_count() == 1


def test_shapes_may_be_read():
    def function(x):
        rows = [x[i] for i in range(len(x))]
        return paddle.concat(rows).reshape([x.shape[1], x.shape[0]]), [r * 1 for r in x]

    f = Counted(function)
    for n in (2, 3):
        for _ in range(2):
            x = paddle.arange(2 * n, dtype='float32').reshape([n, 2])
            joined, rows = f(x)
            _same(joined, numpy.arange(2 * n).reshape([2, n]))
            assert len(rows) == n
    assert f.runs == 2 and f.recordings == 2


def test_free_extents():
    f = Counted(lambda x: (x * 2).sum(axis=0), input_spec=[InputSpec([None, 2])])
    for n in (1, 3, 5):
        _same(f(paddle.ones([n, 2])), [2 * n, 2 * n])
    assert f.runs == 1 and f.recordings == 1
    g = Counted(lambda x: x.reshape([x.shape[0], -1]) + 1, input_spec=[InputSpec([None, 2, 2])])
    for n in (2, 3, 4):
        assert g(paddle.ones([n, 2, 2])).shape == [n, 4]


def test_sizes_that_depend_on_values_are_not_fixed():
    def function(x):
        found = paddle.nonzero(x)
        return found * 2, paddle.zeros([found.shape[0]]) + 1

    f = Counted(function)
    for values in ([1, 0, 2], [0, 0, 3], [1, 1, 1]):
        found, ones = f(_tensor(*values))
        assert len(found) == len(ones) == sum(v != 0 for v in values)


def test_modes_set_inside_are_those_of_the_recording():
    def function(x):
        before = paddle.get_default_dtype()
        paddle.set_default_dtype('float64')
        y = paddle.ones([2])
        paddle.set_default_dtype(before)
        with paddle.amp.auto_cast(dtype='bfloat16', custom_black_list=['matmul', 'matmul_v2']):
            z = paddle.matmul(x, x)
        return y, z

    f = Counted(function)
    for _ in range(2):
        y, z = f(paddle.ones([2, 2]))
        assert y.dtype == paddle.float64 and z.dtype == paddle.float32
    assert f.runs == 1


def test_marked_functions_inside_become_part():
    inner = Counted(lambda x: x * 2)
    outer = Counted(lambda x: inner.static(inner.static(x)) + 1)
    for _ in range(2):
        _same(outer(_tensor(1)), [5])
    assert outer.runs == 1 and inner.static._compiled_runs() == 0 and inner.recordings == 0
    _same(inner(_tensor(3)), [6])


Point = collections.namedtuple('Point', 'x y')


class Box:
    def __init__(self, tensor, text):
        self.tensor, self.text = tensor, text


def test_nests_of_results_are_made_anew():
    f = Counted(
        lambda x: [x, Point(x + 1, {'n': 3}), Box(x * 2, 'label'), collections.OrderedDict(a=x - 1)]
    )
    x = _tensor(1)
    first = f(x)
    first[2].text = 'changed'
    for _ in range(2):
        same, point, box, ordered = f(x)
        assert (
            same is x and isinstance(point, Point) and isinstance(ordered, collections.OrderedDict)
        )
        assert box is not first[2] and box.text == 'label'
        _same(point.x, [2])
        _same(box.tensor, [2])
        _same(ordered['a'], [0])
    _same(first[2].tensor, [2])
    assert f.runs == 1


_box = Box(None, '')
_list = []


def _append(x):
    _list.append(x * 2)
    return x + 1


def _set_elsewhere(x):
    _box.tensor = x * 2
    return x + 1


class Double(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 20


def _raises_inside(x):
    try:
        paddle.matmul(x, paddle.ones([5, 5]))
    except ValueError:
        pass
    return x * 2


def _seeds(x):
    paddle.seed(3)
    return x + paddle.rand([2])


def _numpy_between(x):
    return x + paddle.to_tensor((x * 2).numpy())


_count = 0


def _counts(x):
    global _count
    _count += 1
    return x * _count


def test_writes_through_detached_are_recorded():
    def function(x):
        y = x * 1
        y.detach().add_(paddle.ones([2]))
        return y * 1

    f = Counted(function)
    for _ in range(3):
        x = _tensor(1, 2, grad=True)
        y = f(x)
        _same(y, [2, 3])
        y.sum().backward()
        _same(x.grad, [1, 1])
    assert f.runs == 1


@pytest.mark.parametrize(
    'function',
    [
        lambda x: x * float(x[0]),
        lambda x: x.tolist() and x + 1,
        _append,
        _set_elsewhere,
        _raises_inside,
        _seeds,
        _numpy_between,
        lambda x: paddle.Tensor(x.detach()) + x,
        _counts,
    ],
)
def test_what_cannot_be_recorded_runs_every_time(function):
    global _count
    _count = 0
    f, results = Counted(function), []
    for call in range(5):
        x = _tensor(1, 2, grad=True)
        y = f(x)
        results.append(y.numpy())
        y.sum().backward()
        assert x.grad is not None
        if function is _append:
            assert len(_list) == call + 1
            _same(_list[-1], [2, 4])
        if function is _set_elsewhere:
            _same(_box.tensor, [2, 4])
        if function is _counts:
            _same(y, [call + 1, 2 * call + 2])
    assert f.runs == 5 and f.recordings == 0
    if function is not _counts:
        for r in results[1:]:
            _same(r, results[0])
    assert not paddle.base.libpaddle.pir._record_mode()
    _box.tensor = None
    _list.clear()


def test_values_decide_at_each_call():
    f = Counted(lambda x: x * 2 if x.sum() > 0 else x - 1)
    for _ in range(4):
        _same(f(_tensor(1)), [2])
        _same(f(_tensor(-1)), [-2])
    assert f.runs == 2  # once for each way


def test_a_layer_in_python_between_operations():
    f = Counted(lambda x: Double.apply(x) + 1)
    for _ in range(4):
        x = _tensor(1, 2, grad=True)
        y = f(x)
        _same(y, [3, 5])
        y.sum().backward()
        _same(x.grad, [20, 20])


def test_one_tensor_given_twice():
    f, x = Counted(lambda x, y: x * 2 + y), _tensor(1)
    for _ in range(3):
        _same(f(x, x), [3])
        _same(f(x, _tensor(5)), [7])


def test_a_captured_tensor_given_as_an_argument():
    w = _tensor(2)
    f = Counted(lambda x: x * w)
    for _ in range(3):
        _same(f(w), [4])
        _same(f(_tensor(5)), [10])


def test_an_exception_leaves_nothing_behind():
    wrong = [True]

    def function(x):
        y = x * 2
        if wrong[0]:
            raise KeyError('mine')
        return y

    f = Counted(function)
    with pytest.raises(KeyError, match='mine'):
        f(_tensor(1))
    wrong[0] = False
    for _ in range(2):
        _same(f(_tensor(1)), [2])
    assert f.runs == 2 and f.recordings == 1


def test_a_first_result_is_left_alone():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.state = paddle.zeros([2])

        def forward(self, x):
            self.state = self.state + x
            return self.state

    net = paddle.jit.to_static(Net(), full_graph=False)
    results = [net(_tensor(1, 1)) for _ in range(3)]
    for i, r in enumerate(results):
        _same(r, [i + 1, i + 1])


def test_what_the_first_call_makes_is_there_for_the_second():
    class Lazy(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = None

        def forward(self, x):
            if self.fc is None:
                self.fc = nn.Linear(2, 2)
            return self.fc(x)

    net, x = paddle.jit.to_static(Lazy(), full_graph=False), paddle.ones([1, 2])
    results = [net(x) for _ in range(4)]
    for r in results:
        _close(r, net.fc(x))
    assert net.forward.get_traced_count() == 1


def test_what_a_call_counts_is_counted_at_each_call():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.count = Box(0, '')

        def forward(self, x):
            self.count.text += 'x'
            return x * 2

    net = paddle.jit.to_static(Net(), full_graph=False)
    for _ in range(5):
        _same(net(_tensor(1)), [2])
    assert net.count.text == 'xxxxx'


def test_arguments_that_are_changed_after_an_operation():
    def function(x):
        shape, array = [2, 3], numpy.ones([3], 'float32')
        y = x.reshape(shape)
        z = y + paddle.to_tensor(array)
        shape[0], array[:] = 7, 100
        return z

    f, x = Counted(function), paddle.ones([6])
    for _ in range(2):
        _same(f(x), numpy.full([2, 3], 2))
    assert f.runs == 1


def test_arguments_that_hold_more_after_the_call():
    def function(held):
        held['y'] = held['x'] * 2
        held['list'].append(held['x'])
        return held['x'] + 1

    f = Counted(function)
    for i in range(4):
        held = {'x': _tensor(i), 'list': []}
        _same(f(held), [i + 1])
        _same(held['y'], [2 * i])
        assert held['list'] == [held['x']]


def test_flags_of_numbers_without_gradients():
    f, x = Counted(lambda x: x.astype('int64')), _tensor(1, grad=True)
    assert [f(x).stop_gradient for _ in range(3)] == [False] * 3


def test_nothing_of_the_first_call_is_kept():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    f, x = Counted(lambda x: [net(x), Box(x * 2, '')]), paddle.ones([1, 2])
    first = f(x)
    alive = [weakref.ref(t) for t in (first[0], first[1].tensor, first[1], x)]
    del first, x
    gc.collect()
    assert f.recordings == 1 and [r() for r in alive] == [None] * 4
