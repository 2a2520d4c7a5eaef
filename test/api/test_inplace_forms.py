# SPDX-License-Identifier: Apache-2.0
"""Every in-place form the package has: the values, dtype and gradients of the plain form, in the
memory of the tensor.
"""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import _C_ops
from paddle.base.core import ProcessGroup, TCPStore
from paddle.base.libpaddle import _forget_rings

# Forms that write no result of a plain form over their first argument, and what they are.
OTHER = {
    **dict.fromkeys('requires_grad_ detach_ grad_'.split(), 'flags and gradients'),
    **dict.fromkeys('set_ resize_ reconstruct_from_'.split(), 'another memory, or a part of it'),
    **dict.fromkeys(
        'apply_ copy_ set_value_ set_value_with_tensor_ increment_'.split(), 'tested below'
    ),
    **dict.fromkeys(
        'adadelta_ adagrad_ adam_ adamax_ adamw_ asgd_ lamb_ merged_adam_ merged_momentum_ '
        'momentum_ nadam_ radam_ rmsprop_ rprop_ sgd_ batch_norm_'.split(),
        'updates of state, with tests of their own',
    ),
    **dict.fromkeys(
        'all_reduce_ broadcast_ c_allreduce_sum_ c_identity_ mp_allreduce_sum_ partial_allgather_ '
        'reduce_ sync_calc_stream_ sync_comm_stream_'.split(),
        'communication, tested below',
    ),
}
VIEWS = {
    'flatten_': (),
    'reshape_': ([-1],),
    'squeeze_': (),
    't_': (),
    'transpose_': ([1, 0],),
    'unsqueeze_': (0,),
}
FILLS = {
    'bernoulli_': (),
    'cauchy_': (),
    'exponential_': (),
    'geometric_': (0.5,),
    'log_normal_': (),
    'normal_': (),
    'random_': (0, 5),
    'uniform_': (),
    'zero_': (),
    'fill_': (3.0,),
}
C_FILLS = {
    'exponential_': (1.0,),
    'fill_': (3.0,),
    'gaussian_inplace_': (0.0, 1.0, 0),
    'uniform_inplace_': (0.0, 1.0, 0, 0, 0, 1.0),
}


def t(*values, dtype='float64'):
    return paddle.to_tensor(list(values), dtype=dtype)


def mask():
    return paddle.to_tensor([[True, False], [False, True], [True, True]])


def index(*values):
    return paddle.to_tensor(list(values))


def other():
    return paddle.to_tensor([[0.6, 0.3], [0.2, 0.7], [0.5, 0.4]], dtype='float64')


