# SPDX-License-Identifier: Apache-2.0
"""What wraps a model in a job."""

from paddle.distributed.wrapper import Wrapper

__all__ = ['MetaParallelBase']


class MetaParallelBase(Wrapper):
    """A model in a job: its parameters are made alike where they are not divided, then it is called
    as it was.
    """

    def __init__(self, layers, hcg, strategy=None):
        super().__init__(layers, 'meta_parallel_base')
        self._hcg = hcg
        self._strategy = strategy
        self._prepare_for_model()

    def _prepare_for_model(self):
        """Make parameters alike."""

    def _pre_forward(self, *inputs, **kwargs):
        """What the model is called with."""
        return inputs, kwargs

    def forward(self, *inputs, **kwargs):
        inputs, kwargs = self._pre_forward(*inputs, **kwargs)
        return self._layers(*inputs, **kwargs)
