# SPDX-License-Identifier: Apache-2.0
"""A public name is defined once: a function that is generated from a stanza, or written in C++, has
no second definition in Python.

    PYTHONPATH=build/python:tools python -m lint.names
"""

import importlib
import sys

from opgen.arguments import MODULES

# Where the functions of a namespace are looked up, where it is not the module of that name.
HOMES = {"paddle": "paddle.tensor"}


def twice(namespace, generated):
    """Names of `generated` that the namespace's module defines too."""
    module = importlib.import_module(HOMES.get(namespace, namespace))
    own = {**getattr(module, "TABLE", {}), **vars(module)}
    return sorted(n for n, f in generated.items() if own.get(n, f) is not f)


def run():
    functions = importlib.import_module("paddle.base.libpaddle")._functions
    count, problems = 0, []
    for namespace in ["paddle", *sorted(set(MODULES.values()) - {"paddle.Tensor"})]:
        generated = functions(namespace)
        count += len(generated)
        problems += [
            f"{namespace}.{name}: expected one definition, got a function of C++ and one of Python"
            for name in twice(namespace, generated)
        ]
    print(f"names: {count} of functions in C++, {len(problems)} defined twice")
    return problems


if __name__ == "__main__":
    found = run()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
