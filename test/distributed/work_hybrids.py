# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_hybrids.py: training divided in drawn ways, against one process."""

import itertools
import random
import sys
import warnings

import numpy as np
import work_dist_static as static
import work_dist_training as eager

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate, Shard

_BATCH, _LENGTH, _STEPS = 16, 4, 3
_BLOCKS = 4


class Model(static.Logits):
    def __init__(self):
        super().__init__()
        self.blocks = paddle.nn.LayerList([eager.Block() for _ in range(_BLOCKS)])


def _grids(count):
    """Extents of axes that multiply to `count`, of which none is all of it."""
    axes = ('pp', 'dp', 'sep', 'mp')
    some = [n for n in range(1, count) if count % n == 0]
    return [
        dict(zip(axes, extents))
        for extents in itertools.product(some, repeat=len(axes))
        if np.prod(extents) == count
    ]


def drawn(first, last, seed=5):
    """Ways to divide a training among 8 processes: other extents each time, and what else there
    is.
    """
    draw = random.Random(seed)
    grids = draw.sample(_grids(8), 16)
    return [_way(extents, draw) for extents in grids][first:last]


def _way(extents, draw):
    return {
        'extents': {axis: n for axis, n in extents.items() if n > 1},
        'level': draw.randrange(4) if extents['dp'] > 1 else 0,
        'sequence': extents['mp'] > 1 and extents['sep'] == 1 and draw.random() < 0.5,
        'backend': draw.choice(['p2p', 'all2all']),
        'points': draw.random() < 0.5,
        'micro': draw.choice([1, 2]) if extents['pp'] > 1 else 1,
        'clip': draw.random() < 0.7,
        'optimizer': draw.choice(['SGD', 'Momentum', 'AdamW']),
    }


def _parts(way):
    paddle.seed(3)
    model = Model()
    clip = paddle.nn.ClipGradByGlobalNorm(0.5) if way['clip'] else None
    kind = getattr(paddle.optimizer, way['optimizer'])
    return model, kind(0.05, parameters=model.parameters(), grad_clip=clip)


def _divided(way):
    extents = way['extents']
    mesh = dist.ProcessMesh(
        np.arange(np.prod(list(extents.values()))).reshape(list(extents.values())), list(extents)
    )
    config = {'dp_config': {'sharding_level': way['level']}}
    if 'mp' in extents:
        plan = eager._plan()
        if way['sequence']:
            plan['norm'] = dist.SequenceParallelEnable()
            plan[r'blocks\.\d+\.norm'] = dist.SequenceParallelEnable()
        config['mp_config'] = {'parallelize_plan': plan}
    if 'sep' in extents:
        plan = {
            '': dist.PrepareContextParallel(way['backend']),
            r'blocks\.\d+\.attention': dist.ContextParallel(way['backend']),
        }
        config['cp_config'] = {'parallelize_plan': plan}
    if 'pp' in extents:
        spec = 'blocks'
        if way['points']:
            each = _BLOCKS // extents['pp']
            spec = {f'blocks.{each - 1}': dist.SplitPoint.END}
            spec.update(
                (f'blocks.{each * i}', dist.SplitPoint.BEGINNING) for i in range(2, extents['pp'])
            )
        config['pp_config'] = {'split_spec': spec}
    model, optimizer = dist.parallelize(*_parts(way), mesh, config)
    return model, optimizer, mesh


def _check(name, got, want):
    np.testing.assert_allclose(got, want, rtol=1e-5, err_msg=name)


def hybrids(first, last):
    """Losses of eager and compiled steps are those of one process; each call runs a program."""
    warnings.simplefilter('error')
    drawn_words = np.random.RandomState(0).randint(0, eager._WORDS, [_STEPS, _BATCH, _LENGTH + 1])
    batches = [(paddle.to_tensor(w[:, :-1]), paddle.to_tensor(w[:, 1:])) for w in drawn_words]
    everywhere = dist.ProcessMesh(list(range(8)), ['all'])
    for way in drawn(int(first), int(last)):
        model, optimizer = _parts(way)
        want = []
        for ids, labels in batches:
            loss = static._loss(model(ids), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            want.append(float(loss))
        weights = [p.numpy() for p in model.parameters()]
        for compiled in (False, True):
            model, optimizer, mesh = _divided(way)
            placements = [Shard(0) if axis == 'dp' else Replicate() for axis in mesh.dim_names]
            given = [[dist.shard_tensor(t, mesh, placements) for t in pair] for pair in batches]
            got = []
            if compiled:
                pipeline = {'enable': 'pp' in mesh.dim_names, 'accumulate_steps': way['micro']}
                strategy = dist.Strategy({'pipeline': pipeline})
                step = dist.to_static(model, None, static._loss, optimizer, strategy)
                got = [float(step(*pair)) for pair in given]
            else:
                for ids, labels in given:
                    loss = static._loss(model(ids), labels)
                    loss.backward()
                    optimizer.step()
                    optimizer.clear_grad()
                    got.append(float(dist.reshard(loss, everywhere, [Replicate()])))
            _check(f'{way}, compiled: {compiled}', got, want)
            for (name, p), q in zip(model.named_parameters(), weights):
                if dist.get_rank() in p.process_mesh.process_ids:
                    np.testing.assert_allclose(
                        p.numpy(), q, rtol=2e-4, atol=2e-5, err_msg=f'{name} of {way}'
                    )
        if dist.get_rank() == 0:
            print(way, flush=True)


class Tied(paddle.nn.Layer):
    """The head has the weight of the embedding, which is of another stage."""

    def __init__(self):
        super().__init__()
        self.embed = paddle.nn.Embedding(eager._WORDS, 8)
        self.blocks = paddle.nn.LayerList([eager.Block() for _ in range(2)])
        self.head = TiedHead(self.embed.weight)

    def forward(self, ids):
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class TiedHead(paddle.nn.Layer):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return x.matmul(self.weight, transpose_y=True)


def tied():
    """A parameter that two stages use."""
    warnings.simplefilter('error')
    words = np.random.RandomState(0).randint(0, eager._WORDS, [8, 5])
    ids, labels = paddle.to_tensor(words[:, :-1]), paddle.to_tensor(words[:, 1:])

    def parts():
        paddle.seed(3)
        model = Tied()
        clip = paddle.nn.ClipGradByGlobalNorm(0.5)
        return model, paddle.optimizer.AdamW(0.05, parameters=model.parameters(), grad_clip=clip)

    model, optimizer = parts()
    want = []
    for _ in range(3):
        loss = static._loss(model(ids), labels)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        want.append(float(loss))
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], ['pp', 'mp'])
    config = {
        'pp_config': {'split_spec': 'blocks'},
        'mp_config': {'parallelize_plan': {'embed': dist.RowWiseParallel()}},
    }
    divided, optimizer = dist.parallelize(*parts(), mesh, config)
    assert divided.head.weight is divided.embed.weight
    assert divided.head.weight.placements == [Replicate(), Shard(0)]
    pipeline = {'enable': True, 'accumulate_steps': 2, 'pp_degree': 2}
    strategy = dist.Strategy({'pipeline': pipeline})
    step = dist.to_static(divided, None, static._loss, optimizer, strategy)
    _check('tied', [float(step(ids, labels)) for _ in range(3)], want)
    np.testing.assert_allclose(
        divided.head.weight.numpy(), model.head.weight.numpy(), rtol=2e-4, atol=2e-5
    )


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
