# SPDX-License-Identifier: Apache-2.0
"""Losses on distances, margins and regression targets."""

import math

import paddle
from paddle import _C_ops
from paddle.base.documentation import shares
from paddle.base.framework import is_recorded
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

from . import _parse
from .loss import reduce

__all__ = [
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "square_error_cost",
    "margin_ranking_loss",
    "cosine_embedding_loss",
    "hinge_embedding_loss",
    "soft_margin_loss",
    "multi_margin_loss",
    "multi_label_margin_loss",
    "multi_label_soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "gaussian_nll_loss",
    "poisson_nll_loss",
]


def square_error_cost(input, label):
    """(input - label)^2.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.

    Returns:
        Tensor: The squares, with the shape of input.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0])
        >>> y = paddle.to_tensor([1.0, 1.0])
        >>> paddle.nn.functional.square_error_cost(x, y).tolist()
        [0.0, 4.0]
    """
    diff = input - label
    return diff * diff


def mse_loss(input, label, reduction="mean", name=None):
    """(input - label)^2, reduced.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0])
        >>> y = paddle.to_tensor([1.0, 1.0])
        >>> paddle.nn.functional.mse_loss(x, y).item()
        2.0
    """
    _parse.reduction("mse_loss", reduction)
    diff = input - label
    return reduce(diff * diff, reduction)


def l1_loss(input, label, reduction="mean", name=None):
    """|input - label|, reduced.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0])
        >>> y = paddle.to_tensor([1.0, 1.0])
        >>> paddle.nn.functional.l1_loss(x, y).item()
        1.0
    """
    _parse.reduction("l1_loss", reduction)
    expect_tensors("l1_loss", input=input, label=label)
    return reduce(paddle.abs(input - label), reduction)


def smooth_l1_loss(input, label, reduction="mean", delta=1.0, is_huber=True, name=None):
    """Huber loss: quadratic within `delta`, linear outside; divided by delta when not
    `is_huber`.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        delta (float, default 1.0): Where the loss turns from quadratic to linear.
        is_huber (bool, default True): Whether it is the Huber loss, else that over delta.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([1.0, 3.0])
        >>> y = paddle.to_tensor([1.0, 1.0])
        >>> paddle.nn.functional.smooth_l1_loss(x, y).item()
        0.75
    """
    _parse.reduction("smooth_l1_loss", reduction)
    out = _C_ops.huber_loss(input, label, float(delta))
    return reduce(out if is_huber else out / delta, reduction)


def margin_ranking_loss(input, other, label, margin=0.0, reduction="mean", name=None):
    """max(0, -label * (input - other) + margin).

    Args:
        input (Tensor): The values.
        other (Tensor): The values they are compared with.
        label (Tensor): 1 where input shall be the greater, -1 where other shall.
        margin (float, default 0.0): By how much at least.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x, y = paddle.to_tensor([3.0, 1.0]), paddle.to_tensor([1.0, 3.0])
        >>> paddle.nn.functional.margin_ranking_loss(x, y, paddle.ones([2])).item()
        1.0
    """
    _parse.reduction("margin_ranking_loss", reduction)
    out = (other - input) * label
    if margin != 0.0:
        out = out + margin
    return reduce(_C_ops.relu(out), reduction)


def cosine_embedding_loss(input1, input2, label, margin=0, reduction="mean", name=None):
    """1 - cos for label 1, max(0, cos - margin) for label -1.

    Args:
        input1 (Tensor): Vectors, of shape [N, dim] or [dim].
        input2 (Tensor): Those they are compared with.
        label (Tensor): 1 for similar pairs, -1 for dissimilar ones.
        margin (float, default 0): The cosine above which dissimilar pairs have a loss.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or of each pair with reduction `none`.

    Examples:
        >>> x, y = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 1.0]])
        >>> paddle.nn.functional.cosine_embedding_loss(x, y, paddle.to_tensor([1])).item()
        1.0
    """
    expect_tensors("cosine_embedding_loss", label=label, input1=input1, input2=input2)
    _parse.reduction("cosine_embedding_loss", reduction)
    if len(label.shape) != 1:
        raise ValueError(
            f"[cosine_embedding_loss] expected a 1D label, got shape {list(label.shape)}"
        )
    if list(input1.shape) != list(input2.shape):
        raise ValueError(
            f"[cosine_embedding_loss] expected inputs of one shape, got {list(input1.shape)} and "
            f"{list(input2.shape)}"
        )
    if len(input1.shape) > 2:
        raise ValueError(
            "[cosine_embedding_loss] expected inputs of at most 2 axes, got shape "
            f"{list(input1.shape)}"
        )
    dot = paddle.sum(input1 * input2, axis=-1)
    eps = 1e-11
    cos = dot / paddle.sqrt(
        (paddle.sum(input1 * input1, axis=-1) + eps) * (paddle.sum(input2 * input2, axis=-1) + eps)
    )
    zeros = paddle.zeros_like(cos)
    out = paddle.where(label == 1, 1 - cos, zeros) + paddle.where(
        label == -1, paddle.clip(cos - margin, min=0), zeros
    )
    return reduce(out, reduction)


