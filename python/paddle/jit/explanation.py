# SPDX-License-Identifier: Apache-2.0
"""`explain`: what was compiled of a function marked with `to_static`, what was not, and why."""

_ENDS = {
    0: 'compiled',
    1: 'recorded at its second call',
    2: 'run as it is; the next call is tried again',
    3: 'runs as it is',
    4: 'not recorded with numbers left free that vary',
}


class Event:
    """A call that no recording fitted: what became of it.

    `end`: a key of _ENDS; `reason`, `where` (file:line): why it was not compiled; `guards`: what
    was read, as texts; `operations`: of the program; `free`: extents and integers that may be
    others; `differences`: (number of a recording, why it did not fit).
    """

    def __init__(self, function):
        self.function, self.end, self.reason, self.where = function, None, '', ''
        self.guards, self.operations, self.number, self.differences = [], 0, -1, []
        self.free = []

    @property
    def compiled(self):
        """Whether a recording came of it."""
        return self.end == 0

    def __str__(self):
        text = f'{self.function}: {_ENDS.get(self.end, "raised an exception")}'
        if self.compiled:
            text += f', {self.operations} operations, {len(self.guards)} guards'
            if self.free:
                text += f', for any {", ".join(self.free)}'
        elif self.reason:
            text += f': {self.reason}' + (f' ({self.where})' if self.where else '')
        for number, why in self.differences:
            text += f'\n  recording {number} did not fit: {why}'
        return text


class Failure:
    """Runs of a recording that ended with an error, where the function ran as it is instead.

    `function`: its name, or the lines of a region; `number`: of the recording; `error`: what its
    run gave; `calls`: how many ended so, `raised` of them raised when they ran as they are, too.
    """

    def __init__(self, function, number, error):
        name = getattr(function._dygraph_function, '__qualname__', repr(function))
        self.function, self.number, self.error = getattr(function, 'where', name), number, error
        self.calls = self.raised = 0

    def __str__(self):
        text = f'{self.function}: recording {self.number} failed in {self.calls} calls, which ran '
        text += f'as they are, {self.raised} of them with an exception: {self.error}'
        return text

    __repr__ = __str__


class Region:
    """A part of a function that is compiled: `where` (file:first-last line, or the name of a
    function that is called), `operations` of its last recording, `recordings`, `compiled_calls`.
    """

    def __init__(self, where, function):
        self.where, self.compiled_calls = where, function._compiled_runs()
        compiled = [e for e in function._events if e.compiled]
        self.recordings = len(compiled)
        self.operations = compiled[-1].operations if compiled else 0

    def __str__(self):
        return (
            f'{self.where}: {self.operations} operations, {self.recordings} recordings, '
            f'{self.compiled_calls} calls ran one'
        )

    __repr__ = __str__


class Explanation:
    """What is known of a function.

    `regions`: the parts that are compiled where it is not as a whole, also of functions it calls;
    `breaks`: (reason, file:line) of what runs as it is between them.
    `compiled`: whether the last new way of calling it was compiled; `events`: the calls that no
    recording fitted; `break_reasons`: (reason, file:line) of those that were not compiled;
    `guards`: what the recordings depend on; `op_count`: operations of the last recording;
    `compiled_calls`: how many calls ran a recording; `failures`: Failures of recordings, those of
    regions included, in whose place the function ran as it is.
    """

    def __init__(self, function):
        self.events = list(function._events)
        self.compiled_calls = function._all_runs()
        self.regions, self.breaks = [], []
        parts = function._owner.parts() if function._owner is not None else []
        if function._owner is not None:
            self.regions = [Region(p.where, p) for p in parts if p._events]
            self.breaks = function._owner.reasons()
        self.failures = [f for part in (function, *parts) for f in part._failures.values()]

    @property
    def compiled(self):
        return bool(self.events) and self.events[-1].compiled

    @property
    def break_reasons(self):
        return [(e.reason, e.where) for e in self.events if not e.compiled]

    @property
    def guards(self):
        return [g for e in self.events if e.compiled for g in e.guards]

    @property
    def op_count(self):
        return next((e.operations for e in reversed(self.events) if e.compiled), 0)

    @property
    def recompiles(self):
        """(number of a recording, why it did not fit) of all calls that were recorded anew."""
        return [d for e in self.events for d in e.differences]

    def __str__(self):
        lines = [str(e) for e in self.events] or ['no call yet']
        lines.append(f'{self.compiled_calls} calls ran a recording')
        if self.regions:
            lines.append('compiled regions:')
            lines.extend(f'  {r}' for r in self.regions if r.recordings)
            lines.append('Python between them:')
            lines.extend(f'  {where}: {reason}' for reason, where in self.breaks)
        lines.extend(map(str, self.failures))
        for e in self.events:
            if e.compiled:
                lines.append(f'recording {e.number} depends on:')
                lines.extend(f'  {g}' for g in e.guards)
        return '\n'.join(lines)

    __repr__ = __str__


def explain(function, *args, **kwargs):
    """What `to_static` made of `function`, as an Explanation that prints.

    A layer stands for its forward; a function that is not marked is marked here. With arguments it
    is called with them first: twice, and again while more of it is being compiled, at most 8
    times.
    """
    from . import api
    from .static_function import StaticFunction

    forward = getattr(function, 'forward', None)
    static = function if isinstance(function, StaticFunction) else forward
    call = function
    if not isinstance(static, StaticFunction):
        static = call = api.to_static(forward or function)
    if args or kwargs:
        news = None
        for count in range(8):
            if count > 1 and static._news() == news:
                break
            news = static._news()
            call(*args, **kwargs)
    return Explanation(static)
