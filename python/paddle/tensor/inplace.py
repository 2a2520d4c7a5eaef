# SPDX-License-Identifier: Apache-2.0
"""In-place forms of functions written in Python: the plain form computes what the first argument
then holds.
"""

import inspect
import re

import paddle
from paddle.base.libpaddle import Tensor, expect_tensors

# Results of other kinds than the integers given.
_FLOATING_ONLY = frozenset(
    ('hypot_', 'sinc_', 'gammainc_', 'gammaincc_', 'polygamma_', 'multigammaln_', 'logaddexp_')
)

_MARKS = {inspect.Parameter.VAR_POSITIONAL: '*', inspect.Parameter.VAR_KEYWORD: '**'}


def written(x, name, plain, /, *args, **kwargs):
    """`x` after `plain(x, ...)` was written over it, with its history: the form `name` of
    `plain`.
    """
    if not isinstance(x, Tensor):
        raise TypeError(f"[{name}] expected x to be a tensor, got {type(x).__name__}")
    if name in _FLOATING_ONLY and not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError(
            f'[{name}] expected a floating dtype, got {x.dtype}: the kernel is not registered for '
            f'it'
        )
    return x._written(name, plain, args, kwargs)


def _described(plain, name, first):
    """The documentation of `plain` with the name and the result of its in-place form `name`."""
    head, _, body = (inspect.getdoc(plain) or '').partition('\n\n')
    if 'Examples:\n' not in body:
        return f'`{name[:-1]}` in place.'
    body = re.sub(r'^    out \(.*\n(?:        .*\n)*', '', body, flags=re.M)
    result = f'Returns:\n    Tensor: {first} itself, with the result.\n'
    body = re.sub(r'^Returns:\n(?:    .*\n)+', result, body, flags=re.M)
    return f'{head} In place.\n\n' + body.replace(f'paddle.{name[:-1]}(', f'paddle.{name}(')


def _make(name):
    plain = getattr(paddle, name[:-1])
    signature = inspect.signature(plain)
    first = next(iter(signature.parameters))

    def function(*args, **kwargs):
        if not args:
            named = [k for k in (first, 'x', 'input') if k in kwargs]
            if not named:
                raise TypeError(f"[{name}] expected the argument {first!r}, got none")
            args = (kwargs.pop(named[0]),)
        return written(args[0], name, plain, *args[1:], **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _described(plain, name, first)
    function.__signature__ = signature.replace(
        parameters=[p for p in signature.parameters.values() if p.name != 'out']
    )
    function.__wrapped__ = _of_parameters(function)
    return function


def _of_parameters(function):
    """A function that names the parameters of `function`, whose code has none: what programs read
    `__code__` and `__defaults__` of.
    """
    given = function.__signature__.parameters.values()
    plain = [p.replace(annotation=p.empty) for p in given]
    default = {f'_{p.name}': p.default for p in plain if p.default is not p.empty}
    heads, values, star = [], [], False
    for p in plain:
        if p.kind is p.KEYWORD_ONLY and not star:
            heads.append('*')
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        mark = _MARKS.get(p.kind, '')
        heads.append(mark + p.name + (f'=_{p.name}' if f'_{p.name}' in default else ''))
        values.append(f'{p.name}={p.name}' if p.kind is p.KEYWORD_ONLY else mark + p.name)
    scope = {**default, 'function': function}
    name = function.__name__
    exec(f'def {name}({", ".join(heads)}):\n    return function({", ".join(values)})', scope)
    made = scope[name]
    made.__module__, made.__doc__ = function.__module__, function.__doc__
    return made


def where_(condition, x=None, y=None, name=None):
    """x where a condition holds, else y, written to x.

    Args:
        condition (Tensor): The condition, bool.
        x (Tensor, default None): The values, which take the result.
        y (Tensor or number, default None): The other values.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the result.

    Examples:
        >>> x = paddle.to_tensor([1.0, 2.0])
        >>> paddle.where_(paddle.to_tensor([True, False]), x, paddle.zeros([2])).tolist()
        [1.0, 0.0]
    """
    return written(
        x, 'where_', lambda old, chosen, value: paddle.where(chosen, old, value), condition, y
    )


def clip_(x, min=None, max=None, name=None):
    """`clip` in place; an integer tensor takes the bounds as integers.

    Args:
        x (Tensor): The values, which take the result. Also `input`.
        min (number or Tensor, default None): The lower bound; None for none.
        max (number or Tensor, default None): The upper bound; None for none.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: x itself, with the result.

    Examples:
        >>> x = paddle.to_tensor([-2, 0, 5])
        >>> x.clip_(-1, 3).tolist()
        [-1, 0, 3]
        >>> x.clamp_(max=1).tolist()
        [-1, 0, 1]
    """
    expect_tensors('clip_', x=x)
    if not x.is_floating_point():
        min, max = _whole(min, x.dtype), _whole(max, x.dtype)
    return written(x, 'clip_', paddle.clip, min, max)


clamp_ = clip_


def _whole(bound, dtype):
    return (
        bound.astype(dtype) if isinstance(bound, Tensor) else bound if bound is None else int(bound)
    )


def t_(input, name=None):
    """`t` in place.

    Args:
        input (Tensor): At most two axes; it takes the result.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: input itself, transposed.

    Examples:
        >>> x = paddle.to_tensor([[1, 2, 3]])
        >>> paddle.t_(x).tolist()
        [[1], [2], [3]]
    """
    expect_tensors('t_', input=input)
    if input.ndim > 2:
        raise ValueError(f'[t_] expected a tensor of at most 2 axes, got shape {list(input.shape)}')
    return paddle.transpose_(input, [1, 0]) if input.ndim == 2 else input


def __getattr__(name):
    if name.startswith('__') or not name.endswith('_'):
        raise AttributeError(name)
    function = globals()[name] = _make(name)
    return function
