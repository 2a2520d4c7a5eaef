# SPDX-License-Identifier: Apache-2.0
"""Every model of tools/oracle/models.py eagerly and under to_static: largest relative difference of
results and of all gradients.

PYTHONPATH=build/python python tools/static_equals_eager.py [--backend CINN|none]
    [--default-mode] [name ...]
"""

import argparse
import os
import sys

import numpy as np

import paddle

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'oracle'))


def tensors(value):
    """The tensors of nested results, in order."""
    if isinstance(value, paddle.Tensor):
        return [value]
    values = (
        value.values()
        if isinstance(value, dict)
        else value
        if isinstance(value, (list, tuple))
        else ()
    )
    return [t for v in values for t in tensors(v)]


def run(call, layer, arrays):
    """Results of `call` and the gradients of floating inputs and parameters for the sum of squares
    of floating results.
    """
    inputs = [paddle.to_tensor(a, stop_gradient=a.dtype.kind != 'f') for a in arrays]
    paddle.seed(7)
    results = tensors(call(*inputs))
    losses = [
        (r.astype('float32') ** 2).sum()
        for r in results
        if r.is_floating_point() and not r.stop_gradient
    ]
    wanted = [t for t in inputs if not t.stop_gradient] + [
        p for p in layer.parameters() if not p.stop_gradient
    ]
    gradients = paddle.grad(sum(losses), wanted, allow_unused=True) if losses else []
    return [t.astype('float32').numpy() for t in results], [
        None if g is None else g.astype('float32').numpy() for g in gradients
    ]


def difference(got, want):
    """The largest difference relative to the largest magnitude of the wanted array, or to 1e-3 of
    the largest of all (some gradients are zero but for rounding, as those of the keys' bias in
    attention)."""
    worst, floor = (
        0.0,
        1e-3 * max([float(np.abs(w).max()) for w in want if w is not None and w.size] + [1e-2]),
    )
    assert len(got) == len(want), (len(got), len(want))
    for g, w in zip(got, want):
        # A branch not taken gives no gradient eagerly, and zeros in a program.
        if g is None or w is None:
            g, w = (np.zeros(1) if v is None else v for v in (g, w))
        if w.size:
            worst = max(worst, float(np.abs(g - w).max() / max(np.abs(w).max(), floor)))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--backend', default='CINN', choices=['CINN', 'none'])
    parser.add_argument('--default-mode', action='store_true', help='without full_graph')
    parser.add_argument('--limit', type=float, default=1e-4)
    parser.add_argument('name', nargs='*')
    args = parser.parse_args()
    import models

    bad = 0
    print(f"{'model':30}  {'results':>8}  {'gradients':>9}  {'count':>5}")
    for name in args.name or models.MODELS:
        try:
            paddle.seed(0)
            layer, arrays, _ = models.MODELS[name]()
            layer.eval()
            results, gradients = run(layer, layer, arrays)
            static = paddle.jit.to_static(
                layer,
                full_graph=not args.default_mode,
                backend=None if args.backend == 'none' else args.backend,
            )
            if args.default_mode:  # its first call is the plain one
                run(static, layer, arrays)
            got, got_gradients = run(static, layer, arrays)
            figures = difference(got, results), difference(got_gradients, gradients)
            bad += max(figures) > args.limit
            print(
                f'{name:30}  {figures[0]:>8.1e}  {figures[1]:>9.1e}  {len(gradients):>5}',
                flush=True,
            )
        except Exception as e:  # the table goes on with the next model
            bad += 1
            print(f'{name:30}  {type(e).__name__}: {str(e).splitlines()[0][:120]}', flush=True)
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main())
