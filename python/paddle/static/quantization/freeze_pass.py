# SPDX-License-Identifier: Apache-2.0
"""Passes on programs for evaluation: weights become whole numbers, scales are noted."""

import numpy as np

import paddle
from paddle.base.arguments import any_of, only
from paddle.static.kept_scales import keep_scales

from .graph_changes import maker, named
from .graph_pass import (
    ENDS,
    KIND,
    TYPES,
    WITH,
    GraphPass,
    Observer,
    channel_axis,
    checked_kinds,
    kind_of,
    linear,
    operations_of,
    width,
)
from .quant_config import SUPPORT_QUANTIZATION_OP_DICT, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT
from .utils import bias_correction_w, quant_tensor

__all__ = [
    'AddQuantDequantForInferencePass',
    'ConvertToInt8Pass',
    'OutScaleForInferencePass',
    'QuantWeightPass',
    'QuantizationFreezePass',
]


class _Freeze(GraphPass):
    """Weights that operations read rounded become whole numbers, which the program keeps."""

    def __init__(self, scope, place, quantizable_op_type=None):
        self._prepare(scope, place)
        self._required()
        self._wanted = None
        if quantizable_op_type is not None:
            self._wanted = operations_of(
                checked_kinds(self._op, quantizable_op_type, SUPPORT_WEIGHT_QUANTIZATION_OP_DICT)
            )

    def _change(self, changes):
        program = changes.program
        if changes.updates():
            raise ValueError(
                f'[{self._op}] expected a program for evaluation, got one that updates parameters'
            )
        keep_scales(program, program)
        program.__dict__['_writes'] = {}
        done = {}
        for op in changes.forward:
            if not op.has_attr(KIND) or op.str_attr(KIND) != WITH:
                continue
            if self._wanted is not None and kind_of(op) not in self._wanted:
                continue
            for _, value in changes.places(op):
                weight = changes.name(value).removesuffix(ENDS[1])
                if weight not in done and changes.made(weight + ENDS[0]) is not None:
                    kept = self._keep(changes, op, weight, changes.made(weight + ENDS[0]))
                    done.update({weight: kept} if kept else {})
        changes.clear()
        for weight, (value, name) in done.items():
            changes.call(value, name)

    def _rounded(self, changes, op, weight, scales, bits, linear):
        """A weight in whole numbers, as floating ones, by one scale or those of its channels."""
        array = changes.program._parameters()[weight].numpy()
        axis, scales = channel_axis(op, array), np.ravel(scales).tolist()
        whole = np.round(quant_tensor(array, scales, axis, bits, linear))
        if self._corrected:
            whole = np.round(bias_correction_w(array, whole, scales, axis, bits))
        return whole

    def _unrounded(self, changes, weight, whole):
        """Whether the value is of a parameter that is not whole yet."""
        return weight in changes.program._parameter_names() and not changes.parameter(whole)


class QuantizationFreezePass(_Freeze):
    """After training: the weights that `QuantizationTransformPass` had rounded become whole
    numbers, which floating ones hold, and the program multiplies them by their scales.

    The whole numbers have the names of the weights, in the program and in the scope; tensors of
    other programs stay as they are.

    Args:
        scope (Scope): Where scales are.
        place (Place or str): The device.
        bias_correction (bool, default False): Whether weights keep their mean and deviation.
        weight_bits (int, default 8): Width of weights, as when they were rounded.
        activation_bits (int, default 8): Width of the other inputs, as when they were rounded.
        round_type (str, default 'round'): Only `round`.
        weight_quantize_type (str, default 'abs_max'): As when they were rounded: with `abs_max`
            the scale is that of the weight, with others what the last step of training left in the
            scope.
        quantizable_op_type (list of str, default None): Old names of operations; None for all that
            read rounded weights.

    Raises:
        AssertionError: There is no scope or place; in `apply`, no graph.
        ValueError: An unknown type, or a width that is not served; in `apply`, the program
            updates parameters.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main, paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(
        ...         x, 2, weight_attr=paddle.ParamAttr(name="w"), bias_attr=False)
        >>> scope, place = paddle.static.Scope(), paddle.CPUPlace()
        >>> exe = paddle.static.Executor(place)
        >>> with paddle.static.scope_guard(scope):
        ...     _ = exe.run(main, {"x": np.ones([1, 2], "float32")}, [y])
        >>> scope.find_var("w").get_tensor().set(np.array([[0.5, 1], [-1, 2]], "float32"))
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> passes = paddle.static.quantization
        >>> _ = passes.QuantizationTransformPass(scope, place).apply(graph)
        >>> _ = passes.QuantizationFreezePass(scope, place).apply(graph)
        >>> np.array(scope.find_var("w").get_tensor()).tolist()
        [[32.0, 64.0], [-64.0, 127.0]]
    """

    def __init__(
        self,
        scope,
        place,
        bias_correction=False,
        weight_bits=8,
        activation_bits=8,
        round_type='round',
        weight_quantize_type='abs_max',
        quantizable_op_type=None,
    ):
        super().__init__(scope, place, quantizable_op_type)
        op = self._op
        only(op, 'weights are rounded to the nearest', round_type=(round_type, 'round'))
        if weight_quantize_type not in TYPES:
            raise ValueError(
                f'[{op}] expected weight_quantize_type {any_of(TYPES)}, got '
                f'{weight_quantize_type!r}'
            )
        self._corrected, self._kind = bool(bias_correction), weight_quantize_type
        self._bits = width(op, 'weight_bits', weight_bits)
        width(op, 'activation_bits', activation_bits)

    def _keep(self, changes, op, weight, whole):
        if not self._unrounded(changes, weight, whole):
            return None
        if self._kind == 'abs_max':
            array = changes.program._parameters()[weight].numpy()
            scales = np.abs(array).max().reshape([1])
        else:
            scales = changes.array(weight + ENDS[3])
        read = changes.made(weight + ENDS[3])
        if list(read.shape) != list(scales.shape):
            raise ValueError(
                f'[{self._op}] expected weight_quantize_type as when {weight} was rounded, with '
                f'scales of shape {list(read.shape)}, got {self._kind!r}'
            )
        array = self._rounded(changes, op, weight, scales, self._bits, False)
        kept = changes.fresh('channel_scale', scales.astype('float32'))
        read.replace_all_uses_with(changes.captured(kept))
        return changes.keep(whole, weight + ENDS[0], array.astype('float32')), weight


