# SPDX-License-Identifier: Apache-2.0
"""Threads at once: python test/fuzz/threads.py [--seconds S] [--threads N] [--seed K]    with the
package on PYTHONPATH.

Each thread calls jobs in a random order: eager steps with backward, small ones and such that run
without the interpreter's lock, autocast, compiled functions, predictors, loaders, hooks that
remove, add, raise and enter backward again, modes, and forks. Every job gives numbers that do not
depend on what runs beside it; one that differs, raises or leaves its thread's modes changed is
printed. At the end a process is left while its threads run. Exit status 1 when something failed.
"""

import argparse
import faulthandler
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np

import paddle
from paddle import nn

JOBS = {}


def job(function):
    JOBS[function.__name__] = function
    return function


def values(shape, shift=0.0):
    count = int(np.prod(shape))
    return paddle.to_tensor(
        (np.arange(count) * 7 % 13 / 13 + shift).astype('float32').reshape(shape)
    )


def leaf(*shape):
    x = values(shape)
    x.stop_gradient = False
    return x


@job
def eager():
    x, w = leaf(16, 24), leaf(24, 8)
    for _ in range(3):
        nn.functional.softmax(paddle.tanh(x @ w), -1).square().sum().backward()
    return [x.grad, w.grad]


@job
def autocast():
    x, w = leaf(16, 24), leaf(24, 8)
    with paddle.amp.auto_cast(level='O1', dtype='bfloat16'):
        y = x @ w
        assert y.dtype == paddle.bfloat16, y.dtype
    y.astype('float32').sum().backward()
    return [w.grad]


def body(x, w):
    return (nn.functional.gelu(x @ w) * 0.5).sum(-1)


SHARED = paddle.jit.to_static(body)


@job
def compiled_shared():
    x, w = leaf(8, 24), leaf(24, 8)
    y = SHARED(x, w)
    y.sum().backward()
    return [y, x.grad]


@job
def compiled_anew():
    scale = values([8], 1.0)
    x = leaf(4, 8)
    y = paddle.jit.to_static(lambda v: paddle.exp(v * scale).mean())(x)
    y.backward()
    return [y, x.grad]


@job
def hooks():
    x = leaf(6)
    held = []

    def removes(grad):
        held.pop().remove()
        x.register_hook(lambda g: g * 2)
        return grad

    held.append(x.register_hook(removes))
    y = x * 3

    def enters(grad):
        z = leaf(3)
        (z * z).sum().backward()
        return grad + z.grad.sum()

    y.register_hook(enters)
    y.sum().backward()
    (x * 2).sum().backward()
    broken = x * 1.0
    broken.register_hook(lambda g: 1 / 0)
    try:
        broken.sum().backward()
    except ZeroDivisionError:
        return [x.grad]
    raise AssertionError('a hook raised and nobody was told')


@job
def modes():
    with paddle.no_grad():
        x = leaf(4)
        assert (x * 2).stop_gradient
        with paddle.enable_grad():
            (x * x).sum().backward()
    return [x.grad]


@job
def large():
    """Kernels that run without the interpreter's lock."""
    x, w = leaf(300, 300), leaf(300, 300)
    (paddle.tanh(x @ w) * x + w).sum().backward()
    return [x.grad, w.grad, paddle.sort(x, 0), paddle.cumsum(w, 1)]


@job
def convolution():
    x, w = leaf(4, 3, 40, 40), leaf(16, 3, 3, 3)
    y = nn.functional.conv2d(x, w, padding=1)
    nn.functional.max_pool2d(y, 2).sum().backward()
    return [y, x.grad, w.grad]


@job
def transforms():
    x = values([64, 1024])
    return [
        paddle.fft.irfft(paddle.fft.rfft(x)),
        paddle.linalg.inv(paddle.eye(70) * 2 + x[:, :70].mean()),
    ]


@job
def draws():
    paddle.seed(7)
    assert -0.1 < float(paddle.randn([300, 300]).mean()) < 0.1
    with paddle.profiler.RecordEvent('dropout'):
        kept = float(
            (nn.functional.dropout(paddle.ones([300, 300]), 0.5) != 0).astype('float32').mean()
        )
    assert 0.4 < kept < 0.6, kept
    return []


