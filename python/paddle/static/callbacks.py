# SPDX-License-Identifier: Apache-2.0
"""Python functions inside programs: py_func, and blocks with a gradient of their own."""

import numpy

import paddle
from paddle.base import libpaddle as _core
from paddle.static.block import OutputVar
from paddle.static.program import default_main_program

__all__ = ['py_func', 'static_pylayer']


def _list(values):
    return [] if values is None else list(values) if isinstance(values, (list, tuple)) else [values]


def _tensors(made, dtypes):
    """What a function returned, as tensors of their own of the declared dtypes; bfloat16 arrays
    come as uint16.
    """
    results = []
    for value, dtype in zip(_list(made), dtypes):
        if isinstance(value, _core.Tensor):
            results.append(value.clone())
        else:
            array = numpy.array(value)
            results.append(
                paddle.to_tensor(array)
                if array.dtype.kind == 'V'
                else paddle.to_tensor(array, dtype=dtype)
            )
    return results


def _recorded(function, inputs, dtypes, shapes):
    """Record a call of `function(*tensors)`; the function sees copies and returns as many tensors
    or arrays as there are dtypes.
    """

    def call(*tensors):
        with paddle.no_grad():
            made = _list(function(*(t.clone() for t in tensors)))
            if len(made) != len(dtypes):
                raise ValueError(f"[py_func] expected {len(dtypes)} results, got {len(made)}")
            return _tensors(made, dtypes)

    return _core.pir._py_func(_core.pir._register_py_func(call), inputs, dtypes, shapes)


def _called(forward, inputs, backward):
    """Results of `forward` with `backward(inputs, outputs, output gradients)` -> input gradients as
    its gradient.
    """
    results = called_again(forward, inputs, backward)
    calls = default_main_program().__dict__.setdefault('_own_gradients', [])
    calls.append((list(inputs), results, backward))
    return results


def with_gradient(forward, inputs, backward):
    """The same as `_called`; without `backward` no gradient flows."""
    if backward is not None:
        return _called(forward, inputs, backward)
    with paddle.no_grad():
        return forward(inputs)


def called_again(forward, inputs, backward):
    """The same as `_called`, of which the program makes no note."""

    class Call(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, *tensors):
            outs = forward(list(tensors))
            ctx.save_for_backward(*tensors, *outs)
            return tuple(outs)

        @staticmethod
        def backward(ctx, *grads):
            kept = ctx.saved_tensor()
            made = backward(list(kept[: len(inputs)]), list(kept[len(inputs) :]), list(grads))
            return tuple(made)

    return list(Call.apply(*inputs))


