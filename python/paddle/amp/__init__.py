# SPDX-License-Identifier: Apache-2.0
"""Automatic mixed precision: autocasting, model decoration, loss scaling."""

from paddle import _lazy

from .amp_lists import black_list, white_list  # noqa: F401
from .auto_cast import (  # noqa: F401
    amp_decorate,
    amp_guard,
    auto_cast,
    autocast,
    decorate,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_enabled,
)
from .grad_scaler import AmpScaler, GradScaler, OptimizerState  # noqa: F401

__all__ = [
    'auto_cast',
    'decorate',
    'get_autocast_cpu_dtype',
    'get_autocast_dtype',
    'get_autocast_gpu_dtype',
    'GradScaler',
    'is_autocast_enabled',
    'is_bfloat16_supported',
    'is_float16_supported',
]


def _there(device):
    from paddle.base import libpaddle

    return device is None or libpaddle.to_place(device) is not None


_SUPPORTED = """Whether {dtype} arithmetic runs on a device.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        bool: whether it does.

    Raises:
        ValueError: The device is not there.

    Examples:
        >>> isinstance(paddle.amp.is_{dtype}_supported("cpu"), bool)
        True
    """


def is_float16_supported(device=None):
    return _there(device)


def is_bfloat16_supported(device=None):
    return _there(device)


is_float16_supported.__doc__ = _SUPPORTED.format(dtype='float16')
is_bfloat16_supported.__doc__ = _SUPPORTED.format(dtype='bfloat16')


def __getattr__(name):
    if name == 'debugging':
        import importlib

        return importlib.import_module('.' + name, __name__)
    return _lazy.listed(__name__, name)
