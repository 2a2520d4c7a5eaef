# SPDX-License-Identifier: Apache-2.0
"""Programs and parameters as files: `<prefix>.json` and `<prefix>.pdiparams`, the format of
PaddlePaddle 3.3; `.pdmodel` is read.
"""

import os
import tempfile
import warnings

from paddle.base import libpaddle as _core
from paddle.base.arguments import keywords
from paddle.static import program as _program

__all__ = [
    'save_inference_model',
    'load_inference_model',
    'normalize_program',
    'serialize_program',
    'deserialize_program',
    'serialize_persistables',
    'deserialize_persistables',
    'save_to_file',
    'load_from_file',
    'save',
    'load',
    'load_program_state',
    'set_program_state',
]


def _list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _check(op, name, values):
    for v in values:
        if not isinstance(v, _core.Tensor):
            raise TypeError(
                f"[{op}] expected {name} to be a value or a list of them, got {type(v).__name__}"
            )
    return values


def _get_valid_program(program=None, op="get_valid_program"):
    """`program`, the default main program for None, the program of a compiled one; TypeError for
    anything else.
    """
    from paddle.static.executor import CompiledProgram

    if program is None:
        return _program.default_main_program()
    program = (
        getattr(program, '_program', program) if isinstance(program, CompiledProgram) else program
    )
    return _check_program(op, program)


def _check_program(op, program):
    if not isinstance(program, _program.Program):
        raise TypeError(f"[{op}] expected a Program, got {type(program).__name__}")
    return program


def normalize_program(program, feed_vars, fetch_vars, **kwargs):
    """The part of a program that computes some values from some inputs, for evaluation: dropout and
    batch norms are in test mode.

    Args:
        program (Program): The program.
        feed_vars (Tensor or list of Tensors): The inputs.
        fetch_vars (Tensor or list of Tensors): The values.
        **kwargs (bool): `skip_prune_program`: whether all of the program is kept.

    Returns:
        Program: a new one that fetches the values.

    Raises:
        TypeError: program is no Program, or feed_vars or fetch_vars hold anything but values of
            one.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = x + 1.0
        ...     unused = paddle.exp(x)
        >>> pruned = paddle.static.normalize_program(main, [x], [y])
        >>> "pd_op.exp" in [op.name() for op in pruned.global_block().ops]
        False
    """
    keywords('normalize_program', kwargs, 'skip_prune_program')
    _check_program('normalize_program', program)
    feeds = _check('normalize_program', 'feed_vars', _list(feed_vars))
    fetches = _check('normalize_program', 'fetch_vars', _list(fetch_vars))
    if not kwargs.get('skip_prune_program', False):
        return program._prune(feeds, fetches).clone(for_test=True)
    copy = program.clone(for_test=True)
    for number, value in enumerate(fetches):
        copy._append_fetch(value, f'fetch_name_{number}', number)
    return copy


def save_inference_model(path_prefix, feed_vars, fetch_vars, executor, **kwargs):
    """Write a program and its parameters for inference, as `<path_prefix>.json` and `.pdiparams`.

    Files are written beside their place and renamed.

    Args:
        path_prefix (str or PathLike): The path without the ends.
        feed_vars (Tensor or list of Tensors): The inputs of what is written.
        fetch_vars (Tensor or list of Tensors): What it computes.
        executor (Executor): Taken for compatibility; it has no effect.
        **kwargs (object): `program`: the program, the default main program without it;
            `clip_extra` and `legacy_format`: no effect; `skip_prune_program`: whether all of the
            program is written, which then needs all of its inputs.

    Returns:
        None.

    Raises:
        ValueError: path_prefix is a directory.
        TypeError: An argument that is no value of a program.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 4])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> paddle.static.save_inference_model("model", [x], [y], exe, program=main)
        >>> import os
        >>> sorted(os.listdir())
        ['model.json', 'model.pdiparams']
    """
    keywords(
        'save_inference_model',
        kwargs,
        'program',
        'clip_extra',
        'legacy_format',
        'skip_prune_program',
    )
    if kwargs.get('legacy_format', False):
        warnings.warn(
            '[save_inference_model] legacy_format has no effect: programs are written as .json'
        )
    path = os.path.abspath(os.fspath(path_prefix))
    if os.path.isdir(path):
        raise ValueError(
            f"[save_inference_model] expected path_prefix to be no folder, got {path_prefix!r}"
        )
    program = normalize_program(
        kwargs.get('program') or _program.default_main_program(),
        feed_vars,
        fetch_vars,
        skip_prune_program=kwargs.get('skip_prune_program', False),
    )
    _write(program, path)


