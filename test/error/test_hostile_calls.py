# SPDX-License-Identifier: Apache-2.0
"""Finds of test/fuzz/calls.py: calls that hung, took all memory or gave wrong numbers, one test a
cause.
"""

import copy
import inspect
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import paddle
from sanitizers import SANITIZER
from static_program import static_program

TESTS = str(pathlib.Path(__file__).parents[1])


def test_gcd_of_what_is_not_finite_is_nan():
    x = paddle.to_tensor([4.0, float('inf'), float('nan'), 9.0, 1e38])
    y = paddle.to_tensor([6.0, 2.0, 3.0, float('-inf'), 3e38])
    got = paddle.gcd(x, y).numpy()
    assert got[0] == 2 and np.isnan(got[1:4]).all() and np.isfinite(got[4])
    assert np.isnan(paddle.lcm(x, y).numpy()[1:4]).all()


@pytest.mark.parametrize('n', [3, 100, 2**31, 2**62])
def test_diff_ends_when_nothing_is_left(n):
    assert list(paddle.diff(paddle.ones([2, 3]), n).shape) == [2, 0]
    assert list(paddle.jit.to_static(lambda x: paddle.diff(x, n))(paddle.ones([2, 3])).shape) == [
        2,
        0,
    ]


@pytest.mark.parametrize('shape', [[0], [2, 0]])
@pytest.mark.parametrize('replacement', [True, False])
def test_multinomial_of_no_probabilities_is_refused(shape, replacement):
    with pytest.raises(ValueError, match='multinomial'):
        paddle.multinomial(paddle.zeros(shape), 1, replacement)
    assert list(paddle.multinomial(paddle.zeros([0, 3]), 1, True).shape) == [0, 1]


@pytest.mark.parametrize('parts', [2**31, 2**63 - 1, 2**64 + 1, 10**400])
def test_a_list_of_too_many_parts_is_refused(parts):
    x = paddle.ones([4, 4, 4])
    for split in (paddle.tensor_split, paddle.hsplit, paddle.vsplit, paddle.dsplit):
        with pytest.raises(ValueError, match='parts'):
            split(x, parts)


@pytest.mark.parametrize('n', [1, 2, 5, 8])
def test_frequencies(n):
    np.testing.assert_allclose(
        paddle.fft.fftfreq(n, 0.5).numpy(), np.fft.fftfreq(n, 0.5), rtol=1e-6
    )
    np.testing.assert_allclose(
        paddle.fft.rfftfreq(n, 0.5).numpy(), np.fft.rfftfreq(n, 0.5), rtol=1e-6
    )


def test_frequencies_of_too_many_values_name_the_memory():
    for make in (paddle.fft.fftfreq, paddle.fft.rfftfreq):
        with pytest.raises((MemoryError, ValueError), match='expected'):
            make(2**60)


@pytest.mark.parametrize(
    'use, grad',
    [
        (lambda v: v[1].sum(), [0, 1, 1, 0]),
        (lambda v: v[0].sum() + v[1].sum(), [1, 2, 1, 0]),
        (lambda v: paddle.stack([v[0], v[1]]).sum(), [1, 2, 1, 0]),
        (
            lambda v: (v.transpose([1, 0]) * paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).sum(),
            [1, 5, 4, 0],
        ),
        (lambda v: (v[:, ::-1] * paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])).sum(), [2, 5, 3, 0]),
    ],
)
def test_gradient_through_a_view_of_a_view_that_overlaps(use, grad):
    leaf = paddle.ones([4])
    leaf.stop_gradient = False
    use(leaf.as_strided([2, 2], [1, 1])).backward()
    np.testing.assert_allclose(leaf.grad.numpy(), grad)


def test_every_operation_has_a_signature():
    for name in dir(paddle._C_ops):
        call = getattr(paddle._C_ops, name)
        if not name.startswith('_') and type(call).__name__ not in ('function', 'module'):
            assert inspect.signature(call) is not None


def test_recorded_numbers_of_a_list_argument_are_refused():
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        try:
            x = paddle.static.data('x', [1, 1, 4], 'float32')
            scale = paddle.static.data('scale', [1], 'float32')
            with pytest.raises(TypeError, match='to be known while recording'):
                paddle._C_ops.linear_interp(x, scale=scale)
        finally:
            paddle.disable_static()


@pytest.mark.parametrize(
    'cut',
    [
        lambda x: paddle.slice(x, [0], [0], [1]),
        lambda x: paddle.slice(x, [0], [1], [3]),
        lambda x: paddle.strided_slice(x, [0], [0], [1], [1]),
        lambda x: paddle.split(x, 1),
        lambda x: paddle.split(x, [1]),
        paddle.unbind,
        paddle.unstack,
        lambda x: paddle.concat([x, x]),
        lambda x: paddle.chunk(x, 1),
    ],
    ids='slice slice_far strided_slice split sections unbind unstack concat chunk'.split(),
)
def test_a_0d_tensor_has_no_extent_to_cut(cut):
    x = paddle.to_tensor(1.5)
    x.stop_gradient = False
    with pytest.raises(ValueError, match='at least one axis'):
        cut(x)


