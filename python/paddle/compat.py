# SPDX-License-Identifier: Apache-2.0
"""Functions with the arguments and results that another framework gives theirs: `dim` for `axis`,
and named pairs.
"""

import collections
import functools

import paddle
from paddle import _lazy

__all__ = [
    'equal',
    'slogdet',
    'sort',
    'split',
    'min',
    'max',
    'unique',
    'median',
    'nanmedian',
    'seed',
]

SlogdetResult = collections.namedtuple('SlogdetResult', ('sign', 'logabsdet'))
SortRetType = collections.namedtuple('SortRetType', ('values', 'indices'))
MinMaxRetType = collections.namedtuple('MinMaxRetType', ('values', 'indices'))
MedianRetType = collections.namedtuple('MedianRetType', ('values', 'indices'))


def _of_dim(function):
    """The function, with TypeError for the keywords of `paddle`'s function of the name."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        for name in ('x', 'axis', 'num_or_sections', 'name', 'mode', 'y'):
            if name in kwargs:
                raise TypeError(
                    f"[compat.{function.__name__}] got an unexpected keyword argument {name!r}, "
                    f"which paddle.{function.__name__} takes"
                )
        return function(*args, **kwargs)

    return wrapper


def _put(found, out):
    """`found`, a tensor or a named tuple, written to `out`, a tensor or several, unless that is
    None.
    """
    if out is None:
        return found
    places = (out,) if isinstance(out, paddle.Tensor) else tuple(out)
    values = (found,) if isinstance(found, paddle.Tensor) else tuple(found)
    if len(places) != len(values):
        raise TypeError(f"[compat] expected {len(values)} tensors as out, got {len(places)}")
    for place, value in zip(places, values):
        paddle.assign(value, place)
    return found


def equal(input, other):
    """Whether two tensors have the same shape and elements."""
    for name, value in (('input', input), ('other', other)):
        if not isinstance(value, paddle.Tensor):
            raise TypeError(f"[equal] expected {name} to be a tensor, got {type(value).__name__}")
    return list(input.shape) == list(other.shape) and bool(paddle.all(paddle.equal(input, other)))


def slogdet(x, out=None):
    """(sign, logabsdet) of the determinants of square matrices."""
    return _put(SlogdetResult(*paddle.linalg.slogdet(x)), out)


@_of_dim
def sort(input, dim=-1, descending=False, stable=False, out=None):
    """(values, indices) in order along `dim`."""
    indices = paddle.argsort(input, axis=dim, descending=descending, stable=stable)
    return _put(SortRetType(paddle.take_along_axis(input, indices, dim), indices), out)


@_of_dim
def split(tensor, split_size_or_sections, dim=0):
    """Parts of `split_size` each along `dim`, the last one smaller where that does not divide it;
    or of the sizes listed.
    """
    sizes = split_size_or_sections
    if isinstance(sizes, int) and not isinstance(sizes, bool):
        if sizes <= 0:
            raise AssertionError(
                f"[compat.split] expected a positive split_size_or_sections, got {sizes}"
            )
        whole = tensor.shape[dim]
        sizes = [sizes] * (whole // sizes) + [whole % sizes] * (whole % sizes > 0) or [0]
    elif not isinstance(sizes, (list, tuple)):
        raise TypeError(
            "[compat.split] expected split_size_or_sections to be an int or a list of them, got "
            f"{type(sizes).__name__}"
        )
    return tuple(paddle.split(tensor, list(sizes), dim))


def _extreme(name, pairwise, places):
    def function(input, *args, out=None, **kwargs):
        known = {'dim', 'keepdim', 'other'}
        if set(kwargs) - known or len(args) + len(kwargs) > 2:
            raise TypeError(
                f"[compat.{name}] expected input alone, input, dim and keepdim, or input and "
                f"other, got {len(args)} more by place and {sorted(kwargs)}"
            )
        given = dict(kwargs)
        if args:
            first = 'other' if isinstance(args[0], paddle.Tensor) else 'dim'
            for key, value in zip((first, 'keepdim'), args):
                if key in given:
                    raise TypeError(f"[compat.{name}] expected {key} once, got it twice")
                given[key] = value
        if 'other' in given:
            if len(given) > 1 or not isinstance(given['other'], paddle.Tensor):
                raise TypeError(
                    f"[compat.{name}] expected a tensor as other and nothing beside it, got "
                    f"{sorted(given)}"
                )
            return _put(pairwise(input, given['other']), out)
        dim = given.get('dim')
        if dim is None:
            if 'keepdim' in given:
                raise TypeError(f"[compat.{name}] expected dim beside keepdim, got None")
            return _put(getattr(paddle, name)(input), out)
        if isinstance(dim, bool) or not isinstance(dim, int):
            raise TypeError(
                f"[compat.{name}] expected dim to be an int or other to be a tensor, got "
                f"{type(dim).__name__}"
            )
        indices = places(input, axis=dim, keepdim=True)
        values = paddle.take_along_axis(input, indices, dim)
        if not given.get('keepdim', False):
            indices, values = paddle.squeeze(indices, dim), paddle.squeeze(values, dim)
        return _put(MinMaxRetType(values, indices), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {name}imum of all elements; (values, indices) along `dim`, kept as an
    axis of one with `keepdim`; or, element by element, of two tensors."""
    return _of_dim(function)


min = _extreme('min', paddle.minimum, paddle.argmin)
max = _extreme('max', paddle.maximum, paddle.argmax)


@_of_dim
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements in order, or slices along `dim`; with them where each comes from, and
    how many there are.
    """
    return paddle.unique(input, False, return_inverse, return_counts, dim, sorted=sorted)


def _middle(name):
    def function(input, dim=None, keepdim=False, *, out=None):
        found = getattr(paddle, name)(input, dim, keepdim, mode='min')
        return _put(found if dim is None else MedianRetType(*found), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The lower {name} of all elements; (values, indices) along `dim`."""
    return _of_dim(function)


median, nanmedian = _middle('median'), _middle('nanmedian')


def seed():
    """Seed the generators with a number that no program can foresee; returns it."""
    from paddle.base import libpaddle

    return libpaddle.default_cpu_generator().seed()


_lazy.serve(globals())
