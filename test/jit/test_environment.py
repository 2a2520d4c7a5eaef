# SPDX-License-Identifier: Apache-2.0
"""Environment variables that say how functions are compiled, and what is logged."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import paddle

@paddle.jit.to_static
def f(x):
    y = paddle.tanh(x * 2) + x
    if y.sum() > 0:
        y = paddle.exp(y) * 2
    paddle.jit.sot.psdb.breakgraph()
    return paddle.exp(y) * 2 + x

@paddle.jit.to_static
def g(x):
    return x * 2 if x.sum() > 0 else x

for n in range(2, 9):
    for _ in range(2):
        f(paddle.ones([n]))
        g(paddle.ones([n]))
print('whole', f._full_graph)
print('regions', sum(r.recordings > 0 for r in paddle.jit.explain(f).regions))
print('free', 'for any' in str(paddle.jit.explain(g)))
"""


@pytest.fixture
def run(tmp_path):
    path = tmp_path / 'program.py'
    path.write_text(PROGRAM)

    def run(**variables):
        done = subprocess.run(
            [sys.executable, str(path)],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )
        lines = done.stdout.splitlines()
        return done, dict(line.split() for line in lines if len(line.split()) == 2)

    return run


def test_without_them_nothing_is_logged(run):
    done, found = run()
    assert done.returncode == 0 and done.stderr == ''
    assert found['whole'] == 'False' and int(found['regions']) >= 1


@pytest.mark.parametrize('text', ['False', '0'])
def test_whole_graphs(run, text):
    assert run(ENABLE_FALL_BACK=text)[1]['whole'] == 'True'
    assert run(ENABLE_FALL_BACK='True')[1]['whole'] == 'False'


@pytest.mark.parametrize('name', ['TRANSLATOR_VERBOSITY', 'SOT_LOG_LEVEL'])
def test_levels_of_logging(run, name):
    first, all_of_it = run(**{name: '1'})[0].stderr, run(**{name: '3'})[0].stderr
    assert 'breakgraph() is called' in first and 'operations' not in first
    assert 'breakgraph() is called' in all_of_it and 'operations' in all_of_it
    assert 'did not fit' in all_of_it


def test_code_that_is_converted_is_shown(run):
    text = run(TRANSLATOR_CODE_LEVEL='100', ENABLE_FALL_BACK='0')[0].stderr
    assert 'g (' in text and 'after conversion' in text and '_jst' in text


def test_operations_that_make_a_region(run):
    assert int(run(MIN_GRAPH_SIZE='100')[1]['regions']) == 0


def test_functions_that_are_left_as_they_are_raise(tmp_path):
    text = 'import paddle\nx = paddle.ones([2])\nexec("def f(x): return x + 1")\n'
    text += 'paddle.jit.to_static(f)(x)\n'
    for value, code in (('1', 1), ('0', 0)):
        words = [sys.executable, '-c', text]
        env = {**os.environ, 'STRICT_MODE': value}
        done = subprocess.run(words, env=env, capture_output=True, text=True)
        assert done.returncode == code and ('FallbackError' in done.stderr) == bool(code)


def test_extents_that_vary_are_free_or_not(run):
    assert run()[1]['free'] == 'True'
    assert run(SOT_ALLOW_DYNAMIC_SHAPE='0')[1]['free'] == 'False'