class ConvertToInt8Pass(_Freeze):
    """After `QuantizationFreezePass`: whole weights are kept as int8, under `<weight>.int8` in the
    program and in the scope.

    Args:
        scope (Scope): Where weights are.
        place (Place or str): The device.
        quantizable_op_type (list of str, default None): Old names of operations; None for all with
            whole weights.

    Raises:
        AssertionError: There is no scope or place; in `apply`, no graph.
        ValueError: In `apply`: a weight has more than 8 bits.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main, paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(x, 2, weight_attr=paddle.ParamAttr(name="w"))
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> scope, place = paddle.static.Scope(), paddle.CPUPlace()
        >>> passes = paddle.static.quantization
        >>> _ = passes.QuantizationTransformPass(scope, place).apply(graph)
        >>> _ = passes.QuantizationFreezePass(scope, place).apply(graph)
        >>> _ = passes.ConvertToInt8Pass(scope, place).apply(graph)
        >>> scope.find_var("w.int8").get_tensor()._dtype()
        paddle.int8
    """

    def _keep(self, changes, op, weight, whole):
        if not changes.parameter(whole):
            return None
        name = maker(whole).attrs()['parameter_name']
        array = changes.program._parameters()[name].numpy()
        if np.abs(array).max(initial=0) > 128:
            raise ValueError(f'[{self._op}] expected weights of 8 bits, got more in {weight}')
        name = weight + '.int8'
        return changes.keep(whole, weight + ENDS[0], array.astype('int8')), name


class QuantWeightPass(_Freeze):
    """After training with `QuantizationTransformPassV2`: the weights become whole numbers, which
    the program keeps under their names, and so does the scope; tensors of other programs stay as
    they are. Their scales are those of the last step of training.

    Args:
        scope (Scope): Where scales are; it must be given.
        place (Place or str): The device; it must be given.
        bias_correction (bool, default False): Whether weights keep their mean and deviation.
        quant_bits (int, default 8): Width of weights, as when they were rounded.
        save_int_weight (bool, default True): Whether they are kept as int8, or int16 above 8 bits;
            otherwise as floating numbers.

    Raises:
        AssertionError: There is no scope or place; in `apply`, no graph.
        ValueError: A width that is not served; in `apply`, the program updates
            parameters.

    Examples:
        >>> import numpy as np
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main, paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = paddle.static.nn.fc(x, 2, weight_attr=paddle.ParamAttr(name="w"))
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> scope, place = paddle.static.Scope(), paddle.CPUPlace()
        >>> passes = paddle.static.quantization
        >>> _ = passes.QuantizationTransformPassV2(scope, place).apply(graph)
        >>> scope.find_var("w@scale").get_tensor().set(np.array([2.0], "float32"))
        >>> _ = passes.QuantWeightPass(scope, place).apply(graph)
        >>> scope.find_var("w").get_tensor()._dtype()
        paddle.int8
    """

    def __init__(self, scope, place, bias_correction=False, quant_bits=8, save_int_weight=True):
        super().__init__(scope, place)
        self._corrected, self._whole = bool(bias_correction), bool(save_int_weight)
        self._bits = width(self._op, 'quant_bits', quant_bits)

    def _keep(self, changes, op, weight, whole):
        if not self._unrounded(changes, weight, whole):
            return None
        scales = changes.array(weight + ENDS[3])
        array = self._rounded(changes, op, weight, scales, self._bits, True)
        dtype = 'float32' if not self._whole else 'int8' if self._bits <= 8 else 'int16'
        return changes.keep(whole, weight + ENDS[0], array.astype(dtype)), weight


