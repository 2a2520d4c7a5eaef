# SPDX-License-Identifier: Apache-2.0
"""Which old operations a quantised program has, by the names of their inputs and outputs, and what
the targets of such programs take of them.
"""

__all__ = []

# {'inputs>outputs': operations}; the first rows hold weights.
_WEIGHTED = (
    ('Input Filter>Output', 'conv2d depthwise_conv2d conv2d_transpose'),
    ('X Y>Out', 'mul matmul matmul_v2'),
)
_OTHERS = (
    ('X>Out', 'pool2d'),
    ('X Y>Out', 'elementwise_add'),
    ('X>Out', 'concat softmax argmax transpose'),
    ('X Y>Out', 'equal'),
    ('X>Out', 'gather'),
    ('X Y>Out', 'greater_equal greater_than less_equal less_than'),
    ('X>Out', 'mean'),
    ('X Y>Out', 'not_equal'),
    ('X>Out', 'reshape reshape2 transpose2 nearest_interp trilinear_interp'),
    ('Input>Out', 'slice'),
    ('X>Out', 'squeeze'),
    ('X Y>Out', 'elementwise_sub'),
    ('X>Out', 'relu relu6 leaky_relu'),
    ('X Alpha>Out', 'prelu'),
    ('X>Out', 'tanh swish dropout'),
    ('X>Y', 'batch_norm layer_norm'),
    ('X>Out', 'sigmoid'),
    ('X Y>Out', 'elementwise_mul elementwise_pow'),
    ('X>Out', 'hard_swish hard_sigmoid'),
    ('Input Weight>Hidden', 'gru lstm'),
    (
        'X>Out',
        'pad2d pad3d flatten flatten2 unsqueeze2 flatten_contiguous_range split squeeze2 '
        'nearest_interp_v2 bilinear_interp bilinear_interp_v2',
    ),
    ('Input>Out', 'fill_constant_batch_size_like'),
    ('X>Out', 'arg_max abs assign cast clip'),
    ('PriorBox>OutputBox', 'box_coder'),
    ('X>Out', 'crop cumsum expand_v2 fill_any_like'),
    ('>Out', 'fill_constant'),
    ('X>Out', 'gelu'),
    ('X>Y', 'instance_norm'),
    ('W Ids>Out', 'lookup_table lookup_table_v2'),
    ('X>Norm', 'norm'),
    ('X>Out', 'p_norm pow reduce_mean'),
    ('X>Y', 'stack'),
    ('X>Out Indices', 'top_k_v2'),
    ('X Y>Out', 'logical_and'),
    ('X>Out', 'logical_not meshgrid'),
    ('X ROIs>Out', 'roi_align'),
    ('Input>Out', 'strided_slice'),
    ('Condition X Y>Out', 'where'),
    ('X Grid>Output', 'grid_sampler'),
    ('X>Out', 'tile'),
    ('X>Y Mean Variance', 'group_norm'),
    ('X>Out', 'reduce_sum square softplus shuffle_channel reduce_max scale'),
)


def _table(*rows):
    return {
        name: [side.split() for side in names.split('>')]
        for names, operations in rows
        for name in operations.split()
    }


SUPPORT_WEIGHT_QUANTIZATION_OP_DICT = _table(*_WEIGHTED)
SUPPORT_ACT_QUANTIZATION_OP_DICT = _table(_WEIGHTED[1], *_OTHERS)
SUPPORT_QUANTIZATION_OP_DICT = {
    **SUPPORT_WEIGHT_QUANTIZATION_OP_DICT,
    **SUPPORT_ACT_QUANTIZATION_OP_DICT,
}


class BaseQuantizer:
    """What a target takes of a quantised program.

    Args:
        quantizable_op_type (list of str, default []): The old operations to quantise; an empty list
            means those with weights and the matrix products.
        quant_bits (int, default 8): Width of the numbers.

    Examples:
        >>> from paddle.static.quantization.quant_config import BaseQuantizer
        >>> chosen = BaseQuantizer(['conv2d', 'relu'])
        >>> chosen.weight_quant_operation_types, chosen.activation_quant_operation_types
        (['conv2d'], ['relu'])
    """

    _quant_min, _quant_max = -128, 127

    def __init__(self, quantizable_op_type=[], quant_bits=8):
        self._quantizable_op_type, self._quant_bits = quantizable_op_type, quant_bits

    def _chosen(self, of):
        wanted = self._quantizable_op_type
        return [kind for kind in wanted if kind in of] if wanted else None

    @property
    def weight_quant_operation_types(self):
        """Operations whose weights are quantised."""
        chosen = self._chosen(SUPPORT_WEIGHT_QUANTIZATION_OP_DICT)
        return list(SUPPORT_WEIGHT_QUANTIZATION_OP_DICT) if chosen is None else chosen

    @property
    def activation_quant_operation_types(self):
        """Operations without weights of which all inputs are quantised."""
        chosen = self._chosen(SUPPORT_ACT_QUANTIZATION_OP_DICT)
        return _WEIGHTED[1][1].split() if chosen is None else chosen

    @property
    def observer_operation_types(self):
        """Operations whose results are observed."""
        return list(SUPPORT_ACT_QUANTIZATION_OP_DICT)


class TensorRTQuantizer(BaseQuantizer):
    """For TensorRT, which takes a list of operations of its own.

    Args:
        quantizable_op_type (list of str, default []): As for `BaseQuantizer`, of operations with
            weights.
        quant_bits (int, default 8): Width of the numbers.

    Examples:
        >>> from paddle.static.quantization.quant_config import TensorRTQuantizer
        >>> TensorRTQuantizer().activation_quant_operation_types[:2]
        ['pool2d', 'elementwise_add']
    """

    @property
    def activation_quant_operation_types(self):
        """Operations without weights of which all inputs are quantised."""
        return (
            'pool2d elementwise_add elementwise_sub elementwise_mul elementwise_pow concat softmax '
            'argmax mean relu relu6 leaky_relu tanh swish softplus gelu hard_sigmoid hard_swish '
            'sigmoid layer_norm matmul_v2 split bilinear_interp nearest_interp trilinear_interp '
            'nearest_interp_v2 bilinear_interp bilinear_interp_v2 clip pow reduce_mean reduce_sum '
            'reduce_max'
        ).split()


class ARMCPUQuantizer(BaseQuantizer):
    """For ARM processors, whose least number is -127.

    Args:
        quantizable_op_type (list of str, default []): As for `BaseQuantizer`.
        quant_bits (int, default 8): Width of the numbers.

    Examples:
        >>> from paddle.static.quantization.quant_config import ARMCPUQuantizer
        >>> ARMCPUQuantizer(['mul']).weight_quant_operation_types
        ['mul']
    """

    _quant_min = -127
