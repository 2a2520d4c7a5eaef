# SPDX-License-Identifier: Apache-2.0
"""Collectives between ranks: every dtype, sizes from nothing to several turns of the slots, tasks,
messages, objects, groups, and what goes wrong.
"""

import pytest
import ranks

import paddle
import paddle.distributed as dist


@pytest.mark.parametrize(
    'what', 'reductions moves uneven tasks messages objects groups made_anew mistakes'.split()
)
def test_three_ranks(what):
    ranks.run(3, 'work_collectives', what)


def test_two_ranks_and_their_children():
    ranks.run(2, 'work_collectives', 'children')


def test_before_a_group():
    assert dist.get_rank() == 0 and dist.get_world_size() == 1 and not dist.is_initialized()
    assert paddle.distributed.is_available() and dist.ReduceOp.AVG == 4
    with pytest.raises(RuntimeError, match='init_parallel_env'):
        dist.all_reduce(paddle.ones([2]))
    with pytest.warns(UserWarning, match='only process'):
        assert dist.init_parallel_env() is None
    env = dist.ParallelEnv()
    assert (env.rank, env.world_size, env.nranks, env.device_id) == (0, 1, 1, 0)
