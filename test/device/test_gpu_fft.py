# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms by cuFFT: its strict double, and the host where it fails or is not there."""

import functools
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from double import DOUBLE, explained, needs_double, run

pytestmark = needs_double
transforms = functools.partial(explained, 'cufft', HERE / 'gpu_fft.py')


def test_transforms_are_the_librarys(tmp_path):
    """All kinds and both precisions; none is the host's, and a plan is made once."""
    log = tmp_path / 'log'
    said = transforms(FLAGS_cufft_dir=DOUBLE.parent, FAKECUFFT_LOG=log)
    assert not re.search('(fft_|frame|overlap).* on the host', said), said
    lines = log.read_text().splitlines()
    ran = [re.fullmatch(r'exec (\d+) (\S+) count (\d+) direction (-?1)', s) for s in lines]
    ran = [m.groups() for m in ran if m]
    assert {int(kind) for kind, *_ in ran} == {41, 42, 44, 105, 106, 108}
    assert {axes.count('x1') for _, axes, *_ in ran} <= {0, 1, 2}
    assert sum(not axes.startswith('1x') for _, axes, *_ in ran) > 4  # plans of three axes
    assert 0 < lines.count('plan') < len(ran)


def test_a_plan_is_made_once(tmp_path):
    log = tmp_path / 'log'
    transforms('few', FLAGS_cufft_dir=DOUBLE.parent, FAKECUFFT_LOG=log)
    lines = log.read_text().splitlines()
    ran = [line.split(' direction')[0] for line in lines if line != 'plan']
    assert lines.count('plan') == len(set(ran)) == 10
    assert all(ran.count(what) >= 2 for what in ran)


def test_transforms_in_graphs(tmp_path):
    """Those that were planned before; others are refused by name."""
    said = run(HERE / 'gpu_fft.py', 'captured', FLAGS_cufft_dir=DOUBLE.parent)[1]
    assert 'fakecufft:' not in said, said


@pytest.mark.parametrize('call', ['plan', 'exec'])
def test_what_fails_is_the_hosts(call):
    said = transforms('few', FLAGS_cufft_dir=DOUBLE.parent, FAKECUFFT_FAILS=call)
    why = {'plan': 'cuFFT makes no plan for it', 'exec': 'cuFFT did not run it'}[call]
    for op in ('fft_c2c', 'fft_r2c', 'fft_c2r'):
        assert f'gpu: {op}: on the host: {why}' in said


def test_without_it_transforms_are_the_hosts():
    said = transforms('few')
    assert 'gpu: fft_r2c: on the host: no cuFFT: expected FLAGS_cufft_dir' in said
