# SPDX-License-Identifier: Apache-2.0
"""Functions written in Python from ops: values against NumPy, gradients against finite differences,
errors.
"""

import math

import numpy as np
import paddle
import pytest

RNG = np.random.RandomState(0)
A, B, V, M, T3 = (RNG.randn(*shape) for shape in ((3, 4), (3, 4), (5,), (4, 4), (2, 3, 4)))
I, J = RNG.randint(-9, 10, (3, 4)), RNG.randint(1, 7, (3, 4))
NAN = np.where(A > 0.8, np.nan, A)

CASES = [
    ('hstack', lambda f, c: f([c(A), c(B)])),
    ('vstack', lambda f, c: f([c(V), c(V)])),
    ('dstack', lambda f, c: f([c(A), c(B)])),
    ('column_stack', lambda f, c: f([c(V), c(V)])),
    ('moveaxis', lambda f, c: f(c(T3), [0, 1], [2, 0])),
    ('rot90', lambda f, c: f(c(A), 3)),
    ('flip', lambda f, c: f(c(T3), (0, 2))),
    ('roll', lambda f, c: f(c(A), 2)),
    ('roll', lambda f, c: f(c(A), (1, -1), (0, 1))),
    ('tile', lambda f, c: f(c(V), (2, 2))),
    ('outer', lambda f, c: f(c(V), c(V))),
    ('inner', lambda f, c: f(c(A), c(B))),
    ('diff', lambda f, c: f(c(A), 2)),
    ('cumsum', lambda f, c: f(c(A))),
    ('cumprod', lambda f, c: f(c(A), 1)),
    ('prod', lambda f, c: f(c(A), 0)),
    ('argmax', lambda f, c: f(c(A))),
    ('argmin', lambda f, c: f(c(A), 1)),
    ('argsort', lambda f, c: f(c(A), 1)),
    ('sort', lambda f, c: f(c(A), 0)),
    ('searchsorted', lambda f, c: f(c(np.sort(V)), c(A))),
    ('nansum', lambda f, c: f(c(NAN), 1)),
    ('nanmean', lambda f, c: f(c(NAN), 1)),
    ('nanmedian', lambda f, c: f(c(NAN), 1)),
    ('median', lambda f, c: f(c(A), 1)),
    ('quantile', lambda f, c: f(c(A), 0.3, 1)),
    ('nanquantile', lambda f, c: f(c(NAN), 0.3)),
    ('logaddexp', lambda f, c: f(c(A), c(B))),
    ('hypot', lambda f, c: f(c(A), c(B))),
    ('sinc', lambda f, c: f(c(A))),
    ('gcd', lambda f, c: f(c(I), c(J))),
    ('lcm', lambda f, c: f(c(I), c(J))),
    ('signbit', lambda f, c: f(c(A))),
    ('isin', lambda f, c: f(c(I), c(J))),
    ('nan_to_num', lambda f, c: f(c(np.array([np.nan, 1.0])))),
    ('trapezoid', lambda f, c: f(c(A))),
    ('kron', lambda f, c: f(c(V), c(V))),
    ('tensordot', lambda f, c: f(c(A), c(M), 1)),
    ('unique', lambda f, c: f(c(I))),
    ('count_nonzero', lambda f, c: f(c(I))),
    ('vander', lambda f, c: f(c(V), 3)),
    ('rad2deg', lambda f, c: f(c(A))),
    ('nextafter', lambda f, c: f(c(A), c(B))),
    ('i0', lambda f, c: f(c(A))),
    ('clip', lambda f, c: f(c(A), -0.5, 0.5)),
    ('where', lambda f, c: f(c(A > 0), c(A), c(B))),
    ('trunc', lambda f, c: f(c(A))),
]


@pytest.mark.parametrize('name,call', CASES, ids=[f'{n}-{i}' for i, (n, _) in enumerate(CASES)])
def test_against_numpy(name, call):
    got = call(getattr(paddle, name), lambda v: paddle.to_tensor(v))
    expected = call(getattr(np, name), lambda v: v)
    assert got.shape == list(np.shape(expected))
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-6, atol=1e-9)


