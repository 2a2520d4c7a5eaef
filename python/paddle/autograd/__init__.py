# SPDX-License-Identifier: Apache-2.0
"""Automatic differentiation: backward, custom functions, Jacobians and Hessians."""

from paddle import _lazy
from paddle.base.dygraph.base import (  # noqa: F401
    enable_grad,
    grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)

from .backward_mode import backward
from .jacobian import hessian, jacobian
from .py_layer import Function, PyLayer, PyLayerContext
from .saved_tensors_hooks import saved_tensors_hooks

__all__ = [
    'jacobian',
    'hessian',
    'backward',
    'PyLayer',
    'PyLayerContext',
    'saved_tensors_hooks',
    'Function',
]

_lazy.serve(globals())
