# SPDX-License-Identifier: Apache-2.0
"""GPU memory and properties; without a GPU the counts are zero and queries say so."""
from paddle.base import libpaddle as _core

__all__ = ['device_count', 'empty_cache', 'synchronize', 'max_memory_allocated', 'max_memory_reserved',
           'memory_allocated', 'memory_reserved', 'get_device_properties', 'get_device_name', 'get_device_capability']


def _index(device):
    if device is None:
        return 0
    if isinstance(device, int):
        return device
    if hasattr(device, 'gpu_device_id'):
        return device.gpu_device_id()
    text = str(device)
    return int(text.rsplit(':', 1)[1]) if ':' in text else 0


def _ask(core_name, api, device):
    function = getattr(_core, core_name, None)
    if function is None or device_count() == 0:
        raise ValueError(f"The API paddle.device.cuda.{api} is not supported in CPU-only PaddlePaddle. Please reinstall "
                         "PaddlePaddle with GPU support to call this API.")
    return function(_index(device))


def device_count():
    """How many GPUs there are."""
    count = getattr(_core, 'get_cuda_device_count', None)
    return count() if count is not None else 0


def empty_cache():
    """Give cached memory back."""
    release = getattr(_core, 'empty_cache', None) or getattr(_core, 'release_cpu_cache', None)
    if release is not None:
        release()


def synchronize(device=None):
    """Wait until the GPU has finished."""
    _ask('cuda_synchronize', 'synchronize', device)


def max_memory_allocated(device=None):
    """Most bytes that tensors have held."""
    return _ask('cuda_max_memory_allocated', 'max_memory_allocated', device)


def max_memory_reserved(device=None):
    """Most bytes that the allocator has held."""
    return _ask('cuda_max_memory_reserved', 'max_memory_reserved', device)


def memory_allocated(device=None):
    """Bytes that tensors hold."""
    return _ask('cuda_memory_allocated', 'memory_allocated', device)


def memory_reserved(device=None):
    """Bytes that the allocator holds."""
    return _ask('cuda_memory_reserved', 'memory_reserved', device)


def get_device_properties(device=None):
    """Name, memory and other properties."""
    return _ask('get_device_properties', 'get_device_properties', device)


def get_device_name(device=None):
    """Name of the GPU."""
    return get_device_properties(device).name


def get_device_capability(device=None):
    """(major, minor) compute capability."""
    found = get_device_properties(device)
    return found.major, found.minor
