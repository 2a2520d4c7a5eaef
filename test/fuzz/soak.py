# SPDX-License-Identifier: Apache-2.0
"""Whether long runs keep what they should release: python test/fuzz/soak.py [--short] [CASE ...]

Each case runs in a process of its own: once to warm up, then many times. A line of the table tells
what the process held before and after: resident memory, file descriptors, child processes and
shared segments. A case grows where memory is more than a tenth above, or any of the others is
above, what it was; then the exit status is 1.
"""

import argparse
import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time

CASES = {}
MEMORY_MARGIN = 1.10
MEGABYTE = 1 << 20


def case(many, few, warm=None):
    """Register `name(n)`, which does its work n times: `many` in the long form and `few` in the
    short one.
    """

    def register(function):
        CASES[function.__name__] = (function, many, few, warm)
        return function

    return register


def leaf(*shape):
    """Random numbers that need a gradient."""
    import paddle

    x = paddle.randn(shape)
    x.stop_gradient = False
    return x


@case(10000, 1500)
def graphs_without_backward(n):
    """Histories that are dropped before anyone asks for gradients."""
    import paddle

    weight = leaf(32, 32)
    for _ in range(n):
        y = paddle.tanh(paddle.randn([16, 32]) @ weight)
        for _ in range(4):
            y = (y * 1.01 + y.mean()).exp().log()
        y.sum()


@case(10000, 400)
def varying_shapes(n):
    """Training steps, each with another number of rows."""
    import paddle

    net = paddle.nn.Sequential(paddle.nn.Linear(24, 48), paddle.nn.ReLU(), paddle.nn.Linear(48, 3))
    optimizer = paddle.optimizer.AdamW(1e-3, parameters=net.parameters())
    for i in range(n):
        rows = 1 + i * 7919 % 503
        x = paddle.randn([rows, 24])
        loss = paddle.nn.functional.cross_entropy(net(x), paddle.zeros([rows], 'int64'))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()


@case(6000, 60)
def varying_images(n):
    """Convolutions and pools over images of many sizes: warming up fills the caches of plans, which
    keep a number of them.
    """
    import paddle

    net = paddle.nn.Sequential(
        paddle.nn.Conv2D(3, 8, 3), paddle.nn.BatchNorm2D(8), paddle.nn.MaxPool2D(2)
    )
    for i in range(n):
        net(paddle.randn([1, 3, 8 + i * 31 % 61, 8 + i * 17 % 53])).sum().backward()
        net.clear_gradients()


@case(5000, 400)
def layer_that_saves_its_output(n):
    """A PyLayer whose context holds the tensor that holds the context, with and without
    backward.
    """
    import paddle

    class Own(paddle.autograd.PyLayer):
        """Keeps its result."""

        @staticmethod
        def forward(ctx, x):
            """x twice."""
            y = x * 2
            ctx.save_for_backward(y)
            ctx.again = y
            return y

        @staticmethod
        def backward(ctx, dy):
            """dy twice."""
            return dy * 2

    x = leaf(64, 64)
    for i in range(n):
        y = Own.apply(x)
        if i % 2:
            y.sum().backward()
            x.clear_gradient(set_to_zero=False)
        if i % 100 == 99:
            gc.collect()


@case(5000, 400)
def hooks_that_hold_their_output(n):
    """Hooks of leaves and results whose closures hold what the hook hangs on."""
    import paddle

    for i in range(n):
        x = leaf(64, 64)
        y = x * 2
        y.register_hook(lambda g, y=y: g + 0 * y)
        x.register_hook(lambda g, x=x: None)
        x.register_post_accumulate_grad_hook(lambda t, x=x: None)
        if i % 2:
            y.sum().backward()
        if i % 100 == 99:
            gc.collect()


@case(5000, 400)
def hooks_that_come_and_go(n):
    """Hooks of one leaf that remove themselves, add others and raise."""
    x = leaf(64, 64)
    handles = []

    def once(g):
        handles.pop().remove()
        handles.append(x.register_hook(lambda g: None))
        return g

    for i in range(n):
        handles.append(x.register_hook(once))
        with contextlib.suppress(ZeroDivisionError):
            y = x * 2
            if i % 3 == 0:
                y.register_hook(lambda g: 1 / 0)
            y.sum().backward()
        while handles:
            handles.pop().remove()
        x.clear_gradient(set_to_zero=False)


