# SPDX-License-Identifier: Apache-2.0
"""The Adam family: Adam, AdamW, Adamax, NAdam, RAdam."""

import numbers

import paddle
from paddle import _C_ops

from .accumulators import dtype_name
from .optimizer import Optimizer

__all__ = ['Adam', 'AdamW', 'Adamax', 'NAdam', 'RAdam']


def _check_unit(op, **values):
    for name, value in values.items():
        if value is None:
            raise AssertionError(f"[{op}] expected {name}, got None")
        if not isinstance(value, (paddle.Tensor, numbers.Real)):
            raise TypeError(f"[{op}] expected {name} to be a number, got {type(value).__name__}")
        if not isinstance(value, paddle.Tensor) and not 0 <= value < 1:
            raise ValueError(f"[{op}] expected {name} of at least 0 and below 1, got {value}")


def _check_epsilon(op, epsilon):
    if epsilon is None:
        raise AssertionError(f"[{op}] expected epsilon, got None")
    if not isinstance(epsilon, paddle.Tensor) and not epsilon >= 0:
        raise ValueError(f"[{op}] expected epsilon of at least 0, got {epsilon}")


def _number(value):
    return float(value) if isinstance(value, paddle.Tensor) else value


class Adam(Optimizer):
    """Adam, with bias correction; `amsgrad` keeps the maximum of the second moment.

    Raises ValueError for betas outside [0, 1) or a negative epsilon.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        beta1 (float or Tensor, default 0.9): The decay of the mean of gradients.
        beta2 (float or Tensor, default 0.999): The decay of the mean of squared gradients.
        epsilon (float, default 1e-08): What keeps a divisor from zero.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        lazy_mode (bool, default False): Whether a gradient that is SelectedRows, as a lookup with
            `sparse=True` gives, changes its rows alone; else moments of all rows decay.
        multi_precision (bool, default False): Whether half-precision parameters are updated in
            float32.
        use_multi_tensor (bool, default False): Taken for compatibility; it has no effect.
        amsgrad (bool, default False): Whether the largest second moment so far is the divisor.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Kingma and Ba, Adam, 2014 (arXiv:1412.6980)

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.Adam(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.9]
    """

    _moment1_acc_str = 'moment1'
    _moment2_acc_str = 'moment2'
    _moment2_acc_max_str = 'moment2_max'
    _beta1_pow_acc_str = 'beta1_pow_acc'
    _beta2_pow_acc_str = 'beta2_pow_acc'

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        lazy_mode=False,
        multi_precision=False,
        use_multi_tensor=False,
        amsgrad=False,
        name=None,
    ):
        _check_unit(type(self).__name__, beta1=beta1, beta2=beta2)
        _check_epsilon(type(self).__name__, epsilon)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        self._lazy_mode = lazy_mode
        self._multi_precision = multi_precision
        self._amsgrad = amsgrad
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = 'adam'
        self._default_dict.update(beta1=beta1, beta2=beta2, epsilon=epsilon, lazy_mode=lazy_mode)

    def _moment_dtype(self, param):
        return self._state_dtype(param)

    def _states(self, param):
        """[moment1, moment2, moment2_max or None, beta1_pow, beta2_pow, master or None]."""
        dtype = self._moment_dtype(param)
        pow_dtype = self._state_dtype(param)
        m1 = self._add_accumulator(self._moment1_acc_str, param, dtype)
        m2 = self._add_accumulator(self._moment2_acc_str, param, dtype)
        top = (
            self._add_accumulator(self._moment2_acc_max_str, param, dtype)
            if self._amsgrad
            else None
        )
        options = self._group_options(param)
        b1 = self._add_accumulator(
            self._beta1_pow_acc_str,
            param,
            pow_dtype,
            _number(options.get('beta1', self._beta1)),
            [1],
        )
        b2 = self._add_accumulator(
            self._beta2_pow_acc_str,
            param,
            pow_dtype,
            _number(options.get('beta2', self._beta2)),
            [1],
        )
        return [m1, m2, top, b1, b2, self._master_of(param)]

    def _betas(self, param):
        options = self._group_options(param)
        return tuple(
            _number(options.get(key, own))
            for key, own in (
                ('beta1', self._beta1),
                ('beta2', self._beta2),
                ('epsilon', self._epsilon),
            )
        )

    def _bind(self, param):
        states = self._states(param)
        m1, m2, top, b1, b2, master = states
        beta1, beta2, epsilon = self._betas(param)
        op, lazy, precise, amsgrad = (
            _C_ops.adam_,
            self._lazy_mode,
            master is not None,
            self._amsgrad,
        )

        def update(grad, lr):
            op(
                param,
                grad,
                lr,
                m1,
                m2,
                top,
                b1,
                b2,
                master,
                None,
                beta1,
                beta2,
                epsilon,
                lazy,
                1000,
                precise,
                False,
                amsgrad,
            )

        return update


