# SPDX-License-Identifier: Apache-2.0
"""Argument parsing shared by convolutions, pooling and resampling."""

from paddle.base.arguments import items
from paddle.base.framework import Tensor


def ints(value, n, what):
    """A list of n ints from an int, a sequence of n (or one) ints, or a Tensor."""
    if isinstance(value, int) and not isinstance(value, bool):
        return [value] * n
    if isinstance(value, Tensor):
        value = value.tolist()
        if not isinstance(value, list):
            return [int(value)] * n
    try:
        out = [int(v) for v in value]
    except TypeError:
        out = None
    if out is not None and len(out) == 1:
        out = out * n
    if out is None or len(out) != n:
        raise ValueError(
            f"The {what}'s type must be list or tuple. Received: {value}"
            if out is None
            else f"The {what} should have {n} elements, but received {value}"
        )
    return out


def _all_ints(seq):
    return all(not isinstance(v, (list, tuple)) for v in seq)


def padding(pad, n, channel_last, what="padding"):
    """(paddings, algorithm): n or 2n ints from an int, n, 2n ints, n + 2 (or n) pairs, 'SAME' or
    'VALID'.
    """
    if isinstance(pad, str):
        name = pad.upper()
        if name not in ("SAME", "VALID"):
            raise ValueError(f"Unknown padding: '{pad}'. It can only be 'SAME' or 'VALID'.")
        return [0] * n, name
    if isinstance(pad, Tensor):
        pad = pad.tolist()
    if not isinstance(pad, (list, tuple)):
        return [int(pad)] * n, "EXPLICIT"
    pad = items('pad', 'pad', pad)
    if pad and not _all_ints(pad):
        pairs = [items('pad', 'pad', p) for p in pad]
        if len(pairs) == n + 2:
            outer = [pairs[0], pairs[-1] if channel_last else pairs[1]]
            if any(int(v) != 0 for p in outer for v in p):
                raise ValueError(
                    f"Non-zero {what}({pad}) in the batch or channel dimensions is not supported."
                )
            pairs = pairs[1:-1] if channel_last else pairs[2:]
        if len(pairs) != n or any(len(p) != 2 for p in pairs):
            raise ValueError(f"The {what} should have {n} or {n + 2} pairs, but received {pad}")
        pad = [v for p in pairs for v in p]
    if len(pad) == 2 * (n + 2):
        outer = pad[:2] + (pad[-2:] if channel_last else pad[2:4])
        if any(int(v) != 0 for v in outer):
            raise ValueError(
                f"Non-zero {what}({pad}) in the batch or channel dimensions is not supported."
            )
        pad = pad[2:-2] if channel_last else pad[4:]
    if len(pad) == 1:
        pad = pad * n
    if len(pad) not in (n, 2 * n):
        raise ValueError(f"The size of {what} should be {n} or {2 * n}, but received {pad}")
    pad = [int(v) for v in pad]
    if len(pad) == 2 * n and all(pad[2 * i] == pad[2 * i + 1] for i in range(n)):
        pad = pad[::2]
    return pad, "EXPLICIT"


def data_format(value, *allowed):
    """`value` if it is one of `allowed`; ValueError otherwise."""
    if value not in allowed:
        choices = " or ".join(f"'{a}'" for a in allowed)
        raise ValueError(
            f"Attr(data_format) should be {choices}. Received Attr(data_format): {value}."
        )
    return value


def reduction(value, op):
    """`value` if it is a reduction; ValueError otherwise."""
    if value not in ("sum", "mean", "none"):
        raise ValueError(
            f"The value of 'reduction' in {op} should be 'sum', 'mean' or 'none', "
            f"but received {value}, which is not allowed."
        )
    return value


def first(result):
    """The main result of an op that may also return saved statistics."""
    return result[0] if isinstance(result, (tuple, list)) else result
