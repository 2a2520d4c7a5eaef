# SPDX-License-Identifier: Apache-2.0
"""Layers whose inputs and weights are rounded while they train, and layers that observe."""

import paddle
import paddle.nn.functional as F
from paddle import _fake_quant, nn
from paddle.base import unique_name
from paddle.nn import initializer

__all__ = [
    'FakeQuantAbsMax',
    'FakeQuantChannelWiseAbsMax',
    'FakeQuantMovingAverageAbsMax',
    'MAOutputScaleLayer',
    'MovingAverageAbsMaxScale',
    'QuantStub',
    'QuantizedConv2D',
    'QuantizedConv2DTranspose',
    'QuantizedLinear',
]


def _over_job(op, reduce_type):
    """Whether scales are the largest of all processes of the job."""
    if reduce_type not in (None, 'max'):
        raise ValueError(f"[{op}] expected reduce_type 'max' or None, got {reduce_type!r}")
    return reduce_type == 'max' and paddle.distributed.get_world_size() > 1


class _Scaled(nn.Layer):
    """Numbers that are kept over steps, as parameters that nothing trains."""

    def _kept(self, name, what, shape, value, dtype):
        name = f'{name}.{what}' if name else f'quant_dequant.{what}'
        parameter = self.create_parameter(
            shape,
            paddle.ParamAttr(
                name=unique_name.generate(name),
                initializer=initializer.Constant(value),
                trainable=False,
            ),
            dtype,
        )
        parameter.stop_gradient = True
        return parameter

    def _set(self, **values):
        with paddle.no_grad():
            for name, value in values.items():
                paddle.assign(value.reshape(getattr(self, name).shape), getattr(self, name))


class FakeQuantAbsMax(_Scaled):
    """The input as integers stand for it, by its largest magnitude.

    Args:
        name (str, default None): Prefix of the scale's name.
        quant_bits (int, default 8): Width of the integers.
        dtype (str, default 'float32'): Of the scale.
        quant_on_weight (bool, default False): The input is a weight, whose scale is kept.
        reduce_type (str, default None): "max": the largest magnitude over all processes.

    Examples:
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantAbsMax(quant_bits=3)
        >>> layer(paddle.to_tensor([3.0, 1.4])).tolist()
        [3.0, 1.0]
    """

    def __init__(
        self, name=None, quant_bits=8, dtype='float32', quant_on_weight=False, reduce_type=None
    ):
        super().__init__()
        self._quant_bits = quant_bits
        self._all = _over_job('FakeQuantAbsMax', reduce_type)
        self._scale = self._kept(name, 'scale', [1], 0.0, dtype) if quant_on_weight else None

    def forward(self, input):
        if self._all:
            scale = input.detach().abs().max().reshape([1])
            paddle.distributed.all_reduce(scale, paddle.distributed.ReduceOp.MAX)
            out = _fake_quant._round(input, scale, self._quant_bits, 1)
        else:
            out, scale = _fake_quant.fake_quantize_dequantize_abs_max(input, self._quant_bits)
        if self._scale is not None and self.training:
            self._set(_scale=scale)
        return out


class FakeQuantChannelWiseAbsMax(_Scaled):
    """The input as integers stand for it, by the largest magnitude of each channel.

    Args:
        name (str, default None): Prefix of the scale's name.
        channel_num (int, default None): How many channels there are; None without a kept scale.
        quant_bits (int, default 8): Width of the integers.
        quant_axis (int, default 0): The axis of the channels.
        dtype (str, default 'float32'): Of the scale.
        quant_on_weight (bool, default False): The input is a weight: nothing else is served.
        reduce_type (str, default None): Nothing but None or "max", as weights are equal on all
            processes.

    Examples:
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantChannelWiseAbsMax(
        ...     channel_num=2, quant_bits=3, quant_on_weight=True
        ... )
        >>> layer(paddle.to_tensor([[3.0, 1.4], [6.0, 1.4]])).tolist()
        [[3.0, 1.0], [6.0, 2.0]]
    """

    def __init__(
        self,
        name=None,
        channel_num=None,
        quant_bits=8,
        quant_axis=0,
        dtype='float32',
        quant_on_weight=False,
        reduce_type=None,
    ):
        super().__init__()
        if quant_on_weight is not True:
            raise AssertionError(
                '[FakeQuantChannelWiseAbsMax] expected quant_on_weight=True, got '
                f'{quant_on_weight!r}'
            )
        _over_job('FakeQuantChannelWiseAbsMax', reduce_type)
        self._quant_bits, self._quant_axis = quant_bits, quant_axis
        self._scale = None
        if channel_num is not None:
            self._scale = self._kept(name, 'scale', [channel_num], 0.0, dtype)

    def forward(self, input):
        out, scale = _fake_quant.fake_channel_wise_quantize_dequantize_abs_max(
            input, self._quant_bits, 1, self._quant_axis
        )
        if self._scale is not None and self.training:
            self._set(_scale=scale)
        return out


