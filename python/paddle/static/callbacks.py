# SPDX-License-Identifier: Apache-2.0
"""Python functions inside programs: py_func, and blocks with a gradient of their own."""

import numpy

import paddle
from paddle.base import libpaddle as _core
from paddle.static.block import OutputVar

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


def _called(forward, inputs, dtypes, shapes, backward):
    """Results of `forward` with `backward(inputs, outputs, output gradients)` -> input gradients as
    its gradient.
    """

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
    """Call `func(*x)` whenever the program runs; its results, tensors or arrays, become the
    variables `out`, which are returned.

    `out` says shape and dtype (`Block.create_var` or another value). `backward_func` gets x, out
    and the gradients of out, without those in `skip_vars_in_backward_input`, and returns the
    gradients of x (None for none); without it no gradient flows.
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
        results = _called(forward, inputs, dtypes, shapes, backward)
    for place, value in zip(places, results):
        if isinstance(place, OutputVar):
            place.fill(value)
            if place.name:
                value.name = place.name
    return results if isinstance(out, (list, tuple)) else results[0] if results else None


def static_pylayer(forward_fn, inputs, backward_fn=None, name=None):
    """forward_fn(*inputs), with `backward_fn(*output gradients)` -> input gradients as its
    gradient.
    """
    if paddle.in_dynamic_mode():
        raise AssertionError("[static_pylayer] expected static mode, got dynamic mode")
    if not callable(forward_fn):
        raise TypeError(
            f"[static_pylayer] expected a function as forward_fn, got {type(forward_fn).__name__}"
        )
    single = []

    def forward(tensors):
        made = forward_fn(*tensors)
        single.append(not isinstance(made, (list, tuple)))
        return _list(made)

    if backward_fn is None:
        with paddle.no_grad():
            results = forward(_list(inputs))
    else:
        results = _called(
            forward, _list(inputs), None, None, lambda ins, outs, grads: _list(backward_fn(*grads))
        )
    return results[0] if single[-1] else results
