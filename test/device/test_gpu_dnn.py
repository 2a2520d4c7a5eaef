# SPDX-License-Identifier: Apache-2.0
"""Convolutions and attention by cuDNN: its strict double, and our own kernels where it fails or is
not there.
"""

import json
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from double import DOUBLE, needs_double, run
from test_gpu_attention import check_as_near

pytestmark = needs_double
BOUND = {'float32': 4, 'float16': 1, 'bfloat16': 1}
PASSES = {'forward': 10, 'filter': 11, 'data': 12}


def errors(*arguments, **env):
    """Errors that are too large, and what was said."""
    out, said = run(
        HERE / 'gpu_dnn.py', *arguments, FLAGS_cudnn_dir=DOUBLE.parent, FLAGS_gpu_explain=1, **env
    )
    assert 'fakednn:' not in said, said
    found = json.loads(out)
    return {k: e for k, e in found.items() if not e <= BOUND.get(k.split('-')[1], 0)}, said


def test_convolutions_are_the_librarys(tmp_path):
    """Float32 in float32, halves on tensor cores; each made once and run every time."""
    log = tmp_path / 'log'
    wrong, said = errors(*BOUND, FAKEDNN_LOG=log)
    assert not wrong
    lines = log.read_text().splitlines()
    assert lines.count('create') == 1
    ran = [re.fullmatch(r'execute (\d+) type (\d+) axes (\d) engine (\d)', s) for s in lines]
    ran = [tuple(map(int, m.groups())) for m in ran if m]
    for kind in PASSES.values():
        for type, engine in ((0, 4), (2, 1), (9, 1)):
            here = [r for r in ran if r[:2] == (kind, type)]
            assert len(here) >= 9 and {r[2] for r in here} == {2, 3}
            assert {r[3] for r in here} == {engine}
    made = re.findall(r'gpu: (convolution.*): by cuDNN, with \d+ bytes beside', said)
    assert len(made) == len(set(made)) > 60
    for why in ('padding that differs at the ends', 'addresses that are no multiples of 16'):
        assert f'by our own kernel, not by cuDNN: {why}' in said


def test_tensor_cores_take_float32_where_asked(tmp_path):
    log = tmp_path / 'log'
    errors('float32', 'few', FAKEDNN_LOG=log, FLAGS_gpu_tf32=1)
    ran = [line for line in log.read_text().splitlines() if line.startswith('execute')]
    assert ran and all('type 0' in line and 'engine 1' in line for line in ran)


@pytest.mark.parametrize('call', ['create', 'finalize', 'execute'])
def test_what_fails_is_our_own_kernels(call, tmp_path):
    log = tmp_path / 'log'
    wrong, said = errors('float32', 'few', FAKEDNN_FAILS=call, FAKEDNN_LOG=log)
    assert not wrong and not (log.exists() and 'execute' in log.read_text())
    how = {
        'create': 'convolutions and attention: by our own kernels, not by cuDNN: Create',
        'finalize': 'by our own kernel, not by cuDNN: Finalize',
        'execute': 'by our own kernel from here on, cuDNN did not run it: Execute',
    }[call]
    assert said.count(f'{how} failed with status') == (1 if call == 'create' else 9)
    assert f'asked to fail at {call}' in said


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16'])
def test_attention_of_halves_is_the_librarys(dtype, tmp_path):
    """Values and gradients of lengths in steps of 64; what else there is of attention is ours."""
    log = tmp_path / 'log'
    out, said = run(
        HERE / 'gpu_attention.py',
        dtype,
        *('square', 'shared', 'odd', 'bool'),
        FLAGS_cudnn_dir=DOUBLE.parent,
        FLAGS_gpu_explain=1,
        FAKEDNN_LOG=log,
    )
    assert 'fakednn:' not in said, said
    check_as_near(json.loads(out), dtype)
    what = r"gpu: (causal |)attention('s gradient|) of \w+ 2 \d+ \d+ (\d+) (\d+) .*: by cuDNN"
    kinds = re.findall(what, said)
    shapes = [('', '64', '64'), ('causal ', '64', '128')]
    assert sorted(kinds) == sorted((c, g, *n) for c, *n in shapes for g in ('', "'s gradient"))
    for first in (19, 13):  # the product of queries and keys; that of results and their gradient
        assert len(re.findall(rf'execute {first} .* engine 1', log.read_text())) == 2
    assert 'not by cuDNN: lengths that are no multiples of 64' in said


def test_without_it_convolutions_are_our_own():
    out, said = run(HERE / 'gpu_dnn.py', 'float32', 'few', FLAGS_gpu_explain=1)
    assert max(json.loads(out).values()) <= BOUND['float32']
    why = 'gpu: convolutions and attention: by our own kernels, not by cuDNN: expected'
    assert said.count(why) == 1
