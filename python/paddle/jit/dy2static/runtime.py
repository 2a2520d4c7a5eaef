# SPDX-License-Identifier: Apache-2.0
"""What converted code calls (as `_jst`). Each function does what Python would, unless it meets a
tensor being recorded.
"""

from paddle.jit.dy2static import record as _record
from paddle.jit.dy2static.calls import attribute, call
from paddle.jit.dy2static.sequences import as_sequence, is_sequence, shape
from paddle.jit.dy2static.truth import and_, assert_, chain, in_, none_of, not_, not_in, or_
from paddle.jit.reads.gradients import symbolic

__all__ = [
    'and_',
    'assert_',
    'attribute',
    'call',
    'chain',
    'for_',
    'if_',
    'if_return',
    'if_value',
    'in_',
    'none_of',
    'not_',
    'not_in',
    'or_',
    'shape',
    'while_',
]


def if_(test, yes, no, names, objects=()):
    """The statement `if`: `names` are the variables it may change that are needed later, `objects`
    what else it changes.
    """
    if symbolic(test):
        _record.branch(test, yes, no, names, objects)
    elif test:
        yes()
    elif no is not None:
        no()


def if_return(test, yes, no, names, objects=()):
    """An `if` both branches of which return."""
    if symbolic(test):
        return _record.branch(test, yes, no, names, objects, returns=True)
    return yes() if test else no()


def if_value(test, yes, no):
    """The expression `yes() if test else no()`."""
    if symbolic(test):
        return _record.branch(test, yes, no, (), (), returns=True)
    return yes() if test else no()


def _goes_on(body, exits):
    """Whether none of the flags is set: a bool of Python, or a tensor that is being recorded."""
    return not exits or none_of(*(_record.cells(body)[n].cell_contents for n in exits))


def while_(test, body, exits, names, objects=()):
    """The statement `while`; the loop ends too when a variable of `exits` becomes true."""
    with _record.in_loop:
        while True:
            going = _goes_on(body, exits)
            if symbolic(going):
                break
            if not going:
                return
            going = test()
            if symbolic(going):
                break
            if not going:
                return
            body()
    _record.loop(test, body, exits, names, objects)


def for_(iterable, body, exits, names, objects=()):
    """The statement `for`: `body` is called with each item."""
    if is_sequence(iterable):
        _record.loop_over(as_sequence(iterable), body, exits, names, objects)
        return
    with _record.in_loop:
        for item in iterable:
            going = _goes_on(body, exits)
            if symbolic(going):
                _record.branch(
                    going, lambda item=item: body(item), None, names, objects, owners=(body,)
                )
            elif not going:
                return
            else:
                body(item)
