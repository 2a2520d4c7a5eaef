# SPDX-License-Identifier: Apache-2.0
"""What an operation of a training program is for."""

import enum

__all__ = ['OpRole']


class OpRole(enum.IntFlag):
    """The part of a step that an operation belongs to."""

    Forward = 0
    Backward = 1
    Optimize = 2
    RPC = 4
    Dist = 8
    LRSched = 16
    Loss = 256
