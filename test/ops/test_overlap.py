# SPDX-License-Identifier: Apache-2.0
"""Writes to memory that is also read, in another order: the values are those from before the
write.
"""

import numpy as np
import paddle
import pytest

CASES = {
    'assign': (lambda x: x.set_value(x.t()), lambda a: a.T),
    'copy_': (lambda x: x.copy_(x.t(), True), lambda a: a.T),
    'output': (lambda x: paddle.assign(x.t(), x), lambda a: a.T),
    't_': (lambda x: x.t_(), lambda a: a.T),
    'transpose_': (lambda x: x.transpose_([1, 0]), lambda a: a.T),
    'whole': (lambda x: x.__setitem__(slice(None), x.t()), lambda a: a.T),
    'later rows': (
        lambda x: x.__setitem__(slice(1, None), x[:-1]),
        lambda a: np.concatenate([a[:1], a[:-1]]),
    ),
    'one row': (
        lambda x: x.__setitem__(slice(None), x[2]),
        lambda a: np.broadcast_to(a[2], a.shape),
    ),
    'add_': (lambda x: x.add_(x.t()), lambda a: a + a.T),
    'subtract_ row': (lambda x: x.subtract_(x[1]), lambda a: a - a[1]),
    'multiply_ of a view': (
        lambda x: x[1:].multiply_(x[:-1]),
        lambda a: np.concatenate([a[:1], a[1:] * a[:-1]]),
    ),
    'where_': (lambda x: paddle.where_(x > 0.5, x, x.t()), lambda a: np.where(a > 0.5, a, a.T)),
}


@pytest.mark.parametrize('n', [5, 300])
@pytest.mark.parametrize('name', CASES)
def test_reads_come_before_writes(name, n):
    write, expected = CASES[name]
    a = np.random.RandomState(0).rand(n, n).astype('float32')
    x = paddle.to_tensor(a)
    write(x)
    np.testing.assert_array_equal(x.numpy(), expected(a))


@pytest.mark.parametrize('layout', ['transposed', 'step'])
def test_given_results_may_have_any_layout(layout):
    a = np.random.RandomState(0).rand(4, 4).astype('float32')
    x = paddle.to_tensor(a)
    for call, expected in (
        (paddle.msort, np.sort(a, 0)),
        (paddle.tanh, paddle.tanh(x).numpy()),
        (lambda v, out: paddle.matmul(v, v, out=out), paddle.matmul(x, x).numpy()),
        (lambda v, out: paddle.cumsum(v, 1, out=out), paddle.cumsum(x, 1).numpy()),
    ):
        out = paddle.zeros([4, 4]).t() if layout == 'transposed' else paddle.zeros([4, 8])[:, ::2]
        call(x, out=out)
        np.testing.assert_array_equal(out.numpy(), expected)
