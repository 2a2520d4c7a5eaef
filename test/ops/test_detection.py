# SPDX-License-Identifier: Apache-2.0
"""Choosing and coding of boxes, deformable convolution, unpooling and cosines with margins:
against NumPy, PaddlePaddle 3.3.1's values and central differences, eager and recorded.
"""

import itertools

import numpy as np
import pytest

import paddle
from paddle.nn import functional as F
from paddle.vision import ops

C = paddle._C_ops


def rng(seed=0):
    return np.random.RandomState(seed)


def of(values, dtype=None):
    return paddle.to_tensor(np.asarray(values, dtype))


def some_boxes(n, seed=0, size=10.0):
    boxes = rng(seed).rand(n, 4) * size
    boxes[:, 2:] += boxes[:, :2]
    return boxes


def check_gradients(call, *arrays):
    """Gradients of (call(*arrays) * its indices).sum() against central differences."""

    def total(*tensors):
        out = call(*tensors)
        return (out * paddle.arange(1, out.size + 1, dtype='float64').reshape(out.shape)).sum()

    leaves = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    total(*leaves).backward()
    for k, (leaf, array) in enumerate(zip(leaves, arrays)):
        for at in rng(k).choice(array.size, min(array.size, 12), replace=False):
            step = np.zeros_like(array)
            step.flat[at] = 1e-5
            both = (
                [paddle.to_tensor(a + s if i == k else a) for i, a in enumerate(arrays)]
                for s in (step, -step)
            )
            high, low = (float(total(*tensors)) for tensors in both)
            want = (high - low) / 2e-5
            assert leaf.grad.numpy().flat[at] == pytest.approx(want, rel=1e-5, abs=1e-5)


def same_when_recorded(call, *arrays, names=()):
    """Results of `call` in a static program whose first axis is not known are the eager ones."""
    want = paddle.utils.flatten(call(*(paddle.to_tensor(a) for a in arrays)))
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            data = [
                paddle.static.data(f'x{i}', [-1, *a.shape[1:]], str(a.dtype))
                for i, a in enumerate(arrays)
            ]
            results = paddle.utils.flatten(call(*data))
        got = paddle.static.Executor().run(
            program, {f'x{i}': a for i, a in enumerate(arrays)}, fetch_list=results
        )
    finally:
        paddle.disable_static()
    for name in names:
        assert f'pd_op.{name}"' in str(program)
    for one, other in zip(got, want):
        # Programs keep attributes in float32.
        np.testing.assert_allclose(one, other.numpy(), rtol=1e-6)


# PaddlePaddle 3.3.1's results.
def test_boxes_of_images_in_one_list():
    boxes = rng(3).rand(5, 2, 4) * 10
    boxes[..., 2:] += boxes[..., :2]
    scores = [[0.5, 0.6], [0.7, 0.2], [0.3, 0.9], [0.4, 0.45], [0.8, 0.35]]
    args = of(boxes, 'float32'), of(scores, 'float32'), of([2, 3], 'int32')
    out, index, counts = C.multiclass_nms3(*args, 0.1, -1, -1, 0.3, True, 1.0, 0)
    assert index.flatten().tolist() == [1, 3, 5, 7, 9] and counts.tolist() == [2, 3]
    np.testing.assert_allclose(out.numpy()[:, 1], [0.6, 0.2, 0.9, 0.45, 0.35], rtol=1e-6)
    np.testing.assert_allclose(
        out.numpy()[1], [1, 0.2, 6.4914403, 2.7848728, 13.253990, 8.6935015], rtol=1e-6
    )
    out, index, counts = C.multiclass_nms3(*args, 0.1, -1, 3, 0.3, True, 1.0, -1)
    assert index.flatten().tolist() == [0, 2, 1, 8, 5, 7] and counts.tolist() == [3, 3]
    assert out.numpy()[:, 0].tolist() == [0, 0, 1, 0, 1, 1]
    with pytest.raises(ValueError, match='rois_num that adds up to 5'):
        C.multiclass_nms3(*args[:2], of([2, 2], 'int32'), 0.1, -1, 3, 0.3, True, 1.0, -1)


