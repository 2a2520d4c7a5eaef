# SPDX-License-Identifier: Apache-2.0
"""Dispatch of tokens to experts, numbers of eight bits in blocks, and sampling, against NumPy."""

import numpy as np
import pytest

import paddle
import paddle.incubate.nn.functional as F
from paddle.nn.functional import moe_permute, moe_unpermute

R = np.random.RandomState


def dispatched(x, gates, bias, k, capacity, pad):
    """What `moe_gate_dispatch` says, in loops: first choices of all tokens come first."""
    (tokens, experts), width = gates.shape, x.shape[1]
    scores = gates if bias is None else gates + bias
    expert = np.argsort(-scores, axis=1, kind='stable')[:, :k]
    weights = np.take_along_axis(gates, expert, 1)
    counts = np.bincount(expert.reshape(-1), minlength=experts)
    begins = np.cumsum(counts) - counts
    rows = np.zeros([experts * capacity if pad else tokens * k, width], x.dtype)
    at, taken = np.zeros([k, tokens], 'int32'), np.zeros(experts, int)
    for choice in range(k):
        for token in range(tokens):
            e = expert[token, choice]
            rank, taken[e] = taken[e], taken[e] + 1
            if rank >= capacity:
                weights[token, choice] = 0
                continue
            at[choice, token] = rank + (e * capacity if pad else begins[e])
            rows[at[choice, token]] = x[token]
    return rows, weights, at, np.cumsum(counts), expert


