# SPDX-License-Identifier: Apache-2.0
"""Profiles as files of PaddlePaddle's form (`.paddle_trace.pb`): messages of trees of spans by
thread, written and read here without the protobuf package.
"""

import json
import os

from paddle.framework import wire

from .utils import Event, TracerEventType

__all__ = ['ProfilerResult', 'SpanNode', 'load_profiler_result', 'trace_message']

_DEEPEST = 4096  # spans within spans


def _damaged(got):
    return ValueError(f'[load_profiler_result] expected a profile, got {got}')


def _message(*values):
    """A message whose fields are numbered from 1; None for one left out."""
    return wire.message(*((k, v) for k, v in enumerate(values, 1) if v is not None))


def _fields(data, known):
    """[(number, value)] of a message; `known`: int or bytes by number. Others are passed over."""
    try:
        found = wire.fields(data)
    except ValueError as error:
        raise _damaged(error) from None
    return [(number, value) for number, value in found if known.get(number) is type(value)]


class SpanNode:
    """A span of one thread and those within it; times in nanoseconds of the wall clock."""

    def __init__(self, name, type, start_ns, end_ns, process_id, thread_id):
        self.name, self.type = name, type
        self.start_ns, self.end_ns = start_ns, end_ns
        self.process_id, self.thread_id = process_id, thread_id
        self.children_node, self.runtime_node, self.device_node, self.mem_node = [], [], [], []


def flattened(roots):
    """The spans of trees as events, without the roots that hold the trees."""
    events, waiting = [], list(roots)
    while waiting:
        node = waiting.pop()
        for child in getattr(node, 'children_node', ()):
            kind = TracerEventType(int(child.type))
            events.append(Event(child.name, kind, child.thread_id, child.start_ns, child.end_ns))
            waiting.append(child)
    return sorted(events, key=lambda e: (e.begin, -e.end))


def trees(events, offset=0):
    """{thread: root} of the spans: each below the shortest that holds it."""
    roots, pid = {}, os.getpid()
    paths = {}
    for e in sorted(events, key=lambda e: (e.begin, -e.end)):
        root = roots.setdefault(
            e.thread,
            SpanNode('root node', TracerEventType.UserDefined, 0, (1 << 64) - 1, pid, e.thread),
        )
        node = SpanNode(e.name, e.type, e.begin + offset, e.end + offset, pid, e.thread)
        path = paths.setdefault(e.thread, [root])
        while len(path) > 1 and path[-1].end_ns < node.end_ns:
            path.pop()
        path[-1].children_node.append(node)
        if len(path) < _DEEPEST:
            path.append(node)
    return roots


class ProfilerResult:
    """What a profile file holds.

    Examples:
        >>> import os
        >>> from paddle import profiler
        >>> with profiler.Profiler(on_trace_ready=profiler.export_protobuf("traces", "me")):
        ...     x = paddle.ones([2]) + 1.0
        >>> name = next(name for name in os.listdir("traces") if name.endswith(".pb"))
        >>> result = profiler.load_profiler_result(os.path.join("traces", name))
        >>> sorted(result.get_extra_info())[:1]
        ['Process Cpu Utilization']
    """

    def __init__(self, data, extra, version='1.0.2', span=0):
        self._data, self._extra, self._version, self._span = data, extra, version, span

    def get_data(self):
        """{number of a thread: its root}, whose `children_node` are the spans."""
        return self._data

    def get_extra_info(self):
        """What else was noted, text by name."""
        return self._extra

    def get_version(self):
        """The version of the form."""
        return self._version

    def get_span_indx(self):
        """The number of the span of recording, counted by its profiler."""
        return self._span

    def save(self, path, format='json'):
        """Write it as a Chrome trace ('json') or in this form ('pb')."""
        from paddle.framework.output_file import write_file

        if format not in ('json', 'pb'):
            raise ValueError(
                f"[ProfilerResult.save] expected format 'json' or 'pb', got {format!r}"
            )
        content = (
            json.dumps(chrome_trace(flattened(self._data.values()), self._extra)).encode()
            if format == 'json'
            else _written(self._data, self._extra, self._version, self._span)
        )
        write_file(path, content)


