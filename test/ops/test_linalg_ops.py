# SPDX-License-Identifier: Apache-2.0
"""Linear algebra and Fourier transforms: gradients of two orders along random directions, shapes
while recording, errors.
"""

import numpy as np
import paddle
import pytest
from paddle import fft, linalg, signal

C = paddle._C_ops


def rand(shape, dtype, seed):
    rng = np.random.RandomState(seed)
    a = rng.randn(*shape)
    return (a + 1j * rng.randn(*shape) if dtype == 'complex128' else a).astype(dtype)


def herm(x):
    return x + linalg._h(x)


def positive(x):
    return paddle.matmul(x, linalg._h(x)) + paddle.eye(x.shape[-1], dtype=x.dtype)


def phase_free(v):
    """What does not change when columns are multiplied by a phase."""
    return (v * v.conj()).real() if paddle.is_complex(v) else v * v


LU = linalg.lu(paddle.to_tensor(rand((4, 4), 'float64', 9)))[1]

# name: (function, shapes). Each output is weighed with its own random numbers.
SMOOTH = {
    'inverse': (linalg.inv, [(2, 4, 4)]),
    'det': (linalg.det, [(2, 3, 3)]),
    'slogdet': (linalg.slogdet, [(2, 3, 3)]),
    'slogdet_v2': (C.slogdet_v2, [(2, 3, 3)]),
    'cholesky': (lambda x: linalg.cholesky(positive(x)), [(2, 4, 4)]),
    'cholesky_upper': (lambda x: linalg.cholesky(positive(x), True), [(4, 4)]),
    'cholesky_solve': (linalg.cholesky_solve, [(4, 2), (2, 4, 4)]),
    'cholesky_solve_upper': (lambda x, y: linalg.cholesky_solve(x, y, True), [(2, 4, 2), (4, 4)]),
    'cholesky_inverse': (linalg.cholesky_inverse, [(4, 4)]),
    'solve': (linalg.solve, [(4, 4), (2, 4, 3)]),
    'solve_vector': (linalg.solve, [(2, 4, 4), (4,)]),
    'solve_right': (lambda x, y: linalg.solve(x, y, left=False), [(4, 4), (3, 4)]),
    'triangular': (linalg.triangular_solve, [(2, 4, 4), (4, 2)]),
    'triangular_transposed': (
        lambda x, y: linalg.triangular_solve(x, y, False, True, True),
        [(4, 4), (2, 4, 2)],
    ),
    'lu': (lambda x: linalg.lu(x)[0], [(2, 4, 4)]),
    'lu_tall': (lambda x: linalg.lu(x)[0], [(5, 3)]),
    'lu_wide': (lambda x: linalg.lu(x)[0], [(3, 5)]),
    'lu_unpack': (lambda x: C.lu_unpack(x, LU, True, True)[1:], [(4, 4)]),
    'lu_solve': (lambda b, x: linalg.lu_solve(b, x, LU), [(4, 2), (4, 4)]),
    'lu_solve_t': (lambda b, x: linalg.lu_solve(b, x, LU, 'T'), [(4, 2), (4, 4)]),
    'lu_solve_c': (lambda b, x: linalg.lu_solve(b, x, LU, 'C'), [(4, 2), (4, 4)]),
    'qr': (linalg.qr, [(2, 4, 3)]),
    'qr_wide': (linalg.qr, [(3, 5)]),
    'qr_square': (lambda x: linalg.qr(x, 'complete'), [(3, 3)]),
    'svd': (
        lambda x: [f(t) for f, t in zip((phase_free, lambda s: s, phase_free), linalg.svd(x))],
        [(2, 3, 3)],
    ),
    'svd_tall': (
        lambda x: [f(t) for f, t in zip((phase_free, lambda s: s, phase_free), linalg.svd(x))],
        [(5, 3)],
    ),
    'svd_wide': (lambda x: paddle.matmul(*linalg.svd(x)[::2]), [(3, 5)]),
    'svdvals': (linalg.svdvals, [(2, 4, 3)]),
    'svd_full_values': (lambda x: linalg.svd(x, True)[1], [(4, 3)]),
    'eigh': (
        lambda x: [f(t) for f, t in zip((lambda w: w, phase_free), linalg.eigh(herm(x)))],
        [(2, 4, 4)],
    ),
    'eigvalsh': (lambda x: linalg.eigvalsh(herm(x), 'U'), [(2, 4, 4)]),
    'eig': (
        lambda x: [f(t) for f, t in zip((lambda w: w.abs(), phase_free), linalg.eig(x))],
        [(2, 3, 3)],
    ),
    'eigvals': (lambda x: linalg.eigvals(x).abs(), [(3, 3)]),
    'matrix_power': (lambda x: linalg.matrix_power(x, 3), [(2, 3, 3)]),
    'matrix_power_negative': (lambda x: linalg.matrix_power(x, -2), [(3, 3)]),
    'multi_dot': (lambda *x: linalg.multi_dot(list(x)), [(4,), (4, 2), (2, 3), (3, 5)]),
    'matrix_exp': (linalg.matrix_exp, [(2, 3, 3)]),
    'pinv': (linalg.pinv, [(2, 4, 3)]),
    'pinv_hermitian': (lambda x: linalg.pinv(herm(x), hermitian=True), [(3, 3)]),
    'cond': (linalg.cond, [(2, 3, 3)]),
    'householder_product': (linalg.householder_product, [(2, 5, 3), (2, 2)]),
    'ormqr': (lambda x, t, y: linalg.ormqr(x, t, y, False, True), [(4, 3), (3,), (2, 4)]),
    'fft': (fft.fft, [(3, 5)]),
    'fft_padded': (lambda x: fft.ifft(x, 7, 0, 'ortho'), [(3, 2)]),
    'rfft_even': (
        lambda x: fft.rfftn(x.real() if paddle.is_complex(x) else x, norm='forward'),
        [(3, 4)],
    ),
    'rfft_odd': (lambda x: fft.ihfft(x.real() if paddle.is_complex(x) else x), [(2, 5)]),
    'rfft_full': (
        lambda x: C.fft_r2c(x.real() if paddle.is_complex(x) else x, [0, 1], 'ortho', True, False),
        [(2, 5)],
    ),
    'irfft_even': (
        lambda x: fft.irfftn(paddle.complex(x, x * x) if not paddle.is_complex(x) else x),
        [(3, 4)],
    ),
    'irfft_odd': (
        lambda x: fft.hfft(paddle.complex(x, x * x) if not paddle.is_complex(x) else x, 5),
        [(2, 3)],
    ),
    'frame': (lambda x: C.frame(x, 4, 3, -1), [(2, 11)]),
    'frame_apart': (lambda x: C.frame(x, 2, 3, 0), [(11, 2)]),
    'overlap_add': (lambda x: C.overlap_add(x, 2, -1), [(2, 3, 4)]),
    'overlap_add_front': (lambda x: C.overlap_add(x, 2, 0), [(4, 3, 2)]),
}
REAL_ONLY = {'rfft_even', 'rfft_odd', 'rfft_full', 'multi_dot'}
CASES = [
    (n, d)
    for n in SMOOTH
    for d in ('float64', 'complex128')
    if d == 'float64' or n not in REAL_ONLY
]


