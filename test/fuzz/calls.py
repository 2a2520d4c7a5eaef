# SPDX-License-Identifier: Apache-2.0
"""Calls every public callable with hostile arguments.

python test/fuzz/calls.py [--seconds S] [--calls K] [--seed N] [--only NAME] [--mode
eager|static|to_static]   with the package on PYTHONPATH. Lines run in children with little memory.
One that crashes, hangs, raises what is not documented, differs between two ways of the same call,
or leaves the process changed is cut down to one line if one alone does it, printed, and written to
build/fuzz. `--line LINE` runs such a line. Exit status 1 when there was one.
"""

import argparse
import faulthandler
import gc
import inspect  # noqa: F401: named by lines
import mmap
import os
import pathlib
import pickle
import random
import re
import resource
import select
import signal
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
os.environ.setdefault('OMP_NUM_THREADS', '1')

import callables  # noqa: E402
import hostile  # noqa: E402
import paddle  # noqa: E402
from progress import Progress  # noqa: E402
from sanitizers import SANITIZER, limit_memory  # noqa: E402

KEPT = HERE.parents[1] / 'build' / 'fuzz'
MEMORY = 2 << 30  # address space that a child may add
BATCH = 400
SILENT = 200 if SANITIZER else 20  # seconds of processor time that a call may take
BLOCKED = 60  # seconds on the clock in which a call must take some processor time
SLOW = float(os.environ.get('FUZZ_SLOW', 0))  # seconds from which a call is shown
SMALL = 256 << 20  # a request for less memory than this must not fail
PER_TARGET = 3  # finds after which a callable is left alone
REFUSALS = (
    ValueError,
    TypeError,
    RuntimeError,
    IndexError,
    NotImplementedError,
    OSError,
    KeyError,
    OverflowError,
    AttributeError,
    ZeroDivisionError,
    ImportError,
    UnicodeEncodeError,
    RecursionError,
    AssertionError,
    StopIteration,
    BufferError,
    EOFError,
    SyntaxError,
    FloatingPointError,
    pickle.PicklingError,
)
# What says that nobody meant to raise it.
INTERNAL = re.compile(
    r'internal error|vector::|basic_string|std::|_M_|bad_|stoi|stol|stod|unknown C\+\+|without an '
    r'exception|with an exception set|'
    r'bad argument to internal|could not (create|execute)|MKL|DNNL|dnnl|(?<!_)onednn|LLVM'
)
MEANT = re.compile(  # of a SystemError
    r'second time|backward through the graph|expected a sparse \w* ?tensor, got a (dense|sparse) '
)


def names():
    """What lines see."""
    scope = dict(hostile.recipes.MAKERS)
    scope.update(vars(hostile))
    scope.update(inspect=inspect, cmath=hostile.cmath, ParamAttr=paddle.ParamAttr)
    return scope


def judge(error):
    """None for a documented refusal, else what is wrong."""
    if isinstance(error, AttributeError) and in_line(error):
        return None  # a method of a former result, called on what is no such object
    wrong = defect(error, f'{type(error).__name__}: {str_of(error)}')
    return wrong and wrong[:320]


def in_line(error):
    """Whether the line itself raised it and nothing that it calls in Python."""
    step = error.__traceback__
    while step.tb_next:
        step = step.tb_next
    return step.tb_frame.f_code.co_filename == '<string>'


def defect(error, text):
    if isinstance(error, hostile.Difference):
        return text
    if isinstance(error, MemoryError):
        asked = re.search(r'allocate (\d+) bytes', text)
        if asked:
            return None if int(asked[1]) >= SMALL else text
        return None if re.search(r'of shape|Unable to allocate', text) else text
    if isinstance(error, (UnicodeDecodeError, NameError)) or not (
        isinstance(error, REFUSALS) or type(error) is Exception
    ):
        return None if MEANT.search(text) else text
    return text if INTERNAL.search(text) else None


def str_of(error):
    try:
        return str(error)
    except Exception as second:
        return f'<no text: {type(second).__name__}>'


class Shared:
    """What a child tells while it runs: the line it is at, and for each line whether it
    succeeded.
    """

    def __init__(self, lines):
        self.map = mmap.mmap(-1, 8 + lines)

    def start(self, k):
        self.map[0:8] = (k + 1).to_bytes(8, 'little')

    def at(self):
        return int.from_bytes(self.map[0:8], 'little') - 1

    def succeeded(self, k):
        self.map[8 + k] = 1

    def good(self, k):
        return self.map[8 + k] == 1


