# SPDX-License-Identifier: Apache-2.0
"""A feed that is not of the declared shape: the program runs with it, and a warning says so."""

import warnings

import numpy as np
import pytest

import paddle


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def program(build, shape=(4, 3)):
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        x = paddle.static.data('x', list(shape), 'float32')
        result = build(x)
    executor = paddle.static.Executor()
    executor.run(startup)

    def run(array):
        return executor.run(main, feed={'x': array}, fetch_list=[result])[0]

    return run


def sample(*shape):
    return np.arange(np.prod(shape), dtype='float32').reshape(shape)


@pytest.mark.parametrize('shape', [(5, 3), (4, 7), (12,), (2, 4, 3), (0, 3)], ids=str)
def test_an_elementwise_program_takes_any_shape(shape):
    run = program(lambda x: paddle.exp(-x) + 1)
    given = sample(*shape)
    with pytest.warns(UserWarning, match=r"'x' of shape \[4, 3\], got"):
        np.testing.assert_allclose(run(given), np.exp(-given) + 1, rtol=1e-6)


@pytest.mark.parametrize(
    'build, want',
    [
        (lambda x: paddle.concat([x, x]), lambda a: np.concatenate([a, a])),
        (lambda x: paddle.reshape(x, [-1]) * 2, lambda a: a.reshape(-1) * 2),
        (lambda x: paddle.matmul(x, paddle.ones([3, 2])), lambda a: a @ np.ones([3, 2])),
        (lambda x: paddle.shape(x), lambda a: np.array(a.shape)),
        (
            lambda x: paddle.static.nn.cond(x.sum() > 0, lambda: x + 1, lambda: x - 1),
            lambda a: a + 1,
        ),
    ],
    ids=['concat', 'reshape', 'matmul', 'shape', 'cond'],
)
def test_what_depends_on_the_input_follows_it(build, want):
    run = program(build)
    with pytest.warns(UserWarning):
        np.testing.assert_array_equal(run(sample(5, 3)), want(sample(5, 3)))
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        np.testing.assert_array_equal(run(sample(4, 3)), want(sample(4, 3)))
    with pytest.warns(UserWarning):
        np.testing.assert_array_equal(run(sample(2, 3)), want(sample(2, 3)))


def test_training_takes_another_batch():
    def build(x):
        loss = paddle.mean((paddle.static.nn.fc(x, 1, bias_attr=False) - 1) ** 2)
        paddle.optimizer.SGD(0.1).minimize(loss)
        return loss

    run = program(build)
    with pytest.warns(UserWarning):
        losses = [run(np.eye(3, dtype='float32')[[0, 1, 2, 0, 1, 2]]) for _ in range(200)]
    assert losses[-1] < 1e-3 < losses[0]


def test_what_does_not_fit_is_refused_by_its_operation():
    run = program(lambda x: paddle.reshape(x, [12]))
    with pytest.warns(UserWarning), pytest.raises(ValueError, match='reshape.*15'):
        run(sample(5, 3))
    run = program(lambda x: paddle.transpose(x, [1, 0]))
    with pytest.warns(UserWarning), pytest.raises(ValueError, match='transpose'):
        run(sample(2, 4, 3))


def test_a_loaded_layer_takes_other_extents(tmp_path):
    paddle.disable_static()
    layer = paddle.nn.Linear(3, 2)
    spec = [paddle.static.InputSpec([4, 3], 'float32', 'x')]
    paddle.jit.save(layer, str(tmp_path / 'model'), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / 'model'))
    for shape in [(4, 3), (5, 3), (2, 4, 3)]:
        x = paddle.to_tensor(sample(*shape))
        np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match='features'):
        loaded(paddle.ones([4, 4]))
