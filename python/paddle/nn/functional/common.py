# SPDX-License-Identifier: Apache-2.0
"""Bilinear maps, embeddings, similarity, label helpers and windows (unfold, fold)."""

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import integer, second_names
from paddle.base.framework import Tensor, number, to_dtype
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

from . import _parse, shared_classes

__all__ = [
    "bilinear",
    "embedding",
    "one_hot",
    "cosine_similarity",
    "pairwise_distance",
    "label_smooth",
    "class_center_sample",
    "sequence_mask",
    "gather_tree",
    "temporal_shift",
    "unfold",
    "fold",
]


def bilinear(x1, x2, weight, bias=None, name=None):
    """out[b, i] = x1[b] @ weight[i] @ x2[b] + bias[0, i].

    Args:
        x1 (Tensor): The first vectors, of shape [N, in1].
        x2 (Tensor): The second ones, of shape [N, in2].
        weight (Tensor): Matrices, of shape [out, in1, in2].
        bias (Tensor, default None): Of shape [1, out]; None for none.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, out].

    Examples:
        >>> x, y = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> paddle.nn.functional.bilinear(x, y, paddle.eye(2).unsqueeze(0)).tolist()
        [[11.0]]
    """
    return _C_ops.bilinear(x1, x2, weight, bias)


@second_names(input='x')
def embedding(
    x,
    weight,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    sparse=False,
    scale_grad_by_freq=False,
    name=None,
):
    """Rows of weight [n, d] at the integer ids x; rows at `padding_idx` get no gradient.

    Args:
        x (Tensor): Ids, int32 or int64. Also `input`.
        weight (Tensor): The table, [n, d].
        padding_idx (int, default None): The row that gets no gradient; None for none.
        max_norm (float, default None): The norm that rows are scaled down to; None for none.
        norm_type (float, default 2.0): The exponent of that norm.
        sparse (bool, default False): Whether the gradient of `weight` is SelectedRows: the rows
            that were looked up, under their numbers. Recorded programs have the whole
            table, as in PaddlePaddle.
        scale_grad_by_freq (bool, default False): Whether gradients are divided by how often an id
            occurs.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The rows, x.shape + [d].

    Examples:
        >>> x = paddle.to_tensor([1, 0])
        >>> y = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> paddle.nn.functional.embedding(x, y).tolist()
        [[3.0, 4.0], [1.0, 2.0]]
    """
    expect_tensors("embedding", weight=weight)
    rows = weight.shape[0]
    if padding_idx is None:
        padding_idx = -1
    elif rows >= 0 and not -rows <= padding_idx < rows:
        raise ValueError(
            f"[embedding] expected padding_idx from {-rows} to {rows - 1}, got {padding_idx}"
        )
    elif padding_idx < 0:
        if rows < 0:
            raise ValueError(
                "[embedding] expected a padding_idx from 0 on for a weight whose rows are not "
                f"known, of shape {list(weight.shape)}, got {padding_idx}"
            )
        padding_idx += rows
    if max_norm is not None:
        _renorm_rows(weight, x, max_norm, norm_type)
    out = _C_ops.embedding(x, weight, padding_idx, sparse)
    if scale_grad_by_freq and not weight.stop_gradient:
        flat = paddle.reshape(x, [-1])
        counts = paddle.bincount(flat, minlength=max(rows, 0))
        scale = 1.0 / paddle.cast(paddle.gather(counts, flat), out.dtype)
        scale = paddle.reshape(scale, [*extents(x), 1])
        out = out * scale + (out * (1.0 - scale)).detach()
    return out


def embedding_renorm_(x, weight, max_norm, norm_type=2.0):
    """Scale the rows of weight that the ids x name down to a norm of `max_norm`, in place; returns
    weight.
    """
    _renorm_rows(weight, x, max_norm, norm_type)
    return weight


