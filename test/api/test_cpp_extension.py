# SPDX-License-Identifier: Apache-2.0
"""Operators that users write in C++: eager, recorded, saved, in a package; and what is refused."""

import inspect
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import paddle
from paddle.inference import Config, create_predictor
from paddle.utils import cpp_extension

SOURCE = pathlib.Path(__file__).parent / 'data' / 'operators.cc'


@pytest.fixture(scope='module')
def ops(tmp_path_factory):
    return cpp_extension.load(
        'ext_ops', [str(SOURCE)], build_directory=tmp_path_factory.mktemp('b')
    )


def leaf(values):
    return paddle.to_tensor(values, stop_gradient=False)


def test_functions_and_their_parameters(ops):
    assert str(inspect.signature(ops.ext_leaky)) == '(x, alpha)'
    assert str(inspect.signature(ops.ext_sum)) == '(xs, y)'
    with pytest.raises(TypeError, match='alpha'):
        ops.ext_leaky(paddle.ones([2]))
    with pytest.raises(ValueError, match='ext_leaky'):
        ops.ext_leaky([1.0], 0.5)
    with pytest.raises(TypeError, match='alpha'):
        ops.ext_leaky(paddle.ones([2]), 'half')


def test_by_their_names(ops):
    run = paddle.base.core.eager._run_custom_op
    (out,) = run('ext_leaky', paddle.to_tensor([-2.0, 3.0]), 0.5)
    assert out.tolist() == [-1, 3]
    library = cpp_extension.extension_utils._import_module_from_library
    path = pathlib.Path(ops.__file__)
    again = library(path.stem, path.parent)
    assert again.ext_leaky(paddle.to_tensor([-2.0]), 0.5).tolist() == [-1]
    with pytest.raises(FileNotFoundError, match='no_library.so'):
        library('no_library', path.parent)


def test_commands(tmp_path, capfd):
    run = cpp_extension.extension_utils.run_cmd
    assert run('echo one') == 0 and 'one' not in capfd.readouterr().out
    assert run('echo one', True) == 0 and 'one' in capfd.readouterr().out
    with pytest.raises(RuntimeError, match='got 3: two'):
        run('echo two; exit 3')
    (tmp_path / 'setup.py').write_text('import sys; open("made", "w").write(sys.argv[1])')
    cpp_extension.extension_utils._jit_compile(tmp_path / 'setup.py')
    assert (tmp_path / 'made').read_text() == 'build'


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16', 'bfloat16'])
def test_values_and_gradients(ops, dtype):
    x = leaf([[-2.0, 3.0], [0.5, -1.0]]).astype(dtype).detach()
    x.stop_gradient = False
    y = ops.ext_leaky(x.T, alpha=0.5)  # a strided input
    assert y.dtype == x.dtype and y.tolist() == [[-1.0, 0.5], [3.0, -0.5]]
    y.sum().backward()
    assert x.grad.tolist() == [[0.5, 1.0], [1.0, 0.5]]


def test_errors_of_kernels_are_python_s(ops):
    with pytest.raises(OSError, match='expected at most 3 axes, got 4'):
        ops.ext_leaky(paddle.ones([1, 1, 1, 1]), 0.5)
    with pytest.raises(OSError, match='leaky.*int32'):
        ops.ext_leaky(paddle.ones([2], 'int32'), 0.5)


def test_places_and_memory(ops):
    x = paddle.arange(6, dtype='float32').reshape([2, 3])
    np.testing.assert_array_equal(ops.ext_twice(x).numpy(), 2 * x.numpy())


def test_second_gradients(ops):
    x = leaf([0.3, -0.7])
    (g,) = paddle.grad(ops.ext_tanh(x), x, create_graph=True)
    (gg,) = paddle.grad((g * g).sum(), x)
    t = np.tanh(x.numpy())
    np.testing.assert_allclose(g.numpy(), 1 - t**2, rtol=1e-6)
    np.testing.assert_allclose(gg.numpy(), 2 * (1 - t**2) * (-2 * t * (1 - t**2)), rtol=1e-5)


def test_lists_and_absent_inputs(ops):
    a, b, c = leaf([1.0, 2.0]), leaf([3.0, 4.0]), leaf([5.0, 6.0])
    assert ops.ext_sum([a, b], None).tolist() == [4.0, 6.0]
    (ops.ext_sum([a, b], c) * 2).sum().backward()
    assert a.grad.tolist() == b.grad.tolist() == c.grad.tolist() == [2.0, 2.0]
    assert [r.tolist() for r in ops.ext_rows(paddle.to_tensor([[1.0], [2.0]]))] == [
        [[1.0]],
        [[2.0]],
    ]
    assert [r.item() for r in ops.ext_min_max(paddle.to_tensor([3.0, 1.0]))] == [1.0, 3.0]


