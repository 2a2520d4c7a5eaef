# SPDX-License-Identifier: Apache-2.0
"""A whole step of training as a graph: forward, backward, optimizer, its rate, random numbers."""

import json
import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from double import child, needs_double, run

pytestmark = needs_double


def assert_replays_agree(*arguments):
    """Losses and parameters of captured steps have the bits of the steps that they stand for."""
    out = run(HERE / 'gpu_captured.py', *arguments, FAKECUDA_ORDER=3)[0]
    (losses, parameters), (captured, same) = json.loads(out)
    assert len(set(losses)) == len(losses) and losses == captured
    assert parameters == same


@pytest.mark.parametrize('kind', ['AdamW', 'Momentum'])
def test_a_captured_step_trains_as_the_eager_one(kind):
    assert_replays_agree(kind)


@pytest.mark.parametrize(
    'model, dtype, how',
    [
        ('pictures', '', 'eager'),
        ('pictures', '', 'program'),
        ('deep', 'bfloat16', 'eager'),
        ('deep', 'bfloat16', 'program'),
        ('perceptron', '', 'program'),
        ('physics', '', 'eager'),
        ('physics', '', 'program'),
    ],
)
def test_whole_steps_of_models_are_captured(model, dtype, how):
    """LeNet, blocks as in LLaMA, layer norms, second derivatives: nothing of a step needs the host.
    Replays have the bits of the steps that they stand for.
    """
    assert_replays_agree(model, dtype, how)


def test_optimizers_are_the_cpus():
    """Numbers of an empty parameter are read on the host."""
    out, explained = run(HERE / 'gpu_optimizers.py', FLAGS_gpu_explain=1)
    found = json.loads(out)
    assert len(found) >= 38
    bars = {'float32': 2e-6, 'float64': 1e-14, 'bfloat16': 0}
    wrong = {k: d for k, d in found.items() if not d <= bars[k.split()[-1]]}
    assert not wrong
    host = set(re.findall(r'^gpu: (\w+): on the host', explained, re.M))
    updates = set(re.findall(r'^gpu: (\w+_): generated', explained, re.M))
    assert {'sgd_', 'momentum_', 'adam_', 'adamw_', 'rprop_', 'nadam_', 'lamb_'} <= updates
    assert {name for name in host if name.endswith('_')} <= {'nadam_', 'radam_'}


LABELS = """
import paddle
import paddle.nn.functional as F
paddle.set_device('gpu')
x, label = paddle.ones([3, 5]), paddle.to_tensor([1, -100, 4])
table = paddle.arange(12, dtype='float32').reshape([4, 3])
rows = paddle.to_tensor([3, 0])

def step():
    return F.cross_entropy(x, label) + F.embedding(rows, table).sum()

want = step().item()
graph = paddle.device.cuda.graphs.CUDAGraph()
graph.capture_begin()
loss = step()
graph.capture_end()
graph.replay()
assert loss.item() == want
rows.copy_(paddle.to_tensor([3, 4]))
graph.replay()
paddle.device.synchronize()
rows.copy_(paddle.to_tensor([3, 0]))
try:
    graph.replay()
except ValueError as error:
    assert 'in the run before this one, got 4' in str(error)
else:
    raise AssertionError
graph.replay()
assert loss.item() == want

# As the CPU calls it, eager and by compiled functions.
table, at = paddle.ones([4, 3]), paddle.to_tensor([1, 2])
share = paddle.to_tensor([0.5])
F = paddle.nn.functional
def both(x):
    return F.relu(F.embedding(at, x) + 1)
for call, number, bad, named in (
    (lambda: paddle.gather(table, at), at, [1, 9], IndexError),
    (lambda: paddle.index_select(table, at), at, [1, 9], ValueError),
    (lambda: F.one_hot(at, 4), at, [1, 9], ValueError),
    (lambda: paddle.gather_nd(table, at), at, [9, 1], ValueError),
    (lambda: F.embedding(at, table) * 2, at, [1, 9], ValueError),
    (lambda f=paddle.jit.to_static(both): f(table), at, [1, 9], ValueError),
    (lambda: paddle.bernoulli(share), share, [2.0], IndexError),
    (lambda: paddle.poisson(share), share, [-2.0], ValueError),
    (lambda: paddle.gammainc(share, share), share, [-2.0], ValueError),
):
    good = number.clone()
    for _ in range(3):
        call()
    graph = paddle.device.cuda.graphs.CUDAGraph()
    graph.capture_begin()
    call()
    graph.capture_end()
    graph.replay()
    number.copy_(paddle.to_tensor(bad, number.dtype))
    try:
        call()
    except Exception as error:
        assert type(error) is named, (type(error), named)
    else:
        raise AssertionError(named)
    graph.replay()
    number.copy_(good)
    paddle.device.synchronize()
    try:
        graph.replay()
    except Exception as error:
        assert type(error) is named and '[CUDAGraph]' in str(error), error
    else:
        raise AssertionError(named)
    graph.replay()
    paddle.device.synchronize()
"""


def test_numbers_outside_of_their_table_are_told_by_the_next_run():
    run('-c', LABELS)


def test_state_is_made_before_the_capture():
    done = child(
        '-c',
        '''
import paddle
paddle.set_device('gpu')
net = paddle.nn.Linear(3, 3)
opt = paddle.optimizer.Adam(parameters=net.parameters())
x = paddle.ones([2, 3])
net(x).sum().backward()
opt.clear_grad()
graph = paddle.device.cuda.graphs.CUDAGraph()
graph.capture_begin()
net(x).sum().backward()
opt.step()
''',
    )
    assert done.returncode == 1 and 'expected a step before the one that is captured' in done.stderr
