# SPDX-License-Identifier: Apache-2.0
"""What `paddle.jit.to_static` promises beside equal numbers: when it records again, gradients of
any order, what it cannot record, binding, state."""

import collections
import copy
import functools
import itertools
import warnings

import numpy
import pytest
from paddle.static import InputSpec

import paddle
from paddle import nn


def _static(function=None, **options):
    options.setdefault('full_graph', True)
    return (
        paddle.jit.to_static(function, **options) if function else paddle.jit.to_static(**options)
    )


def _tensor(*values, grad=False):
    t = paddle.to_tensor(list(values), dtype='float32')
    t.stop_gradient = not grad
    return t


def _equal(a, b, rtol=1e-5):
    numpy.testing.assert_allclose(numpy.asarray(a), numpy.asarray(b), rtol=rtol, atol=1e-6)


def test_records_once_for_a_way_of_calling():
    f = _static(lambda x, n=1: x * n)
    x = _tensor(1, 2)
    for _ in range(3):
        _equal(f(x, 2), [2, 4])
    assert f.get_traced_count() == 1
    _equal(f(x, 3), [3, 6])
    _equal(f(x, n=3), [3, 6])
    _equal(f(paddle.ones([3]), 2), [2, 2, 2])
    _equal(f(paddle.ones([2], 'float64'), 2), [2, 2])
    with paddle.no_grad():
        f(x, 2)
    assert f.get_traced_count() == 6
    assert f(x, True).dtype == f(x, 1).dtype == paddle.float32
    _equal(f(x, -0.0) * 0 + 1 / f(x, -0.0), [-numpy.inf, -numpy.inf])


def test_free_extents_are_not_recorded_again():
    f = _static(lambda x: (x * 2).sum(axis=0), input_spec=[InputSpec([None, 2])])
    for n in (1, 3, 5):
        _equal(f(paddle.ones([n, 2])), [2 * n, 2 * n])
    assert f.get_traced_count() == 1
    g = _static(lambda x: x.mean(), dynamic_dims=[[0]])
    for n in (2, 4):
        _equal(g(paddle.ones([n, 2])), 1)
    assert g.get_traced_count() == 1
    with pytest.raises(ValueError, match='input_spec'):
        f(paddle.ones([3, 4]))


_factor = 2.0


def test_python_values_around_are_guarded():
    global _factor
    offset = 1.0

    @_static
    def f(x):
        return x * _factor + offset

    x = _tensor(1)
    _equal(f(x), [3])
    offset = 5.0
    _equal(f(x), [7])
    _factor = 3.0
    _equal(f(x), [8])
    _factor = 2.0

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.power, self.sizes = 2, [1, 2]

        def forward(self, x):
            return x**self.power + sum(self.sizes)

    net = _static(Net())
    _equal(net(_tensor(3)), [12])
    net.power = 3
    _equal(net(_tensor(3)), [30])
    net.sizes.append(4)
    _equal(net(_tensor(3)), [34])


