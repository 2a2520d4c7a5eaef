# SPDX-License-Identifier: Apache-2.0
"""Arguments that have a meaning elsewhere and none here: a value that asks for it is refused, never dropped."""

__all__ = ['keywords', 'only']


def only(op, why, **arguments):
    """NotImplementedError unless each argument, `name=(value, served, ...)`, has one of the values this build serves."""
    for name, (value, *served) in arguments.items():
        if not any(value is one or (type(value) is type(one) and value == one) for one in served):
            raise NotImplementedError(f"[{op}] expected {name}={served[0]!r}, got {value!r}: {why}")


def keywords(op, given, *known):
    """TypeError for a keyword of `given` that is not known."""
    for name in given:
        if name not in known:
            raise TypeError(f"[{op}] got an unexpected keyword argument {name!r}")