def py_func(func, x, out, backward_func=None, skip_vars_in_backward_input=None):
    """Call a Python function whenever the program runs.

    Args:
        func (callable): It gets the values of x as tensors of its own, and returns as many tensors
            or arrays as out has.
        x (Tensor or list of Tensors): The inputs.
        out (Tensor or list of Tensors): Variables that say shape and dtype of the results, such as
            `Block.create_var` makes, and receive them.
        backward_func (callable, default None): It gets x, out and the gradients of out, and returns
            the gradients of x, None for none; without it no gradient flows.
        skip_vars_in_backward_input (Tensor or list of Tensors, default None): Those of x and out
            that backward_func does not get.

    Returns:
        Tensor or list of Tensors: the results, as out is one or a list.

    Raises:
        TypeError: func or backward_func is no function.
        ValueError: out has no shape or dtype, or skip_vars_in_backward_input holds other values.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [3])
        ...     place = main.current_block().create_var(name="sorted", shape=[3], dtype="float32")
        ...     y = paddle.static.py_func(lambda t: t.numpy()[::-1].copy(), x, place)
        >>> exe = paddle.static.Executor()
        >>> exe.run(main, feed={"x": [1.0, 2.0, 3.0]}, fetch_list=[y])[0].tolist()
        [3.0, 2.0, 1.0]
    """
    if not callable(func):
        raise TypeError(f"[py_func] expected a function as func, got {type(func).__name__}")
    if backward_func is not None and not callable(backward_func):
        raise TypeError(
            f"[py_func] expected a function as backward_func, got {type(backward_func).__name__}"
        )
    inputs, places = _list(x), _list(out)
    inputs = [v.value if isinstance(v, OutputVar) else v for v in inputs]
    skipped = {id(v) for v in _list(skip_vars_in_backward_input)}
    unknown = skipped - {id(v) for v in [*_list(x), *places]}
    if unknown:
        raise ValueError(
            f"[py_func] expected skip_vars_in_backward_input to hold values of x and out, got "
            f"{len(unknown)} others"
        )
    for place in places:
        if place.shape is None or place.dtype is None:
            raise ValueError(
                f"[py_func] expected shape and dtype of each out, got {place.shape} and "
                f"{place.dtype} of {place.name!r}"
            )
    dtypes, shapes = [p.dtype for p in places], [list(p.shape) for p in places]
    keep = [id(v) not in skipped for v in [*_list(x), *places]]

    def forward(tensors):
        return _recorded(func, tensors, dtypes, shapes)

    def backward(ins, outs, grads):
        wanted = [i for i, v in enumerate(ins) if not v.stop_gradient]
        given = [v for v, kept in zip([*ins, *outs], keep) if kept] + grads

        def call(*tensors):
            made = _list(backward_func(*tensors))
            if len(made) != len(ins):
                raise ValueError(
                    f"[py_func] expected backward_func to return {len(ins)} gradients, got "
                    f"{len(made)}"
                )
            sources = dict(zip((i for i, kept in enumerate(keep) if kept), tensors))
            return [
                made[i] if made[i] is not None else paddle.zeros_like(sources[i]) for i in wanted
            ]

        made = iter(
            _recorded(
                call, given, [ins[i].dtype for i in wanted], [list(ins[i].shape) for i in wanted]
            )
        )
        return [next(made) if i in wanted else None for i in range(len(ins))]

    if backward_func is None:
        results = forward(inputs)
        for value in results:
            value.stop_gradient = True
    else:
        results = _called(forward, inputs, backward)
    for place, value in zip(places, results):
        if isinstance(place, OutputVar):
            place.fill(value)
            if place.name:
                value.name = place.name
    return results if isinstance(out, (list, tuple)) else results[0] if results else None


def static_pylayer(forward_fn, inputs, backward_fn=None, name=None):
    """A part of a program with a gradient of its own.

    Args:
        forward_fn (callable): It gets the inputs and makes the results.
        inputs (list of Tensors): What it gets.
        backward_fn (callable, default None): It gets the gradients of the results and makes those
            of the inputs; without it no gradient flows.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor or list of Tensors: the results of forward_fn.

    Raises:
        AssertionError: Outside static mode.
        TypeError: forward_fn is no function.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     x.stop_gradient = False
        ...     y = paddle.static.nn.static_pylayer(paddle.round, [x], lambda dy: dy)
        ...     (dx,) = paddle.static.gradients(y, x)
        >>> exe = paddle.static.Executor()
        >>> [v.tolist() for v in exe.run(main, feed={"x": [0.2, 1.8]}, fetch_list=[y, dx])]
        [[0.0, 2.0], [1.0, 1.0]]
    """
    if paddle.in_dynamic_mode():
        raise AssertionError("[static_pylayer] expected static mode, got dynamic mode")
    if not callable(forward_fn):
        raise TypeError(
            f"[static_pylayer] expected a function as forward_fn, got {type(forward_fn).__name__}"
        )
    made = []

    def forward(tensors):
        made[:] = [forward_fn(*tensors)]
        return _list(made[0])

    def backward(ins, outs, grads):
        return _list(backward_fn(*grads))

    results = with_gradient(forward, _list(inputs), backward_fn and backward)
    return type(made[0])(results) if isinstance(made[0], (list, tuple)) else results[0]
