# SPDX-License-Identifier: Apache-2.0
"""`.pdmodel`, the older program format: its ops are recorded anew, one by one, under their old names."""
import os

import paddle
from paddle.base import libpaddle as _core
from paddle.static import block as _block
from paddle.static import program as _program

_ELEMENTWISE = 'elementwise_'


def read(model_path, params_path=None, model=None):
    """(program, names of its inputs, values it computes) of `.pdmodel` and `.pdiparams` files.

    `model` holds the bytes where there is no file. Raises ValueError for damaged files, and NotImplementedError for an op that has no
    counterpart.
    """
    if model is None:
        with open(model_path, 'rb') as stream:
            model = stream.read()
    blocks = _core.pir._read_program_desc(model, str(model_path))
    block = blocks[0]
    variables, ops = block['vars'], block['ops']
    kept = sorted(n for n, v in variables.items() if v['persistable'] and v['is_tensor'])
    if kept and (params_path is None or not os.path.isfile(params_path)):
        raise FileNotFoundError(f"[load] expected the file {params_path!r} with the parameters of {str(model_path)!r}")
    values = {}
    for name, tensor in zip(kept, _core.pir._read_records(params_path, len(kept)) if kept else ()):
        want = variables[name]
        if list(tensor.shape) != want['shape'] or str(tensor.dtype).rsplit('.', 1)[-1] != want['dtype']:
            raise ValueError(f"'{params_path}': expected parameter {name} to be {want['dtype']}{want['shape']}, got {tensor.dtype}"
                             f"{list(tensor.shape)}")
        tensor.name, tensor.persistable, tensor.stop_gradient = name, True, True
        values[name] = tensor
    program, feeds, fetches = _program.Program(), {}, {}
    with _program.recording(program):
        for number, (kind, inputs, outputs, attrs) in enumerate(ops):
            where = f"'{model_path}': op {number} ({kind})"
            try:
                if kind == 'feed':
                    name, = outputs['Out']
                    values[name] = program._data(name, variables[name]['shape'], getattr(paddle, variables[name]['dtype'] or 'float32'))
                    feeds[attrs['col']] = name
                elif kind == 'fetch':
                    name, = inputs['X']
                    fetches[attrs['col']] = values[name]
                else:
                    _record(program, kind, {k: [values[n] for n in names] for k, names in inputs.items()}, outputs, attrs, values)
            except (KeyError, TypeError, ValueError) as e:
                text = f"expected {e.args[0]!r}, got nothing of this name" if isinstance(e, KeyError) else str(e)
                raise ValueError(f"{where}: {text}") from None
    return program, [feeds[c] for c in sorted(feeds)], [fetches[c] for c in sorted(fetches)]


def _record(program, kind, inputs, outputs, attrs, values):
    from paddle._legacy_ops import OPS
    if kind not in OPS:
        raise NotImplementedError(f"[load] expected an op with a counterpart, got the old op {kind!r}")
    attrs = dict(attrs)
    if attrs.pop('reduce_all', False):
        attrs['dim'] = []
    attrs.pop('in_dtype' if kind != 'cast' else '', None)
    axis = attrs.pop('axis', -1) if kind.startswith(_ELEMENTWISE) else -1
    if axis != -1:
        (x,), (y,) = inputs['X'], inputs['Y']
        if not 0 <= axis <= x.ndim:
            raise ValueError(f"expected an axis from -1 to {x.ndim}, got {axis}")
        behind = x.ndim - axis - y.ndim
        if behind > 0:
            inputs['Y'] = [y.reshape([*y.shape, *[1] * behind])]
    row = OPS[kind]
    known = {old for what, old, _ in row[1] if what not in ('attr', 'dtype')}
    for name in [n for n in inputs if n not in known and inputs[n]]:
        raise NotImplementedError(f"[load] expected an op {kind} without the input {name}, got one")
    places = {old: [_block.OutputVar(None, None, None, None) for _ in names] for old, names in outputs.items() if old in row[2] and names}
    _block.append_op(program, kind, inputs, dict(places), attrs, strict=False)
    for old, made in places.items():
        for name, place in zip(outputs[old], made):
            if place.value is not None:
                values[name] = place.value
