# SPDX-License-Identifier: Apache-2.0
"""Products of matrices by cuBLASLt: its strict double, and our own without it."""

import pathlib
import re
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from double import DOUBLE, explained, needs_double, run


@needs_double
def test_products_are_the_librarys(tmp_path):
    log = tmp_path / 'log'
    errors = run(HERE / 'gpu_blaslt.py', FLAGS_cublas_dir=DOUBLE.parent, FAKEBLASLT_LOG=log)[1]
    assert 'fakeblaslt:' not in errors, errors
    calls = log.read_text().splitlines()
    assert all(sum(f'type {type} ' in call for call in calls) > 16 for type in (4, 5))  # complex
    for type in (0, 1, 2, 14):
        assert sum(f'type {type} ' in call for call in calls) > 20
    assert any('epilogue 4 ' in call for call in calls)  # a bias
    assert any('batch 3' in call for call in calls)
    last = len(calls) - next(k for k, c in enumerate(calls[::-1]) if c == 'heuristic')
    assert len(calls) - last >= 5 and all('24x16' not in c for c in calls[: last - 1])


@needs_double
def test_what_was_found_is_kept_for_other_processes(tmp_path):
    """Of the same version and kind of device, and only where the library takes it."""
    program = """
import paddle
paddle.set_device('gpu')
for n in (8, 16, 24):
    for _ in range(2):
        y = paddle.matmul(paddle.ones([4, 8]), paddle.ones([8, n]))
    assert y.tolist() == [[8.0] * n] * 4
"""

    def counts(**env):
        log = tmp_path / 'log'
        log.unlink(missing_ok=True)
        folders = {'FLAGS_cublas_dir': DOUBLE.parent, 'PADDLE_CINN_CACHE_DIR': tmp_path / 'kept'}
        run('-c', program, FAKEBLASLT_LOG=log, **{**folders, **env})
        words = [line.split()[0] for line in log.read_text().splitlines()]
        return [words.count(word) for word in ('heuristic', 'check', 'matmul')]

    assert counts() == [3, 0, 6]
    assert counts() == [0, 3, 6]
    assert counts(FAKEBLASLT_VERSION=130100) == [3, 0, 6]
    assert counts(FAKECUDA_CAPABILITY=80) == [3, 0, 6]
    assert counts() == [0, 3, 6]
    # What it no longer takes is asked for anew.
    assert counts(FAKEBLASLT_OTHER=1) == [3, 3, 6]
    assert counts(FAKEBLASLT_OTHER=1) == [0, 3, 6]
    assert counts(PADDLE_CINN_CACHE_DIR='') == [3, 0, 6]


@needs_double
def test_without_it_products_are_our_own():
    run(
        '-c',
        '''
import paddle
paddle.set_device('gpu')
assert paddle.matmul(paddle.ones([3, 4]), paddle.ones([4, 5])).sum().item() == 60
z = paddle.complex(paddle.ones([3, 4]), paddle.ones([3, 4]))
assert paddle.matmul(z, z, transpose_y=True).tolist() == [[8j] * 3] * 3
''',
    )


@needs_double
def test_a_bias_beside_a_transposed_weight_is_of_the_product(tmp_path):
    log = tmp_path / 'log'
    run(
        '-c',
        '''
import paddle
from paddle.incubate.nn.functional import fused_linear
paddle.set_device('gpu')
x, w, b = paddle.ones([2, 3, 4]), paddle.full([5, 4], 2.0), paddle.arange(5, dtype='float32')
w.stop_gradient = b.stop_gradient = False
y = fused_linear(x, w, b, transpose_weight=True)
assert y[1, 2].tolist() == [8.0, 9.0, 10.0, 11.0, 12.0]
y.sum().backward()
assert w.grad.tolist() == [[6.0] * 4] * 5 and b.grad.tolist() == [6.0] * 5
''',
        FLAGS_cublas_dir=DOUBLE.parent,
        FAKEBLASLT_LOG=log,
    )
    assert sum('epilogue 4 ' in call for call in log.read_text().splitlines()) == 1


@needs_double
def test_what_passes_joined_runs_there(tmp_path):
    """A bias and relu are of the product's call; after our own kernels, operations follow."""
    log = tmp_path / 'log'
    for env in ({}, {'FLAGS_cublas_dir': DOUBLE.parent, 'FAKEBLASLT_LOG': log}):
        said = run(HERE / 'gpu_fused.py', FLAGS_gpu_explain=1, **env)[1]
        assert 'fakeblaslt:' not in said, said
        assert (
            'gpu: fused_matmul: by primitives' in said and 'gpu: fused_conv: by primitives' in said
        )
        assert not re.search('gpu: .*on the host', said), said
    calls = log.read_text().splitlines()
    assert sum('epilogue 6 ' in call for call in calls) >= 3


@needs_double
def test_gradients_and_float8_are_calls_of_the_library(tmp_path):
    """A bias's gradient comes with its product's, what gelu is of with the result; without the
    library they are operations, and what it does not take, too.
    """
    log, script = tmp_path / 'log', HERE / 'gpu_epilogues.py'
    explained('blaslt', script, FLAGS_cublas_dir=DOUBLE.parent, FAKEBLASLT_LOG=log)
    calls = log.read_text().splitlines()
    for type in (0, 2, 14):
        for epilogue in (4, 6, 134, 152, 164, 256, 512):
            assert any(f'type {type} epilogue {epilogue} ' in c for c in calls), (type, epilogue)
    for epilogue in (1, 2, 4, 6, 32, 36):
        assert any(f'type 28 epilogue {epilogue} ' in c for c in calls), epilogue
    assert any('type 28 ' in c and 'batch 2' in c for c in calls)
    assert not any('type 28 ' in c and '3x5' in c for c in calls)
    explained('blaslt', script)


@needs_double
@pytest.mark.parametrize('mode', ['thread_local', 'global', 'relaxed'])
def test_a_first_product_may_be_part_of_a_graph(mode, tmp_path):
    """What the library's handle takes does not end the capture."""
    log = tmp_path / 'log'
    run(
        '-c',
        f'''
import paddle
paddle.set_device('gpu')
a, b = paddle.ones([64, 32]), paddle.ones([32, 48])
graph = paddle.device.cuda.graphs.CUDAGraph(mode={mode!r})
graph.capture_begin()
product = a @ b
graph.capture_end()
graph.replay()
assert product.tolist() == [[32.0] * 48] * 64
''',
        FLAGS_cublas_dir=DOUBLE.parent,
        FAKEBLASLT_LOG=log,
    )
    assert log.read_text()