def chrome_trace(events, extra, pid=None, begin=None, offset=0):
    """The trace as a dict for JSON; times in microseconds of the wall clock."""
    pid = os.getpid() if pid is None else pid
    begin = min((e.begin for e in events), default=0) if begin is None else begin
    rows = [
        {'name': 'process_name', 'ph': 'M', 'pid': pid, 'args': {'name': f'Process {pid} (CPU)'}}
    ]
    rows += [
        {'name': 'thread_name', 'ph': 'M', 'pid': pid, 'tid': t, 'args': {'name': f'thread {t}'}}
        for t in sorted({e.thread for e in events})
    ]
    for e in events:
        length = (e.end - e.begin) / 1e3
        rows.append(
            {
                'name': f'{e.name}[{length:.3f} us]',
                'pid': pid,
                'tid': e.thread,
                'ts': (e.begin + offset) / 1e3,
                'dur': length,
                'ph': 'X',
                'cat': e.type.name,
                'args': {
                    'start_time': f'{(e.begin - begin) / 1e3:.3f} us',
                    'end_time': f'{(e.end - begin) / 1e3:.3f} us',
                },
            }
        )
    return {
        'displayTimeUnit': 'ms',
        'schemaVersion': '1.0.2',
        'span_index': '0',
        'traceEvents': rows,
        'ExtraInfo': extra,
    }


def _written(data, extra, version, span):
    threads = []
    for thread, root in data.items():
        nodes, waiting, count = [], [(root, -1)], 0
        while waiting:
            node, parent = waiting.pop()
            event = _message(
                node.name,
                int(node.type),
                node.start_ns,
                node.end_ns,
                node.process_id,
                node.thread_id,
            )
            nodes.append(wire.field(2, _message(count, parent, event)))
            waiting.extend((child, count) for child in reversed(node.children_node))
            count += 1
        threads.append(wire.field(3, wire.field(1, thread) + b''.join(nodes)))
    notes = [wire.field(4, _message(key, value)) for key, value in extra.items()]
    return b''.join([_message(version, span), *threads, *notes])


def trace_message(events, extra, offset):
    """The bytes of a file for these events; `offset`: what makes their times those of the wall
    clock."""
    return _written(trees(events, offset), extra, '1.0.2', 0)


def load_profiler_result(filename):
    """Read what `export_protobuf` wrote, here or in PaddlePaddle.

    Args:
        filename (str): The file.

    Returns:
        ProfilerResult: `get_data()` gives the spans by thread, `get_extra_info()` what was noted.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: The file is none of this form.

    Examples:
        >>> import os
        >>> from paddle import profiler
        >>> with profiler.Profiler(on_trace_ready=profiler.export_protobuf("traces", "you")):
        ...     with profiler.RecordEvent("mine"):
        ...         x = paddle.ones([2]) + 1.0
        >>> name = next(name for name in os.listdir("traces") if name.startswith("you"))
        >>> result = profiler.load_profiler_result(os.path.join("traces", name))
        >>> spans = [n for root in result.get_data().values() for n in root.children_node]
        >>> any(child.name == "mine" for span in spans for child in span.children_node)
        True
    """
    with open(filename, 'rb') as stream:
        data = stream.read()
    try:
        return _read(data)
    except UnicodeDecodeError:
        raise _damaged('text that is none') from None


def _read(data):
    version, span, threads, extra = '', 0, {}, {}
    for field, value in _fields(data, {1: bytes, 2: int, 3: bytes, 4: bytes}):
        if field == 1:
            version = value.decode()
        elif field == 2:
            span = value
        elif field == 3:
            thread, root = _tree(value)
            threads[thread] = root
        else:
            pair = dict(_fields(value, {1: bytes, 2: bytes}))
            extra[pair.get(1, b'').decode()] = pair.get(2, b'').decode()
    if not version:
        raise _damaged('no version')
    return ProfilerResult(threads, extra, version, span)


def _tree(data):
    """(thread, root) of a message of one thread."""
    thread, nodes, above = 0, {}, {}
    for field, value in _fields(data, {1: int, 2: bytes}):
        if field == 1:
            thread = value
            continue
        node = dict(_fields(value, {1: int, 2: int, 3: bytes}))
        event = dict(_fields(node.get(3, b''), {1: bytes, 2: int, 3: int, 4: int, 5: int, 6: int}))
        kind = event.get(2, TracerEventType.UserDefined.value)
        number = node.get(1, 0)
        if number in nodes or kind not in TracerEventType._value2member_map_:
            raise _damaged(f'a span of number {number} twice, or of kind {kind}')
        nodes[number] = SpanNode(
            event.get(1, b'').decode(),
            TracerEventType(kind),
            *(event.get(k, 0) for k in (3, 4, 5, 6)),
        )
        above[number] = node.get(2, 0)
    root = None
    for number, node in nodes.items():
        parent = nodes.get(above[number])
        if parent is not None and above[number] < number:
            parent.children_node.append(node)
        elif root is None:
            root = node
        else:
            raise _damaged(f'a span of number {number} below none before it')
    if root is None:
        raise _damaged('a thread without spans')
    return thread, root
