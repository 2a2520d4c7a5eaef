# SPDX-License-Identifier: Apache-2.0
"""Syntax trees of Python whose form does not depend on its version: what a function's parameters
and a handler's variable are called are `Name`s, as every other variable.

Nodes have the names of those of `ast`, and are other classes: `parse` and `ast_to_gast` make them,
`gast_to_ast` gives those of `ast` back.
"""

import ast
from ast import (  # noqa: F401
    AST,
    NodeTransformer,
    NodeVisitor,
    copy_location,
    dump,
    fix_missing_locations,
    increment_lineno,
    iter_child_nodes,
    iter_fields,
    walk,
)

_FIELDS = {
    'Name': ('id', 'ctx', 'annotation', 'type_comment'),
    'arguments': (
        'args',
        'posonlyargs',
        'vararg',
        'kwonlyargs',
        'kw_defaults',
        'kwarg',
        'defaults',
    ),
    'FunctionDef': (
        'name',
        'args',
        'body',
        'decorator_list',
        'returns',
        'type_comment',
        'type_params',
    ),
    'ClassDef': ('name', 'bases', 'keywords', 'body', 'decorator_list', 'type_params'),
}
_FIELDS['AsyncFunctionDef'] = _FIELDS['FunctionDef']
_PARAMETERS = ('args', 'posonlyargs', 'vararg', 'kwonlyargs', 'kwarg')


def _classes():
    """The classes of nodes by name: concrete ones of `ast`, with the fields they have here."""
    made = {}
    for name, kind in vars(ast).items():
        if not isinstance(kind, type) or not issubclass(kind, AST) or kind is AST:
            continue
        group = kind.__mro__[1]
        if group is AST and kind.__subclasses__():
            made[name] = None  # a group, as `expr`: shared
        elif name != 'arg' and (group is AST or AST in group.__bases__):
            made[name] = group
    classes = {}
    for name, group in {**made, 'Param': ast.expr_context}.items():
        kind = ast.Load if name == 'Param' else getattr(ast, name)
        fields = _FIELDS.get(name, kind._fields)
        scope = {'_fields': fields, '_attributes': kind._attributes, '__module__': __name__}
        classes[name] = kind if group is None else type(name, (group,), scope)
    return classes


_CLASSES = _classes()
globals().update(_CLASSES)


def _located(made, node):
    for name in node._attributes:
        if hasattr(node, name):
            setattr(made, name, getattr(node, name))
    return made


def _each(convert, value):
    if isinstance(value, list):
        return [_each(convert, v) for v in value]
    return convert(value) if isinstance(value, AST) else value


def ast_to_gast(node):
    """The tree of `ast` as one of this module's nodes."""
    kind = type(node).__name__
    if kind == 'arg':
        made = _CLASSES['Name'](
            node.arg,
            _CLASSES['Param'](),
            _each(ast_to_gast, node.annotation),
            getattr(node, 'type_comment', None),
        )
        return _located(made, node)
    made = _CLASSES[kind]()
    for name in made._fields:
        missing = [] if name == 'type_params' else None
        setattr(made, name, _each(ast_to_gast, getattr(node, name, missing)))
    _located(made, node)
    if kind == 'ExceptHandler' and node.name is not None:
        name = _CLASSES['Name'](node.name, _CLASSES['Store'](), None, None)
        made.name = _located(name, node)
    return made


def _parameter(node):
    return _located(
        ast.arg(
            arg=node.id,
            annotation=_each(gast_to_ast, node.annotation),
            type_comment=node.type_comment,
        ),
        node,
    )


def gast_to_ast(node):
    """The tree of this module's nodes as one of `ast`."""
    kind = type(node).__name__
    made = ast.Load() if kind == 'Param' else getattr(ast, kind)()
    for name in made._fields:
        value = getattr(node, name, None)
        if kind == 'arguments' and name in _PARAMETERS:
            value = _each(_parameter, value)
        elif kind == 'ExceptHandler' and name == 'name':
            value = getattr(value, 'id', value)
        else:
            value = _each(gast_to_ast, value)
        setattr(made, name, value)
    return _located(made, node)


def parse(*args, **kwargs):
    """`ast.parse`, as a tree of this module."""
    return ast_to_gast(ast.parse(*args, **kwargs))


def unparse(node):
    """Source that means the tree."""
    return ast.unparse(ast.fix_missing_locations(gast_to_ast(node)))


def literal_eval(node_or_string):
    """`ast.literal_eval` of source or a tree."""
    if isinstance(node_or_string, AST):
        node_or_string = gast_to_ast(node_or_string)
    return ast.literal_eval(node_or_string)


def get_docstring(node, clean=True):
    """The documentation string of a module, class or function, or None."""
    return ast.get_docstring(gast_to_ast(node), clean)
