# SPDX-License-Identifier: Apache-2.0
"""Gamma, Dirichlet, beta, binomial and Poisson draws: the published package's streams under one
seed, the right distributions, and no draw outside the support at the ends of the uniform numbers
behind them."""

import numpy as np
import pytest
import scipy.stats

import paddle
from paddle import distribution as D

_F32 = 'float32'


def _drawn(make):
    paddle.seed(7)
    return make().numpy().ravel()[:6]


def _full(value, dtype=_F32):
    return paddle.full([6], value, dtype)


def _t(*values):
    return paddle.to_tensor(values, _F32)


# What the published package draws after paddle.seed(7).
STREAMS = {
    'gamma': (
        lambda: paddle.standard_gamma(_full(2.5)),
        [1.9622048, 2.1041017, 2.0320578, 3.3179064, 3.9465706, 2.0143278],
    ),
    'gamma64': (
        lambda: paddle.standard_gamma(_full(2.5, 'float64')),
        [
            1.962204667663044,
            2.1041015530250475,
            2.032057735794074,
            3.3179059616755016,
            3.9465708170287743,
            2.0143275778389365,
        ],
    ),
    'gamma_half': (
        lambda: paddle.standard_gamma(_full(0.5)),
        [2.713054, 0.12452538, 0.035300583, 0.013942999, 0.11128378, 0.21621862],
    ),
    'gamma_one': (
        lambda: paddle.standard_gamma(_full(1.0)),
        [0.5562161, 0.63223267, 0.5932686, 1.3823055, 1.8249776, 0.5837951],
    ),
    'gamma_zero': (lambda: paddle.standard_gamma(_full(0.0)), [1.1754944e-38] * 6),
    'binomial': (lambda: paddle.binomial(_full(10, 'int64'), _full(0.3)), [0, 5, 6, 6, 2, 4]),
    'binomial_many': (
        lambda: paddle.binomial(_full(1000, 'int32'), _full(0.3, 'float64')),
        [314, 307, 299, 324, 307, 320],
    ),
    'binomial_likely': (
        lambda: paddle.binomial(_full(1000.0), _full(0.9)),
        [891, 901, 884, 895, 887, 901],
    ),
    'binomial_above': (lambda: paddle.binomial(_full(10), _full(1.3)), [10] * 6),
    'binomial_below': (lambda: paddle.binomial(_full(-10), _full(0.3)), [0] * 6),
    'binomial_broadcast': (lambda: paddle.binomial(_full(10), _t(0.3)), [0, 5, 6, 6, 2, 4]),
    'poisson': (lambda: paddle.poisson(_full(4.5)), [1, 11, 9, 6, 8, 4]),
    'poisson_many': (lambda: paddle.poisson(_full(100.5)), [97, 122, 99, 105, 106, 101]),
    'dirichlet': (
        lambda: paddle._C_ops.dirichlet(_t(1, 2, 3)),
        [0.11872016, 0.34404123, 0.53723854],
    ),
    'Dirichlet': (
        lambda: D.Dirichlet(_t(1, 2, 3)).sample([2]),
        [0.11872016, 0.34404123, 0.53723854, 0.19325894, 0.45760158, 0.3491395],
    ),
    'Gamma': (
        lambda: D.Gamma(_t(2.5), _t(2.0)).rsample([6]),
        [0.9811024, 1.0520508, 1.0160289, 1.6589532, 1.9732853, 1.0071639],
    ),
    'Beta': (
        lambda: D.Beta(_t(2.5), _t(2.0)).sample([6]),
        [0.5490108, 0.42969486, 0.7201667, 0.22963, 0.63014376, 0.7779651],
    ),
    'Binomial': (
        lambda: D.Binomial(paddle.to_tensor([10]), _t(0.3)).sample([6]),
        [0.0, 5.0, 6.0, 6.0, 2.0, 4.0],
    ),
    'Poisson': (lambda: D.Poisson(_t(4.5)).sample([6]), [1.0, 11.0, 9.0, 6.0, 8.0, 4.0]),
    'Chi2': (
        lambda: D.Chi2(_t(3.0)).sample([6]),
        [2.036827, 2.2418373, 2.137304, 4.1132026, 5.1444654, 2.1117177],
    ),
    'normal_seed': (
        lambda: D.Normal(0.0, 1.0).sample([6], seed=5),
        [-0.22414042, 0.08405284, 0.7048575, -1.1006083, 0.39036235, -0.76953226],
    ),
    'uniform_seed': (
        lambda: D.Uniform(0.0, 1.0).sample([6], seed=5),
        [0.6730649, 0.03849461, 0.22528856, 0.67593217, 0.09036689, 0.09634243],
    ),
}


