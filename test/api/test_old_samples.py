# SPDX-License-Identifier: Apache-2.0
"""Programs of one old operation, by the samples of tools/oracle/legacy_samples.py: values, offsets
of sequences and gradients are those of the published package, which `legacy_ops.py --keep` wrote.
"""

import json
import os
import sys

import numpy as np
import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'tools', 'oracle'))

import call_worker  # noqa: E402
import legacy_ops  # noqa: E402

with open(os.path.join(HERE, 'data', 'old_samples_3.3.1.json'), encoding='utf-8') as _file:
    KEPT = json.load(_file)
CALLS = [c for c in legacy_ops.samples()[0] if str(c) in KEPT]


@pytest.fixture(scope='module')
def package():
    return call_worker.Paddle()


def test_each_kept_result_has_a_sample():
    assert len(CALLS) == len(KEPT) > 80


@pytest.mark.parametrize('call', CALLS, ids=[f'{c.function}_{k}' for k, c in enumerate(CALLS)])
def test_programs_equal_those_of_the_published_package(package, call):
    made = call_worker.run(package, call, call.text)
    assert 'error' not in made, made['error']
    wanted = {
        'outputs': [
            (kind, shape if shape is None else tuple(shape), _array(kind, shape, value), None)
            for kind, shape, value in KEPT[str(call)]
        ],
        'gradients': None,
    }
    assert legacy_ops.verdict(made, wanted) == ('same', '')


def _array(kind, shape, value):
    return value if shape is None else np.asarray(value, kind).reshape(shape)
