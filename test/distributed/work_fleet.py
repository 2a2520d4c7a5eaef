# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_fleet.py do."""

import warnings

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.distributed import fleet
from paddle.distributed.fleet import meta_parallel as mp
from paddle.distributed.fleet.layers.mpu import mp_ops
from paddle.distributed.fleet.utils import sequence_parallel_utils as sp
from paddle.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
from paddle.incubate.distributed.fleet import recompute_hybrid

WORDS, WIDTH = 12, 8


def start(**degrees):
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = degrees
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        fleet.init(is_collective=True, strategy=strategy)
    return fleet.get_hybrid_communicate_group()


class Whole(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias_attr=False)

    def forward(self, x, y):
        x = self.embedding(x)
        x = x + self.down(nn.functional.gelu(self.up(x)))
        return nn.functional.cross_entropy(self.head(x), y, reduction='none').mean()


class Divided(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = mp.VocabParallelEmbedding(WORDS, WIDTH)
        self.up = mp.ColumnParallelLinear(WIDTH, 4 * WIDTH, has_bias=True, gather_output=False)
        self.down = mp.RowParallelLinear(4 * WIDTH, WIDTH, input_is_parallel=True)
        self.head = mp.ColumnParallelLinear(WIDTH, WORDS, has_bias=False, gather_output=False)
        self.loss = mp.ParallelCrossEntropy()

    def forward(self, x, y):
        x = self.embedding(x)
        x = x + self.down(nn.functional.gelu(self.up(x)))
        return self.loss(self.head(x), y).mean()


def part(value, parameter, hcg):
    """This rank's part of a whole parameter's array."""
    if not getattr(parameter, 'is_distributed', False):
        return value
    return np.split(value, hcg.get_model_parallel_world_size(), parameter.split_axis)[
        hcg.get_model_parallel_rank()
    ]


def pair(hcg):
    """A whole model, the same on all ranks, and its divided form with the same weights."""
    paddle.seed(11)
    whole, divided = Whole(), Divided()
    for a, b in zip(whole.parameters(), divided.parameters()):
        b.set_value(part(a.numpy(), b, hcg))
    return whole, divided


def batch(step, n):
    generator = np.random.RandomState(step)
    return tuple(paddle.to_tensor(generator.randint(0, WORDS, [4 * n, 5])) for _ in range(2))


def trained(hcg, whole, model, shares, share, steps=4):
    """Losses, gradients and weights of a divided model are those of the whole one on all data."""

    def optimizer(m):
        clip = nn.ClipGradByGlobalNorm(0.05)
        return paddle.optimizer.AdamW(1e-2, parameters=m.parameters(), grad_clip=clip)

    alone, ours = optimizer(whole), fleet.distributed_optimizer(optimizer(model))
    model = fleet.distributed_model(model)
    for step in range(steps):
        x, y = batch(step, shares)
        expected = whole(x, y)
        expected.backward()
        loss = model(*(t[4 * share : 4 * share + 4] for t in (x, y)))
        loss.backward()
        if shares == 1:
            np.testing.assert_allclose(float(loss), float(expected), rtol=1e-5)
            for a, b in zip(whole.parameters(), model.parameters()):
                want = part(a.grad.numpy(), b, hcg)
                np.testing.assert_allclose(b.grad.numpy(), want, rtol=1e-4, atol=1e-7)
        for one in (alone, ours):
            one.step()
            one.clear_grad()
    for a, b in zip(whole.parameters(), model.parameters()):
        np.testing.assert_allclose(part(a.numpy(), b, hcg), b.numpy(), atol=5e-5)


def assembled(whole, divided):
    """The state of the divided form, put together, is that of the whole model."""
    wanted = {name: value.numpy() for name, value in whole.state_dict().items()}
    parts = divided.sharded_state_dict('m.')
    assert {name: part.global_shape for name, part in parts.items()} == {
        f'm.{name}': value.shape for name, value in wanted.items()
    }
    found = dict(divided.full())
    assert sorted(found) == sorted(wanted)
    for name, value in found.items():
        np.testing.assert_allclose(value.numpy(), wanted[name], atol=5e-5)
    turned = {
        'aoa_statements': ['up.weight^T -> a', 'head.weight -> b, c, axis=0', 'down.bias -> _']
    }
    found = dict(divided.full(turned))
    assert found['a'].shape == list(wanted['up.weight'].T.shape)
    np.testing.assert_allclose(found['a'].numpy(), wanted['up.weight'].T, atol=5e-5)
    np.testing.assert_allclose(found['c'].numpy(), wanted['head.weight'][4:], atol=5e-5)


def tensor_parallel():
    hcg = start(mp_degree=2)
    assert hcg.get_model_parallel_world_size() == 2 and hcg.get_data_parallel_world_size() == 1
    assert hcg.get_parallel_mode() == dist.ParallelMode.TENSOR_PARALLEL
    whole, divided = pair(hcg)
    trained(hcg, whole, divided, 1, 0)
    assembled(whole, divided)
    group, rank = hcg.get_model_parallel_group(), hcg.get_model_parallel_rank()
    x = paddle.arange(8, dtype='float64').reshape([2, 4])
    x.stop_gradient = False
    assert mp_ops._c_split(x, group).tolist() == x[:, 2 * rank : 2 * rank + 2].tolist()
    assert mp_ops._c_concat(x, group).tolist() == paddle.concat([x, x], -1).tolist()
    scale = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], 'float64') * (rank + 1)
    for call, factor in (
        (lambda: (mp_ops._c_identity(x, group) * scale).sum(), 3 * scale / (rank + 1)),
        (lambda: (mp_ops._mp_allreduce(x, group=group) * scale).sum(), scale),
    ):
        x.clear_gradient()
        call().backward()
        np.testing.assert_allclose(x.grad.numpy(), np.broadcast_to(factor.numpy(), [2, 4]))
    logits = paddle.randn([3, 6])
    dist.broadcast(logits, 0)
    label = paddle.to_tensor([[1], [5], [-100]])
    loss, softmax = mp_ops._c_softmax_with_cross_entropy(
        mp_ops._c_split(logits, group), label, group, return_softmax=True
    )
    want = nn.functional.cross_entropy(logits, label, reduction='none')
    np.testing.assert_allclose(loss.numpy(), want.numpy(), rtol=1e-5)
    want = nn.functional.softmax(logits)[:, 3 * rank : 3 * rank + 3]
    np.testing.assert_allclose(softmax.numpy(), want.numpy(), rtol=1e-5)
    try:
        mp_ops._c_lookup_table(paddle.ones([6, 2]), paddle.to_tensor([12]), 0, 12)
        raise AssertionError('an index outside of the vocabulary')
    except ValueError:
        pass
    layer = nn.Linear(4, 4)
    mp.meta_parallel_base.MetaParallelBase(layer, hcg)
    x = paddle.ones([2, 4])
    x.stop_gradient = False
    recompute_hybrid({'mp_group': group, 'partition': True}, layer, x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[0], layer.weight.sum(1).numpy(), rtol=1e-6)


