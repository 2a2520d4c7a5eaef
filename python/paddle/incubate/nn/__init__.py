# SPDX-License-Identifier: Apache-2.0
"""Fused layers."""

from paddle import _lazy

from . import functional  # noqa: F401
from .layer import (
    FusedBiasDropoutResidualLayerNorm,
    FusedDropoutAdd,
    FusedFeedForward,
    FusedLinear,
    FusedMultiHeadAttention,
    FusedTransformerEncoderLayer,
)
from .multi_transformer import FusedMultiTransformer

__all__ = [
    'FusedMultiHeadAttention',
    'FusedFeedForward',
    'FusedMultiTransformer',
    'FusedTransformerEncoderLayer',
    'FusedLinear',
    'FusedBiasDropoutResidualLayerNorm',
    'FusedDropoutAdd',
]

_lazy.serve(globals())
