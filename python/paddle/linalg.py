# SPDX-License-Identifier: Apache-2.0
"""Linear algebra. A name is there when the operators it is made of are."""
import paddle
from paddle import _linalg_compose
from paddle.base.libpaddle import _functions

_ops = {**{name: getattr(_linalg_compose, name) for name in _linalg_compose.__all__}, **_functions('paddle._C_ops')}


class _Table:
    """Operators as attributes."""

    def __getattr__(self, name):
        return _ops[name]


_C_ops = _Table()
__all__ = []


def _public(needs=''):
    """Export the function if every operator in `needs` exists."""
    def keep(function):
        if all(op in _ops for op in needs.split()):
            __all__.append(function.__name__)
        return function
    return keep


def _t(x):
    return x.transpose(list(range(x.ndim - 2)) + [x.ndim - 1, x.ndim - 2])


def _h(x):
    x = _t(x)
    return x.conj() if 'complex' in str(x.dtype) else x


def _square(x, name):
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise (AssertionError if name == "cholesky" else ValueError)(f"[{name}] expected square matrices, got shape {list(x.shape)}")


def _like(n, x):
    """The n x n unit matrix of the dtype and batch of `x`."""
    eye = paddle.eye(n, dtype=x.dtype)
    return eye.expand(list(x.shape[:-2]) + [n, n]) if x.ndim > 2 else eye


def _singular(x, owner):
    if 'svd' not in _ops:
        raise RuntimeError(f"[{owner}] this norm needs the operator svd, which this build does not have")
    return _C_ops.svd(x, False)[1]


@_public('matmul')
def matmul(x, y, transpose_x=False, transpose_y=False, name=None, *, out=None):
    """Matrix product; see `paddle.matmul`."""
    return paddle.matmul(x, y, transpose_x, transpose_y, out=out)


@_public()
def matrix_transpose(x, name=None):
    """Swap the last two axes."""
    if x.ndim < 2:
        raise ValueError(f"[matrix_transpose] expected at least 2 dimensions, got shape {list(x.shape)}")
    return _t(x)


@_public('diagonal')
def diagonal(x, offset=0, axis1=0, axis2=1, name=None):
    """Diagonals of matrices; see `paddle.diagonal`."""
    return paddle.diagonal(x, offset, axis1, axis2)


@_public()
def vecdot(x, y, axis=-1, name=None):
    """Sum of conj(x) * y along `axis`."""
    return ((x.conj() if 'complex' in str(x.dtype) else x) * y).sum(axis)


@_public('cross')
def cross(x, y, axis=9, name=None):
    """Cross product; see `paddle.cross`."""
    return paddle.cross(x, y, axis)


@_public('cholesky')
def cholesky(x, upper=False, name=None):
    """The triangular factor L with x = L L^H (or U with x = U^H U)."""
    _square(x, 'cholesky')
    return _C_ops.cholesky(x, upper)


@_public('cholesky_solve')
def cholesky_solve(x, y, upper=False, name=None):
    """Solve A z = x, given the Cholesky factor y of A."""
    return _C_ops.cholesky_solve(x, y, upper)


@_public('triangular_solve')
def cholesky_inverse(x, upper=False, name=None):
    """The inverse of A, given its Cholesky factor x."""
    _square(x, 'cholesky_inverse')
    factor = _C_ops.triangular_solve(x, _like(x.shape[-1], x), upper, False, False)
    return paddle.matmul(factor, _h(factor)) if upper else paddle.matmul(_h(factor), factor)


@_public('det')
def det(x, name=None):
    """Determinants of square matrices."""
    return _C_ops.det(x)


@_public('slogdet')
def slogdet(x, name=None):
    """Sign and logarithm of the absolute determinant, stacked."""
    return _C_ops.slogdet(x)


@_public('inverse')
def inv(x, name=None):
    """Inverses of square matrices."""
    _square(x, 'inv')
    return _C_ops.inverse(x)


@_public('solve')
def solve(x, y, left=True, name=None, *, out=None):
    """Solve x z = y, or z x = y with `left=False`."""
    result = _C_ops.solve(x, y) if left else _t(_C_ops.solve(_t(x), _t(y)))
    return result if out is None else paddle.assign(result, output=out)


