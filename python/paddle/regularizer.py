# SPDX-License-Identifier: Apache-2.0
"""Weight decay terms that optimizers add to gradients."""

__all__ = ['L1Decay', 'L2Decay']


from paddle.base.known_keywords import KnownKeywords


class WeightDecayRegularizer(KnownKeywords):
    """Base of regularizers; `__call__(param, grad, block)` gives the term to add to the
    gradient.
    """

    def __init__(self):
        super().__init__()

    def __call__(self, param, grad, block=None):
        raise NotImplementedError(
            f"[{type(self).__name__}.__call__] expected a subclass to define it, got none"
        )


class _Decay(WeightDecayRegularizer):
    def __init__(self, coeff=0.0):
        if coeff is None:
            raise AssertionError(f"[{type(self).__name__}] expected coeff to be a number, got None")
        super().__init__()
        self._coeff = coeff

    def __str__(self):
        return f"{type(self).__name__}, coeff={self._coeff:f}"


class L1Decay(_Decay):
    """Adds coeff * sign(param): the gradient of coeff * sum(|param|)."""

    def __call__(self, param, grad, block=None):
        import paddle

        return paddle.sign(param) * self._coeff


class L2Decay(_Decay):
    """Adds coeff * param: the gradient of 0.5 * coeff * sum(param^2)."""

    def __call__(self, param, grad, block=None):
        return param * self._coeff
