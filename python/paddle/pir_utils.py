# SPDX-License-Identifier: Apache-2.0
"""Guards around code that is run with PaddlePaddle's old and new programs: there is one kind of
program here.
"""

import functools

import paddle

__all__ = ['IrGuard', 'OldIrGuard', 'DygraphPirGuard', 'DygraphOldIrGuard', 'test_with_pir_api']


class IrGuard:
    """Static mode inside the block."""

    def __enter__(self):
        self._dynamic = paddle.in_dynamic_mode()
        if self._dynamic:
            paddle.enable_static()
        return self

    def __exit__(self, *args):
        if self._dynamic:
            paddle.disable_static()


class OldIrGuard(IrGuard):
    """The same as IrGuard: programs under either are programs of the one IR."""


class DygraphPirGuard:
    """The mode stays as it is inside the block."""

    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass


class DygraphOldIrGuard(DygraphPirGuard):
    """The mode stays as it is inside the block."""


def test_with_pir_api(func):
    """Decorator: run `func` with the one kind of program there is."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        func(*args, **kwargs)

    return wrapper


test_with_pir_api.__test__ = False
