# SPDX-License-Identifier: Apache-2.0
"""Dynamic mode: gradient switches and the mode's own."""

from paddle import _lazy

_lazy.install(
    globals(),
    'paddle.base.dygraph',
    _lazy.homes(
        {
            '.base': (
                'no_grad no_grad_ enable_grad set_grad_enabled is_grad_enabled grad to_variable '
                'guard enabled enable_dygraph disable_dygraph switch_to_static_graph'
            )
        }
    ),
    modules=('base', 'math_op_patch'),
)

enable_imperative, disable_imperative = (
    __getattr__('enable_dygraph'),
    __getattr__('disable_dygraph'),
)
