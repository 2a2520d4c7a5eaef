# SPDX-License-Identifier: Apache-2.0
"""The state of an optimizer: accumulators by name, float32 master weights, state dict."""

import warnings

import numpy as np

import paddle
from paddle.base import libpaddle as _core
from paddle.base.arguments import items
from paddle.base.known_keywords import KnownKeywords
from paddle.static.program import running
from paddle.utils import unique_name

from .lr import LRScheduler

_HALF = ('float16', 'bfloat16')


def dtype_name(dtype):
    """'float32' for paddle.float32, 'paddle.float32' or 'float32'."""
    return str(dtype).rsplit('.', 1)[-1]


class AccumulatorStore(KnownKeywords):
    """Part of `Optimizer` that makes, names, saves and restores its state tensors."""

    # State in one buffer exists on GPUs only: on the CPU these stay as they are here.
    fused_buffer_version = property(
        lambda self: 0, doc="How often the fused state buffer was rebuilt."
    )
    fused_states_buffer = property(
        lambda self: None, doc="The fused state buffer; None on the CPU."
    )
    fused_states_accumulators_meta = property(
        lambda self: None, doc="Layout of the accumulators in the buffer."
    )
    fused_states_master_weights_meta = property(
        lambda self: None, doc="Layout of the master weights in the buffer."
    )
    fused_states_buffer_ipc_meta = property(
        lambda self: None, doc="Handle of the buffer for other processes."
    )

    def use_fusion_storage(self):
        """Nothing to do: each state is kept apart."""

    def need_refuse(self):
        """Nothing to do: there is no fused buffer."""

    def reset_need_refuse(self):
        """Nothing to do: there is no fused buffer."""

    def set_merged_model_params(self, merged_model_params):
        """Keep parameters merged from several models."""
        self.merged_model_params = merged_model_params

    # ---- accumulators
    def _add_accumulator(self, name, param, dtype=None, fill_value=0.0, shape=None):
        """Make (or load) the state tensor `name` of `param`, named `<param>_<name>_<n>`."""
        full = f"{self._name}_{name}" if self._name is not None else name
        slot = self._accumulators[full]
        if param.name in slot:
            return slot[param.name]
        place = _core.current_place()
        if place.is_gpu_place() and _core.is_capturing(place):
            self._made_before(name, None)
        if shape is None:
            shape = param.shape
        if dtype is None:
            dtype = param.dtype
        with running():
            tensor = paddle.full(items('add_accumulator', 'shape', shape), fill_value, dtype)
            tensor = self._placed(name, param, tensor)
        tensor.name = unique_name.generate(f"{param.name}_{full}")
        tensor.persistable = True
        tensor.stop_gradient = True
        held = self._take_held(tensor.name, f"{param.name}_{full}_0")
        if held is not None:
            self._load_into(tensor, held)
        slot[param.name] = tensor
        self._opti_name_list.append(tensor.name)
        return tensor

    def _made_before(self, what, tensor):
        """`tensor`, which graphs read and so do not make."""
        if tensor is None:
            raise RuntimeError(
                f'[{type(self).__name__}.step] expected a step before the one that is captured, '
                f'which makes the {what}, got none'
            )
        return tensor

    # What shard_optimizer was given: `(name, param, tensor)` to the tensor placed otherwise.
    _place_state = None

    def _placed(self, name, param, tensor):
        """The state of a distributed parameter, placed as that is, or as the user wants."""
        if not param.is_dist() or list(tensor.shape) != list(param.shape):
            return tensor
        if not tensor.is_dist():
            tensor = paddle.distributed.shard_tensor(tensor, param.process_mesh, param.placements)
        return tensor if self._place_state is None else self._place_state(name, param, tensor)

    def _take_held(self, name, first_name):
        for key in (name, first_name):
            if key in self._accumulators_holder:
                return self._accumulators_holder.pop(key)
        return None

    @staticmethod
    def _load_into(tensor, value):
        shape = list(value.shape)
        if list(tensor.shape) != shape:
            raise AssertionError(
                f"[Optimizer] expected shape {list(tensor.shape)} for {tensor.name!r}, got {shape}"
            )
        tensor.set_value(
            value.numpy() if not isinstance(value, (np.ndarray, paddle.Tensor)) else value
        )

    def _get_accumulator(self, name, param):
        full = f"{self._name}_{name}" if self._name is not None else name
        try:
            return self._accumulators[full][param.name]
        except KeyError:
            raise Exception(
                f"[{type(self).__name__}] expected an accumulator of {param.name!r}, got {name!r}"
            ) from None

    def _needs_master(self, param):
        return self._multi_precision and dtype_name(param.dtype) in _HALF

    def _create_master_weight(self, param):
        master = self._master_weights.get(param.name)
        if master is None:
            with running():
                master = self._placed('master_weight', param, param.detach().astype('float32'))
            master.name = unique_name.generate(param.name + '_fp32_master')
            master.persistable = True
            master.stop_gradient = True
            held = self._accumulators_holder.get('master_weights', {}).get(param.name)
            if held is not None:
                self._load_into(master, held)
            self._master_weights[param.name] = master
        return master

    def _state_dtype(self, param):
        """float32 for half parameters, otherwise the parameter's dtype."""
        return 'float32' if dtype_name(param.dtype) in _HALF else param.dtype

    def _master_of(self, param):
        if self._needs_master(param):
            return self._create_master_weight(param)
        if (
            self._multi_precision is False
            and dtype_name(param.dtype) in _HALF
            and not getattr(self, '_warned', False)
        ):
            self._warned = True
            warnings.warn(
                f"[{type(self).__name__}] the state of half parameters is kept in half as well, "
                "which loses small updates; multi_precision=True keeps it in float32"
            )
        return None

    # ---- state
    def state_dict(self):
        """Accumulators by name, `master_weights` and `LR_Scheduler` when there are any."""
        state = {}
        for slot in self._accumulators.values():
            for tensor in slot.values():
                state[tensor.name] = tensor
        if self._master_weights:
            state['master_weights'] = self._master_weights
        if isinstance(self._learning_rate, LRScheduler):
            state['LR_Scheduler'] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        """Restore what `state_dict` gave. State not made yet is filled when it is made."""
        held = dict(state_dict)
        scheduler = held.pop('LR_Scheduler', None)
        if scheduler is not None and isinstance(self._learning_rate, LRScheduler):
            self._learning_rate.set_state_dict(scheduler)
        self._accumulators_holder = held
        for param_name, value in held.get('master_weights', {}).items():
            if param_name in self._master_weights:
                self._load_into(self._master_weights[param_name], value)
        for name, slot in self._accumulators.items():
            for param_name, tensor in slot.items():
                value = self._take_held(tensor.name, f"{param_name}_{name}_0")
                if value is None:
                    raise AssertionError(
                        f"[{type(self).__name__}] expected a value for {tensor.name!r}, got none"
                    )
                self._load_into(tensor, value)

    set_dict = set_state_dict
    load_state_dict = set_state_dict

    def get_opti_var_name_list(self):
        """Names of the state tensors in the order they were made."""
        return self._opti_name_list
