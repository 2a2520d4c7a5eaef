# SPDX-License-Identifier: Apache-2.0
"""Every function with a gradient gives the same one recorded: of each result, on a tape and as a
full graph.
"""

import os
import sys
import warnings

import numpy as np
import pytest

import paddle

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gradient_recipes  # noqa: E402

# Calls that are refused where a history is wanted, by what they do.
REFUSED = {
    'paddle.from_dlpack': 'hands memory on without its history',
    'Tensor.apply': 'runs Python code on the memory',
    'Tensor.apply_': 'runs Python code on the memory',
    'Tensor.register_post_accumulate_grad_hook': 'is for leaves',
    'Tensor.rows': 'is for rows of a table, which no program has',
    'Tensor.set_': 'takes other memory, which the history does not fit',
}
# Those that a program refuses.
EAGER_ONLY = {
    'Tensor.detach_': 'changes the tensor that the caller has',
    'Tensor.resize_': 'gives it other memory',
}
REFUSALS = 14  # at most: functions that need numbers or extents that a program does not know


def results(function, tensors):
    """For each differentiable result (whether it stops gradients, the gradients of the tensors that
    it depends on).
    """
    given = [t.detach().clone() for t in tensors]
    wanted = [t for t in given if gradient_recipes.is_differentiable(t)]
    for t in wanted:
        t.stop_gradient = False
    paddle.seed(0)
    found = []
    for k, out in enumerate(function(*[t if t.stop_gradient else t * 1 for t in given])):
        grads = None
        if not out.stop_gradient:
            dout = paddle.to_tensor(np.random.default_rng(k).uniform(0.5, 1, out.shape)).astype(
                out.dtype
            )
            grads = paddle.grad([out], wanted, [dout], retain_graph=True, allow_unused=True)
            grads = [np.zeros(w.shape) if g is None else g.numpy() for g, w in zip(grads, wanted)]
        found.append((out.stop_gradient, grads))
    return found


def differences(one, other):
    assert len(one) == len(other)
    for k, ((stops, want), (recorded_stops, got)) in enumerate(zip(one, other)):
        if stops != recorded_stops:
            yield f'result {k} has stop_gradient={recorded_stops}, not {stops}'
        elif not stops:
            for i, (a, b) in enumerate(zip(want, got)):
                if not np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True):
                    yield f'gradient {i} of result {k} is {b.ravel()[:3]}, not {a.ravel()[:3]}'


@pytest.mark.parametrize('full_graph', [False, True])
def test_recorded_gradients_are_those_of_eager_mode(full_graph, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some calls write files
    wrong, refused, count = [], [], 0
    for name, function, tensors in gradient_recipes.cases():
        if name in REFUSED or (full_graph and name in EAGER_ONLY):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            want = results(function, tensors)
            compiled = paddle.jit.to_static(function, full_graph=full_graph)
            try:
                results(compiled, tensors)
            except Exception as error:
                refused.append(f'{name}: {error}')
                continue
            got = results(compiled, tensors)
        wrong += [f'{name}: {text}' for text in differences(want, got)]
        count += 1
    assert not wrong, '\n'.join(wrong)
    assert count > 600 and len(refused) <= (REFUSALS if full_graph else 0), '\n'.join(refused)
