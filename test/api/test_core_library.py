# SPDX-License-Identifier: Apache-2.0
"""The core library without Python: what C++ programs link, and what shares a process with it."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import paddle

LIBS = paddle.sysconfig.get_lib()
ROOT = pathlib.Path(__file__).resolve().parents[2]

PROGRAM = """
#include <dlfcn.h>
#include <cstdio>
#include "paddle/phi/api/ops.h"

int main() {
  const paddle::Tensor x = paddle::full({2, 3}, 2.0), y = paddle::full({3, 4}, 0.5);
  const paddle::Tensor z = paddle::matmul(x, y) + 1.0;
  std::printf("%g %g\\n", z.data<float>()[0], z.data<float>()[z.numel() - 1]);
  try {
    paddle::matmul(x, x);
  } catch (const common::Error& error) {
    std::printf("%d %s\\n", error.code() == common::ErrorCode::kInvalidArgument, error.what());
  }
  return dlsym(RTLD_DEFAULT, "PyObject_GetAttr") != nullptr;
}
"""


def headers():
    """Include directories: the installed package's, else those of the source tree and its build."""
    package = pathlib.Path(paddle.__file__).absolute().parent
    if (package / 'include/paddle/phi/api/ops.h').exists():
        return [package / 'include']
    return [ROOT, package.parents[1] / 'generated']


def in_a_process(code):
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr


def test_cpp_program_computes_with_the_core_alone(tmp_path):
    compiler = shutil.which('g++')
    if compiler is None:
        pytest.skip('no g++')
    (tmp_path / 'program.cc').write_text(PROGRAM)
    include = [f'-I{folder}' for folder in headers()]
    link = [f'-L{LIBS}', '-lpaddle_core', f'-Wl,-rpath,{LIBS}']
    subprocess.run(
        [compiler, '-std=c++20', 'program.cc', *include, *link, '-o', 'program'],
        cwd=tmp_path,
        check=True,
    )
    run = subprocess.run([tmp_path / 'program'], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    first, second = run.stdout.splitlines()
    assert first == '4 4'
    assert second.startswith('1 [matmul] expected')


@pytest.mark.parametrize('flags', ['RTLD_LOCAL', 'RTLD_GLOBAL'])
def test_extension_takes_a_core_that_is_loaded_already(flags):
    code = (
        f'import ctypes; core = ctypes.CDLL({os.path.join(LIBS, "libpaddle_core.so")!r}, '
        f'ctypes.{flags}); import paddle; x = paddle.ones([2], "float32"); '
        'x.stop_gradient = False; (x * x).sum().backward(); assert x.grad.tolist() == [2, 2]; '
        'cores = {line.split()[-1] for line in open("/proc/self/maps") if "paddle_core" in line}; '
        'assert len(cores) == 1, cores'
    )
    in_a_process(code)


@pytest.mark.parametrize('order', ['paddle, torch', 'torch, paddle'])
def test_torch_in_the_same_process(order):
    if subprocess.run([sys.executable, '-c', 'import torch'], capture_output=True).returncode:
        pytest.skip('no torch')
    code = (
        f'import {order}; import numpy as np; a = np.random.rand(64, 64).astype("float32"); '
        'x, y = paddle.to_tensor(a), torch.tensor(a); '
        'assert np.allclose(paddle.matmul(x, x).numpy(), (y @ y).numpy(), rtol=1e-4); '
        'assert np.allclose(paddle.linalg.svd(x)[1].numpy(), torch.linalg.svd(y)[1].numpy(), 1e-3)'
    )
    in_a_process(code)
