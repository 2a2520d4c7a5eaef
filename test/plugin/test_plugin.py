# SPDX-License-Identifier: Apache-2.0
"""A plugin built outside the tree with the public headers serves ops; a refused one says why; each
header compiles alone.
"""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent


def headers():
    """The include directory: of the installed package, else of the source tree."""
    import paddle

    installed = pathlib.Path(paddle.__file__).resolve().parent / 'include'
    return installed if (installed / 'paddle/phi/capi/all.h').exists() else HERE.parents[1]


def compiler():
    found = shutil.which('g++')
    if not found:
        pytest.skip('no g++')
    return found


@pytest.fixture(scope='module')
def include(tmp_path_factory):
    """Only the public headers, copied away from everything else."""
    to = tmp_path_factory.mktemp('include')
    for part in (
        'paddle/phi/capi/all.h',
        'paddle/phi/capi/include',
        'paddle/phi/backends/device_ext.h',
    ):
        source, target = headers() / part, to / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    return to


def build(include, target, *flags, source='tanh_plugin.cc'):
    target.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [
            compiler(),
            '-std=c++14',
            '-O1',
            '-Wall',
            '-Wextra',
            '-Werror',
            '-fPIC',
            '-shared',
            f'-I{include}',
            *flags,
            str(HERE / source),
            '-o',
            str(target),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope='module')
def plugin(include, tmp_path_factory):
    return build(include, tmp_path_factory.mktemp('plugin') / 'libtanh_plugin.so')


