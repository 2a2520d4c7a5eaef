# SPDX-License-Identifier: Apache-2.0
"""Rewriting of one function: control flow, boolean operators, calls and shapes become calls of
`_jst` (runtime.py).

A branch or loop body becomes a local function that shares the variables of the function around it
(`nonlocal`), so plain Python values keep Python's meaning, unbound names included; the runtime
reads and writes the shared variables where it records. Functions and lambdas that a user did not
write have the attribute `is_helper`.
"""

import ast

from paddle.jit.dy2static import exits, scopes, trees

_NATIVE_CALLS = {
    'locals',
    'globals',
    'vars',
    'dir',
    'eval',
    'exec',
    'isinstance',
    'issubclass',
    'hasattr',
    'callable',
    'type',
    'id',
}
_ALWAYS_BOOL = {'isinstance', 'issubclass', 'hasattr', 'callable'}


def _load(name):
    return ast.Name(name, ast.Load())


def _no_arguments(names=()):
    return ast.arguments(
        posonlyargs=[], args=[ast.arg(n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )


def _thunk(node):
    new = ast.copy_location(ast.Lambda(_no_arguments(), node), node)
    new.is_helper = True
    return new


def _binds(*nodes):
    return any(
        isinstance(n, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await))
        for node in nodes
        for n in trees.walk(node)
    )


def _python_bool(test):
    """Whether the test is True or False of Python whatever the values are."""
    if isinstance(test, ast.Constant):
        return True
    if isinstance(test, ast.Compare):
        return all(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops)
    if isinstance(test, ast.BoolOp):
        return all(_python_bool(v) for v in test.values)
    if isinstance(test, ast.UnaryOp):
        return isinstance(test.op, ast.Not) and _python_bool(test.operand)
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id in _ALWAYS_BOOL
    )


