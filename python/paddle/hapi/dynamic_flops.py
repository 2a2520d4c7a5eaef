# SPDX-License-Identifier: Apache-2.0
"""paddle.flops: multiply-adds of a network, layer by layer."""

import numpy as np

import paddle

__all__ = ['flops']


def _numel(tensor):
    return int(np.prod(tensor.shape))


def _conv(layer, x, y):
    kernel = int(np.prod(layer.weight.shape[2:]))
    bias = 1 if layer.bias is not None else 0
    channels = layer._in_channels if hasattr(layer, '_in_channels') else x.shape[1]
    return _numel(y) * (channels / layer._groups * kernel + bias)


def _linear(layer, x, y):
    return layer.weight.shape[0] * _numel(y)


def _norm(layer, x, y):
    return 2 * _numel(x)


def _activation(layer, x, y):
    return _numel(x)


def _pool(layer, x, y):
    return _numel(y)


def _adaptive(layer, x, y):
    kernel = np.array(x.shape[2:]) // np.array(y.shape[2:])
    return (int(np.prod(kernel)) + 1) * _numel(y)


def _zero(layer, x, y):
    return 0


_RULES = {
    'Conv1D': _conv,
    'Conv2D': _conv,
    'Conv3D': _conv,
    'Conv1DTranspose': _conv,
    'Conv2DTranspose': _conv,
    'Conv3DTranspose': _conv,
    'BatchNorm': _norm,
    'BatchNorm1D': _norm,
    'BatchNorm2D': _norm,
    'BatchNorm3D': _norm,
    'SyncBatchNorm': _norm,
    'ReLU': _zero,
    'ReLU6': _zero,
    'LeakyReLU': _activation,
    'Linear': _linear,
    'Dropout': _zero,
    'AvgPool1D': _pool,
    'AvgPool2D': _pool,
    'AvgPool3D': _pool,
    'AdaptiveAvgPool1D': _adaptive,
    'AdaptiveAvgPool2D': _adaptive,
    'AdaptiveAvgPool3D': _adaptive,
}


def flops(net, input_size, custom_ops=None, print_detail=False):
    """Count the multiply-adds of one forward.

    Args:
        net (Layer or Program): The network.
        input_size (list of ints): The shape of its input.
        custom_ops (dict, default None): From classes of layers to functions (layer, inputs, output)
            that add to `layer.total_ops`.
        print_detail (bool, default False): Whether a table of layers is printed.

    Returns:
        int: the count.

    Examples:
        >>> paddle.flops(paddle.nn.Sequential(paddle.nn.Linear(4, 3)), [2, 4])
        <class 'paddle.nn.layer.common.Linear'>'s flops has been counted
        Total Flops: 24     Total Params: 15
        24
    """
    if not isinstance(net, paddle.nn.Layer):
        raise TypeError(f"[flops] expected a nn.Layer, got {type(net).__name__}")
    rows, handles, told = [], [], set()
    custom_ops = custom_ops or {}

    def hook(layer, inputs, output):
        x = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        y = output[0] if isinstance(output, (list, tuple)) else output
        kind = type(layer)
        if kind in custom_ops:
            layer.total_ops = 0
            custom_ops[kind](layer, inputs, output)
            count = int(layer.total_ops)
            message = f"Customize Function has been applied to {kind}"
        elif kind.__name__ in _RULES:
            count = int(_RULES[kind.__name__](layer, x, y))
            message = f"{kind}'s flops has been counted"
        else:
            count = 0
            message = f"Cannot find suitable count function for {kind}. Treat it as zero FLOPs."
        if kind not in told:
            told.add(kind)
            print(message)
        params = sum(int(p.size) for p in layer.parameters())
        rows.append((layer.full_name(), list(x.shape), list(y.shape), params, count))

    for layer in net.sublayers(include_self=True):
        if not list(layer.children()):
            handles.append(layer.register_forward_post_hook(hook))
    training = [(layer, layer.training) for layer in net.sublayers(include_self=True)]
    try:
        net.eval()
        with paddle.no_grad():
            net(paddle.randn([int(d) if d not in (None, -1) else 1 for d in input_size]))
    finally:
        for handle in handles:
            handle.remove()
        for layer, mode in training:
            layer.training = mode
    total = sum(row[4] for row in rows)
    params = sum(row[3] for row in rows)
    if print_detail:
        head = ('Layer Name', 'Input Shape', 'Output Shape', 'Params', 'Flops')
        table = [head] + [tuple(str(cell) for cell in row) for row in rows]
        widths = [max(len(row[i]) for row in table) + 2 for i in range(5)]
        edge = '+' + '+'.join('-' * w for w in widths) + '+'
        print(edge)
        for i, row in enumerate(table):
            print('|' + '|'.join(cell.center(w) for cell, w in zip(row, widths)) + '|')
            if i == 0:
                print(edge)
        print(edge)
    print(f'Total Flops: {total}     Total Params: {params}')
    return total
