# SPDX-License-Identifier: Apache-2.0
"""Functions of users in programs that are quantised: what they make of the values that operations
read, and its gradient where the program trains.
"""

import paddle
from paddle.base import libpaddle as _core
from paddle.static import program as _program


class UserFunctions:
    """What functions of users make of the values of a program, and its gradients.

    `optimizer` makes what updates the parameters of the functions, or is None.
    """

    def __init__(self, op, changes, optimizer):
        self._op, self._changes, self._optimizer = op, changes, optimizer
        self._sources, self._gradients = {}, {}

    def apply(self, op, operand, value, end, function):
        """What `function` makes of a value that `operand` of an operation reads; it has the name of
        the value and `end`.
        """
        changes = self._changes
        name = changes.name(value) + end
        if changes.made(name) is None:
            self._sources[name] = value, self._inserted(operand.owner(), value, name, function)
        made = changes.made(name)
        if changes.gradients:
            self._differentiate(op, name, made)
        return made

    def _inserted(self, before, value, name, function):
        """The parameters that a function reads and trains."""
        changes, program = self._changes, self._changes.program
        old = set(program._parameter_names())

        def make():
            with _program.program_guard(program, _program.Program()), paddle.enable_grad():
                made = function(value)
                if not isinstance(made, _core.Tensor):
                    raise TypeError(
                        f'[{self._op}] expected functions to return a tensor, got '
                        f'{type(made).__name__}'
                    )
                return {name: paddle.assign(made) if made.is_same(value) else made}

        changes.insert(before, make)
        trained = []
        for parameter in sorted(set(program._parameter_names()) - old):
            tensor = program._parameters()[parameter]
            found = changes.scope.find_var(parameter)
            if found is not None and found.get_tensor()._is_initialized():
                tensor = found.get_tensor()._held()
                program._set_parameter(parameter, tensor)
            changes.scope._hold(parameter, tensor)
            trained += [] if tensor.stop_gradient else [tensor]
        return trained

    def _differentiate(self, op, name, made):
        """Have the gradient of what a function made go on to what it was made of."""
        changes = self._changes
        value, parameters = self._sources[name]
        wanted = ([] if value.stop_gradient else [value]) + parameters
        if not wanted:
            return
        if self._optimizer is None:
            raise AssertionError(
                f'[{self._op}] expected optimizer_func beside functions in a program that '
                f'trains, got None'
            )
        for gradient in changes.gradients_of(op):
            given = changes.gradient_of(gradient, value)
            if given is None:
                raise AssertionError(
                    f'[{self._op}] expected a program with the gradient of '
                    f'{changes.name(value)!r}, which a function with parameters reads, '
                    f'got none'
                )
            readers = changes.readers(given)

            def make(given=given):
                found = _core.grad([made], wanted, [given], True, allow_unused=True)
                names = [t.name + '@GRAD' if t is not value else name + '@GRAD' for t in wanted]
                return {n: g for n, g in zip(names, found) if g is not None}

            found = changes.insert(changes.after(gradient), make)
            if name + '@GRAD' in found:
                for operand in readers:
                    operand.set_source(found[name + '@GRAD'])
            for tensor in parameters:
                if tensor.name + '@GRAD' in found:
                    pair = tensor, found[tensor.name + '@GRAD']
                    self._gradients.setdefault(tensor.name, []).append(pair)

    def update(self):
        """Have each run update the parameters of the functions."""

        def make():
            pairs = []
            for found in self._gradients.values():
                total = found[0][1]
                for _, more in found[1:]:
                    total = total + more
                pairs.append((found[0][0], total))
            with _program.program_guard(self._changes.program, _program.Program()):
                self._optimizer().apply_gradients(pairs)
            return {}

        if self._gradients:
            self._changes.insert(None, make)
