# SPDX-License-Identifier: Apache-2.0
"""Features of boxes, reductions of rows by an index, and best paths: against loops in NumPy, over
all paths, and central differences.
"""

import itertools

import numpy as np
import pytest

import paddle
from paddle import geometric
from paddle.base import libpaddle
from paddle.nn import functional as F
from paddle.vision import ops

RNG = np.random.RandomState(11)


def check_gradient(call, x, places):
    """The gradient of (call(x) * its indices).sum() at some places against central differences."""

    def total(v):
        out = call(v)
        return (out * paddle.arange(out.size, dtype='float64').reshape(out.shape)).sum()

    leaf = paddle.to_tensor(x, stop_gradient=False)
    total(leaf).backward()
    for at in places:
        step = np.zeros_like(x)
        step[at] = 1e-4
        high, low = (float(total(paddle.to_tensor(x + s))) for s in (step, -step))
        assert leaf.grad.numpy()[at] == pytest.approx((high - low) / 2e-4, rel=1e-6, abs=1e-6)


BOXES = np.array([[1.2, 0.7, 6.1, 5.5], [-3.0, 2.0, 4.0, 30.0], [2.0, 2.0, 2.1, 2.2]])
COUNTS = np.array([1, 2], 'int32')


def sampled(plane, y, x):
    """Bilinear value of a plane, 0 more than one element outside."""
    h, w = plane.shape
    if not (-1 <= y <= h and -1 <= x <= w):
        return 0.0
    y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    i, j = int(y), int(x)
    k, m = min(i + 1, h - 1), min(j + 1, w - 1)
    top = plane[i, j] * (1 - x + j) + plane[i, m] * (x - j)
    return top * (1 - y + i) + (plane[k, j] * (1 - x + j) + plane[k, m] * (x - j)) * (y - i)


@pytest.mark.parametrize('aligned', [False, True])
@pytest.mark.parametrize('ratio', [-1, 2])
def test_roi_align_averages_samples(aligned, ratio):
    x, (rows, columns) = RNG.randn(2, 2, 7, 9), (2, 3)
    want = np.zeros([3, 2, rows, columns])
    for r, image in enumerate([0, 1, 1]):
        x1, y1, x2, y2 = BOXES[r] * 0.8 - (0.5 if aligned else 0)
        w, h = (x2 - x1, y2 - y1) if aligned else (max(x2 - x1, 1), max(y2 - y1, 1))
        down, across = (
            ratio if ratio > 0 else max(int(np.ceil(v)), 1) for v in (h / rows, w / columns)
        )
        for c, i, j in itertools.product(range(2), range(rows), range(columns)):
            want[r, c, i, j] = np.mean(
                [
                    sampled(
                        x[image, c],
                        y1 + (i + (p + 0.5) / down) * h / rows,
                        x1 + (j + (q + 0.5) / across) * w / columns,
                    )
                    for p in range(down)
                    for q in range(across)
                ]
            )
    args = (paddle.to_tensor(BOXES), paddle.to_tensor(COUNTS), (rows, columns), 0.8, ratio, aligned)
    np.testing.assert_allclose(ops.roi_align(paddle.to_tensor(x), *args).numpy(), want, rtol=1e-9)
    places = [(0, 0, 2, 3), (1, 1, 6, 3), (1, 0, 2, 2), (0, 1, 4, 4)]
    check_gradient(lambda v: ops.roi_align(v, *args), x, places)


@pytest.mark.parametrize('pool', [ops.roi_align, ops.roi_pool, ops.psroi_pool])
def test_gradients_of_box_features_have_gradients(pool):
    x = paddle.to_tensor(RNG.randn(2, 4, 7, 9), stop_gradient=False)
    out = pool(x, paddle.to_tensor(BOXES), paddle.to_tensor(COUNTS), 2)
    weight = paddle.to_tensor(RNG.randn(*out.shape), stop_gradient=False)
    (grad,) = paddle.grad(out, x, weight, create_graph=True)
    direction = paddle.to_tensor(RNG.randn(*x.shape))
    (back,) = paddle.grad((grad * direction).sum(), weight)
    # They are linear in what was pooled: where the largest value lies does not change here.
    if pool is ops.roi_pool:
        moved = pool(x + 1e-6 * direction, paddle.to_tensor(BOXES), paddle.to_tensor(COUNTS), 2)
        np.testing.assert_allclose(back.numpy(), ((moved - out) / 1e-6).numpy(), atol=1e-4)
    else:
        want = pool(direction, paddle.to_tensor(BOXES), paddle.to_tensor(COUNTS), 2)
        np.testing.assert_allclose(back.numpy(), want.numpy(), rtol=1e-9, atol=1e-12)


