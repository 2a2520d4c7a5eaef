# SPDX-License-Identifier: Apache-2.0
"""Losses on class labels and probabilities."""

from inspect import unwrap

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import second_names
from paddle.base.framework import dtype_name, is_recorded
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents
from paddle.utils.deprecated import deprecated

from . import _parse, shared_classes

__all__ = [
    "cross_entropy",
    "softmax_with_cross_entropy",
    "nll_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "sigmoid_focal_loss",
    "kl_div",
    "log_loss",
    "ctc_loss",
    "rnnt_loss",
    "hsigmoid_loss",
    "margin_cross_entropy",
    "dice_loss",
    "npair_loss",
    "adaptive_log_softmax_with_loss",
]


def reduce(loss, reduction):
    """mean, sum or the loss itself."""
    if reduction == "mean":
        return paddle.mean(loss)
    if reduction == "sum":
        return paddle.sum(loss)
    return loss


def _expand_label(op, input, label, axis):
    expect_tensors(op, logits=input, label=label)
    if len(input.shape) - 1 == len(label.shape):
        return paddle.unsqueeze(label, axis)
    if len(input.shape) != len(label.shape):
        raise ValueError(
            f"[{op}] expected label of as many axes as input or one fewer, got shapes "
            f"{list(label.shape)} and {list(input.shape)}"
        )
    return label


@deprecated('paddle.nn.functional.cross_entropy', '2.0.0', level=1)
def softmax_with_cross_entropy(
    logits,
    label,
    soft_label=False,
    ignore_index=-100,
    numeric_stable_mode=True,
    return_softmax=False,
    axis=-1,
):
    """Unreduced cross entropy of softmax(logits) along `axis`, keeping that axis with size 1.

    Args:
        logits (Tensor): Scores of the classes.
        label (Tensor): Classes, with extent 1 along axis, or probabilities of all classes where
            soft_label is true.
        soft_label (bool, default False): Whether label holds probabilities.
        ignore_index (int, default -100): The class whose loss is 0.
        numeric_stable_mode (bool, default True): Taken for compatibility; the stable form is always
            used.
        return_softmax (bool, default False): Whether the probabilities are returned too.
        axis (int, default -1): The axis of classes.

    Returns:
        Tensor or tuple of Tensors: the loss of each sample, with extent 1 along axis; with
            return_softmax also the probabilities.

    Examples:
        >>> scores = paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> label = paddle.to_tensor([[0], [1]])
        >>> paddle.nn.functional.softmax_with_cross_entropy(scores, label).tolist()
        [[0.1269], [0.1269]]
    """
    expect_tensors("softmax_with_cross_entropy", label=label, logits=logits)
    if len(label.shape) != len(logits.shape):
        raise ValueError(
            f"[softmax_with_cross_entropy] expected a label of {len(logits.shape)} axes, got shape "
            f"{list(label.shape)}"
        )
    softmax, loss = _C_ops.cross_entropy_with_softmax(
        logits, label, soft_label, True, numeric_stable_mode, ignore_index, axis
    )
    return (loss, softmax) if return_softmax else loss


