# SPDX-License-Identifier: Apache-2.0
"""Factorisations of matrices on gpu:0, values and gradients, against the CPU in float64: what
differs by more than rounding, as JSON. Argument: `few` for one of each.
"""

import json
import sys

import numpy as np
import paddle
from gpu_fft import both

BARS = {'float32': 1e-4, 'float64': 1e-12, 'complex64': 1e-4, 'complex128': 1e-12}
L = paddle.linalg


def adjoint(x):
    return paddle.conj(x).transpose([*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def positive(x):
    return x @ adjoint(x) + paddle.eye(x.shape[-1]).astype(x.dtype) * 4


def right(x, columns=3):
    """Right sides that have a gradient, too."""
    return paddle.sin(x.real() if x.is_complex() else x)[..., :columns].astype(x.dtype)


def of(z):
    """What the phases of vectors do not change."""
    return z.abs() if z.is_complex() else z * z


def ordered(w):
    """By its real parts, then the imaginary ones."""
    keys = w.numpy()
    at = np.lexsort((keys.imag.round(3), keys.real.round(3)), -1)
    return paddle.take_along_axis(w, paddle.to_tensor(at, place=w.place), -1)


def eigen_sides(x):
    """a v and v w, which are the same; v has columns of length 1 with a real largest part."""
    w, v = L.eig(x)
    sides = [x.astype(v.dtype) @ v, v * w.unsqueeze(-2)]
    assert (sides[0] - sides[1]).abs().max().item() < 1e-4
    array = v.numpy()
    assert np.abs(np.linalg.norm(array, axis=0) - 1).max() < 1e-5
    largest = np.take_along_axis(array, np.abs(array).argmax(0)[None], 0)
    assert np.abs(largest.imag).max() < 1e-5
    return ordered(w)


def low_rank(x):
    """The least solution of a system of rank 2, and the rank."""
    a = x[..., :2] @ x[..., :2, :]
    solution, _, rank, _ = L.lstsq(a, right(x), rcond=1e-3, driver='gelsd')
    return paddle.concat([solution.flatten(), rank.astype(solution.dtype).flatten()])


def solved_lu(x, trans):
    y = positive(x) + x
    packed, pivots = L.lu(y)
    return L.lu_solve(right(x), packed, pivots, trans)


def cases():
    """{name: (shape, function, whether there is a gradient)}"""
    return {
        'cholesky': ([3, 4, 4], lambda x: L.cholesky(positive(x)), True),
        'cholesky-upper': ([4, 4], lambda x: L.cholesky(positive(x), upper=True), True),
        'cholesky-solve': (
            [2, 4, 4],
            lambda x: L.cholesky_solve(right(x), L.cholesky(positive(x))),
            True,
        ),
        'cholesky-solve-upper': (
            [4, 4],
            lambda x: L.cholesky_solve(right(x), L.cholesky(positive(x), True), True),
            True,
        ),
        'lu': ([2, 5, 5], lambda x: L.lu(x)[0], True),
        'lu-tall': ([6, 3], lambda x: L.lu(x)[0], True),
        'lu-wide': ([3, 6], lambda x: L.lu(x)[0], True),
        'lu-solve': ([4, 4], lambda x: solved_lu(x, 'N'), True),
        'lu-solve-t': ([2, 4, 4], lambda x: solved_lu(x, 'T'), True),
        'lu-solve-c': ([4, 4], lambda x: solved_lu(x, 'C'), True),
        'solve': ([2, 5, 5], lambda x: L.solve(x + 0, right(x)), True),
        'solve-vector': ([5, 5], lambda x: L.solve(x, right(x)[:, 0]), True),
        'inverse': ([2, 4, 4], L.inv, True),
        'triangular-upper': ([2, 4, 4], lambda x: L.triangular_solve(positive(x), right(x)), True),
        'triangular-lower': (
            [4, 4],
            lambda x: L.triangular_solve(positive(x), right(x), upper=False),
            True,
        ),
        'triangular-transposed': (
            [4, 4],
            lambda x: L.triangular_solve(positive(x), right(x), transpose=True),
            True,
        ),
        'triangular-lower-transposed': (
            [4, 4],
            lambda x: L.triangular_solve(positive(x), right(x), False, True),
            True,
        ),
        'triangular-unit': (
            [4, 4],
            lambda x: L.triangular_solve(x, right(x), unitriangular=True),
            True,
        ),
        'qr': ([2, 5, 3], lambda x: L.qr(x)[0], True),
        'qr-r': ([5, 3], lambda x: L.qr(x, mode='r'), False),
        'qr-wide': ([3, 5], lambda x: L.qr(x)[1], True),
        'qr-complete': ([5, 3], lambda x: L.qr(x, mode='complete')[0], False),
        'qr-complete-r': ([5, 3], lambda x: L.qr(x, mode='complete')[1], False),
        'svd': ([2, 5, 3], lambda x: L.svd(x)[1], True),
        'svd-u': ([5, 3], lambda x: of(L.svd(x)[0]), True),
        'svd-v': ([5, 3], lambda x: of(L.svd(x)[2]), True),
        'svd-wide': ([2, 3, 5], lambda x: of(L.svd(x)[0]), True),
        'svd-wide-v': ([3, 5], lambda x: of(L.svd(x)[2]), True),
        'svd-whole': ([5, 3], lambda x: back(*L.svd(x, full_matrices=True)), False),
        'svd-whole-wide': ([3, 5], lambda x: back(*L.svd(x, full_matrices=True)), False),
        'svdvals': ([4, 6], L.svdvals, True),
        'eigh': ([2, 4, 4], lambda x: L.eigh(positive(x))[0], True),
        'eigh-vectors': ([4, 4], lambda x: of(L.eigh(positive(x))[1]), True),
        'eigh-upper': ([4, 4], lambda x: of(L.eigh(positive(x), UPLO='U')[1]), True),
        'eigh-one': ([4, 4], lambda x: of(L.eigh(positive(x))[1]), True),
        'cholesky-one': ([4, 4], lambda x: L.cholesky(positive(x)), True),
        'svd-batch': ([3, 5, 3], lambda x: of(L.svd(x)[0]), True),
        'svd-batch-v': ([2, 3, 5], lambda x: of(L.svd(x)[2]), True),
        'svd-batch-whole': ([2, 5, 3], lambda x: back(*L.svd(x, full_matrices=True)), False),
        'eig': ([2, 4, 4], lambda x: ordered(L.eig(x)[0]), True),
        'eig-vectors': ([4, 4], eigen_sides, False),
        'eigvals': ([3, 5, 5], lambda x: ordered(L.eigvals(x)), False),
        'lstsq': ([2, 6, 3], lambda x: L.lstsq(x, right(x))[0], False),
        'lstsq-residuals': ([6, 3], lambda x: L.lstsq(x, right(x, 2), driver='gels')[1], False),
        'lstsq-gels': ([5, 3], lambda x: L.lstsq(x, right(x), driver='gels')[0], False),
        'lstsq-wide': ([2, 3, 6], lambda x: L.lstsq(x, right(x), driver='gels')[0], False),
        'lstsq-gelsd': ([3, 6], lambda x: L.lstsq(x, right(x), driver='gelsd')[0], False),
        'lstsq-spectrum': ([5, 3], lambda x: L.lstsq(x, right(x), driver='gelss')[3], False),
        'lstsq-rank': ([5, 4], lambda x: low_rank(x), False),
        'eigvalsh': ([2, 4, 4], lambda x: L.eigvalsh(positive(x)), True),
        'det': ([3, 4, 4], L.det, True),
        'det-odd': ([3, 3], lambda x: L.det(x[[2, 0, 1]]), True),
        'slogdet': ([2, 4, 4], lambda x: L.slogdet(x)[1], False),
        'slogdet-sign': ([2, 4, 4], lambda x: L.slogdet(x)[0], False),
        'rank': ([3, 4, 6], lambda x: rank(x[..., :2] @ x[..., :2, :]), False),
        'rank-tol': ([4, 6], lambda x: rank(x, tol=paddle.to_tensor([0.1, 2.0, 90.0])), False),
        'rank-number': ([4, 6], lambda x: rank(x, tol=1.5), False),
        'rank-hermitian': ([4, 4], lambda x: rank(positive(x), hermitian=True), False),
        'rank-two': ([4, 6], lambda x: rank(x, atol=0.5, rtol=0.3), False),
        'view': ([6, 4], lambda x: L.inv(x.t()[:, 1:5] + 0), True),
    }


def rank(x, **how):
    return L.matrix_rank(x, **how).astype('float32')


def back(u, s, vh):
    """The matrix, of which U and V are whole: they are orthonormal where that is it."""
    for q in (u, adjoint(vh)):
        one = (adjoint(q) @ q).numpy()
        assert np.abs(one - np.eye(one.shape[-1])).max() < 1e-5
    k = s.shape[-1]
    return (u[..., :k] * s.unsqueeze(-2).astype(u.dtype)) @ vh[..., :k, :]


def compare(name, dtype, array, function, has_gradient):
    wide = 'complex128' if np.iscomplexobj(array) else 'float64'
    count = 2 if has_gradient else 1
    wanted = both('cpu', array, wide, function, has_gradient)[:count]
    for got, want, what in zip(both('gpu:0', array, dtype, function, has_gradient), wanted, 'vg'):
        error = np.abs(got - want).max() / max(np.abs(want).max(), 1)
        if not error <= BARS[dtype]:
            yield f'{name}-{dtype}-{what}', float(error)


def refused():
    """What cannot be factored is what the host says of it."""
    paddle.set_device('gpu:0')
    bad = paddle.to_tensor([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]])
    nothing = paddle.zeros([3, 3])
    nan = paddle.full([3, 3], float('nan'))
    for what, x in ((L.cholesky, bad), (L.inv, nothing), (L.eigh, nan), (L.svd, nan)):
        try:
            what(x)
            yield what.__name__
        except (ValueError, RuntimeError) as e:
            if 'batch item 1' not in str(e) and x is bad:
                yield str(e)
    if L.lu(nothing, get_infos=True)[2].item() != 1:
        yield 'infos'
    empty = L.qr(paddle.zeros([3, 0]), mode='complete')[0]
    if (empty - paddle.eye(3)).abs().max().item() != 0:
        yield 'empty'


if __name__ == '__main__':
    few = 'few' in sys.argv
    wrong = {what: None for what in refused()}
    for name, (shape, function, has_gradient) in cases().items():
        if few and '-' in name:
            continue
        rng = np.random.RandomState(len(name))
        for is_complex in (False, True):
            array = rng.randn(*shape) + (1j * rng.randn(*shape) if is_complex else 0)
            for dtype in ('complex64', 'complex128') if is_complex else ('float32', 'float64'):
                wrong |= dict(compare(name, dtype, array, function, has_gradient))
    print(json.dumps(wrong))