def predictor():
    """Of a small network, saved and read again."""
    net = nn.Sequential(
        nn.Conv2D(3, 8, 3), nn.BatchNorm2D(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 14 * 14, 10)
    )
    net.eval()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'net')
        paddle.jit.save(
            net, path, input_spec=[paddle.static.InputSpec([None, 3, 16, 16], 'float32', 'x')]
        )
        return paddle.inference.create_predictor(
            paddle.inference.Config(path + '.json', path + '.pdiparams')
        )


PREDICTOR = predictor()


@job
def served():
    own = PREDICTOR.clone()
    return [own.run([values([2 + k % 3, 3, 16, 16])])[0] for k in range(4)]


class Rows(paddle.io.Dataset):
    def __getitem__(self, k):
        return np.full([40], k, 'float32'), k

    def __len__(self):
        return 20


@job
def loading():
    loader = paddle.io.DataLoader(Rows(), batch_size=6, num_workers=0, use_buffer_reader=True)
    return [paddle.concat([x for x, _ in loader]), paddle.concat([k for _, k in loader])]


@job
def sorting():
    x = values([64, 50])
    return [paddle.sort(x, 1), paddle.topk(x, 5)[0], paddle.cumsum(x, 1)]


@job
def forks():
    child = os.fork()
    if child == 0:
        try:
            faulthandler.dump_traceback_later(60, exit=True)
            ok = float(eager()[0].sum()) == EXPECTED_SUM
        except BaseException:  # noqa: BLE001 the child tells by its status
            ok = False
        os._exit(0 if ok else 3)
    _, status = os.waitpid(child, 0)
    assert status == 0, f'a forked child ended with {status}'
    return []


def run(name, wanted):
    got = [t.numpy() for t in JOBS[name]()]
    for one, two in zip(got, wanted):
        np.testing.assert_allclose(one, two, rtol=2e-5, atol=1e-5)
    assert (
        paddle.is_grad_enabled()
        and paddle.in_dynamic_mode()
        and not paddle.amp.is_autocast_enabled()
    )


LEAVE = """
import threading, paddle
f = paddle.jit.to_static(lambda x: paddle.tanh(x @ x).sum())
def work():
    while True:
        for n in 48, 300:
            x = paddle.ones([n, n]); x.stop_gradient = False
            (f(x) + (x @ x).exp().mean()).backward()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
import time; time.sleep(1.0)
"""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--threads', type=int, default=8)
    parser.add_argument('--seed', type=int, default=0)
    options = parser.parse_args()
    faulthandler.enable()
    global EXPECTED_SUM
    EXPECTED_SUM = float(eager()[0].sum())
    wanted = {name: [t.numpy() for t in JOBS[name]()] for name in JOBS}
    end, lock, counts, failed = (
        time.monotonic() + options.seconds,
        threading.Lock(),
        dict.fromkeys(JOBS, 0),
        [],
    )

    def work(seed):
        choose = random.Random(seed)
        while time.monotonic() < end and not failed:
            name = choose.choice(list(JOBS) * 8 if choose.random() < 0.95 else ['forks'])
            if name == 'forks' and choose.random() < 0.9:
                continue
            try:
                run(name, wanted[name])
            except BaseException as error:  # noqa: BLE001 everything is a find
                failed.append((name, seed, repr(error)[:500]))
            with lock:
                counts[name] += 1

    threads = [
        threading.Thread(target=work, args=(options.seed + k,), daemon=True)
        for k in range(options.threads)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(options.seconds + 120)
        if thread.is_alive():
            faulthandler.dump_traceback(all_threads=True)
            failed.append(('hang', options.seed, 'a thread did not end'))
            break
    for _ in range(3):
        left = subprocess.run(
            [sys.executable, '-c', LEAVE], capture_output=True, text=True, timeout=120
        )
        if left.returncode:
            failed.append(('exit', options.seed, f'status {left.returncode}: {left.stderr[-400:]}'))
    for name, seed, text in failed:
        print(f'{name} (seed {seed}): {text}')
    print(
        f'{sum(counts.values())} jobs in {options.threads} threads: {counts}; {len(failed)} '
        f'failures',
        flush=True,
    )
    os._exit(bool(failed))


if __name__ == '__main__':
    main()
