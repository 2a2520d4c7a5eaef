# SPDX-License-Identifier: Apache-2.0
"""What programs use of PaddlePaddle's inner layer: `core`, `framework`, `dygraph`, places, unique names."""

from paddle import _lazy

_lazy.install(
    globals(),
    'paddle.base',
    {
        **_lazy.homes(
            {
                'paddle.base.libpaddle': 'CPUPlace CUDAPlace CUDAPinnedPlace XPUPlace CustomPlace Tensor',
                'paddle.base.param_attr': 'ParamAttr WeightNormParamAttr',
                'paddle.base.framework': 'EagerParamBase Parameter',
                'paddle.tensor.attribute': 'in_dygraph_mode in_dynamic_mode in_pir_mode in_dynamic_or_pir_mode',
                'paddle.static': (
                    'Program Variable default_main_program default_startup_program program_guard name_scope cpu_places Executor '
                    'global_scope scope_guard'
                ),
                'paddle.framework.random': 'seed',
                'paddle.flags': 'set_flags get_flags',
            }
        ),
    },
    modules=(
        'core',
        'framework',
        'dygraph',
        'libpaddle',
        'param_attr',
        'layer_helper',
        'executor',
        'unique_name',
        'backward',
        'log_helper',
        'data_feeder',
        'initializer',
    ),
)
