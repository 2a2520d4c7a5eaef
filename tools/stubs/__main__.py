# SPDX-License-Identifier: Apache-2.0
"""Writes the stubs of the package that PYTHONPATH has.

    PYTHONPATH=build/python:tools python -m stubs --out DIR [--plain] [--strict]

--plain: as functions tell it of themselves, for `stubtest`: no second names of arguments, no layers
that are called as their `forward`. --strict: fails where the documentation has a type in words that
are none; else what has it is Any.
"""

import argparse
import ast
import functools
import json
import pathlib
import sys

import paddle
from lint import documentation
from paddle import _paths

from . import emit, scan, words


class Model:
    """What stubs of all modules are made of."""

    def __init__(self):
        self.paths = scan.modules()
        self.public = {}
        for home, name, value in documentation.public():
            self.public.setdefault(home, set()).add(name)
        self.words = words.Words(self.classes())
        table = pathlib.Path(paddle.__file__).with_name("_op_types.json")
        self.types = json.loads(table.read_text())

    def classes(self):
        """{name: dotted name} of public classes; the first that has a name keeps it."""
        found = {}
        for module in self.paths.values():
            for name, value in vars(module).items():
                place = scan.home(value) if isinstance(value, type) else None
                if place and place[0].split(".")[0] == "paddle" and name == place[1]:
                    found.setdefault(name, ".".join(place))
        for home, name, value in documentation.public():
            place = scan.home(value) if isinstance(value, type) else None
            if place and place[1] == name:
                found[name] = ".".join(place)
        return found

    def known(self, value):
        """The types of a function of a stanza."""
        if not isinstance(value, scan.COMPILED):
            return {}
        name = f"{value.__module__}.{value.__name__}"
        return (
            self.types.get(name)
            or self.types.get(name.replace("paddle.", "paddle.Tensor.", 1))
            or {}
        )

    @functools.cache
    def listed(self, path):
        return (
            set(_paths.names(path)) if path in _paths.modules() or path in _paths.TABLE else set()
        )

    def offered(self, path):
        """Names that a module offers without listing them."""
        return {
            name for name in self.public.get(path, set()) | self.listed(path) if name.isidentifier()
        }

    def serves(self, path, name):
        """Whether a module offers a name that is at home elsewhere."""
        module = self.paths[path]
        if name in self.offered(path):
            return True
        if name.startswith("_"):
            return False
        return (
            name in getattr(module, "__all__", ())
            or ("__all__" not in vars(module) and "__dir__" in vars(module))
            or hasattr(module, "__path__")
        )

    @functools.cache
    def forward(self, function):
        """The annotation of what a layer's `forward` returns: a tensor where it returns what
        functions return that return tensors."""
        said = words.result(scan.documented(function))
        if said:
            return self.words.read(said, True)
        values = scan.returned(function)
        scope = getattr(function, "__globals__", {})
        return (
            "paddle.Tensor" if values and all(self.is_tensor(v, scope) for v in values) else "Any"
        )

    def is_tensor(self, node, scope):
        if not isinstance(node, ast.Call):
            return False
        try:
            value = functools.reduce(getattr, ast.unparse(node.func).split("."), Scope(scope))
        except (AttributeError, KeyError, SyntaxError):
            return False
        return (words.result(scan.documented(value)) or self.known(value).get("return")) == "Tensor"

    def stubs(self, plain):
        """{file: text}."""
        parents = {path.rpartition(".")[0] for path in self.paths}
        for path, module in self.paths.items():
            package = path in parents or hasattr(module, "__path__")
            file = path.replace(".", "/") + ("/__init__.pyi" if package else ".pyi")
            yield (
                file,
                emit.Module(path, scan.names(module, self.offered(path)), self, plain).write(),
            )
        yield "paddle/py.typed", ""


class Scope:
    """Globals of a module as attributes."""

    def __init__(self, names):
        self.__dict__.update(names)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--strict", action="store_true")
    options = parser.parse_args()
    model = Model()
    written = set()
    for file, text in model.stubs(options.plain):
        path = options.out / file
        written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for former in {*options.out.rglob("*.pyi")} - written:
        former.unlink()
    print(f"stubs: {len(written)} files")
    for unknown in sorted(model.words.unknown):
        print(f"stubs: expected a type in words, got {unknown!r}")
    return 1 if options.strict and model.words.unknown else 0


if __name__ == "__main__":
    sys.exit(main())
