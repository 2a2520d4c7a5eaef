# SPDX-License-Identifier: Apache-2.0
"""GPU memory and properties; without a GPU the counts are zero and queries say so."""

from paddle.base import libpaddle as _core

from .streams import Event, Stream, stream_guard

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


def _absent(api):
    return ValueError(f"[cuda.{api}] expected a build with CUDA, got one without")


def device_count():
    """How many GPUs there are."""
    return 0


def empty_cache():
    """Give cached memory back."""
    _core.release_cpu_cache()


def synchronize(device=None):
    """Wait until the GPU has finished."""
    raise _absent('synchronize')


def max_memory_allocated(device=None):
    """Most bytes that tensors have held."""
    raise _absent('max_memory_allocated')


def max_memory_reserved(device=None):
    """Most bytes that the allocator has held."""
    raise _absent('max_memory_reserved')


def memory_allocated(device=None):
    """Bytes that tensors hold."""
    raise _absent('memory_allocated')


def memory_reserved(device=None):
    """Bytes that the allocator holds."""
    raise _absent('memory_reserved')


def get_device_properties(device=None):
    """Name, memory and other properties."""
    raise _absent('get_device_properties')


def get_device_name(device=None):
    """Name of the GPU."""
    return get_device_properties(device).name


def get_device_capability(device=None):
    """(major, minor) compute capability."""
    found = get_device_properties(device)
    return found.major, found.minor


def current_stream(device=None):
    """The stream on which a GPU works."""
    raise _absent('current_stream')


def memory_summary(device=None):
    """Print how a GPU's memory is used."""
    raise _absent('memory_summary')


def reset_max_memory_allocated(device=None):
    """Start the highest number of bytes of tensors again."""
    raise _absent('reset_max_memory_allocated')


def reset_max_memory_reserved(device=None):
    """Start the highest number of bytes of the allocator again."""
    raise _absent('reset_max_memory_reserved')


def vmm_compact(device=None):
    """Move blocks of a GPU's memory together."""
    raise _absent('vmm_compact')
