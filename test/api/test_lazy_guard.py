# SPDX-License-Identifier: Apache-2.0
"""Parameters made under LazyGuard: shape and dtype, and RuntimeError where values are needed."""

import copy

import numpy as np
import pytest

import paddle
from paddle import nn


def lazy(make):
    with paddle.LazyGuard():
        return make()


def filled(layer):
    for parameter in layer.parameters():
        parameter.initialize()
    return layer


def test_what_is_known_before_there_are_values():
    w = lazy(lambda: nn.Linear(2, 3)).weight
    assert not w._is_initialized()
    assert (w.shape, w.dtype, w.ndim, w.size, w.stop_gradient) == (
        [2, 3],
        paddle.float32,
        2,
        6,
        False,
    )
    assert (len(w), int(w.numel()), w.is_leaf, w.persistable) == (2, 6, True, True)
    assert isinstance(w, paddle.nn.Parameter) and not isinstance(w, paddle.base.libpaddle.pir.Value)
    assert w.grad is None and w.name.startswith('linear')
    assert 'Not initialized' in repr(w)


def in_bfloat16(w):
    with paddle.amp.auto_cast(dtype='bfloat16'):
        return paddle.ones([1, 2]) @ w


USES = {
    'numpy': lambda w: w.numpy(),
    'array': lambda w: np.asarray(w),
    'tolist': lambda w: w.tolist(),
    'item': lambda w: w.item(0),
    'dlpack': lambda w: w.__dlpack__(),
    'add': lambda w: w + 1,
    'matmul': lambda w: paddle.ones([1, 2]) @ w,
    'concat': lambda w: paddle.concat([w, w]),
    'linear': lambda w: nn.functional.linear(paddle.ones([1, 2]), w),
    'getitem': lambda w: w[0],
    'setitem': lambda w: w.__setitem__(0, 1.0),
    'iteration': lambda w: list(w),
    'clone': lambda w: w.clone(),
    'detach': lambda w: w.detach(),
    'astype': lambda w: w.astype('float64'),
    'reshape': lambda w: w.reshape([6]),
    'transpose': lambda w: w.T,
    'reshape_': lambda w: w.reshape_([6]),
    'add_': lambda w: w.add_(w),
    'uniform_': lambda w: w.uniform_(),
    'zero_': lambda w: w.zero_(),
    'as a source': lambda w: paddle.ones([2, 3]).copy_(w, True),
    'as values': lambda w: paddle.ones([2, 3]).set_value(w),
    'as an operand of a write': lambda w: paddle.ones([2, 3]).add_(w),
    'to_tensor': lambda w: paddle.to_tensor(w),
    'norm': lambda w: paddle.linalg.norm(w),
    'recompute': lambda w: paddle.jit.to_static(lambda x: x + w)(paddle.ones([2, 3])),
    'full graph': lambda w: paddle.jit.to_static(lambda x: x + w, full_graph=True)(
        paddle.ones([2, 3])
    ),
    'compiled argument': lambda w: paddle.jit.to_static(lambda x: x + 1)(w),
    'amp': lambda w: in_bfloat16(w),
}


@pytest.mark.parametrize('name', USES)
def test_whatever_needs_values_raises(name):
    layer = lazy(lambda: nn.Linear(2, 3))
    w = layer.weight
    if name in ('dlpack', 'add_', 'uniform_', 'reshape_', 'setitem', 'zero_'):
        w.stop_gradient = True
    with pytest.raises(RuntimeError, match=rf'expected .*{w.name}.*initialize\(\)'):
        USES[name](w)
    assert not w._is_initialized()


def test_layers_raise_before_they_are_initialised():
    for make, x in (
        (lambda: nn.Linear(2, 3), [1, 2]),
        (lambda: nn.Conv2D(2, 3, 3), [1, 2, 4, 4]),
        (lambda: nn.BatchNorm1D(3), [4, 3]),
        (lambda: nn.LayerNorm(3), [4, 3]),
        (lambda: nn.PReLU(), [4, 3]),
        (lambda: nn.GRU(3, 4), [1, 2, 3]),
        (lambda: nn.MultiHeadAttention(4, 2), [1, 2, 4]),
    ):
        layer = lazy(make)
        with pytest.raises(RuntimeError, match='LazyGuard'):
            layer(paddle.ones(x))
        with pytest.raises(RuntimeError, match='LazyGuard'):
            paddle.jit.to_static(layer)(paddle.ones(x))
        filled(layer)(paddle.ones(x))
    with pytest.raises(RuntimeError, match='LazyGuard'):
        lazy(lambda: nn.Linear(2, 3)).to(dtype='float64')


