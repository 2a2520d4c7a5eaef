# SPDX-License-Identifier: Apache-2.0
"""Linear algebra. What is one op is generated from its stanza; the rest is written here with
those.
"""

import paddle
from paddle import _C_ops
from paddle.base.arguments import items, iterations, second_names
from paddle.base.arguments import write_out as _out
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import _functions, expect_tensors
from paddle.tensor.manipulation import extents as _extents
from paddle.tensor.manipulation import matrix_transpose
from paddle.tensor.math import vecdot
from paddle.tensor.statistics import corrcoef, cov

matmul, cross, diagonal = (_functions('paddle')[name] for name in ('matmul', 'cross', 'diagonal'))
globals().update(_functions('paddle.linalg'))

__all__ = [
    'cholesky',
    'cholesky_inverse',
    'cholesky_solve',
    'cond',
    'corrcoef',
    'cov',
    'cross',
    'det',
    'diagonal',
    'eig',
    'eigh',
    'eigvals',
    'eigvalsh',
    'fp8_fp8_half_gemm_fused',
    'householder_product',
    'inv',
    'lstsq',
    'lu',
    'lu_solve',
    'lu_unpack',
    'matmul',
    'matrix_exp',
    'matrix_norm',
    'matrix_power',
    'matrix_rank',
    'matrix_transpose',
    'multi_dot',
    'norm',
    'ormqr',
    'pca_lowrank',
    'pinv',
    'qr',
    'slogdet',
    'solve',
    'svd',
    'svd_lowrank',
    'svdvals',
    'triangular_solve',
    'vecdot',
    'vector_norm',
]

_INF = float('inf')


def _h(x):
    """The adjoint."""
    x = matrix_transpose(x)
    return x.conj() if paddle.is_complex(x) else x


def _square(x, name):
    expect_tensors(name, x=x)
    if x.ndim < 2 or not _may_equal(x.shape[-1], x.shape[-2]):
        raise ValueError(f'[{name}] expected square matrices, got shape {list(x.shape)}')


def _may_equal(a, b):
    """Whether the extents are equal, or one (-1, of a program) is known only when it runs."""
    return a == b or min(a, b) < 0


def _at_most(a, b):
    """Whether a <= b, or one of the extents (-1, of a program) is known only when it runs."""
    return a <= b or b < 0


def _unit(x):
    """The unit matrix of as many rows as `x` has columns, of its dtype."""
    return paddle.eye(_extents(x)[-1], dtype=x.dtype)


def cholesky_inverse(x, upper=False, name=None):
    """The inverse of A, given its Cholesky factor.

    Args:
        x (Tensor): The factor, [n, n].
        upper (bool, default False): Whether it is U of A = U^H U, else L of A = L L^H.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The inverse of A, [n, n].

    Raises:
        ValueError: x is no square matrix.

    Examples:
        >>> x = paddle.to_tensor([[4.0, 2.0], [2.0, 3.0]])
        >>> paddle.linalg.cholesky_inverse(paddle.linalg.cholesky(x)).tolist()
        [[0.375, -0.25], [-0.25, 0.5]]
    """
    expect_tensors('cholesky_inverse', x=x)
    if x.ndim != 2:
        raise ValueError(f"[cholesky_inverse] expected a matrix, got shape {list(x.shape)}")
    _square(x, 'cholesky_inverse')
    return _C_ops.cholesky_solve(_unit(x), x, upper)


@second_names(A='x', B='y')
def solve(x, y, left=True, name=None, *, out=None):
    """The solution z of x z = y, or of z x = y.

    Args:
        x (Tensor): Square matrices, in the last two axes. Also `A`.
        y (Tensor): The right sides, [..., n, k] or [..., n]. Also `B`.
        left (bool, default True): Whether x stands on the left of z.
        name (str, default None): Taken for compatibility; it has no effect.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The solutions, with the shape of y.

    Raises:
        ValueError: A matrix is singular, or shapes do not fit.

    Examples:
        >>> x = paddle.to_tensor([[4.0, 2.0], [2.0, 3.0]])
        >>> paddle.linalg.solve(x, paddle.to_tensor([[8.0], [7.0]])).tolist()
        [[1.25], [1.5]]
    """
    if left:
        return _out(_C_ops.solve(x, y), out)
    if y.ndim < 2 or x.ndim < 2 or x.shape[-1] != y.shape[-1]:
        raise ValueError(
            '[solve] expected matrices with as many columns on both sides for left=False, got '
            'shapes '
            f'{list(x.shape)} and {list(y.shape)}'
        )
    if y.ndim < x.ndim:  # matrices, though they may look like a batch of vectors
        y = y.unsqueeze(list(range(x.ndim - y.ndim)))
    return _out(matrix_transpose(_C_ops.solve(matrix_transpose(x), matrix_transpose(y))), out)


