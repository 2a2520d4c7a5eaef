# SPDX-License-Identifier: Apache-2.0
"""Clipping of the gradients that parameters hold now."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import items
from paddle.base.framework import Tensor
from paddle.base.libpaddle import expect_tensors

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def _with_grads(parameters):
    params = (
        [parameters]
        if isinstance(parameters, Tensor)
        else items('clip_grad_norm_', 'parameters', parameters)
    )
    for p in params:
        expect_tensors('clip_grad_norm_', parameters=p)
    return [p for p in params if p.grad is not None]


def _memory(param):
    """The elements of a parameter's gradient; of one that is SelectedRows its rows, each once."""
    if param.grad._rows_parts() is None:
        return param.grad
    param.grad = param.grad._merged_rows()
    return param.grad._rows_parts()[1]


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale the gradients in place so that their total norm is at most max_norm.

    Args:
        parameters (Tensor or iterable): Whose gradients.
        max_norm (float): The greatest norm.
        norm_type (float, default 2.0): The exponent of the norm; inf for the largest magnitude.
        error_if_nonfinite (bool, default False): Whether a norm that is not finite is an error.

    Returns:
        Tensor: the norm before.

    Raises:
        RuntimeError: The norm is not finite and error_if_nonfinite is true.

    Examples:
        >>> x = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
        >>> (x * x).sum().backward()
        >>> paddle.nn.utils.clip_grad_norm_([x], 5.0).item()
        10.0
        >>> x.grad.tolist()
        [3.0000, 4.0000]
    """
    params = _with_grads(parameters)
    if norm_type not in (float("inf"), 0, 1, 2) and not isinstance(norm_type, (int, float)):
        raise ValueError(f"[clip_grad_norm_] expected norm_type to be a number, got {norm_type!r}")
    max_norm, norm_type = float(max_norm), float(norm_type)
    if not params:
        return paddle.to_tensor(0.0)
    with paddle.no_grad():
        grads = [_memory(p) for p in params]
        if norm_type == float("inf"):
            total = paddle.max(paddle.stack([paddle.max(paddle.abs(g)) for g in grads]))
        else:
            total = paddle.norm(
                paddle.stack([paddle.norm(_C_ops.reshape(g, [-1]), norm_type) for g in grads]),
                norm_type,
            )
        if error_if_nonfinite and not bool(paddle.isfinite(total)):
            raise RuntimeError(
                f"[clip_grad_norm_] expected a finite norm of order {norm_type}, got "
                f"{float(total)}: error_if_nonfinite=False scales all the same"
            )
        scale = paddle.clip(max_norm / (total + 1e-6), max=1.0)
        for g in grads:
            g.set_value(
                _C_ops.multiply(g, scale if scale.dtype == g.dtype else scale.astype(g.dtype))
            )
    return total


def clip_grad_value_(parameters, clip_value):
    """Clip every element of the gradients in place to [-clip_value, clip_value].

    Args:
        parameters (Tensor or iterable): Whose gradients.
        clip_value (float): The greatest magnitude.

    Returns:
        None.

    Examples:
        >>> x = paddle.to_tensor([3.0, 0.5], stop_gradient=False)
        >>> (x * x).sum().backward()
        >>> paddle.nn.utils.clip_grad_value_([x], 2.0)
        >>> x.grad.tolist()
        [2.0, 1.0]
    """
    if not isinstance(clip_value, (int, float)):
        raise TypeError(
            f"[clip_grad_value_] expected clip_value to be a number, got "
            f"{type(clip_value).__name__}"
        )
    clip_value = float(clip_value)
    with paddle.no_grad():
        for p in _with_grads(parameters):
            grad = _memory(p)
            grad.set_value(_C_ops.clip(grad, -clip_value, clip_value))
