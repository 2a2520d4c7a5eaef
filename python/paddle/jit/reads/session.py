# SPDX-License-Identifier: Apache-2.0
"""What rewritten code calls: reads, writes and operations as Python does them, with the places they
depend on noted.
"""

import collections
import math
import sys
import types

import numpy

from paddle.base import libpaddle as _core
from paddle.jit.dy2static import source
from paddle.jit.errors import InnerError

from . import tables
from .calls import Calls
from .gradient_code import GradientCode
from .operators import Operators
from .places import ABSENT, Places, alike, lines_of_caller, place_of_caller

_TENSOR_STATE = {
    *('shape', 'dtype', 'ndim', 'stop_gradient', 'size', 'place', 'itemsize', 'nbytes'),
    *('process_mesh', 'placements'),
}
_MADE_NEW = {'T', 'mT', 'real', 'imag'}
_STATE_OF_COMPOSED = {
    *('grad', '_grad_ivar', 'grad_fn', 'is_leaf', 'inplace_version', 'name', 'persistable'),
    *('backward', 'clear_grad', 'clear_gradient', 'retain_grads', 'register_hook'),
}
_LAYER_TABLES = (
    *('_parameters', '_buffers', '_sub_layers', '_forward_pre_hooks', '_forward_post_hooks'),
)
_MOST_LINES = 64  # of the writes to one object
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_BOUND_BY_CORE = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
    tables.OP,
    tables.FRONTED,
)


def _holds_tensors(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensors, value))
    return _core._is_tensor(value)


class _Context:
    """A context manager whose methods are called through a session."""

    def __init__(self, session, manager):
        self._session, self._manager = session, manager

    def _method(self, name):
        session, kind = self._session, type(self._manager)
        method = session.look(kind, name)
        if type(method) is types.FunctionType and not tables.is_trusted_class(kind):
            return lambda *args: session.call(method, self._manager, *args)
        if not (tables.is_trusted_class(kind) or kind in tables.LOCKS):
            session.stop(f'a `with` block of a {kind.__name__}')
        return lambda *args: session.unwatched(getattr(self._manager, name), args, {})

    def __enter__(self):
        self._exit = self._method('__exit__')
        return self._method('__enter__')()

    def __exit__(self, *error):
        return self._exit(*error)


