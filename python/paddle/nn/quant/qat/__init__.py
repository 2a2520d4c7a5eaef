# SPDX-License-Identifier: Apache-2.0
"""Layers that train with rounded weights and inputs."""

from .conv import QuantedConv2D
from .linear import QuantedLinear

__all__ = ['QuantedConv2D', 'QuantedLinear']