def test_every_kind_of_attribute(ops):
    r = ops.ext_attributes(
        paddle.ones([1]), True, -2, 2**40, 0.5, 0.25, 'abc', [1, 2], [2**41], [0.125], ['a', 'bc']
    )
    assert r.item() == 1 - 2 + 2**40 + 0.5 + 0.25 + 3 + 3 + 2**41 + 0.125 + 3


def test_in_place(ops):
    x = leaf([1.0, 2.0])
    y = x * 1.0
    view = y[1:]
    r = ops.ext_times_(view, paddle.to_tensor([3.0]))
    assert r is view and y.tolist() == [1.0, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match='ext_times_'):
        ops.ext_times_(x, paddle.ones([1]))
    z = x * 1.0
    kept = z * z
    ops.ext_times_(z, paddle.ones([1]))
    with pytest.raises(RuntimeError):
        kept.sum().backward()


@pytest.mark.parametrize('full_graph', [None, False, True])
def test_gradients_of_what_was_written_over(ops, full_graph):
    def loss(x, w):
        z = x * w
        ops.ext_square_(z)
        z = z * 1.0
        ops.ext_increase_(z, x)
        return (z * z).sum()

    if full_graph is not None:
        loss = paddle.jit.to_static(loss, full_graph=full_graph)
    x, w = leaf([1.0, 2.0]), leaf([3.0])
    result = loss(x, w)  # ((x w)^2 + x)^2
    result.backward()
    assert result.item() == 10**2 + 38**2
    assert x.grad.tolist() == [2 * 10 * (2 * 3 * 3 + 1), 2 * 38 * (2 * 6 * 3 + 1)]
    assert w.grad.tolist() == [2 * 10 * (2 * 3 * 1) + 2 * 38 * (2 * 6 * 2)]


def test_a_tensor_is_a_list_of_one(ops):
    x = paddle.to_tensor([[1.0, 2.0]])
    assert ops.ext_sum(x, None).tolist() == [[1.0, 2.0]]
    assert ops.ext_rows(x).tolist() == [[1.0, 2.0]]


def check_bound(bound):
    x = leaf([1.0, 2.0])
    y = bound.sum_of_exp(x, x)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp([1, 2]), rtol=1e-6)
    assert [t.tolist() for t in bound.plus_one((x, x * 2))] == [[2.0, 3.0], [3.0, 5.0]]
    ones = bound.ones(dtype=paddle.float64, place=x.place)
    assert ones.dtype == paddle.float64 and bound.ones(True, paddle.int32, x.place) is None
    assert bound.twice() is None and bound.twice(x).tolist() == [2.0, 4.0]
    assert bound.Power(1, 2).forward().tolist() == [[4.0, 4.0]]
    assert bound.Power(x).forward().tolist() == [1.0, 4.0]
    assert bound.bound_doubled(x).tolist() == [2.0, 4.0]
    for wrong in (None, 1.0):
        with pytest.raises(TypeError, match='paddle.Tensor'):
            bound.sum_of_exp(wrong, x)
    assert bound.names(x) == (
        '2, 3; 6; 1; Place(cpu); float32; float32; Place(gpu:1); 21; 1; 1; 3; 0; 1; 0.5'
    )


def test_modules_bound_by_pybind11(tmp_path):
    pytest.importorskip('pybind11')
    source = SOURCE.with_name('bound.cc')
    check_bound(
        cpp_extension.load(
            'bound', [str(source)], extra_cxx_cflags=['-std=c++20', '-O0'], build_directory=tmp_path
        )
    )


def test_modules_need_pybind11(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pybind11', None)
    with pytest.raises(RuntimeError, match='pip install pybind11'):
        cpp_extension.load('bound', [str(SOURCE.with_name('bound.cc'))], build_directory=tmp_path)


class Net(paddle.nn.Layer):
    def __init__(self, ops):
        super().__init__()
        self.ops, self.linear = ops, paddle.nn.Linear(3, 4)

    def forward(self, x):
        h = self.ops.ext_leaky(self.linear(x), 0.25)
        low, high = self.ops.ext_min_max(h)
        h = self.ops.ext_sum([h, self.ops.ext_tanh(h)], None)
        h = self.ops.ext_times_(h * 1.0, paddle.full([1], 2.0))
        return h - low + high


@pytest.mark.parametrize('full_graph', [False, True])
def test_recorded_calls_are_eager_ones(ops, full_graph):
    net, x = Net(ops), paddle.rand([5, 3])
    compiled = paddle.jit.to_static(net.forward, full_graph=full_graph)
    for _ in range(3):
        results = []
        for forward in (net.forward, compiled):
            y = forward(x)
            (y * y).sum().backward()
            results.append([y.numpy(), net.linear.weight.grad.numpy()])
            net.clear_gradients()
        for eager, recorded in zip(*results):
            np.testing.assert_allclose(eager, recorded, rtol=1e-5)


def test_saved_programs(ops, tmp_path):
    net, x = Net(ops), paddle.rand([5, 3])
    path = str(tmp_path / 'net')
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 3])])
    want = net(x).numpy()
    loaded = paddle.jit.load(path)
    np.testing.assert_allclose(loaded(x).numpy(), want, rtol=1e-6)
    y = loaded(x)
    y.sum().backward()
    predictor = create_predictor(Config(path + '.json', path + '.pdiparams'))
    np.testing.assert_allclose(predictor.run([x])[0].numpy(), want, rtol=1e-6)


