# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_model.py do: `paddle.Model` against one process on the whole."""

import os
import sys

import numpy as np

import paddle
import paddle.distributed as dist
from paddle import nn

SAMPLES, BATCH = 22, 4


class Data(paddle.io.Dataset):
    def __init__(self):
        rng = np.random.RandomState(3)
        self.x = rng.randn(SAMPLES, 6).astype('float32')
        self.y = rng.randint(0, 3, (SAMPLES, 1))

    def __getitem__(self, i):
        return self.x[i], self.y[i]

    def __len__(self):
        return SAMPLES


class Net(nn.Layer):
    """One of its layers takes no part."""

    def __init__(self):
        super().__init__()
        paddle.seed(5)
        self.body = nn.Linear(6, 3)
        self.unused = nn.Linear(6, 3)

    def forward(self, x):
        return self.body(x)


def prepared():
    net = Net()
    model = paddle.Model(net)
    model.prepare(
        paddle.optimizer.Momentum(0.1, parameters=net.parameters()),
        nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    return model


def alone(data, batches, merged=1):
    """The weight that one process gets from these batches."""
    net = Net()
    optimizer = paddle.optimizer.Momentum(0.1, parameters=net.parameters())
    for step, rows in enumerate(batches):
        loss = nn.functional.cross_entropy(
            net(paddle.to_tensor(data.x[rows])), paddle.to_tensor(data.y[rows])
        )
        loss.backward()
        if (step + 1) % merged == 0:
            optimizer.step()
            optimizer.clear_grad()
    return net


def model(folder):
    model = prepared()  # it joins the job
    rank, n = dist.get_rank(), dist.get_world_size()
    data = Data()
    model.fit(data, batch_size=BATCH, epochs=2, shuffle=False, drop_last=True, verbose=0)
    whole = BATCH * n
    batches = [np.arange(i, i + whole) for i in range(0, SAMPLES - whole + 1, whole)] * 2
    net = alone(data, batches)
    np.testing.assert_allclose(
        model.network.body.weight.numpy(), net.body.weight.numpy(), atol=1e-6
    )
    # Gradients of two batches are one update.
    merged = prepared()
    merged.fit(*(data, None, 2), shuffle=False, verbose=0, accumulate_grad_batches=2, num_iters=2)
    sums = alone(data, [np.arange(0, 2 * n), np.arange(2 * n, 4 * n)], merged=2)
    np.testing.assert_allclose(
        merged.network.body.weight.numpy(), sums.body.weight.numpy(), atol=1e-6
    )
    # All samples once, in their order, on every process.
    outputs = model.predict(data, batch_size=BATCH, stack_outputs=True, verbose=0)[0]
    x, y = paddle.to_tensor(data.x), paddle.to_tensor(data.y)
    np.testing.assert_allclose(outputs, net(x).numpy(), atol=1e-5)
    seen = model.evaluate(data, batch_size=BATCH, verbose=0)
    right = (net(x).argmax(-1, keepdim=True) == y).astype('float32').mean()
    np.testing.assert_allclose(seen['acc'], float(right), atol=1e-6)
    own = paddle.io.DataLoader(data, batch_size=SAMPLES)
    np.testing.assert_allclose(model.evaluate(own, verbose=0)['acc'], float(right), atol=1e-6)
    model.save(os.path.join(folder, f'saved{rank}'))
    dist.barrier()
    assert sorted(os.listdir(folder)) == ['saved0.pdopt', 'saved0.pdparams']


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