def test_layers_and_parameters_may_be_replaced():
    net = _static(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    x = _tensor(1, 2).reshape([1, 2])
    net(x)
    net[0].weight.set_value(paddle.ones([2, 2]))
    _equal(net(x), [[3, 3]])
    net[0] = nn.Linear(2, 1)
    assert net(x).shape == [1, 1]
    net.add_sublayer('2', nn.Linear(1, 4))
    assert net(x).shape == [1, 4]
    net[0].weight.stop_gradient = True
    net(x).sum().backward()
    assert net[0].weight.grad is None and net[0].bias.grad is not None


def test_train_and_eval():
    net = _static(nn.Sequential(nn.Dropout(0.5)))
    x = paddle.ones([64])
    assert (net(x) == 0).any()
    net.eval()
    _equal(net(x), x)
    net.train()
    paddle.seed(7)
    a = net(x)
    paddle.seed(7)
    _equal(a, paddle.nn.functional.dropout(x, 0.5))


def test_gradients_join_the_eager_graph():
    f = _static(lambda x, y: (x * y, x + y, x.astype('int32')))
    a, b = _tensor(1, 2, grad=True), _tensor(3, 4)
    seen = []
    h = a * 2
    h.register_hook(lambda g: seen.append(g.numpy()))
    p, s, i = f(h, b)
    assert (
        not i.stop_gradient and not p.stop_gradient
    )  # as PaddlePaddle shows numbers that a cast made
    p.register_hook(lambda g: g * 10)
    p.sum().backward(retain_graph=True)
    _equal(a.grad, [60, 80])
    _equal(seen[0], [30, 40])
    p.sum().backward()
    _equal(a.grad, [120, 160])
    with pytest.raises((RuntimeError, SystemError), match='retain_graph'):
        p.sum().backward()
    _, s, _ = f(a, b)
    a.clear_grad()
    s.sum().backward()
    _equal(a.grad, [1, 1])
    (grad,) = paddle.grad(f(a, b)[0].sum(), [a])
    _equal(grad, [3, 4])
    b.stop_gradient = False
    assert paddle.grad(f(a, b)[0].sum(), [b])[0].shape == [2]


def test_a_changed_input_is_noticed():
    f = _static(lambda x: paddle.exp(x) * x)
    x = _tensor(1, 2, grad=True) * 1
    y = f(x)
    x.add_(paddle.ones([2]))
    with pytest.raises(RuntimeError, match='in-place'):
        y.sum().backward()


def test_gradients_of_gradients_outside():
    f = _static(lambda x: (x**4).sum())
    x = _tensor(2, 3, grad=True)
    (g,) = paddle.grad(f(x), x, create_graph=True)
    _equal(g, [32, 108])
    (h,) = paddle.grad(g.sum(), x, create_graph=True)
    _equal(h, [48, 108])
    (k,) = paddle.grad(h.sum(), x)
    _equal(k, [48, 72])
    net = _static(nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Dropout(0.5)))
    plain = copy.deepcopy(net)
    plain.forward.rollback()
    results = []
    for layer in (net, plain):
        x = _tensor(1, 2, grad=True)
        paddle.seed(3)
        (g,) = paddle.grad((layer(x.reshape([1, 2])) ** 2).sum(), x, create_graph=True)
        (g**2).sum().backward()
        results.append([g, x.grad] + [p.grad for p in layer.parameters()])
    for a, b in zip(*results):
        _equal(a, b, 1e-4)


def test_derivatives_inside():
    def residual(net, x):
        u = net(x)
        (du,) = paddle.grad(u.sum(), x, create_graph=True)
        (d2u,) = paddle.grad(du.sum(), x, create_graph=True)
        (d3u,) = paddle.grad(d2u.sum(), x, create_graph=True)
        return ((d3u + u * du - d2u) ** 2).mean()

    paddle.seed(0)
    net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    f = _static(lambda x: residual(net, x))
    x = paddle.linspace(-1, 1, 5).reshape([5, 1])
    x.stop_gradient = False
    grads = []
    for function in (f, lambda x: residual(net, x)):
        loss = function(x)
        loss.backward()
        grads.append([loss.numpy()] + [p.grad.numpy() for p in net.parameters()[:3]])
        net.clear_gradients()
        x.clear_grad()
    for a, b in zip(*grads):
        _equal(a, b, 1e-3)


