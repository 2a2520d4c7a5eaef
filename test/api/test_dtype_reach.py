# SPDX-License-Identifier: Apache-2.0
"""Functions of complex numbers and of integers beyond the arithmetic ones: values, result types,
gradients.
"""

import numpy as np
import pytest

import paddle

rng = np.random.default_rng(5)
Z = (rng.uniform(-2, 2, 24) + 1j * rng.uniform(-2, 2, 24)).reshape(4, 6)
TINY = np.array([1e-9 + 1e-9j, -1e-7j])


@pytest.mark.parametrize('dtype, tolerance', [('complex64', 1e-6), ('complex128', 1e-13)])
@pytest.mark.parametrize('name', ['expm1', 'log1p', 'log2', 'log10'])
def test_complex_functions(name, dtype, tolerance):
    x = paddle.to_tensor(Z.astype(dtype), stop_gradient=False)
    y = getattr(paddle, name)(x)
    want = (np.log(Z) / np.log(2)) if name == 'log2' else getattr(np, name)(Z)
    assert str(y.dtype) == f'paddle.{dtype}'
    np.testing.assert_allclose(y.numpy(), want, rtol=tolerance, atol=tolerance)
    y.backward(paddle.ones_like(y))
    derivative = {
        'expm1': np.exp(Z),
        'log1p': 1 / (1 + Z),
        'log2': 1 / (Z * np.log(2)),
        'log10': 1 / (Z * np.log(10)),
    }[name]
    np.testing.assert_allclose(
        x.grad.numpy(), derivative.conj(), rtol=10 * tolerance, atol=10 * tolerance
    )


def test_complex_functions_are_accurate_near_zero():
    np.testing.assert_allclose(paddle.expm1(paddle.to_tensor(TINY)).numpy(), TINY, rtol=2e-7)
    np.testing.assert_allclose(paddle.log1p(paddle.to_tensor(TINY)).numpy(), TINY, rtol=2e-7)


def test_stanh_sign_and_round_of_complex_numbers():
    x = paddle.to_tensor(Z)
    np.testing.assert_allclose(paddle.stanh(x).numpy(), 1.7159 * np.tanh(0.67 * Z), rtol=1e-6)
    np.testing.assert_allclose(paddle.sign(x).numpy(), Z / abs(Z), rtol=1e-12)
    np.testing.assert_array_equal(paddle.round(x).numpy(), np.round(Z))


def test_special_values_of_complex_numbers():
    z = np.array([1 + 1j, complex(np.nan, 0), complex(0, np.inf), complex(-np.inf, np.nan)])
    x = paddle.to_tensor(z)
    for name in ('isnan', 'isinf', 'isfinite'):
        np.testing.assert_array_equal(getattr(paddle, name)(x).numpy(), getattr(np, name)(z))
    assert paddle.nansum(x[:2]).item() == 1 + 1j


@pytest.mark.parametrize('dtype', ['int32', 'int64', 'int8', 'uint8'])
@pytest.mark.parametrize(
    'name, reference',
    [('digamma', 'digamma'), ('i0', 'i0'), ('i0e', 'i0e'), ('i1', 'i1'), ('i1e', 'i1e')],
)
def test_integers_compute_as_float32(name, reference, dtype):
    special = pytest.importorskip('scipy.special')
    x = np.arange(1, 9).astype(dtype)
    y = getattr(paddle, name)(paddle.to_tensor(x))
    assert y.dtype == paddle.float32
    np.testing.assert_allclose(
        y.numpy(), getattr(special, reference)(x.astype('float64')), rtol=2e-6
    )


def test_angles_of_integers_are_float64():
    x, y = np.array([1, -2, 0]), np.array([3, 0, -1])
    angle = paddle.atan2(paddle.to_tensor(x), paddle.to_tensor(y))
    assert angle.dtype == paddle.float64
    np.testing.assert_allclose(angle.numpy(), np.arctan2(x, y), rtol=1e-15)