def test_boxes_that_do_not_match_are_refused():
    x, boxes = paddle.ones([2, 4, 7, 9]), paddle.to_tensor(BOXES)
    for pool in (ops.roi_align, ops.roi_pool, ops.psroi_pool):
        for counts in ([1, 1], [4], [-1, 4], [1, 1, 1]):
            with pytest.raises(ValueError, match='boxes_num'):
                pool(x, boxes, paddle.to_tensor(counts, dtype='int32'), 2)
        with pytest.raises(ValueError, match='boxes below'):
            pool(x, boxes * float('nan'), paddle.to_tensor(COUNTS), 2)


def overlap(a, b):
    """Shared area of two boxes over that of both."""
    w, h = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    shared = max(w, 0) * max(h, 0)
    return shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared)


def test_nms_keeps_the_best_of_each_category():
    boxes = np.sort(RNG.uniform(0, 10, (40, 2, 2)), 1).reshape(40, 4)
    scores, labels = RNG.rand(40), RNG.randint(0, 3, 40)
    kept = []
    for k in np.argsort(-scores):
        if all(labels[k] != labels[m] or overlap(boxes[k], boxes[m]) <= 0.3 for m in kept):
            kept.append(k)
    args = [paddle.to_tensor(v) for v in (boxes, scores, labels)]
    for top in (None, 5):
        have = ops.nms(args[0], 0.3, args[1], args[2], [0, 1, 2], top_k=top)
        assert have.numpy().tolist() == kept[:top]


@pytest.mark.parametrize('how', ['sum', 'mean', 'min', 'max'])
@pytest.mark.parametrize('dtype', ['float32', 'float64', 'int32', 'int64', 'bfloat16'])
def test_rows_are_reduced_by_destination(how, dtype):
    x = RNG.randint(-50, 50, (8, 5))
    src, dst = RNG.randint(0, 8, 30), RNG.randint(0, 6, 30)
    want = np.zeros([7, 5], 'int64' if dtype.startswith('int') else 'float64')
    for r in range(6):
        met = x[src[dst == r]]
        if len(met):
            want[r] = (
                np.trunc(met.mean(0)) if 'int' in dtype and how == 'mean' else getattr(met, how)(0)
            )
    data = paddle.to_tensor(x.astype('float32')).astype(dtype)
    out = geometric.send_u_recv(data, paddle.to_tensor(src), paddle.to_tensor(dst), how, 7)
    assert str(out.dtype) == f'paddle.{dtype}'
    tolerance = 1e-2 if dtype == 'bfloat16' else 1e-6
    np.testing.assert_allclose(out.astype('float64').numpy(), want, rtol=tolerance, atol=1e-6)
    ids = np.sort(dst)
    rows = paddle.gather(data, paddle.to_tensor(src[np.argsort(dst, kind='stable')]))
    segments = getattr(geometric, f'segment_{how}')(rows, paddle.to_tensor(ids))
    np.testing.assert_array_equal(
        segments.astype('float64').numpy(), out[: ids[-1] + 1].astype('float64').numpy()
    )


@pytest.mark.parametrize('how', ['sum', 'mean', 'min', 'max'])
def test_gradients_of_reduced_rows(how):
    x = RNG.randn(8, 3)
    src, dst = (paddle.to_tensor(RNG.randint(0, 8, 20)) for _ in range(2))
    places = list(itertools.product(range(8), range(3)))
    check_gradient(lambda v: geometric.send_u_recv(v, src, dst, how), x, places)
    ids = paddle.to_tensor([0, 0, 0, 2, 2, 3, 3, 3])
    check_gradient(lambda v: getattr(geometric, f'segment_{how}')(v, ids), x, places)
    leaf = paddle.to_tensor(x, stop_gradient=False)
    (grad,) = paddle.grad(
        (geometric.send_u_recv(leaf * leaf, src, dst, how) ** 2).sum(), leaf, create_graph=True
    )
    grad.sum().backward()
    step = np.zeros_like(x)
    step[3, 1] = 1e-5
    ends = []
    for s in (step, -step):
        end = paddle.to_tensor(x + s, stop_gradient=False)
        (geometric.send_u_recv(end * end, src, dst, how) ** 2).sum().backward()
        ends.append(float(end.grad.sum()))
    assert leaf.grad.numpy()[3, 1] == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-5, abs=1e-4)


