# SPDX-License-Identifier: Apache-2.0
"""Repetition, padding, triangles, diagonals, images, reductions and small products: values and
derivatives.
"""

import numpy as np
import pytest
from numeric import check_grad

import paddle
import paddle.nn.functional as F
from paddle import _C_ops

RNG = np.random.RandomState(0)
X = RNG.randn(4, 5)
DTYPES = [
    'bool',
    'uint8',
    'int16',
    'int32',
    'int64',
    'float16',
    'float32',
    'float64',
    'complex64',
    'complex128',
]
PADS = {'constant': 'constant', 'reflect': 'reflect', 'replicate': 'edge', 'circular': 'wrap'}


@pytest.mark.parametrize('dtype', DTYPES)
def test_moves(dtype):
    x = (X * 3).astype(dtype)
    t = paddle.to_tensor(x)
    for got, want in [
        (paddle.tile(t, [2, 1, 3]), np.tile(x, (2, 1, 3))),
        (paddle.flip(t, [0, -1]), x[::-1, ::-1]),
        (paddle.roll(t, [1, -7], [0, 1]), np.roll(x, (1, -7), (0, 1))),
        (paddle.roll(t, 3), np.roll(x, 3)),
        (_C_ops.repeat_interleave(t, 2, 1), np.repeat(x, 2, 1)),
        (paddle.tril(t, -1), np.tril(x, -1)),
        (paddle.triu(t, 1), np.triu(x, 1)),
        (paddle.diagonal(t, 1), np.diagonal(x, 1)),
        (paddle.diag(t[0], -1), np.diag(x[0], -1)),
        (paddle.diag(t, 2), np.diag(x, 2)),
        (paddle.strided_slice(t, [0, 1], [3, 0], [-9, 5], [-2, 2]), x[3::-2, ::2]),
        (_C_ops.pad(t, [1, 0, -1, 2], 1.0), np.pad(x[:, 1:], [(1, 0), (0, 2)], constant_values=1)),
        (paddle.unfold(t, 1, 2, 3), np.stack([x[:, 0:2], x[:, 3:5]], 1)),
        (paddle.crop(t, [2, -1], [1, 2]), x[1:3, 2:]),
        (
            _C_ops.repeat_interleave_with_tensor_index(t, paddle.to_tensor([1, 0, 2, 3]), 0),
            np.repeat(x, [1, 0, 2, 3], 0),
        ),
    ]:
        np.testing.assert_array_equal(got.numpy(), want)
        assert got.numpy().dtype == x.dtype


def test_views_share_memory():
    t = paddle.zeros([4, 4])
    view = paddle.diagonal(t)
    t.add_(paddle.ones([4, 4]))
    assert view.tolist() == [1, 1, 1, 1]
    window = paddle.unfold(t, 0, 2, 1)
    t.add_(paddle.ones([4, 4]))
    assert float(window.max()) == 2


@pytest.mark.parametrize('mode', sorted(PADS))
def test_pad3d(mode):
    x = RNG.randn(2, 3, 4, 5, 6)
    got = _C_ops.pad3d(paddle.to_tensor(x), [1, 2, 0, 1, 2, 0], mode, 0.5, 'NCDHW')
    extra = {'constant_values': 0.5} if mode == 'constant' else {}
    np.testing.assert_array_equal(
        got.numpy(), np.pad(x, [(0, 0), (0, 0), (2, 0), (0, 1), (1, 2)], PADS[mode], **extra)
    )
    check_grad(
        lambda a: _C_ops.pad3d(a * a * a, [1, 2, 0, 1, 1, 0], mode, 0.5, 'NDHWC'),
        RNG.randn(1, 2, 2, 4, 2),
    )