@second_names(target='label')
def cross_entropy(
    input,
    label,
    weight=None,
    ignore_index=-100,
    reduction="mean",
    soft_label=False,
    axis=-1,
    use_softmax=True,
    label_smoothing=0.0,
    name=None,
):
    """Cross entropy of class scores (or of probabilities when not `use_softmax`) along `axis`.

    label: class ids, or distributions when `soft_label`; ids equal to `ignore_index` do not
    count.

    Args:
        input (Tensor): Scores of the classes, or probabilities where use_softmax is false.
        label (Tensor): Classes, or probabilities of all classes where soft_label is true. Also
            `target`.
        weight (Tensor, default None): The factors of the classes.
        ignore_index (int, default -100): The class that does not count.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        soft_label (bool, default False): Whether label holds probabilities.
        axis (int, default -1): The axis of classes.
        use_softmax (bool, default True): Whether input holds scores.
        label_smoothing (float, default 0.0): The share of the target that is spread over all
            classes.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each sample with reduction `none`.

    Examples:
        >>> scores = paddle.to_tensor([[2.0, 0.0], [0.0, 2.0]])
        >>> paddle.nn.functional.cross_entropy(scores, paddle.to_tensor([0, 1])).item()
        0.1269
        >>> x = paddle.to_tensor([0, 1])
        >>> paddle.nn.functional.cross_entropy(scores, x, reduction='none').tolist()
        [0.1269, 0.1269]
    """
    expect_tensors("cross_entropy", input=input, label=label)
    _parse.reduction("cross_entropy", reduction)
    if ignore_index > 0 and soft_label:
        raise ValueError(
            f"[cross_entropy] expected ignore_index -100 for soft_label=True, got {ignore_index}"
        )
    if len(input.shape) == 0:
        raise ValueError("[cross_entropy] expected input of at least one axis, got shape []")
    rank = len(input.shape)
    if not -rank <= axis < rank:
        raise ValueError(f"[cross_entropy] expected an axis from {-rank} to {rank - 1}, got {axis}")
    classes = extents(input)[axis]
    squeezed = not soft_label and len(label.shape) == rank - 1
    if not soft_label and paddle.is_floating_point(label):
        label = paddle.cast(label, "int64")
    ids = None if soft_label else _expand_label("cross_entropy", input, label, axis)
    if label_smoothing > 0.0:
        if not soft_label:
            label = _one_hot_along(ids, classes, axis, rank, input.dtype, ignore_index)
        share = classes if isinstance(classes, int) else paddle.cast(classes, input.dtype)
        label = label * (1.0 - label_smoothing) + label_smoothing / share
        soft = True
    else:
        soft = soft_label
        label = label if soft_label else ids
    _, out = _C_ops.cross_entropy_with_softmax(
        input, label, soft, use_softmax, True, ignore_index, axis
    )
    # As in PaddlePaddle, the mean counts ids equal to a negative ignore_index unless classes have
    # weights.
    whole = ids is None or (ignore_index < 0 and (soft or weight is None))
    valid = None if whole else paddle.cast(ids != ignore_index, out.dtype)
    if valid is not None and soft:
        out = out * valid
    if weight is None:
        factor = valid
    else:
        factor = _class_factor(
            label, ids, weight, classes, axis, rank, soft, ignore_index, out.dtype
        )
        factor = factor if valid is None else factor * valid
        out = out * factor
    if reduction == "sum":
        return paddle.sum(out)
    if reduction == "none":
        return paddle.squeeze(out, axis) if squeezed else out
    if factor is None:
        return paddle.mean(out)
    total = paddle.sum(factor)
    return paddle.sum(out) / (total + paddle.cast(total == 0.0, total.dtype))


def _one_hot_along(ids, classes, axis, rank, dtype, ignore_index):
    """One-hot of ids (size 1 along `axis`) with the classes along `axis`; `ignore_index` gives
    zeros.
    """
    if isinstance(classes, int):
        kept = ids != ignore_index
        hot = _C_ops.one_hot(
            paddle.squeeze(paddle.where(kept, ids, paddle.zeros_like(ids)), axis), classes
        )
        if axis % rank != rank - 1:
            hot = paddle.moveaxis(hot, -1, axis)
        return paddle.cast(hot, dtype) * paddle.cast(kept, dtype)
    position = paddle.reshape(
        paddle.arange(0, classes, dtype=ids.dtype),
        [classes if i == axis % rank else 1 for i in range(rank)],
    )
    return paddle.cast(ids == position, dtype)


def _class_factor(label, ids, weight, classes, axis, rank, soft, ignore_index, dtype):
    """The class weight of every element, size 1 along `axis`."""
    if isinstance(classes, int) and weight.shape[-1] not in (classes, -1):
        raise ValueError(
            f"[cross_entropy] expected a weight for each of {classes} classes, got shape "
            f"{list(weight.shape)}"
        )
    if soft:
        shape = [1] * rank
        shape[axis] = classes
        factor = paddle.sum(
            label * paddle.reshape(paddle.cast(weight, label.dtype), shape), axis=axis, keepdim=True
        )
    else:
        safe = paddle.where(ids != ignore_index, ids, paddle.zeros_like(ids))
        factor = paddle.reshape(paddle.gather(weight, paddle.reshape(safe, [-1])), extents(ids))
    return paddle.cast(factor, dtype)


