# SPDX-License-Identifier: Apache-2.0
"""Every optimizer whose stanza has an `update`: its kernel does what the steps say, in NumPy, for
each dtype, with and without master parameters, for each value of its flags.
"""

import itertools
import os
import pathlib
import sys

import numpy as np
import paddle
import pytest
from harness import default

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(ROOT, 'tools'))
try:
    from opgen import emit_update, functions, model, stanza, stats
    from opgen.update import MASTER, SKIP
finally:
    sys.path.pop(0)

OPS = {op.name: op for op in model.load(ROOT / 'paddle/phi/ops') if op.update is not None}
# The functions of the language by NumPy's names, and those that are called otherwise there.
LANGUAGE = {name: getattr(np, name) for name in functions.scalars() if hasattr(np, name)} | {
    'pow': np.power,
    'select': np.where,
    'norm': lambda x: np.sqrt(np.sum(x * x)),
    'inf': np.inf,
}
TOLERANCE = {'float64': 1e-12, 'float32': 2e-5, 'float16': 2e-3, 'bfloat16': 1.6e-2}
HALF = ('float16', 'bfloat16')


def test_every_optimizer_has_steps():
    """What it takes to write one: its stanza, and its class."""
    found = stats.definitions(ROOT / 'paddle')
    assert len(OPS) >= 13
    for op in OPS.values():
        assert stats.kind(op) == 'optimizer' and stats.files(op, found) == 2
        assert not [name for name in found if name.startswith(op.name)]


def expected(op, tensors, attributes):
    """{name: value} after the steps, in float64."""
    scope = {name: np.asarray(v, np.float64) for name, v in tensors.items() if v is not None}
    scope |= attributes
    for name in op.numbers:
        if scope[name].size == 1:
            scope[name] = scope[name].reshape(-1)[0]
    for name, text in op.update.items():
        value = eval(str(text), LANGUAGE | {'true': True, 'false': False}, scope)
        if value is not None:
            scope[name] = value
    return scope


def arguments(op, dtype, master, size):
    """({tensor: array or None}, {attribute: value}) of a call."""
    rng = np.random.RandomState(3)
    state = 'float32' if dtype in HALF else dtype
    tensors = {}
    for a in op.tensors:
        if a.name == 'learning_rate_range':
            tensors[a.name] = np.array([1e-3, 2.0], state)
        elif a.name == 'etas':
            tensors[a.name] = np.array([0.5, 1.25], state)
        elif a.name in op.numbers:
            tensors[a.name] = np.array([0.75], state)
        elif a.name in (SKIP, MASTER):
            tensors[a.name] = None
        elif a.name in ('param', 'grad', 'mean_grad', 'prev', 'd', 'y'):
            tensors[a.name] = rng.uniform(-0.4, 0.4, size)
        else:
            tensors[a.name] = rng.uniform(0.5, 1.5, size)
    for name in ('param', 'grad'):
        given = paddle.to_tensor(tensors[name].astype('float32')).astype(dtype)
        tensors[name] = given.astype('float64').numpy()
    if master:
        tensors[MASTER] = tensors['param'] + 1e-4 * rng.rand(size)
    return tensors, state


def cases():
    for op in OPS.values():
        flags = [a.name for a in op.attrs if a.kind == 'bool' and used(op, a.name)]
        for values in itertools.product((False, True), repeat=len(flags)):
            chosen = dict(zip(flags, values))
            text = '-'.join(name for name, value in chosen.items() if value)
            yield pytest.param(op, chosen, id=f'{op.name}{text and "-" + text}')


def used(op, name):
    return any(name in str(text).replace('(', ' ').split() for text in op.update.values())


