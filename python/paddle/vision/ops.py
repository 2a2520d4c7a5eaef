# SPDX-License-Identifier: Apache-2.0
"""Operations of object detection."""

import os

import numpy as np

import paddle
from paddle import _C_ops, nn
from paddle.base.arguments import integer, items
from paddle.base.documentation import shares
from paddle.base.libpaddle import expect_tensors

from .deform_conv import DeformConv2D, deform_conv2d
from .ops_block import ConvNormActivation

__all__ = [
    'box_coder',
    'prior_box',
    'yolo_box',
    'nms',
    'read_file',
    'decode_jpeg',
    'roi_align',
    'RoIAlign',
    'roi_pool',
    'RoIPool',
    'psroi_pool',
    'PSRoIPool',
    'ConvNormActivation',
    'distribute_fpn_proposals',
    'deform_conv2d',
    'DeformConv2D',
    'generate_proposals',
    'matrix_nms',
    'yolo_loss',
]


def _pair(value):
    pair = [value] * 2 if isinstance(value, int) else items('RoI', 'output_size', value)
    if len(pair) != 2:
        raise ValueError(f"[RoI] expected output_size of one or two integers, got {value!r}")
    return [integer('RoI', 'output_size', extent) for extent in pair]


def nms(boxes, iou_threshold=0.3, scores=None, category_idxs=None, categories=None, top_k=None):
    """Indices of the boxes [N, 4] (x1, y1, x2, y2) left by non-maximum suppression, best scores
    first.

    With `category_idxs` [N], boxes of different categories do not suppress each other.

    Args:
        boxes (Tensor): Boxes, of shape [N, 4].
        iou_threshold (float, default 0.3): From which overlap on a box goes.
        scores (Tensor, default None): The score of each; None for the order given, without
            categories.
        category_idxs (Tensor, default None): The category of each.
        categories (list of ints, default None): All categories, where there are several.
        top_k (int, default None): How many boxes at most; None for all.

    Returns:
        Tensor: the indices, int64.

    Examples:
        >>> boxes = paddle.to_tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30]])
        >>> scores = paddle.to_tensor([0.5, 0.9, 0.7])
        >>> paddle.vision.ops.nms(boxes, 0.5, scores).tolist()
        [1, 2]
    """
    expect_tensors('nms', boxes=boxes)
    iou_threshold = float(iou_threshold)
    if scores is None:
        if category_idxs is not None:
            raise ValueError("[nms] expected scores beside category_idxs, got None")
        return _C_ops.nms(boxes, iou_threshold)[:top_k]
    if category_idxs is not None and categories is None:
        raise AssertionError("[nms] expected categories beside category_idxs, got None")
    for name, given in (("scores", scores), ("category_idxs", category_idxs)):
        if (
            given is not None
            and given.shape[0] != boxes.shape[0]
            and -1 not in (given.shape[0], boxes.shape[0])
        ):
            raise ValueError(
                f"[nms] expected {name} for {boxes.shape[0]} boxes, got {given.shape[0]}"
            )
    best = paddle.argsort(scores, descending=True, stable=True)

    def left(order):
        return paddle.gather(order, _C_ops.nms(paddle.gather(boxes, order), iou_threshold))

    if category_idxs is None:
        kept = left(best)
    else:
        labels = paddle.gather(category_idxs, best)
        parts = [left(paddle.masked_select(best, labels == category)) for category in categories]
        kept = paddle.concat(parts) if parts else best[:0]
        order = paddle.argsort(paddle.gather(scores, kept), descending=True, stable=True)
        kept = paddle.gather(kept, order)
    if top_k is None:
        return kept
    if top_k > scores.shape[0] >= 0:
        raise AssertionError(
            f"[nms] expected top_k of at most {scores.shape[0]}, the boxes, got {top_k}"
        )
    return kept[:top_k]


