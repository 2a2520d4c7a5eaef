# SPDX-License-Identifier: Apache-2.0
"""Training in static mode: gradients and in-place updates become part of the program."""

import math

import paddle
from paddle.static import gradient as _gradient
from paddle.static import program as _program
from paddle.static import startup
from paddle.utils import unique_name


def minimize(optimizer, loss, parameters=None, no_grad_set=None):
    """Append the gradients of `loss` and the updates of `optimizer` to the program; returns ([],
    (parameter, gradient) pairs).
    """
    pairs = gradients(optimizer, loss, parameters, no_grad_set)
    return apply(optimizer, pairs), pairs


def gradients(optimizer, loss, parameters=None, no_grad_set=None):
    """Append the gradients of `loss`, one element: (parameter, gradient) pairs."""
    if math.prod(loss.shape) != 1:
        raise AssertionError(
            f'[{type(optimizer).__name__}.minimize] expected a loss of one element, as paddle.mean '
            f'gives, got shape {list(loss.shape)}'
        )
    return _gradient.trained(loss, parameters or optimizer._all_params() or None, no_grad_set)


def apply(optimizer, pairs):
    """Append the updates of `optimizer` by (parameter, gradient) pairs to the program; returns [].

    The learning rate is a tensor that each run of the executor sets, so schedulers work; a
    parameter's factor (ParamAttr(learning_rate=...)) multiplies it in the program.
    """
    with _program.running(), paddle.no_grad():
        optimizer._extend_plan(pairs)
        rate = paddle.full([], float(optimizer.get_lr()), 'float32')
        _remember(optimizer, [p for p, _ in pairs])
        rate.name = unique_name.generate('learning_rate')
        rate.persistable = True
    optimizer._lr_tensor = lambda value: rate
    optimizer._scaled_rate = lambda tensor, lr, scale: tensor if scale == 1.0 else tensor * scale
    try:
        with _gradient._scope(), paddle.no_grad():
            optimizer.apply_gradients(pairs)
    finally:
        del optimizer._lr_tensor, optimizer._scaled_rate
    program = _program.default_main_program()
    program.__dict__.setdefault('_rates', []).append((rate, optimizer))
    return []


def set_rates(program):
    """Bring the learning rates of the program up to date; called before a run."""
    for rate, optimizer in program.__dict__.get('_rates', ()):
        value = float(optimizer.get_lr())
        if float(rate.numpy()) != value:
            rate.set_value(paddle.full([], value, 'float32'))


def _remember(optimizer, parameters):
    """Running the startup program resets the optimizer's state."""
    first, seen = (
        _program.default_startup_program(),
        optimizer.__dict__.setdefault('_remembered', set()),
    )
    for tensors in optimizer._accumulators.values():
        for tensor in tensors.values():
            if id(tensor) not in seen and tensor._numel():
                seen.add(id(tensor))
                startup.add(first, tensor, _again(tensor))
    for parameter in parameters:
        master = optimizer._master_weights.get(parameter.name)
        if master is not None and id(master) not in seen:
            seen.add(id(master))
            startup.add(first, master, lambda parameter=parameter: parameter.astype('float32'))


def _again(tensor):
    low, high = tensor.min(), tensor.max()
    if bool(low == high):
        shape, value, dtype = list(tensor.shape), low.item(), tensor.dtype
        return lambda: paddle.full(shape, value, dtype)
    kept = tensor.clone()
    return lambda: kept
