# SPDX-License-Identifier: Apache-2.0
"""Bad input: PaddlePaddle's exception type, and a message that names the op, what was expected and
what came.
"""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def t(*shape, dtype="float32"):
    return paddle.ones(list(shape)).astype(dtype)


def leaf(*shape):
    x = t(*shape)
    x.stop_gradient = False
    return x


def ints(*values):
    return paddle.to_tensor(np.array(values, "int64"))


# name: (call, exception, what the message must hold)
CASES = {
    # Shapes that do not fit.
    "add_shapes": (lambda: t(2, 3) + t(4, 3), ValueError, ["add", "[2, 3]", "[4, 3]"]),
    "where_shapes": (
        lambda: paddle.where(t(2, dtype="bool"), t(3), t(4)),
        ValueError,
        ["where", "[2]", "[3]"],
    ),
    "matmul_inner": (
        lambda: paddle.matmul(t(2, 3), t(4, 5)),
        ValueError,
        ["matmul", "[2, 3]", "[4, 5]"],
    ),
    "matmul_batch": (
        lambda: paddle.matmul(t(2, 2, 3), t(3, 3, 4)),
        ValueError,
        ["matmul", "broadcast", "[2]", "[3]"],
    ),
    "matmul_0d": (lambda: paddle.matmul(t(), t(3)), ValueError, ["matmul", "at least 1", "[]"]),
    "bmm_rank": (lambda: paddle.bmm(t(2, 3), t(3, 2)), ValueError, ["bmm", "3 axes", "[2, 3]"]),
    "linear_features": (
        lambda: paddle.nn.Linear(3, 4)(t(2, 5)),
        ValueError,
        ["linear", "[2, 5]", "[3, 4]"],
    ),
    "reshape_size": (lambda: t(2, 3).reshape([4, 2]), ValueError, ["reshape", "[4, 2]", "[2, 3]"]),
    "reshape_two_unknown": (lambda: t(2, 3).reshape([-1, -1]), ValueError, ["reshape", "[-1, -1]"]),
    "expand": (lambda: t(2, 3).expand([2, 4]), ValueError, ["expand", "[2, 4]", "[2, 3]"]),
    "transpose_repeat": (
        lambda: paddle.transpose(t(2, 3), [0, 0]),
        ValueError,
        ["transpose", "perm", "[0, 0]"],
    ),
    "transpose_length": (
        lambda: paddle.transpose(t(2, 3), [0, 1, 2]),
        ValueError,
        ["transpose", "2 axes", "[0, 1, 2]"],
    ),
    "concat_shapes": (
        lambda: paddle.concat([t(2, 3), t(2, 4)]),
        ValueError,
        ["concat", "[2, 3]", "[2, 4]"],
    ),
    "concat_ranks": (
        lambda: paddle.concat([t(2, 3), t(2)]),
        ValueError,
        ["concat", "rank", "[2, 3]", "[2]"],
    ),
    "concat_nothing": (lambda: paddle.concat([]), ValueError, ["concat"]),
    "stack_shapes": (
        lambda: paddle.stack([t(2, 3), t(3, 2)]),
        ValueError,
        ["stack", "[2, 3]", "[3, 2]"],
    ),
    "split_uneven": (lambda: paddle.split(t(5, 2), 2), ValueError, ["split", "5", "2"]),
    "split_sections": (lambda: paddle.split(t(5, 2), [2, 2]), ValueError, ["split", "5", "[2, 2]"]),
    "tile_negative": (
        lambda: paddle.tile(t(3), [-1]),
        ValueError,
        ["tile", "repeat_times", "[-1]"],
    ),
    "conv_channels": (
        lambda: F.conv2d(t(1, 3, 5, 5), t(4, 2, 3, 3)),
        ValueError,
        ["conv", "channels", "[1, 3, 5, 5]", "[4, 2, 3, 3]"],
    ),
    "conv_rank": (lambda: F.conv2d(t(3, 5, 5), t(4, 3, 3, 3)), ValueError, ["4 axes", "[3, 5, 5]"]),
    "conv_filter_too_large": (
        lambda: F.conv2d(t(1, 1, 2, 2), t(1, 1, 5, 5)),
        ValueError,
        ["conv", "5", "[1, 1, 2, 2]"],
    ),
    "conv_stride_zero": (
        lambda: F.conv2d(t(1, 1, 5, 5), t(1, 1, 3, 3), stride=0),
        ValueError,
        ["conv", "positive strides", "[0, 0]"],
    ),
    "pool_kernel_zero": (
        lambda: F.max_pool2d(t(1, 1, 4, 4), 0),
        ValueError,
        ["pool", "positive", "[0, 0]"],
    ),
    "layer_norm_shape": (lambda: F.layer_norm(t(2, 3), 4), ValueError, ["[4]", "[2, 3]"]),
    "batch_norm_channels": (
        lambda: F.batch_norm(t(2, 3), t(4), t(4), t(4), t(4)),
        ValueError,
        ["batch_norm", "3", "[4]"],
    ),
    "cross_entropy_shapes": (
        lambda: F.cross_entropy(t(2, 3), ints(0, 1, 2)),
        ValueError,
        ["cross_entropy", "[2, 3]", "[3, 1]"],
    ),
    "inv_not_square": (lambda: paddle.linalg.inv(t(2, 3)), ValueError, ["inv", "square", "[2, 3]"]),
    "topk_too_many": (lambda: paddle.topk(t(3), 5), ValueError, ["topk", "3", "5"]),
    "negative_extent": (
        lambda: paddle.zeros([-2, 3]),
        ValueError,
        ["full", "non-negative", "[-2, 3]"],
    ),
    # Dtypes.
    "add_dtypes": (lambda: t(2) + t(2, dtype="int32"), TypeError, ["add", "float32", "int32"]),
    "add_bool": (lambda: t(2, dtype="bool") + t(2), TypeError, ["add", "bool", "float32"]),
    "inplace_dtype": (
        lambda: t(3, dtype="int32").add_(t(3)),
        TypeError,
        ["add", "int32", "float32"],
    ),
    "softmax_int": (
        lambda: F.softmax(t(2, 3, dtype="int32")),
        RuntimeError,
        ["softmax", "floating", "int32"],
    ),
    "where_condition": (
        lambda: paddle.where(t(2), t(2), t(2)),
        ValueError,
        ["condition", "bool", "float32"],
    ),
    "concat_dtypes": (
        lambda: paddle.concat([t(2), t(2, dtype="int64")]),
        ValueError,
        ["concat", "one dtype", "float32", "int64"],
    ),
    "stack_dtypes": (
        lambda: paddle.stack([t(2), t(2, dtype="int64")]),
        ValueError,
        ["stack", "one dtype", "float32", "int64"],
    ),
    "unknown_dtype": (lambda: paddle.zeros([2], dtype="float31"), TypeError, ["float31"]),
    "cast_unknown": (lambda: t(2).astype("floaty"), TypeError, ["floaty"]),
    # Axes and indices.
    "sum_axis": (lambda: paddle.sum(t(2, 3), axis=2), ValueError, ["sum", "axis", "[-2, 2)", "2"]),
    "max_axis": (lambda: paddle.max(t(2, 3), axis=-3), ValueError, ["max", "[-2, 2)", "-3"]),
    "argmax_axis": (lambda: paddle.argmax(t(2, 3), axis=5), ValueError, ["argmax", "[-2, 2)", "5"]),
    "softmax_axis": (lambda: F.softmax(t(2, 3), axis=3), ValueError, ["softmax", "[-2, 2)", "3"]),
    "squeeze_axis": (lambda: t(2, 3).squeeze(5), ValueError, ["squeeze", "[-2, 2)", "5"]),
    "unsqueeze_axis": (lambda: t(2, 3).unsqueeze(5), ValueError, ["unsqueeze", "[-3, 3)", "5"]),
    "concat_axis": (
        lambda: paddle.concat([t(2, 3), t(2, 3)], axis=2),
        ValueError,
        ["concat", "[-2, 2)", "2"],
    ),
    "norm_axis": (lambda: paddle.norm(t(2, 3), axis=4), ValueError, ["norm", "[-2, 2)", "4"]),
    "cumsum_axis": (lambda: paddle.cumsum(t(3), axis=2), IndexError, ["cumsum", "[-1, 1)", "2"]),
    "cumprod_axis": (lambda: paddle.cumprod(t(3), 2), ValueError, ["cumprod", "[-1, 1)", "2"]),
    "flip_axis": (lambda: paddle.flip(t(3), [2]), ValueError, ["flip", "[-1, 1)", "2"]),
    "roll_axis": (lambda: paddle.roll(t(3), 1, 2), ValueError, ["roll", "[-1, 1)", "2"]),
    "index_too_large": (lambda: t(2, 3)[2], IndexError, ["index", "-2 to 1", "2"]),
    "index_too_small": (lambda: t(2, 3)[-3], IndexError, ["index", "-2 to 1", "-3"]),
    "index_too_many": (lambda: t(2, 3)[0, 0, 0], IndexError, ["index", "at most 2", "3"]),
    "index_mask": (lambda: t(2, 3)[t(3, dtype="bool")], IndexError, ["index", "mask", "2", "3"]),
    "index_kind": (lambda: t(2, 3)["a"], ValueError, ["index", "integers", "str"]),
    "setitem_shape": (
        lambda: t(2, 3).__setitem__(0, t(4)),
        ValueError,
        ["__setitem__", "[3]", "[4]"],
    ),
    "gather_index": (
        lambda: paddle.gather(t(2, 3), ints(3)),
        IndexError,
        ["gather", "[-2, 2)", "3"],
    ),
    "take_along_axis_index": (
        lambda: paddle.take_along_axis(t(2, 3), ints([3]), 1),
        IndexError,
        ["take_along_axis", "[-3, 3)", "3"],
    ),
    "put_along_axis_index": (
        lambda: paddle.put_along_axis(t(2, 3), ints([3]), 1.0, 1),
        IndexError,
        ["put_along_axis", "[-3, 3)", "3"],
    ),
    "scatter_index": (
        lambda: paddle.scatter(t(2, 3), ints(2), t(1, 3)),
        IndexError,
        ["scatter", "[-2, 2)", "2"],
    ),
    "one_hot_index": (lambda: F.one_hot(ints(4), 4), ValueError, ["one_hot", "[0, 4)", "4"]),
    "cross_entropy_label": (
        lambda: F.cross_entropy(t(2, 3), ints(0, 3)),
        IndexError,
        ["cross_entropy", "[0, 3)", "3"],
    ),
    # Values.
    "huge": (lambda: paddle.zeros([1 << 45]), MemoryError, ["memory", str(1 << 47)]),
    "arange_step": (lambda: paddle.arange(0, 5, 0), ValueError, ["arange", "step", "0"]),
    "linspace_num": (lambda: paddle.linspace(0, 1, -1), ValueError, ["linspace", "num", "-1"]),
    "dropout_p": (lambda: F.dropout(t(2), p=1.5), ValueError, ["p", "from 0 to 1"]),
    "inv_singular": (
        lambda: paddle.linalg.inv(paddle.zeros([2, 2])),
        ValueError,
        ["inverse", "ingular"],
    ),
    "cholesky_not_positive": (
        lambda: paddle.linalg.cholesky(-t(2, 2)),
        ValueError,
        ["cholesky", "positive definite"],
    ),
    "multinomial_draws": (
        lambda: paddle.multinomial(t(3), 5),
        ValueError,
        ["multinomial", "5", "3"],
    ),
    "ragged": (lambda: paddle.to_tensor([[1, 2], [3]]), ValueError, ["equal lengths"]),
    "object": (lambda: paddle.to_tensor(object()), TypeError, ["object"]),
    "item_of_many": (lambda: t(2).item(), ValueError, ["one element", "[2]"]),
    "device": (lambda: paddle.set_device("banana"), ValueError, ["banana"]),
    # Calls.
    "too_many_arguments": (lambda: paddle.add(t(2), t(2), t(2), t(2)), TypeError, ["add()", "4"]),
    "missing_argument": (lambda: paddle.add(t(2)), TypeError, ["add()", "'y'"]),
    "unknown_keyword": (lambda: paddle.add(t(2), t(2), foo=1), TypeError, ["add()", "'foo'"]),
    "not_a_tensor": (lambda: F.relu("x"), ValueError, ["[relu]", "x to be a Tensor", "str"]),
    "optimizer_without_parameters": (
        lambda: paddle.optimizer.SGD(learning_rate=0.1),
        AttributeError,
        ["parameters"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_call(name):
    fn, error, words = CASES[name]
    with pytest.raises(error) as e:
        fn()
    assert type(e.value) is error
    missing = [w for w in words if w not in str(e.value)]
    assert not missing, f"{missing} not in {str(e.value)!r}"


def message(error, fn):
    with pytest.raises(error) as e:
        fn()
    return str(e.value)


def test_inplace_on_a_leaf_that_needs_a_gradient():
    x = leaf(2, 3)
    text = message((ValueError, RuntimeError), lambda: x.add_(t(2, 3)))
    assert "add_" in text and "leaf" in text
    np.testing.assert_array_equal(x.numpy(), np.ones((2, 3)))  # refused before anything was written


def test_inplace_operand_larger_than_the_target():
    x = t(3)
    text = message(ValueError, lambda: x.add_(t(2, 3)))
    assert "add_" in text and "[3]" in text and "[2, 3]" in text
    np.testing.assert_array_equal(x.numpy(), np.ones(3))


def test_second_backward_needs_retain_graph():
    x = leaf(2, 3)
    y = (x * x).sum()
    y.backward()
    assert "retain_graph" in message(SystemError, y.backward)
    z = (x * x).sum()
    z.backward(retain_graph=True)
    z.backward()
    np.testing.assert_allclose(x.grad.numpy(), np.full((2, 3), 6.0))


@pytest.mark.parametrize("which", ["x", "out"])
def test_saved_tensor_modified(which):
    x = leaf(2, 3) * 1
    y = x * x if which == "x" else paddle.exp(x)
    (x if which == "x" else y).add_(t(2, 3))
    text = message(RuntimeError, y.sum().backward)
    assert (
        ("multiply" if which == "x" else "exp") in text
        and "version 0" in text
        and "version 1" in text
    )


def test_backward_with_a_gradient_of_another_shape():
    text = message((AssertionError, ValueError), lambda: (leaf(2, 3) * 1).backward(t(4)))
    assert "[2, 3]" in text and "[4]" in text


def test_grad_of_an_unused_input():
    assert "allow_unused" in message(ValueError, lambda: paddle.grad([leaf(2).sum()], [leaf(2)]))
    assert paddle.grad([leaf(2).sum()], [leaf(2)], allow_unused=True) == [None]


@pytest.mark.parametrize("damage", ["noise", "cut", "empty"])
def test_damaged_parameters(tmp_path, damage):
    path = tmp_path / "model.pdparams"
    paddle.save({"w": t(100, 100)}, str(path))
    data = path.read_bytes()
    path.write_bytes(
        {"noise": b"\x80\x02garbage", "cut": data[: len(data) // 2], "empty": b""}[damage]
    )
    text = message(EOFError if damage == "empty" else ValueError, lambda: paddle.load(str(path)))
    assert "model.pdparams" in text


def test_missing_parameters():
    assert "no_such.pdparams" in message(ValueError, lambda: paddle.load("no_such.pdparams"))


def test_set_value_of_another_shape():
    text = message(AssertionError, lambda: t(2, 3).set_value(t(3, 3)))
    assert "[2, 3]" in text and "[3, 3]" in text


@pytest.mark.parametrize("kind", [float, int, bool])
def test_number_of_many_elements(kind):
    message(AssertionError, lambda: kind(t(2)))


def test_state_is_whole_after_an_error():
    """An error inside a call leaves gradients, grad mode and later results as they were."""
    x = leaf(2, 3)
    for _ in range(3):
        with pytest.raises(ValueError):
            paddle.matmul(x, x)
    assert paddle.is_grad_enabled() and x.grad is None
    (x * 2).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.full((2, 3), 2.0))