@pytest.mark.parametrize('pad', [True, False])
@pytest.mark.parametrize('biased', [True, False])
def test_dispatch(pad, biased):
    x, gates = R(0).randn(13, 5).astype('float32'), R(1).rand(13, 6).astype('float32')
    bias = R(2).rand(6).astype('float32') * 3 if biased else None
    tensors = [None if a is None else paddle.to_tensor(a) for a in (x, gates, bias)]
    for t in tensors[:2]:
        t.stop_gradient = False
    got = F.moe_gate_dispatch(*tensors, 3, 4, pad)
    want = dispatched(x, gates, bias, 3, 4, pad)
    for g, w in zip(got, want):
        np.testing.assert_array_equal(g.numpy(), w)
    assert [str(g.dtype)[7:] for g in got] == ['float32', 'float32', 'int32', 'int64', 'int32']
    # Each token's gradient comes from its rows, each gate's from its weight.
    weight = R(3).randn(*got[0].shape).astype('float32')
    ((got[0] * paddle.to_tensor(weight)).sum() + 2 * got[1].sum()).backward()
    kept = want[1] != 0
    by_x = np.zeros_like(x)
    by_gate = np.zeros_like(gates)
    for token, choice in zip(*np.nonzero(kept)):
        by_x[token] += weight[want[2][choice, token]]
        by_gate[token, want[4][token, choice]] += 2
    np.testing.assert_allclose(tensors[0].grad.numpy(), by_x, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(tensors[1].grad.numpy(), by_gate, rtol=1e-6)


def test_dispatch_by_ranks_and_quantised():
    x = paddle.to_tensor(R(0).randn(8, 256).astype('float32'))
    gates = paddle.to_tensor(R(1).rand(8, 4).astype('float32'))
    plain = F.moe_gate_dispatch(x, gates, None, 2, 3, True)
    rows = F.moe_gate_dispatch_permute(x, gates, None, 2, 3, 2)[0]
    assert rows.shape == [2, 6, 256]
    for local in range(2):
        for rank in range(2):
            np.testing.assert_array_equal(
                rows.numpy()[local, 3 * rank : 3 * rank + 3],
                plain[0].numpy()[3 * (2 * rank + local) :][:3],
            )
    low, scale, *others = F.moe_gate_dispatch_and_quant(x, gates, None, 2, 3, True, True)
    assert scale.shape == [12, 2] and len(others) == 4
    back = low.astype('float32').numpy() * np.repeat(scale.numpy(), 128, 1)
    np.testing.assert_allclose(back, plain[0].numpy(), rtol=0.07, atol=0.02)
    with pytest.raises(ValueError, match='divides the 4'):
        F.moe_gate_dispatch_permute(x, gates, None, 2, 3, 3)


def test_dispatch_to_some_experts():
    x = paddle.to_tensor((np.arange(3)[:, None] + np.ones([3, 3])).astype('float32'))
    weights = paddle.to_tensor(R(0).rand(3, 2).astype('float32'))
    expert = paddle.to_tensor([[0, 1], [0, 1], [0, 2]], dtype='int32')
    args = x, weights, expert, 2, 2, 4

    def call(*more, reverse=False):
        return [t.numpy() for t in F.moe_gate_dispatch_partial_nosoftmaxtopk(*args, *more, reverse)]

    rows, kept, at, token, every, here = call(False, 0, 2, reverse=True)
    assert rows[:, 0].tolist() == [2, 3, 1, 2] and token.tolist() == [1, 2, 0, 1]
    assert every.tolist() == [3, 2, 1, 0] and here.tolist() == [2, 2]
    assert (kept != 0).tolist() == [[False, True], [True, True], [True, False]]
    assert at.tolist() == [[0, 0, 1], [2, 3, 0]]
    rows, _, _, token, _, here = call(False, 0, 2)
    assert rows[:, 0].tolist() == [1, 2, 1, 2] and here.tolist() == [2, 2]
    rows, _, at, token, _, here = call(True, 1, 3)
    assert rows[:, 0].tolist() == [1, 2, 3, 0] and token.tolist() == [0, 1, 2, -1]
    assert at.tolist() == [[0, 0, 0], [0, 1, 2]]
    rows, _, _, token, _, here = call(False, 3, 4)
    assert rows.shape == (0, 3) and token.shape == (0,) and here.tolist() == [0]


def test_tables_of_experts():
    rank, local = F.build_src_rank_and_local_expert_id(
        paddle.to_tensor([1, 0, 2, 3]), [1, 0, 2, 3], 2
    )
    assert rank.tolist() == [0, 1, 1, 1, 1, 1] and local.tolist() == [0, 0, 0, 1, 1, 1]
    ids = paddle.to_tensor([[0, 1, 2], [3, 2, 1]])
    assert F.expand_modality_expert_id(ids, 3, 4, 1, True).tolist() == [[3, 11, 22], [9, 15, 21]]
    assert F.expand_modality_expert_id(ids, 0, 4, 1, True).tolist() == [[0, 5, 10], [3, 6, 9]]
    for dtype in ('int32', 'int64'):
        x = paddle.to_tensor([1, 3, 5, 3, 1, 9, -2], dtype=dtype)
        got = F.int_bincount(x, 1, 6)
        assert got.tolist() == [2, 0, 2, 0, 1] and got.dtype == x.dtype
    assert F.int_bincount(paddle.to_tensor([], dtype='int32'), 0, 3).tolist() == [0, 0, 0]


def test_auxiliary_loss():
    gates = paddle.to_tensor(R(0).rand(6, 4).astype('float32'), stop_gradient=False)
    sent = R(1).randint(0, 2, (6, 4))
    here, every = np.array([1, 1, 0, 1, 1, 0]), np.array([1, 1, 0, 1, 1, 0, 1], bool)
    for mask, other, group in ((None, None, False), (here, None, True), (here, every, True)):
        gates.clear_grad()
        loss, tokens, shares = F.cal_aux_loss(
            gates,
            paddle.to_tensor(sent),
            None if mask is None else paddle.to_tensor(mask.astype('float32')),
            None if other is None else paddle.to_tensor(other),
            4,
            group,
            2,
            1e-6,
        )
        count = other.sum() if other is not None else 6 if mask is None else mask.sum()
        want = sent.sum(0) / count
        plain = 4 * (gates.numpy().sum(0) / count * want).sum() / (2 if group else 1)
        local = count / mask.sum() if other is not None else 1
        np.testing.assert_allclose(float(loss), plain * local, rtol=1e-5)
        np.testing.assert_allclose(shares.numpy(), want, rtol=1e-6)
        assert float(tokens) == count
        loss.backward()
        by_gate = np.tile(4 * want / count / (2 if group else 1), (6, 1))
        np.testing.assert_allclose(gates.grad.numpy(), by_gate, rtol=1e-5)


@pytest.mark.parametrize('dtype', ['bfloat16', 'float8_e4m3fn'])
def test_permute_and_back(dtype):
    x = paddle.to_tensor(R(0).randn(5, 256).astype('float32')).astype(dtype)
    route = np.array([[-1, 0, 2], [1, -1, -1], [2, 1, 0], [-1, -1, -1], [1, -1, 2]], 'int32')
    prob = np.where(route < 0, 0, R(1).rand(5, 3)).astype('float32')
    scale = paddle.to_tensor(R(2).rand(5, 2).astype('float32'))
    scale = scale if dtype.startswith('float8') else None
    counts = np.bincount(route[route >= 0], minlength=3).tolist()
    args = paddle.to_tensor(route), paddle.to_tensor(prob), 3, counts, 4
    rows, rowmap, found, scales, own = moe_permute(x, scale, *args, return_expert_indices=True)
    assert rows.shape == [12, 256] and found.shape == [12]
    assert rowmap.numpy().tolist() == [
        [0, -1, 8],
        [-1, 4, -1],
        [1, 5, 9],
        [-1, -1, -1],
        [-1, 6, 10],
    ]
    assert own.tolist() == [0, 0, -1, -1, 1, 1, 1, -1, 2, 2, 2, -1]
    for token, expert in zip(*np.nonzero(rowmap.numpy() >= 0)):
        at = rowmap.numpy()[token, expert]
        assert (rows[at].astype('float32') == x[token].astype('float32')).all()
        assert found[at] == prob[token, list(route[token]).index(expert)]
        assert scale is None or (scales[at] == scale[token]).all()
    assert (rows[2].astype('float32') == 0).all() and float(found[2]) == 0
    back, probs = moe_unpermute(
        rows.astype('bfloat16'), rowmap, args[0], found, 5, 3, using_weighted_combine=True
    )
    assert back.dtype == paddle.bfloat16
    want = x.astype('float32').numpy() * prob.sum(1, keepdims=True)
    np.testing.assert_allclose(back.astype('float32').numpy(), want, rtol=0.01, atol=1e-3)
    np.testing.assert_array_equal(probs.numpy(), prob)
    assert moe_permute(x, scale, *args, do_gather=False)[0].shape == [0, 256]
    assert moe_permute(x, scale, *args, override_buffer_size=20)[0].shape == [20, 256]
    with pytest.raises(ValueError, match='tokens_per_expert'):
        moe_permute(x, scale, *args[:3], [1, 1, 1], 4)


def blocks(x, rows, power):
    """(x in blocks of rows x 128 as float32, their scales)."""
    high, wide = -(-x.shape[0] // rows), -(-x.shape[1] // 128)
    scale = np.zeros([high, wide], 'float32')
    out = np.zeros_like(x)
    for i in range(high):
        for j in range(wide):
            at = np.s_[i * rows : (i + 1) * rows, j * 128 : (j + 1) * 128]
            largest = np.abs(x[at]).max()
            up = np.float32(448) / largest if largest else np.float32(1)
            up = np.float32(2) ** np.floor(np.log2(up)) if power else up
            out[at], scale[i, j] = x[at] * up, 1 / up
    out = paddle.to_tensor(out).astype('float8_e4m3fn').astype('float32').numpy()
    return out, scale


@pytest.mark.parametrize('method', ['1x128', '128x128'])
@pytest.mark.parametrize('power', [False, True])
def test_blocks(method, power):
    x = paddle.to_tensor(R(0).randn(130, 300).astype('float32')).astype('bfloat16')
    x[:128, :128] = 0
    plain = x.astype('float32').numpy()
    for turned in (False, True):
        parts = F.fp8_quant_blockwise(
            x,
            quant_method=method,
            using_pow2_scale=power,
            input_transpose=turned,
            output_scale_transpose=False,
        )
        assert len(parts) == (4 if turned else 2)
        for k, matrix in enumerate((plain, plain.T)[: len(parts) // 2]):
            out, scale = blocks(matrix, 1 if method == '1x128' else 128, power)
            np.testing.assert_array_equal(parts[2 * k].astype('float32').numpy(), out)
            np.testing.assert_allclose(parts[2 * k + 1].numpy(), scale, rtol=1e-6)
    _, scale = F.fp8_quant_blockwise(x, quant_method=method, using_pow2_scale=power)
    np.testing.assert_array_equal(scale.numpy(), parts[1].numpy().T)
    low, _ = F.fp8_quant_blockwise(
        x, input_transpose=True, return_transpose_only=True, quant_method=method
    )
    assert low.shape == [300, 130]


def test_exponents_of_blocks():
    x = paddle.to_tensor(R(0).randn(4, 700).astype('float32') * 1e-3).astype('bfloat16')
    low, scale = F.fp8_quant_blockwise(x, output_scale_transpose=False)
    _, packed = F.fp8_quant_blockwise(x, output_scale_transpose=False, using_ue8m0_scale=True)
    assert packed.dtype == paddle.int32 and packed.shape == [4, 2]
    bytes_ = packed.numpy().view('uint8').reshape(4, 8)[:, :6].astype('float64')
    np.testing.assert_array_equal(2.0 ** (bytes_ - 127), scale.numpy())
    for given in (scale, packed):
        back = F.fused_act_dequant(low, given)
        assert back.dtype == paddle.bfloat16
        want = low.astype('float32').numpy() * np.repeat(scale.numpy(), 128, 1)[:, :700]
        np.testing.assert_allclose(back.astype('float32').numpy(), want, rtol=0.005)
    with pytest.raises(ValueError, match='for each 128 columns'):
        F.fused_act_dequant(low, scale[:, :3])


@pytest.mark.parametrize('first', [True, False])
def test_product_of_blocks(first):
    a = paddle.to_tensor(R(0).randn(256, 384).astype('float32')).astype('bfloat16')
    b = paddle.to_tensor(R(1).randn(130, 384).astype('float32')).astype('bfloat16')
    qa, sa = F.fp8_quant_blockwise(a)
    qb, sb = F.fp8_quant_blockwise(b, quant_method='128x128', output_scale_transpose=False)
    wide_a = qa.astype('float32').numpy() * np.repeat(sa.numpy().T, 128, 1)
    scale = np.repeat(np.repeat(sb.numpy(), 128, 0)[:130], 128, 1)
    want = wide_a @ (qb.astype('float32').numpy() * scale).T
    pairs = (qa, sa, qb, sb) if first else (qb, sb, qa, sa)
    want = want if first else want.T
    flags = {'is_a_1d_scaled': first, 'is_b_1d_scaled': not first}
    got = F.fp8_gemm_blockwise(*pairs, 'float32', **flags)
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-4, atol=1e-3)
    out = paddle.ones(got.shape, 'bfloat16')
    assert F.fp8_gemm_blockwise(*pairs, 'bfloat16', out, accumulate=True, **flags) is out
    np.testing.assert_allclose(out.astype('float32').numpy(), want + 1, rtol=0.01, atol=0.01)
    with pytest.raises(ValueError, match='decode_scale of shape'):
        F.fp8_gemm_blockwise(qa, sa.t(), qa, sa, 'float32')


def test_matrices_that_are_cut_and_quantised():
    x = paddle.to_tensor(R(0).randn(384, 40).astype('float32')).astype('bfloat16')
    plain = x.astype('float32').numpy()
    for counts in ([128, 0, 256], [384]):
        outs, scales = F.fused_transpose_split_quant(x, None, counts, True)
        out, scale = blocks(plain.T.copy(), 1, True)
        at = 0
        for n, part, s in zip(counts, outs, scales):
            assert part.shape == [40, n] and s.shape == [n // 128, 40]
            np.testing.assert_array_equal(part.astype('float32').numpy(), out[:, at : at + n])
            np.testing.assert_array_equal(s.numpy(), scale[:, at // 128 : (at + n) // 128].T)
            at += n
    box = paddle.to_tensor(R(1).randn(4, 2, 32, 9).astype('float32')).astype('bfloat16')
    outs, scales = F.fused_transpose_wlch_split_quant(box, [128, 128])
    turned = box.astype('float32').numpy().transpose(3, 1, 0, 2).reshape(9, 256)
    out, scale = blocks(turned, 1, False)
    np.testing.assert_array_equal(outs[1].astype('float32').numpy(), out[:, 128:])
    np.testing.assert_allclose(scales[1].numpy(), scale.T[1:], rtol=1e-6)
    many = [x[:128, :].tile([1, 4])[:, :128], x[128:256].tile([1, 4])[:, :128]]
    for transpose in (True, False):
        low, scale = F.fused_stack_transpose_quant(many, transpose)
        rows = [m.astype('float32').numpy() for m in many]
        out, want = blocks(np.concatenate([r.T if transpose else r for r in rows]), 128, False)
        np.testing.assert_array_equal(low.astype('float32').numpy(), out)
        np.testing.assert_allclose(scale.numpy(), want, rtol=1e-6)
    with pytest.raises(ValueError, match='multiples of 128'):
        F.fused_transpose_split_quant(x, None, [100, 284])


def test_weighted_activation_in_blocks():
    x, prob = R(0).randn(2, 3, 400).astype('float32'), R(1).rand(6, 1).astype('float32')
    low, scale = F.fused_weighted_swiglu_act_quant(paddle.to_tensor(x), paddle.to_tensor(prob))
    gate, value = x.reshape(6, 400)[:, :200], x.reshape(6, 400)[:, 200:]
    want = gate / (1 + np.exp(-gate)) * value * prob
    assert low.shape == [6, 200] and scale.shape == [6, 2]
    back = low.astype('float32').numpy() * np.repeat(scale.numpy(), 128, 1)[:, :200]
    np.testing.assert_allclose(back, want, rtol=0.07, atol=np.abs(want).max() / 400)
    with pytest.raises(ValueError, match='6 rows'):
        F.fused_weighted_swiglu_act_quant(paddle.to_tensor(x), paddle.ones([5, 1]))


def test_half_product_of_eight_bits():
    a = paddle.to_tensor(R(0).randn(2, 6, 32).astype('float32')).astype('float8_e4m3fn')
    b = paddle.to_tensor(R(1).randn(2, 9, 32).astype('float32')).astype('float8_e4m3fn')
    bias = paddle.to_tensor(R(2).randn(9).astype('float32')).astype('float16')
    for act in ('identity', 'relu', 'gelu'):
        got = paddle.linalg.fp8_fp8_half_gemm_fused(
            a, b, transpose_y=True, bias=bias, scale=0.5, act=act, output_dtype='bfloat16'
        )
        want = 0.5 * paddle.matmul(a.astype('float32'), b.astype('float32'), transpose_y=True)
        want = want + bias.astype('float32')
        want = want if act == 'identity' else getattr(paddle.nn.functional, act)(want)
        assert got.dtype == paddle.bfloat16
        np.testing.assert_allclose(
            got.astype('float32').numpy(), want.numpy(), rtol=0.01, atol=1e-3
        )
    with pytest.raises(TypeError, match='float8_e4m3fn'):
        paddle.linalg.fp8_fp8_half_gemm_fused(want, want)


@pytest.mark.parametrize('mode', ['truncated', 'non-truncated'])
def test_top_p_sampling(mode):
    row = np.array([0.1, 0.4, 0.2, 0.3], 'float32')
    x = paddle.to_tensor(np.tile(row, (4000, 1)))
    paddle.seed(7)
    value, place = x.top_p_sampling(paddle.full([4000], 0.6), mode=mode)
    assert value.shape == [4000, 1] and place.dtype == paddle.int64
    np.testing.assert_array_equal(value.numpy().ravel(), row[place.numpy().ravel()])
    share = np.bincount(place.numpy().ravel(), minlength=4) / 4000
    want = [0, 4 / 6, 0, 2 / 6] if mode == 'truncated' else [0, 4 / 7, 0, 3 / 7]
    np.testing.assert_allclose(share, want, atol=0.03)
    # A place below the threshold is never drawn, the likeliest always may be.
    sampling = paddle.tensor.top_p_sampling
    limit = paddle.full([4000, 1], 0.35)
    assert set(sampling(x, paddle.full([4000, 1], 0.9), limit)[1].numpy().ravel()) == {1}
    # Rows of the same seed draw the same.
    seeds = paddle.to_tensor([[3], [3], [4], [5]] * 5)
    draws = sampling(x[:20], paddle.full([20], 1.0), topp_seed=seeds)[1].numpy().reshape(5, 4)
    assert (draws == draws[0]).all() and (draws[:, 0] == draws[:, 1]).all()
    one, two = (sampling(x, paddle.full([4000], 1.0), seed=5)[1] for _ in range(2))
    assert (one == two).all()
    best = sampling(x[:2], paddle.full([2], 0.5), k=2, return_top=True)
    assert best[3].tolist() == [[1, 3], [1, 3]]
    with pytest.raises(ValueError, match='ps of 2 elements'):
        sampling(x[:2], paddle.full([3], 0.5))
