# SPDX-License-Identifier: Apache-2.0
"""`to_distributed`: a program written for one process, divided without a plan of the user's."""

from collections import Counter

import paddle

from .intermediate.parallelize import parallelize
from .intermediate.tensor_parallel import ColWiseParallel, PlanBase, RowWiseParallel, placed_along
from .placement_type import Shard
from .process_mesh import ProcessMesh
from .shard import shard_dataloader

__all__ = ['ToDistributedConfig', 'to_distributed']


class ToDistributedConfig:
    """Options of `to_distributed`: `input_spec`, which has no effect, for the model is not run to
    know it; and `sequence_parallel`: between blocks that `mp` divides each process has its part of
    the sequence, the second axis, so that activations there take less memory.
    """

    def __init__(self):
        self.input_spec = None
        self.sequence_parallel = False


def _blocks(model):
    """(name, layer) of the layers that lists of the model repeat."""
    found = []
    for name, layer in model.named_sublayers(include_self=True):
        if isinstance(layer, (paddle.nn.LayerList, paddle.nn.Sequential)):
            kinds = Counter(type(one) for one in layer.children())
            for key, one in layer.named_children():
                if kinds[type(one)] > 1 and list(one.children()):
                    found.append((f'{name}.{key}' if name else key, one))
    return found


class _DividedSequence(PlanBase):
    """Behind a layer the second of three axes is divided along `mp`: sums over rows of weights are
    added up where they stay, and what reads them whole gathers them.
    """

    def apply(self, layer, process_mesh, shard_param_list):
        self.whole_layer(shard_param_list)

        def divide(_, inputs, out):
            if not isinstance(out, paddle.Tensor) or out.ndim != 3:
                return out
            return placed_along('mp', out, process_mesh, Shard(1))

        layer.register_forward_post_hook(divide)


def _plan(model, divides_sequence):
    """Plans by names of linear layers: of those that one layer of a block has, the last goes back
    to the width from which the first comes; the others are divided by columns.
    """
    back = [RowWiseParallel(), *([_DividedSequence()] if divides_sequence else [])]
    plan = {}
    for prefix, block in _blocks(model):
        for name, parent in [('', block), *block.named_sublayers()]:
            linear = [
                (key, one)
                for key, one in parent.named_children()
                if isinstance(one, paddle.nn.Linear)
            ]
            if len(linear) < 2:
                continue
            width, last = linear[0][1].weight.shape[0], linear[-1][1].weight.shape
            if last[1] != width or any(one.weight.shape[0] != width for _, one in linear[:-1]):
                continue
            if last[0] != linear[-2][1].weight.shape[1]:
                continue
            for i, (key, _) in enumerate(linear):
                path = '.'.join(part for part in (prefix, name, key) if part)
                plan[path] = back if i == len(linear) - 1 else ColWiseParallel()
    return plan


def to_distributed(model, optimizer, dataloader, device_num, node_num=1, config=None):
    """A model, an optimizer and a loader written for one process, divided among all processes.

    Batches are divided along an axis `dp` of the mesh, and the optimizer's state with them. From
    four processes on, an axis `mp` of two divides the linear layers of blocks that the model
    repeats, where they go to another width and back. How the model computes is unchanged.

    Args:
        model (Layer): The model.
        optimizer (Optimizer): Its optimizer.
        dataloader (DataLoader): The loader, whose batches the processes can divide.
        device_num (int): How many processes each node has.
        node_num (int, default 1): How many nodes there are.
        config (ToDistributedConfig, default None): Options; None for none.

    Returns:
        tuple: model, optimizer and loader.

    Raises:
        TypeError: model is no Layer, or optimizer no Optimizer.
        ValueError: device_num or node_num is below 1, or the processes cannot divide the batches.

    Examples:
        >>> from paddle.io import DataLoader, TensorDataset
        >>> data = DataLoader(TensorDataset([paddle.rand([4, 2])]), batch_size=2)
        >>> model = paddle.nn.Linear(2, 1)
        >>> opt = paddle.optimizer.AdamW(parameters=model.parameters())
        >>> model, opt, data = paddle.distributed.to_distributed(model, opt, data, device_num=1)
        >>> for (x,) in data:
        ...     model(x).mean().backward()
        ...     opt.step()
        ...     opt.clear_grad()
        >>> model.weight.is_dist()
        True
    """
    for value, kind, what in (
        (model, paddle.nn.Layer, 'a Layer as model'),
        (optimizer, paddle.optimizer.Optimizer, 'an Optimizer'),
    ):
        if not isinstance(value, kind):
            raise TypeError(f'[to_distributed] expected {what}, got {type(value).__name__}')
    count = int(device_num) * int(node_num or 1)
    if count < 1:
        raise ValueError(
            f'[to_distributed] expected device_num and node_num of 1 and more, got {device_num} '
            f'and {node_num}'
        )
    sequence = config is not None and bool(config.sequence_parallel)
    plan = _plan(model, sequence) if count >= 4 and count % 2 == 0 else {}
    parts = 2 if plan else 1
    mesh = ProcessMesh(shape=[count // parts, parts], process_ids=range(count), dim_names=_AXES)
    divided = {'mp_config': {'parallelize_plan': plan}, 'dp_config': {'sharding_level': 1}}
    model, optimizer = parallelize(model, optimizer, mesh, divided)
    return model, optimizer, shard_dataloader(dataloader, mesh, shard_dims='dp')


_AXES = ['dp', 'mp']
