# SPDX-License-Identifier: Apache-2.0
"""Old operations by name: aliases, axes of elementwise ones and rules, the same through `append_op`
and `_legacy_C_ops`; operations of quantised programs. Values of the published package are said.
"""

import json
import os

import numpy as np
import pytest
from old_operation_cases import CASES as OPERATIONS
from old_operation_cases import Numbers, plain

import paddle
from paddle import _C_ops
from paddle import _legacy_C_ops as old
from paddle.base.op_proto import OpProtoHolder

X = np.arange(24, dtype='float32').reshape(2, 3, 4)
Y = np.array([1, 2, 3], 'float32')


def appended(kind, inputs, attrs, output='Out'):
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            block = main.global_block()
            given = {
                name: [paddle.static.data(f'{name}{k}', v.shape, str(v.dtype))]
                for k, (name, v) in enumerate(inputs.items())
            }
            place = block.create_var(name='made')
            block.append_op(type=kind, inputs=given, outputs={output: [place]}, attrs=attrs)
        feed = {f'{name}{k}': v for k, (name, v) in enumerate(inputs.items())}
        return paddle.static.Executor().run(main, feed=feed, fetch_list=[place])[0]
    finally:
        paddle.disable_static()


def called(kind, inputs, attrs):
    made = getattr(old, kind)(
        *map(paddle.to_tensor, inputs.values()), *(x for pair in attrs.items() for x in pair)
    )
    return (made[0] if isinstance(made, tuple) else made).numpy()


CASES = {
    'elementwise_add': ({'X': X, 'Y': Y}, {'axis': 1}, X + Y[:, None]),
    'elementwise_mul': ({'X': X, 'Y': Y[:2]}, {'axis': 0}, X * Y[:2, None, None]),
    'reduce_sum': ({'X': X}, {'reduce_all': True, 'dim': [0]}, X.sum()),
    'matmul': ({'X': X, 'Y': X}, {'transpose_Y': True, 'alpha': 2.0}, 2 * X @ X.swapaxes(1, 2)),
    'flatten2': ({'X': X}, {'axis': 2}, X.reshape(6, 4)),
    'transpose': ({'X': X}, {'axis': [2, 0, 1]}, X.transpose(2, 0, 1)),
    'lookup_table': ({'W': X[0], 'Ids': np.array([[2], [0]])}, {'padding_idx': -1}, X[0][[2, 0]]),
    'l1_norm': ({'X': -X}, {}, X.sum()),
}


@pytest.mark.parametrize('kind', CASES)
def test_old_operations_by_both_ways(kind):
    inputs, attrs, want = CASES[kind]
    np.testing.assert_allclose(appended(kind, inputs, attrs), want, rtol=1e-6)
    np.testing.assert_allclose(called(kind, inputs, attrs), want, rtol=1e-6)


def test_draws_of_integers_by_their_own_seed():
    """The numbers of the published package; others than those of the generator."""
    attrs = {'shape': [2, 3], 'low': 0, 'high': 9, 'dtype': 3}
    for _ in range(2):
        assert appended('randint', {}, {**attrs, 'seed': 3}).tolist() == [[5, 1, 5], [3, 5, 3]]
    paddle.seed(1)
    assert appended('randint', {}, attrs).tolist() == [[0, 6, 6], [0, 3, 8]]


def test_messages_are_counted():
    nodes = {
        'X': np.arange(12, dtype='float32').reshape(4, 3),
        'Src_index': np.array([0, 1, 2, 0, 3]),
        'Dst_index': np.array([1, 2, 1, 0, 1]),
    }
    for rows, counts in ([], [1, 3, 1, 0]), ([3], [1, 3, 1]), ([6], [1, 3, 1, 0, 0, 0]):
        attrs = {'reduce_op': 'MEAN', 'out_size': rows or [0]}
        assert appended('graph_send_recv', nodes, attrs, 'Dst_count').tolist() == counts
    means = appended('graph_send_recv', nodes, {'reduce_op': 'MEAN', 'out_size': [3]})
    assert means.tolist() == [[0, 1, 2], [5, 6, 7], [3, 4, 5]]


