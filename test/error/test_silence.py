# SPDX-License-Identifier: Apache-2.0
"""What has no effect says so: flags, calls that cannot be recorded; and no handler swallows every
exception.
"""

import importlib
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import paddle

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(code, **environ):
    return subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, env={**os.environ, **environ}
    )


def test_a_flag_without_effect_says_so_once():
    code = (
        "import paddle\nfor value in (2, 4, 4):\n    "
        "paddle.set_flags({'FLAGS_paddle_num_threads': "
        "value})\npaddle.set_flags({'FLAGS_benchmark': False, 'FLAGS_check_nan_inf': False, "
        "'FLAGS_use_onednn': True})"
    )
    error = run(code).stderr
    assert (
        error.count('FLAGS_paddle_num_threads has no effect') == 1
        and error.count('has no effect') == 1
    )


def test_a_flag_of_the_environment_without_effect_says_so():
    error = run(
        'import paddle; paddle.get_flags("FLAGS_benchmark")',
        FLAGS_benchmark='1',
        FLAGS_use_onednn='1',
    ).stderr
    assert 'FLAGS_benchmark has no effect' in error and 'use_onednn' not in error


def test_a_call_that_is_not_recorded_names_the_reason_once():
    @paddle.jit.to_static
    def function(x):
        y = x * 2
        y.unfold(0, 2, 1).zero_()  # elements that have no places of their own
        return y + 1

    x = paddle.to_tensor(np.ones(3, 'float32'))
    with pytest.warns(UserWarning, match=r'\[to_static\] .*function runs as it is'):
        first = function(x)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        np.testing.assert_array_equal(function(x).numpy(), first.numpy())


def test_lint_finds_silence(tmp_path):
    sys.path.insert(0, os.path.join(ROOT, 'tools'))
    try:
        lint = importlib.import_module('lint.silence')
    finally:
        sys.path.pop(0)
    (tmp_path / 'python').mkdir()
    (tmp_path / 'paddle').mkdir()
    (tmp_path / 'python' / 'm.py').write_text('''
def swallowed():
    try: pass
    except Exception: pass
def bare():
    try: pass
    except: return None
def named():
    try: pass
    except ValueError: pass
def told():
    try: pass
    except Exception as error: print(error)
def again():
    try: pass
    except BaseException: raise
''')
    (tmp_path / 'paddle' / 'm.cc').write_text(
        'void f() {\n  try {\n  } catch (...) {\n    // nothing\n  }\n  try {\n  } catch (...) '
        '{\n    throw;\n  }\n}\n'
    )
    found = lint.run(str(tmp_path), ['python/m.py', 'paddle/m.cc'])
    assert (
        len(found) == 3
        and ' swallowed ' in found[0]
        and ' bare ' in found[1]
        and found[2].startswith('paddle/m.cc:3')
    )


def test_lint_finds_messages_that_do_not_say_what_they_got(tmp_path):
    sys.path.insert(0, os.path.join(ROOT, 'tools'))
    try:
        lint = importlib.import_module('lint.messages')
    finally:
        sys.path.pop(0)
    (tmp_path / 'python' / 'paddle').mkdir(parents=True)
    (tmp_path / 'paddle').mkdir()
    (tmp_path / 'python' / 'paddle' / 'm.py').write_text('''
def f(x):
    if x == 1: raise ValueError(f"[f] expected one, not {x}")
    if x == 2: raise ValueError(f"[f] expected one, "
                                f"got {x}")
    if x == 3: raise ValueError("unknown")
    if x == 4: warnings.warn(f"{x} is unknown")
    if x == 5: return KeyError("no " + x) if x else TypeError("[f] no x")
    assert x, "no x"
    text = f"no {x}"
    if x: raise OSError(text)
    raise KeyError(x)
''')
    (tmp_path / 'paddle' / 'm.cc').write_text('''void f(int x) {
  PD_CHECK(x == (1), InvalidArgument, "[f] expected (one", Text(x));
  PD_CHECK(x, InvalidArgument, "[f] expected one",
           ", got ", x);
  PD_THROW(Internal, "[f] expected one");
  RaiseTypeError("[f] expected one");
  PyErr_SetString(PyExc_TypeError, "[f] expected one, but received another");
}
''')
    found = lint.run(str(tmp_path), ['python/paddle/m.py', 'paddle/m.cc'])
    assert [line.split(': ')[0] for line in found] == [
        'python/paddle/m.py:3',
        'python/paddle/m.py:6',
        'python/paddle/m.py:7',
        'python/paddle/m.py:8',
        'python/paddle/m.py:9',
        'python/paddle/m.py:11',
        'paddle/m.cc:2',
        'paddle/m.cc:6',
    ]
