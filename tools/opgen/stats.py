# SPDX-License-Identifier: Apache-2.0
"""Counts that `tools/check.py` prints: what an op takes to write, by kind."""

import ast
import functools
import pathlib
import re
import statistics

DEFINITION = re.compile(r"^(?:[\w:<>,]+[ &*]+)+(\w+)\(", re.M)
PYTHON = pathlib.Path(__file__).parents[2] / "python" / "paddle"
USE = re.compile(r"\b_C_ops\.(\w+_)\b")
CALL = re.compile(r"\b([a-z]\w*_backward(?:_\w+)?)\(")
KINDS = ("elementwise", "structured", "composed", "optimizer")


def definitions(root):
    """{function: its C++ file} of sources that are written by hand."""
    found = {}
    for path in sorted(pathlib.Path(root).rglob("*.cc")):
        for name in DEFINITION.findall(path.read_text()):
            found.setdefault(name, path)
    return found


@functools.cache
def classes():
    """{optimizer: the Python files that step with it}."""
    found = {}
    for path in sorted((PYTHON / "optimizer").rglob("*.py")):
        for name in set(USE.findall(path.read_text())):
            found.setdefault(name, []).append(path)
    return found


def rules(op):
    """Texts of the gradients of an op."""
    return [ast.unparse(rule) for rule in op.vjp_whole.values()]


def by_hand(ops, found):
    """(op, function, file) of the gradient rules that are functions written in C++; `found`: their
    definitions, or the folder of the sources.
    """
    found = found if isinstance(found, dict) else definitions(found)
    for op in ops:
        for text in rules(op):
            for name in CALL.findall(text):
                if name in found:
                    yield op, name, found[name]


def kind(op):
    if op.update is not None:
        return "optimizer"
    return "elementwise" if op.elementwise else "structured" if op.kernel else "composed"


def files(op, found):
    """Its stanza's file and those of the functions the stanza names; of an optimizer, of its class
    too.
    """
    names = {op.kernel, op.infer, op.grad_infer, op.vjp_kernel, op.compose}
    names |= {op.workspace, op.grad_workspace}
    names.update(name for text in rules(op) for name in CALL.findall(text))
    python = classes().get(op.name, []) if kind(op) == "optimizer" else []
    return 1 + len({found[name] for name in names if name in found}) + len(python)


def stanza_lines(root):
    """Length of each stanza in its file."""
    sizes = []
    for path in pathlib.Path(root).rglob("*.yaml"):
        lines = path.read_text().splitlines()
        starts = [at for at, line in enumerate(lines) if line.startswith("- op:")]
        sizes += [end - at for at, end in zip(starts, [*starts[1:], len(lines)])]
    return sizes


def table(ops, root):
    """The counts as text."""
    composites = sum(op.composite for op in ops)
    ops = [op for op in ops if not op.composite]
    found = definitions(pathlib.Path(root).parents[1])
    lines = stanza_lines(root)
    out = [
        f"stanzas {len(ops)} and {composites} of composites, lines a stanza "
        f"{statistics.median(lines):.0f} (median) "
        f"{max(lines)} (worst); gradients written as C++ functions: "
        f"{len(list(by_hand(ops, found)))} rules, "
        f"{sum(bool(op.vjp_kernel) for op in ops)} kernels"
    ]
    for name in KINDS:
        counts = sorted((files(op, found), op.name) for op in ops if kind(op) == name)
        if counts:
            out.append(
                f"{name}: {len(counts)} ops, files an op "
                f"{statistics.median(n for n, _ in counts):.0f} (median) "
                f"{counts[-1][0]} ({counts[-1][1]})"
            )
    return "\n".join(out)
