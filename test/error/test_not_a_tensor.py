# SPDX-License-Identifier: Apache-2.0
"""Public functions refuse what is no tensor with an exception that is about the argument."""

import contextlib
import importlib
import io
import os
import sys
import warnings

import numpy as np
import pytest

import paddle

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import recipe_table  # noqa: E402
import recipes  # noqa: E402

NAMESPACES = [
    name
    for name in recipes.NAMESPACES
    if name
    in '''paddle nn.functional nn.functional.flash_attention nn.utils linalg fft signal vision.ops
          incubate incubate.nn.functional incubate.autograd geometric metric autograd text
          audio.functional Tensor'''.split()
]
OTHERS = [
    [1.0, 2.0],
    (1,),
    'abc',
    None,
    3,
    True,
    object(),
    np.ones([2, 3], 'float32'),
    np.float32(1),
]


def tensors_in(value, path=()):
    """The paths of the tensors of a nest."""
    if isinstance(value, paddle.Tensor):
        yield path
    elif type(value) in (list, tuple):
        for k, v in enumerate(value):
            yield from tensors_in(v, (*path, k))
    elif type(value) is dict:
        for k, v in value.items():
            yield from tensors_in(v, (*path, k))


def replaced(value, path, other):
    """The nest with `other` at a path."""
    if not path:
        return other
    if type(value) is dict:
        return {**value, path[0]: replaced(value[path[0]], path[1:], other)}
    items = list(value)
    items[path[0]] = replaced(items[path[0]], path[1:], other)
    return type(value)(items)


def calls():
    """(name, function, its arguments with something else in a tensor's place) of each such call."""
    for where, name, function, text in recipes.cases():
        full = f'{where}.{name}'
        if (
            where not in NAMESPACES
            or text is None
            or full in recipe_table.UNCALLED
            or isinstance(function, type)
        ):
            continue
        text = text.partition(' ->')[0]
        for path in tensors_in(next(recipes.arguments(text))):
            if where == 'Tensor' and path == (0, 0):
                continue  # self
            for other in OTHERS:
                yield full, function, replaced(next(recipes.arguments(text)), path, other)


def test_no_function_reads_attributes_of_what_is_no_tensor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some calls write files
    wrong, count = [], 0
    for name, function, (args, kwargs) in calls():
        count += 1
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter('ignore')
            try:
                function(*args, **kwargs)
            except AttributeError as error:
                wrong.append(f'{name}: {error}')
            except Exception:  # noqa: S110  other tests read the words of refusals
                pass
    assert not wrong, '\n'.join(wrong)
    assert count > 8000


@pytest.mark.parametrize('call', ['median', 'diff', 'linalg.cond', 'nn.functional.pad', 'fft.fft'])
def test_the_words_name_the_argument(call):
    module, _, name = f'paddle.{call}'.rpartition('.')
    function = getattr(importlib.import_module(module), name)
    with pytest.raises(TypeError, match=rf"\[{name}\] expected a Tensor for 'x', got list"):
        function([1.0, 2.0], *([[1, 1]] if name == 'pad' else []))
