# SPDX-License-Identifier: Apache-2.0
"""Extents that are free and broadcast against each other: programs that meet equal ones, and those
of which one is 1, equal eager calls, gradients too.
"""

import collections
import zlib

import extent_cases
import gradient_recipes
import numpy as np
import pytest
from extent_cases import B, Ints, Mask
from test_unknown_extents import _array, _eager, _loss, _record, _tensors

import paddle
from paddle import static

# Their results depend on what no extent tells, or they need an extent while they are recorded.
REFUSED = frozenset(
    '''
        paddle.gather_nd nn.functional.adaptive_log_softmax_with_loss nn.functional.moe_unpermute
        nn.functional.sparse_attention
        incubate.nn.functional.block_multihead_attention
        incubate.nn.functional.fused_multi_transformer
        incubate.nn.functional.moe_gate_dispatch_partial_nosoftmaxtopk
        incubate.nn.functional.variable_length_memory_efficient_attention Tensor.set_tensor
    '''.split()
)


def _close(ours, plain):
    return ours.shape == plain.shape and np.allclose(ours, plain, 2e-4, 2e-5, equal_nan=True)


def _all_losses(results):
    parts = [paddle.as_real(r) if r.is_complex() else r for r in results]
    losses = [_loss([p]) for p in parts]
    losses = [loss.astype('float64') for loss in losses if loss is not None]
    return sum(losses[1:], losses[0]) if losses else None


def _outcome(function, given, gradients):
    """Results of a call, and the gradients of its arguments that have one."""
    paddle.seed(5)
    results = function(*given)
    loss = _all_losses(results)
    wanted = [g for g in given if not g.stop_gradient]
    if loss is None or not wanted:
        return results, [None] * len(wanted)
    return results, gradients([loss], wanted)


def _in_eager(function, arrays):
    given = [paddle.to_tensor(a) for a in arrays]
    for g in given:
        g.stop_gradient = not gradient_recipes.is_differentiable(g)
    found = _outcome(function, given, lambda ys, xs: paddle.grad(ys, xs, allow_unused=True))
    return [[None if t is None else t.numpy() for t in part] for part in found]


def _in_program(function, arrays, free):
    """The program of a call in which the extents `free` are unknown, its results and gradients."""
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program, static.Program()):
            given = []
            for k, array in enumerate(arrays):
                shape = [None if (k, i) in free else n for i, n in enumerate(array.shape)]
                given.append(static.data(f'x{k}', shape, str(array.dtype)))
                given[-1].stop_gradient = not gradient_recipes.is_differentiable(given[-1])
            return program, *_outcome(function, given, static.gradients)
    finally:
        paddle.disable_static()


def _broadcasts(function, arrays):
    """Arguments of which one has an extent 1 where another has more, that the function takes, and
    the axes that are free then: (argument, axis).
    """
    found, free = [], set()
    for r in range(1, max(a.ndim for a in arrays) + 1):
        sizes = collections.defaultdict(list)
        for k, a in enumerate(arrays):
            if a.ndim >= r and a.shape[a.ndim - r] > 1:
                sizes[a.shape[a.ndim - r]].append(k)
        for alike in sizes.values():
            for k in alike if len(alike) > 1 else ():
                one = np.ascontiguousarray(arrays[k].take([0], axis=arrays[k].ndim - r))
                other = [*arrays[:k], one, *arrays[k + 1 :]]
                try:
                    _in_eager(function, other)
                except Exception:  # noqa: BLE001 it does not broadcast
                    continue
                found.append(other)
                free.update((j, arrays[j].ndim - r) for j in alike)
    return found, free


def _differences(name, function, arrays):
    """What differs between the program of a call and the call; None where nothing broadcasts."""
    try:
        _in_eager(function, arrays)
    except Exception:  # noqa: BLE001 calls that are refused have tests of their own
        return None
    others, free = _broadcasts(function, arrays)
    if not others:
        return None
    if name in REFUSED:
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            _in_program(function, arrays, free)
        return []
    program, *recorded = _in_program(function, arrays, free)
    executor, found = static.Executor(), []
    fetches = [t for part in recorded for t in part if t is not None]
    for given in [arrays, *others]:
        shapes = f'{name} of {[a.shape for a in given]}'
        paddle.seed(5)
        try:
            got = iter(executor.run(program, {f'x{k}': a for k, a in enumerate(given)}, fetches))
        except Exception as error:  # noqa: BLE001 told with the others
            found.append(f'{shapes}: {str(error).splitlines()[0]}')
            continue
        for part, plain in zip(recorded, _in_eager(function, given)):
            for t, expected in zip(part, plain):
                ours = None if t is None else next(got)
                if ours is None or expected is None:
                    fits = not any(v is not None and v.any() for v in (ours, expected))
                else:
                    fits = _close(ours, expected)
                if not fits:
                    found.append(f'{shapes}: {np.shape(ours)} against {np.shape(expected)}')
    return found


