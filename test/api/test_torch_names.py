# SPDX-License-Identifier: Apache-2.0
"""paddle.enable_compat: `import torch` finds paddle, everywhere or in some modules."""

import importlib
import sys
import types
import warnings

import pytest

import paddle


@pytest.fixture(autouse=True)
def modules(tmp_path, monkeypatch):
    if importlib.util.find_spec('torch'):
        pytest.skip('there is a torch')
    for name in ('first', 'second'):
        (tmp_path / name).mkdir()
        (tmp_path / name / '__init__.py').write_text('import torch\n')
        (tmp_path / name / 'inner.py').write_text('import torch.nn as nn\n')
    monkeypatch.syspath_prepend(tmp_path)
    yield
    paddle.disable_compat()
    for name in [n for n in sys.modules if n.split('.')[0] in ('first', 'second')]:
        del sys.modules[name]


def found(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def test_modules_are_paddles_own():
    layers, specs = paddle.nn.Linear, paddle.nn.__spec__
    paddle.enable_compat()
    import torch
    import torch.nn as nn
    from torch.nn import functional

    assert torch is paddle and nn is paddle.nn and functional is paddle.nn.functional
    assert nn.Linear is layers and paddle.nn.__spec__ is specs and paddle.__spec__.name == 'paddle'
    with pytest.raises(ModuleNotFoundError, match='torch.none'):
        import torch.none
    paddle.disable_compat()
    assert found('torch') is None and found('torch.nn') is None


def test_a_scope_and_what_is_added_to_it():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        paddle.enable_compat(scope='first')
    assert found('torch') is None and found('second') is None
    assert found('first').torch is paddle and found('first.inner').nn is paddle.nn
    with pytest.warns(UserWarning, match="adds .'second'."):
        paddle.enable_compat(scope=['second'])
    assert found('torch') is None and found('second').torch is paddle
    with pytest.warns(UserWarning, match='all modules find paddle from now on'):
        paddle.enable_compat()
    assert found('torch') is paddle
    with pytest.warns(UserWarning, match='changes no scope'):
        paddle.enable_compat(scope='first')
    paddle.disable_compat()
    paddle.enable_compat(scope='second')
    del sys.modules['first'], sys.modules['first.inner']
    assert found('first') is None


def test_blocked_modules():
    paddle.enable_compat(blocked_modules={'first'})
    assert found('torch') is paddle and found('second').torch is paddle
    assert found('first') is None and found('torch') is paddle
    assert importlib.util.find_spec('second').loader is not None


def test_another_torch_stays(monkeypatch):
    other = types.ModuleType('torch')
    monkeypatch.setitem(sys.modules, 'torch', other)
    with pytest.warns(UserWarning, match='has been imported before'):
        paddle.enable_compat()
    paddle.disable_compat()
    assert sys.modules['torch'] is other
