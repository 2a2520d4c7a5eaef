# SPDX-License-Identifier: Apache-2.0
"""Modes belong to the thread that enters them, and end with their block whatever happens in it:
also where the exception of a signal handler comes."""

import gc
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest
from paddle.base import libpaddle as core
from sanitizers import SANITIZER

import paddle


def modes():
    """What operations depend on now."""
    return (
        paddle.is_grad_enabled(),
        paddle.in_dynamic_mode(),
        paddle.amp.is_autocast_enabled(),
        core.pir._record_mode(),
        paddle.get_default_dtype(),
    )


PLAIN = (True, True, False, 0, 'float32')


class Interrupted(Exception):
    """What the signal handler raises."""


LINEAR = paddle.nn.Linear(4, 4)


def record_full():
    """A first call that records the function."""
    paddle.jit.to_static(lambda x: paddle.nn.functional.relu(LINEAR(x)) + x, full_graph=True)(
        paddle.ones([2, 4])
    )


def record_tape():
    """A first call that runs and is recorded after it."""
    paddle.jit.to_static(lambda x: paddle.nn.functional.relu(LINEAR(x)) + x)(paddle.ones([2, 4]))


def autocast():
    """Nested casts."""
    for _ in range(30):
        with paddle.amp.auto_cast(dtype='bfloat16'), paddle.amp.auto_cast(enable=False):
            paddle.ones([2]) + 1


@paddle.no_grad()
def _decorated():
    return paddle.ones([2]) + 1


def gradient_modes():
    """Modes of gradients in all forms."""
    for _ in range(30):
        with paddle.no_grad(), paddle.enable_grad():
            _decorated()


def program():
    """Operations recorded into a program, and run beside it."""
    main = paddle.static.Program()
    with paddle.static.program.recording(main):
        main._data('a', [2], paddle.float32) + 1
        with paddle.static.program.running():
            paddle.ones([2]) + 1


def guarded_program():
    """A program made the default."""
    with paddle.static.program_guard(paddle.static.Program()), paddle.utils.unique_name.guard():
        paddle.ones([2]) + 1


@pytest.mark.parametrize(
    'work, longest',
    [
        (record_full, 0.02),
        (record_tape, 0.02),
        (autocast, 0.001),
        (gradient_modes, 0.001),
        (program, 0.002),
        (guarded_program, 0.0005),
    ],
)
def test_exceptions_of_signal_handlers(work, longest):
    armed, raised = [], []

    def interrupt(*_):
        if armed:
            raised.append(1)
            raise Interrupted()

    before, draw = signal.signal(signal.SIGALRM, interrupt), random.Random(0)
    try:
        work()
        came, end = 0, time.monotonic() + 1
        while time.monotonic() < end:
            try:
                armed.append(1)
                signal.setitimer(signal.ITIMER_REAL, draw.uniform(1e-5, longest))
                work()
                armed.clear()
            except Interrupted:
                came += 1
            finally:
                armed.clear()
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert modes() == PLAIN
            assert (paddle.ones([2]) + 1).tolist() == [2, 2]
        assert 3 < came == len(raised)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_one_object_entered_twice():
    guard, cast = paddle.no_grad(), paddle.amp.auto_cast(dtype='bfloat16')
    with guard:
        with guard:
            assert not paddle.is_grad_enabled()
        assert not paddle.is_grad_enabled()
    with cast:
        with cast:
            pass
        assert paddle.amp.is_autocast_enabled()
        assert paddle.amp.get_autocast_dtype() == 'bfloat16'
    assert modes() == PLAIN


def in_threads(work, count=8):
    """Runs work(k) in threads at once; raises what one of them raised."""
    errors, barrier = [], threading.Barrier(count)

    def run(k):
        try:
            barrier.wait()
            work(k)
        except BaseException as error:
            errors.append(error)

    team = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for t in team:
        t.start()
    for t in team:
        t.join()
    if errors:
        raise errors[0]


