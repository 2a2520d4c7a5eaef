# SPDX-License-Identifier: Apache-2.0
"""Settings that a search may vary: each knows its values, its default and how to draw one."""

import numpy as np

from paddle.base.arguments import integer

__all__ = ['Boolean', 'Choice', 'Fixed', 'FloatRange', 'IntRange', 'TunableVariable']


class TunableVariable:
    """A setting with a name and a default."""

    def __init__(self, name, default=None):
        self.name, self._default = name, default

    @property
    def default(self):
        """The value before a search."""
        return self._default

    def get_state(self):
        """What `from_state` makes the setting of."""
        return {'name': self.name, 'default': self._default}

    @classmethod
    def from_state(cls, state):
        """The setting that gave this state."""
        return cls(**state)

    def __repr__(self):
        given = ', '.join(f'{key}: {value}' for key, value in self.get_state().items())
        return f'{type(self).__name__}({given})'


class _Drawn(TunableVariable):
    def _values(self):
        raise NotImplementedError

    def random(self, seed=None):
        """One of the values."""
        values = self._values()
        return values[np.random.default_rng(seed).integers(len(values))]


class Fixed(_Drawn):
    """A setting of one value."""

    def __init__(self, name, default):
        if not isinstance(default, (str, int, float, bool)):
            raise ValueError(
                f'[Fixed] expected a default of str, int, float or bool, got {default!r}'
            )
        super().__init__(name, default)

    def _values(self):
        return (self._default,)


class Boolean(_Drawn):
    """True or False."""

    def __init__(self, name, default=False):
        if default not in (True, False):
            raise ValueError(f'[Boolean] expected a default of True or False, got {default!r}')
        super().__init__(name, default)

    def _values(self):
        return (True, False)


class Choice(_Drawn):
    """One of several values of one type."""

    def __init__(self, name, values, default=None):
        kinds = {type(value) for value in values}
        if len(kinds) > 1:
            raise TypeError(f'[Choice] expected values of one type, got {values}')
        self.values = list(values)
        if default is not None and default not in self.values:
            raise ValueError(f'[Choice] expected a default among {values}, got {default!r}')
        super().__init__(name, default)

    @property
    def default(self):
        """The value before a search: the first of them where none is given."""
        if self._default is None:
            return None if None in self.values else self.values[0]
        return self._default

    def get_state(self):
        """What `from_state` makes the setting of."""
        return {**super().get_state(), 'values': self.values}

    def _values(self):
        return self.values


class _Range(_Drawn):
    def __init__(self, name, start, stop, step, default, endpoint):
        self.start, self.stop, self.step, self.endpoint = start, stop, step, bool(endpoint)
        super().__init__(name, default)

    @property
    def default(self):
        """The value before a search: the first one where none is given."""
        return self.start if self._default is None else self._default

    def get_state(self):
        """What `from_state` makes the setting of."""
        return {
            'name': self.name,
            'start': self.start,
            'stop': self.stop,
            'step': self.step,
            'default': self.default,
            'endpoint': self.endpoint,
        }


class IntRange(_Range):
    """Integers from `start` on in steps; `stop` is one of them with `endpoint`."""

    def __init__(self, name, start, stop, step=1, default=None, endpoint=False):
        for key, value in (('start', start), ('stop', stop), ('step', step)):
            if int(value) != value:
                raise ValueError(f'[IntRange] expected {key} to be an int, got {value}')
        start, stop, step = (integer('IntRange', 'bound', int(v)) for v in (start, stop, step))
        super().__init__(name, start, stop, step, default, endpoint)

    def _values(self):
        return range(self.start, self.stop + self.endpoint, self.step)


class FloatRange(_Range):
    """Numbers from `start` to `stop`: in steps, or any between."""

    def __init__(self, name, start, stop, step=None, default=None, endpoint=False):
        start, stop = (float(v) for v in (start, stop))
        step = step if step is None else float(step)
        super().__init__(name, start, stop, step, default, endpoint)

    def random(self, seed=None):
        """One of the numbers."""
        draw = np.random.default_rng(seed)
        if self.step is None:
            return draw.uniform(self.start, self.stop)
        values = np.arange(self.start, self.stop, self.step)
        if self.endpoint:
            values = np.append(values, self.stop)
        return float(draw.choice(values))