@pytest.mark.parametrize('name', STREAMS)
def test_streams(name):
    make, want = STREAMS[name]
    got = _drawn(make)
    assert np.array_equal(got, np.array(want, got.dtype)), got


def test_exponential_takes_the_published_stream():
    got = _drawn(lambda: D.Exponential(_t(0.3)).sample([6]))
    want = [14.023049, 1.3957595, 0.7332499, 2.5234842, 1.351409, 0.25855213]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_dtypes():
    assert paddle.binomial(_full(10), _full(0.3)).dtype == paddle.int64
    assert D.Binomial(10, _t(0.3)).sample([2]).dtype == paddle.float32
    assert paddle.standard_gamma(_full(2.5, 'float16')).dtype == paddle.float16
    assert paddle.standard_gamma(_full(2.5)).stop_gradient
    for bad in ('int64', 'complex64'):
        with pytest.raises(TypeError, match=r'\[standard_gamma\]'):
            paddle.standard_gamma(_full(2).astype(bad))


N = 20000


@pytest.mark.parametrize('alpha', [0.05, 0.3, 1.0, 2.5, 40.0, 1e4])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_gamma_distribution(alpha, dtype):
    paddle.seed(11)
    got = paddle.standard_gamma(paddle.full([N], alpha, dtype)).numpy()
    assert (got > 0).all() and np.isfinite(got).all()
    assert scipy.stats.kstest(got.astype('float64'), scipy.stats.gamma(alpha).cdf).pvalue > 1e-3
    assert abs(got.mean() - alpha) < 5 * np.sqrt(alpha / N)


@pytest.mark.parametrize(
    'n,p',
    [
        (1, 0.5),
        (10, 0.3),
        (30, 0.02),
        (40, 0.5),
        (1000, 0.01),
        (1000, 0.9),
        (10**6, 0.3),
        (10**12, 0.4),
    ],
)
def test_binomial_distribution(n, p):
    paddle.seed(12)
    got = paddle.binomial(paddle.full([N], n, 'int64'), paddle.full([N], p, 'float64')).numpy()
    assert (got >= 0).all() and (got <= n).all()
    # Of a discrete distribution: uniform within the step.
    law = scipy.stats.binom(n, p)
    low = law.cdf(got - 1)
    u = low + np.random.RandomState(0).rand(N) * (law.cdf(got) - low)
    assert scipy.stats.kstest(u, 'uniform').pvalue > 1e-3
    assert abs(got.mean() - n * p) < 5 * np.sqrt(n * p * (1 - p) / N)


@pytest.mark.parametrize('mean', [0.1, 4.5, 11.9, 12.0, 300.0, 1e6, 1e11])
def test_poisson_distribution(mean):
    paddle.seed(13)
    got = paddle.poisson(paddle.full([N], mean, 'float64')).numpy()
    law = scipy.stats.poisson(mean)
    low = law.cdf(got - 1)
    u = low + np.random.RandomState(0).rand(N) * (law.cdf(got) - low)
    assert scipy.stats.kstest(u, 'uniform').pvalue > 1e-3


def test_dirichlet_distribution():
    paddle.seed(14)
    alpha = np.array([0.5, 2.0, 7.5])
    got = paddle._C_ops.dirichlet(paddle.to_tensor(np.tile(alpha, (N, 1)))).numpy()
    np.testing.assert_allclose(got.sum(1), 1, rtol=1e-12)
    for k in range(3):
        law = scipy.stats.beta(alpha[k], alpha.sum() - alpha[k])
        assert scipy.stats.kstest(got[:, k], law.cdf).pvalue > 1e-3
    tiny = paddle._C_ops.dirichlet(paddle.full([1000, 2], 1e-4)).numpy()
    assert np.isfinite(tiny).all()
    assert paddle._C_ops.dirichlet(paddle.zeros([0, 3])).shape == [0, 3]
    assert paddle._C_ops.dirichlet(paddle.zeros([3, 0])).shape == [3, 0]


