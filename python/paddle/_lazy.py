# SPDX-License-Identifier: Apache-2.0
"""Names found on first use: the functions generated from op stanzas, and those of submodules.

A module that serves a namespace of generated functions ends with `install(globals(), 'paddle.nn.functional')`; the dict
`paddle.base.libpaddle._functions('paddle.nn.functional')` holds its generated functions by name.
"""

import importlib

from paddle.base.libpaddle import _functions


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