def test_autocast_of_threads():
    x = paddle.ones([4, 4])

    def work(k):
        dtype = 'bfloat16' if k % 2 else 'float16'
        for _ in range(200):
            with paddle.amp.auto_cast(
                enable=k % 4 != 3, dtype=dtype, custom_black_list={'matmul'} if k % 4 == 2 else None
            ):
                got = str((x @ x).dtype)
                time.sleep(0)
                assert got == str((x @ x).dtype)
                assert paddle.amp.get_autocast_dtype() == (dtype if k % 4 != 3 else 'float16')
            assert (
                got
                == {
                    0: 'paddle.float16',
                    1: 'paddle.bfloat16',
                    2: 'paddle.float32',
                    3: 'paddle.float32',
                }[k % 4]
            )
            assert modes() == PLAIN

    in_threads(work)
    assert modes() == PLAIN


def test_other_threads_see_no_modes():
    seen = []
    with paddle.no_grad(), paddle.amp.auto_cast(dtype='bfloat16', custom_white_list={'exp'}):
        thread = threading.Thread(target=lambda: seen.append(modes()))
        thread.start()
        thread.join()
    assert seen == [PLAIN]


def test_custom_lists_choose_recordings():
    @paddle.jit.to_static
    def function(x):
        return paddle.exp(x)

    x = paddle.ones([4])
    for _ in range(3):
        with paddle.amp.auto_cast(dtype='bfloat16', custom_white_list={'exp'}):
            assert function(x).dtype == paddle.bfloat16
        with paddle.amp.auto_cast(dtype='bfloat16', custom_black_list={'exp'}):
            assert function(x).dtype == paddle.float32


def test_autocast_inside_a_compiled_function():
    @paddle.jit.to_static
    def function(x):
        with paddle.amp.auto_cast(dtype='bfloat16'):
            y = x @ x
        with paddle.amp.auto_cast(dtype='bfloat16', custom_black_list={'matmul'}):
            z = x @ x
        return y, z, x @ x

    for _ in range(3):
        assert [t.dtype for t in function(paddle.ones([4, 4]))] == [
            paddle.bfloat16,
            paddle.float32,
            paddle.float32,
        ]
    assert modes() == PLAIN


def test_threads_of_all_kinds():
    net = paddle.nn.Linear(16, 16)
    compiled = paddle.jit.to_static(lambda x: paddle.tanh(net(x)))
    x = paddle.ones([4, 16])
    expected = compiled(x).numpy()

    def work(k):
        for i in range(60):
            if k % 4 == 0:
                y = paddle.randn([300, 300])
                y.stop_gradient = False
                (paddle.nn.functional.softmax(y @ y)).sum().backward()
                assert y.grad.shape == [300, 300]
            elif k % 4 == 1:
                assert (compiled(x).numpy() == expected).all()
            elif k % 4 == 2:
                paddle.jit.to_static(lambda x, i=i: x * i + 1)(x)
            else:
                with paddle.amp.auto_cast(dtype='bfloat16'):
                    assert (x @ net.weight).dtype == paddle.bfloat16

    in_threads(work)


def test_children_forked_among_threads():
    stop = threading.Event()

    def compute():
        x = paddle.randn([300, 300])
        x.stop_gradient = False
        net = paddle.nn.Conv2D(3, 4, 3)
        while not stop.is_set():
            (paddle.nn.functional.softmax(x @ x) + paddle.randn([300, 300])).sum().backward()
            net(paddle.randn([1, 3, 64, 64]))
            x.clear_gradient()

    team = [threading.Thread(target=compute) for _ in range(2)]
    for t in team:
        t.start()
    try:
        for _ in range(200):
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                value = (paddle.randn([300, 300]) @ paddle.randn([300, 300])).sum().item()
                os._exit(0 if value == value else 1)
            assert os.waitpid(pid, 0)[1] == 0
    finally:
        stop.set()
        for t in team:
            t.join()