def hinge_embedding_loss(input, label, margin=1.0, reduction="mean", name=None):
    """input for label 1, max(0, margin - input) for label -1.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, -1 or 1.
        margin (float, default 1.0): From which distance dissimilar pairs cost nothing.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([0.5, 0.5])
        >>> y = paddle.to_tensor([1.0, -1.0])
        >>> paddle.nn.functional.hinge_embedding_loss(x, y).item()
        0.5
    """
    _parse.reduction("hinge_embedding_loss", reduction)
    zeros = paddle.zeros_like(input)
    out = paddle.where(label == 1.0, input, zeros) + paddle.where(
        label == -1.0, _C_ops.relu(margin - input), zeros
    )
    return reduce(out, reduction)


def soft_margin_loss(input, label, reduction="mean", name=None):
    """log(1 + exp(-label * input)).

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, -1 or 1.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([1.0, -1.0])
        >>> y = paddle.to_tensor([1.0, 1.0])
        >>> paddle.nn.functional.soft_margin_loss(x, y).item()
        0.8133
    """
    expect_tensors("soft_margin_loss", input=input, label=label)
    _parse.reduction("soft_margin_loss", reduction)
    if list(input.shape) != list(label.shape):
        raise ValueError(
            f"[soft_margin_loss] expected input and label of one shape, got {list(input.shape)} "
            f"and {list(label.shape)}"
        )
    label = paddle.cast(label, input.dtype)
    return reduce(paddle.log(1 + paddle.exp(-label * input)), reduction)


def multi_margin_loss(input, label, p=1, margin=1.0, weight=None, reduction="mean", name=None):
    """Mean over wrong classes of max(0, margin - input[label] + input[i])^p.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The classes, [N].
        p (int, default 1): The exponent.
        margin (float, default 1.0): By how much the target must lead.
        weight (Tensor, default None): The factors of the classes.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([[0.5, 1.0]])
        >>> y = paddle.to_tensor([1])
        >>> paddle.nn.functional.multi_margin_loss(x, y).item()
        0.25
    """
    expect_tensors("multi_margin_loss", input=input, label=label)
    _parse.reduction("multi_margin_loss", reduction)
    if (
        len(input.shape) != 2
        or input.shape[0] != label.shape[0]
        and -1 not in (input.shape[0], label.shape[0])
    ):
        raise ValueError(
            "[multi_margin_loss] expected input [N, C] and label [N], got shapes "
            f"{list(input.shape)} and {list(label.shape)}"
        )
    label = paddle.reshape(label, [-1, 1])
    target = paddle.take_along_axis(input, label, 1)
    terms = _C_ops.relu(margin - target + input)
    scale = 1.0
    if weight is not None:
        expect_tensors("multi_margin_loss", weight=weight)
        if weight.shape[0] != input.shape[1]:
            raise ValueError(
                f"[multi_margin_loss] expected {input.shape[1]} weights, got {weight.shape[0]}"
            )
        scale = paddle.reshape(paddle.gather(weight, paddle.reshape(label, [-1])), [-1, 1])
    terms = scale * (paddle.pow(terms, p) if p != 1 else terms)
    own = paddle.cast(_C_ops.one_hot(paddle.reshape(label, [-1]), extents(input)[1]), input.dtype)
    return reduce(paddle.mean(terms * (1 - own), axis=1), reduction)


