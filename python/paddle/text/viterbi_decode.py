# SPDX-License-Identifier: Apache-2.0
"""The most likely path through tags."""

from paddle import _C_ops, nn

__all__ = ['viterbi_decode', 'ViterbiDecoder']


def viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag=True, name=None):
    """Scores [B] and tags [B, longest length] of the best paths.

    `potentials` [B, T, tags], `transition_params` [tags, tags], `lengths` [B]. With
    `include_bos_eos_tag` the last tag but one starts a path and the last ends it.
    """
    return _C_ops.viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag)


class ViterbiDecoder(nn.Layer):
    """`viterbi_decode` with fixed transitions."""

    def __init__(self, transitions, include_bos_eos_tag=True, name=None):
        super().__init__()
        self.transitions = transitions
        self.include_bos_eos_tag = include_bos_eos_tag
        self.name = name

    def forward(self, potentials, lengths):
        return viterbi_decode(
            potentials, self.transitions, lengths, self.include_bos_eos_tag, self.name
        )
