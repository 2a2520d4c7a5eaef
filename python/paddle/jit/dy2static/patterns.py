# SPDX-License-Identifier: Apache-2.0
"""`match` as the statements that it stands for: tests, calls and branches, which are converted,
recorded and taken apart like those that a user wrote.

A `match` of values alone becomes `if` and `elif`. Others note which case fits, after its names are
bound, and go to the body of that one afterwards.
"""

import ast
import collections.abc

from paddle.jit.dy2static import trees

HELPERS = '_pt_patterns'
ABSENT = object()
# The builtin ones, whatever the names mean in a user's module.
_is_instance, _length, _new_dict, _attribute = isinstance, len, dict, getattr
_THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def is_sequence(value):
    """Whether a pattern of a sequence may fit."""
    return isinstance(value, collections.abc.Sequence) and not isinstance(
        value, (str, bytes, bytearray)
    )


def is_mapping(value):
    """Whether a pattern of a mapping may fit."""
    return isinstance(value, collections.abc.Mapping)


def check_class(kind):
    """TypeError for what is no class."""
    if not isinstance(kind, type):
        raise TypeError(f'[match] expected a class in a pattern, got {kind!r}')


def check_keys(*keys):
    """ValueError for keys of a mapping that are equal."""
    if len(set(keys)) < len(keys):
        raise ValueError(f'[match] expected keys that differ in a pattern, got {keys!r}')


def attributes(kind, count, keywords):
    """The names of the attributes that the first `count` patterns of a class are for; None where
    the only one is for the object itself.
    """
    names = getattr(kind, '__match_args__', ABSENT)
    if names is ABSENT:
        if count == 1 and issubclass(kind, _THEMSELVES):
            return None
        names = ()
    if type(names) is not tuple:
        raise TypeError(f'[match] expected __match_args__ to be a tuple, got {names!r}')
    if len(names) < count:
        raise TypeError(
            f'[match] expected at most {len(names)} patterns without a name for '
            f'{kind.__name__}, got {count}'
        )
    names = names[:count]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f'[match] expected texts in __match_args__, got {name!r}')
    if len({*names, *keywords}) < len(names) + len(keywords):
        raise TypeError(f'[match] expected one pattern for an attribute, got {names!r} and more')
    return names


def lowered(tree):
    """The function without `match`; those of functions and classes inside stay."""
    if not any(isinstance(n, ast.Match) for n in trees.walk(tree)):
        return tree
    lowering = _Lowering()
    tree.body = lowering.block(tree.body)
    if lowering.has_helpers:
        name = ast.alias(__name__.rpartition('.')[2], HELPERS)
        new = ast.ImportFrom(__name__.rpartition('.')[0], [name], 0)
        place = int(ast.get_docstring(tree, False) is not None)
        while place < len(tree.body) and isinstance(tree.body[place], (ast.Global, ast.Nonlocal)):
            place += 1
        tree.body.insert(place, ast.copy_location(new, tree.body[min(place, len(tree.body) - 1)]))
        _of_one_line(tree.body[place])
    trees.locate(tree)
    return tree


def _of_one_line(node):
    node.end_lineno, node.end_col_offset = node.lineno, node.col_offset


def _load(name):
    return ast.Name(name, ast.Load())


def _assign(name, value):
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _compare(left, operator, right):
    return ast.Compare(left, [operator()], [right])


def _helper(name):
    return ast.Attribute(_load(HELPERS), name, ast.Load())


def _call(name, *args):
    return ast.Call(_helper(name), list(args), [])


def _is_wildcard(pattern):
    return isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None


def _is_simple(pattern):
    """Whether the pattern is a test that binds no names."""
    if isinstance(pattern, ast.MatchOr):
        return all(map(_is_simple, pattern.patterns))
    return isinstance(pattern, (ast.MatchValue, ast.MatchSingleton)) or _is_wildcard(pattern)


def _simple_test(pattern, name):
    """The test of a simple pattern; None where it always fits."""
    if _is_wildcard(pattern):
        return None
    if isinstance(pattern, ast.MatchOr):
        tests = [_simple_test(p, name) for p in pattern.patterns]
        return None if None in tests else ast.copy_location(ast.BoolOp(ast.Or(), tests), pattern)
    if isinstance(pattern, ast.MatchSingleton):
        test = _compare(_load(name), ast.Is, ast.Constant(pattern.value))
    else:
        test = _compare(_load(name), ast.Eq, pattern.value)
    return ast.copy_location(test, pattern)


