# SPDX-License-Identifier: Apache-2.0
"""Fusion groups that read parts of tensors, look rows up, and store their results part by part;
what is said about them.
"""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


def both(function, *arrays, train=True):
    """Results and gradients, eager and compiled, of a function of float arrays."""
    found = []
    for f in (function, paddle.jit.to_static(function, full_graph=True, backend='CINN')):
        for _ in range(4):  # the later runs use bound memory
            xs = [paddle.to_tensor(a) for a in arrays]
            for x in xs:
                x.stop_gradient = not train
            out = f(*xs)
            out = list(out) if isinstance(out, (list, tuple)) else [out]
            if train:
                sum((o * paddle.cos(o)).sum() for o in out).backward()
        found.append([o.numpy() for o in out] + [x.grad.numpy() for x in xs if train])
    return found


def check(function, *arrays, rtol=2e-5, atol=2e-5, train=True):
    for e, c in zip(*both(function, *arrays, train=train)):
        assert e.shape == c.shape and e.dtype == c.dtype
        np.testing.assert_allclose(c, e, rtol=rtol, atol=atol)


def draw(*shape, seed=0):
    return np.random.RandomState(seed).standard_normal(shape).astype('float32')


def test_rotary_embedding():
    cos, sin = paddle.to_tensor(draw(8, 8, seed=1)), paddle.to_tensor(draw(8, 8, seed=2))

    def rope(x):
        z = paddle.transpose(x.reshape([2, 8, 4, 16]), [0, 2, 1, 3])
        a, c = z[..., :8], z[..., 8:]
        return paddle.concat([a * cos - c * sin, c * cos + a * sin], -1)

    check(rope, draw(2, 8, 64))


FUNCTIONS = {
    'slice': lambda x: paddle.exp(x[:, 1:4]) * x[:, 2:5],
    'slice_last': lambda x: paddle.tanh(x[..., 3:]) + x[..., :5] * 2,
    'slice_step': lambda x: paddle.tanh(x[:, ::2] * 2) + x[:, 1::2],
    'slice_negative': lambda x: paddle.tanh(x[:, -2:] * 2) + x[:, :2],
    'index': lambda x: paddle.tanh(x[:, 2]) * x[:, 0] + x[:, 3],
    'index_last': lambda x: paddle.tanh(x[..., 2]) * x[..., 0],
    'flip': lambda x: paddle.flip(paddle.tanh(x) * 2, [2]) * paddle.flip(x, [0, 1]),
    'split': lambda x: (lambda a, b: paddle.nn.functional.silu(a) * b)(*paddle.split(x, 2, -1)),
    'unbind': lambda x: (lambda a, b, c: paddle.tanh(a * b) + c)(*paddle.unbind(x[:, :3], 1)),
    'concat': lambda x: paddle.concat([paddle.tanh(x) * 2, paddle.sin(x) + 1], 1),
    'concat_last': lambda x: paddle.concat([paddle.tanh(x) * 2, paddle.sin(x) + 1, x], -1),
    'concat_unlike': lambda x: paddle.tanh(paddle.concat([x, x[:, :2]], 1) * 2),
    'concat_unlike_last': lambda x: paddle.tanh(paddle.concat([x[..., 5:], x], -1) * 2).sum(-1),
    'stack': lambda x: paddle.stack([paddle.tanh(x) * 2, x + 1], 1),
    'stack_last': lambda x: paddle.stack([paddle.tanh(x) * 2, x + 1], -1),
    'stack_read': lambda x: paddle.tanh(paddle.stack([x, x[:, ::-1]], 1) * 2),
    'pad': lambda x: paddle._C_ops.pad(paddle.tanh(x) * 2, [0, 0, 1, 2, 0, 0], 3.0),
    'pad_read': lambda x: paddle.tanh(paddle._C_ops.pad(x, [0, 1, 0, 0, 2, 1], 0.5) * 2),
    'pad_crop': lambda x: paddle.tanh(paddle._C_ops.pad(x, [0, 0, -1, 2, 0, 0], 0.5) * 2),
    'pad3d': lambda x: F.pad(paddle.tanh(x), [1, 2], value=1.0, data_format='NCL') * 2,
    'roll': lambda x: paddle.tanh(paddle.roll(x, 2, 1)) * paddle.roll(x, -3, 2),
    'gather': lambda x: paddle.tanh(paddle.gather(x, paddle.to_tensor([2, 0, 2]), 1)) * 2,
    'gather_last': lambda x: (
        paddle.tanh(paddle.gather(x, paddle.to_tensor([2, 0, 2, 7, 1]), 2)) * 2
    ),
    'index_select': lambda x: (
        paddle.exp(paddle.index_select(x, paddle.to_tensor([1, 0, 1]), 0)) + 1
    ),
    'overlapping': lambda x: paddle.tanh(x[:, :4]) + paddle.sin(x[:, 2:]),
    'softmax_of_part': lambda x: F.softmax(x[..., 2:] * 2, -1) * x[..., :6],
    'halves': lambda x: (lambda y: y[..., :4] * paddle.tanh(y[..., 4:]))(x * 2 + 1),
}


