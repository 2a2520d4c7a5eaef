# SPDX-License-Identifier: Apache-2.0
"""A public name is defined once: a function that is generated from a stanza, or written in C++, has
no second definition in Python.

    PYTHONPATH=build/python:tools python -m lint.names
    PYTHONPATH=build/python:tools python -m lint.names paddle.clip ...  # where they are defined
    PYTHONPATH=build/python:tools python -m lint.names --all            # where all names are
"""

import importlib
import inspect
import pathlib
import re
import sys

from opgen import model
from opgen.arguments import MODULES

from .documentation import public

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What is written in C++: its entry in a table of the binding, a function's or a member's.
ENTRY = re.compile(r'(?:\b(Fn)\(|\b(FnSpec) k\w+ = \{\s*|\{)"(\w+)",')

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


def written():
    """{module and name of a function of C++: file:line of its stanza or of its entry}."""
    places = {}
    for path in sorted((ROOT / "paddle/pybind").glob("*.cc")):
        text = path.read_text(encoding="utf-8")
        for entry in ENTRY.finditer(text):
            home = "paddle" if entry[1] or entry[2] else "paddle.Tensor"
            if home != "paddle" and "tensor" not in path.name:
                continue
            line = text.count("\n", 0, entry.start(3)) + 1
            places.setdefault(f"{home}.{entry[3]}", f"{path.relative_to(ROOT)}:{line}")
    for op in model.load(ROOT / "paddle/phi/ops"):
        for sig in op.public:
            path = pathlib.Path(op.where.file).relative_to(ROOT)
            places[f"{sig.module}.{sig.name}"] = f"{path}:{op.where.line}"
    return places


def place(name, value, places):
    """Where it is defined: `file:line`, or the file; None where no source says it. A form in place
    is defined where the plain one is.
    """
    full = f"{getattr(value, '__module__', None)}.{getattr(value, '__name__', None)}"
    if not inspect.isclass(value):
        for known in (full, full.rstrip("_"), name):
            if known in places:
                return places[known]
    try:
        value = inspect.unwrap(value)
        path, line = inspect.getsourcefile(value), f":{inspect.getsourcelines(value)[1]}"
    except (TypeError, OSError):
        module = sys.modules.get(getattr(value, "__module__", None))
        path, line = getattr(module, "__file__", None), ""
    path = pathlib.Path(path or "").resolve()
    inside = path.is_relative_to(ROOT / "python")
    return f"{path.relative_to(ROOT)}{line}" if inside else None


def table(names):
    """`name  file:line` for each public name, or for those asked for."""
    places, rows = written(), []
    for home, name, value in public():
        if not names or f"{home}.{name}" in names:
            full = f"{home}.{name}"
            rows.append(f"{full}  {place(full, value, places) or 'the extension module'}")
    return rows


if __name__ == "__main__":
    if sys.argv[1:]:
        print("\n".join(table([name for name in sys.argv[1:] if name != "--all"])))
        sys.exit(0)
    found = run()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