class Session(Calls, GradientCode, Operators, Places):
    """One call of a function whose reads are noted.

    `tape`: what takes the operations, or None. `why`: None, or (reason, place) of the first that
    the call did and no recording can stand for; `breaks`: (file, line) -> reason of all of that,
    for each frame around it.
    """

    free_files = tables.FREE_FILES

    def __init__(self, tape=None):
        super().__init__(self._know)
        self._tape, self.done, self.why = tape, False, None
        self.inputs, self._known, self.program = {}, {}, None  # what the call is recorded into
        self.homes = {}  # id -> (dict of a layer that is written, what it held)
        self.breaks, self._writes, self._extents_read = {}, {}, []
        self.decisions = []  # (a tensor of the call, the number that was read, where, lines)
        self.assigned = {}  # (id, key) -> (dict, key, value before, whether it had been read)
        self._watch = _core._FrameWatch(self.free_files, tables.TRUSTED_FILES)
        self._cell, self._results = types.CellType(self), set()
        self.composed = {}  # sparse tensors that were there before, and their patterns
        self.running = []  # Python functions whose code runs in rewritten form, the outermost first

    def _know(self, tensor):
        if not isinstance(tensor, _core.pir.Value):
            self._known[id(tensor)] = tensor
            if self._tape is not None:
                self._tape.know(tensor)

    def found(self, value):
        super().found(value)
        if tables.is_composed(value):
            self._know_parts(value)
        return value

    def _know_parts(self, value):
        """The tensors in a sparse tensor or a pattern, which keeps what it holds."""
        if id(value) in self.composed:
            return
        self.composed[id(value)] = value
        nests = list(vars(value).values())
        while nests:
            part = nests.pop()
            if _core._is_tensor(part):
                self._know(part)
                self.tensor(part)
            elif isinstance(part, (list, tuple)):
                nests.extend(part)
            elif isinstance(part, dict):
                nests.extend(part.values())
            elif tables.is_trusted_class(type(part)):
                self._know_parts(part)

    def run(self, function, args, kwargs):
        """The result of the call; afterwards `why` tells whether a recording can stand for it."""
        self.give(args)
        self.give(kwargs)
        self._add_inputs((args, kwargs))
        self._watch.start()
        try:
            return self.call(function, *args, **kwargs)
        finally:
            self._watch.stop()
            self.done = True

    def _add_inputs(self, nest):
        if _core._is_tensor(nest):
            self.inputs[id(nest)] = nest
        elif type(nest) in (list, tuple, dict):
            for value in nest.values() if type(nest) is dict else nest:
                self._add_inputs(value)
        elif tables.is_composed(nest):
            self._know_parts(nest)

    def after(self, assigned):
        """(places that the call read, for the core, texts of them, None), but for the attributes of
        layers that each run sets; (None, texts, why) where no recording can stand for the call.
        """
        if self.why is not None:
            return None, [], self.why
        if self.foreign:
            return None, [], ('code ran whose reads are not noted', self.foreign)
        for place, (home, key, old, was_read) in self.assigned.items():
            now = home.get(key, ABSENT)
            if place in assigned and not was_read:
                self.leave_out(home, key)
            elif place in assigned or not (now is old or alike(now, old)):
                return None, [], (f'the call changed attribute {key!r}, which it read', '')
            else:
                self.instead(home, key, old)
        places, texts = self.described()
        changed = _core._changed_place(places)
        if changed >= 0:
            return None, texts, (f'the call changed what it read: {texts[changed]}', '')
        return places, texts, None

    @property
    def foreign(self):
        """Code that ran though its reads are not noted: `file:line: name`, or ''."""
        return self._watch.foreign

    def returned(self, value):
        """The result of the call: each run of a recording is to make it as the call did."""
        self._returned(value)
        self.let_go()
        self._results.clear()
        self.inputs.clear()
        self.composed.clear()

    def _returned(self, value):
        kind = type(value)
        if kind in tables.VALUES or _core._is_tensor(value) or tables.is_frozen(kind):
            return
        if isinstance(value, tuple):
            for v in value:
                self._returned(v)
        elif isinstance(value, (list, dict)):
            if not self.is_made(value) or not self._returned_once(value):
                self.stop(f'the result holds a {kind.__name__} that the call did not make for it')
            for v in value.values() if isinstance(value, dict) else value:
                self._returned(v)
        elif not self.is_made(value):
            return
        elif not kind.__dictoffset__ or callable(value) or isinstance(value, type):
            self.stop(f'the result holds a {kind.__name__}, which no recording can make')
        else:
            held = [v for v in vars(value).values() if not self._is_constant(v)]
            if not held or not all(map(_holds_tensors, held)) or not self._returned_once(value):
                self.stop(f'the result holds a {kind.__name__} whose parts no recording can make')
            for v in held:
                self._returned(v)

    def _is_constant(self, value):
        """Whether what a result holds is the same in each run."""
        if type(value) is tuple:
            return all(map(self._is_constant, value))
        constant = type(value) in tables.VALUES and not _core._is_tensor(value)
        return constant or id(value) in self.composed

    def _returned_once(self, value):
        before = id(value) in self._results
        self._results.add(id(value))
        return not before

    def stop(self, reason):
        """No recording can stand for the call: why."""
        if not self.done:
            for place in lines_of_caller():
                self.breaks.setdefault(place, reason)
            if tables.WHOLE:
                self._check_whole(reason)
        if self.why is None:
            self.why = reason, place_of_caller()
            if self._tape is not None:
                self._tape.stop(tables.TAPE_PLAIN, reason)

    def _check_whole(self, reason):
        for function in reversed(self.running):
            if function.__code__ in tables.WHOLE:
                raise InnerError(
                    f'[to_static] expected {function.__qualname__} to be compiled as a whole, got '
                    f'a break at {place_of_caller()}: {reason}'
                )

    def break_graph(self, function):
        """A call of `psdb.breakgraph`."""
        self.stop('breakgraph() is called')
        return function()

    def fall_back(self, function, recursive=False):
        """A call of `psdb.fallback`: the function that calls it is not compiled."""
        reason = 'fallback() is called'
        if not self.done:
            code = self.running[-1].__code__
            tables.check_falls_back(self.running[-1], reason)
            lines = range(code.co_firstlineno, source.last_line(code) + 1)
            self.breaks.update(((code.co_filename, line), reason) for line in lines)
            if recursive:
                tables.LEFT.add(code)
        self.stop(reason)
        return function(recursive)

    def lost(self):
        """Notice what the tape cannot stand for."""
        if self._tape is not None and self.why is None and self._tape.lost():
            self.stop(self._tape.why)

    def _writes_to(self, home):
        lines = self._writes.setdefault(id(home), (home, {}))[1]
        if len(lines) < _MOST_LINES:
            lines.update(dict.fromkeys(lines_of_caller()))

    def changes_made(self):
        """(file, line) -> reason of the writes to what holds something else now."""
        found, (places, texts) = {}, self.described()
        for place, text in zip(places, texts):
            if id(place[1]) in self._writes and _core._changed_place([place]) >= 0:
                lines = self._writes[id(place[1])][1]
                found.update(dict.fromkeys(lines, f'the call changes what it reads: {text}'))
        for home, key, old, _ in self.assigned.values():
            if home.get(key, ABSENT) is not old and id(home) in self._writes:
                lines = self._writes[id(home)][1]
                found.update(dict.fromkeys(lines, f'the call sets attribute {key!r}'))
        return found

    # --- names

    def name(self, scope, key):
        """A name of the module, or a builtin one."""
        if key in scope:
            return scope[key] if self.done else self.entry(scope, key)
        builtins = scope.get('__builtins__', tables.BUILTINS)
        builtins = getattr(builtins, '__dict__', builtins)
        if not self.done:
            self.absent(scope, key)
        if key not in builtins:
            return eval(key, scope)  # raises NameError
        return builtins[key] if self.done else self.entry(builtins, key)

    def set_name(self, scope, key, value):
        """Give a name of the module a value."""
        if not self.done:
            self._before(scope, key)
        scope[key] = value

    def _before(self, home, key):
        """A dict is to be written: what stands there is to be the same after the call."""
        self._writes_to(home)
        if key in home:
            self.entry(home, key)
        else:
            self.absent(home, key)
        if self.is_given(home):
            self.stop('an argument is written')

    def imported(self, name, level=0, scope=None):
        """A module that is imported already."""
        if level:
            package = scope.get('__package__') or scope['__name__'].rpartition('.')[0]
            for _ in range(level - 1):
                package = package.rpartition('.')[0]
            name = f'{package}.{name}' if name else package
        if self.done:
            return sys.modules[name]
        return self.entry(sys.modules, name)

    # --- attributes

    def attribute(self, value, name):
        """value.name"""
        if self.done:
            return getattr(value, name)
        kind = type(value)
        if kind in tables.PLAIN:
            return getattr(value, name)
        if _core._is_tensor(value):
            return self._of_tensor(value, kind, name)
        if isinstance(value, types.ModuleType):
            return self._of_module(value, name)
        if kind is super:
            return self._of_super(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        if kind is types.MethodType and name not in ('__self__', '__func__'):
            return self.attribute(value.__func__, name)
        if name in _STATE_OF_COMPOSED and id(value) in self.composed:
            self.stop(f'attribute {name!r} of a sparse tensor')
        return self._of_object(value, kind, name)

    def _of_object(self, value, kind, name):
        reader = self.look(kind, '__getattribute__')
        if getattr(reader, '__objclass__', None) not in tables.PLAIN_READERS:
            if not tables.is_trusted_class(kind):
                self.stop(f'attribute {name!r} of a {kind.__name__}')
                return getattr(value, name)
        self.class_of(value)
        found = self.look(kind, name)
        if found is not ABSENT:
            what = type(found)
            if what is property:
                if found.fget is None:
                    return getattr(value, name)
                return self.call(found.fget, value)
            if what in _SLOTS:
                return self._slot(value, kind, name)
            get = self.look(what, '__get__')
            if get is not ABSENT and (
                self.look(what, '__set__') is not ABSENT
                or self.look(what, '__delete__') is not ABSENT
            ):
                return self._by_descriptor(found, get, value, kind, name)
        home = getattr(value, '__dict__', None) if kind.__dictoffset__ else None
        if isinstance(found, _core.RecordedCalls):
            if found.is_property:
                return self.call(found.dygraph_function, value)
            if home is None or name not in home:
                if home is not None and not self.is_made(value):
                    self.absent(home, name)
                return self.unwatched(getattr, (value, name), {})
        if home is not None:
            if name in home:
                if self.is_made(value):
                    return home[name]
                return self.entry(home, name)
            if not (self.is_made(value) or tables.is_trusted_class(kind)):
                self.absent(home, name)
        if found is ABSENT:
            hook = self.look(kind, '__getattr__')
            if hook is ABSENT:
                return getattr(value, name)  # raises
            if tables.is_trusted_class(kind):
                return self._loaded(value, home, name)
            return self.call(hook, value, name)
        if what is types.FunctionType:
            return types.MethodType(found, value)
        if what is staticmethod or what is classmethod or what in _BOUND_BY_CORE:
            return found.__get__(value, kind)
        if get is ABSENT:
            return found
        return self._by_descriptor(found, get, value, kind, name)

    def _by_descriptor(self, found, get, value, kind, name):
        if type(get) is types.FunctionType:
            return self.call(get, found, value, kind)
        if not tables.is_bound_plainly(found):
            self.stop(f'attribute {name!r} of a {kind.__name__}, a {type(found).__name__}')
        return getattr(value, name)

    def _slot(self, value, kind, name):
        if name == '__dict__':
            home = value.__dict__
            return self.made(home) if self.is_made(value) else home
        try:
            found = getattr(value, name)
        except AttributeError:
            if isinstance(self.look(kind, name), types.MemberDescriptorType):
                self.no_attribute_of(value, name)
            raise
        if name == '__class__' or tables.is_frozen(kind):
            return found
        if isinstance(value, numpy.ndarray):
            self.array(value)
            return found
        if (
            isinstance(self.look(kind, name), types.GetSetDescriptorType)
            and kind not in tables.READABLE
        ):
            self.stop(f'attribute {name!r} of a {kind.__name__}')
            return found
        self.attribute_of(value, name, found)
        return found

    def _of_tensor(self, tensor, kind, name):
        found = self.look(kind, name)
        what = type(found)
        if what in _BOUND_BY_CORE:
            return getattr(tensor, name)
        if name in _TENSOR_STATE:
            self._note_tensor(tensor)
            result = self.trusted(getattr, (tensor, name), {})
            self.extents_were_read()
            return self.made(result) if isinstance(result, list) else result
        if name in _MADE_NEW:
            return getattr(tensor, name)
        if what is types.FunctionType:
            return types.MethodType(found, tensor)
        if what is property:
            return self.call(found.fget, tensor)
        if what.__name__ == '_LazyMethod':  # the method takes its place
            getattr(tensor, name)
            self.forget(kind, name)
            return self._of_tensor(tensor, kind, name)
        if id(tensor) in self.inputs:
            self.stop(f'attribute {name!r} of a tensor that is an argument')
        elif self.is_outer(tensor):
            if found is ABSENT:
                home = tensor.__dict__
                if name in home:
                    return self.entry(home, name)
                self.absent(home, name)
            else:
                value = getattr(tensor, name)
                if not isinstance(value, (types.MethodType, types.BuiltinMethodType)):
                    self.attribute_of(tensor, name, value)
                return value
        elif name in ('name', 'inplace_version'):
            self.stop(f'attribute {name!r} of a tensor')
        return getattr(tensor, name)

    def extents_were_read(self):
        """Note where, if the tape did."""
        count = 0 if self._tape is None else self._tape.num_reads
        if count > len(self._extents_read):
            lines = lines_of_caller()
            self._extents_read.extend([()] * (count - 1 - len(self._extents_read)) + [lines])

    def lines_of_extents(self):
        """(file, line) -> reason of the extents that the tape could not be recorded with."""
        place, lines = self._tape.lost_read, self._extents_read
        found = lines[place] if 0 <= place < len(lines) else ()
        return dict.fromkeys(found, 'extents are read that depend on numbers of tensors')

    def _note_tensor(self, tensor):
        if id(tensor) not in self.inputs and self.is_outer(tensor):
            self.tensor(tensor)

    def _of_module(self, module, name):
        home = module.__dict__
        if name not in home and tables.is_of_package(module):
            value = self._loaded(module, home, name)
        else:
            value = getattr(module, name)
        if name in home:
            return self.entry(home, name)
        if name in ('__dict__', '__class__'):
            self.stop(f'attribute {name!r} of a module')
        elif not tables.is_of_package(module):
            self.stop(
                f'attribute {name!r} of module {module.__name__}, which its __getattr__ makes'
            )
        return value

    def _loaded(self, value, home, name):
        """An attribute that this package finds on first use, and then keeps."""
        found = self.unwatched(getattr, (value, name), {})
        return self.entry(home, name) if name in home else found

    def _of_super(self, value, name):
        start, around = value.__thisclass__, value.__self_class__
        mro = around.__mro__
        for c in mro[mro.index(start) + 1 :]:
            found = self.own(c, name)
            if found is ABSENT:
                continue
            if type(found) is types.FunctionType and not isinstance(value.__self__, type):
                return types.MethodType(found, value.__self__)
            if type(found) is property:
                return self.call(found.fget, value.__self__)
            return getattr(value, name)
        return getattr(value, name)

    def own(self, kind, name):
        """What stands in the class itself under the name, or ABSENT."""
        self.look(kind, name)
        return kind.__dict__.get(name, ABSENT)

    def _of_class(self, kind, name):
        if name in (
            '__name__',
            '__qualname__',
            '__module__',
            '__mro__',
            '__bases__',
            '__class__',
            '__doc__',
        ):
            return getattr(kind, name)
        meta = type(kind)
        if meta is not type and type(self.look(meta, '__getattribute__')) is types.FunctionType:
            self.stop(f'attribute {name!r} of class {kind.__name__}, which its metaclass reads')
            return getattr(kind, name)
        if meta is not type and isinstance(self.look(meta, name), property):
            return self.call(self.look(meta, name).fget, kind)
        found = self.look(kind, name)
        if found is ABSENT:
            if meta is not type and self.look(meta, '__getattr__') is not ABSENT:
                self.stop(
                    f'attribute {name!r} of class {kind.__name__}, which its __getattr__ makes'
                )
            return getattr(kind, name)
        what = type(found)
        if (
            what in (types.FunctionType, staticmethod, classmethod, property)
            or what in _BOUND_BY_CORE
        ):
            return getattr(kind, name)
        get = self.look(what, '__get__')
        if get is ABSENT or what in _SLOTS:
            return found if get is ABSENT else getattr(kind, name)
        if type(get) is types.FunctionType:
            return self.call(get, found, None, kind)
        if not tables.is_bound_plainly(found):
            self.stop(f'attribute {name!r} of class {kind.__name__}')
        return getattr(kind, name)

    def set_attribute(self, value, name, new):
        """value.name = new"""
        if self.done:
            return setattr(value, name, new)
        kind = type(value)
        if _core._is_tensor(value):
            # A gradient on a tape is recorded at the next call; no result has others.
            known = name == 'grad' and (self._tape is not None or not self.is_outer(value))
            if not known and name != 'stop_gradient':
                self.stop(f'attribute {name!r} of a tensor is set')
            return setattr(value, name, new)
        if id(value) in self.composed:
            self.stop(f'attribute {name!r} of a sparse tensor is set')
        if isinstance(value, tables.layer_class()) and not self.is_made(value):
            setter = self.look(kind, '__setattr__')
            found = self.look(kind, name)
            if setter is tables.layer_class().__setattr__ and not hasattr(type(found), '__set__'):
                return self._set_of_layer(value, name, lambda: setattr(value, name, new))
        return self._change(value, kind, name, '__setattr__', (new,))

    def is_outer(self, tensor):
        """Whether the tensor is an argument, or was there before the call."""
        if id(tensor) in self.inputs:
            return True
        if self._tape is None or self._tape.end:
            return id(tensor) in self._known
        return not self._tape.made(tensor)

    def delete_attribute(self, value, name):
        """del value.name"""
        if self.done:
            return delattr(value, name)
        if _core._is_tensor(value):
            self.stop(f'attribute {name!r} of a tensor is deleted')
            return delattr(value, name)
        kind = type(value)
        if isinstance(value, tables.layer_class()) and not self.is_made(value):
            if self.look(kind, '__delattr__') is tables.layer_class().__delattr__:
                return self._set_of_layer(value, name, lambda: delattr(value, name))
        return self._change(value, kind, name, '__delattr__', ())

    def _set_of_layer(self, layer, name, change):
        homes = [layer.__dict__]
        homes += [layer.__dict__[n] for n in _LAYER_TABLES if n in layer.__dict__]
        before = []
        for home in homes:
            self._writes_to(home)
            self.homes.setdefault(id(home), (home, dict(home)))
            before.append(home.get(name, ABSENT))
        self.trusted(change, (), {})
        for home, old in zip(homes, before):
            if home.get(name, ABSENT) is not old:
                place = id(home), name
                self.assigned.setdefault(place, (home, name, old, self.read_before(home, name)))

    def _change(self, value, kind, name, method, rest):
        """Set or delete an attribute of an object, class or module."""
        plain = getattr(object, method)
        if isinstance(value, type):
            self.look(value, name)
            self.look(type(value), method)
            self._writes_to(value)
            getattr(type, method)(value, name, *rest)
            return self.class_changes(value, name)
        if isinstance(value, types.ModuleType):
            self._before(value.__dict__, name)
            return plain(value, name, *rest)
        hook = self.look(kind, method)
        if type(hook) is types.FunctionType:
            return self.call(hook, value, name, *rest)
        if hook is not plain:
            self.stop(f'attribute {name!r} of a {kind.__name__} is set')
            return hook(value, name, *rest)
        return self.change_plainly(value, name, method, rest)

    def change_plainly(self, value, name, method, rest):
        """object.__setattr__(value, name, ...) or object.__delattr__."""
        kind, plain = type(value), getattr(object, method)
        found = self.look(kind, name)
        if type(found) is property:
            change = found.fset if rest else found.fdel
            return plain(value, name, *rest) if change is None else self.call(change, value, *rest)
        if found is not ABSENT:
            by = self.look(type(found), '__set__' if rest else '__delete__')
            if type(by) is types.FunctionType:
                return self.call(by, found, value, *rest)
            if by is not ABSENT:
                if not self.is_made(value):
                    if type(found) is not types.MemberDescriptorType:
                        self.stop(f'attribute {name!r} of a {kind.__name__} is set')
                    else:
                        self._writes_to(value)
                        if hasattr(value, name):
                            self.attribute_of(value, name, getattr(value, name))
                        else:
                            self.no_attribute_of(value, name)
                return plain(value, name, *rest)
        home = getattr(value, '__dict__', None)
        if home is not None and not self.is_made(value):
            self._before(home, name)
            if not rest:
                self.deletes(home, name)
        return plain(value, name, *rest)

    # --- items

    slice = slice

    def item(self, value, key):
        """value[key]"""
        if self.done:
            return value[key]
        kind = type(value)
        if kind in tables.VALUES_WITH_ITEMS:
            return value[key]
        if _core._is_tensor(value):
            self.use(key)
            return value[key]
        method = self.look(kind, '__getitem__') if not isinstance(value, type) else ABSENT
        if type(method) is types.FunctionType:
            return self.call(method, value, key)
        if isinstance(value, dict):
            return self._item_of_dict(value, kind, key)
        if isinstance(value, list):
            self.list(value)
            result = value[key]
            return self.made(result) if type(key) is slice else result
        if isinstance(value, tuple):
            return value[key]
        if isinstance(value, numpy.ndarray):
            self.array(value)
            self.use(key)
            return value[key]
        if isinstance(value, type):
            return self.trusted(lambda: value[key], (), {})
        if not self.is_made(value):
            self.stop(f'an item of a {kind.__name__}')
        return value[key]

    def _item_of_dict(self, value, kind, key):
        self.key(key)
        if key in value:
            return self.entry(value, key)
        self.absent(value, key)
        missing = self.look(kind, '__missing__')
        if type(missing) is types.FunctionType:
            return self.call(missing, value, key)
        if kind is collections.defaultdict and not self.is_made(value):
            self._before(value, key)
            made = self.attribute(value, 'default_factory')
            if made is not None:
                value[key] = self.call(made)
        elif missing is not ABSENT and not self.is_made(value):
            self.stop(f'a missing item of a {kind.__name__}')
        return value[key]

    def key(self, key):
        """A key of a dict or item of a set that is looked up."""
        kind = type(key)
        if kind in tables.VALUES:
            return
        if kind is tuple:
            for k in key:
                self.key(k)
        elif not isinstance(key, type):
            for name in ('__hash__', '__eq__'):
                self.look(kind, name)

    def contains(self, value, key):
        """key in value"""
        if self.done:
            return key in value
        kind = type(value)
        if isinstance(value, dict) and self.look(kind, '__contains__') in tables.DICT_CONTAINS:
            self.key(key)
            if key in value:
                self.entry(value, key)
                return True
            self.absent(value, key)
            return False
        method = self.look(kind, '__contains__')
        if type(method) is types.FunctionType:
            return bool(self.test(self.call(method, value, key)))
        if method is ABSENT and type(self.look(kind, '__iter__')) is types.FunctionType:
            return any(self.test(v is key or v == key) for v in self.iterate(value))
        self.use(value)
        self.use(key)
        if isinstance(value, tables.ITERATORS) and not self.is_made(value):
            self.stop(f'a search in a {kind.__name__}')
        return key in value

    def within(self, key, value):
        """key in value"""
        return self.contains(value, key)

    def set_item(self, value, key, new):
        """value[key] = new"""
        if not self.done:
            kind = type(value)
            if _core._is_tensor(value):
                self.use(key)
                self.use(new)
                value[key] = new
                return self.lost()
            else:
                method = self.look(kind, '__setitem__')
                if type(method) is types.FunctionType:
                    return self.call(method, value, key, new)
                self._item_changes(value, kind, key)
        value[key] = new

    def delete_item(self, value, key):
        """del value[key]"""
        if not self.done:
            method = self.look(type(value), '__delitem__')
            if type(method) is types.FunctionType:
                return self.call(method, value, key)
            self._item_changes(value, type(value), key)
            if isinstance(value, dict):
                self.deletes(value, key)
        del value[key]

    def _item_changes(self, value, kind, key):
        if self.is_made(value):
            return
        if isinstance(value, dict):
            self._before(value, key)
        else:
            self.changes(value, kind)

    def changes(self, value, kind):
        """The object is to be changed: it is to be the same after the call."""
        if self.is_made(value):
            return
        self._writes_to(value)
        if self.is_given(value):
            self.stop('an argument is written')
        elif isinstance(value, dict):
            self.mapping(value)
        elif isinstance(value, list):
            self.list(value)
        elif isinstance(value, set):
            self.set(value)
        elif isinstance(value, numpy.ndarray):
            self.array(value)
        else:
            self.stop(f'a {kind.__name__} is changed')

    # --- numbers of tensors

    def decision(self, tensor, kind):
        """The tensor as a number of Python: a bool, or that of one of integers. A recording tells
        what number it was, and stands for calls where it is the same.
        """
        whole = kind is bool or 'int' in str(tensor.dtype) or tensor.dtype == tables.BOOL
        if self.done or self._tape is None or self.why is not None:
            return tensor if kind is bool else kind(tensor)
        if not whole or math.prod(tensor.shape) != 1:
            if kind is bool:
                return tensor
            number = kind(tensor)
            self.lost()
            return number
        # Of its own: the tensor may be written later.
        kept = tensor if tensor.stop_gradient else tensor.detach()
        kept = kept != 0 if kind is bool and tensor.dtype != tables.BOOL else kept.clone()
        number = self._tape.read_number(kept)
        self.decisions.append((kept, number, place_of_caller(), lines_of_caller()))
        return kind(number)

    # --- operations

    def use(self, value):
        """An operand or argument: what is in it is read. Returns it."""
        kind = type(value)
        if kind in tables.VALUES or self.done:
            return value
        if kind is tuple:
            for v in value:
                if type(v) not in tables.VALUES:
                    self.use(v)
        elif isinstance(value, dict):
            self.mapping(value)
            for v in dict.values(value):
                if type(v) not in tables.VALUES:
                    self.use(v)
        elif isinstance(value, list):
            self.list(value)
            for v in value:
                if type(v) not in tables.VALUES:
                    self.use(v)
        elif isinstance(value, (set, frozenset)):
            self.set(value)
        elif isinstance(value, numpy.ndarray):
            self.array(value)
        elif isinstance(value, tuple):
            for v in value:
                self.use(v)
        elif _core._is_tensor(value) or id(value) in self.composed:
            pass
        elif isinstance(value, type) or tables.is_frozen(kind):
            pass
        elif tables.is_of_python(kind):
            for name in ('__eq__', '__bool__', '__len__'):
                self.look(kind, name)
        elif not self.is_made(value) and kind not in tables.OPAQUE:
            self.stop(f'an operation on a {kind.__name__}')
        return value

    def test(self, value):
        """Whether the value counts as true; as the object itself where that is its class's own
        matter.
        """
        if _core._is_tensor(value):
            return self.decision(value, bool)
        if type(value) in tables.VALUES or self.done:
            return value
        kind = type(value)
        for name in ('__bool__', '__len__'):
            method = self.look(kind, name)
            if type(method) is types.FunctionType:
                return self.call(method, value)
            if method is not ABSENT:
                break
        return self._shallow(value)

    def condition(self, value):
        """An operand of `and` or `or`, which is tested and may be the result."""
        if type(value) in tables.VALUES or self.done or _core._is_tensor(value):
            return value
        kind = type(value)
        for name in ('__bool__', '__len__'):
            method = self.look(kind, name)
            if type(method) is types.FunctionType:
                self.stop(f'`and` or `or` on a {kind.__name__}, whose {name} decides')
                return value
            if method is not ABSENT:
                break
        return self._shallow(value)

    def _shallow(self, value):
        """The items of a container are counted."""
        if isinstance(value, dict):
            self.mapping(value)
        elif isinstance(value, list):
            self.list(value)
        elif isinstance(value, (set, frozenset)):
            self.set(value)
        elif not isinstance(value, (tuple, *tables.OPAQUE_KINDS)):
            self.use(value)
        return value

    def text(self, value):
        """A value that becomes part of a text."""
        if type(value) in tables.VALUES or self.done:
            return value
        if isinstance(value, (list, tuple, dict)):
            self.use(value)
            for v in value.values() if isinstance(value, dict) else value:
                self.text(v)
        elif not (
            _core._is_tensor(value) or isinstance(value, numpy.generic)
        ) and not tables.is_frozen(type(value)):
            self.stop(f'the text of a {type(value).__name__}')
        return value

    def iterate(self, value):
        """An iterable to go through."""
        kind = type(value)
        if self.done or kind in tables.VALUES_WITH_ITEMS or _core._is_tensor(value):
            return value
        method = self.look(kind, '__iter__')
        if type(method) is types.FunctionType:
            return self.iterate(self.call(method, value))
        if isinstance(value, dict):
            self.mapping(value)
        elif isinstance(value, list):
            self.list(value)
        elif isinstance(value, (set, frozenset)):
            self.set(value)
        elif isinstance(value, numpy.ndarray):
            self.array(value)
        elif isinstance(value, (tuple, range)) or self.is_made(value):
            pass
        elif type(self.look(kind, '__next__')) is types.FunctionType:
            return self.made(self._rounds(value, self.look(kind, '__next__')))
        elif isinstance(value, collections.deque) and self.is_made(value):
            pass
        elif method is ABSENT and type(self.look(kind, '__getitem__')) is types.FunctionType:
            return self.made(self._places(value))
        else:
            self.stop(f'a loop over a {kind.__name__} that was there before')
        return value

    def _rounds(self, value, method):
        while True:
            try:
                result = self.call(method, value)
            except StopIteration:
                return
            yield result

    def _places(self, value):
        place = 0
        while True:
            try:
                result = self.item(value, place)
            except IndexError:
                return
            yield result
            place += 1

    def rows(self, values):
        """An iterable whose items are taken apart."""
        if self.done or _core._is_tensor(values) or isinstance(values, (zip, enumerate)):
            return values
        return map(self.iterate, values)

    def context(self, manager):
        """What a `with` statement enters."""
        kind = type(manager)
        if self.done or ABSENT in (self.look(kind, '__enter__'), self.look(kind, '__exit__')):
            return manager
        return _Context(self, manager)

    def decorator(self, function):
        """A decorator that is called through the session."""
        return lambda decorated: self.call(function, decorated)
