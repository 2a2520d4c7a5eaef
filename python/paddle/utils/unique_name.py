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
    """A name not used yet under the current generator: `key_0`, `key_1`, ..."""
    return generator(key)


def generate_with_ignorable_key(key):
    """The same as `generate`; kept for programs that call it by this name."""
    return generator(key)


def switch(new_generator=None, new_para_name_checker=None):
    """Replace the current generator and checker (fresh ones for None); return the old pair."""
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
    """Use fresh counters inside the `with` block; a str (or bytes) becomes the prefix of every
    name.
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
