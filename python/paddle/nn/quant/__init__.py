# SPDX-License-Identifier: Apache-2.0
"""Layers of quantised models."""

from paddle import _lazy

from .functional_layers import (  # noqa: F401
    FloatFunctionalLayer,
    add,
    concat,
    divide,
    flatten,
    matmul,
    multiply,
    reshape,
    subtract,
    transpose,
)
from .stub import Stub

__all__ = ['Stub']

_lazy.install(globals(), 'paddle.nn.quant', {}, ('format', 'functional_layers', 'qat', 'stub'))