def _renorm_rows(weight, ids, max_norm, norm_type):
    """Scale the rows of `weight` that `ids` name down to a norm of `max_norm`, in place."""
    with paddle.no_grad():
        used = paddle.unique(paddle.reshape(ids, [-1]))
        rows = paddle.gather(weight.detach(), used)
        norm = _C_ops.p_norm(rows, float(norm_type), 1, 0.0, True, False)
        factor = paddle.where(norm > max_norm, max_norm / (norm + 1e-7), paddle.ones_like(norm))
        weight.set_value(paddle.scatter(weight.detach(), used, rows * factor))


@second_names(input='x')
def one_hot(x, num_classes=-1, name=None):
    """float32 vectors of length `num_classes` (-1: the largest class plus one) with a 1 at the
    class.

    Args:
        x (Tensor): Classes, integers. Also `input`.
        num_classes (int, default -1): How many classes; -1 for the largest plus one.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: float32, x.shape + [num_classes].

    Examples:
        >>> paddle.nn.functional.one_hot(paddle.to_tensor([0, 2]), num_classes=3).tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if not isinstance(num_classes, Tensor) and num_classes == -1:
        num_classes = int(paddle.max(x)) + 1
    elif isinstance(num_classes, Tensor):
        num_classes = number(num_classes)
    return _C_ops.one_hot(x, num_classes)


@second_names(dim='axis')
def cosine_similarity(x1, x2, axis=1, eps=1e-08):
    """sum(x1 * x2) / sqrt(max(sum(x1^2) * sum(x2^2), eps^2)) along `axis`.

    Args:
        x1 (Tensor): Vectors.
        x2 (Tensor): The other vectors; shapes broadcast.
        axis (int, default 1): The axis of the vectors. Also `dim`.
        eps (float, default 1e-08): The least product of norms.

    Returns:
        Tensor: The cosines, without axis.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0]])
        >>> y = paddle.to_tensor([[1.0, 1.0]])
        >>> paddle.nn.functional.cosine_similarity(x, y).tolist()
        [0.7071]
    """
    expect_tensors('cosine_similarity', x1=x1, x2=x2)
    axis = integer('cosine_similarity', 'axis', axis)
    dot = paddle.sum(x1 * x2, axis=axis)
    squares = paddle.sum(x1 * x1, axis=axis) * paddle.sum(x2 * x2, axis=axis)
    return dot / paddle.sqrt(paddle.clip(squares, min=eps * eps))


@second_names(x1='x', x2='y', eps='epsilon')
def pairwise_distance(x, y, p=2.0, epsilon=1e-06, keepdim=False, name=None):
    """p-norm of x - y + epsilon along the last axis.

    Args:
        x (Tensor): The values. Also `x1`.
        y (Tensor): The other values; shapes broadcast. Also `x2`.
        p (float, default 2.0): The norm's exponent.
        epsilon (float, default 1e-06): What is added to the difference. Also `eps`.
        keepdim (bool, default False): Whether reduced axes stay, with extent 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The distances, without the last axis unless keepdim.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 0.0]])
        >>> y = paddle.to_tensor([[3.0, 4.0]])
        >>> paddle.nn.functional.pairwise_distance(x, y).tolist()
        [5.0000]
    """
    diff = x - y
    if epsilon != 0.0:
        diff = diff + epsilon
    return _C_ops.p_norm(diff, float(p), -1, 0.0, keepdim, False)


def label_smooth(label, prior_dist=None, epsilon=0.1, name=None):
    """(1 - epsilon) * label + epsilon * prior_dist (uniform by default).

    Args:
        label (Tensor): Targets, one-hot or probabilities.
        prior_dist (Tensor, default None): What is mixed in; None for the uniform distribution.
        epsilon (float, default 0.1): Its share.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The mixtures, with the shape of label.

    Source: Szegedy et al., Rethinking the Inception Architecture, 2015 (arXiv:1512.00567)

    Examples:
        >>> x = paddle.to_tensor([[0.0, 1.0]])
        >>> paddle.nn.functional.label_smooth(x, epsilon=0.1).tolist()
        [[0.05, 0.95]]
    """
    if epsilon > 1.0 or epsilon < 0.0:
        raise ValueError(f"[label_smooth] expected epsilon from 0 to 1, got {epsilon}")
    return _C_ops.label_smooth(label, prior_dist, float(epsilon))


def class_center_sample(label, num_classes, num_samples, group=None):
    """Keep the classes in `label` and random others up to `num_samples`.

    Args:
        label (Tensor): Classes, of shape [N].
        num_classes (int): How many classes there are.
        num_samples (int): How many classes are kept, at least those in label.
        group (Group, default None): The processes that share the classes, num_classes of which are
            this one's; label is of all. None for all, False for this one alone.

    Returns:
        tuple of Tensors: label in places among the kept classes, and the kept classes, sorted.

    Examples:
        >>> label = paddle.to_tensor([11, 5, 1, 11])
        >>> remapped, kept = paddle.nn.functional.class_center_sample(label, 20, 3)
        >>> kept.tolist(), remapped.tolist()
        ([1, 5, 11], [2, 1, 0, 2])
    """
    expect_tensors("class_center_sample", label=label)
    group = shared_classes.group_of("class_center_sample", group)
    if group is not None:
        return shared_classes.class_center_sample(label, num_classes, num_samples, group)
    return tuple(_C_ops.class_center_sample(label, num_classes, num_samples, 0, 0, 1, False, 0))


def sequence_mask(x, maxlen=None, dtype="int64", name=None):
    """mask[..., j] = j < x[...], for j below `maxlen` (the largest length by default).

    Args:
        x (Tensor): Lengths, integers.
        maxlen (int, default None): The extent of the mask; None for the largest length.
        dtype (str or dtype, default 'int64'): The dtype of the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x.shape + [maxlen].

    Examples:
        >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3])).tolist()
        [[1, 0, 0], [1, 1, 1]]
    """
    if maxlen is None:
        maxlen = paddle.max(x)
    maxlen = number(maxlen)
    steps = paddle.arange(0, maxlen, dtype=x.dtype)
    return paddle.cast(steps < paddle.unsqueeze(x, -1), to_dtype(dtype))


def gather_tree(ids, parents):
    """Follow beam search parents [time, batch, beam] backwards to full id sequences.

    Args:
        ids (Tensor): What each beam chose in each step, of shape [time, batch, beam].
        parents (Tensor): Which beam of the step before it continued.

    Returns:
        Tensor: the sequences, of the shape of ids.

    Examples:
        >>> ids = paddle.to_tensor([[[2, 3]], [[4, 5]]])
        >>> parents = paddle.to_tensor([[[0, 0]], [[1, 0]]])
        >>> paddle.nn.functional.gather_tree(ids, parents).tolist()
        [[[3, 2]], [[4, 5]]]
    """
    expect_tensors("gather_tree", ids=ids, parents=parents)
    if len(ids.shape) != 3:
        raise ValueError(
            f"[gather_tree] expected ids of shape [length, batch, beams], got {list(ids.shape)}"
        )
    if list(ids.shape) != list(parents.shape):
        raise ValueError(
            f"[gather_tree] expected parents of shape {list(ids.shape)}, got {list(parents.shape)}"
        )
    return _C_ops.gather_tree(ids, parents)


def temporal_shift(x, seg_num, shift_ratio=0.25, name=None, data_format="NCHW"):
    """Take the first channels of frames from the frame before, the next ones from the frame after.

    Args:
        x (Tensor): Frames, of shape [N * seg_num, C, H, W], or NHWC.
        seg_num (int): How many frames a segment has.
        shift_ratio (float, default 0.25): Which part of the channels is shifted in each direction.
        name (str, default None): Taken for compatibility; it has no effect.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.

    Returns:
        Tensor: x with those channels shifted, zeros at the ends.

    Source: Lin et al., TSM, 2018

    Examples:
        >>> x = paddle.arange(1, 9, dtype="float32").reshape([2, 4, 1, 1])
        >>> paddle.nn.functional.temporal_shift(x, 2).reshape([2, 4]).tolist()
        [[0.0, 6.0, 3.0, 4.0], [1.0, 0.0, 7.0, 8.0]]
    """
    _parse.data_format("temporal_shift", data_format, "NCHW", "NHWC")
    return _C_ops.temporal_shift(x, seg_num, shift_ratio, data_format)


def _four(op, paddings):
    pads = list(paddings) if isinstance(paddings, (list, tuple)) else [paddings] * 4
    if len(pads) == 1:
        pads = pads * 4
    if len(pads) == 2:
        pads = pads * 2
    if len(pads) != 4:
        raise ValueError(f"[{op}] expected paddings to be an int, 2 or 4 ints, got {paddings!r}")
    return [int(p) for p in pads]


def unfold(x, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """Columns of sliding blocks: [N, C, H, W] -> [N, C * kh * kw, blocks].

    Args:
        x (Tensor): Values of shape [N, C, H, W].
        kernel_sizes (int or list of ints): The extents of a block.
        strides (int or list of ints, default 1): From one block to the next.
        paddings (int or list of ints, default 0): What is added on each side.
        dilations (int or list of ints, default 1): From one element of a block to the next.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, C * kh * kw, blocks].

    Examples:
        >>> x = paddle.arange(9, dtype="float32").reshape([1, 1, 3, 3])
        >>> paddle.nn.functional.unfold(x, 2).tolist()
        [[[0.0, 1.0, 3.0, 4.0], [1.0, 2.0, 4.0, 5.0], [3.0, 4.0, 6.0, 7.0], [4.0, 5.0, 7.0, 8.0]]]
    """
    expect_tensors("unfold", x=x)
    if len(x.shape) != 4:
        raise AssertionError(f"[unfold] expected x of shape [N, C, H, W], got {list(x.shape)}")
    return _C_ops.unfold(
        x,
        _parse.ints("unfold", "kernel_sizes", kernel_sizes, 2),
        _parse.ints("unfold", "strides", strides, 2),
        _four("unfold", paddings),
        _parse.ints("unfold", "dilations", dilations, 2),
    )


@second_names(
    input='x',
    output_size='output_sizes',
    kernel_size='kernel_sizes',
    dilation='dilations',
    padding='paddings',
    stride='strides',
)
def fold(x, output_sizes, kernel_sizes, strides=1, paddings=0, dilations=1, name=None):
    """Sum of sliding blocks, the adjoint of unfold: [N, C * kh * kw, blocks] -> [N, C, H, W].

    Args:
        x (Tensor): Columns, of shape [N, C * kh * kw, blocks]. Also `input`.
        output_sizes (int or list of ints): H and W of the result. Also `output_size`.
        kernel_sizes (int or list of ints): The extents of a block. Also `kernel_size`.
        strides (int or list of ints, default 1): From one block to the next. Also `stride`.
        paddings (int or list of ints, default 0): What is added on each side. Also `padding`.
        dilations (int or list of ints, default 1): From one element of a block to the next. Also
            `dilation`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of shape [N, C, H, W]; elements of several blocks are their sum.

    Examples:
        >>> columns = paddle.ones([1, 4, 4])
        >>> paddle.nn.functional.fold(columns, [3, 3], 2).tolist()
        [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    expect_tensors("fold", x=x)
    if len(x.shape) != 3:
        raise ValueError(f"[fold] expected x of shape [N, C, L], got {list(x.shape)}")
    return _C_ops.fold(
        x,
        _parse.ints("fold", "output_sizes", output_sizes, 2),
        _parse.ints("fold", "kernel_sizes", kernel_sizes, 2),
        _parse.ints("fold", "strides", strides, 2),
        _four("fold", paddings),
        _parse.ints("fold", "dilations", dilations, 2),
    )


_lazy.serve(globals())
