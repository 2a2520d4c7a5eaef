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
    """A DLPack capsule of the tensor, sharing its memory."""
    if not isinstance(x, paddle.Tensor):
        raise TypeError(f"[to_dlpack] expected x to be a tensor, got {type(x).__name__}")
    return x.__dlpack__()


def from_dlpack(dlpack, *, device=None, copy=None):
    """A tensor that shares the memory of a capsule or of an object with `__dlpack__`."""
    return paddle.from_dlpack(dlpack, device=device, copy=copy)
