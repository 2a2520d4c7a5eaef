# SPDX-License-Identifier: Apache-2.0
"""Turning samples into a batch."""

import numbers
from collections.abc import Mapping, Sequence

import numpy as np

import paddle

__all__ = ['default_collate_fn', 'default_convert_fn', 'to_tensors']


def default_collate_fn(batch):
    """Stack a list of samples field by field: arrays and numbers along a new first axis, mappings
    and sequences recursively. TypeError for anything else."""
    sample = batch[0]
    if isinstance(sample, np.ndarray):
        shapes = {np.shape(array) for array in batch}
        if len(shapes) > 1:
            raise ValueError(
                f"[default_collate_fn] expected arrays of one shape in a batch, got "
                f"{' and '.join(sorted(map(str, shapes)))}"
            )
        return np.stack(batch, axis=0)
    if isinstance(sample, paddle.Tensor):
        return paddle.stack(batch, axis=0)
    if isinstance(sample, (bool, np.bool_)):
        return np.array(batch, dtype=bool)
    if isinstance(sample, (numbers.Number, np.number)):
        return np.array(batch)
    if isinstance(sample, (str, bytes)):
        return list(batch)
    if isinstance(sample, Mapping):
        return {key: default_collate_fn([d[key] for d in batch]) for key in sample}
    if isinstance(sample, Sequence):
        fields = len(sample)
        if not all(len(item) == fields for item in batch):
            raise RuntimeError(
                f"[default_collate_fn] expected samples of {fields} fields, got "
                f"{sorted({len(item) for item in batch})}"
            )
        return [default_collate_fn(list(column)) for column in zip(*batch)]
    raise TypeError(
        "[default_collate_fn] expected tensors, arrays, numbers, strings, dicts or lists of them, "
        f"got {type(sample).__name__}"
    )


def default_convert_fn(batch):
    """Keep a sample as it is, with tuples as lists: what runs when there is no batching."""
    if isinstance(batch, (paddle.Tensor, np.ndarray, str, bytes)):
        return batch
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(batch[key]) for key in batch}
    if isinstance(batch, Sequence):
        return [default_convert_fn(item) for item in batch]
    return batch


def to_tensors(batch):
    """Arrays as tensors, anywhere in a batch; other values, NumPy's scalars too, stay."""
    if isinstance(batch, np.ndarray):
        return paddle.to_tensor(batch) if batch.dtype.kind in 'biufc' else batch
    if isinstance(batch, (list, tuple)):
        return [to_tensors(item) for item in batch]
    if isinstance(batch, dict):
        return {key: to_tensors(value) for key, value in batch.items()}
    return batch