class MovingAverageAbsMaxScale(_Scaled):
    """The input as it is; the moving average of its largest magnitude is kept as `_scale`.

    Args:
        name (str, default None): Prefix of the states' names.
        moving_rate (float, default 0.9): What remains of the average in a step.
        dtype (str, default 'float32'): Of the states.
        reduce_type (str, default None): "max": the largest magnitude over all processes.

    Examples:
        >>> layer = paddle.nn.quant.quant_layers.MovingAverageAbsMaxScale()
        >>> _ = layer(paddle.to_tensor([1.0, -3.0]))
        >>> round(layer._scale.item(), 4)
        2.0526
    """

    _first = 1.0  # of state and sum

    def __init__(self, name=None, moving_rate=0.9, dtype='float32', reduce_type=None):
        super().__init__()
        self._moving_rate = moving_rate
        self._all = _over_job(type(self).__name__, reduce_type)
        self._scale = self._kept(name, 'scale', [1], self._least, dtype)
        self._state = self._kept(name, 'state', [1], self._first, dtype)
        self._accum = self._kept(name, 'accum', [1], self._first, dtype)

    _least = 0.0

    def _observe(self, input):
        """Take the input into the average, in training."""
        if not self.training:
            return
        largest = input.detach().abs().max().reshape([1]).astype(self._scale.dtype)
        if self._all:
            paddle.distributed.all_reduce(largest, paddle.distributed.ReduceOp.MAX)
        with paddle.no_grad():
            state = self._state * self._moving_rate + 1
            accum = self._accum * self._moving_rate + largest
            self._set(_state=state, _accum=accum, _scale=accum / state)

    def forward(self, input):
        self._observe(input)
        return input


class FakeQuantMovingAverageAbsMax(MovingAverageAbsMaxScale):
    """The input as integers stand for it, by a moving average of its largest magnitude.

    Args:
        name (str, default None): Prefix of the states' names.
        moving_rate (float, default 0.9): What remains of the average in a step.
        quant_bits (int, default 8): Width of the integers.
        dtype (str, default 'float32'): Of the states.
        reduce_type (str, default None): "max": the largest magnitude over all processes.

    Examples:
        >>> layer = paddle.nn.quant.quant_layers.FakeQuantMovingAverageAbsMax(quant_bits=3)
        >>> [round(v, 4) for v in layer(paddle.to_tensor([3.0, 0.6])).tolist()]
        [2.0526, 0.6842]
    """

    _least = 0.001

    def __init__(self, name=None, moving_rate=0.9, quant_bits=8, dtype='float32', reduce_type=None):
        super().__init__(name, moving_rate, dtype, reduce_type)
        self._quant_bits = quant_bits

    def forward(self, input):
        self._observe(input)
        scale = self._scale.detach().clone().astype(input.dtype)
        return _fake_quant._round(input, scale, self._quant_bits, 1)


class QuantStub(MovingAverageAbsMaxScale):
    """Where numbers come into a quantised model: their scale is observed."""


class MAOutputScaleLayer(nn.Layer):
    """A layer, and the moving average of the largest magnitude of what it gives."""

    def __init__(self, layer=None, moving_rate=0.9, name=None, dtype='float32', reduce_type=None):
        super().__init__()
        self._layer = layer
        name = layer.full_name() if name is None else name
        self._ma_output_scale = MovingAverageAbsMaxScale(name, moving_rate, dtype, reduce_type)

    def forward(self, *inputs, **kwargs):
        out = self._layer(*inputs, **kwargs)
        return out if isinstance(out, (list, tuple, dict)) else self._ma_output_scale(out)


