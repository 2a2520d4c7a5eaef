# SPDX-License-Identifier: Apache-2.0
"""What is known of functions and classes that are not written in Python: which depend on their
arguments alone, and which read or change an object in a way that can be noted. What stands in no
table ends a recording.
"""

import builtins
import collections
import functools

import itertools
import math
import operator
import os
import re
import sys
import sysconfig
import threading
import types

import numpy

import paddle
from paddle.base import libpaddle as _core
from paddle.jit import environment
from paddle.jit.errors import FallbackError, InnerError

from .extents import Extent

BUILTINS = builtins
HEAP_TYPE = 1 << 9
TAPE_PLAIN = 3
BOOL = paddle.bool
FLOATS = (paddle.float32, paddle.float64)
OP = type(_core._functions('paddle')['reshape'])
FRONTED = _core.FrontedFunction  # C in front of a Python function: second names, calls of layers
_ROOT = os.path.dirname(paddle.__file__) + os.sep
_HERE = os.path.dirname(__file__) + os.sep
FREE_FILES = [_HERE, '<frozen importlib']
CONVERSION = os.path.join(_ROOT, 'jit', 'dy2static', '')
TRUSTED_FILES = [
    _ROOT,
    os.path.dirname(numpy.__file__) + os.sep,
    sysconfig.get_paths()['stdlib'] + os.sep,
    '<frozen ',
    '<__array_function__',
]

# Values without parts that change; of tensors the tape knows.
PLAIN = {
    *(int, float, bool, str, bytes, complex, type(None), type(Ellipsis), type(NotImplemented)),
    *(range, type(paddle.float32)),
}
VALUES = {*PLAIN, Extent, _core.Tensor, paddle.base.framework.EagerParamBase}
VALUES_WITH_ITEMS = {str, bytes, range}
NUMBERS = {int, float, bool, complex, Extent}
# Objects of these never change.
FROZEN = {
    *(type(paddle.float32), slice, types.CodeType, re.Pattern, re.Match, numpy.dtype, frozenset),
    *(types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType, OP, FRONTED),
    *(operator.itemgetter, operator.attrgetter, operator.methodcaller),
    *(k for k in vars(_core).values() if isinstance(k, type) and k.__name__.endswith('Place')),
    *(k for k in vars(numpy).values() if isinstance(k, type) and issubclass(k, numpy.generic)),
    *(_core.Shard, _core.Replicate, _core.Partial),
}


def is_frozen(kind):
    """Whether objects of the class never change."""
    return kind in FROZEN or issubclass(kind, _core.ProcessMesh)


# Classes of C whose members can be compared.
READABLE = {functools.partial, types.FunctionType}
# They have no state that operators read.
OPAQUE = {
    *(types.FunctionType, types.ModuleType, functools.partial, object, *FROZEN),
    *(_core.ProcessGroup, _core.task),
}
OPAQUE_KINDS = (types.FunctionType, types.ModuleType, functools.partial, type)
ITERATORS = (
    *(zip, enumerate, map, filter, reversed, types.GeneratorType),
    *(type(iter(v)) for v in ([], (), {}, set(), '', b'', range(1), {}.items(), {}.values())),
    *(v for v in vars(itertools).values() if isinstance(v, type)),
)
# They find attributes as `object` does.
PLAIN_READERS = {
    *(object, list, dict, set, frozenset, tuple, int, float, str, bytes, BaseException, Exception),
    *(collections.OrderedDict, collections.defaultdict, collections.deque, functools.partial),
    *(numpy.ndarray, numpy.generic, numpy.ufunc, re.Pattern, re.Match, types.FunctionType, slice),
    *(types.SimpleNamespace, type({}.keys()), type({}.values()), type({}.items()), *ITERATORS),
}
# Objects that their methods change, but that a call that makes them may use.
CHANGED_BY_CALLS = (
    *(collections.deque, type({}.keys()), type({}.values()), type({}.items())),
    *ITERATORS,
)
LOCKS = (type(threading.Lock()), type(threading.RLock()))
DICT_CONTAINS = (dict.__contains__, collections.OrderedDict.__contains__)

