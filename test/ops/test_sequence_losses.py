# SPDX-License-Identifier: Apache-2.0
"""Losses over alignments and tree paths, and fractional pooling: against sums over all alignments,
formulas and values of PaddlePaddle 3.3.1; recorded programs against eager calls.
"""

import itertools

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import _C_ops

RNG = np.random.RandomState(5)


def tensor(v):
    """A tensor of an array, or the tensor itself."""
    return v if isinstance(v, paddle.Tensor) else paddle.to_tensor(v)


def log_softmax(x):
    """The logarithm of softmax over the last axis."""
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def ctc_by_alignments(logits, labels, blank):
    """-log of the sum over every sequence of symbols that collapses to the labels."""
    log_p, total = log_softmax(logits), 0.0
    for path in itertools.product(range(logits.shape[1]), repeat=len(logits)):
        met = [k for k, _ in itertools.groupby(path) if k != blank]
        if met == list(labels):
            total += np.exp(sum(log_p[t, c] for t, c in enumerate(path)))
    return -np.log(total) if total else np.inf


def transducer_by_alignments(log_p, labels, blank):
    """-log of the sum over the orders of len(log_p) - 1 steps and the labels."""
    time, total = len(log_p), 0.0
    for emits in itertools.combinations(range(time - 1 + len(labels)), len(labels)):
        t = u = 0
        score = 0.0
        for move in range(time - 1 + len(labels)):
            if move in emits:
                score, u = score + log_p[t, u, labels[u]], u + 1
            else:
                score, t = score + log_p[t, u, blank], t + 1
        total += np.exp(score + log_p[t, u, blank])
    return -np.log(total)


def check_gradient(call, x, places, want=1e-6):
    """The gradient of call(x).sum() at some places against central differences in float64."""
    leaf = paddle.to_tensor(x, stop_gradient=False)
    call(leaf).sum().backward()
    for at in places:
        step = np.zeros_like(x)
        step[at] = 1e-5
        high, low = (
            float(call(paddle.to_tensor(x + s)).astype('float64').sum()) for s in (step, -step)
        )
        assert leaf.grad.numpy()[at] == pytest.approx((high - low) / 2e-5, abs=want)


def recorded_equals_eager(call, *inputs, spec=None):
    """Values and the first input's gradient of a recorded program and of eager calls."""

    def both(fn):
        leaf = paddle.to_tensor(inputs[0], stop_gradient=False)
        out = fn(leaf, *[paddle.to_tensor(v) for v in inputs[1:]])
        out.sum().backward()
        return out.numpy(), leaf.grad.numpy()

    program = paddle.jit.to_static(call, full_graph=True, input_spec=spec)
    for have, want in zip(both(program), both(call)):
        np.testing.assert_allclose(have, want, rtol=1e-6)


CTC = (
    RNG.randn(5, 3, 3),
    np.array([[1, 2], [2, 2], [1, 0]], 'int32'),
    np.array([5, 4, 3], 'int64'),
    np.array([2, 2, 1], 'int64'),
)


@pytest.mark.parametrize('blank', [0, 1, 2])
@pytest.mark.parametrize('dtype', ['float32', 'float64'])
def test_ctc_sums_over_alignments(blank, dtype):
    x, labels, times, lengths = CTC
    labels = np.where(labels == blank, 0 if blank else 2, labels)
    args = [paddle.to_tensor(v) for v in (labels, times, lengths)]
    want = [
        ctc_by_alignments(x[:t, b], labels[b, :n], blank)
        for b, (t, n) in enumerate(zip(times, lengths))
    ]
    loss = F.ctc_loss(paddle.to_tensor(x.astype(dtype)), *args, blank=blank, reduction='none')
    assert str(loss.dtype) == f'paddle.{dtype}'
    np.testing.assert_allclose(loss.numpy(), want, rtol=1e-6)
    if dtype == 'float64':
        places = list(itertools.product(range(5), range(3), range(3)))
        check_gradient(
            lambda v: F.ctc_loss(v, *args, blank=blank, reduction='none'), x, places, 1e-5
        )


