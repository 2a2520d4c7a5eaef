# SPDX-License-Identifier: Apache-2.0
"""Learning-rate schedulers: pure Python, one number for each step."""

import bisect
import math
import numbers
import warnings

from paddle import _lazy
from paddle.base.arguments import instance
from paddle.base.known_keywords import KnownKeywords
from paddle.static.program import running

__all__ = [
    'CosineAnnealingDecay',
    'CosineAnnealingWarmRestarts',
    'CyclicLR',
    'ExponentialDecay',
    'InverseTimeDecay',
    'LRScheduler',
    'LambdaDecay',
    'LinearLR',
    'LinearWarmup',
    'MultiStepDecay',
    'MultiplicativeDecay',
    'NaturalExpDecay',
    'NoamDecay',
    'OneCycleLR',
    'PiecewiseDecay',
    'PolynomialDecay',
    'ReduceOnPlateau',
    'StepDecay',
]


def _require(owner, cond, kind, expected, got):
    """An error of `kind` unless `cond`."""
    if not cond:
        raise kind(f"[{type(owner).__name__}] expected {expected}, got {got!r}")


class LRScheduler(KnownKeywords):
    """Base of all schedulers. A subclass gives `get_lr()` in terms of `self.base_lr` and
    `self.last_epoch`.

    Args:
        learning_rate (float or LRScheduler, default 0.1): The rate.
        last_epoch (int, default -1): The step before the first; -1 for the beginning.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> class Halved(paddle.optimizer.lr.LRScheduler):
        ...     def get_lr(self):
        ...         return self.base_lr * 0.5**self.last_epoch
        >>> rate = Halved(0.8)
        >>> rate.step()
        >>> rate()
        0.4
    """

    def __init__(self, learning_rate=0.1, last_epoch=-1, verbose=False):
        if isinstance(learning_rate, bool) or not isinstance(learning_rate, (float, int)):
            raise TypeError(
                f"[{type(self).__name__}] expected learning_rate to be a number, got "
                f"{type(learning_rate).__name__}"
            )
        if learning_rate < 0:
            raise ValueError(
                f"[{type(self).__name__}] expected learning_rate of at least 0, got {learning_rate}"
            )
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self):
        """The learning rate of the current step."""
        return self.last_lr

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        rates = self.__dict__.get('_rates') if name == 'last_lr' else None
        if rates:
            with running():
                for rate in rates:
                    rate.fill_(value)

    def _lead(self, rate):
        """Keep the tensor `rate` equal to the learning rate from now on."""
        rates = self.__dict__.setdefault('_rates', [])
        if not any(rate is r for r in rates):
            rates.append(rate)

    def step(self, epoch=None):
        """Move to the next step, or to `epoch` when given."""
        if epoch is None:
            self.last_epoch += 1
            self.last_lr = self.get_lr()
        else:
            self.last_epoch = epoch
            closed = getattr(self, '_get_closed_form_lr', None)
            self.last_lr = closed() if closed is not None else self.get_lr()
        if self.verbose:
            print(
                f'Epoch {self.last_epoch}: {self.__class__.__name__} set learning rate to '
                f'{self.last_lr}.'
            )

    def state_keys(self):
        """Choose the attributes that `state_dict` saves, in `self.keys`."""
        self.keys = ['last_epoch', 'last_lr']

    def state_dict(self):
        """The saved attributes, numbers only."""
        self.state_keys()
        state = {}
        for key in self.keys:
            if key not in self.__dict__:
                continue
            value = self.__dict__[key]
            if hasattr(value, 'numpy'):
                _require(
                    self, value.size == 1, AssertionError, f"one element for {key!r}", value.size
                )
                value = float(value)
            state[key] = value
        return state

    def set_state_dict(self, state_dict):
        """Restore what `state_dict` gave. Raises RuntimeError when a key is missing."""
        self.state_keys()
        for key in self.keys:
            if key not in state_dict:
                raise RuntimeError(
                    f"[{type(self).__name__}.set_state_dict] expected a value for {key!r}, got none"
                )
            setattr(self, key, state_dict[key])
        if len(state_dict) > len(self.keys):
            warnings.warn(
                f"[{type(self).__name__}.set_state_dict] entries beside {list(self.keys)} are not "
                "used"
            )

    set_dict = set_state_dict
    load_state_dict = set_state_dict

    def get_lr(self):
        """The learning rate at `self.last_epoch`; subclasses define it."""
        raise NotImplementedError(
            f"[{type(self).__name__}.get_lr] expected a subclass to define it, got none"
        )


