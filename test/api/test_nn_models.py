# SPDX-License-Identifier: Apache-2.0
"""Recurrent and transformer layers, decoding, gradient clipping and parameter helpers against
numpy.
"""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn import functional as F


def _x(*shape, seed=0):
    return paddle.to_tensor(np.random.RandomState(seed).randn(*shape).astype("float32"))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_lstm_matches_numpy_and_its_cell():
    paddle.seed(1)
    layer, x = nn.LSTM(3, 4), _x(2, 5, 3)
    out, (h, c) = layer(x)
    w_ih, w_hh, b_ih, b_hh = (p.numpy() for p in layer.parameters())
    hh, cc, expected = np.zeros((2, 4)), np.zeros((2, 4)), []
    for t in range(5):
        i, f, g, o = np.split(x.numpy()[:, t] @ w_ih.T + b_ih + hh @ w_hh.T + b_hh, 4, -1)
        cc = _sigmoid(f) * cc + _sigmoid(i) * np.tanh(g)
        hh = _sigmoid(o) * np.tanh(cc)
        expected.append(hh)
    np.testing.assert_allclose(out.numpy(), np.stack(expected, 1), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(h.numpy()[0], hh, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(c.numpy()[0], cc, rtol=1e-4, atol=1e-5)
    by_cell, (h2, _) = nn.RNN(layer[0].cell)(x)
    np.testing.assert_allclose(by_cell.numpy(), out.numpy(), rtol=1e-4, atol=1e-5)


def test_gru_bidirectional_shapes_and_lengths():
    layer, x = nn.GRU(3, 4, num_layers=2, direction="bidirect"), _x(2, 5, 3)
    out, h = layer(x, sequence_length=paddle.to_tensor([3, 5]))
    assert out.shape == [2, 5, 8] and h.shape == [4, 2, 4]
    assert float(out[0, 3:].abs().sum()) == 0
    shorter, h_short = layer(x[:1, :3])
    np.testing.assert_allclose(out.numpy()[0, :3], shorter.numpy()[0], rtol=1e-4, atol=1e-5)


def test_attention_matches_numpy():
    paddle.seed(2)
    layer, x = nn.MultiHeadAttention(8, 2, need_weights=True), _x(2, 5, 8)
    out, weights = layer(x)
    q, k, v = (
        getattr(layer, n + "_proj")(x).numpy().reshape(2, 5, 2, 4).transpose(0, 2, 1, 3)
        for n in "qkv"
    )
    scores = q @ k.transpose(0, 1, 3, 2) / 2.0
    probs = np.exp(scores - scores.max(-1, keepdims=True))
    probs /= probs.sum(-1, keepdims=True)
    np.testing.assert_allclose(weights.numpy(), probs, rtol=1e-4, atol=1e-5)
    expected = layer.out_proj(paddle.to_tensor((probs @ v).transpose(0, 2, 1, 3).reshape(2, 5, 8)))
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_decoder_with_cache_equals_full_pass():
    paddle.seed(3)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2)
    decoder.eval()
    tgt, memory = _x(2, 4, 8), _x(2, 3, 8, seed=1)
    mask = nn.Transformer(8, 2, 1, 1, 16).generate_square_subsequent_mask(4)
    full = decoder(tgt, memory, tgt_mask=mask).numpy()
    cache, steps = decoder.gen_cache(memory), []
    for t in range(4):
        out, cache = decoder(tgt[:, t : t + 1], memory, cache=cache)
        steps.append(out.numpy())
    np.testing.assert_allclose(np.concatenate(steps, 1), full, rtol=1e-4, atol=1e-5)


def test_beam_search_finds_the_best_sequence_of_a_markov_chain():
    paddle.seed(4)
    logits = np.random.RandomState(3).randn(6, 6).astype("float32")

    class Chain(nn.RNNCellBase):
        def forward(self, inputs, states):
            return paddle.nn.functional.embedding(inputs, paddle.to_tensor(logits)), states

        @property
        def state_shape(self):
            return (1,)

    decoder = nn.BeamSearchDecoder(Chain(), start_token=0, end_token=5, beam_size=6)
    outputs, _ = nn.dynamic_decode(decoder, inits=paddle.zeros([1, 1]), max_step_num=2)
    logp = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    best, score = None, -np.inf
    for a in range(6):
        for b in range(6):
            for c in range(6):
                s = logp[0, a] + (0 if a == 5 else logp[a, b]) + (0 if 5 in (a, b) else logp[b, c])
                if (a == 5 and (b, c) != (5, 5)) or (b == 5 and c != 5):
                    continue
                if s > score:
                    best, score = [a, b, c], s
    got = outputs.numpy()[0, :, 0].tolist()
    assert got == best[: len(got)]


def test_clip_by_norms():
    values = [_x(3, 4).numpy(), _x(5, seed=1).numpy()]

    def pairs():
        return [(q, paddle.to_tensor(v)) for q, v in zip(p, values)]

    p = [paddle.create_parameter(list(v.shape), "float32") for v in values]
    total = np.sqrt(sum((v**2).sum() for v in values))
    clipped = nn.ClipGradByGlobalNorm(0.5)(pairs())
    for (_, c), v in zip(clipped, values):
        np.testing.assert_allclose(c.numpy(), v * 0.5 / total, rtol=1e-5)
    same = nn.ClipGradByGlobalNorm(100.0)(pairs())
    np.testing.assert_array_equal(same[0][1].numpy(), values[0])
    norm = np.linalg.norm(values[0])
    np.testing.assert_allclose(
        nn.ClipGradByNorm(0.5)(pairs())[0][1].numpy(), values[0] * 0.5 / norm, rtol=1e-5
    )
    np.testing.assert_allclose(
        nn.ClipGradByValue(0.3)(pairs())[1][1].numpy(), np.clip(values[1], -0.3, 0.3)
    )
    p[0].need_clip = False
    np.testing.assert_array_equal(nn.ClipGradByNorm(0.5)(pairs())[0][1].numpy(), values[0])


def test_clip_grad_functions():
    layer = nn.Linear(3, 4)
    (layer(_x(2, 3)) ** 2).sum().backward()
    before = [p.grad.numpy() for p in layer.parameters()]
    total = np.sqrt(sum((g**2).sum() for g in before))
    got = nn.utils.clip_grad_norm_(layer.parameters(), 0.1)
    np.testing.assert_allclose(float(got), total, rtol=1e-5)
    for p, g in zip(layer.parameters(), before):
        np.testing.assert_allclose(p.grad.numpy(), g * 0.1 / (total + 1e-6), rtol=1e-4)
    nn.utils.clip_grad_value_(layer.parameters(), 0.01)
    assert max(float(p.grad.abs().max()) for p in layer.parameters()) <= 0.01 + 1e-7


def test_parameter_vector_round_trip():
    a, b = nn.Linear(3, 4), nn.Linear(3, 4)
    vector = nn.utils.parameters_to_vector(a.parameters())
    assert vector.shape == [16]
    nn.utils.vector_to_parameters(vector, b.parameters())
    np.testing.assert_array_equal(a.weight.numpy(), b.weight.numpy())


def test_weight_norm_of_a_program_starts_from_the_weight():
    x = np.ones([2, 3], 'float32')
    paddle.enable_static()
    try:
        main, start = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, start):
            layer = nn.Linear(3, 4)
            weight = layer.weight
            out = nn.utils.weight_norm(layer)(paddle.static.data('x', [2, 3], 'float32'))
        exe = paddle.static.Executor()
        for _ in range(2):
            exe.run(start)
            got, w = exe.run(main, feed={'x': x}, fetch_list=[out, weight])
            np.testing.assert_allclose(got, x @ w, rtol=1e-5)
            np.testing.assert_allclose(exe.run(main, feed={'x': x}, fetch_list=[out])[0], got)
    finally:
        paddle.disable_static()


