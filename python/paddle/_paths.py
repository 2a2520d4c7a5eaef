# SPDX-License-Identifier: Apache-2.0
"""Where names live that programs reach by other paths of PaddlePaddle's.

`TABLE` maps a module's path to {home: names}: what programs take from the module, and the module
here that has it. `a=b` is the home's `b` under the name `a`, `a=` is the home itself, and `*`
stands for every name of the home. Modules that have no file are made when they are imported
(`paddle._lazy`); the others find their names here on first use.
"""

import functools
import importlib

TABLE = {
    'paddle': {'paddle': 'paddle=', 'paddle.base.core': 'core='},
    'paddle._C_ops': {
        'paddle._fake_quant': (
            'fake_channel_wise_quantize_dequantize_abs_max fake_quantize_dequantize_abs_max '
            'fake_quantize_dequantize_moving_average_abs_max'
        ),
        'paddle._quantized_ops': (
            'dequantize_abs_max dequantize_linear dequantize_log '
            'fake_channel_wise_dequantize_max_abs fake_channel_wise_quantize_abs_max '
            'fake_dequantize_max_abs fake_quantize_abs_max fake_quantize_moving_average_abs_max '
            'fake_quantize_range_abs_max moving_average_abs_max_scale quantize_linear'
        ),
        'paddle._sequence_ops': ('add_position_encoding gru_unit im2sequence tdm_child'),
        'paddle._training_ops': (
            'auc average_accumulates_ check_finite_and_unscale_ '
            'decayed_adagrad ftrl fused_adam_ lars_momentum_ merged_adam_ merged_momentum_ '
            'update_loss_scaling_'
        ),
        'paddle.base.string_tensor': (
            'strings_empty strings_empty_like strings_lower strings_upper'
        ),
        'paddle._op_forms': 'accuracy anchor_generator batch_norm ones zeros',
        'paddle.base.selected_rows': 'merge_selected_rows',
        'paddle.incubate.nn.functional': 'fused_bias_act',
    },
    'paddle._pir_ops': {'paddle._C_ops': '*'},
    'paddle.audio': {'paddle.audio.datasets': 'datasets='},
    'paddle.audio.backends.wave_backend': {'paddle.audio': 'info load save'},
    'paddle.audio.datasets.esc50': {'paddle.audio.datasets': 'ESC50'},
    'paddle.audio.datasets.tess': {'paddle.audio.datasets': 'TESS'},
    'paddle.autograd.autograd': {'paddle.autograd': 'hessian jacobian'},
    'paddle.base': {
        'paddle.base.layer_helper_base': 'layer_helper_base=',
        'paddle.base.proto': 'proto=',
        'paddle.base.reader': 'reader=',
        'paddle.base.variable_index': 'variable_index=',
    },
    'paddle.base.core': {
        'paddle.base.cipher': 'AESCipher CipherFactory CipherUtils',
        'paddle.base.core_guards': (
            'AttributeMatchGuard Device DtypeMatchGuard GuardBase GuardGroup IdMatchGuard '
            'InstanceCheckGuard LambdaGuard LayerMatchGuard LengthMatchGuard Link ShapeMatchGuard '
            'TypeMatchGuard ValueMatchGuard'
        ),
        'paddle.base.core_programs': (
            'DeviceContext PassVersionChecker _add_skip_comp_ops '
            '_create_loaded_parameter call_vjp get_fetch_variable has_decomp_rule '
            'has_grad_op_maker has_infer_inplace has_vjp set_feed_variable'
        ),
        'paddle.base.core_queries': (
            'DenseTensorArray OpUpdateType clear_low_precision_op_list get_attribute_type '
            'get_low_precision_op_list serialize_pir_program'
        ),
        'paddle.base.ir_graph': 'Graph ProgramDesc',
        'paddle.base.scalars': 'Scalar',
        'paddle.base.selected_rows': 'SelectedRows load_selected_rows save_selected_rows',
        'paddle.base.tensor_files': (
            'load_combine_func load_dense_tensor load_func save_combine_func save_dense_tensor '
            'save_func'
        ),
        'paddle.device.offload': 'AsyncLoad',
        'paddle.distributed': 'ReduceOp',
    },
    'paddle.base.framework': {
        'paddle.base.ir_graph': 'IrGraph IrNode',
        'paddle.base.program_queries': 'pir_chunk_id_guard pir_op_role_guard',
        'paddle.base.scalars': 'extract_plain_list wrap_as_scalar wrap_as_scalars',
        'paddle.pir.core': 'paddle_type_to_proto_type=datatype_to_vartype',
    },
    'paddle.base.io': {
        'paddle.base.log_helper': 'get_logger',
        'paddle.base.reader': 'DataLoader PyReader reader=',
    },
    'paddle.base.libpaddle': {
        'paddle.base.core': (
            'VarDesc is_compiled_with_avx is_compiled_with_brpc is_compiled_with_cuda '
            'is_compiled_with_cudnn_frontend is_compiled_with_custom_device '
            'is_compiled_with_dist is_compiled_with_distribute is_compiled_with_ipu '
            'is_compiled_with_mkldnn is_compiled_with_mpi is_compiled_with_mpi_aware '
            'is_compiled_with_nccl is_compiled_with_onednn is_compiled_with_rocm '
            'is_compiled_with_xpu'
        )
    },
    'paddle.base.layers': {'paddle.base.dygraph.math_op_patch': 'math_op_patch='},
    'paddle.common_ops_import': {
        'paddle.base': 'base=',
        'paddle.base.core': 'VarDesc core=',
        'paddle.base.data_feeder': 'check_dtype check_type check_variable_and_dtype convert_dtype',
        'paddle.base.framework': (
            'OpProtoHolder Variable _create_tensor _dygraph_tracer '
            'convert_np_dtype_to_dtype_ default_main_program device_guard dygraph_only '
            'in_dygraph_mode'
        ),
        'paddle.base.layer_helper': 'LayerHelper',
        'paddle.base.param_attr': 'ParamAttr',
    },
    'paddle.compat.proxy': {
        'paddle': 'disable_torch_proxy=disable_compat enable_torch_proxy=enable_compat'
    },
    'paddle.dataset.common': {'paddle.utils.download': 'md5file'},
    'paddle.device': {
        'paddle.base.libpaddle': 'IPUPlace',
        'paddle.base.core': 'core=',
        'paddle.base.framework': 'framework=',
    },
    'paddle.distributed': {'paddle.distributed.communication.stream': 'stream='},
    'paddle.distributed.collective': {
        'paddle.distributed.fleet.layers.mpu.mp_ops': (
            '_c_concat _c_identity _c_lookup_table _c_softmax_with_cross_entropy _c_split '
            '_mp_allreduce'
        )
    },
    'paddle.distributed.communication.group': {
        'paddle.distributed.communication.group': '_get_global_group=default_group'
    },
    **dict.fromkeys(
        ('paddle.distributed.auto_parallel', 'paddle.distributed.fleet.auto'),
        {
            'paddle.distributed': 'ProcessMesh Strategy get_mesh set_mesh',
            'paddle.distributed.auto_parallel.interface': (
                'create_mesh recompute shard_op shard_tensor'
            ),
        },
    ),
    'paddle.base.libpaddle.pir': {
        'paddle.base.program_queries': (
            'clone_program get_used_external_value translate_to_pir translate_to_pir_with_param_map'
        )
    },
    'paddle.distributed.auto_parallel.static.utils': {
        'paddle.base.program_queries': 'set_all_ops_op_role'
    },
    'paddle.distributed.auto_parallel.static.dist_attribute': {
        'paddle.distributed.auto_parallel.dist_attr': 'TensorDistAttr',
        'paddle.distributed.auto_parallel.spmd_rule': 'DistTensorSpec',
    },
    'paddle.distributed.fleet.utils.fs': {'paddle.distributed.fleet.utils.hdfs': 'HDFSClient'},
    'paddle.distributed.fleet.meta_parallel.tensor_parallel': {
        'paddle.distributed.fleet.meta_parallel': 'TensorParallel'
    },
    'paddle.distributed.fleet.meta_parallel.segment_parallel': {
        'paddle.distributed.fleet.meta_parallel': 'SegmentParallel'
    },
    'paddle.distributed.fleet.meta_parallel.sharding_parallel': {
        'paddle.distributed.fleet.meta_parallel': 'ShardingParallel'
    },
    'paddle.distributed.fleet.meta_parallel.parallel_layers': {
        'paddle.distributed.fleet.meta_parallel': (
            'ColumnParallelLinear LayerDesc ParallelCrossEntropy PipelineLayer RNGStatesTracker '
            'RowParallelLinear SharedLayerDesc VocabParallelEmbedding get_rng_state_tracker '
            'model_parallel_random_seed'
        )
    },
    'paddle.distributed.fleet.meta_parallel.parallel_layers.mp_layers': {
        'paddle.distributed.fleet.meta_parallel': (
            'ColumnParallelLinear ParallelCrossEntropy RowParallelLinear VocabParallelEmbedding'
        )
    },
    'paddle.distributed.fleet.meta_parallel.parallel_layers.pp_layers': {
        'paddle.distributed.fleet.meta_parallel': 'LayerDesc PipelineLayer SharedLayerDesc'
    },
    'paddle.distributed.fleet.model': {
        'paddle.distributed.fleet.meta_parallel': 'PipelineParallel'
    },
    'paddle.distributed.fleet.meta_parallel.parallel_layers.random': {
        'paddle.distributed.fleet.meta_parallel': (
            'RNGStatesTracker get_rng_state_tracker model_parallel_random_seed'
        )
    },
    'paddle.distributed.parallel': {
        'paddle.distributed.data_parallel': 'DataParallel',
        'paddle.distributed.parallel_helper': 'parallel_helper=',
    },
    'paddle.distributed.parallel_helper': {
        'paddle.distributed.communication.group': '_is_parallel_ctx_initialized=is_initialized'
    },
    'paddle.distribution': {
        'paddle.distribution.constraint': 'constraint=',
        'paddle.distribution.variable': 'variable=',
    },
    'paddle.distribution.bernoulli': {'paddle.distribution': 'Bernoulli'},
    'paddle.distribution.beta': {'paddle.distribution': 'Beta'},
    'paddle.distribution.binomial': {'paddle.distribution': 'Binomial'},
    'paddle.distribution.categorical': {'paddle.distribution': 'Categorical'},
    'paddle.distribution.cauchy': {'paddle.distribution': 'Cauchy'},
    'paddle.distribution.chi2': {'paddle.distribution': 'Chi2'},
    'paddle.distribution.continuous_bernoulli': {'paddle.distribution': 'ContinuousBernoulli'},
    'paddle.distribution.dirichlet': {'paddle.distribution': 'Dirichlet'},
    'paddle.distribution.exponential': {'paddle.distribution': 'Exponential'},
    'paddle.distribution.exponential_family': {'paddle.distribution': 'ExponentialFamily'},
    'paddle.distribution.gamma': {'paddle.distribution': 'Gamma'},
    'paddle.distribution.geometric': {'paddle.distribution': 'Geometric'},
    'paddle.distribution.gumbel': {'paddle.distribution': 'Gumbel'},
    'paddle.distribution.independent': {'paddle.distribution': 'Independent'},
    'paddle.distribution.kl': {
        'paddle.distribution.kl': '_kl_expfamily_expfamily=_exponential_family'
    },
    'paddle.distribution.laplace': {'paddle.distribution': 'Laplace'},
    'paddle.distribution.lkj_cholesky': {
        'paddle.distribution': 'LKJCholesky',
        'paddle.distribution.lkj': 'tril_matrix_to_vec vec_to_tril_matrix',
    },
    'paddle.distribution.lognormal': {'paddle.distribution': 'LogNormal'},
    'paddle.distribution.multinomial': {'paddle.distribution': 'Multinomial'},
    'paddle.distribution.multivariate_normal': {'paddle.distribution': 'MultivariateNormal'},
    'paddle.distribution.normal': {'paddle.distribution': 'Normal'},
    'paddle.distribution.poisson': {'paddle.distribution': 'Poisson'},
    'paddle.distribution.student_t': {'paddle.distribution': 'StudentT'},
    'paddle.distribution.transformed_distribution': {
        'paddle.distribution': 'TransformedDistribution'
    },
    'paddle.distribution.uniform': {'paddle.distribution': 'Uniform'},
    'paddle.framework': {
        'paddle.base.ir_graph': 'IrGraph',
        'paddle.framework.io_utils': 'io_utils= is_parameter',
    },
    'paddle.framework.io': {
        'paddle.base.framework': 'EagerParamBase',
        'paddle.base.selected_rows': (
            '_load_selected_rows=load_selected_rows _save_selected_rows=save_selected_rows'
        ),
        'paddle.framework.io': '_legacy_load=load _legacy_save=save',
    },
    'paddle.framework.random': {'paddle': 'Generator'},
    'paddle.geometric.math': {
        'paddle.geometric': 'segment_max segment_mean segment_min segment_sum'
    },
    'paddle.geometric.message_passing.send_recv': {
        'paddle.geometric': 'send_u_recv send_ue_recv send_uv'
    },
    'paddle.geometric.reindex': {'paddle.geometric': 'reindex_graph reindex_heter_graph'},
    'paddle.geometric.sampling.neighbors': {
        'paddle.geometric': 'sample_neighbors weighted_sample_neighbors'
    },
    'paddle.hapi': {'paddle.hapi.logger': 'logger='},
    'paddle.incubate.autograd.utils': {
        'paddle.incubate.autograd': 'disable_prim enable_prim',
        'paddle.incubate.autograd.primapi': 'as_tensors',
    },
    'paddle.incubate.distributed.fleet': {
        'paddle.distributed.fleet.recompute': 'recompute_hybrid recompute_sequential'
    },
    'paddle.incubate.nn': {
        'paddle.incubate.nn.attn_bias': 'attn_bias=',
        'paddle.incubate.nn.memory_efficient_attention': 'memory_efficient_attention=',
    },
    'paddle.incubate.nn.functional.fused_bias_act': {
        'paddle.incubate.nn.functional': 'fused_bias_act'
    },
    'paddle.incubate.nn.functional.fused_dropout_add': {
        'paddle.incubate.nn.functional': 'fused_dropout_add'
    },
    'paddle.incubate.nn.functional.fused_layer_norm': {
        'paddle.incubate.nn.functional': 'fused_layer_norm'
    },
    'paddle.incubate.nn.functional.fused_matmul_bias': {
        'paddle.incubate.nn.functional': 'fused_linear fused_linear_activation fused_matmul_bias'
    },
    'paddle.incubate.nn.functional.fused_rms_norm': {
        'paddle.incubate.nn.functional': 'fused_rms_norm'
    },
    'paddle.incubate.nn.functional.fused_rotary_position_embedding': {
        'paddle.incubate.nn.functional': 'fused_rotary_position_embedding'
    },
    'paddle.incubate.nn.functional.fused_transformer': {
        'paddle.incubate.nn.functional': 'fused_bias_dropout_residual_layer_norm '
        'fused_feedforward fused_multi_head_attention'
    },
    'paddle.incubate.nn.functional.variable_length_memory_efficient_attention': {
        'paddle.incubate.nn.functional': 'variable_length_memory_efficient_attention'
    },
    'paddle.incubate.nn.layer.fused_dropout_add': {'paddle.incubate.nn': 'FusedDropoutAdd'},
    'paddle.incubate.nn.layer.fused_linear': {'paddle.incubate.nn': 'FusedLinear'},
    'paddle.incubate.nn.layer.fused_transformer': {
        'paddle.incubate.nn': 'FusedBiasDropoutResidualLayerNorm FusedFeedForward '
        'FusedMultiHeadAttention FusedTransformerEncoderLayer'
    },
    'paddle.incubate.nn.loss': {'paddle.incubate': 'identity_loss'},
    'paddle.incubate.operators.graph_reindex': {'paddle.incubate': 'graph_reindex'},
    'paddle.incubate.operators.graph_sample_neighbors': {
        'paddle.incubate': 'graph_sample_neighbors'
    },
    'paddle.incubate.operators.graph_send_recv': {'paddle.incubate': 'graph_send_recv'},
    'paddle.incubate.operators.softmax_mask_fuse': {'paddle.incubate': 'softmax_mask_fuse'},
    'paddle.incubate.operators.softmax_mask_fuse_upper_triangle': {
        'paddle.incubate': 'softmax_mask_fuse_upper_triangle'
    },
    'paddle.incubate.optimizer': {'paddle.incubate.optimizer.functional': 'functional='},
    'paddle.incubate.optimizer.functional.bfgs': {
        'paddle.incubate.optimizer.functional': 'minimize_bfgs'
    },
    'paddle.incubate.optimizer.functional.lbfgs': {
        'paddle.incubate.optimizer.functional': 'minimize_lbfgs'
    },
    'paddle.incubate.optimizer.lbfgs': {'paddle.incubate.optimizer': 'LBFGS'},
    'paddle.incubate.optimizer.line_search_dygraph': {
        'paddle.optimizer.lbfgs': '_cubic_interpolate=_cubic _strong_wolfe'
    },
    'paddle.incubate.tensor.manipulation': {
        'paddle.device.offload': (
            'async_offload async_offload_with_offset async_reload create_async_load'
        )
    },
    'paddle.incubate.tensor.math': {
        'paddle.incubate': 'segment_max segment_mean segment_min segment_sum'
    },
    'paddle.inference.wrapper': {'paddle.inference': 'convert_to_mixed_precision'},
    'paddle.io.dataloader.dataloader_iter': {
        'paddle.io.dataloader.dataloader_iter': (
            '_DataLoaderIterMultiProcess=MultiProcessIter '
            '_DataLoaderIterSingleProcess=SingleProcessIter'
        )
    },
    'paddle.jit': {'paddle.jit.dy2static': 'dy2static='},
    'paddle.jit.api': {'paddle.jit': 'load'},
    'paddle.jit.dy2static.logging_utils': {'paddle.jit': 'set_code_level set_verbosity'},
    'paddle.jit.dy2static.program_translator': {
        'paddle.jit': 'enable_to_static',
        'paddle.jit.static_function': 'StaticFunction',
    },
    'paddle.jit.dy2static.origin_info': {
        'paddle.jit.dy2static.old_names': 'ORIGIN_INFO Location OriginInfo attach_origin_info'
    },
    'paddle.jit.dy2static.transformers.logical_transformer': {
        'paddle.jit.dy2static.old_names': 'cmpop_node_to_str'
    },
    'paddle.jit.dy2static.transformers.utils': {'paddle.jit.dy2static.old_names': 'index_in_list'},
    'paddle.jit.dy2static': {'paddle.jit.dy2static.old_names': 'UndefinedVar create_bool_as_type'},
    'paddle.jit.dy2static.utils': {
        'paddle.jit.dy2static.old_names': 'is_paddle_func parse_arg_and_kwargs',
        'paddle.jit.dy2static.merge': 'Dygraph2StaticException',
        'paddle.jit.dy2static.source': 'func_to_source_code',
    },
    'paddle.jit.marker': {'paddle.jit': 'not_to_static'},
    'paddle.jit.pir_translated_layer': {
        'paddle.jit.translated_layer': 'INFER_PARAMS_SUFFIX PIR_INFER_MODEL_SUFFIX'
    },
    'paddle.jit.sot.utils.envs': {'paddle.jit.sot.utils': 'min_graph_size_guard strict_mode_guard'},
    'paddle.jit.sot.utils.exceptions': {
        'paddle.jit.sot.utils': 'FallbackError InnerError SotErrorBase'
    },
    'paddle.nn': {'paddle.nn.init': 'init=', 'paddle.nn.layer.loss': 'loss='},
    'paddle.nn.clip': {
        'paddle.base.selected_rows': 'get_tensor_from_selected_rows merge_selected_rows'
    },
    'paddle.nn.functional': {'paddle': 'diag_embed'},
    'paddle.nn.functional.activation': {
        'paddle.nn.functional': (
            'celu elu hardshrink hardsigmoid hardswish hardtanh hardtanh_ leaky_relu '
            'leaky_relu_ log_sigmoid mish relu relu6 relu_ selu silu softshrink softsign swish '
            'tanh_ tanhshrink thresholded_relu thresholded_relu_'
        )
    },
    'paddle.nn.functional.common': {
        'paddle.nn.functional': (
            'alpha_dropout dropout dropout1d dropout2d dropout3d feature_alpha_dropout '
            'interpolate linear pad upsample zeropad2d'
        )
    },
    'paddle.nn.functional.distance': {
        'paddle': 'pdist',
        'paddle.nn.functional': 'pairwise_distance',
    },
    'paddle.nn.functional.extension': {
        'paddle.nn.functional': 'gather_tree sequence_mask temporal_shift'
    },
    'paddle.nn.functional.input': {
        'paddle.nn.functional': 'embedding one_hot',
        'paddle.nn.functional.common': 'embedding_renorm_',
    },
    'paddle.nn.functional.loss': {
        'paddle.nn.functional': (
            'cosine_embedding_loss gaussian_nll_loss hinge_embedding_loss l1_loss '
            'margin_ranking_loss mse_loss multi_label_margin_loss '
            'multi_label_soft_margin_loss multi_margin_loss poisson_nll_loss smooth_l1_loss '
            'soft_margin_loss square_error_cost triplet_margin_loss '
            'triplet_margin_with_distance_loss'
        )
    },
    'paddle.nn.functional.sdpa': {'paddle.nn.functional': 'scaled_dot_product_attention'},
    'paddle.nn.initializer': {
        'paddle.nn.initializer.constant': 'ConstantInitializer=Constant',
        'paddle.nn.initializer.kaiming': 'MSRAInitializer',
        'paddle.nn.initializer.lazy_init': 'lazy_init=',
        'paddle.nn.initializer.normal': 'NormalInitializer TruncatedNormalInitializer',
        'paddle.nn.initializer.uniform': 'UniformInitializer',
        'paddle.nn.initializer.xavier': 'XavierInitializer',
    },
    'paddle.nn.initializer.bilinear': {'paddle.nn.initializer': 'Bilinear'},
    'paddle.nn.initializer.dirac': {'paddle.nn.initializer': 'Dirac'},
    'paddle.nn.initializer.orthogonal': {'paddle.nn.initializer': 'Orthogonal'},
    'paddle.nn.layer.common': {
        'paddle.nn': (
            'CircularPad1D CircularPad2D CircularPad3D ConstantPad1D ConstantPad2D '
            'ConstantPad3D Pad1D Pad2D Pad3D ReflectionPad1D ReflectionPad2D ReflectionPad3D '
            'ReplicationPad1D ReplicationPad2D ReplicationPad3D ZeroPad1D ZeroPad2D ZeroPad3D'
        )
    },
    'paddle.nn.layer.distance': {'paddle.nn': 'PairwiseDistance'},
    'paddle.nn.layer.layers': {'paddle.base.dygraph.base': 'in_declarative_mode=in_to_static_mode'},
    'paddle.nn.layer.rnn': {
        'paddle.nn': 'GRU LSTM SimpleRNN',
        'paddle.nn.layer.rnn': 'rnn=run_cell',
    },
    'paddle.nn.layer.transformer': {
        'paddle.nn.layer.transformer': '_convert_attention_mask=_mask '
        '_convert_param_attr_to_list=_attrs'
    },
    'paddle.nn.layer.vision': {'paddle.nn': 'ChannelShuffle PixelShuffle PixelUnshuffle'},
    'paddle.nn.quant': {'paddle.nn.quant.quant_layers': 'QuantStub quant_layers='},
    'paddle.nn.utils.clip_grad_norm_': {'paddle.nn.utils': 'clip_grad_norm_'},
    'paddle.nn.utils.clip_grad_value_': {'paddle.nn.utils': 'clip_grad_value_'},
    'paddle.optimizer.adadelta': {'paddle.optimizer': 'Adadelta'},
    'paddle.optimizer.adagrad': {'paddle.optimizer': 'Adagrad'},
    'paddle.optimizer.adamax': {'paddle.optimizer': 'Adamax'},
    'paddle.optimizer.adamw': {'paddle.optimizer': 'AdamW'},
    'paddle.optimizer.asgd': {'paddle.optimizer': 'ASGD'},
    'paddle.optimizer.lbfgs': {'paddle.optimizer.lbfgs': '_cubic_interpolate=_cubic'},
    'paddle.optimizer.momentum': {'paddle.optimizer': 'Momentum'},
    'paddle.optimizer.nadam': {'paddle.optimizer': 'NAdam'},
    'paddle.optimizer.radam': {'paddle.optimizer': 'RAdam'},
    'paddle.optimizer.rmsprop': {'paddle.optimizer': 'RMSProp'},
    'paddle.optimizer.rprop': {'paddle.optimizer': 'Rprop'},
    'paddle.optimizer.sgd': {'paddle.optimizer': 'SGD'},
    'paddle.profiler': {
        'paddle.profiler.statistic_helper': 'statistic_helper=',
        'paddle.profiler.utils': 'TracerEventType',
    },
    'paddle.profiler.profiler': {'paddle.profiler': 'SummaryView'},
    'paddle.profiler.profiler_statistic': {'paddle.profiler.utils': 'TracerMemEventType'},
    'paddle.profiler.utils': {
        'paddle.profiler.trace_file': 'load_profiler_result',
        'paddle.profiler.utils': '_is_profiler_used=recording',
    },
    'paddle.static': {
        'paddle.base.variable_index': 'setitem=_setitem_static',
        'paddle.static.amp': 'amp=',
    },
    'paddle.static.input': {
        'paddle.base.variable_index': 'setitem=_setitem_static',
        'paddle.static': 'InputSpec data',
    },
    'paddle.static.log_helper': {'paddle.base.log_helper': 'get_logger'},
    'paddle.static.nn.common': {
        'paddle.static': 'ExponentialMovingAverage',
        'paddle.static.nn': (
            'batch_norm conv2d conv2d_transpose conv3d conv3d_transpose deform_conv2d '
            'group_norm instance_norm layer_norm py_func spectral_norm'
        ),
    },
    'paddle.static.nn.loss': {'paddle.static.nn': 'nce'},
    'paddle.static.nn.metric': {'paddle.static': 'accuracy auc ctr_metric_bundle'},
    'paddle.static.nn.sequence_lod': {'paddle.nn.functional': 'sequence_mask'},
    'paddle.static.nn.static_pylayer': {'paddle.static.nn': 'static_pylayer'},
    'paddle.tensor': {
        'paddle.linalg': 'cholesky_solve matrix_power',
        'paddle.tensor.array': 'array= array_length array_read array_write create_array',
        'paddle.tensor.creation': 'create_tensor fill_constant',
        'paddle.tensor.random': 'exponential_',
        'paddle.tensor.sampling': 'top_p_sampling',
    },
    'paddle.tensor.attribute': {'paddle': 'imag real'},
    'paddle.tensor.compat_softmax': {'paddle': 'softmax'},
    'paddle.tensor.creation': {
        'paddle': 'MmapStorage cauchy_ diag diag_embed diagflat geometric_ to_tensor tril_ triu_',
        'paddle.device': (
            'BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor '
            'IntTensor LongTensor ShortTensor'
        ),
        'paddle.static': 'create_global_var create_parameter',
    },
    'paddle.tensor.linalg': {
        'paddle': 'bincount cdist dist histogram histogram_bin_edges histogramdd mv permute t t_ '
        'transpose transpose_'
    },
    'paddle.tensor.logic': {
        'paddle': (
            'allclose bitwise_and bitwise_and_ bitwise_invert bitwise_invert_ bitwise_not '
            'bitwise_not_ bitwise_or bitwise_or_ bitwise_xor bitwise_xor_ equal equal_ '
            'equal_all greater_equal greater_equal_ greater_than_ gt is_empty is_tensor '
            'less_ less_equal less_equal_ less_than less_than_ logical_and_ logical_not_ '
            'logical_or_ not_equal'
        )
    },
    'paddle.tensor.manipulation': {
        'paddle': (
            'as_complex as_real as_strided atleast_1d atleast_2d atleast_3d block_diag '
            'broadcast_tensors broadcast_to cast cast_ chunk column_stack concat crop dsplit '
            'dstack expand flatten flatten_ flip gather gather_nd hsplit hstack index_add '
            'index_add_ index_fill_ masked_fill masked_fill_ masked_scatter_ put_along_axis '
            'reshape reshape_ row_stack scatter scatter_ scatter_add scatter_add_ '
            'scatter_nd_add scatter_reduce slice split squeeze squeeze_ stack strided_slice '
            'take_along_axis tensor_split tile tolist unbind unfold unique unique_consecutive '
            'unsqueeze unsqueeze_ unstack vsplit vstack'
        ),
        'paddle.tensor.array': 'tensor_array_to_tensor',
        'paddle.tensor.search': 'fill_diagonal_tensor_',
    },
    'paddle.tensor.math': {
        'paddle': (
            'add addmm addmm_ angle atan2 baddbmm_ bitwise_left_shift bitwise_left_shift_ '
            'bitwise_right_shift bitwise_right_shift_ broadcast_shape broadcast_shapes '
            'cartesian_prod clip combinations conj copysign copysign_ count_nonzero cummax '
            'cummin cumprod cumprod_ cumsum cumsum_ cumulative_trapezoid diff digamma '
            'digamma_ divide divide_ erfinv floor_divide floor_divide_ floor_mod floor_mod_ '
            'fmax fmin frac_ gammainc gammainc_ gammaincc gammaincc_ gammaln gammaln_ gcd_ '
            'heaviside hypot_ i0 i0_ i0e i1 i1e increment isin kron lcm_ ldexp_ lerp lgamma '
            'lgamma_ log10_ log2_ log_ logcumsumexp logit logit_ logsumexp max min mod mod_ '
            'multigammaln_ multiplex multiply_ nan_to_num_ nanmean nansum neg_ nextafter '
            'polygamma polygamma_ pow pow_ prod remainder remainder_ renorm renorm_ scale '
            'sign sinc_ stanh subtract subtract_ take trace trapezoid trunc trunc_ vander'
        ),
        'paddle.linalg': 'inverse=inv',
        'paddle.nn.functional': 'tanh_',
    },
    'paddle.tensor.ops': {
        'paddle': 'abs_ acos_ asinh atan atan_ cos_ erf erf_ expm1_ reciprocal sin_ sinh_ square '
        'square_ tan tan_'
    },
    'paddle.tensor.random': {'paddle': 'binomial multinomial poisson standard_gamma'},
    'paddle.tensor.search': {
        'paddle': 'bucketize index_sample index_select kthvalue masked_select mode msort topk '
        'where where_'
    },
    'paddle.tensor.stat': {'paddle': 'mean median nanmedian nanquantile numel quantile std var'},
    'paddle.text.datasets.conll05': {'paddle.text': 'Conll05st'},
    'paddle.text.datasets.imdb': {'paddle.text': 'Imdb'},
    'paddle.text.datasets.imikolov': {'paddle.text': 'Imikolov'},
    'paddle.text.datasets.movielens': {'paddle.text': 'Movielens'},
    'paddle.text.datasets.uci_housing': {'paddle.text': 'UCIHousing'},
    'paddle.text.datasets.wmt14': {'paddle.text': 'WMT14'},
    'paddle.text.datasets.wmt16': {'paddle.text': 'WMT16'},
    'paddle.static.amp.bf16.amp_lists': {
        'paddle.static.amp.bf16': 'AutoMixedPrecisionListsBF16 bf16_list fp32_list'
    },
    'paddle.utils': {
        'paddle.utils.environments': 'environments=',
        'paddle.utils.layers_utils': 'assert_same_structure convert_to_list is_sequence',
    },
    'paddle.vision.models.mobilenetv1': {'paddle.vision.models': 'MobileNetV1 mobilenet_v1'},
    'paddle.vision.models.mobilenetv2': {'paddle.vision.models': 'MobileNetV2 mobilenet_v2'},
    'paddle.vision.models.mobilenetv3': {
        'paddle.vision.models': 'MobileNetV3Large MobileNetV3Small mobilenet_v3_large '
        'mobilenet_v3_small'
    },
}


@functools.cache
def names(module):
    """{name: (home, its name there; None for the home itself)} of a module's path."""
    found = {}
    for home, words in TABLE.get(module, {}).items():
        for word in words.split():
            here, _, there = word.partition('=')
            found[here] = home, (there if '=' in word else here) or None
    return found


@functools.cache
def modules():
    """Paths that TABLE has, and those above them, each with whether there are others below it."""
    paths = {}
    for path in TABLE:
        paths.setdefault(path, False)
        while path.count('.') > 1:
            path = path.rpartition('.')[0]
            paths[path] = True
    return paths


def home(module, name):
    """Where `name` of a module lives: (module, name there), (module, None) for a module, None for a
    name that is not listed.
    """
    known = names(module)
    if name in known:
        return known[name]
    if f'{module}.{name}' in modules():
        return f'{module}.{name}', None
    return (known['*'][0], name) if '*' in known else None


def value(module, name):
    """The object at a home."""
    found = importlib.import_module(module)
    return found if name is None else getattr(found, name)
