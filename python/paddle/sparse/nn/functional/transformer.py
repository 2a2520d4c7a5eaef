# SPDX-License-Identifier: Apache-2.0
"""Attention at the places of a sparse mask."""

import paddle

from ...binary import masked_matmul, matmul
from ...pattern import gather
from ...tensor import SparseTensor, expect_dense, expect_sparse
from .activation import segment_softmax

__all__ = ['attention']


def attention(query, key, value, sparse_mask, key_padding_mask=None, attn_mask=None, name=None):
    """Scaled dot-product attention where query i attends to the keys that stand in row i of a mask.

    Args:
        query (Tensor): [batch, heads, length, dim].
        key (Tensor): The same shape.
        value (Tensor): The same shape.
        sparse_mask (Tensor): A sparse CSR tensor [batch * heads, length, length]; its values are
            not read.
        key_padding_mask (Tensor, default None): [batch, length]: keys that are 0 there are left
            out.
        attn_mask (Tensor, default None): [length, length]: places that are 0 there are left out.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: dense, of the shape of query. A query without keys gives zeros.

    Examples:
        >>> x = paddle.to_tensor([[[[1.0], [3.0]]]])
        >>> mask = paddle.to_tensor([[[1.0, 0.0], [1.0, 1.0]]]).to_sparse_csr()
        >>> q = paddle.zeros([1, 1, 2, 1])
        >>> paddle.sparse.nn.functional.attention(q, x, x, mask).flatten().tolist()
        [1.0, 2.0]
    """
    op = 'attention'
    for what, x in (('query', query), ('key', key), ('value', value)):
        if expect_dense(op, x, what).ndim != 4 or x.shape != query.shape:
            raise ValueError(
                f'[{op}] expected query, key and value of one shape [batch, heads, length, dim], '
                f'got {list(query.shape)} and {what} of {list(x.shape)}'
            )
    batch, heads, length, dim = query.shape
    mask = expect_sparse(op, sparse_mask, 'sparse_mask')
    if not mask.is_sparse_csr() or list(mask.shape) != [batch * heads, length, length]:
        raise ValueError(
            f'[{op}] expected a sparse CSR mask of shape {[batch * heads, length, length]}, got '
            f'{"CSR" if mask.is_sparse_csr() else "COO"} of {list(mask.shape)}'
        )
    for what, x, shape in (
        ('key_padding_mask', key_padding_mask, [batch, length]),
        ('attn_mask', attn_mask, [length, length]),
    ):
        if x is not None and list(expect_dense(op, x, what).shape) != shape:
            raise ValueError(f'[{op}] expected {what} of shape {shape}, got {list(x.shape)}')
    p = mask._pattern
    each, row, col = p.rows
    flat = [batch * heads, length, dim]
    q, k, v = (x.reshape(flat) for x in (query, key, value))
    scores = masked_matmul(q * dim**-0.5, paddle.transpose(k, [0, 2, 1]), mask)._values
    kept = None
    if key_padding_mask is not None:
        kept = gather(key_padding_mask.reshape([-1]), each // heads * length + col) != 0
    if attn_mask is not None:
        chosen = gather(attn_mask.reshape([-1]), row * length + col) != 0
        kept = chosen if kept is None else paddle.logical_and(kept, chosen)
    if kept is not None:
        scores = paddle.where(kept, scores, paddle.full_like(scores, -1e30))
    weights = segment_softmax(scores, each * length + row, batch * heads * length)
    if kept is not None:
        weights = weights * kept.astype(weights.dtype)
    return matmul(SparseTensor(p, weights), v).reshape(query.shape)
