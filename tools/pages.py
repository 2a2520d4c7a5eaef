# SPDX-License-Identifier: Apache-2.0
"""Writes the sources of the documentation site: the guides, and pages made of the package.

    PYTHONPATH=build/python:tools python -m pages --out DIR

`reference/` has a page for each module with the documentation of its public names, `operators.md`
a row for each operator.
"""

import argparse
import inspect
import pathlib
import re
import shutil
import sys

from lint import documentation
from opgen import model

ROOT = pathlib.Path(__file__).resolve().parents[1]
SPECIAL = re.compile(r"([\\*_\[\]<>#|$~^{}])")
TEXTS = {"differential.md": "docs", "model_exchange.md": "docs", "CHANGELOG.md": "."}


def escaped(text):
    """Plain text as Markdown; what stands between backticks stays."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(p if k % 2 else SPECIAL.sub(r"\\\1", p) for k, p in enumerate(parts))


def entries(text, heading):
    """The lines of `Args:`, `Raises:` or `Returns:` as a list."""
    lines = [f"**{heading}**", ""]
    for part in re.split(r"\n(?=    \S)", text.strip("\n")):
        body = " ".join(part.split())
        match = re.match(r"(\*{0,2}\w+) \((.*?)\): (.*)", body) if heading == "Args" else None
        if match:
            name, kind, meaning = match.groups()
            lines.append(f"- `{name}` ({escaped(kind)}): {escaped(meaning)}")
        else:
            lines.append(f"- {escaped(body)}")
    return [*lines, ""]


def rendered(text):
    """A documentation in full form, or any text, as Markdown."""
    parts = re.split(r"^(Args|Returns|Raises|Examples):\n", text, flags=re.M)
    lines = []
    for paragraph in re.split(r"\n\s*\n", parts[0]):
        if paragraph.strip():
            lines += [escaped(" ".join(paragraph.split())), ""]
    for heading, body in zip(parts[1::2], parts[2::2]):
        if heading == "Examples":
            lines += ["```pycon", inspect.cleandoc(body), "```", ""]
        else:
            lines += entries(body, heading)
    return lines


def signature(value):
    try:
        return str(inspect.signature(value))
    except (ValueError, TypeError):
        return "" if not callable(value) else "(...)"


def page(home, members):
    """The page of a module."""
    lines = [f"# {home}", ""]
    for name, value in sorted(members, key=lambda member: member[0].lower()):
        kind = "class " if inspect.isclass(value) else ""
        shown = f"{kind}{home}.{name}{signature(value)}"
        lines += [f"## `{name}`", "", "```text", shown, "```", ""]
        lines += rendered(inspect.getdoc(value) or "")
    return "\n".join(lines)


def reference(folder):
    modules = {}
    for home, name, value in documentation.public():
        modules.setdefault(home, []).append((name, value))
    index = ["# Reference", "", "```{toctree}", ":maxdepth: 1", ""]
    for home, members in sorted(modules.items()):
        (folder / f"{home}.md").write_text(page(home, members))
        index.append(home)
    (folder / "index.md").write_text("\n".join([*index, "```", ""]))


def gradient(op):
    if op.vjp or op.compose:
        return "any order"
    return "first order" if op.vjp_kernel else "none"


def operators():
    """The table of all operators."""
    lines = [
        "# Operators",
        "",
        "Made of the stanzas in `paddle/phi/ops`. Dtypes: what elementwise operators compute in.",
        "",
        "| operator | functions | dtypes | gradient | in place | what |",
        "|---|---|---|---|---|---|",
    ]
    for op in sorted(model.load(ROOT / "paddle" / "phi" / "ops"), key=lambda op: op.name):
        if op.internal:
            continue
        functions = ", ".join(f"`{sig.module}.{sig.name}`" for sig in op.py)
        cells = [
            f"`{op.name}`",
            functions,
            ", ".join(op.dtypes) if op.elementwise else "",
            gradient(op),
            "yes" if op.inplace else "",
            escaped(" ".join(op.doc.split())),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write(folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "site", folder)
    shutil.copytree(ROOT / "docs" / "design", folder / "design")
    for name, where in TEXTS.items():
        shutil.copy(ROOT / where / name, folder / name.lower())
    (folder / "reference").mkdir()
    reference(folder / "reference")
    (folder / "operators.md").write_text(operators())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, type=pathlib.Path)
    write(parser.parse_args().out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
