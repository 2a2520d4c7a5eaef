# SPDX-License-Identifier: Apache-2.0
"""What is known of an input before it is given."""

__all__ = ['InputSpec']


_MOST = 2**63 - 1


def checked_extents(shape, where):
    """The extents as ints, -1 where unknown. TypeError for what is no list, ValueError for extents
    that are no whole numbers of at least -1 and for shapes of more elements than a 64-bit number
    counts."""
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"[{where}] expected a list or tuple as shape, got {type(shape).__name__}")
    extents, count = [], 1
    for d in shape:
        d = -1 if d is None else d
        if isinstance(d, bool) or not hasattr(d, '__index__') or d < -1:
            raise ValueError(f"[{where}] expected extents of at least -1 or None, got {d!r}")
        extents.append(int(d))
        count *= max(extents[-1], 1)
    if count > _MOST:
        raise ValueError(f"[{where}] expected a shape of at most {_MOST} elements, got {extents}")
    return extents


class InputSpec:
    """What is known of an input before it is given.

    Args:
        shape (list or tuple of ints): The extents; None or -1 where one is known only at the call.
        dtype (str or dtype, default 'float32'): The data type.
        name (str, default None): The name by which a program asks for it.
        stop_gradient (bool, default False): Whether no gradient flows to it.

    Raises:
        TypeError: shape is no list or tuple.
        ValueError: An extent is below -1.

    Examples:
        >>> from paddle.static import InputSpec
        >>> spec = InputSpec([None, 784], "float32", "image")
        >>> spec.shape
        (-1, 784)
        >>> InputSpec.from_tensor(paddle.ones([2, 3])).shape
        (2, 3)
        >>> spec.batch(16).shape
        (16, -1, 784)
    """

    def __init__(self, shape, dtype='float32', name=None, stop_gradient=False):
        from paddle.base.framework import to_dtype

        self.shape = tuple(checked_extents(shape, 'InputSpec'))
        self.dtype = to_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor, name=None):
        """The spec of a tensor."""
        return cls(list(tensor.shape), tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray, name=None):
        """The spec of a NumPy array."""
        return cls(list(ndarray.shape), str(ndarray.dtype), name)

    def batch(self, batch_size):
        """Put a batch extent in front; returns self."""
        if isinstance(batch_size, (list, tuple)):
            if len(batch_size) != 1:
                raise ValueError(
                    f"[InputSpec.batch] expected one batch size, got {len(batch_size)}"
                )
            batch_size = batch_size[0]
        if isinstance(batch_size, bool) or not hasattr(batch_size, '__index__'):
            raise TypeError(f"[InputSpec.batch] expected an int, got {type(batch_size).__name__}")
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self):
        """Remove the first extent; returns self."""
        if not self.shape:
            raise ValueError("[InputSpec.unbatch] expected at least one extent, got none")
        self.shape = self.shape[1:]
        return self

    def _key(self):
        return self.shape, str(self.dtype), self.name, self.stop_gradient

    def __eq__(self, other):
        return isinstance(other, InputSpec) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return (
            f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
            f"stop_gradient={self.stop_gradient})"
        )


InputSpec.__module__ = 'paddle.static'
