# SPDX-License-Identifier: Apache-2.0
"""Masks with n ones in each m elements of a row, or of each row and column of an m x m block."""

import functools
import itertools
from enum import Enum

import numpy as np

__all__ = [
    'CheckMethod',
    'MaskAlgo',
    'calculate_density',
    'check_mask_1d',
    'check_mask_2d',
    'check_sparsity',
    'create_mask',
    'get_mask_1d',
    'get_mask_2d_best',
    'get_mask_2d_greedy',
]


class MaskAlgo(Enum):
    """How masks are made."""

    MASK_1D = 'get_mask_1d'
    MASK_2D_GREEDY = 'get_mask_2d_greedy'
    MASK_2D_BEST = 'get_mask_2d_best'


class CheckMethod(Enum):
    """How masks are checked."""

    CHECK_1D = 'check_mask_1d'
    CHECK_2D = 'check_mask_2d'

    @staticmethod
    def get_checking_method(mask_algo):
        """The check of what a `MaskAlgo` makes; AssertionError for another object."""
        assert isinstance(mask_algo, MaskAlgo), (
            f'[CheckMethod] expected a MaskAlgo, got {type(mask_algo).__name__}'
        )
        return CheckMethod.CHECK_1D if mask_algo is MaskAlgo.MASK_1D else CheckMethod.CHECK_2D


def calculate_density(x):
    """The part of an array's elements that are not zero.

    Args:
        x (array): The array.

    Returns:
        float: from 0 to 1.

    Examples:
        >>> import numpy as np
        >>> paddle.incubate.asp.calculate_density(np.array([[0.0, 1.0], [2.0, 3.0]]))
        0.75
    """
    return float(np.count_nonzero(x)) / x.size


def _matrix(op, mat):
    assert mat.ndim == 2, f'[{op}] expected a matrix, got {mat.ndim} axes'
    return mat


def _rows(mat, m):
    """(groups [k, m] of the rows filled up with zeros, columns with them)."""
    padded = np.pad(mat, ((0, 0), (0, -mat.shape[1] % m)))
    return padded.reshape(-1, m), padded.shape[1]


