# SPDX-License-Identifier: Apache-2.0
"""Every elementwise op against NumPy: dtypes, broadcasting, strides, empty tensors, gradients of
two orders, in-place.
"""

import re

import numpy as np
import paddle
import pytest

import harness as h

ROWS = h.load_rows()
SHAPES = [(2, 1, 5), (3, 1), (2, 3, 5)]
LAYOUTS = [(4, 6), (4, 6), (4, 6)]


def named(rows):
    return [pytest.param(row, id=row["op"]) for row in rows]


def differentiable(row):
    return row["grads"] and not row.get("no_grad") and "float" in row["dtypes"]


FORWARD = [
    pytest.param(row, dtype, id=f"{row['op']}-{dtype}") for row in ROWS for dtype in h.dtypes(row)
]
GRAD = [row for row in ROWS if differentiable(row)]
NUMERIC = [row for row in GRAD if not row.get("skip_numeric_grad")]


def test_rows_are_there():
    assert len(ROWS) > 80


@pytest.mark.parametrize("row, dtype", FORWARD)
def test_forward(row, dtype):
    arrays = h.inputs(row, dtype, SHAPES)
    out = h.function(row)(*h.tensors(row, arrays, dtype))
    want_dtype = h.result_dtype(row, dtype)
    assert str(out.dtype) == f"paddle.{want_dtype}"
    want = h.expected(row, arrays, dtype)
    if want_dtype in h.TOLERANCE:
        tolerance = dtype if dtype in h.TOLERANCE and want_dtype != "bool" else want_dtype
        h.assert_close(h.to_numpy(out), want, tolerance, row["op"])
    else:
        h.assert_close(h.to_numpy(out), want.astype(want_dtype), want_dtype, row["op"])


@pytest.mark.parametrize("row", named(ROWS))
def test_layouts(row):
    """Any strides give the bits of the contiguous call; a 0-d tensor those of its element; an empty
    one is empty.
    """
    dtype = "float32" if "float" in row["dtypes"] else h.dtypes(row)[-1]
    arrays = h.inputs(row, dtype, LAYOUTS)
    fn, contiguous = h.function(row), h.tensors(row, arrays, dtype)
    want = h.to_numpy(fn(*contiguous))
    transposed = [t.t().contiguous().t() for t in contiguous]
    assert not transposed[0].is_contiguous()
    np.testing.assert_array_equal(h.to_numpy(fn(*transposed)), want)
    np.testing.assert_array_equal(
        h.to_numpy(fn(*[t[::2, 1::3] for t in contiguous])), want[::2, 1::3]
    )
    np.testing.assert_array_equal(h.to_numpy(fn(*[t.flip([1]) for t in contiguous])), want[:, ::-1])
    scalar = fn(*[t[1, 2] for t in contiguous])
    assert scalar.shape == []
    np.testing.assert_array_equal(h.to_numpy(scalar), want[1, 2])
    assert fn(*[t[:, :0] for t in contiguous]).shape == [4, 0]
    if len(contiguous) == 2:
        assert fn(contiguous[0][:0], contiguous[1][0]).shape == [0, 6]


def run_grad(row, arrays, dtype, weight, create_graph=False):
    xs = h.tensors(row, arrays, dtype, need_grad=True)
    out = h.function(row)(*xs)
    wanted = [x for x in xs if not x.stop_gradient]
    return xs, paddle.grad(
        [out],
        wanted,
        [paddle.to_tensor(weight).astype(out.dtype)],
        create_graph=create_graph,
        allow_unused=True,
    )


def smooth_shapes(row):
    return [(2, 1), (3,), (2, 3)] if len(row["tensors"]) > 1 else [(2, 3)]


def loss(row, arrays, weight):
    out = h.function(row)(
        *h.tensors(row, arrays, "complex128" if arrays[-1].dtype.kind == "c" else "float64")
    )
    return float(np.real(np.sum(np.conj(weight) * out.numpy())))