def roi_align(
    x, boxes, boxes_num, output_size, spatial_scale=1.0, sampling_ratio=-1, aligned=True, name=None
):
    """Features [R, C, h, w] of the boxes [R, 4], averaged from bilinear samples of x [N, C, H, W].

    Args:
        x (Tensor): Features of shape [N, C, H, W].
        boxes (Tensor): Boxes (x1, y1, x2, y2), of shape [R, 4].
        boxes_num (Tensor): How many of them each image has, of shape [N], int32.
        output_size (int or tuple of ints): How many bins a box has, down and across.
        spatial_scale (float, default 1.0): From coordinates of boxes to those of x.
        sampling_ratio (int, default -1): How many samples a bin has along an axis; -1 for one a
            position of x.
        aligned (bool, default True): Whether boxes are moved by half a position.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [R, C, h, w].

    Source: He et al., Mask R-CNN, 2017

    Examples:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]]), paddle.to_tensor([1], "int32")
        >>> paddle.vision.ops.roi_align(x, boxes, count, 2).tolist()
        [[[[2.5, 4.5], [10.5, 12.5]]]]
    """
    expect_tensors('roi_align', boxes_num=boxes_num, boxes=boxes)
    height, width = _pair(output_size)
    return _C_ops.roi_align(
        x, boxes, boxes_num, height, width, spatial_scale, sampling_ratio, aligned
    )


