# SPDX-License-Identifier: Apache-2.0
"""The methods of a Layer that move or cast its parameters and buffers in place."""

from paddle.base import framework
from paddle.base.framework import Tensor, dtype_name

from . import state


class ConvertMixin:
    """`to`, `astype` and their short forms; for classes with `sublayers`, `_parameters` and
    `_buffers`.
    """

    def _convert(
        self, device, dtype, blocking=None, include_sublayers=True, floating_only=True, excluded=()
    ):
        layers = self.sublayers(include_self=True) if include_sublayers else [self]
        seen = set()
        for layer in layers:
            if excluded and isinstance(layer, excluded):
                continue
            for table in (layer._parameters, layer._buffers):
                for tensor in table.values():
                    if tensor is not None and id(tensor) not in seen:
                        seen.add(id(tensor))
                        state.convert_tensor(tensor, device, dtype, blocking, floating_only)
            if dtype is not None:
                layer._dtype = dtype
        return self

    def to(self, device=None, dtype=None, blocking=None, non_blocking=None):
        """Move and/or cast all parameters and buffers in place; `device` may also be a dtype or a
        Tensor to follow.
        """
        if isinstance(device, Tensor):
            device, dtype = device.place, device.dtype
        elif device is not None and dtype is None:
            try:
                dtype, device = framework.to_dtype(device), None
            except TypeError:
                pass
        if blocking is None and non_blocking is not None:
            blocking = not non_blocking
        dtype = None if dtype is None else framework.to_dtype(dtype)
        return self._convert(state.parse_device(device), dtype, blocking)

    def _cast(self, dtype, excluded_layers=None):
        if excluded_layers is None:
            from .norm import _BatchNormBase, BatchNorm

            excluded = (_BatchNormBase, BatchNorm) if dtype_name(dtype) == "float16" else ()
        elif isinstance(excluded_layers, type):
            excluded = (excluded_layers,)
        elif isinstance(excluded_layers, (list, tuple)):
            excluded = tuple(excluded_layers)
        else:
            raise TypeError(
                f"[{type(self).__name__}] expected excluded_layers to be layers or classes of "
                f"layers, got {type(excluded_layers).__name__}"
            )
        return self._convert(None, framework.to_dtype(dtype), excluded=excluded)

    def astype(self, dtype=None):
        """Cast all floating point parameters and buffers to `dtype`."""
        return self if dtype is None else self._convert(None, framework.to_dtype(dtype))

    def type(self, dst_type):
        """Cast all parameters and buffers to `dst_type`."""
        return self._convert(None, framework.to_dtype(dst_type), floating_only=False)

    def float(self, excluded_layers=None):
        """Cast floating point parameters and buffers to float32."""
        return self._cast("float32", excluded_layers)

    def float16(self, excluded_layers=None):
        """Cast floating point parameters and buffers to float16, batch norms excepted."""
        return self._cast("float16", excluded_layers)

    def half(self):
        """Cast floating point parameters and buffers to float16."""
        return self._convert(None, framework.to_dtype("float16"))

    def bfloat16(self, excluded_layers=None):
        """Cast floating point parameters and buffers to bfloat16."""
        return self._cast("bfloat16", excluded_layers)

    def double(self):
        """Cast floating point parameters and buffers to float64."""
        return self._convert(None, framework.to_dtype("float64"))

    def cpu(self):
        """Move parameters and buffers to host memory."""
        return self.to("cpu")

    def cuda(self, device=None):
        """Move parameters and buffers to a GPU."""
        return self.to("gpu" if device is None else device)

    def xpu(self, device=None):
        """Move parameters and buffers to an XPU."""
        return self.to("xpu" if device is None else device)