def test_every_function_that_broadcasts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some calls write files
    found, names = [], []
    for name, call, tensors in gradient_recipes.nested_cases(integers=True):
        if len(tensors) < 2 or any(t.is_selected_rows() for t in tensors):
            continue

        def function(*given, call=call, inplace=name.endswith('_')):
            return call(*[paddle.assign(t) for t in given] if inplace else given)

        different = _differences(name, function, [t.numpy() for t in tensors])
        if different is not None:
            names.append(name)
            found += different
    assert not found, '\n'.join(found)
    assert len(names) > 170 and set(names) >= REFUSED


class _OfSums:
    """A case whose floating inputs are each the mean of two that broadcast."""

    def __init__(self, case):
        self.name, self._call, self._first = case.name, case.call, len(case.inputs)
        self.twice = [
            k
            for k, spec in enumerate(case.inputs)
            if not isinstance(spec, (Ints, Mask)) and B in spec
        ]
        self.inputs = (*case.inputs, *(case.inputs[k] for k in self.twice))

    def call(self, *given):
        x = list(given[: self._first])
        for k, more in zip(self.twice, given[self._first :]):
            x[k] = x[k] * 0.5 + more * 0.5
        return self._call(*x)

    def arrays(self):
        """Of equal extents; of 1 in the one half; of 1 in the other."""
        for ones in (), self.twice, range(self._first, len(self.inputs)):
            rng = np.random.default_rng(zlib.crc32(self.name.encode()))
            yield [_array(s, 1 if k in ones else 3, rng) for k, s in enumerate(self.inputs)]


CASES = [_OfSums(c) for c in extent_cases.CASES if c.name not in extent_cases.REFUSED]
CASES = [c for c in CASES if c.twice]


def test_values_made_of_extents_that_broadcast():
    found, executor = [], static.Executor()
    for case in CASES:
        for gradient in (False, True):
            if gradient and case.name in extent_cases.REFUSED_GRADIENT:
                continue
            program, results = _record(case, gradient)
            wanted = [k for k, r in enumerate(results) if r is not None]
            for arrays in case.arrays() if wanted else ():
                feed = {f'x{k}': a for k, a in enumerate(arrays)}
                got = executor.run(program, feed, [results[k] for k in wanted])
                plain = _eager(case, arrays, gradient)
                for ours, k in zip(got, wanted):
                    if not _close(ours, plain[k].numpy()):
                        found.append(f'{case.name}, gradient: {gradient}: {ours.shape}')
    assert not found, '\n'.join(found)


@pytest.mark.parametrize('full_graph', [False, True])
def test_compiled_functions_of_extents_that_broadcast(full_graph):
    found = []
    for case in CASES:
        if case.name in extent_cases.REFUSED_GRADIENT:
            continue
        dtypes = [
            'bool' if isinstance(s, Mask) else getattr(s, 'dtype', 'float32') for s in case.inputs
        ]
        spec = [
            static.InputSpec([None if n == B else n for n in getattr(s, 'shape', s)], dtype)
            for s, dtype in zip(case.inputs, dtypes)
        ]

        def function(*given, case=case):
            return _tensors(case.call(*given))

        compiled = paddle.jit.to_static(function, input_spec=spec, full_graph=full_graph)
        for arrays in case.arrays():
            for call in (compiled, compiled):  # planned, and with memory that is laid out
                outcomes = []
                for run in (call, function):
                    given = [
                        paddle.to_tensor(a, stop_gradient=a.dtype != np.float32) for a in arrays
                    ]
                    results = run(*given)
                    loss = _loss(results)
                    if loss is not None:
                        loss.backward()
                    outcomes.append([*results, *(g.grad for g in given)])
                for ours, plain in zip(*outcomes):
                    if (ours is None) != (plain is None) or (
                        ours is not None and not _close(ours.numpy(), plain.numpy())
                    ):
                        found.append(f'{case.name}, {[a.shape for a in arrays]}')
    assert not found, '\n'.join(found)


@pytest.mark.skipif(not paddle.is_compiled_with_cinn(), reason='no fusion compiler')
def test_groups_form_across_extents_that_are_equal():
    """One kernel each way where they are; where not, sums of gradients, and groups of what is
    computed between operations that broadcast.
    """
    anything = static.InputSpec([None, None])

    @paddle.jit.to_static(input_spec=[anything, anything], full_graph=True)
    def function(x, y):
        return paddle.tanh(x + y) * paddle.nn.functional.gelu(x - y)

    def instructions(one, other):
        x, y = paddle.rand(one), paddle.rand(other)
        x.stop_gradient = y.stop_gradient = False
        function(x, y).sum().backward()
        assert x.grad.shape == x.shape and y.grad.shape == y.shape
        traced = function.program_cache.last().recording.traced
        traced.profile()
        function(x, y).sum().backward()
        return [name for rows in traced.profile_rows() for name, calls, _ in rows if calls]

    for _ in range(2):
        alike = instructions([3, 4], [3, 4])
        assert len(alike) == 2 and all(name.startswith('fused') for name in alike), alike
        apart = instructions([3, 1], [3, 4])
        assert sum('reduce_as' in name for name in apart) > 0, apart
        assert sum(name.startswith('fused') for name in apart) == 2, apart
