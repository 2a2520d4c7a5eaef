# SPDX-License-Identifier: Apache-2.0
"""Initializers as functions that fill a tensor in place."""

from .initializer import (
    Constant,
    Dirac,
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierNormal,
    XavierUniform,
    calculate_gain,
)
from .initializer.assign import Assign
from .initializer.initializer import compute_fans

__all__ = [
    'calculate_gain',
    'constant_',
    'dirac_',
    'eye_',
    'kaiming_normal_',
    'kaiming_uniform_',
    'normal_',
    'ones_',
    'orthogonal_',
    'trunc_normal_',
    'uniform_',
    'xavier_normal_',
    'xavier_uniform_',
    'zeros_',
]


def _calculate_fan_in_and_fan_out(var):
    return compute_fans(list(var.shape))


def kaiming_uniform_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu'):
    """Fill with `KaimingUniform`; `a` is the slope of a leaky_relu."""
    return KaimingUniform(negative_slope=a, nonlinearity=nonlinearity, mode=mode)(tensor)


def kaiming_normal_(tensor, a=0, mode='fan_in', nonlinearity='leaky_relu'):
    """Fill with `KaimingNormal`; `a` is the slope of a leaky_relu."""
    return KaimingNormal(negative_slope=a, nonlinearity=nonlinearity, mode=mode)(tensor)


def xavier_uniform_(tensor, gain=1.0, fan_in=None, fan_out=None):
    """Fill with `XavierUniform`."""
    return XavierUniform(gain=gain, fan_in=fan_in, fan_out=fan_out)(tensor)


def xavier_normal_(tensor, gain=1.0, fan_in=None, fan_out=None):
    """Fill with `XavierNormal`."""
    return XavierNormal(gain=gain, fan_in=fan_in, fan_out=fan_out)(tensor)


def uniform_(tensor, a=0.0, b=1.0):
    """Fill with values from U(a, b)."""
    return Uniform(low=a, high=b)(tensor)


def normal_(tensor, mean=0.0, std=1.0):
    """Fill with values from N(mean, std^2)."""
    return Normal(mean=mean, std=std)(tensor)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0):
    """Fill with values from N(mean, std^2) conditioned on lying in [a, b]."""
    return TruncatedNormal(mean=mean, std=std, a=a, b=b)(tensor)


def constant_(tensor, val):
    """Fill with one value."""
    return Constant(value=val)(tensor)


def ones_(tensor):
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def dirac_(tensor, groups=1):
    """Fill the weight of a convolution so that it keeps as many channels as it can."""
    return Dirac(groups=groups)(tensor)


def eye_(tensor):
    """Fill a matrix with ones on its diagonal, zeros elsewhere. AssertionError for other ranks."""
    import paddle

    if tensor.ndim != 2:
        raise AssertionError(f"[eye_] expected a tensor of 2 axes, got shape {list(tensor.shape)}")
    return Assign(paddle.eye(*tensor.shape, dtype=tensor.dtype))(tensor)


def orthogonal_(tensor, gain=1):
    """Fill with a matrix of orthogonal rows or columns, times `gain`."""
    return Orthogonal(gain=gain)(tensor)
