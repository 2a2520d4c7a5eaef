# SPDX-License-Identifier: Apache-2.0
"""Differentiation of the program being recorded: gradient operations are appended behind it."""

from paddle.base import libpaddle as _core
from paddle.base.arguments import only

__all__ = ['append_backward', 'gradients']


def _list(values):
    from paddle.static.block import OutputVar

    values = (
        []
        if values is None
        else list(values)
        if isinstance(values, (list, tuple, set))
        else [values]
    )
    return [v.read() if isinstance(v, OutputVar) else v for v in values]


def _scope():
    """Record into the default main program when nothing is being recorded."""
    import contextlib
    from paddle.static import program

    if _core.pir._record_mode() == 0:
        return program.recording(program.default_main_program())
    return contextlib.nullcontext()


def gradients(targets, inputs, target_gradients=None, no_grad_set=None):
    """The gradients of `targets` with respect to `inputs`, in their order; None where no path leads
    there.

    `target_gradients` default to ones; nothing flows through the values of `no_grad_set`.
    """
    targets, inputs = _list(targets), _list(inputs)
    for value in targets + inputs:
        if not isinstance(value, _core.Tensor):
            raise TypeError(f"[gradients] expected values of a program, got {type(value).__name__}")
    given = _list(target_gradients) if target_gradients is not None else None
    if given is not None and len(given) != len(targets):
        raise ValueError(f"[gradients] expected {len(targets)} target_gradients, got {len(given)}")
    frozen = [v for v in _list(no_grad_set) if isinstance(v, _core.Tensor)]
    with _scope():
        return _core.grad(
            targets,
            inputs,
            grad_outputs=given,
            retain_graph=True,
            allow_unused=True,
            no_grad_vars=frozen or None,
        )


def append_backward(
    loss,
    parameter_list=None,
    no_grad_set=None,
    callbacks=None,
    checkpoints=None,
    distop_context=None,
):
    """Append the gradients of the scalar `loss`; returns [(parameter, gradient)] for trainable
    parameters it depends on.
    """
    from paddle.static import program

    only(
        'append_backward',
        'gradients are made by the core',
        callbacks=(callbacks, None, []),
        distop_context=(distop_context, None),
    )
    loss = (_list(loss) or [None])[0]
    if not isinstance(loss, _core.Tensor):
        raise TypeError(
            f"[append_backward] expected a value of a program as loss, got {type(loss).__name__}"
        )
    known = program.default_main_program()._parameters()
    frozen = {v if isinstance(v, str) else v.name for v in _list(no_grad_set)}
    if parameter_list is None:
        chosen = [known[name] for name in sorted(known)]
    else:
        chosen = [known[p] if isinstance(p, str) else p for p in _list(parameter_list)]
    chosen = [p for p in chosen if not p.stop_gradient and p.name not in frozen]
    if not chosen:
        return []
    return [(p, g) for p, g in zip(chosen, gradients([loss], chosen)) if g is not None]
