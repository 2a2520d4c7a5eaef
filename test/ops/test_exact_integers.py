# SPDX-License-Identifier: Apache-2.0
"""Integers beyond 2**53 keep every digit through attributes, operators and fills; gradients where a
division would fail.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

BIG = 2**60 + 1


def ints(*values):
    return paddle.to_tensor(values, dtype='int64')


@pytest.mark.parametrize(
    'call, want',
    [
        (lambda: paddle._C_ops.clip(ints(BIG + 5, 3), BIG, BIG + 2), [BIG + 2, BIG]),
        (lambda: paddle.clip(ints(BIG + 5, 3), BIG, BIG + 2), [BIG + 2, BIG]),
        (lambda: paddle.scale(ints(1), BIG, 0), [BIG]),
        (lambda: paddle._C_ops.scale(ints(3), BIG, 0, True), [3 * BIG]),
        (lambda: ints(1) + 2**60, [BIG]),
        (lambda: 2**60 + ints(1), [BIG]),
        (lambda: ints(1) - BIG, [-(2**60)]),
        (lambda: ints(BIG) // 1, [BIG]),
        (lambda: ints(BIG) == BIG + 1, [False]),
        (lambda: ints(BIG) > BIG - 1, [True]),
        (lambda: paddle.full([1], BIG, 'int64'), [BIG]),
        (lambda: paddle.full_like(ints(1), BIG), [BIG]),
        (lambda: paddle.masked_fill(ints(1, 2), paddle.to_tensor([True, False]), BIG), [BIG, 2]),
        (lambda: F.pad(ints(1, 2), [1, 1], value=BIG), [BIG, 1, 2, BIG]),
        (lambda: paddle.arange(BIG, BIG + 3), [BIG, BIG + 1, BIG + 2]),
        (lambda: paddle.arange(BIG + 3, BIG, -2), [BIG + 3, BIG + 1]),
        (lambda: paddle.put_along_axis(ints(1, 2), ints(0), BIG, 0), [BIG, 2]),
    ],
)
def test_exact(call, want):
    np.testing.assert_array_equal(call().numpy(), np.array(want))


def test_scalar_attributes_of_other_types():
    np.testing.assert_array_equal(
        paddle._C_ops.clip(paddle.to_tensor([1, 9], dtype='int32'), -(2**40), 2**40).numpy(), [1, 9]
    )
    np.testing.assert_array_equal(
        paddle._C_ops.clip(ints(1, 9), -float('inf'), 4.5).numpy(), [1, 4]
    )
    np.testing.assert_array_equal(
        paddle._C_ops.scale(paddle.to_tensor([1 + 2j]), 2j, 0.0, True).numpy(), [-4 + 2j]
    )


def second_order(fn, x):
    """First gradient of sum(fn), then of its square sum."""
    (first,) = paddle.grad([fn(x).sum()], [x], create_graph=True)
    return first.numpy(), paddle.grad([(first * first).sum()], [x])[0].numpy()


def leaf(values):
    return paddle.to_tensor(np.array(values, 'float64'), stop_gradient=False)


@pytest.mark.parametrize(
    'exclusive, reverse', [(False, False), (True, False), (False, True), (True, True)]
)
def test_cumprod_of_zeros(exclusive, reverse):
    values = np.array([[2.0, 0.0, 3.0, 0.0, 5.0], [1.0, 2.0, 4.0, 3.0, 5.0]])
    weight = paddle.to_tensor(np.arange(10.0).reshape(2, 5) + 1)

    def scan(x):
        return paddle._C_ops.cumprod(x, 1, exclusive, reverse) * weight

    first, second = second_order(scan, leaf(values))
    nudged, nudged_second = second_order(scan, leaf(values + (values == 0) * 1e-7))
    np.testing.assert_allclose(first, nudged, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(second, nudged_second, rtol=1e-3, atol=1e-2)
    x = leaf(values)
    scan(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), first, atol=1e-12)


def test_second_order_of_nll_loss():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    label = ints(0, 1)
    first, second = second_order(lambda v: F.nll_loss(v * v, label), x)
    np.testing.assert_allclose(first, [[-1.0, 0.0], [0.0, -4.0]])
    np.testing.assert_allclose(second, [[2.0, 0.0], [0.0, 8.0]])
    weight = paddle.to_tensor([1.0, 3.0], dtype='float64')
    first, second = second_order(lambda v: F.nll_loss(v * v, label, weight), x)
    np.testing.assert_allclose(first, [[-0.5, 0.0], [0.0, -6.0]])
    np.testing.assert_allclose(second, [[0.5, 0.0], [0.0, 18.0]])
    first, second = second_order(lambda v: F.nll_loss(v**3, ints(-100, 1), reduction='sum'), x)
    np.testing.assert_allclose(first, [[0.0, 0.0], [0.0, -48.0]])
    np.testing.assert_allclose(second, [[0.0, 0.0], [0.0, 2 * 48.0 * 24.0]])
