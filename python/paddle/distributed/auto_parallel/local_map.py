# SPDX-License-Identifier: Apache-2.0
"""Functions and layers that calculate with the parts of distributed tensors."""

import paddle
from paddle.base import libpaddle as core
from paddle.utils import map_structure

from .api import reshard

__all__ = ['LocalLayer', 'local_map']


def _apart(placements, others):
    """Axes along which processes have a tensor alike, and calculate other things with it."""
    return [
        p.is_replicated() and any(not o[axis].is_replicated() for o in others)
        for axis, p in enumerate(placements)
    ]


def _wrap(outputs, attributes, op):
    """Outputs as distributed tensors; `attributes`: (mesh, placements) of each, or None."""
    single = not isinstance(outputs, (list, tuple))
    listed = [outputs] if single else list(outputs)
    if len(listed) != len(attributes):
        raise ValueError(
            f'[{op}] expected placements for each of {len(listed)} outputs, got {len(attributes)}'
        )
    made = [
        core._dtensor_from_local(t, *a) if isinstance(t, paddle.Tensor) and a is not None else t
        for t, a in zip(listed, attributes)
    ]
    return made[0] if single else type(outputs)(made)


def local_map(func, out_placements, in_placements=None, process_mesh=None, reshard_inputs=False):
    """A function of distributed tensors that calls another with their parts on each process.

    Args:
        func (callable): It gets and gives the parts of this process.
        out_placements (list): For each result the placements by which the parts make the whole;
            None for one that is no distributed tensor.
        in_placements (list, default None): For each argument the placements that func expects; None
            for any.
        process_mesh (ProcessMesh, default None): The mesh of the results; None for that of the
            arguments.
        reshard_inputs (bool, default False): Whether arguments that are placed otherwise are moved,
            not refused.

    Returns:
        callable: the function.

    Raises:
        ValueError: On a call: an argument is placed otherwise than expected, or there are more or
            fewer results.

    Examples:
        >>> import paddle.distributed as dist
        >>> def work():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
        ...     x = dist.shard_tensor(paddle.arange(4.0), mesh, [dist.Shard(0)])
        ...     total = dist.local_map(lambda part: part.sum(), [[dist.Partial()]])(x)
        ...     assert dist.unshard_dtensor(total).item() == 6.0
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """

    def wrapped(*args, **kwargs):
        mesh = process_mesh
        expected = list(in_placements) if in_placements is not None else None
        at = 0
        attributes = [p for p in out_placements if p is not None]

        def local(value):
            nonlocal mesh, at
            want = expected[at] if expected is not None and at < len(expected) else None
            at += 1
            if not isinstance(value, paddle.Tensor) or not value.is_dist():
                if isinstance(value, paddle.Tensor) and want is not None:
                    raise ValueError(
                        f'[local_map] expected a distributed tensor placed as {want}, got a dense '
                        'one'
                    )
                return value
            mesh = value.process_mesh if mesh is None else mesh
            if want is not None and list(want) != value.placements:
                if not reshard_inputs:
                    raise ValueError(
                        f'[local_map] expected an input placed as {want}, got {value.placements}; '
                        'reshard_inputs=True moves it'
                    )
                value = reshard(value, mesh, want)
            return core._local_apart(value, _apart(value.placements, attributes))

        args = map_structure(local, list(args))
        kwargs = map_structure(local, dict(kwargs))
        outputs = func(*args, **kwargs)
        if mesh is None:
            return outputs
        return _wrap(
            outputs, [None if p is None else (mesh, p) for p in out_placements], 'local_map'
        )

    return wrapped


class LocalLayer(paddle.nn.Layer):
    """A layer whose `forward` gets the parts of distributed tensors and returns parts.

    Args:
        out_dist_attrs (list of tuples): (mesh, placements) of each output.
        grad_dist_attrs (list of tuples): (mesh, placements) of the gradient of each input: a
            partial one is summed.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
        >>> class Double(dist.LocalLayer):
        ...     def forward(self, x):
        ...         assert not x.is_dist()
        ...         return x * 2
        >>> layer = Double([(mesh, [dist.Shard(0)])], [(mesh, [dist.Shard(0)])])
        >>> y = layer(dist.shard_tensor(paddle.to_tensor([1.0, 2.0]), mesh, [dist.Shard(0)]))
        >>> y.is_dist(), y.tolist()
        (True, [2.0, 4.0])
    """

    def __init__(self, out_dist_attrs, grad_dist_attrs):
        super().__init__()
        self.out_dist_attrs, self.grad_dist_attrs = out_dist_attrs, grad_dist_attrs

    def __call__(self, *inputs, **kwargs):
        at = 0

        def local(value):
            nonlocal at
            i, at = at, at + 1
            if not isinstance(value, paddle.Tensor) or not value.is_dist():
                return value
            attr = self.grad_dist_attrs[i] if i < len(self.grad_dist_attrs or ()) else None
            apart = [p.is_partial() for p in attr[1]] if attr else [False] * len(value.placements)
            return core._local_apart(value, apart)

        inputs = map_structure(local, list(inputs))
        kwargs = map_structure(local, dict(kwargs))
        return _wrap(super().__call__(*inputs, **kwargs), self.out_dist_attrs, 'LocalLayer')
