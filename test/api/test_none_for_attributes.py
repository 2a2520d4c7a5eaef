# SPDX-License-Identifier: Apache-2.0
"""None given for an attribute with a default: false where a bool is expected, TypeError where a
number is, unless the default is None; as in PaddlePaddle.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

X = np.random.RandomState(0).rand(2, 3, 4, 4).astype('float32')
NUMBERS = [
    (paddle.clip, (), {}),
    (F.elu, ('alpha',), {}),
    (F.leaky_relu, ('negative_slope',), {}),
    (F.hardtanh, ('min', 'max'), {}),
    (F.softplus, ('beta', 'threshold'), {}),
    (paddle.diagonal, ('offset', 'axis1', 'axis2'), {}),
    (paddle.flatten, ('start_axis', 'stop_axis'), {}),
    (paddle.tril, ('diagonal',), {}),
    (paddle.unbind, ('axis',), {}),
    (paddle.stanh, ('scale_a', 'scale_b'), {}),
    (paddle.round, ('decimals',), {}),
    (paddle.isclose, ('rtol', 'atol'), {'y': 'x'}),
    (paddle.argsort, ('axis',), {}),
    (paddle.sort, ('axis',), {}),
    (F.layer_norm, ('epsilon',), {'normalized_shape': 4}),
    (F.instance_norm, ('eps',), {}),
    (F.celu, ('alpha',), {}),
    (F.gumbel_softmax, ('temperature', 'axis'), {}),
    (F.temporal_shift, ('shift_ratio',), {'seg_num': 1}),
    (F.cosine_similarity, ('axis',), {'x2': 'x'}),
    (paddle.scale, ('scale', 'bias'), {}),
    (paddle.split, ('axis',), {'num_or_sections': 2}),
    (paddle.chunk, ('axis',), {'chunks': 2}),
    (paddle.linalg.qr, ('mode',), {}),
    (paddle.linalg.eigvalsh, ('UPLO',), {}),
]


@pytest.fixture
def x():
    return paddle.to_tensor(X)


@pytest.mark.parametrize(
    'function, names, given', NUMBERS, ids=lambda v: getattr(v, '__name__', '')
)
def test_numbers_are_needed(function, names, given, x):
    given = {name: x if value == 'x' else value for name, value in given.items()}
    function(x, **given)
    for name in names:
        with pytest.raises(TypeError, match=name.lower()):
            function(x, **given, **{name: None})


def test_operations_need_their_numbers(x):
    for name, args in (
        ('cumsum', (x, None, False, False, False)),
        ('label_smooth', (x, None, None)),
        ('concat', ([x], None)),
        ('celu', (x, None)),
        ('qr', (x, None)),
        ('dropout', (x, None, None, False, 'upscale_in_train', 0, False)),
    ):
        with pytest.raises(TypeError, match=name):
            getattr(paddle._C_ops, name)(*args)
    with pytest.raises(ValueError, match='mode'):
        paddle.nanmedian(x, mode=None)
    want = F.instance_norm(x).numpy()
    for name in ('use_input_stats', 'data_format'):
        np.testing.assert_array_equal(F.instance_norm(x, **{name: None}).numpy(), want)


@pytest.mark.parametrize(
    'function, name, given',
    [
        (paddle.max, 'keepdim', {'axis': 1}),
        (paddle.prod, 'keepdim', {'axis': 1}),
        (paddle.topk, 'largest', {'k': 2}),
        (F.avg_pool2d, 'exclusive', {'kernel_size': 3, 'padding': 1}),
        (F.avg_pool2d, 'ceil_mode', {'kernel_size': 3}),
        (F.max_pool2d, 'ceil_mode', {'kernel_size': 3}),
        (F.silu, 'inplace', {}),
    ],
    ids=lambda v: getattr(v, '__name__', v if isinstance(v, str) else ''),
)
def test_none_is_false(function, name, given, x):
    got, want = (function(x, **given, **{name: value}) for value in (None, False))
    for a, b in zip(*(r if isinstance(r, (list, tuple)) else [r] for r in (got, want))):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_none_where_it_has_a_meaning(x):
    for name in ('fft', 'ifft', 'hfft', 'irfft', 'rfft', 'ihfft'):
        transform = getattr(paddle.fft, name)
        np.testing.assert_array_equal(transform(x, axis=None).numpy(), transform(x).numpy())
    np.testing.assert_array_equal(paddle.stack([x, x], axis=None).numpy(), np.stack([X, X]))
    a, b = paddle.to_tensor(X[0, :, :, 0]), paddle.to_tensor(X[1, :, :, 0])
    np.testing.assert_array_equal(paddle.cross(a, b, axis=None).numpy(), paddle.cross(a, b).numpy())
    np.testing.assert_array_equal(
        F.kl_div(x, x, reduction=None).numpy(), F.kl_div(x, x, reduction='none').numpy()
    )


def test_exceptions_of_other_checks(x):
    with pytest.raises(TypeError, match='align_corners'):
        F.interpolate(x, scale_factor=2, mode='bilinear', align_corners=None)
    with pytest.raises(ValueError, match='align_mode'):
        F.interpolate(x, scale_factor=2, mode='bilinear', align_mode=3)
