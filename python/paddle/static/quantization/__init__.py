# SPDX-License-Identifier: Apache-2.0
"""Numbers and tables of quantised programs."""

from paddle import _lazy

__all__ = ['PostTrainingQuantization', 'PostTrainingQuantizationProgram', 'WeightQuantization']

_lazy.install(
    globals(),
    'paddle.static.quantization',
    dict.fromkeys(__all__, '.post_training'),
    ('quant_config', 'utils'),
)