@pytest.mark.parametrize('use_cvm', [True, False])
def test_shows_and_clicks_are_their_own_gradient(use_cvm):
    x = paddle.to_tensor(np.arange(8, dtype='float32').reshape(2, 4), stop_gradient=False)
    counts = np.array([[5, 1], [7, 2]], 'float32')
    out = _C_ops.cvm(x, paddle.to_tensor(counts), use_cvm)
    shows = np.log(x.numpy()[:, :1] + 1)
    logs = np.concatenate([shows, np.log(x.numpy()[:, 1:2] + 1) - shows], 1)
    np.testing.assert_allclose(
        out.numpy(), np.concatenate([logs if use_cvm else logs[:, :0], x.numpy()[:, 2:]], 1), 1e-6
    )
    weights = paddle.arange(out.size, dtype='float32').reshape(out.shape)
    (gradient,) = paddle.grad((out * weights).sum(), x)
    np.testing.assert_array_equal(
        gradient.numpy(), np.concatenate([counts, weights.numpy()[:, -2:]], 1)
    )


def test_range_takes_its_numbers_as_tensors():
    numbers = {k: np.array([v], 'float32') for k, v in (('Start', 1), ('End', 7), ('Step', 2))}
    assert appended('range', numbers, {}).tolist() == [1.0, 3.0, 5.0]


def test_what_an_operation_does_not_declare_is_refused():
    with pytest.raises(ValueError, match='expected no other inputs and attributes'):
        appended('range', {'Start': Y, 'Finish': Y}, {})
    with pytest.raises(ValueError, match='expected a known op'):
        appended('no_such_op', {'X': X}, {})
    with pytest.raises(ValueError, match='expected an axis'):
        appended('elementwise_add', {'X': X, 'Y': Y}, {'axis': 5})


def test_optimizers_write_their_parameters():
    w = paddle.ones([3])
    made = old.sgd(w, paddle.to_tensor([0.5]), paddle.ones([3]), None, w, None)
    assert w.tolist() == [0.5] * 3 and made[0].tolist() == [0.5] * 3
    m, v = paddle.zeros([3]), paddle.zeros([3])
    old.momentum(w, paddle.ones([3]), m, paddle.to_tensor([0.5]), None, w, m, None, 'mu', 0.9)
    assert w.tolist() == [0.0] * 3 and m.tolist() == [1.0] * 3
    names = 'adadelta adagrad adam adamax adamw asgd lamb momentum nadam radam rmsprop rprop sgd'
    for name in names.split():
        assert OpProtoHolder.instance().has_op_proto(name) and callable(getattr(old, name))
    assert v.sum() == 0


def test_results_that_an_operation_leaves_out_stay_what_they_are():
    x, one = paddle.to_tensor([1.0, -2.0]), paddle.ones([1])
    made = old.moving_average_abs_max_scale(
        x, one, one, x * 0, one, one, one, 'moving_rate', 0.9, 'is_test', True
    )
    assert made[0].tolist() == [1.0, -2.0] and made[1] is None and one.tolist() == [1.0]


RANDOM = (np.random.RandomState(0).randn(2, 3) * 2).astype('float32')


def one(value):
    return paddle.to_tensor(np.array([value], 'float32'))


def test_numbers_of_quantised_programs():
    x = paddle.to_tensor(RANDOM)  # 3.528105 0.800314 1.957476 4.481786 3.735116 -1.954556
    out, scale = _C_ops.fake_quantize_abs_max(x, 8, 1)
    assert out.tolist() == [[100, 23, 55], [127, 106, -55]]
    np.testing.assert_allclose(scale.numpy(), [4.481786], rtol=1e-6)
    out, scale = _C_ops.fake_channel_wise_quantize_abs_max(x, 8, 0, 1, False)
    assert out.tolist() == [[100, 27, 127], [127, 127, -127]]
    np.testing.assert_allclose(scale.numpy(), [4.481786, 3.735116, 1.957476], rtol=1e-6)
    for round_type, least in ((0, -128.0), (1, -127.0)):
        made = _C_ops.fake_quantize_moving_average_abs_max(
            x, one(1.5), one(1.0), one(2.0), 0.9, 8, True, round_type
        )
        assert made[0].tolist() == [[127, 68, 127], [127, 127, least]] and made[1] is None
        made = _C_ops.fake_quantize_range_abs_max(
            x, one(1.5), paddle.to_tensor([3]), 8, 8, False, round_type
        )
        np.testing.assert_allclose(made[1].numpy(), [4.481786], rtol=1e-6)
        assert made[2].numpy()[3] == made[1].numpy()[0]
    made = _C_ops.fake_quantize_moving_average_abs_max(x, one(1.5), one(1.0), one(2.0))
    np.testing.assert_allclose(made[1].numpy(), (0.9 + 4.481786) / 2.8, rtol=1e-6)


