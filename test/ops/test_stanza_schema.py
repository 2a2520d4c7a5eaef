# SPDX-License-Identifier: Apache-2.0
"""The schema of op stanzas: what is not as declared is refused with file and line, and no key goes
unread.
"""

import os
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(ROOT, 'tools'))
try:
    from lint import stanzas
    from opgen import (
        documentation,
        emit_decomposition,
        emit_grad,
        emit_loops,
        emit_lowering,
        emit_traits,
        gradient,
        model,
        stanza,
        template,
    )
    from opgen.__main__ import outputs
finally:
    sys.path.pop(0)

GOOD = """- op: first
  args: (Tensor x)
  outputs: (Tensor out)
  py: first(x, name=None, *, out=None)
  body: sin(x)
  doc: One.
- op: second
  args: (Tensor x, float eps=0.1)
  outputs: (Tensor out)
  py: second(x, eps=0.1, name=None)
  body:
    - {when: eps == 0, expr: x}
    - {expr: "maximum(x, eps)"}
  vjp:
    x: dout * (x > eps)
  doc: Two.
"""


def load(tmp_path, text):
    (tmp_path / 'family').mkdir()
    (tmp_path / 'family' / 'ops.yaml').write_text(text)
    return model.load(tmp_path)


def test_a_good_file_is_read(tmp_path):
    first, second = load(tmp_path, GOOD)
    assert (
        first.vjp == {}
        and second.vjp == {'x': 'dout * (x > eps)'}
        and second.body[0].when == 'eps == 0'
    )
    assert second.at('vjp', 'x').line == 15 and second.where.line == 7


@pytest.mark.parametrize(
    'old, new, line, words',
    [
        ('  body: sin(x)', '  bdy: sin(x)', 5, 'first: unknown key bdy; did you mean body?'),
        ('  doc: One.', '  attr_y: float\n  doc: One.', 6, 'first: unknown key attr_y'),
        (
            '  doc: One.',
            '  doc: {what: One., exmple: a}',
            6,
            'doc: unknown key exmple; did you mean',
        ),
        ('  doc: One.', '  doc: {example: a}', 6, 'doc: expected the key what, got none'),
        (
            '  doc: One.',
            '  doc: {what: One., more: Two.}',
            6,
            'doc: more is read only beside example',
        ),
        (
            '  doc: Two.',
            '  doc: {what: Two., example: a}',
            16,
            'second: doc: expected the meaning of the argument eps, got none',
        ),
        (
            '  doc: Two.',
            '  doc:\n    what: Two.\n    args: {esp: a}\n    example: a',
            18,
            'doc.args: expected arguments of the op, got the name esp; did you mean eps?',
        ),
        (
            '  doc: One.',
            '  doc: {what: One., example: paddle.second(x)}',
            6,
            'doc: expected a call of first in the example',
        ),
        ('  doc: One.\n', '', 1, 'first: expected the key doc, got none'),
        ('  doc: One.', '  doc: One.\n  doc: Two.', 7, 'the key doc stands twice'),
        ('  doc: One.', '  doc: [One', 7, 'expected YAML'),
        (
            '  doc: One.',
            '  cost: cheap\n  doc: One.',
            6,
            "first: cost: expected number, got 'cheap'",
        ),
        (
            '  doc: One.',
            '  inplace: false\n  doc: One.',
            6,
            'first: inplace: expected true or hidden',
        ),
        (
            '  doc: One.',
            '  kernel: f\n  doc: One.',
            1,
            'first: expected one of the keys body, kernel, compose and update, got body and kernel',
        ),
        (
            '  doc: One.',
            '  saves: [x]\n  doc: One.',
            6,
            'first: the key saves is read only beside vjp_kernel',
        ),
        (
            '  doc: One.',
            '  lowering: x\n  doc: One.',
            6,
            'first: the key lowering is read only beside kernel',
        ),
        (
            '  body: sin(x)',
            '  kernel: f\n  lowering: x + z',
            6,
            "first: 'x + z': expected an argument, got the name z",
        ),
        (
            '  doc: One.',
            '  legacy: {op: one, ins: {x: X}}\n  doc: One.',
            6,
            'first: legacy: unknown key ins; did you mean in?',
        ),
        (
            '  doc: One.',
            '  legacy: {op: one, in: {y: X}}\n  doc: One.',
            6,
            'first: legacy.in: expected tensors of the op, got the name y',
        ),
        (
            '  doc: One.',
            '  test: {samples: [1]}\n  doc: One.',
            6,
            'first: test: unknown key samples',
        ),
        (
            '(Tensor x)',
            '(Tenso x)',
            2,
            r"first: args: expected (Kind name, Kind name=default, ...), got 'Tenso x'",
        ),
        ('sin(x)', 'sin(z)', 5, "first: 'sin(z)': expected an argument, got the name z"),
        (
            'sin(x)',
            'sine(x)',
            5,
            "first: 'sine(x)': expected a function of the language, got the function sine; did "
            "you mean sin?",
        ),
        ('sin(x)', 'sin(x, x)', 5, "first: 'sin(x, x)': expected 1 operands of sin, got 2"),
        (
            'eps=0.1, name',
            'eps=0.1, act=None, name',
            10,
            'second: the argument act of py: second(...) reaches neither the op nor py_map',
        ),
        (
            'when: eps == 0',
            'when: epsilon == 0',
            12,
            "second: 'epsilon == 0': expected an attribute, got the name epsilon; did you mean "
            "eps?",
        ),
        (
            'when: eps == 0',
            'when: eps.to_complex() == 0',
            12,
            'expected a function of the language, got eps.to_complex',
        ),
        (
            '    - {expr: "maximum(x, eps)"}\n',
            '',
            11,
            'second: body: expected the last variant, and no other, without `when`',
        ),
        (
            'dout * (x',
            'dout * (y',
            15,
            'second: \'dout * (y > eps)\': expected an argument, a result or the gradient of one, '
            'got the name y',
        ),
        (
            'dout * (x > eps)',
            'reduce_lik(dout, x)',
            15,
            'got the function reduce_lik; did you mean reduce_like?',
        ),
        (
            '    x: dout',
            '    y: dout',
            15,
            'second: y: expected an argument, or a step that a rule reads, got a name that nothing',
        ),
        (
            '    x: dout',
            '    above: x > eps\n    x: dout',
            15,
            'second: above: expected an argument, or a step that a rule reads',
        ),
        (
            '    x: dout * (x > eps)',
            '    eps: x\n    x: dout * eps',
            15,
            'second: eps: expected a new name, got one of an argument',
        ),
        (
            '    x: dout * (x > eps)',
            '    size_at: x\n    x: dout * size_at',
            15,
            'second: size_at: expected a new name, got one of an argument, a function or a step',
        ),
        (
            '    x: dout * (x > eps)',
            '    x: dout * above\n    above: x > eps',
            15,
            'got the name above',
        ),
        (
            '    x: dout * (x > eps)',
            '    above: x > eps\n    x: dout * constant(above)',
            16,
            'second: x: expected constant(...) to read arguments and constant steps, got the step',
        ),
        ('second(x, eps', 'first(x, eps', 10, 'second: paddle.first is defined twice: '),
        ('- op: second', '- op: first', 7, 'first: the op is defined twice'),
    ],
)
def test_an_error_names_file_and_line(tmp_path, old, new, line, words):
    assert GOOD.count(old) == 1 or old == '(Tensor x)'
    with pytest.raises(stanza.StanzaError) as caught:
        load(tmp_path, GOOD.replace(old, new, 1))
    assert f'family/ops.yaml:{line}:' in str(caught.value) and words in str(caught.value)


