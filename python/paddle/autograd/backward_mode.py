# SPDX-License-Identifier: Apache-2.0
"""Backward from several tensors at once."""

import sys

from paddle.base import libpaddle as _core

from .graph_files import write_graph

__all__ = ['backward']


def _checked(values, name, optional):
    from paddle import Tensor

    if isinstance(values, Tensor):
        return [values]
    if not isinstance(values, (list, tuple)) or not values:
        raise AssertionError(
            f"[backward] expected {name} to be a tensor or a list of tensors, got "
            f"{'an empty list' if isinstance(values, (list, tuple)) else type(values).__name__}"
        )
    for item in values:
        if not isinstance(item, Tensor) and not (optional and item is None):
            raise AssertionError(
                f"[backward] expected {name} to hold tensors{' or None' if optional else ''}, got "
                f"{type(item).__name__}"
            )
    return list(values)


def backward(tensors, grad_tensors=None, retain_graph=False, *, dump_backward_graph_path=None):
    """Accumulate gradients of tensors into the leaves.

    Args:
        tensors (Tensor or list of Tensors): What is differentiated.
        grad_tensors (Tensor or list of Tensors, default None): The gradients of tensors; None for
            ones.
        retain_graph (bool, default False): Whether the history stays for another backward.
        dump_backward_graph_path (str, default None): The folder that the graph of what runs is
            written to, for Graphviz; None for no files.

    Returns:
        None.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> paddle.autograd.backward([x * x, x * 3])
        >>> x.grad.tolist()
        [5.0, 7.0]
    """
    tensors = _checked(tensors, 'tensors', False)
    if len({id(t) for t in tensors}) != len(tensors):
        raise AssertionError("[backward] expected each of tensors once, got one more than once")
    if grad_tensors is not None:
        grad_tensors = _checked(grad_tensors, 'grad_tensors', True)
        if len(grad_tensors) != len(tensors):
            raise AssertionError(
                f"[backward] expected grad_tensors for {len(tensors)} tensors, got "
                f"{len(grad_tensors)}"
            )
    else:
        grad_tensors = []
    if (sparse := sys.modules.get('paddle.sparse.tensor')) is not None:
        tensors, grad_tensors, *_ = sparse.as_values('backward', tensors, grad_tensors)
    if dump_backward_graph_path is not None:
        write_graph('backward', tensors, dump_backward_graph_path)
    _core.run_backward(tensors, grad_tensors or None, retain_graph)
