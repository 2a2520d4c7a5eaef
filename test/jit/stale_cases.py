# SPDX-License-Identifier: Apache-2.0
"""Functions and layers that read state, each with a change of that state between calls."""

import argparse
import array
import collections
import contextvars
import dataclasses
import functools
import itertools
import os
import random
import sys
import time
import types
import weakref

import numpy

import paddle
from paddle import nn


def _tensor(*values):
    return paddle.to_tensor(list(values or (1.0, 2.0)), dtype='float32')


class Case:
    """A function and a change of what it reads."""

    def __init__(self, function, change, *args):
        self.function, self.change, self.args = function, change, args


class Config:
    def __init__(self, k=2.0):
        self.k = k


CASES = {}


def case(make):
    CASES[make.__name__.strip('_')] = make
    return make


@case
def _attribute_of_an_attribute():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.config = Config()

        def forward(self, x):
            return x * self.config.k

    net = Net()
    return Case(net, lambda: setattr(net.config, 'k', 5.0))


@case
def _another_object_in_the_attribute():
    net = CASES['attribute_of_an_attribute']().function
    return Case(net, lambda: setattr(net, 'config', Config(7.0)))


@case
def _item_of_a_dict():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.d = {'k': 2.0, 'other': 1}

        def forward(self, x):
            return x * self.d['k']

    net = Net()
    return Case(net, lambda: net.d.update(k=5.0))


@case
def _key_that_was_missing():
    d = {}

    def function(x):
        if 'k' in d:
            return x * 3
        return x * d.get('other', 2)

    return Case(function, lambda: d.update(other=4))


@case
def _nested_containers():
    state = {'a': [1.0, {'b': (2.0, [3.0])}]}

    def function(x):
        return x * state['a'][1]['b'][1][0]

    return Case(function, lambda: state['a'][1]['b'][1].__setitem__(0, 9.0))


@case
def _item_of_a_long_list():
    values = list(range(100))
    return Case(lambda x: x * values[90], lambda: values.__setitem__(90, 3))


@case
def _item_of_a_deep_nest():
    nest = values = [2.0]
    for _ in range(20):
        nest = {'k': [nest]}

    def function(x):
        inner = nest
        for _ in range(20):
            inner = inner['k'][0]
        return x * inner[0]

    return Case(function, lambda: values.__setitem__(0, 3.0))


@case
def _one_of_many_objects():
    objects = [Config(1.0) for _ in range(5000)]
    return Case(lambda x: x * sum([o.k for o in objects]), lambda: setattr(objects[4500], 'k', 9.0))


@case
def _length():
    values = []
    return Case(lambda x: x * len(values), lambda: values.append(1))


@case
def _set():
    names = {'a'}
    return Case(lambda x: x * 2 if 'b' in names else x, lambda: names.add('b'))


@case
def _order_of_a_dict():
    d = {'a': 1.0, 'b': 2.0}

    def function(x):
        for i, v in enumerate(d.values()):
            x = x * (i + 1) + v
        return x

    def change():
        d['a'] = d.pop('a')

    return Case(function, change)


@case
def _order_of_an_ordered_dict():
    d = collections.OrderedDict(a=1.0, b=2.0)

    def function(x):
        for i, v in enumerate(d.values()):
            x = x * (i + 1) + v
        return x

    return Case(function, lambda: d.move_to_end('a'))


@case
def _random():
    return Case(lambda x: x * random.random(), None)


@case
def _generator_of_numpy():
    return Case(lambda x: x * float(numpy.random.rand()), None)


@case
def _generator_object_of_numpy():
    generator = numpy.random.default_rng(3)
    return Case(lambda x: x * float(generator.random()), None)


@case
def _time():
    return Case(lambda x: x * (time.perf_counter_ns() % 1000003), None)


@case
def _time_of_day():
    return Case(lambda x: x * (time.time() % 1.0), None)


