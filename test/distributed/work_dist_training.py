# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_dist_training.py: divided training, against that of one process."""

import sys

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed import Partial, Replicate, Shard
from paddle.distributed.auto_parallel.high_level_api import ToDistributedConfig
from paddle.nn import functional

_HIDDEN, _HEADS, _WORDS = 8, 2, 12


class Attention(paddle.nn.Layer):
    def forward(self, query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


class Block(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm = paddle.nn.LayerNorm(_HIDDEN)
        self.q, self.k, self.v, self.o = (
            paddle.nn.Linear(_HIDDEN, _HIDDEN, bias_attr=False) for _ in range(4)
        )
        self.norm2 = paddle.nn.LayerNorm(_HIDDEN)
        self.up, self.gate = paddle.nn.Linear(_HIDDEN, 16), paddle.nn.Linear(_HIDDEN, 16)
        self.down = paddle.nn.Linear(16, _HIDDEN)

    def forward(self, x):
        h = self.norm(x)
        q, k, v = (
            layer(h).reshape([x.shape[0], x.shape[1], _HEADS, _HIDDEN // _HEADS])
            for layer in (self.q, self.k, self.v)
        )
        a = self.attention(q, key=k, value=v)
        x = x + self.o(a.reshape(x.shape))
        h = self.norm2(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h))


class Model(paddle.nn.Layer):
    """A small language model, as one would write it for one process."""

    def __init__(self):
        super().__init__()
        self.embed = paddle.nn.Embedding(_WORDS, _HIDDEN)
        self.blocks = paddle.nn.LayerList([Block(), Block()])
        self.norm = paddle.nn.LayerNorm(_HIDDEN)
        self.head = paddle.nn.Linear(_HIDDEN, _WORDS)

    def forward(self, ids, labels):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return functional.cross_entropy(self.head(self.norm(x)), labels.unsqueeze(-1)).mean()


def _parts(clip=True):
    paddle.seed(3)
    model = Model()
    optimizer = paddle.optimizer.AdamW(
        0.01,
        parameters=model.parameters(),
        grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5) if clip else None,
    )
    return model, optimizer


class Words(paddle.io.Dataset):
    def __init__(self):
        drawn = np.random.RandomState(0).randint(0, _WORDS, [12, 5])
        self.ids, self.labels = drawn[:, :-1], drawn[:, 1:]

    def __getitem__(self, i):
        return self.ids[i], self.labels[i]

    def __len__(self):
        return len(self.ids)


def _train(model, optimizer, loader, scaler=None):
    losses = []
    for ids, labels in loader:
        loss = model(ids, labels)
        (scaler.scale(loss) if scaler else loss).backward()
        if scaler:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses


def _loader():
    return paddle.io.DataLoader(Words(), batch_size=4)


def _plan():
    return {
        'embed': dist.ColWiseParallel(),
        r'blocks\.\d+\.[qkv]': dist.ColWiseParallel(),
        r'blocks\.\d+\.o': dist.RowWiseParallel(),
        r'blocks\.\d+\.(up|gate)': dist.ColWiseParallel(),
        r'blocks\.\d+\.down': dist.RowWiseParallel(),
        'head': dist.ColWiseParallel(gather_output=True),
    }


_MESHES = {
    'dp2': ([0, 1], ['dp']),
    'mp2': ([0, 1], ['mp']),
    'dp2mp2': ([[0, 1], [2, 3]], ['dp', 'mp']),
    'dp4mp2': ([[0, 1], [2, 3], [4, 5], [6, 7]], ['dp', 'mp']),
}


def planned(mesh, level, sequence='0'):
    """`parallelize`: losses and parameters are those of one process."""
    mesh = dist.ProcessMesh(*_MESHES[mesh])
    alone = _parts()
    want = _train(*alone, _loader())
    model, optimizer = _parts()
    config = {'dp_config': {'sharding_level': int(level)}}
    if 'mp' in mesh.dim_names:
        config['mp_config'] = {'parallelize_plan': _plan()}
    if sequence == '1':
        plan = config['mp_config']['parallelize_plan']
        plan['norm'] = dist.SequenceParallelEnable()
        plan[r'blocks\.\d+\.norm'] = [dist.SequenceParallelEnable()]
    model, optimizer = dist.parallelize(model, optimizer, mesh, config)
    loader = dist.shard_dataloader(
        _loader(), mesh, shard_dims='dp' if 'dp' in mesh.dim_names else None
    )
    got = _train(model, optimizer, loader, dist.shard_scaler(paddle.amp.GradScaler()))
    np.testing.assert_allclose(got, want, rtol=1e-5)
    for (name, p), q in zip(model.named_parameters(), alone[0].parameters()):
        assert p.is_dist() and p.grad is None or p.grad.is_dist(), name
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=2e-4, atol=2e-5, err_msg=name)
    weight = model.blocks[0].up.weight
    size = int(np.prod(weight._local_value().shape))
    whole = _HIDDEN * 16 // (2 if 'mp' in mesh.dim_names else 1)
    dp = mesh.shape[0] if 'dp' in mesh.dim_names else 1
    assert size == (whole // dp if level == '3' else whole), size
    moment = optimizer._get_accumulator('moment1', weight)
    assert np.prod(moment._local_value().shape) == (whole // dp if level != '0' else whole)


_CONTEXT = {
    'sep2': ([0, 1], ['sep']),
    'sep2mp2': ([[0, 1], [2, 3]], ['sep', 'mp']),
    'dp2sep2': ([[0, 1], [2, 3]], ['dp', 'sep']),
}


def context(mesh, backend):
    """`cp_config`: sequences stay divided from the first layer to the loss, heads in attention."""
    mesh = dist.ProcessMesh(*_CONTEXT[mesh])
    alone = _parts()
    want = _train(*alone, _loader())
    model, optimizer = _parts()
    plan = {
        '': dist.PrepareContextParallel(backend),
        r'blocks\.\d+\.attention': dist.ContextParallel(backend),
    }
    config = {'cp_config': {'parallelize_plan': plan}}
    if 'mp' in mesh.dim_names:
        config['mp_config'] = {'parallelize_plan': _plan()}
    model, optimizer = dist.parallelize(model, optimizer, mesh, config)
    seen = []
    for block in model.blocks:
        block.attention.register_forward_pre_hook(
            lambda _, args, kwargs: seen.append([args[0], *kwargs.values()]), with_kwargs=True
        )
        block.register_forward_post_hook(lambda _, __, out: seen.append([out]))
    loader = _loader()
    if 'dp' in mesh.dim_names:
        loader = dist.shard_dataloader(loader, mesh, shard_dims='dp')
    got = _train(model, optimizer, loader)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    for p, q in zip(model.parameters(), alone[0].parameters()):
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=2e-4, atol=2e-5)
    axis = mesh.dim_names.index('sep')
    found = {tuple(t.placements[axis] for t in tensors) for tensors in seen}
    heads, rows, whole = Shard(2), Shard(1), Replicate()
    inside = (heads,) * 3 if backend == 'all2all' else (rows, whole, whole)
    assert found == {inside, (rows,)}, found


def converted(sequence='whole'):
    """`to_distributed` needs nothing but the number of processes."""
    n = dist.ParallelEnv().world_size
    alone = _parts()
    want = _train(*alone, _loader())
    config, behind = ToDistributedConfig(), []
    config.sequence_parallel = sequence == 'divided'
    model, optimizer, loader = dist.to_distributed(
        *_parts(), _loader(), device_num=n, config=config
    )
    model.blocks[0].down.register_forward_post_hook(
        lambda _, inputs, out: behind.append(out.placements[1])
    )
    np.testing.assert_allclose(_train(model, optimizer, loader), want, rtol=1e-5)
    for p, q in zip(model.parameters(), alone[0].parameters()):
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=2e-4, atol=2e-5)
    weight = model.blocks[0].down.weight
    assert weight.placements == [Replicate(), Shard(0) if n == 4 else Replicate()]
    assert all(p.is_shard(1) == config.sequence_parallel for p in behind), behind
    moment = optimizer._get_accumulator('moment1', weight)
    assert moment._local_value().size == weight.size // n


def by_hand():
    """`shard_layer` and `shard_optimizer` with functions of the user; plain SGD and Momentum."""
    mesh = dist.ProcessMesh([0, 1], dim_names=['x'])
    x = paddle.to_tensor(np.random.RandomState(1).randn(4, 6).astype('float32'))

    def make():
        paddle.seed(1)
        return paddle.nn.Sequential(
            paddle.nn.Linear(6, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 2)
        )

    def place(name, layer, mesh):
        if isinstance(layer, paddle.nn.Linear):
            layer.weight = dist.shard_tensor(layer.weight, mesh, [Shard(1)])
            layer.bias = dist.shard_tensor(layer.bias, mesh, [Shard(0)])

    for kind in (paddle.optimizer.SGD, paddle.optimizer.Momentum, paddle.optimizer.Adam):
        want, alone = [], make()
        optimizer = kind(0.1, parameters=alone.parameters())
        model = dist.shard_layer(
            make(),
            mesh,
            place,
            lambda inputs, mesh: dist.shard_tensor(inputs[0], mesh, [Shard(0)]),
            lambda out, mesh: dist.reshard(out, mesh, [Replicate()]),
        )
        divided = dist.shard_optimizer(kind(0.1, parameters=model.parameters()))
        for _ in range(3):
            for net, opt in ((alone, optimizer), (model, divided)):
                out = net(x)
                (out * out).mean().backward()
                opt.step()
                opt.clear_grad()
                want.append(float((out * out).mean()))
        np.testing.assert_allclose(want[::2], want[1::2], rtol=1e-5)
        assert model[0].weight.placements == [Shard(1)]


def local():
    """Functions and layers on parts."""
    mesh = dist.ProcessMesh([0, 1], dim_names=['x'])
    value = np.random.RandomState(1).randn(4, 3).astype('float32')
    x = dist.shard_tensor(paddle.to_tensor(value), mesh, [Shard(0)], stop_gradient=False)
    w = dist.shard_tensor(paddle.ones([3]), mesh, [Replicate()], stop_gradient=False)

    def total(x, w):
        assert not x.is_dist() and x.shape == [2, 3]
        return (x * w).sum()

    mapped = dist.local_map(total, [[Partial()]], [[Shard(0)], [Replicate()]], mesh)
    out = mapped(x, w)
    np.testing.assert_allclose(float(out), value.sum(), rtol=1e-5)
    out.backward()
    np.testing.assert_allclose(w.grad.numpy(), value.sum(0), rtol=1e-5)
    np.testing.assert_allclose(x.grad.numpy(), np.ones([4, 3]), rtol=1e-5)
    moved = dist.reshard(x, mesh, [Replicate()])
    try:
        mapped(moved, w)
    except ValueError as e:
        assert 'reshard_inputs' in str(e)
    else:
        raise AssertionError('expected a ValueError')
    again = dist.local_map(total, [[Partial()]], [[Shard(0)], [Replicate()]], mesh, True)
    np.testing.assert_allclose(float(again(moved, w)), value.sum(), rtol=1e-5)

    class Total(dist.LocalLayer):
        def forward(self, x, w):
            return total(x, w)

    w.clear_grad()
    layer = Total([(mesh, [Partial()])], [(mesh, [Shard(0)]), (mesh, [Partial()])])
    layer(x, w).backward()
    np.testing.assert_allclose(w.grad.numpy(), value.sum(0), rtol=1e-5)


def experts():
    """Tensors of the meshes along an axis: values, shapes and gradients, also of replicas."""
    from paddle.distributed.auto_parallel.api import moe_global_mesh_tensor, moe_sub_mesh_tensors

    rank = dist.get_rank()
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=['dp', 'ep'])
    value = np.arange(16, dtype='float32').reshape([4, 4])
    weights = [3.0, 5.0]
    for along, shape in ((Shard(1), [4, 2]), (Replicate(), [4, 4])):
        placements = [Shard(0), along]
        x = dist.shard_tensor(paddle.to_tensor(value), mesh, placements, stop_gradient=False)
        parts = moe_sub_mesh_tensors(x, mesh, -1, placements)
        assert [list(t.shape) for t in parts] == [shape] * 2
        assert [t.process_mesh.process_ids for t in parts] == [[0, 2], [1, 3]]
        done = [t * w for t, w in zip(parts, weights)]
        back = moe_global_mesh_tensor(done, mesh, [Shard(0), Shard(1)], 1)
        sides = np.split(value, 2, 1) if along.is_shard() else [value, value]
        want = np.concatenate([side * w for side, w in zip(sides, weights)], 1)
        np.testing.assert_array_equal(dist.unshard_dtensor(back).numpy(), want)
        back.sum().backward()
        derivative = np.repeat(weights, 2) if along.is_shard() else [8.0] * 4
        np.testing.assert_array_equal(
            dist.unshard_dtensor(x.grad).numpy(), np.tile(np.float32(derivative), [4, 1])
        )
    assert rank in parts[rank % 2].process_mesh.process_ids
    for bad in ((x,), (x, mesh, 2, placements), (x, dist.ProcessMesh([0]), 0, placements)):
        try:
            moe_sub_mesh_tensors(*bad)
        except ValueError as e:
            assert 'moe_sub_mesh_tensors' in str(e)
        else:
            raise AssertionError('expected a ValueError')
    try:
        moe_global_mesh_tensor(parts[:1], mesh, placements, 1)
    except ValueError as e:
        assert '2 meshes' in str(e)
    else:
        raise AssertionError('expected a ValueError')