# Arguments after the first, where neither none nor one more tensor of its shape do.
ARGUMENTS = {
    'addmm_': lambda: (other()[:, :1], other()[:1]),
    'baddbmm_': None,
    'bitwise_left_shift_': None,
    'cast_': lambda: ('float32',),
    'clip_': lambda: (0.25, 0.625),
    'clamp_': lambda: (0.25, 0.625),
    'copysign_': lambda: (-other(),),
    'cumprod_': lambda: (0,),
    'cumsum_': lambda: (0,),
    'elu_': lambda: (0.75,),
    'fill_diagonal_': lambda: (0.25,),
    'fill_diagonal_tensor_': lambda: (t(0.1, 0.2),),
    'hardtanh_': lambda: (0.25, 0.625),
    'index_add_': lambda: (index(0, 2), 0, other()[:2]),
    'index_fill_': lambda: (index(0, 2), 0, 0.25),
    'index_put_': lambda: ((index(0, 2), index(1, 0)), t(0.1, 0.2)),
    'lerp_': lambda: (other(), 0.25),
    'masked_fill_': lambda: (mask(), 0.25),
    'masked_scatter_': lambda: (mask(), t(0.1, 0.2, 0.3, 0.4)),
    'multigammaln_': lambda: (1,),
    'polygamma_': lambda: (1,),
    'pow_': lambda: (2.5,),
    'put_along_axis_': lambda: (index([0, 1], [2, 2]), other()[:2], 0),
    'renorm_': lambda: (2.0, 0, 0.25),
    'scatter_': lambda: (index(0, 2), other()[:2]),
    'scatter_add_': lambda: (0, index([0, 1], [2, 2]), other()[:2]),
    'where_': None,
}
C_ARGUMENTS = {
    'addmm_': lambda: (other()[:, :1], other()[:1], 1.0, 1.0),
    'clip_': lambda: (0.25, 0.625),
    'cumprod_': lambda: (0, False, False),
    'cumsum_': lambda: (0, False, False, False),
    'fill_diagonal_': lambda: (0.25, 0, False),
    'hardtanh_': lambda: (0.25, 0.625),
    'index_add_': lambda: (index(0, 2), other()[:2], 0),
    'index_put_': lambda: ([index(0, 2), index(1, 0)], t(0.1, 0.2), False),
    'leaky_relu_': lambda: (0.125,),
    'lerp_': lambda: (other(), t(0.3)),
    'logit_': lambda: (1e-3,),
    'masked_fill_': lambda: (mask(), t(0.25)),
    'put_along_axis_': lambda: (index([0, 1], [2, 2]), other()[:2], 0, 'assign', True),
    'scatter_': lambda: (index(0, 2), other()[:2], True),
    'scale_': lambda: (2.0, 0.5, True),
    'thresholded_relu_': lambda: (0.25, 0.125),
}
INTEGERS = '''
    bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_not_ bitwise_invert_ bitwise_left_shift_
    bitwise_right_shift_ gcd_ lcm_
'''.split()
ABOVE_ONE = ('acosh_',)
DISCRETE = ('ceil_', 'floor_', 'round_', 'trunc_', 'floor_divide_')


def base():
    return np.array([[0.3, 0.8], [0.55, 0.15], [0.9, 0.45]])


class Case:
    """A form of one namespace: how to call it and its plain form on a tensor of shape [3, 2]."""

    def __init__(self, space, name, form, plain, arguments, dtype, low=0.0):
        self.id, self.name, self.form, self.plain = f'{space}.{name}', name, form, plain
        self.arguments, self.dtype, self.low = arguments, dtype, low

    def start(self):
        return (base() * 10).astype('int64') if self.dtype == 'int64' else base() + self.low

    def run(self, form, x, extra=None):
        args = list(self.arguments())
        if extra is not None:
            args[extra[0]] = extra[1]
        return form(args[0], x, *args[1:]) if self.name == 'where_' else form(x, *args)


def find():
    """[(space, name, form, plain form or None)] of all in-place names."""
    spaces = {'Tensor': paddle.Tensor, 'paddle': paddle, 'F': F, '_C_ops': _C_ops}
    for space, home in spaces.items():
        for name in dir(home):
            if (
                name.endswith('_')
                and not name.startswith('_')
                and callable(getattr(home, name, None))
            ):
                plain = next(
                    (
                        getattr(h, name[:-1])
                        for h in (home, paddle, F, _C_ops)
                        if hasattr(h, name[:-1])
                    ),
                    None,
                )
                yield space, name, getattr(home, name), plain


def make(space, name, form, plain):
    """The case of a form, or a text that says why it has none."""
    if name in OTHER or name in VIEWS or name in FILLS or name in C_FILLS:
        return OTHER.get(name, 'view or fill')
    if plain is None:
        return None
    dtype = 'int64' if name in INTEGERS else 'float64'
    low = 1.0 if name in ABOVE_ONE else 0.0
    given = (C_ARGUMENTS.get(name) if space == '_C_ops' else None) or ARGUMENTS.get(name)
    if name == 'baddbmm_':
        return Case(
            space,
            name,
            lambda x, *a: (form(x.unsqueeze(0), *a), x)[1],
            lambda x, *a: plain(x.unsqueeze(0), *a).squeeze(0),
            lambda: (other()[None, :, :1], other()[None, :1]),
            dtype,
        )
    if name == 'where_':
        given = lambda: (mask(), other())  # noqa: E731
    same = other if dtype == 'float64' else lambda: paddle.to_tensor([[1, 2], [3, 1], [2, 2]])
    for arguments in (given,) if given else (lambda: (), lambda: (same(),)):
        case = Case(space, name, form, plain, arguments, dtype, low)
        try:
            case.run(plain, paddle.to_tensor(case.start()))
            return case
        except TypeError:
            continue
    return None


