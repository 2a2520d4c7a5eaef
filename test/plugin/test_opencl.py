# SPDX-License-Identifier: Apache-2.0
"""The OpenCL plugin, built with the public headers alone and run on whatever OpenCL device there is
(pocl in CI): kernels that the compiler generates, views of buffers, events, and a training.
"""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from test_plugin import compiler, include, run  # noqa: E402, F401

SOURCES = HERE.parents[1] / 'plugins' / 'opencl'
PROBE = '''
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
int main() {
  cl_uint n = 0;
  return clGetPlatformIDs(0, nullptr, &n) == CL_SUCCESS && n ? 0 : 1;
}
'''


def build(include, target, *sources):  # noqa: F811
    flags = ['-std=c++14', '-O1', '-Wall', '-Wextra', '-Werror', '-fPIC', f'-I{include}']
    return subprocess.run(
        [compiler(), *flags, *map(str, sources), '-lOpenCL', '-o', str(target)],
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope='module')
def plugin(include, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp('opencl')
    probe = folder / 'probe.cc'
    probe.write_text(PROBE)
    if build(include, folder / 'probe', probe).returncode:
        pytest.skip('no OpenCL headers and loader: install ocl-icd-opencl-dev')
    if subprocess.run([str(folder / 'probe')]).returncode:
        pytest.skip('no OpenCL platform: install pocl-opencl-icd')
    made = folder / 'root' / 'libpaddle_opencl.so'
    made.parent.mkdir()
    done = build(include, made, '-shared', *sorted(SOURCES.glob('*.cc')))
    assert done.returncode == 0, done.stderr
    return made


def test_generated_kernels(plugin):
    done = run(
        '''
import numpy as np, paddle
import paddle.nn.functional as F
assert paddle.device.get_all_custom_device_type() == ['opencl']
rng = np.random.RandomState(0)
a = rng.randn(5, 300).astype('float32')

def both(f, *arrays):
    out = []
    for place in ('cpu', 'opencl:0'):
        paddle.set_device(place)
        got = f(*map(paddle.to_tensor, arrays))
        assert str(got.place) == f'Place({place})'
        out.append(got.numpy())
    return out

same = np.testing.assert_array_equal
same(*both(lambda x, y: F.gelu(x) * y.exp(), a, a[:1]))
same(*both(lambda x: (x * 1.5).astype('float32') // 0.3, a.astype('float16')))
same(*both(lambda x: x.astype('bfloat16').astype('float64'), a))
same(*both(lambda x: paddle.where(x % 7 < 3, x // -5, x << 2), (a * 1000).astype('int64')))
same(*both(lambda x: paddle.isfinite(paddle.lgamma(x)), a))
# interior addresses: a view begins inside a buffer
same(*both(lambda x: paddle.exp(x[2:, 3:].contiguous()[1:]), a))
same(*both(lambda x: paddle.roll(x, 2, 1), a))  # where the first element is before the tensor
same(*both(lambda x: F.pad(x, [4000, 1]), a))
same(*both(lambda x: paddle.maximum(x.t()[7:], paddle.ones([])), a))
close = lambda g, w: np.testing.assert_allclose(g, w, rtol=2e-6, atol=2e-6)
close(*both(lambda x: F.softmax(x, -1), a))
close(*both(lambda x: x.sum(0), a))
same(*both(lambda x: x.max(-1), a))
same(*both(lambda x: (x > 3).any(-1), a))
assert both(lambda x: x[:0].exp(), a)[1].shape == (0, 300)

x = paddle.to_tensor(a, stop_gradient=False)
y = paddle.tanh(x)
y.sum().backward()
assert str(x.grad.place) == 'Place(opencl:0)'
close(x.grad.numpy(), 1 - np.tanh(a) ** 2)
start, end = paddle.device.Event(enable_timing=True), paddle.device.Event(enable_timing=True)
start.record()
for _ in range(5):
    y = paddle.exp(y)
end.record()
end.synchronize()
assert start.query() and start.elapsed_time(end) > 0
before = paddle.device.memory_allocated('opencl:0')
z = paddle.zeros([1 << 18])
assert paddle.device.memory_allocated('opencl:0') == before + (1 << 20)
''',
        CUSTOM_DEVICE_ROOT=str(plugin.parent),
        FLAGS_gpu_explain='1',
    )
    made = {line.split()[1] for line in done.stderr.splitlines() if line.endswith(': generated')}
    assert made >= {'gelu:', 'exp:', 'softmax:', 'sum:', 'max:', 'any:', 'tanh_grad:'}, made


@pytest.mark.parametrize('model', ['perceptron', 'pictures', 'physics', 'deep'])
def test_training_has_the_losses_of_the_cpu(plugin, model):
    script = HERE.parent / 'device' / 'gpu_training.py'
    done = subprocess.run(
        [sys.executable, str(script), model, '', 'opencl:0'],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, 'CUSTOM_DEVICE_ROOT': str(plugin.parent)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    want, got = json.loads(done.stdout)
    assert want[-1] < want[0] / 2
    np.testing.assert_allclose(got, want, rtol=1e-5)
