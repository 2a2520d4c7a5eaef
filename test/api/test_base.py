# SPDX-License-Identifier: Apache-2.0
"""The names op tests and models take from paddle.base, paddle.framework and paddle.pir_utils, and
what they do.
"""

import logging
import sys

import numpy as np
import pytest
from paddle.base import Scope, core, framework, unique_name
from paddle.base.backward import append_backward
from paddle.base.data_feeder import (
    check_dtype,
    check_type,
    check_variable_and_dtype,
    convert_dtype,
    convert_float_to_uint16,
)
from paddle.base.executor import Executor, scope_guard
from paddle.base.framework import (
    OpProtoHolder,
    Program,
    _current_expected_place,
    canonicalize_attrs,
    get_flags,
    set_flags,
)
from paddle.base.layer_helper import LayerHelper

import paddle
from paddle import base
from paddle.autograd.ir_backward import grad as ir_grad


@pytest.fixture
def static_mode():
    with paddle.pir_utils.IrGuard(), paddle.utils.unique_name.guard():
        yield


def operator_run(op_type, inputs, attrs, out_names):
    """What an op test does: variables by their old names, an appended op, a run."""
    main, startup = Program(), Program()
    proto = OpProtoHolder.instance().get_op_proto(op_type)
    with base.program_guard(main, startup):
        block, feed, ins = main.global_block(), {}, {}
        for slot in proto.inputs:
            if slot.name not in inputs:
                assert slot.dispensable
                continue
            values = inputs[slot.name] if slot.duplicable else [inputs[slot.name]]
            ins[slot.name] = []
            for i, value in enumerate(values):
                feed[f'{slot.name}{i}'] = value
                ins[slot.name].append(
                    block.create_var(
                        name=f'{slot.name}{i}',
                        shape=value.shape,
                        dtype=value.dtype,
                        stop_gradient=False,
                    )
                )
        outs = {
            slot.name: [block.create_var(dtype='float32', name=slot.name)]
            for slot in proto.outputs
            if slot.name in out_names
        }
        block.append_op(
            type=op_type, inputs=ins, outputs=outs, attrs=canonicalize_attrs(attrs, proto)
        )
        grads = ir_grad([outs[out_names[0]][0].value.sum()], [v for vs in ins.values() for v in vs])
    return Executor(base.CPUPlace()).run(main, feed=feed, fetch_list=[*out_names, *grads])


def test_op_harness(static_mode):
    a, b = np.arange(6, dtype='float32').reshape(2, 3), np.ones([2, 2], 'float32')
    out, da, db = operator_run('concat', {'X': [a, b]}, {'axis': np.int64(1)}, ['Out'])
    np.testing.assert_array_equal(out, np.concatenate([a, b], 1))
    assert da.shape == a.shape and db.shape == b.shape
    out, da = operator_run('scale', {'X': a}, {'scale': 3, 'bias': 1.0}, ['Out'])
    np.testing.assert_array_equal(out, a * 3 + 1)
    np.testing.assert_array_equal(da, np.full([2, 3], 3))
    mask = next(
        o for o in OpProtoHolder.instance().get_op_proto('dropout').outputs if o.name == 'Mask'
    )
    assert mask.intermediate and not mask.duplicable
    with pytest.raises(ValueError):
        OpProtoHolder.instance().get_op_proto('no such op')


def test_layer_helper(static_mode):
    main, startup = Program(), Program()
    with base.program_guard(main, startup):
        x = paddle.static.data('x', [-1, 3])
        helper = LayerHelper('my_layer', act='relu', param_attr=None, bias_attr=None, input=x)
        w = helper.create_parameter(helper.param_attr, [3, 2], helper.input_dtype())
        out = helper.create_variable_for_type_inference(helper.input_dtype())
        helper.append_op(
            type='matmul_v2', inputs={'X': helper.input(), 'Y': w}, outputs={'Out': out}
        )
        y = helper.append_activation(helper.append_bias_op(out.value))
        pairs = append_backward(y.mean())
    assert [p.name for p, _ in pairs] == ['my_layer_0.b_0', 'my_layer_0.w_0']
    exe, scope = Executor(), Scope()
    with scope_guard(scope):
        exe.run(startup)
        value = np.array(scope.find_var('my_layer_0.w_0').get_tensor())
        (got,) = exe.run(main, feed={'x': np.ones([4, 3], 'float32')}, fetch_list=[y])
    np.testing.assert_allclose(got, np.maximum(np.ones([4, 3]) @ value, 0), rtol=1e-5)
    with pytest.raises(TypeError):
        scope_guard(3).__enter__()


def test_scope():
    scope = Scope()
    assert scope.find_var('a') is None
    tensor = scope.var('a').get_tensor()
    assert not tensor._is_initialized() and scope.local_var_names() == ['a']
    tensor.set(np.arange(6, dtype='float64').reshape(2, 3), base.CPUPlace())
    assert tensor.shape() == [2, 3] and tensor._dtype() == paddle.float64
    tensor._set_double_element(4, 9.5)
    assert np.array(scope.find_var('a').get_tensor())[1, 1] == 9.5 == tensor._get_double_element(4)
    tensor.set(np.array([16256], 'uint16'), base.CPUPlace())
    assert tensor._dtype() == paddle.bfloat16
    assert scope.new_scope().find_var('a') is not None
    tensor.set_recursive_sequence_lengths([[2, 1]])
    assert tensor.lod() == [[0, 2, 3]]
    with pytest.raises(ValueError, match='lengths whose sum is the 6 rows'):
        base.create_lod_tensor(np.ones([6, 2]), [[2, 1]], base.CPUPlace())
    made = base.create_lod_tensor([[1, 2], [3]], [[2, 1]], base.CPUPlace())
    assert made.shape() == [3, 1] and made.recursive_sequence_lengths() == [[2, 1]]
    with pytest.raises(RuntimeError):
        np.array(scope.var('b').get_tensor())


