# SPDX-License-Identifier: Apache-2.0
"""SGD, Momentum, Adagrad, Adadelta, RMSProp, ASGD, Rprop."""

import paddle
from paddle import _C_ops
from paddle.regularizer import L2Decay

from .accumulators import dtype_name
from .lr import LRScheduler
from .optimizer import Optimizer

__all__ = ['SGD', 'Momentum', 'Adagrad', 'Adadelta', 'RMSProp', 'ASGD', 'Rprop']


def _given(op, **values):
    for name, value in values.items():
        if value is None:
            raise ValueError(f"[{op}] expected {name}, got None")


class SGD(Optimizer):
    """Stochastic gradient descent: param -= learning_rate * grad.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        multi_precision (bool, default False): Whether half-precision parameters are updated in
            float32.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.SGD(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.8]
    """

    def __init__(
        self,
        learning_rate=0.001,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        _given('SGD', learning_rate=learning_rate)
        self._multi_precision = multi_precision
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'sgd'

    def _bind(self, param):
        master = self._master_of(param)
        op, precise = _C_ops.sgd_, master is not None

        def update(grad, lr):
            op(param, lr, grad, master, precise)

        return update


class Momentum(Optimizer):
    """velocity = mu * velocity + grad; param -= learning_rate * velocity (or the Nesterov
    form).

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        momentum (float, default 0.9): The decay of the velocity.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        use_nesterov (bool, default False): Whether the gradient is looked at ahead.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        multi_precision (bool, default False): Whether half-precision parameters are updated in
            float32.
        rescale_grad (float, default 1.0): The factor of gradients.
        use_multi_tensor (bool, default False): Taken for compatibility; it has no effect.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.Momentum(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.8]
    """

    def __init__(
        self,
        learning_rate=0.001,
        momentum=0.9,
        parameters=None,
        use_nesterov=False,
        weight_decay=None,
        grad_clip=None,
        multi_precision=False,
        rescale_grad=1.0,
        use_multi_tensor=False,
        name=None,
    ):
        _given('Momentum', learning_rate=learning_rate, momentum=momentum)
        self._momentum = momentum
        self._use_nesterov = bool(use_nesterov)
        self._multi_precision = multi_precision
        self._rescale_grad = rescale_grad
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'momentum'
        self._default_dict.update(
            momentum=momentum, use_nesterov=use_nesterov, rescale_grad=rescale_grad
        )

    def _fused_regularizer(self, param):
        term = self._regularizer_of(param)
        return term is None or type(term) is L2Decay

    def _bind(self, param):
        options = self._group_options(param)
        mu = options.get('momentum', self._momentum)
        nesterov = bool(options.get('use_nesterov', self._use_nesterov))
        rescale = options.get('rescale_grad', self._rescale_grad)
        velocity = self._add_accumulator('velocity', param, self._state_dtype(param))
        master = self._master_of(param)
        term = self._regularizer_of(param)
        method, coeff = ('l2_decay', term._coeff) if type(term) is L2Decay else ('', 0.0)
        op, precise = _C_ops.momentum_, master is not None

        def update(grad, lr):
            op(param, grad, velocity, lr, master, mu, nesterov, method, coeff, precise, rescale)

        return update


class Adagrad(Optimizer):
    """moment += grad^2; param -= learning_rate * grad / (sqrt(moment) + epsilon).

    Args:
        learning_rate (float or LRScheduler): The rate, or what gives it.
        epsilon (float, default 1e-06): What keeps a divisor from zero.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.
        initial_accumulator_value (float, default 0.0): What the sums of squares begin with.

    Source: Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.Adagrad(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.9]
    """

    def __init__(
        self,
        learning_rate,
        epsilon=1e-6,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
        initial_accumulator_value=0.0,
    ):
        if learning_rate is None:
            raise AssertionError("[Adagrad] expected learning_rate, got None")
        if epsilon is None:
            raise AssertionError("[Adagrad] expected epsilon, got None")
        self._epsilon = epsilon
        self.initial_accumulator_value = initial_accumulator_value
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'adagrad'
        self._default_dict.update(
            epsilon=epsilon, initial_accumulator_value=initial_accumulator_value
        )

    def _bind(self, param):
        options = self._group_options(param)
        epsilon = options.get('epsilon', self._epsilon)
        moment = self._add_accumulator(
            'moment',
            param,
            self._state_dtype(param),
            options.get('initial_accumulator_value', self.initial_accumulator_value),
        )
        master = self._master_of(param)
        op, precise = _C_ops.adagrad_, master is not None

        def update(grad, lr):
            op(param, grad, moment, lr, master, epsilon, precise)

        return update


class Adadelta(Optimizer):
    """Steps scaled by running means of squared gradients and squared updates.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        epsilon (float, default 1e-06): What keeps a divisor from zero.
        rho (float, default 0.95): The decay of the means.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Zeiler, ADADELTA, 2012 (arXiv:1212.5701)

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.Adadelta(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.9996]
    """

    def __init__(
        self,
        learning_rate=0.001,
        epsilon=1e-6,
        rho=0.95,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        _given('Adadelta', learning_rate=learning_rate, epsilon=epsilon, rho=rho)
        self._epsilon, self._rho = epsilon, rho
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'adadelta'
        self._default_dict.update(epsilon=epsilon, rho=rho)

    def _bind(self, param):
        options = self._group_options(param)
        rho, epsilon = options.get('rho', self._rho), options.get('epsilon', self._epsilon)
        dtype = self._state_dtype(param)
        grads = self._add_accumulator('_avg_squared_grad', param, dtype)
        updates = self._add_accumulator('_avg_squared_update', param, dtype)
        master = self._master_of(param)
        op, precise = _C_ops.adadelta_, master is not None

        def update(grad, lr):
            op(param, grad, grads, updates, lr, master, rho, epsilon, precise)

        return update


class RMSProp(Optimizer):
    """Steps scaled by a running mean of squared gradients, centred or not, with momentum.

    Args:
        learning_rate (float or LRScheduler): The rate, or what gives it.
        rho (float, default 0.95): The decay of the means.
        epsilon (float, default 1e-06): What keeps a divisor from zero.
        momentum (float, default 0.0): The decay of the velocity.
        centered (bool, default False): Whether squares are taken about the mean.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.RMSProp(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.5528]
    """

    def __init__(
        self,
        learning_rate,
        rho=0.95,
        epsilon=1e-6,
        momentum=0.0,
        centered=False,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        _given('RMSProp', learning_rate=learning_rate, rho=rho, epsilon=epsilon, momentum=momentum)
        for name_, value in (('rho', rho), ('epsilon', epsilon), ('momentum', momentum)):
            if not 0.0 <= value:
                raise ValueError(f"[RMSProp] expected {name_} of at least 0, got {value}")
        self._rho, self._epsilon, self._momentum, self._centered = rho, epsilon, momentum, centered
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'rmsprop'
        self._default_dict.update(rho=rho, epsilon=epsilon, momentum=momentum, centered=centered)

    def _bind(self, param):
        options = self._group_options(param)
        rho, epsilon, mu, centered = (
            options.get(k, v)
            for k, v in (
                ('rho', self._rho),
                ('epsilon', self._epsilon),
                ('momentum', self._momentum),
                ('centered', self._centered),
            )
        )
        dtype = self._state_dtype(param)
        moment = self._add_accumulator('momentum', param, dtype)
        square = self._add_accumulator('mean_square', param, dtype)
        mean = self._add_accumulator('mean_grad', param, dtype)
        master = self._master_of(param)
        op, precise = _C_ops.rmsprop_, master is not None

        def update(grad, lr):
            op(param, square, grad, moment, lr, mean, master, epsilon, rho, mu, centered, precise)

        return update


class ASGD(Optimizer):
    """Averaged SGD: keeps the last gradient of each of `batch_num` batches and steps along their
    mean.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate.
        batch_num (int, default 1): How many batches there are.
        parameters (list of Tensors or list of dicts, default None): What is moved; dicts have
            `params` and options of the group.
        weight_decay (float or regularizer, default None): The factor of L2 decay, or a regularizer.
        grad_clip (object, default None): What clips gradients; None for nothing.
        multi_precision (bool, default False): Whether half-precision parameters have float32
            copies.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> init = paddle.nn.initializer.Constant(2.0)
        >>> x = paddle.create_parameter([1], "float32", default_initializer=init)
        >>> opt = paddle.optimizer.ASGD(0.25, parameters=[x])
        >>> (x * x).sum().backward()
        >>> opt.step()
        >>> x.item()
        1.0
    """

    def __init__(
        self,
        learning_rate=0.001,
        batch_num=1,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        _given('ASGD', learning_rate=learning_rate, batch_num=batch_num)
        if not 0 < batch_num:
            raise ValueError(f"[ASGD] expected a positive batch_num, got {batch_num}")
        self._multi_precision = multi_precision
        self._n = batch_num
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'asgd'

    def _bind(self, param):
        dtype = self._state_dtype(param)
        total = self._add_accumulator('d', param, dtype)
        kept = self._add_accumulator('y', param, dtype, 0.0, [self._n] + list(param.shape))
        count = self._add_accumulator('m', param, 'int64', 0, [1])
        master = self._master_of(param)
        op, precise, batches = _C_ops.asgd_, master is not None, self._n

        def update(grad, lr):
            step = count.item()
            slot = kept[step % batches].clone()
            n = paddle.full([1], min(step + 1, batches), total.dtype)
            op(param, grad, lr, total, slot, n, master, precise)
            kept[step % batches] = slot
            count.set_value(paddle.full([1], step + 1, 'int64'))

        return update


class Rprop(Optimizer):
    """Steps by the sign of the gradient; each element's step grows or shrinks with sign changes.
    Full batches only.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate.
        learning_rate_range (tuple of floats, default (1e-05, 50)): The least and the largest step.
        parameters (list of Tensors or list of dicts, default None): What is moved; dicts have
            `params` and options of the group.
        etas (tuple of floats, default (0.5, 1.2)): The factors where the sign changes and where it
            stays.
        grad_clip (object, default None): What clips gradients; None for nothing.
        multi_precision (bool, default False): Whether half-precision parameters have float32
            copies.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Riedmiller and Braun, A direct adaptive method for faster backpropagation learning, 1993

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> opt = paddle.optimizer.Rprop(0.01, parameters=net.parameters())
        >>> net(paddle.ones([4, 2])).mean().backward()
        >>> opt.step()
    """

    def __init__(
        self,
        learning_rate=0.001,
        learning_rate_range=(1e-5, 50),
        parameters=None,
        etas=(0.5, 1.2),
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        _given('Rprop', learning_rate=learning_rate)
        start = learning_rate() if isinstance(learning_rate, LRScheduler) else learning_rate
        if not 0.0 < learning_rate_range[0] <= start <= learning_rate_range[1]:
            raise ValueError(
                "[Rprop] expected learning_rate within a positive learning_rate_range, got "
                f"{start} and {learning_rate_range}"
            )
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"[Rprop] expected etas below and above 1, got {etas}")
        self._multi_precision = multi_precision
        self._initial_learning_rate = start
        self._range = [float(v) for v in learning_rate_range]
        self._etas = [float(v) for v in etas]
        super().__init__(learning_rate, parameters, None, grad_clip, name)
        self.type = 'rprop'

    def _bind(self, param):
        dtype = self._state_dtype(param)
        previous = self._add_accumulator('prevs', param, dtype)
        rates = self._add_accumulator('learning_rates', param, dtype, self._initial_learning_rate)
        master = self._master_of(param)
        limits = paddle.to_tensor(self._range, dtype=dtype_name(rates.dtype))
        etas = paddle.to_tensor(self._etas, dtype=dtype_name(rates.dtype))
        op, precise = _C_ops.rprop_, master is not None

        def update(grad, lr):
            op(param, grad, previous, rates, master, limits, etas, precise)

        return update
