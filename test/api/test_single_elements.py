# SPDX-License-Identifier: Apache-2.0
"""Batch norms of one element a channel, whose result is that element, and -1 in shapes for tensors
without elements, as in PaddlePaddle.
"""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


@pytest.mark.parametrize('dtype', ['float32', 'float64'])
@pytest.mark.parametrize(
    'shape, data_format',
    [
        ([1, 3], 'NC'),
        ([1, 3], 'NHWC'),
        ([1, 3, 1], 'NCL'),
        ([1, 1, 3], 'NLC'),
        ([1, 3, 1, 1], 'NCHW'),
        ([1, 1, 1, 3], 'NHWC'),
        ([1, 3, 1, 1, 1], 'NCDHW'),
        ([1, 1, 1, 1, 3], 'NDHWC'),
    ],
)
def test_a_batch_norm_of_one_element_a_channel(shape, data_format, dtype):
    values = np.array([1.5, -3.0, 4.5], dtype).reshape(shape)
    x = paddle.to_tensor(values, stop_gradient=False)
    mean, variance = paddle.full([3], 0.25), paddle.full([3], 2.0)
    scale, bias = paddle.full([3], 3.0), paddle.full([3], 0.5)
    scale.stop_gradient = bias.stop_gradient = False
    y = F.batch_norm(x, mean, variance, scale, bias, training=True, data_format=data_format)
    np.testing.assert_array_equal(y.numpy(), values)
    (y * 2).sum().backward()
    assert (x.grad.numpy() == 2).all()
    assert scale.grad.tolist() == bias.grad.tolist() == [0, 0, 0]
    assert mean.tolist() == [0.25] * 3 and variance.tolist() == [2] * 3
    fixed = F.batch_norm(x, mean, variance, scale, bias, data_format=data_format)
    want = (values - 0.25) / np.sqrt(2 + 1e-5) * 3 + 0.5
    np.testing.assert_allclose(fixed.numpy(), want, rtol=1e-5)


@pytest.mark.parametrize('full_graph', [False, True])
def test_a_recorded_batch_norm_of_one_element(full_graph):
    layer = paddle.nn.BatchNorm2D(2)
    run = paddle.jit.to_static(layer, full_graph=full_graph)
    x = paddle.to_tensor([[[[2.0]], [[5.0]]]])
    for _ in range(3):
        assert run(x).numpy().ravel().tolist() == [2, 5]
    assert layer._mean.tolist() == [0, 0] and layer._variance.tolist() == [1, 1]


@pytest.mark.parametrize('form', ['list', 'tensor', 'in place'])
@pytest.mark.parametrize(
    'shape, target, want',
    [
        ([0], [-1], [0]),
        ([0], [-1, 0], [1, 0]),
        ([0], [0, -1], [0, 1]),
        ([0], [-1, 3], [0, 3]),
        ([0], [-1, 0, 3], None),
        ([0], [0, 0, -1], None),
        ([0, 3], [-1, 0], [3, 0]),
        ([0, 3], [0, -1], [0, 3]),
        ([0, 3], [-1, 0, 3], [1, 0, 3]),
        ([0, 3], [2, -1, 0], None),
        ([3, 0], [0, -1], [0, 3]),
        ([2, 0, 3], [-1, 0], [6, 0]),
        ([2, 0, 3], [2, -1, 0], [2, 3, 0]),
        ([0, 0], [-1, 0], None),
        ([0, 0], [0, 0, -1], [0, 0, 1]),
        ([0, 0], [-1], [0]),
    ],
)
def test_shapes_of_tensors_without_elements(shape, target, want, form):
    x = paddle.zeros(shape)
    reshape = paddle.reshape_ if form == 'in place' else paddle.reshape
    given = paddle.to_tensor(target) if form == 'tensor' else target
    if want is None:
        with pytest.raises(ValueError, match='reshape'):
            reshape(x, given)
    else:
        assert list(reshape(x, given).shape) == want
