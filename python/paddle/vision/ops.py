# SPDX-License-Identifier: Apache-2.0
"""Operations of object detection."""

import os

import numpy as np

import paddle
from paddle import _C_ops, nn
from paddle.base.arguments import items
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
    return (value, value) if isinstance(value, int) else tuple(int(v) for v in value)


def nms(boxes, iou_threshold=0.3, scores=None, category_idxs=None, categories=None, top_k=None):
    """Indices of the boxes [N, 4] (x1, y1, x2, y2) left by non-maximum suppression, best scores
    first.

    With `category_idxs` [N], boxes of different categories do not suppress each other.
    """
    expect_tensors('nms', boxes=boxes)
    iou_threshold = float(iou_threshold)
    if scores is None:
        return _C_ops.nms(boxes, iou_threshold)
    if category_idxs is not None and categories is None:
        raise AssertionError("[nms] expected categories beside category_idxs, got None")
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
    """Features [R, C, h, w] of the boxes [R, 4], averaged from bilinear samples of x [N, C, H,
    W].
    """
    expect_tensors('roi_align', boxes_num=boxes_num, boxes=boxes)
    height, width = _pair(output_size)
    return _C_ops.roi_align(
        x, boxes, boxes_num, height, width, spatial_scale, sampling_ratio, aligned
    )


def roi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Features [R, C, h, w] of the boxes [R, 4]: the largest value in each bin."""
    expect_tensors('roi_pool', boxes_num=boxes_num, boxes=boxes)
    height, width = _pair(output_size)
    return _C_ops.roi_pool(x, boxes, boxes_num, height, width, spatial_scale)


def psroi_pool(x, boxes, boxes_num, output_size, spatial_scale=1.0, name=None):
    """Position-sensitive pooling: bin (i, j) averages its own group of channels."""
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
    """`roi_align` as a layer."""

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self._output_size = output_size
        self._spatial_scale = spatial_scale

    def forward(self, x, boxes, boxes_num, aligned=True):
        return roi_align(
            x, boxes, boxes_num, self._output_size, self._spatial_scale, aligned=aligned
        )


class RoIPool(nn.Layer):
    """`roi_pool` as a layer."""

    def __init__(self, output_size, spatial_scale=1.0):
        super().__init__()
        self._output_size = output_size
        self._spatial_scale = spatial_scale

    def forward(self, x, boxes, boxes_num):
        return roi_pool(x, boxes, boxes_num, self._output_size, self._spatial_scale)


class PSRoIPool(nn.Layer):
    """`psroi_pool` as a layer."""

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
    """Encode boxes relative to prior boxes ([N, 4] and [M, 4] to [N, M, 4]), or decode [N, M, 4]
    back.
    """
    expect_tensors('box_coder', prior_box=prior_box, target_box=target_box)
    listed = not (prior_box_var is None or isinstance(prior_box_var, paddle.Tensor))
    return _C_ops.box_coder(
        prior_box,
        None if listed else prior_box_var,
        target_box,
        code_type,
        box_normalized,
        axis,
        _floats('box_coder', 'prior_box_var', prior_box_var) if listed else [],
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
    """Loss [N] of a head x [N, len(anchor_mask) * (5 + class_num), H, W].

    gt_box [N, B, 4]: centre and size in parts of the image, size 0 for none; gt_label [N, B];
    gt_score [N, B], 1 by default. `anchors`: width and height in pixels, pair after pair;
    `anchor_mask`: which of them the head predicts. A box predicted without an object counts as
    background unless it overlaps one by more than `ignore_thresh`. Where two objects share a cell
    and an anchor, gradients of both count; PaddlePaddle 3.3 keeps the last one's.
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
    """(boxes [R, 4], scores [R, 1], count of each image or None) from anchors moved by the
    network's deltas.

    `scores` [N, A, H, W], `bbox_deltas` [N, 4A, H, W], `img_size` [N, 2], `anchors` and `variances`
    [H, W, A, 4].
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
    """(rows [R, 6] of class, decayed score and box, count of each image or None, index [R, 1] or
    None).

    `bboxes` [N, M, 4], `scores` [N, classes, M]: a box loses score by its overlap with better ones
    of its class.
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
    """The bytes of a file as a uint8 tensor."""
    with open(os.fspath(filename), 'rb') as stream:
        return paddle.to_tensor(np.frombuffer(stream.read(), np.uint8).copy())


def decode_jpeg(x, mode='unchanged', name=None):
    """A uint8 image [C, H, W] from the bytes of a JPEG; mode 'unchanged', 'gray' or 'rgb'. Needs
    pillow.
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
