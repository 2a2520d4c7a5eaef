# SPDX-License-Identifier: Apache-2.0
"""Training with distributed tensors, against one process."""

import pytest
import ranks

import paddle
import paddle.distributed as dist


@pytest.mark.parametrize(
    'count, what, args',
    [
        (2, 'planned', ('dp2', '0')),
        (2, 'planned', ('dp2', '1')),
        (2, 'planned', ('dp2', '2')),
        (2, 'planned', ('dp2', '3')),
        (2, 'planned', ('mp2', '0')),
        (2, 'planned', ('mp2', '0', '1')),
        (4, 'planned', ('dp2mp2', '0')),
        (4, 'planned', ('dp2mp2', '3', '1')),
        (8, 'planned', ('dp4mp2', '1')),
        (2, 'context', ('sep2', 'p2p')),
        (4, 'context', ('sep2mp2', 'all2all')),
        (4, 'context', ('dp2sep2', 'all2all')),
        (2, 'converted', ()),
        (4, 'converted', ()),
        (4, 'converted', ('divided',)),
        (2, 'by_hand', ()),
        (2, 'local', ()),
        (4, 'experts', ()),
        (2, 'experts_train', ()),
        (4, 'experts_train', ()),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_dist_training', what, *args, timeout=120)


def test_refusals():
    mesh = dist.ProcessMesh([0], ['dp'])
    model = paddle.nn.Linear(2, 2)
    with pytest.raises(TypeError, match='expected an Optimizer'):
        dist.shard_optimizer(model)
    with pytest.raises(TypeError, match='axis of the mesh'):
        dist.ShardingStage1(1.5)
    with pytest.raises(ValueError, match="'mp'"):
        dist.parallelize(model, None, mesh, {'mp_config': {'parallelize_plan': {'x': None}}})
    with pytest.raises(NotImplementedError, match='ep_config'):
        dist.parallelize(model, None, mesh, {'ep_config': {'split_spec': 'x'}})
    with pytest.raises(ValueError, match="'pp'"):
        dist.parallelize(model, None, mesh, {'pp_config': {'split_spec': 'x'}})
    stages = dist.ProcessMesh([0], ['pp'])
    for spec, kind, match in (
        ('x', ValueError, "layers below 'x'"),
        ({'x': dist.SplitPoint.END}, ValueError, "a layer, got 'x'"),
        ({'': 1}, TypeError, 'a SplitPoint'),
        ({'': dist.SplitPoint.END}, ValueError, '1 stages'),
        (3, TypeError, 'split_spec'),
    ):
        with pytest.raises(kind, match=match):
            dist.parallelize(model, None, stages, {'pp_config': {'split_spec': spec}})
    with pytest.raises(ValueError, match="a layer, got 'y'"):
        dist.parallelize(model, None, stages, {'pp_config': {'global_spec': 'y'}})
    with pytest.raises(ValueError, match="'sep'"):
        dist.parallelize(model, None, mesh, {'cp_config': {'parallelize_plan': {'x': None}}})
    with pytest.raises(AssertionError, match='got .ring'):
        dist.ContextParallel('ring')
    with pytest.raises(ValueError, match='device_num'):
        dist.to_distributed(model, paddle.optimizer.SGD(parameters=[]), None, 0)
    with pytest.raises(ValueError, match='sharding_level'):
        dist.parallelize(model, None, mesh, {'dp_config': {'sharding_level': 7}})
    with pytest.raises(ValueError, match='a Layer'):
        dist.shard_layer(3, mesh)


@pytest.mark.parametrize('dims', ['x', ['dp', 'x'], 1, 1.0])
def test_axes_of_a_loader_that_the_mesh_lacks_are_refused(dims):
    mesh = dist.ProcessMesh([0], dim_names=['dp'])
    loader = paddle.io.DataLoader([1.0] * 4, batch_size=2)
    with pytest.raises(ValueError, match='expected shard_dims among the axes'):
        dist.shard_dataloader(loader, mesh, shard_dims=dims)
