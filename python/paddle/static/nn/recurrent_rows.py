# SPDX-License-Identifier: Apache-2.0
"""Steps of sequences that lie behind one another in rows, with their offsets: recurrences as old
programs have them. Sequences are put beside one another, step by step, and
a loop goes over the steps.
"""

import paddle
from paddle.static.nn.control_flow import while_region
from paddle.static.nn.sequence_lod import _owners, _rows


class Steps:
    """The rows of x [N, D], sequences with `offsets`, as steps [T, B, D] and back; `backwards`: the
    last row of each sequence is its first step.
    """

    def __init__(self, x, offsets, backwards=False):
        begin, end = offsets[:-1], offsets[1:]
        self.lengths = end - begin
        self.count = paddle.max(self.lengths)
        self.batch = paddle.shape(offsets)[0].astype('int64') - 1
        step = paddle.arange(self.count, dtype='int64').unsqueeze(1)
        row = (end - 1 - step) if backwards else (begin + step)
        row = paddle.clip(row, 0, None)
        row = paddle.minimum(row, paddle.shape(x)[0].astype('int64') - 1)
        self.given = paddle.gather(x, row.reshape([-1])).reshape(
            paddle.concat([self.count.reshape([1]), self.batch.reshape([1]), paddle.shape(x)[1:]])
            if x.shape[1] == -1
            else [self.count, self.batch, x.shape[1]]
        )
        rows = _rows(x)
        owner = _owners(offsets, rows)
        at = (
            paddle.gather(end, owner) - 1 - rows
            if backwards
            else rows - paddle.gather(begin, owner)
        )
        self.places = at * self.batch + owner

    def zeros(self, width, dtype):
        """A value of each sequence, zeros."""
        return paddle.zeros([self.batch, width], dtype)

    def outputs(self, width, dtype):
        """A value of each step of each sequence, zeros, in rows that `back` reads."""
        return paddle.zeros([self.count, self.batch * width], dtype)

    def put(self, outputs, step, value):
        """`outputs` with the values of a step."""
        return paddle.scatter(outputs, step.reshape([1]), value.reshape([1, -1]))

    def inside(self, step):
        """Which sequences have the step, [B, 1]."""
        return (self.lengths > step).unsqueeze(1)

    def back(self, outputs, width):
        """Rows as those of x."""
        return paddle.gather(outputs.reshape([-1, width]), self.places)

    def loop(self, body, *state):
        """What a loop over the steps makes of the state: body(step, *state) gives the next."""
        first = paddle.zeros([], 'int64')
        return while_region(
            lambda step, *_: step < self.count,
            lambda step, *now: [step + 1, *body(step, *now)],
            [first, *state],
        )[1:]


def gru_rows(x, offsets, weight, bias, h0, activation, gate_activation, backwards, origin_mode):
    """The hidden states of each row of the old operation `gru`."""
    from paddle._sequence_ops import gru_unit_whole

    size = weight.shape[0]
    if bias is not None:
        x = x + bias
    steps = Steps(x, offsets, backwards)
    hidden = steps.zeros(size, x.dtype) if h0 is None else h0

    def body(step, hidden, outputs):
        now = paddle.gather(steps.given, step.reshape([1])).reshape([-1, 3 * size])
        made = gru_unit_whole(now, hidden, weight, None, activation, gate_activation, origin_mode)[
            2
        ]
        hidden = paddle.where(steps.inside(step), made, hidden)
        return hidden, steps.put(outputs, step, hidden)

    _, outputs = steps.loop(body, hidden, steps.outputs(size, x.dtype))
    return steps.back(outputs, size)


def lstm_rows(x, offsets, weight, bias, first, activations, backwards, use_peepholes):
    """(hidden states, cells) of each row of the old operation `lstm`. `first` holds the states that
    sequences begin with, or Nones; `activations` those of gates, of cells and of candidates. Gates
    stand as candidate, input, forget, output.
    """
    from paddle._sequence_ops import _activation

    size = weight.shape[0]
    gate, of_cell, of_candidate = map(_activation, activations)
    bias = bias.reshape([-1])
    looks = [bias[k * size : (k + 1) * size] for k in (4, 5, 6)] if use_peepholes else None
    steps = Steps(x + bias[: 4 * size], offsets, backwards)
    hidden, cell = (steps.zeros(size, x.dtype) if s is None else s for s in first)

    def body(step, hidden, cell, outputs, cells):
        now = paddle.gather(steps.given, step.reshape([1])).reshape([-1, 4 * size])
        now = now + hidden @ weight
        candidate, enters, stays, leaves = (now[:, k * size : (k + 1) * size] for k in range(4))
        if looks:
            enters, stays = enters + cell * looks[0], stays + cell * looks[1]
        after = gate(stays) * cell + gate(enters) * of_candidate(candidate)
        leaves = leaves + after * looks[2] if looks else leaves
        inside = steps.inside(step)
        hidden = paddle.where(inside, gate(leaves) * of_cell(after), hidden)
        cell = paddle.where(inside, after, cell)
        return hidden, cell, steps.put(outputs, step, hidden), steps.put(cells, step, cell)

    made = steps.loop(
        body, hidden, cell, steps.outputs(size, x.dtype), steps.outputs(size, x.dtype)
    )
    return steps.back(made[2], size), steps.back(made[3], size)