def tensor_and_data_parallel():
    hcg = start(dp_degree=2, mp_degree=2)
    assembled(*pair(hcg))
    assert hcg.get_model_parallel_group().ranks in ([0, 1], [2, 3])
    assert hcg.get_data_parallel_group().ranks in ([0, 2], [1, 3])
    trained(hcg, *pair(hcg), 2, hcg.get_data_parallel_rank())


def data_parallel():
    hcg = start()
    assert hcg.get_data_parallel_world_size() == 2
    paddle.seed(dist.get_rank())
    model, whole = Whole(), Whole()
    for a, b in zip(whole.parameters(), model.parameters()):
        dist.broadcast(b, 0)
        a.set_value(b)
    trained(hcg, whole, model, 2, fleet.worker_index())


def sharded():
    hcg = start(sharding_degree=2)
    paddle.seed(5)
    whole, model = Whole(), Whole()
    model.set_state_dict(whole.state_dict())
    trained(hcg, whole, model, 2, hcg.get_sharding_parallel_rank())
    optimizer = fleet.distributed_optimizer(
        paddle.optimizer.Adam(parameters=model.parameters())
    )._inner_opt
    mine = optimizer._inner_opt._all_params()
    assert 0 < len(mine) < len(optimizer._all_params())


def _logits(layer, x):
    return paddle.matmul(x, layer.weight, transpose_y=True)


class Tied(nn.Layer):
    """What the pipeline computes, in one process."""

    def __init__(self, depth=4):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.hidden = nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(depth)])

    def forward(self, x, y):
        x = nn.functional.gelu(self.hidden(self.words(x)))
        return nn.functional.cross_entropy(_logits(self.words, x), y)