def _write(program, path):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    if program._parameter_names():
        program._save_params(path + '.pdiparams')
    program._save_json(path + '.json')


def _interface(program):
    """(program, names of its inputs, values it computes)."""
    feeds, fetches = [], []
    for op in program._operations():
        if op.name() == 'pd_op.data':
            feeds.append(op.attrs()['name'])
        elif op.name() == 'pd_op.fetch':
            fetches.append((op.attrs().get('col', len(fetches)), op.operand_source(0)))
        elif op.name() == 'builtin.shadow_output':
            fetches.append((len(fetches), op.operand_source(0)))
    return program, feeds, [v for _, v in sorted(fetches, key=lambda f: f[0])]


def _find(path):
    """The program file for the prefix `path` (or the file itself): `.json`, else the older
    `.pdmodel`; None without one.
    """
    known = ('.json', '.pdmodel')
    for name in [path] if path.endswith(known) else [path + end for end in known]:
        if os.path.isfile(name):
            return name
    return None


def _read(model, params=None):
    """(program, names of its inputs, values it computes) of a program file."""
    stem, end = os.path.splitext(model)
    beside = stem + '.pdiparams'
    if end == '.pdmodel' or not _is_json(model):
        from paddle.static import legacy_program

        if params is None and (end == '.pdmodel' or os.path.isfile(beside)):
            params = beside
        return legacy_program.read(model, params)
    params = beside if params is None else params
    program = _core.pir._load_json(model)
    program._load_params(params)
    return _interface(program)


def _is_json(path):
    """Whether a program file is of the newer kind: by its name, else by how it starts."""
    if os.fspath(path).endswith('.json'):
        return True
    with open(path, 'rb') as stream:
        return stream.read(64).lstrip()[:1] in (b'{', b'')