FOUND = {f'{space}.{name}': make(space, name, form, plain) for space, name, form, plain in find()}
CASES = [c for c in FOUND.values() if isinstance(c, Case)]
named = pytest.mark.parametrize('case', CASES, ids=lambda c: c.id)
SMOOTH = [c for c in CASES if c.dtype == 'float64' and c.name != 'cast_']
smooth = pytest.mark.parametrize(
    'case',
    [c for c in SMOOTH if c.run(c.plain, paddle.to_tensor(c.start())).dtype == paddle.float64],
    ids=lambda c: c.id,
)


def test_each_name_has_a_case():
    assert [k for k, case in FOUND.items() if case is None] == []
    assert len(CASES) > 200


@named
def test_value_identity_version_and_memory(case):
    want = case.run(case.plain, paddle.to_tensor(case.start()))
    x = paddle.to_tensor(case.start())
    shown = x.detach()
    got = case.run(case.form, x)
    assert got is x and x.inplace_version >= 1
    assert x.dtype == want.dtype and x.shape == want.shape
    np.testing.assert_array_equal(x.numpy(), want.numpy())
    if x.dtype == shown.dtype:
        np.testing.assert_array_equal(shown.numpy(), want.numpy())


def gradients(case, form, weight, extra=None):
    x = paddle.to_tensor(case.start(), stop_gradient=False)
    ins = [x]
    if extra is not None:
        ins.append(case.arguments()[extra].detach())
        ins[1].stop_gradient = False
    v = x * 1.0
    y = case.run(form, v, None if extra is None else (extra, ins[1] * 1.0))
    (y * weight).sum().backward()
    return [y.numpy()] + [np.zeros(i.shape) if i.grad is None else i.grad.numpy() for i in ins]


@smooth
def test_gradient_is_that_of_the_plain_form(case):
    weight = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], dtype='float64')
    for extra in [
        None,
        *[
            i
            for i, a in enumerate(case.arguments())
            if isinstance(a, paddle.Tensor) and a.dtype == paddle.float64
        ],
    ]:
        want = gradients(case, case.plain, weight, extra)
        got = gradients(case, case.form, weight, extra)
        for a, b in zip(want, got):
            np.testing.assert_allclose(b, a, rtol=1e-12, err_msg=f'{case.id} {extra}')


@smooth
def test_constant_written_with_what_has_a_gradient(case):
    for i, a in enumerate(case.arguments()):
        if not isinstance(a, paddle.Tensor) or a.dtype != paddle.float64:
            continue
        grads = []
        for form in (case.plain, case.form):
            w = case.arguments()[i].detach()
            w.stop_gradient = False
            x = paddle.to_tensor(case.start())
            y = case.run(form, x, (i, w * 1.0))
            (y * y).sum().backward()
            grads.append(None if w.grad is None else w.grad.numpy())
        assert (grads[0] is None) == (grads[1] is None)
        if grads[0] is not None:
            np.testing.assert_allclose(grads[1], grads[0], rtol=1e-12)


@named
def test_stale_use_raises(case):
    if case.dtype != 'float64':
        return
    x = paddle.to_tensor(case.start(), stop_gradient=False)
    v = x * 1.0
    z = v * v
    case.run(case.form, v)
    with pytest.raises(RuntimeError, match='modified by an in-place operation'):
        z.sum().backward()


