# SPDX-License-Identifier: Apache-2.0
"""Python functions that gradients run: forward and backward of a PyLayer, hooks of tensors.

Where backward runs within the call, they are code of the call. Else they run when the gradients of
the call are recorded, and stand for what they do at each backward: so they may depend on what the
call gave them and on what hardly changes between a call and its backward, names of modules,
functions and classes.
"""

import types

from paddle.base import libpaddle as _core

from . import tables
from .places import ABSENT, KINDS

HOOKS = {'register_hook', '_register_grad_hook'}
_LASTING = (
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type),
    *(staticmethod, classmethod, property, types.MethodDescriptorType, tables.OP),
    *(types.WrapperDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType),
    *(types.ClassMethodDescriptorType, types.MethodWrapperType),
)


def _lasts(value):
    return value is ABSENT or isinstance(value, _LASTING) or type(value) in tables.FROZEN


def lasting(places):
    """Whether what the places hold hardly changes between a call and its backward."""
    for kind, home, *rest in places:
        if kind == KINDS.CLASS and tables.is_trusted_class(home):
            continue
        if kind in (KINDS.ENTRIES, KINDS.CLASS):
            if not all(map(_lasts, rest[0].values())):
                return False
        elif kind == KINDS.CELL:
            if not all(map(_lasts, rest)):
                return False
        elif kind not in (KINDS.FUNCTION, KINDS.CLASS_OF):
            return False
    return True


class GradientCode:
    """Part of a session."""

    def py_layer(self, kind, context, args, kwargs):
        """`py_layer_apply` with forward and backward called through the session."""
        forward, backward = self.attribute(kind, 'forward'), self.attribute(kind, 'backward')
        members = {
            'forward': staticmethod(lambda *args, **kwargs: self.call(forward, *args, **kwargs)),
            'backward': staticmethod(self.run_by_gradients(backward)),
        }
        proxy = self.made(type(kind.__name__, (), members))
        return self._result(_core.py_layer_apply(proxy, context, args, kwargs), args)

    def hook(self, tensor, name, args):
        """The arguments of a method that registers a hook: one of a tensor the call made runs
        through the session.
        """
        if name in HOOKS and len(args) == 1 and callable(args[0]) and not self.is_outer(tensor):
            return [self.run_by_gradients(args[0])]
        return args

    def run_by_gradients(self, function, late=None):
        """The function as what gradients may run, now or when the call is over: `late` then."""

        def run(*args):
            if not self.done:
                return self.call(function, *args)
            return (late or function)(*args)

        return self.made(run)
