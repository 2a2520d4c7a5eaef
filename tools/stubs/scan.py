# SPDX-License-Identifier: Apache-2.0
"""What modules the package has, what is in them, and where each class and function is at home."""

import ast
import contextlib
import functools
import importlib
import inspect
import io
import pkgutil
import sys
import textwrap
import types
import warnings

import paddle
from paddle import _paths
from paddle.base.libpaddle import Tensor

COMPILED = type(paddle.abs)  # functions of stanzas and those bound by hand
ROUTINES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    functools._lru_cache_wrapper,
    COMPILED,
)
CONSTANTS = (bool, int, float, complex, str, bytes)


def quietly(path):
    """An imported module, or None where it refuses to be imported here."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return importlib.import_module(path)
        except (ImportError, RuntimeError, NotImplementedError):
            return None


def modules():
    """{path: module} of the package: files, and those that only `paddle._paths` has."""
    paths = {"paddle", *_paths.modules()}
    walked = [("paddle", paddle)]
    while walked:
        path, module = walked.pop()
        for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
            name = f"{path}.{found.name}"
            if found.name in ("__main__", "libpaddle", "libpaddle_core"):
                continue
            paths.add(name)
            if found.ispkg:
                below = quietly(name)
                if below is not None:
                    walked.append((name, below))
    paths |= {name for name in sys.modules if name.startswith("paddle.base.libpaddle")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = {path: quietly(path) for path in sorted(paths)}
    return {path: module for path, module in loaded.items() if isinstance(module, types.ModuleType)}


def names(module, more):
    """{name: value} of a module, those found on first use too; `more`: names it does not list."""
    found = {}
    shown = getattr(module, "__all__", None)
    for name in sorted({*dir(module), *(shown or ()), *more, *(["__all__"] if shown else [])}):
        if name.startswith("__") and name not in ("__all__", "__version__"):
            continue
        try:
            found[name] = getattr(module, name)
        except (AttributeError, ImportError):
            continue
    return found


def routine(value):
    return isinstance(value, ROUTINES)


@functools.cache
def home(value):
    """(module, qualified name) under which a class or function is found again, or None."""
    path, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not path or not name or "<" in name:
        return None
    module = sys.modules.get(path)
    try:
        same = functools.reduce(getattr, name.split("."), module) is value
    except AttributeError:
        return None
    return (path, name) if same else None


def signature(value):
    """The signature that a caller sees, or None where the function does not tell."""
    try:
        return inspect.signature(value)
    except (ValueError, TypeError):
        return None


def documented(value):
    return inspect.getdoc(value) or ""


@functools.cache
def tensor():
    """A tensor with a gradient and a history, whose attributes tell their types."""
    x = paddle.ones([2, 2])
    x.stop_gradient = False
    y = x * 2
    y.retain_grads()
    y.sum().backward()
    return y


def sampled(cls, name):
    """What an attribute of compiled code is on a tensor, else None."""
    if cls is not Tensor:
        return None
    try:
        return getattr(tensor(), name)
    except (AttributeError, ValueError, RuntimeError):
        return None


@functools.cache
def parsed(function):
    """The syntax tree of a Python function, or None."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None
    return tree.body[0] if isinstance(tree.body[0], ast.FunctionDef) else None


def assigned(cls):
    """{attribute: [(method, value)]} that methods of a Python class assign to `self`."""
    found = {}
    for method in vars(cls).values():
        node = parsed(method) if isinstance(method, types.FunctionType) else None
        if node is None or not node.args.args:
            continue
        owner = node.args.args[0].arg
        for statement in ast.walk(node):
            if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
                continue
            targets = getattr(statement, "targets", None) or [statement.target]
            pairs = [(t, statement.value) for t in targets]
            for target, value in pairs:
                if isinstance(target, (ast.Tuple, ast.List)):
                    parts = (
                        value.elts
                        if isinstance(value, (ast.Tuple, ast.List))
                        and len(value.elts) == len(target.elts)
                        else [None] * len(target.elts)
                    )
                    pairs += zip(target.elts, parts)
                elif (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == owner
                ):
                    found.setdefault(target.attr, []).append((node.name, value))
    return found


def returned(function):
    """The expressions that a Python function returns; none of a nested function's."""
    node = parsed(function)
    if node is None:
        return []
    found, walked = [], list(node.body)
    while walked:
        part = walked.pop()
        if isinstance(part, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(part, ast.Return):
            found.append(part.value)
        walked += ast.iter_child_nodes(part)
    return found
