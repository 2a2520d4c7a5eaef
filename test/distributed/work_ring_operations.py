# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_ring_operations.py: each checks its part against the whole."""

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import _C_ops
from paddle.distributed.fleet.layers.mpu import mp_ops
from paddle.distributed.utils.moe_utils import global_gather, global_scatter
from paddle.nn import functional

CLASSES, EXPERTS = 6, 2


def raises(kind, call, text):
    try:
        call()
    except kind as e:
        assert text in str(e), e
    else:
        raise AssertionError(f'expected {kind.__name__}')


def leaf(value, dtype=None):
    t = paddle.to_tensor(value) if dtype is None else paddle.to_tensor(value).astype(dtype)
    t.stop_gradient = False
    return t


def of(t):
    return t.detach().astype('float64').numpy()


def ways(function):
    """A function as it is, and as a compiled program."""
    return function, paddle.jit.to_static(function, full_graph=True)


def table(rng, rank, n):
    words, ids = rng.randn(4 * n, 3), rng.randint(0, 4 * n, (2, 5))
    gradient = np.zeros_like(words)
    np.add.at(gradient, ids.reshape(-1), 2 * words[ids.reshape(-1)])
    own = slice(4 * rank, 4 * rank + 4)
    for look_up in ways(lambda w, i: _C_ops.c_embedding(w, i, 4 * rank, 4 * n)):
        part = leaf(words[own])
        found = look_up(part, paddle.to_tensor(ids))
        (found * found).sum().backward()
        whole = found.detach().clone()
        dist.all_reduce(whole)
        np.testing.assert_allclose(whole.numpy(), words[ids])
        np.testing.assert_allclose(part.grad.numpy(), gradient[own])
    wrong = paddle.to_tensor([4 * n])
    raises(ValueError, lambda: _C_ops.c_embedding(part, wrong, 0, 4 * n), f'got {4 * n}')
    assert (_C_ops.c_embedding(part, wrong - 4 * n - 1, 0, -1).numpy() == 0).all()


def classes(rng, rank, n):
    own = slice(CLASSES * rank, CLASSES * (rank + 1))
    labels = rng.randint(0, CLASSES * n, (7, 1))
    labels[3] = -100
    numbers = rng.randn(7, CLASSES * n)
    of_whole = paddle.to_tensor(labels)
    for dtype, tolerance in ('float32', 1e-5), ('float64', 1e-12), ('bfloat16', 3e-2):
        whole = leaf(numbers, dtype)
        want, probable = functional.softmax_with_cross_entropy(
            whole, of_whole, return_softmax=True, ignore_index=-100
        )
        (want * want).sum().backward()
        for call in ways(lambda t, y: _C_ops.c_softmax_with_cross_entropy(t, y, -100, 0, rank, n)):
            part = leaf(numbers[:, own], dtype)
            softmax, loss = call(part, of_whole)
            assert loss.dtype == softmax.dtype == part.dtype
            (loss * loss).sum().backward()
            for got, expected in (
                (loss, of(want)),
                (softmax, of(probable)[:, own]),
                (part.grad, of(whole.grad)[:, own]),
            ):
                np.testing.assert_allclose(of(got), expected, rtol=tolerance, atol=tolerance)

    def second(logits, loss_of):
        loss = loss_of(logits)
        (first,) = paddle.grad((loss * loss).sum(), logits, create_graph=True)
        total = (first * first).sum()
        return first, total

    whole, part = leaf(numbers), leaf(numbers[:, own])
    _, total = second(whole, lambda t: functional.softmax_with_cross_entropy(t, of_whole))
    _, of_part = second(
        part, lambda t: mp_ops._c_softmax_with_cross_entropy(t, of_whole, dist.get_group(0))
    )
    (want,) = paddle.grad(total, whole)
    (got,) = paddle.grad(_C_ops.mp_allreduce_sum(of_part, 0), part)
    np.testing.assert_allclose(got.numpy(), want.numpy()[:, own], atol=1e-12)
    # Classes that no logit allows, all of a process, are of probability zero.
    numbers[:, CLASSES:] = -np.inf
    softmax, loss = _C_ops.c_softmax_with_cross_entropy(
        paddle.to_tensor(numbers[:, own]), of_whole % CLASSES, -100, 0, rank, n
    )
    assert np.isfinite(loss.numpy()).all()
    assert (softmax.numpy() == 0).all() if rank else (softmax.numpy() > 0).all()


def shares(rank, n):
    x = paddle.zeros([2 * n, 3])
    x[2 * rank : 2 * rank + 2] = rank + 1.0
    want = np.repeat(np.arange(1, n + 1), 2)[:, None] * np.ones([1, 3])
    for gather in ways(lambda t: _C_ops.partial_allgather(t, n, rank, 0)):
        np.testing.assert_array_equal(gather(x).numpy(), want)
    _C_ops.partial_allgather_(x, n, rank, 0)
    np.testing.assert_array_equal(x.numpy(), want)
    raises(RuntimeError, lambda: _C_ops.partial_allgather(x, n + 1, rank, 0), f'got {rank} of')
    raises(ValueError, lambda: _C_ops.partial_send(x, 0, 0, 7, 0), 'share 0 of 7')
    left, right = (rank - 1) % n, (rank + 1) % n

    def passed(t):
        if rank % 2:
            got = _C_ops.partial_recv(0, left, 'float32', [3, 4], 3, 2)
        _C_ops.partial_send(t, 0, right, 3, 1)
        return got if rank % 2 else _C_ops.partial_recv(0, left, 'float32', [3, 4], 3, 2)

    for call in ways(passed):
        got = call(paddle.arange(12.0).reshape([3, 4]) + rank * 100)
        assert got.tolist() == [[0] * 4, [0] * 4, [100 * left + i for i in (4, 5, 6, 7)]]


