# SPDX-License-Identifier: Apache-2.0
"""Import statements within functions, which run only when the function is called."""

import ast
import importlib.util
import os
import pathlib

import paddle

ROOT = pathlib.Path(paddle.__file__).parent


def _named(path, statement):
    """(module, names of it) that an import statement of a file names."""
    if isinstance(statement, ast.Import):
        return [(alias.name, []) for alias in statement.names]
    module = statement.module or ''
    if statement.level:
        package = ('paddle', *path.relative_to(ROOT).parent.parts)
        package = package[: len(package) - statement.level + 1]
        module = '.'.join((*package, module)).rstrip('.')
    return [(module, [alias.name for alias in statement.names if alias.name != '*'])]


def _files():
    for folder, _, names in os.walk(ROOT, followlinks=True):
        yield from (pathlib.Path(folder, name) for name in names if name.endswith('.py'))


def _resolves(module, name):
    if hasattr(module, name):
        return True
    return importlib.util.find_spec(f'{module.__name__}.{name}') is not None


def test_what_is_imported_exists():
    wrong = []
    for path in _files():
        for statement in ast.walk(ast.parse(path.read_text())):
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                continue
            for name, parts in _named(path, statement):
                if name.partition('.')[0] != 'paddle':
                    continue
                place = f'{path.relative_to(ROOT)}:{statement.lineno}: {name}'
                try:
                    module = importlib.import_module(name)
                except ModuleNotFoundError as missing:
                    if missing.name.partition('.')[0] == 'paddle':
                        wrong.append(place)
                    continue
                wrong += [f'{place}.{part}' for part in parts if not _resolves(module, part)]
    assert not wrong
