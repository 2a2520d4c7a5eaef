# SPDX-License-Identifier: Apache-2.0
"""Facts every tracked file must meet: size, head line, names, words, marks of unfinished work,
machine paths (data files: these alone).
"""

import os
import re
import subprocess

MAX_LINES = 1000
COLUMNS = {"py": 100, "pyi": 100, "cc": 190, "h": 160, "md": 120, "yaml": 120}
CODE = re.compile(r"\.(cc|h|cu|cuh|py|pyi|yaml|cmake|sh|txt|md|toml)$")
SOURCE = re.compile(r"\.(cc|h|cu|cuh|py)$")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|\btempor" r"ar(y|ily)\b")
# Words for which the field has its own.
WORDS = (
    (re.compile(r"\bstand[-_]?i" r"ns?\b", re.I), "proxy"),
    (re.compile(r"\blet(s|ting)? g" r"o\b", re.I), "release"),
    (re.compile(r"\bsurround" r"ings\b", re.I), "guards, or what surrounds it"),
)
MACHINE = re.compile(
    r"/(work|root|farm)/|pythonho" r"sted|\bdeb\.deb" r"|\bpypi\.o" r"|127\.0\.0\.1:3128"
)
# Rows of tables in documents, which have one line each.
UNCOUNTED = re.compile(r"^\s*\|.*")
SNAKE = re.compile(r"^[a-z0-9_.]+$")
# What the project's root holds; what a test or an example leaves behind shows here.
ROOT_FILE = re.compile(
    r"(\.\w[\w-]*|LICENSE|[A-Z]+\.md|CMakeLists\.txt|pyproject\.toml|requirements-\w+\.txt)$"
)
# Module names PaddlePaddle made public.
PUBLIC = {"python/paddle/_C_ops.py", "python/paddle/_legacy_C_ops.py"}


def tracked(root):
    """Paths git tracks or would track, so files not yet added are checked too."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [name for name in listing.splitlines() if os.path.isfile(os.path.join(root, name))]


def run(root):
    problems, wide, long = [], 0, 0
    for name in tracked(root):
        if "/" not in name and not ROOT_FILE.match(name):
            problems.append(f"{name}: not a file of the project's root")
        with open(os.path.join(root, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        if not (CODE.search(name) or name.startswith(".ci/")):
            if MACHINE.search(text):
                problems.append(f"{name}: machine path or registry host")
            continue
        lines = text.count("\n")
        base = os.path.basename(name)
        if SOURCE.search(name):
            if lines > MAX_LINES:
                long += 1
                problems.append(f"{name}: {lines} lines, at most {MAX_LINES}")
            if name not in PUBLIC and not SNAKE.match(base):
                problems.append(f"{name}: file names are lower snake case")
        if name.startswith("paddle/") and SOURCE.search(name):
            if "SPDX-License-Identifier" not in text.partition("\n")[0]:
                problems.append(f"{name}:1: expected the SPDX license line")
            if name.endswith(".h") and not name.endswith(".inc.h") and "#pragma once" not in text:
                problems.append(f"{name}: expected #pragma once")
        for number, line in enumerate(text.splitlines(), 1):
            if not name.endswith(".md") and UNFINISHED.search(line):
                problems.append(f"{name}:{number}: mark of unfinished work: {line.strip()[:80]}")
            if MACHINE.search(line):
                problems.append(f"{name}:{number}: machine path or registry host")
            for word, meant in WORDS:
                if found := word.search(line):
                    problems.append(f"{name}:{number}: expected {meant}, got {found[0]}")
            limit = COLUMNS.get(name.rpartition(".")[2])
            if limit and len(UNCOUNTED.sub("", line)) > limit:
                wide += 1
                problems.append(f"{name}:{number}: {len(line)} columns, at most {limit}")
    print(f"files: {wide} lines over their limit of columns, {long} files over {MAX_LINES} lines")
    return problems
