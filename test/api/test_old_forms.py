# SPDX-License-Identifier: Apache-2.0
"""How old operations are called: attributes that are left out, places of results, variables before
they have a value; and names that PaddlePaddle's own code uses of tensors.
"""

import numpy as np
import pytest

import paddle
from paddle import _C_ops
from paddle import _legacy_C_ops as old

X = np.arange(6, dtype='float32').reshape(2, 3) - 2


@pytest.fixture
def block():
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        yield main.global_block()
    paddle.disable_static()


def appended(block, kind, inputs, attrs=None, output='Out'):
    given = {}
    for name, value in inputs.items():
        given[name] = [block.create_var(name=name, shape=value.shape, dtype=str(value.dtype))]
    made = block.create_var(name='made')
    block.append_op(type=kind, inputs=given, outputs={output: [made]}, attrs=attrs or {})
    return paddle.static.Executor().run(block.program, feed=inputs, fetch_list=[made])[0]


def test_attributes_that_are_left_out_have_the_declared_value(block):
    assert appended(block, 'reduce_prod', {'X': X}).tolist() == X.prod(0).tolist()
    with pytest.raises(ValueError, match='the attribute ksize'):
        appended(block, 'pool2d', {'X': X.reshape(1, 1, 2, 3)}, {'pooling_type': 'max'})
    # What is declared, and equals its default, is no unknown attribute.
    image = X.reshape(1, 1, 2, 3)
    attrs = {'ksize': [1, 1], 'strides': [1, 1], 'pooling_type': 'max', 'use_cudnn': False}
    assert appended(block, 'pool2d', {'X': image}, attrs).shape == (1, 1, 2, 3)


def test_variables_tell_whether_gradients_end(block):
    x, made = (block.create_var(name=n, shape=[2, 3], dtype='float32') for n in 'xy')
    assert not x.stop_gradient
    block.append_op(type='square', inputs={'X': [x]}, outputs={'Out': [made]})
    (grad,) = paddle.static.gradients([made], [x])
    run = paddle.static.Executor().run
    np.testing.assert_allclose(run(block.program, feed={'x': X}, fetch_list=[grad])[0], 2 * X)
    ended = block.create_var(name='ended', stop_gradient=True)
    block.append_op(type='square', inputs={'X': [x]}, outputs={'Out': [ended]})
    assert ended.stop_gradient and paddle.static.gradients([ended], [x]) == [None]


def test_results_without_numpy_are_dense_tensors(block):
    x = paddle.static.data('x', [2, 3])
    run = paddle.static.Executor().run
    (made,) = run(block.program, feed={'x': X}, fetch_list=[x + 1], return_numpy=False)
    assert isinstance(made, paddle.base.core.DenseTensor)
    assert (
        made.shape() == [2, 3] and made.lod() == [] and np.array(made).tolist() == (X + 1).tolist()
    )


def test_results_have_places_in_the_forms_of_the_published_package():
    param, grad = paddle.to_tensor(X), paddle.to_tensor(X * 0 + 1)
    velocity, rate = paddle.zeros([2, 3]), paddle.to_tensor([0.5])
    old.momentum(param, grad, velocity, rate, None, param, velocity, None, 'mu', 0.9)
    assert param.tolist() == (X - 0.5).tolist() and velocity.tolist() == [[1] * 3] * 2
    place = paddle.zeros([1])
    made = old.concat([grad, grad], place, 'axis', 1)
    assert made is place and place.shape == [2, 6]
    assert old.softmax(grad).sum(-1).tolist() == pytest.approx([1, 1])
    made, _ = old.reshape2(grad, None, 'shape', [6])
    assert made.shape == [6]
    bounds = 'axes', [1], 'starts', [1], 'ends', [3]
    assert old.slice(grad, None, None, None, None, *bounds).shape == [2, 2]
    with pytest.raises(ValueError, match='unknown'):
        old.scale(grad, 'unknown', 1)


