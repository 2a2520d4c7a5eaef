# SPDX-License-Identifier: Apache-2.0
"""Tables and numbers of quantised programs, against figures of the published package."""

import numpy as np
import paddle
import pytest
from paddle.static.quantization import quant_config, utils

WEIGHTS = np.array([[1.0, -2.0, 0.5], [4.0, 0.25, -1.0]], 'float32')


def test_the_tables_hold_inputs_and_outputs():
    table = quant_config.SUPPORT_QUANTIZATION_OP_DICT
    assert table['conv2d'] == [['Input', 'Filter'], ['Output']]
    assert table['group_norm'] == [['X'], ['Y', 'Mean', 'Variance']]
    assert table['fill_constant'] == [[], ['Out']]
    assert len(quant_config.SUPPORT_ACT_QUANTIZATION_OP_DICT) == 89
    assert list(table)[:3] == ['conv2d', 'depthwise_conv2d', 'conv2d_transpose']


def test_targets_choose_operations():
    some = ['conv2d', 'relu', 'unknown']
    base = quant_config.BaseQuantizer(some)
    assert base.weight_quant_operation_types == ['conv2d']
    assert base.activation_quant_operation_types == ['relu']
    assert len(base.observer_operation_types) == 89
    assert quant_config.BaseQuantizer().activation_quant_operation_types == [
        'mul',
        'matmul',
        'matmul_v2',
    ]
    assert quant_config.ARMCPUQuantizer()._quant_min == -127
    assert len(quant_config.TensorRTQuantizer(some).activation_quant_operation_types) == 33


def test_numbers_and_back():
    scales = [2.0, 4.0]
    whole = utils.quant_tensor(WEIGHTS, scales, 0, onnx_format=True)
    assert whole.tolist() == [[64, -127, 32], [127, 8, -32]]
    back = utils.dequant_tensor(whole, scales, 0)
    np.testing.assert_allclose(back, WEIGHTS, atol=4 / 254)
    assert utils.quant_tensor(WEIGHTS, 1.0)[0].tolist() == [127, -127, 63.5]
    with pytest.raises(AssertionError, match='quant_axis'):
        utils.quant_tensor(WEIGHTS, scales, 2)


def test_corrected_weights_are_those_of_the_published_package():
    x = np.array([[1.0, 2, 3, 10], [4, 6, 5, 10]], 'float32')
    whole = x + np.array([[0, 0, 0, 0], [0, 0, 0, 4]], 'float32')
    got = utils.bias_correction_w(x, whole, [127.0, 127.0], 0)
    want = [[1.0, 0.57504547, 3.0, 5.1754093], [4.0, 2.8752275, 5.0, 7.4755912]]
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_variables_of_a_scope():
    scope = paddle.static.Scope()
    with pytest.raises(AssertionError, match="'w'"):
        utils.load_variable_data(scope, 'w')
    scope.var('w').get_tensor().set(WEIGHTS, paddle.CPUPlace())
    utils.set_variable_data(scope, paddle.CPUPlace(), 'w', WEIGHTS + 1)
    assert (utils.load_variable_data(scope, 'w') == WEIGHTS + 1).all()


def test_names_of_an_operation():
    class Op:
        type = 'matmul_v2'

        def input(self, slot):
            return {'X': ['a'], 'Y': ['b']}[slot]

        def output(self, slot):
            return {'Out': ['c']}[slot]

    assert utils._get_op_input_var_names(Op()) == ['a', 'b']
    assert utils._get_op_output_var_names(Op()) == ['c']
    assert utils._get_output_name_index(Op(), 'c') == ('Out', 0)
    assert utils._get_input_name_index(Op(), 'b') == ('Y', 0)
    assert utils._get_input_name_index(Op(), 'x') is None


def test_the_logistic_function_does_not_overflow():
    got = utils.stable_sigmoid(np.array([-1000.0, 1000.0, 0.0]))
    assert got.tolist() == [0.0, 1.0, 0.5]
