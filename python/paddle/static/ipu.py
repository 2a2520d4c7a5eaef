# SPDX-License-Identifier: Apache-2.0
"""Names for IPUs, which this build does not serve: using them says so."""

import contextlib
import functools

__all__ = ['IpuCompiledProgram', 'IpuStrategy', 'ipu_shard_guard', 'set_ipu_shard']

_ABSENT = "Can not use this function since PaddlePaddle is not compiled with IPU"


class IpuStrategy:
    """Raises RuntimeError: there is no IPU support."""

    def __init__(self):
        raise RuntimeError(
            "Can not use IpuStrategy in non IPU compiled environment, please re-compile with "
            "WITH_IPU=ON."
        )


class IpuCompiledProgram:
    """Raises ValueError: there is no IPU support."""

    def __init__(self, program=None, scope=None, ipu_strategy=None):
        raise ValueError(_ABSENT)


@contextlib.contextmanager
def ipu_shard_guard(index=-1, stage=-1):
    """Raises ValueError on entry: there is no IPU support."""
    raise ValueError(f"{_ABSENT}, got index {index} and stage {stage}")
    yield


def set_ipu_shard(call_func, index=-1, stage=-1):
    """A function that calls `call_func` on one IPU: calling it raises ValueError."""

    @functools.wraps(call_func)
    def wrapper(*args, **kwargs):
        with ipu_shard_guard(index, stage):
            return call_func(*args, **kwargs)

    return wrapper
