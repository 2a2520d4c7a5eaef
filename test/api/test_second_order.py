# SPDX-License-Identifier: Apache-2.0
"""Gradients of gradients of every call of the recipes against differences of its gradients, and
exact ones where two pieces of a smooth function meet.
"""

import os
import sys

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gradient_recipes  # noqa: E402

STEP = 1e-5
# Gradients are those of symmetric matrices, and differences step out of these; a rank that steps;
# computation in float32; a first order only.
OTHERWISE = (
    'cholesky eigh eigvalsh pca_lowrank fused_swiglu_weighted_bwd gammainc gammaincc'.split()
)


def gradients(function, tensors, values, create_graph):
    """(leaves, gradients) of a fixed sum of the results; `values`: float64 ones, None where an
    argument has no gradient.
    """
    paddle.seed(0)
    leaves, given = [], []
    for value, tensor in zip(values, tensors):
        if value is None:
            given.append(tensor.detach().clone())
            continue
        leaves.append(paddle.to_tensor(value, stop_gradient=False))
        given.append(leaves[-1] * 1)
    rng, loss = np.random.default_rng(3), paddle.zeros([], 'float64')
    for out in function(*given):
        if not out.stop_gradient:
            weight = paddle.to_tensor(rng.uniform(0.5, 1, out.shape))
            loss = loss + (out.astype('float64') * weight).sum()
    if loss.stop_gradient:
        return leaves, [None] * len(leaves)
    return leaves, paddle.grad([loss], leaves, create_graph=create_graph, allow_unused=True)


def derivatives(function, tensors):
    """What gradients of gradients say, and differences, of one number; None without gradients."""
    rng = np.random.default_rng(7)
    values = [
        t.detach().numpy().astype('float64') * rng.uniform(0.95, 1.05, t.shape)
        if gradient_recipes.is_differentiable(t)
        else None
        for t in tensors
    ]
    try:
        leaves, first = gradients(function, tensors, values, True)
    except (ValueError, TypeError, RuntimeError, BufferError):
        return None  # it does not take float64, or refuses a second order
    if all(g is None for g in first):
        return None
    weights = [None if g is None else rng.uniform(-1, 1, g.shape) for g in first]
    ways = [0 if g is None else rng.uniform(-1, 1, leaf.shape) for g, leaf in zip(first, leaves)]
    parts = [
        (g * paddle.to_tensor(w)).sum()
        for g, w in zip(first, weights)
        if g is not None and not g.stop_gradient
    ]
    second = paddle.grad([sum(parts)], leaves, allow_unused=True) if parts else []
    told = sum(float((g.numpy() * way).sum()) for g, way in zip(second, ways) if g is not None)

    def moved(step):
        directions = iter(ways)
        at = [None if v is None else v + step * next(directions) for v in values]
        found = gradients(function, tensors, at, False)[1]
        return sum(float((g.numpy() * w).sum()) for g, w in zip(found, weights) if w is not None)

    return told, (moved(STEP) - moved(-STEP)) / (2 * STEP)


def test_second_order_of_every_call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some calls write files
    count, wrong = 0, []
    for name, function, tensors in gradient_recipes.cases():
        if name.split('.')[-1].rstrip('_') in OTHERWISE or any(t.is_complex() for t in tensors):
            continue
        both = derivatives(function, tensors)
        if both is None:
            continue
        count += 1
        if not np.isclose(*both, rtol=1e-4, atol=1e-4, equal_nan=True):
            wrong.append(f'{name}: {both[0]}, differences {both[1]}')
    assert count > 500
    assert not wrong, '\n'.join(wrong)


def test_a_saved_result_without_gradient_has_none_in_higher_orders():
    # The statistics that an evaluation keeps for backward: the result is linear in x.
    x = paddle.to_tensor([[0.3, 1.0], [2.0, -1.0]], stop_gradient=False)
    mean, variance = paddle.to_tensor([0.1, 0.5]), paddle.to_tensor([0.5, 0.1])
    out = F.batch_norm(x, mean, variance)
    (g,) = paddle.grad((out**2).sum(), [x], create_graph=True)
    (h,) = paddle.grad(g.sum(), [x])
    want = np.broadcast_to(2 / (np.array([0.5, 0.1]) + 1e-5), (2, 2))
    np.testing.assert_allclose(h.numpy(), want, rtol=1e-5)


MEETINGS = {
    'logaddexp': (paddle.logaddexp, [0.5, 0.5], [0.5, 0.5], [[0.25, -0.25], [-0.25, 0.25]]),
    'sinc': (paddle.sinc, [0.0], [0.0], [[-(np.pi**2) / 3]]),
    'logits with pos_weight': (
        lambda x: F.binary_cross_entropy_with_logits(
            x, paddle.ones([1], 'float64'), pos_weight=paddle.full([1], 3.0, 'float64')
        ),
        [0.0],
        [-1.5],
        [[0.75]],
    ),
    'logits, normalized': (
        lambda x: paddle._C_ops.sigmoid_cross_entropy_with_logits(
            x, paddle.ones([1], 'float64'), None, True, -100
        ),
        [0.0],
        [-0.5],
        [[0.25]],
    ),
}


@pytest.mark.parametrize('name', MEETINGS)
def test_derivatives_where_pieces_meet(name):
    function, at, first, second = MEETINGS[name]
    leaves = [paddle.to_tensor([v], dtype='float64', stop_gradient=False) for v in at]
    gradients = paddle.grad(function(*leaves).sum(), leaves, create_graph=True)
    np.testing.assert_allclose([float(g) for g in gradients], first, rtol=1e-12)
    for g, row in zip(gradients, second):
        found = [float(h) for h in paddle.grad(g, leaves, retain_graph=True)]
        np.testing.assert_allclose(found, row, rtol=1e-12)


def test_logaddexp_of_infinities():
    big = paddle.to_tensor([np.inf, -np.inf, np.inf, np.nan, 1.0])
    other = paddle.to_tensor([np.inf, -np.inf, 1.0, 1.0, np.nan])
    got = paddle.logaddexp(big, other).numpy()
    np.testing.assert_array_equal(got, [np.inf, -np.inf, np.inf, np.nan, np.nan])
