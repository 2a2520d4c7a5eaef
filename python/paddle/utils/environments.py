# SPDX-License-Identifier: Apache-2.0
"""Environment variables with a type and a default."""

import os

__all__ = [
    'EnvironmentVariable',
    'StringEnvironmentVariable',
    'BooleanEnvironmentVariable',
    'IntegerEnvironmentVariable',
    'StringListEnvironmentVariable',
    'EnvironmentVariableGuard',
    'strtobool',
]


def strtobool(val):
    """True for 'y', 'yes', 't', 'true', 'on' and '1', False for their opposites, in any case.
    ValueError otherwise.
    """
    word = val.lower()
    if word in ('y', 'yes', 't', 'true', 'on', '1'):
        return True
    if word in ('n', 'no', 'f', 'false', 'off', '0'):
        return False
    raise ValueError(f"[strtobool] expected 'true', 'false' or the like, got {val!r}")


class EnvironmentVariable:
    """One variable. Subclasses say what its text means."""

    kind = None  # (type, how it is called)

    def __init__(self, name, default):
        self.name, self.default = name, default
        if self.kind is not None:
            self._check(default, 'default')

    def _check(self, value, what):
        kind, text = self.kind
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise AssertionError(
                f"[{type(self).__name__}] expected {what} to be {text}, got {type(value).__name__}"
            )

    def get(self):
        """The value: the default where the variable is not set."""
        text = os.environ.get(self.name)
        return (
            self.default if text is None and self.kind is not None else self.parse_from_string(text)
        )

    def set(self, value):
        """Set the variable, for this process and those it starts."""
        if self.kind is not None:
            self._check(value, 'value')
        os.environ[self.name] = self.convert_to_string(value)

    def delete(self):
        """Unset the variable."""
        del os.environ[self.name]

    def parse_from_string(self, text):
        """The value that a text means."""
        raise NotImplementedError(
            f"[{type(self).__name__}] expected a subclass that parses, got {text!r}"
        )

    def convert_to_string(self, value):
        """The text of a value."""
        raise NotImplementedError(
            f"[{type(self).__name__}] expected a subclass that writes, got {value!r}"
        )

    def __repr__(self):
        return f"Env({self.name}={self.get()!r})"


class StringEnvironmentVariable(EnvironmentVariable):
    """A variable that holds text."""

    kind = str, 'a string'

    def parse_from_string(self, text):
        return text

    def convert_to_string(self, value):
        return value


class BooleanEnvironmentVariable(EnvironmentVariable):
    """A variable that holds a truth value, as `strtobool` reads it."""

    kind = bool, 'a boolean'

    def parse_from_string(self, text):
        return strtobool(text)

    def convert_to_string(self, value):
        return str(value).lower()

    def __bool__(self):
        raise TypeError(
            f"[BooleanEnvironmentVariable] expected {self.name}.get(), got the variable itself as "
            f"a condition"
        )


class IntegerEnvironmentVariable(EnvironmentVariable):
    """A variable that holds an integer; the default where its text is none."""

    kind = int, 'an integer'

    def parse_from_string(self, text):
        try:
            return int(text)
        except ValueError:
            return self.default

    def convert_to_string(self, value):
        return str(value)


class StringListEnvironmentVariable(EnvironmentVariable):
    """A variable that holds texts with commas between them."""

    kind = list, 'a list'

    def _check(self, value, what):
        super()._check(value, what)
        if not all(isinstance(item, str) for item in value):
            raise AssertionError(
                f"[{type(self).__name__}] expected {what} to hold strings, got {value!r}"
            )

    def parse_from_string(self, text):
        return text.split(',')

    def convert_to_string(self, value):
        return ','.join(value)


class EnvironmentVariableGuard:
    """A variable has another value inside the block."""

    def __init__(self, variable, value):
        self.variable, self.value, self.before = variable, value, variable.get()

    def __enter__(self):
        self.variable.set(self.value)
        return self

    def __exit__(self, *exc):
        self.variable.set(self.before)
