# SPDX-License-Identifier: Apache-2.0
"""Work captured as graphs of a GPU and run again; the double checks what a replay reads."""

import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import child, needs_double, run

pytestmark = needs_double

START = '''
import gc, paddle
import paddle.nn.functional as F
from paddle.device.cuda.graphs import CUDAGraph, is_cuda_graph_supported
paddle.set_device('gpu')
x, w = paddle.arange(64, dtype='float32').reshape([4, 16]).cuda() / 16, paddle.ones([16]).cuda()

def step():
    return F.softmax(F.rms_norm(x, [16], w) * 2 + x)
'''


@pytest.mark.parametrize('order', [0, 5])
def test_a_replay_computes_with_new_values(order):
    run(
        '-c',
        START
        + '''
assert is_cuda_graph_supported()
want = step()
graph = CUDAGraph()
assert not paddle.device.is_current_stream_capturing()
graph.capture_begin()
assert paddle.device.is_current_stream_capturing()
got = step()
graph.capture_end()
assert not paddle.device.is_current_stream_capturing()
graph.replay()
assert got.tolist() == want.tolist()
noise = [paddle.ones([64 * k + 1], device='gpu') * k for k in range(20)]  # not the graph's memory
x.copy_(paddle.to_tensor([[0.5] * 16, [1.5] * 16, [2.5, 1.0] * 8, [3.0] * 16]))
graph.replay()
assert got.tolist() == step().tolist() != want.tolist()
assert [n.max().item() for n in noise] == list(range(20))
''',
        FAKECUDA_ORDER=order,
    )


def test_a_second_capture_is_refused_and_the_first_goes_on():
    run(
        '-c',
        START
        + '''
graph, other = CUDAGraph(), CUDAGraph()
graph.capture_begin()
try:
    other.capture_begin()
    raise SystemExit('two captures at a time')
except RuntimeError as e:
    assert 'one capture at a time' in str(e), e
between = x + 1
got = between * 2
del between
graph.capture_end()
noise = [paddle.ones([64 * k + 1], device='gpu') * k for k in range(20)]  # not the graph's memory
graph.replay()
assert got.tolist() == ((x + 1) * 2).tolist()
assert [n.max().item() for n in noise] == list(range(20))
''',
    )


def test_memory_belongs_to_the_graph_until_it_ends():
    run(
        '-c',
        START
        + '''
cuda = paddle.device.cuda
step(); gc.collect(); cuda.empty_cache()
before = cuda.memory_reserved()
graphs = [CUDAGraph(pool_id=3), CUDAGraph(pool_id=3)]
results = []
for graph in graphs:
    graph.capture_begin()
    results.append(step())
    graph.capture_end()
held = cuda.memory_reserved()
assert held == before + (2 << 20)
cuda.empty_cache()
assert cuda.memory_reserved() == held
for graph in graphs:
    graph.replay()
assert results[0].tolist() == results[1].tolist()
graphs.pop().reset()
graphs[0].replay()
want = results[0].tolist()
del graphs, graph, results; gc.collect(); cuda.empty_cache()
assert cuda.memory_reserved() == before and want == step().tolist()
''',
    )


@pytest.mark.parametrize(
    'inside, words',
    [
        ('y.tolist()', 'copy to the host'),
        ('paddle.nonzero(y)', 'copy to the host: of an operation without a kernel'),
        ('paddle.to_tensor([1.0] * 5)', 'memory of the host that is not pinned'),
    ],
    ids=['item', 'nonzero', 'to_tensor'],
)
def test_what_needs_the_host_is_refused(inside, words):
    program = (
        START
        + f'''
want = step().tolist()
graph = CUDAGraph()
graph.capture_begin()
y = step()
try:
    {inside}
except RuntimeError as error:
    assert {words!r} in str(error), error
else:
    raise AssertionError
graph.capture_end()
graph.replay()
assert y.tolist() == want
'''
    )
    run('-c', program)