# Functions whose result depends on their arguments alone.
PURE = {
    *(abs, divmod, pow, round, ord, chr, hex, oct, bin, callable),
    *(v for v in vars(math).values() if isinstance(v, types.BuiltinFunctionType)),
    *(
        v
        for k, v in vars(operator).items()
        if isinstance(v, types.BuiltinFunctionType)
        and not k.startswith(('i', 'set', 'del'))
        and k not in ('attrgetter', 'itemgetter', 'methodcaller', 'call', 'getitem', 'contains')
    ),
    *(operator.inv, operator.invert, operator.index, operator.is_, operator.is_not),
}
# They go through the arguments and make something new of what they find.
COLLECTING = {sum, any, all, min, max, sorted, functools.reduce, functools.cmp_to_key}
COLLECTING_CLASSES = {
    *(list, tuple, set, frozenset, dict, zip, enumerate, map, filter, reversed),
    *(collections.OrderedDict, collections.defaultdict, collections.deque),
    *(v for v in vars(itertools).values() if isinstance(v, type)),
}
PLAIN_CLASSES = {
    *(int, float, bool, complex, bytes, range, slice, object, staticmethod, classmethod, property),
    *(types.MethodType, types.SimpleNamespace, functools.partial, numpy.dtype),
    *(operator.itemgetter, operator.attrgetter, operator.methodcaller),
}
_NUMPY = (
    'abs add all allclose amax amin any append arange argmax argmin argsort array array_equal '
    'array_split asarray ascontiguousarray atleast_1d atleast_2d bincount broadcast_to ceil clip '
    'concatenate copy cos cosh cross cumprod cumsum deg2rad degrees diag diff digitize dot dstack '
    'einsum equal exp exp2 expand_dims expm1 eye fabs flip floor floor_divide full full_like '
    'greater hanning hamming histogram hsplit hstack identity interp isclose isfinite isinf isnan '
    'kron less linspace log log10 log1p log2 logspace matmul max maximum mean median meshgrid min '
    'minimum mod moveaxis multiply nan_to_num ndim nonzero not_equal ones ones_like outer pad '
    'power prod rad2deg radians ravel repeat reshape rint roll round searchsorted shape sign sin '
    'sinh size sort split sqrt square squeeze stack std subtract sum swapaxes take tan tanh '
    'tensordot tile trace transpose tri tril triu trunc unique var vsplit vstack where zeros '
    'zeros_like'
).split()
_LINALG = 'cholesky cond det eigvals eigvalsh inv lstsq matrix_power matrix_rank norm pinv solve'
PURE_OF_NUMPY = {getattr(numpy, n) for n in _NUMPY if hasattr(numpy, n)} | {
    getattr(numpy.linalg, n) for n in _LINALG.split()
}
_NUMPY_METHODS = (
    'all any argmax argmin argsort astype clip copy cumsum dot flatten item max mean min nonzero '
    'prod ravel repeat reshape round std squeeze sum swapaxes take tolist tobytes trace transpose '
    'var __len__ __getitem__'
).split()