def test_static_programs(ops, static_mode):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [None, 3])
        x.stop_gradient = False
        y = ops.ext_leaky(x, 0.5)
        (g,) = paddle.static.gradients([y.sum()], [x])
        z = x * 1.0
        w = ops.ext_times_(z, paddle.full([1], 3.0))
    assert tuple(y.shape) == (-1, 3) and 'custom_op.ext_leaky' in str(main)
    given = np.array([[-1, 2, 3.0]], 'float32')
    out = paddle.static.Executor().run(main, feed={'x': given}, fetch_list=[x, y, g, z, w])
    for got, want in zip(out, (given, [[-0.5, 2, 3]], [[0.5, 1, 1]], given * 3, given * 3)):
        np.testing.assert_array_equal(got, np.asarray(want, 'float32'))


def test_what_changed_is_built_anew(tmp_path):
    header = tmp_path / 'factor.h'

    def run(factor):
        header.write_text(f'#define FACTOR {factor}\n')
        return cpp_extension.load(
            'anew',
            [str(SOURCE)],
            extra_cxx_cflags=['-DFACTOR_HEADER', '-O0', '-std=c++20'],
            extra_include_paths=[str(tmp_path)],
            build_directory=tmp_path / 'b',
        ).ext_leaky(paddle.to_tensor([-1.0]), 0.5)

    assert run(1).item() == -0.5
    library = sorted((tmp_path / 'b').glob('*.so'))
    times = [os.stat(each).st_mtime_ns for each in library]
    assert run(1).item() == -0.5 and [os.stat(each).st_mtime_ns for each in library] == times
    assert run(2).item() == -1.0


UNARY = '.Inputs({"X"}).Outputs({"Out"})'
KERNEL = '.SetKernelFn(PD_KERNEL(F))'
REFUSED = {
    f'PD_BUILD_OP(ext_bad){UNARY};': 'a kernel',
    f'PD_BUILD_OP(ext_bad){UNARY}.Attrs({{"a: long"}}){KERNEL};': 'a: long',
    f'PD_BUILD_OP(relu){UNARY}{KERNEL};': 'relu',
    f'PD_BUILD_GRAD_OP(ext_bad){UNARY}{KERNEL};': 'PD_BUILD_OP',
    'int x = "text";': 'exit status 1',
}
HEAD = """
#include "paddle/extension.h"
paddle::Tensor F(const paddle::Tensor& x) { return x; }
"""


@pytest.mark.parametrize('text', REFUSED)
def test_declarations_that_are_refused(text, tmp_path):
    source = tmp_path / 'bad.cc'
    source.write_text(HEAD + text)
    with pytest.raises((ValueError, RuntimeError), match=REFUSED[text]):
        cpp_extension.load('bad', str(source), extra_cxx_cflags=['-O0'], build_directory=tmp_path)


def test_sources_and_compilers_that_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match='CUDA'):
        cpp_extension.load('a', ['kernel.cu'])
    with pytest.raises(FileNotFoundError):
        cpp_extension.load('a', ['nowhere.cc'])
    with pytest.raises(ValueError, match='CUDA flags'):
        cpp_extension.load('a', [str(SOURCE)], extra_cuda_cflags=['-O3'])
    monkeypatch.setenv('PATH', str(tmp_path))
    monkeypatch.delenv('CXX', raising=False)
    with pytest.raises(RuntimeError, match=r'expected a C\+\+ compiler'):
        cpp_extension.load('a', [str(SOURCE)], build_directory=tmp_path)


def test_a_package_of_operators(tmp_path):
    pytest.importorskip('setuptools')
    script = f"""
from paddle.utils.cpp_extension import CppExtension, setup
extension = CppExtension(sources=[{str(SOURCE)!r}], extra_compile_args={{'cxx': ['-O0']}})
setup(name='ext_package', ext_modules=extension)
"""
    (tmp_path / 'setup.py').write_text(script)
    build = [sys.executable, 'setup.py', '-q', 'build', '--build-lib', 'lib']
    subprocess.run(build, cwd=tmp_path, check=True, timeout=300)
    use = 'import paddle, ext_package as e; print(e.ext_leaky(-paddle.ones([1]), 0.5).item())'
    path = os.pathsep.join([str(tmp_path / 'lib'), *sys.path])
    done = subprocess.run(
        [sys.executable, '-c', use],
        env={**os.environ, 'PYTHONPATH': path},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.strip() == '-0.5', done.stderr
