# SPDX-License-Identifier: Apache-2.0
"""Numbers in programs keep all their digits: an operation with a Python number gives in a compiled,
an unfused, a static and a saved program the bits it gives eagerly, and those are the wrapped
integers of NumPy."""

import operator

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

EDGES = {
    'int64': [
        2**53 - 1,
        2**53 + 1,
        -(2**53) - 1,
        2**62 + 1,
        -(2**62) - 1,
        2**63 - 1,
        -(2**63),
        -(2**63) + 1,
        0,
        1,
        -1,
        3,
        63,
    ],
    'int32': [2**31 - 1, -(2**31), 0, 1, -1, 2**24 + 1, 2**31 - 2, 7],
    'int16': [2**15 - 1, -(2**15), 0, 1, -1, 7],
    'int8': [127, -128, 0, 1, -1, 7],
    'uint8': [255, 0, 1, 128, 7],
}


def _of_objects(array, kind):
    bits = np.dtype(kind).itemsize * 8
    low = 0 if kind.startswith('u') else -(2 ** (bits - 1))
    return np.array([(int(v) - low) % 2**bits + low for v in array.ravel()], kind).reshape(
        array.shape
    )


def _objects(x):
    return x.astype(object)


def _written(x, index, s):
    y = paddle.assign(x)
    y[index] = s
    return y


def _put(index):
    def change(y, s):
        y[index] = s
        return y

    return change


