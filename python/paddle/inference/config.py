# SPDX-License-Identifier: Apache-2.0
"""Config of a predictor: the options of the C++ class, and those of other vendors' engines, which
are accepted with a notice.
"""

import dataclasses
import sys
import types

from paddle.base import libpaddle as _core

__all__ = ['Config', 'XpuConfig']

# Option: what it does here. One line is printed at the first call of each (not after
# disable_glog_info).
_NOTICES = {
    'products on GPUs are those of cuBLASLt and of this build': 'exp_enable_use_cutlass',
    'no TensorRT, the CPU executor runs the whole program': (
        'enable_tensorrt_engine enable_tensorrt_dla enable_tensorrt_explicit_quantization '
        'enable_tensorrt_inspector enable_tensorrt_memory_optim enable_tensorrt_varseqlen '
        'enable_tuned_tensorrt_dynamic_shape exp_disable_tensorrt_dynamic_shape_ops '
        'exp_disable_tensorrt_ops exp_disable_tensorrt_subgraph '
        'exp_specify_tensorrt_subgraph_precision mark_trt_engine_outputs '
        'set_tensorrt_optimization_level set_trt_dynamic_shape_info collect_shape_range_info'
    ),
    'no ONNX Runtime, the CPU executor runs the program': 'enable_onnxruntime '
    'enable_ort_optimization',
    'no OpenVINO, the CPU executor runs the program': 'enable_openvino_engine',
    'no XPU in this build, the CPU is used': 'enable_xpu set_xpu_config set_xpu_device_id '
    'exp_sparse_conv_using_buffer',
    'no IPU in this build, the CPU is used': 'enable_ipu load_ipu_config set_ipu_config '
    'set_ipu_custom_info',
    'no device of a plugin is used for inference, the CPU is': 'enable_custom_device',
    'oneDNN is used where it is the fastest, per operation': 'disable_mkldnn disable_onednn '
    'disable_mkldnn_fc_passes disable_onednn_fc_passes set_mkldnn_op set_onednn_op',
    'the program runs in the precision it was saved in': (
        'enable_mkldnn_bfloat16 enable_onednn_bfloat16 set_bfloat16_op enable_mkldnn_int8 '
        'enable_onednn_int8'
    ),
    'the optimised program is kept in memory only': 'enable_save_optim_model set_optim_cache_dir '
    'use_optimized_model',
}
# What is always so.
_SILENT = (
    'enable_mkldnn enable_onednn set_mkldnn_cache_capacity set_onednn_cache_capacity '
    'enable_new_executor enable_new_ir disable_onnxruntime '
    'switch_use_feed_fetch_ops switch_specify_input_names'
)
_ANSWERS = [
    (
        False,
        'mkldnn_int8_enabled onednn_int8_enabled onnxruntime_enabled openvino_engine_enabled '
        'tensorrt_dla_enabled tensorrt_dynamic_shape_enabled tensorrt_engine_enabled '
        'tensorrt_explicit_quantization_enabled tensorrt_inspector_enabled '
        'tensorrt_varseqlen_enabled trt_allow_build_at_runtime tuned_tensorrt_dynamic_shape '
        'use_xpu shape_range_info_collected use_feed_fetch_ops_enabled',
    ),
    (True, 'mkldnn_enabled onednn_enabled new_ir_enabled specify_input_name'),
    (0, 'xpu_device_id tensorrt_optimization_level'),
    ('', 'shape_range_info_path'),
]


