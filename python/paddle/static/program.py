# SPDX-License-Identifier: Apache-2.0
"""Programs and the switches that decide where operations are recorded."""

import contextlib

from paddle.base import libpaddle as _core
from paddle.base.arguments import integer

_pir = _core.pir
Program = _pir.Program
Variable = _pir.Value

__all__ = [
    'Program',
    'Variable',
    'cpu_places',
    'create_global_var',
    'create_parameter',
    'cuda_places',
    'data',
    'default_main_program',
    'default_startup_program',
    'device_guard',
    'disable_static',
    'enable_static',
    'name_scope',
    'program_guard',
    'xpu_places',
]

_main, _startup = Program(), Program()
_enabled = False
_leave = _pir.RecordScope(None).__exit__  # of the scope entered last
# what the mode switches put on the recorder's stack since the innermost program_guard: 'record',
# 'run' or nothing
_pushed = None


def _static_mode():
    return _enabled


def enable_static():
    """Record the operations that follow into the default main program instead of running them.

    Returns:
        None.

    Examples:
        >>> paddle.enable_static()
        >>> paddle.in_dynamic_mode()
        False
    """
    global _enabled, _pushed
    if not _enabled:
        enter = _pir.RecordScope(_main).__enter__
        # What is noted is what a signal handler's exception finds, too: it comes after the call
        # that changes the mode.
        if _pushed == 'run':
            _pushed, _enabled = None, True
            _leave()
        else:
            _pushed, _enabled = 'record', True
            enter()
        proceed(_main)


def disable_static(place=None):
    """Run the operations that follow at once, as at the start; the opposite of `enable_static`.

    Args:
        place (Place or str, default None): A device, which becomes the current one.

    Returns:
        None.

    Examples:
        >>> paddle.enable_static()
        >>> paddle.disable_static()
        >>> (paddle.ones([2]) + 1.0).tolist()
        [2.0, 2.0]
    """
    global _enabled, _pushed
    if _enabled:
        pause(_main)
        enter = _pir.RecordScope(None).__enter__
        if _pushed == 'record':
            _pushed, _enabled = None, False
            _leave()
        else:
            _pushed, _enabled = 'run', False
            enter()
    if place is not None:
        _core.set_current_place(_core.to_place(place))


def default_main_program():
    """The program that operations are recorded into.

    Returns:
        Program: that of the innermost `program_guard`, or the one that lasts as long as the
            process.

    Examples:
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     paddle.static.default_main_program() is main
        True
    """
    return _main


def default_startup_program():
    """The program of initialisations: running it gives parameters and state their first values.

    It holds no operations.

    Returns:
        Program: that of the innermost `program_guard`, or the one that lasts as long as the
            process.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     paddle.static.default_startup_program() is startup
        True
    """
    return _startup


def switch(main=None, startup=None):
    """Make a program the default main or startup program; returns the one before."""
    global _main, _startup
    given, name = (startup, 'startup') if main is None else (main, 'main')
    if not isinstance(given, Program):
        raise TypeError(
            f"[switch_{name}_program] expected a paddle.static.Program, got {type(given).__name__}"
        )
    if main is None:
        old, _startup = _startup, startup
        return old
    old = _main
    if _enabled:
        pause(old)
        _leave()
        _pir.RecordScope(main).__enter__()
        proceed(main)
    _main = main
    return old


def recording(program):
    """A context manager: operations inside are recorded into `program`."""
    return _pir.RecordScope(program)


def running():
    """A context manager: operations inside run at once, also in static mode; tensors the program
    being recorded writes show their data."""
    if _enabled:
        pause(_main)
    return _pir.RecordScope(None)


def keep(parameter):
    """Keep a parameter made while recording alive with the default main program, which may be all
    that uses it.
    """
    _main.__dict__.setdefault('_kept', []).append(parameter)


def pause(program):
    """Note which tensors with data the program writes: runs bring them up to date. Before another
    program is recorded.
    """
    writes = program.__dict__.setdefault('_writes', {})
    for tensor, value in _pir._settle(program):
        writes[id(tensor)] = (tensor, value)


def proceed(program):
    """Tensors the program wrote stand for the values written again, for the operations that
    follow.
    """
    for tensor, value in program.__dict__.get('_writes', {}).values():
        _pir._resume(tensor, value)


def writes(program):
    """[(tensor with data, value the program writes to it)]."""
    pause(program)
    return list(program.__dict__['_writes'].values())