def test_quantised_numbers_and_back():
    x = paddle.to_tensor(RANDOM)
    whole = old.quantize_linear(x, one(3.0), one(0.0), 'quant_axis', -1, 'round_type', 0)[0]
    assert whole.tolist() == [[127, 34, 83], [127, 127, -83]]
    scales = paddle.to_tensor([1.0, 2.0])
    whole = old.quantize_linear(x, scales, scales * 0, 'quant_axis', 0, 'round_type', 1)[0]
    assert whole.tolist() == [[127, 102, 127], [127, 127, -124]]
    codes = paddle.to_tensor(np.array([[1, -5], [127, -128]], 'int8'))
    back = _C_ops.dequantize_linear(codes, one(3.0), one(0.0), None, None, -1)[0]
    np.testing.assert_allclose(back.numpy(), [[0.02362, -0.11811], [3.0, -3.02362]], rtol=1e-3)
    back = _C_ops.dequantize_abs_max(codes, one(2.0), 127.0)
    np.testing.assert_allclose(back.numpy(), codes.numpy().astype('float32') * 2 / 127, rtol=1e-6)
    table = paddle.arange(128).astype('float32')
    assert _C_ops.dequantize_log(codes, table).tolist() == [[1, -123], [127, 0]]
    back = _C_ops.fake_channel_wise_dequantize_max_abs(x, [scales, one(2.0)], [8, 8], 0, 0)
    np.testing.assert_allclose(back.numpy(), RANDOM * np.array([[1], [2]]) * 2 / 127**2, rtol=1e-6)


def test_gradients_go_through_rounding():
    x = paddle.to_tensor(RANDOM, stop_gradient=False)
    (_C_ops.fake_quantize_abs_max(x)[0] * 2).sum().backward()
    assert (x.grad.numpy() == 2).all()


with open(os.path.join(os.path.dirname(__file__), 'data', 'old_operations_3.3.1.json')) as _stream:
    RECORDED = json.load(_stream)


@pytest.mark.parametrize('name', RECORDED)
def test_operations_equal_those_of_the_published_package(name):
    compare(plain(OPERATIONS[name](Numbers())), RECORDED[name])


def compare(got, want):
    if want is None or isinstance(want, str):
        assert got == want
    elif isinstance(want, list) and want and isinstance(want[0], str):
        assert got[:2] == want[:2]
        np.testing.assert_allclose(got[2], want[2], rtol=1e-4, atol=2e-5)
    else:
        assert len(got) == len(want)
        for one, other in zip(got, want):
            compare(one, other)


def test_momentum_by_norms():
    w, v = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.2, 0.3])
    _C_ops.lars_momentum_(
        [w],
        [paddle.to_tensor([0.5, 0.1])],
        [v],
        [paddle.to_tensor([0.1])],
        None,
        0.9,
        0.001,
        [0.0005],
    )
    norm, slope = np.sqrt(5.0), np.sqrt(0.26)
    rate = 0.1 * 0.001 * norm / (slope + 0.0005 * norm)
    want = 0.9 * np.array([0.2, 0.3]) + rate * (np.array([0.5, 0.1]) + 0.0005 * np.array([1, 2]))
    np.testing.assert_allclose(v.numpy(), want, rtol=1e-5)
    np.testing.assert_allclose(w.numpy(), np.array([1, 2]) - want, rtol=1e-5)


def test_products_with_activations():
    x, w, b = paddle.ones([2, 3]), paddle.full([3, 2], -1.0), paddle.to_tensor([1.0, 4.0])
    assert _C_ops.fc(x, w, b, 1, 'relu').tolist() == [[0.0, 1.0]] * 2
    steps, last = _C_ops.fusion_repeated_fc_relu(x, [w, -w[:2]], [b, b])
    assert steps[0].tolist() == [[0.0, 1.0]] * 2 and last.tolist() == [[2.0, 5.0]] * 2
    out = _C_ops.fusion_squared_mat_sub(x, w, 0.5)[3]
    assert out.tolist() == [[3.0, 3.0]] * 2