def _from_bytes(model, params):
    """The same from the bytes of both files."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'p')
        save_to_file(path + '.pdiparams', params or b'')
        if model.lstrip()[:1] != b'{':
            from paddle.static import legacy_program

            return legacy_program.read('<memory>', path + '.pdiparams', model)
        program = deserialize_program(model)
        program._load_params(path + '.pdiparams')
        return _interface(program)


def load_inference_model(path_prefix, executor, **kwargs):
    """Read a program for inference: `.json`, or the older `.pdmodel`, and `.pdiparams`.

    Parameters of a megabyte and more stay in the mapped file until they are used.

    Args:
        path_prefix (str or PathLike): The path without the ends. With file names below the
            directory they are in, or None when those are the bytes of the files.
        executor (Executor): Taken for compatibility; it has no effect.
        **kwargs (str or bytes): `model_filename` and `params_filename`, where the files have other
            names.

    Returns:
        list: the program, the names of its inputs, the list of values it computes.

    Raises:
        OSError: A file is missing.
        ValueError: A file is damaged, or another keyword is given.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(x, 1, weight_attr=paddle.nn.initializer.Constant(0.5))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> paddle.static.save_inference_model("model", [x], [y], exe, program=main)
        >>> program, names, values = paddle.static.load_inference_model("model", exe)
        >>> names
        ['x']
        >>> exe.run(program, feed={"x": [[1.0, 3.0]]}, fetch_list=values)[0].tolist()
        [[2.0]]
    """
    unknown = set(kwargs) - {'model_filename', 'params_filename'}
    if unknown:
        raise ValueError(
            f"[load_inference_model] got an unexpected keyword argument {sorted(unknown)[0]!r}"
        )
    model, params = kwargs.get('model_filename'), kwargs.get('params_filename')
    if path_prefix is None:
        for name, value in (('model_filename', model), ('params_filename', params)):
            if value is None:
                raise ValueError(
                    f"[load_inference_model] expected {name} for path_prefix=None, got None"
                )
        return list(_from_bytes(model, params))
    path = os.fspath(path_prefix)
    if model is None and params is None:
        found = _find(path)
        if found is None:
            raise FileNotFoundError(
                f"[load_inference_model] expected the file {path + '.json'} or {path + '.pdmodel'}"
            )
        return list(_read(found))
    model = os.path.join(path, '__model__' if model is None else model)
    if not os.path.isfile(model):
        raise FileNotFoundError(f"[load_inference_model] expected the file {model}")
    return list(_read(model, None if params is None else os.path.join(path, params)))


def serialize_program(feed_vars, fetch_vars, **kwargs):
    """The part of a program that computes some values, as bytes.

    Args:
        feed_vars (Tensor or list of Tensors): The inputs.
        fetch_vars (Tensor or list of Tensors): The values.
        **kwargs (Program): `program`: the program; the default main program without it.

    Returns:
        bytes: the content of the file that `save_inference_model` writes.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = x * 3.0
        >>> data = paddle.static.serialize_program([x], [y], program=main)
        >>> type(paddle.static.deserialize_program(data)).__name__
        'Program'
    """
    keywords('serialize_program', kwargs, 'program')
    program = kwargs.get('program') or _program.default_main_program()
    return normalize_program(program, feed_vars, fetch_vars)._to_json().encode()


def deserialize_program(data):
    """The program of the bytes that `serialize_program` gives.

    Args:
        data (bytes): The bytes.

    Returns:
        Program: without the values of its parameters; see `deserialize_persistables`.

    Raises:
        TypeError: data are no bytes.
        ValueError: The bytes are no program.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = x * 3.0
        >>> data = paddle.static.serialize_program([x], [y], program=main)
        >>> program = paddle.static.deserialize_program(data)
        >>> paddle.static.Executor().run(program, feed={"x": [1.0, 2.0]})[0].tolist()
        [3.0, 6.0]
    """
    if not isinstance(data, bytes):
        raise TypeError(f"[deserialize_program] expected bytes, got {type(data).__name__}")
    return _core.pir._load_json_text(data)


def serialize_persistables(feed_vars, fetch_vars, executor, **kwargs):
    """The parameters of the part of a program that computes some values, as bytes.

    Args:
        feed_vars (Tensor or list of Tensors): The inputs.
        fetch_vars (Tensor or list of Tensors): The values.
        executor (Executor): Taken for compatibility; it has no effect.
        **kwargs (Program): `program`: the program; the default main program without it.

    Returns:
        bytes: the content of a file `.pdiparams`; None where that part has no parameters.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(x, 1, weight_attr=paddle.nn.initializer.Constant(0.5))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> program = paddle.static.deserialize_program(
        ...     paddle.static.serialize_program([x], [y], program=main))
        >>> data = paddle.static.serialize_persistables([x], [y], exe, program=main)
        >>> paddle.static.deserialize_persistables(program, data, exe)
        >>> exe.run(program, feed={"x": [[1.0, 3.0]]})[0].tolist()
        [[2.0]]
    """
    keywords('serialize_persistables', kwargs, 'program')
    program = normalize_program(
        kwargs.get('program') or _program.default_main_program(), feed_vars, fetch_vars
    )
    if not program._parameter_names():
        return None
    with tempfile.TemporaryDirectory() as folder:
        program._save_params(os.path.join(folder, 'p'))
        return load_from_file(os.path.join(folder, 'p'))


def deserialize_persistables(program, data, executor):
    """Give a program the parameters of the bytes that `serialize_persistables` gives.

    Args:
        program (Program): The program.
        data (bytes): The bytes; None for no parameters.
        executor (Executor): Taken for compatibility; it has no effect.

    Returns:
        None.

    Raises:
        TypeError: program is no Program.
        ValueError: The bytes do not hold the program's parameters.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(x, 1, weight_attr=paddle.nn.initializer.Constant(2.0))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> program = paddle.static.deserialize_program(
        ...     paddle.static.serialize_program([x], [y], program=main))
        >>> data = paddle.static.serialize_persistables([x], [y], exe, program=main)
        >>> paddle.static.deserialize_persistables(program, data, exe)
        >>> [p.tolist() for p in program.state_dict().values()]
        [[[2.0], [2.0]], [0.0]]
    """
    _check_program('deserialize_persistables', program)
    if data is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        save_to_file(os.path.join(folder, 'p'), data)
        program._load_params(os.path.join(folder, 'p'))


def save_to_file(path, content):
    """Write bytes to a file, all or nothing.

    Args:
        path (str or PathLike): The path.
        content (bytes): The bytes.

    Returns:
        None.

    Raises:
        ValueError: content are no bytes.

    Examples:
        >>> paddle.static.save_to_file("data.bin", b"abc")
        >>> paddle.static.load_from_file("data.bin")
        b'abc'
    """
    if not isinstance(content, bytes):
        raise ValueError(
            f"[save_to_file] expected content to be bytes, got {type(content).__name__}"
        )
    from paddle.framework.output_file import write_file

    write_file(path, content)


def load_from_file(path):
    """The bytes of a file.

    Args:
        path (str or PathLike): The path.

    Returns:
        bytes: all of the file.

    Raises:
        OSError: The file is missing.

    Examples:
        >>> paddle.static.save_to_file("data.bin", b"abc")
        >>> paddle.static.load_from_file("data.bin")
        b'abc'
    """
    with open(os.fspath(path), 'rb') as stream:
        return stream.read()


def split_state(program):
    """Names of trained parameters, and of the other tensors the program keeps."""
    from paddle.base.framework import EagerParamBase

    values = program._parameters()
    trained = {n for n, v in values.items() if isinstance(v, EagerParamBase)}
    return {n: v for n, v in values.items() if n in trained}, {
        n: v for n, v in values.items() if n not in trained
    }


def save(program, model_path, protocol=4, **configs):
    """Write a program with its state, to go on training: `.pdparams`, `.pdopt` and `.json`.

    Args:
        program (Program): The program; its parameters go to `<model_path>.pdparams`, its other
            tensors to `.pdopt`, the program to `.json`.
        model_path (str or PathLike): The path without the ends.
        protocol (int, default 4): The protocol of pickle, 2 to 4.
        **configs (int): `pickle_protocol`, an older name of protocol.

    Returns:
        None.

    Raises:
        AssertionError: model_path ends with a separator.
        TypeError: program is no Program.
        ValueError: Another protocol.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(x, 1)
        >>> _ = paddle.static.Executor().run(startup)
        >>> paddle.static.save(main, "checkpoint")
        >>> import os
        >>> sorted(os.listdir())
        ['checkpoint.json', 'checkpoint.pdopt', 'checkpoint.pdparams']
    """
    from paddle.framework import io

    keywords('save', configs, 'pickle_protocol')
    protocol = configs.get('pickle_protocol', protocol)
    if protocol not in (2, 3, 4):
        raise ValueError(f"[save] expected 1 < protocol < 5, got {protocol!r}")
    _check_program('static.save', program)
    path = os.fspath(model_path)
    if os.path.basename(path) == '':
        raise AssertionError(
            f"[static.save] expected a path that ends with a file's name, got {model_path!r}"
        )
    parameters, others = split_state(program)
    for values, end in ((parameters, '.pdparams'), (others, '.pdopt')):
        io.write_arrays({n: v.numpy() for n, v in values.items()}, path + end, protocol)
    save_to_file(path + '.json', training_program(program))


def training_program(program):
    """The program as bytes of its file: what it keeps besides parameters is a persistable input
    there.
    """
    return program._state_json(set(split_state(program)[1])).encode()


def _make_parameters(program, arrays, trained):
    """Tensors for parameters of a program that was read without; those in `trained` are parameters
    to optimizers.
    """
    import paddle
    from paddle.base.framework import EagerParamBase

    declared = (
        {
            op.attrs()['parameter_name']: op.result(0)
            for op in program._operations()
            if op.name() == 'builtin.parameter'
        }
        if arrays
        else {}
    )
    made = {}
    for name, array in arrays.items():
        with _program.running():
            tensor = paddle.to_tensor(array)
        want = declared[name]
        if list(tensor.shape) != list(want.shape) or tensor.dtype != want.dtype:
            raise ValueError(
                f"[load] expected {name} to be {want.dtype}{list(want.shape)}, got "
                f"{tensor.dtype}{list(tensor.shape)}"
            )
        made[name] = EagerParamBase.from_tensor(tensor) if name in trained else tensor
        made[name].stop_gradient = want.stop_gradient
    for name, tensor in made.items():
        program._set_parameter(name, tensor)


def _states(model_path, others=True):
    import paddle

    path = os.fspath(model_path)
    for end in ('.pdparams', '.pdopt', '.pdmodel', '.json'):
        path = path[: -len(end)] if path.endswith(end) else path
    if not os.path.isfile(path + '.pdparams'):
        raise FileNotFoundError(2, 'No such file or directory', path + '.pdparams')
    found = paddle.load(path + '.pdparams', return_numpy=True)
    others = (
        paddle.load(path + '.pdopt', return_numpy=True)
        if others and os.path.isfile(path + '.pdopt')
        else {}
    )
    return {**found, **others}


def load(program, model_path, executor=None, var_list=None):
    """Give a program the state that `save` wrote.

    Args:
        program (Program): The program.
        model_path (str or PathLike): The path without the ends.
        executor (Executor, default None): Taken for compatibility; it has no effect.
        var_list (list of Tensors, default None): Only these variables; None for all of the program.

    Returns:
        None.

    Raises:
        OSError: The files are missing.
        RuntimeError: A variable of the program is not in them.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.create_parameter([2], "float32", is_bias=True)
        ...     y = w + 1.0
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> paddle.static.save(main, "checkpoint")
        >>> main.set_state_dict({w.name: paddle.to_tensor([5.0, 6.0])})
        >>> exe.run(main, fetch_list=[y])[0].tolist()
        [6.0, 7.0]
        >>> paddle.static.load(main, "checkpoint")
        >>> exe.run(main, fetch_list=[y])[0].tolist()
        [1.0, 1.0]
    """
    _check_program('static.load', program)
    state = _states(model_path)
    wanted = (
        {*program._parameters(), *program._parameter_names()}
        if var_list is None
        else {v.name for v in var_list}
    )
    missing = sorted(wanted - set(state))
    if missing:
        raise RuntimeError(
            f"[static.load] expected a value for {missing[0]!r} in {model_path!r}, got none"
        )
    have = program._parameters()
    _make_parameters(program, {n: state[n] for n in wanted - set(have)}, _states(model_path, False))
    set_program_state(program, {n: state[n] for n in wanted & set(have)})


def load_program_state(model_path, var_list=None):
    """The arrays that `save` wrote, by name.

    Args:
        model_path (str or PathLike): The path without the ends.
        var_list (list of Tensors, default None): Only the variables of these names; None for all.

    Returns:
        dict: arrays by name.

    Raises:
        OSError: The files are missing.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.create_parameter([2], "float32", "bias", is_bias=True)
        ...     y = w + 1.0
        >>> _ = paddle.static.Executor().run(startup)
        >>> paddle.static.save(main, "checkpoint")
        >>> {name: a.tolist() for name, a in paddle.static.load_program_state("checkpoint").items()}
        {'bias': [0.0, 0.0]}
    """
    state = _states(model_path)
    return (
        state if var_list is None else {v.name: state[v.name] for v in var_list if v.name in state}
    )


def set_program_state(program, state_dict):
    """Replace the tensors of a program by arrays of their names.

    Arrays of names that the program does not know are left out with a warning.

    Args:
        program (Program): The program.
        state_dict (dict): Arrays by name.

    Returns:
        None.

    Raises:
        TypeError: program is no Program.
        ValueError: An array has another shape or dtype.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.create_parameter([2], "float32", "weight")
        ...     y = w * 2.0
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> paddle.static.set_program_state(main, {"weight": np.array([1.0, 3.0], "float32")})
        >>> exe.run(main, fetch_list=[y])[0].tolist()
        [2.0, 6.0]
    """
    import warnings

    import numpy
    import paddle

    _check_program('set_program_state', program)
    have = program._parameters()
    ready = []
    for name in have.keys() & state_dict.keys():
        array, old = numpy.asarray(state_dict[name]), have[name]
        if list(array.shape) != list(old.shape):
            raise ValueError(
                f"[set_program_state] expected {name!r} of shape {list(old.shape)}, got "
                f"{list(array.shape)}"
            )
        with _program.running():
            new = paddle.to_tensor(array)
        if new.dtype != old.dtype:
            raise ValueError(
                f"[set_program_state] expected {name!r} of dtype {old.dtype}, got {new.dtype}"
            )
        ready.append((old, new))
    with _program.running():
        for old, new in ready:
            old.set_value(new)
    unused = sorted(state_dict.keys() - have.keys())
    if unused:
        warnings.warn(
            f"[set_program_state] values without a parameter are not used: {', '.join(unused)}"
        )


def _lasting(program, vars, predicate):
    """{name: tensor}, sorted, of a program: `vars`, given as tensors or names, or those that
    `predicate` accepts.
    """
    known = _get_valid_program(program, '_lasting')._parameters()
    if vars is None:
        names = [name for name, value in known.items() if predicate is None or predicate(value)]
    else:
        names = [v if isinstance(v, str) else v.name for v in vars]
    for name in names:
        if name not in known:
            raise ValueError(
                f"[vars] expected a variable of the program that lasts over runs, got {name!r}"
            )
    return {name: known[name] for name in sorted(names)}


def _files(chosen, dirname, filename):
    """(file, {name: tensor}) of what lies in files: each alone, or all in one."""
    if filename is not None:
        return [(os.path.join(dirname, filename), chosen)]
    return [(os.path.join(dirname, name), {name: value}) for name, value in chosen.items()]


def _check_executor(executor, op):
    from paddle.static.executor import Executor

    if not isinstance(executor, Executor):
        raise TypeError(f"[{op}] expected an Executor, got {type(executor).__name__}")


def save_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Write variables of a program that last over runs, as records of `.pdiparams`: each into a
    file of its name in `dirname`, or all, sorted by name, into one file. `vars` names them, or
    `predicate` chooses among all."""
    from paddle.framework import dense_stream
    from paddle.framework.io import _to_numpy
    from paddle.framework.output_file import OutputFile

    _check_executor(executor, 'save_vars')
    os.makedirs(dirname, exist_ok=True)
    with _program.running():
        for path, values in _files(_lasting(main_program, vars, predicate), dirname, filename):
            with OutputFile(path) as stream:
                for value in values.values():
                    dense_stream.write_record(
                        stream, _to_numpy(value), str(value.dtype).rsplit('.', 1)[-1]
                    )


def load_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Read what `save_vars` wrote, with the same arguments. ValueError where a shape or dtype is
    another.
    """
    _check_executor(executor, 'load_vars')
    with _program.running():
        for path, values in _files(_lasting(main_program, vars, predicate), dirname, filename):
            for (name, tensor), value in zip(
                values.items(), _core.pir._read_records(path, len(values))
            ):
                if list(tensor.shape) != list(value.shape) or tensor.dtype != value.dtype:
                    raise ValueError(
                        f"[load_vars] expected {name} to be {tensor.dtype}{list(tensor.shape)}, "
                        f"got {value.dtype}{list(value.shape)}"
                    )
                _core.pir._write_back(tensor, value)