def test_ctc_of_what_cannot_be_aligned():
    x = paddle.to_tensor(RNG.randn(4, 3, 3).astype('float32'), stop_gradient=False)
    labels = paddle.to_tensor([[1, 1], [1, 2], [1, 2]], dtype='int32')
    times, lengths = paddle.to_tensor([2, 0, 0]), paddle.to_tensor([2, 1, 0])
    loss = F.ctc_loss(x, labels, times, lengths, reduction='none')
    np.testing.assert_array_equal(loss.numpy(), [np.inf, np.inf, 0.0])
    kept = F.ctc_loss(x, labels, times, lengths, reduction='sum', zero_infinity=True)
    kept.backward()
    assert float(kept) == 0 and not x.grad.numpy().any()


def test_ctc_norm_by_times_scales_the_gradient_alone():
    x, labels, times, lengths = CTC
    args = [paddle.to_tensor(v) for v in (labels, times, lengths)]
    grads, losses = [], []
    for norm in (False, True):
        leaf = paddle.to_tensor(x, stop_gradient=False)
        loss = F.ctc_loss(leaf, *args, reduction='none', norm_by_times=norm)
        loss.sum().backward()
        grads.append(leaf.grad.numpy())
        losses.append(loss.numpy())
    np.testing.assert_array_equal(*losses)
    np.testing.assert_allclose(grads[1], grads[0] / times[None, :, None], rtol=1e-12)


def test_ctc_over_many_steps_keeps_its_precision():
    """The posteriors of each step add up to one, so its gradient to zero."""
    x = paddle.to_tensor(RNG.randn(700, 1, 6).astype('float32') * 4, stop_gradient=False)
    labels = paddle.to_tensor(RNG.randint(1, 6, (1, 200)).astype('int32'))
    F.ctc_loss(
        x, labels, paddle.to_tensor([700]), paddle.to_tensor([200]), reduction='sum'
    ).backward()
    np.testing.assert_allclose(x.grad.numpy().sum(-1), 0, atol=1e-6)


RNNT = (
    log_softmax(RNG.randn(2, 4, 3, 5)),
    np.array([[1, 2], [3, 0]], 'int32'),
    np.array([4, 3], 'int32'),
    np.array([2, 1], 'int32'),
)


def test_transducer_sums_over_alignments():
    x, labels, times, lengths = RNNT
    args = [paddle.to_tensor(v) for v in (labels, times, lengths)]

    def loss(v):
        return F.rnnt_loss(v, *args, fastemit_lambda=0.0, reduction='none')

    want = [
        transducer_by_alignments(x[b, :t], labels[b, :n], 0)
        for b, (t, n) in enumerate(zip(times, lengths))
    ]
    np.testing.assert_allclose(loss(paddle.to_tensor(x)).numpy(), want, rtol=1e-12)
    places = list(itertools.product((0, 1), (0, 2, 3), (0, 1, 2), (0, 1, 3)))
    check_gradient(loss, x, places)


def test_fastemit_scales_gradients_of_labels():
    x, labels, times, lengths = RNNT
    args = [paddle.to_tensor(v) for v in (labels, times, lengths)]
    grads = []
    for weight in (0.0, 0.25):
        leaf = paddle.to_tensor(x, stop_gradient=False)
        F.rnnt_loss(leaf, *args, fastemit_lambda=weight, reduction='sum').backward()
        grads.append(leaf.grad.numpy())
    np.testing.assert_array_equal(grads[0][..., 0], grads[1][..., 0])
    np.testing.assert_allclose(grads[1][..., 1:], grads[0][..., 1:] * 1.25, rtol=1e-12)


def hsigmoid(x, w, b, nodes, turns):
    """The loss of one row, with log(2) for each place behind the path."""
    total = 0.0
    for node, turn in zip(nodes, turns):
        z = 0.0 if node < 0 else x @ w[node] + b[node, 0]
        total += np.log1p(np.exp(z)) - (turn * z if node >= 0 else 0)
    return total