def test_scales_that_are_given_are_read():
    """An old program that does not train has the scales of its weights."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main):
            block = main.global_block()
            x, scale = (
                block.create_var(name=n, shape=s, dtype='float32')
                for n, s in (('x', [2, 3]), ('s', [2]))
            )
            made = block.create_var(name='made')
            block.append_op(
                type='fake_channel_wise_quantize_abs_max',
                inputs={'X': [x]},
                outputs={'Out': [made], 'OutScale': [scale]},
                attrs={'is_test': True},
            )
        feed = {'x': X, 's': np.array([2, 6], 'float32')}
        got = paddle.static.Executor().run(main, feed=feed, fetch_list=[made])[0]
    finally:
        paddle.disable_static()
    assert got.tolist() == [[-127, -64, 0], [21, 42, 64]]
    with pytest.raises(RuntimeError, match='no scales are given'):
        _C_ops.fake_channel_wise_quantize_abs_max(paddle.to_tensor(X), 8, 1, 0, True)


def test_whole_numbers_reach_qmax():
    """Values of the published package: bit_length, qmin and zero_point have no part in it."""
    x = paddle.to_tensor([[0.3, -1.2, 0.7, 0.01, -0.26, -0.25]])
    scale, zero = paddle.to_tensor([0.5]), paddle.to_tensor([3.0])
    rest = None, None, -1, 4, -10
    made = _C_ops.quantize_linear(x, scale, zero, *rest, 20, 0)[0]
    assert made.tolist() == [[12, -21, 20, 0, -10, -10]]
    made = _C_ops.quantize_linear(x, scale, zero, *rest, 20, 1)[0]
    assert made.tolist() == [[12, -20, 20, 0, -10, -10]]
    back = _C_ops.dequantize_linear(made, scale, zero, *rest, 20, 0)[0]
    assert back[0].tolist() == pytest.approx([0.3, -0.5, 0.5, 0, -0.25, -0.25])
    with pytest.raises(ValueError, match='qmax of at least 1'):
        _C_ops.quantize_linear(x, scale, zero, None, None, -1, 8, -128, 0)
    # One bit has no step: whole numbers are 0, and stand for nothing.
    assert not _C_ops.fake_quantize_abs_max(x, 1)[0].any()
    with pytest.raises(ValueError, match='bit_length from 2 to 16'):
        _C_ops.fake_quantize_dequantize_abs_max(x, 1)


def test_places_are_where_results_are():
    x = paddle.ones([2])
    for made in (
        _C_ops.ones_like(x, None, paddle.CPUPlace()),
        _C_ops.empty_like(x, None, 'cpu'),
        _C_ops.zeros_like(x, 'int32', paddle.CPUPlace()),
    ):
        assert made.place.is_cpu_place() and made.shape == [2]
    with pytest.raises((TypeError, ValueError)):
        _C_ops.zeros_like(x, None, 'nowhere')


def test_operators_call_no_replaced_operation(monkeypatch):
    """As in PaddlePaddle, whose operators of tensors are of its core."""
    seen = []
    matmul = _C_ops.matmul
    monkeypatch.setattr(_C_ops, 'matmul', lambda *args: seen.append(1) or matmul(*args))
    x = paddle.ones([2, 2])
    assert (x @ x).tolist() == [[2, 2], [2, 2]] and not seen
    assert paddle.matmul(x, x).tolist() == [[2, 2], [2, 2]] and seen


def test_names_of_tensors_that_few_programs_use():
    x = paddle.to_tensor(X)
    assert x._getitem_dygraph(1).tolist() == X[1].tolist()
    x._setitem_dygraph(0, 5.0)
    assert x[0].tolist() == [5, 5, 5]
    assert x._getitem_from_offset(4) == X[1, 1] and x._getitem_from_offset(1, 1) == X[1, 1]
    assert x._getitem_from_offset(4).dtype == np.float32
    with pytest.raises(ValueError, match='the place of an element'):
        x._getitem_from_offset(6)
    with pytest.raises(ValueError, match='the place of an element'):
        x._getitem_from_offset()
    assert paddle.to_tensor(3.7).__long__() == 3 and not paddle.to_tensor([0]).__nonzero__()
    assert x.__rdiv__(10.0)[0].tolist() == [2, 2, 2]
    y = paddle.zeros([2])
    y._inplace_assign(x)
    assert y.shape == [2, 3] and not y._is_shared_buffer_with(x)
    y.stop_gradient = False
    shared = y._new_shared_tensor()
    assert shared._is_shared_buffer_with(y) and not shared.stop_gradient
    assert y._grad_name() == ''
    y._copy_gradient_from(x)
    assert y.grad.tolist() == x.tolist() and not y.grad._is_shared_buffer_with(x)


def test_variables_have_sequences(block):
    """Rows that are declared so have the offsets of what is fed."""
    x = block.create_var(name='x', shape=[5, 2], dtype='float32', lod_level=1)
    made = block.create_var(name='made')
    block.append_op(
        type='sequence_pool', inputs={'X': [x]}, outputs={'Out': [made]}, attrs={'pooltype': 'SUM'}
    )
    rows = paddle.base.create_lod_tensor(np.ones([5, 2], 'float32'), [[2, 3]])
    got = paddle.static.Executor().run(block.program, feed={'x': rows}, fetch_list=[made])[0]
    assert got.tolist() == [[2, 2], [3, 3]]


def test_random_numbers_have_a_diagonal():
    rest = 0.0, 1.0, 5
    plain = _C_ops.uniform_random_batch_size_like(paddle.ones([3, 2]), [-1, 3], 0, 0, *rest)
    made = _C_ops.uniform_random_batch_size_like(
        paddle.ones([3, 2]), [-1, 3], 0, 0, *rest, 2, 1, 9.0
    )
    want = plain.numpy()
    want[0, 0] = want[0, 2] = 9
    np.testing.assert_array_equal(made.numpy(), want)
    with pytest.raises(ValueError, match='diag_num elements'):
        _C_ops.uniform_random_batch_size_like(paddle.ones([1, 2]), [-1, 3], 0, 0, *rest, 3, 1)


def test_gradients_of_entropies_of_shares():
    """Values of the published package: what is given are shares, not scores."""
    shares = paddle.to_tensor([[0.2, 0.3, 0.5], [0.1, 0.7, 0.2]])
    label, grad = paddle.to_tensor([[1], [2]]), paddle.to_tensor([[1.0], [2.0]])
    made = _C_ops.cross_entropy_with_softmax_grad(label, shares, grad, False, False, True, -100, -1)
    np.testing.assert_allclose(made.numpy(), [[0, -10 / 3, 0], [0, 0, -10]], rtol=1e-6)
    made = _C_ops.cross_entropy_with_softmax_grad(shares, shares, grad, True, False, True, -100, -1)
    assert made.tolist() == [[-1] * 3, [-2] * 3]


def test_a_nan_is_no_distance():
    """Values of the published package."""
    far = paddle.to_tensor([[np.nan, np.nan, 0.1], [0.3, 0.9, np.nan]])
    match, distance = _C_ops.bipartite_match(far, 'per_prediction', 0.1)
    assert match.tolist() == [[1, 1, 0]]
    np.testing.assert_allclose(distance.numpy(), [[0.3, 0.9, 0.1]], rtol=1e-6)


def test_quantized_values_with_a_shift_are_unsigned():
    """Values of the published package."""
    x = paddle.to_tensor([-1.5, 0.5, 2.5])
    for shift, dtype, want in ((1.0, paddle.uint8, [0, 2, 6]), (0.0, paddle.int8, [-3, 1, 5])):
        made = old.quantize(x, 'Scale', 2.0, 'Shift', shift, 'is_negative_input', True)
        assert made.dtype == dtype and made.tolist() == want


@pytest.mark.parametrize('sampler', [0, 1])
def test_noise_of_nce(sampler):
    """Chances are those of the published package, where each row has samples of its own, a seed
    draws the same in each run and log-uniform samples leave out the last class.
    """
    classes, count, steps = 4, 64, np.arange(4)
    chance = np.full(4, 0.25) if sampler == 0 else np.log((steps + 2) / (steps + 1)) / np.log(4)
    x, label, weight = paddle.ones([2, 3]), paddle.to_tensor([[3], [0]]), paddle.ones([4, 3]) / 9
    words = {'num_total_classes': classes, 'num_neg_samples': count, 'sampler': sampler, 'seed': 5}
    attrs = [word for pair in words.items() for word in pair]
    cost, found, which = old.nce(x, label, weight, None, None, None, None, None, *attrs)
    assert which[:, 0].tolist() == [3, 0]
    assert np.unique(which[:, 1:].numpy()).tolist() == ([0, 1, 2, 3] if sampler == 0 else [0, 1, 2])
    assert which[0, 1:].tolist() != which[1, 1:].tolist()
    again = old.nce(x, label, weight, None, None, None, None, None, *attrs)[2]
    assert again.tolist() == which.tolist()
    noise, share = count * chance[which.numpy()], found.numpy()
    part = np.where(np.arange(count + 1) == 0, share, noise) / (share + noise)
    np.testing.assert_allclose(cost.numpy()[:, 0], -np.log(part).sum(1), rtol=1e-5)


def _of_free_rows(block, kind, inputs, attrs, outputs, fixed=()):
    """Results of an operation on variables of so many rows as are fed."""
    shapes = {k: v.shape if k in fixed else [-1, *v.shape[1:]] for k, v in inputs.items()}
    given = {
        name: [block.create_var(name=f'{kind}_{name}', shape=shapes[name], dtype=str(v.dtype))]
        for name, v in inputs.items()
    }
    made = [block.create_var(name=f'{kind}_made_{name}') for name in outputs]
    places = {name: [place] for name, place in zip(outputs, made)}
    block.append_op(type=kind, inputs=given, outputs=places, attrs=attrs)
    feed = {f'{kind}_{name}': v for name, v in inputs.items()}
    return paddle.static.Executor().run(block.program, feed=feed, fetch_list=made)


def test_rows_may_be_as_many_as_are_fed(block):
    label = np.array([[1], [0], [0]])
    inputs = {'Out': np.ones([3, 1], 'float32'), 'Indices': label[::-1].copy(), 'Label': label}
    made = _of_free_rows(block, 'accuracy', inputs, {}, ['Accuracy', 'Correct', 'Total'])
    assert [m.item() for m in made] == [pytest.approx(1 / 3), 1, 3]


def test_medians_of_free_rows(block):
    """Values of the published package."""
    made = _of_free_rows(block, 'median', {'x': X}, {'axis': [1]}, ['out', 'medians'])
    assert [m.tolist() for m in made] == [[[-1], [2]], [[[1, 1]], [[1, 1]]]]


def test_random_numbers_of_free_rows(block):
    attrs = {'shape': [-1, 4], 'min': 2.0, 'max': 3.0}
    (made,) = _of_free_rows(block, 'uniform_random_batch_size_like', {'Input': X}, attrs, ['Out'])
    assert made.shape == (2, 4) and 2 <= made.min() <= made.max() < 3


def test_free_rows_in_another_order(block):
    inputs = {'X': X, 'Seed': np.array([1])}
    out, index = _of_free_rows(block, 'shuffle_batch', inputs, {}, ['Out', 'ShuffleIdx'])
    assert sorted(index.tolist()) == [0, 1] and out.tolist() == X[index].tolist()


def test_noise_of_free_rows(block):
    inputs = {'Input': X, 'Label': np.array([[1], [0]]), 'Weight': np.ones([2, 3], 'float32')}
    attrs = {'num_total_classes': 2, 'num_neg_samples': 3}
    cost, labels = _of_free_rows(
        block, 'nce', inputs, attrs, ['Cost', 'SampleLabels'], fixed=['Weight']
    )
    assert cost.shape == (2, 1) and labels[:, 0].tolist() == [1, 0] and labels.shape == (2, 4)


def test_anchors_of_maps_of_free_extents(block):
    """Anchors around the cells of a map whose height and width are fed."""
    x = block.create_var(name='x', shape=[-1, 2, -1, -1], dtype='float32')
    made = block.create_var(name='made')
    attrs = {'anchor_sizes': [16.0], 'aspect_ratios': [1.0], 'variances': [0.1, 0.1, 0.2, 0.2]}
    block.append_op(
        type='anchor_generator',
        inputs={'Input': [x]},
        outputs={'Anchors': [made]},
        attrs={**attrs, 'stride': [16.0, 16.0], 'offset': 0.5},
    )
    feed = {'x': np.zeros([1, 2, 2, 3], 'float32')}
    got = paddle.static.Executor().run(block.program, feed=feed, fetch_list=[made])[0]
    assert got.shape == (2, 3, 1, 4)
    paddle.disable_static()
    whole = _C_ops.anchor_generator(paddle.zeros([1, 2, 2, 3]), *attrs.values())[0]
    np.testing.assert_array_equal(got, whole.numpy())


@pytest.mark.parametrize('scale, kept', [(1.0, [0.75, 0.5]), (2.0, [0.5])])
def test_proposals_are_measured_before_pictures_were_scaled(scale, kept):
    """Values of the published package."""
    anchors = paddle.to_tensor([[0.0, 0, 3, 9], [10, 10, 19, 19]]).reshape([1, 1, 2, 4])
    scores, deltas = paddle.to_tensor([0.75, 0.5]).reshape([1, 2, 1, 1]), paddle.zeros([1, 8, 1, 1])
    words = {'pre_nms_topN': 2, 'post_nms_topN': 2, 'nms_thresh': 0.5, 'min_size': 4.0, 'eta': 1.0}
    info = paddle.to_tensor([[30.0, 30, scale]])
    attrs = [word for pair in words.items() for word in pair]
    made = old.generate_proposals(scores, deltas, info, anchors, paddle.ones([1, 1, 2, 4]), *attrs)
    assert made[1].flatten().tolist() == kept
    assert made[0].tolist() == [[0, 0, 3, 9], [10, 10, 19, 19]][2 - len(kept) :]


@pytest.mark.parametrize('steps', [1, 2, 5])
def test_rows_of_free_lengths_with_those_behind(block, steps):
    """`row_conv` over as many steps as are fed, more or fewer than its filter has."""
    x = block.create_var(name='x', shape=[-1, -1, 2], dtype='float32')
    weight = block.create_var(name='weight', shape=[3, 2], dtype='float32')
    made = block.create_var(name='made')
    given = {'X': [x], 'Filter': [weight]}
    block.append_op(type='row_conv', inputs=given, outputs={'Out': [made]}, attrs={})
    rows = np.arange(4.0 * steps, dtype='float32').reshape(2, steps, 2)
    kernel = np.arange(6, dtype='float32').reshape(3, 2)
    feed = {'x': rows, 'weight': kernel}
    got = paddle.static.Executor().run(block.program, feed=feed, fetch_list=[made])[0]
    want = np.zeros_like(rows)
    for k in range(min(3, steps)):
        want[:, : steps - k] += rows[:, k:] * kernel[k]
    np.testing.assert_allclose(got, want)


def test_lengths_are_integers():
    labels, half = paddle.to_tensor([[1, 2]]), paddle.to_tensor([1.5])
    for call in (
        lambda: _C_ops.edit_distance(labels, labels, half, None, False),
        lambda: _C_ops.ctc_align(labels, half, 0, True, 0),
        lambda: _C_ops.chunk_eval(labels, labels, half, 2, 'IOB', []),
        lambda: _C_ops.crf_decoding(paddle.ones([1, 2, 3]), paddle.ones([5, 3]), None, half),
    ):
        with pytest.raises(TypeError, match='expected lengths of integers, got float32'):
            call()


def test_values_between_fused_operations_have_the_shape_of_their_operand():
    """Values of the published package."""
    x, y = paddle.to_tensor(X), paddle.to_tensor([1.0, 2])
    words = 'functor_list', ['elementwise_add', 'relu'], 'axis', 0, 'save_intermediate_out', True
    out, between = old.fused_elemwise_activation(x, y, *words)
    assert out.tolist() == [[-1, 0, 1], [3, 4, 5]] and between.tolist() == [1, 2]
