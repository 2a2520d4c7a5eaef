# SPDX-License-Identifier: Apache-2.0
"""Numbers and tables of quantised programs."""

from paddle import _lazy

_POST_TRAINING = (
    'PostTrainingQuantization',
    'PostTrainingQuantizationProgram',
    'WeightQuantization',
)
_TRAINING = (
    'AddQuantDequantPass',
    'AddQuantDequantPassV2',
    'OutScaleForTrainingPass',
    'QuantizationTransformPass',
    'QuantizationTransformPassV2',
)
_EVALUATION = (
    'AddQuantDequantForInferencePass',
    'ConvertToInt8Pass',
    'OutScaleForInferencePass',
    'QuantWeightPass',
    'QuantizationFreezePass',
)
__all__ = [*_POST_TRAINING, *_TRAINING, *_EVALUATION]

_lazy.install(
    globals(),
    'paddle.static.quantization',
    {
        **dict.fromkeys(_POST_TRAINING, '.post_training'),
        **dict.fromkeys(_TRAINING, '.quantization_pass'),
        **dict.fromkeys(_EVALUATION, '.freeze_pass'),
    },
    ('quant_config', 'utils'),
)
