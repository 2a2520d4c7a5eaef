# SPDX-License-Identifier: Apache-2.0
"""Every op under its own name, arguments in the op's order."""

from paddle import _lazy
from paddle.base.libpaddle import _functions as _find

globals().update(_find('paddle._C_ops'))


def __getattr__(name):
    return _lazy.listed(__name__, name)
