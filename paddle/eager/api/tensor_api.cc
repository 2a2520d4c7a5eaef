// SPDX-License-Identifier: Apache-2.0
#include "paddle/phi/api/tensor_api.h"

#include <cmath>

#include "paddle/eager/autograd/grad_node.h"
#include "paddle/eager/dispatch/deferred.h"
#include "paddle/eager/dispatch/op_support.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/promote.h"

namespace paddle {

using common::Dims;
using common::Ints;

Tensor scalar_like(const Scalar& value, const Tensor& like) { return full(Ints{}, value, like.dtype(), Place{}); }

Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }
Tensor operator-(const Tensor& a) { return scale(a, Scalar(-1.0), 0.0, true); }
Tensor operator~(const Tensor& a) { return bitwise_not(a); }
Tensor operator!(const Tensor& a) { return logical_not(a); }
Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }
Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }
Tensor operator+(const Tensor& a, double b) { return scale(a, Scalar(1.0), b, true); }
Tensor operator+(double a, const Tensor& b) { return b + a; }
Tensor operator-(const Tensor& a, double b) { return scale(a, Scalar(1.0), -b, true); }
Tensor operator-(double a, const Tensor& b) { return scale(b, Scalar(-1.0), a, true); }
Tensor operator*(const Tensor& a, double b) { return scale(a, Scalar(b), 0.0, true); }
Tensor operator*(double a, const Tensor& b) { return b * a; }
Tensor operator/(const Tensor& a, double b) { return divide(a, scalar_like(b, a)); }
Tensor operator/(double a, const Tensor& b) { return divide(scalar_like(a, b), b); }
Tensor operator+(const Tensor& a, const Scalar& b) { return scale(a, Scalar(1.0), b, true); }
Tensor operator-(const Tensor& a, const Scalar& b) {
  return phi::IsInteger(a.dtype()) || phi::IsComplex(b.dtype()) ? a - scalar_like(b, a) : a - b.to_double();
}
Tensor operator*(const Tensor& a, const Scalar& b) { return scale(a, b, 0.0, true); }
Tensor operator*(const Scalar& a, const Tensor& b) { return b * a; }
#define PD_DEFINE_COMPARE(sym, fn)                                                    \
  Tensor operator sym(const Tensor& a, const Tensor& b) { return fn(a, b); }          \
  Tensor operator sym(const Tensor& a, double b) { return fn(a, scalar_like(b, a)); } \
  Tensor operator sym(const Tensor& a, const Scalar& b) { return fn(a, scalar_like(b, a)); }
PD_DEFINE_COMPARE(<, less_than)
PD_DEFINE_COMPARE(>, greater_than)
PD_DEFINE_COMPARE(<=, less_equal)
PD_DEFINE_COMPARE(>=, greater_equal)
PD_DEFINE_COMPARE(==, equal)
PD_DEFINE_COMPARE(!=, not_equal)
#undef PD_DEFINE_COMPARE

Tensor where(const Tensor& c, const Tensor& a, double b) { return where(c, a, scalar_like(b, a)); }
Tensor where(const Tensor& c, double a, const Tensor& b) { return where(c, scalar_like(a, b), b); }
Tensor pow_expr(const Tensor& x, const Tensor& y) { return elementwise_pow(x, y); }
Tensor normal_cdf(const Tensor& x) { return (erf(x * 0.7071067811865476) + 1.0) * 0.5; }
Tensor pow_expr(const Tensor& x, const Scalar& y) { return pow(x, y); }
Scalar operator-(const Scalar& a, double b) {
  return phi::IsComplex(a.dtype()) ? Scalar(a.to_complex() - b) : Scalar(a.to_double() - b);
}
Tensor conj_of(const Tensor& x) { return phi::IsComplex(x.dtype()) ? conj(x) : x; }
// As it is where one of them is absent: gradient ops name only some of the inputs.
Tensor cast_like(const Tensor& x, const Tensor& like) {
  return !x.defined() || !like.defined() || x.dtype() == like.dtype() ? x : cast(x, like.dtype());
}

Tensor cast_to_common(const Tensor& g, const Tensor& x, const Tensor& y) {
  const phi::DataType t = phi::PromoteOrUndefined(x.dtype(), false, y.dtype(), false);
  return t == phi::DataType::UNDEFINED ? g : CastGrad(g, t);
}

IntArray shape_of(const Tensor& x) {
  if (x.is_symbolic()) return x.extents();
  return x.dims();
}

namespace {}  // namespace

