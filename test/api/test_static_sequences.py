# SPDX-License-Identifier: Apache-2.0
"""Sequences of different lengths in the rows of static programs: `lod_level`, `sequence_*`."""

import numpy as np
import pytest

import paddle
from paddle import static

LENGTHS = [2, 0, 3]
ROWS = np.sin(np.arange(15, dtype='float32')).reshape(5, 3)
PARTS = [ROWS[0:2], ROWS[2:2], ROWS[2:5]]


@pytest.fixture
def program():
    paddle.enable_static()
    try:
        made = static.Program()
        with static.program_guard(made, static.Program()), paddle.utils.unique_name.guard():
            yield made
    finally:
        paddle.disable_static()


def rows(array=ROWS, lengths=(LENGTHS,)):
    return paddle.base.create_lod_tensor(array, [list(level) for level in lengths])


def run(fetches, feed, **kwargs):
    exe = static.Executor()
    exe.run(static.default_startup_program())
    return exe.run(feed=feed, fetch_list=fetches, **kwargs)


POOLS = {
    'sum': lambda p: p.sum(0),
    'average': lambda p: p.mean(0),
    'sqrt': lambda p: p.sum(0) / np.sqrt(np.float32(len(p))),
    'max': lambda p: p.max(0),
    'first': lambda p: p[0],
    'last': lambda p: p[-1],
}


@pytest.mark.parametrize('kind', POOLS)
def test_one_row_a_sequence(program, kind):
    x = static.data('x', [None, 3], 'float32', lod_level=1)
    x.stop_gradient = False
    out = static.nn.sequence_pool(paddle.scale(x, 2.0), kind, pad_value=7.0)
    (derivative,) = static.gradients([paddle.sum(out)], [x])
    got, derivative = run([out, derivative], {'x': rows()})
    for row, part in zip(got, PARTS):
        want = POOLS[kind](2 * part) if len(part) else np.full(3, 7.0)
        np.testing.assert_allclose(row, want, rtol=1e-6)
    counted = 2 * len([p for p in PARTS if len(p)]) * 3
    if kind == 'sum':
        assert (derivative == 2).all()
    elif kind != 'sqrt':  # each sequence hands on the gradient of one row
        np.testing.assert_allclose(derivative.sum(), counted, rtol=1e-6)


def test_first_and_last_steps_give_zeros_for_no_rows(program):
    x = static.data('x', [None, 3], 'float32', lod_level=1)
    first, last = run(
        [static.nn.sequence_first_step(x), static.nn.sequence_last_step(x)], {'x': rows()}
    )
    assert not first[1].any() and not last[1].any()
    assert (first[2] == ROWS[2]).all() and (last[2] == ROWS[4]).all()


def test_softmax_keeps_the_sequences(program):
    x = static.data('x', [None, 1], 'float32', lod_level=1)
    values = np.array([[1000.0], [1001.0], [0.5], [0.0]], 'float32')
    (got,) = run([static.nn.sequence_softmax(x)], {'x': rows(values, [[2, 2]])}, return_numpy=False)
    a, b = 1 / (1 + np.exp(1.0)), 1 / (1 + np.exp(-0.5))
    np.testing.assert_allclose(np.array(got), [[a], [1 - a], [b], [1 - b]], rtol=1e-5)
    assert got.lod() == [[0, 2, 4]]


