# SPDX-License-Identifier: Apache-2.0
"""Random functions, forward and backward, compiled by the fusion compiler and compared with eager.

python test/fuzz/fusion.py [--seconds S] [--cases N] [--seed K]    with the package on PYTHONPATH.
Prints the seed of every case that differs; `--cases 1 --seed K --verbose` shows it. Exit status 1
when there was one.
"""

import argparse
import functools
import random
import sys
import time

import numpy as np
from progress import Progress

import paddle

UNARY = [
    'abs',
    'exp',
    'log',
    'sqrt',
    'rsqrt',
    'tanh',
    'sin',
    'cos',
    'square',
    'reciprocal',
    'log1p',
    'expm1',
    'erf',
    'atan',
    'sinh',
    'asinh',
    'log2',
]
ACTIVATIONS = [
    'relu',
    'silu',
    'gelu',
    'sigmoid',
    'softplus',
    'leaky_relu',
    'elu',
    'selu',
    'hardswish',
    'hardsigmoid',
    'mish',
    'relu6',
    'softsign',
    'tanhshrink',
    'log_sigmoid',
    'celu',
    'hardtanh',
]
# A small difference of the operand may change the result of these a lot, as may the derivative of
# the second row.
JUMPS = ['floor', 'ceil', 'round', 'sign', 'trunc', 'isnan', 'isinf', 'isfinite']
KINKS = {
    'abs',
    'relu',
    'leaky_relu',
    'elu',
    'selu',
    'hardswish',
    'hardsigmoid',
    'relu6',
    'celu',
    'hardtanh',
    'maximum',
    'minimum',
    'clip',
    'max',
    'min',
    'amax',
    'amin',
    'softshrink',
}
BINARY = ['add', 'subtract', 'multiply', 'divide', 'maximum', 'minimum', 'atan2']
COMPARE = ['less_than', 'less_equal', 'greater_than', 'greater_equal', 'equal', 'not_equal']
LOGICAL = ['logical_and', 'logical_or', 'logical_xor']
INTEGER = [
    'add',
    'subtract',
    'multiply',
    'maximum',
    'minimum',
    'bitwise_and',
    'bitwise_or',
    'bitwise_xor',
    'floor_divide',
    'mod',
]
REDUCE = ['sum', 'mean', 'max', 'min']
FLOATS = ['float32'] * 6 + ['float64', 'bfloat16', 'float16']
INTEGERS = ['int32', 'int64', 'int8', 'uint8', 'int16']
SPECIAL = [float('nan'), float('inf'), float('-inf'), 0.0, -0.0, 1e-40, 1e30]
HALF = {'bfloat16': 2.0**-8, 'float16': 2.0**-11}


def single(value):
    """`value` with a float rounded to float32: recorded attributes have 32 bits, eager ones 64."""
    return float(np.float32(value)) if isinstance(value, float) else value


# What activations take beside x where the default is no float32.
SLOPES = {
    'leaky_relu': [single(0.01)],
    'hardsigmoid': [single(1 / 6), 0.5],
    'selu': [single(1.0507009873554805), single(1.6732632423543772)],
}
# Operations that take a place, beside x so that gradients flow around and through them.
CPU = paddle.CPUPlace()
PLACED = {
    'full_like': lambda x, v: x + paddle.full_like(x, v),
    'full_like_device': lambda x, v: x * paddle.full_like(x, v, device='cpu'),
    'full_like_dtype': lambda x, v: x - paddle.full_like(x, v, dtype=x.dtype),
    'full_with_tensor': lambda x, v: (
        paddle._C_ops.full_with_tensor(paddle.to_tensor(v, x.dtype), [2, 3], x.dtype) * x.mean()
    ),
    'ones_like': lambda x, v: paddle.ones_like(x, device='cpu') * v - x,
    'zeros_like': lambda x, v: paddle.maximum(x, paddle.zeros_like(x)),
    'full': lambda x, v: x + paddle.full(x.shape, v, x.dtype),
    'to': lambda x, v: x.to('cpu') * v,
    'to_place': lambda x, v: x.to(CPU, x.dtype) + x,
    'cpu': lambda x, v: x.cpu() + v,
    'eye': lambda x, v: x.reshape([-1, 1]) * paddle.eye(1, 3, dtype=x.dtype),
    'range': lambda x, v: x.reshape([-1, 1]) + paddle.arange(3, dtype=x.dtype),
}


