# SPDX-License-Identifier: Apache-2.0
"""Default initializers under their older home."""

from paddle.nn.initializer.initializer import _global, set_global_initializer

__all__ = ['set_global_initializer']


def _global_weight_initializer():
    return _global['weight']


def _global_bias_initializer():
    return _global['bias']
