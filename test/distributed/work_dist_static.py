# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_dist_static.py: compiled steps on distributed tensors, against eager
training of one process.
"""

import warnings

import numpy as np
import work_dist_training as eager

import paddle
import paddle.distributed as dist
from paddle.base import libpaddle as core
from paddle.nn import functional


class Logits(eager.Model):
    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def _loss(logits, labels):
    labels = labels if labels.ndim == logits.ndim else labels.unsqueeze(-1)
    return functional.cross_entropy(logits, labels).mean()


def _parts():
    paddle.seed(3)
    model = Logits()
    clip = paddle.nn.ClipGradByGlobalNorm(0.5)
    return model, paddle.optimizer.AdamW(0.01, parameters=model.parameters(), grad_clip=clip)


def _alone(merge=1):
    model, optimizer = _parts()
    losses, calls = [], 0
    for _ in range(2):
        for ids, labels in eager._loader():
            loss = _loss(model(ids), labels)
            (loss / merge).backward()
            calls += 1
            if calls % merge == 0:
                optimizer.step()
                optimizer.clear_grad()
            losses.append(float(loss))
    return model, losses


def planned(mesh, level, sequence='0', merge='1'):
    """Losses and parameters are those of one process; every call runs a program."""
    warnings.simplefilter('error')
    merge = int(merge)
    mesh = dist.ProcessMesh(*eager._MESHES[mesh])
    alone, want = _alone(merge)
    model, optimizer = _parts()
    config = {'dp_config': {'sharding_level': int(level)}}
    if 'mp' in mesh.dim_names:
        config['mp_config'] = {'parallelize_plan': eager._plan()}
    if sequence == '1':
        plan = config['mp_config']['parallelize_plan']
        plan['norm'] = dist.SequenceParallelEnable()
        plan[r'blocks\.\d+\.norm'] = [dist.SequenceParallelEnable()]
    model, optimizer = dist.parallelize(model, optimizer, mesh, config)
    loader = dist.shard_dataloader(
        eager._loader(), mesh, shard_dims='dp' if 'dp' in mesh.dim_names else None
    )
    strategy = dist.Strategy({'gradient_merge': {'enable': merge > 1, 'k_steps': merge}})
    step = dist.to_static(model, loader, _loss, optimizer, strategy)
    got = [float(step(ids, labels)) for _ in range(2) for ids, labels in loader]
    np.testing.assert_allclose(got, want, rtol=1e-5)
    for (name, p), q in zip(model.named_parameters(), alone.parameters()):
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=2e-4, atol=2e-5, err_msg=name)
    names = [op.name() for op in step.dist_main_program().global_block().ops]
    assert 'pd_op.adamw_' in names and 'pd_op.reshard_part' in names, names


def measured(mesh, pieces='1'):
    """Metrics count what one process counts; what a new model has of a saved one goes on alike."""
    mesh = dist.ProcessMesh(*eager._MESHES[mesh])
    alone, _ = _parts()
    want = paddle.metric.Accuracy(topk=(1, 3))
    strategy = dist.Strategy(
        {'pipeline': {'enable': pieces != '1', 'accumulate_steps': int(pieces)}}
    )

    def made():
        with paddle.utils.unique_name.guard():
            model, optimizer = _parts()
        config = {'mp_config': {'parallelize_plan': eager._plan()}}
        model, optimizer = dist.parallelize(model, optimizer, mesh, config)
        metrics = [paddle.metric.Accuracy(topk=(1, 3))]
        return metrics[0], dist.DistModel(model, None, _loss, optimizer, strategy, metrics)

    metric, step = made()
    loader = dist.shard_dataloader(
        eager._loader(), mesh, shard_dims='dp' if 'dp' in mesh.dim_names else None
    )
    for mode in ('eval', 'train'):
        getattr(step, mode)()
        metric.reset()
        want.reset()
        for ids, labels in loader:
            whole = [dist.unshard_dtensor(t) if t.is_dist() else t for t in (ids, labels)]
            source = {k: v.numpy() for k, v in step.state_dict('param').items()}
            alone.set_state_dict(source)
            want.update(want.compute(alone(whole[0]), whole[1].unsqueeze(-1)))
            step(ids, labels.unsqueeze(-1))
        assert metric.accumulate() == want.accumulate(), (metric.accumulate(), want.accumulate())
    # The state of the optimizer is there to be loaded before a step.
    _, other = made()
    with paddle.utils.unique_name.guard():
        found = other.state_dict()
    assert len(found) == len(step.state_dict()) > len(step.state_dict('param'))
    for value, kept in zip(found.values(), step.state_dict().values()):
        value.set_value(kept)
    for ids, labels in loader:
        losses = [float(one(ids, labels.unsqueeze(-1))) for one in (other, step)]
        np.testing.assert_allclose(*losses, rtol=1e-6)


def sharded(stage):
    """`Strategy.sharding` divides the state; evaluation and prediction agree with one process."""
    mesh = dist.ProcessMesh([0, 1], ['dp'])
    alone, want = _alone()
    model, optimizer = _parts()
    dist.shard_layer(model, mesh)
    loader = dist.shard_dataloader(eager._loader(), mesh, shard_dims='dp')
    strategy = dist.Strategy({'sharding': {'enable': True, 'stage': int(stage), 'degree': 2}})
    step = dist.to_static(model, loader, _loss, optimizer, strategy)
    got = [float(step(ids, labels)) for _ in range(2) for ids, labels in loader]
    np.testing.assert_allclose(got, want, rtol=1e-5)
    weight = model.blocks[0].up.weight
    moment = optimizer._get_accumulator('moment1', weight)
    assert moment.placements == [dist.Shard(0)]
    ids, labels = next(iter(loader))
    whole_ids, whole_labels = next(iter(eager._loader()))
    step.eval()
    np.testing.assert_allclose(
        float(step(ids, labels)), float(_loss(alone(whole_ids), whole_labels)), rtol=1e-5
    )
    step.predict()
    np.testing.assert_allclose(step(ids).numpy(), alone(whole_ids).numpy(), rtol=2e-4, atol=2e-5)


def changes():
    """What a step depends on is seen: the learning rate, placements, a frozen parameter."""
    mesh = dist.ProcessMesh([0, 1], ['x'])

    def make():
        paddle.seed(5)
        model = paddle.nn.Sequential(
            paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 2)
        )
        return model, paddle.optimizer.SGD(0.1, parameters=model.parameters())

    data = np.random.RandomState(0).randn(6, 4).astype('float32')
    x, y = paddle.to_tensor(data), paddle.to_tensor(data[:, :2])
    (alone, sgd), (model, divided) = make(), make()
    dist.shard_layer(model, mesh)
    step = dist.to_static(model, None, paddle.nn.MSELoss(), divided)
    rows = [dist.shard_tensor(v, mesh, [dist.Shard(0)]) for v in (x, y)]
    for i in range(10):
        if i == 3:
            sgd.set_lr(0.3)
            divided.set_lr(0.3)
        if i == 5:
            weight = model[0].weight
            core._become(weight, dist.reshard(weight.detach(), mesh, [dist.Shard(1)]))
        if i == 7:
            alone[2].weight.stop_gradient = model[2].weight.stop_gradient = True
        loss = paddle.nn.functional.mse_loss(alone(x), y)
        loss.backward()
        sgd.step()
        sgd.clear_grad()
        np.testing.assert_allclose(float(step(*rows)), float(loss), rtol=1e-5, err_msg=str(i))
    for p, q in zip(model.parameters(), alone.parameters()):
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-5, atol=1e-6)


def marked(full_graph):
    """`paddle.jit.to_static` on distributed arguments: results, gradients and placements."""
    warnings.simplefilter('error')
    mesh = dist.ProcessMesh([0, 1], ['x'])

    def make():
        paddle.seed(5)
        return paddle.nn.Sequential(
            paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 3)
        )

    alone, model = make(), dist.shard_layer(make(), mesh)
    weight = model[0].weight
    core._become(weight, dist.reshard(weight.detach(), mesh, [dist.Shard(1)]))
    call = paddle.jit.to_static(lambda x: model(x) * 2, full_graph=full_graph == '1')
    for rows in (6, 4, 5):
        for placement in (dist.Shard(0), dist.Replicate()):
            for _ in range(3):
                x = paddle.rand([rows, 4])
                x.stop_gradient = False
                out = call(dist.shard_tensor(x.detach(), mesh, [placement], stop_gradient=False))
                want = alone(x) * 2
                np.testing.assert_allclose(out.numpy(), want.numpy(), rtol=1e-5, atol=1e-6)
                (out * out).sum().backward()
                (want * want).sum().backward()
                for p, q in zip(model.parameters(), alone.parameters()):
                    np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), rtol=1e-4, atol=1e-5)
                    assert p.grad.placements == p.placements
                    p.clear_gradient(), q.clear_gradient()
    assert len(call.program_cache) == 6, len(call.program_cache)


class Chain(paddle.nn.Layer):
    """Linear layers, whose last one takes what the first gave too; `back`: the first layer takes
    what the last gave.
    """

    def __init__(self, count, back):
        super().__init__()
        self.blocks = paddle.nn.LayerList([paddle.nn.Linear(6, 6) for _ in range(count)])
        self.back = back

    def forward(self, x):
        first = x = paddle.tanh(self.blocks[0](x))
        for i in range(1, len(self.blocks)):
            x = paddle.tanh(self.blocks[i](x))
        return self.blocks[0](x) if self.back else x + self.blocks[-1](first)


def _passes(program, rank):
    """`F` for each message forward of a process, `B` for each back, in the order of its program."""
    turns = ''
    for op in program.global_block().ops:
        if op.name() == 'pd_op.reshard_passage':
            turns += 'B' if op.attrs()['back'] else 'F'
    return turns


def schedule(mode, stages, back='0'):
    """Losses and parameters are those of one process, and a stage has as many micro batches under
    way as its place in the pipeline asks for.
    """
    warnings.simplefilter('error')
    stages, count, rows = int(stages), 6, 12

    def make():
        paddle.seed(5)
        model = Chain(stages, back == '1')
        return model, paddle.optimizer.SGD(0.1, parameters=model.parameters())

    (alone, sgd), (model, divided) = make(), make()
    mesh = dist.ProcessMesh(list(range(stages)), ['pp'])
    config = {'pp_config': {'split_spec': 'blocks'}}
    model, divided = dist.parallelize(model, divided, mesh, config)
    pipeline = {'enable': True, 'schedule_mode': mode, 'accumulate_steps': count}
    strategy = dist.Strategy({'pipeline': pipeline})
    loss = paddle.nn.MSELoss()
    step = dist.to_static(model, None, loss, divided, strategy)
    data = np.random.RandomState(0).randn(2, 4, rows, 6).astype('float32')
    for x, y in zip(*data):
        x, y = paddle.to_tensor(x), paddle.to_tensor(y)
        want = loss(alone(x), y)
        want.backward()
        sgd.step()
        sgd.clear_grad()
        given = [dist.shard_tensor(t, mesh, [dist.Replicate()]) for t in (x, y)]
        np.testing.assert_allclose(float(step(*given)), float(want), rtol=1e-5)
    for p, q in zip(model.parameters(), alone.parameters()):
        if p._is_initialized():
            np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-5, atol=1e-6)
    rank = dist.get_rank()
    turns = _passes(step.dist_main_program(), rank)
    forward = turns.index('B')
    each = turns.count('F') // count
    under_way = stages - rank if mode == '1F1B' else count
    if back == '1' and mode == '1F1B':
        under_way = stages
    assert forward == each * under_way, (rank, turns)
    most = now = 0
    for turn in turns[: turns.rindex('B') + 1]:
        now += 1 / each if turn == 'F' else -count / turns.count('B')
        most = max(most, now)
    assert most < under_way + 0.01, (rank, turns)
