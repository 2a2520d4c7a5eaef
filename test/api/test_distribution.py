# SPDX-License-Identifier: Apache-2.0
"""Distributions: values recorded from the published 3.3.1 package, moments of samples,
transforms.
"""

import json
import os

import numpy as np
import pytest

import paddle
from distribution_cases import CASES, measure, tensors
from paddle import distribution as D

RECORDED = json.load(
    open(os.path.join(os.path.dirname(__file__), 'data', 'distribution_3.3.1.json'))
)


@pytest.mark.parametrize('name', sorted(CASES))
def test_recorded_values(name):
    got = measure(name)
    for what, expected in RECORDED[name].items():
        np.testing.assert_allclose(got[what], expected, rtol=1e-5, atol=1e-7, err_msg=what)


@pytest.mark.parametrize('name', sorted(set(CASES) - {'cauchy', 'studentt'}))
def test_samples(name):
    kind, parameters, _, _ = CASES[name]
    made = getattr(D, kind)(*tensors(parameters))
    paddle.seed(7)
    assert list(made.sample([2, 3]).shape) == [2, 3] + list(made.batch_shape) + list(
        made.event_shape
    )
    drawn = made.sample([20000]).numpy().astype('float64')
    spread = np.sqrt(made.variance.numpy())
    assert (np.abs(drawn.mean(0) - made.mean.numpy()) < 0.06 * spread + 1e-6).all()


def test_seeded_samples_match_the_package():
    paddle.seed(42)
    normal = D.Normal(paddle.zeros([3]), paddle.ones([3])).sample([2]).numpy()
    paddle.seed(42)
    np.testing.assert_array_equal(normal, paddle.standard_normal([2, 3]).numpy())


def test_gradients_reach_the_parameters():
    loc = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    scale = paddle.to_tensor([1.0, 0.5], stop_gradient=False)
    D.Normal(loc, scale).rsample([10]).sum().backward()
    np.testing.assert_allclose(loc.grad.numpy(), [10.0, 10.0])
    assert scale.grad is not None


def test_categorical():
    made = D.Categorical(paddle.to_tensor([1.0, 2.0, 1.0]))
    np.testing.assert_allclose(made.probs(paddle.to_tensor([0, 1])).numpy(), [0.25, 0.5])
    weights = np.exp([1.0, 2.0, 1.0]) / np.exp([1.0, 2.0, 1.0]).sum()
    np.testing.assert_allclose(
        float(made.entropy().numpy()), -(weights * np.log(weights)).sum(), rtol=1e-5
    )
    paddle.seed(1)
    share = np.bincount(made.sample([8000]).numpy(), minlength=3) / 8000
    np.testing.assert_allclose(share, weights, atol=0.03)


def test_categories_are_drawn_by_logarithms_of_weights():
    """As PaddlePaddle draws them, number by number; a policy's logits may be negative."""
    shares = paddle.to_tensor([0.1, 0.4, 0.5])
    paddle.seed(1)
    drawn = D.Categorical(paddle.log(shares)).sample([8]).tolist()
    assert drawn == [0, 2, 2, 0, 1, 2, 2, 2]
    paddle.seed(1)
    counts = D.Multinomial(5, paddle.to_tensor([0.2, 0.3, 0.5])).sample([2]).tolist()
    assert counts == [[1, 1, 3], [2, 0, 3]]
    rows = paddle.to_tensor([[0.2, 0.3, 0.5], [0.5, 0.2, 0.3]])
    paddle.seed(1)
    counts = D.Multinomial(5, rows).sample([2]).tolist()
    assert counts == [[[1, 1, 3], [2, 2, 1]], [[2, 0, 3], [1, 1, 3]]]


@pytest.mark.parametrize(
    'transform, x',
    [
        (D.ExpTransform(), [0.1, 0.5]),
        (D.SigmoidTransform(), [-1.0, 2.0]),
        (D.TanhTransform(), [-1.0, 0.5]),
        (D.StickBreakingTransform(), [0.3, -0.2, 0.1]),
        (D.ChainTransform([D.ExpTransform(), D.TanhTransform()]), [0.1, 0.2]),
    ],
)
def test_transforms_invert_and_measure(transform, x):
    x = paddle.to_tensor(np.array(x), stop_gradient=False)
    y = transform.forward(x)
    np.testing.assert_allclose(transform.inverse(y).numpy(), x.numpy(), rtol=1e-6)
    rows = [paddle.grad(y[i], x, retain_graph=True)[0].numpy() for i in range(x.shape[0])]
    expected = np.log(np.abs(np.linalg.det(np.stack(rows))))
    np.testing.assert_allclose(
        transform.forward_log_det_jacobian(x).numpy().sum(), expected, rtol=1e-5
    )


def test_transformed_distribution():
    made = D.TransformedDistribution(
        D.Normal(paddle.to_tensor([0.0, 1.0]), paddle.to_tensor([1.0, 2.0])), [D.ExpTransform()]
    )
    plain = D.LogNormal(paddle.to_tensor([0.0, 1.0]), paddle.to_tensor([1.0, 2.0]))
    value = paddle.to_tensor([0.5, 3.0])
    np.testing.assert_allclose(
        made.log_prob(value).numpy(), plain.log_prob(value).numpy(), rtol=1e-5
    )
    joint = D.Independent(plain, 1)
    assert joint.batch_shape == () and joint.event_shape == (2,)
    np.testing.assert_allclose(
        joint.log_prob(value).numpy(), plain.log_prob(value).numpy().sum(), rtol=1e-5
    )


def test_unknown_pairs():
    with pytest.raises(NotImplementedError):
        D.kl_divergence(D.Normal(0.0, 1.0), D.Gumbel(0.0, 1.0))
    with pytest.raises(ValueError):
        D.Geometric(paddle.to_tensor([1.5]))


@pytest.mark.parametrize(
    'name, first, second',
    [
        ('Normal', 'loc', 'scale'),
        ('LogNormal', 'loc', 'scale'),
        ('Uniform', 'low', 'high'),
        ('Gamma', 'concentration', 'rate'),
    ],
)
def test_parameters_keep_their_own_shapes(name, first, second):
    values = [paddle.to_tensor([[0.2], [0.6]]), paddle.to_tensor([1.0, 2.0, 3.0])]
    one = getattr(D, name)(*values)
    whole = getattr(D, name)(*(v.expand([2, 3]) for v in values))
    assert [list(getattr(one, v).shape) for v in (first, second)] == [[2, 1], [3]]
    assert list(one.batch_shape) == [2, 3]
    at = paddle.to_tensor([0.7, 0.8, 0.9])
    for got, want in (
        (one.entropy(), whole.entropy()),
        (one.log_prob(at), whole.log_prob(at)),
        (one.kl_divergence(whole), whole.kl_divergence(whole)),
    ):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-6)
    assert list(one.sample([4]).shape) == [4, 2, 3]


def test_shapes_of_other_parameters_are_joined():
    values = paddle.to_tensor([[0.2], [0.6]]), paddle.to_tensor([1.0, 2.0, 3.0])
    for name in ('Gumbel', 'Laplace', 'Cauchy'):
        d = getattr(D, name)(*values)
        assert list(d.loc.shape) == list(d.scale.shape) == [2, 3]


def test_transforms_without_a_jacobian_say_so():
    softmax = paddle.distribution.SoftmaxTransform()
    for name in ('forward_log_det_jacobian', 'inverse_log_det_jacobian'):
        with pytest.raises(NotImplementedError):
            getattr(softmax, name)(paddle.ones([2, 3]))
