# SPDX-License-Identifier: Apache-2.0
"""Train a small network on scikit-learn's handwritten digits by several processes.

    python -m paddle.distributed.launch --nproc_per_node 2 digits.py
    python digits.py --processes 2

The second form is one process with the batches of two: it prints the same losses. The lines marked
"distributed" are all that the first form needs. Needs scikit-learn, for the images.
"""

import argparse

import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from paddle import nn
from paddle.io import DataLoader, DistributedBatchSampler, TensorDataset


def load():
    from sklearn.datasets import load_digits

    data = load_digits()
    images = paddle.to_tensor(data.data.astype('float32') / 16)
    return TensorDataset([images, paddle.to_tensor(data.target.astype('int64'))])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--epochs', type=int, default=3)
    parser.add_argument('--batch', type=int, default=64, help='images a process and step')
    parser.add_argument('--processes', type=int, default=1, help='whose batches one process sees')
    flags = parser.parse_args()

    paddle.seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    ranks = dist.get_world_size()
    if ranks > 1:
        dist.init_parallel_env()  # distributed
        model = paddle.DataParallel(model)  # distributed
    optimizer = paddle.optimizer.Adam(2e-3, parameters=model.parameters())

    size = flags.batch * flags.processes
    sampler = DistributedBatchSampler(load(), size, drop_last=True)  # distributed
    for epoch in range(flags.epochs):
        total, steps = 0.0, 0
        for images, labels in DataLoader(load(), batch_sampler=sampler):
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            loss = loss.detach()
            if ranks > 1:
                dist.all_reduce(loss, dist.ReduceOp.AVG)  # distributed
            total, steps = total + float(loss), steps + 1
        if dist.get_rank() == 0:
            print(f'epoch {epoch}: loss {total / steps:.5f}')


if __name__ == '__main__':
    main()
