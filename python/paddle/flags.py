# SPDX-License-Identifier: Apache-2.0
"""Global flags: `FLAGS_*` names with values, first read from the environment."""

import os
import warnings

from paddle.base import libpaddle as _core

__all__ = ['get_flags', 'set_flags']

# Flags that do something, and what they are unless set.
_EFFECTIVE = {
    'check_nan_inf': False,
    'check_nan_inf_level': 0,
    'low_precision_op_list': 0,
    'jit_fuse': True,
    'use_cinn': False,
    # time fused groups against their single operations, in place of the cost model's choice
    'cinn_trial': False,
    'cpu_deterministic': False,  # no such trials: what runs depends on no clock
    'prim_all': False,
    'prim_forward': False,
    'prim_backward': False,
    'cpu_isa': '',
    # memory of GPUs: an allocation of the driver for each tensor, as the environment says; segments
    # that grow
    'use_system_allocator': False,
    'use_virtual_memory_auto_growth': False,
    'selected_gpus': '',  # what a rank of a job computes on, as the launcher says it
    # operations that a device has no kernel for run on the host; without it they are errors
    'enable_api_kernel_fallback': True,
    'call_stack_level': 1,  # 2: tracebacks of compiled functions show how they are recorded
}
# Flags that programs set and that are kept without effect; docs/design/common.md says why of each
# group.
_KEPT = {
    'cudnn_deterministic': False,
    'embedding_deterministic': 0,
    'sort_sum_gradient': False,
    'max_inplace_grad_add': 0,
    'new_executor_sequential_run': False,
    'new_executor_use_inplace': False,
    'benchmark': False,
    'enable_pir_api': True,
    'enable_pir_in_executor': True,
    'use_stride_kernel': True,
    'use_mkldnn': False,
    'use_onednn': True,
    'tensor_operants_mode': 'eager',
    'set_to_1d': False,
    'eager_delete_tensor_gb': 0.0,
    'fast_eager_deletion_mode': True,
    'memory_fraction_of_eager_deletion': 1.0,
    'allocator_strategy': 'auto_growth',
    'initial_cpu_memory_in_mb': 500,
    'init_allocated_mem': False,
    'paddle_num_threads': 1,
    'inner_op_parallelism': 0,
    'dygraph_debug': 0,
    'logging_pir_py_code_dir': '',
    'enable_auto_parallel_align_mode': False,
    'fraction_of_gpu_memory_to_use': 0.92,
    'gpu_memory_limit_mb': 0,
    'conv_workspace_size_limit': 512,
    'cudnn_exhaustive_search': False,
    'cudnn_batchnorm_spatial_persistent': False,
    'use_autotune': False,
    'enable_cinn_auto_tune': False,
    'enable_cinn_compile_cache': True,
    'cinn_compile_thread_num': -1,
}


def _parse(text, like):
    if isinstance(like, bool):
        return text.strip().lower() in ('1', 'true', 'yes', 'on')
    if isinstance(like, (int, float)):
        return type(like)(text)
    return text


_said = set()


def _say_kept(name, value):
    """Say once that a flag has no effect, when it is set to something else than its default."""
    plain = name.removeprefix('FLAGS_')
    if plain in _KEPT and value != _KEPT[plain] and plain not in _said:
        _said.add(plain)
        warnings.warn(f"[set_flags] FLAGS_{plain} has no effect in this build", stacklevel=3)


def _define():
    for name, value in {**_EFFECTIVE, **_KEPT}.items():
        text = os.environ.get('FLAGS_' + name)
        _core.define_flag(name, value if text is None else _parse(text, value))
        if text is not None:
            _say_kept(name, _parse(text, value))
    level = os.environ.get('FLAGS_v') or os.environ.get('GLOG_v') or ''
    _core.define_flag(
        'v', int(level) if level.isdecimal() else 0
    )  # how much is logged, as the core reads it
    for name, text in os.environ.items():
        if name.startswith('FLAGS_') and not _core.has_flag(name):
            _core.define_flag(name, text)


_define()


def _converted(name, value, old):
    """`value` as the type the flag has; another kind of value is refused."""
    takes = {
        bool: (bool, int, type(None)),
        int: (bool, int),
        float: (bool, int, float),
        str: str,
    }.get(type(old))
    if takes is None:
        return value
    if not isinstance(value, takes):
        raise RuntimeError(
            f'[set_flags] expected {type(old).__name__} for {name}, got {type(value).__name__} '
            f'{value!r}'
        )
    return type(old)(value)


def get_flags(flags):
    """{name: value} of one flag or a list of flags.

    Args:
        flags (str or list of strs): The names.

    Returns:
        dict: the values, by name.

    Examples:
        >>> paddle.get_flags("FLAGS_check_nan_inf")
        {'FLAGS_check_nan_inf': False}
    """
    if isinstance(flags, str):
        names = [flags]
    elif isinstance(flags, (list, tuple)):
        names = list(flags)
    else:
        raise TypeError(
            f"[get_flags] expected a name or a list of names, got {type(flags).__name__}"
        )
    return {name: _core.get_flag(name) for name in names}


def set_flags(flags):
    """Set flags from a dict {name: value}; an unknown name is an error.

    Args:
        flags (dict): The values, by name.

    Returns:
        None.

    Raises:
        ValueError: There is no such flag.

    Examples:
        >>> paddle.set_flags({"FLAGS_check_nan_inf": True})
        >>> paddle.get_flags(["FLAGS_check_nan_inf"])
        {'FLAGS_check_nan_inf': True}
        >>> paddle.set_flags({"FLAGS_check_nan_inf": False})
    """
    if not isinstance(flags, dict):
        raise TypeError(f"[set_flags] expected a dict, got {type(flags).__name__}")
    for name, value in flags.items():
        if not _core.has_flag(name):
            raise ValueError(f"[set_flags] expected a known flag, got {name!r}")
        value = _converted(name, value, _core.get_flag(name))
        _core.define_flag(name, value)
        _say_kept(name, value)