def columns(rng):
    a, b = rng.randn(3, 4), rng.randn(3, 4)
    for start, length, part in ((0, -1, np.s_[:]), (1, 2, np.s_[1:3]), (-2, 2, np.s_[2:])):
        for joined, added in zip(
            ways(lambda x, y: _C_ops.partial_concat([x, y], start, length)),  # noqa: B023
            ways(lambda x, y: _C_ops.partial_sum([x, y], start, length)),  # noqa: B023
        ):
            x, y = leaf(a), leaf(b)
            got = joined(x, y)
            np.testing.assert_array_equal(got.numpy(), np.hstack([a[:, part], b[:, part]]))
            ((got * got).sum() + added(x, y).sum()).backward()
            np.testing.assert_allclose(added(x, y).numpy(), (a + b)[:, part])
            want = np.zeros_like(a)
            want[:, part] = 2 * a[:, part] + 1
            np.testing.assert_allclose(x.grad.numpy(), want)
    raises(IndexError, lambda: _C_ops.partial_concat([x, y], 1, 9), 'got 9 from 1')
    raises(ValueError, lambda: _C_ops.partial_sum([x, y], 5, 1), 'got 5')
    raises(ValueError, lambda: _C_ops.partial_sum([x, y[:2]], 0, 1), 'matrices of one shape')


def experts(rng, rank, n):
    counts = [rng.randint(0, 4, EXPERTS * n) for _ in range(n)]
    here = counts[rank]
    there = [counts[r][rank * EXPERTS + e] for r in range(n) for e in range(EXPERTS)]
    rows = np.concatenate([np.full((c, 3), 100.0 * rank + i) for i, c in enumerate(here)])
    want = np.concatenate(
        [
            np.full((counts[r][rank * EXPERTS + e], 3), 100.0 * r + rank * EXPERTS + e)
            for e in range(EXPERTS)
            for r in range(n)
        ]
    )
    local, glob = paddle.to_tensor(here), paddle.to_tensor(there)
    group = dist.new_group(list(range(n)))
    for there_and_back in ways(
        lambda x, a, b: global_gather(global_scatter(x, a, b, group) * 2, a, b, group)
    ):
        x = leaf(rows)
        back = there_and_back(x, local, glob)
        (back * back).sum().backward()
        np.testing.assert_allclose(back.numpy(), 2 * rows)
        np.testing.assert_allclose(x.grad.numpy(), 8 * rows)
    np.testing.assert_allclose(global_scatter(x, local, glob).numpy(), want)
    raises(ValueError, lambda: global_scatter(x, local + 1, glob), 'as many as are counted')
    raises(ValueError, lambda: global_scatter(x, local[:1], glob[:1]), 'one number for each')


def margins(rng, rank, n):
    """Processes with numbers of classes of their own share a loss with margins."""
    counts = [3 + r for r in range(n)]
    first, total = sum(counts[:rank]), sum(counts)
    own = slice(first, first + counts[rank])
    cosines, labels = rng.uniform(-0.9, 0.9, (9, total)), rng.randint(0, total, 9)
    for options in {}, {'margin1': 0.9, 'margin2': 0.4, 'margin3': 0.1}, {'margin2': 0.0}:
        whole, part = leaf(cosines), leaf(cosines[:, own])
        given = {'scale': 8.0, 'reduction': None, 'return_softmax': True, **options}
        loss = functional.margin_cross_entropy
        want, probable = loss(whole, paddle.to_tensor(labels), group=False, **given)
        got, softmax = loss(part, paddle.to_tensor(labels), **given)
        (want * want).sum().backward()
        (got * got).sum().backward()
        np.testing.assert_allclose(got.numpy(), want.numpy())
        np.testing.assert_allclose(softmax.numpy(), probable.numpy()[:, own])
        np.testing.assert_allclose(part.grad.numpy(), whole.grad.numpy()[:, own], atol=1e-12)
    raises(IndexError, lambda: loss(part, paddle.to_tensor(labels + total)), f'[0, {total})')

    places, kept = functional.class_center_sample(paddle.to_tensor(labels), counts[rank], 2)
    everyone = []
    dist.all_gather_object(everyone, [first + c for c in kept.tolist()])
    joined = [c for part in everyone for c in part]
    assert [joined[p] for p in places.tolist()] == labels.tolist()
    assert all(len(part) >= 2 and part == sorted(part) for part in everyone)


def all_operations():
    dist.init_parallel_env()
    rank, n = dist.get_rank(), dist.get_world_size()
    rng = np.random.RandomState(7)
    table(rng, rank, n)
    classes(rng, rank, n)
    shares(rank, n)
    columns(rng)
    experts(rng, rank, n)
    margins(rng, rank, n)
