# SPDX-License-Identifier: Apache-2.0
"""Walks over syntax trees for code that is converted while a program waits: those of `ast`, without
what is not asked for.
"""

import ast

_AST = ast.AST
_NOT_NODES = {
    *('ctx', 'op', 'ops', 'id', 'attr', 'name', 'kind', 'type_comment', 'type_ignores', 'lineno'),
    *('is_async', 'conversion', 'simple', 'level', 'module', 'rest'),
}
_fields = {ast.Constant: ()}


def _children(kind):
    """The fields of a kind of node that may hold nodes; contexts and operators do not count."""
    found = _fields.get(kind)
    if found is None:
        found = _fields[kind] = tuple(f for f in kind._fields if f not in _NOT_NODES)
    return found


def walk(node):
    """All nodes of the tree in no particular order."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        for field in _children(node.__class__):
            value = getattr(node, field, None)
            if value.__class__ is list:
                stack.extend([v for v in value if isinstance(v, _AST)])
            elif isinstance(value, _AST):
                stack.append(value)


class Visitor:
    """`visit_<Kind>` methods are called for nodes of that kind, `generic_visit` for others and by
    them.
    """

    def __init_subclass__(cls):
        cls._methods = {}

    def visit(self, node):
        """The result of the method for the node."""
        kind = node.__class__
        method = self._methods.get(kind)
        if method is None:
            method = getattr(type(self), 'visit_' + kind.__name__, type(self).generic_visit)
            self._methods[kind] = method
        return method(self, node)

    def generic_visit(self, node):
        """Visit the nodes in the node."""
        for field in _children(node.__class__):
            value = getattr(node, field, None)
            if value.__class__ is list:
                for v in value:
                    if isinstance(v, _AST):
                        self.visit(v)
            elif isinstance(value, _AST):
                self.visit(value)


class Transformer(Visitor):
    """A visitor whose results replace the nodes; a list replaces a statement by several, None takes
    it away.
    """

    def generic_visit(self, node):
        """Replace the nodes in the node; returns it."""
        for field in _children(node.__class__):
            value = getattr(node, field, None)
            if value.__class__ is list:
                new = []
                for v in value:
                    r = self.visit(v) if isinstance(v, _AST) else v
                    if r.__class__ is list:
                        new.extend(r)
                    elif r is not None or v is None:
                        new.append(r)
                value[:] = new
            elif isinstance(value, _AST):
                setattr(node, field, self.visit(value))
        return node


def locate(tree):
    """Give nodes without a place in the file that of the node around them."""
    stack = [(tree, tree)]
    while stack:
        node, around = stack.pop()
        place = node.__dict__
        if 'lineno' in place:
            around = node
        elif node._attributes:
            outer = around.__dict__
            node.lineno, node.col_offset = outer.get('lineno', 1), outer.get('col_offset', 0)
            node.end_lineno, node.end_col_offset = (
                outer.get('end_lineno'),
                outer.get('end_col_offset'),
            )
            if node.end_lineno != node.lineno:  # the interpreter puts methods at the last line
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
        for field in _children(node.__class__):
            value = place.get(field)
            if value.__class__ is list:
                for v in value:
                    if isinstance(v, _AST):
                        stack.append((v, around))
            elif isinstance(value, _AST):
                stack.append((value, around))
    return tree
