# SPDX-License-Identifier: Apache-2.0
"""Differentiation of the program being recorded: gradient operations are appended behind it."""

from paddle.base import libpaddle as _core
from paddle.base.arguments import only
from paddle.static import history as _history
from paddle.static import program as _program
from paddle.static import value_names

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

    if _core.pir._record_mode() == 0:
        return _program.recording(_program.default_main_program())
    return contextlib.nullcontext()


def gradients(targets, inputs, target_gradients=None, no_grad_set=None):
    """The gradients of values of a program with respect to others, as values of the program.

    Args:
        targets (Tensor or list of Tensors): What is differentiated.
        inputs (Tensor or list of Tensors): With respect to what.
        target_gradients (Tensor or list of Tensors, default None): The gradient of each target;
            ones where it is None.
        no_grad_set (set, default None): Values through which no gradient flows.

    Returns:
        list: the gradient of each of inputs, a Tensor, or None where no path leads there.

    Raises:
        TypeError: targets or inputs hold anything but values of a program.
        ValueError: As many target_gradients as targets are not given.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     x.stop_gradient = False
        ...     y = x ** 3
        ...     (dx,) = paddle.static.gradients(y, x)
        >>> exe = paddle.static.Executor()
        >>> exe.run(main, feed={"x": [1.0, 2.0]}, fetch_list=[dx])[0].tolist()
        [3.0, 12.0]
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
        program = _program.default_main_program()
        if _history.lacking(program, targets):
            targets, inputs, frozen = _history.found(program, targets, inputs, frozen)
        found = _core.grad(
            targets,
            inputs,
            grad_outputs=given,
            retain_graph=True,
            allow_unused=True,
            no_grad_vars=frozen or None,
        )
        value_names.note_gradients(zip(inputs, found))
        return found


def append_backward(
    loss,
    parameter_list=None,
    no_grad_set=None,
    callbacks=None,
    checkpoints=None,
    distop_context=None,
):
    """Append the gradients of a scalar to its program.

    Args:
        loss (Tensor): The value that is differentiated, of one element.
        parameter_list (list of Tensors or of strs, default None): The parameters, or their names;
            None for all of the program.
        no_grad_set (set, default None): Values through which no gradient flows, or names of
            parameters that get none.
        callbacks (list, default None): Only None: gradients are made by the core.
        checkpoints (list of Tensors, default None): Taken for compatibility; it has no effect.
        distop_context (object, default None): Only None.

    Returns:
        list of tuples: (parameter, gradient) for each parameter; the gradient is None where the
            loss does not depend on it, or it needs none.

    Raises:
        TypeError: The loss is no value of a program.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.create_parameter([2], "float32")
        ...     x = paddle.static.data("x", [2])
        ...     pairs = paddle.static.append_backward(paddle.sum(w * x))
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> (parameter, gradient), = pairs
        >>> parameter.name == w.name
        True
        >>> exe.run(main, feed={"x": [3.0, 5.0]}, fetch_list=[gradient])[0].tolist()
        [3.0, 5.0]
    """
    only(
        'append_backward',
        'gradients are made by the core',
        callbacks=(callbacks, None, []),
        distop_context=(distop_context, None),
    )
    loss = (_list(loss) or [None])[0]
    if not isinstance(loss, _core.pir.Value):
        raise TypeError(
            f"[append_backward] expected a value of a program as loss, got {type(loss).__name__}"
        )
    program = _program.default_main_program()
    known = program._parameters()
    frozen = _list(no_grad_set)
    names = {v if isinstance(v, str) else v.name for v in frozen}
    if parameter_list is None:
        chosen = [known[name] for name in sorted(known)]
    else:
        variable = program.global_block().var
        chosen = [variable(p) if isinstance(p, str) else p for p in _list(parameter_list)]
    needed = [p for p in chosen if not p.stop_gradient and p.name not in names]
    inner = [v for v in frozen if isinstance(v, _core.pir.Value)]
    # Those of what the user named can be asked for by name.
    named = [v for _, v in value_names.named(program) if not v.stop_gradient]
    found = gradients([loss], needed + named, None, inner) if needed else []
    found = {id(p): g for p, g in zip(needed, found)}
    return [(p, found.get(id(p))) for p in chosen]


def trained(loss, parameters=None, no_grad_set=None, callbacks=None):
    """What `append_backward` gives, of the parameters that have a gradient."""
    pairs = append_backward(loss, parameters, no_grad_set, callbacks)
    return [(p, g) for p, g in pairs if g is not None]