@_public('triangular_solve')
def triangular_solve(x, y, upper=True, transpose=False, unitriangular=False, name=None):
    """Solve x z = y for triangular x."""
    return _C_ops.triangular_solve(x, y, upper, transpose, unitriangular)


@_public('qr')
def qr(x, mode='reduced', name=None):
    """(Q, R) with x = Q R; mode 'reduced', 'complete', or 'r' for R alone."""
    q, r = _C_ops.qr(x, mode)
    return r if mode == 'r' else (q, r)


@_public('svd')
def svd(x, full_matrices=False, name=None, *, out=None):
    """(U, S, V^H) with x = U diag(S) V^H."""
    result = _C_ops.svd(x, full_matrices)
    if out is None:
        return result
    return tuple(paddle.assign(value, output=target) for value, target in zip(result, out))


@_public('svd')
def svdvals(x, name=None):
    """Singular values, largest first."""
    return _C_ops.svd(x, False)[1]


@_public('eig')
def eig(x, name=None):
    """Eigenvalues and right eigenvectors of square matrices, complex."""
    return _C_ops.eig(x)


@_public('eigvals')
def eigvals(x, name=None):
    """Eigenvalues of square matrices, complex."""
    return _C_ops.eigvals(x)


def _check_uplo(x, uplo, name):
    _square(x, name)
    if uplo not in ('L', 'U'):
        raise ValueError(f"UPLO must be L or U. But received UPLO is: {uplo}")


@_public('eigh')
def eigh(x, UPLO='L', name=None):
    """Eigenvalues, rising, and eigenvectors of Hermitian matrices given by one triangle."""
    _check_uplo(x, UPLO, 'eigh')
    return _C_ops.eigh(x, UPLO)


@_public('eigh')
def eigvalsh(x, UPLO='L', name=None):
    """Eigenvalues, rising, of Hermitian matrices given by one triangle."""
    _check_uplo(x, UPLO, 'eigvalsh')
    return _C_ops.eigh(x, UPLO)[0]


@_public('lu')
def lu(x, pivot=True, get_infos=False, name=None):
    """Packed LU factors and pivots, and with `get_infos` the status of each matrix."""
    packed, pivots, infos = _C_ops.lu(x, pivot)
    return (packed, pivots, infos) if get_infos else (packed, pivots)


@_public('lu_unpack')
def lu_unpack(x, y, unpack_ludata=True, unpack_pivots=True, name=None):
    """(P, L, U) from packed factors and pivots."""
    return _C_ops.lu_unpack(x, y, unpack_ludata, unpack_pivots)


@_public('lu_unpack triangular_solve')
def lu_solve(b, lu, pivots, trans='N', name=None):
    """Solve A x = b (or A^T, A^H for trans 'T', 'C') given the LU factors of A."""
    if trans not in ('N', 'T', 'C'):
        raise ValueError(f"trans must be 'N', 'T' or 'C', got {trans!r}")
    p, low, up = _C_ops.lu_unpack(lu, pivots, True, True)
    if trans == 'N':
        y = _C_ops.triangular_solve(low, paddle.matmul(_t(p), b), False, False, True)
        return _C_ops.triangular_solve(up, y, True, False, False)
    turn = _h if trans == 'C' else _t
    y = _C_ops.triangular_solve(turn(up), b, False, False, False)
    return paddle.matmul(p, _C_ops.triangular_solve(turn(low), y, True, False, True))


@_public('lstsq')
def lstsq(x, y, rcond=None, driver=None, name=None):
    """(solution, residuals, rank, singular values) of the least-squares problem x z = y."""
    if driver not in (None, 'gels', 'gelsy', 'gelsd', 'gelss'):
        raise ValueError(f"Only support valid driver is 'gels', 'gelsy', 'gelsd', 'gelss' or None, got {driver}")
    if x.shape[-2] != y.shape[-2]:
        raise ValueError(f"[lstsq] expected x and y of as many rows, got shapes {list(x.shape)} and {list(y.shape)}")
    if rcond is None:
        rcond = (1e-7 if 'float32' in str(x.dtype) else 1e-15) * max(x.shape[-2], x.shape[-1])
    return _C_ops.lstsq(x, y, rcond, driver or 'gelsy')


