# SPDX-License-Identifier: Apache-2.0
"""Training of half precision parameters whose gradients add up in float32, as `main_grad`."""

import types

import paddle
from paddle import nn

__all__ = ['MixPrecisionLayer', 'MixPrecisionOptimizer', 'MixPrecisionScaler']


def _accumulate(parameter):
    """Let a backward pass add the parameter's gradient to `main_grad` and leave none in `grad`."""

    @paddle.no_grad()
    def hook(_):
        if parameter.grad is None:
            return
        grad = parameter.grad.astype('float32')
        if parameter.main_grad is None:
            parameter.main_grad = grad
            grad.name = f'main_grad@{parameter.name}'
        else:
            parameter.main_grad.add_(grad)
        parameter.clear_gradient(False)

    return hook


class MixPrecisionLayer(nn.Layer):
    """The layers, whose parameters are of `dtype` or computed in it (`paddle.amp`): their gradients
    add up in float32 tensors, the parameters' `main_grad`, and `grad` stays None.
    """

    def __init__(self, layers, dtype='float16'):
        super().__init__(layers.full_name() + '_mix_precision')
        if dtype not in ('float16', 'bfloat16'):
            raise AssertionError(
                f"[MixPrecisionLayer] expected dtype 'float16' or 'bfloat16', got {dtype!r}"
            )
        self._layers, self._dtype = layers, dtype
        for parameter in self._layers.parameters():
            if parameter.stop_gradient:
                continue
            if getattr(parameter, 'main_grad', None) is None:
                parameter.main_grad = None
            parameter.register_post_accumulate_grad_hook(_accumulate(parameter))

    def forward(self, *inputs, **kwargs):
        return self._layers(*inputs, **kwargs)

    def state_dict(self, *args, **kwargs):
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, *args, **kwargs):
        return self._layers.set_state_dict(*args, **kwargs)


class _MainGrads:
    """While it is open, the gradients of parameters are their `main_grad`."""

    def __init__(self, parameters):
        self._parameters = [p for p in parameters if getattr(p, 'main_grad', None) is not None]

    def __enter__(self):
        for parameter in self._parameters:
            parameter.grad = parameter.main_grad
        return self._parameters

    def __exit__(self, *_):
        for parameter in self._parameters:
            parameter.grad = None


class MixPrecisionOptimizer:
    """An optimizer whose steps read `main_grad`; everything else is the optimizer's."""

    def __init__(self, optimizer):
        self._inner_opt = optimizer

    def step(self):
        """Update every parameter that has a `main_grad`."""
        with _MainGrads(self._inner_opt._all_params()):
            self._inner_opt.step()

    @paddle.no_grad()
    def clear_grad(self, set_to_zero=True):
        """Set each `main_grad` to zeros, or to None."""
        for parameter in self._inner_opt._all_params():
            if getattr(parameter, 'main_grad', None) is None:
                continue
            if set_to_zero:
                parameter.main_grad.zero_()
            else:
                parameter.main_grad = None

    def __getattr__(self, name):
        return getattr(self._inner_opt, name)


def MixPrecisionScaler(scaler):
    """The scaler, made to unscale `main_grad`."""
    plain = scaler.unscale_

    def unscale(self, optimizer):
        with _MainGrads(optimizer._all_params()):
            plain(optimizer)

    scaler.unscale_ = types.MethodType(unscale, scaler)
    return scaler