def run(code, **env):
    done = subprocess.run(
        [sys.executable, '-c', code],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done


USE = '''
import ctypes, numpy as np, paddle
from paddle.base import libpaddle as core
calls = ctypes.CDLL(PATH).plugin_calls
a = np.linspace(-2, 2, 24).astype('float32').reshape(4, 6)
x = paddle.to_tensor(a, stop_gradient=False)
before = calls()
y = paddle.tanh(x)
assert calls() == before + 1
np.testing.assert_allclose(y.numpy(), np.tanh(a), rtol=1e-6)
strided = x.t()[1:]
np.testing.assert_allclose(paddle.tanh(strided).numpy(), np.tanh(a.T[1:]), rtol=1e-6)
y.sum().backward()  # the gradient is the op's own
np.testing.assert_allclose(x.grad.numpy(), 1 - np.tanh(a) ** 2, rtol=1e-4, atol=1e-6)
z = paddle.to_tensor(a)
z.tanh_()
np.testing.assert_allclose(z.numpy(), np.tanh(a), rtol=1e-6)
n = calls()
paddle.tanh(paddle.to_tensor(a.astype('float64')))  # no float64 kernel there
assert calls() == n
scaled = paddle.scale(z, 3.0, bias=1.0, bias_after_scale=False)
np.testing.assert_allclose(scaled.numpy(), (np.tanh(a) + 1) * 3, rtol=1e-5)
assert calls() == n + 1
try:
    paddle.scale(z, 13.0)
    raise SystemExit('expected an error')
except RuntimeError as error:
    assert 'thirteen' in str(error) and '[scale]' in str(error), error
assert paddle.tanh(paddle.zeros([0, 3])).shape == [0, 3]
import paddle.static as static
program = core.pir.Program()
with core._record(program):
    v = program._data('x', [-1, 6], 'float32')
    out = paddle.tanh(v)
n = calls()
got = core.pir.Plan(program, [out]).run([z])[0]
assert calls() == n + 1
np.testing.assert_allclose(got.numpy(), np.tanh(np.tanh(a)), rtol=1e-6)
'''


def test_kernels_from_a_plugin(plugin):
    run(
        f'PATH = {str(plugin)!r}\n'
        + '''
from paddle.base import libpaddle as core
report = core.load_plugin(PATH)
assert report['device_type'] == 'custom_cpu' and report['device_count'] == 1
assert report['kernels'] == ['tanh(float32, CPU)', 'scale(float32, CPU)'], report
refused = ' '.join(report['rejected'])
assert refused.count('there is no op of this name') == 2, refused
assert 'expected 2 tensor arguments, got 1' in refused, refused
assert core.custom_device_types() == ['custom_cpu']
assert core.load_plugin(PATH) == report
'''
        + USE
    )


def test_custom_device_root(plugin):
    done = run(f'PATH = {str(plugin)!r}\n' + USE, CUSTOM_DEVICE_ROOT=str(plugin.parent))
    assert 'no_such_op' in done.stderr and 'there is no op of this name' in done.stderr


def test_refused_plugins_say_why(include, tmp_path):
    bad = build(include, tmp_path / 'bad/libbad.so', '-DPLUGIN_WITHOUT_SYNC')
    (tmp_path / 'text.so').write_text('not a library')
    run(
        f'BAD, TEXT = {str(bad)!r}, {str(tmp_path / "text.so")!r}\n'
        + '''
import numpy as np, paddle
from paddle.base import libpaddle as core
absent = '/nowhere/x.so'
for path, reason in ((BAD, 'synchronize_event'), (TEXT, 'refused'), (absent, absent)):
    try:
        core.load_plugin(path)
        raise SystemExit('expected an error')
    except RuntimeError as error:
        assert reason in str(error), error
assert core.custom_device_types() == []
np.testing.assert_allclose(paddle.tanh(paddle.ones([2])).numpy(), np.tanh(np.ones(2)), rtol=1e-6)
'''
    )
    done = run('import paddle; paddle.zeros([1])', CUSTOM_DEVICE_ROOT=str(bad.parent))
    assert 'synchronize_event' in done.stderr


@pytest.mark.parametrize(
    'header,language',
    [
        ('phi/backends/device_ext.h', 'c++14'),
        ('phi/backends/device_ext.h', 'c99'),
        ('phi/capi/all.h', 'c++14'),
        ('phi/capi/include/c_api.h', 'c99'),
        ('phi/capi/include/kernel.h', 'c++14'),
        ('phi/capi/include/types.h', 'c++14'),
        ('phi/capi/include/half.h', 'c++14'),
    ],
)
def test_headers_compile_alone(include, tmp_path, header, language):
    c = language == 'c99'
    source = tmp_path / ('t.c' if c else 't.cc')
    source.write_text(f'#include "paddle/{header}"\nint main(void) {{ return 0; }}\n')
    done = subprocess.run(
        [
            shutil.which('gcc') if c else compiler(),
            f'-std={language}',
            '-Wall',
            '-Wextra',
            '-Werror',
            '-fsyntax-only',
            f'-I{include}',
            str(source),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_kernels_as_paddlepaddle_writes_them(include, tmp_path):
    path = build(include, tmp_path / 'rows/librows.so', source='kernels_plugin.cc')
    run(
        f'PATH = {str(path)!r}\n'
        + '''
import ctypes, numpy as np, paddle
from paddle.base import libpaddle as core
report = core.load_plugin(PATH)
assert report['device_type'] == 'rows_cpu'
assert 'sgd(float32, rows_cpu)' in report['kernels'], report
assert report['rejected'] == ['values(float32, rows_cpu): there is no op of this name'], report
calls = ctypes.CDLL(PATH).plugin_calls
paddle.set_device('rows_cpu')
def runs(n, f):
    before = calls()
    got = f()
    assert calls() == before + n, (calls() - before, n)
    return got
rng = np.random.RandomState(0)
for dtype in ('uint8', 'int8', 'int16', 'int32', 'int64', 'float32', 'float64', 'float16',
              'bfloat16', 'complex64', 'complex128'):
    a, b = rng.randint(0, 9, (3, 4)), rng.randint(0, 9, (4,))
    if 'complex' in dtype:
        a, b = a + 2j, b - 1j
    x, y = paddle.to_tensor(a).cast(dtype), paddle.to_tensor(b).cast(dtype)
    got = runs(1, lambda: x + y)
    assert str(got.place) == 'Place(rows_cpu:0)'
    want = (a + b).astype(complex)
    np.testing.assert_array_equal(got.cast('complex128').numpy(), want)
    full = runs(1, lambda: paddle.full_like(x, 3)).cast('complex128').numpy()
    np.testing.assert_array_equal(full, np.full((3, 4), 3))
# halves: every float16, through float32 and back, and a sum that rounds
bits = np.arange(65536, dtype='uint16').view('float16')
half = bits[np.isfinite(bits)]
zero = runs(1, lambda: paddle.to_tensor(half) + paddle.to_tensor(np.zeros(1, 'float16')))
np.testing.assert_array_equal(zero.numpy(), half + np.float16(0))
pair = rng.permutation(half)
with np.errstate(over='ignore'):
    want = (half.astype('float32') + pair.astype('float32')).astype('float16')
got = runs(1, lambda: paddle.to_tensor(half) + paddle.to_tensor(pair)).numpy()
np.testing.assert_array_equal(got, want)
x = paddle.to_tensor(rng.rand(4, 6).astype('float32'), stop_gradient=False)
m = runs(1, lambda: paddle._C_ops.mean_all(x))
assert m.shape == [], m.shape
np.testing.assert_allclose(m.numpy(), x.numpy().mean(), rtol=1e-6)
both = runs(1, lambda: paddle.concat([x, x], 0))
np.testing.assert_array_equal(both.numpy(), np.concatenate([x.numpy()] * 2))
parts = runs(1, lambda: paddle.split(both, 2))
np.testing.assert_array_equal(parts[1].numpy(), x.numpy())
flat = runs(1, lambda: paddle.reshape(x, [3, -1]))
np.testing.assert_array_equal(flat.numpy(), x.numpy().reshape(3, 8))
try:
    paddle.concat([x, x], 1)
    raise SystemExit('expected an error')
except RuntimeError as error:
    assert '[concat]' in str(error) and 'expected axis 0, got 1' in str(error), error
w = paddle.create_parameter([6, 2], 'float32')
sgd = paddle.optimizer.SGD(0.1, parameters=[w])
before = w.numpy()
paddle.matmul(x, w).sum().backward()
grad = w.grad.numpy()
runs(1, sgd.step)
np.testing.assert_allclose(w.numpy(), before - np.float32(0.1) * grad, rtol=1e-6)
'''
    )
