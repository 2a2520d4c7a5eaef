# SPDX-License-Identifier: Apache-2.0
"""Attention and its gradients on the CPU and on gpu:0. Prints, as JSON, for each case the largest
differences from the CPU's float64, relative to its largest magnitude: [of the CPU, of the GPU].
"""

import json
import sys

import numpy as np

import paddle
from paddle import _C_ops

# Query and key lengths, heads, key heads, dim, value dim, and more.
CASES = {
    'square': (64, 64, 2, 2, 64, 64, {}),
    'odd': (37, 53, 3, 3, 24, 40, {}),
    'one': (1, 70, 2, 1, 16, 16, {}),
    'causal': (45, 45, 2, 2, 64, 64, {'causal': True}),
    'later': (9, 40, 2, 2, 32, 32, {'causal': True, 'offset': 31}),
    'earlier': (40, 17, 1, 1, 8, 8, {'causal': True, 'offset': 3}),
    'groups': (33, 40, 6, 2, 32, 32, {'causal': True}),
    'shared': (64, 128, 4, 2, 40, 40, {'causal': True}),
    'wide': (20, 35, 1, 1, 128, 128, {}),
    'widest': (11, 19, 2, 1, 200, 256, {'causal': True}),
    'bool': (21, 35, 2, 2, 16, 16, {'mask': 'bool'}),
    'added': (21, 35, 2, 2, 16, 16, {'mask': 'added'}),
    'hidden': (5, 9, 2, 2, 16, 16, {'mask': 'hidden'}),
    'dropout': (21, 35, 2, 2, 16, 16, {'keep': True}),
    'far': (6, 12, 1, 1, 8, 8, {'by': 200.0}),
    'long': (290, 290, 2, 1, 128, 104, {'causal': True}),
    'longer': (150, 300, 2, 2, 64, 64, {'keep': True}),
    'none': (4, 0, 2, 2, 8, 8, {}),
}
# Rows that see several tiles whole, which only halves make much of.
CASES_OF_HALVES = {
    'whole': (70, 430, 2, 1, 64, 64, {}),
    'whole_causal': (410, 420, 1, 1, 64, 64, {'causal': True, 'offset': 10}),
    'whole_wide': (40, 300, 2, 2, 128, 128, {'causal': True, 'offset': 260}),
}


def arrays(case, dtype):
    """Numbers that the dtype holds: what inputs lose is no error of a kernel."""
    nq, nk, heads, own, dim, vdim, more = case
    rng = np.random.RandomState(3)
    q, k, v = rng.randn(2, nq, heads, dim), rng.randn(2, nk, own, dim), rng.randn(2, nk, own, vdim)
    mask = {
        None: None,
        'bool': rng.rand(2, 1, nq, nk) < 0.7,
        'added': rng.randn(heads, 1, nk) * 3,
        'hidden': np.arange(nq)[:, None] != np.full(nk, 2)[None],  # row 2 sees nothing
    }[more.get('mask')]
    keep = (rng.rand(2, heads, nq, nk) < 0.6).astype('uint8') if more.get('keep') else None
    q = q * more.get('by', 1.0)
    *held, weight = (
        paddle.to_tensor(a).astype(dtype).astype('float64').numpy()
        for a in (q, k, v, rng.randn(2, nq, heads, vdim))
    )
    return held, mask, keep, weight


def results(case, dtype, place, given):
    paddle.set_device('cpu')
    inputs, mask, keep, weight = arrays(case, given)
    more = case[-1]
    paddle.set_device(place)
    # A step between rows, as projections of several heads leave it.
    xs = [paddle.to_tensor(np.concatenate([a, a], 2)).astype(dtype) for a in inputs]
    for x in xs:
        x.stop_gradient = False
    q, k, v = [x[:, :, : a.shape[2]] for x, a in zip(xs, inputs)]
    if mask is not None:
        mask = paddle.to_tensor(mask if mask.dtype == bool else mask.astype('float32'))
    out, _ = _C_ops._fused_attention(
        q,
        k,
        v,
        mask,
        None if keep is None else paddle.to_tensor(keep),
        scale=case[4] ** -0.5,
        causal=more.get('causal', False),
        offset=more.get('offset', 0),
        dropout=0.4 if keep is not None else 0.0,
    )
    grads = paddle.grad([out], xs, [paddle.to_tensor(weight).astype(dtype)])
    assert all(str(t.place) == f'Place({place})' for t in (out, *grads))
    return [t.astype('float64').numpy() for t in (out, *grads)]


def error(got, want):
    assert got.shape == want.shape and np.array_equal(np.isnan(got), np.isnan(want))
    got, want = np.nan_to_num(got), np.nan_to_num(want)
    return float(np.abs(got - want).max(initial=0) / np.abs(want).max(initial=1e-30))


if __name__ == '__main__':
    dtype = sys.argv[1]
    found = {}
    cases = CASES | (CASES_OF_HALVES if 'float16' in dtype else {})
    for name in sys.argv[2:] or cases:
        exact = results(cases[name], 'float64', 'cpu', dtype)
        here = [results(cases[name], dtype, place, dtype) for place in ('cpu', 'gpu:0')]
        found[name] = [[error(g, w) for g, w in zip(h, exact)] for h in here]
    print(json.dumps(found))
