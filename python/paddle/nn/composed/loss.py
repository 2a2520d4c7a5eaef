# SPDX-License-Identifier: Apache-2.0
"""Sequence and tree losses: recursions in log space whose gradient is automatic
differentiation's.
"""

import math

import numpy as np

import paddle
from paddle.base.arguments import integer, only
from paddle.base.libpaddle import expect_tensors

from .._core import ops as _C_ops

_LOW = -1e30


def _log_add(*terms):
    """log(sum(exp(t))) elementwise, for terms that may be as low as _LOW."""
    top = terms[0]
    for t in terms[1:]:
        top = paddle.maximum(top, t)
    top = top.detach()
    total = paddle.exp(terms[0] - top)
    for t in terms[1:]:
        total = total + paddle.exp(t - top)
    return top + paddle.log(total)


def _within(op, what, values, low, high):
    """Raises where a number of `values` is not in [low, high]."""
    outside = values[(values < low) | (values > high)]
    if outside.size:
        raise ValueError(f"[{op}] expected {what} from {low} to {high}, got {outside.flat[0]}")


def warpctc(logits, label, logits_length=None, labels_length=None, blank=0, norm_by_times=False):
    expect_tensors(
        "warpctc",
        logits=logits,
        label=label,
        labels_length=labels_length,
        logits_length=logits_length,
    )
    steps, batch, classes = logits.shape
    labels, lengths = label.numpy(), labels_length.numpy().reshape(-1)
    times = logits_length.numpy().reshape(-1)
    if labels.ndim != 2 or not labels.shape[0] == lengths.size == times.size == batch:
        raise ValueError(
            f"[ctc_loss] expected labels, label lengths and input lengths of {batch} "
            f"sequences, got shapes {list(labels.shape)}, {labels_length.shape} and "
            f"{logits_length.shape}"
        )
    _within("ctc_loss", "input lengths", times, 0, steps)
    _within("ctc_loss", "label lengths", lengths, 0, labels.shape[1])
    _within("ctc_loss", "a blank", np.array(integer("ctc_loss", "blank", blank)), 0, classes - 1)
    own = np.arange(labels.shape[1]) < lengths[:, None]
    _within("ctc_loss", "labels", labels[own], 0, classes - 1)
    labels = np.where(own, labels, blank)
    width = 2 * labels.shape[1] + 1
    extended = np.full((batch, width), blank, "int64")
    extended[:, 1::2] = labels
    skip = np.zeros((batch, width), bool)
    skip[:, 2:] = (extended[:, 2:] != blank) & (extended[:, 2:] != extended[:, :-2])
    log_probs = _C_ops.log_softmax(logits, -1)
    index = paddle.expand(paddle.unsqueeze(paddle.to_tensor(extended), 0), [steps, batch, width])
    emit = paddle.take_along_axis(log_probs, index, 2, broadcast=False)
    low = paddle.full([batch, 1], _LOW, dtype=emit.dtype)
    can_skip = paddle.to_tensor(skip)
    first = paddle.to_tensor((np.arange(width) < 2)[None].repeat(batch, 0))
    floor = paddle.full([batch, width], _LOW, dtype=emit.dtype)
    alpha = paddle.where(first, emit[0], floor)
    last = [alpha]
    for t in range(1, steps):
        one = paddle.concat([low, alpha[:, :-1]], axis=1)
        two = paddle.concat([low, low, alpha[:, :-2]], axis=1) if width > 2 else floor
        alpha = paddle.maximum(
            _log_add(alpha, one, paddle.where(can_skip, two, floor)) + emit[t], floor
        )
        last.append(alpha)
    table = paddle.stack(last, axis=0)
    rows = paddle.to_tensor(np.maximum(times - 1, 0).astype("int64") * batch + np.arange(batch))
    final = paddle.gather(paddle.reshape(table, [steps * batch, width]), rows)
    ends = paddle.to_tensor(
        np.stack([2 * lengths, np.maximum(2 * lengths - 1, 0)], 1).astype("int64")
    )
    tips = paddle.take_along_axis(final, ends, 1, broadcast=False)
    joined = _log_add(tips[:, 0:1], tips[:, 1:2])
    single = paddle.to_tensor((lengths == 0)[:, None])
    joined = paddle.where(single, tips[:, 0:1], joined)
    impossible = joined < _LOW / 2
    loss = paddle.where(impossible, paddle.full_like(joined, math.inf), -joined)
    if norm_by_times:
        scale = paddle.to_tensor((1.0 / np.maximum(times, 1)).astype("float32")[:, None])
        scaled = loss * paddle.cast(scale, loss.dtype)
        loss = loss.detach() + scaled - scaled.detach()
    return loss