def test_no_endless_draws():
    nan, inf = float('nan'), float('inf')
    assert np.isnan(paddle.standard_gamma(_full(nan)).numpy()).all()
    assert np.isinf(paddle.standard_gamma(_full(inf)).numpy()).all()
    assert (paddle.standard_gamma(_full(-1.0)).numpy() > 0).all()
    for count, prob in ((nan, 0.5), (inf, 0.5), (10.0, nan)):
        with pytest.raises(ValueError, match=r'\[binomial\]'):
            paddle.binomial(_full(count), _full(prob))
    for mean in (nan, inf, -1.0, 1e30):
        with pytest.raises(ValueError, match=r'\[poisson\]'):
            paddle.poisson(_full(mean))
    paddle.binomial(_full(2**62, 'int64'), _full(0.5, 'float64'))


def test_random_ops_compile():
    for draw in (
        lambda x: paddle.standard_gamma(x + 1),
        lambda x: paddle.binomial(x * 10, x / 2),
        lambda x: paddle._C_ops.dirichlet(x + 1),
        lambda x: D.Beta(x + 1, x + 2).sample([3]),
    ):
        x = paddle.linspace(0.1, 1.0, 64)
        paddle.seed(3)
        want = draw(x).numpy()
        compiled = paddle.jit.to_static(draw, full_graph=True)
        paddle.seed(3)
        assert np.array_equal(compiled(x).numpy(), want)
        assert not np.array_equal(compiled(x).numpy(), want)


@pytest.mark.parametrize('low,high', [(9.0, 10.0), (-10.0, -9.0), (-2.0, 2.0), (-100.0, 100.0)])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16'])
def test_truncated_normal_stays_inside(low, high, dtype):
    # 9 deviations out, the share below is 1 or 0 in every draw: its inverse is infinite.
    paddle.seed(0)
    layer = paddle.create_parameter(
        [5000], dtype, default_initializer=paddle.nn.initializer.TruncatedNormal(a=low, b=high)
    )
    got = layer.numpy()
    assert np.isfinite(got).all() and got.min() >= low and got.max() <= high


def test_truncated_normal_at_the_end_of_the_uniform_numbers():
    paddle.seed(0)
    got = paddle._C_ops.truncated_gaussian_random(
        [19410026], 0.0, 0.02, 0, -2.0, 2.0, paddle.float32
    ).numpy()
    np.testing.assert_allclose(got[19410025], -0.02 * 5.4199834, rtol=1e-6)  # of 1 - 2^-24
    assert np.abs(got).max() < 0.11


def test_samplers_at_the_ends_of_the_uniform_numbers(monkeypatch):
    ends = [0.0, 1 - 2.0**-24, 2.0**-24, 0.5]
    monkeypatch.setattr(
        paddle, 'rand', lambda shape, dtype=None, **_: paddle.to_tensor(ends).astype(dtype)
    )
    one, two = _t(*[1.0] * 4), _t(*[2.0] * 4)
    for law in (
        D.Laplace(one, two),
        D.Gumbel(one, two),
        D.Cauchy(one, two),
        D.Geometric(one / 4),
        D.Exponential(two),
        D.ContinuousBernoulli(one / 4),
    ):
        drawn = law.sample([])
        assert np.isfinite(drawn.numpy()).all(), (law, drawn)
        if not isinstance(law, D.Geometric):
            assert np.isfinite(law.log_prob(drawn).numpy()).all(), (law, drawn)


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16', 'float32'])
def test_gumbel_softmax_is_finite_and_chooses_one(dtype):
    paddle.seed(0)
    x = paddle.zeros([4000, 8], dtype)
    for hard in (False, True):
        got = paddle.nn.functional.gumbel_softmax(x, hard=hard).astype('float32').numpy()
        assert np.isfinite(got).all()
        np.testing.assert_allclose(got.sum(1), 1, rtol=2e-2)
    assert set(np.unique(got)) == {0.0, 1.0}


# Of the published package at seed 7 (which rounds the probability of geometric_ to float32 unless
# it is a tensor).
IN_PLACE = {
    'cauchy_': (
        lambda x: x.cauchy_(),
        [2.0655327008026942, -0.3148206398825005, 0.188588858403473, -1.21503918796685],
    ),
    'cauchy_ moved': (
        lambda x: x.cauchy_(1.5, 2.5),
        [6.663831752006736, 0.7129484002937488, 1.9714721460086824, -1.537597969917],
    ),
    'geometric_': (
        lambda x: x.geometric_(0.3),
        [11.794814929425137, 1.173976040366251, 0.6167380005511848, 2.1225078926293475],
    ),
    'normal_': (
        lambda x: x.normal_(),
        [-0.14351846337610857, 1.4029162338188486, 0.5593328419849872, 0.2191945551574],
    ),
    'log_normal_': (
        lambda x: x.log_normal_(),
        [2.040027061578473, 44.96266450082079, 8.32002853046757, 4.213902214979255],
    ),
}


