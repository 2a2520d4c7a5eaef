# SPDX-License-Identifier: Apache-2.0
"""`Strategy`: what `paddle.distributed.to_static` does beside compiling."""

import copy

__all__ = ['Strategy']

_SECTIONS = {
    'sharding': {
        'enable': False,
        'stage': 1,
        'degree': 8,
        'enable_overlap': False,
        'param_comm_stream_num': 1,
        'grad_comm_stream_num': 1,
        'param_bucket_size_numel': 1,
        'grad_bucket_size_numel': 1,
        'enable_hierarchical_comm': False,
        'partition_algor': 'greedy_even',
        'enable_tuning': False,
        'tuning_range': [],
        'release_gradients': False,
        'comm_buffer_size_MB': 256,
        'enable_tensor_fusion': False,
        'save_unbalanced_param': True,
    },
    'amp': {
        'enable': False,
        'dtype': 'float16',
        'level': 'o1',
        'init_loss_scaling': 32768.0,
        'incr_every_n_steps': 1000,
        'decr_every_n_nan_or_inf': 2,
        'incr_ratio': 2.0,
        'decr_ratio': 0.8,
        'use_dynamic_loss_scaling': True,
        'custom_white_list': [],
        'custom_black_list': [],
        'custom_black_varnames': [],
        'use_fp16_guard': False,
        'use_bf16_guard': False,
        'use_master_grad': False,
        'use_promote': True,
    },
    'gradient_merge': {'enable': False, 'k_steps': 1, 'avg': True},
    'pipeline': {
        'enable': False,
        'schedule_mode': '1F1B',
        'pp_degree': 1,
        'vpp_degree': 1,
        'vpp_seg_method': '',
        'micro_batch_size': 1,
        'accumulate_steps': 1,
        'generation_batch_size': 1,
        'enable_send_recv_overlap': False,
        'job_schedule_profiler_start': -1,
        'job_schedule_profiler_stop': -1,
        'program_runtimes': [61, 72, 71, 34, 3],
        'memory_limit_times': -1,
        'split_backward': False,
        'auto_parallel_sync_shared_params': False,
    },
    'fused_passes': {'enable': False, 'gemm_epilogue': False, 'dropout_add': False},
}


class _Section:
    """The fields of one section; others cannot be set."""

    def __init__(self, name, given):
        object.__setattr__(self, '_name', name)
        for field, value in copy.deepcopy(_SECTIONS[name]).items():
            object.__setattr__(self, field, value)
        if not isinstance(given, dict):
            raise ValueError(
                f'[Strategy] expected a dict for section {name!r}, got {type(given).__name__}'
            )
        for field, value in given.items():
            setattr(self, field, value)

    def __setattr__(self, field, value):
        if field not in _SECTIONS[self._name]:
            known = ', '.join(_SECTIONS[self._name])
            raise ValueError(
                f'[Strategy] expected a field of section {self._name!r} ({known}), got {field!r}'
            )
        object.__setattr__(self, field, value)

    def to_dict(self):
        """The fields and their values."""
        return {field: getattr(self, field) for field in _SECTIONS[self._name]}

    def __repr__(self):
        return f'{self._name}({self.to_dict()})'


class Strategy:
    """What `paddle.distributed.to_static` does beside compiling a step.

    Args:
        config (dict, default None): The sections below, each a dict of its fields;
            None for all sections as they are by default.

    Attributes:
        sharding: `enable`, `stage` (1 to 3) and `degree`: the optimizer's state, and at stage 3 the
            parameters too, are divided among `degree` processes.
        amp: `enable`, `dtype` ("float16" or "bfloat16"), `level` ("o1" or "o2"), the lists and the
            scaling of losses: operations compute in half precision.
        gradient_merge: `enable`, `k_steps`, `avg`: parameters are updated after `k_steps` calls,
            with the mean or the sum of their gradients.
        pipeline: `enable`, `accumulate_steps` and `pp_degree`: batches are cut into
            `accumulate_steps` micro batches, on which the stages of a model work at the same time.
            `schedule_mode` is "1F1B", where stage s of p has at most p - s of them under way, or
            "FThenB", where all go forward before the first goes backward. Other schedules are those
            of `paddle.distributed.fleet`.
        fused_passes: Accepted; operations are fused by the compiler in any case.

    Raises:
        ValueError: An unknown section or field, or a section that is not a dict.

    Examples:
        >>> import paddle.distributed as dist
        >>> strategy = dist.Strategy({'sharding': {'enable': True, 'stage': 2, 'degree': 2}})
        >>> strategy.gradient_merge.enable = True
        >>> strategy.gradient_merge.k_steps = 4
        >>> strategy.sharding.stage, strategy.gradient_merge.to_dict()
        (2, {'enable': True, 'k_steps': 4, 'avg': True})
    """

    def __init__(self, config=None):
        if config is not None and not isinstance(config, dict):
            raise ValueError(f'[Strategy] expected a dict as config, got {type(config).__name__}')
        for name in config or {}:
            if name not in _SECTIONS:
                known = ', '.join(_SECTIONS)
                raise ValueError(f'[Strategy] expected sections among {known}, got {name!r}')
        self._sections = {name: _Section(name, (config or {}).get(name, {})) for name in _SECTIONS}

    @property
    def sharding(self):
        """How the optimizer's state is divided."""
        return self._sections['sharding']

    @property
    def amp(self):
        """Half precision."""
        return self._sections['amp']

    @property
    def gradient_merge(self):
        """Updates after several calls."""
        return self._sections['gradient_merge']

    @property
    def pipeline(self):
        """Stages and micro batches."""
        return self._sections['pipeline']

    @property
    def fused_passes(self):
        """Fusion, which the compiler does in any case."""
        return self._sections['fused_passes']

    def to_dict(self):
        """All sections as dicts."""
        return {name: section.to_dict() for name, section in self._sections.items()}

    def __repr__(self):
        return f'Strategy({self.to_dict()})'