def initialised(startup):
    """Tensors by name that running `startup` initialises."""
    from paddle.static import startup as _initial

    return _initial.tensors(startup)


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    """Make programs the default ones inside; in static mode operations are recorded there.

    Args:
        main_program (Program): The program that operations are recorded into.
        startup_program (Program, default None): The program of initialisations; None for the one
            that is the default.

    Returns:
        context manager: afterwards the programs before it are the default again.

    Raises:
        TypeError: One of them is no Program.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 4])
        ...     y = paddle.nn.functional.relu(x)
        >>> [op.name() for op in main.global_block().ops]
        ['pd_op.data', 'pd_op.relu']
    """
    global _main, _startup, _pushed
    for program, name in ((main_program, 'main_program'), (startup_program, 'startup_program')):
        if not isinstance(program, Program) and not (program is None and name == 'startup_program'):
            raise TypeError(
                f"[program_guard] expected {name} to be a paddle.static.Program, got "
                f"{type(program).__name__}"
            )
    old, static = (_main, _startup, _pushed), _enabled
    if static:
        pause(_main)
    try:
        with recording(main_program) if static else contextlib.nullcontext():
            _main, _startup, _pushed = main_program, startup_program or _startup, None
            try:
                if static:
                    proceed(main_program)
                yield
            finally:
                if main_program.__dict__.pop('_moved', False):
                    _core.pir._reset_insertion_point(main_program, False)
                if _enabled:
                    pause(_main)
                left, _pushed = _pushed, None
                if left:
                    _leave()
    finally:
        _main, _startup, _pushed = old
        if static != _enabled:  # the mode was switched inside, and stays so
            _keep_mode(static)
        elif static:
            proceed(_main)


def _keep_mode(before):
    global _enabled
    _enabled = before
    if before:
        disable_static()
    else:
        enable_static()


_scopes = []  # names of the scopes that operations are recorded in, from the outermost


@contextlib.contextmanager
def name_scope(prefix=None):
    """Group the operations that are recorded inside under a name: their attribute `op_namescope`.

    Passes that quantise programs leave scopes alone whose names they are told.

    Args:
        prefix (str, default None): The name; None for none.

    Returns:
        context manager: one that names operations when it ends.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     with paddle.static.name_scope("encoder"):
        ...         x = paddle.exp(paddle.static.data("x", [2]))
        >>> main.global_block().ops[-1].attrs()["op_namescope"]
        '/encoder/'
    """
    if not _enabled or prefix is None:
        yield
        return
    program, before = _main, _main._last_id()
    _scopes.append(str(prefix))
    try:
        yield
    finally:
        path = f"/{'/'.join(_scopes)}/"
        _scopes.pop()
        for op in program._operations_since(before):
            if op.name().startswith('pd_op.') and not op.has_attr('op_namescope'):
                op.set_str_attr('op_namescope', path)


@contextlib.contextmanager
def device_guard(device=None):
    """Name the device of the operations made inside; they all run on the device of the executor.

    Args:
        device (str, default None): `cpu`, `gpu`, `xpu`, `dcu` or that of a plugin, with or without
            a number as in `gpu:0`.

    Returns:
        context manager: one that checks the name.

    Raises:
        ValueError: An unknown device.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main), paddle.static.device_guard("cpu"):
        ...     x = paddle.static.data("x", [2])
    """
    kind = str(device or 'cpu').split(':')[0]
    if kind not in ('cpu', 'gpu', 'xpu', 'dcu', *_core.get_all_custom_device_type()):
        raise ValueError(
            f"[device_guard] expected device 'cpu', 'gpu', 'xpu', 'dcu' or that of a plugin, got "
            f"{device!r}"
        )
    yield


def data(name, shape, dtype=None, lod_level=0):
    """An input of the program being recorded.

    Args:
        name (str): Its name, for `feed`.
        shape (list or tuple of ints): The extents; None or -1 for those that are known when it
            runs.
        dtype (str or dtype, default None): The data type; None for the default one.
        lod_level (int, default 0): Levels of sequences that the rows have, for the functions
            `paddle.static.nn.sequence_*`; `feed` then has a `DenseTensor` with that many
            (`paddle.base.create_lod_tensor`), and the number of rows is known when it runs.

    Returns:
        Tensor: a value of the program.

    Raises:
        RuntimeError: Outside static mode.
        TypeError: name is no string.
        ValueError: An extent is below -1, or lod_level below 0.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3], "float32")
        >>> x.shape
        paddle.Size([-1, 3])
    """
    import paddle
    from paddle.static.input_spec import checked_extents

    levels = integer('data', 'lod_level', 0 if lod_level is None else lod_level)
    if not isinstance(name, str):
        raise TypeError(f"[data] expected a string as name, got {type(name).__name__}")
    if _pir._record_mode() == 0:
        raise RuntimeError("[data] expected static mode (paddle.enable_static()), got dynamic mode")
    extents = checked_extents(shape, 'data')
    if levels < 0 or (levels and not extents):
        raise ValueError(
            f"[data] expected lod_level of at least 0, and rows where it is above, got {levels} "
            f"and the shape {extents}"
        )
    if levels:
        extents = [-1, *extents[1:]]
    value = _main._data(name, extents, paddle.get_default_dtype() if dtype is None else dtype)
    value.name = name
    if levels:
        from paddle.static import lod

        lod.declare(_main, name, value, levels)
    return value


