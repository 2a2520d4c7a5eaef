# SPDX-License-Identifier: Apache-2.0
"""Converted functions: the same as the original on tensors with data, and as a program where
everything is recorded.
"""

import linecache
import traceback

import dy2static_cases
import dy2static_loop_cases  # noqa: F401  registers its cases
import dy2static_object_cases
import numpy as np
import pytest

import paddle
from paddle.jit.dy2static import (
    Dygraph2StaticException,
    convert_call,
    convert_to_static,
    converted_source,
)
from paddle.static import Executor
from paddle.static import program as _program


def flat(value, out):
    if isinstance(value, dict):
        for k, v in value.items():
            out.append(k)
            flat(v, out)
    elif isinstance(value, (list, tuple)):
        out.append(len(value))
        for v in value:
            flat(v, out)
    else:
        out.append(value)
    return out


def same(got, want):
    got, want = flat(got, []), flat(want, [])
    assert len(got) == len(want)
    for g, w in zip(got, want):
        if isinstance(w, paddle.Tensor) and isinstance(g, (paddle.Tensor, np.ndarray)):
            assert str(w.numpy().dtype) == str(np.asarray(g).dtype) and list(w.shape) == list(
                g.shape
            ), (g, w)
        if isinstance(w, (str, type(None))):
            assert g == w
        else:
            np.testing.assert_allclose(np.asarray(g), np.asarray(w), rtol=1e-6)


def tensors(value):
    return [
        paddle.to_tensor(np.array(v, 'float32'))
        for v in (value if isinstance(value, tuple) else (value,))
    ]


def record(fn, inputs, dynamic=False):
    """The results of `fn` recorded on symbolic inputs and run."""
    program, values = _program.Program(), []
    with _program.recording(program), paddle.no_grad():
        for k, t in enumerate(inputs):
            values.append(program._data(f'x{k}', [-1 if dynamic else d for d in t.shape], t.dtype))
        result = convert_to_static(fn)(*values)
    wanted = [v for v in flat(result, []) if isinstance(v, paddle.Tensor)]
    got = iter(
        Executor().run(program, {f'x{k}': t for k, t in enumerate(inputs)}, wanted)
        if wanted
        else []
    )
    return [next(got) if isinstance(v, paddle.Tensor) else v for v in flat(result, [])]


CASES = [pytest.param(*c, id=c[0].__name__) for c in dy2static_cases.CASES]


@pytest.mark.parametrize('fn, inputs, dynamic', CASES)
def test_eager(fn, inputs, dynamic):
    converted = convert_to_static(fn)
    assert convert_to_static(fn) is converted and convert_to_static(converted) is converted
    for value in inputs:
        same(converted(*tensors(value)), fn(*tensors(value)))


@pytest.mark.parametrize('fn, inputs, dynamic', CASES)
def test_recorded(fn, inputs, dynamic):
    for value in inputs:
        for free in (False, True) if dynamic else (False,):
            same(record(fn, tensors(value), free), flat(fn(*tensors(value)), []))


def vector(*values):
    return paddle.to_tensor(np.array(values, 'float32'))


@pytest.mark.parametrize(
    'fn',
    [
        lambda x: [x] if x[0] > 0 else x,
        lambda x: x if x[0] > 0 else None,
        lambda x: 'a' if x[0] > 0 else 'b',
        lambda x: (x, x) if x[0] > 0 else (x,),
    ],
)
def test_results_that_differ(fn):
    with pytest.raises(Dygraph2StaticException, match='return'):
        record(fn, [vector(1, 2)])
    assert paddle.in_dynamic_mode()


@pytest.mark.parametrize('other', [lambda x: x.astype('int32'), lambda x: x[0], lambda x: 1])
def test_tensors_that_differ(other):
    def fn(x):
        y = x
        if x[0] > 0:
            y = other(x)
        return y

    with pytest.raises(RuntimeError, match="'y' has different types"):
        record(fn, [vector(1, 2)])


def grow(x):
    items, i = [], 0
    while i < x[0]:
        items.append('x')
        i += 1
    return items


