# SPDX-License-Identifier: Apache-2.0
"""What a call inside converted code calls: user functions in converted form, builtins that know
tensors, the rest as it is.
"""

import functools
import os
import sys
import sysconfig
import types

from paddle.base import libpaddle as _core

_PLAIN_MODULES = {
    'paddle',
    'numpy',
    'scipy',
    'torch',
    'logging',
    'PIL',
    'matplotlib',
    'pytest',
    '_pytest',
}
_PLAIN_MODULES |= set(getattr(sys, 'stdlib_module_names', ())) - {'__main__'}
_STDLIB = sysconfig.get_paths()['stdlib'] + os.sep
_ignored = set()
_CONVERTED_HOMES = {'paddle.nn.layer.container'}
_QUICK = {
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
}
BUILTINS = {}
_OP = type(_core._functions('paddle')['reshape'])
_QUICK.add(_OP)


def ignore_module(modules):
    """Call functions of these modules as they are."""
    for module in modules:
        _ignored.add(module if isinstance(module, str) else module.__name__)


def stays(fn):
    """Whether the function is called as it is: it is marked so, or its module is."""
    if getattr(fn, '__not_to_static__', False):
        return True
    module = getattr(fn, '__module__', None) or ''
    if module in _CONVERTED_HOMES:
        return False
    if module.split('.', 1)[0] in _PLAIN_MODULES:
        return True
    if _ignored and any(module == m or module.startswith(m + '.') for m in _ignored):
        return True
    code = getattr(fn, '__code__', None)
    name = code.co_filename if code is not None else ''
    return name.startswith(_STDLIB) and 'site-packages' not in name or name.startswith('<frozen')


def _function(fn):
    from paddle.jit.dy2static import convert

    if stays(fn):
        return fn
    try:
        return convert.convert_function(fn)
    except SyntaxError:
        convert.logger.info('%s stays as it is: it could not be converted', fn.__qualname__)
        return fn


def call(fn):
    """The callable to use in place of `fn`."""
    kind = type(fn)
    if kind in _QUICK:
        return BUILTINS.get(fn, fn) if kind is types.BuiltinFunctionType or kind is _OP else fn
    if kind is types.FunctionType:
        return _function(fn)
    if kind is types.MethodType:
        inner = fn.__func__
        if type(inner) is not types.FunctionType:
            return (
                functools.partial(BUILTINS[inner], fn.__self__)
                if type(inner) is _OP and inner in BUILTINS
                else fn
            )
        new = _function(inner)
        return fn if new is inner else types.MethodType(new, fn.__self__)
    if isinstance(fn, type):
        return BUILTINS.get(fn, fn)
    if kind is functools.partial:
        inner = call(fn.func)
        return fn if inner is fn.func else functools.partial(inner, *fn.args, **fn.keywords)
    if hasattr(kind, 'dygraph_function'):
        return call(fn.dygraph_function)
    return _object(fn)


def _object(fn):
    from paddle.nn import Layer

    method = getattr(type(fn), '__call__', None)
    if method is Layer.__call__:
        return _layer(fn)
    if type(method) is types.FunctionType:
        return call(types.MethodType(method, fn))
    return fn


def _layer(layer):
    forward = layer.forward
    new = call(forward)
    if new is forward:
        return layer
    d = layer.__dict__
    if not d['_forward_pre_hooks'] and not d['_forward_post_hooks']:
        return new

    def with_hooks(*args, **kwargs):
        from paddle.nn.layer.hooks import call_with_hooks

        old = d.get('forward', layer)
        d['forward'] = new
        try:
            return call_with_hooks(layer, args, kwargs)
        finally:
            if old is layer:
                d.pop('forward', None)
            else:
                d['forward'] = old

    return with_hooks


def attribute(value, name):
    """`value.name`; a property of a user's class is converted like a call."""
    found = getattr(type(value), name, None)
    if type(found) is property and type(found.fget) is types.FunctionType:
        new = _function(found.fget)
        if new is not found.fget:
            return new(value)
    return getattr(value, name)
