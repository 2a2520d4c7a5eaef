# SPDX-License-Identifier: Apache-2.0
"""State of a thread lives in few objects: each thread_local definition stands in the table of
docs/design/overview.md.
"""

import os
import re

from .files import tracked

LIMIT = 8
TABLE = "docs/design/overview.md"
DEFINITION = re.compile(r"^(?!.*\bextern\b).*\bthread_local\b")
NAME = re.compile(r"(\w+)\s*(?:\[\w*\])?\s*(?:\(|=|\{|;)")
BESIDE_CODE = re.compile(r'"[^"]*"|//.*')  # texts and comments


def run(root):
    with open(os.path.join(root, TABLE), encoding="utf-8") as file:
        rows = [line for line in file if line.startswith("|")]
    problems, count = [], 0
    for path in tracked(root):
        if not (path.startswith("paddle/") and path.endswith((".cc", ".h"))):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                code = BESIDE_CODE.sub("", line)
                if not DEFINITION.match(code):
                    continue
                count += 1
                name = NAME.search(code.partition("thread_local")[2])[1]
                if not any(f"`{path}`" in row and f"`{name}`" in row for row in rows):
                    problems.append(f"{path}:{number}: expected a row for {name} in {TABLE}")
    if count > LIMIT:
        problems.append(f"paddle: {count} thread_local objects, at most {LIMIT}")
    print(f"thread-locals: {count} of at most {LIMIT}")
    return problems
