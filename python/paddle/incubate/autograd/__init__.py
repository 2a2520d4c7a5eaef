# SPDX-License-Identifier: Apache-2.0
"""Functional differentiation: products with Jacobians, whole Jacobians and Hessians, forward
mode.
"""

from paddle import _lazy

from .functional import Hessian, Jacobian, jvp, vjp
from .primapi import disable_prim, enable_prim, forward_grad, grad, prim_enabled  # noqa: F401

__all__ = [
    'vjp',
    'jvp',
    'Jacobian',
    'Hessian',
    'enable_prim',
    'disable_prim',
    'forward_grad',
    'grad',
]

_lazy.serve(globals())
