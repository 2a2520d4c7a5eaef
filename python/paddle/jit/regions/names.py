# SPDX-License-Identifier: Apache-2.0
"""Names of a function whose statements are taken apart: what statements need bound, bind and
unbind, and what functions inside hold.
"""

import ast

from paddle.jit.dy2static import trees
from paddle.jit.dy2static.scopes import Effects

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
SCOPES = (*_FUNCTIONS, ast.ClassDef)
# They go through a generator and let it go.
_CONSUMERS = {'sum', 'any', 'all', 'min', 'max', 'list', 'tuple', 'set', 'dict', 'sorted', 'join'}
_BINDING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, *_FUNCTIONS[:2])


def own_nodes(nodes):
    """The nodes of the trees, without those of functions and classes inside."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, SCOPES):
            continue
        stack.extend(ast.iter_child_nodes(node))


def parameters(args):
    """Names of all parameters."""
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return names + [a.arg for a in (args.vararg, args.kwarg) if a is not None]


def stored(nodes):
    """Names that the statements bind or unbind."""
    return Effects(nodes).stores


def read(nodes):
    """Names that the statements read."""
    return Effects(nodes).reads


def unbound(nodes):
    """Names that the statements may leave unbound."""
    names = {n.id for n in own_nodes(nodes) if isinstance(n, ast.Name) and type(n.ctx) is ast.Del}
    return names | {n.name for n in own_nodes(nodes) if isinstance(n, ast.ExceptHandler) and n.name}


def declared(nodes):
    """Names declared `global` or `nonlocal`."""
    return {
        name
        for n in own_nodes(nodes)
        if isinstance(n, (ast.Global, ast.Nonlocal))
        for name in n.names
    }


def _never_ends(body):
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Break, ast.Continue))


def flow(statements, bound):
    """(names the statements may read before they bind them, names that are bound after them), where
    `bound` are bound for certain before.
    """
    needs, bound = set(), set(bound)
    for s in statements:
        if isinstance(s, ast.If):
            needs |= read([s.test]) - bound
            first, after = flow(s.body, bound)
            second, other = flow(s.orelse, bound)
            needs |= first | second
            if _never_ends(s.body):
                bound = other
            elif _never_ends(s.orelse):
                bound = after
            else:
                bound = after & other
            continue
        if isinstance(s, (ast.For, ast.While)):
            head = [s.iter] if isinstance(s, ast.For) else [s.test]
            needs |= read(head) - bound
            inside = bound - unbound([s])
            if isinstance(s, ast.For):
                needs |= read([s.target]) - bound
                inside |= stored([s.target])
            needs |= flow(s.body, inside)[0] | flow(s.orelse, bound - unbound([s]))[0]
        else:
            needs |= read([s]) - bound
            if isinstance(s, _BINDING) and not (isinstance(s, ast.AnnAssign) and s.value is None):
                bound |= stored([s])
        bound -= unbound([s])
    return needs, bound


def _free(node):
    """Names that a function, class or generator inside may take from around it."""
    names = {n.id for n in trees.walk(node) if isinstance(n, ast.Name)}
    if isinstance(node, ast.Lambda):
        names -= set(parameters(node.args))
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        own = set(parameters(node.args)) | stored(node.body)
        names -= own - declared(node.body)
    return names


def closures(nodes):
    """Functions, classes and generators in the nodes that may outlive their statement."""
    found, safe = [], set()
    for n in own_nodes(nodes):
        if isinstance(n, ast.Call):
            name = getattr(n.func, 'id', getattr(n.func, 'attr', None))
            if name in _CONSUMERS:
                safe.update(id(a) for a in n.args if isinstance(a, ast.GeneratorExp))
        if isinstance(n, (*SCOPES, ast.GeneratorExp)):
            found.append(n)
    return [n for n in found if id(n) not in safe]


def captured(nodes, local):
    """Local names that what outlives its statement holds."""
    return {name for n in closures(nodes) for name in _free(n)} & local


def rebound(tree, local):
    """Local names that are bound in more than one place, or anew in a loop."""
    count = dict.fromkeys(parameters(tree.args), 1)

    def visit(node, times):
        names = []
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names = [node.id]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names = [node.name]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names = [node.name, node.name]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [(a.asname or a.name.split('.')[0]) for a in node.names]
        elif isinstance(node, (ast.Nonlocal, ast.Global)):
            names = [n for n in node.names for _ in range(2)]
        for name in names:
            count[name] = count.get(name, 0) + times
        if isinstance(node, SCOPES):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Nonlocal):
                    for name in inner.names:
                        count[name] = 2
            return
        times = 2 if isinstance(node, (ast.For, ast.While)) else times
        for child in ast.iter_child_nodes(node):
            visit(child, times)

    for s in tree.body:
        visit(s, 1)
    return {name for name, n in count.items() if n > 1} & local
