# SPDX-License-Identifier: Apache-2.0
"""The predictor as older programs use it (`core.create_paddle_predictor`): `run` takes and gives
tensors by value.
"""

import types

import numpy as np

from paddle.base import libpaddle as _core
from paddle.base.arguments import only, to_array

from .config import Config

_DTYPES = {
    'float32': _core.PaddleDType.FLOAT32,
    'int64': _core.PaddleDType.INT64,
    'int32': _core.PaddleDType.INT32,
    'uint8': _core.PaddleDType.UINT8,
    'int8': _core.PaddleDType.INT8,
    'float16': _core.PaddleDType.FLOAT16,
    'bool': _core.PaddleDType.BOOL,
    'float64': _core.PaddleDType.FLOAT64,
}


def _array(op, data):
    """The numbers of an array, or those of a list as float32 or int64."""
    array = to_array(op, 'data', data)
    if not isinstance(data, np.ndarray):
        array = array.astype('int64' if array.dtype.kind in 'iu' else 'float32')
    if array.dtype.name not in _DTYPES:
        raise TypeError(f'[{op}] expected data of dtype {sorted(_DTYPES)}, got {array.dtype.name}')
    return array


class PaddleBuf:
    """The numbers of a `PaddleTensor`, one after another."""

    def __init__(self, data=()):
        self._array = _array('PaddleBuf', data).ravel()

    def empty(self):
        """Whether there are none."""
        return not self._array.size

    def length(self):
        """How many bytes they take."""
        return self._array.nbytes

    def tolist(self, dtype=None):
        """The numbers, read as `dtype` where it is given."""
        array = self._array if dtype is None else self._array.view(dtype)
        return array.tolist()

    def float_data(self):
        """The numbers, read as float32."""
        return self.tolist('float32')

    def int64_data(self):
        """The numbers, read as int64."""
        return self.tolist('int64')

    def int32_data(self):
        """The numbers, read as int32."""
        return self.tolist('int32')


class PaddleTensor:
    """An array with a name and offsets of sequences, for `PaddlePredictor.run`.

    Args:
        data (array or list, default None): The numbers; of a list they become float32 or int64.
        name (str, default ''): The input that it is for, where all inputs are named.
        lod (list of lists of ints, default None): Offsets of sequences, level by level.
    """

    def __init__(self, data=None, name='', lod=None):
        self._array = _array('PaddleTensor', [] if data is None else data)
        self.name, self.lod = str(name), [list(level) for level in lod or ()]

    @property
    def shape(self):
        """The extents."""
        return list(self._array.shape)

    @shape.setter
    def shape(self, shape):
        self._array = self._array.reshape(shape)

    @property
    def dtype(self):
        """The kind of its numbers, a `PaddleDType`."""
        return _DTYPES[self._array.dtype.name]

    @property
    def data(self):
        """Its numbers one after another."""
        return PaddleBuf(self._array)

    def as_ndarray(self):
        """The array."""
        return self._array


class PaddlePredictor:
    """A predictor whose `run` takes and gives tensors by value."""

    def __init__(self, predictor):
        self._predictor = predictor

    def get_input_names(self):
        """The names of the inputs."""
        return self._predictor.get_input_names()

    def get_output_names(self):
        """The names of the results."""
        return self._predictor.get_output_names()

    def get_input_tensor(self, name):
        """The handle of an input, for `zero_copy_run`."""
        return self._predictor.get_input_handle(name)

    def get_output_tensor(self, name):
        """The handle of a result."""
        return self._predictor.get_output_handle(name)

    def run(self, inputs):
        """The results for a list of `PaddleTensor`s, one for each input: by name where they have
        the names of the inputs, else in order.

        Raises:
            ValueError: There are not as many as inputs.
        """
        names = self.get_input_names()
        if len(inputs) != len(names):
            raise ValueError(
                f'[PaddlePredictor.run] expected {len(names)} tensors, for {names}, got '
                f'{len(inputs)}'
            )
        given = [tensor.name for tensor in inputs]
        for name, tensor in zip(given if set(given) == set(names) else names, inputs):
            handle = self.get_input_tensor(name)
            handle.copy_from_cpu(np.ascontiguousarray(tensor.as_ndarray()))
            if tensor.lod:
                handle.set_lod(tensor.lod)
        self.zero_copy_run()
        return [self._result(name) for name in self.get_output_names()]

    def _result(self, name):
        handle = self.get_output_tensor(name)
        return PaddleTensor(handle.copy_to_cpu(), name, handle.lod())

    def zero_copy_run(self, switch_stream=False):
        """Run on what the handles of inputs hold. True."""
        only(
            'zero_copy_run', 'there are no streams on the CPU', switch_stream=(switch_stream, False)
        )
        self._predictor.run()
        return True

    def clone(self):
        """Another predictor with the same parameters."""
        return type(self)(self._predictor.clone())


class AnalysisPredictor(PaddlePredictor):
    """What an `AnalysisConfig` gives."""

    def get_input_tensor_shape(self):
        """{name of an input: its extents, -1 for unknown ones}."""
        return {n: self.get_input_tensor(n).shape() for n in self.get_input_names()}

    def clear_intermediate_tensor(self):
        """Give back the memory of values between inputs and results."""
        self._predictor.clear_intermediate_tensor()

    def try_shrink_memory(self):
        """Give back memory that is not in use; how many bytes."""
        return self._predictor.try_shrink_memory()


class NativePaddlePredictor(PaddlePredictor):
    """What a `NativeConfig` gives."""


class NativeConfig(types.SimpleNamespace):
    """The files and the device of a predictor, as attributes.

    `fraction_of_gpu_memory` and `specify_input_name` have no effect: memory is taken as it is
    needed, and inputs are by name where tensors have the names of all of them.
    """

    def __init__(self):
        super().__init__(
            model_dir='',
            prog_file='',
            param_file='',
            use_gpu=False,
            use_xpu=False,
            device=0,
            fraction_of_gpu_memory=-1.0,
            specify_input_name=False,
        )
        self._threads = 1

    def set_cpu_math_library_num_threads(self, threads):
        """How many threads one run may use."""
        self._threads = int(threads)

    def cpu_math_library_num_threads(self):
        """How many threads one run may use."""
        return self._threads


def create_paddle_predictor(config):
    """A `PaddlePredictor` of the model that an `AnalysisConfig` or a `NativeConfig` names."""
    from paddle.inference import create_predictor

    if not isinstance(config, NativeConfig):
        return AnalysisPredictor(create_predictor(config))
    only('create_paddle_predictor', 'there are no XPUs', use_xpu=(config.use_xpu, False))
    files = [config.model_dir] if config.model_dir else [config.prog_file, config.param_file]
    made = Config(*files)
    made.set_cpu_math_library_num_threads(config.cpu_math_library_num_threads())
    if config.use_gpu:
        made.enable_use_gpu(100, config.device)
    return NativePaddlePredictor(create_predictor(made))