class AdamW(Adam):
    """Adam with decoupled weight decay.

    `lr_ratio(param)` scales the learning rate; `apply_decay_param_fun(name)` chooses the
    parameters that decay.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        beta1 (float or Tensor, default 0.9): The decay of the mean of gradients.
        beta2 (float or Tensor, default 0.999): The decay of the mean of squared gradients.
        epsilon (float, default 1e-08): What keeps a divisor from zero.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or Tensor, default 0.01): The share of each parameter that a step of
            rate 1 takes away.
        use_lowprecision_moment (bool, default False): Whether moments of half-precision
            parameters have their dtype.
        lr_ratio (callable, default None): The factor of the rate for a parameter; None for 1.
        apply_decay_param_fun (callable, default None): Whether the parameter of a name decays;
            None for all.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        lazy_mode (bool, default False): Whether a gradient that is SelectedRows, as a lookup with
            `sparse=True` gives, changes its rows alone; else moments of all rows decay.
        multi_precision (bool, default False): Whether half-precision parameters are updated in
            float32.
        amsgrad (bool, default False): Whether the largest second moment so far is the divisor.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2017 (arXiv:1711.05101)

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.AdamW(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.899]
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        parameters=None,
        weight_decay=0.01,
        use_lowprecision_moment=False,
        lr_ratio=None,
        apply_decay_param_fun=None,
        grad_clip=None,
        lazy_mode=False,
        multi_precision=False,
        amsgrad=False,
        name=None,
    ):
        if isinstance(weight_decay, bool) or not isinstance(
            weight_decay, (int, float, paddle.Tensor)
        ):
            raise TypeError(
                "[AdamW] expected weight_decay to be a number or a tensor, got "
                f"{type(weight_decay).__name__}"
            )
        if lr_ratio is not None and not callable(lr_ratio):
            raise AssertionError(
                f"[AdamW] expected lr_ratio to be a function, got {type(lr_ratio).__name__}"
            )
        self._coeff = weight_decay
        self._lr_ratio = lr_ratio
        self._apply_decay_param_fun = apply_decay_param_fun
        self._low_moment = use_lowprecision_moment
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameters,
            None,
            grad_clip,
            lazy_mode,
            multi_precision,
            False,
            amsgrad,
            name,
        )
        self.type = 'adamw'
        self._default_dict['weight_decay'] = weight_decay
        if self._is_grouped():
            for group in self._param_groups:
                if group.get('weight_decay') is None:
                    group['weight_decay'] = weight_decay

    def sharded_state_dict(self, model_sharded_state_dict):
        """State with the places that it has in the whole, for distributed checkpoints.

        Args:
            model_sharded_state_dict (dict of ShardedWeights): What the model's
                `sharded_state_dict` gives.

        Returns:
            dict of ShardedWeights: by `<name of the parameter in the model>.<name of the state>`.
            State of its parameter's shape lies as the parameter does; other state is whole.

        Raises:
            TypeError: A value is no ShardedWeight.

        Examples:
            >>> layer = paddle.nn.Linear(2, 3)
            >>> optimizer = paddle.optimizer.AdamW(parameters=layer.parameters())
            >>> layer(paddle.ones([1, 2])).sum().backward()
            >>> optimizer.step()
            >>> state = optimizer.sharded_state_dict(layer.sharded_state_dict())
            >>> state["weight.moment1_0"].global_shape
            (2, 3)
        """
        from paddle.distributed.flex_checkpoint.dcp.sharded_weight import ShardedWeight

        made, held = {}, self.state_dict()
        master = held.pop('master_weights', {})
        held.pop('LR_Scheduler', None)
        for weight in model_sharded_state_dict.values():
            if not isinstance(weight, ShardedWeight):
                raise TypeError(
                    f'[sharded_state_dict] expected ShardedWeights, got {type(weight).__name__}'
                )
        # The longest name first: `w_2_moment1_0` is state of `w_2`, not of `w`.
        states = {}
        names = {weight.local_tensor.name for weight in model_sharded_state_dict.values()}
        for name in sorted(names, key=len, reverse=True):
            own = [k for k in held if k.startswith(name + '_')]
            states[name] = {k[len(name) + 1 :]: held.pop(k) for k in own}
        for key, weight in model_sharded_state_dict.items():
            name = weight.local_tensor.name
            found = dict(states[name])
            if name in master:
                found['w_0'] = master[name]
            for state, tensor in found.items():
                shape, at = tuple(tensor.shape), (0,) * tensor.ndim
                whole = shape
                if shape == tuple(weight.local_shape):
                    whole, at = weight.global_shape, weight.global_offset
                place = f'{key}.{state}'
                made[place] = ShardedWeight(place, tensor, shape, whole, at)
        return made

    def _prepare_group(self, group):
        for param in group['params']:
            param.optimize_attr = {'learning_rate': group.get('learning_rate', 1.0)}

    def _moment_dtype(self, param):
        if self._low_moment and dtype_name(param.dtype) == 'bfloat16':
            return param.dtype
        return self._state_dtype(param)

    def _regularizer_of(self, param):
        return None

    def append_regularization_ops(self, parameters_and_grads, regularization=None):
        """AdamW decays weights in its own rule: the gradients come back as they are."""
        return list(parameters_and_grads)

    def _bind(self, param):
        states = self._states(param)
        m1, m2, top, b1, b2, master = states
        beta1, beta2, epsilon = self._betas(param)
        coeff = _number(self._group_options(param).get('weight_decay', self._coeff))
        decide = self._apply_decay_param_fun
        decays = decide is None or bool(decide(param.name))
        ratio = 1.0 if self._lr_ratio is None else float(self._lr_ratio(param))
        op, lazy, precise, amsgrad = (
            _C_ops.adamw_,
            self._lazy_mode,
            master is not None,
            self._amsgrad,
        )

        def update(grad, lr):
            op(
                param,
                grad,
                lr,
                m1,
                m2,
                top,
                b1,
                b2,
                master,
                None,
                beta1,
                beta2,
                epsilon,
                ratio,
                coeff,
                decays,
                lazy,
                1000,
                precise,
                False,
                amsgrad,
            )

        return update


class _Variant(Optimizer):
    """What the variants share: their numbers, which a parameter group may set anew, and named
    states.
    """

    def _start(self, learning_rate, parameters, weight_decay, grad_clip, name, **numbers):
        _check_unit(type(self).__name__, beta1=numbers['beta1'], beta2=numbers['beta2'])
        self._own = numbers
        for key, value in numbers.items():
            setattr(self, f'_{key}', value)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self.type = type(self).__name__.lower()
        self._default_dict.update(numbers)

    def _numbers(self, param):
        options = self._group_options(param)
        return [_number(options.get(key, own)) for key, own in self._own.items()]

    def _zeros(self, param, *names):
        return [self._add_accumulator(name, param, self._state_dtype(param)) for name in names]

    def _ones(self, param, *names):
        return [self._add_accumulator(name, param, self._state_dtype(param), 1.0) for name in names]


def _not_negative(op, **values):
    for name, value in values.items():
        if name == 'learning_rate' and not isinstance(value, (float, int)):
            continue
        if not 0.0 <= value:
            raise ValueError(f"[{op}] expected {name} of at least 0, got {value}")


class Adamax(_Variant):
    """Adam on the infinity norm.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        beta1 (float or Tensor, default 0.9): The decay of the mean of gradients.
        beta2 (float or Tensor, default 0.999): The decay of the mean of squared gradients.
        epsilon (float, default 1e-08): What keeps a divisor from zero.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Kingma and Ba, Adam, 2014 (arXiv:1412.6980), section 7.1

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.Adamax(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.9]
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        _check_epsilon(type(self).__name__, epsilon)
        self._start(
            learning_rate,
            parameters,
            weight_decay,
            grad_clip,
            name,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
        )

    def _bind(self, param):
        beta1, beta2, epsilon = self._numbers(param)
        moment, norm = self._zeros(param, 'moment', 'inf_norm')
        power = self._add_accumulator('beta1_pow_acc', param, self._state_dtype(param), beta1, [1])
        master = self._master_of(param)
        op, scale, precise = _C_ops.adamax_, _C_ops.scale_, master is not None

        def update(grad, lr):
            op(param, grad, lr, moment, norm, power, master, beta1, beta2, epsilon, precise)
            scale(power, beta1, 0.0, True)

        return update


