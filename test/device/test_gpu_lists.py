# SPDX-License-Identifier: Apache-2.0
"""Lists, choices, counts and special functions on GPUs by kernels of the library, on the driver's
double.
"""

import functools
import json
import re
import sys

from test_gpu_kernels import EPSILON, HERE, ROOT, beyond, pytestmark, run  # noqa: F401

EPSILON = EPSILON | {'complex64': EPSILON['float32'], 'complex128': EPSILON['float64']}
# What has no kernel, in some dtype or argument: bytes that are summed, and gradients of features.
HOSTS = {'cast', 'full_like', 'roi_align_scatter', 'max_pool_gather'}


@functools.lru_cache
def ran():
    out, said = run(HERE / 'gpu_lists.py', FLAGS_gpu_explain=1, FLAGS_use_system_allocator=1)
    return json.loads(out), said


def test_results_and_gradients_are_the_cpus():
    found = ran()[0]['differences']
    assert len(found) > 380
    assert not beyond(found, lambda dtype: 24 * EPSILON.get(dtype, 0))


def test_none_of_them_needs_the_host():
    ways = set(re.findall(r'^gpu: (\w+): (by primitives|on the host)', ran()[1], re.M))
    kernels, host = ({op for op, way in ways if way == w} for w in ('by primitives', 'on the host'))
    assert len(kernels) > 40
    assert not host - HOSTS, host - HOSTS


def test_errors_are_the_cpus():
    raised = ran()[0]['raised']
    assert raised[: len(raised) // 2] == raised[len(raised) // 2 :] and 'nothing' not in raised


def test_streams_may_run_in_any_order():
    out, _ = run(HERE / 'gpu_lists.py', FAKECUDA_ORDER=4)
    assert json.loads(out) == ran()[0]


def test_85_of_100_operators_need_no_host():
    """By the list that the documentation site shows."""
    sys.path.insert(0, str(ROOT / 'tools'))
    try:
        import pages
    finally:
        sys.path.pop(0)
    ops = pages.model.load(ROOT / 'paddle' / 'phi' / 'ops')
    shown = sum(not op.internal for op in ops)
    assert shown > 400 and len(pages.without_kernels(ops)[0]) <= 0.15 * shown