MODES = """
import threading
from paddle.device.cuda import Event, synchronize
results, large = [], 64 << 20

def told(call):
    try:
        call()
        return ''
    except RuntimeError as error:
        return str(error)

def elsewhere(call):  # in another thread
    out = []
    one = threading.Thread(target=lambda: out.append(told(call)))
    one.start(); one.join()
    return out[0]

want = step().tolist()
before = Event(); before.record(); before.synchronize()
def alone():  # memory and a kernel that nobody had yet
    graph = CUDAGraph(mode=MODE)
    graph.capture_begin()
    held = paddle.empty([large], 'uint8')
    y = step() - paddle.cosh(x) * 0
    graph.capture_end()
    graph.replay()
    assert y.tolist() == want
def beside(call):
    graph = CUDAGraph(mode=MODE)
    graph.capture_begin()
    y = step()
    got = call()
    end = told(graph.capture_end)
    if not end:
        graph.replay()
        assert y.tolist() == want
    return got, end
alone()
own = beside(lambda: told(before.query))
other = beside(lambda: elsewhere(before.query))
late = beside(lambda: elsewhere(lambda: paddle.empty([2 * large], 'uint8')))
alone()
"""


@pytest.mark.parametrize(
    'mode, forbids_own, forbids_others',
    [('global', True, True), ('thread_local', True, False), ('relaxed', False, False)],
)
def test_a_mode_forbids_what_the_driver_says(mode, forbids_own, forbids_others):
    """A query, of this thread and of another, and memory for another; the runtime's own calls are
    not forbidden to the thread that captures.
    """
    done = run(
        '-c',
        START
        + f'MODE = {mode!r}'
        + MODES
        + """
import json
print(json.dumps([own, other, late]))
""",
    )
    own, other, late = json.loads(done[0])
    for (said, end), call, forbids in (
        (own, 'cuEventQuery', forbids_own),
        (other, 'cuEventQuery', forbids_others),
        (late, 'cuMemAlloc', forbids_others),
    ):
        assert bool(said) == bool(end) == forbids, (said, end)
        if forbids:
            assert f'{call} failed' in said and f"mode='{mode}'" in said
            assert 'cuStreamEndCapture failed' in end and f'which {call} ended' in end


@pytest.mark.parametrize('mode', ['global', 'thread_local', 'relaxed'])
def test_the_thread_that_captures_ends_it(mode):
    run(
        '-c',
        START
        + f'MODE = {mode!r}'
        + MODES
        + """
graph = CUDAGraph(mode=MODE)
graph.capture_begin()
y = step()
end = elsewhere(graph.capture_end)
assert bool(end) == (MODE != 'relaxed') and (not end or 'the thread that began' in end), end
if end:
    graph.capture_end()
graph.replay()
assert y.tolist() == want
""",
    )


def test_it_is_printed(tmp_path):
    run(
        '-c',
        START
        + f'''
step()
graph = CUDAGraph()
graph.capture_begin()
step()
graph.capture_end()
graph.print_to_dot_files({str(tmp_path)!r})
''',
    )
    text = (tmp_path / 'graph.dot').read_text()
    assert text.startswith('digraph') and text.count('cinn_') >= 2


def test_a_graph_that_was_not_captured_is_refused():
    done = child('-c', START + 'CUDAGraph().replay()')
    assert done.returncode == 1 and 'expected a graph that has captured' in done.stderr
    done = child('-c', START + "CUDAGraph(mode='none')")
    assert 'expected one of global, thread_local, relaxed' in done.stderr


def test_what_is_no_graph_is_refused():
    run(
        '-c',
        '''
import paddle
from paddle.base import core
paddle.set_device('gpu')
for wrong in (
    lambda: core.DeviceGraph(paddle.CUDAPlace(0), 1, 0),
    lambda: core.DeviceGraph.end(0),
    lambda: core.DeviceGraph.launch(core.DeviceGraph.__new__(core.DeviceGraph)),
    lambda: core.DeviceGraph(paddle.CUDAPlace(0), None, 2).launch(),
):
    try:
        wrong()
    except (TypeError, RuntimeError):
        continue
    raise AssertionError('accepted')
''',
    )


def test_a_stream_of_another_library():
    run(
        '-c',
        '''
import paddle
paddle.set_device('gpu')
own = paddle.device.Stream('gpu:0')
same = paddle.device.get_stream_from_external(own.handle, 'gpu:0')
assert same.handle == own.handle
with paddle.device.stream_guard(same):
    y = paddle.arange(8, dtype='float32').cuda() * 2
event = same.record_event()
event.synchronize()
assert y.tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
del same
with paddle.device.stream_guard(own):
    assert (y + 1).tolist()[-1] == 15  # the stream outlives what was made of its handle
for wrong, error in ((1.5, TypeError), (True, TypeError), (-1, ValueError)):
    try:
        paddle.device.get_stream_from_external(wrong)
    except error as e:
        assert 'data_ptr' in str(e)
    else:
        raise AssertionError(wrong)
''',
    )
