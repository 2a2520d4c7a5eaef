# SPDX-License-Identifier: Apache-2.0
"""The manual of stanzas lists the keys that the schema has; gradient rules stand in stanzas, not in
functions of C++; lines of stanzas and of the manual end within 120 columns.
"""

import pathlib

from opgen import manual, model, stats

MANUAL = "docs/design/add_an_op.md"
STANZAS = "paddle/phi/ops"
WIDTH = 120


def run(root):
    root = pathlib.Path(root)
    text = (root / MANUAL).read_text(encoding="utf-8")
    problems = (
        []
        if manual.renewed(text) == text
        else [f"{MANUAL}: the list of keys is not today's: python -m opgen --manual {MANUAL}"]
    )
    problems += [
        f"{op.where}: expected gradient rules in the stanza, got one that calls {name} of "
        f"{path.relative_to(root)}"
        for op, name, path in stats.by_hand(model.load(root / STANZAS), root / "paddle")
    ]
    for path in [root / MANUAL, *sorted((root / STANZAS).rglob("*.yaml"))]:
        problems += [
            f"{path.relative_to(root)}:{number}: {len(line)} columns, at most {WIDTH}"
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if len(line) > WIDTH
        ]
    return problems
