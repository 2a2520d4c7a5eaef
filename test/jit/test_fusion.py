# SPDX-License-Identifier: Apache-2.0
"""Compiled functions against eager: generated ones, and those whose kernels are made in several
parts.
"""

import pathlib
import sys

import numpy as np
import pytest

import paddle

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'fuzz'))
import fusion as fuzzer


def compiled(function):
    return paddle.jit.to_static(function, full_graph=True, backend='CINN')


def test_generated_functions():
    """The first cases of `test/fuzz/fusion.py`; run that for as long as you like."""
    count, failures = fuzzer.run(seconds=20, cases=300)
    assert count > 0 and not failures, failures


def test_attributes_are_no_wider_than_programs_keep_them():
    """A bound of 64 bits in eager mode alone decided between two values of this case."""
    count, failures = fuzzer.run(cases=1, seed=911568)
    assert count == 1 and not failures, failures


def test_the_comparison_can_fail():
    e = np.array([1.0, 2.0], 'float32')
    assert fuzzer.differs(e, np.array([1.0, 2.001], 'float32'), e, 0, False)
    assert fuzzer.differs(e, np.array([1.0, np.nan], 'float32'), e, 0, False)
    assert not fuzzer.differs(e, e, e, 0, False)


@pytest.mark.parametrize(
    'shape,axis',
    [([100001], None), ([3, 70000], None), ([9001, 7], 0), ([40, 300, 5], [0, 1]), ([40000, 1], 0)],
)
def test_long_reductions(shape, axis):
    """Blocks in parallel, with a last one that is shorter."""
    x = paddle.to_tensor(np.random.RandomState(0).standard_normal(shape).astype('float32'))

    def f(x):
        y = x * 2 + 1
        return y, y.sum(axis), (y * y).mean(axis) + 3, y.max(axis)

    for e, c in zip(f(x), compiled(f)(x)):
        np.testing.assert_allclose(c.numpy(), e.numpy(), rtol=3e-6, atol=1e-3)
        assert c.shape == e.shape
    wide = x.numpy().astype('float64') * 2 + 1
    np.testing.assert_allclose(
        compiled(f)(x)[1].numpy(),
        wide.sum(None if axis is None else tuple(np.atleast_1d(axis))),
        rtol=1e-5,
        atol=1e-2,
    )


def test_long_reductions_of_integers():
    x = paddle.arange(100000, dtype='int32') - 7
    f = lambda x: ((x + 1).sum(), (x * 2).max(), (x > 99990).any())  # noqa: E731
    for e, c in zip(f(x), compiled(f)(x)):
        assert e.item() == c.item() and e.dtype == c.dtype


def test_the_gradient_of_a_transpose_has_the_shape_of_its_input():
    x = paddle.randn([2, 3, 4])
    x.stop_gradient = False
    f = compiled(lambda x: (x.transpose([2, 0, 1]).exp() + x.tanh().transpose([2, 0, 1])).sum())
    f(x).backward()
    np.testing.assert_allclose(
        x.grad.numpy(), np.exp(x.numpy()) + 1 - np.tanh(x.numpy()) ** 2, rtol=1e-5
    )


def test_kernels_that_differ_in_which_value_is_shared():
    """Both have the operations, the inputs and the sharing of one value in the same order."""
    x = paddle.to_tensor([1.0, 2.0, 3.0])
    for f in (lambda x: (x + x) * (x + x) + 0, lambda x: (x + x) * x + 0):
        assert compiled(f)(x).tolist() == f(x).tolist()


def test_softmax_and_norms_join_groups():
    x, w = paddle.randn([6, 33]), paddle.randn([33])
    F = paddle.nn.functional
    for f in (
        lambda x: F.softmax(x * 3, -1) + 1,
        lambda x: F.log_softmax(x + 1, 0) * 2,
        lambda x: F.layer_norm(x * 2, [33], w, w) + x,
    ):
        g = compiled(f)
        np.testing.assert_allclose(g(x).numpy(), f(x).numpy(), rtol=2e-6, atol=2e-6)
        assert g.get_concrete_program(x)[1].num_fused == 1


def test_the_package_says_whether_it_fuses():
    f = compiled(lambda x: paddle.tanh(x) * x + 1)
    f(paddle.ones([4]))
    assert paddle.is_compiled_with_cinn() == (f.program_cache.last().recording.traced.num_fused > 0)


