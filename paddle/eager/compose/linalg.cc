// SPDX-License-Identifier: Apache-2.0
// What gradients of factorisations, solvers and spectra share (Giles 2008, and the adjoint of each defining equation),
// and the ops composed of products.
#include <algorithm>
#include <cmath>
#include <limits>

#include "paddle/phi/api/ops.h"
#include "paddle/phi/core/device.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/ops/linalg/matrices.h"

namespace paddle {

using common::Ints;

namespace {

Tensor Dot(const Tensor& a, const Tensor& b) { return matmul(a, b, false, false); }
}  // namespace

Tensor transpose_of(const Tensor& x) {
  Ints perm;
  for (int64_t i = 0; i < x.ndim(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(x, perm);
}
Tensor adjoint_of(const Tensor& x) { return conj_of(transpose_of(x)); }
Tensor solve_adjoint(const Tensor& l, const Tensor& x, bool upper, bool unit) {
  return triangular_solve(conj_of(l), x, upper, true, unit);
}
Tensor over_adjoint(const Tensor& x, const Tensor& u) {
  return adjoint_of(triangular_solve(u, adjoint_of(x), true, false, false));
}
Tensor mirror_lower(const Tensor& x) {
  const Tensor low = tril(x, 0) - 0.5 * diag_embed(diagonal(x, 0, -2, -1), 0, -2, -1);
  return low + adjoint_of(low);
}
Tensor gaps(const Tensor& w) {
  const Tensor apart = unsqueeze(w, Ints{-2}) - unsqueeze(w, Ints{-1});
  return apart + diag_embed(ones_like_of(w), 0, -2, -1);
}
Tensor over_gaps(const Tensor& x, const Tensor& gaps) {
  return (x - diag_embed(diagonal(x, 0, -2, -1), 0, -2, -1)) / cast_like(gaps, x);
}

Tensor matrix_power_compose(const Tensor& x, int64_t n) {
  phi::Meta meta;
  phi::matrix_power_infer(x.meta(), n, meta);
  if (n == 0) {
    Tensor unit = eye(Scalar(size_at(x, -1)), Scalar(size_at(x, -1)), x.dtype());
    return add(fill(x, Scalar(0)), unit);  // the gradient of x is 0
  }
  Tensor power = n < 0 ? inverse(x) : x, out;
  for (uint64_t left = n < 0 ? -static_cast<uint64_t>(n) : n;;) {
    if (left & 1) out = out.defined() ? Dot(out, power) : power;
    left >>= 1;
    if (!left) break;
    power = Dot(power, power);
  }
  return n == 1 ? assign(out) : out;
}

namespace {
// x with the vectors at its ends as a row and a column.
std::vector<Tensor> AsMatrices(const std::vector<Tensor>& x) {
  std::vector<Tensor> m = x;
  if (m.front().ndim() == 1) m.front() = unsqueeze(m.front(), Ints{0});
  if (m.back().ndim() == 1) m.back() = unsqueeze(m.back(), Ints{1});
  return m;
}
}  // namespace

Tensor multi_dot_compose(const std::vector<Tensor>& x) {
  phi::MetaList metas;
  for (const Tensor& t : x) metas.push_back(t.meta());
  phi::Meta meta;
  phi::multi_dot_infer(metas, meta);
  const std::vector<Tensor> m = AsMatrices(x);
  const size_t n = m.size();
  std::vector<double> extent;
  constexpr double kUnknown = 256;  // what an extent counts for in the choice of the order while it is not known
  const auto size = [](common::Dim d) { return d.known() ? static_cast<double>(d.raw()) : kUnknown; };
  for (const Tensor& t : m) extent.push_back(size(dim_at(t, 0)));
  extent.push_back(size(dim_at(m.back(), 1)));
  // cost[i * n + j]: multiplications of the best order for m[i..j]; cut: where that splits.
  std::vector<double> cost(n * n, 0);
  std::vector<size_t> cut(n * n, 0);
  for (size_t span = 1; span < n; ++span)
    for (size_t i = 0; i + span < n; ++i) {
      const size_t j = i + span;
      for (size_t k = i; k < j; ++k) {
        const double c = cost[i * n + k] + cost[(k + 1) * n + j] + extent[i] * extent[k + 1] * extent[j + 1];
        if (k == i || c < cost[i * n + j]) {
          cost[i * n + j] = c;
          cut[i * n + j] = k;
        }
      }
    }
  const auto product = [&](const auto& self, size_t i, size_t j) -> Tensor {
    if (i == j) return m[i];
    const size_t k = cut[i * n + j];
    return Dot(self(self, i, k), self(self, k + 1, j));
  };
  Tensor out = product(product, 0, n - 1);
  if (x.back().ndim() == 1) out = squeeze(out, Ints{1});
  return x.front().ndim() == 1 ? squeeze(out, Ints{0}) : out;
}

}  // namespace paddle

namespace phi {

void LstsqOnHost(const Tensor& x, const Tensor& y, const Scalar& rcond, const std::string& driver, Tensor& solution,
                 Tensor& residuals, Tensor& rank, Tensor& values);

namespace {

using paddle::adjoint_of;

Tensor Times(const Tensor& a, const Tensor& b) { return paddle::matmul(a, b, false, false); }

// Of full rank: through the triangle of a, or of its adjoint where that is the tall one.
Tensor ByTriangle(const Tensor& a, const Tensor& b) {
  if (a.dim(a.ndim() - 2) >= a.dim(a.ndim() - 1)) {
    const auto [q, r] = paddle::qr(a, "reduced");
    return paddle::triangular_solve(r, Times(adjoint_of(q), b), true, false, false);
  }
  const auto [q, r] = paddle::qr(adjoint_of(a), "reduced");
  return Times(q, paddle::solve_adjoint(r, b, true, false));
}

// Of least norm: by the singular values above a part of the largest one, whose number is the rank.
Tensor BySpectrum(const Tensor& a, const Tensor& b, double rcond, Tensor& rank, Tensor& values) {
  const auto [u, s, vh] = paddle::svd(a, false);
  const Tensor least = paddle::scale(paddle::max(s, {-1}, true), Scalar(rcond), 0.0, true);
  const Tensor counted = paddle::greater_than(s, least), zero = paddle::zeros_like_of(s);
  const Tensor inverse = paddle::where(counted, paddle::reciprocal(s), zero);
  CopyInto(
      paddle::cast(paddle::sum(paddle::cast(counted, DataType::INT32), {-1}, DataType::INT32, false), rank.dtype()),
      rank);
  if (values.numel()) CopyInto(s, values);
  const Tensor scaled =
      paddle::multiply(Times(adjoint_of(u), b), paddle::cast(paddle::unsqueeze(inverse, {-1}), a.dtype()));
  return Times(adjoint_of(vh), scaled);
}

}  // namespace

void lstsq_kernel(const Tensor& x, const Tensor& y, const Scalar& rcond, const std::string& driver, Tensor& solution,
                  Tensor& residuals, Tensor& rank, Tensor& values) {
  if (!FormsHere()) return LstsqOnHost(x, y, rcond, driver, solution, residuals, rank, values);
  if (solution.numel() == 0 || x.numel() == 0) throw NoDeviceForm{"matrices without elements"};
  const AsOps scope;
  const auto whole = [&](const Tensor& t) { return paddle::expand(t, InBatch(t, solution)); };
  const Tensor a = whole(x), b = whole(y);
  const double given = rcond.to_double();
  const double epsilon = RealOf(x.dtype()) == DataType::FLOAT64 ? std::numeric_limits<double>::epsilon()
                                                                : std::numeric_limits<float>::epsilon();
  const double part = given < 0 ? epsilon * static_cast<double>(std::max(Rows(x), Cols(x))) : given;
  const Tensor z = driver == "gels" ? ByTriangle(a, b) : BySpectrum(a, b, part, rank, values);
  // The host says what is wrong with a matrix that has not full rank.
  const Tensor size = paddle::max(paddle::abs(z), {}, false);
  if (!std::isfinite(ToHost(paddle::cast(size, DataType::FLOAT64)).data<double>()[0]))
    throw NoDeviceForm{"a matrix that has not full rank"};
  CopyInto(z, solution);
  if (residuals.numel() == 0) return;
  const Tensor off = paddle::abs(paddle::subtract(Times(a, z), b));
  CopyInto(paddle::sum(paddle::multiply(off, off), {-2}, residuals.dtype(), false), residuals);
}

}  // namespace phi