@pytest.mark.parametrize('dtype', ['int32', 'int8', 'uint8', 'bool'])
def test_copysign_keeps_integers(dtype):
    x = paddle.to_tensor(np.array([1, 2, 0]).astype(dtype))
    y = paddle.to_tensor(np.array([0, -1 if dtype.startswith('int') else 1, 3]).astype(dtype))
    out = paddle.copysign(x, y)
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(
        out.numpy(), np.array([1, -2 if dtype.startswith('int') else 2, 0]).astype(dtype)
    )


def test_ldexp_computes_in_float32_unless_given_float64():
    for dtype, wide in (
        ('float16', 'float32'),
        ('bfloat16', 'float32'),
        ('int32', 'float32'),
        ('float64', 'float64'),
    ):
        y = paddle.ldexp(paddle.to_tensor([1.5, 3.0]).astype(dtype), paddle.to_tensor([2, -1]))
        assert str(y.dtype) == f'paddle.{wide}'
        np.testing.assert_array_equal(y.numpy(), np.array([4.0 if dtype == 'int32' else 6.0, 1.5]))


def test_softmax_without_an_axis():
    for shape, axis in (((5,), 0), ((3, 4), 1), ((2, 3, 4), 0), ((2, 3, 4, 5), 1)):
        x = paddle.rand(shape)
        np.testing.assert_array_equal(
            paddle.softmax(x).numpy(), paddle.nn.functional.softmax(x, axis).numpy()
        )


def test_distances_of_complex_points_are_real():
    d = paddle.cdist(paddle.to_tensor(Z), paddle.to_tensor(Z))
    assert d.dtype == paddle.float64
    np.testing.assert_allclose(
        d.numpy(), np.sqrt((abs(Z[:, None] - Z[None]) ** 2).sum(-1)), atol=1e-12
    )


def _program_of(call, arrays):
    """The dtype a program says its result has, and the one it gives when it runs."""
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            data = [
                paddle.static.data(f'x{i}', list(a.shape), str(a.dtype))
                for i, a in enumerate(arrays)
            ]
            result = call(*data)
            got = paddle.static.Executor().run(
                feed={f'x{i}': a for i, a in enumerate(arrays)}, fetch_list=[result]
            )[0]
            return str(result.dtype), f'paddle.{got.dtype}', got
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(
    'call, first, second',
    [
        (paddle.dot, [3], [3]),
        (paddle.kron, [2], [3]),
        (paddle.cross, [2, 3], [2, 3]),
        (paddle.dist, [2, 3], [2, 3]),
        (paddle.bmm, [1, 2, 3], [1, 3, 2]),
        (paddle.mv, [2, 3], [3]),
        (lambda x, y: paddle.addmm(x, y, y), [2, 2], [2, 2]),
        (paddle.nn.functional.prelu, [2, 3], [1]),
        (paddle.nn.functional.smooth_l1_loss, [4], [4]),
        (paddle.nn.functional.binary_cross_entropy_with_logits, [4], [4]),
        (paddle.nn.functional.grid_sample, [1, 1, 4, 4], [1, 2, 2, 2]),
        (
            lambda x, g: paddle.nn.functional.grid_sample(x, g, 'nearest'),
            [1, 1, 4, 4],
            [1, 2, 2, 2],
        ),
        (lambda x, v: paddle.masked_scatter(x, x > 0.5, v), [2, 3], [6]),
    ],
    ids='''
        dot kron cross dist bmm mv addmm prelu smooth_l1 bce grid grid_nearest masked_scatter
    '''.split(),
)
@pytest.mark.parametrize(
    'kinds',
    [
        ('float32', 'float64'),
        ('float64', 'float32'),
        ('float32', 'complex64'),
        ('int64', 'float32'),
    ],
    ids='_'.join,
)
def test_recorded_dtype_of_operands_that_differ_is_the_eager_one(call, first, second, kinds):
    arrays = [(rng.uniform(0.1, 3, s)).astype(k) for s, k in zip((first, second), kinds)]
    try:
        eager = call(*map(paddle.to_tensor, arrays))
    except Exception as refused:
        with pytest.raises(type(refused)):
            _program_of(call, arrays)
        return
    said, gave, value = _program_of(call, arrays)
    assert said == gave == str(eager.dtype)
    np.testing.assert_allclose(value, eager.numpy(), rtol=1e-5)
