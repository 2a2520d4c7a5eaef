# SPDX-License-Identifier: Apache-2.0
"""Kernels whose stanzas say `ordered` compute the same from strided operands as from others, and so
do their gradients from strided gradients.
"""

import numpy as np
import paddle
import pytest

F = paddle.nn.functional
PICK = paddle.to_tensor([1, 0])
SEGMENTS = paddle.to_tensor([0, 0, 1, 1, 1, 2])
BOX, ONE_BOX = paddle.to_tensor([[1.0, 0.0, 6.0, 7.0]]), paddle.to_tensor([1], 'int32')
SIX = paddle.to_tensor([6], 'int32')
# name: (function, shape of the input)
CASES = {
    'softmax': (lambda x: F.softmax(x, 0), (6, 8)),
    'log_softmax': (F.log_softmax, (6, 8)),
    'cumsum': (lambda x: x.cumsum(1), (6, 8)),
    'cumprod': (lambda x: x.cumprod(1), (6, 8)),
    'logcumsumexp': (lambda x: x.logcumsumexp(1), (6, 8)),
    'cummax': (lambda x: x.cummax(1)[0], (6, 8)),
    'sort': (lambda x: x.sort(0), (6, 8)),
    'topk': (lambda x: x.topk(2, 0)[0], (6, 8)),
    'kthvalue': (lambda x: x.kthvalue(2, 0)[0], (6, 8)),
    'flip': (lambda x: x.flip([0]), (6, 8)),
    'roll': (lambda x: x.roll(1, 0), (6, 8)),
    'repeat_interleave': (lambda x: x.repeat_interleave(2, 0), (6, 8)),
    'pad': (lambda x: F.pad(x, [1, 2, 0, 1]), (6, 8)),
    'gather': (lambda x: x.gather(PICK, 0), (6, 8)),
    'index_select': (lambda x: x.index_select(PICK, 1), (6, 8)),
    'indices': (lambda x: x[PICK], (6, 8)),
    'embedding': (lambda x: F.embedding(PICK, x), (6, 8)),
    'layer_norm': (lambda x: F.layer_norm(x, 8), (6, 8)),
    'cross_entropy': (lambda x: F.cross_entropy(x, paddle.zeros([6], 'int64')), (6, 8)),
    'batch_norm': (
        lambda x: F.batch_norm(x, paddle.zeros([3]), paddle.ones([3]), training=True),
        (2, 3, 8, 8),
    ),
    'depthwise_conv2d': (
        lambda x: paddle._C_ops.depthwise_conv2d(
            x, paddle.ones([3, 1, 2, 2], x.dtype), [1, 1], [0, 0], 'EXPLICIT', 3, [1, 1], 'NCHW'
        ),
        (2, 3, 8, 8),
    ),
    'group_norm': (lambda x: F.group_norm(x, 3), (2, 3, 8, 8)),
    'instance_norm': (F.instance_norm, (2, 3, 8, 8)),
    'max_pool2d': (lambda x: F.max_pool2d(x, 2), (2, 3, 8, 8)),
    'max_pool2d_mask': (lambda x: F.max_pool2d(x, 2, return_mask=True)[0], (2, 3, 8, 8)),
    'avg_pool2d': (lambda x: F.avg_pool2d(x, 2), (2, 3, 8, 8)),
    'unfold': (lambda x: F.unfold(x, 3), (2, 3, 8, 8)),
    'fold': (lambda x: F.fold(x, [8, 8], 3), (2, 9, 36)),
    'segment_mean': (lambda x: paddle.geometric.segment_mean(x, SEGMENTS), (6, 8)),
    'send_u_recv': (lambda x: paddle.geometric.send_u_recv(x, PICK, PICK, 'mean'), (6, 8)),
    'send_ue_recv': (lambda x: paddle.geometric.send_ue_recv(x, x[:2], PICK, PICK, 'mul'), (6, 8)),
    'send_uv': (lambda x: paddle.geometric.send_uv(x, x, PICK, PICK, 'mul'), (6, 8)),
    'margin_cross_entropy': (
        lambda x: F.margin_cross_entropy(F.softmax(x), paddle.zeros([6], 'int64')),
        (6, 8),
    ),
    'roi_align': (lambda x: paddle.vision.ops.roi_align(x, BOX, ONE_BOX, 2), (1, 8, 8, 8)),
    'roi_pool': (lambda x: paddle.vision.ops.roi_pool(x, BOX, ONE_BOX, 2), (1, 8, 8, 8)),
    'psroi_pool': (lambda x: paddle.vision.ops.psroi_pool(x, BOX, ONE_BOX, 2), (1, 8, 8, 8)),
    'conv2d': (lambda x: F.conv2d(x, paddle.full([4, 3, 3, 3], 0.5, x.dtype)), (2, 3, 8, 8)),
    'conv2d_filter': (lambda x: F.conv2d(paddle.full([2, 3, 9, 9], 0.5, x.dtype), x), (4, 3, 3, 3)),
    'conv2d_transpose_filter': (
        lambda x: F.conv2d_transpose(paddle.full([2, 4, 5, 5], 0.5, x.dtype), x),
        (4, 3, 3, 3),
    ),
    'fractional_max_pool2d': (
        lambda x: F.fractional_max_pool2d(x, [4, 4], random_u=0.3),
        (2, 3, 8, 8),
    ),
    'deform_conv2d': (
        lambda x: paddle.vision.ops.deform_conv2d(
            x, x[:, :2, :6, :6].tile([1, 9, 1, 1]) * 0.3, paddle.full([4, 3, 3, 3], 0.5, x.dtype)
        ),
        (2, 3, 8, 8),
    ),
    'logsumexp': (lambda x: x.logsumexp(0), (6, 8)),
    'norm': (lambda x: paddle.norm(x.abs() + 1, p=-2.0, axis=0), (6, 8)),
    'polygamma': (lambda x: paddle.polygamma(x.abs() + 1, 1), (6, 8)),
    'interpolate': (lambda x: F.interpolate(x, [5, 11], mode='bilinear'), (2, 3, 8, 8)),
    'tril': (lambda x: x.tril(), (6, 8)),
    'soft_labels': (lambda x: F.cross_entropy(x, F.softmax(x), soft_label=True), (6, 8)),
}