_WEIGHT_TYPES, _INPUT_TYPES = ('abs_max', 'channel_wise_abs_max'), ('moving_average_abs_max',)


class _Quantized(nn.Layer):
    """A layer with a weight, which it shares with `layer`; see `ImperativeQuantAware`."""

    _axis = 0  # of the weight's channels

    def __init__(
        self,
        layer,
        weight_bits=8,
        activation_bits=8,
        moving_rate=0.9,
        weight_quantize_type='abs_max',
        activation_quantize_type='abs_max',
        weight_pre_layer=None,
        act_pre_layer=None,
        weight_quant_layer=None,
        act_quant_layer=None,
    ):
        super().__init__()
        self.weight, self.bias, self._of = layer.weight, layer.bias, [layer]
        kept, dtype = layer.weight, str(layer.weight.dtype).rsplit('.', 1)[-1]
        if weight_quant_layer is not None:
            self._fake_quant_weight = weight_quant_layer()
        elif weight_quantize_type == 'channel_wise_abs_max':
            self._fake_quant_weight = FakeQuantChannelWiseAbsMax(
                kept.name, kept.shape[self._axis], weight_bits, self._axis, dtype, True
            )
        elif weight_quantize_type == 'abs_max':
            self._fake_quant_weight = FakeQuantAbsMax(kept.name, weight_bits, dtype, True)
        else:
            raise ValueError(
                f'[{type(self).__name__}] expected weight_quantize_type of {_WEIGHT_TYPES}, got '
                f'{weight_quantize_type!r}'
            )
        if act_quant_layer is not None:
            self._fake_quant_input = act_quant_layer()
        elif activation_quantize_type == 'moving_average_abs_max':
            self._fake_quant_input = FakeQuantMovingAverageAbsMax(
                layer.full_name(), moving_rate, activation_bits, dtype
            )
        elif activation_quantize_type == 'abs_max':
            self._fake_quant_input = FakeQuantAbsMax(layer.full_name(), activation_bits, dtype)
        else:
            raise ValueError(
                f'[{type(self).__name__}] expected activation_quantize_type of '
                f"('abs_max', 'moving_average_abs_max'), got {activation_quantize_type!r}"
            )
        self._weight_preprocess = weight_pre_layer() if weight_pre_layer is not None else None
        self._act_preprocess = act_pre_layer() if act_pre_layer is not None else None

    def _rounded(self, input):
        weight = self.weight
        if self._act_preprocess is not None:
            input = self._act_preprocess(input)
        if self._weight_preprocess is not None:
            weight = self._weight_preprocess(weight)
        return self._fake_quant_input(input), self._fake_quant_weight(weight)


class QuantizedLinear(_Quantized):
    """What stands for a `Linear`."""

    _axis = 1

    def forward(self, input):
        input, weight = self._rounded(input)
        return F.linear(input, weight, self.bias)


class QuantizedConv2D(_Quantized):
    """What stands for a `Conv2D`."""

    def forward(self, input):
        input, weight = self._rounded(input)
        (layer,), padding = self._of, self._of[0]._padding
        if layer._edge_padding is not None:
            input = F.pad(input, layer._edge_padding, layer._padding_mode, 0.0, layer._data_format)
            padding = 0
        return F.conv2d(
            input,
            weight,
            self.bias,
            layer._stride,
            padding,
            layer._dilation,
            layer._groups,
            layer._data_format,
        )


class QuantizedConv2DTranspose(_Quantized):
    """What stands for a `Conv2DTranspose`."""

    _axis = 1

    def forward(self, input, output_size=None):
        input, weight = self._rounded(input)
        (layer,) = self._of
        return F.conv2d_transpose(
            input,
            weight,
            self.bias,
            layer._stride,
            layer._padding,
            layer.output_padding if output_size is None else 0,
            dilation=layer._dilation,
            groups=layer._groups,
            data_format=layer._data_format,
            output_size=output_size,
        )
