# SPDX-License-Identifier: Apache-2.0
"""Arguments of a wrong kind or extent are refused by the names of function and argument."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import nn

X = paddle.ones([2, 6])
ONE = paddle.to_tensor(1.0)


@pytest.mark.parametrize(
    'call, error, words',
    [
        (lambda: paddle.narrow(X, [0], 1, 2), TypeError, 'narrow.*axis.*list'),
        (lambda: paddle.unflatten(X, [1], [2, 3]), TypeError, 'unflatten.*axis.*list'),
        (lambda: paddle.select_scatter(X, X[0], None, 0), TypeError, 'select_scatter.*axis'),
        (lambda: paddle.rot90(X, None), TypeError, 'rot90.*k .*NoneType'),
        (lambda: paddle.rot90(X, 1, [0]), ValueError, r'rot90.*two different axes.*\[0\]'),
        (lambda: paddle.rot90(X, 1, [0, 1, 1]), ValueError, 'rot90.*two different axes'),
        (
            lambda: paddle.slice_scatter(X, X, [0], [0, 1], [2], [1]),
            ValueError,
            'slice_scatter.*starts for 1 axes, got 2',
        ),
        (
            lambda: paddle.take_along_axis(ONE, paddle.to_tensor(0), 0),
            AssertionError,
            'take_along_axis.*0 axes',
        ),
        (
            lambda: paddle.put_along_axis(ONE, paddle.to_tensor(0), 2.0, 0),
            AssertionError,
            'put_along_axis.*0 axes',
        ),
        (lambda: paddle.broadcast_shape([2, 1], ['a']), TypeError, 'broadcast_shape.*str'),
        (lambda: paddle.hypot([1.0], ONE), TypeError, "hypot.*'x'.*list"),
        (lambda: paddle.neg([ONE]), TypeError, "neg.*'x'.*list"),
        (lambda: F.affine_grid(paddle.ones([1, 2, 3]), 1), TypeError, 'affine_grid.*out_shape'),
        (lambda: F.normalize(X, axis=[1, 0]), TypeError, 'normalize.*axis.*list'),
        (lambda: F.maxout(paddle.ones([1, 4, 2, 2]), 'a'), TypeError, 'maxout.*groups.*str'),
        (lambda: F.npair_loss(b'a', ONE, ONE), TypeError, "npair_loss.*'anchor'.*bytes"),
        (lambda: F.l1_loss(ONE, b'a'), TypeError, "l1_loss.*'label'.*bytes"),
        (
            lambda: nn.NLLLoss(weight=-1)(X, paddle.to_tensor([0, 1])),
            TypeError,
            "nll_loss.*'weight'.*int",
        ),
        (
            lambda: F.multi_margin_loss(X, paddle.to_tensor([0, 1]), weight=3),
            TypeError,
            "multi_margin_loss.*'weight'.*int",
        ),
        (
            lambda: paddle.optimizer.SGD(0.1, [nn.Linear(2, 2)]),
            TypeError,
            'SGD.*parameters.*tensors.*Linear',
        ),
        (lambda: nn.utils.weight_norm(X), TypeError, 'weight_norm.*a Layer.*Tensor'),
        (lambda: nn.utils.remove_weight_norm(0.5), TypeError, 'remove_weight_norm.*a Layer.*float'),
        (lambda: nn.utils.spectral_norm(X), TypeError, 'spectral_norm.*a Layer.*Tensor'),
        (
            lambda: nn.utils.parameters_to_vector(nn.Linear(2, 2)),
            TypeError,
            'parameters_to_vector.*parameters.*Linear',
        ),
        (
            lambda: paddle.optimizer.lr.PiecewiseDecay(7, [0.1]),
            TypeError,
            'PiecewiseDecay.*boundaries.*int',
        ),
        (
            lambda: paddle.optimizer.lr.NaturalExpDecay(0.1, [1]),
            TypeError,
            'NaturalExpDecay.*gamma.*list',
        ),
        (lambda: nn.initializer.Constant(1.0)(2.0), TypeError, "Constant.*'var'.*float"),
        (
            lambda: nn.initializer.Initializer().create([1], 'float32'),
            NotImplementedError,
            'Initializer.*a subclass',
        ),
        (lambda: nn.initializer.calculate_gain([1]), TypeError, 'calculate_gain.*nonlinearity'),
        (lambda: nn.LayerList(3), TypeError, 'LayerList.*sublayers.*int'),
        (lambda: nn.Pad2D(1.5), TypeError, 'Pad2D.*padding.*float'),
        (lambda: nn.BiRNN(0.5, 0.5), TypeError, 'BiRNN.*cell_fw.*float'),
        (lambda: nn.Linear(2, 2).get_parameter(ONE), TypeError, 'get_parameter.*target.*Tensor'),
        (lambda: nn.Linear(2, 2).get_submodule([1]), TypeError, 'get_sublayer.*target.*list'),
        (lambda: paddle.summary(3, (1, 2)), TypeError, 'summary.*net.*int'),
        (lambda: paddle.io.TensorDataset([ONE]), ValueError, 'TensorDataset.*one axis'),
        (lambda: paddle.io.RandomSampler(3), TypeError, 'RandomSampler.*data_source.*int'),
        (lambda: paddle.vision.transforms.Compose([3]), TypeError, 'Compose.*can be called.*3'),
        (
            lambda: paddle.vision.ops.roi_align(
                paddle.ones([1, 1, 4, 4]),
                paddle.ones([1, 4]),
                paddle.to_tensor([1], 'int32'),
                [1, 2, 3],
            ),
            ValueError,
            r'output_size.*\[1, 2, 3\]',
        ),
        (
            lambda: paddle.shard_index(paddle.to_tensor([[25]]), 20, 2, 0),
            ValueError,
            'shard_index.*from 0 to 19, got 25',
        ),
        (
            lambda: paddle.shard_index(paddle.to_tensor([[-1]]), 20, 2, 0),
            ValueError,
            'shard_index.*from 0 to 19, got -1',
        ),
        (
            lambda: paddle.shard_index(paddle.to_tensor([[1]]), 20, 2, 2),
            ValueError,
            'shard_index.*shard_id from 0 to 1, got 2',
        ),
        (
            lambda: paddle.vision.ops.nms(paddle.ones([3, 4]), 0.5, paddle.ones([2])),
            ValueError,
            'nms.*scores for 3 boxes, got 2',
        ),
        (
            lambda: paddle.vision.transforms.perspective(
                np.zeros([4, 4, 3], 'uint8'), [[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 0]]
            ),
            ValueError,
            'perspective.*endpoints of four points',
        ),
        (lambda: paddle.block_diag([X[None]]), ValueError, r'block_diag.*\[1, 2, 6\]'),
        (
            lambda: paddle.summary(nn.Linear(2, 2), [(1, 2)], ['float32', 'int32']),
            ValueError,
            'summary.*dtypes for 1 inputs, got 2',
        ),
        (
            lambda: paddle.static.nn.instance_norm(paddle.ones([4])),
            ValueError,
            r'instance_norm.*at least 2 axes.*\[4\]',
        ),
    ],
)
def test_refused_by_name(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_one_axis_of_a_slice_may_be_a_number():
    x = paddle.slice_scatter(paddle.zeros([4]), paddle.ones([2]), 0, 0, 2, 1)
    assert x.tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize('dtype', ['int32', 'int64'])
def test_shards_of_indices(dtype):
    x = paddle.to_tensor([[0], [3], [4], [7], [9]], dtype)
    for shard, want in enumerate(([0, 3, -7, -7, -7], [-7, -7, 0, 3, -7], [-7, -7, -7, -7, 1])):
        found = paddle.shard_index(x, 10, 3, shard, -7)
        assert found.dtype == x.dtype and found.flatten().tolist() == want
