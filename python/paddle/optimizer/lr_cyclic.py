# SPDX-License-Identifier: Apache-2.0
"""Schedulers that rise and fall within one run: one-cycle and cyclic policies."""

import math

from .lr import LRScheduler


def _positive_int(value, name, owner):
    if not isinstance(value, int):
        raise TypeError(f"[{owner}] expected {name} to be an int, got {type(value).__name__}")
    if value <= 0:
        raise ValueError(f"[{owner}] expected a positive {name}, got {value}")


class OneCycleLR(LRScheduler):
    """Rise from max/divide_factor to max, then fall to end_learning_rate, all in total_steps steps.

    Args:
        max_learning_rate (float): The largest rate.
        total_steps (int): How many steps there are.
        divide_factor (float, default 25.0): By what the first rate is smaller.
        end_learning_rate (float, default 0.0001): The last rate.
        phase_pct (float, default 0.3): Which part of the steps rises.
        anneal_strategy (str, default 'cos'): `cos` or `linear`.
        three_phase (bool, default False): Whether it falls to the first rate, then to the last.
        last_epoch (int, default -1): The step before the first; -1 for the beginning.
        verbose (bool, default False): Whether each change is printed.

    Source: Smith and Topin, Super-convergence, 2017

    Examples:
        >>> rate = paddle.optimizer.lr.OneCycleLR(1.0, 4, divide_factor=4.0, phase_pct=0.5)
        >>> rate()
        0.25
    """

    def __init__(
        self,
        max_learning_rate,
        total_steps,
        divide_factor=25.0,
        end_learning_rate=0.0001,
        phase_pct=0.3,
        anneal_strategy='cos',
        three_phase=False,
        last_epoch=-1,
        verbose=False,
    ):
        if not isinstance(max_learning_rate, (float, int)):
            raise TypeError(
                "[OneCycleLR] expected max_learning_rate to be a number, got "
                f"{type(max_learning_rate).__name__}"
            )
        if max_learning_rate < 0:
            raise ValueError(
                f"[OneCycleLR] expected max_learning_rate of at least 0, got {max_learning_rate}"
            )
        if not isinstance(end_learning_rate, (float, int)):
            raise TypeError(
                "[OneCycleLR] expected end_learning_rate to be a number, got "
                f"{type(end_learning_rate).__name__}"
            )
        if end_learning_rate < 0:
            raise ValueError(
                f"[OneCycleLR] expected end_learning_rate of at least 0, got {end_learning_rate}"
            )
        _positive_int(total_steps, 'total_steps', 'OneCycleLR')
        self.total_steps = total_steps
        if not isinstance(phase_pct, float):
            raise TypeError(
                f"[OneCycleLR] expected phase_pct to be a float, got {type(phase_pct).__name__}"
            )
        if not 0 <= phase_pct <= 1:
            raise ValueError(f"[OneCycleLR] expected phase_pct from 0 to 1, got {phase_pct}")
        if not isinstance(divide_factor, (float, int)):
            raise TypeError(
                "[OneCycleLR] expected divide_factor to be a number, got "
                f"{type(divide_factor).__name__}"
            )

        initial = max_learning_rate / float(divide_factor)
        low = float(end_learning_rate)
        if three_phase:
            if phase_pct >= 0.5:
                raise ValueError(
                    "[OneCycleLR] expected phase_pct below 0.5 for three_phase=True, got "
                    f"{phase_pct}"
                )
            up = phase_pct * total_steps
            self._step_config = [0, up - 1, 2 * up - 2, total_steps - 1, total_steps - 1]
            self._steps_size = [
                up - 1,
                up - 1,
                total_steps - 1 - (2 * up - 2),
                total_steps - 1 - (2 * up - 2),
            ]
            self._lr_config = [initial, max_learning_rate, initial, low]
        else:
            up = phase_pct * total_steps
            self._step_config = [0, up - 1, total_steps - 1, total_steps - 1]
            self._steps_size = [up - 1, total_steps - 1 - (up - 1), total_steps - 1 - (up - 1)]
            self._lr_config = [initial, max_learning_rate, low]
        if anneal_strategy == 'cos':
            self.anneal_func = self._cos_annealing
        elif anneal_strategy == 'linear':
            self.anneal_func = self._linear_annealing
        else:
            raise ValueError(
                f"[OneCycleLR] expected anneal_strategy 'cos' or 'linear', got {anneal_strategy!r}"
            )
        super().__init__(initial, last_epoch, verbose)

    def _cos_annealing(self, start, end, pct):
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    def _linear_annealing(self, start, end, pct):
        return (end - start) * pct + start

    def get_lr(self):
        now = self.last_epoch
        if now > self.total_steps:
            raise ValueError(f"[OneCycleLR] expected at most {self.total_steps} steps, got {now}")
        phases = len(self._lr_config) - 1
        for i in range(phases):
            if now <= self._step_config[i + 1] or i == phases - 1:
                percentage = (now - self._step_config[i]) / self._steps_size[i]
                return self.anneal_func(self._lr_config[i], self._lr_config[i + 1], percentage)


