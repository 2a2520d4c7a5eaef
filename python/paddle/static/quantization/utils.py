# SPDX-License-Identifier: Apache-2.0
"""What quantisers of programs share: weights as whole numbers and back, names of an operation's
variables, tensors of a scope.
"""

import sys

import numpy as np

from .quant_config import SUPPORT_QUANTIZATION_OP_DICT

__all__ = []

# Operations whose weights have the results' channels as their second axis.
_channelwise_quant_axis1_ops = ['conv2d_transpose', 'mul', 'matmul', 'matmul_v2']
_LEAST = 1e-8  # what divisors are raised by


def _names(op, side):
    kind = op.type
    if kind not in SUPPORT_QUANTIZATION_OP_DICT:
        return []
    names = op.input if side == 0 else op.output
    return [n for slot in SUPPORT_QUANTIZATION_OP_DICT[kind][side] for n in names(slot)]


def _get_op_input_var_names(op):
    """Names of the variables that an old operation reads, in order; [] where its kind is not one
    that is quantised.
    """
    return _names(op, 0)


def _get_op_output_var_names(op):
    """Names of the variables that an old operation writes, in order; [] as above."""
    return _names(op, 1)


def _place(op, name, side):
    if op.type not in SUPPORT_QUANTIZATION_OP_DICT:
        return None
    for slot in SUPPORT_QUANTIZATION_OP_DICT[op.type][side]:
        names = op.input(slot) if side == 0 else op.output(slot)
        if name in names:
            return slot, names.index(name)
    return None


def _get_input_name_index(op, input_var_name):
    """(input, position in it) of a variable that an operation reads; None where it does not."""
    return _place(op, input_var_name, 0)


def _get_output_name_index(op, output_var_name):
    """(output, position in it) of a variable that an operation writes; None where it does not."""
    return _place(op, output_var_name, 1)


def load_variable_data(scope, var_name):
    """The numbers of a variable of a scope, as an array. AssertionError where there is none."""
    found = scope.find_var(var_name)
    assert found is not None, f'[load_variable_data] expected a variable {var_name!r}, got none'
    return np.array(found.get_tensor())


def set_variable_data(scope, place, var_name, np_value):
    """Give a variable of a scope the numbers of an array. AssertionError where there is none."""
    assert isinstance(np_value, np.ndarray), (
        f'[set_variable_data] expected an array, got {type(np_value).__name__}'
    )
    found = scope.find_var(var_name)
    assert found is not None, f'[set_variable_data] expected a variable {var_name!r}, got none'
    found.get_tensor().set(np_value, place)


def _scale(op, scale, x, quant_axis):
    """`scale` as it divides x: one number, or one for each place of an axis."""
    if not isinstance(scale, (list, tuple)) or len(scale) == 1:
        scale = scale[0] if isinstance(scale, (list, tuple)) else scale
        return np.where(np.asarray(scale, 'float64') == 0, _LEAST, scale).astype(x.dtype)
    assert quant_axis in (-1, 0, 1), f'[{op}] expected quant_axis 0 or 1, got {quant_axis}'
    shape = [1] * x.ndim
    shape[quant_axis] = -1
    scale = np.asarray(scale, x.dtype).reshape(shape)
    return np.where(scale == 0, np.asarray(_LEAST, x.dtype), scale)


def quant_tensor(x, scale, quant_axis=0, weight_bits=8, onnx_format=False):
    """`x` clipped to `scale` and stretched so that `scale` becomes the largest whole number.

    Args:
        x (array): Floating numbers.
        scale (float or list of floats): The magnitude that becomes the largest number, or one for
            each place of `quant_axis`.
        quant_axis (int, default 0): Axis of the scales, 0 or 1.
        weight_bits (int, default 8): Width of the whole numbers.
        onnx_format (bool, default False): Round the result.

    Returns:
        array: of the dtype of `x`.

    Examples:
        >>> import numpy as np
        >>> from paddle.static.quantization.utils import quant_tensor
        >>> quant_tensor(np.array([0.5, -2.0, 1.0]), 1.0).tolist()
        [63.5, -127.0, 127.0]
    """
    scale, top = _scale('quant_tensor', scale, x, quant_axis), (1 << (weight_bits - 1)) - 1
    if onnx_format:
        return np.clip(np.round(x / scale * top), -top - 1, top).astype(x.dtype)
    return (np.clip(x, -scale, scale) / scale * top).astype(x.dtype)


