# SPDX-License-Identifier: Apache-2.0
"""Dropout and its variants."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import items, second_names
from paddle.base.framework import Tensor
from paddle.base.libpaddle import expect_tensors
from paddle.tensor.manipulation import extents

from . import _parse

__all__ = [
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "alpha_dropout",
    "feature_alpha_dropout",
]

_SELU_NEGATIVE_LIMIT = -1.6732632423543772 * 1.0507009873554805


def _check_p(op, p):
    if isinstance(p, Tensor):
        p = float(p)
    if not isinstance(p, (int, float)):
        raise TypeError(f"[{op}] expected p to be a number or a tensor, got {type(p).__name__}")
    if p < 0 or p > 1:
        raise ValueError(f"[{op}] expected p from 0 to 1, got {p}")
    return float(p)


@second_names(input='x')
def dropout(x, p=0.5, axis=None, training=True, inplace=False, mode="upscale_in_train", name=None):
    """Zeroes elements at random while training, and scales the others so that the mean stays.

    Args:
        x (Tensor): The values. Also `input`.
        p (float or Tensor, default 0.5): The probability of a zero.
        axis (int or list of ints, default None): Axes along which elements are drawn; along the
            others they are zeroed together. None: each by itself.
        training (bool, default True): Whether this is training.
        inplace (bool, default False): Whether the result is written to x.
        mode (str, default 'upscale_in_train'): 'upscale_in_train' divides by 1 - p while
            training; 'downscale_in_infer' multiplies by 1 - p otherwise.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: The values, some of them zero.

    Examples:
        >>> x = paddle.ones([2, 3])
        >>> paddle.nn.functional.dropout(x, 0.5, training=False).tolist()
        [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
        >>> sorted(set(paddle.nn.functional.dropout(paddle.ones([64]), 0.5).tolist()))
        [0.0, 2.0]
    """
    p = _check_p("dropout", p)
    if mode not in ("downscale_in_infer", "upscale_in_train"):
        raise ValueError(
            f"[dropout] expected mode 'downscale_in_infer' or 'upscale_in_train', got {mode!r}"
        )
    if axis is not None and not isinstance(axis, (int, list, tuple)):
        raise TypeError(
            f"[dropout] expected axis to be an int or a list of ints, got {type(axis).__name__}"
        )
    if axis is None:
        if mode == "upscale_in_train" and (not training or p == 0.0):
            return x
        if not training:
            return x * (1.0 - p)
        op_mode = "downgrade_in_infer" if mode == "downscale_in_infer" else mode
        out = _C_ops.dropout(x, None, p, False, op_mode, 0, False)
    else:
        out = _dropout_axes(
            x,
            p,
            [axis] if isinstance(axis, int) else items('dropout', 'axis', axis),
            training,
            mode,
        )
    if inplace and out is not x:
        return paddle.assign(out, x)
    return out


def _dropout_axes(x, p, axes, training, mode):
    if not training:
        return x if mode == "upscale_in_train" else x * (1.0 - p)
    rank = len(x.shape)
    if any(a is None or a < 0 or a > rank - 1 for a in axes):
        raise ValueError(f"[dropout] expected axes from 0 to {rank - 1}, got {axes}")
    if len(axes) > rank:
        raise ValueError(f"[dropout] expected at most {rank} axes, got {len(axes)}")
    if p == 1.0:
        return x * 0.0
    sizes = extents(x)
    shape = [sizes[i] if i in axes else 1 for i in range(rank)]
    keep = paddle.cast(paddle.uniform(shape, dtype="float32", min=0.0, max=1.0) >= p, x.dtype)
    if mode == "upscale_in_train":
        return x * keep * (1.0 / (1.0 - p))
    return x * keep


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of [N, C, L] or [C, L]; the samples of a batch share one choice.

    Args:
        input (Tensor): Values of shape [N, C, L] or [C, L].
        p (float, default 0.5): The probability that a channel becomes zero.
        training (bool, default True): Whether channels become zero; else input comes back.
        inplace (bool, default False): Whether input takes the result.

    Returns:
        Tensor: of the shape of input, what stays divided by 1 - p.

    Examples:
        >>> y = paddle.nn.functional.dropout1d(paddle.ones([1, 8, 4]), 0.5)
        >>> sorted(set(y.flatten().tolist()))
        [0.0, 2.0]
    """
    expect_tensors("dropout1d", input=input)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"[dropout1d] expected input of 2 or 3 axes, got shape {list(input.shape)}"
        )
    out = dropout(input, p, [input.ndim - 2], training)
    return paddle.assign(out, input) if inplace else out