def test_statistics():
    t = paddle.to_tensor(A)
    np.testing.assert_allclose(paddle.var(t, 1).numpy(), A.var(1, ddof=1))
    np.testing.assert_allclose(paddle.std(t, unbiased=False).numpy(), A.std())
    np.testing.assert_allclose(paddle.linalg.cov(t).numpy(), np.cov(A))
    np.testing.assert_allclose(paddle.linalg.corrcoef(t).numpy(), np.corrcoef(A))
    value, index = paddle.mode(paddle.to_tensor([[2, 1, 2], [3, 3, 1]]), 1)
    assert value.tolist() == [2, 3] and index.tolist() == [2, 1]
    values, inverse, counts = paddle.unique(
        paddle.to_tensor([3, 1, 3]), return_inverse=True, return_counts=True
    )
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 3], [1, 0, 1], [1, 2])


def test_scatters():
    t = paddle.zeros([3, 4], 'float64')
    index = paddle.to_tensor([[0], [1], [2]])
    assert paddle.put_along_axis(t, index, 9.0, 1).sum().item() == 27.0
    assert paddle.scatter_add(t, 1, index, paddle.ones([3, 1], 'float64'))[1].tolist() == [
        0.0,
        1.0,
        0.0,
        0.0,
    ]
    assert paddle.select_scatter(t, paddle.ones([3], 'float64'), 1, 2)[:, 2].tolist() == [1.0] * 3
    assert paddle.masked_fill(t, t == 0, 2.0).sum().item() == 24.0
    assert paddle.index_fill(t, paddle.to_tensor([0]), 0, 5.0)[0].tolist() == [5.0] * 4
    assert t.sum().item() == 0.0


def test_clip_bounds():
    i = paddle.to_tensor([-(2**62), -1, 5])
    assert paddle.clip(i, min=0).tolist() == [0, 0, 5] and paddle.clip(i, max=2).tolist() == [
        -(2**62),
        -1,
        2,
    ]
    assert paddle.clip(i, -1, 3.5).dtype == paddle.float32
    x = paddle.to_tensor([-1.0, 5.0])
    assert paddle.clip(x, min=0).tolist() == [0.0, 5.0] and x.clamp(
        max=paddle.to_tensor([0.0, 9.0])
    ).tolist() == [-1.0, 5.0]


def test_in_place_forms_keep_history():
    x = paddle.to_tensor(A, stop_gradient=False)
    y = x * 1.0
    same = y.cumsum_(1)
    assert same is y and not y.stop_gradient
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.tile(np.arange(4, 0, -1.0), (3, 1)))
    with pytest.raises(ValueError):
        x.cumsum_(1)


def test_incomplete_gamma_functions():
    special = pytest.importorskip('scipy.special')
    a, x = np.meshgrid(
        [1e-3, 0.3, 1.0, 4.5, 19.5, 21.0, 300.0, 1e4, 2e6, 1e9],
        [0.0, 1e-6, 0.1, 0.9, 2.0, 10.0, 25.0, 310.0, 1.001e4, 2.001e6, 1e9],
    )
    for dtype, rtol, atol in (('float64', 2e-10, 1e-14), ('float32', 2e-6, 1e-7)):
        p, q = a.astype(dtype), x.astype(dtype)
        want_p, want_q = (
            special.gammainc(p.astype('float64'), q.astype('float64')),
            special.gammaincc(p.astype('float64'), q.astype('float64')),
        )
        np.testing.assert_allclose(
            paddle.gammainc(paddle.to_tensor(p), paddle.to_tensor(q)).numpy(),
            want_p,
            rtol=rtol,
            atol=atol,
        )
        np.testing.assert_allclose(
            paddle.gammaincc(paddle.to_tensor(p), paddle.to_tensor(q)).numpy(),
            want_q,
            rtol=rtol,
            atol=atol,
        )
    ends = (
        [0.0, 0.0, 1.0, np.inf, np.inf, 1.0, np.nan],
        [0.0, 1.0, np.inf, 1.0, np.inf, np.nan, 1.0],
    )
    one, other = (paddle.to_tensor(v, 'float64') for v in ends)
    np.testing.assert_array_equal(
        paddle.gammainc(one, other).numpy(), [np.nan, 1, 1, 0, np.nan, np.nan, np.nan]
    )
    np.testing.assert_array_equal(
        paddle.gammaincc(one, other).numpy(), [np.nan, 0, 0, 1, np.nan, np.nan, np.nan]
    )


