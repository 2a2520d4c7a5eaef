# SPDX-License-Identifier: Apache-2.0
"""Writes to views whose elements share memory are refused: no order of writes is promised."""

import numpy as np
import pytest

import paddle
from paddle.incubate.nn import functional as incubate
from paddle.nn import functional as F


def windows(rows=2, columns=3):
    """Rows of a line of numbers, each a step further."""
    return paddle.arange(rows + columns - 1, dtype='float32').as_strided([rows, columns], [1, 1])


def repeated(*shape):
    """One number, seen at every place."""
    return paddle.zeros([1]).as_strided(list(shape), [0] * len(shape))


VALUES = np.ones([2, 3], 'float32')
ROW = paddle.to_tensor([0])
WRITES = {
    'add_': lambda x: x.add_(paddle.to_tensor(VALUES)),
    'exp_': lambda x: x.exp_(),
    'scale_': lambda x: x.scale_(2.0),
    'clip_': lambda x: x.clip_(0, 1),
    'cumsum_': lambda x: x.cumsum_(0),
    'uniform_': lambda x: x.uniform_(),
    'exponential_': lambda x: x.exponential_(),
    'index_add_': lambda x: x.index_add_(ROW, 0, paddle.ones([1, 3])),
    'index_put_': lambda x: paddle.index_put_(x, (ROW,), paddle.ones([3])),
    'put_along_axis_': lambda x: paddle.put_along_axis_(x, ROW.reshape([1, 1]), 5.0, 0),
    'scatter_': lambda x: paddle.scatter_(x, ROW, paddle.ones([1, 3])),
    'masked_fill_': lambda x: x.masked_fill_(x > 1, 5.0),
    'fill_diagonal_': lambda x: x.fill_diagonal_(5.0),
    'set_value': lambda x: x.set_value(VALUES),
    'copy_': lambda x: x.copy_(paddle.to_tensor(VALUES), True),
    'setitem of values': lambda x: x.__setitem__(Ellipsis, paddle.to_tensor(VALUES)),
    'setitem by index': lambda x: x.__setitem__(ROW, 5.0),
    'setitem by mask': lambda x: x.__setitem__(x > 1, 5.0),
}


@pytest.mark.parametrize('grad', [False, True])
@pytest.mark.parametrize('make', [windows, lambda: repeated(2, 3)], ids=['windows', 'repeated'])
@pytest.mark.parametrize('name', WRITES)
def test_a_write_is_refused_and_writes_nothing(name, make, grad):
    x = make()
    if grad:  # of a tensor with a history
        leaf = paddle.to_tensor(x.as_strided([4], [1]).numpy() if make is windows else [0.0])
        leaf.stop_gradient = False
        x = (leaf * 1).as_strided(x.shape, x.strides)
    before = x.numpy().copy()
    with pytest.raises(ValueError, match='memory of their own'):
        WRITES[name](x)
    np.testing.assert_array_equal(x.numpy(), before)


def test_one_value_and_parts_of_their_own_are_written():
    x = windows()
    x.fill_(7.0)
    assert x.tolist() == [[7.0] * 3] * 2
    x.zero_()
    x[0] = paddle.to_tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [[1.0, 2.0, 3.0], [2.0, 3.0, 0.0]]
    paddle.zeros([4]).as_strided([2, 2], [2, 1]).add_(paddle.ones([2, 2]))
    steps = paddle.zeros([3, 4])
    steps[:, ::2].add_(paddle.ones([3, 2]))
    paddle.diagonal(steps).add_(paddle.ones([3]))
    assert steps.tolist() == [[2, 0, 1, 0], [1, 1, 1, 0], [1, 0, 2, 0]]


def test_the_steps_of_optimizers():
    ones = [paddle.ones([2, 3]) for _ in range(2)]
    with pytest.raises(ValueError, match=r'\[sgd_\].*memory of their own'):
        paddle._C_ops.sgd_(repeated(2, 3), paddle.to_tensor([0.1]), ones[0], None, False)
    with pytest.raises(ValueError, match=r'\[momentum_\].*memory of their own'):
        paddle._C_ops.momentum_(
            ones[0],
            ones[1],
            windows(),
            paddle.to_tensor([0.1]),
            None,
            0.9,
            False,
            '',
            0.0,
            False,
            1,
        )