_MOST_PLACES = 1 << 20  # more than any machine has


def cpu_places(device_count=None):
    """Several times the CPU, for programs that divide a batch among places.

    Args:
        device_count (int, default None): How many; None for what the environment has as CPU_NUM, or
            1.

    Returns:
        list of CPUPlaces: device_count of them.

    Examples:
        >>> paddle.static.cpu_places(2)
        [Place(cpu), Place(cpu)]
    """
    import os

    count = int(os.environ.get('CPU_NUM', 1) if device_count is None else device_count)
    if count > _MOST_PLACES:
        raise ValueError(
            f'[cpu_places] expected device_count of at most {_MOST_PLACES}, got {count}'
        )
    return [_core.CPUPlace()] * count


def cuda_places(device_ids=None):
    """The GPUs of this process.

    Args:
        device_ids (int or list of ints, default None): Their numbers; None for all.

    Returns:
        list of CUDAPlaces: one for each.

    Raises:
        AssertionError: The build has no support of GPUs.

    Examples:
        >>> if paddle.is_compiled_with_cuda():
        ...     places = paddle.static.cuda_places([0])
    """
    from paddle import device

    if not device.is_compiled_with_cuda():
        raise AssertionError("[cuda_places] expected a build with CUDA, got one without")
    if isinstance(device_ids, int):
        device_ids = [device_ids]
    return [
        _core.CUDAPlace(i)
        for i in (range(device.device_count()) if device_ids is None else device_ids)
    ]


def xpu_places(device_ids=None):
    """The XPUs of this process: this build serves none.

    Args:
        device_ids (int or list of ints, default None): Their numbers.

    Returns:
        list: never.

    Raises:
        AssertionError: Always: there is no support of XPUs.

    Examples:
        >>> paddle.static.xpu_places()
        Traceback (most recent call last):
            ...
        AssertionError: [xpu_places] expected a build with XPU, got one without
    """
    raise AssertionError("[xpu_places] expected a build with XPU, got one without")


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A trainable parameter, initialised at once and again when the startup program runs.

    Args:
        shape (list or tuple of ints): The extents.
        dtype (str or dtype): The data type.
        name (str, default None): Its name; None for a new one.
        attr (ParamAttr, default None): Further attributes, as initializer, learning rate and
            regularizer.
        is_bias (bool, default False): Whether it is a bias: then zeros are the first value where no
            initializer is given.
        default_initializer (Initializer, default None): The initializer where attr has none; None
            for Xavier's, or zeros of a bias.

    Returns:
        Tensor: the parameter.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.create_parameter([2, 2], "float32", is_bias=True)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> w.numpy().tolist()
        [[0.0, 0.0], [0.0, 0.0]]
    """
    from paddle.base import framework

    return framework.create_parameter(shape, dtype, name, attr, is_bias, default_initializer)


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """A tensor that the program reads and writes, and that lasts over its runs.

    Args:
        shape (list or tuple of ints): The extents.
        value (bool, int or float): What it is filled with, now and when the startup program runs.
        dtype (str or dtype): The data type.
        persistable (bool, default False): What its attribute `persistable` says.
        force_cpu (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): Its name; None for a new one.

    Returns:
        Tensor: the variable.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     steps = paddle.static.create_global_var([1], 0, "int64", persistable=True)
        ...     _ = paddle.increment(steps)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> for _ in range(3):
        ...     count = exe.run(main, fetch_list=[steps])[0]
        >>> count.tolist()
        [3]
    """
    import paddle
    from paddle.static import startup
    from paddle.utils import unique_name

    def create():
        return paddle.full(shape, value, dtype)

    with running():
        var = create()
    var.persistable = persistable
    var.name = name or unique_name.generate('global_var')
    if _enabled:
        keep(var)
        startup.add(_startup, var, create)
    return var


from paddle.static import block as _block

_block.install(Program)
