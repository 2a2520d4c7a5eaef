# SPDX-License-Identifier: Apache-2.0
"""Tables of a profile."""

from enum import Enum
from paddle import _lazy

from .utils import TracerEventType

__all__ = ['SortedKeys', 'SummaryView', 'tables']


class SortedKeys(Enum):
    """What rows of a summary are sorted by: CPUTotal, CPUAvg, CPUMax, CPUMin, or the same of a GPU.

    Examples:
        >>> from paddle.profiler import Profiler, SortedKeys
        >>> with Profiler() as profiler:
        ...     x = paddle.ones([2]) + 1.0
        >>> profiler.summary(sorted_by=SortedKeys.CPUMax, views=[])
    """

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(Enum):
    """Tables that a summary may have: OverView, ModelView, OperatorView, UDFView and so on.

    Examples:
        >>> import contextlib, io
        >>> from paddle.profiler import Profiler, SummaryView
        >>> with Profiler() as profiler:
        ...     x = paddle.ones([2]) + 1.0
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     profiler.summary(views=[SummaryView.OperatorView])
        >>> "add" in printed.getvalue()
        True
    """

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


_UNITS = {'s': 1e9, 'ms': 1e6, 'us': 1e3, 'ns': 1.0}
_OPERATIONS = (TracerEventType.Operator, TracerEventType.Program)
_PHASES = (
    TracerEventType.Dataloader,
    TracerEventType.Forward,
    TracerEventType.Backward,
    TracerEventType.Optimization,
)


class _Row:
    """Calls and times of one name."""

    def __init__(self):
        self.times = []

    @property
    def total(self):
        return sum(self.times)

    def key(self, by):
        kind = by.name[3:]
        return {
            'Total': self.total,
            'Avg': self.total / len(self.times),
            'Max': max(self.times),
            'Min': min(self.times),
        }[kind]

    def text(self, unit, whole):
        numbers = [self.total, self.total / len(self.times), max(self.times), min(self.times)]
        return (
            ' / '.join(f'{n / unit:.2f}' for n in numbers)
            + f' / {100 * self.total / max(whole, 1):.2f}'
        )


def _by_name(events):
    rows = {}
    for e in events:
        rows.setdefault(e.name, _Row()).times.append(e.end - e.begin)
    return rows


def _covered(events):
    """Time that at least one of the events covers."""
    total, reach = 0, 0
    for begin, end in sorted((e.begin, e.end) for e in events):
        total += max(0, end - max(begin, reach))
        reach = max(reach, end)
    return total


def _of(events, kind):
    return [e for e in events if e.type == kind]


def _outermost(events, kind):
    """Events of a kind that are in no other of the same kind and thread."""
    found, reach = [], {}
    for e in sorted(_of(events, kind), key=lambda e: (e.begin, -e.end)):
        if e.end > reach.get(e.thread, 0):
            reach[e.thread] = e.end
            found.append(e)
    return found


def _model(events, steps, whole, time_unit):
    """Rows of steps, of their phases, and of what is none."""
    unit, rows, rest = _UNITS[time_unit], [], whole
    for name, found in [
        ('ProfileStep', steps),
        *((f'  {kind.name}', _outermost(events, kind)) for kind in _PHASES),
    ]:
        if found:
            row = _Row()
            row.times = [e.end - e.begin for e in found]
            rows.append([name, len(found), row.text(unit, whole)])
            rest -= _covered(found) if name != 'ProfileStep' else 0
    ratio = f'{100 * max(rest, 0) / max(whole, 1):.2f}'
    rows.append(['  Others', '-', f'{max(rest, 0) / unit:.2f} / - / - / - / {ratio}'])
    heads = ['Name', 'Calls', 'CPU Total / Avg / Max / Min / Ratio(%)']
    return _table('Model Summary', heads, rows, time_unit)


def _table(title, heads, rows, unit=None):
    widths = [max(len(str(r[k])) for r in [heads, *rows]) + 2 for k in range(len(heads))]
    line = '  '.join('-' * w for w in widths)
    out = [f' {title} '.center(len(line), '-')]
    if unit:
        out.append(f'Time unit: {unit}')
    out += [line, '  '.join(str(h).ljust(w) for h, w in zip(heads, widths)), line]
    out += ['  '.join(str(c).ljust(w) for c, w in zip(r, widths)) for r in rows]
    return '\n'.join([*out, line, ''])