def test_levels_of_images():
    rois = of([[0, 0, 10, 10], [0, 0, 300, 300], [0, 0, 100, 100], [5, 5, 4, 4]], 'float32')
    parts, counts, restore = C.distribute_fpn_proposals(
        rois, of([1, 3], 'int32'), 2, 4, 4, 224, False
    )
    assert [p.shape[0] for p in parts] == [3, 0, 1]
    assert [c.tolist() for c in counts] == [[1, 2], [0, 0], [0, 1]]
    assert restore.flatten().tolist() == [0, 3, 1, 2]
    parts, restore, counts = ops.distribute_fpn_proposals(rois, 2, 4, 4, 224)
    assert [p.shape[0] for p in parts] == [3, 0, 1] and counts is None
    with pytest.raises(ValueError, match='rois_num that adds up to 4'):
        C.distribute_fpn_proposals(rois, of([1, 2], 'int32'), 2, 4, 4, 224, False)


# By the definition: the best boxes of all levels, then image after image, best first.
def collected(rois, scores, counts, top):
    image = [np.repeat(np.arange(len(n)), n) for n in counts]
    rows, score, image = (np.concatenate(parts) for parts in (rois, scores, image))
    best = np.argsort(-score.reshape(-1), kind='stable')[:top]
    best = best[np.argsort(image[best], kind='stable')]
    return rows[best], np.bincount(image[best], minlength=len(counts[0]))


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16'])
@pytest.mark.parametrize('top', [1, 4, 100])
def test_collecting_levels(dtype, top):
    random = rng(5)
    counts = [[2, 3], [0, 1], [4, 0]]
    rois = [random.rand(sum(n), 4).astype(dtype) for n in counts]
    scores = [random.rand(sum(n), 1).astype('float32') for n in counts]
    scores[2][1] = scores[0][3]  # of two equal ones the first level's is before
    as_tensors = [paddle.to_tensor(r) for r in rois], [paddle.to_tensor(s) for s in scores]
    boxes, number = C.collect_fpn_proposals(*as_tensors, [of(n, 'int32') for n in counts], top)
    want, each = collected(rois, scores, counts, top)
    np.testing.assert_array_equal(boxes.numpy(), want)
    assert boxes.numpy().dtype == rois[0].dtype and number.tolist() == each.tolist()
    assert number.dtype == paddle.int32
    # Of one image, with scores in a row.
    flat = [paddle.to_tensor(s[:, 0]) for s in scores]
    boxes, number = C.collect_fpn_proposals(as_tensors[0], flat, [], top)
    want, each = collected(rois, scores, [[sum(n)] for n in counts], top)
    np.testing.assert_array_equal(boxes.numpy(), want)
    assert number.tolist() == each.tolist()


def test_collecting_levels_refuses_what_does_not_fit():
    rois, scores = [paddle.rand([2, 4])] * 2, [paddle.rand([2])] * 2
    counts = [of([1, 1], 'int32')] * 2
    for args, words in (
        ((rois, scores[:1], counts, 3), 'for each level, got 2, 1 and 2'),
        (([], [], [], 3), 'for each level, got 0'),
        ((rois, scores, counts, 0), 'post_nms_topn of at least 1, got 0'),
        ((rois, [paddle.rand([3])] * 2, counts, 3), 'scores .* of level 0'),
        ((rois, scores, [counts[0], of([2], 'int32')], 3), 'as many images for each level'),
    ):
        with pytest.raises(ValueError, match=words):
            C.collect_fpn_proposals(*args)
    with pytest.raises(ValueError, match='rois_num that adds up to 2'):
        C.collect_fpn_proposals(rois, scores, [of([1, 2], 'int32')] * 2, 3)
    empty = C.collect_fpn_proposals([paddle.zeros([0, 4])], [paddle.zeros([0])], [], 3)
    assert empty[0].shape == [0, 4] and empty[1].tolist() == [0]


