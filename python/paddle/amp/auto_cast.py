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
    float32 if an input has it, else in `dtype`. A context manager and a decorator, for the thread
    that enters it.

    Args:
        enable (bool, default True): Whether anything happens.
        custom_white_list (list of strs, default None): Operations that join the white list.
        custom_black_list (list of strs, default None): Operations that join the black list.
        level (str, default 'O1'): `O1`; `O2`, with a shorter black list; `OD`, where all but the
            white list runs in float32; `O0`, nothing.
        dtype (str or dtype, default 'float16'): `float16` or `bfloat16`.
        use_promote (bool, default True): Whether float32 inputs make an operation run in it; else
            all but the black list runs in dtype.

    Returns:
        context manager: it restores what was before on leaving.

    Raises:
        ValueError: level or dtype is unknown, or the lists overlap.

    Examples:
        >>> x = paddle.ones([2, 2])
        >>> with paddle.amp.auto_cast(dtype="bfloat16"):
        ...     print((x @ x).dtype, paddle.exp(x).dtype)
        paddle.bfloat16 paddle.float32
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
    """`auto_cast` with the arguments of other frameworks.

    Args:
        device_type (str): The device; where it is not the current one, nothing happens, and a
            warning says so.
        dtype (str or dtype, default 'float16'): `float16` or `bfloat16`.
        enabled (bool, default True): Whether anything happens.
        cache_enabled (bool, default True): Taken for compatibility; it has no effect.

    Returns:
        context manager: inside, operations run in dtype where that is safe.

    Examples:
        >>> x = paddle.ones([2, 2])
        >>> with paddle.autocast("cpu", "bfloat16"):
        ...     print((x @ x).dtype)
        paddle.bfloat16
    """
    if enabled and not _current(device_type):
        warnings.warn(
            f"[autocast] has no effect: device_type is {device_type!r}, the current device "
            f"{paddle.device.get_device()!r}"
        )
        enabled = False
    return auto_cast(enable=enabled, dtype=dtype)


def is_autocast_enabled(device_type=None):
    """Whether an `auto_cast` is in force, on devices of this type.

    Args:
        device_type (str, default None): The kind of device; None for the current one.

    Returns:
        bool: whether one is.

    Examples:
        >>> with paddle.amp.auto_cast():
        ...     inside = paddle.is_autocast_enabled()
        >>> inside, paddle.is_autocast_enabled()
        (True, False)
    """
    return _current(device_type) and _core.get_amp_state()[0] != 0


def get_autocast_dtype(device_type=None):
    """The low-precision dtype in force, 'float16' or 'bfloat16'; float16 for a device that is not
    the current one.

    Args:
        device_type (str, default None): The kind of device; None for the current one.

    Returns:
        str: the dtype.

    Examples:
        >>> with paddle.amp.auto_cast(dtype="bfloat16"):
        ...     print(paddle.get_autocast_dtype())
        bfloat16
    """
    return (
        'float16' if not _current(device_type) else str(_core.get_amp_state()[1]).rsplit('.', 1)[-1]
    )


def get_autocast_cpu_dtype(device_type=None):
    """The low-precision dtype in force on the CPU.

    Args:
        device_type (str, default None): Taken for compatibility; it has no effect.

    Returns:
        str: the dtype.

    Examples:
        >>> with paddle.amp.auto_cast(dtype="bfloat16"):
        ...     print(paddle.get_autocast_cpu_dtype())
        bfloat16
    """
    return get_autocast_dtype(device_type)


def get_autocast_gpu_dtype(device_type=None):
    """The low-precision dtype in force on the GPU.

    Args:
        device_type (str, default None): Taken for compatibility; it has no effect.

    Returns:
        str: the dtype.

    Examples:
        >>> paddle.get_autocast_gpu_dtype()
        'float16'
    """
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
    weights.

    Args:
        models (Layer or list of Layers): The models.
        optimizers (Optimizer or list of Optimizers, default None): Their optimizers.
        level (str, default 'O1'): `O1` or `O2`.
        dtype (str or dtype, default 'float16'): `float16` or `bfloat16`.
        master_weight (bool, default None): Whether float32 weights are kept; None at O2.
        save_dtype (str or dtype, default None): The dtype of `state_dict` entries; None for that of
            the parameters.
        master_grad (bool, default False): Whether the gradients that `backward` leaves are float32.
        excluded_layers (Layer, type or list of Layers, default None): What is not cast.

    Returns:
        object: models, or (models, optimizers).

    Examples:
        >>> net = paddle.amp.decorate(paddle.nn.Linear(2, 2), level="O2", dtype="bfloat16")
        >>> net.weight.dtype
        paddle.bfloat16
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