@case(5000, 400)
def saved_tensor_hooks(n):
    """Tensors kept for backward under hooks."""
    import paddle

    x = leaf(64, 64)
    for _ in range(n):
        with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), paddle.to_tensor):
            y = paddle.nn.functional.softmax(x @ x)
        y.sum().backward()
        x.clear_gradient(set_to_zero=False)


@case(1500, 100, 300)
def compiled_with_other_numbers(n):
    """A compiled function that gets another Python number each time; the warm-up fills the 256
    places of idle kernels.
    """
    import paddle

    scaled = paddle.jit.to_static(lambda x, k: paddle.tanh(x * k) + k)
    x = paddle.randn([8, 8])
    for _ in range(n):
        scaled(x, 0.5 + next(_numbers))


@case(1500, 100)
def compiled_with_other_shapes(n):
    """A compiled function that gets another shape each time, with gradients."""
    import paddle

    squared = paddle.jit.to_static(lambda x: (paddle.tanh(x) * x).sum())
    for _ in range(n):
        squared(leaf(next(_numbers), 4)).backward()


@case(1000, 60)
def compiled_functions_dropped(n):
    """Functions that are compiled, called and dropped."""
    import paddle

    x = leaf(8, 8)
    for _ in range(n):
        paddle.jit.to_static(lambda x: paddle.exp(x * 0.1).sum())(x).backward()
        x.clear_gradient(set_to_zero=False)
        gc.collect(0)


@case(1000, 60)
def programs_dropped(n):
    """Static programs that are built, run and dropped."""
    import numpy
    import paddle

    paddle.enable_static()
    executor = paddle.static.Executor()
    feed = {'x': numpy.ones([4, 4], 'float32')}
    for _ in range(n):
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            y = paddle.tanh(paddle.static.data('x', [4, 4]) * 2).sum()
        executor.run(main, feed=feed, fetch_list=[y])


@case(20000, 3000)
def errors(n):
    """Operations, gradients and recordings that raise."""
    import paddle

    x = leaf(3, 4)
    raising = paddle.jit.to_static(lambda x: paddle.reshape(x * 2, [5, 5]))
    for i in range(n):
        for bad in (
            lambda: x + paddle.ones([5]),
            lambda: x[7],
            lambda: paddle.reshape(x, [-1, 7]),
            lambda: paddle.to_tensor([[1], [2, 3]]),
            lambda: paddle.concat([x, 'y']),
        ):
            with contextlib.suppress(Exception):
                bad()
        if i % 100 == 0:
            with contextlib.suppress(Exception):
                raising(x)


