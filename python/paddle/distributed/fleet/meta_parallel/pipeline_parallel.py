# SPDX-License-Identifier: Apache-2.0
"""Training of a `PipelineLayer`: micro batches go through the stages one forward, one backward."""

import collections

import numpy as np

import paddle
from paddle.distributed.communication import stream
from paddle.distributed.communication.objects import dump, load

from .pipeline_layers import PipelineLayer
from .wrappers import AlikeLayers

__all__ = ['PipelineParallel']


class _Link:
    """Tensors to and from other stages. Sends do not wait; `finish` waits for all of them."""

    def __init__(self, group):
        self._group, self._tasks = group, []

    def _send(self, tensor, stage):
        self._tasks.append(
            stream.send(tensor, self._group.ranks[stage], self._group, sync_op=False)
        )

    def give(self, tensors, stage):
        """Tensors, with their shapes and dtypes ahead."""
        what = [(list(t.shape), str(t.dtype).split('.')[-1], t.stop_gradient) for t in tensors]
        data = np.frombuffer(dump(what), 'uint8').copy()
        self._send(paddle.to_tensor([data.size], 'int64'), stage)
        self._send(paddle.to_tensor(data), stage)
        self.give_known(tensors, stage)

    def give_known(self, tensors, stage):
        """Tensors whose shapes the other stage knows."""
        for t in tensors:
            self._send(t.detach().contiguous(), stage)

    def _receive(self, shape, dtype, stage):
        tensor = paddle.empty(shape, dtype)
        stream.recv(tensor, self._group.ranks[stage], self._group)
        return tensor

    def take(self, stage):
        """What `give` sent."""
        data = self._receive([int(self._receive([1], 'int64', stage))], 'uint8', stage)
        tensors = []
        for shape, dtype, stop_gradient in load(data.numpy().tobytes()):
            tensors.append(self._receive(shape, dtype, stage))
            tensors[-1].stop_gradient = stop_gradient
        return tensors

    def take_like(self, tensors, stage):
        """What `give_known` sent, one tensor for each of these."""
        return [self._receive(t.shape, t.dtype, stage) for t in tensors]

    def finish(self):
        for task in self._tasks:
            task.wait()
        self._tasks.clear()


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class PipelineParallel(AlikeLayers):
    """A `PipelineLayer` in a job with `pp_degree`. Each batch is `accumulate_steps` micro batches
    of `micro_batch_size` rows, as the strategy's `pipeline_configs` say.
    """

    def __init__(self, layers, hcg, strategy):
        assert isinstance(layers, PipelineLayer), (
            f'[PipelineParallel] expected a PipelineLayer, got {type(layers).__name__}'
        )
        super().__init__(layers, hcg, strategy)
        self.micro_batch_size = strategy.pipeline_configs['micro_batch_size']
        self.accumulate_steps = strategy.pipeline_configs['accumulate_steps']
        self.num_stages = hcg.get_pipe_parallel_world_size()
        self.stage_id = hcg.get_stage_id()
        self._link = _Link(hcg.get_pipe_parallel_group())
        self._scaler = None

    def is_pipeline_first_stage(self):
        """Whether this process has the first layers."""
        return self.stage_id == 0

    def is_pipeline_last_stage(self):
        """Whether this process has the last layers."""
        return self.stage_id == self.num_stages - 1

    def _micro(self, data, step):
        """The tensors of a micro batch."""
        size, rows = self.micro_batch_size, self.micro_batch_size * self.accumulate_steps
        tensors = _list(data)
        for t in tensors:
            assert t.shape[0] == rows, (
                f'[PipelineParallel] expected batches of {rows} rows, micro_batch_size times '
                f'accumulate_steps, got {t.shape[0]}'
            )
        return [t[size * step : size * (step + 1)] for t in tensors]

    def _forward(self, data, step, with_loss):
        """(inputs, outputs) of a micro batch; the last stage's outputs are the loss if asked."""
        first, last = self.is_pipeline_first_stage(), self.is_pipeline_last_stage()
        if first:
            inputs = self._micro(data[0], step)
        else:
            inputs = self._link.take(self.stage_id - 1)
        outs = self._layers(tuple(inputs) if len(inputs) > 1 else inputs[0])
        if last and with_loss:
            assert self._layers._loss_fn is not None, (
                '[PipelineParallel] expected a PipelineLayer with loss_fn, got none'
            )
            outs = self._layers._loss_fn(*_list(outs), *self._micro(data[1], step))
        if not last:
            self._link.give(_list(outs), self.stage_id + 1)
        return inputs, _list(outs)

    def _backward(self, inputs, outs):
        outs = [t for t in outs if not t.stop_gradient]
        if self.is_pipeline_last_stage():
            loss = outs[0] / self.accumulate_steps
            (loss if self._scaler is None else self._scaler.scale(loss)).backward()
        else:
            grads = self._link.take_like(outs, self.stage_id + 1)
            paddle.autograd.backward(outs, grads)
        if not self.is_pipeline_first_stage():
            wanted = [t for t in inputs if not t.stop_gradient]
            self._link.give_known(
                [paddle.zeros_like(t) if t.grad is None else t.grad for t in wanted],
                self.stage_id - 1,
            )

    def forward_backward_pipeline(self, data, scaler=None):
        """The mean loss of a batch, [inputs, labels], whose gradients are added to those that are
        there. The first stage reads the inputs, the last one the labels.
        """
        self._scaler = scaler
        ahead = min(self.num_stages - self.stage_id - 1, self.accumulate_steps)
        under_way, losses = collections.deque(), []
        for step in range(self.accumulate_steps + ahead):
            if step < self.accumulate_steps:
                under_way.append(self._forward(data, step, True))
                losses.append(under_way[-1][1][0])
            if step >= ahead:
                self._backward(*under_way.popleft())
        self._link.finish()
        self._layers.allreduce_shared_weight_gradients()
        return self._everywhere(losses)

    def _everywhere(self, losses):
        """The last stage's mean, on all stages."""
        with paddle.no_grad():
            mean = paddle.zeros([], 'float32')
            if self.is_pipeline_last_stage():
                mean = sum(loss.detach().astype('float32').mean() for loss in losses) / len(losses)
            group = self._hcg.get_pipe_parallel_group()
            if group.process_group is not None:
                group.process_group.broadcast([mean], self.num_stages - 1)
        return mean

    def train_batch(self, data, optimizer, lr_scheduler=None, scaler=None):
        """One step: forward and backward of all micro batches, then the optimizer's. Returns the
        mean loss on all stages.
        """
        self._layers.train()
        loss = self.forward_backward_pipeline(data, scaler)
        if scaler is None:
            optimizer.step()
        else:
            scaler.step(optimizer)
            scaler.update()
        optimizer.clear_grad()
        if lr_scheduler is not None:
            lr_scheduler.step()
        return loss

    def eval_batch(self, data, compute_loss=False):
        """The mean loss on all stages with `compute_loss`; else the last stage's outputs of each
        micro batch, None on the others.
        """
        self._layers.eval()
        with paddle.no_grad():
            outs = [
                self._forward(data, step, compute_loss)[1] for step in range(self.accumulate_steps)
            ]
            self._link.finish()
            if compute_loss:
                return self._everywhere([o[0] for o in outs])
        if not self.is_pipeline_last_stage():
            return None
        return [o[0] if len(o) == 1 else tuple(o) for o in outs]
