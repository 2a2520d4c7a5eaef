# SPDX-License-Identifier: Apache-2.0
"""Process-wide counters that give parameters and layers their names, the same as PaddlePaddle's."""

import contextlib

__all__ = ["generate", "switch", "guard"]


class UniqueNameGenerator:
    """Counts per key: the n-th call with `key` gives `<prefix><key>_<n>`."""

    def __init__(self, prefix=None):
        self.ids = {}
        self.prefix = prefix or ""

    def __call__(self, key):
        n = self.ids.get(key, 0)
        self.ids[key] = n + 1
        return f"{self.prefix}{key}_{n}"


class DygraphParameterNameChecker:
    """Remembers explicit parameter names so that a second use of one can be detected."""

    def __init__(self):
        self._names = set()

    def __call__(self, name):
        if name in self._names:
            return False
        self._names.add(name)
        return True


generator = UniqueNameGenerator()
dygraph_parameter_name_checker = DygraphParameterNameChecker()


def generate(key):
    """A name that was not given before, of a word and a number.

    Args:
        key (str): The word.

    Returns:
        str: `<key>_0`, `<key>_1` and so on, behind the prefix of the innermost `guard`.

    Examples:
        >>> with paddle.utils.unique_name.guard():
        ...     paddle.utils.unique_name.generate("fc"), paddle.utils.unique_name.generate("fc")
        ('fc_0', 'fc_1')
    """
    return generator(key)


def generate_with_ignorable_key(key):
    """The same as `generate`; kept for programs that call it by this name."""
    return generator(key)


def switch(new_generator=None, new_para_name_checker=None):
    """Replace what makes names; afterwards counters begin at 0.

    Args:
        new_generator (callable, default None): What `generate` calls with the word; None for new
            counters.
        new_para_name_checker (callable, default None): What tells whether the name of a parameter
            is new; None for one that knows no name.

    Returns:
        tuple: the generator and the checker that were in use, for another `switch`.

    Raises:
        TypeError: An argument is no function.

    Examples:
        >>> from paddle.utils import unique_name
        >>> before = unique_name.switch()
        >>> unique_name.generate("fc")
        'fc_0'
        >>> _ = unique_name.switch(*before)
    """
    global generator, dygraph_parameter_name_checker
    for name, given in (
        ('new_generator', new_generator),
        ('new_para_name_checker', new_para_name_checker),
    ):
        if given is not None and not callable(given):
            raise TypeError(
                f"[unique_name.switch] expected {name} to be callable, got {type(given).__name__}"
            )
    old = generator, dygraph_parameter_name_checker
    generator = UniqueNameGenerator() if new_generator is None else new_generator
    dygraph_parameter_name_checker = (
        DygraphParameterNameChecker() if new_para_name_checker is None else new_para_name_checker
    )
    return old


@contextlib.contextmanager
def guard(new_generator=None):
    """Count names anew inside the block.

    Args:
        new_generator (str or callable, default None): What names begin with, or what makes them;
            None for counters without a prefix.

    Returns:
        context manager: afterwards names are counted as before.

    Examples:
        >>> from paddle.utils import unique_name
        >>> with unique_name.guard("encoder/"):
        ...     unique_name.generate("fc")
        'encoder/fc_0'
    """
    if isinstance(new_generator, bytes):
        new_generator = new_generator.decode()
    if isinstance(new_generator, str):
        new_generator = UniqueNameGenerator(new_generator)
    old = generator, dygraph_parameter_name_checker
    try:
        switch(new_generator)
        yield
    finally:
        switch(*old)
