# SPDX-License-Identifier: Apache-2.0
"""Functions whose reads can be noted: a code object that does what the original does, with every
read of state that may change, every call and every write made through a session (`_rs`).

Names of the function itself are read as they are; names of its module go through `_rs.name`, with
the module's dict in `_rg`. Functions and classes defined inside stay as they are: they are
rewritten when they are called.

With `convert` control flow is converted first (jit/dy2static), and what that calls as `_jst` goes
through the session, too: `_rs.flow`.
"""

import ast

from paddle.base import libpaddle as _core
from paddle.jit.dy2static import exits, source, trees
from paddle.jit.dy2static import rewrite as conversion
from paddle.jit.dy2static.code_cache import CodeCache
from paddle.jit.dy2static.convert import show

SESSION, GLOBALS = '_rs', '_rg'
# Read the frame of their caller, which would be the session's.
_FRAME_READERS = {'locals', 'globals', 'vars', 'dir', 'eval', 'exec', 'super', 'breakpoint'}
_REFUSED = (ast.AsyncFor, ast.AsyncWith, ast.Await, ast.ClassDef, ast.AsyncFunctionDef)
_GENERATOR = 0x20
# Expressions whose place in the line is kept.
_SPANS = {
    *(ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Attribute, ast.Subscript, ast.JoinedStr),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Name),
}
_MARK = '_pt_helper'  # a parameter of lambdas that no user wrote
# Helpers of converted code, and how their first operand is read.
_FLOW = {
    **dict.fromkeys(('if_', 'if_return', 'if_value', 'assert_', 'not_'), '_test'),
    **dict.fromkeys(('and_', 'or_'), '_condition'),
    'for_': '_iterated',
}
_codes = CodeCache()


class Refused(Exception):
    """Code whose reads cannot be noted, and why."""


_TEXT = '[to_static] expected code whose reads can be noted, got '


def _refuse(what):
    raise Refused(_TEXT + what)


def rewritten(code, qualname, convert=False):
    """The code object that notes its reads. Raises Refused."""
    found = _codes.get(code, convert)
    if found is None:
        try:
            new = _rewrite(code, qualname, convert)
            _core._note_code(new)
            for inner in new.co_consts:
                _note_parts(inner)
        except Refused as error:
            new = Refused(*error.args)  # a traceback would hold the code
        except (SyntaxError, RecursionError, ValueError) as error:
            new = Refused(_TEXT + f'code that cannot be rewritten ({error})')
        found = _codes.put(code, convert, new)
    if isinstance(found, Refused):
        raise Refused(*found.args)
    return found


def _note_parts(code):
    """The comprehensions and helpers in rewritten code."""
    name = getattr(code, 'co_name', '')
    if (
        name in ('<listcomp>', '<setcomp>', '<dictcomp>', '<genexpr>')
        or name.startswith('_pt_')
        or (name == '<lambda>' and code.co_varnames[:1] == (_MARK,))
    ):
        _core._note_code(code)
        for inner in code.co_consts:
            _note_parts(inner)


def _rewrite(code, qualname, convert):
    if code.co_flags & 0x380:  # coroutines and asynchronous generators
        _refuse('a coroutine')
    tree = source.function_tree(code)
    if tree is None:
        _refuse('code whose source is not at hand')
    klass = source.enclosing_class(qualname)
    if convert and not code.co_flags & _GENERATOR:
        converter = conversion.Rewriter(tree, code.co_freevars, klass)
        tree = converter.function()
        if converter.changed:
            show(code, qualname, tree)
    tree = Rewriter(tree, code, klass).function()
    return source.compile_function(tree, code, {*code.co_freevars, SESSION, GLOBALS}, klass)


def _hook(name, *args):
    return ast.Call(ast.Attribute(ast.Name(SESSION, ast.Load()), name, ast.Load()), list(args), [])


def _load(name):
    return ast.Name(name, ast.Load())


def _is_in_a_line(node):
    return getattr(node, 'lineno', None) == getattr(node, 'end_lineno', None) is not None


