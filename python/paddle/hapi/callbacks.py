# SPDX-License-Identifier: Apache-2.0
"""Callbacks of `Model.fit`, `evaluate` and `predict`."""

import os
import warnings

import numpy as np

from paddle.base.arguments import items
from paddle.base.known_keywords import KnownKeywords

from .progressbar import ProgressBar

__all__ = [
    'Callback',
    'ProgBarLogger',
    'ModelCheckpoint',
    'VisualDL',
    'LRScheduler',
    'EarlyStopping',
    'ReduceLROnPlateau',
    'WandbCallback',
]


class Callback(KnownKeywords):
    """Base of callbacks; every method may be overridden.

    `self.model` and `self.params` are set before use.

    Examples:
        >>> class Count(paddle.callbacks.Callback):
        ...     steps = 0
        ...     def on_train_batch_end(self, step, logs=None):
        ...         self.steps += 1
        >>> net = paddle.nn.Linear(2, 1)
        >>> model = paddle.Model(net)
        >>> model.prepare(paddle.optimizer.SGD(0.1, net.parameters()), paddle.nn.MSELoss())
        >>> count = Count()
        >>> data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
        >>> model.fit(data, batch_size=2, epochs=3, verbose=0, callbacks=[count])
        >>> count.steps
        6
    """

    def __init__(self):
        self.model = None
        self.params = {}

    def set_params(self, params):
        """Take the run's parameters, a dict."""
        self.params = params

    def set_model(self, model):
        """Take the `Model`."""
        self.model = model

    def on_train_begin(self, logs=None):
        """Before training."""

    def on_train_end(self, logs=None):
        """After training."""

    def on_eval_begin(self, logs=None):
        """Before evaluation; logs has steps and metrics."""

    def on_eval_end(self, logs=None):
        """After evaluation; logs has the results."""

    def on_predict_begin(self, logs=None):
        """Before prediction."""

    def on_predict_end(self, logs=None):
        """After prediction."""

    def on_epoch_begin(self, epoch, logs=None):
        """Before an epoch."""

    def on_epoch_end(self, epoch, logs=None):
        """After an epoch; logs has the loss and metrics."""

    def on_train_batch_begin(self, step, logs=None):
        """Before a training step."""

    def on_train_batch_end(self, step, logs=None):
        """After a training step; logs has the loss and metrics."""

    def on_eval_batch_begin(self, step, logs=None):
        """Before an evaluation step."""

    def on_eval_batch_end(self, step, logs=None):
        """After an evaluation step."""

    def on_predict_batch_begin(self, step, logs=None):
        """Before a prediction step."""

    def on_predict_batch_end(self, step, logs=None):
        """After a prediction step."""


class CallbackList:
    """Callbacks as one: what is told to it is told to each in turn."""

    def __init__(self, callbacks=None):
        self.callbacks = items('CallbackList', 'callbacks', callbacks or [])
        self.model = None
        self.params = {}

    def __iter__(self):
        return iter(self.callbacks)

    def append(self, callback):
        """Add a callback behind the others."""
        self.callbacks += items('CallbackList.append', 'callback', [callback])

    def set_params(self, params):
        """Give the parameters of the run, a dict, to all."""
        self.params = params
        self._call('set_params', params)

    def set_model(self, model):
        """Give the model to all."""
        self.model = model
        self._call('set_model', model)

    def _call(self, name, *args):
        for callback in self.callbacks:
            getattr(callback, name)(*args)

    def _call_of(self, mode, name, *args):
        if mode not in ('train', 'eval', 'predict'):
            raise AssertionError(
                f"[CallbackList] expected mode to be train, eval or predict, got {mode!r}"
            )
        self._call(f'on_{mode}_{name}', *args)

    def on_begin(self, mode, logs=None):
        """Before a run of `mode`: 'train', 'eval' or 'predict'."""
        self._call_of(mode, 'begin', logs)

    def on_end(self, mode, logs=None):
        """After a run of `mode`."""
        self._call_of(mode, 'end', logs)

    def on_epoch_begin(self, epoch=None, logs=None):
        """Before an epoch."""
        self._call('on_epoch_begin', epoch, logs)

    def on_epoch_end(self, epoch=None, logs=None):
        """After an epoch."""
        self._call('on_epoch_end', epoch, logs)

    def on_batch_begin(self, mode, step=None, logs=None):
        """Before a step of a run of `mode`."""
        self._call_of(mode, 'batch_begin', step, logs)

    def on_batch_end(self, mode, step=None, logs=None):
        """After a step of a run of `mode`."""
        self._call_of(mode, 'batch_end', step, logs)


