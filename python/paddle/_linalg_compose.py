# SPDX-License-Identifier: Apache-2.0
"""Matrix factorizations on the host through numpy's LAPACK, with their gradients, for cores without these operators.

Signatures are those of the operators. Backward passes are written in tensor functions.
"""
import numpy as np

import paddle
from paddle.autograd import PyLayer

__all__ = ['cholesky', 'cholesky_solve', 'det', 'slogdet', 'inverse', 'solve', 'triangular_solve', 'qr', 'svd', 'eig',
           'eigvals', 'eigh', 'lu', 'lu_unpack', 'lstsq']


def _t(x):
    return x.transpose(list(range(x.ndim - 2)) + [x.ndim - 1, x.ndim - 2])


def _h(x):
    x = _t(x)
    return paddle.conj(x) if 'complex' in str(x.dtype) else x


def _host(function, *tensors):
    """Run numpy on the values; LinAlgError becomes ValueError."""
    try:
        out = function(*[t.numpy() for t in tensors])
    except np.linalg.LinAlgError as error:
        raise ValueError(f"[linalg] {error}") from None
    if isinstance(out, tuple):
        return tuple(paddle.to_tensor(np.array(v, order='C')) for v in out)
    return paddle.to_tensor(np.array(out, order='C'))


def _mask(x, kind):
    """The lower ('l') or upper ('u') triangle; 'p' is the lower one with half the diagonal."""
    n, m = x.shape[-2], x.shape[-1]
    keep = np.tril(np.ones([n, m])) if kind in 'lp' else np.triu(np.ones([n, m]))
    if kind == 'p':
        keep = keep - 0.5 * np.eye(n, m)
    return x * paddle.to_tensor(keep.astype('float32')).astype(x.dtype)


def _reduce_to(grad, like):
    """Sum a broadcast gradient back to the shape of `like`."""
    extra = grad.ndim - like.ndim
    if extra > 0:
        grad = grad.sum(list(range(extra)))
    axes = [i for i in range(like.ndim) if like.shape[i] == 1 and grad.shape[i] != 1]
    return grad.sum(axes, keepdim=True) if axes else grad


