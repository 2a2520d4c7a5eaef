// SPDX-License-Identifier: Apache-2.0
// What gradient rules ask of tensors, and how they rearrange axes, whose extents may be known only when the program
// runs.
#pragma once

#include <string>
#include <vector>

#include "paddle/common/attr.h"
#include "paddle/phi/core/tensor.h"

namespace paddle {

int64_t rank(const Tensor& x);
bool is_complex(const Tensor& x);
// Without elements; a tensor whose number of elements is not known counts as one that has some.
bool no_elements(const Tensor& x);
// Whether an element may be 0: not looked up while recording.
bool may_have_zero(const Tensor& x);
// Beyond every float32.
bool is_extreme(double value);
double number_of(const phi::Scalar& value);
int64_t integer_of(const phi::Scalar& value);
// `value` where the condition holds; else an InvalidArgument, or Unimplemented, error with this text.
Tensor expected(bool condition, const std::string& text, const Tensor& value);
Tensor supported(bool condition, const std::string& text, const Tensor& value);
// The sum where either may be undefined.
Tensor plus(const Tensor& a, const Tensor& b);

// The numbers 0, 1, ... along an axis: as a vector, and laid out along that axis of x.
Tensor indices_of(const Tensor& x, int64_t axis);
Tensor position(const Tensor& x, int64_t axis);
// The first `extent` elements of x along an axis, with zeros behind where x has fewer.
Tensor resized(const Tensor& x, int64_t axis, int64_t extent);
// An axis of extent k * n as two, of k and of n; an axis and the next as one; an axis moved to another place.
Tensor split_axis(const Tensor& x, int64_t axis, int64_t n);
Tensor merge_axes(const Tensor& x, int64_t axis);
Tensor axis_moved(const Tensor& x, int64_t from, int64_t to);
// x with the listed axes (none: all) joined behind the others; the same undone, for the shape of `like`.
Tensor joined_last(const Tensor& x, const common::Ints& axes);
Tensor joined_back(const Tensor& x, const common::Ints& axes, const Tensor& like);
// The shape that two tensors broadcast to.
phi::IntArray common_shape(const Tensor& x, const Tensor& y);
// The extents of tensors along an axis.
phi::IntArray extents_along(const std::vector<Tensor>& x, int64_t axis);
// a0, b0, a1, b1, ... of two lists that end alike, the shorter one preceded by 1s; the positions of the a's in such a
// list; the numbers with the opposite sign.
phi::IntArray interleaved(const phi::IntArray& a, const phi::IntArray& b);
common::Ints every_other(const phi::IntArray& list);
common::Ints negated(const common::Ints& v);
// How many numbers a list has; a list of that length with the same number.
int64_t count(const phi::IntArray& list);
common::Ints repeated(int64_t value, const common::Ints& list);
// What roll(x, shifts, axis) did, undone.
Tensor rolled_back(const Tensor& x, const common::Ints& shifts, const common::Ints& axis);
common::Ints inverse_perm(const common::Ints& perm);

}  // namespace paddle