def test_equal_rows_share_the_gradient_of_the_largest():
    """PaddlePaddle 3.3.1 gives each all of it: twice the derivative where one row comes twice."""
    x = paddle.to_tensor([[1.0, 5.0], [1.0, 2.0], [3.0, 9.0]], stop_gradient=False)
    geometric.segment_max(x, paddle.to_tensor([0, 0, 2])).sum().backward()
    assert x.grad.numpy().tolist() == [[0.5, 1], [0.5, 0], [1, 1]]


@pytest.mark.parametrize('borders', [False, True])
def test_viterbi_finds_the_best_of_all_paths(borders):
    """The last row of the moves is what it costs to start, the one before what it costs to end."""
    scores, moves, lengths = RNG.randn(3, 4, 4), RNG.randn(4, 4), np.array([4, 1, 3])
    have, path = paddle.text.viterbi_decode(
        paddle.to_tensor(scores), paddle.to_tensor(moves), paddle.to_tensor(lengths), borders
    )
    assert path.shape == [3, 4]
    for b, n in enumerate(lengths):

        def total(tags, b=b):
            out = sum(scores[b, t, k] for t, k in enumerate(tags))
            out += sum(moves[i, j] for i, j in zip(tags, tags[1:]))
            return out + (moves[-1, tags[0]] + moves[-2, tags[-1]] if borders else 0)

        best = max(itertools.product(range(4), repeat=int(n)), key=total)
        assert path.numpy()[b].tolist() == [*best, *[0] * (4 - n)]
        assert float(have[b]) == pytest.approx(total(best))


def test_gather_tree_follows_the_parents():
    ids, parents = RNG.randint(0, 99, (5, 2, 3)), RNG.randint(0, 3, (5, 2, 3))
    want = np.zeros_like(ids)
    for b, w in itertools.product(range(2), range(3)):
        at = w
        for t in range(4, -1, -1):
            want[t, b, w], at = ids[t, b, at], parents[t, b, at]
    out = F.gather_tree(paddle.to_tensor(ids), paddle.to_tensor(parents))
    np.testing.assert_array_equal(out.numpy(), want)
    with pytest.raises(ValueError, match='parents'):
        F.gather_tree(paddle.to_tensor(ids), paddle.to_tensor(parents + 3))


