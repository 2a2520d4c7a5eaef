# SPDX-License-Identifier: Apache-2.0
"""The optimizer of jobs with `sharding_degree`: each process keeps the state of some parameters and
updates those.
"""

import paddle
from paddle.distributed.communication import ReduceOp

from .divided_state import DividedState

__all__ = ['DygraphShardingOptimizer', 'DygraphShardingOptimizerV2']


class DygraphShardingOptimizer(DividedState):
    """`optimizer` over the sharding group. `step` averages each gradient for the process that
    updates the parameter, and sends out the parameters that were updated.
    """

    def __init__(self, optimizer, hcg):
        super().__init__(optimizer, hcg.get_sharding_parallel_group())
        self._hcg = hcg

    def reduce_gradients(self, parameter_list, hcg):
        """Average the gradients over the group, each for the process that updates by it."""
        group = hcg.get_sharding_parallel_group().process_group
        with paddle.no_grad():
            for p in parameter_list:
                if id(p) in self._owner:
                    if p.grad is None:
                        p.grad = paddle.zeros_like(p)
                    elif p.grad.is_selected_rows():
                        p.grad = p.grad.to_dense()
                    group.reduce([p.grad], ReduceOp.AVG, self._owner[id(p)])

    def step(self):
        """Average gradients, update this process's share, send it out."""
        self.reduce_gradients(self._whole, self._hcg)
        self._inner_opt.step()
        self._send_out()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step` with the gradients that `loss.backward()` left; returns (operations, pairs)."""
        self.reduce_gradients(self._whole, self._hcg)
        chosen = self._chosen(parameters)
        done = self._inner_opt.minimize(loss, startup_program, chosen, no_grad_set)
        self._send_out()
        return done


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """The same under the name of PaddlePaddle's second form, which divides each parameter where
    this divides the list of them: what a step computes is equal.
    """