def config_callbacks(
    callbacks=None,
    model=None,
    batch_size=None,
    epochs=None,
    steps=None,
    log_freq=2,
    verbose=2,
    save_freq=1,
    save_dir=None,
    metrics=None,
    mode='train',
):
    """The callbacks of one run: the user's and the default ones."""
    given = (
        list(callbacks)
        if isinstance(callbacks, (list, tuple))
        else [callbacks]
        if callbacks is not None
        else []
    )
    if not any(isinstance(c, ProgBarLogger) for c in given) and verbose:
        given = [ProgBarLogger(log_freq, verbose=verbose)] + given
    if not any(isinstance(c, ModelCheckpoint) for c in given):
        given = given + [ModelCheckpoint(save_freq, save_dir)]
    for c in given:
        if isinstance(c, EarlyStopping):
            c.save_dir = save_dir
    if not any(isinstance(c, LRScheduler) for c in given):
        given = given + [LRScheduler()]
    out = CallbackList(given)
    out.set_model(model)
    out.set_params(
        {
            'batch_size': batch_size,
            'epochs': epochs,
            'steps': steps,
            'verbose': verbose,
            'metrics': metrics or [] if mode != 'test' else [],
        }
    )
    return out


def _on_main_rank():
    return int(os.environ.get('PADDLE_TRAINER_ID', '0')) == 0


class ProgBarLogger(Callback):
    """Prints loss and metrics every `log_freq` steps; verbose 0 nothing, 1 a progress bar, 2 lines.

    Args:
        log_freq (int, default 1): After how many steps.
        verbose (int, default 2): 0 nothing, 1 a progress bar, 2 lines.

    Examples:
        >>> paddle.callbacks.ProgBarLogger(log_freq=10, verbose=2).log_freq
        10
    """

    def __init__(self, log_freq=1, verbose=2):
        super().__init__()
        self.epochs = None
        self.steps = None
        self.verbose = verbose
        self.log_freq = log_freq

    def _shown(self):
        return self.verbose and _on_main_rank()

    def on_train_begin(self, logs=None):
        self.epochs = self.params['epochs']
        self.train_metrics = self.params['metrics']
        if self._shown():
            print(
                "The loss value printed in the log is the current step, and the metric is "
                "the average value of previous steps."
            )

    def on_epoch_begin(self, epoch=None, logs=None):
        self.steps = self.params['steps']
        self.epoch = epoch
        self.train_step = 0
        if self.epochs and self._shown():
            print(f'Epoch {epoch + 1}/{self.epochs}')
        self.train_progbar = ProgressBar(num=self.steps, verbose=self.verbose)

    def _values(self, names, logs):
        return [(name, logs[name]) for name in names if name in logs]

    def on_train_batch_end(self, step, logs=None):
        logs = logs or {}
        self.train_step += 1
        if (
            self._shown()
            and self.train_step % self.log_freq == 0
            and (self.steps is None or self.train_step < self.steps)
        ):
            self.train_progbar.update(self.train_step, self._values(self.train_metrics, logs))

    def on_epoch_end(self, epoch, logs=None):
        if self._shown():
            self.train_progbar.update(self.train_step, self._values(self.train_metrics, logs or {}))

    def _begin(self, logs, title):
        self.run_steps = (logs or {}).get('steps')
        self.run_metrics = (logs or {}).get('metrics', [])
        self.run_step = 0
        self.run_samples = 0
        self.run_progbar = ProgressBar(num=self.run_steps, verbose=self.verbose)
        if self._shown():
            print(f'{title} begin...')

    def _batch(self, logs):
        logs = logs or {}
        self.run_step += 1
        self.run_samples += logs.get('batch_size', 1)
        if (
            self._shown()
            and self.run_step % self.log_freq == 0
            and (self.run_steps is None or self.run_step < self.run_steps)
        ):
            self.run_progbar.update(self.run_step, self._values(self.run_metrics, logs))

    def _end(self, logs, title):
        if self._shown():
            self.run_progbar.update(self.run_step, self._values(self.run_metrics, logs or {}))
            print(f'{title} samples: {self.run_samples}')

    def on_eval_begin(self, logs=None):
        self._begin(logs, 'Eval')

    def on_eval_batch_end(self, step, logs=None):
        self._batch(logs)

    def on_eval_end(self, logs=None):
        self._end(logs, 'Eval')

    def on_predict_begin(self, logs=None):
        self._begin(logs, 'Predict')

    def on_predict_batch_end(self, step, logs=None):
        self._batch(logs)

    def on_predict_end(self, logs=None):
        self._end(None, 'Predict')