def test_py_layer_and_detach_and_hooks_inside():
    class Scale(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensor()
            return g * x * 100

    def f(x):
        h = x * 3
        h.register_hook(lambda g: g + 1)
        return Scale.apply(h) + h.detach() * 5

    x = _tensor(1, 2, grad=True)
    for function in (f, _static(f)):
        function(x).sum().backward()
    _equal(x.grad, [2 * 903, 2 * 1803])


@pytest.mark.parametrize('full_graph', [True, False])
def test_amp_inside_and_outside(full_graph):
    paddle.seed(0)
    net = nn.Linear(4, 4)

    def inside(x):
        with paddle.amp.auto_cast(dtype='bfloat16'):
            return net(x)

    x = paddle.randn([2, 4])
    f, g = (
        _static(inside, full_graph=full_graph),
        _static(lambda x: net(x) + 0, full_graph=full_graph),
    )
    for _ in range(3):
        assert f(x).dtype == paddle.bfloat16
        assert g(x).dtype == paddle.float32
        with paddle.amp.auto_cast(dtype='bfloat16'):
            assert g(x).dtype in (paddle.bfloat16, paddle.float32)
            _equal(g(x).astype('float32'), (net(x) + 0).astype('float32'))


def test_random_order_is_that_of_eager():
    def f(x):
        unused = paddle.rand([3])  # noqa: F841
        return paddle.nn.functional.dropout(x, 0.5) + paddle.randn([4]), paddle.randint(0, 9, [2])

    g, x = _static(f), paddle.ones([4])
    for _ in range(2):
        paddle.seed(11)
        a = f(x) + (paddle.rand([2]),)
        paddle.seed(11)
        b = g(x) + (paddle.rand([2]),)
        for u, v in zip(a, b):
            _equal(u, v)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


Pair = collections.namedtuple('Pair', 'first second')


def test_nests_of_results():
    def f(x, extra):
        y = x + 1
        return [
            x,
            y,
            {'again': y, 'n': 3, 'none': None},
            Pair(y, (x * 2,)),
            collections.OrderedDict(b=y),
            Point(y * 3, 'label'),
            extra['list'][0] - 1,
        ]

    g, x = _static(f), _tensor(1)
    for _ in range(2):
        r = g(x, {'list': [_tensor(5)], 'text': 'a'})
        assert r[0] is x and r[2]['again'] is r[1] and r[2]['n'] == 3 and r[2]['none'] is None
        assert (
            isinstance(r[3], Pair)
            and isinstance(r[4], collections.OrderedDict)
            and isinstance(r[5], Point)
        )
        _equal(r[5].x, [6])
        assert r[5].y == 'label'
        _equal(r[6], [4])


def test_numpy_arguments_are_tensors():
    f = _static(lambda x: x * 2)
    assert isinstance(f(numpy.ones([2], 'float32')), paddle.Tensor)


def test_written_tensors():
    total, rows = paddle.zeros([2]), paddle.zeros([3, 2])

    @_static
    def f(x, out):
        total.add_(x)
        rows[1] = x
        out.scale_(2.0)
        return total * 1

    out = _tensor(1, 2)
    for i in range(3):
        _equal(f(_tensor(1, 2), out), [i + 1, 2 * i + 2])
    _equal(total, [3, 6])
    _equal(rows, [[0, 0], [1, 2], [0, 0]])
    _equal(out, [8, 16])


def test_attributes_set_by_a_call():
    class Net(nn.Layer):
        def forward(self, x):
            self.last = x * 2
            return x

    net = _static(Net())
    for i in range(3):
        net(_tensor(i))
        _equal(net.last, [2 * i])


def test_what_cannot_be_recorded_runs_as_it_is():
    calls = []

    def f(x):
        calls.append(1)
        if x.sum() > 0:
            return x * 2
        return x - float(x.max())

    g = _static(f, full_graph=False)
    for _ in range(3):
        _equal(g(_tensor(1, 2)), [2, 4])
        _equal(g(_tensor(-1, -2)), [0, -1])
    assert len(calls) == 6 and g.get_traced_count() == 0

    class Counter(nn.Layer):
        n = 0

        def forward(self, x):
            self.n += 1
            return x + self.n

    net = _static(Counter(), full_graph=False)
    for i in range(4):
        _equal(net(_tensor(0)), [i + 1])

    def step(x):
        (x * x).sum().backward()
        return x.grad

    x = _tensor(3, grad=True)
    h = _static(step, full_graph=False)
    for i in range(3):
        _equal(h(x), [6 * (i + 1)])


def test_first_call_without_full_graph_runs_the_function():
    g = _static(lambda x: x * 2, full_graph=False)
    for _ in range(4):
        _equal(g(_tensor(1)), [2])
    assert g._compiled_runs() == 3 and g.get_traced_count() == 1


def test_what_a_function_takes_from_an_iterator_is_taken_at_each_call():
    calls = itertools.count()

    def f(x):
        next(calls)
        return x * 2

    g = _static(f, full_graph=False)
    for _ in range(4):
        _equal(g(_tensor(1)), [2])
    assert next(calls) == 4


def test_errors_are_those_of_the_function():
    f = _static(lambda x, y: paddle.matmul(x, y))
    with pytest.raises(ValueError, match='matmul'):
        f(paddle.ones([2, 3]), paddle.ones([2, 3]))

    @_static
    def g(x):
        raise KeyError('mine')

    with pytest.raises(KeyError, match='mine'):
        g(_tensor(1))
    assert paddle.base.libpaddle.pir._record_mode() == 0
    assert f(paddle.ones([2, 3]), paddle.ones([3, 2])).shape == [2, 2]


class Methods:
    scale = 2

    @paddle.jit.to_static(full_graph=True)
    def method(self, x):
        return x * self.scale

    @staticmethod
    @paddle.jit.to_static(full_graph=True)
    def plain(x):
        return x + 1

    @paddle.jit.to_static(full_graph=True)
    @staticmethod
    def plain_too(x):
        return x + 2


def test_methods_and_partials():
    a, b = Methods(), Methods()
    b.scale = 3
    for _ in range(2):
        _equal(a.method(_tensor(1)), [2])
        _equal(b.method(_tensor(1)), [3])
        _equal(a.plain(_tensor(1)), [2])
        _equal(Methods.plain_too(_tensor(1)), [3])
    b.scale, a.scale = 4, 5
    _equal(b.method(_tensor(1)), [4])
    _equal(a.method(_tensor(1)), [5])
    f = _static(functools.partial(lambda x, n: x * n, n=3))
    _equal(f(_tensor(1)), [3])

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        @paddle.jit.to_static(full_graph=True)
        def forward(self, x):
            return self.infer(x) + 1

        @paddle.jit.to_static(full_graph=True)
        def infer(self, x):
            return self.fc(x)

    net = Net()
    twin = copy.deepcopy(net)
    twin.fc.weight.set_value(net.fc.weight * 0)
    x = paddle.ones([1, 2])
    assert abs(net(x) - net.infer(x) - 1).max() < 1e-6
    clone = copy.deepcopy(net)
    clone.fc.weight.set_value(net.fc.weight * 0)
    for layer in (twin, clone):
        _equal(layer(x), layer.fc.bias.reshape([1, 2]) + 1)
    assert not numpy.allclose(net(x), clone(x))


def test_calls_of_recorded_functions_are_inlined():
    inner = _static(lambda x: x * 2)
    outer = _static(lambda x: inner(inner(x)) + 1)
    x = _tensor(1, grad=True)
    y = outer(x)
    _equal(y, [5])
    y.backward()
    _equal(x.grad, [4])

    @_static
    def power(x, n):
        return x if n == 0 else x * power(x, n - 1)

    _equal(power(_tensor(2), 3), [16])


def test_switches():
    f = _static(lambda x: x * 2)
    paddle.jit.enable_to_static(False)
    try:
        _equal(f(_tensor(1)), [2])
        assert f.get_traced_count() == 0
    finally:
        paddle.jit.enable_to_static(True)
    f(_tensor(1))
    assert f.concrete_program.main_program.num_ops() > 0
    assert 'x * 2' in f.code
    assert 'pd_op.multiply' in str(f.main_program)
    assert f.rollback() is f.dygraph_function
    net = _static(nn.Linear(2, 2))
    net.forward.rollback()
    assert not isinstance(net.forward, type(f))


def test_captured_results_of_eager_code():
    w = _tensor(2, grad=True)
    h = w * w
    f = _static(lambda x: x * h)
    f(_tensor(3)).backward(retain_graph=True)
    _equal(w.grad, [12])


def test_layers_as_arguments_and_hooks_of_sublayers():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    net[0].register_forward_post_hook(lambda layer, args, out: out * 0 + 7)
    f = _static(lambda layer, x: layer(x))
    _equal(f(net, paddle.ones([1, 2])), [[7, 7]])
    other = nn.Linear(2, 1)
    assert f(other, paddle.ones([1, 2])).shape == [1, 1]


def test_branches_and_loops():
    def f(x, n):
        y = paddle.static.nn.cond(x.sum() > 0, lambda: paddle.exp(x) * x, lambda: x * x * x)
        _, y = paddle.static.nn.while_loop(
            lambda i, y: i < n,
            lambda i, y: (i + 1, paddle.tanh(y) * y),
            [paddle.zeros([1], 'int64'), y],
        )
        return y.sum()

    g, n = _static(f), paddle.full([1], 3, 'int64')
    for values in ([1, 2], [-1, -2], [0.5, 0.25]):
        x = _tensor(*values, grad=True)
        results = []
        for function in (f, g):
            y = function(x, n)
            y.backward()
            results.append((y, x.grad))
            x.clear_grad()
        _equal(results[0][0], results[1][0])
        _equal(results[0][1], results[1][1])
    assert g.get_traced_count() == 1


def test_results_that_are_inputs_or_captured():
    w, x = _tensor(1, 2, grad=True), _tensor(3, 4, grad=True)
    f = _static(lambda x: (x, w, x.detach(), w * 1, x.reshape([2, 1])))
    same, weight, cut, scaled, view = f(x)
    assert (
        same is x
        and weight is w
        and cut is not x
        and cut.stop_gradient
        and not scaled.stop_gradient
    )
    view.sum().backward()
    _equal(x.grad, [1, 1])
    g = _static(lambda x, y: x * 2)
    with pytest.raises(ValueError, match='unreachable'):
        paddle.grad(g(x, w).sum(), [w])
    assert paddle.grad(g(x, w).sum(), [w], allow_unused=True) == [None]


def test_layers_are_freed():
    import gc
    import weakref

    for full_graph in (True, False):
        net = _static(nn.Linear(2, 2), full_graph=full_graph)
        for _ in range(3):
            net(paddle.ones([1, 2])).sum().backward()
        alive = weakref.ref(net)
        del net
        gc.collect()
        assert alive() is None


def test_lists_of_amp_are_part_of_the_call():
    net = nn.Linear(2, 2)
    f, x = _static(lambda x: net(x)), paddle.ones([1, 2])
    with paddle.amp.auto_cast(dtype='bfloat16'):
        assert f(x).dtype == net(x).dtype == paddle.bfloat16
    with paddle.amp.auto_cast(
        dtype='bfloat16', custom_black_list=['linear', 'matmul', 'linear_v2', 'matmul_v2']
    ):
        assert f(x).dtype == net(x).dtype == paddle.float32


@pytest.mark.parametrize('dtype', ['int32', 'int64', 'bool'])
def test_filled_integers_are_fused(dtype):
    def f(x):
        zeros, ones = paddle.zeros_like(x), paddle.ones_like(x)
        return paddle.where(x > zeros, x, zeros), paddle.full_like(x, 2.7) == ones, ones

    x = paddle.to_tensor([-2, 0, 3]).astype(dtype)
    for a, b in zip(f(x), _static(f)(x)):
        assert a.dtype == b.dtype
        _equal(a, b)


def test_second_order_where_one_input_leads_to_another():
    loss = paddle.nn.functional.binary_cross_entropy_with_logits
    found = []
    for f in (lambda x: loss((x * 2).tanh(), x), _static(lambda x: loss((x * 2).tanh(), x))):
        x = _tensor(0.2, 0.7, grad=True)
        (first,) = paddle.grad(f(x), [x], create_graph=True)
        (first * first).sum().backward()
        found.append((first, x.grad))
    for a, b in zip(*found):
        numpy.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


def test_results_are_separate_tensors():
    @paddle.jit.to_static
    def function(x):
        return x + 1, x + 1, paddle.assign(x), paddle.reshape(paddle.assign(x), [3, 1])

    x = paddle.ones([3])
    for _ in range(3):
        results = function(x)
        for i, t in enumerate(results):
            t.add_(paddle.full([1], float(i)))
        assert [float(t.mean()) for t in results] == [2, 3, 3, 4] and float(x.sum()) == 3


@pytest.mark.parametrize('grad, draws', [(False, False), (False, True), (True, False)])
def test_passes_keep_results_and_the_generator(grad, draws):
    paddle.seed(2)
    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(3, 8, 3),
        paddle.nn.BatchNorm2D(8),
        paddle.nn.ReLU(),
        paddle.nn.Conv2D(8, 8, 3, padding=1),
        paddle.nn.BatchNorm2D(8),
        paddle.nn.Silu(),
        paddle.nn.MaxPool2D(2),
        paddle.nn.Flatten(),
        paddle.nn.Linear(72, 4),
        paddle.nn.GELU(),
    )
    net.eval()

    def plain(x):
        if draws:
            paddle.rand([3])
        return net(x) * 1.0

    function, x = paddle.jit.to_static(plain), paddle.rand([2, 3, 8, 8])
    with paddle.set_grad_enabled(grad):
        for _ in range(3):
            for p in net.parameters():
                p.set_value(p * 1.1)
            paddle.seed(7)
            want, drawn = plain(x), paddle.rand([2]).numpy()
            paddle.seed(7)
            got = function(x)
            numpy.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5, atol=1e-6)
            numpy.testing.assert_array_equal(paddle.rand([2]).numpy(), drawn)


