# SPDX-License-Identifier: Apache-2.0
"""group_sharded_parallel: the training of one process, with its state divided."""

import pytest
import ranks

import paddle
from paddle.distributed.sharding import save_group_sharded_model


@pytest.mark.parametrize('level', ['os', 'os_g', 'p_g_os'])
def test_training(level, tmp_path):
    ranks.run(2, 'work_sharded', 'train', level, str(tmp_path))


@pytest.mark.parametrize('count, what', [(2, 'gradients'), (2, 'memory'), (4, 'with_replicas')])
def test_ranks(count, what):
    ranks.run(count, 'work_sharded', what)


def test_undivided(tmp_path):
    with pytest.raises(ValueError, match='expected a model of group_sharded_parallel'):
        save_group_sharded_model(paddle.nn.Linear(2, 2), str(tmp_path))
