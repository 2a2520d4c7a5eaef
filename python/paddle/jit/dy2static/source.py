# SPDX-License-Identifier: Apache-2.0
"""The syntax tree of a code object, at the positions it has in its file, and code objects from
trees.
"""

import ast
import collections
import dis
import functools
import inspect
import linecache
import os
import sys
import textwrap
import types
import weakref

from paddle.jit.dy2static import patterns, trees

_MOST_FILES = 64  # whose trees are kept
_files, _made = collections.OrderedDict(), weakref.WeakKeyDictionary()


def _codes_in(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes_in(inner)


def _words_of_process():
    """The command line, which `sys` has from CPython 3.10 on."""
    try:
        with open('/proc/self/cmdline', 'rb') as file:
            return [os.fsdecode(word) for word in file.read().split(b'\0')]
    except OSError:
        return []


@functools.cache
def _command():
    """(lines, what tells its code objects) of the program that stands on the command
    line.
    """
    words = getattr(sys, 'orig_argv', None) or _words_of_process()
    for option, text in zip(words, words[1:]):
        if option[:1] == '-' and option[:2] != '--' and option[-1:] == 'c':
            try:
                text = textwrap.dedent(text)
                program = compile(text, '<string>', 'exec', dont_inherit=True)
            except (SyntaxError, ValueError):
                continue
            return text.splitlines(True), set(map(_what, _codes_in(program)))
    return [], set()


def _what(code):
    """What tells a code object from others of its file, also after it was compiled within other
    code, which may find attributes by other instructions.
    """
    steps = [
        (i.opname, None if i.opname == 'LOAD_CONST' else i.argval)
        for i in dis.get_instructions(code)
        if i.opname.startswith(('BINARY', 'UNARY', 'COMPARE', 'CONTAINS', 'IS_OP', 'LOAD_CONST'))
    ]
    constants = [repr(c) for c in _constants(code) if not isinstance(c, types.CodeType)]
    names = code.co_names, code.co_varnames, code.co_freevars
    return code.co_name, code.co_firstlineno, tuple(constants), names, tuple(steps)


def _constants(code):
    """The constants of a code object without the qualified names of functions inside, which CPython
    has among them up to 3.10.
    """
    if sys.version_info >= (3, 11):
        return code.co_consts
    inner = {c.co_name for c in code.co_consts if isinstance(c, types.CodeType)}
    return [
        c for c in code.co_consts if not isinstance(c, str) or c.rpartition('.')[2] not in inner
    ]


def _lines(code):
    """The lines of the file of a code object, also of one whose module the interpreter holds frozen
    and of the program on the command line.
    """
    filename = code.co_filename
    if filename == '<string>':
        lines, codes = _command()
        if _what(code) in codes:
            return lines
    if filename.startswith('<frozen '):
        module = sys.modules.get(filename[len('<frozen ') : -1])
        filename = getattr(module, '__file__', None) or filename
    return linecache.getlines(filename)


def _file_tree(code):
    filename, lines = code.co_filename, _lines(code)
    key = len(lines), hash(''.join(lines))
    found = _files.pop(filename, None)
    if found is None or found[0] != key:
        try:
            tree = ast.parse(''.join(lines))
        except SyntaxError:
            tree = ast.Module([], [])
        found = key, tree
        while len(_files) >= _MOST_FILES:
            _files.popitem(last=False)
    _files[filename] = found
    return found[1]


def _lambda_tree(code):
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    found = [
        n
        for n in ast.walk(_file_tree(code))
        if isinstance(n, ast.Lambda)
        and n.lineno == code.co_firstlineno
        and _parameters(n.args) == code.co_varnames[:count]
    ]
    if len(found) > 1:
        same = [n for n in found if _same_code(_compiled_alone(copied(n), code), code)]
        found = same[:1] or _at_positions(found, code)
    if len(found) != 1:
        return None
    return copied(found[0])


def _at_positions(found, code):
    """Of the lambdas the innermost that spans what the code has positions of, in a list."""
    if not hasattr(code, 'co_positions'):  # before CPython 3.11
        return []
    spots = [
        (p[0], p[2])
        for p in code.co_positions()
        if p[0] is not None and p[2] is not None and p[1] is not None
    ][1:]
    spots = [s for s in spots if s >= (code.co_firstlineno, 1)]
    found = [
        n for n in found if spots and _spans(n.body, min(spots)) and _spans(n.body, max(spots))
    ]
    return sorted(found, key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset))[
        :1
    ]


def _compiled_alone(node, code):
    try:
        return compile_function(node, code, code.co_freevars, None)
    except SyntaxError:
        return None


def _same_code(a, b):
    """Whether both code objects do the same."""
    if not isinstance(a, types.CodeType) or not isinstance(b, types.CodeType):
        return type(a) is type(b) and repr(a) == repr(b)
    constants = _constants(a), _constants(b)
    return (
        all(getattr(a, name) == getattr(b, name) for name in _CODE)
        and (a.co_flags ^ b.co_flags) & ~inspect.CO_NESTED == 0
        and len(constants[0]) == len(constants[1])
        and all(map(_same_code, *constants))
    )


