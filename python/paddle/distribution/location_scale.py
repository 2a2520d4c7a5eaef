# SPDX-License-Identifier: Apache-2.0
"""Distributions with a location and a scale: Normal, LogNormal, Uniform, Laplace, Gumbel, Cauchy,
StudentT.
"""

import math

import paddle

from .distribution import Distribution, alike, broadcast, expect_positive, open_uniform, spread

__all__ = ['Normal', 'LogNormal', 'Uniform', 'Laplace', 'Gumbel', 'Cauchy', 'StudentT']

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_EULER = 0.57721566490153286060


def _below_one(dtype):
    """The largest number below 1."""
    return 1 - float(paddle.finfo(str(dtype).rsplit('.', 1)[-1]).eps) / 2


class _LocationScale(Distribution):
    def __init__(self, loc, scale):
        self.loc, self.scale = broadcast(loc, scale)
        self._dtype = self.loc.dtype
        super().__init__(self.loc.shape)


class _Seeded(Distribution):
    def sample(self, shape=[], seed=0):
        """Draw without gradients; the result has shape `shape` + batch_shape. With a `seed` other
        than 0 from a generator of that seed."""
        with paddle.no_grad():
            return self._draw(shape, seed)

    def rsample(self, shape=[]):
        """Draw with gradients to the parameters."""
        return self._draw(shape, 0)