@shares(roi_align)
def roi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Features [R, C, h, w] of the boxes [R, 4]: the largest value in each bin.

    Args:
        {x, boxes, boxes_num, output_size, spatial_scale, name}

    Returns:
        Tensor: of shape [R, C, h, w].

    Source: Girshick, Fast R-CNN, 2015

    Examples:
        >>> x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 3.0, 3.0]]), paddle.to_tensor([1], "int32")
        >>> paddle.vision.ops.roi_pool(x, boxes, count, 2).tolist()
        [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    expect_tensors('roi_pool', boxes_num=boxes_num, boxes=boxes)
    height, width = _pair(output_size)
    return _C_ops.roi_pool(x, boxes, boxes_num, height, width, spatial_scale)


@shares(roi_align)
def psroi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Position-sensitive pooling: bin (i, j) averages its own group of channels.

    Args:
        x (Tensor): Features of shape [N, C * h * w, H, W].
        {boxes, boxes_num, output_size, spatial_scale, name}

    Returns:
        Tensor: of shape [R, C, h, w].

    Source: Dai et al., R-FCN, 2016

    Examples:
        >>> x = paddle.arange(4, dtype="float32").reshape([1, 4, 1, 1]).expand([1, 4, 8, 8])
        >>> boxes, count = paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]]), paddle.to_tensor([1], "int32")
        >>> paddle.vision.ops.psroi_pool(x, boxes, count, 2).tolist()
        [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    expect_tensors('psroi_pool', boxes_num=boxes_num, boxes=boxes)
    expect_tensors('psroi_pool', x=x)
    height, width = _pair(output_size)
    if height <= 0 or width <= 0:
        raise ValueError(f"[psroi_pool] expected a positive output_size, got {height}x{width}")
    channels = x.shape[1] if x.ndim > 1 else 0
    if channels % (height * width):
        raise ValueError(
            f"[psroi_pool] expected the channels of x to be a multiple of {height}x{width}, got "
            f"{channels}"
        )
    return _C_ops.psroi_pool(
        x, boxes, boxes_num, height, width, channels // (height * width), spatial_scale
    )


class RoIAlign(nn.Layer):
    """`roi_align` as a layer.

    Args:
        output_size (int or tuple of ints): How many bins a box has, down and across.
        spatial_scale (float, default 1.0): From coordinates of boxes to those of the features.

    Examples:
        >>> x, boxes = paddle.ones([1, 2, 8, 8]), paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
        >>> layer = paddle.vision.ops.RoIAlign(2)
        >>> layer(x, boxes, paddle.to_tensor([1], "int32")).shape
        paddle.Size([1, 2, 2, 2])
    """

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self._output_size = output_size
        self._spatial_scale = spatial_scale

    def forward(self, x, boxes, boxes_num, aligned=True):
        return roi_align(
            x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned
        )


@shares(RoIAlign)
class RoIPool(nn.Layer):
    """`roi_pool` as a layer.

    Args:
        {output_size, spatial_scale}

    Examples:
        >>> x, boxes = paddle.ones([1, 2, 8, 8]), paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
        >>> layer = paddle.vision.ops.RoIPool(2)
        >>> layer(x, boxes, paddle.to_tensor([1], "int32")).shape
        paddle.Size([1, 2, 2, 2])
    """

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self._output_size = output_size
        self._spatial_scale = spatial_scale

    def forward(self, x, boxes, boxes_num):
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


@shares(RoIAlign)
class PSRoIPool(nn.Layer):
    """`psroi_pool` as a layer.

    Args:
        {output_size, spatial_scale}

    Examples:
        >>> x, boxes = paddle.ones([1, 8, 8, 8]), paddle.to_tensor([[0.0, 0.0, 4.0, 4.0]])
        >>> layer = paddle.vision.ops.PSRoIPool(2)
        >>> layer(x, boxes, paddle.to_tensor([1], "int32")).shape
        paddle.Size([1, 2, 2, 2])
    """

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self.output_size = output_size
        self.spatial_scale = spatial_scale

    def forward(self, x, boxes, boxes_num):
        return psroi_pool(x, boxes, boxes_num, self.output_size, self.spatial_scale)


def _floats(op, name, given):
    given = [given] if isinstance(given, (int, float)) else items(op, name, given)
    return [float(value) for value in given]


def box_coder(
    prior_box,
    prior_box_var,
    target_box,
    code_type='encode_center_size',
    box_normalized=True,
    axis=0,
    name=None,
):
    """Encode boxes relative to prior boxes, or decode them.

    Args:
        prior_box (Tensor): The prior boxes (x1, y1, x2, y2), of shape [M, 4].
        prior_box_var (Tensor or list of floats): Their variances, of shape [M, 4], or four for all.
        target_box (Tensor): Boxes, of shape [N, 4]; codes, of shape [N, M, 4].
        code_type (str, default 'encode_center_size'): `encode_center_size` or `decode_center_size`.
        box_normalized (bool, default True): Whether coordinates are parts of the image, so that x2
            - x1 is the width.
        axis (int, default 0): The axis of prior boxes when decoding is 1 - axis.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, M, 4].

    Source: Girshick et al., R-CNN, 2013

    Examples:
        >>> prior = paddle.to_tensor([[0.0, 0.0, 2.0, 2.0]])
        >>> box = paddle.to_tensor([[1.0, 0.0, 3.0, 2.0]])
        >>> paddle.vision.ops.box_coder(prior, [1.0, 1.0, 1.0, 1.0], box).tolist()
        [[[0.5, 0.0, 0.0, 0.0]]]
    """
    listed = isinstance(prior_box_var, (list, tuple))
    if not listed and not (prior_box_var is None or isinstance(prior_box_var, paddle.Tensor)):
        raise TypeError(
            f'[box_coder] expected prior_box_var to be a Tensor or four numbers, got '
            f'{type(prior_box_var).__name__}'
        )
    if listed and len(prior_box_var) != 4:
        raise AssertionError(
            f'[box_coder] expected four numbers as prior_box_var, got {len(prior_box_var)}'
        )
    return _C_ops.box_coder(
        prior_box,
        None if listed else prior_box_var,
        target_box,
        code_type,
        box_normalized,
        axis,
        prior_box_var if listed else [],
    )


def prior_box(
    input,
    image,
    min_sizes,
    max_sizes=None,
    aspect_ratios=[1.0],
    variance=[0.1, 0.1, 0.2, 0.2],
    flip=False,
    clip=False,
    steps=[0.0, 0.0],
    offset=0.5,
    min_max_aspect_ratios_order=False,
    name=None,
):
    """SSD's prior boxes and their variances, each [H, W, priors, 4], for a feature map and its
    image.

    Args:
        input (Tensor): A feature map, of shape [N, C, H, W].
        image (Tensor): The image, of shape [N, C, H', W'].
        min_sizes (list of floats): Sizes of boxes in pixels.
        max_sizes (list of floats, default None): Larger sizes: one box more for each, of the
            geometric mean.
        aspect_ratios (list of floats, default [1.0]): Widths by heights.
        variance (list of floats, default [0.1, 0.1, 0.2, 0.2]): Four numbers that are returned for
            each box.
        flip (bool, default False): Whether the inverse ratios count too.
        clip (bool, default False): Whether boxes end at the edges of the image.
        steps (list of floats, default [0.0, 0.0]): Pixels from one position to the next, across and
            down; 0 for those of the extents.
        offset (float, default 0.5): Where in its cell a box has its centre.
        min_max_aspect_ratios_order (bool, default False): Whether the order is least size, largest
            size, other ratios.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: boxes and variances, each of shape [H, W, priors, 4].

    Source: Liu et al., SSD, 2015

    Examples:
        >>> x, img = paddle.zeros([1, 1, 1, 1]), paddle.zeros([1, 3, 10, 10])
        >>> boxes, variances = paddle.vision.ops.prior_box(x, img, min_sizes=[4.0])
        >>> boxes.flatten().tolist()
        [0.3000, 0.3000, 0.7000, 0.7000]
    """
    expect_tensors('prior_box', input=input, image=image)
    step_w, step_h = _floats('prior_box', 'steps', steps)
    return _C_ops.prior_box(
        input,
        image,
        _floats('prior_box', 'min_sizes', min_sizes),
        _floats('prior_box', 'max_sizes', max_sizes) if max_sizes else [],
        _floats('prior_box', 'aspect_ratios', aspect_ratios),
        _floats('prior_box', 'variance', variance),
        flip,
        clip,
        step_w,
        step_h,
        offset,
        min_max_aspect_ratios_order,
    )


def yolo_box(
    x,
    img_size,
    anchors,
    class_num,
    conf_thresh,
    downsample_ratio,
    clip_bbox=True,
    name=None,
    scale_x_y=1.0,
    iou_aware=False,
    iou_aware_factor=0.5,
):
    """Boxes [N, M, 4] and scores [N, M, class_num] from a YOLO head [N, C, H, W]; below
    `conf_thresh` both are 0.

    Args:
        x (Tensor): The head, of shape [N, C, H, W].
        img_size (Tensor): Height and width of each image, of shape [N, 2], int32.
        anchors (list of ints): Width and height of anchors, pair after pair.
        class_num (int): How many classes there are.
        conf_thresh (float): Below which confidence boxes become 0.
        downsample_ratio (int): How many pixels a position of x covers.
        clip_bbox (bool, default True): Whether boxes end at the edges of the image.
        name (str, default None): Taken for compatibility; it has no effect.
        scale_x_y (float, default 1.0): The factor of the centres' offsets.
        iou_aware (bool, default False): Whether x has a channel of predicted overlaps for each
            anchor.
        iou_aware_factor (float, default 0.5): The exponent of that overlap.

    Returns:
        tuple of Tensors: boxes [N, M, 4] and scores [N, M, class_num].

    Source: Redmon and Farhadi, YOLOv3, 2018

    Examples:
        >>> x, size = paddle.zeros([1, 7, 1, 1]), paddle.to_tensor([[32, 32]], "int32")
        >>> boxes, scores = paddle.vision.ops.yolo_box(x, size, [16, 16], 2, 0.1, 32)
        >>> boxes.tolist(), scores.tolist()
        ([[[8.0, 8.0, 24.0, 24.0]]], [[[0.25, 0.25]]])
    """
    return _C_ops.yolo_box(
        x,
        img_size,
        anchors,
        class_num,
        conf_thresh,
        downsample_ratio,
        clip_bbox,
        scale_x_y,
        iou_aware,
        iou_aware_factor,
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
    """The loss of a YOLO head, for each image.

    A box predicted without an object counts as background unless it overlaps one by more than
    `ignore_thresh`. Where two objects share a cell and an anchor, gradients of both count;
    PaddlePaddle 3.3 keeps the last one's.

    Args:
        x (Tensor): The head, of shape [N, len(anchor_mask) * (5 + class_num), H, W].
        gt_box (Tensor): Centre and size in parts of the image, of shape [N, B, 4]; size 0 for none.
        gt_label (Tensor): Classes, of shape [N, B], int32.
        anchors (list of ints): Width and height of anchors in pixels, pair after pair.
        anchor_mask (list of ints): Which of them the head predicts.
        class_num (int): How many classes there are.
        ignore_thresh (float): From which overlap on a box is no background.
        downsample_ratio (int): How many pixels a position of x covers.
        gt_score (Tensor, default None): The weight of each object, of shape [N, B]; None for 1.
        use_label_smooth (bool, default True): Whether class targets keep away from 0 and 1.
        name (str, default None): Taken for compatibility; it has no effect.
        scale_x_y (float, default 1.0): The factor of the centres' offsets.

    Returns:
        Tensor: of shape [N].

    Source: Redmon and Farhadi, YOLOv3, 2018

    Examples:
        >>> box = paddle.to_tensor([[[0.5, 0.5, 0.5, 0.5]]])
        >>> label = paddle.to_tensor([[1]], "int32")
        >>> x = paddle.zeros([1, 7, 1, 1])
        >>> paddle.vision.ops.yolo_loss(x, box, label, [16, 16], [0], 2, 0.7, 32).shape
        paddle.Size([1])
    """
    return _C_ops.yolo_loss(
        x,
        gt_box,
        gt_label,
        gt_score,
        anchors,
        anchor_mask,
        class_num,
        ignore_thresh,
        downsample_ratio,
        use_label_smooth,
        scale_x_y,
    )


def distribute_fpn_proposals(
    fpn_rois,
    min_level,
    max_level,
    refer_level,
    refer_scale,
    pixel_offset=False,
    rois_num=None,
    name=None,
):
    """Spread boxes over pyramid levels by their size: (boxes of each level, index that restores the
    order, counts).

    Args:
        fpn_rois (Tensor): Boxes, of shape [R, 4].
        min_level (int): The finest level.
        max_level (int): The coarsest level.
        refer_level (int): The level of boxes of the size refer_scale.
        refer_scale (int): That size.
        pixel_offset (bool, default False): Whether a box has one pixel more than x2 - x1.
        rois_num (Tensor, default None): How many boxes each image has, int32.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple: (boxes of each level, index that restores the order, counts of each level or None).

    Source: Lin et al., Feature pyramid networks for object detection, 2016

    Examples:
        >>> boxes = paddle.to_tensor([[0.0, 0.0, 224.0, 224.0], [0.0, 0.0, 20.0, 20.0]])
        >>> count = paddle.to_tensor([2], "int32")
        >>> f = paddle.vision.ops.distribute_fpn_proposals
        >>> levels, restore, _ = f(boxes, 2, 5, 4, 224, rois_num=count)
        >>> [len(level) for level in levels], restore.flatten().tolist()
        ([1, 0, 1, 0], [1, 0])
    """
    expect_tensors('distribute_fpn_proposals', fpn_rois=fpn_rois)
    if min_level < 1:
        raise AssertionError(
            f'[distribute_fpn_proposals] expected min_level of at least 1, got {min_level}'
        )
    if not min_level < max_level < min_level + 100:
        raise AssertionError(
            f'[distribute_fpn_proposals] expected max_level above min_level {min_level} by less '
            f'than 100, got {max_level}'
        )
    # Without counts all boxes are of one image.
    counts = paddle.shape(fpn_rois)[:1] if rois_num is None else rois_num
    parts, counts, restore = _C_ops.distribute_fpn_proposals(
        fpn_rois, counts, min_level, max_level, refer_level, refer_scale, pixel_offset
    )
    return parts, restore, None if rois_num is None else counts


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
    """(boxes, scores, count of each image or None) from anchors moved by the network's deltas.

    Args:
        scores (Tensor): Scores of the anchors, of shape [N, A, H, W].
        bbox_deltas (Tensor): Their deltas, of shape [N, 4A, H, W].
        img_size (Tensor): Height and width of each image, of shape [N, 2].
        anchors (Tensor): Boxes, of shape [H, W, A, 4].
        variances (Tensor): Factors of the deltas, of shape [H, W, A, 4].
        pre_nms_top_n (int, default 6000): How many boxes count before suppression.
        post_nms_top_n (int, default 1000): How many are returned of an image.
        nms_thresh (float, default 0.5): From which overlap on a box goes.
        min_size (float, default 0.1): The least width and height.
        eta (float, default 1.0): The factor of the threshold after each box, where below 1.
        pixel_offset (bool, default False): Whether a box has one pixel more than x2 - x1.
        return_rois_num (bool, default False): Whether counts are returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple: boxes [R, 4], scores [R, 1], counts [N] or None.

    Source: Ren et al., Faster R-CNN, 2015

    Examples:
        >>> scores, deltas = paddle.full([1, 1, 1, 1], 0.9), paddle.zeros([1, 4, 1, 1])
        >>> anchors = paddle.to_tensor([2.0, 2.0, 6.0, 6.0]).reshape([1, 1, 1, 4])
        >>> size, ones = paddle.to_tensor([[8.0, 8.0]]), paddle.ones([1, 1, 1, 4])
        >>> f = paddle.vision.ops.generate_proposals
        >>> boxes, kept, _ = f(scores, deltas, size, anchors, ones)
        >>> boxes.tolist(), kept.tolist()
        ([[2.0, 2.0, 6.0, 6.0]], [[0.9000]])
    """
    rois, probs, counts = _C_ops.generate_proposals(
        scores,
        bbox_deltas,
        img_size,
        anchors,
        variances,
        pre_nms_top_n,
        post_nms_top_n,
        nms_thresh,
        min_size,
        eta,
        pixel_offset,
    )
    return rois, probs, counts if return_rois_num else None


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
    """(rows of class, decayed score and box, count of each image or None, index or None).

    A box loses score by its overlap with better ones of its class.

    Args:
        bboxes (Tensor): Boxes, of shape [N, M, 4].
        scores (Tensor): Scores, of shape [N, classes, M].
        score_threshold (float): Below which a box does not count.
        post_threshold (float): Below which decayed score it goes.
        nms_top_k (int): How many boxes of a class count; -1 for all.
        keep_top_k (int): How many boxes of an image are returned; -1 for all.
        use_gaussian (bool, default False): Whether decay is Gaussian, else linear.
        gaussian_sigma (float, default 2.0): Its width.
        background_label (int, default 0): The class that does not count; -1 for none.
        normalized (bool, default True): Whether coordinates are parts of the image.
        return_index (bool, default False): Whether indices are returned.
        return_rois_num (bool, default True): Whether counts are returned.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple: rows [R, 6], counts [N] or None, indices [R, 1] or None.

    Source: Wang et al., SOLOv2, 2020

    Examples:
        >>> boxes = paddle.to_tensor([[[0.0, 0.0, 1.0, 1.0], [2.0, 2.0, 3.0, 3.0]]])
        >>> scores = paddle.to_tensor([[[0.0, 0.0], [0.9, 0.8]]])
        >>> rows, count, _ = paddle.vision.ops.matrix_nms(boxes, scores, 0.1, 0.0, -1, -1)
        >>> rows.tolist(), count.tolist()
        ([[1.0, 0.9000, 0.0, 0.0, 1.0, 1.0], [1.0, 0.8000, 2.0, 2.0, 3.0, 3.0]], [2])
    """
    out, index, counts = _C_ops.matrix_nms(
        bboxes,
        scores,
        score_threshold,
        nms_top_k,
        keep_top_k,
        post_threshold,
        use_gaussian,
        gaussian_sigma,
        background_label,
        normalized,
    )
    return out, counts if return_rois_num else None, index if return_index else None


def read_file(filename, name=None):
    """The bytes of a file as a uint8 tensor.

    Args:
        filename (str): The file.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: one byte after another, uint8.

    Examples:
        >>> with open("file", "wb") as f:
        ...     _ = f.write(b"abc")
        >>> paddle.vision.ops.read_file("file").tolist()
        [97, 98, 99]
    """
    with open(os.fspath(filename), 'rb') as stream:
        return paddle.to_tensor(np.frombuffer(stream.read(), np.uint8).copy())


def decode_jpeg(x, mode='unchanged', name=None):
    """A uint8 image [C, H, W] from the bytes of a JPEG. Needs pillow.

    Args:
        x (Tensor): The bytes, uint8.
        mode (str, default 'unchanged'): `unchanged`, `gray` or `rgb`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the image.

    Examples:
        >>> from PIL import Image
        >>> Image.new("RGB", (4, 3), (255, 255, 255)).save("white.jpg")
        >>> x = paddle.vision.ops.read_file("white.jpg")
        >>> img = paddle.vision.ops.decode_jpeg(x)
        >>> img.shape, img.min().item()
        (paddle.Size([3, 3, 4]), 255)
    """
    import io

    from paddle.utils import try_import

    expect_tensors('decode_jpeg', x=x)
    image = try_import('PIL.Image').open(io.BytesIO(x.numpy().tobytes()))
    if mode not in ('unchanged', 'gray', 'rgb'):
        raise ValueError(f"[decode_jpeg] expected mode unchanged, gray or rgb, got {mode!r}")
    if mode != 'unchanged':
        image = image.convert('L' if mode == 'gray' else 'RGB')
    array = np.array(image)
    array = array[None] if array.ndim == 2 else array.transpose(2, 0, 1)
    return paddle.to_tensor(np.ascontiguousarray(array))