def test_weight_norm_keeps_the_function_and_trains():
    layer, x = nn.Linear(3, 4), _x(2, 3)
    plain = layer(x).numpy()
    nn.utils.weight_norm(layer, dim=1)
    np.testing.assert_allclose(layer(x).numpy(), plain, rtol=1e-5, atol=1e-6)
    assert sorted(n for n, _ in layer.named_parameters()) == ["bias", "weight_g", "weight_v"]
    layer(x).sum().backward()
    assert layer.weight_g.grad is not None and layer.weight_v.grad is not None
    nn.utils.remove_weight_norm(layer)
    np.testing.assert_allclose(layer(x).numpy(), plain, rtol=1e-5, atol=1e-6)
    assert sorted(n for n, _ in layer.named_parameters()) == ["bias", "weight"]
    with pytest.raises(ValueError):
        nn.utils.remove_weight_norm(layer)


def test_spectral_norm_approaches_unit_norm():
    layer = nn.Linear(6, 5)
    nn.utils.spectral_norm(layer, n_power_iterations=30)
    layer(_x(2, 6))
    assert abs(np.linalg.svd(layer.weight.numpy())[1][0] - 1) < 1e-2


def test_small_network_learns():
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
    data = np.random.RandomState(0).randn(64, 2).astype("float32")
    x, y = paddle.to_tensor(data), paddle.to_tensor((data[:, 0] * data[:, 1] > 0).astype("int64"))
    loss_fn, losses = nn.CrossEntropyLoss(), []
    for _ in range(200):
        loss = loss_fn(net(x), y)
        loss.backward()
        with paddle.no_grad():
            for p in net.parameters():
                p.set_value(p - 0.5 * p.grad)
        net.clear_gradients()
        losses.append(float(loss))
    assert losses[-1] < 0.3 * losses[0]


