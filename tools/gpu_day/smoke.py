# SPDX-License-Identifier: Apache-2.0
"""One operation of each kind on the first GPU: memory, copies, streams, kernels, graphs."""

import numpy as np
import paddle
import paddle.nn.functional as F

cuda = paddle.device.cuda


def near(got, want, bar=1e-5):
    np.testing.assert_allclose(got.numpy(), want, rtol=bar, atol=bar)


def memory(a, x):
    near(x, a, 0)
    assert cuda.memory_allocated() >= a.nbytes and cuda.memory_reserved() >= a.nbytes
    near(x.cpu().pin_memory().cuda(blocking=False) * 2, a * 2, 0)


def kernels(a, x):
    near(x + x, a + a, 0)
    near(paddle.exp(x), np.exp(a))
    near(x.sum(1), a.sum(1), 1e-4)
    near(x.T.clip(-1, 1), a.T.clip(-1, 1), 0)
    e = np.exp(a - a.max(1, keepdims=True))
    near(F.softmax(x), e / e.sum(1, keepdims=True))
    near(x.astype('bfloat16').astype('float32'), a, 1e-2)
    near(x.matmul(x.T), a @ a.T, 1e-3)


def streams(a, x):
    side = paddle.device.Stream()
    side.wait_stream(paddle.device.current_stream())
    start, end = paddle.device.Event(enable_timing=True), paddle.device.Event(enable_timing=True)
    with paddle.device.stream_guard(side):
        start.record()
        y = x * 3
        end.record()
    end.synchronize()
    near(y, a * 3, 0)
    assert start.elapsed_time(end) >= 0


def graphs(a, x):
    y = F.softmax(x * 2)
    graph = cuda.graphs.CUDAGraph()
    graph.capture_begin()
    y = F.softmax(x * 2)
    graph.capture_end()
    graph.replay()
    first = y.numpy()
    x.copy_(x + 1, True)
    graph.replay()
    near(y, first, 1e-5)


def gradients(a, x):
    w = paddle.to_tensor(a)
    w.stop_gradient = False
    (paddle.tanh(w) * 2).sum().backward()
    near(w.grad, 2 * (1 - np.tanh(a) ** 2), 1e-4)


if __name__ == '__main__':
    from paddle.device.cuda import graphs as _  # noqa: F401

    place = paddle.set_device('gpu')
    found = cuda.get_device_properties()
    wrong = []
    for check in (memory, kernels, streams, graphs, gradients):
        a = np.random.default_rng(1).standard_normal((64, 96)).astype('float32')
        try:
            check(a, paddle.to_tensor(a))
            print('ok', check.__name__)
        except Exception as error:  # the rest is still wanted
            wrong.append(check.__name__)
            print('WRONG', check.__name__, type(error).__name__, str(error)[:600])
    print(found.name, f'{found.major}.{found.minor}', found.total_memory, 'wrong:', wrong or 'none')
    raise SystemExit(bool(wrong))