@pytest.mark.parametrize('mode', sorted(PADS))
@pytest.mark.parametrize('dtype', ['bool', 'int8', 'float16', 'int32', 'float64', 'complex128'])
def test_pad_of_elements_of_each_size(mode, dtype):
    x = (RNG.rand(2, 1, 3, 2, 4) * 3).astype(dtype)
    for pads in ([0, 0, 0, 0, 0, 0], [3, 0, 0, 1, 0, 2], [0, 2, 1, 0, 1, 0]):
        got = _C_ops.pad3d(paddle.to_tensor(x), pads, mode, 1.0, 'NCDHW')
        extra = {'constant_values': 1} if mode == 'constant' else {}
        pairs = [(0, 0), (0, 0), *zip(pads[4::-2], pads[5::-2])]
        np.testing.assert_array_equal(got.numpy(), np.pad(x, pairs, PADS[mode], **extra))


@pytest.mark.parametrize('mode', ['reflect', 'replicate', 'circular'])
def test_gradient_of_pad_adds_up_what_reads_an_element(mode):
    # Padded axes in the middle, last and first, and rows whose padding is as wide as they are.
    for shape, pads in (
        ([2, 3, 3, 4, 3], [2, 2, 0, 3, 1, 0]),
        ([1, 2, 2, 3, 5], [0, 0, 0, 0, 1, 1]),
    ):
        x = paddle.to_tensor(RNG.randn(*shape), stop_gradient=False)
        out = _C_ops.pad3d(x, pads, mode, 0.0, 'NCDHW')
        dout = RNG.randn(*out.shape)
        out.backward(paddle.to_tensor(dout))
        places = np.arange(np.prod(shape)).reshape(shape)
        pairs = [(0, 0), (0, 0), *zip(pads[4::-2], pads[5::-2])]
        read = np.pad(places, pairs, PADS[mode])
        want = np.bincount(read.ravel(), dout.ravel(), places.size).reshape(shape)
        np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('dtype', [d for d in DTYPES if d not in ('float16',)])
def test_reductions(dtype):
    x = (RNG.rand(3, 4, 5) * 3).astype(dtype)
    t = paddle.to_tensor(x)
    np.testing.assert_array_equal(paddle.all(t, axis=[0, 2]).numpy(), x.all((0, 2)))
    np.testing.assert_array_equal(
        paddle.any(t, axis=1, keepdim=True).numpy(), x.any(1, keepdims=True)
    )
    np.testing.assert_allclose(_C_ops.prod(t, [1], False, False).numpy(), x.prod(1), rtol=1e-5)
    if not dtype.startswith('complex'):
        np.testing.assert_array_equal(paddle.amax(t, axis=[0, 1]).numpy(), x.max((0, 1)))
        np.testing.assert_array_equal(
            _C_ops.argmax(t, 1, False, False, 'int32').numpy(), x.argmax(1)
        )
        np.testing.assert_array_equal(
            _C_ops.argmin(t, 0, True, True, 'int64').numpy(), [[[x.argmin()]]]
        )


@pytest.mark.parametrize('p', [0.0, 1.0, 2.0, 2.5, 3.0, -1.0, float('inf'), -float('inf')])
def test_p_norm(p):
    got = _C_ops.p_norm(paddle.to_tensor(X), p, 1, 1e-12, False, False)
    np.testing.assert_allclose(got.numpy(), np.linalg.norm(X, p, 1), rtol=1e-10)
    check_grad(lambda a: _C_ops.p_norm(a, p, 1, 1e-12, True, False), X)


def test_gradient_of_a_norm_is_zero_at_zero():
    t = paddle.zeros([3], 'float64')
    t.stop_gradient = False
    _C_ops.p_norm(t, 2.0, -1, 1e-12, False, True).backward()
    np.testing.assert_array_equal(t.grad.numpy(), [0, 0, 0])


REPEATED = {
    'sum': (paddle.sum, lambda x, n: x * n),
    'mean': (paddle.mean, lambda x, n: x),
    'max': (paddle.max, lambda x, n: x),
    'amin': (paddle.amin, lambda x, n: x),
    'norm': (paddle.norm, lambda x, n: np.abs(x) * np.sqrt(n)),
    'logsumexp': (paddle.logsumexp, lambda x, n: x + np.log(n)),
    'nansum': (lambda x, axis=None: paddle.nansum(x, axis), lambda x, n: x * n),
}


