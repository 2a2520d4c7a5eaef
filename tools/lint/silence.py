# SPDX-License-Identifier: Apache-2.0
"""No error is swallowed: a handler of any exception raises, uses what it caught, or reports it; no
catch block in C++ is empty.

`silence.txt` lists the handlers that may be silent, `file function: reason`.
"""

import ast
import os
import re

from .files import tracked

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "silence.txt")
BROAD = ("Exception", "BaseException")
REPORTS = ("warn", "print_exc", "exception", "format_exc", "exc_info")
EMPTY_CATCH = re.compile(r"catch\s*\([^)]*\)\s*\{\s*(//[^\n]*\s*)*\}")


def broad(handler):
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in BROAD) for kind in kinds)


def silent(handler):
    """Whether a handler neither raises, nor reads the exception, nor reports it."""
    for node in (at for statement in handler.body for at in ast.walk(statement)):
        if isinstance(node, ast.Raise) or (
            isinstance(node, ast.Name)
            and node.id == handler.name
            and isinstance(node.ctx, ast.Load)
        ):
            return False
        if isinstance(node, ast.Attribute) and node.attr in REPORTS:
            return False
    return True


def handlers(node, where="<module>"):
    """(name of the enclosing function, handler) of each `except`."""
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) else where
        if isinstance(child, ast.ExceptHandler):
            yield where, child
        yield from handlers(child, inner)


def run(root, paths=None):
    """Problems of the tracked sources, or of `paths`."""
    with open(LIST, encoding="utf-8") as file:
        allowed = {
            tuple(line.partition(": ")[0].split())
            for line in file
            if line.strip() and not line.startswith("#")
        }
    problems, used = [], set()
    for path in tracked(root) if paths is None else paths:
        if path.startswith("python/") and path.endswith(".py"):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                tree = ast.parse(file.read())
            found = [
                (where, handler)
                for where, handler in handlers(tree)
                if broad(handler) and silent(handler)
            ]
            used.update((path, where) for where, _ in found)
            problems += [
                f"{path}:{handler.lineno}: {where} swallows every exception: name it, report it, "
                f"or list it in tools/lint/silence.txt"
                for where, handler in found
                if (path, where) not in allowed
            ]
        elif path.startswith("paddle/") and path.endswith((".cc", ".h")):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            found = list(EMPTY_CATCH.finditer(text))
            used.update((path, "catch") for _ in found)
            problems += [
                f"{path}:{text.count(chr(10), 0, one.start()) + 1}: an empty catch block: log the "
                f"reason (PD_VLOG) or let it pass"
                for one in found
                if (path, "catch") not in allowed
            ]
    if paths is None:
        problems += [
            f"tools/lint/silence.txt: the row {' '.join(row)} excuses nothing"
            for row in sorted(allowed - used)
        ]
    return problems
