# SPDX-License-Identifier: Apache-2.0
"""Text with marks: `$name` or `${name}` for a value; a line that is one mark alone stands for
lines.
"""

import re

MARK = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
ALONE = re.compile(r"( *)\$(?:(\w+)|\{(\w+)\})")


def fill(template, **values):
    """The template with its marks replaced. A mark alone on its line stands for the lines of a list
    (or of a text), each indented as the mark; the line goes where the value is None or empty."""
    out = []
    for line in template.strip("\n").split("\n"):
        alone = ALONE.fullmatch(line)
        if not alone:
            out.append(MARK.sub(lambda m: str(values[m[1] or m[2]]), line))
            continue
        value = values[alone[2] or alone[3]]
        lines = value.split("\n") if isinstance(value, str) and value else value or []
        out += [alone[1] + part if part else part for text in lines for part in text.split("\n")]
    return "\n".join(out)


def when(condition, text):
    """The text where the condition holds; else nothing."""
    return text if condition else None


def commas(items):
    return ", ".join(items)
