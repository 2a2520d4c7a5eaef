# SPDX-License-Identifier: Apache-2.0
"""GPUs by the names of PyTorch's programs; `paddle.device.cuda` has the same and more. Without a
GPU `is_available()` is False.
"""

import importlib

import paddle
from paddle import _lazy, device
from paddle.device import ipc_collect, is_bf16_supported
from paddle.device.cuda import (
    Event,
    Stream,
    current_stream,
    device_count,
    empty_cache,
    get_device_capability,
    get_device_name,
    get_device_properties,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    synchronize,
)
from paddle.device.cuda import stream_guard as stream
from paddle.framework.random import get_rng_state, manual_seed, set_rng_state

StreamContext = stream
manual_seed_all = manual_seed

__all__ = [
    'Event',
    'Stream',
    'StreamContext',
    'amp',
    'current_device',
    'current_stream',
    'device',
    'device_count',
    'empty_cache',
    'get_device_capability',
    'get_device_name',
    'get_device_properties',
    'get_rng_state',
    'ipc_collect',
    'is_available',
    'is_bf16_supported',
    'is_initialized',
    'manual_seed',
    'manual_seed_all',
    'max_memory_allocated',
    'max_memory_reserved',
    'memory_allocated',
    'memory_reserved',
    'reset_max_memory_allocated',
    'reset_max_memory_reserved',
    'reset_peak_memory_stats',
    'set_device',
    'set_rng_state',
    'set_stream',
    'stream',
    'synchronize',
]


def is_available():
    """Whether there is a GPU and its driver.

    Returns:
        bool: whether there is one.

    Examples:
        >>> paddle.cuda.is_available() == (paddle.cuda.device_count() > 0)
        True
    """
    return device_count() > 0


def is_initialized():
    """Whether a GPU can be used: nothing needs to be begun first.

    Returns:
        bool: whether there is one.

    Examples:
        >>> paddle.cuda.is_initialized() == paddle.cuda.is_available()
        True
    """
    return is_available()


def current_device():
    """The number of the GPU that is the current device.

    Returns:
        int: the number; 0 where the current device is none.

    Examples:
        >>> paddle.cuda.current_device()
        0
    """
    place = paddle.base.libpaddle.current_place()
    return place.gpu_device_id() if place.is_gpu_place() else 0


def set_device(device):
    """Make a GPU the current device.

    Args:
        device (str, place or int): The GPU: its number, `cuda:1` or a place.

    Returns:
        None.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.cuda.is_available():
        ...     paddle.cuda.set_device(0)
    """
    place = paddle.device._place(device)
    if not place.is_gpu_place():
        raise ValueError(f"[cuda.set_device] expected a GPU, got {device!r}")
    paddle.base.libpaddle.set_current_place(place)


set_stream = device.set_stream
reset_peak_memory_stats = device.reset_peak_memory_stats


def __getattr__(name):
    if name == 'amp':
        return importlib.import_module('.amp', __name__)
    if name.endswith('Tensor') and name in dir(paddle):
        return getattr(paddle, name)
    return _lazy.listed(__name__, name)
