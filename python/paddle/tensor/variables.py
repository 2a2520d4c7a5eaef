# SPDX-License-Identifier: Apache-2.0
"""Members of Tensor that the variables of old programs have."""

from paddle.base.libpaddle import Tensor

__all__ = []


def _kind(self):
    """The kind of variable that old programs know this tensor as.

    Examples:
        >>> paddle.ones([2]).type == paddle.ones([3]).type
        True
    """
    from paddle.base.core import VarDesc

    kinds = VarDesc.VarType
    if getattr(self, '_strings', None) is not None:
        return _Kind(kinds.STRINGS)
    return _Kind(kinds.DENSE_TENSOR if getattr(self, '_vocab', None) is None else kinds.VOCAB)


class _Kind(int):
    """A kind of variable. PyTorch has a method of the name, so that who calls it is told more."""

    def __call__(self, *args, **kwargs):
        raise TypeError(
            '[Tensor.type] expected no call, got one: x.dtype is the type of the elements, '
            'x.astype(dtype) converts them'
        )


def set_tensor(self, value):
    """Make this tensor a copy of another: its elements, shape and dtype.

    `stop_gradient` and the name stay.

    Args:
        value (Tensor): The other one.

    Returns:
        None.

    Raises:
        ValueError: value is not a tensor.

    Examples:
        >>> x = paddle.ones([2])
        >>> x.set_tensor(paddle.to_tensor([3, 4, 5]))
        >>> x.tolist(), x.dtype
        ([3, 4, 5], paddle.int64)
    """
    if not isinstance(value, Tensor):
        raise ValueError(f'[set_tensor] expected value to be a Tensor, got {type(value).__name__}')
    self.data = value.detach().clone()


def set_vocab(self, value):
    """Give the tensor a vocabulary, which `get_map_tensor` has.

    Args:
        value (dict): The numbers of words, {str: int}.

    Returns:
        None.

    Raises:
        TypeError: value is not such a dict.

    Examples:
        >>> x = paddle.zeros([1])
        >>> x.set_vocab({"one": 1, "two": 2})
        >>> x.get_map_tensor()["two"]
        2
    """
    if not isinstance(value, dict) or not all(
        isinstance(word, str) and isinstance(number, int) for word, number in value.items()
    ):
        raise TypeError(f'[set_vocab] expected value to be a dict of str to int, got {value!r}')
    self._vocab, self._strings = dict(value), None


def set_string_list(self, value):
    """Give the tensor texts, which make it a variable of strings to old programs.

    Args:
        value (list of strs): The texts.

    Returns:
        None.

    Raises:
        TypeError: value is not such a list.

    Examples:
        >>> x = paddle.zeros([1])
        >>> x.set_string_list(["one", "two"])
        >>> x.type == paddle.base.core.VarDesc.VarType.STRINGS
        True
    """
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise TypeError(f'[set_string_list] expected value to be a list of strs, got {value!r}')
    self._strings, self._vocab = list(value), None


def get_map_tensor(self):
    """The vocabulary that `set_vocab` gave the tensor.

    Returns:
        dict: the numbers of words, {str: int}.

    Raises:
        ValueError: The tensor has none.

    Examples:
        >>> x = paddle.zeros([1])
        >>> x.set_vocab({"one": 1})
        >>> x.get_map_tensor()
        {'one': 1}
    """
    words = getattr(self, '_vocab', None)
    if words is None:
        raise ValueError('[get_map_tensor] expected a tensor with a vocabulary, got one without')
    return dict(words)


def _block(self):
    """The block of the default main program.

    Examples:
        >>> paddle.ones([2]).block is not None
        True
    """
    import paddle

    return paddle.static.default_main_program().global_block()