def test_modes():
    assert framework.in_dygraph_mode() and base.dygraph.enabled() and not framework.in_pir_mode()
    assert framework._dygraph_tracer()._has_grad
    with paddle.pir_utils.OldIrGuard():
        assert framework.in_pir_mode() and framework._dygraph_tracer() is None
        with base.dygraph.guard(base.CPUPlace()):
            assert paddle.in_dynamic_mode() and paddle.ones([2]).numpy().sum() == 2
        assert not paddle.in_dynamic_mode()
        guarded = Program()
        with base.program_guard(guarded):
            with base.dygraph.guard():
                assert type(paddle.ones([2]) + 1) is paddle.Tensor
            paddle.static.data('g', [2])
        assert guarded.num_ops() == 1
        fresh = Program()
        old = framework.switch_main_program(fresh)
        paddle.static.data('x', [2])
        assert framework.switch_main_program(old) is fresh and fresh.num_ops() == 1
    assert paddle.in_dynamic_mode()
    with base.program_guard(fresh):
        paddle.enable_static()
        paddle.static.data('y', [2])
    assert (
        fresh.num_ops() == 2 and type(paddle.ones([2])) is not paddle.Tensor
    )  # the mode outlives the guard
    paddle.disable_static(base.CPUPlace())
    assert type(paddle.ones([2])) is paddle.Tensor

    @framework.static_only
    def needs_static():
        return 1

    with pytest.raises(AssertionError):
        needs_static()
    assert str(_current_expected_place()) == 'Place(cpu)'
    assert framework._get_paddle_place('cpu').is_cpu_place()
    with pytest.raises(ValueError):
        framework._get_paddle_place('gpu:0')
    with pytest.raises(AssertionError):
        base.cuda_places()


def test_flags():
    before = core.globals()['FLAGS_use_system_allocator']
    core.globals()['FLAGS_use_system_allocator'] = True
    assert get_flags('FLAGS_use_system_allocator')['FLAGS_use_system_allocator'] is True
    set_flags({'FLAGS_use_system_allocator': before})
    assert (
        core.globals()['FLAGS_use_system_allocator'] == before
        and 'FLAGS_no_such' not in core.globals()
    )
    core._set_prim_all_enabled(True)
    assert core._is_fwd_prim_enabled() and core._is_bwd_prim_enabled()
    core._set_prim_all_enabled(False)
    assert not core._is_all_prim_enabled()


def test_dtypes():
    for given in (paddle.float32, 'float32', np.float32, core.VarDesc.VarType.FP32):
        assert (
            framework.convert_np_dtype_to_dtype_(given) == paddle.float32
            and convert_dtype(given) == 'float32'
        )
    assert (
        convert_dtype(core.VarDesc.VarType.BF16) == 'uint16'
        and framework.dtype_to_str(paddle.float16) == 'fp16'
    )
    with pytest.raises(TypeError):
        convert_dtype('no dtype')
    bits = convert_float_to_uint16(np.array([1.0, 3.14159, -2.71828], 'float32'))
    np.testing.assert_array_equal(bits, [16256, 16457, 49197])
    check_type(3, 'x', str, 'op')  # dynamic mode leaves it to the operations
    with paddle.pir_utils.IrGuard(), paddle.static.program_guard(Program()):
        x = paddle.static.data('x', [1])
        check_variable_and_dtype(x, 'x', ['float32', 'float64'], 'op')
        for check in (
            lambda: check_type(3, 'x', str, 'op'),
            lambda: check_dtype('float32', 'x', ['int32'], 'op'),
            lambda: check_variable_and_dtype(x, 'x', ['int32'], 'op'),
        ):
            with pytest.raises(TypeError, match=r"^\[op\] expected x "):
                check()


def test_data_feeder(static_mode):
    with paddle.static.program_guard(Program()):
        feeder = base.DataFeeder(
            [paddle.static.data('a', [-1, 2]), paddle.static.data('b', [-1, 1], 'int64')],
            base.CPUPlace(),
        )
    feed = feeder.feed([([1, 2], 3), ([4, 5], 6)])
    np.testing.assert_array_equal(feed['a'], [[1, 2], [4, 5]])
    assert feed['b'].tolist() == [[3], [6]] and feed['b'].dtype == np.int64


def test_small_names():
    assert core.eager.Tensor is paddle.Tensor and isinstance(core.CPUPlace(), core.Place)
    assert not core.is_compiled_with_cuda() and core.is_compiled_with_mkldnn()
    with pytest.raises(ValueError):
        core.CUDAPlace(0)
    assert framework.grad_var_name('x') == 'x@GRAD' == 'x' + core.grad_var_suffix()
    assert (
        unique_name is paddle.utils.unique_name
        and sys.modules['paddle.base.unique_name'] is unique_name
    )
    assert paddle.framework.core is core and paddle.framework.OpProtoHolder is OpProtoHolder
    logger = base.log_helper.get_logger('test_base', logging.INFO, fmt='%(message)s')
    assert logger.level == logging.INFO and not logger.propagate and len(logger.handlers) == 1
    assert (
        isinstance(paddle.base.ParamAttr('a'), paddle.ParamAttr)
        and paddle.pir.core.program_guard is paddle.static.program_guard
    )
