# SPDX-License-Identifier: Apache-2.0
"""What of the package works on this machine: `paddle.version.show()`, `paddle.utils.run_check()`
and `python -m paddle` print it.
"""

import os
import platform
import sys

import numpy as np

import paddle
from paddle._unfit import pythons
from paddle.base import libpaddle
from paddle.dataset.common import DATA_HOME
from paddle.utils.download import WEIGHTS_HOME

__all__ = []


def _first(path, start=''):
    """The first line of a file that begins with `start`, empty where there is none."""
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return next((line.strip() for line in file if line.startswith(start)), '')
    except OSError:
        return ''


def _processor():
    name = _first('/proc/cpuinfo', 'model name').partition(':')[2].strip()
    return f'{name or platform.machine()}, {len(os.sched_getaffinity(0))} logical cores'


def _instructions(info):
    if info['isa'] == 'plain':
        return f'those every {platform.machine()} has'
    if info['isa'] == 'avx2':
        wanted = os.environ.get('FLAGS_cpu_isa')
        return 'AVX2' + (f' (FLAGS_cpu_isa={wanted})' if wanted else '')
    extra = [name for name, key in (('bfloat16', 'avx512_bf16'), ('AMX', 'amx')) if info[key]]
    return 'AVX-512' + (f' with {" and ".join(extra)}' if extra else ', no bfloat16, no AMX')


def _threads(info):
    asked = os.environ.get('OMP_NUM_THREADS')
    return f'{info["threads"]}' + (f' (OMP_NUM_THREADS={asked})' if asked else '')


def _cuda():
    count = paddle.device.cuda.device_count()
    if count:
        names = [paddle.device.cuda.get_device_name(k) for k in range(count)]
        driver = _first('/proc/driver/nvidia/version') or 'driver of unknown version'
        return f'{", ".join(names)}; {driver}'
    try:
        paddle.CUDAPlace(0)
    except ValueError as error:
        return f'no GPU: {str(error).partition(", got none: ")[2] or error}'
    return 'no GPU'


def _devices():
    names = paddle.device.get_all_custom_device_type()
    return ', '.join(names) or 'none (CUSTOM_DEVICE_ROOT names the folder of their plugins)'


def _folder(path, empty='off'):
    """A folder with the number of its files and what they take of the disk."""
    if not path:
        return empty
    count = size = 0
    for root, _, names in os.walk(path):
        for name in names:
            try:
                found = os.stat(os.path.join(root, name), follow_symlinks=False)
                size += max(found.st_size, getattr(found, 'st_blocks', 0) * 512)
                count += 1
            except OSError:  # removed meanwhile
                continue
    return f'{path}, {count} files, {size / 1e6:.1f} MB'


def rows():
    """[(name, value)]: versions, the machine, the libraries in the core, devices, caches."""
    info = libpaddle.build_info()
    package = os.path.dirname(paddle.__file__)
    return [
        ('package', f'{paddle.__version__} in {package}'),
        (
            'python',
            f'{platform.python_implementation()} {platform.python_version()} of '
            f'{", ".join(pythons(os.path.join(package, "base")))}; NumPy {np.__version__}',
        ),
        ('system', f'{sys.platform}, {" ".join(platform.libc_ver())}'),
        ('processor', _processor()),
        ('instructions', _instructions(info)),
        ('threads', _threads(info)),
        *info['libraries'].items(),
        ('llvm', f'{info["llvm"]} (compiles functions of to_static)'),
        ('compiler', info['compiler']),
        ('CUDA', _cuda()),
        ('devices', _devices()),
        ('kernel cache', _folder(info['kernel_cache'], 'off (PADDLE_CINN_CACHE_DIR is empty)')),
        ('dataset cache', _folder(DATA_HOME)),
        ('weight cache', _folder(WEIGHTS_HOME)),
    ]


def text():
    """The rows as lines."""
    return '\n'.join(f'{name}: {value}' for name, value in rows())
