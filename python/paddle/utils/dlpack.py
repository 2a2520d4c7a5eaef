# SPDX-License-Identifier: Apache-2.0
"""Sharing tensors with other libraries through DLPack."""

import enum

import paddle

__all__ = ['to_dlpack', 'from_dlpack']


class DLDeviceType(enum.IntEnum):
    """Kinds of devices, as the standard numbers them."""

    kDLCPU, kDLCUDA, kDLCUDAHost, kDLOpenCL = 1, 2, 3, 4
    kDLVulkan, kDLMetal, kDLVPI, kDLROCM, kDLROCMHost, kDLExtDev, kDLCUDAManaged, kDLOneAPI = (
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
    )
    kDLWebGPU, kDLHexagon, kDLMAIA, kDLTrn = 15, 16, 17, 18


def to_dlpack(x):
    """A DLPack capsule of a tensor, which shares its memory.

    Args:
        x (Tensor): The tensor.

    Returns:
        PyCapsule: for one `from_dlpack` of any library.

    Raises:
        TypeError: x is no Tensor.

    Source: the DLPack standard, https://dmlc.github.io/dlpack.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> y = paddle.utils.dlpack.from_dlpack(paddle.utils.dlpack.to_dlpack(x))
        >>> x[0] = 5.0
        >>> y.tolist()
        [5.0, 2.0]
    """
    if not isinstance(x, paddle.Tensor):
        raise TypeError(f"[to_dlpack] expected x to be a tensor, got {type(x).__name__}")
    return x.__dlpack__()


def from_dlpack(dlpack, *, device=None, copy=None):
    """A tensor that shares the memory of another library's array.

    Args:
        dlpack (object): A DLPack capsule, or an object with `__dlpack__`.
        device (place, default None): Where the tensor shall be; None for where the memory is.
        copy (bool, default None): Whether it has memory of its own; None for where it must.

    Returns:
        Tensor: the tensor.

    Source: the DLPack standard, https://dmlc.github.io/dlpack.

    Examples:
        >>> import numpy as np
        >>> a = np.array([1.0, 2.0], "float32")
        >>> x = paddle.utils.dlpack.from_dlpack(a)
        >>> a[0] = 5.0
        >>> x.tolist()
        [5.0, 2.0]
    """
    return paddle.from_dlpack(dlpack, device=device, copy=copy)
