# SPDX-License-Identifier: Apache-2.0
"""DataParallel and SyncBatchNorm on two ranks against one process with the joined batch."""

import os
import subprocess
import sys
import xml.etree.ElementTree

import pytest
import ranks

import paddle
from paddle import nn


@pytest.mark.parametrize('what', ['alike', 'accumulating', 'unused', 'tables', 'normalising'])
def test_two_ranks(what):
    ranks.run(2, 'work_training', what)


def test_one_process():
    with pytest.warns(UserWarning, match='only process'):
        model = paddle.DataParallel(nn.Linear(2, 3))
    model(paddle.ones([1, 2])).sum().backward()
    with model.no_sync():
        model(paddle.ones([1, 2])).sum().backward()
    assert model._layers.bias.grad.tolist() == [2, 2, 2]
    assert list(model.state_dict()) == ['weight', 'bias']
    assert model.scale_loss(3) == 3
    model.set_state_dict(nn.Linear(2, 3).state_dict())


def test_after_backward():
    from paddle.base import core

    seen = []
    x = paddle.ones([2])
    x.stop_gradient = False
    y = x * 2
    y.register_hook(lambda g: core.after_backward(lambda: seen.append(x.grad.tolist())))
    y.sum().backward()
    assert seen == [[2, 2]]
    with pytest.raises(RuntimeError, match='under way'):
        core.after_backward(print)

    def fails():
        raise KeyError('mine')

    y = x * 2
    y.register_hook(lambda g: core.after_backward(fails))
    with pytest.raises(KeyError):
        y.sum().backward()
    (x * 2).sum().backward()
    assert seen == [[2, 2]]


def test_timeline(tmp_path):
    """The program of the documentation draws what the profiler saw of two ranks."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = os.path.join(root, 'docs', 'examples', 'distributed', 'timeline.py')
    launch = [sys.executable, '-m', 'paddle.distributed.launch', '--nproc_per_node=2']
    done = subprocess.run(
        [*launch, '--log_dir', 'log', program, '--layers=4', '--width=64', '--out=drawn.svg'],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': os.path.dirname(os.path.dirname(paddle.__file__))},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '% of the communication overlaps' in done.stdout
    picture = xml.etree.ElementTree.parse(tmp_path / 'drawn.svg').getroot()
    texts = [e.text for e in picture.iter('{http://www.w3.org/2000/svg}text')]
    assert {f'rank {r} {k}' for r in (0, 1) for k in ('computes', 'communicates')} < set(texts)
    # The gradients of four layers, and the loss: float32.
    assert f'{4 * 4 * (64 * 64 + 64) / 1e6:.1f} MB reduced' in texts, texts
    colors = {e.get('fill') for e in picture.iter('{http://www.w3.org/2000/svg}rect')}
    assert len(colors) == 2


def test_buckets_have_an_end_within_a_layer():
    from paddle.distributed.data_parallel import _buckets

    weights = [paddle.zeros([256]) for _ in range(12)]  # of 1024 bytes
    one_layer = [f'flat.{k}' for k in range(12)]
    made = _buckets(weights, one_layer, 1024, 3 * 1024, lambda _: 0)
    assert [n for bucket in made for n in bucket] == list(range(12))[::-1]
    assert [len(bucket) for bucket in made] == [2, 6, 4]
    layers = [f'{k // 2}.{name}' for k, name in enumerate(['weight', 'bias'] * 6)]
    made = _buckets(weights, layers, 1024, 3 * 1024, lambda _: 0)
    assert made == [[11, 10], [9, 8, 7, 6], [5, 4, 3, 2], [1, 0]]
