# SPDX-License-Identifier: Apache-2.0
"""Which stored elements meet in the windows of convolutions and pooling."""

import itertools

import paddle
from paddle.base.arguments import integer, items

from ...pattern import Coo, count_of, gather, keys_of, rows_of, volume
from ...tensor import expect_sparse

__all__ = ['expect_image', 'numbers', 'padding_pairs', 'subm_pairs', 'window_pairs']


def numbers(op, name, value, count, least):
    """`value`, a number or one for each of `count` axes, as a list of at least `least`."""
    given = items(op, name, value) if isinstance(value, (list, tuple)) else [value] * count
    given = [integer(op, name, n) for n in given]
    if len(given) != count or min(given) < least:
        raise ValueError(
            f'[{op}] expected {name} to be a number of at least {least}, or {count} of them, got '
            f'{value}'
        )
    return given


def padding_pairs(op, padding, extents, kernel, stride, dilation):
    """[(before, after)] of each axis for all spellings of `padding`."""
    count = len(extents)
    if isinstance(padding, str):
        if padding.upper() not in ('SAME', 'VALID'):
            raise ValueError(f"[{op}] expected padding 'SAME' or 'VALID', got {padding!r}")
        if padding.upper() == 'VALID':
            return [(0, 0)] * count
        pairs = []
        for n, k, s, d in zip(extents, kernel, stride, dilation):
            total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
            pairs.append((total // 2, total - total // 2))
        return pairs
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        pairs = [tuple(numbers(op, 'padding', pair, 2, 0)) for pair in padding]
        if len(pairs) == count + 2 and pairs[0] == pairs[-1] == (0, 0):
            pairs = pairs[1:-1]
        if len(pairs) != count:
            raise ValueError(f'[{op}] expected {count} pairs as padding, got {padding}')
        return pairs
    if isinstance(padding, (list, tuple)) and len(padding) == 2 * count:
        flat = numbers(op, 'padding', padding, 2 * count, 0)
        return list(zip(flat[::2], flat[1::2]))
    return [(n, n) for n in numbers(op, 'padding', padding, count, 0)]


def expect_image(op, x, count, data_format):
    """The pattern of a sparse COO tensor [batch, *extents of `count` axes, channels] whose channels
    are dense.
    """
    wanted = {2: 'NHWC', 3: 'NDHWC'}[count]
    if data_format != wanted:
        raise ValueError(f'[{op}] expected data_format {wanted!r}, got {data_format!r}')
    p = expect_sparse(op, x)._pattern
    if p.form != 'coo' or p.sparse_dim != count + 1 or len(p.shape) != count + 2:
        raise ValueError(
            f'[{op}] expected a sparse COO tensor {wanted} with {count + 1} sparse axes and dense '
            f'channels, got {p.form.upper()} of shape {list(p.shape)} with {p.sparse_dim} sparse '
            'axes'
        )
    return p


def _offsets(kernel):
    return itertools.product(*(range(k) for k in kernel))


def window_pairs(op, p, kernel, stride, pads, dilation, ceil_mode=False):
    """([(positions of elements, positions of results)] for each place in the window, the pattern of
    the results without channels): a result stands wherever a window holds an element.
    """
    outs = []
    for n, k, s, (before, after), d in zip(p.shape[1:], kernel, stride, pads, dilation):
        room = n + before + after - d * (k - 1) - 1
        if room < 0:
            raise ValueError(
                f'[{op}] expected windows within the padded extents {list(p.shape[1:-1])}, got '
                f'kernel_size {kernel}, padding {pads} and dilation {dilation}'
            )
        out = room // s + 1
        if ceil_mode and room % s and out * s < n + before:  # the window begins before the end
            out += 1
        outs.append(out)
    dims = [p.shape[0], *outs]
    volume(op, dims)
    found = []
    for offset in _offsets(kernel):
        rows, inside = [p.rows[0]], None
        for row, o, s, (before, _), d, out in zip(p.rows[1:], offset, stride, pads, dilation, outs):
            at = row + (before - o * d)
            good = paddle.logical_and(at >= 0, at < out * s)
            if s > 1:
                good = paddle.logical_and(good, at % s == 0)
                at = at // s
            rows.append(at)
            inside = good if inside is None else paddle.logical_and(inside, good)
        chosen = paddle.nonzero(inside).flatten()
        found.append((chosen, gather(keys_of(rows, dims), chosen)))
    keys, segments = paddle.unique(paddle.concat([k for _, k in found]), return_inverse=True)
    pairs, at = [], 0
    for chosen, _ in found:
        pairs.append((chosen, segments[at : at + count_of(chosen)]))
        at += count_of(chosen)
    indices = paddle.stack(rows_of(keys, dims)).astype(p.index_dtype)
    return pairs, Coo([*dims, p.shape[-1]], indices, True)


def subm_pairs(p, kernel, dilation):
    """The same where the results stand where the elements do: the window's middle is at each."""
    keys, numbered = p.groups
    count = count_of(keys)
    # Elements at one place give and take together: each result sums over all of them.
    pairs = []
    for offset in _offsets(kernel):
        rows, inside = [p.rows[0]], None
        for row, o, k, d, extent in zip(p.rows[1:], offset, kernel, dilation, p.shape[1:]):
            at = row + (k // 2 - o) * d
            good = paddle.logical_and(at >= 0, at < extent)
            rows.append(at)
            inside = good if inside is None else paddle.logical_and(inside, good)
        wanted = keys_of(rows, p.dims)
        last = count - 1 if keys.shape[0] else 0
        place = paddle.searchsorted(keys, wanted).clip(max=last)
        if keys.shape[0]:
            inside = paddle.logical_and(inside, gather(keys, place) == wanted)
        chosen = paddle.nonzero(inside).flatten()
        pairs.append((chosen, gather(place, chosen)))
    return pairs, numbered, count
