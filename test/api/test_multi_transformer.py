"""`fused_multi_transformer` against layers of `paddle.nn` and against itself: prompts, steps with
caches, fewer heads of keys, rotations, and what is refused."""

import numpy
import pytest

import paddle
import paddle.incubate.nn.functional as fused
from paddle.incubate.nn import FusedMultiTransformer
from paddle.nn import functional as F

WIDTH, HEADS, HIDDEN, LENGTH = 16, 4, 24, 6


def attrs(name, layers):
    return [
        paddle.ParamAttr(name=f'{name}_{i}', initializer=paddle.nn.initializer.Normal(0, 0.3))
        for i in range(layers)
    ]


def model(layers=2, biases=True, **settings):
    names = ('ln_bias', 'qkv_bias', 'linear_bias', 'ffn_ln_bias', 'ffn1_bias', 'ffn2_bias')
    unique = paddle.utils.unique_name.generate('m')
    given = {f'{n}_attrs': attrs(f'{unique}_{n}', layers) for n in names} if biases else {}
    made = FusedMultiTransformer(WIDTH, HEADS, HIDDEN, num_layers=layers, **given, **settings)
    made.eval()
    return made


def causal(length, batch=1):
    return paddle.tril(paddle.ones([batch, 1, length, length], 'bool'))