# Methods of containers: those that read all of it, and those that change it.
READING = {
    list: {
        'index',
        'count',
        'copy',
        '__len__',
        '__iter__',
        '__reversed__',
        '__eq__',
        '__add__',
        '__mul__',
    },
    dict: {
        'keys',
        'values',
        'items',
        'copy',
        '__len__',
        '__iter__',
        '__reversed__',
        '__eq__',
        '__or__',
    },
    set: {
        *('copy', 'union', 'intersection', 'difference', 'symmetric_difference', 'issubset'),
        *(
            'issuperset',
            'isdisjoint',
            '__len__',
            '__iter__',
            '__eq__',
            '__or__',
            '__and__',
            '__sub__',
        ),
    },
    numpy.ndarray: set(_NUMPY_METHODS),
}
CHANGING = {
    list: {
        *('append', 'extend', 'insert', 'pop', 'remove', 'clear', 'reverse', 'sort'),
        *('__setitem__', '__delitem__', '__iadd__', '__imul__', '__init__'),
    },
    dict: {
        *('update', 'pop', 'popitem', 'setdefault', 'clear', 'move_to_end', '__setitem__'),
        *('__delitem__', '__ior__', '__init__'),
    },
    set: {
        *('add', 'discard', 'remove', 'pop', 'clear', 'update', 'intersection_update', '__init__'),
        *('difference_update', 'symmetric_difference_update', '__ior__', '__iand__', '__isub__'),
    },
}
# Those of them that go through the items of their arguments; others keep an argument as it is.
GATHERING = {
    *('extend', 'update', 'intersection_update', 'difference_update'),
    *('symmetric_difference_update', '__iadd__', '__ior__', '__init__'),
}
# They call the functions that they are given, and do no more.
CALLING = {getattr(_core.pir, n) for n in ('_if_region', '_while_region')}
# Functions of the core that are no operations, but depend on their arguments and the modes alone.
CORE = {
    getattr(_core, n)
    for n in (
        'get_default_dtype set_default_dtype is_grad_enabled set_grad_enabled get_amp_state '
        'run_backward grad is_compiled_with_cinn op_names _run_custom_op _shard_tensor '
        '_dtensor_from_local _reshard _whole_of _local_apart _records_step _note_moves '
        '_noted_moves expect_tensors'
    ).split()
} | {_core.pir._record_mode, _core.pir._extents}
# What meshes and placements, which never change, tell of themselves.
CORE |= {
    getattr(member, '__func__', member)
    for kind in (_core.ProcessMesh, _core.Placement, _core.Shard, _core.Replicate, _core.Partial)
    for found in vars(kind).values()
    for member in (getattr(found, 'fget', None) or found,)
    if callable(member)
}

# Communication, which ends a tape: a function that communicates is recorded by running it.
CORE |= {
    vars(kind)[name].__func__
    for kind, names in (
        (
            _core.ProcessGroup,
            'all_reduce reduce broadcast all_gather gather scatter reduce_scatter all_to_all send '
            'recv begin_batch end_batch barrier rank size name',
        ),
        (_core.task, 'wait synchronize is_completed'),
    )
    for name in names.split()
}


def is_bound(function):
    """Whether a function of C is one of pybind11, whose `__self__` says how it is called."""
    return type(function.__self__).__name__.startswith(('pybind11_detail', 'PyCapsule'))


_CORE_CLASSES = {
    *(
        _core.Tensor,
        _core.pir.Value,
        _core.pir.RecordScope,
        _core.GradMode,
        _core.GradSwitch,
        _core.AmpScope,
        _core.Size,
        _core.ProcessMesh,
        _core.Shard,
        _core.Replicate,
        _core.Partial,
        _core.ProcessGroup,
        _core.task,
    ),
    *(k for k in vars(_core).values() if isinstance(k, type) and k.__name__.endswith('Place')),
}
# Parts of this package whose functions depend on their arguments and the modes alone; the layers
# and what calls functions it is given are read like a user's code.
_TRUSTED = tuple(
    os.path.join(_ROOT, *p.split('/'))
    for p in (
        '_lazy.py _C_ops.py _op_forms.py _paths.py tensor/ linalg.py fft.py signal.py '
        'nn/functional/ amp/auto_cast.py amp/amp_lists.py amp/loss_scaling.py '
        'base/dygraph/ base/arguments.py '
        'base/framework.py base/variable_index.py base/data_feeder.py framework/dtype.py '
        'framework/framework.py autograd/ vision/ops.py incubate/nn/functional/ geometric/ '
        'sparse/ device/ pir/ jit/dy2static/ distributed/auto_parallel/api.py'
    ).split()
)
_WITH_HOOKS = tuple(_ROOT + p for p in ('autograd', 'base' + os.sep + 'dygraph'))
_UNTRUSTED = {
    'get_flags',
    'get_rng_state',
    'get_device',
    'get_cuda_rng_state',
    'recompute',
    'saved_tensors_hooks',
}


