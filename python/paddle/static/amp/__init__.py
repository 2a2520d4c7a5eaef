# SPDX-License-Identifier: Apache-2.0
"""Mixed precision of programs: loss scaling around an optimizer, and lists of operations.

Operations run in the precision they were recorded in (`paddle.amp.auto_cast` around the recording
chooses it); nothing is cast afterwards, as in PaddlePaddle's build for CPUs.
"""

from paddle import _lazy

from . import amp_nn, bf16, debugging, decorator, fp16_lists, fp16_utils  # noqa: F401
from .decorator import decorate
from .fp16_lists import AutoMixedPrecisionLists, CustomOpLists
from .fp16_utils import fp16_guard

__all__ = ['decorate', 'CustomOpLists', 'AutoMixedPrecisionLists', 'fp16_guard']

_lazy.serve(globals())
