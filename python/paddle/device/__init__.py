# SPDX-License-Identifier: Apache-2.0
"""The current device and what is compiled in."""

import importlib

from paddle import _lazy
from paddle.base import libpaddle as _core
from paddle.framework import random as _random
from paddle.framework.random import get_rng_state, manual_seed

from .streams import (
    Event,
    Stream,
    StreamContext,
    current_stream,
    get_stream_from_external,
    is_current_stream_capturing,
    set_stream,
    stream_guard,
)

__all__ = [
    'current_stream',
    'device_count',
    'device_guard',
    'empty_cache',
    'Event',
    'get_all_custom_device_type',
    'get_all_device_type',
    'get_available_custom_device',
    'get_available_device',
    'get_cudnn_version',
    'get_default_device',
    'get_device',
    'get_device_capability',
    'get_device_name',
    'get_device_properties',
    'get_rng_state',
    'get_stream_from_external',
    'ipc_collect',
    'is_available',
    'is_bf16_supported',
    'is_compiled_with_cinn',
    'is_compiled_with_cuda',
    'is_compiled_with_custom_device',
    'is_compiled_with_distribute',
    'is_compiled_with_ipu',
    'is_compiled_with_rocm',
    'is_compiled_with_xpu',
    'is_current_stream_capturing',
    'manual_seed',
    'max_memory_allocated',
    'max_memory_reserved',
    'memory_allocated',
    'memory_reserved',
    'reset_max_memory_allocated',
    'reset_max_memory_reserved',
    'reset_peak_memory_stats',
    'set_default_device',
    'set_device',
    'set_rng_state',
    'set_stream',
    'Stream',
    'stream_guard',
    'StreamContext',
    'synchronize',
    'XPUPlace',
]


def is_compiled_with_cuda():
    """Whether GPUs can be used: there is a driver, and it has a device.

    Returns:
        bool: whether they can.

    Examples:
        >>> isinstance(paddle.device.is_compiled_with_cuda(), bool)
        True
    """
    return device_count() > 0


def is_compiled_with_rocm():
    """Whether ROCm devices can be used.

    Returns:
        bool: False.

    Examples:
        >>> paddle.device.is_compiled_with_rocm()
        False
    """
    return False


def is_compiled_with_xpu():
    """Whether XPUs can be used.

    Returns:
        bool: False.

    Examples:
        >>> paddle.device.is_compiled_with_xpu()
        False
    """
    return False


def is_compiled_with_ipu():
    """Whether IPUs can be used.

    Returns:
        bool: False.

    Examples:
        >>> paddle.device.is_compiled_with_ipu()
        False
    """
    return False


def is_compiled_with_cinn():
    """Whether the compiler is part of the package.

    Returns:
        bool: whether it is.

    Examples:
        >>> isinstance(paddle.device.is_compiled_with_cinn(), bool)
        True
    """
    return True


def is_compiled_with_distribute():
    """Whether distributed training is part of the package.

    Returns:
        bool: whether it is.

    Examples:
        >>> paddle.device.is_compiled_with_distribute()
        True
    """
    return True


def is_compiled_with_custom_device(device_type):
    """Whether a plugin for `device_type` is loaded.

    Args:
        device_type (str): The kind.

    Returns:
        bool: whether one is.

    Examples:
        >>> paddle.device.is_compiled_with_custom_device("no_such_kind")
        False
    """
    return device_type in get_all_custom_device_type()


def get_cudnn_version():
    """The cuDNN version as an integer; None without cuDNN.

    Returns:
        int or None: the version.

    Examples:
        >>> version = paddle.device.get_cudnn_version()
        >>> version is None or version > 0
        True
    """
    return None


def device_count():
    """How many GPUs there are.

    Returns:
        int: the number.

    Examples:
        >>> paddle.device.device_count() >= 0
        True
    """
    return _core.gpu_count()


def is_available():
    """Whether there is a device other than the CPU.

    Returns:
        bool: whether there is one.

    Examples:
        >>> isinstance(paddle.device.is_available(), bool)
        True
    """
    return device_count() > 0 or bool(get_all_custom_device_type())


def get_all_device_type():
    """Kinds of devices that can be used.

    Returns:
        list of strs: the kinds.

    Examples:
        >>> "cpu" in paddle.device.get_all_device_type()
        True
    """
    return ['cpu'] + (['gpu'] if device_count() else []) + get_all_custom_device_type()