STEPS = """- op: second
  args: (Tensor x, bool above=false, Scalar eps=0.1)
  outputs: (Tensor out)
  infer: unchanged
  kernel: second_kernel
  vjp:
    reached: constant(x > 0)
    half: 0.5 * dout
    axes: negated([0, 1])
    x: resized(half, axes[-1], 3) * reached if above and out else None
  doc: Two.
"""


def test_an_op_with_a_kernel_has_the_lowering_it_states(tmp_path):
    text = STEPS.replace('  vjp:', '  lowering: x + eps\n  vjp:')
    ops = load(tmp_path, text.split('  vjp:')[0] + '  doc: Two.\n')
    name, operands, function = emit_lowering.forward(ops[0])[0]
    assert (name, operands) == ('second', 1)
    assert 'const Expr& x = in[0];' in function and 'const Expr eps(attrs[1]);' in function
    assert 'return (x + eps);' in function


POWER = """- op: second
  args: (Tensor x, Scalar y=1.0)
  outputs: (Tensor out)
  body: pow(x, y)
  vjp: {x: "0 * dout if y == 0 else dout * (y * x + (y - 1))"}
  doc: Two.
"""


def test_a_gradient_has_a_loop_for_each_condition_and_gets_numbers_computed(tmp_path):
    (op,) = load(tmp_path, POWER)
    (zero, none), (other, rest) = emit_loops.gradients(op)['x']
    assert zero.cpp == 'y.to_complex() == phi::complex128(0)' and none.inputs == ['dout']
    assert other is None and rest.attr_array()[-1] == '(y.to_double() - 1.0)'
    loop = rest.loops()[0]
    assert 'PD_EW_ATTR(3, float, number0)' in loop
    assert 'PD_EW_STORE(0, (dout * ((y * x) + number0)))' in loop


