# SPDX-License-Identifier: Apache-2.0
"""Distributions over whole numbers and categories."""

import math

import numpy as np

import paddle
from paddle.base.framework import is_recorded

from .distribution import (
    Distribution,
    ExponentialFamily,
    as_tensor,
    as_vector,
    open_uniform,
    to_shape,
)

__all__ = [
    'Bernoulli',
    'Categorical',
    'Multinomial',
    'Binomial',
    'Poisson',
    'Geometric',
    'ContinuousBernoulli',
]

_EPS = {'float32': 1.1920928955078125e-07, 'float64': 2.220446049250313e-16}


def _name(tensor):
    return str(tensor.dtype).rsplit('.', 1)[-1]


def _inside(p):
    """Probabilities kept off 0 and 1."""
    eps = _EPS.get(_name(p), 1e-3)
    return p.clip(eps, 1 - eps)


class Bernoulli(ExponentialFamily):
    """0 or 1, with probability `probs` of 1.

    Args:
        probs (float or Tensor): The probabilities.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> d = paddle.distribution.Bernoulli(paddle.to_tensor([0.25]))
        >>> d.mean.tolist(), d.variance.tolist()
        ([0.25], [0.1875])
        >>> d.log_prob(paddle.to_tensor([1.0])).exp().tolist()
        [0.25]
    """

    _other_values = 'warn'

    def __init__(self, probs, name=None):
        self.name = name or 'Bernoulli'
        self.probs = _inside(as_tensor(probs))
        self._dtype = self.probs.dtype
        self.logits = self.probs.log() - (-self.probs).log1p()
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        """probs."""
        return self.probs

    @property
    def variance(self):
        """probs (1 - probs)."""
        return self.probs * (1 - self.probs)

    def sample(self, shape=[]):
        """Draw; the result has shape `shape` + batch_shape."""
        with paddle.no_grad():
            return paddle.bernoulli(self.probs.expand(self._extend_shape(shape)))

    def rsample(self, shape=[], temperature=1.0):
        """Draw values in (0, 1), with gradients, that go to 0 or 1 as `temperature` falls."""
        u = paddle.rand(self._extend_shape(shape), dtype=_name(self.probs)).clip(1e-7, 1 - 1e-7)
        return ((self.logits + u.log() - (-u).log1p()) / temperature).sigmoid()

    def cdf(self, value):
        """The share at or below `value`."""
        value = self._value(value)
        zero, one = paddle.zeros_like(self.probs * value), paddle.ones_like(self.probs * value)
        return paddle.where(value < 0, zero, paddle.where(value < 1, (1 - self.probs) * one, one))

    def log_prob(self, value):
        """Logarithm of the mass at `value`."""
        value = self._value(value)
        return value * self.probs.log() + (1 - value) * (-self.probs).log1p()

    def prob(self, value):
        """Mass at `value`."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropy."""
        return -(self.probs * self.probs.log() + (1 - self.probs) * (-self.probs).log1p())

    def kl_divergence(self, other):
        """KL divergence from another Bernoulli distribution."""
        p, q = self.probs, other.probs
        return p * (p.log() - q.log()) + (1 - p) * ((-p).log1p() - (-q).log1p())


class Categorical(Distribution):
    """One of n categories; `logits` [..., n] are logarithms of weights for `sample`, `entropy` and
    `kl_divergence`; `probs` and `log_prob` take them for weights, as PaddlePaddle does.

    Args:
        logits (Tensor): The logarithms, of shape [..., n].
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> d = paddle.distribution.Categorical(paddle.to_tensor([1.0, 3.0]))
        >>> d.probs(paddle.to_tensor([0, 1])).tolist()
        [0.25, 0.75]
        >>> d.sample([2, 3]).shape
        paddle.Size([2, 3])
    """

    def __init__(self, logits, name=None):
        self.name = name or 'Categorical'
        self.logits = as_tensor(logits)
        self._dtype = self.logits.dtype
        self._prob = self.logits / self.logits.sum(-1, keepdim=True)
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape=[]):
        """Draw category numbers; the result has shape `shape` + batch_shape."""
        shape = to_shape(shape)
        count = math.prod(shape)
        with paddle.no_grad():
            rows = paddle.nn.functional.softmax(self.logits.reshape([-1, self.logits.shape[-1]]))
            drawn = paddle.multinomial(rows, max(count, 1), True)
            batch = list(self.logits.shape[:-1])
            drawn = drawn.transpose([1, 0])
            return drawn.reshape(list(shape) + batch)

    def _log_softmax(self):
        return self.logits - self.logits.logsumexp(-1, keepdim=True)

    def entropy(self):
        """The entropy, of softmax(logits)."""
        logs = self._log_softmax()
        return -(logs.exp() * logs).sum(-1)

    def kl_divergence(self, other):
        """KL divergence from another categorical distribution, of softmax(logits)."""
        logs = self._log_softmax()
        return (logs.exp() * (logs - other._log_softmax())).sum(-1, keepdim=True)

    def probs(self, value):
        """Probabilities of the categories `value`."""
        value = value if isinstance(value, paddle.Tensor) else paddle.to_tensor(value)
        value = value.astype('int64')
        if self._prob.ndim == 1:
            return paddle.gather(self._prob, value.reshape([-1])).reshape(list(value.shape))
        if value.ndim == 1:
            value = value.reshape([1] * (self._prob.ndim - 1) + [-1]).expand(
                list(self._prob.shape[:-1]) + [value.shape[0]]
            )
        return paddle.take_along_axis(self._prob, value, axis=-1)

    prob = probs

    def log_prob(self, value):
        """Logarithms of the probabilities of the categories `value`."""
        return self.probs(value).log()


