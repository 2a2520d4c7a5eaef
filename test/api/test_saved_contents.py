# SPDX-License-Identifier: Apache-2.0
"""What nodes keep for backward: not the contents of a tensor of which the gradient needs shape and
dtype only.
"""

import os
import re
import sys

import numpy as np

import paddle

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import gradient_recipes  # noqa: E402

# Operations that keep what some other gradient of theirs reads, and those whose gradient reads a
# tensor that makes no difference where its values lie in these calls.
OTHER_FACTOR = 'multiply matmul lerp prelu_mul batch_norm_'.split()
BY_VALUE = 'clip heaviside segment_pool'.split()


def content(like, seed):
    rng = np.random.default_rng(seed)
    values = rng.uniform(-(10.0**seed), 10.0**seed, like.shape)
    if like.is_complex():
        values = values + 1j * rng.uniform(-1, 1, like.shape)
    return paddle.to_tensor(values).astype(like.dtype)


def gradients(function, tensors, place, value, write=False, strided=False):
    """Those of all tensors, with `value` at `place`; `write`: that tensor is overwritten before
    backward; `strided`: every other element of the tensors' memory is theirs.
    """
    paddle.seed(0)
    given, leaves = [], []
    for i, t in enumerate(tensors):
        t = (value if i == place else t).detach().clone()
        if gradient_recipes.is_differentiable(t):
            t.stop_gradient = False
            leaves.append(t)
            t = paddle.stack([t, t], -1)[..., 0] if strided else t * 1
        given.append(t)
    outs = [o for o in function(*given) if not o.stop_gradient]
    rng = np.random.default_rng(5)
    douts = [paddle.to_tensor(rng.uniform(0.5, 1, o.shape)).astype(o.dtype) for o in outs]
    if write:
        with paddle.no_grad():
            given[place].fill_(0.25)
    grads = paddle.grad(outs, leaves, douts, allow_unused=True) if outs else [None] * len(leaves)
    return [None if g is None else g.numpy() for g in grads]


def same(one, other):
    return all(
        (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
        for a, b in zip(one, other)
    )


def test_what_gradients_do_not_read_may_be_overwritten(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some calls write files
    kept, count = [], 0
    for name, function, tensors in gradient_recipes.cases():
        for place, tensor in enumerate(tensors):
            if not gradient_recipes.is_differentiable(tensor):
                continue
            try:
                want = gradients(function, tensors, place, tensor)
                reads = not all(
                    same(gradients(function, tensors, place, content(tensor, k)), want)
                    for k in (0, 1)
                )
            except Exception:  # other numbers are outside of its domain, or it refuses a history
                continue
            if reads or all(g is None for g in want):
                continue
            count += 1
            try:
                if not same(gradients(function, tensors, place, tensor, write=True), want):
                    kept.append(f'{name}, argument {place}: another gradient')
            except RuntimeError as error:
                operation = re.match(
                    r'\[(\w+)\] expected (\w+), which its gradient needs', str(error)
                )
                if not operation or operation[1] not in OTHER_FACTOR + BY_VALUE:
                    kept.append(f'{name}, argument {place}: {error}')
    assert count > 280
    assert not kept, '\n'.join(kept)


def test_what_is_kept_may_have_strides(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    count = 0
    for name, function, tensors in gradient_recipes.cases():
        if name == 'paddle.as_strided':  # it shows memory, whatever is there
            continue
        try:
            want = gradients(function, tensors, 0, tensors[0])
        except Exception:  # it refuses a history
            continue
        try:
            got = gradients(function, tensors, 0, tensors[0], strided=True)
        except (ValueError, TypeError, RuntimeError):  # a view of what is for tensors of their own
            continue
        count += 1
        for a, b in zip(want, got):
            assert (a is None) == (b is None), name
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4, err_msg=name)
    assert count > 550