@dataclasses.dataclass
class XpuConfig:
    """Options of Kunlun XPU devices, of which this build serves none.

    They are kept, and have no effect.

    Args:
        device_id (int, default 0): The device.
        l3_size (int, default 0): Bytes of fast memory.
        l3_ptr (object, default None): Fast memory that is there.
        l3_autotune_size (int, default 0): Bytes of fast memory that are shared out by trial.
        context_gm_size (int, default -1): Bytes of memory of the context.
        context (object, default None): A context that is there.
        stream (object, default None): A stream that is there.
        conv_autotune_level (int, default 0): How much convolutions are tried.
        conv_autotune_file (str, default ''): Where what was found is read.
        conv_autotune_file_writeback (bool, default False): Whether it is written there.
        fc_autotune_level (int, default 0): How much linear layers are tried.
        fc_autotune_file (str, default ''): Where what was found is read.
        fc_autotune_file_writeback (bool, default False): Whether it is written there.
        gemm_compute_precision (int, default 1): The precision of products.
        transformer_softmax_optimize_level (int, default 0): How much softmax is optimised.
        transformer_encoder_adaptive_seqlen (bool, default True): Whether encoders adapt to lengths.
        quant_post_static_gelu_out_threshold (float, default 10.0): A bound of quantised gelu.
        quant_post_dynamic_activation_method (int, default 0): How activations are quantised.
        quant_post_dynamic_weight_precision (int, default 1): The precision of weights.
        quant_post_dynamic_op_types (list of strs, default []): Which operations are quantised.

    Examples:
        >>> config = paddle.inference.XpuConfig(device_id=1)
        >>> config.device_id, config.l3_size
        (1, 0)
    """

    device_id: int = 0
    l3_size: int = 0
    l3_ptr: object = None
    l3_autotune_size: int = 0
    context_gm_size: int = -1
    context: object = None
    stream: object = None
    conv_autotune_level: int = 0
    conv_autotune_file: str = ''
    conv_autotune_file_writeback: bool = False
    fc_autotune_level: int = 0
    fc_autotune_file: str = ''
    fc_autotune_file_writeback: bool = False
    gemm_compute_precision: int = 1
    transformer_softmax_optimize_level: int = 0
    transformer_encoder_adaptive_seqlen: bool = True
    quant_post_static_gelu_out_threshold: float = 10.0
    quant_post_dynamic_activation_method: int = 0
    quant_post_dynamic_weight_precision: int = 1
    quant_post_dynamic_op_types: list = dataclasses.field(default_factory=list)


XpuConfig.quant_post_dynamic_op_types = []  # seen on the class; instances have lists of their own


class PassBuilder:
    """The passes of a Config, by name."""

    def __init__(self, config):
        self._config, self._added = config, []

    def all_passes(self):
        """Names in the order they run."""
        return self._config._passes()

    def append_pass(self, name):
        """Adds a pass; added ones run before the others."""
        self._added.append(name)
        self._config.enable_custom_passes(self._added)

    def delete_pass(self, name):
        """Leaves a pass out."""
        self._config.delete_pass(name)

    def turn_on_debug(self):
        """Prints the program around each pass."""
        self._config.switch_ir_debug(True)


