# SPDX-License-Identifier: Apache-2.0
"""Boxes, segments, messages, paths and labels that are out of range, not finite or too many."""

import numpy as np
import pytest

import paddle


HUGE = [1e9, -1e9, 1e30, 1e308, -1e308, float('inf'), float('-inf'), float('nan')]


@pytest.mark.parametrize('pool', ['roi_align', 'roi_pool', 'psroi_pool'])
@pytest.mark.parametrize('value', HUGE)
def test_boxes_and_scales_without_places_are_refused(pool, value):
    call = getattr(paddle.vision.ops, pool)
    x, count = paddle.ones([1, 4, 4, 4]), paddle.to_tensor([1], 'int32')
    box = [0.0, 0.0, 2.0, 2.0]
    with pytest.raises(ValueError, match=pool):
        call(x, paddle.to_tensor([box]), count, 2, spatial_scale=value)
    for k in range(4):
        hostile = box[:k] + [value] + box[k + 1 :]
        with pytest.raises(ValueError, match=pool):
            call(x, paddle.to_tensor([hostile], 'float64'), count, 2)
    # Each is in range, their product is not.
    with pytest.raises(ValueError, match=pool):
        call(x, paddle.to_tensor([[0.0, 0.0, 1e6, 2.0]]), count, 2, spatial_scale=1e6)


@pytest.mark.parametrize('pool', ['roi_align', 'roi_pool', 'psroi_pool'])
@pytest.mark.parametrize('scale', [-1e8, -1.0, 0.0, 1e-300, 1e8])
def test_boxes_far_from_the_features_have_gradients(pool, scale):
    x = paddle.ones([1, 4, 4, 4])
    x.stop_gradient = False
    boxes = paddle.to_tensor([[-1.0, -2.0, 3.0, 2.5], [2.0, 3.0, -1.0, -4.0], [0.0, 0.0, 0.0, 0.0]])
    args = {'sampling_ratio': 2} if pool == 'roi_align' else {}
    out = getattr(paddle.vision.ops, pool)(
        x, boxes, paddle.to_tensor([3], 'int32'), 2, spatial_scale=scale, **args
    )
    (grad,) = paddle.grad(out.sum(), x)
    assert np.isfinite(out.numpy()).all() and np.isfinite(grad.numpy()).all()
    # Means and largest elements of ones.
    assert ((out.numpy() >= 0) & (out.numpy() <= 1 + 1e-6)).all()
    np.testing.assert_allclose(grad.numpy().sum(), out.numpy().sum(), rtol=1e-5)


def test_many_samples_of_a_bin_cost_no_more_than_their_elements():
    x = paddle.arange(16, dtype='float64').reshape([1, 1, 4, 4])
    boxes, count = (
        paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]], 'float64'),
        paddle.to_tensor([1], 'int32'),
    )
    got = paddle.vision.ops.roi_align(x, boxes, count, 1, sampling_ratio=2**20, aligned=True)
    few = paddle.vision.ops.roi_align(x, boxes, count, 1, sampling_ratio=512, aligned=True)
    np.testing.assert_allclose(got.numpy(), few.numpy(), rtol=1e-3)
    wide = paddle.to_tensor([[-1e5, -1e5, 1e5, 1e5]], 'float64')
    assert abs(float(paddle.vision.ops.roi_align(x, wide, count, 1))) < 1e-6
    assert abs(float(paddle.vision.ops.roi_align(x, paddle.flip(wide, [1]), count, 1))) < 1


@pytest.mark.parametrize('pool', ['roi_align', 'roi_pool', 'psroi_pool'])
@pytest.mark.parametrize('counts', [[2], [-1], [0], [1, 0], [2**62, 2**62], [-(2**63)], []])
def test_boxes_num_that_does_not_fit_is_refused(pool, counts):
    call = getattr(paddle.vision.ops, pool)
    x, box = paddle.ones([1, 4, 4, 4]), paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]])
    with pytest.raises(ValueError, match=pool):
        call(x, box, paddle.to_tensor(counts, 'int64'), 2)


