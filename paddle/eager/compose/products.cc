// SPDX-License-Identifier: Apache-2.0
// Small products and scalings written on other ops, and the gradients of complex parts.
#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/promote.h"
#include "paddle/phi/infer/rules.h"

namespace paddle {

using common::Ints;

Tensor complex_part(const Tensor& x, const Tensor&, bool imaginary) { return imaginary ? imag(x) : real(x); }

Tensor increment_compose(const Tensor& x, double value) {
  PD_CHECK(x.numel() == 1, InvalidArgument, "[increment] expected a tensor of one element, got shape ",
           common::ShapeText(x.extents()));
  return scale(x, Scalar(1.0), value, true);
}

Tensor cross_compose(const Tensor& x, const Tensor& y, int64_t axis) {
  auto a = x.extents(), b = y.extents();
  bool same = a.size() == b.size();
  for (int64_t i = 0; same && i < a.size(); ++i) same = !common::CertainlyDiffer(a[i], b[i]);
  PD_CHECK(same, InvalidArgument, "[cross] expected tensors of one shape, got ", common::ShapeText(a), " and ",
           common::ShapeText(b));
  if (axis == 9) {
    axis = 0;
    while (axis < a.size() && a[axis].raw() != 3) ++axis;
    for (int64_t i = 0; i < std::min(axis, a.size()); ++i)
      PD_CHECK(a[i].known(), Unimplemented,
               "[cross] expected an axis where an extent before the first of 3 is not known "
               "while recording, got shape ",
               common::ShapeText(a));
    PD_CHECK(axis < a.size(), InvalidArgument, "[cross] expected an axis of extent 3, got shape ",
             common::ShapeText(a));
  }
  int64_t k = common::NormalizeAxis("cross", axis, a.size());
  PD_CHECK(a.size() > 0 && !common::CertainlyDiffer(a[k], common::Dim(3)), InvalidArgument,
           "[cross] expected extent 3 along axis ", axis, ", got shape ", common::ShapeText(a));
  auto next = [&](const Tensor& t, int64_t by) { return roll(t, Ints{-by}, Ints{k}); };
  return next(x, 1) * next(y, 2) - next(x, 2) * next(y, 1);
}

Tensor kron_compose(const Tensor& x, const Tensor& y) {
  common::Dims a = x.extents(), b = y.extents();
  IntArray da, db, out;
  int64_t rank = std::max(a.size(), b.size());
  while (a.size() < rank) a.insert(0, common::Dim(1));
  while (b.size() < rank) b.insert(0, common::Dim(1));
  for (int64_t i = 0; i < rank; ++i) {
    da.push_back(a[i]);
    da.push_back(1);
    db.push_back(1);
    db.push_back(b[i]);
    out.push_back(a[i] * b[i]);
  }
  return reshape(multiply(reshape(x, da), reshape(y, db)), out);
}

Tensor renorm_compose(const Tensor& x, double p, int64_t axis, double max_norm) {
  PD_CHECK(p > 0, InvalidArgument, "[renorm] expected a positive p, got ", p);
  PD_CHECK(max_norm >= 0, InvalidArgument, "[renorm] expected a non-negative max_norm, got ", max_norm);
  int64_t a = common::NormalizeAxis("renorm", axis, x.ndim());
  Ints perm{a};
  for (int64_t i = 0; i < x.ndim(); ++i)
    if (i != a) perm.push_back(i);
  Tensor front = transpose(x, perm), flat = reshape(front, Ints{0, -1});
  Tensor n = p_norm(flat, p, 1, 1e-12, true, false);
  Tensor over = greater_than(n, full_like(n, Scalar(max_norm), DataType::UNDEFINED, Place{}));
  Tensor factor = where(over, max_norm / (n + 1e-7), ones_like_of(n));
  return transpose(reshape_like(flat * factor, front), inverse_perm(perm));
}

Tensor bmm_compose(const Tensor& x, const Tensor& y) {
  PD_CHECK(x.ndim() == 3 && y.ndim() == 3, InvalidArgument, "[bmm] expected tensors of 3 axes, got shapes ",
           common::ShapeText(x.extents()), " and ", common::ShapeText(y.extents()));
  PD_CHECK(!common::CertainlyDiffer(x.extents()[0], y.extents()[0]), InvalidArgument,
           "[bmm] expected batches of one size, got shapes ", common::ShapeText(x.extents()), " and ",
           common::ShapeText(y.extents()));
  return matmul(x, y, false, false);
}
Tensor mv_compose(const Tensor& x, const Tensor& vec) {
  PD_CHECK(x.ndim() == 2 && vec.ndim() == 1, InvalidArgument, "[mv] expected shapes [m, n] and [n], got ",
           common::ShapeText(x.extents()), " and ", common::ShapeText(vec.extents()));
  return matmul(x, vec, false, false);
}
// t times a number: zeros for 0, whatever t holds, as in BLAS.
static Tensor Weighted(const Tensor& t, double by) {
  if (by != 0) return scale(t, Scalar(by), 0.0, true);
  return where(full({}, Scalar(false), DataType::BOOL), t, zeros_like_of(t));
}
Tensor addmm_compose(const Tensor& input, const Tensor& x, const Tensor& y, double beta, double alpha) {
  PD_CHECK(x.ndim() == 2 && y.ndim() == 2, InvalidArgument, "[addmm] expected shapes [m, k] and [k, n], got ",
           common::ShapeText(x.extents()), " and ", common::ShapeText(y.extents()));
  Tensor p = matmul(x, y, false, false);
  PD_CHECK(phi::BroadcastsTo(input.extents(), p.extents()), InvalidArgument,
           "[addmm] expected input to broadcast to the product, of shape ", common::ShapeText(p.extents()), ", got ",
           common::ShapeText(input.extents()));
  return Weighted(input, beta) + Weighted(p, alpha);
}

// A bias of an element for each feature, which does not widen the product, is a part of the product.
Tensor linear_parts(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!bias.defined()) return matmul(x, weight, false, false);
  const common::Dims b = bias.extents(), w = weight.extents();
  bool joins = w.size() == 2 && b.size() == 1;
  if (joins) {
    const bool known = b[0].known() && w[1].known();  // else an extent of the run may turn out to be 1
    joins = b[0].raw() == w[1].raw() || (known && b[0].raw() != 1);
  }
  if (joins && phi::JoinsProduct(bias.dtype(), weight.dtype())) return linear_v2(x, weight, bias, false);
  const Tensor product = matmul(x, weight, false, false);
  common::BroadcastDims("linear", product.extents(), b);
  phi::Promote("linear", product.dtype(), product.ndim() == 0, bias.dtype(), b.empty());
  return add(product, bias);
}

Tensor interp_again(const Tensor& x, const std::string& format, int64_t d, int64_t h, int64_t w,
                    const std::vector<double>& scale, const std::string& method, bool align_corners,
                    int64_t align_mode) {
  auto run = method == "linear"     ? &linear_interp
             : method == "nearest"  ? &nearest_interp
             : method == "bicubic"  ? &bicubic_interp
             : method == "bilinear" ? &bilinear_interp
                                    : &trilinear_interp;
  return run(x, Tensor(), Tensor(), Tensor(), format, d, h, w, scale, method, align_corners, align_mode);
}

}  // namespace paddle
