# SPDX-License-Identifier: Apache-2.0
"""Includes follow the layer table: a file of paddle/<dir> includes only what cmake/layers.txt
allows for <dir>, and each row is a directory.
"""

import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]paddle/([^">]+)[">]', re.M)


BUILT = {"generated"}  # rows whose files exist in the build folder only
# What is no layer: rows may include it only where they name it.
OUTSIDE = {
    "python": re.compile(r"^\s*#\s*include\s+<(Python|frameobject|structmember)\.h>", re.M),
    "pybind11": re.compile(r"^\s*#\s*include\s+<pybind11/", re.M),
}


def read_table(root):
    table = {}
    with open(os.path.join(root, "cmake", "layers.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                layer, _, uses = line.partition(":")
                table[layer.strip()] = uses.split()
    return table


def layer_of(path, table):
    """The longest table row that holds a path relative to paddle/, or None (files directly in
    paddle/).
    """
    rows = [layer for layer in table if path.startswith(layer + "/")]
    return max(rows, key=len) if rows else None


def allowed(layer, target, table):
    if layer is None or layer_of(target, table) in (layer, None):
        return True
    return any(
        target.startswith(use + "/")
        and layer_of(target, table) in (use, layer_of(use + "/x", table))
        for use in table[layer]
    )


def run(root):
    table = read_table(root)
    problems = [
        f"cmake/layers.txt: expected a directory paddle/{layer}, got none"
        for layer in table
        if layer not in BUILT and not os.path.isdir(os.path.join(root, "paddle", layer))
    ]
    problems += [
        f"cmake/layers.txt: {layer} may use {use}, which is no layer"
        for layer, uses in table.items()
        for use in uses
        if use not in OUTSIDE and layer_of(use + "/", table) is None
    ]
    for folder, _, names in os.walk(os.path.join(root, "paddle")):
        for name in sorted(names):
            if not name.endswith((".h", ".cc", ".inc", ".cu")):
                continue
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, os.path.join(root, "paddle"))
            layer = layer_of(relative, table)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for name, include in OUTSIDE.items():
                if layer is not None and name not in table[layer]:
                    problems += [
                        f"paddle/{relative}:{text.count(chr(10), 0, match.start()) + 1}: layer "
                        f"{layer} may use [{' '.join(table[layer])}], includes {name}"
                        for match in include.finditer(text)
                    ]
            for match in INCLUDE.finditer(text):
                if not allowed(layer, match.group(1), table):
                    line = text.count("\n", 0, match.start()) + 1
                    problems.append(
                        f"paddle/{relative}:{line}: layer {layer} may use "
                        f"[{' '.join(table[layer])}], includes paddle/{match.group(1)}"
                    )
    return problems