def test_children_forked_while_modules_load():
    text = """
import os, signal, threading
import paddle
names = 'nn optimizer static vision io metric distribution fft linalg sparse text hapi audio'
names = names.split()
def load():
    for name in names:
        getattr(paddle, name, None)
thread = threading.Thread(target=load)
thread.start()
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        load()
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
thread.join()
"""
    status, errors = run_program(text)
    assert status == 0, errors


def run_program(text, **environment):
    """The exit status and the errors of a program in a process of its own."""
    done = subprocess.run(
        [sys.executable, '-c', text],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stderr


COMPUTE = """
import sys, threading, time
import paddle
compiled = paddle.jit.to_static(lambda x: paddle.tanh(x @ x).sum())
def work():
    x = paddle.randn([400, 400])
    x.stop_gradient = False
    while True:
        compiled(x).backward()
        (paddle.nn.functional.softmax(x @ x) * 2).sum().backward()
        x.clear_gradient()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
"""


@pytest.mark.parametrize('end', ['', 'sys.exit(0)'])
def test_the_process_ends_while_threads_compute(end):
    for _ in range(3):
        status, errors = run_program(COMPUTE + end)
        assert status == 0, errors


def test_spawned_processes_compute():
    text = """
import multiprocessing
import paddle
def work(k):
    return float((paddle.ones([k]) * 2).sum())
if __name__ == '__main__':
    paddle.randn([300, 300]) @ paddle.randn([300, 300])
    with multiprocessing.get_context('spawn').Pool(2) as pool:
        assert pool.map(len, [[1], [1, 2]]) == [1, 2]
"""
    status, errors = run_program(text)
    assert status == 0, errors


@pytest.mark.skipif(
    bool(SANITIZER), reason='a limit of address space says nothing under a sanitizer'
)
@pytest.mark.skipif(
    0 <= resource.getrlimit(resource.RLIMIT_STACK)[1] < 4 << 30,
    reason='the limit of stacks may not be raised',
)
def test_compiling_where_the_system_has_no_more_threads():
    """Stacks too large for the address space: threads that compile groups cannot be made, and the
    calling one does the work.
    """
    text = """
import resource
import numpy as np
import paddle
def f(x):
    soft = paddle.nn.functional.softmax(x @ x.t(), -1)
    return paddle.exp(x * 0.5).sum(0), paddle.tanh(soft.sum()) * 2 + 1
x = paddle.rand([64, 4096])
(x @ x.t()) @ x  # starts the threads of OpenMP
want = f(x)
used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)
for one, two in zip(paddle.jit.to_static(f)(x), want):
    np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-5)
"""
    command = ['sh', '-c', 'ulimit -s 4194304 && exec "$0" -W error -c "$1"', sys.executable, text]
    environment = {**os.environ, 'OMP_NUM_THREADS': '3', 'OMP_STACKSIZE': '2M'}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(SANITIZER != '', reason='a sanitizer has tables of its own')
@pytest.mark.parametrize(
    'kind',
    [
        'x * 1.0',
        'x[1:]',
        'x.astype("float64")',
        'x.shape',
        'paddle.CPUPlace()',
        'paddle.nn.Linear(2, 2)',
        'paddle.to_tensor([[1.0] * 1000] * 100)',
        'paddle.Generator()',
    ],
)
def test_small_objects_where_there_is_no_memory(kind):
    text = f"""
import resource
import paddle
x = paddle.ones([4])
x.stop_gradient = False
make = lambda: {kind}
make()
used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
before = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (24 << 20), before[1]))
kept = []
try:
    while len(kept) < 3000000:
        kept.append(make())
except MemoryError:
    resource.setrlimit(resource.RLIMIT_AS, before)
    kept.clear()
else:
    raise AssertionError('there is no end of memory')
assert (paddle.ones([3]) * 2).sum().item() == 6
"""
    done = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-1000:]


