# SPDX-License-Identifier: Apache-2.0
"""Rules of placements: every operation that has one, on tensors placed at random; and what the
rules say when they are asked without tensors.
"""

import json
import pathlib

import pytest
import ranks
import work_rules
from rule_rows import INNER

import paddle
import paddle.distributed as dist
from paddle._legacy_ops import OPS
from paddle.base import core, libpaddle
from paddle.distributed.auto_parallel import function_rules
from paddle.distributed.auto_parallel.static.dist_attribute import DistTensorSpec, TensorDistAttr

MESH = dist.ProcessMesh([[0, 1], [2, 3]])
# The names of operations in PaddlePaddle's programs.
PROGRAMS = set(
    json.loads((pathlib.Path(__file__).parents[2] / 'tools/opgen/identity.json').read_text())
)
# What other tests call, or what no function is.
UNCALLED = {
    'c_softmax_with_cross_entropy',
    'c_softmax_with_multi_label_cross_entropy',
    'fused_linear_param_grad_add',
}


@pytest.mark.parametrize('count, grid, tries', [(2, '2', '6'), (4, '4', '6'), (4, '2x2', '8')])
def test_ranks(count, grid, tries):
    ranks.run(count, 'work_rules', 'operations', grid, tries, timeout=120)


@pytest.mark.parametrize('count, grid', [(2, '2'), (4, '2x2')])
def test_answers(count, grid):
    ranks.run(count, 'work_rules', 'answers', grid, '6', timeout=120)


def answered(name):
    try:
        core.get_phi_spmd_rule(name)
    except RuntimeError:
        return False
    return True


def test_every_rule_has_a_call():
    called = {name for name, *_ in work_rules.rows()} | INNER
    ruled = {name for name, text in libpaddle._rules_of_placements().items() if text}
    assert ruled <= called, ruled - called
    forms = {n for n in PROGRAMS if n.endswith('_') and hasattr(paddle._C_ops, n)}
    names = ruled | set(function_rules.RULES) | forms
    answers = set(filter(answered, names))
    assert answers - UNCALLED <= called, answers - UNCALLED - called
    of_programs = PROGRAMS & answers
    assert len(of_programs) > 465, len(of_programs)
    assert sum(answered(name) for name in OPS if name not in PROGRAMS) > 60


def test_names_of_other_kinds():
    """Functions, forms in place and names of older programs answer as the operations they are."""
    x, y = spec([8, 64], [0, 1]), spec([64, 16], [-1, -1])
    assert forward('einsum', [x, y], 'ij,jk->ik') == (
        [[([0, 1], []), ([1, -1], [])]],
        [([0, -1], [1])],
    )
    assert forward('elementwise_add', x, spec([64], [-1])) == forward('add', x, spec([64], [-1]))
    assert forward('add_', x, spec([64], [-1])) == forward('add', x, spec([64], [-1]))
    assert forward('lookup_table_v2', spec([8, 16], [1, -1]), spec([512, 64], [0, -1])) == (
        [([1, -1], []), ([0, -1], [])],
        [([1, -1, -1], [0])],
    )
    assert forward('c_embedding', spec([512, 64], [0, -1]), spec([8, 16], [1, -1]), 0, 512) == (
        [([0, -1], []), ([1, -1], [])],
        [([1, -1, -1], [0])],
    )
    # Sums over classes are made by the operation.
    assert forward('c_softmax_with_cross_entropy', x, spec([8, 1], [0, -1])) == (
        [([0, 1], []), ([0, -1], [])],
        [([0, 1], []), ([0, -1], [])],
    )
    grad = spec([8, 16], [-1, -1])
    assert forward('fused_linear_param_grad_add', x, grad, True, False) == (
        [([0, 1], []), ([0, -1], [])],
        [([1, -1], [0])],
    )
    query = spec([4, 8, 2, 16], [0, 1, -1, -1])
    assert (
        forward('fused_rotary_position_embedding', query, query)[1] == [([0, -1, -1, -1], [])] * 2
    )
    operands, _ = core.get_phi_spmd_rule('fused_elementwise_mul').infer_backward(x, x, x)
    assert said(operands) == [([0, 1], []), ([0, 1], [])]


def spec(shape, dims_mapping, partial=()):
    attr = TensorDistAttr()
    attr.process_mesh, attr.dims_mapping = MESH, dims_mapping
    attr._set_partial_dims(partial)
    return DistTensorSpec(shape, attr)


def said(attrs):
    """What is divided by which axes of the mesh, and which are partial."""

    def one(attr):
        mapping = attr.multi_dims_mapping if any(len(a) > 1 for a in attr.multi_dims_mapping) else 0
        return mapping or attr.dims_mapping, sorted(attr._partial_dims())

    return [[one(a) for a in attr] if isinstance(attr, list) else one(attr) for attr in attrs]


def forward(name, *args):
    operands, results = core.get_phi_spmd_rule(name).infer_forward(*args)
    return said(operands), said(results)


