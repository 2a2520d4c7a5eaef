# SPDX-License-Identifier: Apache-2.0
"""Copies between a GPU and page-locked memory of the host, beside the computation."""

from paddle.base import libpaddle as _core

from .streams import Stream, current_stream, stream_guard

__all__ = [
    'AsyncLoad',
    'async_offload',
    'async_offload_with_offset',
    'async_reload',
    'create_async_load',
]


class Task:
    """A copy on the way."""

    def __init__(self, event):
        self._event = event

    def is_completed(self):
        """Whether the copy is done."""
        return self._event.query()

    def cpu_wait(self):
        """Wait for the copy; the host may read what it wrote from here on."""
        self._event.synchronize()

    synchronize = cpu_wait

    def cuda_wait(self):
        """Let what is computed from here on wait for the copy, not the host."""
        current_stream(self._event._place).wait_event(self._event)


class AsyncLoad:
    """A stream of copies for each GPU."""

    def __init__(self):
        self._streams = {}

    def _copy(self, place, copy):
        """(what `copy()` gives on the stream of copies, its task); it waits for what is computed
        already.
        """
        stream = self._streams.get(str(place))
        if stream is None:
            stream = self._streams[str(place)] = Stream(place)
        stream.wait_stream(current_stream(place))
        with stream_guard(stream):
            copied = copy()
        return copied, Task(stream.record_event())

    def offload(self, src):
        """(a copy in page-locked memory, its task) of a tensor on a GPU."""
        _expect('async_offload', src, src.place.is_gpu_place(), 'a tensor on a GPU')
        pinned = _core.CUDAPinnedPlace()
        return self._copy(src.place, lambda: src._copy_to(pinned, False))

    def reload(self, src):
        """(a copy on the current GPU, its task) of a tensor in page-locked memory."""
        pinned = src.place.is_cuda_pinned_place()
        _expect('async_reload', src, pinned, 'a tensor in page-locked memory')
        place = _core.current_place()
        if not place.is_gpu_place():
            raise ValueError(f'[async_reload] expected a GPU as the current device, got {place}')
        return self._copy(place, lambda: src._copy_to(place, False))

    def offload_with_offset(self, src, dst, src_offset, dst_offset, offload_size):
        """The task of a copy of `offload_size` elements into page-locked memory."""
        name = 'async_offload_with_offset'
        _expect(name, src, src.place.is_gpu_place(), 'src_tensor on a GPU')
        pinned = dst.place.is_cuda_pinned_place()
        _expect(name, dst, pinned, 'dst_tensor in page-locked memory')
        if src.dtype != dst.dtype:
            raise ValueError(f'[{name}] expected one dtype, got {src.dtype} and {dst.dtype}')
        parts = []
        for tensor, offset in ((src, src_offset), (dst, dst_offset)):
            if not tensor.is_contiguous():
                raise ValueError(f'[{name}] expected contiguous tensors, got {tensor.strides}')
            if offset < 0 or offload_size < 0 or offset + offload_size > tensor.size:
                raise ValueError(
                    f'[{name}] expected a range within {tensor.size} elements, got {offset} to '
                    f'{offset + offload_size}'
                )
            flat = tensor.detach().flatten()
            parts.append(flat[offset : offset + offload_size])
        return self._copy(src.place, lambda: parts[1].copy_(parts[0], False))[1]


def _expect(name, tensor, holds, what):
    if not holds:
        raise ValueError(f'[{name}] expected {what}, got one on {tensor.place}')


def create_async_load():
    """What `async_offload`, `async_reload` and `async_offload_with_offset` copy by.

    Returns:
        AsyncLoad: a stream of copies for each GPU, made with its first copy.

    Examples:
        >>> from paddle.incubate.tensor.manipulation import create_async_load
        >>> loader = create_async_load()
    """
    return AsyncLoad()


def async_offload(src_tensor, async_load):
    """Copy a tensor from a GPU into page-locked memory while the computation goes on.

    Args:
        src_tensor (Tensor): On a GPU, any shape and dtype.
        async_load (AsyncLoad): From `create_async_load`.

    Returns:
        tuple: the copy, and its task: `cpu_wait()` waits for it, `cuda_wait()` lets later work of
        the GPU wait, `is_completed()` asks.

    Raises:
        ValueError: The tensor is not on a GPU.

    Examples:
        >>> from paddle.incubate.tensor.manipulation import async_offload, create_async_load
        >>> if paddle.device.is_available():
        ...     kept, task = async_offload(paddle.ones([4]).cuda(), create_async_load())
        ...     task.cpu_wait()
    """
    return async_load.offload(src_tensor)


def async_reload(src_tensor, async_load):
    """Copy a tensor from page-locked memory to the current GPU while the computation goes on.

    Args:
        src_tensor (Tensor): In page-locked memory, any shape and dtype.
        async_load (AsyncLoad): From `create_async_load`.

    Returns:
        tuple: the copy and its task, as of `async_offload`.

    Raises:
        ValueError: The tensor is not in page-locked memory, or the current device is no GPU.

    Examples:
        >>> from paddle.incubate.tensor.manipulation import async_reload, create_async_load
        >>> if paddle.device.is_available():
        ...     back, task = async_reload(paddle.ones([4]).pin_memory(), create_async_load())
        ...     task.cuda_wait()
    """
    return async_load.reload(src_tensor)


def async_offload_with_offset(
    src_tensor, dst_tensor, src_offset, dst_offset, offload_size, async_loader
):
    """Copy a range of elements from a GPU into a range of a tensor in page-locked memory.

    Args:
        src_tensor (Tensor): On a GPU, contiguous.
        dst_tensor (Tensor): In page-locked memory, contiguous, of the same dtype.
        src_offset (int): The first element that is read.
        dst_offset (int): The first element that is written.
        offload_size (int): The number of elements.
        async_loader (AsyncLoad): From `create_async_load`.

    Returns:
        Task: as of `async_offload`.

    Raises:
        ValueError: A tensor is elsewhere, not contiguous, of another dtype, or shorter than asked.

    Examples:
        >>> from paddle.incubate.tensor.manipulation import (
        ...     async_offload_with_offset, create_async_load)
        >>> if paddle.device.is_available():
        ...     x, kept = paddle.ones([4]).cuda(), paddle.zeros([8]).pin_memory()
        ...     async_offload_with_offset(x, kept, 0, 4, 4, create_async_load()).cpu_wait()
    """
    return async_loader.offload_with_offset(
        src_tensor, dst_tensor, src_offset, dst_offset, offload_size
    )
