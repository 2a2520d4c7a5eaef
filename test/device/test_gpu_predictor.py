# SPDX-License-Identifier: Apache-2.0
"""Predictors on a GPU: parameters there once, runs as graphs, handles that copy."""

import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import child, needs_double, run

pytestmark = needs_double

START = '''
import sys, threading
import numpy as np
import paddle
import paddle.inference as infer
import paddle.nn.functional as F

class Block(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (paddle.nn.Linear(16, 16) for _ in range(4))
        self.norm, self.up = paddle.nn.LayerNorm(16), paddle.nn.Linear(16, 32)
        self.down = paddle.nn.Linear(32, 16)
    def forward(self, x):
        heads = [f(x).reshape([0, 0, 2, 8]) for f in (self.q, self.k, self.v)]
        x = x + self.o(F.scaled_dot_product_attention(*heads).reshape([0, 0, 16]))
        x = x + self.down(F.gelu(self.up(self.norm(x))))
        return F.rms_norm(x + self.o(x), [16], self.norm.weight)

NETS = {
    'conv': lambda: paddle.nn.Sequential(
        paddle.nn.Conv2D(2, 4, 3, padding=1), paddle.nn.BatchNorm2D(4), paddle.nn.ReLU(),
        paddle.nn.MaxPool2D(2), paddle.nn.Flatten(), paddle.nn.Linear(4 * 9, 5),
        paddle.nn.Softmax()),
    'block': lambda: paddle.nn.Sequential(
        paddle.nn.Embedding(50, 16), Block(), paddle.nn.Linear(16, 3)),
}
SPECS = {'conv': ([None, 2, 6, 6], 'float32'), 'block': ([None, 6], 'int64')}
path = sys.argv[1] + '/net'

def saved(name):
    paddle.seed(5)
    net = NETS[name]()
    net.eval()
    paddle.jit.save(net, path, [paddle.static.InputSpec(*SPECS[name], name='x')])
    return net

def data(name, batch, seed=0):
    r = np.random.RandomState(seed)
    shape = [batch, *SPECS[name][0][1:]]
    return r.randint(0, 50, shape) if name == 'block' else r.rand(*shape).astype('float32')

def config(mb=16, **options):
    c = infer.Config(path + '.json', path + '.pdiparams')
    c.disable_glog_info()
    c.enable_use_gpu(mb, **options)
    return c

def ran(predictor, x):
    predictor.get_input_handle('x').copy_from_cpu(x)
    predictor.run()
    return predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()

def near(got, want, limit=1e-5):
    np.testing.assert_allclose(got, want, rtol=limit, atol=limit)
'''


@pytest.mark.parametrize('name', ['conv', 'block'])
@pytest.mark.parametrize('cinn', [False, True])
def test_runs_become_graphs_with_the_results_of_the_cpu(tmp_path, name, cinn):
    _, err = run(
        '-c',
        START
        + f'''
name = {name!r}
net, c = saved(name), config()
if {cinn}:
    c.enable_cinn()
assert c.use_gpu() and c.gpu_device_id() == 0 and c.memory_pool_init_size_mb() == 16
assert 0 < c.fraction_of_gpu_memory_for_pool() < 1
p = infer.create_predictor(c)
for k in range(3):  # plain, captured, replayed
    x = data(name, 2, k)
    near(ran(p, x), net(paddle.to_tensor(x)).numpy())
    assert p._num_graphs == (k > 0)
for k in range(3):  # other extents have a graph of their own, and leave that one as it is
    x = data(name, 3, k)
    near(ran(p, x), net(paddle.to_tensor(x)).numpy())
assert p._num_graphs == 2
x = data(name, 2, 9)
near(ran(p, x), net(paddle.to_tensor(x)).numpy())
p.clear_intermediate_tensor()
assert p._num_graphs == 0
near(ran(p, x), net(paddle.to_tensor(x)).numpy())
assert paddle.device.get_device() == 'cpu' and paddle.ones([1]).place.is_cpu_place()
''',
        tmp_path,
        FLAGS_gpu_explain=1,
        FLAGS_use_system_allocator=0 if cinn else 1,
    )
    assert 'on the host' not in err, err
    # A sum and its norm are one kernel, which a compiler needs no pass for.
    joined = re.search('gpu: fused_add_norm: generated', err)
    assert bool(joined) == (name == 'block' and not cinn), err


def test_handles_and_results(tmp_path):
    run(
        '-c',
        START
        + '''
net, p = saved('conv'), infer.create_predictor(config())
x = data('conv', 2)
h = p.get_input_handle('x')
first = None
for k in range(4):
    t = paddle.to_tensor(data('conv', 2, k)).cuda()
    (y,) = p.run([t])
    assert y.place.is_gpu_place()
    first = y if first is None else first  # later runs leave it
near(first.numpy(), net(paddle.to_tensor(x)).numpy())
shared = x.copy()
h.share_external_data(shared)
out = p.get_output_handle(p.get_output_names()[0])
for k in range(3):  # what the memory holds at the run
    shared[...] = data('conv', 2, k)
    p.run()
    near(out.copy_to_cpu(), net(paddle.to_tensor(shared)).numpy())
there = paddle.to_tensor(x).cuda()
h.share_external_data(there)
p.run()
near(out.copy_to_cpu(), net(paddle.to_tensor(x)).numpy())
other = paddle.to_tensor(data('conv', 2, 7))
there.copy_(other)
p.run()
near(out.copy_to_cpu(), net(other).numpy())
assert out.shape() == [2, 5]
seen = []
p.register_output_hook(lambda op, name, t: seen.append(t.place.is_gpu_place()))
p.run()
assert seen == [True]
''',
        tmp_path,
    )


