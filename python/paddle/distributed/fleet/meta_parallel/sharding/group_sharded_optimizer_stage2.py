# SPDX-License-Identifier: Apache-2.0
"""The optimizer of a divided training: each process of a group keeps the state of some parameters
and updates those.
"""

import paddle
from paddle.base.arguments import keywords
from paddle.distributed.communication.group import joined
from paddle.nn.clip import ClipGradByGlobalNorm

from ...meta_optimizers.dygraph_optimizer.divided_state import DividedState
from .group_sharded_utils import GroupShardedClipGrad

__all__ = ['GroupShardedOptimizerStage2']


class GroupShardedOptimizerStage2(DividedState):
    """`optim` over a group of processes. Gradients are averaged by the model that is made with it:
    `GroupShardedStage2` or `GroupShardedStage3`.

    Args:
        params (list of Tensors): The parameters of the model; those that need gradients are the
            optimizer's.
        optim (Optimizer): The optimizer.
        group (Group, default None): The processes; None for all.
        offload (bool, default False): Whether state and updates are in the host's memory, where
            they are on the CPU in any case.
        device (str, default 'gpu'): Taken for compatibility; it has no effect.
        pretrain_sync_models (bool, default True): Whether parameters are made those of the first
            process.
        dp_group (Group, default None): The processes that hold the same share and see other data.

    Raises:
        TypeError: optim is no Optimizer.
        ValueError: params and those of optim are not the same; offload of parameters that are not
            on the CPU.

    Source: Rajbhandari, Rasley, Ruwase and He, ZeRO, https://arxiv.org/abs/1910.02054.
    """

    def __init__(
        self,
        params,
        optim,
        group=None,
        offload=False,
        device='gpu',
        pretrain_sync_models=True,
        dp_group=None,
        **kw,
    ):
        keywords('GroupShardedOptimizerStage2', kw)
        if not isinstance(optim, paddle.optimizer.Optimizer):
            raise TypeError(
                f'[GroupShardedOptimizerStage2] expected an Optimizer, got {type(optim).__name__}'
            )
        if offload and not all(p.place.is_cpu_place() for p in params):
            raise ValueError(
                '[GroupShardedOptimizerStage2] expected offload=False for parameters on a device, '
                'got True'
            )
        known = {id(p) for p in params if not p.stop_gradient}
        held = {id(p) for p in optim._all_params() if not p.stop_gradient}
        if known != held:
            raise ValueError(
                '[GroupShardedOptimizerStage2] expected the parameters of the optimizer, '
                f'{len(held)}, got {len(known)} of which {len(known & held)} are its'
            )
        group = joined(group)
        super().__init__(optim, group)
        self._optim = optim
        self._dp_group = dp_group
        self.offload = offload
        self._after_step = None  # called in place of sending out what was updated
        if pretrain_sync_models:
            with paddle.no_grad():
                for p in params:
                    group.process_group.broadcast([p], 0)
                    if dp_group is not None:
                        dp_group.process_group.broadcast([p], 0)
        for options in [optim._default_dict, *(optim._param_groups if optim._is_grouped() else ())]:
            if isinstance(options.get('grad_clip'), ClipGradByGlobalNorm):
                options['grad_clip'] = GroupShardedClipGrad(options['grad_clip'], device, group)
        if isinstance(optim._grad_clip, ClipGradByGlobalNorm):
            optim._grad_clip = GroupShardedClipGrad(optim._grad_clip, device, group)

    def _spread(self):
        if self._after_step is not None:
            self._after_step()
        else:
            self._send_out()

    def step(self):
        """Update this process's share; all processes have the new parameters then."""
        self._optim.step()
        self._spread()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step` with the gradients that `loss.backward()` left; returns (operations, pairs)."""
        done = self._optim.minimize(loss, startup_program, self._chosen(parameters), no_grad_set)
        self._spread()
        return done
