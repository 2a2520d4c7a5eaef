# SPDX-License-Identifier: Apache-2.0
"""Names of types for annotations: what arguments of this package's functions may be.

Nothing imports this module at run time; the stubs and annotated programs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from paddle import Tensor, dtype
from paddle.base.libpaddle import (
    CPUPlace,
    CUDAPinnedPlace,
    CUDAPlace,
    CustomPlace,
    Place,
    XPUPinnedPlace,
    XPUPlace,
)
from paddle.base.param_attr import ParamAttr
from paddle.nn.initializer import Initializer
from paddle.regularizer import WeightDecayRegularizer

Numeric = Union[int, float, complex, bool, 'np.number[Any]', np.bool_]
TensorLike = Union[Tensor, Numeric, 'npt.NDArray[Any]']
TensorOrTensors = Union[Tensor, Sequence[Tensor]]
DTypeLike = Union[str, dtype, type, 'np.dtype[Any]']
PlaceLike = Union[
    str, Place, CPUPlace, CUDAPlace, CUDAPinnedPlace, CustomPlace, XPUPlace, XPUPinnedPlace
]
ShapeLike = Union[int, Sequence[Union[int, Tensor]], Tensor]
ParamAttrLike = Union[ParamAttr, Initializer, WeightDecayRegularizer, str, bool]
