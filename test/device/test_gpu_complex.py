# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations of complex numbers run as kernels, with the CPU's values."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import needs_double, run

pytestmark = needs_double


def test_complex_numbers_have_kernels():
    script = pathlib.Path(__file__).resolve().parent / 'gpu_complex.py'
    out, said = run(script, FLAGS_gpu_explain=1, FLAGS_use_system_allocator=1)
    assert json.loads(out) == {}
    assert not re.findall(r'gpu: \w+: on the host.*', said)