@pytest.mark.skipif(SANITIZER != '', reason='a sanitizer has tables of its own')
@pytest.mark.parametrize(
    'kind', ['record()', 'paddle.static.Program()', 'program.global_block().ops']
)
def test_programs_where_there_is_no_memory(kind):
    """Memory ends at another place each time."""
    text = f"""
import gc
import resource
import paddle
from paddle import static
def record():
    paddle.enable_static()
    try:
        program = static.Program()
        with static.program_guard(program):
            x = static.data('x', [2, 3])
            return program, paddle.tanh(x) * 2 + x
    finally:
        paddle.disable_static()
program, result = record()
make = lambda: {kind}
make()
before = resource.getrlimit(resource.RLIMIT_AS)
ends = 0
for attempt in range(20):
    kept, spare = [], bytes(attempt * 997)
    used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ((1 + attempt % 3) << 20), before[1]))
    try:
        while len(kept) < 60000:
            kept.append(make())
    except MemoryError:
        ends += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    # Leaving static mode may be what found no memory: it said so, and is done again.
    paddle.disable_static()
    assert paddle.in_dynamic_mode()
    kept.clear()
    gc.collect()
assert ends
assert len(record()[0].global_block().ops) == len(program.global_block().ops)
"""
    done = subprocess.run([sys.executable, '-c', text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-1000:]


@pytest.mark.parametrize(
    'reduce',
    [
        lambda x: x.sum(),
        lambda x: x.max(0),
        lambda x: x.min(1),
        lambda x: paddle.any(paddle.as_strided(paddle.zeros([3 << 20], 'bool'), x.shape, [1, 1])),
        lambda x: paddle.logsumexp(x),
        lambda x: paddle.as_strided(paddle.zeros([2 << 20], 'bool'), x.shape, [1, 1]).tolist(),
        lambda x: paddle.var(x, 0),
        lambda x: paddle.linalg.norm(x, 3.0),
    ],
)
def test_reductions_over_overlapping_views_can_be_interrupted(reduce):
    """2^40 elements in 8 MB: hours of work."""

    def interrupt(*_):
        raise Interrupted

    side = 1 << 20
    x = paddle.as_strided(paddle.ones([2 * side]), [side, side], [1, 1])
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Interrupted):
            reduce(x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    small = paddle.as_strided(paddle.ones([8]), [4, 5], [1, 1])
    assert float(small.sum()) == 20


@pytest.mark.parametrize('short', [True, False])
def test_parameters_given_other_memory_during_a_compiled_call(short):
    """A call computes with the memory that a parameter has when it begins."""
    n = 1 << 17
    p = paddle.create_parameter([n], 'float32')
    p.data = paddle.ones([n])

    @paddle.jit.to_static(full_graph=True)
    def f(x):
        for _ in range(1 if short else 12):
            x = paddle.maximum(paddle.sin(x), x)
        return (x + p).max(), (x + p).min(), paddle.cumsum(p)[-1]

    x = paddle.zeros([n])
    with paddle.no_grad():
        for _ in range(3):
            f(x)
    stop = threading.Event()

    def rebind():
        value = 1.0
        while not stop.is_set():
            value = 3.0 - value
            p.data = paddle.full([n], value)

    thread = threading.Thread(target=rebind)
    thread.start()
    try:
        with paddle.no_grad():
            for _ in range(200):
                high, low, total = (float(v) for v in f(x))
                assert high == low and total == high * n
    finally:
        stop.set()
        thread.join()


def test_a_watch_that_an_exception_left_may_end_below_another():
    """What an interrupted recording leaves installed is over once it is collected, also where
    another watch was put above it."""
    gc.collect()  # what exceptions of other tests left
    assert eval('(lambda: 2)()') == 2
    before = sys.getprofile()
    assert before is None or callable(before)
    lower, upper = (paddle.base.libpaddle._FrameWatch([], []) for _ in range(2))
    lower.start()
    upper.start()
    del lower
    gc.collect()
    assert eval('(lambda: 3)()') == 3
    upper.stop()
    assert eval('(lambda: 4)()') == 4
    assert sys.getprofile() is None  # the lower one went when it was called
    sys.setprofile(before)