@pytest.mark.parametrize('nd', [1, 2, 3])
@pytest.mark.parametrize('dtype', ['int16', 'float64', 'float16'])
def test_filters_of_another_dtype_are_refused(nd, dtype):
    x, w = paddle.ones([1, 2] + [4] * nd), paddle.ones([2, 2] + [3] * nd).astype(dtype)
    for call in (f'conv{nd}d', f'conv{nd}d_transpose'):
        with pytest.raises(ValueError, match='of one dtype'):
            getattr(paddle.nn.functional, call)(x, w)


@pytest.mark.parametrize('size', [0, -1, 5, 2**31, 2**63, 10**30])
def test_fractional_pooling_to_more_than_there_is_is_refused(size):
    for n, pool in (
        (2, paddle.nn.functional.fractional_max_pool2d),
        (3, paddle.nn.functional.fractional_max_pool3d),
    ):
        with pytest.raises((ValueError, TypeError), match='output_size|expected'):
            pool(paddle.ones([1, 2] + [4] * n), size, random_u=0.5)


class Sized:
    """Says it has `size` items; what makes room for them first takes all memory."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        raise IndexError(i)


@pytest.mark.parametrize(
    'make',
    [
        lambda v: paddle.distribution.Normal(v, 1.0),
        lambda v: paddle.distribution.Cauchy(v, 1.5),
        lambda v: paddle.distribution.Binomial(4, v),
        lambda v: paddle.distribution.Gamma([1.0], v),
        lambda v: paddle.distribution.StudentT(v, 1.0, 1.0),
        lambda v: paddle.distribution.Gumbel(v, 1.0),
    ],
)
def test_parameters_of_a_distribution_are_numbers_lists_arrays_or_tensors(make):
    with pytest.raises(TypeError):
        make(Sized(2**62))


def test_thresholds_of_matrix_nms_are_numbers():
    boxes, scores = paddle.to_tensor([[[0.0, 0.0, 2.0, 2.0]]]), paddle.ones([1, 2, 1])
    for thresholds in ((Sized(2**62), 0.1), (0.1, Sized(2**62))):
        with pytest.raises(TypeError):
            paddle.vision.ops.matrix_nms(boxes, scores, *thresholds, 2, -1)


@pytest.mark.parametrize('p', [2**31, 2**62])
def test_multigammaln_of_too_many_terms_is_refused(p):
    with pytest.raises(ValueError, match='multigammaln'):
        paddle.multigammaln(paddle.ones([2]), p)


@pytest.mark.parametrize('p', [1, 2, 5])
def test_multigammaln(p):
    x = paddle.to_tensor([3.5, 9.0], dtype='float64', stop_gradient=False)
    got = paddle.multigammaln(x, p)
    expected = sum(paddle.lgamma(x - i / 2.0) for i in range(p)) + p * (p - 1) / 4.0 * np.log(np.pi)
    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-12)
    grads = [paddle.grad(y.sum(), x)[0].numpy() for y in (got, expected)]
    np.testing.assert_allclose(*grads, rtol=1e-12)


@pytest.mark.parametrize(
    'least, most', [(2, 2**63), (2, 2**31 - 1), (2, 102), (2, 2), (5, 2), (0, 3), (-(2**31), 5)]
)
def test_levels_of_proposals_are_checked(least, most):
    with pytest.raises(AssertionError, match='distribute_fpn_proposals'):
        paddle.vision.ops.distribute_fpn_proposals(paddle.ones([3, 4]), least, most, 4, 224)


@pytest.mark.parametrize('scale', [0, -4])
def test_proposals_without_a_finite_level_go_to_the_first(scale):
    rois = paddle.to_tensor(
        [[0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 500.0, 500.0]]
    )
    parts, restore, counts = paddle.vision.ops.distribute_fpn_proposals(
        rois, 2, 5, 4, scale, rois_num=paddle.to_tensor([3], dtype='int32')
    )
    assert [len(p) for p in parts] == [3, 0, 0, 0] and restore.flatten().tolist() == [0, 1, 2]


@pytest.mark.parametrize('n, r', [(3, 2**32), (3, 2**40), (3, 4), (0, 2)])
def test_no_combinations_of_too_many(n, r):
    assert list(paddle.combinations(paddle.ones([n]), r).shape) == [0, r]


@pytest.mark.parametrize(
    'n, r, replacement',
    [
        (3, 2**32, True),
        (1, 2**62, True),
        (50, 25, False),
        (50, 25, True),
        (10**6, 5 * 10**5, False),
    ],
)
def test_combinations_of_too_many_elements_are_refused(n, r, replacement):
    with pytest.raises(ValueError, match='combinations'):
        paddle.combinations(paddle.ones([n]), r, replacement)


@pytest.mark.parametrize('axes', [3, 2**31 - 1, 2**62])
def test_tensordot_over_more_axes_than_there_are_is_refused(axes):
    with pytest.raises(ValueError, match='tensordot'):
        paddle.tensordot(paddle.ones([2, 3]), paddle.ones([3, 2]), axes)


def test_count_of_cpu_places():
    assert len(paddle.static.cpu_places(3)) == 3 and paddle.static.cpu_places(0) == []
    with pytest.raises(ValueError, match='cpu_places'):
        paddle.static.cpu_places(2**31 - 1)


@pytest.mark.parametrize('value', [2**63, -(2**63) - 1, 2**64])
def test_integers_beyond_int64_fill_no_integers(value):
    for make in (
        lambda: paddle.full([1], value, 'int64'),
        lambda: paddle.full_like(paddle.ones([1], 'int32'), value),
    ):
        with pytest.raises(OverflowError, match='fits in int64'):
            make()
    assert paddle.full([1], value, 'float64').item() == float(value)


def test_tensors_without_a_dtype_are_refused():
    one = paddle.ones([1])
    for make in (
        lambda: paddle._C_ops.randperm(4, None),
        lambda: paddle._C_ops.arange(one, one, one, None),
        lambda: paddle._C_ops.view_dtype(one, None),
    ):
        with pytest.raises(TypeError, match='expected a dtype'):
            make()


def test_shapes_of_a_distribution_are_lists_or_tuples():
    for shapes in ({'batch_shape': Sized(2**62)}, {'event_shape': Sized(2**62)}):
        with pytest.raises(TypeError, match='expected a list or tuple'):
            paddle.distribution.ExponentialFamily(**shapes)


@pytest.mark.parametrize('name', ['add', 'subtract', 'add_', 'subtract_'])
def test_a_factor_beyond_int64_is_a_number(name):
    sign = 1 if name.startswith('add') else -1
    assert (
        getattr(paddle, name)(paddle.zeros([2]), paddle.ones([2]), alpha=2**64).tolist()
        == [sign * 2.0**64] * 2
    )


@pytest.mark.parametrize(
    'call',
    [
        lambda v: paddle.ones([2, 3]).moveaxis(1, v),
        paddle.hstack,
        paddle.vstack,
        paddle.nn.ParameterList,
        lambda v: paddle.nn.functional.layer_norm(paddle.ones([2, 3]), v),
        lambda v: paddle.fft.fftshift(paddle.ones([4]), v),
        lambda v: paddle.quantile(paddle.ones([3]), v),
        lambda v: paddle.tensordot(paddle.ones([2, 2]), paddle.ones([2, 2]), [v, v]),
        lambda v: paddle.nn.utils.clip_grad_norm_(v, 1.0),
        lambda v: paddle.io.ConcatDataset(v),
        lambda v: paddle.unflatten(paddle.ones([6]), 0, v),
        lambda v: paddle.broadcast_shape([2], v),
        lambda v: paddle.slice(paddle.ones([4]), v, [0], [1]),
        lambda v: paddle.vision.ops.nms(paddle.ones([2, 4]), v),
        lambda v: paddle.histogramdd(paddle.ones([3, 2]), ranges=v),
        lambda v: paddle.vision.transforms.adjust_contrast(np.zeros([2, 2, 3], 'uint8'), v),
        lambda v: paddle.audio.functional.create_dct(v, 8),
        lambda v: paddle.audio.functional.create_dct(4, v),
        paddle.assign,
        paddle.audio.functional.hz_to_mel,
        lambda v: paddle.io.WeightedRandomSampler(v, 2),
    ],
    ids=str,
)
def test_a_length_that_is_claimed_is_not_believed(call):
    for claimed in (Sized(2**62), Sized(-1)):
        try:
            call(claimed)
        except MemoryError as error:
            assert 'expected' in str(error)
        except (TypeError, ValueError, IndexError, AssertionError):
            pass


def test_padding_of_a_block_with_dilations_is_a_number_for_each_axis():
    x = paddle.ones([1, 1, 9, 9])
    for kernel, dilation in ((5, [2, 1]), ([3, 5], 2), (7, (1, 2)), (3, 1)):
        block = paddle.vision.ops.ConvNormActivation(1, 2, kernel, dilation=dilation)
        assert list(block(x).shape) == [1, 2, 9, 9]


@pytest.mark.parametrize('name', ['switch_main_program', 'switch_startup_program'])
def test_only_programs_are_switched_to(name):
    with pytest.raises(TypeError, match=f'{name}.*Program'):
        getattr(paddle.base.framework, name)(paddle.ones([1]))


def test_a_generator_of_names_is_callable():
    with pytest.raises(TypeError, match='new_generator'):
        paddle.utils.unique_name.switch(paddle.ones([1]))


@pytest.mark.parametrize(
    'call',
    [
        lambda x, out: paddle.neg(x, out=out),
        lambda x, out: paddle.fft.fft(x, out=out),
        paddle.assign,
    ],
)
def test_a_program_writes_no_result_of_another_dtype_or_shape_into_a_tensor_with_data(call):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data('x', [3], 'float32')
            for other in ([2], 'float32'), ([3], 'int32'):
                with pytest.raises(ValueError, match=r'\[out\] expected a tensor of dtype'):
                    call(x, paddle.to_tensor(np.ones(*other)))
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('niter', [-1, 2**31, 2**63])
def test_iterations_without_end_are_refused(niter):
    for function in (paddle.linalg.svd_lowrank, paddle.linalg.pca_lowrank):
        with pytest.raises(ValueError, match='niter'):
            function(paddle.ones([3, 3]), niter=niter)
    with pytest.raises(ValueError, match='n_power_iterations'):
        paddle.nn.utils.spectral_norm(paddle.nn.Linear(2, 2), n_power_iterations=niter)
    with pytest.raises(ValueError, match='power_iters'):
        paddle.nn.SpectralNorm([2, 2], power_iters=niter)(paddle.ones([2, 2]))


@pytest.mark.parametrize('p', [1e39, 1e308])
def test_norms_of_powers_beyond_float32_are_those_of_infinity(p):
    x = paddle.to_tensor([[3.0, -4.0], [0.5, 2.0]], stop_gradient=False)
    for sign in (1, -1):
        got, limit = paddle.norm(x, sign * p), paddle.norm(x, sign * float('inf'))
        assert got.item() == limit.item() == (4.0 if sign == 1 else 0.5)
        np.testing.assert_array_equal(
            paddle.grad(got, x)[0].numpy(), paddle.grad(limit, x)[0].numpy()
        )


def test_a_number_that_a_program_would_keep_as_zero_is_refused():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data('x', [3], 'float64')
            with pytest.raises(ValueError, match='porder.*range of float32'):
                paddle.norm(x, 1e-320)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize('precision', [-1, 2**31 - 1])
def test_digits_to_print_are_those_there_are(precision):
    with pytest.raises(ValueError, match='precision'):
        paddle.set_printoptions(precision=precision)


def test_bounds_of_quantized_results_are_numbers():
    with pytest.raises(TypeError, match='quantization'):
        paddle.incubate.nn.functional.fused_rms_norm(
            paddle.ones([2, 3]), None, None, 1e-5, quant_scale=2**31, quant_max_bound=[1, -1]
        )


@pytest.mark.parametrize(
    'call',
    [
        lambda v: paddle.vision.ops.prior_box(
            paddle.ones([1, 2, 4, 4]), paddle.ones([1, 3, 8, 8]), v
        ),
        lambda v: paddle.vision.transforms.rotate(np.zeros([4, 4, 3], 'uint8'), v),
        lambda v: paddle.vision.transforms.rotate(np.zeros([4, 4, 3], 'uint8'), 10.0, fill=v),
        lambda v: paddle.vision.transforms.Transpose()(v),
        lambda v: paddle.metric.Accuracy(topk=v),
        lambda v: paddle.profiler.Profiler(targets=v),
        lambda v: paddle.jit.save(paddle.nn.Linear(2, 2), 'net', input_spec=v),
        lambda v: paddle.nn.initializer.Orthogonal(gain=v)(paddle.nn.Linear(2, 2).weight),
        lambda v: paddle.base.create_random_int_lodtensor([[2]], v, paddle.CPUPlace(), 0, 3),
    ],
    ids=str,
)
def test_a_length_that_is_claimed_of_a_setting_is_not_believed(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for claimed in (Sized(2**62), [Sized(2**62)]):
        try:
            call(claimed)
        except MemoryError as error:
            assert 'expected' in str(error)
        except (TypeError, ValueError, IndexError, AssertionError, AttributeError):
            pass


@pytest.mark.parametrize('dtype', ['int8', 'int32', 'int64'])
def test_a_program_changes_no_dtype_of_a_tensor_with_data_in_place(dtype):
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            with pytest.raises(TypeError, match='keeps its dtype'):
                paddle.log_(paddle.to_tensor(np.array([1, 2], dtype)))
    finally:
        paddle.disable_static()

    def call(x):
        made = paddle.to_tensor(np.array([1, 2], dtype))
        made.log_()
        return made + x

    recorded, x = paddle.jit.to_static(call), paddle.zeros([2])
    for _ in range(3):
        np.testing.assert_allclose(recorded(x).numpy(), np.log([1, 2]), rtol=1e-6)


@pytest.mark.parametrize('axis', [-(2**31) - 1, -1, 2, 2**31])
def test_fused_norms_begin_at_an_axis_there_is(axis):
    functional = paddle.incubate.nn.functional
    for norm in (functional.fused_layer_norm, functional.fused_rms_norm):
        with pytest.raises(ValueError, match='begin_norm_axis'):
            norm(paddle.ones([2, 3]), None, None, 1e-5, begin_norm_axis=axis)


@pytest.mark.parametrize(
    'overwrite',
    [
        lambda x: paddle._C_ops.fill(x, 2.0),
        lambda x: x.matrix_power(0),
        lambda x: paddle.linalg.matrix_power(x.expand([2, 3, 3]), 0),
    ],
)
def test_results_without_a_trace_of_the_input_have_a_gradient_of_0(overwrite):
    for call in (overwrite, paddle.jit.to_static(overwrite, full_graph=True)):
        x = paddle.full([3, 3], float('nan'))
        x.stop_gradient = False
        out = call(x)
        assert not out.stop_gradient and np.isfinite(out.numpy()).all()
        out.sum().backward()
        assert (x.grad.numpy() == 0).all()


@pytest.mark.parametrize('dtype', ['int64', 'int32', 'bool'])
@pytest.mark.parametrize('log_target', [False, True])
def test_kl_divergence_is_of_floating_numbers(dtype, log_target):
    x = paddle.ones([2, 3])
    for one, other in ((x, x.astype(dtype)), (x.astype(dtype), x)):
        call = lambda a, b: paddle._C_ops.kldiv_loss(a, b, 'none', log_target)  # noqa: E731
        for way in (call, paddle.jit.to_static(call, full_graph=True)):
            with pytest.raises(RuntimeError, match='floating dtypes, got'):
                way(one, other)
    wide = paddle.jit.to_static(
        lambda a, b: paddle._C_ops.kldiv_loss(a, b, 'none', log_target), full_graph=True
    )
    assert wide(x, x.astype('float64')).dtype == paddle.float64


CALLS_OF_TWO = {
    'addmm': (lambda x, y: paddle.addmm(x[0, 0], x[0], y[0].t()), [1, 2, 2]),
    'addmm input': (lambda x, y: paddle.addmm(x, y, y), [2, 2]),
    'bmm': (paddle.bmm, [1, 2, 2]),
    'mv': (lambda x, y: paddle.mv(x, y[0]), [2, 2]),
    'prelu': (lambda x, y: paddle.nn.functional.prelu(x, y[:1, 0]), [2, 2]),
    'bce': (paddle.nn.functional.binary_cross_entropy_with_logits, [2, 2]),
    'huber': (paddle.nn.functional.smooth_l1_loss, [2, 2]),
}


@pytest.mark.parametrize('name', CALLS_OF_TWO)
@pytest.mark.parametrize('dtype', ['float64', 'complex64', 'float16'])
def test_recorded_gradients_have_the_dtype_of_what_they_are_of(name, dtype):
    function, shape = CALLS_OF_TWO[name]
    for dtypes in ((dtype, 'float32'), ('float32', dtype)):
        outcomes = []
        for call in (function, paddle.jit.to_static(function, full_graph=True)):
            given = [paddle.full(shape, v).astype(d) for v, d in zip((0.5, 0.25), dtypes)]
            for t in given:
                t.stop_gradient = False
            try:
                out = call(*given)
            except (TypeError, ValueError, RuntimeError) as error:
                outcomes.append(type(error))
                continue
            paddle.real(out).astype('float64').sum().backward()
            assert [t.grad.dtype for t in given] == [t.dtype for t in given]
            outcomes.append([t.grad.astype('complex128').numpy() for t in given])
        assert type(outcomes[0]) is type(outcomes[1])
        if isinstance(outcomes[0], list):
            for one, other in zip(*outcomes):
                np.testing.assert_allclose(one, other, rtol=2e-3)
        else:
            assert outcomes[0] is outcomes[1]


@pytest.mark.parametrize('shape', [[1, 1], [3, 1], [1, 3], [7, 9], [40, 33]])
@pytest.mark.parametrize('axis', [None, 0, 1])
def test_sums_of_negative_zeros_are_0(shape, axis):
    x = paddle.full(shape, -0.0)
    for function in (
        lambda x: paddle.sum(x * 2, axis),
        lambda x: paddle.mean(x, axis),
        lambda x: paddle.nansum(x, axis),
    ):
        for call in (function, paddle.jit.to_static(function, full_graph=True)):
            assert not np.signbit(call(x).numpy()).any()


@pytest.mark.parametrize(
    'dtype, number',
    [('uint8', 2**32 + 1), ('int32', 2**40 + 5), ('int32', -(2**63)), ('int8', 300)],
)
def test_numbers_wrap_around_in_programs_as_in_eager_mode(dtype, number):
    x = paddle.arange(4).astype(dtype)
    for function in (
        lambda x: x & number,
        lambda x: x ^ number,
        lambda x: x + number,
        lambda x: paddle.full([2], number, dtype) + x[0],
        lambda x: paddle.where(x > 1, x, number),
    ):
        want = function(x).tolist()
        assert paddle.jit.to_static(function, full_graph=True)(x).tolist() == want


def test_a_tensor_of_a_program_takes_data():
    with static_program():
        x = paddle.static.data('x', [2], 'float32')
        x.set_value(np.array([5, 7], 'float32'))
        got = paddle.static.Executor().run(feed={'x': np.zeros(2, 'float32')}, fetch_list=[x + 1])
    assert got[0].tolist() == [6, 8]


@pytest.mark.parametrize('count', [2**31, 2**62, 10**30])
@pytest.mark.parametrize(
    'make',
    [
        lambda n: paddle.nn.LSTM(2, 2, num_layers=n),
        lambda n: paddle.incubate.nn.FusedMultiTransformer(4, 2, 4, num_layers=n),
        lambda n: paddle.nn.GRU(2, 2, n),
        lambda n: paddle.nn.TransformerEncoder(paddle.nn.TransformerEncoderLayer(2, 1, 2), n),
        lambda n: paddle.nn.Transformer(2, 1, 1, n, 2),
    ],
)
def test_layers_that_no_memory_holds_are_refused(make, count):
    with pytest.raises(MemoryError, match='layers that fit in memory, got'):
        make(count)


@pytest.mark.parametrize(
    'call',
    [
        lambda x, n: paddle.nn.functional.cosine_similarity([1, 2], n, None),
        lambda x, n: paddle.baddbmm([1, 2], x, x, beta=n),
        lambda x, n: paddle.index_add(x, x, 0, [1, 2], alpha=n),
        lambda x, n: paddle.incubate.nn.functional.fused_layer_norm(
            x, None, None, 1e-5, n, residual=[1, 2]
        ),
    ],
)
def test_a_list_in_place_of_a_tensor_is_not_repeated(call):
    with pytest.raises(TypeError, match='expected a Tensor for .*, got list'):
        call(paddle.ones([1, 1, 1]), 2**60)


@pytest.mark.parametrize('dtype', ['float64', 'bfloat16'])
@pytest.mark.parametrize('full_graph', [None, True])
def test_gradients_of_a_layer_norm_have_the_dtypes_of_its_parameters(dtype, full_graph):
    call = lambda x, w, b: paddle.nn.functional.layer_norm(x, [4], w, b)  # noqa: E731
    if full_graph:
        call = paddle.jit.to_static(call, full_graph=True)
    given = [paddle.rand([2, 4]), *(paddle.ones([4]).astype(dtype) for _ in range(2))]
    for t in given:
        t.stop_gradient = False
    call(*given).sum().backward()
    assert [t.grad.dtype for t in given] == [t.dtype for t in given]
    for other, words in (('complex64', 'floating dtype'), ('float32', 'of one dtype')):
        with pytest.raises(ValueError, match=words):
            call(given[0], given[1].astype(other), given[2])


@pytest.mark.parametrize('shape', [[3], [2, 2], [6], [2, 3, 1]])
def test_a_copy_of_another_shape_leaves_no_history_behind(shape):
    x = paddle.ones([2, 3])
    assert paddle.ones([2, 3]).copy_(paddle.zeros(shape)).shape == shape
    x.stop_gradient = False
    y = x * 2
    with pytest.raises(ValueError, match='copy_.*history'):
        y.copy_(paddle.zeros(shape))
    y.copy_(paddle.zeros([2, 3]))
    y.sum().backward()
    assert x.grad.shape == x.shape


def test_a_kronecker_product_with_a_number_has_the_wider_dtype():
    x, y = paddle.ones([2, 2]), paddle.to_tensor(2.0, dtype='float64')
    assert paddle.kron(x, y).dtype == paddle.float64
    assert paddle.jit.to_static(paddle.kron, full_graph=True)(x, y).dtype == paddle.float64


@pytest.mark.parametrize('dtype', ['int64', 'bool'])
@pytest.mark.parametrize('training', [True, False])
def test_rrelu_is_of_floating_numbers(dtype, training):
    for full_graph in (None, True):
        call = lambda x: paddle.nn.functional.rrelu(x, training=training)  # noqa: E731
        call = paddle.jit.to_static(call, full_graph=True) if full_graph else call
        with pytest.raises(RuntimeError, match='rrelu.*floating dtype'):
            call(paddle.ones([3]).astype(dtype))


class Claims:
    """What says it has 2^62 items."""

    def __len__(self):
        return 2**62

    def __getitem__(self, i):
        return 1.0


@pytest.mark.parametrize(
    'arguments',
    [
        {'offset': Claims()},
        {'steps': [Claims(), Claims()]},
        {'max_sizes': bytearray(1), 'min_sizes': [Claims()]},
    ],
)
def test_numbers_of_prior_boxes_are_numbers(arguments):
    with pytest.raises(TypeError):
        paddle.vision.ops.prior_box(
            paddle.ones([1, 2, 4, 4]),
            paddle.ones([1, 3, 8, 8]),
            **{'min_sizes': [2.0], **arguments},
        )


def test_prior_boxes_have_one_maximum_for_each_minimum():
    with pytest.raises(ValueError, match='prior_box.* got 3 for 1'):
        paddle.vision.ops.prior_box(
            paddle.ones([1, 2, 4, 4]), paddle.ones([1, 3, 8, 8]), 2**62, bytearray(3)
        )


@pytest.mark.parametrize('spacing', [[1.0], 'a', [paddle.ones([2])] * 2])
def test_the_spacing_of_frequencies_is_a_number(spacing):
    for call in (paddle.fft.fftfreq, paddle.fft.rfftfreq):
        with pytest.raises(TypeError, match='fftfreq.* d to be a number, got (list|str)'):
            call(2**62, spacing)


def test_the_scale_of_levels_of_proposals_is_a_number():
    with pytest.raises(TypeError):
        paddle.vision.ops.distribute_fpn_proposals(paddle.ones([1, 4]), 2, 5, 4, Claims())


def test_one_value_fills_and_a_diagonal_has_its_shape():
    x = paddle.ones([2, 3])
    for shape in ([0], [1], [2]):
        with pytest.raises(ValueError, match=r'index_fill\] expected a number or a 0-D tensor'):
            x.index_fill(paddle.to_tensor([0]), 0, paddle.zeros(shape))
    for shape in ([], [1], [3], [1, 2]):
        with pytest.raises(ValueError, match=r'expected y of shape \[2\]'):
            x.fill_diagonal_tensor(paddle.ones(shape))
    assert x.fill_diagonal_tensor(paddle.zeros([2])).sum() == 4
    assert paddle.nn.initializer.Dirac(groups=2**64 + 1)(paddle.zeros([0, 0, 0])).shape == [0, 0, 0]


def test_lists_that_no_memory_holds_are_refused():
    for call in (
        lambda: paddle.zeros([0, 2]).split(2**31 - 1),
        lambda: paddle.zeros([0, 2**40]).unbind(1),
    ):
        with pytest.raises(MemoryError, match=r'got \d+ tensors: .* allocate \d+ bytes'):
            call()


@pytest.mark.parametrize(
    'grow',
    [
        lambda size: paddle.Size(Claims()),
        lambda size: size.extend(Claims()),
        lambda size: size.__iadd__(Claims()),
        lambda size: size.__setitem__(slice(0, 0), Claims()),
        lambda size: size * 2**60,
    ],
)
def test_sizes_that_no_memory_holds_are_refused(grow):
    size = paddle.Size([1, 2])
    with pytest.raises(MemoryError, match=r'\[Size\] .*, got \d+: they would allocate \d+ bytes'):
        grow(size)
    size.extend(iter([3]))
    size += (4,)
    assert size == [1, 2, 3, 4] and type(size) is paddle.Size


def test_combinations_that_no_memory_holds_are_refused(monkeypatch):
    x = paddle.ones([1])
    assert paddle.combinations(x, 5, True).tolist() == [[1] * 5]
    monkeypatch.setattr(paddle.base.arguments.os, 'sysconf', lambda name: 1 << 10)
    with pytest.raises(MemoryError, match=r'1 of 2147483647 elements: .* allocate \d+ bytes'):
        paddle.combinations(x, 2**31 - 1, True)


def test_the_gradient_of_a_fused_loss_is_recorded_or_refused():
    """A kernel reads no values of programs."""
    x, boxes = paddle.rand([1, 14, 4, 4]), paddle.rand([1, 2, 4])

    def call(x):
        return paddle.vision.ops.yolo_loss(
            x, boxes, paddle.zeros([1, 2], 'int32'), [4, 5, 6, 7], [0, 1], 2, 0.5, 32
        )

    x.stop_gradient = False
    want, got = (
        paddle.grad(function(x).sum(), [x])[0].numpy()
        for function in (call, paddle.jit.to_static(call, full_graph=True))
    )
    assert want.any()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


HALVES = ['float16', 'bfloat16']


@pytest.mark.parametrize(
    'kinds', [(h, 'float32') for h in HALVES] + [('float32', h) for h in HALVES]
)
@pytest.mark.parametrize('ways', ['eager', 'eager of higher order', 'full_graph'])
@pytest.mark.parametrize('norm', ['layer_norm', 'instance_norm', 'group_norm', 'batch_norm'])
def test_the_gradient_of_a_bias_without_a_scale_has_its_dtype(norm, ways, kinds):
    """With more ones than a half counts: a float32 bias has their sum."""
    f = paddle.nn.functional
    rows, dtype = 4099, kinds[1]
    call = {
        'layer_norm': lambda x, b: f.layer_norm(x, [2], bias=b),
        'instance_norm': lambda x, b: f.instance_norm(x, bias=b),
        'group_norm': lambda x, b: f.group_norm(x, 1, bias=b),
        'batch_norm': lambda x, b: f.batch_norm(
            x, paddle.zeros([2]), paddle.ones([2]), None, b, training=True
        ),
    }[norm]
    if ways == 'full_graph':
        call = paddle.jit.to_static(call, full_graph=True)
    x, leaf = paddle.rand([rows, 2]).astype(kinds[0]), paddle.ones([2]).astype(dtype)
    x.stop_gradient = leaf.stop_gradient = False
    bias = leaf * 1  # no leaf, whose gradient is cast anyhow
    y = call(x, bias)
    ones = paddle.ones_like(y)
    got = paddle.grad([y], [x, bias], [ones], create_graph=ways.endswith('order'))
    assert [g.dtype for g in got] == [x.dtype, bias.dtype]
    want = paddle.to_tensor([float(rows)] * 2).astype(dtype)
    assert got[1].tolist() == want.tolist()


@pytest.mark.parametrize('shape', [[1, 4], [2, 2, 1]])
def test_scale_and_bias_of_channels_have_one_axis(shape):
    x, p = paddle.ones([2, 4, 3]), paddle.ones(shape)
    for call in (
        lambda **given: paddle.nn.functional.group_norm(x, 2, **given),
        lambda **given: paddle.nn.functional.instance_norm(x, **given),
    ):
        for given in ({'weight': p}, {'bias': p}):
            with pytest.raises(ValueError, match='of one axis of 4 elements'):
                call(**given)


@pytest.mark.parametrize('size', [[1, 1], [5, 6], [8, 6]])
@pytest.mark.parametrize('channels', [0, 2])
def test_output_sizes_of_transposed_convolutions_are_those_of_their_inputs(size, channels):
    """Also where there is nothing to compute."""
    x, w = paddle.ones([1, 3, 8, 8]), paddle.ones([3, channels, 1, 1])
    call = lambda size: paddle.nn.functional.conv2d_transpose(  # noqa: E731
        x, w, padding=1, output_size=size
    )
    assert call([6, 6]).shape == [1, channels, 6, 6]
    with pytest.raises(ValueError, match=r'output_size from 6 to 6 on axis \d, got'):
        call(size)


def test_gradients_of_parameters_of_one_element_or_axis():
    x = paddle.to_tensor(3.0, stop_gradient=False)
    paddle._C_ops.squared_l2_norm(x).sum().backward()
    assert x.grad.shape == [] and float(x.grad) == 6
    rows = paddle.ones([2, 3, 4])
    for scale, bias in ((None, [3, 4]), ([12], [3, 4])):
        with pytest.raises(ValueError, match='bias of the scale.s shape, of one axis without'):
            paddle._C_ops.layer_norm(rows, scale and paddle.ones(scale), paddle.ones(bias))


def test_shows_and_clicks_are_two_columns():
    for shapes in (([2, 3, 4], [2, 3, 4]), ([2, 3], [3, 2]), ([2, 1], [2, 2])):
        with pytest.raises(ValueError, match=r'\[cvm\] expected x of two columns or more'):
            paddle._C_ops.cvm(*map(paddle.ones, shapes))


VALUES = """
v.exp() | v + 1 | 1 - v | v.add_(v) | v.clip_(0, 1) | v.reshape([3, 1]) | v.reshape_([1, 3])
paddle.nn.functional.softmax(v) | v.sum() | v[0] | v[0:2] | v.__setitem__(0, 1.0) | paddle.sort(v)
paddle.where(v > 0, v, v) | paddle.nn.Linear(3, 3)(v) | paddle.ones([3]) + v
paddle.ones([3]).add_(v) | paddle.concat([paddle.ones([3]), v]) | paddle.zeros_like(v)
v.astype('float64') | v.fill_(1) | v.clone() | copy.deepcopy(v) | v.uniform_() | v == v
paddle.nn.functional.dropout(v) | paddle.add_n([v, v]) | v.detach() | paddle.to_tensor(v)
paddle.nn.functional.layer_norm(paddle.ones([2, 3]), [3], v, v) | paddle.nn.functional.relu_(v)
"""


@pytest.mark.parametrize(
    'text', [e.strip() for e in VALUES.replace('\n', '|').split('|') if e.strip()]
)
def test_values_of_programs_are_no_tensors_with_data(text):
    with static_program():
        v = paddle.static.data('x', [3], 'float32')
    with pytest.raises(
        (ValueError, RuntimeError, TypeError), match='expected .*tensors? with data'
    ):
        eval(text, {'paddle': paddle, 'copy': copy, 'v': v})


@pytest.mark.parametrize('other', [[1, 1], [3], [1, 3], [2, 1], [3, 2]])
def test_swiglu_takes_two_of_one_shape(other):
    """Its gradient has no sums over axes that one of them lacks."""
    function = paddle.incubate.nn.functional.swiglu
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        with pytest.raises(ValueError, match=r'\[swiglu\] expected y of the shape of x'):
            call(paddle.ones([2, 3]), paddle.ones(other))


def test_an_order_of_axes_that_no_memory_holds_is_refused():
    class Endless:
        def __len__(self):
            return 2**62

        def __getitem__(self, i):
            return 0

    image = paddle.zeros([4, 4, 3])
    assert paddle.vision.transforms.Transpose()(image).shape == [3, 4, 4]
    with pytest.raises(TypeError, match='perm'):
        paddle.vision.transforms.Transpose(order=Endless())(image)


def test_a_mesh_of_a_length_that_is_claimed():
    with pytest.raises(MemoryError, match='more elements than memory can hold'):
        paddle.base.core.ProcessMesh(Sized(2**62), [0], ['a'])


@pytest.mark.skipif(
    bool(SANITIZER), reason='a limit of address space says nothing under a sanitizer'
)
def test_more_sampled_classes_than_memory_holds():
    code = (
        'import paddle\n'
        'from sanitizers import limit_memory\n'
        'label = paddle.zeros([4], "int64")\n'
        'limit_memory(1 << 30)\n'
        'try:\n'
        '    paddle.nn.functional.class_center_sample(label, 2**31 - 1, 2**31 - 1)\n'
        'except MemoryError as error:\n'
        '    print(error)\n'
    )
    path = os.pathsep.join([str(pathlib.Path(paddle.__file__).parents[1]), TESTS])
    done = subprocess.run(
        [sys.executable, '-c', code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, 'PYTHONPATH': path},
    )
    assert 'class_center_sample' in done.stdout, done.stderr


def test_lengths_that_quantisers_are_told():
    with pytest.raises(TypeError, match='bins'):
        paddle.quantization.HistQuantizer(bins=Sized(2**62))
    with pytest.raises(ValueError, match='matrices of one shape'):
        paddle.incubate.nn.functional.fused_stack_transpose_quant(Sized(2**62))


@pytest.mark.parametrize('view', [(slice(None), slice(None, None, -1)), (slice(None, None, 2),)])
@pytest.mark.parametrize('shape', [[7, 1], [6, 4], [4, 6]])
def test_diagonals_of_views_are_filled(shape, view):
    base = paddle.ones(shape)
    base[view].fill_diagonal_(5.0)
    want = np.ones(shape, 'float32')
    np.fill_diagonal(want[view], 5.0)
    np.testing.assert_array_equal(base.numpy(), want)


def test_spectral_norm_refuses_weights_of_integers():
    """Calls gave float32 and programs said int16."""
    with pytest.raises(RuntimeError, match='spectral_norm.*floating-point.*int16'):
        paddle._C_ops.spectral_norm(
            paddle.ones([2, 3], 'int16'), paddle.ones([2]), paddle.ones([3])
        )