@pytest.mark.parametrize('dtype', ['float32', 'float16', 'bfloat16'])
@pytest.mark.parametrize('other', ['float32', 'float16'])
@pytest.mark.parametrize(
    'norm', ['batch_norm', 'layer_norm', 'rms_norm', 'group_norm', 'instance_norm']
)
def test_parameters_of_norms(norm, dtype, other):
    """Parameters of another dtype, strided too, give what they give in float32, and get gradients
    of their own dtype and shape."""
    rng = np.random.default_rng(3)
    extent = 3 if norm != 'layer_norm' and norm != 'rms_norm' else 8
    numbers = [rng.standard_normal(n).astype('float16') for n in ((4, 3, 8), extent, extent)]
    stats = [rng.random(3).astype('float32') + 0.5 for _ in range(2)]

    def call(x, scale, bias):
        if norm == 'batch_norm':
            m, v = (paddle.to_tensor(s) for s in stats)
            return F.batch_norm(x, m, v, scale, bias, training=True)
        if norm == 'instance_norm':
            return F.instance_norm(x, weight=scale, bias=bias)
        if norm == 'group_norm':
            return F.group_norm(x, 3, weight=scale, bias=bias)
        if norm == 'layer_norm':
            return F.layer_norm(x, 8, scale, bias)
        return F.rms_norm(x, [8], scale)

    def computed(types, step):
        made = [paddle.to_tensor(n).astype(t) for n, t in zip(numbers, types)]
        given = [made[0]] + [t.repeat_interleave(step)[::step] for t in made[1:]]
        for t in given:
            t.stop_gradient = False
        out = call(*given)
        used = given if norm != 'rms_norm' else given[:2]
        grads = paddle.grad(
            [out], used, [paddle.linspace(-1, 1, 96).reshape([4, 3, 8]).astype(out.dtype)]
        )
        assert [(g.dtype, g.shape) for g in grads] == [(t.dtype, t.shape) for t in used]
        return [out, *grads]

    want = computed(['float32'] * 3, 1)
    for step in (1, 2):
        for w, got in zip(want, computed([dtype, other, other], step)):
            low = {
                got.dtype,
                paddle.to_tensor(0.0).astype(dtype).dtype,
                paddle.to_tensor(0.0).astype(other).dtype,
            }
            eps = 3e-2 if paddle.bfloat16 in low else 4e-3 if paddle.float16 in low else 1e-5
            scale = float(w.abs().max()) + 1
            np.testing.assert_allclose(
                got.astype('float32').numpy(), w.numpy(), rtol=eps, atol=eps * scale
            )


def strided(x):
    """x with its axes in memory from the last to the first."""
    axes = list(range(x.ndim))[::-1]
    return paddle.assign(x.transpose(axes)).transpose(axes)


