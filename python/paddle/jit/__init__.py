# SPDX-License-Identifier: Apache-2.0
"""`paddle.jit`: saving layers and functions as programs, and loading such programs as layers."""

from paddle import _lazy

_HOMES = _lazy.homes(
    {
        'paddle.jit.api': 'to_static not_to_static enable_to_static ignore_module set_code_level '
        'set_verbosity save',
        'paddle.jit.explanation': 'explain',
        'paddle.jit.translated_layer': 'load TranslatedLayer',
    }
)
__all__ = [
    'save',
    'load',
    'to_static',
    'ignore_module',
    'TranslatedLayer',
    'set_code_level',
    'set_verbosity',
    'not_to_static',
    'enable_to_static',
]
_lazy.install(globals(), 'paddle.jit', _HOMES, modules=('api', 'sot', 'translated_layer'))