@case(2000, 150)
def threads(n):
    """Threads that compute under modes of their own and end."""
    import paddle

    weight = leaf(32, 32)

    def work():
        with paddle.amp.auto_cast(dtype='bfloat16'):
            y = paddle.randn([8, 32]) @ weight
        with paddle.no_grad():
            y = y * 2
        (leaf(4) * 2).sum().backward()

    for _ in range(n // 4):
        team = [threading.Thread(target=work) for _ in range(4)]
        for t in team:
            t.start()
        for t in team:
            t.join()


@case(200, 40)
def forks_among_threads(n):
    """Children that compute, forked while two threads do."""
    import paddle

    stop = threading.Event()

    def work():
        x = leaf(300, 300)
        while not stop.is_set():
            (paddle.nn.functional.softmax(x @ x) + paddle.randn([300, 300])).sum().backward()
            x.clear_gradient()

    team = [threading.Thread(target=work) for _ in range(2)]
    for t in team:
        t.start()
    try:
        for _ in range(n):
            run_in_child(lambda: (paddle.randn([300, 300]) @ paddle.randn([300, 300])).sum().item())
    finally:
        stop.set()
        for t in team:
            t.join()


def run_in_child(work, seconds=30):
    """Fork a child that does the work; RuntimeError when it fails or hangs."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            signal.alarm(seconds)
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError(f'a child ended with status {status}')


@case(1000, 25)
def loader_starts(n):
    """Data loaders with workers: whole passes, passes left early, workers that raise or are killed,
    and Ctrl-C.
    """
    import numpy
    import paddle

    class Numbers(paddle.io.Dataset):
        """Rows of numbers; one of them may be bad."""

        def __init__(self, bad=None):
            self.bad = bad

        def __len__(self):
            return 16

        def __getitem__(self, i):
            if i == 5 and self.bad is not None:
                self.bad()
            return numpy.full([64, 64], i, 'float32')

    def interrupt():
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(5)

    def die():
        os._exit(3)

    def fail():
        raise ValueError('bad row')

    kinds = [None, None, fail, die, interrupt]
    for i in range(n):
        bad = kinds[i % len(kinds)]
        loader = paddle.io.DataLoader(
            Numbers(bad), batch_size=4, num_workers=2, persistent_workers=i % 10 == 0
        )
        try:
            for k, _ in enumerate(loader):
                if i % len(kinds) == 1 and k == 1:
                    break
        except (RuntimeError, ValueError, KeyboardInterrupt):
            pass
        del loader
        gc.collect(0)


@case(2000, 100)
def files(n):
    """Saved and loaded again."""
    import tempfile
    import paddle

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'x.pdparams')
        state = {'w': paddle.randn([64, 64]), 'b': [paddle.randn([64])]}
        for _ in range(n):
            paddle.save(state, path)
            paddle.load(path)


def _count():
    i = 1
    while True:
        yield i
        i += 1


_numbers = _count()  # never the same twice, warm-up included


def resident():
    """Bytes of memory the process has."""
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def held():
    """Memory, descriptors, child processes and shared segments."""
    gc.collect()
    time.sleep(0.05)  # threads and workers that end
    with open(f'/proc/self/task/{os.getpid()}/children') as f:
        children = len(f.read().split())
    segments = [
        n for n in os.listdir('/dev/shm') if n.startswith(('paddle', 'psm_', f'pym-{os.getpid()}'))
    ]
    return resident(), len(os.listdir('/proc/self/fd')), children, len(segments)


def measure(name, short, out):
    """Run a case; puts (iterations, held before, held after, seconds), or the error, into the
    queue.
    """
    try:
        function, many, few, warm = CASES[name]
        n = few if short else many
        import paddle

        paddle.seed(1)
        started = time.monotonic()
        function(warm or max(n // 4, 4))
        before = held()
        function(n)
        out.put((n, before, held(), time.monotonic() - started))
    except BaseException as error:
        import traceback

        traceback.print_exc()
        out.put(repr(error))


def run(name, short, limit):
    """The line of a case, and whether it is well."""
    context = multiprocessing.get_context('spawn')
    out = context.Queue()
    process = context.Process(target=measure, args=(name, short, out))
    process.start()
    result, deadline = None, time.monotonic() + limit
    while result is None and time.monotonic() < deadline:
        with contextlib.suppress(Exception):
            result = out.get(timeout=0.2)
        if result is None and not process.is_alive() and out.empty():
            break
    hung = process.is_alive() and result is None
    if hung:
        process.kill()
    process.join()
    if not isinstance(result, tuple):
        why = 'hangs' if hung else result or f'ends with status {process.exitcode}'
        return f'{name:<30} {"":>6} {why}', False
    n, before, after, seconds = result
    grows = [
        what
        for what, a, b, margin in zip(
            ('memory', 'descriptors', 'processes', 'segments'),
            before,
            after,
            (MEMORY_MARGIN, 1, 1, 1),
        )
        if b > a * margin
    ]
    memory = f'{before[0] / MEGABYTE:.1f} {after[0] / MEGABYTE:.1f}'
    others = ' '.join(f'{f"{a} {b}":>7}' for a, b in zip(before[1:], after[1:]))
    verdict = 'grows: ' + ', '.join(grows) if grows else 'flat'
    return f'{name:<30} {n:>6} {memory:>14} {others} {seconds:>6.0f}s  {verdict}', not grows


def main():
    """Run the cases and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('cases', nargs='*', help=' '.join(CASES))
    parser.add_argument('--short', action='store_true', help='few times each')
    parser.add_argument('--limit', type=float, default=1800, help='seconds a case may take')
    given = parser.parse_args()
    print(f'{"case":<30} {"times":>6} {"MiB":>14} {"fds":>7} {"procs":>7} {"shm":>7}')
    well = True
    with tempfile.TemporaryDirectory() as folder:
        os.environ['PADDLE_CINN_CACHE_DIR'] = folder  # the kernels of these cases are nobody else's
        for name in given.cases or CASES:
            line, good = run(name, given.short, given.limit)
            print(line, flush=True)
            well = well and good
    return 0 if well else 1


if __name__ == '__main__':
    sys.exit(main())
