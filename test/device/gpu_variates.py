# SPDX-License-Identifier: Apache-2.0
"""Draws with parameters of each element on gpu:0: the streams that PaddlePaddle's kernels have,
against numpy's, and the distributions by chi-square and Kolmogorov-Smirnov tests at fixed seeds.
The argument is how many threads the GPU runs at once.
"""

import sys

import numpy as np
import paddle
import paddle.nn.functional as F
import philox
import pytest
from paddle.base import core
from philox import at, drawn
from scipy import stats

RESIDENT = int(sys.argv[1])
SEED = 0x123456789ABCDEF
paddle.set_device('gpu:0')
LEAST = 1e-4  # of the probability that a right sampler is as far off as this


def counts_fit(draws, distribution):
    """Integers, by chi-square over classes of which ten draws or more are expected."""
    n = draws.size
    low, high = distribution.ppf([1e-12, 1 - 1e-12]).astype(int)
    values = np.arange(low, high + 1)
    expected = n * distribution.pmf(values)
    classes = np.cumsum(expected) // 10
    sums = np.bincount(classes.astype(int), expected)
    seen = np.bincount(classes.astype(int), np.bincount(draws - low, minlength=values.size))
    keep = sums > 5
    sums, seen = sums[keep], seen[keep]
    assert draws.min() >= low and draws.max() <= high
    assert stats.chisquare(seen, sums * seen.sum() / sums.sum()).pvalue > LEAST, distribution.args


def here(values, dtype='float32'):
    return paddle.to_tensor(np.asarray(values), dtype=dtype)


def numpy_of(x, dtype):
    assert x.place.is_gpu_place()
    return x.cpu().astype('float64').numpy().astype(dtype)


