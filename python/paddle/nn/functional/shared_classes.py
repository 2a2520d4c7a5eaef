# SPDX-License-Identifier: Apache-2.0
"""Losses whose classes processes share: each has the logits of some, in the order of ranks."""

import paddle
from paddle import _C_ops

__all__ = []


def group_of(op, group):
    """The processes that share classes; None where there is one, or group is False."""
    from paddle import distributed
    from paddle.distributed.communication.group import Group

    if group is None and distributed.is_initialized():
        group = distributed.get_group(0)
    if group in (None, False):
        return None
    if not isinstance(group, Group):
        raise ValueError(f"[{op}] expected group to be a Group, None or False, got {group!r}")
    if not group.is_member():
        raise ValueError(f"[{op}] expected a process of the group, got one outside {group.ranks}")
    return group if group.nranks > 1 else None


def _begin(classes, group):
    """The first class of this process, and how many all have."""
    from paddle.distributed import all_gather_object

    counts = []
    all_gather_object(counts, classes, group)
    return sum(counts[: group.rank]), sum(counts)


def margin_cross_entropy(logits, label, margin1, margin2, margin3, scale, group):
    """(loss, softmax of the classes here) of labels [N, 1] among the classes of all."""
    classes = logits.shape[1]
    begin, total = _begin(classes, group)
    label = label.astype("int64")
    if label.size and not (int(label.min()) >= 0 and int(label.max()) < total):
        raise IndexError(
            f"[margin_cross_entropy] expected label in [0, {total}), got {int(label.min())} to "
            f"{int(label.max())}"
        )
    place = label - begin
    here = (place >= 0) & (place < classes)
    held = paddle.where(here, place, paddle.zeros_like(place))
    cosine = paddle.take_along_axis(logits, held, 1)
    own = cosine
    if margin1 != 1.0 or margin2 != 0.0:
        own = paddle.cos(margin1 * paddle.acos(paddle.clip(cosine, -1, 1)) + margin2)
    own = paddle.where(here, own - margin3, cosine)
    scores = paddle.put_along_axis(logits, held, own, 1) * scale
    softmax, loss = _C_ops.c_softmax_with_cross_entropy(
        scores, place + group.rank * classes, -1, group.id, group.rank, group.nranks
    )
    return loss, softmax


def class_center_sample(label, num_classes, num_samples, group):
    """(labels in places among the kept classes of all, the kept classes here)."""
    from paddle.distributed import all_reduce

    begin, _ = _begin(num_classes, group)
    place = label - begin
    here = (place >= 0) & (place < num_classes)
    found, kept = _C_ops.class_center_sample(
        paddle.masked_select(place, here), num_classes, num_samples, 0, 0, 1, False, 0
    )
    first, _ = _begin(kept.shape[0], group)
    places = paddle.zeros_like(label)
    if found.size:
        at = paddle.nonzero(here).flatten()
        places = paddle.scatter(places, at, (found + first).astype(label.dtype))
    all_reduce(places, group=group)
    return places, kept
