# SPDX-License-Identifier: Apache-2.0
"""Tensors of texts, and the operations on them."""

import string

import numpy as np

from paddle.utils import unique_name

__all__ = ['StringTensor']

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_UPPER = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)


class StringTensor:
    """A tensor of texts.

    Args:
        value (numpy.ndarray, list of ints or StringTensor, default ()): The texts, or the extents
            of a tensor of empty ones.
        name (str, default None): The name; None for one that is made.

    Raises:
        ValueError: value is none of these.

    Examples:
        >>> import numpy as np
        >>> x = paddle.base.core.eager.StringTensor(np.array(["One", "Two"]), "texts")
        >>> x.shape, x.name
        (paddle.Size([2]), 'texts')
        >>> paddle._C_ops.strings_upper(x, False).numpy().tolist()
        ['ONE', 'TWO']
    """

    def __init__(self, value=(), name=None):
        if isinstance(value, StringTensor):
            value = value.numpy()
        if not isinstance(value, np.ndarray):
            if not isinstance(value, (list, tuple)) or not all(type(n) is int for n in value):
                raise ValueError(
                    f'[StringTensor] expected an array of strs or extents, got {value!r}'
                )
            value = np.full(value, '')
        if value.dtype.kind != 'U':
            raise ValueError(f'[StringTensor] expected an array of strs, got {value.dtype}')
        self._texts = value.copy()
        self.name = unique_name.generate('generated_string_tensor') if name is None else name

    @property
    def shape(self):
        """The extents."""
        import paddle

        return paddle.Size(self._texts.shape)

    @property
    def place(self):
        """The CPU."""
        import paddle

        return paddle.CPUPlace()

    def numpy(self):
        """The texts as an array."""
        return self._texts.copy()

    def __repr__(self):
        return f'StringTensor(shape={list(self._texts.shape)}, {self._texts.tolist()})'


def _at_home(op, place):
    if place is not None and not place.is_cpu_place():
        raise ValueError(f'[{op}] expected the CPU as place, got {place}')


def _mapped(op, x, whole, letters):
    if not isinstance(x, StringTensor):
        raise TypeError(f'[{op}] expected a StringTensor, got {type(x).__name__}')
    texts = [whole(t) if letters is None else t.translate(letters) for t in x._texts.ravel()]
    return StringTensor(np.array(texts, dtype=str).reshape(x._texts.shape))


def strings_lower(x, use_utf8_encoding):
    """The texts in lower case: letters of ASCII, or all of them with use_utf8_encoding."""
    return _mapped('strings_lower', x, str.lower, None if use_utf8_encoding else _LOWER)


def strings_upper(x, use_utf8_encoding):
    """The texts in upper case: letters of ASCII, or all of them with use_utf8_encoding."""
    return _mapped('strings_upper', x, str.upper, None if use_utf8_encoding else _UPPER)


def strings_empty(shape, place=None):
    """Empty texts."""
    _at_home('strings_empty', place)
    return StringTensor(list(shape))


def strings_empty_like(x, place=None):
    """Empty texts of the shape of x."""
    _at_home('strings_empty_like', place)
    return StringTensor(list(x.shape))
