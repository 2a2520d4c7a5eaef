# SPDX-License-Identifier: Apache-2.0
"""Decoding step by step: beam search over a recurrent cell."""

import collections

import paddle
from paddle.base.arguments import integer
from paddle.base.framework import Tensor

from . import functional as F
from .layer.rnn import flatten, map_structure

__all__ = ["BeamSearchDecoder", "dynamic_decode"]

_MINUS_INF = 1e9


class Decoder:
    """Base of decoders used by `dynamic_decode`."""

    def initialize(self, inits):
        """(initial inputs, initial states, finished) for the first step."""
        raise NotImplementedError

    def step(self, time, inputs, states, **kwargs):
        """(outputs, next states, next inputs, finished) of one step."""
        raise NotImplementedError

    def finalize(self, outputs, final_states, sequence_lengths):
        """(outputs, states) after the last step."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        """Whether `step` itself says what is finished, so that finished must not be accumulated."""
        return False


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_size` best continuations of each batch entry of a cell's output distribution.

    Args:
        cell (RNNCellBase): What is called in each step.
        start_token (int): The first id of all sequences.
        end_token (int): The id that ends a sequence.
        beam_size (int): How many continuations are kept.
        embedding_fn (callable, default None): From ids to inputs of the cell; None for the ids.
        output_fn (callable, default None): From outputs of the cell to scores of the ids; None for
            the outputs.

    Examples:
        >>> cell = paddle.nn.GRUCell(4, 4)
        >>> embed, scores = paddle.nn.Embedding(6, 4), paddle.nn.Linear(4, 6)
        >>> decoder = paddle.nn.BeamSearchDecoder(
        ...     cell, 0, 1, beam_size=2, embedding_fn=embed, output_fn=scores
        ... )
        >>> out, _ = paddle.nn.dynamic_decode(decoder, paddle.zeros([3, 4]), max_step_num=4)
        >>> out.shape[0], out.shape[2]
        (3, 2)
    """

    OutputWrapper = collections.namedtuple(
        "OutputWrapper", ("scores", "predicted_ids", "parent_ids")
    )
    StateWrapper = collections.namedtuple(
        "StateWrapper", ("cell_states", "log_probs", "finished", "lengths")
    )

    def __init__(self, cell, start_token, end_token, beam_size, embedding_fn=None, output_fn=None):
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.beam_size, self.start_token, self.end_token = beam_size, start_token, end_token

    @staticmethod
    def tile_beam_merge_with_batch(x, beam_size):
        """[batch, ...] -> [batch * beam_size, ...], each row repeated."""
        return paddle.repeat_interleave(x, beam_size, 0)

    def _split(self, x):
        return paddle.reshape(x, [-1, self.beam_size, *x.shape[1:]])

    def _merge(self, x):
        return paddle.reshape(x, [-1, *x.shape[2:]])

    def _expand(self, x):
        return self._split(self.tile_beam_merge_with_batch(x, self.beam_size))

    def _gather(self, x, indices):
        shape = list(indices.shape) + list(x.shape[2:])
        index = paddle.reshape(indices, list(indices.shape) + [1] * (x.ndim - 2))
        return paddle.take_along_axis(x, paddle.expand(index, shape), 1, broadcast=False)

    def initialize(self, initial_cell_states):
        """Start tokens, states with the first beam alive, nothing finished."""
        first = flatten(initial_cell_states)[0]
        batch = first.shape[0]
        states = map_structure(self._expand, initial_cell_states)
        ids = paddle.full([batch, self.beam_size], self.start_token, dtype="int64")
        row = [0.0] + [-_MINUS_INF] * (self.beam_size - 1)
        log_probs = paddle.tile(paddle.to_tensor([row], dtype=first.dtype), [batch, 1])
        finished = paddle.full([batch, self.beam_size], False, dtype="bool")
        lengths = paddle.full([batch, self.beam_size], 0, dtype="int64")
        inputs = self.embedding_fn(ids) if self.embedding_fn is not None else ids
        return inputs, self.StateWrapper(states, log_probs, finished, lengths), finished

    def _search(self, time, logits, next_cell_states, states):
        vocab = logits.shape[-1]
        step = paddle.log(F.softmax(logits))
        only_end = paddle.full([vocab], -_MINUS_INF, dtype=step.dtype)
        end = F.one_hot(paddle.to_tensor([self.end_token]), vocab).astype(step.dtype)
        only_end = only_end * (1.0 - end[0])
        done = paddle.unsqueeze(states.finished.astype(step.dtype), -1)
        step = step * (1.0 - done) + only_end * done
        total = step + paddle.unsqueeze(states.log_probs, -1)
        scores, index = paddle.topk(paddle.reshape(total, [total.shape[0], -1]), self.beam_size)
        parents = index // vocab
        tokens = index % vocab
        cell_states = map_structure(lambda s: self._gather(s, parents), next_cell_states)
        finished = self._gather(states.finished.astype("int64"), parents).astype("bool")
        lengths = self._gather(states.lengths, parents) + (1 - finished.astype("int64"))
        finished = paddle.logical_or(finished, tokens == self.end_token)
        return (
            self.OutputWrapper(scores, tokens, parents),
            self.StateWrapper(cell_states, scores, finished, lengths),
        )

    def step(self, time, inputs, states, **kwargs):
        """One step of the cell, and the choice of the best beams."""
        merged = map_structure(self._merge, inputs)
        out, next_states = self.cell(
            merged, map_structure(self._merge, states.cell_states), **kwargs
        )
        out = map_structure(self._split, out)
        next_states = map_structure(self._split, next_states)
        if self.output_fn is not None:
            out = self.output_fn(out)
        outputs, states = self._search(time, out, next_states, states)
        ids = outputs.predicted_ids
        return (
            outputs,
            states,
            self.embedding_fn(ids) if self.embedding_fn is not None else ids,
            states.finished,
        )

    def finalize(self, outputs, final_states, sequence_lengths):
        """Token sequences [time, batch, beam] read back along the parents."""
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states

    @property
    def tracks_own_finished(self):
        """True: beams are reordered, so finished comes with the states."""
        return True


