# SPDX-License-Identifier: Apache-2.0
"""The LKJ distribution over Cholesky factors of correlation matrices."""
import math

import paddle

from .distribution import Distribution, as_tensor, to_shape
from .gamma_family import Beta

__all__ = ['LKJCholesky']


class LKJCholesky(Distribution):
    """Lower Cholesky factors of `dim` x `dim` correlation matrices with density det^(concentration - 1)."""

    def __init__(self, dim=2, concentration=1.0, sample_method='onion'):
        if not isinstance(dim, int):
            raise TypeError(f"Expected dim to be an integer. Found type {type(dim)}")
        if dim < 2:
            raise ValueError("Expected dim to be greater than or equal to 2. Found dim={dim}.")
        if sample_method not in ('onion', 'cvine'):
            raise ValueError("`method` should be one of 'cvine' or 'onion'.")
        self.concentration = as_tensor(concentration)
        if not bool((self.concentration > 0).numpy().all()):
            raise ValueError("The arg of `concentration` must be positive.")
        if self.concentration.ndim == 1 and self.concentration.shape[0] == 1:
            self.concentration = self.concentration.reshape([])
        self.dim = dim
        self.sample_method = sample_method
        self._dtype = self.concentration.dtype
        super().__init__(self.concentration.shape, (dim, dim))

    def sample(self, sample_shape=()):
        """Draw factors; the result has shape `sample_shape` + batch_shape + [dim, dim]."""
        with paddle.no_grad():
            return self._onion(list(to_shape(sample_shape)))

    def _onion(self, shape):
        """Row by row: a direction on the sphere, and its length from a beta distribution."""
        d = self.dim
        dtype = str(self._dtype).rsplit('.', 1)[-1]
        batch = shape + list(self._batch_shape)
        eta = self.concentration.expand(batch) if batch else self.concentration
        rows = [paddle.concat([paddle.ones(batch + [1], dtype), paddle.zeros(batch + [d - 1], dtype)], -1)]
        for i in range(1, d):
            first = paddle.full_like(eta, i / 2.0)
            second = eta + (d - 1 - i) / 2.0
            length2 = Beta(first, second).sample().unsqueeze(-1)
            direction = paddle.standard_normal(batch + [i], dtype=dtype)
            direction = direction / direction.pow(2).sum(-1, keepdim=True).sqrt()
            parts = [length2.sqrt() * direction, (1 - length2).clip(1e-38).sqrt()]
            if d - 1 - i:
                parts.append(paddle.zeros(batch + [d - 1 - i], dtype))
            rows.append(paddle.concat(parts, -1))
        return paddle.stack(rows, -2)

    def log_prob(self, value):
        """Logarithm of the density at the factor `value`."""
        d = self.dim
        dtype = str(self._dtype).rsplit('.', 1)[-1]
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


def _multigammaln(a, p):
    value = paddle.full_like(a, p * (p - 1) / 4.0 * math.log(math.pi))
    for i in range(p):
        value = value + (a - 0.5 * i).lgamma()
    return value
