# SPDX-License-Identifier: Apache-2.0
"""The models exchanged with the published package: one Python source that runs with either
`paddle`.

`MODELS` maps a name to a function that gives (layer, arrays, dynamic axes of each input or None).
"""

import numpy as np
import paddle
import paddle.nn.functional as F
from paddle import nn
from paddle.vision import models as zoo

MODELS = {}


def model(function):
    """Put the function into the table under its name."""
    MODELS[function.__name__] = function
    return function


def randn(*shape):
    """Normal numbers that depend on the shape alone."""
    return np.random.RandomState(sum(shape) + len(shape)).standard_normal(shape).astype('float32')


def ids(high, *shape):
    """int64 numbers below `high` that depend on the shape alone."""
    return np.random.RandomState(sum(shape)).randint(0, high, shape).astype('int64')


class Fn(nn.Layer):
    """Layers by name, and a function of (self, inputs...) as their forward."""

    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x):
        """One input."""
        return self.function(self, x)


class Fn2(Fn):
    """With two inputs."""

    def forward(self, x, y):
        """Two inputs."""
        return self.function(self, x, y)


@model
def softmax_classifier():
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 10), nn.Softmax())
    return net, [randn(4, 16)], [[0]]


@model
def lenet():
    return zoo.LeNet(), [randn(2, 1, 28, 28)], [[0]]


@model
def resnet18():
    return zoo.resnet18(num_classes=10), [randn(1, 3, 64, 64)], [[0]]


@model
def resnet50():
    return zoo.resnet50(num_classes=10), [randn(1, 3, 64, 64)], [[0]]


@model
def mobilenet_v2():
    return zoo.mobilenet_v2(scale=0.5, num_classes=10), [randn(1, 3, 64, 64)], None


@model
def vgg11():
    return (
        nn.Sequential(
            zoo.vgg11(num_classes=0, with_pool=False),
            nn.AdaptiveAvgPool2D(1),
            nn.Flatten(),
            nn.Linear(512, 10),
        ),
        [randn(1, 3, 32, 32)],
        None,
    )


@model
def lstm():
    return (
        Fn(lambda m, x: m.head(m.rnn(x)[0][:, -1]), rnn=nn.LSTM(8, 16, 2), head=nn.Linear(16, 3)),
        [randn(2, 7, 8)],
        None,
    )


@model
def bidirectional_gru():
    return (
        Fn(lambda m, x: m.rnn(x), rnn=nn.GRU(8, 16, direction='bidirect')),
        [randn(2, 7, 8)],
        None,
    )


@model
def simple_rnn():
    return (
        Fn(lambda m, x: m.rnn(x)[0], rnn=nn.SimpleRNN(8, 16, activation='relu')),
        [randn(2, 5, 8)],
        None,
    )


@model
def lstm_dynamic_length():
    return Fn(lambda m, x: m.rnn(x)[0], rnn=nn.LSTM(8, 12)), [randn(3, 6, 8)], [[0, 1]]


@model
def transformer_encoder():
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, activation='gelu')
    return nn.TransformerEncoder(layer, 2), [randn(2, 9, 32)], [[0]]


@model
def transformer_decoder():
    layer = nn.TransformerDecoderLayer(32, 4, 64, dropout=0.1)
    return (
        Fn2(lambda m, x, memory: m.decoder(x, memory), decoder=nn.TransformerDecoder(layer, 2)),
        [randn(2, 5, 32), randn(2, 7, 32)],
        None,
    )


class Bert(nn.Layer):
    """Token, position and segment embeddings, an encoder with a padding mask, a pooler."""

    def __init__(self, vocabulary=100, width=32):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, padding_idx=0)
        self.positions = nn.Embedding(64, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, epsilon=1e-12)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, activation='gelu'), 2
        )
        self.pooler = nn.Linear(width, width)

    def forward(self, tokens, kinds):
        """The sequence of states and the pooled first one."""
        mask = ((tokens == 0).astype('float32') * -1e4).unsqueeze([1, 2])
        ones = paddle.ones_like(tokens)
        x = (
            self.words(tokens)
            + self.positions(paddle.cumsum(ones, axis=-1) - ones)
            + self.kinds(kinds)
        )
        x = self.encoder(self.norm(x), mask)
        return x, paddle.tanh(self.pooler(x[:, 0]))


