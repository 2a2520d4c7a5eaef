# SPDX-License-Identifier: Apache-2.0
"""Operations of a program in terms of others, as their stanzas state them."""

from paddle.base import core

__all__ = ['decompose']


def decompose(
    program, src_vars, blacklist=frozenset(), whitelist=frozenset(), start_index=0, end_index=-1
):
    """Take operations of a program apart, in the program itself, where prim is enabled for the
    forward part (`core._set_prim_forward_enabled`); else nothing changes.

    Args:
        program (Program): The program.
        src_vars (list of Values): Values of it, to be known afterwards.
        blacklist (iterable, default frozenset()): Operations that stay, such as 'pd_op.mean',
            beside those of `core._set_prim_forward_blacklist`.
        whitelist (iterable, default frozenset()): The only names that are taken apart; empty for
            all.
        start_index (int, default 0): Must be 0.
        end_index (int, default -1): Must be -1.

    Returns:
        list of Values: what `src_vars` are now.

    Raises:
        TypeError: program is none.
        NotImplementedError: Only a part of the program is asked for.

    Examples:
        >>> paddle.enable_static()
        >>> core = paddle.base.core
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     y = paddle.nn.functional.softmax(paddle.static.data("x", [2, 3]))
        >>> core._set_prim_forward_enabled(True)
        >>> [y] = paddle.decomposition.decompose(main, [y])
        >>> core._set_prim_forward_enabled(False)
        >>> 'pd_op.softmax' in [op.name() for op in main.global_block().ops]
        False
    """
    from paddle.base.arguments import only
    from paddle.base.libpaddle.pir import Program

    if not isinstance(program, Program):
        raise TypeError(f'[decompose] expected a Program, got {type(program).__name__}')
    only('decompose', 'the whole program is taken', start_index=(start_index, 0))
    only('decompose', 'the whole program is taken', end_index=(end_index, -1))
    if core._is_fwd_prim_enabled():
        take_apart(program, blacklist, whitelist)
    return list(src_vars)


def take_apart(program, blacklist=(), whitelist=()):
    """The same, whatever is enabled."""
    kept = {_plain(name) for name in (*blacklist, *core._not_taken_apart)}
    wanted = {_plain(name) for name in whitelist}
    found = {_plain(op.name()) for op in program._operations()}
    names = sorted((found & wanted if wanted else found) - kept)
    if names:
        core.pir._decompose(program, names)


def _plain(name):
    return name.rpartition('.')[2]
