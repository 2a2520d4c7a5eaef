# SPDX-License-Identifier: Apache-2.0
"""`paddle.static`: programs that are recorded, differentiated, saved and run by an executor."""

from paddle import _lazy
from paddle.static.program import _static_mode, disable_static, enable_static  # noqa: F401

_HOMES = _lazy.homes(
    {
        'paddle.static.program': (
            'Program Variable default_main_program default_startup_program program_guard '
            'name_scope device_guard data cpu_places cuda_places xpu_places create_parameter '
            'create_global_var'
        ),
        'paddle.static.input_spec': 'InputSpec',
        'paddle.static.nn.control_flow': 'Print',
        'paddle.static.gradient': 'append_backward gradients',
        'paddle.static.executor': 'Executor CompiledProgram BuildStrategy',
        'paddle.static.scope': 'Scope global_scope scope_guard',
        'paddle.static.metric': 'accuracy auc ctr_metric_bundle',
        'paddle.static.moving_average': 'ExponentialMovingAverage',
        'paddle.static.callbacks': 'py_func',
        'paddle.static.io': (
            'save_inference_model load_inference_model normalize_program serialize_program '
            'deserialize_program serialize_persistables deserialize_persistables save_to_file '
            'load_from_file save load load_program_state set_program_state'
        ),
        'paddle.static.ipu': 'IpuCompiledProgram IpuStrategy ipu_shard_guard set_ipu_shard',
        'paddle.base.param_attr': 'WeightNormParamAttr',
    }
)
__all__ = sorted(_HOMES)
_lazy.install(
    globals(),
    'paddle.static',
    _HOMES,
    modules=(
        'nn',
        'program',
        'executor',
        'io',
        'gradient',
        'input_spec',
        'block',
        'legacy_program',
        'scope',
        'startup',
        'metric',
        'quantization',
    ),
)