class ModelCheckpoint(Callback):
    """Saves `<save_dir>/<epoch>` every `save_freq` epochs, and `<save_dir>/final`.

    Args:
        save_freq (int, default 1): After how many epochs.
        save_dir (str, default None): The folder; None for nothing.

    Examples:
        >>> import os
        >>> net = paddle.nn.Linear(2, 1)
        >>> model = paddle.Model(net)
        >>> model.prepare(paddle.optimizer.SGD(0.1, net.parameters()), paddle.nn.MSELoss())
        >>> save = paddle.callbacks.ModelCheckpoint(save_dir="saved")
        >>> data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
        >>> model.fit(data, batch_size=2, epochs=1, verbose=0, callbacks=[save])
        save checkpoint at ...0
        save checkpoint at ...final
        >>> sorted(os.listdir("saved"))
        ['0.pdparams', 'final.pdparams']
    """

    def __init__(self, save_freq=1, save_dir=None):
        super().__init__()
        self.save_freq = save_freq
        self.save_dir = save_dir

    def on_epoch_begin(self, epoch=None, logs=None):
        self.epoch = epoch

    def _save(self, name):
        path = os.path.join(self.save_dir, name)
        print(f'save checkpoint at {os.path.abspath(path)}')
        self.model.save(path)

    def on_epoch_end(self, epoch, logs=None):
        if self.save_dir and _on_main_rank() and epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_train_end(self, logs=None):
        if self.save_dir and _on_main_rank():
            self._save('final')


class LRScheduler(Callback):
    """Steps the optimizer's scheduler after each batch (`by_step`) or each epoch (`by_epoch`).

    Args:
        by_step (bool, default True): After each batch.
        by_epoch (bool, default False): After each epoch.

    Examples:
        >>> paddle.callbacks.LRScheduler(by_step=False, by_epoch=True).by_epoch
        True
    """

    def __init__(self, by_step=True, by_epoch=False):
        super().__init__()
        if by_step and by_epoch:
            raise ValueError("[LRScheduler] expected one of by_step and by_epoch, got both")
        self.by_step = by_step
        self.by_epoch = by_epoch

    def _step(self):
        from paddle.optimizer.lr import LRScheduler as Scheduler

        rate = getattr(getattr(self.model, '_optimizer', None), '_learning_rate', None)
        if isinstance(rate, Scheduler):
            rate.step()

    def on_epoch_end(self, epoch, logs=None):
        if self.by_epoch:
            self._step()

    def on_train_batch_end(self, step, logs=None):
        if self.by_step:
            self._step()


class _Monitor(Callback):
    """Shared by callbacks that watch one metric of the evaluation."""

    def _watch(self, monitor, mode, min_delta):
        self.monitor = monitor
        if mode not in ('auto', 'min', 'max'):
            warnings.warn(f"[{type(self).__name__}] the mode {mode!r} is unknown: 'auto' is used")
            mode = 'auto'
        rising = mode == 'max' or (mode == 'auto' and 'acc' in monitor)
        self.monitor_op = np.greater if rising else np.less
        self.min_delta = abs(min_delta) * (1 if rising else -1)
        self.best_value = -np.inf if rising else np.inf

    def _current(self, logs):
        if logs is None or self.monitor not in logs:
            warnings.warn(
                f"[{type(self).__name__}] the monitor {self.monitor!r} is neither the loss nor a "
                "metric of this run"
            )
            return None
        value = logs[self.monitor]
        if isinstance(value, (list, tuple)):
            value = value[0]
        value = np.asarray(value).reshape(-1)
        return float(value[0])

    def _improved(self, current):
        return bool(self.monitor_op(current - self.min_delta, self.best_value))


