# SPDX-License-Identifier: Apache-2.0
"""Distributions, points and partners for KL divergences, used to record values and to check them."""
import numpy as np

import paddle

X, POSITIVE, COUNTS = [.1, .4, .7], [.5, 1.5, 2.5], [0., 1., 2.]
# name: (class, parameters, points, parameters of the KL partner or None)
CASES = {
    'normal': ('Normal', ([0., 1., 2.], [1., 2., .5]), X, ([1., 1., 1.], [.5, 1., 2.])),
    'lognormal': ('LogNormal', ([0., 1., 2.], [1., 2., .5]), POSITIVE, ([1., 1., 1.], [.5, 1., 2.])),
    'uniform': ('Uniform', ([0., 0., -1.], [1., 2., .9]), X, ([-1., 0., -2.], [1., 2., 3.])),
    'laplace': ('Laplace', ([0., 1., 2.], [1., 2., .5]), X, ([1., 1., 1.], [.5, 1., 2.])),
    'gumbel': ('Gumbel', ([0., 1., 2.], [1., 2., .5]), X, None),
    'cauchy': ('Cauchy', ([0., 1., 2.], [1., 2., .5]), X, ([1., 1., 1.], [.5, 1., 2.])),
    'studentt': ('StudentT', ([3., 4., 5.], [0., 1., 2.], [1., 2., .5]), X, None),
    'bernoulli': ('Bernoulli', ([.2, .5, .9],), [0., 1., 1.], ([.3, .4, .5],)),
    'multinomial': ('Multinomial', (5, [.2, .3, .5]), [1., 2., 2.], None),
    'poisson': ('Poisson', ([.2, 3., 5.],), COUNTS, ([1., 2., 3.],)),
    'geometric': ('Geometric', ([.2, .3, .5],), COUNTS, None),
    'continuous_bernoulli': ('ContinuousBernoulli', ([.2, .5, .9],), X, ([.3, .4, .5],)),
    'gamma': ('Gamma', ([1., 2., 3.], [1., 2., .5]), POSITIVE, ([2., 2., 2.], [1., 1., 1.])),
    'exponential': ('Exponential', ([1., 2., 3.],), POSITIVE, ([2., 2., 2.],)),
    'beta': ('Beta', ([1., 2., 3.], [1., 2., .5]), X, ([2., 2., 2.], [1., 1., 1.])),
    'dirichlet': ('Dirichlet', ([1., 2., 3.],), [.2, .3, .5], ([2., 2., 2.],)),
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
    return {key: np.asarray(value.numpy(), 'float64').reshape(-1).tolist() for key, value in out.items()}
