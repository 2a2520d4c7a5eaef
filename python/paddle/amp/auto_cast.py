# SPDX-License-Identifier: Apache-2.0
"""Autocasting of operations and casting of models."""

import warnings

import paddle
from paddle.base import libpaddle as _core

from .amp_lists import black_list, core_names, white_list

__all__ = [
    'auto_cast',
    'amp_guard',
    'autocast',
    'decorate',
    'amp_decorate',
    'is_autocast_enabled',
    'get_autocast_dtype',
    'get_autocast_cpu_dtype',
    'get_autocast_gpu_dtype',
]

_LEVELS = {'O0': 0, 'O1': 1, 'O2': 2, 'OD': 3}
_LOW = 4  # O2 without promotion


def _lists(custom_white, custom_black, level, dtype):
    for name, value in (('custom_white_list', custom_white), ('custom_black_list', custom_black)):
        if value is not None and not isinstance(value, (set, list, tuple, frozenset)):
            raise TypeError(
                f"[auto_cast] expected {name} to be a set of names, got {type(value).__name__}"
            )
    custom_white, custom_black = set(custom_white or ()), set(custom_black or ())
    if custom_white & custom_black:
        raise ValueError(
            "[auto_cast] expected custom lists without an op in both, got "
            f"{sorted(custom_white & custom_black)}"
        )
    white, black = white_list()[dtype][level], black_list()[dtype][level]
    white = (core_names(white) - core_names(custom_black)) | core_names(custom_white)
    black = (core_names(black) - core_names(custom_white)) | core_names(custom_black)
    return white, black - white


def amp_state():
    """The arguments of the innermost `auto_cast` around, None outside."""
    scope = auto_cast.innermost()
    return None if scope is None else dict(scope._options)


class auto_cast(_core.AmpScope):
    """Inside, operations run in `dtype` where that is safe.

    Operations of the white list run in `dtype`, those of the black list in float32, all others in
    float32 if an input has it, else in `dtype`. O2 has a shorter black list; without `use_promote`
    all but the black list runs in `dtype`. OD runs all but the white list in float32. A context
    manager and a decorator, for the thread that enters it. Raises ValueError for an unknown level
    or dtype, or overlapping lists.
    """

    def __init__(
        self,
        enable=True,
        custom_white_list=None,
        custom_black_list=None,
        level='O1',
        dtype='float16',
        use_promote=True,
    ):
        level = level.upper() if isinstance(level, str) else level
        if level not in _LEVELS:
            raise ValueError(f"[auto_cast] expected level 'O0', 'OD', 'O1' or 'O2', got {level!r}")
        dtype = str(dtype).rsplit('.', 1)[-1].lower()
        if enable and dtype not in ('float16', 'bfloat16'):
            raise ValueError(f"[auto_cast] expected dtype 'float16' or 'bfloat16', got {dtype!r}")
        if not enable or level == 'O0':
            super().__init__(0, 'float16', [], [])
        else:
            white, black = _lists(custom_white_list, custom_black_list, level, dtype)
            low = level == 'O2' and not use_promote
            super().__init__(_LOW if low else _LEVELS[level], dtype, list(white), list(black))
        self._options = {
            'enable': enable,
            'custom_white_list': custom_white_list,
            'custom_black_list': custom_black_list,
            'level': level,
            'dtype': dtype,
            'use_promote': use_promote,
        }

    def __call__(self, func):
        import functools

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            with self:
                return func(*args, **kwargs)

        return wrapper


amp_guard = auto_cast


def _current(device_type):
    """Whether None or `device_type`, such as 'cpu' or 'cuda', is the kind of the current device;
    TypeError unless it is a string.
    """
    if device_type is None:
        return True
    if not isinstance(device_type, str):
        raise TypeError(
            f"[autocast] expected device_type to be a string, got {type(device_type).__name__}"
        )
    kind = device_type.split(':')[0].lower()
    return {'cuda': 'gpu'}.get(kind, kind) == paddle.device.get_device().split(':')[0]


def autocast(device_type, dtype='float16', enabled=True, cache_enabled=True):
    """`auto_cast` with the arguments of other frameworks: device first. Where that device is not
    the current one it has no effect, and a warning says so."""
    if enabled and not _current(device_type):
        warnings.warn(
            f"[autocast] has no effect: device_type is {device_type!r}, the current device "
            f"{paddle.device.get_device()!r}"
        )
        enabled = False
    return auto_cast(enable=enabled, dtype=dtype)


def is_autocast_enabled(device_type=None):
    """Whether an `auto_cast` is in force, on devices of this type."""
    return _current(device_type) and _core.get_amp_state()[0] != 0


