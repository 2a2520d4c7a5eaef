# SPDX-License-Identifier: Apache-2.0
"""Processes on the driver's double, for tests."""

import json
import os
import pathlib
import subprocess
import sys

import paddle
import pytest

DOUBLE = pathlib.Path(paddle.__file__).absolute().parents[2] / 'fakecuda' / 'libcuda.so.1'
needs_double = pytest.mark.skipif(
    not DOUBLE.exists(), reason=f'no driver double at {DOUBLE}: build the target fakecuda'
)


def child(*arguments, **env):
    """A process on the double; nothing that the double finds wrong may go by. Where each tensor is
    an allocation of its own (FLAGS_use_system_allocator), that is also access beyond a tensor.
    """
    env = {'FLAGS_cuda_driver': DOUBLE, 'PADDLE_CINN_CACHE_DIR': '', **env}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **{k: str(v) for k, v in env.items()}},
        timeout=300,
    )


def run(*arguments, **env):
    """What such a process printed on both streams."""
    done = child(*arguments, **env)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout, done.stderr


def explained(library, script, *arguments, **env):
    """What was said of how operations ran, by a script that prints what it finds wrong: nothing,
    nor does the double of the library.
    """
    out, said = run(script, *arguments, FLAGS_gpu_explain=1, FLAGS_use_system_allocator=1, **env)
    assert json.loads(out) == {}
    assert f'fake{library}:' not in said, said
    return said
