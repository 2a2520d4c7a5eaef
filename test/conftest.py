# SPDX-License-Identifier: Apache-2.0
"""What every test shares: one thread state, a fixed seed and dynamic mode at the start of each
test.
"""

import os
import subprocess

import pytest


def pytest_configure(config):
    config.addinivalue_line(
        'markers',
        'oracle: compares with the published paddlepaddle 3.3.1; skipped where it is not installed',
    )


@pytest.fixture(autouse=True)
def fresh_state():
    """Each test starts from the same seed, so that its values do not depend on which tests ran
    before.
    """
    import paddle

    paddle.seed(2024)
    yield


@pytest.fixture
def static_mode():
    import paddle

    paddle.enable_static()
    try:
        yield
    finally:
        paddle.disable_static()


@pytest.fixture
def static_scope(static_mode):
    """Static mode, and a scope of its own."""
    import paddle

    with paddle.static.scope_guard(paddle.static.Scope()):
        yield


@pytest.fixture
def run_oracle():
    """Runs a script with a folder as its argument in the environment of the published paddlepaddle
    3.3.1 and returns what it printed; the interpreter is PADDLE_ORACLE or .oracle/bin/python."""
    python = os.environ.get('PADDLE_ORACLE') or os.path.join(
        os.path.dirname(__file__), '..', '.oracle', 'bin', 'python'
    )
    if not os.path.exists(python):
        pytest.skip('no published paddlepaddle to compare with (PADDLE_ORACLE)')
    environment = {k: v for k, v in os.environ.items() if k != 'PYTHONPATH'}

    def run(code, folder):
        command = [python, '-c', code, str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    return run
