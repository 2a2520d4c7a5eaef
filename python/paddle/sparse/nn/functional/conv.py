# SPDX-License-Identifier: Apache-2.0
"""Convolutions of sparse images and volumes: for each place in the window, the rows of the elements
there times the weight there, added up where the results stand.
"""

import paddle

from ...pattern import gather, segment_sum
from ...tensor import SparseTensor, expect_dense
from .windows import expect_image, numbers, padding_pairs, subm_pairs, window_pairs

__all__ = [
    'conv2d',
    'conv3d',
    'subm_conv2d',
    'subm_conv2d_igemm',
    'subm_conv3d',
    'subm_conv3d_igemm',
]

_ARGS = """

    Args:
        x (Tensor): A sparse COO tensor, {format}, whose channels are dense.
        weight (Tensor): [*kernel extents, channels of x, channels of the result].
        bias (Tensor, default None): One number for each channel of the result.
        stride (int or list of int, default 1): Steps of the window{stride}.
        padding (int, str or list, default 0): Zeros around x: for all axes, for each, before and
            after each, 'SAME' or 'VALID'{stride}.
        dilation (int or list of int, default 1): Steps within the window.
        groups (int, default 1): It must be 1.
        data_format (str, default '{format}'): It must be '{format}'.{key}
        name (str, default None): Taken for compatibility; it has no effect.

    Returns:
        Tensor: a sparse COO tensor; {result}.

    Examples:
        >>> x = paddle.ones([1, {axes}, 1]).to_sparse_coo({sparse})
        >>> weight = paddle.ones([{kernel}, 1, 4])
        >>> paddle.sparse.nn.functional.{name}(x, weight).shape
        paddle.Size([1, {out}, 4])
    """
_KEY = """
        key (str, default None): Taken for compatibility: what is derived from the places of x is
            kept with them."""


def _convolve(op, count, subm, x, weight, bias, stride, padding, dilation, groups, data_format):
    p = expect_image(op, x, count, data_format)
    expect_dense(op, weight, 'weight')
    if groups != 1:
        raise AssertionError(f'[{op}] expected groups=1, got {groups}')
    if weight.ndim != count + 2 or weight.shape[-2] != p.shape[-1]:
        raise ValueError(
            f'[{op}] expected weight of {count} kernel extents, {p.shape[-1]} channels of x and '
            f'those of the result, got shape {list(weight.shape)}'
        )
    channels = weight.shape[-1]
    if bias is not None and list(expect_dense(op, bias, 'bias').shape) != [channels]:
        raise ValueError(f'[{op}] expected bias of shape [{channels}], got {list(bias.shape)}')
    kernel = list(weight.shape[:count])
    stride = numbers(op, 'stride', stride, count, 1)
    dilation = numbers(op, 'dilation', dilation, count, 1)
    pads = padding_pairs(op, padding, p.shape[1:-1], kernel, stride, dilation)
    if subm:
        pairs, numbered, total = p.derived(
            ('subm', *kernel, *dilation), lambda: subm_pairs(p, kernel, dilation)
        )
        out = p
    else:
        pairs, out = p.derived(
            ('conv', *kernel, *stride, *dilation, *pads),
            lambda: window_pairs(op, p, kernel, stride, pads, dilation),
        )
        total = out.nnz
    each = weight.reshape([-1, *weight.shape[-2:]])
    found = [(i, *pair) for i, pair in enumerate(pairs) if pair[0].shape[0]]
    if found:
        rows = paddle.concat([paddle.matmul(gather(x._values, a), each[i]) for i, a, _ in found])
        values = segment_sum(rows, paddle.concat([b for *_, b in found]), total)
    else:
        values = paddle.matmul(x._values[:0], each[0])
        values = segment_sum(values, paddle.zeros([0], 'int64'), total)
    if subm:
        values = gather(values, numbered)
    return SparseTensor(out.with_channels(channels), values if bias is None else values + bias)


def _made(count, subm, name):
    data_format = {2: 'NHWC', 3: 'NDHWC'}[count]
    if subm:

        def function(
            x,
            weight,
            bias=None,
            stride=1,
            padding=0,
            dilation=1,
            groups=1,
            data_format=data_format,
            key=None,
            name=None,
        ):
            return _convolve(
                label, count, True, x, weight, bias, 1, padding, dilation, groups, data_format
            )

        what = 'A submanifold convolution: results stand where elements of x do'
        result = 'its elements stand where those of x do'
    else:

        def function(
            x,
            weight,
            bias=None,
            stride=1,
            padding=0,
            dilation=1,
            groups=1,
            data_format=data_format,
            name=None,
        ):
            return _convolve(
                label, count, False, x, weight, bias, stride, padding, dilation, groups, data_format
            )

        what = 'A convolution: a result stands wherever a window holds an element of x'
        result = 'its elements are in order'
    label = function.__name__ = function.__qualname__ = name
    function.__module__ = 'paddle.sparse.nn.functional'
    function.__doc__ = f'{what}, in {count} dimensions.' + _ARGS.format(
        format=data_format,
        stride='; the results stand where x has elements whatever it is' if subm else '',
        key=_KEY if subm else '',
        result=result,
        name=name,
        sparse=count + 1,
        axes=', '.join('4' * count),
        kernel=', '.join('3' * count),
        out=', '.join(('4' if subm else '2') * count),
    )
    return function


conv2d, conv3d = _made(2, False, 'conv2d'), _made(3, False, 'conv3d')
subm_conv2d, subm_conv3d = _made(2, True, 'subm_conv2d'), _made(3, True, 'subm_conv3d')
subm_conv2d_igemm = _made(2, True, 'subm_conv2d_igemm')
subm_conv3d_igemm = _made(3, True, 'subm_conv3d_igemm')
