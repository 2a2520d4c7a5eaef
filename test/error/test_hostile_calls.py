# SPDX-License-Identifier: Apache-2.0
"""Finds of test/fuzz/calls.py: calls that hung, took all memory or gave wrong numbers, one test a cause."""
import inspect

import numpy as np
import pytest

import paddle


def test_gcd_of_what_is_not_finite_is_nan():
    x = paddle.to_tensor([4.0, float('inf'), float('nan'), 9.0, 1e38])
    y = paddle.to_tensor([6.0, 2.0, 3.0, float('-inf'), 3e38])
    got = paddle.gcd(x, y).numpy()
    assert got[0] == 2 and np.isnan(got[1:4]).all() and np.isfinite(got[4])
    assert np.isnan(paddle.lcm(x, y).numpy()[1:4]).all()


@pytest.mark.parametrize('n', [3, 100, 2**31, 2**62])
def test_diff_ends_when_nothing_is_left(n):
    assert list(paddle.diff(paddle.ones([2, 3]), n).shape) == [2, 0]
    assert list(paddle.jit.to_static(lambda x: paddle.diff(x, n))(paddle.ones([2, 3])).shape) == [2, 0]


@pytest.mark.parametrize('shape', [[0], [2, 0]])
@pytest.mark.parametrize('replacement', [True, False])
def test_multinomial_of_no_probabilities_is_refused(shape, replacement):
    with pytest.raises(ValueError, match='multinomial'):
        paddle.multinomial(paddle.zeros(shape), 1, replacement)
    assert list(paddle.multinomial(paddle.zeros([0, 3]), 1, True).shape) == [0, 1]


@pytest.mark.parametrize('parts', [2**31, 2**63 - 1, 2**64 + 1, 10**400])
def test_a_list_of_too_many_parts_is_refused(parts):
    x = paddle.ones([4, 4, 4])
    for split in (paddle.tensor_split, paddle.hsplit, paddle.vsplit, paddle.dsplit):
        with pytest.raises(ValueError, match='parts'):
            split(x, parts)


@pytest.mark.parametrize('n', [1, 2, 5, 8])
def test_frequencies(n):
    np.testing.assert_allclose(paddle.fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5), rtol=1e-6)
    np.testing.assert_allclose(paddle.fft.rfftfreq(n, 0.5).numpy(), np.fft.rfftfreq(n, 0.5), rtol=1e-6)


def test_frequencies_of_too_many_values_name_the_memory():
    for make in (paddle.fft.fftfreq, paddle.fft.rfftfreq):
        with pytest.raises((MemoryError, ValueError), match='expected'):
            make(2**60)


@pytest.mark.parametrize('use, grad', [
    (lambda v: v[1].sum(), [0, 1, 1, 0]),
    (lambda v: v[0].sum() + v[1].sum(), [1, 2, 1, 0]),
    (lambda v: paddle.stack([v[0], v[1]]).sum(), [1, 2, 1, 0]),
    (lambda v: (v.transpose([1, 0]) * paddle.to_tensor([[1., 2.], [3., 4.]])).sum(), [1, 5, 4, 0]),
    (lambda v: (v[:, ::-1] * paddle.to_tensor([[1., 2.], [3., 4.]])).sum(), [2, 5, 3, 0]),
])
def test_gradient_through_a_view_of_a_view_that_overlaps(use, grad):
    leaf = paddle.ones([4])
    leaf.stop_gradient = False
    use(leaf.as_strided([2, 2], [1, 1])).backward()
    np.testing.assert_allclose(leaf.grad.numpy(), grad)


def test_every_operation_has_a_signature():
    for name in dir(paddle._C_ops):
        call = getattr(paddle._C_ops, name)
        if not name.startswith('_') and type(call).__name__ not in ('function', 'module'):
            assert inspect.signature(call) is not None


def test_recorded_numbers_of_a_list_argument_are_refused():
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        try:
            x = paddle.static.data('x', [1, 1, 4], 'float32')
            scale = paddle.static.data('scale', [1], 'float32')
            with pytest.raises(TypeError, match='to be known while recording'):
                paddle._C_ops.linear_interp(x, scale=scale)
        finally:
            paddle.disable_static()


@pytest.mark.parametrize('cut', [
    lambda x: paddle.slice(x, [0], [0], [1]), lambda x: paddle.slice(x, [0], [1], [3]),
    lambda x: paddle.strided_slice(x, [0], [0], [1], [1]), lambda x: paddle.split(x, 1), lambda x: paddle.split(x, [1]),
    paddle.unbind, paddle.unstack, lambda x: paddle.concat([x, x]), lambda x: paddle.chunk(x, 1),
], ids='slice slice_far strided_slice split sections unbind unstack concat chunk'.split())
def test_a_0d_tensor_has_no_extent_to_cut(cut):
    x = paddle.to_tensor(1.5)
    x.stop_gradient = False
    with pytest.raises(ValueError, match='at least one axis'):
        cut(x)


@pytest.mark.parametrize('nd', [1, 2, 3])
@pytest.mark.parametrize('dtype', ['int16', 'float64', 'float16'])
def test_filters_of_another_dtype_are_refused(nd, dtype):
    x, w = paddle.ones([1, 2] + [4] * nd), paddle.ones([2, 2] + [3] * nd).astype(dtype)
    for call in (f'conv{nd}d', f'conv{nd}d_transpose'):
        with pytest.raises(ValueError, match='of one dtype'):
            getattr(paddle.nn.functional, call)(x, w)


@pytest.mark.parametrize('size', [0, -1, 6, 2**31, 2**63, 10**30])
def test_fractional_pooling_to_more_than_there_is_is_refused(size):
    for n, pool in ((2, paddle.nn.functional.fractional_max_pool2d), (3, paddle.nn.functional.fractional_max_pool3d)):
        with pytest.raises((ValueError, TypeError), match='output_size|expected'):
            pool(paddle.ones([1, 2] + [4] * n), size, random_u=0.5)
