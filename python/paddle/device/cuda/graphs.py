# SPDX-License-Identifier: Apache-2.0
"""Work on a GPU that is captured once and run again with one call."""

import weakref

from paddle.base import libpaddle as _core
from paddle.base.arguments import only as _only

__all__ = ['CUDAGraph', 'is_cuda_graph_supported']

ALL_MODES = ['global', 'thread_local', 'relaxed']
_of_pool = {}  # id of a pool: the graphs that share it
_numbers = iter(range(1, 1 << 62))


def is_cuda_graph_supported():
    """Whether there is a GPU whose work can be captured.

    Returns:
        bool: whether there is.

    Examples:
        >>> from paddle.device.cuda.graphs import is_cuda_graph_supported
        >>> is_cuda_graph_supported() == (paddle.device.cuda.device_count() > 0)
        True
    """
    return _core.gpu_count() > 0


class CUDAGraph:
    """What is captured on the current stream between `capture_begin` and `capture_end`.

    Each `replay` runs it again on the same memory: new values are copied into the tensors that were
    read (`copy_`), and results are in the tensors that were made. These tensors' memory belongs to
    the graph: nothing else gets it while the graph lives. Inside, operations that need the host
    (values of numbers, operations without kernels for GPUs) are refused.

    Args:
        place (place, default None): The GPU; None for the current one.
        mode (str, default "thread_local"): Whose calls end the capture that could wait for the GPU
            or take memory of it (`Event.query`, another thread's new tensors): `global`: those of
            all threads; `thread_local`: of the thread that captures; `relaxed`: nobody's. What
            operations inside need themselves, memory and kernels, is always allowed.
        pool_id (int, default None): Graphs of the same number share their memory, for graphs that
            run one after another; None for memory of its own.

    Raises:
        ValueError: There is no GPU, or no such mode.

    Examples:
        >>> if paddle.device.cuda.device_count():
        ...     x = paddle.ones([4]).cuda()
        ...     y = x * 2 + 1  # makes the kernels
        ...     graph = paddle.device.cuda.graphs.CUDAGraph()
        ...     graph.capture_begin()
        ...     y = x * 2 + 1
        ...     graph.capture_end()
        ...     x.copy_(paddle.full([4], 5.0))
        ...     graph.replay()
        ...     assert y.tolist() == [11.0] * 4
    """

    def __init__(self, place=None, mode='thread_local', pool_id=None):
        from . import _gpu

        if mode not in ALL_MODES:
            raise ValueError(f'[CUDAGraph] expected one of {", ".join(ALL_MODES)}, got {mode!r}')
        self._place = _gpu('graphs.CUDAGraph', place)
        self._mode = mode
        self._pool_id = next(_numbers) if pool_id is None else ('shared', pool_id)
        self._handle = None

    def capture_begin(self):
        """Start to capture what the current stream is given, instead of running it."""
        if self._handle is not None:
            raise RuntimeError(
                '[CUDAGraph] expected a new graph, got one that has captured: reset()'
            )
        others = _of_pool.setdefault(self._pool_id, weakref.WeakSet())
        shares = next((g._handle for g in others if g._handle is not None), None)
        self._handle = _core.DeviceGraph(self._place, shares, ALL_MODES.index(self._mode))
        others.add(self)

    def capture_end(self):
        """End the capture; the graph can be run."""
        self._captured().end()

    def replay(self):
        """Run what was captured, on the current stream."""
        self._captured().launch()

    def reset(self):
        """Forget what was captured and give its memory back."""
        self._handle = None

    def print_to_dot_files(self, dirname, flags=None):
        """Write the graph as `graph.dot` of the folder, in the language DOT."""
        import os

        _only('CUDAGraph.print_to_dot_files', 'a set of bits', flags=(int(flags or 0) >= 0, True))
        os.makedirs(dirname, exist_ok=True)
        path = os.path.join(dirname, 'graph.dot')
        self._captured().print(path, int(flags or 0))

    def _captured(self):
        if self._handle is None:
            raise RuntimeError('[CUDAGraph] expected a graph that has captured, got a new one')
        return self._handle
