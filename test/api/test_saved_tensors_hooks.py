# SPDX-License-Identifier: Apache-2.0
"""saved_tensors_hooks: called for what every node keeps, with the gradients unchanged."""

import gc
import threading
import weakref

import numpy as np
import pytest

import paddle
from paddle.autograd import saved_tensors_hooks


def leaf(*shape):
    x = paddle.to_tensor(np.random.default_rng(1).uniform(0.2, 0.9, shape).astype('float32'))
    x.stop_gradient = False
    return x


class Store:
    """Keeps arrays in place of tensors, and counts."""

    def __init__(self):
        self.packed = self.unpacked = 0

    def pack(self, tensor):
        assert isinstance(tensor, paddle.Tensor) and tensor.stop_gradient
        self.packed += 1
        return tensor.numpy().copy()

    def unpack(self, array):
        self.unpacked += 1
        return paddle.to_tensor(array)


FUNCTIONS = [
    lambda x, w: paddle.tanh(x) * x,
    lambda x, w: paddle.nn.functional.softmax(x @ w),
    lambda x, w: (x @ w).exp().sum(0),
    lambda x, w: paddle.nn.functional.layer_norm(x, 3) * w[0, 0],
    lambda x, w: paddle.where(x > 0.5, x * x, x),
    lambda x, w: paddle.gather(x, paddle.to_tensor([0, 1])) ** 2,
    lambda x, w: paddle.concat([x, x * 2]).max(1),
    lambda x, w: paddle.cumsum(x, 0) * paddle.sin(x),
    lambda x, w: x[0] * w[:, 0],
]


@pytest.mark.parametrize('function', FUNCTIONS)
def test_gradients_of_any_order_are_those_without_hooks(function):
    def grads(hooked):
        x, w, store = leaf(2, 3), leaf(3, 3), Store()
        if hooked:
            with saved_tensors_hooks(store.pack, store.unpack):
                y = function(x, w).sum()
                first = paddle.grad(y, x, create_graph=True)[0]
                second = paddle.grad((first * first).sum(), x, allow_unused=True)[0]
        else:
            y = function(x, w).sum()
            first = paddle.grad(y, x, create_graph=True)[0]
            second = paddle.grad((first * first).sum(), x, allow_unused=True)[0]
        return first, second, store

    plain, hooked = grads(False), grads(True)
    np.testing.assert_array_equal(hooked[0].numpy(), plain[0].numpy())
    assert (hooked[1] is None) == (plain[1] is None)
    if plain[1] is not None:
        np.testing.assert_array_equal(hooked[1].numpy(), plain[1].numpy())
    assert hooked[2].unpacked <= 4 * hooked[2].packed


def test_hooks_see_inputs_and_outputs_once_each():
    x, store = leaf(3), Store()
    with saved_tensors_hooks(store.pack, store.unpack):
        y = paddle.tanh(x)  # keeps its output
        z = y * y  # keeps its input, twice
    assert store.packed in (2, 3) and store.unpacked == 0
    z.sum().backward()
    assert store.unpacked == store.packed
    expected = 2 * np.tanh(x.numpy()) * (1 - np.tanh(x.numpy()) ** 2)
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)


def test_the_kept_object_is_what_unpack_gets_and_is_freed():
    class Kept:
        pass

    kept = []

    def pack(tensor):
        one = Kept()
        one.value = tensor.numpy().copy()
        kept.append(weakref.ref(one))
        return one

    x = leaf(3)
    with saved_tensors_hooks(pack, lambda one: paddle.to_tensor(one.value * 2)):
        y = x * x
    y.sum().backward()
    np.testing.assert_allclose(
        x.grad.numpy(), 4 * x.numpy(), rtol=1e-6
    )  # what unpack gives is what is used
    del y
    gc.collect()
    assert kept and all(one() is None for one in kept)


def test_what_a_hook_keeps_may_be_written_afterwards():
    x, store = leaf(3), Store()
    v = x * 1
    with saved_tensors_hooks(store.pack, store.unpack):
        y = (v * v).sum()
    v.zero_()
    expected = 2 * x.numpy()
    y.backward()
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6)


