# SPDX-License-Identifier: Apache-2.0
"""Layers that stand for another one, whose state is theirs."""

from paddle.nn import Layer

__all__ = []


class Wrapper(Layer):
    """Saves and loads the state of `_layers`, in its place; `suffix` tells their names apart."""

    def __init__(self, layers, suffix):
        super().__init__(f'{layers.full_name()}_{suffix}')
        self._layers = layers

    def state_dict(self, destination=None, include_sublayers=True, structured_name_prefix=''):
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_state_dict(self, state_dict, use_structured_name=True):
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = set_state_dict
    load_dict = set_state_dict
