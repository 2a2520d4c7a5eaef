# SPDX-License-Identifier: Apache-2.0
"""Operations that are functions here, with the arguments and results of the operation: names of
`paddle._C_ops`.
"""

import numpy as np

import paddle
from paddle import _C_ops
from paddle.vision import ops as _vision
from paddle.vision.proposals import _overlaps


def ones(shape, dtype='float32', place=None):
    """A tensor of ones."""
    return paddle.ones(shape, dtype, device=place)


def zeros(shape, dtype='float32', place=None):
    """A tensor of zeros."""
    return paddle.zeros(shape, dtype, device=place)


def batch_norm(
    x,
    mean,
    variance,
    scale,
    bias,
    is_test,
    momentum,
    epsilon,
    data_format,
    use_global_stats,
    trainable_statistics,
):
    """`batch_norm_` with new tensors for the running statistics instead of writing them."""
    return _C_ops.batch_norm_(
        x,
        mean.clone(),
        variance.clone(),
        scale,
        bias,
        is_test,
        momentum,
        epsilon,
        data_format,
        use_global_stats,
        trainable_statistics,
    )


def accuracy(x, indices, label):
    """(share, number, count) of rows whose label is among the indices of their largest values
    `x`.
    """
    count = x.shape[0]
    right = (
        paddle.any(indices == label.reshape([-1, 1]).astype(indices.dtype), axis=-1)
        .astype('int32')
        .sum()
        .astype('int32')
    )
    return right.astype('float32') / count, right, paddle.full([], count, 'int32')


def box_coder(
    prior_box,
    prior_box_var,
    target_box,
    code_type='encode_center_size',
    box_normalized=True,
    axis=0,
    variance=(),
):
    """`paddle.vision.ops.box_coder` with variances as a tensor or as a list."""
    return _vision.box_coder(
        prior_box,
        list(variance) or None if prior_box_var is None else prior_box_var,
        target_box,
        code_type,
        box_normalized,
        axis,
    )


def prior_box(
    input,
    image,
    min_sizes,
    max_sizes=(),
    aspect_ratios=(),
    variances=(),
    flip=True,
    clip=True,
    step_w=0.0,
    step_h=0.0,
    offset=0.5,
    min_max_aspect_ratios_order=False,
):
    """`paddle.vision.ops.prior_box`."""
    return _vision.prior_box(
        input,
        image,
        list(min_sizes),
        list(max_sizes) or None,
        list(aspect_ratios) or [1.0],
        list(variances) or [0.1, 0.1, 0.2, 0.2],
        flip,
        clip,
        [step_w, step_h],
        offset,
        min_max_aspect_ratios_order,
    )


def distribute_fpn_proposals(
    fpn_rois, rois_num, min_level, max_level, refer_level, refer_scale, pixel_offset
):
    """(boxes of each level, counts of each level, index that restores the order)."""
    if rois_num is None:
        raise ValueError(
            "[distribute_fpn_proposals] expected rois_num, how many boxes each image has, got None"
        )
    rois, restore, counts = _vision.distribute_fpn_proposals(
        fpn_rois, min_level, max_level, refer_level, refer_scale, pixel_offset, rois_num
    )
    return rois, counts, restore


def matrix_nms(
    bboxes,
    scores,
    score_threshold,
    nms_top_k,
    keep_top_k,
    post_threshold=0.0,
    use_gaussian=False,
    gaussian_sigma=2.0,
    background_label=0,
    normalized=True,
):
    """(boxes, their index, counts of the images)."""
    out, count, index = _vision.matrix_nms(
        bboxes,
        scores,
        score_threshold,
        post_threshold,
        nms_top_k,
        keep_top_k,
        use_gaussian,
        gaussian_sigma,
        background_label,
        normalized,
        True,
        True,
    )
    return out, index, count


def _kept(overlaps, scores, score_threshold, top, threshold, eta):
    """Places of the boxes that non-maximum suppression keeps, best first."""
    order = np.argsort(-scores, kind='stable')
    order = [k for k in order if scores[k] > score_threshold][: None if top < 0 else top]
    kept = []
    for k in order:
        if not kept or overlaps[k, kept].max() <= threshold:
            kept.append(k)
            if eta < 1 and threshold > 0.5:
                threshold *= eta
    return kept


def multiclass_nms3(
    bboxes,
    scores,
    rois_num,
    score_threshold,
    nms_top_k,
    keep_top_k,
    nms_threshold=0.3,
    normalized=True,
    nms_eta=1.0,
    background_label=0,
):
    """Non-maximum suppression of each class: (rows of class, score and box, their index, counts of
    the images).

    bboxes [N, M, 4] and scores [N, C, M]; the other form, with `rois_num`, is refused.
    """
    if rois_num is not None:
        raise ValueError(
            "[multiclass_nms3] expected rois_num to be None and boxes by image, got boxes of all "
            "images in one"
        )
    boxes, values, extra = bboxes.numpy(), scores.numpy(), 0.0 if normalized else 1.0
    rows, index, counts = [], [], []
    for image, (box, score) in enumerate(zip(boxes, values)):
        overlaps = _overlaps(box, extra)
        found = [
            (-float(score[c, k]), c, k)
            for c in range(len(score))
            if c != background_label
            for k in _kept(overlaps, score[c], score_threshold, nms_top_k, nms_threshold, nms_eta)
        ]
        if keep_top_k >= 0:
            found = sorted(found, key=lambda one: one[0])[:keep_top_k]
        found.sort(key=lambda one: one[1])
        rows += [[c, -value, *box[k]] for value, c, k in found]
        index += [[image * len(box) + k] for _, _, k in found]
        counts.append(len(found))
    return (
        paddle.to_tensor(np.array(rows, values.dtype).reshape(-1, 6)),
        paddle.to_tensor(np.array(index, 'int32').reshape(-1, 1)),
        paddle.to_tensor(np.array(counts, 'int32')),
    )
