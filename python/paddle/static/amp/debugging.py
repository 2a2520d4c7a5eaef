# SPDX-License-Identifier: Apache-2.0
"""In which dtypes the operations of a program compute."""

import paddle

__all__ = ['collect_operator_stats']

_KINDS = {paddle.float16: 0, paddle.bfloat16: 1, paddle.float32: 2}


def _get_op_stats_list(program):
    """[{operation: [calls in float16, bfloat16, float32, others]}] of the blocks of a program,
    those of branches and loops behind the one they are in, by the first floating input, or result
    where there is none.
    """
    return [_counts(block) for block in _blocks(program.global_block())]


def _blocks(block):
    yield block
    for op in block.ops:
        for inner in op.blocks():
            yield from _blocks(inner)


def _counts(block):
    counts = {}
    for op in block.ops:
        name = op.name()
        if not name.startswith('pd_op.') or name in ('pd_op.data', 'pd_op.fetch'):
            continue
        values = [op.operand_source(k) for k in range(op.num_operands())] + list(op.results())
        dtypes = [v.dtype for v in values if v is not None]
        place = next((_KINDS[d] for d in dtypes if d in _KINDS), 3)
        counts.setdefault(name[len('pd_op.') :], [0, 0, 0, 0])[place] += 1
    return counts


def collect_operator_stats(program=None, print_subblocks=False):
    """Print how many calls of each operation of a program compute in which dtype.

    Args:
        program (Program, default None): The program; None for the default main program.
        print_subblocks (bool, default False): Whether branches and loops are counted too, each in a
            table of its own.

    Returns:
        None.

    Examples:
        >>> import contextlib, io
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.exp(paddle.static.data("x", [2]))
        >>> with contextlib.redirect_stdout(io.StringIO()) as printed:
        ...     paddle.static.amp.debugging.collect_operator_stats(main)
        >>> "exp" in printed.getvalue()
        True
    """
    from paddle.amp.debugging import _print_counts

    blocks = _get_op_stats_list(program or paddle.static.default_main_program())
    for counts in blocks if print_subblocks else blocks[:1]:
        _print_counts(counts)
