# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors in recorded programs whose number of elements is not known: results and gradients
are those of eager calls, for more and for fewer elements.
"""

import numpy as np
import pytest
from sparse_cases import places, values

import paddle

S = paddle.sparse
SHAPE, COUNTS = (3, 4), (5, 2, 0)


def square():
    """A dense matrix that is captured."""
    return paddle.to_tensor(values((4, 3), 9))


def voxels(layer):
    """A layer of volumes on the two vectors of a value: [1, 2, 2, 3 elements, 2 channels]."""

    def apply(x):
        at = paddle.concat([paddle.zeros_like(x.indices()[:1]), x.indices(), x.indices()[:1] % 2])
        wide = paddle.stack([x.values(), x.values() * 2], 1)
        image = S.sparse_coo_tensor(at, wide, [1, 3, 4, 2, 2], stop_gradient=False)
        return layer(image)

    return apply


def filled(layer):
    for k, parameter in enumerate(layer.parameters()):
        parameter.set_value(values(parameter.shape, 20 + k, str(parameter.dtype)[7:]))
    return layer


def layers():
    paddle.set_default_dtype('float64')
    try:
        return {
            'conv': filled(S.nn.Conv3D(2, 3, 2, padding=1)),
            'subm': filled(S.nn.SubmConv3D(2, 3, 3)),
            'norm': filled(S.nn.BatchNorm(2)).eval(),
            'pool': S.nn.MaxPool3D(2, 2),
        }
    finally:
        paddle.set_default_dtype('float32')


OPERATIONS = {
    'sin': S.sin,
    'relu': S.nn.functional.relu,
    'softmax': S.nn.functional.softmax,
    'softmax of columns': lambda x: S.nn.functional.softmax(x, 0),
    'coalesce': S.coalesce,
    'transpose': lambda x: S.transpose(x, [1, 0]),
    'reshape': lambda x: S.reshape(x, [2, -1]),
    'sum of rows': lambda x: S.sum(x, 1),
    'sum': S.sum,
    'slice': lambda x: S.slice(x, [0, 1], [0, 1], [2, 4]),
    'add': lambda x: S.add(x, S.transpose(S.reshape(x, [4, 3]), [1, 0])),
    'subtract': lambda x: S.subtract(x, S.transpose(S.reshape(x, [4, 3]), [1, 0])),
    'multiply': lambda x: S.multiply(x, S.transpose(S.reshape(x, [4, 3]), [1, 0])),
    'square': lambda x: S.multiply(x, x),
    'half': lambda x: x / 2,
    'dense product': lambda x: S.matmul(x, square()),
    'sparse product': lambda x: S.matmul(x, S.transpose(x, [1, 0])),
    'vector': lambda x: S.mv(x, square()[:, 0]),
    'addmm': lambda x: S.addmm(paddle.ones([3, 3], 'float64'), x, square(), 2.0, 3.0),
    'masked product': lambda x: S.masked_matmul(
        S.matmul(x, square()), paddle.transpose(square(), [1, 0]), x
    ),
    'mask': lambda x: S.mask_as(S.matmul(x, paddle.eye(4, dtype='float64')), x),
    'rows': lambda x: x.to_sparse_csr().sin(),
    'softmax of rows': lambda x: S.nn.functional.softmax(x.to_sparse_csr()),
    'rows and back': lambda x: S.add(x.to_sparse_csr(), x.to_sparse_csr()).to_sparse_coo(2),
    'dense and back': lambda x: x.to_dense().to_sparse_coo(2),
    'int32': lambda x: S.cast(x, 'int32', 'float32'),
    **{name: voxels(layer) for name, layer in layers().items()},
}


def result(function, at, numbers):
    """(dense result, gradient of the numbers) of a function of a sparse tensor."""
    x = S.sparse_coo_tensor(at, numbers, SHAPE, stop_gradient=False)
    out = function(x)
    dense = out.to_dense() if S.is_same_shape(out, out) and not out.is_dense() else out
    (grad,) = paddle.grad([(dense.astype('float64') ** 2).sum()], [numbers], allow_unused=True)
    return [dense, paddle.zeros_like(numbers) if grad is None else grad]


def eager(function, at, numbers):
    numbers = paddle.to_tensor(numbers, stop_gradient=False)
    return [t.numpy() for t in result(function, paddle.to_tensor(at), numbers)]


@pytest.mark.parametrize('name', OPERATIONS)
def test_programs_compute_what_eager_calls_do(name):
    function = OPERATIONS[name]
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            at = paddle.static.data('at', [2, -1], 'int64')
            numbers = paddle.static.data('numbers', [-1], 'float64')
            numbers.stop_gradient = False
            fetched = result(function, at, numbers)
        made = []
        for count in COUNTS:
            feed = {'at': places(SHAPE, count, count), 'numbers': values(count, count)}
            made.append(paddle.static.Executor().run(main, feed=feed, fetch_list=fetched))
    finally:
        paddle.disable_static()
    for count, found in zip(COUNTS, made):
        wanted = eager(function, places(SHAPE, count, count), values(count, count))
        for a, b in zip(found, wanted):
            assert a.shape == b.shape and a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


class Voxels(paddle.nn.Layer):
    """Coordinates and features, as recorded models have them."""

    def __init__(self):
        super().__init__()
        self.body = paddle.nn.Sequential(
            S.nn.SubmConv3D(2, 4, 3), S.nn.BatchNorm(4), S.nn.ReLU(), S.nn.Conv3D(4, 3, 2, 2)
        )

    def forward(self, at, features):
        x = S.sparse_coo_tensor(at, features, [1, 4, 4, 4, 2], stop_gradient=False)
        return self.body(x).to_dense().sum([1, 2, 3])


def test_layers_of_sparse_tensors_are_saved_and_loaded(tmp_path):
    net = filled(Voxels())
    at = np.stack([np.zeros(9, 'int64'), *places((4, 4, 4), 9)])
    features = values((9, 2), dtype='float32')
    given = paddle.to_tensor(at), paddle.to_tensor(features)
    wanted = net(*given)
    spec = [
        paddle.static.InputSpec([4, None], 'int64'),
        paddle.static.InputSpec([None, 2], 'float32'),
    ]
    whole = paddle.jit.to_static(net, input_spec=spec, full_graph=True)
    net.eval()
    plain = net(*given)
    paddle.jit.save(whole, str(tmp_path / 'net'))
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    np.testing.assert_allclose(loaded(*given).numpy(), plain.numpy(), rtol=1e-5, atol=1e-6)
    fewer = paddle.to_tensor(at[:, :3]), paddle.to_tensor(features[:3])
    np.testing.assert_allclose(loaded(*fewer).numpy(), net(*fewer).numpy(), rtol=1e-5, atol=1e-6)
    assert wanted.shape == plain.shape


@pytest.mark.parametrize('row', [[-1, 0], [0, 4]])
def test_programs_refuse_places_outside_when_they_run(row):
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main):
            at = paddle.static.data('at', [2, -1], 'int64')
            x = S.sparse_coo_tensor(at, paddle.static.data('v', [-1], 'float32'), [3, 4])
            dense = x.to_dense()
        feed = {'at': np.array([[0, 1], row]), 'v': np.ones(2, 'float32')}
        with pytest.raises(ValueError, match='expected the condition to be true'):
            paddle.static.Executor().run(main, feed=feed, fetch_list=[dense])
        feed['at'] = np.array([[0, 1], [0, 3]])
        (made,) = paddle.static.Executor().run(main, feed=feed, fetch_list=[dense])
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(made, [[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]])
