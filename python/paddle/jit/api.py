# SPDX-License-Identifier: Apache-2.0
"""Marking what can be saved (`to_static`), and recording it into a program (`save`)."""
import functools
import inspect
import os

import paddle
from paddle.base import libpaddle as _core
from paddle.static import io as _io
from paddle.static import program as _program
from paddle.static.input_spec import InputSpec

__all__ = ['to_static', 'not_to_static', 'enable_to_static', 'ignore_module', 'set_code_level', 'set_verbosity', 'save']


class StaticFunction:
    """A function with the input specs it is recorded for. Calls run it as it is, operation by operation."""

    def __init__(self, function, input_spec=None, layer=None):
        functools.update_wrapper(self, function)
        self._function = function
        self._input_spec = input_spec
        self._layer = layer

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return StaticFunction(self._function.__get__(instance, owner), self._input_spec, instance)

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    @property
    def dygraph_function(self):
        """The function that was marked."""
        return self._function

    @property
    def input_spec(self):
        """The specs given to `to_static`."""
        return self._input_spec

    def rollback(self):
        """The function that was marked; a layer gets it back as its forward."""
        if self._layer is not None and self._layer.__dict__.get('forward') is self:
            del self._layer.__dict__['forward']
        return self._function


def to_static(function=None, input_spec=None, build_strategy=None, backend='CINN', **kwargs):
    """Mark a function or layer so that `paddle.jit.save` can record it with `input_spec`; calling it gives the same results.

    Works as a decorator too. For a layer its forward is marked and the layer returned.
    """
    unknown = set(kwargs) - {'full_graph', 'property', 'dynamic_dims'}
    if unknown:
        raise TypeError(f"[to_static] expected no argument {sorted(unknown)[0]!r}")

    def mark(target):
        if isinstance(target, paddle.nn.Layer):
            forward = target.forward
            if not isinstance(forward, StaticFunction) or input_spec is not None:
                inner = forward._function if isinstance(forward, StaticFunction) else forward
                target.__dict__['forward'] = StaticFunction(inner, input_spec, target)
            return target
        if isinstance(target, StaticFunction):
            return target
        if not callable(target):
            raise TypeError(f"[to_static] expected a function or Layer, got {type(target)}")
        return StaticFunction(target, input_spec)

    return mark if function is None else mark(function)


def not_to_static(func=None):
    """Mark a function that is never recorded apart from its caller; returns it."""
    return (lambda f: f) if func is None else func


def enable_to_static(enable_to_static_bool):
    """Switch the effect of `to_static`; results are the same either way."""
    if not isinstance(enable_to_static_bool, bool):
        raise TypeError(f"[enable_to_static] expected a bool, got {type(enable_to_static_bool)}")


def ignore_module(modules):
    """Name modules whose functions are called as they are."""
    if not isinstance(modules, (list, tuple)):
        raise TypeError(f"[ignore_module] expected a list of modules, got {type(modules)}")


def set_code_level(level=100, also_to_stdout=False):
    """Nothing is transformed, so there is no code to show."""


def set_verbosity(level=0, also_to_stdout=False):
    """Nothing is transformed, so there is nothing to log."""


def _as_spec(value, name):
    if isinstance(value, InputSpec):
        return value if value.name else InputSpec(value.shape, value.dtype, name, value.stop_gradient)
    if isinstance(value, _core.Tensor):
        return InputSpec(list(value.shape), value.dtype, name)
    raise TypeError(f"[jit.save] expected InputSpec or Tensor in input_spec, got {type(value)}")


def _flatten(value, out):
    if isinstance(value, _core.Tensor):
        out.append(value)
    elif isinstance(value, dict):
        for v in value.values():
            _flatten(v, out)
    elif isinstance(value, (list, tuple)):
        for v in value:
            _flatten(v, out)
    return out


def _record(call, forward, input_spec):
    """(program, inputs, results) of `call` on symbolic inputs."""
    names = [p.name for p in inspect.signature(forward).parameters.values()
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    program, inputs = _program.Program(), []

    def build(value):
        if isinstance(value, (list, tuple)):
            return type(value)(build(v) for v in value)
        if isinstance(value, dict):
            return {k: build(v) for k, v in value.items()}
        if not isinstance(value, (InputSpec, _core.Tensor)):
            return value
        place = len(inputs)
        spec = _as_spec(value, names[place] if place < len(names) else f'input_{place}')
        inputs.append(program._data(spec.name, list(spec.shape), spec.dtype))
        return inputs[-1]

    with _program.recording(program), paddle.no_grad():
        args = [build(v) for v in input_spec]
        results = _flatten(call(*args), [])
    return program, inputs, results


def save(layer, path, input_spec=None, **configs):
    """Write `layer` (a Layer or function) as `<path>.json` and, with parameters, `<path>.pdiparams`.

    It is recorded in its present mode (call `eval()` before) on inputs of `input_spec`, a list of InputSpec or example tensors;
    extents of None stay free. Python control flow that depends on values of tensors raises TypeError.
    """
    path = os.path.abspath(os.fspath(path))
    if os.path.isdir(path) or not os.path.basename(path):
        raise ValueError("The input path MUST be format of dirname/file_prefix, but received a directory")
    is_layer = isinstance(layer, paddle.nn.Layer)
    forward = layer.forward if is_layer else layer
    if not callable(forward):
        raise TypeError(f"The input of paddle.jit.save should be 'Layer' or 'Function', but received {type(layer)}")
    if isinstance(forward, StaticFunction):
        input_spec = forward._input_spec if input_spec is None else input_spec
        forward = forward._function
    if input_spec is None:
        if [p for p in inspect.signature(forward).parameters.values() if p.default is p.empty]:
            raise ValueError("[jit.save] expected input_spec: the shapes and dtypes of the inputs are not known")
        input_spec = []
    program, inputs, results = _record(layer if is_layer else forward, forward, list(input_spec))
    wanted = configs.get('output_spec')
    if wanted is not None:
        keep = {v if isinstance(v, int) else None for v in wanted} - {None}
        if keep:
            results = [r for i, r in enumerate(results) if i in keep]
    if not results:
        raise ValueError("[jit.save] expected at least one tensor as result, got none")
    _io._write(program._prune(inputs, results), path)