Tensor expand_like(const Tensor& x, const Tensor& like) {
  Dims want = like.extents();
  if (common::SameDims(x.extents(), want)) return x;
  return common::AllKnown(want) ? expand(x, shape_of(like)) : expand_as(x, like, Ints{});
}

Tensor reshape_like(const Tensor& x, const Tensor& like) {
  Dims want = like.extents();
  if (common::SameDims(x.extents(), want)) return x;
  return reshape(x, shape_of(like));
}

Tensor reduce_like(const Tensor& x, const Tensor& like) {
  const Dims have = x.extents(), want = like.extents();
  if (common::SameDims(have, want)) return x;
  Ints axes;
  const int64_t lead = have.size() - want.size();
  for (int64_t i = 0; i < have.size(); ++i) {
    const bool same = i >= lead && common::SameDim(have[i], want[i - lead]);
    if (i < lead || (common::IsOne(want[i - lead]) && !same))
      axes.push_back(i);
    else if (!same)
      return reduce_as(x, like);  // which of them is 1 tells the run
  }
  return reshape_like(axes.empty() ? x : sum(x, axes, phi::DataType::UNDEFINED, false), like);
}

Tensor unreduce(const Tensor& dout, const Ints& axis, bool keepdim, const Tensor& x) {
  if (keepdim) return dout;
  int64_t rank = x.ndim();
  common::SmallVector<bool, 8> reduced(rank, axis.empty());
  for (int64_t a : axis) reduced[common::NormalizeAxis("unreduce", a, rank)] = true;
  IntArray shape = shape_of(x);
  for (int64_t i = 0; i < rank; ++i)
    if (reduced[i]) shape.set(i, 1);
  return reshape(dout, shape);
}

Tensor per_element(const Tensor& g, const Tensor& x, const Tensor& y, double less) {
  const common::Dim n = common::Product(x.extents()), m = common::Product(y.extents());
  if (n.known() && m.known()) {
    const double by = (m.raw() == 0 ? 0 : static_cast<double>(n.raw()) / static_cast<double>(m.raw())) - less;
    return g * (by > 0 ? 1.0 / by : NAN);
  }
  if (less == 0) return g * (number_like(m, g) / number_like(n, g));
  const Tensor by = number_like(n, g) / number_like(m, g) - less;
  return g * where(by > 0.0, 1.0 / by, scalar_like(NAN, g));
}
common::Dim dim_at(const Tensor& x, int64_t axis) {
  Dims d = x.extents();
  PD_CHECK(axis >= -d.size() && axis < d.size(), InvalidArgument, "expected a tensor with an axis ", axis,
           ", got shape ", common::ShapeText(d));
  return d[axis < 0 ? axis + d.size() : axis];
}
phi::Int number_at(const Tensor& x, int64_t axis) { return dim_at(x, axis); }
int64_t size_at(const Tensor& x, int64_t axis) {
  common::Dim d = dim_at(x, axis);
  PD_CHECK(d.known(), Unimplemented, "expected an extent that is known while recording along axis ", axis,
           ", got shape ", common::ShapeText(x.extents()));
  return d.value();
}
Tensor number_like(common::Dim d, const Tensor& like) {
  if (d.known()) return scalar_like(static_cast<double>(d.raw()), like);
  return cast(egr::State().recorder->ExtentTensor(d), like.dtype());
}

Tensor zeros_of(const IntArray& dims, phi::DataType dtype) { return full(dims, Scalar(0.0), dtype, Place{}); }
Tensor ones_like_of(const Tensor& x) { return full_like(x, Scalar(1.0), phi::DataType::UNDEFINED, Place{}); }
Tensor zeros_like_of(const Tensor& x) { return full_like(x, Scalar(0.0), phi::DataType::UNDEFINED, Place{}); }

Tensor Tensor::contiguous() const { return paddle::contiguous(*this); }
Tensor Tensor::cast(phi::DataType dtype) const { return paddle::cast(*this, dtype); }
Tensor Tensor::copy_to(phi::Place place, bool) const {
  return place == this->place() ? paddle::assign(*this) : phi::ToPlace(*this, place);
}
Tensor contiguous(const Tensor& x) { return x.is_symbolic() || x.is_contiguous() ? x : assign(x); }

Tensor& set_value_into_(Tensor& view, const Tensor& value) {
  CheckInplaceShape("set_value_", view, value);
  Tensor old = egr::BeforeWrite(view, "set_value_", false);
  Tensor v = cast_like(value, view);
  egr::WriteOver(view, old, v.dims() == view.dims() ? v : expand(v, view.dims()), "set_value_", false);
  return view;
}

}  // namespace paddle