def qr(x, mode='reduced', name=None):
    """The factors of x = Q R, with orthonormal columns of Q and triangular R.

    Args:
        x (Tensor): Matrices [..., m, n].
        mode (str, default 'reduced'): `reduced` for min(m, n) columns of Q, `complete` for m, `r`
            for R alone.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or tuple of Tensors: Q and R, or R.

    Raises:
        ValueError: mode is another.

    Examples:
        >>> x = paddle.to_tensor([[4.0, 2.0], [2.0, 3.0]])
        >>> q, r = paddle.linalg.qr(x)
        >>> bool(paddle.allclose(q @ r, x, atol=1e-6))
        True
    """
    q, r = _C_ops.qr(x, mode)
    return r if mode == 'r' else (q, r)


def eigvalsh(x, UPLO='L', name=None):
    """Eigenvalues, rising, of Hermitian matrices given by one triangle.

    Args:
        x (Tensor): Hermitian matrices, in the last two axes.
        UPLO (str, default 'L'): The triangle that is read, `L` or `U`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [..., n], real.

    Examples:
        >>> paddle.linalg.eigvalsh(paddle.to_tensor([[2.0, 1.0], [1.0, 2.0]])).tolist()
        [1.0, 3.0]
    """
    expect_tensors('eigvalsh', x=x)
    return _C_ops.eigvalsh(x, UPLO, x.stop_gradient)[0]


def lu(x, pivot=True, get_infos=False, name=None):
    """Packed LU factors and pivots (int32, from 1), and with `get_infos` the status of each
    matrix.

    Args:
        x (Tensor): Matrices [..., m, n].
        pivot (bool, default True): Whether rows are exchanged; it must be true.
        get_infos (bool, default False): Whether the status of each matrix is returned: 0 for
            success.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: L below the diagonal and U on and above it, the pivots, and the status
            as asked.

    Examples:
        >>> x = paddle.to_tensor([[4.0, 2.0], [2.0, 3.0]])
        >>> packed, pivots = paddle.linalg.lu(x)
        >>> packed.tolist(), pivots.tolist()
        ([[4.0, 2.0], [0.5, 2.0]], [1, 2])
    """
    packed, pivots, infos = _C_ops.lu(x, pivot)
    return (packed, pivots, infos) if get_infos else (packed, pivots)


def lstsq(x, y, rcond=None, driver=None, name=None):
    """The least-squares solution of x z = y.

    Args:
        x (Tensor): The matrix, of shape [..., m, n].
        y (Tensor): The right sides, of shape [..., m, k].
        rcond (float, default None): Below which part of the largest singular value others count as
            zero; None for the precision of the dtype.
        driver (str, default None): `gels`, `gelsy` (for None), `gelsd` or `gelss`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: solution, residuals, rank and singular values; what driver does not
            compute has shape [0].

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
        >>> y = paddle.to_tensor([[1.0], [3.0], [5.0]])
        >>> z = paddle.linalg.lstsq(x, y)[0]
        >>> bool(paddle.allclose(z, paddle.to_tensor([[1.0], [2.0]]), atol=1e-4))
        True
    """
    if driver not in (None, 'gels', 'gelss', 'gelsd', 'gelsy'):
        raise ValueError(
            f"[lstsq] expected driver 'gels', 'gelss', 'gelsd', 'gelsy' or None, got {driver!r}"
        )
    if rcond is None:
        expect_tensors('lstsq', x=x)
        rcond = (1e-7 if x.dtype in (paddle.float32, paddle.complex64) else 1e-15) * max(
            x.shape[-2], x.shape[-1]
        )
    return _C_ops.lstsq(x, y, rcond, driver or 'gelsy')


