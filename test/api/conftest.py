# SPDX-License-Identifier: Apache-2.0
"""What several files of tests here share."""

import pytest

import paddle


@pytest.fixture
def main():
    """A program in static mode that operations are appended to."""
    paddle.enable_static()
    program = paddle.static.Program()
    try:
        with paddle.static.program_guard(program, paddle.static.Program()):
            yield program
    finally:
        paddle.disable_static()
