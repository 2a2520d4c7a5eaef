# SPDX-License-Identifier: Apache-2.0
"""Limits of the number types: iinfo and finfo."""

import numpy as np

__all__ = ['iinfo', 'finfo', 'dtype']


def _name(dtype):
    if isinstance(dtype, type):
        return dtype.__name__
    return str(dtype).rsplit('.', 1)[-1]


class iinfo:
    """Limits of an integer dtype: min, max, bits, dtype.

    Args:
        dtype (str or dtype): An integer dtype.

    Returns:
        iinfo: the limits.

    Examples:
        >>> paddle.iinfo('int8').min, paddle.iinfo('int8').max
        (-128, 127)
    """

    def __init__(self, dtype):
        name = _name(dtype)
        if name not in ('uint8', 'int8', 'int16', 'int32', 'int64', 'uint16', 'uint32', 'uint64'):
            raise ValueError(f"[iinfo] expected an integer dtype, got {dtype}")
        info = np.iinfo(name)
        self.min, self.max, self.bits, self.dtype = (
            int(info.min),
            int(info.max),
            int(info.bits),
            name,
        )

    def __repr__(self):
        return f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, dtype={self.dtype})"


def _float(eps, lowest, highest, tiny, bits, resolution):
    return dict(
        eps=eps,
        min=lowest,
        max=highest,
        tiny=tiny,
        smallest_normal=tiny,
        bits=bits,
        resolution=resolution,
    )


_EXTRA = {
    'bfloat16': _float(2.0**-7, -3.3895313892515355e38, 3.3895313892515355e38, 2.0**-126, 16, 0.01),
    'float8_e4m3fn': _float(0.125, -448.0, 448.0, 2.0**-6, 8, 1.0),
    'float8_e5m2': _float(0.25, -57344.0, 57344.0, 2.0**-14, 8, 1.0),
}


class finfo:
    """Limits of a floating dtype: eps, min, max, tiny, smallest_normal, resolution, bits,
    dtype.

    Args:
        dtype (str or dtype): A floating-point dtype.

    Returns:
        finfo: the limits.

    Examples:
        >>> paddle.finfo('float32').bits, paddle.finfo('float64').eps == 2.0**-52
        (32, True)
    """

    bits: int
    eps: float
    min: float
    max: float
    tiny: float
    smallest_normal: float
    resolution: float

    def __init__(self, dtype):
        name = _name(dtype)
        self.dtype = {'complex64': 'float32', 'complex128': 'float64'}.get(name, name)
        values = _EXTRA.get(self.dtype)
        if values is None:
            if self.dtype not in ('float16', 'float32', 'float64'):
                raise ValueError(f"[finfo] expected a floating dtype, got {dtype}")
            info = np.finfo(self.dtype)
            values = _float(
                float(info.eps),
                float(info.min),
                float(info.max),
                float(info.tiny),
                int(info.bits),
                float(info.resolution),
            )
        for key, value in values.items():
            setattr(self, key, value)

    def __repr__(self):
        return (
            f"paddle.finfo(min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"resolution={self.resolution:g}, smallest_normal={self.smallest_normal:g}, "
            f"tiny={self.tiny:g}, bits={self.bits}, dtype={self.dtype})"
        )


def __getattr__(name):
    if name == 'dtype':
        import paddle

        return paddle.dtype
    raise AttributeError(name)
