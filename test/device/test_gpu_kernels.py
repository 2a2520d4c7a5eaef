# SPDX-License-Identifier: Apache-2.0
"""What GPU kernels compute, executed by the driver's double: rows of test/ops and short trainings
on gpu:0 against the CPU, and the errors of planted faults.
"""

import functools
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import child, needs_double, run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
pytestmark = needs_double
EPSILON = {'float32': 2.0**-23, 'float64': 2.0**-52, 'float16': 2.0**-10, 'bfloat16': 2.0**-7}


@functools.lru_cache
def explained_rows(kind):
    out, explained = run(
        HERE / 'gpu_rows.py', kind, FLAGS_gpu_explain=1, FLAGS_use_system_allocator=1
    )
    return json.loads(out), explained


def rows(kind):
    """Differences by result, and the names of ops that ran as kernels."""
    out, explained = explained_rows(kind)
    return out, set(re.findall(r'^gpu: (\w+): generated$', explained, re.M))


def beyond(differences, bar):
    """The results that differ by more than their bar."""
    return {
        key: found
        for key, found in differences.items()
        if any(d is None or not d <= bar(*key.split('-')[1:]) for d in found)
    }


def test_elementwise_ops_have_the_bits_of_the_cpu():
    """Values in every dtype, gradients in float32 and float64. A gradient that broadcasts is a sum,
    in another order; one in a half type may be rounded between its operations. Complex quotients,
    lengths and logarithms say fma on the CPU, which kernels round once more; all else of complex
    numbers, products too, has its bits.
    """
    differences, generated = rows('elementwise')

    def bar(dtype, shapes, what):
        if dtype.startswith('complex'):
            return EPSILON['float32' if dtype == 'complex64' else 'float64']
        if what == 'value':
            return 0
        if dtype in ('float16', 'bfloat16'):
            return EPSILON[dtype]
        return 4 * EPSILON[dtype] if shapes == 'broadcast' else 0

    assert len(differences) > 2000 and len(generated) >= 143
    assert {'where', 'bitwise_and', 'multiply', 'cast', 'silu_grad', 'elu_grad'} <= generated
    assert {'lgamma', 'digamma', 'i0_grad', 'erfinv', 'remainder'} <= generated
    assert not beyond(differences, bar)
    says_fma = re.compile('(elementwise_pow|expm1|log|log2|log10|reciprocal|sign)-')
    exact = {k: v for k, v in differences.items() if 'complex' in k and not says_fma.match(k)}
    assert len(exact) >= 76 and not beyond(exact, lambda *_: 0)


def test_structured_ops_are_the_cpus():
    """Reductions, norms, softmax, losses, rearrangements: sums are taken in another order."""
    differences, generated = rows('structured')
    assert len(differences) > 350 and {'softmax', 'layer_norm', 'sum', 'max'} <= generated
    assert not beyond(differences, lambda dtype, what: 8 * EPSILON[dtype])


def optional_operands():
    """Names of the ops that have gradients of optional operands."""
    sys.path.insert(0, str(ROOT / 'tools'))
    try:
        from opgen import gradient, model
    finally:
        sys.path.pop(0)
    ops = {op.name: op for op in model.load(ROOT / 'paddle' / 'phi' / 'ops')}
    differentiable = {name: gradient.Gradient(op, ops).inputs for name, op in ops.items()}
    return {
        name
        for name, inputs in differentiable.items()
        if any(t.optional and not t.variadic for t in inputs)
    }


def test_optional_operands_may_be_absent():
    """An operand that was not given has no gradient, in a program neither."""
    found = json.loads(run(HERE / 'gpu_optional.py', FLAGS_use_system_allocator=1)[0])
    assert set(found) == optional_operands()
    assert not beyond(found, lambda: 16 * EPSILON['float32'])


def test_calls_have_the_results_and_gradients_of_the_cpu():
    """Every public function whose results have gradients."""
    found = json.loads(run(HERE / 'gpu_calls.py')[0].splitlines()[-1])
    assert len(found) >= 600
    assert not beyond(found, lambda: 24 * EPSILON['float32'])


REFUSALS = """
import numpy as np, paddle, pytest
paddle.set_device('gpu:0')
x = paddle.to_tensor([0.5])
many = paddle._C_ops.expand(x, [2**20, 2**20])
for reduce, want in ((paddle.sum, 2.0**39), (paddle.mean, 0.5), (paddle.max, 0.5)):
    out = reduce(many)
    assert out.place.is_gpu_place()
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-6)
table = paddle.ones([4, 5])
for call, error in (
    (lambda: paddle.gather(table, paddle.to_tensor([4])), IndexError),
    (lambda: paddle.index_select(table, paddle.to_tensor([4])), ValueError),
    (lambda: paddle.nn.functional.embedding(paddle.to_tensor([4]), table), ValueError),
    (lambda: paddle.nn.functional.binary_cross_entropy(x * 4, x), ValueError),
):
    with pytest.raises(error):
        call()
np.testing.assert_allclose(paddle.nn.functional.binary_cross_entropy(x, x).item(), np.log(2), 1e-6)
assert x.get_device() == 0
"""