class EarlyStopping(_Monitor):
    """Stops training when the metric `monitor` has not improved for `patience` evaluations.

    Args:
        monitor (str, default 'loss'): The metric.
        mode (str, default 'auto'): `min`, `max`, or `auto`, which tells from the name of the
            metric.
        patience (int, default 0): How many evaluations without a better one end the training; 0
            ends it after the first.
        verbose (int, default 1): 0 prints nothing, 1 each change.
        min_delta (float, default 0): By how much a better one differs at least.
        baseline (float, default None): What the metric must reach; None for nothing.
        save_best_model (bool, default True): Whether the best model is saved, where `fit` has a
            save_dir.

    Examples:
        >>> stop = paddle.callbacks.EarlyStopping("loss", patience=2, verbose=0)
        >>> stop.patience
        2
    """

    def __init__(
        self,
        monitor='loss',
        mode='auto',
        patience=0,
        verbose=1,
        min_delta=0,
        baseline=None,
        save_best_model=True,
    ):
        super().__init__()
        self._watch(monitor, mode, min_delta)
        self.patience = patience
        self.verbose = verbose
        self.baseline = baseline
        self.wait_epoch = 0
        self.stopped_epoch = 0
        self.save_best_model = save_best_model
        self.save_dir = None
        self.best_weights = None

    def on_train_begin(self, logs=None):
        self.wait_epoch = 0
        if self.baseline is not None:
            self.best_value = self.baseline
        else:
            self.best_value = np.inf if self.monitor_op is np.less else -np.inf
            self.best_weights = None

    def on_eval_end(self, logs=None):
        current = self._current(logs)
        if current is None:
            return
        if self._improved(current):
            self.best_value = current
            self.wait_epoch = 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(os.path.join(self.save_dir, 'best_model'))
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= self.patience:
            self.model.stop_training = True
            if self.verbose > 0:
                print(f'Epoch {self.stopped_epoch + 1}: Early stopping.')
                if self.save_best_model and self.save_dir is not None:
                    print(
                        'Best checkpoint has been saved at '
                        f'{os.path.abspath(os.path.join(self.save_dir, "best_model"))}'
                    )
        self.stopped_epoch += 1