def test_collecting_levels_when_recorded():
    same_when_recorded(
        lambda boxes, scores: C.collect_fpn_proposals([boxes, boxes], [scores, scores], [], 4),
        rng(6).rand(3, 4).astype('float32'),
        rng(7).rand(3).astype('float32'),
        names=['collect_fpn_proposals'],
    )


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_results_have_the_dtype_of_the_boxes(dtype):
    boxes, scores = some_boxes(4).astype(dtype), rng().rand(2, 4).astype(dtype)
    image = [paddle.to_tensor(v[None]) for v in (boxes, scores)]
    for out in (
        ops.matrix_nms(*image, 0.1, 0.1, 4, 4)[0],
        C.multiclass_nms3(*image, None, 0.1, 4, 4)[0],
        *ops.prior_box(paddle.ones([1, 1, 2, 2], dtype), paddle.ones([1, 1, 8, 8], dtype), [2.0]),
        ops.box_coder(paddle.to_tensor(boxes), [0.1] * 4, paddle.to_tensor(boxes)),
        *ops.generate_proposals(
            paddle.ones([1, 1, 2, 2], dtype),
            paddle.ones([1, 4, 2, 2], dtype),
            paddle.full([1, 2], 8, dtype),
            of([[[[1, 1, 5, 5]]] * 2] * 2, dtype),
            paddle.ones([2, 2, 1, 4], dtype),
        )[:2],
    ):
        assert out.dtype == getattr(paddle, dtype)


def test_boxes_of_static_programs():
    boxes, scores = some_boxes(12).reshape(2, 6, 4), rng(1).rand(2, 3, 6)
    same_when_recorded(
        lambda b, s: ops.matrix_nms(b, s, 0.1, 0.1, 5, 4, return_index=True),
        boxes,
        scores,
        names=['matrix_nms'],
    )
    same_when_recorded(
        lambda b, s: C.multiclass_nms3(b, s, None, 0.1, 5, 4),
        boxes,
        scores,
        names=['multiclass_nms3'],
    )
    same_when_recorded(
        lambda b: ops.distribute_fpn_proposals(b, 2, 5, 4, 8)[:2],
        boxes[0],
        names=['distribute_fpn_proposals'],
    )
    same_when_recorded(
        lambda x, s: ops.yolo_box(x, s, [2, 3, 4, 5], 2, 0.4, 8),
        rng().randn(2, 14, 3, 3),
        np.array([[24, 24], [12, 36]], 'int32'),
        names=['yolo_box'],
    )
    same_when_recorded(
        lambda p, t: ops.box_coder(p, [0.1, 0.1, 0.2, 0.2], t),
        boxes[0],
        boxes[1],
        names=['box_coder'],
    )
    anchors, spread = np.broadcast_to(some_boxes(2, 5), [3, 3, 2, 4]), np.ones([3, 3, 2, 4])
    same_when_recorded(
        lambda s, d, i: ops.generate_proposals(
            s, d, i, paddle.to_tensor(anchors), paddle.to_tensor(spread), return_rois_num=True
        ),
        rng(1).rand(2, 2, 3, 3),
        rng(2).randn(2, 8, 3, 3) * 0.2,
        np.full([2, 2], 20.0),
        names=['generate_proposals'],
    )