# Operations whose results are elements of what they are given.
MOVES = {
    'transpose',
    'reshape',
    'unsqueeze',
    'expand',
    'slice',
    'concat',
    'squeeze',
    'stack',
    'flip',
    'where',
    'pad',
    'roll',
    'strided',
    'pick',
    'gather',
    'embedding',
    'max',
    'min',
    'cast',
}


def name_of(t):
    return str(t.dtype).split('.')[-1]


def rounds(op, value):
    return op not in MOVES and name_of(value).startswith(('float', 'bfloat'))


def units(t, shape, random):
    """Numbers of `shape`, each a unit in the last place of one of t's dtype, its negative or 0."""
    unit = HALF.get(name_of(t)) or float(np.finfo(name_of(t)).eps)
    return paddle.to_tensor(np.asarray(unit * random.randint(-1, 2, shape)))


def rounded_again(value, random):
    """`value` with each element a unit in the last place up, down or as it was: what another
    order of the same sums may give.
    """
    return value * (1 + units(value, value.shape, random)).astype(value.dtype)


def moved_mean(x, random):
    """What layer_norm of x gives more where the mean of a row is rounded otherwise: all that
    there is where the elements of a row are equal.
    """
    wide = x.detach().astype('float64')
    mean, variance = wide.mean(-1, keepdim=True), wide.var(-1, unbiased=False, keepdim=True)
    shift = mean * units(x, mean.shape, random) * paddle.rsqrt(variance + 1e-5)
    return shift.astype(x.dtype)