class OutScaleForInferencePass(Observer):
    """Notes the scales of the scope as attributes of the operations whose results they are of:
    `out_threshold`.

    Args:
        scope (Scope, default None): Where `OutScaleForTrainingPass` had them put; it must be given.

    Raises:
        AssertionError: In `apply`: there is no scope or graph, or it lacks a scale.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.nn.functional.relu(paddle.static.data("x", [2]))
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> scope, passes = paddle.static.Scope(), paddle.static.quantization
        >>> _ = passes.OutScaleForTrainingPass(scope, paddle.CPUPlace()).apply(graph)
        >>> _ = passes.OutScaleForInferencePass(scope).apply(graph)
        >>> graph.to_program().global_block().ops[-1].attrs()["out_threshold"]
        1.0
    """

    _needs_place = False

    def __init__(self, scope=None):
        self._prepare(scope, None)

    def _change(self, changes):
        for op, result in self._observed(changes):
            scale = changes.array(changes.name(result) + '@scale')
            self._note(op, float(np.ravel(scale)[0]))


class AddQuantDequantForInferencePass(Observer):
    """Has what operations compute rounded for those that read it, or its scale noted, in a program
    for evaluation. Scales are those of `OutScaleForTrainingPass` in the scope, or of a dict;
    without one a result stays as it is.

    Args:
        scope (Scope): Where scales are; it must be given.
        place (Place or str): The device; it must be given.
        quant_bits (int, default 8): Width, from 2 to 16.
        quantizable_op_type (list of str, default []): Old names of operations, of
            `quant_config.SUPPORT_QUANTIZATION_OP_DICT`; none for all.
        calibration_range_dict (dict, default None): Scales by the names of variables; None for
            those of the scope.
        only_observer (bool, default True): Whether values stay as they are, and the scale is noted
            as the operation's attribute `out_threshold`; otherwise they are rounded.

    Raises:
        AssertionError: An operation that is not served; in `apply`, there is no scope, place or
            graph.
        ValueError: A width that is not served.

    Examples:
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = paddle.nn.functional.relu(x) * 10.0
        >>> graph = paddle.base.framework.IrGraph(
        ...     paddle.base.core.Graph(main.desc), for_test=True)
        >>> add = paddle.static.quantization.AddQuantDequantForInferencePass(
        ...     paddle.static.Scope(), paddle.CPUPlace(), 2, ["relu"],
        ...     {"relu_0.tmp_0": 1.0}, only_observer=False)
        >>> program = add.apply(graph).to_program()
        >>> exe = paddle.static.Executor(paddle.CPUPlace())
        >>> exe.run(program, {"x": [0.4, 0.6]}, [y])[0].tolist()
        [0.0, 10.0]
    """

    def __init__(
        self,
        scope,
        place,
        quant_bits=8,
        quantizable_op_type=[],
        calibration_range_dict=None,
        only_observer=True,
    ):
        self._prepare(scope, place)
        self._bits = width(self._op, 'quant_bits', quant_bits)
        self._kinds = checked_kinds(self._op, quantizable_op_type, SUPPORT_QUANTIZATION_OP_DICT)
        self._scales = calibration_range_dict
        self._observes = bool(only_observer)

    def _scale(self, changes, name):
        if self._scales is not None:
            return self._scales.get(name)
        found = self._scope.find_var(name + '@scale')
        return None if found is None else np.ravel(np.array(found.get_tensor()))[0]

    def _change(self, changes):
        for op, result in list(self._observed(changes)):
            name = changes.name(result)
            scale = self._scale(changes, name)
            if scale is None:
                continue
            self._note(op, float(scale))
            if self._observes:
                continue
            readers = [one for one in result.all_used_ops() if named(one) is None]
            if not readers:
                continue
            end = name + ENDS[1]
            if changes.made(end) is None:
                first = np.full([1], scale, 'float32')
                kept = changes.variable(name + '@scale', first, self._scales is not None)
                changes.insert(
                    changes.after(op), lambda: linear(name, result, paddle.assign(kept), self._bits)
                )
            for one in readers:
                for k in range(one.num_operands()):
                    source = one.operand_source(k)
                    if source is not None and changes.key(source) == changes.key(result):
                        one.operand(k).set_source(changes.made(end))