@pytest.mark.parametrize('name, sign', [('gammainc', 1), ('gammaincc', -1)])
def test_incomplete_gamma_functions_have_gradients(name, sign):
    special = pytest.importorskip('scipy.special')
    f = getattr(paddle, name)
    a = paddle.to_tensor([[0.3], [2.0], [30.0], [3e6]], 'float64', stop_gradient=False)
    x = paddle.to_tensor([0.2, 2.5, 28.0, 3.001e6], 'float64', stop_gradient=False)
    out = f(a, x)
    by_a, by_x = paddle.grad([out.sum()], [a, x], create_graph=True)
    step = 1e-4 * np.sqrt(np.maximum(a.numpy(), 1))
    derivative = (
        special.gammainc(a.numpy() + step, x.numpy())
        - special.gammainc(a.numpy() - step, x.numpy())
    ) / (2 * step)
    np.testing.assert_allclose(
        by_a.numpy(), sign * derivative.sum(1, keepdims=True), rtol=1e-5, atol=1e-9
    )
    log = (a.numpy() - 1) * np.log(x.numpy()) - x.numpy() - special.gammaln(a.numpy())
    np.testing.assert_allclose(by_x.numpy(), sign * np.exp(log).sum(0), rtol=1e-7, atol=1e-15)
    (again,) = paddle.grad([by_x.sum()], [x], retain_graph=True)
    derivative = np.exp(log) * ((a.numpy() - 1) / x.numpy() - 1)
    np.testing.assert_allclose(again.numpy(), sign * derivative.sum(0), rtol=1e-6, atol=1e-15)
    with pytest.raises(RuntimeError, match='second'):
        paddle.grad([by_a.sum()], [a])


def test_incomplete_gamma_functions_are_one_operation():
    for f in (paddle.gammainc, paddle.gammaincc):
        program = paddle.static.Program()
        with paddle.static.program.recording(program):
            f(program._data('a', [2, 1], paddle.float32), program._data('b', [3], paddle.float32))
        assert [op.name() for op in program.global_block().ops] == [
            'pd_op.data',
            'pd_op.data',
            'pd_op.' + f.__name__,
        ]
        with pytest.raises(ValueError, match='at least 0'):
            f(paddle.to_tensor([1.0, -1.0]), paddle.to_tensor([1.0]))
        with pytest.raises(ValueError, match='one floating dtype'):
            f(paddle.ones([2]), paddle.ones([2], 'float64'))
        with pytest.raises(RuntimeError, match='floating dtype'):
            f(paddle.ones([2], 'int32'), paddle.ones([2], 'int32'))


@pytest.mark.parametrize('dtype', ['float16', 'float32', 'float64'])
def test_neighbours_of_numbers(dtype):
    top, least = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    numbers = np.array(
        [0.0, -0.0, 1.0, -1.0, least, -least, top, -top, np.inf, -np.inf, np.nan], dtype
    )
    x, y = np.meshgrid(numbers, numbers)
    got = paddle.nextafter(paddle.to_tensor(x), paddle.to_tensor(y)).numpy()
    np.testing.assert_array_equal(got, np.nextafter(x, y))
    want = np.where(x == y, y, np.nextafter(x, y))
    assert (np.signbit(got) == np.signbit(want))[~np.isnan(got)].all()
    broadcast = paddle.nextafter(paddle.to_tensor(numbers[:, None]), paddle.to_tensor(numbers))
    np.testing.assert_array_equal(broadcast.numpy(), np.nextafter(numbers[:, None], numbers))
    compiled = paddle.jit.to_static(paddle.nextafter, full_graph=True)
    np.testing.assert_array_equal(compiled(paddle.to_tensor(x), paddle.to_tensor(y)).numpy(), got)


