# SPDX-License-Identifier: Apache-2.0
"""What ranks do for test_windows.py: convolutions of divided images, against whole ones."""

import json
import os
import re
import sys
import tempfile

import numpy as np
from placed import check, distributed, numbers

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate, Shard
from paddle.nn import functional


def _divided(function, values, mesh, placements):
    """Right, with gradients, and the result is divided as the images are."""
    whole = [Replicate()] * mesh.ndim
    check(function, values, mesh, [(placements, *[whole] * (len(values) - 1))])
    out = function(
        distributed(values[0], mesh, placements), *(distributed(v, mesh, whole) for v in values[1:])
    )
    assert out.placements == placements, (placements, out.placements)


def convolutions():
    """Kernels, strides, paddings, dilations and widths that parts do not divide evenly."""
    mesh = dist.ProcessMesh(np.arange(dist.get_world_size()))
    for kernel, stride, padding, dilation, width in (
        (1, 1, 0, 1, 13),
        (3, 1, 1, 1, 16),
        (3, 2, 1, 1, 17),
        (5, 1, 2, 1, 9),
        (2, 3, 0, 1, 23),
        (1, 2, 0, 1, 22),
        (3, 1, [1, 1, 4, 0], 2, 14),
        (7, 2, 3, 1, 15),
        (4, 1, 'SAME', 3, 12),
        (3, 2, 'SAME', 1, 11),
        (3, 1, 'VALID', 1, 12),
        (9, 1, 4, 1, 8),  # wider than a part: columns come from neighbours of neighbours
    ):
        for form, images in (('NCHW', [2, 4, 10, width]), ('NHWC', [2, 10, width, 4])):
            _divided(
                lambda x, w, b: functional.conv2d(
                    x, w, b, stride, padding, dilation, 2, data_format=form
                ),
                [numbers(images), numbers([6, 2, min(kernel, 4), kernel], 1), numbers([6], 2)],
                mesh,
                [Shard(images.index(width, 1))],
            )
    for n, form, images in (
        (1, 'NCL', [2, 3, 14]),
        (1, 'NLC', [2, 14, 3]),
        (3, 'NCDHW', [1, 3, 5, 4, 14]),
        (3, 'NDHWC', [1, 5, 4, 14, 3]),
    ):
        conv = {1: functional.conv1d, 3: functional.conv3d}[n]
        _divided(
            lambda x, w: conv(x, w, padding=1, data_format=form),
            [numbers(images), numbers([2, 3, *[3] * n], 1)],
            mesh,
            [Shard(images.index(14))],
        )
    _divided(  # one filter a channel
        lambda x, w: functional.conv2d(x, w, padding=1, groups=4),
        [numbers([2, 4, 6, 11]), numbers([4, 1, 3, 3], 1)],
        mesh,
        [Shard(3)],
    )
    # Too few columns: whole images, and right.
    image = distributed(numbers([1, 1, 4, 3]), mesh, [Shard(3)])
    weight = distributed(numbers([1, 1, 1, 3], 1), mesh, [Replicate()])
    out = functional.conv2d(image, weight)
    assert out.placements == [Replicate()] and out.shape == [1, 1, 4, 1]


def poolings():
    """Maxima and means, with padding that counts or not, and ends that windows do not reach."""
    mesh = dist.ProcessMesh(np.arange(dist.get_world_size()))
    for kernel, stride, padding, ceil, width in (
        (2, 2, 0, False, 16),
        (3, 1, 1, False, 13),
        (3, 2, 1, False, 17),
        (3, 2, 1, True, 18),
        (2, 3, 0, True, 23),
        (5, 1, 2, False, 8),  # wider than a part
    ):
        for form, images in (('NCHW', [2, 4, 10, width]), ('NHWC', [2, 10, width, 4])):
            sizes = {'kernel_size': [2, kernel], 'stride': [1, stride], 'padding': [0, padding]}
            options = {**sizes, 'ceil_mode': ceil, 'data_format': form}
            calls = [
                lambda x: functional.max_pool2d(x, **options),
                lambda x: functional.avg_pool2d(x, **options, exclusive=True),
            ]
            if not ceil:
                calls.append(lambda x: functional.avg_pool2d(x, **options, exclusive=False))
            for call in calls:
                _divided(call, [numbers(images)], mesh, [Shard(images.index(width, 1))])
    _divided(lambda x: functional.avg_pool1d(x, 3, 2, 1), [numbers([2, 3, 14])], mesh, [Shard(2)])
    _divided(lambda x: functional.max_pool3d(x, 2), [numbers([1, 3, 4, 4, 14])], mesh, [Shard(4)])
    _divided(
        lambda x: functional.max_pool2d(x, 3, 1, 'SAME'), [numbers([1, 2, 5, 11])], mesh, [Shard(3)]
    )
    # Windows that depend on the whole extent: whole images, and right.
    for call in (
        lambda x: functional.adaptive_avg_pool2d(x, [3, 4]),
        lambda x: functional.avg_pool2d(x, 3, 2, 1, ceil_mode=True, exclusive=False),
        lambda x: functional.max_pool2d(x, 2, return_mask=True)[0],
    ):
        check(call, [numbers([1, 2, 6, 10])], mesh, [([Shard(3)],)])


