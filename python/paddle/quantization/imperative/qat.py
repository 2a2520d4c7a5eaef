# SPDX-License-Identifier: Apache-2.0
"""Training of models with rounded weights and inputs, by layers that stand for theirs."""

import paddle
from paddle import nn
from paddle.nn.quant import quant_layers

from .ptq_registry import PTQRegistry

__all__ = ['ImperativeQuantAware']

_KINDS = {
    'Conv2D': (nn.Conv2D, quant_layers.QuantizedConv2D),
    'Linear': (nn.Linear, quant_layers.QuantizedLinear),
    'Conv2DTranspose': (nn.Conv2DTranspose, quant_layers.QuantizedConv2DTranspose),
}
# Layers of jobs, which stay as they are.
_OF_JOBS = ('ColumnParallelLinear', 'RowParallelLinear')
_LAYERS = [*_KINDS, *_OF_JOBS]


class ImperativeQuantAware:
    """Makes the layers of a model round their weights and inputs, so that training accounts for it.

    Args:
        quantizable_layer_type (list, default ['Conv2D', 'Linear', 'Conv2DTranspose',
            'ColumnParallelLinear', 'RowParallelLinear']): Which layers, by name or class; the last
            two stay as they are.
        weight_quantize_type (str, default 'abs_max'): "abs_max" or "channel_wise_abs_max".
        activation_quantize_type (str, default 'moving_average_abs_max'): Nothing else is served.
        weight_bits (int, default 8): Width of weights, 1 to 16.
        activation_bits (int, default 8): Width of inputs, 1 to 16.
        moving_rate (float, default 0.9): What remains of the average of inputs in a step.
        fuse_conv_bn (bool, default False): Nothing but False.
        weight_preprocess_layer (class, default None): A layer through which weights go first.
        act_preprocess_layer (class, default None): A layer through which inputs go first.
        weight_quantize_layer (class, default None): A layer that rounds weights instead.
        act_quantize_layer (class, default None): A layer that rounds inputs instead.
        onnx_format (bool, default False): Nothing but False.

    Raises:
        AssertionError: When an argument is another value.

    Examples:
        >>> model = paddle.nn.Sequential(paddle.nn.Linear(2, 2))
        >>> paddle.quantization.ImperativeQuantAware().quantize(model) is model
        True
        >>> type(model[0]._layer).__name__
        'QuantizedLinear'
    """

    def __init__(
        self,
        quantizable_layer_type=_LAYERS,
        weight_quantize_type='abs_max',
        activation_quantize_type='moving_average_abs_max',
        weight_bits=8,
        activation_bits=8,
        moving_rate=0.9,
        fuse_conv_bn=False,
        weight_preprocess_layer=None,
        act_preprocess_layer=None,
        weight_quantize_layer=None,
        act_quantize_layer=None,
        onnx_format=False,
    ):
        def require(what, holds, got):
            if not holds:
                raise AssertionError(f'[ImperativeQuantAware] expected {what}, got {got!r}')

        require(
            f'weight_quantize_type of {quant_layers._WEIGHT_TYPES}',
            weight_quantize_type in quant_layers._WEIGHT_TYPES,
            weight_quantize_type,
        )
        require(
            f'activation_quantize_type of {quant_layers._INPUT_TYPES}',
            activation_quantize_type in quant_layers._INPUT_TYPES,
            activation_quantize_type,
        )
        for bits in (weight_bits, activation_bits):
            require('bits of 1 to 16', isinstance(bits, int) and 0 < bits <= 16, bits)
        require('fuse_conv_bn=False', fuse_conv_bn is False, fuse_conv_bn)
        require('onnx_format=False', onnx_format is False, onnx_format)
        for layer in (
            weight_preprocess_layer,
            act_preprocess_layer,
            weight_quantize_layer,
            act_quantize_layer,
        ):
            require(
                'a class of layers',
                layer is None or isinstance(layer, type) and issubclass(layer, nn.Layer),
                layer,
            )
        classes = {kind: name for name, (kind, _) in _KINDS.items()}
        names = [classes.get(kind, kind) for kind in quantizable_layer_type]
        for name in names:
            require(f'layers of {_LAYERS}', name in _LAYERS, name)
        self._kinds = {_KINDS[name] for name in names if name in _KINDS}
        self._options = {
            'weight_bits': weight_bits,
            'activation_bits': activation_bits,
            'moving_rate': moving_rate,
            'weight_quantize_type': weight_quantize_type,
            'activation_quantize_type': activation_quantize_type,
            'weight_pre_layer': weight_preprocess_layer,
            'act_pre_layer': act_preprocess_layer,
            'weight_quant_layer': weight_quantize_layer,
            'act_quant_layer': act_quantize_layer,
        }

    def quantize(self, model):
        """The model itself, with its layers replaced and observed.

        Args:
            model (Layer): The model, changed in place; a layer with `skip_quant` stays.

        Returns:
            Layer: the model.

        Raises:
            AssertionError: When `model` is no Layer.
        """
        if not isinstance(model, nn.Layer):
            raise AssertionError(
                f'[ImperativeQuantAware] expected a paddle.nn.Layer, got {type(model).__name__}'
            )
        rate = self._options['moving_rate']
        for parent in model.sublayers(include_self=True):
            for name, child in list(parent._sub_layers.items()):
                made = None
                for kind, proxy in self._kinds:
                    if type(child) is kind and not getattr(child, 'skip_quant', False):
                        made = proxy(child, **self._options)
                if made is not None or PTQRegistry.is_supported_layer(child):
                    parent._sub_layers[name] = quant_layers.MAOutputScaleLayer(
                        made or child, rate, child.full_name()
                    )
        return model

    def save_quantized_model(self, layer, path, input_spec=None, **config):
        """Save a model that `quantize` changed, as `paddle.jit.save` does.

        Args:
            layer (Layer): The model.
            path (str): Prefix of the files.
            input_spec (list, default None): Its inputs, as for `paddle.jit.save`.
            **config (object): Options of `paddle.jit.save`.
        """
        if not isinstance(layer, nn.Layer):
            raise AssertionError(
                f'[ImperativeQuantAware] expected a paddle.nn.Layer, got {type(layer).__name__}'
            )
        training = layer.training
        layer.eval()
        try:
            paddle.jit.save(layer, path, input_spec, **config)
        finally:
            layer.train() if training else None
