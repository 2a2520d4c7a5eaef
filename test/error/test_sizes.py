# SPDX-License-Identifier: Apache-2.0
"""Sizes that no tensor can have, extents of zero and numbers at the ends of int64: refused in
words, or right.
"""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from test_bad_input import ints, leaf, t

MAX, MIN = 2**63 - 1, -(2**63)


def view(*shape):
    """A tensor of this shape that is one element."""
    return t(1).as_strided(list(shape), [0] * len(shape))


# name: (call, exception, what the message must hold)
TOO_LARGE = {
    "reshape": (
        lambda: t(4).reshape([2**32, 2**32, 4]),
        ValueError,
        ["elements", "[4294967296, 4294967296, 4]"],
    ),
    "reshape_wraps_to_equal": (lambda: t(4).reshape([2**62 + 1, 4]), ValueError, ["elements"]),
    "reshape_empty": (
        lambda: t(0).reshape([2**62, 2**62, 0]),
        ValueError,
        ["elements", "4611686018427387904"],
    ),
    "view": (lambda: t(4).view([2**32, 2**32, 4]), ValueError, ["elements"]),
    "expand": (
        lambda: t(1).expand([2**62, 4]),
        ValueError,
        ["elements", "[4611686018427387904, 4]"],
    ),
    "view_of_view": (
        lambda: view(2**40, 1).as_strided([2**40, 2**40], [0, 0]),
        ValueError,
        ["elements"],
    ),
    "expand_bytes": (
        lambda: t(1).expand([2**61]),
        ValueError,
        ["elements", "[2305843009213693952]"],
    ),
    "broadcast_to": (lambda: paddle.broadcast_to(t(1), [2**40, 2**40]), ValueError, ["elements"]),
    "broadcast_tensors": (
        lambda: paddle.broadcast_tensors([view(2**40, 1), view(1, 2**40)]),
        ValueError,
        ["elements"],
    ),
    "zeros": (
        lambda: paddle.zeros([2**32, 2**32]),
        MemoryError,
        ["memory", "[4294967296, 4294967296]"],
    ),
    "zeros_bytes": (lambda: paddle.zeros([2**61]), MemoryError, ["memory"]),
    "zeros_empty": (lambda: paddle.zeros([2**62, 2**62, 0]), MemoryError, ["memory"]),
    "full": (lambda: paddle.full([2**62, 4], 1), MemoryError, ["memory"]),
    "empty": (lambda: paddle.empty([2**62, 4]), MemoryError, ["memory"]),
    "empty_like_more_than_there_is": (
        lambda: paddle.empty([2**45]),
        MemoryError,
        ["memory", "[35184372088832]"],
    ),
    "ones_like_of_view": (lambda: paddle.ones_like(view(2**20, 2**20)), MemoryError, ["memory"]),
    "rand": (lambda: paddle.rand([2**62, 4]), MemoryError, ["memory"]),
    "randint": (lambda: paddle.randint(0, 5, [2**62, 4]), MemoryError, ["memory"]),
    "randperm": (lambda: paddle.randperm(2**50), (IndexError, MemoryError), []),
    "contiguous": (lambda: view(2**20, 2**20).contiguous(), MemoryError, ["memory"]),
    "add": (lambda: view(2**20, 2**20) + 1, MemoryError, ["memory"]),
    "tile": (
        lambda: paddle.tile(t(2, 3), [2**62, 2]),
        ValueError,
        ["extent", "4611686018427387904"],
    ),
    "tile_numel": (lambda: paddle.tile(t(2, 3), [2**40, 2**40]), MemoryError, ["memory"]),
    "repeat_interleave": (
        lambda: paddle.repeat_interleave(t(2, 3), 2**62, 0),
        IndexError,
        ["repeat", "4611686018427387904"],
    ),
    "repeat_interleave_tensor": (
        lambda: paddle.repeat_interleave(t(2), ints(2**62, 2**62), 0),
        ValueError,
        ["repeat"],
    ),
    "repeat_interleave_large": (
        lambda: paddle.repeat_interleave(t(2), ints(2**50, 1), 0),
        MemoryError,
        ["memory"],
    ),
    "concat": (lambda: paddle.concat([view(2**58), view(2**58)]), MemoryError, ["memory"]),
    "stack": (lambda: paddle.stack([view(2**58)] * 3), MemoryError, ["memory"]),
    "pad": (lambda: F.pad(t(2), [2**62, 2**62]), IndexError, ["pad", "4611686018427387904"]),
    "pad_4": (
        lambda: F.pad(t(1, 1, 2, 2), [2**62, 2**62, 1, 1]),
        ValueError,
        ["pad", "4611686018427387904"],
    ),
    "pad_allocation": (lambda: F.pad(t(1, 1, 2, 2), [2**30, 0, 2**30, 0]), MemoryError, ["memory"]),
    "arange": (lambda: paddle.arange(2**62), ValueError, ["arange", "elements"]),
    "arange_wraps": (lambda: paddle.arange(MIN, MAX, 1), ValueError, ["arange", "elements"]),
    "arange_float": (lambda: paddle.arange(0.0, 1e300), ValueError, ["arange", "elements"]),
    "arange_allocation": (lambda: paddle.arange(2**50), MemoryError, ["memory"]),
    "linspace": (lambda: paddle.linspace(0, 1, 2**60), (IndexError, MemoryError), []),
    "logspace": (lambda: paddle.logspace(0, 1, 2**60), (IndexError, MemoryError), []),
    "eye": (lambda: paddle.eye(2**40, 2**40), MemoryError, ["memory"]),
    "tril_indices": (
        lambda: paddle.tril_indices(2**40, 2**40),
        IndexError,
        ["tril_indices", "1099511627776"],
    ),
    "tril_indices_rows": (
        lambda: paddle.tril_indices(2**31 - 1, 2**31 - 1),
        ValueError,
        ["tril_indices", "2147483647"],
    ),
    "tril_indices_allocation": (lambda: paddle.tril_indices(2**25, 2**25), MemoryError, ["memory"]),
    "one_hot": (lambda: F.one_hot(ints(1), 2**62), MemoryError, ["memory"]),
    "one_hot_empty": (
        lambda: F.one_hot(paddle.zeros([0], "int64"), 2**62),
        MemoryError,
        ["memory"],
    ),
    "diag": (lambda: paddle.diag(t(3), 2**40), IndexError, ["diag", "1099511627776"]),
    "diag_allocation": (lambda: paddle.diag(t(3), 2**30), MemoryError, ["memory"]),
    "diag_embed": (lambda: paddle.diag_embed(t(3), MIN), IndexError, ["diag_embed"]),
    "kron": (lambda: paddle.kron(view(2**40), view(2**40)), ValueError, ["extent"]),
    "outer": (lambda: paddle.outer(view(2**30), view(2**30)), (MemoryError, ValueError), []),
    "meshgrid": (lambda: paddle.meshgrid(view(2**30), view(2**30)), (MemoryError, ValueError), []),
    "matmul": (lambda: paddle.matmul(view(2**40, 1), view(1, 2**40)), MemoryError, ["memory"]),
    "bincount": (lambda: paddle.bincount(ints(MAX)), ValueError, ["bincount"]),
    "bincount_allocation": (lambda: paddle.bincount(ints(2**50)), MemoryError, ["memory"]),
    "bincount_minlength": (
        lambda: paddle.bincount(ints(1), minlength=2**62),
        MemoryError,
        ["memory"],
    ),
    "histogram": (lambda: paddle.histogram(t(3), bins=2**60), MemoryError, ["memory"]),
    "interpolate_scale": (
        lambda: F.interpolate(t(1, 1, 2, 2), scale_factor=1e30),
        ValueError,
        ["interpolate"],
    ),
    "interpolate_nan": (
        lambda: F.interpolate(t(1, 1, 2, 2), scale_factor=float("nan")),
        ValueError,
        ["interpolate"],
    ),
    "interpolate_size": (
        lambda: F.interpolate(t(1, 1, 2, 2), size=[2**40, 2**40]),
        (IndexError, ValueError),
        [],
    ),
    "unfold_view": (lambda: t(8).unfold(0, 2**62, 1), ValueError, ["unfold"]),
    "multinomial": (
        lambda: paddle.multinomial(t(3), 2**60, replacement=True),
        MemoryError,
        ["memory"],
    ),
    "affine_grid": (
        lambda: F.affine_grid(t(1, 2, 3), [1, 1, 2**40, 2**40]),
        ValueError,
        ["elements"],
    ),
    "split_many_of_nothing": (
        lambda: paddle.split(t(0, 2), 2**62),
        (IndexError, ValueError, MemoryError),
        [],
    ),
    "as_strided_rank": (lambda: t(1).as_strided([1] * 70, [1] * 70), ValueError, ["64 axes"]),
    "reshape_rank": (lambda: t(1).reshape([1] * 65), ValueError, ["64 axes"]),
    "unsqueeze_rank": (lambda: t(1).unsqueeze(list(range(70))), ValueError, ["64 axes"]),
    "zeros_rank": (lambda: paddle.zeros([1] * 65), ValueError, ["64 axes"]),
}

