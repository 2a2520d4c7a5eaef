# SPDX-License-Identifier: Apache-2.0
"""`ImperativePTQ`: a model that is observed, and the quantised model that is saved."""

import copy

import numpy as np

import paddle
from paddle import nn
from paddle.nn.quant.format import LinearDequanter, LinearQuanter, LinearQuanterDequanter, rounded

from .ptq_config import PTQConfig, default_ptq_config
from .ptq_registry import PTQRegistry, channel_axis

__all__ = ['ImperativePTQ']


def _observe(layer, inputs, outputs):
    config = layer._quant_config
    if config is None:
        return
    inputs, outputs = (v if isinstance(v, (list, tuple)) else (v,) for v in (inputs, outputs))
    with paddle.no_grad():
        if config.enable_in_act_quantizer:
            config.in_act_quantizer.sample_data(layer, inputs)
        config.out_act_quantizer.sample_data(layer, outputs)


class _Simulated(nn.Layer):
    """A layer with a rounded weight, whose input is rounded too."""

    def __init__(self, layer, threshold, bits):
        super().__init__()
        self.layer = layer
        scale = paddle.to_tensor(max(threshold, 1e-30), 'float32')
        self.quanter = LinearQuanterDequanter(
            LinearQuanter(scale, bit_length=bits), LinearDequanter(scale, bit_length=bits)
        )

    def forward(self, x):
        return self.layer(self.quanter(x))


def _round_weight(layer, config):
    quantizer = config.wt_quantizer
    with paddle.no_grad():
        quantizer.sample_data(layer, (layer.weight,))
        quantizer.cal_thresholds()
        scale = paddle.to_tensor(quantizer.thresholds[0], 'float32')
        if scale.ndim:
            shape = [1] * layer.weight.ndim
            shape[channel_axis(layer)] = -1
            scale = scale.reshape(shape)
        layer.weight.set_value(rounded(layer.weight.detach(), scale, quantizer.quant_bits))


def _fused(model, fuse_list):
    """The model with batch norms in the weights of the layers before them; in place."""
    for names in fuse_list:
        if len(names) != 2:
            raise ValueError(f'[ImperativePTQ] expected pairs of layers to fuse, got {names}')
        parents = []
        for name in names:
            *path, last = name.split('.')
            parent = model
            for part in path:
                parent = getattr(parent, part)
            parents.append((parent, last))
        first, norm = (getattr(parent, last) for parent, last in parents)
        if not isinstance(first, (nn.Conv2D, nn.Linear)) or not isinstance(
            norm, (nn.BatchNorm1D, nn.BatchNorm2D)
        ):
            raise NotImplementedError(
                '[ImperativePTQ] expected a Conv2D or Linear and a batch norm to fuse, got '
                f'{type(first).__name__} and {type(norm).__name__}'
            )
        with paddle.no_grad():
            factor = norm.weight * paddle.rsqrt(norm._variance + norm._epsilon)
            shape = [1] * first.weight.ndim
            shape[channel_axis(first)] = -1
            bias = paddle.zeros_like(norm._mean) if first.bias is None else first.bias
            shift = norm.bias + (bias - norm._mean) * factor
            first.weight.set_value(first.weight * factor.reshape(shape))
            if first.bias is None:
                first.bias = first.create_parameter(shift.shape, dtype=shift.dtype, is_bias=True)
            first.bias.set_value(shift)
        setattr(*parents[1], nn.Identity())
    return model


class ImperativePTQ:
    """Scales for a trained model from what it computes for some inputs."""

    def __init__(self, quant_config=default_ptq_config):
        if not isinstance(quant_config, PTQConfig):
            raise AssertionError(
                f'[ImperativePTQ] expected a PTQConfig, got {type(quant_config).__name__}'
            )
        self._quant_config = quant_config

    def quantize(self, model, inplace=False, fuse=False, fuse_list=None):
        """The model with observed layers, to be called with the inputs.

        With `fuse`, pairs of `fuse_list` (names of a Conv2D or Linear and of the batch norm behind
        it) become one layer.
        """
        if not isinstance(model, nn.Layer):
            raise AssertionError(
                f'[ImperativePTQ] expected a paddle.nn.Layer, got {type(model).__name__}'
            )
        model = model if inplace else copy.deepcopy(model)
        if fuse:
            model.eval()
            _fused(model, fuse_list or [])
        for layer in model.sublayers():
            if not PTQRegistry.is_supported_layer(layer):
                continue
            config = copy.deepcopy(self._quant_config)
            config.enable_in_act_quantizer = PTQRegistry.is_simulated_quant_layer(layer)
            config.quant_hook_handle = layer.register_forward_post_hook(_observe)
            layer._quant_config = config
        return model

    def save_quantized_model(self, model, path, input_spec=None, **config):
        """Save, as `paddle.jit.save` does, the model with rounded weights and inputs of its
        products. RuntimeError where a layer was never called.
        """
        if not isinstance(model, nn.Layer):
            raise AssertionError(
                f'[ImperativePTQ] expected a paddle.nn.Layer, got {type(model).__name__}'
            )
        converted = copy.deepcopy(model)
        converted.eval()
        self._convert(converted)
        paddle.jit.save(converted, path, input_spec, **config)

    def _convert(self, model):
        for name, child in list(model.named_children()):
            config = getattr(child, '_quant_config', None)
            if config is None:
                self._convert(child)
                continue
            child._quant_config = None
            if not config.enable_in_act_quantizer:
                continue
            quantizer = config.in_act_quantizer
            if not quantizer.abs_max_vals:
                raise RuntimeError(
                    f'[ImperativePTQ] expected the model to have been called, got none of {name}'
                )
            quantizer.cal_thresholds()
            _round_weight(child, config)
            model._sub_layers[name] = _Simulated(
                child, float(np.max(quantizer.thresholds[0])), quantizer.quant_bits
            )
