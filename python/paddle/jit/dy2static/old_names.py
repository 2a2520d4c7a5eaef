# SPDX-License-Identifier: Apache-2.0
"""Helpers of programs that rewrite functions themselves: about signatures, syntax trees and
places."""

import ast
import inspect

import paddle

__all__ = [
    'ORIGIN_INFO',
    'Location',
    'OriginInfo',
    'UndefinedVar',
    'attach_origin_info',
    'cmpop_node_to_str',
    'create_bool_as_type',
    'index_in_list',
    'is_paddle_func',
    'parse_arg_and_kwargs',
]

ORIGIN_INFO = 'Original information of source code for ast node.'
_COMPARISONS = {
    'Eq': '==',
    'NotEq': '!=',
    'Lt': '<',
    'LtE': '<=',
    'Gt': '>',
    'GtE': '>=',
    'Is': 'is',
    'IsNot': 'is not',
    'In': 'in',
    'NotIn': 'not in',
}


class UndefinedVar:
    """What stands for a variable that has no value yet; `check` raises UnboundLocalError."""

    def __init__(self, name):
        self.name = name

    def check(self):
        """Raise: the variable is read."""
        raise UnboundLocalError(
            f'[dy2static] expected a value of {self.name!r} before it is read, got none'
        )


class Location:
    """A file, a line and a column."""

    __slots__ = ('col_offset', 'filepath', 'lineno')

    def __init__(self, filepath, lineno, col_offset=None):
        self.filepath, self.lineno, self.col_offset = filepath, lineno, col_offset

    @property
    def line_location(self):
        """The file and the line."""
        return self.filepath, self.lineno

    def __str__(self):
        return f'location: {self.filepath}:{self.lineno}:{self.col_offset}'


class OriginInfo:
    """Where a node of a syntax tree stood, in which function, and its line."""

    __slots__ = ('function_name', 'location', 'source_code')

    def __init__(self, location, function_name, source_code):
        self.location, self.function_name = location, function_name
        self.source_code = source_code

    def __str__(self):
        return (
            f'{self.location} \nsource_code: {self.source_code}  in function '
            f'{self.function_name}\n  '
        )

    def formatted_message(self):
        """The entry of a traceback."""
        return (
            f'    File "{self.location.filepath}", line {self.location.lineno}, in '
            f'{self.function_name} (* user code *)\n\t{self.source_code.lstrip()}'
        )

    def as_frame(self):
        """File, line, function and text."""
        return (*self.location.line_location, self.function_name, self.source_code.lstrip())


def attach_origin_info(ast_node, func):
    """Give each node of a function's syntax tree an `OriginInfo`, under the name `ORIGIN_INFO`.

    Args:
        ast_node (object): The tree of the function's source.
        func (callable): The function.

    Returns:
        object: the tree.
    """
    lines, first = inspect.getsourcelines(func)
    path = inspect.getsourcefile(func)
    within = []

    def visit(node):
        own = isinstance(node, ast.FunctionDef)
        if own:
            within.append(node.name)
        line = getattr(node, 'lineno', None)
        if line is not None and line <= len(lines):
            place = Location(path, first + line - 1, getattr(node, 'col_offset', None))
            info = OriginInfo(place, '.'.join(within), lines[line - 1].rstrip('\n'))
            setattr(node, ORIGIN_INFO, info)
        for child in ast.iter_child_nodes(node):
            visit(child)
        if own:
            within.pop()

    visit(ast_node)
    return ast_node


def create_bool_as_type(x, value=True):
    """`value` as a tensor where `x` is one, else as it is."""
    return paddle.full([], value, 'bool') if isinstance(x, paddle.Tensor) else value


def cmpop_node_to_str(node):
    """The text of a comparison's operator in a syntax tree."""
    return _COMPARISONS[type(node).__name__]


def index_in_list(array_list, item):
    """Where an item stands in a list; -1 where it does not."""
    return array_list.index(item) if item in array_list else -1


def parse_arg_and_kwargs(function):
    """The names of a function's positional parameters, and the defaults of those that have one."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    return [p.name for p in found], {p.name: p.default for p in found if p.default is not p.empty}


def is_paddle_func(func, ignore_white_list=True):
    """Whether a function or class is one of this package; with `ignore_white_list=False` layers
    that hold others, whose calls are the program's own, are not."""
    while hasattr(func, 'func') and not inspect.isfunction(func):
        func = func.func
    func = getattr(func, '__func__', func)
    module = getattr(func, '__module__', None) or ''
    if not ignore_white_list and module == 'paddle.nn.layer.container':
        return False
    return module == 'paddle' or module.startswith('paddle.')