# The call, and what it is on whole numbers of any size (None: only equal in all modes).
CALLS = {
    'add': (lambda x, s: x + s, operator.add),
    'rsub': (lambda x, s: s - x, lambda x, s: s - x),
    'mul': (lambda x, s: x * s, operator.mul),
    'and': (lambda x, s: x & s, operator.and_),
    'or': (lambda x, s: x | s, operator.or_),
    'xor': (lambda x, s: x ^ s, operator.xor),
    'less': (lambda x, s: x < s, operator.lt),
    'greater_equal': (lambda x, s: x >= s, operator.ge),
    'equal': (lambda x, s: x == s, operator.eq),
    'not_equal': (lambda x, s: s != x, operator.ne),
    'mod': (lambda x, s: x % s, None),
    'rmod': (lambda x, s: s % x, None),
    'floor_divide': (lambda x, s: x // s, None),
    'pow': (lambda x, s: x**s, None),
    'shift_left': (lambda x, s: s << x, None),
    'shift_right': (lambda x, s: s >> x, None),
    'clip_max': (lambda x, s: paddle.clip(x, max=s), lambda x, s: np.minimum(x, s)),
    'clip_min': (lambda x, s: paddle.clip(x, min=s), lambda x, s: np.maximum(x, s)),
    'full': (lambda x, s: paddle.full([3], s, x.dtype), lambda x, s: np.array([s] * 3, object)),
    'full_like': (lambda x, s: paddle.full_like(x, s), lambda x, s: np.array([s] * len(x), object)),
    'where': (lambda x, s: paddle.where(x > 0, s, x), lambda x, s: np.where(x > 0, s, x)),
    'pad': (lambda x, s: F.pad(x, [1, 1], value=s), lambda x, s: np.concatenate([[s], x, [s]])),
    'scale': (lambda x, s: paddle.scale(x, s), operator.mul),
    'bias': (lambda x, s: paddle.scale(x, 1, s), operator.add),
    'bias_before': (
        lambda x, s: paddle.scale(x, 3, s, bias_after_scale=False),
        lambda x, s: (x + s) * 3,
    ),
    'power': (lambda x, s: paddle.pow(x, s), None),
    'fill_': (lambda x, s: paddle.assign(x).fill_(s), lambda x, s: np.array([s] * len(x), object)),
    'masked_fill': (
        lambda x, s: paddle.masked_fill(x, x > 0, s),
        lambda x, s: np.where(x > 0, s, x),
    ),
    'setitem': (lambda x, s: _written(x, 0, s), _put(0)),
    'set_slice': (lambda x, s: _written(x, slice(None, None, 2), s), _put(slice(None, None, 2))),
    'set_listed': (lambda x, s: _written(x, paddle.to_tensor([0, 1]), s), _put([0, 1])),
    'index_fill': (lambda x, s: paddle.index_fill(x, paddle.to_tensor([0, 1]), 0, s), _put([0, 1])),
    'alpha': (lambda x, s: paddle.add(x, x, alpha=s), lambda x, s: x + x * s),
    'add_n': (lambda x, s: paddle.add_n([x, paddle.full_like(x, s)]), operator.add),
    'chain': (lambda x, s: paddle.where((x + s) * 3 > s, x - s, s), None),
    'diagonal': (lambda x, s: paddle.assign(x.reshape([1, -1])).fill_diagonal_(s), None),
}


def _static(function, x, s):
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = paddle.static.data('x', x.shape, str(x.dtype).split('.')[-1])
            out = function(data, s)
        return paddle.static.Executor().run(program, feed={'x': x.numpy()}, fetch_list=[out])[0]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('kind', EDGES)
@pytest.mark.parametrize('name', CALLS)
def test_numbers_keep_their_digits(name, kind):
    function, meaning = CALLS[name]
    x = paddle.to_tensor(np.array(EDGES[kind], kind))
    for s in EDGES[kind]:
        eager = function(x, s).numpy()
        if meaning is not None:
            with np.errstate(all='ignore'):
                want = np.asarray(meaning(_objects(x.numpy()), s))
            want = want.astype(bool) if eager.dtype == bool else _of_objects(want, kind)
            assert eager.tobytes() == want.tobytes(), (s, eager, want)
        for backend in ('CINN', None):
            for full_graph in (True, False):
                compiled = paddle.jit.to_static(
                    lambda x: function(x, s), full_graph=full_graph, backend=backend
                )
                for _ in range(2):
                    got = compiled(x).numpy()
                    assert got.dtype == eager.dtype and got.tobytes() == eager.tobytes(), (
                        s,
                        backend,
                        eager,
                        got,
                    )
        got = _static(function, x, s)
        assert got.dtype == eager.dtype and got.tobytes() == eager.tobytes(), (s, eager, got)


@pytest.mark.parametrize('s', [0.5, -1.5, 2.0, 1e30, -1e30])
@pytest.mark.parametrize('kind', EDGES)
def test_real_numbers_beside_integers(kind, s):
    x = paddle.to_tensor(np.array(EDGES[kind], kind))
    for function in (
        lambda x: x + s,
        lambda x: x < s,
        lambda x: paddle.where(x > 0, s, x),
        lambda x: paddle.full_like(x, s),
        lambda x: paddle.where(x > 0, x, paddle.full([], s, x.dtype)),
        lambda x: paddle.scale(x, s),
    ):
        eager = function(x).numpy()
        for backend in ('CINN', None):
            got = paddle.jit.to_static(function, full_graph=True, backend=backend)(x).numpy()
            assert got.dtype == eager.dtype and got.tobytes() == eager.tobytes(), (
                backend,
                eager,
                got,
            )


def test_double_numbers_in_double_programs():
    x = paddle.to_tensor([1.0, 3.0, 1e300], 'float64')
    for function in (
        lambda x: x * 0.1,
        lambda x: x + 0.1,
        lambda x: paddle.clip(x, 0.1, 0.3),
        lambda x: x / 3.0,
        lambda x: paddle.where(x > 0.1, x, 0.1),
        lambda x: paddle.full_like(x, 0.1),
        lambda x: paddle.scale(x, 0.1),
    ):
        eager = function(x).numpy()
        for backend in ('CINN', None):
            got = paddle.jit.to_static(function, full_graph=True, backend=backend)(x).numpy()
            assert got.tobytes() == eager.tobytes()


class _Net(paddle.nn.Layer):
    def forward(self, x):
        wide = 2**62 + 1
        return (
            x + wide,
            paddle.clip(x, max=2**63 - 1),
            x < 2**53 + 1,
            paddle.full([2], -wide, 'int64'),
            F.pad(x, [1, 0], value=wide),
            paddle.scale(x, wide),
            paddle.scale(x, 1, 2**24 + 1),
            x & (2**63 - 1),
            paddle.arange(wide, wide + 2),
            x % (2**53 + 1),
        )


def test_saved_programs_keep_the_digits(tmp_path):
    net = _Net()
    x = paddle.to_tensor([2**53, -5])
    want = [v.numpy() for v in net(x)]
    path = str(tmp_path / 'net')
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([2], 'int64', 'x')])
    got = [v.numpy() for v in paddle.jit.load(path)(x)]
    assert len(want) == len(got)
    for a, b in zip(want, got):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), (a, b)


def test_numbers_where_unknown_extents_would_be():
    # -2^62 and below, and -2^61 and below, used to stand for what is known only when a program
    # runs.
    for s in (-(2**61) - 2**20, -(2**62) - 2**20, -(2**62)):
        got = paddle.jit.to_static(lambda x: paddle.full_like(x, s) + x + s, full_graph=True)(
            paddle.to_tensor([7])
        )
        assert got.item() == (2 * s + 7 + 2**63) % 2**64 - 2**63
