// SPDX-License-Identifier: Apache-2.0
// What gradients of factorisations, solvers and spectra share (Giles 2008, and the adjoint of each defining equation),
// and the ops composed of products.
#include "paddle/phi/api/ops.h"
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
