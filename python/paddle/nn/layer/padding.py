# SPDX-License-Identifier: Apache-2.0
"""Padding layers in one to three dimensions."""

from .. import functional as F
from .layers import Layer


class _PadNd(Layer):
    def __init__(self, padding, mode, value, data_format, name, n):
        super().__init__()
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


_KINDS = {
    "Pad": (_general, "Pad with `mode`: constant, reflect, replicate or circular."),
    "ConstantPad": (_constant, "Pad with one value."),
    "ZeroPad": (_fixed("constant"), "Pad with zeros."),
    "ReflectionPad": (_fixed("reflect"), "Pad with the mirrored inside."),
    "ReplicationPad": (_fixed("replicate"), "Pad with the edge values."),
    "CircularPad": (_fixed("circular"), "Pad with the opposite side."),
}
__all__ = []
for _kind, (_make, _doc) in _KINDS.items():
    for _n, _layout in ((1, "NCL"), (2, "NCHW"), (3, "NCDHW")):
        _name = f"{_kind}{_n}D"
        globals()[_name] = type(
            _name,
            (_PadNd,),
            {"__init__": _make(_n, _layout), "__doc__": _doc, "__module__": __name__},
        )
        __all__.append(_name)
        if _kind != "Pad":
            globals()[f"{_kind}{_n}d"] = globals()[_name]
            __all__.append(f"{_kind}{_n}d")