def dequant_tensor(x, scale, quant_axis=0, weight_bits=8):
    """The numbers for which `quant_tensor` gave `x`.

    Args:
        x (array): Whole numbers, of a floating dtype.
        scale (float or list of floats): As for `quant_tensor`.
        quant_axis (int, default 0): Axis of the scales, 0 or 1.
        weight_bits (int, default 8): Width of the whole numbers.

    Returns:
        array: of the dtype of `x`.

    Examples:
        >>> import numpy as np
        >>> from paddle.static.quantization.utils import dequant_tensor
        >>> dequant_tensor(np.array([63.5, 127.0]), 2.0).tolist()
        [1.0, 2.0]
    """
    scale, top = _scale('dequant_tensor', scale, x, quant_axis), (1 << (weight_bits - 1)) - 1
    return (x * scale / top).astype(x.dtype)


def bias_correction_w(x, x_quant, scale_v, quant_axis, weight_bits=8):
    """Whole numbers of weights, moved so that mean and deviation are those of the weights before.

    With a list of scales the correction of channel i is that of position i modulo the number of
    channels, as in PaddlePaddle: programs quantised there and here agree.

    Args:
        x (array): The weights.
        x_quant (array): What `quant_tensor` makes of them, rounded.
        scale_v (float or list of floats): The scales.
        quant_axis (int): Axis of the scales, 0 or 1.
        weight_bits (int, default 8): Width of the whole numbers.

    Returns:
        array: of the shape of `x`.

    Source: Nagel et al., Data-Free Quantization through Weight Equalization and Bias Correction,
    2019.
    """
    dequantised = dequant_tensor(x_quant, scale_v, quant_axis, weight_bits)
    if isinstance(scale_v, (list, tuple)) and len(scale_v) > 1:
        axes = tuple(i for i in range(x.ndim) if i != quant_axis % x.ndim)
        rows = dequantised.reshape(-1, len(scale_v))
    else:
        axes, rows = None, dequantised
    moved = rows + (x.mean(axes) - dequantised.mean(axes))
    moved = (moved * (x.std(axes) / (dequantised.std(axes) + _LEAST))).reshape(x.shape)
    return quant_tensor(moved.astype(x.dtype), scale_v, quant_axis, weight_bits)


def stable_sigmoid(x):
    """The logistic function of an array, without overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def l2_loss(gt, pred):
    """The mean of the squared differences of two arrays."""
    return ((gt - pred) ** 2).mean()


def calculate_quant_cos_error(orig_tensor, qdq_tensor):
    """The cosine of the angle between two arrays, as vectors."""
    a, b = np.ravel(orig_tensor), np.ravel(qdq_tensor)
    return np.inner(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


class tqdm:
    """A bar of progress on the error stream.

    Args:
        total (int): How many steps there are.
        bar_format (str, default 'Loading|{bar}'): The line; the text before '|' stands before the
            bar.
        ncols (int, default 80): Width of the bar.
    """

    def __init__(self, total, bar_format='Loading|{bar}', ncols=80):
        self.total, self.bar_format, self.ncols, self.n = total, bar_format, ncols, 0

    def update(self, n=1):
        """`n` more steps are done."""
        self.n += n
        filled = int(round(self.ncols * self.n / max(self.total, 1)))
        bar = '=' * filled + '>' + ' ' * (self.ncols - filled)
        title = self.bar_format.split('|')[0]
        sys.stderr.write(f'\r{title}|{bar}| {self.n}/{self.total}')

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        sys.stderr.write('\n')
