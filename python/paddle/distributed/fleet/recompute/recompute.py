# SPDX-License-Identifier: Apache-2.0
"""`recompute`: a call whose intermediate results are not kept but made anew by backward."""

import contextlib
import warnings

import paddle
from paddle.framework import random
from paddle.amp.auto_cast import amp_state, auto_cast
from paddle.autograd import PyLayer

from ..layers.mpu.mp_ops import all_gathered, own_part
from ..layers.mpu.random import get_rng_state_tracker

__all__ = ['recompute', 'recompute_hybrid', 'recompute_sequential']


def _tensors_of(value):
    if isinstance(value, paddle.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _tensors_of(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _tensors_of(v)]
    return []


def _with(value, tensors):
    """`value` with the tensors of an iterator in place of its own, in the same order."""
    if isinstance(value, paddle.Tensor):
        return next(tensors)
    if isinstance(value, (list, tuple)):
        items = [_with(v, tensors) for v in value]
        return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
    if isinstance(value, dict):
        return {k: _with(v, tensors) for k, v in value.items()}
    return value


@contextlib.contextmanager
def _drawing_from(states):
    """Inside, random numbers continue from `states`; afterwards from where they were."""
    if states is None:
        yield
        return
    tracker = get_rng_state_tracker()
    before = random.all_states(), tracker.get_states_tracker()
    random.set_all_states(states[0])
    tracker.set_states_tracker(states[1])
    try:
        yield
    finally:
        random.set_all_states(before[0])
        tracker.set_states_tracker(before[1])


def _divided_shape(tensor, group):
    """The shape of a tensor of which each process of a group keeps a part, None of others."""
    divides = group is not None and group.nranks > 1 and tensor.size % group.nranks == 0
    return list(tensor.shape) if divides and tensor.size else None


class _Recomputed(PyLayer):
    @staticmethod
    def forward(ctx, call, states, group, *tensors):
        ctx.call, ctx.states, ctx.group, ctx.amp = call, states, group, amp_state()
        ctx.grads = [not t.stop_gradient for t in tensors]
        ctx.shapes = [_divided_shape(t, group) for t in tensors]
        ctx.save_for_backward(
            *(
                t if shape is None else own_part(t.reshape([-1]), group, 0)
                for t, shape in zip(tensors, ctx.shapes)
            )
        )
        with paddle.no_grad():
            return call(tensors)

    @staticmethod
    def backward(ctx, *grads):
        again = [
            t.detach() if shape is None else all_gathered(t, ctx.group, 0).reshape(shape)
            for t, shape in zip(ctx.saved_tensor(), ctx.shapes)
        ]
        for t, needed in zip(again, ctx.grads):
            t.stop_gradient = not needed
        scope = contextlib.nullcontext() if ctx.amp is None else auto_cast(**ctx.amp)
        with paddle.enable_grad(), _drawing_from(ctx.states), scope:
            outs = _tensors_of(ctx.call(again))
        pairs = [(o, g) for o, g in zip(outs, grads) if not o.stop_gradient]
        if pairs:
            paddle.autograd.backward([o for o, _ in pairs], [g for _, g in pairs])
        return tuple(t.grad if needed else None for t, needed in zip(again, ctx.grads))


def recompute(function, *args, **kwargs):
    """A call of which only the inputs are kept: backward calls the function again.

    Args:
        function (callable): The function or layer.
        *args (object): What it gets.
        **kwargs (object): What it gets by name. `preserve_rng_state` (True): whether backward draws
            the same random numbers; `use_reentrant` and `offload_indices` choose between ways that
            have the same result.

    Returns:
        object: what the function returns.

    Source: Chen, Xu, Zhang and Guestrin, Training deep nets with sublinear memory cost,
        https://arxiv.org/abs/1604.06174.

    Examples:
        >>> from paddle.distributed.fleet.utils import recompute
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> recompute(lambda t: (t ** 3).sum(), x).backward()
        >>> x.grad.tolist()
        [3.0, 12.0]
    """
    preserve = kwargs.pop('preserve_rng_state', True)
    kwargs.pop('use_reentrant', True)
    kwargs.pop('offload_indices', [])
    return _recompute(function, args, kwargs, preserve, None)


def recompute_hybrid(ctx, function, *args, **kwargs):
    """`recompute` among processes that all have the same inputs: each may keep a part of them.

    Args:
        ctx (dict): `mp_group`: the group of the processes; `partition`: whether each keeps a part;
            `offload`: no effect.
        function (callable): The function or layer.
        *args (object): What it gets.
        **kwargs (object): What it gets by name.

    Returns:
        object: what the function returns.

    Raises:
        AssertionError: ctx has no mp_group.

    Examples:
        >>> import paddle.distributed as dist
        >>> from paddle.incubate.distributed.fleet import recompute_hybrid
        >>> def work():
        ...     group = dist.init_parallel_env()
        ...     x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        ...     context = {"mp_group": group, "partition": True}
        ...     recompute_hybrid(context, lambda t: (t ** 3).sum(), x).backward()
        ...     assert x.grad.tolist() == [3.0, 12.0]
        >>> context = dist.spawn(work, nprocs=2, start_method="fork")
    """
    group = ctx.get('mp_group')
    assert group is not None, '[recompute_hybrid] expected mp_group in ctx, got none'
    return _recompute(function, args, kwargs, True, group if ctx.get('partition') else None)


def _recompute(function, args, kwargs, preserve, group):
    tensors = _tensors_of((args, kwargs))
    if not paddle.in_dynamic_mode() or not paddle.is_grad_enabled():
        return function(*args, **kwargs)
    if all(t.stop_gradient for t in tensors):
        warnings.warn('[recompute] nothing is made anew: no input needs a gradient')
        return function(*args, **kwargs)
    made = []

    def call(given):
        own_args, own_kwargs = _with((args, kwargs), iter(given))
        made[:] = [function(*own_args, **own_kwargs)]
        outs = _tensors_of(made[0])
        return outs[0] if len(outs) == 1 else tuple(outs)

    states = None
    if preserve:
        states = random.all_states(), get_rng_state_tracker().get_states_tracker()
    outs = _Recomputed.apply(call, states, group, *tensors)
    outs = iter(outs) if isinstance(outs, (list, tuple)) else iter([outs])
    return _with(made.pop(), outs)


def recompute_sequential(ctx, functions, *args, **kwargs):
    """Layers one after another, in parts of each of which only the inputs are kept.

    Args:
        ctx (dict): `segments`: how many parts (1); `preserve_rng_state`: whether backward draws the
            same random numbers (True).
        functions (Sequential or list): The layers or functions.
        *args (object): What the first gets.
        **kwargs (object): What the first gets by name.

    Returns:
        object: what the last returns.

    Examples:
        >>> from paddle.incubate.distributed.fleet import recompute_sequential
        >>> layers = [paddle.square, paddle.exp, paddle.sum]
        >>> x = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
        >>> recompute_sequential({"segments": 2}, layers, x).backward()
        >>> x.grad.tolist()
        [0.0, 5.436563491821289]
    """
    segments = ctx.get('segments', 1)
    preserve = ctx.get('preserve_rng_state', True)
    if isinstance(functions, paddle.nn.Sequential):
        functions = list(functions.children())
    each = max(len(functions) // segments, 1)

    def run(begin, end):
        def part(*args, **kwargs):
            out = functions[begin](*args, **kwargs)
            for function in functions[begin + 1 : end]:
                out = function(out)
            return out

        return part

    end = 0
    for begin in range(0, each * (segments - 1), each):
        end = begin + each
        args = (recompute(run(begin, end), *args, preserve_rng_state=preserve, **kwargs),)
        kwargs = {}
    return run(end, len(functions))(*args, **kwargs)
