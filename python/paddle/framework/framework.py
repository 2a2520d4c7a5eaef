# SPDX-License-Identifier: Apache-2.0
"""The default floating dtype."""

from paddle.base import libpaddle as _core

__all__ = ['set_default_dtype', 'get_default_dtype']

_FLOATS = ('float16', 'bfloat16', 'float32', 'float64')
_default = ['float32']


def set_default_dtype(d):
    """Set the dtype of new floating tensors and parameters: float16, bfloat16, float32 or
    float64.

    Args:
        d (str or dtype): The dtype.

    Returns:
        None: nothing.

    Examples:
        >>> paddle.set_default_dtype('float64')
        >>> paddle.ones([1]).dtype == paddle.float64
        True
    """
    name = d.__name__ if isinstance(d, type) else str(d).rsplit('.', 1)[-1]
    if name not in _FLOATS:
        raise TypeError(f"[set_default_dtype] expected one of {', '.join(_FLOATS)}, got {name!r}")
    _core.set_default_dtype(name)
    _default[0] = name


def get_default_dtype():
    """The name of the default floating dtype, 'float32' unless set.

    Returns:
        str: the name.

    Examples:
        >>> paddle.get_default_dtype()
        'float32'
    """
    return _default[0]
