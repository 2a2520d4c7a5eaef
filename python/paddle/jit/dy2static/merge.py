# SPDX-License-Identifier: Apache-2.0
"""Values of variables on two paths (both branches of an `if`, before and after a round of a loop)
as one list of tensors.

Containers are taken apart and put together again, numbers become tensors where the paths differ,
and a variable unbound on one path takes a value of the other's kind there: no code reads it.
"""

import collections
import copy
import numbers
import threading

import paddle
from paddle.base import libpaddle as _core
from paddle.base.interrupts import raised_by_handler
from paddle.jit.dy2static.arrays import TensorList

_CONTAINERS = (list, tuple, dict)


class Dygraph2StaticException(Exception):
    """The two ways through a branch or loop leave values that one program cannot hold."""


class _Unbound:
    def __repr__(self):
        return 'undefined'


UNBOUND = _Unbound()


class _Watched(threading.local):
    """`made` is called with each container that a merge makes."""

    made = staticmethod(lambda value: value)


watched = _Watched()
Meta = collections.namedtuple('Meta', 'dtype shape')
Node = collections.namedtuple('Node', 'object keys parts')
for _made in (Meta, Node):  # what CPython generated for them depends on arguments alone
    _core._note_code(_made.__new__.__code__)


class CellPlace:
    """A local variable, through the cell that inner functions share."""

    def __init__(self, name, cell):
        self.name, self._cell = name, cell

    def get(self):
        """The value, or UNBOUND."""
        try:
            return self._cell.cell_contents
        except ValueError:
            return UNBOUND

    def set(self, value):
        """Bind the variable; UNBOUND unbinds it."""
        if value is not UNBOUND:
            self._cell.cell_contents = value
        elif self.get() is not UNBOUND:
            del self._cell.cell_contents


class GlobalPlace:
    """A variable of the module."""

    def __init__(self, name, scope):
        self.name, self._scope = name, scope

    def get(self):
        """The value, or UNBOUND."""
        return self._scope.get(self.name, UNBOUND)

    def set(self, value):
        """Bind the variable; UNBOUND unbinds it."""
        if value is UNBOUND:
            self._scope.pop(self.name, None)
        else:
            self._scope[self.name] = value


class AttributePlace:
    """An attribute of an object."""

    def __init__(self, owner, name):
        self.name, self._owner = name, owner

    def get(self):
        """The value, or UNBOUND."""
        return getattr(self._owner, self.name, UNBOUND)

    def set(self, value):
        """Set the attribute; UNBOUND deletes it."""
        if value is UNBOUND:
            if self.get() is not UNBOUND:
                delattr(self._owner, self.name)
        elif self.get() is not value:
            setattr(self._owner, self.name, value)


class ContainerPlace:
    """A list or dict that is changed in place; which one it is never changes."""

    def __init__(self, name, value):
        self.name, self._value = name, value

    def get(self):
        """The container."""
        return self._value

    def set(self, value):
        """Nothing: contents are put back by the state."""


def freeze(value):
    """The value with its lists, tuples and dicts taken apart, so that later changes do not show."""
    if isinstance(value, dict):
        return Node(value, tuple(value), [freeze(v) for v in value.values()])
    if isinstance(value, (list, tuple)):
        return Node(value, None, [freeze(v) for v in value])
    if isinstance(value, TensorList):
        return Node(value, None, [value.rows])
    return value


def _saved(value, out):
    if isinstance(value, TensorList):
        out.append((value, [value.rows]))
    if isinstance(value, _CONTAINERS):
        if not isinstance(value, tuple):
            out.append((value, value.copy()))
        for v in value.values() if isinstance(value, dict) else value:
            _saved(v, out)


def _refill(container, contents):
    if isinstance(container, TensorList):
        (container.rows,) = contents
    elif isinstance(container, dict):
        container.clear()
        container.update(contents)
    else:
        container[:] = contents


class State:
    """The values of some places at one moment, containers in them included."""

    def __init__(self, places):
        self.places, self._before, self._containers = places, [p.get() for p in places], []
        for value in self._before:
            _saved(value, self._containers)
        self.tree = self.read()

    def restore(self):
        """Put everything back."""
        for place, value in zip(self.places, self._before):
            place.set(value)
        for container, contents in self._containers:
            _refill(container, contents)

    def read(self):
        """The values the places have now, frozen."""
        return [freeze(p.get()) for p in self.places]

    def write(self, values):
        """Give the places these values."""
        for place, value in zip(self.places, values):
            place.set(value)


