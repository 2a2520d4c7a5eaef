# SPDX-License-Identifier: Apache-2.0
"""Tensors on a plugin's device: memory, copies, ops with and without a kernel, training, streams,
statistics.
"""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from test_plugin import build, include, run  # noqa: E402, F401

START = '''
import ctypes, gc, numpy as np, paddle
plugin = ctypes.CDLL(PATH)
dev = paddle.CustomPlace('fake_cpu', 0)
a = np.arange(12, dtype='float32').reshape(3, 4) - 5
'''


@pytest.fixture(scope='module')
def device(include, tmp_path_factory):  # noqa: F811
    return build(
        include, tmp_path_factory.mktemp('device') / 'libfake.so', source='device_plugin.cc'
    )


@pytest.fixture
def on_device(device):
    return lambda code: run(
        f'PATH = {str(device)!r}\n' + START + code, CUSTOM_DEVICE_ROOT=str(device.parent)
    )


def test_places_and_copies(on_device):
    on_device('''
assert paddle.device.get_all_custom_device_type() == ['fake_cpu']
assert paddle.device.get_available_custom_device() == ['fake_cpu:0', 'fake_cpu:1']
assert paddle.device.is_compiled_with_custom_device('fake_cpu')
assert not paddle.is_compiled_with_custom_device('other')
x = paddle.to_tensor(a, place=dev)
assert x.place == dev and str(x.place) == 'Place(fake_cpu:0)'
assert paddle.device.get_device(x) == 'fake_cpu:0'
np.testing.assert_array_equal(x.numpy(), a)
assert x.tolist() == a.tolist() and x[1, 2].item() == a[1, 2] and 'fake_cpu:0' in repr(x)
np.testing.assert_array_equal(x.t()[1:, ::2].numpy(), a.T[1:, ::2])
np.testing.assert_array_equal(x.t().contiguous().numpy(), a.T)
assert x.t().contiguous().place == dev
c = x.cpu()
assert c.place.is_cpu_place()
place = c.place
place.set_place(dev)  # of one tensor, and of no other
assert place == dev and c.place.is_cpu_place() and paddle.CPUPlace().is_cpu_place()
class Device:  # of another library
    type, index = 'fake_cpu', 1
assert str(paddle.ones([1], device=Device()).place) == 'Place(fake_cpu:1)'
np.testing.assert_array_equal(c.numpy(), a)
y = c.to('fake_cpu:1')
assert str(y.place) == 'Place(fake_cpu:1)' and y.to('float64').dtype == paddle.float64
np.testing.assert_array_equal(y.to(dev).numpy(), a)
x[1] = 7.0
x[:, 0] = paddle.zeros([3])
b = a.copy(); b[1] = 7; b[:, 0] = 0
np.testing.assert_array_equal(x.numpy(), b)
x.set_value(a)
np.testing.assert_array_equal(x.clone().numpy(), a)
assert x.clone().place == dev
np.testing.assert_array_equal(x[paddle.to_tensor([2, 0])].numpy(), a[[2, 0]])
np.testing.assert_array_equal(x[x > 0].numpy(), a[a > 0])
assert bool((x == x).all()) and float(x.sum()) == a.sum()
try:
    x.__dlpack__()
    raise SystemExit('expected an error')
except (RuntimeError, BufferError):
    pass
import pickle
np.testing.assert_array_equal(pickle.loads(pickle.dumps(x)).numpy(), a)
for bad in ('other:0', 'fake_cpu:2'):
    try:
        paddle.to_tensor(a, place=bad)
        raise SystemExit('expected an error')
    except ValueError:
        pass
''')


def test_ops_with_and_without_a_kernel(on_device):
    on_device('''
x = paddle.to_tensor(a, place=dev)
n = plugin.fake_kernels()
y = paddle.nn.functional.relu(x)
assert plugin.fake_kernels() == n + 1 and y.place == dev
z = paddle.exp(x) + paddle.to_tensor(a)               # no kernel; one operand on the CPU
assert plugin.fake_kernels() == n + 1 and z.place == dev
np.testing.assert_allclose(z.numpy(), np.exp(a) + a, rtol=1e-6)
m = paddle.matmul(x, paddle.to_tensor(a.T))            # the host operand is brought over
assert plugin.fake_kernels() == n + 2
np.testing.assert_allclose(m.numpy(), a @ a.T, rtol=1e-6)
wide = x.astype('float64')
np.testing.assert_allclose(paddle.matmul(wide, wide, transpose_y=True).numpy(), a @ a.T)
assert plugin.fake_kernels() == n + 2                  # no float64 kernel
x.add_(paddle.ones([3, 4])); x.exp_(); x.scale_(2.0)
np.testing.assert_allclose(x.numpy(), np.exp(a + 1) * 2, rtol=1e-6)
parts = paddle.split(x, 2, axis=1)
assert all(p.place == dev for p in parts)
swapped = np.exp(a + 1)[:, [2, 3, 0, 1]] * 2
np.testing.assert_allclose(paddle.concat(parts[::-1], axis=1).numpy(), swapped, rtol=1e-6)
v, i = paddle.topk(x, 2)
assert v.place == dev and i.place == dev
paddle.set_device('fake_cpu')
assert paddle.get_device() == 'fake_cpu:0'
made = [paddle.zeros([2]), paddle.rand([2]), paddle.arange(3), paddle.to_tensor(1.0), paddle.eye(2)]
for t in made:
    assert t.place == dev, t
with paddle.device.device_guard('cpu'):
    assert paddle.ones([1]).place.is_cpu_place()
paddle.set_device('cpu')
assert paddle.ones([1]).place.is_cpu_place()
''')


