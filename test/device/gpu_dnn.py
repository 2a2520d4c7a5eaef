# SPDX-License-Identifier: Apache-2.0
"""Convolutions and their gradients on gpu:0 by cuDNN's double, against float64 on the CPU: the
largest error of each case as gpu_products.py counts it, as JSON. Arguments: dtypes; `few` for three
cases of each, twice.
"""

import json
import sys

import numpy as np
import paddle
import paddle.nn.functional as F
from gpu_products import convolutions, error, on


def misaligned(dtype):
    """Parts of tensors that begin between multiples of 16 bytes."""
    rng = np.random.RandomState(2)
    arrays = [rng.rand(3, 3, 5, 5), rng.rand(4, 3, 3, 3)]
    return error(dtype, arrays, lambda x, w: F.conv2d(x[1:], w, padding=1))


def captured():
    """Of a convolution that is known and one that is not, in a graph, and on a stream of its own:
    what the graph and the stream made, less what they should have.
    """
    paddle.set_device('gpu:0')
    x, w, other = paddle.ones([1, 2, 6, 6]), paddle.ones([3, 2, 3, 3]), paddle.ones([3, 2, 2, 2])
    F.conv2d(x, w)
    graph = paddle.device.cuda.graphs.CUDAGraph()
    graph.capture_begin()
    known, new = F.conv2d(x, w), F.conv2d(x, other)
    graph.capture_end()
    x.fill_(2.0)
    graph.replay()
    yield float(paddle.abs(known - 36).max()) + float(paddle.abs(new - 16).max())
    with paddle.device.stream_guard(paddle.device.Stream()):
        y = F.conv2d(x, w)
        paddle.device.synchronize()
    yield float(paddle.abs(y - 36).max())


if __name__ == '__main__':
    few = 'few' in sys.argv
    found = {}
    for dtype in (a for a in sys.argv[1:] if a != 'few'):
        for name, arrays, function in convolutions(dtype):
            if not few or name in ('plain', 'groups', 'last'):
                for _ in range(1 + few):
                    found[f'{name}-{dtype}'] = error(dtype, arrays, function)
        if not few:
            found[f'misaligned-{dtype}'] = misaligned(dtype)
    if not few:
        found |= {f'captured-{k}': e for k, e in enumerate(captured())}
    nothing = [np.ones([0, 2, 4, 4]), np.ones([3, 2, 2, 2])]
    assert on('gpu:0', 'float32', nothing, F.conv2d).size == 0
    print(json.dumps(found))