def test_attention_variants_agree():

    q, k, v = (_x(1, 5, 2, 4, seed=s) for s in range(3))
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True).numpy()
    lower = paddle.to_tensor(np.tril(np.ones((5, 5), bool)))
    np.testing.assert_allclose(
        F.scaled_dot_product_attention(q, k, v, attn_mask=lower).numpy(),
        causal,
        rtol=1e-5,
        atol=1e-6,
    )
    np.testing.assert_allclose(
        F.flashmask_attention(q, k, v, causal=True).numpy(), causal, rtol=1e-5, atol=1e-6
    )
    packed = paddle.stack([q, k, v], axis=2)
    np.testing.assert_allclose(
        F.flash_attn_qkvpacked(packed, causal=True)[0].numpy(), causal, rtol=1e-5, atol=1e-6
    )
    ends = paddle.to_tensor(np.array([0, 5], "int32"))
    out = F.flash_attention.flash_attn_unpadded(
        q[0], k[0], v[0], ends, ends, 5, 5, 0.5, causal=True
    )[0]
    np.testing.assert_allclose(out.numpy(), causal[0], rtol=1e-5, atol=1e-6)
    rows = [list(range(i + 1)) for i in range(5)]
    offset = np.cumsum([0] + [len(r) for r in rows]).astype("int32")[None, None].repeat(2, 1)
    column = np.array(sum(rows, []), "int32")[None, None].repeat(2, 1)
    sparse = F.sparse_attention(
        *(paddle.transpose(t, [0, 2, 1, 3]) for t in (q, k, v)),
        paddle.to_tensor(offset),
        paddle.to_tensor(column),
    )
    np.testing.assert_allclose(sparse.numpy().transpose(0, 2, 1, 3), causal, rtol=1e-5, atol=1e-6)
    shared = F.scaled_dot_product_attention(q, k[:, :, :1], v[:, :, :1]).numpy()
    twice = F.scaled_dot_product_attention(
        q, paddle.concat([k[:, :, :1]] * 2, 2), paddle.concat([v[:, :, :1]] * 2, 2)
    )
    np.testing.assert_allclose(shared, twice.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'bfloat16'])
