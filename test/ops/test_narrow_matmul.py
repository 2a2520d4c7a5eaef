# SPDX-License-Identifier: Apache-2.0
"""Matrix products of few columns, which have loops of their own: every tail of columns and rows,
against float64.
"""

import numpy as np
import paddle
import pytest

RNG = np.random.RandomState(3)


def draw(*shape):
    return RNG.standard_normal(shape).astype('float32')


def close(got, exact, k):
    np.testing.assert_allclose(got.numpy(), exact, rtol=0, atol=4e-6 * np.sqrt(k + 1))


@pytest.mark.parametrize('n', [1, 2, 8, 9, 16, 20, 24, 33, 48, 50, 64, 65, 112, 113])
@pytest.mark.parametrize('m,k', [(1, 40), (7, 5), (20, 700), (130, 64), (9, 1)])
def test_products(m, n, k):
    a, b = draw(m, k), draw(k, n)
    exact = a.astype('float64') @ b
    for tx, ty in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        x, y = (
            paddle.to_tensor(np.ascontiguousarray(t.T) if flip else t)
            for t, flip in ((a, tx), (b, ty))
        )
        close(paddle.matmul(x, y, bool(tx), bool(ty)), exact, k)
    bias = draw(n)
    close(paddle.nn.functional.linear(*map(paddle.to_tensor, (a, b, bias))), exact + bias, k)


def test_parts_of_larger_matrices():
    a, b = draw(40, 50), draw(50, 40)
    x, y = paddle.to_tensor(a), paddle.to_tensor(b)
    got = paddle.matmul(x[3:20, 5:33], y[5:33, 7:27])
    close(got, a[3:20, 5:33].astype('float64') @ b[5:33, 7:27], 28)
    np.testing.assert_array_equal(y.numpy(), b)


def test_adds_to_a_result():
    c, a, b = draw(33, 20), draw(33, 300), draw(300, 20)
    got = paddle.addmm(*map(paddle.to_tensor, (c, a, b)))
    close(got, c + a.astype('float64') @ b, 300)


def test_nan_spreads_to_its_row_only():
    a = draw(10, 12)
    a[4, 3] = np.nan
    got = paddle.matmul(paddle.to_tensor(a), paddle.zeros([12, 20])).numpy()
    assert np.isnan(got[4]).all() and np.isfinite(np.delete(got, 4, 0)).all()
