# SPDX-License-Identifier: Apache-2.0
"""C++ names an op by its constant of pir/dialect/pd_op.h, which is generated: a misspelt name does
not compile. Patterns (pir/pass) and the IR's own dialect (pir/dialect) name ops; elsewhere code
asks for a trait of the stanza, but for the ops that the dialect defines and those it makes itself.
"""

import os
import re

from opgen.emit_traits import BUILTIN, constant

from .files import tracked

LITERAL = re.compile(r'"pd_op\.\w+"|\bop(?:\.|->)name(?:\(\)|\))? *[!=]= *"\w+"')
CONSTANT = re.compile(r"\bpd::(k\w+)")
COMMENT = re.compile(r"//.*")
NAMING = ("paddle/pir/pass/", "paddle/pir/dialect/")
OWN = {constant(name) for name in BUILTIN}
# `pd` is also short for paddle::distributed.
OTHERS = {"kNumReduceOps", "kRuleTextCount", "kRuleTexts"}
# What code outside of patterns names: the expansions that the recorder makes, the loops that a
# kernel calls, batch_norm, whose arguments tell which state it keeps, and assign_value_, which the
# executor runs as set_value.
LIMIT = 7


def run(root):
    problems, patterns, named = [], 0, []
    for path in tracked(root):
        if not (path.startswith("paddle/") and path.endswith((".cc", ".h"))):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                code = COMMENT.sub("", line)
                names = set(CONSTANT.findall(code)) - OWN - OTHERS
                if path.startswith(NAMING):
                    patterns += len(names)
                else:
                    named += [f"{path}:{number}: {name}" for name in sorted(names)]
                problems += [
                    f"{path}:{number}: {found}: expected the constant of "
                    f"paddle/pir/dialect/pd_op.h, or a trait of the stanza"
                    for found in LITERAL.findall(code)
                ]
    print(
        f"op names: {len(problems)} literals, {patterns} constants in patterns, "
        f"{len(named)} of at most {LIMIT} elsewhere"
    )
    if len(named) > LIMIT:
        problems += [f"{place}: expected a trait of the stanza" for place in named]
    return problems