def test_texts():
    made = paddle.base.core.eager.StringTensor(np.array([['Ab É', 'cD']]), 'texts')
    assert made.shape == [1, 2] and made.name == 'texts' and made.place.is_cpu_place()
    assert _C_ops.strings_lower(made, False).numpy().tolist() == [['ab É', 'cd']]
    assert _C_ops.strings_lower(made, True).numpy().tolist() == [['ab é', 'cd']]
    assert _C_ops.strings_upper(made, True).numpy().tolist() == [['AB É', 'CD']]
    assert _C_ops.strings_empty_like(made).numpy().tolist() == [['', '']]
    assert _C_ops.strings_empty([2]).shape == [2]
    with pytest.raises(TypeError, match='expected a StringTensor'):
        _C_ops.strings_lower(paddle.ones([1]), True)
    with pytest.raises(ValueError, match='expected an array of strs'):
        paddle.base.core.eager.StringTensor(np.ones(2))
    x = paddle.zeros([1])
    x.set_string_list(['a', 'b'])
    assert x.type == paddle.base.core.VarDesc.VarType.STRINGS
    with pytest.raises(TypeError, match='expected value to be a list of strs'):
        x.set_string_list('a')


def test_forms_in_place():
    x = paddle.to_tensor([1.2, -2.7])
    assert old.rint_(x) is x and x.tolist() == [1.0, -3.0]
    old.fill_any_(x, 'value', 2.0)
    assert x.tolist() == [2.0, 2.0]
    x = paddle.ones([2, 3, 4])
    old.flatten2_(x, 'axis', 1)
    assert x.shape == [2, 12]
    scale, total, state = one(1.0), one(1.0), one(2.0)
    made = _C_ops.fake_quantize_moving_average_abs_max_(
        paddle.to_tensor(RANDOM), scale, total, state
    )
    assert made[1] is scale and made[2] is state and made[3] is total
    np.testing.assert_allclose(scale.numpy(), (0.9 + 4.481786) / 2.8, rtol=1e-6)
    np.testing.assert_allclose([state.item(), total.item()], [2.8, 5.381786], rtol=1e-6)


def test_results_that_are_checked():
    x = paddle.to_tensor([1.0, float('nan')])
    assert _C_ops.accuracy_check(x, x, 'f', 1e-5, 1e-8, True).tolist() == [True, True]
    with pytest.raises(RuntimeError, match='equal results of f'):
        _C_ops.accuracy_check(x, x, 'f', 1e-5, 1e-8, False)


HOST = {
    'edit_distance': (
        {
            'Hyps': np.array([[1, 2, 3], [4, 5, 6]]),
            'Refs': np.array([[1, 3, 3], [4, 5, 7]]),
            'HypsLength': np.array([3, 2]),
            'RefsLength': np.array([3, 3]),
        },
        {'normalized': False},
        {'SequenceNum': [2], 'Out': [[1.0], [1.0]]},
    ),
    'ctc_align': (
        {'Input': np.array([[0, 1, 1, 0, 2], [3, 0, 3, 0, 0]])},
        {'blank': 0, 'merge_repeated': True},
        {'Output': [[1, 2, 0, 0, 0], [3, 3, 0, 0, 0]]},
    ),
    'chunk_eval': (
        {
            'Inference': np.array([[0, 1, 2, 3, 0, 1]]),
            'Label': np.array([[0, 1, 2, 2, 0, 1]]),
            'SeqLength': np.array([6]),
        },
        {'num_chunk_types': 2, 'chunk_scheme': 'IOB'},
        {'Precision': [2 / 3], 'NumInferChunks': [3], 'NumLabelChunks': [4]},
    ),
    'bipartite_match': (
        {'DistMat': np.array([[0.1, 0.9], [0.8, 0.7]], 'float32')},
        {'match_type': 'bipartite'},
        {'ColToRowMatchIndices': [[1, 0]]},
    ),
}


