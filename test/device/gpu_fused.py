# SPDX-License-Identifier: Apache-2.0
"""Compiled functions whose operations passes joined, on gpu:0 against the CPU."""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn

paddle.seed(1)
RNG = np.random.RandomState(0)


def products(x, w, b):
    """A bias with relu, one with another activation, one of two dimensions, none."""
    y = F.relu(F.linear(x, w, b))
    y = F.gelu(F.linear(y, w, b))
    y = F.relu(paddle.matmul(y, w, transpose_y=True) + b)
    return paddle.tanh(paddle.matmul(y, w) + b), F.relu(F.linear(x.reshape([2, 3, 6]), w, b))


class Pictures(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x))) + x[:, :1]


def on(place, function, arrays):
    paddle.set_device(place)
    if isinstance(function, nn.Layer):
        function.to(device=place)
    compiled = paddle.jit.to_static(function, full_graph=True)
    tensors = [paddle.to_tensor(a) for a in arrays]
    with paddle.no_grad():
        for _ in range(2):
            out = compiled(*tensors)
    outs = out if isinstance(out, (list, tuple)) else [out]
    assert all(o.place.is_gpu_place() == (place != 'cpu') for o in outs)
    return [o.numpy() for o in outs]


def arrays(*shapes):
    return [RNG.randn(*shape).astype('float32') for shape in shapes]


for make, given in (
    (lambda: products, arrays([6, 6], [6, 6], [6])),
    (Pictures, arrays([2, 3, 8, 8])),
):
    function = make()
    if isinstance(function, nn.Layer):
        function.eval()
    for want, got in zip(on('cpu', function, given), on('gpu:0', function, given)):
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
