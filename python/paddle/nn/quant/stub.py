# SPDX-License-Identifier: Apache-2.0
"""Places in a model where what passes is quantised."""

from ..layer.layers import Layer

__all__ = ['QuanterStub', 'Stub']


class Stub(Layer):
    """Returns its input; in a quantised model a quanter stands here, one of `observer` or of the
    configuration.

    Args:
        observer (object, default None): What makes the quanter; None for that of the configuration.

    Examples:
        >>> paddle.nn.quant.Stub()(paddle.to_tensor([1.0, 2.0])).tolist()
        [1.0, 2.0]
    """

    def __init__(self, observer=None):
        super().__init__()
        self._observer = observer

    def forward(self, input):
        return input


class QuanterStub(Layer):
    """What takes a `Stub`'s place."""

    def __init__(self, layer, q_config):
        super().__init__()
        factory = layer._observer or q_config.activation
        self._observer = None if factory is None else factory._instance(layer)

    def forward(self, input):
        return input if self._observer is None else self._observer(input)
