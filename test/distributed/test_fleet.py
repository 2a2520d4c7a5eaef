# SPDX-License-Identifier: Apache-2.0
"""paddle.distributed.fleet: groups, divided layers and optimizers against one process."""

import io
import sys

import numpy as np
import pytest
import ranks

import paddle
from paddle.distributed import fleet
from paddle.distributed.fleet import meta_parallel
from paddle.distributed.fleet.meta_parallel import pipeline_layers
from paddle.distributed.fleet.utils import recompute
from paddle.incubate.distributed.fleet import recompute_hybrid, recompute_sequential


@pytest.mark.parametrize(
    'count, what, args',
    [
        (2, 'tensor_parallel', ()),
        (4, 'tensor_and_data_parallel', ()),
        (2, 'sequence_parallel', ()),
        (2, 'data_parallel', ()),
        (2, 'sharded', ()),
        (2, 'pipeline', ()),
        (4, 'pipeline', ()),
        (2, 'interleaved', ('4',)),
        (3, 'interleaved', ('6',)),
        (2, 'interleaved', ('3',)),
        (2, 'scaled', ()),
        (2, 'helpers', ()),
    ],
)
def test_ranks(count, what, args):
    ranks.run(count, 'work_fleet', what, *args)


@pytest.fixture
def alone():
    fleet.init(is_collective=True)


def test_one_process(alone):
    assert (fleet.worker_num(), fleet.worker_index(), fleet.nranks()) == (1, 0, 1)
    assert fleet.is_first_worker() and fleet.is_worker() and not fleet.is_server()
    assert fleet.worker_endpoints(to_string=True) == '127.0.0.1:6170'
    hcg = fleet.get_hybrid_communicate_group()
    assert hcg.get_model_parallel_world_size() == 1 and hcg.get_parallel_mode() is None
    assert hcg.get_data_parallel_group().ranks == [0]
    with pytest.raises(AssertionError):
        hcg.get_sep_parallel_group()
    model = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(parameters=model.parameters())
    assert fleet.distributed_model(model) is model
    assert fleet.distributed_optimizer(optimizer) is optimizer
    fleet.barrier_worker()
    assert fleet.util.get_file_shard(['a', 'b']) == ['a', 'b']
    layer = meta_parallel.ColumnParallelLinear(3, 4, has_bias=True)
    x = paddle.ones([2, 3])
    np.testing.assert_array_equal(layer(x), paddle.nn.functional.linear(x, layer.weight))
    assert meta_parallel.ParallelCrossEntropy()(layer(x), paddle.to_tensor([1, 2])).shape == [2, 1]


def test_topology():
    grid = fleet.CommunicateTopology(['data', 'pipe', 'model'], [2, 2, 2])
    assert grid.get_comm_list('model') == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert grid.get_comm_list('data') == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert grid.get_axis_list('data', 1) == [4, 5, 6, 7]
    assert tuple(grid.get_coord(5)) == (1, 0, 1)
    assert grid.get_fused_ranks(['data', 'model']) == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert grid.get_rank(data=1, pipe=0, model=1) == 5
    assert grid.get_rank_from_stage(3, pipe=0) == 1
    with pytest.raises(AssertionError):
        grid.get_rank(data=1)


def test_strategy():
    strategy = fleet.DistributedStrategy()
    assert strategy.hybrid_configs['dp_degree'] == -1 and strategy.amp is False
    strategy.hybrid_configs = {'mp_degree': 2, 'mp_configs': {'need_broadcast_data': False}}
    assert strategy.hybrid_configs['mp_degree'] == 2
    assert strategy.hybrid_configs['mp_configs'].need_broadcast_data is False
    assert fleet.DistributedStrategy().hybrid_configs['mp_degree'] == 1
    with pytest.raises(AssertionError, match='got .zz'):
        strategy.hybrid_configs = {'zz': 1}
    with pytest.raises(TypeError, match='mp_degree'):
        strategy.hybrid_configs = {'mp_degree': '2'}
    with pytest.raises(TypeError, match='nope'):
        strategy.nope = 1
    with pytest.warns(UserWarning, match='amp keeps its value'):
        strategy.amp = 1
    assert strategy.amp is False


def test_random_states(alone):
    """Draws of PaddlePaddle 3.3.1."""
    meta_parallel.model_parallel_random_seed(7)
    tracker = meta_parallel.get_rng_state_tracker()
    first = paddle.rand([2]).tolist()
    with tracker.rng_state():
        apart = paddle.rand([2]).tolist()
    second = paddle.rand([2]).tolist()
    np.testing.assert_allclose(first, [0.01489224098622799, 0.6578832268714905])
    np.testing.assert_allclose(apart, [0.3556899130344391, 0.2220490276813507])
    np.testing.assert_allclose(second, [0.8025388717651367, 0.46905025839805603])
    for name, seed in (('a', 8), ('model_parallel_rng', 9)):
        with pytest.raises(ValueError):
            tracker.add(name, seed)
    with pytest.raises(ValueError), tracker.rng_state('nothing'):
        pass


