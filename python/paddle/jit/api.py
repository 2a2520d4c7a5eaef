# SPDX-License-Identifier: Apache-2.0
"""Marking what can be saved (`to_static`), and recording it into a program (`save`)."""

import contextlib
import contextvars
import functools
import inspect
import os

import paddle
from paddle import _lazy
from paddle.base import libpaddle as _core
from paddle.base.arguments import items, keywords, only
from paddle.base.framework import is_recorded
from paddle.jit import dy2static
from paddle.jit.dy2static import set_code_level, set_verbosity
from paddle.static import io as _io
from paddle.static.input_spec import InputSpec

from . import capture, environment
from .errors import of_user
from .reads.graph import GraphSession
from .reads.tables import IGNORED, is_ignored
from .static_function import BOUND, StaticFunction, parameter_names

__all__ = [
    'to_static',
    'not_to_static',
    'enable_to_static',
    'ignore_module',
    'set_code_level',
    'set_verbosity',
    'save',
]


def to_static(function=None, input_spec=None, build_strategy=None, backend='CINN', **kwargs):
    """A function, method or layer (its forward) whose calls run as a program once they have been
    recorded.

    Works as a decorator too. The last 64 ways of calling (dtypes, shapes, other values) are kept: a
    number that always changes is better a tensor.

    Args:
        function (callable, default None): The function or layer; None for a decorator.
        input_spec (list of InputSpecs, default None): The inputs; extents of None stay free.
        build_strategy (BuildStrategy, default None): Taken for compatibility; it has no effect.
        backend (str, default 'CINN'): `CINN` fuses operations, None does not.
        **kwargs (object): `full_graph`: record at the first call, with control flow, an error where
            that is impossible; `property`; `dynamic_dims`: for each tensor the dimensions that stay
            free.

    Returns:
        callable: the function or layer.

    Examples:
        >>> @paddle.jit.to_static
        ... def scaled(x):
        ...     return x / x.sum() if x.min() >= 0 else x.abs()
        >>> scaled(paddle.to_tensor([1.0, 3.0])).tolist()
        [0.25, 0.75]
        >>> scaled(paddle.to_tensor([1.0, -3.0])).tolist()
        [1.0, 3.0]
    """
    keywords('to_static', kwargs, 'full_graph', 'property', 'dynamic_dims')
    if backend not in ('CINN', None):
        raise ValueError(f"[to_static] expected backend 'CINN' or None, got {backend!r}")
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise TypeError(
            "[to_static] expected input_spec to be a list or tuple, got "
            f"{type(input_spec).__name__}"
        )
    whole = kwargs.get('full_graph')
    options = {
        'full_graph': not _compiles_regions() if whole is None else bool(whole),
        'backend': backend,
        'build_strategy': build_strategy,
        'dynamic_dims': kwargs.get('dynamic_dims'),
        'is_property': bool(kwargs.get('property', False)),
    }

    def mark(target):
        if isinstance(target, paddle.nn.Layer):
            forward = target.forward
            if isinstance(forward, StaticFunction):
                if input_spec is None:
                    return target
                forward = forward.dygraph_function
            if _is_left_alone(forward):
                return target
            target.__dict__['forward'] = StaticFunction(forward, input_spec, target, **options)
            return target
        if isinstance(target, (staticmethod, classmethod)):
            return type(target)(mark(target.__func__))
        if isinstance(target, StaticFunction):
            return target
        if not callable(target):
            raise TypeError(
                f'[to_static] expected a function or Layer, got {type(target).__name__}'
            )
        if _is_left_alone(target):
            return target
        return StaticFunction(target, input_spec, getattr(target, '__self__', None), **options)

    return mark if function is None else mark(function)


_regions = contextvars.ContextVar('paddle.jit.regions', default=None)


def _compiles_regions():
    chosen = _regions.get()
    return environment.FALL_BACK.get() if chosen is None else chosen


@contextlib.contextmanager
def sot_mode_guard(value):
    """A scope in which functions are marked for compiled regions, or as whole graphs, where
    `to_static` is not told by `full_graph`. Outside the environment variable ENABLE_FALL_BACK says
    so.

    Args:
        value (bool): True for regions, as outside without the variable; False for whole graphs.

    Returns:
        context manager: also a decorator.

    Examples:
        >>> with paddle.jit.api.sot_mode_guard(False):
        ...     f = paddle.jit.to_static(lambda x: -x if x.sum() > 0 else x)
        >>> f(paddle.ones([2])).tolist(), paddle.jit.explain(f).compiled_calls
        ([-1.0, -1.0], 1)
    """
    token = _regions.set(bool(value))
    try:
        yield
    finally:
        _regions.reset(token)


def _is_left_alone(function):
    inner = getattr(function, '__func__', function)
    return getattr(inner, '__not_to_static__', False) or is_ignored(
        getattr(inner, '__module__', None)
    )


