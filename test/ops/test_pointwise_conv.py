# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one element: from 400 positions on they are matrix products, and their weights'
gradients from 784 on.
"""

import numpy as np
import pytest

import paddle

F = paddle.nn.functional
RNG = np.random.RandomState(0)
CONVS = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
SHAPES = [
    [19, 21],
    [20, 20],
    [27, 29],
    [28, 28],
    [399],
    [401],
    [783],
    [785],
    [4, 10, 10],
    [7, 8, 14],
]


@pytest.mark.parametrize('bias', [False, True])
@pytest.mark.parametrize('channels', [(1, 1), (3, 5), (40, 17)])
@pytest.mark.parametrize('space', SHAPES, ids=str)
def test_values_and_gradients_are_those_of_products(space, channels, bias):
    take, give = channels
    x = RNG.standard_normal([2, take, *space]).astype('float32')
    w = RNG.standard_normal([give, take, *[1] * len(space)]).astype('float32')
    b = RNG.standard_normal([give]).astype('float32') if bias else None
    tx, tw = (paddle.to_tensor(a, stop_gradient=False) for a in (x, w))
    tb = paddle.to_tensor(b, stop_gradient=False) if bias else None
    out = CONVS[len(space)](tx, tw, tb)
    dout = RNG.standard_normal(out.shape).astype('float32')
    out.backward(paddle.to_tensor(dout))
    wide = [a.astype('float64') for a in (x.reshape(2, take, -1), w.reshape(give, take))]
    g = dout.astype('float64').reshape(2, give, -1)
    want = np.einsum('oc,ncs->nos', wide[1], wide[0]) + (b[:, None] if bias else 0)
    close = {'rtol': 1e-4, 'atol': 1e-4}
    np.testing.assert_allclose(out.numpy().reshape(g.shape), want, **close)
    np.testing.assert_allclose(
        tx.grad.numpy().reshape(wide[0].shape), np.einsum('oc,nos->ncs', wide[1], g), **close
    )
    np.testing.assert_allclose(
        tw.grad.numpy().reshape(give, take),
        np.einsum('nos,ncs->oc', g, wide[0]),
        rtol=1e-4,
        atol=1e-3,
    )
    if bias:
        np.testing.assert_allclose(tb.grad.numpy(), g.sum((0, 2)), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    'options', [{'stride': 2}, {'padding': 1}, {'groups': 2}, {'data_format': 'NHWC'}], ids=str
)
def test_what_is_no_product_of_whole_images_is_computed_as_before(options):
    x = RNG.standard_normal([2, 4, 30, 30]).astype('float32')
    w = RNG.standard_normal([6, 4 // options.get('groups', 1), 1, 1]).astype('float32')
    last = 'data_format' in options
    given = [x.transpose(0, 2, 3, 1).copy() if last else x, w]
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in given]
    double = [paddle.to_tensor(a.astype('float64'), stop_gradient=False) for a in given]
    for operands in (tensors, double):
        (F.conv2d(*operands, **options) ** 2).sum().backward()
    for a, b in zip(tensors, double):
        np.testing.assert_allclose(a.grad.numpy(), b.grad.numpy(), rtol=1e-3, atol=1e-3)


def test_a_result_without_images_and_infinite_memory_before():
    w = paddle.ones([3, 2, 1, 1])
    assert F.conv2d(paddle.ones([0, 2, 32, 32]), w).shape == [0, 3, 32, 32]
    # What the memory of a result held before must not reach it.
    for _ in range(3):
        spoilt = paddle.full([1, 3, 32, 32], float('nan'))
        del spoilt
        assert (F.conv2d(paddle.ones([1, 2, 32, 32]), w) == 2).all()
        spoilt = paddle.full([1, 3, 32, 32], float('nan'))
        del spoilt
        assert (F.conv2d(paddle.ones([1, 2, 32, 32]), w, paddle.ones([3])) == 3).all()