WINDOWS = {
    "conv1d_nothing": (
        lambda: F.conv1d(paddle.zeros([0, 0, 0]), paddle.zeros([1, 0, 0])),
        ValueError,
        ["conv", "filter"],
    ),
    "conv1d_kernel_0": (
        lambda: F.conv1d(t(1, 1, 4), paddle.zeros([1, 1, 0])),
        ValueError,
        ["conv", "filter"],
    ),
    "conv1d_same": (
        lambda: F.conv1d(t(1, 1, 4), paddle.zeros([1, 1, 0]), padding="SAME"),
        ValueError,
        ["conv", "filter"],
    ),
    "conv2d_kernel_0": (
        lambda: F.conv2d(t(1, 1, 4, 4), paddle.zeros([1, 1, 3, 0])),
        ValueError,
        ["conv", "filter"],
    ),
    "conv2d_kernel_huge": (
        lambda: F.conv2d(t(1, 0, 4, 4), paddle.zeros([1, 0, 2**40, 1])),
        ValueError,
        ["conv", "filter"],
    ),
    "conv2d_stride_0_same": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), stride=0, padding="SAME"),
        ValueError,
        ["conv", "strides"],
    ),
    "conv2d_stride_negative": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), stride=-1),
        ValueError,
        ["conv", "strides", "[-1, -1]"],
    ),
    "conv2d_stride_huge": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), stride=MAX),
        IndexError,
        ["strides", str(MAX)],
    ),
    "conv2d_padding_huge": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), padding=2**62),
        IndexError,
        ["paddings"],
    ),
    "conv2d_padding_allocation": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), padding=2**30),
        MemoryError,
        ["memory"],
    ),
    "conv2d_dilation_0": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), dilation=0),
        ValueError,
        ["conv", "dilations"],
    ),
    "conv2d_dilation_huge": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), dilation=2**31 - 1),
        ValueError,
        ["conv", "hold"],
    ),
    "conv2d_groups_0": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), groups=0),
        ValueError,
        ["groups"],
    ),
    "conv2d_groups_negative": (
        lambda: F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), groups=-1),
        ValueError,
        [],
    ),
    "conv2d_strides_short": (
        lambda: paddle._C_ops.conv2d(
            t(1, 1, 4, 4), t(1, 1, 3, 3), [1], [0, 0], "EXPLICIT", [1, 1], 1, "NCHW"
        ),
        ValueError,
        ["2 strides"],
    ),
    "conv_transpose_kernel_0": (
        lambda: F.conv2d_transpose(t(1, 1, 4, 4), paddle.zeros([1, 1, 0, 3])),
        ValueError,
        ["filter"],
    ),
    "conv_transpose_stride_0": (
        lambda: F.conv2d_transpose(t(1, 1, 4, 4), t(1, 1, 3, 3), stride=0),
        ValueError,
        ["strides"],
    ),
    "conv_transpose_groups_0": (
        lambda: F.conv2d_transpose(t(1, 1, 4, 4), t(1, 1, 3, 3), groups=0),
        ValueError,
        ["groups"],
    ),
    "conv_transpose_size": (
        lambda: F.conv2d_transpose(t(1, 1, 4, 4), t(1, 1, 3, 3), output_size=[2**40, 2**40]),
        (IndexError, ValueError, MemoryError),
        [],
    ),
    "conv_transpose_rank": (
        lambda: paddle._C_ops.conv2d_transpose(
            t(1, 1, 2, 2, 2, 2),
            t(1, 1, 2, 2, 2, 2),
            [1] * 4,
            [0] * 4,
            [],
            [],
            "EXPLICIT",
            1,
            [1] * 4,
            "NCHW",
        ),
        ValueError,
        ["rank"],
    ),
    "conv_rank": (
        lambda: paddle._C_ops.conv2d(
            t(1, 1, 2, 2, 2, 2),
            t(1, 1, 2, 2, 2, 2),
            [1] * 4,
            [0] * 4,
            "EXPLICIT",
            [1] * 4,
            1,
            "NCHW",
        ),
        ValueError,
        ["rank"],
    ),
    "pool_stride_0": (
        lambda: F.avg_pool2d(t(1, 1, 4, 4), 2, stride=0),
        ValueError,
        ["pool", "strides"],
    ),
    "pool_stride_huge": (
        lambda: F.max_pool2d(t(1, 1, 4, 4), 2, stride=MAX),
        (IndexError, ValueError),
        ["stride"],
    ),
    "pool_kernel_huge": (
        lambda: F.max_pool2d(t(1, 1, 4, 4), 2**40),
        (IndexError, ValueError),
        ["kernel"],
    ),
    "pool_padding_huge": (
        lambda: F.max_pool2d(t(1, 1, 4, 4), 2, padding=2**62),
        (IndexError, ValueError),
        ["padding"],
    ),
    "pool_empty": (lambda: F.max_pool2d(t(1, 1, 0, 4), 8, 2), ValueError, ["pool"]),
    "unfold_kernel_0": (lambda: F.unfold(t(1, 1, 4, 4), 0), ValueError, []),
    "unfold_stride_huge": (
        lambda: F.unfold(t(1, 1, 4, 4), 2, strides=2**40),
        (IndexError, ValueError),
        [],
    ),
    "unfold_padding_huge": (
        lambda: F.unfold(t(1, 1, 4, 4), 2, paddings=2**62),
        (IndexError, ValueError),
        [],
    ),
    "fold_dilation_huge": (
        lambda: F.fold(t(1, 4, 1), [2, 2], 2, dilations=2**62),
        (IndexError, ValueError),
        [],
    ),
    "pixel_shuffle": (
        lambda: F.pixel_shuffle(t(1, 4, 2, 2), 2**32),
        IndexError,
        ["upscale_factor"],
    ),
    "pixel_shuffle_large": (
        lambda: F.pixel_shuffle(paddle.zeros([1, 0, 2, 2]), 2**31 - 1),
        (ValueError, MemoryError),
        [],
    ),
    "pixel_unshuffle": (
        lambda: F.pixel_unshuffle(t(1, 1, 4, 4), 2**32),
        IndexError,
        ["downscale_factor"],
    ),
    "pixel_unshuffle_0": (lambda: F.pixel_unshuffle(t(1, 1, 4, 4), 0), ValueError, ["positive"]),
}

