# SPDX-License-Identifier: Apache-2.0
"""Draws on gpu:0 against numpy's; the argument is how many threads the GPU runs at once."""

import sys

import numpy as np
import paddle
import philox
from paddle.base import core
from philox import at, drawn

RESIDENT = int(sys.argv[1])
paddle.set_device('gpu:0')


def halves(values):
    return paddle.to_tensor(values, place='cpu').astype('bfloat16').astype('float32').numpy()


SEED = 0x123456789ABCDEF
for n, offset in ((1, 0), (255, 8), (5000, 2**34), (4 * RESIDENT + 700, 12)):
    numbers, which = philox.spread(SEED, offset, n, RESIDENT)
    x = philox.pick(numbers, which)
    rounds = -(-n // (4 * min(-(-n // 256) * 256, RESIDENT)))

    at(SEED, offset)
    got = paddle.randint(-5, 2**31 - 9, [n], dtype='int64')
    assert got.place.is_gpu_place() and drawn() == (SEED, offset + 4 * rounds)
    np.testing.assert_array_equal(got.numpy(), (x % np.uint64(2**31 - 4)).astype('int64') - 5)

    at(SEED, offset)
    u = philox.unit(x)
    want = np.where(u == 1, np.float32(-2), u * np.float32(5) + np.float32(-2))
    np.testing.assert_array_equal(paddle.uniform([n], 'float32', -2, 3).numpy(), want)
    at(SEED, offset)
    got = paddle.uniform([n], 'bfloat16', -2, 3).astype('float32').numpy()
    np.testing.assert_array_equal(got, halves(want))

    at(SEED, offset)
    wide, second = philox.spread(SEED, offset, n, RESIDENT, 2)
    u = np.where(
        second == 0, philox.unit_wide(wide[0], wide[1]), philox.unit_wide(wide[2], wide[3])
    )
    np.testing.assert_array_equal(paddle.rand([n], 'float64').numpy(), u)

    # Pairs of numbers are a radius and an angle.
    at(SEED, offset)
    even = which // 2 * 2
    far = np.sqrt(-2 * np.log(philox.unit(philox.pick(numbers, even)).astype('float64')))
    turn = (philox.pick(numbers, even + 1) + 0.5) * (2 * np.pi / 2**32)
    z = far * np.where(which % 2 == 0, np.sin(turn), np.cos(turn))
    np.testing.assert_allclose(paddle.normal(1.0, 2.0, [n]).numpy(), z * 2 + 1, 2e-6, 5e-6)
    at(SEED, offset)
    far = np.sqrt(-2 * np.log(philox.unit_wide(wide[0], wide[1])))
    turn = 2 * np.pi * philox.unit_wide(wide[2], wide[3])
    z = far * np.where(second == 0, np.sin(turn), np.cos(turn))
    np.testing.assert_allclose(paddle.randn([n], 'float64').numpy(), z, 1e-12, 1e-12)

    at(SEED, offset)
    x = paddle.arange(1, n + 1, dtype='float32')
    numbers, which = philox.neighbours(SEED, offset, n, RESIDENT)
    kept = philox.unit(philox.pick(numbers, which)) < np.float32(1) - np.float32(0.3)
    got = paddle.nn.functional.dropout(x, 0.3)
    np.testing.assert_allclose(got.numpy(), x.numpy() * kept / 0.7, 1e-6)

# The vector of Random123 for a counter and a key of zeros.
at(0, 0)
got = paddle.randint(0, 2**31 - 1, [3 * RESIDENT + 1], dtype='int64').numpy()
for k, want in enumerate((0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)):
    assert got[RESIDENT * k] == want % (2**31 - 1)

# Further distributions, by their moments and bounds.
paddle.seed(7)
x = paddle.zeros([20000]).exponential_(2.0)
assert x.place.is_gpu_place() and (x >= 0).all() and abs(x.mean().item() - 0.5) < 0.02
x = paddle.zeros([20000])
paddle.nn.initializer.TruncatedNormal(1.0, 2.0, a=-1.0, b=2.5)(x)
assert -1 <= x.min().item() < -0.95 and 2.45 < x.max().item() <= 2.5
order = paddle.randperm(700)
assert sorted(order.tolist()) == list(range(700)) != order.tolist()
x = paddle.empty([30, 40]).uniform_(2, 3)
assert x.place.is_gpu_place() and 2 <= x.min().item() < 2.1 and 2.9 < x.max().item() <= 3
x = paddle.empty([60, 40]).normal_(5, 0.1)
assert x.place.is_gpu_place() and abs(x.mean().item() - 5) < 0.02
assert abs(x.std().item() - 0.1) < 0.01
big = paddle.zeros([4000], 'int64').random_(0, 2**40).numpy()
assert big.max() > 2**39 and (big % 2).mean() > 0.4

# One seed, one stream; states continue it; a generator of the host is the host's.
paddle.seed(11)
first, second = paddle.rand([9]), paddle.randn([9])
paddle.seed(11)
state = paddle.get_rng_state()
assert len(state) == core.gpu_count()
assert paddle.rand([9]).equal_all(first) and not paddle.rand([9]).equal_all(first)
paddle.set_rng_state(state)
assert paddle.rand([9]).equal_all(first) and paddle.randn([9]).equal_all(second)
generator = paddle.Generator().manual_seed(4)
here = paddle.zeros([50]).random_(0, 100, generator=generator)
paddle.set_device('cpu')
there = paddle.zeros([50]).random_(0, 100, generator=paddle.Generator().manual_seed(4))
assert here.tolist() == there.tolist()