def nll_loss(input, label, weight=None, ignore_index=-100, reduction="mean", name=None):
    """-weight[label] * input[label] for log-probabilities input [N, C, d1, ...].

    Args:
        input (Tensor): The predictions.
        label (Tensor): The classes, [N, d1, ...].
        weight (Tensor, default None): The factors of the classes.
        ignore_index (int, default -100): The target that does not count.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([[-0.5, -1.0], [-2.0, -0.25]])
        >>> y = paddle.to_tensor([0, 1])
        >>> paddle.nn.functional.nll_loss(x, y).item()
        0.375
    """
    expect_tensors("nll_loss", input=input, label=label)
    _parse.reduction("nll_loss", reduction)
    if weight is not None:
        expect_tensors("nll_loss", weight=weight)
    shape, target = list(input.shape), list(label.shape)
    if len(shape) - 1 != len(target):
        raise ValueError(
            f"[nll_loss] expected label of {len(shape) - 1} axes, one fewer than input, got shape "
            f"{list(target)}"
        )
    if len(shape) < 2:
        raise ValueError(f"[nll_loss] expected input of at least 2 axes, got shape {list(shape)}")
    if label.dtype not in (paddle.int32, paddle.int64):
        raise ValueError(f"[nll_loss] expected a label of dtype int32 or int64, got {label.dtype}")
    if any(a != b and -1 not in (a, b) for a, b in zip(shape[:1] + shape[2:], target)):
        raise ValueError(
            f"[nll_loss] expected a label of shape {shape[:1] + shape[2:]}, got {target}"
        )
    if (
        weight is not None
        and list(weight.shape) != shape[1:2]
        and -1 not in (shape[1], *weight.shape)
    ):
        raise ValueError(
            f"[nll_loss] expected a weight for each of {shape[1]} classes, got shape "
            f"{list(weight.shape)}"
        )
    if len(shape) in (2, 4):
        return _C_ops.nll_loss(input, label, weight, ignore_index, reduction)[0]
    rows, classes = extents(input)[:2]
    out = _C_ops.nll_loss(
        paddle.reshape(input, [rows, classes, 1, -1]),
        paddle.reshape(label, [rows, 1, -1]),
        weight,
        ignore_index,
        reduction,
    )[0]
    return paddle.reshape(out, extents(label)) if reduction == "none" else out


def binary_cross_entropy(input, label, weight=None, reduction="mean", name=None):
    """-(label * log(input) + (1 - label) * log(1 - input)) for probabilities.

    Args:
        input (Tensor): Probabilities in [0, 1].
        label (Tensor): The targets.
        weight (Tensor, default None): The factors of the elements.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([0.5, 0.25])
        >>> y = paddle.to_tensor([1.0, 0.0])
        >>> paddle.nn.functional.binary_cross_entropy(x, y).item()
        0.4904
    """
    _parse.reduction("binary_cross_entropy", reduction)
    out = _C_ops.bce_loss(input, label)
    return reduce(out if weight is None else out * weight, reduction)


def binary_cross_entropy_with_logits(
    logit, label, weight=None, reduction="mean", pos_weight=None, name=None
):
    """binary_cross_entropy of sigmoid(logit), computed stably; `pos_weight` scales the
    positive term.

    Args:
        logit (Tensor): Scores.
        label (Tensor): The targets.
        weight (Tensor, default None): The factors of the elements.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        pos_weight (Tensor, default None): The factors of positive targets.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([0.0, 2.0])
        >>> y = paddle.to_tensor([0.0, 1.0])
        >>> paddle.nn.functional.binary_cross_entropy_with_logits(x, y).item()
        0.4100
    """
    _parse.reduction("binary_cross_entropy_with_logits", reduction)
    if pos_weight is not None:
        pos_weight = (label * (pos_weight - 1.0)) + 1.0
    out = _C_ops.sigmoid_cross_entropy_with_logits(logit, label, pos_weight, False, -100)
    return reduce(out if weight is None else out * weight, reduction)