def not_to_static(func=None):
    """Mark a function whose code is used as it is, without conversion of control flow.

    Args:
        func (callable, default None): The function; None for a decorator.

    Returns:
        callable: the function.

    Examples:
        >>> @paddle.jit.not_to_static
        ... def double(x):
        ...     return x * 2
        >>> paddle.jit.to_static(lambda x: double(x) + 1)(paddle.ones([2])).tolist()
        [3.0, 3.0]
    """

    def mark(function):
        getattr(function, '__func__', function).__not_to_static__ = True
        return function

    return mark if func is None else mark(func)


def enable_to_static(enable_to_static_bool):
    """With False functions marked with `to_static` run as they are.

    Args:
        enable_to_static_bool (bool): Whether marked functions run as programs.

    Returns:
        None.

    Examples:
        >>> paddle.jit.enable_to_static(False)
        >>> paddle.jit.enable_to_static(True)
    """
    if not isinstance(enable_to_static_bool, bool):
        raise TypeError(
            f'[enable_to_static] expected a bool, got {type(enable_to_static_bool).__name__}'
        )
    _core._static_enabled(enable_to_static_bool)


def ignore_module(modules):
    """Name modules whose functions are called as they are.

    Args:
        modules (list of modules): The modules.

    Returns:
        None.

    Examples:
        >>> import json
        >>> paddle.jit.ignore_module([json])
    """
    if not isinstance(modules, (list, tuple)):
        raise TypeError(f'[ignore_module] expected a list of modules, got {type(modules).__name__}')
    IGNORED.update(getattr(m, '__name__', m) for m in modules)
    dy2static.ignore_module(modules)


def _flatten(value, out):
    if _core._is_tensor(value):
        out.append(value)
    elif isinstance(value, dict):  # in the order of the keys, as PaddlePaddle flattens
        for key in sorted(value):
            _flatten(value[key], out)
    elif isinstance(value, (list, tuple)):
        for v in value:
            _flatten(v, out)
    return out


def _specs_of(function):
    """What a marked function was given, or was last called with; None when neither."""
    if function.input_spec is not None or function._last_call is None:
        return function.input_spec
    args, kwargs = function._last_call
    return (
        None
        if any(capture.tensors_of(v) or isinstance(v, InputSpec) for v in kwargs.values())
        else list(args)
    )


def _leaves(value):
    if isinstance(value, dict):
        return [t for v in value.values() for t in _leaves(v)]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in _leaves(v)]
    return [value]


def _record(layer, function, input_spec):
    """(program, inputs, results) of `function` on symbolic inputs; of the layer with its hooks when
    there is one.
    """
    names = parameter_names(function)
    for place, spec in enumerate(input_spec):
        for leaf in _leaves(spec):
            if not _core._is_tensor(leaf) and not isinstance(
                leaf, (InputSpec, int, float, str, bool, type(None))
            ):
                raise TypeError(
                    f'[jit.save] expected InputSpec or Tensor in input_spec, got '
                    f'{type(leaf).__name__}'
                )
    flat = [
        (place, leaf)
        for place, spec in enumerate(input_spec)
        for leaf in _leaves(spec)
        if _core._is_tensor(leaf) or isinstance(leaf, InputSpec)
    ]
    given = [
        leaf.name
        if isinstance(leaf, InputSpec) and leaf.name
        else names[place]
        if place < len(names)
        else f'input_{place}'
        for place, leaf in flat
    ]
    session = GraphSession(guarded=False)
    target = function if layer is None else layer
    with paddle.no_grad():
        recording = capture.Recording(target, input_spec, {}, session, given)
    return recording.program, recording.inputs, _flatten(recording.returned, [])


_REFUSED = (
    'combine_params',
    'separate_parameters',
    'skip_forward',
    'skip_prune_program',
    'input_names_after_prune',
)
_CONFIGS = ('output_spec', 'with_hook', 'clip_extra', *_REFUSED)
_save_pre_hooks = []


class HookRemoveHelper:
    """What registering a hook gives: `remove()` takes it back."""

    def __init__(self, hook):
        self._hook = hook

    def remove(self):
        """Take the hook back, if it is still there."""
        if self._hook in _save_pre_hooks:
            _save_pre_hooks.remove(self._hook)


def _register_save_pre_hook(hook):
    """Have `hook(layer, input_spec, configs)` called before each `save`."""
    if hook not in _save_pre_hooks:
        _save_pre_hooks.append(hook)
    return HookRemoveHelper(hook)


def _clear_save_pre_hooks():
    _save_pre_hooks.clear()


def _run_save_pre_hooks(func):
    """`func(layer, path, input_spec, **configs)` with the hooks called first."""

    @functools.wraps(func)
    def wrapper(layer, path, input_spec=None, **configs):
        for hook in list(_save_pre_hooks):
            hook(layer, input_spec, configs)
        try:
            func(layer, path, input_spec, **configs)
        except Exception as error:
            raise error.with_traceback(of_user(error.__traceback__))

    return wrapper


