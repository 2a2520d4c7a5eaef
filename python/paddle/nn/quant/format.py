# SPDX-License-Identifier: Apache-2.0
"""Quantised numbers: the integers that stand for them, and back."""

import abc

import paddle

from ..initializer import Assign
from ..layer.layers import Layer

__all__ = ['ConvertibleQuantedLayer', 'LinearDequanter', 'LinearQuanter', 'LinearQuanterDequanter']


def rounded(x, scale, bits):
    """The nearest of the 2 ** bits - 1 numbers at even distances from -scale to scale, of two
    equally near ones the larger in magnitude. The gradient of `x` is passed on.
    """
    most = 2 ** (bits - 1) - 1
    with paddle.no_grad():
        wide = _wide(x)
        scale = scale.astype(wide.dtype)
        v = paddle.minimum(paddle.maximum(wide, -scale), scale) * most / scale.clip(min=1e-30)
        whole = paddle.trunc(v)
        up = (paddle.abs(v - whole) >= 0.5).astype(v.dtype)
        out = ((whole + paddle.sign(v) * up) * scale / most).astype(x.dtype)
    return out if x.stop_gradient else out.detach() + (x - x.detach())


def _wide(x):
    """Halves as float32."""
    return x.astype('float32') if x.dtype in (paddle.float16, paddle.bfloat16) else x


def _along(scales, x, axis, group_size):
    """Scales in a shape that is broadcast to that of `x`: one, one for each place on an axis, or
    one for `group_size` rows of a column.
    """
    if scales.ndim == 2:
        return paddle.repeat_interleave(scales, group_size, axis=0)
    if scales.ndim == 1 and scales.shape[0] > 1:
        shape = [1] * x.ndim
        shape[axis] = scales.shape[0]
        return scales.reshape(shape)
    return scales.reshape([]) if scales.ndim else scales


def _float32(value):
    if isinstance(value, paddle.Tensor):
        return value.astype('float32')
    return paddle.to_tensor(value, dtype='float32')


class _Linear(Layer):
    def __init__(self, scales, zero_point=None, quant_axis=None, bit_length=8, group_size=128):
        super().__init__()
        scales = _float32(scales)
        zero_point = paddle.zeros_like(scales) if zero_point is None else _float32(zero_point)
        for name, value in (('_scales', scales), ('_zero_point', zero_point)):
            parameter = self.create_parameter(
                value.shape, dtype='float32', default_initializer=Assign(value)
            )
            parameter.stop_gradient = True
            setattr(self, name, parameter)
        self._quant_axis = -1 if quant_axis is None else quant_axis
        self._bit_length = bit_length
        self._group_size = group_size
        self._qmax = 2 ** (bit_length - 1) - 1
        self._qmin = -(2 ** (bit_length - 1))

    def _both(self, x):
        return [
            _along(t.detach(), x, self._quant_axis, self._group_size).astype(x.dtype)
            for t in (self._scales, self._zero_point)
        ]

    @classmethod
    def from_quanter(cls, quanter):
        """The layer with what a quanter has learned."""
        return cls(
            quanter.scales(),
            quanter.zero_points(),
            quanter.quant_axis(),
            quanter.bit_length(),
            getattr(quanter, 'group_size', 128),
        )


class LinearQuanter(_Linear):
    """The integers that stand for the input, in its dtype: round(x * qmax / scale) + zero_point."""

    def forward(self, input):
        wide = _wide(input)
        scales, zero_point = self._both(wide)
        out = paddle.round(wide * self._qmax / scales) + zero_point
        return paddle.clip(out, self._qmin, self._qmax).astype(input.dtype)


class LinearDequanter(_Linear):
    """The numbers that integers stand for: (q - zero_point) * scale / qmax."""

    def forward(self, input):
        wide = _wide(input)
        scales, zero_point = self._both(wide)
        return ((wide - zero_point) * scales / self._qmax).astype(input.dtype)


class LinearQuanterDequanter(Layer):
    """A quanter, or None where the input is integers already, and a dequanter behind it."""

    def __init__(self, quanter, dequanter):
        super().__init__()
        self._quanter = quanter
        self._dequanter = dequanter

    def forward(self, input):
        return self._dequanter(input if self._quanter is None else self._quanter(input))

    @staticmethod
    def from_quanter(quanter):
        """Both with what a quanter has learned."""
        return LinearQuanterDequanter(
            LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter)
        )


class ConvertibleQuantedLayer(Layer, metaclass=abc.ABCMeta):
    """A layer with quanters that can be exported."""

    def __init__(self):
        super().__init__()
        self.converted = False

    @abc.abstractmethod
    def weights_to_quanters(self):
        """[(name of a weight, name of its quanter), ...]"""

    @abc.abstractmethod
    def activation_quanters(self):
        """Names of the quanters of inputs."""

    def _convert(self, remain_weight=False):
        assert not self.converted, '[convert] expected a model that was not converted, got one'
        for name in self.activation_quanters():
            self._to_format(name)
        for weight, name in self.weights_to_quanters():
            found = self._to_format(name)
            if found is not None and not remain_weight:
                parameter = getattr(self, weight)
                with paddle.no_grad():
                    parameter.set_value(found._quanter(parameter))
                found._quanter = None
        self.converted = True

    def _to_format(self, name):
        quanter = getattr(self, name)
        if quanter is None:
            return None
        found = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, name, found)
        return found