def child(lines, first, shared, report):
    """Runs lines[first:]; writes `number TAB what` for each find."""
    limit_memory(MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.chdir(tempfile.mkdtemp(dir=os.environ['FUZZ_FOLDER']))
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(null, number)
    if not SLOW:
        os.dup2(
            os.open(
                os.path.join(os.environ['FUZZ_FOLDER'], 'trace'),
                os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
            ),
            2,
        )
    faulthandler.enable()
    faulthandler.register(signal.SIGUSR1)
    scope, plain, numbers = names(), hostile.state(), hostile.canary()

    def found(k, text):
        os.write(report, f'{k}\t{text!r}\n'.encode('utf-8', 'backslashreplace'))

    for k in range(first, len(lines)):
        shared.start(k)
        now = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(now) + SILENT, resource.RLIM_INFINITY))
        try:
            got = eval(lines[k], scope)
            shared.succeeded(k)
            del got
        except BaseException as error:  # noqa: BLE001 every exception is judged
            text = judge(error)
            if text:
                found(k, text)
            if text and isinstance(
                error, MemoryError
            ):  # what is still held would fail the next lines
                return
            del error
        if SLOW and time.process_time() - now > SLOW:
            print(f'{time.process_time() - now:.2f} s: {lines[k]}', file=sys.stderr, flush=True)
        if hostile.state() != plain:
            if not re.search(CHANGES, lines[k]):
                found(k, f'state: {plain} became {hostile.state()}')
            return  # the next lines start from the state as it is after import
        if k % 50 == 49 or k == len(lines) - 1:
            if hostile.canary() != numbers:
                found(k, f'canary: {numbers} became {hostile.canary()}')
                numbers = hostile.canary()


# Calls that change what state() tells by intent.
CHANGES = (
    r'enable_static|disable_static|set_default_dtype|set_grad_enabled|set_device|'
    r'set_current_place|_guard|enable_grad|no_grad|__enter__|'
    r'autocast|GradSwitch|Scope|guard|set_place|enable_dygraph|disable_dygraph|inference_mode'
)


def used(pid):
    """Ticks of processor time that a child has taken, all its threads together."""
    return sum(
        map(
            int,
            pathlib.Path('/proc', str(pid), 'stat').read_text().rpartition(')')[2].split()[11:13],
        )
    )


def run(lines, first=0):
    """([(number, what)], shared) of one child; a child that died or hung adds its line."""
    shared = Shared(len(lines))
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reader)
            child(lines, first, shared, writer)
            code = 0
        except BaseException:  # noqa: BLE001 shown by the parent
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writer)
    text, last, since, hung = b'', -1, time.monotonic(), None
    while True:
        ready, _, _ = select.select([reader], [], [], 1.0)
        if ready:
            part = os.read(reader, 1 << 16)
            if not part:
                break
            text += part
        at = (shared.at(), used(pid))  # the load of the machine makes no hang
        if at != last:
            last, since = at, time.monotonic()
        elif time.monotonic() - since > BLOCKED:
            hung = at[0]
            os.kill(pid, signal.SIGUSR1)
            time.sleep(0.5)
            os.kill(pid, signal.SIGKILL)
            break
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    finds = []
    for line in text.decode('utf-8', 'replace').splitlines():
        k, what = line.split('\t', 1)
        finds.append((int(k), what))
    if hung is not None or os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        finds.append((shared.at(), 'hang'))
    elif status and shared.at() >= 0:
        what = (
            f'signal {os.WTERMSIG(status)}'
            if os.WIFSIGNALED(status)
            else f'exit {os.WEXITSTATUS(status)}'
        )
        finds.append((shared.at(), f'{what}: {trace()}'))
    return finds, shared, shared.at() + 1 < len(lines) or status != 0


def trace():
    """The last words of the child that died."""
    path = pathlib.Path(os.environ['FUZZ_FOLDER'], 'trace')
    text = path.read_text(errors='replace') if path.exists() else ''
    parts = [line.strip() for line in text.splitlines() if line.strip()]
    keep = [
        p for p in parts if 'terminate' in p or 'what()' in p or 'rror' in p or 'abort' in p.lower()
    ][:3]
    return ' | '.join(keep + [p for p in parts if p.startswith('File')][:2])[:400]