@named
def test_a_leaf_that_needs_a_gradient_is_refused(case):
    if case.dtype != 'float64':
        return
    x = paddle.to_tensor(case.start(), stop_gradient=False)
    before = x.numpy().copy()
    with pytest.raises(ValueError, match='leaf'):
        case.run(case.form, x)
    np.testing.assert_array_equal(x.numpy(), before)
    want = case.run(case.plain, paddle.to_tensor(case.start())).numpy()
    with paddle.no_grad():
        case.run(case.form, x)
    np.testing.assert_array_equal(x.numpy(), want)


LOOKS = {
    'row': (lambda v: v[1], lambda a: a[1], (4, 3, 2)),
    'transposed': (lambda v: v.t(), lambda a: a.T, (2, 3)),
    'strided': (lambda v: v[::2, 1:], lambda a: a[::2, 1:], (5, 3)),
    'chain': (
        lambda v: v.transpose([0, 2, 1]).reshape([2, 1, 2, 3])[1, 0].t(),
        lambda a: a.transpose(0, 2, 1)[1].T,
        (2, 3, 2),
    ),
}


@pytest.mark.parametrize('look', LOOKS)
@smooth
def test_write_through_a_view_reaches_the_base(case, look):
    see, see_array, shape = LOOKS[look]
    count = int(np.prod(shape))
    places = see_array(np.arange(count).reshape(shape))
    start = np.linspace(0.1, 0.95, count) + case.low
    start[places.reshape(-1)] = case.start().reshape(-1)
    weight = paddle.to_tensor(np.linspace(1, 2, count))

    def functional(flat):
        part = case.run(
            case.plain, paddle.gather(flat, paddle.to_tensor(places.reshape(-1))).reshape([3, 2])
        )
        return paddle.scatter(flat, paddle.to_tensor(places.reshape(-1)), part.reshape([-1]))

    def written(flat):
        v = (flat * 1.0).reshape(list(shape)) * 1.0
        w = see(v)
        case.run(case.form, w)
        np.testing.assert_array_equal(w.numpy(), v.numpy().reshape(-1)[places])
        return v.reshape([-1])

    results = []
    for f in (functional, written):
        x = paddle.to_tensor(start, stop_gradient=False)
        y = f(x)
        (y * y * weight).sum().backward()
        results.append((y.numpy(), x.grad.numpy()))
    np.testing.assert_allclose(results[1][0], results[0][0], rtol=1e-12)
    np.testing.assert_allclose(results[1][1], results[0][1], rtol=1e-9, atol=1e-12)
    plain = paddle.to_tensor(start).reshape(list(shape))
    with paddle.no_grad():
        case.run(case.form, see(plain))
    np.testing.assert_allclose(plain.numpy().reshape(-1), results[0][0], rtol=1e-12)


@pytest.mark.parametrize('full', [False, True])
@smooth
def test_recorded_is_eager(case, full):
    def f(x):
        v = x * 1.0
        w = v[1:].t().t()
        w.scale_(1.5)
        before = paddle.scale(v, 2.0)
        case.run(case.form, v)
        return v * v + before + w.sum()

    results = []
    recorded = paddle.jit.to_static(f, full_graph=full)
    for g in (f, recorded, recorded):
        x = paddle.to_tensor(case.start(), stop_gradient=False)
        y = g(x)
        y.sum().backward()
        results.append((y.numpy(), x.grad.numpy()))
    for y, g in results[1:]:
        np.testing.assert_allclose(y, results[0][0], rtol=1e-12)
        np.testing.assert_allclose(g, results[0][1], rtol=1e-9, atol=1e-12)


@named
def test_static_program(case):
    want = case.run(case.plain, paddle.to_tensor(case.start())).numpy()
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [3, 2], case.dtype)
            v = x + 0
            case.arguments, kept = constants(case), case.arguments
            try:
                assert case.run(case.form, v) is v
            finally:
                case.arguments = kept
        got = paddle.static.Executor().run(main, feed={'x': case.start()}, fetch_list=[v])[0]
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got, want, rtol=1e-12)


def constants(case):
    """The arguments, made outside the program."""
    paddle.disable_static()
    made = case.arguments()
    paddle.enable_static()
    return lambda: made


