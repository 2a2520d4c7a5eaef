# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.core`: the C++ core under the name programs know it by, and queries about this build."""

from paddle.base import libpaddle
from paddle.base.libpaddle import *  # noqa: F401,F403
from paddle.base.libpaddle import DataType, Tensor, pir  # noqa: F401

eager = type('eager', (), {'Tensor': Tensor, 'DenseTensor': Tensor})
DenseTensor = LoDTensor = Tensor


class VarDesc:
    """Holder of VarType, the old names of element types."""

    class VarType:
        """Old spellings of dtypes (FP32 for float32) and of kinds of variables."""

        BOOL, UINT8, INT8, INT16 = DataType.BOOL, DataType.UINT8, DataType.INT8, DataType.INT16
        INT32, INT64 = DataType.INT32, DataType.INT64
        FP16, BF16, FP32, FP64 = DataType.FLOAT16, DataType.BFLOAT16, DataType.FLOAT32, DataType.FLOAT64
        COMPLEX64, COMPLEX128 = DataType.COMPLEX64, DataType.COMPLEX128
        FP8_E4M3FN, FP8_E5M2 = DataType.FLOAT8_E4M3FN, DataType.FLOAT8_E5M2
        DENSE_TENSOR = LOD_TENSOR = 7
        SELECTED_ROWS, FEED_MINIBATCH, FETCH_LIST, STEP_SCOPES = 8, 9, 10, 11
        DENSE_TENSOR_ARRAY = LOD_TENSOR_ARRAY = 13
        READER, RAW, SPARSE_COO, SPARSE_CSR = 15, 17, 30, 31


def _never(*args):
    return False


is_compiled_with_cuda = is_compiled_with_rocm = is_compiled_with_xpu = is_compiled_with_ipu = _never
is_compiled_with_nccl = is_compiled_with_mpi = _never
is_compiled_with_avx = is_compiled_with_onednn = is_compiled_with_mkldnn = lambda: True
is_compiled_with_cinn = is_compiled_with_dist = lambda: True


def get_cuda_device_count():
    """0: this build has no GPU support of its own."""
    return 0


def supports_bfloat16():
    """Whether bfloat16 arithmetic runs on this processor."""
    return True


def get_all_custom_device_type():
    """Device types of loaded plugins."""
    return libpaddle.custom_device_types()


def is_compiled_with_custom_device(device_type):
    """Whether a plugin for `device_type` is loaded."""
    return device_type in libpaddle.custom_device_types()


def get_all_device_type():
    """Device types this build serves."""
    return ['cpu', *libpaddle.custom_device_types()]


def _get_all_register_op_kernels(lib='all'):
    return {name: [] for name in libpaddle.op_names()}


def globals_():
    """All flags, by name."""
    return libpaddle.all_flags()
