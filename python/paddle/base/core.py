# SPDX-License-Identifier: Apache-2.0
"""`paddle.base.core`: the C++ core under the name programs know it by, and queries about this
build.
"""

import enum
import types

from paddle._lazy import listed
from paddle.base import libpaddle
from paddle.base.libpaddle import *
from paddle.base.libpaddle import DataType, Tensor, pir

_LATER = {
    **dict.fromkeys(('Scope', 'DenseTensor', 'LoDTensor', 'Variable'), 'paddle.static.scope'),
    **dict.fromkeys(('iinfo', 'finfo'), 'paddle.framework.dtype'),
    'broadcast_shape': 'paddle.tensor.attribute',
    'from_dlpack': 'paddle.utils.dlpack',
    'get_available_device': 'paddle.device',
    '_append_python_callable_object_and_return_id': 'paddle.static.legacy_effects',
    'EOFException': 'paddle.base.reader',
    '__unittest_throw_exception__': 'paddle.base.core_programs',
    'TensorDistAttr': 'paddle.distributed.auto_parallel.dist_attr',
    'DistTensorSpec': 'paddle.distributed.auto_parallel.spmd_rule',
    'get_phi_spmd_rule': 'paddle.distributed.auto_parallel.spmd_rule',
    **dict.fromkeys(('AnalysisConfig', 'create_predictor'), 'paddle.inference'),
    **dict.fromkeys(
        'PaddlePredictor PaddleTensor PaddleBuf AnalysisPredictor NativePaddlePredictor '
        'NativeConfig create_paddle_predictor'.split(),
        'paddle.inference.by_value',
    ),
    'ZeroCopyTensor': 'paddle.inference',
    'PaddlePassBuilder': 'paddle.inference.config',
}
_RENAMED = {
    '_append_python_callable_object_and_return_id': 'append_function',
    'LoDTensor': 'DenseTensor',
    'AnalysisConfig': 'Config',
    'ZeroCopyTensor': 'Tensor',
    'PaddlePassBuilder': 'PassBuilder',
}
del AnalysisConfig, create_predictor  # noqa: F821 - the core's: programs get those of the package


def __getattr__(name):
    import importlib

    if name == '_Scope':
        name = 'Scope'
    if name not in _LATER:
        return listed('paddle.base.core', name)
    return getattr(importlib.import_module(_LATER[name]), _RENAMED.get(name, name))


class AmpLevel(enum.IntEnum):
    """Levels of automatic mixed precision."""

    O0, OD, O1, O2, O3 = range(5)


class VarDesc:
    """Holder of VarType, the old names of element types."""

    class VarType:
        """Old spellings of dtypes (FP32 for float32) and of kinds of variables."""

        BOOL, UINT8, INT8, INT16 = DataType.BOOL, DataType.UINT8, DataType.INT8, DataType.INT16
        INT32, INT64 = DataType.INT32, DataType.INT64
        FP16, BF16, FP32, FP64 = (
            DataType.FLOAT16,
            DataType.BFLOAT16,
            DataType.FLOAT32,
            DataType.FLOAT64,
        )
        COMPLEX64, COMPLEX128 = DataType.COMPLEX64, DataType.COMPLEX128
        FP8_E4M3FN, FP8_E5M2 = DataType.FLOAT8_E4M3FN, DataType.FLOAT8_E5M2
        DENSE_TENSOR = LOD_TENSOR = 7
        SELECTED_ROWS, FEED_MINIBATCH, FETCH_LIST, STEP_SCOPES, PLACE_LIST = 8, 9, 10, 11, 14
        DENSE_TENSOR_ARRAY = LOD_TENSOR_ARRAY = 13
        READER, RAW, SPARSE_COO = 15, 17, 30
        STRING, STRINGS, VOCAB = 25, 26, 27
        UINT16, UINT32, UINT64 = DataType.UINT16, DataType.UINT32, DataType.UINT64


class _Flags:
    """Flags by full name; reading and writing are those of paddle.get_flags and set_flags."""

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(name)
        return libpaddle.get_flag(name)

    def __setitem__(self, name, value):
        from paddle.flags import set_flags

        set_flags({name: value})

    def __contains__(self, name):
        return libpaddle.has_flag(name)

    is_public = __contains__

    def get(self, name, default=None):
        """The value of a flag, or `default`."""
        return self[name] if name in self else default

    def keys(self):
        """Names of all flags."""
        return ['FLAGS_' + n.removeprefix('FLAGS_') for n in libpaddle.all_flags()]


_flags = _Flags()


def globals():
    """All flags, by name."""
    return _flags


def _never(*args):
    return False


def _always(*args):
    return True


