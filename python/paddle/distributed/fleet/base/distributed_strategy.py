# SPDX-License-Identifier: Apache-2.0
"""`DistributedStrategy`: how a job trains, as a table of switches and of groups of numbers."""

import copy
import warnings

__all__ = ['DistributedStrategy']

_SWITCHES = {
    **dict.fromkeys(
        'adam_d2sum adaptive_localsgd amp asp auto auto_search cudnn_batchnorm_spatial_persistent '
        'cudnn_exhaustive_search dgc elastic find_unused_parameters fp16_allreduce fuse_grad_merge '
        'gradient_merge heter_ccl_mode is_fl_ps_mode is_with_coordinator lamb lars localsgd '
        'pipeline qat recompute semi_auto sharding sync_batch_norm tensor_parallel '
        'use_hierarchical_allreduce'.split(),
        False,
    ),
    **dict.fromkeys(
        'a_sync fuse_all_reduce_ops split_data sync_nccl_allreduce '
        'without_graph_optimization'.split(),
        True,
    ),
}
_NUMBERS = {
    'conv_workspace_size_limit': 512,
    'fuse_grad_size_in_MB': 32,
    'fuse_grad_size_in_num': 8,
    'hierarchical_allreduce_inter_nranks': 1,
    'last_comm_group_size_MB': 1.0,
    'nccl_comm_num': 1,
}
# What only recorded programs of several processes are rewritten by.
_OF_PROGRAMS = (
    'adaptive_localsgd asp dgc fp16_allreduce gradient_merge lamb lars localsgd pipeline qat '
    'recompute semi_auto sharding tensor_parallel'
).split()


class _Options:
    """Options by name, as attributes."""

    def __init__(self, **options):
        self.__dict__.update(options)

    def update(self, options):
        """Set those given. AttributeError for an unknown one."""
        for name, value in options.items():
            if name not in self.__dict__:
                raise AttributeError(
                    f'[DistributedStrategy] expected one of {list(self.__dict__)}, got {name!r}'
                )
            setattr(self, name, type(self.__dict__[name])(value))

    def __repr__(self):
        return ''.join(f'{name}: {value}\n' for name, value in self.__dict__.items())


_GROUPS = {
    'adaptive_localsgd_configs': {'init_k_steps': 1, 'begin_step': 1},
    'amp_configs': {
        'init_loss_scaling': 32768.0,
        'incr_every_n_steps': 1000,
        'decr_every_n_nan_or_inf': 2,
        'incr_ratio': 2.0,
        'decr_ratio': 0.8,
        'use_dynamic_loss_scaling': True,
        'custom_white_list': [],
        'custom_black_list': [],
        'custom_black_varnames': [],
        'use_pure_fp16': False,
        'use_fp16_guard': True,
        'use_optimizer_fp16': False,
        'use_pure_bf16': False,
    },
    'dgc_configs': {'rampup_begin_step': 0, 'rampup_step': 1, 'sparsity': []},
    'gradient_merge_configs': {'k_steps': 1, 'avg': True},
    'gradient_scale_configs': {'scale_strategy': 'avg', 'scale_gradient': False},
    'hybrid_configs': {
        'dp_degree': -1,
        'mp_degree': 1,
        'pp_degree': 1,
        'sharding_degree': 1,
        'sep_degree': 1,
        'mp_configs': _Options(
            sync_param=True,
            sync_grad=False,
            sync_moment=False,
            sync_mode='broadcast',
            mp_async_allreduce=False,
            mp_skip_c_identity=False,
            mp_fused_linear_param_grad_add=False,
            need_broadcast_data=True,
            recompute_allgather=False,
            sp_async_reduce_scatter=False,
        ),
        'pp_configs': _Options(
            dp_comm_overlap=False,
            delay_scale_loss=False,
            enable_timer=False,
            sharding_comm_overlap=False,
            profiling=False,
            release_gradients=False,
            overlap_p2p_comm=False,
            clear_every_step_cache=False,
            use_batch_p2p_comm=True,
            best_unbalanced_scheduler=False,
            enable_offload_queue=False,
            enable_dynamic_shape=False,
            use_dualpipev=False,
            forward_backward_overlap_scheduler=False,
        ),
        'sharding_configs': _Options(
            tensor_fusion=False,
            accumulate_steps=1,
            comm_overlap=False,
            split_param=False,
            fuse_optimizer=True,
            use_reduce_avg=True,
            comm_buffer_size_MB=256,
            release_gradients=False,
            free_grads_in_comm=False,
            enable_fuse_optimizer_states=False,
        ),
        'enable_optimizer_timer': False,
        'split_norm_comm': False,
        'ep_degree': 1,
        'moe_sharding_degree': 1,
        'cp_degree': 1,
        'cp_sharding_degree': 1,
    },
    'lamb_configs': {'lamb_weight_decay': 0.01, 'exclude_from_weight_decay': []},
    'lars_configs': {
        'lars_coeff': 0.001,
        'lars_weight_decay': 0.0005,
        'epsilon': 0.0,
        'exclude_from_weight_decay': [],
    },
    'localsgd_configs': {'k_steps': 1, 'begin_step': 1},
    'pipeline_configs': {
        'micro_batch_size': 1,
        'accumulate_steps': 1,
        'schedule_mode': '1F1B',
        'p2p_cache_shape': True,
        'enable_partial_send_recv': True,
    },
    'qat_configs': {
        'channel_wise_abs_max': True,
        'weight_bits': 8,
        'activation_bits': 8,
        'not_quant_pattern': [],
        'algo': '',
    },
    'recompute_configs': {
        'checkpoints': [],
        'enable_offload': False,
        'checkpoint_shape': [],
        'enable_tuning': False,
        'refined_ops_patterns': [],
    },
    'sharding_configs': {
        'sharding_segment_strategy': 'segment_broadcast_MB',
        'segment_broadcast_MB': 32.0,
        'segment_anchors': [],
        'sharding_degree': 8,
        'mp_degree': 1,
        'dp_degree': 1,
        'hybrid_dp': False,
        'gradient_merge_acc_step': 1,
        'optimize_offload': False,
        'pp_allreduce_in_optimize': False,
        'pp_degree': 1,
        'optimize_cast': False,
        '_dp_as_optimizer_sharding': False,
        'stage': 1,
        'enable_tuning': False,
        'use_calc_stream': False,
    },
    'tensor_parallel_configs': {'tensor_parallel_degree': 1, 'tensor_init_seed': -1},
}


