# SPDX-License-Identifier: Apache-2.0
"""Old and foreign spellings: typed tensor classes, torch-compatibility switches, delayed
initialisation.
"""

import paddle
from paddle.base.arguments import items
from paddle.base.libpaddle import Generator, Tensor  # noqa: F401


_TYPED = """Makes tensors of dtype {dtype}, and is the type of those in `isinstance`.

Args:
    *args (object): The extents as ints, for a tensor that is not filled; or the values.
    device (str or place, default None): Where it lies; None for the current device.

Raises:
    ValueError: There are several arguments that are not all ints.

Examples:
    >>> paddle.{name}(2, 3).shape
    paddle.Size([2, 3])
    >>> paddle.{name}([1, 0]).dtype
    paddle.{dtype}
    >>> isinstance(paddle.ones([2], '{dtype}'), paddle.{name})
    True
"""


class _TypedMeta(type):
    def __instancecheck__(cls, obj):
        return isinstance(obj, Tensor) and str(obj.dtype) == 'paddle.' + cls._dtype


def _typed(name, dtype):
    def __new__(cls, *args, device=None):
        if all(isinstance(one, int) for one in args):
            return paddle.empty(list(args) or [0], dtype, device=device)
        if len(args) > 1:
            raise ValueError(
                f'[{name}] expected data, or the extents as ints, got {len(args)} arguments that '
                f'are not all ints'
            )
        return paddle.to_tensor(args[0], dtype=dtype, place=device)

    return _TypedMeta(
        name,
        (),
        {'__new__': __new__, '_dtype': dtype, '__doc__': _TYPED.format(name=name, dtype=dtype)},
    )


FloatTensor, DoubleTensor, HalfTensor = (
    _typed('FloatTensor', 'float32'),
    _typed('DoubleTensor', 'float64'),
    _typed('HalfTensor', 'float16'),
)
BFloat16Tensor, IntTensor, LongTensor = (
    _typed('BFloat16Tensor', 'bfloat16'),
    _typed('IntTensor', 'int32'),
    _typed('LongTensor', 'int64'),
)
ShortTensor, CharTensor, ByteTensor = (
    _typed('ShortTensor', 'int16'),
    _typed('CharTensor', 'int8'),
    _typed('ByteTensor', 'uint8'),
)
BoolTensor = _typed('BoolTensor', 'bool')


class MmapStorage:
    """The bytes of a file as a tensor: `MmapStorage(path, -1).get_slice('float32')`.

    Args:
        filename (str): The file.
        nbytes (int): How many bytes of it; -1 for all.

    Examples:
        >>> with open("numbers", "wb") as f:
        ...     _ = f.write(bytes([0, 0, 128, 63]))
        >>> paddle.MmapStorage("numbers", 4).get_slice("float32").tolist()
        [1.0]
    """

    def __init__(self, filename, nbytes):
        import numpy as np

        self._bytes = np.memmap(filename, dtype='uint8', mode='r')
        if nbytes >= 0:
            self._bytes = self._bytes[:nbytes]

    def get_slice(self, dtype='uint8', start=0, stop=None, step=1):
        """Elements start, start + step, ... of the file read as `dtype`."""
        tensor = paddle.to_tensor(self._bytes.copy()).view(dtype)
        return tensor[start:stop:step]


def disable_signal_handler():
    """Nothing to do: no signal handlers are installed.

    Returns:
        None.

    Examples:
        >>> paddle.disable_signal_handler()
    """


def _module_names(name, value):
    """The names of modules, of one string or several; None as it is."""
    if value is None:
        return None
    names = {value} if isinstance(value, str) else set(items('enable_compat', name, value))
    if not all(isinstance(one, str) for one in names):
        raise TypeError(f'[enable_compat] expected {name} to hold names of modules, got {value!r}')
    return names


def enable_compat(*, scope=None, blocked_modules=None, backend='torch', silent=False):
    """Let `import torch`, and imports of its modules, find paddle and paddle's modules.

    Args:
        scope (str or list of strs, default None): Modules in which, with those inside them; None
            for all. A further call adds to them. A module that was found stays so for all who
            import it later.
        blocked_modules (str or list of strs, default None): Modules in which it does not.
        backend (str, default 'torch'): Must be `torch`.
        silent (bool, default False): Whether no warning says that torch had been imported before,
            or what becomes of an earlier scope.

    Returns:
        None.

    Raises:
        AssertionError: Another backend.
        TypeError: A scope that holds no names.

    Examples:
        >>> paddle.enable_compat(silent=True)
        >>> import importlib
        >>> importlib.import_module("torch.nn.functional") is paddle.nn.functional
        True
        >>> paddle.disable_compat()
    """
    import sys
    import warnings

    from paddle import _torch_names

    if backend != 'torch':
        raise AssertionError(f"[enable_compat] expected backend 'torch', got {backend!r}")
    scope = _module_names('scope', scope)
    blocked = _module_names('blocked_modules', blocked_modules) or set()
    text = _torch_names.enable(scope, blocked)
    if 'torch' in sys.modules:
        text = 'has no effect: torch has been imported before'
    if text and not silent:
        warnings.warn(f'[enable_compat] {text}', stacklevel=2)


def disable_compat():
    """Undo `enable_compat`.

    Returns:
        None.

    Examples:
        >>> paddle.enable_compat(silent=True)
        >>> paddle.disable_compat()
    """
    from paddle import _torch_names

    _torch_names.disable()
