# SPDX-License-Identifier: Apache-2.0
"""Stubs: each public name is in the stub of its module, with the types that are documented.

`python -m lint.types`, a step of tools/check.py, asks type checkers about them.
"""

import ast
import os
import pathlib
import sys

import pytest

import paddle

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(ROOT, 'tools'))
try:
    from lint import documentation
    from stubs import words
    from stubs.__main__ import Model
finally:
    sys.path.pop(0)


@pytest.fixture(scope='module')
def model():
    return Model()


@pytest.fixture(scope='module')
def stubs(model):
    """{module: {name: nodes}} of the stubs, which are Python."""
    found = {}
    for file, text in model.stubs(plain=False):
        if file.endswith('.pyi'):
            module = file.removesuffix('.pyi').removesuffix('/__init__').replace('/', '.')
            found[module] = names(ast.parse(text).body)
    return found


def names(body):
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                if one.name == one.asname:
                    found.setdefault(one.name, []).append(node)
        elif isinstance(node, ast.AnnAssign):
            found.setdefault(node.target.id, []).append(node)
        elif isinstance(node, ast.Assign):
            found.setdefault(node.targets[0].id, []).append(node)
    return found


def inherited(stubs, module, name):
    """Names of a class and of those of its bases that are in the same stub."""
    node = stubs[module][name][0]
    found = set(names(node.body))
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in stubs[module]:
            found |= inherited(stubs, module, base.id)
    return found


def test_every_public_name_is_in_its_stub(stubs):
    missing = []
    methods = inherited(stubs, 'paddle', 'Tensor')
    for home, name, _ in documentation.public():
        there = methods if home == 'paddle.Tensor' else stubs[home]
        if name not in there:
            missing.append(f'{home}.{name}')
    assert not missing


def test_types_in_words_are_types(model, stubs):
    assert not model.words.unknown


def shown(node):
    return [f'{a.arg}: {ast.unparse(a.annotation)}' for a in node.args.args if a.annotation]


def test_functions_have_the_types_that_are_documented(stubs):
    (leaky,) = stubs['paddle.nn.functional']['leaky_relu']
    assert shown(leaky) == ['x: Tensor', 'negative_slope: float', 'name: str | None']
    assert leaky.returns.id == 'Tensor'
    (linear,) = stubs['paddle.nn.layer.common']['Linear']
    made = names(linear.body)
    assert 'in_features: int' in shown(made['__init__'][0])
    assert ast.unparse(made['weight'][0]) == 'weight: Parameter'
    assert made['__call__'][0].returns.id == 'Tensor'


def test_second_names_and_several_arguments_are_overloads(stubs):
    (tensor,) = stubs['paddle']['Tensor']
    methods = names(tensor.body)
    assert [[a.arg for a in form.args.args][1] for form in methods['sum']] == ['axis', 'dim']
    assert methods['reshape'][-1].args.vararg.arg == 'shape'


def test_bases_that_take_types_have_them(stubs):
    module = stubs['paddle.autograd.backward_utils']
    bases = [ast.unparse(module[name][0].bases[0]) for name in ('ValueDict', 'ValueSet')]
    assert [base.lstrip('_') for base in bases] == ['MutableMapping[Any, Any]', 'MutableSet[Any]']


def test_attributes_of_tensors_have_the_types_that_they_are_of(stubs):
    (tensor,) = stubs['paddle']['Tensor']
    made = names(tensor.body)
    assert ast.unparse(made['grad'][0]) == 'grad: Tensor | None'
    assert ast.unparse(made['stop_gradient'][0]) == 'stop_gradient: builtins.bool'


@pytest.mark.parametrize(
    ('text', 'given', 'returned'),
    [
        ('Tensor', 'paddle.Tensor', 'paddle.Tensor'),
        ('list of Tensors', 'collections.abc.Sequence[paddle.Tensor]', 'list[paddle.Tensor]'),
        ('tuple of ints', 'collections.abc.Sequence[int]', 'tuple[int, ...]'),
        ('str or dtype', 'paddle._typing.DTypeLike', 'paddle._typing.DTypeLike'),
        ('ParamAttr or bool', 'paddle._typing.ParamAttrLike', 'paddle._typing.ParamAttrLike'),
        ('dict of str to Tensor', 'dict[str, paddle.Tensor]', 'dict[str, paddle.Tensor]'),
    ],
)
def test_words(text, given, returned):
    reader = words.Words({})
    assert (reader.read(text), reader.read(text, returned=True)) == (given, returned)
    assert not reader.unknown


def test_words_that_are_no_type_are_kept():
    reader = words.Words({})
    assert reader.read('a thing of some kind') == 'Any'
    assert reader.unknown == {'a thing of some kind'}


def test_star_import_takes_the_same_whatever_was_imported():
    import paddle.check_import_scipy

    assert 'check_import_scipy' not in paddle.__all__
    assert 'linalg' not in paddle.__all__


def test_names_of_types_are_those_of_annotations():
    from paddle import _typing

    assert paddle.Tensor in _typing.TensorLike.__args__
    assert paddle.dtype in _typing.DTypeLike.__args__


def test_members_of_sparse_tensors_and_parameters_have_types(stubs):
    tensor = names(stubs['paddle']['Tensor'][0].body)
    for name in ('coalesce', 'values', 'indices', 'crows', 'cols'):
        assert ast.unparse(tensor[name][0].returns).endswith('Tensor'), name
    assert ast.unparse(tensor['nnz'][0].returns).endswith('int')
    assert 'set_to_zero' in ast.unparse(tensor['clear_grad'][0].args)
    linear = names(stubs['paddle.nn.layer.common']['Linear'][0].body)
    assert ast.unparse(linear['weight'][0].annotation).endswith('Parameter')
    parameter = names(stubs['paddle.base.framework']['EagerParamBase'][0].body)
    assert ast.unparse(parameter['initialize'][0].returns) == 'None'
