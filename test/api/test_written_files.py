# SPDX-License-Identifier: Apache-2.0
"""What every writer does to the file system: links, permissions, pipes, failures, and saves in the
background.
"""

import errno
import functools
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

import paddle
from paddle import static
from paddle.framework import io as framework_io
from paddle.framework.output_file import OutputFile, write_file
from paddle.static import InputSpec


def _jit_save(path):
    paddle.jit.save(
        paddle.nn.Linear(4, 3),
        path[: -len('.json')],
        input_spec=[InputSpec([None, 4], 'float32', 'x')],
    )


def _params(path):
    paddle.jit.save(
        paddle.nn.Linear(4, 3),
        path[: -len('.pdiparams')],
        input_spec=[InputSpec([None, 4], 'float32', 'x')],
    )


def _profile(path):
    from paddle import profiler

    with profiler.Profiler(targets=[profiler.ProfilerTarget.CPU]) as p:
        paddle.ones([2]) + 1
    p.export(path)


def _async(path):
    paddle.async_save({'a': paddle.ones([3])}, path)
    framework_io.clear_async_save_task_queue()


# Every public writer: name of the file, and the call that writes it.
WRITERS = {
    'save': ('x.pdparams', lambda p: paddle.save({'a': paddle.ones([3])}, p)),
    'save binary': ('x', lambda p: paddle.save(paddle.ones([3]), p, use_binary_format=True)),
    'save safetensors': ('x', lambda p: paddle.save({'a': paddle.ones([3])}, p, safetensors=True)),
    'async_save': ('x', _async),
    'jit.save program': ('x.json', _jit_save),
    'jit.save parameters': ('x.pdiparams', _params),
    'save_to_file': ('x', lambda p: static.save_to_file(p, b'abc')),
    'profiler': ('x.json', _profile),
    'hapi parameters': (
        'x.pdparams',
        lambda p: paddle.Model(paddle.nn.Linear(2, 2)).save(p[: -len('.pdparams')]),
    ),
    'audio': ('x.wav', lambda p: paddle.audio.save(p, paddle.zeros([1, 8]), 16000)),
}


@pytest.fixture(params=list(WRITERS))
def writer(request, tmp_path):
    name, write = WRITERS[request.param]
    return tmp_path / name, write


def test_a_new_file_has_the_permissions_of_open(writer):
    path, write = writer
    mask = os.umask(0o027)
    try:
        write(str(path))
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not [p for p in path.parent.iterdir() if p.name.startswith('.')]


def test_links_are_followed_and_permissions_kept(writer, tmp_path):
    path, write = writer
    real = tmp_path / 'elsewhere' / 'real'
    real.parent.mkdir()
    real.write_bytes(b'old')
    real.chmod(0o604)
    os.symlink('elsewhere/real', tmp_path / 'middle')
    path.symlink_to(tmp_path / 'middle')
    write(str(path))
    assert path.is_symlink() and (tmp_path / 'middle').is_symlink()
    assert real.read_bytes() != b'old' and stat.S_IMODE(real.stat().st_mode) == 0o604
    assert os.listdir(real.parent) == ['real']


def test_a_broken_link_makes_its_target(writer, tmp_path):
    path, write = writer
    path.symlink_to('new')
    write(str(path))
    assert path.is_symlink() and (tmp_path / 'new').stat().st_size > 0
    (tmp_path / 'new').unlink()
    path.unlink()
    path.symlink_to('missing/new')
    with pytest.raises((OSError, RuntimeError)):
        write(str(path))
    path.unlink()
    path.symlink_to(path.name)
    with pytest.raises((OSError, RuntimeError)):
        write(str(path))


def test_a_pipe_is_written(writer):
    path, write = writer
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write(str(path))
    reader.join(20)
    assert got and got[0] and stat.S_ISFIFO(path.stat().st_mode)


def test_a_folder_is_refused(writer):
    path, write = writer
    path.mkdir()
    with pytest.raises((OSError, RuntimeError)):
        write(str(path))
    assert not list(path.iterdir())


