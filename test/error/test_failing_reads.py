# SPDX-License-Identifier: Apache-2.0
"""paddle.load where the file is good and the reading fails: the error is that of the machine, or
of the signal handler, not one of a damaged file.
"""

import errno
import io
import os
import signal

import pytest

import paddle


class Fails(io.BytesIO):
    """A file whose reads fail after the first kilobyte."""

    def __init__(self, content, fail):
        super().__init__(content)
        self.fail = fail

    def _next(self):
        if self.tell() > 1024:
            self.fail()

    def read(self, size=-1):
        self._next()
        return super().read(size)

    def readinto(self, buffer):
        self._next()
        return super().readinto(buffer)

    def readline(self, size=-1):
        self._next()
        return super().readline(size)


@pytest.fixture
def saved():
    file = io.BytesIO()
    paddle.save({'rows': [paddle.ones([64, 64]), paddle.ones([64, 64])]}, file)
    return file.getvalue()


def out_of_memory():
    raise MemoryError


def bad_disk():
    raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize('fail, kind', [(bad_disk, OSError), (out_of_memory, MemoryError)])
def test_errors_of_the_machine(saved, fail, kind):
    with pytest.raises(kind):
        paddle.load(Fails(saved, fail))
    assert paddle.load(Fails(saved, lambda: None))['rows'][1].shape == [64, 64]


def test_exceptions_of_signal_handlers(saved):
    class TooLate(Exception):
        """What the handler raises."""

    def handler(number, frame):
        raise TooLate

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        with pytest.raises(TooLate):
            paddle.load(Fails(saved, lambda: os.kill(os.getpid(), signal.SIGUSR1)))
    finally:
        signal.signal(signal.SIGUSR1, old)
    with pytest.raises(ValueError, match='corrupted'):
        paddle.load(io.BytesIO(saved[:2000]))