@model
def bert_like():
    tokens = ids(100, 2, 11)
    tokens[:, 8:] = 0
    return Bert(), [tokens, ids(2, 2, 11)], [[0, 1], [0, 1]]


class RMSNorm(nn.Layer):
    """x / rms(x) * weight."""

    def __init__(self, width):
        super().__init__()
        self.weight = self.create_parameter(
            [width], default_initializer=nn.initializer.Constant(1.0)
        )

    def forward(self, x):
        """In float32, as language models do."""
        y = x.astype('float32')
        y = y * paddle.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)
        return y.astype(x.dtype) * self.weight


class LlamaBlock(nn.Layer):
    """Attention with rotary positions and fewer key heads, then a gated feed-forward layer."""

    def __init__(self, width=32, heads=4, key_heads=2, hidden=48):
        super().__init__()
        self.heads, self.key_heads, self.size = heads, key_heads, width // heads
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.q = nn.Linear(width, width, bias_attr=False)
        self.k = nn.Linear(width, key_heads * self.size, bias_attr=False)
        self.v = nn.Linear(width, key_heads * self.size, bias_attr=False)
        self.o = nn.Linear(width, width, bias_attr=False)
        self.gate, self.up = (
            nn.Linear(width, hidden, bias_attr=False),
            nn.Linear(width, hidden, bias_attr=False),
        )
        self.down = nn.Linear(hidden, width, bias_attr=False)

    def rotate(self, x, cos, sin):
        """Rotary position embedding of [batch, length, heads, size]."""
        half = paddle.concat([-x[..., self.size // 2 :], x[..., : self.size // 2]], axis=-1)
        return x * cos + half * sin

    def forward(self, x, cos, sin, mask):
        """One block."""
        y = self.norm1(x)
        q = self.rotate(self.q(y).reshape([0, 0, self.heads, self.size]), cos, sin).transpose(
            [0, 2, 1, 3]
        )
        k = self.rotate(self.k(y).reshape([0, 0, self.key_heads, self.size]), cos, sin)
        v = self.v(y).reshape([0, 0, self.key_heads, self.size])
        k = paddle.repeat_interleave(k, self.heads // self.key_heads, axis=2).transpose(
            [0, 2, 1, 3]
        )
        v = paddle.repeat_interleave(v, self.heads // self.key_heads, axis=2).transpose(
            [0, 2, 1, 3]
        )
        weights = F.softmax(paddle.matmul(q, k, transpose_y=True) * self.size**-0.5 + mask, axis=-1)
        x = x + self.o(
            paddle.matmul(weights, v)
            .transpose([0, 2, 1, 3])
            .reshape([0, 0, self.heads * self.size])
        )
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Layer):
    """Embedding, blocks, norm and a head over the vocabulary, with a causal mask."""

    def __init__(self, vocabulary=64, width=32, length=10):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.LayerList([LlamaBlock(width) for _ in range(2)])
        self.norm, self.head = RMSNorm(width), nn.Linear(width, vocabulary, bias_attr=False)
        size = width // 4
        angle = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, size, 2) / size))
        angle = np.concatenate([angle, angle], -1)[None, :, None, :]
        self.register_buffer('cos', paddle.to_tensor(np.cos(angle).astype('float32')))
        self.register_buffer('sin', paddle.to_tensor(np.sin(angle).astype('float32')))

    def forward(self, tokens):
        """Scores of the next token."""
        x = self.embed(tokens)
        mask = paddle.triu(paddle.full([10, 10], -1e9), 1)
        for block in self.blocks:
            x = block(x, self.cos, self.sin, mask)
        return self.head(self.norm(x))


@model
def llama_like():
    return Llama(), [ids(64, 2, 10)], [[0]]


class UNet(nn.Layer):
    """Two levels with skip connections; nearest and bilinear upsampling."""

    def __init__(self):
        super().__init__()

        def block(i, o):
            return nn.Sequential(nn.Conv2D(i, o, 3, padding=1), nn.BatchNorm2D(o), nn.ReLU())

        self.a, self.b, self.c = block(3, 8), block(8, 16), block(16, 16)
        self.d, self.e, self.out = block(32, 8), block(16, 8), nn.Conv2D(8, 2, 1)
        self.pool = nn.MaxPool2D(2)

    def forward(self, x):
        """Scores a pixel."""
        a = self.a(x)
        b = self.b(self.pool(a))
        c = self.c(self.pool(b))
        d = self.d(paddle.concat([F.interpolate(c, scale_factor=2, mode='nearest'), b], axis=1))
        e = self.e(
            paddle.concat(
                [F.interpolate(d, scale_factor=2, mode='bilinear', align_corners=True), a], axis=1
            )
        )
        return self.out(e)


