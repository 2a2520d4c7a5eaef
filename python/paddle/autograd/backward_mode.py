# SPDX-License-Identifier: Apache-2.0
"""Backward from several tensors at once."""

from paddle.base import libpaddle as _core
from paddle.base.arguments import only

__all__ = ['backward']


def _checked(values, name, optional):
    from paddle import Tensor

    if isinstance(values, Tensor):
        return [values]
    if not isinstance(values, (list, tuple)) or not values:
        raise AssertionError(
            f"The type of {name} must be Tensor or list/tuple of Tensors, but got {type(values)}"
        )
    for item in values:
        if not isinstance(item, Tensor) and not (optional and item is None):
            raise AssertionError(
                f"The argument '{name}' of paddle.autograd.backward must be Tensor or list "
                f"of Tensors{', elements may be None' if optional else ''}, but got "
                f"{type(item)}"
            )
    return list(values)


def backward(tensors, grad_tensors=None, retain_graph=False, *, dump_backward_graph_path=None):
    """Accumulate gradients of `tensors` into the leaves. `grad_tensors` default to ones."""
    only(
        'backward',
        'graphs are not written to files',
        dump_backward_graph_path=(dump_backward_graph_path, None),
    )
    tensors = _checked(tensors, 'tensors', False)
    if len({id(t) for t in tensors}) != len(tensors):
        raise AssertionError(
            "The argument 'tensors' of paddle.autograd.backward contains duplicate paddle.Tensor "
            "object."
        )
    if grad_tensors is not None:
        grad_tensors = _checked(grad_tensors, 'grad_tensors', True)
        if len(grad_tensors) != len(tensors):
            raise AssertionError(
                f"The length of grad_tensors must be equal to tensors: {len(grad_tensors)} != "
                f"{len(tensors)}"
            )
    else:
        grad_tensors = []
    _core.run_backward(tensors, grad_tensors, retain_graph)
