# SPDX-License-Identifier: Apache-2.0
"""Passes that make the program of a graph read rounded values, for training and evaluation."""

import numpy as np

import paddle
from paddle import _fake_quant, _quantized_ops
from paddle.base.arguments import any_of, integer
from paddle.base.documentation import shares

from .graph_pass import (
    ENDS,
    KIND,
    LEAST,
    TYPES,
    WITH,
    WITHOUT,
    GraphPass,
    Observer,
    channel_axis,
    checked_kinds,
    kind_of,
    linear,
    operations_of,
    skipped,
    width,
)
from .quant_config import SUPPORT_ACT_QUANTIZATION_OP_DICT, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT
from .user_functions import UserFunctions

__all__ = [
    'AddQuantDequantPass',
    'AddQuantDequantPassV2',
    'OutScaleForTrainingPass',
    'QuantizationTransformPass',
    'QuantizationTransformPassV2',
]


class _Transform(GraphPass):
    """What the two passes for operations with weights share."""

    def __init__(
        self,
        scope=None,
        place=None,
        weight_bits=8,
        activation_bits=8,
        activation_quantize_type='abs_max',
        weight_quantize_type='abs_max',
        window_size=10000,
        moving_rate=0.9,
        skip_pattern=['skip_quant'],
        quantizable_op_type=['conv2d', 'depthwise_conv2d', 'mul'],
        weight_quantize_func=None,
        act_quantize_func=None,
        weight_preprocess_func=None,
        act_preprocess_func=None,
        optimizer_func=None,
        executor=None,
        is_test=None,
    ):
        self._prepare(scope, place)
        op = self._op
        self._bits = {
            'weight_bits': width(op, 'weight_bits', weight_bits),
            'activation_bits': width(op, 'activation_bits', activation_bits),
        }
        if activation_quantize_type == 'channel_wise_abs_max':
            raise AssertionError(
                f"[{op}] expected activation_quantize_type with one scale, got "
                f"'channel_wise_abs_max'"
            )
        types = {
            'activation_quantize_type': activation_quantize_type,
            'weight_quantize_type': weight_quantize_type,
        }
        for name, kind in types.items():
            if kind not in TYPES:
                raise ValueError(f'[{op}] expected {name} {any_of(TYPES)}, got {kind!r}')
        self._process = {True: weight_preprocess_func, False: act_preprocess_func}
        self._replace = {True: weight_quantize_func, False: act_quantize_func}
        self._optimizer = optimizer_func
        for name, function in (
            ('weight_quantize_func', weight_quantize_func),
            ('act_quantize_func', act_quantize_func),
            ('weight_preprocess_func', weight_preprocess_func),
            ('act_preprocess_func', act_preprocess_func),
            ('optimizer_func', optimizer_func),
        ):
            if function is not None and not callable(function):
                raise TypeError(
                    f'[{op}] expected {name} to be a function or None, got '
                    f'{type(function).__name__}'
                )
        self._types = {True: weight_quantize_type, False: activation_quantize_type}
        self._window = integer(op, 'window_size', window_size)
        if self._window < 1:
            raise ValueError(f'[{op}] expected window_size of at least 1, got {self._window}')
        self._rate, self._skip, self._is_test = float(moving_rate), skip_pattern, is_test
        self._kinds = list(quantizable_op_type)

    def _change(self, changes):
        checked_kinds(self._op, self._kinds, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT)
        wanted, self._step = operations_of(self._kinds), None
        functions = UserFunctions(self._op, changes, self._optimizer)
        both = {'matmul', 'matmul_v2'} & set(self._kinds)
        for op in changes.forward:
            places = changes.places(op)
            weighted = any(changes.parameter(value) for _, value in places)
            if (
                kind_of(op) not in wanted
                or op.has_attr(KIND)
                or skipped(op, self._skip)
                or not (weighted or both)
            ):
                continue
            turned = []
            for operand, value in places[:2]:
                weight = changes.parameter(value)
                turned.append((operand, value, self._read(changes, functions, op, operand, weight)))
            changes.turn(op, turned)
            op.set_str_attr(KIND, WITH)
        functions.update()

    def _read(self, changes, functions, op, operand, weight):
        """What an operation reads in the place of a value."""
        value = operand.source()
        if self._process[weight] is not None:
            value = functions.apply(op, operand, value, '.preprocessed', self._process[weight])
        if self._replace[weight] is not None:
            return functions.apply(op, operand, value, '.replaced', self._replace[weight])
        name = changes.name(value) + '.quantized.dequantized'
        if changes.made(name) is None:
            changes.insert(operand.owner(), lambda: self._round(changes, op, value, weight))
        return changes.made(name)


