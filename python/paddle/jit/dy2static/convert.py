# SPDX-License-Identifier: Apache-2.0
"""`convert_to_static`: functions whose control flow can be recorded, made once per code object."""

import ast
import functools
import inspect
import logging
import sys
import types
import weakref

from paddle.jit import environment
from paddle.jit.dy2static import rewrite, source
from paddle.jit.dy2static.code_cache import CodeCache

logger = logging.getLogger('paddle.jit.dy2static')
_log = logging.getLogger('paddle.jit')
_codes = CodeCache()
# What `set_code_level` and `set_verbosity` were told; None: what the environment says.
_shown, _verbosity = {'level': None, 'stdout': False}, {'level': None, 'used': 0}
_KEY = '_pt_converted'


def convert_to_static(fn):
    """`fn` with control flow over tensors that can be recorded; on tensors with data and Python
    values it does what `fn` does.

    Functions, methods, functools.partial objects, layers and objects with `__call__` are taken;
    what has no source, generators and functions of libraries come back as they are. Raises
    TypeError for coroutines.
    """
    from paddle.jit.dy2static import calls

    return calls.call(fn)


def convert_function(fn):
    """The converted form of a plain function; the same object each time it is asked for."""
    found = fn.__dict__.get(_KEY)
    if found is not None and found[0]() is fn and found[1] is fn.__code__:
        return found[2]
    code, tree_source = _convert_code(fn)
    if code is None:
        new = fn
    else:
        new = _with_code(fn, code)
        new.__dict__.update({k: v for k, v in fn.__dict__.items() if k != _KEY})
        new.__converted_source__ = _Source(tree_source)
        new.__dict__[_KEY] = weakref.ref(new), code, new
    fn.__dict__[_KEY] = weakref.ref(fn), fn.__code__, new
    return new


def _with_code(fn, code):
    from paddle.jit.dy2static import runtime

    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    cells['_jst'] = types.CellType(runtime)
    new = types.FunctionType(
        code,
        fn.__globals__,
        fn.__name__,
        fn.__defaults__,
        tuple(cells[n] for n in code.co_freevars),
    )
    new.__kwdefaults__, new.__annotations__ = fn.__kwdefaults__, fn.__annotations__
    new.__qualname__, new.__module__, new.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
    return new


class _Source:
    """The text of a converted function, made when it is asked for."""

    def __init__(self, tree):
        self._tree = tree

    @functools.cached_property
    def text(self):
        return ast.unparse(self._tree) + '\n'


def _convert_code(fn):
    """(code object, tree) of the converted function, or (None, None) where it stays as it is."""
    code = fn.__code__
    found = _codes.get(code)
    if found is not None:
        return found
    if inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn):
        raise TypeError(
            f"[to_static] expected a function, got the coroutine function {fn.__qualname__!r}"
        )
    new = None, None
    if not code.co_flags & inspect.CO_GENERATOR:
        tree = source.function_tree(code)
        if tree is None:
            logger.info('%s stays as it is: its source is not at hand', fn.__qualname__)
        else:
            klass = source.enclosing_class(fn.__qualname__)
            rewriter = rewrite.Rewriter(tree, code.co_freevars, klass)
            tree = rewriter.function()
            if rewriter.changed:
                new = source.compile_function(tree, code, {*code.co_freevars, '_jst'}, klass), tree
                show(code, fn.__qualname__, tree)
    return _codes.put(code, None, new)


def show(code, name, tree):
    """Show converted code where `set_code_level` or the environment asks for it."""
    level = _shown['level']
    if (environment.CODE_LEVEL.get() if level is None else level) >= 0:
        place = f'{code.co_filename}:{code.co_firstlineno}'
        text = f'{name} ({place}) after conversion:\n{ast.unparse(tree)}\n'
        logger.warning(text)
        if _shown['stdout']:
            print(text)


def converted_source(fn):
    """The text of what `convert_to_static` makes of `fn`; its own source where it stays as it
    is.
    """
    new = convert_to_static(fn)
    new = getattr(new, '__func__', new)
    text = getattr(new, '__converted_source__', None)
    return inspect.getsource(new) if text is None else text.text


def set_code_level(level=100, also_to_stdout=False):
    """Show the code of functions that are converted from now on; a negative level turns it off.
    Until it is called the environment variable TRANSLATOR_CODE_LEVEL says the level.

    Args:
        level (int, default 100): From 0 on shows it.
        also_to_stdout (bool, default False): Whether it is printed as well as logged.

    Returns:
        None.

    Examples:
        >>> paddle.jit.set_code_level(-1)
    """
    if not isinstance(level, int):
        raise TypeError(f"[set_code_level] expected an int as level, got {type(level).__name__}")
    _shown.update(level=level, stdout=bool(also_to_stdout))


def set_verbosity(level=0, also_to_stdout=False):
    """Log what is recorded: level 1 tells which functions stay as they are, and why; level 3 each
    recording and why those of before did not fit.

    Until it is called the environment variable TRANSLATOR_VERBOSITY, or SOT_LOG_LEVEL, says the
    level. Where logging is not configured, what is logged goes to stderr.

    Args:
        level (int, default 0): The level; 0 for nothing.
        also_to_stdout (bool, default False): Whether it is printed as well as logged.

    Returns:
        None.

    Examples:
        >>> paddle.jit.set_verbosity(0)
    """
    if not isinstance(level, int):
        raise TypeError(f"[set_verbosity] expected an int as level, got {type(level).__name__}")
    _verbosity['level'] = level
    use_verbosity()
    if also_to_stdout and not any(getattr(h, 'stream', 0) is sys.stdout for h in _log.handlers):
        _log.addHandler(logging.StreamHandler(sys.stdout))


def use_verbosity():
    """Log from now on as much as was told last, or as the environment says."""
    level = _verbosity['level']
    if level is None:
        level = max(variable.get() for variable in environment.LOG_LEVELS)
    if level == _verbosity['used']:
        return
    _verbosity['used'] = level
    _log.setLevel(logging.DEBUG if level > 2 else logging.INFO if level > 0 else logging.WARNING)
    if level > 0 and not _log.hasHandlers():
        _log.addHandler(logging.StreamHandler())