def test_named_steps_of_a_rule_are_computed_when_read(tmp_path):
    (op,) = load(tmp_path, STEPS)
    g = gradient.Gradient(op, {op.name: op})
    text = emit_grad.composed(g)
    assert 'const Step reached([&] { return constant([&] { return (x > 0); }); });' in text
    assert 'const Step half([&] { return (0.5 * dout); });' in text
    assert (
        'if (need[0]) g_x = (there((there(above) && there(out))) ? '
        '(resized(half(), item<-1>(axes()), 3) * reached()) : Tensor());' in text
    )
    assert g.context == ['x', 'out'] and g.contents == {'x', 'out'}


PARTS = """- op: centred
  args: (Tensor x, Tensor? scale, int axis=-1)
  outputs: (Tensor out, Tensor middle)
  infer: centred_infer
  kernel: centred_kernel
  decomposition:
    m: mean(x, [axis], keepdim=True)
    out: (x - m) * scale if scale else x - m
    middle: squeeze(m, [axis])
  vjp:
    g: dout * scale if scale else dout
    x: g - mean(g, [axis], keepdim=True)
  nondiff_outs: [middle]
  lazy_douts: true
  doc: What is left of the mean.
"""


def test_a_decomposition_is_read_and_printed(tmp_path):
    (op,) = load(tmp_path, PARTS)
    text = emit_decomposition.templates([gradient.Gradient(op, {op.name: op})])
    assert (
        'void centred(D& d, const V& x, const V& scale, int64_t axis, V* to_out, V* to_middle) {'
        in text
    )
    assert 'const V m = d.mean(x, Ints{axis}, true);' in text
    assert 'to_out ? V((d.has(scale) ? ((x - m) * scale) : (x - m))) : V();' in text
    assert 'if (to_x_grad) *to_x_grad = (g - d.mean(g, Ints{axis}, true));' in text


@pytest.mark.parametrize(
    'old, new, line, words',
    [
        ('mean(x, [axis], k', 'meen(x, [axis], k', 7, 'got the function meen; did you mean mean?'),
        ('(x - m) * scale', '(x - n) * scale', 8, 'expected a name that stands before, got the'),
        ('squeeze(m, [axis])', 'squeeze(m, axis)', 9, 'expected axes, got the number axis'),
        ('squeeze(m, [axis])', 'squeeze(m)', 9, 'expected squeeze(x, axis), got squeeze(m)'),
        ('if scale else x - m', 'if axis else x - m', 8, "expected a flag, or a tensor's name"),
        ('if scale else x - m', 'if scale else axis', 8, 'expected two values of one kind'),
        ('    middle: squeeze(m, [axis])\n', '', 6, 'expected the result middle, got none'),
        ('    m: mean', '    x: mean', 7, 'x: expected a new name, got one of an argument'),
        ('    m: mean', '    sum: mean', 7, 'sum: expected a new name, got one of an argument'),
        ('    g: dout', '    h: dout', 12, 'expected a name that stands before, got the name g'),
        ('x: g - mean(g,', 'x: dout - mean(dout,', 11, 'g: expected a step that a result reads'),
        ('  kernel: centred_kernel', '  body: x', 6, 'decomposition stands beside body'),
    ],
)
def test_an_error_of_a_decomposition_names_file_and_line(tmp_path, old, new, line, words):
    assert PARTS.count(old) == 1
    with pytest.raises(stanza.StanzaError) as caught:
        load(tmp_path, PARTS.replace(old, new))
    assert f'family/ops.yaml:{line}:' in str(caught.value) and words in str(caught.value)


CELL = """- op: cell
  composite: true
  args: (Tensor x, Tensor? bias)
  outputs: (Tensor out)
  py: _C_ops._cell(x, bias)
  decomposition:
    both: x + bias if bias else x
    each: split(both, 2, 1)
    out: sigmoid(each[0]) * each[1]
  doc: A step.
"""


def test_a_composite_is_a_function_of_its_steps_and_no_op(tmp_path):
    ops = load(tmp_path, CELL + GOOD)
    files = outputs(ops)
    assert 'decomposition::cell(d, x, bias, &out);' in files['paddle/eager/ops/family.cc']
    assert 'Tensor cell(const Tensor& x' in files['paddle/phi/api/family.h']
    assert '{&spec_p0_cell, "paddle._C_ops"}' in files['paddle/pybind/family_bind.cc']
    steps = files['paddle/pir/dialect/decompositions.h']
    assert 'const std::vector<V> each = d.split(both, 2, 1);' in steps
    assert '(sigmoid(each[0]) * each[1])' in steps
    for name in ('run_cell', 'OpDef cell', 'kCell', '"cell"'):
        texts = {file: text for file, text in files.items() if 'pybind' not in file}
        assert not [file for file, text in texts.items() if name in text], name