@case
def _file(path='never_stale.txt'):
    path = os.path.join(os.environ.get('TMPDIR', '/tmp'), f'never_stale_{os.getpid()}')

    def write(text):
        with open(path, 'w') as f:
            f.write(text)

    def function(x):
        with open(path) as f:
            return x * float(f.read())

    write('2')
    return Case(function, lambda: write('5'))


class Counter:
    def __init__(self):
        self.count = 0

    def next(self):
        self.count += 1
        return self.count


_counter = Counter()
_module_value = 2.0


def restart():
    """The state of this module is as it was at first."""
    global _module_value
    _module_value, _counter.count = 2.0, 0


@case
def _counter_in_a_global_object():
    return Case(lambda x: x * _counter.next(), None)


@case
def _iterator():
    values = iter(range(1, 100))
    return Case(lambda x: x * next(values), None)


@case
def _count_of_itertools():
    values = itertools.count(1)
    return Case(lambda x: x * next(values), None)


@case
def _loop_over_a_generator():
    values = (i for i in range(1, 100))

    def function(x):
        for v in values:
            return x * v

    return Case(function, None)


@case
def _namespace():
    args = argparse.Namespace(scale=2.0)
    return Case(lambda x: x * args.scale, lambda: setattr(args, 'scale', 3.0))


@case
def _value_in_another_method():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.box = Config()

        def scale(self):
            return self.inner()

        def inner(self):
            return self.box.k

        def forward(self, x):
            return x * self.scale()

    net = Net()
    return Case(net, lambda: setattr(net.box, 'k', 4.0))


@case
def _argument_that_keeps_its_identity():
    config = Config()
    return Case(lambda x, c: x * c.k, lambda: setattr(config, 'k', 4.0), config)


@case
def _list_that_is_argument_and_global():
    values = [2.0]

    def function(x, given):
        return x * given[0] + values[0]

    return Case(function, lambda: values.__setitem__(0, 3.0), [2.0])


@case
def _property():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.hidden = {'k': 2.0}

        @property
        def k(self):
            return self.hidden['k']

        def forward(self, x):
            return x * self.k

    net = Net()
    return Case(net, lambda: net.hidden.update(k=6.0))


@case
def _cached_property():
    class Holder:
        k = 2.0

        @functools.cached_property
        def value(self):
            return self.k

    holder = Holder()

    def change():
        holder.__dict__.pop('value', None)
        Holder.k = 6.0

    return Case(lambda x: x * holder.value, change)


@case
def _descriptor():
    class Described:
        def __init__(self):
            self.value = 2.0

        def __get__(self, instance, owner):
            return self.value

    described = Described()

    class Holder:
        k = described

    holder = Holder()
    return Case(lambda x: x * holder.k, lambda: setattr(described, 'value', 3.0))


@case
def _data_descriptor():
    class Described:
        def __get__(self, instance, owner):
            return instance.hidden

        def __set__(self, instance, value):
            instance.hidden = value

    class Holder:
        k = Described()

    holder = Holder()
    holder.k = 2.0
    return Case(lambda x: x * holder.k, lambda: setattr(holder, 'k', 3.0))


@case
def _class_attribute():
    class Base:
        k = 2.0

    class Derived(Base):
        pass

    holder = Derived()
    return Case(lambda x: x * holder.k, lambda: setattr(Base, 'k', 3.0))


@case
def _class_attribute_that_an_instance_hides():
    class Base:
        k = 2.0

    holder = Base()
    return Case(lambda x: x * holder.k, lambda: setattr(holder, 'k', 3.0))


@case
def _slots():
    class Holder:
        __slots__ = ('k',)

    holder = Holder()
    holder.k = 2.0
    return Case(lambda x: x * holder.k, lambda: setattr(holder, 'k', 3.0))


@case
def _getattr():
    class Holder:
        def __init__(self):
            self.values = {'k': 2.0}

        def __getattr__(self, name):
            return self.values[name]

    holder = Holder()
    return Case(lambda x: x * holder.k, lambda: holder.values.update(k=3.0))


