# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments while a program is recorded, spellings of dtypes, and lists of samples turned
into feeds.
"""

import warnings

import numpy

from paddle.base import libpaddle as _core
from paddle.base.arguments import any_of, items, kinds
from paddle.base.framework import dtype_name
from paddle.tensor.attribute import in_dynamic_mode

__all__ = [
    'DataFeeder',
    'convert_dtype',
    'check_type',
    'check_dtype',
    'check_variable_and_dtype',
    'check_shape',
    'convert_float_to_uint16',
    'convert_uint16_to_float',
]

_NAMES = (
    'bool',
    'float16',
    'bfloat16',
    'float32',
    'float64',
    'int8',
    'int16',
    'int32',
    'int64',
    'uint8',
    'uint16',
    'complex64',
    'complex128',
    'float8_e4m3fn',
    'float8_e5m2',
)


def convert_dtype(dtype):
    """The name of a dtype in any spelling; 'uint16' for bfloat16, as arrays hold it. TypeError when
    there is none.
    """
    name = 'uint16' if dtype in ('uint16', 'bfloat16') else dtype_name(dtype)
    if name == 'bfloat16':
        return 'uint16'
    if name not in _NAMES:
        raise TypeError(f"[convert_dtype] expected one of {', '.join(_NAMES)}, got {dtype!r}")
    return name


def _remark(text):
    return f": {text}" if text else ""


def check_type(input, input_name, expected_type, op_name, extra_message=''):
    """TypeError unless `input` is of the type, while a program is recorded; dynamic mode leaves
    checks to the operations.
    """
    if in_dynamic_mode():
        return
    if not isinstance(input, expected_type):
        raise TypeError(
            f"[{op_name}] expected {input_name} to be {kinds(expected_type)}, got "
            f"{type(input).__name__}{_remark(extra_message)}"
        )


def check_dtype(input_dtype, input_name, expected_dtype, op_name, extra_message=''):
    """TypeError unless the dtype is among the names of `expected_dtype`, while a program is
    recorded.
    """
    if in_dynamic_mode():
        return
    name = convert_dtype(input_dtype)
    if name == 'float16':
        warnings.warn(
            f"[{op_name}] {input_name} is of float16, which not every device computes with",
            stacklevel=3,
        )
    expected = [expected_dtype] if isinstance(expected_dtype, str) else expected_dtype
    if name not in {convert_dtype(e) for e in expected}:
        raise TypeError(
            f"[{op_name}] expected {input_name} of dtype {any_of(expected, str)}, got "
            f"{name}{_remark(extra_message)}"
        )


def check_variable_and_dtype(input, input_name, expected_dtype, op_name, extra_message=''):
    """Both checks: that `input` is a tensor, and its dtype."""
    check_type(input, input_name, _core.Tensor, op_name, extra_message)
    if not in_dynamic_mode():
        check_dtype(input.dtype, input_name, expected_dtype, op_name, extra_message)


def check_shape(
    shape,
    op_name,
    expected_shape_type=(list, tuple, _core.Tensor),
    expected_element_type=(int, _core.Tensor),
    expected_tensor_dtype=('int32', 'int64'),
):
    """Refuse what is no shape while a program is recorded.

    Args:
        shape (object): What shall be a list of ints or an integer tensor.
        op_name (str): The operation that the message names.
        expected_shape_type (tuple of types, default (<class 'list'>, <class 'tuple'>, <class
            'paddle.Tensor'>)): What a shape may be.
        expected_element_type (tuple of types, default (<class 'int'>, <class 'paddle.Tensor'>)):
            What its elements may be.
        expected_tensor_dtype (tuple of strs, default ('int32', 'int64')): The dtypes of tensors
            among them.

    Returns:
        None.

    Raises:
        TypeError: It is no shape.

    Examples:
        >>> paddle.check_shape([2, 3], "reshape")
    """
    if in_dynamic_mode():
        return
    check_type(shape, 'shape', expected_shape_type, op_name)
    if isinstance(shape, _core.Tensor):
        check_dtype(shape.dtype, 'shape', expected_tensor_dtype, op_name)
        return
    for item in shape:
        check_type(item, 'element of shape', expected_element_type, op_name)
        if isinstance(item, _core.Tensor):
            check_dtype(item.dtype, 'element of shape', expected_tensor_dtype, op_name)


def convert_float_to_uint16(data, data_format='NCHW'):
    """float32 values as the bits of bfloat16, rounded toward zero; in 'NHWC' the axes of a batch of
    images are put last.
    """
    if data.dtype == numpy.float64:
        data = data.astype('float32')
    if data_format == 'NHWC':
        data = numpy.transpose(data, [0, 3, 1, 2])
    bits = (numpy.ascontiguousarray(data, 'float32').view(numpy.uint32) >> 16).astype(numpy.uint16)
    return numpy.transpose(bits, [0, 2, 3, 1]) if data_format == 'NHWC' else bits


def convert_uint16_to_float(data):
    """The values of bfloat16 bits, as float32."""
    return (numpy.ascontiguousarray(data, numpy.uint16).astype(numpy.uint32) << 16).view(
        numpy.float32
    )


class DataFeeder:
    """Turns a list of samples, each a tuple with a value for every variable of `feed_list`, into a
    feed of arrays.
    """

    def __init__(self, feed_list, place=None, program=None):
        from paddle.static import default_main_program

        block = (program or default_main_program()).global_block()
        self.place, self._inputs = place, []
        for value in feed_list:
            value = block.var(value) if isinstance(value, str) else value
            self._inputs.append((value.name, list(value.shape), dtype_name(value.dtype)))

    def feed(self, iterable):
        """{name: array} of the samples; extents that vary in the declared shape are those of the
        samples.
        """
        rows = items('DataFeeder', 'iterable', iterable)
        for row in rows:
            if len(row) != len(self._inputs):
                raise ValueError(
                    f"[DataFeeder] expected {len(self._inputs)} values in each sample, got "
                    f"{len(row)}"
                )
        made = {}
        for i, (name, shape, dtype) in enumerate(self._inputs):
            array = numpy.array(
                [row[i] for row in rows], dtype='uint16' if dtype == 'bfloat16' else dtype
            )
            made[name] = (
                array.reshape([len(rows), *shape[1:]]) if all(d >= 0 for d in shape[1:]) else array
            )
        return made