@pytest.mark.parametrize('name', REPEATED)
def test_reductions_of_repeated_elements(name):
    function, want = REPEATED[name]
    x = np.array([0.5, -1.5, 3.0], 'float32')
    small = paddle._C_ops.expand(paddle.to_tensor(x).reshape([1, 3, 1]), [7, 3, 5])
    np.testing.assert_allclose(
        function(small, axis=[0, 2]).numpy(), want(x.astype('float64'), 35), rtol=1e-6
    )
    plain = small.numpy()
    np.testing.assert_allclose(
        function(small).numpy(), function(paddle.to_tensor(plain)).numpy(), rtol=2e-6
    )
    if name == 'nansum':  # replaces NaN first, in memory of its own
        return
    large = paddle._C_ops.expand(paddle.to_tensor(x[:1]), [2**20, 2**20])  # calculated at once
    np.testing.assert_allclose(function(large).numpy(), want(np.float64(0.5), 2.0**40), rtol=1e-6)


def test_integer_reductions_of_repeated_elements():
    x = paddle.to_tensor([3, -1])
    many = paddle._C_ops.expand(x.reshape([2, 1]), [2, 2**40 + 1])
    assert paddle.sum(many, 1).tolist() == [3 * (2**40 + 1), -(2**40) - 1]
    assert paddle.prod(many, 1).tolist() == [(pow(3, 2**40 + 1, 2**64) + 2**63) % 2**64 - 2**63, -1]
    assert paddle.count_nonzero(paddle._C_ops.expand(x.reshape([2, 1]), [2, 9]), 1).tolist() == [
        9,
        9,
    ]
    flags = paddle._C_ops.expand(paddle.to_tensor([[True], [False]]), [2, 2**40])
    assert flags.any(1).tolist() == flags.all(1).tolist() == [True, False]
    z = paddle._C_ops.expand(paddle.to_tensor([1 + 2j]), [3, 4])
    assert paddle.sum(z).item() == 12 + 24j and abs(paddle.prod(z).item() - (1 + 2j) ** 12) < 1e-6
    v = paddle._C_ops.expand(paddle.to_tensor([[1.0], [3.0]], 'float64'), [2, 1000])
    np.testing.assert_allclose(paddle.var(v).item(), np.var(v.numpy(), ddof=1))


@pytest.mark.parametrize(
    'function',
    [
        lambda a: _C_ops.prod(a, [0], False, False),
        lambda a: _C_ops.prod(a, [], True, True),
        lambda a: paddle.amax(a * a * a, 0),
        lambda a: paddle.logsumexp(a, [1]),
        lambda a: _C_ops.frobenius_norm(a, [1], True, False),
        _C_ops.squared_l2_norm,
        lambda a: _C_ops.mean_all(a * a),
        lambda a: _C_ops.var(a, [1], False, True, 1.0),
        lambda a: paddle.trace(a * a * a),
        lambda a: paddle.dist(a, a[0] * 2, 3.0),
    ],
)
def test_reduction_gradients(function):
    check_grad(function, X)


def test_prod_gradient_is_exact_at_zero():
    check_grad(lambda a: _C_ops.prod(a, [], False, True), np.array([2.0, 0, 3, 1]))
    check_grad(lambda a: _C_ops.prod(a, [], False, True), np.array([2.0, 0, 3, 0]))


