# SPDX-License-Identifier: Apache-2.0
"""Attention over caches, token by token and in blocks, against attention over whole sequences; and
parts of mixtures of experts against their definitions.
"""

import numpy as np
import pytest

import paddle
from paddle.incubate.nn import functional as IF
from paddle.nn import functional as F

HEADS, KV_HEADS, HEAD, BLOCK = 4, 2, 8, 4
RNG = np.random.RandomState(9)


def whole(q, k, v, mask=None):
    """Causal attention of [S, heads, D] to [S, kv heads, D], in NumPy; `mask` instead of causal."""
    length = len(q)
    out = np.empty_like(q)
    for h in range(q.shape[1]):
        scores = q[:, h] @ k[:, h * k.shape[1] // q.shape[1]].T / np.sqrt(q.shape[2])
        if mask is None:
            scores = np.where(np.tril(np.ones([length, length])) > 0, scores, -np.inf)
        else:
            scores = scores + mask
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        out[:, h] = weights / weights.sum(-1, keepdims=True) @ v[:, h * k.shape[1] // q.shape[1]]
    return out.reshape(length, -1)


def parts(qkv):
    """Queries, keys and values of rows of all three."""
    rows = qkv.reshape(len(qkv), -1, HEAD)
    return rows[:, :HEADS], rows[:, HEADS : HEADS + KV_HEADS], rows[:, HEADS + KV_HEADS :]


def turned(x, angles, halves):
    """x [S, heads, D] with pairs rotated by the angles [S, D / 2]."""
    a, b = (x[..., : HEAD // 2], x[..., HEAD // 2 :]) if halves else (x[..., ::2], x[..., 1::2])
    c, s = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = a * c - b * s, b * c + a * s
    return (
        np.concatenate([first, second], -1)
        if halves
        else np.stack([first, second], -1).reshape(x.shape)
    )


@pytest.mark.parametrize('given', ['mask', 'lengths'])
def test_steps_over_a_cache_are_attention_over_the_sequence(given):
    batch, steps = 2, 5
    qkv = RNG.randn(batch, steps, (HEADS + 2 * KV_HEADS) * HEAD).astype('float32')
    bias = RNG.randn(HEADS + 2 * KV_HEADS, HEAD).astype('float32')
    cache = paddle.zeros([2, batch, KV_HEADS, 7, HEAD])
    have = []
    for t in range(steps):
        if given == 'mask':
            place = {'src_mask': paddle.zeros([batch, 1, 1, t + 1])}
        else:
            place = {'sequence_lengths': paddle.full([batch, 1], t, 'int32')}
        out, same = IF.masked_multihead_attention(
            paddle.to_tensor(qkv[:, t]), cache, paddle.to_tensor(bias), **place
        )
        assert same is cache
        have.append(out.numpy())
    for b in range(batch):
        want = whole(*parts(qkv[b] + bias.reshape(-1)))
        np.testing.assert_allclose(np.stack(have, 1)[b], want, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize('halves', [False, True])
def test_steps_rotate_queries_and_keys(halves):
    qkv = RNG.randn(4, (HEADS + 2 * KV_HEADS) * HEAD).astype('float32')
    angles = RNG.randn(4, HEAD // 2).astype('float32')
    full = np.concatenate([angles, angles], -1) if halves else np.repeat(angles, 2, -1)
    cache, have = paddle.zeros([2, 1, KV_HEADS, 4, HEAD]), []
    for t in range(4):
        table = np.stack([np.cos(full[t]), np.sin(full[t])]).reshape(2, 1, 1, 1, HEAD)
        out, _ = IF.masked_multihead_attention(
            paddle.to_tensor(qkv[t : t + 1]),
            cache,
            sequence_lengths=paddle.to_tensor([[t]]),
            rotary_tensor=paddle.to_tensor(table),
            rotary_emb_dims=1,
            use_neox_rotary_style=halves,
        )
        have.append(out.numpy()[0])
    q, k, v = parts(qkv)
    want = whole(turned(q, angles, halves), turned(k, angles, halves), v)
    np.testing.assert_allclose(have, want, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize('halves', [None, False, True])
def test_blocks_hold_prompts_and_steps_of_a_batch(halves):
    """Two prompts, then a step of the first beside a third prompt, then a step of all."""
    width = (HEADS + 2 * KV_HEADS) * HEAD
    sequences = [RNG.randn(n, width).astype('float32') for n in (9, 4, 6)]
    caches = [paddle.zeros([12, KV_HEADS, BLOCK, HEAD]) for _ in range(2)]
    tables = paddle.to_tensor([[7, 2, 9], [0, 1, 5], [3, 11, 4]], dtype='int32')
    angles = RNG.randn(12, HEAD // 2).astype('float32')
    rope = np.stack([np.cos(angles), np.sin(angles)]).reshape(2, 1, 12, 1, HEAD // 2)
    have, past = [[], [], []], [0, 0, 0]
    for prompts, now in (([7, 3, 0], [7, 3, 0]), ([0, 0, 5], [1, 0, 5]), ([0, 0, 0], [1, 1, 1])):
        tokens = [s[p : p + n] for s, p, n in zip(sequences, past, now)]
        rest = [paddle.to_tensor(v, dtype='int32').reshape([3, 1]) for v in (prompts, past, now)]
        out, _, *same = IF.block_multihead_attention(
            paddle.to_tensor(np.concatenate(tokens)),
            *caches,
            *rest,
            None,
            None,
            None,
            None,
            tables,
            rope_emb=None if halves is None else paddle.to_tensor(rope),
            use_neox_style=bool(halves),
            block_size=BLOCK,
        )
        assert same[0] is caches[0] and same[1] is caches[1]
        rows = np.split(out.numpy(), np.cumsum(now)[:-1])
        for b in range(3):
            have[b].append(rows[b])
            past[b] += now[b]
    assert past == [9, 4, 6]
    for sequence, rows in zip(sequences, have):
        q, k, v = parts(sequence)
        if halves is not None:
            q, k = (turned(t, angles[: len(t)], halves) for t in (q, k))
        np.testing.assert_allclose(np.concatenate(rows), whole(q, k, v), rtol=2e-5, atol=2e-6)


def test_a_mask_of_prompts_takes_the_place_of_the_causal_one():
    width = (HEADS + 2 * KV_HEADS) * HEAD
    qkv, mask = RNG.randn(5, width).astype('float32'), RNG.randn(5, 5).astype('float32')
    caches = [paddle.zeros([2, KV_HEADS, BLOCK, HEAD]) for _ in range(2)]
    lengths = [paddle.to_tensor([[n]], dtype='int32') for n in (5, 0, 5)]
    out = IF.block_multihead_attention(
        paddle.to_tensor(qkv),
        *caches,
        *lengths,
        *[None] * 4,
        paddle.to_tensor([[1, 0]]),
        mask=paddle.to_tensor(mask.reshape(1, 1, 5, 5)),
        block_size=BLOCK,
    )[0]
    np.testing.assert_allclose(out.numpy(), whole(*parts(qkv), mask), rtol=2e-5, atol=2e-6)
    assert [int(n) for n in IF.blha_get_max_len(lengths[0], lengths[1], None)] == [5, 0]


def test_what_caches_cannot_hold_is_refused():
    x, cache = paddle.zeros([1, 64]), paddle.zeros([2, 1, 2, 4, 8])
    with pytest.raises(ValueError, match='src_mask or sequence_lengths'):
        IF.masked_multihead_attention(x, cache)
    with pytest.raises(ValueError, match='a width of 24'):
        IF.masked_multihead_attention(x[:, :24], cache, sequence_lengths=paddle.to_tensor([0]))
    with pytest.raises(NotImplementedError, match='beam_cache_offset'):
        IF.masked_multihead_attention(x, cache, beam_cache_offset=x)
    lengths = [paddle.to_tensor([[n]]) for n in (9, 0, 9)]
    with pytest.raises(ValueError, match='block_tables'):
        IF.block_multihead_attention(
            paddle.zeros([9, 64]),
            cache[0],
            cache[1],
            *lengths,
            *[None] * 4,
            paddle.to_tensor([[0]]),
        )


def test_norms_return_their_statistics():
    x, scale, bias = (paddle.to_tensor(RNG.randn(*s)) for s in ((3, 4, 8), (8,), (8,)))
    out, mean, inverse = IF.fast_ln(x, scale, bias)
    np.testing.assert_allclose(out.numpy(), F.layer_norm(x, 8, scale, bias).numpy(), rtol=1e-6)
    np.testing.assert_allclose(mean.numpy(), x.numpy().mean(-1))
    np.testing.assert_allclose(inverse.numpy(), (x.numpy().var(-1) + 1e-5) ** -0.5)
    for norm in (IF.fast_rms_norm, IF.fused_rms_norm_ext):
        out, inverse = norm(x, scale)
        want = (np.square(x.numpy()).mean(-1) + 1e-5) ** -0.5
        np.testing.assert_allclose(inverse.numpy(), want)
        np.testing.assert_allclose(out.numpy(), x.numpy() * want[..., None] * scale.numpy())


def test_parts_of_mixtures_of_experts():
    x, weights = RNG.randn(6, 4), RNG.rand(3, 2)
    index = np.array([[0, 5, 2], [3, 3, 1]], 'int32')
    out = IF.moe_combine(*[paddle.to_tensor(v) for v in (x, weights, index)])
    want = [sum(weights[s, k] * x[index[k, s]] for k in range(2)) for s in range(3)]
    np.testing.assert_allclose(out.numpy(), want)

    o1, up, probs = (
        paddle.to_tensor(RNG.randn(*s).astype('float32'), stop_gradient=False)
        for s in ((3, 8), (3, 4), (3, 1))
    )
    product = paddle.incubate.nn.functional.swiglu(o1) * probs
    want = paddle.grad(product, [o1, probs], up)
    have = IF.fused_swiglu_weighted_bwd(o1, up, probs)
    for a, b in zip(have, [*want, product]):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-6)

    total = paddle.ones([4, 3])
    grad = paddle.to_tensor(RNG.randn(2, 2, 3))
    ids = np.array([[1, 0], [1, 3]])
    IF.embedding_grad_add_to_(paddle.to_tensor(ids), total, grad)
    want = np.ones([4, 3])
    np.add.at(want, ids, grad.numpy())
    np.testing.assert_allclose(total.numpy(), want, rtol=1e-6)

    logits = paddle.to_tensor(RNG.randn(5, 3).astype('float32'), stop_gradient=False)
    labels = paddle.to_tensor(RNG.randint(0, 3, (5, 1)))
    by_loss = paddle.to_tensor(RNG.randn(5, 1).astype('float32'))
    loss = F.softmax_with_cross_entropy(logits, labels)
    (want,) = paddle.grad(loss, logits, by_loss)
    out = IF.cross_entropy_with_softmax_bwd_w_downcast(labels, F.softmax(logits), by_loss)
    assert out.dtype == paddle.bfloat16
    np.testing.assert_allclose(out.astype('float32').numpy(), want.numpy(), atol=1e-2)


def test_places_outside_of_the_caches_are_refused():
    def step(at):
        return IF.masked_multihead_attention(
            paddle.randn([1, 3 * 2 * 4]), cache, sequence_lengths=paddle.to_tensor([[at]], 'int32')
        )

    cache = paddle.zeros([2, 1, 2, 5, 4])
    for at in (-1, 5, -6):
        with pytest.raises(IndexError, match='index'):
            step(at)
    assert float(cache.abs().sum()) == 0
    step(4)

    def blocks(table):
        counts = [paddle.to_tensor(n, 'int32') for n in ([[0]], [[1]], [[1]])]
        return IF.block_multihead_attention(
            paddle.randn([1, 3 * 2 * 4]),
            *caches,
            *counts,
            None,
            None,
            None,
            None,
            paddle.to_tensor([table], 'int32'),
            block_size=5,
        )

    caches = [paddle.zeros([2, 2, 5, 4]) for _ in range(2)]
    for table in ([-1, -1], [2, -1]):
        with pytest.raises(IndexError, match=r'\[block_multihead_attention\].*from 0 to 1'):
            blocks(table)
    assert sum(float(c.abs().sum()) for c in caches) == 0
    blocks([1, -1])  # entries behind those in use are not read