TRAIN = '''
from paddle import nn
def train(place, optimizer, steps=6):
    paddle.seed(3)
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.LayerNorm(16), nn.Linear(16, 3))
    opt = getattr(paddle.optimizer, optimizer)(learning_rate=0.1, parameters=net.parameters())
    rng = np.random.default_rng(0)
    net.to(place)
    losses = []
    for _ in range(steps):
        x = paddle.to_tensor(rng.standard_normal((8, 4)).astype('float32'), place=place)
        label = paddle.to_tensor(rng.integers(0, 3, 8), place=place)
        loss = nn.functional.cross_entropy(net(x), label) + 0.01 * (net[0].weight ** 2).mean()
        loss.backward()
        assert loss.place == place and all(p.grad.place == place for p in net.parameters())
        opt.step()
        opt.clear_grad()
        losses.append(float(loss))
    assert all(p.place == place for p in net.parameters())
    return losses, [p.numpy() for p in net.parameters()]
'''


@pytest.mark.parametrize('optimizer', ['SGD', 'Momentum', 'AdamW'])
def test_training_equals_the_cpu(on_device, optimizer):
    on_device(
        TRAIN
        + f'''
n = plugin.fake_kernels()
there, here = train(dev, {optimizer!r}), train(paddle.CPUPlace(), {optimizer!r})
assert plugin.fake_kernels() > n + 6 * 4
np.testing.assert_allclose(there[0], here[0], rtol=1e-4)
for p, q in zip(there[1], here[1]):
    np.testing.assert_allclose(p, q, rtol=1e-3, atol=1e-5)
assert there[0][-1] != there[0][0]
'''
    )


def test_gradients_across_places(on_device):
    on_device('''
w = paddle.to_tensor(a, stop_gradient=False)
y = (w.to(dev) * 2).exp()
assert y.place == dev
y.sum().backward()
assert w.grad.place.is_cpu_place()
np.testing.assert_allclose(w.grad.numpy(), 2 * np.exp(2 * a), rtol=1e-5)
x = paddle.to_tensor(a, place=dev, stop_gradient=False)
g, = paddle.grad((x ** 3).sum(), x, create_graph=True)
h, = paddle.grad(g.sum(), x)
np.testing.assert_allclose(h.numpy(), 6 * a, rtol=1e-5)
assert h.place == dev
net = paddle.jit.to_static(paddle.nn.Linear(4, 2))
np.testing.assert_allclose(net(x).numpy(), net(x.cpu()).numpy(), rtol=1e-5)
''')


def test_memory_and_streams(on_device):
    on_device('''
d = paddle.device
before = d.memory_allocated(dev)
x = paddle.to_tensor(np.zeros(1 << 20, 'float32'), place=dev)
assert d.memory_allocated(dev) == before + (4 << 20) and d.memory_allocated('fake_cpu:1') == 0
made = plugin.fake_allocations()
for _ in range(10):
    x = None
    x = paddle.to_tensor(np.zeros(1 << 20, 'float32'), place=dev)
assert plugin.fake_allocations() == made                   # blocks are kept and used again
x = None
gc.collect()
assert d.memory_allocated(dev) == before
assert d.max_memory_allocated(dev) >= 4 << 20 and d.memory_reserved(dev) >= 4 << 20
d.reset_peak_memory_stats(dev)
assert d.max_memory_allocated(dev) == before
d.empty_cache()
assert d.memory_reserved(dev) == before and plugin.fake_live() == before // 512
try:
    paddle.zeros([(1 << 24) + 1]).to(dev)
    raise SystemExit('expected an error')
except MemoryError as error:
    assert 'fake_cpu:0' in str(error), error
streams = plugin.fake_streams()
s = d.Stream('fake_cpu:0')
assert plugin.fake_streams() == streams + 1 and s.query()
with d.stream_guard(s):
    y = paddle.nn.functional.relu(paddle.to_tensor(a, place=dev))
    assert not s.query()
    e = s.record_event()
assert e.query() and plugin.fake_events() == 1
d.current_stream('fake_cpu:0').wait_event(e)
s.synchronize()
assert s.query()
d.synchronize('fake_cpu:0'); d.synchronize()
del e, s
gc.collect()
assert plugin.fake_streams() == streams and plugin.fake_events() == 0
''')
