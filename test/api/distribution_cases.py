# SPDX-License-Identifier: Apache-2.0
"""Distributions, points and partners for KL divergences, used to record values and to check
them.
"""

import numpy as np

import paddle

X, POSITIVE, COUNTS = [0.1, 0.4, 0.7], [0.5, 1.5, 2.5], [0.0, 1.0, 2.0]
# name: (class, parameters, points, parameters of the KL partner or None)
CASES = {
    'normal': ('Normal', ([0.0, 1.0, 2.0], [1.0, 2.0, 0.5]), X, ([1.0, 1.0, 1.0], [0.5, 1.0, 2.0])),
    'lognormal': (
        'LogNormal',
        ([0.0, 1.0, 2.0], [1.0, 2.0, 0.5]),
        POSITIVE,
        ([1.0, 1.0, 1.0], [0.5, 1.0, 2.0]),
    ),
    'uniform': (
        'Uniform',
        ([0.0, 0.0, -1.0], [1.0, 2.0, 0.9]),
        X,
        ([-1.0, 0.0, -2.0], [1.0, 2.0, 3.0]),
    ),
    'laplace': (
        'Laplace',
        ([0.0, 1.0, 2.0], [1.0, 2.0, 0.5]),
        X,
        ([1.0, 1.0, 1.0], [0.5, 1.0, 2.0]),
    ),
    'gumbel': ('Gumbel', ([0.0, 1.0, 2.0], [1.0, 2.0, 0.5]), X, None),
    'cauchy': ('Cauchy', ([0.0, 1.0, 2.0], [1.0, 2.0, 0.5]), X, ([1.0, 1.0, 1.0], [0.5, 1.0, 2.0])),
    'studentt': ('StudentT', ([3.0, 4.0, 5.0], [0.0, 1.0, 2.0], [1.0, 2.0, 0.5]), X, None),
    'bernoulli': ('Bernoulli', ([0.2, 0.5, 0.9],), [0.0, 1.0, 1.0], ([0.3, 0.4, 0.5],)),
    'multinomial': ('Multinomial', (5, [0.2, 0.3, 0.5]), [1.0, 2.0, 2.0], None),
    'poisson': ('Poisson', ([0.2, 3.0, 5.0],), COUNTS, ([1.0, 2.0, 3.0],)),
    'geometric': ('Geometric', ([0.2, 0.3, 0.5],), COUNTS, None),
    'continuous_bernoulli': ('ContinuousBernoulli', ([0.2, 0.5, 0.9],), X, ([0.3, 0.4, 0.5],)),
    'gamma': (
        'Gamma',
        ([1.0, 2.0, 3.0], [1.0, 2.0, 0.5]),
        POSITIVE,
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0]),
    ),
    'exponential': ('Exponential', ([1.0, 2.0, 3.0],), POSITIVE, ([2.0, 2.0, 2.0],)),
    'beta': ('Beta', ([1.0, 2.0, 3.0], [1.0, 2.0, 0.5]), X, ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0])),
    'dirichlet': ('Dirichlet', ([1.0, 2.0, 3.0],), [0.2, 0.3, 0.5], ([2.0, 2.0, 2.0],)),
}


def tensors(values):
    """Lists as float64 tensors; other values as they are."""
    return [paddle.to_tensor(np.array(v, 'float64')) if isinstance(v, list) else v for v in values]


def measure(name):
    """Mean, variance, entropy, log_prob and kl of a case, as lists."""
    kind, parameters, points, partner = CASES[name]
    made = getattr(paddle.distribution, kind)(*tensors(parameters))
    out = {}
    for what in ('mean', 'variance'):
        try:
            out[what] = getattr(made, what)
        except (ValueError, NotImplementedError):
            pass
    out['entropy'] = made.entropy()
    out['log_prob'] = getattr(made, 'log_pmf', made.log_prob)(tensors([points])[0])
    if partner is not None:
        other = getattr(paddle.distribution, kind)(*tensors(partner))
        for divergence in (paddle.distribution.kl_divergence, type(made).kl_divergence):
            try:
                out.setdefault('kl', divergence(made, other))
            except NotImplementedError:
                pass
    return {
        key: np.asarray(value.numpy(), 'float64').reshape(-1).tolist() for key, value in out.items()
    }
