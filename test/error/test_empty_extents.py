# SPDX-License-Identifier: Apache-2.0
"""Results and gradients over extents of zero depend on nothing that memory held: they are computed
after filling free memory with one value and with another."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def t(*shape, dtype="float32"):
    x = paddle.full(list(shape), 0.75).astype(dtype)
    if x.is_floating_point() or x.is_complex():
        x.stop_gradient = False
    return x


def z(*shape, dtype="int64"):
    return paddle.zeros(list(shape), dtype)


def lstm(time, batch):
    net = paddle.nn.LSTM(3, 4)
    for p in net.parameters():
        p.set_value(paddle.full_like(p, 0.1))
    x = t(batch, time, 3)
    y, (h, c) = net(x)
    return [x, *net.parameters()], [y, h, c]


def batch_norm(shape, training, weights=True):
    c = shape[1]
    x, s, b = t(*shape), t(c), t(c)
    y = F.batch_norm(
        x,
        paddle.zeros([c]),
        paddle.ones([c]),
        s if weights else None,
        b if weights else None,
        training=training,
    )
    return [x, s, b] if weights else [x], [y]


def unary(f, *shape, dtype="float32"):
    def run():
        x = t(*shape, dtype=dtype)
        y = f(x)
        return [x] if not x.stop_gradient else [], list(y) if isinstance(y, (list, tuple)) else [y]

    return run


def several(f, *shapes):
    def run():
        xs = [t(*s) for s in shapes]
        y = f(*xs)
        return xs, list(y) if isinstance(y, (list, tuple)) else [y]

    return run


CASES = {
    "layer_norm": several(lambda x, s, b: F.layer_norm(x, [3], s, b), (0, 3), (3,), (3,)),
    "layer_norm_bias_only": several(lambda x, b: F.layer_norm(x, [3], None, b), (0, 3), (3,)),
    "layer_norm_scale_only": several(lambda x, s: F.layer_norm(x, [2, 3], s), (0, 2, 3), (2, 3)),
    "layer_norm_columns": several(lambda x, s, b: F.layer_norm(x, [0], s, b), (3, 0), (0,), (0,)),
    "layer_norm_op": lambda: (
        [],
        list(
            paddle.base.libpaddle._functions('paddle._C_ops.whole')['layer_norm'](
                paddle.zeros([3, 0]), None, None, 1e-5, 1
            )
        ),
    ),
    "rms_norm": several(
        lambda x, s: (
            F.rms_norm(x, [3], s)
            if hasattr(F, "rms_norm")
            else paddle._C_ops.rms_norm(x, s, [3], 1e-5)[0]
        ),
        (0, 3),
        (3,),
    ),
    "rms_norm_op": lambda: (
        [],
        list(paddle._C_ops.rms_norm(paddle.zeros([3, 0]), None, [0], 1e-5)),
    ),
    "batch_norm_train": lambda: batch_norm((0, 3, 2), True),
    "batch_norm_train_space": lambda: batch_norm((2, 3, 0), True),
    "batch_norm_eval": lambda: batch_norm((0, 3, 2), False),
    "batch_norm_plain": lambda: batch_norm((0, 3), True, False),
    "group_norm": several(
        lambda x, s, b: F.group_norm(x, 2, weight=s, bias=b), (0, 4, 3), (4,), (4,)
    ),
    "group_norm_space": several(
        lambda x, s, b: F.group_norm(x, 2, weight=s, bias=b), (2, 4, 0), (4,), (4,)
    ),
    "instance_norm": several(
        lambda x, s, b: F.instance_norm(x, weight=s, bias=b), (0, 4, 3), (4,), (4,)
    ),
    "linear_batch": several(lambda x, w, b: F.linear(x, w, b), (0, 3), (3, 4), (4,)),
    "linear_inner": several(lambda x, w, b: F.linear(x, w, b), (2, 0), (0, 4), (4,)),
    "matmul_inner": several(paddle.matmul, (2, 0), (0, 4)),
    "matmul_batch": several(paddle.matmul, (0, 2, 3), (3, 4)),
    "matmul_vectors": several(paddle.matmul, (0,), (0,)),
    "bmm": several(paddle.bmm, (2, 3, 0), (2, 0, 4)),
    "einsum": several(lambda x, y: paddle.einsum("bi,bj->ij", x, y), (0, 2), (0, 3)),
    "addmm": several(lambda i, x, y: paddle.addmm(i, x, y), (2, 4), (2, 0), (0, 4)),
    "conv_batch": several(lambda x, w, b: F.conv2d(x, w, b), (0, 2, 4, 4), (3, 2, 3, 3), (3,)),
    "conv_channels": several(lambda x, w, b: F.conv2d(x, w, b), (2, 0, 4, 4), (3, 0, 3, 3), (3,)),
    "conv_transpose_channels": several(
        lambda x, w, b: F.conv2d_transpose(x, w, b), (2, 0, 4, 4), (0, 3, 3, 3), (3,)
    ),
    "conv_transpose_batch": several(
        lambda x, w, b: F.conv2d_transpose(x, w, b), (0, 2, 4, 4), (2, 3, 3, 3), (3,)
    ),
    "embedding": lambda: (lambda w: ([w], [F.embedding(z(0), w)]))(t(3, 2)),
    "embedding_width": lambda: (lambda w: ([w], [F.embedding(z(4), w)]))(t(3, 0)),
    "gather": lambda: (lambda x: ([x], [paddle.gather(x, z(0))]))(t(3, 2)),
    "index_add": lambda: (lambda x, v: ([x, v], [paddle.index_add(x, z(0), 0, v)]))(
        t(3, 2), t(0, 2)
    ),
    "scatter": lambda: (lambda x, v: ([x, v], [paddle.scatter(x, z(0), v)]))(t(3, 2), t(0, 2)),
    "scatter_nd": lambda: (lambda v: ([v], [paddle.scatter_nd(z(0, 1), v, [3])]))(t(0)),
    "take_along_axis": lambda: (lambda x: ([x], [paddle.take_along_axis(x, z(3, 0), 1)]))(t(3, 2)),
    "masked_select": lambda: (
        lambda x: ([x], [paddle.masked_select(x, paddle.zeros([3, 2], "bool"))])
    )(t(3, 2)),
    "slice": unary(lambda x: x[2:1], 3, 2),
    "strided_slice": unary(lambda x: x[::-2, 1:1], 3, 2),
    "sum": unary(lambda x: x.sum(0), 0, 3),
    "mean": unary(lambda x: x.mean(0), 0, 3),
    "mean_all": unary(lambda x: x.mean(), 0, 3),
    "prod": unary(lambda x: x.prod(0), 0, 3),
    "var": unary(lambda x: x.var(0), 0, 3),
    "std": unary(lambda x: x.std(0), 0, 3),
    "norm": unary(lambda x: x.norm(2, 0), 0, 3),
    "norm_3": unary(lambda x: x.norm(3, 0), 0, 3),
    "norm_all": unary(lambda x: paddle.linalg.norm(x), 0, 3),
    "logsumexp": unary(lambda x: paddle.logsumexp(x, 0), 0, 3),
    "all": unary(lambda x: paddle.all(x, 0), 0, 3, dtype="bool"),
    "any": unary(lambda x: paddle.any(x, 0), 0, 3, dtype="bool"),
    "sum_int": unary(lambda x: x.sum(0), 0, 3, dtype="int32"),
    "mean_int": unary(lambda x: paddle.mean(x.astype("int32"), 0), 0, 3),
    "count_nonzero": unary(lambda x: paddle.count_nonzero(x, 0), 0, 3, dtype="int64"),
    "nansum": unary(lambda x: paddle.nansum(x, 0), 0, 3),
    "nanmean": unary(lambda x: paddle.nanmean(x, 0), 0, 3),
    "cumsum": unary(lambda x: paddle.cumsum(x, 0), 0, 3),
    "cumsum_flat": unary(paddle.cumsum, 0, 3),
    "trace": unary(paddle.trace, 0, 3),
    "diagonal": unary(lambda x: paddle.diagonal(x, 5), 3, 3),
    "diag": unary(lambda x: paddle.diag(x, 2), 0),
    "diag_embed": unary(lambda x: paddle.diag_embed(x, 1), 2, 0),
    "tril": unary(paddle.tril, 0, 3),
    "pad": unary(lambda x: F.pad(x, [1, 1, 1, 1]), 1, 1, 0, 2),
    "pad_replicate": unary(lambda x: F.pad(x, [0, 0, 1, 1], mode="replicate"), 1, 1, 2, 0),
    "pad_crop": unary(lambda x: F.pad(x, [-1, -1, -1, -1]), 1, 1, 2, 2),
    "concat": several(lambda x, y: paddle.concat([x, y]), (0, 3), (2, 3)),
    "stack_nothing": several(lambda x, y: paddle.stack([x, y]), (0, 3), (0, 3)),
    "kron": several(paddle.kron, (0,), (3,)),
    "cdist": several(paddle.cdist, (2, 0), (3, 0)),
    "cdist_rows": several(paddle.cdist, (0, 2), (3, 2)),
    "softmax": unary(lambda x: F.softmax(x, -1), 3, 0),
    "cross_entropy": lambda: (lambda x: ([x], [F.cross_entropy(x, z(0), reduction="sum")]))(
        t(0, 3)
    ),
    "cross_entropy_soft": lambda: (
        lambda x: (
            [x],
            [F.cross_entropy(x, paddle.zeros([4, 0]), soft_label=True, reduction="none")],
        )
    )(t(4, 0)),
    "nll": lambda: (lambda x: ([x], [F.nll_loss(x, z(0), reduction="sum")]))(t(0, 3)),
    "attention_keys": several(
        F.scaled_dot_product_attention, (1, 2, 1, 4), (1, 0, 1, 4), (1, 0, 1, 4)
    ),
    "attention_queries": several(
        F.scaled_dot_product_attention, (1, 0, 1, 4), (1, 2, 1, 4), (1, 2, 1, 4)
    ),
    "attention_width": several(
        F.scaled_dot_product_attention, (1, 2, 1, 0), (1, 2, 1, 0), (1, 2, 1, 4)
    ),
    "lstm_batch": lambda: lstm(2, 0),
    "adaptive_max_pool": unary(lambda x: F.adaptive_max_pool2d(x, 2), 0, 2, 4, 4),
    "avg_pool": unary(lambda x: F.avg_pool2d(x, 2), 0, 2, 4, 4),
    "max_pool_mask": unary(lambda x: F.max_pool2d(x, 2, return_mask=True)[0], 0, 2, 4, 4),
    "interpolate": unary(lambda x: F.interpolate(x, size=[3, 3]), 0, 2, 4, 4),
    "unfold": unary(lambda x: F.unfold(x, 2), 0, 2, 4, 4),
    "fold": unary(lambda x: F.fold(x, [3, 3], 2), 0, 4, 4),
    "prelu": several(F.prelu, (0, 3), (3,)),
    "bilinear": several(lambda x, y, w: F.bilinear(x, y, w), (0, 2), (0, 3), (4, 2, 3)),
    "det": unary(paddle.linalg.det, 2, 0, 0),
    "slogdet": unary(lambda x: paddle.linalg.slogdet(x), 2, 0, 0),
    "inv": unary(paddle.linalg.inv, 2, 0, 0),
    "cholesky": unary(paddle.linalg.cholesky, 0, 2, 2),
    "svd": unary(lambda x: paddle.linalg.svd(x)[1], 2, 0, 3),
    "matrix_rank": unary(paddle.linalg.matrix_rank, 2, 0, 3),
    "histogram": unary(lambda x: paddle.histogram(x.detach(), 4), 0),
    "bincount": lambda: ([], [paddle.bincount(z(0), minlength=4)]),
    "searchsorted": lambda: ([], [paddle.searchsorted(paddle.zeros([0]), paddle.zeros([3]))]),
    "unique": lambda: ([], [paddle.unique(paddle.zeros([0]))]),
    "one_hot": lambda: ([], [F.one_hot(z(0), 3)]),
    "fft": unary(lambda x: paddle.fft.rfft(x), 0, 4),
    "multiplex": lambda: (
        lambda x, y: ([x, y], [paddle.multiplex([x, y], z(0, 1, dtype="int32"))])
    )(t(0, 2), t(0, 2)),
    "segment_sum": lambda: (lambda x: ([x], [paddle.geometric.segment_sum(x, z(0))]))(t(0, 2)),
    "send_u_recv": lambda: (lambda x: ([x], [paddle.geometric.send_u_recv(x, z(0), z(0), "mean")]))(
        t(3, 2)
    ),
}


def fill(value):
    """Puts `value` into the memory that the next small tensors get."""
    for size in (2, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096):
        held = [paddle.full([size], value) for _ in range(24)]
        held += [paddle.full([size // 2], value, "float64") for _ in range(24)]
        del held


def outcome(case, value):
    fill(value)
    inputs, results = case()
    every = [r.numpy() for r in results]
    wanted = [r for r in results if not r.stop_gradient]
    if inputs and wanted:
        fill(value)
        total = sum(w.sum() for w in wanted)
        total.backward()
        for x in inputs:
            assert x.grad is not None
            every.append(x.grad.numpy())
    return every


@pytest.mark.parametrize("name", CASES)
def test_memory_does_not_show(name):
    try:
        first = outcome(CASES[name], 1.5e30)
    except (ValueError, RuntimeError, IndexError) as e:
        with pytest.raises(type(e)):  # refused, whatever memory held
            outcome(CASES[name], -3.25)
        return
    second = outcome(CASES[name], -3.25)
    assert len(first) == len(second)
    for a, b in zip(first, second):
        np.testing.assert_array_equal(a, b)
        assert not (np.asarray(a) == 1.5e30).any()


@pytest.mark.parametrize("half", [False, True])
def test_parameter_gradients_of_an_empty_batch_are_zero(half):
    dtype = "bfloat16" if half else "float32"
    fill(7.0)
    calls = [
        lambda x, s, b: F.layer_norm(x, [4], s, b),
        lambda x, s, b: F.group_norm(x, 2, weight=s, bias=b),
        lambda x, s, b: F.instance_norm(x.unsqueeze(-1), weight=s, bias=b),
        lambda x, s, b: F.batch_norm(x, paddle.zeros([4]), paddle.ones([4]), s, b, training=True),
    ]
    for f in calls:
        for mixed in (False, True):
            x = t(0, 4, dtype=dtype)
            s, b = (t(4, dtype="float32" if mixed else dtype) for _ in range(2))
            try:
                f(x, s, b).sum().backward()
            except (TypeError, RuntimeError, ValueError):
                continue
            for p in (s, b):
                assert p.grad.shape == [4] and p.grad.dtype == p.dtype
                np.testing.assert_array_equal(p.grad.astype("float32").numpy(), np.zeros(4))