class NoamDecay(LRScheduler):
    """learning_rate * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5).

    Args:
        d_model (int): The width of the model.
        warmup_steps (int): How many steps the rate rises.
        learning_rate (float, default 1.0): The factor of all.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Source: Vaswani et al., Attention Is All You Need, 2017 (arXiv:1706.03762)

    Examples:
        >>> schedule = paddle.optimizer.lr.NoamDecay(d_model=64, warmup_steps=2)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.0, 0.0442, 0.0884, 0.0722]
    """

    def __init__(self, d_model, warmup_steps, learning_rate=1.0, last_epoch=-1, verbose=False):
        _require(self, d_model > 0, ValueError, "a positive d_model", d_model)
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        a = 1 if self.last_epoch == 0 else self.last_epoch**-0.5
        b = self.warmup_steps**-1.5 * self.last_epoch
        return self.base_lr * (self.d_model**-0.5) * min(a, b)


class PiecewiseDecay(LRScheduler):
    """values[i] while the step is below boundaries[i]; the last value afterwards.

    Args:
        boundaries (list of ints): The steps where the rate changes.
        values (list of floats): The rates, one more than boundaries.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.PiecewiseDecay(boundaries=[1, 3], values=[1.0, 0.5, 0.1])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.5, 0.1]
    """

    def __init__(self, boundaries, values, last_epoch=-1, verbose=False):
        for name, given in (("boundaries", boundaries), ("values", values)):
            instance("PiecewiseDecay", name, given, (list, tuple), "a list")
        _require(self, len(boundaries) > 0, ValueError, "at least one boundary", boundaries)
        _require(
            self,
            len(values) > len(boundaries),
            ValueError,
            f"{len(boundaries) + 1} values, one more than boundaries",
            len(values),
        )
        self.boundaries = boundaries
        self.values = values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self):
        for bound, value in zip(self.boundaries, self.values):
            if self.last_epoch < bound:
                return value
        return self.values[len(self.values) - 1]


class NaturalExpDecay(LRScheduler):
    """learning_rate * exp(-gamma * step).

    Args:
        learning_rate (float): The rate.
        gamma (float): The factor.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.NaturalExpDecay(0.5, gamma=0.1)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.5, 0.4524, 0.4094, 0.3704]
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        instance("NaturalExpDecay", "gamma", gamma, (float, int), "a number")
        _require(self, gamma > 0.0, AssertionError, "a positive gamma", gamma)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * math.exp(-1 * self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """learning_rate / (1 + gamma * step).

    Args:
        learning_rate (float): The rate.
        gamma (float): The factor.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.InverseTimeDecay(0.5, gamma=0.1)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.5, 0.4545, 0.4167, 0.3846]
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """Polynomial fall from learning_rate to end_lr in decay_steps, optionally in growing
    cycles.

    Args:
        learning_rate (float): The rate.
        decay_steps (int): How many steps the fall takes.
        end_lr (float, default 0.0001): The last rate.
        power (float, default 1.0): The exponent.
        cycle (bool, default False): Whether the fall begins again, each time longer.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.PolynomialDecay(1.0, decay_steps=2, end_lr=0.0)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.0, 0.0]
    """

    def __init__(
        self,
        learning_rate,
        decay_steps,
        end_lr=0.0001,
        power=1.0,
        cycle=False,
        last_epoch=-1,
        verbose=False,
    ):
        _require(
            self,
            decay_steps > 0 and isinstance(decay_steps, int),
            AssertionError,
            "decay_steps to be a positive int",
            decay_steps,
        )
        self.decay_steps = decay_steps
        self.end_lr = end_lr
        _require(self, power > 0.0, AssertionError, "a positive power", power)
        self.power = power
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        step, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            rounds = math.ceil(float(step) / float(steps))
            steps = steps * (1 if step == 0 else rounds)
        else:
            step = min(step, steps)
        return (self.base_lr - self.end_lr) * (
            (1 - float(step) / float(steps)) ** self.power
        ) + self.end_lr


