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
    """Weight decay: adds coeff * sign(parameter) to the gradient, that of coeff * sum(|parameter|).

    Args:
        coeff (float, default 0.0): The factor.

    Raises:
        AssertionError: coeff is None.

    Examples:
        >>> w = paddle.create_parameter([2], "float32", is_bias=True)
        >>> w.set_value(paddle.to_tensor([2.0, -3.0]))
        >>> opt = paddle.optimizer.SGD(1.0, [w], weight_decay=paddle.regularizer.L1Decay(0.5))
        >>> (w * 0.0).sum().backward()
        >>> opt.step()
        >>> w.tolist()
        [1.5, -2.5]
    """

    def __call__(self, param, grad, block=None):
        import paddle

        return paddle.sign(param) * self._coeff


class L2Decay(_Decay):
    """Weight decay: adds coeff * parameter to the gradient, that of coeff / 2 * sum(param ** 2).

    Args:
        coeff (float, default 0.0): The factor.

    Raises:
        AssertionError: coeff is None.

    Examples:
        >>> w = paddle.create_parameter([2], "float32", is_bias=True)
        >>> w.set_value(paddle.to_tensor([2.0, -3.0]))
        >>> opt = paddle.optimizer.SGD(1.0, [w], weight_decay=paddle.regularizer.L2Decay(0.5))
        >>> (w * 0.0).sum().backward()
        >>> opt.step()
        >>> w.tolist()
        [1.0, -1.5]
    """

    def __call__(self, param, grad, block=None):
        return param * self._coeff
