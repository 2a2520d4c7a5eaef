# SPDX-License-Identifier: Apache-2.0
"""Indices are checked in vectors, and rows are added up in vectors from 16 elements on."""

import numpy as np
import pytest

import paddle

RNG = np.random.RandomState(0)
EXTENT = 5


@pytest.mark.parametrize('dtype', ['int32', 'int64'])
@pytest.mark.parametrize('count', [1, 7, 16, 33, 100])
def test_one_index_outside_is_found_wherever_it_stands(count, dtype):
    x = paddle.arange(EXTENT * 2, dtype='float32').reshape([2, EXTENT])
    good = RNG.randint(-EXTENT, EXTENT, [2, count]).astype(dtype)
    got = paddle.take_along_axis(x, paddle.to_tensor(good), 1, broadcast=False)
    np.testing.assert_array_equal(got.numpy(), np.take_along_axis(x.numpy(), good, 1))
    limits = np.iinfo(dtype)
    for bad in (EXTENT, -EXTENT - 1, limits.max, limits.min, limits.max - EXTENT):
        for at in {0, count // 2, count - 1}:
            index = good.copy()
            index[1, at] = bad
            with pytest.raises((IndexError, ValueError), match=str(bad)):
                paddle.take_along_axis(x, paddle.to_tensor(index), 1, broadcast=False)
            with pytest.raises((IndexError, ValueError), match=str(bad)):
                paddle.put_along_axis(
                    x, paddle.to_tensor(index), paddle.ones([2, count]), 1, 'add', broadcast=False
                )


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'bfloat16'])
@pytest.mark.parametrize('width', [0, 1, 15, 16, 17, 64, 130])
def test_rows_that_share_an_index_add_up_in_order(width, dtype):
    index = RNG.randint(0, 6, [40])
    x = (RNG.standard_normal([6, width]) * 8).astype('float32')
    rows = (RNG.standard_normal([40, width]) * 8).astype('float32')
    a, b = paddle.to_tensor(x).astype(dtype), paddle.to_tensor(rows).astype(dtype)
    got = paddle.index_add(a, paddle.to_tensor(index), 0, b)
    wide = 'float32' if dtype == 'bfloat16' else dtype
    want = a.astype(wide).numpy()
    for i, row in zip(index, b.astype(wide).numpy()):
        want[i] = want[i] + row
    want = paddle.to_tensor(want).astype(dtype)
    np.testing.assert_array_equal(got.astype(wide).numpy(), want.astype(wide).numpy())
