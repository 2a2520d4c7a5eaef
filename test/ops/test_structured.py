# SPDX-License-Identifier: Apache-2.0
"""Structured ops against NumPy: values, gradients of two orders by differences, the fused gradient,
strided inputs.
"""

import numpy as np
import paddle
import pytest

import harness as h
from rows import FROZEN, ROWS

GRAD = [r for r in ROWS if r.grad]


def named(rows):
    return [pytest.param(row, id=row.name) for row in rows]


def arrays_of(row, dtype="float64", salt=0):
    rng = h.generator({"op": row.name}, salt)
    out = []
    for i in row.inputs:
        if isinstance(i, tuple):
            out.append((rng.rand(*i) * (row.high - row.low) + row.low).astype(dtype))
        else:
            out.append(i.astype(dtype) if i.dtype.kind == "f" else i)
    return out


def tensors_of(row, arrays, need_grad=False):
    xs = [paddle.to_tensor(a) for a in arrays]
    for x, i in zip(xs, row.inputs):
        x.stop_gradient = not (need_grad and isinstance(i, tuple))
    return xs


def loss(row, arrays, weight):
    return float(np.sum(row.call(*tensors_of(row, arrays)).numpy() * weight))


def grads_of(row, arrays, weight, create_graph=False):
    xs = tensors_of(row, arrays, need_grad=True)
    out = row.call(*xs)
    wanted = [x for x in xs if not x.stop_gradient]
    return wanted, paddle.grad(
        [out],
        wanted,
        [
            paddle.to_tensor(
                weight.astype(arrays[0].dtype if arrays[0].dtype.kind == "f" else weight.dtype)
            )
        ],
        create_graph=create_graph,
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("row", named(ROWS))
def test_value(row, dtype):
    arrays = arrays_of(row, dtype)
    want = np.asarray(row.ref(*[a.astype("float64") if a.dtype.kind == "f" else a for a in arrays]))
    rtol, atol = (1e-12, 1e-12) if dtype == "float64" else (2e-5, 1e-5)
    out = row.call(*tensors_of(row, arrays)).numpy()
    assert out.shape == want.shape and (row.name == "cast" or str(out.dtype) == dtype)
    np.testing.assert_allclose(out, want, rtol=rtol, atol=atol)
    strided = []
    for x in tensors_of(row, arrays):  # the same values behind other strides
        strided.append(
            x.transpose(list(range(x.ndim))[::-1]).contiguous().transpose(list(range(x.ndim))[::-1])
            if x.ndim > 1
            else x
        )
    np.testing.assert_allclose(row.call(*strided).numpy(), want, rtol=rtol, atol=atol)


@pytest.mark.parametrize("row", named(GRAD))
def test_gradient(row):
    arrays = arrays_of(row, salt=1)
    rng = h.generator({"op": row.name}, 2)
    weight = rng.rand(*row.ref(*arrays).shape) + 0.5 if row.ref(*arrays).shape else np.asarray(1.5)
    floats = [i for i, a in enumerate(row.inputs) if isinstance(a, tuple)]
    _, fused = grads_of(row, arrays, weight)
    for i, g in zip(floats, fused):
        want = h.central_difference(lambda a: loss(row, a, weight), arrays, i)
        np.testing.assert_allclose(
            g.numpy(), want, rtol=4e-6, atol=4e-7, err_msg=f"{row.name}: gradient of input {i}"
        )
    if not row.second:
        return
    xs, composed = grads_of(row, arrays, weight, create_graph=True)
    for a, b in zip(fused, composed):
        np.testing.assert_allclose(
            a.numpy(),
            b.numpy(),
            rtol=1e-9,
            atol=1e-10,
            err_msg=f"{row.name}: create_graph changes the gradient",
        )
    if not row.second:
        return
    mixes = [rng.rand(*arrays[i].shape) for i in floats]

    def first_order(a):
        return sum(float(np.sum(m * g.numpy())) for m, g in zip(mixes, grads_of(row, a, weight)[1]))

    total = sum((g * paddle.to_tensor(m)).sum() for m, g in zip(mixes, composed))
    second = (
        [None] * len(xs) if total.stop_gradient else paddle.grad([total], xs, allow_unused=True)
    )
    for i, s in zip(floats, second):
        want = h.central_difference(first_order, arrays, i)
        got = np.zeros_like(want) if s is None else s.numpy()
        np.testing.assert_allclose(
            got, want, rtol=2e-5, atol=2e-6, err_msg=f"{row.name}: second gradient of input {i}"
        )


@pytest.mark.parametrize("mode", ["upscale_in_train", "downscale_in_infer"])
def test_dropout_keeps_or_zeroes(mode):
    """Kept values are scaled as the mode says, and the gradient passes exactly where the value
    did.
    """
    x = paddle.to_tensor(np.linspace(1, 2, 4000).astype("float32"))
    x.stop_gradient = False
    out = paddle.nn.functional.dropout(x, 0.25, mode=mode)
    out.sum().backward()
    scale = 1 / 0.75 if mode == "upscale_in_train" else 1.0
    kept = out.numpy() != 0
    assert 0.7 < kept.mean() < 0.8
    np.testing.assert_allclose(out.numpy(), np.where(kept, x.numpy() * scale, 0), rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), np.where(kept, scale, 0), rtol=1e-6)
    test = paddle.nn.functional.dropout(x, 0.25, training=False, mode=mode).numpy()
    np.testing.assert_allclose(
        test, x.numpy() * (1 if mode == "upscale_in_train" else 0.75), rtol=1e-6
    )


