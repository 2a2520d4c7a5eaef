# SPDX-License-Identifier: Apache-2.0
"""GPUs over the driver's interface: how the driver is found, memory, copies, streams, events, and
ops that run on the host for want of a kernel.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
START = '''
import gc, numpy as np, paddle
a = np.arange(12, dtype='float32').reshape(3, 4) - 5

def refused(error, *words):
    import pytest
    return pytest.raises(error, match='.*'.join(words))
'''


def run(code, **env):
    clean = {k: v for k, v in os.environ.items() if k not in ('CUDA_HOME', 'CUDA_PATH')}
    done = subprocess.run(
        [sys.executable, '-c', START + code],
        capture_output=True,
        text=True,
        env={**clean, **{k: str(v) for k, v in env.items()}},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope='module')
def driver(tmp_path_factory):
    compiler = shutil.which('g++')
    if not compiler:
        pytest.skip('no g++')
    target = tmp_path_factory.mktemp('driver') / 'libcuda.so.1'
    flags = ['-std=c++17', '-O1', '-Wall', '-Wextra', '-Werror', '-fPIC', '-shared']
    done = subprocess.run(
        [compiler, *flags, str(HERE / 'host_driver.cc'), '-o', str(target)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture
def on_gpu(driver):
    """Runs a program on this driver, all ops on the host."""
    return lambda code, **env: run(code, FLAGS_cuda_driver=driver, FLAGS_gpu_kernels=0, **env)


WITHOUT = '''
assert paddle.device.cuda.device_count() == paddle.device.device_count() == 0
assert not paddle.is_compiled_with_cuda() and not paddle.base.core.is_compiled_with_cuda()
assert paddle.device.get_available_device() == ['cpu'] and paddle.get_device() == 'cpu'
paddle.device.cuda.empty_cache()
for use in (
    lambda: paddle.CUDAPlace(0),
    lambda: paddle.set_device('gpu'),
    lambda: paddle.set_device('cuda:0'),
    lambda: paddle.to_tensor(1.0, place='gpu:0'),
    lambda: paddle.ones([1]).cuda(),
    lambda: paddle.ones([1]).to('gpu'),
):
    with refused(ValueError, 'GPU and its driver', REASON):
        use()
for name in ('synchronize', 'memory_allocated', 'max_memory_reserved', 'get_device_properties',
             'current_stream', 'memory_summary', 'vmm_compact'):
    with refused(ValueError, r'\\[cuda.' + name, 'expected a GPU'):
        getattr(paddle.device.cuda, name)()
'''


def test_without_a_driver(tmp_path):
    run("REASON = 'tried .*nowhere'" + WITHOUT, FLAGS_cuda_driver=tmp_path / 'nowhere')


def test_drivers_that_cannot_be_used(driver, tmp_path):
    run("REASON = 'has no cuInit, cuDriverGetVersion'" + WITHOUT, FLAGS_cuda_driver='libm.so.6')
    run(
        "REASON = 'driver for CUDA 11.8, expected 12.0 or newer'" + WITHOUT,
        FLAGS_cuda_driver=driver,
        HOST_DRIVER_VERSION=11080,
    )
    run("REASON = 'has no device'" + WITHOUT, FLAGS_cuda_driver=driver, HOST_DRIVER_DEVICES=0)


def test_a_driver_is_found_below_cuda_home(driver, tmp_path):
    (tmp_path / 'compat').mkdir()
    shutil.copy(driver, tmp_path / 'compat')
    run("assert paddle.device.cuda.device_count() == 2", CUDA_HOME=tmp_path)


def test_a_driver_that_cannot_be_used_is_passed_over(driver, tmp_path):
    """Container images bring one for older systems, which others refuse."""
    source = tmp_path / 'empty.c'
    source.write_text('')
    for folder in ('old', 'new'):
        (tmp_path / folder / 'compat').mkdir(parents=True)
    shutil.copy(driver, tmp_path / 'new' / 'compat')
    old = tmp_path / 'old' / 'compat' / 'libcuda.so.1'
    subprocess.run(['g++', '-shared', '-x', 'c', source, '-o', old], check=True)
    run(
        "assert paddle.device.cuda.device_count() == 2",
        CUDA_HOME=tmp_path / 'old',
        CUDA_PATH=tmp_path / 'new',
    )
    run(
        "REASON = 'tried .*; .*old/compat/libcuda.so.1 has no cuInit, '" + WITHOUT,
        CUDA_HOME=tmp_path / 'old',
    )


def test_places_and_copies(on_gpu):
    on_gpu('''
assert paddle.is_compiled_with_cuda() and paddle.device.cuda.device_count() == 2
assert paddle.get_device() == 'cpu'  # the device is chosen, not found
dev = paddle.CUDAPlace(0)
assert repr(dev) == 'Place(gpu:0)' and dev.is_gpu_place() and dev == paddle.CUDAPlace(0)
with refused(ValueError, 'expected a GPU below 2', 'gpu:2'):
    paddle.CUDAPlace(2)
x = paddle.to_tensor(a, place=dev)
assert x.place == dev and x.is_cuda
np.testing.assert_array_equal(x.numpy(), a)
np.testing.assert_array_equal(x.t()[1:, ::2].numpy(), a.T[1:, ::2])
assert x.cuda() is x and x.cuda(0) is x
y = x.cpu().cuda(1)
assert str(y.place) == 'Place(gpu:1)' and y.cuda().place == dev
np.testing.assert_array_equal(y.to('cuda:0').numpy(), a)
x[1] = 7.0
b = a.copy(); b[1] = 7
np.testing.assert_array_equal(x.numpy(), b)
paddle.set_device('gpu:1')
assert paddle.get_device() == 'gpu:1' and str(paddle.ones([2]).place) == 'Place(gpu:1)'
import pickle
assert pickle.loads(pickle.dumps(dev)) == dev
''')


def test_without_kernels_ops_run_on_the_host(on_gpu):
    on_gpu('''
paddle.set_device('gpu')
paddle.seed(0)
net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 2))
opt = paddle.optimizer.Adam(0.01, parameters=net.parameters())
x = paddle.to_tensor(a)
first = None
for _ in range(5):
    loss = (net(x) ** 2).mean()
    loss.backward()
    opt.step(); opt.clear_grad()
    first = first or float(loss)
assert float(loss) < first
assert all(p.place.is_gpu_place() for p in net.parameters())
''')


def test_ops_whose_results_depend_on_data(on_gpu):
    on_gpu('''
paddle.set_device('gpu')
x, mask = paddle.to_tensor(a), paddle.to_tensor(a > 0)
for got, want in (
    (paddle.masked_select(x, mask), a[a > 0]),
    (paddle.nonzero(mask), np.argwhere(a > 0)),
    (paddle.unique(x), np.unique(a)),
    (x[paddle.to_tensor([2, 0])], a[[2, 0]]),
    (paddle.bincount(paddle.to_tensor([1, 1, 3])), [0, 2, 0, 1]),
    (paddle.repeat_interleave(x, paddle.to_tensor([1, 0, 2]), 0), a[[0, 2, 2]]),
):
    assert got.place.is_gpu_place()
    np.testing.assert_array_equal(got.numpy(), want)
out = paddle.nn.functional.interpolate(x.reshape([1, 1, 3, 4]), scale_factor=2)
assert out.place.is_gpu_place() and out.shape == [1, 1, 6, 8]
''')


def test_memory_is_counted_cached_and_refused(on_gpu):
    on_gpu(
        '''
cuda = paddle.device.cuda
before = cuda.memory_allocated()
x = paddle.zeros([1 << 18], device='gpu')
assert cuda.memory_allocated() == before + (1 << 20) == cuda.max_memory_allocated()
del x; gc.collect()
assert cuda.memory_allocated() == before and cuda.memory_reserved() >= 1 << 20
cuda.empty_cache()
assert cuda.memory_reserved() == 0
with refused(MemoryError, 'out of memory', 'gpu:0'):
    paddle.zeros([1 << 24], device='gpu')
total = [paddle.zeros([1 << 20], device='gpu') for _ in range(7)]
del total; gc.collect()
paddle.zeros([6 << 20], device='gpu')  # cached blocks are given back first
cuda.memory_summary()
cuda.reset_max_memory_allocated()
assert cuda.max_memory_allocated() == cuda.memory_allocated()
assert cuda.get_device_name() == 'host' and cuda.get_device_capability(1) == (8, 6)
assert cuda.get_device_properties('gpu:0').total_memory == 32 << 20
''',
        HOST_DRIVER_BYTES=32 << 20,
    )


def test_streams_and_events(on_gpu):
    on_gpu('''
paddle.set_device('gpu')
s = paddle.device.Stream()
before = paddle.device.current_stream()
with paddle.device.stream_guard(s):
    assert paddle.device.cuda.current_stream() is s
    start, end = paddle.device.Event(enable_timing=True), paddle.device.Event(enable_timing=True)
    start.record()
    x = paddle.ones([4]) * 2
    end.record()
end.synchronize()
assert end.query() and s.query() and start.elapsed_time(end) > 0
before.wait_stream(s)
paddle.device.synchronize()
assert paddle.device.current_stream() is before and x.tolist() == [2.0] * 4
''')


OPS = """
import paddle.nn.functional as F
paddle.set_device('gpu')
x, row = paddle.ones([64, 1024]), paddle.ones([1024])
half = paddle.ones([4096], dtype='bfloat16')
(x + x)
F.relu(x + row)
(half * half)
paddle.exp(x[:, 1:])
paddle.lgamma(x), paddle.digamma(x)  # no code for GPUs: on the host
paddle.erf(x), paddle.tanh(x), paddle.pow(x, 3.0), x.astype('int32'), x > 0, x.astype('float16')
x.sum(), x.mean(0), x.max(1), x.astype('int64').sum(1), (x > 0).all()
F.softmax(x), F.layer_norm(x, 1024), F.rms_norm(x, [1024]), F.log_softmax(x)
F.cross_entropy(x, paddle.zeros([64], dtype='int64'))
"""


@pytest.fixture(scope='module')
def ptx(driver, tmp_path_factory):
    """The kernels of some ops: text by name of the file."""
    folder = tmp_path_factory.mktemp('ptx')
    run(OPS, FLAGS_cuda_driver=driver, HOST_DRIVER_PTX=folder, PADDLE_CINN_CACHE_DIR='')
    return {p: p.read_text() for p in sorted(folder.iterdir(), key=lambda p: int(p.stem))}


def test_ops_become_kernels(ptx):
    texts = list(ptx.values())
    assert sum('.entry cinn_' in text for text in texts) > 20
    for text in texts:  # those of ops, and those of the library that make and copy what is strided
        assert '.target sm_86' in text and '.version 8.0' in text
        assert text.count('.entry ') == 1 and 'call' not in text
        assert '.entry cinn_' in text or '.entry device_' in text
    add = next(t for t in texts if 'add.rn.f32' in t)
    assert add.count('ld.global.v4.f32') == 2 and add.count('st.global.v4.f32') == 1
    assert 'div' not in add  # a flat kernel does not split its position
    assert any('bar.sync' in t and 'shfl.sync' in t for t in texts)


@pytest.mark.parametrize('arch', ['sm_86', 'sm_90'])
def test_an_assembler_takes_them(ptx, arch, tmp_path):
    home = os.environ.get('CUDA_HOME', '/usr/local/cuda')
    ptxas = shutil.which('ptxas') or shutil.which('ptxas', path=f'{home}/bin')
    for path in ptx if ptxas else ():
        done = subprocess.run(
            [ptxas, '-v', f'-arch={arch}', str(path), '-o', str(tmp_path / 'out')],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        assert '0 bytes spill stores, 0 bytes spill loads' in done.stderr, done.stderr
