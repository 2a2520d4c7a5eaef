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


def test_pinned_memory_is_the_hosts_and_is_copied_without_waiting():
    run(
        '-c',
        START
        + '''
import numpy as np
a = np.arange(100000, dtype='float32')
x = paddle.to_tensor(a, place='cpu').pin_memory()
assert x.place.is_cuda_pinned_place() and str(x.place) == 'Place(gpu_pinned)'
assert x.pin_memory() is x and paddle.CUDAPinnedPlace() == x.place
np.testing.assert_array_equal(x.numpy(), a)
np.testing.assert_array_equal((x[10:] + 1).numpy(), a[10:] + 1)
x.add_(paddle.ones([100000], device='cpu'))
assert x.place.is_cuda_pinned_place()
np.testing.assert_array_equal(x.numpy(), a + 1)
held = cuda.memory_allocated()
y = x.cuda(blocking=False)
del x; gc.collect()
z = paddle.zeros([100000], device='cpu').pin_memory()  # other memory while the copy may read
y = y * 2
back = y._copy_to(z.place, False)
paddle.device.synchronize()
np.testing.assert_array_equal(back.numpy(), 2 * a + 2)
assert paddle.ones([3], device='cpu', pin_memory=True).place == z.place
assert paddle.to_tensor([1.0], place='gpu_pinned').place == z.place
paddle.set_device('cpu')
w = paddle.ones([3]).pin_memory()
w.stop_gradient = False
(w * w).sum().backward()
assert w.grad.tolist() == [2.0] * 3
cuda.empty_cache()
''',
        FAKECUDA_ORDER=5,
    )


def test_other_libraries_see_the_memory():
    run(
        '-c',
        START
        + '''
x = paddle.arange(6, dtype='float32').cuda() * 2
seen = x.reshape([2, 3]).__cuda_array_interface__
assert seen['shape'] == (2, 3) and seen['typestr'] == '<f4' and seen['strides'] is None
assert seen['data'] == (x.data_ptr(), False) and seen['version'] == 3
assert seen['stream'] == paddle.device.current_stream().handle
assert x.reshape([2, 3]).T.__cuda_array_interface__['strides'] == (4, 12)
assert not hasattr(x.cpu(), '__cuda_array_interface__')
assert x.__dlpack_device__() == (2, 0) and x.cpu().__dlpack_device__() == (1, 0)
assert x.cpu().pin_memory().__dlpack_device__() == (3, 0)
same = paddle.from_dlpack(x)
assert same.place == x.place and same.data_ptr() == x.data_ptr()
x.add_(paddle.ones([6]))
assert same.tolist() == [1.0, 3.0, 5.0, 7.0, 9.0, 11.0]
there = paddle.from_dlpack(x, device='cpu')
assert there.place.is_cpu_place() and there.tolist() == same.tolist()
import numpy as np
assert np.from_dlpack(x.cpu()).tolist() == same.tolist()
side = paddle.device.Stream()
x.multiply_(paddle.full([6], 2.0))
x.__dlpack__(stream=side.handle)
with paddle.device.stream_guard(side):
    assert (same + 0).tolist()[0] == 2.0
''',
        FAKECUDA_ORDER=3,
    )


def test_tensors_are_copied_away_and_back_beside_the_computation():
    run(
        '-c',
        START
        + '''
import numpy as np
from paddle.incubate.tensor.manipulation import (
    async_offload, async_offload_with_offset, async_reload, create_async_load)
a = np.arange(100000, dtype='float32')
loader = create_async_load()
assert type(loader) is paddle.base.core.AsyncLoad
x = paddle.to_tensor(a) * 2
kept, task = async_offload(x, loader)
del x; gc.collect()
other = paddle.full([100000], 7.0) * 3  # may not take the memory that is being read
task.cpu_wait()
assert task.is_completed() and kept.place.is_cuda_pinned_place()
np.testing.assert_array_equal(kept.numpy(), a * 2)
back, task = async_reload(kept, loader)
task.cuda_wait()
np.testing.assert_array_equal((back + 1).numpy(), a * 2 + 1)
part = paddle.zeros([10], device='cpu').pin_memory()
async_offload_with_offset(back, part, 5, 2, 4, loader).cpu_wait()
assert part.tolist() == [0, 0, 10, 12, 14, 16, 0, 0, 0, 0]
for call in (
    lambda: async_offload(kept, loader),
    lambda: async_reload(back, loader),
    lambda: async_offload_with_offset(back, part, 5, 8, 4, loader),
    lambda: async_offload_with_offset(back, part, -1, 0, 4, loader),
    lambda: async_offload_with_offset(back.astype('float16'), part, 0, 0, 4, loader),
):
    try:
        call()
    except ValueError as e:
        assert str(e).startswith('[async_')
    else:
        raise AssertionError('taken')
''',
        FAKECUDA_ORDER=5,
    )


GROWS = {'FLAGS_use_virtual_memory_auto_growth': 1}


