# SPDX-License-Identifier: Apache-2.0
"""The LLaMA of docs/examples/distributed/llama.py divided by hand with layers of fleet: the lines
marked "distributed" are those that the program of one process lacks, or has otherwise.
"""

import ast
import pathlib
import sys

import numpy as np

import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from paddle import nn
from paddle.distributed import fleet  # distributed
from paddle.distributed.fleet import meta_parallel as mpu  # distributed

sys.path.append(str(pathlib.Path(__file__).parents[2] / 'docs' / 'examples' / 'distributed'))
import llama  # noqa: E402
from llama import HEADS, LETTERS, SPAN, WIDTH  # noqa: E402

MARK = '  # ' + 'distributed'


def columns(width, out, gather=False):  # distributed
    return mpu.ColumnParallelLinear(  # distributed
        width,
        out,
        has_bias=False,
        gather_output=gather,  # distributed
    )  # distributed


def rows(width, out):  # distributed
    return mpu.RowParallelLinear(  # distributed
        width,
        out,
        has_bias=False,
        input_is_parallel=True,  # distributed
    )  # distributed


class Block(nn.Layer):
    def __init__(self, degree):  # distributed
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.heads = HEADS // degree  # distributed
        self.q, self.k, self.v = (columns(WIDTH, WIDTH) for _ in range(3))  # distributed
        self.out = rows(WIDTH, WIDTH)  # distributed
        self.gate, self.up = (columns(WIDTH, 2 * WIDTH) for _ in range(2))  # distributed
        self.down = rows(2 * WIDTH, WIDTH)  # distributed

    def forward(self, x, angles):
        h = self.norm1(x)
        shape = [x.shape[0], x.shape[1], self.heads, WIDTH // HEADS]  # distributed
        q, k, v = (layer(h).reshape(shape) for layer in (self.q, self.k, self.v))
        seen = F.scaled_dot_product_attention(
            llama.rotated(q, angles), llama.rotated(k, angles), v, is_causal=True
        )
        x = x + self.out(seen.reshape([*x.shape[:2], -1]))  # distributed
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Layer):
    def __init__(self, degree, depth=2):  # distributed
        super().__init__()
        self.embed = mpu.VocabParallelEmbedding(LETTERS, WIDTH)  # distributed
        self.blocks = nn.LayerList([Block(degree) for _ in range(depth)])  # distributed
        self.norm = nn.RMSNorm(WIDTH)
        self.head = columns(WIDTH, LETTERS)  # distributed
        self.loss = mpu.ParallelCrossEntropy()  # distributed
        half = WIDTH // HEADS // 2
        rates = 10000.0 ** (-paddle.arange(half, dtype='float32') / half)
        positions = paddle.arange(SPAN, dtype='float32')
        self.register_buffer('angles', positions.reshape([1, -1, 1, 1]) * rates, False)

    def forward(self, letters, labels):  # distributed
        x = self.embed(letters)
        for block in self.blocks:
            x = block(x, self.angles)
        logits = self.head(self.norm(x))  # distributed
        return self.loss(logits, labels.unsqueeze(-1)).mean()  # distributed


def copied(model, source, hcg):
    """The first values of one process: a trained program would read them from its checkpoint."""
    degree, rank = hcg.get_model_parallel_world_size(), hcg.get_model_parallel_rank()
    for key, p in model.state_dict().items():
        whole = source[key].numpy()
        if list(whole.shape) != list(p.shape):
            axis = next(i for i, n in enumerate(p.shape) if n != whole.shape[i])
            whole = np.split(whole, degree, axis)[rank]
        p.set_value(whole)


def trained(mp, steps):
    """Losses by hand, and of one process."""
    degree = int(mp)
    strategy = fleet.DistributedStrategy()  # distributed
    strategy.hybrid_configs = {  # distributed
        'dp_degree': dist.ParallelEnv().world_size // degree,  # distributed
        'mp_degree': degree,  # distributed
    }  # distributed
    fleet.init(is_collective=True, strategy=strategy)  # distributed
    hcg = fleet.get_hybrid_communicate_group()  # distributed
    alone, optimizer, loader = llama.parts(16)
    model = Llama(degree)
    copied(model, alone.state_dict(), hcg)
    by_hand = paddle.optimizer.AdamW(3e-3, parameters=model.parameters())
    model = fleet.distributed_model(model)  # distributed
    by_hand = fleet.distributed_optimizer(by_hand)  # distributed
    sampler = paddle.io.DistributedBatchSampler(  # distributed
        loader.dataset,  # distributed
        16 // hcg.get_data_parallel_world_size(),  # distributed
        num_replicas=hcg.get_data_parallel_world_size(),  # distributed
        rank=hcg.get_data_parallel_rank(),  # distributed
        drop_last=True,  # distributed
    )  # distributed
    mine = paddle.io.DataLoader(loader.dataset, batch_sampler=sampler)  # distributed
    group = hcg.get_data_parallel_group()  # distributed
    got, want = [], []
    for _, part in zip(range(int(steps)), mine):
        loss = model(*part)
        loss.backward()
        by_hand.step()
        by_hand.clear_grad()
        told = loss.detach()  # distributed
        dist.all_reduce(told, dist.ReduceOp.AVG, group=group)  # distributed
        got.append(float(told))
        whole = []
        for one in part:
            parts = []
            dist.all_gather(parts, one, group=group)
            whole.append(paddle.concat(parts))
        loss = llama.loss_of(alone(whole[0]), whole[1])
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        want.append(float(loss))
    np.testing.assert_allclose(got, want, rtol=1e-5)


def statements():
    """How many statements are distributed by hand, and by a plan, however they are laid out."""

    def counted(file):
        text = pathlib.Path(file).read_text()
        marked = {k for k, one in enumerate(text.splitlines(), 1) if MARK in one}
        parts = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.stmt)]
        heads = [
            (one.lineno, one.body[0].lineno - 1 if hasattr(one, 'body') else one.end_lineno)
            for one in parts
        ]
        return sum(any(first <= k <= last for k in marked) for first, last in heads)

    return counted(__file__), counted(llama.__file__)
