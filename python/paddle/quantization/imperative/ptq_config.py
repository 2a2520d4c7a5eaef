# SPDX-License-Identifier: Apache-2.0
"""Which quantizers the layers of a model get."""

import copy

from .ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)

__all__ = ['PTQConfig', 'default_ptq_config']


def _one_of(name, value, kinds):
    if not isinstance(value, tuple(kinds)):
        raise AssertionError(
            f'[PTQConfig] expected {name} to be one of {[k.__name__ for k in kinds]}, got '
            f'{type(value).__name__}'
        )
    return value


class PTQConfig:
    """The quantizers of inputs and outputs, and of weights."""

    def __init__(self, activation_quantizer, weight_quantizer):
        activation = _one_of('activation_quantizer', activation_quantizer, SUPPORT_ACT_QUANTIZERS)
        self.in_act_quantizer = copy.deepcopy(activation)
        self.out_act_quantizer = copy.deepcopy(activation)
        self.wt_quantizer = copy.deepcopy(
            _one_of('weight_quantizer', weight_quantizer, SUPPORT_WT_QUANTIZERS)
        )
        self.quant_hook_handle = None
        self.enable_in_act_quantizer = False


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())
