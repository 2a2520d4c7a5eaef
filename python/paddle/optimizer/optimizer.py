# SPDX-License-Identifier: Apache-2.0
"""Optimizer base: parameter groups, accumulators by name, clipping, regularization, state dict, the
step plan.

`step` runs a plan made once for the parameters that have gradients. A plan holds `(parameter,
update)` pairs, where `update(grad, lr)` is a closure with every look-up hoisted.
"""

from collections import defaultdict

import paddle
from paddle.base import libpaddle as _core
from paddle.base.absent import Absent, shows
from paddle.base.arguments import instance, items, only
from paddle.regularizer import L1Decay, L2Decay
from paddle.static.program import running

from .accumulators import AccumulatorStore, dtype_name
from .lr import LRScheduler

_recording = _core._records_step  # whether operations are recorded and not run
_is_grad_enabled = _core.is_grad_enabled
_no_grad = _core.GradMode(False)


__all__ = ['Optimizer']


class _Plan:
    """What one `step` does: `pairs` of (parameter, update, scale of the rate)."""

    __slots__ = ('pairs', 'waiting', 'plain', 'known')

    def __init__(self):
        self.pairs = []
        self.waiting = []
        self.plain = True
        self.known = set()


class Optimizer(AccumulatorStore):
    """Base class of optimizers.

    Args:
        learning_rate (float or LRScheduler): The rate.
        parameters (list of Tensors or list of dicts, default None): What is moved; dicts have
            `params` and options of the group.
        weight_decay (float or regularizer, default None): The factor of L2 decay, or a regularizer;
            None for none.
        grad_clip (object, default None): What clips gradients; None for nothing.
        name (str, default None): Taken for compatibility; it has no effect.

    Examples:
        >>> net = paddle.nn.Linear(2, 1)
        >>> opt = paddle.optimizer.SGD(0.1, net.parameters())
        >>> isinstance(opt, paddle.optimizer.Optimizer), opt.get_lr()
        (True, 0.1)
    """

    def __init__(
        self, learning_rate, parameters=None, weight_decay=None, grad_clip=None, name=None
    ):
        if parameters is not None:
            if isinstance(parameters, (paddle.Tensor, str)) or not hasattr(parameters, '__iter__'):
                raise TypeError(
                    f"[{type(self).__name__}] expected parameters to be a list of tensors, got "
                    f"{type(parameters).__name__}"
                )
            parameters = items('Optimizer', 'parameters', parameters)
            if isinstance(parameters, list) and parameters and isinstance(parameters[0], dict):
                for group in parameters:
                    if 'params' not in group:
                        raise AssertionError(
                            f"[{type(self).__name__}] expected 'params' in each parameter group, "
                            f"got {sorted(group)}"
                        )
            for parameter in parameters:
                if not isinstance(parameter, dict):
                    kinds = (paddle.Tensor, paddle.pir.Value)
                    instance(type(self).__name__, 'parameters', parameter, kinds, 'tensors')
        if parameters is None and not paddle.in_dynamic_mode():
            parameters = []  # chosen by `minimize`
        self._parameter_list = parameters
        self._name = name
        if self._parameter_list is None:
            first = '' if isinstance(learning_rate, (int, float)) else type(learning_rate).__name__
            raise AttributeError(
                f"[{type(self).__name__}] expected parameters in dynamic mode, got None"
                + (f' and {first} as learning_rate, which comes first' if first else '')
            )
        if learning_rate is None:
            raise AssertionError(
                f"[{type(self).__name__}] expected learning_rate to be a number or an LRScheduler, "
                "got None"
            )
        if isinstance(learning_rate, bool) or not isinstance(
            learning_rate, (float, int, LRScheduler)
        ):
            raise TypeError(
                f"[{type(self).__name__}] expected learning_rate to be a number or an LRScheduler, "
                f"got {type(learning_rate).__name__}"
            )
        if grad_clip is not None and not _is_clip(grad_clip):
            raise TypeError(
                f"[{type(self).__name__}] expected grad_clip to be a gradient clip, got "
                f"{type(grad_clip).__name__}"
            )
        if isinstance(weight_decay, (float, int)) and not isinstance(weight_decay, bool):
            self.regularization = L2Decay(float(weight_decay))
        else:
            self.regularization = weight_decay
        self._grad_clip = grad_clip
        self._learning_rate = learning_rate
        self._dtype = None
        self._lr_cache, self._recorded_rate = (None, None), None
        self._accumulators = defaultdict(dict)
        self._accumulators_holder = {}
        self._opti_name_list = []
        self._master_weights = {}
        self._auxiliary_vars = {}
        self._plan = None
        self._default_dict = {'weight_decay': self.regularization, 'grad_clip': self._grad_clip}
        if not hasattr(self, '_multi_precision'):
            self._multi_precision = False
        self._param_groups = []
        if self._parameter_list and isinstance(self._parameter_list[0], dict):
            for group in self._parameter_list:
                self._add_param_group(group.copy())
        else:
            self._param_groups = self._parameter_list
        for param in self._all_params():
            self._dtype = param.dtype
            break

    # ---- parameters
    def _is_grouped(self):
        return bool(self._param_groups) and isinstance(self._param_groups[0], dict)

    def _all_params(self):
        if self._is_grouped():
            return [p for group in self._param_groups for p in group['params']]
        return self._param_groups or []

    def _add_param_group(self, param_group):
        """Add a dict of `params` and options. A parameter may be in one group only."""
        params = param_group['params']
        if isinstance(params, (paddle.Tensor,)):
            param_group['params'] = [params]
        elif isinstance(params, set):
            raise TypeError(f"[{type(self).__name__}] expected parameters in an order, got a set")
        else:
            param_group['params'] = items('Optimizer', 'params', params)
        for key, value in self._default_dict.items():
            param_group.setdefault(key, value)
        seen = set()
        for group in self._param_groups:
            seen.update(id(p) for p in group['params'])
        if any(id(p) in seen for p in param_group['params']):
            raise ValueError(
                f"[{type(self).__name__}] expected each parameter in one parameter group, got some "
                "in more"
            )
        self._prepare_group(param_group)
        self._param_groups.append(param_group)
        self._plan = None

    def _prepare_group(self, group):
        """Write the group's regularization and learning-rate scale onto its parameters."""
        decay = group['weight_decay']
        if isinstance(decay, (float, int)) and not isinstance(decay, bool):
            decay = L2Decay(float(decay))
        for param in group['params']:
            if getattr(param, 'regularizer', None) is None and decay is not None:
                param.regularizer = decay
            param.optimize_attr = {'learning_rate': group.get('learning_rate', 1.0)}

    def _group_options(self, param):
        """The options of the group that holds `param`, or the defaults."""
        if self._is_grouped():
            for group in self._param_groups:
                if any(p is param for p in group['params']):
                    return group
        return self._default_dict

    # ---- learning rate
    def get_lr(self):
        """The learning rate of the current step, a float."""
        lr = self._learning_rate
        return lr() if isinstance(lr, LRScheduler) else float(lr)

    def set_lr(self, value):
        """Set the learning rate. RuntimeError when it is a scheduler."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(
                f"[{type(self).__name__}.set_lr] expected a number, got {type(value).__name__}"
            )
        if isinstance(self._learning_rate, LRScheduler):
            raise RuntimeError(
                f"[{type(self).__name__}.set_lr] expected an optimizer without an LRScheduler, got "
                f"one with {type(self._learning_rate).__name__}"
            )
        self._learning_rate = float(value)
        if self._recorded_rate is not None:
            self._follow_rate()

    def set_lr_scheduler(self, scheduler):
        """Let `scheduler` give the learning rate."""
        if not isinstance(scheduler, LRScheduler):
            raise TypeError(
                f"[{type(self).__name__}.set_lr_scheduler] expected an LRScheduler, got "
                f"{type(scheduler).__name__}"
            )
        self._learning_rate = scheduler
        if self._recorded_rate is not None:
            self._follow_rate()

    def _global_learning_rate(self):
        """The learning rate as a tensor of one element."""
        return self._rate()[1]

    def _follow_rate(self):
        """The tensor that recorded steps read, which schedulers and `set_lr` keep up to date."""
        with running():
            if self._recorded_rate is None:
                self._recorded_rate = paddle.full([], self.get_lr(), self._rate_dtype())
            else:
                self._recorded_rate.fill_(self.get_lr())
        if isinstance(self._learning_rate, LRScheduler):
            self._learning_rate._lead(self._recorded_rate)
        return self._recorded_rate

    def _rate_dtype(self):
        return (
            'float64'
            if self._dtype is not None and dtype_name(self._dtype) == 'float64'
            else 'float32'
        )

    def _rate(self):
        """(the learning rate, a tensor of it); what is recorded reads the tensor only."""
        lr = None if _recording() else self.get_lr()
        return lr, self._lr_tensor(lr)

    def _on_gpu(self):
        """Whether the parameters are on a GPU."""
        first = self._parameter_list[0] if self._parameter_list else None
        if isinstance(first, dict):
            first = first['params'][0] if first['params'] else None
        return first is not None and first.place.is_gpu_place()

    def _lr_tensor(self, value):
        if _recording():
            return self._follow_rate()
        cached, tensor = self._lr_cache
        if cached != value:
            if not self._on_gpu():
                tensor = paddle.full([], value, self._rate_dtype())
            elif _core.is_capturing(_core.current_place()):
                # The graph is not to write the rate of now.
                return self._made_before('learning rate', self._recorded_rate)
            else:
                tensor = self._follow_rate()
            self._lr_cache = (value, tensor)
        return tensor

    def _scaled_rate(self, tensor, lr, scale):
        """The learning rate `lr`, held by `tensor`, times a parameter's factor."""
        if scale == 1.0:
            return tensor
        if _recording() or tensor.place.is_gpu_place():
            return tensor * scale
        return paddle.full([], lr * scale, tensor.dtype)

    def _create_param_lr(self, param_and_grad):
        lr, tensor = self._rate()
        return self._scaled_rate(tensor, lr, self._lr_scale(param_and_grad[0]))

    @staticmethod
    def _lr_scale(param):
        attr = getattr(param, 'optimize_attr', None)
        return attr.get('learning_rate', 1.0) if attr else 1.0

    # ---- what a subclass gives
    def _bind(self, param):
        """Return (update, states, hyper) for `param`: update(grad, lr tensor) changes it in
        place.
        """
        self._create_accumulators(None, [param])

        def update(grad, lr):
            self._append_optimize_op(None, (param, grad))

        return update

    def _create_accumulators(self, block, parameters):
        """Hook of optimizers written by users: make the state of `parameters`."""

    def _append_optimize_op(self, block, param_and_grad):
        raise NotImplementedError(
            f"[{type(self).__name__}._append_optimize_op] expected a subclass to define it, "
            "got none"
        )

    def _finish_update(self, block, parameters_and_grads):
        """Hook called after every update."""

    # ---- the step
    def _regularizer_of(self, param):
        own = getattr(param, 'regularizer', None)
        return own if own is not None else self.regularization

    def _make_plan(self):
        plan = _Plan()
        for param in self._all_params():
            if param.grad is None or param.stop_gradient:
                plan.waiting.append(param)
                continue
            update = self._bind(param)
            scale = self._lr_scale(param)
            plan.pairs.append((param, update, scale))
            plan.known.add(id(param))
            if self._fused_regularizer(param) is False:
                plan.plain = False
        if self._grad_clip is not None or (
            self._is_grouped() and any(g.get('grad_clip') is not None for g in self._param_groups)
        ):
            plan.plain = False
        self._plan = plan
        return plan

    def _fused_regularizer(self, param):
        """True when the update rule itself applies the parameter's regularizer (or there is
        none).
        """
        return self._regularizer_of(param) is None

    def step(self, closure=None):
        """Update every parameter that has a gradient."""
        if closure is not None:
            raise TypeError(
                f'[{type(self).__name__}.step] expected no arguments, got '
                f'{getattr(closure, "__name__", type(closure).__name__)}: call closure(), and '
                f'backward() of the loss, before step(); LBFGS is the one that takes a closure'
            )
        with _no_grad:
            plan = self._plan
            if plan is None:
                plan = self._make_plan()
            else:
                for param in plan.waiting:
                    if param.grad is not None and not param.stop_gradient:
                        plan = self._make_plan()
                        break
            if plan.plain and type(self)._finish_update is Optimizer._finish_update:
                self._run_plain(plan)
            else:
                self._apply_all(self._collect())

    def _run_plain(self, plan):
        lr, tensor = self._rate()
        for param, update, scale in plan.pairs:
            grad = param.grad
            if grad is not None and not param.stop_gradient:
                update(grad, self._scaled_rate(tensor, lr, scale))

    def _collect(self):
        """(parameter, gradient) pairs of each group, as a list of (group or None, pairs)."""

        def pairs(params):
            return [(p, p.grad) for p in params if not p.stop_gradient and p.grad is not None]

        if self._is_grouped():
            return [(group, pairs(group['params'])) for group in self._param_groups]
        return [(None, pairs(self._param_groups or []))]

    def _apply_all(self, collected):
        for group, pairs in collected:
            clip = self._grad_clip if group is None else group.get('grad_clip')
            if clip is not None:
                pairs = clip(pairs)
            self._apply_pairs(pairs)

    def _apply_pairs(self, pairs):
        """Regularize and update; gradients are already clipped."""
        if not pairs:
            return []
        rest = [pair for pair in pairs if not self._fused_regularizer(pair[0])]
        if rest:
            done = {id(p): g for p, g in self.append_regularization_ops(rest, self.regularization)}
            pairs = [(p, done.get(id(p), g)) for p, g in pairs]
        plan = self._plan
        if plan is None or any(id(p) not in plan.known for p, _ in pairs):
            plan = self._extend_plan(pairs)
        updates = {id(p): (u, s) for p, u, s in plan.pairs}
        lr, tensor = self._rate()
        for param, grad in pairs:
            if grad is None:
                continue
            update, scale = updates[id(param)]
            update(grad, self._scaled_rate(tensor, lr, scale))
        self._finish_update(None, pairs)
        return []

    def _extend_plan(self, pairs):
        """A plan that also knows the parameters of `pairs`, which may have gradients not in
        `.grad`.
        """
        plan = self._plan if self._plan is not None else _Plan()
        for param, _ in pairs:
            if id(param) not in plan.known:
                update = self._bind(param)
                plan.pairs.append((param, update, self._lr_scale(param)))
                plan.known.add(id(param))
        plan.plain = False
        plan.waiting = [p for p in plan.waiting if id(p) not in plan.known]
        if self._plan is None:
            plan.waiting = [p for p in self._all_params() if id(p) not in plan.known]
        self._plan = plan
        return plan

    def append_regularization_ops(self, parameters_and_grads, regularization=None):
        """Add each parameter's regularization term to its gradient; returns new (parameter,
        gradient) pairs.
        """
        out = []
        for param, grad in parameters_and_grads:
            term = getattr(param, 'regularizer', None)
            if term is None:
                term = regularization
            if grad is None or term is None:
                out.append((param, grad))
                continue
            grad = grad.to_dense()  # the term is one of every row
            if isinstance(term, L2Decay):
                out.append((param, grad + param.detach() * term._coeff))
            elif isinstance(term, L1Decay):
                out.append((param, grad + paddle.sign(param.detach()) * term._coeff))
            else:
                out.append((param, grad + term(param, grad, None)))
        return out

    def backward(
        self, loss, startup_program=None, parameters=None, no_grad_set=None, callbacks=None
    ):
        """The (parameter, gradient) pairs after `loss.backward()`; it does not run the backward
        pass itself. In static mode the gradients become part of the program.
        """
        only('Optimizer.backward', 'the backward pass is over', callbacks=(callbacks, None, []))
        if not paddle.in_dynamic_mode():
            from paddle.static.optimize import gradients

            return gradients(self, loss, parameters, no_grad_set)
        params = parameters if parameters is not None else self._all_params()
        skip = {getattr(item, 'name', item) for item in (no_grad_set or ())}
        return [
            (p, p.grad)
            for p in params
            if not p.stop_gradient and p.grad is not None and p.name not in skip
        ]

    def apply_gradients(self, params_grads):
        """Clip, regularize and apply the given (parameter, gradient) pairs."""
        with _no_grad:
            pairs = sorted(params_grads, key=lambda pair: pair[0].name)
            if self._grad_clip is not None:
                pairs = self._grad_clip(pairs)
            return self._apply_pairs(pairs)

    def _apply_optimize(self, loss, startup_program, params_grads, param_group_idx=0):
        """Clip, regularize and apply a list of pairs, or a group dict whose `params` is such a
        list.
        """
        if isinstance(params_grads, dict):
            self._apply_all([(params_grads, params_grads['params'])])
        else:
            self._apply_all([(None, params_grads)])
        return []

    def minimize(self, loss, startup_program=None, parameters=None, no_grad_set=None):
        """Apply the gradients that `loss.backward()` left; returns (operations, parameter-gradient
        pairs).
        """
        if not isinstance(loss, paddle.Tensor):
            raise AssertionError(
                f"[{type(self).__name__}.minimize] expected a tensor, got {type(loss).__name__}"
            )
        if not paddle.in_dynamic_mode():
            from paddle.static.optimize import minimize

            return minimize(self, loss, parameters, no_grad_set)
        pairs = self.backward(loss, startup_program, parameters, no_grad_set)
        with _no_grad:
            if self._is_grouped():
                chosen = {id(p) for p, _ in pairs}
                self._apply_all(
                    [(g, [x for x in got if id(x[0]) in chosen]) for g, got in self._collect()]
                )
            else:
                self._apply_all([(None, pairs)])
        return [], pairs

    def clear_grad(self, set_to_zero=True):
        """Set the gradients to zero, or drop them when `set_to_zero` is False."""
        for param in self._all_params():
            if not param.stop_gradient:
                param.clear_gradient(set_to_zero)

    def clear_gradients(self, set_to_zero=True):
        """The same as `clear_grad`."""
        self.clear_grad(set_to_zero)

    def zero_grad(self, set_to_none=True):
        """Drop the gradients, or set them to zero when `set_to_none` is False."""
        self.clear_grad(set_to_zero=not set_to_none)

    def __getstate__(self):
        state = self.__dict__.copy()
        state['_plan'] = None
        state['_lr_cache'], state['_recorded_rate'] = (None, None), None
        return state

    def _set_auxiliary_var(self, key, value):
        self._auxiliary_vars[key] = value
        if hasattr(self, '_plan'):
            self._plan = None

    def _get_auxiliary_var(self, key):
        return self._auxiliary_vars.get(key)


_ABSENT = ('add_param_group', 'defaults', 'param_groups', 'state')
for _name in _ABSENT:
    setattr(Optimizer, _name, Absent(_name, 'Optimizer'))
Optimizer.__dir__ = shows(_ABSENT)
# The argument is there to be refused: programs that look see none.
Optimizer.step.__wrapped__ = lambda self: None


def _is_clip(value):
    from paddle.nn.clip import GradientClipBase

    return isinstance(value, GradientClipBase)