def test_repeated_elements_are_not_written_out_and_errors_are_the_cpus():
    run('-c', REFUSALS)


def test_long_sums_of_products_round_little():
    """They are sums of parts: one sum of 4096 terms is off by 7.6e-5."""
    run(
        '-c',
        """
import numpy as np, paddle
paddle.set_device('gpu:0')
draw = np.random.default_rng(3).standard_normal
a, b = draw((40, 4096)).astype('float32'), draw((4096, 40)).astype('float32')
got = paddle.matmul(paddle.to_tensor(a), paddle.to_tensor(b)).numpy()
error = got - a.astype('float64') @ b
assert np.sqrt((error**2).mean()) < 2e-5
""",
    )


def test_most_ops_have_device_kernels():
    """Of those that the rows call, values and gradients: in some signature, and without the host in
    all that run a kernel of the library.
    """
    explained = explained_rows('elementwise')[1] + explained_rows('structured')[1]
    ways = 'generated|by primitives|composed|on the host'
    how = set(re.findall(rf'^gpu: (\w+): ({ways})', explained, re.M))
    library = {op for op, way in how if way == 'by primitives'}
    wanted = {'matmul', 'conv2d', 'conv_grad_filter', 'cumsum', 'topk', 'index_add', 'concat'}
    assert wanted <= library and not {op for op in library if (op, 'on the host') in how}
    ops, kernels = {op for op, _ in how}, {op for op, way in how if way != 'on the host'}
    assert len(ops) > 200 and len(kernels) >= 0.9 * len(ops), sorted(ops - kernels)


@pytest.mark.parametrize('order', [0, 7])
@pytest.mark.parametrize('dtype', ['', 'bfloat16'])
@pytest.mark.parametrize('model', ['perceptron', 'transformer', 'physics'])
def test_training_has_the_losses_of_the_cpu(model, dtype, order):
    """Also where streams run in another order that CUDA allows.

    Sums in float32 are of another order there, so what is rounded to bfloat16 may go to the other
    neighbour, 2**-8 away: one element of a gradient then moves the losses of the steps after it.
    """
    out, _ = run(HERE / 'gpu_training.py', model, dtype, FAKECUDA_ORDER=order)
    want, got = json.loads(out)
    assert want[-1] < want[0] / 2
    np.testing.assert_allclose(got[:2], want[:2], rtol=1e-6)
    np.testing.assert_allclose(got, want, rtol=2**-11 if dtype else 1e-6)


@pytest.mark.parametrize('places', ['gpu:0', 'gpu:0,gpu:1'])
@pytest.mark.parametrize(
    'model, dtype, how',
    [
        ('pictures', '', 'eager'),
        ('pictures', '', 'program'),
        ('deep', 'bfloat16', 'eager'),
        ('deep', '', 'program'),
        ('deep', 'bfloat16', 'program'),
        ('physics', '', 'eager'),
        ('physics', '', 'program'),
    ],
)
def test_twenty_steps_have_the_losses_of_the_cpu(model, dtype, places, how):
    """LeNet, blocks as in LLaMA and a net with second derivatives, on one device and on two; with
    `program` the groups of the compiled loss are kernels, too. Differences are relative to 1 + the
    loss, which comes near 0: it is the difference of numbers near 1 and more. Products of halves
    add in another order, so that other results are rounded up: both losses are as near to those of
    float32.
    """
    out, _ = run(HERE / 'gpu_training.py', model, dtype, places, 20, how)
    want, got = json.loads(out)
    assert len(got) == 20 and want[-1] < want[0] / 2
    if dtype:
        out, _ = run(HERE / 'gpu_training.py', model, '', 'cpu', 20, how)
        exact = np.array(json.loads(out)[0])
        assert np.abs(got - exact).max() < 2 * np.abs(want - exact).max() < 0.1
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_groups_of_programs_are_kernels():
    """Also where an operand is a number of the host, a group writes in place, or a branch asks."""
    program = '''
import paddle, json
from paddle.base import core
def net(x, w):
    y = paddle.tanh(x * w + 1).sum(1, keepdim=True)
    if (y > 0).all():
        y = y * x
    return paddle.nn.functional.softmax(y - x) * w
both = {}
for place in ('cpu', 'gpu'):
    paddle.set_device(place)
    paddle.seed(2)
    core.draw_on_host(True)
    x, w = paddle.rand([8, 40]), paddle.rand([40])
    x.stop_gradient = w.stop_gradient = False
    f = paddle.jit.to_static(net, full_graph=True)
    for _ in range(3):
        out = f(x, w)
        assert out.place == x.place
        (out * out).sum().backward()
    both[place] = [t.astype('float64').cpu().flatten().tolist() for t in (out, x.grad, w.grad)]
print(json.dumps([both['cpu'], both['gpu']]))
'''
    out, explained = run('-c', program, FLAGS_gpu_explain=1, FAKECUDA_ORDER=2)
    assert 'group: on the host' not in explained
    for want, got in zip(*json.loads(out)):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_host_cost_of_a_call_is_measured(tmp_path):
    """Beside the driver, whose launches are empty here."""
    library = tmp_path / 'libcuda.so.1'
    flags = ['-std=c++17', '-O1', '-fPIC', '-shared']
    subprocess.run(['g++', *flags, HERE / 'host_driver.cc', '-o', library], check=True)
    times = json.loads(
        run(HERE / 'host_cost.py', FLAGS_cuda_driver=library, HOST_DRIVER_PTX=tmp_path)[0]
    )
    assert times['gpu'] > 0 and times['cpu'] > 0


