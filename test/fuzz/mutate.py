# SPDX-License-Identifier: Apache-2.0
"""Damages files and loads them: `mutate.py FILES [FORMAT]...` with `paddle` importable; FILES are
tried of each format (all of readers.py).

Children forked from one process that has loaded everything load a few hundred files each, with
little memory. A child that dies, hangs, keeps a file open or raises something undocumented is
reported with the file, which is kept in build/fuzz; FUZZ_SEED repeats a run.
"""

import faulthandler
import gc
import mmap
import os
import pathlib
import random
import resource
import shutil
import signal
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'test')]

import readers  # noqa: E402
from progress import Progress  # noqa: E402
from sanitizers import limit_memory  # noqa: E402

KEPT = ROOT / 'build' / 'fuzz'
MEMORY = 1 << 30  # bytes of address space a child may add
ROUND = 250  # files a child
SECONDS = 60  # for one file
ALLOWED = (
    ValueError,
    TypeError,
    OSError,
    NotImplementedError,
    RuntimeError,
    IndexError,
    KeyError,
    EOFError,
    AssertionError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
ACCEPTED = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast(
    'q'
)  # shared with the children: how many files were read in spite of all


def put(folder, files):
    """Make ending -> bytes the only files of `folder`."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for end, content in files.items():
        with open(os.path.join(folder, 'm' + end), 'wb') as stream:
            stream.write(content)


def child(kind, seed, folder, count):
    """Load `count` damaged files; the one in hand is the only one in `folder`, with what belongs to
    it.
    """
    limit_memory(MEMORY)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, damage, load = readers.FORMATS[kind][:3]
    choose = random.Random(seed)
    sources = readers.samples(kind)
    opened = len(os.listdir('/proc/self/fd'))
    for _ in range(count):
        end, data, beside = choose.choice(sources)
        path = os.path.join(folder, 'm' + end)
        put(folder, {**beside, end: damage(data, choose)})
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            load(path)
            ACCEPTED[0] += 1
        except ALLOWED:
            pass
    gc.collect()
    left = len(os.listdir('/proc/self/fd')) - opened
    if left > 0:
        raise AssertionError(f'{left} files left open')


def run(kind, seed, count):
    """A child's exit status; what a child that failed had in hand is kept."""
    folder = tempfile.mkdtemp(dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
    pid = os.fork()
    if pid == 0:
        faulthandler.enable()
        code = 1
        try:
            child(kind, seed, folder, count)
            code = 0
        except BaseException:  # noqa: BLE001 reported by the parent
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    if status:
        KEPT.mkdir(parents=True, exist_ok=True)
        kept = KEPT / f'found_{kind}_{seed}'
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        print(f'{kind}: status {status} with seed {seed}: {kept}', flush=True)
    shutil.rmtree(folder)
    return status


def main():
    """Rounds of every format until each has had its number of files."""
    files, kinds = int(sys.argv[1]), sys.argv[2:]
    import paddle  # noqa: F401 loaded once, before the forks

    warnings.simplefilter('ignore')
    readers.make_samples()
    kinds = kinds or [
        kind
        for kind in readers.FORMATS
        if readers.FORMATS[kind][0] in readers.SAMPLES or readers.FORMATS[kind][3:]
    ]
    folder = tempfile.mkdtemp()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    progress = Progress()
    found, first = 0, int(os.environ.get('FUZZ_SEED', time.time()))
    for kind in kinds:
        for end, data, beside in readers.samples(
            kind
        ):  # undamaged: what it imports and compiles is shared by the children
            put(folder, {**beside, end: data})
            readers.FORMATS[kind][2](os.path.join(folder, 'm' + end))
        begin, defects, seed, ACCEPTED[0] = time.monotonic(), 0, first, 0
        for at in range(0, files, ROUND):
            seed += 1
            progress.say(lambda at=at: f'{kind}: {at} of {files} files, {defects} defects')
            defects += run(kind, seed, min(ROUND, files - at)) != 0
        print(
            f'{kind}: {files} files in {time.monotonic() - begin:.0f} s, {ACCEPTED[0]} of them '
            f'read, {defects} defects',
            flush=True,
        )
        found += defects
    shutil.rmtree(folder)
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