def experts_train():
    """Experts on meshes of their own train as in one process, their gradients clipped together."""
    from paddle.distributed.auto_parallel.api import (
        moe_global_mesh_tensor,
        moe_sub_mesh_tensors,
        split_mesh,
    )

    world = dist.ParallelEnv().world_size
    mesh = dist.ProcessMesh(list(range(world)), ['ep'])

    def train(divided):
        paddle.seed(5)
        gate = paddle.nn.Linear(4, world)
        experts = [paddle.nn.Linear(4, 4) for _ in range(world)]
        if divided:
            dist.shard_layer(gate, mesh)
            for one, layer in zip(split_mesh(mesh, 0), experts):
                dist.shard_layer(layer, one)
        parameters = [p for layer in [gate, *experts] for p in layer.parameters()]
        clip = paddle.nn.ClipGradByGlobalNorm(0.1)
        optimizer = paddle.optimizer.SGD(1.0, parameters=parameters, grad_clip=clip)
        draw, losses = np.random.RandomState(0), []
        for _ in range(4):
            x = paddle.to_tensor(draw.randn(8, 4).astype('float32'))
            if divided:
                x = dist.shard_tensor(x, mesh, [Shard(0)])
            given = paddle.einsum('te,th->eth', functional.softmax(gate(x), -1), x)
            if divided:
                given = dist.reshard(given, mesh, [Shard(0)])
                parts = moe_sub_mesh_tensors(given, mesh, 0, [Shard(0)])
                made = [layer(t) for layer, t in zip(experts, parts)]
                made = moe_global_mesh_tensor(made, mesh, [Shard(0)], 0)
            else:
                made = paddle.concat([one(given[i : i + 1]) for i, one in enumerate(experts)])
            loss = (made.sum(0) ** 2).mean()
            loss.backward()
            assert all(p.grad is not None for p in parameters)
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
        return losses

    np.testing.assert_allclose(train(True), train(False), rtol=1e-5)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
