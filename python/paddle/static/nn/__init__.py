# SPDX-License-Identifier: Apache-2.0
"""Layers as functions, and branches and loops in programs."""

from paddle import _lazy
from paddle.static.callbacks import py_func, static_pylayer
from paddle.static.nn.common import (
    bilinear_tensor_product,
    embedding,
    fc,
    nce,
    prelu,
    row_conv,
    sparse_embedding,
)
from paddle.static.nn.control_flow import case, cond, switch_case, while_loop
from paddle.static.nn.conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose, deform_conv2d
from paddle.static.nn.norm import batch_norm, group_norm, instance_norm, layer_norm, spectral_norm
from paddle.static.nn.sequence_lod import (
    sequence_conv,
    sequence_expand,
    sequence_first_step,
    sequence_last_step,
    sequence_pool,
    sequence_softmax,
)

__all__ = [
    'batch_norm',
    'bilinear_tensor_product',
    'case',
    'cond',
    'conv2d',
    'conv2d_transpose',
    'conv3d',
    'conv3d_transpose',
    'deform_conv2d',
    'embedding',
    'fc',
    'group_norm',
    'instance_norm',
    'layer_norm',
    'nce',
    'prelu',
    'py_func',
    'row_conv',
    'sequence_conv',
    'sequence_expand',
    'sequence_first_step',
    'sequence_last_step',
    'sequence_pool',
    'sequence_softmax',
    'sparse_embedding',
    'spectral_norm',
    'static_pylayer',
    'switch_case',
    'while_loop',
]

_lazy.serve(globals())
