# SPDX-License-Identifier: Apache-2.0
"""Backward inside backward, no_grad_vars, threads: engine runs that share nodes, with values of the
published package.
"""

import sys
import threading
import time

import numpy as np
import pytest

import paddle
from paddle.autograd import PyLayer
from sanitizers import SANITIZER


def leaf(*values):
    return paddle.to_tensor(np.array(values, 'float64'), stop_gradient=False)


def test_no_grad_vars_block_arriving_gradients():
    x = leaf(2.0)
    y = x * x
    assert float(paddle.grad([y * x], [x], no_grad_vars=[y])[0]) == 4.0
    a, b = paddle.unbind(paddle.stack([x, x * x]))
    assert float(paddle.grad([a * b], [x], no_grad_vars=[a])[0]) == 8.0
    y = x * x
    assert (
        float(paddle.grad([y], [x], no_grad_vars=[y])[0]) == 4.0
    )  # the gradient of a root is given, it does not arrive


def test_no_grad_vars_of_an_input():
    x, w = leaf(2.0), leaf(3.0)
    z = x * w * w
    got = paddle.grad([z], [x, w], no_grad_vars={w}, allow_unused=True, retain_graph=True)
    assert float(got[0]) == 9.0 and got[1] is None
    with pytest.raises(ValueError, match='allow_unused'):
        paddle.grad([z], [x, w], no_grad_vars=w, retain_graph=True)
    with pytest.raises(AssertionError):
        paddle.grad([z], [x], no_grad_vars=3)


def test_hooks_see_the_gradient_mode_of_the_caller():
    x = leaf(2.0)
    y = x * x

    def hook(g):
        a = leaf(3.0)
        (a * a).backward()
        return g * a.grad

    y.register_hook(hook)
    y.backward()
    assert float(x.grad) == 24.0
    modes = []
    y = x * x
    y.register_hook(lambda g: modes.append(paddle.is_grad_enabled()))
    with paddle.no_grad():
        y.backward()
    assert modes == [False]


def test_backward_of_the_running_graph_in_a_hook():
    x = leaf(2.0)
    y = x * x
    z = y * y
    calls = []

    def hook(g):
        calls.append(1)
        if len(calls) == 1:
            y.backward(retain_graph=True)
        return g

    y.register_hook(hook)
    z.backward()
    assert float(x.grad) == 36.0 and len(calls) == 2


def test_grad_of_the_running_graph_in_a_hook():
    x = leaf(2.0)
    z = (x * x) * (x * x)
    got = []
    scaled = z * 3
    scaled.register_hook(lambda g: got.append(float(paddle.grad([z], [x], retain_graph=True)[0])))
    scaled.backward()
    assert got == [32.0] and float(x.grad) == 96.0


def test_inner_backward_wants_what_the_outer_pruned():
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    z = y * y
    done = []

    def hook(g):
        if not done:
            done.append(1)
            z.backward(retain_graph=True)
        return g

    y.register_hook(hook)
    (outer,) = paddle.grad([z], [x], retain_graph=True)
    assert (float(outer), float(x.grad), float(w.grad)) == (36.0, 36.0, 24.0)


def test_backward_freed_inside_a_hook_raises():
    x = leaf(2.0)
    y = x * x
    calls = []

    def hook(g):
        calls.append(1)
        if len(calls) == 1:
            y.backward()

    y.register_hook(hook)
    with pytest.raises(SystemError, match='retain_graph'):
        (y * y).backward()
    x.clear_grad()
    (x * x).backward()  # the failed run left nothing behind
    assert float(x.grad) == 4.0


def test_recursive_pylayer():
    class Twice(PyLayer):
        @staticmethod
        def forward(ctx, a, depth):
            ctx.a, ctx.depth = a, depth
            return a * 2

        @staticmethod
        def backward(ctx, g):
            if ctx.depth == 0:
                return g * 2
            with paddle.enable_grad():
                inner = ctx.a.detach()
                inner.stop_gradient = False
                Twice.apply(inner, ctx.depth - 1).backward(g)
            return inner.grad

    x = leaf(2.0)
    Twice.apply(x, 20).backward()
    assert float(x.grad) == 2.0