INDICES = {
    "slice_axis_twice": (
        lambda: paddle.slice(t(4, 3), [0, 0], [0, 1], [2, 3]),
        ValueError,
        ["slice", "once", "[0, 0]"],
    ),
    "slice_axis_twice_negative": (
        lambda: paddle.slice(t(4, 3), [1, -1], [0, 1], [2, 3]),
        ValueError,
        ["slice", "once"],
    ),
    "strided_slice_axis_twice": (
        lambda: paddle.strided_slice(t(4, 3), [0, 0], [0, 1], [2, 3], [1, 1]),
        ValueError,
        ["strided_slice", "once"],
    ),
    "set_value_axis_twice": (
        lambda: paddle._C_ops.set_value_with_tensor(
            t(4, 3), t(1), [0, 1], [2, 3], [1, 1], [0, 0], [], []
        ),
        ValueError,
        ["set_value", "once"],
    ),
    "as_strided_wraps": (
        lambda: t(4).as_strided([2, 2], [2**62, 2**62]),
        IndexError,
        ["as_strided", "inside"],
    ),
    "as_strided_extent": (lambda: t(4).as_strided([2**62, 4], [0, 0]), ValueError, ["elements"]),
    "as_strided_offset": (lambda: t(4).as_strided([2], [1], MAX), IndexError, ["as_strided"]),
    "as_strided_negative": (lambda: t(4).as_strided([2], [MIN]), IndexError, ["as_strided"]),
    "expand_negative": (lambda: t(1).expand([-2]), ValueError, ["expand", "[-2]"]),
    "index_select_0d": (
        lambda: paddle.index_select(t(), ints(0, 0, 0)),
        ValueError,
        ["index_select"],
    ),
    "index_add_0d": (
        lambda: paddle.index_add(t(), ints(0, 0, 0), 0, t()),
        ValueError,
        ["index_add"],
    ),
    "scatter_row_of_nothing": (
        lambda: paddle.scatter(t(3, 2), paddle.to_tensor(0), paddle.zeros([0, 2])),
        ValueError,
        ["scatter", "[0, 2]"],
    ),
    "axis_beyond_int32": (
        lambda: F.softmax(t(2, 3), 2**32),
        IndexError,
        ["softmax", "axis", "4294967296"],
    ),
    "axis_max": (
        lambda: paddle.gather(t(2, 3), ints(0), MIN),
        (IndexError, ValueError),
        ["gather"],
    ),
    "lu_unpack": (
        lambda: paddle.linalg.lu_unpack(t(2, 2), paddle.to_tensor([7, 1], "int32")),
        ValueError,
        ["pivots"],
    ),
}