@pytest.mark.parametrize(
    'old, new, line, words',
    [
        ('  doc: A', '  cheap: true\n  doc: A', 10, 'the key cheap is read of ops alone'),
        ('Tensor? bias', 'Tensor[] bias', 3, 'bias: expected a kind of the language'),
        ('each[0]', 'each[-1]', 9, 'a number that is not negative in [ ]'),
        ('each[0]', 'each', 9, 'expected tensor or number, got the tensors each'),
        ('each[1]', 'both[1]', 9, 'expected tensors, got the tensor both'),
    ],
)
def test_an_error_of_a_composite_names_file_and_line(tmp_path, old, new, line, words):
    assert CELL.count(old) == 1
    with pytest.raises(stanza.StanzaError) as caught:
        load(tmp_path, CELL.replace(old, new))
    assert f'family/ops.yaml:{line}:' in str(caught.value) and words in str(caught.value)


def test_every_key_is_read():
    emitters = [p for p in (ROOT / 'tools' / 'opgen').glob('*.py') if p.name != 'stanza.py']
    text = '\n'.join(p.read_text() for p in emitters)
    for table in (model.Op, model.Variant, model.Legacy):
        for name, f in stanza.key_fields(table).items():
            assert re.search(rf'\.{f.name}\b', text), f'nothing reads the key {name}'
    text = (ROOT / 'test' / 'ops' / 'harness.py').read_text() + (
        ROOT / 'test' / 'ops' / 'test_elementwise.py'
    ).read_text()
    for name in stanza.key_fields(model.TestRow):
        assert f'"{name}"' in text, f'no test reads the key test.{name}'


def test_the_manual_lists_the_keys():
    assert stanzas.run(ROOT) == []


def test_traits_become_rows_and_names_become_constants(tmp_path):
    stanzas = GOOD.replace('  doc: One.', '  cheap: true\n  epilogue: [conv]\n  doc: One.').replace(
        '  doc: Two.', '  moves: pad\n  doc: Two.'
    )
    ops = load(tmp_path, stanzas)
    gradients = [gradient.Gradient(op, {op.name: op for op in ops}) for op in ops]
    table = emit_traits.table(gradients)
    traits = '.cheap = true, .any_layout = true, .conv_epilogue = true, .constant_results = 0x1'
    assert f'{{"first", {{{traits}}}}},' in table
    assert (
        '{"second_grad", {.movement = Movement::kUnpad}},' in table
        and '.movement = Movement::kPad}' in table
    )
    names = emit_traits.names_header(gradients)
    assert (
        'char kSecond[] = "pd_op.second";' in names
        and 'char kAdamw_[] = "pd_op.adamw_";' in names
        and 'kWhile[]' in names
    )


def test_a_mark_alone_on_its_line_stands_for_lines():
    text = '\nvoid $name() {\n  $body\n  $none\n}\n'
    assert (
        template.fill(text, name='f', body=['a;', 'if (b) {\n  c;\n}'], none=None)
        == 'void f() {\n  a;\n  if (b) {\n    c;\n  }\n}'
    )


def test_documentation_is_made_of_the_schema(tmp_path):
    text = GOOD.replace(
        '  doc: Two.',
        """  inplace: true
  alias: {x: input}
  doc:
    what: The larger of x and eps.
    args: {eps: The least result.}
    example: |
      >>> paddle.second(paddle.to_tensor([0.0]), eps=0.5).tolist()
      [0.5]
""",
    )
    first, second = load(tmp_path, text)
    plain, written = (documentation.text(second, sig) for sig in second.public)
    assert first.doc == 'One.' and 'first' not in documentation.table([first, second])
    assert second.doc == 'The larger of x and eps.' and plain.startswith(second.doc + '\n\nArgs:')
    assert '    x (Tensor): The values. Dtypes: floating-point. Also `input`.\n' in plain
    assert '    eps (float, default 0.1): The least result.\n' in plain
    assert 'Tensor: the result, with the shape of x and the dtype of x.' in plain
    assert '>>> paddle.second(' in plain and '>>> paddle.second_(' in written
    assert 'Tensor: x itself, with the result.' in written


def test_gradients_tell_whose_memory_they_may_share():
    ops = {op.name: op for op in model.load(ROOT / 'paddle' / 'phi' / 'ops')}
    shared = {name: gradient.Gradient(op, ops).shared for name, op in ops.items() if op.vjp}
    assert shared['logsumexp'] == shared['bmm'] == set()  # rules that calculate, in the language
    assert shared['linear_v2'] == {'dout'}  # rules beside a decomposition: the bias may be it
    assert 'dout' in shared['reshape'] and 'x' not in shared['reshape']
