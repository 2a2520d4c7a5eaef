# SPDX-License-Identifier: Apache-2.0
"""A message that says what was expected says what it got, too.

Of an exception raised in Python or C++ whose text holds the word `expected`, the text also holds
`got` or one of its kin. Internal errors are for us, and `messages.txt` lists other exceptions,
`file kind: reason`, where the file may be a pattern and the kind is the exception's name.
"""

import ast
import fnmatch
import os
import re

from .files import tracked

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.txt")
TELLS = re.compile(r"\b(got|received|found|given|but|holds|has|starts with)\b")
MAKERS = re.compile(
    r"\b(PD_CHECK|PD_THROW|RaiseTypeError|RaiseValueError|RaiseAssertion|PyErr_SetString|"
    r"PyErr_Format|pyb::\w+_error)\s*\("
)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def python_texts(tree):
    """(line, name of the exception, literal text) of what is raised."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            parts = [
                at.value
                for argument in node.exc.args
                for at in ast.walk(argument)
                if isinstance(at, ast.Constant) and isinstance(at.value, str)
            ]
            yield node.lineno, ast.unparse(node.exc.func).rpartition(".")[2], " ".join(parts)


def call_end(text, at):
    """Where the parenthesis that is open before `at` closes; strings are passed over."""
    depth = 1
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|\(|\)', text[at:]):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return at + found.start()
    return len(text)


def cpp_texts(text):
    """The same of calls that throw or set an exception; the name is an error code's where one is
    given.
    """
    for found in MAKERS.finditer(text):
        call = text[found.end() : call_end(text, found.end())]
        code = re.search(r"(?:^|, |,\n\s*)(?:PyExc_)?([A-Z][A-Za-z]+),", call)
        yield (
            text.count("\n", 0, found.start()) + 1,
            code[1] if code else found[1],
            "".join(LITERAL.findall(call)),
        )


def exceptions():
    """(pattern of files, kind) of each row of the list."""
    with open(LIST, encoding="utf-8") as file:
        return [
            tuple(line.partition(": ")[0].split())
            for line in file
            if line.strip() and not line.startswith("#")
        ]


def run(root, paths=None):
    """Problems of the tracked sources, or of `paths`, and rows of the list that excuse nothing."""
    problems, used, allowed = [], set(), exceptions()
    for path in tracked(root) if paths is None else paths:
        python = path.startswith("python/paddle/") and path.endswith(".py")
        if not python and not (path.startswith("paddle/") and path.endswith((".cc", ".h"))):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            source = file.read()
        for line, kind, text in python_texts(ast.parse(source)) if python else cpp_texts(source):
            if not re.search(r"\bexpected\b", text) or TELLS.search(text) or kind == "Internal":
                continue
            rows = [
                row
                for row, (files, name) in enumerate(allowed)
                if fnmatch.fnmatchcase(path, files) and name == kind
            ]
            used.update(rows)
            if not rows:
                problems.append(
                    f"{path}:{line}: a message says what was expected and not what it got: "
                    f"{text[:60]!r}"
                )
    if paths is None:
        problems += [
            f"tools/lint/messages.txt: the row {' '.join(row)} excuses nothing"
            for at, row in enumerate(allowed)
            if at not in used
        ]
    return problems
