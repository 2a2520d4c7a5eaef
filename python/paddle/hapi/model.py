# SPDX-License-Identifier: Apache-2.0
"""paddle.Model: training, evaluation and prediction loops around a network."""

import contextlib
import inspect
import os
import warnings

import numpy as np

import paddle
from paddle.base.arguments import to_array
from paddle.base.known_keywords import KnownKeywords
from paddle.metric import Metric

from . import parallel_model
from .callbacks import config_callbacks

__all__ = ['Model']


def _list(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def to_list(value):
    """A value as a list of it, a tuple as a list; None and lists as they are."""
    return value if value is None else _list(value)


def flatten_list(l):
    """(elements, lengths) of a list that may hold lists; -1 stands for an element that is none."""
    flat, splits = [], []
    for item in l:
        flat.extend(item if isinstance(item, (list, tuple)) else [item])
        splits.append(len(item) if isinstance(item, (list, tuple)) else -1)
    return flat, splits


def restore_flatten_list(l, splits):
    """Undo `flatten_list`."""
    rest, made = iter(l), []
    for count in splits:
        made.append(next(rest) if count == -1 else [next(rest) for _ in range(count)])
    return made


def extract_args(func):
    """Names of the positional arguments of a function, `self` left out."""
    code = func.__code__
    names = list(code.co_varnames[: code.co_argcount])
    return names[1:] if names[:1] == ['self'] else names


def _tensors(values):
    return [
        v
        if isinstance(v, paddle.Tensor) or v is None
        else paddle.to_tensor(to_array('Model', 'its input', v))
        for v in _list(values)
    ]


def _scalar(value):
    return value.item() if isinstance(value, (np.generic,)) else value


class Model(KnownKeywords):
    """Wraps a network with `fit`, `evaluate`, `predict`, `save` and `load`; call `prepare` first.

    The processes of a job train one network: each sees its share of a Dataset, gradients are
    averaged, and `evaluate` and `predict` give what one process would on the whole.

    Args:
        network (Layer): The network.
        inputs (InputSpec or list of InputSpecs, default None): Its inputs, needed to split a batch
            and to export.
        labels (InputSpec or list of InputSpecs, default None): The labels, needed to split a batch.

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> model = paddle.Model(net)
        >>> model.prepare(paddle.optimizer.SGD(0.1, net.parameters()), paddle.nn.MSELoss())
        >>> data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
        >>> model.fit(data, batch_size=2, epochs=2, verbose=0)
        >>> model.predict(data, batch_size=2, verbose=0, stack_outputs=True)[0].shape
        (4, 1)
    """

    def __init__(self, network, inputs=None, labels=None):
        if not isinstance(network, paddle.nn.Layer):
            raise TypeError(f"[Model] expected network to be a Layer, got {type(network).__name__}")
        self.network = network
        self.mode = 'train'
        self.stop_training = False
        self._seen = ()  # shapes and dtypes of the last batch
        self._inputs = list(inputs.values()) if isinstance(inputs, dict) else _list(inputs)
        self._labels = _list(labels)
        self._loss = None
        self._optimizer = None
        self._metrics = []
        self._amp_level = 'O0'
        self._amp_options = {}
        self._amp_dtype = 'float16'
        self._scaler = None
        self._processes = 1
        self._shared = None  # the network, where several processes train it
        self._gather = None  # of batches, while a Dataset is evaluated by several processes

    # ---- one batch
    def _forward(self, inputs, network=None):
        network = self.network if network is None else network
        self._seen = [(t.shape, t.dtype) for t in inputs if isinstance(t, paddle.Tensor)]
        if self._amp_level == 'O0':
            return network(*inputs)
        with paddle.amp.auto_cast(
            level=self._amp_level, dtype=self._amp_dtype, **self._amp_options
        ):
            return network(*inputs)

    def _losses(self, outputs, labels):
        if isinstance(self._loss, paddle.nn.Layer) or callable(self._loss):
            return _list(self._loss(*(_list(outputs) + labels)))
        return []

    def _measure(self, outputs, labels):
        values = []
        for metric in self._metrics:
            computed = metric.compute(*(_list(outputs) + labels))
            value = metric.update(
                *[t.numpy() if isinstance(t, paddle.Tensor) else t for t in _list(computed)]
            )
            values.append(value)
        return values

    def train_batch(self, inputs, labels=None, update=True):
        """One training step; returns the losses, or (losses, metrics). `update=False` only
        accumulates gradients.
        """
        if self._optimizer is None:
            raise AssertionError(
                "[Model.train_batch] expected an optimizer, got none: call prepare() before"
            )
        self.network.train()
        self.mode = 'train'
        step = contextlib.nullcontext() if self._shared is None else self._shared.step(update)
        with step:
            return self._train_batch(_tensors(inputs), _tensors(labels), update)

    def _train_batch(self, inputs, labels, update):
        outputs = self._forward(inputs, self._shared)
        losses = self._losses(outputs, labels)
        if not losses:
            raise AssertionError(
                "[Model.train_batch] expected a loss, got none: call prepare(optimizer, loss)"
            )
        total = losses[0] if len(losses) == 1 else paddle.add_n(losses)
        if total.size != 1:
            total = total.sum()
        if self._scaler is not None:
            self._scaler.scale(total).backward()
            if update:
                self._scaler.step(self._optimizer)
                self._scaler.update()
                self._optimizer.clear_grad()
        else:
            total.backward()
            if update:
                self._optimizer.step()
                self._optimizer.clear_grad()
        values = [loss.detach().numpy() for loss in losses]
        metrics = self._measure(outputs, labels)
        return (values, metrics) if metrics else values

    def eval_batch(self, inputs, labels=None):
        """Losses (and metrics) of one batch, without gradients."""
        self.network.eval()
        self.mode = 'eval'
        with paddle.no_grad():
            labels = _tensors(labels)
            outputs = self._forward(_tensors(inputs))
            if self._gather is not None:
                given = _list(outputs)
                every = self._gather([*given, *labels])
                outputs, labels = every[: len(given)], every[len(given) :]
            values = (
                [loss.numpy() for loss in self._losses(outputs, labels)]
                if self._loss is not None
                else []
            )
            metrics = self._measure(outputs, labels)
        if values and metrics:
            return values, metrics
        return values if values else metrics

    def predict_batch(self, inputs):
        """Outputs of one batch as numpy arrays."""
        self.network.eval()
        self.mode = 'test'
        with paddle.no_grad():
            outputs = _list(self._forward(_tensors(inputs)))
            if self._gather is not None:
                outputs = self._gather(outputs)
            return [out.numpy() for out in outputs]

    # ---- files
    def save(self, path, training=True):
        """Save `<path>.pdparams` and `<path>.pdopt`, or with `training=False` the network for
        inference: with the inputs of the model, or those of its last batch, of any number of
        rows. Of the processes on a host the first does.
        """
        if int(os.environ.get('PADDLE_LOCAL_RANK', '0')) != 0:
            return
        if not training:
            spec = self._inputs or [
                paddle.static.InputSpec([None, *shape[1:]], dtype) for shape, dtype in self._seen
            ]
            if not spec:
                raise RuntimeError(
                    "[Model.save] expected inputs, a list of InputSpec, or a batch that ran before "
                    "for training=False, got none"
                )
            paddle.jit.save(self.network, path, input_spec=spec)
            return
        if os.path.basename(path) == '':
            raise AssertionError(
                f"[Model.save] expected a path that ends with a file's name, got {path!r}"
            )
        paddle.save(self.network.state_dict(), path + '.pdparams')
        if self._optimizer is not None:
            state = self._optimizer.state_dict()
            if state:
                paddle.save(state, path + '.pdopt')

    def load(self, path, skip_mismatch=False, reset_optimizer=False):
        """Load what `save(path)` wrote. `skip_mismatch` leaves out missing or differently shaped
        parameters.
        """
        path = path[: -len('.pdparams')] if path.endswith('.pdparams') else path
        if not os.path.isfile(path + '.pdparams'):
            raise AssertionError(f"[Model.load] expected {path}.pdparams to be a file, got none")
        state = paddle.load(path + '.pdparams')
        if not isinstance(state, dict):
            raise ValueError(
                f"[Model.load] expected a state dict in {path}.pdparams, got {type(state).__name__}"
            )
        own = self.network.state_dict()
        fitting = {}
        for key, param in own.items():
            value = state.get(key)
            problem = None
            if value is None:
                problem = "expected a value, got none"
            elif not isinstance(value, paddle.Tensor):
                problem = f"expected a tensor, got {type(value).__name__}"
            elif list(value.shape) != list(param.shape):
                problem = f"expected shape {list(param.shape)}, got {list(value.shape)}"
            if problem is None:
                fitting[key] = value
            elif skip_mismatch:
                warnings.warn(f"[load] {key} is kept: {problem}")
            else:
                raise ValueError(f"[load] {key}: {problem}")
        self.network.set_state_dict(fitting)
        if self._optimizer is not None and not reset_optimizer and os.path.exists(path + '.pdopt'):
            self._optimizer.set_state_dict(paddle.load(path + '.pdopt'))

    def parameters(self, *args, **kwargs):
        """Parameters of the network."""
        return self.network.parameters(*args, **kwargs)

    # ---- preparation
    def prepare(self, optimizer=None, loss=None, metrics=None, amp_configs=None):
        """Set optimizer, loss (a layer or function of outputs and labels), metrics and mixed
        precision.
        """
        self._optimizer = optimizer
        if loss is not None and not isinstance(loss, paddle.nn.Layer) and not callable(loss):
            raise TypeError(
                "[Model.prepare] expected loss to be a Layer or a function, got "
                f"{type(loss).__name__}"
            )
        self._loss = loss
        for metric in _list(metrics):
            if not isinstance(metric, Metric):
                raise AssertionError(
                    f"[Model.prepare] expected metrics to hold Metrics, got {type(metric).__name__}"
                )
        self._metrics = _list(metrics)
        self._prepare_amp(amp_configs)
        self._processes = parallel_model.join()
        trains = any(not p.stop_gradient for p in self.network.parameters())
        if self._processes > 1 and optimizer is not None and trains and self._shared is None:
            self._shared = parallel_model.Shared(self.network)

    def _prepare_amp(self, configs):
        self._amp_level, self._amp_options, self._scaler = 'O0', {}, None
        if not configs:
            return
        if isinstance(configs, str):
            configs = {'level': configs}
        configs = dict(configs)
        level = configs.pop('level', 'O1')
        if level not in ('O0', 'O1', 'O2'):
            raise ValueError(
                f"[Model.prepare] expected level 'O0', 'O1' or 'O2' in amp_configs, got {level!r}"
            )
        self._amp_level = level
        if level == 'O0':
            return
        self._amp_dtype = configs.pop('dtype', 'float16')
        if 'use_fp16_guard' in configs:
            raise ValueError(
                "[Model.prepare] expected amp_configs without use_fp16_guard, since batches are "
                f"computed as they come, not recorded, got {configs['use_fp16_guard']!r}"
            )
        scaler = {
            k: configs.pop(k)
            for k in (
                'init_loss_scaling',
                'incr_ratio',
                'decr_ratio',
                'incr_every_n_steps',
                'decr_every_n_nan_or_inf',
                'use_dynamic_loss_scaling',
            )
            if k in configs
        }
        self._amp_options = {
            k: configs.pop(k) for k in ('custom_white_list', 'custom_black_list') if k in configs
        }
        if configs:
            raise ValueError(
                f"[Model.prepare] got unexpected keys {sorted(configs)} in amp_configs"
            )
        if level == 'O2' and self._optimizer is not None:
            self.network, self._optimizer = paddle.amp.decorate(
                self.network, self._optimizer, level='O2', dtype=self._amp_dtype
            )
        if self._amp_dtype == 'float16':
            self._scaler = paddle.amp.GradScaler(**scaler)

    # ---- loops
    def _loader(self, data, batch_size, num_workers, shuffle=False, drop_last=False):
        from paddle.io import DataLoader, Dataset, DistributedBatchSampler

        if data is None or not isinstance(data, Dataset):
            return data
        if self._processes > 1:
            dealt = DistributedBatchSampler(data, batch_size, shuffle=shuffle, drop_last=drop_last)
            return DataLoader(data, batch_sampler=dealt, num_workers=num_workers)
        return DataLoader(
            data,
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            num_workers=num_workers,
        )

    @contextlib.contextmanager
    def _gathering(self, loader):
        """The context of a pass without training: batches of all processes are one where they are
        shares of a Dataset.
        """
        from paddle.io import DistributedBatchSampler

        sampler = getattr(loader, 'batch_sampler', None)
        if self._processes > 1 and isinstance(sampler, DistributedBatchSampler):
            self._gather = parallel_model.Gathered(len(loader.dataset))
        try:
            yield
        finally:
            self._gather = None

    def _metric_names(self):
        names = ['loss'] if self._loss is not None else []
        for metric in self._metrics:
            names.extend(_list(metric.name()))
        return names

    def _split(self, batch):
        """(inputs, labels) of one batch from a loader."""
        batch = _list(batch) if not isinstance(batch, dict) else list(batch.values())
        if self._inputs:
            count = len(self._inputs)
        elif self._labels:
            count = len(batch) - len(self._labels)
        elif len(batch) == 1:
            count = 1
        else:
            params = list(inspect.signature(self.network.forward).parameters.values())
            fixed = [p for p in params if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
            needed = len([p for p in fixed if p.default is p.empty]) or len(fixed)
            count = min(max(1, needed), len(batch) - 1)
            if any(p.kind is p.VAR_POSITIONAL for p in params):
                count = len(batch) - 1
        return batch[:count], batch[count:]

    @staticmethod
    def _steps(loader):
        try:
            return len(loader)
        except (TypeError, ValueError, RuntimeError):
            return None

    def _run(self, loader, callbacks, mode, logs, accumulate=1, num_iters=None):
        """One pass of training or evaluation; returns the logs of its last step."""
        steps = self._steps(loader)
        for metric in self._metrics:
            metric.reset()
        for step, batch in enumerate(loader):
            callbacks.on_batch_begin(mode, step, logs)
            inputs, labels = self._split(batch)
            if mode == 'train':
                last = step + 1 == steps or (num_iters is not None and step + 1 >= num_iters)
                result = self.train_batch(
                    inputs, labels, update=(step + 1) % accumulate == 0 or last
                )
            else:
                result = self.eval_batch(inputs, labels)
            losses = (
                result[0] if isinstance(result, tuple) else result if self._loss is not None else []
            )
            logs = {}
            if self._loss is not None:
                logs['loss'] = [float(np.asarray(v).reshape(-1)[0]) for v in losses]
            for metric in self._metrics:
                for name, value in zip(_list(metric.name()), _list(metric.accumulate())):
                    logs[name] = _scalar(value)
            logs['step'] = step
            first = inputs[0]
            logs['batch_size'] = (
                first.shape[0] if hasattr(first, 'shape') and len(first.shape) else 1
            )
            callbacks.on_batch_end(mode, step, logs)
            if num_iters is not None and step + 1 >= num_iters:
                break
        return logs

    def fit(
        self,
        train_data=None,
        eval_data=None,
        batch_size=1,
        epochs=1,
        eval_freq=1,
        log_freq=10,
        save_dir=None,
        save_freq=1,
        verbose=2,
        drop_last=False,
        shuffle=True,
        num_workers=0,
        callbacks=None,
        accumulate_grad_batches=1,
        num_iters=None,
    ):
        """Train on a Dataset or DataLoader for `epochs`, evaluating every `eval_freq` epochs when
        `eval_data` is given.

        `save_dir` keeps checkpoints every `save_freq` epochs; `num_iters` limits the number of
        steps altogether.
        """
        if train_data is None:
            raise AssertionError("[Model.fit] expected train_data, got None")
        sizes = (
            list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size, batch_size]
        )
        loader = self._loader(train_data, sizes[0], num_workers, shuffle, drop_last)
        eval_loader = self._loader(eval_data, sizes[1], num_workers)
        steps = self._steps(loader)
        if num_iters is not None:
            epochs = -(-num_iters // (steps or num_iters))
            steps = min(num_iters, steps) if steps is not None else None
        names = self._metric_names()
        called = config_callbacks(
            callbacks,
            self,
            batch_size=None if loader is train_data else sizes[0],
            epochs=epochs,
            steps=steps,
            log_freq=log_freq,
            save_freq=save_freq,
            save_dir=save_dir,
            verbose=verbose,
            metrics=names,
        )
        self.stop_training = False
        logs = {}
        left = num_iters
        called.on_begin('train')
        for epoch in range(epochs):
            called.on_epoch_begin(epoch)
            logs = self._run(loader, called, 'train', logs, accumulate_grad_batches, left)
            if left is not None:
                left -= logs.get('step', -1) + 1
            called.on_epoch_end(epoch, logs)
            if eval_loader is not None and epoch % eval_freq == 0:
                called.on_begin('eval', {'steps': self._steps(eval_loader), 'metrics': names})
                with self._gathering(eval_loader):
                    logs = self._run(eval_loader, called, 'eval', logs)
                called.on_end('eval', logs)
            if self.stop_training or (left is not None and left <= 0):
                break
        called.on_end('train', logs)
        for metric in self._metrics:
            metric.reset()

    def evaluate(
        self,
        eval_data,
        batch_size=1,
        log_freq=10,
        verbose=2,
        num_workers=0,
        callbacks=None,
        num_iters=None,
    ):
        """Loss and metrics over a Dataset or DataLoader, a dict."""
        loader = self._loader(eval_data, batch_size, num_workers)
        names = self._metric_names()
        called = config_callbacks(
            callbacks, self, log_freq=log_freq, verbose=verbose, metrics=names, mode='eval'
        )
        steps = self._steps(loader)
        if num_iters is not None and steps is not None:
            steps = min(num_iters, steps)
        called.on_begin('eval', {'steps': steps, 'metrics': names})
        with self._gathering(loader):
            logs = self._run(loader, called, 'eval', {}, num_iters=num_iters)
        called.on_end('eval', logs)
        for metric in self._metrics:
            metric.reset()
        return {name: logs[name] for name in names if name in logs}

    def _predict(self, loader, callbacks):
        """The outputs of each batch, and the logs of the last step."""
        columns, logs = [], {}
        for step, batch in enumerate(loader):
            callbacks.on_batch_begin('predict', step, logs)
            inputs = _list(batch) if not isinstance(batch, dict) else list(batch.values())
            inputs = inputs[: len(self._inputs)] if self._inputs else self._split(inputs)[0]
            outputs = self.predict_batch(inputs)
            columns.append(outputs)
            logs = {
                'step': step,
                'batch_size': len(outputs[0]) if outputs and outputs[0].ndim else 1,
            }
            callbacks.on_batch_end('predict', step, logs)
        return columns, logs

    def predict(
        self, test_data, batch_size=1, num_workers=0, stack_outputs=False, verbose=1, callbacks=None
    ):
        """For each output of the network, the list of its batches, or one array with
        `stack_outputs`.
        """
        loader = self._loader(test_data, batch_size, num_workers)
        called = config_callbacks(
            callbacks, self, log_freq=2, verbose=verbose, metrics=[], mode='test'
        )
        called.on_begin('predict', {'steps': self._steps(loader), 'metrics': []})
        with self._gathering(loader):
            columns, logs = self._predict(loader, called)
        outputs = [list(column) for column in zip(*columns)]
        if stack_outputs:
            outputs = [np.vstack(column) for column in outputs]
        called.on_end('predict', logs)
        return outputs

    def summary(self, input_size=None, dtype=None):
        """Print the network's layers; see `paddle.summary`."""
        from .model_summary import summary

        if input_size is None:
            if not self._inputs:
                raise ValueError(
                    "[Model.summary] expected input_size or a model with inputs, got neither"
                )
            input_size = self._inputs
        return summary(self.network, input_size, dtypes=dtype)
