# SPDX-License-Identifier: Apache-2.0
"""What programs written for PaddlePaddle's capture of bytecode import: `symbolic_translate` is the
default mode of `to_static`, `psdb` asks for breaks, or that there are none.
"""

from paddle import _lazy
from paddle.jit import api as _api

from . import psdb, utils

__all__ = ['symbolic_translate', 'psdb', 'utils']


def symbolic_translate(fn, **kwargs):
    """A function whose calls run as compiled regions, as `to_static(fn, full_graph=False)` gives.

    Args:
        fn (callable): The function or method.
        **kwargs (object): `build_strategy` and `backend` of `to_static`; `training`, which is
            taken for compatibility: gradients are recorded where the call needs them.

    Returns:
        callable: the compiled function.

    Raises:
        TypeError: fn is no function, or another keyword is given.

    Examples:
        >>> @paddle.jit.sot.symbolic_translate
        ... def halved(x):
        ...     y = x + 1
        ...     print('between two regions')
        ...     return y / 2
        >>> halved(paddle.ones([2])).tolist()
        between two regions
        [1.0, 1.0]
    """
    kwargs.pop('training', None)
    for name in kwargs:
        if name not in ('build_strategy', 'backend'):
            raise TypeError(f'[symbolic_translate] got an unexpected keyword argument {name!r}')
    return _api.to_static(fn, full_graph=False, **kwargs)


_lazy.serve(globals())
