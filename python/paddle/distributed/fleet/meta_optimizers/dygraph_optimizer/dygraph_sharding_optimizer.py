# SPDX-License-Identifier: Apache-2.0
"""An optimizer whose state is shared: each process keeps that of some parameters and updates
those.
"""

import math

import paddle
from paddle.distributed.communication import ReduceOp

__all__ = ['DygraphShardingOptimizer', 'DygraphShardingOptimizerV2']


def _shares(parameters, count):
    """Parameters in `count` lists of about the same number of elements, large ones first."""
    shares, sizes = [[] for _ in range(count)], [0] * count
    for p in sorted(parameters, key=lambda p: -math.prod(p.shape)):
        least = sizes.index(min(sizes))
        shares[least].append(p)
        sizes[least] += math.prod(p.shape)
    return shares


class DygraphShardingOptimizer:
    """`optimizer` over the sharding group. `step` averages each gradient for the process that
    updates the parameter, and sends out the parameters that were updated.
    """

    def __init__(self, optimizer, hcg):
        if optimizer._is_grouped():
            raise ValueError(
                '[DygraphShardingOptimizer] expected parameters in one group, got groups of them'
            )
        self._inner_opt = optimizer
        self._hcg = hcg
        self._group = hcg.get_sharding_parallel_group()
        self._whole = [p for p in optimizer._all_params() if not p.stop_gradient]
        self._shares = _shares(self._whole, self._group.nranks)
        optimizer._parameter_list = optimizer._param_groups = self._shares[self._group.rank]
        optimizer._plan = None

    def _all_params(self):
        return self._whole

    def reduce_gradients(self, parameter_list, hcg):
        """Average the gradients over the group, each for the process that updates by it."""
        owner = {id(p): rank for rank, share in enumerate(self._shares) for p in share}
        group = hcg.get_sharding_parallel_group().process_group
        with paddle.no_grad():
            for p in parameter_list:
                if id(p) in owner:
                    if p.grad is None:
                        p.grad = paddle.zeros_like(p)
                    group.reduce([p.grad], ReduceOp.AVG, owner[id(p)])

    def _send_out(self):
        group = self._group.process_group
        with paddle.no_grad():
            for rank, share in enumerate(self._shares):
                for p in share:
                    group.broadcast([p], rank)

    def step(self):
        """Average gradients, update this process's share, send it out."""
        self.reduce_gradients(self._whole, self._hcg)
        self._inner_opt.step()
        self._send_out()

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """`step` with the gradients that `loss.backward()` left; returns (operations, pairs)."""
        self.reduce_gradients(self._whole, self._hcg)
        mine = {id(p) for p in self._shares[self._group.rank]}
        chosen = [p for p in parameters if id(p) in mine] if parameters else None
        done = self._inner_opt.minimize(loss, startup_program, chosen, no_grad_set)
        self._send_out()
        return done

    def clear_grad(self, set_to_zero=True):
        """Set the gradients of all parameters to zero, or drop them."""
        for p in self._whole:
            p.clear_gradient(set_to_zero)

    def __getattr__(self, name):
        if name == '_inner_opt':
            raise AttributeError(name)
        return getattr(self._inner_opt, name)


class DygraphShardingOptimizerV2(DygraphShardingOptimizer):
    """The same under the name of PaddlePaddle's second form, which divides each parameter where
    this divides the list of them: what a step computes is equal.
    """