def multi_label_margin_loss(input, label, reduction="mean", name=None):
    """Sum over (target, other class) of max(0, 1 - (input[target] - input[other])) / classes; -1
    ends the targets.

    Args:
        input (Tensor): Scores, of shape [N, classes].
        label (Tensor): The targets of each sample, of shape [N, classes]; what follows a -1 does
            not count.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or of each sample with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([[0.1, 0.2, 0.4, 0.8]])
        >>> label = paddle.to_tensor([[3, 0, -1, 1]])
        >>> paddle.nn.functional.multi_label_margin_loss(x, label).item()
        0.8500
    """
    expect_tensors("multi_label_margin_loss", input=input, label=label)
    _parse.reduction("multi_label_margin_loss", reduction)
    if input.ndim != 2 or list(label.shape) != list(input.shape):
        raise ValueError(
            f"[multi_label_margin_loss] expected input and label of one shape [N, C], got "
            f"{list(input.shape)} and {list(label.shape)}"
        )
    classes = input.shape[1]
    valid = paddle.cumprod(paddle.cast(label >= 0, "int64"), dim=1)
    safe = paddle.cast(label, "int64") * valid
    wanted = paddle.cast(valid, input.dtype)
    is_target = paddle.cast(
        paddle.max(
            _C_ops.one_hot(safe, classes) * paddle.unsqueeze(paddle.cast(valid, "float32"), -1),
            axis=1,
        ),
        input.dtype,
    )
    picked = paddle.take_along_axis(input, safe, 1)
    terms = _C_ops.relu(1.0 - (paddle.unsqueeze(picked, 2) - paddle.unsqueeze(input, 1)))
    terms = terms * paddle.unsqueeze(wanted, 2) * paddle.unsqueeze(1.0 - is_target, 1)
    return reduce(paddle.sum(terms, axis=[1, 2]) / classes, reduction)


def multi_label_soft_margin_loss(input, label, weight=None, reduction="mean", name=None):
    """Mean over classes of the binary cross entropy of sigmoid(input).

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.
        weight (Tensor, default None): The factors of the classes.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 2.0]])
        >>> y = paddle.to_tensor([[0.0, 1.0]])
        >>> paddle.nn.functional.multi_label_soft_margin_loss(x, y).item()
        0.4100
    """
    expect_tensors("multi_label_soft_margin_loss", input=input, label=label)
    _parse.reduction("multi_label_soft_margin_loss", reduction)
    if list(input.shape) != list(label.shape):
        raise ValueError(
            "[multi_label_soft_margin_loss] expected input and label of one shape, got "
            f"{list(input.shape)} and {list(label.shape)}"
        )
    loss = -(label * _C_ops.logsigmoid(input) + (1 - label) * _C_ops.logsigmoid(-input))
    if weight is not None:
        loss = loss * weight
    return reduce(paddle.mean(loss, axis=-1), reduction)


def triplet_margin_with_distance_loss(
    input,
    positive,
    negative,
    distance_function=None,
    margin=1.0,
    swap=False,
    reduction="mean",
    name=None,
):
    """max(0, d(input, positive) - d(input, negative) + margin) with any distance function.

    Args:
        input (Tensor): The anchors, of shape [N, dim].
        positive (Tensor): What shall be near.
        negative (Tensor): What shall be far.
        distance_function (callable, default None): The distance of two batches; None for the
            Euclidean.
        margin (float, default 1.0): How much farther the negative shall be than the positive.
        swap (bool, default False): Whether the distance of positive and negative counts where it is
            smaller.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or of each triplet with reduction `none`.

    Examples:
        >>> x, near, far = paddle.zeros([1, 2]), paddle.ones([1, 2]), paddle.full([1, 2], 2.0)
        >>> f = paddle.nn.functional.triplet_margin_with_distance_loss
        >>> f(x, far, near, lambda a, b: (a - b).abs().sum(axis=-1)).item()
        3.0
    """
    _parse.reduction("triplet_margin_with_distance_loss", reduction)
    if margin < 0:
        raise ValueError(
            f"[triplet_margin_with_distance_loss] expected margin of at least 0, got {margin}"
        )
    if distance_function is None:
        from .common import pairwise_distance

        distance_function = pairwise_distance
    near, far = distance_function(input, positive), distance_function(input, negative)
    if swap:
        far = paddle.minimum(far, distance_function(positive, negative))
    if not is_recorded(near) and not (bool(paddle.all(near > 0)) and bool(paddle.all(far > 0))):
        raise ValueError(
            "[triplet_margin_with_distance_loss] expected distance_function to give positive "
            "distances, got others"
        )
    return reduce(paddle.clip(near - far + margin, min=0.0), reduction)


