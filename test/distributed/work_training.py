# SPDX-License-Identifier: Apache-2.0
"""What the ranks of test_data_parallel.py do."""

import warnings

import numpy as np
import pytest

import paddle
import paddle.distributed as dist
from paddle import nn


class Net(nn.Layer):
    def __init__(self, unused=False):
        super().__init__()
        self.body = nn.Sequential(*[nn.Linear(16, 16) for _ in range(6)])
        self.head = nn.Linear(16, 4)
        self.spare = nn.Linear(16, 4) if unused else None

    def forward(self, x, spare=False):
        for layer in self.body:
            x = nn.functional.relu(layer(x)) + x
        return self.spare(x) if spare else self.head(x)


def batch(step, n):
    """The joined batch of all ranks, and each rank's part."""
    x = np.random.RandomState(step).randn(4 * n, 16).astype('float32')
    return x, [x[4 * r : 4 * r + 4] for r in range(n)]


def start():
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        dist.init_parallel_env()
    return dist.get_rank(), dist.get_world_size()


def gradients(layer):
    return {k: None if p.grad is None else p.grad.numpy() for k, p in layer.named_parameters()}


def alike():
    """Losses and weights are those of one process with the joined batch."""
    rank, n = start()
    paddle.seed(rank)  # rank 0's weights count
    model = paddle.DataParallel(Net(), comm_buffer_size=1e-3, last_comm_buffer_size=1e-4)
    assert len(model._reducer._buckets) > 3
    alone = Net()
    alone.set_state_dict(model.state_dict())
    steps = [paddle.optimizer.AdamW(1e-2, parameters=m.parameters()) for m in (model, alone)]
    for step in range(5):
        whole, parts = batch(step, n)
        loss = model(paddle.to_tensor(parts[rank])).square().mean()
        loss.backward()
        expected = alone(paddle.to_tensor(whole)).square().mean()
        expected.backward()
        for (name, a), b in zip(gradients(model._layers).items(), gradients(alone).values()):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6, err_msg=name)
        dist.all_reduce(loss, dist.ReduceOp.AVG)
        assert abs(float(loss) - float(expected)) < 1e-5
        for optimizer in steps:
            optimizer.step()
            optimizer.clear_grad()
    for a, b in zip(model.parameters(), alone.parameters()):
        np.testing.assert_allclose(a.numpy(), b.numpy(), atol=2e-5)
        everyone = []
        dist.all_gather(everyone, a)
        assert all(np.array_equal(t.numpy(), a.numpy()) for t in everyone)


def tables():
    """Gradients of tables stay the rows that some rank looked up; those beside them are whole."""
    rank, n = start()
    paddle.seed(4)
    table, head = nn.Embedding(9, 4, sparse=True), nn.Linear(4, 2)
    spare = nn.Embedding(5, 4, sparse=True)
    net = nn.LayerList([table, head, spare])

    class Words(nn.Layer):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, ids, too=False):
            x = self.net[0](ids)
            return self.net[1](x + self.net[2](ids % 5) if too else x)

    model = paddle.DataParallel(Words(), find_unused_parameters=True)
    before = table.weight.numpy()

    def gradients_of(ids, too):
        """Of one process with the ids of all ranks."""
        sums = {}
        for r, given in enumerate(ids):
            model._layers(paddle.to_tensor(given), too[r]).square().sum().backward()
        for key, p in model.named_parameters():
            sums[key] = None if p.grad is None else p.grad.to_dense().numpy() / n
            p.clear_gradient()
        return sums

    def check(ids, too, looked_up):
        with model.no_sync():
            want = gradients_of(ids, too)
        model(paddle.to_tensor(ids[rank]), too[rank]).square().sum().backward()
        for key, p in model.named_parameters():
            if want[key] is None:
                assert p.grad is None, key
                continue
            np.testing.assert_allclose(p.grad.to_dense().numpy(), want[key], rtol=1e-5, atol=1e-6)
        rows, values, height = table.weight.grad._rows_parts()
        assert height == 9 and sorted(rows.tolist()) == looked_up, rows
        assert values.shape == [len(looked_up), 4]

    check([[1, 1, 3], [8]], [False, False], [1, 3, 8])
    for p in model.parameters():
        p.clear_gradient()
    check([[2], [2, 0]], [False, True], [0, 2, 2])
    optimizer = paddle.optimizer.Adam(0.1, parameters=model.parameters(), lazy_mode=True)
    optimizer.step()
    everyone = []
    dist.all_gather(everyone, table.weight)
    assert all((t.numpy() == table.weight.numpy()).all() for t in everyone)
    changed = (table.weight.numpy() != before).any(axis=1)
    assert changed.tolist() == [i in (0, 2) for i in range(9)]


