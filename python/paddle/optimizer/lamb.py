# SPDX-License-Identifier: Apache-2.0
"""LAMB: Adam with a trust ratio for each layer."""

from paddle import _C_ops

from .adam import _number
from .optimizer import Optimizer

__all__ = ['Lamb']


class Lamb(Optimizer):
    """Adam steps rescaled by |param| / |step|.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate.
        lamb_weight_decay (float, default 0.01): The factor of the decay.
        beta1 (float, default 0.9): How much of the mean gradient stays.
        beta2 (float, default 0.999): How much of the mean square stays.
        epsilon (float, default 1e-06): What is added to a divisor.
        parameters (list of Tensors or list of dicts, default None): What is moved; dicts have
            `params` and options of the group.
        grad_clip (object, default None): What clips gradients; None for nothing.
        exclude_from_weight_decay_fn (callable, default None): From a parameter to whether it does
            not decay.
        multi_precision (bool, default False): Whether half-precision parameters have float32
            copies.
        always_adapt (bool, default False): Whether parameters without decay are rescaled too.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: You et al., Large batch optimization for deep learning, 2019

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> opt = paddle.optimizer.Lamb(0.01, parameters=net.parameters())
        >>> net(paddle.ones([4, 2])).mean().backward()
        >>> opt.step()
        >>> opt.clear_grad()
    """

    def __init__(
        self,
        learning_rate=0.001,
        lamb_weight_decay=0.01,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        parameters=None,
        grad_clip=None,
        exclude_from_weight_decay_fn=None,
        multi_precision=False,
        always_adapt=False,
        name=None,
    ):
        for name_, value in (
            ('learning_rate', learning_rate),
            ('beta1', beta1),
            ('beta2', beta2),
            ('epsilon', epsilon),
        ):
            if value is None:
                raise AssertionError(f"[Lamb] expected {name_}, got None")
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        self._lamb_weight_decay = lamb_weight_decay
        self._exclude_from_weight_decay_fn = exclude_from_weight_decay_fn
        self._multi_precision = multi_precision
        self.always_adapt = always_adapt
        super().__init__(learning_rate, parameters, None, grad_clip, name)
        self.type = 'lamb'
        self._default_dict.update(
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            lamb_weight_decay=lamb_weight_decay,
            exclude_from_weight_decay_fn=exclude_from_weight_decay_fn,
        )

    def _bind(self, param):
        options = self._group_options(param)
        beta1, beta2, epsilon = (
            _number(options.get(k, v))
            for k, v in (('beta1', self._beta1), ('beta2', self._beta2), ('epsilon', self._epsilon))
        )
        decay = options.get('lamb_weight_decay', self._lamb_weight_decay)
        exclude = options.get('exclude_from_weight_decay_fn', self._exclude_from_weight_decay_fn)
        if exclude is not None and exclude(param):
            decay = 0.0
        dtype = self._state_dtype(param)
        m1 = self._add_accumulator('moment1', param, dtype)
        m2 = self._add_accumulator('moment2', param, dtype)
        b1 = self._add_accumulator('beta1_pow_acc', param, dtype, beta1, [1])
        b2 = self._add_accumulator('beta2_pow_acc', param, dtype, beta2, [1])
        master = self._master_of(param)
        op, precise, always = _C_ops.lamb_, master is not None, self.always_adapt

        def update(grad, lr):
            op(
                param,
                grad,
                lr,
                m1,
                m2,
                b1,
                b2,
                master,
                None,
                decay,
                beta1,
                beta2,
                epsilon,
                always,
                precise,
            )

        return update