@pytest.mark.parametrize('pool', ['roi_align', 'roi_pool', 'psroi_pool'])
@pytest.mark.parametrize('size', [0, -1, (0, 2), (2**31, 2**31), 2**62, (2**33, 1)])
def test_bins_that_cannot_be_are_refused(pool, size):
    call = getattr(paddle.vision.ops, pool)
    box, count = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]]), paddle.to_tensor([1], 'int32')
    for channels in (0, 4):
        try:
            out = call(paddle.ones([1, channels, 4, 4]), box, count, size)
        except (ValueError, IndexError, MemoryError) as error:
            assert 'expected' in str(error)
        else:
            assert channels == 0 and out.size == 0


@pytest.mark.parametrize('name', ['sum', 'mean', 'min', 'max'])
@pytest.mark.parametrize('kind', ['int32', 'int64'])
def test_rows_that_there_are_not_are_refused(name, kind):
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    x = paddle.ones([2, 3])
    for bad in (-1, 2, least, most):
        good, index = paddle.to_tensor([0, 1], kind), paddle.to_tensor([0, bad], kind)
        for src, dst in ((good, index), (index, good)):
            with pytest.raises(ValueError, match='send_u_recv'):
                paddle.geometric.send_u_recv(x, src, dst, name)
    segment = getattr(paddle.geometric, f'segment_{name}')
    for ids in ([0, -1], [least, 0], [0, least], [most, 0], [-1, -1]):
        with pytest.raises(ValueError, match='segment_pool'):
            segment(x, paddle.to_tensor(ids, kind))


@pytest.mark.parametrize('name', ['sum', 'mean', 'min', 'max'])
@pytest.mark.parametrize('last', [2**61, 2**62, 2**63 - 2, 2**63 - 1])
@pytest.mark.parametrize('width', [0, 3])
def test_more_segments_than_memory(name, last, width):
    segment = getattr(paddle.geometric, f'segment_{name}')
    try:
        out = segment(paddle.ones([2, width]), paddle.to_tensor([0, last], 'int64'))
    except (ValueError, MemoryError) as error:
        assert 'expected' in str(error)
    else:
        assert width == 0 and out.size == 0
    try:
        edges = paddle.to_tensor([0, 1], 'int64')
        out = paddle.geometric.send_u_recv(paddle.ones([2, width]), edges, edges, name, last)
    except (ValueError, MemoryError) as error:
        assert 'expected' in str(error)
    else:
        assert width == 0 and out.size == 0


@pytest.mark.parametrize('kind', ['int32', 'int64'])
def test_paths_and_labels_out_of_range_are_refused(kind):
    F, least, most = paddle.nn.functional, np.iinfo(kind).min, np.iinfo(kind).max
    for bad in (least, -1, 5, most):
        parents = paddle.to_tensor([[[0, 1]], [[bad, 1]]], kind)
        with pytest.raises(ValueError, match='gather_tree'):
            F.gather_tree(paddle.zeros([2, 1, 2], kind), parents)
        with pytest.raises(ValueError, match='viterbi_decode'):
            paddle.text.viterbi_decode(
                paddle.ones([1, 4, 3]), paddle.ones([3, 3]), paddle.to_tensor([bad], kind)
            )
        number = paddle.to_tensor([bad], kind)
        two, four = paddle.to_tensor([2], kind), paddle.to_tensor([4], kind)
        logits, labels = paddle.ones([4, 1, 5]), paddle.to_tensor([[1, 2]], kind)
        for label, times, length in (
            (paddle.to_tensor([[1, bad]], kind), four, two),
            (labels, number, two),
            (labels, four, number),
        ):
            with pytest.raises(ValueError, match='ctc_loss'):
                F.ctc_loss(logits, label, times, length)
        with pytest.raises((ValueError, IndexError), match='expected .*blank'):
            F.ctc_loss(logits, labels, four, two, blank=bad)
        with pytest.raises(ValueError, match='hsigmoid_loss'):
            F.hsigmoid_loss(paddle.ones([1, 2]), number, 5, paddle.ones([4, 2]))
        if bad >= 0:
            with pytest.raises(ValueError, match='hsigmoid_loss'):
                F.hsigmoid_loss(
                    paddle.ones([1, 2]),
                    paddle.to_tensor([0], kind),
                    5,
                    paddle.ones([4, 2]),
                    path_table=paddle.to_tensor([[0, bad]], kind),
                    path_code=paddle.to_tensor([[0, 1]], kind),
                )


