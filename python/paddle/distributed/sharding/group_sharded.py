# SPDX-License-Identifier: Apache-2.0
"""A model and its optimizer as a group of processes trains them divided, and their files."""

import os

import paddle
from paddle.distributed.communication.group import joined, meet
from paddle.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import (
    GroupShardedOptimizerStage2,
)
from paddle.distributed.fleet.meta_parallel.sharding.group_sharded_stage2 import (
    GroupShardedStage2,
    ShardedModel,
)
from paddle.distributed.fleet.meta_parallel.sharding.group_sharded_stage3 import GroupShardedStage3
from paddle.distributed.fleet.scaler import GroupShardedScaler

from ..communication.all_gather import all_gather_object

__all__ = ['group_sharded_parallel', 'save_group_sharded_model']

_LEVELS = ('os', 'os_g', 'p_g_os')


def group_sharded_parallel(
    model,
    optimizer,
    level,
    scaler=None,
    group=None,
    offload=False,
    sync_buffers=False,
    buffer_max_size=2**23,
    segment_size=2**20,
    sync_comm=False,
    dp_group=None,
    exclude_layer=None,
):
    """Divide the training of a model among processes that see other batches each.

    Every parameter has one process that updates it and has its state. Gradients are averaged, at
    level "os" on all processes, else on that one only; at "p_g_os" it alone has the parameter too,
    which comes to the others while a layer needs it.

    Args:
        model (Layer): The model.
        optimizer (Optimizer): Its optimizer.
        level (str): What is divided: "os" the optimizer's state, "os_g" gradients too, "p_g_os"
            parameters too.
        scaler (GradScaler, default None): The scaler of the loss.
        group (Group, default None): The processes; None for all.
        offload (bool, default False): Whether state and updates are in the host's memory, where
            they are on the CPU in any case.
        sync_buffers (bool, default False): Whether each call while training begins with the first
            process's buffers.
        buffer_max_size (int, default 8388608): How many bytes of gradients are reduced together.
        segment_size (int, default 1048576): Parameters of fewer elements stay with all processes at
            level "p_g_os".
        sync_comm (bool, default False): Whether at "p_g_os" each reduction of gradients ends before
            backward goes on.
        dp_group (Group, default None): The processes that hold the same share and see other data.
        exclude_layer (list, default None): Names of classes and ids of layers whose parameters stay
            with all processes at level "p_g_os".

    Returns:
        tuple: the model, the optimizer and the scaler to train with.

    Raises:
        AssertionError: An argument of another type, or another level.
        ValueError: The optimizer has other parameters than the model; offload of parameters that
            are not on the CPU.

    Source: Rajbhandari, Rasley, Ruwase and He, ZeRO, https://arxiv.org/abs/1910.02054.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.sharding import group_sharded_parallel
        >>> def work():
        ...     dist.init_parallel_env()
        ...     model = paddle.nn.Linear(4, 4)
        ...     opt = paddle.optimizer.AdamW(parameters=model.parameters())
        ...     model, opt, _ = group_sharded_parallel(model, opt, "os_g")
        ...     model(paddle.ones([2, 4])).sum().backward()
        ...     opt.step()
        ...     opt.clear_grad()
        ...     assert len(opt.state_dict()) == 4  # of the weight or of the bias
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    op = 'group_sharded_parallel'
    for value, kind, what in (
        (model, paddle.nn.Layer, 'a Layer'),
        (optimizer, paddle.optimizer.Optimizer, 'an Optimizer'),
        (scaler, (paddle.amp.GradScaler, type(None)), 'a GradScaler'),
    ):
        assert isinstance(value, kind), f'[{op}] expected {what}, got {type(value).__name__}'
    assert level in _LEVELS, f'[{op}] expected level as one of {_LEVELS}, got {level!r}'
    optimizer = GroupShardedOptimizerStage2(
        list(model.parameters()), optimizer, group, offload, dp_group=dp_group
    )
    if level == 'p_g_os':
        model = GroupShardedStage3(
            model,
            optimizer,
            sync_buffers=sync_buffers,
            segment_size=segment_size,
            sync_comm=sync_comm,
            dp_group=dp_group,
            exclude_layer=exclude_layer,
            buffer_max_size=buffer_max_size,
        )
    else:
        model = GroupShardedStage2(
            model,
            optimizer,
            sync_buffers=sync_buffers,
            buffer_max_size=buffer_max_size,
            dp_group=dp_group,
            whole_gradients=level == 'os',
        )
    return model, optimizer, None if scaler is None else GroupShardedScaler(scaler)


def save_group_sharded_model(model, output, optimizer=None):
    """Write the model, and the state of its optimizer, whole.

    The files are `model.pdmodel` and `model.pdopt`, what `paddle.load` reads; they are loaded into
    a model and an optimizer before these are divided. All processes of the group call it; where
    several name one directory, the first of them writes.

    Args:
        model (Layer): What `group_sharded_parallel` gave.
        output (str): The directory; it is made where there is none.
        optimizer (object, default None): What `group_sharded_parallel` gave; None for the model
            alone.

    Returns:
        None.

    Raises:
        ValueError: The model is not divided.
        AssertionError: output is a file, or optimizer is not divided.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.distributed.sharding import (
        ...     group_sharded_parallel,
        ...     save_group_sharded_model,
        ... )
        >>> def work():
        ...     dist.init_parallel_env()
        ...     model = paddle.nn.Linear(4, 4)
        ...     opt = paddle.optimizer.AdamW(parameters=model.parameters())
        ...     model, opt, _ = group_sharded_parallel(model, opt, "p_g_os", segment_size=1)
        ...     model(paddle.ones([2, 4])).sum().backward()
        ...     opt.step()
        ...     save_group_sharded_model(model, "trained", opt)
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
        >>> sorted(paddle.load("trained/model.pdmodel"))
        ['bias', 'weight']
    """
    if not isinstance(model, ShardedModel):
        raise ValueError(
            '[save_group_sharded_model] expected a model of group_sharded_parallel, got '
            f'{type(model).__name__}'
        )
    assert optimizer is None or isinstance(optimizer, GroupShardedOptimizerStage2), (
        '[save_group_sharded_model] expected an optimizer of group_sharded_parallel, got '
        f'{type(optimizer).__name__}'
    )
    assert not os.path.isfile(output), (
        f'[save_group_sharded_model] expected a directory, got the file {output}'
    )
    group = joined(model._group)
    folders = []
    all_gather_object(folders, os.path.realpath(output), group)
    mine = folders.index(folders[group.rank]) == group.rank
    if isinstance(model, GroupShardedStage3):
        model.get_all_parameters()
    if mine:
        os.makedirs(output, exist_ok=True)
        paddle.save(model.state_dict(), os.path.join(output, 'model.pdmodel'))
    if isinstance(model, GroupShardedStage3):
        model._release_all()
    if optimizer is not None:
        state = _whole_state(optimizer, mine)
        if mine:
            paddle.save(state, os.path.join(output, 'model.pdopt'))
    meet(group)


def _whole_state(optimizer, wanted):
    """The state of all shares; one after another it passes by processes that do not want it."""
    group, own = optimizer._group, optimizer._optim.state_dict()
    masters = own.pop('master_weights', {})
    scheduler = own.pop('LR_Scheduler', None)
    listed = []
    mine = [
        (kind, name, t.shape, str(t.dtype))
        for kind, state in (('state', own), ('master', masters))
        for name, t in state.items()
    ]
    all_gather_object(listed, mine, group)
    whole, wholes = {}, {}
    with paddle.no_grad():
        for rank, entries in enumerate(listed):
            for kind, name, shape, dtype in entries:
                if rank == group.rank:
                    tensor = (own if kind == 'state' else masters)[name]
                else:
                    tensor = paddle.empty(shape, dtype.rsplit('.', 1)[-1])
                group.process_group.broadcast([tensor], rank)
                if wanted:
                    (whole if kind == 'state' else wholes)[name] = tensor
    if wholes:
        whole['master_weights'] = wholes
    if scheduler is not None:
        whole['LR_Scheduler'] = scheduler
    return whole
