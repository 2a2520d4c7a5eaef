# SPDX-License-Identifier: Apache-2.0
"""The models and functions bench.py runs, written once for paddle and torch: training steps, small
functions, predictors.
"""

import math
import os
import tempfile

WORKLOADS = {}


def workload(function):
    WORKLOADS[function.__name__] = function
    return function


class Framework:
    """The little that differs between paddle and torch in the workloads below."""

    def __init__(self, kind):
        name, _, how = kind.partition('-')
        self.is_paddle, self.eager, self.how = name == 'paddle', how == 'eager', how
        if self.is_paddle:
            import paddle as api

            api.seed(0)
        else:
            import torch as api

            api.set_num_threads(int(os.environ['OMP_NUM_THREADS']))
            api.manual_seed(0)
        self.api, self.nn, self.F = api, api.nn, api.nn.functional
        self.Layer = api.nn.Layer if self.is_paddle else api.nn.Module

    def tensor(self, array, grad=False):
        if not self.is_paddle:
            return self.api.tensor(array, requires_grad=grad)
        return self.api.to_tensor(array, stop_gradient=not grad)

    def compile(self, function):
        if self.eager:
            return function
        if not self.is_paddle:
            return self.api.compile(function)
        return self.api.jit.to_static(
            function, full_graph=True, backend=None if self.how == 'plain' else 'CINN'
        )

    def adamw(self, model):
        if self.is_paddle:
            return self.api.optimizer.AdamW(1e-3, parameters=model.parameters())
        return self.api.optim.AdamW(model.parameters(), 1e-3)

    def momentum(self, model):
        if self.is_paddle:
            return self.api.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
        return self.api.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def step(self, loss, optimizer, *inputs):
        """One training step of `loss(*inputs)`."""
        compiled = self.compile(loss)
        clear = optimizer.clear_grad if self.is_paddle else optimizer.zero_grad

        def run():
            compiled(*inputs).backward()
            optimizer.step()
            clear()

        return run

    def gradient(self, y, x):
        gradients = self.api.grad if self.is_paddle else self.api.autograd.grad
        return gradients(y, [x], create_graph=True)[0]

    def linear(self, inputs, outputs, bias=True):
        return self.nn.Linear(
            inputs, outputs, **({} if bias else {'bias_attr' if self.is_paddle else 'bias': False})
        )

    def conv(self, inputs, outputs, size, stride=1, padding=0, bias=True):
        cls = self.nn.Conv2D if self.is_paddle else self.nn.Conv2d
        off = {} if bias else {'bias_attr' if self.is_paddle else 'bias': False}
        return cls(inputs, outputs, size, stride, padding, **off)

    def layers(self, items):
        return (self.nn.LayerList if self.is_paddle else self.nn.ModuleList)(items)

    def batch_norm(self, n):
        return (self.nn.BatchNorm2D if self.is_paddle else self.nn.BatchNorm2d)(n)

    def max_pool(self, *args):
        return (self.nn.MaxPool2D if self.is_paddle else self.nn.MaxPool2d)(*args)

    def concat(self, items, axis):
        return self.api.concat(items, axis) if self.is_paddle else self.api.cat(items, axis)

    def transpose(self, x, order):
        return self.api.transpose(x, order) if self.is_paddle else x.permute(order)

    def ones(self, n):
        if not self.is_paddle:
            return self.nn.Parameter(self.api.ones(n))
        return self.api.create_parameter(
            [n], 'float32', default_initializer=self.nn.initializer.Constant(1.0)
        )

    def forward(self, function, *inputs):
        """One call without gradients."""
        compiled = self.compile(function)

        def run():
            with self.api.no_grad():
                return compiled(*inputs)

        return run

    def serve(self, model, *arrays):
        """One run of the model: exported and through the predictor for paddle, unless eager."""
        model.eval()
        if self.eager or not self.is_paddle:
            return self.forward(model, *map(self.tensor, arrays))
        return predictor(self.api, model, arrays, self.how == 'cinn')


