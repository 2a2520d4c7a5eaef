# SPDX-License-Identifier: Apache-2.0
"""Projections that lie in one tensor, as `fused_qkv`, `fused_qkv_old` and `fused_ffn` of statements
say (`aoa.py`): which piece of which projection comes where.

`fused_qkv` puts the queries of a group of heads before the group's key and value. The other two
put the projections one after another within each shard of the tensor.
"""

KINDS = ('fused_qkv', 'fused_qkv_old', 'fused_ffn')


def pieces(kind, heads, groups, shards, text):
    """(projection, piece of it) in the order in which a fused tensor has them."""
    if kind == 'fused_ffn':
        return [(part, shard) for shard in range(shards) for part in range(2)]
    for name, count in (('num_heads', heads), ('num_key_value_groups', groups)):
        if not isinstance(count, int) or count < 1:
            raise AssertionError(f'[aoa] expected a positive {name} in {text!r}, got {count!r}')
    if heads % groups:
        raise AssertionError(
            f'[aoa] expected num_heads that num_key_value_groups divides in {text!r}, got {heads} '
            f'and {groups}'
        )
    parts = groups if kind == 'fused_qkv' else shards
    if heads % parts or groups % parts:
        raise AssertionError(
            f'[aoa] expected heads and groups that {parts} shards divide in {text!r}, got {heads} '
            f'and {groups}'
        )
    each = (heads // parts, groups // parts, groups // parts)
    return [
        (part, n * shard + i)
        for shard in range(parts)
        for part, n in enumerate(each)
        for i in range(n)
    ]


def _cut(tensor, count, axis, text):
    if axis >= tensor.ndim or tensor.shape[axis] % count:
        raise AssertionError(
            f'[aoa] expected an axis {axis} that {count} divides in {text!r}, got shape '
            f'{list(tensor.shape)}'
        )
    return tensor.split(count, axis)


def fused(order, axis, text):
    """A function that makes one tensor of its projections."""
    import paddle

    counts = [sum(part == p for part, _ in order) for p in range(1 + max(order)[0])]

    def fuse(*tensors):
        cut = [_cut(t, n, axis, text) for t, n in zip(tensors, counts)]
        return paddle.concat([cut[part][i] for part, i in order], axis)

    return fuse


def projection(order, part, axis, text):
    """A function that gives one projection of a tensor that has several."""
    import paddle

    where = [at for _, at in sorted((i, at) for at, (p, i) in enumerate(order) if p == part)]

    def take(tensor):
        cut = _cut(tensor, len(order), axis, text)
        return paddle.concat([cut[at] for at in where], axis)

    return take
