# SPDX-License-Identifier: Apache-2.0
"""Return, break and continue as plain data flow.

Afterwards no statement jumps out of a loop or of one branch of an `if`: a branch either returns on
every path (`returns` is set on the If) or on none. Where code after it is not reached by one
branch, it moves into the other; elsewhere flags say what to skip.
"""

import ast

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
RETURNED, RESULT = '_pt_returned', '_pt_result'


def _name(name, store=False):
    return ast.Name(name, ast.Store() if store else ast.Load())


def assign(name, value, at):
    """`name = value` at the place of `at`."""
    return ast.copy_location(ast.Assign([_name(name, True)], value), at)


def helper(name, args, at):
    """The expression `_jst.name(*args)`."""
    call = ast.Call(ast.Attribute(_name('_jst'), name, ast.Load()), args, [])
    return ast.copy_location(call, at)


def helper_name(node):
    """`name` of the expression `_jst.name`, else None."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == '_jst' else None
    return None


def blocks(s):
    """The lists of statements in a statement."""
    for field in ('body', 'orelse', 'finalbody'):
        yield getattr(s, field, None) or []
    for part in getattr(s, 'handlers', ()):
        yield part.body


def exits_of(stmts):
    """Which of 'return', 'break', 'continue' lead out of the statements."""
    found = set()
    for s in stmts:
        if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
            found.add(type(s).__name__.lower())
        elif isinstance(s, (ast.While, ast.For, ast.AsyncFor)):
            found |= exits_of(s.body) & {'return'} | exits_of(s.orelse)
        elif not isinstance(s, _SCOPES):
            for block in blocks(s):
                found |= exits_of(block)
    return found


def _falls(stmts):
    """Whether the end of the statements may be reached."""
    for s in stmts:
        if isinstance(s, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
            return False
        if isinstance(s, ast.If) and not _falls(s.body) and not _falls(s.orelse):
            return False
    return True


class Lowering:
    """Rewrites one function body; `uses_flag` tells whether RETURNED must be False at its start."""

    def __init__(self):
        self.uses_flag, self._count, self._loop = False, 0, None

    def tail(self, stmts):
        """Statements after which the function ends."""
        out = []
        for k, s in enumerate(stmts):
            rest = stmts[k + 1 :]
            if isinstance(s, ast.Return):
                return [*out, s]
            if 'return' not in exits_of([s]):
                out.extend(self._plain(s))
                continue
            if isinstance(s, ast.If):
                body, orelse = _falls(s.body), _falls(s.orelse)
                if not (rest and body and orelse):
                    s.body = self._closed(s.body + (rest if body else []), s)
                    s.orelse = self._closed(s.orelse + (rest if orelse else []), s)
                    s.returns = True
                    return [*out, s]
            elif not rest and isinstance(s, ast.With):
                s.body = self.tail(s.body)
                return [*out, s]
            elif (
                not rest
                and isinstance(s, ast.Try)
                and not s.orelse
                and 'return' not in exits_of(s.finalbody)
            ):
                s.body, s.finalbody = self.tail(s.body), self._each(s.finalbody)
                for h in s.handlers:
                    h.body = self.tail(h.body)
                return [*out, s]
            elif isinstance(s, ast.Try) and 'return' in exits_of(s.finalbody):
                out.append(s)
                continue
            out.extend(self._guard([s]))
            leave = ast.copy_location(
                ast.If(_name(RETURNED), [ast.copy_location(ast.Return(_name(RESULT)), s)], []), s
            )
            return out + self.tail([leave, *rest])
        return out

    def _closed(self, stmts, at):
        stmts = self.tail(stmts)
        if _falls(stmts):
            stmts.append(
                ast.copy_location(ast.Return(ast.copy_location(ast.Constant(None), at)), at)
            )
        return stmts

    def _each(self, stmts):
        return [new for s in stmts for new in self._plain(s)]

    def _plain(self, s):
        """A statement that nothing jumps out of."""
        if isinstance(s, (ast.While, ast.For)):
            return self._lower_loop(s)
        if not isinstance(s, _SCOPES):
            for field in ('body', 'orelse', 'finalbody'):
                if getattr(s, field, None):
                    setattr(s, field, self._each(getattr(s, field)))
            for part in getattr(s, 'handlers', ()):
                part.body = self._each(part.body)
        return [s]

    def _lower_loop(self, s):
        self._count += 1
        outer, self._loop = self._loop, (f'_pt_break_{self._count}', f'_pt_continue_{self._count}')
        leave, skip = self._loop
        kinds = exits_of(s.body)
        s.body = self._guard(s.body)
        if 'continue' in kinds:
            s.body.insert(0, assign(skip, ast.Constant(False), s))
        self._loop = outer
        s.exits = tuple([leave] * ('break' in kinds) + [RETURNED] * ('return' in kinds))
        orelse, s.orelse = s.orelse, []
        out = [assign(leave, ast.Constant(False), s)] if 'break' in kinds else []
        out.append(s)
        if orelse:
            orelse = self._guard(orelse)
            out.extend([self._unless(s.exits, orelse, s)] if s.exits else orelse)
        return out

    @staticmethod
    def _unless(flags, body, at):
        return ast.copy_location(
            ast.If(helper('none_of', [_name(f) for f in flags], at), body, []), at
        )

    def _guard(self, stmts):
        """Statements some of which jump out: the jumps set flags, and what they skip is guarded."""
        out = []
        for k, s in enumerate(stmts):
            kinds, rest = exits_of([s]), stmts[k + 1 :]
            if not kinds:
                out.extend(self._plain(s))
                continue
            if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
                return out + self._jump(s)
            if isinstance(s, ast.If):
                body, orelse = _falls(s.body), _falls(s.orelse)
                if rest and not (body and orelse):
                    s.body = self._guard(s.body + (rest if body else []))
                    s.orelse = self._guard(s.orelse + (rest if orelse else []))
                    return [*out, s]
                s.body, s.orelse = self._guard(s.body), self._guard(s.orelse)
                out.append(s)
            elif isinstance(s, (ast.While, ast.For)):
                out.extend(self._lower_loop(s))
            else:
                if isinstance(s, ast.Try) and s.orelse and exits_of(s.body):
                    s.orelse = [
                        self._unless(self._flags(exits_of(s.body)), self._guard(s.orelse), s)
                    ]
                elif getattr(s, 'orelse', None):
                    s.orelse = self._guard(s.orelse)
                for field in ('body', 'finalbody'):
                    if getattr(s, field, None):
                        setattr(s, field, self._guard(getattr(s, field)))
                for part in getattr(s, 'handlers', ()):
                    part.body = self._guard(part.body)
                out.append(s)
            if rest:
                out.append(self._unless(self._flags(kinds), self._guard(rest), s))
            return out
        return out

    def _flags(self, kinds):
        names = {
            'return': RETURNED,
            'break': self._loop and self._loop[0],
            'continue': self._loop and self._loop[1],
        }
        return [names[k] for k in ('return', 'break', 'continue') if k in kinds]

    def _jump(self, s):
        if isinstance(s, ast.Break):
            return [assign(self._loop[0], ast.Constant(True), s)]
        if isinstance(s, ast.Continue):
            return [assign(self._loop[1], ast.Constant(True), s)]
        self.uses_flag = True
        return [
            assign(RESULT, s.value or ast.Constant(None), s),
            assign(RETURNED, ast.Constant(True), s),
        ]
