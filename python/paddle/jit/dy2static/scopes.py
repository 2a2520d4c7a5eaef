# SPDX-License-Identifier: Apache-2.0
"""Which names statements bind and read, and which are still needed after a statement."""

import ast

from paddle.jit.dy2static import trees

_MUTATORS = {
    'append',
    'extend',
    'insert',
    'pop',
    'remove',
    'clear',
    'sort',
    'reverse',
    'update',
    'setdefault',
    'popitem',
}


class Effects(trees.Visitor):
    """What code does to the names of its function: `stores`, `reads`, `deletes`, names that inner
    functions hold (`captured`), names whose object is changed in place (`mutated`), and attributes
    that are set or changed (`attributes`: text -> node)."""

    def __init__(self, nodes):
        self.stores, self.reads, self.captured, self.mutated = set(), set(), set(), set()
        self.attributes, self._bound = {}, [set()]
        for node in nodes:
            self.visit(node)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            if len(self._bound) == 1 or not any(node.id in b for b in self._bound):
                self.reads.add(node.id)
        elif not any(node.id in b for b in self._bound[1:]):
            self.stores.add(node.id)
            if isinstance(node.ctx, ast.Del):
                self.reads.add(node.id)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self.reads.add(node.target.id)
        self.generic_visit(node)

    def visit_NamedExpr(self, node):
        self.stores.add(node.target.id)
        self.visit(node.value)

    def _comprehension(self, node):
        self.visit(node.generators[0].iter)
        self._bound.append(
            {n.id for g in node.generators for n in trees.walk(g.target) if isinstance(n, ast.Name)}
        )
        for g in node.generators:
            self.visit(g.target)
            for part in (*([] if g is node.generators[0] else [g.iter]), *g.ifs):
                self.visit(part)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)
        self._bound.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _inner(self, node):
        names = {n.id for n in trees.walk(node) if isinstance(n, ast.Name)}
        names |= {
            m
            for n in trees.walk(node)
            if isinstance(n, (ast.Nonlocal, ast.Global))
            for m in n.names
        }
        self.captured |= names
        self.reads |= names

    def visit_Lambda(self, node):
        self._inner(node)

    def visit_FunctionDef(self, node):
        self.stores.add(node.name)
        self._inner(node)

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def _import(self, node):
        self.stores.update((a.asname or a.name.split('.')[0]) for a in node.names)

    visit_Import = visit_ImportFrom = _import

    def visit_ExceptHandler(self, node):
        if node.name:
            self.stores.add(node.name)
        self.generic_visit(node)

    def _capture(self, node):
        name = getattr(node, 'name', None) or getattr(node, 'rest', None)
        if name:
            self.stores.add(name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _capture

    def _changed(self, node):
        if isinstance(node, ast.Name):
            self.mutated.add(node.id)
        elif _chain(node):
            self.attributes[ast.unparse(node)] = node
        elif isinstance(node, ast.Subscript):
            self._changed(node.value)

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load) and _chain(node):
            self.attributes[ast.unparse(node)] = node
        self.generic_visit(node)

    def visit_Subscript(self, node):
        if not isinstance(node.ctx, ast.Load):
            self._changed(node.value)
        self.generic_visit(node)

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            self._changed(node.func.value)
        self.generic_visit(node)


def _chain(node):
    """Whether the node is `name.attribute.attribute...`."""
    if not isinstance(node, ast.Attribute):
        return False
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def root(node):
    """The name a chain of attributes starts with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id


def annotate(stmts, always):
    """Set on every If, While and For the names that must be right after it (`live_out`) and, for
    loops, at the start of each round (`live_head`). Names in `always` are needed everywhere. Break
    and continue must be gone already."""
    _live(stmts, frozenset(always), frozenset(always))


def _live(stmts, out, always):
    for stmt in reversed(stmts):
        out = _before(stmt, out, always)
    return out


def _before(s, out, always):
    if isinstance(s, ast.If):
        s.live_out = out
        test = Effects([s.test])
        return (_live(s.body, out, always) | _live(s.orelse, out, always)) - (
            test.stores - always
        ) | test.reads
    if isinstance(s, (ast.While, ast.For)):
        s.live_out = out
        head = out | frozenset(s.exits)
        first = Effects([s.test] if isinstance(s, ast.While) else [s.target])
        kills = (first.stores if isinstance(s, ast.For) else set()) - always
        while True:
            new = head | first.reads | (_live(s.body, head, always) - kills)
            if new == head:
                break
            head = new
        s.live_head = head
        return head | (Effects([s.iter]).reads if isinstance(s, ast.For) else frozenset())
    if isinstance(s, ast.Try) or type(s).__name__ == 'TryStar':
        late = _live(s.finalbody, out, always) | out
        for h in s.handlers:
            late |= _live(h.body, late, always) | (Effects([h.type]).reads if h.type else set())
        return late | _live(s.body, _live(s.orelse, late, always) | late, always)
    if isinstance(s, (ast.With, ast.AsyncWith)):
        return out | _live(s.body, out, always) | Effects(s.items).reads
    if isinstance(s, ast.Return):
        return always | Effects([s]).reads
    effects = getattr(s, 'effects', None)  # asked for again in each round over a loop
    if effects is None:
        effects = s.effects = Effects([s])
    if isinstance(s, (ast.Raise, ast.Assert)):
        return out | effects.reads
    return (out - (effects.stores - always)) | effects.reads
