# SPDX-License-Identifier: Apache-2.0
"""Tensors in messages between processes: their memory goes, not a copy."""

import gc
import os

import numpy as np
import paddle
import paddle.incubate.multiprocessing as mp
import pytest
from paddle.incubate.multiprocessing.reductions import _reduce_tensor


def add_one(inbox, outbox):
    while (x := inbox.get()) is not None:
        if x.size and x.is_dense():
            with paddle.no_grad():
                x.add_(paddle.ones([1], x.dtype))
        outbox.put((type(x).__name__, x.stop_gradient, x))


def make(outbox):
    outbox.put(paddle.arange(6, dtype='int64'))  # this process ends before it is taken


def files(process=None):
    """Shared memory that processes have made."""
    return [n for n in os.listdir('/dev/shm') if n.startswith(f'paddle_{process or os.getpid()}_')]


@pytest.mark.parametrize('method', ['fork', 'spawn'])
def test_memory_is_shared(method):
    context = mp.get_context(method)
    inbox, outbox = context.Queue(), context.Queue()
    child = context.Process(daemon=True, target=add_one, args=(inbox, outbox))
    child.start()
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    inbox.put(x)
    kind, stopped, back = outbox.get(timeout=60)
    assert (kind, stopped) == ('Tensor', True) and x.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert back.data_ptr() == x.data_ptr()
    x.multiply_(paddle.full([2, 2], 10.0))
    inbox.put(x)
    assert outbox.get(timeout=60)[2].tolist() == x.tolist() == [[21.0, 31.0], [41.0, 51.0]]
    row = x[1]  # a view stays where it is, and goes by its values
    inbox.put(row)
    assert outbox.get(timeout=60)[2].tolist() == [42.0, 52.0] and x[1].tolist() == [41.0, 51.0]
    weight = paddle.create_parameter([3], 'float32', name='w')
    before = weight.numpy()
    inbox.put(weight)
    kind, stopped, back = outbox.get(timeout=60)
    assert (kind, stopped, back.name) == ('EagerParamBase', False, 'w')
    np.testing.assert_array_equal(weight.numpy(), before + 1)
    (weight * weight).sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), 2 * (before + 1))
    inbox.put(paddle.zeros([0, 3], 'int32'))
    assert outbox.get(timeout=60)[2].shape == [0, 3]
    inbox.put(paddle.sparse.sparse_coo_tensor([[1]], [5.0], [3]))
    assert outbox.get(timeout=60)[2].to_dense().tolist() == [0.0, 5.0, 0.0]
    inbox.put(x.T)
    assert outbox.get(timeout=60)[2].tolist() == [[22.0, 42.0], [32.0, 52.0]]
    inbox.put(None)
    child.join()
    assert child.exitcode == 0 and files()
    del x, row, back, weight
    gc.collect()
    assert files() == [] and files(child.pid) == []


@pytest.mark.parametrize('method', ['fork', 'spawn'])
def test_memory_outlives_its_sender(method):
    context = mp.get_context(method)
    outbox = context.Queue()
    child = context.Process(daemon=True, target=make, args=(outbox,))
    child.start()
    child.join()
    assert len(files(child.pid)) == 1
    assert outbox.get(timeout=60).tolist() == [0, 1, 2, 3, 4, 5]
    gc.collect()
    assert files(child.pid) == []


def test_what_is_not_shared_says_why():
    x = paddle.ones([2])
    x.stop_gradient = False
    with pytest.raises(ValueError, match='expected a leaf or a tensor without a gradient'):
        _reduce_tensor(x * 2)
    opened = paddle.base.core.DenseTensor._new_shared_filename
    with pytest.raises(ValueError, match="expected the name of a tensor's shared memory"):
        opened(('/../etc/passwd', -1, 8, 8, [2], [], False))
    with pytest.raises(Exception, match='expected shared memory that is in use'):
        opened(('/paddle_1_2_3', -1, 8, 8, [2], [], False))
    dense = paddle.base.core.DenseTensor(paddle.ones([2]))
    shared = dense._share_filename(False)
    with pytest.raises(ValueError, match='expected a tensor within 8 shared bytes, got 400 bytes'):
        opened((*shared[:4], [100], *shared[5:]))
    with pytest.raises(ValueError, match="expected a dtype's number, got 99"):
        opened((*shared[:3], 99, *shared[4:]))
    same = opened(shared)
    same._shared_incref()
    same._shared_decref()
    assert same._held().data_ptr() == dense._held().data_ptr()
    del same, dense
    gc.collect()
    assert files() == []
    with pytest.raises(ValueError, match='expected a tensor in shared memory'):
        paddle.base.core.DenseTensor(paddle.ones([2]))._shared_incref()