def total(outs, seed):
    """A real number that depends on every output."""
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    result = None
    for k, t in enumerate(outs):
        parts = [t.real(), t.imag()] if paddle.is_complex(t) else [t]
        for j, p in enumerate(parts):
            w = paddle.to_tensor(np.random.RandomState(seed + 10 * k + j).rand(*p.shape))
            term = (p * w).sum()
            result = term if result is None else result + term
    return result


def along(grads, directions):
    """The directional derivative: sum of Re(conj(g) d)."""
    parts = [
        (g.conj() * d).real() if paddle.is_complex(g) else g * d for g, d in zip(grads, directions)
    ]
    result = parts[0].sum()
    for p in parts[1:]:
        result = result + p.sum()
    return result


@pytest.mark.parametrize('name, dtype', CASES)
def test_gradients_of_two_orders(name, dtype):
    function, shapes = SMOOTH[name]
    arrays = [rand(s, dtype, i) for i, s in enumerate(shapes)]
    steps = [rand(s, dtype, 20 + i) for i, s in enumerate(shapes)]
    mixes = [paddle.to_tensor(rand(s, dtype, 40 + i)) for i, s in enumerate(shapes)]
    h = 1e-5

    def run(scale, order):
        xs = [paddle.to_tensor(a + scale * s, stop_gradient=False) for a, s in zip(arrays, steps)]
        value = total(function(*xs), 60)
        if order == 0:
            return value, None, None
        grads = paddle.grad(value, xs, create_graph=order == 2)
        mixed = along(grads, mixes)
        if order == 1:
            return value, grads, mixed
        second = (
            paddle.grad(mixed, xs, allow_unused=True)
            if not mixed.stop_gradient
            else [None] * len(xs)
        )
        return (
            value,
            grads,
            [s if s is not None else paddle.zeros_like(x) for s, x in zip(second, xs)],
        )

    directions = [paddle.to_tensor(s) for s in steps]
    _, fused, _ = run(0, 1)
    _, grads, second = run(0, 2)
    for a, b in zip(fused, grads):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-9)
    want = (run(h, 0)[0].item() - run(-h, 0)[0].item()) / (2 * h)
    np.testing.assert_allclose(along(fused, directions).item(), want, rtol=1e-5, atol=1e-6)
    want = (run(h, 1)[2].item() - run(-h, 1)[2].item()) / (2 * h)
    np.testing.assert_allclose(along(second, directions).item(), want, rtol=1e-4, atol=1e-5)