@pytest.mark.parametrize('size', [7, 5003, 70001])
@pytest.mark.parametrize(
    'dtype, master', [*((d, False) for d in TOLERANCE), *((d, True) for d in HALF)]
)
@pytest.mark.parametrize('op, flags', list(cases()))
def test_kernel_does_the_steps(op, flags, dtype, master, size):
    arrays, state = arguments(op, dtype, master, size)
    given = {'regularization_method': 'l2_decay', 'regularization_coeff': 0.1}
    given |= {'weight_decay': 0.1, 'momentum': 0.7, 'coeff': 0.1}
    values = {a.name: flags.get(a.name, given.get(a.name, default(a))) for a in op.attrs}
    wanted = expected(op, arrays | (master and {'param': arrays[MASTER]} or {}), values)
    tensors = {}
    for name, array in arrays.items():
        kind = dtype if name in ('param', 'grad') else state
        tensors[name] = (
            None if array is None else paddle.to_tensor(array.astype(state)).astype(kind)
        )
    call = [tensors[a.name] if a.is_tensor else values[a.name] for a in op.args]
    getattr(paddle._C_ops, op.name)(*call)
    for name in set(op.inplace_map.values()) - {SKIP, MASTER}:
        if tensors[name] is None:
            continue
        bound = TOLERANCE[dtype if name == 'param' else state]
        got = tensors[name].astype('float64').numpy()
        want = np.broadcast_to(wanted[name], got.shape)
        np.testing.assert_allclose(got, want, rtol=bound, atol=bound, err_msg=name)
    if master:
        got = tensors[MASTER].astype('float64').numpy()
        np.testing.assert_allclose(got, wanted['param'], rtol=2e-5, atol=2e-5, err_msg=MASTER)


def test_half_states_are_rounded():
    """They are computed with in float32."""
    rng = np.random.RandomState(2)
    start, step, kept = (paddle.to_tensor(rng.rand(9).astype('float32')) for _ in range(3))
    rate = paddle.to_tensor([0.1])
    half = kept.astype('bfloat16')
    wide = half.astype('float32')
    first, second = start.clone(), start.clone()
    paddle._C_ops.adagrad_(first, step, half, rate, None, 1e-6, False)
    paddle._C_ops.adagrad_(second, step, wide, rate, None, 1e-6, False)
    assert half.dtype == paddle.bfloat16 and (first == second).all()
    assert (half == wide.astype('bfloat16')).all()


def test_an_empty_parameter_is_stepped():
    p, m = paddle.zeros([0, 3]), paddle.zeros([0, 3])
    lr = paddle.to_tensor([0.1])
    paddle._C_ops.adagrad_(p, p.clone(), m, lr, None, 1e-6, False)
    assert p.shape == [0, 3]


STANZA = """- op: first_
  args: (Tensor param, Tensor grad, Tensor kept, Tensor learning_rate, float rate=0.5,
    bool fast=false)
  outputs: (Tensor param_out, Tensor kept_out)
  inplace_map: {param_out: param, kept_out: kept}
  numbers: [learning_rate]
  update:
    kept: kept + grad
    param: param - learning_rate * kept
  doc: One.
"""


@pytest.mark.parametrize(
    'old, new, message',
    [
        ('kept: kept + grad', 'other: grad', 'nothing reads'),
        ('    kept: kept + grad\n', '', 'expected the step kept'),
        ('* kept\n', '* lost\n', 'got the name lost'),
        ('kept + grad', 'sinx(grad)', 'got the function sinx'),
        ('kept + grad', 'grad if rate > 1 else kept', 'a condition on attributes of kind bool'),
        ('kept: kept', 'grad: kept', 'inplace_map'),
        ('kept: kept + grad', 'kept: rate + 1', 'expected an element'),
        ('kept: kept + grad', 'kept: grad + norm(kept)', 'in a step that is a number'),
        ('numbers: [learning_rate]', 'numbers: [speed]', 'numbers'),
        ('update:', 'kernel: f\n  update:', 'expected one of the keys'),
    ],
)
def test_what_is_no_step_is_refused(tmp_path, old, new, message):
    text = STANZA.replace(old, new, 1)
    assert text != STANZA
    (tmp_path / 'family').mkdir()
    (tmp_path / 'family' / 'ops.yaml').write_text(text)
    with pytest.raises(stanza.StanzaError, match=message):
        model.load(tmp_path)


def test_flags_choose_loops(tmp_path):
    text = STANZA.replace('kept + grad', 'kept + grad if fast else None')
    (tmp_path / 'family').mkdir()
    (tmp_path / 'family' / 'ops.yaml').write_text(text)
    op = model.load(tmp_path)[0]
    slow, fast = (op.steps_of_update.loop(0, flags) for flags in op.steps_of_update.variants())
    assert slow.stores == ['param'] and fast.stores == ['kept', 'param']
    kernel = emit_update.Kernel(op)
    assert len(kernel.loops()) == 4 and 'fast ? 1 : 0' in kernel.kernel()
