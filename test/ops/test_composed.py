# SPDX-License-Identifier: Apache-2.0
"""Normalisations and activations written on other ops, against their formulas in NumPy."""

import numpy as np
import pytest
from numeric import check_grad
from paddle.base import libpaddle

import paddle
from paddle import _C_ops

RNG = np.random.RandomState(0)


def normal(x, axes, epsilon=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


WHOLE = libpaddle._functions('paddle._C_ops.whole')


def test_intermediate_results_are_not_returned():
    x, v = paddle.ones([2, 4, 3]), paddle.ones([4])
    image, box = paddle.rand([1, 2, 4, 4]), paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]])
    one = paddle.to_tensor([1], 'int32')
    calls = {
        'layer_norm': (x, None, None, 1e-5, 1),
        'group_norm': (x, v, v, 1e-5, 2, 'NCHW'),
        'instance_norm': (x, v, v, 1e-5),
        'huber_loss': (x, x + 1, 1.0),
        'dropout': (x, None, 0.5, False, 'upscale_in_train', 0, False),
        'rrelu': (x, 0.1, 0.3, False),
        'roi_pool': (image, box, one, 2, 2, 1.0),
        'segment_pool': (v, paddle.to_tensor([0, 0, 1, 2]), 'MEAN'),
        'send_u_recv': (x[0], one - 1, one, 'MEAN'),
        'send_ue_recv': (x[0], x[0, :1], one - 1, one, 'ADD', 'MEAN'),
        'warpctc': (x, one.tile([4, 1]), one.tile([4]) * 2, one.tile([4]), 0, False),
        'warprnnt': (paddle.rand([1, 3, 2, 4]), one.reshape([1, 1]), one * 3, one, 0, 0.0),
        'yolo_loss': (
            paddle.rand([1, 7, 4, 4]),
            paddle.rand([1, 1, 4]),
            one.reshape([1, 1]) - 1,
            None,
            [4, 5],
            [0],
            2,
            0.5,
            32,
            True,
            1.0,
        ),
    }
    assert set(WHOLE) == {*calls, 'rnn', 'flash_attn_unpadded'}
    for name, args in calls.items():
        paddle.seed(0)
        kept = getattr(_C_ops, name)(*args)
        paddle.seed(0)
        whole = WHOLE[name](*args)
        assert isinstance(kept, paddle.Tensor) and isinstance(whole, tuple)
        np.testing.assert_array_equal(kept.numpy(), whole[0].numpy())
    tokens, ends = paddle.rand([4, 1, 4]), paddle.to_tensor([0, 1, 4], 'int32')
    args = (tokens, tokens, tokens, ends, ends, None, None, 3, 3, 0.5)
    kept, whole = _C_ops.flash_attn_unpadded(*args), WHOLE['flash_attn_unpadded'](*args)
    assert len(kept) == 2 and len(whole) == 4
    np.testing.assert_array_equal(kept[0].numpy(), whole[0].numpy())
    states, weights = [paddle.zeros([1, 4, 3])], [paddle.ones([3, 3])] * 2 + [paddle.ones([3])] * 2
    unused = paddle.empty([], 'uint8')
    out, _, finals = _C_ops.rnn(
        x, states, weights, None, unused, 0.0, False, 3, 3, 1, 'RNN_TANH', 0, True
    )
    assert out.shape == [2, 4, 3] and [s.shape for s in finals] == [[1, 4, 3]]


