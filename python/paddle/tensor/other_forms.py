# SPDX-License-Identifier: Apache-2.0
"""PyTorch's forms of functions, which PaddlePaddle 3.3 takes beside its own. Functions of the core
look here for their name when their arguments do not fit: NotImplemented says that these arguments
are in neither form.
"""

import paddle
from paddle.base.arguments import write_out
from paddle.base.libpaddle import Tensor

__all__ = []


def _is_axis(value):
    return isinstance(value, int) and not isinstance(value, bool)


def _in_order(names, args, kwargs):
    """The arguments by name, or None where one is unknown or given twice."""
    given = dict(zip(names, args))
    if len(args) > len(names) or given.keys() & kwargs.keys() or not kwargs.keys() <= set(names):
        return None
    return {**given, **kwargs}


def _by_dim(args, kwargs):
    """The arguments of (input, dim, index), or None where they are not of that kind."""
    given = _in_order(('input', 'dim', 'index', 'out'), args, kwargs)
    if given is None or not {'input', 'dim', 'index'} <= given.keys():
        return None
    fits = isinstance(given['index'], Tensor) and _is_axis(given['dim'])
    return given if fits else None


def gather(*args, **kwargs):
    given = _by_dim(args, kwargs)
    if given is None:
        return NotImplemented
    return paddle.take_along_axis(
        given['input'], given['index'], given['dim'], False, out=given.get('out')
    )


def index_select(*args, **kwargs):
    given = _by_dim(args, kwargs)
    if given is None:
        return NotImplemented
    return paddle.index_select(given['input'], given['index'], given['dim'], out=given.get('out'))


def sum(*args, **kwargs):
    given = _in_order(('input', 'dim', 'keepdim', 'dtype', 'out'), args, kwargs)
    if given is None or not isinstance(given.get('keepdim'), bool):
        return NotImplemented
    return paddle.sum(
        given['input'], given['dim'], given.get('dtype'), given['keepdim'], out=given.get('out')
    )


def scatter(input, dim, index, src=None, *, value=None, reduce=None, out=None):
    if (src is None) == (value is None):
        raise TypeError(
            f"[scatter] expected one of 'src' and 'value', got {'none' if src is None else 'both'}"
        )
    if reduce not in (None, 'add', 'multiply'):
        raise ValueError(f"[scatter] expected reduce 'add' or 'multiply', got {reduce!r}")
    source = value if src is None else src
    result = paddle.put_along_axis(input, index, source, dim, reduce or 'assign', True, False)
    return write_out(result, out)


def index_add(input, dim, index, source, alpha=1, *, out=None):
    return paddle.index_add(input, index, dim, source, alpha, out=out)


def index_fill(input, dim, index, value):
    return paddle.index_fill(input, index, dim, value)
