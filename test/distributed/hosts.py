# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that stand for hosts, on one bridge. They need root."""

import itertools
import os
import subprocess

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


def available():
    """Whether namespaces can be made here."""
    try:
        with Hosts(1):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
