# SPDX-License-Identifier: Apache-2.0
"""The conversion cases of test/api/dy2static_cases.py, marked with `to_static` in both modes: on
every call they give what they give unmarked, results, gradients and exceptions, whichever way the
calls before took.
"""

import os
import sys

import numpy as np
import pytest

import paddle

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), 'api'))

import dy2static_cases
import dy2static_loop_cases  # noqa: F401  registers its cases
import dy2static_object_cases  # noqa: F401  registers its cases

CASES = [pytest.param(fn, inputs, id=fn.__name__) for fn, inputs, _ in dy2static_cases.CASES]

NUMBERS = {bool: ('bool',), int: ('int64', 'int32'), float: ('float32', 'float64')}


def leaves(value):
    """Everything in nested results, in order, with the keys and lengths of what holds it."""
    if isinstance(value, dict):
        return [v for k in value for v in (k, *leaves(value[k]))]
    if isinstance(value, (list, tuple)):
        return [len(value), *(v for part in value for v in leaves(part))]
    return [value]


def is_tensor(value):
    return isinstance(value, paddle.Tensor)


def outcome(fn, value, like=None):
    """(results, gradients) of a call, or the type of what it raised; gradients of those results
    that are tensors among the results `like`, which others are numbers of.
    """
    inputs = [
        paddle.to_tensor(np.array(v, 'float32'), stop_gradient=False)
        for v in (value if isinstance(value, tuple) else (value,))
    ]
    try:
        results = leaves(fn(*inputs))
    except Exception as error:
        return type(error)
    chosen = results if like is None else [r for r, w in zip(results, like) if is_tensor(w)]
    losses = [(r * r).sum() for r in chosen if is_tensor(r) and not r.stop_gradient]
    if losses:
        sum(losses).backward()
    return results, [t.grad for t in inputs]


def same(got, want, full_graph):
    """Numbers that tensors decide are tensors in a program (`full_graph`)."""
    if isinstance(want, type) or isinstance(got, type):
        assert got is want
        return
    for g, w in zip(got, want):
        assert len(g) == len(w)
        for a, b in zip(g, w):
            if isinstance(b, (bool, int, float)) and is_tensor(a):
                assert full_graph and a.ndim == 0 and a.dtype.name.lower() in NUMBERS[type(b)]
                np.testing.assert_allclose(a.numpy(), b, rtol=1e-6)
            elif is_tensor(b):
                assert (a.dtype, a.shape) == (b.dtype, b.shape)
                np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)
            else:
                assert type(a) is type(b) and a == b


@pytest.mark.parametrize('full_graph', [False, True], ids=['default', 'full_graph'])
@pytest.mark.parametrize('fn, inputs', CASES)
def test_marked_equals_unmarked(fn, inputs, full_graph):
    want = [outcome(fn, value) for value in inputs]
    static = paddle.jit.to_static(fn, full_graph=full_graph)
    for order in (want, want[::-1], want, want):
        for expected in order:
            value = inputs[[k for k, w in enumerate(want) if w is expected][0]]
            like = None if isinstance(expected, type) else expected[0]
            same(outcome(static, value, like), expected, full_graph)
