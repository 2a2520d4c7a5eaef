# SPDX-License-Identifier: Apache-2.0
"""Keywords that nobody knows, and arguments of the core's classes that nothing would read."""

import importlib
import os
import pickle
import traceback

import pytest

import paddle

TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def test_misspelt_keywords_of_every_public_callable(tmp_path, monkeypatch):
    """A keyword that nobody knows is refused by each of them, in its sensible call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(TEST)
    recipes, table = importlib.import_module('recipes'), importlib.import_module('recipe_table')
    swallowed = []
    for where, name, value, text in recipes.cases():
        if (
            text is None
            or f'{where}.{name}' in table.UNCALLED
            or where == 'vision.models'
            or value is paddle.jit.save
        ):
            continue  # the configs of jit.save are tested in test_arguments.py
        first = recipes._CALLS.split(text)[0]
        keyword = 'nobody_knows=1' if not first.strip() else f'{first}, nobody_knows=1'
        try:
            recipes.call(where, value, keyword)
        except Exception as error:  # noqa: BLE001 its text is judged
            if isinstance(error, TypeError) or 'nobody_knows' in str(error):
                continue
            swallowed.append(f'{where}.{name}: {error!r}')
        else:
            swallowed.append(f'{where}.{name}')
    assert swallowed == ['nn.Identity']  # takes any argument, in PaddlePaddle too


def test_arguments_of_the_core_s_classes():
    assert (
        paddle.Tensor([1.0], place=paddle.CPUPlace(), stop_gradient=False, name='made').name
        == 'made'
    )
    for call in (
        lambda: paddle.Tensor([1.0], paddle.CPUPlace()),
        lambda: paddle.Tensor([1.0], 2.0),
        lambda: paddle.Tensor([1.0], zero_copy=True),
        lambda: paddle.CPUPlace(1),
        lambda: paddle.ones([1]).cpu(1),
        lambda: paddle.dtype('float32', 'int8'),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: paddle.Generator(3),
        lambda: paddle.Generator('gpu'),
        lambda: paddle.CustomPlace('npu', 300),
        lambda: paddle.CustomPlace('npu', -1),
    ):
        with pytest.raises((ValueError, TypeError), match='expected|device'):
            call()
    assert isinstance(paddle.Generator('cpu'), type(paddle.Generator(0)))


@pytest.mark.parametrize(
    ('owner', 'name', 'meant'),
    [
        (paddle, 'concatenat', "'concatenate' or 'concat'"),
        (paddle.nn, 'BatchNorm2d', "'BatchNorm2D'"),
        (paddle.nn.functional, 'relux', "'relu' or 'rrelu'"),
        (paddle.optimizer, 'Adm', "'Adam' or 'RAdam'"),
        (paddle, 'optim', "'paddle.optimizer'"),
        (paddle.utils, 'data', "'paddle.io'"),
        (paddle.nn.Linear(1, 1), 'wieght', "'weight'"),
    ],
)
def test_unknown_names_suggest(owner, name, meant):
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert str(caught.value).endswith(f'; did you mean {meant}?')
    assert traceback.format_exception_only(type(caught.value), caught.value)[0].startswith(
        'AttributeError: '
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_what_no_name_is_like_gets_no_suggestion():
    with pytest.raises(AttributeError, match="^module 'paddle' has no attribute 'qqqqqq'$"):
        paddle.qqqqqq  # noqa: B018


@pytest.mark.parametrize(
    ('call', 'message'),
    [
        (lambda x: paddle.sum(x, axs=1), "'axs'; did you mean 'axis'?"),
        (lambda x: x.max(dim=1), "'dim'; did you mean 'axis'?"),
        (lambda x: paddle.to_tensor([1.0], devic='cpu'), "'devic'; did you mean 'device'?"),
        (lambda x: paddle.abs(x, whatever=1), "'whatever'; expected x, name, out, input"),
        (lambda x: x.backward(retain_grph=True), "'retain_grph'; did you mean 'retain_graph'?"),
    ],
)
def test_unknown_keywords_suggest(call, message):
    with pytest.raises(TypeError) as caught:
        call(paddle.to_tensor([[1.0]]))
    assert str(caught.value).endswith(f'got an unexpected keyword argument {message}')
