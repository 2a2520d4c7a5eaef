# SPDX-License-Identifier: Apache-2.0
"""Conversion of Python functions so that control flow over tensors is recorded into programs."""

from paddle import _lazy
from paddle.jit.dy2static.calls import call as convert_call
from paddle.jit.dy2static.calls import ignore_module
from paddle.jit.dy2static.convert import (
    convert_to_static,
    converted_source,
    set_code_level,
    set_verbosity,
)
from paddle.jit.dy2static.merge import Dygraph2StaticException

__all__ = [
    'convert_to_static',
    'convert_call',
    'converted_source',
    'ignore_module',
    'set_code_level',
    'set_verbosity',
    'Dygraph2StaticException',
]

_lazy.serve(globals())