def test_list_that_grows():
    with pytest.raises(Dygraph2StaticException, match="'items'.*concat"):
        record(grow, [vector(1, 2)])
    assert len(convert_to_static(grow)(vector(3, 1))) == 3


def failing(x):
    if x[0] > 0:
        y = x
        for i in range(2):
            y = paddle.concat([y, x.no_such_name])
    return x


@pytest.mark.parametrize('recorded', [False, True])
def test_errors_show_the_source(recorded):
    with pytest.raises(AttributeError, match='no_such_name') as e:
        record(failing, [vector(1)]) if recorded else convert_to_static(failing)(vector(1))
    frames = [f for f in traceback.extract_tb(e.value.__traceback__) if f.filename == __file__]
    assert (
        frames[-1].line == linecache.getline(__file__, failing.__code__.co_firstlineno + 4).strip()
    )
    lines = [f.lineno - failing.__code__.co_firstlineno for f in frames]
    assert lines[-3:] == [1, 3, 4]  # the if, the for, the call in it


def test_unbound_variable():
    fn = convert_to_static(dy2static_cases.defined_in_one_branch)
    with pytest.raises(NameError):
        fn(vector(-1, 1))


async def coroutine(x):
    return x


def test_what_is_left_alone():
    with pytest.raises(TypeError, match='coroutine'):
        convert_to_static(coroutine)
    for fn in (
        abs,
        np.mean,
        paddle.tanh,
        paddle.nn.functional.softmax,
        traceback.format_exc,
        convert_call,
    ):
        assert convert_to_static(fn) is fn
    made = {}
    exec('def f(x):\n    return x if x else 1', made)
    assert convert_to_static(made['f']) is made['f']  # no source

    @paddle.jit.not_to_static
    def plain(x):
        return len([x]) if x else None

    assert convert_to_static(plain) is plain


def test_source():
    text = converted_source(dy2static_cases.early_return)
    assert 'if_return' in text and 'x * 2' in text
    compile(text, 'converted', 'exec')
    assert paddle.jit.to_static(dy2static_cases.early_return, full_graph=True).code == text


def test_signature_and_state():
    fn = dy2static_cases.python_values
    new = convert_to_static(fn)
    assert (
        new.__defaults__ == fn.__defaults__
        and new.__name__ == fn.__name__
        and new.__globals__ is fn.__globals__
    )
    holder = dy2static_object_cases.Holder(vector(1, 2))
    assert convert_to_static(holder.step)(vector(3, 4), n=2).numpy().tolist() == [
        5,
        6,
    ] and holder.v.numpy().tolist() == [5, 6]


def both_ways(x, w):
    if x.sum() > 0:
        y = x * w
    else:
        y = w * 2
    i = 0
    while i < x.shape[0]:
        y = y + x[i] * w
        i += 1
    return y.sum()


def test_training():
    for sign in (1, -1):
        grads = []
        for fn in (both_ways, paddle.jit.to_static(both_ways, full_graph=True)):
            w = vector(2, 3)
            w.stop_gradient = False
            fn(vector(sign, sign * 2), w).backward()
            grads.append(w.grad.numpy())
        np.testing.assert_allclose(grads[1], grads[0], rtol=1e-6)


def checked(x):
    print('checked', x, 'end')
    assert x.sum() > 0, 'positive'
    return x + 1


def test_assert_and_print(capfd):
    assert record(checked, [vector(1, 2)])[0].tolist() == [2, 3]
    assert 'checked' in capfd.readouterr().out
    with pytest.raises(ValueError):
        record(checked, [vector(-1, -2)])
    with pytest.raises(AssertionError, match='positive'):
        convert_to_static(checked)(vector(-1, -2))


def test_lambda_is_told_by_its_parameters_where_code_has_no_columns():
    from paddle.jit.dy2static.source import function_tree

    first, second = (lambda x, *more: x), (lambda: 2)
    for function, count in ((first, 1), (second, 0)):
        code = function.__code__
        if hasattr(code, 'co_positions'):
            code = code.replace(co_linetable=b'')
        assert len(function_tree(code).args.args) == count
