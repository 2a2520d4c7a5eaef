# SPDX-License-Identifier: Apache-2.0
"""Structured ops: a call, its NumPy formula and its inputs, one row each. A float input is a shape;
anything else is kept.
"""

from dataclasses import dataclass

import numpy as np
import paddle
import paddle.nn.functional as F
import scipy.special


@dataclass
class Row:
    name: str
    call: object  # of tensors
    ref: object  # of arrays
    # tuples are shapes of float inputs, arrays are given as they are (integers: no gradient)
    inputs: list
    low: float = -2.0
    high: float = 2.0
    second: bool = True  # False: the op has a first-order rule only, as in PaddlePaddle
    grad: bool = True


def conv_ref(x, w, stride=1, padding=0, dilation=1, groups=1):
    n, c, hh, ww = x.shape
    o, cg, kh, kw = w.shape
    x = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    oh = (hh + 2 * padding - dilation * (kh - 1) - 1) // stride + 1
    ow = (ww + 2 * padding - dilation * (kw - 1) - 1) // stride + 1
    out = np.zeros((n, o, oh, ow), x.dtype)
    for g in range(groups):
        chans, outs = slice(g * cg, (g + 1) * cg), slice(g * (o // groups), (g + 1) * (o // groups))
        for i in range(kh):
            for j in range(kw):
                part = x[
                    :,
                    chans,
                    i * dilation : i * dilation + stride * (oh - 1) + 1 : stride,
                    j * dilation : j * dilation + stride * (ow - 1) + 1 : stride,
                ]
                out[:, outs] += np.einsum("nchw,oc->nohw", part, w[outs, :, i, j])
    return out


def pool_ref(x, k, stride, reduce):
    n, c, hh, ww = x.shape
    return np.stack(
        [
            np.stack(
                [
                    reduce(x[:, :, i : i + k, j : j + k], axis=(2, 3))
                    for j in range(0, ww - k + 1, stride)
                ],
                -1,
            )
            for i in range(0, hh - k + 1, stride)
        ],
        -2,
    )


def norm_ref(x, axes, weight=1.0, bias=0.0, eps=1e-5):
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * weight + bias


def log_softmax_ref(x, axis=-1):
    return x - scipy.special.logsumexp(x, axis=axis, keepdims=True)


I = np.array


def batch_norm(x, w, b):
    return F.batch_norm(
        x, paddle.zeros([3], x.dtype), paddle.ones([3], x.dtype), w, b, training=True
    )


MASK = I([[True, False, True], [False, True, True]])
LABEL = I([2, 0, 1, 2])

ROWS = [
    # Reductions.
    Row("sum_all", lambda x: paddle.sum(x), np.sum, [(3, 4)]),
    Row("sum_axes", lambda x: paddle.sum(x, [0, 2]), lambda x: x.sum((0, 2)), [(2, 3, 4)]),
    Row(
        "sum_keepdim",
        lambda x: paddle.sum(x, -1, keepdim=True),
        lambda x: x.sum(-1, keepdims=True),
        [(2, 3, 4)],
    ),
    Row(
        "sum_of_transposed",
        lambda x: paddle.sum(x.transpose([2, 0, 1]), 1),
        lambda x: x.transpose(2, 0, 1).sum(1),
        [(2, 3, 4)],
    ),
    Row("mean", lambda x: paddle.mean(x, 1), lambda x: x.mean(1), [(2, 5, 3)]),
    Row("mean_all", lambda x: paddle.mean(x), np.mean, [(2, 5)]),
    Row("max", lambda x: paddle.max(x, 1), lambda x: x.max(1), [(3, 5)]),
    Row(
        "min", lambda x: paddle.min(x, 0, keepdim=True), lambda x: x.min(0, keepdims=True), [(3, 5)]
    ),
    Row("amax", lambda x: paddle.amax(x, [0, 1]), lambda x: x.max((0, 1)), [(2, 3, 4)]),
    Row("prod", lambda x: paddle.prod(x, 1), lambda x: x.prod(1), [(3, 4)], low=0.5),
    Row(
        "logsumexp",
        lambda x: paddle.logsumexp(x, 1),
        lambda x: scipy.special.logsumexp(x, axis=1),
        [(3, 4)],
    ),
    Row("std", lambda x: paddle.std(x, 1), lambda x: x.std(1, ddof=1), [(3, 4)]),
    Row("var", lambda x: paddle.var(x, 0, unbiased=False), lambda x: x.var(0), [(3, 4)]),
    Row(
        "p_norm",
        lambda x: paddle.norm(x, 3, 1),
        lambda x: (np.abs(x) ** 3).sum(1) ** (1 / 3),
        [(3, 4)],
        low=0.3,
    ),
    Row("norm_all", lambda x: paddle.norm(x), lambda x: np.sqrt((x * x).sum()), [(3, 4)]),
    Row(
        "norm_axis",
        lambda x: paddle.norm(x, axis=0, keepdim=True),
        lambda x: np.sqrt((x * x).sum(0, keepdims=True)),
        [(3, 4)],
    ),
    Row(
        "norm_one",
        lambda x: paddle.linalg.vector_norm(x, 1, 1),
        lambda x: np.abs(x).sum(1),
        [(3, 4)],
    ),
    Row(
        "norm_two_axes",
        lambda x: paddle.linalg.vector_norm(x, 2, [0, 2]),
        lambda x: np.sqrt((x * x).sum((0, 2))),
        [(2, 3, 4)],
    ),
    Row("cumsum", lambda x: paddle.cumsum(x, 1), lambda x: x.cumsum(1), [(3, 4)]),
    Row("cumprod", lambda x: paddle.cumprod(x, 1), lambda x: x.cumprod(1), [(3, 4)], low=0.5),
    # Products.
    Row("matmul", paddle.matmul, np.matmul, [(3, 4), (4, 5)]),
    Row("matmul_1d_1d", paddle.matmul, np.matmul, [(4,), (4,)]),
    Row("matmul_1d_2d", paddle.matmul, np.matmul, [(4,), (4, 3)]),
    Row("matmul_2d_1d", paddle.matmul, np.matmul, [(3, 4), (4,)]),
    Row("matmul_batched", paddle.matmul, np.matmul, [(2, 3, 4), (2, 4, 2)]),
    Row("matmul_broadcast", paddle.matmul, np.matmul, [(2, 1, 3, 4), (3, 4, 2)]),
    Row("matmul_batched_1d", paddle.matmul, np.matmul, [(2, 3, 4), (4,)]),
    Row(
        "matmul_transpose_x",
        lambda x, y: paddle.matmul(x, y, transpose_x=True),
        lambda x, y: x.T @ y,
        [(4, 3), (4, 2)],
    ),
    Row(
        "matmul_transpose_y",
        lambda x, y: paddle.matmul(x, y, transpose_y=True),
        lambda x, y: x @ y.T,
        [(3, 4), (2, 4)],
    ),
    Row(
        "matmul_transpose_both",
        lambda x, y: paddle.matmul(x, y, True, True),
        lambda x, y: np.swapaxes(x, 1, 2) @ y.T,
        [(2, 4, 3), (2, 4)],
    ),
    Row("matmul_empty_inner", paddle.matmul, np.matmul, [(3, 0), (0, 2)]),
    Row("bmm", paddle.bmm, np.matmul, [(2, 3, 4), (2, 4, 2)]),
    Row("dot", paddle.dot, lambda x, y: (x * y).sum(-1), [(5,), (5,)]),
    Row(
        "addmm",
        lambda c, x, y: paddle.addmm(c, x, y, beta=0.5, alpha=2.0),
        lambda c, x, y: 0.5 * c + 2 * x @ y,
        [(3, 2), (3, 4), (4, 2)],
    ),
    Row("linear", F.linear, lambda x, w, b: x @ w + b, [(2, 3, 4), (4, 5), (5,)]),
    Row(
        "einsum",
        lambda x, y: paddle.einsum("bij,bkj->bik", x, y),
        lambda x, y: np.einsum("bij,bkj->bik", x, y),
        [(2, 3, 4), (2, 2, 4)],
    ),
    # Softmax and losses.
    Row("softmax", lambda x: F.softmax(x), lambda x: scipy.special.softmax(x, -1), [(3, 5)]),
    Row(
        "softmax_axis",
        lambda x: F.softmax(x, 1),
        lambda x: scipy.special.softmax(x, 1),
        [(2, 3, 4)],
    ),
    Row("log_softmax", lambda x: F.log_softmax(x, 0), lambda x: log_softmax_ref(x, 0), [(3, 5)]),
    Row(
        "cross_entropy_hard",
        lambda x, y: F.cross_entropy(x, y, reduction="none"),
        lambda x, y: -log_softmax_ref(x)[np.arange(4), y],
        [(4, 3), LABEL],
    ),
    Row(
        "cross_entropy_soft",
        lambda x, y: F.cross_entropy(x, F.softmax(y).detach(), soft_label=True, reduction="none"),
        lambda x, y: -(log_softmax_ref(x) * scipy.special.softmax(y, -1)).sum(-1, keepdims=True),
        [(4, 3), (4, 3)],
        grad=False,
    ),
    Row(
        "softmax_with_cross_entropy",
        F.softmax_with_cross_entropy,
        lambda x, y: -log_softmax_ref(x)[np.arange(4), y[:, 0]][:, None],
        [(4, 3), LABEL[:, None]],
    ),
    Row(
        "nll_loss",
        lambda x, y: F.nll_loss(x, y),
        lambda x, y: -x[np.arange(4), y].mean(),
        [(4, 3), LABEL],
        second=False,
    ),
    Row("mse_loss", F.mse_loss, lambda x, y: ((x - y) ** 2).mean(), [(3, 4), (3, 4)]),
    Row(
        "bce_with_logits",
        F.binary_cross_entropy_with_logits,
        lambda x, y: (np.maximum(x, 0) - x * y + np.log1p(np.exp(-np.abs(x)))).mean(),
        [(3, 2), np.arange(6.0).reshape(3, 2) % 2],
    ),
    Row(
        "smooth_l1",
        F.smooth_l1_loss,
        lambda x, y: np.where(np.abs(x - y) < 1, 0.5 * (x - y) ** 2, np.abs(x - y) - 0.5).mean(),
        [(3, 4), (3, 4)],
    ),
    # Shapes.
    Row("reshape", lambda x: paddle.reshape(x, [4, -1]), lambda x: x.reshape(4, -1), [(2, 3, 4)]),
    Row(
        "reshape_zero",
        lambda x: paddle.reshape(x, [0, -1]),
        lambda x: x.reshape(2, -1),
        [(2, 3, 4)],
    ),
    Row("flatten", lambda x: paddle.flatten(x, 1), lambda x: x.reshape(2, -1), [(2, 3, 4)]),
    Row(
        "transpose",
        lambda x: paddle.transpose(x, [2, 0, 1]),
        lambda x: x.transpose(2, 0, 1),
        [(2, 3, 4)],
    ),
    Row(
        "expand",
        lambda x: paddle.expand(x, [4, 2, 3]),
        lambda x: np.broadcast_to(x, (4, 2, 3)),
        [(2, 1)],
    ),
    Row("squeeze", lambda x: paddle.squeeze(x, 1), lambda x: x.squeeze(1), [(2, 1, 3)]),
    Row("unsqueeze", lambda x: paddle.unsqueeze(x, [0, 2]), lambda x: x[None, :, None], [(2, 3)]),
    Row(
        "concat",
        lambda x, y: paddle.concat([x, y], 1),
        lambda x, y: np.concatenate([x, y], 1),
        [(2, 3), (2, 2)],
    ),
    Row("split", lambda x: paddle.split(x, [1, -1], 1)[1], lambda x: x[:, 1:], [(2, 4)]),
    Row("chunk", lambda x: paddle.chunk(x, 2, 1)[1], lambda x: x[:, 2:], [(2, 4)]),
    Row(
        "stack",
        lambda x, y: paddle.stack([x, y], 1),
        lambda x, y: np.stack([x, y], 1),
        [(2, 3), (2, 3)],
    ),
    Row("unstack", lambda x: paddle.unstack(x, 1)[2], lambda x: x[:, 2], [(2, 3)]),
    Row(
        "slice",
        lambda x: paddle.slice(x, [0, 1], [0, -3], [2, 4]),
        lambda x: x[0:2, -3:4],
        [(3, 5)],
    ),
    Row(
        "strided_slice",
        lambda x: paddle.strided_slice(x, [1], [4], [0], [-2]),
        lambda x: x[:, 4:0:-2],
        [(3, 5)],
    ),
    Row("getitem", lambda x: x[1:, ::2], lambda x: x[1:, ::2], [(3, 5)]),
    Row(
        "getitem_mixed",
        lambda x: x[:, None, [2, 0], -1],
        lambda x: x[:, None, [2, 0], -1],
        [(3, 4, 5)],
    ),
    Row("tile", lambda x: paddle.tile(x, [2, 1, 2]), lambda x: np.tile(x, (2, 1, 2)), [(2, 3)]),
    Row("flip", lambda x: paddle.flip(x, [0, 1]), lambda x: x[::-1, ::-1], [(2, 3)]),
    Row("roll", lambda x: paddle.roll(x, 2, 1), lambda x: np.roll(x, 2, 1), [(2, 5)]),
    Row(
        "pad",
        lambda x: F.pad(x, [1, 2, 0, 1]),
        lambda x: np.pad(x, [(0, 0), (0, 0), (0, 1), (1, 2)]),
        [(1, 2, 3, 4)],
    ),
    Row("tril", lambda x: paddle.tril(x, -1), lambda x: np.tril(x, -1), [(4, 3)]),
    Row("triu", lambda x: paddle.triu(x, 1), lambda x: np.triu(x, 1), [(2, 3, 4)]),
    Row("diagonal", lambda x: paddle.diagonal(x, 1), lambda x: np.diagonal(x, 1), [(3, 4)]),
    Row(
        "cast",
        lambda x: paddle.cast(x, "float32").astype("float64"),
        lambda x: x.astype("float32"),
        [(3, 4)],
        grad=False,
    ),
    Row(
        "repeat_interleave",
        lambda x: paddle.repeat_interleave(x, 2, 1),
        lambda x: np.repeat(x, 2, 1),
        [(2, 3)],
    ),
    # Selection and indexing.
    Row("where", lambda c, x, y: paddle.where(c, x, y), np.where, [MASK, (2, 3), (3,)]),
    Row("clip", lambda x: paddle.clip(x, -0.5, 1.0), lambda x: np.clip(x, -0.5, 1.0), [(3, 4)]),
    Row("masked_select", paddle.masked_select, lambda x, m: x[m], [(2, 3), MASK]),
    Row(
        "masked_fill",
        lambda x, m: paddle.masked_fill(x, m, 0.5),
        lambda x, m: np.where(m, 0.5, x),
        [(2, 3), MASK],
    ),
    Row(
        "gather", lambda x, i: paddle.gather(x, i, 1), lambda x, i: x[:, i], [(2, 4), I([3, 0, 3])]
    ),
    Row(
        "gather_nd",
        paddle.gather_nd,
        lambda x, i: x[i[:, 0], i[:, 1]],
        [(2, 3, 2), I([[1, 2], [0, 0], [1, 2]])],
    ),
    Row(
        "index_select",
        lambda x, i: paddle.index_select(x, i, 1),
        lambda x, i: x[:, i],
        [(2, 4), I([3, 0, 3])],
    ),
    Row(
        "take_along_axis",
        lambda x, i: paddle.take_along_axis(x, i, 1),
        lambda x, i: np.take_along_axis(x, i, 1),
        [(2, 3), I([[2, 0], [1, 1]])],
    ),
    Row(
        "embedding",
        lambda i, w: F.embedding(i, w),
        lambda i, w: w[i],
        [I([[1, 3], [0, 1]]), (4, 3)],
    ),
    Row("sort", lambda x: paddle.sort(x, 1, descending=True), lambda x: -np.sort(-x, 1), [(3, 5)]),
    Row("topk", lambda x: paddle.topk(x, 2)[0], lambda x: -np.sort(-x, -1)[..., :2], [(3, 5)]),
    # Convolution, pooling, normalisation.
    Row("conv2d", F.conv2d, conv_ref, [(2, 3, 5, 6), (4, 3, 3, 2)]),
    Row(
        "conv2d_stride_padding",
        lambda x, w: F.conv2d(x, w, stride=2, padding=1),
        lambda x, w: conv_ref(x, w, 2, 1),
        [(1, 2, 6, 5), (3, 2, 3, 3)],
    ),
    Row(
        "conv2d_dilation",
        lambda x, w: F.conv2d(x, w, dilation=2, padding=2),
        lambda x, w: conv_ref(x, w, 1, 2, 2),
        [(1, 2, 5, 5), (2, 2, 3, 3)],
    ),
    Row(
        "conv2d_groups",
        lambda x, w: F.conv2d(x, w, groups=2),
        lambda x, w: conv_ref(x, w, groups=2),
        [(2, 4, 4, 4), (6, 2, 2, 2)],
    ),
    Row(
        "conv2d_depthwise",
        lambda x, w: F.conv2d(x, w, padding=1, groups=3),
        lambda x, w: conv_ref(x, w, 1, 1, 1, 3),
        [(1, 3, 4, 4), (3, 1, 3, 3)],
    ),
    Row(
        "max_pool2d",
        lambda x: F.max_pool2d(x, 2, 2),
        lambda x: pool_ref(x, 2, 2, np.max),
        [(2, 2, 4, 6)],
    ),
    Row(
        "avg_pool2d",
        lambda x: F.avg_pool2d(x, 3, 1),
        lambda x: pool_ref(x, 3, 1, np.mean),
        [(2, 2, 4, 5)],
    ),
    Row(
        "adaptive_avg_pool2d",
        lambda x: F.adaptive_avg_pool2d(x, 2),
        lambda x: pool_ref(x, 2, 2, np.mean),
        [(1, 2, 4, 4)],
    ),
    Row(
        "layer_norm",
        lambda x, w, b: F.layer_norm(x, 4, w, b),
        lambda x, w, b: norm_ref(x, (-1,), w, b),
        [(2, 3, 4), (4,), (4,)],
    ),
    Row(
        "batch_norm_train",
        batch_norm,
        lambda x, w, b: norm_ref(x, (0, 2, 3), w[:, None, None], b[:, None, None]),
        [(2, 3, 2, 4), (3,), (3,)],
    ),
    Row(
        "group_norm",
        lambda x, w, b: F.group_norm(x, 2, 1e-5, w, b),
        lambda x, w, b: (
            norm_ref(x.reshape(2, 2, 2, 3, 2), (2, 3, 4)).reshape(x.shape) * w[:, None, None]
            + b[:, None, None]
        ),
        [(2, 4, 3, 2), (4,), (4,)],
    ),
    Row(
        "instance_norm", lambda x: F.instance_norm(x), lambda x: norm_ref(x, (2, 3)), [(2, 3, 3, 2)]
    ),
]

# Random values of PaddlePaddle 3.3.1 on the CPU after paddle.seed(42).
FROZEN = {
    'paddle.rand([4])': [
        0.8496642708778381,
        0.8275496363639832,
        0.6830853819847107,
        0.9954831004142761,
    ],
    'paddle.randn([4])': [
        0.28241217136383057,
        0.3014793395996094,
        -0.4639970064163208,
        -0.40545371174812317,
    ],
    'paddle.randint(0, 1000, [4])': [849, 827, 683, 995],
    "paddle.uniform([3], 'float64', -2, 3)": [
        2.2483212592069526,
        2.1377483127943764,
        1.4154268942167332,
    ],
    'paddle.normal(1.0, 2.0, [3])': [1.5648243427276611, 1.6029586791992188, 0.0720059871673584],
    'paddle.randperm(8)': [0, 3, 5, 4, 1, 2, 6, 7],
    'paddle.bernoulli(paddle.full([8], 0.5))': [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
    'paddle.nn.functional.dropout(paddle.ones([8]), 0.5)': [2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0, 2.0],
    "paddle.standard_normal([3], 'float64')": [
        0.28241214983813484,
        0.30147926977735906,
        -0.4639969505949328,
    ],
    'paddle.poisson(paddle.full([6], 3.0))': [5.0, 6.0, 7.0, 4.0, 2.0, 6.0],
    'paddle.ones([3]).exponential_(2.0)': [
        0.9474421739578247,
        0.878822922706604,
        0.5745614171028137,
    ],
    'paddle.multinomial(paddle.to_tensor([0.1, 0.2, 0.3, 0.4]), 6, True)': [3, 3, 3, 3, 1, 1],
}
