# SPDX-License-Identifier: Apache-2.0
"""One function as several: statements that can be compiled become functions of the names they need,
which give the names they bind; what is left calls these in place of them.

`split` is given the lines and expressions that cannot be compiled. A statement on such a line stays
as it is, and one with such an expression but for other expressions in it (`expressions`); of a
branch, a loop or a `with` block around it the head stays, and the statements inside are taken apart
likewise.
"""

import ast
import contextlib

from paddle.jit.dy2static import source

from . import expressions, names

UNBOUND, CALL, SEGMENT = '_pt_unbound', '_pt_call', '_pt_part'
_NORMAL, _RETURN, _BREAK, _CONTINUE = range(4)
_FRAME_READERS = {'locals', 'vars', 'dir', 'eval', 'exec', 'breakpoint'}
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_STAYS = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom),
    *(ast.Global, ast.Nonlocal),
)
_WORK = (
    *(ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.AugAssign, ast.JoinedStr),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.For, ast.While, ast.With),
)


class Whole(Exception):
    """The function is not taken apart: why."""


_TEXT = '[to_static] expected a function that can be taken apart, got one '


class Part:
    """Statements that became a function: its `code`, `parameters`, the names it gives (`outputs`),
    `place` (what tells it from other parts of the same function), `lines` (its first and last one),
    `loose` (names that are bound by what stays as it is), `tree`.
    """

    def __init__(self, tree, parameters, outputs, place, lines, loose):
        self.tree, self.parameters, self.outputs, self.loose = tree, parameters, outputs, loose
        self.place, self.lines, self.code = place, lines, None

    def places_of(self, name, storing):
        """(first line,) or (line, span) of the statements and expressions that bind (`storing`) or
        read the name.
        """
        found = []
        for s in self.tree.body:
            _statements_with(s, name, storing, found)
        return found

    def places(self):
        """The same of all that it evaluates, all lines of statements."""
        found = []
        for s in self.tree.body:
            if not hasattr(s, 'lineno'):
                continue
            lines = range(s.lineno, s.end_lineno + 1)
            found += [_place(s)] if expressions.is_held(s) else [(n,) for n in lines]
        return found


def _place(s):
    return (s.lineno, expressions.span_of(s)) if expressions.is_held(s) else (s.lineno,)


def _statements_with(s, name, storing, found):
    if not hasattr(s, 'lineno'):  # made, beside those of the function
        return
    kind = (ast.Store, ast.Del) if storing else ast.Load
    homes = [s, *getattr(s, 'handlers', ())] if isinstance(s, _BLOCKS) else []
    fields = ('body', 'orelse', 'finalbody')
    bodies = [b for home in homes for f in fields for b in getattr(home, f, ())]
    inner = set(map(id, bodies))
    stack = [s]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, kind):
            found.append(_place(s))
            break
        if isinstance(node, ast.AugAssign) and getattr(node.target, 'id', None) == name:
            found.append(_place(s))
            break
        stack.extend(c for c in ast.iter_child_nodes(node) if id(c) not in inner)
    for b in bodies:
        _statements_with(b, name, storing, found)


def _is_of_frame(node):
    """Whether an expression or statement is of the frame that it stands in."""
    return isinstance(node, (ast.Yield, ast.YieldFrom)) or (
        isinstance(node, ast.Raise) and node.exc is None
    )


def _load(name):
    return ast.Name(name, ast.Load())


def _store(name):
    return ast.Name(name, ast.Store())


def _call(name, arguments):
    return ast.Call(_load(name), arguments, [])


def _kept(name, into):
    """Statements that give `into` what the name holds, or that it holds nothing."""
    return ast.Try(
        body=[ast.Assign([_store(into)], _load(name))],
        handlers=[
            ast.ExceptHandler(
                _load('NameError'), None, [ast.Assign([_store(into)], _load(UNBOUND))]
            )
        ],
        orelse=[],
        finalbody=[],
    )


def _unbind(name):
    """A statement that unbinds the name where it stands for an unbound one."""
    test = ast.Compare(_load(name), [ast.Is()], [_load(UNBOUND)])
    return ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], [])


