# SPDX-License-Identifier: Apache-2.0
"""Exponential moving averages of the parameters of a program."""

import contextlib

import paddle
from paddle.base import libpaddle as _core
from paddle.static import program as _program

__all__ = ['ExponentialMovingAverage']


class ExponentialMovingAverage:
    """Averages of the trainable parameters of the default main program.

    At each update avg = decay * avg + (1 - decay) * parameter. Averages start at 0; `apply` divides
    by one minus the product of all decays, so that early averages are not too small.

    Args:
        decay (float, default 0.999): How much of the average an update keeps.
        thres_steps (Tensor, default None): A variable that counts steps: the decay of an update is
            then min(decay, (1 + steps) / (10 + steps)).
        name (str, default None): The beginning of the names of the averages.

    Raises:
        Exception: Outside static mode.

    Source: Polyak and Juditsky, Acceleration of stochastic approximation by averaging (1992); the
        correction is that of Adam, https://arxiv.org/abs/1412.6980.

    Examples:
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.static.create_parameter([1], "float32")
        ...     loss = paddle.sum((w - 4.0) ** 2)
        ...     _ = paddle.optimizer.SGD(0.5).minimize(loss)
        ...     ema = paddle.static.ExponentialMovingAverage(0.5)
        ...     ema.update()
        >>> exe = paddle.static.Executor()
        >>> _ = exe.run(startup)
        >>> _ = exe.run(main)
        >>> with ema.apply(exe):
        ...     print(exe.run(main.clone(for_test=True), fetch_list=[w])[0].tolist())
        [4.0]
    """

    def __init__(self, decay=0.999, thres_steps=None, name=None):
        if paddle.in_dynamic_mode():
            raise Exception("[ExponentialMovingAverage] expected static mode, got dynamic mode")
        self._decay, self._steps, self._prefix = float(decay), thres_steps, (name or '') + 'ema_'
        self._parameters = [
            p
            for p in _program.default_main_program().all_parameters()
            if not p.stop_gradient and getattr(p, 'do_model_average', None) is not False
        ]
        self._averages = [
            self._state(list(p.shape), 0.0, p.dtype, p.name) for p in self._parameters
        ]
        self._left = self._state([1], 1.0, 'float64', 'decay_product')
        self._kept = []

    def _state(self, shape, value, dtype, name):
        return _program.create_global_var(
            shape,
            value,
            dtype,
            persistable=True,
            name=paddle.utils.unique_name.generate(f'{self._prefix}{name}'),
        )

    def update(self):
        """Append the update of the averages to the default main program."""
        decay = paddle.full([1], self._decay, 'float64')
        if self._steps is not None:
            steps = paddle.reshape(paddle.cast(self._steps, 'float64'), [1])
            decay = paddle.minimum(decay, (steps + 1.0) / (steps + 10.0))
        with paddle.no_grad():
            for parameter, average in zip(self._parameters, self._averages):
                share = paddle.cast(decay, average.dtype)
                paddle.assign(average * share + parameter * (1.0 - share), average)
            paddle.assign(self._left * decay, self._left)

    @contextlib.contextmanager
    def apply(self, executor, need_restore=True):
        """Inside, the parameters are their averages; afterwards they are themselves again, unless
        `need_restore` is False.
        """
        with _program.running(), paddle.no_grad():
            self._kept = [p.detach().clone() for p in self._parameters]
            scale = 1.0 - float(self._left.numpy()[0])
            for parameter, average in zip(self._parameters, self._averages):
                if scale > 0:
                    _core.pir._write_back(
                        parameter, (average.detach() / scale).astype(parameter.dtype)
                    )
        try:
            yield
        finally:
            if need_restore:
                self.restore(executor)

    def restore(self, executor):
        """The parameters are again what they were before `apply`."""
        with _program.running(), paddle.no_grad():
            for parameter, kept in zip(self._parameters, self._kept):
                _core.pir._write_back(parameter, kept)
        self._kept = []