def predictor(paddle, model, arrays, cinn):
    """The run of a predictor with the default Config; results that differ from eager's by over 1e-3
    raise.
    """
    import numpy as np
    from paddle import inference

    want = model(*map(paddle.to_tensor, arrays)).numpy()
    specs = [
        paddle.static.InputSpec(list(a.shape), str(a.dtype), f'x{i}') for i, a in enumerate(arrays)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'net')
        paddle.jit.save(model, path, input_spec=specs)
        config = inference.Config(path + '.json', path + '.pdiparams')
        config.disable_glog_info()
        config.switch_ir_optim(True)
        config.set_cpu_math_library_num_threads(int(os.environ['OMP_NUM_THREADS']))
        if cinn:
            config.enable_cinn()
        made = inference.create_predictor(config)
    for name, array in zip(made.get_input_names(), arrays, strict=True):
        made.get_input_handle(name).copy_from_cpu(array)
    made.run()
    got = made.get_output_handle(made.get_output_names()[0]).copy_to_cpu()
    worst = float(np.abs(got - want).max() / np.abs(want).max())
    if not worst < 1e-3:
        raise ValueError(f'expected the numbers of eager mode, got a difference of {worst:.1e}')
    return made.run


def numbers(*shape):
    import numpy as np

    return np.random.RandomState(sum(shape)).standard_normal(shape).astype('float32')


def labels(classes, *shape):
    import numpy as np

    return np.random.RandomState(classes).randint(0, classes, shape).astype('int64')


@workload
def lenet(k):
    """Batch 64, momentum."""
    relu, pool = k.nn.ReLU(), k.max_pool(2, 2)
    model = k.nn.Sequential(
        k.conv(1, 6, 3, 1, 1), relu, pool, k.conv(6, 16, 5), relu, pool, k.nn.Flatten(),
        k.linear(400, 120), k.linear(120, 84), k.linear(84, 10),
    )  # fmt: skip
    x, y = k.tensor(numbers(64, 1, 28, 28)), k.tensor(labels(10, 64))

    def loss(x, y):
        return k.F.cross_entropy(model(x), y)

    return k.step(loss, k.momentum(model), x, y)


def resnet18_model(k):
    """ResNet-18 (He et al., 2016) for 1,000 classes."""

    class Block(k.Layer):
        def __init__(self, inputs, outputs, stride):
            super().__init__()
            self.conv1, self.norm1 = (
                k.conv(inputs, outputs, 3, stride, 1, False),
                k.batch_norm(outputs),
            )
            self.conv2, self.norm2 = k.conv(outputs, outputs, 3, 1, 1, False), k.batch_norm(outputs)
            self.down = None
            if stride != 1:
                self.down = k.nn.Sequential(
                    k.conv(inputs, outputs, 1, stride, 0, False), k.batch_norm(outputs)
                )

        def forward(self, x):
            y = self.norm2(self.conv2(k.F.relu(self.norm1(self.conv1(x)))))
            return k.F.relu(y + (x if self.down is None else self.down(x)))

    items, inputs = (
        [k.conv(3, 64, 7, 2, 3, False), k.batch_norm(64), k.nn.ReLU(), k.max_pool(3, 2, 1)],
        64,
    )
    for outputs in (64, 128, 256, 512):
        items += [Block(inputs, outputs, 1 if outputs == 64 else 2), Block(outputs, outputs, 1)]
        inputs = outputs
    mean = k.nn.AdaptiveAvgPool2D(1) if k.is_paddle else k.nn.AdaptiveAvgPool2d(1)
    return k.nn.Sequential(*items, mean, k.nn.Flatten(), k.linear(512, 1000))