@pytest.mark.parametrize(
    "src",
    ["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool", "complex64"],
)
@pytest.mark.parametrize(
    "dst",
    ["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool", "complex64"],
)
def test_cast(src, dst):
    rng = h.generator({"op": "cast"})
    a = h.values(rng, (3, 7), src, 0, 50)
    x = paddle.to_tensor(a).astype(src)
    got = x.astype(dst)
    assert str(got.dtype) == f"paddle.{dst}"
    wide = a.real if src == "complex64" and dst != "complex64" and dst != "bool" else a
    if dst == "bfloat16":
        bits = np.asarray(wide, "float32").view("uint32").astype("uint64")
        want = (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) << 16).astype("uint32").view("float32")
    else:
        want = wide.astype(dst)
    np.testing.assert_array_equal(h.to_numpy(got), want)


@pytest.mark.parametrize("call", FROZEN)
def test_random_values(call):
    """Bit-equal to the published package: the seed, the generator, the distributions and the order
    of draws are one contract.
    """
    paddle.seed(42)
    got = eval(call, {"paddle": paddle}).numpy()
    np.testing.assert_array_equal(got, np.asarray(FROZEN[call], got.dtype))


def test_random_values_repeat():
    paddle.seed(7)
    first, then = paddle.randn([5]), paddle.randn([5])
    paddle.seed(7)
    np.testing.assert_array_equal(paddle.randn([5]).numpy(), first.numpy())
    assert (then.numpy() != first.numpy()).all()


# Gradients where a rule has a choice: (call, inputs, gradients of PaddlePaddle 3.3.1).
CHOICES = {
    "maximum_tie": (paddle.maximum, [[1, 2], [1, 3]], [[0.5, 0], [0.5, 1]]),
    "minimum_tie": (paddle.minimum, [[1, 2], [1, 3]], [[0.5, 1], [0.5, 0]]),
    "fmax_tie": (paddle.fmax, [[1, 2], [1, 3]], [[1, 0], [0, 1]]),
    "fmin_tie": (paddle.fmin, [[1, 2], [1, 3]], [[1, 1], [0, 0]]),
    "logaddexp_tie": (paddle.logaddexp, [[2], [2]], [[0.5], [0.5]]),
    "amax_tie": (paddle.amax, [[1, 2, 2]], [[0, 0.5, 0.5]]),
    "amin_tie": (paddle.amin, [[1, 1, 2]], [[0.5, 0.5, 0]]),
    "max_pool_tie": (lambda x: paddle.nn.functional.max_pool1d(x, 2), [[[[1, 1]]]], [[[[1, 0]]]]),
    "pow_zero": (paddle.pow, [[0, 0], [0, 2]], [[0, 0], [0, 0]]),
    "norm_zero": (paddle.norm, [[0, 0]], [[0, 0]]),
    "abs_zero": (paddle.abs, [[0, -1]], [[0, -1]]),
    "relu_zero": (paddle.nn.functional.relu, [[0, 1]], [[0, 1]]),
    "leaky_relu_zero": (paddle.nn.functional.leaky_relu, [[0]], [[1]]),
    "clip_bounds": (lambda x: paddle.clip(x, 0, 1), [[0, 1, 2]], [[1, 1, 0]]),
    "relu6_bounds": (paddle.nn.functional.relu6, [[0, 6]], [[0, 0]]),
    "hardtanh_bounds": (paddle.nn.functional.hardtanh, [[-1, 1]], [[0, 0]]),
    "hardswish_bounds": (paddle.nn.functional.hardswish, [[-3, 3]], [[0, 1]]),
    "hardshrink_bounds": (paddle.nn.functional.hardshrink, [[-0.5, 0.4]], [[1, 0]]),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("name", CHOICES)
def test_gradient_where_a_rule_has_a_choice(name, create_graph):
    call, values, want = CHOICES[name]
    xs = [paddle.to_tensor(np.array(v, "float32"), stop_gradient=False) for v in values]
    for g, w in zip(paddle.grad([call(*xs)], xs, create_graph=create_graph), want):
        np.testing.assert_array_equal(g.numpy(), np.array(w, "float32"))


def test_cumprod_of_zero():
    """The first-order rule does not divide by x."""
    x = paddle.to_tensor(np.array([0, 2, 3], "float32"), stop_gradient=False)
    paddle.cumprod(x, 0).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.array([9, 0, 0], "float32"))


@pytest.mark.parametrize(
    "ignore, want", [(-100, 0.5493061542510986), (-1, 0.5493061542510986), (1, 1.0986123085021973)]
)
def test_cross_entropy_mean_of_ignored(ignore, want):
    """PaddlePaddle's mean leaves out ignored ids only where ignore_index is not negative."""
    out = paddle.nn.functional.cross_entropy(
        paddle.ones([2, 3]), paddle.to_tensor([0, ignore]), ignore_index=ignore
    )
    np.testing.assert_allclose(out.item(), want, rtol=1e-6)