def _axes(axis, ndim, op='p_norm'):
    """The axes as non-negative numbers, in the order given."""
    axes = [axis] if isinstance(axis, int) else items(op, 'axis', axis)
    for a in axes:
        if not -ndim <= a < ndim:
            raise ValueError(f'[{op}] expected axis in [-{ndim}, {ndim}), got {a}')
    return [a % ndim for a in axes]


@second_names(dim='axis', ord='p')
def vector_norm(x, p=2.0, axis=None, keepdim=False, name=None, *, dtype=None, out=None):
    """The p-norm along `axis` (one or several axes; all by default); p may be inf, -inf or 0.

    Args:
        x (Tensor): The values.
        p (float, default 2.0): The exponent; it may be inf, -inf or 0. Also `ord`.
        axis (int or list of ints, default None): The axes; None for all. Also `dim`.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.
        dtype (str or dtype, default None): What x is cast to first; None for its own.
        out (Tensor, default None): Takes the result, where given, and is returned.

    Returns:
        Tensor: The norms, without the axes unless keepdim.

    Examples:
        >>> paddle.linalg.vector_norm(paddle.to_tensor([3.0, 4.0])).item()
        5.0
        >>> paddle.linalg.vector_norm(paddle.to_tensor([3.0, 4.0]), p=float('inf')).item()
        4.0
    """
    if isinstance(p, str) or not hasattr(p, '__float__'):
        raise ValueError(
            f"[norm] expected p to be a number, of matrices also 'fro' or 'nuc', got {p!r}"
        )
    if dtype is not None:
        x = x.astype(dtype)
    if paddle.is_complex(x):
        x = x.abs()
    axes = None if axis is None else sorted(_axes(axis, x.ndim))
    if axes is not None and len(axes) > 1:
        rest = [a for a in range(x.ndim) if a not in axes]
        flat = x.transpose(rest + axes).flatten(len(rest))
        result = _C_ops.p_norm(flat, float(p), -1, 1e-12, False, False)
        return _out(result.unsqueeze(axes) if keepdim else result, out)
    result = _C_ops.p_norm(
        x, float(p), -1 if axes is None else axes[0], 1e-12, keepdim, axes is None
    )
    if axes is None and keepdim:
        result = result.reshape([1] * x.ndim)
    return _out(result, out)


@second_names()
def matrix_norm(x, p='fro', axis=[-2, -1], keepdim=False, name=None):
    """A norm of matrices.

    Args:
        x (Tensor): The values.
        p (str or number, default 'fro'): `fro`, `nuc`, 1, -1, 2, -2, inf or -inf.
        axis (list of ints, default [-2, -1]): The axes of rows and columns.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The norms, without the two axes unless keepdim.

    Raises:
        ValueError: p is another.

    Examples:
        >>> paddle.linalg.matrix_norm(paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]])).item()
        5.0
    """
    expect_tensors('matrix_norm', x=x)
    axis = _axes(axis, x.ndim, 'matrix_norm')
    if len(axis) != 2 or axis[0] == axis[1]:
        raise ValueError(f'[matrix_norm] expected two different axes, got {axis}')
    row, column = axis
    if p == 'fro':
        return _C_ops.frobenius_norm(x.abs() if paddle.is_complex(x) else x, axis, keepdim, False)
    if p in (1, -1, _INF, -_INF):
        first, second = (row, column) if abs(p) == 1 else (column, row)
        sums = x.abs().sum(first, keepdim=True)
        result = sums.max(second, keepdim=True) if p > 0 else sums.min(second, keepdim=True)
        return result if keepdim else result.squeeze(sorted(axis))
    if p not in ('nuc', 2, -2):
        raise ValueError(
            f"[matrix_norm] expected p 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, got {p!r}"
        )
    s = _C_ops.svdvals(x.transpose([a for a in range(x.ndim) if a not in axis] + axis))
    result = s.sum(-1) if p == 'nuc' else s.max(-1) if p > 0 else s.min(-1)
    return result.unsqueeze(sorted(axis)) if keepdim else result


