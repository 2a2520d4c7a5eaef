# SPDX-License-Identifier: Apache-2.0
"""Old and foreign spellings: typed tensor classes, torch-compatibility switches, delayed
initialisation.
"""

import paddle
from paddle.base.arguments import only
from paddle.base.libpaddle import Generator, Tensor  # noqa: F401


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
        {'__new__': __new__, '_dtype': dtype, '__doc__': f'Makes tensors of dtype {dtype}.'},
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
    """The bytes of a file as a tensor: `MmapStorage(path).get_slice('float32')`."""

    def __init__(self, filename, nbytes=-1):
        import numpy as np

        self._bytes = np.memmap(filename, dtype='uint8', mode='r')
        if nbytes >= 0:
            self._bytes = self._bytes[:nbytes]

    def get_slice(self, dtype='uint8', start=0, stop=None, step=1):
        """Elements start, start + step, ... of the file read as `dtype`."""
        tensor = paddle.to_tensor(self._bytes.copy()).view(dtype)
        return tensor[start:stop:step]


def disable_signal_handler():
    """Nothing to do: no signal handlers are installed."""


def enable_compat(*, scope=None, blocked_modules=None, backend='torch', silent=False):
    """Let `import torch` find paddle, everywhere; a warning says so unless `silent`, where torch
    had been imported before.
    """
    import sys
    import warnings

    if backend != 'torch':
        raise AssertionError(f"[enable_compat] expected backend 'torch', got {backend!r}")
    only(
        'enable_compat',
        'all modules find paddle',
        scope=(scope, None, set()),
        blocked_modules=(blocked_modules, None, set()),
    )
    if not silent and sys.modules.get('torch', paddle) is not paddle:
        warnings.warn('[enable_compat] has no effect: torch has been imported before')
    sys.modules.setdefault('torch', paddle)


def disable_compat():
    """Undo `enable_compat`."""
    import sys

    if sys.modules.get('torch') is paddle:
        del sys.modules['torch']
