# SPDX-License-Identifier: Apache-2.0
"""Names found on first use: the functions generated from op stanzas, and those of submodules.

A module that serves a namespace of generated functions ends with `install(globals(),
'paddle.nn.functional')`; the dict `paddle.base.libpaddle._functions('paddle.nn.functional')` holds
its generated functions by name.

What programs reach by a path of PaddlePaddle's that is none of a file here stands in the table of
`paddle._paths`: `listed` finds its names, and modules that only that table has are made when they
are imported.
"""

import _imp
import importlib
import os
import sys
import time
from _thread import get_ident
from importlib import _bootstrap

from paddle.base import libpaddle as _core
from paddle.base.libpaddle import _functions


def _before_fork():
    """A child would wait for ever for a module that another thread of its parent was loading: wait
    until none is, and let none begin."""
    thread, end = get_ident(), time.monotonic() + 10
    while True:
        _imp.acquire_lock()
        locks = [lock() for lock in list(_bootstrap._module_locks.values())]
        if (
            all(getattr(lock, 'owner', None) in (None, thread) for lock in locks)
            or time.monotonic() > end
        ):
            return
        _imp.release_lock()
        time.sleep(0.001)


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_imp.release_lock, after_in_child=_imp.release_lock
    )


def install(scope, namespace, table=None, modules=()):
    """Give the module of `scope` a `__getattr__` and `__dir__`.

    A name is looked up in `table` (name -> module that defines it, relative ones start with a dot),
    then among the functions generated for `namespace`, then among the submodules `modules`. What is
    found is kept in the module.
    """
    package = scope['__name__']
    table = table or {}
    generated = _functions(namespace)

    def __getattr__(name):
        home = table.get(name)
        if home is not None:
            value = getattr(importlib.import_module(home, package), name)
        elif name in generated:
            value = generated[name]
        elif name in modules:
            value = importlib.import_module('.' + name, package)
        else:
            return listed(package, name)  # not kept: `dir` shows what is here
        scope[name] = value
        return value

    def __dir__():
        return sorted({*scope, *table, *generated, *modules})

    scope['__getattr__'] = __getattr__
    scope['__dir__'] = __dir__
    return generated


def homes(modules):
    """{'name': 'module'} from {'module': 'name name ...'}."""
    return {name: module for module, names in modules.items() for name in names.split()}


def callable_as(name, function):
    """Let the module `name` be called: `function()` gives what a call of it calls."""

    class Module(type(sys.modules[name])):
        def __call__(self, *args, **kwargs):
            return function()(*args, **kwargs)

    sys.modules[name].__class__ = Module


def _paths():
    return importlib.import_module('paddle._paths')


def listed(module, name):
    """What the table of `paddle._paths` has as `name` of a module; AttributeError when that is
    nothing.
    """
    if not name.startswith('__'):
        home = _paths().home(module, name)
        if home is not None:
            return _paths().value(*home)
    from paddle._suggest import UnknownName

    raise UnknownName(
        f"module {module!r} has no attribute {name!r}", sys.modules.get(module), name, module
    )


def serve(scope):
    """Give the module of `scope`, which has no `__getattr__` of its own, the names listed for it,
    and the modules below it.

    They are not kept in the module: its own code would see them where it means `min` or `slice` of
    Python.
    """
    module = scope['__name__']
    if _paths().modules().get(module):
        scope.setdefault('__path__', [])
    scope['__getattr__'] = lambda name: listed(module, name)


# The core has no Python of its own where names could be looked up.
for _module in (_core, _core.pir):
    _module.__getattr__ = lambda name, module=_module.__name__: listed(module, name)


class _Listed:
    """Finds and makes the modules that are only in the table of `paddle._paths`. Last in
    `sys.meta_path`: files come first.
    """

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        known = _paths().modules() if name.startswith('paddle.') and path is not None else {}
        return _bootstrap.ModuleSpec(name, cls, is_package=known[name]) if name in known else None

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        scope, name = module.__dict__, module.__name__
        names = _paths().names(name)
        scope['__doc__'] = f"Names that programs take from `{name}`."
        scope['__all__'] = [n for n in names if not n.startswith(('_', '*'))]
        scope['__dir__'] = lambda: sorted({*scope, *names})
        serve(scope)
        above, _, last = name.rpartition('.')
        if not isinstance(getattr(sys.modules[above], last, module), type(sys)):
            _keep(sys.modules[above], last)


class _Keeping(type(sys)):
    """A package in which a function has the name of a module: the function keeps it when that
    module is imported.
    """

    def __setattr__(self, name, value):
        if name not in self._kept or not isinstance(value, type(sys)):
            super().__setattr__(name, value)


def _keep(package, name):
    package.__dict__.setdefault('_kept', set()).add(name)
    kind = type(package)
    if not issubclass(kind, _Keeping):
        package.__class__ = (
            _Keeping if kind is type(sys) else type('_Keeping', (_Keeping, kind), {})
        )


sys.meta_path.append(_Listed)
