# SPDX-License-Identifier: Apache-2.0
"""`compile`: a function as a program for the shapes and dtypes that its annotations say."""

import functools
import inspect
import itertools

import paddle
from paddle.base.arguments import only
from paddle.base.framework import to_dtype

from .typing import DimVar, DTypeVar, Tensor

__all__ = ['compile']


class OverloadedFunc:
    """A compiled function: its calls take tensors by position, of one of its signatures."""

    def __init__(self, function, parameters, train):
        functools.update_wrapper(self, function)
        self.__name__ = getattr(function, '__name__', type(function).__name__)
        self._parameters, self._train = parameters, train  # name -> type
        self._dtypes = _signatures(parameters.values())
        free = [
            [axis for axis, d in enumerate(kind.shape) if type(_extent(d).name_or_value) is str]
            for kind in parameters.values()
        ]
        self._run = paddle.jit.to_static(function, full_graph=True, dynamic_dims=free)

    def __call__(self, *inputs):
        dtypes = tuple([getattr(x, 'dtype', None) for x in inputs])
        if dtypes not in self._dtypes:
            raise AssertionError(
                f'[{self.__name__}] expected inputs of dtypes '
                f'{" or ".join(map(_text, self._dtypes))}, got {_text(dtypes)}'
            )
        self._check(inputs)
        if self._train:
            return self._run(*inputs)
        with paddle.no_grad():
            return self._run(*inputs)

    def _check(self, inputs):
        """ValueError for extents that are none of the annotations'."""
        known = {}
        for (name, kind), x in zip(self._parameters.items(), inputs):
            shape = x.shape
            fits = len(shape) == len(kind.shape)
            for wanted, d in zip(map(_extent, kind.shape), shape if fits else ()):
                if type(d) is int and d < 0:
                    continue  # not known while a program is recorded
                what, least, most = wanted.name_or_value, wanted.min, wanted.max
                fits = (
                    fits
                    and d == (known.setdefault(what, d) if type(what) is str else what)
                    and (least is None or d >= least)
                    and (most is None or d <= most)
                )
            if not fits:
                raise ValueError(
                    f'[{self.__name__}] expected {name} of shape {_shape_text(kind, known)}, got '
                    f'{list(shape)}'
                )


def _shape_text(kind, known):
    """`[B, K from 2 to 5], where B is 3`."""
    parts, where = [], {}
    for d in map(_extent, kind.shape):
        least = '' if d.min is None else f' from {d.min}'
        parts.append(f'{d}{least}' + ('' if d.max is None else f' to {d.max}'))
        if d.name_or_value in known:
            where[d.name_or_value] = f'{d} is {known[d.name_or_value]}'
    text = f'[{", ".join(parts)}]'
    return f'{text} where {" and ".join(where.values())}' if where else text


def _text(dtypes):
    names = [str(getattr(d, 'name', d)).lower() if d is not None else 'no tensor' for d in dtypes]
    return f'({", ".join(names)})'


def _extent(d):
    return d if isinstance(d, DimVar) else DimVar(d)


def _signatures(kinds):
    """The dtypes that tensors of these types have together."""
    names = {}
    for dtype in (kind.dtype for kind in kinds if isinstance(kind.dtype, DTypeVar)):
        if names.setdefault(dtype.name, dtype.candidates) != dtype.candidates:
            raise ValueError(
                f'[compile] expected one list of candidates of the dtype {dtype}, got '
                f'{list(names[dtype.name])} and {list(dtype.candidates)}'
            )
    found = []
    for chosen in itertools.product(*names.values()):
        by_name = dict(zip(names, map(to_dtype, chosen)))
        found.append(
            tuple(
                by_name[k.dtype.name] if isinstance(k.dtype, DTypeVar) else to_dtype(k.dtype)
                for k in kinds
            )
        )
    return dict.fromkeys(found)


def _parameters_of(function):
    """{name: Tensor} of the annotations of a function. KeyError for a parameter that has none,
    TypeError for what is no function of tensors.
    """
    if not callable(function):
        raise TypeError(f'[compile] expected a function, got {type(function).__name__}')
    found = {}
    for name, p in inspect.signature(function).parameters.items():
        if p.annotation is p.empty:
            raise KeyError(f'[compile] expected an annotation of {name}, got none')
        kind = p.annotation
        if isinstance(kind, str):
            kind = eval(kind, inspect.unwrap(function).__globals__)
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            raise TypeError(f'[compile] expected positional parameters, got {p}')
        if not isinstance(kind, Tensor):
            raise TypeError(
                f'[compile] expected {name} to be annotated with a Tensor of '
                f'paddle.incubate.cc.typing, got {kind!r}'
            )
        found[name] = kind
    return found


def compile(
    func,
    train=False,
    ap_path='',
    ap_workspace_dir='/tmp/paddle/ap',
    backend_device='cuda',
    target_framework='paddle',
    compile_engine='PCC',
):
    """A function as a program for the shapes and dtypes that its annotations say.

    Each parameter is annotated with a `Tensor` of `paddle.incubate.cc.typing`. Extents with names
    are free: one program serves all of them. It runs where its tensors are. Control flow is
    recorded.

    Args:
        func (callable): The function.
        train (bool, default False): Whether results have gradients.
        ap_path (str, default ''): Only '': patterns of kernels are the compiler's own.
        ap_workspace_dir (str, default '/tmp/paddle/ap'): Only this; kernels are kept in
            `PADDLE_CINN_CACHE_DIR`.
        backend_device (str, default 'cuda'): `cuda` or `cpu`, which are the same.
        target_framework (str, default 'paddle'): Only `paddle`.
        compile_engine (str, default 'PCC'): `PCC` or `CINN`, which are the same.

    Returns:
        callable: takes tensors by position. AssertionError for other dtypes than the annotations
            say, ValueError for other shapes.

    Raises:
        KeyError: A parameter has no annotation.
        TypeError: It is annotated with something else.
        AssertionError: compile_engine is something else.
        NotImplementedError: Another argument is.

    Examples:
        >>> import paddle.incubate.cc as pcc
        >>> import paddle.incubate.cc.typing as pct
        >>> B, T = pct.DimVar("B"), pct.DTypeVar("T", "float32", "float64")
        >>> def head(x: pct.Tensor([B, 2], T), w: pct.Tensor([2, 3], T)):  # type: ignore
        ...     return pcc.fuse.matmul(x, w, paddle.nn.functional.relu)
        >>> f = pcc.compile(head, train=True)
        >>> f(paddle.ones([4, 2]), paddle.ones([2, 3])).shape
        paddle.Size([4, 3])
    """
    only(
        'compile',
        'kernels are made by the compiler of to_static, for the device of their tensors',
        ap_path=(ap_path, ''),
        ap_workspace_dir=(ap_workspace_dir, '/tmp/paddle/ap'),
        backend_device=(backend_device, 'cuda', 'cpu'),
        target_framework=(target_framework, 'paddle'),
    )
    if compile_engine not in ('PCC', 'CINN'):
        raise AssertionError(
            f"[compile] expected compile_engine 'PCC' or 'CINN', got {compile_engine!r}"
        )
    return OverloadedFunc(func, _parameters_of(func), bool(train))
