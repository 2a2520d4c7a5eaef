# SPDX-License-Identifier: Apache-2.0
"""What is saved for inference is in test mode, whatever mode it was recorded in."""

import numpy as np
import paddle
import pytest
from paddle import nn

X = np.random.default_rng(0).random((6, 4, 3, 3), 'float32') * 3 + 1


def trained():
    paddle.seed(0)
    net = nn.Sequential(nn.BatchNorm2D(4), nn.Dropout(0.5))
    for _ in range(3):
        net(paddle.to_tensor(X))
    return net


@pytest.mark.parametrize('mode', ['train', 'eval'])
def test_layers_are_saved_for_evaluation(tmp_path, mode):
    net = trained()
    wanted = net.eval()(paddle.to_tensor(X)).numpy()
    getattr(net, mode)()
    spec = [paddle.static.InputSpec([None, 4, 3, 3], 'float32')]
    paddle.jit.save(net, str(tmp_path / 'net'), input_spec=spec)
    assert net.training == net[0].training == (mode == 'train')
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    np.testing.assert_allclose(loaded(paddle.to_tensor(X)).numpy(), wanted, rtol=1e-5)
    if mode == 'train':
        loaded.train()
        assert (loaded(paddle.to_tensor(X)).numpy() == 0).mean() > 0.3
        loaded.eval()
        assert (loaded(paddle.to_tensor(X)).numpy() != 0).all()


def test_programs_that_train_are_saved_for_evaluation(tmp_path):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data('x', [None, 4, 3, 3])
            hidden = paddle.static.nn.batch_norm(x)
            out = paddle.nn.functional.dropout(hidden, 0.5)
            paddle.optimizer.SGD(0.1).minimize(out.mean())
        exe = paddle.static.Executor()
        exe.run(startup)
        for _ in range(3):
            exe.run(main, feed={'x': X})
        path = str(tmp_path / 'net')
        paddle.static.save_inference_model(path, [x], [out, hidden], exe, program=main)
        program, feeds, fetches = paddle.static.load_inference_model(path, exe)
        found, before = exe.run(program, feed={feeds[0]: X}, fetch_list=fetches)
        test = main.clone(for_test=True)
        (wanted,) = exe.run(test, feed={'x': X}, fetch_list=[hidden])
        assert {op.attrs()['is_test'] for op in main.global_block().ops if 'dropout' in op.name()}
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(found, before)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    batch = (X - X.mean((0, 2, 3), keepdims=True)) / X.std((0, 2, 3), keepdims=True)
    assert np.abs(found - batch).max() > 0.1  # running statistics, not those of the batch


def test_models_are_saved_with_the_inputs_of_their_last_batch(tmp_path):
    net = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(4, 3))
    model = paddle.Model(net)
    model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), nn.CrossEntropyLoss())
    with pytest.raises(RuntimeError, match='or a batch that ran before'):
        model.save(str(tmp_path / 'early'), training=False)
    images, labels = np.ones((8, 1, 2, 2), 'float32'), np.zeros((8, 1), 'int64')
    model.train_batch([images], [labels])
    model.save(str(tmp_path / 'net'), training=False)
    loaded = paddle.jit.load(str(tmp_path / 'net'))
    few = paddle.ones([3, 1, 2, 2])
    np.testing.assert_allclose(loaded(few).numpy(), net.eval()(few).numpy(), rtol=1e-5)
