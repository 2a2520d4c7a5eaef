# SPDX-License-Identifier: Apache-2.0
"""Names of PaddlePaddle's bytecode capture: what they ask of compiled functions."""

import pytest

import paddle
from paddle.jit.sot import psdb, symbolic_translate, utils


def ones(*shape):
    return paddle.ones(list(shape or (2,)))


def callee(x):
    psdb.breakgraph()
    return x + 1


def test_translated_functions_are_those_of_to_static():
    def f(x, k=2):
        return x * k

    translated = symbolic_translate(f, training=True, build_strategy=None)
    assert [translated(ones(), k=3).tolist() for _ in range(3)] == [[3.0, 3.0]] * 3
    assert paddle.jit.explain(translated).compiled_calls == 2
    method = symbolic_translate(paddle.nn.Linear(2, 3).forward)
    assert method(ones(1, 2)).shape == [1, 3]
    with pytest.raises(TypeError):
        symbolic_translate(3)
    with pytest.raises(TypeError):
        symbolic_translate(f, full_graph=True)


def test_code_that_is_not_compiled_runs_them_as_nothing():
    assert psdb.breakgraph() is None and psdb.fallback() is None and psdb.fallback(True) is None

    @psdb.check_no_fallback
    @psdb.check_no_breakgraph
    def f(x):
        psdb.breakgraph()
        psdb.fallback()
        return x.numpy() + 1

    assert f(ones()).tolist() == [2.0, 2.0]
    paddle.jit.enable_to_static(False)
    try:
        assert paddle.jit.to_static(f)(ones()).tolist() == [2.0, 2.0]
    finally:
        paddle.jit.enable_to_static(True)


def test_assert_true():
    def f(x, most):
        psdb.assert_true(x.shape[0] == 2)
        psdb.assert_true(x.sum() < most)
        return x * 2

    for g in (f, symbolic_translate(psdb.check_no_breakgraph(f))):
        for _ in range(3):
            assert g(ones(), 3.0).tolist() == [2.0, 2.0]
            with pytest.raises(AssertionError):
                g(ones(), 1.0)
            with pytest.raises(AssertionError):
                g(ones(3), 9.0)


@utils.min_graph_size_guard(1)
def test_a_break_ends_a_region():
    def f(x):
        y = x + 1
        psdb.breakgraph()
        return y * 2

    told = paddle.jit.explain(f, ones())
    assert [reason for reason, _ in told.breaks] == ['breakgraph() is called']
    assert len(told.regions) == 2 and all(r.compiled_calls for r in told.regions)


def test_the_smallest_region():
    def f(x):
        y = x + 1
        psdb.breakgraph()
        return y * 2

    with utils.min_graph_size_guard(3):
        assert not paddle.jit.explain(f, ones()).regions
    assert not paddle.jit.explain(f, ones()).regions


@pytest.mark.parametrize('wrap', [symbolic_translate, paddle.jit.to_static])
def test_functions_that_are_to_have_no_break(wrap):
    @psdb.check_no_breakgraph
    def whole(x):
        return x * 2 if x.sum() > 0 else x

    @psdb.check_no_breakgraph
    def broken(x):
        return callee(x) * 2

    @psdb.check_no_breakgraph
    def reads(x):
        return x.numpy() + 1

    assert [wrap(whole)(ones()).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3
    for f in (broken, reads, lambda x: broken(x) + 1):
        translated = wrap(f)
        for _ in range(3):
            with pytest.raises(utils.InnerError, match='compiled as a whole'):
                translated(ones())
    assert [wrap(callee)(ones()).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3
    assert broken(ones()).tolist() == [4.0, 4.0]
    with pytest.raises(TypeError):
        psdb.check_no_breakgraph(3)


def inner(x):
    return (x + 1) * (x + 2) * (x + 3)


@pytest.mark.parametrize('recursive', [False, True])
@utils.min_graph_size_guard(1)
def test_functions_that_fall_back(recursive):
    def outer(x):
        psdb.fallback(recursive)
        return inner(x) * 2

    told = paddle.jit.explain(outer, ones(1))
    assert told.compiled_calls == sum(r.compiled_calls for r in told.regions)
    assert bool(told.compiled_calls) != recursive
    assert symbolic_translate(outer)(ones(1)).item() == 48.0


def test_functions_that_are_not_to_fall_back():
    def outer(x):
        psdb.fallback()
        return inner(x)

    with utils.strict_mode_guard(True):
        with pytest.raises(utils.FallbackError):
            symbolic_translate(outer)(ones())
        with utils.strict_mode_guard(False):
            symbolic_translate(outer)(ones())
        assert symbolic_translate(inner)(ones(1)).item() == 24.0
    translated = symbolic_translate(psdb.check_no_fallback(outer))
    with pytest.raises(utils.InnerError, match='runs as it is'):
        translated(ones())

    @psdb.check_no_fallback
    def reads_its_frame(x):
        print('a break')
        return x * len(locals())

    with pytest.raises(utils.InnerError, match='runs as it is'):
        symbolic_translate(reads_its_frame)(ones())


def test_the_mode_of_functions_that_are_marked():
    from paddle.jit.api import sot_mode_guard

    for value in (True, False):
        with sot_mode_guard(value):
            f = paddle.jit.to_static(lambda x: x + 1)
            g = paddle.jit.to_static(lambda x: x + 1, full_graph=True)
        assert (f._full_graph, g._full_graph) == (not value, True)
    assert not paddle.jit.to_static(lambda x: x + 1)._full_graph


def test_names_by_other_paths():
    from paddle.jit.sot.utils.envs import min_graph_size_guard, strict_mode_guard
    from paddle.jit.sot.utils.exceptions import FallbackError, InnerError

    assert issubclass(InnerError, utils.SotErrorBase) and FallbackError is utils.FallbackError
    assert min_graph_size_guard is utils.min_graph_size_guard
    assert strict_mode_guard is utils.strict_mode_guard
    assert paddle.jit.sot.psdb is psdb