@pytest.mark.parametrize('dtype', ['float32', 'float16'])
@pytest.mark.parametrize('name', CASES)
def test_strided_operands(name, dtype):
    call, shape = CASES[name]
    values = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    results = []
    for form in (lambda x: x, strided):
        x = paddle.to_tensor(values, stop_gradient=False)
        given = form(x)
        assert given.is_contiguous() == (form is not strided)
        out = call(given)
        weight = paddle.linspace(-1, 1, out.size).reshape(out.shape).cast(dtype)
        (grad,) = paddle.grad([out], [x], [form(weight)])
        results.append((out.numpy(), grad.numpy()))
    tolerance = {'float32': 1e-5, 'float16': 2e-3}[dtype]
    for plain, other in zip(*results):
        np.testing.assert_allclose(other, plain, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize('dtype', ['float32', 'float16'])
def test_strided_operands_without_gradients(dtype):
    rng = np.random.default_rng(1)
    image = paddle.to_tensor(rng.standard_normal((1, 14, 4, 4)).astype(dtype))
    boxes = paddle.to_tensor(np.sort(rng.random((1, 6, 4)), -1).astype('float32'))
    scores = paddle.to_tensor(rng.random((1, 2, 6)).astype('float32'))
    steps = paddle.to_tensor(rng.standard_normal((2, 5, 4)).astype('float32'))
    moves = paddle.to_tensor(rng.standard_normal((4, 4)).astype('float32'))
    weight = paddle.to_tensor(rng.standard_normal((16, 64)).astype(dtype))
    ops, extent = paddle.vision.ops, paddle.to_tensor([[32, 32]], 'int32')
    quantize = paddle.nn.quant.weight_quantize
    for call, *given in (
        (lambda x: ops.yolo_box(x, extent, [2, 3, 4, 5], 2, 0.01, 8), image),
        (
            lambda b, s: ops.matrix_nms(b, s, 0.1, 0.0, 4, 4, return_rois_num=False)[0],
            boxes,
            scores,
        ),
        (lambda x: ops.distribute_fpn_proposals(x, 2, 3, 2, 4, rois_num=SIX)[2], boxes[0]),
        (lambda x, m: paddle.text.viterbi_decode(x, m, paddle.to_tensor([5, 3])), steps, moves),
        (quantize, weight),
        (lambda w, *scale: paddle.nn.quant.weight_dequantize(w, *scale), *quantize(weight)),
    ):
        plain, other = call(*given), call(*map(strided, given))
        several = isinstance(plain, (list, tuple))
        for a, b in zip(plain, other) if several else [(plain, other)]:
            np.testing.assert_array_equal(b.numpy(), a.numpy())


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_strided_matrices(dtype):
    """What kernels of matrices compute in scratch is the same for strided ones."""
    rng = np.random.default_rng(5)
    a = paddle.to_tensor(rng.standard_normal((2, 5, 3)).astype(dtype))
    b = paddle.to_tensor(rng.standard_normal((2, 5, 2)).astype(dtype))
    square = paddle.matmul(a, a, True, False) + paddle.eye(3, dtype=dtype)
    low = paddle.concat([a, a[:, :, :1] * 2], 2)
    for call, *given in (
        (lambda x: paddle.linalg.slogdet(x), square),
        (lambda x: paddle.linalg.matrix_rank(x), low),
        (lambda x: paddle.linalg.matrix_rank(x, tol=paddle.to_tensor([1e-3, 1e3], dtype)), low),
        (lambda x: paddle.linalg.matrix_rank(x, hermitian=True), square),
        (lambda x, y: paddle.linalg.lstsq(x, y, driver='gelsd')[1], a, b),
        (lambda x: x.clone().fill_diagonal_(7.0), a[0]),
    ):
        plain, other = call(*given), call(*map(strided, given))
        np.testing.assert_allclose(other.numpy(), plain.numpy(), rtol=1e-4)
    assert paddle.linalg.matrix_rank(low).tolist() == [3, 3]
    weighed = paddle.geometric.segment_mean(b.reshape([10, 2]), paddle.to_tensor([0] * 4 + [2] * 6))
    np.testing.assert_allclose(
        weighed[2].numpy(), b.reshape([10, 2])[4:].mean(0).numpy(), rtol=1e-5
    )
    assert weighed[1].tolist() == [0, 0]
    x, mask = paddle.to_tensor(a[0].numpy(), stop_gradient=False), strided(a[1] > 0)
    assert not mask.is_contiguous()
    paddle.masked_select(x, mask).sum().backward()
    assert x.grad.tolist() == mask.astype(dtype).tolist()


def test_draws_from_strided_parameters():
    values = paddle.to_tensor(np.random.default_rng(2).random((3, 4)).astype('float32') + 0.5)
    for call in (
        paddle.standard_gamma,
        lambda x: paddle.distribution.Dirichlet(x).sample(),
        lambda x: paddle.binomial((x * 8).floor(), x / 2),
        lambda x: F.class_center_sample((x * 8).cast('int64').flatten(), 16, 14)[0],
    ):
        results = []
        for form in (lambda x: x, strided):
            paddle.seed(5)
            results.append(call(form(values)).numpy())
        np.testing.assert_array_equal(*results)
