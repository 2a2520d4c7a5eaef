# SPDX-License-Identifier: Apache-2.0
"""Operations of quantised training, and boxes of anchors, with PaddlePaddle's values."""

import numpy as np
import pytest

import paddle
from paddle import _C_ops, _legacy_C_ops

TIES = [127.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49]
EVEN, AWAY = [127.0, 0, 2, 2, 0, -2, 0], [127.0, 1, 2, 3, -1, -2, 0]


@pytest.mark.parametrize('kind, want', [(0, EVEN), (1, AWAY)])
def test_rounding(kind, want):
    x = paddle.to_tensor(TIES, stop_gradient=False)
    state = [paddle.to_tensor([v]) for v in (127.0, 1.0, 1.0)]
    moving = _C_ops.fake_quantize_dequantize_moving_average_abs_max
    for out in (
        _C_ops.fake_quantize_dequantize_abs_max(x, 8, kind)[0],
        _C_ops.fake_channel_wise_quantize_dequantize_abs_max(x.reshape([1, 7]), 8, kind, 0)[0],
        moving(x, *state, 0.9, 8, True, kind)[0],
    ):
        assert out.flatten().tolist() == want
        x.clear_grad()
        out.sum().backward()
        assert x.grad.tolist() == [1] * 7


def test_values_beyond_the_scale():
    x, state = paddle.to_tensor([-3.0, -1.0, 5.0]), [paddle.to_tensor([1.0]) for _ in range(3)]
    for kind, least in ((0, -128), (1, -127)):
        whole = _C_ops.fake_quantize_moving_average_abs_max(x, *state, 0.9, 8, True, kind)[0]
        assert whole.tolist() == [least, -127, 127]
        out = _C_ops.fake_quantize_dequantize_moving_average_abs_max(x, *state, 0.9, 8, True, kind)
        np.testing.assert_allclose(out[0].numpy(), [least / 127, -1, 1], rtol=1e-6)


def test_scales():
    x = paddle.to_tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.5]])
    out, scale = _C_ops.fake_channel_wise_quantize_dequantize_abs_max(x, 8, 1, 1)
    assert scale.tolist() == [4, 5, 6.5]
    want = [[1.00787401, -2.00787401, 3.01968503], [4, 5, -6.5]]
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)
    out, scale = _C_ops.fake_quantize_dequantize_abs_max(x, 4, 0)
    want = [[0.9285714, -1.8571428, 2.7857144], [3.7142856, 4.6428571, -6.5]]
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)
    one = paddle.to_tensor([1.0])
    moving = _C_ops.fake_quantize_dequantize_moving_average_abs_max
    out, scale, state, total = moving(x, paddle.to_tensor([0.001]), one, one, 0.9, 8, False, 1)
    for got, want in ((scale, 3.89473701), (state, 1.9), (total, 7.4), (out[1, 2], -3.89473701)):
        np.testing.assert_allclose(float(got), want, rtol=1e-6)
    assert _C_ops.fake_quantize_dequantize_abs_max(x * 0, 8, 1)[0].abs().sum() == 0
    with pytest.raises(ValueError, match='quant_axis 0 or 1'):
        _C_ops.fake_channel_wise_quantize_dequantize_abs_max(x.reshape([1, 2, 3]), 8, 1, 2)
    with pytest.raises(ValueError, match='bit_length'):
        _C_ops.fake_quantize_dequantize_abs_max(x, 0, 1)


def test_old_names():
    x = paddle.to_tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.5]])
    call = _legacy_C_ops.fake_channel_wise_quantize_dequantize_abs_max
    place = paddle.zeros([2])
    out, scale = call(x, paddle.empty([2, 3]), place, 'bit_length', 8, 'quant_axis', 0)
    assert scale.tolist() == place.tolist() == [3, 6.5]
    np.testing.assert_allclose(out.numpy()[0], [0.99212599, -2.00787401, 3], rtol=1e-6)
    boxes, _ = _legacy_C_ops.anchor_generator(
        paddle.rand([1, 2, 1, 1]),
        'anchor_sizes',
        [32.0],
        'aspect_ratios',
        [1.0],
        'variances',
        [1.0] * 4,
        'stride',
        [16.0, 16.0],
    )
    assert boxes.flatten().tolist() == [-8, -8, 23, 23]


def test_anchors():
    boxes, spread = _C_ops.anchor_generator(
        paddle.rand([1, 8, 2, 3]),
        [64.0, 128.0],
        [0.5, 1.0, 2.0],
        [0.1, 0.1, 0.2, 0.2],
        [16.0, 16.0],
        0.5,
    )
    assert boxes.shape == spread.shape == [2, 3, 6, 4]
    assert boxes[0, 0, 0].tolist() == [-38, -16, 53, 31]
    assert (
        boxes[1, 2, 3].tolist() == (boxes[0, 0, 3] + paddle.to_tensor([32.0, 16, 32, 16])).tolist()
    )
    np.testing.assert_allclose(spread[1, 2, 5].numpy(), [0.1, 0.1, 0.2, 0.2], rtol=1e-6)
