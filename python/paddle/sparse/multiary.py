# SPDX-License-Identifier: Apache-2.0
"""Operations on three tensors."""

import paddle

from .binary import add, matmul, multiply
from .tensor import expect_sparse, is_sparse

__all__ = ['addmm']


def addmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """beta * input + alpha * x @ y.

    Args:
        input (Tensor): [m, n]: dense where y is, else sparse in the form of x.
        x (Tensor): A sparse matrix [m, k].
        y (Tensor): [k, n], dense or sparse in the form of x.
        beta (float, default 1.0): What input is multiplied by.
        alpha (float, default 1.0): What the product is multiplied by.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: [m, n], dense where y is, else sparse.

    Examples:
        >>> x = paddle.to_tensor([[0.0, 3.0], [1.0, 0.0]]).to_sparse_csr()
        >>> y = paddle.to_tensor([[1.0], [2.0]])
        >>> paddle.sparse.addmm(paddle.ones([2, 1]), x, y, beta=10.0).tolist()
        [[16.0], [11.0]]
    """
    expect_sparse('addmm', x, 'x')
    if is_sparse(input) != is_sparse(y):
        one, other = ('sparse' if is_sparse(t) else 'dense' for t in (input, y))
        raise NotImplementedError(
            f'[addmm] expected input and y both dense or both sparse, got {one} and {other}'
        )
    product = matmul(x, y)
    if list(input.shape) != list(product.shape):
        raise ValueError(
            f'[addmm] expected input of shape {list(product.shape)}, that of the product, got '
            f'{list(input.shape)}'
        )
    if is_sparse(input):
        return add(multiply(input, beta), multiply(product, alpha))
    return paddle.add(input * beta, product * alpha)
