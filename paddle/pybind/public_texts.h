// SPDX-License-Identifier: Apache-2.0
// Documentation of the functions bound in public_functions.cc, in full form.
#pragma once

namespace paddle::py {

inline constexpr char kReshapeText[] = R"(x with another shape.

Args:
    x (Tensor): The values. Also `input`.
    shape (int, list of ints or Tensor, or several arguments): The extents; one -1 is
        inferred, 0 is the extent of x in that place. Also `size`.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: the same elements, a view where the memory allows.

Raises:
    ValueError: The elements do not fill the shape.

Examples:
    >>> paddle.reshape(paddle.ones([2, 3]), [3, -1]).shape
    paddle.Size([3, 2])
    >>> paddle.reshape(paddle.ones([2, 3]), [0, 3, 1]).shape
    paddle.Size([2, 3, 1])
)";

inline constexpr char kReshapeInplaceText[] = R"(x with another shape. In place.

Args:
    x (Tensor): The values. Also `input`.
    shape (int, list of ints or Tensor, or several arguments): The extents; one -1 is
        inferred, 0 is the extent of x in that place. Also `size`.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: x itself, with the result.

Raises:
    ValueError: The elements do not fill the shape.

Examples:
    >>> paddle.reshape_(paddle.ones([2, 3]), [3, 2]).shape
    paddle.Size([3, 2])
)";

inline constexpr char kExpandText[] = R"(x repeated along axes of extent 1.

Args:
    x (Tensor): The values. Also `input`.
    shape (int, list of ints or Tensor, or several arguments): The extents; -1 keeps that of
        x, further axes stand in front. Also `size`.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: the elements of x, repeated without being copied.

Examples:
    >>> paddle.expand(paddle.to_tensor([[1], [2]]), [2, 3]).tolist()
    [[1, 1, 1], [2, 2, 2]]
    >>> paddle.expand(paddle.ones([3]), [2, -1]).shape
    paddle.Size([2, 3])
)";

inline constexpr char kTransposeText[] = R"(x with its axes permuted, or two axes exchanged.

Args:
    x (Tensor): The values. Also `input`.
    perm (list of ints, or several arguments): Which axis stands in each place, or two axes as two arguments.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: the same elements, a view.

Examples:
    >>> paddle.transpose(paddle.ones([2, 3, 4]), [2, 0, 1]).shape
    paddle.Size([4, 2, 3])
    >>> x = paddle.ones([2, 3, 4])
    >>> paddle.swapaxes(x, 0, 1).shape == paddle.swapdims(x, 0, 1).shape
    True
    >>> paddle.transpose(x, 0, 1).shape
    paddle.Size([3, 2, 4])
)";

inline constexpr char kTransposeInplaceText[] = R"(x with its axes permuted, or two axes exchanged. In place.

Args:
    x (Tensor): The values. Also `input`.
    perm (list of ints, or several arguments): Which axis stands in each place, or two axes as two arguments.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: x itself, with the result.

Examples:
    >>> paddle.transpose_(paddle.ones([2, 3]), [1, 0]).shape
    paddle.Size([3, 2])
)";

inline constexpr char kMaxText[] = R"(The largest element, or those along axes.

Args:
    x (Tensor): The values. Also `input`.
    axis (int, list of ints or Tensor, default None): The axes that are reduced, counted from the
        end where negative; None for all.
    keepdim (bool, default False): Whether reduced axes stay, with extent 1.
    name (str, default None): Taken for compatibility; it has no effect.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the elements, without the reduced axes unless keepdim; the dtype of x.

Examples:
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.max(x).item()
    5.0
    >>> paddle.max(x, axis=1).tolist()
    [5.0, 3.0]
)";

inline constexpr char kMinText[] = R"(The smallest element, or those along axes.

Args:
    x (Tensor): The values. Also `input`.
    axis (int, list of ints or Tensor, default None): The axes that are reduced, counted from the
        end where negative; None for all.
    keepdim (bool, default False): Whether reduced axes stay, with extent 1.
    name (str, default None): Taken for compatibility; it has no effect.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the elements, without the reduced axes unless keepdim; the dtype of x.

Examples:
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.min(x).item()
    1.0
    >>> paddle.min(x, axis=1).tolist()
    [1.0, 2.0]
)";