class Case:
    """One generated function: `steps` over numbered values, the inputs first. The shapes come from
    running it while it grows.
    """

    def __init__(self, seed):
        self.seed, self.rng, self.np = (
            seed,
            random.Random(seed),
            np.random.RandomState(seed % (1 << 32)),
        )
        self.inputs, self.steps, self.values, self.exact = [], [], [], []
        r = self.rng
        rank = r.randint(0, 4)
        self.shape = [r.choice([1, 2, 3, 5, 7, 8, 16, 17, 33]) for _ in range(rank)]
        if rank and r.random() < 0.15:
            self.shape[-1] = r.choice([63, 64, 65, 257, 1000])
        if rank and r.random() < 0.04:
            self.shape = self.shape[:1] + [r.choice([8191, 8192, 8193, 20000])]
        if rank and r.random() < 0.03:
            self.shape[r.randrange(len(self.shape))] = 0
        self.dtype = r.choice(FLOATS)
        self.special = r.random() < 0.15
        for _ in range(r.randint(1, 4)):
            self.add_input()
        for _ in range(r.choice([1, 2, 3, 4, 6, 8, 12, 20])):
            for _ in range(4):
                if self.try_step():
                    break
        used = {i for _, args, _, _ in self.steps for i in args}
        first = len(self.inputs)
        ends = [i for i in range(first, len(self.values)) if i not in used]
        extra = [i for i in range(first, len(self.values)) if i in used and r.random() < 0.2]
        self.outputs = sorted(ends + extra)
        self.grad = [r.random() < 0.8 and self.is_float(i) for i in range(first)]
        self.with_grad = any(self.grad) and not self.special and r.random() < 0.6

    def is_float(self, i):
        return name_of(self.values[i]).startswith(('float', 'bfloat'))

    # --- growing

    def random_shape(self):
        r, shape = self.rng, list(self.shape)
        if r.random() < 0.5:
            for k in range(len(shape)):
                if r.random() < 0.3:
                    shape[k] = 1
            if r.random() < 0.3:
                shape = shape[r.randint(0, len(shape)) :]
        return shape

    def add_input(self):
        r, shape = self.rng, self.random_shape()
        kind = r.random()
        if kind < 0.1:
            a, dtype = self.np.randint(0, 2, shape).astype('bool'), 'bool'
        elif kind < 0.25:
            dtype = r.choice(INTEGERS)
            a = self.np.randint(0 if dtype == 'uint8' else -5, 6, shape).astype(dtype)
        else:
            dtype = self.dtype if r.random() < 0.9 else r.choice(FLOATS)
            a = np.asarray(self.np.standard_normal(shape) * r.choice([0.5, 1, 1, 3]))
            if self.special and a.size:
                flat = a.reshape(-1)
                for _ in range(min(a.size, 6)):
                    flat[self.np.randint(a.size)] = r.choice(SPECIAL)
            with np.errstate(all='ignore'):
                a = a.astype('float32' if dtype == 'bfloat16' else dtype)
        layout = r.random()
        self.inputs.append(
            (
                a,
                dtype,
                'plain'
                if layout < 0.8 or a.ndim < 2
                else 'transposed'
                if layout < 0.9
                else 'sliced',
            )
        )
        self.values.append(self.tensor(len(self.inputs) - 1))
        self.exact.append(True)

    def tensor(self, i, wide=False, moved=0):
        a, dtype, layout = self.inputs[i]
        if moved and a.dtype.kind == 'f':
            with np.errstate(all='ignore'):
                noise = np.random.RandomState(moved * 100 + i).uniform(-4, 4, a.shape)
                a = np.asarray(
                    a * (1 + HALF.get(dtype, float(np.finfo(a.dtype).eps)) * noise)
                ).astype(a.dtype)
        dtype = 'float64' if wide and dtype.startswith(('float', 'bfloat')) else dtype
        if layout == 'transposed':
            t = paddle.to_tensor(np.ascontiguousarray(a.T)).transpose(list(range(a.ndim))[::-1])
        elif layout == 'sliced':
            t = paddle.to_tensor(np.repeat(a, 2, -1))[..., ::2]
        else:
            t = paddle.to_tensor(a)
        if wide and self.inputs[i][1] in HALF:
            t = t.astype(self.inputs[i][1])
        return t if name_of(t) == dtype else t.astype(dtype)

    def pick(self, test):
        found = [i for i in range(len(self.values)) if test(i)]
        if not found:
            return None
        return self.rng.choice(found[-4:] if self.rng.random() < 0.7 else found)

    def matching(self, i, test):
        """A value that broadcasts with value i."""
        shape = self.values[i].shape

        def fits(j):
            if not test(j):
                return False
            try:
                np.broadcast_shapes(tuple(shape), tuple(self.values[j].shape))
                return True
            except ValueError:
                return False

        return self.pick(fits)

    def try_step(self):
        r, w = self.rng, self.rng.random()
        floats, whole = (
            self.is_float,
            (lambda i: name_of(self.values[i]).startswith(('int', 'uint'))),
        )
        logic, sure = (lambda i: name_of(self.values[i]) == 'bool'), (lambda i: self.exact[i])
        if w < 0.22:
            i = self.pick(floats)
            return i is not None and self.step(r.choice(UNARY + ACTIVATIONS), [i])
        if w < 0.47:
            i = self.pick(floats)
            j = (
                i
                if i is None
                else self.matching(i, lambda k: name_of(self.values[k]) == name_of(self.values[i]))
            )
            op = r.choice(BINARY)  # the sign of a zero decides an angle
            return j is not None and self.step(
                op if op != 'atan2' or self.exact[i] and self.exact[j] else 'add', [i, j]
            )
        if w < 0.53:
            i = self.pick(floats)
            return i is not None and self.step(
                'scale',
                [i],
                scale=r.choice([0.5, -2.0, 3.0]),
                bias=r.choice([0.0, 1.0]),
                bias_after_scale=r.random() < 0.5,
            )
        if w < 0.56:
            i = self.pick(floats)
            return i is not None and self.step('pow', [i], y=r.choice([2, 3, 0.5, -1, 2.5]))
        if w < 0.58:
            i = self.pick(floats)
            return i is not None and self.step('clip', [i], min=-0.7, max=0.9)
        if w < 0.61:
            i = self.pick(lambda k: floats(k) and sure(k))
            return i is not None and self.step(r.choice(JUMPS), [i])
        if w < 0.66:
            i = self.pick(sure)
            j = (
                i
                if i is None
                else self.matching(
                    i, lambda k: sure(k) and name_of(self.values[k]) == name_of(self.values[i])
                )
            )
            return j is not None and self.step(r.choice(COMPARE), [i, j])
        if w < 0.68:
            i = self.pick(logic)
            j = i if i is None else self.matching(i, logic)
            return j is not None and (
                self.step(r.choice(LOGICAL), [i, j])
                if r.random() < 0.7
                else self.step('logical_not', [i])
            )
        if w < 0.72:
            c = self.pick(logic)
            i = c if c is None else self.matching(c, lambda k: self.values[k].ndim > 0)
            j = (
                i
                if i is None
                else self.matching(i, lambda k: name_of(self.values[k]) == name_of(self.values[i]))
            )
            return j is not None and self.step('where', [c, i, j])
        if w < 0.75:
            i = self.pick(whole)
            j = (
                i
                if i is None
                else self.matching(i, lambda k: name_of(self.values[k]) == name_of(self.values[i]))
            )
            return j is not None and self.step(r.choice(INTEGER[:8]), [i, j])
        if w < 0.85:
            i = self.pick(lambda k: self.values[k].ndim > 0 and not logic(k))
            if i is None:
                return False
            n = self.values[i].ndim
            axes = sorted(r.sample(range(n), r.choice([1, 1, 1, min(2, n), n])))
            axis = None if r.random() < 0.15 else axes[0] if len(axes) == 1 else axes
            return self.step(r.choice(REDUCE), [i], axis=axis, keepdim=r.random() < 0.6)
        if w < 0.875:
            i = self.pick(lambda k: floats(k) and self.values[k].ndim > 0)
            return i is not None and self.step(
                r.choice(['softmax', 'log_softmax', 'layer_norm', 'rms']), [i]
            )
        if w < 0.885:
            i = self.pick(
                lambda k: floats(k) and self.values[k].ndim > 1 and self.values[k].size > 0
            )
            if i is None:
                return False
            shape = self.values[i].shape
            labels = [
                r.choice([-100] + list(range(shape[-1]))) for _ in range(int(np.prod(shape[:-1])))
            ]
            return self.step('cross_entropy', [i], label=labels)
        if w < 0.90:
            i = self.pick(lambda k: True)
            to = r.choice(
                ['float32', 'float64', 'float32', 'bfloat16', 'float16', 'int32', 'int64', 'bool']
            )
            if not to.startswith(('float', 'bfloat')) and not (self.exact[i] and not self.special):
                return False
            return self.step('cast', [i], to=to)
        if w < 0.92:
            i = self.pick(lambda k: not logic(k))
            return i is not None and self.step(
                'placed', [i], kind=r.choice(sorted(PLACED)), value=r.choice([0, 1, -2, 3])
            )
        return self.move(r)

    def move(self, r):
        i = self.pick(lambda k: self.values[k].ndim > 0)
        if i is None:
            return False
        shape, kind = (
            list(self.values[i].shape),
            r.choice(
                [
                    'transpose',
                    'reshape',
                    'unsqueeze',
                    'expand',
                    'slice',
                    'concat',
                    'squeeze',
                    'stack',
                    'flip',
                    'pad',
                    'roll',
                    'strided',
                    'pick',
                    'gather',
                    'embedding',
                    'halves',
                    'rotary',
                    'slice',
                    'concat',
                ]
            ),
        )
        n, axis = len(shape), r.randrange(len(shape))
        if kind == 'transpose':
            return self.step(kind, [i], perm=r.sample(range(n), n))
        if kind == 'reshape':
            order = r.choice(
                [[-1], shape + [1], [1] + shape, [int(np.prod(shape[:2]))] + shape[2:]]
            )
            return 0 not in shape and self.step(kind, [i], shape=order)
        if kind == 'unsqueeze':
            return self.step(kind, [i], axis=r.randint(0, n))
        if kind == 'squeeze':
            return self.step(kind, [i], axis=axis)
        if kind == 'expand':
            return self.step(kind, [i], shape=[3] + shape)
        if kind == 'slice':
            lo = r.randrange(max(shape[axis], 1))
            return shape[axis] > 1 and self.step(
                kind, [i], axis=axis, lo=lo, hi=r.randint(lo + 1, shape[axis])
            )
        if kind == 'flip':
            return self.step(kind, [i], axis=axis)
        if kind == 'pad':
            if name_of(self.values[i]) == 'bool':
                return False
            sides = [
                [r.randint(0, 3), r.randint(0, 3)] if r.random() < 0.5 else [0, 0] for _ in shape
            ]
            return self.step(kind, [i], pad=sum(sides, []), value=r.choice([0.0, 0.0, 2.0]))
        if kind == 'roll':
            return shape[axis] > 0 and self.step(kind, [i], shifts=r.randint(-4, 4), axis=axis)
        if kind == 'strided':
            return shape[axis] > 1 and self.step(
                kind, [i], axis=axis, start=r.randrange(shape[axis] - 1), by=r.choice([2, 3])
            )
        if kind == 'pick':
            return shape[axis] > 0 and self.step(kind, [i], axis=axis, at=r.randrange(shape[axis]))
        if kind == 'gather':
            return shape[axis] > 0 and self.step(
                kind,
                [i],
                axis=axis,
                index=[r.randrange(shape[axis]) for _ in range(r.randint(1, 9))],
            )
        if kind == 'embedding':
            return (
                n == 2
                and shape[0] > 0
                and self.is_float(i)
                and self.step(
                    kind,
                    [i],
                    ids=[r.randrange(shape[0]) for _ in range(6)],
                    padding=r.choice([None, 0]),
                )
            )
        if kind in ('halves', 'rotary'):
            return (
                shape[axis] > 1
                and shape[axis] % 2 == 0
                and self.is_float(i)
                and self.step(kind, [i], axis=axis)
            )
        if kind == 'concat':  # extents may differ along the axis
            j = self.pick(
                lambda k: (
                    name_of(self.values[k]) == name_of(self.values[i])
                    and self.values[k].ndim == n
                    and [d for a, d in enumerate(self.values[k].shape) if a != axis]
                    == shape[:axis] + shape[axis + 1 :]
                )
            )
            return j is not None and self.step(
                kind, r.choice([[i, j], [j, i], [i, j, i]]), axis=axis
            )
        j = self.pick(
            lambda k: (
                name_of(self.values[k]) == name_of(self.values[i])
                and list(self.values[k].shape) == shape
            )
        )
        return j is not None and self.step(kind, [i, j], axis=axis)

    def step(self, op, args, **attrs):
        attrs = {name: single(value) for name, value in attrs.items()}
        try:
            value = self.apply(op, [self.values[i] for i in args], attrs, False)
        except Exception:
            return False
        if value.ndim > 5 or value.size > 300000:
            return False
        self.steps.append((op, args, attrs, len(self.values)))
        self.values.append(value)
        self.exact.append(all(self.exact[i] for i in args) and not rounds(op, value))
        return True

    @staticmethod
    def apply(op, v, attrs, wide):
        F = paddle.nn.functional
        if op in ACTIVATIONS:
            return getattr(F, op)(v[0], *SLOPES.get(op, ()))
        if op == 'softmax' or op == 'log_softmax':
            return getattr(F, op)(v[0], -1)
        if op == 'layer_norm':
            return F.layer_norm(v[0], v[0].shape[-1:], epsilon=single(1e-5))
        if op == 'rms':
            return v[0] * paddle.rsqrt((v[0] * v[0]).mean(-1, keepdim=True) + single(1e-3))
        if op == 'cast':
            return v[0].astype(
                'float64' if wide and attrs['to'].startswith(('float', 'bfloat')) else attrs['to']
            )
        if op == 'placed':
            return PLACED[attrs['kind']](v[0], attrs['value'])
        if op == 'reshape':
            return paddle.reshape(v[0], attrs['shape'])
        if op == 'slice':
            return v[0][(slice(None),) * attrs['axis'] + (slice(attrs['lo'], attrs['hi']),)]
        if op == 'strided':
            return v[0][
                (slice(None),) * attrs['axis'] + (slice(attrs['start'], None, attrs['by']),)
            ]
        if op == 'pick':
            return v[0][(slice(None),) * attrs['axis'] + (attrs['at'],)]
        if op == 'pad':
            return paddle._C_ops.pad(v[0], attrs['pad'], attrs['value'])
        if op == 'gather':
            return paddle.gather(v[0], paddle.to_tensor(attrs['index']), attrs['axis'])
        if op == 'embedding':
            return F.embedding(
                paddle.to_tensor(attrs['ids']).reshape([2, 3]), v[0], attrs['padding']
            )
        if op == 'cross_entropy':
            return F.cross_entropy(
                v[0], paddle.to_tensor(attrs['label']).reshape(v[0].shape[:-1]), reduction='none'
            )
        if op in ('halves', 'rotary'):
            a, b = paddle.split(v[0], 2, attrs['axis'])
            return (
                a * b
                if op == 'halves'
                else paddle.concat([a * 0.5 - b * 2, b * 0.5 + a * 2], attrs['axis'])
            )
        if op in ('concat', 'stack'):
            return getattr(paddle, op)(v, attrs['axis'])
        return getattr(paddle, op)(*v, **attrs)

    # --- running

    def run(self, values, wide=False, moved=None):
        """The outputs. With `moved`, ('means' or 'results', seed), the means of norms are rounded
        otherwise, or every rounded result is rounded once more.
        """
        values = list(values)
        what, random = (moved[0], np.random.RandomState(moved[1])) if moved else ('', None)
        for op, args, attrs, _ in self.steps:
            value = self.apply(op, [values[i] for i in args], attrs, wide)
            if what == 'means' and op == 'layer_norm':
                value = value + moved_mean(values[args[0]], random)
            if what == 'results' and rounds(op, value):
                value = rounded_again(value, random)
            values.append(value)
        return [values[i] for i in self.outputs]

    def call(self, function, wide=False, moved=0):
        """Outputs, then gradients of the inputs that have one, as arrays (None: absent)."""
        xs = [self.tensor(i, wide, moved) for i in range(len(self.inputs))]
        for x, g in zip(xs, self.grad):
            x.stop_gradient = not (self.with_grad and g)
        outs = function(xs)
        found = [as_array(o) for o in outs]
        if self.with_grad:
            total = None
            for k, o in enumerate(outs):
                if not o.stop_gradient and name_of(o).startswith(('float', 'bfloat')):
                    w = np.random.RandomState(k).standard_normal(o.shape).astype('float32')
                    term = (
                        o.astype('float64') * paddle.to_tensor(np.asarray(w)).astype('float64')
                    ).sum()
                    total = term if total is None else total + term
            if total is not None:
                total.backward()
                found += [
                    as_array(x.grad) if x.grad is not None else None
                    for x, g in zip(xs, self.grad)
                    if g
                ]
        return found

    def check(self):
        """A text that says what differs, or None."""
        if not self.outputs:
            return None
        eager = self.call(self.run)
        compiled = paddle.jit.to_static(lambda xs: self.run(xs), full_graph=True, backend='CINN')
        got = [self.call(compiled) for _ in range(2)][-1]
        wide = self.call(lambda xs: self.run(xs, True), True)
        if len(eager) != len(got):
            return f'{len(got)} results, eager {len(eager)}'
        half = max([HALF.get(name_of(v), 0) for v in self.values])
        norms = any(
            op in ('layer_norm', 'rms') for op, *_ in self.steps
        )  # a row of equal values is divided by next to nothing
        kinks = any(op in KINKS for op, *_ in self.steps)
        for k, (e, c, w) in enumerate(zip(eager, got, wide)):
            if (e is None) != (c is None):
                return f'result {k}: {"absent" if c is None else "present"}, in eager not'
            if e is None:
                continue
            if e.shape != c.shape or e.dtype != c.dtype:
                return f'result {k}: {c.dtype}{list(c.shape)}, eager {e.dtype}{list(e.shape)}'
            rest = half, kinks and k >= len(self.outputs), 300 if norms else 1
            if differs(e, c, w, *rest):
                # Eager runs whose inputs, whose results too, or whose means are units in the last
                # place away tell which values rounding decides.
                moves = [self.call(self.run, moved=at)[k] for at in (1, 2, 3)]
                for what in ('results', 'means') if norms else ('results',):
                    for at in range(8):
                        moved = functools.partial(self.run, moved=(what, at))
                        moves.append(self.call(moved)[k])
                if text := differs(e, c, w, *rest, moves):
                    return f'result {k}: {text}'
        return None

    def text(self):
        lines = [
            f'%{i}: {d}{list(a.shape)} {layout}{" grad" if self.with_grad and g else ""}'
            for i, ((a, d, layout), g) in enumerate(zip(self.inputs, self.grad))
        ]
        lines += [
            f'%{at} = {op}({", ".join(f"%{i}" for i in args)}) {attrs or ""}  # '
            f'{name_of(self.values[at])}{list(self.values[at].shape)}'
            for op, args, attrs, at in self.steps
        ]
        return '\n'.join([*lines, f'outputs {self.outputs}'])