@case
def _getattribute():
    class Holder:
        value = 2.0

        def __getattribute__(self, name):
            return Holder.value

    holder = Holder()
    return Case(lambda x: x * holder.k, lambda: setattr(Holder, 'value', 3.0))


@case
def _environment():
    os.environ['NEVER_STALE'] = '2'
    return Case(
        lambda x: x * float(os.environ['NEVER_STALE']), lambda: os.environ.update(NEVER_STALE='3')
    )


@case
def _getenv():
    os.environ.pop('NEVER_STALE', None)
    return Case(
        lambda x: x * float(os.getenv('NEVER_STALE', '2')),
        lambda: os.environ.update(NEVER_STALE='3'),
    )


@case
def _partial():
    held = [2.0]
    function = functools.partial(lambda k, x: x * k[0], held)
    return Case(function, lambda: held.__setitem__(0, 3.0))


@case
def _keywords_of_a_partial():
    function = functools.partial(lambda x, k: x * k, k=2.0)
    return Case(lambda x: function(x), lambda: function.keywords.update(k=3.0))


@case
def _closure():
    k = 2.0

    def change():
        nonlocal k
        k = 3.0

    def function(x):
        return x * k

    return Case(function, change)


@case
def _closure_of_a_function_that_is_called():
    k = 2.0

    def inner():
        return k

    def change():
        nonlocal k
        k = 3.0

    return Case(lambda x: x * inner(), change)


@case
def _global():
    def change():
        global _module_value
        _module_value += 1.0

    return Case(lambda x: x * _module_value, change)


@case
def _scale_of_a_loss():
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    return Case(lambda x: scaler.scale(x), lambda: scaler.set_init_loss_scaling(8.0))


@case
def _scaler_that_is_switched_off():
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    return Case(lambda x: scaler.scale(x), lambda: setattr(scaler, '_enable', False))


@case
def _function_of_a_module():
    module = types.ModuleType('never_stale_module')
    module.scale = lambda: 2.0
    return Case(lambda x: x * module.scale(), lambda: setattr(module, 'scale', lambda: 3.0))


@case
def _code_of_a_function():
    def scale():
        return 2.0

    def other():
        return 3.0

    return Case(lambda x: x * scale(), lambda: setattr(scale, '__code__', other.__code__))


@case
def _defaults_of_a_function():
    def scale(k=2.0):
        return k

    return Case(lambda x: x * scale(), lambda: setattr(scale, '__defaults__', (3.0,)))


@case
def _default_that_is_changed():
    def scale(k=[2.0]):
        return k[0]

    return Case(lambda x: x * scale(), lambda: scale.__defaults__[0].__setitem__(0, 3.0))


@case
def _attribute_of_a_function():
    def scale():
        return scale.k

    scale.k = 2.0
    return Case(lambda x: x * scale(), lambda: setattr(scale, 'k', 3.0))


@case
def _method_of_a_subclass():
    class Base(nn.Layer):
        def scale(self):
            return 2.0

        def forward(self, x):
            return x * self.scale()

    class Net(Base):
        def scale(self):
            return 3.0

    return Case(Net(), lambda: setattr(Net, 'scale', lambda self: 4.0))


@case
def _method_through_super():
    class Base:
        def scale(self):
            return 2.0

    class Derived(Base):
        def scale(self):
            return super().scale() + 1

    holder = Derived()
    return Case(lambda x: x * holder.scale(), lambda: setattr(Base, 'scale', lambda self: 4.0))


@case
def _class_of_an_object():
    class A:
        def scale(self):
            return 2.0

    class B:
        def scale(self):
            return 3.0

    holder = A()
    return Case(lambda x: x * holder.scale(), lambda: setattr(holder, '__class__', B))


@case
def _isinstance():
    class A:
        pass

    class B(A):
        pass

    holder = A()
    return Case(
        lambda x: x * 2 if isinstance(holder, B) else x, lambda: setattr(holder, '__class__', B)
    )


@case
def _hasattr():
    holder = Config()
    return Case(
        lambda x: x * 2 if hasattr(holder, 'other') else x, lambda: setattr(holder, 'other', 1)
    )