class _Inverse(PyLayer):
    @staticmethod
    def forward(ctx, x):
        out = _host(np.linalg.inv, x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        out, = ctx.saved_tensor()
        return -paddle.matmul(paddle.matmul(_h(out), grad), _h(out))


def inverse(x):
    """Inverses of square matrices."""
    return _Inverse.apply(x)


class _Solve(PyLayer):
    @staticmethod
    def forward(ctx, x, y):
        out = _host(np.linalg.solve, x, y)
        ctx.save_for_backward(x, y, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, y, out = ctx.saved_tensor()
        gy = solve(_h(x).detach(), grad)
        return _reduce_to(-paddle.matmul(gy, _h(out)), x), _reduce_to(gy, y)


def solve(x, y):
    """x^-1 y; y may be a vector."""
    if y.ndim == 1 or (y.ndim == x.ndim - 1 and list(y.shape) == list(x.shape[:-1])):
        return _Solve.apply(x, y.unsqueeze(-1)).squeeze(-1)
    return _Solve.apply(x, y)


def triangular_solve(x, y, upper=True, transpose=False, unitriangular=False):
    """x^-1 y for the triangle of x."""
    a = _mask(x, 'u' if upper else 'l')
    if unitriangular:
        eye = paddle.eye(x.shape[-1], dtype=x.dtype)
        a = a * (1 - eye) + eye
    return _Solve.apply(_t(a) if transpose else a, y)


def cholesky_solve(x, y, upper=False):
    """A^-1 x for A = y y^H (or y^H y)."""
    low = _h(y) if upper else y
    return triangular_solve(_h(low), triangular_solve(low, x, False), True)


class _Det(PyLayer):
    @staticmethod
    def forward(ctx, x):
        out = _host(np.linalg.det, x)
        ctx.save_for_backward(x, out)
        return out

    @staticmethod
    def backward(ctx, grad):
        x, out = ctx.saved_tensor()
        return (grad * out).unsqueeze(-1).unsqueeze(-1) * _h(inverse(x.detach()))


def det(x):
    """Determinants."""
    return _Det.apply(x)


class _SlogDet(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return _host(lambda a: np.stack(np.linalg.slogdet(a)), x)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensor()
        return grad[1].unsqueeze(-1).unsqueeze(-1) * _h(inverse(x.detach()))


def slogdet(x):
    """Sign and log |det|, stacked."""
    return _SlogDet.apply(x)


class _Cholesky(PyLayer):
    @staticmethod
    def forward(ctx, x):
        out = _host(np.linalg.cholesky, x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        low, = ctx.saved_tensor()
        inv = inverse(low.detach())
        middle = paddle.matmul(paddle.matmul(_h(inv), _mask(paddle.matmul(_h(low), grad), 'p')), inv)
        return 0.5 * (middle + _h(middle))


def cholesky(x, upper=False):
    """The triangular factor."""
    low = _Cholesky.apply(_h(x) if upper else x)
    return _h(low) if upper else low


class _Qr(PyLayer):
    @staticmethod
    def forward(ctx, x, mode):
        q, r = _host(lambda a: tuple(np.linalg.qr(a, mode)), x)
        ctx.save_for_backward(q, r)
        ctx.square = x.shape[-2] >= x.shape[-1] and mode == 'reduced'
        return q, r

    @staticmethod
    def backward(ctx, gq, gr):
        if not ctx.square:
            raise RuntimeError("[qr] gradients need mode 'reduced' and at least as many rows as columns")
        q, r = ctx.saved_tensor()
        m = paddle.matmul(r, _h(gr)) - paddle.matmul(_h(gq), q)
        low = _mask(m, 'p') * 1.0
        full = low + _h(low)
        return paddle.matmul(gq + paddle.matmul(q, full), _h(inverse(r.detach())))


def qr(x, mode='reduced'):
    """(Q, R); Q is empty for mode 'r'."""
    if mode == 'r':
        q, r = _Qr.apply(x, 'reduced')
        return paddle.zeros([0], dtype=x.dtype), r
    return _Qr.apply(x, mode)


def _gap(w):
    """1 / (w_j - w_i) off the diagonal, 0 on it."""
    difference = w.unsqueeze(-2) - w.unsqueeze(-1)
    eye = paddle.eye(w.shape[-1], dtype=w.dtype)
    return (1 - eye) / (difference + eye)


def _diagonal(w, like):
    """Vectors as diagonal matrices."""
    eye = paddle.eye(w.shape[-1], dtype=like.dtype)
    return w.astype(like.dtype).unsqueeze(-1) * eye


class _Eigh(PyLayer):
    @staticmethod
    def forward(ctx, x, uplo):
        w, v = _host(lambda a: tuple(np.linalg.eigh(a, uplo)), x)
        ctx.save_for_backward(w, v)
        return w, v

    @staticmethod
    def backward(ctx, gw, gv):
        w, v = ctx.saved_tensor()
        middle = _diagonal(gw, v) + paddle.matmul(_h(v), gv) * _gap(w).astype(v.dtype)
        out = paddle.matmul(paddle.matmul(v, middle), _h(v))
        return 0.5 * (out + _h(out))


def eigh(x, UPLO='L'):
    """(eigenvalues, eigenvectors) of Hermitian matrices."""
    return _Eigh.apply(x, UPLO)


class _Svd(PyLayer):
    @staticmethod
    def forward(ctx, x, full):
        u, s, vh = _host(lambda a: tuple(np.linalg.svd(a, full)), x)
        ctx.save_for_backward(u, s, vh)
        ctx.full = full and x.shape[-1] != x.shape[-2]
        return u, s, vh

    @staticmethod
    def backward(ctx, gu, gs, gvh):
        if ctx.full:
            raise RuntimeError("[svd] gradients need full_matrices=False")
        u, s, vh = ctx.saved_tensor()
        v, gv = _h(vh), _h(gvh)
        gap = _gap(s * s).astype(u.dtype)
        row, column = s.unsqueeze(-2).astype(u.dtype), s.unsqueeze(-1).astype(u.dtype)
        ju, jv = paddle.matmul(_h(u), gu) * gap, paddle.matmul(_h(v), gv) * gap
        middle = (ju + _h(ju)) * row + _diagonal(gs, u) + column * (jv + _h(jv))
        out = paddle.matmul(paddle.matmul(u, middle), vh)
        if u.shape[-2] > u.shape[-1]:
            side = gu / row
            out = out + paddle.matmul(side - paddle.matmul(u, paddle.matmul(_h(u), side)), vh)
        if vh.shape[-1] > vh.shape[-2]:
            side = gv / row
            out = out + paddle.matmul(u, _h(side - paddle.matmul(v, paddle.matmul(vh, side))))
        return out


def svd(x, full_matrices=False):
    """(U, S, V^H)."""
    return _Svd.apply(x, full_matrices)


def eig(x):
    """(eigenvalues, eigenvectors), complex, without gradients."""
    kind = 'complex128' if '64' in str(x.dtype) and 'complex64' not in str(x.dtype) else 'complex64'
    return _host(lambda a: tuple(v.astype(kind) for v in np.linalg.eig(a)), x.detach())


def eigvals(x):
    """Eigenvalues, complex, without gradients."""
    return eig(x)[0]


def _lu_one(a, pivot):
    a = a.copy()
    rows, columns = a.shape
    count = min(rows, columns)
    pivots, info = np.arange(1, count + 1, dtype='int32'), 0
    for k in range(count):
        if pivot:
            best = k + int(np.abs(a[k:, k]).argmax())
            pivots[k] = best + 1
            if best != k:
                a[[k, best]] = a[[best, k]]
        if a[k, k] == 0:
            info = info or k + 1
            continue
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return a, pivots, info


def lu(x, pivot=True):
    """(packed factors, pivots from 1, status), without gradients."""
    a = x.numpy()
    flat = a.reshape((-1,) + a.shape[-2:])
    parts = [_lu_one(m, pivot) for m in flat]
    lead = a.shape[:-2]
    packed = np.stack([p[0] for p in parts]).reshape(a.shape)
    pivots = np.stack([p[1] for p in parts]).reshape(lead + parts[0][1].shape)
    infos = np.array([p[2] for p in parts], 'int32').reshape(lead)
    return paddle.to_tensor(packed), paddle.to_tensor(pivots), paddle.to_tensor(infos)


def lu_unpack(x, y, unpack_ludata=True, unpack_pivots=True):
    """(P, L, U)."""
    rows, columns = x.shape[-2], x.shape[-1]
    count = min(rows, columns)
    pivots = y.numpy().reshape(-1, y.shape[-1])
    perms = np.zeros((len(pivots), rows, rows), x.numpy().dtype)
    for matrix, row in zip(perms, pivots):
        order = np.arange(rows)
        for k, p in enumerate(row):
            order[[k, p - 1]] = order[[p - 1, k]]
        matrix[order, np.arange(rows)] = 1
    p = paddle.to_tensor(perms.reshape(tuple(x.shape[:-2]) + (rows, rows)))
    low = _mask(x[..., :count], 'l')
    eye = paddle.eye(rows, count, dtype=x.dtype)
    return p, low * (1 - eye) + eye, _mask(x[..., :count, :], 'u')


def lstsq(x, y, rcond=None, driver='gelsy'):
    """(solution, residuals, rank, singular values), without gradients."""
    a, b = x.numpy(), y.numpy()
    lead = a.shape[:-2]
    results = [np.linalg.lstsq(m, n, rcond) for m, n in zip(a.reshape((-1,) + a.shape[-2:]),
                                                           b.reshape((-1,) + b.shape[-2:]))]
    solution = np.stack([r[0] for r in results]).reshape(lead + results[0][0].shape)
    residuals = np.stack([r[1] for r in results]).reshape(lead + results[0][1].shape)
    rank = np.array([r[2] for r in results], 'int32').reshape(lead)
    s = np.stack([r[3] for r in results]).reshape(lead + results[0][3].shape)
    if driver in ('gels', 'gelsy'):
        s = s[..., :0]
    return tuple(paddle.to_tensor(np.array(v, order='C')) for v in (solution.astype(a.dtype), residuals.astype(a.dtype),
                                                                     rank, s.astype(a.dtype)))