def sigmoid_focal_loss(
    logit, label, normalizer=None, alpha=0.25, gamma=2.0, reduction="sum", name=None
):
    """alpha_t * (1 - p_t)^gamma * cross entropy, over `normalizer`.

    Args:
        logit (Tensor): Scores.
        label (Tensor): 0 or 1, in the dtype of logit.
        normalizer (Tensor, default None): What losses are divided by, of one element.
        alpha (float, default 0.25): The share of the positives, from 0 to 1.
        gamma (float, default 2.0): How much less well-classified samples count.
        reduction (str, default 'sum'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or that of each element with reduction `none`.

    Source: Lin et al., Focal loss for dense object detection, 2017

    Examples:
        >>> logit, label = paddle.zeros([2]), paddle.to_tensor([1.0, 0.0])
        >>> paddle.nn.functional.sigmoid_focal_loss(logit, label, reduction="none").tolist()
        [0.0433, 0.1300]
    """
    _parse.reduction("sigmoid_focal_loss", reduction)
    if normalizer is not None and len(normalizer.shape) > 1:
        raise ValueError(
            "[sigmoid_focal_loss] expected normalizer of at most one axis, got shape "
            f"{list(normalizer.shape)}"
        )
    loss = _C_ops.sigmoid_cross_entropy_with_logits(logit, label, None, False, -100)
    prob = _C_ops.sigmoid(logit)
    p_t = prob * label + (1.0 - prob) * (1.0 - label)
    loss = (alpha * label + (1.0 - alpha) * (1.0 - label)) * loss
    loss = paddle.pow(1.0 - p_t, gamma) * loss
    return reduce(loss if normalizer is None else loss / normalizer, reduction)


def kl_div(input, label, reduction="mean", log_target=False, name=None):
    """label * (log(label) - input), or exp(label) * (label - input) when `log_target`; input
    is in log space.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.
        reduction (str, default 'mean'): `mean`, `batchmean`, `sum` or `none`, as None.
        log_target (bool, default False): Whether targets are logarithms.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([-0.5, -1.0])
        >>> y = paddle.to_tensor([0.5, 0.5])
        >>> paddle.nn.functional.kl_div(x, y).item()
        0.0284
    """
    expect_tensors("kl_div", input=input, label=label)
    reduction = "none" if reduction is None else reduction
    _parse.reduction("kl_div", reduction, "batchmean")
    if dtype_name(input.dtype) == "float32" and dtype_name(label.dtype) == "float64":
        input = paddle.cast(input, "float64")
    elif dtype_name(input.dtype) == "float64" and dtype_name(label.dtype) == "float32":
        label = paddle.cast(label, "float64")
    out = _C_ops.kldiv_loss(input, label, "none", log_target)
    if reduction == "batchmean":
        if len(input.shape) == 0:
            return paddle.sum(out)
        rows = extents(input)[0]
        return paddle.sum(out) / (paddle.cast(rows, out.dtype) if is_recorded(rows) else rows)
    return reduce(out, reduction)


def log_loss(input, label, epsilon=0.0001, name=None):
    """-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon).

    Args:
        input (Tensor): Probabilities, of shape [N, 1].
        label (Tensor): 0 or 1, in floating point.
        epsilon (float, default 0.0001): What keeps logarithms finite.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the losses, with the shape of input.

    Examples:
        >>> p = paddle.to_tensor([[0.9], [0.1]])
        >>> paddle.nn.functional.log_loss(p, paddle.to_tensor([[1.0], [1.0]])).tolist()
        [[0.1052], [2.3016]]
    """
    return _C_ops.log_loss(input, label, epsilon)


def ctc_loss(
    log_probs,
    labels,
    input_lengths,
    label_lengths,
    blank=0,
    reduction="mean",
    norm_by_times=False,
    zero_infinity=False,
):
    """Connectionist temporal classification: minus the log-probability of a label sequence, summed
    over all its alignments.

    Args:
        log_probs (Tensor): Scores, of shape [time, batch, classes + 1]; softmax is applied to them.
        labels (Tensor): Label sequences, of shape [batch, length].
        input_lengths (Tensor): How many steps of each sample count.
        label_lengths (Tensor): How many labels of each sample count.
        blank (int, default 0): The class that stands for no label.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        norm_by_times (bool, default False): Whether gradients are divided by the number of steps.
        zero_infinity (bool, default False): Whether infinite losses and their gradients become
            zero.

    Returns:
        Tensor: the loss, 0-D, or of each sample with reduction `none`; `mean` divides by the label
            lengths first.

    Source: Graves et al., Connectionist temporal classification, 2006

    Examples:
        >>> scores = paddle.zeros([2, 1, 2])
        >>> labels = paddle.to_tensor([[1]], "int32")
        >>> steps, length = paddle.to_tensor([2]), paddle.to_tensor([1])
        >>> loss = paddle.nn.functional.ctc_loss(scores, labels, steps, length)
        >>> loss.neg().exp().item()
        0.75
    """
    _parse.reduction("ctc_loss", reduction)
    loss = _C_ops.warpctc(log_probs, labels, input_lengths, label_lengths, blank, norm_by_times)
    loss = paddle.squeeze(loss, [-1])
    if zero_infinity:
        loss = paddle.where(paddle.isinf(loss), paddle.zeros_like(loss), loss)
    if reduction == "mean":
        return paddle.mean(loss / paddle.cast(label_lengths, loss.dtype))
    return reduce(loss, reduction)


