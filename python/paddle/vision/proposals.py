# SPDX-License-Identifier: Apache-2.0
"""Choosing boxes: proposals of a region proposal network, and matrix non-maximum suppression."""

import numpy as np

import paddle
from paddle.base.libpaddle import expect_tensors

__all__ = ['generate_proposals', 'matrix_nms']

_LIMIT = np.log(1000.0 / 16.0)


def _overlaps(boxes, extra):
    """IoU of every pair."""
    area = (boxes[:, 2] - boxes[:, 0] + extra) * (boxes[:, 3] - boxes[:, 1] + extra)
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    side = np.where(high >= low, high - low + extra, 0.0)
    shared = side[..., 0] * side[..., 1]
    return shared / np.maximum(area[:, None] + area[None] - shared, 1e-10)


def _suppress(boxes, threshold, eta, extra):
    kept, adaptive = [], threshold
    overlaps = _overlaps(boxes, extra)
    for i in range(len(boxes)):
        if all(overlaps[i, j] <= adaptive for j in kept):
            kept.append(i)
            if eta < 1 and adaptive > 0.5:
                adaptive *= eta
    return np.array(kept, int)


def generate_proposals(
    scores,
    bbox_deltas,
    img_size,
    anchors,
    variances,
    pre_nms_top_n=6000,
    post_nms_top_n=1000,
    nms_thresh=0.5,
    min_size=0.1,
    eta=1.0,
    pixel_offset=False,
    return_rois_num=False,
    name=None,
):
    """(boxes [R, 4], scores [R, 1][, count of each image]) from anchors moved by the network's
    deltas.

    `scores` [N, A, H, W], `bbox_deltas` [N, 4A, H, W], `img_size` [N, 2], `anchors` and `variances`
    [H, W, A, 4].
    """
    expect_tensors(
        'generate_proposals',
        scores=scores,
        bbox_deltas=bbox_deltas,
        img_size=img_size,
        anchors=anchors,
        variances=variances,
    )
    extra = 1.0 if pixel_offset else 0.0
    base, spread = (t.astype('float64').numpy().reshape(-1, 4) for t in (anchors, variances))
    sizes = img_size.astype('float64').numpy()
    all_scores = (
        (scores.astype('float32') if scores.dtype == paddle.bfloat16 else scores)
        .numpy()
        .transpose(0, 2, 3, 1)
    )
    n = all_scores.shape[0]
    deltas = bbox_deltas.astype('float64').numpy()
    deltas = deltas.reshape(n, -1, 4, *deltas.shape[2:]).transpose(0, 3, 4, 1, 2).reshape(n, -1, 4)
    boxes_out, scores_out, counts = [], [], []
    for i in range(n):
        score = all_scores[i].reshape(-1)
        order = np.argsort(-score, kind='stable')
        if 0 < pre_nms_top_n < len(order):
            order = order[:pre_nms_top_n]
        box, delta, var = base[order], deltas[i][order], spread[order]
        width, height = box[:, 2] - box[:, 0] + extra, box[:, 3] - box[:, 1] + extra
        cx = var[:, 0] * delta[:, 0] * width + box[:, 0] + 0.5 * width
        cy = var[:, 1] * delta[:, 1] * height + box[:, 1] + 0.5 * height
        w = np.exp(np.minimum(var[:, 2] * delta[:, 2], _LIMIT)) * width
        h = np.exp(np.minimum(var[:, 3] * delta[:, 3], _LIMIT)) * height
        made = np.stack([cx - w / 2, cy - h / 2, cx + w / 2 - extra, cy + h / 2 - extra], 1)
        image_h, image_w = sizes[i]
        made[:, 0::2] = made[:, 0::2].clip(0, image_w - extra)
        made[:, 1::2] = made[:, 1::2].clip(0, image_h - extra)
        least = max(min_size, 1.0)
        keep = (made[:, 2] - made[:, 0] + extra >= least) & (
            made[:, 3] - made[:, 1] + extra >= least
        )
        if pixel_offset:
            keep &= ((made[:, 0] + made[:, 2]) / 2 <= image_w) & (
                (made[:, 1] + made[:, 3]) / 2 <= image_h
            )
        made, score = made[keep], score[order][keep]
        if len(made) == 0:
            made, score = np.zeros([1, 4]), np.zeros([1], score.dtype)
        elif nms_thresh > 0:
            kept = _suppress(made, nms_thresh, eta, extra)
            if post_nms_top_n > 0:
                kept = kept[:post_nms_top_n]
            made, score = made[kept], score[kept]
        boxes_out.append(made)
        scores_out.append(score)
        counts.append(len(made))
    rois = paddle.to_tensor(np.concatenate(boxes_out).astype('float32'))
    probs = paddle.to_tensor(np.concatenate(scores_out).astype('float32').reshape(-1, 1))
    if return_rois_num:
        return rois, probs, paddle.to_tensor(np.array(counts, 'int32'))
    return rois, probs, None


def matrix_nms(
    bboxes,
    scores,
    score_threshold,
    post_threshold,
    nms_top_k,
    keep_top_k,
    use_gaussian=False,
    gaussian_sigma=2.0,
    background_label=0,
    normalized=True,
    return_index=False,
    return_rois_num=True,
    name=None,
):
    """(rows [R, 6] of class, decayed score and box[, count of each image][, index [R, 1]]).

    `bboxes` [N, M, 4], `scores` [N, classes, M]: a box loses score by its overlap with better ones
    of its class.
    """
    expect_tensors('matrix_nms', bboxes=bboxes, scores=scores)
    extra = 0.0 if normalized else 1.0
    all_boxes, all_scores = bboxes.astype('float64').numpy(), scores.astype('float64').numpy()
    rows_out, index_out, counts = [], [], []
    for i in range(len(all_boxes)):
        rows, indices = [], []
        for label in range(all_scores.shape[1]):
            if label == background_label:
                continue
            score = all_scores[i, label]
            order = np.nonzero(score > float(score_threshold))[0]
            order = order[np.argsort(-score[order], kind='stable')]
            if nms_top_k > -1:
                order = order[:nms_top_k]
            if not len(order):
                continue
            overlap = np.tril(_overlaps(all_boxes[i][order], extra), -1)
            worst = overlap.max(1)
            if use_gaussian:
                decay = np.exp((worst[None] ** 2 - overlap**2) * float(gaussian_sigma))
            else:
                decay = (1 - overlap) / (1 - worst[None])
            lower = np.tri(len(order), k=-1, dtype=bool)
            decay = np.where(lower, decay, 1.0).min(1)
            final = score[order] * decay
            for j in np.nonzero(final > float(post_threshold))[0]:
                rows.append([label, final[j], *all_boxes[i][order[j]]])
                indices.append(i * all_boxes.shape[1] + order[j])
        best = np.argsort([-r[1] for r in rows], kind='stable')
        if keep_top_k > -1:
            best = best[:keep_top_k]
        rows_out += [rows[j] for j in best]
        index_out += [indices[j] for j in best]
        counts.append(len(best))
    out = paddle.to_tensor(np.array(rows_out, 'float32').reshape(-1, 6))
    index = paddle.to_tensor(np.array(index_out, 'int32').reshape(-1, 1)) if return_index else None
    return out, paddle.to_tensor(np.array(counts, 'int32')) if return_rois_num else None, index
