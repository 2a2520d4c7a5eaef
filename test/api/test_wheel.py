# SPDX-License-Identifier: Apache-2.0
"""The package as it is installed: what it needs of Python and of the system."""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import venv

import numpy
import pytest
from sanitizers import SANITIZER

import paddle

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(paddle.__file__).absolute().parent
TOOLS = {**os.environ, 'PYTHONPATH': str(ROOT / 'tools')}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)


@pytest.fixture
def installed(tmp_path):
    """A new environment that has the package and NumPy alone: its interpreter."""
    build = PACKAGE.parents[1]
    if not (build / 'cmake_install.cmake').exists():
        pytest.skip('the package was not built here')
    site = tmp_path / 'site'
    shutil.copytree(
        ROOT / 'python' / 'paddle', site / 'paddle', ignore=shutil.ignore_patterns('__pycache__')
    )
    done = run(['cmake', '--install', build, '--prefix', site])
    assert done.returncode == 0, done.stderr
    numpys = tmp_path / 'numpy'
    numpys.mkdir()
    at = pathlib.Path(numpy.__file__).parent
    for path in (at, at.with_name('numpy.libs')):
        if path.exists():
            (numpys / path.name).symlink_to(path)
    venv.create(tmp_path / 'environment', with_pip=False, symlinks=True)
    (packages,) = (tmp_path / 'environment').glob('lib/python3*/site-packages')
    (packages / 'paths.pth').write_text(f'{site}\n{numpys}\n')
    return tmp_path / 'environment' / 'bin' / 'python'


def test_installed_package_works(installed, tmp_path):
    environment = {k: v for k, v in os.environ.items() if k != 'PYTHONPATH'}
    trial = [installed, pathlib.Path(__file__).with_name('trial.py'), tmp_path]
    done = run(trial, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(tmp_path / 'site' / 'paddle') in done.stdout


@pytest.fixture
def without_extension(tmp_path):
    """The package with other extension modules than this Python's: its folder."""
    site = tmp_path / 'site'
    shutil.copytree(PACKAGE, site / 'paddle', ignore=shutil.ignore_patterns('*.so*', 'include'))
    return site


def import_error(site):
    done = run([sys.executable, '-c', 'import paddle'], env={**os.environ, 'PYTHONPATH': str(site)})
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_other_python_is_told_which_there_are(without_extension):
    for version in ('39', '310', '27'):
        name = f'libpaddle.cpython-{version}-x86_64-linux-gnu.so'
        (without_extension / 'paddle' / 'base' / name).touch()
    here = '.'.join(map(str, sys.version_info[:2]))
    assert import_error(without_extension) == (
        'ImportError: [paddle] expected a Python that this package was built for, '
        f'CPython 2.7, 3.9, 3.10, got CPython {here}'
    )


def test_python_without_a_lock_is_told(tmp_path, monkeypatch):
    """A free-threaded CPython has the number of one that has an extension, and does not fit it."""
    from paddle import _unfit

    for version in ('313', '314'):
        (tmp_path / f'libpaddle.cpython-{version}-x86_64-linux-gnu.so').touch()
    have = {'EXT_SUFFIX': '.cpython-313t-x86_64-linux-gnu.so', 'Py_GIL_DISABLED': 1}
    monkeypatch.setattr(sysconfig, 'get_config_var', have.get)
    monkeypatch.setattr(sys, 'version_info', (3, 13, 0, 'final', 0))
    assert _unfit.reason(str(tmp_path)) == (
        '[paddle] expected a Python that this package was built for, '
        'CPython 3.13, 3.14, got CPython 3.13t'
    )


@pytest.mark.skipif(not shutil.which('qemu-x86_64'), reason='qemu-user is not installed')
@pytest.mark.skipif(bool(SANITIZER), reason='qemu does not load what a sanitizer needs')
@pytest.mark.parametrize('processor', ['Westmere', 'Haswell,-avx2'])
def test_processor_without_avx2_is_told(processor):
    done = run(['qemu-x86_64', '-cpu', processor, sys.executable, '-c', 'import paddle'])
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        'ImportError: [paddle] expected a processor with AVX2, FMA, F16C and BMI2 (x86-64-v3), '
        'got one without'
    )


def test_damaged_extension_is_told_as_it_is(without_extension):
    name = 'libpaddle' + sysconfig.get_config_var('EXT_SUFFIX')
    (without_extension / 'paddle' / 'base' / name).write_text('nothing')
    assert import_error(without_extension).endswith('file too short')


