# SPDX-License-Identifier: Apache-2.0
"""`LayerHelperBase`: the programs, parameters and variables of a layer function."""

import paddle
from paddle.base.framework import dtype_name, make_parameter
from paddle.utils import unique_name

__all__ = ['LayerHelperBase']


class LayerHelperBase:
    """Helps one layer function of this name and type."""

    def __init__(self, name, layer_type):
        self.name, self.layer_type = name, layer_type

    @property
    def main_program(self):
        """The program operations go to."""
        return paddle.static.default_main_program()

    @property
    def startup_program(self):
        """The program that initialises parameters."""
        return paddle.static.default_startup_program()

    @staticmethod
    def get_default_dtype():
        """The dtype of parameters unless another is given."""
        return paddle.get_default_dtype()

    @staticmethod
    def set_default_dtype(dtype):
        """Set that dtype, for all layers."""
        paddle.set_default_dtype(dtype)

    def create_parameter(
        self, attr, shape, dtype=None, is_bias=False, default_initializer=None, stop_gradient=False
    ):
        """A parameter of this layer; None for a false `attr`."""
        made = make_parameter(
            self.name, shape, dtype or self.get_default_dtype(), attr, is_bias, default_initializer
        )
        if made is not None and stop_gradient:
            made.stop_gradient = True
        return made

    def create_variable(self, *args, **kwargs):
        """A place for a result."""
        return self.main_program.global_block().create_var(*args, **kwargs)

    def create_variable_for_type_inference(self, dtype, stop_gradient=False, shape=None):
        """A place for a result, named after this layer."""
        return self.create_variable(
            name=unique_name.generate(self.name + '.tmp'),
            shape=shape,
            dtype=dtype,
            stop_gradient=stop_gradient,
        )

    def create_global_variable(
        self, persistable=False, shape=None, dtype='float32', name=None, stop_gradient=True
    ):
        """A variable that lasts over runs, zeros at first."""
        made = paddle.static.create_global_var(shape, 0, dtype_name(dtype), persistable, name=name)
        made.stop_gradient = stop_gradient
        return made

    def create_or_get_global_variable(self, name, shape=None, dtype='float32', stop_gradient=True):
        """(the variable `name`, whether it was made now)."""
        block = self.main_program.global_block()
        if block.has_var(name):
            return block.var(name), False
        return self.create_global_variable(True, shape, dtype, name, stop_gradient), True

    def set_variable_initializer(self, var, initializer):
        """Give a variable the value of an initializer now and whenever the startup program runs."""
        from paddle.static import startup

        shape, dtype = list(var.shape), var.dtype
        with paddle.static.program.running(), paddle.no_grad():
            var.set_value(initializer.create(shape, dtype))
        startup.add(self.startup_program, var, lambda: initializer.create(shape, dtype))
        return var

    def to_variable(self, x):
        """`x` as a tensor."""
        return x if isinstance(x, paddle.Tensor) else paddle.to_tensor(x)