def test_segments_grow_where_they_are():
    run(
        '-c',
        START
        + '''
assert paddle.get_flags('FLAGS_use_virtual_memory_auto_growth') == {
    'FLAGS_use_virtual_memory_auto_growth': True}
xs = [paddle.full([3 << 20], float(k), device='gpu') for k in range(4)]
assert cuda.memory_allocated() == 48 << 20 and cuda.memory_reserved() == 48 << 20
at = xs[1].data_ptr()
del xs[1], xs[1]; gc.collect()
y = paddle.full([6 << 20], 7.0, device='gpu')  # the place of both
assert y.data_ptr() == at and cuda.memory_reserved() == 48 << 20
del y; gc.collect()
cuda.empty_cache()
assert cuda.memory_reserved() < 34 << 20
z = paddle.full([9 << 20], 5.0, device='gpu')  # beyond what is in use: no hole is so large
assert z.data_ptr() > xs[1].data_ptr()
w = paddle.full([4 << 20], 2.0, device='gpu')
assert xs[0].data_ptr() < w.data_ptr() < xs[1].data_ptr()
assert [t.sum().item() / t.size for t in (*xs, z, w)] == [0.0, 3.0, 5.0, 2.0]
assert cuda.max_memory_reserved() >= cuda.memory_reserved() >= cuda.memory_allocated()
del xs, z, w; gc.collect()
cuda.empty_cache()
assert cuda.memory_reserved() <= 2 << 20
''',
        **GROWS,
    )


@pytest.mark.parametrize('order', [0, 3, 11])
def test_grown_memory_that_another_stream_reads_is_not_given_away(order):
    plain = run('-c', SHARED, FAKECUDA_ORDER=order)[0]
    trimmed = SHARED.replace('del x; gc.collect()', 'del x; gc.collect(); cuda.empty_cache()')
    assert plain == run('-c', trimmed, FAKECUDA_ORDER=order, **GROWS)[0]


def test_a_graph_keeps_its_grown_memory():
    run(
        '-c',
        START
        + '''
from paddle.device.cuda.graphs import CUDAGraph
x = paddle.arange(1 << 20, dtype='float32').cuda()
(x * 2 + 1).sum()
cuda.synchronize()
g = CUDAGraph()
g.capture_begin()
y = (x * 2 + 1) * (x - 1)
g.capture_end()
cuda.empty_cache()
held = cuda.memory_reserved()
other = [paddle.full([1 << 20], 9.0) for _ in range(6)]
del other; gc.collect()
cuda.empty_cache()
assert cuda.memory_reserved() == held
for k in (3.0, 4.0):
    x.fill_(k)
    g.replay()
    assert y[5].item() == (2 * k + 1) * (k - 1)
g.reset()
del y, g; gc.collect()
cuda.empty_cache()
assert cuda.memory_reserved() < held
''',
        **GROWS,
    )


def test_peers_reach_grown_memory():
    run(
        '-c',
        START
        + '''
x = paddle.arange(2 << 20, dtype='float32').cuda(0)
y = x.cuda(1)
assert y.place == paddle.CUDAPlace(1) and (y + 1)[-1].item() == 2.0 ** 21
''',
        **GROWS,
    )


def test_without_virtual_memory_segments_have_fixed_sizes():
    said = run(
        '-c',
        START
        + '''
x = paddle.ones([100], device='gpu')
assert cuda.memory_reserved() == 2 << 20 and x.sum().item() == 100
large = paddle.ones([2 << 20], device='gpu')
assert cuda.memory_reserved() == 18 << 20
''',
        FAKECUDA_MISSING='cuMemCreate',
        **GROWS,
    )[1]
    assert said.count('expected a driver and a device with virtual memory, got a driver') == 1


def test_refused_memory_is_asked_for_again():
    """Each refusal in turn: all are made good by what the trim gives back, or raise."""
    script = (
        START
        + '''
kept = []
raised = 0
for k in range(24):
    try:
        x = paddle.full([(k % 5 + 1) << 20], float(k), device='gpu')
    except MemoryError as e:
        assert 'out of memory' in str(e)
        raised += 1
        continue
    if k % 3 == 0:
        kept.append((k, x))
for k, x in kept:
    assert x[0].item() == x[-1].item() == k
assert cuda.memory_reserved() >= cuda.memory_allocated()
print(raised, len(kept))
'''
    )
    for nth in (2, 5, 9, 14):
        assert run('-c', script, FAKECUDA_FAIL_ALLOCATION=nth, **GROWS)[0].split() == ['0', '8']
    raised, kept = run('-c', script, FAKECUDA_MEMORY=80 << 20, **GROWS)[0].split()
    assert int(raised) > 0 and int(kept) >= 4


def test_programs_that_are_gone_keep_nothing():
    """Parameters of compiled functions, some of whose operations have several results."""
    code = """
import gc, paddle
import paddle.nn.functional as F
paddle.set_device('gpu')

def compiled():
    net = paddle.nn.LayerNorm(64)

    @paddle.jit.to_static
    def loss(x):
        left, right = paddle.split(net(x), 2, -1)
        return (paddle.topk(left, 3)[0].sum() + F.dropout(right, 0.5).sum()).square()

    x = paddle.ones([4, 64])
    loss(x).backward()
    assert net.weight.grad is not None

for _ in range(3):
    compiled()
    gc.collect()
    assert paddle.device.cuda.memory_allocated() == 0
"""
    run('-c', code)
