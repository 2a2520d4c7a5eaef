# SPDX-License-Identifier: Apache-2.0
"""Loss scaling of a job: its processes agree on whether a step is left out."""

import paddle
import paddle.distributed as dist

__all__ = ['GroupShardedScaler', 'distributed_scaler']


def distributed_scaler(scaler, hcg):
    """`scaler`; from now on a step is left out on all processes where one has met an infinity."""
    return scaler if hcg.nranks < 2 else GroupShardedScaler(scaler)


def GroupShardedScaler(scaler):
    """`scaler`, over all processes of the job: a step is left out on all where one has met an
    infinity.
    """
    if dist.get_world_size() < 2:
        return scaler
    own = scaler._unscale

    def unscale(params):
        found = paddle.to_tensor([int(bool(own(params)))], 'int32')
        dist.all_reduce(found, dist.ReduceOp.MAX)
        return bool(found)

    scaler._unscale = unscale
    return scaler
