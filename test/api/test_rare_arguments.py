# SPDX-License-Identifier: Apache-2.0
"""Arguments and places that are rarely used have the values of mathematics, or are refused."""
import math

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F


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
    loss = F.nll_loss(x, label, paddle.ones([3]) if weighted else None, ignore_index=7, reduction=reduction)
    loss.backward()
    assert loss.item() == 0 and not x.grad.numpy().any()


def test_norm_over_two_axes_is_spectral_by_default():
    a = np.array([[1.0, -2, 3], [4, 5, -6]])
    x = paddle.to_tensor(a)
    for norm in (paddle.norm, paddle.linalg.norm):
        np.testing.assert_allclose(norm(x, axis=[0, 1]).item(), np.linalg.norm(a, 2), rtol=1e-12)
        np.testing.assert_allclose(norm(x, p=2, axis=[0, 1]).item(), np.linalg.norm(a, 2), rtol=1e-12)
        np.testing.assert_allclose(norm(x, p='fro', axis=[0, 1]).item(), np.linalg.norm(a), rtol=1e-12)
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
@pytest.mark.parametrize('key', [
    lambda: ([0, 0],),
    lambda: (paddle.to_tensor([0, 1, 0, -4]),),
    lambda: (paddle.to_tensor([[0, 0], [1, 0]]), paddle.to_tensor([2, 2])),
    lambda: (slice(None), [1, 1, 0]),
    lambda: (paddle.to_tensor([True, False, True, False]),),
    lambda: (slice(1, 3), paddle.to_tensor([0, 0]), slice(0, 2)),
])
def test_gradient_of_a_value_written_more_than_once(key, recorded):
    # The value that stays gets the gradient: numbers written in its place tell which one it is.
    key = key()[0] if len(key()) == 1 else key()
    like = np.zeros([4, 3, 2])
    places = tuple(k.numpy() if isinstance(k, paddle.Tensor) else k for k in (key if isinstance(key, tuple) else (key,)))
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
    paddle.index_put(paddle.zeros([4]), (paddle.to_tensor([0, 0, 1]),), value, accumulate=True).sum().backward()
    assert value.grad.item() == 3