@pytest.mark.parametrize('name', FILLS)
def test_fills(name):
    x = paddle.to_tensor(base(), stop_gradient=False)
    v = x * 1.0
    w = v[1]
    z = v * v
    with paddle.no_grad():
        shown = v.detach()
    assert getattr(w, name)(*FILLS[name]) is w
    np.testing.assert_array_equal(shown.numpy()[1], w.numpy())
    paddle.scale(v, 2.0).sum().backward(retain_graph=True)
    np.testing.assert_array_equal(x.grad.numpy(), [[2, 2], [0, 0], [2, 2]])
    getattr(v, name)(*FILLS[name])
    x.clear_grad()
    assert not v.stop_gradient
    paddle.scale(v, 2.0).sum().backward(retain_graph=True)
    np.testing.assert_array_equal(x.grad.numpy(), np.zeros([3, 2]))
    with pytest.raises(RuntimeError, match='modified by an in-place operation'):
        z.sum().backward()
    if name != 'exponential_':
        with pytest.raises(ValueError, match='leaf'):
            getattr(x, name)(*FILLS[name])


@pytest.mark.parametrize('name', VIEWS)
def test_forms_that_change_the_shape(name):
    def plain(v):
        return getattr(paddle, name[:-1])(v, *VIEWS[name])

    shape = [1, 3] if name == 'squeeze_' else [3, 2]
    start = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)

    def f(x, form):
        v = x * 1.0
        row = v[0]
        u = v
        if form:
            assert getattr(v, name)(*VIEWS[name]) is v
        else:
            u = plain(v)
        row.scale_(3.0)
        u.add_(paddle.full([], 1.0, 'float64'))
        return u * u, v

    def run(g):
        x = paddle.to_tensor(start, stop_gradient=False)
        y = g(x)[0]
        (y * y).sum().backward()
        return y.numpy(), x.grad.numpy()

    want = run(lambda x: f(x, False))
    for g in (
        lambda x: f(x, True),
        *[paddle.jit.to_static(lambda x: f(x, True), full_graph=b) for b in (False, True)],
    ):
        for _ in range(2):
            got = run(g)
            np.testing.assert_allclose(got[0], want[0])
            np.testing.assert_allclose(got[1], want[1])
    x = paddle.to_tensor(start, stop_gradient=False)
    v = x * 1.0
    z = v * v
    getattr(v, name)(*VIEWS[name])
    with pytest.raises(RuntimeError, match='modified by an in-place operation'):
        z.sum().backward()
    with pytest.raises(ValueError, match='leaf'):
        getattr(x, name)(*VIEWS[name])
    with paddle.no_grad():
        getattr(v, name)(*([2, 3],) if name == 'reshape_' else VIEWS[name])
    (v * 2.0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full(shape, 2.0))


def test_dtypes_follow_the_result():
    ints, floats, doubles = index(1, 2, 3), t(1.0, 2.0, 3.0, dtype='float32'), t(1.0, 2.0, 3.0)
    assert floats.clone().add_(doubles).dtype == paddle.float64
    assert ints.clone().divide_(ints * 2).dtype == paddle.float32
    assert ints.clone().exp_().dtype == paddle.float32
    assert floats.clone().less_than_(floats).dtype == paddle.bool
    for name in (
        'sin_ sqrt_ sigmoid_ rsqrt_ lgamma_ erfinv_ hypot_ sinc_ normal_ cauchy_ bernoulli_'.split()
    ):
        x = ints.clone()
        with pytest.raises(RuntimeError):
            getattr(x, name)(*(ints,) if name == 'hypot_' else ())
        np.testing.assert_array_equal(x.numpy(), [1, 2, 3])
    with pytest.raises(TypeError):
        ints.clone().add_(floats)
    assert ints.clone().clip_(1.5, 2.5).tolist() == [1, 2, 2]
    big = index(2**62 + 1, 5)
    assert big.clip_(2**62 - 1, 2**62 + 3).tolist() == [2**62 + 1, 2**62 - 1]