def batch_norms():
    """Statistics are those of the whole, whatever is divided, and no process has the whole."""
    n = dist.get_world_size()
    mesh = dist.ProcessMesh(np.arange(n))
    scale, bias = numbers([4], 1), numbers([4], 2)
    for form, images in (('NCHW', [5, 4, 3, 7]), ('NHWC', [5, 3, 7, 4])):
        for axis in range(4):
            for placed in (False, True):  # the statistics
                for training in (True, False):

                    def run(x, w, b):
                        first = [numbers([4], 3), np.abs(numbers([4], 4)) + 0.5]
                        if placed and x.is_dist():
                            kept = [distributed(v, mesh, [Replicate()]) for v in first]
                        else:
                            kept = [paddle.to_tensor(v) for v in first]
                        out = functional.batch_norm(
                            x, *kept, w, b, training=training, momentum=0.7, data_format=form
                        )
                        seen.append([k.numpy() for k in kept])
                        return out

                    seen = []
                    _divided(run, [numbers(images), scale, bias], mesh, [Shard(axis)])
                    for mean, variance in seen[1:]:
                        np.testing.assert_allclose(mean, seen[0][0], rtol=1e-5)
                        np.testing.assert_allclose(variance, seen[0][1], rtol=1e-5)
    x = distributed(numbers([2 * n, 4, 8, 8]), mesh, [Shard(0)])
    layer = paddle.nn.BatchNorm2D(4)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'trace.json')
        with paddle.profiler.Profiler(targets=[paddle.profiler.ProfilerTarget.CPU]) as profiler:
            layer(x)
        profiler.export(path, 'json')
        with open(path) as file:
            events = json.load(file)['traceEvents']
    moved = [re.search(r'\((\d+) bytes\)', e['name']) for e in events]
    moved = [int(m[1]) for m in moved if m]
    assert moved and sum(moved) < 1000, moved


def grids():
    """Batches, rows and columns divided at once, on meshes of several axes."""
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], ['dp', 'mp'])
    values = [numbers([4, 3, 9, 10]), numbers([2, 3, 3, 3], 1)]
    for placements in (
        [Shard(0), Shard(3)],
        [Shard(3), Shard(0)],
        [Shard(2), Shard(3)],
        [Shard(3), Shard(2)],
        [Shard(3), Shard(3)],
        [Replicate(), Shard(2)],
    ):
        _divided(
            lambda x, w: functional.conv2d(x, w, stride=[1, 2], padding=1), values, mesh, placements
        )


def gradients_of_gradients():
    mesh = dist.ProcessMesh([0, 1])

    def penalty(x, w):
        out = functional.conv2d(x, w, padding=2, stride=2)
        (g,) = paddle.grad((out * out).sum(), [x], create_graph=True)
        return (g**3).sum()

    values = [numbers([2, 2, 5, 9]), numbers([3, 2, 3, 5], 1)]
    found = []
    for place in (paddle.to_tensor, lambda v: distributed(v, mesh, [Shard(3)] * (v.ndim > 0))):
        x = place(values[0])
        w = paddle.to_tensor(values[1])
        if x.is_dist():
            w = distributed(values[1], mesh, [Replicate()])
        x.stop_gradient = w.stop_gradient = False
        penalty(x, w).backward()
        found.append([x.grad.numpy(), w.grad.numpy()])
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-3)


class _Network(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first = paddle.nn.Conv2D(3, 6, 3, padding=1)
        self.norm = paddle.nn.BatchNorm2D(6)
        self.second = paddle.nn.Conv2D(6, 8, 5, stride=2, padding='SAME')
        self.pool = paddle.nn.AdaptiveAvgPool2D(1)
        self.head = paddle.nn.Linear(8, 5)

    def forward(self, x):
        x = functional.relu(self.norm(self.first(x)))
        x = self.pool(functional.relu(self.second(x)))
        return self.head(x.flatten(1))


def _losses(mesh, compiled):
    paddle.seed(3)
    model = _Network()
    optimizer = paddle.optimizer.Momentum(0.05, parameters=model.parameters())
    if mesh is not None:
        plan = {'first|second': dist.ConvParallel()}
        config = {'mp_config': {'parallelize_plan': plan}}
        model, optimizer = dist.parallelize(model, optimizer, mesh, config)
    step = model
    if compiled:
        step = paddle.jit.to_static(model, full_graph=True)
    seen, losses = [], []
    hook = model.second.register_forward_post_hook(lambda _, __, out: seen.append(out.placements))
    for i in range(5):
        x, y = paddle.to_tensor(numbers([4, 3, 9, 13], i)), paddle.to_tensor([0, 1, 2, 4])
        if mesh is not None:
            batch = [Shard(0) if name == 'dp' else Replicate() for name in mesh.dim_names]
            x, y = dist.shard_tensor(x, mesh, batch), dist.shard_tensor(y, mesh, batch)
        loss = functional.cross_entropy(step(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    hook.remove()
    return losses, seen


def training(compiled='0'):
    """A network of a plan, on a mesh of columns and one of batches and columns."""
    alone, _ = _losses(None, False)
    count = dist.get_world_size()
    meshes = [dist.ProcessMesh(np.arange(count), ['mp'])]
    if count == 4:
        meshes.append(dist.ProcessMesh([[0, 1], [2, 3]], ['dp', 'mp']))
    for mesh in meshes:
        losses, seen = _losses(mesh, compiled == '1')
        np.testing.assert_allclose(losses, alone, rtol=1e-5)
        assert all(places[-1] == Shard(3) for places in seen), seen


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