inline constexpr char kMeanText[] = R"(Mean over the given axes, all by default.

Args:
    x (Tensor): The values. Also `input`.
    axis (int, list of ints or Tensor, default None): The axes that are reduced, counted from the
        end where negative; None for all. Also `dim`.
    keepdim (bool, default False): Whether reduced axes stay, with extent 1.
    name (str, default None): Taken for compatibility; it has no effect.
    dtype (str or dtype, default None): Dtype that x is cast to first; None for its own.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the means, without the reduced axes unless keepdim.

Examples:
    >>> x = paddle.to_tensor([[1.0, 5.0], [3.0, 2.0]])
    >>> paddle.mean(x).item()
    2.75
    >>> paddle.mean(x, axis=0, keepdim=True).tolist()
    [[2.0, 3.5]]
)";

inline constexpr char kScaleText[] = R"(x * scale + bias, or (x + bias) * scale.

Args:
    x (Tensor): The values.
    scale (number or Tensor, default 1.0): The factor.
    bias (number, default 0.0): What is added.
    bias_after_scale (bool, default True): Whether the bias is added to the product, else to x.
    act (str, default None): The name of an activation of `paddle.nn.functional` that is applied;
        None for none.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: the results, with the shape and dtype of x.

Examples:
    >>> paddle.scale(paddle.to_tensor([1.0, 2.0]), 2.0, 1.0).tolist()
    [3.0, 5.0]
    >>> paddle.scale(paddle.to_tensor([1.0, 2.0]), 2.0, 1.0, bias_after_scale=False).tolist()
    [4.0, 6.0]
)";

inline constexpr char kScaleInplaceText[] = R"(x * scale + bias, or (x + bias) * scale. In place.

Args:
    x (Tensor): The values.
    scale (number or Tensor, default 1.0): The factor.
    bias (number, default 0.0): What is added.
    bias_after_scale (bool, default True): Whether the bias is added to the product, else to x.
    act (str, default None): The name of an activation of `paddle.nn.functional` that is applied;
        None for none.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    Tensor: x itself, with the result.

Examples:
    >>> paddle.Tensor.scale_(paddle.to_tensor([1.0, 2.0]), 2.0, 1.0).tolist()
    [3.0, 5.0]
)";

inline constexpr char kWhereText[] =
    R"(x where the condition holds, y elsewhere; without them, the positions of true elements.

Args:
    condition (Tensor): bool; shapes broadcast.
    x (Tensor or number, default None): What stands where the condition holds. Also `input`.
    y (Tensor or number, default None): What stands elsewhere. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor or tuple of Tensors: the elements, or positions in int64, one tensor for each axis.

Examples:
    >>> c = paddle.to_tensor([True, False])
    >>> paddle.where(c, paddle.to_tensor([1, 2]), paddle.to_tensor([3, 4])).tolist()
    [1, 4]
    >>> [t.tolist() for t in paddle.where(c)]
    [[0]]
)";

inline constexpr char kPowText[] = R"(x to the power y.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The exponents; shapes broadcast. Also `exponent`.
    name (str, default None): Taken for compatibility; it has no effect.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the powers, with the broadcast shape.

Examples:
    >>> paddle.pow(paddle.to_tensor([2.0, 3.0]), 2).tolist()
    [4.0, 9.0]
    >>> paddle.pow(paddle.to_tensor([2.0, 3.0]), paddle.to_tensor([3.0, 0.5])).tolist()
    [8.0, 1.7321]
)";

inline constexpr char kClipText[] = R"(x limited to [min, max].

Args:
    x (Tensor): The values. Also `input`.
    min (number or Tensor, default None): The lower bound; None for none.
    max (number or Tensor, default None): The upper bound; None for none.
    name (str, default None): Taken for compatibility; it has no effect.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the limited values, with the shape of x.

Examples:
    >>> x = paddle.to_tensor([-2.0, 0.5, 3.0])
    >>> paddle.clip(x, 0.0, 1.0).tolist()
    [0.0, 0.5, 1.0]
    >>> paddle.clamp(x, max=1.0).tolist()
    [-2.0, 0.5, 1.0]
)";

inline constexpr char kAddText[] = R"(x + alpha * y with broadcasting.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The other values; shapes broadcast. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    alpha (number, default 1): The factor of y.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the results, with the broadcast shape and the promoted dtype.

