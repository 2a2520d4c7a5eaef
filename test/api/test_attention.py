# SPDX-License-Identifier: Apache-2.0
"""The fused attention kernel behind F.scaled_dot_product_attention, F.flash_attention and
MultiHeadAttention.
"""

import numpy as np
import pytest

import paddle
from paddle.nn import functional as F

R = np.random.RandomState(0)


def normal(*shape, dtype='float32'):
    return R.standard_normal(shape).astype(dtype)


def reference(q, k, v, scale=None, mask=None, causal=False, keep=None):
    """In float64, for [batch, length, heads, dim]."""
    q, k, v = (x.astype('float64').transpose(0, 2, 1, 3) for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = (x.repeat(group, 1) for x in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    with np.errstate(invalid='ignore'):
        p = np.exp(scores - scores.max(-1, keepdims=True))
        p = p / p.sum(-1, keepdims=True)
    return ((p if keep is None else p * keep) @ v).transpose(0, 2, 1, 3)


CASES = {
    'plain': ((2, 70, 3, 24), (2, 300, 3, 24), {}),
    'few_queries': ((2, 3, 4, 20), (2, 77, 2, 20), {}),
    'one_key': ((1, 5, 2, 8), (1, 1, 2, 8), {}),
    'causal': ((1, 300, 2, 16), (1, 300, 2, 16), {'is_causal': True}),
    'causal_few': ((1, 3, 2, 16), (1, 5, 2, 16), {'is_causal': True}),
    'shared_heads': ((2, 65, 6, 16), (2, 65, 2, 16), {'scale': 0.3}),
    'bool_mask': ((2, 33, 2, 16), (2, 40, 2, 16), {'attn_mask': R.rand(2, 1, 33, 40) > 0.3}),
    'padding_mask': (
        (2, 33, 2, 16),
        (2, 40, 2, 16),
        {'attn_mask': np.where(R.rand(2, 1, 1, 40) > 0.3, 0, -1e4).astype('float32')},
    ),
    'nothing_but_low': (
        (1, 5, 2, 8),
        (1, 5, 2, 8),
        {'attn_mask': np.full((5, 5), -1e9, 'float32')},
    ),
    'score_bias': ((2, 9, 2, 16), (2, 600, 2, 16), {'attn_mask': normal(9, 600)}),
}


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'bfloat16', 'float16'])
@pytest.mark.parametrize('name', CASES)
def test_against_float64(name, dtype):
    q_shape, k_shape, options = CASES[name]
    q, k, v = normal(*q_shape), normal(*k_shape), normal(*k_shape)
    tensors = [paddle.to_tensor(x).astype(dtype) for x in (q, k, v)]
    q, k, v = (t.astype('float64').numpy() for t in tensors)
    mask = options.get('attn_mask')
    given = {**options, **({'attn_mask': paddle.to_tensor(mask)} if mask is not None else {})}
    out = F.scaled_dot_product_attention(*tensors, **given)
    assert str(out.dtype) == f'paddle.{dtype}'
    if name == 'nothing_but_low' and dtype != 'float64':
        q = q * 0  # the mask leaves the scores no digits
    want = reference(q, k, v, options.get('scale'), mask, options.get('is_causal', False))
    tolerance = {'float32': 2e-6, 'float64': 1e-12, 'bfloat16': 2e-2, 'float16': 2e-3}[dtype]
    np.testing.assert_allclose(out.astype('float64').numpy(), want, rtol=tolerance, atol=tolerance)


def gradients(tensors, options, create_graph):
    out = F.scaled_dot_product_attention(*tensors, **options)
    weight = paddle.to_tensor(np.random.RandomState(1).standard_normal(out.shape)).astype(out.dtype)
    return paddle.grad([(out * weight).sum()], tensors, create_graph=create_graph)


@pytest.mark.parametrize(
    'dtype,tolerance', [('float64', 1e-12), ('float32', 2e-5), ('bfloat16', 6e-2)]
)
@pytest.mark.parametrize('name', CASES)
def test_fused_gradient_is_the_composed_one(name, dtype, tolerance):
    q_shape, k_shape, options = CASES[name]
    options = {n: paddle.to_tensor(x) if n == 'attn_mask' else x for n, x in options.items()}
    tensors = [paddle.to_tensor(normal(*s)).astype(dtype) for s in (q_shape, k_shape, k_shape)]
    for t in tensors:
        t.stop_gradient = False
    if name == 'nothing_but_low':
        tolerance = max(tolerance, 1e-6)  # what a double of 1e9 leaves of the logarithm of the sum
    for fused, composed in zip(
        gradients(tensors, options, False), gradients(tensors, options, True)
    ):
        fused, composed = (t.astype('float64').numpy() for t in (fused, composed))
        assert np.abs(fused - composed).max() <= tolerance * max(1.0, np.abs(composed).max())