def test_group_norm():
    x, w, b = RNG.randn(2, 4, 3, 5), RNG.randn(4), RNG.randn(4)
    t, s, o = paddle.to_tensor(x), paddle.to_tensor(w), paddle.to_tensor(b)
    want = normal(x.reshape(2, 2, -1), -1).reshape(x.shape) * w[:, None, None] + b[:, None, None]
    y, mean, variance = WHOLE['group_norm'](t, s, o, 1e-5, 2, 'NCHW')
    np.testing.assert_allclose(y.numpy(), want, rtol=1e-9)
    np.testing.assert_allclose(mean.numpy(), x.reshape(2, 2, -1).mean(-1), rtol=1e-9)
    np.testing.assert_allclose(variance.numpy(), x.reshape(2, 2, -1).var(-1), rtol=1e-9)
    last = _C_ops.group_norm(t.transpose([0, 2, 3, 1]), s, o, 1e-5, 2, 'NHWC')
    np.testing.assert_allclose(last.numpy(), want.transpose(0, 2, 3, 1), rtol=1e-9)
    check_grad(lambda a, u, v: _C_ops.group_norm(a, u, v, 1e-5, 2, 'NCHW'), x, w, b)
    with pytest.raises(ValueError, match='divide the channels'):
        _C_ops.group_norm(t, s, o, 1e-5, 3, 'NCHW')


def test_instance_and_rms_norm():
    x, w = RNG.randn(2, 4, 6), RNG.randn(4)
    got = _C_ops.instance_norm(paddle.to_tensor(x), paddle.to_tensor(w), None, 1e-5)
    np.testing.assert_allclose(got.numpy(), normal(x, -1) * w[:, None], rtol=1e-9)
    check_grad(lambda a, u: _C_ops.instance_norm(a, u, None, 1e-5), x, w)
    v = RNG.randn(6)
    got, inverse = _C_ops.rms_norm(paddle.to_tensor(x), paddle.to_tensor(v), [6], 1e-5)
    want = 1 / np.sqrt((x * x).mean(-1) + 1e-5)
    np.testing.assert_allclose(inverse.numpy(), want, rtol=1e-9)
    np.testing.assert_allclose(got.numpy(), x * want[..., None] * v, rtol=1e-9)
    check_grad(lambda a, u: _C_ops.rms_norm(a, u, [6], 1e-5)[0], x, v)


@pytest.mark.parametrize(
    'mode, shape, view',
    [('all', (1,), (1,)), ('channel', (4,), (1, 4, 1)), ('element', (1, 4, 6), (1, 4, 6))],
)
def test_prelu(mode, shape, view):
    x, a = RNG.randn(2, 4, 6), RNG.randn(*shape)
    got = _C_ops.prelu(paddle.to_tensor(x), paddle.to_tensor(a), 'NCHW', mode)
    np.testing.assert_allclose(got.numpy(), np.where(x > 0, x, x * a.reshape(view)))
    check_grad(lambda t, u: _C_ops.prelu(t, u, 'NCHW', mode), x, a)


def test_activations():
    x = RNG.randn(3, 6)
    t = paddle.to_tensor(x)
    silu = x / (1 + np.exp(-x))
    np.testing.assert_allclose(_C_ops.swiglu(t, t).numpy(), silu * x, rtol=1e-9)
    np.testing.assert_allclose(_C_ops.swiglu(t, None).numpy(), silu[:, :3] * x[:, 3:], rtol=1e-9)
    np.testing.assert_array_equal(_C_ops.maxout(t, 2, 1).numpy(), x.reshape(3, 3, 2).max(-1))
    np.testing.assert_allclose(_C_ops.label_smooth(t, None, 0.2).numpy(), 0.8 * x + 0.2 / 6)
    check_grad(lambda a: _C_ops.swiglu(a, None), x)


def test_temporal_shift():
    x = RNG.randn(6, 8, 2, 3)
    five = x.reshape(2, 3, 8, 2, 3)
    want = np.zeros_like(five)
    want[:, 1:, :2] = five[:, :-1, :2]
    want[:, :-1, 2:4] = five[:, 1:, 2:4]
    want[:, :, 4:] = five[:, :, 4:]
    np.testing.assert_array_equal(
        _C_ops.temporal_shift(paddle.to_tensor(x), 3, 0.25, 'NCHW').numpy(), want.reshape(x.shape)
    )


def test_clip_by_norm():
    x = np.array([3.0, 4.0])
    np.testing.assert_allclose(_C_ops.clip_by_norm(paddle.to_tensor(x), 1.0).numpy(), x / 5)
    np.testing.assert_allclose(_C_ops.clip_by_norm(paddle.to_tensor(x), 9.0).numpy(), x)
