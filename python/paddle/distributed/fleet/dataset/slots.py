# SPDX-License-Identifier: Apache-2.0
"""Lines of samples in slots, from files through the user's command: for each slot a count, then as
many numbers. `MultiSlotDataGenerator` writes them.
"""

import contextlib
import os
import shlex
import subprocess

import numpy

_REMOTE = ('hdfs:', 'afs:')


class Slot:
    """A variable that samples have values for."""

    def __init__(self, op, variable):
        self.name = variable.name
        dtype = str(variable.dtype).rsplit('.', 1)[-1]
        if dtype not in ('float32', 'int64'):
            raise ValueError(
                f'[{op}] expected variables of float32 or int64, got {self.name!r} of {dtype}'
            )
        self.dtype, self.shape = dtype, [int(n) for n in variable.shape]

    def values(self, words):
        """The numbers of a sample, those of int64 of 64 bits, with or without a sign; None where
        words are none.
        """
        try:
            if self.dtype == 'float32':
                return numpy.array(words, 'float64').astype('float32')
            wide = [int(word) for word in words]
        except ValueError:
            return None
        if not all(-(1 << 63) <= n < 1 << 64 for n in wide):
            return None
        return numpy.array([n & (1 << 64) - 1 for n in wide], 'uint64').view('int64')

    def batch(self, op, samples, sequences):
        """What is fed for the values of several samples: of the variable's shape, or a sequence for
        each sample.
        """
        rows = numpy.concatenate(samples)
        tail = self.shape[1:]
        if sequences:
            from paddle.base.lod_tensor import create_lod_tensor

            tail = tail or [1]
            return create_lod_tensor(rows.reshape([-1, *tail]), [[len(s) for s in samples]], None)
        fixed = [n for n in self.shape if n >= 0]
        extent = int(numpy.prod(fixed))
        if len(self.shape) - len(fixed) > 1 or rows.size % max(extent, 1):
            raise ValueError(
                f'[{op}] expected values of {self.name!r} that fill shape {self.shape}, got '
                f'{rows.size} of {len(samples)} samples'
            )
        return rows.reshape(self.shape)


def _parsed(op, line, slots, where, ids):
    """(values of each slot, id of the sample or None) of a line; `ids` texts stand before them."""
    words = line.split()
    at, sample, name = 0, [], None
    for _ in range(ids):
        if words[at : at + 1] != ['1'] or len(words) < at + 2:
            raise ValueError(
                f'[{op}] expected {ids} texts, each behind a 1, before the slots, got '
                f'{line[:80].strip()!r} in {where!r}'
            )
        name, at = name or words[at + 1], at + 2
    for slot in slots:
        count = int(words[at]) if at < len(words) and words[at].isdecimal() else 0
        part = words[at + 1 : at + 1 + count]
        values = slot.values(part) if 0 < count == len(part) else None
        if values is None:
            raise ValueError(
                f'[{op}] expected a count above 0 and as many numbers of {slot.dtype} for slot '
                f'{slot.name!r}, got {" ".join(words[at:])[:80]!r} in line {line[:80].strip()!r} '
                f'of {where!r}'
            )
        sample.append(values)
        at += 1 + count
    return tuple(sample), name


@contextlib.contextmanager
def _opened(op, path, download, pipe, hadoop):
    """The lines that the command `pipe` makes of a file. RuntimeError where a command fails."""
    running = []

    def begin(command, stdin):
        running.append(
            (command, subprocess.Popen(command, shell=True, stdin=stdin, stdout=subprocess.PIPE))
        )
        return running[-1][1].stdout

    if download != 'cat':
        command = f'{download} {shlex.quote(path)}'
        source = begin(command, subprocess.DEVNULL)
    elif path.startswith(_REMOTE):
        source = begin(f'{hadoop} -cat {shlex.quote(path)}', subprocess.DEVNULL)
    else:
        source = open(path, 'rb')
    try:
        lines = begin(pipe, source)
        source.close()  # of this process: the command has it
        yield lines
        for command, process in reversed(running):
            if process.wait():
                raise RuntimeError(
                    f'[{op}] expected command {command!r} to succeed on {path!r}, got exit status '
                    f'{process.returncode}'
                )
    finally:
        source.close()
        for _, process in running:
            process.stdout.close()
            if process.poll() is None:
                process.kill()
            process.wait()


def samples(op, path, slots, *, download='cat', pipe='cat', hadoop='hadoop fs', ids=0):
    """The samples of a file, one after another, as `_parsed` has them."""
    path = os.fspath(path)
    with _opened(op, path, download, pipe, hadoop) as lines:
        for line in lines:
            yield _parsed(op, line.decode('utf-8', 'replace'), slots, path, ids)
