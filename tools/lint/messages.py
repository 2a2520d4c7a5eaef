# SPDX-License-Identifier: Apache-2.0
"""What messages are made of: `[function or class] expected ..., got ...`.

Of an exception raised in Python or C++ whose text holds the word `expected`, the text also holds
`got` or a word like it (`TELLS`). Texts of exceptions and warnings of the files in `BRACKETED`
begin with the name of what raises them, in brackets. Internal errors are for us, and `messages.txt`
lists other exceptions, `file kind: reason`, where the file may be a pattern and the kind is the
name of the exception or `warning`.
"""

import ast
import builtins
import fnmatch
import os
import re

from .files import tracked

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "messages.txt")
BRACKETED = ("python/paddle/*",)
TELLS = re.compile(r"\b(got|received|found|given|but|holds|has|starts with)\b")
MAKERS = re.compile(
    r"\b(PD_CHECK|PD_THROW|RaiseTypeError|RaiseValueError|RaiseAssertion|PyErr_SetString|"
    r"PyErr_Format|pyb::\w+_error)\s*\("
)
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def lead(node, names):
    """The literal text that an expression begins with: empty where a value comes first, None where
    the expression tells nothing. `names` holds what is assigned to names.
    """
    if isinstance(node, ast.Name):
        found = [text for text in (lead(value, {}) for value in names.get(node.id, ())) if text]
        return min(found, key=lambda text: text.startswith("["), default=None)
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return lead(node.values[0], names) if node.values else ""
    if isinstance(node, ast.FormattedValue):
        return ""
    if isinstance(node, ast.BinOp):
        return lead(node.left, names)
    if isinstance(node, ast.IfExp):
        found = [lead(branch, names) for branch in (node.body, node.orelse)]
        found = [text for text in found if text is not None]
        return min(found, key=lambda text: text.startswith("["), default=None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return lead(node.func.value, names) if node.func.attr == "format" else None
    return None


def assigned(tree):
    """{node: {name: values that the functions around it assign to it}} of the nodes within
    functions, by identity.
    """
    found = {}
    for function in ast.walk(tree):  # outer functions come first
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = {name: list(values) for name, values in found.get(id(function), {}).items()}
            for node in ast.walk(function):
                found[id(node)] = names
                for target in node.targets if isinstance(node, ast.Assign) else ():
                    if isinstance(target, ast.Name):
                        names.setdefault(target.id, []).append(node.value)
    return found


def is_exception(name):
    """Whether a built-in exception has the name."""
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


def python_texts(tree):
    """(line, name of the exception or `warning`, literal text, its lead) of exceptions that are
    raised or made, warnings and assertions.
    """
    names = assigned(tree)
    raised = {id(node.exc) for node in ast.walk(tree) if isinstance(node, ast.Raise)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.msg is not None:
            name, arguments = "AssertionError", [node.msg]
        elif isinstance(node, ast.Call):
            name, arguments = ast.unparse(node.func).rpartition(".")[2], node.args
            if name == "warn":
                name = "warning"
            elif not is_exception(name) and (id(node) not in raised or not name[:1].isupper()):
                continue
        else:
            continue
        parts = [
            at.value
            for argument in arguments
            for at in ast.walk(argument)
            if isinstance(at, ast.Constant) and isinstance(at.value, str)
        ]
        yield (
            node.lineno,
            name,
            " ".join(parts),
            lead(arguments[0], names.get(id(node), {})) if arguments else None,
        )


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
    given, the lead the first literal.
    """
    for found in MAKERS.finditer(text):
        call = text[found.end() : call_end(text, found.end())]
        code = re.search(r"(?:^|, |,\n\s*)(?:PyExc_)?([A-Z][A-Za-z]+),", call)
        literals = LITERAL.findall(call)
        yield (
            text.count("\n", 0, found.start()) + 1,
            code[1] if code else found[1],
            "".join(literals),
            literals[0] if literals else None,
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
        bracketed = any(fnmatch.fnmatchcase(path, files) for files in BRACKETED)
        found = python_texts(ast.parse(source)) if python else cpp_texts(source)
        for line, kind, text, first in sorted(found, key=lambda row: row[0]):
            if kind == "Internal":
                continue
            wrong = []
            if re.search(r"\bexpected\b", text) and not TELLS.search(text):
                wrong.append("says what was expected and not what it got")
            if bracketed and first is not None and not first.startswith("["):
                wrong.append("does not begin with [the function or class]")
            if not wrong:
                continue
            rows = [
                row
                for row, (files, name) in enumerate(allowed)
                if fnmatch.fnmatchcase(path, files) and name == kind
            ]
            used.update(rows)
            if not rows:
                problems += [f"{path}:{line}: a message {why}: {text[:60]!r}" for why in wrong]
    if paths is None:
        problems += [
            f"tools/lint/messages.txt: the row {' '.join(row)} excuses nothing"
            for at, row in enumerate(allowed)
            if at not in used
        ]
    return problems
