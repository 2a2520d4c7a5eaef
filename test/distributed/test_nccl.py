# SPDX-License-Identifier: Apache-2.0
"""Collectives of tensors on GPUs: by NCCL's double, and by way of the host where there is none."""

import pathlib
import sys

import pytest
import ranks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'device'))
from double import DOUBLE, needs_double

pytestmark = needs_double


@pytest.fixture
def two_gpus(monkeypatch):
    for name, value in {
        'FLAGS_cuda_driver': DOUBLE,
        'FAKECUDA_DEVICES': 2,
        'FAKECUDA_THREADS': 1,
        'FLAGS_nccl_dir': DOUBLE.parent,
        'GLOG_v': 1,
        'PADDLE_CINN_CACHE_DIR': '',
    }.items():
        monkeypatch.setenv(name, str(value))
    return monkeypatch


def outputs(function):
    job = ranks.Ranks(2, 'work_nccl', function)
    ended = job.end(120)
    for rank, (code, text) in enumerate(ended):
        assert code == 0, f'rank {rank}: {text[-4000:]}'
    return [text for _, text in ended]


@pytest.mark.parametrize('function', ['collectives', 'messages', 'training', 'graph'])
def test_ranks_on_gpus(two_gpus, function):
    for text in outputs(function):
        assert 'joins 2 ranks on' in text and 'fakenccl:' not in text, text[-4000:]


@pytest.mark.parametrize('function', ['collectives', 'training'])
def test_without_nccl(two_gpus, function, tmp_path):
    two_gpus.setenv('FLAGS_nccl_dir', str(tmp_path))
    for text in outputs(function):
        assert 'joins 2 ranks on' not in text


def test_what_ranks_do_not_agree_on(two_gpus):
    texts = outputs('mistakes')
    assert all('found' in text for text in texts)
    assert any('fakenccl: rank' in text and 'AllReduce(count 4' in text for text in texts)


def test_a_rank_that_does_not_come(two_gpus):
    """The call is broken off at the group's deadline and named, with nobody waiting for it."""
    first, second = outputs('stalls')
    assert 'found' in first and 'found' in second
    told = '[nccl] rank 0 of 2 gave up call 3 of the group, broadcast: it has not ended within 2'
    assert first.count(told) == 1 and '[nccl]' not in second
