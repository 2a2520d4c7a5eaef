# SPDX-License-Identifier: Apache-2.0
"""Weights of which n of m stay (`paddle.incubate.asp`); figures of the published package."""

import numpy as np
import paddle
import pytest
from paddle.incubate import asp

BLOCK = np.array(
    [
        [1.76, 0.4, 0.98, 2.24],
        [1.87, -0.98, 0.95, -0.15],
        [-0.1, 0.41, 0.14, 1.45],
        [0.76, 0.12, 0.44, 0.33],
    ]
)


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = paddle.nn.Linear(16, 8), paddle.nn.Linear(3, 8)
        self.conv = paddle.nn.Conv2D(4, 8, 3)

    def forward(self, x):
        return self.first(x)


@pytest.fixture(autouse=True)
def _nothing_excluded():
    yield
    asp.reset_excluded_layers()


def test_masks_of_a_block():
    assert asp.get_mask_1d(BLOCK, 2, 4).tolist() == [
        [1, 0, 0, 1],
        [1, 1, 0, 0],
        [0, 1, 0, 1],
        [1, 0, 1, 0],
    ]
    assert asp.get_mask_2d_greedy(BLOCK, 2, 4).tolist() == [
        [1, 0, 0, 1],
        [1, 1, 0, 0],
        [0, 1, 0, 1],
        [0, 0, 1, 0],
    ]
    assert asp.get_mask_2d_best(BLOCK, 2, 4).tolist() == [
        [1, 0, 0, 1],
        [1, 0, 1, 0],
        [0, 1, 0, 1],
        [0, 1, 1, 0],
    ]


@pytest.mark.parametrize('shape', [(7,), (6, 10), (3, 5, 9), (3, 4, 6, 8)])
@pytest.mark.parametrize('algorithm', list(asp.MaskAlgo))
def test_masks_pass_their_check(shape, algorithm):
    values = np.random.RandomState(0).randn(*shape).astype('float32')
    mask = asp.create_mask(values, algorithm, 2, 4)
    assert mask.shape == shape and mask.dtype == values.dtype
    check = asp.CheckMethod.get_checking_method(algorithm)
    assert asp.check_sparsity(values * mask, check, 2, 4)
    assert not asp.check_sparsity(values, check, 2, 4)


def test_the_best_mask_keeps_the_most():
    values = np.random.RandomState(1).randn(8, 8)
    best, greedy = (f(values, 2, 4) for f in (asp.get_mask_2d_best, asp.get_mask_2d_greedy))
    for i in (0, 4):
        for j in (0, 4):
            block = np.abs(values[i : i + 4, j : j + 4])
            kept = [(block * mask[i : i + 4, j : j + 4]).sum() for mask in (best, greedy)]
            assert kept[0] >= kept[1] - 1e-12


def test_pruned_weights_stay_zero_in_training():
    net = Net()
    optimizer = asp.decorate(paddle.optimizer.Adam(0.1, parameters=net.parameters()))
    masks = asp.prune_model(net)
    assert sorted(masks) == sorted(
        [net.first.weight.name, net.second.weight.name, net.conv.weight.name]
    )
    assert asp.check_mask_1d(net.first.weight.numpy().T, 2, 4)
    rows = net.conv.weight.numpy().transpose(0, 2, 3, 1).reshape(-1, 4)
    assert asp.check_mask_1d(rows, 2, 4)
    assert asp.calculate_density(net.second.weight.numpy()) == 1.0  # 3 inputs are fewer than 4
    before = net.first.weight.numpy()
    for _ in range(3):
        (net(paddle.randn([4, 16])) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    after = net.first.weight.numpy()
    assert ((before == 0) == (after == 0)).all() and (before != after).any()


def test_masks_are_saved_with_the_state():
    net, other = Net(), Net()
    optimizer = asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    asp.prune_model(net, mask_algo='mask_2d_greedy')
    name = f'{net.first.weight.name}.asp_mask'
    state = {
        k.replace(net.first.weight.name, other.first.weight.name): v
        for k, v in optimizer.state_dict().items()
    }
    assert name in optimizer.state_dict()
    second = asp.decorate(paddle.optimizer.SGD(0.1, parameters=other.parameters()))
    second.set_state_dict(state)
    (other(paddle.ones([1, 16]))).sum().backward()
    second.step()
    assert (
        (other.first.weight.numpy() == 0)
        == (state[f'{other.first.weight.name}.asp_mask'].numpy() == 0)
    ).all()


def test_layers_are_excluded_and_added():
    net = Net()
    asp.set_excluded_layers([net.first.full_name(), net.conv.weight.name])
    assert sorted(asp.prune_model(net)) == [net.second.weight.name]
    asp.reset_excluded_layers()
    calls = []

    def keep(weight, m, n, algorithm, name):
        calls.append((weight.shape, m, n, algorithm, name))
        return weight, np.ones_like(weight)

    layer = paddle.nn.LayerNorm(8)
    asp.add_supported_layer(paddle.nn.LayerNorm, keep)
    try:
        assert sorted(asp.prune_model(layer, with_mask=False)) == [layer.weight.name]
    finally:
        asp.ASPHelper.functions.pop('layer_norm')
    assert calls == [((8,), 4, 2, asp.MaskAlgo.MASK_1D, layer.weight.name)]


def test_bad_arguments():
    with pytest.raises(TypeError, match='Layer or a Program'):
        asp.prune_model(3)
    with pytest.raises(AssertionError, match='mask_algo'):
        asp.prune_model(Net(), mask_algo='unknown')
    with pytest.raises(TypeError, match='optimizer'):
        asp.decorate(3)
    with pytest.raises(TypeError, match='list'):
        asp.set_excluded_layers('linear_0')
    with pytest.raises(TypeError, match='layer'):
        asp.add_supported_layer(3)
    with pytest.raises(AssertionError, match='matrix'):
        asp.get_mask_1d(np.ones(4), 2, 4)
