# SPDX-License-Identifier: Apache-2.0
"""Programs take no memory at a run beside what was planned, whatever operation they hold: of every
public function with a gradient, and of its gradient, over tensors in order and strided ones.
"""

import warnings

import gradient_recipes
import numpy as np
import pytest

import paddle
from paddle import static

# Packed weights are kept with parameters; those that a program computes are packed at each run.
APART = ('conv2d', 'conv3d', 'conv2d_transpose_grad: conv_nd', 'conv3d_transpose_grad: conv_nd')


def planned(function, tensors, strided):
    """A program of a call and its gradients, its feed, and what to fetch: small results."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        feed, given = {}, []
        for k, tensor in enumerate(tensors):
            shape = tensor.shape[::-1] if strided else tensor.shape
            data = static.data(f'x{k}', shape, tensor.dtype)
            data.stop_gradient = not gradient_recipes.is_differentiable(tensor)
            axes = list(range(len(shape)))[::-1]
            array = tensor.numpy()
            feed[f'x{k}'] = np.ascontiguousarray(array.T) if strided else array
            # What a program is fed with leaves it: what a call gets is made in it.
            given.append(
                (data if data.stop_gradient else data * 1).transpose(axes) if strided else data
            )
        results = [r for r in function(*given) if not r.stop_gradient]
        weights = [
            paddle.linspace(0.5, 1.5, r.size).reshape(r.shape).cast(r.dtype) for r in results
        ]
        wanted = [t for t in given if not t.stop_gradient]
        grads = static.gradients(results, wanted, weights)
        ends = [t for t in (*results, *grads) if t is not None]
        fetches = [
            (t.real() if t.is_complex() else t).cast('float32').max() for t in ends if t.size
        ]
    return main, feed, fetches


def unplanned(main, feed, fetches):
    """Instructions that take memory of their own at each run, once the program is bound."""
    executor = static.Executor()
    for _ in range(4):
        executor.run(main, feed=feed, fetch_list=fetches)
    ((plan, _),) = main._plans.values()
    return plan.unplanned


@pytest.mark.parametrize('strided', [False, True])
@pytest.mark.parametrize('dtype, least', [('float32', 600), ('float16', 600), ('complex64', 100)])
def test_programs_take_no_memory_beside_their_plan(dtype, least, strided, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some calls write files
    found, count = [], 0
    for name, function, tensors in list(gradient_recipes.cases()):
        if any(t.is_selected_rows() for t in tensors):
            continue
        tensors = [t.astype(dtype) if t.dtype == paddle.float32 else t for t in tensors]
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            paddle.enable_static()
            try:
                rows = unplanned(*planned(function, tensors, strided))
            except Exception:  # noqa: BLE001 calls that programs refuse have tests of their own
                continue
            finally:
                paddle.disable_static()
        count += 1
        if dtype == 'complex64':  # nothing fuses the parts of compositions of complex numbers
            rows = [op for op in rows if op.split(':')[0].endswith('_grad')]
        found += [f'{name}: {op}' for op in rows if op not in APART]
    assert not found, '\n'.join(found)
    assert count > least


@pytest.mark.parametrize('kind', ['sum', 'mean', 'max', 'prod', 'amin', 'logsumexp', 'norm', 'var'])
def test_reductions_of_halves_to_many(kind):
    """Whose results are summed in float32 beside."""
    x = paddle.ones([3, 4096], 'float16')
    call = {'norm': lambda t: paddle.linalg.norm(t, 2, 0), 'prod': lambda t: paddle.prod(t, 0)}.get(
        kind, lambda t: getattr(paddle, kind)(t, axis=0)
    )
    paddle.enable_static()
    try:
        assert not unplanned(*planned(call, [x], False))
    finally:
        paddle.disable_static()


def test_networks_that_recur():
    """Gates, packed matrices and gradients of all steps."""
    net = paddle.nn.LSTM(8, 16, num_layers=2, direction='bidirect')
    names = ('weight_ih', 'weight_hh', 'bias_ih', 'bias_hh')
    ends = [f'_l{k}{way}' for k in range(2) for way in ('', '_reverse')]
    weights = [getattr(net, n + e) for part in (names[:2], names[2:]) for e in ends for n in part]
    given = [paddle.ones([5, 2, 8]), *[w.detach() for w in weights]]

    def call(x, *parameters):
        start = paddle.zeros([4, 2, 16])
        last = 0.0, True, 8, 16, 2, 'LSTM', 0, False
        out, _, state = paddle._C_ops.rnn(x, [start, start], [*parameters], None, None, *last)[:3]
        return out, *state

    paddle.enable_static()
    try:
        assert not unplanned(*planned(call, given, False))
    finally:
        paddle.disable_static()


def test_copies_do_not_go_where_views_were_left():
    """Pairs of numbers are a view of complex ones at even places alone."""
    numbers = paddle.arange(0, 9, dtype='float32')
    odd, even = numbers[1:].reshape([4, 2]), numbers[:8].reshape([4, 2])
    call = paddle.jit.to_static(lambda x: paddle.as_complex(x).abs() * 2.0)
    for k in range(12):
        given = odd if k < 5 or k % 2 else even
        want = np.hypot(*given.numpy().T) * 2
        np.testing.assert_allclose(call(given).numpy(), want, rtol=1e-6)
        assert numbers.tolist() == list(range(9))
