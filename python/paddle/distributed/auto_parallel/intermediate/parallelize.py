# SPDX-License-Identifier: Apache-2.0
"""`parallelize`: a model and an optimizer written for one process, divided as a plan says."""

import re

import paddle

from ..api import mesh_or_global
from ..shard import ShardingStage1, ShardingStage2, ShardingStage3, replicate_rest, shard_optimizer
from .pipeline_parallel import Stages
from .tensor_parallel import PlanBase

__all__ = ['parallelize']


def _divide_layers(model, stages, plan, axis):
    mesh = stages.mesh
    if axis not in mesh.dim_names:
        raise ValueError(
            f"[parallelize] expected a mesh with an axis {axis!r}, got {mesh.dim_names}"
        )
    layers = dict(model.named_sublayers(include_self=True))
    for pattern, plans in plan.items():
        pattern, _, last = (
            pattern.rpartition('.') if pattern.endswith(('.weight', '.bias')) else (pattern, '', '')
        )
        matched = [layer for name, layer in layers.items() if re.fullmatch(pattern, name)]
        if not matched:
            raise ValueError(
                f'[parallelize] expected names of layers in the plan, got {pattern!r}, which none '
                'of the model matches'
            )
        for one in plans if isinstance(plans, (list, tuple)) else [plans]:
            if not isinstance(one, PlanBase):
                raise TypeError(
                    f'[parallelize] expected a plan such as ColWiseParallel() for {pattern!r}, got '
                    f'{type(one).__name__}'
                )
            for layer in matched:
                one.apply(layer, stages.mesh_of(layer), [last] if last else [])


def parallelize(model, optimizer=None, mesh=None, config=None):
    """A model and an optimizer written for one process, divided on a mesh as a plan says.

    Args:
        model (Layer): The model.
        optimizer (Optimizer, default None): Its optimizer.
        mesh (ProcessMesh, default None): A mesh whose axes are named `dp`, `mp`, `sep` and `pp`;
            None for that of `set_mesh`.
        config (dict, default None): `mp_config` has the dict `parallelize_plan`: plans, as
            `ColWiseParallel`, by patterns of layer names; `dp_config` has `sharding_level`, 0 to 3:
            what processes along `dp` divide of the optimizer's state and the parameters;
            `cp_config` has a `parallelize_plan` too, of `ContextParallel`. The rest is on all
            processes alike. `pp_config` has `split_spec`, which says where stages end: a
            `SplitPoint` by the name of a layer, for all stages but one, or the name of a list of
            layers, or several, to be divided evenly; and `global_spec`, the names of layers whose
            results all stages get. The stages lie along `pp`.

    Returns:
        tuple: model and optimizer.

    Raises:
        NotImplementedError: config has other parts.
        TypeError: model is no Layer, or the plan has something that is no plan.
        ValueError: The mesh lacks an axis, a pattern matches no layer, split points do not fit the
            stages, or sharding_level is none.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([[0]], dim_names=["dp", "mp"])
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 4), paddle.nn.Linear(4, 2))
        >>> plan = {"0": dist.ColWiseParallel(), "1": dist.RowWiseParallel()}
        >>> config = {"mp_config": {"parallelize_plan": plan}}
        >>> model, _ = dist.parallelize(model, mesh=mesh, config=config)
        >>> model[0].weight.placements, model[1].weight.placements
        ([Replicate(), Shard(dim=1)], [Replicate(), Shard(dim=0)])
    """
    mesh = mesh_or_global('parallelize', mesh)
    if not isinstance(model, paddle.nn.Layer):
        raise TypeError(f'[parallelize] expected a Layer as model, got {type(model).__name__}')
    config = dict(config or {})
    mp, dp, cp, pp = (config.pop(f'{axis}_config', None) or {} for axis in ('mp', 'dp', 'cp', 'pp'))
    config = {key: value for key, value in config.items() if value}
    if config:
        raise NotImplementedError(
            '[parallelize] expected mp_config, dp_config, cp_config and pp_config, got '
            f'{sorted(config)} too'
        )
    plan, level = mp.get('parallelize_plan') or {}, dp.get('sharding_level') or 0
    level = int(level)
    if level not in (0, 1, 2, 3):
        raise ValueError(f'[parallelize] expected sharding_level 0 to 3, got {level}')
    for axis, wanted in (('dp', level), ('pp', pp)):
        if wanted and axis not in mesh.dim_names:
            raise ValueError(
                f'[parallelize] expected a mesh with an axis {axis!r}, got {mesh.dim_names}'
            )
    stages = Stages(model, mesh, pp.get('split_spec'))
    stages.connect(model)
    for plans, axis in ((plan, 'mp'), (cp.get('parallelize_plan'), 'sep')):
        if plans:
            _divide_layers(model, stages, plans, axis)
    stages.spread(model, pp.get('global_spec'))
    replicate_rest(model, stages.mesh_of)
    if optimizer is not None:
        levels = (ShardingStage1, ShardingStage2, ShardingStage3)
        shard_optimizer(optimizer, levels[level - 1]('dp', mesh) if level else None)
    return model, optimizer
