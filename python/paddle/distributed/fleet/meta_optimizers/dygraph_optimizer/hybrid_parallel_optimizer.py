# SPDX-License-Identifier: Apache-2.0
"""The optimizer of a job: gradients are averaged and clipped over its processes before a step."""

import paddle
from paddle.distributed.communication import ReduceOp
from paddle.distributed.parallel import ParallelMode
from paddle.nn.clip import ClipGradBase, ClipGradByGlobalNorm

from ...utils.hybrid_parallel_util import fused_allreduce_gradients
from .dygraph_sharding_optimizer import DygraphShardingOptimizer

__all__ = ['HybridParallelClipGrad', 'HybridParallelOptimizer']


class HybridParallelClipGrad(ClipGradBase):
    """`ClipGradByGlobalNorm` with the norm of all parameters of the job: parts are summed over the
    processes that hold them, what several have whole counts once.
    """

    def __init__(self, clip, hcg):
        self._clip, self._hcg = clip, hcg

    def __str__(self):
        return str(self._clip)

    def _dygraph_clip(self, params_grads):
        pairs = [(p, g) for p, g in params_grads if g is not None and getattr(p, 'need_clip', True)]
        squares = {True: paddle.zeros([], 'float64'), False: paddle.zeros([], 'float64')}
        for p, g in pairs:
            if not getattr(p, 'is_firstly_shared', True):
                continue  # counted by the first stage that has it
            apart = bool(getattr(p, 'is_distributed', False))
            squares[apart] = squares[apart] + g.astype('float32').square().sum().astype('float64')
        if self._hcg.get_model_parallel_world_size() > 1:
            group = self._hcg.get_model_parallel_group().process_group
            group.all_reduce([squares[True]], ReduceOp.SUM)
        total = squares[True] + squares[False]
        if self._hcg.get_sharding_parallel_world_size() > 1:
            group = self._hcg.get_sharding_parallel_group().process_group
            group.all_reduce([total], ReduceOp.SUM)
        if self._hcg.get_pipe_parallel_world_size() > 1:
            group = self._hcg.get_pipe_parallel_group().process_group
            group.all_reduce([total], ReduceOp.SUM)
        norm = float(total.sqrt())
        scale = self._clip.clip_norm / max(norm, self._clip.clip_norm)
        clipped = {id(p): g * scale for p, g in pairs}
        return [(p, clipped.get(id(p), g)) for p, g in params_grads]


class HybridParallelOptimizer:
    """`optimizer` in a job. `step` averages gradients over the data-parallel processes, unless
    `DataParallel` did, and with `sharding_degree` divides the optimizer's state.
    """

    def __init__(self, optimizer, hcg, strategy=None):
        for group in [optimizer._default_dict, *_groups(optimizer)]:
            if isinstance(group.get('grad_clip'), ClipGradByGlobalNorm):
                group['grad_clip'] = HybridParallelClipGrad(group['grad_clip'], hcg)
        if isinstance(optimizer._grad_clip, ClipGradByGlobalNorm):
            optimizer._grad_clip = HybridParallelClipGrad(optimizer._grad_clip, hcg)
        if hcg.get_sharding_parallel_world_size() > 1:
            optimizer = DygraphShardingOptimizer(optimizer, hcg)
        self._inner_opt = optimizer
        self._hcg = hcg
        self._averages = (
            hcg.get_parallel_mode() != ParallelMode.DATA_PARALLEL
            and hcg.get_data_parallel_world_size() * hcg.get_sep_parallel_world_size() > 1
        )

    def step(self):
        """Average gradients where that is to be done, and update."""
        if self._averages:
            fused_allreduce_gradients(self._inner_opt._all_params(), self._hcg)
        self._inner_opt.step()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Apply the gradients that `loss.backward()` left."""
        if self._averages:
            fused_allreduce_gradients(parameters or self._inner_opt._all_params(), self._hcg)
        return self._inner_opt.minimize(loss, startup_program, parameters, no_grad_set)

    def __getattr__(self, name):
        if name == '_inner_opt':
            raise AttributeError(name)
        return getattr(self._inner_opt, name)


def _groups(optimizer):
    return optimizer._param_groups if optimizer._is_grouped() else []