@pytest.mark.parametrize('name', IN_PLACE)
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'bfloat16'])
def test_streams_in_place(name, dtype):
    call, want = IN_PLACE[name]
    paddle.seed(7)
    x = paddle.zeros([4], dtype)
    assert call(x) is x and str(x.dtype) == f'paddle.{dtype}'
    np.testing.assert_allclose(
        x.astype('float64').numpy(),
        want,
        rtol={'float32': 3e-6, 'float64': 1e-9, 'bfloat16': 0.01}[dtype],
    )


# dtype, bounds: what the published package draws at seed 7.
RANDOM = [
    ('int64', (), [274713354619019367, 2912431379916146662, 5580857066415238898]),
    ('int64', (5,), [0, 4, 0]),
    ('int64', (5, 9), [8, 6, 6]),
    ('int64', (-3, 3), [2, 0, -2]),
    ('int64', (0, 2**32), [757031015, 3365554149, 3924340465]),
    ('int64', (0, 2**32 - 1), [820992702, 1896173774, 3076251360]),
    (
        'int64',
        (-(2**63), 2**63 - 1),
        [-8948658682235756441, 2912431379916146661, 5580857066415238897],
    ),
    ('int32', (), [884954389, 426793401, 80678610]),
    ('float32', (), [2056295, 10110949, 15249137]),
    ('float64', (), [4497376976789607, 3106020634806245, 5400727730564849]),
    ('float16', (), [103, 2021, 1777]),
]


@pytest.mark.parametrize('dtype, bounds, want', RANDOM)
def test_random_in_place(dtype, bounds, want):
    paddle.seed(7)
    x = paddle.zeros([3], dtype)
    assert x.random_(*bounds) is x
    assert [int(v) for v in x.tolist()] == want
    if len(bounds) == 2:
        paddle.seed(7)
        assert paddle._C_ops.random(x, *bounds).tolist() == x.tolist()
        paddle.seed(7)
        assert paddle._C_ops.random(x, from_=bounds[0], to=bounds[1]).tolist() == x.tolist()


@pytest.mark.parametrize(
    'dtype, bounds',
    [
        ('int64', (5, 5)),
        ('int64', (9, 5)),
        ('int8', (0, 129)),
        ('uint8', (-1, 5)),
        ('int32', (0, 2**40)),
        ('float16', (0, 2**20)),
    ],
)
def test_random_refuses(dtype, bounds):
    x = paddle.zeros([3], dtype)
    with pytest.raises(ValueError, match='random'):
        x.random_(*bounds)
    assert x.tolist() == [0, 0, 0]
    assert paddle.zeros([3], 'int8').random_(0, 128).dtype == paddle.int8


def test_signatures_are_valid_python():
    import inspect

    assert list(inspect.signature(paddle._C_ops.random).parameters) == ['x', 'from_', 'to']


