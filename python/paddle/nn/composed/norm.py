# SPDX-License-Identifier: Apache-2.0
"""Norms and normalisations from sums and square roots."""
import math

import paddle
from .._core import ops as _C_ops


def p_norm(x, porder=2.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False):
    if asvector:
        x, axis = paddle.reshape(x, [-1]), 0
    if not -max(x.ndim, 1) <= axis < max(x.ndim, 1):
        raise ValueError(f"[p_norm] expected axis in [-{x.ndim}, {x.ndim}), got {axis}")
    if porder == 0:
        return paddle.sum(paddle.cast(x != 0, x.dtype), axis=axis, keepdim=keepdim)
    if porder == math.inf:
        return paddle.max(paddle.abs(x), axis=axis, keepdim=keepdim)
    if porder == -math.inf:
        return paddle.min(paddle.abs(x), axis=axis, keepdim=keepdim)
    if porder == 1:
        return paddle.sum(paddle.abs(x), axis=axis, keepdim=keepdim)
    total = paddle.sum(x * x if porder == 2 else paddle.pow(paddle.abs(x), porder), axis=axis, keepdim=keepdim)
    zero = total == 0
    safe = paddle.where(zero, paddle.ones_like(total), total)
    root = paddle.sqrt(safe) if porder == 2 else paddle.pow(safe, 1.0 / porder)
    return paddle.where(zero, paddle.zeros_like(root), root)


def squared_l2_norm(x):
    return paddle.reshape(paddle.sum(x * x), [1])


def clip_by_norm(x, max_norm):
    norm = paddle.sqrt(paddle.sum(x * x))
    limit = paddle.full_like(norm, max_norm)
    return x * (limit / paddle.maximum(norm, limit))


def _normalize(x, axes, epsilon):
    mean = paddle.mean(x, axis=axes, keepdim=True)
    centred = x - mean
    variance = paddle.mean(centred * centred, axis=axes, keepdim=True)
    return centred * _C_ops.rsqrt(variance + epsilon)


def _affine(x, scale, bias, shape):
    if scale is not None:
        x = x * paddle.reshape(scale, shape)
    return x if bias is None else x + paddle.reshape(bias, shape)


def _wide(x):
    name = str(x.dtype).rsplit(".", 1)[-1]
    return paddle.cast(x, "float32") if name in ("float16", "bfloat16") else x


def group_norm(x, scale=None, bias=None, epsilon=1e-5, groups=-1, data_format="NCHW"):
    shape = list(x.shape)
    axis = len(shape) - 1 if data_format[-1] == "C" else 1
    if groups <= 0 or shape[axis] % groups:
        raise ValueError(f"[group_norm] expected groups that divide the {shape[axis]} channels, got {groups}")
    split = shape[:axis] + [groups, shape[axis] // groups] + shape[axis + 1:]
    axes = [i for i in range(1, len(split)) if i != axis]
    out = paddle.reshape(_normalize(paddle.reshape(_wide(x), split), axes, epsilon), shape)
    each = [1] * len(shape)
    each[axis] = -1
    return paddle.cast(_affine(out, scale, bias, each), x.dtype)


def instance_norm(x, scale=None, bias=None, epsilon=1e-5):
    out = _normalize(_wide(x), list(range(2, x.ndim)), epsilon) if x.ndim > 2 else _wide(x) * 0.0
    return paddle.cast(_affine(out, scale, bias, [1, -1] + [1] * (x.ndim - 2)), x.dtype)


def rms_norm(x, scale=None, normalized_shape=(), epsilon=1e-5):
    wide = _wide(x)
    axes = list(range(x.ndim - len(normalized_shape), x.ndim))
    out = wide * _C_ops.rsqrt(paddle.mean(wide * wide, axis=axes, keepdim=True) + epsilon)
    if scale is not None:
        out = out * paddle.reshape(scale, list(normalized_shape))
    return paddle.cast(out, x.dtype)


def spectral_norm(weight, u, v, dim=0, power_iters=1, eps=1e-12):
    order = [dim, *(d for d in range(weight.ndim) if d != dim)]
    matrix = paddle.reshape(paddle.transpose(weight, order), [weight.shape[dim], -1])
    with paddle.no_grad():
        plain, row, column = matrix.detach(), paddle.reshape(u, [-1, 1]), paddle.reshape(v, [-1, 1])
        for _ in range(power_iters):
            column = paddle.matmul(plain, row, transpose_x=True)
            column = column / (paddle.sqrt(paddle.sum(column * column)) + eps)
            row = paddle.matmul(plain, column)
            row = row / (paddle.sqrt(paddle.sum(row * row)) + eps)
    sigma = paddle.sum(row * paddle.matmul(matrix, column))
    return weight / sigma