@case
def _special_method():
    class Number:
        def __init__(self):
            self.value = 2.0

        def __float__(self):
            return self.value

        def __add__(self, other):
            return self.value + other

    number = Number()
    return Case(lambda x: x * (number + 1), lambda: setattr(number, 'value', 3.0))


@case
def _truth_of_an_object():
    class Switch:
        on = False

        def __bool__(self):
            return self.on

    switch = Switch()
    return Case(lambda x: x * 2 if switch else x, lambda: setattr(switch, 'on', True))


@case
def _equality_of_objects():
    class Value:
        def __init__(self, k):
            self.k = k

        def __eq__(self, other):
            return self.k == other.k

    a, b = Value(1), Value(2)
    return Case(lambda x: x * 2 if a == b else x, lambda: setattr(b, 'k', 1))


@case
def _dataclass():
    @dataclasses.dataclass
    class Options:
        k: float = 2.0

    options = Options()
    return Case(lambda x: x * options.k, lambda: setattr(options, 'k', 3.0))


@case
def _layers_of_a_list():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.parts = nn.LayerList([nn.ReLU(), nn.ReLU()])

        def forward(self, x):
            for part in self.parts:
                x = part(x) + 1
            return x

    net = Net()
    return Case(net, lambda: net.parts.append(nn.Sigmoid()))


@case
def _layer_that_is_replaced():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    return Case(net, lambda: net.__setitem__(1, nn.Sigmoid()))


@case
def _training():
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.999))
    return Case(net, net.eval)


@case
def _hook_of_a_sublayer():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    return Case(net, lambda: net[0].register_forward_post_hook(lambda layer, i, o: o * 3))


@case
def _parameter_that_is_replaced():
    net = nn.Sequential(nn.Linear(2, 2))

    def change():
        net[0].weight = net[0].create_parameter([2, 2])

    return Case(net, change)


@case
def _tensor_in_a_dict():
    d = {'w': _tensor(2, 3)}
    return Case(lambda x: x * d['w'], lambda: d.update(w=_tensor(5, 6)))


@case
def _tensors_in_a_tuple_of_an_object():
    holder = Config((_tensor(2, 3), _tensor(1, 1)))

    def change():
        holder.k = (_tensor(5, 6), _tensor(1, 1))

    return Case(lambda x: x * holder.k[0], change)


@case
def _array_of_numpy():
    array = numpy.ones(2, 'float32')
    return Case(lambda x: x + paddle.to_tensor(array), lambda: array.fill(4))


@case
def _large_array_of_numpy():
    array = numpy.ones(1 << 20, 'float32')
    return Case(lambda x: x + float(array[5]), lambda: array.fill(4))


@case
def _comprehension():
    values = [1.0, 2.0]
    return Case(lambda x: x * sum([v * 2 for v in values if v > 0]), lambda: values.append(3.0))


@case
def _sorted_with_a_key():
    weights = {'a': 1, 'b': 2}

    def function(x):
        first = sorted(['a', 'b'], key=lambda n: weights[n])[0]
        return x * (2 if first == 'a' else 3)

    return Case(function, lambda: weights.update(a=5))


@case
def _map():
    scale = [2.0]

    def times(v):
        return v * scale[0]

    return Case(lambda x: x * sum(map(times, [1.0, 2.0])), lambda: scale.__setitem__(0, 3.0))


@case
def _generator():
    scale = [2.0]

    def rounds():
        for i in range(3):
            yield i * scale[0]

    return Case(lambda x: x * sum(rounds()), lambda: scale.__setitem__(0, 3.0))


@case
def _exception():
    d = {}

    def function(x):
        try:
            return x * d['k']
        except KeyError:
            return x

    return Case(function, lambda: d.update(k=3.0))


@case
def _context_manager():
    class Scale:
        k = 2.0

        def __enter__(self):
            return self.k

        def __exit__(self, *error):
            return False

    scale = Scale()

    def function(x):
        with scale as k:
            return x * k

    return Case(function, lambda: setattr(scale, 'k', 3.0))


