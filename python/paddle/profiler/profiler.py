# SPDX-License-Identifier: Apache-2.0
"""The profiler: records by a schedule of steps, passes events to handlers, prints tables and
writes Chrome traces.
"""

import datetime
import functools
import json
import os
import socket
import time
import warnings
from enum import Enum

from paddle import _lazy
from paddle.base import libpaddle as _core
from paddle.base.arguments import items
from paddle.base.known_keywords import KnownKeywords
from paddle.optimizer import Optimizer

from . import trace_file, utils
from .profiler_statistic import SortedKeys, tables
from .utils import TracerEventType, take_events

__all__ = [
    'ProfilerState',
    'ProfilerTarget',
    'make_scheduler',
    'export_chrome_tracing',
    'export_protobuf',
    'Profiler',
]


class ProfilerState(Enum):
    """What a profiler does in a step: CLOSED, READY, RECORD or RECORD_AND_RETURN.

    After a step of the last kind `on_trace_ready` is called.

    Examples:
        >>> from paddle.profiler import ProfilerState, make_scheduler
        >>> make_scheduler(closed=0, ready=0, record=1)(0) is ProfilerState.RECORD_AND_RETURN
        True
    """

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerTarget(Enum):
    """Devices that a profiler looks at: CPU, GPU, XPU or CUSTOM_DEVICE; the CPU in this build.

    Examples:
        >>> from paddle.profiler import Profiler, ProfilerTarget
        >>> profiler = Profiler(targets=[ProfilerTarget.CPU])
    """

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


def make_scheduler(*, closed, ready, record, repeat=0, skip_first=0):
    """A schedule of profiling: periods of closed, ready and recorded steps.

    Args:
        closed (int): How many steps of a period are not looked at.
        ready (int): How many follow for warming up.
        record (int): How many follow that are recorded.
        repeat (int, default 0): How many periods there are; 0 for no end.
        skip_first (int, default 0): How many closed steps come before the first period.

    Returns:
        callable: the `ProfilerState` of a step by its number.

    Raises:
        AssertionError: A number is negative, or record is 0.

    Examples:
        >>> from paddle.profiler import make_scheduler
        >>> state = make_scheduler(closed=1, ready=1, record=2, repeat=1)
        >>> [state(step).name for step in range(5)]
        ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN', 'CLOSED']
    """
    assert closed >= 0 and ready >= 0 and record > 0 and repeat >= 0 and skip_first >= 0, (
        f"[make_scheduler] expected lengths of at least 0 and record of at least 1, got {closed}, "
        f"{ready}, {record}, {repeat} and {skip_first}"
    )
    period = closed + ready + record

    def state(step):
        assert step >= 0
        step -= skip_first
        if step < 0 or (repeat and step >= period * repeat):
            return ProfilerState.CLOSED
        at = step % period
        if at < closed:
            return ProfilerState.CLOSED
        if at < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD_AND_RETURN if at == period - 1 else ProfilerState.RECORD

    return state


def export_chrome_tracing(dir_name, worker_name=None):
    """A callback for `on_trace_ready` that writes each result, for chrome://tracing or Perfetto.

    Args:
        dir_name (str): The directory of the files, which is made where it is missing.
        worker_name (str, default None): How their names begin; None for the host and the process.

    Returns:
        callable: the callback.

    Examples:
        >>> import os
        >>> from paddle.profiler import Profiler, export_chrome_tracing
        >>> with Profiler(on_trace_ready=export_chrome_tracing("traces", "me")):
        ...     x = paddle.ones([2]) + 1.0
        >>> [name.startswith("me_time_") for name in os.listdir("traces")]
        [True]
    """
    return _writer(dir_name, worker_name, 'json')


def export_protobuf(dir_name, worker_name=None):
    """A callback for `on_trace_ready` that writes each result for `load_profiler_result`.

    Args:
        dir_name (str): The directory of the files, which is made where it is missing.
        worker_name (str, default None): How their names begin; None for the host and the process.

    Returns:
        callable: the callback.

    Examples:
        >>> import os
        >>> from paddle.profiler import Profiler, export_protobuf
        >>> with Profiler(on_trace_ready=export_protobuf("traces", "it")):
        ...     x = paddle.ones([2]) + 1.0
        >>> [name.endswith(".paddle_trace.pb") for name in os.listdir("traces")]
        [True]
    """
    return _writer(dir_name, worker_name, 'pb')