def test_initialisation_draws_what_the_layer_would_have():
    paddle.seed(7)
    eager = nn.Linear(3, 4)
    paddle.seed(7)
    layer = filled(lazy(lambda: nn.Linear(3, 4)))
    np.testing.assert_array_equal(layer.weight.numpy(), eager.weight.numpy())
    assert layer.weight._is_initialized() and not layer.weight.stop_gradient
    with pytest.raises(AssertionError):
        layer.weight.initialize()
    with pytest.raises(AssertionError):
        eager.weight.initialize()
    layer(paddle.ones([1, 3])).sum().backward()
    before = layer.weight.numpy().copy()
    paddle.optimizer.Adam(parameters=layer.parameters()).step()
    assert (layer.weight.numpy() != before).all()


def test_the_row_of_padding_is_zero():
    layer = filled(lazy(lambda: nn.Embedding(3, 4, padding_idx=1)))
    assert layer.weight[1].tolist() == [0.0] * 4 and (layer.weight[0].numpy() != 0).any()


def test_a_state_gives_values(tmp_path):
    state = nn.Linear(2, 3).state_dict()
    layer = lazy(lambda: nn.Linear(2, 3))
    own = layer.state_dict()
    assert list(own) == ['weight', 'bias'] and not own['weight']._is_initialized()
    with pytest.raises(RuntimeError, match='LazyGuard'):
        paddle.save(own, str(tmp_path / 'x.pdparams'))
    assert layer.set_state_dict(state) == ([], [])
    np.testing.assert_array_equal(layer.weight.numpy(), state['weight'].numpy())
    assert not layer.weight.stop_gradient and isinstance(layer.weight, nn.Parameter)
    with paddle.no_grad():
        state['weight'].zero_()
    assert layer.weight.abs().sum() > 0  # a copy
    assert layer(paddle.ones([1, 2])).shape == [1, 3]
    layer.weight.initialize()  # afterwards as well, as in PaddlePaddle


def test_values_given_by_hand():
    w = lazy(lambda: nn.Linear(2, 3)).weight
    for wrong in (np.ones([3, 2], 'float32'), np.ones([2, 3], 'float64')):
        with pytest.raises(AssertionError):
            w.set_value(wrong)
    assert not w._is_initialized()
    w.set_value(np.ones([2, 3], 'float32'))
    assert w.tolist() == [[1.0] * 3] * 2
    w = lazy(lambda: nn.Linear(2, 3)).weight
    assert w.copy_(paddle.ones([2, 3]), True) is w and w.tolist() == [[1.0] * 3] * 2


def test_copies_have_values_of_their_own():
    layer = lazy(lambda: nn.Sequential(nn.Linear(2, 3), nn.Embedding(3, 2, padding_idx=0)))
    other = copy.deepcopy(layer)
    assert not any(p._is_initialized() for p in other.parameters())
    filled(other)
    assert not any(p._is_initialized() for p in layer.parameters())
    assert other[1].weight[0].tolist() == [0.0] * 2
    filled(layer)
    assert (layer[0].weight.numpy() != other[0].weight.numpy()).any()


def test_optimizers_leave_parameters_without_gradients_alone():
    layer = lazy(lambda: nn.Linear(2, 3))
    optimizer = paddle.optimizer.AdamW(parameters=layer.parameters())
    optimizer.step()
    optimizer.clear_grad()
    filled(layer)(paddle.ones([1, 2])).sum().backward()
    optimizer.step()


def test_every_layer_can_be_made_lazily():
    made = lazy(
        lambda: [
            nn.LSTM(3, 4, num_layers=2, direction='bidirect'),
            nn.Transformer(4, 2, 1, 1, 8),
            nn.SpectralNorm([3, 4]),
            nn.SyncBatchNorm(3),
            nn.Bilinear(2, 3, 4),
            nn.Conv3DTranspose(2, 3, 3),
            nn.HSigmoidLoss(4, 5),
            nn.SimpleRNNCell(2, 3),
            nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3]),
            paddle.vision.models.resnet18(),
            paddle.incubate.nn.FusedMultiHeadAttention(4, 2),
        ]
    )
    for layer in made:
        assert not any(p._is_initialized() for p in layer.parameters())
        filled(layer)
