# SPDX-License-Identifier: Apache-2.0
"""`doc:` of a stanza, and the documentation of public functions that is made of it: types, defaults
and second names of arguments come from the schema.
"""

import functools
import pathlib
import re
import textwrap
from dataclasses import dataclass

from .stanza import REQUIRED, TEXT, VALUES, Kind, Part, key, read_file

WIDTH = 88
INDENT = "    "

TYPES = {
    "Tensor": "Tensor",
    "Tensor?": "Tensor",
    "Tensor[]": "list of Tensors",
    "bool": "bool",
    "int": "int",
    "int64": "int",
    "float": "float",
    "double": "float",
    "str": "str",
    "int[]": "int or list of ints",
    "int64[]": "int or list of ints",
    "float[]": "list of floats",
    "double[]": "list of floats",
    "str[]": "list of strs",
    "IntArray": "int, list of ints or Tensor",
    "Scalar": "number or Tensor",
    "Scalar[]": "list of numbers",
    "DataType": "str or dtype",
    "Place": "str or place",
}
# Arguments that no op has.
WRAPPED = {"name": "str", "out": "Tensor", "inplace": "bool", "dtype": "str or dtype"}
CLASSES = {"bool": "bool", "int": "integer", "float": "floating-point", "complex": "complex"}


@dataclass
class Documentation:
    """`doc:` as a mapping: the full form."""

    what: str = key(TEXT, "One line: what it computes.", REQUIRED)
    more: str | None = key(TEXT, "What else is to be known, in paragraphs.")
    args: dict = key(
        VALUES,
        "What arguments mean; those left out have the meaning that "
        "`tools/opgen/documentation.yaml` gives their name.",
        {},
        names="public",
    )
    returns: str | None = key(
        TEXT, "What comes back, where the op is not elementwise: meaning, shape, dtype."
    )
    raises: dict = key(VALUES, "{exception: when}.", {})
    example: str | None = key(
        TEXT, "Lines for the interpreter with what it answers; calls the first public signature."
    )
    inplace_example: str | None = key(
        TEXT, "The same of the in-place form, where the name with `_` in `example` is no such."
    )
    source: str | None = key(TEXT, "The paper or standard that defines it.")


class Doc(Kind):
    """Text, or the full form."""

    def __init__(self):
        super().__init__("text or {what, more, args, returns, raises, example, source}")

    def read(self, value, where, name):
        if isinstance(value, dict):
            return Part(Documentation).read(value, where, name)
        return Documentation(what=TEXT.read(value, where, name))


DOC = Doc()


@functools.cache
def usual():
    """{argument: what it means where a stanza does not say}."""
    return read_file(pathlib.Path(__file__).with_suffix(".yaml"))


def check(op):
    """The full form says what each public argument means and what comes back, and its example calls
    the function."""
    doc = op.full_doc
    if doc.example is None:
        for name in ("more", "args", "returns", "raises", "inplace_example", "source"):
            if getattr(doc, name):
                raise op.at("doc", name).error(f"doc: {name} is read only beside example")
        return
    for sig in op.py:
        for p in sig.args:
            if p.name not in doc.args and p.name not in usual():
                raise op.at("doc").error(
                    f"doc: expected the meaning of the argument {p.name}, got none"
                )
    if not op.elementwise and doc.returns is None:
        raise op.at("doc").error("doc: expected the key returns of what is not elementwise")
    for sig in op.public:
        if f"{sig.name}(" not in example(op, sig):
            raise op.at("doc", "example").error(
                f"doc: expected a call of {sig.name} in the example"
            )


def sentence(text):
    return text if text.endswith((".", ":", "`")) else text + "."


def filled(text, indent=0, hanging=0):
    return textwrap.fill(
        " ".join(text.split()),
        WIDTH,
        initial_indent=INDENT * indent,
        subsequent_indent=INDENT * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )


def listed(words, last="or"):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


def dtypes(op):
    """The dtypes that a tensor of an elementwise op may have, in words."""
    known = set(op.dtypes) | ({"bool", "int"} if op.int_as_float or op.int_via else set())
    return [word for name, word in CLASSES.items() if name in known]


def own_name(op, p):
    """The op's name of a public argument."""
    return {shown: name for name, shown in op.py_map.items()}.get(p.name, p.name)


