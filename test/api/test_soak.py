# SPDX-License-Identifier: Apache-2.0
"""Long runs hold no more memory, descriptors, processes or segments than short ones;
test/fuzz/soak.py runs them longer.
"""

import os
import subprocess
import sys

import pytest

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOAK = os.path.join(TESTS, 'fuzz', 'soak.py')
sys.path.insert(0, TESTS)

from sanitizers import SANITIZER  # noqa: E402


@pytest.mark.skipif(
    SANITIZER == 'address', reason='AddressSanitizer keeps what is given back in quarantine'
)
def test_nothing_grows():
    done = subprocess.run(
        [sys.executable, SOAK, '--short'], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
