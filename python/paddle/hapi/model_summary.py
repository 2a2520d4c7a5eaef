# SPDX-License-Identifier: Apache-2.0
"""paddle.summary: a table of layers, shapes and parameter counts."""

import numbers

import numpy as np

import paddle
from paddle.base.arguments import instance

__all__ = ['summary']


def _sizes(input_size):
    """A list of shapes, with -1 and None as 1."""
    from paddle.static import InputSpec

    if isinstance(input_size, InputSpec):
        return [_fixed(input_size.shape)]
    if (
        isinstance(input_size, (list, tuple))
        and input_size
        and all(isinstance(v, numbers.Number) or v is None for v in input_size)
    ):
        return [_fixed(input_size)]
    if isinstance(input_size, (list, tuple)):
        return [shape for item in input_size for shape in _sizes(item)]
    raise TypeError(
        "[summary] expected input_size to be a tuple, an InputSpec or a list of them, got "
        f"{input_size!r}"
    )


def _fixed(shape):
    out = []
    for dim in shape:
        if dim is None or dim == -1:
            dim = 1
        if not isinstance(dim, numbers.Integral) or dim <= 0:
            raise ValueError(f"[summary] expected positive extents, got {dim!r}")
        out.append(int(dim))
    return out


def _shape(value):
    if isinstance(value, paddle.Tensor):
        return list(value.shape)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [_shape(item) for item in value]
    return []


def _numel(shape):
    if not shape:
        return 0
    if isinstance(shape[0], list):
        return sum(_numel(s) for s in shape)
    return int(np.prod(shape))


class _Rows:
    """Collects one row for each leaf layer that runs."""

    def __init__(self, net):
        self.rows = []
        self.handles = []
        for layer in net.sublayers(include_self=True):
            if not list(layer.children()) or self._is_rnn(layer):
                self.handles.append(layer.register_forward_post_hook(self._hook))

    @staticmethod
    def _is_rnn(layer):
        return isinstance(
            layer, (paddle.nn.LSTM, paddle.nn.GRU, paddle.nn.SimpleRNN, paddle.nn.RNNCellBase)
        )

    def _hook(self, layer, inputs, output):
        params = layer.parameters(include_sublayers=self._is_rnn(layer))
        trainable = sum(int(p.size) for p in params if not p.stop_gradient)
        total = sum(int(p.size) for p in params)
        total += sum(
            int(b.size) for b in layer.buffers(include_sublayers=False) if 'float' in str(b.dtype)
        )
        self.rows.append(
            (layer, self._name(layer), _shape(inputs), _shape(output), total, trainable)
        )

    @staticmethod
    def _name(layer):
        number = layer.full_name().rsplit('_', 1)[-1]
        index = int(number) + 1 if number.isdigit() else number
        return f'{type(layer).__name__}-{index}'

    def remove(self):
        for handle in self.handles:
            handle.remove()


def summary(net, input_size=None, dtypes=None, input=None):
    """Run a network and print its layers.

    Args:
        net (Layer): The network.
        input_size (tuple of ints, InputSpec or list of tuples, default None): The shapes of its
            inputs, which are zeros.
        dtypes (str or list of strs, default None): Their dtypes; None for float32.
        input (Tensor or list of Tensors, default None): The inputs, instead of zeros.

    Returns:
        dict: `total_params` and `trainable_params`.

    Examples:
        >>> import contextlib, io
        >>> with contextlib.redirect_stdout(io.StringIO()) as table:
        ...     counts = paddle.summary(paddle.nn.Linear(4, 3), (2, 4))
        >>> counts, "Linear" in table.getvalue()
        ({'total_params': 15, 'trainable_params': 15}, True)
    """
    instance('summary', 'net', net, paddle.nn.Layer, 'a Layer')
    if input_size is None and input is None:
        raise ValueError("[summary] expected input_size or input, got neither")
    if input is not None:
        if isinstance(input, dict):
            args, kwargs = [], input
        else:
            args, kwargs = list(input) if isinstance(input, (list, tuple)) else [input], {}
    else:
        sizes = _sizes(input_size)
        from paddle.static import InputSpec

        if (
            dtypes is None
            and isinstance(input_size, (list, tuple))
            and all(isinstance(i, InputSpec) for i in input_size)
        ):
            dtypes = [str(i.dtype).rsplit('.', 1)[-1] for i in input_size]
        if dtypes is None or isinstance(dtypes, str):
            dtypes = [dtypes or 'float32'] * len(sizes)
        if len(dtypes) != len(sizes):
            raise ValueError(
                f'[summary] expected dtypes for {len(sizes)} inputs, got {len(dtypes)}'
            )
        args = [
            paddle.rand(s).astype(d) if 'float' in str(d) else paddle.ones(s, dtype=d)
            for s, d in zip(sizes, dtypes)
        ]
        kwargs = {}
    training = [(layer, layer.training) for layer in net.sublayers(include_self=True)]
    rows = _Rows(net)
    try:
        net.eval()
        with paddle.no_grad():
            net(*args, **kwargs)
    finally:
        rows.remove()
        for layer, mode in training:
            layer.training = mode
    return _report(net, rows.rows, args + list(kwargs.values()))


def _report(net, rows, inputs):
    lines = [('Layer (type)', 'Input Shape', 'Output Shape', 'Param #')]
    for _, name, shape_in, shape_out, total, _ in rows:
        lines.append((name, str(shape_in), str(shape_out), f'{total:,}'))
    widths = [max([15, 20, 20, 15][i], max(len(line[i]) for line in lines)) for i in range(4)]
    total_width = sum(widths) + 5
    print('-' * total_width)
    for i, line in enumerate(lines):
        print(' '.join(f'{cell:^{width}}' for cell, width in zip(line, widths)))
        if i == 0:
            print('=' * total_width)
    print('=' * total_width)
    total = trainable = 0
    seen = set()
    for tensor in list(net.parameters()) + [b for b in net.buffers() if 'float' in str(b.dtype)]:
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        total += int(tensor.size)
        if not tensor.stop_gradient:
            trainable += int(tensor.size)
    print(f'Total params: {total:,}')
    print(f'Trainable params: {trainable:,}')
    print(f'Non-trainable params: {total - trainable:,}')
    print('-' * total_width)
    mega = 4.0 / 1024**2
    size_in = sum(int(t.size) for t in inputs if isinstance(t, paddle.Tensor)) * mega
    size_out = 2.0 * sum(_numel(row[3]) for row in rows) * mega
    size_params = total * mega
    print(f'Input size (MB): {size_in:.2f}')
    print(f'Forward/backward pass size (MB): {size_out:.2f}')
    print(f'Params size (MB): {size_params:.2f}')
    print(f'Estimated Total Size (MB): {size_in + size_out + size_params:.2f}')
    print('-' * total_width)
    print()
    return {'total_params': total, 'trainable_params': trainable}