class QuantizationTransformPass(_Transform):
    """Makes operations with weights read rounded values: a program for training with the error of
    whole numbers, or, of a graph for evaluation, one with the scales that training left.

    Programs are those whose gradients are part of them already (`minimize` before), which pass
    through the rounding as they are, and programs for evaluation. Scales are tensors of the scope,
    `<variable>@scale`; so a program for evaluation shares them with that for training.

    Args:
        scope (Scope, default None): Where scales are; it must be given.
        place (Place or str, default None): The device; it must be given.
        weight_bits (int, default 8): Width of weights, from 2 to 16.
        activation_bits (int, default 8): Width of the other inputs.
        activation_quantize_type (str, default 'abs_max'): What the scale of an input is: `abs_max`,
            the largest magnitude of the batch; `moving_average_abs_max`, an average of these;
            `range_abs_max`, the largest of a window of them.
        weight_quantize_type (str, default 'abs_max'): The same of weights, or
            `channel_wise_abs_max`, the largest magnitude of each channel.
        window_size (int, default 10000): How many batches the window has.
        moving_rate (float, default 0.9): What the average keeps of what was before.
        skip_pattern (str or list of str, default ['skip_quant']): Operations recorded in a
            `name_scope` with one of these in its name stay as they are.
        quantizable_op_type (list of str, default ['conv2d', 'depthwise_conv2d', 'mul']): Old names
            of operations, also `conv2d_transpose`, `matmul` and `matmul_v2`.
        weight_quantize_func (callable, default None): What operations read in the place of rounded
            weights, made of a weight; None to round.
        act_quantize_func (callable, default None): The same of the other inputs.
        weight_preprocess_func (callable, default None): Makes what is rounded of a weight. It may
            create parameters.
        act_preprocess_func (callable, default None): The same of the other inputs.
        optimizer_func (callable, default None): Makes the optimizer that updates the parameters of
            the functions; programs that train need it beside functions.
        executor (Executor, default None): Taken for compatibility: parameters of functions have
            their first values when they are made.
        is_test (bool, default None): Whether the program is for evaluation; None for what the graph
            says.

    Raises:
        AssertionError: An input would have a scale for each channel; in `apply`, there is no scope,
            place or graph, or an operation is none that has weights.
        ValueError: An unknown type, or a width that is not served.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 4])
        ...     loss = paddle.mean(paddle.static.nn.fc(x, 2) ** 2)
        ...     _ = paddle.optimizer.SGD(0.1).minimize(loss)
        >>> exe = paddle.static.Executor(paddle.CPUPlace())
        >>> _ = exe.run(startup)
        >>> scope, place = paddle.static.global_scope(), paddle.CPUPlace()
        >>> graph = paddle.base.framework.IrGraph(paddle.base.core.Graph(main.desc))
        >>> transform = paddle.static.quantization.QuantizationTransformPass(
        ...     scope, place, activation_quantize_type="moving_average_abs_max",
        ...     weight_quantize_type="channel_wise_abs_max")
        >>> quantised = transform.apply(graph).to_program()
        >>> feed = {"x": np.full([2, 4], 2.0, "float32")}
        >>> losses = [exe.run(quantised, feed, [loss])[0].item() for _ in range(20)]
        >>> losses[-1] < losses[0]
        True
        >>> 1.5 < np.array(scope.find_var("x@scale").get_tensor()).item() < 2.0
        True
    """

    def _round(self, changes, op, value, weight):
        name, kind = changes.name(value), self._types[weight]
        bits = self._bits['weight_bits' if weight else 'activation_bits']
        axis = channel_axis(op, value)
        by_channel = kind == 'channel_wise_abs_max'
        shape = [value.shape[axis]] if by_channel else [1]
        kept = changes.variable(name + '@scale', np.full(shape, LEAST, 'float32'), not self._test)
        if kind == 'abs_max':
            scale = _fake_quant._largest(value)
            if not self._test:
                changes.write(kept, scale)
        elif self._test:
            scale = paddle.assign(kept)
        elif by_channel:
            scale = self._last(changes, kept, _fake_quant._largest(value, axis).reshape([-1]))
        elif kind == 'range_abs_max':
            scale = self._last(changes, kept, self._ranged(changes, value, kept))
        else:
            scale = self._average(changes, value, kept, '{}', self._rate)
        if by_channel:
            shape = [-1 if a == axis else 1 for a in range(value.ndim)]
            whole = _quantized_ops.whole(value, scale.reshape(shape), bits, 1)
            back = whole * scale.reshape(shape) / _fake_quant._most(bits)
        else:
            whole = _quantized_ops.whole(value, scale, bits, 1)
            back = _quantized_ops.fake_dequantize_max_abs(whole, scale, _fake_quant._most(bits))
        first, second, _, last = ENDS
        return {name + first: whole, name + second: back, name + last: scale}

    def _ranged(self, changes, x, kept):
        """The largest magnitude of the window, of which this batch is the latest."""
        if self._step is None:
            counter = changes.variable('@STEP_COUNTER@', np.zeros(1, 'int64'), True)
            self._step = counter + 1
            changes.write(counter, self._step)
        size = self._window
        window = changes.fresh('scales', np.zeros(size, 'float32'))
        now, at = _fake_quant._largest(x), self._step % size
        removed = paddle.gather(window, at)
        full = paddle.where(paddle.arange(size, dtype='int64') == at, now, window)
        changes.write(window, full)
        left = paddle.where(paddle.abs(removed - kept) < 1e-6, full.max().reshape([1]), kept)
        return paddle.where(kept < now, now, left)


