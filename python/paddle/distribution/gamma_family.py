# SPDX-License-Identifier: Apache-2.0
"""Distributions made of gamma functions: Gamma, Chi2, Exponential, Beta, Dirichlet."""

import paddle
from paddle.tensor.manipulation import extents

from .distribution import (
    ExponentialFamily,
    alike,
    as_tensor,
    broadcast,
    expect_positive,
    open_uniform,
)

__all__ = ['Gamma', 'Chi2', 'Exponential', 'Beta', 'Dirichlet']


class Gamma(ExponentialFamily):
    """The gamma distribution with shape `concentration` and inverse scale `rate`, which keep their
    own shapes.

    Args:
        concentration (float or Tensor): The shape.
        rate (float or Tensor): The inverse scale.

    Examples:
        >>> d = paddle.distribution.Gamma(paddle.to_tensor(2.0), paddle.to_tensor(4.0))
        >>> d.mean.item(), d.variance.item()
        (0.5, 0.125)
    """

    _other_values = 'keep'

    def __init__(self, concentration, rate):
        (self.concentration, self.rate), shape = alike(concentration, rate)
        self._dtype = self.rate.dtype
        super().__init__(shape)

    @property
    def mean(self):
        """concentration / rate."""
        return self.concentration / self.rate

    @property
    def variance(self):
        """concentration / rate^2."""
        return self.concentration / self.rate.pow(2)

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        value = self._value(value)
        a = self.concentration
        return a * self.rate.log() + (a - 1) * value.log() - self.rate * value - a.lgamma()

    def entropy(self):
        """The entropy."""
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    def sample(self, shape=()):
        """Draw without gradients; the result has shape `shape` + batch_shape."""
        with paddle.no_grad():
            return self.rsample(shape)

    def rsample(self, shape=()):
        """Draw; gradients go to the rate."""
        full = self._extend_shape(shape)
        return paddle.standard_gamma(self.concentration.expand(full)) / self.rate.expand(full)

    def kl_divergence(self, other):
        """KL divergence from another gamma distribution."""
        a, b, c, d = self.concentration, self.rate, other.concentration, other.rate
        return (
            c * (b / d).log() + c.lgamma() - a.lgamma() + (a - c) * a.digamma() + (d - b) * (a / b)
        )

    @property
    def _natural_parameters(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return (x + 1).lgamma() - (x + 1) * (-y).log()


class Chi2(Gamma):
    """The chi-squared distribution with `df` degrees of freedom.

    Args:
        df (float or Tensor): The degrees of freedom.

    Examples:
        >>> d = paddle.distribution.Chi2(paddle.to_tensor(3.0))
        >>> d.mean.item(), d.variance.item()
        (3.0, 6.0)
    """

    def __init__(self, df):
        self.df = as_tensor(df)
        expect_positive('Chi2', 'df', self.df)
        super().__init__(self.df * 0.5, paddle.full_like(self.df, 0.5))


class Exponential(ExponentialFamily):
    """The exponential distribution with `rate`.

    Args:
        rate (float or Tensor): The rate.

    Examples:
        >>> d = paddle.distribution.Exponential(paddle.to_tensor(2.0))
        >>> d.mean.item(), d.prob(paddle.to_tensor(0.0)).item()
        (0.5, 2.0)
    """

    _other_values = 'keep'

    def __init__(self, rate):
        self.rate = as_tensor(rate)
        self._dtype = self.rate.dtype
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self):
        """1 / rate^2."""
        return self.rate.pow(-2)

    def rsample(self, shape=()):
        """Draw with gradients to the rate."""
        return -open_uniform(self._extend_shape(shape), self._dtype).log() / self.rate

    def prob(self, value):
        """Density at `value`."""
        return self.rate * (-self.rate * self._value(value)).exp()

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        return self.rate.log() - self.rate * self._value(value)

    def entropy(self):
        """1 - log(rate)."""
        return 1.0 - self.rate.log()

    def cdf(self, value):
        """The share below `value`."""
        return 1.0 - (-self.rate * self._value(value)).exp()

    def icdf(self, value):
        """The value below which the share is `value`."""
        return -(-self._value(value)).log1p() / self.rate

    def kl_divergence(self, other):
        """KL divergence from another exponential distribution."""
        ratio = other.rate / self.rate
        return ratio - ratio.log() - 1

    @property
    def _natural_parameters(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -(-x).log()

    @property
    def _mean_carrier_measure(self):
        return 0


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution over probabilities, with `concentration` [..., n].

    Args:
        concentration (Tensor): The weights, of shape [..., n].

    Examples:
        >>> d = paddle.distribution.Dirichlet(paddle.to_tensor([1.0, 3.0]))
        >>> d.mean.tolist(), d.sample().sum().item()
        ([0.25, 0.75], 1.0)
    """

    _other_values = 'keep'

    def __init__(self, concentration):
        concentration = as_tensor(concentration)
        if concentration.ndim < 1:
            raise ValueError(
                "[Dirichlet] expected concentration of at least one axis, got shape []"
            )
        self.concentration = concentration
        self._dtype = concentration.dtype
        super().__init__(concentration.shape[:-1], concentration.shape[-1:])

    @property
    def mean(self):
        """concentration over its sum."""
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self):
        """The variance of each probability."""
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def sample(self, shape=()):
        """Draw; the result has shape `shape` + batch_shape + event_shape."""
        with paddle.no_grad():
            return paddle._C_ops.dirichlet(self.concentration.expand(self._extend_shape(shape)))

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        a = self.concentration
        return (
            (self._value(value).log() * (a - 1.0)).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)
        )

    def entropy(self):
        """The entropy."""
        a = self.concentration
        total = a.sum(-1)
        return (
            a.lgamma().sum(-1)
            - total.lgamma()
            - (extents(a)[-1] - total) * total.digamma()
            - ((a - 1.0) * a.digamma()).sum(-1)
        )

    def kl_divergence(self, other):
        """KL divergence from another Dirichlet distribution."""
        a, b = self.concentration, other.concentration
        total = a.sum(-1)
        return (
            total.lgamma()
            - b.sum(-1).lgamma()
            - (a.lgamma() - b.lgamma()).sum(-1)
            + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)
        )

    @property
    def _natural_parameters(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()


class Beta(ExponentialFamily):
    """The beta distribution on [0, 1].

    Args:
        alpha (float or Tensor): The first shape parameter.
        beta (float or Tensor): The second one.

    Examples:
        >>> d = paddle.distribution.Beta(1.0, 3.0)
        >>> d.mean.item(), d.prob(paddle.to_tensor(0.5)).item()
        (0.25, 0.75)
    """

    _other_values = 'keep'

    def __init__(self, alpha, beta):
        self.alpha, self.beta = broadcast(alpha, beta)
        self._dtype = self.alpha.dtype
        self._dirichlet = Dirichlet(paddle.stack([self.alpha, self.beta], -1))
        super().__init__(self._dirichlet.batch_shape)

    @property
    def mean(self):
        """alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self):
        """The variance."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total.pow(2) * (total + 1))

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        value = self._value(value)
        return self._dirichlet.log_prob(paddle.stack([value, 1.0 - value], -1))

    def sample(self, shape=()):
        """Draw; the result has shape `shape` + batch_shape."""
        drawn = self._dirichlet.sample(shape)
        return drawn[..., 0]

    def entropy(self):
        """The entropy."""
        return self._dirichlet.entropy()

    def kl_divergence(self, other):
        """KL divergence from another beta distribution."""
        return self._dirichlet.kl_divergence(other._dirichlet)