def pipeline():
    """Losses and weights of a pipeline with tied embeddings are those of one process."""
    replicas = dist.ParallelEnv().world_size // 2
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {'pp_degree': 2, 'dp_degree': replicas}
    strategy.pipeline_configs = {'micro_batch_size': 2, 'accumulate_steps': 4}
    fleet.init(is_collective=True, strategy=strategy)
    hcg = fleet.get_hybrid_communicate_group()
    assert hcg.get_parallel_mode() == dist.ParallelMode.PIPELINE_PARALLEL
    hidden = [mp.LayerDesc(nn.Linear, WIDTH, WIDTH) for _ in range(4)]
    first, last = (
        mp.SharedLayerDesc('words', nn.Embedding, forward, 'weight', WORDS, WIDTH)
        for forward in (None, _logits)
    )
    paddle.seed(dist.get_rank())
    made = mp.PipelineLayer(
        [first, *hidden, nn.functional.gelu, last],
        topology=hcg.topology(),
        loss_fn=nn.functional.cross_entropy,
        seg_method='layer:Linear',
        recompute_interval=2,
    )
    model = fleet.distributed_model(made)
    assert model.is_pipeline_first_stage() != model.is_pipeline_last_stage()
    assert made.segment_parts == [0, 3, 7] and len(made.parameters()) == 5

    alone, stage = Tied(), hcg.get_stage_id()
    mine = [made.shared_layers['words'].weight]
    mine += [p for f in made.run_function if isinstance(f, nn.Linear) for p in f.parameters()]
    linears = list(alone.hidden.parameters())
    for i, parameter in enumerate(linears):
        if i // 4 == stage:
            parameter.set_value(mine[1 + i % 4])
        dist.broadcast(parameter, hcg.get_rank_from_stage(i // 4), hcg.get_pipe_parallel_group())
    alone.words.weight.set_value(mine[0])
    own = [alone.words.weight, *linears[4 * stage : 4 * stage + 4]]

    def optimizer(m):
        clip = nn.ClipGradByGlobalNorm(0.1)
        return paddle.optimizer.AdamW(1e-2, parameters=m.parameters(), grad_clip=clip)

    whole, ours = optimizer(alone), fleet.distributed_optimizer(optimizer(made))
    for step in range(4):
        generator = np.random.RandomState(step)
        x, y = (paddle.to_tensor(generator.randint(0, WORDS, [8 * replicas, 5])) for _ in range(2))
        expected = alone(x, y)
        expected.backward()
        whole.step()
        whole.clear_grad()
        begin = 8 * hcg.get_data_parallel_rank()
        data = [t[begin : begin + 8] for t in (x, y)]
        outs = model.eval_batch(data)
        assert (outs is None) == (stage == 0) and (stage == 0 or len(outs) == 4)
        before = model.eval_batch(data, compute_loss=True)
        loss = model.train_batch(data, ours)
        np.testing.assert_allclose(float(loss), float(before), rtol=1e-6)
        dist.all_reduce(loss, dist.ReduceOp.AVG)
        np.testing.assert_allclose(float(loss), float(expected), rtol=1e-5)
        for a, b in zip(own, mine):
            np.testing.assert_allclose(b.numpy(), a.numpy(), atol=5e-5)


def interleaved(steps):
    """A pipeline of two chunks a stage, with tied embeddings, trains as one process."""
    stages, steps = dist.ParallelEnv().world_size, int(steps)
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {'pp_degree': stages}
    strategy.pipeline_configs = {'micro_batch_size': 2, 'accumulate_steps': steps}
    fleet.init(is_collective=True, strategy=strategy)
    hcg = fleet.get_hybrid_communicate_group()
    hidden = [mp.LayerDesc(nn.Linear, WIDTH, WIDTH) for _ in range(2 * stages)]
    first, last = (
        mp.SharedLayerDesc('words', nn.Embedding, forward, 'weight', WORDS, WIDTH)
        for forward in (None, _logits)
    )
    paddle.seed(dist.get_rank())
    made = mp.PipelineLayer(
        [first, *hidden, nn.functional.gelu, last],
        topology=hcg.topology(),
        loss_fn=nn.functional.cross_entropy,
        seg_method='layer:Linear',
        num_virtual_pipeline_stages=2,
    )
    assert made.get_num_virtual_stages() == 2 and made.get_stage_from_index(1 + stages) == 0
    model = fleet.distributed_model(made)
    in_turns = steps % stages == 0
    kind = mp.PipelineParallelWithInterleave
    assert type(model) is (kind if in_turns else mp.PipelineParallelWithInterleaveFthenB)

    alone, stage = Tied(2 * stages), hcg.get_stage_id()
    for part, layer in enumerate(alone.hidden):
        for name, parameter in layer.named_parameters():
            if part % stages == stage:
                parameter.set_value(getattr(made._sub_layers[str(1 + part)], name))
            dist.broadcast(parameter, part % stages)
    words = alone.words.weight
    if 'words' in made.shared_layers:
        words.set_value(made.shared_layers['words'].weight)
    dist.broadcast(words, 0)
    clip = nn.ClipGradByGlobalNorm(0.1)
    whole, ours = (
        paddle.optimizer.AdamW(1e-2, parameters=m.parameters(), grad_clip=clip)
        for m in (alone, made)
    )
    ours = fleet.distributed_optimizer(ours)
    for turn in range(3):
        generator = np.random.RandomState(turn)
        x, y = (paddle.to_tensor(generator.randint(0, WORDS, [2 * steps, 5])) for _ in range(2))
        expected = alone(x, y)
        expected.backward()
        whole.step()
        whole.clear_grad()
        before = model.eval_batch([x, y], compute_loss=True)
        loss = model.train_batch([x, y], ours)
        np.testing.assert_allclose([float(loss), float(before)], float(expected), rtol=1e-5)
    for part in range(stage, 2 * stages, stages):
        for name, parameter in alone.hidden[part].named_parameters():
            mine = getattr(made._sub_layers[str(1 + part)], name)
            np.testing.assert_allclose(mine.numpy(), parameter.numpy(), atol=5e-5)


def sequence_parallel():
    hcg = start(mp_degree=2)
    rank = hcg.get_model_parallel_rank()
    paddle.seed(11)
    up, down = nn.Linear(6, 8), nn.Linear(8, 6)
    divided = nn.Sequential(
        sp.ColumnSequenceParallelLinear(6, 8, has_bias=True, gather_output=False),
        sp.RowSequenceParallelLinear(8, 6, input_is_parallel=True),
    )
    for a, b in zip([*up.parameters(), *down.parameters()], divided.parameters()):
        b.set_value(part(a.numpy(), b, hcg))
    sp.register_sequence_parallel_allreduce_hooks(divided, 1, True)
    x = paddle.to_tensor(np.random.RandomState(0).randn(4, 6).astype('float32'))
    x.stop_gradient = False
    own = x.detach()
    own.stop_gradient = False
    expected = down(nn.functional.relu(up(x)))
    found = divided[1](nn.functional.relu(divided[0](sp.ScatterOp.apply(own))))
    np.testing.assert_allclose(
        found.numpy(), expected.numpy()[2 * rank : 2 * rank + 2], rtol=1e-4, atol=1e-6
    )
    sp.GatherOp.apply(found).square().sum().backward()
    expected.square().sum().backward()
    np.testing.assert_allclose(own.grad.numpy(), x.grad.numpy(), rtol=1e-4, atol=1e-5)
    for a, b in zip([*up.parameters(), *down.parameters()], divided.parameters()):
        want = part(a.grad.numpy(), b, hcg)
        np.testing.assert_allclose(b.grad.numpy(), want, rtol=1e-4, atol=1e-5)


def scaled():
    """A step is left out on all ranks where one has met an infinity."""
    start()
    parameter = paddle.create_parameter([1], 'float32')
    before = parameter.tolist()
    optimizer = paddle.optimizer.SGD(0.1, parameters=[parameter])
    scaler = fleet.distributed_scaler(
        paddle.amp.GradScaler(init_loss_scaling=2.0, decr_every_n_nan_or_inf=9)
    )
    parameter.grad = paddle.to_tensor([np.inf if fleet.worker_index() else 1.0])
    scaler.step(optimizer)
    scaler.update()
    assert parameter.tolist() == before
    parameter.grad = paddle.to_tensor([1.0])
    scaler.step(optimizer)
    np.testing.assert_allclose(parameter.tolist(), np.array(before) - 0.05, rtol=1e-6)


def helpers():
    hcg = start()
    rank = fleet.worker_index()
    parameter = paddle.create_parameter([2], 'float32')
    for hybrid, expected in ((hcg, [1.5, 3]), (None, [1.5, 3])):
        parameter.grad = paddle.to_tensor([1.0, 2.0]) * (rank + 1)
        fused_allreduce_gradients([parameter], hybrid)
        assert parameter.grad.tolist() == expected
    assert fleet.util.get_file_shard(list('abcde')) == (list('abc'), list('de'))[rank]
    assert fleet.util.all_gather(rank) == [0, 1]
    assert fleet.all_reduce(np.array([1, 3]) + rank, 'max').tolist() == [2, 4]
    fleet.barrier_worker()