@pytest.mark.parametrize(
    'function',
    [
        lambda a: paddle.tile(a, [2, 1, 3]),
        lambda a: _C_ops.repeat_interleave(a, 3, 1),
        lambda a: paddle.flip(a, [1]),
        lambda a: paddle.roll(a, [2, -1], [1, 0]),
        lambda a: _C_ops.pad(a, [1, 0, -1, 2], 1.0),
        lambda a: paddle.tril(a, 1),
        lambda a: paddle.diag(a, 1),
        lambda a: paddle.diag(a[0], -1),
        lambda a: paddle.diag_embed(a, 1, 0, 2),
        lambda a: paddle.unfold(a, 1, 3, 1),
        lambda a: paddle.strided_slice(a, [0, 1], [3, 0], [-9, 5], [-2, 2]),
        lambda a: _C_ops.fill_diagonal(a, 5.0, 1, False),
        lambda a: paddle.crop(a, [2, 3], [1, 1]),
        lambda a: paddle.add_n([a, a * a]),
        lambda a: _C_ops.unstack(a, 1, 0)[1],
        lambda a: _C_ops.repeat_interleave_with_tensor_index(a, paddle.to_tensor([1, 0, 3, 2]), 0),
        lambda a: paddle.renorm(a, 2.0, 0, 1.0),
        lambda a: paddle.kron(a, a[:2]),
        lambda a: paddle.dot(a, a[::1]),
        lambda a: paddle.mv(a, a[0]),
    ],
)
def test_gradients(function):
    check_grad(lambda a: function(a * a * a), X)


def test_products():
    a, b = RNG.randn(3, 4), RNG.randn(3, 4)
    t, u = paddle.to_tensor(a), paddle.to_tensor(b)
    np.testing.assert_allclose(paddle.dot(t, u).numpy(), (a * b).sum(-1))
    np.testing.assert_allclose(paddle.cross(t, u, axis=0).numpy(), np.cross(a, b, axis=0))
    np.testing.assert_allclose(paddle.cross(t, u).numpy(), np.cross(a, b, axis=0))
    np.testing.assert_allclose(paddle.kron(t, u).numpy(), np.kron(a, b))
    np.testing.assert_allclose(
        paddle.addmm(paddle.ones([3, 3], 'float64'), t, u.T, beta=0.5, alpha=2.0).numpy(),
        0.5 + 2 * a @ b.T,
    )


def test_complex_parts():
    z = RNG.randn(3, 2) + 1j * RNG.randn(3, 2)
    pairs = np.stack([z.real, z.imag], -1)
    np.testing.assert_array_equal(paddle.as_real(paddle.to_tensor(z)).numpy(), pairs)
    np.testing.assert_array_equal(paddle.as_complex(paddle.to_tensor(pairs)).numpy(), z)
    np.testing.assert_array_equal(
        _C_ops.complex(paddle.to_tensor(z.real), paddle.to_tensor(z.imag[0])).numpy(),
        z.real + 1j * z.imag[0],
    )
    np.testing.assert_allclose(paddle.angle(paddle.to_tensor(z)).numpy(), np.angle(z), rtol=1e-12)
    np.testing.assert_allclose(
        paddle.angle(paddle.to_tensor([-1.0, 2.0, np.nan])).numpy(), [np.pi, 0, np.nan], rtol=1e-6
    )
    check_grad(lambda a: paddle.angle(paddle.as_complex(a)), pairs)
    check_grad(lambda a, b: paddle.as_real(_C_ops.complex(a, b) * _C_ops.complex(b, a)), X, X[0])


def test_closeness():
    a, b = paddle.to_tensor([1.0, np.nan, np.inf]), paddle.to_tensor([1.0 + 1e-9, np.nan, np.inf])
    assert paddle.isclose(a, b).tolist() == [True, False, True]
    assert bool(paddle.allclose(a, b, equal_nan=True)) and not bool(paddle.allclose(a, b))
    assert not bool(paddle.equal_all(a, a[:2])) and bool(paddle.equal_all(a[:1], a[:1]))


@pytest.mark.parametrize('dtype', ['uint8', 'int8', 'int16', 'int32', 'int64'])
def test_shifts(dtype):
    x, y = (RNG.randint(-100, 100, 50)).astype(dtype), RNG.randint(0, 7, 50).astype(dtype)
    t, u = paddle.to_tensor(x), paddle.to_tensor(y)
    np.testing.assert_array_equal(paddle.bitwise_left_shift(t, u).numpy(), x << y)
    np.testing.assert_array_equal(paddle.bitwise_right_shift(t, u).numpy(), x >> y)
    unsigned = x.view('u' + dtype.lstrip('u'))
    np.testing.assert_array_equal(
        paddle.bitwise_right_shift(t, u, is_arithmetic=False).numpy(),
        (unsigned >> y.view(unsigned.dtype)).view(dtype),
    )


