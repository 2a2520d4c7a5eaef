// SPDX-License-Identifier: Apache-2.0
// Gradient rules of scans, reductions and selections, and the ops composed of others; written on Tensor, so
// differentiable again.
#include <cmath>
#include <limits>

#include "paddle/eager/dispatch/state.h"
#include "paddle/phi/api/ops.h"
#include "paddle/phi/primitives/reduce.h"

namespace paddle {

using common::Ints;

namespace {
const Ints& Axes(const Ints& axis, bool every) {
  static const Ints none{};
  return every ? none : axis;
}
Tensor Spread(const Tensor& t, const Ints& axis, bool keepdim, const Tensor& x) {
  return expand_like(unreduce(t, axis, keepdim, x), x);
}
}  // namespace

Tensor scatter_selected(const Tensor& dout, const Tensor& zero, const Tensor& indices, int64_t axis, bool lost) {
  if (zero.ndim() == 0) return dout;
  int64_t a = common::NormalizeAxis("scatter_selected", axis, zero.ndim());
  Tensor i = lost ? unsqueeze(indices, Ints{a}) : indices, g = lost ? unsqueeze(dout, Ints{a}) : dout;
  return put_along_axis(zero, i, g, a, "add", true);
}

Tensor cumsum_backward(const Tensor& dout, const Tensor& zero, const Scalar& axis, bool flatten, bool exclusive,
                       bool reverse) {
  return reshape_like(cumsum(dout, axis, flatten, exclusive, !reverse), zero);
}

Tensor cumprod_backward(const Tensor& dout, const Tensor& x, const Tensor& out, int64_t dim, bool exclusive,
                        bool reverse) {
  int64_t rank = x.ndim();
  if (rank == 0) return exclusive ? zeros_like_of(x) : dout;
  auto has_zero = [&] {
    egr::GradModeGuard off(false);
    return phi::ScalarAsInt(cast(any(equal(x, zeros_like_of(x)), Ints{}, false), DataType::INT64)) != 0;
  };
  if (!x.is_symbolic() && !has_zero())
    return cumsum(dout * conj_of(out), Scalar(dim), false, exclusive, !reverse) / conj_of(x);
  // Without a division, for the price of a matrix a row: w[i, j], the product of the factors between i and j, is how
  // output j depends on x[i], but for the product of the factors before i.
  int64_t a = common::NormalizeAxis("cumprod", dim, rank);
  Ints perm;
  for (int64_t i = 0; i < rank; ++i) perm.push_back(i);
  std::swap(perm[a], perm[rank - 1]);
  Tensor v = transpose(x, perm), g = transpose(dout, perm);
  Ints square = shape_of(v);
  int64_t n = square[rank - 1];
  square.push_back(n);
  Tensor ones = full(Ints{n, n}, Scalar(1.0), x.dtype());
  Tensor after = not_equal(reverse ? tril(ones, -1) : triu(ones, 1), zeros_like_of(ones));
  Tensor reached = exclusive ? after : not_equal(reverse ? tril(ones, 0) : triu(ones, 0), zeros_like_of(ones));
  Tensor rows = expand(unsqueeze(v, Ints{-2}), square);
  Tensor factors = where(expand(after, square), rows, expand(ones, square));
  Tensor w = cumprod(factors, rank, exclusive, reverse);
  w = where(expand(reached, square), w, zeros_like_of(w));
  Tensor before = cumprod(v, rank - 1, true, reverse);
  Tensor each = sum(unsqueeze(g, Ints{-2}) * conj_of(w), Ints{rank}, DataType::UNDEFINED, false);
  return transpose(each * conj_of(before), perm);
}

Tensor logcumsumexp_backward(const Tensor& dout, const Tensor& x, const Tensor& out, int64_t axis, bool flatten,
                             bool exclusive, bool reverse) {
  Tensor g = reshape_like(dout, out), v = reshape_like(x, out), top;
  // Where a sum is empty so far, out is -inf and nothing depends on it.
  const Tensor none = equal(out, scalar_like(-std::numeric_limits<double>::infinity(), out));
  {
    egr::GradModeGuard off(false);  // any constant will do: the largest element keeps both exponentials in range
    top = max(v, Ints{flatten ? 0 : axis}, true);
    top = where(isfinite(top), top, 0.0);
  }
  const Tensor weight = where(none, 0.0, exp(where(none, 0.0, top - out)));
  return reshape_like(exp(v - top) * cumsum(g * weight, Scalar(axis), flatten, exclusive, !reverse), x);
}

Tensor prod_backward(const Tensor& dout, const Tensor& x, const Ints& axis, bool keepdim, bool all) {
  Ints axes = Axes(axis, all);
  int64_t rank = x.ndim();
  if (rank == 0) return dout;
  if (axes.empty())
    for (int64_t i = 0; i < rank; ++i) axes.push_back(i);
  // The reduced axes last and made one; each element gets the product of those before and after it, which needs no
  // division.
  Ints perm, back(rank, 0), shape;
  uint64_t reduced = 0;
  for (int64_t a : axes) reduced |= uint64_t{1} << common::NormalizeAxis("prod", a, rank);
  for (int64_t pass = 0; pass < 2; ++pass)
    for (int64_t i = 0; i < rank; ++i)
      if (static_cast<int64_t>(reduced >> i & 1) == pass) perm.push_back(i);
  for (int64_t i = 0; i < rank; ++i) back[perm[i]] = i;
  int64_t kept = rank - axes.size();
  common::Dim n(1);
  Ints d = shape_of(x), moved_shape;
  for (int64_t i = 0; i < rank; ++i) {
    moved_shape.push_back(d[perm[i]]);
    if (i < kept)
      shape.push_back(d[perm[i]]);
    else
      n = n * dim_at(x, perm[i]);
  }
  if (x.numel() == 0) return zeros_like_of(x);
  shape.push_back(common::ExtentNumber(n));
  Tensor flat = reshape(transpose(x, perm), shape);
  Tensor others = cumprod(flat, kept, true, false) * cumprod(flat, kept, true, true);
  Tensor g = conj_of(transpose(reshape(others, moved_shape), back));
  return Spread(dout, axes, keepdim, x) * g;
}

Tensor extreme_backward(const Tensor& dout, const Tensor& x, const Tensor& out, const Ints& axis, bool keepdim) {
  Tensor hit = cast_like(equal(x, Spread(out, axis, keepdim, x)), dout);
  Tensor count = sum(hit, axis, DataType::UNDEFINED, true);
  return hit * expand_like(unreduce(dout, axis, keepdim, x) / reshape_like(count, unreduce(dout, axis, keepdim, x)), x);
}

Tensor logsumexp_backward(const Tensor& dout, const Tensor& x, const Tensor& out, const Ints& axis, bool keepdim,
                          bool all) {
  const Ints& axes = Axes(axis, all);
  return Spread(dout, axes, keepdim, x) * exp(x - Spread(out, axes, keepdim, x));
}

Tensor p_norm_backward(const Tensor& dout, const Tensor& x, const Tensor& out, double p, int64_t axis, double,
                       bool keepdim, bool asvector) {
  if (p == 0) return zeros_like_of(x);
  Ints axes;
  if (!asvector && x.ndim() > 0) axes.push_back(axis);
  Tensor g = Spread(dout, axes, keepdim, x), n = Spread(out, axes, keepdim, x);
  if (phi::IsComplex(x.dtype())) g = cast(g, x.dtype());
  if (p == 1) return sign_of(x) * g;
  if (phi::cpu::IsExtremeNorm(p)) {
    Tensor m = abs(x);
    Tensor hit = cast_like(equal(m, n), out);
    Tensor count = expand_like(sum(hit, axes, DataType::UNDEFINED, true), x);
    return sign_of(x) * g * cast_like(hit / reshape_like(count, hit), x);
  }
  Tensor zero = equal(n, zeros_like_of(n));
  Tensor safe = where(zero, ones_like_of(n), n);
  if (p == 2) {
    Tensor d = x * (g / cast_like(safe, x));
    return where(zero, zeros_like_of(d), d);
  }
  Tensor m = abs(x), none = equal(m, zeros_like_of(m));
  Tensor base = where(none, ones_like_of(m), m);
  Tensor r = pow(base, Scalar(p - 1)) * pow(safe, Scalar(1 - p));
  r = where(none, zeros_like_of(r), r);
  return sign_of(x) * g * cast_like(r, x);
}

Tensor frobenius_backward(const Tensor& dout, const Tensor& x, const Tensor& out, const Ints& axis, bool keepdim,
                          bool all) {
  const Ints& axes = Axes(axis, all);
  Tensor g = Spread(dout, axes, keepdim, x), n = Spread(out, axes, keepdim, x);
  Tensor zero = equal(n, zeros_like_of(n));
  Tensor d = x * cast_like(g / where(zero, ones_like_of(n), n), x);
  return where(zero, zeros_like_of(d), d);
}

Tensor variance_backward(const Tensor& dout, const Tensor& x, const Ints& axis, bool keepdim, bool unbiased,
                         double correction) {
  Tensor m = mean(x, axis, true);
  const double less = unbiased ? correction : 0.0;
  Tensor g = (x - expand_like(reshape_like(m, m), x)) * Spread(dout, axis, keepdim, x);
  const common::Dim n = common::Product(x.shape()), rows = common::Product(m.shape());
  if (!n.known() || !rows.known()) {
    Tensor by = number_like(n, g) / number_like(rows, g) - less;
    return g * where(by > 0.0, 2.0 / by, scalar_like(NAN, g));
  }
  const double by = (rows.raw() == 0 ? 0 : static_cast<double>(n.raw()) / static_cast<double>(rows.raw())) - less;
  return g * (by > 0 ? 2.0 / by : NAN);
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
  auto a = x.shape(), b = y.shape();
  bool same = a.size() == b.size();
  for (int64_t i = 0; same && i < a.size(); ++i) same = !common::CertainlyDiffer(a[i], b[i]);
  if (!same) return full(Ints{}, Scalar(false), DataType::BOOL, Place{});
  return all(equal(x, y), Ints{}, false);
}
Tensor dist_compose(const Tensor& x, const Tensor& y, double p) { return p_norm(x - y, p, -1, 1e-12, false, true); }

}  // namespace paddle
