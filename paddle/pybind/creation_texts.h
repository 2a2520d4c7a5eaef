// SPDX-License-Identifier: Apache-2.0
// Documentation of the functions that make tensors, in full form.
#pragma once

// Arguments that such functions share.
#define PADDLE_SHAPE_AND_DTYPE                                                    \
  "Args:\n"                                                                       \
  "    shape (int, list of ints or Tensor, or several arguments): The extents.\n" \
  "    dtype (str or dtype, default None): The element type; None: the default dtype.\n"
#define PADDLE_MADE                                                                           \
  "    name (str, default None): Taken for compatibility; it has no effect.\n"                \
  "    out (Tensor, default None): A tensor that takes the result.\n"                         \
  "    device (str or place, default None): Where the data lies; None: the current device.\n" \
  "    requires_grad (bool, default False): Whether gradients reach it.\n"                    \
  "    pin_memory (bool, default False): Whether the memory is page-locked, for copies to a device.\n"

namespace paddle::py {

inline constexpr char kZerosText[] = R"(A tensor of zeros.

)" PADDLE_SHAPE_AND_DTYPE PADDLE_MADE R"(
Returns:
    Tensor: zeros of that shape.

Examples:
    >>> paddle.zeros([2, 3]).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    >>> paddle.zeros(2, 2, dtype='int64').dtype
    paddle.int64
)";

inline constexpr char kOnesText[] = R"(A tensor of ones.

)" PADDLE_SHAPE_AND_DTYPE PADDLE_MADE R"(
Returns:
    Tensor: ones of that shape.

Examples:
    >>> paddle.ones([2, 3]).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    >>> paddle.ones(3, dtype='int32').tolist()
    [1, 1, 1]
)";

inline constexpr char kEmptyText[] =
    R"(A tensor whose elements are whatever the memory holds: to be written before they are read.

)" PADDLE_SHAPE_AND_DTYPE PADDLE_MADE R"(
Returns:
    Tensor: a tensor of that shape.

Examples:
    >>> paddle.empty([2, 3]).shape
    paddle.Size([2, 3])
)";

inline constexpr char kFullText[] = R"(A tensor of one value.

Args:
    shape (int, list of ints or Tensor): The extents.
    fill_value (number, str or Tensor): What each element is; a string is read as a number.
    dtype (str or dtype, default None): The element type; None: bool for a
        bool, complex128 for a complex number, else the default dtype.
)" PADDLE_MADE R"(
Returns:
    Tensor: a tensor of that shape, all of whose elements are the value.

Examples:
    >>> paddle.full([2, 2], 0.5).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    >>> paddle.full([2], 7, dtype='int64').tolist()
    [7, 7]
    >>> paddle.full([1], True).dtype
    paddle.bool
)";

inline constexpr char kToTensorText[] =
    R"(A tensor that has the values of numbers, sequences of them or arrays. The values are copied.

Args:
    data (Tensor, array, list, tuple or number): The values; sequences nest to make dimensions.
    dtype (str or dtype, default None): The element type; None: that of an array or tensor, of Python
        numbers int64, bool, complex of the default dtype's width, or the default dtype.
    place (str or place, default None): Where the data lies; None: the current device. Also `device`.
    stop_gradient (bool, default True): Whether gradients stop here.

Returns:
    Tensor: a leaf with the values.

Raises:
    ValueError: Sequences side by side are of unequal lengths.

Examples:
    >>> paddle.to_tensor([[1, 2], [3, 4]]).dtype
    paddle.int64
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
)";

#undef PADDLE_SHAPE_AND_DTYPE
#undef PADDLE_MADE

}  // namespace paddle::py
