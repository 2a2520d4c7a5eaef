# SPDX-License-Identifier: Apache-2.0
"""Gradients of lookups with `sparse=True`: rows under numbers, clipped, scaled and applied."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

START = np.linspace(-1, 1, 12, dtype='float32').reshape(6, 2)
LOOKUPS = ([1, 3, 1], [5], [1, 0])


def table(values=START):
    w = paddle.create_parameter(list(values.shape), str(values.dtype))
    w.set_value(values)
    return w


def grad_of(w, ids, **options):
    y = F.embedding(paddle.to_tensor(ids), w, sparse=True, **options)
    (y * y * 3 + y).sum().backward()
    return w.grad


def dense(ids, values=START):
    out = np.zeros_like(values)
    np.add.at(out, ids, 6 * values[ids] + 1)
    return out


def test_a_gradient_of_a_lookup_is_rows():
    w = table()
    g = grad_of(w, [1, 3, 1])
    assert type(g) is paddle.Tensor and g.is_selected_rows() and not g.is_dense()
    assert not g.is_sparse() and g.shape == [3, 2] and g.dtype == paddle.float32
    assert g.rows() == [1, 3, 1] and g._is_initialized() and w.grad is g
    np.testing.assert_allclose(g.numpy(), 6 * START[[1, 3, 1]] + 1, rtol=1e-6)
    held = g.get_selected_rows()
    assert held.rows() == [1, 3, 1] and held.height() == 6
    np.testing.assert_array_equal(np.array(held.get_tensor()), g.numpy())
    np.testing.assert_allclose(g.to_dense().numpy(), dense([1, 3, 1]), rtol=1e-6)
    values, numbers = w.gradient()
    assert numbers.tolist() == [1, 3, 1] and values.tolist() == g.tolist()
    assert 'rows=[1, 3, 1],' in repr(g)


def test_layers_have_them_and_clearing_drops_them():
    layer = paddle.nn.Embedding(6, 2, sparse=True)
    layer(paddle.to_tensor([[4, 2]])).sum().backward()
    assert layer.weight.grad.rows() == [4, 2]
    layer.clear_gradients()
    assert layer.weight.grad is None
    layer(paddle.to_tensor([], dtype='int64')).sum().backward()
    assert layer.weight.grad.rows() == [] and layer.weight.grad.to_dense().abs().sum() == 0


def test_rows_of_padding_are_zeros():
    g = grad_of(table(), [1, 2], padding_idx=2)
    assert g.rows() == [1, 2] and g.numpy()[1].tolist() == [0, 0] and g.numpy()[0].all()


def test_merging_adds_rows_of_one_number():
    w = table()
    g = grad_of(w, [1, 3, 1, 5])
    for merged in (paddle._C_ops.merge_selected_rows(g), paddle.nn.clip.merge_selected_rows(g)):
        assert merged.rows() == [1, 3, 5] and merged.get_selected_rows().height() == 6
        np.testing.assert_allclose(merged.to_dense().numpy(), dense([1, 3, 1, 5]), rtol=1e-6)
    whole = paddle.nn.clip.get_tensor_from_selected_rows(g)
    assert whole.is_dense() and whole.tolist() == g.tolist()


def test_gradients_of_several_calls_add_up():
    w = table()
    grad_of(w, [1, 3, 1])
    g = grad_of(w, [0])
    assert g.rows() == [0, 1, 3]
    np.testing.assert_allclose(g.to_dense().numpy(), dense([0, 1, 3, 1]), rtol=1e-6)
    (w * 2).sum().backward()
    assert w.grad.is_dense()
    np.testing.assert_allclose(w.grad.numpy(), dense([0, 1, 3, 1]) + 2, rtol=1e-6)
    grad_of(w, [5])
    assert w.grad.is_dense()
    np.testing.assert_allclose(w.grad.numpy(), dense([0, 1, 3, 1, 5]) + 2, rtol=1e-6)


def test_gradients_within_a_call_add_up():
    w = table()
    both = [F.embedding(paddle.to_tensor(i), w, sparse=True).sum() for i in ([1, 2], [2, 4])]
    (both[0] + both[1]).backward()
    assert w.grad.rows() == [1, 2, 4] and w.grad.numpy()[:, 0].tolist() == [1, 2, 1]
    w.clear_grad()
    (F.embedding(paddle.to_tensor([1, 2]), w, sparse=True).sum() + w.sum()).backward()
    assert w.grad.is_dense() and w.grad.numpy()[:, 1].tolist() == [1, 2, 2, 1, 1, 1]


def test_through_other_operations_they_are_tables():
    w = table()
    F.embedding(paddle.to_tensor([1, 2]), w * 3, sparse=True).sum().backward()
    assert w.grad.is_dense() and w.grad.numpy()[:, 0].tolist() == [0, 3, 3, 0, 0, 0]


def test_grad_and_its_gradient():
    w = table()
    loss = (F.embedding(paddle.to_tensor([1, 2, 1]), w, sparse=True) ** 2).sum()
    (first,) = paddle.grad(loss, w, retain_graph=True)
    assert first.rows() == [1, 2, 1] and w.grad is None
    (first,) = paddle.grad(loss, w, create_graph=True)
    (second,) = paddle.grad(first.sum(), w)
    assert second.to_dense().numpy()[:, 0].tolist() == [0, 4, 2, 0, 0, 0]


def test_hooks_see_rows_and_may_change_them():
    w = table()
    seen = []
    w.register_hook(lambda g: seen.append(g.rows()))
    w.register_hook(lambda g: g * 2)
    g = grad_of(w, [1, 3, 1])
    assert seen == [[1, 3, 1]] and g.rows() == [1, 3, 1]
    np.testing.assert_allclose(g.to_dense().numpy(), 2 * dense([1, 3, 1]), rtol=1e-6)


def test_elementwise_functions_keep_rows_and_others_refuse():
    g = grad_of(table(), [1, 3, 1])
    for f in (lambda x: x * 2 + 1, paddle.square, lambda x: paddle.clip(x, -1, 1), paddle.isfinite):
        out = f(g)
        assert out.rows() == [1, 3, 1]
        np.testing.assert_array_equal(out.numpy(), f(paddle.to_tensor(g.numpy())).numpy())
    assert (g + g).rows() == [1, 3, 1] and g.clone().rows() == g.detach().rows() == [1, 3, 1]
    for f in (
        paddle.sum,
        lambda x: x[0],
        lambda x: x.scale_(2.0),
        lambda x: x + paddle.ones([3, 2]),
    ):
        with pytest.raises((ValueError, TypeError), match='expected'):
            f(g)


def trained(name, clip=None, sparse=True, values=START, **options):
    w = table(values)
    made = getattr(paddle.optimizer, name)(
        parameters=[w], learning_rate=0.1, grad_clip=clip, **options
    )
    for ids in LOOKUPS:
        y = F.embedding(paddle.to_tensor(ids), w, sparse=sparse)
        (y * y * 3 + y).sum().backward()
        assert w.grad.is_selected_rows() == sparse
        made.step()
        made.clear_grad()
    return w.numpy()


@pytest.mark.parametrize(
    'name',
    'SGD Momentum Adam AdamW Adagrad RMSProp Adamax Adadelta Lamb NAdam RAdam Rprop ASGD'.split(),
)
def test_optimizers_step_as_by_the_table(name):
    np.testing.assert_allclose(trained(name), trained(name, sparse=False), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    'options',
    [
        {'weight_decay': 0.1},
        {'weight_decay': paddle.regularizer.L1Decay(0.1)},
        {'clip': paddle.nn.ClipGradByValue(0.5)},
        {'clip': paddle.nn.ClipGradByNorm(1.0)},
        {'clip': paddle.nn.ClipGradByGlobalNorm(1.0)},
        {'values': START.astype('float64')},
    ],
    ids=['l2', 'l1', 'value', 'norm', 'global', 'float64'],
)
@pytest.mark.parametrize('name', ['SGD', 'Adam'])
def test_decay_and_clipping_as_by_the_table(name, options):
    np.testing.assert_allclose(
        trained(name, **options), trained(name, sparse=False, **options), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize('name', ['Adam', 'AdamW'])
def test_lazy_mode_leaves_other_rows(name):
    w = table()
    decay = {} if name == 'Adam' else {'weight_decay': 0.5}
    made = getattr(paddle.optimizer, name)(0.1, parameters=[w], lazy_mode=True, **decay)
    before = w.numpy()
    grad_of(w, [1, 3, 1])
    made.step()
    made.clear_grad()
    after = w.numpy()
    assert (after == before).all(axis=1).tolist() == [True, False, True, False, True, True]
    grad_of(w, [5])
    made.step()
    # Momenta of rows 1 and 3 do not move them any more; that of row 5 is as in a first step but
    # for the corrections, which count steps.
    assert (w.numpy() == after).all(axis=1).tolist() == [True] * 5 + [False]
    g, keep = 6 * before[5] + 1, 1 - 0.1 * 0.5 * (name == 'AdamW')
    m, v = 0.1 * g / (1 - 0.9**2), 0.001 * g * g / (1 - 0.999**2)
    np.testing.assert_allclose(w.numpy()[5], before[5] * keep - 0.1 * m / np.sqrt(v), rtol=1e-4)
    assert trained(name, lazy_mode=True).tolist() != trained(name).tolist()
    assert (
        trained(name, sparse=False, lazy_mode=True).tolist() == trained(name, sparse=False).tolist()
    )


def test_scaled_losses():
    w = table()
    made = paddle.optimizer.SGD(0.1, parameters=[w])
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    y = F.embedding(paddle.to_tensor([1, 3, 1]), w, sparse=True)
    scaler.scale((y * y * 3 + y).sum()).backward()
    scaler.step(made)
    scaler.update()
    np.testing.assert_allclose(w.numpy(), START - 0.1 * dense([1, 3, 1]), rtol=1e-6)


def test_clip_grad_functions():
    w = table()
    grad_of(w, [1, 3, 1])
    norm = paddle.nn.utils.clip_grad_norm_([w], 1.0)
    full = dense([1, 3, 1])
    np.testing.assert_allclose(float(norm), np.linalg.norm(full), rtol=1e-6)
    assert w.grad.is_selected_rows()
    np.testing.assert_allclose(w.grad.to_dense().numpy(), full / np.linalg.norm(full), rtol=1e-5)
    paddle.nn.utils.clip_grad_value_([w], 0.1)
    np.testing.assert_allclose(np.abs(w.grad.numpy()).max(), 0.1, rtol=1e-6)


def test_compiled_calls_train_alike():
    w = table()

    @paddle.jit.to_static
    def step(ids):
        return F.embedding(ids, w, sparse=True).sum()

    for _ in range(3):
        w.clear_gradient()
        step(paddle.to_tensor([1, 3, 1])).backward()
        assert w.grad.to_dense().numpy()[:, 0].tolist() == [0, 2, 0, 1, 0, 0]