def test_det_of_singular_matrices():
    """The gradient is the cofactor matrix, also of a matrix of rank n - 1 and below."""
    a = np.array([[[1.0, 2, 3], [2, 4, 6], [1, 0, 1]], [[1, 1, 1], [1, 1, 1], [1, 1, 1]]])
    x = paddle.to_tensor(a, stop_gradient=False)
    linalg.det(x).sum().backward()
    want = np.zeros_like(a)
    for b, i, j in np.ndindex(*a.shape):
        want[b, i, j] = (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(a[b], i, 0), j, 1))
    np.testing.assert_allclose(x.grad.numpy(), want, atol=1e-12)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'complex64', 'complex128'])
def test_conventions(dtype):
    """Pivots count from 1, P L U is the matrix, spectra are real and sorted, unread triangles do
    not matter.
    """
    kind = 'complex128' if dtype.startswith('c') else 'float64'
    a = rand((3, 5, 4), kind, 1).astype(dtype)
    tol = 1e-4 if dtype in ('float32', 'complex64') else 1e-11
    packed, pivots, infos = linalg.lu(paddle.to_tensor(a), get_infos=True)
    assert (
        pivots.dtype == paddle.int32 and infos.dtype == paddle.int32 and pivots.numpy().min() >= 1
    )
    p, low, up = linalg.lu_unpack(packed, pivots)
    np.testing.assert_allclose((p @ low @ up).numpy(), a, atol=tol)
    for full in (False, True):
        u, s, vh = linalg.svd(paddle.to_tensor(a), full)
        assert s.dtype == (paddle.float32 if dtype in ('float32', 'complex64') else paddle.float64)
        assert u.shape == [3, 5, 5 if full else 4] and vh.shape == [3, 4, 4]
        np.testing.assert_allclose(
            (u[..., :4].numpy() * s.numpy()[:, None]) @ vh.numpy(), a, atol=tol
        )
    for mode, k in (('reduced', 4), ('complete', 5)):
        q, r = linalg.qr(paddle.to_tensor(a), mode)
        assert q.shape == [3, 5, k] and r.shape == [3, k, 4]
        np.testing.assert_allclose((q @ r).numpy(), a, atol=tol)
    square = a[:, :4]
    for uplo in 'LU':
        half = np.tril(square) if uplo == 'L' else np.triu(square)
        half = (
            half - 1j * half[:, range(4), range(4)].imag[:, :, None] * np.eye(4)
            if dtype[0] == 'c'
            else half
        )
        strict = np.tril(half, -1) if uplo == 'L' else np.triu(half, 1)
        full = half + strict.conj().transpose(0, 2, 1)
        w, v = linalg.eigh(paddle.to_tensor(square), uplo)
        np.testing.assert_allclose(w.numpy(), np.linalg.eigvalsh(full), atol=10 * tol)
        np.testing.assert_allclose(full @ v.numpy(), v.numpy() * w.numpy()[:, None], atol=10 * tol)
        np.testing.assert_allclose(
            linalg.eigvalsh(paddle.to_tensor(square), uplo).numpy(), w.numpy(), atol=10 * tol
        )
    w, v = linalg.eig(paddle.to_tensor(square))
    np.testing.assert_allclose(square @ v.numpy(), v.numpy() * w.numpy()[:, None], atol=10 * tol)
    b = rand((3, 4, 2), kind, 2).astype(dtype)
    packed, pivots = linalg.lu(paddle.to_tensor(square))
    for trans, m in (
        ('N', square),
        ('T', square.transpose(0, 2, 1)),
        ('C', square.conj().transpose(0, 2, 1)),
    ):
        x = linalg.lu_solve(paddle.to_tensor(b), packed, pivots, trans).numpy()
        np.testing.assert_allclose(m @ x, b, atol=100 * tol)
    np.testing.assert_allclose(
        square @ linalg.solve(paddle.to_tensor(square), paddle.to_tensor(b)).numpy(),
        b,
        atol=100 * tol,
    )
    for driver in ('gels', 'gelsy', 'gelsd', 'gelss'):
        x, res, rank, s = linalg.lstsq(
            paddle.to_tensor(a),
            paddle.to_tensor(rand((3, 5, 2), kind, 3).astype(dtype)),
            driver=driver,
        )
        want = np.stack(
            [np.linalg.lstsq(m, n, None)[0] for m, n in zip(a, rand((3, 5, 2), kind, 3))]
        )
        np.testing.assert_allclose(x.numpy(), want, atol=100 * tol)
        assert res.shape == ([0] if driver == 'gelsy' else [3, 2]) and rank.shape == (
            [0] if driver == 'gels' else [3]
        )
        assert s.shape == ([3, 4] if driver in ('gelsd', 'gelss') else [0])


