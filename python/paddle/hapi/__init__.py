# SPDX-License-Identifier: Apache-2.0
"""High-level API: Model, summary, flops, callbacks, hub."""

from . import callbacks
from .dynamic_flops import flops
from .model import Model
from .model_summary import summary

__all__ = ['Model', 'callbacks', 'flops', 'summary']