def is_number(value):
    """Whether the value is a number of Python or NumPy that a tensor can stand for."""
    return (
        isinstance(value, numbers.Real)
        and not _core._is_tensor(value)
        or type(value).__name__ == 'bool_'
    )


def number_dtype(value):
    """The dtype of the tensor that takes the place of a number."""
    if isinstance(value, bool) or type(value).__name__ == 'bool_':
        return paddle.bool
    return paddle.int64 if isinstance(value, numbers.Integral) else paddle.float64


def _kind(value):
    return (
        'tensor'
        if _core._is_tensor(value) or isinstance(value, Meta)
        else 'number'
        if is_number(value)
        else None
    )


def _same(a, b):
    if a is b:
        return True
    try:
        return type(a) is type(b) and bool(a == b)
    except Exception as error:
        if raised_by_handler(error):
            raise
        return False


def growth(first, second):
    """[(place, dtype, shape)] of the lists of tensors of one kind that have become longer; the
    shape is an argument for ops.
    """

    def shape_of(tensor):
        return tuple(_core.pir._extents(tensor))

    found = []
    for k, (a, b) in enumerate(zip(first, second)):
        lists = [v for v in (a, b) if isinstance(v, Node) and type(v.object) is list]
        if not lists or not all(
            isinstance(v, Node) and type(v.object) in (list, TensorList) for v in (a, b)
        ):
            continue
        kinds = {
            (p.dtype, shape_of(p)) if _core._is_tensor(p) else None for v in lists for p in v.parts
        }
        for v in (a, b):
            if type(v.object) is TensorList:
                kinds.add((v.parts[0].dtype, shape_of(v.parts[0])[1:]))
        if (
            (len(lists) == 1 or len(a.parts) != len(b.parts))
            and len(kinds) == 1
            and None not in kinds
        ):
            dtype, shape = kinds.pop()
            found.append((k, dtype, shape))
    return found


def leaves(trees):
    """How many values that are no containers the frozen trees hold."""
    return sum(leaves(t.parts) if isinstance(t, Node) else 1 for t in trees)


def abstract(tree):
    """A frozen tree without its tensors, of which dtype and shape are kept."""
    if isinstance(tree, Node):
        return Node(tree.object, tree.keys, [abstract(p) for p in tree.parts])
    return Meta(tree.dtype, tuple(tree.shape)) if _core._is_tensor(tree) else tree


def _same_category(a, b):
    """Whether the dtypes differ in width only, as they come to when a number that changes is a
    tensor.
    """
    found = [
        next((c for c in ('uint', 'int', 'float', 'complex') if c in str(d)), None) for d in (a, b)
    ]
    return a != b and found[0] is not None and found[0] == found[1]