def warprnnt(input, label, input_lengths, label_lengths, blank=0, fastemit_lambda=0.0):
    expect_tensors(
        "warprnnt",
        input=input,
        label=label,
        input_lengths=input_lengths,
        label_lengths=label_lengths,
    )
    batch, steps, width, classes = input.shape
    labels, times, lengths = (
        label.numpy(),
        input_lengths.numpy().reshape(-1),
        label_lengths.numpy().reshape(-1),
    )
    if labels.ndim != 2 or not labels.shape[0] == lengths.size == times.size == batch:
        raise ValueError(
            f"[rnnt_loss] expected labels, label lengths and input lengths of {batch} "
            f"sequences, got shapes {list(labels.shape)}, {label_lengths.shape} and "
            f"{input_lengths.shape}"
        )
    _within("rnnt_loss", "input lengths", times, 1, steps)
    _within("rnnt_loss", "label lengths", lengths, 0, min(width - 1, labels.shape[1]))
    _within("rnnt_loss", "a blank", np.array(integer("rnnt_loss", "blank", blank)), 0, classes - 1)
    own = np.arange(labels.shape[1]) < lengths[:, None]
    _within("rnnt_loss", "labels", labels[own], 0, classes - 1)
    labels = np.where(own, labels, 0)
    stay = input[..., blank]
    targets = np.zeros((batch, width), "int64")
    targets[:, : min(width - 1, labels.shape[1])] = labels[:, : width - 1]
    index = paddle.expand(
        paddle.reshape(paddle.to_tensor(targets), [batch, 1, width, 1]), [batch, steps, width, 1]
    )
    emit = paddle.squeeze(paddle.take_along_axis(input, index, 3, broadcast=False), -1)
    if fastemit_lambda:
        emit = emit + fastemit_lambda * (emit - emit.detach())
    rows = []
    for t in range(steps):
        row = []
        for u in range(width):
            if t == 0 and u == 0:
                row.append(paddle.zeros([batch], dtype=stay.dtype))
                continue
            ways = []
            if t > 0:
                ways.append(rows[t - 1][u] + stay[:, t - 1, u])
            if u > 0:
                ways.append(row[u - 1] + emit[:, t, u - 1])
            row.append(ways[0] if len(ways) == 1 else _log_add(*ways))
        rows.append(row)
    table = paddle.stack([paddle.stack(row, axis=1) for row in rows], axis=1)
    t_end, u_end = times.astype("int64") - 1, lengths.astype("int64")
    at = paddle.to_tensor((np.arange(batch) * steps + t_end) * width + u_end)
    return -(
        paddle.gather(paddle.reshape(table, [-1]), at)
        + paddle.gather(paddle.reshape(stay, [-1]), at)
    )


def hsigmoid_loss(x, label, w, bias=None, path=None, code=None, num_classes=2, is_sparse=False):
    expect_tensors("hsigmoid_loss", label=label, x=x)
    rows = label.size if path is None else path.shape[0]
    if rows != x.shape[0]:
        raise ValueError(f"[hsigmoid_loss] expected labels of {x.shape[0]} rows, got {rows}")
    if path is None:
        number = label.numpy().reshape(-1) + num_classes
        if (number < num_classes).any() or (number >= 2 * num_classes).any():
            raise ValueError(
                f"[hsigmoid_loss] expected labels in [0, {num_classes}), got "
                f"{number.min() - num_classes} to {number.max() - num_classes}"
            )
        length = np.array([int(n).bit_length() - 1 for n in number])
        depth = int(2 * num_classes - 1).bit_length() - 1
        bit = np.arange(depth)
        used = bit[None] < length[:, None]
        nodes = np.where(used, (number[:, None] >> (bit[None] + 1)) - 1, 0)
        signs = np.where(used, (number[:, None] >> bit[None]) & 1, 0)
    else:
        nodes, signs = path.numpy(), code.numpy()
        used = np.logical_and.accumulate(nodes >= 0, axis=1)
        nodes = np.where(used, nodes, 0)
    batch, depth = nodes.shape
    flat = paddle.to_tensor(nodes.reshape(-1).astype("int64"))
    weights = paddle.reshape(paddle.gather(w, flat), [batch, depth, -1])
    logits = paddle.sum(weights * paddle.unsqueeze(x, 1), axis=2)
    if bias is not None:
        logits = logits + paddle.reshape(
            paddle.gather(paddle.reshape(bias, [-1]), flat), [batch, depth]
        )
    mask = paddle.to_tensor(used.astype(str(x.dtype).rsplit(".", 1)[-1]))
    logits = paddle.clip(logits, -40.0, 40.0) * mask
    target = paddle.cast(paddle.to_tensor(signs.astype("float32")), logits.dtype)
    # The op counts log(2) for the unused places of a short path.
    terms = paddle.log(1.0 + paddle.exp(logits)) - target * logits
    return paddle.sum(terms, axis=1, keepdim=True), logits, w


def margin_cross_entropy(
    logits,
    label,
    return_softmax=False,
    ring_id=0,
    rank=0,
    nranks=1,
    margin1=1.0,
    margin2=0.5,
    margin3=0.0,
    scale=64.0,
):
    only('margin_cross_entropy', 'the classes are on one process', nranks=(nranks, 1))
    label = paddle.reshape(label, [-1, 1])
    cosine = paddle.take_along_axis(logits, label, 1)
    angle = paddle.acos(paddle.clip(cosine, -1.0, 1.0))
    target = paddle.cos(margin1 * angle + margin2) - margin3
    own = paddle.cast(paddle.arange(0, logits.shape[1], dtype=label.dtype) == label, logits.dtype)
    adjusted = (logits * (1.0 - own) + target * own) * scale
    softmax, loss = _C_ops.cross_entropy_with_softmax(adjusted, label, False, True, True, -100, -1)
    return softmax, loss
