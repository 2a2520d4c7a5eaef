# SPDX-License-Identifier: Apache-2.0
"""Quantisation of models: training with rounded weights and activations (`QAT`), and observing what
a trained model computes (`PTQ`); `convert` then makes the model that is exported.
"""

from paddle import _lazy

_WHERE = _lazy.homes(
    {
        'paddle.quantization.base_observer': 'BaseObserver',
        'paddle.quantization.base_quanter': 'BaseQuanter',
        'paddle.quantization.config': 'QuantConfig',
        'paddle.quantization.factory': 'quanter',
        'paddle.quantization.imperative': 'AbsmaxQuantizer BaseQuantizer HistQuantizer '
        'ImperativePTQ ImperativeQuantAware KLQuantizer PTQConfig PTQRegistry '
        'PerChannelAbsmaxQuantizer '
        'SUPPORT_ACT_QUANTIZERS SUPPORT_WT_QUANTIZERS default_ptq_config',
        'paddle.quantization.quantize': 'PTQ QAT',
    }
)
__all__ = ['PTQ', 'QAT', 'BaseObserver', 'BaseQuanter', 'QuantConfig', 'quanter']

_lazy.install(
    globals(),
    'paddle.quantization',
    _WHERE,
    (
        *('base_observer', 'base_quanter', 'config', 'factory', 'imperative', 'observers'),
        *('quanters', 'quantize', 'wrapper'),
    ),
)