class CyclicLR(LRScheduler):
    """Between base and max in triangles, whose height `mode` or `scale_fn` changes with the cycle
    or the step.

    Args:
        base_learning_rate (float): The least rate.
        max_learning_rate (float): The largest rate.
        step_size_up (int): How many steps up.
        step_size_down (int, default None): How many down; None for as many.
        mode (str, default 'triangular'): `triangular`, `triangular2` (halved in each cycle) or
            `exp_range`.
        exp_gamma (float, default 1.0): The factor of `exp_range`.
        scale_fn (callable, default None): The height, instead of mode.
        scale_mode (str, default 'cycle'): What scale_fn is given: `cycle` or `iterations`.
        last_epoch (int, default -1): The step before the first; -1 for the beginning.
        verbose (bool, default False): Whether each change is printed.

    Source: Smith, Cyclical learning rates for training neural networks, 2015

    Examples:
        >>> rate = paddle.optimizer.lr.CyclicLR(0.1, 0.5, step_size_up=2)
        >>> rates = []
        >>> for _ in range(5):
        ...     rates.append(round(rate(), 3))
        ...     rate.step()
        >>> rates
        [0.1, 0.3, 0.5, 0.3, 0.1]
    """

    def __init__(
        self,
        base_learning_rate,
        max_learning_rate,
        step_size_up,
        step_size_down=None,
        mode='triangular',
        exp_gamma=1.0,
        scale_fn=None,
        scale_mode='cycle',
        last_epoch=-1,
        verbose=False,
    ):
        if not isinstance(max_learning_rate, (float, int)):
            raise TypeError(
                "[CyclicLR] expected max_learning_rate to be a number, got "
                f"{type(max_learning_rate).__name__}"
            )
        if max_learning_rate < 0:
            raise ValueError(
                f"[CyclicLR] expected max_learning_rate of at least 0, got {max_learning_rate}"
            )
        _positive_int(step_size_up, 'step_size_up', 'CyclicLR')
        if step_size_down is not None:
            _positive_int(step_size_down, 'step_size_down', 'CyclicLR')
        if not isinstance(exp_gamma, float):
            raise TypeError(
                f"[CyclicLR] expected exp_gamma to be a float, got {type(exp_gamma).__name__}"
            )
        down = step_size_down if step_size_down is not None else step_size_up
        self.cycle_size = step_size_up + down
        self.step_up_pct = step_size_up / self.cycle_size
        self.max_lr = float(max_learning_rate)
        self.amplitude = self.max_lr - base_learning_rate
        if mode not in ('triangular', 'triangular2', 'exp_range') and scale_fn is None:
            raise ValueError(
                "[CyclicLR] expected mode 'triangular', 'triangular2' or 'exp_range' or a "
                f"scale_fn, got {mode!r} alone"
            )
        if scale_mode not in ('cycle', 'iterations'):
            raise ValueError(
                f"[CyclicLR] expected scale_mode 'cycle' or 'iterations', got {scale_mode!r}"
            )
        self.mode = mode
        self.gamma = exp_gamma
        if scale_fn is not None:
            self.scale_fn, self.scale_mode = scale_fn, scale_mode
        elif mode == 'triangular':
            self.scale_fn, self.scale_mode = self._triangular, 'cycle'
        elif mode == 'triangular2':
            self.scale_fn, self.scale_mode = self._halving, 'cycle'
        else:
            self.scale_fn, self.scale_mode = self._exponential, 'iterations'
        super().__init__(base_learning_rate, last_epoch, verbose)

    def _triangular(self, x):
        return 1.0

    def _halving(self, x):
        return 1 / (2.0 ** (x - 1))

    def _exponential(self, x):
        return self.gamma**x

    def get_lr(self):
        now = self.last_epoch
        cycle = 1 + now // self.cycle_size
        position = 1.0 + now / self.cycle_size - cycle
        if position <= self.step_up_pct:
            height = position / self.step_up_pct
        else:
            height = (1 - position) / (1 - self.step_up_pct)
        at = cycle if self.scale_mode == 'cycle' else now
        return self.base_lr + self.amplitude * height * self.scale_fn(at)
