# SPDX-License-Identifier: Apache-2.0
"""What running a startup program does: first values of parameters and state, again at each run.

Parameters hold their first values from the moment they are made, drawn without advancing the
generator: the first run of the startup program draws the same numbers, as PaddlePaddle's, where
only that run draws.
"""

import contextlib
import copy

from paddle.base import libpaddle as _core
from paddle.framework import random


class _Initialisations:
    def __init__(self):
        self.items, self.seen, self.ahead = [], None, None


def _of(startup):
    return startup.__dict__.setdefault('_initialisations', _Initialisations())


@contextlib.contextmanager
def drawing(startup):
    """Inside, random numbers are those `startup` will draw next; afterwards the generator is where
    it was.
    """
    plan, here = _of(startup), random.all_states()
    try:
        if plan.ahead is not None and plan.seen == here:
            random.set_all_states(plan.ahead)
        yield
    finally:
        plan.seen, plan.ahead = here, random.all_states()
        random.set_all_states(here)


def first_value(initializer, shape, dtype):
    """A tensor with the first value of a parameter being made, and a function that makes it again.

    A startup program with a random seed gives it to initializers without one of their own, as it is
    when they are used.
    """
    from paddle.static import program as _program

    startup = _program.default_startup_program()
    if startup.random_seed and getattr(initializer, '_seed', None) == 0:
        initializer = copy.copy(initializer)
        initializer._seed = startup.random_seed

    def create():
        return initializer.create(shape, dtype)

    with drawing(startup):
        return create(), create


def add(startup, tensor, create):
    """Running `startup` gives `tensor` the value of `create()`."""
    _of(startup).items.append((tensor, create))


def give(tensor, create):
    """Give `tensor` the value of `create()`: now and, in static mode, whenever the default startup
    program runs.
    """
    import paddle
    from paddle.static import program as _program

    with _program.running(), paddle.no_grad():
        tensor.set_value(create())
    if _program._static_mode():
        add(_program.default_startup_program(), tensor, create)


def run(startup):
    """Initialise everything anew, in the order of making."""
    import paddle
    from paddle.static.program import running

    plan = startup.__dict__.get('_initialisations')
    if plan is None:
        return
    with running(), paddle.no_grad():
        for tensor, create in plan.items:
            value = create()  # of the dtype that the tensor was made with
            _core.pir._write_back(tensor, value.astype(tensor.dtype))
    plan.seen = plan.ahead = None


def tensors(startup):
    """What the startup program initialises, by name."""
    plan = startup.__dict__.get('_initialisations')
    return {} if plan is None else {tensor.name: tensor for tensor, _ in plan.items}