@pytest.mark.parametrize("name", [*TOO_LARGE, *WINDOWS, *INDICES])
def test_refused(name):
    call, exception, parts = {**TOO_LARGE, **WINDOWS, **INDICES}[name]
    with pytest.raises(exception) as e:
        call()
    for p in parts:
        assert p in str(e.value), str(e.value)


@pytest.mark.parametrize("name", ["reshape", "expand", "tile_numel", "kron", "arange"])
def test_refused_while_recording(name):
    call, _, _ = TOO_LARGE[name]
    with pytest.raises((ValueError, MemoryError)):
        paddle.jit.to_static(lambda x: call())(t(1))


# Numbers at the ends of int64 that mean something.
MEANT = {
    "slice_ends": (lambda x: x[MIN:MAX], lambda a: a[MIN:MAX]),
    "slice_step_max": (lambda x: x[::MAX], lambda a: a[::MAX]),
    "slice_step_min": (lambda x: x[::MIN], lambda a: a[::MIN]),
    "slice_step_max_from_1": (lambda x: x[1::MAX], lambda a: a[1::MAX]),
    "slice_back": (lambda x: x[MAX:MIN:-MAX], lambda a: a[MAX:MIN:-MAX]),
    "strided_slice": (
        lambda x: paddle.strided_slice(x, [0], [0], [4], [MAX]),
        lambda a: a[0:4:MAX],
    ),
    "roll_min": (lambda x: paddle.roll(x, MIN, 0), lambda a: np.roll(a, MIN % 4, 0)),
    "roll_max": (
        lambda x: paddle.roll(x, [MAX, MAX], [1, 1]),
        lambda a: np.roll(a, (2 * (MAX % 3)) % 3, 1),
    ),
    "tril": (lambda x: paddle.tril(x, 2**31 - 1), lambda a: a),
    "triu": (lambda x: paddle.triu(x, -(2**31)), lambda a: a),
    "triu_all_cut": (lambda x: paddle.triu(x, 2**31 - 1), lambda a: a * 0),
    "diagonal": (lambda x: paddle.diagonal(x, -(2**31)), lambda a: a[:0, 0]),
    "trace": (lambda x: paddle.trace(x, 2**31 - 1), lambda a: np.float32(0)),
    "one_axis_stride": (lambda x: x[:1].as_strided([1, 3], [MAX, 1]), lambda a: a[:1]),
}