@pytest.mark.parametrize('shape', [(64, 100), (7, 1, 30), (2, 31), (1, 1), (3, 97 * 2)])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_transforms_of_any_layout(shape, dtype):
    a = rand(shape, dtype, 5)
    for x, t in (
        (a, paddle.to_tensor(a)),
        (a.T, paddle.to_tensor(a).transpose(list(range(a.ndim))[::-1])),
    ):
        for axis in range(a.ndim):
            want = np.fft.fft(x, axis=axis)
            got = fft.fft(t, axis=axis)
            assert got.dtype == (paddle.complex64 if dtype == 'float32' else paddle.complex128)
            np.testing.assert_allclose(
                got.numpy(), want, atol=(1e-4 if dtype == 'float32' else 1e-10)
            )
            np.testing.assert_allclose(
                fft.rfft(t, axis=axis).numpy(),
                np.fft.rfft(x, axis=axis),
                atol=(1e-4 if dtype == 'float32' else 1e-10),
            )


BAD = {
    'singular_inverse': (lambda: linalg.inv(paddle.ones([3, 3])), ValueError),
    'singular_solve': (lambda: linalg.solve(paddle.ones([3, 3]), paddle.ones([3, 1])), ValueError),
    'indefinite': (lambda: linalg.cholesky(-paddle.eye(3)), ValueError),
    'not_square': (lambda: linalg.det(paddle.ones([3, 2])), ValueError),
    'power_not_square': (lambda: linalg.matrix_power(paddle.ones([3, 2]), 1), ValueError),
    'rows': (lambda: linalg.solve(paddle.eye(3), paddle.ones([2, 2])), ValueError),
    'dtype': (lambda: linalg.svd(paddle.ones([3, 3], 'int32')), RuntimeError),
    'half': (lambda: linalg.qr(paddle.ones([3, 3], 'float16')), RuntimeError),
    'nan_svd': (lambda: linalg.svd(paddle.full([3, 3], float('nan'))), ValueError),
    'nan_eig': (lambda: linalg.eigvals(paddle.full([3, 3], float('nan'))), ValueError),
    'nan_eigh': (lambda: linalg.eigvalsh(paddle.full([3, 3], float('nan'))), RuntimeError),
    'inf_lstsq': (
        lambda: linalg.lstsq(
            paddle.full([3, 3], float('inf')), paddle.ones([3, 1]), driver='gelsd'
        ),
        RuntimeError,
    ),
    'no_pivot': (lambda: linalg.lu(paddle.eye(3), pivot=False), ValueError),
    'pivots': (
        lambda: linalg.lu_unpack(paddle.eye(3), paddle.to_tensor([1, 9, 3], 'int32')),
        ValueError,
    ),
    'mode': (lambda: linalg.qr(paddle.eye(3), 'full'), ValueError),
    'three_axes': (lambda: linalg.multi_dot([paddle.ones([2, 3, 3]), paddle.eye(3)]), ValueError),
    'empty_transform': (lambda: fft.irfft(paddle.ones([3, 1], 'complex64')), ValueError),
    'complex_rfft': (lambda: fft.rfft(paddle.ones([3], 'complex64')), RuntimeError),
    'hop': (lambda: C.frame(paddle.ones([4]), 2, 0, -1), ValueError),
    'window': (
        lambda: C.stft(paddle.ones([1, 9]), paddle.ones([3]), 4, 1, False, True),
        ValueError,
    ),
    'undetermined': (lambda: linalg.svd(_needs_grad([4, 2]), True)[0].sum().backward(), ValueError),
}


