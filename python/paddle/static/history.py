# SPDX-License-Identifier: Apache-2.0
"""History of values that were reached through operations of a program: those of a copy, or what
`Operation.result` gives.
"""

import functools

from paddle.base import libpaddle as _core
from paddle.static.callbacks import called_again
from paddle.static.steps import called


def lacking(program, values):
    """Whether gradients of some of the values need `found`."""
    return any(_core._lacks_history(program, v) for v in values)


def found(program, *lists):
    """The lists with values of the program that have the history which its operations tell; what is
    no value of a program stays as it is.
    """
    values = [v for values in lists for v in values or () if isinstance(v, _core.pir.Value)]
    calls = program.__dict__.get('_own_gradients', ())
    noted = [v for ins, outs, _ in calls for v in (*ins, *outs) if isinstance(v, _core.pir.Value)]
    recorded, numbers = _core._steps_to(program, values + noted)
    places = iter(numbers[len(values) :])
    own = [
        (
            *(
                [next(places) if isinstance(v, _core.pir.Value) else v for v in part]
                for part in parts
            ),
            f,
        )
        for *parts, f in calls
    ]
    held = _History(program, own).of(recorded, program._operations(), numbers[: len(values)])
    known = iter([held[n] for n in numbers[: len(values)]])
    return [
        None
        if values is None
        else [next(known) if isinstance(v, _core.pir.Value) else v for v in values]
        for values in lists
    ]


class _History:
    """Calls the operations again that lead to values, from those on that stop gradients. `own` has
    parts with a gradient of their own: numbers of their inputs and results, and the gradient.
    """

    def __init__(self, program, own):
        self._parameters = program._parameters()
        self._own = {n: call for call in own for n in call[1]}

    def of(self, steps, operations, wanted, held=None):
        """Values by number, the wanted ones and those of `held` among them."""
        needed, wanted = [], {*wanted, *self._own}
        for step, op in reversed(list(zip(steps, operations))):
            if wanted.isdisjoint(step[3]):
                continue
            own = next((self._own[n] for n in step[3] if n in self._own), None)
            flows = not all(v is None or v.stop_gradient for v in op.results())
            needed.append((step, op, flows, own))
            if own:
                wanted.update(v for v in own[0] if isinstance(v, int))
            elif flows:
                wanted.update(_read(step))
        held = {-1: None, **(held or {})}
        for step, op, flows, own in reversed(needed):
            results = self._called(step, op, held) if flows and not own else op.results()
            held.update(zip(step[3], results))
            if own and all(n in held for n in own[1]):
                self._with_own_gradient(own, held)
        return held

    def _with_own_gradient(self, own, held):
        """Gives the results of a part with a gradient of its own the history of one."""
        inputs, outs, gradient = own
        given = [held[v] if isinstance(v, int) else v for v in inputs]
        results = called_again(lambda tensors: [held[n] for n in outs], given, gradient)
        held.update(zip(outs, results))

    def _called(self, step, op, held):
        kind, name, args, _, regions = step
        if kind == 'data':
            return op.results()
        if kind == 'parameter':
            return [self._parameters[name]]
        if kind == 'if':
            branches = [
                lambda region=region, block=block: self._yielded(region, block, held, 0)
                for region, block in zip(regions, op.blocks())
            ]
            return _core._again(op, _core.pir._if_again, op, *branches)
        if kind == 'while':
            (region,), (block,) = regions, op.blocks()

            def body(values):
                return self._yielded(region, block, held | dict(zip(region[0], values)), 1)

            return _core._again(op, _core.pir._while_again, op, body, [held[n] for n in args[1:]])
        if name == 'pd_op.print':
            return [_core._again(op, _core.pir._print_again, op, held[args[0]])]
        results = called(step, held, functools.partial(_core._again, op))
        if results is None:
            raise NotImplementedError(
                f"[gradients] expected values that were recorded here, got one that was reached "
                f"through its operation, and depends on {op.name()}"
            )
        return results

    def _yielded(self, region, block, held, first):
        """What a region yields, from the first place on."""
        steps = region[1]
        numbers = steps[-1][2][first:]
        inside = self.of(steps, block.ops, numbers, held)
        return [inside[n] for n in numbers]


def _read(step):
    kind, _, args, _, regions = step
    if kind in ('combine', 'split', 'other'):
        return args
    if kind in ('if', 'while', 'yield'):
        return {*args, *(n for _, steps in regions for inner in steps for n in _read(inner))}
    return [v for given, v, _ in args if given == 0] if kind in ('op', 'custom') else ()
