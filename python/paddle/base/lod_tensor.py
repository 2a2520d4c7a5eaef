# SPDX-License-Identifier: Apache-2.0
"""Memory whose rows are sequences of different lengths."""

import numpy

from paddle.base.arguments import integer, items, to_array
from paddle.static.scope import DenseTensor

__all__ = ['create_lod_tensor', 'create_random_int_lodtensor']


def create_lod_tensor(data, recursive_seq_lens, place=None):
    """A DenseTensor of `data`, an array or a list of sequences of numbers, with the lengths of its
    sequences.

    Raises AssertionError when the lengths are not those of a list, and ValueError when they do not
    add up to the rows of an array.
    """
    if isinstance(data, DenseTensor):
        data = numpy.array(data)
    elif not isinstance(data, list):
        data = to_array('create_lod_tensor', 'data', data)
    if isinstance(data, list):
        lengths = [len(sequence) for sequence in data]
        if [lengths] != [
            items('create_lod_tensor', 'recursive_seq_lens', level) for level in recursive_seq_lens
        ]:
            raise AssertionError(
                f"[create_lod_tensor] expected recursive_seq_lens [{lengths}], the lengths of "
                f"data, got {recursive_seq_lens}"
            )
        data = numpy.concatenate([numpy.asarray(sequence) for sequence in data]).reshape(
            [sum(lengths), 1]
        )
    if recursive_seq_lens and sum(recursive_seq_lens[-1]) != numpy.shape(data)[0]:
        raise ValueError(
            f"[create_lod_tensor] expected lengths whose sum is the {numpy.shape(data)[0]} rows of "
            f"data, got {recursive_seq_lens}"
        )
    made = DenseTensor()
    made.set(numpy.asarray(data), place)
    made.set_recursive_sequence_lengths(recursive_seq_lens)
    return made


def create_random_int_lodtensor(recursive_seq_lens, base_shape, place, low, high):
    """Random integers from `low` to `high`, of shape [the sum of the last lengths, *base_shape]."""
    low, high = (
        integer('create_random_int_lodtensor', name, value)
        for name, value in (('low', low), ('high', high))
    )
    shape = [
        sum(recursive_seq_lens[-1]),
        *items('create_random_int_lodtensor', 'base_shape', base_shape),
    ]
    return create_lod_tensor(
        numpy.random.randint(low, high + 1, shape).astype('int64'), recursive_seq_lens, place
    )
