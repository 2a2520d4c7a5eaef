# SPDX-License-Identifier: Apache-2.0
"""One thread through every layer: operations eagerly, recorded, differentiated, fused, saved and
loaded, also by the wheel.
"""

import json
import pathlib

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
import paddle.static as static
from paddle.base import libpaddle

pir = libpaddle.pir
rng = np.random.default_rng(7)
A = rng.standard_normal((3, 4)).astype('float32')
B = rng.standard_normal((3, 4)).astype('float32')
M = rng.standard_normal((4, 5)).astype('float32')

OPS = {
    'add': (lambda x, y: x + y, [A, B]),
    'add_broadcast': (lambda x, y: x + y, [A[:, :1], B[0]]),
    'multiply': (lambda x, y: x * y, [A, B]),
    'tanh': (paddle.tanh, [A]),
    'pow': (lambda x: paddle.pow(x, 3), [A]),
    'where': (lambda x, y: paddle.where(x > y, x, y * 2), [A, B]),
    'sum': (lambda x: paddle.sum(x, axis=-1), [A]),
    'sum_keepdim': (lambda x: paddle.sum(x, axis=0, keepdim=True), [A]),
    'reshape': (lambda x: paddle.reshape(x, [2, -1]), [A]),
    'slice': (lambda x: x[1:, :2], [A]),
    'matmul': (paddle.matmul, [A, M]),
    'matmul_transposed': (lambda x, y: paddle.matmul(x, y, transpose_y=True), [A, B]),
    'softmax': (lambda x: F.softmax(x, axis=-1), [A]),
    'gelu': (F.gelu, [A]),
    'gelu_tanh': (lambda x: F.gelu(x, approximate=True), [A]),
    'composed': (lambda x, y: paddle.sum(F.gelu(x * y + x) * paddle.tanh(y), axis=-1), [A, B]),
}


def eager(fn, arrays):
    """Result and input gradients of sum(fn * weight)."""
    xs = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    out = fn(*xs)
    weight = paddle.to_tensor(
        np.linspace(-1, 1, out.numel().item(), dtype='float32').reshape(out.shape)
    )
    grads = paddle.grad([paddle.sum(out * weight)], xs)
    return out.numpy(), [g.numpy() for g in grads]


def record(fn, arrays, shapes, weight):
    program = static.Program()
    with static.program_guard(program, static.Program()):
        xs = [
            static.data(f'x{i}', shape, str(a.dtype))
            for i, (a, shape) in enumerate(zip(arrays, shapes))
        ]
        for x in xs:
            x.stop_gradient = False
        out = fn(*xs)
        w = static.data('w', list(weight.shape), 'float32')
        grads = static.gradients([paddle.sum(out * w)], xs)
    return program, xs, out, grads


@pytest.mark.parametrize('fuse', [False, True], ids=['plain', 'fused'])
@pytest.mark.parametrize('dynamic', [False, True], ids=['known', 'unknown'])
@pytest.mark.parametrize('name', OPS)
def test_recorded_equals_eager(name, dynamic, fuse):
    fn, arrays = OPS[name]
    want, want_grads = eager(fn, arrays)
    weight = np.linspace(-1, 1, want.size, dtype='float32').reshape(want.shape)
    paddle.enable_static()
    try:
        shapes = [
            [-1, *a.shape[1:]]
            if dynamic and a.ndim == 2 and name not in ('matmul_transposed',)
            else list(a.shape)
            for a in arrays
        ]
        if dynamic and name in ('where', 'composed', 'add', 'multiply'):
            shapes = [[-1, a.shape[1]] for a in arrays]
        program, xs, out, grads = record(fn, arrays, shapes, weight)
        plan = pir.Plan(program, [out, *grads], fuse)
        feed = {f'x{i}': a for i, a in enumerate(arrays)} | {'w': weight}
        with static.program.running():
            got = plan.run([paddle.to_tensor(feed[n]) for n in plan.input_names])
            got = [g.numpy() for g in got]
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got[0], want, rtol=2e-6, atol=1e-6)
    for g, w in zip(got[1:], want_grads):
        np.testing.assert_allclose(g, w, rtol=5e-6, atol=2e-6)


