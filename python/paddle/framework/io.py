# SPDX-License-Identifier: Apache-2.0
"""paddle.save and paddle.load: pickles of numpy arrays, byte-compatible with PaddlePaddle's
`.pdparams`/`.pdopt`.
"""

import atexit
import collections
import contextlib
import copyreg
import io as _stdio
import json
import mmap
import os
import pickle
import threading
import warnings

import numpy as np

import paddle
from paddle import Tensor, _lazy
from paddle.base import libpaddle as _core
from paddle.base.interrupts import raised_by_handler

from . import dense_stream
from .output_file import OutputFile
from .unpickle import load_pickle, parse_error

__all__ = ['save', 'load', 'async_save', 'clear_async_save_task_queue']

_NAME_TABLE = 'StructuredToParameterName@@'
_BIG_TABLE = 'UnpackBigParamInfor@@'
_BIG_BYTES = 2**30 - 1


def _is_tensor(value):
    return isinstance(value, Tensor)


def _any(value, found):
    """Whether `found` holds for an element of nested containers."""
    if found(value):
        return True
    if isinstance(value, dict):
        return any(_any(v, found) for v in value.values())
    if isinstance(value, (list, tuple, set)):
        return any(_any(v, found) for v in value)
    return False


def _has_layer(value):
    from paddle.nn import Layer

    return _any(value, lambda v: isinstance(v, Layer))


def _to_numpy(tensor):
    array = tensor.numpy()
    return array if isinstance(array, np.ndarray) else np.asarray(array)


def _is_state_dict(obj):
    if not isinstance(obj, dict):
        return False
    for value in obj.values():
        if isinstance(value, dict):
            if any(_any(v, _is_tensor) for v in value.values()):
                return False
        elif not _is_tensor(value):
            return False
    return True


def _state_dict_content(state):
    content, names = {}, {}
    for key, value in state.items():
        if _is_tensor(value):
            content[key] = _to_numpy(value)
            names[key] = value.name
        else:
            content[key] = value
    content[_NAME_TABLE] = names
    return content


def _split_big(content, protocol):
    """Protocols 2 and 3 cannot hold arrays of a gigabyte: cut them in flat slices."""
    if not 1 < protocol < 4:
        return content
    cuts, parts = {}, {}
    for key, value in content.items():
        if isinstance(value, np.ndarray):
            most = int(_BIG_BYTES / value.dtype.itemsize)
            if value.size > most:
                flat = value.flatten()
                slices = []
                for i in range(0, value.size, most):
                    part = f'{key}@@.{len(slices)}'
                    slices.append(part)
                    parts[part] = flat[i : i + most]
                cuts[key] = {'OriginShape': value.shape, 'slices': slices}
    if not cuts:
        return content
    for key in cuts:
        content.pop(key)
    content.update(parts)
    content[_BIG_TABLE] = cuts
    return content


def _join_big(content):
    if not isinstance(content, dict) or _BIG_TABLE not in content:
        return content
    cuts = content.pop(_BIG_TABLE)
    for key, info in cuts.items():
        content[key] = np.concatenate([content.pop(part) for part in info['slices']]).reshape(
            info['OriginShape']
        )
    return content


def _reduce_tensor(tensor):
    return tuple, ((tensor.name, _to_numpy(tensor)),)


class _Pickler(pickle.Pickler):
    dispatch_table = copyreg.dispatch_table.copy()

    def reducer_override(self, obj):
        if isinstance(obj, Tensor):
            return _reduce_tensor(obj)
        return NotImplemented


def _writer(path):
    """A context that gives the stream to write for a checked target."""
    return contextlib.nullcontext(path) if isinstance(path, _stdio.BytesIO) else OutputFile(path)


def _check_target(path):
    if isinstance(path, _stdio.BytesIO):
        return path
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"[save] expected a path or a stream for bytes, got {type(path).__name__}")
    path = os.fspath(path)
    if os.path.basename(path) == '':
        raise ValueError(f"[save] expected a path that ends with a file's name, got {path!r}")
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    return path