def test_threads_share_leaves():
    w = paddle.to_tensor(np.full((300, 300), 0.01), stop_gradient=False)
    sums = []

    def work():
        for _ in range(10):
            y = w
            for _ in range(3):
                y = paddle.matmul(y, w) + w
            sums.append(float(paddle.grad([y.sum()], [w])[0].sum()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(sums) == 40 and len(set(sums)) == 1


def _sgd(x):
    rate, grad = paddle.to_tensor([0.5]), x.clone()
    return lambda: paddle._C_ops.sgd_(x, rate, grad, None, False)


@pytest.mark.parametrize(
    'operation, least, of',
    [
        (lambda x: lambda: paddle.matmul(x, x), 15, 20),
        (lambda x: lambda: x.tanh_(), 1, 2000),
        (_sgd, 1, 2000),
        (
            lambda x: (
                lambda y=x.reshape([1, 1, *x.shape]), m=paddle.zeros([1]), v=paddle.ones([1]): (
                    paddle.nn.functional.batch_norm(y, m, v, training=True)
                )
            ),
            1,
            2000,
        ),
    ],
    ids=['matmul', 'tanh_', 'sgd_', 'batch_norm'],
)
def test_long_operations_let_other_threads_run(operation, least, of):
    # An operation of a millisecond ends before the other thread gets a processor, but for now and
    # then.
    operation = operation(paddle.ones([1500, 1500]))
    running, counts = threading.Event(), [0]
    stop = threading.Event()

    def count():
        running.set()
        while not stop.is_set():
            counts[0] += 1
            time.sleep(0)

    counter = threading.Thread(target=count)
    interval = sys.getswitchinterval()
    counter.start()
    running.wait()
    sys.setswitchinterval(100)  # a thread gives the lock up only by itself
    try:
        moved = 0
        for _ in range(of):
            before = counts[0]
            operation()
            moved += counts[0] != before
            if moved == least:
                break
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        counter.join()
    assert moved >= least


RACES = pytest.mark.skipif(
    SANITIZER == 'thread',
    reason='numbers of the program race here; what is tested is that their memory lives',
)


@RACES
def test_rebinding_while_another_thread_reads():
    x = paddle.ones([400, 400])
    errors = []

    def read():
        try:
            for _ in range(60):
                paddle.matmul(x, x)
                paddle.exp(x)
                paddle.nn.functional.softmax(x)
        except Exception as error:
            errors.append(error)

    def write():
        for k in range(60):
            x.set_value(paddle.full([400, 400], float(k % 3)))
            x.add_(paddle.ones([400, 400]))
            paddle._C_ops.sgd_(x, rate, x.clone(), None, False)

    rate = paddle.to_tensor([0.5])
    threads = [
        threading.Thread(target=read),
        threading.Thread(target=read),
        threading.Thread(target=write),
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors


@RACES
@pytest.mark.parametrize('kind', ['compiled', 'predictor'])
def test_rebinding_while_a_program_runs(kind, tmp_path):
    class Powers(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.factor = self.create_parameter(
                [1], default_initializer=paddle.nn.initializer.Constant(0.5)
            )

        def forward(self, x):
            y = x
            for _ in range(6):
                y = paddle.tanh(paddle.matmul(y, x)) * self.factor
            return y.sum()

    run = paddle.jit.to_static(Powers())
    x, values = paddle.ones([1]), [paddle.full([n, n], 1 / n) for n in (2, 600)]
    if kind == 'predictor':
        paddle.jit.save(
            run,
            str(tmp_path / 'powers'),
            input_spec=[paddle.static.InputSpec([None, None], 'float32')],
        )
        files = [str(tmp_path / f'powers.{end}') for end in ('json', 'pdiparams')]
        model = paddle.inference.create_predictor(paddle.inference.Config(*files))
        run = lambda x: model.run([x])[0]  # noqa: E731
    wanted, results = [], []
    for value in values:
        x.data = value
        run(x)
        begin = time.monotonic()
        wanted.append(np.asarray(run(x)).item())
        seconds = time.monotonic() - begin
    for _ in range(8):
        x.data = values[1].clone()
        reader = threading.Thread(target=lambda: results.append(np.asarray(run(x)).item()))
        reader.start()
        time.sleep(seconds / 2)
        x.data = values[0]
        reader.join()
    assert len(results) == 8 and set(results) <= set(wanted)