class Merge:
    """What is needed to make one value of two: `slots` lists, for each tensor that leaves the
    region, the descriptions (kind, ...) of what either path puts there; `build(results)` gives the
    values from the tensors that came out."""

    def __init__(self, names, first, second, loop=False):
        self.slots, self._loop = [], loop
        self._builders = [self._merge(a, b, n) for a, b, n in zip(first, second, names)]

    def build(self, results):
        """The merged values, in the order of the names."""
        return [b(results) for b in self._builders]

    def signatures(self, side):
        """What tells whether one path's descriptions suit another merge."""
        return [
            d if d[0] not in ('tensor', 'cast') else d[:1] for d in (s[side] for s in self.slots)
        ]

    def _merge(self, a, b, name):
        if isinstance(a, Node) or isinstance(b, Node):
            return self._container(a, b, name)
        if a is UNBOUND or b is UNBOUND:
            return self._unbound(a, b)
        kinds = _kind(a), _kind(b)
        if not self._loop and (
            a is b or (kinds == ('number', 'number') and type(a) is type(b) and a == b)
        ):
            return lambda results: a
        if all(kinds):
            if self._loop and kinds == ('tensor', 'tensor') and _same_category(a.dtype, b.dtype):
                return self._slot(('tensor', a), ('cast', b, a.dtype))
            ranks, dtypes = (
                [getattr(v, n, d) for v in (a, b)] for n, d in (('shape', ()), ('dtype', None))
            )
            if not self._loop and (
                len(ranks[0]) != len(ranks[1]) or None not in dtypes and dtypes[0] != dtypes[1]
            ):
                raise RuntimeError(str(self._mismatch(a, b, name)))
            return self._slot(self._described(a, b), self._described(b, a))
        if not any(kinds) and _same(a, b):
            return lambda results: a
        raise self._mismatch(a, b, name)

    def _slot(self, a, b):
        place = len(self.slots)
        self.slots.append((a, b))
        return lambda results: results[place]

    def _described(self, mine, other):
        """How the path with `mine` fills a slot that has `other` on the other path."""
        if _core._is_tensor(mine) or isinstance(mine, Meta):
            return 'tensor', mine
        if _core._is_tensor(other) or isinstance(other, Meta):
            shape = tuple(max(d, 1) for d in other.shape) if self._loop else ()
            return 'number', mine, other.dtype, shape
        dtypes = number_dtype(mine), number_dtype(other)
        order = [paddle.bool, paddle.int64]
        return 'number', mine, max(dtypes, key=lambda d: order.index(d) if d in order else 2), ()

    def _unbound(self, a, b):
        known = b if a is UNBOUND else a
        kind = _kind(known)
        if kind is None or (kind == 'number' and not self._loop):
            return lambda results: known
        if kind == 'number':
            return self._slot(
                *(self._described(v, v) for v in (type(known)(0) if a is UNBOUND else a, known))
            )
        empty = 'zeros', known.dtype, tuple(d if d >= 0 else 1 for d in known.shape)
        return self._slot(*(empty if v is UNBOUND else ('tensor', v) for v in (a, b)))

    def _container(self, a, b, name):
        if a is UNBOUND:
            a = b._replace(parts=[UNBOUND] * len(b.parts))
        elif b is UNBOUND:
            b = a._replace(parts=[UNBOUND] * len(a.parts))
        if (
            not isinstance(a, Node)
            or not isinstance(b, Node)
            or type(a.object) is not type(b.object)
        ):
            raise self._mismatch(a, b, name)
        if a.keys is not None and set(a.keys) == set(b.keys):
            b = b._replace(keys=a.keys, parts=[dict(zip(b.keys, b.parts))[k] for k in a.keys])
        if len(a.parts) != len(b.parts) or a.keys != b.keys:
            raise self._mismatch(a, b, name)
        parts = [
            self._merge(x, y, f'{name}[{k!r}]')
            for k, (x, y) in zip(a.keys or range(len(a.parts)), zip(a.parts, b.parts))
        ]
        kind, same = type(a.object), a.object is b.object

        def build(results):
            values = [p(results) for p in parts]
            if kind is not tuple and isinstance(a.object, tuple):
                return kind(*values) if hasattr(kind, '_fields') else kind(values)
            if kind is tuple:
                return tuple(values)
            target = a.object if same else watched.made(copy.copy(a.object))
            _refill(target, dict(zip(a.keys, values)) if a.keys is not None else values)
            return target

        return build

    def _mismatch(self, a, b, name):
        what = (
            ('before the loop', 'after a round of it')
            if self._loop
            else ('if the condition is true', 'otherwise')
        )
        shown = 'The value the function returns' if name == 'return' else f'Variable {name!r}'
        hint = ''
        if (
            self._loop
            and isinstance(a, Node)
            and isinstance(b, Node)
            and isinstance(a.object, list)
        ):
            hint = (
                ' A list can grow in a loop whose number of rounds depends on a tensor if '
                'its items are tensors of one dtype and known shape; else use a tensor and '
                'paddle.concat.'
            )
        return Dygraph2StaticException(
            f"[to_static] {shown} has different types: {_show(a)} {what[0]}, {_show(b)} "
            f"{what[1]}.{hint}"
        )


def _show(value):
    if isinstance(value, Node):
        inner = ', '.join(map(_show, value.parts))
        return (
            f'{type(value.object).__name__} of {len(value.parts)} ({inner})'
            if len(inner) < 200
            else type(value.object).__name__
        )
    if _core._is_tensor(value) or isinstance(value, Meta):
        return f'Tensor(shape={list(value.shape)}, dtype={value.dtype})'
    return repr(value)


def emit(description):
    """The tensor a description asks for, made where operations are recorded now."""
    kind, first, *rest = description
    if kind == 'tensor':
        return first
    if kind == 'cast':
        return first.astype(rest[0])
    if kind == 'number':
        return paddle.full(list(rest[1]), first, rest[0])
    return paddle.zeros(list(rest[0]), first)