def _writer(dir_name, worker_name, kind):
    os.makedirs(dir_name, exist_ok=True)

    def write(profiler):
        worker = worker_name or f'host_{socket.gethostname()}pid_{os.getpid()}'
        now = datetime.datetime.now().strftime('%Y_%m_%d_%H_%M_%S_%f')
        profiler.export(
            os.path.join(dir_name, f'{worker}_time_{now}.paddle_trace.{kind}'), format=kind
        )

    return write


def _timed(step):
    """`Optimizer.step` as an event."""

    @functools.wraps(step)
    def timed(self, *args, **kwargs):
        with utils.RecordEvent('Optimization Step', TracerEventType.Optimization):
            return step(self, *args, **kwargs)

    return timed


class _Result:
    """What one span of recording gave: its events, its length in ns and processor use."""

    def __init__(self, events, begin, end, busy, peak):
        self.events, self.begin, self.end, self.peak = events, begin, end, peak
        self.utilization = busy / max((end - begin) * 1e-9 * (os.cpu_count() or 1), 1e-9)

    def extra(self):
        """What is noted beside the spans, text by name."""
        return {'Process Cpu Utilization': f'{self.utilization:.6f}'}

    def chrome_trace(self):
        """The trace as a dict for JSON; times in microseconds of the wall clock."""
        offset = time.time_ns() - _core._op_clock()
        return trace_file.chrome_trace(self.events, self.extra(), begin=self.begin, offset=offset)

    def message(self):
        """The bytes of a file for `load_profiler_result`."""
        offset = time.time_ns() - _core._op_clock()
        return trace_file.trace_message(self.events, self.extra(), offset)


