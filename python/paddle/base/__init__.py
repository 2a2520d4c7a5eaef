# SPDX-License-Identifier: Apache-2.0
"""What programs use of PaddlePaddle's inner layer: `core`, `framework`, `dygraph`, places, unique
names.
"""

from paddle import _lazy

_lazy.install(
    globals(),
    'paddle.base',
    {
        **_lazy.homes(
            {
                'paddle.base.libpaddle': 'CPUPlace CUDAPlace CUDAPinnedPlace XPUPlace IPUPlace '
                'XPUPinnedPlace CustomPlace Tensor',
                'paddle.base.param_attr': 'ParamAttr WeightNormParamAttr',
                'paddle.base.framework': 'EagerParamBase Parameter',
                'paddle.base.modes': 'cuda_pinned_places',
                'paddle.base.data_feeder': 'DataFeeder',
                'paddle.base.lod_tensor': 'create_lod_tensor create_random_int_lodtensor',
                'paddle.base.dygraph': 'enable_dygraph disable_dygraph',
                'paddle.base.initializer': 'set_global_initializer',
                'paddle.tensor.attribute': 'in_dygraph_mode in_dynamic_mode in_pir_mode '
                'in_dynamic_or_pir_mode',
                'paddle.static.scope': 'DenseTensor Scope global_scope scope_guard',
                'paddle.static': (
                    'Program Variable default_main_program default_startup_program '
                    'program_guard name_scope cpu_places Executor cuda_places xpu_places '
                    'device_guard append_backward gradients BuildStrategy CompiledProgram'
                ),
                'paddle.device': 'is_compiled_with_cinn is_compiled_with_cuda '
                'is_compiled_with_rocm is_compiled_with_xpu',
                'paddle.utils': 'require_version',
                'paddle.framework.random': 'seed',
                'paddle.flags': 'set_flags get_flags',
            }
        ),
        'enable_imperative': 'paddle.base.dygraph',
        'disable_imperative': 'paddle.base.dygraph',
        '_Scope': 'paddle.base.core',
    },
    modules=(
        'core',
        'framework',
        'dygraph',
        'libpaddle',
        'param_attr',
        'layer_helper',
        'executor',
        'compiler',
        'unique_name',
        'backward',
        'lod_tensor',
        'log_helper',
        'data_feeder',
        'initializer',
        'op_proto',
        'wrapped_decorator',
    ),
)
