# SPDX-License-Identifier: Apache-2.0
"""`LayerHelper`: how functions for static mode make parameters and append operations under their
old names.
"""

import paddle
from paddle.base.layer_helper_base import LayerHelperBase
from paddle.base.modes import dtype_is_floating, in_dygraph_mode, in_pir_mode
from paddle.base.param_attr import ParamAttr
from paddle.utils import unique_name

__all__ = ['LayerHelper', 'dtype_is_floating', 'in_dygraph_mode', 'in_pir_mode']


class LayerHelper(LayerHelperBase):
    """Helps one layer function, whose arguments are `kwargs`: `name`, `param_attr`, `bias_attr`,
    `act`, `input`, `dtype` are read.
    """

    def __init__(self, layer_type, **kwargs):
        super().__init__(kwargs.get('name') or unique_name.generate(layer_type), layer_type)
        self.kwargs = kwargs

    def append_op(self, *args, **kwargs):
        """Append an operation; see `paddle.static.Program.global_block().append_op`."""
        return self.main_program.global_block().append_op(*args, **kwargs)

    @property
    def param_attr(self):
        """The attribute of weights, as ParamAttr."""
        return ParamAttr._to_attr(self.kwargs.get('param_attr'))

    @property
    def bias_attr(self):
        """The attribute of the bias, as ParamAttr."""
        return ParamAttr._to_attr(self.kwargs.get('bias_attr'))

    def multiple_input(self, input_param_name='input'):
        """The inputs of the layer as a list."""
        value = self.kwargs.get(input_param_name, [])
        return list(value) if isinstance(value, (list, tuple)) else [value]

    def input(self, input_param_name='input'):
        """The one input of the layer."""
        values = self.multiple_input(input_param_name)
        if len(values) != 1:
            raise ValueError(
                f"[{self.layer_type}] expected one {input_param_name}, got {len(values)}"
            )
        return values[0]

    def multiple_param_attr(self, length):
        """One attribute for each of `length` weights."""
        attrs = self.param_attr if isinstance(self.param_attr, list) else [self.param_attr]
        if len(attrs) not in (1, length):
            raise ValueError(
                f"[{self.layer_type}] expected 1 or {length} param_attr, got {len(attrs)}"
            )
        return attrs if len(attrs) == length else attrs * length

    def iter_inputs_and_params(self, input_param_name='input'):
        """Pairs of input and attribute."""
        inputs = self.multiple_input(input_param_name)
        yield from zip(inputs, self.multiple_param_attr(len(inputs)))

    def input_dtype(self, input_param_name='input'):
        """The dtype all inputs have."""
        found = {value.dtype for value in self.multiple_input(input_param_name)}
        if len(found) > 1:
            raise ValueError(
                f"[{self.layer_type}] expected {input_param_name} of one dtype, got "
                f"{', '.join(sorted(map(str, found)))}"
            )
        return found.pop() if found else None

    def get_parameter(self, name):
        """The parameter of this name."""
        return self.main_program.global_block().var(name)

    def append_bias_op(self, input_var, dim_start=1, dim_end=None):
        """`input_var` plus a bias over its axes from `dim_start` to `dim_end`; itself when the
        layer has none.
        """
        shape = list(input_var.shape)[dim_start:dim_end]
        bias = self.create_parameter(self.kwargs.get('bias_attr'), shape, input_var.dtype, True)
        if bias is None:
            return input_var
        after = 0 if dim_end is None else len(input_var.shape) - dim_end
        return input_var + paddle.reshape(bias, shape + [1] * after)

    def append_activation(self, input_var):
        """The activation `act` of the layer, if it has one."""
        act = self.kwargs.get('act')
        if act is None:
            return input_var
        if not isinstance(act, str):
            raise TypeError(
                f"[{self.layer_type}] expected act to be a string, got {type(act).__name__}"
            )
        return getattr(paddle.nn.functional, act)(input_var)
