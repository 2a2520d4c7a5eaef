# SPDX-License-Identifier: Apache-2.0
"""Settings by name, and the value each has now."""

from . import tunable_variable as _kinds

__all__ = ['TunableSpace']


class TunableSpace:
    """Settings of a search. Each method that names one adds it where it is new, and gives its
    value.

    Examples:
        >>> from paddle.distributed.auto_parallel.static.tuner.tunable_space import TunableSpace
        >>> space = TunableSpace()
        >>> space.int_range('stages', 1, 8, default=2), space.boolean('recompute')
        (2, False)
        >>> space['stages'] = 4
        >>> space.values
        {'stages': 4, 'recompute': False}
    """

    def __init__(self):
        self._variables, self._values = {}, {}

    @property
    def variables(self):
        """The settings by name."""
        return self._variables

    @property
    def values(self):
        """Their values by name."""
        return self._values

    def _add(self, variable):
        if variable.name not in self._variables:
            self._variables[variable.name] = variable
            self._values[variable.name] = variable.default
        return self._values[variable.name]

    def _expect(self, name):
        if name not in self._variables:
            raise KeyError(f'[TunableSpace] expected one of {list(self._variables)}, got {name!r}')

    def get_value(self, name):
        """The value of a setting."""
        self._expect(name)
        return self._values[name]

    def set_value(self, name, value):
        """Give a setting a value."""
        self._expect(name)
        self._values[name] = value

    def fixed(self, name, default):
        """A setting of one value."""
        return self._add(_kinds.Fixed(name, default))

    def boolean(self, name, default=False):
        """True or False."""
        return self._add(_kinds.Boolean(name, default))

    def choice(self, name, values, default=None):
        """One of several values."""
        return self._add(_kinds.Choice(name, values, default))

    def int_range(self, name, start, stop, step=1, default=None):
        """Integers in steps."""
        return self._add(_kinds.IntRange(name, start, stop, step, default))

    def float_range(self, name, start, stop, step=None, default=None):
        """Numbers in steps, or any between."""
        return self._add(_kinds.FloatRange(name, start, stop, step, default))

    def get_state(self):
        """What `from_state` makes the settings of."""
        return {
            'variables': [
                {'class_name': type(v).__name__, 'state': v.get_state()}
                for v in self._variables.values()
            ],
            'values': dict(self._values),
        }

    @classmethod
    def from_state(cls, state):
        """The settings that gave this state."""
        made = cls()
        for found in state['variables']:
            made._add(getattr(_kinds, found['class_name']).from_state(found['state']))
        made._values.update(state['values'])
        return made

    __getitem__ = get_value
    __setitem__ = set_value

    def __contains__(self, name):
        return name in self._variables
