# SPDX-License-Identifier: Apache-2.0
"""Names found on first use: the functions generated from op stanzas, and those of submodules.

A module that serves a namespace of generated functions ends with `install(globals(), 'paddle.nn.functional')`; the dict
`paddle.base.libpaddle._functions('paddle.nn.functional')` holds its generated functions by name.
"""

import _imp
import importlib
import os
import time
from _thread import get_ident
from importlib import _bootstrap

from paddle.base.libpaddle import _functions


def _before_fork():
    """A child would wait for ever for a module that another thread of its parent was loading: wait until none is, and let
    none begin."""
    thread, end = get_ident(), time.monotonic() + 10
    while True:
        _imp.acquire_lock()
        locks = [lock() for lock in list(_bootstrap._module_locks.values())]
        if all(getattr(lock, 'owner', None) in (None, thread) for lock in locks) or time.monotonic() > end:
            return
        _imp.release_lock()
        time.sleep(0.001)


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(before=_before_fork, after_in_parent=_imp.release_lock, after_in_child=_imp.release_lock)


def install(scope, namespace, table=None, modules=()):
    """Give the module of `scope` a `__getattr__` and `__dir__`.

    A name is looked up in `table` (name -> module that defines it, relative ones start with a dot), then among the
    functions generated for `namespace`, then among the submodules `modules`. What is found is kept in the module.
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
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
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
