# SPDX-License-Identifier: Apache-2.0
"""Padding layers in one to three dimensions."""

from paddle.base.arguments import instance
from paddle.base.libpaddle import Tensor

from .. import functional as F
from .layers import Layer


class _PadNd(Layer):
    def __init__(self, padding, mode, value, data_format, name, n):
        super().__init__()
        kind = type(self).__name__
        instance(kind, "padding", padding, (int, list, tuple, Tensor), "an integer or a list")
        self.padding = [padding] * (2 * n) if isinstance(padding, int) else padding
        self._mode = mode
        self.value = value
        self._data_format = data_format
        self._name = name

    def forward(self, x):
        return F.pad(x, self.padding, self._mode, self.value, self._data_format)

    def extra_repr(self):
        name = f", name={self._name}" if self._name else ""
        return (
            f"padding={self.padding}, mode={self._mode}, value={self.value}, "
            f"data_format={self._data_format}{name}"
        )


def _general(n, layout):
    def __init__(self, padding, mode="constant", value=0.0, data_format=layout, name=None):
        _PadNd.__init__(self, padding, mode, value, data_format, name, n)

    return __init__


def _constant(n, layout):
    def __init__(self, padding, value, data_format=layout, name=None):
        _PadNd.__init__(self, padding, "constant", value, data_format, name, n)

    return __init__


def _fixed(mode):
    def make(n, layout):
        def __init__(self, padding, data_format=layout, name=None):
            _PadNd.__init__(self, padding, mode, 0.0, data_format, name, n)

        return __init__

    return make


_TEXT = """{what}

Args:
    padding (int, list of ints or Tensor): How much is added to both sides of the spatial axes, or
        before and after each, the last axis first.
{args}    data_format (str, default {layout!r}): The order of axes, channels first or last.
    name (str, default None): Shown by `repr`.

Examples:
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0]).reshape([1, 1, {ones}3])
    >>> paddle.nn.{name}({call})(x).flatten().tolist()
    {answer}
"""
_MODE = (
    "    mode (str, default 'constant'): `constant`, `reflect`, `replicate` or `circular`.\n"
    "    value (float, default 0.0): What is added in mode `constant`.\n"
)
_ALIAS = """    >>> paddle.nn.{alias} is paddle.nn.{name}
    True
"""
# How a class is made, what it does, its own arguments; what the example gives, and its answer.
_KINDS = {
    "Pad": (
        _general,
        "Pad with one value, the mirrored inside, the edge values or the opposite side.",
        _MODE,
        ", mode='reflect'",
        "[2.0, 1.0, 2.0, 3.0, 2.0]",
    ),
    "ConstantPad": (
        _constant,
        "Pad with one value.",
        "    value (float): What is added.\n",
        ", 7.0",
        "[7.0, 1.0, 2.0, 3.0, 7.0]",
    ),
    "ZeroPad": (_fixed("constant"), "Pad with zeros.", "", "", "[0.0, 1.0, 2.0, 3.0, 0.0]"),
    "ReflectionPad": (
        _fixed("reflect"),
        "Pad with the mirrored inside.",
        "",
        "",
        "[2.0, 1.0, 2.0, 3.0, 2.0]",
    ),
    "ReplicationPad": (
        _fixed("replicate"),
        "Pad with the edge values.",
        "",
        "",
        "[1.0, 1.0, 2.0, 3.0, 3.0]",
    ),
    "CircularPad": (
        _fixed("circular"),
        "Pad with the opposite side.",
        "",
        "",
        "[3.0, 1.0, 2.0, 3.0, 1.0]",
    ),
}


def _described(kind, n, layout):
    """The documentation of the class of a kind in n dimensions."""
    _, what, args, given, answer = _KINDS[kind]
    name, alias = f"{kind}{n}D", f"{kind}{n}d"
    text = _TEXT.format(
        what=what,
        args=args,
        layout=layout,
        name=name,
        ones="1, " * (n - 1),
        call=f"[1, 1{', 0, 0' * (n - 1)}]{given}",
        answer=answer,
    )
    return text + (_ALIAS.format(alias=alias, name=name) if kind != "Pad" else "")


__all__ = []
for _kind, (_make, *_) in _KINDS.items():
    for _n, _layout in ((1, "NCL"), (2, "NCHW"), (3, "NCDHW")):
        _name = f"{_kind}{_n}D"
        globals()[_name] = type(
            _name,
            (_PadNd,),
            {
                "__init__": _make(_n, _layout),
                "__doc__": _described(_kind, _n, _layout),
                "__module__": __name__,
            },
        )
        __all__.append(_name)
        if _kind != "Pad":
            globals()[f"{_kind}{_n}d"] = globals()[_name]
            __all__.append(f"{_kind}{_n}d")
