# SPDX-License-Identifier: Apache-2.0
"""Operations on steps of sequences and on trees, under the names, arguments and results of the
operations that programs call; none has a public function.
"""

import paddle


def waves(place, width, dtype):
    """Sines and cosines [places, width] of integers: the first half of the last axis has the sines,
    wavelengths rise from 2 pi to 10000 times that.
    """
    half = width // 2
    steps = max(half - 1, 1)
    power = paddle.arange(half, dtype='float32') / steps if half > 1 else paddle.ones([1])
    angle = place.astype('float32').unsqueeze(1) / paddle.pow(paddle.full([], 10000.0), power)
    return paddle.concat([paddle.sin(angle), paddle.cos(angle)], 1).astype(dtype)


def add_position_encoding(x, alpha=1.0, beta=1.0):
    """alpha x + beta times the waves of the places of the rows."""
    if x.ndim != 3 or x.shape[2] % 2:
        raise ValueError(
            f'[add_position_encoding] expected x [N, T, D] with an even D, got {list(x.shape)}'
        )
    _, rows, width = x.shape
    place = paddle.arange(rows if rows >= 0 else paddle.shape(x)[1], dtype='int64')
    return x * alpha + waves(place, width, x.dtype) * beta


_BY_NUMBER = ('identity', 'sigmoid', 'tanh', 'relu')


def _activation(which):
    known = range(len(_BY_NUMBER)) if isinstance(which, int) else _BY_NUMBER
    if which not in known:
        raise ValueError(
            f"[activation] expected one of {', '.join(_BY_NUMBER)}, or its number, got {which!r}"
        )
    name = _BY_NUMBER[which] if isinstance(which, int) else which
    if name == 'identity':
        return lambda x: x
    return getattr(paddle.nn.functional, name)


def gru_unit(
    input, hidden_prev, weight, bias=None, activation=2, gate_activation=1, origin_mode=False
):
    """The last result of `gru_unit_whole`."""
    return gru_unit_whole(
        input, hidden_prev, weight, bias, activation, gate_activation, origin_mode
    )[2]


def gru_unit_whole(
    input, hidden_prev, weight, bias=None, activation=2, gate_activation=1, origin_mode=False
):
    """(gates, hidden states that were reset, hidden states) of a step; activations are numbers of
    identity, sigmoid, tanh and relu.
    """
    size = hidden_prev.shape[1]
    x = input if bias is None else input + bias
    gate, act = _activation(gate_activation), _activation(activation)
    # The weight of the candidate lies behind that of the gates, as a matrix of its own.
    flat = weight.reshape([-1])[2 * size * size :].reshape([size, size])
    first = weight.reshape([-1])[: 2 * size * size].reshape([size, 2 * size])
    both = gate(x[:, : 2 * size] + hidden_prev @ first)
    update, reset = both[:, :size], both[:, size:]
    kept = reset * hidden_prev
    candidate = act(x[:, 2 * size :] + kept @ flat)
    hidden = (
        update * hidden_prev + (1 - update) * candidate
        if origin_mode
        else update * candidate + (1 - update) * hidden_prev
    )
    return paddle.concat([update, reset, candidate], 1), kept, hidden


def im2sequence(
    x, y=None, kernels=(1, 1), strides=(1, 1), paddings=(0, 0, 0, 0), out_stride=(1, 1)
):
    """The windows of images x [N, C, H, W] as rows [windows, C * height * width], those of an image
    behind one another. y [N, 2]: the height and width of each image before it went through layers
    of stride out_stride; only windows within what is left of them are taken.
    """
    columns = paddle.nn.functional.unfold(
        x, list(kernels), list(strides), [paddings[0], paddings[1], paddings[2], paddings[3]]
    )
    rows = columns.transpose([0, 2, 1])
    if y is None:
        return rows.reshape([-1, columns.shape[1]])
    before, behind = paddings[:2], paddings[2:]

    def windows(extents):
        return [
            max(0, (int(n) + before[k] + behind[k] - kernels[k]) // strides[k] + 1)
            for k, n in enumerate(extents)
        ]

    grid = rows.reshape([x.shape[0], *windows(x.shape[2:]), -1])
    left = [[-(-n // s) for n, s in zip(sizes, out_stride)] for sizes in y.tolist()]
    kept = [image[:h, :w] for image, (h, w) in zip(grid, map(windows, left))]
    return paddle.concat([part.reshape([-1, columns.shape[1]]) for part in kept])


def tdm_child(x, tree_info, child_nums, dtype='int32'):
    """(children of the nodes x in a tree, which of them are leaves): a row of tree_info is item,
    layer, ancestor, children; 0 is no node.
    """
    flat = paddle.gather(tree_info, x.reshape([-1]))
    has = (x.reshape([-1]) != 0) & (flat[:, 3] != 0)
    children = flat[:, 3 : 3 + child_nums] * has.unsqueeze(1).astype(flat.dtype)
    items = paddle.gather(tree_info[:, 0], children.reshape([-1])).reshape(children.shape)
    leaf = (items != 0) & has.unsqueeze(1)
    shape = [*x.shape, child_nums]
    return children.reshape(shape).astype(dtype), leaf.reshape(shape).astype(dtype)