class _Bound(trees.Visitor):
    """Names a function binds, but for those of functions, classes and comprehensions inside."""

    def __init__(self, nodes):
        self.names, self.globals = set(), set()
        for node in nodes:
            self.visit(node)

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_FunctionDef(self, node):
        self.names.add(node.name)
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.names.add(node.name)

    def visit_Lambda(self, node):
        for part in (*node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                self.visit(part)

    def _comprehension(self, node):
        self.visit(node.generators[0].iter)
        self.names |= {
            n.target.id for n in trees.walk(node) if isinstance(n, ast.NamedExpr)
        }  # they bind outside of it

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _import(self, node):
        self.names.update((a.asname or a.name.split('.')[0]) for a in node.names)

    visit_Import = visit_ImportFrom = _import

    def visit_ExceptHandler(self, node):
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_Global(self, node):
        self.globals.update(node.names)


class Rewriter(trees.Transformer):
    """Rewrites one function."""

    def __init__(self, tree, code, klass):
        self._tree, self._class, self._count = tree, klass, 0
        body = [tree.body] if isinstance(tree, ast.Lambda) else tree.body
        bound = _Bound(body)
        a = tree.args
        names = {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
        names |= {p.arg for p in (a.vararg, a.kwarg) if p is not None}
        self._module = bound.globals
        self._local = ((bound.names | names) - bound.globals) | set(code.co_freevars)
        self._scopes = []  # names of the comprehensions around

    def function(self):
        """The function with a body that notes its reads; without decorators and annotations."""
        tree = self._tree
        if isinstance(tree, ast.Lambda):
            tree.body = self.visit(tree.body)
            return tree
        tree.body = self._block(tree.body)
        tree.decorator_list, tree.returns = [], None
        for p in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
            p.annotation = None
        for p in (tree.args.vararg, tree.args.kwarg):
            if p is not None:
                p.annotation = None
        tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
        tree.args.kw_defaults = [d and ast.Constant(None) for d in tree.args.kw_defaults]
        return tree

    def visit(self, node):
        new = super().visit(node)
        if node.__class__ in _SPANS and not hasattr(new, 'lineno') and _is_in_a_line(node):
            ast.copy_location(new, node)  # tells what could not be recorded
        return new

    def generic_visit(self, node):
        if isinstance(node, ast.Global):  # its names are only used through the session
            return ast.Pass()
        if isinstance(node, _REFUSED) or type(node).__name__ == 'TryStar':
            _refuse(f'a statement that is not analysed ({type(node).__name__})')
        return super().generic_visit(node)

    def _block(self, body):
        result = []
        for statement in body:
            new = self.visit(statement)
            new = new if isinstance(new, list) else [new]
            for part in new:
                if not hasattr(part, 'lineno'):
                    ast.copy_location(part, statement)
            result.extend(new)
        return result

    def _temporary(self):
        self._count += 1
        return f'_rt{self._count}'

    def _mangled(self, name):
        if self._class is None or not name.startswith('__') or name.endswith('__'):
            return name
        stripped = self._class.lstrip('_')
        return f'_{stripped}{name}' if stripped else name

    def _is_module(self, name):
        if name.startswith('_pt_') or any(name in s for s in self._scopes):
            return False
        return name in self._module or name not in self._local

    def _operand(self, node):
        """An operand of an operator: what it holds is read."""
        new = self.visit(node)
        return new if isinstance(node, ast.Constant) else _hook('use', new)

    def _test(self, node):
        """A condition."""
        if isinstance(node, ast.Constant) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        ):
            return self.visit(node)
        if isinstance(node, ast.BoolOp):  # its last operand is tested as well
            node.values = [self._test(v) for v in node.values]
            return node
        return _hook('test', self.visit(node))

    def _condition(self, node):
        """An operand of `and` or `or` that is tested and may be the result."""
        return node if isinstance(node, ast.Constant) else _hook('condition', self.visit(node))

    def _iterated(self, node):
        return _hook('iterate', self.visit(node))

    # --- expressions

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            if node.id in ('__class__', SESSION) or not self._is_module(node.id):
                return node
            return _hook('name', _load(GLOBALS), ast.Constant(self._mangled(node.id)))
        return node

    def visit_Attribute(self, node):
        return _hook('attribute', self.visit(node.value), ast.Constant(self._mangled(node.attr)))

    def visit_Subscript(self, node):
        return _hook('item', self.visit(node.value), self._index(node.slice))

    def _index(self, node):
        if isinstance(node, ast.Slice):
            parts = [
                ast.Constant(None) if p is None else self.visit(p)
                for p in (node.lower, node.upper, node.step)
            ]
            return _hook('slice', *parts)
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self._index(e) for e in node.elts], ast.Load())
        if isinstance(node, ast.Index):  # CPython 3.8's trees
            return self._index(node.value)
        return self.visit(node)

    def _helper(self, name, args):
        """A call of a helper of converted code."""
        if name == 'attribute':
            return _hook(name, self.visit(args[0]), args[1])
        if name == 'shape':
            return _hook('shape_of', self.visit(args[0]))
        if name in ('in_', 'not_in'):
            found = _hook('within', *map(self.visit, args))
            return found if name == 'in_' else _hook('flow', ast.Constant('not_'), found)
        if name in ('and_', 'or_'):
            for more in args[1:-1]:
                more.body = self._condition(more.body)
            args[1:-1] = map(self._marked, args[1:-1])
            args[-1] = self.visit(args[-1])
            args[0] = self._condition(args[0])
        elif name == 'chain':
            for more in args[3:]:
                more.body = self._operand(more.body)
            args[3:] = map(self._marked, args[3:])
            args[1:3] = map(self._operand, args[1:3])
        else:
            first = getattr(self, _FLOW[name]) if name in _FLOW else self.visit
            args = [first(args[0]), *map(self.visit, args[1:])]
        return _hook('flow', ast.Constant(name), *args)

    @staticmethod
    def _marked(node):
        node.args.kwonlyargs, node.args.kw_defaults = [ast.arg(_MARK)], [ast.Constant(None)]
        return node

    def visit_Call(self, node):
        name = exits.helper_name(node.func)
        if name is not None:
            return self._helper(name, node.args)
        if isinstance(node.func, ast.Call) and exits.helper_name(node.func.func) == 'call':
            node.func = node.func.args[0]  # the session converts what it calls
        if isinstance(node.func, ast.Name) and self._is_module(node.func.id):
            name = node.func.id
            if name == 'super' and not node.args and not node.keywords:
                return node
            if name in _FRAME_READERS and not (
                name == 'super' or (name in ('vars', 'dir') and node.args)
            ):
                _refuse(f'a call of {name}()')
        func = self.visit(node.func)
        args = [self._starred(a) for a in node.args]
        keywords = [
            ast.keyword(k.arg, self.visit(k.value) if k.arg else _hook('use', self.visit(k.value)))
            for k in node.keywords
        ]
        return ast.Call(ast.Attribute(_load(SESSION), 'call', ast.Load()), [func, *args], keywords)

    def _starred(self, node):
        if isinstance(node, ast.Starred):
            return ast.Starred(_hook('iterate', self.visit(node.value)), ast.Load())
        return self.visit(node)

    def visit_BinOp(self, node):
        name = ast.Constant(type(node.op).__name__)
        return _hook('binary', name, self.visit(node.left), self.visit(node.right))

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            node.operand = self._test(node.operand)
            return node
        if isinstance(node.operand, ast.Constant):
            return node
        return _hook('unary', ast.Constant(type(node.op).__name__), self.visit(node.operand))

    def visit_BoolOp(self, node):
        *tested, last = node.values
        node.values = [*map(self._condition, tested), self.visit(last)]
        return node

    def visit_Compare(self, node):
        if all(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
            node.left = self.visit(node.left)
            node.comparators = [self.visit(c) for c in node.comparators]
            return node
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = _hook('within', self.visit(node.left), self.visit(node.comparators[0]))
            return found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), found)
        if len(node.ops) == 1:
            name = ast.Constant(type(node.ops[0]).__name__)
            return _hook('binary', name, self.visit(node.left), self.visit(node.comparators[0]))
        node.left = self._operand(node.left)
        node.comparators = [self._operand(c) for c in node.comparators]
        return node

    def visit_IfExp(self, node):
        node.test = self._test(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_JoinedStr(self, node):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = _hook('text', self.visit(part.value))
                if part.format_spec is not None:
                    self.visit_JoinedStr(part.format_spec)
        return node

    def visit_List(self, node):
        node.elts = [self._starred(e) for e in node.elts]
        return _hook('made', node)

    def visit_Set(self, node):
        return self.visit_List(node)

    def visit_Tuple(self, node):
        node.elts = [self._starred(e) for e in node.elts]
        return node

    def visit_Dict(self, node):
        keys, values = [], []
        for key, value in zip(node.keys, node.values):
            keys.append(key and self.visit(key))
            values.append(self.visit(value) if key else _hook('use', self.visit(value)))
        node.keys, node.values = keys, values
        return _hook('made', node)

    def _comprehension(self, node):
        first = _hook('iterate', self.visit(node.generators[0].iter))
        bound = {
            n.id for g in node.generators for n in trees.walk(g.target) if isinstance(n, ast.Name)
        }
        self._scopes.append(bound)
        for place, g in enumerate(node.generators):
            if g.is_async or not self._is_plain_target(g.target):
                _refuse('a comprehension that is not analysed')
            g.iter = first if place == 0 else _hook('iterate', self.visit(g.iter))
            g.ifs = [self._test(i) for i in g.ifs]
            if isinstance(g.target, (ast.Tuple, ast.List)):
                g.iter = _hook('rows', g.iter)
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        self._scopes.pop()
        return _hook('made', node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_Lambda(self, node):
        if getattr(node, 'is_helper', False):
            node.body = self.visit(node.body)
            return self._marked(node)
        self._defaults(node.args)
        return _hook('made', node)

    def _defaults(self, args):
        args.defaults = [self.visit(d) for d in args.defaults]
        args.kw_defaults = [d and self.visit(d) for d in args.kw_defaults]

    def visit_NamedExpr(self, node):
        if self._is_module(node.target.id):
            _refuse('an expression that assigns a name of the module')
        node.value = self.visit(node.value)
        return node

    def visit_YieldFrom(self, node):
        node.value = _hook('iterate', self.visit(node.value))
        return node

    # --- statements

    def visit_FunctionDef(self, node):
        if getattr(node, 'is_helper', False):
            node.body = self._block(node.body)
            return node
        self._defaults(node.args)
        decorators = [
            ast.copy_location(_hook('decorator', self.visit(d)), d) for d in node.decorator_list
        ]  # the first one tells where the function begins
        node.decorator_list = [*decorators, ast.Attribute(_load(SESSION), 'made', ast.Load())]
        # Annotations are evaluated where the function is made.
        for p in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            p.annotation = p.annotation and self.visit(p.annotation)
        for p in (node.args.vararg, node.args.kwarg):
            if p is not None:
                p.annotation = p.annotation and self.visit(p.annotation)
        node.returns = node.returns and self.visit(node.returns)
        if node.name in self._module:
            _refuse('a function defined as a name of the module')
        return node

    def visit_If(self, node):
        node.test = self._test(node.test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    visit_While = visit_If

    def visit_Assert(self, node):
        node.test = self._test(node.test)
        node.msg = node.msg and self.visit(node.msg)
        return node

    def visit_For(self, node):
        before, target, stores = self._target(node.target)
        node.iter = _hook('iterate', self.visit(node.iter))
        if isinstance(target, (ast.Tuple, ast.List)):
            node.iter = _hook('rows', node.iter)
        node.target = target
        node.body = [*stores, *self._block(node.body)]
        node.orelse = self._block(node.orelse)
        return [*before, node]

    def visit_With(self, node):
        stores = []
        for item in node.items:
            item.context_expr = _hook('context', self.visit(item.context_expr))
            if item.optional_vars is not None:
                _, item.optional_vars, more = self._target(item.optional_vars)
                stores.extend(more)
        node.body = [*stores, *self._block(node.body)]
        return node

    def visit_Import(self, node):
        names = [a.asname or a.name.split('.')[0] for a in node.names]
        if any(n in self._module for n in names) or names == ['*']:
            _refuse('an import into the module')
        if isinstance(node, ast.Import):
            notes = [_hook('imported', ast.Constant(a.name)) for a in node.names]
        else:
            module = [ast.Constant(node.module or ''), ast.Constant(node.level), _load(GLOBALS)]
            notes = [
                _hook('attribute', _hook('imported', *module), ast.Constant(a.name))
                for a in node.names
            ]
        return [node, *map(ast.Expr, notes)]

    visit_ImportFrom = visit_Import

    def visit_Assign(self, node):
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self._store(node.targets[0], value)
        name = self._temporary()
        result = [ast.Assign([ast.Name(name, ast.Store())], value)]
        for target in node.targets:
            result.extend(self._store(target, _load(name)))
        return result

    def visit_AnnAssign(self, node):
        if node.value:
            return self._store(node.target, self.visit(node.value))
        return node if isinstance(node.target, ast.Name) else ast.Pass()

    def visit_AugAssign(self, node):
        target, result = node.target, []
        value = self.visit(node.value)
        if isinstance(target, ast.Name):
            old = self.visit(_load(target.id))
            store = ast.Name(target.id, ast.Store())
        else:
            base = self._temporary()
            result.append(ast.Assign([ast.Name(base, ast.Store())], self.visit(target.value)))
            if isinstance(target, ast.Attribute):
                name = ast.Constant(self._mangled(target.attr))
                old, store = _hook('attribute', _load(base), name), ('set_attribute', base, name)
            else:
                key = self._temporary()
                result.append(ast.Assign([ast.Name(key, ast.Store())], self._index(target.slice)))
                old, store = _hook('item', _load(base), _load(key)), ('set_item', base, _load(key))
        new = self._temporary()
        change = _hook('inplace', ast.Constant(type(node.op).__name__), old, value)
        result.append(ast.Assign([ast.Name(new, ast.Store())], change))
        if isinstance(target, ast.Name):
            return result + self._store(store, _load(new))
        return [*result, ast.Expr(_hook(store[0], _load(store[1]), store[2], _load(new)))]

    def visit_Delete(self, node):
        result = []
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                name = ast.Constant(self._mangled(target.attr))
                result.append(ast.Expr(_hook('delete_attribute', self.visit(target.value), name)))
            elif isinstance(target, ast.Subscript):
                place = self.visit(target.value), self._index(target.slice)
                result.append(ast.Expr(_hook('delete_item', *place)))
            elif isinstance(target, ast.Name) and not self._is_module(target.id):
                result.append(ast.Delete([target]))
            else:
                _refuse('a deletion of a name of the module')
        return result

    def _is_plain_target(self, target):
        if isinstance(target, ast.Name):
            return not (target.id in self._module)
        if isinstance(target, ast.Starred):
            return self._is_plain_target(target.value)
        return isinstance(target, (ast.Tuple, ast.List)) and all(
            map(self._is_plain_target, target.elts)
        )

    def _target(self, target):
        """(statements before, a target of plain names, statements that store what they hold)."""
        if self._is_plain_target(target):
            return [], target, []
        name = self._temporary()
        return [], ast.Name(name, ast.Store()), self._store(target, _load(name))

    def _store(self, target, value):
        """Statements that give the target the value."""
        if isinstance(target, ast.Name):
            if self._is_module(target.id):
                key = ast.Constant(self._mangled(target.id))
                return [ast.Expr(_hook('set_name', _load(GLOBALS), key, value))]
            return [ast.Assign([target], value)]
        if isinstance(target, ast.Attribute):
            name = self._temporary()
            return [
                ast.Assign([ast.Name(name, ast.Store())], value),
                ast.Expr(
                    _hook(
                        'set_attribute',
                        self.visit(target.value),
                        ast.Constant(self._mangled(target.attr)),
                        _load(name),
                    )
                ),
            ]
        if isinstance(target, ast.Subscript):
            name = self._temporary()
            place = self.visit(target.value), self._index(target.slice)
            return [
                ast.Assign([ast.Name(name, ast.Store())], value),
                ast.Expr(_hook('set_item', *place, _load(name))),
            ]
        # a nest of targets
        value, stores, elts = _hook('iterate', value), [], []
        for e in target.elts:
            starred = isinstance(e, ast.Starred)
            inner = e.value if starred else e
            if isinstance(inner, ast.Name) and not self._is_module(inner.id):
                new = inner
            else:
                name = self._temporary()
                new = ast.Name(name, ast.Store())
                stores.extend(self._store(inner, _load(name)))
            elts.append(ast.Starred(new, ast.Store()) if starred else new)
        return [ast.Assign([ast.Tuple(elts, ast.Store())], value), *stores]
