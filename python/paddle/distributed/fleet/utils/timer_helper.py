# SPDX-License-Identifier: Apache-2.0
"""Timers by name."""

import time

from .log_util import logger

__all__ = ['get_timers', 'is_timer_initialized', 'set_timers']

_timers = None


def is_timer_initialized():
    """Whether `set_timers` was called."""
    return _timers is not None


def set_timers():
    """Make the timers of this process; AssertionError when they are there."""
    global _timers
    assert _timers is None, '[set_timers] expected one call, got another'
    _timers = Timers()


def get_timers():
    """The timers of this process; AssertionError before `set_timers`."""
    assert _timers is not None, '[get_timers] expected set_timers() to be called first, got none'
    return _timers


class _Timer:
    """Adds up what passes between `start` and `stop`."""

    def __init__(self, name):
        self.name = name
        self.reset()

    def start(self):
        """Begin; AssertionError where it runs."""
        assert self._began is None, f'[Timer.start] expected timer {self.name} to stand, got it on'
        self._began = time.perf_counter()

    def stop(self):
        """End; AssertionError where it stands."""
        assert self._began is not None, (
            f'[Timer.stop] expected timer {self.name} to run, got it off'
        )
        self._total += time.perf_counter() - self._began
        self._began = None

    def reset(self):
        """Forget what was added up, and stand."""
        self._total, self._began = 0.0, None

    def elapsed(self, reset=True):
        """Seconds so far; with `reset` counted anew from here."""
        runs = self._began is not None
        if runs:
            self.stop()
        total = self._total
        if reset:
            self.reset()
        if runs:
            self.start()
        return total


class Timers:
    """`timers(name)` is the timer of that name."""

    def __init__(self):
        self.timers = {}

    def __call__(self, name):
        return self.timers.setdefault(name, _Timer(name))

    def log(self, names, normalizer=1.0, reset=True):
        """Log the milliseconds of some timers, each divided by `normalizer`."""
        assert normalizer > 0.0, f'[Timers.log] expected a positive normalizer, got {normalizer}'
        parts = [
            f'{name}: {self.timers[name].elapsed(reset) * 1000 / normalizer:.2f}'
            for name in names
            if name in self.timers
        ]
        logger.info('time (ms) | %s', ' | '.join(parts))
