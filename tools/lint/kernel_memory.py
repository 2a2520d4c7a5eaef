# SPDX-License-Identifier: Apache-2.0
"""Kernels take memory that their stanzas declare: operands in order and results in other dtypes
(`ordered`), or scratch of a `Workspace` (`workspace`). What makes tensors of its own stands in
kernel_memory.txt: `path function: reason`, and so do files whose loops take scratch of their
threads: `path Scratch: reason`.
"""

import os
import re

from .files import tracked

PHI = "paddle/phi/"
TABLE = os.path.join(os.path.dirname(__file__), "kernel_memory.txt")
TAKES = re.compile(r"(?<![.\w])(?:Empty|Contiguous|CastTo|FullLike)\(")
FUNCTION = re.compile(r"^(?!#|using|namespace|template|return|PD_)[A-Za-z].*?\b(\w+)\(")
SCRATCH = re.compile(r"\bScratch(?:> | )\w+(?:\(|, |;)")
COMMENT = re.compile(r"//.*")


def taken(root):
    """(Path below PHI, function) of those that make tensors, (path, Scratch) of those others."""
    found = set()
    for path in tracked(root):
        if not (path.startswith(PHI) and path.endswith((".cc", ".h"))):
            continue
        ops = path.startswith(PHI + "ops/")
        function = "?"
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for line in file:
                code = COMMENT.sub("", line)
                start = FUNCTION.match(code)
                function = start[1] if start else function
                if ops and TAKES.search(code):
                    found.add((path.removeprefix(PHI), function))
                if SCRATCH.search(code):
                    found.add((path.removeprefix(PHI), "Scratch"))
    return found


def table():
    """(Path below PHI, function) of those that may."""
    rows = set()
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                place, colon, reason = line.partition(": ")
                if not colon or not reason.strip():
                    raise ValueError(f"kernel_memory.txt: expected a reason, got {line!r}")
                rows.add(tuple(place.split()))
    return rows


def run(root):
    found, rows = taken(root), table()
    threads = sum(function == "Scratch" for _, function in rows)
    print(
        f"kernel memory: {len(rows) - threads} kernels whose results only data tells make them "
        f"themselves, {threads} files take scratch of threads"
    )
    return [
        f"{PHI}{path}: {function} takes memory of its own: declare it in the stanza"
        for path, function in sorted(found - rows)
    ] + [
        f"kernel_memory.txt: {path} {function} takes no memory of its own"
        for path, function in sorted(rows - found)
    ]
