# SPDX-License-Identifier: Apache-2.0
"""Names for IPUs, which this build does not serve: using them says so."""

import contextlib
import functools

__all__ = ['IpuCompiledProgram', 'IpuStrategy', 'ipu_shard_guard', 'set_ipu_shard']


class IpuStrategy:
    """Raises RuntimeError: there is no IPU support."""

    def __init__(self):
        raise RuntimeError("[IpuStrategy] expected a build for IPUs, got one without")


class IpuCompiledProgram:
    """Raises ValueError: there is no IPU support."""

    def __init__(self, program=None, scope=None, ipu_strategy=None):
        raise ValueError("[IpuCompiledProgram] expected a build for IPUs, got one without")


@contextlib.contextmanager
def ipu_shard_guard(index=-1, stage=-1):
    """Raises ValueError on entry: there is no IPU support."""
    raise ValueError(
        f"[ipu] expected a build for IPUs, got index {index} and stage {stage} in one without"
    )
    yield


def set_ipu_shard(call_func, index=-1, stage=-1):
    """A function that calls `call_func` on one IPU: calling it raises ValueError."""

    @functools.wraps(call_func)
    def wrapper(*args, **kwargs):
        with ipu_shard_guard(index, stage):
            return call_func(*args, **kwargs)

    return wrapper
