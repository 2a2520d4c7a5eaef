# SPDX-License-Identifier: Apache-2.0
"""Old ops that act when the program runs: they write and read files, print, call functions of users
and put beams together.

`DECLARED[kind](inputs, attrs, places)` gives {output: list of values}, where `places` are the
variables that receive them, or None: their results have the dtypes and shapes of these.
"""

import functools
import io

import numpy as np

import paddle
from paddle.base import libpaddle as _core
from paddle.base import tensor_files
from paddle.base.arguments import only
from paddle.framework.dense_stream import read_record
from paddle.static import lod
from paddle.static.legacy_rules import declared, first_of, rule
from paddle.static.steps import PRINTED

_pir = _core.pir


def _act(function, inputs, dtypes=(), shapes=()):
    """The tensors that `function(*tensors)` gives, when the program runs or now."""
    if _pir._record_mode() == 0:
        return function(*inputs)
    return _pir._py_func(_pir._register_py_func(function), inputs, list(dtypes), list(shapes))


# --- files


@rule('save')
def _save(inputs, attrs, append):
    def write(x):
        tensor_files.save_func(x, '', attrs['file_path'], attrs['overwrite'], attrs['save_as_fp16'])
        return []

    _act(write, inputs['X'][:1])
    return {}


@rule('save_combine')
def _save_combine(inputs, attrs, append):
    only('save_combine', 'it writes a file', save_to_memory=(attrs['save_to_memory'], False))

    def write(*tensors):
        tensor_files.save_combine_func(
            tensors,
            [''] * len(tensors),
            attrs['file_path'],
            attrs['overwrite'],
            attrs['save_as_fp16'],
        )
        return []

    _act(write, inputs['X'])
    return {}


def _read(kind, places, attrs, arrays):
    """Tensors of the arrays that `arrays()` reads. Their dtypes and shapes are known from what can
    be read now, else from the variables.
    """

    def read():
        found = arrays()
        return [
            paddle.to_tensor(a.astype('float16') if attrs['load_as_fp16'] else a) for a in found
        ]

    if _pir._record_mode() == 0:
        return read()
    try:
        now = read()
    except (OSError, RuntimeError):
        now = places
    for place in now:
        if place is None or place.shape is None or place.dtype is None:
            raise ValueError(
                f"[{kind}] expected a file that is there, or variables with shape and dtype, got "
                f"neither for {attrs['file_path']!r}"
            )
    dtypes, shapes = [p.dtype for p in now], [list(p.shape) for p in now]
    if now is places and attrs['load_as_fp16']:
        dtypes = ['float16'] * len(dtypes)

    def checked():
        try:
            made = read()
        except OSError as error:
            raise RuntimeError(f"[{kind}] expected a file that can be read, got {error}") from None
        for tensor, dtype in zip(made, dtypes):
            if tensor.dtype != dtype:
                raise ValueError(
                    f"[{kind}] expected a tensor of {dtype} in {attrs['file_path']!r}, got one of "
                    f"{tensor.dtype}"
                )
        return made

    return _act(checked, [], dtypes, shapes)


@declared('load')
def _load(inputs, attrs, places):
    def array():
        out = tensor_files.DenseTensor()
        tensor_files.load_func(attrs['file_path'], attrs['seek'], attrs['shape'], False, out)
        return [np.array(out)]

    return {'Out': _read('load', (places or {}).get('Out', [None]), attrs, array)[0]}


@declared('load_combine')
def _load_combine(inputs, attrs, places):
    places = (places or {}).get('Out', [])
    if not places:
        raise ValueError('[load_combine] expected variables as Out, got none')

    def arrays():
        path = attrs['file_path']
        with io.BytesIO(path) if attrs['model_from_memory'] else open(path, 'rb') as stream:
            found = [read_record(stream)[0] for _ in places]
            if stream.read(1):
                raise RuntimeError(
                    f"[load_combine] expected {len(places)} tensors, got a file that holds more"
                )
        return found

    return {'Out': _read('load_combine', places, attrs, arrays)}


# --- printing, and functions of users


@rule('print')
def _print(inputs, attrs, append):
    from paddle.static.nn.control_flow import Print

    given = {w: attrs[w] for w in PRINTED if attrs.get(w) is not None}
    return {'Out': Print(inputs['In'][0], **given, print_phase=attrs['print_phase'].lower())}


_functions = []


def append_function(function):
    """Keep a function that operations py_func call by the number returned."""
    if not callable(function):
        raise TypeError(f'[py_func] expected a function, got {type(function).__name__}')
    _functions.append(function)
    return len(_functions) - 1


def _function(number, what):
    if not 0 <= number < len(_functions):
        raise ValueError(
            f'[py_func] expected {what} to be a number that '
            f'core._append_python_callable_object_and_return_id gave, got {number}'
        )
    return _functions[number]


