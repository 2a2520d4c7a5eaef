# SPDX-License-Identifier: Apache-2.0
"""How many floating-point operations an operation takes on inputs of given shapes."""

import math

__all__ = ['flops']

# Operations for each element of the result.
_EACH = {
    'elementwise_add': 1,
    'elementwise_sub': 1,
    'elementwise_mul': 1,
    'elementwise_div': 1,
    'gelu': 5,
    'layer_norm': 7,
    'softmax': 3,
    **dict.fromkeys(('relu', 'relu6', 'leaky_relu', 'prelu', 'elu', 'silu', 'pool', 'scale'), 1),
    **dict.fromkeys(('square', 'log', 'sum', 'reduce_sum', 'reduce_mean', 'increment'), 1),
    'softmax_with_cross_entropy': 4,
    'fused_softmax_mask_upper_triangle': 3,
    'adam': 13,
}


def _matmul(shapes, transpose_x, transpose_y):
    x, y = list(shapes['X'][0]), list(shapes['Y'][0])
    x = [1, *x] if len(x) == 1 else x
    y = [*y, 1] if len(y) == 1 else y
    if transpose_x:
        x[-2:] = x[:-3:-1]
    if transpose_y:
        y[-2:] = y[:-3:-1]
    return 2 * math.prod(_joined([x[:-2], y[:-2]])) * x[-2] * x[-1] * y[-1]


def _joined(shapes):
    """The shape that shapes broadcast to, the greater extent where they do not."""
    rank = max(map(len, shapes))
    padded = [[1] * (rank - len(s)) + list(s) for s in shapes]
    return [max(extents) for extents in zip(*padded)]


def _pair(value, many):
    value = list(value) if isinstance(value, (list, tuple)) else [value]
    return value * many if len(value) == 1 else value


def _conv(shapes, attrs):
    x, filters = shapes['Input'][0], shapes['Filter'][0]
    count = len(filters) - 2
    strides = _pair(attrs.get('strides', 1), count)
    dilations = _pair(attrs.get('dilations', 1), count)
    pads = _pair(attrs.get('paddings', 0), count)
    pads = (
        [2 * p for p in pads]
        if len(pads) == count
        else [a + b for a, b in zip(pads[::2], pads[1::2])]
    )
    extents = [
        (size + pad - dilation * (window - 1) - 1) // stride + 1
        for size, pad, dilation, window, stride in zip(x[2:], pads, dilations, filters[2:], strides)
    ]
    return 2 * x[0] * math.prod(extents) * math.prod(filters)


def flops(op_type, input_shapes, attrs):
    """The floating-point operations of a call by its old name. One that only moves elements takes
    none; a gradient takes as many for each factor of a product.

    Args:
        op_type (str): The old name, as `matmul_v2`.
        input_shapes (dict): The shapes of each input, a list for each slot.
        attrs (dict): Attributes of the call.

    Returns:
        int: the number.

    Examples:
        >>> from paddle.utils.flops import flops
        >>> flops('matmul_v2', {'X': [[4, 6]], 'Y': [[6, 5]]}, {'trans_x': False, 'trans_y': False})
        240
    """
    forward = op_type.removesuffix('_grad')
    times = 1 if forward == op_type else 2
    if forward in ('matmul', 'matmul_v2', 'mul'):
        old = 'transpose_X' in attrs or 'transpose_Y' in attrs
        x, y = ('transpose_X', 'transpose_Y') if old else ('trans_x', 'trans_y')
        return times * _matmul(input_shapes, attrs.get(x, False), attrs.get(y, False))
    if forward in ('conv2d', 'depthwise_conv2d', 'conv3d'):
        return times * _conv(input_shapes, attrs)
    each = _EACH.get(forward, 0)
    shapes = [shape for slot in input_shapes.values() for shape in slot]
    if not each or not shapes:
        return 0
    if not forward.startswith('elementwise'):
        shapes = [max(shapes, key=math.prod)]
    return each * math.prod(_joined(shapes))
