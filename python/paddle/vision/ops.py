# SPDX-License-Identifier: Apache-2.0
"""Operations of object detection."""

import os

import numpy as np

import paddle
from paddle import _C_ops, nn
from paddle.base.arguments import items, to_array
from paddle.base.libpaddle import expect_tensors

from .deform_conv import DeformConv2D, deform_conv2d
from .ops_block import ConvNormActivation
from .proposals import generate_proposals, matrix_nms

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


def _images_of(boxes_num):
    return np.repeat(np.arange(len(boxes_num)), boxes_num)


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


def _centres(boxes, extra):
    width = boxes[..., 2] - boxes[..., 0] + extra
    height = boxes[..., 3] - boxes[..., 1] + extra
    return boxes[..., 0] + width * 0.5, boxes[..., 1] + height * 0.5, width, height


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
    extra = 0.0 if box_normalized else 1.0
    if prior_box_var is None:
        variance = None
    elif isinstance(prior_box_var, paddle.Tensor):
        variance = prior_box_var
    else:
        expect_tensors('box_coder', prior_box=prior_box)
        variance = paddle.to_tensor(prior_box_var, dtype=prior_box.dtype)
    px, py, pw, ph = _centres(prior_box, extra)
    if code_type == 'encode_center_size':
        tx, ty, tw, th = (v.unsqueeze(1) for v in _centres(target_box, extra))
        if extra:
            tx = ((target_box[..., 0] + target_box[..., 2]) / 2).unsqueeze(1)
            ty = ((target_box[..., 1] + target_box[..., 3]) / 2).unsqueeze(1)
        out = paddle.stack(
            [(tx - px) / pw, (ty - py) / ph, (tw / pw).abs().log(), (th / ph).abs().log()], -1
        )
        return (
            out
            if variance is None
            else out / (variance.unsqueeze(0) if variance.ndim == 2 else variance)
        )
    if code_type != 'decode_center_size':
        raise ValueError(
            f"[box_coder] expected code_type encode_center_size or decode_center_size, got "
            f"{code_type!r}"
        )
    at = 0 if axis == 0 else 1
    px, py, pw, ph = (v.unsqueeze(at) for v in (px, py, pw, ph))
    delta = target_box
    if variance is not None:
        delta = delta * (variance.unsqueeze(at) if variance.ndim == 2 else variance)
    cx, cy = delta[..., 0] * pw + px, delta[..., 1] * ph + py
    w, h = delta[..., 2].exp() * pw, delta[..., 3].exp() * ph
    return paddle.stack([cx - w / 2, cy - h / 2, cx + w / 2 - extra, cy + h / 2 - extra], -1)


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

    def floats(name, given):
        given = [given] if isinstance(given, (int, float)) else items('prior_box', name, given)
        return [float(value) for value in given]

    min_sizes = floats('min_sizes', min_sizes)
    max_sizes = floats('max_sizes', max_sizes) if max_sizes else []
    if max_sizes and len(max_sizes) != len(min_sizes):
        raise ValueError(
            f'[prior_box] expected one of max_sizes for each of min_sizes, got {len(max_sizes)} '
            f'for {len(min_sizes)}'
        )
    ratios = [1.0]
    for ratio in floats('aspect_ratios', aspect_ratios):
        if all(abs(ratio - r) > 1e-6 for r in ratios):
            ratios.append(ratio)
            if flip:
                ratios.append(1.0 / ratio)
    height, width = input.shape[2], input.shape[3]
    image_h, image_w = image.shape[2], image.shape[3]
    step_w, step_h = floats('steps', steps)
    step_w, step_h = step_w or image_w / width, step_h or image_h / height
    offset = float(offset)
    sizes = []
    for k, low in enumerate(min_sizes):
        square = [(low, low)]
        large = [(np.sqrt(low * max_sizes[k]),) * 2] if max_sizes else []
        others = [(low * np.sqrt(r), low / np.sqrt(r)) for r in ratios if abs(r - 1.0) > 1e-6]
        sizes += square + large + others if min_max_aspect_ratios_order else square + others + large
    half = to_array('prior_box', 'min_sizes', sizes) / 2.0
    cx = (np.arange(width) + offset) * step_w
    cy = (np.arange(height) + offset) * step_h
    boxes = np.empty([height, width, len(sizes), 4])
    boxes[..., 0] = (cx[None, :, None] - half[:, 0]) / image_w
    boxes[..., 1] = (cy[:, None, None] - half[:, 1]) / image_h
    boxes[..., 2] = (cx[None, :, None] + half[:, 0]) / image_w
    boxes[..., 3] = (cy[:, None, None] + half[:, 1]) / image_h
    if clip:
        boxes = boxes.clip(0.0, 1.0)
    spread = np.broadcast_to(to_array('prior_box', 'variance', variance), boxes.shape)
    return paddle.to_tensor(boxes.astype('float32')), paddle.to_tensor(
        np.ascontiguousarray(spread).astype('float32')
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
    expect_tensors('yolo_box', x=x, img_size=img_size)
    batch, _, height, width = x.shape
    count = len(anchors) // 2
    values = x.astype('float64').numpy()
    aware = values[:, :count] if iou_aware else None
    values = (values[:, count:] if iou_aware else values).reshape(
        batch, count, 5 + class_num, height, width
    )

    def sigmoid(v):
        return 1.0 / (1.0 + np.exp(-v))

    size = img_size.astype('float64').numpy()
    image_h, image_w = size[:, 0].reshape(-1, 1, 1, 1), size[:, 1].reshape(-1, 1, 1, 1)
    shift = -0.5 * (scale_x_y - 1.0)
    cx = (np.arange(width) + sigmoid(values[:, :, 0]) * scale_x_y + shift) * image_w / width
    cy = (
        (np.arange(height)[:, None] + sigmoid(values[:, :, 1]) * scale_x_y + shift)
        * image_h
        / height
    )
    pairs = to_array('yolo_box', 'anchors', anchors, 'float64').reshape(count, 2)
    w = (
        np.exp(values[:, :, 2])
        * pairs[:, 0].reshape(1, -1, 1, 1)
        * image_w
        / (downsample_ratio * width)
    )
    h = (
        np.exp(values[:, :, 3])
        * pairs[:, 1].reshape(1, -1, 1, 1)
        * image_h
        / (downsample_ratio * height)
    )
    confidence = sigmoid(values[:, :, 4])
    if iou_aware:
        confidence = confidence ** (1 - iou_aware_factor) * sigmoid(aware) ** iou_aware_factor
    kept = confidence >= float(conf_thresh)
    boxes = np.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], axis=-1)
    if clip_bbox:
        boxes[..., 0], boxes[..., 1] = np.maximum(boxes[..., 0], 0), np.maximum(boxes[..., 1], 0)
        boxes[..., 2] = np.minimum(boxes[..., 2], image_w - 1)
        boxes[..., 3] = np.minimum(boxes[..., 3], image_h - 1)
    boxes = np.where(kept[..., None], boxes, 0.0).reshape(batch, -1, 4)
    scores = np.where(kept[:, :, None], confidence[:, :, None] * sigmoid(values[:, :, 5:]), 0.0)
    scores = scores.transpose(0, 1, 3, 4, 2).reshape(batch, -1, class_num)
    return paddle.to_tensor(boxes).astype(x.dtype), paddle.to_tensor(scores).astype(x.dtype)


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
    boxes = (fpn_rois.astype('float32') if fpn_rois.dtype == paddle.bfloat16 else fpn_rois).numpy()
    extra = 1.0 if pixel_offset else 0.0
    scale = np.sqrt(
        np.maximum((boxes[:, 2] - boxes[:, 0] + extra) * (boxes[:, 3] - boxes[:, 1] + extra), 0.0)
    )
    with np.errstate(divide='ignore', invalid='ignore'):
        level = np.floor(np.log2(scale / float(refer_scale) + 1e-6) + float(refer_level))
    # A box without a finite level belongs to the first one.
    level = np.clip(np.where(np.isfinite(level), level, min_level), min_level, max_level).astype(
        int
    )
    images = _images_of(rois_num.numpy()) if rois_num is not None else np.zeros(len(boxes), int)
    parts, counts, order = [], [], []
    for lvl in range(min_level, max_level + 1):
        mine = np.nonzero(level == lvl)[0]
        order.append(mine)
        parts.append(paddle.to_tensor(boxes[mine].reshape(-1, 4)).astype(fpn_rois.dtype))
        if rois_num is not None:
            counts.append(
                paddle.to_tensor(np.bincount(images[mine], minlength=len(rois_num)).astype('int32'))
            )
    restore = np.argsort(np.concatenate(order), kind='stable').astype('int32').reshape(-1, 1)
    return parts, paddle.to_tensor(restore), counts if rois_num is not None else None


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
