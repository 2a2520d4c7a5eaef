# SPDX-License-Identifier: Apache-2.0
"""The manual of stanzas lists the keys that the schema has."""
import pathlib

from opgen import manual

MANUAL = "docs/design/add_an_op.md"


def run(root):
    text = (pathlib.Path(root) / MANUAL).read_text(encoding="utf-8")
    return [] if manual.renewed(text) == text else [f"{MANUAL}: the list of keys is not today's: python -m opgen --manual {MANUAL}"]
