# SPDX-License-Identifier: Apache-2.0
"""Rows of test/ops on the CPU and on gpu:0, value and first gradient. Prints, as JSON, the largest
difference of each result: 0 for the same bits, otherwise relative to 1 + the CPU's magnitude. With
two more numbers, i and n, only each n-th row from the i-th on.
"""

import json
import os
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'ops'))
import harness as h
import numpy as np
import paddle
import test_structured
from paddle.base import core

core.draw_on_host(True)  # random numbers are those of the CPU
FLOATS = ('float32', 'float64', 'float16', 'bfloat16')
# Broadcasts; whole vectors, and lengths that are none, over several blocks of threads.
SHAPES = {
    'broadcast': [(2, 1, 5), (3, 1), (2, 3, 5)],
    'even': [(4, 1056)] * 3,
    'odd': [(3, 701)] * 3,
}


def difference(got, want):
    """None instead of a number: another shape or dtype, or NaN elsewhere."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return None
    exact = got.dtype.kind in 'fc'
    if np.array_equal(got, want, equal_nan=exact):
        return 0.0
    if not exact or not np.array_equal(np.isnan(got), np.isnan(want)):
        return None
    wide = 'complex128' if got.dtype.kind == 'c' else 'float64'
    got, want = np.nan_to_num(got).astype(wide), np.nan_to_num(want).astype(wide)
    return float(np.max(np.abs(got - want) / (1 + np.abs(want))))


def on_both(results):
    """The differences of what `results` gives on the two places."""
    here = []
    for place in ('cpu', 'gpu:0'):
        paddle.set_device(place)
        paddle.seed(3)
        here.append(results())
    paddle.set_device('cpu')
    want, got = here
    assert [w is None for w in want] == [g is None for g in got]
    return [difference(g, w) for w, g in zip(want, got) if w is not None]


def gradients(row, arrays, dtype):
    xs = h.tensors(row, arrays, dtype, need_grad=True)
    out = h.function(row)(*xs)
    weight = h.generator(row, 6).rand(*out.shape).astype('float32')
    wanted = [x for x in xs if not x.stop_gradient]
    grads = paddle.grad(
        [out], wanted, [paddle.to_tensor(weight).astype(out.dtype)], allow_unused=True
    )
    return [None if g is None else h.to_numpy(g) for g in grads]


def elementwise(part):
    for row in h.load_rows()[part]:
        for dtype in h.dtypes(row):
            real = dtype in FLOATS
            for name in SHAPES if real else ('broadcast',):
                arrays = h.inputs(row, dtype, SHAPES[name])

                def value():
                    return [h.to_numpy(h.function(row)(*h.tensors(row, arrays, dtype)))]

                key = f'{row["op"]}-{dtype}-{name}'
                yield key + '-value', on_both(value)
                if real and name != 'odd' and row['grads'] and not row.get('no_grad'):
                    yield key + '-gradient', on_both(lambda: gradients(row, arrays, dtype))


def structured(part):
    for row in test_structured.ROWS[part]:
        # A driver that runs no kernel does not tell how many elements there are.
        if row.name == 'masked_select' and 'HOST_DRIVER_PTX' in os.environ:
            continue
        for dtype in ('float32', 'float64'):
            arrays = test_structured.arrays_of(row, dtype)

            def value():
                return [row.call(*test_structured.tensors_of(row, arrays)).numpy()]

            def gradient():
                shape = row.ref(*arrays).shape
                weight = np.asarray(h.generator({'op': row.name}, 2).rand(*shape) + 0.5)
                return [g.numpy() for g in test_structured.grads_of(row, arrays, weight)[1]]

            yield f'{row.name}-{dtype}-value', on_both(value)
            if row.grad:
                yield f'{row.name}-{dtype}-gradient', on_both(gradient)


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    with np.errstate(all='ignore'):
        kind = {'elementwise': elementwise, 'structured': structured}[sys.argv[1]]
        part = slice(*map(int, sys.argv[2:3] or [0]), None, *map(int, sys.argv[3:4] or [1]))
        print(json.dumps(dict(kind(part))))