def test_forward():
    x, y = spec([64, 32], [0, 1]), spec([32, 48], [-1, -1])
    assert forward('matmul', x, y, False, False) == (
        [([0, 1], []), ([1, -1], [])],
        [([0, -1], [1])],
    )
    across = forward('matmul', spec([32, 64], [1, 0]), y, True, False)
    assert across[1] == [([0, -1], [1])]
    assert forward('add', spec([8, 64, 32], [-1, 0, -1]), spec([64, 32], [-1, 1])) == (
        [([-1, 0, 1], []), ([0, 1], [])],
        [([-1, 0, 1], [])],
    )
    assert forward('sum', x, [1], False)[1] == [([0], [1])]
    assert forward('max', x, [0], True)[1] == [([-1, 1], [0])]
    assert forward('softmax', x, -1) == ([([0, -1], [])], [([0, -1], [])])
    assert forward('transpose', spec([4, 8, 6], [1, 0, -1]), [2, 0, 1])[1] == [([-1, 1, 0], [])]
    assert forward('reshape', spec([64, 32], [1, -1]), [8, 8, 32])[1] == [([1, -1, -1], [])]
    assert forward('split', x, [16, 48], 0) == ([([-1, 1], [])], [([-1, 1], [])] * 2)
    assert forward('concat', [x, spec([64, 32], [-1, 1])], 1) == (
        [[([0, -1], []), ([0, -1], [])]],
        [([0, -1], [])],
    )
    assert forward('gather', spec([64, 32], [0, 1]), spec([16], [-1]), 0) == (
        [([-1, 1], []), ([-1], [])],
        [([-1, 1], [])],
    )
    assert forward('embedding', spec([8, 16], [0, -1]), spec([512, 64], [-1, 1]), -1, False) == (
        [([0, -1], []), ([-1, 1], [])],
        [([0, -1, 1], [])],
    )
    assert forward('nonzero', x) == ([([-1, -1], [])], [([-1, -1], [])])
    # An axis of the mesh that two operands divide otherwise divides what the first one does.
    assert forward('multiply', spec([8, 8], [0, -1]), spec([8, 8], [-1, 0]))[1] == [([0, -1], [])]
    # What is a partial sum is added up first.
    assert forward('relu', spec([8, 8], [1, -1], [0]))[0] == [([1, -1], [])]


def test_backward():
    x, y, out = spec([64, 32], [-1, -1]), spec([32, 48], [-1, -1]), spec([64, 48], [1, 0])
    operands, results = core.get_phi_spmd_rule('matmul').infer_backward(x, y, out, False, False)
    assert said(operands) == [([1, -1], []), ([-1, 0], [])]
    assert said(results) == [([1, 0], [])]
    rule = core.get_phi_spmd_rule('layer_norm')
    given = [spec([4, 8, 16], [-1] * 3), spec([16], [-1]), spec([16], [-1])]
    wanted = [spec([4, 8, 16], [0, -1, 1]), spec([4, 8], [0, -1]), spec([4, 8], [0, -1])]
    operands, _ = rule.infer_backward(*given, *wanted, 1e-5, 2)
    assert said(operands) == [([0, -1, -1], []), ([-1], []), ([-1], [])]
    operands, _ = core.get_phi_spmd_rule('reshape').infer_backward(
        spec([64, 32], [-1, -1]), spec([8, 8, 32], [1, -1, 0]), [8, 8, 32]
    )
    assert said(operands) == [([1, 0], [])]


def test_specs():
    one = spec([64, 32], [1, -1])
    other = DistTensorSpec(one)
    other.set_dims_mapping([-1, 0])
    assert (one.dims_mapping(), other.dims_mapping(), other.shape) == ([1, -1], [-1, 0], [64, 32])
    assert other.process_mesh() == MESH and core.DistTensorSpec is DistTensorSpec
    assert core.TensorDistAttr is TensorDistAttr and str(one).startswith('{tensor_shape:[64, 32]')


def test_what_is_refused():
    with pytest.raises(RuntimeError, match='a rule of placements, got nothing'):
        core.get_phi_spmd_rule('nothing')
    rule = core.get_phi_spmd_rule('relu')
    for args, words in (
        ((), 'expected a DistTensorSpec'),
        ((spec([8, 8], [0]),), 'an entry of dims_mapping for each'),
        ((spec([8], [2]),), 'axes of a mesh of 2'),
        ((spec([8], [0]), spec([8], [0])), 'at most 1 operands, got 2'),
        (([],), 'a DistTensorSpec'),
        ((DistTensorSpec([8]),), 'a process mesh'),
    ):
        with pytest.raises(ValueError, match=words):
            rule.infer_forward(*args)
    with pytest.raises(ValueError, match='a DistTensorSpec as y, got none'):
        core.get_phi_spmd_rule('matmul').infer_forward(spec([8, 8], [0, -1]))
    with pytest.raises(ValueError, match='operands and results'):
        rule.infer_backward(spec([8], [0]))
