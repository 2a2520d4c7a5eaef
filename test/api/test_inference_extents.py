# SPDX-License-Identifier: Apache-2.0
"""Predictors run at other extents than those their program was recorded with."""

import threading

import numpy as np
import pytest

import paddle
import paddle.inference as infer
import paddle.nn.functional as F
from paddle.static import InputSpec


def save(net, path, *shapes):
    net.eval()
    spec = [InputSpec(s, 'float32', f'x{i}') for i, s in enumerate(shapes)]
    paddle.jit.save(net, path, input_spec=spec)


def make(path, **options):
    # Programs without parameters have no file of them.
    config = infer.Config(path + '.json', path + '.pdiparams')
    config.disable_glog_info()
    for name, values in options.items():
        getattr(config, name)(*values)
    return infer.create_predictor(config)


def random(*shapes, seed=0):
    draw = np.random.RandomState(seed)
    return [paddle.to_tensor(draw.rand(*s).astype('float32') - 0.5) for s in shapes]


def check(predictor, net, *shapes, runs=1):
    """What a predictor gives equals the layer's eager results; later runs use memory bound to the
    extents of the first.
    """
    for seed in range(runs):
        inputs = random(*shapes, seed=seed)
        want = net(*inputs)
        want = want if isinstance(want, (list, tuple)) else [want]
        got = predictor.run(inputs)
        assert [list(o.shape) for o in got] == [list(o.shape) for o in want]
        for g, w in zip(got, want):
            np.testing.assert_allclose(g.numpy(), w.numpy(), rtol=1e-4, atol=1e-5)


class Function(paddle.nn.Layer):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


class Net(paddle.nn.Layer):
    """Convolutions with batch norms and full and padded blocks of channels, a residual, pooling."""

    def __init__(self):
        super().__init__()
        nn = paddle.nn
        self.stem, self.norm = nn.Conv2D(3, 24, 5, 2, 2), nn.BatchNorm2D(24)
        self.wide, self.each = nn.Conv2D(24, 48, 1), nn.Conv2D(48, 48, 3, padding=1, groups=48)
        self.down, self.head = nn.Conv2D(48, 24, 3, padding=1), nn.Linear(24, 5)

    def forward(self, x):
        x = F.relu(self.norm(self.stem(x)))
        x = x + self.down(F.relu6(self.each(F.hardswish(self.wide(x)))))
        x = F.max_pool2d(x, 3, 2, 1, ceil_mode=True)
        x = paddle.concat([x, F.avg_pool2d(x, 3, 1, 1)], axis=3)
        return x, self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


CONFIGS = [{}, {'enable_cinn': ()}, {'switch_ir_optim': (False,)}, {'set_optimization_level': (3,)}]


@pytest.mark.parametrize('options', CONFIGS)
def test_images_of_other_batch_and_size(tmp_path, options):
    paddle.seed(1)
    net, path = Net(), str(tmp_path / 'net')
    save(net, path, [2, 3, 33, 32])
    predictor = make(path, **options)
    assert predictor.get_input_handle('x0').shape() == [2, 3, 33, 32]
    for shape in ([1, 3, 33, 32], [3, 3, 41, 56], [2, 3, 33, 32], [5, 3, 17, 8], [1, 3, 33, 32]):
        check(predictor, net, shape, runs=3)


def test_extents_that_are_declared_unknown_remain_so(tmp_path):
    paddle.seed(1)
    net, path = Net(), str(tmp_path / 'net')
    save(net, path, [None, 3, 32, None])
    predictor = make(path)
    assert predictor.get_input_handle('x0').shape() == [-1, 3, 32, -1]
    for shape in ([1, 3, 32, 24], [4, 3, 20, 24], [1, 3, 20, 16], [2, 3, 32, 8]):
        check(predictor, net, shape, runs=2)
    with pytest.raises(ValueError, match=r'expected input channels .* \[1, 4, 32, 8\]'):
        predictor.run(random([1, 4, 32, 8]))
    check(predictor, net, [4, 3, 20, 24])