Examples:
    >>> paddle.add(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
    [4.0, 6.0]
    >>> paddle.add(paddle.to_tensor([1.0, 2.0]), 1.0, alpha=2).tolist()
    [3.0, 4.0]
)";

inline constexpr char kAddInplaceText[] = R"(x + alpha * y with broadcasting. In place.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The other values; shapes broadcast. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    alpha (number, default 1): The factor of y.

Returns:
    Tensor: x itself, with the result.

Examples:
    >>> paddle.Tensor.add_(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
    [4.0, 6.0]
)";

inline constexpr char kSubtractText[] = R"(x - alpha * y with broadcasting.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The other values; shapes broadcast. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    alpha (number, default 1): The factor of y.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the results, with the broadcast shape and the promoted dtype.

Examples:
    >>> paddle.subtract(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
    [-2.0, -2.0]
    >>> paddle.sub(paddle.to_tensor([1.0, 2.0]), 1.0, alpha=2).tolist()
    [-1.0, 0.0]
)";

inline constexpr char kSubtractInplaceText[] = R"(x - alpha * y with broadcasting. In place.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The other values; shapes broadcast. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    alpha (number, default 1): The factor of y.

Returns:
    Tensor: x itself, with the result.

Examples:
    >>> paddle.Tensor.subtract_(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
    [-2.0, -2.0]
)";

inline constexpr char kDivideText[] = R"(x / y with broadcasting; integers divide as float32.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The other values; shapes broadcast. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    rounding_mode (str, default None): `floor` for the next integer below, `trunc` for that
        towards zero, None for no rounding.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the quotients, with the broadcast shape and the promoted dtype.

Examples:
    >>> paddle.divide(paddle.to_tensor([1.0, 7.0]), paddle.to_tensor([4.0, 2.0])).tolist()
    [0.25, 3.5]
    >>> paddle.div(paddle.to_tensor([-7.0]), 2.0, rounding_mode='floor').tolist()
    [-4.0]
)";

inline constexpr char kDivideInplaceText[] = R"(x / y with broadcasting; integers divide as float32. In place.

Args:
    x (Tensor): The values. Also `input`.
    y (Tensor or number): The other values; shapes broadcast. Also `other`.
    name (str, default None): Taken for compatibility; it has no effect.
    rounding_mode (str, default None): `floor` for the next integer below, `trunc` for that
        towards zero, None for no rounding.

Returns:
    Tensor: x itself, with the result.

Examples:
    >>> paddle.Tensor.divide_(paddle.to_tensor([1.0, 7.0]), paddle.to_tensor([4.0, 2.0])).tolist()
    [0.25, 3.5]
)";

inline constexpr char kConcatText[] = R"(Tensors joined along an axis.

Args:
    x (list of Tensors): Tensors of one dtype whose other extents are equal. Also `tensors`.
    axis (int or Tensor, default 0): The axis, counted from the end where negative. Also `dim`.
    name (str, default None): Taken for compatibility; it has no effect.
    out (Tensor, default None): Takes the result, where given, and is returned.

Returns:
    Tensor: the joined elements.

Examples:
    >>> a, b = paddle.to_tensor([[1, 2]]), paddle.to_tensor([[3, 4]])
    >>> paddle.concat([a, b]).tolist()
    [[1, 2], [3, 4]]
    >>> paddle.cat([a, b], axis=1).tolist()
    [[1, 2, 3, 4]]
)";

inline constexpr char kSplitText[] = R"(Equal parts, or parts of given sizes.

Args:
    x (Tensor): What is cut. Also `tensor`.
    num_or_sections (int or list of ints): How many parts, or their extents; one may be -1. Also
        `split_size_or_sections`.
    axis (int or Tensor, default 0): The axis, counted from the end where negative. Also `dim`.
    name (str, default None): Taken for compatibility; it has no effect.

Returns:
    list of Tensors: the parts, views.

Examples:
    >>> x = paddle.to_tensor([1, 2, 3, 4])
    >>> [t.tolist() for t in paddle.split(x, 2)]
    [[1, 2], [3, 4]]
    >>> [t.tolist() for t in paddle.split(x, [1, -1])]
    [[1], [2, 3, 4]]
)";

}  // namespace paddle::py