def accumulating():
    """Without synchronisation gradients stay apart; the next backward averages their sum."""
    rank, n = start()
    paddle.seed(1)
    model = paddle.DataParallel(Net())
    alone = Net()
    alone.set_state_dict(model.state_dict())
    first, second = batch(1, n), batch(2, n)
    with model.no_sync():
        model(paddle.to_tensor(first[1][rank])).square().mean().backward()
    local = model._layers.head.bias.grad.numpy()
    everyone = []
    dist.all_gather(everyone, paddle.to_tensor(local))
    assert not np.array_equal(everyone[0].numpy(), everyone[1].numpy())
    model(paddle.to_tensor(second[1][rank])).square().mean().backward()
    for whole, _ in (first, second):
        alone(paddle.to_tensor(whole)).square().mean().backward()
    for (name, a), b in zip(gradients(model._layers).items(), gradients(alone).values()):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6, err_msg=name)
    model.clear_gradients()
    with model.no_sync():
        model(paddle.to_tensor(first[1][rank])).square().mean().backward()
    model.apply_collective_grads()
    alone.clear_gradients()
    alone(paddle.to_tensor(first[0])).square().mean().backward()
    np.testing.assert_allclose(
        model._layers.head.bias.grad.numpy(), alone.head.bias.grad.numpy(), rtol=1e-4, atol=1e-6
    )


def unused():
    rank, n = start()
    paddle.seed(1)
    model = paddle.DataParallel(Net(unused=True), find_unused_parameters=True)
    x = paddle.to_tensor(batch(1, n)[1][rank])
    model(x).mean().backward()
    assert model._layers.spare.weight.grad is None and model._layers.head.weight.grad is not None
    model.clear_gradients()
    # One rank uses it: the others take part with zeros.
    model(x, spare=rank == 0).mean().backward()
    grad = model._layers.spare.bias.grad.numpy()
    np.testing.assert_allclose(grad, np.full([4], 0.25 / n), rtol=1e-5)
    np.testing.assert_allclose(
        model._layers.head.bias.grad.numpy(), np.full([4], 0.25 * (n - 1) / n), rtol=1e-5
    )
    strict = paddle.DataParallel(Net(unused=True))
    with pytest.raises(RuntimeError, match='got none of spare.weight, spare.bias'):
        strict(x).mean().backward()
    dist.barrier()


def normalising():
    """Batch normalisation over all ranks: outputs, gradients and statistics of the joined batch."""
    rank, n = start()
    for shape, data_format in (([6, 5, 3, 3], 'NCHW'), ([6, 3, 3, 5], 'NHWC'), ([6, 5], 'NC')):
        whole = np.random.RandomState(3).randn(*shape).astype('float32') * 3 + 1
        parts = np.array_split(whole, [1], 0) if n == 2 else np.array_split(whole, n, 0)
        paddle.seed(5)
        alone = nn.BatchNorm2D(5, data_format=data_format) if len(shape) == 4 else nn.BatchNorm1D(5)
        weight = paddle.to_tensor(np.linspace(0.5, 2, 5).astype('float32'))
        alone.weight.set_value(weight)
        sync = nn.SyncBatchNorm(5, data_format=data_format)
        sync.weight.set_value(weight)
        x, part = paddle.to_tensor(whole), paddle.to_tensor(parts[rank])
        x.stop_gradient = part.stop_gradient = False
        scale = paddle.to_tensor(np.random.RandomState(4).randn(*shape).astype('float32'))
        scales = (
            np.array_split(scale.numpy(), [1], 0) if n == 2 else np.array_split(scale.numpy(), n, 0)
        )
        begin = sum(len(p) for p in parts[:rank])
        out, expected = sync(part), alone(x)
        (out * paddle.to_tensor(scales[rank])).sum().backward()
        (expected * scale).sum().backward()
        mine = slice(begin, begin + len(parts[rank]))
        np.testing.assert_allclose(out.numpy(), expected.numpy()[mine], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(part.grad.numpy(), x.grad.numpy()[mine], rtol=1e-3, atol=1e-5)
        for a, b in ((sync.weight, alone.weight), (sync.bias, alone.bias)):
            total = a.grad.clone()
            dist.all_reduce(total)
            np.testing.assert_allclose(total.numpy(), b.grad.numpy(), rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(sync._mean.numpy(), alone._mean.numpy(), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(
            sync._variance.numpy(), alone._variance.numpy(), rtol=1e-4, atol=1e-6
        )
        sync.eval()
        alone.eval()
        np.testing.assert_allclose(sync(part).numpy(), alone(x).numpy()[mine], rtol=1e-4, atol=1e-5)