# Bernoulli: four neighbours a thread, the number at most the probability.
for n, offset in ((1, 0), (4 * RESIDENT + 700, 12)):
    share = np.linspace(0, 1, n).astype('float32')
    numbers, which = philox.neighbours(SEED, offset, n, RESIDENT)
    want = philox.unit(philox.pick(numbers, which)) <= share
    for dtype in ('float32', 'float64'):
        at(SEED, offset)
        got = paddle.bernoulli(here(share, dtype))
        assert str(got.dtype).endswith(dtype)
        np.testing.assert_array_equal(got.numpy(), want)
        assert drawn() == (SEED, offset + 4 * -(-n // (4 * RESIDENT)))

# With replacement: rows in units of 128 subsequences, where a number of their sum falls.
weights = np.random.RandomState(0).rand(5, 37)
weights[:, ::3] = 0
for k in (1, 130):
    at(SEED, 8)
    got = paddle.multinomial(here(weights, 'float64'), k, True).numpy()
    width = -(-k // 128) * 128
    number = philox.block(SEED, np.arange(5)[:, None] * width + np.arange(k), 2)[0]
    sums = np.cumsum(weights, 1)
    u = philox.unit(number).astype('float64') * sums[:, -1:]
    want = [np.searchsorted(sums[r], u[r]) for r in range(5)]
    np.testing.assert_array_equal(got, want)
    assert drawn() == (SEED, 12)

# Without: the largest quotients of weights by exponential numbers.
at(SEED, 0)
q = paddle.zeros([5, 37]).exponential_(1.0).numpy()
at(SEED, 0)
got = paddle.multinomial(here(weights), 20).numpy()
np.testing.assert_array_equal(got, np.argsort(-(weights.astype('float32') / q), 1)[:, :20])
at(SEED, 0)
np.testing.assert_array_equal(paddle.multinomial(here(weights)).numpy(), got[:, :1])

# rrelu: a uniform number for each element, used where x is negative.
x = np.linspace(-2, 2, 999).astype('float32')
for dtype in ('float32', 'bfloat16'):
    at(SEED, 4)
    u = numpy_of(paddle.uniform([999], dtype, 0.1, 0.3), 'float32')
    at(SEED, 4)
    given = here(x, dtype)
    given.stop_gradient = False
    out = F.rrelu(given, 0.1, 0.3)
    out.sum().backward()
    noise = np.where(numpy_of(given, 'float32') < 0, u, np.float32(1))
    np.testing.assert_array_equal(numpy_of(given.grad, 'float32'), noise)
    want = here(numpy_of(given, 'float32') * noise, 'float32').astype(dtype)
    np.testing.assert_array_equal(numpy_of(out, 'float32'), numpy_of(want, 'float32'))
assert F.rrelu(here([-1.0, 2.0]), 0.1, 0.3, training=False).tolist() == [np.float32(-0.2), 2.0]

# The distributions, over means on both sides of where the methods change.
N = 4000
paddle.seed(5)
for mean in (0.3, 4.0, 9.9, 10.0, 57.0, 4096.0):
    counts_fit(numpy_of(paddle.poisson(paddle.full([N], mean)), 'int64'), stats.poisson(mean))
wide = numpy_of(paddle.poisson(paddle.full([N], 4.0, 'bfloat16')), 'int64')
counts_fit(wide, stats.poisson(4.0))
assert paddle.poisson(paddle.zeros([9])).tolist() == [0.0] * 9
for n, share in ((7, 0.2), (40, 0.5), (40, 0.9), (1000, 0.01), (1000, 0.3), (10**6, 0.7)):
    draws = paddle.binomial(paddle.full([N], n, 'int64'), here([share]))
    counts_fit(draws.numpy(), stats.binom(n, np.float32(share)))
draws = paddle.binomial(here([3, 5, 0, 6], 'int64'), here([0.0, 1.0, 0.5, 1.0]))
assert draws.tolist() == [0, 5, 0, 6] and draws.place.is_gpu_place()
for dtype, shape in (('float32', 0.2), ('float32', 1.0), ('float64', 7.5), ('float64', 300.0)):
    draws = numpy_of(paddle.standard_gamma(paddle.full([N], shape, dtype)), 'float64')
    assert stats.kstest(draws, stats.gamma(np.float32(shape)).cdf).pvalue > LEAST, shape
least = paddle.standard_gamma(here([0.0, -1.0, np.nan, np.inf])).numpy()
assert (least[:2] == np.finfo('float32').tiny).all() and np.isnan(least[2]) and least[3] == np.inf
beta = numpy_of(paddle.distribution.Beta(2.0, 0.5).sample([N]).flatten(), 'float64')
assert stats.kstest(beta, stats.beta(2, 0.5).cdf).pvalue > LEAST
shares = paddle.distribution.Dirichlet(here([0.5, 1.5, 3.0])).sample([N]).numpy()
np.testing.assert_allclose(shares.sum(1), 1, 1e-5)
assert stats.kstest(shares[:, 2].astype('float64'), stats.beta(3, 2).cdf).pvalue > LEAST
p = np.array([0.1, 0.0, 0.2, 0.4, 0.3])
for k, again in ((1, True), (1, False), (2, True)):
    draws = paddle.multinomial(here(np.tile(p, (N, 1))), k, again).numpy()
    seen = np.bincount(draws.ravel(), minlength=5)
    assert seen[1] == 0
    assert stats.chisquare(seen[[0, 2, 3, 4]], p[[0, 2, 3, 4]] * N * k).pvalue > LEAST
pairs = paddle.multinomial(here(np.tile(p, (N, 1))), 2).numpy()
of = [p[i] * p[j] / (1 - p[i]) for i in (0, 2, 3, 4) for j in (0, 2, 3, 4) if i != j]
seen = [(pairs == [i, j]).all(1).sum() for i in (0, 2, 3, 4) for j in (0, 2, 3, 4) if i != j]
assert sum(seen) == N and stats.chisquare(seen, np.array(of) * N).pvalue > LEAST
assert paddle.multinomial(here([0, 0, 5], 'int64'), 3, True).tolist() == [2, 2, 2]
sums = paddle.multinomial(here(np.ones(3000)), 3000).numpy()
assert sorted(sums) == list(range(3000))

# What is wrong is said as on the CPU.
for error, words, draw, *given in (
    (IndexError, r'probabilities in \[0, 1\], got 1.5', paddle.bernoulli, here([0.5, 1.5])),
    (ValueError, 'means in .*, got -1', paddle.poisson, here([2.0, -1.0])),
    (ValueError, 'counts below', paddle.binomial, here([2], 'int64'), here([np.nan])),
    (ValueError, 'non-negative probabilities, got -1', paddle.multinomial, here([1.0, -1.0])),
    (ValueError, 'probabilities, got inf', paddle.multinomial, here([1.0, np.inf]), 1, True),
    (ValueError, 'at least 2 positive .* got 1', paddle.multinomial, here([1.0, 0.0]), 2),
    (ValueError, 'at least 1 positive .* got 0', paddle.multinomial, here([0.0]), 2, True),
):
    with pytest.raises(error, match=words):
        draw(*given)

# The host's generator, where it is asked for.
core.draw_on_host(True)
both = []
for place in ('cpu', 'gpu:0'):
    paddle.set_device(place)
    paddle.seed(3)
    x = here([0.3, 0.7, 2.0])
    draws = (paddle.poisson(x), paddle.multinomial(x, 2), paddle.standard_gamma(x), F.rrelu(-x))
    both.append([v.tolist() for v in draws])
assert both[0] == both[1]
