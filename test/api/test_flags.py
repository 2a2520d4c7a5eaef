# SPDX-License-Identifier: Apache-2.0
"""Flags from the environment and from set_flags; logging under GLOG_v and FLAGS_v."""

import os
import re
import subprocess
import sys

import pytest

import paddle

LINE = re.compile(r'^I\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ plan\.cc:\d+\] plan of ', re.M)
PLAN = """
import paddle
from paddle.base import libpaddle as core
program = core.pir.Program()
with core._record(program):
    out = program._data('x', [3], 'float32') * 2
"""
BUILD = 'core.pir.Plan(program, [out])'


def run(code, **env):
    clean = {k: v for k, v in os.environ.items() if k not in ('GLOG_v', 'FLAGS_v')}
    done = subprocess.run(
        [sys.executable, '-c', code],
        capture_output=True,
        text=True,
        env={**clean, **env},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize('name', ['GLOG_v', 'FLAGS_v'])
def test_verbosity_from_the_environment(name):
    assert LINE.search(run(PLAN + BUILD, **{name: '2'}).stderr)
    assert not LINE.search(run(PLAN + BUILD, **{name: '1'}).stderr)


def test_verbosity_from_set_flags():
    assert LINE.search(run(PLAN + "paddle.set_flags({'FLAGS_v': 2})\n" + BUILD).stderr)
    assert not LINE.search(
        run(PLAN + "paddle.set_flags({'FLAGS_v': 0})\n" + BUILD, GLOG_v='2').stderr
    )


def test_flags():
    code = (
        "import paddle; print(paddle.get_flags(['FLAGS_benchmark', "
        "'FLAGS_call_stack_level', 'FLAGS_v']))"
    )
    assert run(
        code, FLAGS_benchmark='true', FLAGS_call_stack_level='2', GLOG_v='1'
    ).stdout.strip() == ("{'FLAGS_benchmark': True, 'FLAGS_call_stack_level': 2, 'FLAGS_v': 1}")
    old = paddle.get_flags('FLAGS_check_nan_inf_level')
    paddle.set_flags({'FLAGS_check_nan_inf_level': 3})
    assert paddle.get_flags(['FLAGS_check_nan_inf_level']) == {'FLAGS_check_nan_inf_level': 3}
    paddle.set_flags(old)
    with pytest.raises(TypeError):
        paddle.set_flags(['FLAGS_benchmark'])
    with pytest.raises(ValueError):
        paddle.get_flags('FLAGS_no_such_flag')