def test_the_steps_of_optimizers_on_memory_they_share():
    rate, buffer = paddle.to_tensor([0.1]), paddle.arange(8, dtype='float32')

    def step(param, grad, velocity):
        paddle._C_ops.momentum_(param, grad, velocity, rate, None, 0.9, False, '', 0.0, False, 1.0)

    with pytest.raises(ValueError, match=r'\[momentum_\].*memory of its own.*share elements'):
        step(buffer[:5], paddle.ones([5]), buffer[3:])
    with pytest.raises(ValueError, match=r'\[momentum_\].*memory of its own'):
        step(buffer, paddle.ones([8]), buffer)
    with pytest.raises(ValueError, match=r'\[momentum_\].*to read apart from those'):
        step(buffer[:4], buffer[1:5], paddle.zeros([4]))
    with pytest.raises(ValueError, match=r'\[momentum_\].*to read apart from those'):
        paddle._C_ops.momentum_(
            buffer, paddle.ones([8]), paddle.zeros([8]), buffer[:1], None, 0.9, False, '', 0.0
        )
    assert buffer.tolist() == list(range(8))
    step(buffer[:4], buffer[4:], paddle.zeros([4]))  # parts of one buffer
    np.testing.assert_allclose(buffer.numpy()[:4], np.arange(4) - 0.1 * np.arange(4, 8), rtol=1e-6)
    values = paddle.ones([3])
    step(values, values, paddle.zeros([3]))  # element by element
    np.testing.assert_allclose(values.numpy(), [0.9] * 3, rtol=1e-6)


def test_running_statistics_have_memory_of_their_own():
    x, statistics = paddle.randn([4, 3]), paddle.ones([5])
    with pytest.raises(ValueError, match=r'\[batch_norm_\].*memory of its own'):
        F.batch_norm(x, statistics[:3], statistics[2:], training=True)
    with pytest.raises(ValueError, match=r'\[batch_norm_\].*to read apart from those'):
        F.batch_norm(x, statistics[:3], paddle.ones([3]), weight=statistics[1:4], training=True)
    assert statistics.tolist() == [1.0] * 5
    both = paddle.ones([3, 2])
    F.batch_norm(x, both[:, 0], both[:, 1], training=True)  # the columns of one matrix
    mean, variance = x.numpy().mean(0), x.numpy().var(0)
    np.testing.assert_allclose(both.numpy()[:, 0], 0.9 + 0.1 * mean, rtol=1e-5)
    np.testing.assert_allclose(both.numpy()[:, 1], 0.9 + 0.1 * variance, rtol=1e-5)


def step_of_attention(cache):
    x = paddle.randn([2, 3 * 2 * 4])
    return incubate.masked_multihead_attention(
        x, cache, sequence_lengths=paddle.zeros([2, 1], 'int32')
    )


def test_caches_of_attention():
    own = paddle.zeros([2, 2, 2, 5, 4])
    shared = paddle.zeros([2, 1, 2, 5, 4]).as_strided([2, 2, 2, 5, 4], [40, 0, 20, 4, 1])
    step_of_attention(own)
    assert float(own.abs().sum()) > 0
    with pytest.raises(ValueError, match=r'\[masked_multihead_attention\].*memory of their own'):
        step_of_attention(shared)
    assert float(shared.abs().sum()) == 0


def test_caches_of_attention_in_blocks():
    def call(key_cache, value_cache):
        counts = [paddle.to_tensor(n, 'int32') for n in ([[0], [0]], [[1], [1]], [[1], [1]])]
        return incubate.block_multihead_attention(
            paddle.randn([2, 3 * 2 * 4]),
            key_cache,
            value_cache,
            *counts,
            None,
            None,
            None,
            None,
            paddle.to_tensor([[0], [1]], 'int32'),
            block_size=5,
        )

    def cache():
        return paddle.zeros([2, 2, 5, 4])

    shared = paddle.zeros([1, 2, 5, 4]).as_strided([2, 2, 5, 4], [0, 20, 4, 1])
    call(cache(), cache())
    for caches in ((shared, cache()), (cache(), shared)):
        with pytest.raises(ValueError, match=r'\[block_multihead_attention\].*memory of their own'):
            call(*caches)
        assert sum(float(c.abs().sum()) for c in caches) == 0
    one = cache()
    with pytest.raises(ValueError, match='two caches'):
        call(one, one)


def test_statistics_of_batch_norm():
    statistics = [repeated(3), paddle.ones([3])]
    with pytest.raises(ValueError, match='memory of their own'):
        paddle.nn.functional.batch_norm(paddle.randn([4, 3]), *statistics, training=True)