def get_all_custom_device_type():
    """Kinds of plugin devices.

    Returns:
        list of strs: the kinds.

    Examples:
        >>> isinstance(paddle.device.get_all_custom_device_type(), list)
        True
    """
    return _core.get_all_custom_device_type()


def get_available_device():
    """Devices that can be used, such as `cpu` and `gpu:0`.

    Returns:
        list of strs: the devices.

    Examples:
        >>> "cpu" in paddle.device.get_available_device()
        True
    """
    return ['cpu'] + [f'gpu:{i}' for i in range(device_count())] + get_available_custom_device()


def get_available_custom_device():
    """Plugin devices that can be used: `kind`, or `kind:0`, `kind:1`, ... where there are several
    of a kind.

    Returns:
        list of strs: the devices.

    Examples:
        >>> isinstance(paddle.device.get_available_custom_device(), list)
        True
    """
    return _core.get_available_custom_device()


def set_device(device):
    """Make a device the one where new tensors go.

    Args:
        device (str): `cpu`, `gpu`, `gpu:0`, or a plugin's.

    Returns:
        place: the place.

    Raises:
        ValueError: There is no such device.

    Examples:
        >>> paddle.device.set_device("cpu")
        Place(cpu)
    """
    place = _place(device)
    _core.set_current_place(place)
    return place


def _place(device):
    """The place of a device, of which a plain number is a GPU's; the current one for None."""
    if isinstance(device, int) and not isinstance(device, bool):
        return _core.CUDAPlace(device)
    return _core.current_place() if device is None else _core.to_place(device)


def _convert_to_place(device):
    """The place of a device's text; other values as they are."""
    return _place(device) if isinstance(device, str) else device


def _name(place):
    return str(place)[6:-1]


def get_device(input=None):
    """The current device, or that of a tensor, such as `cpu` or `gpu:0`.

    Args:
        input (Tensor, default None): The tensor; None for the current device.

    Returns:
        str: the device.

    Examples:
        >>> _ = paddle.device.set_device("cpu")
        >>> paddle.device.get_device()
        'cpu'
    """
    if input is not None:
        return _name(input.place)
    return _name(_core.current_place())


def get_default_device():
    """The same as `get_device()`."""
    return get_device()


def set_default_device(device):
    """The same as `set_device`, without a result."""
    set_device(device)


def is_bf16_supported(including_emulation=True):
    """Whether bfloat16 arithmetic runs on the current device.

    Args:
        including_emulation (bool, default True): Whether it counts where its instructions are not
            there.

    Returns:
        bool: whether it does.

    Examples:
        >>> paddle.device.is_bf16_supported()
        True
    """
    if including_emulation:
        return True
    if _core.current_place().is_gpu_place():
        return get_device_capability()[0] >= 8
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        return 'avx512_bf16' in file.read()


def synchronize(device=None):
    """Wait until the device has finished; the CPU always has.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        None.

    Examples:
        >>> paddle.device.synchronize()
    """
    _core.synchronize_place(_place(device))


def set_rng_state(new_state, device=None):
    """Restore what `get_rng_state` gave.

    Args:
        new_state (object): The state.
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        None.

    Examples:
        >>> state = paddle.device.get_rng_state()
        >>> x = paddle.rand([2])
        >>> paddle.device.set_rng_state(state)
        >>> (paddle.rand([2]) == x).tolist()
        [True, True]
    """
    _random.set_rng_state(new_state, device)


_BYTES = """{what}.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        int: the bytes.

    Examples:
        >>> x = paddle.ones([1024])
        >>> paddle.device.{name}() >= 0
        True
    """


def _statistic(name, key, what):
    def count(device=None):
        return _core.device_memory_stats(_place(device))[key]

    count.__name__ = count.__qualname__ = name
    count.__doc__ = _BYTES.format(name=name, what=what)
    return count


memory_allocated = _statistic('memory_allocated', 'allocated', 'Bytes that tensors hold')
max_memory_allocated = _statistic(
    'max_memory_allocated', 'allocated_max', 'Most bytes that tensors have held'
)
memory_reserved = _statistic('memory_reserved', 'reserved', 'Bytes that the allocator holds')
max_memory_reserved = _statistic(
    'max_memory_reserved', 'reserved_max', 'Most bytes that the allocator has held'
)


def reset_peak_memory_stats(device=None):
    """Start the maxima anew from the present values.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        None.

    Examples:
        >>> paddle.device.reset_peak_memory_stats()
        >>> paddle.device.reset_max_memory_allocated is paddle.device.reset_peak_memory_stats
        True
        >>> paddle.device.reset_max_memory_reserved is paddle.device.reset_peak_memory_stats
        True
    """
    _core.reset_device_memory_peaks(_place(device))


reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats


def empty_cache():
    """Give cached memory back to the system."""
    _core.release_cpu_cache()
    _core.release_device_caches()


def get_device_properties(device=None):
    """Name, memory and other properties of a GPU.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        object: with `name`, `major`, `minor`, `total_memory`, `multi_processor_count`.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> paddle.device.cuda.device_count() and paddle.device.get_device_properties().total_memory
        0
    """
    from . import cuda

    return cuda.get_device_properties(device)


def get_device_name(device=None):
    """Name of a GPU.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        str: the name.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> paddle.device.cuda.device_count() and len(paddle.device.get_device_name())
        0
    """
    return get_device_properties(device).name


def get_device_capability(device=None):
    """(major, minor) compute capability of a GPU.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Returns:
        tuple of ints: major and minor.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> paddle.device.cuda.device_count() and len(paddle.device.get_device_capability())
        0
    """
    found = get_device_properties(device)
    return found.major, found.minor


def ipc_collect():
    """Nothing is shared between processes through the device.

    Returns:
        None.

    Examples:
        >>> paddle.device.ipc_collect()
    """


def XPUPlace(dev_id):
    """The place of an XPU.

    Args:
        dev_id (int): The number of the device.

    Returns:
        XPUPlace: never: this build has no XPU.

    Raises:
        ValueError: Always.

    Examples:
        >>> paddle.device.is_compiled_with_xpu() and paddle.device.XPUPlace(0)
        False
    """
    from paddle import XPUPlace as place

    return place(dev_id)


class device_guard:
    """Inside, `device` is the current one.

    Args:
        device (str, place or int): The device.

    Returns:
        context manager: it restores the device on leaving.

    Examples:
        >>> with paddle.device.device_guard("cpu"):
        ...     print(paddle.ones([2]).place)
        Place(cpu)
    """

    def __init__(self, device):
        self._target = device

    def __enter__(self):
        self._before = get_device()
        if self._target is not None:
            set_device(self._target)
        return self

    def __exit__(self, *args):
        set_device(self._before)


class device(device_guard):
    """Inside, `device` is the current one.

    Args:
        device (str, place or int, default None): The device; None for the current one.

    Examples:
        >>> with paddle.device.device("cpu"):
        ...     print(paddle.ones([2]).place)
        Place(cpu)
    """

    def __init__(self, device=None):
        super().__init__(device)


class Device(str):
    """The name of a device, for arguments and for `with`; `paddle.device(...)` makes it.

    Args:
        type (str, int or Device, default None): The kind of device, with or without its number, or
            the number of a GPU; None for the current device.
        index (int, default None): The number.

    Raises:
        ValueError: There is no such kind of device, or the number is given twice or negative.

    Examples:
        >>> d = paddle.device('cpu')
        >>> d == 'cpu', d.type, d.index
        (True, 'cpu', None)
        >>> with d:
        ...     print(paddle.ones([2], device=paddle.device('cpu')).place)
        Place(cpu)
    """

    def __new__(cls, type=None, index=None):
        if type is None:
            type = get_device()
        elif isinstance(type, int):
            type, index = 'cuda', type if index is None else index
        kind, colon, number = str(type).partition(':')
        known = ('cpu', 'gpu', 'cuda', 'xpu', *get_all_custom_device_type())
        if kind not in known:
            raise ValueError(f"[device] expected one of {', '.join(known)}, got {type!r}")
        if colon:
            if index is not None or not number.isdecimal():
                raise ValueError(f"[device] expected one number, got {type!r} and {index!r}")
            index = int(number)
        if index is not None and index < 0:
            raise ValueError(f"[device] expected a number from 0 on, got {index}")
        index = None if kind == 'cpu' else index
        self = str.__new__(cls, kind if index is None else f'{kind}:{index}')
        self.type, self.index = kind, index
        return self

    def __getnewargs__(self):
        return (str(self),)

    def __enter__(self):
        self.__dict__.setdefault('_before', []).append(get_device())
        set_device(str(self))
        return self

    def __exit__(self, *args):
        set_device(self._before.pop())


_lazy.callable_as(__name__, lambda: Device)


def __getattr__(name):
    if name.endswith('Tensor'):
        import paddle

        return getattr(paddle, name)
    if name in ('cuda', 'cpu'):
        return importlib.import_module('.' + name, __name__)
    return _lazy.listed(__name__, name)