def test_nextafter_of_two_dtypes_is_of_the_one_they_meet_in():
    x, y = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([2.0, 1.0], dtype='float64')
    for a, b in ((x, y), (y, x), (x, y[0])):
        got = paddle.nextafter(a, b)
        assert got.dtype == paddle.float64
        wide = (v.astype('float64').numpy() for v in (a, b))
        np.testing.assert_array_equal(got.numpy(), np.nextafter(*wide))
    assert paddle.nextafter(x.astype('float16'), x.astype('bfloat16')).dtype == paddle.float32
    with pytest.raises(TypeError, match='nextafter.*promote'):
        paddle.nextafter(x, paddle.to_tensor([1, 2]))


def test_special_functions():
    x = np.array([0.3, 1.0, 4.5])
    t = paddle.to_tensor(x)
    np.testing.assert_allclose(paddle.polygamma(t, 1).numpy()[1], math.pi**2 / 6, rtol=1e-6)
    np.testing.assert_allclose(
        (paddle.gammainc(t, t) + paddle.gammaincc(t, t)).numpy(), 1.0, rtol=1e-6
    )
    np.testing.assert_allclose(
        paddle.gammainc(paddle.to_tensor([1.0]), paddle.to_tensor([2.0])).numpy(),
        1 - math.exp(-2),
        rtol=1e-5,
    )
    np.testing.assert_allclose(paddle.i0e(t).numpy(), np.i0(x) * np.exp(-x), rtol=1e-6)