def test_a_view_keeps_its_dtype():
    v = paddle.ones([2, 3])
    w = v[0]
    with pytest.raises(ValueError, match='dtype of the view'):
        w.add_(paddle.ones([3], 'float64'))
    np.testing.assert_array_equal(v.numpy(), np.ones([2, 3]))
    v.add_(paddle.ones([3], 'float64'))
    w.add_(paddle.ones([3]))
    np.testing.assert_array_equal(v.numpy(), np.full([2, 3], 2.0))
    np.testing.assert_array_equal(w.numpy(), np.full([3], 2.0))


def test_views_of_memory_that_their_base_has_left():
    x, k = paddle.to_tensor(base(), stop_gradient=False), t(2.0, 3.0)
    k.stop_gradient = False
    v = x * 1.0
    a, b = v[0], v[0]
    v.cast_('float32')
    a.multiply_(k)
    b.sum().backward()
    np.testing.assert_allclose(k.grad.numpy(), base()[0])
    np.testing.assert_allclose(x.grad.numpy(), [[2, 3], [0, 0], [0, 0]])


def test_views_see_writes_to_their_base():
    for write in (
        lambda v: v.tril_(),
        lambda v: v.__setitem__(v > 0.5, 0.25),
        lambda v: v.cumsum_(0),
        lambda v: v.set_value(base() * 2),
    ):
        v = paddle.to_tensor(base())
        w = v[1]
        write(v)
        np.testing.assert_array_equal(w.numpy(), v.numpy()[1])


def test_versions_are_never_met_again():
    """A tensor that takes the memory of results keeps counting, so that what was saved at a version
    stays stale.
    """
    x = paddle.to_tensor(base(), stop_gradient=False)
    v = x * 1.0
    seen = set()
    for _ in range(4):
        assert v.inplace_version not in seen
        seen.add(v.inplace_version)
        z = v * v
        v.clip_(0.0, 1.0)
        v.pow_(1.0)
        with pytest.raises(RuntimeError, match='modified by an in-place operation'):
            z.sum().backward()


def test_amp_leaves_the_dtype():
    x, y = paddle.ones([3, 3]), paddle.ones([3, 3])
    v = x[0]
    with paddle.amp.auto_cast(True, level='O2', dtype='bfloat16'):
        for form in (
            lambda: x.add_(y),
            lambda: x.addmm_(y, y),
            lambda: x.tril_(),
            lambda: x.clip_(0.0, 2.0),
            lambda: v.exp_(),
        ):
            form()
            assert x.dtype == paddle.float32
    assert v.dtype == paddle.float32
    np.testing.assert_array_equal(x.numpy()[0], v.numpy())


def test_data_is_the_memory_without_the_history():
    p = paddle.create_parameter([3], 'float32')
    p.data.fill_(2.0)
    p.data.clip_(0.0, 1.0)
    assert p.tolist() == [1.0, 1.0, 1.0] and not p.stop_gradient and p.data.stop_gradient


def test_out_writes_the_memory_of_a_view():
    x = t(1.0, 2.0, 3.0)
    x.stop_gradient = False
    held = paddle.zeros([2, 3], 'float64') * 1.0
    paddle.add(x, x, out=held[1])
    np.testing.assert_array_equal(held.numpy(), [[0, 0, 0], [2, 4, 6]])
    held.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), [2, 2, 2])


def test_out_of_another_shape_has_no_history_of_the_old_values():
    leaf = paddle.ones([3])
    leaf.stop_gradient = False
    x = leaf * 2
    paddle.add(paddle.ones([2]), paddle.ones([2]), out=x)
    assert x.stop_gradient and x.grad_fn is None and x.tolist() == [2, 2]


