# SPDX-License-Identifier: Apache-2.0
"""Changes to the program of a graph: operations put in front of others, readers turned to another
value, and state that lasts over runs and is shared through a scope.

What is put in has the attribute `quantized_name`: the name of the variable that the result stands
for, or nothing for a step on the way. It stays with the operation in copies of the program.
"""

import itertools

import numpy as np

import paddle
from paddle.base import libpaddle as _core
from paddle.static import program as _program
from paddle.static import value_names
from paddle.static.kept_scales import captured
from paddle.utils import unique_name

NAME = 'quantized_name'
_SHAPED = ('reshape', 'cast', 'transpose', 'unsqueeze', 'squeeze', 'flatten')
_FIXED = ('pd_op.full', 'pd_op.full_int_array')
_FILLED = ('full', 'full_like')


def kind(op):
    """The name of an operation without that of its dialect."""
    return op.name().split('.', 1)[-1]


def floating(value):
    """Whether a value is a tensor of floating numbers."""
    return value.dtype in (paddle.float32, paddle.float64, paddle.float16, paddle.bfloat16)


def named(op):
    """What the result of an operation that was put in stands for; None for other operations."""
    return op.str_attr(NAME) if op.has_attr(NAME) else None


def maker(value):
    """The operation that makes a value."""
    return value.get_defining_op()


