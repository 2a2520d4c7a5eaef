# SPDX-License-Identifier: Apache-2.0
"""The rules by which placements go through operations, asked without tensors."""

import paddle
from paddle._legacy_ops import OPS
from paddle.base import libpaddle

from .dist_attr import TensorDistAttr
from .function_rules import ALIKE, RULES, WHOLE, results_of, text_of

_PARTIAL = -2


class DistTensorSpec:
    """The shape of a tensor and how it lies on a mesh.

    Args:
        shape (list, optional): The extents of the whole tensor; or a DistTensorSpec that is copied.
        dist_attr (TensorDistAttr, optional): How it lies.
    """

    def __init__(self, shape=(), dist_attr=None):
        if isinstance(shape, DistTensorSpec):
            shape, dist_attr = shape.shape, shape._attr
        self.shape, self._attr = list(shape), TensorDistAttr(dist_attr)

    def dims_mapping(self):
        """For each axis of the tensor the axis of the mesh that divides it, or -1."""
        return self._attr.dims_mapping

    def set_dims_mapping(self, dims_mapping):
        """Say which axis of the mesh divides each axis of the tensor."""
        self._attr.dims_mapping = dims_mapping

    def process_mesh(self):
        """The mesh."""
        return self._attr.process_mesh

    def set_process_mesh(self, process_mesh):
        """Say on which mesh it lies."""
        self._attr.process_mesh = process_mesh

    def __str__(self):
        return f'{{tensor_shape:{self.shape}, dist_attr:{self._attr}}}'

    def _placed(self, axes):
        """Its shape, and for each axis of the mesh the axis of the tensor that it divides."""
        if len(self._attr.dims_mapping) != len(self.shape):
            raise ValueError(
                f'[DistTensorSpec] expected an entry of dims_mapping for each of the '
                f'{len(self.shape)} axes, got {self._attr.dims_mapping}'
            )
        found = [_PARTIAL if axis in self._attr._partial_dims() else -1 for axis in range(axes)]
        for dim, by in enumerate(self._attr.multi_dims_mapping):
            for axis in by:
                if not 0 <= axis < axes:
                    raise ValueError(
                        f'[DistTensorSpec] expected axes of a mesh of {axes} in dims_mapping, got '
                        f'{axis}'
                    )
                found[axis] = dim
        return self.shape, found


class SpmdRule:
    """The rule of one operation."""

    def __init__(self, name):
        self._name = name
        self._operands, self._results = libpaddle._operands_of_rule(name)

    def _count(self, specs, attrs):
        """How many of the specs are operands."""
        return min(self._operands, len(specs) - 1)

    def _placed(self, mesh, operands, results, attrs):
        return libpaddle._infer_placements(self._name, mesh.shape, operands, results, attrs)

    def infer_forward(self, *args):
        """Where operands are to lie and results lie then.

        Args:
            args: The operands, each a DistTensorSpec or a list of them, then the attributes.

        Returns:
            tuple. The TensorDistAttr of the operands, and those of the results, as lists.
        """
        specs, attrs = _split(self._name, args)
        mesh, given = _given(specs)
        operands, results = self._placed(mesh, given, None, attrs)
        shapes = [_map(lambda s: s.shape, s) for s in specs]
        return _attrs(mesh, shapes, operands), _attrs(
            mesh, *(zip(*results) if results else ((), ()))
        )

    def infer_backward(self, *args):
        """Where operands are to lie for results to lie as given.

        Args:
            args: The operands, then the results, each a DistTensorSpec or a list of them, then the
                attributes.

        Returns:
            tuple. The TensorDistAttr of the operands, and those of the results, as lists.
        """
        specs, attrs = _split(self._name, args)
        if len(specs) < 2:
            raise ValueError(
                f'[{self._name}] expected operands and results, got {len(specs)} of them'
            )
        count = self._count(specs, attrs)
        mesh, given = _given(specs)
        placed = self._placed(mesh, given[:count], given[count:], attrs)
        shapes = [_map(lambda s: s.shape, s) for s in specs]
        return _attrs(mesh, shapes[:count], placed[0]), _attrs(mesh, shapes[count:], placed[1])


