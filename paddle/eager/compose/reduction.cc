// SPDX-License-Identifier: Apache-2.0
// Reductions and comparisons that are compositions of other ops.
#include "paddle/phi/api/ops.h"

namespace paddle {

using common::Ints;

Tensor scatter_selected(const Tensor& dout, const Tensor& zero, const Tensor& indices, int64_t axis, bool lost) {
  if (zero.ndim() == 0) return dout;
  int64_t a = common::NormalizeAxis("scatter_selected", axis, zero.ndim());
  Tensor i = lost ? unsqueeze(indices, Ints{a}) : indices, g = lost ? unsqueeze(dout, Ints{a}) : dout;
  return put_along_axis(zero, i, g, a, "add", true);
}

Tensor trace_compose(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  return sum(diagonal(x, offset, axis1, axis2), Ints{-1},
             x.dtype() == DataType::INT32 ? x.dtype() : DataType::UNDEFINED, false);
}

Tensor isclose_compose(const Tensor& x, const Tensor& y, const Scalar& rtol, const Scalar& atol, bool equal_nan) {
  Tensor a = x, b = y;
  if (!phi::IsDifferentiable(x.dtype())) {
    a = cast(x, DataType::FLOAT64);
    b = cast(y, DataType::FLOAT64);
  }
  if (phi::IsComplex(a.dtype())) {
    Tensor both = isclose_compose(real(a), real(b), rtol, atol, equal_nan);
    return logical_and(both, isclose_compose(imag(a), imag(b), rtol, atol, equal_nan));
  }
  a = cast(a, DataType::FLOAT64);
  b = cast(b, DataType::FLOAT64);
  Tensor near = less_equal(abs(a - b), scale(abs(b), rtol, atol.to_double(), true));
  Tensor r = logical_or(equal(a, b), logical_and(near, logical_and(isfinite(a), isfinite(b))));
  return equal_nan ? logical_or(r, logical_and(isnan(a), isnan(b))) : r;
}
Tensor allclose_compose(const Tensor& x, const Tensor& y, const Scalar& rtol, const Scalar& atol, bool equal_nan) {
  return all(isclose_compose(x, y, rtol, atol, equal_nan), Ints{}, false);
}
Tensor equal_all_compose(const Tensor& x, const Tensor& y) {
  auto a = x.extents(), b = y.extents();
  bool same = a.size() == b.size();
  for (int64_t i = 0; same && i < a.size(); ++i) same = !common::CertainlyDiffer(a[i], b[i]);
  if (!same) return full(Ints{}, Scalar(false), DataType::BOOL, Place{});
  return all(equal(x, y), Ints{}, false);
}
Tensor dist_compose(const Tensor& x, const Tensor& y, double p) { return p_norm(x - y, p, -1, 1e-12, false, true); }

}  // namespace paddle
