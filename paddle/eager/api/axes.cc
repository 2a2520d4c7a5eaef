// SPDX-License-Identifier: Apache-2.0
// Questions about tensors and rearrangements of their axes, for gradient rules.
#include "paddle/phi/api/compose_axes.h"

#include <algorithm>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/primitives/reduce.h"

namespace paddle {

using common::Ints;

namespace {
int64_t AxisOf(const char* what, const Tensor& x, int64_t axis) { return common::NormalizeAxis(what, axis, x.ndim()); }
// The axes of x, first those that are not listed (none listed: all are); `count`: how many those are.
Ints JoinedOrder(const Tensor& x, const Ints& axes, int64_t* count) {
  common::SmallVector<bool, 8> listed(x.ndim(), axes.empty());
  for (int64_t a : axes) listed[AxisOf("joined_last", x, a)] = true;
  Ints order;
  for (bool pass : {false, true}) {
    if (pass) *count = order.size();
    for (int64_t i = 0; i < x.ndim(); ++i)
      if (listed[i] == pass) order.push_back(i);
  }
  return order;
}
}  // namespace

int64_t rank(const Tensor& x) { return x.ndim(); }
bool is_complex(const Tensor& x) { return phi::IsComplex(x.dtype()); }
bool no_elements(const Tensor& x) {
  const common::Dim n = common::Product(x.extents());
  return n.known() && n.raw() == 0;
}
bool may_have_zero(const Tensor& x) {
  if (x.is_symbolic()) return true;
  const egr::GradModeGuard off(false);
  return phi::ScalarOf(any(x == 0.0, Ints{}, false)).to_bool();
}
bool is_extreme(double value) { return phi::cpu::IsExtremeNorm(value); }
double number_of(const Scalar& value) { return value.to_double(); }
int64_t integer_of(const Scalar& value) { return value.to_int(); }
Tensor expected(bool condition, const std::string& text, const Tensor& value) {
  PD_CHECK(condition, InvalidArgument, text);
  return value;
}
Tensor supported(bool condition, const std::string& text, const Tensor& value) {
  PD_CHECK(condition, Unimplemented, text);
  return value;
}
Tensor plus(const Tensor& a, const Tensor& b) { return !a.defined() ? b : !b.defined() ? a : a + b; }

Tensor indices_of(const Tensor& x, int64_t axis) {
  return arange(Scalar(int64_t{0}), dim_at(x, axis), Scalar(int64_t{1}), DataType::INT64, Place{});
}
Tensor position(const Tensor& x, int64_t axis) {
  IntArray shape = Ints(x.ndim(), 1);
  shape.set(AxisOf("position", x, axis), dim_at(x, axis));
  return reshape(indices_of(x, axis), shape);
}

Tensor resized(const Tensor& x, int64_t axis, int64_t extent) {
  const int64_t a = AxisOf("resized", x, axis), missing = extent - size_at(x, a);
  if (missing == 0) return x;
  if (missing < 0) return slice(x, Ints{a}, Ints{0}, Ints{extent});
  Ints amounts(2 * x.ndim(), 0);
  amounts[2 * a + 1] = missing;
  return pad(x, amounts, Scalar(0.0));
}
Tensor split_axis(const Tensor& x, int64_t axis, int64_t n) {
  const int64_t a = AxisOf("split_axis", x, axis);
  IntArray shape = shape_of(x);
  shape.set(a, common::Div(dim_at(x, a), common::Dim(n)));
  shape.insert(a + 1, n);
  return reshape(x, shape);
}
Tensor merge_axes(const Tensor& x, int64_t axis) {
  const int64_t a = AxisOf("merge_axes", x, axis);
  IntArray shape;
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (i != a + 1) shape.push_back(i == a ? dim_at(x, a) * dim_at(x, a + 1) : dim_at(x, i));
  return reshape(x, shape);
}
Tensor axis_moved(const Tensor& x, int64_t from, int64_t to) {
  const int64_t source = AxisOf("axis_moved", x, from), target = AxisOf("axis_moved", x, to);
  if (source == target) return x;
  Ints order;
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (i != source) order.push_back(i);
  order.insert(target, source);
  return transpose(x, order);
}
Tensor joined_last(const Tensor& x, const Ints& axes) {
  int64_t kept = 0;
  const Ints order = JoinedOrder(x, axes, &kept);
  IntArray shape;
  common::Dim n(1);
  for (int64_t i = 0; i < order.size(); ++i) {
    if (i < kept)
      shape.push_back(dim_at(x, order[i]));
    else
      n = n * dim_at(x, order[i]);
  }
  shape.push_back(n);
  return reshape(transpose(x, order), shape);
}
Tensor joined_back(const Tensor& x, const Ints& axes, const Tensor& like) {
  int64_t kept = 0;
  const Ints order = JoinedOrder(like, axes, &kept);
  IntArray shape;
  for (int64_t a : order) shape.push_back(dim_at(like, a));
  return transpose(reshape(x, shape), inverse_perm(order));
}

IntArray common_shape(const Tensor& x, const Tensor& y) {
  return common::BroadcastDims("common_shape", x.extents(), y.extents());
}
IntArray extents_along(const std::vector<Tensor>& x, int64_t axis) {
  IntArray extents;
  for (const Tensor& t : x) extents.push_back(dim_at(t, axis));
  return extents;
}
IntArray interleaved(const IntArray& a, const IntArray& b) {
  const int64_t n = std::max(a.size(), b.size());
  IntArray out;
  for (int64_t i = 0; i < n; ++i)
    for (const IntArray* list : {&a, &b}) {
      const int64_t k = i - (n - list->size());
      out.push_back(k < 0 ? phi::Int(1) : (*list)[k]);
    }
  return out;
}
Ints every_other(const IntArray& list) {
  Ints out;
  for (int64_t i = 0; i < list.size(); i += 2) out.push_back(i);
  return out;
}
Ints negated(const Ints& v) {
  Ints r;
  for (int64_t x : v) r.push_back(-x);
  return r;
}
int64_t count(const IntArray& list) { return list.size(); }
Ints repeated(int64_t value, const Ints& list) { return Ints(list.size(), value); }
Tensor rolled_back(const Tensor& x, const Ints& shifts, const Ints& axis) {
  Ints back, rest;  // INT64_MIN has no opposite: the last step is another roll
  bool more = false;
  for (int64_t s : shifts) {
    const bool least = s == INT64_MIN;
    back.push_back(least ? INT64_MAX : -s);
    rest.push_back(least);
    more |= least;
  }
  const Tensor r = roll(x, back, axis);
  return more ? roll(r, rest, axis) : r;
}
Ints inverse_perm(const Ints& perm) {
  Ints inv(perm.size(), 0);
  for (int64_t i = 0; i < perm.size(); ++i) inv[perm[i] < 0 ? perm[i] + perm.size() : perm[i]] = i;
  return inv;
}

}  // namespace paddle
