# SPDX-License-Identifier: Apache-2.0
"""What a profiler would show of generated kernels, held: instructions, bytes, registers; and that
an assembler takes them.
"""

import concurrent.futures
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
def test_sums_of_columns_fill_a_gpu():
    """Some hundred blocks share what is summed, each thread with several accesses of 16 bytes; then
    a second kernel sums what the blocks found.
    """
    out, _ = run(HERE / 'gpu_counters.py', 'columns')
    found = json.loads(out)
    assert len(found) == 5
    for name, c in found.items():
        size = 2 if 'bfloat16' in name else 4
        assert c['launches'] == 2 and c['blocks'] >= 128, name
        assert c['lanes'] <= 13 * c['elements'], (name, c['lanes'] / c['elements'])
        assert c['vector_requests'] == c['elements'] * size // 512, name  # all by whole warps
        assert c['bytes_read'] + c['bytes_written'] <= 1.3 * c['least'], name
        assert c['bank_conflicts'] <= c['shared_requests'] / 100, name


@needs_double
def test_many_rows_take_few_instructions():
    """A warp has a row; exp is computed once for an element, halves are rounded in pairs."""
    out, _ = run(HERE / 'gpu_counters.py', 'many')
    found = json.loads(out)
    most = {'sum': 8, 'softmax': 47, 'rms_norm': 19, 'layer_norm': 32, 'exp': 32}
    assert len(found) == 10
    for name, c in found.items():
        per_element = c['lanes'] / c['elements']
        assert per_element <= most[name.split('-')[1]], (name, per_element)
        assert c['launches'] == 1, name
        assert c['requests'] - c['vector_requests'] <= 2 * 4096, name  # results of each row
        assert c['bank_conflicts'] <= c['shared_requests'] / 100, name


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


@needs_double
def test_batch_norms_take_two_passes_each_way():
    """The sums of channels, and what follows from them; running statistics and the gradients of
    scale and bias come along. Where many blocks share a channel, there is a total between them.
    """
    out, _ = run(HERE / 'gpu_counters.py', 'batch_norm')
    found = json.loads(out)
    assert len(found) == 12
    for name, c in found.items():
        assert c['launches'] == (3 if 'float32-NHWC' in name else 2), name
        moved = c['bytes_read'] + c['bytes_written']
        assert moved <= 1.05 * c['least'], (name, moved / c['least'])


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
    """Kernels as one text; names of their variables are their own."""
    bodies = []
    variable = re.compile(r'^\.(?:shared|global|const) [^;=]*?([\w$]+)(?:\[\d*\])?\s*[;=]', re.M)
    for i, text in enumerate(texts):
        head, body = text.split('.address_size 64', 1)
        for name in set(variable.findall(body)):
            body = re.sub(rf'(?<![\w$]){re.escape(name)}(?![\w$])', f'{name}_{i}', body)
        bodies.append(body)
    return head + '.address_size 64' + ''.join(bodies)


def texts_of(folder, capability, program, *arguments):
    """The texts of the kernels that a program loads on a GPU that runs none, in order."""
    driver, folder = folder / 'libcuda.so.1', folder / 'ptx'
    folder.mkdir()
    flags = ['-std=c++17', '-O1', '-fPIC', '-shared']
    subprocess.run(['g++', *flags, HERE / 'host_driver.cc', '-o', driver], check=True)
    run(
        *([HERE / program] if program.endswith('.py') else ['-c', program]),
        *arguments,
        FLAGS_cuda_driver=driver,
        HOST_DRIVER_PTX=folder,
        HOST_DRIVER_CAPABILITY=capability,
    )
    return [p.read_text() for p in sorted(folder.iterdir(), key=lambda p: int(p.stem))]


def kernels_of(*given):
    """Of these, without those of the library, by what they compute: names apart, one of each."""
    texts = texts_of(*given)
    made = [t for t in texts if '.entry cinn_' in t]
    return {re.sub(r'cinn_\w+|\.target \w+', '', t): t for t in made}


