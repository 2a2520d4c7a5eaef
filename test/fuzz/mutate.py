# SPDX-License-Identifier: Apache-2.0
"""Damages files and loads them through Python: `mutate.py SECONDS [pickle|model|json]...`, with `paddle` importable.

For the readers that are written in Python: pickles (`paddle.load`) and the conversion of old programs and of `.json` programs into plans
(`paddle.jit.load`, one run). Each round runs in a child with little memory; a child that dies, hangs or raises something undocumented is
reported with the file, which is kept in build/fuzz.
"""
import os
import pathlib
import random
import resource
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(__file__).parent / 'corpus'
KEPT = ROOT / 'build' / 'fuzz'
MEMORY = 4 << 30  # address space of a child; loading paddle takes under 2 GB of it
ROUND = 200  # files a child
ALLOWED = (ValueError, TypeError, OSError, NotImplementedError, RuntimeError, IndexError, KeyError, EOFError)


def damage(data, choose):
    """Cut, overwrite, repeat or swap pieces."""
    data = bytearray(data)
    for _ in range(choose.randrange(1, 5)):
        if not data:
            break
        kind, at = choose.randrange(6), choose.randrange(len(data))
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data[at] = choose.randrange(256)
        elif kind == 2:
            data[at] = choose.choice((0, 1, 0x7f, 0x80, 0xff))
        elif kind == 3:
            size = choose.randrange(1, 16)
            data[at:at] = data[at:at + size] * choose.randrange(1, 4)
        elif kind == 4:
            del data[at:at + choose.randrange(1, 16)]
        else:
            data[at:at + 8] = choose.choice((b'\xff' * 8, b'\x00' * 8, b'\xff' * 7 + b'\x7f', b'9' * 8, b'\x80' * 8))
    return bytes(data)


def load_pickle(path):
    """A state dict."""
    import paddle
    paddle.load(path)


def load_model(path):
    """A program, and one run on zeros."""
    import paddle
    from paddle import static
    layer = paddle.jit.load(path.rsplit('.', 1)[0])
    feeds = {}
    for op in layer.program()._operations():
        if op.name() == 'pd_op.data':
            shape = [min(d, 64) if d >= 0 else 2 for d in op.attrs()['shape']][:6]
            with static.program.running():
                feeds[op.attrs()['name']] = paddle.zeros(shape, op.attrs()['dtype'])
    layer(*[feeds[n] for n in layer._methods['forward'].feeds])


KINDS = {'pickle': (load_pickle, '.pdparams'), 'model': (load_model, '.pdmodel'), 'json': (load_model, '.json')}


def child(kind, seed):
    """Load ROUND damaged files; the one in hand lies at `current`."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    load, end = KINDS[kind]
    choose = random.Random(seed)
    files = sorted(p for p in (CORPUS / kind).iterdir() if p.suffix == end)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUND):
            source = choose.choice(files)
            data = damage(source.read_bytes(), choose)
            path = os.path.join(folder, 'm' + end)
            params = source.with_suffix('.pdiparams')
            if params.exists():
                pathlib.Path(folder, 'm.pdiparams').write_bytes(params.read_bytes())
            for target in (path, KEPT / f'current_{kind}{end}'):
                pathlib.Path(target).write_bytes(data)
            try:
                load(path)
            except ALLOWED:
                pass


def main():
    """Children until the time is over."""
    KEPT.mkdir(parents=True, exist_ok=True)
    import paddle  # noqa: F401 loaded once, before the forks
    end, found, files = time.monotonic() + float(sys.argv[1]), 0, 0
    seed = int(os.environ.get('FUZZ_SEED', time.time()))
    kinds = sys.argv[2:] or list(KINDS)
    while time.monotonic() < end:
        for kind in kinds:
            seed += 1
            pid = os.fork()
            if pid == 0:
                import faulthandler
                faulthandler.enable()
                faulthandler.dump_traceback_later(120, exit=True)
                code = 1
                try:
                    child(kind, seed)
                    code = 0
                except BaseException:  # noqa: BLE001 reported by the parent
                    import traceback
                    traceback.print_exc()
                finally:
                    sys.stderr.flush()
                    os._exit(code)
            _, status = os.waitpid(pid, 0)
            files += ROUND
            if status:
                found += 1
                current = next(KEPT.glob(f'current_{kind}.*'))
                kept = current.with_name(f'found_{kind}_{seed}{current.suffix}')
                current.replace(kept)
                print(f'{kind}: status {status} with seed {seed}: {kept}', flush=True)
    print(f'{files} files, {found} defects')
    return bool(found)


if __name__ == '__main__':
    sys.exit(main())
