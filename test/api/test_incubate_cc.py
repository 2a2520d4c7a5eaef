# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate.cc`: functions compiled by their annotations."""

import numpy as np
import paddle
import paddle.incubate.cc as pcc
import paddle.incubate.cc.fuse as fuse
import paddle.incubate.cc.typing as pct
import paddle.nn.functional as F
import pytest

B, M, K = pct.DimVar('B'), pct.DimVar('M', 2, 6), pct.DimVar(4)
T = pct.DTypeVar('T', 'float32', 'float64')


def product(x: pct.Tensor([B, M, K], T), w: pct.Tensor([K, 3], T), b: pct.Tensor([3], T)):
    return fuse.matmul(x, w, lambda y: F.relu(y + b))


def _inputs(batch, rows, dtype='float32'):
    rng = np.random.default_rng(batch)
    shapes = ([batch, rows, 4], [4, 3], [3])
    return [paddle.to_tensor(rng.uniform(-1, 1, s).astype(dtype)) for s in shapes]


def test_one_program_serves_all_sizes_of_a_dtype():
    f = pcc.compile(product)
    for dtype in ('float32', 'float64'):
        for batch, rows in ((1, 2), (5, 3), (2, 6), (0, 4)):
            given = _inputs(batch, rows, dtype)
            result, wanted = f(*given), product(*given)
            assert result.dtype == wanted.dtype and result.stop_gradient
            np.testing.assert_allclose(result.numpy(), wanted.numpy(), rtol=1e-5)
    assert f._run.get_traced_count() == 2
    assert (f.__name__, f.__wrapped__) == ('product', product)


def test_training_has_gradients():
    f = pcc.compile(product, train=True)
    for batch in (2, 3):
        found = []
        for run in (f, product):
            given = _inputs(batch, 2)
            for x in given:
                x.stop_gradient = False
            (run(*given) ** 2).sum().backward()
            found.append([x.grad.numpy() for x in given])
        for ours, plain in zip(*found):
            np.testing.assert_allclose(ours, plain, rtol=1e-5)
    x = _inputs(2, 2)
    x[0].stop_gradient = False
    assert pcc.compile(product)(*x).stop_gradient


def test_control_flow_is_recorded():
    def sign(x: pct.Tensor([B], T)):
        if x.sum() > 0:
            return x * 2
        return -x

    f = pcc.compile(sign, compile_engine='CINN')
    assert f(paddle.to_tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    assert f(paddle.to_tensor([1.0, -2.0, 0.0])).tolist() == [-1.0, 2.0, 0.0]
    assert f._run.get_traced_count() == 1


def test_compiled_within_another_program():
    def double(x: pct.Tensor([B, 2], 'float32')):
        return x * 2

    f = pcc.compile(double, train=True)
    for whole in (False, True):
        outer = paddle.jit.to_static(lambda x: f(x + 1) - x, full_graph=whole)
        for rows in (1, 3, 4, 5, 6):
            x = paddle.ones([rows, 2])
            x.stop_gradient = False
            y = outer(x)
            assert y.tolist() == [[3.0, 3.0]] * rows
            y.sum().backward()
            assert x.grad.tolist() == [[1.0, 1.0]] * rows


@pytest.mark.parametrize(
    ('shapes', 'words'),
    [
        (([2, 3, 4], [4, 2], [3]), r'w of shape \[4, 3\], got \[4, 2\]'),
        (([2, 3, 5], [4, 3], [3]), r'x of shape \[B, M from 2 to 6, 4\] where B is 2 and M is 3'),
        (([2, 9, 4], [4, 3], [3]), r'M from 2 to 6.*got \[2, 9, 4\]'),
        (([3, 4], [4, 3], [3]), r'x of shape \[B, M from 2 to 6, 4\], got \[3, 4\]'),
    ],
)
def test_other_shapes_are_refused(shapes, words):
    with pytest.raises(ValueError, match=r'^\[product\] expected ' + '.*' + words):
        pcc.compile(product)(*map(paddle.ones, shapes))


def test_extents_of_one_name_are_equal():
    def add(x: pct.Tensor([B], T), y: pct.Tensor([B], T)):
        return x + y

    with pytest.raises(ValueError, match=r'expected y of shape \[B\] where B is 3, got \[1\]'):
        pcc.compile(add)(paddle.ones([3]), paddle.ones([1]))


def test_other_dtypes_are_refused():
    f = pcc.compile(product)
    x, w, b = _inputs(2, 2)
    for given in ((x, w), (x, w, b.astype('float64')), (x.astype('int32'), w, b), (x, w, 3.0)):
        with pytest.raises(AssertionError, match=r'^\[product\] expected inputs of dtypes \(floa'):
            f(*given)


def test_annotations_that_are_none():
    def bare(x):
        return x

    def number(x: int):
        return x

    def key(*x: pct.Tensor([B], T)):
        return x

    def two(x: pct.Tensor([B], T), y: pct.Tensor([B], pct.DTypeVar('T', 'int32'))):
        return x

    def text(x: 'pct.Tensor([B], T)'):
        return x + 1

    assert pcc.compile(text)(paddle.ones([2])).tolist() == [2.0, 2.0]
    for function, error in (
        (bare, KeyError),
        (number, TypeError),
        (key, TypeError),
        (two, ValueError),
        (3, TypeError),
    ):
        with pytest.raises(error, match='expected'):
            pcc.compile(function)


def test_options_without_a_meaning_are_refused():
    for options in ({'ap_path': '/x'}, {'backend_device': 'dcu'}, {'target_framework': 'torch'}):
        with pytest.raises(NotImplementedError, match=r'^\[compile\] expected'):
            pcc.compile(product, **options)
    with pytest.raises(AssertionError, match="'PCC' or 'CINN'"):
        pcc.compile(product, compile_engine='XLA')
    with pytest.raises(TypeError, match='epilogue'):
        fuse.matmul(paddle.ones([1, 1]), paddle.ones([1, 1]), None)


def test_words_of_types():
    for arguments in ((2.5,), (None,), (True,)):
        with pytest.raises(TypeError, match=r'^\[DimVar\] expected a name or an int'):
            pct.DimVar(*arguments)
    for arguments in ((-1,), ('B', 3, 2)):
        with pytest.raises(ValueError, match=r'^\[DimVar\] expected'):
            pct.DimVar(*arguments)
    for candidates in ((), (paddle.float32,)):
        with pytest.raises(AssertionError, match=r'^\[DTypeVar\] expected'):
            pct.DTypeVar('T', *candidates)
    assert (T.name, T.candidates, M.max) == ('T', ('float32', 'float64'), 6)


def test_callables_without_a_name():
    class Twice:
        def __call__(self, x: pct.Tensor([2], 'float32')):
            return x * 2

    f = pcc.compile(Twice())
    assert f(paddle.ones([2])).tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match=r'\[Twice\] expected x of shape \[2\], got \[3\]'):
        f(paddle.ones([3]))