@pytest.mark.parametrize('kind', HOST)
def test_operations_on_labels_in_programs(kind):
    inputs, attrs, wanted = HOST[kind]
    for output, want in wanted.items():
        np.testing.assert_allclose(appended(kind, inputs, attrs, output), want, rtol=1e-6)


def test_a_scale_of_nothing_makes_zeros():
    zeros, none = paddle.zeros([2, 3]), paddle.zeros([1])
    for round_type in (0, 1):
        assert _C_ops.fake_quantize_abs_max(zeros, 8, round_type)[0].tolist() == [[0] * 3] * 2
    rows = paddle.to_tensor([[0.0, 0.0], [1.0, -2.0]])
    for dtype in ('float32', 'float16'):
        made, _ = _C_ops.fake_channel_wise_quantize_abs_max(rows.astype(dtype), 8, 1, 0, False)
        assert made.tolist() == [[0, 0], [64, -127]] and made.dtype == getattr(paddle, dtype)
    made = _C_ops.fake_quantize_moving_average_abs_max(zeros, none, none, none)
    assert made[0].tolist() == [[0] * 3] * 2
    with pytest.raises(ValueError, match="expected quant_axis 0 or 1 of x's axes, got 1"):
        _C_ops.fake_channel_wise_quantize_abs_max(none, 8, 1, 1, False)


def test_sequences_of_one_label_and_of_none():
    guess = paddle.to_tensor(np.array([[0], [0], [0]]))
    label = paddle.to_tensor(np.array([[0], [1], [0]]))
    length = paddle.to_tensor(np.array([1, 1, 1]))
    for a, b in ((guess, label), (guess.unsqueeze(2), label.unsqueeze(2))):
        made = _C_ops.chunk_eval(a, b, length, 1, 'IOB', [])
        assert [m.item() for m in made] == [1.0, 1.0, 1.0, 3, 3, 3]
    scores = paddle.zeros([2, 0, 3])
    assert _C_ops.crf_decoding(scores, paddle.ones([5, 3]), None, length[:2] * 0).shape == [2, 0]
    for x in (paddle.ones([2, 4]), paddle.ones([1, 2, 5])):
        with pytest.raises(ValueError, match='expected x .* with an even D'):
            _C_ops.add_position_encoding(x, 1.0, 1.0)


def test_a_window_of_half_an_update_is_a_whole_one_less():
    sums = [paddle.zeros([1]) for _ in range(3)]
    counts = [paddle.to_tensor([n], dtype='int64') for n in (2, 0, 6)]
    made = _C_ops.average_accumulates_(paddle.ones([1]), *sums, *counts, 0.5, 100, 1)
    assert [m.item() for m in made] == [0.0, 0.0, 1.0, 0, 3, 7]


def test_half_numbers_are_unscaled_in_single_ones():
    x = paddle.to_tensor([3.0, 6.0], dtype='float16')
    _C_ops.check_finite_and_unscale_([x], paddle.to_tensor([30000.0]))
    assert x.tolist() == np.array([1e-4, 2e-4], 'float16').tolist()


def test_numbers_to_check_may_be_none():
    made = _C_ops.check_numerics(paddle.zeros([0]), '', '', 0, -1, '')
    assert [m.tolist() for m in made] == [[0, 0, 0], [0.0, 0.0, 0.0]]
    made = _C_ops.check_numerics(paddle.to_tensor([1.0, np.nan, 3.0]), '', '', 1, -1, '')
    assert made[0].tolist() == [1, 0, 0] and made[1].tolist()[:2] == [3.0, 1.0]


def test_results_that_are_checked_are_compared_whole():
    for x in (paddle.to_tensor([1 + 2j, 0j]), paddle.ones([2, 1]), paddle.zeros([0])):
        same = _C_ops.accuracy_check(x, x, 'f')
        assert same.shape == x.shape and same.dtype == paddle.bool and bool(same.all())
    for x, y in (([1 + 2j], [1 + 3j]), ([True], [False])):
        with pytest.raises(RuntimeError, match='expected equal results of f, got .* differ by 1'):
            _C_ops.accuracy_check(paddle.to_tensor(x), paddle.to_tensor(y), 'f')
    with pytest.raises(RuntimeError, match=r'of one shape, got \[2\] and \[1\]'):
        _C_ops.accuracy_check(paddle.ones([2]), paddle.ones([1]), 'f')