class Rewriter(trees.Transformer):
    """`Rewriter(node, free, klass).function()` gives the rewritten FunctionDef or Lambda; `changed`
    tells whether anything had to be.
    """

    def __init__(self, node, free=(), klass=None):
        self._node, self._count, self.changed = node, 0, False
        args = node.args
        names = [a.arg for a in (*args.posonlyargs, *args.args)]
        self._first = names[0] if names else None
        self._parameters = {
            *names,
            *(a.arg for a in args.kwonlyargs),
            *(a.arg for a in (args.vararg, args.kwarg) if a),
        }
        self._globals, self._nonlocals, self._shared = set(), set(), set()
        self._locals, self._klass = self._parameters | set(free), (klass or '').lstrip('_')

    def function(self):
        """The rewritten function, without decorators, defaults and annotations."""
        node = self._node
        for arg in (
            *node.args.posonlyargs,
            *node.args.args,
            *node.args.kwonlyargs,
            node.args.vararg,
            node.args.kwarg,
        ):
            if arg is not None:
                arg.annotation = None
        node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
            return node
        node.decorator_list, node.returns = [], None
        for n in self._own(node.body):
            if isinstance(n, ast.Global):
                self._globals.update(n.names)
            elif isinstance(n, ast.Nonlocal):
                self._nonlocals.update(n.names)
        lowering = exits.Lowering()
        body = lowering.tail(node.body)
        if lowering.uses_flag:
            body.insert(0, exits.assign(exits.RETURNED, ast.Constant(False), node))
        effects = scopes.Effects(body)
        self._locals |= effects.stores - self._globals
        self._always = effects.captured | self._globals | self._nonlocals
        scopes.annotate(body, self._always)
        self._declared = {
            n.target.id
            for n in self._own(body)
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
        }
        body = self._block(body)
        local = sorted(
            self._shared - self._parameters - self._globals - self._nonlocals - self._declared
        )
        head = [
            ast.AnnAssign(ast.Name(n, ast.Store()), ast.Constant('local'), None, 1) for n in local
        ]
        node.body = [ast.copy_location(h, node) for h in head] + body
        return node

    @staticmethod
    def _own(body):
        """All statements of the function itself."""
        stack = list(body)
        while stack:
            n = stack.pop()
            yield n
            if not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                stack.extend(s for block in exits.blocks(n) for s in block)

    def _block(self, stmts):
        out = []
        for s in stmts:
            new = self.visit(s)
            out.extend(new if isinstance(new, list) else [new])
        return out

    # --- statements

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_AnnAssign(self, node):
        node.target = self.visit(node.target)
        node.value = node.value and self.visit(node.value)
        return node

    def _constant(self, name):
        """The name as a string, as Python spells private names of the class."""
        private = self._klass and name.startswith('__') and not name.endswith('__')
        return ast.Constant(f'_{self._klass}{name}' if private else name)

    def _local_function(self, kind, body, at, parameters=()):
        """A FunctionDef of the statements, which writes the variables of the function around it."""
        stores = scopes.Effects(body).stores - set(parameters)
        body = self._block(body)
        self._shared |= stores
        head = [
            make(sorted(names))
            for make, names in (
                (ast.Global, stores & self._globals),
                (ast.Nonlocal, stores - self._globals),
            )
            if names
        ]
        self._count += 1
        new = ast.FunctionDef(
            name=f'_pt_{kind}_{self._count}',
            args=_no_arguments(parameters),
            body=[*head, *body] or [ast.Pass()],
            decorator_list=[],
        )
        new.type_params, new.is_helper = [], True
        return ast.copy_location(new, body[0] if body else at)

    def _places(self, effects, live):
        """The names a region may change and that matter afterwards, and the attributes it may
        change.
        """
        names = sorted(effects.stores & (live | self._always) | effects.mutated)
        attributes = [
            ast.Tuple([_thunk(_plain_load(node.value)), self._constant(node.attr)], ast.Load())
            for _, node in sorted(effects.attributes.items())
            if scopes.root(node) not in effects.stores
        ]
        out = [ast.Tuple([self._constant(n) for n in names], ast.Load())]
        # a thunk for each mutated name that is only read: its variable is not among those the
        # region writes
        readers = [
            ast.Tuple([self._constant(n), _thunk(_load(n))], ast.Load())
            for n in names
            if n not in effects.stores
        ]
        if attributes or readers:
            out.append(ast.Tuple([*attributes, *readers], ast.Load()))
        return out

    def visit_If(self, node):
        if _python_bool(node.test) or (
            not getattr(node, 'returns', False) and exits.exits_of([node])
        ):
            node.test = self.visit(node.test)
            node.body, node.orelse = self._block(node.body), self._block(node.orelse)
            return node
        self.changed = True
        places = self._places(scopes.Effects([*node.body, *node.orelse]), node.live_out)
        at, test = node.test, self.visit(node.test)
        functions = [self._local_function('true', node.body, node)]
        if node.orelse:
            functions.append(self._local_function('false', node.orelse, node))
        names = [_load(f.name) for f in functions] + [ast.Constant(None)] * (2 - len(functions))
        call = exits.helper(
            'if_return' if getattr(node, 'returns', False) else 'if_', [test, *names, *places], at
        )
        new = ast.Return(call) if getattr(node, 'returns', False) else ast.Expr(call)
        return [*functions, ast.copy_location(new, at)]

    def visit_While(self, node):
        if exits.exits_of([node]):
            return self._native(node)
        self.changed = True
        places = self._places(scopes.Effects([node.test, *node.body]), node.live_head)
        test = ast.copy_location(ast.Return(node.test), node.test)
        test = self._local_function('test', [test], node)
        body = self._local_function('body', node.body, node)
        names = ast.Tuple([ast.Constant(n) for n in node.exits], ast.Load())
        call = exits.helper(
            'while_', [_load(test.name), _load(body.name), names, *places], node.test
        )
        return [test, body, ast.copy_location(ast.Expr(call), node.test)]

    def visit_For(self, node):
        if exits.exits_of([node]):
            return self._native(node)
        self.changed = True
        at, iterable = node.iter, self.visit(node.iter)
        bind = ast.copy_location(
            ast.Assign([node.target], ast.copy_location(_load('_pt_item'), node.target)),
            node.target,
        )
        places = self._places(scopes.Effects([bind, *node.body]), node.live_head)
        body = self._local_function('body', [bind, *node.body], node, ('_pt_item',))
        names = ast.Tuple([ast.Constant(n) for n in node.exits], ast.Load())
        call = exits.helper('for_', [iterable, _load(body.name), names, *places], at)
        return [body, ast.copy_location(ast.Expr(call), at)]

    def _native(self, node):
        for field in ('test', 'iter'):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_Assert(self, node):
        if _python_bool(node.test) or _binds(node):
            return self.generic_visit(node)
        self.changed = True
        node = self.generic_visit(node)
        call = exits.helper(
            'assert_', [node.test, *([_thunk(node.msg)] if node.msg else [])], node.test
        )
        return ast.copy_location(ast.Expr(call), node.test)

    def visit_Global(self, node):
        return node

    # --- expressions

    def visit_BoolOp(self, node):
        first, *rest = node.values
        if _binds(*rest) or _python_bool(node):
            return self.generic_visit(node)
        self.changed = True
        rest = [_thunk(self.visit(v)) for v in rest]
        return exits.helper(
            'and_' if isinstance(node.op, ast.And) else 'or_', [self.visit(first), *rest], node
        )

    def visit_UnaryOp(self, node):
        if not isinstance(node.op, ast.Not) or _python_bool(node):
            return self.generic_visit(node)
        self.changed = True
        return exits.helper('not_', [self.visit(node.operand)], node)

    def visit_Compare(self, node):
        membership = isinstance(node.ops[0], (ast.In, ast.NotIn)) and len(node.ops) == 1
        if (
            len(node.ops) == 1
            and not membership
            or _python_bool(node)
            or _binds(*node.comparators[1:])
        ):
            return self.generic_visit(node)
        self.changed = True
        node = self.generic_visit(node)
        if membership:
            name = 'in_' if isinstance(node.ops[0], ast.In) else 'not_in'
            return exits.helper(name, [node.left, node.comparators[0]], node)
        ops = ast.Tuple([ast.Constant(type(op).__name__) for op in node.ops], ast.Load())
        return exits.helper(
            'chain', [ops, node.left, node.comparators[0], *map(_thunk, node.comparators[1:])], node
        )

    def visit_IfExp(self, node):
        if _python_bool(node.test) or _binds(node.body, node.orelse):
            return self.generic_visit(node)
        self.changed = True
        node = self.generic_visit(node)
        return exits.helper('if_value', [node.test, _thunk(node.body), _thunk(node.orelse)], node)

    def visit_Call(self, node):
        func = node.func
        if (
            isinstance(func, ast.Name)
            and func.id == 'super'
            and not node.args
            and not node.keywords
            and self._first
        ):
            self.changed = True
            node.args = [
                ast.copy_location(_load('__class__'), node),
                ast.copy_location(_load(self._first), node),
            ]
            return node
        native = isinstance(func, ast.Name) and func.id in _NATIVE_CALLS or exits.helper_name(func)
        if isinstance(func, ast.Attribute):
            func.value = self.visit(func.value)
        else:
            node.func = self.visit(func)
        node.args = [self.visit(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if not native:
            self.changed = True
            node.func = exits.helper('call', [node.func], func)
        return node

    def _may_be_object(self, node):
        """Whether the expression may be something else than a module."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in self._locals

    def visit_Attribute(self, node):
        node = self.generic_visit(node)
        if node.attr == 'shape' and isinstance(node.ctx, ast.Load):
            self.changed = True
            return exits.helper('shape', [node.value], node)
        if (
            isinstance(node.ctx, ast.Load)
            and not exits.helper_name(node)
            and self._may_be_object(node.value)
        ):
            return exits.helper('attribute', [node.value, self._constant(node.attr)], node)
        return node


def _plain_load(node):
    """A copy of a chain of attributes, to be read."""
    if isinstance(node, ast.Name):
        return ast.copy_location(_load(node.id), node)
    return ast.copy_location(ast.Attribute(_plain_load(node.value), node.attr, ast.Load()), node)