def test_gradient_against_differences():
    tensors = [
        paddle.to_tensor(normal(1, 5, 2, 4, dtype='float64'), stop_gradient=False) for _ in range(3)
    ]
    mask = paddle.to_tensor(normal(5, 5, dtype='float64'))

    def loss():
        return (F.scaled_dot_product_attention(*tensors, attn_mask=mask) ** 2).sum()

    found = paddle.grad([loss()], tensors)
    second = paddle.grad(
        [(g**2).sum() for g in paddle.grad([loss()], tensors, create_graph=True)], tensors
    )
    for t, g, h in zip(tensors, found, second):
        step, at = 1e-5, (0, 3, 1, 2)
        values = []
        for sign in (1, -1):
            moved = t.numpy().copy()
            moved[at] += sign * step
            kept = t.numpy().copy()
            t.set_value(moved)
            values.append(
                (float(loss()), float(sum((x**2).sum() for x in paddle.grad([loss()], tensors))))
            )
            t.set_value(kept)
        np.testing.assert_allclose(
            float(g[at]), (values[0][0] - values[1][0]) / (2 * step), rtol=1e-6, atol=1e-8
        )
        np.testing.assert_allclose(
            float(h[at]), (values[0][1] - values[1][1]) / (2 * step), rtol=1e-6, atol=1e-7
        )


def test_dropout_draws_as_the_single_operations():
    q, k, v = (paddle.to_tensor(normal(2, 6, 2, 8), stop_gradient=False) for _ in range(3))
    paddle.seed(11)
    out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.4)
    after = paddle.rand([3]).numpy()
    grads = paddle.grad([out.sum()], [q, k, v])
    paddle.seed(11)
    keep = F.dropout(paddle.ones([2, 2, 6, 6]), 0.4)
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), after)
    np.testing.assert_allclose(
        out.numpy(),
        reference(q.numpy(), k.numpy(), v.numpy(), keep=keep.numpy()),
        rtol=1e-5,
        atol=1e-6,
    )
    paddle.seed(11)
    composed = paddle.grad(
        [F.scaled_dot_product_attention(q, k, v, dropout_p=0.4).sum()], [q, k, v], create_graph=True
    )
    for a, b in zip(grads, composed):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(
        F.scaled_dot_product_attention(q, k, v, dropout_p=0.4, training=False).numpy(),
        F.scaled_dot_product_attention(q, k, v).numpy(),
    )


def test_hidden_rows_and_special_values():
    q, k, v = normal(1, 6, 1, 4), normal(1, 6, 1, 4), normal(1, 6, 1, 4)
    mask = np.ones((6, 6), bool)
    mask[2] = False
    out = F.scaled_dot_product_attention(
        *map(paddle.to_tensor, (q, k, v)), attn_mask=paddle.to_tensor(mask)
    ).numpy()
    assert np.isnan(out[0, 2]).all() and np.isfinite(np.delete(out, 2, 1)).all()
    q[0, 4, 0, 0] = np.nan
    out = F.scaled_dot_product_attention(*map(paddle.to_tensor, (q, k, v))).numpy()
    assert np.isnan(out[0, 4]).all() and np.isfinite(np.delete(out, 4, 1)).all()
    big = F.scaled_dot_product_attention(
        *(paddle.to_tensor(x * 300) for x in (normal(1, 6, 1, 4), k, v))
    ).numpy()
    assert np.isfinite(big).all()


def test_extents_of_zero_and_of_one():
    assert F.scaled_dot_product_attention(*[paddle.zeros([0, 3, 2, 4])] * 3).shape == [0, 3, 2, 4]
    none = paddle.zeros([1, 0, 2, 4])
    np.testing.assert_array_equal(
        F.scaled_dot_product_attention(paddle.ones([1, 3, 2, 4]), none, none).numpy(),
        np.zeros([1, 3, 2, 4]),
    )
    q, k, v = (
        paddle.to_tensor(normal(3, 7, 2, 4)),
        paddle.to_tensor(normal(1, 5, 2, 4)),
        paddle.to_tensor(normal(1, 5, 2, 4)),
    )
    want = reference(q.numpy(), k.numpy().repeat(3, 0), v.numpy().repeat(3, 0))
    np.testing.assert_allclose(
        F.scaled_dot_product_attention(q, k, v).numpy(), want, rtol=1e-5, atol=1e-6
    )


def test_any_strides():
    q, k, v = (paddle.to_tensor(normal(2, 4, 9, 8)) for _ in range(3))
    want = reference(*(x.numpy().transpose(0, 2, 1, 3) for x in (q, k, v)))
    np.testing.assert_allclose(
        F.scaled_dot_product_attention(*(x.transpose([0, 2, 1, 3]) for x in (q, k, v))).numpy(),
        want,
        rtol=1e-5,
        atol=1e-6,
    )
    turned = [
        paddle.to_tensor(np.ascontiguousarray(x.numpy().transpose(3, 0, 2, 1))).transpose(
            [1, 2, 3, 0]
        )
        for x in (q, k, v)
    ]
    np.testing.assert_allclose(
        F.scaled_dot_product_attention(*turned).numpy(), want, rtol=1e-5, atol=1e-6
    )