def rnnt_loss(
    input,
    label,
    input_lengths,
    label_lengths,
    blank=0,
    fastemit_lambda=0.001,
    reduction="mean",
    name=None,
):
    """RNN transducer loss; input holds log-probabilities [batch, time, label length + 1, classes].

    Args:
        input (Tensor): Log-probabilities, of shape [batch, time, length + 1, classes].
        label (Tensor): Label sequences, of shape [batch, length], int32.
        input_lengths (Tensor): How many steps of each sample count, int32.
        label_lengths (Tensor): How many labels of each sample count, int32.
        blank (int, default 0): The class that stands for no label.
        fastemit_lambda (float, default 0.001): The factor by which early labels are favoured; it
            changes gradients only.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or of each sample with reduction `none`.

    Source: Graves, Sequence transduction with recurrent neural networks, 2012

    Examples:
        >>> scores = paddle.full([1, 2, 2, 2], 0.5).log()
        >>> label = paddle.to_tensor([[1]], "int32")
        >>> steps, length = paddle.to_tensor([2], "int32"), paddle.to_tensor([1], "int32")
        >>> loss = paddle.nn.functional.rnnt_loss(scores, label, steps, length)
        >>> loss.neg().exp().item()
        0.25
    """
    _parse.reduction("rnnt_loss", reduction)
    loss = _C_ops.warprnnt(input, label, input_lengths, label_lengths, blank, fastemit_lambda)
    if reduction == "mean":
        return paddle.mean(loss)
    return reduce(loss, reduction)


def hsigmoid_loss(
    input,
    label,
    num_classes,
    weight,
    bias=None,
    path_table=None,
    path_code=None,
    is_sparse=False,
    name=None,
):
    """Hierarchical sigmoid over a complete binary tree, or the tree given by path_table and
    path_code; [N, 1].

    Args:
        input (Tensor): Features, of shape [N, dim].
        label (Tensor): Classes, of shape [N, 1].
        num_classes (int): How many classes there are.
        weight (Tensor): Weights of the inner nodes, of shape [num_classes - 1, dim].
        bias (Tensor, default None): Biases of the inner nodes, of shape [num_classes - 1, 1].
        path_table (Tensor, default None): The nodes on the way to each label, of shape [N, depth],
            filled up with -1.
        path_code (Tensor, default None): 0 or 1 for the side taken at each of them.
        is_sparse (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss of each sample, of shape [N, 1].

    Source: Morin and Bengio, Hierarchical probabilistic neural network language model, 2005

    Examples:
        >>> x, weight = paddle.ones([2, 3]), paddle.zeros([3, 3])
        >>> label = paddle.to_tensor([[0], [3]])
        >>> paddle.nn.functional.hsigmoid_loss(x, label, 4, weight).tolist()
        [[1.3863], [1.3863]]
    """
    if num_classes < 2:
        raise ValueError(f"[hsigmoid_loss] expected num_classes of at least 2, got {num_classes}")
    return _C_ops.hsigmoid_loss(
        input, label, weight, bias, path_table, path_code, num_classes, is_sparse
    )[0]


