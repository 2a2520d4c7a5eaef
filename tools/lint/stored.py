# SPDX-License-Identifier: Apache-2.0
"""Arguments that a function keeps on an object and nothing reads from there: dropped as much as
those that are never read.

What a method keeps on its own object counts as read when the class, one it derives from or one
derived from it loads the attribute from any object, when another class or function loads it from
something that is not its own `self`, when Python asks for it by a constant name (`getattr`), or
when the name is a string of the bindings. What is kept on another object counts as read when
anything loads it. Text for people (`extra_repr`, `__repr__`, `__str__`) and checks that only raise
are no reading. Classes without methods are records, which callers read.
"""

import ast
import functools
import re

TEXTS = ("extra_repr", "__repr__", "__str__", "__unicode__")
BY_NAME = ("getattr", "hasattr", "attrgetter")


def loads(node, own):
    """(attribute, whether it is loaded from `self`) below `node`, texts left out; `own`: the name
    of the object itself.
    """
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name in TEXTS:
            continue
        if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load):
            yield child.attr, isinstance(child.value, ast.Name) and child.value.id == own
        elif (
            isinstance(child, ast.Call)
            and (
                child.func.id
                if isinstance(child.func, ast.Name)
                else getattr(child.func, "attr", "")
            )
            in BY_NAME
        ):
            yield from ((one.value, False) for one in child.args if isinstance(one, ast.Constant))
        yield from loads(child, own)


def refuses_all_but_one(test):
    """Whether a check leaves one value, as `if x is not None`, `if x != 1` and `if x` do."""
    return isinstance(test, ast.Name) or (
        isinstance(test, ast.Compare)
        and isinstance(test.ops[0], (ast.IsNot, ast.NotEq))
        and isinstance(test.comparators[0], ast.Constant)
    )


def checks(node):
    """The nodes of statements that only raise and leave more than one value: `if <test>: raise ...`
    and `assert`.
    """
    found = set()
    for at in ast.walk(node):
        if isinstance(at, ast.Assert) or (
            isinstance(at, ast.If)
            and not at.orelse
            and all(isinstance(s, ast.Raise) for s in at.body)
            and not refuses_all_but_one(at.test)
        ):
            found.update(map(id, ast.walk(at)))
    return found


def kept(function, method):
    """Argument -> (attribute, whether it is one of the method's own object), for arguments whose
    only use is to be stored on objects.
    """
    positional = function.args.posonlyargs + function.args.args
    own = positional[0].arg if method and positional else None
    names = [one.arg for one in positional[bool(own) :] + function.args.kwonlyargs]
    names += [one.arg for one in (function.args.vararg, function.args.kwarg) if one]
    stores, uses = {}, {}
    for at in ast.walk(function):
        if not isinstance(at, (ast.Assign, ast.AnnAssign)) or at.value is None:
            continue
        for target in at.targets if isinstance(at, ast.Assign) else [at.target]:
            paired = (
                isinstance(target, ast.Tuple)
                and isinstance(at.value, ast.Tuple)
                and len(target.elts) == len(at.value.elts)
            )
            for one, value in zip(target.elts, at.value.elts) if paired else [(target, at.value)]:
                if isinstance(one, ast.Attribute):
                    mine = isinstance(one.value, ast.Name) and one.value.id == own
                    for name in ast.walk(value):
                        if isinstance(name, ast.Name) and name.id in names:
                            stores.setdefault(name.id, set()).add((one.attr, mine))
                            uses.setdefault(name.id, set()).add(id(name))
    free = checks(function)
    for at in ast.walk(function):
        if (
            isinstance(at, ast.Name)
            and isinstance(at.ctx, ast.Load)
            and id(at) not in free
            and id(at) not in uses.get(at.id, ())
        ):
            stores.pop(at.id, None)
    return stores


class Classes:
    """The classes of all modules by name, what derives from what, and which attributes each
    loads.
    """

    def __init__(self, trees):
        self.nodes, self.bases, self.read = [], {}, {}
        self.elsewhere = set()
        for path, tree in trees.items():
            self.elsewhere.update(name for name, own in loads(tree, "self") if not own)
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    self.nodes.append((path, node))
                    self.bases.setdefault(node.name, set()).update(
                        base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
                        for base in node.bases
                    )
                    self.read.setdefault(node.name, set()).update(
                        name for name, _ in loads(node, "self")
                    )

    def family(self, name):
        """The class, those it derives from, and those derived from it."""
        found, above, below = {name}, [name], [name]
        while above:
            new = {base for base in self.bases.get(above.pop(), ()) if base in self.bases} - found
            found |= new
            above += new
        while below:
            base = below.pop()
            new = {derived for derived, bases in self.bases.items() if base in bases} - found
            found |= new
            below += new
        return found

    def reads(self, name):
        """The attributes that the family loads."""
        return set().union(*(self.read[one] for one in self.family(name)))


def is_record(node):
    return all(
        not isinstance(one, ast.FunctionDef) or one.name == "__init__" or one.name in TEXTS
        for one in node.body
    )


def find(trees, bindings):
    """(path, line, "Class.method" or "function", argument) of what is stored and never read;
    `bindings`: texts of C++ sources.
    """
    classes = Classes(trees)
    spelled = classes.elsewhere.union(*(re.findall(r'"(\w+)"', text) for text in bindings))
    anywhere = spelled.union(*classes.read.values())

    def unread(function, method, read):
        for argument, attributes in kept(function, method).items():
            if argument != "name" and not any(
                attribute in (read() if mine else anywhere) for attribute, mine in attributes
            ):
                yield argument

    methods = set()
    for path, node in classes.nodes:
        members = [one for one in node.body if isinstance(one, ast.FunctionDef)]
        methods.update(map(id, members))
        if is_record(node):
            continue
        read = functools.cache(lambda name=node.name: classes.reads(name) | spelled)
        for function in members:
            for argument in unread(function, True, read):
                yield path, function.lineno, f"{node.name}.{function.name}", argument
    for path, tree in trees.items():
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and id(function) not in methods:
                for argument in unread(function, False, set):
                    yield path, function.lineno, function.name, argument