@pytest.mark.parametrize("name", MEANT)
def test_ends_of_int64(name):
    f, ref = MEANT[name]
    a = np.arange(12, dtype="float32").reshape(4, 3)
    x = paddle.to_tensor(a, stop_gradient=False)
    y = f(x)
    np.testing.assert_array_equal(y.numpy(), ref(a))
    y.sum().backward()
    mark = np.arange(1, 13, dtype="float32").reshape(4, 3)
    hit = np.isin(mark, ref(mark)) if ref(mark).size else np.zeros_like(a, bool)
    if name != "triu_all_cut" and name != "trace":
        np.testing.assert_array_equal(x.grad.numpy(), hit.astype("float32"))
    else:
        np.testing.assert_array_equal(x.grad.numpy(), 0 * a)


@pytest.mark.parametrize("shift", [MIN, MIN + 1, MAX, -1])
@pytest.mark.parametrize("n", [3, 5, 8])
def test_gradient_of_rolls_by_the_ends_of_int64(shift, n):
    x = paddle.to_tensor(np.arange(float(n)), stop_gradient=False)
    weights = np.arange(1.0, n + 1)
    (paddle.roll(x, shift, 0) * paddle.to_tensor(weights)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.roll(weights, -(shift % n)))


@pytest.mark.parametrize("rows,cols", [(0, 3), (3, 0), (1, 1), (3, 5), (5, 3), (4, 4)])
@pytest.mark.parametrize("offset", [-(2**31), -6, -4, -1, 0, 1, 2, 5, 2**31 - 1])
def test_triangle_indices(rows, cols, offset):
    o = int(np.clip(offset, -10, 10))
    for ours, theirs in (
        (paddle.tril_indices, np.tril_indices),
        (paddle.triu_indices, np.triu_indices),
    ):
        got = ours(rows, cols, offset).numpy()
        np.testing.assert_array_equal(got, np.stack(theirs(rows, o, cols)))


