# SPDX-License-Identifier: Apache-2.0
"""Arguments that were accepted and ignored: each has its effect or is refused."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


@pytest.fixture
def image():
    return paddle.to_tensor(np.random.RandomState(0).rand(2, 3, 8, 8).astype('float32'))


def test_std_and_var_corrections():
    v = np.array([1.0, 2.0, 4.0, 8.0])
    x = paddle.to_tensor(v)
    for correction in (0, 1, 1.5, 2, 3):
        want = ((v - v.mean()) ** 2).sum() / (4 - correction)
        for call in (paddle.var, paddle.Tensor.var):
            np.testing.assert_allclose(call(x, correction=correction).item(), want)
        for call in (paddle.std, paddle.Tensor.std):
            np.testing.assert_allclose(call(x, correction=correction).item(), want**0.5)
    np.testing.assert_allclose(paddle.std(x, unbiased=False).item(), v.std())
    for call in (paddle.var, paddle.std):
        with pytest.raises(ValueError, match='one of unbiased and correction'):
            call(x, unbiased=False, correction=2)


def test_std_of_integers():
    x = paddle.to_tensor([[1, -2], [3, 4]])
    np.testing.assert_allclose(paddle.std(x).item(), 7**0.5, rtol=1e-6)
    np.testing.assert_allclose(paddle.var(x, 0).numpy(), [2, 18])


def test_mean_in_another_dtype():
    assert paddle.mean(paddle.to_tensor([1, 2]), dtype='float64').numpy() == np.float64(1.5)
    assert paddle.mean(paddle.to_tensor([1.0, 2.0]), dtype='float64').dtype == paddle.float64
    assert paddle.to_tensor([1, 2]).mean(dtype=paddle.float32).item() == 1.5
    got = paddle.mean(paddle.to_tensor([1.0, 2.0, 4.0, 8.0]), dtype='int64')
    assert got.dtype == paddle.int64 and got.item() == 3
    got = paddle.mean(paddle.to_tensor([1.0, 2.0]), dtype='bool')
    assert got.dtype == paddle.bool and got.item()
    compiled = paddle.jit.to_static(lambda x: paddle.mean(x, 0, dtype='float64'), full_graph=True)
    assert compiled(paddle.to_tensor([1, 2])).item() == 1.5


@pytest.mark.parametrize('backend', ['CINN', None])
def test_sums_of_elements_in_another_dtype(backend):
    x = paddle.to_tensor([[0.75, 2.5], [0.75, -1.5]])
    for call, want in ((paddle.sum, 1), (paddle.nansum, 1), (paddle.mean, 0)):
        static = paddle.jit.to_static(
            lambda x: call(x, dtype='int32'), full_graph=True, backend=backend
        )
        for got in (call(x, dtype='int32'), static(x)):
            assert got.dtype == paddle.int32 and got.item() == want
    bytes_ = paddle.full([300], 200, 'uint8')
    assert (
        paddle.sum(bytes_).item() == 60000 and paddle.sum(bytes_, dtype='float64').item() == 60000
    )


def test_scale_activations():
    x = paddle.to_tensor([1.0, -2.0, 4.0])
    for act in ('relu', 'tanh', 'sigmoid'):
        want = getattr(F, act)(x * -2.0 + 1.0).numpy()
        np.testing.assert_array_equal(paddle.scale(x, -2.0, 1.0, True, act).numpy(), want)
        compiled = paddle.jit.to_static(
            lambda x: paddle.scale(x, -2.0, 1.0, act=act), full_graph=True
        )
        np.testing.assert_array_equal(compiled(x).numpy(), want)
    y = paddle.assign(x)
    assert paddle.scale_(y, -2.0, 1.0, act='relu') is y
    np.testing.assert_array_equal(y.numpy(), [0.0, 5.0, 0.0])
    with pytest.raises(AttributeError):
        paddle.scale(x, act='no such activation')


def test_instance_norm_layouts(image):
    weight, bias = paddle.to_tensor([1.0, 2.0, 3.0]), paddle.to_tensor([0.5, 0.0, -1.0])
    want = F.instance_norm(image, weight=weight, bias=bias).numpy()
    got = F.instance_norm(
        image.transpose([0, 2, 3, 1]), weight=weight, bias=bias, data_format='NHWC'
    )
    np.testing.assert_array_equal(got.transpose([0, 3, 1, 2]).numpy(), want)
    layer = paddle.nn.InstanceNorm2D(3, data_format='NHWC')
    np.testing.assert_allclose(
        layer(image.transpose([0, 2, 3, 1])).transpose([0, 3, 1, 2]).numpy(),
        paddle.nn.InstanceNorm2D(3)(image).numpy(),
    )
    with pytest.raises(ValueError, match='data_format'):
        F.instance_norm(image, data_format='CHWN')


def test_instance_norm_running_statistics(image):
    x = image.numpy()
    mean, variance = paddle.to_tensor([0.5, 0.25, 0.0]), paddle.to_tensor([2.0, 1.0, 0.5])
    m, v = (t.numpy().reshape(1, 3, 1, 1) for t in (mean, variance))
    got = F.instance_norm(image, mean, variance, use_input_stats=False, eps=0.1)
    np.testing.assert_allclose(
        got.numpy(), (x - m) / np.sqrt(v + np.float32(0.1)), rtol=1e-5, atol=1e-6
    )
    F.instance_norm(image, mean, variance, momentum=0.75)
    np.testing.assert_allclose(mean.numpy(), 0.75 * m.ravel() + 0.25 * x.mean((0, 2, 3)), rtol=1e-5)
    np.testing.assert_allclose(
        variance.numpy(), 0.75 * v.ravel() + 0.25 * x.var((2, 3)).mean(0), rtol=1e-5
    )
    for kw in (dict(use_input_stats=False), dict(running_mean=mean), dict(running_var=variance)):
        with pytest.raises(ValueError, match=r'\[instance_norm\]'):
            F.instance_norm(image, **kw)


# Of the published package: the sum, and the sum weighted by position.
@pytest.mark.parametrize(
    'mode,kw,total,weighted',
    [
        ('bilinear', dict(size=[4, 3]), 36.0054, 1275.96),
        ('bilinear', dict(scale_factor=[0.6, 0.7]), 59.7981, 3502.69),
        ('bicubic', dict(size=[4, 3]), 35.9761, 1274.58),
        ('bicubic', dict(scale_factor=[0.6, 0.7]), 59.7867, 3504.34),
    ],
)
def test_interpolate_antialias(image, mode, kw, total, weighted):
    got = F.interpolate(image, mode=mode, antialias=True, **kw)
    flat = got.numpy().ravel().astype('float64')
    np.testing.assert_allclose(flat.sum(), total, rtol=3e-6)
    np.testing.assert_allclose((flat * np.arange(flat.size)).sum(), weighted, rtol=1e-5)
    last = F.interpolate(
        image.transpose([0, 2, 3, 1]), mode=mode, antialias=True, data_format='NHWC', **kw
    )
    np.testing.assert_array_equal(last.transpose([0, 3, 1, 2]).numpy(), got.numpy())
    compiled = paddle.jit.to_static(
        lambda x: F.interpolate(x, mode=mode, antialias=True, **kw), full_graph=True
    )
    np.testing.assert_allclose(compiled(image).numpy(), got.numpy(), rtol=1e-6)


def test_interpolate_refuses(image):
    for mode in ('nearest', 'area'):
        with pytest.raises(ValueError, match='antialias'):
            F.interpolate(image, size=[4, 4], mode=mode, antialias=True)
    with pytest.raises(ValueError, match='recompute_scale_factor'):
        F.interpolate(image, size=[4, 4], mode='bilinear', recompute_scale_factor=True)


@pytest.mark.parametrize('p', [1.0, 2.0, 3.0])
@pytest.mark.parametrize('padding', [0, 1, [1, 0, 0, 1]])
def test_lp_pool_rounding_up(image, p, padding):
    if isinstance(padding, list):
        ends = [padding[:2], padding[2:]]
    else:
        ends = [[padding] * 2] * 2
    got = F.lp_pool2d(image, p, 3, 2, padding, ceil_mode=True).numpy()
    x = np.pad(image.numpy(), [(0, 0), (0, 0), *ends])
    size = [-(-(d - 3) // 2) + 1 for d in x.shape[2:]]
    want = np.array(
        [
            [
                [
                    [
                        (np.abs(plane[2 * i : 2 * i + 3, 2 * j : 2 * j + 3]) ** p).sum() ** (1 / p)
                        for j in range(size[1])
                    ]
                    for i in range(size[0])
                ]
                for plane in sample
            ]
            for sample in x
        ]
    )
    np.testing.assert_allclose(got, want, rtol=1e-5)
    last = F.lp_pool2d(
        image.transpose([0, 2, 3, 1]), p, 3, 2, padding, ceil_mode=True, data_format='NHWC'
    )
    np.testing.assert_allclose(last.numpy().transpose(0, 3, 1, 2), want, rtol=1e-5)


def test_sampling_with_a_seed():
    for law in (paddle.distribution.Normal(0.0, 1.0), paddle.distribution.Uniform(0.0, 1.0)):
        first = law.sample([8], seed=5).numpy()
        assert np.array_equal(law.sample([8], seed=5).numpy(), first)
        assert not np.array_equal(law.sample([8], seed=6).numpy(), first)
        assert not np.array_equal(law.sample([8]).numpy(), law.sample([8]).numpy())


def test_where_mixes_numbers_and_dtypes_in_every_mode():
    x = paddle.to_tensor([1, 5])
    for call in (
        lambda x: paddle.where(x > 2, 2.5, x),
        lambda x: paddle.where(x > 2, 0.5, 1),
        lambda x: paddle.where(x > 2, x > 2, 1),
    ):
        want = call(x)
        for backend in ('CINN', None):
            got = paddle.jit.to_static(call, full_graph=True, backend=backend)(x)
            assert got.dtype == want.dtype and np.array_equal(got.numpy(), want.numpy())


def test_batch_norm_made_for_evaluation():
    x = paddle.to_tensor(np.arange(12, dtype='float32').reshape(6, 2))
    layer = paddle.nn.BatchNorm(2, is_test=True)
    assert not layer.training
    np.testing.assert_allclose(layer(x).numpy(), x.numpy() / np.sqrt(1 + 1e-5), rtol=1e-6)
    assert layer._mean.tolist() == [0, 0]
    layer.train()
    assert abs(layer(x).numpy().mean()) < 1e-6 and layer._mean.tolist() != [0, 0]


def test_auc_of_both_curves():
    scores = np.random.RandomState(0).rand(60)
    labels = (scores + np.random.RandomState(1).rand(60) > 1).astype('int64')
    found = {}
    for curve in ('ROC', 'PR'):
        metric = paddle.metric.Auc(curve=curve)
        metric.update(np.stack([1 - scores, scores], 1), labels[:, None])
        found[curve] = metric.accumulate()
    hits = np.cumsum(labels[np.argsort(-scores)])
    precision = np.concatenate([[1], hits / np.arange(1, 61)])
    steps = np.diff(hits, prepend=0) * (precision[1:] + precision[:-1]) / 2
    np.testing.assert_allclose(found['PR'], steps.sum() / hits[-1], atol=1e-6)
    assert found['ROC'] != found['PR']
    with pytest.raises(ValueError, match="expected curve to be ROC or PR, got 'xy'"):
        paddle.metric.Auc(curve='xy')


@pytest.mark.parametrize('dim, concentration', [(2, 1.0), (4, 2.5)])
def test_both_ways_to_draw_correlations(dim, concentration):
    paddle.seed(1)
    drawn = {}
    for method in ('onion', 'cvine'):
        factors = (
            paddle.distribution.LKJCholesky(dim, concentration, sample_method=method)
            .sample([4000])
            .numpy()
        )
        np.testing.assert_allclose((factors**2).sum(-1), 1, rtol=1e-5)
        assert (np.triu(factors, 1) == 0).all() and (
            np.diagonal(factors, axis1=1, axis2=2) > 0
        ).all()
        pairs = np.tril_indices(dim, -1)
        off = (factors @ factors.transpose(0, 2, 1))[:, pairs[0], pairs[1]]
        drawn[method] = off
        np.testing.assert_allclose(
            (off**2).mean(0), 1 / (2 * concentration + dim - 1), rtol=0.12
        )  # each is a symmetric beta variable
    assert not np.array_equal(drawn['onion'], drawn['cvine'])


def test_correlations_take_the_published_stream():
    paddle.seed(3)
    got = (
        paddle.distribution.LKJCholesky(2, 1.0).sample().numpy()
    )  # for more rows PaddlePaddle's lengths have another law
    np.testing.assert_allclose(got[1], [0.253846, 0.967245], atol=1e-6)
    paddle.seed(3)
    got = paddle.distribution.LKJCholesky(3, 2.0, sample_method='cvine').sample().numpy()
    np.testing.assert_allclose(got[1:, :2], [[0.718167, 0.695871], [0.20728, 0.440025]], atol=1e-6)


class Pairs(paddle.io.Dataset):
    """(two equal floats, an integer)."""

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return np.full([2], index, 'float32'), np.int64(index)


@pytest.fixture
def program():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            yield main
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('workers', [0, 1])
def test_a_loader_feeds_variables_by_name(program, workers):
    a, b = paddle.static.data('a', [-1, 2]), paddle.static.data('b', [-1], 'int64')
    total = paddle.sum(a) + paddle.cast(paddle.sum(b), 'float32')
    executor = paddle.static.Executor()
    loader = paddle.io.DataLoader(
        Pairs(), feed_list=[b, a], return_list=False, batch_size=2, num_workers=workers
    )
    with pytest.raises(ValueError, match=r"\[Executor.run\] expected 'a' of dtype"):
        executor.run(program, feed=next(iter(loader)), fetch_list=[total])
    loader = paddle.io.DataLoader(
        Pairs(), feed_list=[a, b], return_list=False, batch_size=2, num_workers=workers
    )
    assert [executor.run(program, feed=feeds, fetch_list=[total])[0] for feeds in loader] == [
        3,
        15,
        12,
    ]
    two = paddle.io.DataLoader(
        Pairs(),
        feed_list=[a, b],
        return_list=False,
        batch_size=2,
        places=paddle.static.cpu_places(2),
    )
    (feeds,) = two
    assert [f['b'].tolist() for f in feeds] == [[0, 1], [2, 3]]
    with pytest.raises(AssertionError, match='expected feeds of one device, got a list of 2'):
        executor.run(program, feed=feeds, fetch_list=[total])
    with pytest.raises(AssertionError, match='expected feed_list with return_list=False, got None'):
        paddle.io.DataLoader(Pairs(), return_list=False)
    with pytest.raises(ValueError, match=r"expected a value for each of feed_list \['a'\], got 2"):
        next(iter(paddle.io.DataLoader(Pairs(), feed_list=[a], return_list=False)))
    assert isinstance(next(iter(paddle.io.DataLoader(Pairs(), feed_list=[a, b])))[0], paddle.Tensor)


def test_feeds_that_no_input_takes_are_named(program):
    x = paddle.static.data('x', [2])
    executor = paddle.static.Executor()
    unused = paddle.static.data('y', [2])
    with pytest.warns(UserWarning, match='got also z'):
        executor.run(
            program, feed={'x': np.ones(2, 'float32'), 'y': np.ones(2), 'z': 1}, fetch_list=[x + 1]
        )
    assert unused.name == 'y'


def test_state_of_a_program_by_kind_and_scope(program):
    x = paddle.static.data('x', [4, 2])
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
    paddle.optimizer.Momentum(0.1).minimize(paddle.mean(net(x)))
    everything, trained, rest = (program.state_dict(mode) for mode in ('all', 'param', 'opt'))
    assert (
        len(trained) == 6
        and any('velocity' in name for name in rest)
        and everything.keys() == trained.keys() | rest.keys()
    )
    with pytest.raises(ValueError, match="expected mode 'all', 'param' or 'opt', got 'some'"):
        program.state_dict('some')
    empty, used = paddle.static.Scope(), paddle.static.Scope()
    for call in (
        lambda s: program.state_dict(scope=s),
        lambda s: program.set_state_dict(everything, scope=s),
    ):
        with pytest.raises(
            ValueError, match='expected a scope the program ran in, got one without'
        ):
            call(empty)
        with pytest.raises(TypeError, match='expected a paddle.static.Scope as scope'):
            call(1)
    with paddle.static.scope_guard(used):
        paddle.static.Executor().run(program, feed={'x': np.ones([4, 2], 'float32')}, fetch_list=[])
    assert program.state_dict(scope=used).keys() == everything.keys()
    name = next(iter(trained))
    with pytest.warns(UserWarning, match='got also nobody'):
        program.set_state_dict(
            {name: np.full(trained[name].shape, 7, 'float32'), 'nobody': np.ones(1)}, scope=used
        )
    assert (trained[name].numpy() == 7).all()
    assert program.block(0).idx == 0
    with pytest.raises(IndexError, match='expected index below 1, the number of blocks, got 1'):
        program.block(1)