def test_blocks_of_images():
    x = RNG.randn(2, 3, 5, 6)
    got = F.unfold(
        paddle.to_tensor(x), [2, 3], strides=2, paddings=[1, 0, 1, 2], dilations=[1, 2]
    ).numpy()
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (0, 2)])
    columns = [
        padded[:, :, r : r + 2, c : c + 5 : 2].reshape(2, -1)
        for r in range(0, 6, 2)
        for c in range(0, 4, 2)
    ]
    np.testing.assert_array_equal(got, np.stack(columns, -1))
    ones = F.fold(F.unfold(paddle.ones([1, 1, 4, 4]), 2), [4, 4], 2).numpy()[0, 0]
    np.testing.assert_array_equal(ones, np.outer([1, 2, 2, 1], [1, 2, 2, 1]))
    check_grad(
        lambda a: F.unfold(a * a * a, [2, 3], strides=2, paddings=[1, 0, 1, 2], dilations=[1, 2]), x
    )
    check_grad(lambda a: F.fold(a * a * a, [4, 5], [2, 2], paddings=1), RNG.randn(1, 4, 30))


@pytest.mark.parametrize('mode', ['nearest', 'bilinear', 'bicubic'])
def test_resampling(mode):
    x = RNG.randn(1, 2, 3, 4)
    t = paddle.to_tensor(x)
    np.testing.assert_allclose(F.interpolate(t, size=[3, 4], mode=mode).numpy(), x, rtol=1e-12)
    flat = F.interpolate(paddle.full([1, 1, 3, 5], 2.5), size=[7, 4], mode=mode)
    np.testing.assert_allclose(flat.numpy(), 2.5, rtol=1e-6)
    if mode == 'nearest':
        np.testing.assert_array_equal(
            F.interpolate(t, scale_factor=3, mode=mode).numpy(), x.repeat(3, 2).repeat(3, 3)
        )
    if mode == 'bilinear':
        line = F.interpolate(
            paddle.to_tensor([[[[0.0, 3.0]]]]), size=[1, 4], mode=mode, align_corners=True
        )
        np.testing.assert_allclose(line.numpy().ravel(), [0, 1, 2, 3], rtol=1e-6)
    check_grad(lambda a: F.interpolate(a * a * a, size=[5, 3], mode=mode), x)


def test_resampling_to_one_element():
    """Of pictures it is where they begin, as in PaddlePaddle; of lines and volumes the middle."""
    x = paddle.to_tensor(np.arange(12.0).reshape(1, 1, 3, 4) ** 2)

    def of(x, **given):
        return F.interpolate(x, **given).numpy().ravel()

    for given in ({'size': [1, 1]}, {'scale_factor': 0.34}):
        np.testing.assert_allclose(of(x, mode='bilinear', **given), [0])
        np.testing.assert_allclose(of(x, mode='bicubic', **given), [-1.5234375])
    np.testing.assert_allclose(of(x, size=[1, 2], mode='bilinear'), [0.5, 6.5])
    last = of(x.transpose([0, 2, 3, 1]), size=[2, 1], mode='bilinear', data_format='NHWC')
    np.testing.assert_allclose(last, [4, 52])
    line = paddle.to_tensor(np.arange(5.0).reshape(1, 1, 5) ** 2)
    np.testing.assert_allclose(of(line, size=[1], mode='linear', data_format='NCW'), [4])
    volume = paddle.to_tensor(np.arange(27.0).reshape(1, 1, 3, 3, 3) ** 2)
    middle = of(volume, size=[1, 1, 2], mode='trilinear', data_format='NCDHW')
    np.testing.assert_allclose(middle, [150.25, 189.25])


