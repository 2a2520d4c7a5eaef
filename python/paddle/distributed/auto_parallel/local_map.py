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
    """A function of distributed tensors that calls `func` with their parts on each process.

    `out_placements` says how the results of the parts make the whole; None for a result that is no
    distributed tensor. `in_placements` is what `func` expects of each argument: others raise
    ValueError, or are moved with `reshard_inputs`.
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

    `out_dist_attrs` and `grad_dist_attrs` are (mesh, placements) of each output and of each input's
    gradient: a partial one is summed.
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