class Multinomial(Distribution):
    """Counts of `total_count` draws from categories with probabilities `probs` [..., n].

    Args:
        total_count (int): How many draws there are.
        probs (Tensor): The probabilities, of shape [..., n].

    Examples:
        >>> d = paddle.distribution.Multinomial(4, paddle.to_tensor([0.25, 0.75]))
        >>> d.mean.tolist(), d.sample().sum().item()
        ([1.0, 3.0], 4.0)
    """

    def __init__(self, total_count, probs):
        if not isinstance(total_count, int) or total_count < 1:
            raise ValueError(
                f"[Multinomial] expected total_count to be a positive int, got {total_count!r}"
            )
        probs = as_tensor(probs)
        if probs.ndim < 1:
            raise ValueError("[Multinomial] expected probs of at least one axis, got shape []")
        self.probs = probs / probs.sum(-1, keepdim=True)
        self._dtype = self.probs.dtype
        self.total_count = total_count
        super().__init__(probs.shape[:-1], probs.shape[-1:])

    @property
    def mean(self):
        """total_count probs."""
        return self.probs * self.total_count

    @property
    def variance(self):
        """total_count probs (1 - probs)."""
        return self.total_count * self.probs * (1 - self.probs)

    def prob(self, value):
        """Mass of the counts `value`."""
        return self.log_prob(value).exp()

    def log_prob(self, value):
        """Logarithm of the mass of the counts `value`."""
        value = self._value(value)
        scores = (value * self._logits()).sum(-1)
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + scores

    def _logits(self):
        eps = _EPS.get(_name(self.probs), 1e-3)
        return self.probs.clip(eps, 1 - eps).log()

    def sample(self, shape=()):
        """Draw counts; the result has shape `shape` + batch_shape + event_shape."""
        shape = to_shape(shape)
        with paddle.no_grad():
            draws = Categorical(self._logits()).sample([self.total_count, *shape])
            counts = paddle.nn.functional.one_hot(draws, self.probs.shape[-1]).sum(0)
            return counts.astype(self._dtype)

    def entropy(self):
        """The entropy."""
        n = self.total_count
        p = self.probs
        support = paddle.arange(1, n + 1, dtype=_name(p)).reshape([-1] + [1] * p.ndim)
        mass = Binomial(paddle.full([], n, 'int64'), p.unsqueeze(0)).prob(support)
        logs = p.clip(_EPS.get(_name(p), 1e-3), 1.0).log()
        return (
            -n * (p * logs).sum(-1)
            - math.lgamma(n + 1)
            + (mass * (support + 1).lgamma()).sum([0, mass.ndim - 1])
        )


