# SPDX-License-Identifier: Apache-2.0
"""Initializers with a structure: bilinear upsampling kernels, Dirac deltas, orthogonal matrices."""

import math

import paddle
from paddle.base.arguments import to_array

from .initializer import Initializer, gaussian, is_half

__all__ = ["Bilinear", "Dirac", "Orthogonal"]


class BilinearInitializer(Initializer):
    """Kernel of a transposed convolution that upsamples bilinearly; the weight must be 4-D with
    equal last dims.
    """

    def __init__(self):
        pass

    def create(self, shape, dtype):
        import numpy as np

        if len(shape) != 4:
            raise ValueError(f"[Bilinear] expected a shape of 4 extents, got {list(shape)}")
        if shape[2] != shape[3]:
            raise ValueError(
                f"[Bilinear] expected equal extents in axes 2 and 3, got {list(shape)}"
            )
        size = shape[3]
        half = math.ceil(size / 2.0)
        centre = (2 * half - 1 - half % 2) / (2.0 * half)
        index = np.arange(math.prod(shape))
        x, y = index % size, (index / size) % size
        value = (
            ((1 - np.abs(x / half - centre)) * (1 - np.abs(y / half - centre)))
            .astype("float32")
            .reshape(shape)
        )
        return paddle.to_tensor(np.ascontiguousarray(value)).astype(dtype)


class Bilinear(BilinearInitializer):
    """Kernel of a transposed convolution that upsamples bilinearly.

    Examples:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Bilinear())
        >>> paddle.create_parameter([1, 1, 4, 4], "float32", attr=attr)[0, 0, 0].tolist()
        [0.0625, 0.2812, 0.375, 0.1562]
    """


class Dirac(Initializer):
    """Identity for a convolution: weight[g * out + i, i, centre...] = 1, per group; 3-D, 4-D or 5-D
    weights.

    Args:
        groups (int, default 1): How many groups of channels there are.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Dirac())
        >>> layer = paddle.nn.Conv1D(2, 2, 3, padding=1, weight_attr=attr, bias_attr=False)
        >>> layer(paddle.to_tensor([[[1.0, 2.0], [3.0, 4.0]]])).tolist()
        [[[1.0, 2.0], [3.0, 4.0]]]
    """

    def __init__(self, groups=1, name=None):
        if not (isinstance(groups, int) and groups > 0):
            raise AssertionError(f"[Dirac] expected groups to be a positive int, got {groups!r}")
        self._groups = groups

    def create(self, shape, dtype):
        import numpy as np

        if len(shape) not in (3, 4, 5):
            raise AssertionError(
                f"[Dirac] expected a shape of 3, 4 or 5 extents, got {list(shape)}"
            )
        if shape[0] % self._groups:
            raise AssertionError(
                f"[Dirac] expected a first extent that {self._groups} groups divide, got {shape[0]}"
            )
        per_group = shape[0] // self._groups
        value = np.zeros(shape, "float32")
        centre = tuple(k // 2 for k in shape[2:])
        for g in range(self._groups if value.size else 0):
            for i in range(min(per_group, shape[1])):
                value[(g * per_group + i, i, *centre)] = 1.0
        return paddle.to_tensor(value).astype(dtype)


class Orthogonal(Initializer):
    """A (semi-)orthogonal matrix times `gain`; dimensions after the first are flattened.

    Args:
        gain (float, default 1.0): The factor.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Saxe et al., Exact solutions to the nonlinear dynamics of learning, 2013

    Examples:
        >>> init = paddle.nn.initializer.Orthogonal()
        >>> weight = paddle.create_parameter([3, 3], "float32", default_initializer=init)
        >>> bool(paddle.allclose(weight @ weight.T, paddle.eye(3), atol=1e-5))
        True
    """

    def __init__(self, gain=1.0, name=None):
        if gain is None:
            gain = 1.0
        self._gain = gain
        self._seed = 0

    def create(self, shape, dtype):
        if len(shape) < 2:
            raise AssertionError(
                f"[Orthogonal] expected a shape of at least 2 extents, got {list(shape)}"
            )
        rows, cols = shape[0], math.prod(shape[1:])
        draw = paddle.float32 if is_half(dtype) else dtype
        import numpy as np

        flat = gaussian([max(rows, cols), min(rows, cols)], draw, 0.0, 1.0, self._seed).numpy()
        q, r = np.linalg.qr(flat)
        q = q * np.sign(np.diag(r))
        value = (q.T if rows < cols else q) * to_array('Orthogonal', 'gain', self._gain, flat.dtype)
        return paddle.to_tensor(np.ascontiguousarray(value).reshape(shape)).astype(dtype)
