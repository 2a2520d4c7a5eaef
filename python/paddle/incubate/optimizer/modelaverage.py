# SPDX-License-Identifier: Apache-2.0
"""ModelAverage: the mean of the parameters over a sliding window of steps."""

import contextlib

import paddle
from paddle.base.arguments import only
from paddle.optimizer import Optimizer

__all__ = ['ModelAverage']

_MOST = 16384  # steps summed in one float accumulator before it is handed on


class ModelAverage(Optimizer):
    """The mean of parameters over the last steps.

    `step()` adds the parameters; inside `with model_average.apply():` they are the mean.

    A window closes when it has at least min_average_window steps and at least average_window_rate
    of all steps, but max_average_window steps at most; the window before it stays part of the mean.

    Args:
        average_window_rate (float): Which share of all steps a window has.
        parameters (list of Tensors, default None): The parameters.
        min_average_window (int, default 10000): How many steps a window has at least.
        max_average_window (int, default 10000): How many steps a window needs at most.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> w = paddle.create_parameter([1], "float32", is_bias=True)
        >>> average = paddle.incubate.ModelAverage(0.5, [w], 2, 10)
        >>> for value in (1.0, 3.0):
        ...     w.set_value(paddle.to_tensor([value]))
        ...     average.step()
        >>> with average.apply():
        ...     print(w.tolist())
        [2.0]
        >>> w.tolist()
        [3.0]
    """

    def __init__(
        self,
        average_window_rate,
        parameters=None,
        min_average_window=10000,
        max_average_window=10000,
        name=None,
    ):
        super().__init__(0.0, parameters, None, None, name)
        self.average_window, self.type = average_window_rate, 'average_accumulates'
        self.min_average_window, self.max_average_window = min_average_window, max_average_window

    def _states(self, param):
        sums = [self._add_accumulator(f'sum_{i}', param) for i in (1, 2, 3)]
        kept = self._add_accumulator('restore', param)
        counts = [
            self._add_accumulator(name, param, 'int64', 0, [1])
            for name in ('num_accumulates', 'old_num_accumulates', 'num_updates')
        ]
        return sums, kept, counts

    def _averaged(self):
        return [p for p in self._all_params() if not p.stop_gradient]

    def step(self):
        """Add the parameters as they are now."""
        with paddle.no_grad():
            for param in self._averaged():
                (one, two, three), _, counts = self._states(param)
                now, old, updates = (int(c) for c in counts)
                now, updates = now + 1, updates + 1
                one.add_(param)
                if updates % _MOST == 0:
                    two.add_(one)
                    one.zero_()
                window = min(self.max_average_window, int(updates * self.average_window))
                if now >= self.min_average_window and now >= window:
                    three.copy_(one + two, True)
                    one.zero_()
                    two.zero_()
                    now, old = 0, now
                for count, value in zip(counts, (now, old, updates)):
                    count.fill_(value)

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """The same as `step`: the loss was minimized by another optimizer."""
        only(
            'ModelAverage.minimize',
            'it averages the parameters it was made with',
            parameters=(parameters, None),
            no_grad_set=(no_grad_set, None),
        )
        self.step()
        return [], []

    @contextlib.contextmanager
    def apply(self, executor=None, need_restore=True):
        """Within the context parameters are their means; afterwards, with `need_restore`,
        themselves again.
        """
        with paddle.no_grad():
            for param in self._averaged():
                sums, kept, (now, old, _) = self._states(param)
                kept.copy_(param, True)
                total = int(now) + int(old)
                if total:
                    param.copy_((sums[0] + sums[1] + sums[2]) / total, True)
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def restore(self, executor=None):
        """Give the parameters the values they had when `apply` was entered."""
        with paddle.no_grad():
            for param in self._averaged():
                param.copy_(self._states(param)[1], True)
