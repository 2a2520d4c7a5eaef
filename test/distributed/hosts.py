# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that stand for hosts, on one bridge or on a bad network. They need root."""

import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time

_serial = itertools.count()


def _ip(*words):
    subprocess.run(['ip', *words], check=True, capture_output=True, text=True)


class Hosts:
    """`with Hosts(2) as hosts:` makes namespaces; `hosts.address` is that of this process on their
    bridge, `hosts.prefix(i)` begins a command that runs on host i.
    """

    def __init__(self, count):
        pid, serial = os.getpid() % 100000, next(_serial)
        self.net = f'10.{200 + (pid + serial) % 50}.{pid // 50 % 250}'
        self.names = [f'pd{pid}{serial}h{i}' for i in range(count)]
        self.bridge = f'pd{pid}{serial}b'
        self.address = f'{self.net}.254'

    def __enter__(self):
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _make(self):
        _ip('link', 'add', self.bridge, 'type', 'bridge')
        _ip('addr', 'add', f'{self.address}/24', 'dev', self.bridge)
        _ip('link', 'set', self.bridge, 'up')
        for i, name in enumerate(self.names):
            _ip('netns', 'add', name)
            _ip('link', 'add', f'{name}o', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
            _ip('link', 'set', f'{name}o', 'master', self.bridge, 'up')
            _ip('-n', name, 'addr', 'add', f'{self.net}.{i + 1}/24', 'dev', 'eth0')
            _ip('-n', name, 'link', 'set', 'eth0', 'up')
            _ip('-n', name, 'link', 'set', 'lo', 'up')

    def prefix(self, i):
        return ['ip', 'netns', 'exec', self.names[i]]

    def cut(self, i):
        """Nothing goes to or from host i any more, and nobody is told."""
        _ip('link', 'set', f'{self.names[i]}o', 'down')

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(['ip', 'netns', 'del', name], capture_output=True)
            subprocess.run(['ip', 'link', 'del', f'{name}o'], capture_output=True)
        subprocess.run(['ip', 'link', 'del', self.bridge], capture_output=True)


class BadNetwork(Hosts):
    """Hosts, and this process, on a network whose frames go through this process: each takes
    `delay` seconds, and of those between hosts the share `loss` is lost.
    """

    _MTU = 9000

    def __init__(self, count, delay=0.0, loss=0.0, seed=0):
        super().__init__(count)
        self.delay, self.loss = delay, loss
        self.carried = self.lost = 0
        self._chance = random.Random(seed)
        self._ports, self._thread, self._end = [], None, None

    def _port(self, name):
        """Another end of the network, as a device of that name."""
        port = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
        self._ports.append(port)
        tap_without_header = 0x1002
        fcntl.ioctl(port, 0x400454CA, struct.pack('16sH', name.encode(), tap_without_header))
        _ip('link', 'set', name, 'mtu', str(self._MTU))

    def _make(self):
        self._port(self.bridge)
        _ip('addr', 'add', f'{self.address}/24', 'dev', self.bridge)
        _ip('link', 'set', self.bridge, 'up')
        for i, name in enumerate(self.names):
            _ip('netns', 'add', name)
            self._port(f'{name}o')
            _ip('link', 'set', f'{name}o', 'netns', name)
            _ip('-n', name, 'addr', 'add', f'{self.net}.{i + 1}/24', 'dev', f'{name}o')
            _ip('-n', name, 'link', 'set', f'{name}o', 'up')
            _ip('-n', name, 'link', 'set', 'lo', 'up')
        self._end = os.pipe()
        self._thread = threading.Thread(target=self._carry, daemon=True)
        self._thread.start()

    def _carry(self):
        """Takes frames from each end to the one that has their address, or to all others."""
        under_way, at, serial = [], {}, itertools.count()  # (time, serial, port, frame); ports
        while True:
            wait = max(0, under_way[0][0] - time.monotonic()) if under_way else None
            ready = select.select([*self._ports, self._end[0]], [], [], wait)[0]
            if self._end[0] in ready:
                return
            for port in ready:
                self._take(port, at, under_way, serial)
            while under_way and under_way[0][0] <= time.monotonic():
                _, _, port, frame = heapq.heappop(under_way)
                try:
                    os.write(port, frame)
                except OSError:  # the queue of the device is full, or it is down: a frame is lost
                    self.lost += 1

    def _take(self, port, at, under_way, serial):
        try:
            frame = os.read(port, self._MTU + 64)
        except OSError:
            return
        target, source = frame[:6], frame[6:12]
        at[source] = port
        for other in [at[target]] if target in at else self._ports:
            if other == port:
                continue
            between = self._ports[0] not in (port, other)
            if between and self._chance.random() < self.loss:
                self.lost += 1
                continue
            self.carried += between
            due = time.monotonic() + self.delay
            heapq.heappush(under_way, (due, next(serial), other, frame))

    def cut(self, i):
        """Nothing goes from one host to another any more."""
        del i
        self.loss = 1.0

    def __exit__(self, *_):
        if self._thread is not None:
            os.write(self._end[1], b'.')
            self._thread.join()
            for end in self._end:
                os.close(end)
        for port in self._ports:
            os.close(port)
        super().__exit__()


def available():
    """Whether namespaces can be made here."""
    try:
        with Hosts(1):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
