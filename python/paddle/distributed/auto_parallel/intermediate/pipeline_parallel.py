# SPDX-License-Identifier: Apache-2.0
"""Plans of pipelines: the axis `pp` of a mesh has the stages, each on a mesh of its own."""

import enum
import re

from ..meshes import brought
from ..process_mesh import ProcessMesh
from .tensor_parallel import each_tensor

__all__ = ['SplitPoint']


class SplitPoint(enum.Enum):
    """Where a layer named in `pp_config` of `parallelize` divides the model: before it or behind.

    Attributes:
        BEGINNING: The layer is the first of the next stage.
        END: The layer is the last of its stage.

    Examples:
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["pp"])
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 4), paddle.nn.Linear(4, 2))
        >>> spec = {"0": dist.SplitPoint.END}
        >>> dist.parallelize(model, mesh=mesh, config={"pp_config": {"split_spec": spec}})
        Traceback (most recent call last):
        ValueError: [parallelize] expected split points for 1 stages, 0, got 1: ['0']
    """

    BEGINNING = 0
    END = 1


def stage_meshes(mesh):
    """The mesh of each stage."""
    if mesh.ndim == 1:
        return [ProcessMesh([rank], ['pp']) for rank in mesh.process_ids]
    return [mesh.get_mesh_with_dim('pp', i) for i in range(mesh.get_dim_size('pp'))]


def _points(names, spec, count):
    """The split points by names of layers."""
    if isinstance(spec, (str, list, tuple)):
        points = {}
        for prefix in [spec] if isinstance(spec, str) else spec:
            blocks = [name for name in names if re.fullmatch(re.escape(prefix) + r'\.\d+', name)]
            if len(blocks) < count:
                raise ValueError(
                    f'[parallelize] expected at least {count} layers below {prefix!r} for '
                    f'{count} stages, got {len(blocks)}'
                )
            ends = [len(blocks) * (i + 1) // count - 1 for i in range(count - 1)]
            points.update((blocks[i], SplitPoint.END) for i in ends)
        return points
    if not isinstance(spec, dict):
        raise TypeError(
            '[parallelize] expected split_spec as names, or split points by names, got '
            f'{type(spec).__name__}'
        )
    for name, point in spec.items():
        if name not in names:
            raise ValueError(f'[parallelize] expected the name of a layer, got {name!r}')
        if not isinstance(point, SplitPoint):
            raise TypeError(f'[parallelize] expected a SplitPoint for {name!r}, got {point!r}')
    return dict(spec)


class Stages:
    """Which stage each layer of a model belongs to."""

    def __init__(self, model, mesh, spec):
        self.mesh, self.meshes = mesh, stage_meshes(mesh) if spec else [mesh]
        self._stage, self._last = {}, {}  # by layer: its own stage, and the last of its sublayers
        names = dict(model.named_sublayers(include_self=True))
        points = _points(names, spec, len(self.meshes)) if spec else {}
        if spec and len(points) != len(self.meshes) - 1:
            raise ValueError(
                f'[parallelize] expected split points for {len(self.meshes)} stages, '
                f'{len(self.meshes) - 1}, got {len(points)}: {list(points)}'
            )
        self._points = {names[name]: point for name, point in points.items()}
        self._walk(model, 0)
        users = {}  # stages by parameters
        for layer, stage in self._stage.items():
            for param in layer._parameters.values():
                users.setdefault(id(param), set()).add(stage)
        self._shared = {
            layer
            for layer in self._stage
            if any(len(users[id(p)]) > 1 for p in layer._parameters.values() if p is not None)
        }

    def _walk(self, layer, stage):
        """The stage behind the layer."""
        if layer in self._stage:
            return stage
        point = self._points.get(layer)
        stage += point is SplitPoint.BEGINNING
        self._stage[layer] = stage
        for one in layer.children():
            stage = self._walk(one, stage)
        self._last[layer] = stage
        return stage + (point is SplitPoint.END)

    def mesh_of(self, layer):
        """The mesh of the parameters of a layer itself: that of all stages where it shares them
        with layers of others.
        """
        return self.mesh if layer in self._shared else self._own_mesh(layer)

    def _own_mesh(self, layer):
        return self.meshes[self._stage[layer]]

    def spread(self, model, names):
        """What comes out of the named layers goes to all stages."""
        layers = dict(model.named_sublayers(include_self=True))
        for name in [names] if isinstance(names, str) else names or []:
            if name not in layers:
                raise ValueError(f'[parallelize] expected the name of a layer, got {name!r}')
            layers[name].register_forward_post_hook(
                lambda _, __, out: each_tensor(out, lambda t: brought(t, self.mesh))
            )

    def connect(self, layer):
        """Registers hooks that bring what goes into layers to their stages."""
        if len(self.meshes) == 1:
            return
        if self._stage[layer] != self._last[layer]:
            for one in layer.children():
                self.connect(one)
            return
        mesh = self._own_mesh(layer)

        def bring(_, args, kwargs):
            def move(values):
                return each_tensor(values, lambda t: brought(t, mesh))

            return tuple(map(move, args)), {key: move(v) for key, v in kwargs.items()}

        layer.register_forward_pre_hook(bring, with_kwargs=True)
