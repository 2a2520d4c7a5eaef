# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations of complex numbers on gpu:0 against the CPU: what differs, as JSON. Sums,
squares and comparisons have the CPU's bits, products, quotients and functions differ by rounding.
"""

import json

import numpy as np
import paddle

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 30.0, -400.0, 1e-3, float('inf'), -float('inf')]
SPECIAL += [float('nan'), 700.0]
NAMES = (
    'exp expm1 log log2 log10 log1p sqrt rsqrt sin cos tan sinh cosh tanh asin acos atan asinh '
    'acosh atanh reciprocal square abs sign sigmoid conj'
).split()


def operands(dtype):
    """Random numbers, then every pair of special ones."""
    rng = np.random.RandomState(3)
    plain = (rng.randn(200) * 2 + 1j * rng.randn(200) * 2).astype(dtype)
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    special = np.empty(a.size, dtype)
    special.real, special.imag = a.ravel(), b.ravel()
    return plain, special


def functions():
    one = {name: getattr(paddle, name) for name in NAMES}
    one['silu'] = paddle.nn.functional.silu
    one['neg'] = lambda x: -x
    one['pow2'] = lambda x: x**2
    one['pow5'] = lambda x: paddle.pow(x, 5)
    one['pow-half'] = lambda x: paddle.pow(x, 0.5)
    one['pow-other'] = lambda x: paddle.pow(x, -1.5)
    one['scale'] = lambda x: paddle.scale(x, 2.5, 1.0)
    one['stanh'] = paddle.stanh
    one['cast'] = lambda x: x.astype('complex128').astype('complex64')
    one['cast-real'] = lambda x: x.real().astype(x.dtype)
    one['isnan'] = paddle.isnan
    one['isfinite'] = paddle.isfinite
    one['add'] = lambda x: x + x.flip(0)
    one['subtract'] = lambda x: x - x.flip(0)
    one['multiply'] = lambda x: x * x.flip(0)
    one['divide'] = lambda x: x / x.flip(0)
    one['pow'] = lambda x: x ** x.flip(0)
    one['equal'] = lambda x: x == x.flip(0)
    one['less'] = lambda x: x < x.flip(0)
    one['flip'] = lambda x: x.reshape([-1, 1]).flip([0, 1])[:, 0]
    one['zeros_like'] = paddle.zeros_like
    one['full_like'] = lambda x: paddle.full_like(x, 2.5)
    one['where'] = lambda x: paddle.where(x.real() > 0.5, x, x.flip(0))
    return one


EXACT = 'add subtract neg pow2 square conj isnan isfinite equal less where scale'.split()
EXACT += ['flip', 'zeros_like', 'full_like']
BARS = {'complex64': 3e-6, 'complex128': 2e-13}


def compared(name, dtype, got, want, special):
    if got.dtype != want.dtype or got.shape != want.shape:
        yield f'{name}-{dtype}', 'dtype or shape'
        return
    parts = [(got, want)]
    if np.iscomplexobj(got):
        parts = [(got.real, want.real), (got.imag, want.imag)]
    for g, w in parts:
        if name in EXACT:
            if not np.array_equal(g, w, equal_nan=g.dtype != bool):
                yield f'{name}-{dtype}-{special}', 'bits'
            continue
        finite = np.isfinite(w)
        if not (
            np.array_equal(np.isnan(g), np.isnan(w))
            and np.array_equal(g[~finite], w[~finite], equal_nan=True)
        ):
            at = np.flatnonzero(~((g == w) | (np.isnan(g) & np.isnan(w)) | finite))
            yield f'{name}-{dtype}-{special}', f'not finite at {at[:6].tolist()}'
        scale = np.abs(want)
        scale = np.maximum(np.where(np.isfinite(scale), scale, np.abs(w)), 1e-30)
        error = np.abs(g - w)[finite] / scale[finite]
        if finite.any() and not error.max() <= BARS[dtype]:
            yield f'{name}-{dtype}-{special}', float(error.max())


def values():
    for dtype in BARS:
        for special, array in zip(('plain', 'special'), operands(dtype)):
            for name, f in functions().items():
                with np.errstate(all='ignore'):
                    want = f(paddle.to_tensor(array, place='cpu')).numpy()
                    got = f(paddle.to_tensor(array, place='gpu:0'))
                    assert got.place.is_gpu_place()
                    yield from compared(name, dtype, got.numpy(), want, special)


def shapes():
    """Broadcasting, strides, no elements, no axes, in place, and gradients."""
    rng = np.random.RandomState(5)
    a = (rng.randn(3, 1, 4) + 1j * rng.randn(3, 1, 4)).astype('complex64')
    b = (rng.randn(5, 1) + 1j * rng.randn(5, 1)).astype('complex64')
    forms = {
        'broadcast': lambda x, y: x * y,
        'strides': lambda x, y: x.transpose([2, 0, 1]) + y[::2, 0][:1],
        'empty': lambda x, y: x[:0] + y,
        'number': lambda x, y: x[0, 0, 0] * y[1, 0],
        'in-place': lambda x, y: (x + 0).multiply_(y[0]),
        'mixed': lambda x, y: x * y.real(),
        'condition': lambda x, y: paddle.where(
            paddle.to_tensor([True, False, True, True], place=x.place), x, y
        ),
        'chain': lambda x, y: paddle.exp(x * 1j) / (y + 2.0),
        'sum': lambda x, y: (x * y).sum([0, 2], keepdim=True) + x.sum() * y.sum(0),
        'mean': lambda x, y: (x * y).mean(1) + y.mean(),
        'flip': lambda x, y: (x * y).flip([0, 1]) * x,
        'view': lambda x, y: x[1:, :, ::2] * paddle.as_strided(y, [2], [1], 8),
        'fill': lambda x, y: paddle.full_like(x, 0.5) * x * y,
    }
    for name, f in forms.items():
        results = []
        for place in ('cpu', 'gpu:0'):
            x, y = (paddle.to_tensor(t, place=place, stop_gradient=False) for t in (a, b))
            out = f(x, y)
            grads = []
            if name != 'empty':
                out.abs().sum().backward()
                grads = [t.grad.numpy() for t in (x, y) if t.grad is not None]
            results.append([out.numpy(), *grads])
        for got, want in zip(*reversed(results), strict=True):
            if got.shape != want.shape or not np.allclose(got, want, 1e-5, 1e-6):
                yield name, 'differs'


if __name__ == '__main__':
    print(json.dumps(dict([*values(), *shapes()])))