@second_names(input='x', A='x', dim='axis', ord='p')
def norm(x, p=None, axis=None, keepdim=False, out=None, dtype=None, name=None):
    """A vector norm (one axis, or all) or a matrix norm (two axes); p is 2 by default, of
    matrices 'fro' with `axis=None`.

    Args:
        x (Tensor): The values. Also `input`.
        p (str or number, default None): The norm: a number, and of matrices `fro` and `nuc`;
            None for 2. Also `ord`.
        axis (int or list of ints, default None): One axis for vectors, two for matrices; None
            for all elements. Also `dim`.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        out (Tensor, default None): Takes the result, where given, and is returned.
        dtype (str or dtype, default None): What x is cast to first; None for its own.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The norms, without the axes unless keepdim.

    Examples:
        >>> paddle.linalg.norm(paddle.to_tensor([3.0, 4.0])).item()
        5.0
        >>> x = paddle.to_tensor([[3.0, 0.0], [0.0, 4.0]])
        >>> paddle.linalg.norm(x, p='nuc', axis=[0, 1]).item()
        7.0
    """
    if dtype is not None:
        x = x.astype(dtype)
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        axis = axis[0]
    if isinstance(axis, (tuple, list)) and len(axis) == 2:
        result = matrix_norm(x, 2.0 if p is None else p, list(axis), keepdim)
    elif p == 'nuc':
        if axis is not None:
            raise TypeError(f"[norm] expected two axes for p='nuc', got {axis}")
        if x.ndim != 2:
            raise ValueError(
                f"[norm] expected a matrix or two axes for p='nuc', got shape {list(x.shape)}"
            )
        result = matrix_norm(x, 'nuc', [-2, -1], keepdim)
    else:
        result = vector_norm(x, 2.0 if p in (None, 'fro') else p, axis, keepdim)
    return _out(result, out)


def cond(x, p=None, name=None):
    """The condition number of matrices for a norm p, 2 by default. ValueError for another
    norm.

    Args:
        x (Tensor): Matrices, in the last two axes; square ones but for 2 and -2.
        p (str or number, default None): The norm: `fro`, `nuc`, 1, -1, 2, -2, inf or -inf; None
            for 2.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: One number for each matrix.

    Examples:
        >>> paddle.linalg.cond(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0]])).item()
        2.0
    """
    expect_tensors('cond', x=x)
    if p not in (None, 'fro', 'nuc', 1, -1, 2, -2, _INF, -_INF):
        raise ValueError(
            f"[cond] expected p None, 'fro', 'nuc', inf, -inf, 1, -1, 2 or -2, got {p!r}"
        )
    if p not in (None, 2, -2) and not _may_equal(x.shape[-1], x.shape[-2]):
        raise ValueError(f"[cond] expected square matrices for p={p!r}, got shape {list(x.shape)}")
    if 0 in x.shape[-2:]:
        return paddle.zeros(x.shape[:-2], dtype=_real_of(x))
    if p in (None, 2, -2):
        s = _C_ops.svdvals(x)
        high, low = s.max(-1), s.min(-1)
        return low / high if p == -2 else high / low
    return matrix_norm(x, p) * matrix_norm(_C_ops.inverse(x), p)


def _reciprocal(s, rcond):
    """1 / s where |s| exceeds rcond times the largest, else 0."""
    size = s.abs()
    keep = size > size.max(-1, keepdim=True) * rcond
    return paddle.where(
        keep, 1.0 / paddle.where(keep, s, paddle.ones_like(s)), paddle.zeros_like(s)
    )