@pytest.mark.parametrize(
    'call',
    [
        lambda x: paddle.std(x, 1),
        lambda x: paddle.logaddexp(x, x * 2),
        lambda x: paddle.median(x, 1),
        lambda x: paddle.quantile(x, 0.3, 1),
        lambda x: paddle.roll(x, 1, 1),
        lambda x: paddle.rot90(x),
        lambda x: paddle.tile(x, [2, 1]),
        lambda x: paddle.diff(x),
        lambda x: paddle.cdist(x, x + 1.0),
        lambda x: paddle.take_along_axis(x, paddle.to_tensor([[1], [0], [2]]), 1),
        lambda x: paddle.sinc(x),
        lambda x: paddle.einsum('ij,kj->ik', x, x),
        lambda x: paddle.hstack([x, x * x]),
        lambda x: paddle.unfold(x, 1, 2, 1),
    ],
)
def test_gradients(call):
    t = paddle.to_tensor(A, stop_gradient=False)
    out = call(t)
    weight = np.random.RandomState(5).randn(*out.shape)
    (out * paddle.to_tensor(weight)).sum().backward()
    eps, numeric = 1e-6, np.zeros_like(A)
    for at in np.ndindex(*A.shape):
        low, high = A.copy(), A.copy()
        low[at] -= eps
        high[at] += eps
        numeric[at] = (
            (call(paddle.to_tensor(high)).numpy() - call(paddle.to_tensor(low)).numpy()) * weight
        ).sum() / (2 * eps)
    np.testing.assert_allclose(t.grad.numpy(), numeric, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    'call,error',
    [
        (lambda: paddle.tensor_split(paddle.zeros([4]), 0), ValueError),
        (lambda: paddle.moveaxis(paddle.zeros([2, 2]), [0, 1], [0]), AssertionError),
        (lambda: paddle.quantile(paddle.zeros([4]), 1.5), ValueError),
        (lambda: paddle.rot90(paddle.zeros([2, 2]), 1, [0, 0]), ValueError),
        (lambda: paddle.broadcast_shape([2, 3], [2, 4]), ValueError),
        (lambda: paddle.vander(paddle.zeros([2, 2])), ValueError),
        (lambda: paddle.einsum('ij,jk->ik', paddle.zeros([2, 3])), AssertionError),
        (lambda: paddle.t(paddle.zeros([2, 2, 2])), ValueError),
        (lambda: paddle.set_flags({'FLAGS_no_such_flag': 1}), ValueError),
        (lambda: paddle.no_such_name, AttributeError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()


def test_moments_of_complex_numbers_are_real():
    z = RNG.randn(3, 4) + 1j * RNG.randn(3, 4)
    x = paddle.to_tensor(z)
    for correction in (0, 1):
        for axis in (None, 1):
            np.testing.assert_allclose(
                paddle.var(x, axis, correction=correction).numpy(), z.var(axis, ddof=correction)
            )
            np.testing.assert_allclose(
                paddle.std(x, axis, correction=correction).numpy(), z.std(axis, ddof=correction)
            )


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16'])
def test_the_mean_of_many_halves_is_that_of_each(dtype):
    x = paddle.ones([100000], dtype)
    x[7] = math.nan
    mean = paddle.nanmean(x)
    assert mean.item() == 1 and mean.dtype == x.dtype


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'int64'])
def test_elements_are_sought_in_many(dtype):
    """Where each compared with all would be 32 GB of answers."""
    x = np.arange(1 << 18).astype(dtype)
    sought = x[::-3].copy()
    if 'float' in dtype:
        x[5] = sought[9] = np.nan
    found = paddle.isin(paddle.to_tensor(x).reshape([2, -1]), paddle.to_tensor(sought))
    np.testing.assert_array_equal(found.numpy().ravel(), np.isin(x, sought))


def test_rows_of_nonzero_are_written_to_out():
    x, out = paddle.to_tensor([[0.0, 1.0], [2.0, 0.0]]), paddle.zeros([0], 'int64')
    rows, columns = paddle.nonzero(x, as_tuple=True, out=out)
    assert out.tolist() == [[0, 1], [1, 0]]
    assert rows.tolist() == [0, 1] and columns.tolist() == [1, 0]
    with pytest.raises(ValueError, match='axis'):
        paddle.unstack(x, axis=5, num=2)


def test_arguments_that_were_dropped():
    x = paddle.ones([2, 3])
    filled = paddle.tensor.fill_constant([2], 'complex64', '1+2j')
    assert filled.tolist() == [1 + 2j, 1 + 2j]
    z = paddle.to_tensor([complex(1, math.inf), complex(math.nan, 2)])
    np.testing.assert_array_equal(
        paddle.nan_to_num(z, 7.0, 8.0).numpy(), np.array([1 + 8j, 7 + 2j], 'complex64')
    )
    with pytest.raises(AssertionError, match='axes of at least 0'):
        paddle.tensordot(x, x, axes=-1)
    assert paddle.repeat_interleave(x, 2, 0, output_size=4).shape == [4, 3]
    for repeats in (2, paddle.to_tensor([2, 2])):
        with pytest.raises(ValueError, match='output_size'):
            paddle.repeat_interleave(x, repeats, 0, output_size=3)
    with pytest.raises(AssertionError, match='n_fft of at most 15 for the length 8'):
        paddle.signal.stft(paddle.ones([8]), n_fft=16)
    with pytest.raises(AssertionError, match='positive output sizes'):
        paddle.nn.functional.interpolate(paddle.ones([1, 1, 4, 4]), size=[0, 2])
    with pytest.raises(ValueError, match='axis from -2 to 1, got 5'):
        paddle.nn.functional.cross_entropy(x, paddle.to_tensor([0, 1]), axis=5)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_parts_of_extreme_numbers(dtype):
    limits = np.finfo(dtype)
    a = np.array([0, -0.0, limits.max, limits.min, limits.tiny, limits.tiny / 4, 8, 0.3], dtype)
    mantissa, exponent = paddle.frexp(paddle.to_tensor(a))
    for got, want in zip((mantissa, exponent), np.frexp(a)):
        np.testing.assert_array_equal(got.numpy(), want)
    mantissa, exponent = paddle.frexp(paddle.to_tensor([math.inf, -math.inf, math.nan], dtype))
    np.testing.assert_array_equal(mantissa.numpy(), [math.inf, -math.inf, math.nan])
    np.testing.assert_array_equal(exponent.numpy(), [1, 1, math.nan])
    with pytest.raises(AssertionError, match='p of at least 0'):
        paddle.cdist(paddle.ones([2, 2]), paddle.ones([2, 2]), p=-1)


@pytest.mark.parametrize('kind', ['avg', 'max'])
@pytest.mark.parametrize('rank', [1, 2, 3])
def test_adaptive_windows_may_be_none(kind, rank):
    x = paddle.ones([2, 3, *[4] * rank])
    x.stop_gradient = False
    size = [0, *[2] * (rank - 1)] if rank > 1 else 0
    y = getattr(paddle.nn.functional, f'adaptive_{kind}_pool{rank}d')(x, size)
    assert y.shape == [2, 3, 0, *[2] * (rank - 1)]
    y.sum().backward()
    assert not x.grad.any()


def test_vectors_of_a_spectral_norm_fit():
    x = paddle.arange(6, dtype='float32').reshape([2, 3])
    layer = paddle.nn.SpectralNorm([2, 3], dim=-1, power_iters=50)
    assert layer.weight_u.shape == [3] and layer.weight_v.shape == [2]
    np.testing.assert_allclose(
        layer(x).numpy(), x.numpy() / np.linalg.norm(x.numpy(), 2), rtol=1e-5, atol=1e-6
    )
    with pytest.raises(AssertionError, match='dim from -2 to 1, got 2'):
        paddle.nn.SpectralNorm([2, 3], dim=2)
    for u, v in ((2, 6), (3, 3), (1, 3)):
        with pytest.raises(ValueError, match=r'u of the rows and v of the columns'):
            paddle._C_ops.spectral_norm(x, paddle.ones([u]), paddle.ones([v]), 0, 1, 1e-12)


def test_ranges_without_a_number_and_two_ellipses_are_refused():
    x = paddle.ones([2, 3])
    for low, high in ((2.0, 1.0), (1.0, 1.0), (math.nan, 1.0)):
        with pytest.raises(ValueError, match=r'\[uniform_\] expected min below max'):
            x.uniform_(low, high)
    with pytest.raises(ValueError, match='one ellipsis'):
        x[..., 0, ...]
    with pytest.raises(ValueError, match='one ellipsis'):
        x[..., ...] = 1


def test_weights_of_covariances():
    z = RNG.randn(3, 4) + 1j * RNG.randn(3, 4)
    times, weighs = np.array([1, 2, 0, 3]), np.array([0.5, 1, 2, 0.25])
    for a in (z, z.real):
        for ddof in (0, 1):
            got = paddle.linalg.cov(
                paddle.to_tensor(a),
                ddof=bool(ddof),
                fweights=paddle.to_tensor(times),
                aweights=paddle.to_tensor(weighs),
            )
            want = np.cov(a, ddof=ddof, fweights=times, aweights=weighs)
            np.testing.assert_allclose(got.numpy(), want)
    x = paddle.ones([2, 3])
    for name, values in (
        ('fweights', [1, 1]),
        ('fweights', [1.5, 1, 1]),
        ('fweights', [-1, 1, 1]),
        ('aweights', [-1.0, 1, 1]),
        ('aweights', [[1.0, 1, 1]]),
    ):
        with pytest.raises(ValueError, match=rf'\[cov\] expected .*{name}'):
            paddle.linalg.cov(x, **{name: paddle.to_tensor(values)})


def test_labels_that_einsum_repeats_have_one_extent():
    with pytest.raises(ValueError, match="one extent for label 'i'"):
        paddle.einsum('ii', paddle.ones([2, 3]))
    assert paddle.einsum('ii->i', paddle.ones([1, 3])).tolist() == [1, 1, 1]
    assert paddle.einsum('iij->j', paddle.ones([2, 2, 3])).tolist() == [2, 2, 2]


@pytest.mark.parametrize('shape', [(19, 37), (8, 16), (9, 1), (3, 5), (8, 0)])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'int64'])
@pytest.mark.parametrize('exclusive', [False, True])
@pytest.mark.parametrize('reverse', [False, True])
def test_scans_of_many_lines(shape, dtype, exclusive, reverse):
    x = (np.random.RandomState(3).randn(*shape) * 3).astype(dtype)
    turned = x[:, ::-1] if reverse else x
    for op, scan, first in (
        (lambda t: paddle._C_ops.cumsum(t, -1, False, exclusive, reverse), np.cumsum, 0),
        (lambda t: paddle._C_ops.cumprod(t, -1, exclusive, reverse), np.cumprod, 1),
    ):
        want = scan(turned, 1, dtype=dtype)
        if exclusive:
            want = np.concatenate([np.full((len(x), 1), first, dtype), want], 1)[:, : shape[1]]
        got = op(paddle.to_tensor(x)).numpy()
        np.testing.assert_array_equal(got, want[:, ::-1] if reverse else want)


