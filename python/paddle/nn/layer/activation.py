# SPDX-License-Identifier: Apache-2.0
"""Activation layers: each holds the arguments of one function of `paddle.nn.functional`."""
from paddle import get_default_dtype

from .. import functional as F
from ..initializer import Constant
from .alias import aliases, reads
from .layers import Layer

__all__ = ["CELU", "ELU", "GELU", "Hardshrink", "Hardswish", "Tanh", "Hardtanh", "PReLU", "RReLU", "ReLU", "ReLU6",
           "SELU", "LeakyReLU", "Sigmoid", "Hardsigmoid", "Softplus", "Softshrink", "Softsign", "Swish", "Mish",
           "Tanhshrink", "ThresholdedReLU", "Silu", "SiLU", "LogSigmoid", "Softmax", "Softmax2D", "LogSoftmax",
           "Maxout", "GLU"]


class _Named(Layer):
    """Shows its parameters as `key=value`, then `name=...` if one was given."""

    _shown = ()

    def __init__(self, name=None):
        super().__init__()
        self._name = name

    def extra_repr(self):
        parts = [f"{key}={getattr(self, '_' + key)}" for key in self._shown]
        name = self.__dict__.get("_name", self.__dict__.get("name"))
        if name:
            parts.append(f"name={name}")
        return ", ".join(parts)


class CELU(_Named):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""

    _shown = ("alpha",)

    def __init__(self, alpha=1.0, name=None):
        super().__init__(name)
        self._alpha = alpha

    def forward(self, x):
        return F.celu(x, self._alpha)


class ELU(_Named):
    """x where x > 0, else alpha * (exp(x) - 1)."""

    _shown = ("alpha",)

    def __init__(self, alpha=1.0, name=None):
        super().__init__(name)
        self._alpha = alpha

    def forward(self, x):
        return F.elu(x, self._alpha)


class GELU(_Named):
    """x * Phi(x), or its tanh approximation."""

    _shown = ("approximate",)

    def __init__(self, approximate=False, name=None):
        super().__init__(name)
        self._approximate = approximate

    def forward(self, x):
        return F.gelu(x, self._approximate in (True, "tanh"))


@aliases(lambd="threshold")
class Hardshrink(_Named):
    """x where |x| > threshold, else 0."""

    _shown = ("threshold",)
    lambd = reads("_threshold")

    def __init__(self, threshold=0.5, name=None):
        super().__init__(name)
        self._threshold = threshold

    def forward(self, x):
        return F.hardshrink(x, self._threshold)


class Hardswish(_Named):
    """x * min(max(0, x + 3), 6) / 6."""

    def forward(self, x):
        return F.hardswish(x)


class Tanh(_Named):
    """Hyperbolic tangent."""

    def forward(self, x):
        return F.tanh(x)


@aliases(min_val="min", max_val="max")
class Hardtanh(_Named):
    """x clipped to [min, max]."""

    _shown = ("min", "max")

    def __init__(self, min=-1.0, max=1.0, name=None):
        super().__init__(name)
        self._min = min
        self._max = max

    def forward(self, x):
        return F.hardtanh(x, self._min, self._max)


class PReLU(_Named):
    """x where x > 0, else weight * x with a trained weight, one or one per channel."""

    def __init__(self, num_parameters=1, init=0.25, weight_attr=None, data_format="NCHW", name=None):
        super().__init__(name)
        self._num_parameters = num_parameters
        self._init = init
        self._weight_attr = weight_attr
        self._data_format = data_format
        self._weight = self.create_parameter([num_parameters], weight_attr, get_default_dtype(), False, Constant(init))

    def forward(self, x):
        return F.prelu(x, self._weight, data_format=self._data_format)

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        return (f"num_parameters={self._num_parameters}, data_format={self._data_format}, init={self._init}, "
                f"dtype={self._dtype}{name}")


class RReLU(_Named):
    """x where x >= 0, else a * x with a random slope from [lower, upper] while training."""

    def __init__(self, lower=1.0 / 8.0, upper=1.0 / 3.0, name=None):
        super().__init__(name)
        self._lower = lower
        self._upper = upper

    def forward(self, x):
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        return f"lower={self._lower}, upper={self._upper}, training={self.training}, dtype={self._dtype}{name}"


class ReLU(_Named):
    """max(0, x)."""

    def forward(self, x):
        return F.relu(x)


class ReLU6(_Named):
    """min(max(0, x), 6)."""

    def forward(self, x):
        return F.relu6(x)


