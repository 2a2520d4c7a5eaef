# SPDX-License-Identifier: Apache-2.0
"""Model: fit, evaluate, predict, save and load, callbacks; summary and flops."""

import contextlib
import io
import os

import numpy as np
import pytest

import paddle
from paddle.callbacks import Callback, EarlyStopping, ReduceLROnPlateau


class Sums(paddle.io.Dataset):
    def __getitem__(self, i):
        x = np.random.RandomState(i).rand(4).astype('float32')
        return x, np.array([int(x.sum() > 2)])

    def __len__(self):
        return 37


def model(learning_rate=0.05):
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 16), paddle.nn.ReLU(), paddle.nn.Linear(16, 2))
    made = paddle.Model(net)
    made.prepare(
        paddle.optimizer.Adam(learning_rate, parameters=made.parameters()),
        paddle.nn.CrossEntropyLoss(),
        paddle.metric.Accuracy(),
    )
    return made


def test_fit_evaluate_predict(tmp_path, capsys):
    made = model()
    made.fit(
        Sums(),
        Sums(),
        batch_size=8,
        epochs=12,
        verbose=2,
        log_freq=2,
        save_dir=str(tmp_path),
        save_freq=6,
    )
    text = capsys.readouterr().out
    assert 'Epoch 12/12' in text and 'step 5/5 - loss:' in text and 'Eval samples: 37' in text
    result = made.evaluate(Sums(), batch_size=8, verbose=0)
    assert result['acc'] > 0.85 and set(result) == {'loss', 'acc'}
    outputs = made.predict(Sums(), batch_size=8, stack_outputs=True, verbose=0)
    assert outputs[0].shape == (37, 2)
    assert sorted(os.listdir(tmp_path)) == [
        '0.pdopt',
        '0.pdparams',
        '6.pdopt',
        '6.pdparams',
        'final.pdopt',
        'final.pdparams',
    ]
    other = model()
    other.load(str(tmp_path / 'final'))
    assert other.evaluate(Sums(), batch_size=8, verbose=0)['acc'] == result['acc']


def test_batches():
    made = model()
    x, y = np.random.rand(3, 4).astype('float32'), np.array([[0], [1], [1]])
    losses, metrics = made.train_batch([x], [y])
    assert len(losses) == 1 and 0 <= metrics[0] <= 1
    assert made.predict_batch([x])[0].shape == (3, 2)
    with pytest.raises(TypeError):
        made.prepare(loss=3)


def test_callbacks_are_called_in_order():
    seen = []

    class Recorder(Callback):
        def on_train_begin(self, logs=None):
            seen.append('begin')

        def on_epoch_end(self, epoch, logs=None):
            seen.append((epoch, sorted(logs)))

        def on_train_end(self, logs=None):
            seen.append('end')

    model().fit(Sums(), batch_size=20, epochs=2, verbose=0, callbacks=[Recorder()])
    keys = ['acc', 'batch_size', 'loss', 'step']
    assert seen == ['begin', (0, keys), (1, keys), 'end']


def test_early_stopping_and_plateau():
    made = model(0.0)
    stopper = EarlyStopping('loss', patience=1, verbose=0, save_best_model=False)
    made.fit(Sums(), Sums(), batch_size=37, epochs=10, verbose=0, callbacks=[stopper])
    assert made.stop_training and stopper.stopped_epoch == 2
    made = model(0.4)
    made.fit(
        Sums(),
        Sums(),
        batch_size=37,
        epochs=3,
        verbose=0,
        callbacks=[ReduceLROnPlateau(patience=1, verbose=0, min_delta=100, factor=0.5)],
    )
    assert made._optimizer.get_lr() == pytest.approx(0.1)


@pytest.mark.parametrize(
    'losses, patience, stops_after', [([3], 0, 1), ([3, 2, 2.5], 1, 3), ([3, 2, 2.5, 2.6], 2, 4)]
)
def test_early_stopping_after_evaluations_without_a_better_one(losses, patience, stops_after):
    made = model(0.0)
    made.stop_training = False
    stopper = EarlyStopping('loss', patience=patience, verbose=0, save_best_model=False)
    stopper.set_model(made)
    stopper.on_train_begin()
    stopped = []
    for loss in losses:
        stopper.on_eval_end({'loss': loss})
        stopped.append(made.stop_training)
    assert stopped == [n == stops_after for n in range(1, len(losses) + 1)]


def test_progress_goes_to_standard_output_as_it_is():
    from paddle.hapi.progressbar import ProgressBar

    bar, caught, given = ProgressBar(4), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(caught):
        bar.update(1, [('loss', 0.5)])
        ProgressBar(4, file=given).update(2)
    assert 'step 1/4' in caught.getvalue() and 'step 2/4' not in caught.getvalue()
    assert 'step 2/4' in given.getvalue()


def test_summary_and_flops(capsys):
    counted = paddle.summary(paddle.vision.models.LeNet(), (1, 1, 28, 28))
    assert counted['total_params'] == counted['trainable_params'] == 61610
    assert '[1, 16, 10, 10]' in capsys.readouterr().out
    assert paddle.flops(paddle.vision.models.LeNet(), [1, 1, 28, 28]) == 347560


def test_marks_of_recorded_programs_are_refused():
    net = paddle.nn.Linear(2, 2)
    sgd = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    with pytest.raises(ValueError, match='use_fp16_guard'):
        paddle.Model(net).prepare(sgd, amp_configs={'level': 'O1', 'use_fp16_guard': True})


def test_weights_that_are_not_there_are_no_path(tmp_path):
    with pytest.raises(AssertionError, match='nothing.pdparams'):
        paddle.Model(paddle.nn.Linear(2, 2)).load(str(tmp_path / 'nothing'))
