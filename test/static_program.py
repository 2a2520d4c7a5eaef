# SPDX-License-Identifier: Apache-2.0
"""Static mode with programs of its own, left again whatever happens."""

import contextlib

import paddle


@contextlib.contextmanager
def static_program():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            yield
    finally:
        paddle.disable_static()
