# SPDX-License-Identifier: Apache-2.0
"""Writes the sources of the documentation site: the guides, and pages made of the package.

    PYTHONPATH=build/python:tools python -m pages --out DIR

`reference/` has a page for each module with the documentation of its public names, `operators.md`
a row for each operator, `gallery.md` the example programs, `benchmarks.md` what bench.py measured.
"""

import argparse
import ast
import inspect
import pathlib
import re
import shutil
import sys

import pages_charts
import pages_dtypes
from lint import documentation
from opgen import model

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = re.compile(r"^Source: .*(?:\n {4,}\S.*)*", re.M)
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
    sources = [escaped(" ".join(source.split())) for source in SOURCE.findall(text)]
    parts = re.split(r"^(Args|Returns|Raises|Examples):\n", SOURCE.sub("", text), flags=re.M)
    lines = []
    for paragraph in re.split(r"\n\s*\n", parts[0]):
        if paragraph.strip():
            lines += [escaped(" ".join(paragraph.split())), ""]
    for heading, body in zip(parts[1::2], parts[2::2]):
        if heading == "Examples":
            lines += [*sources, "", "```pycon", inspect.cleandoc(body), "```", ""]
            sources = []
        else:
            lines += entries(body, heading)
    return [*lines, *sources, ""]


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
        return "any"
    return "first" if op.vjp_kernel else ""


def computes(op):
    """The dtypes of an operator in words: what its stanza says, else what calls of it show."""
    if op.elementwise:
        words = [*op.dtypes, "int as float"] if op.int_as_float or op.int_via else op.dtypes
        return ", ".join(words)
    if op.compose or op.made_of_parts:
        return "those of its parts"
    return "all" if op.view or op.moves else pages_dtypes.of(op)


COPIES = ("assign", "cast", "full_like")  # which the fusion compiler knows by name


def fusion(op):
    """How the fusion compiler takes an operator, and how a GPU runs it."""
    if op.compose:
        return "as its parts", "as its parts"
    if op.view is True or op.view == "checked":
        return "read through", "view"
    there = "of the library" if op.on_device else "generated" if op.update else "on the host"
    if op.elementwise or op.decomposition or op.reduces or op.moves or op.name in COPIES:
        return ("joins" if op.fuse else "own kernel"), "generated"
    return "own kernel", there


def without_kernels(ops):
    """Names of the operators, and of the gradients, that a GPU has no kernel for: they run on host
    copies. A gradient whose rule is written in operators runs as these.
    """
    shown = [op for op in ops if not op.internal]
    gradients = [op for op in ops if op.vjp_kernel and not op.vjp and not op.grad_on_device]
    return (
        [op.name for op in shown if fusion(op)[1] == "on the host"],
        [op.grad_name for op in gradients],
    )


OPERATORS = """# Operators

Made of the stanzas in `paddle/phi/ops`, a table for each family.

| column | what it says |
|---|---|
| functions | what calls it, below `paddle`; empty: functions written in Python |
| dtypes | what elementwise operators compute in; what calls of others were seen to run with |
| gradient | whether it can be differentiated once or to any order; empty: it has none |
| fusion | whether it joins a group that CINN compiles to one kernel, or runs by its own |
| GPU | its kernel is generated for a GPU, is of the wheel's library, or runs on host copies |
"""
WITHOUT = """\
{} operators and {} gradients run on host copies there, as does a call of others in a dtype or of a
size that their kernels do not take; `FLAGS_gpu_explain=1` prints each.
"""
HEAD = ["operator", "functions", "dtypes", "gradient", "fusion", "GPU"]


def operators():
    """The tables of all operators."""
    families = {}
    ops = sorted(model.load(ROOT / "paddle" / "phi" / "ops"), key=lambda op: op.name)
    for op in ops:
        if not op.internal:
            families.setdefault(op.family, []).append(op)
    lines = [OPERATORS]
    for family, members in sorted(families.items()):
        lines += [f"## {family}", "", "| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
        for op in members:
            functions = [f"{sig.module}.{sig.name}".removeprefix("paddle.") for sig in op.public]
            cells = [
                f"`{op.name}`<br>{escaped(' '.join(op.doc.split()))}",
                "<br>".join(f"`{name}`" for name in dict.fromkeys(functions)),
                computes(op),
                gradient(op),
                *fusion(op),
            ]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    host, gradients = without_kernels(ops)
    lines += ["## Without a kernel for GPUs", "", WITHOUT.format(len(host), len(gradients))]
    lines += [", ".join(f"`{name}`" for name in names) + ".\n" for names in (host, gradients)]
    return "\n".join(lines)


GALLERY = """# Gallery

Programs of under two minutes on two cores. Each shows how far it is, draws a figure (`--out`),
prints its number beside the one that is expected, and fails when it misses that; `--quick` runs the
short form that the tests run. They need matplotlib and, for digits, scikit-learn:
`python docs/examples/gallery/NAME.py --out figure.png`.
"""


def gallery():
    """The programs of docs/examples/gallery, each with its text and its source."""
    lines = [GALLERY]
    for path in sorted((ROOT / "docs" / "examples" / "gallery").glob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text()))
        if path.stem == "common":
            continue
        title, *rest = re.split(r"\n\s*\n", text)
        told = [p for p in rest if not p.lstrip().startswith("python ")]
        lines += [f"## {path.stem.replace('_', ' ')}", "", escaped(" ".join(title.split())), ""]
        for paragraph in told:
            lines += [escaped(" ".join(paragraph.split())), ""]
        source = path.read_text().rstrip()
        lines += [f"<details><summary><code>{path.name}</code></summary>", ""]
        lines += ["```python", source, "```", "", "</details>", ""]
    return "\n".join(lines)


def write(folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs" / "site", folder)
    shutil.copytree(ROOT / "docs" / "design", folder / "design")
    examples = ROOT / "docs" / "examples"
    for figure in examples.rglob("*.svg"):
        copy = folder / "examples" / figure.relative_to(examples)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(figure, copy)
    for guide in folder.glob("*.md"):  # guides are a folder nearer to the figures here
        guide.write_text(guide.read_text().replace("](../examples/", "](examples/"))
    for name, where in TEXTS.items():
        shutil.copy(ROOT / where / name, folder / name.lower())
    (folder / "reference").mkdir()
    reference(folder / "reference")
    (folder / "operators.md").write_text(operators())
    (folder / "gallery.md").write_text(gallery())
    kept = folder / "benchmarks.json"
    (folder / "benchmarks.md").write_text(pages_charts.benchmarks(kept))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", required=True, type=pathlib.Path)
    write(parser.parse_args().out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
