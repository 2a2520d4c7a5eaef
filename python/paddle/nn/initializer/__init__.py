# SPDX-License-Identifier: Apache-2.0
"""Initial values of parameters."""

from paddle import _lazy

from .assign import Assign
from .constant import Constant
from .initializer import Initializer, calculate_gain, set_global_initializer
from .kaiming import KaimingNormal, KaimingUniform
from .normal import Normal, TruncatedNormal
from .structured import Bilinear, Dirac, Orthogonal
from .uniform import Uniform
from .xavier import XavierNormal, XavierUniform

__all__ = [
    "Bilinear",
    "Constant",
    "KaimingUniform",
    "KaimingNormal",
    "XavierNormal",
    "XavierUniform",
    "Assign",
    "Normal",
    "TruncatedNormal",
    "Uniform",
    "Orthogonal",
    "Dirac",
    "set_global_initializer",
    "calculate_gain",
]

_lazy.serve(globals())