@pytest.mark.parametrize('size, start', [(3, None), (2, 0), (4, -3)])
def test_convolution_sees_no_other_sequence(program, size, start):
    x = static.data('x', [None, 3], 'float32', lod_level=1)
    weight = np.cos(np.arange(size * 3 * 2, dtype='float32')).reshape(size * 3, 2)
    out = static.nn.sequence_conv(
        x,
        2,
        size,
        padding_start=start,
        param_attr=paddle.nn.initializer.Assign(weight),
        bias_attr=paddle.nn.initializer.Constant(0.25),
        act='relu',
    )
    (got,) = run([out], {'x': rows()})
    want, start = [], -(size // 2) if start is None else start
    for part in PARTS:
        for i in range(len(part)):
            seen = [
                part[i + k] if 0 <= i + k < len(part) else np.zeros(3)
                for k in range(start, start + size)
            ]
            want.append(np.maximum(np.concatenate(seen) @ weight + 0.25, 0))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_expansion_by_the_sequences_of_another(program):
    x = static.data('x', [None, 1], 'float32', lod_level=1)
    u = static.data('u', [None, 1], 'float32')
    y = static.data('y', [None, 1], 'float32', lod_level=2)
    outs = [
        static.nn.sequence_expand(x, y, ref_level=0),
        static.nn.sequence_expand(u, y),
        static.nn.sequence_pool(y, 'sum'),
    ]
    values = np.arange(4, dtype='float32').reshape(4, 1)
    feed = {
        'x': rows(values, [[1, 3]]),
        'u': values,
        'y': rows(np.ones((8, 1), 'float32'), [[2, 2], [3, 3, 1, 1]]),
    }
    by_sequence, by_row, pooled = run(outs, feed, return_numpy=False)
    assert np.array(by_sequence).ravel().tolist() == [0, 0, 1, 2, 3, 1, 2, 3]
    assert by_sequence.lod() == [[0, 1, 2, 5, 8]]
    assert np.array(by_row).ravel().tolist() == [0, 0, 0, 1, 1, 1, 2, 3]
    assert np.array(pooled).ravel().tolist() == [3, 3, 1, 1] and pooled.lod() == [[0, 2, 4]]


def test_sequences_reach_results_and_clones(program):
    ids = static.data('ids', [None], 'int64', lod_level=1)
    table = paddle.nn.initializer.Assign(ROWS)
    h = paddle.tanh(static.nn.fc(static.nn.embedding(ids, [5, 3], param_attr=table), 4))
    out = static.nn.sequence_pool(h, 'max')
    feed = {'ids': rows(np.array([4, 0, 0, 1]), [[1, 3]])}
    (got,) = run([out], feed)
    assert got.shape == (2, 4)
    copy = program.clone()
    with static.program_guard(copy, static.Program()):
        again = static.nn.sequence_pool(copy.global_block().var('ids'), 'sum')
        assert run([again], feed)[0].tolist() == [4, 1]


def test_training_a_classifier_of_sequences(program):
    x = static.data('x', [None, 3], 'float32', lod_level=1)
    y = static.data('y', [None, 1], 'float32')
    hidden = static.nn.sequence_conv(x, 8, act='tanh')
    score = static.nn.fc(static.nn.sequence_pool(hidden, 'max'), 1)
    loss = paddle.mean((score - y) ** 2)
    paddle.optimizer.Adam(0.05).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {'x': rows(), 'y': np.array([[1.0], [0.0], [-1.0]], 'float32')}
    losses = [float(exe.run(feed=feed, fetch_list=[loss])[0]) for _ in range(60)]
    assert losses[-1] < 0.05 * losses[0]


def test_what_is_refused(program):
    x = static.data('x', [None, 3], 'float32', lod_level=1)
    plain = static.data('plain', [None, 3], 'float32')
    with pytest.raises(ValueError, match='with sequences'):
        static.nn.sequence_pool(plain, 'sum')
    with pytest.raises(AssertionError, match="'average'"):
        static.nn.sequence_pool(x, 'mean')
    with pytest.raises(ValueError, match='ref_level'):
        static.nn.sequence_expand(plain, x, 1)
    with pytest.raises(ValueError, match=r'\[N, 1\]'):
        static.nn.sequence_softmax(x)
    with pytest.raises(ValueError, match='filter_size'):
        static.nn.sequence_conv(x, 2, 0)
    out = static.nn.sequence_pool(x, 'sum')
    with pytest.raises(ValueError, match='levels of sequences'):
        run([out], {'x': ROWS})
    for lod in ([[0, 3]], [[0, 4, 2, 5]], [[1, 5]], [[]]):
        bad = rows()
        bad.set_lod(lod)
        with pytest.raises(ValueError, match='rise from 0 to 5'):
            run([out], {'x': bad})
    with pytest.raises(ValueError, match='lod_level'):
        static.data('none', [], 'float32', lod_level=1)
    paddle.disable_static()
    with pytest.raises(AssertionError, match='static mode'):
        static.nn.sequence_pool(paddle.ones([2, 3]), 'sum')
    paddle.enable_static()