@_public()
def matrix_power(x, n, name=None):
    """A square matrix multiplied with itself `n` times; negative `n` powers the inverse."""
    return paddle.matrix_power(x, n)


@_public('matmul')
def multi_dot(x, name=None):
    """The product of several matrices in the cheapest order; the first and last may be vectors."""
    if len(x) < 2:
        raise ValueError("multi_dot requires at least 2 matrices")
    mats = list(x)
    row, column = mats[0].ndim == 1, mats[-1].ndim == 1
    if row:
        mats[0] = mats[0].unsqueeze(0)
    if column:
        mats[-1] = mats[-1].unsqueeze(-1)
    sizes = [m.shape[0] for m in mats] + [mats[-1].shape[1]]
    n = len(mats)
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            cost[i][j], cut[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))

    def product(i, j):
        if i == j:
            return mats[i]
        return paddle.matmul(product(i, cut[i][j]), product(cut[i][j] + 1, j))

    out = product(0, n - 1)
    if row:
        out = out.squeeze(0)
    return out.squeeze(-1) if column else out


def _axes(axis, ndim, op='p_norm'):
    """The axes as non-negative numbers, in the order given."""
    axes = [axis] if isinstance(axis, int) else list(axis)
    for a in axes:
        if not -ndim <= a < ndim:
            raise ValueError(f"[{op}] expected axis in [-{ndim}, {ndim}), got {a}")
    return [a % ndim for a in axes]


@_public()
def vector_norm(x, p=2.0, axis=None, keepdim=False, name=None, *, dtype=None, out=None):
    """The p-norm along `axis` (one or several axes; all by default); p may be inf, -inf or 0."""
    if dtype is not None:
        x = x.astype(dtype)
    axes = None if axis is None else sorted(_axes(axis, x.ndim))
    if axes is None or len(axes) == 1:  # the op's gradient is 0, not NaN, at the zero vector
        result = _C_ops.p_norm(x, float(p), -1 if axes is None else axes[0], 1e-12, keepdim, axes is None)
        if axes is None and keepdim:
            result = result.reshape([1] * x.ndim)
        return result if out is None else paddle.assign(result, output=out)
    size = x.abs()
    if p == 0:
        result = (size != 0).astype(size.dtype).sum(axes, keepdim=keepdim)
    elif p == float('inf'):
        result = size.max(axes, keepdim=keepdim)
    elif p == float('-inf'):
        result = size.min(axes, keepdim=keepdim)
    elif p == 1:
        result = size.sum(axes, keepdim=keepdim)
    elif p == 2:
        result = (size * size).sum(axes, keepdim=keepdim).sqrt()
    else:
        result = size.pow(p).sum(axes, keepdim=keepdim).pow(1.0 / p)
    return result if out is None else paddle.assign(result, output=out)