def type_of(op, p, written):
    """The type of a public argument, in words; `written`: the call writes it."""
    a = next((a for a in op.args if a.name == own_name(op, p)), None)
    if a is None:
        return WRAPPED[p.name]
    if a.is_tensor and op.elementwise:
        numbers = sum(b.kind == "Tensor" and b.name not in op.bool_inputs for b in op.tensors) > 1
        number = numbers and a.name not in op.bool_inputs and not written
        return "Tensor or number" if number else "Tensor"
    several = p.varargs or p.name == op.varargs
    kind = f"{TYPES[a.kind]} or str" if a.name in op.texts else TYPES[a.kind]
    return f"{kind}, or several arguments" if several else kind


def argument(op, p, written):
    doc = op.full_doc
    given = f", default {p.default}" if p.default is not None else ""
    meaning = sentence(doc.args.get(p.name) or usual()[p.name])
    if op.elementwise and own_name(op, p) == op.tensors[0].name:
        meaning += f" Dtypes: {listed(dtypes(op), 'and')}."
    if p.name in op.alias:
        meaning += f" Also `{op.alias[p.name]}`."
    return filled(f"{p.name} ({type_of(op, p, written)}{given}): {meaning}", 1, 1)


def result(op, sig, inplace):
    first = sig.args[0].name
    if inplace:
        return f"Tensor: {first} itself, with the result."
    if op.full_doc.returns:
        one = "list of Tensors" if op.outs[0].variadic else "Tensor"
        kind = op.named or (one if len(op.outs) == 1 else "tuple of Tensors")
        text = sentence(op.full_doc.returns)
        return text if re.match(r"(Tensor|tuple|list)\b", text) else f"{kind}: {text}"
    shape = f"the shape of {first}" if len(op.tensors) == 1 else "the broadcast shape"
    dtype = {"bool": "dtype bool", "real": f"the dtype of {first}, real where it is complex"}.get(
        op.out
    )
    if dtype is None:
        dtype = f"the dtype of {first}" if len(op.tensors) == 1 else "the promoted dtype"
        if op.int_as_float:
            dtype += f"; of integers {'float64' if op.int_as_float == 'FLOAT64' else 'float32'}"
    return f"Tensor: the result, with {shape} and {dtype}."


def qualified(sig):
    return f"{sig.module}.{sig.name}"


def example(op, sig):
    """The example of a public signature: that of the first with the other's name."""
    doc, first, inplace = op.full_doc, op.py[0], sig not in op.py
    if inplace and doc.inplace_example:
        return doc.inplace_example
    return doc.example.replace(f"{qualified(first)}(", f"{qualified(sig)}(")


def text(op, sig):
    """The documentation of a public signature."""
    doc, inplace = op.full_doc, sig not in op.py
    parts = [sentence(doc.what) + (" In place." if inplace else "")]
    parts += [filled(p) for p in re.split(r"\n\s*\n", doc.more or "") if p.strip()]
    if sig.args:
        parts.append(
            "\n".join(
                ["Args:", *(argument(op, p, inplace and i == 0) for i, p in enumerate(sig.args))]
            )
        )
    parts.append("Returns:\n" + filled(result(op, sig, inplace), 1, 1))
    if doc.raises:
        parts.append(
            "\n".join(
                ["Raises:", *(filled(f"{e}: {sentence(w)}", 1, 1) for e, w in doc.raises.items())]
            )
        )
    if doc.source:
        parts.append(filled(f"Source: {sentence(doc.source)}"))
    lines = example(op, sig).strip("\n").splitlines()
    parts.append("\n".join(["Examples:", *((INDENT + line).rstrip() for line in lines)]))
    return "\n\n".join(parts) + "\n"


def types(ops):
    """{function: {argument: type, "return": type}} in words, for the stubs."""
    found = {}
    for op in ops:
        for sig in op.public:
            words = {p.name: type_of(op, p, sig not in op.py) for p in sig.args}
            if op.full_doc.example is not None or op.elementwise:
                words["return"] = result(op, sig, sig not in op.py).partition(":")[0]
            elif len(op.outs) == 1:
                words["return"] = "list of Tensors" if op.outs[0].variadic else "Tensor"
            found[f"{sig.module}.{sig.name}"] = words
    return found


def table(ops):
    """The Python module of all full texts."""
    texts = {
        f"{'paddle' if sig.module == 'paddle.Tensor' else sig.module}.{sig.name}": text(op, sig)
        for op in ops
        if op.full_doc.example is not None
        for sig in op.public
    }
    lines = [
        "# Generated by tools/opgen. Do not edit.",
        '"""Documentation of the functions of stanzas, read when `__doc__` is asked for."""',
        "",
        "TEXTS = {",
        *(f"    {name!r}: {body!r}," for name, body in sorted(texts.items())),
        "}",
        "",
    ]
    return "\n".join(lines)