class _FunctionRule(SpmdRule):
    """The rule of an operation that is a function of others."""

    def __init__(self, name):
        self._name = name

    def _count(self, specs, attrs):
        text = text_of(self._name, [one.shape for s in specs for one in _listed(s)], attrs)
        return max(1, len(specs) - len(text.partition('->')[2].split(',')))

    def _placed(self, mesh, operands, results, attrs):
        lists = [isinstance(one, list) for one in operands]
        flat = [o for one in operands for o in _listed(one)]
        text = text_of(self._name, [shape for shape, _ in flat], attrs)
        wanted = results
        if results is None:
            whole = [-1] * len(mesh.shape)
            wanted = [(shape, whole) for shape in results_of(text, [shape for shape, _ in flat])]
        said, made = libpaddle._infer_by_notation(
            self._name, text, mesh.shape, flat, wanted, results is not None
        )
        said = iter(said)
        given = [
            [next(said) for _ in one] if many else next(said) for one, many in zip(operands, lists)
        ]
        if results is not None:
            return given, made
        if self._name in WHOLE:
            made = [[-1 if axis == _PARTIAL else axis for axis in axes] for axes in made]
        return given, [(shape, axes) for (shape, _), axes in zip(wanted, made)]


def _rule_of(name):
    """A rule by the name of an operation; None where it has none."""
    if name in RULES:
        return _FunctionRule(name)
    try:
        return SpmdRule(ALIKE.get(name, name))
    except RuntimeError:
        return None


def get_phi_spmd_rule(name):
    """The rule by which placements go through an operation.

    Forms that write their first operand have the rule of the operation, and names of older programs
    that of the operation which they reach.

    Args:
        name (str): The operation.

    Returns:
        SpmdRule. It infers placements of results from operands, and the other way.

    Raises:
        RuntimeError: The operation has no rule.
    """
    rule = _rule_of(name)
    if rule is None and name.endswith('_') and hasattr(paddle._C_ops, name):
        rule = _rule_of(name[:-1])
    if rule is None and name in OPS:
        rule = _rule_of(OPS[name][0])
    return SpmdRule(name) if rule is None else rule


def _listed(one):
    return one if isinstance(one, list) else [one]


def _map(function, one):
    return [function(o) for o in one] if isinstance(one, list) else function(one)


def _split(name, args):
    """Operands and results, and the attributes behind them."""
    specs = []
    for arg in args:
        many = isinstance(arg, (list, tuple)) and arg
        if not all(isinstance(one, DistTensorSpec) for one in (arg if many else [arg])):
            break
        specs.append(list(arg) if many else arg)
    if not specs:
        raise ValueError(f'[{name}] expected a DistTensorSpec for each operand, got {args!r}')
    return specs, args[len(specs) :]


def _given(specs):
    """The mesh of all, and what libpaddle takes of each."""
    every = [one for s in specs for one in _listed(s)]
    mesh = next((one.process_mesh() for one in every if one.process_mesh() is not None), None)
    if mesh is None:
        raise ValueError('[DistTensorSpec] expected a process mesh, got none')
    return mesh, [_map(lambda one: one._placed(len(mesh.shape)), s) for s in specs]


def _attrs(mesh, shapes, places):
    """A TensorDistAttr for each tensor."""

    def one(shape, axes):
        attr = TensorDistAttr()
        attr.process_mesh = mesh
        attr.multi_dims_mapping = [
            [axis for axis, dim in enumerate(axes) if dim == at] for at in range(len(shape))
        ]
        attr._set_partial_dims([axis for axis, dim in enumerate(axes) if dim == _PARTIAL])
        return attr

    return [
        [one(*pair) for pair in zip(shape, place)]
        if place and isinstance(place[0], list)
        else one(shape, place)
        for shape, place in zip(shapes, places)
    ]
