# SPDX-License-Identifier: Apache-2.0
"""Truth values, `and`, `or`, `not`, comparisons in a row, `in` and `assert`, also of tensors that
are being recorded.
"""

import operator

import paddle
from paddle.jit.reads.gradients import symbolic

_OPS = {
    'Lt': operator.lt,
    'LtE': operator.le,
    'Gt': operator.gt,
    'GtE': operator.ge,
    'Eq': operator.eq,
    'NotEq': operator.ne,
    'Is': operator.is_,
    'IsNot': operator.is_not,
    'In': lambda a, b: in_(a, b),
    'NotIn': lambda a, b: not_in(a, b),
}


def as_bool(value):
    """A recorded tensor as truth values."""
    return value if value.dtype == paddle.bool else value.astype('bool')


def condition(value):
    """A recorded tensor of one element as a 0-d bool. Raises ValueError for more elements."""
    if any(d not in (1, -1) for d in value.shape):
        raise ValueError(
            "[to_static] expected a tensor of one element as condition, got shape "
            f"{list(value.shape)}: paddle.any and paddle.all reduce it"
        )
    value = as_bool(value)
    return value.reshape([]) if len(value.shape) else value


def and_(value, *rest):
    """`value and rest()...`; with a tensor that is being recorded, its truth value."""
    for k, more in enumerate(rest):
        if symbolic(value):
            return _recorded(value, rest[k:], True)
        if not value:
            return value
        value = more()
    return value


def or_(value, *rest):
    """`value or rest()...`; with a tensor that is being recorded, its truth value."""
    for k, more in enumerate(rest):
        if symbolic(value):
            return _recorded(value, rest[k:], False)
        if value:
            return value
        value = more()
    return value


def _recorded(value, rest, both):
    value = as_bool(value)
    for more in rest:
        other = more()
        if symbolic(other):
            other = as_bool(other)
            value = paddle.logical_and(value, other) if both else paddle.logical_or(value, other)
        elif bool(other) is not both:
            return other
    return value


def not_(value):
    """`not value`."""
    return paddle.logical_not(as_bool(value)) if symbolic(value) else not value


def none_of(*flags):
    """Whether all flags are false."""
    found = True
    for flag in flags:
        if symbolic(flag):
            found = and_(paddle.logical_not(as_bool(flag)), lambda before=found: before)
        elif flag:
            return False
    return found


def chain(ops, left, right, *more):
    """`left op right op more()...`."""
    value = _OPS[ops[0]](left, right)
    for op, thunk in zip(ops[1:], more):
        if not symbolic(value) and not value:
            return value
        left, right = right, thunk()
        value = and_(value, lambda l=left, r=right, f=_OPS[op]: f(l, r))
    return value


def in_(value, container):
    """`value in container`."""
    if isinstance(container, (list, tuple)) and (symbolic(value) or any(map(symbolic, container))):
        if any(value is v for v in container):
            return True
        found = False
        for other in container:
            if symbolic(value) or symbolic(other):
                found = or_(found, lambda o=other: _equal(value, o))
            elif value == other:
                return True
        return found
    if symbolic(container):
        return paddle.any(paddle.equal(container, value))
    return value in container


def _equal(a, b):
    if not symbolic(a):
        a, b = b, a
    same = a == b
    return paddle.all(same) if symbolic(same) and len(same.shape) else same


def not_in(value, container):
    """`value not in container`."""
    return not_(in_(value, container))


def assert_(test, message=None):
    """The statement `assert`."""
    if symbolic(test):
        _assert_recorded(test, message)
    elif not test:
        raise AssertionError(*([] if message is None else [message()]))


def _assert_recorded(test, message):
    from paddle.static.nn import control_flow

    check = getattr(control_flow, 'Assert', None)
    if check is None:
        raise TypeError(
            "[to_static] expected a value of Python in `assert`, got a tensor that is being "
            "recorded"
        )
    check(condition(test), data=[test])