def _detail(title, events, whole, sorted_by, thread_sep, time_unit):
    heads = ['Name', 'Calls', 'CPU Total / Avg / Max / Min / Ratio(%)']
    lines = []
    for thread in sorted({e.thread for e in events}) if thread_sep else [None]:
        rows = _by_name([e for e in events if thread in (None, e.thread)])
        if thread is not None:
            lines.append([f'Thread {thread}', '', ''])
        for name, row in sorted(rows.items(), key=lambda r: -r[1].key(sorted_by)):
            lines.append([name, len(row.times), row.text(_UNITS[time_unit], whole)])
    return _table(title, heads, lines, time_unit)


def tables(result, sorted_by, op_detail, thread_sep, time_unit, views, memory):
    """The summary of a result as text."""
    if time_unit not in _UNITS:
        raise ValueError(
            f'[Profiler.summary] expected time_unit in {list(_UNITS)}, got {time_unit!r}'
        )
    if isinstance(views, SummaryView):
        views = [views]
    wanted = set(SummaryView if views is None else views)
    if sorted_by.name.startswith('GPU'):
        sorted_by = SortedKeys[sorted_by.name.replace('GPU', 'CPU')]
    unit, events = _UNITS[time_unit], result.events
    steps = [e for e in events if e.type == TracerEventType.ProfileStep]
    whole = sum(e.end - e.begin for e in steps) or result.end - result.begin
    out = []
    if SummaryView.DeviceView in wanted:
        row = ['CPU(Process)', f'{100 * result.utilization:.2f}']
        out.append(_table('Device Summary', ['Device', 'Utilization (%)'], [row]))
    if SummaryView.OverView in wanted:
        rows = [['ProfileStep', len(steps), f'{whole / unit:.2f}', '100.00']]
        kinds = [k for k in TracerEventType if k != TracerEventType.ProfileStep]
        for kind in sorted(kinds, key=lambda k: -_covered(_of(events, k))):
            of_kind = (_outermost if kind in _PHASES else _of)(events, kind)
            if of_kind:
                time = _covered(of_kind)
                rows.append(
                    [
                        f'  {kind.name}',
                        len(of_kind),
                        f'{time / unit:.2f}',
                        f'{100 * time / max(whole, 1):.2f}',
                    ]
                )
        out.append(
            _table(
                'Overview Summary',
                ['Event Type', 'Calls', 'CPU Time', 'Ratio (%)'],
                rows,
                time_unit,
            )
        )
    if SummaryView.ModelView in wanted and any(e.type in _PHASES for e in events):
        out.append(_model(events, steps, whole, time_unit))
    operations = [e for e in events if e.type in _OPERATIONS]
    if SummaryView.OperatorView in wanted and op_detail and operations:
        out.append(_detail('Operator Summary', operations, whole, sorted_by, thread_sep, time_unit))
    if SummaryView.MemoryView in wanted and memory:
        out.append(
            _table('Memory Summary', ['Device', 'Peak Allocated (bytes)'], [['CPU', result.peak]])
        )
    own = [
        e
        for e in events
        if e.type in (TracerEventType.PythonUserDefined, TracerEventType.UserDefined)
    ]
    if SummaryView.UDFView in wanted and own:
        out.append(_detail('UserDefined Summary', own, whole, sorted_by, thread_sep, time_unit))
    return '\n'.join(out)


class StatisticData:
    """What tables are made of.

    Args:
        node_trees (dict): Roots of spans by thread, as `load_profiler_result` gives them.
        extra_info (dict): Text by name; `Process Cpu Utilization` is shown.
    """

    def __init__(self, node_trees, extra_info):
        from .trace_file import flattened

        self.node_trees, self.extra_info = node_trees, extra_info
        self.events = flattened(node_trees.values())
        self.begin = min((e.begin for e in self.events), default=0)
        self.end = max((e.end for e in self.events), default=0)
        self.utilization = float(extra_info.get('Process Cpu Utilization', 0.0))
        self.peak = 0


def _build_table(
    statistic_data,
    sorted_by=SortedKeys.CPUTotal,
    op_detail=True,
    thread_sep=False,
    time_unit='ms',
    row_limit=100,
    max_src_column_width=75,
    views=None,
):
    """The tables of a `StatisticData` as text."""
    return tables(statistic_data, sorted_by, op_detail, thread_sep, time_unit, views, False)


_lazy.serve(globals())
