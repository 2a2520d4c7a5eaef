# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells, and the layers that run them over time."""

import math

import paddle
from paddle import _C_ops, _lazy
from paddle.base.arguments import instance
from paddle.base.documentation import shares
from paddle.base.framework import to_dtype
from paddle.tensor.manipulation import extents

from .. import functional as F
from ..initializer import Uniform
from .layers import Layer

__all__ = ["RNNCellBase", "SimpleRNNCell", "LSTMCell", "GRUCell", "RNN", "BiRNN"]


def map_structure(fn, *trees):
    """Apply fn to the leaves of equally nested lists, tuples and dicts."""
    tree = trees[0]
    if isinstance(tree, (list, tuple)):
        out = [map_structure(fn, *parts) for parts in zip(*trees)]
        return type(tree)(*out) if hasattr(tree, "_fields") else type(tree)(out)
    if isinstance(tree, dict):
        return {k: map_structure(fn, *(t[k] for t in trees)) for k in tree}
    return fn(*trees)


def flatten(tree):
    """The leaves of nested lists, tuples and dicts."""
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in flatten(part)]
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in flatten(part)]
    return [tree]


def _is_shape(tree):
    return isinstance(tree, (list, tuple)) and all(isinstance(d, int) for d in tree)


class RNNCellBase(Layer):
    """Base of cells: `forward(inputs, states)` gives (outputs, new states).

    Args:
        name_scope (str, default None): The prefix of names of parameters; None for the name of the
            class.
        dtype (str or dtype, default 'float32'): The dtype of the parameters.

    Examples:
        >>> class Sum(paddle.nn.RNNCellBase):
        ...     def forward(self, inputs, states):
        ...         states = states + inputs
        ...         return states, states
        ...     @property
        ...     def state_shape(self):
        ...         return [1]
        >>> layer = paddle.nn.RNN(Sum())
        >>> layer(paddle.ones([1, 3, 1]))[0].flatten().tolist()
        [1.0, 2.0, 3.0]
    """

    def get_initial_states(
        self, batch_ref, shape=None, dtype=None, init_value=0.0, batch_dim_idx=0
    ):
        """States of `shape` (the cell's own by default) filled with init_value; the batch size is
        batch_ref's.
        """
        shape = self.state_shape if shape is None else shape
        dtype = to_dtype(paddle.get_default_dtype() if dtype is None else dtype)
        batch = extents(flatten(batch_ref)[0])[batch_dim_idx]

        def build(tree):
            if _is_shape(tree):
                dims = list(tree)
                if not dims or dims[0] != -1:
                    dims = [-1, *dims]
                return _C_ops.full([batch if d == -1 else d for d in dims], init_value, dtype)
            if isinstance(tree, dict):
                return {k: build(v) for k, v in tree.items()}
            return type(tree)(build(v) for v in tree)

        return build(shape)

    @property
    def state_shape(self):
        """Shapes of the states without the batch dimension."""
        raise NotImplementedError(
            f"[{type(self).__name__}.state_shape] expected a subclass to define it, got none"
        )

    @property
    def state_dtype(self):
        """Dtypes of the states."""
        raise NotImplementedError(
            f"[{type(self).__name__}.state_dtype] expected a subclass to define it, got none"
        )

    def _make_weights(self, gates, input_size, recurrent_size, hidden_size, attrs):
        if hidden_size <= 0:
            raise ValueError(
                f"[{type(self).__name__}] expected a positive hidden_size, got {hidden_size}"
            )
        bound = 1.0 / math.sqrt(hidden_size)
        self._bound = bound
        rows = gates * hidden_size
        weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr = attrs
        self.weight_ih = self._weight([rows, input_size], weight_ih_attr, False)
        self.weight_hh = self._weight([rows, recurrent_size], weight_hh_attr, False)
        self.bias_ih = self._weight([rows], bias_ih_attr, True)
        self.bias_hh = self._weight([rows], bias_hh_attr, True)

    def _weight(self, shape, attr, is_bias):
        """A trained parameter, or a constant one (ones for weights, zeros for biases) if attr is
        False.
        """
        if attr is False:
            from ..initializer import Constant

            param = self.create_parameter(
                shape, None, is_bias=is_bias, default_initializer=Constant(0.0 if is_bias else 1.0)
            )
            param.stop_gradient = True
            return param
        return self.create_parameter(
            shape, attr, is_bias=is_bias, default_initializer=Uniform(-self._bound, self._bound)
        )

    def _input_gates(self, inputs):
        gates = _C_ops.matmul(inputs, self.weight_ih, False, True)
        return gates if self.bias_ih is None else gates + self.bias_ih

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}"


