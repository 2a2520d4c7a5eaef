# SPDX-License-Identifier: Apache-2.0
"""YAML with the place of everything in it, and readers of values: what is not as declared is an
error with file and line.
"""

import dataclasses
import difflib
from dataclasses import dataclass, field

import yaml


class StanzaError(Exception):
    pass


class Mapping(dict):
    """A mapping that knows its line and those of its keys."""

    line: int
    lines: dict


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    pass


def _mapping(loader, node):
    out = Mapping()
    out.line, out.lines = node.start_mark.line + 1, {}
    for key_node, value_node in node.value:
        key, line = loader.construct_object(key_node, deep=True), key_node.start_mark.line + 1
        if key in out:
            raise StanzaError(f"{line}: the key {key} stands twice")
        out[key], out.lines[key] = loader.construct_object(value_node, deep=True), line
    return out


Loader.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_file(path):
    """The value of a YAML file, whose mappings are `Mapping`s."""
    try:
        return yaml.load(path.read_text(), Loader=Loader)
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        raise StanzaError(
            f"{path}:{mark.line + 1 if mark else 1}: expected YAML, got an error: "
            f"{getattr(e, 'problem', e)}"
        ) from e
    except StanzaError as e:
        raise StanzaError(f"{path}:{e}") from e


@dataclass(frozen=True)
class Where:
    """A place in a file: `file:line: op`."""

    file: str
    line: int
    op: str = ""

    def __str__(self):
        return f"{self.file}:{self.line}" + (f": {self.op}" if self.op else "")

    def at(self, mapping, key):
        """The place of a key of `mapping`."""
        line = mapping.lines.get(key) if isinstance(mapping, Mapping) else None
        return dataclasses.replace(self, line=line or self.line)

    def error(self, text):
        return StanzaError(f"{self}: {text}")


def near(name, known):
    """`; did you mean x?`, where there is such a name."""
    found = difflib.get_close_matches(str(name), [str(k) for k in known], 1)
    return f"; did you mean {found[0]}?" if found else ""


def need_name(name, known, where, subject, expected, what):
    """Refuses a name that is none of `known`; `what`: what it stands for in the text."""
    if name not in known:
        raise where.error(
            f"{subject}: expected {expected}, got the {what} {name}{near(name, known)}"
        )


# --- kinds of values
class Kind:
    """How a value is written in a stanza: its name in the table of keys, and a reader that checks
    it.
    """

    def __init__(self, shown, accepts=None):
        self.shown, self.accepts = shown, accepts

    def read(self, value, where, key):
        if not self.accepts(value):
            raise where.error(f"{key}: expected {self.shown}, got {value!r}")
        return value


def is_text(v):
    return isinstance(v, str)


def is_number(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def is_expression(v):
    return is_text(v) or is_number(v)


class OneOf(Kind):
    def __init__(self, *values):
        shown = " or ".join("true" if v is True else "false" if v is False else v for v in values)
        super().__init__(shown, lambda v: any(v is w or (is_text(v) and v == w) for w in values))


TEXT = Kind("text", is_text)
NAME = Kind("name", lambda v: is_text(v) and v.isidentifier())
NUMBER = Kind("number", is_number)
TRUE = OneOf(True)
FALSE = OneOf(False)
NAMES = Kind(
    "[name, ...]", lambda v: isinstance(v, list) and all(is_text(n) and n.isidentifier() for n in v)
)
TEXTS = Kind(
    "text or [text, ...]",
    lambda v: is_text(v) or isinstance(v, list) and all(is_text(t) for t in v),
)
RENAMES = Kind(
    "{name: name}", lambda v: isinstance(v, dict) and all(map(is_text, [*v, *v.values()]))
)
FLAGS_OF_TEXTS = Kind(
    "{name: {text: true or false}}",
    lambda v: (
        isinstance(v, dict)
        and all(
            isinstance(texts, dict)
            and texts
            and all(is_text(k) and isinstance(flag, bool) for k, flag in texts.items())
            for texts in v.values()
        )
    ),
)
VALUES = Kind("{name: value}", lambda v: isinstance(v, dict) and all(map(is_text, v)))
EXPRESSIONS = Kind(
    "{input: expression}",
    lambda v: isinstance(v, dict) and all(is_expression(e) for e in v.values()),
)
STEPS = Kind(
    "{name: expression, ...}",
    lambda v: (
        isinstance(v, dict) and v and all(map(is_text, v)) and all(map(is_expression, v.values()))
    ),
)
DTYPES = ("bool", "int", "float", "complex")


class Subset(Kind):
    def __init__(self, *values):
        super().__init__(
            f"[{', '.join(values)}] or some of them",
            lambda v: isinstance(v, list) and v and set(v) <= set(values),
        )


class Part(Kind):
    """A mapping with keys of its own, declared by a dataclass."""

    def __init__(self, table, **more):
        super().__init__("{" + ", ".join(key_fields(table)) + "}")
        self.table, self.more = table, more

    def read(self, value, where, key):
        if not isinstance(value, dict):
            raise where.error(f"{key}: expected {self.shown}, got {value!r}")
        return read_table(self.table, value, where, f"{key}: ", self.more)


REQUIRED = ...  # the default of a key that must stand


# --- tables of keys
def key(kind, doc, default=None, names=None, group=None, written=None, steps=False):
    """A key of a stanza. `names`: what the names it holds, or those that its mapping maps, must be;
    `steps`: names of steps may stand among them; `group` begins a group of keys in the manual;
    `written`: the key, where it is not the field's name."""
    make = (
        {"default_factory": default.copy}
        if isinstance(default, (list, dict))
        else {"default": default}
    )
    return field(
        **make,
        kw_only=True,
        metadata={
            "kind": kind,
            "doc": doc,
            "names": names,
            "group": group,
            "written": written,
            "steps": steps,
        },
    )


def key_fields(table):
    """{key: field} of a dataclass."""
    return {
        f.metadata["written"] or f.name: f
        for f in dataclasses.fields(table)
        if "kind" in f.metadata
    }


def read_values(table, mapping, where, prefix=""):
    """{field name: checked value} of what `mapping` gives."""
    fields, out = key_fields(table), {}
    for name, value in mapping.items():
        place = where.at(mapping, name)
        if name not in fields:
            raise place.error(f"{prefix}unknown key {name}{near(name, fields)}")
        out[fields[name].name] = fields[name].metadata["kind"].read(value, place, f"{prefix}{name}")
    return out


def read_table(table, mapping, where, prefix="", more=None):
    """A `table` of what `mapping` gives, and of `more`, fields that are no keys."""
    values = read_values(table, mapping, where, prefix)
    for name, f in key_fields(table).items():
        if f.default is REQUIRED and f.name not in values:
            raise where.error(f"{prefix}expected the key {name}, got none")
    return table(**values, **(more or {}))
