# SPDX-License-Identifier: Apache-2.0
"""Random variables: whether they are discrete, how many axes one event has, and what values are
possible.
"""

import paddle

from . import constraint as _constraint

__all__ = ['Variable', 'Real', 'Positive', 'Independent', 'Stack', 'real', 'positive']


class Variable:
    """A random variable."""

    def __init__(self, is_discrete=False, event_rank=0, constraint=None):
        self._is_discrete, self._event_rank, self._constraint = is_discrete, event_rank, constraint

    @property
    def is_discrete(self):
        """Whether the values are separate ones."""
        return self._is_discrete

    @property
    def event_rank(self):
        """How many axes at the end make one event."""
        return self._event_rank

    def constraint(self, value):
        """Whether each value is possible."""
        if self._constraint is None:
            raise AssertionError(
                "[Variable] expected a variable with a constraint, got one without"
            )
        return self._constraint(value)


class Real(Variable):
    """Any number."""

    def __init__(self, event_rank=0):
        super().__init__(False, event_rank, _constraint.real)


class Positive(Variable):
    """Numbers from 0 on."""

    def __init__(self, event_rank=0):
        super().__init__(False, event_rank, _constraint.positive)


class Independent(Variable):
    """`base` with its last axes made part of the event: it is possible when all of it is."""

    def __init__(self, base, reinterpreted_batch_rank):
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)

    def constraint(self, value):
        possible = self._base.constraint(value)
        if possible.ndim < self._reinterpreted_batch_rank:
            raise ValueError(
                f"[Independent] expected a value of at least {self._reinterpreted_batch_rank} "
                f"axes, got {possible.ndim}"
            )
        rank = self._reinterpreted_batch_rank
        return (
            paddle.all(possible, axis=list(range(possible.ndim - rank, possible.ndim)))
            if rank
            else possible
        )


class Stack(Variable):
    """Variables along an axis, one after another."""

    def __init__(self, vars, axis=0):
        self._vars, self._axis = vars, axis
        super().__init__(any(v.is_discrete for v in vars), max(v.event_rank for v in vars))

    @property
    def event_rank(self):
        """The most of any of them, and one more where the axis lies inside the event."""
        rank = max(v.event_rank for v in self._vars)
        return rank + 1 if self._axis + rank < 0 else rank

    def constraint(self, value):
        if not -value.ndim <= self._axis < value.ndim:
            raise ValueError(
                f"[Stack] expected a value with an axis {self._axis}, got shape {list(value.shape)}"
            )
        if value.shape[self._axis] != len(self._vars):
            raise ValueError(
                f"[Stack] expected {len(self._vars)} values along axis {self._axis}, got "
                f"{value.shape[self._axis]}"
            )
        return paddle.stack(
            [v.constraint(one) for v, one in zip(self._vars, paddle.unstack(value, self._axis))],
            self._axis,
        )


real, positive = Real(), Positive()
