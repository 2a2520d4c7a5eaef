"""Data sets of text files: what programs are fed, what is refused, and Hadoop's file system by a
script in place of its command."""

import os
import random
import sys

import numpy
import pytest

import paddle
from paddle import distributed
from paddle.distributed.fleet.utils import fs

HADOOP = """\
import os, shutil, sys
root = os.environ['FAKE_HDFS']
words = sys.argv[1:]
assert words.pop(0) == 'fs'
while words[0].startswith('-D'):
    words.pop(0)
    if '=' not in words[0] and not words[0].startswith('-'):
        words.pop(0)
command, *rest = [word for word in words if not word.startswith('-D') and '=' not in word]
with open(os.path.join(root, '..', 'log'), 'a') as log:
    log.write(' '.join(sys.argv[1:]) + '\\n')
flags = [word for word in rest if word.startswith('-')]
paths = [word for word in rest if not word.startswith('-')]
real = lambda path: root + path.replace('hdfs://host:9000', '')
def fail(message):
    sys.stderr.write(message + '\\n')
    sys.exit(1)
if command != '-put' and command != '-test' and command != '-mkdir' and command != '-touchz':
    if not os.path.exists(real(paths[0])):
        fail(f"`{paths[0]}': No such file or directory")
def copied(source, to):
    if os.path.isdir(to):
        to = os.path.join(to, os.path.basename(source))
    if os.path.exists(to):
        fail(f"`{to}': File exists")
    (shutil.copytree if os.path.isdir(source) else shutil.copy)(source, to)
if command == '-ls':
    path = paths[0].rstrip('/')
    names = sorted(os.listdir(real(path))) if os.path.isdir(real(path)) else []
    print(f'Found {len(names)} items')
    for entry in [f'{path}/{n}' for n in names] if os.path.isdir(real(path)) else [path]:
        kind = 'd' if os.path.isdir(real(entry)) else '-'
        size = 0 if kind == 'd' else os.path.getsize(real(entry))
        print(f'{kind}rw-r--r--   3 user group {size} 2024-01-31 12:00 {entry}')
elif command == '-test':
    test = {'-e': os.path.exists, '-d': os.path.isdir}[flags[0]]
    sys.exit(0 if test(real(paths[0])) else 1)
elif command == '-mkdir':
    os.makedirs(real(paths[0]))
elif command == '-put':
    copied(paths[0], real(paths[1]))
elif command == '-get':
    copied(real(paths[0]), paths[1])
elif command == '-mv':
    if os.path.exists(real(paths[1])):
        fail('File exists')
    os.rename(real(paths[0]), real(paths[1]))
elif command == '-rm':
    (shutil.rmtree if '-r' in flags else os.remove)(real(paths[0]))
elif command == '-touchz':
    open(real(paths[0]), 'w').close()
elif command == '-cat':
    sys.stdout.write(open(real(paths[0])).read())
else:
    sys.exit(255)
"""


@pytest.fixture
def hadoop(tmp_path, monkeypatch):
    """A directory with a `bin/hadoop`, on the path, whose file system lies below `root`."""
    (tmp_path / 'home' / 'bin').mkdir(parents=True)
    (tmp_path / 'root').mkdir()
    script = tmp_path / 'home' / 'bin' / 'hadoop'
    script.write_text(f'#!{sys.executable}\n{HADOOP}')
    script.chmod(0o755)
    monkeypatch.setenv('FAKE_HDFS', str(tmp_path / 'root'))
    monkeypatch.setenv('PATH', f'{script.parent}{os.pathsep}{os.environ["PATH"]}')
    return tmp_path


@pytest.fixture
def client(hadoop):
    settings = {'fs.default.name': 'hdfs://host:9000', 'hadoop.job.ugi': 'u,p'}
    return fs.HDFSClient(str(hadoop / 'home'), settings, sleep_inter=1)


