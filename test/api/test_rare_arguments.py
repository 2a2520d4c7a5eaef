# SPDX-License-Identifier: Apache-2.0
"""Arguments and places that are rarely used have the values of mathematics, or are refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


@pytest.mark.parametrize('shapes', [([6, 1], [6]), ([2, 1], [2, 2]), ([2, 2], [1, 2])])
@pytest.mark.parametrize('loss', [F.binary_cross_entropy, F.binary_cross_entropy_with_logits])
def test_binary_cross_entropy_takes_labels_of_its_shape(loss, shapes):
    with pytest.raises(ValueError, match='label of the input'):
        loss(*map(paddle.ones, shapes))


@pytest.mark.parametrize('name', ['NAdam', 'RAdam'])
def test_state_of_one_value_is_filled(name):
    p = paddle.create_parameter([5], 'float32')
    optimizer = getattr(paddle.optimizer, name)(parameters=[p])
    (p * p).sum().backward()
    optimizer.step()
    for key, state in optimizer.state_dict().items():
        if hasattr(state, 'numpy') and ('moment' not in key or 'decay' in key):
            assert len(set(state.numpy().reshape(-1).tolist())) == 1, key


def test_offset_of_as_strided_counts_whole_elements():
    x = paddle.arange(12, dtype='float32')
    assert paddle.as_strided(x, [3, 2], [1, 3], offset=4).tolist() == [[1, 4], [2, 5], [3, 6]]
    for offset in (1, 2, 6):
        with pytest.raises(ValueError, match='as_strided'):
            paddle.as_strided(x, [3, 2], [1, 3], offset=offset)


@pytest.mark.parametrize('shape', [[2, 3], [2, 3, 4], [2, 3, 4, 5]])
@pytest.mark.parametrize('weighted', [False, True])
@pytest.mark.parametrize('reduction', ['mean', 'sum'])
def test_nll_loss_of_labels_that_do_not_count(shape, weighted, reduction):
    x = paddle.randn(shape)
    x.stop_gradient = False
    label = paddle.full(shape[:1] + shape[2:], 7, 'int64')
    loss = F.nll_loss(
        x, label, paddle.ones([3]) if weighted else None, ignore_index=7, reduction=reduction
    )
    loss.backward()
    assert loss.item() == 0 and not x.grad.numpy().any()


def test_norm_over_two_axes_is_spectral_by_default():
    a = np.array([[1.0, -2, 3], [4, 5, -6]])
    x = paddle.to_tensor(a)
    for norm in (paddle.norm, paddle.linalg.norm):
        np.testing.assert_allclose(norm(x, axis=[0, 1]).item(), np.linalg.norm(a, 2), rtol=1e-12)
        np.testing.assert_allclose(
            norm(x, p=2, axis=[0, 1]).item(), np.linalg.norm(a, 2), rtol=1e-12
        )
        np.testing.assert_allclose(
            norm(x, p='fro', axis=[0, 1]).item(), np.linalg.norm(a), rtol=1e-12
        )
        np.testing.assert_allclose(norm(x).item(), np.linalg.norm(a), rtol=1e-12)


@pytest.mark.parametrize('n', [1, 2, 3])
@pytest.mark.parametrize('padding', ['SAME', 'VALID'])
def test_max_unpool_takes_no_name_of_a_padding(n, padding):
    x = paddle.randn([1, 1] + [4] * n)
    out, mask = getattr(F, f'max_pool{n}d')(x, 2, return_mask=True)
    with pytest.raises(ValueError, match='max_unpool'):
        getattr(F, f'max_unpool{n}d')(out, mask, 2, padding=padding)


@pytest.mark.parametrize('value', [1.5, -0.5, math.nan, math.inf])
def test_binary_cross_entropy_takes_probabilities(value):
    label = paddle.to_tensor([1.0, 0.0])
    with pytest.raises(ValueError, match='binary_cross_entropy'):
        F.binary_cross_entropy(paddle.to_tensor([value, 0.5]), label)
    assert F.binary_cross_entropy(label, label).item() == 0


@pytest.mark.parametrize('dtype', ['float64', 'float16'])
def test_hook_of_a_leaf_keeps_the_dtype(dtype):
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    x.register_hook(lambda g: g.astype(dtype))
    with pytest.raises(RuntimeError, match='hook'):
        (x * x).sum().backward()
    assert x.grad is None


@pytest.mark.parametrize('recorded', [False, True])
@pytest.mark.parametrize(
    'key',
    [
        lambda: ([0, 0],),
        lambda: (paddle.to_tensor([0, 1, 0, -4]),),
        lambda: (paddle.to_tensor([[0, 0], [1, 0]]), paddle.to_tensor([2, 2])),
        lambda: (slice(None), [1, 1, 0]),
        lambda: (paddle.to_tensor([True, False, True, False]),),
        lambda: (slice(1, 3), paddle.to_tensor([0, 0]), slice(0, 2)),
    ],
)
def test_gradient_of_a_value_written_more_than_once(key, recorded):
    # The value that stays gets the gradient: numbers written in its place tell which one it is.
    key = key()[0] if len(key()) == 1 else key()
    like = np.zeros([4, 3, 2])
    places = tuple(
        k.numpy() if isinstance(k, paddle.Tensor) else k
        for k in (key if isinstance(key, tuple) else (key,))
    )
    shape = like[places].shape
    like[places] = 1 + np.arange(math.prod(shape)).reshape(shape)
    weight = np.random.RandomState(0).rand(*like.shape)
    want = np.zeros(math.prod(shape))
    for at in np.argwhere(like):
        want[int(like[tuple(at)]) - 1] = weight[tuple(at)]

    def write(value):
        x = paddle.zeros([4, 3, 2], 'float64')
        x[key] = value
        return (x * paddle.to_tensor(weight)).sum()

    value = paddle.rand(shape, 'float64')
    value.stop_gradient = False
    (paddle.jit.to_static(write, full_graph=True) if recorded else write)(value).backward()
    np.testing.assert_array_equal(value.grad.numpy(), want.reshape(shape))


def test_gradient_of_one_value_for_many_places():
    value = paddle.to_tensor(2.0, stop_gradient=False)
    x = paddle.index_put(paddle.zeros([4]), (paddle.to_tensor([0, 0, 1]),), value)
    x.sum().backward()
    assert value.grad.item() == 2
    value.clear_grad()
    paddle.index_put(
        paddle.zeros([4]), (paddle.to_tensor([0, 0, 1]),), value, accumulate=True
    ).sum().backward()
    assert value.grad.item() == 3


def test_elu_in_place_takes_no_negative_alpha():
    x = paddle.to_tensor([-1.0, 1.0])
    with pytest.raises(AssertionError, match=r'^\[elu_\] .*got -1.0'):
        F.elu_(x, -1.0)
    assert x.tolist() == [-1.0, 1.0] and F.elu_(x, 2.0) is x and x[0] < -1.2


def test_celu_divides_by_alpha():
    for call in (lambda x: F.celu(x, 0), lambda x: F.celu(x, 0.0), paddle.nn.CELU(0)):
        with pytest.raises(ZeroDivisionError, match='alpha'):
            call(paddle.ones([2]))


@pytest.mark.parametrize('size', [5, 6, 7, 8])
@pytest.mark.parametrize('kernel, stride', [(2, 2), (3, 2), (3, 1), (2, 1), (4, 3), (5, 2), (2, 3)])
@pytest.mark.parametrize('n', [1, 2, 3])
def test_same_padding_of_pools_with_a_mask(n, kernel, stride, size):
    pool = getattr(F, f'max_pool{n}d')
    x = paddle.to_tensor(
        np.random.default_rng(size).standard_normal([2, 3] + [size] * n), stop_gradient=False
    )
    want = pool(x, kernel, stride, padding='SAME')
    assert want.shape[2:] == [-(-size // stride)] * n
    out, mask = pool(x, kernel, stride, padding='SAME', return_mask=True)
    np.testing.assert_array_equal(out.numpy(), want.numpy())
    picked = paddle.take_along_axis(
        x.flatten(2), mask.flatten(2).astype('int64'), 2, broadcast=False
    )
    np.testing.assert_array_equal(picked.numpy(), out.flatten(2).numpy())
    np.testing.assert_array_equal(
        paddle.grad(out.sum(), x)[0].numpy(), paddle.grad(want.sum(), x)[0].numpy()
    )


@pytest.mark.parametrize(
    'name',
    [
        'max_pool1d',
        'max_pool2d',
        'max_pool3d',
        'avg_pool1d',
        'avg_pool2d',
        'avg_pool3d',
        'lp_pool1d',
        'lp_pool2d',
    ],
)
def test_valid_padding_rounds_down(name):
    n = int(name[-2])
    arguments = ([2.0] if name.startswith('lp') else []) + [2, 2]
    with pytest.raises(ValueError, match='ceil_mode'):
        getattr(F, name)(paddle.ones([1, 1] + [7] * n), *arguments, padding='VALID', ceil_mode=True)


@pytest.mark.parametrize(
    'mode, data_format, shape, size, want',
    [
        ('bilinear', 'NCHW', [1, 1, 4, 4], [3, 3], [12, 32, 52, 92, 112, 132, 172, 192, 212]),
        (
            'linear',
            'NCW',
            [1, 1, 16],
            [5],
            [16, 64, 112, 160, 208],
        ),  # of 16.5, 64.5, ...; 3.3.1 cuts the weights, too
        ('trilinear', 'NCDHW', [1, 1, 2, 2, 4], [2, 2, 2], [7, 37, 67, 97, 127, 157, 187, 217]),
    ],
)
def test_interpolation_of_images_cuts_fractions(mode, data_format, shape, size, want):
    x = (paddle.arange(16) * 15).astype('uint8').reshape(shape)
    got = F.interpolate(x, size=size, mode=mode, data_format=data_format)
    assert got.dtype == paddle.uint8 and got.flatten().tolist() == want


@pytest.mark.parametrize('align_corners', [False, True])
def test_interpolation_of_images_is_exact(align_corners):
    x = np.random.default_rng(0).integers(0, 256, (4, 5))
    got = F.interpolate(
        paddle.to_tensor(x, 'uint8').reshape([1, 1, 4, 5]),
        [7, 9],
        mode='bilinear',
        align_corners=align_corners,
    )

    def weights(size, out):
        w = np.full((out, size), Fraction(0))
        for o in range(out):
            at = (
                Fraction(o * (size - 1), out - 1)
                if align_corners
                else max(Fraction(2 * o + 1, 2) * Fraction(size, out) - Fraction(1, 2), 0)
            )
            low = min(int(at), size - 1)
            w[o, low] += 1 - (at - low)
            w[o, min(low + 1, size - 1)] += at - low
        return w

    want = weights(4, 7) @ x.astype(object) @ weights(5, 9).T
    assert got.flatten().tolist() == [int(v) for v in want.ravel()]


def test_nearest_neighbours_keep_integers():
    x = paddle.full([1, 1, 2, 2], 2**62 + 1, 'int64')
    assert set(F.interpolate(x, [3, 5], mode='nearest').flatten().tolist()) == {2**62 + 1}


def test_range_is_of_the_default_dtype_and_exact():
    assert paddle.range(1, 5, 2).dtype == paddle.float32 and paddle.range(1, 5, 2).tolist() == [
        1.0,
        3.0,
        5.0,
    ]
    assert paddle.range(2**62 + 1, 2**62 + 4, 2, dtype='int64').tolist() == [2**62 + 1, 2**62 + 3]
    assert paddle.range(5, 1, -2).tolist() == [5.0, 3.0, 1.0] and paddle.range(
        1, 2.2, 0.5
    ).tolist() == [1.0, 1.5, 2.0]


def test_probabilities_of_programs_are_checked_when_they_run():
    label = paddle.to_tensor([1.0, 0.0])
    compiled = paddle.jit.to_static(lambda x: F.binary_cross_entropy(x, label), full_graph=True)
    good = paddle.to_tensor([0.25, 0.5])
    np.testing.assert_array_equal(
        compiled(good).numpy(), F.binary_cross_entropy(good, label).numpy()
    )
    with pytest.raises(ValueError, match='binary_cross_entropy'):
        compiled(paddle.to_tensor([1.5, 0.5]))
    loss = paddle.jit.to_static(lambda x: F.binary_cross_entropy(x, label))
    for _ in range(3):
        x = paddle.to_tensor([0.25, 0.5], stop_gradient=False)
        loss(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), [-2.0, 1.0], rtol=1e-6)
    with pytest.raises(ValueError, match='binary_cross_entropy'):
        loss(paddle.to_tensor([1.5, 0.5], stop_gradient=False))


def test_unknown_activation_of_scale():
    x = paddle.ones([2])
    for call in (paddle.scale, paddle.scale_):
        with pytest.raises(AttributeError, match=r"\[scale\] expected 'act'.*'xx'"):
            call(x, 2.0, act='xx')
    assert x.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    'bad',
    [
        dict(weight=paddle.ones([5])),
        dict(bias=paddle.ones([5])),
        dict(momentum='x'),
        dict(eps='x'),
        dict(running_var=paddle.ones([3])),
    ],
)
def test_instance_norm_that_refuses_moves_nothing(bad):
    mean, variance = paddle.zeros([2]), paddle.ones([2])
    with pytest.raises((ValueError, TypeError)):
        F.instance_norm(
            paddle.ones([1, 2, 3]) * 3, **{'running_mean': mean, 'running_var': variance, **bad}
        )
    assert mean.tolist() == [0.0, 0.0] and variance.tolist() == [1.0, 1.0]


def test_dlpack_asks_the_producer():
    class Producer:
        def __init__(self, *known):
            self.tensor, self.known, self.got = paddle.to_tensor([1.0, 2.0]), known, None

        def __dlpack__(self, **keywords):
            if set(keywords) - set(self.known):
                raise TypeError('unexpected keyword')
            self.got = keywords
            return self.tensor.__dlpack__()

    every = ('max_version', 'dl_device', 'copy')
    for device, copy, want in (
        (None, None, {}),
        ('cpu', None, {'dl_device': (1, 0)}),
        (paddle.CPUPlace(), True, {'dl_device': (1, 0), 'copy': True}),
        (None, False, {'copy': False}),
    ):
        producer = Producer(*every)
        shared = paddle.from_dlpack(producer, device=device, copy=copy)
        assert producer.got == {'max_version': (1, 0), **want} and shared.tolist() == [1.0, 2.0]
        assert (shared.data_ptr() == producer.tensor.data_ptr()) == (copy is not True)
    assert paddle.from_dlpack(Producer(), device='cpu').tolist() == [1.0, 2.0]


@pytest.mark.parametrize('axis', [None, 0])
def test_median_writes_the_first_of_two(axis):
    x, values, indices = (
        paddle.to_tensor([3.0, 1.0, 2.0]),
        paddle.empty([0]),
        paddle.empty([0], 'int64'),
    )
    got = paddle.median(x, axis=axis, out=(values, indices))
    assert got is values and values.item() == 2.0
    with pytest.raises(ValueError, match='median'):
        paddle.median(x, axis=axis, out=(values,))


def test_nuclear_norm_is_of_matrices():
    m = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    for axis in (1, [1], 0):
        with pytest.raises(TypeError, match='nuc'):
            paddle.linalg.norm(m, p='nuc', axis=axis)
    with pytest.raises(ValueError, match='nuc'):
        paddle.linalg.norm(m[0], p='nuc')
    assert paddle.linalg.norm(m, p='nuc', axis=[0, 1]).item() == pytest.approx(
        paddle.linalg.norm(m, p='nuc').item()
    )


def test_set_value_of_elements_that_share_memory():
    x = paddle.as_strided(paddle.zeros([1]), [3], [0])
    with pytest.raises(ValueError, match='set_value'):
        x.set_value(np.array([1, 2, 3], 'float32'))
    assert x.tolist() == [0.0, 0.0, 0.0]


PRODUCTS = {
    'swiglu': lambda x, y: paddle.incubate.nn.functional.swiglu(x, y),
    'dot': paddle.dot,
    'kron': paddle.kron,
    'cross': lambda x, y: paddle.cross(x, y, 1),
    'grid_sample': lambda x, y: F.grid_sample(
        x.reshape([1, 1, 3, 3]), y[:2, :2].reshape([1, 2, 1, 2])
    ),
}


@pytest.mark.parametrize('name', PRODUCTS)
@pytest.mark.parametrize('second', ['float32', 'float64', 'bfloat16'])
def test_recorded_dtype_of_two_dtypes(name, second):
    eager = PRODUCTS[name](paddle.ones([3, 3]), paddle.ones([3, 3], second))
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            out = PRODUCTS[name](
                paddle.static.data('x', [3, 3], 'float32'), paddle.static.data('y', [3, 3], second)
            )
            got = (
                paddle.static.Executor().run(
                    feed={'x': np.ones([3, 3], 'float32'), 'y': np.ones([3, 3], second)},
                    fetch_list=[out],
                )
                if second != 'bfloat16'
                else None
            )
    finally:
        paddle.disable_static()
    assert (
        str(out.dtype).rsplit('.', 1)[-1].lower() == str(eager.dtype).rsplit('.', 1)[-1].lower()
        and list(out.shape) == eager.shape
    )
    assert got is None or got[0].dtype.name == str(eager.dtype)[7:]


def test_view_of_the_same_dtype_has_a_gradient():
    for shape in ([2, 3], [], [0, 3]):
        x = paddle.ones(shape)
        x.stop_gradient = False
        for dtype in ('float32', paddle.float32):
            y = x.view(dtype)
            assert not y.stop_gradient and y.shape == shape and y.data_ptr() == x.data_ptr()
        assert paddle.grad((y * 3).sum(), x)[0].tolist() == paddle.full(shape, 3.0).tolist()
    assert paddle.ones([2]).view('int32').dtype == paddle.int32


@pytest.mark.parametrize('triangle', ['L', 'U'])
@pytest.mark.parametrize('dtype', ['float64', 'complex128'])
def test_gradient_of_eigenvectors_is_hermitian(dtype, triangle):
    rng = np.random.default_rng(1)
    parts = rng.standard_normal((2, 3, 3))
    a = parts[0] + (1j * parts[1] if dtype == 'complex128' else 0)
    x = paddle.to_tensor(a + a.conj().T, stop_gradient=False)
    weight = paddle.to_tensor(rng.standard_normal((3, 3)))

    def loss(x):
        values, vectors = paddle.linalg.eigh(x, triangle)
        return (vectors.abs() * weight).sum() + values.exp().sum()

    (g,) = paddle.grad(loss(x), x)
    g = g.numpy()
    np.testing.assert_allclose(g, g.conj().T, atol=1e-12)
    for i, j in ((0, 1), (0, 2), (1, 2), (1, 1)):
        step = np.zeros((3, 3), dtype)
        step[i, j] = step[j, i] = 1e-6
        derivative = (
            loss(x.detach() + paddle.to_tensor(step)) - loss(x.detach() - paddle.to_tensor(step))
        ).item() / 2e-6
        assert derivative == pytest.approx(
            float(np.real(np.sum(np.conj(g) * step))) / 1e-6, rel=1e-6, abs=1e-8
        )


@pytest.mark.parametrize(
    'call',
    [
        lambda x: paddle.pow(x, 1j),
        lambda x: paddle._C_ops.pow(x, 1 - 2j),
        lambda x: paddle.scale(x, 2j),
        lambda x: paddle.scale(x, 2.0, bias=1j),
    ],
)
def test_real_tensors_take_no_complex_numbers(call):
    with pytest.raises(TypeError, match='expected a real number'):
        call(paddle.ones([2]))
    assert call(paddle.ones([2], 'complex64')).dtype == paddle.complex64


def test_conv1d_says_shapes_as_they_were_given():
    conv = paddle.nn.functional.conv1d
    with pytest.raises(ValueError, match=r'weight shape \[4, 2, 3\], got input shape \[2, 3, 5\]'):
        conv(paddle.ones([2, 3, 5]), paddle.ones([4, 2, 3]))
    with pytest.raises(ValueError, match=r'\[conv1d_transpose\].*got input shape \[2, 3, 5\]'):
        paddle.nn.functional.conv1d_transpose(paddle.ones([2, 3, 5]), paddle.ones([4, 2, 3]))