def margin_cross_entropy(
    logits,
    label,
    margin1=1.0,
    margin2=0.5,
    margin3=0.0,
    scale=64.0,
    group=None,
    return_softmax=False,
    reduction="mean",
):
    """Cross entropy with the target cosine t replaced by cos(margin1 * acos(t) + margin2) -
    margin3, times scale.

    Args:
        logits (Tensor): Cosines, of shape [N, classes].
        label (Tensor): Classes, of shape [N] or [N, 1].
        margin1 (float, default 1.0): The factor of the target's angle.
        margin2 (float, default 0.5): What is added to it.
        margin3 (float, default 0.0): What is taken from its cosine.
        scale (float, default 64.0): The factor of all cosines.
        group (Group, default None): The processes that share the classes, which are those of the
            first, then of the second and so on, as many each as its logits; None for all, False for
            this one alone.
        return_softmax (bool, default False): Whether the probabilities are returned too.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.

    Returns:
        Tensor or tuple of Tensors: the loss, 0-D, or of each sample with reduction None; with
            return_softmax also the probabilities.

    Source: Deng et al., ArcFace, 2018

    Examples:
        >>> cosines = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> label = paddle.to_tensor([0, 1])
        >>> f = paddle.nn.functional.margin_cross_entropy
        >>> f(cosines, label, margin2=0.0, scale=2.0).item()
        0.1269
        >>> paddle.nn.functional.margin_cross_entropy(cosines, label, scale=2.0).item()
        0.1595
    """
    group = shared_classes.group_of("margin_cross_entropy", group)
    if reduction not in ("mean", "sum", "none", None):
        raise ValueError(
            f"[margin_cross_entropy] expected reduction 'mean', 'sum', 'none' or None, got "
            f"{reduction!r}"
        )
    label = _expand_label("margin_cross_entropy", logits, label, -1)
    if group is not None:
        loss, softmax = shared_classes.margin_cross_entropy(
            logits, label, margin1, margin2, margin3, scale, group
        )
    else:
        softmax, loss = _C_ops.margin_cross_entropy(
            logits, label, return_softmax, 0, 0, 1, margin1, margin2, margin3, scale
        )
    loss = reduce(loss, reduction)
    return (loss, softmax) if return_softmax else loss


def dice_loss(input, label, epsilon=1e-05, name=None):
    """1 - 2 * overlap / (sum of both), mean over the batch; label holds ids in its last dimension
    of size 1.

    Args:
        input (Tensor): Probabilities, of shape [N, ..., classes].
        label (Tensor): Classes, of shape [N, ..., 1].
        epsilon (float, default 1e-05): What is added to the divisor.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D.

    Examples:
        >>> p = paddle.to_tensor([[[1.0, 0.0], [0.5, 0.5]]])
        >>> label = paddle.to_tensor([[[0], [1]]])
        >>> paddle.nn.functional.dice_loss(p, label).item()
        0.2500
    """
    expect_tensors("dice_loss", input=input, label=label)
    if dtype_name(input.dtype) not in ("float32", "float64"):
        raise AssertionError(
            f"[dice_loss] expected input of float32 or float64, got {dtype_name(input.dtype)}"
        )
    if (
        len(input.shape) < 2
        or len(input.shape) != len(label.shape)
        or label.shape[-1] not in (1, -1)
    ):
        raise AssertionError(
            "[dice_loss] expected input [N, ..., C] and label [N, ..., 1], got "
            f"{list(input.shape)} and {list(label.shape)}"
        )
    label = paddle.cast(
        _C_ops.one_hot(paddle.squeeze(label, [-1]), extents(input)[-1]), input.dtype
    )
    axes = list(range(1, len(input.shape)))
    overlap = paddle.sum(input * label, axis=axes)
    total = paddle.sum(input, axis=axes) + paddle.sum(label, axis=axes)
    return paddle.mean(1 - overlap * 2 / (total + epsilon))


def npair_loss(anchor, positive, labels, l2_reg=0.002):
    """Cross entropy of anchor @ positive^T against equal labels, plus l2 regularisation of both.

    Args:
        anchor (Tensor): Features of the anchors, of shape [N, dim].
        positive (Tensor): Features of their positives, of shape [N, dim].
        labels (Tensor): The class of each, of shape [N].
        l2_reg (float, default 0.002): The factor of the regularisation.

    Returns:
        Tensor: the loss, 0-D.

    Source: Sohn, Improved deep metric learning with multi-class N-pair loss objective, 2016

    Examples:
        >>> x = paddle.eye(2)
        >>> paddle.nn.functional.npair_loss(x, x, paddle.to_tensor([0.0, 1.0]), l2_reg=0.0).item()
        0.3133
    """
    expect_tensors("npair_loss", anchor=anchor, positive=positive, labels=labels)
    labels = paddle.reshape(labels, [-1, 1])
    same = paddle.cast(labels == paddle.transpose(labels, [1, 0]), "float32")
    target = same / paddle.sum(same, axis=1, keepdim=True)
    l2 = (
        (
            paddle.mean(paddle.sum(anchor * anchor, 1))
            + paddle.mean(paddle.sum(positive * positive, 1))
        )
        * 0.25
        * l2_reg
    )
    logits = paddle.matmul(anchor, positive, transpose_x=False, transpose_y=True)
    loss = unwrap(softmax_with_cross_entropy)(logits, target, soft_label=True)
    return l2 + paddle.mean(paddle.sum(target * loss, 0))


