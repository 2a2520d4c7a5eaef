# SPDX-License-Identifier: Apache-2.0
"""Trees of `paddle.utils.gast` against those of `ast`."""

import ast
import glob
import os

import paddle
from paddle.utils import gast

SOURCE = '''
def f(a, b: int = 1, *c, **d):
    x[1:2, 3] = a
    try:
        pass
    except E as e:
        return x
'''


def test_variables_are_names():
    tree = gast.parse(SOURCE)
    function = tree.body[0]
    assert [type(p) for p in function.args.args] == [gast.Name] * 2
    assert function.args.vararg.id == 'c' and isinstance(function.args.kwarg.ctx, gast.Param)
    assert function.args.args[1].annotation.id == 'int' and function.type_params == []
    assert function.body[1].handlers[0].name.id == 'e'
    assert not isinstance(tree, ast.Module) and isinstance(function, ast.stmt)
    assert 'ctx=Param(), annotation=None, type_comment=None' in gast.dump(function)

    names = []

    class Names(gast.NodeVisitor):
        def visit_Name(self, node):
            names.append(node.id)

    Names().visit(tree)
    assert names == ['a', 'b', 'c', 'd', 'x', 'a', 'E', 'e', 'x']
    assert sum(isinstance(node, gast.Name) for node in gast.walk(tree)) == 10


def test_back_to_where_it_came_from():
    folder = os.path.dirname(paddle.__file__)
    for path in sorted(glob.glob(os.path.join(folder, 'nn', '**', '*.py'), recursive=True)):
        with open(path) as file:
            source = file.read()
        want = ast.dump(ast.parse(source), include_attributes=True)
        assert ast.dump(gast.gast_to_ast(gast.parse(source)), include_attributes=True) == want
    assert gast.unparse(gast.parse(SOURCE)) == ast.unparse(ast.parse(SOURCE))
    assert gast.literal_eval(gast.parse('[1, 2]', mode='eval')) == [1, 2]
    assert gast.get_docstring(gast.parse('"""What."""')) == 'What.'
    made = gast.Name('a', gast.Load(), None, None)
    assert gast.unparse(gast.Module([gast.Expr(made)], [])) == 'a'
