# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors of random places that the tests of paddle.sparse share."""

import numpy as np
import paddle
import scipy.sparse


def places(shape, count, seed=0):
    """`count` distinct places, [axes, count], in no order."""
    chosen = np.random.default_rng(seed).permutation(int(np.prod(shape)))[:count]
    return np.array(np.unravel_index(chosen, shape))


def values(shape, seed=0, dtype="float64"):
    return np.random.default_rng(seed + 100).normal(size=shape).astype(dtype)


def coo(shape, count, seed=0, dense=(), dtype="float64"):
    at = places(shape, count, seed)
    x = paddle.sparse.sparse_coo_tensor(
        at, values((count, *dense), seed, dtype), [*shape, *dense], stop_gradient=False
    )
    return x


def csr(shape, count, seed=0, dtype="float64"):
    m = scipy.sparse.csr_matrix(
        tuple([values(count, seed, dtype), places(shape, count, seed)]), shape
    )
    m.sort_indices()
    return paddle.sparse.sparse_csr_tensor(
        m.indptr, m.indices, m.data, list(shape), stop_gradient=False
    )


def batch(shape, seed=0, dtype="float64"):
    """A batch of CSR matrices, of which the first has no element."""
    x = values(shape, seed, dtype)
    x[np.random.default_rng(seed).random(shape) < 0.6] = 0
    x[0] = 0
    made = paddle.to_tensor(x).to_sparse_csr()
    made.stop_gradient = False
    return made


def check_gradient(function, *inputs, dense=None, rtol=1e-9):
    """A function of sparse and dense tensors against the same of dense ones: values, and gradients
    of the first and the second order at the places of each input."""
    dense = dense or function
    plain = []
    for x in inputs:
        p = x.detach().to_dense()
        p.stop_gradient = False
        plain.append(p)
    got, want = function(*inputs), dense(*plain)
    np.testing.assert_allclose(got.to_dense().numpy(), want.numpy(), rtol=rtol, atol=rtol)
    weight = paddle.to_tensor(values(list(want.shape), 7, str(want.dtype)[7:]))
    results = []
    for tensors, y in ((inputs, got.to_dense()), (plain, want)):
        first = paddle.grad((y * weight).sum(), list(tensors), create_graph=True)
        total = sum((g.to_dense() ** 2).sum() for g in masked(first, inputs))
        if total.stop_gradient:
            results.append((first, [None] * len(tensors)))
            continue
        results.append((first, paddle.grad(total, list(tensors), allow_unused=True)))
    for ours, theirs in zip(*results):
        for a, b in zip(masked(ours, inputs), masked(theirs, inputs)):
            if a is None or b is None:
                for rest in (a, b):
                    assert rest is None or not rest.to_dense().numpy().any()
                continue
            np.testing.assert_allclose(
                a.to_dense().numpy(), b.to_dense().numpy(), rtol=rtol, atol=rtol
            )


def masked(grads, inputs):
    """The gradients at the places where the inputs have elements."""
    return [
        paddle.sparse.mask_as(g, x) if g is not None and g.is_dense() and x.is_sparse() else g
        for g, x in zip(grads, inputs)
    ]