def test_stages():
    plain = meta_parallel.LayerDesc(paddle.nn.Linear, 3, out_features=4)
    relu = meta_parallel.LayerDesc(paddle.nn.ReLU)
    assert repr(plain) == 'Linear(3, out_features=4)'
    for count, parts, want in (
        (10, 4, [0, 2, 4, 7, 10]),
        (5, 2, [0, 2, 5]),
        (8, 4, [0, 2, 4, 6, 8]),
    ):
        assert pipeline_layers.bounds([plain] * count, parts, 'uniform') == want
    layers = [relu, *[plain] * 6, relu]
    assert pipeline_layers.bounds(layers, 2, 'layer:Linear') == [0, 4, 8]
    assert pipeline_layers.bounds(layers, 3, 'layer:Linear') == [0, 3, 5, 8]
    assert pipeline_layers.bounds(layers, 2, [0, 3, 8]) == [0, 3, 8]
    with pytest.raises(AssertionError, match='got 6'):
        pipeline_layers.bounds(layers, 4, 'layer:Linear')
    with pytest.raises(TypeError):
        meta_parallel.LayerDesc(3)


def test_one_stage(alone):
    layers = [paddle.nn.Linear(3, 3), paddle.nn.functional.relu]
    model = meta_parallel.PipelineLayer(layers, num_stages=1, recompute_interval=1)
    x = paddle.rand([2, 3])
    x.stop_gradient = False
    np.testing.assert_array_equal(model(x).numpy(), layers[1](layers[0](x)).numpy())
    with pytest.raises(AssertionError, match='num_stages 1'):
        meta_parallel.PipelineLayer(layers, num_stages=2)


def _same_gradients(call, x, layers):
    """Gradients of a call are those of the layers called as they are."""
    found = []
    for run in (lambda: call(x), lambda: layers(x)):
        paddle.seed(3)
        layers.clear_gradients()
        x.clear_gradient()
        run().square().sum().backward()
        found.append([g.grad.numpy() for g in (x, *layers.parameters())])
    for a, b in zip(*found):
        np.testing.assert_array_equal(a, b)


def test_recompute():
    layers = paddle.nn.Sequential(
        paddle.nn.Linear(3, 5), paddle.nn.Dropout(0.5), paddle.nn.Linear(5, 3)
    )
    x = paddle.rand([4, 3])
    x.stop_gradient = False
    _same_gradients(lambda x: recompute(layers, x), x, layers)
    _same_gradients(lambda x: recompute_sequential({'segments': 2}, layers, x), x, layers)
    _same_gradients(lambda x: recompute(lambda *, d: layers(d['x'][0]), d={'x': [x]}), x, layers)
    calls = []

    def counted(x):
        calls.append(paddle.is_grad_enabled())
        return {'out': x * 2, 'same': (x, 5)}

    out = recompute(counted, x, preserve_rng_state=False, use_reentrant=False)
    assert out['same'][1] == 5 and calls == [False]
    x.clear_gradient()
    out['out'].sum().backward()
    assert calls == [False, True] and x.grad.tolist() == [[2.0] * 3] * 4
    with paddle.amp.auto_cast(dtype='bfloat16'):
        half = recompute(layers[0], x)
    assert half.dtype == paddle.bfloat16
    half.sum().backward()
    with pytest.raises(AssertionError, match='mp_group'):
        recompute_hybrid({}, layers, x)


def test_recompute_of_inputs_without_gradients():
    layer, x = paddle.nn.Linear(2, 2), paddle.ones([1, 2])
    with pytest.warns(UserWarning, match='no input needs a gradient'):
        recompute(layer, x).sum().backward()
    assert layer.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_local_files(tmp_path):
    files = fleet.utils.LocalFS()
    files.mkdirs(tmp_path / 'a' / 'b')
    files.touch(tmp_path / 'f')
    assert files.ls_dir(tmp_path) == (['a'], ['f']) and files.list_dirs(tmp_path) == ['a']
    with pytest.raises(Exception, match='expected nothing'):
        files.touch(tmp_path / 'f', exist_ok=False)
    files.mv(tmp_path / 'f', tmp_path / 'g')
    files.delete(tmp_path / 'a')
    assert files.ls_dir(tmp_path) == ([], ['g']) and files.ls_dir(tmp_path / 'no') == ([], [])


def test_slots(monkeypatch, capsys):
    class Words(fleet.MultiSlotDataGenerator):
        def generate_sample(self, line):
            values = [int(x) for x in line.split()]
            return lambda: iter([[('words', values), ('label', values[:1])]])

    monkeypatch.setattr(sys, 'stdin', io.StringIO('1 2 3\n4 5\n6\n'))
    generator = Words()
    generator.set_batch(2)
    generator.run_from_stdin()
    assert capsys.readouterr().out == '3 1 2 3 1 1\n2 4 5 1 4\n1 6 1 6\n'