def pinv(x, rcond=1e-15, hermitian=False, name=None):
    """The pseudo-inverse; singular values (or eigenvalues) below rcond times the largest count
    as zero.

    Args:
        x (Tensor): Matrices [..., m, n].
        rcond (float or Tensor, default 1e-15): Which share of the largest counts as zero.
        hermitian (bool, default False): Whether x is Hermitian; eigenvalues are used then.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [..., n, m].

    Examples:
        >>> paddle.linalg.pinv(paddle.to_tensor([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])).tolist()
        [[0.5, 0.0, 0.0], [0.0, 0.25, 0.0]]
    """
    expect_tensors('pinv', x=x)
    if 0 in x.shape[-2:]:
        return paddle.zeros([*x.shape[:-2], x.shape[-1], x.shape[-2]], dtype=x.dtype)
    if hermitian:
        w, v = _C_ops.eigh(x, 'L')
        return paddle.matmul(v * _reciprocal(w, rcond).unsqueeze(-2).astype(v.dtype), _h(v))
    u, s, vh = _C_ops.svd(x, False)
    return paddle.matmul(_h(vh) * _reciprocal(s, rcond).unsqueeze(-2).astype(u.dtype), _h(u))


def matrix_rank(x, tol=None, hermitian=False, atol=None, rtol=None, name=None):
    """How many singular values exceed a tolerance (int64).

    `tol`, a number or a tensor for each matrix, is the tolerance itself; else it is the larger of
    `atol` and `rtol` times the largest singular value. `rtol` is the machine epsilon times the
    larger extent by default, 0 with `atol`.

    Args:
        x (Tensor): Matrices [..., m, n].
        tol (float or Tensor, default None): The tolerance; None for one from atol and rtol.
        hermitian (bool, default False): Whether x is Hermitian; eigenvalues are used then.
        atol (float or Tensor, default None): The absolute tolerance.
        rtol (float or Tensor, default None): The tolerance relative to the largest singular
            value.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: int64, one number for each matrix.

    Examples:
        >>> paddle.linalg.matrix_rank(paddle.to_tensor([[1.0, 2.0], [2.0, 4.0]])).item()
        1
    """
    if tol is not None and (atol is not None or rtol is not None):
        raise ValueError('[matrix_rank] expected either tol or atol and rtol, got both')
    if atol is None and rtol is None:
        if isinstance(tol, paddle.Tensor):
            return _C_ops.matrix_rank_tol(x, tol.astype(_real_of(x)), False, hermitian)
        return _C_ops.matrix_rank(x, 0.0 if tol is None else float(tol), tol is None, hermitian)
    atol = 0.0 if atol is None else atol
    atol, rtol = (
        t.astype(_real_of(x))
        if isinstance(t, paddle.Tensor)
        else t
        if t is None
        else paddle.full([], t, _real_of(x))
        for t in (atol, rtol)
    )
    return _C_ops.matrix_rank_atol_rtol(x, atol, rtol, hermitian)


def _real_of(x):
    return {paddle.complex64: paddle.float32, paddle.complex128: paddle.float64}.get(
        x.dtype, x.dtype
    )


# Numerator coefficients of the Pade approximant of degree 9 of the exponential, good for a 1-norm
# up to 2.
_PADE = (
    17643225600.0,
    8821612800.0,
    2075673600.0,
    302702400.0,
    30270240.0,
    2162160.0,
    110880.0,
    3960.0,
    90.0,
    1.0,
)


def matrix_exp(x, name=None):
    """The exponential of square matrices, by scaling, a Pade approximant and squaring.

    Args:
        x (Tensor): Square matrices, in the last two axes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The exponentials, with the shape of x.

    Examples:
        >>> paddle.linalg.matrix_exp(paddle.to_tensor([[0.0, 1.0], [0.0, 0.0]])).tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """
    _square(x, 'matrix_exp')
    if 0 in x.shape:
        return x.clone()
    largest, squarings = matrix_norm(x.detach(), 1).max(), 0
    if is_recorded(largest):
        squarings = paddle.ceil(paddle.log2(largest) - 1.0).clip(0.0, 1000.0)
        a = x * (0.5**squarings).astype(x.dtype)
    else:
        largest = float(largest)
        while squarings < 1000 and largest > 2.0 ** (squarings + 1):
            squarings += 1
        a = x * 0.5**squarings
    unit = _unit(x)
    a2 = paddle.matmul(a, a)
    power, odd, even = unit, _PADE[1] * unit, _PADE[0] * unit
    for k in range(2, 10, 2):
        power = a2 if k == 2 else paddle.matmul(power, a2)
        even = even + _PADE[k] * power
        odd = odd + _PADE[k + 1] * power
    odd = paddle.matmul(a, odd)
    result = _C_ops.solve(even - odd, even + odd)
    if is_recorded(largest):
        return paddle.static.nn.while_loop(
            lambda k, _: k < squarings,
            lambda k, found: (k + 1.0, paddle.matmul(found, found)),
            [paddle.zeros_like(squarings), result],
        )[1]
    for _ in range(squarings):
        result = paddle.matmul(result, result)
    return result


