# SPDX-License-Identifier: Apache-2.0
"""Functions that make readers of readers."""

import itertools
import multiprocessing
import queue
import random
import threading

__all__ = []

_END = object()


class ComposeNotAligned(ValueError):
    """Readers that should be as long as each other are not."""


class _Failed:
    """An exception on its way from a thread or process."""

    def __init__(self, error):
        self.error = error


def cache(reader):
    """The samples of `reader`, read once and kept."""
    kept = tuple(reader())

    def cached():
        yield from kept

    return cached


def map_readers(func, *readers):
    """`func` of a sample from each reader; ends with the shortest."""

    def mapped():
        yield from map(func, *(reader() for reader in readers))

    return mapped


def shuffle(reader, buf_size):
    """The samples of `reader` in random order within each run of `buf_size`."""

    def shuffled():
        samples = reader()
        while run := list(itertools.islice(samples, buf_size)):
            random.shuffle(run)
            yield from run

    return shuffled


def chain(*readers):
    """One reader after another."""

    def chained():
        yield from itertools.chain(*(reader() for reader in readers))

    return chained


def compose(*readers, check_alignment=True):
    """Tuples of a sample from each reader, with tuples among them taken apart. ComposeNotAligned
    when one is shorter than the others; without `check_alignment` all end with the shortest."""

    def joined(samples):
        return sum((s if isinstance(s, tuple) else (s,) for s in samples), ())

    def composed():
        running = [reader() for reader in readers]
        if not check_alignment:
            yield from map(joined, zip(*running))
            return
        for samples in itertools.zip_longest(*running, fillvalue=_END):
            if any(s is _END for s in samples):
                raise ComposeNotAligned(
                    "[compose] expected readers of as many samples, got some that end before others"
                )
            yield joined(samples)

    return composed


def firstn(reader, n):
    """The first `n` samples."""

    def first():
        yield from itertools.islice(reader(), n)

    return first


def _drained(get, writers):
    """What writers put, until each has put _END; raises what one of them raised."""
    while writers:
        sample = get()
        if sample is _END:
            writers -= 1
        elif isinstance(sample, _Failed):
            raise sample.error
        else:
            yield sample


def _put_all(samples, put, gone):
    """Put samples, then _END, until `gone` is set."""
    try:
        for sample in samples:
            if gone.is_set():
                return
            put(sample)
        put(_END)
    except Exception as error:
        put(_Failed(error))


class _Line(queue.Queue):
    """A queue between threads whose writers stop waiting when the reader has gone."""

    def __init__(self, size):
        super().__init__(size)
        self.gone = threading.Event()

    def offer(self, sample):
        """Put a sample, unless the reader has gone."""
        while not self.gone.is_set():
            try:
                return self.put(sample, timeout=0.1)
            except queue.Full:
                pass
        return None


def buffered(reader, size):
    """The samples of `reader`, read by a thread that is up to `size` samples ahead."""

    def read_ahead():
        line = _Line(size)
        threading.Thread(
            target=_put_all, args=(reader(), line.offer, line.gone), daemon=True
        ).start()
        try:
            yield from _drained(line.get, 1)
        finally:
            line.gone.set()

    return read_ahead


def xmap_readers(mapper, reader, process_num, buffer_size, order=False):
    """`mapper` of each sample, by `process_num` threads that are up to `buffer_size` samples ahead;
    in the reader's order with `order`.
    """

    def numbered(lock, samples):
        while True:
            with lock:
                one = next(samples, _END)
            if one is _END:
                return
            yield one[0], mapper(one[1])

    def mapped():
        line, lock, samples = _Line(buffer_size), threading.Lock(), enumerate(reader())
        for _ in range(process_num):
            threading.Thread(
                target=_put_all, args=(numbered(lock, samples), line.offer, line.gone), daemon=True
            ).start()
        early, at = {}, 0
        try:
            for number, sample in _drained(line.get, process_num):
                if not order:
                    yield sample
                    continue
                early[number] = sample
                while at in early:
                    yield early.pop(at)
                    at += 1
        finally:
            line.gone.set()

    return mapped


class _End:
    """_END between processes."""


def _write_all(reader, put):
    try:
        for sample in reader():
            if sample is None:
                raise ValueError("[multiprocess_reader] expected samples other than None, got None")
            put(sample)
        put(_End())
    except Exception as error:
        put(_Failed(error))


def multiprocess_reader(readers, use_pipe=True, queue_size=1000):
    """The samples of several readers, each read by a process, as they come: through pipes, or
    through a queue of `queue_size`.
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise AssertionError(f"[multiprocess_reader] expected a list of readers, got {readers!r}")

    def plain(get):
        def received():
            sample = get()
            return _END if isinstance(sample, _End) else sample

        return received

    def read():
        context = multiprocessing.get_context('fork')
        if use_pipe:
            ends = [context.Pipe(duplex=False) for _ in readers]
            puts, receive = (
                [writer.send for _, writer in ends],
                _from_any([source for source, _ in ends]),
            )
        else:
            line = context.Queue(queue_size)
            puts, receive = [line.put] * len(readers), line.get
        workers = [
            context.Process(target=_write_all, args=(r, put), daemon=True)
            for r, put in zip(readers, puts)
        ]
        for worker in workers:
            worker.start()
        try:
            yield from _drained(plain(receive), len(readers))
        finally:
            for worker in workers:
                worker.terminate()
                worker.join()

    return read


def _from_any(sources):
    """A function that receives what comes next from any of these pipes."""
    from multiprocessing import connection

    ready, left = [], list(sources)

    def receive():
        if not ready:
            ready.extend(connection.wait(left))
        source = ready.pop()
        sample = source.recv()
        if isinstance(sample, _End):
            left.remove(source)
        return sample

    return receive