def test_gradients_are_recorded_as_grad_ops(static_mode):
    program, _, _, _ = record(
        OPS['composed'][0], [A, B], [[-1, 4], [-1, 4]], np.ones((3,), 'float32')
    )
    names = [op.name() for op in program.global_block().ops]
    for op in ('gelu', 'tanh', 'multiply', 'add', 'sum'):
        assert f'pd_op.{op}_grad' in names


def test_fused_group_is_one_kernel(static_mode):
    program = static.Program()
    with static.program_guard(program):
        x, y = static.data('x', [-1, 64], 'float32'), static.data('y', [-1, 64], 'float32')
        out = paddle.sum(paddle.tanh(x * y + 1.0) * x, axis=-1)
    plan = pir.Plan(program, [out], True)
    assert plan.num_fused == 1
    plain = pir.Plan(program, [out], False)
    a, b = rng.standard_normal((2, 7, 64)).astype('float32')
    with static.program.running():
        inputs = [paddle.to_tensor(a), paddle.to_tensor(b)]
        np.testing.assert_allclose(
            plan.run(inputs)[0].numpy(), plain.run(inputs)[0].numpy(), rtol=3e-6, atol=1e-5
        )
    assert plan.num_instructions < plain.num_instructions


def test_append_op_by_old_name(static_mode):
    program = static.Program()
    with static.program_guard(program):
        x, y = static.data('x', [3, 4], 'float32'), static.data('y', [4], 'float32')
        block = program.global_block()
        out = block.create_var(name='sum_0', dtype='float32')
        block.append_op(
            type='elementwise_add',
            inputs={'X': x, 'Y': y},
            outputs={'Out': out},
            attrs={'axis': -1},
        )
        two = block.create_var(name='product')
        block.append_op(
            type='matmul_v2',
            inputs={'X': [out], 'Y': [out]},
            outputs={'Out': [two]},
            attrs={'trans_y': True},
        )
        with pytest.raises(ValueError, match='axis 0 on'):  # 4 numbers beside 3 rows
            block.append_op(
                type='elementwise_add',
                inputs={'X': x, 'Y': y},
                outputs={'Out': out},
                attrs={'axis': 0},
            )
        with pytest.raises(ValueError, match='elementwise_nope'):
            block.append_op(type='elementwise_nope')
        with pytest.raises(ValueError, match='input Y'):
            block.append_op(type='elementwise_add', inputs={'X': x}, outputs={'Out': out})
    assert [op.name() for op in block.ops if op.name() != 'pd_op.data'] == [
        'pd_op.add',
        'pd_op.matmul',
    ]
    got = static.Executor().run(program, feed={'x': A, 'y': B[0]}, fetch_list=['sum_0', two])
    np.testing.assert_allclose(got[0], A + B[0])
    np.testing.assert_allclose(got[1], (A + B[0]) @ (A + B[0]).T, rtol=1e-5)


def build_model():
    """A program with parameters: (program, inputs, results)."""
    paddle.seed(3)
    program = static.Program()
    with static.program.running():
        linear = paddle.nn.Linear(4, 3)
    with static.program_guard(program, static.Program()):
        x = static.data('x', [-1, 4], 'float32')
        h = F.gelu(paddle.matmul(x, linear.weight) + linear.bias)
        out = F.softmax(paddle.reshape(h, [-1, 3])[:, :2])
        total = paddle.where(h > 0, paddle.pow(h, 2.0), paddle.tanh(h)).sum(axis=-1)
    return program, [x], [out, total], linear


def test_save_and_load_here(static_mode, tmp_path):
    program, feeds, fetches, linear = build_model()
    exe = static.Executor()
    want = exe.run(program, feed={'x': A}, fetch_list=fetches)
    static.save_inference_model(str(tmp_path / 'm'), feeds, fetches, exe, program=program)
    document = json.loads((tmp_path / 'm.json').read_text())
    assert document['base_code'] == {'magic': 'pir', 'trainable': True, 'version': 4}
    loaded, names, targets = static.load_inference_model(str(tmp_path / 'm'), exe)
    assert names == ['x']
    for got, w in zip(exe.run(loaded, feed={'x': A}, fetch_list=targets), want):
        np.testing.assert_array_equal(got, w)
    (tmp_path / 'm.pdiparams').write_bytes((tmp_path / 'm.pdiparams').read_bytes()[:-3])
    with pytest.raises(ValueError, match='pdiparams'):
        static.load_inference_model(str(tmp_path / 'm'), exe)