@pytest.mark.parametrize('rows', [8, 4096])
def test_the_model_chooses_once(rows):
    """Each call of one shape gives the bits of the first, whatever shapes came between, whether the
    group is small or large enough to be left to its operations.
    """

    def f(x):
        return paddle.exp(paddle.roll(x, 3, -1) * 2.0 + 1.0).sum(-1)

    fused = compiled(f)
    x = paddle.to_tensor(np.random.RandomState(0).rand(rows, 73).astype('float32'))
    other = paddle.to_tensor(np.random.RandomState(1).rand(rows + 1, 73).astype('float32'))
    first = fused(x).numpy()
    np.testing.assert_allclose(first, f(x).numpy(), rtol=1e-5)
    for k in range(6):
        np.testing.assert_array_equal(fused(x).numpy(), first)
        if k % 2:
            np.testing.assert_allclose(fused(other).numpy(), f(other).numpy(), rtol=1e-5)


def test_trials_leave_results_alone():
    """Groups that are compared with their single operations, forward and backward, with views and
    broadcasting among their members.
    """

    def f(x, b):
        y = paddle.tanh(x * 2 + b)
        z = y.reshape([-1, 2, 3]) + 1
        return (y.mean(-1, keepdim=True) * y).sum() + (z * z).sum(), z

    x = paddle.to_tensor(
        np.random.RandomState(0).rand(4096, 6).astype('float32'), stop_gradient=False
    )
    b = paddle.to_tensor(np.random.RandomState(1).rand(6).astype('float32'), stop_gradient=False)
    paddle.set_flags({'FLAGS_cinn_trial': True})
    try:
        fused = compiled(f)
        for _ in range(10):
            found = []
            for function in (f, fused):
                loss, z = function(x, b)
                (loss + z.sum()).backward()
                found.append([loss.numpy(), z.numpy(), x.grad.numpy(), b.grad.numpy()])
                x.clear_gradient()
                b.clear_gradient()
            for got, want in zip(*found):
                np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    finally:
        paddle.set_flags({'FLAGS_cinn_trial': False})


@pytest.mark.parametrize('seed', [3405, 11367, 12026])
def test_cases_that_differed_once(seed):
    """x / x, gradients that vanish beside an infinite one, statistics of halves that a group held
    with more digits.
    """
    assert fuzzer.run(cases=1, seed=seed) == (1, [])


@pytest.mark.parametrize('run', [lambda f: f, compiled], ids=['eager', 'compiled'])
def test_gradients_of_choices(run):
    """What is not chosen has gradient 0, beside an infinite one too; equal elements share."""
    inf = float('inf')

    def grads(f, x, y):
        x, y = (paddle.to_tensor(v, stop_gradient=False) for v in (x, y))
        (run(f)(x, y) * paddle.to_tensor([1.0, inf, inf, 1.0])).sum().backward()
        return x.grad.numpy().tolist(), y.grad.numpy().tolist()

    x, y = [1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 1.0, 4.0]
    assert grads(lambda x, y: paddle.maximum(x + 0, y * 1), x, y) == (
        [0, 0, inf, 0.5],
        [1, inf, 0, 0.5],
    )
    assert grads(lambda x, y: paddle.minimum(x + 0, y * 1), x, y) == (
        [1, inf, 0, 0.5],
        [0, 0, inf, 0.5],
    )
    assert grads(lambda x, y: paddle.where(x < y, x + 0, y * 1), x, y) == (
        [1, inf, 0, 0],
        [0, 0, inf, 1],
    )


