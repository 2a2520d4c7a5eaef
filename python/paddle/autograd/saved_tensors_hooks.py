# SPDX-License-Identifier: Apache-2.0
"""Hooks on the tensors that operations keep for backward."""
from paddle.base import libpaddle as _core

__all__ = ['saved_tensors_hooks']

_stack = []
_push = getattr(_core, 'push_saved_tensors_hooks', None)
_pop = getattr(_core, 'pop_saved_tensors_hooks', None)


class saved_tensors_hooks:
    """Inside, a tensor kept for backward is stored as `pack_hook(tensor)`; backward reads `unpack_hook(packed)`."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        _stack.append((self.pack_hook, self.unpack_hook))
        if _push is not None:
            _push(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        _stack.pop()
        if _pop is not None:
            _pop()


def current():
    """The innermost (pack, unpack) pair, or None."""
    return _stack[-1] if _stack else None
