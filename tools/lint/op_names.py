# SPDX-License-Identifier: Apache-2.0
"""C++ names an op by its constant of pir/dialect/pd_op.h, which is generated: a misspelt name does
not compile.
"""

import os
import re

from .files import tracked

LITERAL = re.compile(r'"pd_op\.\w+"|\bop(?:\.|->)name(?:\(\)|\))? *[!=]= *"\w+"')
CONSTANT = re.compile(r"\bpd::k\w+")
COMMENT = re.compile(r"//.*")


def run(root):
    problems, names = [], 0
    for path in tracked(root):
        if not (path.startswith("paddle/") and path.endswith((".cc", ".h"))):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                code = COMMENT.sub("", line)
                names += len(CONSTANT.findall(code))
                problems += [
                    f"{path}:{number}: {found}: expected the constant of "
                    f"paddle/pir/dialect/pd_op.h, or a trait of the stanza"
                    for found in LITERAL.findall(code)
                ]
    print(f"op names: {len(problems)} literals, {names} constants")
    return problems
