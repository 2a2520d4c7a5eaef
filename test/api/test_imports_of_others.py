# SPDX-License-Identifier: Apache-2.0
"""What programs rely on that `import paddle` imports in PaddlePaddle."""

import subprocess
import sys

import pytest


def run(code):
    return subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize('first', ['paddle, PIL', 'PIL, paddle'])
def test_images_of_pillow(first):
    pytest.importorskip('PIL')
    done = run(f'import {first}; assert PIL.Image.new("L", (2, 3)).size == (2, 3)')
    assert done.returncode == 0, done.stderr


def test_neither_is_imported_before_it_is_asked_for():
    done = run('import sys, paddle; assert not {"PIL", "setuptools", "pip"} & set(sys.modules)')
    assert done.returncode == 0, done.stderr


def test_modules_under_the_names_of_those_that_import_them():
    code = (
        'import paddle; assert paddle.device.framework is paddle.base.framework\n'
        'assert paddle.device.core is paddle.base.core'
    )
    done = run(code)
    assert done.returncode == 0, done.stderr


def test_extensions_after_pip():
    pytest.importorskip('setuptools')
    code = (
        'import paddle, pip\n'
        'from paddle.utils.cpp_extension.cpp_extension import BuildExtension\n'
        'from setuptools.command.build_ext import build_ext\n'
        'assert issubclass(BuildExtension, build_ext)'
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