is_compiled_with_rocm = is_compiled_with_xpu = is_compiled_with_ipu = is_cuda_graph_capturing = (
    _never
)
is_compiled_with_nccl = is_compiled_with_mpi = is_compiled_with_mpi_aware = (
    is_compiled_with_brpc
) = op_support_gpu = _never
is_compiled_with_cudnn_frontend = is_compiled_with_flagcx = is_compiled_with_deepep = _never
is_compiled_with_avx = is_compiled_with_onednn = is_compiled_with_mkldnn = avx_supported = _always
is_compiled_with_cinn = is_compiled_with_dist = is_compiled_with_distribute = _always
supports_bfloat16 = is_bfloat16_supported = is_float16_supported = _always


def supports_avx512f():
    """Whether kernels use AVX-512."""
    return libpaddle.cpu_isa() == 'avx512'


def _cpu_has(flag):
    try:
        with open('/proc/cpuinfo', encoding='ascii', errors='replace') as info:
            return any(flag in line.split() for line in info if line.startswith('flags'))
    except OSError:
        return False


def supports_vnni():
    """Whether the processor multiplies int8 by instructions of its own."""
    return _cpu_has('avx512_vnni') or _cpu_has('avx_vnni')


def supports_bfloat16_fast_performance():
    """Whether the processor multiplies bfloat16 by instructions of its own."""
    return _cpu_has('avx512_bf16') or _cpu_has('amx_bf16')


def is_compiled_with_cuda():
    """Whether GPUs can be used: there is a driver, and it has a device."""
    return libpaddle.gpu_count() > 0


def get_cuda_device_count():
    """How many GPUs there are."""
    return libpaddle.gpu_count()


def get_all_custom_device_type():
    """Device types of loaded plugins."""
    return libpaddle.custom_device_types()


def get_custom_device_count(device_type):
    """How many devices of a plugin's type there are."""
    return libpaddle.custom_device_count(device_type)


def is_compiled_with_custom_device(device_type):
    """Whether a plugin for `device_type` is loaded."""
    return device_type in libpaddle.custom_device_types()


def get_all_device_type():
    """Device types this build serves."""
    return ['cpu', *libpaddle.custom_device_types()]


def size_of_dtype(dtype):
    """Bytes of one element."""
    from paddle.base.framework import to_dtype

    return _SIZES[str(to_dtype(dtype))[7:]]


_SIZES = {
    'bool': 1,
    'uint8': 1,
    'int8': 1,
    'float8_e4m3fn': 1,
    'float8_e5m2': 1,
    'int16': 2,
    'float16': 2,
    'bfloat16': 2,
    'int32': 4,
    'float32': 4,
    'int64': 8,
    'float64': 8,
    'complex64': 8,
    'complex128': 16,
}


def get_all_op_names(lib='all'):
    """Names of all operations; none are in the library 'fluid' of old."""
    if lib not in ('all', 'phi', 'fluid'):
        raise ValueError(f"[get_all_op_names] expected lib 'all', 'phi' or 'fluid', got {lib!r}")
    return [] if lib == 'fluid' else list(libpaddle.op_names())


def _get_all_register_op_kernels(lib='all'):
    return {name: [] for name in libpaddle.op_names()}


def grad_var_suffix():
    """What the old IR appends to a name for its gradient."""
    return '@GRAD'


def empty_var_name():
    """The old IR's name for no variable."""
    return '@EMPTY@'


kGradVarSuffix, kEmptyVarName = grad_var_suffix, empty_var_name


def kTempVarName():
    """The old IR's prefix of names of results."""
    return '@TEMP@'


def kZeroVarSuffix():
    """What the old IR appends to a name for zeros in its place."""
    return '@ZERO'


def kControlDepVarName():
    """The old IR's prefix of variables that only order operations."""
    return '__control_var'


def disable_signal_handler():
    """Nothing to undo: this package installs no signal handlers."""


def _prim(*names):
    from paddle.flags import get_flags

    return any(get_flags('FLAGS_' + n)['FLAGS_' + n] for n in names)


def _set_prim(enabled, *names):
    from paddle.flags import set_flags

    set_flags({'FLAGS_' + n: bool(enabled) for n in names})


# Wishes about taking operations apart before they are compiled; no result depends on them.
def _set_prim_all_enabled(enabled):
    _set_prim(enabled, 'prim_forward', 'prim_backward', 'prim_all')


def _set_prim_forward_enabled(enabled):
    _set_prim(enabled, 'prim_forward')


def _set_prim_backward_enabled(enabled):
    _set_prim(enabled, 'prim_backward')


def _is_fwd_prim_enabled():
    return _prim('prim_forward', 'prim_all')


def _is_bwd_prim_enabled():
    return _prim('prim_backward', 'prim_all')


def _is_all_prim_enabled():
    return _is_fwd_prim_enabled() and _is_bwd_prim_enabled()


def set_prim_eager_enabled(value, print_flag=False):
    """Wish that dynamic mode takes gradients of operations apart; their values are the same either
    way.
    """
    _eager_prim[0] = bool(value)
    if print_flag:
        print(f'eager prim enabled: {_eager_prim[0]}')