@workload
def resnet18(k):
    """Batch 8 of 224 x 224, momentum."""
    model = resnet18_model(k)

    def loss(x, y):
        return k.F.cross_entropy(model(x), y)

    return k.step(
        loss, k.momentum(model), k.tensor(numbers(8, 3, 224, 224)), k.tensor(labels(1000, 8))
    )


@workload
def resnet18_served(k):
    """Batch 1 of 224 x 224, inference."""
    return k.serve(resnet18_model(k), numbers(1, 3, 224, 224))


def attention(k, q, key, v, heads, mask=None):
    """Multi-head attention on [batch, time, width] from elementary operations; `q` and `key` are
    split by heads.
    """
    weight = k.api.matmul(q, k.transpose(key, [0, 1, 3, 2])) * q.shape[-1] ** -0.5
    out = k.api.matmul(k.F.softmax(weight if mask is None else weight + mask, -1), v)
    b, h, t, d = out.shape
    return k.transpose(out, [0, 2, 1, 3]).reshape([b, t, h * d])


def split_heads(k, x, heads):
    b, t, width = x.shape
    return k.transpose(x.reshape([b, t, heads, width // heads]), [0, 2, 1, 3])


def llama_model(k, vocabulary, width=256, depth=4, heads=8, hidden=688):
    """Four layers of width 256: RMS norm, rotary positions, gated units (LLaMA, Touvron et al.,
    2023).
    """
    half = width // heads // 2

    def turn(z, cos, sin):
        a, b = z[..., :half], z[..., half:]
        return k.concat([a * cos - b * sin, b * cos + a * sin], -1)

    class Norm(k.Layer):
        def __init__(self):
            super().__init__()
            self.weight = k.ones(width)

        def forward(self, x):
            return x * k.api.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.weight

    class Block(k.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = Norm(), Norm()
            self.q, self.k, self.v, self.o = (k.linear(width, width, False) for _ in range(4))
            self.gate, self.up, self.down = (
                k.linear(*shape, False)
                for shape in ((width, hidden), (width, hidden), (hidden, width))
            )

        def forward(self, x, cos, sin, mask):
            h = self.norm1(x)
            q, key, v = (split_heads(k, f(h), heads) for f in (self.q, self.k, self.v))
            x = x + self.o(attention(k, turn(q, cos, sin), turn(key, cos, sin), v, heads, mask))
            h = self.norm2(x)
            return x + self.down(k.F.silu(self.gate(h)) * self.up(h))

    class Model(k.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.blocks = (
                k.nn.Embedding(vocabulary, width),
                k.layers([Block() for _ in range(depth)]),
            )
            self.norm, self.head = Norm(), k.linear(width, vocabulary, False)

        def forward(self, ids, cos, sin, mask):
            x = self.words(ids)
            for block in self.blocks:
                x = block(x, cos, sin, mask)
            return self.head(self.norm(x))

    return Model()


def llama_tables(time, half=16):
    """Cosines and sines of the rotary positions and the causal mask."""
    import numpy as np

    angle = np.outer(np.arange(time), 10000.0 ** (-np.arange(half) / half)).astype('float32')
    return np.cos(angle), np.sin(angle), np.triu(np.full((time, time), -1e9, 'float32'), 1)


@workload
def llama(k, vocabulary=4096, batch=4, time=128):
    """Four sequences of 128; AdamW."""
    model, ids = llama_model(k, vocabulary), labels(vocabulary, batch, time + 1)
    tables = [k.tensor(t) for t in llama_tables(time)]

    def loss(x, y):
        return k.F.cross_entropy(model(x, *tables).reshape([-1, vocabulary]), y.reshape([-1]))

    return k.step(loss, k.adamw(model), k.tensor(ids[:, :-1].copy()), k.tensor(ids[:, 1:].copy()))


@workload
def llama_served(k, vocabulary=4096):
    """Four sequences of 128, inference."""
    return k.serve(llama_model(k, vocabulary), labels(vocabulary, 4, 128), *llama_tables(128))


def bert_model(k, width, heads, vocabulary, outputs, depth=4, time=128):
    """Layer norm behind each part, gelu, biases, word and position embeddings (BERT, Devlin et al.,
    2019).
    """

    class Block(k.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = k.nn.LayerNorm(width), k.nn.LayerNorm(width)
            self.q, self.k, self.v, self.o = (k.linear(width, width) for _ in range(4))
            self.up, self.down = k.linear(width, 4 * width), k.linear(4 * width, width)

        def forward(self, x, mask):
            q, key, v = (split_heads(k, f(x), heads) for f in (self.q, self.k, self.v))
            x = self.norm1(x + self.o(attention(k, q, key, v, heads, mask)))
            return self.norm2(x + self.down(k.F.gelu(self.up(x))))

    class Model(k.Layer):
        def __init__(self):
            super().__init__()
            self.words, self.places = k.nn.Embedding(vocabulary, width), k.nn.Embedding(time, width)
            self.norm, self.blocks = (
                k.nn.LayerNorm(width),
                k.layers([Block() for _ in range(depth)]),
            )
            self.head = k.linear(width, outputs)

        def forward(self, ids, places, mask=None):
            x = self.norm(self.words(ids) + self.places(places))
            for block in self.blocks:
                x = block(x, mask)
            return self.head(x)

    return Model()


@workload
def bert(k, vocabulary=4096, batch=8, time=128):
    """Eight sequences of 128, width 256, all positions predicted; AdamW."""
    model, ids = bert_model(k, 256, 4, vocabulary, vocabulary), labels(vocabulary, batch, time)

    def loss(x, y, places):
        return k.F.cross_entropy(model(x, places).reshape([-1, vocabulary]), y.reshape([-1]))

    inputs = ids, ids[:, ::-1].copy(), labels(time, 1, time)
    return k.step(loss, k.adamw(model), *(k.tensor(i) for i in inputs))


@workload
def bert_served(k, vocabulary=4000, time=128):
    """One sequence of 128 with a mask, width 768, inference."""
    mask = (abs(numbers(1, 1, 1, time)) > 1).astype('float32') * -1e4
    return k.serve(
        bert_model(k, 768, 12, vocabulary, 2),
        labels(vocabulary, 1, time),
        labels(time, 1, time),
        mask,
    )


def burgers(k, points, width, depth=5):
    """A physics-informed network for Burgers' equation: second derivatives by nested gradients;
    AdamW.
    """
    items = [k.linear(2, width), k.nn.Tanh()]
    for _ in range(depth - 1):
        items += [k.linear(width, width), k.nn.Tanh()]
    model = k.nn.Sequential(*items, k.linear(width, 1))

    def loss(x, t):
        u = model(k.concat([x, t], 1))
        ux, ut = k.gradient(u.sum(), x), k.gradient(u.sum(), t)
        return ((ut + u * ux - 0.01 / math.pi * k.gradient(ux.sum(), x)) ** 2).mean()

    return k.step(
        loss,
        k.adamw(model),
        k.tensor(numbers(points, 1), True),
        k.tensor(abs(numbers(points, 1)), True),
    )


@workload
def pinn(k):
    """4,096 points, width 64; a step differentiates three times."""
    return burgers(k, 4096, 64)


@workload
def pinn_small(k):
    """256 points, width 20; a step differentiates three times."""
    return burgers(k, 256, 20)


@workload
def rms_norm(k):
    """2048 x 1024, from elementary operations."""

    def norm(x, w):
        return x * k.api.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w

    return k.forward(norm, k.tensor(numbers(2048, 1024)), k.tensor(numbers(1024)))


@workload
def gelu_chain(k):
    """4096 x 1024."""

    def chain(x, b, r):
        return k.F.gelu(x + b) * 0.5 + k.api.tanh(r) * x

    shapes = (4096, 1024), (1024,), (4096, 1024)
    return k.forward(chain, *(k.tensor(numbers(*s)) for s in shapes))