@pytest.mark.parametrize('dtype', ['float32', 'bfloat16'])
@pytest.mark.parametrize(
    'shape,layout',
    [([4, 5, 7, 9], 'NCHW'), ([2, 3, 8], 'NCHW'), ([3, 7, 1, 3], 'NCHW'), ([2, 6, 5, 3], 'NHWC')],
)
def test_batch_norm_with_its_gradient(shape, layout, dtype):
    rng = np.random.RandomState(0)
    channels = shape[1 if layout == 'NCHW' else -1]
    a, w, b = (rng.standard_normal(s).astype('float32') for s in (shape, [channels], [channels]))

    def results(run, **how):
        x, scale, bias = (paddle.to_tensor(v, stop_gradient=False) for v in (a * 2 + 1, w, b))
        mean, variance = paddle.zeros([channels]), paddle.ones([channels])

        def f(x, scale, bias):
            y = paddle.nn.functional.batch_norm(
                x.astype(dtype) * 1, mean, variance, scale, bias, data_format=layout, **how
            )
            return paddle.nn.functional.relu(y).astype('float32')

        y = run(f)(x, scale, bias)
        (y * paddle.to_tensor(a)).sum().backward()
        return [t.numpy() for t in (y, mean, variance, x.grad, scale.grad, bias.grad)]

    for how in (
        {'training': True},
        {'training': False},
        {'training': True, 'use_global_stats': True},
    ):
        for e, c in zip(results(lambda f: f, **how), results(compiled, **how)):
            np.testing.assert_allclose(
                c,
                e,
                rtol=1e-5 if dtype == 'float32' else 0.03,
                atol=(1e-5 if dtype == 'float32' else 0.02) * np.abs(e).max(),
            )


def test_layer_norm_whose_scale_needs_no_gradient():
    rng = np.random.RandomState(0)
    a, w = rng.standard_normal([6, 70]).astype('float32'), rng.standard_normal(70).astype('float32')

    def gradient(run, scale):
        x = paddle.to_tensor(a, stop_gradient=False)
        y = run(lambda x: paddle.nn.functional.layer_norm(x * 2, [70], scale) * 3)(x)
        (y * paddle.to_tensor(np.sin(a))).sum().backward()
        return x.grad.numpy()

    for scale in (None, paddle.to_tensor(w)):
        np.testing.assert_allclose(
            gradient(compiled, scale), gradient(lambda f: f, scale), rtol=1e-5, atol=1e-5
        )


def test_maxima_of_nothing_along_nothing():
    """No results need no elements."""
    x = paddle.zeros([0, 0])
    assert compiled(lambda x: (x + 1).max(1))(x).shape == [0]


def test_an_update_stays_between_its_readers():
    """What reads a parameter before an optimizer's step does not join a kernel behind that step."""
    p = paddle.create_parameter(
        [4, 5], 'float32', default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    sgd = paddle.optimizer.SGD(0.25, parameters=[p])

    def f(x):
        y = x * p
        (p * 2).sum().backward()
        sgd.step()
        sgd.clear_grad()
        return (y + 1) * p

    x = paddle.rand([4, 5])
    np.testing.assert_allclose(compiled(f)(x).numpy(), (x.numpy() + 1) * 0.5, rtol=1e-6)
    np.testing.assert_allclose(p.numpy(), np.full([4, 5], 0.5))


def test_batch_norms_that_share_statistics():
    layer = paddle.nn.BatchNorm2D(3)
    x = paddle.randn([4, 3, 5, 5])

    def f(x):
        first = layer(x + 1)
        before = layer._mean * 1
        return paddle.nn.functional.relu(layer(first * 2)) + 1, before, layer._variance + 0

    def state():
        return [layer._mean.numpy().copy(), layer._variance.numpy().copy()]

    start = state()
    want = [t.numpy() for t in f(x)] + state()
    layer._mean.set_value(start[0])
    layer._variance.set_value(start[1])
    got = [t.numpy() for t in compiled(f)(x)] + state()
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_trials_leave_running_statistics_alone():
    """A group that writes in place is compared too: what that wrote is taken back."""
    x = paddle.to_tensor(np.random.RandomState(0).rand(8, 16, 16, 16).astype('float32') * 3)
    paddle.set_flags({'FLAGS_cinn_trial': True})
    try:
        norms = [paddle.nn.BatchNorm2D(16) for _ in range(2)]
        fused = compiled(lambda v: paddle.nn.functional.relu(norms[0](v)) * 2 + 1)
        for k in range(6):
            np.testing.assert_allclose(
                fused(x + k).numpy(),
                (paddle.nn.functional.relu(norms[1](x + k)) * 2 + 1).numpy(),
                rtol=1e-4,
                atol=1e-5,
            )
            for name in ('_mean', '_variance'):
                np.testing.assert_allclose(
                    getattr(norms[0], name).numpy(), getattr(norms[1], name).numpy(), rtol=1e-5
                )
    finally:
        paddle.set_flags({'FLAGS_cinn_trial': False})
