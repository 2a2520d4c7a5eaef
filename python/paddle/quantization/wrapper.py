# SPDX-License-Identifier: Apache-2.0
"""A layer with an observer before or behind it."""

from paddle.nn import Layer

__all__ = ['ObserveWrapper']


class ObserveWrapper(Layer):
    """`observed`, whose input goes through `observer`; without `observe_input` the output does."""

    def __init__(self, observer, observed, observe_input=True):
        super().__init__()
        self._observer, self._observed = observer, observed
        self._observe_input = observe_input

    def forward(self, *inputs, **kwargs):
        if self._observe_input:
            return self._observed(*(self._observer(x) for x in inputs), **kwargs)
        return self._observer(self._observed(*inputs, **kwargs))
