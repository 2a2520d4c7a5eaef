# SPDX-License-Identifier: Apache-2.0
"""The LKJ distribution over Cholesky factors of correlation matrices."""

import math

import paddle
from paddle.base.framework import dtype_name

from .distribution import Distribution, as_tensor, expect_positive, to_shape
from .gamma_family import Beta

__all__ = ['LKJCholesky']


class LKJCholesky(Distribution):
    """Lower Cholesky factors of `dim` x `dim` correlation matrices with density det^(concentration
    - 1).

    Args:
        dim (int, default 2): The side of the matrices.
        concentration (float or Tensor, default 1.0): What favours the identity, where above 1.
        sample_method (str, default 'onion'): `onion` or `cvine`.

    Source: Lewandowski et al., Generating random correlation matrices based on vines and extended
    onion method, 2009

    Examples:
        >>> factor = paddle.distribution.LKJCholesky(3, 1.0).sample()
        >>> bool(paddle.allclose((factor @ factor.T).diagonal(), paddle.ones([3])))
        True
    """

    def __init__(self, dim=2, concentration=1.0, sample_method='onion'):
        if not isinstance(dim, int):
            raise TypeError(f"[LKJCholesky] expected dim to be an int, got {type(dim).__name__}")
        if dim < 2:
            raise ValueError(f"[LKJCholesky] expected dim of at least 2, got {dim}")
        if sample_method not in ('onion', 'cvine'):
            raise ValueError(
                f"[LKJCholesky] expected sample_method 'cvine' or 'onion', got {sample_method!r}"
            )
        self.concentration = as_tensor(concentration)
        expect_positive('LKJCholesky', 'concentration', self.concentration)
        if self.concentration.ndim == 1 and self.concentration.shape[0] == 1:
            self.concentration = self.concentration.reshape([])
        self.dim = dim
        self.sample_method = sample_method
        self._dtype = self.concentration.dtype
        super().__init__(self.concentration.shape, (dim, dim))

    def sample(self, sample_shape=()):
        """Draw factors; the result has shape `sample_shape` + batch_shape + [dim, dim]."""
        draw = self._onion if self.sample_method == 'onion' else self._cvine
        with paddle.no_grad():
            return draw(list(to_shape(sample_shape)))

    def _extended(self, shape):
        """(dtype, extents of `shape` and the batch, concentration over them)."""
        batch = shape + list(self._batch_shape)
        return (
            dtype_name(self._dtype),
            batch,
            self.concentration.expand(batch) if batch else self.concentration,
        )

    def _onion(self, shape):
        """Row by row: a direction on the sphere, and its squared length from a beta
        distribution.
        """
        dtype, batch, eta = self._extended(shape)
        d = self.dim
        before = paddle.concat([paddle.zeros([1], dtype), paddle.arange(d - 1, dtype=dtype)])
        length2 = (
            Beta(
                ((before + 1) / 2.0).expand(batch + [d]), eta.unsqueeze(-1) + (d - 2 - before) / 2.0
            )
            .sample()
            .unsqueeze(-1)
        )
        normals = paddle.tril(paddle.standard_normal(batch + [d, d], dtype=dtype), -1)[..., 1:, :]
        below = length2[..., 1:, :].sqrt() * normals / normals.norm(axis=-1, keepdim=True)
        below = paddle.concat([paddle.zeros(batch + [1, d], dtype), below], -2)
        return below + paddle.diag_embed((1 - (below * below).sum(-1)).clip(1e-38).sqrt())

    def _cvine(self, shape):
        """Row by row: partial correlations from symmetric beta distributions, each of which takes
        its share of the length that is left.
        """
        dtype, batch, eta = self._extended(shape)
        d = self.dim
        column = paddle.to_tensor([k for row in range(d) for k in range(row)], dtype)
        alpha = eta.unsqueeze(-1) + (d - 2 - column) / 2.0
        partial = 2 * Beta(alpha, alpha).sample() - 1
        share = (1 - partial * partial).clip(1e-38).sqrt()
        one, rows = paddle.ones(batch + [1], dtype), []
        for row in range(d):
            part = slice(row * (row - 1) // 2, row * (row + 1) // 2)
            left = paddle.cumprod(paddle.concat([one, share[..., part]], -1), -1)
            parts = [
                left[..., :row] * partial[..., part],
                left[..., row:],
                paddle.zeros(batch + [d - 1 - row], dtype),
            ]
            rows.append(paddle.concat(parts, -1))
        return paddle.stack(rows, -2)

    def log_prob(self, value):
        """Logarithm of the density at the factor `value`."""
        d, dtype = self.dim, dtype_name(self._dtype)
        diagonal = paddle.diagonal(self._value(value), axis1=-2, axis2=-1)[..., 1:]
        eta = self.concentration
        order = paddle.arange(2, d + 1, dtype=dtype)
        order = 2 * (eta - 1).unsqueeze(-1) + d - order
        unnormalized = (order * diagonal.log()).sum(-1)
        m = d - 1
        alpha = eta + 0.5 * m
        denominator = alpha.lgamma() * m
        numerator = _multigammaln(alpha - 0.5, m)
        return unnormalized - (0.5 * m * math.log(math.pi) + numerator - denominator)


def tril_matrix_to_vec(mat, diag=0):
    """The elements of the last two axes on and below a diagonal, row by row, as one axis."""
    rows, columns = mat.shape[-2:]
    places = [i * columns + j for i in range(rows) for j in range(min(i + diag + 1, columns))]
    return paddle.index_select(
        paddle.flatten(mat, -2), paddle.to_tensor(places, dtype='int64'), axis=-1
    )


def vec_to_tril_matrix(p_flatten, dim, last_dim, flatten_shape, sample_shape=(), diag=0):
    """Matrices [*, dim, dim] of the elements on and below a diagonal, which `p_flatten` holds row
    by row on its last axis: zeros elsewhere. They have the shape `sample_shape` in front, where
    that is given.

    `last_dim` is how many elements there are, `flatten_shape` how many matrices.
    """
    places = [(i, j) for i in range(dim) for j in range(min(i + diag + 1, dim))]
    if len(places) != last_dim:
        raise ValueError(
            f"[vec_to_tril_matrix] expected last_dim {len(places)} for dim {dim} and diagonal "
            f"{diag}, got {last_dim}"
        )
    flat = paddle.reshape(p_flatten, [flatten_shape, last_dim])
    spread = [[0.0] * (dim * dim) for _ in places]
    for k, (i, j) in enumerate(places):
        spread[k][i * dim + j] = 1.0
    out = paddle.matmul(flat, paddle.to_tensor(spread, dtype=flat.dtype))
    return paddle.reshape(out, [*sample_shape, *([] if sample_shape else [-1]), dim, dim])


def _multigammaln(a, p):
    value = paddle.full_like(a, p * (p - 1) / 4.0 * math.log(math.pi))
    for i in range(p):
        value = value + (a - 0.5 * i).lgamma()
    return value
