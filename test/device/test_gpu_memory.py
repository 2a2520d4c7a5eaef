# SPDX-License-Identifier: Apache-2.0
"""Memory of GPUs: what the allocator keeps, splits and gives back, and streams that share it."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import needs_double, run

pytestmark = needs_double

START = '''
import gc, paddle
cuda = paddle.device.cuda
paddle.set_device('gpu')
'''


def test_segments_are_split_merged_and_given_back():
    run(
        '-c',
        START
        + '''
xs = [paddle.zeros([k + 1], device='gpu') for k in range(40)]
assert cuda.memory_allocated() == 40 * 512 and cuda.memory_reserved() == 2 << 20
large = paddle.zeros([1 << 20], device='gpu')
assert cuda.memory_allocated() == 40 * 512 + (4 << 20)
assert cuda.memory_reserved() == cuda.max_memory_reserved() == (2 << 20) + (16 << 20)
del large; gc.collect()
cuda.empty_cache()
assert cuda.memory_reserved() == 2 << 20 and cuda.max_memory_allocated() == 40 * 512 + (4 << 20)
del xs; gc.collect()
cuda.empty_cache()
assert cuda.memory_reserved() == cuda.memory_allocated() == 0
''',
    )


SHARED = (
    START
    + '''
side = paddle.device.Stream()
x = paddle.arange(4096, dtype='float32').cuda() + 1
side.wait_stream(paddle.device.current_stream())
with paddle.device.stream_guard(side):
    y = paddle.exp(-x)
del x; gc.collect()
z = paddle.arange(4096, dtype='float32').cuda() - 1  # does not take the memory that `side` reads
w = z * z
side.synchronize()
print(y.sum().item(), w.sum().item())
'''
)


@pytest.mark.parametrize('order', [0, 3, 11])
def test_memory_that_another_stream_reads_is_not_given_away(order):
    first = run('-c', SHARED, FAKECUDA_ORDER=order)[0]
    assert first == run('-c', SHARED, FAKECUDA_ORDER=order, FLAGS_use_system_allocator=1)[0]
