# SPDX-License-Identifier: Apache-2.0
"""Integers that int64, or a double, does not hold: exact or refused, never rounded."""

import operator

import pytest

import paddle
import paddle.nn.functional as F

BIG, EXACT = 2**63, 2**62 + 1
VALUES = [1, EXACT, -5, 2**63 - 1, -(2**63)]


def x(dtype='int64'):
    return paddle.to_tensor(VALUES if dtype == 'int64' else [1, 0, 5], dtype=dtype)


@pytest.mark.parametrize('number', [BIG, -BIG - 1, 2**70, -(2**70)])
@pytest.mark.parametrize(
    'op', [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
)
def test_comparisons_are_exact(op, number):
    assert op(x(), number).tolist() == [op(v, number) for v in VALUES]
    assert op(number, x()).tolist() == [op(number, v) for v in VALUES]
    named = getattr(
        paddle,
        {
            'lt': 'less_than',
            'le': 'less_equal',
            'gt': 'greater_than',
            'ge': 'greater_equal',
            'eq': 'equal',
            'ne': 'not_equal',
        }[op.__name__],
    )
    assert named(x(), number).tolist() == [op(v, number) for v in VALUES]


CALLS = {
    'add': lambda t, n: t + n,
    'radd': lambda t, n: n + t,
    'subtract': lambda t, n: t - n,
    'multiply': lambda t, n: t * n,
    'floor_divide': lambda t, n: t // n,
    'remainder': lambda t, n: t % n,
    'and': lambda t, n: t & n,
    'shift': lambda t, n: t << n,
    'pow': lambda t, n: t**n,
    'paddle.pow': paddle.pow,
    'paddle.add': paddle.add,
    'maximum': lambda t, n: paddle.maximum(t, n),
    'where': lambda t, n: paddle.where(t > 0, t, n),
    'fill_': lambda t, n: t.fill_(n),
    'setitem': lambda t, n: t.__setitem__(0, n),
    'scale': lambda t, n: paddle.scale(t, n),
    'bias': lambda t, n: paddle.scale(t, 1, n),
    'add_': lambda t, n: paddle.add_(t, n),
    'full_like': paddle.full_like,
    'index_fill': lambda t, n: paddle.index_fill(t, paddle.to_tensor([0]), 0, n),
    'pad': lambda t, n: F.pad(t.reshape([1, 1, -1]), [1, 1], value=n),
    'scale_': lambda t, n: t.scale_(n),
}


@pytest.mark.parametrize('name', CALLS)
@pytest.mark.parametrize('number', [BIG, -BIG - 1])
def test_beside_integers_they_are_refused(name, number):
    for dtype in ('int64', 'int32', 'uint8'):
        t = x(dtype)
        before = t.tolist()
        with pytest.raises(OverflowError, match=str(number)):
            CALLS[name](t, number)
        assert t.tolist() == before


@pytest.mark.parametrize(
    'name',
    sorted(
        set(CALLS)
        - {'and', 'shift', 'floor_divide', 'remainder', 'index_fill', 'pad', 'full_like', 'setitem'}
    ),
)
def test_beside_floating_numbers_they_are_such(name):
    t = paddle.to_tensor([1.0, 2.0], dtype='float64')
    CALLS[name](t, 2**70)
    assert (paddle.to_tensor([1.0], dtype='float64') + 2**70).tolist() == [1.0 + 2.0**70]


def test_division_is_of_floating_numbers():
    assert (x() / BIG).tolist()[3] == 1.0


def test_bounds_of_clip():
    assert paddle.clip(x(), -(2**70), BIG).tolist() == VALUES
    assert paddle.clip(x(), 0, 2**70).tolist() == [max(v, 0) for v in VALUES]


@pytest.mark.parametrize(
    'rank, data_format',
    [(3, 'NCL'), (3, 'NLC'), (4, 'NCHW'), (4, 'NHWC'), (5, 'NCDHW'), (5, 'NDHWC'), (4, None)],
)
def test_padding_keeps_integers(rank, data_format):
    t = paddle.full([2] * rank, EXACT, 'int64')
    pads = list(range(2 * (rank - 2)))
    got = F.pad(t, pads, value=EXACT + 2, data_format=data_format)
    assert set(got.flatten().tolist()) == {EXACT, EXACT + 2}
    want = F.pad(paddle.ones([2] * rank, 'int64'), pads, value=7, data_format=data_format)
    assert ((got == EXACT) == (want == 1)).all()