class SELU(_Named):
    """scale * elu(x, alpha)."""

    _shown = ("scale", "alpha")

    def __init__(self, scale=1.0507009873554804934193349852946, alpha=1.6732632423543772848170429916717, name=None):
        super().__init__(name)
        self._scale = scale
        self._alpha = alpha

    def forward(self, x):
        return F.selu(x, self._scale, self._alpha)


class LeakyReLU(_Named):
    """x where x >= 0, else negative_slope * x."""

    _shown = ("negative_slope",)

    def __init__(self, negative_slope=0.01, name=None):
        super().__init__(name)
        self._negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self._negative_slope)


class Sigmoid(_Named):
    """1 / (1 + exp(-x))."""

    def __init__(self, name=None):
        Layer.__init__(self)
        self.name = name

    def forward(self, x):
        return F.sigmoid(x)


class Hardsigmoid(_Named):
    """min(max(0, x / 6 + 0.5), 1)."""

    def __init__(self, name=None):
        Layer.__init__(self)
        self.name = name

    def forward(self, x):
        return F.hardsigmoid(x)


class Softplus(_Named):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

    _shown = ("beta", "threshold")

    def __init__(self, beta=1, threshold=20, name=None):
        super().__init__(name)
        self._beta = beta
        self._threshold = threshold

    def forward(self, x):
        return F.softplus(x, self._beta, self._threshold)


@aliases(lambd="threshold")
class Softshrink(_Named):
    """x shrunk towards 0 by threshold."""

    _shown = ("threshold",)
    lambd = reads("_threshold")

    def __init__(self, threshold=0.5, name=None):
        super().__init__(name)
        self._threshold = threshold

    def forward(self, x):
        return F.softshrink(x, self._threshold)


class Softsign(_Named):
    """x / (1 + |x|)."""

    def forward(self, x):
        return F.softsign(x)


class Swish(_Named):
    """x * sigmoid(x)."""

    def forward(self, x):
        return F.swish(x)


class Mish(_Named):
    """x * tanh(softplus(x))."""

    def forward(self, x):
        return F.mish(x)


class Tanhshrink(_Named):
    """x - tanh(x)."""

    def forward(self, x):
        return F.tanhshrink(x)


class ThresholdedReLU(_Named):
    """x where x > threshold, else value."""

    _shown = ("threshold", "value")

    def __init__(self, threshold=1.0, value=0.0, name=None):
        super().__init__(name)
        self._threshold = threshold
        self._value = value

    def forward(self, x):
        return F.thresholded_relu(x, self._threshold, self._value)


class Silu(_Named):
    """x * sigmoid(x)."""

    _shown = ("inplace",)

    def __init__(self, inplace=False, name=None):
        super().__init__(name)
        self._inplace = inplace

    def forward(self, x):
        return F.silu(x, self._inplace)


SiLU = Silu


class LogSigmoid(_Named):
    """log(sigmoid(x))."""

    def forward(self, x):
        return F.log_sigmoid(x)


@aliases(dim="axis")
class Softmax(_Named):
    """exp(x) / sum(exp(x)) along axis."""

    _shown = ("axis",)
    dim = reads("_axis")

    def __init__(self, axis=-1, name=None):
        super().__init__(name)
        self._axis = axis
        self._dtype = None

    def forward(self, x):
        return F.softmax(x, self._axis)


@aliases(dim="axis")
class LogSoftmax(_Named):
    """log(softmax(x)) along axis."""

    _shown = ("axis",)
    dim = reads("_axis")

    def __init__(self, axis=-1, name=None):
        super().__init__(name)
        self._axis = axis

    def forward(self, x):
        return F.log_softmax(x, self._axis)


class Softmax2D(_Named):
    """softmax over the channels of [N, C, H, W] or [C, H, W]."""

    def forward(self, x):
        if x.ndim not in (3, 4):
            raise AssertionError(f"Softmax2D requires a 3D or 4D tensor as input. Received: {x.ndim}D.")
        return F.softmax(x, axis=-3)


class Maxout(_Named):
    """Maximum over groups of channels."""

    _shown = ("groups", "axis")

    def __init__(self, groups, axis=1, name=None):
        super().__init__(name)
        self._groups = groups
        self._axis = axis

    def forward(self, x):
        return F.maxout(x, self._groups, self._axis)


@aliases(dim="axis")
class GLU(_Named):
    """a * sigmoid(b) for the two halves of x along axis."""

    _shown = ("axis",)
    dim = reads("_axis")

    def __init__(self, axis=-1, name=None):
        super().__init__(name)
        self._axis = axis

    def forward(self, x):
        return F.glu(x, self._axis)