def dynamic_decode(
    decoder,
    inits=None,
    max_step_num=None,
    output_time_major=False,
    impute_finished=False,
    is_test=False,
    return_length=False,
    **kwargs,
):
    """Call decoder.step until all is finished or after max_step_num + 1 steps.

    Args:
        decoder (BeamSearchDecoder): What is called.
        inits (object, default None): The first states of its cell.
        max_step_num (int, default None): The last step; None for as many as it takes.
        output_time_major (bool, default False): Whether time is the first axis of outputs, else the
            batch.
        impute_finished (bool, default False): Whether finished entries keep their states.
        is_test (bool, default False): Taken for compatibility; it has no effect.
        return_length (bool, default False): Whether the lengths are returned too.
        **kwargs (object): Given to each step.

    Returns:
        tuple: (outputs, final states), and the lengths with return_length.

    Raises:
        TypeError: max_step_num is no integer.

    Examples:
        >>> cell = paddle.nn.GRUCell(4, 6)
        >>> embed = paddle.nn.Embedding(6, 4)
        >>> decoder = paddle.nn.BeamSearchDecoder(cell, 0, 1, beam_size=2, embedding_fn=embed)
        >>> decoded = paddle.nn.dynamic_decode(
        ...     decoder, paddle.zeros([3, 6]), max_step_num=4, return_length=True
        ... )
        >>> len(decoded), decoded[2].shape
        (3, paddle.Size([3, 2]))
    """
    if max_step_num is not None:
        max_step_num = integer('dynamic_decode', 'max_step_num', max_step_num)
    inputs, states, finished = decoder.initialize(inits)
    lengths = paddle.zeros_like(finished.astype("int64"))
    steps, time = [], 0
    while not bool(paddle.all(finished)):
        outputs, next_states, inputs, next_finished = decoder.step(
            paddle.full([1], time, dtype="int64"), inputs, states, **kwargs
        )
        if not decoder.tracks_own_finished:
            next_finished = paddle.logical_or(next_finished, finished)
            lengths = lengths + (1 - finished.astype("int64"))
            if impute_finished:
                keep = finished

                def select(new, old):
                    if not isinstance(new, Tensor):
                        return new
                    mask = paddle.reshape(keep, list(keep.shape) + [1] * (new.ndim - keep.ndim))
                    return paddle.where(paddle.expand(mask, new.shape), old, new)

                next_states = map_structure(select, next_states, states)
        else:
            lengths = next_states.lengths if hasattr(next_states, "lengths") else lengths
        steps.append(outputs)
        states, finished = next_states, next_finished
        time += 1
        if max_step_num is not None and time > max_step_num:
            break
    outputs = map_structure(lambda *parts: paddle.stack(list(parts), axis=0), *steps)
    try:
        outputs, states = decoder.finalize(outputs, states, lengths)
    except NotImplementedError:
        pass
    if not output_time_major:
        outputs = map_structure(lambda t: paddle.transpose(t, [1, 0, *range(2, t.ndim)]), outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)
