# SPDX-License-Identifier: Apache-2.0
"""Kullback-Leibler divergences, chosen by the types of the two distributions."""

import paddle
from paddle import _lazy

from . import discrete, gamma_family, location_scale, transformed
from .distribution import Distribution, ExponentialFamily

__all__ = ['register_kl', 'kl_divergence']

_rules = {}


def register_kl(cls_p, cls_q):
    """Decorator: use the function for kl_divergence of a `cls_p` from a `cls_q`.

    Args:
        cls_p (class): The class of p.
        cls_q (class): The class of q.

    Returns:
        callable: the decorator.

    Examples:
        >>> class Point(paddle.distribution.Normal):
        ...     pass
        >>> @paddle.distribution.register_kl(Point, Point)
        ... def distance(p, q):
        ...     return (p.loc - q.loc).abs()
        >>> paddle.distribution.kl_divergence(Point(1.0, 1.0), Point(3.0, 1.0)).item()
        2.0
    """
    if not issubclass(cls_p, Distribution) or not issubclass(cls_q, Distribution):
        raise TypeError(
            f"[register_kl] expected two classes of distributions, got {cls_p.__name__} and "
            f"{cls_q.__name__}"
        )

    def keep(function):
        _rules[cls_p, cls_q] = function
        return function

    return keep


def _unknown(p, q):
    return NotImplementedError(
        "[kl_divergence] expected a pair with a known divergence, got "
        f"{type(p).__name__} and {type(q).__name__}"
    )


def kl_divergence(p, q):
    """The Kullback-Leibler divergence of p from q.

    Args:
        p (Distribution): The first distribution.
        q (Distribution): The second one.

    Returns:
        Tensor: the divergence, of the batch shape.

    Raises:
        NotImplementedError: No rule fits the types.

    Examples:
        >>> D = paddle.distribution
        >>> p, q = D.Normal(paddle.to_tensor(0.0), paddle.to_tensor(1.0)), D.Normal(1.0, 1.0)
        >>> paddle.distribution.kl_divergence(p, q).item()
        0.5
    """
    found = [(a, b) for a, b in _rules if isinstance(p, a) and isinstance(q, b)]
    if not found:
        raise _unknown(p, q)
    best = min(
        found, key=lambda pair: (type(p).__mro__.index(pair[0]), type(q).__mro__.index(pair[1]))
    )
    return _rules[best](p, q)


def _own(cls):
    register_kl(cls, cls)(lambda p, q: cls.kl_divergence(p, q))


for _cls in (
    location_scale.Normal,
    location_scale.LogNormal,
    location_scale.Laplace,
    location_scale.Cauchy,
    discrete.Bernoulli,
    discrete.Categorical,
    discrete.Binomial,
    discrete.Poisson,
    discrete.Geometric,
    discrete.ContinuousBernoulli,
    gamma_family.Gamma,
    gamma_family.Exponential,
    gamma_family.Beta,
    gamma_family.Dirichlet,
    transformed.MultivariateNormal,
):
    _own(_cls)


@register_kl(location_scale.Uniform, location_scale.Uniform)
def _uniform(p, q):
    value = ((q.high - q.low) / (p.high - p.low)).log()
    outside = paddle.logical_or(q.low > p.low, q.high < p.high)
    return paddle.where(outside, paddle.full_like(value, float('inf')), value)


@register_kl(transformed.Independent, transformed.Independent)
def _independent(p, q):
    if p._reinterpreted_batch_rank != q._reinterpreted_batch_rank:
        raise NotImplementedError(
            "[kl_divergence] expected equal reinterpreted_batch_rank, got "
            f"{p._reinterpreted_batch_rank} and {q._reinterpreted_batch_rank}"
        )
    return transformed._sum_right(kl_divergence(p._base, q._base), p._reinterpreted_batch_rank)


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p, q):
    """By the Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise _unknown(p, q)
    mine = []
    for parameter in p._natural_parameters:
        parameter = parameter.detach()
        parameter.stop_gradient = False
        mine.append(parameter)
    theirs = q._natural_parameters
    normalizer = p._log_normalizer(*mine)
    grads = paddle.grad(normalizer.sum(), mine, create_graph=True)
    value = q._log_normalizer(*theirs) - normalizer
    for a, b, grad in zip(mine, theirs, grads):
        value = value - transformed._sum_right((b - a) * grad, (b - a).ndim - value.ndim)
    return value


_lazy.serve(globals())
