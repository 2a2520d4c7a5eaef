# SPDX-License-Identifier: Apache-2.0
"""Annotations of functions for `paddle.incubate.cc.compile`: extents, dtypes and tensors."""

__all__ = ['DimVar', 'DTypeVar', 'Tensor']


class DimVar:
    """An extent of a tensor: one with a name, free from call to call, or a number.

    Extents of one name are equal in a call.

    Args:
        name_or_value (str or int): The name, or the number.
        min (int, default None): The least that it is; None for any.
        max (int, default None): The most that it is; None for any.

    Raises:
        TypeError: name_or_value is neither.
        ValueError: A number below 0, or no number from min to max.

    Examples:
        >>> from paddle.incubate.cc.typing import DimVar
        >>> DimVar("B", max=64).max
        64
    """

    def __init__(self, name_or_value, min=None, max=None):
        kind = type(name_or_value)
        if kind is not str and (kind is bool or not hasattr(kind, '__index__')):
            raise TypeError(f'[DimVar] expected a name or an int, got {kind.__name__}')
        if kind is not str and name_or_value < 0:
            raise ValueError(f'[DimVar] expected an extent of at least 0, got {name_or_value}')
        if min is not None and max is not None and min > max:
            raise ValueError(f'[DimVar] expected min to be at most max, got {min} and {max}')
        self.name_or_value, self.min, self.max = name_or_value, min, max

    def __repr__(self):
        return str(self.name_or_value)


class DTypeVar:
    """A dtype that is one of several, the same for all tensors of a call whose dtype has the name.

    Args:
        name (str): The name.
        *candidates (str): The dtypes.

    Raises:
        AssertionError: No candidates, or one that is no str.

    Examples:
        >>> from paddle.incubate.cc.typing import DTypeVar
        >>> DTypeVar("T", "float32", "float64").candidates
        ('float32', 'float64')
    """

    def __init__(self, name, *candidates):
        for one in candidates:
            if not isinstance(one, str):
                raise AssertionError(
                    f'[DTypeVar] expected candidates as str, got {type(one).__name__}'
                )
        if not candidates:
            raise AssertionError('[DTypeVar] expected at least one candidate, got none')
        self.name, self.candidates = name, candidates

    def __repr__(self):
        return self.name


class Tensor:
    """The type of a tensor.

    Args:
        shape (list of objects): The extents, DimVars or ints.
        dtype (DTypeVar, str or dtype): The dtype.

    Examples:
        >>> import paddle.incubate.cc.typing as pct
        >>> pct.Tensor([pct.DimVar("B"), 8], pct.DTypeVar("T", "float32"))
        Tensor([B, 8], T)
    """

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype

    def __repr__(self):
        return f'Tensor({list(self.shape)}, {self.dtype})'


Dim, DType = DimVar, DTypeVar
