# SPDX-License-Identifier: Apache-2.0
"""What wraps a model in a job."""

from paddle.nn import Layer

__all__ = ['MetaParallelBase']


class MetaParallelBase(Layer):
    """A model in a job: its parameters are made alike where they are not divided, then it is called
    as it was.
    """

    def __init__(self, layers, hcg, strategy=None):
        super().__init__(layers.full_name() + '_meta_parallel_base')
        self._layers = layers
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

    def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix=''):
        return self._layers.state_dict(
            destination=destination,
            include_sublayers=include_sublayers,
            structured_name_prefix=structured_name_prefix,
        )

    def set_state_dict(self, state_dict, use_structured_name=True):
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict
