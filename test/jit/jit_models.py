# SPDX-License-Identifier: Apache-2.0
"""Small models and inputs for them: name -> (make a model, make its positional arguments)."""

from paddle.nn import functional as F

import paddle
from paddle import nn


class Mlp(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 16), nn.Linear(16, 3)

    def forward(self, x):
        return self.b(F.gelu(self.a(x)))


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 8, 5),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
        )
        self.fc = nn.Sequential(nn.Linear(32, 12), nn.Linear(12, 5))

    def forward(self, x):
        return self.fc(paddle.flatten(self.features(x), 1))


class Cells(nn.Layer):
    def __init__(self, kind):
        super().__init__()
        self.cell, self.head = kind(4, 5), nn.Linear(5, 2)

    def forward(self, x):
        state = None
        for t in range(x.shape[1]):
            out, state = self.cell(x[:, t], state)
        return self.head(out)


class Embedded(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(11, 6), nn.Linear(6, 3)

    def forward(self, ids):
        return self.head(self.table(ids).mean(axis=1))


class Shared(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 6)

    def forward(self, ids):
        return paddle.matmul(paddle.tanh(self.table(ids)), self.table.weight, transpose_y=True)


class DictInOut(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, batch, scale=2.0):
        h = self.fc(batch['x']) * scale
        return {'sum': h.sum(), 'pair': (h, [batch['y'] * h]), 'name': 'kept', 'none': None}


class TwoInputs(nn.Layer):
    def __init__(self):
        super().__init__()
        self.bilinear = self.create_parameter([4, 4])

    def forward(self, x, y):
        return paddle.matmul(paddle.matmul(x, self.bilinear), y.t()), F.softmax(x, -1)


class Counted(nn.Layer):
    """A buffer that a call assigns anew."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.register_buffer('mean', paddle.zeros([3]))
        self.register_buffer('calls', paddle.zeros([1]))

    def forward(self, x):
        with paddle.no_grad():
            self.mean = self.mean * 0.9 + x.mean(axis=0) * 0.1
            self.calls.add_(paddle.ones([1]))
        return self.fc(x - self.mean)


class Attention(nn.Layer):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        def split(t):
            return t.reshape([t.shape[0], t.shape[1], 2, 4]).transpose([0, 2, 1, 3])

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        weights = F.softmax(paddle.matmul(q, k, transpose_y=True) / 2.0, axis=-1)
        return paddle.matmul(weights, v).transpose([0, 2, 1, 3]).reshape(x.shape)


class Gated(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            gate, value = paddle.sigmoid(layer(x)), paddle.tanh(layer(x) * (i + 1))
            x = x + gate * value
        a, b = paddle.split(self.norm(x), 2, axis=-1)
        return paddle.concat([b, a * b], axis=-1)


class Frozen(nn.Layer):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 4), nn.Linear(4, 2)
        self.body.weight.stop_gradient = True

    def forward(self, x):
        h = self.body(x)
        return self.head(h.detach() + F.relu(h)) * h.mean()


def _resnet():
    """Smooth: among half a million values one is always so near to 0 that rounding decides on which
    side of ReLU's kink it is, and two steps later that one has changed what comes out by more than
    any rounding does."""
    from paddle.vision.models import resnet18

    net = resnet18(num_classes=4)
    for layer in net.sublayers():
        if hasattr(layer, 'relu'):
            layer.relu = nn.Silu()
    return net


def _encoder():
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1), 2)


def floats(*shape):
    """Inputs of one float tensor."""
    return lambda: [paddle.randn(list(shape))]


def ids(high, *shape):
    """Inputs of one tensor of indices."""
    return lambda: [paddle.randint(0, high, list(shape))]


MODELS = {
    'mlp': (Mlp, floats(5, 4)),
    'lenet': (LeNet, floats(2, 1, 16, 16)),
    'resnet18': (_resnet, floats(4, 3, 64, 64)),
    'lstm_cell': (lambda: Cells(nn.LSTMCell), floats(3, 4, 4)),
    'gru_cell': (lambda: Cells(nn.GRUCell), floats(3, 4, 4)),
    'simple_cell': (lambda: Cells(nn.SimpleRNNCell), floats(3, 4, 4)),
    'encoder': (_encoder, floats(2, 5, 8)),
    'encoder_layer': (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), floats(2, 5, 8)),
    'embedding': (Embedded, ids(11, 4, 3)),
    'shared': (Shared, ids(7, 5)),
    'batch_norm': (
        lambda: nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1D(8), nn.ReLU(), nn.Linear(8, 2)),
        floats(6, 4),
    ),
    'batch_norm_2d': (
        lambda: nn.Sequential(nn.Conv2D(2, 3, 3), nn.BatchNorm2D(3), nn.Hardswish()),
        floats(2, 2, 6, 6),
    ),
    'dropout': (
        lambda: nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.4), nn.Linear(8, 8), nn.Dropout(0.2)),
        floats(6, 4),
    ),
    'group_norm': (
        lambda: nn.Sequential(nn.Conv2D(2, 4, 3), nn.GroupNorm(2, 4), nn.Silu()),
        floats(2, 2, 6, 6),
    ),
    'conv_transpose': (
        lambda: nn.Sequential(nn.Conv2DTranspose(2, 3, 3, stride=2), nn.ELU()),
        floats(2, 2, 4, 4),
    ),
    'pooling': (
        lambda: nn.Sequential(nn.Conv2D(1, 2, 3), nn.AvgPool2D(2), nn.AdaptiveAvgPool2D(1)),
        floats(2, 1, 10, 10),
    ),
    'prelu': (lambda: nn.Sequential(nn.Linear(4, 4), nn.PReLU(), nn.Softplus()), floats(3, 4)),
    'dict': (DictInOut, lambda: [{'x': paddle.randn([2, 3]), 'y': paddle.randn([2, 3])}]),
    'two_inputs': (TwoInputs, lambda: [paddle.randn([3, 4]), paddle.randn([3, 4])]),
    'buffers': (Counted, floats(4, 3)),
    'attention': (Attention, floats(2, 3, 8)),
    'gated': (Gated, floats(2, 4)),
    'frozen': (Frozen, floats(2, 4)),
    'lstm': (lambda: nn.LSTM(4, 5), floats(2, 3, 4)),
    'embedding_sum': (
        lambda: nn.Sequential(nn.Embedding(9, 4), nn.LayerNorm(4), nn.Flatten(), nn.Linear(12, 2)),
        ids(9, 5, 3),
    ),
}