@pytest.mark.parametrize('axis', [0, 1, 2])
@pytest.mark.parametrize('index', ['int32', 'int64'])
def test_elements_along_an_axis(axis, index):
    rng = np.random.RandomState(4)
    x = rng.randn(5, 6, 7).astype('float32')
    picked = [5, 6, 7]
    picked[axis] = 4
    at = rng.randint(-x.shape[axis], x.shape[axis], picked).astype(index)
    t, i = paddle.to_tensor(x), paddle.to_tensor(at)
    taken = paddle.take_along_axis(t, i, axis, broadcast=False).numpy()
    np.testing.assert_array_equal(taken, np.take_along_axis(x, at.astype('int64'), axis))
    v = rng.randn(*picked).astype('float32')
    want = x.copy()
    places = [np.broadcast_to(g, picked) for g in np.ogrid[tuple(map(slice, picked))]]
    places[axis] = at
    np.add.at(want, tuple(places), v)
    got = paddle.put_along_axis(t, i, paddle.to_tensor(v), axis, reduce='add', broadcast=False)
    np.testing.assert_array_equal(got.numpy(), want)
    for f in (
        lambda j: paddle.take_along_axis(t, j, axis, broadcast=False),
        lambda j: paddle.put_along_axis(t, j, paddle.to_tensor(v), axis, broadcast=False),
    ):
        bad = at.copy()
        bad[tuple(n - 1 for n in picked)] = x.shape[axis]
        with pytest.raises(Exception, match='expected an index'):
            f(paddle.to_tensor(bad))


