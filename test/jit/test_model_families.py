# SPDX-License-Identifier: Apache-2.0
"""Model families, each as a whole training or generation step in both modes: they give what they
give unmarked, over several calls, and `explain` names what is left to Python.
"""

import jit_models
import numpy
import pytest
from paddle.nn import functional as F

import paddle
from paddle import nn


class Llama(nn.Layer):
    """Rotary attention over keys and values of before, RMS norm, gated feed-forward."""

    def __init__(self, width=16, heads=2, layers=2, words=13):
        super().__init__()
        self.words, self.heads = nn.Embedding(words, width), heads
        self.layers = nn.LayerList([self._layer(width) for _ in range(layers)])
        self.norm, self.head = nn.RMSNorm(width), nn.Linear(width, words, bias_attr=False)

    @staticmethod
    def _layer(width):
        names = {'q': width, 'k': width, 'v': width, 'o': width, 'gate': 24, 'up': 24}
        layer = nn.LayerDict(
            {n: nn.Linear(width, size, bias_attr=False) for n, size in names.items()}
        )
        layer['down'] = nn.Linear(24, width, bias_attr=False)
        layer['before'], layer['after'] = nn.RMSNorm(width), nn.RMSNorm(width)
        return layer

    def _turned(self, x, start):
        half = x.shape[-1] // 2
        place = paddle.arange(start, start + x.shape[1], dtype='float32')
        angle = place.unsqueeze(-1) / 100.0 ** (paddle.arange(half, dtype='float32') / half)
        cos, sin = angle.cos().unsqueeze(1), angle.sin().unsqueeze(1)
        a, b = x[..., :half], x[..., half:]
        return paddle.concat([a * cos - b * sin, a * sin + b * cos], axis=-1)

    def forward(self, ids, cache=None):
        x, start = self.words(ids), 0 if cache is None else cache[0][0].shape[1]
        kept = []
        for i, layer in enumerate(self.layers):
            h = layer['before'](x)
            q, k, v = (layer[n](h).reshape([x.shape[0], x.shape[1], self.heads, -1]) for n in 'qkv')
            q, k = self._turned(q, start), self._turned(k, start)
            if cache is not None:
                k = paddle.concat([cache[i][0], k], axis=1)
                v = paddle.concat([cache[i][1], v], axis=1)
            kept.append((k, v))
            h = F.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
            x = x + layer['o'](h.reshape(x.shape))
            h = layer['after'](x)
            x = x + layer['down'](F.silu(layer['gate'](h)) * layer['up'](h))
        return self.head(self.norm(x)), kept


class UNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.low = self._block(1, 4), self._block(4, 8)
        self.up, self.last = nn.Conv2DTranspose(8, 4, 2, stride=2), self._block(8, 4)
        self.head = nn.Conv2D(4, 1, 1)

    @staticmethod
    def _block(before, after):
        return nn.Sequential(
            nn.Conv2D(before, after, 3, padding=1), nn.GroupNorm(2, after), nn.Silu()
        )

    def forward(self, x):
        skip = self.first(x)
        x = self.up(self.low(F.max_pool2d(skip, 2)))
        return self.head(self.last(paddle.concat([skip, x], axis=1)))


class Graph(nn.Layer):
    """Two rounds of messages along edges."""

    def __init__(self):
        super().__init__()
        self.message, self.update = nn.Linear(10, 5), nn.Linear(10, 5)

    def forward(self, nodes, edges):
        for _ in range(2):
            source, target = nodes[edges[0]], paddle.gather(nodes, edges[1])
            messages = F.relu(self.message(paddle.concat([source, target], axis=-1)))
            summed = paddle.zeros_like(nodes)
            summed = paddle.scatter_nd_add(summed, edges[1].unsqueeze(-1), messages)
            nodes = F.tanh(self.update(paddle.concat([nodes, summed], axis=-1)))
        return messages[edges[1] % 2 == 0].sum(), nodes


class Bert(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(11, 8), nn.Embedding(6, 8)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0), 2)
        self.head = nn.Linear(8, 3)

    def forward(self, ids, mask):
        x = self.words(ids) + self.places(paddle.arange(ids.shape[1]))
        bias = (1.0 - mask.astype('float32')).unsqueeze([1, 2]) * -1e4
        return self.head(self.encoder(x, bias)[:, 0])