def test_out_into_a_view_of_a_leaf():
    x, other = t(1.0, 2.0, 3.0), t(1.0, 2.0)
    x.stop_gradient = other.stop_gradient = False
    v = x[:2]
    paddle.exp(t(0.0, 0.0), out=v)  # values that have no history are the leaf's own
    assert x.is_leaf and x.tolist() == [1.0, 1.0, 3.0] and v.tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match='leaf'):
        paddle.exp(other, out=v)
    with pytest.raises(ValueError, match='leaf'):
        paddle.assign(other, output=v)
    assert x.is_leaf and x.tolist() == [1.0, 1.0, 3.0]
    with paddle.no_grad():
        paddle.exp(other, out=v)
    assert x.is_leaf
    np.testing.assert_allclose(x.numpy(), [np.exp(1), np.exp(2), 3])
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize('mode', [None, False, True], ids=['eager', 'tape', 'full'])
def test_out_into_a_transposed_tensor(mode):
    weights = paddle.arange(6, dtype='float64').reshape([2, 3])

    def f(x, base):
        held = base * 2
        out = held.transpose([1, 0])
        paddle.sigmoid(x, out=out)
        return (out * weights).sum() + (held * held).sum()

    g = f if mode is None else paddle.jit.to_static(f, full_graph=mode)
    for _ in range(3):
        x = paddle.to_tensor([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], 'float64', stop_gradient=False)
        base = paddle.ones([3, 2], 'float64')
        base.stop_gradient = False
        g(x, base).backward()
        s = 1 / (1 + np.exp(-x.numpy()))
        np.testing.assert_allclose(x.grad.numpy(), s * (1 - s) * (weights.numpy() + 2 * s))
        assert base.grad is None or not base.grad.any()


@pytest.mark.parametrize('mode', ['eager', 'full_graph'])
@pytest.mark.parametrize(
    'see',
    [lambda c: c[0], lambda c: c.transpose([1, 0]), lambda c: c.reshape([6]), lambda c: c[:, ::2]],
)
def test_what_a_view_was_given_has_the_history_of_that_alone(mode, see):
    def call(x, b):
        c = b * 1
        v = see(c)
        paddle.exp(see(x), out=v)
        return v * 2, c * 3

    if mode == 'full_graph':
        call = paddle.jit.to_static(call, full_graph=True)
    x, b = paddle.rand([2, 3]), paddle.rand([2, 3])
    x.stop_gradient = b.stop_gradient = False
    view, base = call(x, b)
    ones = paddle.zeros([2, 3])
    see(ones)[...] = 1.0
    g, none = paddle.grad(view.sum(), [x, b], retain_graph=True, allow_unused=True)
    np.testing.assert_allclose(g.numpy(), (2 * x.exp() * ones).numpy(), rtol=1e-6)
    assert none is None or mode == 'full_graph' and not none.any()
    (g,) = paddle.grad(view.sum() + base.sum(), [x])
    np.testing.assert_allclose(g.numpy(), (5 * x.exp() * ones).numpy(), rtol=1e-6)


@pytest.mark.parametrize('see', [lambda b: b[0], lambda b: b.reshape([4]), lambda b: b.t(), None])
@pytest.mark.parametrize('mode', [None, False, True], ids=['eager', 'tape', 'full'])
def test_out_without_a_history_ends_that_of_the_old_values(mode, see):
    def f(x, other):
        base = x * 1
        view = base if see is None else see(base)
        paddle.add(other.expand(view.shape), paddle.zeros(view.shape), out=view)
        return base, view

    g = f if mode is None else paddle.jit.to_static(f, full_graph=mode)
    kept = (
        [[0.0, 0.0], [6.0, 8.0]]
        if see is not None and see(paddle.ones([2, 2])).numel() == 2
        else None
    )
    for which in (0, 1):
        for _ in range(3):
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
            result = g(x, paddle.to_tensor([5.0]))[which]
            assert not result.stop_gradient
            (result * result).sum().backward()
            want = kept if kept is not None and which == 0 else [[0.0, 0.0], [0.0, 0.0]]
            assert x.grad.tolist() == want


def test_flags_of_in_place_forms_raise_what_their_truth_raises():

    class Flag:
        def __bool__(self):
            raise KeyError('flag')

    with pytest.raises(KeyError, match='flag'):
        paddle.ones([2])._before_write('f_', Flag())