def _blocks(mat, m):
    """Blocks [k, m, m] of a matrix filled up with zeros, and its shape with them."""
    padded = np.pad(mat, ((0, -mat.shape[0] % m), (0, -mat.shape[1] % m)))
    rows, columns = (extent // m for extent in padded.shape)
    blocks = padded.reshape(rows, m, columns, m).swapaxes(1, 2)
    return blocks.reshape(-1, m, m), (rows, columns)


def _whole(blocks, counts, shape):
    rows, columns = counts
    m = blocks.shape[-1]
    whole = blocks.reshape(rows, columns, m, m).swapaxes(1, 2).reshape(rows * m, columns * m)
    return whole[: shape[0], : shape[1]]


def check_mask_1d(mat, n, m):
    """Whether of each m elements in a row of a matrix or vector at most n are not zero."""
    groups, _ = _rows(np.atleast_2d(mat), m)
    return bool((np.count_nonzero(groups, 1) <= n).all())


def get_mask_1d(mat, n, m):
    """1 for the n elements of largest magnitude of each m in a row of a matrix, else 0."""
    groups, columns = _rows(_matrix('get_mask_1d', mat), m)
    order = np.argsort(np.abs(groups), 1, kind='stable')
    mask = np.zeros_like(groups)
    np.put_along_axis(mask, order[:, m - n :], 1, 1)
    return mask.reshape(-1, columns)[:, : mat.shape[1]]


def check_mask_2d(mat, n, m):
    """Whether of each row and column of each m x m block of a matrix at most n are not zero."""
    filled = _blocks(np.atleast_2d(mat), m)[0] != 0
    return bool((filled.sum(1) <= n).all() and (filled.sum(2) <= n).all())


def get_mask_2d_greedy(mat, n, m):
    """1 for at most n elements of each row and column of each m x m block of a matrix, taken by
    magnitude, the largest first.
    """
    blocks, counts = _blocks(_matrix('get_mask_2d_greedy', mat), m)
    mask = np.zeros_like(blocks)
    for block, kept in zip(np.abs(blocks).reshape(-1, m * m), mask):
        for at in np.argsort(block, kind='stable')[::-1]:
            row, column = divmod(int(at), m)
            if kept[row].sum() < n and kept[:, column].sum() < n:
                kept[row, column] = 1
    return _whole(mask, counts, mat.shape)


@functools.cache
def _patterns(n, m):
    """All m x m patterns with n ones in each row and column."""
    rows = [[int(i in taken) for i in range(m)] for taken in itertools.combinations(range(m), n)]
    found = [p for p in itertools.product(rows, repeat=m) if all(sum(c) == n for c in zip(*p))]
    return np.array(found, 'float64')


def get_mask_2d_best(mat, n, m):
    """1 for n elements of each row and column of each m x m block of a matrix: those whose
    magnitudes have the largest sum.
    """
    blocks, counts = _blocks(_matrix('get_mask_2d_best', mat), m)
    patterns = _patterns(n, m)
    sums = np.abs(blocks).reshape(len(blocks), -1) @ patterns.reshape(len(patterns), -1).T
    mask = patterns[sums.argmax(1)].astype(mat.dtype)
    return _whole(mask, counts, mat.shape)


_PLAIN = {1: None, 2: (0, 1), 3: (0, 1, 2), 4: (0, 1, 3, 2)}


def _as_matrix(op, tensor):
    """The rows of an array in which elements are counted, and the axes in their order."""
    if tensor.ndim not in _PLAIN:
        raise ValueError(f'[{op}] expected 1 to 4 axes, got {tensor.ndim}')
    axes = _PLAIN[tensor.ndim]
    if axes is None:
        return tensor.reshape(1, -1), None
    moved = tensor.transpose(axes)
    return moved.reshape(-1, moved.shape[-1]), axes


def create_mask(tensor, func_name=MaskAlgo.MASK_1D, n=2, m=4):
    """A mask of the shape and dtype of an array.

    Args:
        tensor (array): Of 1 to 4 axes; of 4, elements are counted along the third.
        func_name (MaskAlgo, default MaskAlgo.MASK_1D): How the mask is made.
        n (int, default 2): How many elements stay.
        m (int, default 4): Of how many.

    Returns:
        array: zeros and ones.

    Raises:
        ValueError: When there are other numbers of axes.

    Examples:
        >>> import numpy as np
        >>> from paddle.incubate.asp import create_mask
        >>> create_mask(np.array([[1.0, -4.0, 3.0, 2.0]])).tolist()
        [[0.0, 1.0, 1.0, 0.0]]
    """
    assert isinstance(func_name, MaskAlgo), (
        f'[create_mask] expected a MaskAlgo, got {type(func_name).__name__}'
    )
    rows, axes = _as_matrix('create_mask', tensor)
    mask = globals()[func_name.value](rows, n, m)
    if axes is None:
        return mask.reshape(tensor.shape).astype(tensor.dtype)
    moved = mask.reshape([tensor.shape[axis] for axis in axes])
    return moved.transpose(np.argsort(axes)).astype(tensor.dtype)


def check_sparsity(tensor, func_name=CheckMethod.CHECK_1D, n=2, m=4):
    """Whether an array has the form of one under a mask.

    Args:
        tensor (array): Of 1 to 4 axes.
        func_name (CheckMethod, default CheckMethod.CHECK_1D): How it is checked.
        n (int, default 2): How many elements may stay.
        m (int, default 4): Of how many.

    Returns:
        bool: whether it has.

    Raises:
        ValueError: When there are other numbers of axes.

    Examples:
        >>> import numpy as np
        >>> from paddle.incubate.asp import check_sparsity
        >>> check_sparsity(np.array([[0.0, 4.0, 3.0, 0.0]])), check_sparsity(np.ones([2, 4]))
        (True, False)
    """
    assert isinstance(func_name, CheckMethod), (
        f'[check_sparsity] expected a CheckMethod, got {type(func_name).__name__}'
    )
    return globals()[func_name.value](_as_matrix('check_sparsity', tensor)[0], n, m)