@pytest.mark.parametrize('full_graph', [True, False])
def test_lists_that_an_operation_gives_go_into_another(full_graph):
    @paddle.jit.to_static(full_graph=full_graph)
    def function(x):
        return paddle.concat(paddle.split(x * 2, 2)), paddle.stack(paddle.unbind(x))

    with warnings.catch_warnings():
        warnings.simplefilter('error')
        for k in range(3):
            doubled, same = function(paddle.ones([4]) * k)
            _equal(doubled, [2 * k] * 4)
            _equal(same, [k] * 4)


def test_what_grows_a_list_runs_as_it_is():
    seen = []

    @paddle.jit.to_static
    def function(x):
        y = x * 2
        seen.append(y)
        return y + 1

    for k in range(4):
        _equal(function(paddle.ones([2]) * k), [2 * k + 1] * 2)
    assert [t.numpy()[0] for t in seen] == [0, 2, 4, 6]


def test_numbers_without_gradients_show_the_flag_of_eager_mode():
    def function(x):
        return x.astype('int64'), x > 1, x.sum()

    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for f in (function, paddle.jit.to_static(function, full_graph=True)):
        assert [t.stop_gradient for t in f(x)] == [False, True, False]


def test_grad_leaves_the_graph_usable():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    for f in (
        lambda t: (t**3).sum(),
        paddle.jit.to_static(lambda t: (t**3).sum(), full_graph=True),
    ):
        y = f(x)
        first, second = paddle.grad(y, x)[0], paddle.grad(y, x, retain_graph=False)[0]
        _equal(first, second)
        y.backward()
        with pytest.raises(SystemError, match='retain_graph'):
            y.backward()


