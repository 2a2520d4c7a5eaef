# SPDX-License-Identifier: Apache-2.0
"""Programs and the switches that decide where operations are recorded."""
import contextlib

from paddle.base import libpaddle as _core

_pir = _core.pir
Program = _pir.Program
Variable = _pir.Value

__all__ = ['Program', 'Variable', 'default_main_program', 'default_startup_program', 'program_guard', 'name_scope', 'device_guard',
           'data', 'cpu_places', 'cuda_places', 'xpu_places', 'create_parameter', 'create_global_var', 'enable_static',
           'disable_static']

_main, _startup = Program(), Program()
_enabled = False


def _static_mode():
    return _enabled


def enable_static():
    """Record the operations that follow into the default main program instead of running them."""
    global _enabled
    if not _enabled:
        _main._enter(1)
        _enabled = True


def disable_static(place=None):
    """Run the operations that follow at once; the opposite of `enable_static`."""
    global _enabled
    if _enabled:
        _pir._leave()
        _enabled = False


def default_main_program():
    """The program operations are recorded into."""
    return _main


def default_startup_program():
    """The program of initialisations. Parameters are initialised when they are made, so it stays empty."""
    return _startup


@contextlib.contextmanager
def recording(program, mode=1):
    """Record into `program`: mode 1 records only, mode 2 also runs every operation."""
    program._enter(mode)
    try:
        yield program
    finally:
        _pir._leave()


@contextlib.contextmanager
def running():
    """Run operations at once, also in static mode."""
    _pir._enter_run()
    try:
        yield
    finally:
        _pir._leave()


def keep(parameter):
    """Keep a parameter made while recording alive with the default main program, which may be all that uses it."""
    _main.__dict__.setdefault('_kept', []).append(parameter)


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    """Make `main_program` (and `startup_program`) the default; in static mode operations are recorded there."""
    global _main, _startup
    for program, name in ((main_program, 'main_program'), (startup_program, 'startup_program')):
        if not isinstance(program, Program) and not (program is None and name == 'startup_program'):
            raise TypeError(f"[program_guard] expected {name} to be a paddle.static.Program, got {type(program)}")
    old = _main, _startup
    _main, _startup = main_program, startup_program or _startup
    try:
        if _enabled:
            with recording(main_program):
                yield
        else:
            yield
    finally:
        _main, _startup = old


@contextlib.contextmanager
def name_scope(prefix=None):
    """Group operations under a name; only readers of the source see it."""
    yield


@contextlib.contextmanager
def device_guard(device=None):
    """Ask for the device of the operations made inside; this build has one device."""
    yield


def data(name, shape, dtype=None, lod_level=0):
    """An input of the program: extents of -1 or None are given when it runs.

    Raises RuntimeError outside static mode and ValueError for extents below -1.
    """
    import paddle
    if not isinstance(name, str):
        raise TypeError(f"[data] expected a string as name, got {type(name)}")
    if _pir._record_mode() == 0:
        raise RuntimeError("[data] expected static mode (paddle.enable_static()), got dynamic mode")
    extents = [-1 if d is None else int(d) for d in shape]
    return _main._data(name, extents, paddle.get_default_dtype() if dtype is None else dtype)


def cpu_places(device_count=None):
    """A list of `device_count` CPU places (default: 1, or CPU_NUM of the environment)."""
    import os
    return [_core.CPUPlace()] * int(device_count or os.environ.get('CPU_NUM', 1))


def cuda_places(device_ids=None):
    """The GPU places of this build: none."""
    return []


xpu_places = cuda_places


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A parameter of the given shape and dtype, initialised at once."""
    from paddle.base import framework
    return framework.create_parameter(shape, dtype, name, attr, is_bias, default_initializer)


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A tensor filled with `value` that the program reads and writes."""
    import paddle
    with running():
        var = paddle.full(shape, value, dtype)
    var.persistable = persistable
    if name:
        var.name = name
    return var


from paddle.static import block as _block  # noqa: E402

_block.install(Program)