def _is_eager_prim_enabled():
    return _eager_prim[0]


_eager_prim = [False]
_not_taken_apart = set()


def _set_prim_forward_blacklist(*names):
    _not_taken_apart.update(names)


_set_prim_backward_blacklist = _set_bwd_prim_blacklist = _set_prim_forward_blacklist


def _clear_prim_vjp_skip_default_ops():
    _not_taken_apart.clear()


def _none_of(kind):
    def refused(index=-1):
        raise RuntimeError(
            f"[generator] expected a build with {kind}, got the CPU's for device {index}"
        )

    return refused


default_cuda_generator, default_xpu_generator = _none_of('CUDA'), _none_of('XPU')


def default_custom_device_generator(place):
    """The generator of a plugin's device: what such devices draw comes from the CPU's."""
    if not (isinstance(place, libpaddle.Place) and place.is_custom_place()):
        raise ValueError(f"[default_custom_device_generator] expected a CustomPlace, got {place!r}")
    return libpaddle.default_cpu_generator()


def _memory(stats, stat_type, suffix):
    key = str(stat_type).lower() + suffix
    if key not in stats:
        raise ValueError(
            f"[memory_stat] expected the type 'Allocated' or 'Reserved', got {stat_type!r}"
        )
    return stats[key]


def device_memory_stat_current_value(stat_type, device):
    """Bytes 'Allocated' or 'Reserved' in the memory of a GPU: 0, as there is none."""
    _memory(libpaddle.cpu_memory_stats(), stat_type, '')
    return 0 * device


device_memory_stat_peak_value = device_memory_stat_current_value


def host_memory_stat_current_value(stat_type, device):
    """Bytes 'Allocated' or 'Reserved' in the memory of the CPU, which is device 0."""
    return _memory(libpaddle.cpu_memory_stats(), stat_type, '') if device == 0 else 0


def host_memory_stat_peak_value(stat_type, device):
    """The most bytes that were 'Allocated' or 'Reserved' in the memory of the CPU, which is device
    0.
    """
    return _memory(libpaddle.cpu_memory_stats(), stat_type, '_max') if device == 0 else 0


def get_all_op_protos():
    """Declarations of all operations that can be appended, as messages `OpProto` of
    `paddle.base.proto.framework_pb2`.
    """
    from paddle.base import modes

    return [proto.SerializeToString() for proto in modes.get_all_op_protos()]


class AttrType(enum.IntEnum):
    """What kind of value an attribute of an old operation is."""

    (
        INT,
        FLOAT,
        STRING,
        INTS,
        FLOATS,
        STRINGS,
        BOOL,
        BOOLS,
        BLOCK,
        LONG,
        BLOCKS,
        LONGS,
        FLOAT64S,
        VAR,
        VARS,
        FLOAT64,
        SCALAR,
        SCALARS,
    ) = range(18)


class OpRole(enum.IntEnum):
    """What an operation is part of, as attributes of old programs say it."""

    Forward, Backward, Optimize, RPC, Dist, LRSched, Loss = 0, 1, 2, 4, 8, 16, 256


class op_proto_and_checker_maker:
    """Names of the attributes that every old operation has, and the values of `op_role`."""

    OpRole = OpRole
    kOpRoleAttrName = staticmethod(lambda: 'op_role')
    kOpRoleVarAttrName = staticmethod(lambda: 'op_role_var')
    kOpNameScopeAttrName = staticmethod(lambda: 'op_namescope')
    kOpCreationCallstackAttrName = staticmethod(lambda: 'op_callstack')
    kOpDeviceAttrName = staticmethod(lambda: 'op_device')
    kOpWithQuantAttrName = staticmethod(lambda: 'with_quant_attr')


def _run_custom_op(name, *args):
    """The results of a user's operator, in one list: inputs, then attributes, in its order."""
    made = libpaddle._run_custom_op(name, *args)
    if not isinstance(made, list):
        return [made]
    return [one for part in made for one in (part if isinstance(part, list) else [part])]


eager = types.ModuleType('paddle.base.core.eager', 'Tensors of dynamic mode.')
eager.Tensor = Tensor
eager.run_backward = libpaddle.run_backward
eager._run_custom_op = _run_custom_op
eager.ops = types.ModuleType('paddle.base.core.eager.ops', 'Operations of dynamic mode.')


def _op(name):
    import importlib

    if name == 'legacy':
        return importlib.import_module('paddle._legacy_C_ops')
    return getattr(importlib.import_module('paddle._C_ops'), name)


eager.ops.__getattr__ = _op


def _of_eager(name):
    from paddle.base import core_queries, string_tensor

    if name == 'StringTensor':
        return string_tensor.StringTensor
    if name not in core_queries.EAGER:
        raise AttributeError(f"module 'paddle.base.core.eager' has no attribute {name!r}")
    return core_queries.EAGER[name]


eager.__getattr__ = _of_eager
