# SPDX-License-Identifier: Apache-2.0
"""Which mode is in effect, decorators that ask for one, and switches of programs and places: names
of `paddle.base.framework`.
"""

import contextlib
import functools
import random

import paddle
from paddle.base import libpaddle as _core
from paddle.tensor.attribute import (
    in_dygraph_mode,
    in_dynamic_mode,
    in_dynamic_or_pir_mode,
    in_pir_mode,
)

__all__ = [
    'cuda_pinned_places',
    'disable_signal_handler',
    'dtype_is_floating',
    'dtype_to_str',
    'dygraph_not_support',
    'dygraph_only',
    'fake_interface_only',
    'flag_guard',
    'generate_control_dev_var_name',
    'grad_var_name',
    'in_cinn_mode',
    'in_dygraph_mode',
    'in_dynamic_mode',
    'in_dynamic_or_pir_mode',
    'in_pir_executor_mode',
    'in_pir_mode',
    'non_static_only',
    'static_only',
    'switch_main_program',
    'switch_startup_program',
    'use_pir_api',
]

EMPTY_VAR_NAME, TEMP_VAR_NAME, ZERO_VAR_SUFFIX = '@EMPTY@', '@TEMP@', '@ZERO'
GRAD_VAR_SUFFIX, CONTROL_DEP_VAR_PREFIX = '@GRAD', '__control_var'


def use_pir_api():
    """True: programs are in the new IR."""
    return True


def in_pir_executor_mode():
    """False: no program of the old IR is run by the new executor."""
    return False


def in_cinn_mode():
    """Whether FLAGS_use_cinn asks for the compiler."""
    return bool(_core.get_flag('FLAGS_use_cinn')) if _core.has_flag('FLAGS_use_cinn') else False


def _required(allowed, text):
    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            if not allowed():
                raise AssertionError(text.format(func.__name__))
            return func(*args, **kwargs)

        return wrapper

    return decorate


dygraph_only = non_static_only = _required(
    in_dygraph_mode,
    "[{0}] expected dynamic mode, got static mode: call paddle.disable_static() before",
)
static_only = dygraph_not_support = fake_interface_only = _required(
    in_pir_mode, "[{0}] expected static mode, got dynamic mode: call paddle.enable_static() before"
)


@contextlib.contextmanager
def flag_guard(flag_name, flag_value):
    """Set one flag inside the block."""
    old = paddle.get_flags(flag_name)[flag_name]
    try:
        paddle.set_flags({flag_name: flag_value})
        yield
    finally:
        paddle.set_flags({flag_name: old})


def switch_main_program(program):
    """Make `program` the default main program; returns the one before."""
    from paddle.static import program as _program

    return _program.switch(main=program)


def switch_startup_program(program):
    """Make `program` the default startup program; returns the one before."""
    from paddle.static import program as _program

    return _program.switch(startup=program)


def grad_var_name(var_name):
    """The name of the gradient of a variable in programs of the old IR."""
    return var_name + GRAD_VAR_SUFFIX


def generate_control_dev_var_name():
    """A name for a variable that only orders operations."""
    return f'{CONTROL_DEP_VAR_PREFIX}@{random.random()}'


_SHORT = {
    'float16': 'fp16',
    'bfloat16': 'bf16',
    'float32': 'fp32',
    'float64': 'fp64',
    'int8': 'int8',
    'int16': 'int16',
    'int32': 'int32',
    'int64': 'int64',
    'bool': 'bool',
    'complex64': 'complex64',
    'complex128': 'complex128',
    'uint8': 'uint8',
}


def dtype_to_str(in_dtype):
    """'fp32' for paddle.float32, and so on."""
    from paddle.base.framework import dtype_name

    name = _SHORT.get(dtype_name(in_dtype))
    if name is None:
        raise TypeError(
            f"[dtype_to_str] expected a dtype that takes part in promotion, got {in_dtype}"
        )
    return name


def dtype_is_floating(dtype):
    """Whether a dtype, in any spelling, is a floating one."""
    from paddle.base.framework import dtype_name

    return dtype_name(dtype) in ('float16', 'bfloat16', 'float32', 'float64')


def disable_signal_handler():
    """Nothing to undo: this package installs no signal handlers."""


def cuda_pinned_places(device_count=None):
    """The pinned memory of the GPUs of this build; AssertionError where there is no GPU support."""
    if not paddle.is_compiled_with_cuda():
        raise AssertionError("[cuda_pinned_places] expected a build with CUDA, got one without")
    return [_core.CUDAPinnedPlace()] * int(device_count or 1)


def _current_expected_place():
    return _core.current_place()


_current_expected_place_ = _current_expected_place


def _set_expected_place(place):
    _core.set_current_place(place)


def _get_paddle_place(place):
    from paddle import device

    return device._convert_to_place(place.lower() if isinstance(place, str) else place)


@contextlib.contextmanager
def _dygraph_place_guard(place):
    old = _core.current_place()
    try:
        _core.set_current_place(place)
        yield
    finally:
        _core.set_current_place(old)


@contextlib.contextmanager
def _dygraph_guard(tracer):
    """Dynamic mode inside for a tracer, static mode for None."""
    from paddle.base.dygraph import guard

    if tracer is not None:
        with guard():
            yield
        return
    dynamic = in_dygraph_mode()
    try:
        if dynamic:
            paddle.enable_static()
        yield
    finally:
        if dynamic:
            paddle.disable_static()


def _static_guard():
    """Static mode inside."""
    return _dygraph_guard(None)


@contextlib.contextmanager
def dygraph_guard_if_declarative():
    """Nothing to leave: functions marked with `to_static` make their parameters in dynamic mode."""
    yield


@contextlib.contextmanager
def _no_check_dy2st_diff():
    """Nothing to silence inside: no difference between dynamic mode and programs is checked."""
    yield


_stride_in_no_check_dy2st_diff = _no_check_dy2st_diff


@contextlib.contextmanager
def vlog_guard(module_levels):
    """Log at a level (a number, or numbers by module: the highest counts) inside."""
    level = (
        max(module_levels.values(), default=0)
        if isinstance(module_levels, dict)
        else int(module_levels)
    )
    with flag_guard('FLAGS_v', level):
        yield


def _create_tensor(type=None, dtype=None, shape=None, name=None, persistable=None, **kwargs):
    """A tensor of zeros; of no elements unless a shape is given."""
    made = paddle.zeros([0] if shape is None else shape, dtype or 'float32')
    if name is not None:
        made.name = name
    made.persistable = bool(persistable)
    return made


def get_all_op_protos():
    """Declarations of all operations that can be appended."""
    from paddle.base.op_proto import OpProtoHolder

    return list(OpProtoHolder.instance().op_proto_map.values())


def _global_flags():
    from paddle.base import core

    return core.globals()


def _dygraph_tracer():
    return _TRACER if in_dygraph_mode() else None


class _Tracer:
    """What programs ask of the recorder of history in dynamic mode: whether it is on, and AMP's
    state.
    """

    @property
    def _has_grad(self):
        return _core.is_grad_enabled()

    @_has_grad.setter
    def _has_grad(self, on):
        _core.set_grad_enabled(bool(on))

    @property
    def _amp_level(self):
        from paddle.base import core

        return core.AmpLevel(_core.get_amp_state()[0])

    @property
    def _amp_dtype(self):
        level, dtype = _core.get_amp_state()[:2]
        return str(dtype).rsplit('.', 1)[-1] if level else 'float32'

    @property
    def _expected_place(self):
        return _core.current_place()


_TRACER = _Tracer()