def check_assembled(folder, texts, target):
    """Without spills, and half of a multiprocessor's warps or more."""
    file = folder / f'all_{target}.ptx'
    file.write_text(in_one_file(texts))
    done = subprocess.run(
        [ptxas(), '-v', f'-arch=sm_{target}', str(file), '-o', os.devnull],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    used = re.findall(r'Used (\d+) registers(?:.*?(\d+) bytes smem)?', done.stderr)
    assert len(used) == len(texts)
    assert not re.search(r'[1-9]\d* bytes spill', done.stderr)
    if target in (80, 90):
        filled = [occupancy(target, int(r), int(s or 0)) for r, s in used]
        assert min(filled) >= 0.5, used


@pytest.mark.skipif(not (ptxas() and shutil.which('g++')), reason='no ptxas or no g++')
@pytest.mark.parametrize(
    'capability, program, least',
    [
        (75, ('gpu_rows.py', 'structured'), 200),
        (80, ('gpu_rows.py', 'structured'), 200),
        (75, ('gpu_rows.py', 'elementwise'), 1000),
        (80, ('gpu_training.py', 'deep', 'bfloat16', 'gpu:0', '1', 'program'), 30),
        (80, ('gpu_training.py', 'physics', '', 'gpu:0', '1', 'program'), 20),
    ],
    ids=['structured-75', 'structured-80', 'elementwise', 'llama', 'physics'],
)
def test_an_assembler_takes_every_generated_kernel(capability, program, least, tmp_path):
    """Those of all rows, values and gradients, and groups of programs."""
    found = kernels_of(tmp_path, capability, *program)
    assert len(found) >= least
    texts = list(found.values())
    if capability > 75 and program[0] == 'gpu_rows.py':  # what differs from the oldest one's
        (tmp_path / 'older').mkdir()
        older = kernels_of(tmp_path / 'older', 75, *program)
        texts = [text for body, text in found.items() if body not in older]
        assert texts
    targets = [t for t in (75, 80, 90, 100) if t >= capability]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = []
        for k, target in enumerate(targets):
            # Of many that are alike each goes to one of the targets.
            own = texts[k :: len(targets)] if least >= 1000 else texts
            done.append(pool.submit(check_assembled, tmp_path, own, target))
        for one in done:
            one.result()


def disassembler():
    """Of our own kernels only."""
    own = os.environ.get('CUDA_HOME', '/usr/local/cuda')
    roots = [own, *(pathlib.Path(p) / 'nvidia' / 'cu13' for p in sys.path if p)]
    found = (shutil.which('nvdisasm', path=f'{root}/bin') for root in roots)
    return shutil.which('nvdisasm') or next(filter(None, found), None)


PRODUCTS = """
import paddle
import paddle.nn.functional as F
paddle.set_device('gpu')
x = paddle.ones([256, 256], 'bfloat16')
for tx in (False, True):
    for ty in (False, True):
        paddle.matmul(x, x, tx, ty)
for d in (64, 128):
    q = paddle.ones([1, 256, 2, d], 'bfloat16')
    F.scaled_dot_product_attention(q, q, q)
"""
# What softmax computes: maxima, powers of 2, sums, rescaled results, rounding.
SOFTMAX = 'FMNMX FMUL FADD FFMA MUFU F2FP SHFL FSETP FSEL BSSY BSYNC'.split()


@pytest.mark.skipif(
    not (ptxas() and disassembler() and shutil.which('g++')), reason='no ptxas, nvdisasm or g++'
)
@pytest.mark.parametrize('target', [80, 90])
def test_main_loops_are_of_tensor_cores_and_tiles(target, tmp_path):
    """The part of a main loop's instructions that multiply, read the block's memory or copy 16
    bytes to it, without those that the assembler puts in and that do nothing; of attention, beside
    softmax. What waits for copies (three of 53 in a tile) is not among them.
    """
    texts = texts_of(tmp_path, target, PRODUCTS)
    parts = {}
    for text in texts:
        name = re.search(r'\.entry (\w+)', text)[1]
        if not name.startswith(('device_flat_', 'device_attention_mma_')):
            continue
        (tmp_path / 'one.ptx').write_text(text)
        cubin = tmp_path / 'one.cubin'
        subprocess.run(
            [ptxas(), f'-arch=sm_{target}', tmp_path / 'one.ptx', '-o', cubin], check=True
        )
        code = subprocess.run(
            [disassembler(), '-c', cubin], check=True, capture_output=True, text=True
        ).stdout
        loops, seen, at = [], {}, []
        for line in code.splitlines():
            if label := re.match(r'\s*(\.L_x_\d+):', line):
                seen[label[1]] = len(at)
            elif found := re.match(r'\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;', line):
                at.append(found[1])
                back = re.search(r'BRA.*?(\.L_x_\d+)', found[1])
                if back and back[1] in seen:
                    loops.append(at[seen[back[1]] :])
        names = [
            re.sub(r'^@\S+\s+', '', i).split()[0].split('.')
            for i in next(loop for loop in loops if any('HMMA' in i for i in loop))
            if not i.startswith('@!PT') and i != 'NOP'
        ]
        core = sum(n[0] in ('HMMA', 'LDSM', 'LDGSTS') for n in names)
        attends = name.startswith('device_attention')
        parts[name] = core / sum(not (attends and re.match('|'.join(SOFTMAX), n[0])) for n in names)
    assert len(parts) == 6
    least = {'00': 0.86, '01': 0.88, '10': 0.88, '11': 0.91}
    for name, part in parts.items():
        bar = least[name.split('_')[2]] if name.startswith('device_flat') else 0.85
        assert part >= bar, parts