@pytest.mark.parametrize('shape', [[2, 2], [6], [3, 3]])
@pytest.mark.parametrize('see', [lambda a: a * 1, lambda a: a.transpose([1, 0])])
def test_resize_keeps_the_history_of_what_stays(shape, see):
    leaf = paddle.to_tensor(np.arange(6.0).reshape(3, 2), stop_gradient=False)
    x = see(leaf)
    flat, count = x.numpy().ravel(), min(int(np.prod(shape)), 6)
    assert x.resize_(shape) is x
    np.testing.assert_array_equal(x.numpy().ravel()[:count], flat[:count])
    (x.flatten()[:count] * 2).sum().backward()
    want = np.isin(np.arange(6.0).reshape(3, 2), flat[:count]) * 2.0
    np.testing.assert_array_equal(leaf.grad.numpy(), want)


def test_resize_of_a_leaf_and_of_extents_below_zero():
    leaf = paddle.ones([3], 'float32')
    leaf.stop_gradient = False
    assert leaf.resize_([2]).is_leaf
    leaf.sum().backward()
    assert leaf.grad.tolist() == [1.0, 1.0]
    for shape in ([2, -1], [-1]):
        with pytest.raises(ValueError, match=r'\[resize_\] expected extents of at least 0, got'):
            leaf.resize_(shape)


def test_data_of_another_shape_has_no_history():
    leaf = paddle.ones([2, 2])
    leaf.stop_gradient = False
    x = leaf * 2
    x.data = paddle.ones([3])
    assert x.is_leaf and not x.stop_gradient
    x.sum().backward()
    assert leaf.grad is None and x.grad.shape == [3]


@pytest.fixture
def alone():
    """A process group of this process, which operations find by the number 77."""
    store = TCPStore('127.0.0.1', 0, True, 1, rank=0)
    group = ProcessGroup(store, 'alone', [0], 0, 60.0)
    group._serve(77)
    yield 77
    _forget_rings([77])


def test_communication_in_place(alone):
    calls = {
        'all_reduce_': (alone, 0),
        'broadcast_': (alone, 0),
        'c_allreduce_sum_': (alone, True, True),
        'c_identity_': (alone, True, True),
        'mp_allreduce_sum_': (alone,),
        'partial_allgather_': (1, 0, alone),
        'reduce_': (alone, 0, 0),
        'sync_calc_stream_': (),
        'sync_comm_stream_': (alone,),
    }
    for name, arguments in calls.items():
        x = other()
        w = x[1]
        y = getattr(_C_ops, name)(x, *arguments)
        assert y is x and x.inplace_version == 1, name
        assert np.array_equal(x.numpy(), other().numpy()), name
        x.zero_()
        assert not w.numpy().any(), name


def test_what_no_gradient_reads_may_be_written_in_place():
    """A factor that is a number has no gradient, so nothing reads what it is multiplied by."""
    x = paddle.ones([2, 3])
    x.stop_gradient = False
    y = x * 1.5
    y[:, 1] *= 3
    y[0] /= 2
    z = y * 2.0
    y.add_(paddle.ones([1]))
    (z.sum() + y.sum()).backward()
    assert x.grad.tolist() == [[2.25, 6.75, 2.25], [4.5, 13.5, 4.5]]
    w = paddle.ones([3])
    w.stop_gradient = False
    y = x * 1.5
    z = y * w
    y.add_(paddle.ones([1]))
    with pytest.raises(RuntimeError, match='modified by an in-place operation'):
        z.sum().backward()


def test_operands_named_as_the_tensor_of_other_forms():
    """`x` is the second operand of baddbmm_, whose tensor is `input`."""
    one = paddle.ones([2, 2, 2])
    got = paddle.baddbmm_(input=paddle.ones([2, 2, 2]), x=one, y=one)
    assert (got.numpy() == 3).all()
    got = paddle.ones([2, 2, 2]).baddbmm_(x=one, y=one, beta=2.0)
    assert (got.numpy() == 4).all()
