# SPDX-License-Identifier: Apache-2.0
"""Names that documents, stubs, the fuzzers and the package's own modules mention exist."""

import ast
import os
import re
import subprocess

import pytest

import paddle

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = os.path.dirname(os.path.dirname(paddle.__file__))
# Words of documents that stand in no source: what opgen puts together, and names of others.
ELSEWHERE = {'memfd', 'run_softmax', 'SoftmaxGradNode', 'sgemm'}


def tracked():
    try:
        done = subprocess.run(['git', 'ls-files'], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return done.stdout.splitlines() if done.returncode == 0 else []


def read(name):
    with open(os.path.join(ROOT, name), encoding='utf-8', errors='replace') as file:
        return file.read()


def test_names_in_documents_stand_in_the_sources():
    names = tracked()
    if not names:
        pytest.skip('the list of sources is git\'s')
    known = set(ELSEWHERE)
    for name in names:
        known.update(re.split(r'\W+', name))
        if not name.endswith('.md') and os.path.isfile(os.path.join(ROOT, name)):
            known.update(re.findall(r'\w+', read(name)))
    missing = []
    for name in names:
        if not (name.startswith('docs/design/') or name == 'README.md'):
            continue
        text = re.sub(r'```.*?```', '', read(name), flags=re.S)
        for quoted in re.findall(r'`([^`\n]+)`', text):
            if '*' not in quoted and not quoted.startswith(('-', '(')):
                missing += [
                    f'{name}: {word} of `{quoted}`'
                    for word in re.findall(r'[A-Za-z_]\w+', quoted)
                    if word not in known
                ]
    assert not missing


def test_paths_in_documents_exist():
    names = tracked()
    if not names:
        pytest.skip('the list of sources is git\'s')
    folders = {name.split('/')[0] for name in names if '/' in name}
    missing = []
    for name in names:
        if name.startswith('docs/design/') or name == 'README.md':
            for quoted in re.findall(r'`([\w.]+(?:/[\w.-]+)+)`', read(name)):
                places = [
                    quoted,
                    'paddle/' + quoted,
                    'python/' + quoted,
                    'python/paddle/' + quoted,
                    os.path.join(PACKAGES, quoted),
                    os.path.join(os.path.dirname(name), quoted),
                ]
                if quoted.split('/')[0] in folders and not any(
                    os.path.exists(os.path.join(ROOT, place)) for place in places
                ):
                    missing.append(f'{name}: `{quoted}`')
    assert not missing


def test_what_the_fuzzer_lets_change_the_state_exists():
    changes = next(
        ast.literal_eval(node.value)
        for node in ast.parse(read('test/fuzz/calls.py')).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], 'id', '') == 'CHANGES'
    )
    names = [name for name in tracked() if name.startswith(('python/paddle/', 'paddle/pybind/'))]
    if not names:
        pytest.skip('the list of sources is git\'s')
    sources = '\n'.join(map(read, names))
    assert [word for word in changes.split('|') if word not in sources] == []


def test_modules_use_what_the_core_has():
    """Also in branches that no test takes: each attribute that is read of the core or of a table of
    operations is there.
    """
    from paddle.base import libpaddle

    homes = {'paddle.base.libpaddle': libpaddle, 'paddle._C_ops': paddle._C_ops}
    root = os.path.dirname(paddle.__file__)
    missing, seen = [], 0
    for folder, _, files in os.walk(root, followlinks=True):
        for name in files:
            if not name.endswith('.py'):
                continue
            path = os.path.join(folder, name)
            package = os.path.relpath(folder, os.path.dirname(root)).replace(os.sep, '.')
            with open(path, encoding='utf-8') as file:
                tree = ast.parse(file.read())
            known = {}
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom):
                    base = (
                        package.split('.')[: len(package.split('.')) - max(node.level - 1, 0)]
                        if node.level
                        else []
                    )
                    module = '.'.join([*base, *([node.module] if node.module else [])])
                    known.update(
                        {one.asname or one.name: f'{module}.{one.name}' for one in node.names}
                    )
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    parts, at = [node.attr], node.value
                    while isinstance(at, ast.Attribute):
                        parts.insert(0, at.attr)
                        at = at.value
                    owner = homes.get(known.get(at.id, at.id)) if isinstance(at, ast.Name) else None
                    if (
                        isinstance(at, ast.Name)
                        and at.id == 'paddle'
                        and parts[0] == '_C_ops'
                        and len(parts) > 1
                    ):
                        owner, parts = paddle._C_ops, parts[1:]
                    seen += owner is not None
                    for part in parts if owner is not None else ():
                        if not hasattr(owner, part):
                            missing.append(
                                f'{os.path.relpath(path, root)}:{node.lineno}: {ast.unparse(node)}'
                            )
                            break
                        owner = getattr(owner, part)
    assert not missing and seen > 500