class ReduceLROnPlateau(_Monitor):
    """Multiplies the learning rate by `factor` when `monitor` has not improved for `patience`
    evaluations.

    Args:
        monitor (str, default 'loss'): The metric.
        factor (float, default 0.1): The factor.
        patience (int, default 10): How many evaluations without a better one are borne.
        verbose (int, default 1): 0 prints nothing, 1 each change.
        mode (str, default 'auto'): `min`, `max`, or `auto`, which tells from the name of the
            metric.
        min_delta (float, default 0.0001): By how much a better one differs at least.
        cooldown (int, default 0): How many evaluations after a change do not count.
        min_lr (float, default 0): The least rate.

    Examples:
        >>> paddle.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=3).factor
        0.5
    """

    def __init__(
        self,
        monitor='loss',
        factor=0.1,
        patience=10,
        verbose=1,
        mode='auto',
        min_delta=1e-4,
        cooldown=0,
        min_lr=0,
    ):
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"[ReduceLROnPlateau] expected a factor below 1, got {factor}")
        self._arguments = (monitor, mode, min_delta)
        self._watch(monitor, mode, min_delta)
        self.factor = factor
        self.patience = patience
        self.verbose = verbose
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.cooldown_counter = 0
        self.wait = 0
        self.epoch = 0

    def on_train_begin(self, logs=None):
        self._watch(*self._arguments)
        self.cooldown_counter = 0
        self.wait = 0

    def in_cooldown(self):
        """Whether a reduction is still settling."""
        return self.cooldown_counter > 0

    def on_eval_end(self, logs=None):
        current = self._current(logs)
        if current is None:
            return
        if not isinstance(self.model._optimizer._learning_rate, (int, float)):
            warnings.warn(
                "[ReduceLROnPlateau] the optimizer has a scheduler: its rate stays as that sets it"
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._improved(current):
            self.best_value = current
            self.wait = 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                old = self.model._optimizer.get_lr()
                if old > np.float32(self.min_lr):
                    new = max(old * self.factor, self.min_lr)
                    self.model._optimizer.set_lr(new)
                    if self.verbose > 0:
                        print(
                            f'\nEpoch {self.epoch + 1}: ReduceLROnPlateau reducing learning rate '
                            f'to {new}.'
                        )
                    self.cooldown_counter = self.cooldown
                    self.wait = 0
        self.epoch += 1


class _Curves(Callback):
    """Shared by callbacks that send scalars elsewhere; a subclass gives `_scalar(tag, value,
    step)`.
    """

    def __init__(self):
        super().__init__()
        self.epochs = None
        self.epoch = 0
        self.total_steps = 0
        self.evals = 0

    def on_train_begin(self, logs=None):
        self.epochs = self.params['epochs']

    def on_epoch_begin(self, epoch=None, logs=None):
        self.epoch = epoch

    def _send(self, prefix, logs, step):
        for name in self.params.get('metrics') or []:
            if name in (logs or {}):
                value = logs[name][0] if isinstance(logs[name], (list, tuple)) else logs[name]
                self._scalar(f'{prefix}/{name}', float(value), step)

    def on_train_batch_end(self, step, logs=None):
        self.total_steps += 1
        if _on_main_rank():
            self._send('train', logs, self.total_steps)

    def on_eval_end(self, logs=None):
        self.evals += 1
        if _on_main_rank():
            self._send('eval', logs, self.evals)


class VisualDL(_Curves):
    """Writes curves for VisualDL into `log_dir`; needs the `visualdl` package.

    Args:
        log_dir (str): The folder.

    Examples:
        >>> paddle.callbacks.VisualDL("logs").log_dir
        'logs'
    """

    def __init__(self, log_dir):
        super().__init__()
        self.log_dir = log_dir
        self._writer = None

    def _scalar(self, tag, value, step):
        if self._writer is None:
            from paddle.utils import try_import

            self._writer = try_import('visualdl').LogWriter(self.log_dir)
        self._writer.add_scalar(tag=tag, step=step, value=value)

    def on_train_end(self, logs=None):
        if self._writer is not None:
            self._writer.close()
            self._writer = None


class WandbCallback(_Curves):
    """Sends the curves of a training to Weights & Biases, by the package wandb.

    Args:
        project (str, default None): The project.
        entity (str, default None): Whose it is.
        name (str, default None): The name of the run.
        dir (str, default None): The directory of its files.
        mode (str, default None): `online`, `offline` or `disabled`.
        job_type (str, default None): The kind of run.
        **kwargs (object): What `wandb.init` takes besides.

    Raises:
        ImportError: wandb is not installed.

    Examples:
        >>> try:
        ...     callback = paddle.callbacks.WandbCallback(project="demo", mode="disabled")
        ... except ImportError:  # wandb is not installed
        ...     callback = paddle.callbacks.ProgBarLogger()
    """

    def __init__(
        self, project=None, entity=None, name=None, dir=None, mode=None, job_type=None, **kwargs
    ):
        super().__init__()
        from paddle.utils import try_import

        self.wandb = try_import(
            'wandb',
            "You want to use `wandb` which is not installed yet, install it with `pip "
            "install wandb`",
        )
        self.wandb_args = dict(
            project=project,
            name=name,
            entity=entity,
            dir=dir,
            mode=mode,
            job_type=job_type,
            **kwargs,
        )
        self._run = None

    @property
    def run(self):
        """The wandb run, started on first use."""
        if self._run is None:
            self._run = (
                self.wandb.run if self.wandb.run is not None else self.wandb.init(**self.wandb_args)
            )
        return self._run

    def _scalar(self, tag, value, step):
        self.run.log({tag: value})

    def on_train_end(self, logs=None):
        if self._run is not None:
            self._run.finish()