@pytest.mark.parametrize("row", named(NUMERIC))
def test_gradient(row):
    """First and second order against central differences in float64."""
    arrays = h.inputs(row, "float64", smooth_shapes(row), salt=1)
    rng = h.generator(row, 2)
    weight = rng.rand(*np.broadcast_shapes(*[a.shape for a in arrays])) + 0.5
    real = [i for i, a in enumerate(arrays) if a.dtype.kind == "f"]
    _, grads = run_grad(row, arrays, "float64", weight)
    for i, g in zip(real, grads):
        want = h.central_difference(lambda a: loss(row, a, weight), arrays, i)
        np.testing.assert_allclose(
            g.numpy(),
            want,
            rtol=2e-6,
            atol=2e-7,
            err_msg=f"{row['op']}: gradient of {row['tensors'][i]}",
        )
    if row.get("grad_order", 2) < 2:
        return
    mixes = [rng.rand(*arrays[i].shape) for i in real]

    def first_order(a):
        return sum(
            float(np.sum(m * g.numpy()))
            for m, g in zip(mixes, run_grad(row, a, "float64", weight)[1])
        )

    xs, grads = run_grad(row, arrays, "float64", weight, create_graph=True)
    total = sum((g * paddle.to_tensor(m)).sum() for m, g in zip(mixes, grads))
    wanted = [xs[i] for i in real]
    second = (
        [None] * len(real)
        if total.stop_gradient
        else paddle.grad([total], wanted, allow_unused=True)
    )
    for i, s in zip(real, second):
        want = h.central_difference(first_order, arrays, i)
        got = np.zeros_like(want) if s is None else s.numpy()
        np.testing.assert_allclose(
            got,
            want,
            rtol=1e-5,
            atol=1e-6,
            err_msg=f"{row['op']}: second gradient of {row['tensors'][i]}",
        )


@pytest.mark.parametrize("row", named([row for row in NUMERIC if "complex" in row["dtypes"]]))
def test_complex_gradient(row):
    arrays = h.inputs(row, "complex128", smooth_shapes(row), salt=3)
    rng = h.generator(row, 4)
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    weight = rng.rand(*shape) + 0.5 + (1j * rng.rand(*shape) if row["out"] != "real" else 0)
    _, grads = run_grad(row, arrays, "complex128", weight)
    for i, g in zip([i for i, a in enumerate(arrays) if a.dtype.kind == "c"], grads):
        want = h.central_difference(lambda a: loss(row, a, weight), arrays, i)
        np.testing.assert_allclose(
            g.numpy(),
            want,
            rtol=4e-6,
            atol=1e-6,
            err_msg=f"{row['op']}: gradient of {row['tensors'][i]}",
        )


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("row", named(GRAD))
def test_composed_gradient_equals_fused(row, dtype):
    arrays = h.inputs(row, dtype, SHAPES, salt=5)
    weight = (
        h.generator(row, 6).rand(*np.broadcast_shapes(*[a.shape for a in arrays])).astype("float32")
    )
    _, fused = run_grad(row, arrays, dtype, weight)
    _, composed = run_grad(row, arrays, dtype, weight, create_graph=True)
    for x, a, b in zip([x for x in arrays if x.dtype.kind == "f"], fused, composed):
        assert a.dtype == b.dtype and a.shape == b.shape == list(x.shape)
        rtol, atol = (2e-2, 4e-2) if dtype == "bfloat16" else (2e-5, 4e-6)
        np.testing.assert_allclose(h.to_numpy(a), h.to_numpy(b), rtol=rtol, atol=atol)


