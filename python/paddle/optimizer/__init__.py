# SPDX-License-Identifier: Apache-2.0
"""Optimizers and learning-rate schedulers."""

from paddle import _lazy

from . import adam, lamb, lbfgs, lr, optimizer, simple
from .adam import *  # noqa: F403
from .lamb import *  # noqa: F403
from .lbfgs import *  # noqa: F403
from .optimizer import *  # noqa: F403
from .simple import *  # noqa: F403

__all__ = [name for module in (optimizer, simple, adam, lamb, lbfgs) for name in module.__all__]

_lazy.serve(globals())