class _Linear(GraphPass):
    """Rounding by `quantize_linear` and `dequantize_linear`, in both passes that put it in."""

    def _both(self, changes, value, bits, axis=-1):
        """A value in whole numbers and back: with the average of the largest magnitudes as scale,
        or, of a place on `axis` each, with the largest magnitude.
        """
        name, by_channel = changes.name(value), axis >= 0
        shape = [value.shape[axis]] if by_channel else [1]
        first = getattr(self, '_scales', {}).get(name, LEAST)
        kept = changes.variable(name + '@scale', np.full(shape, first, 'float32'), not self._test)
        if self._test:
            scale = paddle.assign(kept)
        elif by_channel:
            scale = self._last(changes, kept, _fake_quant._largest(value, axis).reshape([-1]))
        else:
            scale = self._average(changes, value, kept, '{}', self._rate)
        return linear(name, value, scale, bits, axis)


@shares(QuantizationTransformPass)
class QuantizationTransformPassV2(_Transform, _Linear):
    """As `QuantizationTransformPass`, with the rounding of `quantize_linear` and
    `dequantize_linear`: ties go to even numbers, and weights that are evaluated have the scales of
    the last step of training. `QuantWeightPass` makes the weights whole.

    Args:
        scope (Scope, default None): Where scales are; it must be given.
        place (Place or str, default None): The device; it must be given.
        weight_bits (int, default 8): Width of weights, from 2 to 16.
        activation_bits (int, default 8): Width of the other inputs.
        activation_quantize_type (str, default 'abs_max'): Any of those of
            `QuantizationTransformPass`; scales are moving averages whichever it is.
        weight_quantize_type (str, default 'abs_max'): `channel_wise_abs_max`; with the others the
            scale is a moving average, too.
        window_size (int, default 10000): Taken for compatibility; it has no effect.
        moving_rate (float, default 0.9): What the average keeps of what was before.
        {skip_pattern, quantizable_op_type, weight_quantize_func, act_quantize_func}
        {weight_preprocess_func, act_preprocess_func, optimizer_func, executor, is_test}

    Raises:
        AssertionError: As `QuantizationTransformPass`.
        ValueError: As there.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main, paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 4])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> scope, place = paddle.static.global_scope(), paddle.CPUPlace()
        >>> transform = paddle.static.quantization.QuantizationTransformPassV2(
        ...     scope, place, weight_quantize_type="channel_wise_abs_max")
        >>> transform.apply(graph) is graph
        True
        >>> scope.find_var("x@scale").get_tensor().shape()
        [1]
    """

    def _round(self, changes, op, value, weight):
        by_channel = weight and self._types[True] == 'channel_wise_abs_max'
        bits = self._bits['weight_bits' if weight else 'activation_bits']
        return self._both(changes, value, bits, channel_axis(op, value) if by_channel else -1)