@model
def unet():
    return UNet(), [randn(1, 3, 16, 16)], [[0]]


@model
def autoencoder():
    net = nn.Sequential(
        nn.Conv2D(1, 4, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2D(4, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2DTranspose(8, 4, 3, stride=2, padding=1, output_padding=1),
        nn.ReLU(),
        nn.Conv2DTranspose(4, 1, 3, stride=2, padding=1, output_padding=1),
        nn.Sigmoid(),
    )
    return net, [randn(2, 1, 16, 16)], [[0]]


class Branch(nn.Layer):
    """A branch on a value of the input."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        """One of two layers, by the sign of the sum."""
        return paddle.static.nn.cond(x.sum() > 0, lambda: self.a(x), lambda: F.relu(self.b(x)) + 1)


@model
def control_flow_if():
    return Branch(), [np.ones((3, 4), 'float32')], None


@model
def control_flow_else():
    return Branch(), [-np.ones((3, 4), 'float32')], None


class Loop(nn.Layer):
    """A loop that runs as often as an input says."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x, n):
        """n applications of a layer."""
        i = paddle.zeros([1], 'int64')
        _, _, x = paddle.static.nn.while_loop(
            lambda i, n, x: (i < n).all(),
            lambda i, n, x: [i + 1, n, F.tanh(self.step(x))],
            [i, n, x],
        )
        return x


@model
def control_flow_while():
    return Loop(), [randn(3, 4), np.array([5], 'int64')], None


@model
def dynamic_batch_and_length():
    return (
        Fn(
            lambda m, x: m.norm(m.linear(x)).mean(axis=1).reshape([-1, 2, 4]),
            linear=nn.Linear(6, 8),
            norm=nn.LayerNorm(8),
        ),
        [randn(3, 5, 6)],
        [[0, 1]],
    )


@model
def embedding_bag():
    def forward(m, tokens):
        mask = (tokens != 0).astype('float32').unsqueeze(-1)
        return m.head((m.table(tokens) * mask).sum(axis=1) / mask.sum(axis=1).clip(min=1.0))

    return Fn(forward, table=nn.Embedding(50, 16), head=nn.Linear(16, 4)), [ids(50, 4, 6)], [[0, 1]]


@model
def norms():
    def forward(m, x):
        y = m.group(m.instance(x)) + m.batch(x)
        return m.layer(y), F.normalize(y, axis=1), F.local_response_norm(y, 3)

    return (
        Fn(
            forward,
            group=nn.GroupNorm(4, 8),
            instance=nn.InstanceNorm2D(8),
            batch=nn.BatchNorm2D(8),
            layer=nn.LayerNorm([6, 6]),
        ),
        [randn(2, 8, 6, 6)],
        None,
    )


@model
def masked_attention():
    def forward(m, x, mask):
        return m.attention(x, x, x, attn_mask=mask)

    mask = np.tril(np.ones((7, 7), bool))[None, None]
    return Fn2(forward, attention=nn.MultiHeadAttention(16, 4)), [randn(2, 7, 16), mask], None


@model
def scaled_dot_product_attention():
    return (
        Fn(lambda m, x: F.scaled_dot_product_attention(x, x, x, is_causal=True, training=False)),
        [randn(2, 6, 4, 8)],
        None,
    )


@model
def conv1d():
    net = nn.Sequential(
        nn.Conv1D(4, 8, 5, stride=2, padding=2),
        nn.BatchNorm1D(8),
        nn.LeakyReLU(0.1),
        nn.MaxPool1D(2),
        nn.Conv1D(8, 4, 3),
        nn.AdaptiveAvgPool1D(1),
    )
    return net, [randn(2, 4, 32)], [[0]]


@model
def conv3d():
    net = nn.Sequential(
        nn.Conv3D(2, 4, 3, padding=1),
        nn.BatchNorm3D(4),
        nn.ReLU(),
        nn.MaxPool3D(2),
        nn.Conv3D(4, 2, 1),
        nn.AdaptiveAvgPool3D(1),
    )
    return net, [randn(1, 2, 8, 8, 8)], None


@model
def depthwise_and_dilated():
    net = nn.Sequential(
        nn.Conv2D(8, 8, 3, padding=1, groups=8),
        nn.Hardswish(),
        nn.Conv2D(8, 16, 3, padding=2, dilation=2),
        nn.ReLU6(),
        nn.Conv2D(16, 16, 3, padding='SAME', groups=4),
        nn.PReLU(16),
        nn.Conv2D(16, 4, 1, bias_attr=False),
        nn.Hardsigmoid(),
    )
    return net, [randn(1, 8, 12, 12)], None


@model
def pixel_shuffle():
    net = nn.Sequential(
        nn.Conv2D(1, 8, 5, padding=2), nn.Tanh(), nn.Conv2D(8, 9, 3, padding=1), nn.PixelShuffle(3)
    )
    return net, [randn(1, 1, 8, 8)], None


@model
def search_outputs():
    def forward(m, x):
        y = m.linear(x)
        values, places = paddle.topk(y, 3, axis=-1)
        return (
            values,
            places,
            y.argmax(-1),
            paddle.gather(y, places[:, 0], axis=1),
            paddle.sort(y, axis=-1),
            paddle.argsort(y, axis=0),
        )

    return Fn(forward, linear=nn.Linear(6, 10)), [randn(4, 6)], None


@model
def many_inputs_and_outputs():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 8), nn.Linear(6, 8)

        def forward(self, x, y, scale):
            p, q = self.a(x), self.b(y)
            return {
                'sum': p + q,
                'parts': [p * scale, q / (scale + 2)],
                'same': paddle.equal_all(p, q),
            }

    return Net(), [randn(3, 4), randn(3, 6), np.array([2.5], 'float32')], [[0], [0], None]


@model
def bfloat16_and_int8_outputs():
    def forward(m, x):
        y = m.linear(x)
        q = paddle.clip(paddle.round(y * 32), -127, 127).astype('int8')
        return (
            y.astype('bfloat16').astype('float32'),
            y.astype('float16'),
            q,
            (y > 0),
            y.astype('float64'),
            y.astype('bfloat16'),
        )

    return Fn(forward, linear=nn.Linear(6, 5)), [randn(4, 6)], None


@model
def activations():
    names = [
        'elu',
        'celu',
        'selu',
        'gelu',
        'silu',
        'mish',
        'softplus',
        'softsign',
        'swish',
        'tanhshrink',
        'hardshrink',
        'softshrink',
        'hardtanh',
        'leaky_relu',
        'log_sigmoid',
        'relu6',
        'thresholded_relu',
        'log_softmax',
    ]
    return (
        Fn(
            lambda m, x: (
                paddle.stack([getattr(F, n)(x) for n in names]).sum(axis=0)
                + F.glu(paddle.concat([x, x], -1))
            )
        ),
        [randn(4, 6)],
        [[0]],
    )


@model
def shapes():
    def forward(m, x):
        a, b = paddle.split(x, 2, axis=1)
        y = paddle.stack([a, b.flip([0])], axis=0).squeeze().tile([1, 1, 2, 1])
        z = paddle.where(y > 0, y, paddle.zeros_like(y)).roll(1, axis=-1)
        z = F.pad(z, [1, 1], value=0.5)
        return (
            z[:, :, ::2, 1:-1].flatten(1),
            paddle.expand(x.unsqueeze(0), [3, 2, 4, 5])[-1],
            paddle.unbind(x, axis=0)[1],
        )

    return Fn(forward), [randn(2, 4, 5)], None


@model
def losses_and_reductions():
    def forward(m, x, label):
        y = m.linear(x)
        return (
            F.cross_entropy(y, label),
            F.mse_loss(y, paddle.zeros_like(y)),
            paddle.logsumexp(y, axis=-1),
            y.max(axis=1),
            y.std(),
            y.norm(),
            paddle.prod(y, axis=0),
            F.one_hot(label, 10),
        )

    return Fn2(forward, linear=nn.Linear(6, 10)), [randn(4, 6), ids(10, 4)], None


@model
def grid_and_deform():
    def forward(m, x):
        theta = m.theta(F.adaptive_avg_pool2d(x, 1).flatten(1)).reshape([-1, 2, 3])
        return F.grid_sample(x, F.affine_grid(theta, [2, 3, 8, 8]))

    return Fn(forward, theta=nn.Linear(3, 6)), [randn(2, 3, 8, 8)], None