@case
def _lambda_in_a_dict():
    table = {'f': lambda x: x * 2}
    return Case(lambda x: table['f'](x), lambda: table.update(f=lambda x: x * 3))


@case
def _format():
    names = {'layer_1': 2.0, 'layer_2': 3.0}
    which = [1]
    return Case(lambda x: x * names[f'layer_{which[0]}'], lambda: which.__setitem__(0, 2))


@case
def _shape_of_an_outer_tensor():
    holder = Config(paddle.zeros([2, 2]))
    return Case(lambda x: x * holder.k.shape[0], lambda: setattr(holder, 'k', paddle.zeros([5, 2])))


@case
def _imported_inside():
    module = types.ModuleType('never_stale_inside')
    module.k = 2.0
    sys.modules['never_stale_inside'] = module

    def function(x):
        from never_stale_inside import k

        return x * k

    return Case(function, lambda: setattr(module, 'k', 3.0))


@case
def _name_of_an_argument():
    return Case(lambda x: x * len(x.name), None)


@case
def _id_of_an_object():
    return Case(lambda x: x * (id(object()) % 7), None)


@case
def _state_that_a_call_changes_and_reads():
    state = {'n': 0}

    def function(x):
        state['n'] += 1
        return x * state['n']

    return Case(function, None)


@case
def _nonlocal_that_a_call_changes():
    n = 0

    def function(x):
        nonlocal n
        n += 1
        return x * n

    return Case(function, None)


@case
def _attribute_that_is_written_but_not_read():
    holder = Config(1.0)

    def function(x):
        holder.k = 1.0
        return x * 2

    return Case(function, lambda: setattr(holder, 'k', 3.0))


@case
def _list_that_is_returned():
    values = [1, 2]
    return Case(lambda x: (x, values), lambda: values.append(3))


@case
def _length_of_an_array():
    values = array.array('d', [1.0])
    return Case(lambda x: x * len(values), lambda: values.append(2.0))


@case
def _item_of_a_deque():
    values = collections.deque([2.0])
    return Case(lambda x: x * values[0], lambda: values.appendleft(3.0))


@case
def _view_of_a_dict():
    d = {'a': 1.0}
    values = d.values()
    return Case(lambda x: x * sum(values), lambda: d.update(b=2.0))


@case
def _bytes_that_change():
    values = bytearray(b'a')
    return Case(lambda x: x * values[0], lambda: values.__setitem__(0, 98))


@case
def _attribute_that_a_metaclass_reads():
    holder = Config()

    class Meta(type):
        def __getattribute__(cls, name):
            return holder.k

    class Holder(metaclass=Meta):
        pass

    return Case(lambda x: x * Holder.k, lambda: setattr(holder, 'k', 3.0))


@case
def _function_with_a_cache():
    holder = Config()

    @functools.lru_cache(maxsize=None)
    def scale():
        return holder.k

    def change():
        holder.k = 3.0
        scale.cache_clear()

    return Case(lambda x: x * scale(), change)


@case
def _variable_of_a_context():
    variable = contextvars.ContextVar('never_stale', default=2.0)
    return Case(lambda x: x * variable.get(), lambda: variable.set(3.0))


@case
def _weak_reference():
    holder = Config()
    reference = weakref.ref(holder)
    return Case(lambda x: x * reference().k, lambda: setattr(holder, 'k', 3.0))


@case
def _default_of_a_dict():
    d = collections.defaultdict(lambda: 2.0)
    return Case(lambda x: x * d['k'], lambda: d.update(k=3.0))


@case
def _format_of_an_attribute():
    holder = Config()
    return Case(lambda x: x * float('{0.k}'.format(holder)), lambda: setattr(holder, 'k', 3.0))


@case
def _items_given_as_keywords():
    d = {'a': 1.0}

    def total(**values):
        return sum(values.values())

    return Case(lambda x: x * total(**d), lambda: d.update(b=2.0))
