# SPDX-License-Identifier: Apache-2.0
"""Products with weights of 8 and 4 bits against the numbers that the bytes stand for."""

import numpy as np
import pytest

import paddle
from paddle.nn import quant

ALGO = {'int8': 'weight_only_int8', 'int4': 'weight_only_int4'}


def rng(seed=0):
    return np.random.RandomState(seed)


def numbers(stored, scale, n, bits, group):
    """The weight [k, n] that bytes and scales stand for."""
    stored = stored.numpy().astype('int32')
    if bits == 'int4':
        low, high = (stored << 28 >> 28), stored >> 4
        stored = np.stack([low, high], 1).reshape(-1, stored.shape[1])[:n]
    scale = scale.astype('float64').numpy()
    k = stored.shape[1]
    each = np.repeat(scale, group, 0)[:k].T if scale.ndim == 2 else scale[:, None]
    return (stored * each).T


@pytest.mark.parametrize('bits', ['int8', 'int4'])
@pytest.mark.parametrize('group', [-1, 64, 128])
@pytest.mark.parametrize('k, n', [(96, 6), (130, 5), (300, 33), (1, 1)])
@pytest.mark.parametrize('dtype', ['float32', 'float16', 'bfloat16'])
def test_products_with_stored_weights(bits, group, k, n, dtype):
    w = rng(k).randn(k, n).astype('float32')
    weight = paddle.to_tensor(w).astype(dtype)
    stored, scale = quant.weight_quantize(weight, ALGO[bits], group_size=group)
    groups = [] if group < 0 else [-(-k // group)]
    assert stored.shape == [n if bits == 'int8' else -(-n // 2), k]
    assert scale.shape == [*groups, n] and scale.dtype == weight.dtype
    want = numbers(stored, scale, n, bits, group)
    limit = 127 if bits == 'int8' else 7
    # No number is further from its weight than half a step, and the rounding of the scale.
    step = np.abs(w).max(0) / limit
    assert (np.abs(want - weight.astype('float32').numpy()) <= step * (0.51 + limit * 2**-8)).all()
    back = quant.weight_dequantize(stored, scale, ALGO[bits], dtype, group)
    rough = 1e-6 if dtype == 'float32' else 2.0**-7
    np.testing.assert_allclose(back.astype('float32').numpy(), want, rtol=rough, atol=1e-6)
    bias = paddle.to_tensor(rng(2).randn(n).astype('float32')).astype(dtype)
    for shape in ([k], [3, k], [2, 2, k], [40, k], [0, k]):
        x = paddle.to_tensor(rng(3).randn(*shape).astype('float32')).astype(dtype)
        got = quant.weight_only_linear(x, stored, bias, scale, bits, group_size=group)
        exact = x.astype('float64').numpy() @ want + bias.astype('float64').numpy()
        assert got.dtype == x.dtype and got.shape == [*shape[:-1], n]
        near = (1e-5 if dtype == 'float32' else 2.0**-7) * np.sqrt(k)
        np.testing.assert_allclose(got.astype('float64').numpy(), exact, rtol=near, atol=near)


def test_four_bits_are_packed_by_columns():
    w = paddle.to_tensor([[7.0, -7.0, 3.0], [1.0, 2.0, -3.0]])
    stored, scale = quant.weight_quantize(w, 'weight_only_int4')
    assert scale.tolist() == [1, 1, pytest.approx(3 / 7)]
    assert stored.numpy().view('uint8').tolist() == [[0x97, 0x21], [0x07, 0x09]]


@pytest.mark.parametrize('full_graph', [False, True])
def test_the_gradient_of_a_product_with_a_stored_weight(full_graph):
    w = paddle.to_tensor(rng().randn(70, 9).astype('float32'))
    stored, scale = quant.weight_quantize(w, 'weight_only_int4', group_size=64)
    whole = quant.weight_dequantize(stored, scale, 'weight_only_int4', 'float32', 64)

    def call(x):
        return quant.weight_only_linear(x, stored, None, scale, 'int4', group_size=64)

    run = paddle.jit.to_static(call, full_graph=True) if full_graph else call
    x = paddle.to_tensor(rng(1).randn(3, 70).astype('float32'), stop_gradient=False)
    factor = paddle.to_tensor(rng(2).randn(3, 9).astype('float32'))
    (run(x) * factor).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), (factor @ whole.T).numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('m', [1, 5])
@pytest.mark.parametrize('k', [7, 64, 200])
def test_rows_in_eight_bits_but_for_large_columns(m, k):
    w, x = rng(1).randn(k, 11).astype('float32'), rng(2).randn(m, k).astype('float32')
    x[:, k // 2] *= 100
    stored, scale = quant.weight_quantize(paddle.to_tensor(w), 'llm.int8')
    assert scale.dtype == paddle.float32
    want = numbers(stored, scale, 11, 'int8', -1)
    large = (np.abs(x) > 6).any(0)
    rest = np.where(large, 0, x)
    step = np.maximum(np.abs(rest).max(1, keepdims=True) / 127, 1e-30)
    exact = (np.rint(rest / step) * step + np.where(large, x, 0)) @ want
    bias = paddle.ones([11])
    got = quant.llm_int8_linear(paddle.to_tensor(x), stored, bias, scale, 6.0)
    np.testing.assert_allclose(got.numpy(), exact + 1, rtol=1e-4, atol=1e-4)
    # All columns are large: nothing is rounded.
    got = quant.llm_int8_linear(paddle.to_tensor(x), stored, None, scale, 0.0)
    np.testing.assert_allclose(got.numpy(), x @ want, rtol=1e-4, atol=1e-4)


def test_what_is_not_finite():
    w = paddle.to_tensor([[float('nan'), 1.0], [float('inf'), 2.0], [3.0, float('-inf')]])
    stored, scale = quant.weight_quantize(w)
    assert stored.tolist() == [[0, 0, 127], [64, 127, 0]]
    stored, scale = quant.weight_quantize(paddle.zeros([3, 2]))
    assert not stored.numpy().any() and not scale.numpy().any()
    x = paddle.to_tensor([[float('inf'), 1.0, float('nan')]])
    for threshold in (6.0, float('inf'), float('nan')):
        got = quant.llm_int8_linear(x, stored, None, scale.astype('float32'), threshold)
        assert got.shape == [1, 2]


def test_columns_have_scales():
    x = paddle.to_tensor(rng().randn(2, 3, 4).astype('float32'), stop_gradient=False)
    scales = paddle.to_tensor([1.0, 2.0, 0.5, -1.0])
    out = quant.apply_per_channel_scale(x, scales)
    np.testing.assert_array_equal(out.numpy(), x.numpy() * scales.numpy())
    half = quant.apply_per_channel_scale(x.astype('bfloat16'), scales.astype('bfloat16'))
    assert half.dtype == paddle.bfloat16


W8 = paddle.zeros([4, 6], 'int8')
S8 = paddle.ones([4])


@pytest.mark.parametrize(
    'error, call, words',
    [
        (AssertionError, lambda: quant.weight_quantize(paddle.ones([2, 2]), group_size=32), '128'),
        (AssertionError, lambda: quant.weight_quantize(paddle.ones([2, 2]), arch=71), 'arch'),
        (ValueError, lambda: quant.weight_quantize(paddle.ones([2, 2]), 'int3'), 'algo'),
        (ValueError, lambda: quant.weight_quantize(paddle.ones([2])), r'weight \[k, n\]'),
        (RuntimeError, lambda: quant.weight_quantize(paddle.ones([2, 2], 'float64')), 'float32'),
        (ValueError, lambda: quant.weight_dequantize(W8, paddle.ones([3])), '3 stored rows'),
        (
            ValueError,
            lambda: quant.weight_only_linear(paddle.ones([2, 5]), W8, None, S8),
            r'x \[..., 6\]',
        ),
        (
            ValueError,
            lambda: quant.weight_only_linear(paddle.ones([2, 6]), W8, paddle.ones([3]), S8),
            'bias of 4 numbers',
        ),
        (
            ValueError,
            lambda: quant.weight_only_linear(paddle.ones([2, 6]), W8, None, S8, 'int2'),
            'int8 or int4',
        ),
        (
            ValueError,
            lambda: quant.llm_int8_linear(paddle.ones([2, 6]), W8.astype('int32'), None, S8),
            'int8 weight',
        ),
        (
            ValueError,
            lambda: quant.apply_per_channel_scale(paddle.ones([2, 6]), S8),
            'last axis of x',
        ),
    ],
)
def test_what_does_not_fit_is_refused(error, call, words):
    with pytest.raises(error, match=words):
        call()
