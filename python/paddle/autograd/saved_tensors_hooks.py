# SPDX-License-Identifier: Apache-2.0
"""Hooks on the tensors that operations keep for backward."""

from paddle.base import libpaddle as _core

__all__ = ['saved_tensors_hooks']


class saved_tensors_hooks:
    """Inside, a tensor kept for backward is stored as `pack_hook(tensor)`; backward reads
    `unpack_hook(packed)`.

    It holds for every operation and `PyLayer.save_for_backward` of this thread; `unpack_hook` gives
    back a tensor of the same shape and dtype. The innermost pair counts. Inside the hooks nothing
    is recorded, and no hooks are called. Compiled functions keep their own tensors.

    Args:
        pack_hook (callable): From a tensor to what is kept.
        unpack_hook (callable): From what is kept to a tensor of the same shape and dtype.

    Examples:
        >>> kept = []
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> def pack(t):
        ...     kept.append(t.shape)
        ...     return t.numpy()
        >>> with paddle.autograd.saved_tensors_hooks(pack, paddle.to_tensor):
        ...     y = x * x
        >>> y.backward()
        >>> len(kept) > 0, x.grad.item()
        (True, 6.0)
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self):
        _core.push_saved_tensors_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *args):
        _core.pop_saved_tensors_hooks()