def get_autocast_dtype(device_type=None):
    """The low-precision dtype in force, 'float16' or 'bfloat16'; float16 for a device that is not
    the current one.
    """
    return (
        'float16' if not _current(device_type) else str(_core.get_amp_state()[1]).rsplit('.', 1)[-1]
    )


def get_autocast_cpu_dtype(device_type=None):
    """The low-precision dtype in force on the CPU."""
    return get_autocast_dtype(device_type)


def get_autocast_gpu_dtype(device_type=None):
    """The low-precision dtype in force on the GPU."""
    return get_autocast_dtype(device_type)


def _many(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _skipped(excluded):
    """(layer objects, layer types) that stay in float32."""
    layers, types = set(), ()
    if excluded is None:
        return layers, types
    for item in _many(excluded):
        if isinstance(item, type):
            types += (item,)
        elif isinstance(item, paddle.nn.Layer):
            layers.update(id(sub) for sub in item.sublayers(include_self=True))
        else:
            raise TypeError(
                "[decorate] expected excluded_layers to be layers or classes of layers, got "
                f"{type(item).__name__}"
            )
    return layers, types


def _cast_model(model, dtype, excluded):
    kept, types = _skipped(excluded)
    nn = paddle.nn
    norms = tuple(
        getattr(nn, name)
        for name in ('BatchNorm', 'BatchNorm1D', 'BatchNorm2D', 'BatchNorm3D', 'SyncBatchNorm')
        if hasattr(nn, name)
    )
    for layer in model.sublayers(include_self=True):
        if isinstance(layer, norms + types) or id(layer) in kept:
            continue
        if not getattr(layer, '_cast_to_low_precision', True):
            continue
        layer._convert(None, getattr(paddle, dtype), include_sublayers=False)


def decorate(
    models,
    optimizers=None,
    level='O1',
    dtype='float16',
    master_weight=None,
    save_dtype=None,
    master_grad=False,
    excluded_layers=None,
):
    """Prepare models and optimizers for `auto_cast`.

    At O2 parameters are cast to `dtype`, batch norms apart, and optimizers keep float32 master
    weights (unless `master_weight` is False). With `master_grad`, the gradients that `backward`
    leaves in them are float32. `save_dtype` is the dtype of `state_dict` entries.
    Returns what it was given.
    """
    level = level.upper() if isinstance(level, str) else level
    if level not in ('O0', 'OD', 'O1', 'O2'):
        raise ValueError(f"[decorate] expected level 'O0', 'OD', 'O1' or 'O2', got {level!r}")
    if dtype not in ('float16', 'bfloat16'):
        raise ValueError(f"[decorate] expected dtype 'float16' or 'bfloat16', got {dtype!r}")
    many_models, many_optimizers = _many(models), [] if optimizers is None else _many(optimizers)
    for model in many_models:
        if not isinstance(model, paddle.nn.Layer):
            raise TypeError(f"[decorate] expected models to be layers, got {type(model).__name__}")
    for optimizer in many_optimizers:
        if not isinstance(getattr(optimizer, '_inner_opt', optimizer), paddle.optimizer.Optimizer):
            raise TypeError(
                "[decorate] expected optimizers to be one optimizer or a list of them, got "
                f"{type(optimizer).__name__}"
            )
    if level == 'O2':
        for model in many_models:
            _cast_model(model, dtype, excluded_layers)
            if master_grad:
                for parameter in model.parameters():
                    if not parameter.stop_gradient and parameter.dtype == getattr(paddle, dtype):
                        parameter.register_post_accumulate_grad_hook(_keep_in_float32)
        for optimizer in many_optimizers:
            if hasattr(optimizer, '_multi_precision'):
                optimizer._multi_precision = master_weight is not False
                optimizer._plan = None
        if save_dtype is not None:
            if save_dtype not in ('float16', 'bfloat16', 'float32', 'float64'):
                raise ValueError(
                    "[decorate] expected save_dtype 'float16', 'bfloat16', 'float32' or "
                    f"'float64', got {save_dtype!r}"
                )
            for model in many_models:
                for layer in model.sublayers(include_self=True):
                    layer.register_state_dict_hook(_SaveDtype(save_dtype))
    return models if optimizers is None else (models, optimizers)


amp_decorate = decorate


def _keep_in_float32(parameter):
    if parameter.grad.dtype != paddle.float32:
        parameter.grad = parameter.grad.astype('float32')


class _SaveDtype:
    """State-dict hook that casts floating entries."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __call__(self, state):
        for key in list(state):
            value = state[key]
            name = str(value.dtype).rsplit('.', 1)[-1]
            if name in ('float16', 'bfloat16', 'float32', 'float64') and name != self.dtype:
                with paddle.no_grad():
                    cast = value.astype(self.dtype)
                cast.name = value.name
                state[key] = cast