@pytest.mark.parametrize('causal', [False, True])
@pytest.mark.parametrize('dropout', [0.0, 0.4])
def test_unpadded_attention(dtype, causal, dropout):
    """Sequences of several lengths, empty ones and tokens of none among them, give what each gives
    by itself, gradients and their gradients too."""
    rng = np.random.default_rng(3)
    ends, key_ends = [1, 4, 4, 9, 9], [0, 2, 5, 12, 12]
    # Strided, with fewer heads of keys.
    q = paddle.to_tensor(rng.standard_normal((4, 11, 6))).astype(dtype).transpose([1, 0, 2])
    k, v = (paddle.to_tensor(rng.standard_normal((13, 2, n))).astype(dtype) for n in (6, 4))
    given = [q.detach(), k, v]
    for t in given:
        t.stop_gradient = False
    q, k, v = given

    def unpadded():
        cuts = [paddle.to_tensor(e, 'int32') for e in (ends, key_ends)]
        return F.flash_attention.flash_attn_unpadded(q, k, v, *cuts, 5, 7, 0.5, dropout, causal)[0]

    def each():
        parts = [paddle.zeros([1, 4, 4], dtype)]
        for a, b, c, d in zip(ends, ends[1:], key_ends, key_ends[1:]):
            if a == b:
                continue
            keys = [paddle.repeat_interleave(t[c:d], 2, 1).transpose([1, 0, 2]) for t in (k, v)]
            scores = paddle.matmul(q[a:b].transpose([1, 0, 2]) * 0.5, keys[0], False, True)
            if causal:
                seen = paddle.ones([b - a, d - c], 'bool').tril(max(d - c - b + a, 0))
                scores = paddle.where(seen, scores, paddle.full_like(scores, -float('inf')))
            weights = F.softmax(scores, -1)
            if dropout:
                kept = paddle.rand([1, *weights.shape])[0] >= dropout
                weights = weights * kept.astype(dtype) / (1 - dropout)
            parts.append(paddle.matmul(weights, keys[1]).transpose([1, 0, 2]))
        return paddle.concat([*parts, paddle.zeros([2, 4, 4], dtype)])

    results = []
    for f in (unpadded, each):
        paddle.seed(5)
        out = f()
        grads = paddle.grad([(out * out).sum()], given, create_graph=True)
        second = paddle.grad([sum((g * g).sum() for g in grads)], given)
        results.append([t.astype('float64').numpy() for t in (out, *grads, *second)])
    assert results[0][0][0].any() == results[0][0][9:].any() == False  # noqa: E712
    eps = {'float32': 1e-4, 'float64': 1e-10, 'bfloat16': 0.06}[dtype]
    for got, want in zip(*results):
        np.testing.assert_allclose(got, want, rtol=eps, atol=eps * (1 + np.abs(want).max()))


def test_sparse_attention_of_rows_of_several_lengths():
    """Rows without a column give zeros, padding behind the last row's end counts for nothing, and
    programs record it."""
    F, rng = paddle.nn.functional, np.random.default_rng(4)
    q, k, v = (rng.standard_normal((1, 2, 3, 4)).astype("float32") for _ in range(3))
    offset = np.array([[[0, 2, 2, 3], [0, 1, 3, 4]]], "int32")
    column = np.array([[[0, 2, 1, 0], [2, 0, 1, 1]]], "int32")
    want = np.zeros_like(v)
    for h in range(2):
        for i in range(3):
            picked = column[0, h, offset[0, h, i] : offset[0, h, i + 1]]
            if len(picked):
                weight = np.exp(q[0, h, i] @ k[0, h, picked].T / 2)
                want[0, h, i] = weight / weight.sum() @ v[0, h, picked]
    arrays = (q, k, v, offset, column)
    given = [paddle.to_tensor(a) for a in arrays]
    np.testing.assert_allclose(F.sparse_attention(*given).numpy(), want, rtol=1e-5, atol=1e-6)
    compiled = paddle.jit.to_static(F.sparse_attention, full_graph=True)
    np.testing.assert_allclose(compiled(*given).numpy(), want, rtol=1e-5, atol=1e-6)
    with pytest.raises(IndexError, match="sparse_csr_columns in"):
        F.sparse_attention(*given[:4], given[4] + 1)