@pytest.mark.parametrize(
    "row", named([row for row in ROWS if row["inplace"] and not row.get("call")])
)
def test_inplace(row):
    """x.op_() is x = x.op(), for the value, the gradient and the version of x."""
    import importlib

    module, name = row["py"][0]
    fn, fn_ = h.function(row), getattr(importlib.import_module(module), name + "_")
    dtype = "float32" if "float" in row["dtypes"] else h.dtypes(row)[-1]
    arrays = h.inputs(row, dtype, LAYOUTS, salt=7)
    plain, changed = h.tensors(row, arrays, dtype), h.tensors(row, arrays, dtype)
    want = fn(*plain)
    got = fn_(*changed)
    assert got is changed[0] and changed[0].inplace_version == 1
    np.testing.assert_array_equal(changed[0].numpy(), want.numpy())
    if not differentiable(row):
        return
    ends = []
    for f in (fn, fn_):
        xs = h.tensors(row, arrays, dtype, need_grad=True)
        out = f(xs[0] * 1, *xs[1:])
        (out * out).sum().backward()
        ends.append([x.grad.numpy() for x in xs])
    for a, b in zip(*ends):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "row",
    named(
        [
            row
            for row in ROWS
            if not row["compute"] and row["op"] not in ("isnan", "isinf", "isfinite")
        ]
    ),
)
def test_unsupported_dtype_raises(row):
    """A dtype outside the stanza's is refused by name, never computed."""
    supported = h.dtypes(row)
    for dtype in ("bool", "int64", "float32", "complex64"):
        if dtype in supported:
            continue
        xs = h.tensors(row, h.inputs(row, dtype, LAYOUTS), dtype)
        with pytest.raises((RuntimeError, TypeError, ValueError), match=dtype):
            h.function(row)(*xs)


@pytest.mark.parametrize("row", named(ROWS))
def test_any_length(row):
    """Vector tails, several blocks and several threads give each element the bits it has alone."""
    dtype = "float32" if "float" in row["dtypes"] else h.dtypes(row)[-1]
    n = 70001
    arrays = h.inputs(row, dtype, [(n,)] * 3, salt=8)
    fn, xs = h.function(row), h.tensors(row, arrays, dtype)
    want = h.to_numpy(fn(*xs))
    for at in (1, 7, 16, 33, 64, 1000):
        np.testing.assert_array_equal(
            h.to_numpy(fn(*[x[3 : 3 + at] for x in xs])), want[3 : 3 + at]
        )
    for at in (0, 1, n // 2, n - 1):
        np.testing.assert_array_equal(h.to_numpy(fn(*[x[at] for x in xs])), want[at])
    if len(xs) > 1:
        np.testing.assert_array_equal(
            h.to_numpy(fn(xs[0], *[x[5] for x in xs[1:]]))[::997],
            h.to_numpy(fn(xs[0][::997], *[x[5] for x in xs[1:]])),
        )


SPECIAL = [
    float("nan"),
    float("inf"),
    -float("inf"),
    0.0,
    -0.0,
    1e-30,
    -1e-30,
    3e37,
    -3e37,
    1.0,
    -1.0,
    0.5,
    -0.5,
    100.0,
    -100.0,
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "row", named([row for row in ROWS if "float" in row["dtypes"] and len(row["tensors"]) < 3])
)
def test_special_values(row, dtype):
    """NaN, infinities, signed zeros and extremes, alone and in pairs, as NumPy has them."""
    a = np.array(SPECIAL, dtype)
    arrays = [a] if len(row["tensors"]) == 1 else [a[:, None], a[None, :]]
    out = h.to_numpy(h.function(row)(*h.tensors(row, arrays, dtype)))
    want = h.expected(row, arrays, dtype)
    with np.errstate(all="ignore"):
        want = want.astype(out.dtype)
    rtol, atol = h.TOLERANCE[dtype]
    np.testing.assert_allclose(out, want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    "row", named([row for row in ROWS if re.fullmatch("(less|greater)_(than|equal)", row["op"])])
)
def test_complex_numbers_compare_by_their_real_parts_first(row, dtype):
    parts = [complex(a, b) for a in (-1, 0, 2) for b in (-3, 0, 1)]
    x, y = np.meshgrid(np.array(parts, dtype), np.array(parts, dtype))
    got = h.function(row)(paddle.to_tensor(x), paddle.to_tensor(y))
    np.testing.assert_array_equal(got.numpy(), h.reference(row)(x, y))