def test_binomial_broadcasts():
    paddle.seed(3)
    got = paddle.binomial(paddle.to_tensor([[10.0], [0.0]]), paddle.to_tensor([0.0, 0.5, 1.0]))
    assert got.shape == [2, 3] and got[0].tolist()[::2] == [0, 10] and got[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize('dtype', ['int32', 'int64'])
@pytest.mark.parametrize(
    'seed, classes, samples, label, remapped, sampled',
    [
        (5, 20, 6, [3, 17, 3, 0], [1, 2, 1, 0], [0, 3, 17, 13, 4, 1]),
        (5, 20, 2, [3, 17, 3, 0], [1, 2, 1, 0], [0, 3, 17]),
        (123, 1000, 8, [11, 5, 20, 1, 5], [2, 1, 3, 0, 1], [1, 5, 11, 20, 313, 555, 938, 736]),
        (123, 10, 10, [2, 2], [0, 0], [2, 3, 5, 9, 7, 1, 8, 4, 0, 6]),
    ],
)
def test_class_centers_of_a_fixed_seed(seed, classes, samples, label, remapped, sampled, dtype):
    label = paddle.to_tensor(label, dtype)
    got = paddle._C_ops.class_center_sample(label, classes, samples, 0, 0, 1, True, seed)
    assert [g.numpy().tolist() for g in got] == [remapped, sampled]
    assert [g.dtype for g in got] == [label.dtype] * 2


def test_class_centers_follow_the_seed_of_the_process():
    def draw():
        paddle.seed(7)
        label = paddle.to_tensor([1, 5])
        return paddle.nn.functional.class_center_sample(label, 1000, 20)[1].numpy().tolist()

    first = draw()
    assert first == draw() and first[:2] == [1, 5] and len(set(first)) == 20


@pytest.mark.parametrize(
    'label, samples, error',
    [
        ([30], 6, ValueError),
        ([-1], 6, ValueError),
        ([1], 21, ValueError),
        ([1], 0, ValueError),
        ([[1]], 6, ValueError),
        ([1.0], 6, RuntimeError),
    ],
)
def test_class_centers_refused(label, samples, error):
    with pytest.raises(error, match=r'\[class_center_sample\] expected'):
        paddle.nn.functional.class_center_sample(paddle.to_tensor(label), 20, samples)


# What the published package draws of complex numbers after paddle.seed(3).
COMPLEX = {
    'uniform': (
        lambda: paddle.uniform([3], 'complex64'),
        [0.30293643 + 0.61465549j, 0.65055925 + 0.39851284j, 0.2794044 + 0.56510818j],
    ),
    'normal_': (
        lambda: paddle.zeros([3], 'complex64').normal_(),
        [0.71894652 - 0.94101268j, 0.54517442 - 1.04890811j, 0.91072351 - 1.41958725j],
    ),
    'log_normal_': (
        lambda: paddle.zeros([3], 'complex64').log_normal_(),
        [7.27678776 - 8.83886147j, 3.68429685 - 7.1998205j, -4.45512581 - 16.1996975j],
    ),
}


@pytest.mark.parametrize('name', COMPLEX)
def test_complex_draws_are_those_of_the_published_package(name):
    draw, want = COMPLEX[name]
    paddle.seed(3)
    np.testing.assert_allclose(draw().numpy(), np.array(want, 'complex64'), rtol=2e-6)


@pytest.mark.parametrize('dtype', ['bool', 'int8', 'uint8', 'int32', 'int64', 'complex64'])
def test_draws_of_a_dtype_that_holds_none_are_refused(dtype):
    x = paddle.zeros([3], dtype)
    calls = [
        x.uniform_,
        x.exponential_,
        x.bernoulli_,
        x.cauchy_,
        lambda: x.geometric_(0.5),
        lambda: paddle.bernoulli(x),
        lambda: paddle.poisson(x),
        lambda: paddle._C_ops.uniform_inplace(x, -1.0, 1.0, 0, 0, 0, 1.0),
    ]
    if dtype != 'complex64':
        calls += [x.normal_, x.log_normal_, lambda: paddle._C_ops.gaussian_inplace(x, 0.0, 1.0, 0)]
    for call in calls:
        with pytest.raises(RuntimeError, match='expected a (floating )?dtype'):
            call()
    assert x.tolist() == paddle.zeros([3], dtype).tolist()


def test_drawn_integers_fit_in_their_dtype():
    for call in (
        lambda: paddle.randint(0, 5, [3], 'complex64'),
        lambda: paddle.randint(0, 5, [3], 'bool'),
        lambda: paddle.randperm(3, 'complex64'),
        lambda: paddle.randperm(2, 'bool'),
        lambda: paddle.multinomial(paddle.ones([3], 'complex64')),
    ):
        with pytest.raises(RuntimeError, match='expected a dtype with a kernel'):
            call()
    for call in (
        lambda: paddle.randint(0, 300, [3], 'int8'),
        lambda: paddle.randint(0, 1 << 20, [3], 'float16'),
        lambda: paddle.randperm(129, 'int8'),
        lambda: paddle.randperm(257, 'bfloat16'),
    ):
        with pytest.raises(ValueError, match='expected (integers that fit|n whose numbers)'):
            call()
    assert sorted(paddle.randperm(256, 'bfloat16').tolist()) == list(range(256))
    assert sorted(paddle.randperm(128, 'int8').tolist()) == list(range(128))
    assert set(paddle.randint(-1, 2, [100], 'float16').tolist()) == {-1.0, 0.0, 1.0}
