# SPDX-License-Identifier: Apache-2.0
"""Framework helpers: save and load, random state, default dtype. Names of the core are found on
first use.
"""

import importlib

from paddle import _lazy

_HERE = {
    'save': 'io',
    'load': 'io',
    'async_save': 'io',
    'clear_async_save_task_queue': 'io',
    'seed': 'random',
    'set_default_dtype': 'framework',
    'get_default_dtype': 'framework',
    'iinfo': 'dtype',
    'finfo': 'dtype',
}
_ELSEWHERE = {
    'no_grad': 'paddle.base.dygraph.base',
    'grad': 'paddle.base.dygraph.base',
    'ParamAttr': 'paddle.base.param_attr',
    'EagerParamBase': 'paddle.base.framework',
    'convert_np_dtype_to_dtype_': 'paddle.base.framework',
    'Parameter': 'paddle.base.framework',
    'LayerHelper': 'paddle.base.layer_helper',
}
_FROM_PADDLE = (
    'CPUPlace',
    'CUDAPlace',
    'CUDAPinnedPlace',
    'CustomPlace',
    'XPUPlace',
    'IPUPlace',
    'XPUPinnedPlace',
    'dtype',
    'in_dynamic_mode',
    'enable_static',
    'disable_static',
    'set_flags',
    'get_flags',
    'disable_signal_handler',
    'create_parameter',
)
_MODULES = ('io', 'random', 'framework', 'dense_stream', 'unpickle')


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module('.' + name, __name__)
    if name in _HERE:
        value = getattr(importlib.import_module('.' + _HERE[name], __name__), name)
    elif name in _ELSEWHERE:
        value = getattr(importlib.import_module(_ELSEWHERE[name]), name)
    elif name in ('core', 'base'):
        value = importlib.import_module({'core': 'paddle.base.core', 'base': 'paddle.base'}[name])
    elif name in _FROM_PADDLE:
        import paddle

        value = getattr(paddle, name)
    else:
        import paddle.base.framework as base

        value = getattr(base, name, None)
        return _lazy.listed(__name__, name) if value is None else value
    globals()[name] = value
    return value
