# SPDX-License-Identifier: Apache-2.0
"""Messages along the edges of a graph."""

import paddle
from paddle import _C_ops, _lazy
from paddle.base.documentation import shares
from paddle.base.libpaddle import expect_tensors

__all__ = ['send_u_recv', 'send_ue_recv', 'send_uv']


def _operands(x, y, message_op):
    """(x, y, message) of the operations, which add or multiply rows."""
    if message_op not in ('add', 'sub', 'mul', 'div'):
        raise ValueError(
            f"[geometric] expected message_op 'add', 'sub', 'mul' or 'div', got {message_op!r}"
        )
    x, y = (v.unsqueeze(-1) if v.ndim == 1 else v for v in (x, y))
    if message_op == 'div':
        y = 1.0 / y
        return x.astype(y.dtype), y, 'MUL'
    return x, -y if message_op == 'sub' else y, 'MUL' if message_op == 'mul' else 'ADD'


def _reduction(reduce_op):
    if reduce_op.lower() not in ('sum', 'mean', 'min', 'max'):
        raise ValueError(
            f"[geometric] expected reduce_op 'sum', 'mean', 'min' or 'max', got {reduce_op!r}"
        )
    return reduce_op.upper()


def _size(out_size):
    """As the operation wants it: 0 where there is none."""
    if out_size is None:
        return [0]
    if isinstance(out_size, paddle.Tensor):
        return out_size.astype('int64').reshape([1])
    return [int(out_size)]


def send_u_recv(x, src_index, dst_index, reduce_op='sum', out_size=None, name=None):
    """Reduce, at each destination, the features of the sources of its edges.

    Args:
        x (Tensor): Features of the nodes, of shape [nodes, ...].
        src_index (Tensor): The source of each edge, int32 or int64.
        dst_index (Tensor): The destination of each edge, of the dtype of src_index.
        reduce_op (str, default 'sum'): `sum`, `mean`, `max` or `min`.
        out_size (int or Tensor, default None): How many rows the result has; None or 0 for those of
            x.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: the features at the destinations, 0 where no edge ends.

    Examples:
        >>> x = paddle.to_tensor([[1.0], [2.0], [4.0]])
        >>> src, dst = paddle.to_tensor([0, 1, 2]), paddle.to_tensor([1, 1, 0])
        >>> paddle.geometric.send_u_recv(x, src, dst).tolist()
        [[4.0], [3.0], [0.0]]
    """
    expect_tensors('send_u_recv', x=x, src_index=src_index, dst_index=dst_index)
    return _C_ops.send_u_recv(x, src_index, dst_index, _reduction(reduce_op), _size(out_size))


@shares(send_u_recv)
def send_ue_recv(
    x, y, src_index, dst_index, message_op='add', reduce_op='sum', out_size=None, name=None
):
    """Combine source features with edge features y, and reduce at the destinations.

    Args:
        x (Tensor): Features of the nodes, of shape [nodes, ...].
        y (Tensor): Features of the edges, of shape [edges, ...].
        {src_index, dst_index}
        message_op (str, default 'add'): `add`, `sub`, `mul` or `div`.
        {reduce_op, out_size, name}

    Returns:
        Tensor: the features at the destinations, 0 where no edge ends.

    Examples:
        >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[10.0], [20.0]])
        >>> src, dst = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])
        >>> paddle.geometric.send_ue_recv(x, y, src, dst, "mul").tolist()
        [[0.0], [50.0]]
    """
    expect_tensors('send_ue_recv', x=x, y=y, src_index=src_index, dst_index=dst_index)
    x, y, message = _operands(x, y, message_op.lower())
    return _C_ops.send_ue_recv(
        x, y, src_index, dst_index, message, _reduction(reduce_op), _size(out_size)
    )


def send_uv(x, y, src_index, dst_index, message_op='add', name=None):
    """Combine, for each edge, features x of its source and y of its destination.

    Args:
        x (Tensor): Features of the sources, of shape [nodes, ...].
        y (Tensor): Features of the destinations, of shape [nodes, ...].
        src_index (Tensor): The source of each edge, int32 or int64.
        dst_index (Tensor): The destination of each edge, of the dtype of src_index.
        message_op (str, default 'add'): `add`, `sub`, `mul` or `div`.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a row for each edge.

    Examples:
        >>> x, y = paddle.to_tensor([[1.0], [2.0]]), paddle.to_tensor([[10.0], [20.0]])
        >>> src, dst = paddle.to_tensor([0, 1]), paddle.to_tensor([1, 1])
        >>> paddle.geometric.send_uv(x, y, src, dst).tolist()
        [[21.0], [22.0]]
    """
    expect_tensors('send_uv', x=x, y=y, src_index=src_index, dst_index=dst_index)
    x, y, message = _operands(x, y, message_op.lower())
    return _C_ops.send_uv(x, y, src_index, dst_index, message)


_lazy.serve(globals())