@shares(triplet_margin_with_distance_loss)
def triplet_margin_loss(
    input,
    positive,
    negative,
    margin=1.0,
    p=2,
    epsilon=1e-06,
    swap=False,
    reduction="mean",
    name=None,
):
    """max(0, |input - positive|_p - |input - negative|_p + margin).

    Args:
        {input, positive, negative, margin}
        p (float, default 2): The exponent of the norm.
        epsilon (float, default 1e-06): What is added to differences.
        {swap, reduction, name}

    Returns:
        Tensor: the loss, 0-D, or of each triplet with reduction `none`.

    Examples:
        >>> x, near, far = paddle.zeros([1, 2]), paddle.ones([1, 2]), paddle.full([1, 2], 2.0)
        >>> paddle.nn.functional.triplet_margin_loss(x, far, near, p=1).item()
        3.0
    """
    _parse.reduction("triplet_margin_loss", reduction)
    if margin < 0:
        raise ValueError(f"[triplet_margin_loss] expected margin of at least 0, got {margin}")
    from .common import pairwise_distance

    near = pairwise_distance(input, positive, p, epsilon)
    far = pairwise_distance(input, negative, p, epsilon)
    if swap:
        far = paddle.minimum(far, pairwise_distance(positive, negative, p, epsilon))
    return reduce(paddle.clip(near - far + margin, min=0.0), reduction)


def gaussian_nll_loss(
    input, label, variance, full=False, epsilon=1e-06, reduction="mean", name=None
):
    """0.5 * (log(var) + (input - label)^2 / var), var = max(variance, epsilon); `full` adds 0.5 *
    log(2 pi).

    Args:
        input (Tensor): The expected values.
        label (Tensor): The values found.
        variance (Tensor): The variances.
        full (bool, default False): Whether 0.5 * log(2 pi) is added.
        epsilon (float, default 1e-06): The least variance.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x, y = paddle.ones([2]), paddle.zeros([2])
        >>> paddle.nn.functional.gaussian_nll_loss(x, y, paddle.ones([2])).item()
        0.5
    """
    expect_tensors("gaussian_nll_loss", variance=variance, input=input)
    _parse.reduction("gaussian_nll_loss", reduction)
    if not is_recorded(variance) and bool(paddle.any(variance < 0)):
        raise ValueError(
            "[gaussian_nll_loss] expected variance of at least 0, got negative elements"
        )
    if list(variance.shape) != list(input.shape):
        if list(input.shape[:-1]) == list(variance.shape):
            variance = paddle.unsqueeze(variance, -1)
        elif not (list(input.shape[:-1]) == list(variance.shape[:-1]) and variance.shape[-1] == 1):
            raise ValueError(
                "[gaussian_nll_loss] expected variance that fits input of shape "
                f"{list(input.shape)}, got shape {list(variance.shape)}"
            )
    clamped = paddle.clip(variance.detach(), min=epsilon)
    variance = variance + (clamped - variance).detach()
    diff = input - label
    loss = 0.5 * (paddle.log(variance) + diff * diff / variance)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduce(loss, reduction)


def poisson_nll_loss(
    input, label, log_input=True, full=False, epsilon=1e-08, reduction="mean", name=None
):
    """exp(input) - label * input, or input - label * log(input + epsilon); `full` adds
    Stirling's approximation.

    Args:
        input (Tensor): The predictions.
        label (Tensor): The targets, of the shape of input.
        log_input (bool, default True): Whether the input is the logarithm of the rate.
        full (bool, default False): Whether Stirling's term is added.
        epsilon (float, default 1e-08): What keeps a logarithm from zero.
        reduction (str, default 'mean'): `mean`, `sum` or `none`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The loss, 0-D, or of each element with reduction `none`.

    Examples:
        >>> x = paddle.to_tensor([0.0, 1.0])
        >>> y = paddle.to_tensor([1.0, 2.0])
        >>> paddle.nn.functional.poisson_nll_loss(x, y).item()
        0.8591
    """
    _parse.reduction("poisson_nll_loss", reduction)
    if epsilon <= 0:
        raise ValueError(f"[poisson_nll_loss] expected a positive epsilon, got {epsilon}")
    if log_input:
        loss = paddle.exp(input) - label * input
    else:
        loss = input - label * paddle.log(input + epsilon)
    if full:
        stirling = label * paddle.log(label) - label + 0.5 * paddle.log(2 * math.pi * label)
        loss = loss + paddle.where(label > 1, stirling, paddle.zeros_like(stirling))
    return reduce(loss, reduction)
