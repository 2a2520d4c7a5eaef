# SPDX-License-Identifier: Apache-2.0
"""paddle.profiler: what is recorded when, the trace, the tables; and the checks of results that use
the same watch.
"""

import json
import pathlib

import numpy as np
import pytest

import paddle
from paddle import profiler
from paddle.amp import debugging
from paddle.profiler import ProfilerState as State


@pytest.fixture(autouse=True)
def unwatched():
    yield
    paddle.set_flags(
        {
            'FLAGS_check_nan_inf': False,
            'FLAGS_check_nan_inf_level': 0,
            'FLAGS_low_precision_op_list': 0,
        }
    )


def test_phases_of_training_have_rows(capsys):
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 2))
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    step = paddle.optimizer.Optimizer.step
    with profiler.Profiler(scheduler=(1, 3)) as p:
        for _ in range(4):
            net(paddle.ones([2, 4])).mean().backward()
            optimizer.step()
            optimizer.clear_grad()
            p.step()
    assert paddle.optimizer.Optimizer.step is step
    found = [(e.name, e.type.name) for e in p.profiler_result.events]
    assert found.count(('Sequential', 'Forward')) == found.count(('ReLU', 'Forward')) == 2
    assert found.count(('Linear', 'Forward')) == 4
    assert found.count(('Gradient Backward', 'Backward')) == 2
    assert found.count(('Optimization Step', 'Optimization')) == 2
    p.summary(views=[profiler.SummaryView.OverView, profiler.SummaryView.ModelView])
    overview, model = capsys.readouterr().out.split(' Model Summary ')
    rows = {line.split()[0]: line.split()[1] for line in overview.splitlines() if line[:2] == '  '}
    assert rows['Forward'] == rows['Backward'] == rows['Optimization'] == '2'  # not what is inside
    names = [line.split()[0] for line in model.splitlines() if line.startswith(('  ', 'Prof'))]
    assert names == ['ProfileStep', 'Forward', 'Backward', 'Optimization', 'Others']


def test_scheduler():
    states = [
        profiler.make_scheduler(closed=1, ready=1, record=2, repeat=2, skip_first=1)(i).name
        for i in range(11)
    ]
    period = ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN']
    assert states == ['CLOSED', *period, *period, 'CLOSED', 'CLOSED']
    with pytest.raises(AssertionError):
        profiler.make_scheduler(closed=0, ready=0, record=0)
    with pytest.raises(AssertionError):
        profiler.Profiler(scheduler=(3, 3))


def train(layer, x):
    with profiler.RecordEvent('forward pass'):
        loss = (layer(x) * 2).sum()
    loss.backward()
    return loss


def test_trace_of_some_steps(tmp_path, capsys):
    layer, x = paddle.nn.Linear(4, 4), paddle.randn([8, 4])
    traces = []
    p = profiler.Profiler(
        scheduler=(1, 3), on_trace_ready=lambda p: traces.append(p.profiler_result)
    )
    p.start()
    for _ in range(4):
        train(layer, x)
        p.step(num_samples=8)
    assert p.current_state == State.CLOSED and len(traces) == 1
    assert ' samples/s' in p.step_info() and p.step_info() == ''
    p.stop()
    assert len(traces) == 1
    p.export(tmp_path / 'trace.json')
    rows = [
        r
        for r in json.loads((tmp_path / 'trace.json').read_text())['traceEvents']
        if r['ph'] == 'X'
    ]
    count = {}
    for r in rows:
        name = (r['name'].partition('[')[0], r['cat'])
        count[name] = count.get(name, 0) + 1
        assert r['dur'] >= 0
    assert count[('ProfileStep#1', 'ProfileStep')] == count[('ProfileStep#2', 'ProfileStep')] == 1
    assert ('ProfileStep#0', 'ProfileStep') not in count
    assert count[('forward pass', 'PythonUserDefined')] == 2
    assert count[('sum', 'Operator')] == count[('multiply', 'Operator')] == 2
    assert count[('sum_grad', 'Operator')] == count[('Gradient Backward', 'Backward')] == 2
    first = {r['name'].partition('[')[0]: r for r in reversed(rows)}
    outer, inner = first['forward pass'], first['multiply']
    assert (
        outer['ts'] <= inner['ts']
        and inner['ts'] + inner['dur'] <= outer['ts'] + outer['dur'] + 1e-2
    )
    p.summary(sorted_by=profiler.SortedKeys.CPUMax)
    text = capsys.readouterr().out
    for part in (
        'Device Summary',
        'Overview Summary',
        'Operator Summary',
        'UserDefined Summary',
        'multiply',
        'forward pass',
    ):
        assert part in text
    p.summary(views=profiler.SummaryView.DeviceView)
    assert 'Operator Summary' not in capsys.readouterr().out