@pytest.mark.parametrize('full_graph', [True, False])
def test_complex_numbers_as_arguments(full_graph):
    x = paddle.to_tensor([1 + 2j, 3 - 1j], stop_gradient=False)
    for function in (
        lambda x: paddle.scale(x, 2j),
        lambda x: paddle.scale(x, 2j, bias=1.5, bias_after_scale=False),
        lambda x: x * paddle.full_like(x, 1 + 2j),
        lambda x: paddle.pow(x, 1 + 2j),
    ):
        static, found = _static(function, full_graph=full_graph), []
        for f in (function, static, static):
            y = f(x)
            (y.real() ** 2 + y.imag() * 3).sum().backward()
            found.append((y.numpy(), x.grad.numpy()))
            x.clear_grad()
        for y, grad in found[1:]:
            _equal(y, found[0][0])
            _equal(grad, found[0][1])
        assert static.get_traced_count() == 1


def test_a_norm_that_is_written_out_is_one_kernel_without_groups():
    def norm(x, w):
        return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w

    rng = numpy.random.default_rng(0)
    x, w = (paddle.to_tensor(rng.normal(size=s), dtype='float32') for s in ([5, 8], [8]))
    marked = paddle.jit.to_static(norm, full_graph=True, backend=None)
    numpy.testing.assert_allclose(marked(x, w).numpy(), norm(x, w).numpy(), 1e-6)
    traced = marked.get_concrete_program(x, w)[1]
    names = [op.name() for op in traced.forward_program.global_block().ops]
    assert 'pd_op.rms_norm' in names and 'pd_op.rsqrt' not in names
