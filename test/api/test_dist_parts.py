# SPDX-License-Identifier: Apache-2.0
"""Marks of tensors and functions by names of axes (`fleet.auto`), and small parts of jobs."""

import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed.fleet import auto


def test_marks_by_names_of_axes():
    mesh = auto.create_mesh([('dp', 1), ('mp', 1)])
    assert auto.get_mesh() == mesh
    x = paddle.ones([4, 2])
    placed = auto.shard_tensor(x, mesh, [None, 'mp'])
    assert placed.placements == [dist.Replicate(), dist.Shard(1)]
    product = auto.shard_op(paddle.matmul, mesh, [['dp', None], None], [['dp', 'mp']])
    out = product(x, paddle.ones([2, 3]))
    assert out.placements == [dist.Shard(0), dist.Shard(1)]
    assert out.numpy().tolist() == [[2.0] * 3] * 4
    with pytest.raises(ValueError, match='axes of'):
        auto.shard_tensor(x, mesh, ['pp', None])
    with pytest.raises(ValueError, match='2 axes'):
        auto.shard_tensor(x, mesh, ['dp'])


def test_reductions_have_numbers():
    from paddle.distributed.communication.reduce import ReduceOp, _get_reduce_op

    assert _get_reduce_op(ReduceOp.PROD) == ReduceOp.PROD
    with pytest.raises(ValueError, match='7'):
        _get_reduce_op(7)