@declared('py_func')
def _py_func(inputs, attrs, places):
    from paddle.static.callbacks import py_func

    places = (places or {}).get('Out', [])
    xs = inputs['X']
    backward = attrs['backward_callable_id']
    named = {v.name: v for v in [*xs, *places]}
    unknown = set(attrs['backward_skip_vars']) - set(named)
    if unknown:
        raise ValueError(
            f'[py_func] expected backward_skip_vars to be names of X and Out, got {sorted(unknown)}'
        )

    def of_memory(function):
        @functools.wraps(function)
        def call(*tensors):
            made = function(*map(tensor_files.DenseTensor, tensors))
            return [t._held() if isinstance(t, tensor_files.DenseTensor) else t for t in made or ()]

        return call

    made = py_func(
        of_memory(_function(attrs['forward_callable_id'], 'forward_callable_id')),
        xs,
        places,
        None if backward < 0 else of_memory(_function(backward, 'backward_callable_id')),
        [named[name] for name in attrs['backward_skip_vars']],
    )
    return {'Out': made}


# --- beams


def _sentences(ids, scores, width, end):
    """Sentences of beams, from the last step back: for each source a list of (words, scores).

    `ids` and `scores` are of each step the values and both levels of its sequences.
    """
    sources = len(ids[0][1][0]) - 1
    found = [[([], []) for _ in range(width)] for _ in range(sources)]
    rows_of = [[] for _ in range(sources)]
    for (words, (outer, inner)), (values, _) in zip(reversed(ids), reversed(scores)):
        for sentences, rows, first, last in zip(found, rows_of, outer, outer[1:]):
            if not rows:  # ended and pruned at this step, or the last
                for row in range(first, last):
                    for at in range(inner[row], inner[row + 1]):
                        if len(rows) == width:
                            raise IndexError(
                                f'[beam_search_decode] expected at most {width} sentences of a '
                                f'source, beam_size, got more'
                            )
                        sentences[len(rows)][0].append(words[at])
                        sentences[len(rows)][1].append(values[at])
                        rows.append(row)
                continue
            for k, at in enumerate(rows):
                if words[at] != end or not sentences[k][0]:
                    sentences[k][0].append(words[at])
                    sentences[k][1].append(values[at])
                rows[k] = next(r for r in range(first, last) if at < inner[r + 1])
    for sentences in found:
        sentences.sort(key=lambda s: -s[1][0] if s[1] else float('inf'))
    return found


def _joined(ids, scores, width, end):
    found = _sentences(ids, scores, width, end)
    every = [sentence for sentences in found for sentence in sentences]
    words = [w for s in every for w in reversed(s[0])]
    values = [v for s in every for v in reversed(s[1])]
    outer = np.cumsum([0] + [len(sentences) for sentences in found])
    inner = np.cumsum([0] + [len(s[0]) for s in every])
    return words, values, outer, inner


def _steps_of(kind, value):
    """[(the tensor of a step, offset levels)] of an array, as what a program reads."""
    held = value.held()
    if value.is_rows():
        raise NotImplementedError(
            f'[{kind}] expected an array whose steps are known when the program is made, got one '
            f'that a loop wrote'
        )
    return [(t, lod.required(kind, 'steps', t)) for t in held]


def _in_scope(variable):
    """[(array, offsets)] of an array that the scope holds."""
    scope = paddle.static.global_scope()
    return [
        (np.array(t).reshape(-1).tolist(), t.lod())
        for t in scope.var(variable.name).get_dense_tensor_array()
    ]


@declared('beam_search_decode')
def _beam_search_decode(inputs, attrs, places):
    kind, width, end = 'beam_search_decode', attrs['beam_size'], attrs['end_id']
    given = first_of(inputs, 'Ids', 'Scores')
    values = [getattr(v, 'value', v) for v in given]
    if None in values:  # variables of a scope
        parts, read = [], lambda *tensors: [_in_scope(v) for v in given]
        dtype = 'float32'
    else:
        steps = [_steps_of(kind, v) for v in values]
        parts = [t for step in steps for t, levels in step for t in (t, *levels)]
        dtype = steps[1][0][0].dtype

        def read(*tensors):
            arrays = iter([t.numpy().reshape(-1).tolist() for t in tensors])
            return [[(next(arrays), [next(arrays), next(arrays)]) for _ in step] for step in steps]

    def decode(*tensors):
        words, scores, outer, inner = _joined(*read(*tensors), width, end)
        dtypes = 'int64', dtype, 'int64', 'int64'
        return [
            paddle.to_tensor(np.asarray(p), dtype=d)
            for p, d in zip((words, scores, outer, inner), dtypes)
        ]

    made = _act(decode, parts, ('int64', dtype, 'int64', 'int64'), [[-1]] * 4)
    for value in made[:2]:
        lod.note(lod.program_of(value), value, made[2:])
    return {'SentenceIds': made[0], 'SentenceScores': made[1]}
