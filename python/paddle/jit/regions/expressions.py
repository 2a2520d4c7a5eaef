# SPDX-License-Identifier: Apache-2.0
"""A statement of which parts cannot be compiled, as several that evaluate the same in the same
order: what can be compiled is assigned to names of their own before.
"""

import ast

from . import names

HELD = '_pt_held'  # begins names of what is evaluated before
_COMPILED = (
    *(ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.JoinedStr),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_WORK = (*_COMPILED, ast.Attribute, ast.BoolOp)  # may run code
# Expressions that evaluate these fields once each, in this order.
_FIELDS = {
    ast.BinOp: ('left', 'right'),
    ast.UnaryOp: ('operand',),
    ast.Attribute: ('value',),
    ast.Subscript: ('value', 'slice'),
    ast.Slice: ('lower', 'upper', 'step'),
    ast.Tuple: ('elts',),
    ast.List: ('elts',),
    ast.Set: ('elts',),
    ast.Call: ('func', 'args', 'keywords'),
    ast.keyword: ('value',),
    ast.Compare: ('left', 'comparators'),
    ast.IfExp: ('test',),
}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LATER = (ast.IfExp, ast.BoolOp, *_COMPREHENSIONS)  # evaluate other parts, perhaps, after these
_OF_FRAME = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
# The expression of a statement that is evaluated once, before all else in it.
_ROOTS = {
    **dict.fromkeys((ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return), 'value'),
    **{ast.If: 'test', ast.For: 'iter'},
}


def span_of(node):
    """Where the expression or statement stands: (line, column, last line, last column)."""
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def is_held(s):
    """Whether the statement assigns what was part of an expression."""
    target = s.targets[0] if isinstance(s, ast.Assign) else None
    return isinstance(target, ast.Name) and target.id.startswith(HELD)


class Expressions:
    """Takes expressions apart.

    `spans`: (*span, whole) of those that cannot be compiled; `whole`: nor can what is in them.
    `fixed`: names that are bound wherever they are read, by statements of the function alone;
    `local`: those of the latter kind that may be unbound, too.
    """

    def __init__(self, spans, fixed, local):
        self._spans = {s[:4]: s[4] for s in spans}
        self._fixed, self._local = fixed, local
        self.names, self.origins = [], {}  # name -> the expression that it holds

    def statements(self, s):
        """The statement as several; those with the attribute `stays` are not compiled."""
        field = _ROOTS.get(type(s))
        root = getattr(s, field, None) if field else None
        if root is None or not self._is_broken(root) or _has(root, _OF_FRAME):
            return [s]
        result, first = [], len(self.names)
        if isinstance(s, ast.AugAssign):  # its target is read first
            if getattr(s.target, 'id', None) not in self._local:
                return [s]
            self._held(ast.copy_location(ast.Name(s.target.id, ast.Load()), s), True, result)
        setattr(s, field, self._apart(root, result))
        s.stays = True
        result.append(s)
        held = self.names[first:]
        if held and not isinstance(s, (ast.Return, ast.If, ast.For)):  # releases what it held
            targets = [ast.Name(n, ast.Store()) for n in held]
            result.append(_located(ast.Assign(targets, ast.Constant(None)), s, True))
        return result

    def _is_broken(self, node):
        return any(
            span_of(n) in self._spans for n in names.own_nodes([node]) if isinstance(n, ast.expr)
        )

    def _apart(self, node, result):
        """What stands for a broken expression once `result` was evaluated."""
        if self._spans.get(span_of(node), False):
            return node
        parts = _parts_of(node)
        values = [_part_at(*part) for part in parts]
        works = [_has(v, _WORK) for v in values]
        for k, ((home, field, place), value) in enumerate(zip(parts, values)):
            more = isinstance(node, _LATER) or any(works[k + 1 :])
            new = self._part(field, value, more, result)
            if place is None:
                setattr(home, field, new)
            else:
                getattr(home, field)[place] = new
        return node

    def _part(self, field, value, more, result):
        """What stands for a part of an expression; `more`: whether other parts are evaluated after
        it that could change what it gives.
        """
        if isinstance(value, ast.Slice) or (field == 'slice' and isinstance(value, ast.Tuple)):
            return self._apart(value, result)
        if isinstance(value, ast.Constant) or (
            isinstance(value, ast.Name) and value.id in self._fixed
        ):
            return value
        if field == 'func':
            if isinstance(value, ast.Attribute):
                value.value = self._part('value', value.value, more, result)
            elif self._is_broken(value):
                value = self._apart(value, result)
            return self._held(value, True, result) if more else value
        if self._is_broken(value):
            return self._held(self._apart(value, result), True, result)
        if not more and not _has(value, _WORK):
            return value
        return self._held(value, not _has(value, _COMPILED), result)

    def _held(self, value, stays, result):
        name = f'{HELD}{len(self.names)}'
        self.names.append(name)
        self.origins[name] = value
        result.append(_located(ast.Assign([ast.Name(name, ast.Store())], value), value, stays))
        return ast.copy_location(ast.Name(name, ast.Load()), value)


def _has(node, kinds):
    return any(isinstance(n, kinds) for n in names.own_nodes([node]))


def _parts_of(node):
    """(object, field, place in a list or None) of the expressions that are evaluated once each,
    before the others; none where their number is found by going through one.
    """
    if isinstance(node, ast.BoolOp):
        return [(node, 'values', 0)]
    if isinstance(node, _COMPREHENSIONS):
        return [(node.generators[0], 'iter', None)]
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return []
    parts = []
    for field in _FIELDS.get(type(node), ()):
        value = getattr(node, field)
        if isinstance(value, list):
            parts += [(node, field, k) for k in range(len(value))]
        elif value is not None:
            parts.append((node, field, None))
    values = [(part, _part_at(*part)) for part in parts]
    if any(isinstance(v, ast.Starred) or getattr(v, 'arg', v) is None for _, v in values):
        return []
    return [(v, 'value', None) if isinstance(v, ast.keyword) else part for part, v in values]


def _part_at(home, field, place):
    value = getattr(home, field)
    return value if place is None else value[place]


def _located(statement, at, stays):
    ast.copy_location(statement, at)
    for n in statement.targets:
        ast.copy_location(n, at)
    statement.stays = stays
    return statement
