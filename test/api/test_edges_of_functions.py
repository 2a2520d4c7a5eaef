# SPDX-License-Identifier: Apache-2.0
"""Functions at their edges: no elements, weights of zero, sums beyond a half, plain numbers."""

import numpy as np
import pytest

import paddle
import paddle.incubate.nn.functional as fused
import paddle.nn.functional as F
from paddle import distribution


def run_program(function, feeds, shapes):
    """What a program of `function` fetches, whose inputs are declared with these shapes."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            given = [
                paddle.static.data(f'x{i}', shape, str(a.dtype))
                for i, (a, shape) in enumerate(zip(feeds, shapes))
            ]
            fetches = function(*given)
        return paddle.static.Executor().run(
            main, feed={f'x{i}': a for i, a in enumerate(feeds)}, fetch_list=[fetches]
        )[0]
    finally:
        paddle.disable_static()


@pytest.mark.parametrize(
    'extents, shape, wanted',
    [
        ([0, 3], [0, -1], [0, 3]),
        ([0, 3], [-1, 0], [3, 0]),
        ([0, 3, 4], [0, -1], [0, 12]),
        ([0, 3, 4], [2, -1, 0], [2, 6, 0]),
        ([3, 0, 4], [0, -1, 4], [0, 3, 4]),
        ([0, 0, 5], [0, 0, -1], [0, 0, 5]),
        ([0, 3, 4], [-1, 6], [0, 6]),
        # Zeros that are more than x has stand for x's extents, as in a batch with elements.
        ([0, 3, 4], [0, 0, -1], [0, 3, 4]),
        ([0, 6], [0, 0, -1], [0, 6, 1]),
    ],
)
def test_reshape_of_nothing_finds_the_extent(extents, shape, wanted):
    assert list(paddle.zeros(extents).reshape(shape).shape) == wanted


@pytest.mark.parametrize('shape', [[0, -1], [0, 0, -1], [-1, 12]])
def test_reshape_of_an_empty_batch_in_a_program(shape):
    none, two = (
        run_program(lambda x: x.reshape(shape), [np.zeros([n, 3, 4], 'float32')], [[-1, 3, 4]])
        for n in (0, 2)
    )
    assert none.shape == (0, *two.shape[1:])


X = np.random.RandomState(0).randn(2, 3, 4).astype('float32')


@pytest.mark.parametrize('extent', [-1, 4])
@pytest.mark.parametrize('reduction', ['mean', 'sum', 'none'])
def test_nll_loss_of_a_batch_that_comes_later(extent, reduction):
    label = np.array([[0, 1, 2, 0], [1, 1, 0, 2]])
    got = run_program(
        lambda x, y: F.nll_loss(x, y, reduction=reduction),
        [X, label],
        [[-1, 3, extent], [-1, extent]],
    )
    want = F.nll_loss(paddle.to_tensor(X), paddle.to_tensor(label), reduction=reduction)
    np.testing.assert_allclose(got, want.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    'shape, n', [([-1, 3, 4], 6), ([-1, -1, 4], 6), ([-1, -1, -1], 2), ([2, -1, 4], 3)]
)
def test_fft_of_extents_that_come_later(shape, n):
    got = run_program(lambda x: paddle.fft.fft(x, n=n, axis=1), [X], [shape])
    np.testing.assert_allclose(got, np.fft.fft(X, n, axis=1), atol=1e-5)


def test_svd_of_a_batch_that_comes_later():
    got = run_program(lambda x: paddle.linalg.svd_lowrank(x, 3)[1], [X], [[-1, 3, 4]])
    np.testing.assert_allclose(got, np.linalg.svd(X)[1], rtol=1e-4)


def test_suppression_takes_its_arguments_into_account():
    boxes = paddle.to_tensor([[0.0, 0, 2, 2], [0, 0, 2, 2.1], [3, 3, 5, 5]])
    assert paddle.vision.ops.nms(boxes, 0.5, top_k=1).tolist() == [0]
    with pytest.raises(ValueError, match=r'\[nms\] expected scores'):
        paddle.vision.ops.nms(
            boxes, 0.5, category_idxs=paddle.to_tensor([0, 1, 0]), categories=[0, 1]
        )


def test_unpooling_has_as_much_padding_at_both_ends():
    x, places = paddle.ones([1, 1, 2, 2]), paddle.arange(4).reshape([1, 1, 2, 2])
    with pytest.raises(ValueError, match=r'\[max_unpool2d\] expected padding as an int or 2 ints'):
        F.max_unpool2d(x, places, 2, padding=[0, 1, 0, 0])


@pytest.mark.parametrize(
    'extents, shape', [([0, 3], [0, -1, 4]), ([0], [0, 0, -1]), ([0, 0, 5], [0, -1])]
)
def test_reshape_of_nothing_refuses_any_extent(extents, shape):
    with pytest.raises(ValueError, match=r'\[reshape\] expected a shape in which one extent'):
        paddle.zeros(extents).reshape(shape)


def test_sums_over_no_elements():
    a, b = paddle.zeros([2, 3, 0]), paddle.zeros([0, 4])
    assert paddle.tensordot(a, b, 1).tolist() == np.zeros([2, 3, 4]).tolist()
    assert paddle.inner(a, paddle.zeros([5, 0])).shape == [2, 3, 5]
    assert paddle.unflatten(paddle.zeros([0, 6]), 1, [2, -1]).shape == [0, 2, 3]


@pytest.mark.parametrize('function, lead', [(paddle.addmm, []), (paddle.baddbmm, [1])])
def test_a_weight_of_zero_leaves_the_term_out(function, lead):
    nan, x, y = (
        paddle.full([*lead, *s], v) for s, v in (((2, 2), np.nan), ((2, 3), 1), ((3, 2), 1))
    )
    nan.stop_gradient = False
    out = function(nan, x, y, beta=0)
    assert out.flatten().tolist() == [3.0] * 4
    out.sum().backward()
    assert nan.grad.flatten().tolist() == [0.0] * 4
    ones = paddle.ones([*lead, 2, 2])
    assert function(ones, x * np.inf, y, beta=2, alpha=0).flatten().tolist() == [2.0] * 4


@pytest.mark.parametrize('dtype', ['float16', 'bfloat16'])
def test_squares_beyond_a_half(dtype):
    x = paddle.to_tensor([0.0, 1000.0, 2000.0]).astype(dtype)
    assert (x.std().dtype, float(x.std())) == (x.dtype, 1000.0)
    many = paddle.to_tensor([1.0, -1.0] * 50000).astype(dtype) * 2
    assert (many.var().dtype, float(many.var())) == (x.dtype, 4.0)
    many.stop_gradient = False
    many.var().backward()
    assert many.grad.dtype == x.dtype and bool(paddle.isfinite(many.grad).all())


def test_assign_of_a_number_has_one_axis():
    for number in (3, 2.5, True, 1j, np.float32(3)):
        assert paddle.assign(number).shape == [1]
    assert paddle.assign(np.array(3.0)).shape == []
    out = paddle.zeros([1])
    assert paddle.assign(2.0, out).tolist() == [2.0] == out.tolist()


S = np.eye(3, dtype='float32') * 2 + 0.5
IMAGE = np.random.RandomState(1).randn(2, 4, 5, 5).astype('float32')


def _embedding_by_frequency(x, weight):
    weight.stop_gradient = False
    found = F.embedding(x, weight, scale_grad_by_freq=True)
    return paddle.grad([(found * found).sum()], [weight])[0]


@pytest.mark.parametrize(
    'function, feeds',
    [
        (lambda x: paddle.linalg.matrix_exp(x), [S]),
        (lambda x: paddle.linalg.cholesky_inverse(x), [np.linalg.cholesky(S)]),
        (lambda x: paddle.linalg.cond(x, p=1), [S]),
        (paddle.linalg.householder_product, [X.transpose(0, 2, 1).copy(), X[:, 0, :3]]),
        (paddle.linalg.ormqr, [X[0], X[1, 0, :3], X[1, :, :2].copy()]),
        (F.embedding, [np.array([[0, 2], [1, 1]]), X[0]]),
        (_embedding_by_frequency, [np.array([[0, 2], [1, 1]]), X[0]]),
        (lambda x, w: F.embedding(x, w, padding_idx=1), [np.array([[0, 2], [1, 1]]), X[0]]),
        (
            lambda x, y, w: F.cross_entropy(x, y, weight=w),
            [X[0], np.array([0, 3, 1]), S[0, [0] * 4]],
        ),
        (lambda x, y: F.dice_loss(x, y), [X[0], np.array([[0], [3], [1]])]),
    ],
)
def test_extents_that_come_later(function, feeds):
    wanted = function(*[paddle.to_tensor(a) for a in feeds]).numpy()
    for first in (1, None):  # the first of each, then all
        shapes = [[-1, *a.shape[1:]] if first else [-1] * a.ndim for a in feeds]
        np.testing.assert_allclose(
            run_program(function, feeds, shapes), wanted, rtol=1e-5, atol=1e-6
        )


def test_rank_of_a_matrix_whose_extents_come_later():
    found = run_program(lambda x: paddle.linalg.svd_lowrank(x, q=3)[1], [X[0]], [[-1, -1]])
    np.testing.assert_allclose(found, np.linalg.svd(X[0])[1], rtol=1e-4)
    for shape, q in (([-1, 4], None), ([-1, 4], 5)):
        with pytest.raises(ValueError, match=r'^\[svd_lowrank\] expected q .*got (None|5)$'):
            run_program(lambda x, q=q: paddle.linalg.svd_lowrank(x, q=q)[1], [X[0]], [shape])


def test_convolution_of_groups_that_come_later():
    weight = IMAGE[:, :2, :3, :3].copy()
    wanted = F.conv2d(paddle.to_tensor(IMAGE), paddle.to_tensor(weight), groups=2).numpy()
    found = run_program(
        lambda x, w: F.conv2d(x, w, groups=2), [IMAGE, weight], [IMAGE.shape, [-1, 2, 3, 3]]
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    'function, name',
    [
        (lambda x: F.adaptive_avg_pool2d(x, [None, 3]), 'adaptive_avg_pool2d'),
        (lambda x: F.adaptive_max_pool2d(x, [None, 3]), 'adaptive_max_pool2d'),
        (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2), 'max_unpool2d'),
    ],
)
def test_pooling_says_that_it_needs_the_extents(function, name):
    with pytest.raises(ValueError, match=rf'^\[{name}\] expected known .*extents.*got shape \['):
        run_program(function, [IMAGE], [[2, 4, -1, -1]])


@pytest.mark.parametrize('padding_idx', [-4, 3, -5])
def test_embedding_refuses_rows_it_lacks(padding_idx):
    with pytest.raises(ValueError, match=rf'from -3 to 2, got {padding_idx}$'):
        F.embedding(paddle.to_tensor([0]), paddle.ones([3, 2]), padding_idx=padding_idx)


Q = np.random.RandomState(2).randn(2, 4, 2, 8).astype('float32')
ROWS = Q.reshape(2, 4, 16)
PLACES = np.array([[0, 2, 1, 3], [3, 3, 0, 1]])


def _multi_transformer(x, lengths, angles):
    one, square = paddle.ones([16]), paddle.eye(16) * 0.5
    qkv = paddle.concat([square, square, square]).reshape([3, 2, 8, 16])
    return fused.fused_multi_transformer(
        x,
        [one],
        [one],
        [qkv],
        None,
        [square],
        None,
        [one],
        [one],
        [square],
        None,
        [square],
        None,
        rotary_embs=angles,
        rotary_emb_dims=1,
        seq_lens=lengths,
    )


def _attention(x):
    weight = paddle.ones([3, 2, 8, 16]) * 0.1
    rates = {'dropout_rate': 0.0, 'attn_dropout_rate': 0.0}
    return fused.fused_multi_head_attention(x, weight, paddle.eye(16), pre_layer_norm=True, **rates)


def _of_lengths(q, queries, keys):
    return fused.variable_length_memory_efficient_attention(
        q, q, q, queries.astype('int32'), keys.astype('int32') + 1, causal=True
    )


def _rotated(q, sin=None, cos=None, places=None, **options):
    return fused.fused_rotary_position_embedding(
        q, sin=sin, cos=cos, position_ids=places, **options
    )[0]


@pytest.mark.parametrize(
    'function, feeds, shapes',
    [
        (_rotated, [Q], [[-1, -1, 2, 8]]),
        (lambda q: _rotated(q, use_neox_rotary_style=False), [Q], [[-1, -1, 2, 8]]),
        (lambda q: _rotated(q, time_major=True), [Q], [[-1, -1, 2, 8]]),
        (
            _rotated,
            [Q, Q[0, :, 0], Q[1, :, 0], PLACES],
            [[-1, -1, 2, 8], [-1, 8], [-1, 8], [-1, -1]],
        ),
        (_attention, [ROWS], [[-1, -1, 16]]),
        (
            _of_lengths,
            [Q.transpose(0, 2, 1, 3).copy(), PLACES[:, :1], PLACES[:, 1:2]],
            [[-1, 2, -1, 8], [-1, 1], [-1, 1]],
        ),
        (fused.moe_combine, [Q[0, :, 0], Q[0, :, 0, :2], PLACES], [[-1, 8], [-1, 2], [2, -1]]),
        (
            _multi_transformer,
            [ROWS, np.array([[4], [3]]), np.ones([2, 2, 1, 4, 8], 'float32')],
            [[-1, -1, 16], [-1, 1], [2, 2, 1, 4, 8]],
        ),
    ],
)
def test_batches_and_lengths_that_come_later(function, feeds, shapes):
    wanted = function(*[paddle.to_tensor(a) for a in feeds]).numpy()
    np.testing.assert_allclose(run_program(function, feeds, shapes), wanted, rtol=1e-5, atol=1e-6)


def _convolved(n, weight, stride, dilation=1, last=False):
    def convolve(x):
        function = (F.conv1d, F.conv2d, F.conv3d)[n - 1]
        form = ('NLC', 'NHWC', 'NDHWC')[n - 1] if last else ('NCL', 'NCHW', 'NCDHW')[n - 1]
        return function(
            x,
            paddle.assign(weight),
            stride=stride,
            padding='SAME',
            dilation=dilation,
            data_format=form,
        )

    return convolve


@pytest.mark.parametrize(
    'function, image',
    [
        (_convolved(1, IMAGE[:, :, :3, 0], 2), IMAGE[:, :, :, 0]),
        (_convolved(1, IMAGE[:, :, :3, 0], 1), IMAGE[:, :, :, 0]),
        (_convolved(2, IMAGE[:, :, :3, :2], 1), IMAGE),
        (_convolved(2, IMAGE[:, :, :3, :2], 2), IMAGE),
        (_convolved(2, IMAGE[:, :, :3, :2], [3, 1]), IMAGE),
        (_convolved(2, IMAGE[:, :, :1, :1], 2), IMAGE),
        (_convolved(2, IMAGE[:, :, :3, :2], 2, 2), IMAGE),
        (_convolved(2, IMAGE[:, :, :3, :3], 2, 1, True), IMAGE.transpose(0, 2, 3, 1)),
        (_convolved(3, IMAGE[:, :, :3, :3, None], 2), IMAGE[..., None] + np.ones(3, 'float32')),
        (paddle.nn.Conv2D(4, 6, 3, padding='same', stride=2), IMAGE),
        (lambda x: F.max_pool2d(x, 3, 1, 'SAME'), IMAGE),
        (lambda x: F.avg_pool2d(x, 2, 1, 'SAME'), IMAGE),
    ],
)
def test_padding_alike_of_images_whose_extents_come_later(function, image):
    image = np.ascontiguousarray(image)
    wanted = function(paddle.to_tensor(image)).numpy()
    shape = [-1] * image.ndim
    shape[1 if image.shape[1] == 4 else -1] = 4  # channels
    found = run_program(function, [image], [shape])
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize('cell', [paddle.nn.SimpleRNNCell, paddle.nn.GRUCell, paddle.nn.LSTMCell])
def test_cells_begin_with_a_batch_that_comes_later(cell):
    for make in (lambda: cell(4, 3), lambda: paddle.nn.RNN(cell(4, 3))):
        paddle.seed(1)
        made = make()
        x = X if isinstance(made, paddle.nn.RNN) else X[0]
        wanted = made(paddle.to_tensor(x))[0].numpy()
        traced = paddle.jit.to_static(
            lambda x, made=made: made(x)[0],
            input_spec=[paddle.static.InputSpec([-1, *x.shape[1:]], 'float32')],
        )
        np.testing.assert_allclose(traced(paddle.to_tensor(x)).numpy(), wanted, rtol=1e-5)


def test_shuffled_channels_of_images_whose_extents_come_later():
    from paddle.vision.models.shufflenetv2 import channel_shuffle

    found = run_program(lambda x: channel_shuffle(x, 2), [IMAGE], [[-1, 4, -1, -1]])
    np.testing.assert_array_equal(found, IMAGE[:, [0, 2, 1, 3]])


POSITIVE = np.abs(X[0]) + 0.1
UNIT = np.stack([np.eye(3, dtype='float32') * 2] * 2)


@pytest.mark.parametrize(
    'function, feeds',
    [
        (lambda a: distribution.Dirichlet(a).entropy(), [POSITIVE]),
        (lambda m, s: distribution.MultivariateNormal(m, s).log_prob(m + 0.5), [X[:, 0, :3], UNIT]),
        (lambda m, s: distribution.MultivariateNormal(m, s).entropy(), [X[:, 0, :3], UNIT]),
        (
            lambda m, s: distribution.MultivariateNormal(m, s).kl_divergence(
                distribution.MultivariateNormal(m + 1.0, s)
            ),
            [X[:, 0, :3], UNIT],
        ),
        (lambda x: distribution.StickBreakingTransform().forward(x), [X[0]]),
        (
            lambda x: distribution.StickBreakingTransform().forward_log_det_jacobian(x),
            [X[0, :, :1]],
        ),
        (lambda x: distribution.StickBreakingTransform().inverse(x), [POSITIVE * 0.01]),
        (lambda a, b: distribution.StudentT(b, a, b).log_prob(a + 0.5), [X[0], POSITIVE]),
        (lambda a: distribution.Chi2(a).entropy(), [POSITIVE]),
        (lambda a: distribution.Geometric(a / 8).entropy(), [POSITIVE]),
        (lambda a: paddle.normal(a, paddle.zeros_like(a)), [X[0]]),
        (lambda a: paddle.normal(a, 0.0), [X[0]]),
        (lambda a: paddle.randint_like(a, 3, 4), [X[0]]),
    ],
)
def test_distributions_whose_extents_come_later(function, feeds):
    wanted = function(*[paddle.to_tensor(a) for a in feeds]).numpy()
    for shapes in ([[-1, *a.shape[1:]] for a in feeds], [[-1] * a.ndim for a in feeds]):
        found = run_program(function, feeds, shapes)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_the_empty_cache_of_a_batch_that_comes_later():
    x = np.zeros([2, 3, 8], 'float32')
    found = run_program(
        lambda x: paddle.nn.MultiHeadAttention(8, 2).gen_cache(x).k, [x], [[-1, 3, 8]]
    )
    assert found.shape == (2, 2, 0, 4)


def test_the_inverse_transform_of_a_batch_that_comes_later():
    def function(x):
        return paddle.signal.istft(paddle.signal.stft(x, 16, 4), 16, 4, length=80)

    x = np.random.RandomState(3).randn(2, 64).astype('float32')
    wanted = function(paddle.to_tensor(x)).numpy()
    np.testing.assert_allclose(run_program(function, [x], [[-1, 64]]), wanted, atol=1e-5)


INDEX = np.array([[0, 1]])


@pytest.mark.parametrize(
    'call, text',
    [
        (
            lambda x: paddle.scatter_nd_add(x, paddle.to_tensor([[0.0]]), x[:1]),
            r'^\[scatter_nd_add\] expected an index of dtype int32 or int64, got float32',
        ),
        (
            lambda x: paddle.scatter_nd_add(x, paddle.to_tensor(INDEX), x[:1]),
            r'^\[scatter_nd_add\] expected a last extent of index of at most 1, got 2',
        ),
        (
            lambda x: paddle.index_put(x, (paddle.to_tensor(INDEX[0, :1]),), x),
            r'^\[index_put\] expected a value that broadcasts to \[1\], got shape \[2\]',
        ),
        (
            lambda x: paddle.nanquantile(x, 0.5, interpolation='cubic'),
            r"^\[nanquantile\] expected a known interpolation, got 'cubic'",
        ),
        (lambda x: paddle.nanquantile(x, 2.0), r'^\[nanquantile\] expected q from 0 '),
    ],
)
def test_errors_name_the_function_that_was_called(call, text):
    with pytest.raises(ValueError, match=text):
        call(paddle.to_tensor([1.0, 2.0]))