_CODE = (
    *('co_code', 'co_names', 'co_varnames', 'co_freevars', 'co_cellvars'),
    *('co_argcount', 'co_posonlyargcount', 'co_kwonlyargcount'),
)


def copied(node):
    """A copy of the tree."""
    if isinstance(node, ast.AST):
        new = type(node)(**{k: copied(v) for k, v in ast.iter_fields(node)})
        return ast.copy_location(new, node)
    return [copied(v) for v in node] if isinstance(node, list) else node


def _spans(node, spot):
    return (node.lineno, node.col_offset) <= spot <= (node.end_lineno, node.end_col_offset)


def _parameters(args):
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return tuple(names + [a.arg for a in (args.vararg, args.kwarg) if a is not None])


def remember(code, tree):
    """The tree that `code` was compiled from, where it stands in no file so."""
    _made[code] = tree


def function_tree(code):
    """The FunctionDef, AsyncFunctionDef or Lambda that `code` was compiled from, without `match`;
    None when its source is not at hand.
    """
    if code in _made:
        return copied(_made[code])
    if code.co_name == '<lambda>':
        return _lambda_tree(code)
    lines = _lines(code)
    first = code.co_firstlineno
    if not 0 < first <= len(lines):
        return None
    block = _block(lines, first - 1, last_line(code))
    tree = _parse(block, first)
    if tree is None:
        try:
            tree = _parse(inspect.getblock(lines[first - 1 :]), first)
        except (SyntaxError, IndentationError):
            return None
    node = tree[0] if tree else None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != code.co_name:
        return None
    if sys.version_info >= (3, 10) and any('match' in line for line in block):
        node = patterns.lowered(node)
    return node


def last_line(code):
    """The last line of the file that the code object has code for."""
    return max(
        [line for _, _, line in _lines_of(code) if line]
        + [last_line(c) for c in code.co_consts if isinstance(c, types.CodeType)]
    )


def _lines_of(code):
    if hasattr(code, 'co_lines'):
        return code.co_lines()
    return [(0, 0, line) for _, line in dis.findlinestarts(code)]


def _block(lines, start, last):
    """The lines from `start` to the one before the first that is not indented deeper, after line
    number `last`.
    """
    margin = len(lines[start]) - len(lines[start].lstrip())
    for k in range(max(last, start + 1), len(lines)):
        text = lines[k].lstrip()
        if text and not text.startswith('#') and len(lines[k]) - len(text) <= margin:
            return lines[start:k]
    return lines[start:]


def _parse(block, first):
    """The statements of the lines, which begin at line `first` and may be indented; None where they
    are no whole statements.
    """
    indented = block[0][:1].isspace()
    head = '\n' * (first - 2) + 'if 1:\n' if indented else '\n' * (first - 1)
    try:
        tree = ast.parse(head + ''.join(block))
    except (SyntaxError, IndentationError):
        return None
    return tree.body[0].body if indented else tree.body


def enclosing_class(qualname):
    """The class whose body a function of this qualified name stands in, however deep, or None."""
    parts = qualname.split('.')[:-1]
    classes = [
        p for p, after in zip(parts, parts[1:] + ['']) if p != '<locals>' and after != '<locals>'
    ]
    return classes[-1] if classes else None


def func_to_source_code(function, dedent=True):
    """The text of a function's definition; with `dedent` from the first column on. TypeError for
    what is no function.
    """

    if isinstance(function, functools.partial):
        function = function.func
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        raise TypeError(
            f"[func_to_source_code] expected a function or method, got {type(function).__name__}"
        )
    text = inspect.getsource(function)
    return textwrap.dedent(text) if dedent else text


def compile_function(node, code, free, class_name):
    """The code object of `node`, compiled where `code` was: same file, names of class members, free
    variables `free`.
    """
    if isinstance(node, ast.Lambda):
        inner = ast.copy_location(ast.Expr(node), node)
    else:
        inner = node
    if class_name is not None:
        inner = ast.ClassDef(
            name=class_name, bases=[], keywords=[], body=[inner], decorator_list=[]
        )
    names = [ast.arg(n) for n in sorted(free) if not (class_name is not None and n == '__class__')]
    outer = ast.FunctionDef(
        name='_pt_outer',
        args=ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[]),
        body=[inner],
        decorator_list=[],
    )
    if (
        isinstance(inner, (ast.FunctionDef, ast.ClassDef)) and inner.name not in free
    ):  # in its own body the name is the module's
        outer.body.insert(0, ast.copy_location(ast.Global([inner.name]), node))
    for new in (inner, outer):
        if isinstance(new, (ast.FunctionDef, ast.ClassDef)) and not hasattr(new, 'type_params'):
            new.type_params = []
        ast.copy_location(new, node)
    tree = trees.locate(ast.Module([outer], []))
    found = compile(
        tree, code.co_filename, 'exec', dont_inherit=True, flags=code.co_flags & _FUTURE
    )
    for name in ('_pt_outer', class_name, code.co_name):
        if name is not None:
            found = next(
                c for c in found.co_consts if isinstance(c, types.CodeType) and c.co_name == name
            )
    change = {'co_qualname': code.co_qualname} if hasattr(code, 'co_qualname') else {}
    return found.replace(**change)


_FUTURE = 0x1000000  # from __future__ import annotations
