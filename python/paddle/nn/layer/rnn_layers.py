# SPDX-License-Identifier: Apache-2.0
"""SimpleRNN, LSTM and GRU: stacks of cells that run as one op."""

import paddle
from paddle import _C_ops
from paddle.base.arguments import layer_count
from paddle.base.documentation import shares

from .. import functional as F
from .container import LayerList
from .rnn import RNN, BiRNN, GRUCell, LSTMCell, SimpleRNNCell, birnn, run_cell

__all__ = ["SimpleRNN", "LSTM", "GRU"]


class RNNBase(LayerList):
    """Layers of one or two directions whose weights are also visible as weight_ih_l0,
    weight_ih_l0_reverse, ...
    """

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        proj_size=0,
    ):
        super().__init__()
        both = direction in ("bidirect", "bidirectional")
        if not both and direction != "forward":
            raise ValueError(
                f"[{mode}] expected direction 'forward', 'bidirect' or 'bidirectional', got "
                f"{direction!r}"
            )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.dropout = dropout
        self.num_directions = 2 if both else 1
        self.time_major = time_major
        self.num_layers = num_layers
        self.state_components = 2 if mode == "LSTM" else 1
        self.proj_size = proj_size
        attrs = {
            "weight_ih_attr": weight_ih_attr,
            "weight_hh_attr": weight_hh_attr,
            "bias_ih_attr": bias_ih_attr,
            "bias_hh_attr": bias_hh_attr,
        }

        def cell(size):
            if mode == "LSTM":
                return LSTMCell(size, hidden_size, proj_size=proj_size, **attrs)
            if mode == "GRU":
                return GRUCell(size, hidden_size, **attrs)
            return SimpleRNNCell(
                size, hidden_size, "relu" if mode == "RNN_RELU" else "tanh", **attrs
            )

        size = input_size
        for _ in range(layer_count(mode, 'num_layers', num_layers)):
            self.append(
                BiRNN(cell(size), cell(size), time_major)
                if both
                else RNN(cell(size), False, time_major)
            )
            size = self.num_directions * (proj_size or hidden_size)
        self._all_weights = []
        for i, layer in enumerate(self):
            cells = (
                [(layer.cell_fw, ""), (layer.cell_bw, "_reverse")] if both else [(layer.cell, "")]
            )
            for c, suffix in cells:
                for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    self.add_parameter(f"{name}_l{i}{suffix}", getattr(c, name))
                    self._all_weights.append(f"{name}_l{i}{suffix}")
        self.could_use_cudnn = proj_size == 0

    def flatten_parameters(self):
        """Nothing to do here: weights need not lie next to each other."""

    def _cells(self):
        for layer in self:
            yield from (
                (layer.cell_fw, layer.cell_bw) if self.num_directions == 2 else (layer.cell,)
            )

    def _initial(self, inputs):
        rows = self.num_layers * self.num_directions
        sizes = [self.proj_size or self.hidden_size]
        if self.state_components == 2:
            sizes.append(self.hidden_size)
        axis = 1 if self.time_major else 0
        return [
            _C_ops.full_batch_size_like(inputs, [rows, -1, n], inputs.dtype, 0.0, axis, 1)
            for n in sizes
        ]

    def forward(self, inputs, initial_states=None, sequence_length=None):
        """Returns (outputs, final states); states are [layers * directions, batch, hidden], a pair
        for LSTM.
        """
        if inputs.ndim != 3:
            raise ValueError(
                f"[{type(self).__name__}] expected inputs of 3 axes, got shape {list(inputs.shape)}"
            )
        if initial_states is None:
            states = self._initial(inputs)
        else:
            states = (
                list(initial_states)
                if isinstance(initial_states, (list, tuple))
                else [initial_states]
            )
        if self.proj_size == 0 and self.weight_ih_l0.dtype in (paddle.float32, paddle.float64):
            return self._run_op(inputs, states, sequence_length)
        return self._run_cells(inputs, states, sequence_length)

    def _run_op(self, inputs, states, sequence_length):
        x = inputs if self.time_major else _C_ops.transpose(inputs, [1, 0, 2])
        cells = list(self._cells())
        weights = [w for c in cells for w in (c.weight_ih, c.weight_hh)]
        weights += [b for c in cells for b in (c.bias_ih, c.bias_hh)]
        unused = paddle.empty([], dtype="uint8")
        out, _, finals = _C_ops.rnn(
            x,
            states,
            weights,
            sequence_length,
            unused,
            float(self.dropout),
            self.num_directions == 2,
            self.input_size,
            self.hidden_size,
            self.num_layers,
            self.mode,
            0,
            not self.training,
        )
        out = out if self.time_major else _C_ops.transpose(out, [1, 0, 2])
        return out, tuple(finals) if len(finals) > 1 else finals[0]

    def _run_cells(self, inputs, states, sequence_length):
        parts = [paddle.unbind(s, 0) for s in states]
        finals = [[] for _ in states]
        pick = (lambda k: tuple(p[k] for p in parts)) if len(parts) > 1 else (lambda k: parts[0][k])
        out = inputs
        for i, layer in enumerate(self):
            if i > 0 and self.dropout > 0.0:
                out = F.dropout(out, self.dropout, training=self.training, mode="upscale_in_train")
            if self.num_directions == 2:
                out, ends = birnn(
                    layer.cell_fw,
                    layer.cell_bw,
                    out,
                    (pick(2 * i), pick(2 * i + 1)),
                    sequence_length,
                    self.time_major,
                    zero_padding=True,
                )
            else:
                out, end = run_cell(
                    layer.cell,
                    out,
                    pick(i),
                    sequence_length,
                    self.time_major,
                    False,
                    zero_padding=True,
                )
                ends = (end,)
            for end in ends:
                for slot, part in zip(finals, end if len(parts) > 1 else (end,)):
                    slot.append(part)
        joined = [paddle.stack(f, axis=0) for f in finals]
        return out, tuple(joined) if len(joined) > 1 else joined[0]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.time_major is not False:
            text += f", time_major={self.time_major}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        return text