class NAdam(_Variant):
    """Adam with Nesterov momentum whose decay changes with the step.

    Args:
        learning_rate (float or LRScheduler, default 0.002): The rate, or what gives it.
        beta1 (float or Tensor, default 0.9): The decay of the mean of gradients.
        beta2 (float or Tensor, default 0.999): The decay of the mean of squared gradients.
        epsilon (float, default 1e-08): What keeps a divisor from zero.
        momentum_decay (float, default 0.004): How the momentum changes with the step.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.NAdam(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.8944]
    """

    def __init__(
        self,
        learning_rate=0.002,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        momentum_decay=0.004,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        _not_negative(
            type(self).__name__,
            learning_rate=learning_rate,
            epsilon=epsilon,
            momentum_decay=momentum_decay,
        )
        self._start(
            learning_rate,
            parameters,
            weight_decay,
            grad_clip,
            name,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
            momentum_decay=momentum_decay,
        )

    def _bind(self, param):
        numbers = self._numbers(param)
        states = self._ones(param, 'momentum_decay_pow', 'beta2_pow', 'mu_product')
        states += self._zeros(param, 'moment1', 'moment2')
        master = self._master_of(param)
        op, precise = _C_ops.nadam_, master is not None

        def update(grad, lr):
            op(param, grad, lr, *states, master, *numbers, precise)

        return update


class RAdam(_Variant):
    """Adam with the variance of its step rectified in the first steps.

    Args:
        learning_rate (float or LRScheduler, default 0.001): The rate, or what gives it.
        beta1 (float or Tensor, default 0.9): The decay of the mean of gradients.
        beta2 (float or Tensor, default 0.999): The decay of the mean of squared gradients.
        epsilon (float, default 1e-08): What keeps a divisor from zero.
        parameters (list of Tensors or of dicts, default None): What is trained, or groups
            `{"params": [...], ...}` with arguments of their own; None in static programs.
        weight_decay (float or regularizer, default None): The factor of the L2 term that is added
            to gradients, or `paddle.regularizer.L1Decay` or `L2Decay`; None for none.
        grad_clip (ClipGradBase, default None): What clips the gradients first, such as
            `paddle.nn.ClipGradByGlobalNorm`; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2019
    (arXiv:1908.03265)

    Examples:
        >>> start = paddle.nn.initializer.Constant(1.0)
        >>> w = paddle.create_parameter([1], 'float32', default_initializer=start)
        >>> opt = paddle.optimizer.RAdam(learning_rate=0.1, parameters=[w])
        >>> (w * w).sum().backward()
        >>> opt.step()
        >>> opt.clear_grad()
        >>> w.tolist()
        [0.8]
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        _not_negative(type(self).__name__, learning_rate=learning_rate, epsilon=epsilon)
        self._start(
            learning_rate,
            parameters,
            weight_decay,
            grad_clip,
            name,
            beta1=beta1,
            beta2=beta2,
            epsilon=epsilon,
        )

    def _bind(self, param):
        numbers = self._numbers(param)
        states = self._ones(param, 'beta1_pow', 'beta2_pow', 'rho') + self._zeros(
            param, 'moment1', 'moment2'
        )
        master = self._master_of(param)
        op, precise = _C_ops.radam_, master is not None

        def update(grad, lr):
            op(param, grad, lr, *states, master, *numbers, precise)

        return update
