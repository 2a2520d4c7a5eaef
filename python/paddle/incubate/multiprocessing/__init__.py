# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate.multiprocessing`: the standard library's `multiprocessing`, whose queues and
pipes pass tensors by their memory: both processes see what either writes.

Examples:
    >>> import paddle.incubate.multiprocessing as mp
    >>> queue = mp.SimpleQueue()
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> queue.put(x)
    >>> y = queue.get()
    >>> y.add_(paddle.ones([2])).tolist(), x.tolist()
    ([2.0, 3.0], [2.0, 3.0])
"""

from multiprocessing import *  # noqa: F403
from multiprocessing import reducer  # noqa: F401

from .reductions import init_reductions

__all__ = []

init_reductions()