def test_compiled_steps_show_instructions(tmp_path):
    f = paddle.jit.to_static(lambda x: paddle.tanh(x).matmul(x), full_graph=True, backend=None)
    x = paddle.ones([4, 4])
    for _ in range(4):
        f(x)
    with profiler.Profiler(
        on_trace_ready=profiler.export_chrome_tracing(str(tmp_path / 'log'), 'me')
    ) as p:
        f(x)
    names = [e.name for e in p.profiler_result.events if e.type.name == 'Program']
    assert any('tanh' in n for n in names) and any('matmul' in n for n in names)
    files = list((tmp_path / 'log').iterdir())
    assert (
        len(files) == 1
        and files[0].name.startswith('me_time_')
        and files[0].name.endswith('.paddle_trace.json')
    )
    with profiler.Profiler() as p:
        pass
    assert [e.type.name for e in p.profiler_result.events] == ['ProfileStep']


def test_timer_only():
    p = profiler.Profiler(timer_only=True)
    p.start()
    paddle.ones([2]) + 1
    p.step()
    assert p.step_info().endswith('steps/s')
    p.stop()
    assert p.profiler_result is None


def test_nan_raises_with_the_name(capfd):
    x = paddle.to_tensor([-1.0, 0.0, 2.0])
    y = paddle.to_tensor([0.0, 1.0], stop_gradient=False)
    f = paddle.jit.to_static(lambda x: paddle.log(x) * 2, full_graph=True)
    g = paddle.jit.to_static(lambda x: paddle.cumsum(paddle.log(x)), full_graph=True, backend=None)
    for _ in range(4):
        f(x.abs() + 1), g(x.abs() + 1)
    paddle.set_flags({'FLAGS_check_nan_inf': True})
    with pytest.raises(
        RuntimeError,
        match=r'expected finite numbers in .*cpu, op=log.*num_nan=1, num_inf=1, num_zero=0',
    ):
        paddle.log(x)
    with pytest.raises(RuntimeError, match='op=divide.* dtype=bf16'):
        x.astype('bfloat16') / 0.0
    with pytest.raises(RuntimeError, match='op=sqrt_grad.*num_inf=1'):
        paddle.sqrt(y).sum().backward()
    for compiled in (f, g):
        with pytest.raises(RuntimeError, match='expected finite numbers in .*log'):
            compiled(x)
    paddle.empty([8]), paddle.exp(x), x.sum()
    assert '[PRECISION] [ERROR] in [device=cpu, op=log' in capfd.readouterr().out
    paddle.set_flags({'FLAGS_check_nan_inf_level': 1})
    assert np.isnan(paddle.log(x).numpy()[0])
    assert 'op=log' in capfd.readouterr().out
    paddle.exp(x)
    assert capfd.readouterr().out == ''
    paddle.set_flags({'FLAGS_check_nan_inf_level': 2})
    paddle.full([2], 1e5)
    assert 'op=full' in capfd.readouterr().out
    paddle.set_flags({'FLAGS_check_nan_inf_level': 3})
    paddle.exp(x)
    assert (
        'op=exp, tensor=, dtype=fp32], numel=3, num_zero=0, max=7.389056e+00'
        in capfd.readouterr().out
    )
    paddle.set_flags({'FLAGS_check_nan_inf': False})
    paddle.log(x)
    assert capfd.readouterr().out == ''


def test_tensor_checker_chooses_operations(capfd):
    x = paddle.to_tensor([-1.0])
    debugging.enable_tensor_checker(debugging.TensorCheckerConfig(True, skipped_op_list=['log']))
    paddle.log(x)
    with pytest.raises(RuntimeError, match='op=sqrt'):
        paddle.sqrt(x)
    debugging.disable_tensor_checker()
    config = debugging.TensorCheckerConfig(
        True, debugging.DebugMode.CHECK_ALL, checked_op_list=['exp']
    )
    debugging.enable_tensor_checker(config)
    paddle.exp(x), paddle.sin(x)
    debugging.disable_tensor_checker()
    paddle.exp(x)
    out = capfd.readouterr().out
    assert out.count('op=exp') == 1 and 'op=sin' not in out
    with pytest.raises(ValueError):
        debugging.TensorCheckerConfig(True, checked_op_list='log')


def test_operator_statistics(capsys):
    with debugging.collect_operator_stats():
        paddle.exp(paddle.ones([2]).astype('bfloat16'))
        paddle.exp(paddle.ones([2]))
        paddle.exp(paddle.ones([2]))
    line = next(t for t in capsys.readouterr().out.splitlines() if t.startswith('  exp '))
    assert line.replace(' ', '') == 'exp|0|1|2|0'


