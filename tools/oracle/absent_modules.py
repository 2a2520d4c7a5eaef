# SPDX-License-Identifier: Apache-2.0
"""Names outside of the public list that only PaddlePaddle's own unit tests read and that are absent
here, by reason, and public names that are not the same. docs/absent_names.md shows them.
"""

ROWS = [
    (
        r'`paddle.distributed.auto_parallel.static.*`, `.moe_utils._dist_reshape`, '
        r'`.intermediate.parallel_base.ParallelModel`, `paddle._C_ops.reshard`, '
        r'`paddle.base.libpaddle.pir.{build_pipe_for_block, apply_dist2dense_pass}`, '
        r'`paddle.distributed.{in_auto_parallel_align_mode, fleet.auto.Engine}`',
        'steps of one engine that divides static programs by passes over its own dialect; here '
        '`paddle.distributed.to_static` and `DistModel` divide what is recorded',
    ),
    (
        r'`paddle.distributed.transpiler.*`, `paddle.distributed.fleet.{init_server, run_server}`, '
        r'`paddle.incubate.distributed.fleet.{role_maker, collective}`, '
        r'`paddle.base.{trainer_desc, DatasetFactory, InMemoryDataset}`, '
        r'`paddle.base.io.DataLoader.from_dataset`, `paddle.base.core.get_int_stats`',
        'parameter servers and the programs that were rewritten for them',
    ),
    (
        r'`paddle.distributed.fleet.meta_optimizers.{DGCMomentumOptimizer, RawProgramOptimizer}`, '
        r'`paddle.incubate.optimizer.{RecomputeOptimizer, PipelineOptimizer}`, '
        r'`paddle.distributed.parallel.ParallelStrategy`, `paddle.nn.clip.set_gradient_clip`, '
        r'`paddle.distributed.fleet.meta_parallel.parallel_layers.random.dropout`',
        'optimizers that rewrite programs of the old form, and settings of them',
    ),
    (
        r'`paddle.distributed.utils.launch_utils.*`, `paddle.distributed.launch.utils.topology`, '
        r'`paddle.distributed.{spawn._get_subprocess_env_list, collective._init_parallel_env}`, '
        r'`paddle.hapi.model.prepare_distributed_context`, `paddle.base.core.ProcessGroupGloo`',
        'inner steps of the launcher and of joining a group, which are other ones here',
    ),
    (
        r'`paddle.jit.sot.*`, `paddle.jit.dy2static.{convert_call_func, error, function_spec, '
        r'origin_info, partial_program, pir_partial_program, program_translator, transformers, '
        r'utils}.*`, '
        r'`paddle.jit.{api.ProgramTranslator, api.set_dynamic_shape, layer.Layer}`, '
        r'`paddle.jit.dy2static.{Call, IfElse, DygraphToStaticAst}`',
        'classes that conversion is built of there; here it is built otherwise, and '
        '`paddle.jit.explain` tells what was converted',
    ),
    (
        r'`paddle.base.core.{OpDesc, Operator, get_grad_op_desc, get_op_extra_attrs, '
        r'get_op_version_map, _get_eager_deletion_vars, _set_eager_deletion_mode}`, '
        r'`paddle.base.framework.{Operator, auto_complete_op_role}`, '
        r'`paddle.static.amp.fp16_utils.{find_op_index, find_true_post_op, '
        r'_keep_layer_norm_scale_bias_to_fp32}`, `paddle.static.amp.bf16.{cast_model_to_bf16, '
        r'rewrite_program_bf16}`, `paddle.utils.OpLastCheckpointChecker`, '
        r'`paddle.tensor.math._elementwise_op`, `paddle.pir_utils._switch_to_old_ir_`',
        'descriptions of operators in the memory of an interpreter of old programs, and passes '
        'over them; old programs are recorded here, and `paddle.static.amp.decorate` casts them',
    ),
    (
        r'`paddle.base.libpaddle.pir.{all_ops_defined_symbol_infer, infer_symbolic_shape_pass, '
        r'get_shape_constraint_ir_analysis, create_loaded_parameter, '
        r'create_selected_rows_type_by_dense_tensor}`, `paddle.pir.{check_unregistered_ops, '
        r'create_shaped_type, core.create_persistable_value}`, '
        r'`paddle.base.core.deserialize_pir_program`, `paddle._pir_ops.{fetch, add_n_array, '
        r'create_array_like, slice_array, slice_array_dense}`, `paddle.decomposition.'
        r'{auto_recompute, decomp.decompose_pir_program}`, `paddle.incubate.autograd.'
        r'{prim2orig, primapi.to_prim}`',
        'parts of the machinery around programs, whose types, shape rules and decompositions come '
        'from stanzas here',
    ),
    (
        r'`paddle.base.core.{enable_autotune, disable_autotune, set_autotune_range, '
        r'update_autotune_status, _cuda_synchronize, _test_enforce_gpu_success, '
        r'set_nan_inf_debug_path, _get_amp_attrs, _get_amp_op_list}`, '
        r'`paddle.base.libpaddle.TRTEngineParams`, `paddle._C_ops.{tensorrt_engine, '
        r'sparse_attention}`, `paddle.profiler.profiler.get_profiler`',
        'CUDA, TensorRT and switches that read what only those have',
    ),
    (
        r'`paddle.io.dataloader.worker.{_worker_loop, _generate_states}`, '
        r'`paddle.base.reader._reader_process_loop`, '
        r'`paddle.base.core.eager._add_backward_final_hook`, `paddle.nn.utils._stride_column`, '
        r'`paddle.amp.accuracy_compare.parse_lines`, '
        r'`paddle.utils.cpp_extension.extension_utils.check_abi_compatibility`',
        'private helpers of functions that are here',
    ),
    (
        r'`paddle.static.quantization.quanter.{quant_aware, convert}`',
        'one call each for passes that are here: `QuantizationTransformPass`, '
        '`AddQuantDequantPass` and `OutScaleForTrainingPass`; `OutScaleForInferencePass` and '
        '`QuantizationFreezePass`',
    ),
    (
        r'`paddle.jit.json_to_pdmodel`',
        'it writes the older format of programs, which is read here and not written',
    ),
    (
        r'`paddle.incubate.layers.nn.shuffle_batch`',
        'its operation runs in old programs here; `x[paddle.randperm(len(x))]` elsewhere',
    ),
    (
        r'`paddle.base.proto.framework_pb2.*`',
        'there where the package `protobuf` is installed, which is not needed otherwise',
    ),
]

