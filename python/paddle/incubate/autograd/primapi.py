# SPDX-License-Identifier: Apache-2.0
"""Reverse and forward mode on tensors that are already computed, and the switch for primitive
operators.
"""

import paddle

__all__ = ['grad', 'forward_grad', 'enable_prim', 'disable_prim', 'prim_enabled']

_prim = False


def enable_prim():
    """Ask for gradients on primitive operators. Every gradient here can be differentiated again
    with or without.
    """
    global _prim
    _prim = True


def disable_prim():
    """Undo `enable_prim`."""
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
    """Gradient of `outputs` by `inputs`, weighted by `grad_outputs` (ones by default); can be
    differentiated again.

    One tensor for one input, a list for a list.
    """
    ys, xs = as_list(outputs, 'outputs'), as_list(inputs, 'inputs')
    vs = None if grad_outputs is None else as_list(grad_outputs, 'grad_outputs')
    found = reverse(ys, xs, vs)
    return found if isinstance(inputs, (list, tuple)) else found[0]


def forward_grad(outputs, inputs, grad_inputs=None):
    """Forward-mode derivative of `outputs` along `grad_inputs` (ones by default); can be
    differentiated again.

    One tensor for one output, a list for a list.
    """
    ys, xs = as_list(outputs, 'outputs'), as_list(inputs, 'inputs')
    vs = None if grad_inputs is None else as_list(grad_inputs, 'grad_inputs')
    found = forward(ys, xs, vs)
    return found if isinstance(outputs, (list, tuple)) else found[0]
