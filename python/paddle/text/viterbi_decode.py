# SPDX-License-Identifier: Apache-2.0
"""The most likely path through tags."""

import numpy as np

import paddle
from paddle import nn
from paddle.base.libpaddle import expect_tensors

__all__ = ['viterbi_decode', 'ViterbiDecoder']


def viterbi_decode(potentials, transition_params, lengths, include_bos_eos_tag=True, name=None):
    """Scores [B] and tags [B, longest length] of the best paths.

    `potentials` [B, T, tags], `transition_params` [tags, tags], `lengths` [B]. With
    `include_bos_eos_tag` the last tag but one starts a path and the last ends it.
    """
    expect_tensors(
        'viterbi_decode',
        potentials=potentials,
        transition_params=transition_params,
        lengths=lengths,
    )
    scores, moves = potentials.numpy(), transition_params.numpy()
    sizes = lengths.numpy().reshape(-1).astype(int)
    batch, _, tags = scores.shape
    longest = int(sizes.max()) if batch else 0
    best = scores[:, 0].astype(scores.dtype)
    if include_bos_eos_tag:
        best = best + moves[-1][None]
        best = best + np.where((sizes == 1)[:, None], moves[:, -2][None], 0)
    back = np.zeros([longest, batch, tags], 'int64')
    for t in range(1, longest):
        paths = best[:, :, None] + moves[None]
        back[t] = paths.argmax(1)
        new = paths.max(1) + scores[:, t]
        if include_bos_eos_tag:
            new = new + np.where((sizes == t + 1)[:, None], moves[:, -2][None], 0)
        best = np.where((sizes > t)[:, None], new, best)
    out = np.zeros([batch, longest], 'int64')
    for b in range(batch):
        if sizes[b] <= 0:
            continue
        tag = int(best[b].argmax())
        for t in range(sizes[b] - 1, -1, -1):
            out[b, t] = tag
            tag = int(back[t, b, tag])
    return paddle.to_tensor(best.max(1).astype(scores.dtype)), paddle.to_tensor(out)


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
