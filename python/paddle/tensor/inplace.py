# SPDX-License-Identifier: Apache-2.0
"""In-place forms of functions without an in-place op: the result, with its history, replaces the first argument."""

import inspect

import paddle


def become(x, result, name):
    """Make `x` the tensor `result` is."""
    if paddle.is_grad_enabled() and not x.stop_gradient and x.is_leaf:
        raise ValueError(f"Leaf Tensor ({x.name}) that doesn't stop gradient can't use inplace strategy.")
    if list(result.shape) != list(x.shape) and name not in ('t_',):
        raise ValueError(f'[{name}] expected a result of shape {list(x.shape)}, got {list(result.shape)}')
    x._rebind(result)
    return x


def _make(name):
    base = name[:-1]

    def function(x, *args, **kwargs):
        return become(x, getattr(paddle, base)(x, *args, **kwargs), name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f'`{base}` in place.'
    signature = inspect.signature(getattr(paddle, base))
    function.__signature__ = signature.replace(parameters=[p for p in signature.parameters.values() if p.name != 'out'])
    return function


def where_(condition, x=None, y=None, name=None):
    """`where` into `x`, in place."""
    return become(x, paddle.where(condition, x, y), 'where_')


def __getattr__(name):
    if name.startswith('__') or not name.endswith('_'):
        raise AttributeError(name)
    function = globals()[name] = _make(name)
    return function
