# SPDX-License-Identifier: Apache-2.0
"""Gradient clipping that optimizers apply before an update: by value, by norm, by global norm."""

import paddle
from paddle import _lazy
from paddle import _C_ops
from paddle.base.framework import dtype_name
from paddle.base.known_keywords import KnownKeywords

__all__ = ["ClipGradByValue", "ClipGradByNorm", "ClipGradByGlobalNorm"]


def _squares(grad):
    """The sum of squares of a gradient whose rows are there once."""
    parts = grad._rows_parts()
    return _C_ops.squared_l2_norm(grad if parts is None else parts[1])


class ClipGradBase(KnownKeywords):
    """Calling it with [(parameter, gradient), ...] gives the list with clipped gradients."""

    def __str__(self):
        raise NotImplementedError

    def _dygraph_clip(self, params_grads):
        return [
            (p, g if g is None or not getattr(p, "need_clip", True) else self._clip_one(g))
            for p, g in params_grads
        ]

    def _clip_one(self, grad):
        raise NotImplementedError

    @staticmethod
    def _whole(params_grads):
        """The pairs with each row of a gradient that is SelectedRows once: what a norm is of."""
        return [
            (p, g if g is None or g._rows_parts() is None else g._merged_rows())
            for p, g in params_grads
        ]

    def __call__(self, params_grads):
        with paddle.no_grad():
            return self._dygraph_clip(self._whole(params_grads))


class ClipGradByValue(ClipGradBase):
    """Clip every element to [min, max]; min is -max by default.

    Args:
        max (float): The upper bound.
        min (float, default None): The lower bound; None for -max.

    Examples:
        >>> w = paddle.create_parameter([2], 'float32')
        >>> g = paddle.to_tensor([3.0, 4.0])
        >>> clip = paddle.nn.ClipGradByValue(3.5)
        >>> clip([(w, g)])[0][1].tolist()
        [3.0, 3.5]
    """

    def __init__(self, max, min=None):
        if min is None:
            if max <= 0.0:
                raise AssertionError(
                    f"[ClipGradByValue] expected max > 0 when min is not given, got {max}"
                )
            min = -max
        self.max = float(max)
        self.min = float(min)

    def __str__(self):
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"

    def _clip_one(self, grad):
        return _C_ops.clip(grad, self.min, self.max)


class ClipGradByNorm(ClipGradBase):
    """Scale each gradient whose 2-norm is above clip_norm down to it.

    Args:
        clip_norm (float): The norm that no gradient exceeds.

    Examples:
        >>> w = paddle.create_parameter([2], 'float32')
        >>> g = paddle.to_tensor([3.0, 4.0])
        >>> clip = paddle.nn.ClipGradByNorm(1.0)
        >>> clip([(w, g)])[0][1].tolist()
        [0.6, 0.8]
    """

    def __init__(self, clip_norm):
        self.clip_norm = float(clip_norm)

    def __str__(self):
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"

    def _clip_one(self, grad):
        if grad._rows_parts() is None:
            return _C_ops.clip_by_norm(grad, self.clip_norm)
        norm = _C_ops.sqrt(_squares(grad))
        limit = _C_ops.full_like(norm, self.clip_norm)
        return _C_ops.multiply(grad, _C_ops.divide(limit, _C_ops.maximum(norm, limit)))


def _scaled(g, factor):
    """The gradient times `factor`, in its own memory where it has no history: as in PaddlePaddle
    `p.grad` shows what the optimizer used.
    """
    if paddle.in_dynamic_mode() and g.is_leaf and g.is_dense() and not g.is_dist():
        return _C_ops.multiply_(g, factor)
    return _C_ops.multiply(g, factor)


class ClipGradByGlobalNorm(ClipGradBase):
    """Scale all gradients by clip_norm / max(global 2-norm, clip_norm). Gradients of dynamic mode
    are written in place.

    Args:
        clip_norm (float): The norm of all gradients together that is not exceeded.
        group_name (str, default 'default_group'): Taken for compatibility.
        auto_skip_clip (bool, default False): Whether nothing is multiplied where the norm is
            small enough.

    Examples:
        >>> w = paddle.create_parameter([2], 'float32')
        >>> g = paddle.to_tensor([3.0, 4.0])
        >>> clip = paddle.nn.ClipGradByGlobalNorm(1.0)
        >>> clip([(w, g)])[0][1].tolist()
        [0.6, 0.8]
    """

    def __init__(self, clip_norm, group_name="default_group", auto_skip_clip=False):
        self.clip_norm = float(clip_norm)
        self.group_name = group_name
        if not isinstance(auto_skip_clip, bool):
            raise AssertionError(
                f"[ClipGradByGlobalNorm] expected auto_skip_clip to be a bool, got {auto_skip_clip}"
            )
        self.auto_skip_clip = auto_skip_clip

    def __str__(self):
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"

    def _dygraph_clip(self, params_grads):
        squares = {"half": [], "float32": [], "float64": []}
        for p, g in params_grads:
            if g is None or not getattr(p, "need_clip", True):
                continue
            dtype = dtype_name(g.dtype)
            if dtype in ("float16", "bfloat16"):
                squares["half"].append(_squares(g.astype("float32")))
            else:
                squares["float64" if dtype == "float64" else "float32"].append(_squares(g))
        wide = "float64" if squares["float64"] else "float32"
        parts = [s.astype(wide) for group in squares.values() for s in group]
        if not parts:
            return params_grads
        if any(part.is_dist() for part in parts):
            from paddle.distributed.auto_parallel.meshes import joined

            total = joined(parts, _C_ops.add)
        else:
            total = parts[0]
            for part in parts[1:]:
                total = _C_ops.add(total, part)
        total = _C_ops.sqrt(_C_ops.reshape(total, [1]))
        limit = _C_ops.full([1], self.clip_norm, total.dtype)
        if self.auto_skip_clip and float(total) <= self.clip_norm:
            return params_grads
        scale = _C_ops.divide(limit, _C_ops.maximum(total, limit))
        out = []
        for p, g in params_grads:
            if g is not None and getattr(p, "need_clip", True):
                factor = scale if g.dtype == scale.dtype else scale.astype(g.dtype)
                g = _scaled(g, factor)
            out.append((p, g))
        return out


GradientClipBase = ClipGradBase
GradientClipByValue = ClipGradByValue
GradientClipByNorm = ClipGradByNorm
GradientClipByGlobalNorm = ClipGradByGlobalNorm


_lazy.serve(globals())
