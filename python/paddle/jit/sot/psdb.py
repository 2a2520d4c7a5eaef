# SPDX-License-Identifier: Apache-2.0
"""What code says of how it is to be compiled: where it breaks, where it is not compiled, and that
neither happens. Called by code that is not recorded these functions do nothing.
"""

from paddle.jit.reads import tables as _tables

__all__ = ['assert_true', 'breakgraph', 'fallback', 'check_no_breakgraph', 'check_no_fallback']


def assert_true(input):
    """Raise AssertionError where `input` is false.

    Args:
        input (bool or Tensor): What is to hold; of a tensor its one element.

    Returns:
        None.

    Raises:
        AssertionError: It does not hold.

    Examples:
        >>> paddle.jit.sot.psdb.assert_true(paddle.ones([2]).sum() > 1)
    """
    if not input:
        raise AssertionError(f'[assert_true] expected a true value, got {input!r}')


def breakgraph():
    """End the region of the function that is being compiled: what follows is another one.

    Returns:
        None.

    Examples:
        >>> @paddle.jit.to_static
        ... def in_two(x):
        ...     y = x.exp().log().sqrt().abs() * x.square()
        ...     paddle.jit.sot.psdb.breakgraph()
        ...     return y.exp().log().sqrt().abs() * x.square()
        >>> [reason for reason, where in paddle.jit.explain(in_two, paddle.ones([10000])).breaks]
        ['breakgraph() is called']
    """


def fallback(recursive=False):
    """Have the function that calls this run as it is, without compiled regions.

    Args:
        recursive (bool, default False): Whether functions that it calls run as they are, too; they
            are compiled otherwise.

    Returns:
        None.

    Examples:
        >>> @paddle.jit.to_static
        ... def plain(x):
        ...     paddle.jit.sot.psdb.fallback()
        ...     return x + 1
        >>> plain(paddle.ones([2])).tolist()
        [2.0, 2.0]
    """


_tables.BREAKING.update({breakgraph: 'break_graph', fallback: 'fall_back'})


def _code_of(fn, name):
    code = getattr(getattr(fn, '__func__', fn), '__code__', None)
    if code is None:
        raise TypeError(f'[{name}] expected a Python function, got {type(fn).__name__}')
    return code


def check_no_breakgraph(fn):
    """Have a compiled call of the function raise where it would end a region.

    Args:
        fn (callable): The function, also one that compiled code calls.

    Returns:
        callable: `fn` itself.

    Raises:
        TypeError: fn is no Python function.
        paddle.jit.sot.utils.InnerError: By compiled calls of the function that break.

    Examples:
        >>> @paddle.jit.sot.psdb.check_no_breakgraph
        ... def shifted(x):
        ...     return x.numpy() + 1
        >>> try:
        ...     paddle.jit.sot.symbolic_translate(shifted)(paddle.ones([2]))
        ... except paddle.jit.sot.utils.InnerError:
        ...     print('breaks')
        breaks
    """
    _tables.WHOLE.add(_code_of(fn, 'check_no_breakgraph'))
    return fn


def check_no_fallback(fn):
    """Have a compiled call of the function raise where the function is left as it is.

    Args:
        fn (callable): The function, also one that compiled code calls.

    Returns:
        callable: `fn` itself.

    Raises:
        TypeError: fn is no Python function.
        paddle.jit.sot.utils.InnerError: By compiled calls of the function that is left as it is.

    Examples:
        >>> @paddle.jit.sot.psdb.check_no_fallback
        ... def shifted(x):
        ...     print('between two regions')
        ...     return x + 1
        >>> paddle.jit.sot.symbolic_translate(shifted)(paddle.ones([2])).tolist()
        between two regions
        [2.0, 2.0]
    """
    _tables.NO_FALLBACK.add(_code_of(fn, 'check_no_fallback'))
    return fn
