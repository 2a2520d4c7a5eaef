# SPDX-License-Identifier: Apache-2.0
"""Scales of quantised programs that their runs leave in tensors, which copies for evaluation read.

Apart from the passes that quantise: every copy for evaluation asks, and most programs have none.
"""

import paddle
from paddle.static import program as _program

KEPT = 'quantized_kept'  # the attribute of operations that compute such a scale


def captured(program, tensor):
    """The value by which a program reads a tensor as it is when the program runs."""
    with _program.running(), _program.recording(program), paddle.no_grad():
        read = paddle.assign(tensor)
    op = read.get_defining_op()
    value = op.operand_source(0)
    op.erase()
    return value


def keep_scales(program, copy):
    """In a copy for evaluation, scales that runs of the program average or raise are those that its
    runs left.
    """
    makers = [one for one in copy._operations() if one.has_attr(KEPT)]
    there = {copy._key(r): r for one in makers for r in one.results()}
    for tensor, value in program.__dict__.get('_writes', {}).values() if there else ():
        if (key := copy._key(value)) in there:
            there[key].replace_all_uses_with(captured(copy, tensor))
