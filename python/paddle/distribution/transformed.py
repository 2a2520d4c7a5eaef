# SPDX-License-Identifier: Apache-2.0
"""Distributions built from others: Independent, TransformedDistribution; and the multivariate
normal.
"""

import math

import paddle
from paddle.base.arguments import items
from paddle.tensor.manipulation import extents

from .distribution import Distribution, as_tensor
from .transform import ChainTransform, Transform, _sum_right

__all__ = ['Independent', 'TransformedDistribution', 'MultivariateNormal']


class Independent(Distribution):
    """`base` with its last `reinterpreted_batch_rank` batch dimensions as part of the event.

    Args:
        base (Distribution): The distribution.
        reinterpreted_batch_rank (int): How many axes.

    Examples:
        >>> base = paddle.distribution.Normal(paddle.zeros([2, 3]), paddle.ones([2, 3]))
        >>> d = paddle.distribution.Independent(base, 1)
        >>> d.batch_shape, d.event_shape, d.log_prob(paddle.zeros([2, 3])).shape
        ((2,), (3,), paddle.Size([2]))
    """

    def __init__(self, base, reinterpreted_batch_rank):
        if not isinstance(base, Distribution):
            raise TypeError(
                f"[Independent] expected base to be a Distribution, got {type(base).__name__}"
            )
        if not 0 < reinterpreted_batch_rank <= len(base.batch_shape):
            raise ValueError(
                "[Independent] expected reinterpreted_batch_rank from 1 to "
                f"{len(base.batch_shape)}, got {reinterpreted_batch_rank}"
            )
        self._base = base
        self._reinterpreted_batch_rank = reinterpreted_batch_rank
        cut = len(base.batch_shape) - reinterpreted_batch_rank
        shape = tuple(base.batch_shape) + tuple(base.event_shape)
        super().__init__(shape[:cut], shape[cut:])

    @property
    def mean(self):
        """The mean."""
        return self._base.mean

    @property
    def variance(self):
        """The variance."""
        return self._base.variance

    def sample(self, shape=()):
        """Draw without gradients."""
        return self._base.sample(shape)

    def rsample(self, shape=()):
        """Draw with gradients."""
        return self._base.rsample(shape)

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        return _sum_right(self._base.log_prob(value), self._reinterpreted_batch_rank)

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropy."""
        return _sum_right(self._base.entropy(), self._reinterpreted_batch_rank)


class TransformedDistribution(Distribution):
    """The distribution of transform(x) for x from `base`.

    Args:
        base (Distribution): The distribution.
        transforms (list of Transforms): The transforms, the first one first.

    Examples:
        >>> base = paddle.distribution.Normal(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
        >>> exp = paddle.distribution.ExpTransform()
        >>> d = paddle.distribution.TransformedDistribution(base, [exp])
        >>> d.log_prob(paddle.to_tensor(1.0)).exp().item()
        0.3989
    """

    def __init__(self, base, transforms):
        if not isinstance(base, Distribution):
            raise TypeError(
                "[TransformedDistribution] expected base to be a Distribution, got "
                f"{type(base).__name__}"
            )
        if not isinstance(transforms, (list, tuple)) or not all(
            isinstance(t, Transform) for t in transforms
        ):
            raise TypeError(
                f"[TransformedDistribution] expected transforms to be a list of Transforms, got "
                f"{type(transforms).__name__}"
            )
        self._base = base
        self._transforms = items('TransformedDistribution', 'transforms', transforms)
        chain = ChainTransform(self._transforms)
        base_shape = tuple(base.batch_shape) + tuple(base.event_shape)
        if len(base_shape) < chain._domain_rank:
            raise ValueError(
                f"[TransformedDistribution] expected base of at least {chain._domain_rank} axes, "
                f"got {len(base_shape)}"
            )
        shape = chain.forward_shape(base_shape)
        rank = max(
            chain._codomain_rank, len(base.event_shape) + chain._codomain_rank - chain._domain_rank
        )
        super().__init__(shape[: len(shape) - rank], shape[len(shape) - rank :])

    def sample(self, shape=()):
        """Draw without gradients."""
        with paddle.no_grad():
            x = self._base.sample(shape)
            for transform in self._transforms:
                x = transform.forward(x)
            return x

    def rsample(self, shape=()):
        """Draw with gradients."""
        x = self._base.rsample(shape)
        for transform in self._transforms:
            x = transform.forward(x)
        return x

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        total = 0.0
        rank = len(self.event_shape)
        y = value
        for transform in reversed(self._transforms):
            x = transform.inverse(y)
            rank += transform._domain_rank - transform._codomain_rank
            total = total - _sum_right(
                transform.forward_log_det_jacobian(x), rank - transform._domain_rank
            )
            y = x
        return total + _sum_right(self._base.log_prob(y), rank - len(self._base.event_shape))


def _swap(x):
    return x.transpose(list(range(x.ndim - 2)) + [x.ndim - 1, x.ndim - 2])


class MultivariateNormal(Distribution):
    """The normal distribution over vectors, given its covariance, precision or lower Cholesky
    factor.

    Args:
        loc (Tensor): The means, of shape [..., n].
        covariance_matrix (Tensor, default None): The covariance, of shape [..., n, n].
        precision_matrix (Tensor, default None): Its inverse.
        scale_tril (Tensor, default None): Its lower Cholesky factor. One of the three is given.

    Examples:
        >>> cov = paddle.to_tensor([[2.0, 1.0], [1.0, 2.0]])
        >>> d = paddle.distribution.MultivariateNormal(paddle.zeros([2]), cov)
        >>> d.mean.tolist(), d.sample([5]).shape
        ([0.0, 0.0], paddle.Size([5, 2]))
    """

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None):
        given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
        if len(given) != 1:
            raise ValueError(
                "[MultivariateNormal] expected one of covariance_matrix, precision_matrix and "
                f"scale_tril, got {len(given)}"
            )
        loc = as_tensor(loc)
        if loc.ndim < 1:
            raise ValueError("[MultivariateNormal] expected loc of at least one axis, got shape []")
        matrix = as_tensor(given[0], loc.dtype)
        if matrix.ndim < 2:
            raise ValueError(
                "[MultivariateNormal] expected a matrix or a batch of them, got shape "
                f"{list(matrix.shape)}"
            )
        if scale_tril is not None:
            self.scale_tril = factor = matrix
        elif covariance_matrix is not None:
            self.covariance_matrix = matrix
            factor = paddle.linalg.cholesky(matrix)
        else:
            self.precision_matrix = matrix
            factor = paddle.linalg.cholesky(paddle.linalg.inv(matrix))
        n = loc.shape[-1]
        batch = list(paddle.broadcast_shape(list(factor.shape[:-2]), list(loc.shape[:-1])))
        self.loc = loc.expand(batch + [n])
        self._unbroadcasted_scale_tril = factor
        self._dtype = loc.dtype
        super().__init__(batch, [n])

    @property
    def mean(self):
        """loc."""
        return self.loc

    @property
    def variance(self):
        """The diagonal of the covariance."""
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._extend_shape(()))

    def rsample(self, shape=()):
        """Draw with gradients."""
        noise = paddle.standard_normal(
            self._extend_shape(shape), dtype=str(self._dtype).rsplit('.', 1)[-1]
        )
        return self.loc + paddle.matmul(
            self._unbroadcasted_scale_tril, noise.unsqueeze(-1)
        ).squeeze(-1)

    def _extent(self):
        """How many numbers an event has: of the dtype of loc where only the program knows."""
        n = extents(self.loc)[-1]
        return n if isinstance(n, int) else n.astype(self._dtype)

    def _half_log_det(self):
        return paddle.diagonal(self._unbroadcasted_scale_tril, axis1=-2, axis2=-1).log().sum(-1)

    def _distance(self, factor, shift):
        """Squared Mahalanobis length of `shift`."""
        full = list(paddle.broadcast_shape(list(factor.shape[:-2]), list(shift.shape[:-1])))
        n = shift.shape[-1]
        solved = paddle.linalg.triangular_solve(
            factor.expand(full + [n, n]), shift.expand(full + [n]).unsqueeze(-1), upper=False
        )
        return solved.squeeze(-1).pow(2).sum(-1)

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        shift = self._value(value) - self.loc
        distance = self._distance(self._unbroadcasted_scale_tril, shift)
        return -0.5 * (self._extent() * math.log(2 * math.pi) + distance) - self._half_log_det()

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropy."""
        value = 0.5 * self._extent() * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return value.expand(list(self._batch_shape))

    def kl_divergence(self, other):
        """KL divergence from another multivariate normal distribution."""
        mine, theirs = self._unbroadcasted_scale_tril, other._unbroadcasted_scale_tril
        n = self._event_shape[0]
        full = list(paddle.broadcast_shape(list(mine.shape[:-2]), list(theirs.shape[:-2])))
        solved = paddle.linalg.triangular_solve(
            theirs.expand(full + [n, n]), mine.expand(full + [n, n]), upper=False
        )
        trace = solved.pow(2).sum([-2, -1])
        distance = self._distance(theirs, self.loc - other.loc)
        return (
            other._half_log_det() - self._half_log_det() + 0.5 * (trace + distance - self._extent())
        )