class Normal(_Seeded):
    """The normal distribution; complex when `loc` is. `loc` and `scale` keep their own shapes.

    Args:
        loc (float, Tensor or array): The mean.
        scale (float, Tensor or array): The standard deviation.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> d = paddle.distribution.Normal(0.0, paddle.to_tensor([1.0, 2.0]))
        >>> d.log_prob(paddle.to_tensor([0.0, 0.0])).exp().tolist()
        [0.3989, 0.1995]
        >>> d.sample([5]).shape
        paddle.Size([5, 2])
    """

    _other_values = 'warn'

    def __init__(self, loc, scale, name=None):
        self.name = name or 'Normal'
        (self.loc, self.scale), shape = alike(loc, scale)
        if not isinstance(loc, paddle.Tensor) and not isinstance(scale, paddle.Tensor):
            self.loc, self.scale = spread(self.loc, shape), spread(self.scale, shape)
        self._dtype = self.loc.dtype
        super().__init__(shape)

    @property
    def mean(self):
        """The mean."""
        return self.loc

    @property
    def variance(self):
        """The variance."""
        return self.scale.pow(2)

    @property
    def stddev(self):
        """The standard deviation."""
        return self.scale

    def _draw(self, shape, seed):
        noise = paddle.tensor.random.gaussian(
            self._extend_shape(shape), seed=seed, dtype=self._dtype
        )
        return noise * self.scale + self.loc

    def entropy(self):
        """0.5 + 0.5 log(2 pi) + log(scale)."""
        return spread(0.5 + _HALF_LOG_2PI + self.scale.log(), self.batch_shape)

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        value = self._value(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - _HALF_LOG_2PI

    def kl_divergence(self, other):
        """KL divergence from another normal distribution."""
        ratio = (self.scale / other.scale) ** 2
        shift = ((self.loc - other.loc) / other.scale) ** 2
        return 0.5 * ratio + 0.5 * (shift - 1.0 - ratio.log())


class LogNormal(Distribution):
    """exp of a normal distribution.

    Args:
        loc (float or Tensor): The mean of the logarithm.
        scale (float or Tensor): The standard deviation of the logarithm.

    Examples:
        >>> d = paddle.distribution.LogNormal(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
        >>> d.mean.item()
        1.6487
    """

    _other_values = 'keep'

    def __init__(self, loc, scale):
        self._base = Normal(loc, scale)
        self.loc, self.scale = self._base.loc, self._base.scale
        self._dtype = self.loc.dtype
        super().__init__(self._base.batch_shape)

    @property
    def mean(self):
        """exp(loc + scale^2 / 2)."""
        return (self.loc + self.scale**2 / 2).exp()

    @property
    def variance(self):
        """The variance."""
        return self.scale.pow(2).expm1() * (2 * self.loc + self.scale.pow(2)).exp()

    def rsample(self, shape=[]):
        """Draw with gradients to the parameters."""
        return self._base.rsample(shape).exp()

    def entropy(self):
        """Entropy of the normal distribution plus its mean."""
        return self._base.entropy() + self.loc

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        value = self._value(value)
        return self._base.log_prob(value.log()) - value.log()

    def kl_divergence(self, other):
        """KL divergence from another log-normal distribution."""
        return self._base.kl_divergence(other._base)


class Uniform(_Seeded):
    """Uniform on [low, high), which keep their own shapes.

    Args:
        low (float, Tensor or array): The least value.
        high (float, Tensor or array): What values stay below.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> d = paddle.distribution.Uniform(1.0, paddle.to_tensor([3.0, 5.0]))
        >>> d.probs(paddle.to_tensor([2.0, 2.0])).tolist(), d.entropy().tolist()
        ([0.5, 0.25], [0.6931, 1.3863])
    """

    _other_values = 'warn'

    def __init__(self, low, high, name=None):
        self.name = name or 'Uniform'
        (self.low, self.high), shape = alike(low, high)
        self._dtype = self.low.dtype
        super().__init__(shape)

    @property
    def mean(self):
        """The middle."""
        return (self.low + self.high) / 2

    @property
    def variance(self):
        """(high - low)^2 / 12."""
        return (self.high - self.low).pow(2) / 12

    def _draw(self, shape, seed):
        u = paddle.uniform(self._extend_shape(shape), self._dtype, 0.0, 1.0, seed)
        return u * (self.high - self.low) + self.low

    def log_prob(self, value):
        """-log(high - low) inside, -inf outside."""
        value = self._value(value)
        inside = (value > self.low).astype(self._dtype) * (value < self.high).astype(self._dtype)
        return inside.log() - (self.high - self.low).log()

    def prob(self, value):
        """1 / (high - low) inside, 0 outside."""
        value = self._value(value)
        inside = (value > self.low).astype(self._dtype) * (value < self.high).astype(self._dtype)
        return inside / (self.high - self.low)

    def entropy(self):
        """log(high - low)."""
        return (self.high - self.low).log()


class Laplace(_LocationScale):
    """The double exponential distribution.

    Args:
        loc (float or Tensor): The location.
        scale (float or Tensor): The scale.

    Examples:
        >>> d = paddle.distribution.Laplace(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
        >>> d.mean.item(), d.log_prob(paddle.to_tensor(0.0)).exp().item()
        (0.0, 0.5)
    """

    @property
    def mean(self):
        """The mean."""
        return self.loc

    @property
    def stddev(self):
        """sqrt(2) scale."""
        return self.scale * math.sqrt(2)

    @property
    def variance(self):
        """2 scale^2."""
        return self.stddev.pow(2)

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        value = self._value(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def entropy(self):
        """1 + log(2 scale)."""
        return 1 + (2 * self.scale).log()

    def cdf(self, value):
        """The share below `value`."""
        shift = self._value(value) - self.loc
        return 0.5 - 0.5 * shift.sign() * (-shift.abs() / self.scale).expm1()

    def icdf(self, value):
        """The value below which the share is `value`."""
        term = self._value(value) - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def rsample(self, shape=[]):
        """Draw with gradients to the parameters."""
        most = _below_one(self._dtype)
        u = (open_uniform(self._extend_shape(shape), self._dtype) * 2 - 1).clip(-most, most)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def kl_divergence(self, other):
        """KL divergence from another Laplace distribution."""
        ratio = self.scale / other.scale
        distance = (self.loc - other.loc).abs()
        return -ratio.log() + distance / other.scale + ratio * (-distance / self.scale).exp() - 1


class Gumbel(_LocationScale):
    """The distribution of maxima, exp(-exp(-(x - loc) / scale)).

    Args:
        loc (float or Tensor): The location.
        scale (float or Tensor): The scale.

    Examples:
        >>> d = paddle.distribution.Gumbel(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
        >>> d.mean.item(), d.cdf(paddle.to_tensor(0.0)).item()
        (0.5772, 0.3679)
    """

    @property
    def mean(self):
        """loc + scale * Euler's constant."""
        return self.loc + self.scale * _EULER

    @property
    def variance(self):
        """pi^2 scale^2 / 6."""
        return self.scale.pow(2) * (math.pi**2 / 6)

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        y = (self.loc - self._value(value)) / self.scale
        return y - y.exp() - self.scale.log()

    def cdf(self, value):
        """The share below `value`."""
        return (-(-(self._value(value) - self.loc) / self.scale).exp()).exp()

    def entropy(self):
        """log(scale) + 1 + Euler's constant."""
        return self.scale.log() + 1 + _EULER

    def rsample(self, shape=[]):
        """Draw with gradients to the parameters."""
        u = open_uniform(self._extend_shape(shape), self._dtype).clip(max=_below_one(self._dtype))
        return self.loc - self.scale * (-u.log()).log()


class Cauchy(_LocationScale):
    """The Cauchy distribution, without mean and variance.

    Args:
        loc (float or Tensor): The location.
        scale (float or Tensor): The scale.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> d = paddle.distribution.Cauchy(paddle.to_tensor(0.0), paddle.to_tensor(1.0))
        >>> d.prob(paddle.to_tensor(0.0)).item(), d.cdf(paddle.to_tensor(1.0)).item()
        (0.3183, 0.75)
    """

    _other_values = 'warn'

    def __init__(self, loc, scale, name=None):
        self.name = name or 'Cauchy'
        super().__init__(loc, scale)

    @property
    def mean(self):
        """There is none."""
        raise ValueError("[Cauchy.mean] expected a distribution with a mean, got one without")

    @property
    def variance(self):
        """There is none."""
        raise ValueError(
            "[Cauchy.variance] expected a distribution with a variance, got one without"
        )

    @property
    def stddev(self):
        """There is none."""
        raise ValueError(
            "[Cauchy.stddev] expected a distribution with a standard deviation, got one without"
        )

    def sample(self, shape=[], name=None):
        """Draw without gradients; the result has shape `shape` + batch_shape."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape=[], name=None):
        """Draw with gradients to the parameters."""
        u = paddle.rand(self._extend_shape(shape), dtype=str(self._dtype).rsplit('.', 1)[-1])
        return self.loc + self.scale * (math.pi * (u - 0.5)).tan()

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        shift = (self._value(value) - self.loc) / self.scale
        return -(shift * shift).log1p() - (math.pi * self.scale).log()

    def cdf(self, value):
        """The share below `value`."""
        return ((self._value(value) - self.loc) / self.scale).atan() / math.pi + 0.5

    def entropy(self):
        """log(4 pi scale)."""
        return (4 * math.pi * self.scale).log()

    def kl_divergence(self, other):
        """KL divergence from another Cauchy distribution."""
        top = (self.scale + other.scale).pow(2) + (self.loc - other.loc).pow(2)
        return top.log() - (4 * self.scale * other.scale).log()


class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom.

    Args:
        df (float or Tensor): The degrees of freedom.
        loc (float or Tensor): The location.
        scale (float or Tensor): The scale.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> d = paddle.distribution.StudentT(3.0, 0.0, 1.0)
        >>> d.variance.item(), d.prob(paddle.to_tensor(0.0)).item()
        (3.0, 0.3676)
    """

    _other_values = 'warn'

    def __init__(self, df, loc, scale, name=None):
        self.name = name or 'StudentT'
        self.df, self.loc, self.scale = broadcast(df, loc, scale)
        self._dtype = self.df.dtype
        expect_positive('StudentT', 'df', self.df)
        expect_positive('StudentT', 'scale', self.scale)
        super().__init__(self.df.shape)

    @property
    def mean(self):
        """loc for df > 1, else nan."""
        return paddle.where(self.df > 1, self.loc, paddle.full_like(self.loc, float('nan')))

    @property
    def variance(self):
        """scale^2 df / (df - 2) for df > 2, inf for 1 < df <= 2, else nan."""
        safe = paddle.where(self.df > 2, self.df, paddle.full_like(self.df, 3.0))
        value = self.scale.pow(2) * safe / (safe - 2)
        value = paddle.where(self.df > 2, value, paddle.full_like(value, float('inf')))
        return paddle.where(self.df > 1, value, paddle.full_like(value, float('nan')))

    def sample(self, shape=[]):
        """Draw; the result has shape `shape` + batch_shape."""
        with paddle.no_grad():
            full = self._extend_shape(shape)
            normal = paddle.standard_normal(full, dtype=str(self._dtype).rsplit('.', 1)[-1])
            chi2 = paddle.standard_gamma((self.df / 2).expand(full)) * 2
            return self.loc + self.scale * normal * (chi2 / self.df).rsqrt()

    def entropy(self):
        """The entropy."""
        half = 0.5 * (self.df + 1)
        log_beta = (0.5 * self.df).lgamma() + math.lgamma(0.5) - half.lgamma()
        return (
            self.scale.log()
            + half * (half.digamma() - (0.5 * self.df).digamma())
            + 0.5 * self.df.log()
            + log_beta
        )

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        y = (self._value(value) - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + (0.5 * self.df).lgamma()
            - (0.5 * (self.df + 1)).lgamma()
        )
        return -0.5 * (self.df + 1) * (y**2 / self.df).log1p() - normalizer
