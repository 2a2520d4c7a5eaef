# SPDX-License-Identifier: Apache-2.0
"""Activation layers of sparse tensors."""

from paddle.nn import Layer

from .. import functional as F

__all__ = ['LeakyReLU', 'ReLU', 'ReLU6', 'Softmax']


class _Activation(Layer):
    def __init__(self, name=None):
        super().__init__()
        self._name = name

    def extra_repr(self):
        return f'name={self._name}' if self._name else ''


class ReLU(_Activation):
    """`paddle.sparse.nn.functional.relu` as a layer.

    Args:
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[-1.0, 3.0]]).to_sparse_coo(2)
        >>> paddle.sparse.nn.ReLU()(x).to_dense().tolist()
        [[0.0, 3.0]]
    """

    def forward(self, x):
        return F.relu(x)


class ReLU6(_Activation):
    """`paddle.sparse.nn.functional.relu6` as a layer.

    Args:
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[-1.0, 9.0]]).to_sparse_coo(2)
        >>> paddle.sparse.nn.ReLU6()(x).to_dense().tolist()
        [[0.0, 6.0]]
    """

    def forward(self, x):
        return F.relu6(x)


class LeakyReLU(_Activation):
    """`paddle.sparse.nn.functional.leaky_relu` as a layer.

    Args:
        negative_slope (float, default 0.01): The slope left of zero.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[-1.0, 9.0]]).to_sparse_coo(2)
        >>> paddle.sparse.nn.LeakyReLU(0.5)(x).to_dense().tolist()
        [[-0.5, 9.0]]
    """

    def __init__(self, negative_slope=0.01, name=None):
        super().__init__(name)
        self._negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self._negative_slope)


class Softmax(_Activation):
    """`paddle.sparse.nn.functional.softmax` as a layer.

    Args:
        axis (int, default -1): The axis; in CSR form the last one.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> x = paddle.to_tensor([[1.0, 0.0, 1.0]]).to_sparse_csr()
        >>> paddle.sparse.nn.Softmax()(x).to_dense().tolist()
        [[0.5, 0.0, 0.5]]
    """

    def __init__(self, axis=-1, name=None):
        super().__init__(name)
        self._axis = axis

    def forward(self, x):
        return F.softmax(x, self._axis)
