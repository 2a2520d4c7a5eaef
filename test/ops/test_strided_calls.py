# SPDX-License-Identifier: Apache-2.0
"""Every public function whose results have gradients gives the same, and the same gradients, when
its tensors are strided: with axes in memory from the last to the first, or with gaps.
"""

import functools

import gradient_recipes
import numpy as np
import pytest

import paddle

# Their results are what memory holds, or depend on where it stands; apply() wants no gradient.
APART = ('as_strided', 'empty_like', 'new_empty', 'from_dlpack', 'apply', 'rows')


def reversed_axes(x):
    axes = list(range(x.ndim))[::-1]
    return paddle.assign(x.transpose(axes)).transpose(axes)


def gapped(x):
    return paddle.stack([x, paddle.zeros_like(x)], -1)[..., 0]


@functools.cache
def cases():
    return {
        name: rest
        for name, *rest in gradient_recipes.cases()
        if name.rpartition('.')[2] not in APART and not name.endswith('_')
    }


def outcome(function, tensors, form):
    """Results and gradients as arrays; the draws are those of one seed."""
    given = [
        t.detach().clone() if form is None or not t.ndim else form(t.detach()) for t in tensors
    ]
    for tensor in given:
        tensor.stop_gradient = not gradient_recipes.is_differentiable(tensor)
    paddle.seed(1)
    results = function(*given)
    weights = [paddle.linspace(0.5, 1.5, r.size).reshape(r.shape).cast(r.dtype) for r in results]
    connected = [(r, w) for r, w in zip(results, weights) if not r.stop_gradient]
    gradients = []
    if connected:
        ends, weights = map(list, zip(*connected))
        leaves = [t for t in given if not t.stop_gradient]
        gradients = paddle.grad(ends, leaves, weights, allow_unused=True)
    return [None if t is None else t.numpy() for t in (*results, *gradients)]


@pytest.mark.parametrize('form', [reversed_axes, gapped])
def test_strided_tensors_give_what_ordered_ones_do(form, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # recipes write files
    compared = 0
    for name, (function, tensors) in cases().items():
        want, got = outcome(function, tensors, None), outcome(function, tensors, form)
        for a, b in zip(want, got):
            assert (a is None) == (b is None), name
            if a is not None:
                scale = 1e-5 * (1 + np.abs(a[np.isfinite(a)]).max(initial=0))
                np.testing.assert_allclose(b, a, rtol=1e-5, atol=scale, err_msg=name)
                compared += 1
    assert compared > 800