@pytest.mark.parametrize('name', FUNCTIONS)
def test_parts(name):
    check(FUNCTIONS[name], draw(3, 6, 8))


def test_embedding():
    ids = paddle.to_tensor([[1, 2, 0], [4, 5, 0]])
    norm = lambda t: F.layer_norm(t, 20)  # noqa: E731
    check(
        lambda w, p: norm(F.embedding(ids, w, padding_idx=0) * 2 + p),
        draw(7, 20),
        draw(3, 20),
        atol=2e-4,
    )
    f = paddle.jit.to_static(
        lambda i, w: F.embedding(i, w) * 2 + 1, full_graph=True, backend='CINN'
    )
    with paddle.no_grad():
        w = paddle.to_tensor(draw(7, 20))
        for wrong in (7, -1):
            with pytest.raises(ValueError, match=str(wrong)):
                f(paddle.to_tensor([0, wrong]), w)


@pytest.mark.parametrize('axis', [-1, 1])
def test_cross_entropy(axis):
    label = np.random.RandomState(3).randint(0, 6, [5, 7] if axis == 1 else [5, 4])
    label[1, 2] = -100
    label = paddle.to_tensor(label)
    x = draw(5, 6, 7) if axis == 1 else draw(5, 4, 6)
    check(lambda x: F.cross_entropy(x * 2, label, axis=axis), x)
    check(
        lambda x: F.cross_entropy(x * 100, label, axis=axis, reduction='none') * 2,
        x,
        rtol=1e-4,
        atol=1e-3,
    )
    f = paddle.jit.to_static(
        lambda x, i: F.cross_entropy(x * 2, i, reduction='none') * 2,
        full_graph=True,
        backend='CINN',
    )
    with paddle.no_grad(), pytest.raises(Exception, match='6'):
        f(paddle.to_tensor(draw(2, 6)), paddle.to_tensor([1, 6]))


def test_a_long_row_waits_on_all_threads():
    x = draw(1, 200003)
    check(lambda x: F.softmax(x * 3, -1), x, atol=1e-7)
    check(lambda x: x * 2 / (x * x).sum().sqrt(), x, atol=1e-5)
    check(lambda x: (x - x.mean()) * paddle.rsqrt(x.var() + 1e-5), x, atol=1e-4)


def test_more_results_than_a_kernel_has():
    check(
        lambda x: (lambda y: [paddle.tanh(y * k) + 1 for k in range(1, 20)])(paddle.exp(x * 0.1)),
        draw(4, 5),
    )


def test_results_in_the_memory_of_operands():
    w = paddle.to_tensor(draw(64, 64, seed=5))

    def f(x):
        for _ in range(3):
            x = paddle.matmul(x, w)
            y = paddle.tanh(x) * 0.1
            x = paddle.exp(y) - x * 0.5 + y
        return x

    check(f, draw(8, 64))
    check(f, draw(8, 64), train=False)


BROADCASTING = {
    'remainder': lambda a, b: paddle.remainder(a, paddle.abs(b) + 0.5),
    'fmax': lambda a, b: paddle.fmax(a, b),
    'fmin': lambda a, b: paddle.fmin(a, b),
    'atan2': lambda a, b: paddle.atan2(a, b),
    'heaviside': lambda a, b: paddle.heaviside(a, b),
    'lerp': lambda a, b: paddle.lerp(a, b, 0.3 * paddle.ones_like(a)),
    'bce_loss': lambda a, b: F.binary_cross_entropy(
        F.sigmoid(a + b), F.sigmoid(a - b).detach(), reduction='none'
    ),
}


@pytest.mark.parametrize('name', BROADCASTING)
def test_gradients_of_broadcasting_ops(name):
    check(
        lambda a, b: BROADCASTING[name](a * 2, b + 1) * 0.5,
        draw(8, 1, 33),
        draw(5, 1, seed=1),
        rtol=1e-4,
    )


@pytest.mark.parametrize('name', ['fmax', 'atan2', 'where'])
def test_gradients_of_broadcasting_ops_join_groups(name):
    call = (
        'paddle.where(x > 0, x * 2, x + 1)' if name == 'where' else f'paddle.{name}(x * 2, x + 1)'
    )
    lines = explain(f'''
x.stop_gradient = False
compiled = paddle.jit.to_static(lambda x: paddle.tanh({call}), full_graph=True, backend="CINN")
compiled(x).sum().backward()
''')
    assert re.search(rf'pd_op.{name}_grad \(op \d+\): (joins|starts) group', lines), lines