def test_a_full_disk_leaves_the_old_file(writer):
    path, write = writer
    if path.suffix == '.pdparams':
        larger_than_a_buffer = {'a': paddle.ones([9999])}
        write = functools.partial(paddle.save, larger_than_a_buffer)
    path.write_bytes(b'old')
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, limits[1]))
    try:
        with pytest.raises((OSError, RuntimeError), match=re.escape(str(path.with_suffix('')))):
            write(str(path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b'old'
    assert not [p for p in path.parent.iterdir() if p.name.startswith('.')]


def test_devices_stay_devices():
    before = os.stat('/dev/null')
    paddle.save({'a': paddle.ones([3])}, '/dev/null')
    static.save_to_file('/dev/null', b'abc')
    assert os.stat('/dev/null').st_ino == before.st_ino and stat.S_ISCHR(
        os.stat('/dev/null').st_mode
    )


@pytest.mark.parametrize('redirected', [False, True])
def test_standard_output(tmp_path, redirected):
    out = tmp_path / 'out'
    code = (
        "import os, paddle; os.symlink('/dev/stdout', 'link'); paddle.save({'a': 7}, 'link');"
        "print('after', flush=True)"
    )
    if redirected:
        with open(out, 'wb') as stream:
            subprocess.run([sys.executable, '-c', code], stdout=stream, check=True, cwd=tmp_path)
        content = out.read_bytes()
    else:
        content = subprocess.run(
            [sys.executable, '-c', code], capture_output=True, check=True, cwd=tmp_path
        ).stdout
    assert content.endswith(b'after\n') or redirected and b'after\n' in content
    assert (tmp_path / 'link').is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can give files away')
def test_the_owner_is_kept(writer):
    path, write = writer
    path.write_bytes(b'old')
    os.chown(path, 12345, 23456)
    path.chmod(0o640)
    write(str(path))
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)


def as_nobody(function):
    """Run in a child without root's rights: its exit status."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            function()
            code = 0
        except BaseException:  # noqa: BLE001 the parent reports it
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitpid(pid, 0)[1]


@pytest.mark.skipif(os.geteuid() != 0, reason='makes files of two users')
def test_what_may_not_be_written_is_not_replaced(tmp_path):
    os.chmod(tmp_path, 0o777)
    for parent in tmp_path.parents:
        if parent.stat().st_uid == 0 and parent != parent.parent:
            os.chmod(parent, stat.S_IMODE(parent.stat().st_mode) | 0o011)
    path = tmp_path / 'x'
    path.write_bytes(b'old')
    path.chmod(0o644)

    def refused():
        for write in (
            lambda: paddle.save({'a': 1}, str(path)),
            lambda: static.save_to_file(str(path), b'new'),
        ):
            with pytest.raises(PermissionError):
                write()

    assert as_nobody(refused) == 0 and path.read_bytes() == b'old'
    path.chmod(0o666)
    tmp_path.chmod(0o755)  # takes no new files, but this one may be written
    assert as_nobody(lambda: write_file(str(path), b'n')) == 0
    assert path.read_bytes() == b'n'
    tmp_path.chmod(0o1777)  # it may be written, but not renamed over
    assert as_nobody(lambda: write_file(str(path), b'newer')) == 0
    assert path.read_bytes() == b'newer' and os.listdir(tmp_path) == ['x']


def test_an_exception_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / 'x'
    path.write_bytes(b'old')
    with pytest.raises(KeyboardInterrupt), OutputFile(path) as stream:
        stream.write(b'new')
        raise KeyboardInterrupt
    assert path.read_bytes() == b'old' and os.listdir(tmp_path) == ['x']


def test_long_names(tmp_path):
    path = tmp_path / ('n' * 255)
    paddle.save({'a': 1}, str(path))
    assert paddle.load(str(path)) == {'a': 1}


def test_a_program_loaded_from_a_file_can_be_saved_over_it(tmp_path):
    net = paddle.nn.Linear(512, 1024)
    _spec = [InputSpec([None, 512], 'float32', 'x')]
    paddle.jit.save(net, str(tmp_path / 'm'), input_spec=_spec)
    loaded = paddle.jit.load(str(tmp_path / 'm'))
    paddle.jit.save(loaded, str(tmp_path / 'm'), input_spec=_spec)
    again = paddle.jit.load(str(tmp_path / 'm'))
    x = paddle.ones([1, 512])
    np.testing.assert_array_equal(again(x).numpy(), loaded(x).numpy())


def test_a_failed_async_save_is_raised_by_the_next_call(tmp_path):
    target = tmp_path / 'folder'
    target.mkdir()
    for wait in (
        framework_io.clear_async_save_task_queue,
        lambda: paddle.async_save(
            {'a': paddle.ones([2])}, str(tmp_path / 'y'), sync_other_task=True
        ),
    ):
        paddle.async_save({'a': paddle.ones([2])}, str(target))
        with pytest.raises(RuntimeError, match='async_save.*folder') as caught:
            wait()
        assert isinstance(caught.value.__cause__, IsADirectoryError)
        framework_io.clear_async_save_task_queue()
    assert not (tmp_path / 'y').exists()
    os.mkfifo(tmp_path / 'pipe')  # this save waits for a reader, who then goes
    paddle.async_save({'a': paddle.ones([1 << 20])}, str(tmp_path / 'pipe'))
    paddle.async_save({'a': paddle.ones([2])}, str(tmp_path / 'z'), protocol=9)
    os.close(os.open(tmp_path / 'pipe', os.O_RDONLY))
    with (
        pytest.warns(RuntimeWarning, match='saving .*z failed'),
        pytest.raises(RuntimeError, match='pipe') as caught,
    ):
        framework_io.clear_async_save_task_queue()
    assert isinstance(caught.value.__cause__, BrokenPipeError)


def test_the_end_of_the_process_waits_for_saves_and_tells_of_failures(tmp_path):
    code = (
        "import os, sys, paddle\n"
        "os.mkdir('folder')\n"
        "paddle.async_save({'a': paddle.ones([2000, 1000])}, 'good')\n"
        "paddle.async_save({'a': paddle.ones([2])}, 'folder')\n"
    )
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert 'async_save' in done.stderr and 'folder' in done.stderr
    assert paddle.load(str(tmp_path / 'good'))['a'].shape == [2000, 1000]
    assert sorted(os.listdir(tmp_path)) == ['folder', 'good']


def test_kernels_are_not_taken_from_a_folder_that_others_can_write(tmp_path):
    code = (
        "import paddle\n"
        "net = paddle.jit.to_static(lambda x: paddle.tanh(x * 2 + 1).sum(-1))\n"
        "for size in (64, 96, 128):\n"
        "    x = paddle.ones([size, 64])\n"
        "    got = [net(x) for _ in range(3)][-1]\n"
        "    assert abs(float(got[0]) - 64 * float(paddle.tanh(paddle.to_tensor(3.0)))) < 1e-3\n"
    )
    folder = tmp_path / 'kernels'
    environment = {**os.environ, 'PADDLE_CINN_CACHE_DIR': str(folder)}
    script = tmp_path / 'script.py'  # what is compiled has a source
    script.write_text(code)

    def stderr():
        return subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        ).stderr

    assert 'kernel cache' not in stderr() and stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = {p: p.stat().st_mtime_ns for p in folder.iterdir()}
    assert kept and all(stat.S_IMODE(p.stat().st_mode) == 0o600 for p in kept)
    folder.chmod(0o777)
    assert (
        stderr().count(f'the kernel cache {folder} is not used, because others may write it') == 1
    )
    assert {p: p.stat().st_mtime_ns for p in folder.iterdir()} == kept


def test_errors_have_their_numbers(tmp_path):
    with pytest.raises(OSError) as caught:
        paddle.save({'a': 1}, str(tmp_path))
    assert caught.value.errno == errno.EISDIR


@pytest.mark.parametrize(
    'shape, rate, match',
    [
        ([1, 8], 0, 'sample_rate'),
        ([1, 8], float('nan'), 'sample_rate'),
        ([1, 8], 2**63, 'sample_rate'),
        ([2, 8], 2**30, 'sample_rate'),
        ([0, 8], 8000, 'channels'),
        ([2**16, 1], 1, 'channels'),
    ],
)
def test_sounds_that_wave_files_cannot_hold_are_refused(shape, rate, match, tmp_path):
    with pytest.raises(ValueError, match=rf'\[save\] expected .*{match}'):
        paddle.audio.save(str(tmp_path / 'x.wav'), paddle.zeros(shape), rate)
    assert not list(tmp_path.iterdir())
