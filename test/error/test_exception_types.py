# SPDX-License-Identifier: Apache-2.0
"""Bad calls over the public API: the exception type PaddlePaddle 3.3.1 raises, and a message that
says what was given.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F  # noqa: F401: named by the rows
from paddle import linalg, nn  # noqa: F401


def values():
    """The names rows are written with, made anew for each."""
    return dict(
        globals(),
        f1=paddle.to_tensor([1.0, 2.0, 3.0]),
        f2=paddle.arange(6, dtype='float32').reshape([2, 3]),
        f3=paddle.ones([2, 3, 4]),
        i1=paddle.to_tensor([0, 1]),
        far=paddle.to_tensor([0, 5]),
        half=paddle.to_tensor([0.5]),
        im=paddle.ones([1, 3, 8, 8]),
        w=paddle.ones([4, 3, 3, 3]),
        eye=paddle.eye(3),
        zero=paddle.to_tensor(1.0),
        T=paddle.to_tensor,
    )


ROWS = {
    ValueError: '''
        paddle.clip(f1, 2, 1)
        paddle.gather_nd(f2, T([[5, 0]]))
        paddle.gather_nd(f2, T([[0.5]]))
        paddle.gather_nd(f2, T([[0, 0, 0]]))
        paddle.index_select(f2, far)
        paddle.index_select(f2, half)
        paddle.index_sample(f2, T([[9], [0]]))
        paddle.index_add(f2, far, 0, f2)
        paddle.gather(f2, half)
        paddle.take(f1, T([9]))
        paddle.take(f1, T([0]), mode='bad')
        paddle.masked_select(f2, f2)
        F.nll_loss(f2, T([0, 7]))
        F.nll_loss(f2, T([0, 1, 2]))
        F.nll_loss(f2, T([0., 1.]))
        F.nll_loss(f2, i1, weight=T([1., 2.]))
        F.nll_loss(f2, i1, reduction='bad')
        F.embedding(far, f2)
        F.one_hot(T([5]), 3)
        F.one_hot(T([1]), 0)
        f2.reshape('a')
        f2.reshape(None)
        f2.reshape([4, 4])
        f2.reshape([-1, -1])
        paddle.matmul(f2, f2)
        paddle.matmul(f2, paddle.ones([3, 2], 'float64'))
        paddle.add(f1, f3)
        paddle.concat([f1, f2])
        paddle.stack([f1, f2])
        paddle.split(f1, 2)
        paddle.squeeze(f2, 9)
        paddle.transpose(f2, [0, 0])
        paddle.sum(f2, axis=5)
        paddle.prod(f2, axis=5)
        paddle.argmax(f2, axis=5)
        paddle.topk(f2, 9)
        paddle.diff(f1, n=0)
        paddle.meshgrid()
        paddle.add_n([])
        paddle.add_n([f1, f2])
        paddle.hstack([])
        paddle.tensor_split(zero, 2)
        paddle.cartesian_prod([f2])
        paddle.arange(0, 5, 0)
        paddle.logspace(0, 1, 0)
        paddle.einsum('ij->k', f2)
        paddle.unbind([f1])
        linalg.lstsq(eye, f2)
        linalg.lstsq(eye.astype('int32'), eye.astype('int32'))
        linalg.lstsq(eye.astype('float16'), eye.astype('float16'))
        F.conv2d(im, w, groups=2)
        F.conv2d(im, w.astype('float64'))
        F.pad(im, [1, 1, 1], mode='reflect')
        F.interpolate(im, size=[2, 2], scale_factor=2)
        F.maxout(im, 1)
        F.softmax_with_cross_entropy(f2, i1)
        F.scaled_dot_product_attention(f2, f2, f2)
        F.dropout(f1, 2.0)
        nn.Embedding(0, 3)
        nn.Embedding(3, 0)
        paddle.metric.accuracy(f2, f2)
        paddle.grad([f1 * f1], [f1])
    ''',
    IndexError: '''
        f1[5]
        f1[0, 0]
        f1.__setitem__(9, 1.)
        paddle.gather(f2, far)
        paddle.gather(f2, i1, axis=5)
        paddle.index_select(f2, i1, axis=3)
        paddle.take_along_axis(f2, T([[7]]), 1)
        paddle.put_along_axis(f2, T([[7]]), 1.0, 1)
        paddle.scatter(f2, far, f2)
        paddle.scatter_nd_add(f2, T([[9]]), paddle.ones([1, 3]))
        F.cross_entropy(f2, T([0, 7]))
        paddle.cumsum(f2, axis=5)
        paddle.logcumsumexp(f2, axis=5)
        paddle.diff(f1, axis=5)
        paddle.diagonal(f2, axis1=5)
        paddle.trace(f1)
        paddle.diag_embed(zero)
        paddle.repeat_interleave(f1, 1, axis=4)
        paddle.select_scatter(f2, f1, 5, 0)
        paddle.bernoulli(T([2.]))
    ''',
    TypeError: '''
        paddle.frexp(i1)
        paddle.frexp(T([1 + 1j]))
        paddle.empty('a')
        paddle.linspace('a', 1, 3)
        paddle.eye(-1)
        paddle.eye(3, -2)
        paddle.eye('a')
        paddle.add(f1)
        paddle.add(f1, f1, f1, f1, f1)
        paddle.add(f1, y=f1, x=f1)
        paddle.add(f1, zz=f1)
        paddle.take(f1, half)
        paddle.no_grad()(3)
        f1 + None
        f1 + [1, 2, 3]
    ''',
    AssertionError: '''
        (f1 * f1).backward(T([1.]))
        f1.backward([1., 2., 3.])
        list(zero)
        paddle.cdist(f1, f1)
        paddle.pdist(f1)
        paddle.histogramdd(f1)
        paddle.multigammaln(f1, -1)
        paddle.tensordot(f2, f2, axes=1)
        paddle.moveaxis(f2, 0, 5)
        paddle.moveaxis(f2, [0, 1], [0])
        paddle.unflatten(f1, 4, [1, 3])
        paddle.diagonal_scatter(f2, f2)
        paddle.masked_scatter(f2, f2 > 0, T([1.]))
        linalg.cholesky(f2)
        F.unfold(f2, 2)
        F.pad(im, [1, 1, 1, 1], mode='bad')
        F.prelu(im, T([1., 2.]))
        F.batch_norm(f1, f1, f1)
        nn.ParameterList([1])
        paddle.optimizer.Adam(None, parameters=nn.Linear(3, 2).parameters())
    ''',
    RuntimeError: '''
        paddle.dot(f1, T([1., 2.]))
        paddle.as_real(f1)
        paddle.complex(T([1]), T([1]))
        paddle.bitwise_left_shift(f1, f1)
        paddle.fft.rfft(T([1 + 1j]))
        paddle.randperm(-1)
        paddle.uniform([2], 'int32')
        paddle.rand([2], 'int64')
        paddle.tensor.random.gaussian([2], dtype='int8')
        paddle.randint(0, 4, [2], 'bool')
        F.cross_entropy(T([[1, 2]]), T([0]))
        F.group_norm(im.astype('int32'), 1)
        F.instance_norm(im.astype('int32'))
        F.one_hot(f1, 3)
        F.affine_grid(T([[[1, 0, 0], [0, 1, 0]]]), [1, 1, 2, 2])
        F.gather_tree(f3, f3)
        paddle.gammainc(i1, i1)
        paddle.gammaincc(i1, i1)
        paddle.nextafter(i1, i1)
        paddle.polygamma(T([True]), 1)
        paddle.cdist(T([[1, 2]]), T([[1, 2]]))
        paddle.pdist(T([[1, 2], [3, 4]]))
        paddle.vision.ops.nms(T([[0, 0, 1, 1]]))
    ''',
}


@pytest.mark.parametrize(
    'row, error',
    [(line.strip(), e) for e, text in ROWS.items() for line in text.strip().splitlines()],
)
def test_exception_type(row, error):
    with pytest.raises(error) as info:
        eval(row, values())
    assert type(info.value) is error
    assert str(info.value).strip()


def test_calls_that_are_not_errors():
    """Calls at the edge that PaddlePaddle takes."""
    v = values()
    assert [x for x in v['zero']] == []
    assert paddle.linspace(0, 1, 0).shape == [0] and paddle.randperm(0).shape == [0]
    np.testing.assert_array_equal(F.pad(paddle.ones([2, 2]), [1]).numpy(), [[0, 1, 1], [0, 1, 1]])
    product = paddle.matmul(v['f2'], paddle.ones([3, 2], 'int64'))
    assert product.dtype == paddle.float32 and product.numpy()[1, 0] == 12
    np.testing.assert_allclose(paddle.lgamma(paddle.to_tensor([4])).numpy(), [1.7917595], rtol=1e-6)


def test_keyword_given_twice():
    with pytest.raises(TypeError, match="multiple values for argument 'axis'"):
        paddle.sum(paddle.ones([2]), 0, axis=0)


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'bool', 'complex64', 'float16'])
def test_ids_of_an_embedding_are_integers(dtype):
    ids, table = paddle.ones([2]).astype(dtype), paddle.ones([5, 3])
    for call in (lambda: F.embedding(ids, table), lambda: paddle.nn.Embedding(5, 3)(ids)):
        with pytest.raises(NotImplementedError, match=rf'\[embedding\].*{dtype}'):
            call()


def test_arguments_of_box_coder():
    box, target = paddle.rand([2, 4]), paddle.rand([3, 4])
    coder = paddle.vision.ops.box_coder
    for variance, error in (
        ([0.1, 0.1], AssertionError),
        ([0.1, 0.1, 0.2, 'a'], TypeError),
        (0.1, TypeError),
        ('abcd', TypeError),
        (paddle.ones([4]), ValueError),
        (paddle.ones([3, 4]), ValueError),
    ):
        with pytest.raises(error, match='box_coder'):
            coder(box, variance, target)
    for boxes in ((None, target), (box, None), (box, np.ones([3, 4], 'float32'))):
        with pytest.raises(ValueError, match='box_coder'):
            coder(boxes[0], [0.1] * 4, boxes[1])
    with pytest.raises(ValueError, match='axis'):
        coder(box, [0.1] * 4, paddle.rand([3, 2, 4]), 'decode_center_size', axis=2)
    assert coder(box, [0.1] * 4, target, axis=2).shape == [3, 2, 4]  # it is that of decoding