class _Exits(ast.NodeTransformer):
    """Statements that leave a part become returns that say how."""

    def __init__(self, results):
        self._results, self._loops = results, 0

    def _leave(self, node, how):
        new = self._results(how)
        for s in new:
            ast.copy_location(s, node)
        return new

    def visit_Return(self, node):
        value = node.value or ast.Constant(None)
        new = ast.Return(ast.Tuple([ast.Constant(_RETURN), value], ast.Load()))
        return ast.copy_location(new, node)

    def visit_Break(self, node):
        return node if self._loops else self._leave(node, _BREAK)

    def visit_Continue(self, node):
        return node if self._loops else self._leave(node, _CONTINUE)

    def _loop(self, node):
        self._loops += 1
        node.body = self._block(node.body)
        self._loops -= 1
        node.orelse = self._block(node.orelse)
        return node

    visit_For = visit_While = _loop

    def _block(self, body):
        new = []
        for s in body:
            r = self.visit(s)
            new.extend(r if isinstance(r, list) else [r])
        return new

    def _scope(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _scope


def _exits(statements):
    """The ways in which the statements leave what is around them."""
    found = set()

    def visit(node, loops):
        if isinstance(node, names.SCOPES):
            return
        if isinstance(node, ast.Return):
            found.add(_RETURN)
        elif isinstance(node, (ast.Break, ast.Continue)) and not loops:
            found.add(_BREAK if isinstance(node, ast.Break) else _CONTINUE)
        elif isinstance(node, (ast.For, ast.While)):
            for s in node.body:
                visit(s, loops + 1)
            for s in node.orelse:
                visit(s, loops)
        else:
            for child in ast.iter_child_nodes(node):
                visit(child, loops)

    for s in statements:
        visit(s, 0)
    return found


class _Plain(ast.NodeTransformer):
    """Code that stays as it is calls functions through `_pt_call`."""

    def __init__(self, is_quick, local, origins):
        self._is_quick, self._local, self._origins = is_quick, local, origins
        self.used = False

    def visit_Call(self, node):
        origin = self._origins.get(getattr(node.func, 'id', None), node.func)
        quick = self._is_quick(origin, self._local)
        self.generic_visit(node)
        if quick:
            return node
        self.used = True
        return ast.copy_location(
            ast.Call(
                ast.copy_location(_load(CALL), node.func), [node.func, *node.args], node.keywords
            ),
            node,
        )

    def _scope(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _scope


class _Super(ast.NodeTransformer):
    """`super()` with its arguments."""

    def __init__(self, first):
        self._first, self.used = first, False

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == 'super' and not node.args:
            self.used = True
            node.args = [
                ast.copy_location(_load('__class__'), node),
                ast.copy_location(_load(self._first), node),
            ]
        return node

    def _scope(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _scope


class Splitter:
    """Takes one function apart.

    `marks`: lines that stay as they are, and the spans of `Expressions`. `is_quick(node, local)`:
    whether calls of an expression, where these names are local, need not go through `_pt_call`.
    `keeps_errors(node)`: whether the `with` block of this expression lets exceptions through.
    """

    def __init__(self, tree, code, marks, is_quick, keeps_errors):
        self._tree, self._code = tree, code
        self._lines = {m for m in marks if isinstance(m, int)}
        self._spans = {m for m in marks if not isinstance(m, int)}
        self._keeps_errors = keeps_errors
        if not isinstance(tree, ast.FunctionDef) or code.co_flags & 0x380:
            raise Whole(_TEXT + 'that is a coroutine or lambda')
        body = tree.body
        for n in ast.walk(tree):
            if isinstance(n, ast.Name) and n.id in _FRAME_READERS:
                raise Whole(_TEXT + f'that reads its frame ({n.id})')
        arguments = names.parameters(tree.args)
        if arguments:
            change = _Super(arguments[0])
            tree.body = body = [change.visit(s) for s in body]
            if change.used and arguments[0] in names.stored(body):
                raise Whole(_TEXT + 'that calls super() and binds its first parameter')
        self._declared = names.declared(body)
        self._locals = (set(arguments) | names.stored(body)) - self._declared
        self._held = names.captured(body, self._locals)
        wrong = self._held & names.rebound(tree, self._locals)
        if wrong:
            raise Whole(_TEXT + f'whose functions hold {sorted(wrong)[0]!r}, which it binds anew')
        self._heads = [
            s for s in names.own_nodes(body) if isinstance(s, (ast.Global, ast.Nonlocal))
        ]
        own = self._locals - self._held - set(code.co_cellvars)
        fixed = own & set(arguments) - names.unbound(body)
        self._expressions = expressions.Expressions(self._spans, fixed, own)
        local = self._locals | set(code.co_freevars)
        self._plain = _Plain(is_quick, local, self._expressions.origins)
        self.parts, self._loose = [], set()
        self._caught = set()  # names that code reads after an exception of the block

    @property
    def calls(self):
        """Whether the function calls others through `_pt_call`."""
        return self._plain.used

    def function(self):
        """The function that calls the parts."""
        tree = self._tree
        bound = set(names.parameters(tree.args))
        tree.body, _ = self._block(tree.body, bound, set(self._held), frozenset(), True)
        tree.decorator_list, tree.returns = [], None
        for p in ast.walk(tree.args):
            if isinstance(p, ast.arg):
                p.annotation = None
        tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
        tree.args.kw_defaults = [d and ast.Constant(None) for d in tree.args.kw_defaults]
        return tree

    # --- what stays

    def _is_touched(self, s):
        """Whether a line of the statement, or an expression in it, stays as it is."""
        if any(s.lineno <= line <= s.end_lineno for line in self._lines):
            return True
        first, last = (s.lineno, s.col_offset), (s.end_lineno, s.end_col_offset)
        return any(first <= m[:2] and m[2:4] <= last for m in self._spans)

    def _stays(self, s):
        if isinstance(s, _STAYS):
            return True
        if hasattr(s, 'stays'):
            return s.stays
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Lambda):
            return True
        if any(map(_is_of_frame, names.own_nodes([s]))):
            return True
        return self._is_touched(s) or (self._binds_caught(s) and not self._binds_at_once(s))

    def _binds_caught(self, s):
        """Whether the statement binds names that are read after an exception of the block."""
        return bool(self._caught) and bool(self._caught & names.stored([s]))

    @staticmethod
    def _binds_at_once(s):
        """Whether the statement binds all of its names or, if it raises, none."""
        targets = s.targets if isinstance(s, ast.Assign) else [getattr(s, 'target', None)]
        if not isinstance(s, (ast.Assign, ast.AnnAssign, ast.AugAssign)) or len(targets) != 1:
            return False
        parts = getattr(targets[0], 'elts', targets)
        inside = any(isinstance(n, ast.NamedExpr) for n in names.own_nodes([s]))
        return not inside and all(isinstance(p, ast.Name) for p in parts)

    # --- blocks

    def _block(self, statements, bound, later, loop, last):
        """(the statements of a block in their new form, names that are bound after it).

        `bound`: names bound for certain before; `later`: names that are read after it; `loop`:
        names read in the loop around; `last`: whether the function ends after the block.
        """
        result, pending = [], []
        statements = [new for s in statements for new in self._expanded(s)]
        after = [set(later)]
        for s in reversed(statements):
            after.append(after[-1] | names.read([s]))
        after.reverse()
        for k, s in enumerate(statements):
            held = names.captured([s], self._locals)
            if not self._stays(s) and held <= names.flow(pending, bound)[1]:
                pending.append(s)
                if self._binds_caught(s):
                    bound = self._flush(pending, bound, after[k + 1] | loop, False, result)
                    pending = []
                continue
            bound = self._flush(pending, bound, after[k] | loop, False, result)
            pending = []
            if isinstance(s, _BLOCKS):
                new, bound = self._open(
                    s, bound, after[k + 1], loop, last and k == len(statements) - 1
                )
                result.extend(new)
            else:
                bound = names.flow([s], bound)[1]
                self._loose |= names.stored([s])
                result.append(self._plain.visit(s))
        bound = self._flush(pending, bound, after[-1] | loop, last, result)
        return result, bound

    def _expanded(self, s):
        """The statement, or several where only expressions in it stay as they are."""
        if hasattr(s, 'stays') or not self._spans or not self._is_touched(s):
            return [s]
        root = s.test if isinstance(s, ast.If) else s.iter if isinstance(s, ast.For) else s
        if any(root.lineno <= line <= root.end_lineno for line in self._lines):
            return [s]
        result = self._expressions.statements(s)
        self._locals.update(self._expressions.names)
        return result

    def _open(self, s, bound, later, loop, last):
        if isinstance(s, ast.If):
            s.test = self._plain.visit(s.test)
            s.body, first = self._block(s.body, bound, later, loop, last)
            s.orelse, second = self._block(s.orelse, bound, later, loop, last)
            if s.body and isinstance(s.body[-1], (ast.Return, ast.Raise)):
                return [s], second
            if s.orelse and isinstance(s.orelse[-1], (ast.Return, ast.Raise)):
                return [s], first
            return [s], first & second
        rest = bound - names.unbound([s])
        if isinstance(s, ast.With):
            keeps_errors = all(self._keeps_errors(i.context_expr) for i in s.items)
            for i in s.items:
                i.context_expr = self._plain.visit(i.context_expr)
                if i.optional_vars is not None:
                    bound, rest = [b | names.stored([i.optional_vars]) for b in (bound, rest)]
            if keeps_errors:
                s.body, bound = self._block(s.body, bound, later, loop, False)
                return [s], bound
            with self._catching(later | loop):
                s.body, _ = self._block(s.body, bound, later, loop, False)
            return [s], rest
        if isinstance(s, ast.Try):
            return self._open_try(s, bound, rest, later, loop)
        around = frozenset(loop | names.read([s]))
        inside = set(rest)
        if isinstance(s, ast.For):
            inside |= names.stored([s.target])
            s.iter, s.target = self._plain.visit(s.iter), self._plain.visit(s.target)
        else:
            s.test = self._plain.visit(s.test)
        s.body, _ = self._block(s.body, inside, later | around, around, False)
        s.orelse, _ = self._block(s.orelse, rest, later, loop, False)
        return [s], rest

    def _open_try(self, s, bound, rest, later, loop):
        """The same for a `try`, after which the names of `rest` are bound."""
        last = later | names.read(s.finalbody)
        after = last | names.read([*s.handlers, *s.orelse])
        with self._catching(after | loop):
            s.body, _ = self._block(s.body, bound, after, loop, False)
        with self._catching(last | loop):
            for h in s.handlers:
                h.type = h.type and self._plain.visit(h.type)
                inside = rest | {h.name} if h.name else rest
                h.body, _ = self._block(h.body, inside, last, loop, False)
            s.orelse, _ = self._block(s.orelse, rest, last, loop, False)
        s.finalbody, _ = self._block(s.finalbody, rest, later, loop, False)
        return [s], rest

    @contextlib.contextmanager
    def _catching(self, reads):
        """Statements may be left by an exception after which these names are read."""
        before = self._caught
        self._caught = before | reads
        try:
            yield
        finally:
            self._caught = before

    # --- parts

    @staticmethod
    def _works(s):
        return any(isinstance(n, _WORK) for n in names.own_nodes([s]))

    def _flush(self, pending, bound, later, last, result):
        """Put a call of a part in place of the statements; the names that are bound afterwards."""
        first = next((k for k, s in enumerate(pending) if self._works(s)), None)
        if first is None:
            result.extend(pending)
            return names.flow(pending, bound)[1]
        result.extend(pending[:first])
        bound = names.flow(pending[:first], bound)[1]
        end = len(pending)
        ends = last or isinstance(pending[-1], ast.Return)
        while not ends and not self._works(pending[end - 1]):
            end -= 1
        statements = pending[first:end]
        self._part(statements, bound, later | names.read(pending[end:]), ends, result)
        result.extend(pending[end:])
        return names.flow(pending[first:], bound)[1]

    def _part(self, statements, bound, later, ends, result):
        needs = sorted(names.flow(statements, ())[0] & self._locals)
        after = names.flow(statements, bound)[1]
        gone = _exits(statements)
        ends = ends and gone <= {_RETURN}
        outputs = [] if ends else sorted(names.stored(statements) & self._locals & later)
        index = len(self.parts)
        body = [source.copied(h) for h in self._heads]
        body += [_unbind(n) for n in needs if n not in bound]
        copies = [source.copied(s) for s in statements]

        def results(how, certain):
            made, values = [], []
            if how is not None:
                values = [ast.Constant(how), ast.Constant(None)]
            for n in outputs:
                if n in certain:
                    values.append(_load(n))
                else:
                    made.append(_kept(n, f'_pt_out_{n}'))
                    values.append(_load(f'_pt_out_{n}'))
            return [*made, ast.Return(ast.Tuple(values, ast.Load()))]

        if not ends:
            if gone:
                start = bound - names.unbound(statements)
                exits = _Exits(lambda how: results(how, start))
                copies = exits._block(copies)
            copies += results(_NORMAL if gone else None, after)
        body += copies
        tree = ast.FunctionDef(
            name=self._code.co_name,
            args=ast.arguments(
                posonlyargs=[],
                args=[ast.arg(n) for n in needs],
                kwonlyargs=[],
                kw_defaults=[],
                defaults=[],
            ),
            body=body,
            decorator_list=[],
        )
        head, tail = statements[0], statements[-1]
        ast.copy_location(tree, head)
        tree.end_lineno, tree.end_col_offset = tail.end_lineno, tail.end_col_offset
        place = head.lineno, head.col_offset, tail.end_lineno, tail.end_col_offset, ends
        lines = head.lineno, tail.end_lineno
        self.parts.append(Part(tree, needs, outputs, place, lines, self._loose))
        start = bound - names.unbound(statements)
        new = self._calls(f'{SEGMENT}{index}', needs, outputs, bound, start, after, ends, gone)
        for s in new:
            ast.copy_location(s, head)
        result.extend(new)

    @staticmethod
    def _calls(name, needs, outputs, bound, certain, after, ends, gone):
        """Statements that call a part. `certain`: names that are bound wherever it is left."""
        new, arguments = [], []
        for n in needs:
            if n in bound:
                arguments.append(_load(n))
            else:
                new.append(_kept(n, f'_pt_in_{n}'))
                arguments.append(_load(f'_pt_in_{n}'))
        call = _call(name, arguments)
        if ends:
            return [*new, ast.Return(call)]
        if not gone:
            if outputs:
                target = ast.Tuple([_store(n) for n in outputs], ast.Store())
                new.append(ast.Assign([target], call))
            else:
                new.append(ast.Expr(call))
            return new + [_unbind(n) for n in outputs if n not in after]
        new.append(ast.Assign([_store('_pt_result')], call))
        new.append(
            ast.Assign(
                [_store('_pt_how')], ast.Subscript(_load('_pt_result'), ast.Constant(0), ast.Load())
            )
        )

        def leaves(how, statement):
            test = ast.Compare(_load('_pt_how'), [ast.Eq()], [ast.Constant(how)])
            return ast.If(test, [statement], [])

        if _RETURN in gone:
            value = ast.Subscript(_load('_pt_result'), ast.Constant(1), ast.Load())
            new.append(leaves(_RETURN, ast.Return(value)))
        if outputs:
            target = [_store('_pt_how'), _store('_pt_none'), *map(_store, outputs)]
            new.append(ast.Assign([ast.Tuple(target, ast.Store())], _load('_pt_result')))
        new.append(ast.Assign([_store('_pt_result')], ast.Constant(None)))
        certain = after & certain
        new += [_unbind(n) for n in outputs if n not in certain]
        if _BREAK in gone:
            new.append(leaves(_BREAK, ast.Break()))
        if _CONTINUE in gone:
            new.append(leaves(_CONTINUE, ast.Continue()))
        return new