class _AddBoth(GraphPass):
    """What the two passes for operations without weights share."""

    def __init__(
        self,
        scope=None,
        place=None,
        moving_rate=0.9,
        quant_bits=8,
        skip_pattern=['skip_quant'],
        quantizable_op_type=['elementwise_add', 'pool2d'],
        is_test=None,
        scale_dict=None,
    ):
        self._prepare(scope, place)
        self._bits, self._rate = width(self._op, 'quant_bits', quant_bits), float(moving_rate)
        self._skip, self._is_test, self._scales = skip_pattern, is_test, dict(scale_dict or {})
        self._kinds = checked_kinds(self._op, quantizable_op_type, SUPPORT_ACT_QUANTIZATION_OP_DICT)

    def _change(self, changes):
        wanted = operations_of(self._kinds)
        for op in changes.forward:
            if kind_of(op) not in wanted or op.has_attr(KIND) or skipped(op, self._skip):
                continue
            places = self._places(changes, op)
            turned = []
            for operand, value in places:
                name = changes.name(value) + self._end
                if changes.made(name) is None:
                    changes.insert(operand.owner(), lambda value=value: self._round(changes, value))
                turned.append((operand, value, changes.made(name)))
            if turned:
                changes.turn(op, turned)
                op.set_str_attr(KIND, WITHOUT)
                op.set_int_attr('activation_bits', self._bits)


class AddQuantDequantPass(_AddBoth):
    """Makes operations without weights read rounded values, whose scales are moving averages of the
    largest magnitudes. Operations that read a parameter stay as they are.

    Args:
        scope (Scope, default None): Where scales are, `<variable>.quant_dequant@scale`; it must be
            given.
        place (Place or str, default None): The device; it must be given.
        moving_rate (float, default 0.9): What the average keeps of what was before.
        quant_bits (int, default 8): Width, from 2 to 16.
        skip_pattern (str or list of str, default ['skip_quant']): Operations recorded in a
            `name_scope` with one of these in its name stay as they are.
        quantizable_op_type (list of str, default ['elementwise_add', 'pool2d']): Old names of
            operations, of `quant_config.SUPPORT_ACT_QUANTIZATION_OP_DICT`.
        is_test (bool, default None): Whether the program is for evaluation; None for what the graph
            says.
        scale_dict (dict, default None): First scales by the names of variables.

    Raises:
        AssertionError: An operation that is not served; in `apply`, there is no scope, place or
            graph.
        ValueError: A width that is not served.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = x + x
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> add = paddle.static.quantization.AddQuantDequantPass(
        ...     paddle.static.Scope(), paddle.CPUPlace(), quant_bits=2, scale_dict={"x": 1.0})
        >>> program = add.apply(graph).to_program()
        >>> exe = paddle.static.Executor(paddle.CPUPlace())
        >>> exe.run(program, {"x": [0.4, 0.6]}, [y])[0].tolist()
        [0.0, 2.0]
    """

    _end = '.quant_dequant'

    def _places(self, changes, op):
        places = changes.places(op)
        return [] if any(changes.kept(value) for _, value in places) else places

    def _round(self, changes, value):
        name = changes.name(value) + self._end
        first = self._scales.get(changes.name(value), LEAST)
        kept = changes.variable(name + '@scale', np.full([1], first, 'float32'), not self._test)
        if self._test:
            scale = paddle.assign(kept)
        else:
            scale = self._average(changes, value, kept, 'quant_dequant.{}', self._rate)
        out = _fake_quant._round(value, scale, self._bits, 1)
        return {name: out, name + '@scale': scale}


