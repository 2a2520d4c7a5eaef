# SPDX-License-Identifier: Apache-2.0
"""Every public callable is called once with sensible arguments (`test/recipes.py`)."""

import contextlib
import os
import sys

import pytest

import paddle

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import recipe_table  # noqa: E402
import recipes  # noqa: E402


@pytest.mark.parametrize("namespace", recipes.NAMESPACES)
def test_each_public_callable_can_be_called(namespace, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    request.addfinalizer(paddle.disable_compat)  # enable_compat is among them
    failures = []
    for where, name, value, text in recipes.cases():
        full = f"{where}.{name}"
        if where != namespace or full in recipe_table.UNCALLED:
            continue
        if text is None:
            failures.append(f"{full}: no recipe")
            continue
        try:
            with paddle.LazyGuard() if where == "vision.models" else contextlib.nullcontext():
                result = recipes.call(where, value, text)
            if where in ("vision.datasets", "text") and isinstance(result, paddle.io.Dataset):
                assert len(result) > 0 and len(result[0]) > 0
        except Exception as error:  # each failure is listed
            failures.append(f"{full}({text}): {type(error).__name__}: {error}")
    assert not failures, "\n".join(failures)


def test_names_without_a_recipe_exist():
    names = {f"{where}.{name}" for where, name, _, _ in recipes.cases()}
    assert set(recipe_table.UNCALLED) <= names


def test_names_without_a_recipe_refuse_in_words():
    values = {f"{where}.{name}": value for where, name, value, _ in recipes.cases()}
    for name, reason in recipe_table.UNCALLED.items():
        for arguments in ([paddle.ones([1])] if name.startswith("Tensor.") else [], [0], ["x"]):
            try:
                made = values[name](*arguments)
                if callable(made):  # a decorated function refuses when it is called
                    made()
            except (
                ValueError,
                TypeError,
                RuntimeError,
                AssertionError,
                NotImplementedError,
                ImportError,
                AttributeError,
            ) as error:
                assert str(error)
            else:
                assert reason.startswith("abstract"), name


def test_recipes_have_a_callable():
    used = {(where, name) for where, name, _, _ in recipes.cases()}
    left = [
        f"{where}.{name}"
        for where, rows in recipe_table.RECIPES.items()
        for row in rows
        for name in row.split()
        if (where, name) not in used and (where, name + "_") not in used
    ]
    assert not left
