# SPDX-License-Identifier: Apache-2.0
"""The places that Python code read, each with what was there the first time: what guards a
recording.

What a call makes itself (`made`) and the lists and dicts it is given as arguments are no places:
the first are made anew by the same code, the others are compared as arguments.
"""

import itertools
import logging
import os
import sys
import types

from paddle.base import libpaddle as _core

ABSENT = object()
# The kinds of places of paddle/jit/python/guards.h.
(
    _ENTRIES,
    _MAPPING,
    _CELL,
    _CLASS,
    _LIST,
    _SET,
    _CLASS_OF,
    _ATTRIBUTE,
    _ARRAY,
    _TENSOR,
    _FUNCTION,
    _VERSION,
    _CALL,
) = range(13)
KINDS = types.SimpleNamespace(
    ENTRIES=_ENTRIES, CLASS=_CLASS, CELL=_CELL, FUNCTION=_FUNCTION, CLASS_OF=_CLASS_OF
)
_MOST_ARRAY_BYTES = 1 << 16
_JIT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SESSION_FILE = os.path.join(_JIT, 'reads', 'session.py')


def _references_of_item():
    """What `sys.getrefcount` says of a value that only a dict holds."""
    held = {0: object()}
    return sys.getrefcount(held[0])


_REFERENCES_OF_ITEM = _references_of_item()


