# SPDX-License-Identifier: Apache-2.0
"""Fused functions against the layers they stand for; optimizers around optimizers against recorded
values.
"""

import numpy as np
import pytest

import paddle
import paddle.incubate.nn.functional as F
from paddle import incubate, nn


def _rand(*shape):
    return paddle.to_tensor(np.random.RandomState(sum(shape)).randn(*shape).astype('float32'))


def _same(a, b, tolerance=2e-5):
    np.testing.assert_allclose(
        a.numpy(), b.numpy() if isinstance(b, paddle.Tensor) else b, rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize('first', [False, True])
def test_encoder_layer_is_the_plain_one(first):
    plain = nn.TransformerEncoderLayer(8, 2, 16, 0.0, normalize_before=first)
    fused = incubate.nn.FusedTransformerEncoderLayer(8, 2, 16, 0.0, normalize_before=first)
    at, own, ffn = plain.self_attn, fused.fused_attn, fused.ffn
    for norm in (plain.norm1, plain.norm2):
        norm.weight.set_value(_rand(8))
        norm.bias.set_value(_rand(8) * 0.5)
    parts = [at.q_proj, at.k_proj, at.v_proj]
    own.qkv_weight.set_value(paddle.stack([p.weight.T.reshape([2, 4, 8]) for p in parts]))
    own.qkv_bias.set_value(paddle.stack([p.bias.reshape([2, 4]) for p in parts]))
    own.linear_weight.set_value(at.out_proj.weight)
    own.linear_bias.set_value(at.out_proj.bias)
    (own.pre_ln_scale if first else own.ln_scale).set_value(plain.norm1.weight)
    (own.pre_ln_bias if first else own.ln_bias).set_value(plain.norm1.bias)
    ffn._linear1_weight.set_value(plain.linear1.weight)
    ffn._linear1_bias.set_value(plain.linear1.bias)
    ffn._linear2_weight.set_value(plain.linear2.weight)
    ffn._linear2_bias.set_value(plain.linear2.bias)
    (ffn._ln1_scale if first else ffn._ln2_scale).set_value(plain.norm2.weight)
    (ffn._ln1_bias if first else ffn._ln2_bias).set_value(plain.norm2.bias)
    x, mask = _rand(2, 5, 8), paddle.to_tensor(np.tril(np.ones((1, 1, 5, 5), bool)))
    _same(fused(x, mask), plain(x, mask))
    _same(paddle.jit.to_static(fused, full_graph=True)(x, mask), plain(x, mask))


def test_attention_in_steps_with_a_cache():
    layer = incubate.nn.FusedMultiHeadAttention(8, 2, 0.0, 0.0, transpose_qkv_wb=True)
    x, mask = _rand(2, 4, 8), paddle.to_tensor(np.tril(np.ones((1, 1, 4, 4), bool)))
    cache, found = paddle.zeros([2, 2, 2, 0, 4]), []
    for i in range(4):
        out, cache = layer(x[:, i : i + 1], cache=cache)
        found.append(out)
    assert list(cache.shape) == [2, 2, 2, 4, 4]
    _same(paddle.concat(found, axis=1), layer(x, attn_mask=mask))


def test_norms():
    x, residual, bias, weight, shift = (
        _rand(2, 3, 4),
        _rand(2, 3, 4) * 2,
        _rand(4),
        _rand(4) + 3,
        _rand(4),
    )
    total = x + bias + residual * 0.5
    out, summed, mean, inverse = F.fused_layer_norm(x, weight, shift, 1e-5, 0.5, 2, bias, residual)
    _same(out, nn.functional.layer_norm(total, 4, weight, shift))
    _same(summed, total)
    _same(mean, total.numpy().mean(-1).reshape(-1))
    _same(inverse, 1 / np.sqrt(total.numpy().var(-1) + 1e-5).reshape(-1))
    out, summed = F.fused_rms_norm(x, weight, shift, 1e-5, 2, bias, residual)
    _same(summed, x + bias + residual)
    _same(out, nn.functional.rms_norm(summed, 4, weight) + shift)
    _same(
        F.fused_bias_dropout_residual_layer_norm(x, residual, bias, weight, shift, 0.0),
        nn.functional.layer_norm(x + bias + residual, 4, weight, shift),
    )
    scaled = F.fused_rms_norm(
        x,
        weight,
        None,
        1e-5,
        2,
        quant_scale=0.1,
        quant_round_type=1,
        quant_max_bound=127,
        quant_min_bound=-127,
    )[0]
    assert scaled.dtype == paddle.int8
    plain = nn.functional.rms_norm(x, 4, weight).numpy() * 12.7
    np.testing.assert_array_equal(
        scaled.numpy(), np.clip(np.sign(plain) * np.floor(np.abs(plain) + 0.5), -127, 127)
    )


def test_products():
    x, w, b = _rand(2, 3, 4), _rand(4, 6), _rand(6)
    _same(F.fused_linear(x, w.T, b, True), x.matmul(w) + b)
    # As cuBLASLt, which computes it for PaddlePaddle, does.
    _same(
        F.fused_linear_activation(x, w, b, activation='gelu'),
        nn.functional.gelu(x.matmul(w) + b, approximate=True),
    )
    _same(
        F.fused_bias_act(x.matmul(w), b, act_method='swiglu'), nn.functional.swiglu(x.matmul(w) + b)
    )
    _same(F.fused_dropout_add(x, x, 0.5, training=False, mode='downscale_in_infer'), 1.5 * x)
    with pytest.raises(ValueError, match='activation'):
        F.fused_linear_activation(x, w, b, activation='tanh')


@pytest.mark.parametrize('adjacent', [False, True])
def test_rotary_positions_turn_pairs(adjacent):
    q = _rand(2, 5, 2, 8)
    out, none, same = F.fused_rotary_position_embedding(q, None, q, use_neox_rotary_style=adjacent)
    assert none is None
    _same(out, same)
    x = q.numpy()
    pairs = x.reshape(2, 5, 2, 4, 2) if adjacent else np.stack([x[..., :4], x[..., 4:]], -1)
    turn = np.exp(1j * np.outer(np.arange(5), 10000.0 ** (-np.arange(0, 8, 2) / 8)))[
        None, :, None, :
    ]
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * turn
    parts = [turned.real, turned.imag]
    _same(out, np.stack(parts, -1).reshape(x.shape) if adjacent else np.concatenate(parts, -1))
    angles = np.angle(turn[0, :, 0])
    angles = np.repeat(angles, 2, -1) if adjacent else np.concatenate([angles, angles], -1)
    sin, cos = (
        paddle.to_tensor(f(angles).astype('float32').reshape(1, 5, 1, 8)) for f in (np.sin, np.cos)
    )
    back = paddle.to_tensor(np.tile(np.arange(4, -1, -1), (2, 1)))
    picked = F.fused_rotary_position_embedding(
        q.flip([1]), sin=sin, cos=cos, position_ids=back, use_neox_rotary_style=adjacent
    )[0]
    _same(picked, out.flip([1]))


def test_attention_of_several_lengths():
    q, k, v = _rand(2, 4, 3, 8), _rand(2, 2, 6, 8), _rand(2, 2, 6, 8) + 1
    lengths, kv = (
        paddle.to_tensor([[3], [2]], dtype='int32'),
        paddle.to_tensor([[6], [4]], dtype='int32'),
    )
    out = F.variable_length_memory_efficient_attention(q, k, v, lengths, kv)
    for item, (rows, seen) in enumerate(((3, 6), (2, 4))):
        for head in range(4):
            scores = (q[item, head, :rows] @ k[item, head // 2, :seen].T) / 8**0.5
            _same(
                out[item, head, :rows],
                nn.functional.softmax(scores, -1) @ v[item, head // 2, :seen],
            )
    assert not out.numpy()[1, :, 2].any()


def test_softmax_and_loss():
    x = _rand(1, 2, 4, 4)
    mask = paddle.to_tensor(np.triu(np.full((1, 1, 4, 4), -1e9, 'float32'), 1))
    _same(incubate.softmax_mask_fuse_upper_triangle(x), incubate.softmax_mask_fuse(x, mask))
    _same(incubate.identity_loss(x, 'mean'), x.mean())
    _same(incubate.identity_loss(x, 0), x.sum())
    with pytest.raises(TypeError):
        incubate.identity_loss(x, 'max')


def _descent():
    value = paddle.nn.initializer.Assign(np.array([1.0, 2.0, 3.0], 'float32'))
    w = paddle.create_parameter([3], 'float32', default_initializer=value)
    return w, paddle.optimizer.SGD(0.1, parameters=[w])


def test_lookahead():
    w, inner = _descent()
    optimizer, found = incubate.LookAhead(inner, alpha=0.2, k=2), []
    for _ in range(7):
        (w * w).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        found.append(float(w[0]))
    np.testing.assert_allclose(
        found, [0.8, 0.768, 0.6144, 0.712704, 0.5701632, 0.6613893, 0.5291115], rtol=1e-5
    )
    with pytest.raises(AssertionError):
        incubate.LookAhead(inner, k=0)


def test_model_average():
    w, inner = _descent()
    average, found = (
        incubate.ModelAverage(0.5, parameters=[w], min_average_window=2, max_average_window=4),
        [],
    )
    for _ in range(7):
        (w * w).sum().backward()
        inner.step()
        inner.clear_grad()
        average.step()
        kept = w.numpy()
        with average.apply():
            found.append(float(w[0]))
        np.testing.assert_array_equal(w.numpy(), kept)
    np.testing.assert_allclose(
        found, [0.8, 0.72, 0.650667, 0.4608, 0.416426, 0.377856, 0.266513], rtol=1e-5
    )


@pytest.mark.parametrize('recorded', [False, True])
@pytest.mark.parametrize(
    ('given', 'weight', 'bias'),
    [  # figures of the published package after three steps
        ({}, [-0.000126, 0.099844, 0.19985, 0.299815, 0.399826, 0.499787], [0.499745, 0.499696]),
        (
            {'lars_coeff': 0.01, 'lars_weight_decay': 0.1},
            [-0.001205, 0.098486, 0.198515, 0.298162, 0.398234, 0.497837],
            [0.497437, 0.496978],
        ),
        (
            {'exclude_from_weight_decay': ['plain_of_lars']},
            [-0.000127, 0.099843, 0.19985, 0.299815, 0.399826, 0.499787],
            [0.052841, -0.031964],
        ),
    ],
)
def test_lars_momentum(recorded, given, weight, bias):
    x = np.arange(12, dtype='float32').reshape(4, 3) / 10

    def made(parameters):
        optimizer = paddle.incubate.optimizer.LarsMomentumOptimizer
        return optimizer(0.1, 0.9, parameter_list=parameters, **given)

    def parameters():
        first = np.arange(6, dtype='float32').reshape(3, 2) * 0.1
        assign, constant = paddle.nn.initializer.Assign, paddle.nn.initializer.Constant
        w = paddle.create_parameter([3, 2], 'float32', default_initializer=assign(first))
        name = paddle.utils.unique_name.generate('plain_of_lars')
        attr = paddle.ParamAttr(name=name, initializer=constant(0.5))
        return w, paddle.create_parameter([2], 'float32', attr=attr)

    if recorded:
        paddle.enable_static()
        try:
            main, startup = paddle.static.Program(), paddle.static.Program()
            with paddle.static.program_guard(main, startup):
                w, b = parameters()
                loss = ((paddle.static.data('x', [4, 3]) @ w + b) ** 2).mean()
                made(None).minimize(loss)
            exe = paddle.static.Executor()
            exe.run(startup)
            for _ in range(3):
                w_now, b_now = exe.run(main, {'x': x}, [w, b])
        finally:
            paddle.disable_static()
    else:
        w, b = parameters()
        optimizer = made([w, b])
        for _ in range(3):
            ((paddle.to_tensor(x) @ w + b) ** 2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
        w_now, b_now = w.numpy(), b.numpy()
        assert sorted(optimizer.state_dict()) == sorted(f'{p.name}_velocity_0' for p in (w, b))
    np.testing.assert_allclose(w_now.ravel(), weight, atol=1e-6)
    np.testing.assert_allclose(b_now, bias, atol=1e-6)


@pytest.mark.parametrize('activation', ['gelu', 'relu'])
def test_second_order_of_products_goes_through_what_they_keep(activation):
    act = {'gelu': lambda t: nn.functional.gelu(t, approximate=True), 'relu': nn.functional.relu}
    act = act[activation]

    def second(function, given):
        first = paddle.grad((function(*given) ** 2).sum(), given, create_graph=True)
        return paddle.grad(sum((g * g).sum() for g in first), given)

    given = [_rand(4, 5), _rand(5, 6), _rand(6), _rand(6, 3), _rand(3)]
    for t in given:
        t.stop_gradient = False
    pairs = [
        (
            lambda x, y, b: paddle._C_ops.fused_gemm_epilogue(x, y, b, False, False, activation)[0],
            lambda x, y, b: act(x @ y + b),
        )
    ]
    if activation == 'relu':
        pairs.append(
            (
                lambda *five: paddle._C_ops._linear_pair(*five)[0],
                lambda x, y, b, z, c: act(x @ y + b) @ z + c,
            )
        )
    for (fused, plain), count in zip(pairs, (3, 5)):
        for got, want in zip(second(fused, given[:count]), second(plain, given[:count])):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-4, atol=2e-4)