class _Lowering:
    def __init__(self):
        self._count, self.has_helpers = 0, False

    def _temporary(self):
        self._count += 1
        return f'_pt_match_{self._count}'

    def block(self, statements):
        """The statements without `match`."""
        found = []
        for s in statements:
            if isinstance(s, ast.Match):
                found.extend(self._match(s))
                continue
            if not isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for home in (s, *getattr(s, 'handlers', ())):
                    for field in ('body', 'orelse', 'finalbody'):
                        if getattr(home, field, None):
                            setattr(home, field, self.block(getattr(home, field)))
            found.append(s)
        return found

    def _match(self, s):
        subject = self._temporary()
        first = ast.copy_location(_assign(subject, s.subject), s.subject)
        for case in s.cases:
            case.body = self.block(case.body)
        if all(_is_simple(c.pattern) for c in s.cases):
            return [first, *self._chain(s.cases, subject)]
        return [first, *self._noted(s, subject)]

    @staticmethod
    def _spanning(new, case):
        """The branch of a case, at its place."""
        ast.copy_location(new, case.pattern)
        new.end_lineno, new.end_col_offset = case.body[-1].end_lineno, case.body[-1].end_col_offset
        return new

    def _chain(self, cases, subject):
        """Cases of simple patterns, as `if`."""
        rest = []
        for case in reversed(cases):
            test = _simple_test(case.pattern, subject)
            if case.guard is not None:
                both = [test, case.guard]
                test = case.guard if test is None else ast.BoolOp(ast.And(), both)
                ast.copy_location(test, case.guard)
            if test is None:
                rest = case.body
                continue
            branch = self._spanning(ast.If(test, case.body, rest), case)
            if rest:
                branch.end_lineno = rest[-1].end_lineno
                branch.end_col_offset = rest[-1].end_col_offset
            rest = [branch]
        return rest

    def _noted(self, s, subject):
        """Cases of any patterns: the number of the one that fits, then its body."""
        which = self._temporary()
        found = [_at(_assign(which, ast.Constant(0)), s.cases[0].pattern)]
        for k, case in enumerate(s.cases):
            tests = self._tests(case.pattern, subject, [], self._fits(which, k + 1, case.guard))
            if k:
                tests = [ast.If(_compare(_load(which), ast.Eq, ast.Constant(0)), tests, [])]
            found.extend(_at(t, case.pattern) for t in tests)
        rest = []
        for k, case in reversed(list(enumerate(s.cases))):
            test = _compare(_load(which), ast.Eq, ast.Constant(k + 1))
            branch = self._spanning(ast.If(_at(test, case.pattern), case.body, rest), case)
            if rest:
                branch.end_lineno, branch.end_col_offset = s.end_lineno, s.end_col_offset
            rest = [branch]
        return found + rest

    @staticmethod
    def _fits(which, number, guard):
        """What happens where all of a pattern fits: its names are bound, the guard is asked."""

        def then(captures):
            noted = [_assign(which, ast.Constant(number))]
            if guard is not None:
                noted = [ast.copy_location(ast.If(guard, noted, []), guard)]
            return [*(_assign(name, _load(value)) for name, value in captures), *noted]

        return then

    # --- patterns: statements that end with `then(captures)` where the pattern fits; captures are
    # pairs of a name and the name that holds its value meanwhile

    def _tests(self, pattern, subject, captures, then):
        if _is_wildcard(pattern):
            return then(captures)
        if _is_simple(pattern):
            test = _simple_test(pattern, subject)
            return [ast.If(test, then(captures), [])] if test is not None else then(captures)
        self.has_helpers |= not isinstance(pattern, (ast.MatchAs, ast.MatchOr))
        return getattr(self, '_' + type(pattern).__name__)(pattern, subject, captures, then)

    def _MatchAs(self, pattern, subject, captures, then):
        captures = [*captures, (pattern.name, subject)]
        if pattern.pattern is None:
            return then(captures)
        return self._tests(pattern.pattern, subject, captures, then)

    def _MatchOr(self, pattern, subject, captures, then):
        fits, held = self._temporary(), {}

        def one(found):
            for name, _ in found:
                held.setdefault(name, self._temporary())
            values = [_assign(held[name], _load(value)) for name, value in found]
            return [*values, _assign(fits, ast.Constant(True))]

        result = [_assign(fits, ast.Constant(False))]
        for k, part in enumerate(pattern.patterns):
            tests = self._tests(part, subject, [], one)
            if k:
                tests = [ast.If(ast.UnaryOp(ast.Not(), _load(fits)), tests, [])]
            result.extend(tests)
        return [*result, ast.If(_load(fits), then([*captures, *held.items()]), [])]

    def _each(self, parts, captures, then):
        """Patterns in their order; `parts`: pairs of a pattern and the expression it is for."""
        if not parts:
            return then(captures)
        (pattern, value), *rest = parts

        def others(found):
            return self._each(rest, found, then)

        if _is_wildcard(pattern):
            return others(captures)
        name = self._temporary()
        return [_assign(name, value), *self._tests(pattern, name, captures, others)]

    def _MatchSequence(self, pattern, subject, captures, then):
        parts, count = pattern.patterns, len(pattern.patterns)
        stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
        size = _call('_length', _load(subject))
        items = self._temporary()

        def at(k):
            place = ast.Constant(k) if k >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-k))
            return ast.Subscript(_load(items), place, ast.Load())

        if stars:
            star, after = stars[0], count - stars[0] - 1
            found = [(p, at(k)) for k, p in enumerate(parts[:star])]
            if parts[star].name is not None:
                last = ast.UnaryOp(ast.USub(), ast.Constant(after)) if after else None
                middle = ast.Subscript(
                    _load(items), ast.Slice(ast.Constant(star), last, None), ast.Load()
                )
                found.append((ast.MatchAs(None, parts[star].name), middle))
            found += [(p, at(k - after)) for k, p in enumerate(parts[star + 1 :])]
            enough = _compare(size, ast.GtE, ast.Constant(count - 1))
        else:
            found = [(p, at(k)) for k, p in enumerate(parts)]
            enough = _compare(size, ast.Eq, ast.Constant(count))
        inner = self._each(found, captures, then)
        if not all(_is_wildcard(p) for p, _ in found):
            listed = ast.List([ast.Starred(_load(subject), ast.Load())], ast.Load())
            inner = [_assign(items, listed), *inner]
        return [ast.If(_call('is_sequence', _load(subject)), [ast.If(enough, inner, [])], [])]

    def _MatchMapping(self, pattern, subject, captures, then):
        keys, values = [], []
        result = []
        for key in pattern.keys:
            if not isinstance(key, ast.Constant):
                name = self._temporary()
                result.append(_assign(name, key))
                key = _load(name)
            keys.append(key)
            values.append(self._temporary())
        if any(isinstance(key, ast.Name) for key in keys) and len(keys) > 1:
            result.append(ast.Expr(_call('check_keys', *keys)))

        def others(found):
            if pattern.rest is None:
                return self._each(list(zip(pattern.patterns, map(_load, values))), found, then)
            rest = self._temporary()
            left = ast.DictComp(
                _load(f'{rest}_k'),
                _load(f'{rest}_v'),
                [
                    ast.comprehension(
                        ast.Tuple(
                            [ast.Name(f'{rest}_{n}', ast.Store()) for n in 'kv'], ast.Store()
                        ),
                        ast.Call(
                            ast.Attribute(_call('_new_dict', _load(subject)), 'items', ast.Load()),
                            [],
                            [],
                        ),
                        [
                            _compare(
                                _load(f'{rest}_k'), ast.NotIn, ast.Tuple(list(keys), ast.Load())
                            )
                        ],
                        0,
                    )
                ],
            )
            parts = list(zip(pattern.patterns, map(_load, values)))
            return self._each([*parts, (ast.MatchAs(None, pattern.rest), left)], found, then)

        inner = others(captures)
        for key, value in reversed(list(zip(keys, values))):
            got = ast.Call(
                ast.Attribute(_load(subject), 'get', ast.Load()), [key, _helper('ABSENT')], []
            )
            test = _compare(_load(value), ast.IsNot, _helper('ABSENT'))
            inner = [_assign(value, got), ast.If(test, inner, [])]
        result.extend(inner)
        if keys:
            size = _compare(_call('_length', _load(subject)), ast.GtE, ast.Constant(len(keys)))
            result = [ast.If(size, result, [])]
        return [ast.If(_call('is_mapping', _load(subject)), result, [])]

    def _MatchClass(self, pattern, subject, captures, then):
        kind, names = self._temporary(), self._temporary()
        before = [_assign(kind, pattern.cls), ast.Expr(_call('check_class', _load(kind)))]
        inside, parts, values = [], [], []
        count = len(pattern.patterns)
        if count:
            given = ast.Tuple([ast.Constant(k) for k in pattern.kwd_attrs], ast.Load())
            inside.append(
                _assign(names, _call('attributes', _load(kind), ast.Constant(count), given))
            )
        for k, part in enumerate((*pattern.patterns, *pattern.kwd_patterns)):
            if k < count:
                name = ast.Subscript(_load(names), ast.Constant(k), ast.Load())
            else:
                name = ast.Constant(pattern.kwd_attrs[k - count])
            got = _call('_attribute', _load(subject), name, _helper('ABSENT'))
            if k < count == 1:
                own = _compare(_load(names), ast.Is, ast.Constant(None))
                got = ast.IfExp(own, _load(subject), got)
            value = self._temporary()
            values.append((value, got))
            parts.append((part, _load(value)))
        inner = self._each(parts, captures, then)
        for value, got in reversed(values):
            test = _compare(_load(value), ast.IsNot, _helper('ABSENT'))
            inner = [_assign(value, got), ast.If(test, inner, [])]
        fits = _call('_is_instance', _load(subject), _load(kind))
        return [*before, ast.If(fits, [*inside, *inner] or [ast.Pass()], [])]


def _at(new, place):
    """A statement or expression whose parts have the place of a pattern, but for those that have
    one.
    """
    for node in ast.walk(new):
        if 'lineno' in node._attributes and not hasattr(node, 'lineno'):
            ast.copy_location(node, place)
    return new
