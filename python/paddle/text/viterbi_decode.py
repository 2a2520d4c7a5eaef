# SPDX-License-Identifier: Apache-2.0
"""The most likely path through tags."""

from paddle import _C_ops, nn

__all__ = ['viterbi_decode', 'ViterbiDecoder']


def viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag=True, name=None):
    """The most likely path through tags for each sequence.

    Args:
        potentials (Tensor): The score of each tag at each place, of shape [batch, length, tags],
            float32 or float64.
        transition_params (Tensor): The score of a tag behind another, of shape [tags, tags].
        lengths (Tensor): The length of each sequence, int64 of shape [batch].
        include_bos_eos_tag (bool, default True): Whether the last tag but one begins each path, and
            the last ends it.
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        tuple: the score of each path, a Tensor of shape [batch], and its tags, int64 of shape
            [batch, longest length].

    Source: Viterbi, Error bounds for convolutional codes (1967).

    Examples:
        >>> scores = paddle.to_tensor([[[1.0, 0.0], [0.0, 2.0], [0.0, 1.0]]])
        >>> change = paddle.to_tensor([[0.0, -3.0], [0.0, 0.0]])
        >>> lengths = paddle.to_tensor([3])
        >>> best, path = paddle.text.viterbi_decode(scores, change, lengths, False)
        >>> best.tolist(), path.tolist()
        ([3.0], [[1, 1, 1]])
    """
    return _C_ops.viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag)


class ViterbiDecoder(nn.Layer):
    """`viterbi_decode` as a layer with fixed transitions; a call takes potentials and lengths.

    Args:
        transitions (Tensor): The score of a tag behind another, of shape [tags, tags].
        include_bos_eos_tag (bool, default True): Whether the last tag but one begins each path, and
            the last ends it.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> decoder = paddle.text.ViterbiDecoder(paddle.zeros([2, 2]), include_bos_eos_tag=False)
        >>> scores = paddle.to_tensor([[[1.0, 0.0], [0.0, 2.0]]])
        >>> best, path = decoder(scores, paddle.to_tensor([2]))
        >>> best.tolist(), path.tolist()
        ([3.0], [[0, 1]])
    """

    def __init__(self, transitions, include_bos_eos_tag=True, name=None):
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag
        self.name = name

    def forward(self, potentials, lengths):
        return viterbi_decode(
            potentials, self.transitions, lengths, self.include_bos_eos_tag, self.name
        )
