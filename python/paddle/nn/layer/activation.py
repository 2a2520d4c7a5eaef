# SPDX-License-Identifier: Apache-2.0
"""Activation layers: each holds the arguments of one function of `paddle.nn.functional`. Most are
rows of a table.
"""

import inspect
import operator

from paddle import get_default_dtype
from paddle.base.arguments import keywords

from .. import functional as F
from ..initializer import Constant
from .alias import aliases, reads
from .layers import Layer

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "Hardshrink",
    "Hardswish",
    "Tanh",
    "Hardtanh",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "LeakyReLU",
    "Sigmoid",
    "Hardsigmoid",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Swish",
    "Mish",
    "Tanhshrink",
    "ThresholdedReLU",
    "Silu",
    "SiLU",
    "LogSigmoid",
    "Softmax",
    "Softmax2D",
    "LogSoftmax",
    "Maxout",
    "GLU",
]


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


# What the parameters of the layers below mean.
_MEANING = {
    "alpha": ("float", "The factor of the exponential."),
    "threshold": ("float", "Where the formula changes."),
    "min": ("float", "The lower bound."),
    "max": ("float", "The upper bound."),
    "scale": ("float", "The factor of all."),
    "negative_slope": ("float", "The slope left of zero."),
    "beta": ("float", "The sharpness of the bend."),
    "value": ("float", "What stands for the others."),
    "inplace": ("bool", "Whether the input takes the result."),
    "axis": ("int", "The axis, counted from the end where negative."),
    "groups": ("int", "How many channels a group has."),
    "name": ("str", "Shown by `repr`."),
}
# What the layers with no required parameter answer to [-1.0, 0.25, 2.0, 3.0].
_ANSWERS = {
    "CELU": "[-0.6321, 0.25, 2.0, 3.0]",
    "ELU": "[-0.6321, 0.25, 2.0, 3.0]",
    "Hardshrink": "[-1.0, 0.0, 2.0, 3.0]",
    "Hardswish": "[-0.3333, 0.1354, 1.6667, 3.0]",
    "Tanh": "[-0.7616, 0.2449, 0.9640, 0.9951]",
    "Hardtanh": "[-1.0, 0.25, 1.0, 1.0]",
    "ReLU": "[0.0, 0.25, 2.0, 3.0]",
    "ReLU6": "[0.0, 0.25, 2.0, 3.0]",
    "SELU": "[-1.1113, 0.2627, 2.1014, 3.1521]",
    "LeakyReLU": "[-0.01, 0.25, 2.0, 3.0]",
    "Sigmoid": "[0.2689, 0.5622, 0.8808, 0.9526]",
    "Hardsigmoid": "[0.3333, 0.5417, 0.8333, 1.0]",
    "Softplus": "[0.3133, 0.8259, 2.1269, 3.0486]",
    "Softshrink": "[-0.5, 0.0, 1.5, 2.5]",
    "Softsign": "[-0.5, 0.2, 0.6667, 0.75]",
    "Swish": "[-0.2689, 0.1405, 1.7616, 2.8577]",
    "Mish": "[-0.3034, 0.1696, 1.9440, 2.9865]",
    "Tanhshrink": "[-0.2384, 0.0051, 1.0360, 2.0049]",
    "ThresholdedReLU": "[0.0, 0.0, 2.0, 3.0]",
    "Silu": "[-0.2689, 0.1405, 1.7616, 2.8577]",
    "LogSigmoid": "[-1.3133, -0.5759, -0.1269, -0.0486]",
    "LogSoftmax": "[-4.3716, -3.1216, -1.3716, -0.3716]",
    "GLU": "[-0.8808, 0.2381]",
    "Maxout": "[[[[0.25]], [[3.0]]]]",
}
# Calls that are not as usual, and second names of classes.
_CALLS = {"Maxout": "Maxout(2)(x.reshape([1, 4, 1, 1]))"}
_ALSO = {"Silu": "SiLU"}


def _described(name, parameters, doc):
    """The documentation of the layer `name`."""
    lines = [doc, "", "Args:"]
    for key, value in (*parameters.items(), ("name", None)):
        kind, meaning = _MEANING[key]
        default = "" if value is ... else f", default {value!r}"
        lines.append(f"    {key} ({kind}{default}): {meaning}")
    if name in _ANSWERS:
        lines += ["", "Examples:", "    >>> x = paddle.to_tensor([-1.0, 0.25, 2.0, 3.0])"]
        call = _CALLS.get(name, f"{name}()(x)")
        lines += [f"    >>> paddle.nn.{call}.tolist()", f"    {_ANSWERS[name]}"]
    if name in _ALSO:
        lines += [f"    >>> paddle.nn.{_ALSO[name]} is paddle.nn.{name}", "    True"]
    return "\n".join(lines)


