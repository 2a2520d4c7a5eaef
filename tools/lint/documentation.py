# SPDX-License-Identifier: Apache-2.0
"""Which public names are documented in full form, and whether the examples answer what they say.

    PYTHONPATH=build/python:tools python -m lint.documentation [--missing PREFIX] [--run [PREFIX]]

Prints how many are, and what the others lack, of those whose paths begin with the prefix; --run
runs the examples. The full form: a line; `Args:` with each parameter as
`name (type, default value): meaning`; `Returns:` of what is no class; an example for the
interpreter that calls the name.
"""

import argparse
import enum
import importlib
import inspect
import pathlib
import re
import sys
import typing

from . import examples

NAMES = pathlib.Path(__file__).with_name("public_names.txt")
ENTRY = re.compile(r"^    \*{0,2}(\w+) \((.*?)\):\s", re.M | re.S)
DEFAULT = re.compile(r"default (.*)$", re.S)


def found(path):
    """The module or class of a path, or None."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        above, _, last = path.rpartition(".")
        return getattr(found(above), last, None) if above else None


def public():
    """[(module or class, name, object)] of the public names that are here and are no values."""
    out, home, owner = [], None, None
    for line in NAMES.read_text().splitlines():
        if line.startswith("#"):
            continue
        if not line.startswith(" "):
            home = line.rstrip(":")
            owner = found(home)
            continue
        for name in line.split():
            value = getattr(owner, name, None)
            known = callable(value) or inspect.isdatadescriptor(value)
            if known and typing.get_origin(value) is None:  # a name of a type is a value
                out.append((home, name, value))
    return out


def parameters(value):
    """The parameters that a caller gives, or None where they cannot be told."""
    if isinstance(value, enum.EnumMeta):  # its members are used, and how it is called is Python's
        return None
    try:
        all_of_them = list(inspect.signature(value).parameters.values())
    except (ValueError, TypeError):
        return None
    return [p for p in all_of_them if p.name not in ("self", "cls")]


def sections(text):
    """{heading: its lines} of a documentation."""
    parts = re.split(r"^(Args|Returns|Raises|Examples):\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def lacks(value, name):
    """What the documentation of a public name lacks, or None."""
    text = inspect.getdoc(value)
    if not text or not text.strip():
        return "text"
    parts = sections(text)
    if ">>> " not in parts.get("Examples", ""):
        return "an example"
    if not re.search(rf"\b{re.escape(name)}\b", parts["Examples"]):
        return f"an example of {name}"
    if not callable(value):
        return None
    if not inspect.isclass(value) and "Returns" not in parts:
        return "Returns"
    wanted = parameters(value)
    if wanted is None:
        return None
    given = ENTRY.findall(parts.get("Args", ""))
    if [p.name for p in wanted] != [n for n, _ in given]:
        return f"Args of ({', '.join(p.name for p in wanted)})"
    for p, (_, kind) in zip(wanted, given):
        said = DEFAULT.search(" ".join(kind.split()))
        if p.default is p.empty:
            if said:
                return f"{p.name} without a default"
        elif said is None:
            return f"the default of {p.name}"
        elif isinstance(p.default, (bool, int, float, str, tuple, list, type(None))):
            if said[1] != repr(p.default):
                return f"the default {p.default!r} of {p.name}"
    return None


def run(prefix=""):
    """Problems: what public names lack whose paths begin with `prefix`."""
    names = public()
    found = [(f"{home}.{name}", lacks(value, name)) for home, name, value in names]
    problems = [f"{path}: expected {lack} in its documentation" for path, lack in found if lack]
    print(f"documentation: {len(names) - len(problems)} of {len(names)} public names in full form")
    return [problem for problem in problems if problem.startswith(prefix)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--missing", default="", metavar="PREFIX")
    parser.add_argument("--run", nargs="?", const="", metavar="PREFIX")
    options = parser.parse_args()
    problems = run(options.missing)
    if options.run is not None:
        problems += examples.run(public(), options.run)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
