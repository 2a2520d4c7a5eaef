# SPDX-License-Identifier: Apache-2.0
"""Programs done again operation by operation: recorded into another program with changes, or run to
see what their operations are given.
"""

import paddle
from paddle.base import libpaddle as _core
from paddle.static import io
from paddle.static import program as _program


class Rewriter:
    """The operations of a program from some inputs to some values. `operation` is what changes;
    ValueError for a program with branches or loops.
    """

    def __init__(self, op, program, feeds, fetches):
        known = data_values(program)
        program = io.normalize_program(program, [known[name] for name in feeds], fetches)
        self.steps = _core._program_steps(program)
        other = next((s[1] for s in self.steps if s[0] in ('other', 'if', 'while', 'custom')), None)
        if other:
            raise ValueError(f'[{op}] expected a program of single operations, got {other}')
        self.parameters = program._parameters()
        self.feeds, self.fetches = list(feeds), list(fetches)
        self.declared = data_values(program)
        self.values, self.names, self.inputs = {-1: None}, {}, {}

    def data(self, name, declared):
        """The input `name`, which the program declares as the value `declared`."""
        return paddle.static.data(name, declared.shape, declared.dtype)

    def parameter(self, name):
        """What is read as the parameter `name`."""
        return self.parameters[name]

    def read(self, number):
        """The value or parameter of this number."""
        name = self.names.get(number)
        return self.values[number] if name is None else self.parameter(name)

    def operation(self, name, args):
        """The results of an operation, whose arguments are (0, number of a value, their name) or
        (1, what it is, their name)."""
        return self.called(name, [a[1] if a[0] else self.read(a[1]) for a in args])

    def called(self, name, call):
        """The results of the operation on these arguments."""
        return paddle._C_ops._whole(name)(*call)

    def result(self, number, before):
        """What is fetched in the place of the value `before`."""
        return self.read(number)

    def run(self):
        """The fetched values in order."""
        fetched = []
        for kind, name, args, outs, _ in self.steps:
            if kind == 'data':
                self.inputs[name] = self.values[outs[0]] = self.data(name, self.declared[name])
            elif kind == 'parameter':
                self.names[outs[0]] = name
            elif kind == 'combine':
                self.values[outs[0]] = [self.read(i) for i in args]
            elif kind == 'split':
                self.values.update(zip(outs, self.read(args[0])))
            elif kind == 'fetch':
                fetched.append((int(name) if name.isdigit() else len(fetched), args[0]))
            else:
                results = self.operation(name, args)
                self.values.update({outs[0]: results} if len(outs) == 1 else zip(outs, results))
        return [self.result(number, was) for (_, number), was in zip(sorted(fetched), self.fetches)]

    def record(self):
        """(program, its inputs, its results), recorded anew."""
        made, was_static = _program.Program(), not paddle.in_dynamic_mode()
        paddle.enable_static()
        try:
            with _program.program_guard(made, _program.Program()), paddle.no_grad():
                results = self.run()
                return made, [self.inputs[name] for name in self.feeds], results
        finally:
            if not was_static:
                paddle.disable_static()


def data_values(program):
    """{name: value} of the inputs of a program."""
    return {
        op.attrs()['name']: op.result(0)
        for op in program._operations()
        if op.name() == 'pd_op.data'
    }


def contents(recorded):
    """The bytes of both files of what `Rewriter.record` gave."""
    program, given, results = recorded
    text = io.serialize_program(given, results, program=program)
    return text, io.serialize_persistables(given, results, None, program=program) or b''


def write(recorded, model_file, params_file):
    """Write what `Rewriter.record` gave."""
    text, data = contents(recorded)
    io.save_to_file(model_file, text)
    io.save_to_file(params_file, data)