def _make(name, function, parameters, doc, names=None, label="_name"):
    """The class `name`, which calls `function` with its parameters; `names` maps other keywords to
    them.

    A default of `...` means the parameter must be given. `label` is the attribute that holds the
    layer's name.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter("self", kind)]
        + [
            inspect.Parameter(key, kind, default=inspect.Parameter.empty if value is ... else value)
            for key, value in (*parameters.items(), ("name", None))
        ]
    )
    shown = tuple(parameters)
    held = ["_" + key for key in shown]

    def __init__(self, *args, **kwargs):
        keywords(f"{name}.__init__", kwargs, *shown, "name")
        try:
            values = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise TypeError(f"[{name}] {error}") from None
        values.apply_defaults()
        Layer.__init__(self)
        setattr(self, label, values.arguments["name"])
        for key, attribute in zip(shown, held):
            setattr(self, attribute, values.arguments[key])

    read = operator.attrgetter(*held) if held else None
    if len(held) > 1:

        def forward(self, x):
            return getattr(F, function)(x, *read(self))
    elif held:

        def forward(self, x):
            return getattr(F, function)(x, read(self))
    else:

        def forward(self, x):
            return getattr(F, function)(x)

    __init__.__signature__ = signature
    described = _described(name, parameters, doc)
    scope = {"__module__": __name__, "__doc__": described, "_shown": shown}
    for method in (__init__, forward):
        method.__qualname__ = f"{name}.{method.__name__}"
        scope[method.__name__] = method
    scope.update({alias: reads("_" + key) for alias, key in (names or {}).items()})
    made = type(_Named)(name, (_Named,), scope)
    return aliases(**names)(made) if names else made


CELU = _make("CELU", "celu", {"alpha": 1.0}, "max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).")
ELU = _make("ELU", "elu", {"alpha": 1.0}, "x where x > 0, else alpha * (exp(x) - 1).")
Hardshrink = _make(
    "Hardshrink",
    "hardshrink",
    {"threshold": 0.5},
    "x where |x| > threshold, else 0.",
    {"lambd": "threshold"},
)
Hardswish = _make("Hardswish", "hardswish", {}, "x * min(max(0, x + 3), 6) / 6.")
Tanh = _make("Tanh", "tanh", {}, "Hyperbolic tangent.")
Hardtanh = _make(
    "Hardtanh",
    "hardtanh",
    {"min": -1.0, "max": 1.0},
    "x clipped to [min, max].",
    {"min_val": "min", "max_val": "max"},
)
ReLU = _make("ReLU", "relu", {}, "max(0, x).")
ReLU6 = _make("ReLU6", "relu6", {}, "min(max(0, x), 6).")
SELU = _make(
    "SELU",
    "selu",
    {"scale": 1.0507009873554804934193349852946, "alpha": 1.6732632423543772848170429916717},
    "scale * elu(x, alpha).",
)
LeakyReLU = _make(
    "LeakyReLU", "leaky_relu", {"negative_slope": 0.01}, "x where x >= 0, else negative_slope * x."
)
Sigmoid = _make("Sigmoid", "sigmoid", {}, "1 / (1 + exp(-x)).", label="name")
Hardsigmoid = _make("Hardsigmoid", "hardsigmoid", {}, "min(max(0, x / 6 + 0.5), 1).", label="name")
Softplus = _make(
    "Softplus",
    "softplus",
    {"beta": 1, "threshold": 20},
    "log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.",
)
Softshrink = _make(
    "Softshrink",
    "softshrink",
    {"threshold": 0.5},
    "x shrunk towards 0 by threshold.",
    {"lambd": "threshold"},
)
Softsign = _make("Softsign", "softsign", {}, "x / (1 + |x|).")
Swish = _make("Swish", "swish", {}, "x * sigmoid(x).")
Mish = _make("Mish", "mish", {}, "x * tanh(softplus(x)).")
Tanhshrink = _make("Tanhshrink", "tanhshrink", {}, "x - tanh(x).")
ThresholdedReLU = _make(
    "ThresholdedReLU",
    "thresholded_relu",
    {"threshold": 1.0, "value": 0.0},
    "x where x > threshold, else value.",
)
Silu = SiLU = _make("Silu", "silu", {"inplace": False}, "x * sigmoid(x).")
LogSigmoid = _make("LogSigmoid", "log_sigmoid", {}, "log(sigmoid(x)).")
LogSoftmax = _make(
    "LogSoftmax", "log_softmax", {"axis": -1}, "log(softmax(x)) along axis.", {"dim": "axis"}
)
Maxout = _make("Maxout", "maxout", {"groups": ..., "axis": 1}, "Maximum over groups of channels.")
GLU = _make(
    "GLU",
    "glu",
    {"axis": -1},
    "a * sigmoid(b) for the two halves of x along axis.",
    {"dim": "axis"},
)


class GELU(_Named):
    """x * Phi(x), or its tanh approximation.

    Args:
        approximate (bool or str, default False): Whether the tanh approximation is computed; "tanh"
            and "none" mean True and False.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.GELU()(paddle.to_tensor([-1.0, 1.0])).tolist()
        [-0.1587, 0.8413]
    """

    _shown = ("approximate",)

    def __init__(self, approximate=False, name=None):
        super().__init__(name)
        self._approximate = approximate

    def forward(self, x):
        return F.gelu(x, self._approximate)


class PReLU(_Named):
    """x where x > 0, else weight * x with a trained weight, one or one per channel.

    Args:
        num_parameters (int, default 1): 1, or how many channels there are.
        init (float, default 0.25): The first slope.
        weight_attr (ParamAttr, default None): How the slopes are made.
        data_format (str, default 'NCHW'): The order of axes, channels first or last.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.PReLU()(paddle.to_tensor([-2.0, 3.0])).tolist()
        [-0.5, 3.0]
    """

    def __init__(
        self, num_parameters=1, init=0.25, weight_attr=None, data_format="NCHW", name=None
    ):
        super().__init__(name)
        self._num_parameters = num_parameters
        self._init = init
        self._weight_attr = weight_attr
        self._data_format = data_format
        self._weight = self.create_parameter(
            [num_parameters], weight_attr, get_default_dtype(), False, Constant(init)
        )

    def forward(self, x):
        return F.prelu(x, self._weight, data_format=self._data_format)

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        return (
            f"num_parameters={self._num_parameters}, data_format={self._data_format}, "
            f"init={self._init}, dtype={self._dtype}{name}"
        )


class RReLU(_Named):
    """x where x >= 0, else a * x with a random slope from [lower, upper] while training.

    Args:
        lower (float, default 0.125): The least slope.
        upper (float, default 0.3333333333333333): The greatest slope.
        name (str, default None): Shown by `repr`.

    Examples:
        >>> layer = paddle.nn.RReLU(0.25, 0.75)
        >>> _ = layer.eval()
        >>> layer(paddle.to_tensor([-1.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    def __init__(self, lower=1.0 / 8.0, upper=1.0 / 3.0, name=None):
        super().__init__(name)
        self._lower = lower
        self._upper = upper

    def forward(self, x):
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        return (
            f"lower={self._lower}, upper={self._upper}, training={self.training}, "
            f"dtype={self._dtype}{name}"
        )


@aliases(dim="axis")
class Softmax(_Named):
    """exp(x) / sum(exp(x)) along axis.

    Args:
        axis (int, default -1): The axis that sums to 1.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> paddle.nn.Softmax()(paddle.to_tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """

    _shown = ("axis",)
    dim = reads("_axis")

    def __init__(self, axis=-1, name=None):
        super().__init__(name)
        self._axis = axis
        self._dtype = None

    def forward(self, x):
        return F.softmax(x, self._axis)


class Softmax2D(_Named):
    """softmax over the channels of [N, C, H, W] or [C, H, W].

    Args:
        name (str, default None): Shown by `repr`.

    Examples:
        >>> paddle.nn.Softmax2D()(paddle.zeros([1, 2, 1, 1])).flatten().tolist()
        [0.5, 0.5]
    """

    def forward(self, x):
        if x.ndim not in (3, 4):
            raise AssertionError(
                f"[Softmax2D] expected x of 3 or 4 axes, got shape {list(x.shape)}"
            )
        return F.softmax(x, axis=-3)
