# SPDX-License-Identifier: Apache-2.0
"""Numbers as attributes of old operations hold them."""

import numpy as np

__all__ = ['Scalar', 'extract_plain_list', 'wrap_as_scalar', 'wrap_as_scalars']

_KINDS = {bool: 'bool', int: 'int64', float: 'float64', complex: 'complex128'}


class Scalar:
    """A bool, integer, real or complex number with its type.

    Args:
        value (bool, int, float or complex): The number.

    Raises:
        TypeError: value is none.

    Examples:
        >>> paddle.base.framework.wrap_as_scalar(1.5)
        Scalar(float64(1.5))
    """

    def __init__(self, value):
        if isinstance(value, Scalar):
            value = value._value
        if isinstance(value, np.generic):
            value = value.item()
        if type(value) not in _KINDS:
            raise TypeError(f'[Scalar] expected a number, got {type(value).__name__}')
        self._value = value

    def value(self):
        """The number."""
        return self._value

    def __eq__(self, other):
        return isinstance(other, Scalar) and (type(self._value), self._value) == (
            type(other._value),
            other._value,
        )

    def __hash__(self):
        return hash((type(self._value), self._value))

    def __repr__(self):
        value = int(self._value) if isinstance(self._value, bool) else self._value
        return f'Scalar({_KINDS[type(self._value)]}({value}))'


wrap_as_scalar = Scalar


def wrap_as_scalars(array):
    """Each number of a list, or of an array of any shape, as a Scalar."""
    if isinstance(array, np.ndarray):
        array = array.ravel().tolist()
    return [Scalar(value) for value in array]


def extract_plain_list(array):
    """The numbers of a list of Scalars."""
    return [Scalar(value).value() for value in array]