def test_parameters_are_copied_once_for_all_clones(tmp_path):
    run(
        '-c',
        START
        + '''
paddle.seed(1)
net = paddle.nn.Sequential(paddle.nn.Linear(256, 1024), paddle.nn.ReLU(), paddle.nn.Linear(1024, 4))
net.eval()
paddle.jit.save(net, path, [paddle.static.InputSpec([8, 256], 'float32', 'x')])
cuda = paddle.device.cuda
pool = infer.PredictorPool(config(0), 4)
held = cuda.memory_allocated()
assert 1 << 20 <= held < (1 << 20) + 60_000, held
x = [np.random.RandomState(k).rand(8, 256).astype('float32') for k in range(4)]
wants = [net(paddle.to_tensor(v)).numpy() for v in x]
wrong = []
def work(k):
    p = pool.retrieve(k)
    for _ in range(5):
        if not np.allclose(ran(p, x[k]), wants[k], rtol=1e-5, atol=1e-5):
            wrong.append(k)
threads = [threading.Thread(target=work, args=[k]) for k in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
assert not wrong
assert sum(pool.retrieve(k)._num_graphs for k in range(4)) >= 1
# Other extents than declared have a program of their own, over the same parameters.
ran(pool.retrieve(0), x[0][:3])
y = ran(pool.retrieve(0), x[0][:3])
near(y, wants[0][:3])
assert cuda.memory_allocated() < held + 400_000, cuda.memory_allocated()
''',
        tmp_path,
    )


@pytest.mark.parametrize('precision', ['Half', 'Bfloat16'])
def test_a_half_precision_converts_the_program(tmp_path, precision):
    run(
        '-c',
        START
        + f'''
precision = infer.PrecisionType.{precision}
net, c = saved('conv'), config(precision_mode=precision)
x = data('conv', 2)
half = precision == infer.PrecisionType.Half
want, limit = net(paddle.to_tensor(x)).numpy(), 2e-3 if half else 2e-2
for low in (False, True):
    c.enable_low_precision_io(low)
    p = infer.create_predictor(c)
    kind = 'FLOAT32' if not low else 'FLOAT16' if half else 'BFLOAT16'
    assert p.get_input_handle('x').type() == getattr(infer.DataType, kind)
    for _ in range(3):
        (y,) = p.run([paddle.to_tensor(x).astype(kind.lower())])
    near(y.astype('float32').numpy(), want, limit)
c.exp_disable_mixed_precision_ops({{'conv2d', 'linear_v2', 'linear', 'matmul'}})
c.enable_low_precision_io(False)
(y,) = infer.create_predictor(c).run([paddle.to_tensor(x)])
near(y.numpy(), want, 1e-5)
assert c.prog_file() == path + '.json'
''',
        tmp_path,
    )


def test_what_a_graph_cannot_hold_runs_all_the_same(tmp_path):
    run(
        '-c',
        START
        + '''
class Net(paddle.nn.Layer):
    def forward(self, x):
        return paddle.nonzero(x > 0.5).sum() + x.sum().astype('int64')
net = Net()
net.eval()
paddle.jit.save(net, path, [paddle.static.InputSpec([None, 4], 'float32', 'x')])
p = infer.create_predictor(config())
for k in range(4):
    x = np.random.RandomState(k).rand(3, 4).astype('float32')
    assert ran(p, x).item() == net(paddle.to_tensor(x)).item()
assert p._num_graphs == 0
# A number outside of a table is told by the run that looks it up, in a graph too.
net = saved('block')
p = infer.create_predictor(config())
x = data('block', 2)
for bad_at in (0, 1, 2):
    for k in range(2):
        near(ran(p, x), net(paddle.to_tensor(x)).numpy())
    wrong = x.copy()
    wrong[1, 2] = 50
    try:
        ran(p, wrong)
    except (IndexError, ValueError):
        pass
    else:
        raise AssertionError(bad_at)
assert p._num_graphs == 1
''',
        tmp_path,
    )


def test_another_gpu_and_none(tmp_path):
    run(
        '-c',
        START
        + '''
net = saved('conv')
c = config(device_id=1)
p = infer.create_predictor(c)
x = data('conv', 2)
for _ in range(3):
    (y,) = p.run([paddle.to_tensor(x)])
assert str(y.place) == 'Place(gpu:1)' and paddle.device.cuda.memory_allocated(0) == 0
near(y.numpy(), net(paddle.to_tensor(x)).numpy())
c.disable_gpu()
assert not c.use_gpu()
assert infer.create_predictor(c).run([paddle.to_tensor(x)])[0].place.is_cpu_place()
for wrong in (lambda: config(device_id=7), lambda: config(precision_mode=infer.PrecisionType.Int8)):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError
''',
        tmp_path,
        FAKECUDA_DEVICES=2,
    )
    done = child(
        '-c',
        'import paddle.inference as infer\nc = infer.Config()\nc.enable_use_gpu(100, 0)\n'
        'print(c.use_gpu(), c.gpu_device_id(), c.memory_pool_init_size_mb())',
        FLAGS_cuda_driver='/nothing/libcuda.so',
    )
    assert done.stdout == 'False 0 100\n' and 'no GPU is found, the CPU is used' in done.stderr
