# SPDX-License-Identifier: Apache-2.0
"""Training of a `PipelineLayer`: micro batches go through the stages one forward, one backward."""

import numpy as np

import paddle
import paddle.distributed as dist
from paddle.distributed.communication import stream
from paddle.distributed.communication.objects import dump, load

from .pipeline_layers import PipelineLayer
from .wrappers import AlikeLayers

__all__ = [
    'PipelineParallel',
    'PipelineParallelWithInterleave',
    'PipelineParallelWithInterleaveFthenB',
]


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
        self.num_model_chunks, self._chunk = layers.get_num_virtual_stages(), 0
        self._link = self._back = _Link(hcg.get_pipe_parallel_group())
        self._scaler = None

    def is_pipeline_first_stage(self, ignore_virtual=False):
        """Whether this process has the first layers, and its chunk of the moment does; with
        `ignore_virtual` any chunk.
        """
        return self.stage_id == 0 and (ignore_virtual or self._chunk == 0)

    def is_pipeline_last_stage(self, ignore_virtual=False):
        """The same of the last layers."""
        last = ignore_virtual or self._chunk == self.num_model_chunks - 1
        return self.stage_id == self.num_stages - 1 and last

    def set_virtual_pipeline_rank(self, rank):
        """Makes a chunk the one of the moment."""
        self._chunk = rank

    def _turns(self):
        """((micro batch, chunk) of each forward, of each backward, how many forwards are ahead)."""
        steps = [(step, 0) for step in range(self.accumulate_steps)]
        return steps, steps, min(self.num_stages - self.stage_id - 1, self.accumulate_steps)

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

    def _forward(self, data, step, chunk, with_loss):
        """(inputs, outputs) of a micro batch; the last layers' outputs are the loss if asked."""
        self._chunk = chunk
        if self.is_pipeline_first_stage():
            inputs = self._micro(data[0], step)
        else:
            inputs = self._link.take((self.stage_id - 1) % self.num_stages)
        outs = self._layers(tuple(inputs) if len(inputs) > 1 else inputs[0], chunk_id=chunk)
        if self.is_pipeline_last_stage() and with_loss:
            assert self._layers._loss_fn is not None, (
                '[PipelineParallel] expected a PipelineLayer with loss_fn, got none'
            )
            outs = self._layers._loss_fn(*_list(outs), *self._micro(data[1], step))
        if not self.is_pipeline_last_stage():
            self._link.give(_list(outs), (self.stage_id + 1) % self.num_stages)
        return inputs, _list(outs)

    def _backward(self, inputs, outs, chunk):
        self._chunk = chunk
        outs = [t for t in outs if not t.stop_gradient]
        if self.is_pipeline_last_stage():
            loss = outs[0] / self.accumulate_steps
            (loss if self._scaler is None else self._scaler.scale(loss)).backward()
        else:
            grads = self._back.take_like(outs, (self.stage_id + 1) % self.num_stages)
            paddle.autograd.backward(outs, grads)
        if not self.is_pipeline_first_stage():
            wanted = [t for t in inputs if not t.stop_gradient]
            self._back.give_known(
                [paddle.zeros_like(t) if t.grad is None else t.grad for t in wanted],
                (self.stage_id - 1) % self.num_stages,
            )

    def forward_backward_pipeline(self, data, scaler=None):
        """The mean loss of a batch, [inputs, labels], whose gradients are added to those that are
        there. The first stage reads the inputs, the last one the labels.
        """
        self._scaler = scaler
        forwards, backwards, ahead = self._turns()
        under_way, losses = {}, []
        for i in range(len(forwards) + ahead):
            if i < len(forwards):
                step, chunk = forwards[i]
                under_way[step, chunk] = made = self._forward(data, step, chunk, True)
                if self.is_pipeline_last_stage():
                    losses.append(made[1][0])
            if i >= ahead:
                step, chunk = backwards[i - ahead]
                self._backward(*under_way.pop((step, chunk)), chunk)
        self._finish()
        self._layers.allreduce_shared_weight_gradients()
        return self._everywhere(losses)

    def _finish(self):
        self._link.finish()
        self._back.finish()

    def _everywhere(self, losses):
        """The last stage's mean, on all stages."""
        with paddle.no_grad():
            mean = paddle.zeros([], 'float32')
            if self.is_pipeline_last_stage(ignore_virtual=True):
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
            outs = []
            for step, chunk in self._turns()[0]:
                _, out = self._forward(data, step, chunk, compute_loss)
                outs += [out] if self.is_pipeline_last_stage() else []
            self._finish()
            if compute_loss:
                return self._everywhere([o[0] for o in outs])
        if not self.is_pipeline_last_stage(ignore_virtual=True):
            return None
        return [o[0] if len(o) == 1 else tuple(o) for o in outs]


class PipelineParallelWithInterleave(PipelineParallel):
    """A `PipelineLayer` of several chunks a stage (`num_virtual_pipeline_stages`). As many micro
    batches as there are stages go through a chunk before the next; `accumulate_steps` is a multiple
    of the number of stages. The stages wait less than with one chunk each.

    Source: Narayanan and others, https://arxiv.org/abs/2104.04473, section 2.2.
    """

    def __init__(self, layers, hcg, strategy):
        super().__init__(layers, hcg, strategy)
        kind = type(self).__name__
        assert self.num_model_chunks > 1, (
            f'[{kind}] expected a PipelineLayer with num_virtual_pipeline_stages above 1, got '
            f'{self.num_model_chunks}'
        )
        self._check_steps()
        # Gradients have a group of their own: to one stage go some, and what goes forward to its
        # next chunk, in orders that differ.
        for line in hcg.topology().get_comm_list('pipe'):
            group = dist.new_group(line)
            if group.rank >= 0:
                self._back = _Link(group)

    def _check_steps(self):
        assert self.accumulate_steps % self.num_stages == 0, (
            '[PipelineParallelWithInterleave] expected accumulate_steps as a multiple of '
            f'{self.num_stages} stages, got {self.accumulate_steps}'
        )

    def _turns(self):
        stages, chunks = self.num_stages, self.num_model_chunks
        forwards, backwards = [], []
        for i in range(self.accumulate_steps * chunks):
            step = i // (stages * chunks) * stages + i % stages
            chunk = i // stages % chunks
            forwards.append((step, chunk))
            backwards.append((step, chunks - 1 - chunk))
        ahead = 2 * (stages - self.stage_id - 1) + (chunks - 1) * stages
        return forwards, backwards, min(ahead, len(forwards))


class PipelineParallelWithInterleaveFthenB(PipelineParallelWithInterleave):
    """The same, with all forwards before all backwards: any number of micro batches."""

    def _check_steps(self):
        pass

    def _turns(self):
        steps, chunks = range(self.accumulate_steps), range(self.num_model_chunks)
        forwards = [(step, chunk) for chunk in chunks for step in steps]
        backwards = [(step, chunk) for chunk in reversed(chunks) for step in steps]
        return forwards, backwards, len(forwards)