@shares(SimpleRNNCell)
class SimpleRNN(RNNBase):
    """Multi-layer Elman network with tanh or relu.

    Args:
        {input_size, hidden_size}
        num_layers (int, default 1): How many layers follow one another.
        direction (str, default 'forward'): `forward` or `bidirect`.
        time_major (bool, default False): Whether time is the first axis, else the batch.
        dropout (float, default 0.0): The dropout between layers.
        {activation, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr, name}

    Source: Elman, Finding structure in time, 1990

    Examples:
        >>> out, state = paddle.nn.SimpleRNN(4, 8)(paddle.ones([3, 5, 4]))
        >>> out.shape, state.shape
        (paddle.Size([3, 5, 8]), paddle.Size([1, 3, 8]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        activation="tanh",
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        if activation not in ("tanh", "relu"):
            raise ValueError(
                f"[SimpleRNN] expected activation 'tanh' or 'relu', got {activation!r}"
            )
        mode = "RNN_TANH" if activation == "tanh" else "RNN_RELU"
        super().__init__(
            mode,
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
        )
        self.activation = activation


@shares(LSTMCell, SimpleRNN)
class LSTM(RNNBase):
    """Multi-layer long short-term memory.

    Args:
        {input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr}
        {weight_hh_attr, bias_ih_attr, bias_hh_attr, proj_size, name}

    Source: Hochreiter and Schmidhuber, Long short-term memory, 1997

    Examples:
        >>> layer = paddle.nn.LSTM(4, 8, direction="bidirect")
        >>> out, (state, cell) = layer(paddle.ones([3, 5, 4]))
        >>> out.shape, state.shape, cell.shape
        (paddle.Size([3, 5, 16]), paddle.Size([2, 3, 8]), paddle.Size([2, 3, 8]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        proj_size=0,
        name=None,
    ):
        super().__init__(
            "LSTM",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
            proj_size,
        )


@shares(SimpleRNN)
class GRU(RNNBase):
    """Multi-layer gated recurrent network.

    Args:
        {input_size, hidden_size, num_layers, direction, time_major, dropout, weight_ih_attr}
        {weight_hh_attr, bias_ih_attr, bias_hh_attr, name}

    Source: Cho et al., Learning phrase representations using RNN encoder-decoder, 2014

    Examples:
        >>> layer = paddle.nn.GRU(4, 8, num_layers=2)
        >>> out, state = layer(paddle.ones([3, 5, 4]))
        >>> out.shape, state.shape
        (paddle.Size([3, 5, 8]), paddle.Size([2, 3, 8]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        num_layers=1,
        direction="forward",
        time_major=False,
        dropout=0.0,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        super().__init__(
            "GRU",
            input_size,
            hidden_size,
            num_layers,
            direction,
            time_major,
            dropout,
            weight_ih_attr,
            weight_hh_attr,
            bias_ih_attr,
            bias_hh_attr,
        )
