# SPDX-License-Identifier: Apache-2.0
"""A public Python function reads each of its arguments: what is accepted has its effect or is
refused, never dropped.

An argument is unread when nothing in the body loads its name (a deletion is no reading). A
`**kwargs` is unread too when only known keywords are taken from it: a misspelt one would be
dropped; and each key that `keywords` admits must be taken. What a method only stores counts as read
if somebody reads it there (`stored.py`). Functions made inside functions are looked at where their
first parameter is that of a method. `unread_arguments.txt` lists the exceptions, each with its
reason: `file function argument,argument: reason`, where the first two may be patterns and `*` means
any argument.
"""

import ast
import fnmatch
import os

from . import stored
from .files import tracked

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "unread_arguments.txt")
TAKES = ("get", "pop", "setdefault")
OBJECTS = ("self", "cls", "var")  # first parameters of methods


def functions(body, prefix="", in_class=False):
    """(qualified name, node, whether it is a method) of the functions of a module and of its
    classes, and of methods made in functions.
    """
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from functions(node.body, prefix + node.name + ".", True)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node, in_class
            for inner in ast.walk(node):
                if (
                    isinstance(inner, ast.FunctionDef)
                    and inner is not node
                    and inner.args.args[:1]
                    and inner.args.args[0].arg in OBJECTS
                ):
                    yield inner.name, inner, True
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            yield from functions(
                [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)],
                prefix,
                in_class,
            )


def public(name):
    return all(
        not part.startswith("_") or (part.startswith("__") and part.endswith("__"))
        for part in name.split(".")
    )


def decorated(node, *names):
    return any(isinstance(one, ast.Name) and one.id in names for one in node.decorator_list)


def taken_keys(node):
    """(key, the dict) of each constant key that is taken from a dict."""
    for at in ast.walk(node):
        if (
            isinstance(at, ast.Call)
            and isinstance(at.func, ast.Attribute)
            and at.func.attr in TAKES
            and at.args
            and isinstance(at.args[0], ast.Constant)
        ):
            yield at.args[0].value, at.func.value
        elif isinstance(at, ast.Subscript) and isinstance(at.slice, ast.Constant):
            yield at.slice.value, at.value
        elif (
            isinstance(at, ast.Compare)
            and isinstance(at.left, ast.Constant)
            and isinstance(at.ops[0], (ast.In, ast.NotIn))
        ):
            yield at.left.value, at.comparators[0]


def taken_only(node, name):
    """Whether all that is read of the dict `name` are single known keys."""
    known = {id(where) for _, where in taken_keys(node)}
    uses = [
        at
        for at in ast.walk(node)
        if isinstance(at, ast.Name) and at.id == name and isinstance(at.ctx, ast.Load)
    ]
    return all(id(at) in known for at in uses)


def admitted_only(node):
    """Keys that `keywords(op, given, key, ...)` admits and nothing takes from `given`."""
    for call in ast.walk(node):
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "keywords"
            and isinstance(call.args[1], ast.Name)
        ):
            continue
        given = call.args[1].id
        passed = any(
            isinstance(at, ast.keyword)
            and at.arg is None
            and isinstance(at.value, ast.Name)
            and at.value.id == given
            for at in ast.walk(node)
        )
        taken = {
            key
            for key, where in taken_keys(node)
            if isinstance(where, ast.Name) and where.id == given
        }
        yield from (
            one.value
            for one in call.args[2:]
            if isinstance(one, ast.Constant) and one.value not in taken and not passed
        )


def unread(node, method):
    """Names of the arguments that the function does not read; `**name` for keywords that are
    dropped.
    """
    statements = [
        s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))
    ]
    if len(statements) == 1 and isinstance(statements[0], ast.Raise):
        return []  # refuses every call
    loads = {
        at.id
        for s in node.body
        for at in ast.walk(s)
        if isinstance(at, ast.Name) and isinstance(at.ctx, ast.Load)
    }
    if "locals" in loads:
        return []
    names = [one.arg for one in node.args.posonlyargs + node.args.args]
    if method and not decorated(node, "staticmethod"):
        names = names[1:]
    names += [one.arg for one in node.args.kwonlyargs]
    found = [name for name in names if name not in loads and name != "name"]
    if node.args.vararg and node.args.vararg.arg not in loads:
        found.append("*" + node.args.vararg.arg)
    if node.args.kwarg and (
        node.args.kwarg.arg not in loads or taken_only(node, node.args.kwarg.arg)
    ):
        found.append("**" + node.args.kwarg.arg)
    return found


def exceptions():
    """(pattern of files, pattern of functions, argument names) of each row of the list."""
    rows = []
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                head, _, reason = line.partition(": ")
                path, function, names = head.split()
                if not reason.strip():
                    raise ValueError(f"unread_arguments.txt: expected a reason in {line!r}")
                rows.append((path, function, set(names.split(","))))
    return rows


def dropped(root, paths):
    """(file, line, function, argument) of what public functions drop."""

    def text(path):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read()

    trees = {path: ast.parse(text(path)) for path in paths if path.endswith(".py")}
    for path, tree in trees.items():
        for name, node, method in functions(tree.body):
            for argument in [*unread(node, method), *admitted_only(node)]:
                yield path, node.lineno, name, argument
    yield from stored.find(trees, [text(path) for path in paths if not path.endswith(".py")])


def looked_at(path):
    """Whether a file is a module of the package, or one of the C++ sources that ask Python objects
    for attributes by name.
    """
    return (
        path.startswith("python/paddle/")
        and path.endswith(".py")
        or path.startswith(("paddle/pybind/", "paddle/jit/"))
        and path.endswith((".cc", ".h"))
    )


def run(root, paths=None):
    """Problems of the package (or of `paths`), and rows of the list that excuse nothing."""
    problems, used, allowed = [], set(), exceptions()
    for path, line, name, argument in dropped(
        root, paths or [one for one in tracked(root) if looked_at(one)]
    ):
        if not public(name):
            continue
        rows = [
            row
            for row, (files, names, free) in enumerate(allowed)
            if fnmatch.fnmatchcase(path, "python/paddle/" + files)
            and fnmatch.fnmatchcase(name, names)
            and free & {argument, "*"}
        ]
        used.update(rows)
        if not rows:
            problems.append(
                f"{path}:{line}: {name} drops its argument {argument}: read it, refuse it, or "
                f"list it "
                "with a reason in tools/lint/unread_arguments.txt"
            )
    if paths is None:
        problems += [
            f"tools/lint/unread_arguments.txt: the row {' '.join(allowed[row][:2])} excuses nothing"
            for row in range(len(allowed))
            if row not in used
        ]
    return problems
