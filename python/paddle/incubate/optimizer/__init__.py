# SPDX-License-Identifier: Apache-2.0
"""Optimizers around another optimizer, and L-BFGS."""

from paddle import _lazy
from paddle.optimizer import LBFGS as _LBFGS
from paddle.utils.deprecated import moved as _moved

from .lars_momentum import LarsMomentumOptimizer  # noqa: F401
from .lookahead import LookAhead  # noqa: F401
from .modelaverage import ModelAverage  # noqa: F401

__all__ = ['LBFGS']
LBFGS = _moved(_LBFGS, __name__, '2.5.0')

_lazy.serve(globals())
