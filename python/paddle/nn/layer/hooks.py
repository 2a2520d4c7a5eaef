# SPDX-License-Identifier: Apache-2.0
"""Removable hook handles, and the slow path of `Layer.__call__` that runs forward hooks."""

import weakref

from paddle.base.interrupts import raised_by_handler


class HookRemoveHelper:
    """Handle of a registered hook; `remove()` (or leaving a `with` block) takes the hook out
    again.
    """

    next_hook_id = 0

    def __init__(self, hooks, *, extra_hooks=()):
        self._hooks_ref = weakref.ref(hooks)
        self._hook_id = HookRemoveHelper.next_hook_id
        self._extra_hooks_ref = tuple(weakref.ref(h) for h in extra_hooks)
        HookRemoveHelper.next_hook_id += 1

    def remove(self):
        """Remove the hook; a second call does nothing."""
        for ref in (self._hooks_ref, *self._extra_hooks_ref):
            hooks = ref()
            if hooks is not None:
                hooks.pop(self._hook_id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def call_with_hooks(layer, inputs, kwargs):
    """forward(*inputs, **kwargs) between the layer's pre-hooks and post-hooks, in the order they
    were registered.
    """
    with_kwargs = layer._forward_pre_hooks_with_kwargs_flag
    for key, hook in tuple(layer._forward_pre_hooks.items()):
        if key in with_kwargs:
            result = hook(layer, inputs, kwargs)
            if result is not None:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"[Layer] expected a forward pre-hook with kwargs to return None or "
                        f"(args, kwargs), got {type(result).__name__}"
                    )
                inputs, kwargs = result
        else:
            result = hook(layer, inputs)
            if result is not None:
                inputs = result if isinstance(result, tuple) else (result,)
    called = set()
    outputs = None
    try:
        outputs = layer.forward(*inputs, **kwargs)
        with_kwargs = layer._forward_post_hooks_with_kwargs_flag
        for key, hook in tuple(layer._forward_post_hooks.items()):
            called.add(key)
            result = (
                hook(layer, inputs, kwargs, outputs)
                if key in with_kwargs
                else hook(layer, inputs, outputs)
            )
            if result is not None:
                outputs = result
    except Exception:
        with_kwargs = layer._forward_post_hooks_with_kwargs_flag
        for key in layer._forward_post_hooks_always_called:
            if key not in called and key in layer._forward_post_hooks:
                hook = layer._forward_post_hooks[key]
                try:
                    hook(layer, inputs, kwargs, outputs) if key in with_kwargs else hook(
                        layer, inputs, outputs
                    )
                except Exception as error:
                    if raised_by_handler(error):
                        raise
                    import warnings

                    warnings.warn(
                        f"[{type(layer).__name__}] a forward hook with always_call raised "
                        f"{error!r} while another error was handled"
                    )
        raise
    return outputs
