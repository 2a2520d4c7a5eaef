# SPDX-License-Identifier: Apache-2.0
"""Saved programs as layers."""

import functools
import glob
import os
import types

import paddle
from paddle.base import libpaddle as _core
from paddle.base.framework import EagerParamBase
from paddle.static import executor as _executor
from paddle.static import io as _io
from paddle.static import lod, steps
from paddle.static import program as _program

from .static_function import StaticFunction

__all__ = ['load', 'TranslatedLayer']


INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX, INFER_PARAMS_INFO_SUFFIX = (
    '.pdmodel',
    '.pdiparams',
    '.pdiparams.info',
)
PIR_INFER_MODEL_SUFFIX = '.json'


class _Method:
    """One saved program: run by the executor, or operation by operation where gradients are
    wanted.
    """

    def __init__(self, program, feeds, fetches, parameters):
        self.program, self.feeds, self.fetches = program, feeds, fetches
        self.parameters = parameters
        self._steps = _core._program_steps(program)
        kinds = _kinds(self._steps)
        self._has_gradients, self._has_regions = 'other' not in kinds, bool(kinds & {'if', 'while'})
        self._recorded = {}
        self._has_sequences = bool(lod.offsets_of(program, feeds))

    def __call__(self, layer, *inputs):
        if len(inputs) != len(self.feeds):
            raise ValueError(
                f'[TranslatedLayer] expected {len(self.feeds)} inputs {self.feeds}, got '
                f'{len(inputs)}'
            )
        if self._has_sequences:
            raise ValueError(
                '[TranslatedLayer] expected a program without sequences, got inputs that have '
                'them: predictors and paddle.static.load_inference_model run such programs'
            )
        inputs = [x if _core._is_tensor(x) else paddle.to_tensor(x) for x in inputs]
        if self._has_gradients and (layer.training or self._wants_gradients(inputs)):
            training = layer.training
            if training not in self._recorded:
                function = functools.partial(self._step_by_step, training)
                self._recorded[training] = StaticFunction(function, full_graph=self._has_regions)
            results = self._recorded[training](*inputs)
        else:
            results = self._plan(inputs)
        return results[0] if len(results) == 1 else list(results)

    def _wants_gradients(self, inputs):
        if _core.pir._record_mode() != 0:
            return True
        return _core.is_grad_enabled() and not all(
            t.stop_gradient for t in (*inputs, *self.parameters.values())
        )

    def _plan(self, inputs):
        given = dict(zip(self.feeds, inputs))
        with _program.running():
            plan, declared = _executor.Executor._plan(self.program, self.fetches, False)
            names = plan.input_names
            tensors = [_executor._feed_tensor(n, given[n], declared[n][1]) for n in names]
            others = _executor._other_extents(declared, names, tensors)
            if others:
                plan, _ = _executor.Executor._plan(self.program, self.fetches, False, others)
            return plan.run(tensors)

    def _step_by_step(self, training, *inputs):
        """The program as calls of operations; `training` switches the test mode of operations
        off.
        """
        given, fetched = dict(zip(self.feeds, inputs)), []
        values = {-1: None}

        def other(step):
            kind, name, args = step[:3]
            if kind == 'data':
                return [given[name]]
            if kind == 'parameter':
                return [self.parameters[name]]
            fetched.append((int(name) if name.isdigit() else len(fetched), values[args[0]]))
            return []

        steps.take(self._steps, values, other, {'is_test': False} if training else None)
        return tuple(v for _, v in sorted(fetched, key=lambda f: f[0]))


def _kinds(steps):
    """The kinds of steps there are, those in regions included."""
    return {s[0] for s in steps}.union(*(_kinds(inner) for s in steps for _, inner in s[4]))


class TranslatedLayer(paddle.nn.Layer):
    """What `paddle.jit.load` returns: saved programs to call, infer with and train further.

    Args:
        programs (dict): The programs, by name of the method.

    Examples:
        >>> layer = paddle.nn.Linear(2, 3)
        >>> spec = [paddle.static.InputSpec([None, 2], "float32")]
        >>> paddle.jit.save(layer, "model", input_spec=spec)
        >>> loaded = paddle.jit.load("model")
        >>> isinstance(loaded, paddle.jit.TranslatedLayer), loaded(paddle.ones([4, 2])).shape
        (True, paddle.Size([4, 3]))
    """

    def __init__(self, programs):
        super().__init__()
        self.__dict__['_methods'] = {}
        known = {}
        for program, _, _ in programs.values():
            trainable = {
                s[1]: s[2][0] for s in _core._program_steps(program) if s[0] == 'parameter'
            }
            for name, value in program._parameters().items():
                if name not in known:
                    known[name] = EagerParamBase(
                        value, name=name, trainable=trainable.get(name, False)
                    )
                program._set_parameter(name, known[name])
        for number, name in enumerate(sorted(known)):
            self.add_parameter(f'param_{number}', known[name])
        for method, parts in programs.items():
            self._methods[method] = _Method(*parts, known)
            if method != 'forward':
                self.__dict__[method] = types.MethodType(self._methods[method], self)
        self.eval()

    def program(self, method_name='forward'):
        """The program of the method."""
        if method_name not in self._methods:
            raise ValueError(
                f'[TranslatedLayer] expected one of the methods {sorted(self._methods)}, got '
                f'{method_name!r}'
            )
        return self._methods[method_name].program

    def forward(self, *inputs):
        """The results of the program; a single one is not put in a list."""
        if 'forward' not in self._methods:
            raise AttributeError(
                "'TranslatedLayer' object has no attribute 'forward': it was not saved"
            )
        return self._methods['forward'](self, *inputs)


def _prefix_of(path):
    """What to give in place of the name of a file, as the end of a message."""
    prefix, end = os.path.splitext(path)
    named = end in ('.json', '.pdmodel', '.pdiparams')
    return f"; the prefix of the files is {prefix!r}" if named else ''


def load(path, **configs):
    """The programs saved as `<path>.json` (or the older `.pdmodel`) and `<path>.<method>.json`, as
    a layer.

    Their parameters are in `.pdiparams` beside them.

    Args:
        path (str): The prefix of the files.
        **configs (object): `model_filename` and `params_filename`, where the files have other
            names.

    Returns:
        TranslatedLayer: a layer.

    Raises:
        ValueError: A file is damaged.

    Examples:
        >>> layer = paddle.nn.Linear(2, 3)
        >>> paddle.jit.save(layer, "model", input_spec=[paddle.ones([4, 2])])
        >>> x = paddle.rand([4, 2])
        >>> bool(paddle.allclose(paddle.jit.load("model")(x), layer(x)))
        True
    """
    for name in configs:
        raise ValueError(f"[jit.load] got an unexpected config {name!r}")
    path = os.fspath(path)
    plain = path[:-5] if path.endswith('.json') else path
    forward = _io._find(path)
    found = {} if forward is None else {'forward': forward}
    for other in sorted(glob.glob(glob.escape(plain) + '.*.json')):
        method = other[len(plain) + 1 : -5]
        if method.isidentifier():
            found[method] = other
    if not found:
        raise ValueError(
            f"[jit.load] expected the file {path + '.json'!r} or {path + '.pdmodel'!r}, got neither"
            f"{_prefix_of(path)}"
        )
    return TranslatedLayer({method: _io._read(prefix) for method, prefix in found.items()})