class LinearWarmup(LRScheduler):
    """Linear rise from start_lr to end_lr in warmup_steps, then `learning_rate` (a number or a
    scheduler).

    Args:
        learning_rate (float or LRScheduler): What follows the rise.
        warmup_steps (int): How many steps the rise takes.
        start_lr (float): The first rate.
        end_lr (float): The rate that the rise ends at.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.LinearWarmup(0.5, 2, start_lr=0.0, end_lr=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.0, 0.25, 0.5, 0.5]
    """

    def __init__(self, learning_rate, warmup_steps, start_lr, end_lr, last_epoch=-1, verbose=False):
        if isinstance(learning_rate, bool) or not isinstance(
            learning_rate, (float, int, LRScheduler)
        ):
            raise TypeError(
                "[LinearWarmup] expected learning_rate to be a number or an LRScheduler, got "
                f"{type(learning_rate).__name__}"
            )
        _require(
            self,
            warmup_steps > 0 and isinstance(warmup_steps, int),
            AssertionError,
            "warmup_steps to be a positive int",
            warmup_steps,
        )
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        _require(
            self, end_lr > start_lr, AssertionError, f"end_lr above start_lr {start_lr}", end_lr
        )
        super().__init__(start_lr, last_epoch, verbose)

    def state_dict(self):
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state['LinearWarmup_LR'] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        inner = (
            state_dict.get('LinearWarmup_LR')
            if isinstance(self.learning_rate, LRScheduler)
            else None
        )
        super().set_state_dict({k: v for k, v in state_dict.items() if k != 'LinearWarmup_LR'})
        if inner is not None:
            self.learning_rate.set_state_dict(inner)

    set_dict = set_state_dict
    load_state_dict = set_state_dict

    def get_lr(self):
        rate, beyond = self.learning_rate, self.last_epoch - self.warmup_steps
        if beyond < 0:
            rise = self.end_lr - self.start_lr
            return rise * self.last_epoch / self.warmup_steps + self.start_lr
        if not isinstance(rate, LRScheduler):
            return rate
        rate.step(beyond)
        return rate()


class ExponentialDecay(LRScheduler):
    """learning_rate * gamma ** step, with 0 < gamma < 1.

    Args:
        learning_rate (float): The rate.
        gamma (float): The factor, in (0, 1).
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.ExponentialDecay(0.5, gamma=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.5, 0.25, 0.125, 0.0625]
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        _require(self, 0.0 < gamma < 1.0, AssertionError, "gamma above 0 and below 1", gamma)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * (self.gamma**self.last_epoch)


class MultiStepDecay(LRScheduler):
    """Times gamma at every milestone passed.

    Args:
        learning_rate (float): The rate.
        milestones (list of ints): The steps where the rate falls.
        gamma (float, default 0.1): The factor.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.MultiStepDecay(1.0, milestones=[1, 3], gamma=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, learning_rate, milestones, gamma=0.1, last_epoch=-1, verbose=False):
        if not isinstance(milestones, (tuple, list)):
            raise TypeError(
                "[MultiStepDecay] expected milestones to be a list or tuple, got "
                f"{type(milestones).__name__}"
            )
        if not all(a < b for a, b in zip(milestones, milestones[1:])):
            raise ValueError(f"[MultiStepDecay] expected ascending milestones, got {milestones}")
        _require(self, gamma < 1.0, ValueError, "gamma below 1", gamma)
        self.milestones = milestones
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * (self.gamma ** bisect.bisect_right(self.milestones, self.last_epoch))