PROGRAM = '''
import paddle
paddle.set_device('gpu')
x = paddle.ones([1 << 19])
y = paddle.exp(x * 2)
print((y + x).sum().item())
'''


@pytest.mark.parametrize(
    'fault, error, cause',
    [
        ({'FAKECUDA_MEMORY': 5 << 20}, 'MemoryError', r'out of memory.* 2097152 bytes .*gpu:0'),
        ({'FAKECUDA_DEVICES': 0}, 'ValueError', 'CUDA_ERROR_NO_DEVICE'),
        ({'FAKECUDA_DRIVER': 11080}, 'ValueError', 'for CUDA 11.8, expected 12.0 or newer'),
        (
            {'FAKECUDA_FAIL_LAUNCH': 2},
            'RuntimeError',
            r'\[gpu:0\] cuLaunchKernel failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES',
        ),
        (
            {'FAKECUDA_LOSE_DEVICE': 2},
            'RuntimeError',
            r'\[gpu:0\] cuLaunchKernel failed: CUDA_ERROR_DEVICE_UNAVAILABLE',
        ),
    ],
    ids=['memory', 'devices', 'driver', 'launch', 'lost'],
)
def test_a_fault_is_an_exception_that_names_it(fault, error, cause):
    done = child('-c', PROGRAM, **fault)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and last.startswith(error) and re.search(cause, last), done.stderr


@pytest.mark.parametrize('what', ['tensor', 'event', 'graph'])
def test_a_fault_in_a_destructor_is_raised_by_the_next_call(what):
    """It ends no process, is said once, and stays."""
    program = '''
import sys, paddle
paddle.set_device('gpu')
x = paddle.ones([8])
event = paddle.device.cuda.Event()
event.record()
graph = paddle.device.cuda.graphs.CUDAGraph()
y = x + x
paddle.device.synchronize()
graph.capture_begin()
z = x + x
graph.capture_end()
try:
    for _ in range(40):
        y = x + x
    paddle.device.synchronize()
except RuntimeError as e:
    print('UNAVAILABLE' in str(e))
if sys.argv[1] == 'tensor':
    del y, z
elif sys.argv[1] == 'event':
    del event
else:
    del graph
for _ in range(2):
    try:
        paddle.ones([8])
    except RuntimeError as e:
        print(e)
'''
    done = child('-c', program, what, FAKECUDA_LOSE_DEVICE=20, FLAGS_use_system_allocator=1)
    lost, first, second = done.stdout.splitlines()
    assert done.returncode == 0 and lost == 'True' and first == second
    assert re.match(r'.*\[gpu:0\] cu\w+ failed: CUDA_ERROR_DEVICE_UNAVAILABLE', first)
    assert done.stderr.count('from here on raises this') == 1


@pytest.mark.parametrize('n', [1, 2, 3, 4])
def test_one_refused_allocation_is_tried_again(n):
    """Cached blocks are given back first."""
    assert run('-c', PROGRAM)[0] == run('-c', PROGRAM, FAKECUDA_FAIL_ALLOCATION=n)[0]


def test_gradients_of_a_static_program_know_their_device():
    """Also that of an operation that exists in place only."""
    program = '''
import json, numpy as np, paddle
paddle.enable_static()
def run(place):
    paddle.set_device(place)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        x = paddle.static.data('x', [3, 4, 6, 5])
        x.stop_gradient = False
        y = paddle.static.nn.batch_norm(x, moving_mean_name='m' + place[0])
        wanted = paddle.static.gradients([y * y * x], [x])
    paddle.static.Executor().run(paddle.static.default_startup_program())
    a = np.linspace(-1, 1, 360, dtype='float32').reshape([3, 4, 6, 5])
    return paddle.static.Executor().run(main, feed={'x': a}, fetch_list=wanted)[0].ravel().tolist()
print(json.dumps([run('cpu'), run('gpu')]))
'''
    want, got = json.loads(run('-c', program)[0])
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_rows_of_tables():
    """Gradients of sparse lookups are rows there too: the tests of these, run there."""
    tests = [str(ROOT / 'test/api/test_selected_rows.py'), '-q', '-p', 'no:cacheprovider']
    program = 'import paddle, pytest, sys; paddle.set_device("gpu"); '
    run('-c', f'{program}sys.exit(pytest.main({tests!r}))')
