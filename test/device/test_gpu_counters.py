# SPDX-License-Identifier: Apache-2.0
"""What a profiler would show of generated kernels, held: instructions, bytes, registers; and that
an assembler takes them.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from double import needs_double, run

HERE = pathlib.Path(__file__).resolve().parent
THREADS = 256  # of a block


@needs_double
def test_elementwise_kernels_are_short_and_read_16_bytes_at_once():
    out, _ = run(HERE / 'gpu_counters.py', 'add', 'relu', 'scale', 'axpy', 'where')
    found = json.loads(out)
    assert len(found) == 5
    for name, c in found.items():
        assert c['launches'] == 1 and c['divisions'] == 0, name
        assert c['lanes'] <= 10 * c['elements'], (name, c['lanes'] / c['elements'])
        # A number of the host, and bools of four threads, are read by less.
        if name in ('add', 'relu'):
            assert c['vector_requests'] == c['requests'], name
        assert c['bytes_read'] + c['bytes_written'] <= 1.05 * c['least'], name


@needs_double
def test_rows_are_read_once():
    """Those of up to 8192 elements, which stay in the block from one sweep to the next."""
    out, _ = run(HERE / 'gpu_counters.py', 'softmax', 'log_softmax', 'rms_norm', 'layer_norm')
    found = json.loads(out)
    assert len(found) == 32
    for name, c in found.items():
        assert c['launches'] == 1, name
        moved = c['bytes_read'] + c['bytes_written']
        assert moved <= 1.05 * c['least'], (name, moved / c['least'])
        assert c['bank_conflicts'] <= c['shared_requests'] / 100, name


def occupancy(capability, registers, shared):
    """The part of a multiprocessor's warps that blocks of a kernel fill."""
    room = {80: 164 << 10, 90: 228 << 10}[capability]
    warps = THREADS // 32
    of_registers = 65536 // (-(-registers * 32 // 256) * 256) // warps
    return min(of_registers, room // (shared + 1024), 64 // warps) * warps / 64


def ptxas():
    home = os.environ.get('CUDA_HOME', '/usr/local/cuda')
    return shutil.which('ptxas') or shutil.which('ptxas', path=f'{home}/bin')


def in_one_file(texts):
    """Kernels as one text; names of their memory are their own."""
    bodies = []
    for i, text in enumerate(texts):
        head, body = text.split('.address_size 64', 1)
        shared = set(re.findall(r'^\.shared [^;]*?([\w$]+)\[', body, re.M))
        for name in shared:
            body = re.sub(rf'(?<![\w$]){re.escape(name)}(?![\w$])', f'{name}_{i}', body)
        bodies.append(body)
    return head + '.address_size 64' + ''.join(bodies)


@pytest.mark.skipif(not (ptxas() and shutil.which('g++')), reason='no ptxas or no g++')
@pytest.mark.parametrize('capability, targets', [(75, [75]), (80, [80, 90, 100])])
def test_an_assembler_takes_the_kernels_of_the_rows(capability, targets, tmp_path):
    """Every fourth kernel of the structured rows, values and gradients."""
    driver, folder = tmp_path / 'libcuda.so.1', tmp_path / 'ptx'
    folder.mkdir()
    flags = ['-std=c++17', '-O1', '-fPIC', '-shared']
    subprocess.run(['g++', *flags, HERE / 'host_driver.cc', '-o', driver], check=True)
    run(
        HERE / 'gpu_rows.py',
        'structured',
        FLAGS_cuda_driver=driver,
        HOST_DRIVER_PTX=folder,
        HOST_DRIVER_CAPABILITY=capability,
    )
    texts = [p.read_text() for p in sorted(folder.iterdir(), key=lambda p: int(p.stem))]
    texts = [t for t in texts if '.entry cinn_' in t][::4]
    assert len(texts) > 30
    (tmp_path / 'all.ptx').write_text(in_one_file(texts))
    for target in targets:
        done = subprocess.run(
            [ptxas(), '-v', f'-arch=sm_{target}', str(tmp_path / 'all.ptx'), '-o', os.devnull],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert not re.search(r'[1-9]\d* bytes spill', done.stderr)
        used = re.findall(r'Used (\d+) registers(?:.*?(\d+) bytes smem)?', done.stderr)
        assert len(used) == len(texts)
        if target in (80, 90):
            assert all(occupancy(target, int(r), int(s or 0)) >= 0.5 for r, s in used), used
