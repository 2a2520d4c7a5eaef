# SPDX-License-Identifier: Apache-2.0
"""Programs in float32 rewritten to compute in half precision where that is fast and safe."""

import paddle
from paddle.base import libpaddle as _core
from paddle.base.framework import EagerParamBase
from paddle.static import rewriting

__all__ = ['convert_to_mixed_precision']

_DTYPES = {_core.PrecisionType.Half: paddle.float16, _core.PrecisionType.Bfloat16: paddle.bfloat16}
# Only these inputs are the data; the others stay in float32, as the kernels take them.
_DATA_INPUTS = {'batch_norm_': {'x'}, 'batch_norm': {'x'}}
# Beside those of the white list: auto_cast promotes them.
_CONVOLUTIONS = {
    'depthwise_conv2d',
    'conv2d_transpose',
    'depthwise_conv2d_transpose',
    'conv3d',
    'conv3d_transpose',
}
# Results whose dtype an argument names.
_MAKERS = {'cast', 'full', 'full_like', 'assign_value', 'arange', 'linspace', 'gaussian', 'uniform'}


class _Converter(rewriting.Rewriter):
    """Records the operations of a program again, with casts where precisions meet.

    Operations of the white list run in `dtype`, those of the black list in float32, and others in
    `dtype` when a value that is no parameter already has it.
    """

    def __init__(self, source, dtype, black_list, white_list, keep_io_types):
        from paddle.amp import amp_lists

        super().__init__('convert_to_mixed_precision', *source)
        short = str(dtype).rpartition('.')[2]
        self.dtype, self.keep_io_types = dtype, keep_io_types
        self.white = amp_lists.core_names(
            amp_lists.white_list()[short]['O1'] | _CONVOLUTIONS | set(white_list)
        ) - set(black_list)
        self.black = amp_lists.core_names(
            amp_lists.black_list()[short]['O1'] | set(black_list)
        ) - set(white_list)
        self.casts, self.held = {}, {}
        self.low = {
            n: paddle.cast(v, dtype)
            for n, v in self.parameters.items()
            if v.dtype == paddle.float32
        }

    def data(self, name, declared):
        low = not self.keep_io_types and declared.dtype == paddle.float32
        return paddle.static.data(name, declared.shape, self.dtype if low else declared.dtype)

    def result(self, number, before):
        keep = before.dtype if self.keep_io_types or before.dtype != paddle.float32 else self.dtype
        return self.read(number, keep if before.dtype == paddle.float32 else None)

    def in_dtype(self, number, dtype):
        """The parameter in this dtype; one that both precisions read is kept in each."""
        name = self.names[number]
        if (name, dtype) not in self.held:
            value = self.parameters[name]
            trained = isinstance(value, EagerParamBase) and value.trainable
            if dtype != value.dtype:
                value, name = self.low[name], f"{name}.{str(dtype).rpartition('.')[2]}"
            self.held[self.names[number], dtype] = EagerParamBase(
                value, name=name, trainable=trained
            )
        return self.held[self.names[number], dtype]

    def read(self, number, dtype=None):
        """The value, in another precision if asked for."""
        if number in self.names:
            own = self.parameters[self.names[number]].dtype
            return self.in_dtype(number, dtype if dtype and own == paddle.float32 else own)
        value = self.values[number]
        if isinstance(value, list):
            return [self.cast((number, i), v, dtype) for i, v in enumerate(value)]
        return self.cast(number, value, dtype)

    def cast(self, key, value, dtype):
        if (
            value is None
            or dtype is None
            or value.dtype == dtype
            or value.dtype not in (paddle.float32, self.dtype)
        ):
            return value
        if (key, dtype) not in self.casts:
            self.casts[key, dtype] = paddle.cast(value, dtype)
        return self.casts[key, dtype]

    def low_inputs(self, numbers):
        """Whether a value that is no parameter has the low precision already."""
        found = [
            v
            for n in numbers
            if n not in self.names
            for v in (self.values[n] if isinstance(self.values[n], list) else [self.values[n]])
        ]
        return any(v is not None and v.dtype == self.dtype for v in found)

    def operation(self, name, args):
        numbers = [a[1] for a in args if a[0] == 0]
        if name in _MAKERS:
            dtype = None
        elif name in self.black:
            dtype = paddle.float32
        else:
            dtype = self.dtype if name in self.white or self.low_inputs(numbers) else paddle.float32
        data = _DATA_INPUTS.get(name)
        call = [
            a[1]
            if a[0]
            else self.read(a[1], paddle.float32 if data and a[2] not in data else dtype)
            for a in args
        ]
        return self.called(name, call)


def _converted(source, mixed_precision, keep_io_types, black_list, white_list):
    """What `Rewriter.record` gives of a program, the names of its inputs and its results."""
    dtype = _DTYPES[mixed_precision]
    return _Converter(source, dtype, black_list, white_list, keep_io_types).record()


def convert_to_mixed_precision(
    model_file,
    params_file,
    mixed_model_file,
    mixed_params_file,
    mixed_precision,
    backend,
    keep_io_types=True,
    black_list=frozenset(),
    **kwargs,
):
    """Write a program and its parameters in half precision.

    Args:
        model_file (str): The program.
        params_file (str): Its parameters.
        mixed_model_file (str): Where the program is written.
        mixed_params_file (str): Where its parameters are.
        mixed_precision (PrecisionType): Half or Bfloat16.
        backend (object): A `PlaceType`: The device that will run it.
        keep_io_types (bool, default True): Whether inputs and outputs keep their dtypes; otherwise
            float32 ones take the low one.
        black_list (object, default frozenset()): The names of operations that stay in float32.
        **kwargs (set): `white_list`: the names of operations that leave it.

    Returns:
        None.

    Raises:
        ValueError: Another precision, or a program with branches or loops.

    Examples:
        >>> from paddle import inference
        >>> net = paddle.nn.Linear(2, 1)
        >>> paddle.jit.save(net, "net", [paddle.static.InputSpec([None, 2])])
        >>> inference.convert_to_mixed_precision(
        ...     "net.json", "net.pdiparams", "half.json", "half.pdiparams",
        ...     inference.PrecisionType.Half, inference.PlaceType.CPU)
        >>> import os
        >>> os.path.getsize("half.pdiparams") < os.path.getsize("net.pdiparams")
        True
    """
    from paddle.static import io

    white_list = kwargs.pop('white_list', ())
    if kwargs:
        raise ValueError(
            f'[convert_to_mixed_precision] got an unexpected keyword argument {sorted(kwargs)[0]!r}'
        )
    if mixed_precision not in _DTYPES:
        raise ValueError(
            f'[convert_to_mixed_precision] expected mixed_precision Half or Bfloat16, got '
            f'{mixed_precision}'
        )
    if not isinstance(backend, _core.PaddlePlace):
        raise TypeError(
            f'[convert_to_mixed_precision] expected a PlaceType as backend, got '
            f'{type(backend).__name__}'
        )
    source = io._read(model_file, params_file or None)
    recorded = _converted(source, mixed_precision, keep_io_types, black_list, white_list)
    rewriting.write(recorded, mixed_model_file, mixed_params_file)
