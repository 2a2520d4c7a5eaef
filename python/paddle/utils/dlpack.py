# SPDX-License-Identifier: Apache-2.0
"""Sharing tensors with other libraries through DLPack."""
import paddle

__all__ = ['to_dlpack', 'from_dlpack']


def to_dlpack(x):
    """A DLPack capsule of the tensor, sharing its memory."""
    if not isinstance(x, paddle.Tensor):
        raise TypeError(f"The type of 'x' in to_dlpack must be paddle.Tensor, but received {type(x)}.")
    return x.__dlpack__()


def from_dlpack(dlpack, *, device=None, copy=None):
    """A tensor that shares the memory of a capsule or of an object with `__dlpack__`."""
    return paddle.from_dlpack(dlpack, device=device, copy=copy)
