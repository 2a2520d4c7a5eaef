# SPDX-License-Identifier: Apache-2.0
"""Reverse and forward mode on tensors that are already computed, and the switch for primitive
operators.
"""

import paddle

__all__ = ['grad', 'forward_grad', 'enable_prim', 'disable_prim', 'prim_enabled']

_prim = False


def enable_prim():
    """Ask for gradients of programs on primitive operators.

    Every gradient can be differentiated again, with or without.

    Returns:
        None.

    Examples:
        >>> paddle.incubate.autograd.enable_prim()
        >>> paddle.incubate.autograd.disable_prim()
    """
    global _prim
    _prim = True


def disable_prim():
    """Undo `enable_prim`.

    Returns:
        None.

    Examples:
        >>> paddle.incubate.autograd.disable_prim()
    """
    global _prim
    _prim = False


def prim_enabled():
    """Whether `enable_prim` is in force."""
    return _prim


def as_tensors(xs):
    """A list as a tuple; other values as they are."""
    return tuple(xs) if isinstance(xs, list) else xs


def as_list(value, name):
    """`value` as a list of tensors; TypeError for anything else."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    for item in values:
        if not isinstance(item, paddle.Tensor):
            raise TypeError(
                f"[incubate.autograd] expected {name} to be a tensor or a list of tensors, got "
                f"{type(item).__name__}"
            )
    return values


def reverse(ys, xs, vs=None):
    """Gradients of lists, differentiable again; zeros where `ys` do not depend on an x."""
    ys, vs = list(ys), None if vs is None else list(vs)
    keep = [i for i, y in enumerate(ys) if not y.stop_gradient]
    if not keep:
        return [paddle.zeros_like(x) for x in xs]
    grads = paddle.grad(
        [ys[i] for i in keep],
        xs,
        None if vs is None else [vs[i] for i in keep],
        create_graph=True,
        retain_graph=True,
        allow_unused=True,
    )
    return [paddle.zeros_like(x) if g is None else g for g, x in zip(grads, xs)]


def forward(ys, xs, vs=None):
    """Tangents of `ys` for tangents `vs` (ones by default) of `xs`, differentiable again.

    The reverse pass is linear in its seeds, so its own derivative by them is the forward pass.
    """
    vs = [paddle.ones_like(x) for x in xs] if vs is None else list(vs)
    seeds = [paddle.zeros_like(y) for y in ys]
    for seed in seeds:
        seed.stop_gradient = False
    return reverse(reverse(ys, xs, seeds), seeds, vs)


def grad(outputs, inputs, grad_outputs=None):
    """Gradients that can be differentiated again; zeros where outputs do not depend on an input.

    Args:
        outputs (Tensor or list of Tensors): What is differentiated.
        inputs (Tensor or list of Tensors): With respect to what.
        grad_outputs (Tensor or list of Tensors, default None): The gradient of each output; None
            for ones.

    Returns:
        Tensor or list of Tensors: the gradients, as inputs are one or a list.

    Raises:
        TypeError: An argument that is no tensor or list of them.

    Examples:
        >>> x = paddle.to_tensor(2.0, stop_gradient=False)
        >>> first = paddle.incubate.autograd.grad(x ** 4, x)
        >>> second = paddle.incubate.autograd.grad(first, x)
        >>> first.item(), second.item()
        (32.0, 48.0)
    """
    ys, xs = as_list(outputs, 'outputs'), as_list(inputs, 'inputs')
    vs = None if grad_outputs is None else as_list(grad_outputs, 'grad_outputs')
    found = reverse(ys, xs, vs)
    return found if isinstance(inputs, (list, tuple)) else found[0]


def forward_grad(outputs, inputs, grad_inputs=None):
    """Derivatives by forward mode, which can be differentiated again.

    Args:
        outputs (Tensor or list of Tensors): What is differentiated.
        inputs (Tensor or list of Tensors): With respect to what.
        grad_inputs (Tensor or list of Tensors, default None): The direction, shaped as inputs; None
            for ones.

    Returns:
        Tensor or list of Tensors: the derivative of each output, as outputs are one or a list.

    Raises:
        TypeError: An argument that is no tensor or list of them.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> direction = paddle.to_tensor([1.0, 0.0])
        >>> paddle.incubate.autograd.forward_grad(x * x, x, direction).tolist()
        [2.0, 0.0]
    """
    ys, xs = as_list(outputs, 'outputs'), as_list(inputs, 'inputs')
    vs = None if grad_inputs is None else as_list(grad_inputs, 'grad_inputs')
    found = forward(ys, xs, vs)
    return found if isinstance(outputs, (list, tuple)) else found[0]
