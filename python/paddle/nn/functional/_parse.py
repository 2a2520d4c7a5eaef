# SPDX-License-Identifier: Apache-2.0
"""Argument parsing shared by convolutions, pooling and resampling."""

from paddle.base.arguments import any_of, items
from paddle.base.framework import Tensor


def ints(op, name, value, n):
    """A list of n ints from an int, a sequence of n (or one) ints, or a Tensor; ValueError of `op`
    otherwise.
    """
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
        raise ValueError(f"[{op}] expected {name} to be an int or {n} ints, got {value!r}")
    return out


def _outer(op, pad):
    return ValueError(f"[{op}] expected no padding of the batch and channel axes, got {pad}")


def _all_ints(seq):
    return all(not isinstance(v, (list, tuple)) for v in seq)


def padding(op, pad, n, channel_last):
    """(paddings, algorithm): n or 2n ints from an int, n, 2n ints, n + 2 (or n) pairs, 'SAME' or
    'VALID'; ValueError of `op` otherwise.
    """
    if isinstance(pad, str):
        name = pad.upper()
        if name not in ("SAME", "VALID"):
            raise ValueError(f"[{op}] expected padding 'SAME' or 'VALID', got {pad!r}")
        return [0] * n, name
    if isinstance(pad, Tensor):
        pad = pad.tolist()
    if not isinstance(pad, (list, tuple)):
        return [int(pad)] * n, "EXPLICIT"
    pad = items(op, 'padding', pad)
    if pad and not _all_ints(pad):
        pairs = [items(op, 'padding', p) for p in pad]
        if len(pairs) == n + 2:
            outer = [pairs[0], pairs[-1] if channel_last else pairs[1]]
            if any(int(v) != 0 for p in outer for v in p):
                raise _outer(op, pad)
            pairs = pairs[1:-1] if channel_last else pairs[2:]
        if len(pairs) != n or any(len(p) != 2 for p in pairs):
            raise ValueError(f"[{op}] expected {n} or {n + 2} pairs as padding, got {pad}")
        pad = [v for p in pairs for v in p]
    if len(pad) == 2 * (n + 2):
        outer = pad[:2] + (pad[-2:] if channel_last else pad[2:4])
        if any(int(v) != 0 for v in outer):
            raise _outer(op, pad)
        pad = pad[2:-2] if channel_last else pad[4:]
    if len(pad) == 1:
        pad = pad * n
    if len(pad) not in (n, 2 * n):
        raise ValueError(f"[{op}] expected {n} or {2 * n} ints as padding, got {pad}")
    pad = [int(v) for v in pad]
    if len(pad) == 2 * n and all(pad[2 * i] == pad[2 * i + 1] for i in range(n)):
        pad = pad[::2]
    return pad, "EXPLICIT"


def data_format(op, value, *allowed):
    """`value` if it is one of `allowed`; ValueError of `op` otherwise."""
    if value not in allowed:
        raise ValueError(f"[{op}] expected data_format {any_of(allowed)}, got {value!r}")
    return value


def reduction(op, value, *more):
    """`value` if it is a reduction or one of `more`; ValueError of `op` otherwise."""
    if value not in ("sum", "mean", "none") and value not in more:
        allowed = any_of(("sum", "mean", "none", *more))
        raise ValueError(f"[{op}] expected reduction {allowed}, got {value!r}")
    return value