def test_hsigmoid_of_given_and_of_complete_trees():
    x, w, b = RNG.randn(4, 37), RNG.randn(5, 37), RNG.randn(5, 1)
    path = np.array([[0, 1, -1], [0, 2, -1], [0, 2, 4], [3, -1, -1]])
    code = np.array([[0, 1, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    # Class c of 6 is leaf c + 6 of the tree whose node n has the parent n // 2.
    labels = np.array([[0], [5], [2], [3]])
    own = [[(n >> (k + 1)) - 1 if n >> (k + 1) else -1 for k in range(3)] for n in labels[:, 0] + 6]
    turn = [[(n >> k) & 1 for k in range(3)] for n in labels[:, 0] + 6]
    for given, nodes, turns in ((True, path, code), (False, own, turn)):
        trees = [paddle.to_tensor(v) for v in (path, code)] if given else [None, None]

        def loss(v, weight=w, bias=b, trees=trees):
            return F.hsigmoid_loss(
                tensor(v), tensor(labels), 6, tensor(weight), tensor(bias), *trees
            )

        want = [[hsigmoid(*v)] for v in zip(x, [w] * 4, [b] * 4, nodes, turns)]
        np.testing.assert_allclose(loss(x).numpy(), want, rtol=1e-12)
        check_gradient(loss, x, [(0, 0), (1, 36), (3, 20)])
        check_gradient(lambda v, f=loss: f(x, v), w, [(0, 0), (2, 36), (4, 3), (3, 11)])
        check_gradient(lambda v, f=loss: f(x, w, v), b, [(0, 0), (2, 0), (4, 0)])


@pytest.mark.parametrize('dynamic', [False, True])
def test_recorded_losses_equal_eager_ones(dynamic):
    def spec(*inputs):
        if not dynamic:
            return None
        return [
            paddle.static.InputSpec(
                [None] * v.ndim if v.ndim < 3 else [None] * 2 + [*v.shape[2:]], str(v.dtype)
            )
            for v in inputs
        ]

    ctc = (CTC[0].astype('float32'), *CTC[1:])
    recorded_equals_eager(
        lambda x, *rest: F.ctc_loss(x, *rest, norm_by_times=True), *ctc, spec=spec(*ctc)
    )
    recorded_equals_eager(lambda x, *rest: F.rnnt_loss(x, *rest), *RNNT, spec=spec(*RNNT))
    tree = (RNG.randn(3, 4), np.array([[0], [4], [2]]), RNG.randn(4, 4))
    recorded_equals_eager(
        lambda x, label, w: F.hsigmoid_loss(x, label, 5, w), *tree, spec=spec(*tree)
    )
    planes = (RNG.randn(2, 3, 7, 8),)
    recorded_equals_eager(
        lambda x: F.fractional_max_pool2d(x, [3, 4], random_u=0.3), *planes, spec=spec(*planes)
    )


def test_lengths_in_auto_cast():
    x, labels, times, lengths = CTC
    args = [paddle.to_tensor(v) for v in (labels, times, lengths)]
    with paddle.amp.auto_cast(dtype='bfloat16'):
        low = paddle.to_tensor(x.astype('float32')).astype('bfloat16')
        assert F.ctc_loss(low, *args).dtype == paddle.float32


# The last place of each window of 7 x 8 elements in PaddlePaddle 3.3.1.
PLACES = [
    ([3, 4], [0, 0], 0.3, [9, 11, 13, 15, 33, 35, 37, 39, 49, 51, 53, 55]),
    ([3, 4], [2, 3], 0.8, [10, 11, 13, 15, 26, 27, 29, 31, 50, 51, 53, 55]),
    ([7, 1], [0, 0], 0.5, [7, 15, 23, 31, 39, 47, 55]),
    ([2, 5], [4, 2], 0.9, [25, 26, 28, 29, 31, 49, 50, 52, 53, 55]),
]


@pytest.mark.parametrize('size, kernel, u, want', PLACES)
def test_windows_of_fractional_pooling(size, kernel, u, want):
    x = paddle.arange(56, dtype='float32').reshape([1, 1, 7, 8])
    for shape in ([1, 1, 7, 8], [1, 1, 1, 7, 8]):
        three = len(shape) == 5
        op = _C_ops.fractional_max_pool3d if three else _C_ops.fractional_max_pool2d
        lead = [1] if three else []
        mask = op(
            x.reshape(shape), lead + size, ([1] if kernel[0] else [0]) * three + kernel, u, True
        )[1]
        assert mask.numpy().ravel().tolist() == want


def test_fractional_pooling_draws_from_the_generator():
    """PaddlePaddle draws 0.30293643 and 0.65055925 after seed(3)."""
    x = paddle.to_tensor(RNG.randn(2, 3, 9, 9))
    paddle.seed(3)
    for u in (0.30293643, 0.65055925):
        drawn = F.fractional_max_pool2d(x, 4, return_mask=True)
        given = F.fractional_max_pool2d(x, 4, random_u=u, return_mask=True)
        np.testing.assert_array_equal(drawn[1].numpy(), given[1].numpy())
    with pytest.raises(ValueError, match='random_u'):
        F.fractional_max_pool2d(x, 4, random_u=1.0)
