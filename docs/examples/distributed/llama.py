# SPDX-License-Identifier: Apache-2.0
"""A character LLaMA trained by data and tensor parallelism at once, in compiled steps.

    python -m paddle.distributed.launch --nproc_per_node 4 llama.py [--mp 2] [--out llama.png]

The model is written for one process; the lines marked "distributed" place it on a mesh of
processes, `--mp` of which share each layer. Every process first trains it alone, and the losses of
both are printed side by side. The figure shows both, and the bytes that each step moves.
"""

import argparse
import sys

import numpy as np

import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, Dataset

LETTERS, SPAN, WIDTH, HEADS = 32, 24, 64, 4
PLAN = {  # distributed
    r'blocks\.\d+\.(q|k|v|gate|up)': dist.ColWiseParallel(),  # distributed
    r'blocks\.\d+\.(out|down)': dist.RowWiseParallel(),  # distributed
    'head': dist.ColWiseParallel(gather_output=True),  # distributed
}  # distributed


class Sequences(Dataset):
    """Letters that follow each other by a rule: each is the sum of the two before it, mod 32."""

    def __init__(self, count):
        rows = np.random.RandomState(0).randint(0, LETTERS, [count, SPAN + 1])
        for k in range(2, SPAN + 1):
            rows[:, k] = (rows[:, k - 1] + rows[:, k - 2]) % LETTERS
        self.rows = rows

    def __getitem__(self, k):
        return self.rows[k, :-1], self.rows[k, 1:]

    def __len__(self):
        return len(self.rows)


def rotated(x, angles):
    """Pairs of features [batch, length, heads, dim] turned by their positions."""
    a, b = x.chunk(2, axis=-1)
    cos, sin = angles.cos(), angles.sin()
    return paddle.concat([a * cos - b * sin, b * cos + a * sin], axis=-1)


class Block(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH), nn.RMSNorm(WIDTH)
        self.q, self.k, self.v, self.out = (
            nn.Linear(WIDTH, WIDTH, bias_attr=False) for _ in range(4)
        )
        self.gate, self.up = (nn.Linear(WIDTH, 2 * WIDTH, bias_attr=False) for _ in range(2))
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias_attr=False)

    def forward(self, x, angles):
        h = self.norm1(x)
        shape = [x.shape[0], x.shape[1], HEADS, WIDTH // HEADS]
        q, k, v = (layer(h).reshape(shape) for layer in (self.q, self.k, self.v))
        seen = F.scaled_dot_product_attention(
            rotated(q, angles), rotated(k, angles), v, is_causal=True
        )
        x = x + self.out(seen.reshape(x.shape))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Layer):
    def __init__(self, depth=2):
        super().__init__()
        self.embed = nn.Embedding(LETTERS, WIDTH)
        self.blocks = nn.LayerList([Block() for _ in range(depth)])
        self.norm, self.head = nn.RMSNorm(WIDTH), nn.Linear(WIDTH, LETTERS, bias_attr=False)
        half = WIDTH // HEADS // 2
        rates = 10000.0 ** (-paddle.arange(half, dtype='float32') / half)
        positions = paddle.arange(SPAN, dtype='float32')
        self.register_buffer('angles', positions.reshape([1, -1, 1, 1]) * rates, False)

    def forward(self, letters):
        x = self.embed(letters)
        for block in self.blocks:
            x = block(x, self.angles)
        return self.head(self.norm(x))


def loss_of(logits, letters):
    return F.cross_entropy(logits, letters.unsqueeze(-1)).mean()


def parts(batch):
    paddle.seed(0)
    model = Llama()
    optimizer = paddle.optimizer.AdamW(3e-3, parameters=model.parameters())
    return model, optimizer, DataLoader(Sequences(512), batch_size=batch, drop_last=True)


def trained(step, loader, steps, label):
    """The losses of `steps` steps, with a bar."""
    losses = []
    while len(losses) < steps:
        for batch in loader:
            losses.append(float(step(*batch)))
            if dist.get_rank() == 0:
                bar = '=' * (24 * len(losses) // steps)
                sys.stdout.write(f'\r{label:>8} [{bar:<24}] loss {losses[-1]:.4f}')
            if len(losses) == steps:
                break
    if dist.get_rank() == 0:
        print()
    return losses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--steps', type=int, default=60)
    parser.add_argument('--batch', type=int, default=16)
    parser.add_argument('--mp', type=int, default=2, help='processes that share each layer')
    parser.add_argument('--out', metavar='PNG', help='where to draw')
    flags = parser.parse_args()

    model, optimizer, loader = parts(flags.batch)
    alone = trained(dist.to_static(model, None, loss_of, optimizer), loader, flags.steps, 'alone')

    model, optimizer, loader = parts(flags.batch)
    ranks = dist.get_world_size()
    mesh = dist.ProcessMesh(np.arange(ranks).reshape(-1, flags.mp), ['dp', 'mp'])  # distributed
    config = {'mp_config': {'parallelize_plan': PLAN}}  # distributed
    model, optimizer = dist.parallelize(model, optimizer, mesh, config)  # distributed
    loader = dist.shard_dataloader(loader, mesh, shard_dims='dp')  # distributed
    step = dist.to_static(model, None, loss_of, optimizer)
    losses = trained(step, loader, flags.steps, f'{ranks} ranks')

    worst = max(abs(a - b) for a, b in zip(alone, losses))
    if dist.get_rank() == 0:
        print(f'loss alone {alone[-1]:.5f}, by {ranks} processes {losses[-1]:.5f}')
        print(f'largest difference of a loss: {worst:.2e} (expected at most 1e-03)')
        if flags.out:
            draw(flags.out, alone, losses, step.dist_main_program())
    sys.exit(int(worst > 1e-3))


def draw(path, alone, losses, program):
    """The losses, and how many bytes each operation that moves a tensor takes."""
    import matplotlib

    matplotlib.use('Agg')
    import matplotlib.pyplot as plt

    moved = [
        4 * np.prod([1, *op.operand_source(0).shape])
        for op in program.global_block().ops
        if op.name() == 'pd_op.reshard_part'
    ]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    left.plot(alone, label='one process')
    left.plot(losses, '--', label='several')
    left.set(title='loss', xlabel='step')
    left.legend()
    right.bar(range(len(moved)), np.array(moved) / 1024)
    right.set(title='KiB given to each move of a step', xlabel='in the order of the program')
    figure.tight_layout()
    figure.savefig(path, dpi=80)


if __name__ == '__main__':
    main()