class Detector(nn.Layer):
    """Scores and boxes of cells; as many boxes as have a high score are kept."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2D(1, 4, 3, stride=2, padding=1), nn.ReLU())
        self.scores, self.boxes = nn.Conv2D(4, 1, 1), nn.Conv2D(4, 4, 1)

    def forward(self, x):
        h = self.body(x)
        scores = F.sigmoid(self.scores(h)).reshape([-1])
        sides = F.softplus(self.boxes(h)).transpose([0, 2, 3, 1]).reshape([-1, 4])
        grid = paddle.arange(sides.shape[0], dtype='float32').unsqueeze(-1)
        boxes = paddle.concat([grid - sides[:, :2], grid + sides[:, 2:]], axis=-1)
        found = paddle.nonzero(scores > scores.mean()).flatten()
        boxes, scores = boxes[found], scores[found]
        if found.shape[0] == 0:
            return boxes, scores
        keep = paddle.vision.ops.nms(boxes, 0.5, scores)
        return boxes[keep], scores[keep]


def _train(net, inputs, loss_of, optimizer=paddle.optimizer.AdamW):
    """(a step of training, arguments of a call)."""
    opt = optimizer(0.01, parameters=net.parameters())

    def step(*args):
        loss = loss_of(net, *args)
        loss.backward()
        opt.step()
        opt.clear_grad()
        return loss

    return step, inputs


def _of_classes(net, x, y):
    return F.cross_entropy(net(x), y)


def _images(size, classes, batch=2, channels=1):
    return lambda: [
        paddle.randn([batch, channels, size, size]),
        paddle.randint(0, classes, [batch]),
    ]


def _lenet():
    return _train(jit_models.LeNet(), _images(16, 5), _of_classes)


def _resnet():
    net = jit_models.MODELS['resnet18'][0]()
    return _train(net, _images(64, 4, 4, 3), _of_classes, paddle.optimizer.SGD)


def _lstm():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.lstm, self.head = nn.LSTM(4, 6), nn.Linear(6, 3)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    return _train(Net(), lambda: [paddle.randn([2, 5, 4]), paddle.randint(0, 3, [2])], _of_classes)


def _bert():
    def loss(net, ids, mask, y):
        return F.cross_entropy(net(ids, mask), y)

    def inputs():
        mask = paddle.to_tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
        return [paddle.randint(0, 11, [2, 5]), mask, paddle.randint(0, 3, [2])]

    return _train(Bert(), inputs, loss)


def _llama():
    def loss(net, ids):
        return F.cross_entropy(net(ids[:, :-1])[0].flatten(0, 1), ids[:, 1:].flatten())

    return _train(Llama(), lambda: [paddle.randint(0, 13, [2, 6])], loss)


def _llama_with_cache():
    net = Llama()
    net.eval()

    def words(ids):
        """Three words more."""
        with paddle.no_grad():
            logits, cache = net(ids)
            for _ in range(3):
                word = logits[:, -1].argmax(axis=-1, keepdim=True)
                ids = paddle.concat([ids, word], axis=1)
                logits, cache = net(word, cache)
        return ids, logits

    return words, lambda: [paddle.randint(0, 13, [1, 4])]


def _unet():
    def loss(net, x):
        return ((net(x) - x) ** 2).mean()

    return _train(UNet(), lambda: [paddle.randn([2, 1, 8, 8])], loss)


def _graph():
    def loss(net, nodes, edges):
        total, nodes = net(nodes, edges)
        return total + (nodes * nodes).mean()

    edges = paddle.to_tensor([[0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 0, 2]])
    return _train(Graph(), lambda: [paddle.randn([5, 5]), edges], loss)


def _pinn():
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))

    def loss(net, x, t):
        """Korteweg-de Vries: u_t + 6 u u_x + u_xxx = 0."""
        x.stop_gradient = t.stop_gradient = False
        u = net(paddle.concat([x, t], axis=1))
        grad = lambda y, x: paddle.grad(y, x, create_graph=True)[0]  # noqa: E731
        first = grad(u, x)
        third = grad(grad(first, x), x)
        return ((grad(u, t) + 6 * u * first + third) ** 2).mean()

    def inputs():
        return [paddle.rand([4, 1]), paddle.rand([4, 1])]

    return _train(net, inputs, loss)


def _detector():
    net = Detector()
    return net, lambda: [paddle.randn([1, 1, 8, 8])]


FAMILIES = {
    'lenet': (_lenet, 0),
    'resnet': (_resnet, 0),
    'lstm': (_lstm, 0),
    'bert': (_bert, 0),
    'llama': (_llama, 0),
    'llama_with_cache': (_llama_with_cache, 0),
    'unet': (_unet, 0),
    'graph': (_graph, 0),
    'pinn': (_pinn, 0),
    'detector': (_detector, 2),
}


def _numbers(value):
    if isinstance(value, (list, tuple)):
        return [n for v in value for n in _numbers(v)]
    return [value.numpy()]


@pytest.mark.parametrize('full_graph', [False, True])
@pytest.mark.parametrize('name', list(FAMILIES))
def test_family(name, full_graph):
    make, most_breaks = FAMILIES[name]
    most_breaks = 0 if full_graph else most_breaks
    found = []
    for marked in (False, True):
        paddle.seed(5)
        function, inputs = make()
        if marked:
            function = paddle.jit.to_static(function, full_graph=full_graph)
        paddle.seed(6)
        found.append([_numbers(function(*inputs())) for _ in range(5)])
    for call, (want, got) in enumerate(zip(*found)):
        assert [a.shape for a in want] == [a.shape for a in got], call
        for a, b in zip(want, got):
            numpy.testing.assert_allclose(b, a, rtol=2e-4, atol=2e-5, err_msg=f'call {call}')
    explanation = paddle.jit.explain(function)
    assert len(explanation.breaks) <= most_breaks, explanation.breaks
    assert explanation.compiled_calls >= 2, explanation
    if most_breaks == 0:
        assert explanation.compiled, explanation