def dropout2d(x, p=0.5, training=True, data_format="NCHW", name=None):
    """Zero whole channels of [N, C, H, W] (or NHWC).

    Args:
        x (Tensor): Values of shape [N, C, H, W], or NHWC.
        p (float, default 0.5): The probability that a channel becomes zero.
        training (bool, default True): Whether channels become zero; else x comes back.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of x, what stays divided by 1 - p.

    Examples:
        >>> y = paddle.nn.functional.dropout2d(paddle.ones([2, 8, 4, 4]), 0.5)
        >>> bool((y == y[:, :, :1, :1]).all())
        True
    """
    expect_tensors("dropout2d", x=x)
    if len(x.shape) != 4:
        raise ValueError(f"[dropout2d] expected x of 4 axes, got shape {list(x.shape)}")
    _parse.data_format("dropout2d", data_format, "NCHW", "NHWC")
    return dropout(x, p, [0, 1] if data_format == "NCHW" else [0, 3], training)


def dropout3d(x, p=0.5, training=True, data_format="NCDHW", name=None):
    """Zero whole channels of [N, C, D, H, W] (or NDHWC).

    Args:
        x (Tensor): Values of shape [N, C, D, H, W], or NDHWC.
        p (float, default 0.5): The probability that a channel becomes zero.
        training (bool, default True): Whether channels become zero; else x comes back.
        data_format (str, default 'NCDHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of x, what stays divided by 1 - p.

    Examples:
        >>> y = paddle.nn.functional.dropout3d(paddle.ones([1, 2, 2, 2, 2]), 0.5, training=False)
        >>> y.min().item()
        1.0
    """
    expect_tensors("dropout3d", x=x)
    if len(x.shape) != 5:
        raise ValueError(f"[dropout3d] expected x of 5 axes, got shape {list(x.shape)}")
    _parse.data_format("dropout3d", data_format, "NCDHW", "NDHWC")
    return dropout(x, p, [0, 1] if data_format == "NCDHW" else [0, 4], training)


def _alpha(op, x, p, training, mask_shape):
    p = _check_p(op, p)
    if not training or p == 0.0:
        return x
    if p == 1.0:
        return x * 0.0
    limit = _SELU_NEGATIVE_LIMIT
    a = ((1 - p) * (1 + p * limit**2)) ** -0.5
    b = -a * limit * p
    keep = paddle.cast(paddle.uniform(mask_shape, dtype="float32", min=0.0, max=1.0) >= p, x.dtype)
    return a * (x * keep + limit * (1.0 - keep)) + b


def alpha_dropout(x, p=0.5, training=True, name=None):
    """Dropout for SELU networks: keeps mean and variance of standardised inputs.

    Args:
        x (Tensor): The values.
        p (float, default 0.5): The probability that an element is replaced.
        training (bool, default True): Whether elements are replaced; else x comes back.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of x.

    Source: Klambauer et al., Self-normalizing neural networks, 2017

    Examples:
        >>> x = paddle.to_tensor([-1.0, 1.0])
        >>> paddle.nn.functional.alpha_dropout(x, 0.5, training=False).tolist()
        [-1.0, 1.0]
        >>> paddle.nn.functional.alpha_dropout(paddle.zeros([3]), 0.0).tolist()
        [0.0, 0.0, 0.0]
    """
    expect_tensors("alpha_dropout", x=x)
    return _alpha("alpha_dropout", x, p, training, extents(x))


def feature_alpha_dropout(x, p=0.5, training=True, name=None):
    """alpha_dropout of whole channels of [N, C, ...].

    Args:
        x (Tensor): Values of shape [N, C, ...].
        p (float, default 0.5): The probability that a channel is replaced.
        training (bool, default True): Whether channels are replaced; else x comes back.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: of the shape of x.

    Examples:
        >>> y = paddle.nn.functional.feature_alpha_dropout(paddle.zeros([1, 8, 4]), 0.5)
        >>> bool((y == y[:, :, :1]).all())
        True
    """
    expect_tensors("feature_alpha_dropout", x=x)
    if x.ndim < 2:
        raise ValueError(
            f"[feature_alpha_dropout] expected x of at least 2 axes, got shape {list(x.shape)}"
        )
    return _alpha("feature_alpha_dropout", x, p, training, extents(x)[:2] + [1] * (x.ndim - 2))
