# SPDX-License-Identifier: Apache-2.0
"""Models in jobs that divide parameters, sequences or optimizer state."""

from ..utils.hybrid_parallel_util import (
    broadcast_dp_parameters,
    broadcast_input_data,
    broadcast_mp_parameters,
    broadcast_sep_parameters,
    broadcast_sharding_parameters,
)
from .meta_parallel_base import MetaParallelBase

__all__ = ['SegmentParallel', 'ShardingParallel', 'TensorParallel']


class AlikeLayers(MetaParallelBase):
    """Parameters are made alike on all processes that have the same ones."""

    def _prepare_for_model(self):
        broadcast_mp_parameters(self._layers, self._hcg)
        broadcast_sep_parameters(self._layers, self._hcg)
        broadcast_sharding_parameters(self._layers, self._hcg)
        broadcast_dp_parameters(self._layers, self._hcg)


class TensorParallel(AlikeLayers):
    """A model some layers of which are divided. The processes that share one copy get the first
    one's inputs, unless the strategy's `mp_configs` have `need_broadcast_data=False`.
    """

    def _pre_forward(self, *inputs, **kwargs):
        needed = self._strategy is None or (
            self._strategy.hybrid_configs['mp_configs'].need_broadcast_data
        )
        if not needed:
            return inputs, kwargs
        return broadcast_input_data(self._hcg, *inputs, **kwargs)


class SegmentParallel(AlikeLayers):
    """A model each copy of which sees a part of the sequences."""


class ShardingParallel(AlikeLayers):
    """A model whose optimizer's state is shared."""
