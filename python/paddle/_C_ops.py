# SPDX-License-Identifier: Apache-2.0
"""Every op under its own name, arguments in the op's order."""
from paddle.base.libpaddle import _functions as _find

globals().update(_find('paddle._C_ops'))
