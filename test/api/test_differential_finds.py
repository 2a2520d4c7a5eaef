# SPDX-License-Identifier: Apache-2.0
"""What the differential run (tools/oracle/differential.py) found wrong, and a slice of the run
itself.
"""

import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F

TOOL = pathlib.Path(__file__).resolve().parents[2] / 'tools' / 'oracle' / 'differential.py'


@pytest.mark.oracle
def test_slice_of_the_run():
    wheel = os.environ.get('PADDLE_ORACLE') or str(TOOL.parents[2] / '.oracle' / 'bin' / 'python')
    if not os.path.exists(wheel):
        pytest.skip('no published paddlepaddle to compare with (PADDLE_ORACLE)')
    environment = {**os.environ, 'PYTHONPATH': str(pathlib.Path(paddle.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, str(TOOL), '--wheel', wheel, '--every', '61'],
        capture_output=True,
        text=True,
        timeout=500,
        env=environment,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]


@pytest.mark.parametrize('exponent', [2, 2.0, 3, 0.5, 1, -1])
@pytest.mark.parametrize('create_graph', [False, True])
def test_complex_gradient_of_pow_by_a_number(exponent, create_graph):
    z = np.array([1 + 2j, -0.5 + 0.3j])
    x = paddle.to_tensor(z, stop_gradient=False)
    (g,) = paddle.grad(paddle.pow(x, exponent), x, create_graph=create_graph)
    np.testing.assert_allclose(g.numpy(), np.conj(exponent * z ** (exponent - 1.0)), rtol=1e-12)


@pytest.mark.parametrize('first', ['float16', 'bfloat16', 'float32', 'float64'])
@pytest.mark.parametrize('second', ['float32', 'float64'])
def test_gradient_of_pow_of_two_dtypes(first, second):
    x, y = (
        paddle.to_tensor([1.3, 2.7, 0.4]).astype(first).detach(),
        paddle.to_tensor([2.1, 0.3, 1.7]).astype(second).detach(),
    )
    x.stop_gradient = y.stop_gradient = False
    out = x**y
    _, g = paddle.grad(out, [x, y])
    a, b = x.astype('float64').numpy(), y.astype('float64').numpy()
    np.testing.assert_allclose(
        g.numpy(),
        a**b * np.log(a),
        rtol=1e-6 if 'float32' in (str(out.dtype).split('.')[1], second) else 1e-12,
    )


def test_gradient_of_complex_pow_of_bool():
    x = paddle.to_tensor([1 + 2j, 2 - 1j], stop_gradient=False)
    (g,) = paddle.grad(x ** paddle.to_tensor([True, False]), x)
    np.testing.assert_allclose(g.numpy(), [1, 0])


@pytest.mark.parametrize('n', [2, 3])
def test_meshgrid_xy(n):
    parts = [np.arange(k + 2.0) for k in range(n)]
    got = paddle.meshgrid(*[paddle.to_tensor(p) for p in parts], indexing='xy')
    for g, w in zip(got, np.meshgrid(*parts, indexing='xy'), strict=True):
        np.testing.assert_array_equal(g.numpy(), w)


def test_histogram_of_an_empty_range_takes_the_data():
    x = paddle.to_tensor([0.2, 0.7, 0.5])
    np.testing.assert_array_equal(paddle.histogram(x, 4, 0.5, 0.5).numpy(), [1, 0, 1, 1])
    np.testing.assert_array_equal(
        paddle.histogram(paddle.to_tensor([0.5, 0.5]), 4, 3.0, 3.0).numpy(), [0, 0, 2, 0]
    )


def test_median_min_of_nan():
    nan = math.nan
    x = paddle.to_tensor([[1.0, 3, nan, 2], [4, 3, 2, 1], [nan, nan, nan, nan]])
    values, index = paddle.median(x, axis=1, mode='min')
    np.testing.assert_array_equal(values.numpy(), [nan, 2, nan])
    np.testing.assert_array_equal(index.numpy(), [2, 2, 0])
    assert math.isnan(paddle.median(x, mode='min'))
    values, index = paddle.nanmedian(x, axis=1, mode='min')
    np.testing.assert_array_equal(values.numpy(), [2, 2, nan])
    np.testing.assert_array_equal(index.numpy(), [3, 2, -1])


@pytest.mark.parametrize(
    'call',
    [
        paddle.median,
        paddle.nanmedian,
        paddle.var,
        paddle.std,
        lambda x, **k: paddle.quantile(x, 0.5, **k),
        lambda x, **k: paddle.nanquantile(x, 0.25, **k),
    ],
)
def test_statistics_of_nothing_are_nan(call):
    assert math.isnan(call(paddle.zeros([0, 3])))
    got = call(paddle.zeros([2, 0]), axis=1)
    assert got.shape == [2] and np.isnan(got.numpy()).all()


def test_variance_with_more_correction_than_elements():
    assert math.isinf(paddle.var(paddle.to_tensor([1.0, 2.0]), correction=2))
    assert math.isnan(paddle.var(paddle.to_tensor([1.0])))


def test_cross_entropy_of_floating_ids():
    x = paddle.to_tensor([[1.0, 2, 3], [0.5, 0.1, 0.2]])
    want = F.cross_entropy(x, paddle.to_tensor([1, 2]))
    assert F.cross_entropy(x, paddle.to_tensor([1.0, 2.0])).numpy() == want.numpy()


def test_lp_pool_of_windows_over_the_end():
    x = paddle.to_tensor([[[1.0, 2, 3, 4, 5]]])
    np.testing.assert_allclose(
        F.lp_pool1d(x, 2, 2, ceil_mode=True).numpy(), [[[math.sqrt(5), 5, 5]]], rtol=1e-6
    )
    np.testing.assert_allclose(
        F.lp_pool1d(x, 1, 3, 2, 1, ceil_mode=True).numpy(), [[[3, 9, 9]]], rtol=1e-6
    )
    plane = paddle.arange(15, dtype='float32').reshape([1, 1, 3, 5])
    np.testing.assert_allclose(
        F.lp_pool2d(plane, 1, 2, ceil_mode=True).numpy(),
        [[[[12, 20, 13], [21, 25, 14]]]],
        rtol=1e-6,
    )


@pytest.mark.parametrize('layout', ['NCL', 'NLC'])
@pytest.mark.parametrize(
    ('extent', 'kernel', 'stride', 'padding', 'ceil'),
    [
        (1, 2, 2, 0, False),
        (1, 3, 2, 0, True),
        (1, 4, 3, 1, False),
        (3, 4, 2, 0, False),
        (5, 2, 2, 0, True),
    ],
)
def test_lp_pool_of_an_unknown_extent(layout, extent, kernel, stride, padding, ceil):
    """A program for any length gives what an eager call gives, also for inputs shorter than the
    window, which is cut.
    """

    def f(x):
        return F.lp_pool1d(x, 2.0, kernel, stride, padding, ceil, data_format=layout)

    a = np.arange(1, 2 * extent + 1, dtype='float32')
    a = a.reshape([1, 2, extent] if layout == 'NCL' else [1, extent, 2])
    x = paddle.to_tensor(a, stop_gradient=False)
    want = f(x)
    want.sum().backward()
    main = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(main, paddle.static.Program()):
            v = paddle.static.data('x', [-1, 2, -1] if layout == 'NCL' else [-1, -1, 2], 'float32')
            v.stop_gradient = False
            y = f(v)
            (g,) = paddle.static.gradients([y], [v])
        y, g = paddle.static.Executor().run(main, feed={'x': a}, fetch_list=[y, g])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(y, want.numpy(), rtol=1e-6)
    np.testing.assert_allclose(g, x.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize('dtype', ['float32', 'float16', 'bfloat16', 'float64', 'int32', 'int64'])
def test_segment_extremes(dtype):
    x = paddle.to_tensor([[-1.0, 2], [3, -4], [-5, -2], [1, 1]]).astype(dtype)
    ids = paddle.to_tensor([0, 0, 1, 3])
    for call, want in (
        (paddle.geometric.segment_max, [[3, 2], [-5, -2], [0, 0], [1, 1]]),
        (paddle.geometric.segment_min, [[-1, -4], [-5, -2], [0, 0], [1, 1]]),
    ):
        got = call(x, ids).astype('float64').numpy()
        np.testing.assert_array_equal(got, want)
        assert not np.signbit(got[2]).any()


def test_no_segment_takes_an_infinity():
    x = paddle.to_tensor([[math.inf], [1.0]])
    np.testing.assert_array_equal(
        paddle.geometric.segment_max(x, paddle.to_tensor([0, 2])).numpy(), [[math.inf], [0], [1]]
    )


def test_detection_in_bfloat16():
    boxes = np.array([[0, 0, 2, 2], [0, 0, 2, 2.5], [4, 4, 6, 6]], 'float32')
    scores = np.array([0.25, 0.75, 0.5], 'float32')
    half = [paddle.to_tensor(v).astype('bfloat16') for v in (boxes, scores)]
    np.testing.assert_array_equal(paddle.vision.ops.nms(half[0], 0.3, half[1]).numpy(), [1, 2])
    x = paddle.randn([1, 14, 3, 3]).astype('bfloat16')
    size = paddle.to_tensor([[24, 24]], dtype='int32')
    got = paddle.vision.ops.yolo_box(x, size, [2, 3, 4, 5], 2, 0.1, 8)
    want = paddle.vision.ops.yolo_box(x.astype('float32'), size, [2, 3, 4, 5], 2, 0.1, 8)
    for g, w in zip(got, want):
        assert g.dtype == paddle.bfloat16
        np.testing.assert_allclose(g.astype('float32').numpy(), w.numpy(), rtol=2.0**-8)
    parts, restore, _ = paddle.vision.ops.distribute_fpn_proposals(
        half[0] * 50, 2, 5, 4, 100, rois_num=paddle.to_tensor([3], dtype='int32')
    )
    assert sum(p.shape[0] for p in parts) == 3 and parts[0].dtype == paddle.bfloat16


def test_metrics_of_bfloat16():
    pred = paddle.to_tensor([[0.25, 0.75], [0.625, 0.375]]).astype('bfloat16')
    label = paddle.to_tensor([[1], [1]])
    accuracy = paddle.metric.Accuracy()
    accuracy.update(accuracy.compute(pred, label))
    assert accuracy.accumulate() == 0.5
    auc, want = paddle.metric.Auc(), paddle.metric.Auc()
    auc.update(pred, paddle.to_tensor([[1], [0]]))
    want.update(pred.astype('float32'), paddle.to_tensor([[1], [0]]))
    assert auc.accumulate() == want.accumulate()


def test_yolo_box_keeps_the_dtype():
    x = paddle.randn([1, 14, 3, 3], dtype='float64')
    boxes, scores = paddle.vision.ops.yolo_box(
        x, paddle.to_tensor([[24, 24]], dtype='int32'), [2, 3, 4, 5], 2, 0.1, 8
    )
    assert boxes.dtype == scores.dtype == paddle.float64


@pytest.mark.parametrize('exponent', [2j, 2 + 3j, 3 - 1j, 0.5 + 1j])
def test_power_of_a_complex_number(exponent):
    numbers = np.array([1 + 1j, 2 - 1j])
    x = paddle.to_tensor(numbers, stop_gradient=False)
    y = paddle.pow(x, exponent)
    np.testing.assert_allclose(y.numpy(), numbers**exponent, rtol=1e-10)
    paddle.real(y).sum().backward()
    np.testing.assert_allclose(
        x.grad.numpy(), np.conj(exponent * numbers ** (exponent - 1)), rtol=1e-10
    )


@pytest.mark.parametrize('axis', [0, -1])
def test_axes_of_a_scalar(axis):
    x = paddle.to_tensor(2.0, stop_gradient=False)
    for call, gradient in [
        (paddle.logsumexp, 1),
        (paddle.median, 1),
        (paddle.nanmedian, 1),
        (lambda x, axis: paddle.quantile(x, 0.5, axis), 1),
        (lambda x, axis: paddle.var(x, axis, False), 0),
    ]:
        (grad,) = paddle.grad(call(x, axis), x)
        assert (grad.shape, grad.item()) == ([], gradient)
    assert math.isnan(paddle.std(x, axis).item())
    with pytest.raises(ValueError, match='axis'):
        paddle.var(x, 1)


@pytest.mark.parametrize('shape', [[2, 3, 3], [2, 0, 3]])
def test_output_padding_stays_below_the_stride(shape):
    x, w = paddle.ones([1, 2, 5]), paddle.ones(shape)
    assert F.conv1d_transpose(x, w, stride=2, output_padding=1).shape == [1, shape[1], 12]
    with pytest.raises(ValueError, match='output_padding below the stride 1'):
        F.conv1d_transpose(x, w, stride=1, dilation=2, output_padding=1)


def test_decoding_takes_a_whole_number_of_steps():
    decoder = paddle.nn.BeamSearchDecoder(
        paddle.nn.GRUCell(3, 3), 0, 1, 2, embedding_fn=paddle.nn.Embedding(3, 3)
    )
    with pytest.raises(TypeError, match='max_step_num'):
        paddle.nn.dynamic_decode(decoder, paddle.zeros([2, 3]), math.inf)


def test_mels_of_whole_numbers_are_not_cut():
    mel, hz = paddle.audio.functional.hz_to_mel, paddle.audio.functional.mel_to_hz
    for convert, htk, want in ((hz, True, 1.8658458), (mel, True, 4.8196282), (mel, False, 0.045)):
        got = convert(paddle.to_tensor(3), htk)
        assert got.dtype == paddle.float32
        np.testing.assert_allclose(got.item(), want, rtol=1e-5)
    assert hz(paddle.to_tensor(3.0, 'float64')).dtype == paddle.float64


def test_nothing_is_incremented_and_nothing_is_contracted():
    empty = paddle.zeros([0, 4])
    assert paddle.increment(empty) is empty
    with pytest.raises(ValueError, match='one element'):
        paddle.increment(paddle.zeros([2]))
    with pytest.raises(AssertionError, match='operand'):
        paddle.einsum('ij->ji')


def test_places_where_a_condition_holds_are_written_into_out():
    condition = paddle.to_tensor([[True, False], [True, True]])
    out = paddle.zeros([1], 'int64')
    rows, columns = paddle.where(condition, out=out)
    assert rows.tolist() == [0, 1, 1] and columns.tolist() == [0, 0, 1]
    assert out.tolist() == [[0, 0], [1, 0], [1, 1]]