def _needs_grad(shape):
    return paddle.to_tensor(rand(shape, 'float64', 0), stop_gradient=False)


@pytest.mark.parametrize('name', BAD)
def test_bad_input(name):
    call, error = BAD[name]
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    'name',
    [
        'inverse',
        'cholesky',
        'solve',
        'lu',
        'qr',
        'svd',
        'eigh',
        'det',
        'fft',
        'rfft_even',
        'matrix_power',
        'frame',
    ],
)
def test_recorded(name):
    """A program of the op and its gradient gives the eager values, with the batch extent
    unknown.
    """
    function, shapes = SMOOTH[name]
    arrays = [rand(s, 'float64', i) for i, s in enumerate(shapes)]
    xs = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    want = total(function(*xs), 60)
    grads = paddle.grad(want, xs)
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            ins = [paddle.static.data(f'x{i}', list(s), 'float64') for i, s in enumerate(shapes)]
            for x in ins:
                x.stop_gradient = False
            out = total(function(*ins), 60)
            made = paddle.static.gradients([out], ins)
        got = paddle.static.Executor().run(
            main, feed={f'x{i}': a for i, a in enumerate(arrays)}, fetch_list=[out, *made]
        )
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got[0], want.numpy(), rtol=1e-9)
    for a, b in zip(got[1:], grads):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-8, atol=1e-9)


def test_symbolic_batch():
    """Shapes with an unknown batch extent."""
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data('x', [-1, 4, 3], 'float32')
            assert [list(t.shape) for t in linalg.svd(x)] == [[-1, 4, 3], [-1, 3], [-1, 3, 3]]
            assert [list(t.shape) for t in linalg.qr(x, 'complete')] == [[-1, 4, 4], [-1, 4, 3]]
            assert list(fft.rfft(x).shape) == [-1, 4, 2]
            assert list(linalg.det(x[:, :3]).shape) == [-1]
            assert list(C.overlap_add(x, 2, -1).shape) == [-1, 8]
    finally:
        paddle.disable_static()


def test_round_trip_of_frames():
    x = paddle.to_tensor(rand((2, 97), 'float32', 0))
    for options in (dict(n_fft=16), dict(n_fft=15, hop_length=4, normalized=True)):
        again = signal.istft(signal.stft(x, **options), length=97, **options)
        np.testing.assert_allclose(again.numpy()[:, :80], x.numpy()[:, :80], atol=1e-5)
