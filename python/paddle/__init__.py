# SPDX-License-Identifier: Apache-2.0
"""paddle: tensors, automatic differentiation, neural networks, compilation and deployment.

Names are loaded on first use: this module only makes the core, the dtypes and a table of where the
rest is.
"""

import importlib as _importlib
import math as _math
import os as _os

# Waiting OpenMP threads spin for some 50 us, then sleep: libgomp's own default burns a core that
# other processes need, and makes parallel regions many times slower when they take it. Read by
# libgomp when the core is loaded.
if 'OMP_WAIT_POLICY' not in _os.environ:
    _os.environ.setdefault('GOMP_SPINCOUNT', '3000')

try:
    from .base import libpaddle as _core
except ImportError:
    from ._unfit import reason as _reason

    _unfit = _reason(_os.path.join(_os.path.dirname(__file__), 'base'))
    if _unfit is None:
        raise
    raise ImportError(_unfit) from None
from .base.libpaddle import (  # noqa: F401
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    Size,
    Tensor,
    XPUPinnedPlace,
    XPUPlace,
)
from .base.libpaddle import DataType as dtype  # noqa: E402

for _name in (
    'bool',
    'uint8',
    'int8',
    'int16',
    'int32',
    'int64',
    'float16',
    'bfloat16',
    'float32',
    'float64',
    'complex64',
    'complex128',
    'float8_e4m3fn',
    'float8_e5m2',
    'uint16',
    'uint32',
    'uint64',
    'pstring',
):
    globals()[_name] = getattr(dtype, _name.upper())
raw = 'raw'
half, float, double, short, int, long = float16, float32, float64, int16, int32, int64  # noqa: F821
cfloat, cdouble = complex64, complex128  # noqa: F821
newaxis = None
inf, nan, pi, e = _math.inf, _math.nan, _math.pi, _math.e

from . import _imports_of_others  # noqa: E402, F401
from . import _lazy  # noqa: E402
from .tensor import TABLE as _table  # noqa: E402

_OTHER = _lazy.homes(
    {
        'paddle.framework.random': 'seed manual_seed get_rng_state set_rng_state '
        'get_cuda_rng_state set_cuda_rng_state',
        'paddle.framework.framework': 'set_default_dtype get_default_dtype',
        'paddle.framework.io': 'save load async_save clear_async_save_task_queue',
        'paddle.framework.dtype': 'iinfo finfo',
        'paddle.flags': 'set_flags get_flags',
        'paddle.base.framework': 'create_parameter LazyGuard',
        'paddle.base.param_attr': 'ParamAttr',
        'paddle.base.dygraph.base': 'no_grad enable_grad set_grad_enabled is_grad_enabled grad',
        'paddle.amp': 'get_autocast_dtype get_autocast_cpu_dtype get_autocast_gpu_dtype '
        'is_autocast_enabled autocast',
        'paddle.device': (
            'set_device get_device set_default_device get_default_device '
            'is_compiled_with_cuda is_compiled_with_rocm '
            'is_compiled_with_xpu is_compiled_with_ipu is_compiled_with_custom_device '
            'is_compiled_with_cinn is_compiled_with_distribute get_cudnn_version device_guard'
        ),
        'paddle.distributed.data_parallel': 'DataParallel',
        'paddle.hapi': 'Model summary flops callbacks',
        'paddle.io.reader': 'batch',
        'paddle.static': 'enable_static disable_static',
        'paddle.nn.functional': 'conv1d conv2d conv3d layer_norm group_norm adaptive_avg_pool1d',
        'paddle._compat': (
            'FloatTensor DoubleTensor HalfTensor BFloat16Tensor IntTensor LongTensor '
            'ShortTensor CharTensor ByteTensor BoolTensor MmapStorage disable_signal_handler '
            'disable_compat enable_compat Generator'
        ),
    }
)
_MODULES = (
    '_C_ops',
    '_legacy_C_ops',
    'amp',
    'audio',
    'autograd',
    'base',
    'compat',
    'cuda',
    'dataset',
    'decomposition',
    'device',
    'distributed',
    'distribution',
    'fft',
    'flags',
    'framework',
    'geometric',
    'hapi',
    'hub',
    'incubate',
    'inference',
    'io',
    'jit',
    'linalg',
    'metric',
    'nn',
    'onnx',
    'optimizer',
    'pir',
    'pir_utils',
    'profiler',
    'quantization',
    'reader',
    'regularizer',
    'signal',
    'sparse',
    'static',
    'sysconfig',
    'tensor',
    'text',
    'utils',
    'version',
    'vision',
    'callbacks',
)
_generated = _core._functions('paddle')
_where = {**_table, **_OTHER}


def __getattr__(name):
    home = _where.get(name)
    if home is not None:
        value = getattr(_importlib.import_module(home), name)
    elif name in _generated:
        value = _generated[name]
    elif name in _MODULES:
        value = _importlib.import_module('paddle.' + name)
    elif name == '__version__':
        value = _importlib.import_module('paddle.version').full_version
    elif name == '__git_commit__':
        value = _importlib.import_module('paddle.version').commit
    elif name == '__all__':
        # Whatever has been imported by now: submodules are not part of it.
        value = [
            n
            for n in __dir__()
            if not n.startswith('_')
            and n not in _MODULES
            and not isinstance(globals().get(n), type(_lazy))
        ]
    else:
        return _lazy.listed('paddle', name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_where, *_MODULES, *_generated})


from .tensor import methods as _methods  # noqa: E402

_methods.install(_where)