class StepDecay(LRScheduler):
    """Times gamma every step_size steps.

    Args:
        learning_rate (float): The rate.
        step_size (int): How many steps a rate stays.
        gamma (float, default 0.1): The factor.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.StepDecay(1.0, step_size=2, gamma=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, learning_rate, step_size, gamma=0.1, last_epoch=-1, verbose=False):
        if not isinstance(step_size, int):
            raise TypeError(
                f"[StepDecay] expected step_size to be an int, got {type(step_size).__name__}"
            )
        _require(self, gamma < 1.0, ValueError, "gamma below 1", gamma)
        _require(self, step_size > 0, AssertionError, "a positive step_size", step_size)
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * (self.gamma ** (self.last_epoch // self.step_size))


class LambdaDecay(LRScheduler):
    """learning_rate * lr_lambda(step).

    Args:
        learning_rate (float): The rate.
        lr_lambda (callable): The factor of a step.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.LambdaDecay(1.0, lambda step: 0.5**step)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, learning_rate, lr_lambda, last_epoch=-1, verbose=False):
        if not callable(lr_lambda):
            raise TypeError(
                f"[LambdaDecay] expected lr_lambda to be a function, got {type(lr_lambda).__name__}"
            )
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """Times lr_lambda(step) at every step.

    Args:
        learning_rate (float): The rate.
        lr_lambda (callable): The factor from the step before.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.MultiplicativeDecay(1.0, lambda step: 0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(self, learning_rate, lr_lambda, last_epoch=-1, verbose=False):
        if not callable(lr_lambda):
            raise TypeError(
                "[MultiplicativeDecay] expected lr_lambda to be a function, got "
                f"{type(lr_lambda).__name__}"
            )
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        lr = self.base_lr
        for epoch in range(1, self.last_epoch + 1):
            lr = lr * self.lr_lambda(epoch)
        return lr


class CosineAnnealingDecay(LRScheduler):
    """Half a cosine from learning_rate to eta_min in T_max steps, then back, and so on.

    Args:
        learning_rate (float): The rate.
        T_max (int): How many steps half a cosine takes.
        eta_min (float, default 0): The least rate.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Source: Loshchilov and Hutter, SGDR, 2016 (arXiv:1608.03983)

    Examples:
        >>> schedule = paddle.optimizer.lr.CosineAnnealingDecay(1.0, T_max=2)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 0.0, 0.5]
    """

    def __init__(self, learning_rate, T_max, eta_min=0, last_epoch=-1, verbose=False):
        if not isinstance(T_max, int):
            raise TypeError(
                f"[CosineAnnealingDecay] expected T_max to be an int, got {type(T_max).__name__}"
            )
        if not isinstance(eta_min, (float, int)):
            raise TypeError(
                "[CosineAnnealingDecay] expected eta_min to be a number, got "
                f"{type(eta_min).__name__}"
            )
        _require(self, T_max > 0, AssertionError, "a positive T_max", T_max)
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self.base_lr
        period = self.T_max
        if (self.last_epoch - 1 - period) % (2 * period) == 0:
            return (
                self.last_lr + (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / period)) / 2
            )
        now = 1 + math.cos(math.pi * self.last_epoch / period)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / period)
        return now / before * (self.last_lr - self.eta_min) + self.eta_min

    def _get_closed_form_lr(self):
        swing = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return self.eta_min + (self.base_lr - self.eta_min) * swing / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines from learning_rate to eta_min; each period is T_mult times as long as the
    one before.

    Args:
        learning_rate (float): The rate.
        T_0 (int): How many steps the first period takes.
        T_mult (int, default 1): How many times as long each next one is.
        eta_min (float, default 0): The least rate.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Source: Loshchilov and Hutter, SGDR, 2016 (arXiv:1608.03983)

    Examples:
        >>> schedule = paddle.optimizer.lr.CosineAnnealingWarmRestarts(1.0, T_0=2)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(self, learning_rate, T_0, T_mult=1, eta_min=0, last_epoch=-1, verbose=False):
        _require(
            self, T_0 > 0 and isinstance(T_0, int), ValueError, "T_0 to be a positive int", T_0
        )
        _require(
            self,
            T_mult >= 1 and isinstance(T_mult, int),
            ValueError,
            "T_mult to be a positive int",
            T_mult,
        )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        swing = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return self.eta_min + (self.base_lr - self.eta_min) * swing / 2

    def step(self, epoch=None):
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            _require(self, epoch >= 0, ValueError, "epoch of at least 0", epoch)
            self.T_cur, self.T_i = epoch, self.T_0
            if epoch >= self.T_0:
                if self.T_mult == 1:
                    self.T_cur = epoch % self.T_0
                else:
                    n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                    self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
                    self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self.last_lr = self.get_lr()
        if self.verbose:
            print(
                f'Epoch {self.last_epoch}: {self.__class__.__name__} set learning rate to '
                f'{self.last_lr}.'
            )


class LinearLR(LRScheduler):
    """The factor goes in a line from start_factor to end_factor in total_steps.

    Args:
        learning_rate (float): The rate.
        total_steps (int): How many steps the change takes.
        start_factor (float, default 0.3333333333333333): The first factor.
        end_factor (float, default 1.0): The last factor.
        last_epoch (int, default -1): The step to continue from; -1 to begin.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> schedule = paddle.optimizer.lr.LinearLR(1.0, total_steps=2, start_factor=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(schedule())
        ...     schedule.step()
        >>> rates
        [0.5, 0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        learning_rate,
        total_steps,
        start_factor=1.0 / 3,
        end_factor=1.0,
        last_epoch=-1,
        verbose=False,
    ):
        _require(
            self,
            0 < start_factor <= 1.0,
            ValueError,
            "start_factor above 0 and at most 1",
            start_factor,
        )
        _require(self, 0 <= end_factor <= 1.0, ValueError, "end_factor from 0 to 1", end_factor)
        _require(self, total_steps > 0, ValueError, "positive total_steps", total_steps)
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_steps = total_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self.base_lr * self.start_factor
        if self.last_epoch > self.total_steps:
            return self.last_lr
        rise = self.end_factor - self.start_factor
        base = self.total_steps * self.start_factor
        return self.last_lr * (1.0 + rise / (base + (self.last_epoch - 1) * rise))


class ReduceOnPlateau(LRScheduler):
    """Times factor when the metric given to `step` has not improved for `patience` steps.

    Args:
        learning_rate (float): The rate.
        mode (str, default 'min'): `min` or `max`.
        factor (float, default 0.1): The factor.
        patience (int, default 10): How many steps without a better one are borne.
        threshold (float, default 0.0001): By how much a better one differs at least.
        threshold_mode (str, default 'rel'): `rel` or `abs`.
        cooldown (int, default 0): How many steps after a change do not count.
        min_lr (float, default 0): The least rate.
        epsilon (float, default 1e-08): Smaller changes are not made.
        verbose (bool, default False): Whether each change is printed.

    Examples:
        >>> rate = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
        >>> for loss in (1.0, 1.0, 1.0):
        ...     rate.step(loss)
        >>> rate()
        0.5
    """

    def __init__(
        self,
        learning_rate,
        mode='min',
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode='rel',
        cooldown=0,
        min_lr=0,
        epsilon=1e-8,
        verbose=False,
    ):
        mode = mode.lower()
        threshold_mode = threshold_mode.lower()
        _require(self, mode in ('min', 'max'), ValueError, "mode 'min' or 'max'", mode)
        _require(self, factor < 1.0, ValueError, "factor below 1", factor)
        _require(
            self,
            threshold_mode in ('rel', 'abs'),
            ValueError,
            "threshold_mode 'rel' or 'abs'",
            threshold_mode,
        )
        if not isinstance(learning_rate, (float, int)):
            raise TypeError(
                "[ReduceOnPlateau] expected learning_rate to be a number, got "
                f"{type(learning_rate).__name__}"
            )
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.epsilon = epsilon
        self.cooldown_counter = 0
        self.best = None
        self.num_bad_epochs = 0
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = 0
        self.verbose = verbose

    def state_keys(self):
        self.keys = ['cooldown_counter', 'best', 'num_bad_epochs', 'last_epoch', 'last_lr']

    def step(self, metrics, epoch=None):
        """Take the metric (number, or tensor or array of one element) of a finished step."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if hasattr(metrics, 'shape'):
            size = math.prod(metrics.shape)
            _require(self, size == 1, AssertionError, "metrics of one element", size)
            metrics = metrics.item()
        elif not isinstance(metrics, numbers.Number):
            raise TypeError(
                "[ReduceOnPlateau.step] expected metrics to be a number, an array or a tensor, "
                f"got {type(metrics).__name__}"
            )
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(metrics, self.best):
            self.best = metrics
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
            new_lr = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - new_lr > self.epsilon:
                self.last_lr = new_lr
                if self.verbose:
                    print(
                        f'Epoch {self.last_epoch}: {self.__class__.__name__} set learning rate to '
                        f'{self.last_lr}.'
                    )

    def _is_better(self, current, best):
        if self.threshold_mode == 'rel':
            margin = best * self.threshold
        else:
            margin = self.threshold
        return current < best - margin if self.mode == 'min' else current > best + margin


from .lr_cyclic import CyclicLR, OneCycleLR  # noqa: E402  (they derive from LRScheduler above)

_lazy.serve(globals())