def save(obj, path, protocol=4, **configs):
    """Save tensors, state dicts or nested containers of them to `path` (a file name or a
    BytesIO).

    `protocol` is the pickle protocol, 2 to 4; `use_binary_format=True` writes a single tensor in
    the `.pdiparams` record. A file is written beside and renamed, so a failed save leaves the old
    file; links are followed, permissions kept, pipes and devices written directly. Raises
    ValueError for a Layer, a bad protocol or a bad path, and OSError where the file cannot be
    written.

    Args:
        obj (object): Tensors, state dicts, or nested containers of them.
        path (str or BytesIO): Where to.
        protocol (int, default 4): The protocol of pickle, 2 to 4.
        **configs (object): `use_binary_format` for a single tensor.

    Returns:
        None: nothing.

    Examples:
        >>> state = {'w': paddle.to_tensor([1.0, 2.0])}
        >>> paddle.save(state, 'state.pdparams')
        >>> paddle.load('state.pdparams')['w'].tolist()
        [1.0, 2.0]
    """
    unknown = set(configs) - {'use_binary_format', 'pickle_protocol', 'safetensors'}
    if unknown:
        raise ValueError(f"[save] got an unexpected config {sorted(unknown)[0]!r}")
    path = _check_target(path)
    if 'pickle_protocol' in configs:
        protocol = configs['pickle_protocol']
        warnings.warn("[save] 'pickle_protocol' is an old name of 'protocol'")
    if isinstance(protocol, bool) or not isinstance(protocol, int):
        raise ValueError(f"[save] expected protocol to be an int, got {type(protocol).__name__}")
    if not 1 < protocol < 5:
        raise ValueError(f"[save] expected protocol 2, 3 or 4, got {protocol}")
    if configs.get('safetensors'):
        from .safetensors_file import save_safetensors

        with _writer(path) as stream:
            save_safetensors(obj, stream)
        return
    if configs.get('use_binary_format'):
        if not _is_tensor(obj):
            raise NotImplementedError(
                f"[save] expected a Tensor with use_binary_format=True, got {type(obj).__name__}"
            )
        with _writer(path) as stream:
            dense_stream.write_record(stream, _to_numpy(obj), str(obj.dtype).rsplit('.', 1)[-1])
        return
    if isinstance(obj, _core.pir.Program):
        from paddle.static.io import training_program

        with _writer(path) as stream:
            stream.write(training_program(obj))
        return
    if _has_layer(obj):
        raise ValueError(
            "[save] expected tensors and plain values, got a Layer: save its state_dict()"
        )
    if isinstance(obj, dict) and len(obj) == 0:
        warnings.warn("[save] the dict to be saved is empty")
    with _writer(path) as stream:
        if _is_state_dict(obj):
            pickle.dump(_split_big(_state_dict_content(obj), protocol), stream, protocol=protocol)
        else:
            _Pickler(stream, protocol).dump(obj)


def write_arrays(arrays, path, protocol=4):
    """A dict of NumPy arrays as a pickle at `path`, as `save` writes it."""
    with _writer(_check_target(path)) as stream:
        pickle.dump(_split_big(arrays, protocol), stream, protocol=protocol)


class _OneByOne(pickle.Pickler):
    """Writes tensors as arrays and keeps none of them in memory."""

    def __init__(self, stream):
        super().__init__(stream, 4)
        self.fast = True

    def reducer_override(self, obj):
        return _to_numpy(obj).__reduce__() if _is_tensor(obj) else NotImplemented


def write_tensors(tensors, path):
    """A dict of tensors at `path` as `save` writes it, with memory for one of them at a time."""
    content = dict(tensors)
    content[_NAME_TABLE] = {key: t.name for key, t in tensors.items()}
    with _writer(path) as stream:
        _OneByOne(stream).dump(content)


def mapped_arrays(path):
    """(dict of arrays in a file of `save`, a function that gives back the memory of what was read).
    Arrays are views of the file, read when they are used.
    """
    with open(path, 'rb') as stream:
        if os.fstat(stream.fileno()).st_size < 8:
            raise parse_error(path, 'it is too short')
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        view = memoryview(content)
        if _looks_pickled(bytes(view[:8])):
            arrays = _finish(load_pickle(stream, path, view), False, True)
        else:
            from .safetensors_file import load_safetensors

            arrays = load_safetensors(stream, path, True, view)
    if not isinstance(arrays, dict):
        raise parse_error(path, 'it holds no dict of tensors')
    return arrays, lambda: content.madvise(mmap.MADV_DONTNEED)


def _is_named(value):
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], np.ndarray)
    )


def _to_tensor(array, name=None):
    tensor = paddle.to_tensor(array)
    if name:
        tensor.name = name
    return tensor


def _convert(value, found, make):
    """Replace what `found` matches, anywhere in nested containers, keeping the containers'
    types.
    """
    if found(value):
        return make(value)
    if isinstance(value, collections.OrderedDict):
        return collections.OrderedDict((k, _convert(v, found, make)) for k, v in value.items())
    if isinstance(value, collections.defaultdict):
        return collections.defaultdict(
            value.default_factory, {k: _convert(v, found, make) for k, v in value.items()}
        )
    if isinstance(value, dict):
        return {k: _convert(v, found, make) for k, v in value.items()}
    if isinstance(value, list):
        return [_convert(v, found, make) for v in value]
    if isinstance(value, tuple):
        return tuple(_convert(v, found, make) for v in value)
    if isinstance(value, set):
        return {_convert(v, found, make) for v in value}
    return value


def _is_array(value):
    return isinstance(value, np.ndarray)


