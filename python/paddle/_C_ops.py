# SPDX-License-Identifier: Apache-2.0
"""Every op under its own name, arguments in the op's order."""

from paddle import _lazy
from paddle.base.libpaddle import _functions as _find

globals().update(_find('paddle._C_ops'))
_WHOLE = _find('paddle._C_ops.whole')


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
