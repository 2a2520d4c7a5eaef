# SPDX-License-Identifier: Apache-2.0
"""Names for IPUs, which this build does not serve: using them says so."""

import contextlib
import functools

__all__ = ['IpuCompiledProgram', 'IpuStrategy', 'ipu_shard_guard', 'set_ipu_shard']


class IpuStrategy:
    """How a program runs on IPUs: this build serves none.

    Raises:
        RuntimeError: Always: there is no IPU support.

    Examples:
        >>> paddle.static.IpuStrategy()
        Traceback (most recent call last):
            ...
        RuntimeError: [IpuStrategy] expected a build for IPUs, got one without
    """

    def __init__(self):
        raise RuntimeError("[IpuStrategy] expected a build for IPUs, got one without")


class IpuCompiledProgram:
    """A program compiled for IPUs: this build serves none.

    Args:
        program (Program, default None): The program.
        scope (Scope, default None): Where its variables are.
        ipu_strategy (IpuStrategy, default None): How it runs.

    Raises:
        ValueError: Always: there is no IPU support.

    Examples:
        >>> paddle.static.IpuCompiledProgram(paddle.static.Program())
        Traceback (most recent call last):
            ...
        ValueError: [IpuCompiledProgram] expected a build for IPUs, got one without
    """

    def __init__(self, program=None, scope=None, ipu_strategy=None):
        raise ValueError("[IpuCompiledProgram] expected a build for IPUs, got one without")


@contextlib.contextmanager
def ipu_shard_guard(index=-1, stage=-1):
    """Place the operations made inside on an IPU: this build serves none.

    Args:
        index (int, default -1): The IPU.
        stage (int, default -1): The stage of a pipeline.

    Returns:
        context manager: one that raises on entry.

    Raises:
        ValueError: On entry: there is no IPU support.

    Examples:
        >>> with paddle.static.ipu_shard_guard(index=0):
        ...     pass
        Traceback (most recent call last):
            ...
        ValueError: [ipu] expected a build for IPUs, got index 0 and stage -1 in one without
    """
    raise ValueError(
        f"[ipu] expected a build for IPUs, got index {index} and stage {stage} in one without"
    )
    yield


def set_ipu_shard(call_func, index=-1, stage=-1):
    """A function whose operations are placed on an IPU: this build serves none.

    Args:
        call_func (callable): The function or layer.
        index (int, default -1): The IPU.
        stage (int, default -1): The stage of a pipeline.

    Returns:
        callable: as call_func; calling it raises ValueError.

    Examples:
        >>> on_ipu = paddle.static.set_ipu_shard(paddle.nn.functional.relu, index=0)
        >>> on_ipu(paddle.ones([2]))
        Traceback (most recent call last):
            ...
        ValueError: [ipu] expected a build for IPUs, got index 0 and stage -1 in one without
    """

    @functools.wraps(call_func)
    def wrapper(*args, **kwargs):
        with ipu_shard_guard(index, stage):
            return call_func(*args, **kwargs)

    return wrapper
