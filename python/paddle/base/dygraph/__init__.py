# SPDX-License-Identifier: Apache-2.0
"""Eager mode: gradient switches."""
from paddle import _lazy

_lazy.install(globals(), 'paddle.base.dygraph', _lazy.homes({
    '.base': 'no_grad no_grad_ enable_grad set_grad_enabled is_grad_enabled grad to_variable guard enabled',
}), modules=('base', 'math_op_patch'))