@pytest.mark.parametrize('y', [0, 0.5, 1, 1.5, 2, 3, 4, 2.25, -1, -2.5])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16'])
def test_gradients_of_powers(y, dtype):
    """Eager calls and compiled ones use the loops of the stanza and its expressions: the same
    bits."""
    values = np.concatenate([draw(61) ** 2 + 0.1, [1.0, 2.0, 9.0]]).astype(dtype)
    x = paddle.to_tensor(values, stop_gradient=False)
    dout = paddle.to_tensor(draw(64, seed=3)).astype(dtype)
    (x**y).backward(dout)
    want = dout.numpy().astype('float64') * (y * values.astype('float64') ** (y - 1) if y else 0)
    rtol = {'float32': 2e-6, 'float64': 1e-14, 'float16': 2e-3}[dtype]
    np.testing.assert_allclose(x.grad.numpy().astype('float64'), want, rtol=rtol)
    z = paddle.to_tensor(values, stop_gradient=False)
    compiled = paddle.jit.to_static(lambda z: z**y, full_graph=True)
    for _ in range(3):
        z.clear_grad()
        compiled(z).backward(dout)
        np.testing.assert_array_equal(z.grad.numpy(), x.grad.numpy())


def test_gradients_of_powers_join_groups():
    lines = explain('''
x.stop_gradient = False
compiled = paddle.jit.to_static(lambda x: paddle.tanh(paddle.exp(x) ** 2.5), full_graph=True)
compiled(x).sum().backward()
''')
    assert re.search(r'pd_op.pow_grad \(op \d+\): (joins|starts) group', lines), lines


def test_gradients_of_complex_powers():
    z = np.array([1 + 2j, -0.5 + 0.25j, 3 - 1j])
    for y in (0, 1.5, 2, 3, 4, 2.25, 1 + 0.5j):
        x = paddle.to_tensor(z, stop_gradient=False)
        compiled = paddle.jit.to_static(lambda x: paddle.pow(x, y), full_graph=True)
        for call in (lambda x: paddle.pow(x, y), compiled):
            x.clear_grad()
            call(x).backward(paddle.to_tensor(np.array([1 + 1j, 2j, -1])))
            want = np.array([1 + 1j, 2j, -1]) * np.conj(y * z ** (y - 1) if y else 0 * z)
            np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-12)


def test_powers_are_differentiated_again():
    x = paddle.to_tensor([0.5, 1.5, 2.0], dtype='float64', stop_gradient=False)
    for y in (0, 1, 1.5, 2, 3, 4, 2.3):
        (first,) = paddle.grad((x**y).sum(), x, create_graph=True)
        (second,) = paddle.grad(first.sum(), x, create_graph=True, allow_unused=True)
        want = y * (y - 1) * x.numpy() ** (y - 2)
        if second is not None:
            np.testing.assert_allclose(second.numpy(), want, rtol=1e-12, atol=1e-15)
        else:
            assert not want.any()


def explain(code):
    program = 'import paddle\nimport paddle.nn.functional as F\nx = paddle.randn([4, 6])\n' + code
    env = {
        **os.environ,
        'FLAGS_cinn_explain': '1',
        'PYTHONPATH': os.pathsep.join(p for p in sys.path if p),
    }
    return subprocess.run(
        [sys.executable, '-c', program], env=env, capture_output=True, text=True, check=True
    ).stderr


@pytest.mark.parametrize(
    'body,text',
    [
        ('paddle.concat([paddle.tanh(x) * 2, x + 1], 0)', r'pd_op.concat \(op \d+\): joins group'),
        ('paddle.tanh(x[:, :3]) * 2', r'pd_op.slice \(op \d+\): stays a view'),
        ('paddle.tanh(x)', 'only one operation in it does work'),
        ('paddle.cumsum(x * 2, 0) * 2', r'pd_op.cumsum \(op \d+\): no lowering'),
        (
            '(lambda y: [paddle.tanh(y * k) for k in range(1, 20)])(paddle.exp(x))',
            'more results leave',
        ),
        (
            '(lambda a: paddle.exp(a) + paddle.matmul(a, a, '
            'transpose_y=True).sum())(paddle.tanh(x))',
            'a path through another operation',
        ),
    ],
)
def test_every_decision_is_explained(body, text):
    lines = explain(f'paddle.jit.to_static(lambda x: {body}, full_graph=True, backend="CINN")(x)')
    assert re.search(text, lines), lines


def test_no_operation_is_left_without_a_word():
    lines = explain("""
def f(x):
    a, b = paddle.split(x, 2, -1)
    y = paddle.concat([F.silu(a) * b, paddle.tanh(a)], -1)
    return paddle.cumsum(F.softmax(y, -1), 0) + paddle.matmul(y, y, transpose_y=True).sum()
with paddle.no_grad():
    paddle.jit.to_static(f, full_graph=True, backend='CINN')(x)
""")
    said = {int(k) for k in re.findall(r'\(op (\d+)\)', lines)}
    assert said == set(range(max(said) + 1)) and len(said) > 10
    groups = {int(k) for k in re.findall(r'starts group (\d+)', lines)}
    gone = {int(k) for k in re.findall(r'group (\d+) joins group', lines)} | {
        int(k) for k in re.findall(r'group (\d+) \(from', lines)
    }
    kept = {int(k) for k in re.findall(r'\): joins group (\d+)', lines)} | {
        int(k) for k in re.findall(r'\d+ joins group (\d+)', lines)
    }
    assert groups <= gone | kept  # a group of one operation says so