@pytest.mark.parametrize(
    'version, kept',
    [
        ('GLIBC_2.27', True),
        ('GLIBC_2.3.4', True),
        ('GLIBC_2.28', False),
        ('GLIBC_PRIVATE', False),
        ('GLIBCXX_3.4.24', True),
        ('GLIBCXX_3.4.25', False),
        ('CXXABI_1.3.11', True),
        ('CXXABI_TM_1', False),
        ('GCC_3.0', False),
    ],
)
def test_stubs_have_no_newer_version(version, kept):
    code = f'from glibc import stubs; print(stubs.allowed({version!r}))'
    assert run([sys.executable, '-c', code], env=TOOLS).stdout.strip() == str(kept)


SOURCE = """
#include <pthread.h>
static void* add(void* to) { *static_cast<double*>(to) += 1; return nullptr; }
extern "C" double one() {
  double sum = 0;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, add, &sum) || pthread_join(thread, nullptr)) return -1;
  return sum;
}
"""


def needed(path):
    out = run(['nm', '-D', '--undefined-only', path]).stdout
    return {line.split()[-1].partition('@')[::2] for line in out.splitlines()}


def test_libraries_are_lowered_to_older_systems(tmp_path):
    """A library linked against the system's own, and the same without its newer versions."""
    compiler = shutil.which('g++')
    if compiler is None or shutil.which('readelf') is None:
        pytest.skip('no g++')
    (tmp_path / 'one.cc').write_text(SOURCE)
    new, old, stubs = (str(tmp_path / name) for name in ('new.so', 'old.so', 'stubs'))
    run([compiler, '-shared', '-fPIC', '-fno-builtin', 'one.cc', '-o', new], cwd=tmp_path)
    for command in (['glibc.stubs', stubs, compiler], ['glibc.lower', new, old, stubs]):
        done = run([sys.executable, '-m', *command], env=TOOLS)
        assert done.returncode == 0, done.stderr
    code = (
        'import sys; from glibc import stubs; '
        'print([stubs.allowed(symbol.split("@")[1]) for symbol in sys.argv[1:]])'
    )
    versions = ['@'.join(symbol) for symbol in needed(old) if symbol[1].startswith('GLIBC_')]
    done = run([sys.executable, '-c', code, *versions], env=TOOLS)
    assert 'True' in done.stdout and 'False' not in done.stdout, done
    assert {name for name, _ in needed(old)} == {name for name, _ in needed(new)}
    code = (
        f'import ctypes; one = ctypes.CDLL({old!r}).one; one.restype = ctypes.c_double; '
        'print(one())'
    )
    assert run([sys.executable, '-c', code]).stdout.strip() == '1.0'


def test_report_tells_what_works_here(tmp_path, capsys):
    from paddle.utils import report

    rows = dict(report.rows())
    assert rows['package'] == f'{paddle.__version__} in {os.path.dirname(paddle.__file__)}'
    assert '.'.join(map(str, sys.version_info[:2])) in rows['python']
    assert rows['instructions'].startswith(('AVX2', 'AVX-512'))
    assert rows['mkl'] == '2026.2.0' and rows['onednn'] == '3.2.0'
    assert rows['llvm'].startswith('19.1.')
    if not paddle.is_compiled_with_cuda():
        assert rows['CUDA'].startswith('no GPU: ') and 'libcuda.so.1' in rows['CUDA']
    paddle.version.show()
    shown = capsys.readouterr().out
    assert shown.startswith('full_version: ')
    assert all(f'\n{name}: {value}' in shown for name, value in rows.items() if 'cache' not in name)


def test_module_checks_the_installation(tmp_path):
    cache = tmp_path / 'kernels'
    cache.mkdir()
    (cache / 'one').write_bytes(bytes(250000))
    taken = f'{(cache / "one").stat().st_blocks * 512 / 1e6:.1f} MB'
    environment = {
        **os.environ,
        'PADDLE_CINN_CACHE_DIR': str(cache),
        'FLAGS_cpu_isa': 'avx2',
        'OMP_NUM_THREADS': '1',
        'PYTHONPATH': str(PACKAGE.parent),
    }
    done = run([sys.executable, '-m', 'paddle'], env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert 'instructions: AVX2 (FLAGS_cpu_isa=avx2)' in lines
    assert 'threads: 1 (OMP_NUM_THREADS=1)' in lines
    assert f'kernel cache: {cache}, 1 files, {taken}' in lines
    assert lines[-2] == 'PaddlePaddle works well on 1 CPU.'
