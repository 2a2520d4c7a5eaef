# SPDX-License-Identifier: Apache-2.0
"""GPU memory, streams and properties; without a GPU the count is zero and queries say so."""

from types import SimpleNamespace as _Namespace

from paddle import _lazy
from paddle.base import libpaddle as _core
from paddle.base.arguments import only as _only

from .. import streams as _streams
from ..streams import Event, Stream

__all__ = [
    'current_stream',
    'device_count',
    'empty_cache',
    'Event',
    'get_device_capability',
    'get_device_name',
    'get_device_properties',
    'max_memory_allocated',
    'max_memory_reserved',
    'memory_allocated',
    'memory_reserved',
    'memory_summary',
    'reset_max_memory_allocated',
    'reset_max_memory_reserved',
    'Stream',
    'stream_guard',
    'synchronize',
    'vmm_compact',
]


def _gpu(api, device=None):
    """The place of a GPU: a number, a name or a place; the current or first one for None."""
    if not device_count():
        raise ValueError(
            f"[cuda.{api}] expected a GPU and its driver, got none (paddle.set_device('cpu') runs "
            "the program on the CPU)"
        )
    if device is None:
        current = _core.current_place()
        return current if current.is_gpu_place() else _core.to_place('gpu')
    place = _core.CUDAPlace(device) if isinstance(device, int) else _core.to_place(device)
    if not place.is_gpu_place():
        raise ValueError(f"[cuda.{api}] expected a GPU, got {device!r}")
    return place


def device_count():
    """How many GPUs there are.

    Returns:
        int: the number.

    Examples:
        >>> paddle.device.cuda.device_count() >= 0
        True
    """
    return _core.gpu_count()


def empty_cache():
    """Give cached memory back.

    Returns:
        None.

    Examples:
        >>> paddle.device.cuda.empty_cache()
    """
    _core.release_cpu_cache()
    _core.release_device_caches()


def synchronize(device=None):
    """Wait until a GPU has finished what it was given.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        None.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     paddle.device.cuda.synchronize()
    """
    _core.synchronize_place(_gpu('synchronize', device))


def max_memory_allocated(device=None):
    """The most bytes of a GPU that tensors have held at once.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        int: the number, since the start or `reset_max_memory_allocated`.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     peak = paddle.device.cuda.max_memory_allocated()
    """
    return _core.device_memory_stats(_gpu('max_memory_allocated', device))['allocated_max']


def max_memory_reserved(device=None):
    """The most bytes of a GPU that the allocator has held at once.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        int: the number, since the start or `reset_max_memory_reserved`.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     peak = paddle.device.cuda.max_memory_reserved()
    """
    return _core.device_memory_stats(_gpu('max_memory_reserved', device))['reserved_max']


def memory_allocated(device=None):
    """The bytes of a GPU that tensors hold.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        int: the number.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     held = paddle.device.cuda.memory_allocated()
    """
    return _core.device_memory_stats(_gpu('memory_allocated', device))['allocated']


def memory_reserved(device=None):
    """The bytes of a GPU that the allocator holds, for tensors and for those to come.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        int: the number.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     held = paddle.device.cuda.memory_reserved()
    """
    return _core.device_memory_stats(_gpu('memory_reserved', device))['reserved']


class _gpuDeviceProperties(_Namespace):
    """What the driver says of a GPU."""


def get_device_properties(device=None):
    """Name, memory and other properties.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        object: with `name`, `major`, `minor`, `total_memory`, `multi_processor_count`.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> gpus = paddle.device.cuda.device_count()
        >>> gpus and paddle.device.cuda.get_device_properties().total_memory
        0
    """
    return _gpuDeviceProperties(**_core.gpu_properties(_gpu('get_device_properties', device)))


def get_device_name(device=None):
    """Name of the GPU.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        str: the name.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> paddle.device.cuda.device_count() and len(paddle.device.cuda.get_device_name())
        0
    """
    return get_device_properties(device).name


def get_device_capability(device=None):
    """(major, minor) compute capability.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        tuple of ints: major and minor.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> paddle.device.cuda.device_count() and len(paddle.device.cuda.get_device_capability())
        0
    """
    found = get_device_properties(device)
    return found.major, found.minor


