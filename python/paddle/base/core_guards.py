# SPDX-License-Identifier: Apache-2.0
"""Conditions on one value (`GuardBase.check`), alone or together, and the two records that describe
a cluster: devices and the links between them."""

__all__ = [
    'AttributeMatchGuard',
    'Device',
    'DtypeMatchGuard',
    'GuardBase',
    'GuardGroup',
    'IdMatchGuard',
    'InstanceCheckGuard',
    'LambdaGuard',
    'LayerMatchGuard',
    'LengthMatchGuard',
    'Link',
    'ShapeMatchGuard',
    'TypeMatchGuard',
    'ValueMatchGuard',
]


class GuardBase:
    """A condition: `check(value)` says whether it holds; False where it cannot be asked."""

    def check(self, value):
        """Whether the condition holds of `value`."""
        raise NotImplementedError


class LambdaGuard(GuardBase):
    """Holds where a function gives what counts as true.

    Examples:
        >>> paddle.base.core.LambdaGuard(lambda x: x > 1).check(2)
        True
    """

    def __init__(self, guard_check_fn):
        if not callable(guard_check_fn):
            raise TypeError(
                f'[LambdaGuard] expected a callable, got {type(guard_check_fn).__name__}'
            )
        self._holds = guard_check_fn

    def check(self, value):
        """Whether the function says so; False where it cannot tell."""
        try:
            return bool(self._holds(value))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return False


class GuardGroup(GuardBase):
    """Holds where all of its guards do."""

    def __init__(self, guards):
        self._guards = list(guards)
        for guard in self._guards:
            if not isinstance(guard, GuardBase):
                raise TypeError(f'[GuardGroup] expected guards, got {type(guard).__name__}')

    def check(self, value):
        """Whether all guards hold; those behind one that does not are not asked."""
        return all(guard.check(value) for guard in self._guards)


class TypeMatchGuard(GuardBase):
    """Holds for values of exactly this type."""

    def __init__(self, py_type):
        if not isinstance(py_type, type):
            raise TypeError(f'[TypeMatchGuard] expected a type, got {py_type!r}')
        self._type = py_type

    def check(self, value):
        """Whether `value` has the type."""
        return type(value) is self._type


class IdMatchGuard(GuardBase):
    """Holds for this very object, which it keeps alive."""

    def __init__(self, py_obj):
        self._object = py_obj

    def check(self, value):
        """Whether `value` is the object."""
        return value is self._object


class ValueMatchGuard(GuardBase):
    """Holds for equal values of the same type."""

    def __init__(self, py_value):
        self._value = py_value

    def check(self, value):
        """Whether `value` has the type and equals."""
        return type(value) is type(self._value) and bool(value == self._value)


class LengthMatchGuard(GuardBase):
    """Holds for values of this length."""

    def __init__(self, length):
        self._length = int(length)

    def check(self, value):
        """Whether `value` has a length, and this one."""
        return hasattr(value, '__len__') and len(value) == self._length


class AttributeMatchGuard(GuardBase):
    """Holds for objects of which an attribute is the very object that it was of `obj`.

    Raises:
        AttributeError: `obj` has no such attribute.
    """

    def __init__(self, obj, attr_name):
        self._name, self._value = attr_name, getattr(obj, attr_name)

    def check(self, value):
        """Whether `value` has the attribute, and it is this object."""
        missing = object()
        return getattr(value, self._name, missing) is self._value


class DtypeMatchGuard(GuardBase):
    """Holds for tensors of this dtype."""

    def __init__(self, dtype):
        from paddle.base.framework import to_dtype

        self._dtype = to_dtype(dtype)

    def check(self, value):
        """Whether `value` has the dtype."""
        return getattr(value, 'dtype', None) == self._dtype


class ShapeMatchGuard(GuardBase):
    """Holds for tensors of this shape. Where an extent is None, every extent does from
    `min_non_specialized_number` on."""

    def __init__(self, shape, min_non_specialized_number=0):
        self._shape = [d if isinstance(d, int) else None for d in shape]
        self._least = int(min_non_specialized_number)

    def check(self, value):
        """Whether `value` has such a shape."""
        shape = getattr(value, 'shape', None)
        if shape is None or len(shape) != len(self._shape):
            return False
        return all(
            int(d) >= self._least if want is None else int(d) == want
            for d, want in zip(shape, self._shape)
        )


class InstanceCheckGuard(GuardBase):
    """Holds for instances of a class, or of one of a tuple of classes."""

    def __init__(self, isinstance_obj):
        isinstance(None, isinstance_obj)
        self._classes = isinstance_obj

    def check(self, value):
        """Whether `value` is an instance."""
        return isinstance(value, self._classes)


class LayerMatchGuard(GuardBase):
    """Holds for this very layer, while it trains or evaluates as it did."""

    def __init__(self, layer_obj):
        self._layer, self._training = layer_obj, layer_obj.training

    def check(self, value):
        """Whether `value` is the layer, in the same state."""
        return value is self._layer and value.training == self._training


class _Record:
    def __eq__(self, other):
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None


class _DeviceCapability(_Record):
    """Floating-point operations a second in single and double precision, memory in GB, rate."""

    def __init__(self):
        self.sflops = self.dflops = self.memory = self.rate = 0.0

    def __repr__(self):
        return (
            f'{{sflops: {self.sflops:.2f}, dflops: {self.dflops:.2f}, memory: {self.memory:.2f}, '
            f'rate: {self.rate:.2f}}}'
        )


class _LinkCapability(_Record):
    """Bytes a second, and the time that a message takes at least."""

    def __init__(self):
        self.bandwidth = self.latency = 0

    def __repr__(self):
        return f'{{bandwidth: {self.bandwidth},latency: {self.latency}}}'


class Device(_Record):
    """A device of a cluster.

    Args:
        global_id (int): Its number in the cluster.
        local_id (int): Its number in its machine.
        machine_id (int): The number of its machine.
        type (str): What it is, such as 'CPU' or 'GPU'.

    Examples:
        >>> device = paddle.base.core.Device(1, 0, 0, "CPU")
        >>> device.global_id, device.type
        (1, 'CPU')
    """

    def __init__(self, global_id, local_id, machine_id, type):
        self.global_id, self.local_id, self.machine_id = global_id, local_id, machine_id
        self.type, self.capability = type, _DeviceCapability()

    def __str__(self):
        return (
            f'{{global_id: {self.global_id}, local_id: {self.local_id}, machine_id: '
            f'{self.machine_id}, type: {self.type}, capability: {self.capability}}}'
        )


class Link(_Record):
    """A connection of two devices of a cluster.

    Args:
        source_id (int): The device it starts at.
        target_id (int): The device it ends at.
        type (str): What it is, such as 'PCI' or 'NET'.

    Examples:
        >>> paddle.base.core.Link(0, 1, "NET").target_id
        1
    """

    def __init__(self, source_id, target_id, type):
        self.source_id, self.target_id, self.type = source_id, target_id, type
        self.capability = _LinkCapability()

    def __str__(self):
        return (
            f'{{source_id:{self.source_id},target_id:{self.target_id},type:{self.type},'
            f'capability:{self.capability}}}'
        )