class Changes:
    """The program of a graph: its operations that compute results and gradients, as they were when
    this was made, and their changes.
    """

    def __init__(self, program, scope):
        self.program, self.scope = program, scope
        self.forward, self.gradients, self.late = [], {}, []
        self._names, self._made = {}, {}
        counts, late = {}, set()
        given = {self.key(v): n for n, v in value_names.named(program)}
        every = program._operations()
        self._next = {one.id(): other for one, other in zip(every, [*every[1:], None])}
        for one in every:
            results = [r for r in one.results() if r is not None]
            name = named(one)
            if name is not None:
                if name:
                    self._made[name] = results[0]
                    self._names[self.key(results[0])] = name
                continue
            own = value_names.own(one)
            if own is not None:
                self._names[self.key(results[0])] = own
                continue
            read = [one.operand_source(k) for k in range(one.num_operands())]
            if (
                kind(one).endswith('_grad')
                or any(self.key(v) in late for v in read if v is not None)
                or (kind(one) in _FILLED and _seeds(results[0]))
            ):
                late.update(self.key(r) for r in results)
                self.gradients.setdefault(kind(one), []).append(one)
                self.late.append(one)
                continue
            self.forward.append(one)
            stem = value_names.stem(one)
            at = counts[stem] = counts.get(stem, -1) + 1
            for k, result in enumerate(results):
                key = self.key(result)
                self._names[key] = given.get(key, f'{stem}_{at}.tmp_{k}')

    def key(self, value):
        """What identifies a value of the program."""
        return self.program._key(value)

    def name(self, value):
        """The name of a variable: of an input or parameter its own, of others by the operation that
        makes it and how many of its kind there are before.
        """
        return self._names[self.key(value)]

    def made(self, name):
        """The value that was put in under this name, or None."""
        return self._made.get(name)

    def parameter(self, value):
        """Whether a value is a parameter."""
        return _parameter(maker(value))

    def kept(self, value):
        """Whether a value is a parameter, or one in another shape."""
        op = maker(value)
        while kind(op) in _SHAPED:
            op = maker(op.operand_source(0))
        return _parameter(op)

    def places(self, op):
        """[(operand, value)] of the tensors of floating numbers that an operation reads, those of a
        list one by one.
        """
        found = []
        for k in range(op.num_operands()):
            value = op.operand_source(k)
            if value is None:
                continue
            source = maker(value)
            if source.name() == 'builtin.combine':
                found += self.places(source)
            elif source.name() not in _FIXED and floating(value):
                found.append((op.operand(k), value))
        return found

    def after(self, op):
        """The operation that was behind another one, or None."""
        return self._next[op.id()]

    def insert(self, before, make):
        """What `make()` records, in front of an operation. It returns {name: value}; what each name
        stands for can be asked for with `made`.
        """
        last = self.program._operations()[-1]
        with _program.running(), _program.recording(self.program), paddle.no_grad():
            values = make()
        new = itertools.takewhile(lambda one: one != last, reversed(self.program._operations()))
        for one in reversed(list(new)):
            one.set_str_attr(NAME, '')
            if before is not None:
                one.move_before(before)
        for name, value in values.items():
            if named(maker(value)) is not None:
                maker(value).set_str_attr(NAME, name)
            self._made[name] = value
            self._names[self.key(value)] = name
        return values

    def _keys(self, op):
        """{name of an input: key of its value}."""
        names = zip(range(op.num_operands()), op.get_input_names())
        read = ((name, op.operand_source(k)) for k, name in names)
        return {name: self.key(value) for name, value in read if value is not None}

    def _shared(self, gradient, keys):
        """[(number, key)] of the inputs of an operation that a gradient reads, too."""
        shared = []
        for k, name in enumerate(gradient.get_input_names()[: gradient.num_operands()]):
            value = gradient.operand_source(k)
            if name in keys and value is not None and floating(value):
                shared.append((k, name, self.key(value)))
        same = all(keys[name] == key for _, name, key in shared)
        return [(k, key) for k, _, key in shared] if same else []

    def gradients_of(self, op):
        """The operations that compute the gradients of one."""
        keys, every = self._keys(op), self.gradients.get(value_names.stem(op) + '_grad', ())
        return [one for one in every if self._shared(one, keys)]

    def gradient_of(self, gradient, value):
        """What a gradient's operation computes for a value that it reads, or None."""
        names = gradient.get_output_names()
        for read, key in self._keys(gradient).items():
            if key == self.key(value) and read + '_grad' in names:
                return gradient.result(names.index(read + '_grad'))
        return None

    def readers(self, value):
        """The operands that read a value."""
        return [
            one.operand(k)
            for one in value.all_used_ops()
            for k in range(one.num_operands())
            if (read := one.operand_source(k)) is not None and self.key(read) == self.key(value)
        ]

    def turn(self, op, places):
        """Make an operation, and its gradient, read other values at [(operand, value, other
        value)].
        """
        keys = self._keys(op)
        others = {self.key(value): other for _, value, other in places}
        for gradient in self.gradients_of(op):
            for k, key in self._shared(gradient, keys):
                if key in others:
                    gradient.operand(k).set_source(others[key])
        for operand, _, other in places:
            operand.set_source(other)

    def variable(self, name, first, again):
        """The tensor of this name in the scope, made with the numbers `first` where there is none;
        with `again` they are set in any case.
        """
        found = self.scope.find_var(name)
        if found is not None and found.get_tensor()._is_initialized():
            tensor = found.get_tensor()._held()
            if list(tensor.shape) == list(first.shape):
                if again:
                    with _program.running(), paddle.no_grad():
                        tensor.set_value(first.astype(str(tensor.dtype).rsplit('.', 1)[-1]))
                return self._share(name, tensor)
        return self._share(name, self._tensor(first))

    def fresh(self, stem, first):
        """A new tensor under a new name in the scope, with the numbers `first`."""
        return self._share(unique_name.generate(stem), self._tensor(first))

    @staticmethod
    def _tensor(array):
        with _program.running():
            return paddle.to_tensor(array)

    def _share(self, name, tensor):
        tensor.name, tensor.persistable, tensor.stop_gradient = name, True, True
        self.scope._hold(name, tensor)
        return tensor

    def write(self, tensor, value):
        """Each run leaves a value in a tensor that lasts."""
        self.program.__dict__.setdefault('_writes', {})[id(tensor)] = (tensor, value)

    def array(self, name):
        """The numbers of a variable of the scope; AssertionError where there is none."""
        from .utils import load_variable_data

        return load_variable_data(self.scope, name)

    def captured(self, tensor):
        """A tensor with data as a value of the program."""
        return captured(self.program, tensor)

    def keep(self, old, name, array):
        """Have the numbers of an array, which the program keeps, read as float32 in the place of a
        value that was put in, or of a parameter. The new parameter's value.
        """
        tensor = self._tensor(array)
        tensor.persistable, tensor.name = True, name
        value = self.captured(tensor)
        if array.dtype == np.float32:
            maker(value).set_str_attr(NAME, name)
            read = value
        else:
            first = next(one for one in self.program._operations() if not _parameter(one))
            read = self.insert(first, lambda: {name: paddle.cast(value, 'float32')})[name]
        old.replace_all_uses_with(read)
        return value

    def call(self, value, name):
        """Give a parameter that `keep` made this name, in the scope too; where the program still
        reads the one that has it, it stays as it is.
        """
        op = maker(value)
        tensor = self.program._parameters()[op.attrs()['parameter_name']]
        if name not in self.program._parameter_names():
            op.set_str_attr('parameter_name', name)
            self.program._set_parameter(name, tensor)
            tensor.name = name
        self.scope._hold(tensor.name, tensor)

    def updates(self):
        """Whether the program changes parameters by gradients."""
        return any(kind(one).endswith('_') for one in self.late)

    def clear(self):
        """Take out what nobody reads of gradients, of what was put in and of parameters. The
        program writes nothing.
        """
        late = {one.id() for one in self.late}
        dead = [
            one
            for one in reversed(self.program._operations())
            if named(one) is not None or one.id() in late or _parameter(one)
        ]
        _core.pir._erase_unread(self.program, dead)


def _seeds(value):
    """Whether only gradients read a value."""
    readers = value.all_used_ops()
    return bool(readers) and all(
        kind(one).endswith('_grad') or (kind(one) in _FILLED and _seeds(one.result(0)))
        for one in readers
    )


def _parameter(op):
    return op.name() == 'builtin.parameter'
