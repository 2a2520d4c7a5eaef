# SPDX-License-Identifier: Apache-2.0
"""Random chains of views and writes through them: eager, recorded on a tape and full graphs give
what NumPy's shared memory gives.
"""

import numpy as np
import paddle
import pytest

SEEDS = 240


class Program:
    """Steps drawn from a seed. Each makes a view of a tensor made before, or writes one; `xp` runs
    them on NumPy or paddle.
    """

    def __init__(self, seed):
        rng = np.random.RandomState(seed)
        self.shape = [(4, 3, 2), (3, 4), (2, 3, 4), (6,), (2, 2, 3, 2), (3, 3)][rng.randint(6)]
        self.start = rng.uniform(0.5, 1.5, self.shape)
        self.steps = []
        arrays = [self.start.copy()]
        while len(self.steps) < 7:
            i = rng.randint(len(arrays)) if rng.rand() < 0.4 else len(arrays) - 1
            view = self.view(rng, arrays[i])
            if view is None:
                continue
            self.steps.append(('view', i, *view))
            arrays.append(self.look(arrays[i], *view))
            if rng.rand() < 0.5 or len(self.steps) == 6:
                j = rng.randint(len(arrays))
                kind = [
                    'add',
                    'scale',
                    'clip',
                    'set',
                    'other',
                    'whole',
                    'scale',
                    'add',
                    'clip',
                    'tanh',
                ][rng.randint(10)]
                self.steps.append(('write', j, kind, rng.randint(len(arrays))))

    @staticmethod
    def view(rng, a):
        """(name, arguments) of a view of `a`, whose memory NumPy can share; None where the draw
        does not fit.
        """
        kind = rng.randint(12)
        n = a.ndim
        if kind == 0 and n:
            axis, start = rng.randint(n), rng.randint(2)
            if a.shape[axis] <= start:
                return None
            return 'slice', (axis, start, a.shape[axis], rng.randint(1, 3))
        if kind == 1 and n:
            return 'take', (rng.randint(n), 0)
        if kind in (2, 3) and n:
            return 'transpose', (list(rng.permutation(n)),)
        if kind in (4, 5):
            if a.size == 0:
                return None
            parts = [
                [-1],
                [a.size],
                [1, a.size],
                [a.size // 2, 2] if a.size % 2 == 0 else [a.size, 1],
            ]
            if n > 1:
                parts += [
                    [a.shape[0], a.size // a.shape[0]],
                    [a.size // a.shape[-1], a.shape[-1]],
                    [*a.shape[:-1], 1, a.shape[-1]],
                ]
            if n and a.shape[-1] % 2 == 0:
                parts += [
                    [*a.shape[:-1], a.shape[-1] // 2, 2],
                    [*a.shape[:-1], 2, a.shape[-1] // 2],
                ]
            shape = parts[rng.randint(len(parts))]
            try:
                shared = np.shares_memory(a.reshape(shape), a)
            except ValueError:
                return None
            return ('reshape', (shape,)) if shared else None
        if kind == 6:
            return 'unsqueeze', (rng.randint(n + 1),)
        if kind == 7 and 1 in a.shape:
            return 'squeeze', (a.shape.index(1),)
        if kind == 8 and n > 1:
            i, j = rng.permutation(n)[:2]
            offset = rng.randint(-1, 2)
            d = a.diagonal(offset, i, j)
            return ('diagonal', (int(offset), int(i), int(j))) if d.size else None
        if kind == 9 and n and a.shape[0] > 1:
            return 'unbind', (rng.randint(n),)
        if kind == 10 and n and a.shape[-1] >= 2 and all(s > 0 for s in a.strides):
            return 'unfold', (n - 1, 2, 2)
        if kind == 11 and n and a.shape[0] > 1:
            return 'reverse', ()
        return None

    @staticmethod
    def look(a, name, args):
        numpy = isinstance(a, np.ndarray)
        if name == 'slice':
            axis, start, stop, step = args
            return a[(slice(None),) * axis + (slice(start, stop, step),)]
        if name == 'take':
            return (
                a[(slice(None),) * args[0] + (args[1],)]
                if not numpy
                else a[(slice(None),) * args[0] + (args[1], ...)]
            )
        if name == 'reverse':
            return a[::-1]
        if name == 'unbind':
            return np.moveaxis(a, args[0], 0)[-1, ...] if numpy else paddle.unbind(a, args[0])[-1]
        if name == 'diagonal':
            if not numpy:
                return paddle.diagonal(a, *args)
            d = a.diagonal(*args)
            d.flags.writeable = True
            return d
        if name == 'unfold':
            if not numpy:
                return a.unfold(*args)
            w = np.lib.stride_tricks.sliding_window_view(a, 2, axis=args[0], writeable=True)
            return w[(slice(None),) * args[0] + (slice(None, None, args[2]),)]
        if name == 'unsqueeze':
            return np.expand_dims(a, args[0]) if numpy else a.unsqueeze(args[0])
        if name == 'transpose':
            return a.transpose([int(i) for i in args[0]])
        return getattr(a, name)(*args)

    @staticmethod
    def write(a, kind, b):
        numpy = isinstance(a, np.ndarray)
        if kind == 'add':
            if numpy:
                a[...] = a + 0.25
            else:
                a.add_(paddle.full([], 0.25, 'float64'))
        elif kind == 'scale':
            if numpy:
                a[...] = a * 1.25
            else:
                a.scale_(1.25)
        elif kind == 'clip':
            if numpy:
                a[...] = np.clip(a, 0.375, 1.25)
            else:
                a.clip_(0.375, 1.25)
        elif kind == 'tanh':
            if numpy:
                a[...] = np.tanh(a)
            else:
                a.tanh_()
        elif kind == 'set' and len(a.shape):
            a[0] = 0.75
        elif kind == 'other':
            s = (b * 0.125 if numpy else paddle.scale(b, 0.125)).sum()
            if numpy:
                a[...] = a + s
            else:
                a.add_(s)
        else:
            a[...] = a * 0.5 + 0.125 if numpy else paddle.scale(a, 0.5, 0.125)

    def run(self, x, mix):
        made = [x]
        for step in self.steps:
            if step[0] == 'view':
                made.append(self.look(made[step[1]], *step[2:]))
            else:
                self.write(made[step[1]], step[2], made[step[3]])
        return sum((m * (m * mix[k])).sum() for k, m in enumerate(made))

    def value(self, start, mix):
        return float(self.run(start.copy(), mix))


def gradient(program, mix):
    g = np.zeros(program.shape)
    for i in np.ndindex(*program.shape):
        p, m = program.start.copy(), program.start.copy()
        p[i] += 1e-6
        m[i] -= 1e-6
        g[i] = (program.value(p, mix) - program.value(m, mix)) / 2e-6
    return g


@pytest.mark.parametrize('block', range(8))
def test_programs(block):
    ran = 0
    for seed in range(block, SEEDS, 8):
        program = Program(seed)
        mix = np.random.RandomState(seed + 1).uniform(0.5, 1.5, len(program.steps) + 1).tolist()
        want, derivative = program.value(program.start, mix), gradient(program, mix)

        def f(x):
            return program.run(x * 1.0, mix)

        runs = [f]
        if seed % 2:
            runs += [paddle.jit.to_static(f, full_graph=True)] * 2
        else:
            runs += [paddle.jit.to_static(f, full_graph=False)] * 2
        for k, g in enumerate(runs):
            x = paddle.to_tensor(program.start, stop_gradient=False)
            what = f'seed {seed} run {k} {program.shape} {program.steps}'
            y = g(x)
            np.testing.assert_allclose(y.numpy(), want, rtol=1e-10, err_msg=what)
            try:
                y.backward()
            except (
                RuntimeError
            ) as error:  # a tensor that a gradient needs was written, as eager memory shows
                assert 'modified by an in-place operation' in str(error) and (
                    k == 0 or seed % 2 == 0
                ), what
                continue
            ran += k == 0
            np.testing.assert_allclose(
                x.grad.numpy(), derivative, rtol=1e-5, atol=1e-6, err_msg=what
            )
    assert ran >= 10


def check(f, start):
    """f(x) eagerly and recorded both ways."""
    results = []
    for g in (
        f,
        paddle.jit.to_static(f, full_graph=False),
        paddle.jit.to_static(f, full_graph=True),
    ):
        for _ in range(2):
            x = paddle.to_tensor(start, stop_gradient=False)
            y = g(x)
            y.sum().backward()
            results.append((y.numpy(), x.grad.numpy()))
    for y, g in results[1:]:
        np.testing.assert_allclose(y, results[0][0])
        np.testing.assert_allclose(g, results[0][1])
    return results[0]


def test_transpose_then_reshape():
    def f(x):
        v = x * 1.0
        w = v.transpose([0, 2, 1]).view([2, 2, 2, 3])
        w[0, 1].scale_(10.0)
        return v * v

    y, _ = check(f, np.arange(24.0).reshape(2, 3, 4))
    want = np.arange(24.0).reshape(2, 3, 4)
    want[0, :, 2:] *= 10
    np.testing.assert_array_equal(y, want * want)


def test_reshape_that_copies_is_no_view():
    def f(x):
        v = x * 1.0
        v.t().reshape([6]).scale_(10.0)
        return v * v

    y, _ = check(f, np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(y, np.arange(6.0).reshape(2, 3) ** 2)


@pytest.mark.parametrize(
    'see', [lambda v: v[:], lambda v: v[...], lambda v: v[:, :], lambda v: v.detach()]
)
def test_whole_views(see):
    def f(x):
        v = x * 1.0
        see(v).scale_(3.0)
        return v * 2.0

    y, _ = check(f, np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(y, np.arange(6.0).reshape(2, 3) * 6)


def test_strided_patterns():
    def f(x):
        v = x * 1.0
        paddle.as_strided(v, [2, 2], [3, 1], 8).scale_(3.0)
        v.unfold(0, 2, 3).add_(paddle.ones([], 'float64'))
        return v * v

    y, _ = check(f, np.arange(8.0))
    want = np.arange(8.0)
    want[[1, 2, 4, 5]] *= 3
    want[[0, 1, 3, 4, 6, 7]] += 1
    np.testing.assert_array_equal(y, want * want)


def test_complex_parts():
    def g(x):
        v = x * 1.0
        paddle.as_complex(v).scale_(2.0)
        return v * v

    check(g, np.arange(6.0).reshape(3, 2))

    def h(x):
        v = paddle.as_complex(x * 1.0)
        paddle.as_real(v)[..., 0].scale_(3.0)
        return paddle.as_real(v * v)

    check(h, np.arange(6.0).reshape(3, 2))


@pytest.mark.parametrize('part', ['real', 'imag'])
def test_a_real_or_imaginary_part_is_a_view(part):
    def f(x):
        z = paddle.as_complex(x * 1.0)
        seen = getattr(z, part)()
        seen[1:].scale_(3.0)
        again = getattr(paddle, part)(z)
        z.scale_(2.0)
        return paddle.as_real(z * z).sum(-1) * seen * again

    check(f, np.arange(6.0).reshape(3, 2))
    z = paddle.to_tensor(np.array([[1 + 2j, 3 + 4j], [5 + 6j, 7 + 8j]])).t()
    one, other = getattr(z, part)(), getattr(paddle, part)(z)
    one.add_(paddle.ones([2, 2], 'float64'))
    other[0] = 9.0
    want = np.array([[1 + 2j, 3 + 4j], [5 + 6j, 7 + 8j]]).T
    setattr(want, part, getattr(want, part) + 1)
    getattr(want, part)[0] = 9
    np.testing.assert_array_equal(z.numpy(), want)
    leaf = paddle.to_tensor([1 + 2j, 3 + 4j], stop_gradient=False)
    with pytest.raises(ValueError, match='leaf'):
        getattr(leaf, part)().scale_(2.0)


def test_views_of_a_base_that_is_not_row_major():
    w = paddle.to_tensor([2.0, 3.0, 4.0], dtype='float64', stop_gradient=False)
    d = paddle.arange(6, dtype='float64').reshape([3, 2]).t().detach()
    d[1].multiply_(w)
    (d * d).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), 2 * w.numpy() * np.array([1.0, 3.0, 5.0]) ** 2)


def test_overlapping_views_are_not_written_with_a_gradient():
    x = paddle.arange(6, dtype='float64')
    x.stop_gradient = False
    v = x * 1.0
    u = v.unfold(0, 3, 1)
    with pytest.raises(ValueError, match='memory of their own'):
        u.scale_(2.0)
    v.scale_(2.0)
    u.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.array([1.0, 2, 3, 3, 2, 1]) * 2)


@pytest.mark.parametrize('captured', [False, True])
@pytest.mark.parametrize('view', [lambda w: w[0], lambda w: w.reshape([4])[:2]])
def test_out_without_a_history_into_a_view_of_a_leaf(view, captured):
    """Eager, the leaf takes the values as its own; a program does not know whether it is one."""

    def function(w, x):
        paddle.exp(x, out=view(w))
        return w * 2

    def run(mark):
        results = []
        w = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        call = mark((lambda x: function(w, x)) if captured else function)
        for step in range(4):
            x = paddle.to_tensor([0.5, step])
            w.clear_grad()
            result = call(x) if captured else call(w, x)
            result.sum().backward()
            results.append((result.tolist(), w.tolist(), w.grad.tolist()))
        return results

    plain = run(lambda f: f)
    assert plain[-1][2] == [[2, 2], [2, 2]]
    with pytest.warns(UserWarning, match='out'):
        assert run(paddle.jit.to_static) == plain
    with pytest.raises(RuntimeError, match=r'\[out\] expected a tensor of its own'):
        run(lambda f: paddle.jit.to_static(f, full_graph=True))
