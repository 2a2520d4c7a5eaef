# SPDX-License-Identifier: Apache-2.0
"""Kernels take memory that their stanzas declare: operands in order and results in other dtypes
(`ordered`), or scratch of a `Workspace` (`workspace`). What takes tensors of its own instead stands
in kernel_memory.txt: `path function: reason`; after the line `# Not declared`, what could declare
it and does not.
"""

import collections
import os
import re

from .files import tracked

LIMIT = 17
OPS = "paddle/phi/ops/"
TABLE = os.path.join(os.path.dirname(__file__), "kernel_memory.txt")
TAKES = re.compile(r"(?<![.\w])(?:Empty|Contiguous|CastTo|FullLike)\(")
FUNCTION = re.compile(r"^(?!#|using|namespace|template|return|PD_)[A-Za-z].*?\b(\w+)\(")
COMMENT = re.compile(r"//.*")


def taken(root):
    """{(path below OPS, function): how many tensors it makes}."""
    found = collections.Counter()
    for path in tracked(root):
        if not (path.startswith(OPS) and path.endswith((".cc", ".h"))):
            continue
        function = "?"
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for line in file:
                code = COMMENT.sub("", line)
                start = FUNCTION.match(code)
                function = start[1] if start else function
                count = len(TAKES.findall(code))
                if count:
                    found[path.removeprefix(OPS), function] += count
    return found


def table():
    """{(path, function): whether it could declare its memory}."""
    rows, open_ones = {}, False
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            open_ones = open_ones or line.startswith("# Not declared")
            if line.strip() and not line.startswith("#"):
                place, colon, reason = line.partition(": ")
                if not colon or not reason.strip():
                    raise ValueError(f"kernel_memory.txt: expected a reason, got {line!r}")
                path, function = place.split()
                rows[path, function] = open_ones
    return rows


def run(root):
    found, rows = taken(root), table()
    problems = [
        f"{OPS}{path}: {function} takes memory of its own: declare it in the stanza, or add a "
        "reason to kernel_memory.txt"
        for path, function in sorted(found)
        if (path, function) not in rows
    ]
    problems += [
        f"kernel_memory.txt: {path} {function} takes no memory of its own"
        for path, function in sorted(rows)
        if (path, function) not in found
    ]
    count = sum(n for place, n in found.items() if rows.get(place))
    if count != LIMIT:
        problems.append(f"kernel memory: {count} undeclared, expected {LIMIT}")
    print(f"kernel memory: {count} tensors that no stanza declares, of at most {LIMIT}")
    return problems