def _distances(x, y):
    d = x[..., :, None, :] - y[..., None, :, :]
    return np.sqrt((d * d).sum(-1)), d


@pytest.mark.parametrize('mode', ['use_mm_for_euclid_dist_if_necessary', 'use_mm_for_euclid_dist'])
def test_distances_by_a_product(mode):
    rng = np.random.RandomState(5)
    x, y = rng.randn(2, 1, 30, 5) + 100, rng.randn(3, 7, 5) + 100
    x[:, 0, 3] = y[0, 2]
    tx, ty = (paddle.to_tensor(a, stop_gradient=False) for a in (x, y))
    got = paddle.cdist(tx, ty, compute_mode=mode)
    want, d = _distances(x, y[None])
    # Half of the digits where points meet.
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-10, atol=2e-7)
    weight = rng.randn(*want.shape)
    weight[want == 0] = 0  # there a direction is rounding alone
    (got * paddle.to_tensor(weight)).sum().backward()
    g = (weight / np.where(want == 0, 1, want))[..., None] * d
    np.testing.assert_allclose(tx.grad.numpy(), g.sum(-2).sum(1, keepdims=True), atol=1e-9)
    np.testing.assert_allclose(ty.grad.numpy(), -g.sum(-3).sum(0), atol=1e-9)


def test_distance_of_equal_points_has_no_gradient():
    x = paddle.to_tensor(np.ones((30, 2), 'float32'), stop_gradient=False)
    paddle.cdist(x, x * 1).sum().backward()
    assert (x.grad.numpy() == 0).all()


def test_distances_of_one_mode_are_those_of_differences():
    x = (np.random.RandomState(6).randn(40, 3) * 1e-3 + 1).astype('float32')
    t = paddle.to_tensor(x)
    got = paddle.cdist(t, t, compute_mode='donot_use_mm_for_euclid_dist').numpy()
    np.testing.assert_allclose(
        got, _distances(x.astype('float64'), x.astype('float64'))[0], rtol=1e-5
    )
