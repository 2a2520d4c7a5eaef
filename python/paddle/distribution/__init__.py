# SPDX-License-Identifier: Apache-2.0
"""Probability distributions and transforms of them."""

from paddle import _lazy

from . import transform
from .discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    ContinuousBernoulli,
    Geometric,
    Multinomial,
    Poisson,
)
from .distribution import Distribution, ExponentialFamily
from .gamma_family import Beta, Chi2, Dirichlet, Exponential, Gamma
from .kl import kl_divergence, register_kl
from .lkj import LKJCholesky
from .location_scale import Cauchy, Gumbel, Laplace, LogNormal, Normal, StudentT, Uniform
from .transform import *  # noqa: F403
from .transformed import Independent, MultivariateNormal, TransformedDistribution

__all__ = [
    'Bernoulli',
    'Beta',
    'Binomial',
    'Categorical',
    'Cauchy',
    'Chi2',
    'ContinuousBernoulli',
    'Dirichlet',
    'Distribution',
    'Exponential',
    'ExponentialFamily',
    'Gamma',
    'Geometric',
    'Gumbel',
    'Independent',
    'LKJCholesky',
    'Laplace',
    'LogNormal',
    'Multinomial',
    'MultivariateNormal',
    'Normal',
    'Poisson',
    'StudentT',
    'TransformedDistribution',
    'Uniform',
    'kl_divergence',
    'register_kl',
    *transform.__all__,
]

_lazy.serve(globals())