def as_array(t):
    return t.astype('float32').numpy() if name_of(t) in HALF else t.numpy()


def differs(e, c, w, half, kinks, least=1, moves=()):
    """What is wrong with `c`, given eager's values `e`, those of a float64 run `w` and of eager
    runs with moved inputs; None when it is near enough."""
    if e.dtype.kind in 'bi' or e.dtype.kind == 'u':
        return None if (e == c).all() else f'{int((e != c).sum())} of {e.size} exact values differ'
    with np.errstate(all='ignore'):
        e, c, w = e.astype('float64'), c.astype('float64'), w.astype('float64')
        low = float(np.finfo('float32').max) / 64 if half == 0 else 200.0
        sure = np.isfinite(e) & np.isfinite(w) & (np.abs(w) < low)
        for m in moves:
            sure &= np.isfinite(m)
        # What these runs do not agree on is rounding alone, as 1 / (a sum near 0) is.
        wrong = ~np.isfinite(c) & sure
        for other in (w, *moves):
            wrong &= np.abs(e - other) <= np.abs(other) / 2
        if wrong.any():
            return f'{int(wrong.sum())} of {e.size} values are not finite, eager {e[wrong][0]}'
        # Half values keep more digits within a kernel, so what cancels to zero in eager need not do
        # so there.
        agree = (half == 0) & ~np.isfinite(e) & ~np.isfinite(w) & (np.isnan(e) == np.isnan(w))
        for m in moves:
            agree &= np.isnan(m) == np.isnan(e)
            agree &= np.isinf(m) == np.isinf(e)
        wrong = agree & (np.isnan(e) != np.isnan(c)) | agree & np.isfinite(c)
        if wrong.any():
            return f'{int(wrong.sum())} of {e.size} values: {c[wrong][0]}, eager {e[wrong][0]}'
        sure &= np.isfinite(c)
        if not sure.any():
            return None
        scale, own = np.abs(w[sure]), np.abs(e[sure] - w[sure])
        for m in moves:
            own = np.maximum(own, np.abs(e[sure] - m[sure].astype('float64')))
        eps = half or 2.0**-23
        tolerance = 16 * own + 64 * eps * scale + 8 * own.max() + 8 * eps * max(scale.max(), least)
        wrong = np.abs(c[sure] - w[sure]) > tolerance
        # Halves tie in eager where the kernel's float32 values do not: one value of a small
        # gradient may go the other way.
        if kinks and (wrong.mean() < 0.05 or half and wrong.sum() == 1):
            return None
        if not wrong.any():
            return None
        at = int(np.argmax(np.abs(c[sure] - w[sure]) / tolerance))
        return (
            f'{int(wrong.sum())} of {e.size} values, e.g. {c[sure][at]!r}, eager '
            f'{e[sure][at]!r}, float64 {w[sure][at]!r}'
        )


def run(seconds=None, cases=None, seed=0, verbose=False, report=print):
    """Checks cases seed, seed + 1, ...; returns (how many ran, [(seed, text)])."""
    start, failures, count, progress = time.monotonic(), [], 0, Progress()
    while (cases is None or count < cases) and (
        seconds is None or time.monotonic() - start < seconds
    ):
        progress.say(lambda: f'{count} cases, {len(failures)} differ')
        case = Case(seed + count)
        count += 1
        if verbose:
            report(case.text())
        try:
            text = case.check()
        except Exception as e:
            text = f'{type(e).__name__}: {e}'
        if text:
            failures.append((case.seed, text))
            report(f'seed {case.seed}: {text[:400]}')
    return count, failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--cases', type=int)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--verbose', action='store_true')
    a = parser.parse_args()
    if a.seconds is None and a.cases is None:
        a.seconds = 60
    count, failures = run(
        a.seconds, a.cases, a.seed, a.verbose, lambda text: print(text, flush=True)
    )
    print(f'{count} cases, seeds {a.seed} to {a.seed + count - 1}, {len(failures)} differ')
    sys.exit(bool(failures))


if __name__ == '__main__':
    main()
