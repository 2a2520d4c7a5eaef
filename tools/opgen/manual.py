# SPDX-License-Identifier: Apache-2.0
"""The list of keys in docs/design/add_an_op.md, made from the schema."""

import re
import textwrap

from .documentation import Documentation
from .functions import scalars, tensors
from .model import Legacy, Op, TestRow, Variant
from .stanza import key_fields

BEGIN, END = (
    "<!-- keys: python -m opgen --manual docs/design/add_an_op.md -->\n",
    "<!-- end of keys -->\n",
)
PARTS = {"doc": Documentation, "body": Variant, "legacy": Legacy, "test": TestRow}
WIDTH = 120


def fill(text, **indents):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False, **indents)


def item(indent, text):
    return fill(text, initial_indent=f"{indent}- ", subsequent_indent=f"{indent}  ")


def entries(table, indent=""):
    for name, f in key_fields(table).items():
        if f.metadata["group"]:
            yield f"\n{f.metadata['group']}:\n"
        part = PARTS.get(name)
        kind = "" if part else f" `{f.metadata['kind'].shown}`:"
        yield item(indent, f"`{name}`{kind} {f.metadata['doc']}")
        if part:
            yield from entries(part, indent + "  ")


def keys():
    """The list as Markdown."""
    return "\n".join(
        [
            "\n".join(entries(Op)).strip(),
            "",
            fill(f"Functions of `body`: {quoted(scalars())}."),
            "",
            fill(f"Functions of `decomposition` beside them: {quoted(tensors())}."),
            "",
        ]
    )


def quoted(names):
    return ", ".join(f"`{name}`" for name in sorted(names))


def renewed(text):
    """A manual with the list of today."""
    if BEGIN not in text or END not in text:
        raise ValueError(f"expected {BEGIN.strip()} and {END.strip()} in the manual, got neither")
    return re.sub(
        re.escape(BEGIN) + ".*?" + re.escape(END),
        lambda m: BEGIN + "\n" + keys() + "\n" + END,
        text,
        flags=re.S,
    )