def test_nothing_to_choose_among():
    none = ops.matrix_nms(paddle.rand([2, 3, 4]), paddle.zeros([2, 2, 3]), 0.1, 0.1, 5, 5)
    assert none[0].shape == [0, 6] and none[1].tolist() == [0, 0]
    none = C.multiclass_nms3(paddle.rand([2, 0, 4]), paddle.zeros([2, 2, 0]), None, 0.1, 5, 5)
    assert [n.shape for n in none] == [[0, 6], [0, 1], [2]]
    parts, restore, _ = ops.distribute_fpn_proposals(paddle.zeros([0, 4]), 2, 3, 4, 8)
    assert [p.shape for p in parts] == [[0, 4], [0, 4]] and restore.shape == [0, 1]
    assert ops.box_coder(paddle.zeros([0, 4]), [0.1] * 4, paddle.rand([3, 4])).shape == [3, 0, 4]
    # A proposal without a box has one of no size.
    rois, scores, counts = ops.generate_proposals(
        paddle.ones([1, 1, 1, 1]),
        paddle.zeros([1, 4, 1, 1]),
        paddle.full([1, 2], 8.0),
        paddle.zeros([1, 1, 1, 4]),
        paddle.ones([1, 1, 1, 4]),
        return_rois_num=True,
    )
    assert rois.tolist() == [[0, 0, 0, 0]] and scores.tolist() == [[0]] and counts.tolist() == [1]


@pytest.mark.parametrize('value', [float('nan'), float('inf'), 1e308, -1e308])
def test_numbers_that_are_no_boxes(value):
    boxes = paddle.full([1, 5, 4], value, 'float64')
    scores = paddle.to_tensor(rng().rand(1, 2, 5))
    for kept in (
        ops.matrix_nms(boxes, scores, 0.1, 0.0, -1, -1)[0],
        ops.matrix_nms(boxes, scores * value, 0.1, 0.0, -1, -1, use_gaussian=True)[0],
        C.multiclass_nms3(boxes, scores * value, None, 0.1, -7, -7, value)[0],
        ops.box_coder(boxes[0], [value] * 4, boxes[0]),
        ops.distribute_fpn_proposals(boxes[0], 2, 5, 4, 8)[1],
        ops.prior_box(
            paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 4, 4]), [value], aspect_ratios=[value]
        )[0],
        ops.yolo_box(
            paddle.full([1, 7, 2, 2], value, 'float64'), of([[8, 8]], 'int32'), [2, 3], 2, value, 8
        )[0],
        ops.generate_proposals(
            paddle.full([1, 1, 2, 2], value),
            paddle.full([1, 4, 2, 2], value),
            paddle.full([1, 2], value),
            paddle.full([2, 2, 1, 4], value),
            paddle.full([2, 2, 1, 4], value),
            -5,
            -5,
            value,
            value,
            value,
        )[0],
    ):
        assert kept.shape[-1] in (1, 4, 6)