def _finish(content, keep_name_table, return_numpy):
    content = _join_big(content)
    table = None
    if isinstance(content, dict) and isinstance(content.get(_NAME_TABLE), dict):
        table = content[_NAME_TABLE] if keep_name_table else content.pop(_NAME_TABLE)
    if table is None and _any(content, _is_named):
        if return_numpy:
            return _convert(content, _is_named, lambda pair: pair[1])
        return _convert(content, _is_named, lambda pair: _to_tensor(pair[1], pair[0]))
    if return_numpy:
        return content
    if table:
        out = type(content)() if isinstance(content, dict) else content
        for key, value in content.items():
            if _is_array(value):
                out[key] = _to_tensor(value, table.get(key))
            else:
                out[key] = value if key == _NAME_TABLE else _convert(value, _is_array, _to_tensor)
        return out
    return _convert(content, _is_array, _to_tensor)


def _load_inference_params(prefix, model_filename, params_filename, return_numpy):
    """State dict of a model exported by jit.save: names from the program (`.json`, `.pdmodel`),
    tensors from `.pdiparams`.
    """
    model = model_filename or prefix + ('.json' if os.path.isfile(prefix + '.json') else '.pdmodel')
    params = params_filename or prefix + '.pdiparams'
    with open(model, 'rb') as stream:
        try:
            content = stream.read()
            if content.lstrip()[:1] == b'{':
                names = dense_stream.parameter_names(json.loads(content))
            else:
                variables = _core.pir._read_program_desc(content, model)[0]['vars']
                names = [
                    name for name, v in variables.items() if v['persistable'] and v['is_tensor']
                ]
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise parse_error(model, error) from None
    with open(params, 'rb') as stream:
        try:
            records = dense_stream.read_all(stream, names)
        except ValueError as error:
            raise parse_error(params, error) from None
    return {
        name: array if return_numpy else _to_tensor(array, name)
        for name, (array, _) in records.items()
    }


def _looks_pickled(head):
    return head[:1] == b'\x80'


def _load_stream(stream, source, keep_name_table, return_numpy):
    head = stream.read(8)
    stream.seek(0)
    if not head:
        raise EOFError(f"[load] expected a file with content, got {source}, which is empty")
    if _looks_pickled(head):
        content = load_pickle(stream, source)
        try:
            return _finish(content, keep_name_table, return_numpy)
        except MemoryError:
            raise
        except Exception as error:
            if raised_by_handler(error):
                raise
            raise parse_error(source, f"{type(error).__name__}: {error}") from None
    if len(head) == 8 and head[4:] == b'\0\0\0\0' and head[:4] == b'\0\0\0\0':
        try:
            array, _ = dense_stream.read_record(stream)
        except ValueError as error:
            raise parse_error(source, error) from None
        return array if return_numpy else _to_tensor(array)
    if len(head) == 8 and int.from_bytes(head, 'little') < 1 << 30:
        from .safetensors_file import load_safetensors

        return load_safetensors(stream, source, return_numpy)
    if head.startswith(b'{'):
        try:
            return _core.pir._load_json_text(stream.read())
        except ValueError as error:
            raise parse_error(source, error) from None
    raise parse_error(source, "it is neither a pickle nor a tensor record")


def load(path, **configs):
    """Load what `save` wrote, also PaddlePaddle's files; nothing in the file is executed.

    Args:
        path (str or BytesIO): The file, or the prefix of a saved model.
        **configs (object): `return_numpy=True` gives arrays; `keep_name_table=True` keeps the table
            of names of parameters.

    Returns:
        object: what was saved.

    Raises:
        ValueError: The path does not exist or the file is damaged.

    Examples:
        >>> paddle.save({"x": paddle.to_tensor([1.0, 2.0])}, "x.pdparams")
        >>> paddle.load("x.pdparams")["x"].tolist()
        [1.0, 2.0]
    """
    known = {'model_filename', 'params_filename', 'keep_name_table', 'return_numpy', 'safetensors'}
    for key in configs:
        if key not in known:
            from paddle._suggest import advice

            raise ValueError(f"[load] got an unexpected config {key!r}{advice(key)}")
    keep, as_numpy = (
        bool(configs.get('keep_name_table', False)),
        bool(configs.get('return_numpy', False)),
    )
    if isinstance(path, _stdio.BytesIO):
        return _load_stream(path, '<memory>', keep, as_numpy)
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"[load] expected a file name or BytesIO, got {type(path).__name__}")
    path = os.fspath(path)
    if os.path.isfile(path):
        with open(path, 'rb') as stream:
            return _load_stream(stream, path, keep, as_numpy)
    inside = {
        name: configs[name] for name in ('model_filename', 'params_filename') if configs.get(name)
    }
    if os.path.isdir(path) and inside:
        named = {k: os.path.join(path, v) for k, v in inside.items()}
        return _load_inference_params(
            path, named.get('model_filename'), named.get('params_filename'), as_numpy
        )
    if os.path.isfile(path + '.pdiparams') and any(
        os.path.isfile(path + end) for end in ('.json', '.pdmodel')
    ):
        return _load_inference_params(path, None, None, as_numpy)
    if os.path.isfile(path + '.pdparams'):
        with open(path + '.pdparams', 'rb') as stream:
            return _load_stream(stream, path + '.pdparams', keep, as_numpy)
    raise ValueError(
        f"[load] expected a file or a prefix of files, got {path!r}, where there is none"
    )


