# SPDX-License-Identifier: Apache-2.0
"""The loss of a YOLOv3 head (Redmon & Farhadi, 2018), composed: gradients flow to the head only."""

import numpy as np

import paddle
from paddle.base.arguments import integer, to_array
from paddle.base.libpaddle import expect_tensors

__all__ = ['yolo_loss']


def _overlap(w, h, x, y, other):
    """IoU of boxes given by centre and size with the boxes `other` [..., 4]; everything
    broadcasts.
    """
    shared = 1.0
    for centre, size, k in ((x, w, 0), (y, h, 1)):
        low = paddle.maximum(centre - size / 2, other[..., k] - other[..., k + 2] / 2)
        high = paddle.minimum(centre + size / 2, other[..., k] + other[..., k + 2] / 2)
        shared = shared * paddle.clip(high - low, min=0.0)
    return shared / (w * h + other[..., 2] * other[..., 3] - shared)


def _cross_entropy(logit, label):
    return (
        paddle.clip(logit, min=0.0) - logit * label + paddle.log1p(paddle.exp(-paddle.abs(logit)))
    )


def yolo_loss(
    x,
    gt_box,
    gt_label,
    anchors,
    anchor_mask,
    class_num,
    ignore_thresh,
    downsample_ratio,
    gt_score=None,
    use_label_smooth=True,
    name=None,
    scale_x_y=1.0,
):
    """Loss [N] of a head x [N, len(anchor_mask) * (5 + class_num), H, W].

    gt_box [N, B, 4]: centre and size in parts of the image, size 0 for none; gt_label [N, B];
    gt_score [N, B], 1 by default. `anchors`: width and height in pixels, pair after pair;
    `anchor_mask`: which of them the head predicts. A box predicted without an object counts as
    background unless it overlaps one by more than `ignore_thresh`. Where two objects share a cell
    and an anchor, gradients of both count; PaddlePaddle 3.3 keeps the last one's.
    """
    expect_tensors('yolo_loss', x=x, gt_box=gt_box)
    count, (height, width), boxes = len(anchor_mask), x.shape[2:], gt_box.shape[1]
    batch = x.shape[0] if x.shape[0] >= 0 else paddle.shape(x)[0]
    size, cells = downsample_ratio * height, count * height * width
    pairs = to_array('yolo_loss', 'anchors', anchors, 'float64').reshape(-1, 2) / size
    own = pairs[[integer('yolo_loss', 'anchor_mask', k) for k in anchor_mask]].astype('float32')
    head = x.reshape([-1, count, 5 + class_num, height, width]).transpose(
        [0, 1, 3, 4, 2]
    )  # [N, M, H, W, 5 + C]
    with paddle.no_grad():
        kind = x.dtype
        row = paddle.arange(height, dtype='int64').astype(kind).reshape([1, 1, -1, 1])
        column = paddle.arange(width, dtype='int64').astype(kind)
        shift = -0.5 * (scale_x_y - 1.0)
        px = (column + paddle.nn.functional.sigmoid(head[..., 0]) * scale_x_y + shift) / width
        py = (row + paddle.nn.functional.sigmoid(head[..., 1]) * scale_x_y + shift) / height
        sizes = paddle.to_tensor(own, dtype=kind).reshape([1, count, 1, 1, 2])
        pw, ph = paddle.exp(head[..., 2]) * sizes[..., 0], paddle.exp(head[..., 3]) * sizes[..., 1]
        valid = paddle.logical_and(gt_box[..., 2] > 1e-6, gt_box[..., 3] > 1e-6)
        known = valid.astype(kind)
        flat = [v.reshape([-1, cells, 1]) for v in (pw, ph, px, py)]
        overlap = _overlap(*flat, gt_box.unsqueeze(1)) * known.unsqueeze(1)  # [N, cells, B]
        ignored = paddle.max(overlap, axis=2) > ignore_thresh
        # The anchor that fits a box best when both have one centre.
        gw, gh = gt_box[..., 2], gt_box[..., 3]
        every = paddle.to_tensor(pairs, dtype=kind)
        shared = paddle.minimum(gw.unsqueeze(-1), every[:, 0]) * paddle.minimum(
            gh.unsqueeze(-1), every[:, 1]
        )
        best = paddle.argmax(
            shared / ((gw * gh).unsqueeze(-1) + every[:, 0] * every[:, 1] - shared), axis=-1
        )
        place = paddle.full_like(best, -1)
        for k, anchor in enumerate(anchor_mask):
            place = paddle.where(best == anchor, paddle.full_like(best, k), place)
        matched = paddle.logical_and(valid, place >= 0)
        gi, gj = (gt_box[..., 0] * width).astype('int64'), (gt_box[..., 1] * height).astype('int64')
        image = paddle.arange(batch, dtype='int64').reshape([-1, 1])
        at = ((image * count + place) * height + gj) * width + gi
        at = paddle.where(matched, at, paddle.full_like(at, 0))
        score = paddle.ones_like(gw) if gt_score is None else gt_score
        score = score * matched.astype(kind)
        # Objects overwrite: the last box of a cell counts. Boxes without a cell write behind the
        # cells.
        marks = paddle.where(
            ignored.reshape([-1]), paddle.full([1], -1.0, kind), paddle.full([1], 0.0, kind)
        )
        marks = paddle.concat([marks, paddle.zeros([1], kind)])
        end = paddle.full_like(at, 0) + batch * cells
        marks = paddle.scatter(
            marks, paddle.where(matched, at, end).reshape([-1]), score.reshape([-1]), overwrite=True
        )
        marks = marks[:-1].reshape([-1, count, height, width])
        fit = paddle.gather(
            paddle.to_tensor(own, dtype=kind), paddle.clip(place, min=0).reshape([-1])
        )
        fit = fit.reshape([-1, boxes, 2])
        one = paddle.ones_like(gw)
        targets = [
            gt_box[..., 0] * width - gi.astype(kind),
            gt_box[..., 1] * height - gj.astype(kind),
            paddle.log(paddle.where(matched, gw / fit[..., 0], one)),
            paddle.log(paddle.where(matched, gh / fit[..., 1], one)),
        ]
        weight = (2.0 - gw * gh) * score
        smooth = min(1.0 / class_num, 1.0 / 40) if use_label_smooth else 0.0
        expect_tensors('yolo_loss', gt_label=gt_label)
        wanted = paddle.where(valid, gt_label.astype('int64'), paddle.full_like(at, 0))
        wanted = paddle.nn.functional.one_hot(wanted, class_num)
        wanted = wanted.astype(kind) * (1.0 - 2.0 * smooth) + smooth
    found = paddle.gather(head.reshape([-1, 5 + class_num]), at.reshape([-1])).reshape(
        [-1, boxes, 5 + class_num]
    )
    loss = sum(_cross_entropy(found[..., k], targets[k]) * weight for k in (0, 1))
    loss = loss + sum(paddle.abs(found[..., k] - targets[k]) * weight for k in (2, 3))
    loss = loss + _cross_entropy(found[..., 5:], wanted).sum(-1) * score
    objects = (marks > 1e-5).astype(kind)
    background = (marks > -0.5).astype(kind) * (1.0 - objects)
    rest = _cross_entropy(head[..., 4], objects) * (objects * marks + background)
    return loss.sum(1) + rest.sum([1, 2, 3])