class SimpleRNNCell(RNNCellBase):
    """h' = act(W_ih x + b_ih + W_hh h + b_hh); returns (h', h').

    Args:
        input_size (int): How many features the input has.
        hidden_size (int): How many features the state has.
        activation (str, default 'tanh'): `tanh` or `relu`.
        weight_ih_attr (ParamAttr, default None): How the weight of the input is made.
        weight_hh_attr (ParamAttr, default None): How the weight of the state is made.
        bias_ih_attr (ParamAttr or bool, default None): How the bias of the input is made; False for
            none.
        bias_hh_attr (ParamAttr or bool, default None): How the bias of the state is made; False for
            none.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> out, state = paddle.nn.SimpleRNNCell(4, 8)(paddle.ones([3, 4]))
        >>> out.shape, state.shape
        (paddle.Size([3, 8]), paddle.Size([3, 8]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        activation="tanh",
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self._make_weights(
            1,
            input_size,
            hidden_size,
            hidden_size,
            (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr),
        )
        if activation not in ("tanh", "relu"):
            raise ValueError(
                f"[SimpleRNNCell] expected activation 'tanh' or 'relu', got {activation!r}"
            )
        self.activation = activation

    def forward(self, inputs, states=None):
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        gates = self._input_gates(inputs)
        h = _C_ops._simple_rnn_cell(gates, states, self.weight_hh, self.bias_hh, self.activation)
        return h, h

    @property
    def state_shape(self):
        return (self.hidden_size,)

    def extra_repr(self):
        text = super().extra_repr()
        return text if self.activation == "tanh" else text + f", activation={self.activation}"


@shares(SimpleRNNCell)
class LSTMCell(RNNCellBase):
    """Long short-term memory: gates i, f, g, o; returns (h', (h', c')).

    Args:
        {input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr}
        proj_size (int, default 0): How many features the state is projected to; 0 for no
            projection.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Hochreiter and Schmidhuber, Long short-term memory, 1997

    Examples:
        >>> out, (state, cell) = paddle.nn.LSTMCell(4, 8)(paddle.ones([3, 4]))
        >>> out.shape, cell.shape
        (paddle.Size([3, 8]), paddle.Size([3, 8]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        proj_size=0,
        name=None,
    ):
        super().__init__()
        if proj_size < 0:
            raise ValueError(f"[LSTMCell] expected proj_size of at least 0, got {proj_size}")
        if proj_size >= hidden_size and hidden_size > 0:
            raise ValueError(
                f"[LSTMCell] expected proj_size below hidden_size, got {proj_size} and "
                f"{hidden_size}"
            )
        self._make_weights(
            4,
            input_size,
            proj_size or hidden_size,
            hidden_size,
            (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr),
        )
        if proj_size > 0:
            self.weight_ho = self._weight(
                [hidden_size, proj_size], None if weight_hh_attr is False else weight_hh_attr, False
            )
        self.proj_size = proj_size
        self.hidden_size = hidden_size
        self.input_size = input_size

    def forward(self, inputs, states=None):
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        h, c = states
        h, c = _C_ops._lstm_cell(self._input_gates(inputs), h, c, self.weight_hh, self.bias_hh)
        if self.proj_size > 0:
            h = _C_ops.matmul(h, self.weight_ho, False, False)
        return h, (h, c)

    @property
    def state_shape(self):
        return (((self.proj_size or self.hidden_size),), (self.hidden_size,))


@shares(SimpleRNNCell)
class GRUCell(RNNCellBase):
    """Gated recurrent unit: h' = z * h + (1 - z) * tanh(W x + b + r * (U h + d)); returns (h', h').

    Args:
        {input_size, hidden_size, weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr, name}

    Source: Cho et al., Learning phrase representations using RNN encoder-decoder, 2014

    Examples:
        >>> out, state = paddle.nn.GRUCell(4, 8)(paddle.ones([3, 4]))
        >>> out.shape, state.shape
        (paddle.Size([3, 8]), paddle.Size([3, 8]))
    """

    def __init__(
        self,
        input_size,
        hidden_size,
        weight_ih_attr=None,
        weight_hh_attr=None,
        bias_ih_attr=None,
        bias_hh_attr=None,
        name=None,
    ):
        super().__init__()
        self._make_weights(
            3,
            input_size,
            hidden_size,
            hidden_size,
            (weight_ih_attr, weight_hh_attr, bias_ih_attr, bias_hh_attr),
        )
        self.hidden_size = hidden_size
        self.input_size = input_size

    def forward(self, inputs, states=None):
        if states is None:
            states = self.get_initial_states(inputs, self.state_shape)
        h = _C_ops._gru_cell(self._input_gates(inputs), states, self.weight_hh, self.bias_hh)
        return h, h

    @property
    def state_shape(self):
        return (self.hidden_size,)


def run_cell(
    cell,
    inputs,
    initial_states=None,
    sequence_length=None,
    time_major=False,
    is_reverse=False,
    *,
    zero_padding=False,
    **kwargs,
):
    """Run `cell` over time; after each sequence's length states stop changing, and outputs are 0 if
    zero_padding.
    """
    axis = 0 if time_major else 1
    if initial_states is None:
        initial_states = cell.get_initial_states(inputs, cell.state_shape, batch_dim_idx=1 - axis)
    steps = flatten(inputs)[0].shape[axis]
    slices = map_structure(lambda t: paddle.unbind(t, axis), inputs)
    states = initial_states
    outputs = [None] * steps
    order = range(steps - 1, -1, -1) if is_reverse else range(steps)
    mask = None
    if sequence_length is not None:
        mask = F.sequence_mask(sequence_length, steps, flatten(states)[0].dtype)
    for t in order:
        step = (
            slices[t]
            if not isinstance(inputs, (list, tuple, dict))
            else map_structure(lambda s: s[t], slices)
        )
        out, new_states = cell(step, states, **kwargs)
        if mask is not None:
            keep = mask[:, t]

            def select(new, old):
                m = paddle.reshape(keep, [-1] + [1] * (len(new.shape) - 1))
                return new * m + old * (1.0 - m)

            new_states = map_structure(select, new_states, states)
            if zero_padding:
                out = map_structure(
                    lambda o: o * paddle.reshape(keep, [-1] + [1] * (len(o.shape) - 1)), out
                )
        outputs[t] = out
        states = new_states
    return map_structure(lambda *parts: paddle.stack(list(parts), axis=axis), *outputs), states


def birnn(cell_fw, cell_bw, inputs, initial_states, sequence_length, time_major, **kwargs):
    """Run one cell forwards and one backwards; outputs are joined along the last axis."""
    if initial_states is None:
        axis = 1 if time_major else 0
        initial_states = tuple(
            c.get_initial_states(inputs, c.state_shape, batch_dim_idx=axis)
            for c in (cell_fw, cell_bw)
        )
    out_fw, state_fw = run_cell(
        cell_fw, inputs, initial_states[0], sequence_length, time_major, False, **kwargs
    )
    out_bw, state_bw = run_cell(
        cell_bw, inputs, initial_states[1], sequence_length, time_major, True, **kwargs
    )
    outputs = map_structure(lambda a, b: paddle.concat([a, b], -1), out_fw, out_bw)
    return outputs, (state_fw, state_bw)


class RNN(Layer):
    """Runs a cell over the time axis of inputs [batch, time, ...] (or [time, batch, ...] if
    time_major).

    Args:
        cell (RNNCellBase): What is called in each step.
        is_reverse (bool, default False): Whether it runs from the last step to the first.
        time_major (bool, default False): Whether time is the first axis, else the batch.

    Examples:
        >>> layer = paddle.nn.RNN(paddle.nn.GRUCell(4, 8))
        >>> out, state = layer(paddle.ones([3, 5, 4]))
        >>> out.shape, state.shape
        (paddle.Size([3, 5, 8]), paddle.Size([3, 8]))
    """

    def __init__(self, cell, is_reverse=False, time_major=False):
        super().__init__()
        self.cell = cell
        self.is_reverse = is_reverse
        self.time_major = time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        return run_cell(
            self.cell,
            inputs,
            initial_states,
            sequence_length,
            self.time_major,
            self.is_reverse,
            **kwargs,
        )


class BiRNN(Layer):
    """Runs one cell forwards and one backwards over time.

    Args:
        cell_fw (RNNCellBase): The cell that runs forwards.
        cell_bw (RNNCellBase): The cell that runs backwards.
        time_major (bool, default False): Whether time is the first axis, else the batch.

    Examples:
        >>> layer = paddle.nn.BiRNN(paddle.nn.GRUCell(4, 8), paddle.nn.GRUCell(4, 8))
        >>> out, states = layer(paddle.ones([3, 5, 4]))
        >>> out.shape, len(states)
        (paddle.Size([3, 5, 16]), 2)
    """

    def __init__(self, cell_fw, cell_bw, time_major=False):
        super().__init__()
        for name, cell in (("cell_fw", cell_fw), ("cell_bw", cell_bw)):
            instance("BiRNN", name, cell, Layer, "a cell")
        self.cell_fw = cell_fw
        self.cell_bw = cell_bw
        if cell_fw.input_size != cell_bw.input_size:
            raise ValueError(
                f"[BiRNN] expected cells of one input_size, got {cell_fw.input_size} and "
                f"{cell_bw.input_size}"
            )
        self.time_major = time_major

    def forward(self, inputs, initial_states=None, sequence_length=None, **kwargs):
        if isinstance(initial_states, (list, tuple)) and len(initial_states) != 2:
            raise AssertionError(
                "[BiRNN] expected two initial states, one for each direction, got "
                f"{len(initial_states)}"
            )
        return birnn(
            self.cell_fw,
            self.cell_bw,
            inputs,
            initial_states,
            sequence_length,
            self.time_major,
            **kwargs,
        )


_lazy.serve(globals())
