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
from .quantized_linear import (
    apply_per_channel_scale,  # noqa: F401
    llm_int8_linear,
    weight_dequantize,
    weight_only_linear,
    weight_quantize,
)
from .stub import Stub

__all__ = ['Stub', 'llm_int8_linear', 'weight_dequantize', 'weight_only_linear', 'weight_quantize']

_lazy.install(
    globals(),
    'paddle.nn.quant',
    {},
    ('format', 'functional_layers', 'qat', 'quantized_linear', 'stub'),
)