@pytest.mark.parametrize('shapes', [((5, 3), (6, 3)), ((5, 3, 2), (6, 2)), ((5, 2), (6, 3, 1))])
@pytest.mark.parametrize('message', ['add', 'sub', 'mul', 'div'])
@pytest.mark.parametrize('reduce', ['sum', 'mean', 'min', 'max'])
def test_rows_of_nodes_and_edges_meet(shapes, message, reduce):
    nodes, edges = (RNG.rand(*shape) + 0.5 for shape in shapes)
    src, dst = np.array([0, 4, 2, 2, 1, 0]), np.array([1, 1, 3, 1, 0, 3])
    meet = {'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'div': np.divide}[message]
    rank = max(nodes.ndim, edges.ndim)
    wide = [v.reshape(v.shape[:1] + (1,) * (rank - v.ndim) + v.shape[1:]) for v in (nodes, edges)]
    messages = meet(wide[0][src], wide[1])
    want = np.zeros((5, *messages.shape[1:]))
    for r in set(dst):
        want[r] = getattr(np, reduce)(messages[dst == r], axis=0)

    def call(x, y):
        index = paddle.to_tensor(src), paddle.to_tensor(dst)
        return geometric.send_ue_recv(x, y, *index, message, reduce)

    both = paddle.to_tensor(nodes), paddle.to_tensor(edges)
    np.testing.assert_allclose(call(*both).numpy(), want, rtol=1e-9)
    check_gradient(
        lambda v: call(v, both[1]), nodes, [(i,) + (0,) * (nodes.ndim - 1) for i in (0, 2)]
    )
    check_gradient(
        lambda v: call(both[0], v), edges, [(i,) + (0,) * (edges.ndim - 1) for i in (1, 3)]
    )
    # Rows of both ends.
    ends = geometric.send_uv(
        both[0], both[1][:5], paddle.to_tensor(src), paddle.to_tensor(dst), message
    )
    np.testing.assert_allclose(ends.numpy(), meet(wide[0][src], wide[1][:5][dst]), rtol=1e-9)


def test_messages_between_rows_of_numbers():
    src, dst = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])
    x, y = paddle.to_tensor([1, 2, 3, 4]), paddle.to_tensor([1, 2])
    assert geometric.send_ue_recv(x, y, src, dst, 'mul').tolist() == [[0], [5], [0], [0]]
    assert geometric.send_uv(x, x, src, dst, 'sub').tolist() == [[-1], [0]]
    halves = geometric.send_uv(x, x, src, dst, 'div')
    assert halves.dtype == paddle.float32 and halves.tolist() == [[0.5], [1]]
    none = geometric.send_ue_recv(paddle.ones([4, 3]), paddle.ones([0, 3]), src[:0], dst[:0])
    assert none.shape == [4, 3] and not none.numpy().any()
    for call, words in (
        (lambda: geometric.send_uv(x, x, src, dst + 3), 'dst_index from 0 to 3, got 4'),
        (lambda: geometric.send_ue_recv(x, x, src, dst), 'a row of y for each of 2 edges'),
        (lambda: geometric.send_uv(x, x.astype('float32'), src, dst), 'x and y of one dtype'),
        (lambda: paddle._C_ops.send_uv(x, x, src, dst, 'POW'), 'the message ADD or MUL, got POW'),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_messages_of_static_programs():
    arrays = {
        'x': RNG.rand(4, 3),
        'y': RNG.rand(6, 1),
        'src': RNG.randint(0, 4, 6),
        'dst': RNG.randint(0, 4, 6),
    }

    def call(x, y, src, dst):
        sent = geometric.send_ue_recv(x, y, src, dst, 'mul', 'mean')
        return sent, geometric.send_uv(x, sent, src, dst)

    want = [r.numpy() for r in call(*(paddle.to_tensor(a) for a in arrays.values()))]
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = [
                paddle.static.data(name, [-1, *a.shape[1:]], str(a.dtype))
                for name, a in arrays.items()
            ]
            results = call(*data)
        got = paddle.static.Executor().run(program, arrays, fetch_list=list(results))
    finally:
        paddle.disable_static()
    assert 'pd_op.send_ue_recv' in str(program) and 'pd_op.send_uv' in str(program)
    for one, other in zip(got, want):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_maxima_of_windows_are_the_first_of_equal_ones_and_nan(dtype):
    x = RNG.randint(0, 3, (2, 3, 9, 8)).astype(dtype)
    x[0, 1, 4:6, 3:5] = np.nan
    boxes = np.array([[0, 0, 7, 8], [2, 3, 6, 6], [5, 5, 20, 20]], dtype)
    out, places = libpaddle._functions('paddle._C_ops.whole')['roi_pool'](
        *(paddle.to_tensor(v) for v in (x, boxes, np.array([2, 1], 'int32'))), 3, 2, 1.0
    )
    pooled, mask = F.fractional_max_pool2d(
        paddle.to_tensor(x), [4, 3], random_u=0.3, return_mask=True
    )

    def first(values):
        flat = values.ravel()
        nans = np.flatnonzero(np.isnan(flat))
        at = int(nans[0]) if nans.size else int(np.argmax(flat))
        return np.unravel_index(at, values.shape)

    def bins(low, high, count, extent):
        size = max(high - low + 1, 1) / count
        for i in range(count):
            ends = np.floor(i * size) + low, np.ceil((i + 1) * size) + low
            yield [int(min(max(v, 0), extent)) for v in ends]

    for r, image in enumerate([0, 0, 1]):
        x1, y1, x2, y2 = boxes[r]
        for c, (i, (a, b)), (j, (p, q)) in itertools.product(
            range(3), enumerate(bins(y1, y2, 3, 9)), enumerate(bins(x1, x2, 2, 8))
        ):
            place = int(places[r, c, i, j])
            if a >= b or p >= q:
                assert place == -1 and float(out[r, c, i, j]) == 0
                continue
            row, column = first(x[image, c, a:b, p:q])
            assert place == (a + row) * 8 + p + column
            np.testing.assert_equal(float(out[r, c, i, j]), x[image, c].flat[place])
    flat = x.reshape(2, 3, -1)
    np.testing.assert_array_equal(
        pooled.numpy().reshape(2, 3, -1),
        np.take_along_axis(flat, mask.numpy().reshape(2, 3, -1).astype('int64'), 2),
    )
    assert np.isnan(pooled.numpy()[0, 1]).any()