@pytest.mark.parametrize('options', CONFIGS)
def test_attention_of_other_batch_and_length(tmp_path, options):
    class Attention(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = paddle.nn.Linear(16, 48), paddle.nn.Linear(16, 16)
            self.norm = paddle.nn.LayerNorm(16)

        def forward(self, x, mask):
            qkv = self.qkv(self.norm(x)).reshape([0, 0, 3, 4, 4]).transpose([2, 0, 3, 1, 4])
            q, k, v = qkv.unbind(0)
            p = F.softmax(paddle.matmul(q * 0.5, k, transpose_y=True) + mask, -1)
            y = paddle.matmul(p, v).transpose([0, 2, 1, 3]).flatten(2)
            return x + self.out(y)

    paddle.seed(2)
    net, path = Attention(), str(tmp_path / 'net')
    save(net, path, [2, 9, 16], [2, 1, 1, 9])
    predictor = make(path, **options)
    for n, length in ((2, 9), (3, 9), (2, 14), (1, 1), (4, 30), (2, 9)):
        check(predictor, net, [n, length, 16], [n, 1, 1, length], runs=3)


@pytest.mark.parametrize('options', CONFIGS)
@pytest.mark.parametrize(
    ('f', 'declared', 'others'),
    [
        pytest.param(
            lambda x, y: x + y,
            [[1, 4], [3, 4]],
            [[[3, 4], [3, 4]], [[5, 4], [1, 4]]],
            id='broadcast',
        ),
        pytest.param(lambda x: x.expand([2, 4]) + 1, [[2, 4]], [[[1, 4]], [[2, 1]]], id='expand'),
        pytest.param(
            lambda x: x.sum(0) * paddle.shape(x)[0].astype('float32'),
            [[2, 4]],
            [[[5, 4]]],
            id='shape',
        ),
        pytest.param(
            lambda x: [t * 2 for t in paddle.split(x, 2, axis=1)],
            [[2, 4]],
            [[[3, 8]], [[0, 4]]],
            id='split',
        ),
        pytest.param(
            lambda x: paddle.concat([x, x.tile([2, 1])]).cumsum(0),
            [[2, 4]],
            [[[3, 1]]],
            id='concat',
        ),
        pytest.param(
            lambda x: paddle.nonzero(x > 0).astype('float32').sum(),
            [[2, 4]],
            [[[9, 3]]],
            id='nonzero',
        ),
        pytest.param(
            lambda x: paddle.static.nn.cond(x.sum() > 0, lambda: x * 2, lambda: x - 1),
            [[2, 4]],
            [[[3, 7]]],
            id='cond',
        ),
        pytest.param(
            lambda x: paddle.static.nn.while_loop(
                lambda i, a, b: i < 3,
                lambda i, a, b: [i + 1, paddle.concat([a, x]), b + x],
                [paddle.zeros([], 'int64'), x, x * 2],
            )[1:],
            [[2, 4]],
            [[[3, 4]], [[2, 5]]],
            id='while_loop',
        ),
    ],
)
def test_operations_at_other_extents(tmp_path, options, f, declared, others):
    net, path = Function(f), str(tmp_path / 'net')
    save(net, path, *declared)
    predictor = make(path, **options)
    for shapes in [declared, *others, declared]:
        check(predictor, net, *shapes, runs=2)


def test_program_of_fixed_numbers_is_refused_at_other_extents(tmp_path):
    net, path = Function(lambda x: F.relu(x.reshape([2, 192])) + 1), str(tmp_path / 'net')
    save(net, path, [2, 3, 8, 8])
    predictor = make(path)
    for shape in ([1, 3, 8, 8], [2, 3, 9, 8]):
        with pytest.raises(ValueError, match=r'\[reshape\] expected .*\[2, 192\].*') as error:
            predictor.run(random(shape))
        assert str(shape) in str(error.value)
        check(predictor, net, [2, 3, 8, 8])
    check(predictor, net, [4, 3, 4, 8])  # as many elements
    with pytest.raises(ValueError, match='expected shape .* for input'):
        predictor.run(random([2, 3, 64]))


def test_clones_run_at_extents_of_their_own(tmp_path):
    paddle.seed(3)
    net, path = Net(), str(tmp_path / 'net')
    save(net, path, [1, 3, 16, 16])
    first, failures = make(path), []

    def run(predictor, shape):
        try:
            for _ in range(3):
                check(predictor, net, shape)
        except Exception as e:  # shown by the assertion below
            failures.append(e)

    shapes = [[1, 3, 16, 16], [2, 3, 16, 16], [2, 3, 24, 16], [1, 3, 16, 32]]
    threads = [threading.Thread(target=run, args=(first.clone(), s)) for s in shapes]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