def program():
    """(program, its inputs, the loss of one training step) of y = w x from w = 1."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data('x', [None, 1], 'float32')
        y = paddle.static.data('y', [None, 1], 'int64')
        w = paddle.static.create_parameter(
            [1], 'float32', default_initializer=paddle.nn.initializer.Constant(1.0)
        )
        loss = paddle.mean((x * w - y.astype('float32')) ** 2)
        paddle.optimizer.SGD(0.01).minimize(loss)
    exe = paddle.static.Executor()
    exe.run(startup)
    return main, [x, y], loss, exe


def files(tmp_path, *texts):
    paths = []
    for number, text in enumerate(texts):
        paths.append(str(tmp_path / f'part-{number}'))
        with open(paths[-1], 'w') as stream:
            stream.write(text)
    return paths


def fed(data, *sequences):
    """What a program would be fed, as lists."""
    return [
        {name: numpy.asarray(value).tolist() for name, value in batch.items()}
        for batch in data._batches(sequences)
    ]


def printed(capsys):
    return [line.split('], ', 1)[1] for line in capsys.readouterr().out.splitlines()]


def test_a_queue_trains_on_batches_that_cross_files(static_mode, tmp_path, capsys):
    main, inputs, loss, exe = program()
    data = distributed.QueueDataset()
    data.init(batch_size=2, use_var=inputs)
    data.set_filelist(files(tmp_path, '1 0.5 1 1\n1 1.5 1 0\n1 2.5 1 1\n', '1 3.5 1 0\n1 4.5 1 1'))
    options = dict(fetch_list=[inputs[0], loss], fetch_info=['x', 'loss'], print_period=1)
    assert exe.train_from_dataset(main, data, **options) is None
    w, want = 1.0, []
    for number, batch in enumerate(([(0.5, 1), (1.5, 0)], [(2.5, 1), (3.5, 0)], [(4.5, 1)]), 1):
        value = sum((w * x - y) ** 2 for x, y in batch) / len(batch)
        w -= 0.01 * sum(2 * x * (w * x - y) for x, y in batch) / len(batch)
        shown = ' '.join(f'{x:g}' for x, _ in batch)
        want.append((f'batch: [{number}], x[{len(batch)}]:[{shown}], loss[1]:', value))
    for line, (head, value) in zip(printed(capsys), want):
        assert line.startswith(head)
        assert float(line.rsplit('[', 1)[1][:-1]) == pytest.approx(value, rel=1e-5)
    exe.train_from_dataset(main, data, fetch_list=[loss], print_period=2)
    assert len(printed(capsys)) == 1
    exe.train_from_dataset(main, data)
    assert capsys.readouterr().out == ''


def test_a_handler_gets_values(static_mode, tmp_path):
    main, inputs, loss, exe = program()
    data = distributed.QueueDataset()
    data.init(batch_size=1, use_var=inputs)
    data.set_filelist(files(tmp_path, '1 1 1 1\n1 2 1 1\n'))
    got = []

    class Keeps(paddle.base.executor.FetchHandler):
        def handler(self, res_dict):
            got.append(res_dict)

    exe.infer_from_dataset(main, data, fetch_handler=Keeps({'x': inputs[0]}, period_secs=0))
    assert [values['x'].tolist() for values in got] == [[[1.0]], [[2.0]]]


def test_slots_with_levels_are_sequences(static_mode, tmp_path, capsys):
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        words = paddle.static.data('words', [None, 1], 'float32', lod_level=1)
        pair = paddle.static.data('pair', [None, 2], 'float32')
        total = paddle.static.nn.sequence_pool(words, 'sum')
    data = distributed.InMemoryDataset()
    data.init(batch_size=2, use_var=[words, pair])
    data.set_filelist(files(tmp_path, '2 1 2 2 7 8\n3 1 1 1.5 2 9 9\n1 9 2 0 0\n'))
    data.load_into_memory()
    paddle.static.Executor().infer_from_dataset(
        main, data, fetch_list=[total, pair], fetch_info=['total', 'pair'], print_period=1
    )
    assert printed(capsys) == [
        'batch: [1], total[2]:[3 3.5], pair[4]:[7 8 9 9]',
        'batch: [2], total[1]:[9], pair[2]:[0 0]',
    ]


def test_samples_in_memory_are_counted_shuffled_and_released(static_mode, tmp_path):
    _, inputs, _, _ = program()
    paths = files(tmp_path, *(''.join(f'1 {i} 1 {i}\n' for i in range(p, p + 10)) for p in (0, 10)))
    data = distributed.InMemoryDataset()
    data.init(batch_size=20, use_var=inputs, thread_num=2)
    data.set_filelist(paths)
    assert fed(data) == []
    data.load_into_memory()
    (batch,) = fed(data)
    assert [row[0] for row in batch['y']] == list(range(20))  # in the order of files and lines
    assert (data.get_memory_data_size(), data.get_shuffle_data_size()) == (20, 0)
    random.seed(5)
    data.local_shuffle()
    (first,) = fed(data)
    assert first['x'] == [[float(n)] for (n,) in first['y']] != batch['x']
    data.load_into_memory()
    random.seed(5)
    data.global_shuffle()
    assert fed(data) == [first]
    assert data.get_shuffle_data_size() == 20
    data.update_settings(batch_size=8, fea_eval=True)
    assert [len(part['x']) for part in fed(data)] == [8, 8, 4]
    data.slots_shuffle(['x'])
    apart = [pair for part in fed(data) for pair in zip(part['x'], part['y'])]
    assert [y for _, y in apart] == first['y'] and [x for x, _ in apart] != first['x']
    assert sorted(x for x, _ in apart) == sorted(first['x'])
    data.release_memory()
    assert data.get_memory_data_size() == 0
    data.preload_into_memory()
    data.wait_preload_done()
    assert data.get_memory_data_size() == 20
    with pytest.raises(RuntimeError, match='preload_into_memory before'):
        data.wait_preload_done()


def test_commands_make_the_samples(static_mode, tmp_path, hadoop, capfd):
    _, inputs, _, _ = program()
    (path,) = files(tmp_path, '# 1 9 1 9\n1 1 1 1\n')
    data = distributed.QueueDataset()
    data.init(use_var=inputs, pipe_command="grep -v '#'")
    data.set_filelist([path])
    assert fed(data) == [{'x': [[1.0]], 'y': [[1]]}]
    data.init(
        use_var=inputs, download_cmd=f'sed s/9/5/g {path}; true', pipe_command='head -1|cut -c3-'
    )
    assert fed(data) == [{'x': [[5.0]], 'y': [[5]]}]
    data.init(use_var=inputs, pipe_command='tail -1; exit 3')
    with pytest.raises(RuntimeError, match="'tail -1; exit 3' to succeed .* exit status 3"):
        fed(data)
    os.rename(path, tmp_path / 'root' / 'far')
    data.init(use_var=inputs, fs_name='hdfs://host:9000', fs_ugi='u,p', pipe_command='tail -1')
    data.set_filelist(['hdfs://host:9000/far'])
    assert fed(data) == [{'x': [[1.0]], 'y': [[1]]}]
    assert 'fs.default.name=hdfs://host:9000' in (tmp_path / 'log').read_text()
    data.set_filelist(['hdfs://host:9000/none'])
    data.init(use_var=inputs)
    with pytest.raises(RuntimeError, match='exit status 1'):
        fed(data)
    data.set_filelist([str(tmp_path / 'none')])
    with pytest.raises(FileNotFoundError):
        fed(data)
    data.set_filelist(files(tmp_path, '1 1 1 1\n' * 100000))
    batches = data._batches(())
    next(batches)
    batches.close()  # ends the commands, which have more to write


def test_ids_stand_before_the_slots(static_mode, tmp_path):
    _, inputs, _, _ = program()
    data = distributed.InMemoryDataset()
    data.init(use_var=inputs, parse_ins_id=True, parse_content=True)
    data.set_filelist(files(tmp_path, '1 id-7 1 some_text 1 2.5 1 3\n'))
    data.load_into_memory()
    assert fed(data) == [{'x': [[2.5]], 'y': [[3]]}]
    assert data._held[0][1] == 'id-7'


def test_integers_have_64_bits(static_mode, tmp_path):
    _, inputs, _, _ = program()
    data = distributed.QueueDataset()
    data.init(use_var=inputs)
    data.set_filelist(files(tmp_path, '1 nan 1 -5\n1 1e400 1 18446744073709551615\n'))
    first, second = fed(data)
    assert first['y'] == [[-5]] and first['x'] != first['x'][0]
    assert second == {'x': [[float('inf')]], 'y': [[-1]]}


@pytest.mark.parametrize(
    'line, where',
    [
        ('0 1 1', "slot 'x'"),
        ('1 0.5', "slot 'y'"),
        ('2 0.5', "slot 'x'"),
        ('1 x 1 1', "slot 'x'"),
        ('1 1 1 1.5', "slot 'y'"),
        ('1 1 1 99999999999999999999', "slot 'y'"),
        ('', "slot 'x'"),
        ('-1 1 1', "slot 'x'"),
    ],
)
def test_a_line_that_is_none_is_refused(static_mode, tmp_path, line, where):
    _, inputs, _, _ = program()
    data = distributed.QueueDataset()
    data.init(use_var=inputs)
    data.set_filelist(files(tmp_path, f'1 1 1 1\n{line}\n'))
    with pytest.raises(ValueError, match=where):
        fed(data)


def test_settings_that_are_none_are_refused(static_mode, tmp_path):
    main, inputs, _, exe = program()
    data = distributed.InMemoryDataset()
    with pytest.raises(TypeError, match='batch_size'):
        data.init(batch_siz=1)
    with pytest.raises(TypeError, match='int'):
        data.init(batch_size='a')
    for name in ('batch_size', 'thread_num'):
        with pytest.raises(ValueError, match='at least 1'):
            data.init(**{name: 0})
    for name, value in (('input_type', 1), ('merge_size', 2), ('data_feed_type', 'X')):
        with pytest.raises(NotImplementedError, match=name):
            data.init(**{name: value})
    with pytest.raises(ValueError, match='float32 or int64'):
        data.init(use_var=[paddle.static.data('b', [None, 1], 'int32')])
    with pytest.raises(TypeError, match='list of paths'):
        data.set_filelist('part-0')
    data.init(use_var=inputs)
    with pytest.raises(AttributeError, match='fea_eval'):
        data.slots_shuffle(['x'])
    for date in ('x', '2024013x'):
        with pytest.raises(ValueError):
            data.set_date(date)
    empty = distributed.InMemoryDataset()
    empty.init()
    empty.set_filelist(files(tmp_path, '1 1 1 1\n'))
    with pytest.raises(RuntimeError, match='use_var'):
        empty.load_into_memory()
    with pytest.raises(RuntimeError, match='data set'):
        exe.train_from_dataset(main)
    with pytest.raises(AttributeError, match='InMemoryDataset'):
        exe.train_from_dataset(main, 3)
    with pytest.raises(ValueError, match='print_period'):
        exe.train_from_dataset(main, data, print_period=0)
    with pytest.raises(ValueError, match='fetch_info'):
        exe.train_from_dataset(main, data, fetch_list=inputs, fetch_info=['x'])
    wrong = distributed.QueueDataset()
    wrong.init(use_var=[paddle.static.data('w', [None, 2], 'float32')])
    wrong.set_filelist(files(tmp_path, '3 1 2 3\n'))
    with pytest.raises(ValueError, match='fill shape'):
        fed(wrong)


def _shuffles(path):
    from paddle.distributed import fleet

    distributed.init_parallel_env()
    rank = distributed.get_rank()
    paddle.enable_static()
    data = distributed.InMemoryDataset()
    data.init(use_var=[paddle.static.data('y', [None, 1], 'int64')], batch_size=1000)
    with open(f'{path}-{rank}', 'w') as stream:
        stream.write(''.join(f'1 {n}\n' for n in range(100 * rank, 100 * rank + 100)))
    data.set_filelist([f'{path}-{rank}'])
    data.load_into_memory()
    data.global_shuffle(fleet)
    assert data.get_memory_data_size(fleet) == data.get_shuffle_data_size(fleet) == 200
    assert data.get_memory_data_size() != 200
    (batch,) = fed(data)
    paddle.disable_static()
    parts = []
    distributed.all_gather_object(parts, [n for (n,) in batch['y']])
    assert sorted(parts[0] + parts[1]) == list(range(200))
    assert any(n >= 100 for n in parts[0]) and any(n < 100 for n in parts[1])


def test_processes_exchange_samples(tmp_path):
    distributed.spawn(_shuffles, args=(str(tmp_path / 'part'),), nprocs=2)


def test_entries_have_the_texts_of_tables():
    assert distributed.ProbabilityEntry(0.5)._to_attr() == 'probability_entry:0.5'
    assert distributed.CountFilterEntry(0)._to_attr() == 'count_filter_entry:0'
    assert distributed.ShowClickEntry('s', 'c')._to_attr() == 'show_click_entry:s:c'
    for entry, value in (
        *((distributed.ProbabilityEntry, value) for value in (0, 1, 0.0, 1.0, -0.1, '0.5')),
        *((distributed.CountFilterEntry, value) for value in (-1, 2.0, '3')),
        (lambda value: distributed.ShowClickEntry('shows', value), 1),
    ):
        with pytest.raises(ValueError, match='expected'):
            entry(value)


def test_rows_are_trained_once_they_are_admitted(static_mode):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        ids = paddle.static.data('ids', [None, 1], 'int64')
        one = paddle.nn.initializer.Constant(1.0)
        rows = paddle.static.nn.sparse_embedding(
            ids, [4, 2], entry=distributed.CountFilterEntry(3), param_attr=one
        )
        loss = paddle.sum(rows)
        paddle.optimizer.SGD(0.5).minimize(loss)
    exe = paddle.static.Executor()
    exe.run(startup)

    def step(*numbers):
        feed = {'ids': numpy.array(numbers).reshape(-1, 1)}
        return exe.run(main, feed=feed, fetch_list=[rows])[0][:, 0, 0].tolist()

    assert step(0, 1) == [0, 0]
    assert step(0, 0, 2) == [1, 1, 0]  # the third lookup of row 0
    assert step(0, 1) == [0, 0]  # which has been trained twice by 0.5
    assert step(0, 1, 2) == [-0.5, 1, 0]
    assert step(3, 3, 3) == [1, 1, 1]


def test_rows_are_admitted_by_chance(static_mode):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        ids = paddle.static.data('ids', [None], 'int64')
        one = paddle.nn.initializer.Constant(1.0)
        rows = paddle.static.nn.sparse_embedding(
            ids, [1000, 1], entry=distributed.ProbabilityEntry(0.25), param_attr=one
        )
        shown = paddle.static.nn.sparse_embedding(
            ids, [1000, 1], is_test=True, entry=distributed.CountFilterEntry(1), param_attr=one
        )
    exe = paddle.static.Executor()
    exe.run(startup)
    shares = []
    for _ in range(3):
        got, never = exe.run(main, feed={'ids': numpy.arange(1000)}, fetch_list=[rows, shown])
        shares.append(got.mean())
        assert never.max() == 0
    for share, want in zip(shares, (0.25, 0.4375, 0.578)):
        assert abs(share - want) < 0.06
    with pytest.raises(ValueError, match='CountFilterEntry'):
        paddle.static.nn.sparse_embedding(ids, [4, 2], entry='count_filter_entry:3')


def table_program(entry=None, size=2):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        ids = paddle.static.data('ids', [None, 2], 'int64')
        paddle.static.data('shows', [None, 1], 'int64')
        paddle.static.data('clicks', [None, 1], 'float32')
        rows = paddle.static.nn.sparse_embedding(
            ids, [5, size], entry=entry, param_attr=paddle.ParamAttr('table')
        )
        loss = paddle.mean(rows)
        paddle.optimizer.SGD(0.5).minimize(loss)
    return main, startup, rows, loss


def test_rows_count_shows_and_clicks(static_mode):
    main, startup, rows, _ = table_program(distributed.ShowClickEntry('shows', 'clicks'))
    exe = paddle.static.Executor()
    exe.run(startup)
    feed = {
        'ids': numpy.array([[0, 1], [1, 4]]),
        'shows': numpy.array([[2], [3]]),
        'clicks': numpy.array([[0.0], [1.0]], 'float32'),
    }
    exe.run(main, feed=feed, fetch_list=[rows])
    made = exe.run(main.clone(for_test=True), feed=feed, fetch_list=[rows])[0]
    assert made.shape == (2, 2, 2) and numpy.abs(made).max() > 0
    exe.run(main, feed=feed, fetch_list=[rows])
    state = main.state_dict()
    assert state['table.show'].tolist() == [4, 10, 0, 0, 6]
    assert state['table.click'].tolist() == [0, 2, 0, 0, 2]
    with pytest.raises(ValueError, match="a variable 'none' of the program"):
        table_program(distributed.ShowClickEntry('shows', 'none'))


def test_a_trained_table_is_evaluated(static_mode, tmp_path):
    from paddle.distributed.fleet.utils import DistributedInfer

    main, startup, rows, loss = table_program()
    exe = paddle.static.Executor()
    exe.run(startup)
    feed = {
        'ids': numpy.array([[0, 1]]),
        'shows': numpy.array([[1]]),
        'clicks': numpy.array([[0.0]], 'float32'),
    }
    for _ in range(3):
        exe.run(main, feed=feed)
    distributed.io.save_persistables(exe, str(tmp_path), main)
    want = main.state_dict()['table'].numpy()[:2]

    infer = DistributedInfer(main, startup)
    infer.init_distributed_infer_env(exe, loss)
    program = infer.get_dist_infer_program()
    assert numpy.abs(exe.run(program, feed=feed, fetch_list=[rows])[0][0] - want).max() > 1e-3
    infer.init_distributed_infer_env(exe, loss, dirname=str(tmp_path))
    for _ in range(2):  # no update is made
        made = exe.run(program, feed=feed, fetch_list=[rows])[0][0]
        numpy.testing.assert_array_equal(made, want)
    with pytest.raises(FileNotFoundError, match='table'):
        infer.init_distributed_infer_env(exe, loss, dirname=str(tmp_path / 'none'))
    with pytest.raises(TypeError, match='as loss'):
        infer.init_distributed_infer_env(exe, 'loss')
    with pytest.raises(TypeError, match='as startup_program'):
        DistributedInfer(main, 'startup')


def test_hdfs_has_files_and_directories(client):
    assert not client.is_exist('/d')
    client.mkdirs('/d')
    client.mkdirs('/d')
    assert client.is_dir('/d') and not client.is_file('/d')
    assert not client.is_dir('/n') and not client.is_file('/n')
    client.touch('/d/t')
    client.touch('/d/t')
    with pytest.raises(fs.FSFileExistsError):
        client.touch('/d/t', exist_ok=False)
    assert client.is_file('/d/t')
    assert client.ls_dir('/n') == ([], []) and client.list_dirs('/n') == []
    client.mkdirs('/d/below')
    assert client.ls_dir('/d') == (['below'], ['t']) and client.list_dirs('/d') == ['below']
    client.delete('/d/t')
    client.delete('/d/t')
    client.delete('/d')
    assert not client.is_exist('/d') and client.need_upload_download()


def test_hdfs_copies_to_and_from_the_host(client, tmp_path):
    local = tmp_path / 'local'
    (local / 'below').mkdir(parents=True)
    (local / 'one').write_text('hello\nworld\n')
    (local / 'below' / 'two').write_text('2')
    client.upload(str(local / 'one'), '/one')
    assert client.cat('/one') == 'hello\nworld' and client.cat('/none') == client.cat() == ''
    with pytest.raises(fs.ExecuteError, match='File exists'):
        client.upload(str(local / 'one'), '/one')
    client.upload(str(local / 'one'), '/one', overwrite=True)
    with pytest.raises(fs.FSFileNotExistsError):
        client.upload(str(local / 'none'), '/none')
    client.upload(str(local), '/up')
    assert client.ls_dir('/up') == (['below'], ['one']) and client.cat('/up/below/two') == '2'
    client.upload_dir(str(local) + '/', '/all')
    assert client.cat('/all/local/below/two') == '2'
    with pytest.raises(fs.FSFileExistsError):
        client.upload_dir(str(local), '/all')
    client.upload_dir(str(local), '/all', overwrite=True)
    assert client.list_files_info(['/up', '/one']) == [
        {'path': '/up/one', 'size': 12},
        {'path': '/one', 'size': 12},
    ]
    client.download('/up', str(tmp_path / 'back'))
    assert (tmp_path / 'back' / 'below' / 'two').read_text() == '2'
    client.download('/one', str(tmp_path / 'file'))
    with pytest.raises(fs.ExecuteError, match='File exists'):
        client.download('/one', str(tmp_path / 'file'))
    client.download('/one', str(tmp_path / 'file'), overwrite=True)
    with pytest.raises(fs.FSFileNotExistsError):
        client.download('/none', str(tmp_path / 'none'))


def test_hdfs_moves(client):
    client.touch('/a')
    client.touch('/b')
    with pytest.raises(fs.FSFileExistsError):
        client.mv('/a', '/b')
    with pytest.raises(fs.FSFileNotExistsError):
        client.mv('/none', '/c')
    with pytest.raises(fs.ExecuteError, match='No such file'):
        client.mv('/none', '/c', test_exists=False)
    client.mv('/a', '/b', overwrite=True)
    client.rename('/b', '/c')
    assert client.ls_dir('/') == ([], ['c'])


def test_a_hadoop_that_fails_is_told(client, hadoop):
    log = (hadoop / 'log').read_text() if (hadoop / 'log').exists() else ''
    with pytest.raises(fs.ExecuteError, match='exit status 1'):
        client.list_files_info(['/none'])
    tried = (hadoop / 'log').read_text()[len(log) :].splitlines()
    assert tried == ['fs -Dfs.default.name=hdfs://host:9000 -Dhadoop.job.ugi=u,p -ls /none'] * 5
    script = hadoop / 'home' / 'bin' / 'hadoop'
    script.write_text('#!/bin/sh\nexit 255\n')
    with pytest.raises(fs.ExecuteError, match='exit status 255'):
        client.is_exist('/')
    script.write_text('#!/bin/sh\nexec sleep 60\n')
    slow = fs.HDFSClient(str(hadoop / 'home'), None, time_out=200)
    with pytest.raises(fs.FSTimeOut, match='200 ms'):
        slow.is_exist('/')
    script.unlink()
    with pytest.raises(fs.ExecuteError, match='No such file'):
        client.mkdirs('/d')
