# SPDX-License-Identifier: Apache-2.0
"""What passes that quantise programs share: checks of their arguments, which operations they are
about, and rounding.
"""

import numpy as np

from paddle import _fake_quant, _quantized_ops
from paddle.base.arguments import any_of, integer
from paddle.base.ir_graph import IrGraph
from paddle.static.kept_scales import KEPT

from .graph_changes import Changes, floating, kind, maker
from .quant_config import SUPPORT_QUANTIZATION_OP_DICT

KIND, WITH, WITHOUT = 'quantization_type', 'qat_with_weight', 'qat_without_weight'
ENDS = ('.quantized', '.quantized.dequantized', '.quant_dequant', '@scale')
LEAST = 0.001  # a scale before training
TYPES = ('abs_max', 'channel_wise_abs_max', 'range_abs_max', 'moving_average_abs_max')


def operations_of(kinds):
    """Operations of programs, by the old names."""
    from paddle._legacy_ops import OPS

    from .post_training import _WEIGHTED

    found = set()
    for old in kinds:
        found.update(_WEIGHTED[old] if old in _WEIGHTED else (OPS.get(old, [old])[0].rstrip('_'),))
    return found


def kind_of(op):
    return kind(op).rstrip('_')


def checked_kinds(op, kinds, table):
    kinds = list(kinds)
    unknown = [one for one in kinds if one not in table]
    if unknown:
        raise AssertionError(
            f'[{op}] expected quantizable_op_type of {any_of(table)}, got {unknown}'
        )
    return kinds


def width(op, name, bits):
    bits = integer(op, name, bits)
    if not 2 <= bits <= 16:
        raise ValueError(f'[{op}] expected {name} from 2 to 16, got {bits}')
    return bits


def skipped(op, patterns):
    """Whether the user keeps an operation as it is: by the name of a scope, or an attribute."""
    if op.has_attr('skip_quant') and op.attrs()['skip_quant']:
        return True
    scope = op.str_attr('op_namescope') if op.has_attr('op_namescope') else ''
    patterns = [patterns] if isinstance(patterns, str) else patterns or ()
    return any(pattern in scope for pattern in patterns)


def linear(name, value, scale, bits, axis=-1):
    """{name: value} of a value in whole numbers, what they stand for, and the scale."""
    options = {'quant_axis': axis, 'bit_length': bits, 'qmax': _fake_quant._most(bits)}
    whole = _quantized_ops.quantize_linear(value, scale, **options)[0]
    back = _quantized_ops.dequantize_linear(whole, scale, **options)[0]
    first, second, _, last = ENDS
    return {name + first: whole, name + second: back, name + last: scale}


def channel_axis(op, value):
    """The axis of a weight with a place for each channel of the results."""
    from .post_training import _WEIGHTED

    if kind_of(op) == 'conv2d_transpose':
        return 1
    if kind_of(op) not in _WEIGHTED['mul']:
        return 0
    attrs = op.attrs()
    return 0 if attrs.get('transpose_y') or attrs.get('transpose_weight') else value.ndim - 1


class GraphPass:
    """A change of the program of a graph. `_change` of a pass makes it."""

    _needs_place = True

    def _prepare(self, scope, place):
        from paddle.base import libpaddle as _core
        from paddle.static.scope import Scope

        self._op = type(self).__name__
        if scope is not None and not isinstance(scope, Scope):
            raise TypeError(
                f'[{self._op}] expected a paddle.static.Scope as scope, got {type(scope).__name__}'
            )
        self._scope = scope
        self._place = None if place is None else _core.to_place(place)

    def _required(self):
        if self._scope is None:
            raise AssertionError(f'[{self._op}] expected a scope, got None')
        if self._needs_place and self._place is None:
            raise AssertionError(f'[{self._op}] expected a place, got None')

    def apply(self, graph):
        """Change the program of an `IrGraph`, which is returned.

        Args:
            graph (IrGraph): The graph.

        Returns:
            IrGraph: the same graph.

        Raises:
            AssertionError: graph is none, or the pass has no scope or place.
        """
        if not isinstance(graph, IrGraph):
            raise AssertionError(
                f'[{self._op}] expected graph to be an IrGraph, got {type(graph).__name__}'
            )
        self._required()
        test = getattr(self, '_is_test', None)
        self._test = graph.is_test() if test is None else bool(test)
        program = graph.graph._program
        other = next((op for op in program._operations() if op.num_regions()), None)
        if other is not None:
            raise ValueError(
                f'[{self._op}] expected a program of single operations, got {other.name()}'
            )
        self._change(Changes(program, self._scope))
        graph._changed()
        return graph

    def _average(self, changes, x, scale, stem, rate):
        """A scale that is the moving average of the largest magnitudes, which runs leave in the
        tensor `scale`; sums that it is made of have names after `stem`, as in 'x.{}'.
        """
        one = np.ones(1, 'float32')
        accum, state = (changes.fresh(stem.format(n), one) for n in ('accum', 'state'))
        value, new_state, total = _fake_quant._averaged(self._op, x, accum, state, rate)
        changes.write(state, new_state)
        changes.write(accum, total)
        return self._last(changes, scale, value)

    @staticmethod
    def _last(changes, tensor, value):
        """A scale that runs leave in a tensor; programs for evaluation read it there."""
        maker(value).set_bool_attr(KEPT, True)
        changes.write(tensor, value)
        return value


class Observer(GraphPass):
    """Passes about the results of operations that are quantised."""

    _kinds = None

    def _observed(self, changes):
        """(operation, its first result)."""
        wanted = operations_of(self._kinds or SUPPORT_QUANTIZATION_OP_DICT)
        for op in changes.forward:
            if kind_of(op) in wanted and changes.places(op):
                result = op.result(0)
                if result is not None and floating(result) and not changes.kept(result):
                    yield op, result

    @staticmethod
    def _note(op, scale):
        op.set_float_attr('out_threshold', scale)