class DistributedStrategy:
    """How a job trains: switches, numbers and groups of options, as attributes.

    A group is set by a dict of those options that change; AssertionError for an unknown one. A
    value of another kind than a switch's or number's is refused with a warning, as in PaddlePaddle.

    Examples:
        >>> strategy = paddle.distributed.fleet.DistributedStrategy()
        >>> strategy.hybrid_configs = {"dp_degree": 2, "mp_degree": 4}
        >>> strategy.hybrid_configs["mp_degree"], strategy.hybrid_configs["pp_degree"]
        (4, 1)
        >>> strategy.find_unused_parameters
        False
    """

    def __init__(self):
        values = self.__dict__['_values'] = copy.deepcopy({**_SWITCHES, **_NUMBERS, **_GROUPS})
        values['hybrid_parallel_order'] = ['dp', 'pp', 'sharding', 'sep', 'cp', 'mp']
        values['build_strategy'] = None

    def __setattr__(self, name, value):
        if hasattr(type(self), name):
            super().__setattr__(name, value)
            return
        raise TypeError(f'[DistributedStrategy] expected the name of an option, got {name!r}')

    def _set(self, name, value, kinds):
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            warnings.warn(
                f'[DistributedStrategy] {name} keeps its value: expected '
                f'{" or ".join(k.__name__ for k in kinds)}, got {value!r}'
            )
            return
        self._values[name] = value

    def _update(self, name, options):
        if not hasattr(options, 'keys'):
            raise TypeError(
                f'[DistributedStrategy] expected a dict as {name}, got {type(options).__name__}'
            )
        group = self._values[name]
        for key in options:
            if name == 'hybrid_configs' and key == 'order':
                self._values['hybrid_parallel_order'] = list(options[key])
                continue
            assert key in group, (
                f'[DistributedStrategy] expected {name} of {list(group)}, got {key!r}'
            )
            if isinstance(group[key], _Options):
                group[key].update(options[key])
            elif isinstance(group[key], int) and not isinstance(options[key], int):
                raise TypeError(
                    f'[DistributedStrategy] expected an integer as {key}, got '
                    f'{type(options[key]).__name__}'
                )
            else:
                group[key] = type(group[key])(options[key])

    @property
    def hybrid_parallel_order(self):
        """The axes of the topology, the fastest last."""
        return self._values['hybrid_parallel_order']

    @property
    def build_strategy(self):
        """How programs are built."""
        if self._values['build_strategy'] is None:
            from paddle.static import BuildStrategy

            self._values['build_strategy'] = BuildStrategy()
        return self._values['build_strategy']

    def tell_what_has_no_effect(self):
        """A warning about switches that only rewrite recorded programs."""
        without = [name for name in _OF_PROGRAMS if self._values[name]]
        if without:
            warnings.warn(
                f'[fleet.init] {", ".join(without)}: these rewrite static programs and have no '
                'effect here'
            )

    def __repr__(self):
        return ''.join(f'{name}: {value!r}\n' for name, value in self._values.items())


def _member(name, default):
    def read(self):
        return self._values[name]

    if isinstance(default, dict):

        def write(self, value):
            self._update(name, value)
    else:
        kinds = (int, float) if isinstance(default, float) else (type(default),)

        def write(self, value):
            self._set(name, value, kinds)

    return property(read, write, doc=f'{name}, {default!r} at first.')


for _name, _default in {**_SWITCHES, **_NUMBERS, **_GROUPS}.items():
    setattr(DistributedStrategy, _name, _member(_name, _default))