class _Saving(threading.Thread):
    """A save to `target` in the background; what it raised is kept for whoever waits for it."""

    def __init__(self, target, work, *args):
        super().__init__(name='paddle.async_save')
        self.saved_to, self.work, self.error = target, (work, args), None

    def run(self):
        try:
            work, args = self.work
            work(*args)
        except BaseException as error:
            self.error = error
        finally:
            self.work = work = args = None


_saving = []


def _failures(wait):
    """(target, error) of the saves that failed and nobody was told of; `wait`: for those that run,
    too.
    """
    failed = []
    for thread in list(_saving):
        if wait:
            thread.join()
        if not thread.is_alive():
            _saving.remove(thread)
            if thread.error is not None:
                failed.append((thread.saved_to, thread.error))
    return failed


def _tell(failed):
    """Warn of every failure but the first, which is raised."""
    for target, error in failed[1:]:
        warnings.warn(
            f"[async_save] saving {target} failed: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
    if failed:
        target, error = failed[0]
        raise RuntimeError(
            f"[async_save] expected {target} to be saved, got {type(error).__name__}: {error}"
        ) from error


@atexit.register
def _at_exit():
    for target, error in _failures(True):
        warnings.warn(
            f"[async_save] saving {target} failed: {type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=1,
        )


def clear_async_save_task_queue():
    """Wait until every `async_save` has finished. RuntimeError when one failed; its cause is the
    error.
    """
    _tell(_failures(True))


def async_save(obj, path, protocol=4, sync_other_task=False, **configs):
    """Save a dict of tensors in a thread; the tensors are copied before this returns. The process
    waits for it when it ends.

    RuntimeError when an earlier one failed (nothing is then saved by this call); a failure nobody
    was told of is a warning at exit.
    """
    if configs:
        raise ValueError(f"[async_save] got an unexpected config {sorted(configs)[0]!r}")
    if not isinstance(obj, dict):
        raise TypeError(f"[async_save] expected a dict of tensors, got {type(obj).__name__}")
    _tell(_failures(sync_other_task))
    save_in_background(path, save, _convert(obj, _is_tensor, _named_copy), path, protocol)


def save_in_background(target, work, *args):
    """work(*args), which saves to `target`, on a thread. `clear_async_save_task_queue` waits for
    it, and it or the next call that saves so raises what work raised.
    """
    thread = _Saving(target, work, *args)
    thread.start()
    _saving.append(thread)


def _named_copy(tensor):
    copy = tensor.detach().clone()
    copy.name = tensor.name
    return copy


def _parse_every_object(obj, condition_func, convert_func):
    """`obj` with what `condition_func` accepts, in lists, tuples, sets and dicts at any depth, as
    `convert_func` makes it.
    """
    if condition_func(obj):
        return convert_func(obj)
    if isinstance(obj, dict):
        return type(obj)(
            (k, _parse_every_object(v, condition_func, convert_func)) for k, v in obj.items()
        )
    if isinstance(obj, (list, tuple, set)):
        items = [_parse_every_object(v, condition_func, convert_func) for v in obj]
        return type(obj)(*items) if hasattr(obj, '_fields') else type(obj)(items)
    return obj


def _to_LodTensor(ndarray):
    from paddle.static.scope import DenseTensor

    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"[to_LodTensor] expected a NumPy array, got {type(ndarray).__name__}")
    made = DenseTensor()
    made.set(ndarray, paddle.CPUPlace())
    return made


def _save_dense_tensor(tensor, file_name):
    """Write the memory of a variable as a record of `.pdiparams`; returns how many bytes that
    is.
    """
    array = np.asarray(tensor)
    with _writer(file_name) as stream:
        dense_stream.write_record(stream, array)
    return os.path.getsize(file_name)


def _load_dense_tensor(file_name):
    """The memory of a variable with what a record holds."""
    with open(file_name, 'rb') as stream:
        try:
            array, _ = dense_stream.read_record(stream)
        except ValueError as error:
            raise parse_error(file_name, error) from None
    return _to_LodTensor(array)


def _transformed_from_lodtensor(obj):
    """Whether a pickled object is what tensors of programs are saved as: an array."""
    return isinstance(obj, np.ndarray)


_lazy.serve(globals())
