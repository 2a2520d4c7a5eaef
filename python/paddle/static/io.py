# SPDX-License-Identifier: Apache-2.0
"""Programs and parameters as files: `<prefix>.json` and `<prefix>.pdiparams`, the format of PaddlePaddle 3.3."""
import os

from paddle.base import libpaddle as _core
from paddle.static import program as _program

__all__ = ['save_inference_model', 'load_inference_model', 'normalize_program', 'serialize_program', 'deserialize_program',
           'serialize_persistables', 'deserialize_persistables', 'save_to_file', 'load_from_file']


def _list(values):
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _check(values, what):
    for v in values:
        if not isinstance(v, _core.Tensor):
            raise TypeError(f"[save_inference_model] expected {what} to be values of a program, got {type(v)}")
    return values


def normalize_program(program, feed_vars, fetch_vars, **kwargs):
    """The part of `program` that computes `fetch_vars` from `feed_vars`, as a new program with fetch operations."""
    if not isinstance(program, _program.Program):
        raise TypeError(f"[normalize_program] expected a paddle.static.Program, got {type(program)}")
    feeds, fetches = _check(_list(feed_vars), 'feed_vars'), _check(_list(fetch_vars), 'fetch_vars')
    return program._prune(feeds, fetches)


def save_inference_model(path_prefix, feed_vars, fetch_vars, executor, **kwargs):
    """Write the program that computes `fetch_vars` from `feed_vars` to `<path_prefix>.json`, its parameters to `.pdiparams`.

    Files are written beside and renamed. Raises ValueError when `path_prefix` is a directory.
    """
    path = os.path.abspath(os.fspath(path_prefix))
    if os.path.isdir(path):
        raise ValueError(f"'path_prefix' should not be a directory, but received {path_prefix!r}")
    program = normalize_program(kwargs.get('program') or _program.default_main_program(), feed_vars, fetch_vars)
    _write(program, path)


def _write(program, path):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    if program._parameter_names():
        program._save_params(path + '.pdiparams')
    program._save_json(path + '.json')


def _read(path):
    program = _core.pir._load_json(path + '.json')
    if program._parameter_names():
        program._load_params(path + '.pdiparams')
    feeds, fetches = [], []
    for op in program._operations():
        if op.name() == 'pd_op.data':
            feeds.append(op.attrs()['name'])
        elif op.name() == 'pd_op.fetch':
            fetches.append((op.attrs().get('col', len(fetches)), op.operand_source(0)))
        elif op.name() == 'builtin.shadow_output':
            fetches.append((len(fetches), op.operand_source(0)))
    return program, feeds, [v for _, v in sorted(fetches, key=lambda f: f[0])]


def load_inference_model(path_prefix, executor, **kwargs):
    """[program, names of its inputs, values it computes] from `<path_prefix>.json` and `.pdiparams`.

    Raises OSError for a missing file and ValueError for one that is damaged.
    """
    path = os.fspath(path_prefix)
    if not os.path.isfile(path + '.json'):
        raise FileNotFoundError(f"[load_inference_model] expected the file {path + '.json'}")
    program, feeds, fetches = _read(path)
    return [program, feeds, fetches]


def serialize_program(feed_vars, fetch_vars, **kwargs):
    """The pruned program as bytes."""
    program = kwargs.get('program') or _program.default_main_program()
    return normalize_program(program, feed_vars, fetch_vars)._to_json().encode()


def deserialize_program(data):
    """The program of `serialize_program`'s bytes."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        save_to_file(os.path.join(folder, 'p.json'), data)
        return _core.pir._load_json(os.path.join(folder, 'p.json'))


def serialize_persistables(feed_vars, fetch_vars, executor, **kwargs):
    """The parameters of the pruned program as bytes; None when it has none."""
    import tempfile
    program = normalize_program(kwargs.get('program') or _program.default_main_program(), feed_vars, fetch_vars)
    if not program._parameter_names():
        return None
    with tempfile.TemporaryDirectory() as folder:
        program._save_params(os.path.join(folder, 'p'))
        return load_from_file(os.path.join(folder, 'p'))


def deserialize_persistables(program, data, executor):
    """Give `program` the parameters of `serialize_persistables`' bytes."""
    import tempfile
    if data is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        save_to_file(os.path.join(folder, 'p'), data)
        program._load_params(os.path.join(folder, 'p'))


def save_to_file(path, content):
    """Write bytes to a file."""
    if not isinstance(content, bytes):
        raise ValueError(f"'content' type should be bytes, but received {type(content)}")
    with open(path, 'wb') as stream:
        stream.write(content)


def load_from_file(path):
    """The bytes of a file."""
    with open(path, 'rb') as stream:
        return stream.read()