def smallest(lines, k):
    """The fewest lines up to the k-th that still fail at the end: mostly one."""

    def fails(some):
        finds = run(some)[0]
        return any(at == len(some) - 1 for at, _ in finds)

    if fails([lines[k]]):
        return [lines[k]]
    kept = lines[: k + 1]
    if not fails(kept):
        return None
    size = max(1, (len(kept) - 1) // 2)
    budget = 60
    while size and budget:
        at = 0
        while at < len(kept) - 1 and budget:
            budget -= 1
            some = kept[:at] + kept[min(at + size, len(kept) - 1) :]
            if fails(some):
                kept = some
            else:
                at += size
        size //= 2
    return kept


def simpler(line):
    """The same find with fewer ways."""
    found = re.search(r", ways='(\w+)'\)$", line)
    if not found:
        return line
    for ways in ['', *found[1]]:
        other = line[: found.start()] + (f', ways={ways!r})' if ways else ')')
        if ways != found[1] and run([other])[0]:
            return other
    return line


def ways_of(made, target, mode, choose):
    """How a line is checked."""
    if mode != 'eager':
        return '' if target.unwritten() else 's' if mode == 'to_static' else 'S'
    roll = choose.random()
    ways = 'g' if roll < 0.5 else 'G' if roll < 0.6 else '' if roll < 0.7 else 'r'
    if ways and not target.unwritten():
        roll = choose.random()
        # What is written to places that repeat is what came last.
        writes = (
            target.name.endswith('_')
            or target.path.startswith('paddle.nn.initializer')
            or 'inplace' in made.given(target.parameters)
        )
        ways += 'p' if roll < 0.25 else 'l' if roll < 0.45 and not writes else ''
    return ways


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--seconds', type=float, default=60)
    parser.add_argument('--calls', type=int, default=1 << 60)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--only', default='')
    parser.add_argument('--mode', choices=('eager', 'static', 'to_static'), default='eager')
    parser.add_argument('--line')
    parser.add_argument(
        '--list', action='store_true', help='write the lines of the first batches, do not run them'
    )
    options = parser.parse_args()
    if options.line:
        faulthandler.enable()
        print(eval(options.line, names()))
        return 0
    KEPT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.environ['FUZZ_FOLDER'] = folder
        return attack(options)


def attack(options):
    """Batches until the time or the number of calls is reached."""
    choose = random.Random(options.seed)
    maker = callables.Maker(choose)
    everything = [t for t in callables.targets() if not options.only or options.only in t.path]
    gc.collect()
    gc.freeze()  # children share what is here
    left, begun, count, good, seen = {}, time.monotonic(), 0, 0, {}
    log = open(KEPT / f'calls_{options.mode}_{options.seed}.txt', 'w')
    order, progress = [], Progress()
    while time.monotonic() - begun < options.seconds and count < options.calls:
        progress.say(lambda: f'{count} calls, {good} succeeded, {len(seen)} defects')
        batch = []
        while len(batch) < BATCH:
            if not order:
                order = [
                    t
                    for t in everything
                    if not t.path.startswith('paddle.vision.models') or choose.random() < 0.03
                ]
                choose.shuffle(order)
            target = order.pop()
            if left.get(target.path, 0) < PER_TARGET:
                made = maker.call(target)
                batch.append((target, made, made.line(ways_of(made, target, options.mode, choose))))
            elif all(left.get(t.path, 0) >= PER_TARGET for t in everything):
                break
        if options.list:
            print('\n'.join(line for _, _, line in batch))
            return 0
        if not batch:
            break
        lines, first = [line for _, _, line in batch], 0
        while first < len(lines) and time.monotonic() - begun < options.seconds + 60:
            finds, shared, dead = run(lines, first)
            last = max(first, shared.at()) if dead else len(lines) - 1
            for k in range(first, last + 1):
                if shared.good(k):
                    good += 1
                    kept = batch[k][0].good
                    kept.append(batch[k][1])
                    if len(kept) > 12:
                        kept.pop(choose.randrange(len(kept)))
            for k, what in finds:
                target = batch[k][0]
                kind = (target.path, re.sub(r'[-\d.e+]+|\[.*?\]', '#', what)[:60])
                if kind in seen:
                    continue
                seen[kind] = True
                left[target.path] = left.get(target.path, 0) + 1
                shortest = smallest(lines, k)
                if shortest and len(shortest) == 1:
                    shortest = [simpler(shortest[0])]
                text = '\n    '.join(shortest or ['not again: ' + lines[k]])
                for file in (sys.stdout, log):
                    print(f'{target.path}: {what}\n    {text}', file=file, flush=True)
            count += last + 1 - first
            first = last + 1
    seconds = time.monotonic() - begun
    print(
        f'{count} calls of {len(everything)} callables ({good} succeeded) in {seconds:.0f} s, '
        f'seed {options.seed}: {len(seen)} defects',
        flush=True,
    )
    return int(bool(seen))


if __name__ == '__main__':
    sys.exit(main())