def place_of_caller():
    """`file:line` of the innermost code that is not of `paddle.jit`; '' at its own call."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_JIT):
        frame = frame.f_back
    return '' if frame is None else f'{frame.f_code.co_filename}:{frame.f_lineno}'


def depth_of_caller(level=0):
    """How many frames from the one that asks to the innermost that is not of `paddle.jit`, or to
    the one that is `level` of these further out.
    """
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None:
        if not frame.f_code.co_filename.startswith(_JIT):
            if level <= 0:
                break
            level -= 1
        depth, frame = depth + 1, frame.f_back
    return depth


def levels_of_log(level):
    """The `stacklevel` for the code that calls `Logger._log` to tell the line of its user's caller
    that is `level` frames away: frames of `paddle.jit` lie between.
    """
    inner = sys.version_info >= (3, 11)  # it does not count frames of logging
    count, frame = 0, sys._getframe(1) if inner else sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        of_logging = os.path.normcase(file) == logging._srcfile
        count += not (inner and of_logging)
        if not (of_logging or file.startswith(_JIT)):
            level -= 1
            if level <= 0:
                break
        frame = frame.f_back
    return count


def _span(frame):
    """(line, column, last line, last column) of the expression a frame evaluates, in a tuple; an
    empty one where the interpreter does not tell.
    """
    if not hasattr(frame.f_code, 'co_positions'):  # before CPython 3.11
        return ()
    place = frame.f_lasti // 2
    line, last, column, end = next(itertools.islice(frame.f_code.co_positions(), place, None))
    return () if end is None or line != last else ((line, column, last, end),)


def lines_of_caller():
    """(file, line, the span of the expression if it is known) of the frames of code that is not of
    `paddle.jit`, the innermost first, up to the call that is recorded.
    """
    found, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_JIT):
            found.append((code.co_filename, frame.f_lineno, *_span(frame)))
        elif code.co_name == 'run' and code.co_filename == SESSION_FILE:
            break
        frame = frame.f_back
    return found


_SIMPLE_KINDS = (int, float, str, bytes, bool, complex, type(None))


def _is_simple(value, levels=16):
    if type(value) in (tuple, list):
        return levels > 0 and all(_is_simple(v, levels - 1) for v in value)
    return isinstance(value, _SIMPLE_KINDS)


def alike(a, b):
    """Whether both are the same number or text, or hold the same ones."""
    if not (_is_simple(a) and _is_simple(b)):
        return False
    return type(a) is type(b) and (a is b or repr(a) == repr(b))


class Places:
    """Notes places; `stop(reason)` is called where one cannot be compared later."""

    def __init__(self, know):
        self._know = know  # called with each tensor found
        self._made, self._given, self._holds = {}, {}, True
        self._entries, self._classes, self._noted = {}, {}, {}
        self._looked = {}
        self._class_writes = set()  # (class, name) that are looked up anew, but keep their places

    # --- what needs no place

    def made(self, value):
        """A value the call made itself."""
        self._made[id(value)] = value if self._holds else None
        return value

    def drop_made(self):
        """What the call makes goes when it drops it: no recording stands for the call."""
        self._holds = False
        self._made = dict.fromkeys(self._made)

    def forget(self, kind, name):
        """What was looked up in a class is looked up anew."""
        self._looked.pop((kind, name), None)

    def class_changes(self, kind, name):
        """The call has set or deleted an attribute of a class: it is looked up anew there and in
        subclasses; places keep what was found first.
        """
        for key in [k for k in self._looked if k[1] == name and kind in k[0].__mro__]:
            self._class_writes.add(key)
            del self._looked[key]

    def is_made(self, value):
        """Whether the call made it."""
        return id(value) in self._made

    def drop_unused(self):
        """Release what the call made and nobody else holds. Returns True."""
        made, before = self._made, -1
        while len(made) != before:
            before = len(made)
            for key in list(made):
                if sys.getrefcount(made[key]) == _REFERENCES_OF_ITEM:
                    del made[key]
        return True

    def let_go(self):
        """The call has ended: what it made is no concern any more."""
        for held in (self._made, self._given, self._looked):
            held.clear()

    def give(self, nest):
        """Lists and dicts of the arguments."""
        kind = type(nest)
        if kind is list or kind is dict or kind is tuple:
            if kind is not tuple:
                self._given[id(nest)] = nest
            for value in nest.values() if kind is dict else nest:
                self.give(value)

    def is_given(self, value):
        """Whether it is a list or dict of the arguments."""
        return id(value) in self._given

    def _is_free(self, home):
        return id(home) in self._made or id(home) in self._given

    # --- noting

    def found(self, value):
        """A value that stood in a place."""
        kind = type(value)
        if kind in _SIMPLE:
            return value
        if _core._is_tensor(value):
            self._know(value)
            if value.is_dist():
                self.tensor(value)  # another part may take the place of the recorded one
        elif isinstance(value, tuple):
            for v in value:
                self.found(v)
        elif id(value) in self._given:
            del self._given[id(value)]  # reached otherwise, too: it is a place
        return value

    def entry(self, home, key):
        """home[key] of a dict that has it."""
        value = dict.__getitem__(home, key)
        if id(home) in self._made or id(home) in self._given:
            return value
        place = id(home), key
        if place not in self._entries:
            self._entries[place] = home, key, value, place_of_caller()
            self.found(value)
        return value

    def absent(self, home, key):
        """The dict does not have the key."""
        if not self._is_free(home):
            place = id(home), key
            if place not in self._entries:
                self._entries[place] = home, key, ABSENT, place_of_caller()

    def _note(self, key, make, values=()):
        if key not in self._noted:
            self._noted[key] = make(), place_of_caller()
            for value in values:
                self.found(value)

    def mapping(self, home):
        """All keys and values of a dict, in their order: those before the call wrote any."""
        if not self._is_free(home):
            self._note((_MAPPING, id(home)), lambda: self._at_first(home), dict.values(home))

    def deletes(self, home, key):
        """An entry is to be deleted: where it was there before the call, its place in the order
        matters.
        """
        known = self._entries.get((id(home), key))
        if known is None or known[2] is not ABSENT:
            self.mapping(home)

    def _at_first(self, home):
        held = dict(home)
        for table, key, value, _ in self._entries.values():
            if table is home and held.get(key, ABSENT) is not value:
                if value is ABSENT:
                    del held[key]
                else:
                    held[key] = value
        return _MAPPING, home, list(held), list(held.values())

    def list(self, home):
        """All items of a list."""
        if not self._is_free(home):
            self._note((_LIST, id(home)), lambda: (_LIST, home, tuple(home)), home)

    def set(self, home):
        """All items of a set."""
        if id(home) not in self._made:
            self._note((_SET, id(home)), lambda: (_SET, home, tuple(home)), home)

    def array(self, home):
        """The numbers of a NumPy array."""
        if id(home) in self._made:
            return
        if home.nbytes > _MOST_ARRAY_BYTES:
            self.stop(
                f'a NumPy array of {home.nbytes} bytes is read, more than {_MOST_ARRAY_BYTES}'
            )
        elif not home.flags.c_contiguous or home.dtype.hasobject:
            self.stop('a NumPy array is read that is not contiguous or holds objects')
        else:
            self._note((_ARRAY, id(home)), lambda: (_ARRAY, home, home.copy()))

    def cell(self, cell):
        """What a closure cell holds."""
        try:
            value = cell.cell_contents
        except ValueError:
            self._note((_CELL, id(cell)), lambda: (_CELL, cell))
            return
        self._note((_CELL, id(cell)), lambda: (_CELL, cell, value), (value,))

    def class_of(self, value):
        """The class of an object."""
        kind = type(value)
        if kind in _SIMPLE or kind in _FIXED or _core._is_tensor(value):
            return
        if id(value) not in self._made:
            self._note((_CLASS_OF, id(value)), lambda: (_CLASS_OF, value, kind))

    def attribute_of(self, value, name, found):
        """An attribute that is read without Python code: a slot, a member of a class of C."""
        if id(value) not in self._made:
            key = _ATTRIBUTE, id(value), name
            self._note(key, lambda: (_ATTRIBUTE, value, name, found), (found,))

    def no_attribute_of(self, value, name):
        """An attribute that would be read without Python code is not there."""
        if id(value) not in self._made:
            self._note((_ATTRIBUTE, id(value), name), lambda: (_ATTRIBUTE, value, name))

    def result_of(self, function):
        """What a function of C without arguments gives."""
        self._note((_CALL, id(function)), lambda: (_CALL, function, function()))

    def tensor(self, value):
        """dtype, extents, stop_gradient and parts of a tensor from outside."""
        self._note((_TENSOR, id(value)), lambda: (_TENSOR, value))

    def version(self, value):
        """That nobody writes to the tensor."""
        self._note((_VERSION, id(value)), lambda: (_VERSION, value))

    def function(self, value):
        """Code, defaults and closure of a function."""
        if id(value) not in self._made:
            values = (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())
            self._note((_FUNCTION, id(value)), lambda: (_FUNCTION, value), values)
            if value.__kwdefaults__:
                self.mapping(value.__kwdefaults__)
            for cell in value.__closure__ or ():
                self.cell(cell)

    def look(self, kind, name):
        """What instances of the class find in it and its bases under the name, or ABSENT."""
        key = kind, name
        found = self._looked.get(key, self)
        if found is not self:
            return found
        found = ABSENT
        for c in kind.__mro__:
            table = c.__dict__
            if name in table:
                found = table[name]
                break
        self._looked[key] = found
        if id(kind) not in self._made:
            places = self._classes.setdefault(id(kind), (kind, {}))[1]
            if name not in places or key not in self._class_writes:
                places[name] = found, place_of_caller()
            if found is not ABSENT:
                self.found(found)
        return found

    # --- what was noted

    def put_back(self):
        """Each place holds what it held at first."""
        for home, key, value, _ in self._entries.values():
            if dict.get(home, key, ABSENT) is value:
                continue
            if value is ABSENT:
                dict.pop(home, key, None)
            else:
                dict.__setitem__(home, key, value)
        for (kind, home, *rest), _ in self._noted.values():
            put = _PUT.get(kind)
            if put is not None:
                put(home, *rest)

    def read_before(self, home, key):
        """Whether home[key] is a place."""
        return (id(home), key) in self._entries or (_MAPPING, id(home)) in self._noted

    def times_found(self, value):
        """In how many places the value stands."""
        entries = sum(v is value for _, _, v, _ in self._entries.values())
        noted = [part for place, _ in self._noted.values() for part in place[2:]]
        return entries + sum(
            v is value for part in noted if isinstance(part, (list, tuple)) for v in part
        )

    def leave_out(self, home, key):
        """home[key] is no place any more."""
        self._entries.pop((id(home), key), None)

    def instead(self, home, key, value):
        """home[key] is a place that holds this now."""
        self._entries[id(home), key] = home, key, value, place_of_caller()

    def described(self):
        """(tuples for the core, a text for each)."""
        tables, places, texts = {}, [], []
        for home, key, value, where in self._entries.values():
            table = tables.setdefault(id(home), (home, {}, [], []))
            if value is ABSENT:
                table[2].append(key)
            else:
                table[1][key] = value
            table[3].append(f'{key!r} ({where})')
        for home, held, absent, names in tables.values():
            places.append((_ENTRIES, home, held, absent))
            texts.append(f'entries {", ".join(names)}')
        for kind, names in self._classes.values():
            held = {n: v for n, (v, _) in names.items() if v is not ABSENT}
            places.append((_CLASS, kind, held, [n for n, (v, _) in names.items() if v is ABSENT]))
            texts.append(f'class {kind.__name__}: {", ".join(names)}')
        for place, where in self._noted.values():
            places.append(place)
            home = place[1]
            plain = type(home) is types.FunctionType
            name = home.__qualname__ if plain else type(home).__name__
            texts.append(f'{_NAMES[place[0]]} of {name} ({where})')
        return places, texts


def _put_mapping(home, keys, values):
    if list(home) != keys or any(home[k] is not v for k, v in zip(keys, values)):
        home.clear()
        for key, value in zip(keys, values):
            home[key] = value


def _put_cell(cell, *value):
    if value:
        (cell.cell_contents,) = value
    else:
        try:
            del cell.cell_contents
        except ValueError:
            pass


def _put_list(home, items):
    list.__setitem__(home, slice(None), items)


def _put_set(home, items):
    if isinstance(home, set) and tuple(home) != items:
        home.clear()
        home.update(items)


def _put_attribute(value, name, held=ABSENT):
    if getattr(value, name, ABSENT) is held:
        return
    if held is ABSENT:
        delattr(value, name)
    else:
        setattr(value, name, held)


def _put_array(home, numbers):
    if home.flags.writeable:
        home[...] = numbers


_PUT = {
    _MAPPING: _put_mapping,
    _CELL: _put_cell,
    _LIST: _put_list,
    _SET: _put_set,
    _ATTRIBUTE: _put_attribute,
    _ARRAY: _put_array,
}
_SIMPLE = frozenset(
    {int, float, bool, str, bytes, complex, type(None), type(Ellipsis), type(NotImplemented)}
)
# Their objects keep their class.
_FIXED = {
    *(list, dict, tuple, set, frozenset, range, slice, type, object),
    *(types.FunctionType, types.MethodType, types.BuiltinFunctionType),
    *(types.GeneratorType, types.CodeType, types.ModuleType),
    *(zip, enumerate, map, filter, reversed),
}
_NAMES = {
    _MAPPING: 'keys and values',
    _CELL: 'closure cell',
    _LIST: 'items',
    _SET: 'items',
    _CLASS_OF: 'class',
    _ATTRIBUTE: 'attribute',
    _ARRAY: 'numbers',
    _TENSOR: 'dtype and shape',
    _FUNCTION: 'code and defaults',
    _VERSION: 'version',
    _CALL: 'result',
}