# Public names that are there but not the same by `parity.py`: (names, what differs and why).
DIFFERENT = [
    (
        '`paddle.scatter_`, `Tensor.scatter_`, `paddle.nn.Parameter`, `paddle.static.Variable`',
        'their parameters have names, where the published ones take `*args, **kwargs` (the last '
        'the other way round)',
    ),
    ('`Tensor.view`, `Tensor.repeat`', 'they take several numbers and names of PyTorch too'),
    ('`paddle.check_shape`', 'a default is a tuple of classes, which are other ones'),
    ('`paddle.jit.TranslatedLayer`', 'no `persistable_vars`: a program holds its parameters'),
    (
        '`Fleet`, `DistributedStrategy`, `InMemoryDataset.tdm_sample`, '
        '`Executor.{split_program_by_device, start_heter_trainer}`',
        'members for parameter servers, heterogeneous trainers and files of settings',
    ),
    (
        '`DistAttr`, `DistModel.{dist_startup_program, serial_main_program, '
        'serial_startup_program}`, `Strategy.{from_dict, full_graph, get}`, '
        '`SequenceParallelEnable.sequence_parallel_end`, '
        '`HybridCommunicateGroup.{get_moe_sharding_parallel_world_size, get_p2p_groups}`',
        'inner members of the engine that divides static programs',
    ),
    ('`ReduceType.{kRedAll, kRedAny}`', 'reductions of booleans, which no process group does'),
    (
        '`Program`, `Variable`',
        'members that change descriptions of operators in the memory of an interpreter',
    ),
    ('`IpuStrategy`, `IpuCompiledProgram`', 'members for another device'),
    ('`DataParallel.init_reducer`, `inference.Tensor.share_external_data_by_ptr_name`', 'private'),
]


def lines():
    """The section of the page."""
    out = [
        '## Names of modules',
        '',
        'Everything outside of the public list that packages use is here. Of the names that only',
        "PaddlePaddle's unit tests use these are absent:",
        '',
        '| names | why |',
        '|---|---|',
    ]
    out += [f'| {names} | {why} |' for names, why in ROWS]
    out += [
        '',
        '## Public names that are not the same',
        '',
        'By members or signature:',
        '',
        '| names | what differs |',
        '|---|---|',
    ]
    return [*out, *(f'| {names} | {why} |' for names, why in DIFFERENT)]