class Profiler(KnownKeywords):
    """Records the times of operations, backward and compiled programs, and named spans.

    It records between `start()` and `stop()`, or in a `with` block; `step()` ends a step.
    `summary()` prints tables, `export(path)` writes a Chrome trace, and `step_info()` says how long
    steps took.

    Args:
        targets (list of ProfilerTargets, default None): The devices; None for the CPU, the only one
            that is profiled.
        scheduler (callable or tuple, default None): The `ProfilerState` of a step by its number, or
            (first, last + 1) step to record; None for all steps.
        on_trace_ready (callable, default None): What is called with the profiler when a result is
            there.
        record_shapes (bool, default False): No effect, as a warning says.
        profile_memory (bool, default False): Whether the summary has the peak of memory.
        timer_only (bool, default False): Whether only the times of steps are taken.
        emit_nvtx (bool, default False): No effect, as a warning says.
        custom_device_types (list of strs, default []): No effect, as a warning says.
        with_flops (bool, default False): No effect, as a warning says.

    Raises:
        AssertionError: Steps of scheduler that do not ascend.
        TypeError: scheduler is no function and no pair.

    Examples:
        >>> from paddle.profiler import Profiler
        >>> x = paddle.ones([16, 16])
        >>> with Profiler(scheduler=(1, 3)) as profiler:
        ...     for _ in range(4):
        ...         y = paddle.matmul(x, x)
        ...         profiler.step()
        >>> sum(event.name == "matmul" for event in profiler.profiler_result.events)
        2
    """

    def __init__(
        self,
        *,
        targets=None,
        scheduler=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        timer_only=False,
        emit_nvtx=False,
        custom_device_types=[],
        with_flops=False,
    ):
        self.targets = items('Profiler', 'targets', targets) if targets else [ProfilerTarget.CPU]
        for target in self.targets:
            if target != ProfilerTarget.CPU:
                warnings.warn(f"[Profiler] {target} is not profiled in this build")
        for name, wanted in (
            ('record_shapes', record_shapes),
            ('with_flops', with_flops),
            ('emit_nvtx', emit_nvtx),
            ('custom_device_types', custom_device_types),
        ):
            if wanted:
                warnings.warn(f'[Profiler] {name} has no effect.')
        if isinstance(scheduler, (tuple, list)):
            first, last = scheduler
            assert first >= 0 and last > first, (
                f"[Profiler] expected scheduler (first, last) that ascend, got {scheduler}"
            )
            scheduler = make_scheduler(
                closed=max(first - 1, 0), ready=int(first >= 1), record=last - first, repeat=1
            )
        if scheduler is not None and not callable(scheduler):
            raise TypeError(
                f'[Profiler] expected scheduler to be a function or a pair of steps, got '
                f'{type(scheduler).__name__}'
            )
        self.scheduler = scheduler or (lambda step: ProfilerState.RECORD)
        self.on_trace_ready = on_trace_ready
        self.record_shapes, self.with_flops, self.emit_nvtx = record_shapes, with_flops, emit_nvtx
        self.profile_memory, self.timer_only = profile_memory, timer_only
        self.previous_state = ProfilerState.CLOSED
        self.current_state = self.scheduler(0)
        self.step_num = 0
        self.profiler_result = None
        self._began = self._step_began = None
        self._times, self._samples = [], []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()
        return False

    @staticmethod
    def _records(state):
        return state in (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)

    def _open(self):
        take_events()
        _core.reset_cpu_memory_peaks()
        self._began, self._cpu = _core._op_clock(), time.process_time()
        utils.recording = True
        self._step = Optimizer.step
        Optimizer.step = self._timed_step = _timed(Optimizer.step)
        _core._watch_times(True)

    def _close(self, hand_on):
        _core._watch_times(False)
        utils.recording = False
        if Optimizer.step is self._timed_step:
            Optimizer.step = self._step
        end, peak = _core._op_clock(), _core.cpu_memory_stats()['allocated_max']
        self.profiler_result = _Result(
            take_events(), self._began, end, time.process_time() - self._cpu, peak
        )
        self._began = None
        if hand_on and self.on_trace_ready:
            self.on_trace_ready(self)

    def start(self):
        """Begin with the schedule's step 0."""
        self._step_began = _core._op_clock()
        self._times, self._samples = [], []
        if not self.timer_only and self._records(self.current_state):
            self._open()

    def _end_step(self):
        now = _core._op_clock()
        if self._began is not None:
            name = f'ProfileStep#{self.step_num}'
            _core._add_event(name, TracerEventType.ProfileStep.value, self._step_began, now)
        return now

    def step(self, num_samples=None):
        """A step of training ended, on `num_samples` samples; the next one begins."""
        now = self._end_step()
        self._times.append((now - self._step_began) * 1e-9)
        self._samples.append(num_samples)
        self.step_num += 1
        self.previous_state, self.current_state = self.current_state, self.scheduler(self.step_num)
        if not self.timer_only:
            ends = self.previous_state == ProfilerState.RECORD_AND_RETURN or not self._records(
                self.current_state
            )
            if self._began is not None and ends:
                self._close(self.previous_state == ProfilerState.RECORD_AND_RETURN)
            if self._began is None and self._records(self.current_state):
                self._open()
        self._step_began = _core._op_clock()

    def stop(self):
        """End; what is being recorded is handed on."""
        if self._began is not None:
            self._end_step()
            self._close(True)
        self.previous_state, self.current_state = self.current_state, ProfilerState.CLOSED

    def step_info(self, unit=None):
        """Average time and speed of the steps since the last call, as text: empty without a
        step.
        """
        if not self._times:
            return ''
        total, count = sum(self._times), len(self._times)
        known = all(n is not None for n in self._samples)
        speed = (sum(self._samples) if known else count) / max(total, 1e-12)
        text = (
            f" batch_cost: {total / count:.5f} s ips: {speed:.3f} "
            f"{(unit or 'samples') if known else 'steps'}/s"
        )
        self._times, self._samples = [], []
        return text

    def export(self, path='', format='json'):
        """Write the last result: 'json', a Chrome trace, or 'pb', for `load_profiler_result`."""
        if format not in ('json', 'pb'):
            raise ValueError(f"[Profiler.export] expected format 'json' or 'pb', got {format!r}")
        if self.profiler_result is None:
            return
        from paddle.framework.output_file import write_file

        result = self.profiler_result
        write_file(
            path,
            json.dumps(result.chrome_trace()).encode() if format == 'json' else result.message(),
        )

    def summary(
        self,
        sorted_by=SortedKeys.CPUTotal,
        op_detail=True,
        thread_sep=False,
        time_unit='ms',
        views=None,
    ):
        """Print tables of the last result; `views`: which of SummaryView, by default all with
        something to show.
        """
        if self.profiler_result is not None:
            print(
                tables(
                    self.profiler_result,
                    sorted_by,
                    op_detail,
                    thread_sep,
                    time_unit,
                    views,
                    self.profile_memory,
                )
            )


_lazy.serve(globals())