def test_shuffles_are_inverse():
    x = RNG.randn(2, 8, 3, 4)
    t = paddle.to_tensor(x)
    np.testing.assert_array_equal(F.pixel_unshuffle(F.pixel_shuffle(t, 2), 2).numpy(), x)
    assert F.pixel_shuffle(t, 2).shape == [2, 2, 6, 8]
    np.testing.assert_array_equal(
        F.channel_shuffle(t, 2).numpy(), x.reshape(2, 2, 4, 3, 4).swapaxes(1, 2).reshape(x.shape)
    )


def test_empty():
    t = paddle.zeros([0, 3])
    for out, shape in [
        (paddle.tile(t, [2, 2]), [0, 6]),
        (paddle.flip(t, [0]), [0, 3]),
        (paddle.tril(t), [0, 3]),
        (_C_ops.prod(t, [0], False, False), [3]),
        (paddle.all(t, 0), [3]),
        (_C_ops.cumsum(t, 0, False, False, False), [0, 3]),
        (paddle.diag(t), [0]),
        (paddle.roll(t, 1, 0), [0, 3]),
    ]:
        assert out.shape == shape
    assert (
        paddle.all(t, 0).tolist() == [True] * 3
        and _C_ops.prod(t, [0], False, False).tolist() == [1] * 3
    )


@pytest.mark.parametrize(
    'call',
    [
        lambda t: paddle.tile(t, [-1]),
        lambda t: paddle.flip(t, [0, 0]),
        lambda t: paddle.roll(t, [1, 2], [0]),
        lambda t: paddle.tril(t[0]),
        lambda t: _C_ops.pad(t, [1, 1], 0.0),
        lambda t: paddle.diagonal(t, 0, 0, 0),
        lambda t: paddle.unfold(t, 0, 9, 1),
        lambda t: paddle.unfold(t, 0, 2, 0),
        lambda t: F.pixel_shuffle(t.reshape([1, 4, 1, 5]), 3),
        lambda t: paddle.strided_slice(t, [0], [0], [1], [0]),
        lambda t: paddle.crop(t, [9, 9], [0, 0]),
        lambda t: paddle.cross(t, t),
        lambda t: _C_ops.pad3d(
            t.reshape([1, 1, 1, 4, 5]), [5, 0, 0, 0, 0, 0], 'reflect', 0.0, 'NCDHW'
        ),
        lambda t: paddle.add_n([t, t[:2]]),
        lambda t: _C_ops.amax(t[:0], [0], False),
    ],
)
def test_errors(call):
    with pytest.raises((ValueError, IndexError)):
        call(paddle.to_tensor(X))


def test_dot_of_unequal_shapes():
    with pytest.raises(RuntimeError, match='one shape'):
        paddle.dot(paddle.ones([4, 5]), paddle.ones([2, 5]))


@pytest.mark.parametrize('data_format', ['NCDHW', 'NDHWC'])
@pytest.mark.parametrize('size', [[1, 1, 1], [3, 8, 5], [7, 2, 11]])
def test_nearest_elements_of_volumes(size, data_format):
    x = RNG.randn(2, 3, 3, 4, 5).astype('float32')
    last = data_format == 'NDHWC'
    t = paddle.to_tensor(x.transpose(0, 2, 3, 4, 1).copy() if last else x, stop_gradient=False)
    out = paddle.nn.functional.interpolate(t, size, mode='nearest', data_format=data_format)
    at = [np.arange(o) * n // o for o, n in zip(size, x.shape[2:])]
    want = x[:, :, at[0]][:, :, :, at[1]][:, :, :, :, at[2]]
    got = out.numpy()
    np.testing.assert_array_equal(got.transpose(0, 4, 1, 2, 3) if last else got, want)
    out.sum().backward()
    counts = np.zeros(x.shape[2:])
    np.add.at(counts, np.ix_(*at), 1)
    grad = t.grad.numpy()
    grad = grad.transpose(0, 4, 1, 2, 3) if last else grad
    np.testing.assert_array_equal(grad, np.broadcast_to(counts, x.shape))
