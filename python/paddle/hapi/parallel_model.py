# SPDX-License-Identifier: Apache-2.0
"""`Model` in a job of several processes: all train one network, each on its share of the data."""

import contextlib
import os

import paddle

__all__ = []


def join():
    """How many processes the job has, once they know each other."""
    count = int(os.environ.get('PADDLE_TRAINERS_NUM', '1'))
    if count > 1:
        from paddle import distributed

        if not distributed.is_initialized():
            distributed.init_parallel_env()
    return count


class Shared:
    """A network that all processes train: its gradients are averaged at each update."""

    def __init__(self, network):
        self._parallel = paddle.DataParallel(network, find_unused_parameters=True)

    def __call__(self, *inputs):
        return self._parallel(*inputs)

    def step(self, update):
        """The context of a step; without an update gradients only accumulate."""
        return contextlib.nullcontext() if update else self._parallel.no_sync()


class Gathered:
    """Batches of all processes as one, over a pass through `count` samples that
    `DistributedBatchSampler` deals: those that it repeats for even shares are left out.
    """

    def __init__(self, count):
        self._left = count

    def __call__(self, tensors):
        from paddle.distributed import all_gather

        joined = []
        for tensor in tensors:
            parts = []
            all_gather(parts, tensor)
            whole = paddle.concat([part.reshape([1]) if part.ndim == 0 else part for part in parts])
            joined.append(whole[: self._left] if tensor.ndim else whole)
        self._left -= max((len(t) for t in joined if t.ndim), default=0)
        return joined
