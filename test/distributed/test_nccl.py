# SPDX-License-Identifier: Apache-2.0
"""Collectives of tensors on GPUs: by NCCL's double, and by way of the host where there is none."""

import pathlib
import subprocess
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


PLACES = """
import sys, paddle, paddle.distributed as dist

def work(folder):
    asked = paddle.set_device('gpu')
    paddle.set_device('cpu')
    dist.init_parallel_env()
    x = paddle.ones([2]) * (dist.get_rank() + 1)
    dist.all_reduce(x)
    assert x.place == asked == paddle.ones([1]).cpu().cuda().place and x.tolist() == [3, 3]
    assert dist.ParallelEnv().device_id == x.place.gpu_device_id()
    open(f'{folder}/{dist.get_rank()}', 'w').write(str(x.place))

if __name__ == '__main__':
    folder, how = sys.argv[1:]
    if how == 'launched':
        work(folder)
    else:
        dist.spawn(work, (folder,), nprocs=2, **eval(how))
"""


def ran(script, *arguments):
    return subprocess.run(
        [sys.executable, *map(str, arguments[:-2]), str(script), *map(str, arguments[-2:])],
        capture_output=True,
        text=True,
        cwd=script.parent,
        timeout=120,
    )


@pytest.mark.parametrize(
    'how, gpus',
    [("{'gpus': '1,0'}", (1, 0)), ("{'backend': 'nccl'}", (0, 1)), ('launched', (1, 0))],
)
def test_ranks_have_a_gpu_each(two_gpus, how, gpus, tmp_path):
    """Which `gpu` is, and which init_parallel_env makes current."""
    script = tmp_path / 'program.py'
    script.write_text(PLACES)
    launcher = ['-m', 'paddle.distributed.launch', '--gpus', '1,0'] if how == 'launched' else []
    done = ran(script, *launcher, tmp_path, how)
    assert done.returncode == 0, done.stderr[-4000:]
    said = [(tmp_path / str(rank)).read_text() for rank in range(2)]
    assert said == [f'Place(gpu:{gpu})' for gpu in gpus]


def test_gpus_that_are_not_there(two_gpus, tmp_path):
    script = tmp_path / 'program.py'
    script.write_text(PLACES)
    done = ran(script, '-m', 'paddle.distributed.launch', '--gpus', '0,2', tmp_path, 'launched')
    words = "expected 2 numbers of GPUs below 2, one for each rank, got '0,2'"
    assert done.returncode and f'[launch] {words}' in done.stderr
    assert f'[spawn] {words}' in ran(script, tmp_path, "{'gpus': '0,2'}").stderr
    two_gpus.setenv('FAKECUDA_DEVICES', '0')
    without = ran(script, tmp_path, "{'backend': 'nccl'}").stderr
    assert "[spawn] expected backend 'gloo' on a machine without GPUs, got 'nccl'" in without