def _reflectors(x, tau, name):
    """(V, T) with I - V T V^H the product of the Householder reflectors in the columns of x."""
    expect_tensors(name, x=x, tau=tau)
    if (
        x.ndim < 2
        or tau.ndim != x.ndim - 1
        or not _at_most(tau.shape[-1], x.shape[-1])
        or not _at_most(tau.shape[-1], x.shape[-2])
    ):
        raise AssertionError(
            f'[{name}] expected reflectors [.., m, n] and factors [.., k] with k at most m '
            f'and n, got shapes {list(x.shape)} and {list(tau.shape)}'
        )
    *batch, m, _ = _extents(x)
    k = _extents(tau)[-1]
    v = paddle.tril(x[..., :k], -1) + paddle.eye(m, k, dtype=x.dtype)
    scale = tau.unsqueeze(-2)
    # 1 / T is the strict upper triangle of V^H V plus diag(1 / tau); this form takes tau = 0 too.
    inner = paddle.triu(paddle.matmul(_h(v), v), 1) * scale
    unit = paddle.eye(k, dtype=x.dtype).expand([*batch, k, k])
    return v, scale.transpose(
        [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]
    ) * _C_ops.triangular_solve(inner, unit, True, False, True)


def householder_product(x, tau, name=None):
    """The first columns of the product of the Householder reflectors in the columns of x, scaled by
    tau.

    Args:
        x (Tensor): The reflectors, below the diagonal, of shape [..., m, n].
        tau (Tensor): Their factors, of shape [..., k].
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [..., m, n].

    Examples:
        >>> x, tau = paddle.to_tensor([[1.0], [1.0]]), paddle.to_tensor([1.0])
        >>> paddle.linalg.householder_product(x, tau).tolist()
        [[0.0], [-1.0]]
    """
    expect_tensors('householder_product', x=x)
    if x.ndim >= 2 and not _at_most(x.shape[-1], x.shape[-2]):
        raise AssertionError(
            "[householder_product] expected at least as many rows as columns, got shape "
            f"{list(x.shape)}"
        )
    v, t = _reflectors(x, tau, 'householder_product')
    m, n = _extents(x)[-2:]
    return paddle.eye(m, n, dtype=x.dtype) - paddle.matmul(v, paddle.matmul(t, _h(v)[..., :n]))


def ormqr(x, tau, y, left=True, transpose=False, name=None):
    """The product of Q (or its adjoint), given by the Householder reflectors (x, tau), with y.

    Args:
        x (Tensor): The reflectors, below the diagonal, of shape [..., m, k].
        tau (Tensor): Their factors, of shape [..., k].
        y (Tensor): What is multiplied.
        left (bool, default True): Whether Q stands left of y.
        transpose (bool, default False): Whether the adjoint of Q is taken.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of y.

    Examples:
        >>> x, tau = paddle.to_tensor([[1.0], [1.0]]), paddle.to_tensor([1.0])
        >>> paddle.linalg.ormqr(x, tau, paddle.to_tensor([[1.0], [2.0]])).tolist()
        [[-2.0], [-1.0]]
    """
    v, t = _reflectors(x, tau, 'ormqr')
    t = _h(t) if transpose else t
    if left:
        return y - paddle.matmul(v, paddle.matmul(t, paddle.matmul(_h(v), y)))
    return y - paddle.matmul(paddle.matmul(paddle.matmul(y, v), t), _h(v))