@_public()
def matrix_norm(x, p='fro', axis=[-2, -1], keepdim=False, name=None):
    """A norm of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    axis = _axes(axis, x.ndim, 'matrix_norm')
    if len(axis) != 2 or axis[0] == axis[1]:
        raise ValueError(f"[matrix_norm] expected two different axes, got {axis}")
    row, column = axis
    if p == 'fro':
        size = x.abs()
        return (size * size).sum(axis, keepdim=keepdim).sqrt()
    if p in (1, -1, float('inf'), float('-inf')):
        first, second = (row, column) if abs(p) == 1 else (column, row)
        sums = x.abs().sum(first, keepdim=True)
        result = sums.max(second, keepdim=True) if p > 0 else sums.min(second, keepdim=True)
    elif p in ('nuc', 2, -2):
        rest = [a for a in range(x.ndim) if a not in axis]
        s = _singular(x.transpose(rest + axis), 'matrix_norm')
        result = s.sum(-1) if p == 'nuc' else (s.max(-1) if p > 0 else s.min(-1))
        if keepdim:
            for a in sorted(axis):
                result = result.unsqueeze(a)
        return result
    else:
        raise ValueError(f"just support p type 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, but got {p}")
    return result if keepdim else result.squeeze(sorted(axis))


@_public()
def norm(x, p=None, axis=None, keepdim=False, out=None, dtype=None, name=None):
    """A vector norm (one axis, or all) or a matrix norm (two axes); 2 and 'fro' by default."""
    if dtype is not None:
        x = x.astype(dtype)
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, (tuple, list)) and len(axis) == 2 and (p is None or p == 'fro' or p == 'nuc' or abs(p) in (1, 2)
                                                               or abs(p) == float('inf')):
        result = matrix_norm(x, 'fro' if p is None else p, list(axis), keepdim)
    elif p == 'nuc':
        result = matrix_norm(x, 'nuc', [-2, -1], keepdim)
    else:
        result = vector_norm(x, 2.0 if p in (None, 'fro') else p, axis, keepdim)
    return result if out is None else paddle.assign(result, output=out)


@_public('inverse')
def cond(x, p=None, name=None):
    """The condition number of matrices for a norm p, 2 by default."""
    if p in (None, 2, -2):
        s = _singular(x, 'cond')
        high, low = s.max(-1), s.min(-1)
        return low / high if p == -2 else high / low
    _square(x, 'cond')
    return matrix_norm(x, p) * matrix_norm(_C_ops.inverse(x), p)


@_public('svd eigh')
def pinv(x, rcond=1e-15, hermitian=False, name=None):
    """The pseudo-inverse; singular values below rcond times the largest count as zero."""
    if hermitian:
        w, v = _C_ops.eigh(x, 'L')
        size = w.abs()
        keep = size > size.max(-1, keepdim=True) * rcond
        inverse = paddle.where(keep, 1.0 / paddle.where(keep, w, paddle.ones_like(w)), paddle.zeros_like(w))
        return paddle.matmul(v * inverse.unsqueeze(-2).astype(v.dtype), _h(v))
    u, s, vh = _C_ops.svd(x, False)
    keep = s > s.max(-1, keepdim=True) * rcond
    inverse = paddle.where(keep, 1.0 / paddle.where(keep, s, paddle.ones_like(s)), paddle.zeros_like(s))
    return paddle.matmul(_h(vh) * inverse.unsqueeze(-2).astype(u.dtype), _h(u))


@_public('svd eigh')
def matrix_rank(x, tol=None, hermitian=False, atol=None, rtol=None, name=None):
    """How many singular values exceed the tolerance."""
    s = _C_ops.eigh(x, 'L')[0].abs() if hermitian else _C_ops.svd(x, False)[1]
    top = s.max(-1, keepdim=True)
    eps = 2.220446049250313e-16 if 'float64' in str(s.dtype) else 1.1920928955078125e-07
    if tol is not None:
        limit = tol.unsqueeze(-1) if isinstance(tol, paddle.Tensor) and tol.ndim else tol
    elif atol is not None or rtol is not None:
        relative = (eps * max(x.shape[-2:]) if atol is None else 0.0) if rtol is None else rtol
        limit = paddle.maximum(top * relative, paddle.zeros_like(top) + (0.0 if atol is None else atol))
    else:
        limit = top * (eps * max(x.shape[-2:]))
    return (s > limit).astype('int64').sum(-1)


@_public('solve')
def matrix_exp(x, name=None):
    """The exponential of square matrices, by scaling, a Pade approximant and squaring."""
    _square(x, 'matrix_exp')
    largest = float(matrix_norm(x, 1).max())
    squarings = 0
    while largest > 2.0 ** squarings * 2.0:
        squarings += 1
    a = x / (2.0 ** squarings)
    coefficients = [17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0,
                    90.0, 1.0]
    unit = _like(x.shape[-1], x)
    a2 = paddle.matmul(a, a)
    power, odd, even = unit, coefficients[1] * unit, coefficients[0] * unit
    for k in range(2, 10, 2):
        power = paddle.matmul(power, a2)
        even = even + coefficients[k] * power
        odd = odd + coefficients[k + 1] * power
    odd = paddle.matmul(a, odd)
    result = _C_ops.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = paddle.matmul(result, result)
    return result


@_public()
def cov(x, rowvar=True, ddof=True, fweights=None, aweights=None, name=None):
    """Covariance of the rows (or columns); `fweights` counts and `aweights` weighs the observations."""
    if x.ndim > 2 or x.ndim < 1:
        raise ValueError(f"Input(x) only support N-D (1<=N<=2) tensor in cov, but received {x.ndim}")
    x = x.unsqueeze(0) if x.ndim == 1 else (x if rowvar else x.transpose([1, 0]))
    weights, count = None, float(x.shape[1])
    if fweights is not None:
        weights = fweights.astype(x.dtype)
        count = weights.sum()
    if aweights is not None:
        w = aweights.astype(x.dtype)
        weights = w if weights is None else weights * w
    if weights is None:
        mean, factor = x.mean(1, keepdim=True), count - (1.0 if ddof else 0.0)
    else:
        total = weights.sum()
        mean = (x * weights).sum(1, keepdim=True) / total
        factor = total if not ddof else (total - (weights * aweights.astype(x.dtype)).sum() / total
                                         if aweights is not None else total - 1.0)
    centred = x - mean
    scaled = centred if weights is None else centred * weights
    result = paddle.matmul(scaled, centred.transpose([1, 0])) / factor
    return result.squeeze()


@_public()
def corrcoef(x, rowvar=True, name=None):
    """Correlation coefficients of the rows (or columns)."""
    c = cov(x, rowvar)
    if c.ndim == 0:
        return c / c
    d = c.diagonal().sqrt()
    return (c / d.unsqueeze(0) / d.unsqueeze(1)).clip(-1.0, 1.0)


@_public()
def householder_product(x, tau, name=None):
    """The first columns of the product of the Householder reflectors in the columns of x, scaled by tau."""
    m, n = x.shape[-2], x.shape[-1]
    q = paddle.eye(m, n, dtype=x.dtype)
    q = q.expand(list(x.shape[:-2]) + [m, n]) if x.ndim > 2 else q
    for i in reversed(range(tau.shape[-1])):
        parts = [paddle.zeros(list(x.shape[:-2]) + [i], x.dtype), paddle.ones(list(x.shape[:-2]) + [1], x.dtype),
                 x[..., i + 1:, i]]
        v = paddle.concat(parts, axis=-1).unsqueeze(-1)
        q = q - tau[..., i].unsqueeze(-1).unsqueeze(-1) * paddle.matmul(v, paddle.matmul(_h(v), q))
    return q


@_public()
def ormqr(x, tau, y, left=True, transpose=False, name=None):
    """The product of Q, from the Householder reflectors (x, tau), with y."""
    m = y.shape[-2] if left else y.shape[-1]
    wide = x
    if x.shape[-1] < m:
        wide = paddle.concat([x, paddle.zeros(list(x.shape[:-1]) + [m - x.shape[-1]], x.dtype)], axis=-1)
    q = householder_product(wide, tau)
    q = _h(q) if transpose else q
    return paddle.matmul(q, y) if left else paddle.matmul(y, q)


@_public('svd qr')
def svd_lowrank(x, q=None, niter=2, M=None, name=None):
    """Approximate (U, S, V) of rank q of x (or x - M) from random projections."""
    if x.ndim < 2:
        raise ValueError("The input must be matrices")
    m, n = x.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not (isinstance(q, int) and 0 <= q <= min(m, n)):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    a = x if M is None else x - M
    basis = _C_ops.qr(paddle.matmul(a, paddle.randn(list(x.shape[:-2]) + [n, q], dtype=x.dtype)), 'reduced')[0]
    for _ in range(niter):
        basis = _C_ops.qr(paddle.matmul(_h(a), basis), 'reduced')[0]
        basis = _C_ops.qr(paddle.matmul(a, basis), 'reduced')[0]
    u, s, vh = _C_ops.svd(paddle.matmul(_h(basis), a), False)
    return paddle.matmul(basis, u), s, _h(vh)


@_public('svd qr')
def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """Approximate principal components of the rows of x: `svd_lowrank` after centring."""
    return svd_lowrank(x - x.mean(-2, keepdim=True) if center else x, q, niter)


for _name in [n for n in globals() if getattr(globals()[n], '__module__', None) == __name__]:
    if not _name.startswith('_') and _name not in __all__:
        del globals()[_name]