def test_counts_keep_all_their_bits():
    with pytest.raises(MemoryError):
        paddle.linspace(0, 1, 2**44 + 3)
    assert paddle.linspace(0, 1, 3).numpy().tolist() == [0, 0.5, 1]


@pytest.mark.parametrize(
    "shape,dtype", [([2, 3], "float32"), ([1], "float32"), ([4, 3], "float64"), ([8, 3], "float32")]
)
def test_gradients_of_hooks_fit(shape, dtype):
    x = leaf(4, 3)
    y = F.softmax(x, -1)
    y.register_hook(lambda g: paddle.ones(shape, dtype))
    with pytest.raises(RuntimeError, match=r"\[hook\].*\[4, 3\]"):
        (y * 2).sum().backward()


class Given(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return Given.gradient


def test_gradients_of_py_layers_fit():
    for shape in ([2, 3], [1], [8, 3], [4, 3, 2], [0]):
        x = leaf(4, 3)
        Given.gradient = paddle.ones(shape)
        with pytest.raises(RuntimeError, match=r"\[4, 3\]"):
            Given.apply(F.softmax(x, -1)).sum().backward()
    for shape, dtype in (([4, 3], "float64"), ([12], "float32"), ([4, 3, 1], "float16")):
        x = leaf(4, 3)
        Given.gradient = paddle.ones(shape, dtype)
        Given.apply(F.softmax(x, -1)).sum().backward()
        assert x.grad.shape == [4, 3] and x.grad.dtype == paddle.float32


def test_a_root_takes_gradients_of_another_dtype():
    x = leaf(1, 1, 4, 4)
    y = F.max_pool2d(x, 2)
    (g,) = paddle.grad(y, x, paddle.ones([1, 1, 2, 2], "float64"))
    assert g.dtype == paddle.float32 and g.numpy().sum() == 4


def test_shared_buffers_keep_their_pattern():
    small, x = t(3), t(1).expand([1000])
    x._share_buffer_to(small)
    assert small.shape == [1000] and small.sum().item() == 1000


def test_arange_over_the_range():
    got = paddle.arange(MIN, MAX, 2**62, dtype="int64").numpy().tolist()
    assert got == list(range(MIN, MAX, 2**62))


@pytest.mark.parametrize(
    "shape,w,kw",
    [
        ((0, 2, 5), (3, 2, 3), {}),
        ((2, 0, 5), (3, 0, 3), {}),
        ((2, 2, 5), (0, 2, 3), {}),
        ((2, 2, 0), (3, 2, 3), {"padding": 2}),
        ((2, 2, 5), (4, 2, 3), {"groups": 1, "stride": 2**31 - 1}),
    ],
)
def test_convolution_of_nothing(shape, w, kw):
    x, f = leaf(*shape), leaf(*w)
    y = F.conv1d(x, f, **kw)
    assert not y.numpy().any() or 0 not in (*shape, *w)
    y.sum().backward()
    assert x.grad.shape == list(shape) and f.grad.shape == list(w)
    if 0 in shape or 0 in w:
        assert not x.grad.numpy().any() and not f.grad.numpy().any()


def test_transposed_convolution_sizes():
    assert F.conv2d_transpose(t(1, 1, 5, 5), t(1, 1, 1, 1), padding=1).shape == [1, 1, 3, 3]
    assert F.conv2d_transpose(t(1, 1, 2, 2), t(1, 1, 1, 1), padding=1).shape == [1, 1, 0, 0]
    assert F.conv2d_transpose(paddle.zeros([1, 1, 0, 5]), t(1, 1, 1, 1)).shape == [1, 1, 0, 5]
    x = leaf(1, 1, 5, 5)
    F.conv2d_transpose(x, t(1, 1, 1, 1), padding=1).sum().backward()
    want = np.zeros((5, 5), "float32")
    want[1:4, 1:4] = 1
    np.testing.assert_array_equal(x.grad.numpy()[0, 0], want)


def test_memory_is_usable_after_refusals():
    for _ in range(50):
        with pytest.raises(MemoryError):
            paddle.zeros([2**45])
    np.testing.assert_array_equal((paddle.arange(5) + 1).numpy(), [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    'name, call',
    [
        ('reshape', lambda x: paddle.reshape(x, [2**62, 4])),
        ('reshape', lambda x: x.view([2**62, 4])),
        ('expand', lambda x: paddle.expand(x, [2**62, 4])),
        ('as_strided', lambda x: paddle.as_strided(x, [2**62, 4], [1, 1])),
        ('tile', lambda x: paddle.tile(paddle.ones([4]), [2**62])),
        ('zeros', lambda x: paddle.zeros([2**50, 2**50])),
        ('gaussian', lambda x: paddle._C_ops.gaussian([2], paddle.ones([3]), 1.0, 0, 'float32')),
    ],
)
def test_what_is_refused_below_an_operation_names_it(name, call):
    with pytest.raises((ValueError, MemoryError), match=rf'^\[{name}\]'):
        call(paddle.ones([1]))


@pytest.mark.parametrize('start, want', [(-(2**31), 2), (-3, 2), (-2, 2), (-1, 4), (0, 2), (1, 4)])
def test_extents_from_a_slice_of_a_shape(start, want):
    def made(x):
        n = paddle.slice(paddle.shape(x), [0], [start], [2])[0]
        return paddle.full([n, 3], 1.5)

    spec = [paddle.static.InputSpec([None, 4], 'float32')]
    assert paddle.jit.to_static(made, input_spec=spec, full_graph=True)(t(2, 4)).shape == [want, 3]


@pytest.mark.parametrize('dtype, want', [('bool', 1), ('int32', 6), ('int64', 6)])
def test_extents_that_were_cast(dtype, want):
    def made(x):
        return paddle.full([paddle.cast(paddle.cast(paddle.shape(x)[0], dtype), 'int64'), 3], 1.5)

    spec = [paddle.static.InputSpec([None, 4], 'float32')]
    assert paddle.jit.to_static(made, input_spec=spec, full_graph=True)(t(6, 4)).shape == [want, 3]
