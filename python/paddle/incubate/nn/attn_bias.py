# SPDX-License-Identifier: Apache-2.0
"""Biases of attention scores: triangles, and blocks for sequences packed one after another."""

import paddle

__all__ = [
    'AttentionBias',
    'LowerTriangularMask',
    'LowerTriangularMaskWithTensorBias',
    'SeqLenInfo',
    'BlockDiagonalMask',
    'BlockDiagonalCausalMask',
]


class AttentionBias:
    """What is added to the scores of attention."""

    def materialize(self, shape, dtype=paddle.float32):
        """The bias as a tensor of this shape, whose last two axes are queries and keys."""
        raise NotImplementedError(
            f"[{type(self).__name__}] expected a subclass that makes a bias of {shape} and "
            f"{dtype}, got the base"
        )


def _hidden(allowed, dtype):
    """0 where a bool tensor is true, minus infinity elsewhere."""
    zero = paddle.zeros(allowed.shape, dtype)
    return paddle.where(allowed, zero, paddle.full_like(zero, float('-inf')))


class LowerTriangularMask(AttentionBias):
    """Each query sees the keys up to its own place."""

    def materialize(self, shape, dtype=paddle.float32):
        triangle = _hidden(paddle.tril(paddle.ones(shape[-2:], 'int32')).astype('bool'), dtype)
        return paddle.expand(triangle, list(shape))

    def add_bias(self, bias):
        """The same with a tensor added."""
        return LowerTriangularMaskWithTensorBias(bias)


class LowerTriangularMaskWithTensorBias(LowerTriangularMask):
    """Each query sees the keys up to its own place, with a tensor added to the scores."""

    def __init__(self, bias):
        self._bias = bias

    def materialize(self, shape, dtype=paddle.float32):
        return super().materialize(shape, dtype) + self._bias


class SeqLenInfo:
    """Where each of several packed sequences starts."""

    def __init__(self, seqstart, max_seqlen, seqstart_py):
        self.seqstart, self.max_seqlen, self.seqstart_py = seqstart, max_seqlen, seqstart_py

    @classmethod
    def from_seqlens(cls, seqlens):
        """From the lengths of the sequences."""
        starts = [0]
        for length in seqlens:
            if not isinstance(length, int):
                raise TypeError(
                    f"[SeqLenInfo] expected lengths that are integers, got {type(length).__name__}"
                )
            starts.append(starts[-1] + length)
        return cls(paddle.to_tensor(starts, dtype='int32'), max(seqlens, default=-1), starts)

    def intervals(self):
        """(start, end) of each sequence."""
        yield from zip(self.seqstart_py, self.seqstart_py[1:])

    def split(self, x, batch_sizes=None):
        """The parts of [1, total, ...]: one of shape [batch, length, ...] for each of
        `batch_sizes`, by default each sequence alone.
        """
        if x.shape[0] != 1 or x.shape[1] != self.seqstart_py[-1]:
            raise AssertionError(
                f"[SeqLenInfo] expected [1, {self.seqstart_py[-1]}, ...], got {list(x.shape)}"
            )
        sizes, at, parts = batch_sizes or [1] * (len(self.seqstart_py) - 1), 0, []
        for size in sizes:
            start, end = self.seqstart_py[at], self.seqstart_py[at + size]
            parts.append(x[:, start:end].reshape([size, -1, *x.shape[2:]]))
            at += size
        return parts


class BlockDiagonalMask(AttentionBias):
    """Sequences packed along one axis: each query sees the keys of its own sequence."""

    def __init__(self, q_seqinfo, k_seqinfo, _batch_sizes=None):
        self.q_seqinfo, self.k_seqinfo, self._batch_sizes = q_seqinfo, k_seqinfo, _batch_sizes

    @classmethod
    def from_seqlens(cls, q_seqlen, kv_seqlen=None):
        """From the lengths of the queries, and of the keys where those differ."""
        queries = SeqLenInfo.from_seqlens(q_seqlen)
        return cls(
            queries,
            queries
            if kv_seqlen is None or kv_seqlen == q_seqlen
            else SeqLenInfo.from_seqlens(kv_seqlen),
        )

    @classmethod
    def from_tensor_list(cls, tensors):
        """(mask, tensors [batch, length, ...] as one [1, total, ...])."""
        mask = cls.from_seqlens([t.shape[1] for t in tensors for _ in range(t.shape[0])])
        mask._batch_sizes = [t.shape[0] for t in tensors]
        return mask, paddle.concat([t.reshape([1, -1, *t.shape[2:]]) for t in tensors], axis=1)

    @classmethod
    def from_tensor_lists_qkv(cls, tensors_q, tensors_k, tensors_v=None):
        """(mask, packed queries, packed keys, packed values or None)."""
        if len(tensors_q) != len(tensors_k) or (
            tensors_v is not None and len(tensors_v) != len(tensors_k)
        ):
            raise AssertionError(
                "[from_tensor_lists_qkv] expected as many queries as keys and values, got "
                f"{len(tensors_q)}, {len(tensors_k)} and "
                f"{None if tensors_v is None else len(tensors_v)}"
            )
        ours, queries = BlockDiagonalMask.from_tensor_list(tensors_q)
        theirs, keys = BlockDiagonalMask.from_tensor_list(tensors_k)
        values = None if tensors_v is None else BlockDiagonalMask.from_tensor_list(tensors_v)[1]
        return cls(ours.q_seqinfo, theirs.q_seqinfo, ours._batch_sizes), queries, keys, values

    def _block(self, shape):
        return paddle.ones(shape, 'bool')

    def materialize(self, shape, dtype=paddle.float32):
        rows, columns = self.q_seqinfo.seqstart_py[-1], self.k_seqinfo.seqstart_py[-1]
        if list(shape[-2:]) != [rows, columns]:
            raise AssertionError(
                f"[{type(self).__name__}] expected a shape that ends with [{rows}, {columns}], "
                f"got {list(shape)}"
            )
        allowed = paddle.zeros([rows, columns], 'bool')
        for (top, bottom), (left, right) in zip(
            self.q_seqinfo.intervals(), self.k_seqinfo.intervals()
        ):
            allowed[top:bottom, left:right] = self._block([bottom - top, right - left])
        return paddle.expand(_hidden(allowed, dtype), list(shape))

    def split_queries(self, tensor):
        """The parts of packed queries, or of what attention gives for them."""
        return self.q_seqinfo.split(tensor, self._batch_sizes)

    def split_kv(self, tensor):
        """The parts of packed keys or values."""
        return self.k_seqinfo.split(tensor, self._batch_sizes)

    def split(self, tensor):
        """The parts of a packed tensor, whose queries and keys are as long as each other."""
        if self.q_seqinfo is not self.k_seqinfo:
            raise AssertionError(
                "[split] expected queries as long as the keys, got other lengths: use "
                "split_queries or split_kv"
            )
        return self.split_queries(tensor)

    def make_causal(self):
        """The same, each query seeing the keys up to its own place."""
        return BlockDiagonalCausalMask(self.q_seqinfo, self.k_seqinfo, self._batch_sizes)


class BlockDiagonalCausalMask(BlockDiagonalMask):
    """Sequences packed along one axis: each query sees the keys of its own sequence up to its own
    place.
    """

    def _block(self, shape):
        return paddle.tril(paddle.ones(shape, 'int32')).astype('bool')