class Binomial(Distribution):
    """How many of `total_count` trials of probability `probs` succeed.

    Args:
        total_count (int or Tensor): How many trials there are.
        probs (float or Tensor): The probabilities.

    Examples:
        >>> d = paddle.distribution.Binomial(4, paddle.to_tensor(0.5))
        >>> d.mean.item(), d.prob(paddle.to_tensor(2.0)).item()
        (2.0, 0.375)
    """

    def __init__(self, total_count, probs):
        count = (
            total_count if isinstance(total_count, paddle.Tensor) else paddle.to_tensor(total_count)
        )
        self.probs = as_tensor(probs)
        self._dtype = self.probs.dtype
        shape = paddle.broadcast_shape(list(count.shape), list(self.probs.shape))
        self.total_count = (
            count.astype('int64').expand(list(shape)) if list(count.shape) != list(shape) else count
        )
        self.probs = self.probs.expand(list(shape))
        super().__init__(shape)

    @property
    def mean(self):
        """total_count probs."""
        return self.total_count.astype(self._dtype) * self.probs

    @property
    def variance(self):
        """total_count probs (1 - probs)."""
        return self.total_count.astype(self._dtype) * self.probs * (1 - self.probs)

    def sample(self, shape=()):
        """Draw counts; the result has shape `shape` + batch_shape."""
        with paddle.no_grad():
            full = self._extend_shape(shape)
            return paddle.binomial(self.total_count.expand(full), self.probs.expand(full)).astype(
                self._dtype
            )

    def log_prob(self, value):
        """Logarithm of the mass at `value`."""
        value = self._value(value)
        n = self.total_count.astype(self._dtype)
        p = _inside(self.probs)
        choose = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        return choose + value * p.log() + (n - value) * (-p).log1p()

    def prob(self, value):
        """Mass at `value`."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropy, summed over the support."""
        top = int(self.total_count.max().numpy())
        values = paddle.arange(0, top + 1, dtype=_name(self.probs)).reshape(
            [-1] + [1] * len(self.batch_shape)
        )
        n = self.total_count.astype(self._dtype)
        logs = self.log_prob(
            paddle.minimum(values + paddle.zeros_like(n), n + paddle.zeros_like(values))
        )
        terms = -(logs.exp() * logs)
        return paddle.where(values <= n, terms, paddle.zeros_like(terms)).sum(0)

    def kl_divergence(self, other):
        """KL divergence from another binomial distribution of the same count."""
        p, q = _inside(self.probs), _inside(other.probs)
        n = self.total_count.astype(self._dtype)
        return n * (p * (p.log() - q.log()) + (1 - p) * ((-p).log1p() - (-q).log1p()))


class Poisson(Distribution):
    """Counts at the rate `rate`.

    Args:
        rate (float or Tensor): The rate.

    Examples:
        >>> d = paddle.distribution.Poisson(paddle.to_tensor(2.0))
        >>> d.mean.item(), d.log_prob(paddle.to_tensor(0.0)).exp().item()
        (2.0, 0.1353)
    """

    def __init__(self, rate):
        self.rate = as_vector(rate)
        self._dtype = self.rate.dtype
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        """rate."""
        return self.rate

    @property
    def variance(self):
        """rate."""
        return self.rate

    def sample(self, shape=()):
        """Draw; the result has shape `shape` + batch_shape."""
        with paddle.no_grad():
            return paddle.poisson(self.rate.expand(self._extend_shape(shape)))

    def log_prob(self, value):
        """Logarithm of the mass at `value`."""
        value = self._value(value)
        eps = _EPS.get(_name(self.rate), 1e-3)
        return -self.rate + value * self.rate.clip(eps).log() - (value + 1).lgamma()

    def prob(self, value):
        """Mass at `value`."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropy, summed over the values that matter."""
        top = int(
            float(self.rate.max().numpy()) + 30 * math.sqrt(float(self.rate.max().numpy())) + 30
        )
        values = paddle.arange(0, top, dtype=_name(self.rate)).reshape(
            [-1] + [1] * len(self.batch_shape)
        )
        logs = self.log_prob(values)
        return -(logs.exp() * logs).sum(0)

    def kl_divergence(self, other):
        """KL divergence from another Poisson distribution."""
        return self.rate * (self.rate.log() - other.rate.log()) - (self.rate - other.rate)


class Geometric(Distribution):
    """How many trials of probability `probs` fail before the first success.

    Args:
        probs (float or Tensor): The probabilities.

    Examples:
        >>> d = paddle.distribution.Geometric(paddle.to_tensor(0.5))
        >>> d.mean.item(), d.pmf(2).item()
        (1.0, 0.125)
    """

    def __init__(self, probs):
        self.probs = as_tensor(probs)
        self._dtype = self.probs.dtype
        values = 1.0 if is_recorded(self.probs) else self.probs.numpy()
        if not np.all((values > 0) & (values <= 1)):
            raise ValueError("[Geometric] expected probs above 0 and at most 1, got others")
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        """1 / probs - 1."""
        return 1.0 / self.probs - 1.0

    @property
    def variance(self):
        """(1 / probs - 1) / probs."""
        return (1.0 / self.probs - 1.0) / self.probs

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def pmf(self, k):
        """Mass at `k`."""
        return (1.0 - self.probs).pow(as_tensor(k, self._dtype)) * self.probs

    def log_pmf(self, k):
        """Logarithm of the mass at `k`."""
        return self.pmf(k).log()

    def log_prob(self, value):
        """Logarithm of the mass at `value`."""
        return self.log_pmf(value)

    def prob(self, value):
        """Mass at `value`."""
        return self.pmf(value)

    def cdf(self, k):
        """The share at or below `k`."""
        return 1.0 - (1.0 - self.probs).pow(as_tensor(k, self._dtype) + 1)

    def entropy(self):
        """The entropy."""
        q = 1.0 - self.probs
        return -(q * q.log() + self.probs * self.probs.log()) / self.probs

    def rsample(self, shape=[]):
        """Draw; the result has shape `shape` + batch_shape."""
        u = open_uniform(self._extend_shape(shape), self._dtype)
        return (u.log() / (-self.probs).log1p()).floor()

    def kl_divergence(self, other):
        """KL divergence from another geometric distribution."""
        p, q = self.probs, other.probs
        return p.log() - q.log() + (1.0 - p) / p * ((-p).log1p() - (-q).log1p())


