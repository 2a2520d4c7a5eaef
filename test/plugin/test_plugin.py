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
        'paddle/phi/extension.h',
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


PROJECT = '''
cmake_minimum_required(VERSION 3.10)
project(tanh_plugin CXX)
set(folder $ENV{PADDLE_CUSTOM_PATH})
find_library(PADDLE_CORE_LIB libpaddle.so PATHS ${folder}/base/ NO_DEFAULT_PATH)
if(NOT PADDLE_CORE_LIB)
  message(FATAL_ERROR "no libpaddle.so in ${folder}/base")
endif()
add_library(tanh_plugin SHARED SOURCE)
target_include_directories(tanh_plugin PRIVATE ${folder}/include/)
target_link_libraries(tanh_plugin PRIVATE ${PADDLE_CORE_LIB})
target_link_options(tanh_plugin PRIVATE -fuse-ld=LINKER -Wl,-z,defs)
'''


@pytest.mark.parametrize('linker', ['bfd', 'gold', 'lld'])
def test_a_project_finds_and_links_the_library(linker, tmp_path):
    """Under the name that CMake files of PaddlePaddle's plugins look for."""
    import paddle

    cmake, package = shutil.which('cmake'), pathlib.Path(paddle.__file__).parent
    if not (cmake and shutil.which('ld.' + linker)):
        pytest.skip(f'no cmake or no {linker}')
    text = PROJECT.replace('SOURCE', str(HERE / 'tanh_plugin.cc')).replace('LINKER', linker)
    (tmp_path / 'CMakeLists.txt').write_text(text)
    for given in (['-S', tmp_path, '-B', tmp_path / 'b'], ['--build', tmp_path / 'b']):
        done = subprocess.run(
            [cmake, *map(str, given)],
            capture_output=True,
            text=True,
            env={**os.environ, 'CXX': compiler(), 'PADDLE_CUSTOM_PATH': str(package)},
        )
        assert done.returncode == 0, done.stdout + done.stderr
    made = tmp_path / 'b' / 'libtanh_plugin.so'
    needs = subprocess.run(['readelf', '-d', made], capture_output=True, text=True, check=True)
    assert '[libpaddle_core.so]' in needs.stdout
    run(f'PATH = {str(made)!r}\n' + USE, CUSTOM_DEVICE_ROOT=str(made.parent))


def test_custom_device_root(plugin):
    done = run(f'PATH = {str(plugin)!r}\n' + USE, CUSTOM_DEVICE_ROOT=str(plugin.parent))
    # one warning, which names each kernel once, whatever its dtypes
    assert done.stderr.count('RuntimeWarning') == done.stderr.count('no_such_op') == 1, done.stderr
    assert 'there is no op of this name: no_such_op' in done.stderr


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


def test_a_plugin_whose_device_does_not_start_leaves_nothing(include, tmp_path):
    path = build(include, tmp_path / 'libdead.so', '-DPLUGIN_DOES_NOT_START')
    run(
        f'PATH = {str(path)!r}\n'
        + '''
import paddle
from paddle.base import libpaddle as core
for turn in range(2):
    try:
        core.load_plugin(PATH)
        raise SystemExit('expected an error')
    except RuntimeError as error:
        assert 'was refused: [custom_cpu:0]' in str(error) and 'init_device' in str(error), error
    assert core.custom_device_types() == []
    with open('/proc/self/maps') as maps:
        assert PATH not in maps.read()
    paddle.tanh(paddle.ones([2]))
'''
    )


@pytest.mark.parametrize(
    'flag,reason',
    [
        ('-DPLUGIN_MAJOR=2', 'built for version 2.1.1 of the device interface'),
        ('-DPLUGIN_MORE_BYTES=8', 'built with a C_DeviceInterface of'),
    ],
)
def test_a_plugin_of_another_version_is_refused(include, tmp_path, flag, reason):
    path = build(include, tmp_path / 'libother.so', flag)
    run(
        f'PATH, REASON = {str(path)!r}, {reason!r}\n'
        + '''
from paddle.base import libpaddle as core
try:
    core.load_plugin(PATH)
    raise SystemExit('expected an error')
except RuntimeError as error:
    assert REASON in str(error) and PATH in str(error), error
assert core.custom_device_types() == []
'''
    )


