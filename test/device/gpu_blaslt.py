# SPDX-License-Identifier: Apache-2.0
"""Products of matrices on gpu:0 by cuBLASLt's double, against numpy."""

import numpy as np
import paddle
import paddle.nn.functional as F

paddle.set_device('gpu:0')
RNG = np.random.RandomState(5)
BARS = {'float32': 2e-6, 'float64': 1e-14, 'float16': 2e-3, 'bfloat16': 1.6e-2}


def check(function, arrays, dtype='float32', want=None):
    tensors = [paddle.to_tensor(a).astype(dtype) for a in arrays]
    rounded = [t.astype('float64').numpy() for t in tensors]
    got = function(*tensors)
    assert got.place.is_gpu_place()
    want = (want or function)(*(rounded if want else map(paddle.to_tensor, rounded)))
    want = np.asarray(want)
    error = np.abs(got.astype('float64').numpy() - want).max()
    assert error <= BARS[dtype] * (1 + np.abs(want).max()), (error, dtype)


for dtype in BARS:
    for m, n, k in ((1, 1, 1), (7, 5, 3), (33, 16, 40), (64, 1, 9), (1, 64, 9)):
        for tx in (False, True):
            for ty in (False, True):
                x = RNG.randn(*((k, m) if tx else (m, k)))
                y = RNG.randn(*((n, k) if ty else (k, n)))
                check(
                    lambda a, b: paddle.matmul(a, b, tx, ty),
                    [x, y],
                    dtype,
                    lambda a, b: (a.T if tx else a) @ (b.T if ty else b),
                )
    check(paddle.matmul, [RNG.randn(3, 4, 6), RNG.randn(3, 6, 5)], dtype, np.matmul)
    check(paddle.matmul, [RNG.randn(3, 4, 6), RNG.randn(6, 5)], dtype, np.matmul)
    check(paddle.matmul, [RNG.randn(2, 1, 4, 6), RNG.randn(3, 6, 5)], dtype, np.matmul)
    check(
        F.linear, [RNG.randn(7, 6), RNG.randn(6, 8), RNG.randn(8)], dtype, lambda x, w, b: x @ w + b
    )

# Complex numbers, and the gradients of their products.
for dtype, bar in (('complex64', 2e-6), ('complex128', 1e-14)):
    for shapes in (
        ((7, 5), (5, 3)),
        ((1, 9), (9, 64)),
        ((3, 4, 6), (3, 6, 5)),
        ((3, 4, 6), (6, 5)),
    ):
        a, b = ((RNG.randn(*s) + 1j * RNG.randn(*s)).astype(dtype) for s in shapes)
        for turn in (False, True):
            x, y = paddle.to_tensor(a), paddle.to_tensor(b.swapaxes(-1, -2) if turn else b)
            x.stop_gradient = y.stop_gradient = False
            out = paddle.matmul(x, y, transpose_y=turn)
            assert out.place.is_gpu_place() and str(out.dtype) == f'paddle.{dtype}'
            want = a @ b
            assert np.abs(out.numpy() - want).max() <= bar * (1 + np.abs(want).max())
            weight = (RNG.randn(*want.shape) + 1j * RNG.randn(*want.shape)).astype(dtype)
            out.backward(paddle.to_tensor(weight))
            want = weight @ b.conj().swapaxes(-1, -2)
            assert np.abs(x.grad.numpy() - want).max() <= bar * (1 + np.abs(want).max())

# Views: rows of another length, parts that begin anywhere, gaps in both axes.
x, y = RNG.randn(10, 12), RNG.randn(12, 9)
check(
    lambda a, b: paddle.matmul(a[1:7, 2:9], b[3:10]),
    [x, y],
    want=lambda a, b: a[1:7, 2:9] @ b[3:10],
)
check(lambda a, b: paddle.matmul(a[:, ::2], b[::2]), [x, y], want=lambda a, b: a[:, ::2] @ b[::2])
check(lambda a, b: paddle.matmul(a.t(), a[:, :5]), [x, y], want=lambda a, b: a.T @ a[:, :5])

net = paddle.nn.Linear(6, 4)
x = paddle.to_tensor(RNG.randn(5, 6).astype('float32'), stop_gradient=False)
(net(x) ** 2).sum().backward()
w, b = net.weight.numpy(), net.bias.numpy()
g = 2 * (x.numpy() @ w + b)
np.testing.assert_allclose(net.weight.grad.numpy(), x.numpy().T @ g, rtol=1e-4, atol=1e-5)
np.testing.assert_allclose(x.grad.numpy(), g @ w.T, rtol=1e-4, atol=1e-5)

# The same product again asks nothing, and can be part of a graph.
a, b = paddle.ones([16, 8]), paddle.ones([8, 24])
paddle.matmul(a, b)
print('from here')
graph = paddle.device.cuda.graphs.CUDAGraph()
graph.capture_begin()
c = paddle.matmul(a, b)
graph.capture_end()
a.fill_(2.0)
graph.replay()
assert c.min().item() == c.max().item() == 16.0
for _ in range(3):
    paddle.matmul(a, b)
