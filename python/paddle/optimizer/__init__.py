# SPDX-License-Identifier: Apache-2.0
"""Optimizers and learning-rate schedulers."""

from paddle import _lazy

from . import lr
from .adam import Adam, Adamax, AdamW, NAdam, RAdam
from .lamb import Lamb
from .lbfgs import LBFGS
from .optimizer import Optimizer
from .simple import ASGD, SGD, Adadelta, Adagrad, Momentum, RMSProp, Rprop

__all__ = [
    'Optimizer',
    'Adagrad',
    'Adam',
    'AdamW',
    'Adamax',
    'ASGD',
    'NAdam',
    'RAdam',
    'RMSProp',
    'Rprop',
    'Adadelta',
    'SGD',
    'Momentum',
    'Lamb',
    'LBFGS',
]

_lazy.serve(globals())
