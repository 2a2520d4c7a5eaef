# SPDX-License-Identifier: Apache-2.0
"""Readers: functions without arguments that give generators of samples, and what is made of
them.
"""

from .decorator import (  # noqa: F401
    ComposeNotAligned,
    buffered,
    cache,
    chain,
    compose,
    firstn,
    map_readers,
    multiprocess_reader,
    shuffle,
    xmap_readers,
)

__all__ = []
