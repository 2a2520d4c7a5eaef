# SPDX-License-Identifier: Apache-2.0
"""Saved programs as layers."""
import os

import paddle
from paddle.static import executor as _executor
from paddle.static import io as _io
from paddle.static import program as _program

__all__ = ['load', 'TranslatedLayer']


class TranslatedLayer(paddle.nn.Layer):
    """A program loaded by `paddle.jit.load`: call it on tensors. It computes results only, no gradients."""

    def __init__(self, program, feeds, fetches):
        super().__init__()
        self._program, self._feeds, self._fetches = program, feeds, fetches
        self._names = {}
        for number, (name, value) in enumerate(sorted(program._parameters().items())):
            value.stop_gradient = True
            value.name = name
            self._names[name] = f'param_{number}'
            self.register_buffer(self._names[name], value)
        self.training = False

    def train(self, mode=True):
        """Only train(False): the program holds no gradients."""
        if not mode:
            return self
        raise RuntimeError("[TranslatedLayer] expected inference, got train(): a loaded program computes no gradients")

    def program(self, method_name='forward'):
        """The program of the method."""
        return self._program

    def forward(self, *inputs):
        """The results of the program; a single one is not put in a list."""
        if len(inputs) != len(self._feeds):
            raise ValueError(f"[TranslatedLayer] expected {len(self._feeds)} inputs {self._feeds}, got {len(inputs)}")
        given = dict(zip(self._feeds, inputs))
        with _program.running():
            plan, declared = _executor.Executor._plan(self._program, self._fetches, False)
            results = plan.run([_executor._feed_tensor(n, given[n], *declared[n]) for n in plan.input_names])
        return results[0] if len(results) == 1 else results


def load(path, **configs):
    """The program saved as `<path>.json` (or the older `.pdmodel`) and `<path>.pdiparams`, as a TranslatedLayer. ValueError for a damaged file."""
    path = os.fspath(path)
    found = _io._find(path)
    if found is None:
        raise ValueError(f"The path {path!r} does not exist: expected the file {path + '.json'!r} or {path + '.pdmodel'!r}")
    return TranslatedLayer(*_io._read(found))