def adaptive_log_softmax_with_loss(
    input, label, head_weight, tail_weights, cutoffs, head_bias=None, name=None
):
    """(log-probability of each label, its negative mean) of a softmax over many classes in
    clusters.

    The frequent classes, below cutoffs[0], stand in the head beside one entry for each cluster.

    Args:
        input (Tensor): Features, of shape [N, in_features].
        label (Tensor): Classes, of shape [N].
        head_weight (Tensor): The weight of the head, of shape [in_features, cutoffs[0] + clusters].
        tail_weights (list of tuples of Tensors): Two weights a cluster: a projection and the scores
            of its classes.
        cutoffs (list of ints): The first class of each cluster, and the number of classes.
        head_bias (Tensor, default None): The bias of the head.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple of Tensors: the log-probabilities, of shape [N], and the loss.

    Source: Grave et al., Efficient softmax approximation for GPUs, 2016

    Examples:
        >>> x, head = paddle.ones([2, 4]), paddle.zeros([4, 3])
        >>> tail = [(paddle.zeros([4, 2]), paddle.zeros([2, 2]))]
        >>> label = paddle.to_tensor([0, 3])
        >>> f = paddle.nn.functional.adaptive_log_softmax_with_loss
        >>> logs, loss = f(x, label, head, tail, [2, 4])
        >>> logs.exp().tolist()
        [0.3333, 0.1667]
    """
    expect_tensors("adaptive_log_softmax_with_loss", label=label, input=input)
    batched = label.ndim > 0
    if label.ndim > 1:
        raise ValueError(
            f"[adaptive_log_softmax_with_loss] expected a 0D or 1D label, got shape "
            f"{list(label.shape)}"
        )
    if batched and (input.ndim != 2 or input.shape[0] != label.shape[0]):
        raise ValueError(
            "[adaptive_log_softmax_with_loss] expected input [N, features] for label [N], got "
            f"shapes {list(input.shape)} and {list(label.shape)}"
        )
    if not batched:
        input, label = paddle.unsqueeze(input, 0), paddle.unsqueeze(label, 0)
    low, high = int(paddle.min(label)), int(paddle.max(label))
    if low < 0 or high >= cutoffs[-1]:
        raise ValueError(
            f"[adaptive_log_softmax_with_loss] expected labels from 0 to {cutoffs[-1] - 1}, got "
            f"{low} to {high}"
        )
    linear = paddle.nn.functional.linear
    head = _C_ops.log_softmax(linear(input, head_weight, head_bias), 1)
    shortlist = cutoffs[0]
    edges = [0, *cutoffs]
    in_head = label < shortlist
    column = paddle.where(in_head, label, paddle.zeros_like(label))
    output = None
    for i in range(1, len(cutoffs)):
        inside = paddle.logical_and(label >= edges[i], label < edges[i + 1])
        column = paddle.where(inside, paddle.full_like(label, shortlist + i - 1), column)
        if not bool(paddle.any(inside)):
            continue
        rows = paddle.reshape(paddle.nonzero(inside), [-1])
        hidden = linear(
            linear(paddle.index_select(input, rows, 0), tail_weights[i - 1][0]),
            tail_weights[i - 1][1],
        )
        picked = paddle.take_along_axis(
            _C_ops.log_softmax(hidden, 1),
            paddle.unsqueeze(paddle.index_select(label, rows, 0) - edges[i], 1),
            1,
        )
        part = paddle.scatter(
            paddle.zeros([label.shape[0]], dtype=picked.dtype), rows, paddle.squeeze(picked, 1)
        )
        output = part if output is None else output + part
    from_head = paddle.squeeze(paddle.take_along_axis(head, paddle.unsqueeze(column, 1), 1), 1)
    output = from_head if output is None else output + from_head
    loss = -paddle.mean(output)
    return (output if batched else paddle.squeeze(output, 0)), loss


_lazy.serve(globals())
