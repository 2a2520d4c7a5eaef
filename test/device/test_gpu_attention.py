# SPDX-License-Identifier: Apache-2.0
"""Attention on a GPU by the kernels of the library, executed by the driver's double."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import needs_double, run

HERE = pathlib.Path(__file__).resolve().parent
pytestmark = needs_double
EPSILON = {'float32': 2.0**-23, 'float64': 2.0**-52, 'float16': 2.0**-10, 'bfloat16': 2.0**-7}


def check_as_near(found, dtype):
    for name, (cpu, gpu) in found.items():
        assert len(gpu) == 4
        # The CPU's float64 has no error here; exp of a score of hundreds has that many roundings.
        bar = EPSILON[dtype] * (200 if (name, dtype) == ('far', 'float64') else 8)
        for here, there in zip(cpu, gpu):
            assert there <= 2 * here + bar, (name, cpu, gpu)


@pytest.mark.parametrize('dtype', list(EPSILON))
def test_attention_is_as_near_to_float64_as_the_cpus(dtype):
    """Values and the gradients of query, key and value: lengths that fill no tile, shared heads,
    causal rows, masks, dropout, rows without a key, scores of some hundreds, tiles seen whole.
    """
    out, explained = run(
        HERE / 'gpu_attention.py', dtype, FLAGS_gpu_explain=1, FLAGS_use_system_allocator=1
    )
    assert 'gpu: fused_attention: by primitives' in explained
    assert 'attention: on the host' not in explained
    found = json.loads(out)
    assert len(found) == (21 if 'float16' in dtype else 18)
    check_as_near(found, dtype)


def test_callers_run_the_kernel():
    """No matrix of scores is made: neither a product nor a softmax runs."""
    _, explained = run(
        '-c',
        '''
import paddle
import paddle.nn.functional as F
paddle.set_device('gpu')
x = paddle.ones([1, 9, 2, 8], dtype='bfloat16')
x.stop_gradient = False
(F.scaled_dot_product_attention(x, x, x, is_causal=True) * 2).sum().backward()
(F.flash_attention.flash_attention(x, x, x)[0] * 2).sum().backward()
''',
        FLAGS_gpu_explain=1,
    )
    assert 'fused_attention: by primitives' in explained
    assert 'matmul' not in explained and 'softmax' not in explained


def test_heads_without_a_kernel_run_on_the_host():
    run(
        '-c',
        '''
import paddle
import paddle.nn.functional as F
def both(place):
    paddle.set_device(place)
    x = paddle.linspace(-1, 1, 5 * 300).reshape([1, 5, 1, 300])
    x.stop_gradient = False
    out = F.scaled_dot_product_attention(x, x, x)
    (out * out).sum().backward()
    return out.cpu(), x.grad.cpu()
for want, got in zip(both('cpu'), both('gpu:0')):
    assert paddle.allclose(got, want, rtol=1e-5, atol=1e-6)
''',
    )