def test_innermost_pair_counts_and_ends():
    x, outer, inner = leaf(3), Store(), Store()
    with saved_tensors_hooks(outer.pack, outer.unpack):
        with saved_tensors_hooks(inner.pack, inner.unpack):
            paddle.exp(x)
        assert (outer.packed, inner.packed) == (0, 1)
        paddle.exp(x)
        assert (outer.packed, inner.packed) == (1, 1)
    paddle.exp(x)
    assert (outer.packed, inner.packed) == (1, 1)


def test_hooks_may_compute_and_record_nothing():
    x = leaf(3)
    calls = []

    def pack(tensor):
        calls.append(tensor)
        return paddle.exp(tensor * 1)

    with saved_tensors_hooks(pack, paddle.log):
        y = (x * x).sum()
    count = len(calls)
    y.backward()
    assert len(calls) == count
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), rtol=1e-5)


def test_hooks_that_raise_or_lie_are_errors():
    x = leaf(3)

    def fail(_):
        raise KeyError('mine')

    with saved_tensors_hooks(fail, fail), pytest.raises(KeyError, match='mine'):
        paddle.exp(x)
    with saved_tensors_hooks(lambda t: t, fail):
        y = paddle.exp(x)
    with pytest.raises(KeyError, match='mine'):
        y.sum().backward()
    with saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = paddle.exp(x)
    with pytest.raises((TypeError, ValueError)):
        y.sum().backward()
    with saved_tensors_hooks(lambda t: t, lambda t: paddle.zeros([7])):
        y = paddle.exp(x)
    with pytest.raises(ValueError, match='unpack_hook'):
        y.sum().backward()
    with pytest.raises(TypeError), saved_tensors_hooks(1, 2):
        pass


def test_hooks_are_those_of_their_thread():
    x, store = leaf(3), Store()

    def other():
        paddle.exp(x)

    with saved_tensors_hooks(store.pack, store.unpack):
        worker = threading.Thread(target=other)
        worker.start()
        worker.join()
    assert store.packed == 0


def test_a_layer_trains_with_hooks():
    def loss(hooked):
        paddle.seed(3)
        net = paddle.nn.Sequential(
            paddle.nn.Linear(4, 8), paddle.nn.GELU(), paddle.nn.LayerNorm(8), paddle.nn.Linear(8, 2)
        )
        x, store = leaf(5, 4), Store()
        if hooked:
            with saved_tensors_hooks(store.pack, store.unpack):
                out = paddle.nn.functional.cross_entropy(net(x), paddle.to_tensor([0, 1, 0, 1, 1]))
        else:
            out = paddle.nn.functional.cross_entropy(net(x), paddle.to_tensor([0, 1, 0, 1, 1]))
        out.backward()
        return [p.grad.numpy() for p in net.parameters()], store.packed

    (plain, _), (hooked, count) = loss(False), loss(True)
    assert count >= 6
    for a, b in zip(plain, hooked):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize('kept_by', ['pack', 'unpack'])
@pytest.mark.parametrize('depth', [1, 3, 100])
def test_what_hooks_keep_is_freed_with_the_graph(kept_by, depth):
    class Kept(list):
        """What pack_hook gives; it holds the result, and so itself."""

    everything, mine = [], Kept()

    def pack(tensor):
        kept = Kept([tensor]) if kept_by == 'pack' else [tensor]
        everything.append(kept)
        return kept

    def unpack(kept, mine=mine):
        return kept[0]

    x = leaf(3)
    y = x * x
    with saved_tensors_hooks(pack, unpack):
        for _ in range(depth):
            y = y * y * y
    objects = [kept for kept in everything if isinstance(kept, Kept)] + [mine]
    for kept in objects:
        kept.append(y)
    seen = [weakref.ref(kept) for kept in objects]
    del kept, objects, pack, unpack, everything, mine
    y.sum().backward(retain_graph=True)
    gc.collect()
    assert all(ref() is not None for ref in (seen if kept_by == 'pack' else seen[-1:]))
    del y
    gc.collect()
    assert all(ref() is None for ref in seen)


def test_hooks_set_within_a_hook_end_with_it():
    calls = []

    def pack(tensor):
        calls.append('outer')
        with saved_tensors_hooks(lambda t: t, lambda t: t):
            pass
        with paddle.enable_grad():
            y = leaf(2)
            y * y
        return tensor

    x = leaf(2)
    with saved_tensors_hooks(pack, lambda t: t):
        y = x * x
    assert calls and set(calls) == {'outer'} and len(calls) <= 2
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), rtol=1e-6)