@_run_save_pre_hooks
def save(layer, path, input_spec=None, **configs):
    """Write a layer or a function as `<path>.json` and, with parameters, `<path>.pdiparams`.

    It is written for evaluation: dropout and batch norms of a layer that is training are in test
    mode, which `train()` of the loaded layer takes back. Python code that reads `training` is
    recorded in the present mode. Hooks are recorded and only attributes of the operations written,
    whatever `with_hook` and `clip_extra` are. Other methods of a layer that are marked with
    `to_static` become `<path>.<method>.json`.

    Args:
        layer (Layer or callable): What is saved.
        path (str): The prefix of the files.
        input_spec (list of InputSpecs or list of Tensors, default None): The inputs, or example
            tensors; extents of None stay free. None for the specs given to `to_static`, or those of
            the last call.
        **configs (object): `output_spec`: the results to keep, by place or as values of the
            recorded function's `outputs`.

    Returns:
        None.

    Raises:
        TypeError: Control flow cannot be recorded.

    Examples:
        >>> layer = paddle.nn.Linear(2, 3)
        >>> spec = [paddle.static.InputSpec([None, 2], "float32")]
        >>> paddle.jit.save(layer, "model", input_spec=spec)
        >>> paddle.jit.load("model")(paddle.ones([5, 2])).shape
        paddle.Size([5, 3])
    """
    for key in configs:
        if key not in _CONFIGS:
            raise ValueError(f"[jit.save] got an unexpected config {key!r}")
    only(
        'jit.save',
        'each method is written by itself, as what its results need',
        **{key: (configs.get(key), None, False) for key in _REFUSED},
    )
    path = os.path.abspath(os.fspath(path))
    if os.path.isdir(path) or not os.path.basename(path):
        raise ValueError(f"[jit.save] expected a path that ends with a file's name, got {path!r}")
    is_layer = isinstance(layer, paddle.nn.Layer)
    forward, marked = layer.forward if is_layer else layer, None
    if not callable(forward):
        raise TypeError(f"[jit.save] expected a Layer or a function, got {type(layer).__name__}")
    if isinstance(forward, StaticFunction):
        input_spec = _specs_of(forward) if input_spec is None else input_spec
        marked, forward = forward, forward.dygraph_function
    _save(layer if is_layer else None, forward, path, input_spec, configs, marked)
    for name in _marked_methods(layer) if is_layer else ():
        method = getattr(layer, name)
        specs = _specs_of(method)
        if specs is not None:
            rest = {k: v for k, v in configs.items() if k != 'output_spec'}
            _save(None, method.dygraph_function, path + '.' + name, specs, rest)


def _marked_methods(layer):
    names = [
        n for c in type(layer).__mro__ for n, v in vars(c).items() if isinstance(v, StaticFunction)
    ]
    return [
        n
        for n in dict.fromkeys(
            [*names, *(n for n, v in layer.__dict__.items() if isinstance(v, StaticFunction))]
        )
        if n != 'forward' and not n.startswith(BOUND)
    ]


def _chosen(output_spec, marked, count):
    """The places of results named by output_spec: places, or results of recordings of the
    function.
    """
    if not isinstance(output_spec, (list, tuple)):
        raise TypeError(
            f'[jit.save] expected a list as output_spec, got {type(output_spec).__name__}'
        )
    recorded = (
        [_flatten(p.recording.returned, []) for p in marked._programs] if marked is not None else []
    )
    places = []
    for item in output_spec:
        if _core._is_tensor(item):
            found = [i for results in recorded for i, r in enumerate(results) if r is item]
            if not found:
                raise ValueError(
                    '[jit.save] expected numbers of results, or results of the recorded function '
                    '(its `outputs`), in '
                    f'output_spec, got '
                    f'{"a value of another program" if is_recorded(item) else "a tensor with data"}'
                )
            places.append(found[0])
        elif isinstance(item, int) and -count <= item < count:
            places.append(item)
        else:
            error = ValueError if isinstance(item, int) else TypeError
            raise error(
                f'[jit.save] expected places of the {count} results in output_spec, got {item!r}'
            )
    return places


def _save(layer, function, path, input_spec, configs, marked=None):
    if input_spec is None:
        if [
            p
            for p in inspect.signature(function).parameters.values()
            if p.default is p.empty and p.kind != p.VAR_KEYWORD
        ]:
            raise ValueError(
                '[jit.save] expected input_spec, got None: the shapes and dtypes of the inputs '
                'are not known'
            )
        input_spec = []
    program, inputs, results = _record(layer, function, items('jit.save', 'input_spec', input_spec))
    if configs.get('output_spec') is not None:
        results = [results[i] for i in _chosen(configs['output_spec'], marked, len(results))]
    if not results:
        raise ValueError('[jit.save] expected at least one tensor as result, got none')
    _io._write(program._prune(inputs, results).clone(for_test=True), path)


_lazy.serve(globals())