@pytest.mark.parametrize(
    'header,language',
    [
        ('phi/backends/device_ext.h', 'c++14'),
        ('phi/backends/device_ext.h', 'c99'),
        ('phi/capi/all.h', 'c++14'),
        ('phi/extension.h', 'c++14'),
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


@pytest.fixture(scope='module')
def rows(include, tmp_path_factory):
    to = tmp_path_factory.mktemp('rows') / 'librows.so'
    return build(include, to, str(HERE / 'kernels_sort.cc'), source='kernels_plugin.cc')


ROWS = '''
import ctypes, numpy as np, paddle, paddle.nn.functional as F
from paddle.base import libpaddle as core
core.load_plugin(PATH)
calls = ctypes.CDLL(PATH).plugin_calls
paddle.set_device('rows_cpu')
rng = np.random.RandomState(0)
def runs(n, f):
    before = calls()
    got = f()
    assert calls() == before + n, (calls() - before, n)
    return got
def equal(got, want):
    assert str(got.place) == 'Place(rows_cpu:0)', got.place
    np.testing.assert_array_equal(got.numpy(), want)
'''


def test_kernels_that_make_tensors(rows):
    run(
        f'PATH = {str(rows)!r}\n'
        + ROWS
        + '''
equal(runs(1, lambda: paddle.full([2, 3], 2.5)), np.full((2, 3), 2.5, 'float32'))
equal(runs(1, lambda: paddle.ones([], 'int64')), np.int64(1))
equal(runs(0, lambda: paddle.full([2], 1, 'int32')), np.ones(2, 'int32'))  # no kernel for int32
u = runs(1, lambda: paddle.uniform([500], 'float64', 2.0, 3.0, seed=5))
assert 2 <= u.min() < 2.1 and 2.9 < u.max() < 3
equal(paddle.uniform([500], 'float64', 2.0, 3.0, seed=5), u.numpy())
x = paddle.to_tensor(np.ones((2, 3), 'float32'))
assert runs(100, lambda: x.fill_(2.5)) is x
equal(x, np.full((2, 3), 2.5, 'float32'))
runs(100, lambda: x[:, 1].fill_(-1))
runs(100, lambda: x[1].zero_())
equal(x, np.array([[2.5, -1, 2.5], [0, 0, 0]], 'float32'))
paddle.set_device('cpu')
assert runs(0, lambda: paddle.full([2], 1.0)).place.is_cpu_place()
assert runs(0, lambda: paddle.full([1], 1.0).fill_(2)).place.is_cpu_place()
'''
    )


def test_operators_of_users_on_a_device(rows, tmp_path):
    source = HERE.parent / 'api' / 'data' / 'operators.cc'
    run(
        f'PATH, SOURCE, FOLDER = {str(rows)!r}, {str(source)!r}, {str(tmp_path)!r}\n'
        + ROWS
        + '''
from paddle.utils import cpp_extension
ops = cpp_extension.load('ext_ops', [SOURCE], build_directory=FOLDER)
a = rng.rand(2, 3).astype('float32')
x = paddle.to_tensor(a)
equal(ops.ext_twice(x), 2 * a)
paddle.set_device('cpu')
equal(ops.ext_twice(x), 2 * a)  # where the tensor lies, whatever the current device
assert ops.ext_twice(x.cpu()).place.is_cpu_place()
'''
    )


def test_the_dtype_of_a_kernel(rows):
    run(
        f'PATH = {str(rows)!r}\n'
        + ROWS
        + '''
i, f = rng.randint(0, 9, (3, 4)), rng.rand(3, 4).astype('float32')
x, y = paddle.to_tensor(i), paddle.to_tensor(f)
# operands that differ meet as on the CPU
half = np.float32(0.5)
equal(runs(1, lambda: x + paddle.to_tensor(half)), (i + half).astype('float32'))
equal(runs(1, lambda: y + y.cast('float64')), f + f.astype('float64'))
try:
    x + y
    raise SystemExit('expected an error')
except (TypeError, ValueError) as error:
    assert '[add]' in str(error) and 'int64' in str(error), error
# a condition is bool, whatever dtype it chooses of
c = paddle.to_tensor(i > 4)
equal(runs(2, lambda: paddle.where(c, x, x + x)), np.where(i > 4, i, 2 * i))
z = y.cast('complex64')
equal(runs(2, lambda: paddle.where(c, z, z + z)), np.where(i > 4, f, 2 * f))
# labels are not what a loss is computed in
logits = paddle.to_tensor(f, stop_gradient=False)
label = paddle.to_tensor(np.array([[1], [3], [0]]))
loss = F.softmax_with_cross_entropy(logits, label)
g, = runs(1, lambda: paddle.grad([loss], [logits], [y[:, :1]]))
p = np.exp(f) / np.exp(f).sum(1, keepdims=True)
want = (p - np.eye(4, dtype='float32')[[1, 3, 0]]) * f[:, :1]
np.testing.assert_allclose(g.numpy(), want, rtol=1e-5, atol=1e-6)
'''
    )


def test_an_operation_without_a_kernel(rows):
    done = run(
        f'PATH = {str(rows)!r}\n'
        + ROWS
        + '''
x = paddle.to_tensor(rng.rand(3, 4))
for _ in range(2):
    equal(runs(0, lambda: paddle.argsort(x)), np.argsort(x.numpy()))
paddle.set_flags({'FLAGS_enable_api_kernel_fallback': False})
have = ' (there are ones for float32)'
for op, say in ((paddle.argsort, '[argsort] rows_cpu has no kernel for float64' + have),
                (paddle.cosh, '[cosh] rows_cpu has no kernel for float64,')):
    try:
        op(x)
        raise SystemExit('expected an error')
    except RuntimeError as error:
        assert say in str(error) and 'FLAGS_enable_api_kernel_fallback' in str(error), error
paddle.set_flags({'FLAGS_enable_api_kernel_fallback': True})
paddle.argsort(x)
''',
        FLAGS_gpu_explain='1',
    )
    say = 'argsort: on the host: rows_cpu has no kernel for float64 (there are ones for float32)\n'
    assert done.stderr.count(say) == 1, done.stderr


def test_every_kind_of_argument(include, tmp_path):
    path = build(include, tmp_path / 'libkinds.so', source='kinds_plugin.cc')
    run(
        f'PATH = {str(path)!r}\n'
        + '''
import ctypes, numpy as np, paddle
from paddle.base import libpaddle as core
report = core.load_plugin(PATH)
kept = {k.split('(')[0] for k in report['kernels']}
assert kept == {'pad3d', 'stack', 'gaussian', 'layer_norm', 'as_strided', 'tensor_unfold'}, report
refused = dict(text.split(': ', 1) for text in report['rejected'])
def why(name, dtype='float32'):
    return refused.pop(f'{name}({dtype}, CPU)')
for name, layout in (('exp', 'NHWC'), ('sin', 'NCDHW'), ('cos', 'NDHWC'), ('tan', 'STRIDED')):
    assert why(name) == f'expected ALL_LAYOUT, ANY or NCHW, which tensors have here, got {layout}'
for dtype in ('uint16', 'uint32', 'uint64'):
    assert why('abs', dtype) == 'there are no tensors of this data type'
assert why('softmax') == 'expected a number as axis, got a string'
assert why('cast') == 'expected a data type as dtype, got a list of numbers'
assert why('transpose') == 'expected a list of numbers as perm, got a list of strings'
assert why('tanh') == 'expected one tensor as x'
assert not refused, refused
calls = ctypes.CDLL(PATH).plugin_calls
def runs(f):
    before = calls()
    got = f()
    assert calls() == before + 1
    return got.numpy()
line = np.arange(3, dtype='float32')
rows = paddle.to_tensor(line.reshape(1, 1, 1, 1, 3))
got = runs(lambda: paddle._C_ops.pad3d(rows, [1, 2, 0, 0, 0, 0], 'constant', 9.0, 'NCDHW'))
np.testing.assert_array_equal(got.ravel(), [9, 0, 1, 2, 9, 9])
for dtype in ('bool', 'uint8', 'int8', 'int16', 'int32', 'int64', 'float16', 'bfloat16',
              'float32', 'float64', 'complex64', 'complex128'):
    a = paddle.to_tensor([0, 1, 2]).cast(dtype)
    np.testing.assert_array_equal(runs(lambda: paddle.stack([a, a])), np.stack([a.numpy()] * 2))
host = paddle.CPUPlace()
got = runs(lambda: paddle._C_ops.gaussian([3], 1.0, 2.0, 7, paddle.float32, host))
np.testing.assert_array_equal(got, [1, 3, 5])
x, one = paddle.to_tensor(line), paddle.ones([3])
np.testing.assert_array_equal(runs(lambda: paddle._C_ops.layer_norm(x, one, one, 1e-5, 0)), line)
try:
    paddle._C_ops.layer_norm(x, one, None, 1e-5, 0)
    raise SystemExit('expected an error')
except RuntimeError as error:
    assert '[layer_norm]' in str(error) and 'an optional tensor that is absent' in str(error), error
line = paddle.arange(5, dtype='float32')
np.testing.assert_array_equal(
    runs(lambda: paddle._C_ops.tensor_unfold(line, 0, 2, 3)), [[0, 1], [3, 4]])
np.testing.assert_array_equal(runs(lambda: paddle._C_ops.as_strided(line, [2], [3], 1)), [1, 4])
for f, name in ((lambda: paddle._C_ops.tensor_unfold(line, 0, 2, 3 + 2**32), 'step'),
                (lambda: paddle._C_ops.as_strided(line, [1], [3 + 2**32], 1), 'stride')):
    try:
        f()
        raise SystemExit('expected an error')
    except RuntimeError as error:
        assert f"expected '{name}' to fit in int32" in str(error), error
'''
    )


def test_kernels_refused_outside_of_a_plugin_are_told(include, plugin, tmp_path):
    path = build(include, tmp_path / 'libkinds.so', source='kinds_plugin.cc')
    done = run(
        f'PLUGIN, PATH = {str(plugin)!r}, {str(path)!r}\n'
        + '''
import ctypes, paddle
from paddle.base import libpaddle as core
core.load_plugin(PLUGIN)
ctypes.CDLL(PATH)
'''
    )
    assert 'exp(float32, CPU) was refused: expected ALL_LAYOUT, ANY or NCHW' in done.stderr


def test_kernels_as_paddlepaddle_writes_them(rows):
    run(
        f'PATH = {str(rows)!r}\n'
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
assert runs(1, lambda: paddle.reshape(paddle.to_tensor(np.float32(2)), [1])).tolist() == [2]
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
runs(2, sgd.step)  # the learning rate is made first
np.testing.assert_allclose(w.numpy(), before - np.float32(0.1) * grad, rtol=1e-6)
a, h = rng.rand(3, 4, 5).astype('float32'), rng.rand(3, 4).astype('float16')
t = paddle.to_tensor(a, stop_gradient=False)
turned = runs(1, lambda: paddle.transpose(t, [2, 0, 1]))
np.testing.assert_array_equal(turned.numpy(), a.transpose(2, 0, 1))
part = runs(1, lambda: paddle.slice(t, [0, 2], [1, -4], [3, 9]))
np.testing.assert_array_equal(part.numpy(), a[1:3, :, -4:])
part = runs(1, lambda: paddle._C_ops.slice(t, [1], [2], [3], [1], [1]))
np.testing.assert_array_equal(part.numpy(), a[:, 2])
t.stop_gradient = True
t[1:, :, 0] = 3.0  # where slices are copies, too
a[1:, :, 0] = 3
np.testing.assert_array_equal(t.numpy(), a)
assert runs(1, lambda: paddle.max(t)).numpy() == a.max()
for axis, n in ((-1, 1), (1, 5), (0, 5)):
    order = runs(n, lambda: paddle.argsort(t, axis, descending=True, stable=True))
    np.testing.assert_array_equal(order.numpy(), np.argsort(-a, axis, kind='stable'))
half = paddle.to_tensor(h)
for dtype in ('bool', 'int64', 'float32'):
    np.testing.assert_array_equal(runs(1, lambda: half.cast(dtype)).numpy(), h.astype(dtype))
try:
    half.cast('int8')
    raise SystemExit('expected an error')
except RuntimeError as error:
    assert 'expected another dtype than int8, layout rows' in str(error), error
d = rng.rand(4, 2).astype('float32')
y = paddle.matmul(x, w)
gx, = runs(1, lambda: paddle.grad([y], [x], [paddle.to_tensor(d)], retain_graph=True))
np.testing.assert_allclose(gx.numpy(), d @ w.numpy().T, rtol=1e-5)
gw, = runs(1, lambda: paddle.grad([y], [w], [paddle.to_tensor(d)]))
np.testing.assert_allclose(gw.numpy(), x.numpy().T @ d, rtol=1e-5)
'''
    )
