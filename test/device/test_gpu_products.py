# SPDX-License-Identifier: Apache-2.0
"""Kernels of the library for GPUs (paddle/cinn/runtime/device_kernels.bc.cpp) by the driver's
double: values and exceptions.
"""

import json

import pytest
from test_gpu_kernels import HERE, pytestmark, run  # noqa: F401

BOUND = {'float64': 4, 'float32': 4, 'float16': 1, 'bfloat16': 1}


def errors(dtype, **env):
    out, explained = run(HERE / 'gpu_products.py', dtype, FLAGS_gpu_explain=1, **env)
    assert 'gpu: matmul: by primitives' in explained and 'matmul: on the host' not in explained
    found = json.loads(out)
    outside = found.pop('outside')
    assert outside[: len(outside) // 2] == outside[len(outside) // 2 :] and 'nothing' not in outside
    assert sum(name.startswith('matrices') for name in found) > 50
    return found


@pytest.mark.parametrize('dtype', BOUND)
def test_products_are_right_to_the_last_places(dtype):
    """50 extents and every kind of stride; halves by tensor cores, summed in float32."""
    wrong = {
        name: e
        for name, e in errors(dtype).items()
        if not e <= (0 if name.startswith('exact') else BOUND[dtype])
    }
    assert not wrong


def test_tensor_cores_take_float32_where_asked():
    """Rounded to 10 bits: twice half a unit of those, and not more."""
    found = errors('float32', FLAGS_gpu_tf32=1)
    most = max(e for name, e in found.items() if not name.startswith('exact'))
    assert 2**8 < most <= 2**13


def test_devices_without_such_tensor_cores_have_plain_products():
    found = errors('bfloat16', FAKECUDA_CAPABILITY=75)
    assert max(found.values()) <= 1


@pytest.mark.parametrize('dtype', BOUND)
def test_products_over_nothing(dtype):
    """Memory of empty operands is not read: the bias is what is left."""
    program = f'''
import json, paddle
paddle.set_device('gpu')
x, y, b = (paddle.ones(shape, {dtype!r}) for shape in ([3, 0], [0, 4], [4]))
made = paddle.matmul(x, y), paddle.nn.functional.linear(x, y, b)
print(json.dumps([t.astype('float32').cpu().tolist() for t in made]))
'''
    found = json.loads(run('-c', program, FLAGS_use_system_allocator=1)[0])
    assert found == [[[value] * 4] * 3 for value in (0, 1)]