class AddQuantDequantPassV2(_AddBoth, _Linear):
    """As `AddQuantDequantPass`, with the rounding of `quantize_linear` and `dequantize_linear`, and
    for all inputs that are no parameters. Scales are `<variable>@scale`.

    Args:
        scope (Scope, default None): Where scales are; it must be given.
        place (Place or str, default None): The device; it must be given.
        moving_rate (float, default 0.9): What the average keeps of what was before.
        quant_bits (int, default 8): Width, from 2 to 16.
        skip_pattern (str or list of str, default ['skip_quant']): Operations recorded in a
            `name_scope` with one of these in its name stay as they are.
        quantizable_op_type (list of str, default ['elementwise_add', 'pool2d']): Old names of
            operations, of `quant_config.SUPPORT_ACT_QUANTIZATION_OP_DICT`.
        is_test (bool, default None): Whether the program is for evaluation; None for what the graph
            says.
        scale_dict (dict, default None): First scales by the names of variables.

    Raises:
        AssertionError: As `AddQuantDequantPass`.
        ValueError: A width that is not served.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = x + x
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> add = paddle.static.quantization.AddQuantDequantPassV2(
        ...     paddle.static.Scope(), paddle.CPUPlace(), quant_bits=2, scale_dict={"x": 1.0})
        >>> program = add.apply(graph).to_program()
        >>> exe = paddle.static.Executor(paddle.CPUPlace())
        >>> exe.run(program, {"x": [0.5, 0.6]}, [y])[0].tolist()
        [0.0, 2.0]
    """

    _end = '.quantized.dequantized'

    def _places(self, changes, op):
        return [(o, value) for o, value in changes.places(op) if not changes.kept(value)]

    def _round(self, changes, value):
        return self._both(changes, value, self._bits)


class OutScaleForTrainingPass(Observer):
    """Has training note the moving average of the largest magnitudes of what operations compute, in
    `<variable>@scale` of the scope. A program for evaluation stays as it is.

    Args:
        scope (Scope, default None): Where scales are; it must be given.
        place (Place or str, default None): The device; it must be given.
        moving_rate (float, default 0.9): What the average keeps of what was before.
        is_test (bool, default None): Whether the program is for evaluation; None for what the graph
            says.
        scale_dict (dict, default None): First scales by the names of variables.

    Raises:
        AssertionError: In `apply`: there is no scope, place or graph.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = paddle.nn.functional.relu(x)
        >>> graph = paddle.base.framework.IrGraph(paddle.base.core.Graph(main.desc))
        >>> scope = paddle.static.Scope()
        >>> observe = paddle.static.quantization.OutScaleForTrainingPass(scope, paddle.CPUPlace())
        >>> program = observe.apply(graph).to_program()
        >>> exe = paddle.static.Executor(paddle.CPUPlace())
        >>> _ = exe.run(program, {"x": [-4.0, 2.9]}, [y])
        >>> round(np.array(scope.find_var("relu_0.tmp_0@scale").get_tensor()).item(), 3)
        2.0
    """

    def __init__(self, scope=None, place=None, moving_rate=0.9, is_test=None, scale_dict=None):
        self._prepare(scope, place)
        self._rate, self._is_test = float(moving_rate), is_test
        self._scales = dict(scale_dict or {})

    def _change(self, changes):
        for op, result in list(self._observed(changes)):
            name = changes.name(result) + '@scale'
            if changes.made(name) is not None:
                continue
            first = self._scales.get(changes.name(result), 1.0)
            kept = changes.variable(name, np.full([1], first, 'float32'), not self._test)
            if self._test:
                continue
            changes.insert(
                changes.after(op),
                lambda: {name: self._average(changes, result, kept, 'scale_{}@', self._rate)},
            )
