# SPDX-License-Identifier: Apache-2.0
"""Momentum whose rate is that of each parameter's norm over its gradient's."""

import paddle
from paddle._training_ops import lars_momentum_
from paddle.optimizer import Optimizer

__all__ = ['LarsMomentumOptimizer']


class LarsMomentumOptimizer(Optimizer):
    """velocity = mu * velocity + rate * (grad + decay * param); param -= velocity, where rate is
    learning_rate * lars_coeff * |param| / (|grad| + decay * |param| + epsilon).

    Args:
        learning_rate (float or LRScheduler): The rate, or what gives it.
        momentum (float): The decay of the velocity.
        lars_coeff (float, default 0.001): The factor of the ratio of norms.
        lars_weight_decay (float, default 0.0005): The decay; where it is 0 the rate is the given
            one.
        parameter_list (list of Tensors, default None): What is trained; None in static programs.
        regularization (regularizer, default None): What is added to gradients; None for nothing.
        grad_clip (ClipGradBase, default None): What clips the gradients first; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.
        exclude_from_weight_decay (list of strs, default None): Parts of names of parameters without
            decay; None for none.
        epsilon (float, default 0): What keeps a divisor from zero.
        multi_precision (bool, default False): Whether half-precision parameters are updated in
            float32.
        rescale_grad (float, default 1.0): The factor of gradients.

    Source: You, Gitman and Ginsburg, Large Batch Training of Convolutional Networks, 2017

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.incubate.optimizer.LarsMomentumOptimizer(
        ...     0.1, 0.9, lars_coeff=0.5, lars_weight_decay=1.0, parameter_list=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> round(w.item(), 4)
        0.95
    """

    def __init__(
        self,
        learning_rate,
        momentum,
        lars_coeff=0.001,
        lars_weight_decay=0.0005,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
        exclude_from_weight_decay=None,
        epsilon=0,
        multi_precision=False,
        rescale_grad=1.0,
    ):
        if momentum is None:
            raise AssertionError(
                '[LarsMomentumOptimizer] expected momentum to be a number, got None'
            )
        self._multi_precision = bool(multi_precision)
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)
        self.type = 'lars_momentum'
        self._momentum, self._coeff = float(momentum), float(lars_coeff)
        self._decay, self._epsilon = float(lars_weight_decay), float(epsilon)
        self._excluded = list(exclude_from_weight_decay or ())
        self._rescale = float(rescale_grad)

    def _bind(self, param):
        velocity = self._add_accumulator('velocity', param, self._state_dtype(param))
        master = self._master_of(param)
        decay = 0.0 if any(part in param.name for part in self._excluded) else self._decay
        masters, precise = [master], master is not None

        def update(grad, lr):
            rate = lr if isinstance(lr, paddle.Tensor) else paddle.full([], lr)
            lars_momentum_(
                [param],
                [grad],
                [velocity],
                [rate],
                masters,
                self._momentum,
                self._coeff,
                [decay],
                self._epsilon,
                precise,
                self._rescale,
            )

        return update
