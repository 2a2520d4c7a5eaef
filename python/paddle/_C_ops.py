# SPDX-License-Identifier: Apache-2.0
"""Every op under its own name, arguments in the op's order."""

import sys as _sys

from paddle import _lazy
from paddle.base.libpaddle import _functions as _find

globals().update(_find('paddle._C_ops'))
_WHOLE = _find('paddle._C_ops.whole')


class _Operations(type(_sys)):
    """The type of this module: what a program puts in the place of an operation is what public
    functions call."""

    def __setattr__(self, name, value):
        original = _FIRST.setdefault(name, getattr(self, name, None))
        super().__setattr__(name, value)
        if original is not None:
            from paddle._op_faces import show

            show(name, original, value)

    def __delattr__(self, name):
        super().__delattr__(name)
        if _FIRST.get(name) is not None:
            setattr(self, name, _FIRST[name])


_FIRST = {}  # operations that a program has replaced: what they were
_sys.modules[__name__].__class__ = _Operations


def _whole(name):
    """The function of an op of a program: it returns every result, those for gradients alone
    too."""
    return _WHOLE.get(name) or globals()[name]


def __getattr__(name):
    if not name.startswith('_'):
        found = None
        if name.endswith('_grad'):
            from paddle._gradient_ops import function

            found = function(name)
        if found is None:
            from paddle._op_table import function

            found = function(name)
        if found is not None:
            globals()[name] = found
            return found
    return _lazy.listed(__name__, name)
