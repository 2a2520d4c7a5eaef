# SPDX-License-Identifier: Apache-2.0
"""Arrays of tensors, which dynamic mode holds as lists."""

from paddle.base.framework import is_recorded
from paddle.base.libpaddle import Tensor

__all__ = []


def _array(array, op):
    if not isinstance(array, list):
        raise AssertionError(f"[{op}] expected array to be a list, got {type(array).__name__}")
    return array


def _index(i, op):
    if not isinstance(i, Tensor):
        raise AssertionError(f"[{op}] expected i to be a tensor, got {type(i).__name__}")
    if is_recorded(i):
        raise TypeError(
            f"[{op}] expected an index whose number is known, got a tensor of a program: use "
            f"paddle.static.nn.while_loop with "
            "the list among its variables"
        )
    if list(i.shape) != [1]:
        raise AssertionError(f"[{op}] expected i of shape [1], got {list(i.shape)}")
    return i.item()


def array_length(array):
    """How many tensors there are."""
    return len(_array(array, 'array_length'))


def array_read(array, i):
    """The tensor at the index that the tensor `i` of shape [1] holds."""
    return _array(array, 'array_read')[_index(i, 'array_read')]


def array_write(x, i, array=None):
    """Put `x` at the index that `i` holds, at most the length of the array; a new array unless one
    is given. Returns the array.
    """
    at = _index(i, 'array_write')
    array = [] if array is None else _array(array, 'array_write')
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
    if initialized_list is None:
        return []
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
    return list(initialized_list)


def tensor_array_to_tensor(input, axis=1, use_stack=False, name=None):
    """(the tensors of an array concatenated along `axis`, the extent of each there as int32);
    stacked along a new axis with `use_stack`.
    """
    import paddle

    if not isinstance(input, (list, tuple)):
        raise AssertionError(
            "[tensor_array_to_tensor] expected input to be a list or tuple, got "
            f"{type(input).__name__}"
        )
    sizes = paddle.to_tensor([1 if use_stack else t.shape[axis] for t in input], dtype='int32')
    return (paddle.stack if use_stack else paddle.concat)(list(input), axis), sizes
