# SPDX-License-Identifier: Apache-2.0
"""Which sanitizer this process runs under, and limits of memory that are right without and with
one.
"""

import pathlib
import resource

_MAPS = pathlib.Path('/proc/self/maps').read_text()
SANITIZER = 'address' if 'libasan.so' in _MAPS else 'thread' if 'libtsan.so' in _MAPS else ''


def limit_memory(more):
    """Let this process grow by `more` bytes of address space. A sanitizer's tables grow with what
    they watch: there its option max_allocation_size_mb limits single requests."""
    if SANITIZER:
        return
    used = int(pathlib.Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more,) * 2)
