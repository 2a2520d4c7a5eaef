# SPDX-License-Identifier: Apache-2.0
"""Programs with an extent that is not known while they are recorded equal eager calls, gradients
too, at two sizes.
"""

import zlib

import numpy as np
import paddle
import pytest
from extent_cases import CASES, REFUSED, REFUSED_GRADIENT, B, Ints, Mask
from paddle import static

SIZES = (2, 5)


def _shape(spec, size):
    return [size if d == B else d for d in getattr(spec, 'shape', spec)]


def _array(spec, size, rng):
    shape = _shape(spec, size)
    if isinstance(spec, Ints):
        return rng.integers(0, spec.high, shape).astype(spec.dtype)
    return (
        rng.random(shape) < 0.5
        if isinstance(spec, Mask)
        else rng.uniform(0.1, 0.9, shape).astype('float32')
    )


def _tensors(value):
    if isinstance(value, paddle.Tensor):
        return [value]
    return [t for v in value for t in _tensors(v)] if isinstance(value, (list, tuple)) else []


def _loss(out):
    """A number that weighs the elements of the first result differently; None where nothing
    flows.
    """
    out = out[0]
    if out.stop_gradient or not paddle.is_floating_point(out):
        return None
    return (out * paddle.cos(out.detach() * 3 + 1)).sum()


def _record(case, gradient):
    program = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(program):
            inputs = []
            for k, spec in enumerate(case.inputs):
                dtype = (
                    spec.dtype
                    if isinstance(spec, Ints)
                    else 'bool'
                    if isinstance(spec, Mask)
                    else 'float32'
                )
                inputs.append(static.data(f'x{k}', _shape(spec, -1), dtype))
                inputs[-1].stop_gradient = dtype != 'float32'
            results = _tensors(case.call(*inputs))
            if gradient:
                loss = _loss(results)
                floats = [x for x in inputs if not x.stop_gradient]
                results = [] if loss is None or not floats else static.gradients([loss], floats)
    finally:
        paddle.disable_static()
    return program, results


def _eager(case, arrays, gradient):
    inputs = [paddle.to_tensor(a, stop_gradient=a.dtype != np.float32) for a in arrays]
    results = _tensors(case.call(*inputs))
    if not gradient:
        return results
    floats = [x for x in inputs if not x.stop_gradient]
    return paddle.grad([_loss(results)], floats, allow_unused=True)


def _compare(case, gradient):
    program, results = _record(case, gradient)
    wanted = [k for k, r in enumerate(results) if r is not None]
    if not wanted:
        return
    executor = static.Executor()
    for size in SIZES:
        rng = np.random.default_rng(zlib.crc32(case.name.encode()) + size)
        arrays = [_array(spec, size, rng) for spec in case.inputs]
        got = executor.run(
            program, {f'x{k}': a for k, a in enumerate(arrays)}, [results[k] for k in wanted]
        )
        want = _eager(case, arrays, gradient)
        for k, result in zip(wanted, got):
            expected = want[k].numpy()
            assert result.shape == expected.shape, (case.name, size)
            np.testing.assert_allclose(
                result, expected, 2e-4, 2e-5, err_msg=f'{case.name}, size {size}'
            )


@pytest.mark.parametrize('case', CASES, ids=lambda c: c.name)
def test_values(case):
    if case.name in REFUSED:
        with pytest.raises((TypeError, ValueError, RuntimeError, AssertionError)):
            _record(case, False)
    else:
        _compare(case, False)


@pytest.mark.parametrize('case', [c for c in CASES if c.name not in REFUSED], ids=lambda c: c.name)
def test_gradients(case):
    if case.name in REFUSED_GRADIENT:
        with pytest.raises(RuntimeError, match='known while recording'):
            _record(case, True)
    else:
        _compare(case, True)


@pytest.mark.parametrize('backend', [None, 'CINN'])
@pytest.mark.parametrize(
    'function, expected',
    [
        (lambda x, y: paddle.tanh(x + y) * 2 - y, 'add] expected shapes that broadcast'),
        (lambda x, y: paddle.matmul(x, y, transpose_y=True), "matmul] expected x's last axis"),
        (lambda x, y: paddle.concat([x, y], 0), 'concat] expected equal extents'),
        (lambda x, y: paddle.stack([x, y]).sum(0), 'stack] expected tensors of one shape'),
        (lambda x, y: ((x - y) ** 2).mean(), 'subtract] expected shapes that broadcast'),
    ],
)
def test_extents_that_differ_are_found_when_the_program_meets_them(function, expected, backend):
    anything = static.InputSpec([None, None])
    compiled = paddle.jit.to_static(
        function, input_spec=[anything, anything], full_graph=True, backend=backend
    )
    x = paddle.rand([4, 3])
    for _ in range(3):
        np.testing.assert_allclose(compiled(x, x * 2), function(x, x * 2), rtol=1e-5)
    with pytest.raises(ValueError, match=expected) as error:
        compiled(x, paddle.rand([4, 2]))
    assert '3' in str(error.value) and '2' in str(error.value)  # both are named
    np.testing.assert_allclose(compiled(x, x + 1), function(x, x + 1), rtol=1e-5)


@pytest.mark.parametrize(
    'function',
    [
        lambda x, y: paddle.exp(x + y) * y - paddle.tanh(x),
        lambda x, y: paddle.nn.functional.softmax(x + y) * y,
        lambda x, y: (paddle.exp(x + y) * y).sum(0) + x.sum(1, keepdim=True),
    ],
)
@pytest.mark.parametrize('full_graph', [False, True])
def test_extents_that_broadcast_at_one_call_and_not_at_another(function, full_graph):
    anything = static.InputSpec([None, None])
    compiled = paddle.jit.to_static(
        function, input_spec=[anything, anything], full_graph=full_graph
    )
    for one, other in (([3, 4], [3, 4]), ([3, 1], [1, 4]), ([1, 4], [3, 4]), ([64, 1], [64, 512])):
        for _ in range(2):
            found = []
            for run in (compiled, function):
                paddle.seed(1)
                x, y = paddle.rand(one), paddle.rand(other)
                x.stop_gradient = y.stop_gradient = False
                result = run(x, y)
                (result * result).sum().backward()
                found.append([result.numpy(), x.grad.numpy(), y.grad.numpy()])
            for ours, plain in zip(*found):
                np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-5)