def yolo(boxes, label=0, height=2, width=2, anchors=(10, 13), dtype='float32', **more):
    x = paddle.ones([1, 6, height, width], dtype)
    x.stop_gradient = False
    loss = paddle.vision.ops.yolo_loss(
        x,
        paddle.to_tensor([[boxes]], dtype),
        paddle.to_tensor([[label]], 'int32'),
        list(anchors),
        [0],
        1,
        0.7,
        more.pop('downsample_ratio', 32),
        **more,
    )
    (grad,) = paddle.grad(loss.sum(), x)
    return loss, grad


def test_objects_without_a_cell_are_refused():
    for height, width in ((0, 4), (4, 0), (0, 0)):
        with pytest.raises(ValueError, match='cell'):
            yolo([0.5, 0.5, 0.1, 0.1], height=height, width=width)
    for bad in (-0.1, 1.0, 1e30, float('inf'), float('nan')):
        for box in ([bad, 0.5, 0.1, 0.1], [0.5, bad, 0.1, 0.1]):
            with pytest.raises(ValueError, match='yolo_loss'):
                yolo(box)
    for bad in (-(2**31), -1, 1, 2**31 - 1):
        with pytest.raises(ValueError, match='gt_label'):
            yolo([0.5, 0.5, 0.1, 0.1], label=bad)
    below = float(np.nextafter(np.float32(1), np.float32(0)))
    for extent in (1, 2, 3, 5, 7, 31):
        loss, grad = yolo([below, below, 0.1, 0.1], height=extent, width=extent)
        assert np.isfinite(float(loss)) and np.isfinite(grad.numpy()).all()
    for ratio in (1, 2**30, 2**31 - 1):
        loss, _ = yolo([0.5, 0.5, 0.1, 0.1], downsample_ratio=ratio)
        assert not np.isnan(float(loss))
    for size in (float('inf'), 1e38):
        yolo([0.5, 0.5, size, size])


@pytest.mark.parametrize('classes', [2**30 - 5, 2**31 - 1, 2**62 - 5, 2**63 - 1])
def test_more_classes_than_channels_are_refused(classes):
    with pytest.raises((ValueError, IndexError), match='expected'):
        paddle.vision.ops.yolo_loss(
            paddle.ones([1, 0, 2, 2]),
            paddle.ones([1, 1, 4]) * 0.5,
            paddle.zeros([1, 1], 'int32'),
            [1, 1] * 4,
            [0, 1, 2, 3],
            classes,
            0.7,
            32,
        )


@pytest.mark.parametrize('value', [float('nan'), float('inf'), -1e308, 1e308])
def test_overlaps_of_what_is_not_finite(value):
    boxes = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0], [0.0, value, 1.0, 1.0]], 'float64')
    for threshold in (0.5, value):
        kept = paddle.vision.ops.nms(boxes, threshold).numpy()
        assert set(kept) <= {0, 1} and kept[0] == 0


@pytest.mark.parametrize('size', [0, -1, 5, 2**31, 2**62])
def test_fractional_pools_of_impossible_sizes_are_refused(size):
    F = paddle.nn.functional
    for pool, rank in ((F.fractional_max_pool2d, 2), (F.fractional_max_pool3d, 3)):
        x = paddle.ones([1, 1] + [4] * rank)
        with pytest.raises(ValueError, match='fractional_max_pool'):
            pool(x, size)
        if size > 0:
            with pytest.raises(ValueError, match='fractional_max_pool'):
                pool(x, 2, kernel_size=size)
        for u in (1e-45, 1 - 1e-12):
            assert list(pool(x, 3, random_u=u).shape) == [1, 1] + [3] * rank