def test_flags_keep_their_types():
    for name, value in (
        ('check_nan_inf', 'true'),
        ('check_nan_inf_level', 1.5),
        ('check_nan_inf_level', 'abc'),
        ('allocator_strategy', 1),
    ):
        with pytest.raises(RuntimeError, match='FLAGS_' + name):
            paddle.set_flags({'FLAGS_' + name: value})
    with pytest.raises(ValueError, match='FLAGS_no_such'):
        paddle.set_flags({'FLAGS_no_such': 1})
    paddle.set_flags({'FLAGS_eager_delete_tensor_gb': 1})
    assert (
        repr(paddle.get_flags('FLAGS_eager_delete_tensor_gb')['FLAGS_eager_delete_tensor_gb'])
        == '1.0'
    )
    paddle.set_flags({'FLAGS_eager_delete_tensor_gb': 0.0})


def test_profiles_as_files(tmp_path):
    handler = profiler.export_protobuf(str(tmp_path), 'me')
    with profiler.Profiler(on_trace_ready=handler) as recorder:
        with profiler.RecordEvent('mine'):
            paddle.matmul(paddle.ones([3, 4]), paddle.ones([4, 2]))
    (path,) = tmp_path.iterdir()
    assert path.name.startswith('me_time_') and path.name.endswith('.paddle_trace.pb')
    result = profiler.load_profiler_result(str(path))
    (root,) = result.get_data().values()
    (step,) = root.children_node
    (mine,) = [node for node in step.children_node if node.name == 'mine']
    inner = [node for node in mine.children_node if node.name == 'matmul']
    assert step.name == 'ProfileStep#0' and len(inner) == 1
    assert mine.start_ns <= inner[0].start_ns <= inner[0].end_ns <= mine.end_ns
    assert float(result.get_extra_info()['Process Cpu Utilization']) >= 0
    text = profiler.profiler_statistic._build_table(
        profiler.profiler_statistic.StatisticData(result.get_data(), result.get_extra_info())
    )
    assert 'matmul' in text and 'UserDefined Summary' in text

    result.save(str(tmp_path / 'again.pb'), 'pb')
    again = profiler.load_profiler_result(str(tmp_path / 'again.pb'))
    assert again.get_extra_info() == result.get_extra_info()
    (copied,) = again.get_data().values()
    assert [n.start_ns for n in copied.children_node] == [step.start_ns]
    result.save(str(tmp_path / 'trace.json'))
    with open(tmp_path / 'trace.json', encoding='utf-8') as stream:
        names = [row['name'] for row in json.load(stream)['traceEvents']]
    assert any(name.startswith('mine[') for name in names)
    with pytest.raises(ValueError, match="'json' or 'pb'"):
        recorder.export(str(tmp_path / 'x'), format='xml')


def published():
    from paddle.framework.wire import field
    from paddle.profiler.trace_file import _message

    def node(number, parent, *event):
        return field(2, _message(number, parent, _message(*event)))

    thread = field(1, 7) + node(0, -1, 'root node', 7, 0, -1, 0, 0)
    thread += node(1, 0, 'ProfileStep#0', 2, 10, 2000, 7, 7) + node(2, 1, 'mine', 14, 20, 200, 7, 7)
    return _message('1.0.2', 0) + field(3, thread) + field(4, _message('7', 'MainThread'))


def test_a_profile_of_the_published_package():
    path = pathlib.Path(__file__).parent / 'data' / 'profile_3.3.1.pb'
    result = profiler.load_profiler_result(str(path))
    (root,) = result.get_data().values()
    assert [n.name for n in root.children_node] == [f'ProfileStep#{k}' for k in range(3)]
    assert [n.children_node[0].name for n in root.children_node[:2]] == ['mine', 'mine']
    assert result.get_extra_info()['System Cpu Utilization'] == '1.000000'


def test_damaged_profiles_are_refused(tmp_path):
    path = tmp_path / 'trace.pb'
    whole = published()
    path.write_bytes(whole)
    (root,) = profiler.load_profiler_result(str(path)).get_data().values()
    assert root.children_node[0].children_node[0].name == 'mine'
    refused = 0
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        try:
            profiler.load_profiler_result(str(path))
        except ValueError as error:
            assert '[load_profiler_result]' in str(error)
            refused += 1
    assert refused > len(whole) * 0.9
    with pytest.raises(FileNotFoundError):
        profiler.load_profiler_result(str(tmp_path / 'none.pb'))


@pytest.mark.parametrize('workers', [0, 2])
def test_loaded_batches_are_spans(workers):
    batches = paddle.io.DataLoader(list(range(6)), batch_size=2, num_workers=workers)
    with profiler.Profiler() as profile:
        assert len(list(batches)) == 3
    kinds = [e.type for e in profile.profiler_result.events]
    # The last one finds that there are no more.
    assert kinds.count(profiler.utils.TracerEventType.Dataloader) == 4
    assert len(list(batches)) == 3 and profiler.utils.take_events() == []