LABEL = np.array([1, 0], 'float32')
WRITTEN = {  # a form in place: what follows the first argument, its gradient
    'bce_loss_': ((LABEL,), [-2.0, 2.5]),
    'sigmoid_cross_entropy_with_logits_': ((LABEL,), [-0.3775407, 0.6456563]),
    'trunc_divide_': ((LABEL + 1,), [0.0, 0.0]),
    'dropout_': ((None, 1.0, False, 'upscale_in_train'), [0.0, 0.0]),
    'identity_loss_': ((1,), [0.5, 0.5]),
    'l1_norm_': ((), [1.0, 1.0]),
}


@pytest.mark.parametrize('name', WRITTEN)
def test_forms_in_place_have_gradients(name):
    rest, want = WRITTEN[name]
    rest = [paddle.to_tensor(v) if isinstance(v, np.ndarray) else v for v in rest]
    x = paddle.to_tensor([0.5, 0.6], stop_gradient=False)
    y = x * 1.0
    made = getattr(_C_ops, name)(y, *rest)
    assert made is y
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), want, rtol=1e-6)
    with pytest.raises(ValueError, match='got a leaf tensor that needs gradients'):
        getattr(_C_ops, name)(x, *rest)


def test_forms_in_place_take_their_seeds_and_write_what_they_make():
    x = paddle.arange(1, 65).astype('float32')
    first, again = (
        _C_ops.dropout_(x.clone(), None, 0.5, False, 'upscale_in_train', 7, True) for _ in range(2)
    )
    assert first.tolist() == again.tolist() and 0 < (first == 0).sum() < 64
    x = paddle.to_tensor([[0.5, 0.6]])
    label = paddle.to_tensor(np.array([[1]]))
    softmax, loss = _C_ops.cross_entropy_with_softmax_(x, label, False, True, True, -100, -1)
    np.testing.assert_allclose(x.numpy(), [[0.4750208, 0.5249792]], rtol=1e-6)
    assert softmax is x and abs(loss.item() - 0.6443967) < 1e-6


def test_activations_that_fc_does_not_have_are_refused():
    x, w = paddle.ones([1, 2]), paddle.ones([2, 2])
    with pytest.raises(ValueError, match="expected activation_type '' or 'relu', got 'sigmoid'"):
        _C_ops.fc(x, w, None, 1, 'sigmoid')


def test_windows_of_channels_have_a_limit():
    with pytest.raises(ValueError, match='expected n from 1 to 5'):
        old.lrn(paddle.ones([1, 2, 1, 1]), 'n', 1 << 40)


def test_activations_are_known():
    x, h, w = paddle.ones([1, 3]), paddle.ones([1, 1]), paddle.ones([1, 3])
    for which in (4, -1, 'sinh'):
        with pytest.raises(ValueError, match='expected one of identity, sigmoid, tanh, relu'):
            _C_ops.gru_unit(x, h, w, None, which, 1, False)
    assert _C_ops.fused_elementwise_add(h, h, -1, 'tanh').item() == pytest.approx(np.tanh(2.0))
    with pytest.raises(ValueError, match='expected fuse_activation'):
        _C_ops.fused_elementwise_mul(h, h, -1, 'load')


def test_steps_that_a_program_does_not_know():
    x = np.arange(8, dtype='float32').reshape(1, 2, 4)
    want = _C_ops.add_position_encoding(paddle.to_tensor(x), 1.0, 2.0).numpy()
    scores = np.random.RandomState(0).randn(2, 4, 3).astype('float32')
    moves = np.random.RandomState(1).randn(5, 3).astype('float32')
    path = _C_ops.crf_decoding(paddle.to_tensor(scores), paddle.to_tensor(moves)).numpy()
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            out = _C_ops.add_position_encoding(
                paddle.static.data('x', [-1, -1, 4], 'float32'), 1.0, 2.0
            )
            labels = _C_ops.crf_decoding(
                paddle.static.data('scores', [-1, -1, 3], 'float32'),
                paddle.static.data('moves', [5, 3], 'float32'),
            )
        feed = {'x': x, 'scores': scores, 'moves': moves}
        made, found = paddle.static.Executor().run(main, feed=feed, fetch_list=[out, labels])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(made, want, rtol=1e-6)
    np.testing.assert_array_equal(found, path)