def caches(layers=2, batch=2, heads=HEADS, places=10, dtype='float32'):
    return [paddle.zeros([2, batch, heads, places, WIDTH // HEADS], dtype) for _ in range(layers)]


@pytest.mark.parametrize('before', [True, False])
def test_it_equals_layers_of_an_encoder(before):
    made = model(normalize_before=before)
    x = paddle.randn([2, LENGTH, WIDTH])
    want = x
    for at in range(2):
        layer = paddle.nn.TransformerEncoderLayer(
            WIDTH, HEADS, HIDDEN, dropout=0.0, activation='gelu', normalize_before=before
        )
        weight, bias = made.qkv_weights[at], made.qkv_biases[at]
        parts = (layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj)
        for one, part in enumerate(parts):
            part.weight.set_value(weight[one].reshape([WIDTH, WIDTH]).t())
            part.bias.set_value(bias[one].reshape([WIDTH]))
        for part, name in (
            (layer.self_attn.out_proj, 'linear'),
            (layer.linear1, 'ffn1'),
            (layer.linear2, 'ffn2'),
        ):
            part.weight.set_value(getattr(made, f'{name}_weights')[at])
            part.bias.set_value(getattr(made, f'{name}_biases')[at])
        for part, name in ((layer.norm1, 'ln'), (layer.norm2, 'ffn_ln')):
            part.weight.set_value(getattr(made, f'{name}_scales')[at])
            part.bias.set_value(getattr(made, f'{name}_biases')[at])
        want = layer(want, causal(LENGTH))
    got = made(x, attn_mask=causal(LENGTH))
    numpy.testing.assert_allclose(got.numpy(), want.numpy(), atol=2e-5)
    low = paddle.where(causal(LENGTH), paddle.zeros([]), paddle.full([], -1e9))
    numpy.testing.assert_allclose(made(x, attn_mask=low).numpy(), want.numpy(), atol=2e-5)


SETTINGS = [
    {},
    dict(normalize_before=False),
    dict(norm_type='rmsnorm', activation='swiglu', biases=False),
    dict(gqa_group_size=2, trans_qkvw=False),
    dict(gqa_group_size=1, residual_alpha=0.5),
    dict(use_neox_rotary_style=True, rotary=True),
    dict(rotary=True, gqa_group_size=2),
]


def angles(batch, length):
    """Cosines and sines of places, for pairs of neighbours."""
    head = WIDTH // HEADS
    rates = 10000.0 ** (-paddle.arange(0, head, 2, dtype='float32') / head)
    turns = paddle.repeat_interleave(
        paddle.arange(length, dtype="float32").unsqueeze(1) * rates, 2, axis=1
    )
    return (
        paddle.stack([paddle.cos(turns), paddle.sin(turns)])
        .reshape([2, 1, 1, length, head])
        .expand([2, batch, 1, length, head])
    )


@pytest.mark.parametrize('settings', SETTINGS)
def test_steps_equal_the_whole(settings):
    settings = dict(settings)
    more = {}
    if settings.pop('rotary', False):
        more = dict(rotary_embs=angles(2, 10), rotary_emb_dims=1)
    made = model(**settings)
    x = paddle.randn([2, LENGTH, WIDTH])
    whole = made(x, attn_mask=causal(LENGTH), **more)
    held = caches(heads=settings.get('gqa_group_size', HEADS))
    first, got = made(x[:, :3], attn_mask=causal(3), caches=held, **more)
    assert got is held
    outs = [first]
    for at in range(3, LENGTH):
        out, _ = made(x[:, at : at + 1], caches=held, time_step=paddle.to_tensor([at]), **more)
        outs.append(out)
    numpy.testing.assert_allclose(paddle.concat(outs, 1).numpy(), whole.numpy(), atol=1e-5)
    assert float(held[1][:, :, :, LENGTH:].abs().max()) == 0


def test_fewer_heads_of_keys_equal_repeated_ones():
    few = model(1, gqa_group_size=2, biases=False)
    many = model(1, biases=False)
    weight = few.qkv_weights[0]
    queries, keys, values = paddle.split(weight, [HEADS, 2, 2], axis=0)
    keys, values = (paddle.repeat_interleave(t, 2, axis=0) for t in (keys, values))
    many.qkv_weights[0].set_value(paddle.stack([queries, keys, values]))
    for what in ('linear_weights', 'ffn1_weights', 'ffn2_weights'):
        getattr(many, what)[0].set_value(getattr(few, what)[0])
    x = paddle.randn([2, LENGTH, WIDTH])
    numpy.testing.assert_allclose(few(x).numpy(), many(x).numpy(), atol=1e-5)


def test_prompts_of_several_lengths():
    made = model()
    x = paddle.randn([2, LENGTH, WIDTH])
    lengths = paddle.to_tensor([3, LENGTH], 'int32')
    held = caches()
    got, _ = made(x, attn_mask=causal(LENGTH), caches=held, seq_lens=lengths)
    alone = made(x[:1, :3], attn_mask=causal(3))
    numpy.testing.assert_allclose(got[0, :3].numpy(), alone[0].numpy(), atol=1e-5)
    open_, _ = made(x, caches=caches(), seq_lens=lengths)
    short = made(x[:1, :3])
    numpy.testing.assert_allclose(open_[0, :3].numpy(), short[0].numpy(), atol=1e-5)
    token = paddle.randn([2, 1, WIDTH])  # the next token of each, at its own place
    step, _ = made(token, caches=held, time_step=paddle.to_tensor([LENGTH]), seq_lens=lengths)
    for row, length in enumerate((3, LENGTH)):
        every = paddle.concat([x[row : row + 1, :length], token[row : row + 1]], 1)
        want = made(every, attn_mask=causal(length + 1))
        numpy.testing.assert_allclose(step[row, 0].numpy(), want[0, -1].numpy(), atol=1e-5)


def test_keys_before_a_prompt():
    made = model(1)
    x = paddle.randn([2, LENGTH, WIDTH])
    held = caches(1)
    made(x[:, :2], attn_mask=causal(2), caches=held)
    before = [held[0][:, :, :, :2]]
    whole = made(x, attn_mask=causal(LENGTH))
    got = made(x[:, 2:], attn_mask=causal(LENGTH - 2), pre_caches=before)
    numpy.testing.assert_allclose(got.numpy(), whole[:, 2:].numpy(), atol=1e-5)


def test_it_trains_and_drops():
    made = model(dropout_rate=0.5)
    x = paddle.randn([2, LENGTH, WIDTH])
    assert bool((made(x) == made(x)).all())
    made.train()
    assert not bool((made(x) == made(x)).all())
    made.eval()
    made(x).sum().backward()
    for what in ('qkv_weights', 'ln_biases', 'ffn1_weights', 'linear_biases'):
        assert float(getattr(made, what)[0].grad.abs().sum()) > 0


def test_halves_and_compiled_calls_agree():
    made = model()
    x = paddle.randn([2, LENGTH, WIDTH])
    want = made(x, attn_mask=causal(LENGTH))
    compiled = paddle.jit.to_static(made)
    numpy.testing.assert_allclose(
        compiled(x, attn_mask=causal(LENGTH)).numpy(), want.numpy(), atol=1e-5
    )
    half = model()
    half.set_state_dict(dict(zip(half.state_dict(), made.state_dict().values())))
    half.bfloat16()
    got = half(x.astype('bfloat16'), attn_mask=causal(LENGTH))
    assert got.dtype == paddle.bfloat16
    numpy.testing.assert_allclose(got.astype('float32').numpy(), want.numpy(), atol=0.3)


def test_activations():
    x, one = paddle.randn([1, 2, 4]), paddle.ones([4])
    zero, wide, back = paddle.zeros([4, 4]), paddle.randn([4, 6]), paddle.randn([3, 4])

    def run(activation, first, second):
        return fused.fused_multi_transformer(
            x, [one], None, [paddle.randn([3, 2, 2, 4])], None, [zero], None, [one], None,
            [first], None, [second], None, activation=activation,
        )  # fmt: skip

    normed = F.layer_norm(x, 4)
    gate, value = paddle.chunk(normed @ wide, 2, axis=-1)
    for activation, want in (('geglu', F.gelu(gate) * value), ('swiglu', F.silu(gate) * value)):
        got = run(activation, wide, back)
        numpy.testing.assert_allclose(got.numpy(), (x + want @ back).numpy(), atol=1e-5)
    got = run('relu', wide[:, :3], back)
    want = x + F.relu(normed @ wide[:, :3]) @ back
    numpy.testing.assert_allclose(got.numpy(), want.numpy(), atol=1e-5)


def test_parameters_have_the_names_of_the_peer():
    made = FusedMultiTransformer(8, 2, 16, num_layers=2)
    names = [name for name, _ in made.named_parameters()]
    assert len(names) == 12 and names == [p.name for p in made.parameters()]
    assert names[0].startswith('fused_multi_transformer_') and names[0].endswith('.w_0')
    assert made.ln_biases is None and made.qkv_weights[0].shape == [3, 2, 4, 8]
    turned = FusedMultiTransformer(8, 2, 16, qkv_weight_attrs=[None, None], trans_qkvw=False)
    assert [w.shape for w in turned.qkv_weights] == [[8, 3, 2, 4]] * 2
    assert FusedMultiTransformer(8, 2, 16, num_layers=1, activation='swiglu').ffn1_weights[
        0
    ].shape == [8, 32]
    grouped = FusedMultiTransformer(
        8, 2, 16, num_layers=1, gqa_group_size=1, qkv_bias_attrs=attrs('gqa_bias', 1)
    )
    assert grouped.qkv_weights[0].shape == [4, 4, 8] and grouped.qkv_biases[0].shape == [4, 4]


def test_what_cannot_be_is_refused():
    for bad in (
        dict(embed_dim=0),
        dict(num_heads=3),
        dict(dim_feedforward=0),
        dict(num_layers=0),
        dict(activation='silu'),
        dict(norm_type='batchnorm'),
        dict(gqa_group_size=3),
    ):
        settings = dict(embed_dim=8, num_heads=2, dim_feedforward=16, num_layers=1)
        with pytest.raises(AssertionError, match='expected'):
            FusedMultiTransformer(**{**settings, **bad})
    with pytest.raises(NotImplementedError, match='nranks'):
        FusedMultiTransformer(8, 2, 16, num_layers=1, nranks=2)
    made = model()
    x = paddle.randn([2, LENGTH, WIDTH])
    one = x[:, :1]
    step = paddle.to_tensor([0])
    for call, match in (
        (lambda: made(x, caches=caches(1)), 'expected 2 tensors in cache_kvs'),
        (lambda: made(x, caches=caches(heads=2)), 'cache_kvs of shape'),
        (lambda: made(x, caches=caches(places=3)), 'places from 0 to 2, got 5'),
        (lambda: made(one, caches=caches(), time_step=paddle.to_tensor([10])), 'got 10'),
        (lambda: made(x, caches=caches(), time_step=step), 'one token'),
        (lambda: made(one, time_step=step), 'cache_kvs'),
        (lambda: made(x, rotary_emb_dims=1), 'rotary_embs'),
        (lambda: made(paddle.randn([2, LENGTH, 8])), r'8|width'),
    ):
        with pytest.raises(ValueError, match=match):
            call()
    with pytest.raises(NotImplementedError, match='beam_offset'):
        made(x, beam_offset=step)
    held = caches()
    with pytest.raises(ValueError, match='places'):
        made(one, caches=held, time_step=paddle.to_tensor([-1]))
    assert float(held[0].abs().max()) == 0