def svd_lowrank(x, q=None, niter=2, M=None, name=None):
    """Approximate (U, S, V) of rank q, from random projections.

    Args:
        x (Tensor): A matrix, of shape [..., m, n].
        q (int, default None): The rank; None for 6, or less where x is smaller.
        niter (int, default 2): How many iterations sharpen the projection.
        M (Tensor, default None): What is taken from x first.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: U, S and V, x being about U diag(S) V^H.

    Source: Halko, Martinsson and Tropp, Finding structure with randomness, 2009

    Examples:
        >>> x = paddle.to_tensor([[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
        >>> u, s, v = paddle.linalg.svd_lowrank(x, q=2)
        >>> s.tolist()
        [2.0, 1.0]
    """
    expect_tensors('svd_lowrank', x=x)
    if x.ndim < 2:
        raise ValueError(
            f"[svd_lowrank] expected a matrix or a batch of them, got shape {list(x.shape)}"
        )
    if q is None and min(x.shape[-2:]) < 0:
        raise ValueError(
            f"[svd_lowrank] expected q for a matrix of unknown extents, shape {list(x.shape)}, "
            "got None"
        )
    smaller = min((extent for extent in x.shape[-2:] if extent >= 0), default=None)
    q = min(6, smaller) if q is None else q
    if not (isinstance(q, int) and 0 <= q and (smaller is None or q <= smaller)):
        raise ValueError(
            f"[svd_lowrank] expected q from 0 to {smaller}, the smaller extent, got {q!r}"
        )
    *batch, _, n = _extents(x)
    niter = iterations('svd_lowrank', 'niter', niter)
    a = x if M is None else x - M
    basis = _C_ops.qr(paddle.matmul(a, paddle.randn([*batch, n, q], dtype=x.dtype)), 'reduced')[0]
    for _ in range(niter):
        basis = _C_ops.qr(paddle.matmul(_h(a), basis), 'reduced')[0]
        basis = _C_ops.qr(paddle.matmul(a, basis), 'reduced')[0]
    u, s, vh = _C_ops.svd(paddle.matmul(_h(basis), a), False)
    return paddle.matmul(basis, u), s, _h(vh)


def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """Approximate principal components of the rows of x: `svd_lowrank` after centring.

    Args:
        x (Tensor): A matrix, of shape [..., m, n].
        q (int, default None): How many components; None for 6, or less where x is smaller.
        center (bool, default True): Whether the mean of the rows is taken away.
        niter (int, default 2): How many iterations sharpen the projection.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: U, S and V.

    Source: Halko, Martinsson and Tropp, Finding structure with randomness, 2009

    Examples:
        >>> x = paddle.to_tensor([[2.0, 5.0], [-2.0, 5.0]])
        >>> u, s, v = paddle.linalg.pca_lowrank(x, q=1)
        >>> s.tolist()
        [2.8284]
    """
    expect_tensors('pca_lowrank', x=x)
    return svd_lowrank(x - x.mean(-2, keepdim=True) if center else x, q, niter)


def fp8_fp8_half_gemm_fused(
    x,
    y,
    transpose_x=False,
    transpose_y=False,
    bias=None,
    scale=1.0,
    output_dtype='float16',
    act='identity',
    name=None,
):
    """act(scale * x @ y + bias) of float8 matrices, in float32, as a half type.

    Args:
        x (Tensor): Of shape [..., m, k], float8_e4m3fn.
        y (Tensor): Of shape [..., k, n], float8_e4m3fn.
        transpose_x (bool, default False): Whether the last two axes of x are swapped.
        transpose_y (bool, default False): Whether those of y are.
        bias (Tensor, default None): What is added, of shape [n]; None for nothing.
        scale (float, default 1.0): A factor of the product.
        output_dtype (str, default 'float16'): `float16` or `bfloat16`.
        act (str, default 'identity'): `identity`, `relu` or `gelu`, which is by tanh.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [..., m, n] and dtype output_dtype.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 2.0]]).astype("float8_e4m3fn")
        >>> y = paddle.to_tensor([[3.0], [4.0]]).astype("float8_e4m3fn")
        >>> out = paddle.linalg.fp8_fp8_half_gemm_fused(x, y, scale=0.5)
        >>> out.astype("float32").tolist(), out.dtype
        ([[5.5]], paddle.float16)
    """
    expect_tensors('fp8_fp8_half_gemm_fused', x=x, y=y)
    return _C_ops.fp8_fp8_half_gemm_fused(
        x, y, bias, transpose_x, transpose_y, scale, output_dtype, act
    )
