# SPDX-License-Identifier: Apache-2.0
"""The ops that `paddle.nn` calls: the core's own, or for one it has no kernel for, a composition of
others.
"""

import importlib

from paddle import _C_ops as _core

_COMPOSED = {
    "elementwise": "rrelu gumbel_softmax",
    "norm": "spectral_norm",
    "layout": "bilinear",
    "pooling": "lp_pool2d",
}
_HOME = {name: module for module, names in _COMPOSED.items() for name in names.split()}


class Ops:
    """Attributes are ops by name; AttributeError for an op that exists nowhere."""

    def __getattr__(self, name):
        op = getattr(_core, name, None)
        if op is None:
            if name not in _HOME:
                raise AttributeError(f"[paddle.nn] expected the name of an op, got {name!r}")
            op = getattr(importlib.import_module(".composed." + _HOME[name], __package__), name)
        setattr(self, name, op)
        return op


ops = Ops()
