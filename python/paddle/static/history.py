# SPDX-License-Identifier: Apache-2.0
"""History of values that were reached through operations of a program: those of a copy, or what
`Operation.result` gives.
"""

from paddle import _C_ops
from paddle.base import libpaddle as _core


def lacking(program, values):
    """Whether gradients of some of the values need `found`."""
    return any(_core._lacks_history(program, v) for v in values)


def found(program, *lists):
    """The lists with values of the program that have the history which its operations tell; what is
    no value of a program stays as it is.
    """
    values = [v for values in lists for v in values or () if isinstance(v, _core.pir.Value)]
    steps, numbers = _core._steps_to(program, values)
    held = _History(program).of(steps, set(numbers))
    known = iter([held[n] for n in numbers])
    return [
        None
        if values is None
        else [next(known) if isinstance(v, _core.pir.Value) else v for v in values]
        for values in lists
    ]


class _History:
    """Calls the operations again that lead to values, from those on that stop gradients."""

    def __init__(self, program):
        self._program = program
        self._parameters = program._parameters()

    def of(self, steps, wanted):
        """Values by number, the wanted ones among them."""
        needed = []
        for step, op in reversed(list(zip(steps, self._program._operations()))):
            if wanted.isdisjoint(step[3]):
                continue
            flows = not all(v is None or v.stop_gradient for v in op.results())
            needed.append((step, op, flows))
            if flows:
                wanted.update(_read(step))
        held = {-1: None}
        for step, op, flows in reversed(needed):
            results = self._called(step, op, held) if flows else op.results()
            held.update(zip(step[3], results))
        return held

    def _called(self, step, op, held):
        kind, name, args, outs, _ = step
        if kind == 'data':
            return op.results()
        if kind == 'parameter':
            return [self._parameters[name]]
        if kind == 'combine':
            return [[held[n] for n in args]]
        if kind == 'split':
            return held[args[0]]
        if kind not in ('op', 'custom') or name.endswith('_'):
            raise NotImplementedError(
                f"[gradients] expected values that were recorded here, got one that was reached "
                f"through its operation, and depends on {op.name()}"
            )
        call = [held[v] if given == 0 else v for given, v, _ in args]
        if kind == 'custom':
            results = _core._again(op, _core._run_custom_op, name, *call)
        else:
            results = _core._again(op, _C_ops._whole(name), *call)
        return [results] if len(outs) == 1 else results


def _read(step):
    kind, _, args, _, _ = step
    if kind in ('combine', 'split'):
        return args
    return [v for given, v, _ in args if given == 0] if kind in ('op', 'custom') else ()