def test_bad_feeds(static_mode):
    program, _, fetches, _ = build_model()
    exe = static.Executor()
    with pytest.raises(KeyError, match="expected input 'x' in feed"):
        exe.run(program, feed={}, fetch_list=fetches)
    with pytest.raises(TypeError, match='expected a dict as feed, got ndarray'):
        exe.run(program, feed=[A], fetch_list=fetches)
    with pytest.raises(ValueError, match="'x' of dtype paddle.float32, got paddle.float64"):
        exe.run(program, feed={'x': A.astype('float64')}, fetch_list=fetches)
    with pytest.warns(UserWarning, match="'x' of shape"):  # the program may run with another one
        with pytest.raises(ValueError, match=r'\[matmul\] .* shapes \[3, 3\] and \[4, 3\]'):
            exe.run(program, feed={'x': B[:, :3]}, fetch_list=fetches)
    other, _, _, _ = build_model()
    with pytest.raises(RuntimeError, match='another program'):
        exe.run(other, feed={'x': A}, fetch_list=fetches)


def test_append_backward_trains(static_mode):
    program, _, fetches, linear = build_model()
    with static.program_guard(program):
        pairs = static.append_backward(fetches[1].sum())
    assert [p.name for p, _ in pairs] == sorted([linear.weight.name, linear.bias.name])
    grads = static.Executor().run(program, feed={'x': A}, fetch_list=[g for _, g in pairs])
    assert all(np.abs(g).max() > 0 for g in grads)


@pytest.mark.oracle
def test_the_wheel_loads_ours(static_mode, tmp_path, run_oracle):
    program, feeds, fetches, _ = build_model()
    exe = static.Executor()
    want = exe.run(program, feed={'x': A}, fetch_list=fetches)
    static.save_inference_model(str(tmp_path / 'm'), feeds, fetches, exe, program=program)
    np.save(tmp_path / 'x.npy', A)
    run_oracle(
        '''
import sys, numpy as np, paddle
d = sys.argv[1]
paddle.enable_static()
exe = paddle.static.Executor(paddle.CPUPlace())
program, names, targets = paddle.static.load_inference_model(d + '/m', exe)
assert names == ['x'], names
for i, r in enumerate(exe.run(program, feed={'x': np.load(d + '/x.npy')}, fetch_list=targets)):
    np.save(f'{d}/r{i}.npy', r)
''',
        tmp_path,
    )
    for i, w in enumerate(want):
        np.testing.assert_allclose(np.load(tmp_path / f'r{i}.npy'), w, rtol=2e-6, atol=1e-6)


@pytest.mark.oracle
def test_we_load_the_wheels(static_mode, tmp_path, run_oracle):
    np.save(tmp_path / 'x.npy', A)
    run_oracle(
        '''
import sys, numpy as np, paddle
import paddle.nn.functional as F
d = sys.argv[1]
paddle.enable_static()
with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    x = paddle.static.data('x', [-1, 4], 'float32')
    x.stop_gradient = False
    h = F.gelu(paddle.static.nn.fc(x, 3))
    y = F.softmax(paddle.reshape(h, [-1, 3])[:, :2])
    s = paddle.where(h > 0, paddle.pow(h, 2.0), paddle.tanh(h) * 2).sum(axis=-1)
    g = paddle.static.gradients([s.sum()], [x])[0]
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    paddle.static.save_inference_model(d + '/m', [x], [y, s, g], exe)
    for i, r in enumerate(exe.run(feed={'x': np.load(d + '/x.npy')}, fetch_list=[y, s, g])):
        np.save(f'{d}/r{i}.npy', r)
''',
        tmp_path,
    )
    exe = static.Executor()
    program, names, targets = static.load_inference_model(str(tmp_path / 'm'), exe)
    assert names == ['x']
    for i, got in enumerate(exe.run(program, feed={'x': A}, fetch_list=targets)):
        np.testing.assert_allclose(got, np.load(tmp_path / f'r{i}.npy'), rtol=2e-6, atol=1e-6)
    assert pathlib.Path(tmp_path / 'm.json').exists()