def is_trusted(function):
    """Whether a function of this package depends on its arguments and the modes alone."""
    file = function.__code__.co_filename
    return (
        file.startswith(_ROOT) and file.startswith(_TRUSTED) and function.__name__ not in _UNTRUSTED
    )


def is_written_here(function):
    """Whether the function is of this package."""
    return function.__code__.co_filename.startswith(_ROOT)


def is_trusted_class(kind):
    """Whether a class is of a part of this package that is trusted, or one of the core that stands
    for a mode or a value.
    """
    name = kind.__module__
    if not isinstance(name, str) or not name.startswith('paddle'):
        return False
    if name.startswith('paddle.base.libpaddle'):
        return kind in _CORE_CLASSES
    file = getattr(sys.modules.get(name), '__file__', None) or ''
    return file.startswith(_TRUSTED) and not issubclass(kind, layer_class())


_UNCHANGING = {object, int, float, complex, str, bytes, tuple}
_OF_C = (types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType)


def is_of_python(kind):
    """Whether the class and its bases were defined in Python, or are classes of values: operators
    on its objects are Python functions, or read nothing that changes.
    """
    return all(
        c in _UNCHANGING
        or c.__flags__ & HEAP_TYPE
        and not any(
            isinstance(v, _OF_C) for k, v in vars(c).items() if k not in ('__dict__', '__weakref__')
        )
        for c in kind.__mro__
    )


def is_followed(function):
    """Whether the function gives a tensor that is kept up to date with what it reads."""
    return function.__name__ == '_follow_rate' and function.__code__.co_filename.startswith(_ROOT)


def is_alone(function):
    """Whether the function of this package runs no code of a user, such as hooks of gradients."""
    return not function.__code__.co_filename.startswith(_WITH_HOOKS)


def _is_of_package(name):
    return name == 'paddle' or name.startswith('paddle.')


def is_of_package(module):
    """Whether the module is one of this package, whose names are found on first use."""
    return _is_of_package(module.__name__)


def is_of_user(decision):
    """Whether code of a user read the number of a `Session.decision`: code of this package records
    a training step whatever the number is.
    """
    return not decision[2].startswith(_ROOT)


def is_of_numpy(function):
    """Whether a function of NumPy depends on its arguments alone."""
    try:
        return function in PURE_OF_NUMPY or isinstance(function, numpy.ufunc)
    except TypeError:
        return False


_PLAIN_HOMES = ('builtins', 'functools', 'collections', '_collections')


def is_bound_plainly(found):
    """Whether reading the descriptor of C runs no code that is not known."""
    return isinstance(found, (OP, types.MethodType)) or type(found).__module__ in _PLAIN_HOMES


@functools.cache
def layer_class():
    """paddle.nn.Layer"""
    return paddle.nn.Layer


def is_composed(value):
    """Whether the object is a sparse tensor: it says to be a tensor, and holds some of the core."""
    return isinstance(value, _core.Tensor) and not _core._is_tensor(value)


# What paddle.jit.sot.psdb says of functions: those whose calls a session makes itself, by a method
# of it; code that is to be compiled without a break; code that may not be left as it is; code that
# is left as it is.
BREAKING, WHOLE, NO_FALLBACK, LEFT = {}, set(), set(), set()
# Whether functions that are left as they are raise.
strict = types.SimpleNamespace(on=environment.STRICT_MODE.get())


def check_falls_back(function, reason):
    """Raise where a function may not run without being compiled, but for `reason` it has to."""
    if getattr(function, '__code__', None) in NO_FALLBACK:
        raise InnerError(
            f'[to_static] expected {function.__qualname__} to be compiled, got a function that '
            f'runs as it is: {reason}'
        )
    if strict.on:
        raise FallbackError(
            f'[to_static] expected functions that are compiled, got {function.__qualname__}, which '
            f'runs as it is: {reason}'
        )


IGNORED = set()  # names of modules given to `paddle.jit.ignore_module`


def is_ignored(name):
    """Whether functions of the module are called as they are."""
    return isinstance(name, str) and any(name == m or name.startswith(m + '.') for m in IGNORED)
