# SPDX-License-Identifier: Apache-2.0
"""Messages between the loader and its workers: pickles over a socket, with large arrays in an
anonymous memory file whose descriptor travels along, so that nothing is left behind whichever
process dies."""

import array
import io
import mmap
import os
import pickle
import select
import socket
import struct
import time

import numpy as np

import paddle

from .interrupts import InterruptsHeld

__all__ = ['Channel', 'ChannelClosed', 'ChannelTimeout']

_HEAD = struct.Struct('<QQB')
_SHARE_FROM = 1 << 16


class ChannelClosed(Exception):
    """The other side has gone."""


class ChannelTimeout(Exception):
    """Nothing came in time."""


def _rebuild_tensor(data):
    return paddle.to_tensor(data)


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj):
        if isinstance(obj, paddle.Tensor):
            dtype = str(obj.dtype).rsplit('.', 1)[-1]
            if dtype == 'bfloat16':
                return _rebuild_cast, (obj.detach().astype('float32').numpy(), dtype)
            return _rebuild_tensor, (np.ascontiguousarray(obj.detach().numpy()),)
        return NotImplemented


def _rebuild_cast(data, dtype):
    return paddle.to_tensor(data).astype(dtype)


class Channel:
    """One end of a socket pair."""

    def __init__(self, sock):
        self.sock = sock
        self.shared = hasattr(os, 'memfd_create')

    def close(self):
        self.sock.close()

    def send(self, message, share=True):
        """Send one message. ChannelClosed when nobody can read it."""
        buffers = []
        text = io.BytesIO()
        pickler = _Pickler(text, 5, buffer_callback=buffers.append)
        pickler.dump(message)
        raws = [b.raw() for b in buffers]
        sizes = [len(r) for r in raws]
        body = pickle.dumps(sizes) if raws else b''
        total = sum(sizes)
        use_fd = self.shared and share and total >= _SHARE_FROM
        blob = text.getvalue()
        head = _HEAD.pack(len(blob), len(body), 2 if use_fd else 1 if raws else 0)
        try:
            if use_fd:
                self._send_shared(head, blob, body, raws, total)
            else:
                self.sock.sendall(head + blob + body)
                for raw in raws:
                    self.sock.sendall(raw)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise ChannelClosed(str(error)) from None

    def _send_shared(self, head, blob, body, raws, total):
        with io.FileIO(os.memfd_create('paddle_batch'), 'w') as file:
            for raw in raws:
                view = memoryview(raw)
                while len(view):
                    view = view[file.write(view) :]
            self.sock.sendmsg(
                [head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [file.fileno()]))]
            )
            self.sock.sendall(blob + body)

    def _wait(self, deadline):
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise ChannelTimeout()
            poll = select.poll()
            poll.register(self.sock, select.POLLIN)
            if poll.poll(None if left is None else max(1, int(left * 1000))):
                return

    def _take(self, count):
        data = bytearray(count)
        view = memoryview(data)
        while len(view):
            got = self.sock.recv_into(view, min(len(view), 1 << 20))
            if got == 0:
                raise ChannelClosed("[Channel] expected a message, got the end of the channel")
            view = view[got:]
        return data

    def receive(self, timeout=None, finish=None):
        """The next message, after `finish` (given while shared arrays are mapped). ChannelTimeout
        after `timeout` seconds, ChannelClosed when the other side has gone."""
        self._wait(None if timeout is None else time.monotonic() + timeout)
        try:
            head, files = self._take_head()
            blob_size, body_size, kind = _HEAD.unpack(head)
            blob = self._take(blob_size)
            body = self._take(body_size) if body_size else b''
            sizes = pickle.loads(body) if body_size else []
            if kind != 2:
                message = pickle.loads(blob, buffers=[self._take(size) for size in sizes])
                return finish(message) if finish is not None else message
        except ConnectionResetError as error:
            raise ChannelClosed(str(error)) from None
        total = sum(sizes)
        mapped = mmap.mmap(
            files[0].fileno(), total, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE
        )
        for file in files:
            file.close()
        view, at, parts = memoryview(mapped), 0, []
        for size in sizes:
            parts.append(view[at : at + size])
            at += size
        message = pickle.loads(blob, buffers=parts)
        return finish(message) if finish is not None else message

    def _take_head(self):
        """The head of a message that has begun to come, and the memory files that came with it."""
        data, files = bytearray(), []
        while len(data) < _HEAD.size:
            with InterruptsHeld():
                got, ancillary, _, _ = self.sock.recvmsg(
                    _HEAD.size - len(data), socket.CMSG_SPACE(4)
                )
                for level, kind, content in ancillary:
                    if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                        numbers = array.array('i', content[: len(content) - len(content) % 4])
                        files.extend(io.FileIO(number) for number in numbers)
            if not got:
                raise ChannelClosed("[Channel] expected a message, got the end of the channel")
            data += got
        return data, files