class stream_guard(_streams.stream_guard):
    """Inside, work goes to `stream`.

    Args:
        stream (Stream or None): The stream; None for the current one.

    Examples:
        >>> with paddle.device.cuda.stream_guard(None):
        ...     x = paddle.ones([2]) * 2
        >>> x.tolist()
        [2.0, 2.0]
    """

    def __init__(self, stream):
        super().__init__(stream)


def create_stream(device_id=None, priority=2, device_type=None, blocking=False):
    """A new queue of work on a GPU.

    Args:
        device_id (place or int, default None): The GPU; None for the current one.
        priority (int, default 2): Taken for compatibility; it has no effect.
        device_type (str, default None): `gpu` or None.
        blocking (bool, default False): Must be false: no stream waits for the default one.

    Returns:
        Stream: the stream.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     stream = paddle.device.cuda.create_stream()
    """
    _only('create_stream', 'streams run beside each other', blocking=(blocking, False))
    _only('create_stream', 'it is of a GPU', device_type=(device_type or 'gpu', 'gpu'))
    return Stream(_gpu('create_stream', device_id), priority)


def create_event(
    enable_timing=False, blocking=False, interprocess=False, device_type=None, device_id=0
):
    """A new event.

    Args:
        enable_timing (bool, default False): Whether it keeps the time.
        blocking (bool, default False): Whether waiting for it lets the processor do other work.
        interprocess (bool, default False): Whether other processes may open it, as
            `paddle.device.Event` has it.
        device_type (str, default None): `gpu` or None.
        device_id (int, default 0): The GPU; it is that of the stream that records the event.

    Returns:
        Event: the event.

    Examples:
        >>> paddle.device.cuda.create_event().query()
        True
    """
    _only('create_event', 'it is of a GPU', device_type=(device_type or 'gpu', 'gpu'))
    return Event(enable_timing, blocking, interprocess)


def current_stream(device=None):
    """The stream on which a GPU works.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        Stream: the stream.

    Raises:
        ValueError: There is no GPU.

    Examples:
        >>> paddle.device.cuda.device_count() and paddle.device.cuda.current_stream().query()
        0
    """
    return _streams.current_stream(_gpu('current_stream', device))


def memory_summary(device=None):
    """Print how the memory of a GPU is used.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        None.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> import contextlib, io
        >>> if paddle.device.cuda.device_count():
        ...     with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...         paddle.device.cuda.memory_summary()
        ...     assert "held by tensors" in printed.getvalue()
    """
    place = _gpu('memory_summary', device)
    stats = _core.device_memory_stats(place)
    total, free = _core.device_memory_info(place)
    rows = [
        ('of the device', total),
        ('free on the device', free),
        ('held by tensors', stats['allocated']),
        ('held by tensors at most', stats['allocated_max']),
        ('held by the allocator', stats['reserved']),
        ('held by the allocator at most', stats['reserved_max']),
    ]
    shape = dict(_core.device_memory_shape(place))
    rows += [
        ('free in the allocator', shape['free_bytes']),
        ('largest free block', shape['largest_free']),
        ('waiting for other streams', shape['waiting_bytes']),
    ]
    print(f'memory of {str(place)[6:-1]}, bytes')
    for name, value in rows:
        print(f'{name:<32}{value:>20}')


def reset_max_memory_allocated(device=None):
    """Count the most bytes of tensors and of the allocator of a GPU anew.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        None.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     paddle.device.cuda.reset_max_memory_allocated()
    """
    _core.reset_device_memory_peaks(_gpu('reset_max_memory_allocated', device))


def reset_max_memory_reserved(device=None):
    """Count the most bytes of tensors and of the allocator of a GPU anew.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        None.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     paddle.device.cuda.reset_max_memory_reserved()
    """
    _core.reset_device_memory_peaks(_gpu('reset_max_memory_reserved', device))


def vmm_compact(device=None):
    """Give back what the allocator of a GPU holds and no tensor needs.

    Args:
        device (str, place or int, default None): The GPU; None for the current one.

    Returns:
        None.

    Raises:
        ValueError: There is no such GPU.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     paddle.device.cuda.vmm_compact()
    """
    _gpu('vmm_compact', device)
    empty_cache()


_lazy.install(globals(), 'paddle.device.cuda', modules=['graphs'])