class Config(_core.AnalysisConfig):
    """What a predictor loads, and how it runs.

    `enable_memory_optim()`, `switch_ir_optim(on)`, `delete_pass(name)`,
    `set_cpu_math_library_num_threads(n)` and so on change how it runs; `summary()` says how.
    `enable_use_gpu(memory_mb, device_id, precision)` runs it on a GPU. Methods for other engines
    are taken and print one line about what happens instead, unless `disable_glog_info()` was
    called.

    Args:
        prog_file (str): The program, `.json` or the older `.pdmodel`; alone the directory of both
            files.
        params_file (str): The parameters, `.pdiparams`.

    Examples:
        >>> paddle.jit.save(paddle.nn.Linear(2, 1), "net", [paddle.static.InputSpec([None, 2])])
        >>> config = paddle.inference.Config("net.json", "net.pdiparams")
        >>> config.set_cpu_math_library_num_threads(2)
        >>> config.prog_file(), config.cpu_math_library_num_threads()
        ('net.json', 2)
        >>> config.use_gpu()
        False
    """

    Precision = _core.PrecisionType
    Float32, Half, Int8, Bfloat16 = (
        getattr(_core.PrecisionType, n) for n in ('Float32', 'Half', 'Int8', 'Bfloat16')
    )
    _precision, _black, _white, _low_io = Float32, frozenset(), frozenset(), False

    def enable_use_gpu(
        self, memory_pool_init_size_mb, device_id=0, precision_mode=_core.PrecisionType.Float32
    ):
        """Run on a GPU; without one the CPU is used, and stderr says so.

        Parameters are copied there once. Inputs of extents that came before run as one call of a
        captured graph, unless `switch_ir_optim(False)` or `enable_profile()` was called.

        Args:
            memory_pool_init_size_mb (int): Megabytes that the allocator takes at first.
            device_id (int, default 0): The number of the GPU.
            precision_mode (PrecisionType, default Float32): Half and Bfloat16: the program is
                converted when it is loaded, as by `convert_to_mixed_precision`.

        Returns:
            None.

        Raises:
            ValueError: No such GPU, or another precision.

        Examples:
            >>> config = paddle.inference.Config()
            >>> if paddle.device.cuda.device_count():
            ...     config.enable_use_gpu(100, 0, paddle.inference.PrecisionType.Half)
            ...     assert config.use_gpu() and config.gpu_device_id() == 0
        """
        if precision_mode == self.Int8:
            raise ValueError(
                '[Config.enable_use_gpu] expected the precision Float32, Half or Bfloat16, got Int8'
            )
        super().enable_use_gpu(memory_pool_init_size_mb, device_id)
        self._precision = precision_mode if self.use_gpu() else self.Float32

    def exp_disable_mixed_precision_ops(self, black_list):
        """Operations that stay in float32 in a half precision of `enable_use_gpu`."""
        self._black = frozenset(black_list)

    def exp_enable_mixed_precision_ops(self, white_list):
        """Operations that run in a half precision of `enable_use_gpu`, beside the usual ones."""
        self._white = frozenset(white_list)

    def enable_low_precision_io(self, x=True):
        """Whether inputs and outputs have a half precision of `enable_use_gpu`, too."""
        self._low_io = bool(x)

    def _conversion(self):
        """What convert_to_mixed_precision is to do; None: nothing."""
        if not self.use_gpu() or self._precision == self.Float32:
            return None
        return {
            'mixed_precision': self._precision,
            'keep_io_types': not self._low_io,
            'black_list': self._black,
            'white_list': self._white,
        }

    def pass_builder(self):
        """The passes that the program goes through."""
        return PassBuilder(self)

    def xpu_config(self):
        """The XPU options, all default."""
        return XpuConfig()

    def tensorrt_precision_mode(self):
        """The default precision."""
        return self.Float32

    def to_native_config(self):
        """The files and the device as plain attributes."""
        return types.SimpleNamespace(
            model_dir=self.model_dir(),
            prog_file=self.prog_file(),
            param_file=self.params_file(),
            use_gpu=self.use_gpu(),
            use_xpu=False,
            device=self.gpu_device_id(),
            fraction_of_gpu_memory=self.fraction_of_gpu_memory_for_pool(),
        )


def _add(name, body, doc):
    body.__name__, body.__qualname__, body.__doc__ = name, f'Config.{name}', doc
    setattr(Config, name, body)


def _notice(name, text):
    def method(self, *args, **kwargs):
        seen = self.__dict__.setdefault('_noticed', set())
        if name not in seen and not self.glog_info_disabled():
            seen.add(name)
            print(f'[Config.{name}] {text}', file=sys.stderr)

    return method


for _text, _names in _NOTICES.items():
    for _name in _names.split():
        _add(_name, _notice(_name, _text), f'Accepted without effect: {_text}.')
for _name in _SILENT.split():
    _add(_name, lambda self, *args, **kwargs: None, 'Accepted: it is always so.')
for _value, _names in _ANSWERS:
    for _name in _names.split():
        _add(_name, lambda self, _value=_value: _value, f'Always {_value!r}.')
