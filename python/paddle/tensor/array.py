# SPDX-License-Identifier: Apache-2.0
"""Arrays of tensors, which dynamic mode holds as lists and recorded programs as `TensorArray`."""

from paddle.base.framework import is_recorded
from paddle.base.libpaddle import Tensor, pir

__all__ = []


def _recorded(array):
    """Whether it is an array of a program."""
    if isinstance(array, list) or pir._record_mode() != 1:
        return False
    from paddle.static.arrays import TensorArray

    return isinstance(array, TensorArray)


def _array(array, op):
    if not isinstance(array, list):
        raise AssertionError(f"[{op}] expected array to be a list, got {type(array).__name__}")
    return array


def _index(i, op):
    if not isinstance(i, Tensor):
        raise AssertionError(f"[{op}] expected i to be a tensor, got {type(i).__name__}")
    if list(i.shape) != [1]:
        raise AssertionError(f"[{op}] expected i of shape [1], got {list(i.shape)}")
    if not is_recorded(i):
        return i.item()
    from paddle.static.arrays import known_number

    number = known_number(i)
    return i if number is None else number


def _number(i, op):
    """The index into a list."""
    at = _index(i, op)
    if isinstance(at, Tensor):
        raise TypeError(
            f"[{op}] expected an index whose number is known for a list, got a tensor of a "
            "program: use paddle.tensor.create_array"
        )
    return at


def array_length(array):
    """How many tensors there are; in a program a tensor of shape [1]."""
    if _recorded(array):
        return array.count()
    return len(_array(array, 'array_length'))


def array_read(array, i):
    """The tensor at the index that the tensor `i` of shape [1] holds."""
    if _recorded(array):
        return array.read(_index(i, 'array_read'))
    return _array(array, 'array_read')[_number(i, 'array_read')]


def array_write(x, i, array=None):
    """Put `x` at the index that `i` holds, at most the length of the array; a new array unless one
    is given. Returns the array.
    """
    array = create_array(x.dtype) if array is None else array
    if _recorded(array):
        array.write(_index(i, 'array_write'), x)
        return array
    at, array = _number(i, 'array_write'), _array(array, 'array_write')
    if at > len(array):
        raise AssertionError(f"[array_write] expected i from 0 to {len(array)}, got {at}")
    if at < len(array):
        array[at] = x
    else:
        array.append(x)
    return array


def create_array(dtype, initialized_list=None):
    """An array of the tensors in a list; of none without one. Each is of the dtype it has: `dtype`
    names that of those to come.
    """
    from paddle.base.framework import to_dtype

    to_dtype(dtype)
    initialized_list = [] if initialized_list is None else initialized_list
    if not isinstance(initialized_list, (list, tuple)):
        raise TypeError(
            "[create_array] expected initialized_list to be a list or tuple, got "
            f"{type(initialized_list).__name__}"
        )
    for value in initialized_list:
        if not isinstance(value, Tensor):
            raise TypeError(
                "[create_array] expected initialized_list to hold tensors, got "
                f"{type(value).__name__}"
            )
    if pir._record_mode() != 1:
        return list(initialized_list)
    from paddle.static.arrays import TensorArray

    return TensorArray(initialized_list)


def tensor_array_to_tensor(input, axis=1, use_stack=False, name=None):
    """(the tensors of an array concatenated along `axis`, the extent of each there as int32);
    stacked along a new axis with `use_stack`.
    """
    import paddle

    if _recorded(input):
        return input.joined(axis, use_stack)
    if not isinstance(input, (list, tuple)):
        raise AssertionError(
            "[tensor_array_to_tensor] expected input to be a list or tuple, got "
            f"{type(input).__name__}"
        )
    sizes = paddle.to_tensor([1 if use_stack else t.shape[axis] for t in input], dtype='int32')
    return (paddle.stack if use_stack else paddle.concat)(list(input), axis), sizes