def test_bad_input():
    x = paddle.ones([1, 3, 4, 8])
    with pytest.raises(ValueError, match='multiple of the key heads'):
        F.scaled_dot_product_attention(x, paddle.ones([1, 3, 3, 8]), paddle.ones([1, 3, 3, 8]))
    with pytest.raises(ValueError):
        F.scaled_dot_product_attention(x, paddle.ones([1, 3, 4, 7]), x)
    with pytest.raises(ValueError):
        F.scaled_dot_product_attention(x, x, x, attn_mask=paddle.ones([1, 1, 3, 5]))


def test_a_mask_has_a_gradient():
    q, k, v = (paddle.to_tensor(normal(1, 5, 2, 4)) for _ in range(3))
    mask = paddle.to_tensor(normal(1, 2, 5, 5), stop_gradient=False)
    F.scaled_dot_product_attention(q, k, v, attn_mask=mask).sum().backward()
    assert float(mask.grad.abs().max()) > 0


def test_autocast_computes_in_the_low_precision():
    q, k, v = (paddle.to_tensor(normal(1, 9, 2, 8)) for _ in range(3))
    with paddle.amp.auto_cast(dtype='bfloat16'):
        out = F.scaled_dot_product_attention(q, k, v)
    assert out.dtype == paddle.bfloat16
    np.testing.assert_allclose(
        out.astype('float32').numpy(),
        reference(q.numpy(), k.numpy(), v.numpy()),
        rtol=3e-2,
        atol=3e-2,
    )


@pytest.mark.parametrize('masked', [False, True])
def test_multi_head_attention_with_and_without_weights(masked):
    paddle.seed(2)
    plain = paddle.nn.MultiHeadAttention(16, 4)
    telling = paddle.nn.MultiHeadAttention(16, 4, need_weights=True)
    telling.set_state_dict(plain.state_dict())
    x = paddle.to_tensor(normal(2, 7, 16), stop_gradient=False)
    mask = paddle.to_tensor(R.rand(2, 1, 7, 7) > 0.4) if masked else None
    a, b = plain(x, x, x, mask), telling(x, x, x, mask)[0]
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)
    for g, h in zip(paddle.grad([a.sum()], [x]), paddle.grad([b.sum()], [x])):
        np.testing.assert_allclose(g.numpy(), h.numpy(), rtol=1e-4, atol=1e-5)


def test_recorded_in_single_operations():
    """Programs hold what the published package records on a CPU, so that it can run them."""
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            q = paddle.static.data('q', [2, -1, 4, 8])
            F.scaled_dot_product_attention(q, q, q, is_causal=True)
        names = [op.name() for op in program.global_block().ops]
    finally:
        paddle.disable_static()
    assert not any('attention' in n for n in names)
    assert [n for n in names if not n.startswith('pd_op.full')] == [
        'pd_op.data',
        *['pd_op.transpose'] * 3,
        *(f'pd_op.{n}' for n in 'scale matmul triu add softmax matmul transpose'.split()),
    ]


@pytest.mark.parametrize('dropout', [0.0, 0.5])
def test_the_operation_of_other_devices(dropout):
    """pd_op.flash_attn: causal rows end at the last key; its gradient and the gradient of that."""
    q, k, v = (
        paddle.to_tensor(normal(2, n, h, 8, dtype='float64'), stop_gradient=False)
        for n, h in ((5, 4), (7, 2), (7, 2))
    )
    mask = np.tril(np.ones((5, 7), bool), 2)
    paddle.seed(4)
    out, softmax, lse, chosen = paddle._C_ops.flash_attn(q, k, v, None, None, dropout, True)
    paddle.seed(4)
    keep = F.dropout(paddle.ones([2, 4, 5, 7], 'float64'), dropout).numpy() if dropout else None
    np.testing.assert_allclose(
        out.numpy(),
        reference(q.numpy(), k.numpy(), v.numpy(), mask=mask, keep=keep),
        rtol=1e-12,
        atol=1e-12,
    )
    assert (
        softmax is None
        and lse.shape == [2, 4, 5]
        and chosen.shape == ([2, 4, 5, 7] if dropout else [0])
    )
    fused = paddle.grad([(out**2).sum()], [q, k, v], retain_graph=True)
    composed = paddle.grad([(out**2).sum()], [q, k, v], create_graph=True)
    for a, b in zip(fused, composed):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10, atol=1e-12)
    assert all(
        np.isfinite(g.numpy()).all()
        for g in paddle.grad([sum((g**2).sum() for g in composed)], [q, k, v])
    )
    tested = paddle._C_ops.flash_attn(q, k, v, None, None, dropout, True, False, True)[0]
    np.testing.assert_allclose(
        tested.numpy(),
        reference(q.numpy(), k.numpy(), v.numpy(), mask=mask),
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize('causal', [False, True])
def test_scores_of_a_width_that_is_fed(causal):
    attend = paddle.nn.functional.scaled_dot_product_attention
    rows = np.random.default_rng(3).standard_normal([2, 3, 2, 4]).astype('float32')
    want = attend(*[paddle.to_tensor(rows)] * 3, is_causal=causal).numpy()
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            x = paddle.static.data('x', [None, None, 2, None])
            made = attend(x, x, x, is_causal=causal)
        got = paddle.static.Executor().run(main, feed={'x': rows}, fetch_list=[made])[0]
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
