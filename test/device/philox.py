# SPDX-License-Identifier: Apache-2.0
"""Philox4x32-10 and the streams of draws on GPUs, in numpy: what the kernels are compared
with, and where the draws of a process begin.
"""

import numpy as np
import paddle
from paddle.base import core

M0, M1, W0, W1 = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85
U32 = 0xFFFFFFFF


def philox(counter, key):
    """Four numbers of 32 bits; counters and keys are lists of numbers or arrays of uint64."""
    c, k = [np.asarray(v, 'uint64') for v in counter], [np.asarray(v, 'uint64') for v in key]
    with np.errstate(over='ignore'):
        for _ in range(10):
            p, q = c[0] * np.uint64(M0), c[2] * np.uint64(M1)
            c = [(q >> 32) ^ c[1] ^ k[0], q & U32, (p >> 32) ^ c[3] ^ k[1], p & U32]
            k = [(k[0] + np.uint64(W0)) & U32, (k[1] + np.uint64(W1)) & U32]
    return c


def block(seed, subsequence, number):
    """The numbers of each subsequence, at its number of four: [4, ...]."""
    subsequence, number = np.asarray(subsequence, 'uint64'), np.asarray(number, 'uint64')
    counter = [number & U32, number >> 32, subsequence & U32, subsequence >> 32]
    return np.stack(philox(counter, [seed & U32, seed >> 32]))


def spread(seed, offset, n, resident, count=4):
    """For each of n results: its numbers and which of `count` of its block it is. Threads take one
    of each part in turn.
    """
    threads = min(-(-n // 256), resident // 256) * 256
    i = np.arange(n)
    numbers = block(seed, i % threads, offset // 4 + i // (count * threads))
    return numbers, i // threads % count


def neighbours(seed, offset, n, resident):
    """As `spread`, where four neighbours are a thread's."""
    i = np.arange(n)
    part = i // 4
    return block(seed, part % resident, offset // 4 + part // resident), i % 4


def pick(numbers, which):
    return np.take_along_axis(numbers, which[None], 0)[0]


def unit(x):
    """float32 in (0, 1]."""
    return x.astype('float32') * np.float32(2.0**-32) + np.float32(2.0**-33)


def unit_wide(x, y):
    """float64 in (0, 1]."""
    return (x ^ (y << np.uint64(21))).astype('float64') * 2.0**-53 + 2.0**-54


def at(seed, offset):
    """The generator's next draw begins there."""
    state = type(paddle.get_cuda_rng_state()[0])
    paddle.set_cuda_rng_state(
        [state(np.array([seed, offset], 'uint64').tobytes())] * core.gpu_count()
    )


def drawn():
    """(seed, offset) of the generator."""
    bytes_of = paddle.get_cuda_rng_state()[0].__reduce__()[1][0]
    return tuple(int(v) for v in np.frombuffer(bytes_of, 'uint64'))
