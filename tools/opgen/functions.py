# SPDX-License-Identifier: Apache-2.0
"""The functions of the expression language: those of loops, and the C++ functions that gradient
rules may call beside ops.
"""

import functools
import pathlib
import re
from dataclasses import dataclass

from .stanza import (
    NAME,
    NAMES,
    NUMBER,
    RENAMES,
    REQUIRED,
    TEXT,
    TRUE,
    Where,
    key,
    need_name,
    read_file,
    read_table,
)

# Of gradient rules: a value without history; an argument of which only shape and dtype are read.
CONSTANT, UNREAD = "constant", "unread"
HERE = pathlib.Path(__file__).parent
TABLE = HERE / "functions.yaml"
API = HERE.parent.parent / "paddle" / "phi" / "api"
DECLARATION = re.compile(r"^(?:inline )?[\w:<>]+[&*]? (\w+)\(([^;{]*)\)\s*[;{]", re.M)


@dataclass
class Scalar:
    """A function of `body`."""

    operands: int = key(NUMBER, "How many.", 1)
    derivative: str | None = key(TEXT, "At u.")


@dataclass
class OfTensors:
    """A function of `decomposition`."""

    operands: dict = key(RENAMES, "Their kinds, in order.", REQUIRED)
    gives: str = key(NAME, "The kind of the result.", "tensor")
    fresh: bool = key(TRUE, "The result shares no memory with an operand.", False)

    @property
    def shape_positions(self):
        """Those of operands called `like`, which give a shape."""
        return {k for k, name in enumerate(self.operands) if name == "like"}


@dataclass
class Rule:
    """A function of gradient rules."""

    params: tuple = ()
    shape_only: list = key(NAMES, "Parameters whose contents are not read.", [])
    fresh: bool = key(TRUE, "The result shares no memory with an argument.", False)
    places: bool = key(TRUE, "Reads where arguments lie in memory, so data must be there.", False)

    @property
    def shape_positions(self):
        return {self.params.index(n) for n in self.shape_only}


def parameters(text):
    """The names of a C++ parameter list."""
    parts = [
        re.sub(r"=.*", "", p, flags=re.S).split()
        for p in re.split(r",(?![^<]*>)", text)
        if p.strip()
    ]
    return tuple(p[-1].strip("&*") for p in parts)


def declarations(header):
    return DECLARATION.finditer(header.read_text())


@functools.cache
def declared():
    """{name: parameters} of the functions that the headers of phi/api declare."""
    headers = [API / "tensor_api.h", *sorted(API.glob("compose_*.h"))]
    return {m[1]: parameters(m[2]) for h in headers for m in declarations(h)}


@functools.cache
def apart():
    """{name: header} of those in headers that tensor_api.h does not include."""
    common = (API / "tensor_api.h").read_text()
    headers = [h for h in API.glob("compose_*.h") if f"/{h.name}" not in common]
    return {m[1]: h.name for h in headers for m in declarations(h)}


def headers_of(rules):
    """Headers of the functions that these expressions call and that not every file includes."""
    text = " ".join(rules)
    return sorted({h for name, h in apart().items() if re.search(rf"\b{name}\(", text)})


def listed(section, table):
    """{name: a `table`} of a section."""
    raw = read_file(TABLE)[section]
    return {
        name: read_table(table, row, Where(str(TABLE), raw.lines[name], name))
        for name, row in raw.items()
    }


@functools.cache
def scalars():
    """{name: Scalar}."""
    return listed("scalar", Scalar)


@functools.cache
def tensors():
    """{name: OfTensors}."""
    return listed("tensor", OfTensors)


@functools.cache
def rules():
    """{name: Rule} of the functions that are no ops."""
    raw = read_file(TABLE)["rule"]
    out = {name: Rule(params) for name, params in declared().items()}
    for name, row in raw.items():
        where = Where(str(TABLE), raw.lines[name], name)
        need_name(
            name, out, where, "rule", "a function that the headers of phi/api declare", "function"
        )
        out[name] = read_table(Rule, row, where, more={"params": out[name].params})
        for p in out[name].shape_only:
            need_name(
                p, out[name].params, where, "shape_only", "parameters of the function", "name"
            )
    return out | {
        "select": Rule(("condition", "a", "b"), fresh=True),
        CONSTANT: Rule(("value",)),
        UNREAD: Rule(("value",), shape_only=["value"]),
    }
