# SPDX-License-Identifier: Apache-2.0
"""Compiled steps on distributed tensors (`paddle.distributed.to_static`), against one process."""

import os
import subprocess
import sys

import pytest
import ranks
import work_by_hand

import paddle
import paddle.distributed as dist
from paddle.distributed.auto_parallel.pipeline_schedule import Schedule


@pytest.mark.parametrize(
    'count, what, args',
    [
        (2, 'planned', ('dp2', '0')),
        (2, 'planned', ('dp2', '3')),
        (2, 'planned', ('mp2', '0', '1')),
        (2, 'planned', ('dp2', '0', '0', '2')),
        (4, 'planned', ('dp2mp2', '2', '1')),
        (8, 'planned', ('dp4mp2', '1')),
        (2, 'measured', ('mp2',)),
        (2, 'measured', ('mp2', '2')),
        (4, 'measured', ('dp2mp2',)),
        (2, 'sharded', ('1',)),
        (2, 'sharded', ('3',)),
        (2, 'changes', ()),
        (2, 'marked', ('0',)),
        (2, 'marked', ('1',)),
        (2, 'schedule', ('1F1B', '2')),
        (2, 'schedule', ('FThenB', '2')),
        (3, 'schedule', ('1F1B', '3')),
        (3, 'schedule', ('1F1B', '3', '1')),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_dist_static', what, *args, timeout=120)


@pytest.mark.parametrize('stages, count', [(1, 3), (2, 2), (3, 2), (4, 8), (5, 11)])
def test_turns_of_stages(stages, count):
    """Each stage has few micro batches under way, and none waits longer than a pipeline must."""
    meshes = [dist.ProcessMesh([2 * s, 2 * s + 1]) for s in range(stages)]
    for mode in ('1F1B', 'FThenB'):
        orders = [
            [('F', 0), *Schedule(mode, meshes, 2 * s, count)._turns([(0, 1)])]
            for s in range(stages)
        ]
        ended, at, clock = {}, [0] * stages, [0] * stages
        while any(at[s] < 2 * count for s in range(stages)):
            moved = False
            for s, order in enumerate(orders):
                if at[s] == len(order):
                    continue
                turn, i = order[at[s]]
                before = (turn, s - 1 if turn == 'F' else s + 1, i)
                outside = before[1] in (-1, stages)
                if not outside and before not in ended:
                    continue
                clock[s] = max(clock[s], ended.get(before, 0)) + 1
                ended[turn, s, i] = clock[s]
                at[s] += 1
                moved = True
            assert moved, (mode, orders)
        assert max(clock) == 2 * (count + stages - 1)
        for s, order in enumerate(orders):
            under_way = [
                sum(1 if t == 'F' else -1 for t, _ in order[:n]) for n in range(len(order))
            ]
            assert max(under_way) == (min(stages - s, count) if mode == '1F1B' else count)
    back = Schedule('1F1B', meshes, 0, count)._turns([(2 * stages - 1, 0)])
    assert back[-1] == ('B', count - 1) and len(back) == 2 * count - 1


def test_strategy_refuses_what_it_does_not_know():
    strategy = dist.Strategy({'amp': {'enable': True, 'dtype': 'bfloat16'}})
    assert strategy.amp.enable and strategy.amp.level == 'o1'
    with pytest.raises(ValueError, match="'degrees'"):
        dist.Strategy({'sharding': {'degrees': 2}})
    with pytest.raises(ValueError, match="'shard'"):
        dist.Strategy({'shard': {}})
    with pytest.raises(ValueError, match='k_step'):
        strategy.gradient_merge.k_step = 3
    with pytest.raises(ValueError, match='a dict'):
        dist.Strategy(3)


def test_refusals():
    layer, loss = paddle.nn.Linear(2, 2), paddle.nn.MSELoss()
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    with pytest.raises(TypeError, match='a Layer'):
        dist.to_static(3)
    with pytest.raises(TypeError, match='an Optimizer'):
        dist.to_static(layer, optimizer=layer)
    for fields, kind, match in (
        ({'schedule_mode': 'VPP'}, NotImplementedError, "'VPP'"),
        ({'vpp_degree': 2}, NotImplementedError, 'vpp_degree'),
        ({'accumulate_steps': 0}, ValueError, 'accumulate_steps'),
        ({'pp_degree': 3}, ValueError, 'pp_degree'),
    ):
        with pytest.raises(kind, match=match):
            dist.to_static(
                layer, None, strategy=dist.Strategy({'pipeline': {'enable': True, **fields}})
            )
    micro = dist.Strategy({'pipeline': {'enable': True, 'accumulate_steps': 2}})
    model = dist.to_static(layer, None, loss, sgd, micro)
    with pytest.raises(ValueError, match='micro batches'):
        model(paddle.zeros([3, 2]), paddle.zeros([3, 2]))
    with pytest.raises(ValueError, match='distributed parameters'):
        dist.to_static(
            layer, None, loss, sgd, dist.Strategy({'sharding': {'enable': True, 'degree': 2}})
        )
    model = dist.to_static(layer)
    with pytest.raises(RuntimeError, match='a loss'):
        model.eval()
    with pytest.raises(RuntimeError, match='an optimizer'):
        model.train()
    spec = [paddle.static.InputSpec([None, 2], 'float32'), paddle.static.InputSpec([None, 2])]
    model = dist.to_static(layer, None, loss, sgd, input_spec=spec)
    model(paddle.zeros([3, 2]), paddle.zeros([3, 2]))
    with pytest.raises(ValueError, match='argument 1'):
        model(paddle.zeros([3, 2]), paddle.zeros([3, 4]))
    with pytest.raises(ValueError, match='a label'):
        model(paddle.zeros([3, 2]))


@pytest.mark.parametrize('dtype', ['bfloat16', 'float16'])
def test_half_precision(dtype):
    """Losses near those of float32, with parameters that stay float32."""
    losses = []
    for enable in (False, True):
        paddle.seed(1)
        mesh = dist.ProcessMesh([0], ['x'])
        layer = dist.shard_layer(paddle.nn.Linear(4, 2), mesh)
        sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        strategy = dist.Strategy({'amp': {'enable': enable, 'dtype': dtype}})
        model = dist.to_static(layer, None, paddle.nn.MSELoss(), sgd, strategy)
        x = paddle.rand([8, 4])
        losses.append([float(model(x, x[:, :2])) for _ in range(5)])
        assert layer.weight.dtype == paddle.float32
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=2e-2)


def test_example(tmp_path):
    """The program of the documentation: losses of one process, few lines that are distributed."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = os.path.join(root, 'docs', 'examples', 'distributed', 'llama.py')
    launch = [sys.executable, '-m', 'paddle.distributed.launch', '--nproc_per_node=4']
    done = subprocess.run(
        [*launch, '--log_dir', str(tmp_path / 'log'), program, '--steps=6'],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': os.path.dirname(os.path.dirname(paddle.__file__))},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'by 4 processes' in done.stdout
    with open(program) as f:
        assert sum('# distributed' in line for line in f) <= 10


def test_the_example_by_hand():
    """The same model with layers of fleet: losses of one process, and five times the statements."""
    ranks.run(4, 'work_by_hand', 'trained', '2', '6', timeout=120)
    by_hand, planned = work_by_hand.statements()
    assert planned <= 0.2 * by_hand, (planned, by_hand)


def test_merged_gradients_of_parameters_that_one_call_reaches():
    """The update counts gradients of all its calls, and leaves alone what none reached."""
    mesh = dist.ProcessMesh([0], ['x'])

    class Ways(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.ways = paddle.nn.LayerList([paddle.nn.Linear(2, 2) for _ in range(3)])
            self.way = 0

        def forward(self, x):
            return self.ways[self.way](x)

    layer = dist.shard_layer(Ways(), mesh)
    before = [way.weight.numpy() for way in layer.ways]
    adamw = paddle.optimizer.AdamW(0.1, parameters=layer.parameters())
    strategy = dist.Strategy({'gradient_merge': {'enable': True, 'k_steps': 2}})
    model = dist.to_static(layer, None, paddle.nn.MSELoss(), adamw, strategy)
    for _ in range(3):
        for layer.way in (0, 1):
            model(paddle.ones([4, 2]), paddle.zeros([4, 2]))
    moved = [(way.weight.numpy() != was).all() for way, was in zip(layer.ways, before)]
    assert moved == [True, True, False]
