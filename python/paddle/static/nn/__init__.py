# SPDX-License-Identifier: Apache-2.0
"""Layers as functions, and branches and loops in programs."""
from paddle.static.nn.common import conv2d, embedding, fc, layer_norm
from paddle.static.nn.control_flow import case, cond, switch_case, while_loop

__all__ = ['fc', 'embedding', 'conv2d', 'layer_norm', 'case', 'cond', 'switch_case', 'while_loop']
