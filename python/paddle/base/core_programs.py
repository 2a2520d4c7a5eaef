# SPDX-License-Identifier: Apache-2.0
"""What programs ask the core about operations of programs, and small helpers of tests: whether they
have gradients, which feeds and results a scope holds."""

import paddle
from paddle.base import core
from paddle.base import libpaddle as _core
from paddle.base.libpaddle import pir
from paddle.static.scope import DenseTensor, Scope

__all__ = [
    'DeviceContext',
    'PassVersionChecker',
    'call_vjp',
    'get_fetch_variable',
    'has_decomp_rule',
    'has_grad_op_maker',
    'has_infer_inplace',
    'has_vjp',
    'set_feed_variable',
]


def _operation(where, op):
    if not isinstance(op, pir.Operation):
        raise TypeError(f'[{where}] expected an Operation, got {type(op).__name__}')
    return op.name().rpartition('.')[2]


def has_vjp(op):
    """Whether an operation of a program has a gradient."""
    return _core._gradient_op(_operation('has_vjp', op) + '_grad') is not None


def has_decomp_rule(op):
    """Whether an operation of a program can be taken apart into others."""
    name = _operation('has_decomp_rule', op)
    left = op._program._decomposed([name])._operations()
    return all(one.name() != op.name() for one in left)


def call_vjp(op, inputs, outputs, out_grads, stop_gradients):
    """Record the gradients of one operation.

    Args:
        op (Operation): The operation.
        inputs (list of lists of Values): Its operands.
        outputs (list of lists of Values): Its results.
        out_grads (list of lists of Values): Their gradients; None for 0.
        stop_gradients (list of lists of bools): Where True, no gradient is wanted of this operand.

    Returns:
        list of lists of Values: the gradients of the operands, None where none is wanted.
    """
    from paddle.static.gradient import gradients

    _operation('call_vjp', op)
    pairs = [
        (out, grad)
        for outs, grads in zip(outputs, out_grads)
        for out, grad in zip(outs, grads)
        if grad is not None
    ]
    wanted = [
        (i, k)
        for i, (values, stops) in enumerate(zip(inputs, stop_gradients))
        for k, (value, stop) in enumerate(zip(values, stops))
        if value is not None and not stop
    ]
    made = [[None] * len(values) for values in inputs]
    if pairs and wanted:
        found = gradients(
            [out for out, _ in pairs], [inputs[i][k] for i, k in wanted], [g for _, g in pairs]
        )
        for (i, k), grad in zip(wanted, found):
            made[i][k] = grad
    return made


def _add_skip_comp_ops(name):
    """One more operation that is not taken apart."""
    core._set_prim_forward_blacklist(name)


def _known(where, name):
    from paddle._legacy_ops import OPS

    if name not in OPS:
        raise RuntimeError(f'[{where}] expected the old name of an operation, got {name!r}')
    return OPS[name][0]


def has_grad_op_maker(op_type):
    """Whether the operation of this old name has a gradient. RuntimeError for unknown ones."""
    return _core._gradient_op(_known('has_grad_op_maker', op_type) + '_grad') is not None


def has_infer_inplace(op_type):
    """Whether the operation of this old name has a form that writes its first input. RuntimeError
    for unknown ones."""
    return hasattr(paddle._C_ops, _known('has_infer_inplace', op_type) + '_')


def __unittest_throw_exception__():
    """Raise RuntimeError, as errors of the core do."""
    raise RuntimeError('[core] expected no exception, got the one that was asked for')


def _create_loaded_parameter(values, scope, exe=None):
    """Give a scope variables for values of a program, by name, unless it has them."""
    for value in values:
        scope.var(value.name)


class DeviceContext:
    """Where operations run: a place.

    Examples:
        >>> context = paddle.base.core.DeviceContext.create(paddle.CPUPlace())
        >>> context.place
        Place(cpu)
    """

    def __init__(self, place):
        self.place = place

    @staticmethod
    def create(place):
        """The context of a place. TypeError for what is none."""
        if not isinstance(place, _core.Place):
            raise TypeError(f'[DeviceContext] expected a place, got {type(place).__name__}')
        return DeviceContext(place)

    def wait(self):
        """Wait for what was started there."""
        paddle.device.synchronize()


class PassVersionChecker:
    """Whether passes are there.

    Examples:
        >>> paddle.base.core.PassVersionChecker.IsCompatible("dead_code_elimination_pass")
        True
    """

    @staticmethod
    def IsCompatible(name):
        """Whether there is a pass of this name."""
        return pir._has_pass(name)


def _scope(where, scope):
    if not isinstance(scope, Scope):
        raise TypeError(f'[{where}] expected a Scope, got {type(scope).__name__}')
    return scope


def set_feed_variable(scope, tensor, name, index):
    """Put a tensor into the list that a variable of a scope holds, at a place of it."""
    if not isinstance(tensor, DenseTensor):
        raise TypeError(f'[set_feed_variable] expected a DenseTensor, got {type(tensor).__name__}')
    held = _scope('set_feed_variable', scope).var(name).get_fetch_list()
    while len(held) <= index:
        held.append(DenseTensor())
    held[index] = tensor


def get_fetch_variable(scope, name, index):
    """The tensor at a place of the list that a variable of a scope holds."""
    found = _scope('get_fetch_variable', scope).find_var(name)
    held = [] if found is None else found.get_fetch_list()
    if not 0 <= index < len(held):
        raise ValueError(
            f'[get_fetch_variable] expected a place below {len(held)} in {name!r}, got {index}'
        )
    return held[index]