@pytest.mark.parametrize(
    'call, words',
    [
        (
            lambda: ops.box_coder(
                paddle.ones([2, 4]), [0.1] * 4, paddle.ones([3, 3, 4]), 'decode_center_size'
            ),
            r'target_box.*\[2, 4\] and \[3, 3, 4\]',
        ),
        (
            lambda: ops.prior_box(
                paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 4, 4]), [2.0], [1.0]
            ),
            'max_sizes above min_sizes',
        ),
        (
            lambda: ops.yolo_box(paddle.ones([1, 13, 2, 2]), of([[8, 8]]), [2, 3, 4, 5], 2, 0.1, 8),
            r'\[N, 14, H, W\]',
        ),
        (
            lambda: ops.yolo_box(paddle.ones([1, 14, 2, 2]), of([[8, 8]]), [2, 3, 4], 2, 0.1, 8),
            'anchors in pairs',
        ),
        (
            lambda: ops.matrix_nms(paddle.ones([1, 3, 4]), paddle.ones([1, 2, 4]), 0.1, 0.1, 2, 2),
            r'scores \[N, C, M\]',
        ),
        (
            lambda: ops.generate_proposals(
                paddle.ones([1, 1, 2, 2]),
                paddle.ones([1, 4, 2, 2]),
                paddle.ones([1, 2]),
                paddle.ones([2, 1, 1, 4]),
                paddle.ones([2, 2, 1, 4]),
            ),
            'anchors of 16 numbers',
        ),
        (
            lambda: ops.deform_conv2d(
                paddle.ones([1, 2, 4, 4]), paddle.ones([1, 18, 3, 2]), paddle.ones([3, 2, 3, 3])
            ),
            r'offset of shape \[1, 18, 2, 2\], got \[1, 18, 3, 2\]',
        ),
        (
            lambda: F.max_unpool2d(
                paddle.ones([1, 1, 2, 2]), of([[[[0, 3], [8, 16]]]], 'int32'), 2
            ),
            r'indices in \[0, 16\), got 16',
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def convolved(x, offset, weight, mask, stride, padding, dilation, shifts, groups):
    """Deformable convolution, one number after another."""
    n, channels, height, width = x.shape
    results, _, kh, kw = weight.shape
    rows, columns = offset.shape[2:]
    out = np.zeros([n, results, rows, columns])

    def at(plane, i, j):
        return plane[i, j] if 0 <= i < height and 0 <= j < width else 0.0

    def sampled(plane, y, x):
        i, j = int(np.floor(y)), int(np.floor(x))
        return sum(
            at(plane, i + a, j + b) * (1 - abs(y - i - a)) * (1 - abs(x - j - b))
            for a in (0, 1)
            for b in (0, 1)
        )

    each, per = channels // shifts, channels // groups
    for m, r, p, q in itertools.product(range(n), range(results), range(rows), range(columns)):
        first = r // (results // groups) * per
        for c, i, j in itertools.product(range(first, first + per), range(kh), range(kw)):
            tap = c // each * kh * kw + i * kw + j
            value = sampled(
                x[m, c],
                p * stride[0] - padding[0] + i * dilation[0] + offset[m, 2 * tap, p, q],
                q * stride[1] - padding[1] + j * dilation[1] + offset[m, 2 * tap + 1, p, q],
            )
            scale = 1.0 if mask is None else mask[m, tap, p, q]
            out[m, r, p, q] += weight[r, c - first, i, j] * value * scale
    return out


@pytest.mark.parametrize(
    'stride, padding, dilation, shifts, groups',
    [
        ([1, 1], [1, 1], [1, 1], 1, 1),
        ([2, 1], [0, 2], [1, 2], 2, 2),
        ([1, 2], [1, 0], [2, 1], 4, 1),
    ],
)
@pytest.mark.parametrize('masked', [False, True])
def test_deformable_convolution(stride, padding, dilation, shifts, groups, masked):
    x, weight = rng(1).randn(2, 4, 6, 5), rng(2).randn(4, 4 // groups, 3, 2)
    rows, columns = (
        (x.shape[2 + i] + 2 * padding[i] - dilation[i] * (weight.shape[2 + i] - 1) - 1) // stride[i]
        + 1
        for i in (0, 1)
    )
    offset = rng(3).rand(2, 2 * shifts * 6, rows, columns) * 3 - 1.5
    masks = [rng(4).rand(2, shifts * 6, rows, columns)] if masked else []

    def call(x, offset, weight, *mask):
        options = stride, padding, dilation, shifts, groups
        return ops.deform_conv2d(x, offset, weight, None, *options, *mask)

    arrays = [x, offset, weight, *masks]
    got = call(*(paddle.to_tensor(a) for a in arrays))
    want = convolved(*arrays[:3], *(masks or [None]), stride, padding, dilation, shifts, groups)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-9, atol=1e-9)
    check_gradients(call, *arrays)
    same_when_recorded(
        lambda x, offset, *mask: call(x, offset, paddle.to_tensor(weight), *mask),
        x,
        offset,
        *masks,
        names=['deformable_conv'],
    )


def test_deformable_convolution_of_nothing_and_of_nowhere():
    weight = paddle.ones([3, 2, 3, 3])
    assert ops.deform_conv2d(
        paddle.ones([0, 2, 4, 4]), paddle.ones([0, 18, 2, 2]), weight
    ).shape == [0, 3, 2, 2]
    for far in (float('nan'), float('inf'), -1e30):
        x = paddle.ones([1, 2, 4, 4])
        x.stop_gradient = False
        out = ops.deform_conv2d(x, paddle.full([1, 18, 2, 2], far), weight)
        out.sum().backward()
        assert not out.numpy().any() and not x.grad.numpy().any()
    half = ops.deform_conv2d(
        *(paddle.ones(s, 'bfloat16') for s in ([1, 2, 4, 4], [1, 18, 2, 2], [3, 2, 3, 3]))
    )
    assert half.dtype == paddle.bfloat16 and half[0, 0].tolist() == [[18, 12], [12, 8]]


@pytest.mark.parametrize('n', [1, 2, 3])
@pytest.mark.parametrize('index', ['int32', 'int64'])
def test_unpooling(n, index):
    x = rng(5).permutation(2 * 3 * 4**n).reshape([2, 3, *[4] * n]).astype('float64')
    pool, unpool = getattr(F, f'max_pool{n}d'), getattr(F, f'max_unpool{n}d')
    top, places = pool(paddle.to_tensor(x), 2, return_mask=True)
    places = places.astype(index)
    out = unpool(top, places, 2).numpy()
    assert (np.sort(out[out > 0]) == np.sort(top.numpy()[top.numpy() > 0])).all()
    assert (out == np.where(np.isin(x, top.numpy()), x, 0)).all()
    check_gradients(lambda v: unpool(v, places, 2), top.numpy())
    same_when_recorded(lambda v, p: unpool(v, p, 2), top.numpy(), places.numpy())


def test_the_last_of_two_elements_stays_where_they_are_put():
    places = of([[[[0, 0], [8, 8]]]], 'int32')
    out = F.max_unpool2d(of([[[[1.0, 2.0], [3.0, 4.0]]]]), places, 2)
    assert out.flatten().tolist() == [2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize('margins', [(1.0, 0.0, 0.35), (1.0, 0.5, 0.0), (1.35, 0.2, 0.1)])
def test_cosines_with_margins(margins):
    cosines, label = rng(6).rand(5, 7) * 1.8 - 0.9, np.array([0, 6, 3, 3, 1])
    adjusted = cosines.copy()
    rows = np.arange(5), label
    adjusted[rows] = np.cos(margins[0] * np.arccos(cosines[rows]) + margins[1]) - margins[2]
    powers = np.exp(adjusted * 8.0)
    want = powers / powers.sum(1, keepdims=True)

    def call(v, **options):
        return F.margin_cross_entropy(v, of(label), *margins, scale=8.0, reduction=None, **options)

    loss, softmax = call(of(cosines), return_softmax=True)
    np.testing.assert_allclose(softmax.numpy(), want, rtol=1e-9)
    np.testing.assert_allclose(loss.numpy()[:, 0], -np.log(want[rows]), rtol=1e-9)
    check_gradients(call, cosines)

    def derivatives(v):
        v.stop_gradient = False
        return paddle.grad(call(v).sum(), v, create_graph=True)[0]

    check_gradients(derivatives, cosines)
    same_when_recorded(
        lambda v: call(v[:5], return_softmax=True), cosines, names=['margin_cross_entropy']
    )
    half, _ = call(of(cosines, 'float32').astype('bfloat16'), return_softmax=True)
    assert half.dtype == paddle.bfloat16


def test_ends_of_cosines_with_margins():
    x = paddle.to_tensor([[1.0, 0.5], [-1.0, 0.5]], stop_gradient=False)
    F.margin_cross_entropy(x, of([0, 0]), 1.0, 0.0, 0.35).backward()
    assert np.isfinite(x.grad.numpy()).all()
    assert F.margin_cross_entropy(paddle.ones([0, 3]), of([], 'int64'), reduction='sum') == 0
