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
]


@pytest.fixture
def x():
    return paddle.to_tensor(X)


@pytest.mark.parametrize(
    'function, names, given', NUMBERS, ids=lambda v: getattr(v, '__name__', '')
)
def test_numbers_are_needed(function, names, given, x):
    given = {name: x for name in given}
    function(x, **given)
    for name in names:
        with pytest.raises(TypeError, match=name):
            function(x, **given, **{name: None})


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