class ContinuousBernoulli(Distribution):
    """On [0, 1], density proportional to probs^x (1 - probs)^(1 - x); near probs = 0.5 (inside
    `lims`) by a series.

    Args:
        probs (float or Tensor): The probabilities.
        lims (tuple of floats, default (0.499, 0.501)): Where the series is used.

    Source: Loaiza-Ganem and Cunningham, The continuous Bernoulli, 2019

    Examples:
        >>> d = paddle.distribution.ContinuousBernoulli(paddle.to_tensor(0.5))
        >>> d.mean.item(), d.log_prob(paddle.to_tensor(0.3)).exp().item()
        (0.5, 1.0)
    """

    def __init__(self, probs, lims=(0.499, 0.501)):
        self.probs = _inside(as_vector(probs))
        self._dtype = self.probs.dtype
        self.lims = lims
        super().__init__(self.probs.shape)

    def _split(self):
        """Where the closed form holds, and the probabilities made safe for it."""
        outside = (
            (self.probs < self.lims[0]).astype('int32')
            + (self.probs > self.lims[1]).astype('int32')
        ) > 0
        return outside, paddle.where(
            outside, self.probs, paddle.full_like(self.probs, self.lims[0])
        )

    def _log_constant(self):
        outside, p = self._split()
        exact = ((-p).log1p() - p.log()).abs().log() - (1 - 2 * p).abs().log()
        x = (self.probs - 0.5).pow(2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return paddle.where(outside, exact, series)

    @property
    def mean(self):
        """The mean."""
        outside, p = self._split()
        exact = p / (2 * p - 1) + 1 / ((-p).log1p() - p.log())
        x = self.probs - 0.5
        return paddle.where(outside, exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x * x) * x)

    @property
    def variance(self):
        """The variance."""
        outside, p = self._split()
        exact = p * (p - 1) / (1 - 2 * p).pow(2) + 1 / ((-p).log1p() - p.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        return paddle.where(outside, exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def log_prob(self, value):
        """Logarithm of the density at `value`."""
        value = self._value(value)
        return value * self.probs.log() + (1 - value) * (-self.probs).log1p() + self._log_constant()

    def prob(self, value):
        """Density at `value`."""
        return self.log_prob(value).exp()

    def entropy(self):
        """The entropy."""
        mean = self.mean
        return -(
            mean * self.probs.log() + (1 - mean) * (-self.probs).log1p() + self._log_constant()
        )

    def cdf(self, value):
        """The share below `value`."""
        value = self._value(value)
        outside, p = self._split()
        exact = (p.pow(value) * (1 - p).pow(1 - value) + p - 1) / (2 * p - 1)
        inside = paddle.where(outside, exact, value + paddle.zeros_like(exact))
        return inside.clip(0.0, 1.0)

    def icdf(self, value):
        """The value below which the share is `value`."""
        value = self._value(value)
        outside, p = self._split()
        exact = ((-p + value * (2 * p - 1)).log1p() - (-p).log1p()) / (p.log() - (-p).log1p())
        return paddle.where(outside, exact, value + paddle.zeros_like(exact))

    def rsample(self, shape=()):
        """Draw with gradients to the parameter."""
        return self.icdf(paddle.rand(self._extend_shape(shape), dtype=_name(self.probs)))

    def kl_divergence(self, other):
        """KL divergence from another continuous Bernoulli distribution."""
        mean = self.mean
        return (
            mean * (self.probs.log() - other.probs.log())
            + (1 - mean) * ((-self.probs).log1p() - (-other.probs).log1p())
            + self._log_constant()
            - other._log_constant()
        )
