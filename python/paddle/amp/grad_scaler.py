# SPDX-License-Identifier: Apache-2.0
"""Loss scaling for float16 training."""

from enum import Enum

import paddle
from paddle.base import libpaddle as _core
from paddle.base.arguments import to_array
from paddle.base.known_keywords import KnownKeywords

from .loss_scaling import update_loss_scaling

_recording = _core._records_step

__all__ = ['GradScaler', 'AmpScaler', 'OptimizerState']


def _count(value):
    return paddle.full([1], value, 'int32')


def _without_result(function):
    function()


class OptimizerState(Enum):
    """Where an optimizer stands within one iteration."""

    INIT = 0
    UNSCALED = 1
    STEPPED = 2


class AmpScaler(KnownKeywords):
    """Scales a loss, unscales gradients, skips steps with non-finite ones and adapts the scale."""

    def __init__(
        self,
        enable=True,
        init_loss_scaling=2.0**15,
        incr_ratio=2.0,
        decr_ratio=0.5,
        incr_every_n_steps=1000,
        decr_every_n_nan_or_inf=1,
        use_dynamic_loss_scaling=True,
    ):
        self._enable = bool(enable)
        if not self._enable:
            init_loss_scaling, use_dynamic_loss_scaling = 1.0, False
        if use_dynamic_loss_scaling:
            if not incr_ratio > 1.0:
                raise AssertionError(f"[GradScaler] expected incr_ratio above 1, got {incr_ratio}")
            if not decr_ratio < 1.0:
                raise AssertionError(f"[GradScaler] expected decr_ratio below 1, got {decr_ratio}")
        self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._init_loss_scaling = init_loss_scaling
        self._use_dynamic_loss_scaling = use_dynamic_loss_scaling
        # Tensors that are written in place, so that recorded steps keep them up to date.
        self._scale = paddle.full([1], init_loss_scaling, 'float32')
        self._good, self._bad = _count(0), _count(0)
        self._found_inf = False  # a tensor where the step is recorded
        self._states = {}  # optimizer -> OptimizerState, where it is not INIT

    def scale(self, var):
        """`var` times the scale, so that small gradients survive float16."""
        if not isinstance(var, paddle.Tensor):
            raise TypeError(f"[GradScaler] expected a Tensor to scale, got {type(var).__name__}")
        if not self._enable:
            return var
        # A copy: the scale may be written before gradients flow.
        return var * paddle.reshape(self._scale.clone(), []).astype(var.dtype)

    def _state(self, optimizer):
        return self._states.get(optimizer, OptimizerState.INIT)

    def _params(self, optimizer):
        inner = getattr(optimizer, '_inner_opt', optimizer)
        return [p for p in inner._all_params() if not p.stop_gradient and p.grad is not None]

    def unscale_(self, optimizer):
        """Divide the gradients by the scale in place; once for each optimizer and step."""
        if not self._enable:
            return
        state = self._state(optimizer)
        if state is OptimizerState.UNSCALED:
            raise RuntimeError(
                "[GradScaler.unscale_] expected one call before each update(), got another for "
                "this optimizer"
            )
        if state is OptimizerState.STEPPED:
            raise RuntimeError(
                "[GradScaler.unscale_] expected a call before step(), got one after it"
            )
        found = self._unscale(self._params(optimizer))
        if self._found_inf is False:
            self._found_inf = found if _recording() else bool(found)
        elif self._found_inf is not True:
            self._found_inf = paddle.logical_or(self._found_inf, found)
        self._states[optimizer] = OptimizerState.UNSCALED

    def _unscale(self, params):
        """Divide gradients by the scale; whether one of them is not finite, a tensor of one
        element.
        """
        with paddle.no_grad():
            inverse = paddle.reshape(1.0 / self._scale, [])
            finite = {None: paddle.full([], True, 'bool')}  # by mesh
            for param in params:
                grad = param.grad
                unscaled = grad * inverse.astype(grad.dtype)
                parts = unscaled._rows_parts()
                values = unscaled if parts is None else parts[1]
                good, mesh = paddle.isfinite(values).all(), grad.process_mesh
                finite[mesh] = paddle.logical_and(finite.get(mesh, finite[None]), good)
                grad.set_value(unscaled)
            found = finite.pop(None)
            if finite:
                from paddle.distributed.auto_parallel.meshes import joined

                found = joined([found, *finite.values()], paddle.logical_and)
            return paddle.logical_not(found)

    def _step_once(self, optimizer, apply):
        if self._state(optimizer) is OptimizerState.STEPPED:
            raise RuntimeError(
                "[GradScaler.step] expected one call before each update(), got another for this "
                "optimizer"
            )
        if self._state(optimizer) is OptimizerState.INIT:
            self.unscale_(optimizer)
        done = None
        if isinstance(self._found_inf, paddle.Tensor):
            paddle.static.nn.cond(self._found_inf, None, lambda: _without_result(apply))
        elif not self._found_inf:
            done = apply()
        self._states[optimizer] = OptimizerState.STEPPED
        return done

    def minimize(self, optimizer, *args, **kwargs):
        """Unscale, `optimizer.minimize(...)` unless a gradient is not finite, and adapt the scale.
        Returns what that gives, (None, None) where the step is left out or recorded.
        """
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        done = self._step_once(optimizer, lambda: optimizer.minimize(*args, **kwargs))
        self._adapt()
        return done if done is not None else (None, None)

    def _adapt(self):
        if self._use_dynamic_loss_scaling:
            found = self._found_inf
            update_loss_scaling(
                [],
                found if isinstance(found, paddle.Tensor) else paddle.full([], found, 'bool'),
                self._scale,
                self._good,
                self._bad,
                self._incr_every_n_steps,
                self._decr_every_n_nan_or_inf,
                self._incr_ratio,
                self._decr_ratio,
            )
        self._found_inf = False
        self._states.clear()

    def _set_scale(self, value):
        self._scale.fill_(value)

    @property
    def _incr_count(self):
        return self._good.item()

    @property
    def _decr_count(self):
        return self._bad.item()

    def is_enable(self):
        """Whether scaling is on."""
        return self._enable

    def is_use_dynamic_loss_scaling(self):
        """Whether the scale adapts."""
        return self._use_dynamic_loss_scaling

    def get_init_loss_scaling(self):
        """The scale at the start."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling):
        """Set the scale."""
        self._init_loss_scaling = new_init_loss_scaling
        self._set_scale(new_init_loss_scaling)

    def get_incr_ratio(self):
        """By what the scale grows."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio):
        """Set by what the scale grows, above 1."""
        if not new_incr_ratio > 1.0:
            raise AssertionError(
                f"[GradScaler.set_incr_ratio] expected a ratio above 1, got {new_incr_ratio!r}"
            )
        self._incr_ratio = new_incr_ratio

    def get_decr_ratio(self):
        """By what the scale shrinks."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio):
        """Set by what the scale shrinks, below 1."""
        if not new_decr_ratio < 1.0:
            raise AssertionError(
                f"[GradScaler.set_decr_ratio] expected a ratio below 1, got {new_decr_ratio!r}"
            )
        self._decr_ratio = new_decr_ratio

    def get_incr_every_n_steps(self):
        """After how many good steps the scale grows."""
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps):
        """Set after how many good steps the scale grows."""
        self._incr_every_n_steps = new_incr_every_n_steps

    def get_decr_every_n_nan_or_inf(self):
        """After how many bad steps the scale shrinks."""
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf):
        """Set after how many bad steps the scale shrinks."""
        self._decr_every_n_nan_or_inf = new_decr_every_n_nan_or_inf

    def state_dict(self):
        """Scale, ratios and counters; empty when disabled."""
        if not self._enable:
            return {}
        return {
            'scale': self._scale.numpy(),
            'incr_ratio': self._incr_ratio,
            'decr_ratio': self._decr_ratio,
            'incr_every_n_steps': self._incr_every_n_steps,
            'decr_every_n_nan_or_inf': self._decr_every_n_nan_or_inf,
            'incr_count': self._incr_count,
            'decr_count': self._decr_count,
            'use_dynamic_loss_scaling': self._use_dynamic_loss_scaling,
        }

    def load_state_dict(self, state_dict):
        """Restore what `state_dict` gave."""
        if not self._enable:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "[GradScaler.load_state_dict] expected the state of an enabled scaler, got an "
                "empty dict"
            )
        scale = state_dict['scale']
        self._set_scale(
            float(
                to_array(
                    'GradScaler', 'scale', scale.numpy() if hasattr(scale, 'numpy') else scale
                ).reshape(-1)[0]
            )
        )
        self._init_loss_scaling = float(self._scale.item())
        self._incr_ratio = state_dict['incr_ratio']
        self._decr_ratio = state_dict['decr_ratio']
        self._incr_every_n_steps = state_dict['incr_every_n_steps']
        self._decr_every_n_nan_or_inf = state_dict['decr_every_n_nan_or_inf']
        self._good.fill_(state_dict['incr_count'])
        self._bad.fill_(state_dict['decr_count'])
        self._use_dynamic_loss_scaling = state_dict['use_dynamic_loss_scaling']


class GradScaler(AmpScaler):
    """Loss scaling, so that small gradients do not vanish in float16.

    Args:
        enable (bool, default True): Whether anything happens.
        init_loss_scaling (float, default 65536.0): The first scale.
        incr_ratio (float, default 2.0): The factor after steps without infinities.
        decr_ratio (float, default 0.5): The factor after infinities.
        incr_every_n_steps (int, default 2000): After how many steps without infinities.
        decr_every_n_nan_or_inf (int, default 1): After how many with.
        use_dynamic_loss_scaling (bool, default True): Whether the scale changes.

    Source: Micikevicius et al., Mixed precision training, 2017

    Examples:
        >>> x = paddle.create_parameter([1], "float32")
        >>> sgd = paddle.optimizer.SGD(0.1, [x])
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
        >>> scaler.scale(x.sum()).backward()
        >>> x.grad.item()
        1024.0
        >>> scaler.step(sgd)
        >>> scaler.update()
    """

    def __init__(
        self,
        enable=True,
        init_loss_scaling=2.0**16,
        incr_ratio=2.0,
        decr_ratio=0.5,
        incr_every_n_steps=2000,
        decr_every_n_nan_or_inf=1,
        use_dynamic_loss_scaling=True,
    ):
        super().__init__(
            enable,
            init_loss_scaling,
            incr_ratio,
            decr_ratio,
            incr_every_n_steps,
            decr_every_n_nan_or_inf,
            use_dynamic_loss_scaling,
        )

    def step(self, optimizer):
        """Unscale the gradients if that was not done, and `optimizer.step()` unless one of them is
        not finite.
        """
        if not self._enable:
            return optimizer.step()
        return self._step_once(optimizer, optimizer.step)

    def update(self):
        """Adapt the scale after `step`."""
        if self._enable:
            self._adapt()
