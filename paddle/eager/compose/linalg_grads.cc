// SPDX-License-Identifier: Apache-2.0
// Gradients of factorisations, solvers and spectra (Giles 2008, and the adjoint of each defining equation), and the ops
// composed of products. g stands for a gradient, H for the adjoint.
#include "paddle/phi/api/ops.h"
#include "paddle/phi/ops/linalg/matrices.h"

namespace paddle {

using common::Ints;

namespace {

Tensor Dot(const Tensor& a, const Tensor& b) { return matmul(a, b, false, false); }
Tensor H(const Tensor& x) { return adjoint_of(x); }
Tensor Diagonal(const Tensor& x) { return diagonal(x, 0, -2, -1); }
Tensor OnDiagonal(const Tensor& x) { return diag_embed(x, 0, -2, -1); }
Tensor AsRow(const Tensor& x) { return unsqueeze(x, Ints{-2}); }
Tensor AsColumn(const Tensor& x) { return unsqueeze(x, Ints{-1}); }
// The sum where either may be undefined.
Tensor Plus(const Tensor& a, const Tensor& b) { return !a.defined() ? b : !b.defined() ? a : a + b; }
// The part of x with first <= index < last along axis -2 (rows) or -1.
Tensor Part(const Tensor& x, bool rows, int64_t first, int64_t last) {
  return slice(x, Ints{rows ? x.ndim() - 2 : x.ndim() - 1}, Ints{first}, Ints{last});
}
Tensor PadTo(const Tensor& x, int64_t rows, int64_t cols) {
  const int64_t below = rows - size_at(x, -2), right = cols - size_at(x, -1);
  if (below == 0 && right == 0) return x;
  Ints p(2 * x.ndim(), 0);
  p[2 * x.ndim() - 3] = below;
  p[2 * x.ndim() - 1] = right;
  return pad(x, p, Scalar(0.0));
}
// The lower triangle with half of its diagonal.
Tensor HalfLower(const Tensor& x) { return tril(x, 0) - 0.5 * OnDiagonal(Diagonal(x)); }
// The lower triangle mirrored; a Hermitian matrix.
Tensor MirrorLower(const Tensor& x) {
  Tensor low = HalfLower(x);
  return low + H(low);
}
// U^-H applied from the left for triangular U.
Tensor SolveAdjoint(const Tensor& u, const Tensor& b, bool upper, bool unit = false) {
  return triangular_solve(conj_of(u), b, upper, true, unit);
}
// w_j - w_i off the diagonal, 1 on it.
Tensor Gaps(const Tensor& w) {
  Tensor d = AsRow(w) - AsColumn(w);
  return d + OnDiagonal(ones_like_of(w));
}
// x without the diagonal, divided by `gaps`.
Tensor OverGaps(const Tensor& x, const Tensor& gaps) { return (x - OnDiagonal(Diagonal(x))) / cast_like(gaps, x); }

}  // namespace

Tensor transpose_of(const Tensor& x) {
  Ints perm;
  for (int64_t i = 0; i < x.ndim(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return transpose(x, perm);
}
Tensor adjoint_of(const Tensor& x) { return conj_of(transpose_of(x)); }

Tensor cholesky_backward(const Tensor& dout, const Tensor& out, bool upper) {
  Tensor low = upper ? H(out) : out, g = upper ? H(dout) : dout;
  Tensor middle = MirrorLower(Dot(H(low), g));
  Tensor left = SolveAdjoint(low, middle, false);     // L^-H M
  return 0.5 * H(SolveAdjoint(low, H(left), false));  // (L^-H (L^-H M)^H)^H = L^-H M L^-1
}

Tensor cholesky_solve_backward_y(const Tensor& dout, const Tensor& y, const Tensor& out, bool upper) {
  Tensor ga = -Dot(cholesky_solve(dout, y, upper), H(out));
  Tensor both = ga + H(ga);
  return reduce_like(upper ? triu(Dot(triu(y, 0), both), 0) : tril(Dot(both, tril(y, 0)), 0), y);
}

Tensor triangular_solve_backward_x(const Tensor& dout, const Tensor& x, const Tensor& out, bool upper, bool transposed,
                                   bool unit) {
  Tensor gb = triangular_solve(conj_of(x), dout, upper, !transposed, unit);
  Tensor g = transposed ? -Dot(conj_of(out), transpose_of(gb)) : -Dot(gb, H(out));
  return reduce_like(upper ? triu(g, unit ? 1 : 0) : tril(g, unit ? -1 : 0), x);
}

Tensor solve_backward_x(const Tensor& dout, const Tensor& x, const Tensor& y, const Tensor& out) {
  Tensor gb = solve(H(x), dout);
  // Vectors where the result has no column axis: one axis less than the matrices it was broadcast with.
  const bool vectors = y.ndim() == 1 || (y.ndim() == x.ndim() - 1 && out.ndim() == y.ndim());
  return reduce_like(vectors ? -(AsColumn(gb) * AsRow(conj_of(out))) : -Dot(gb, H(out)), x);
}

Tensor det_backward(const Tensor& dout, const Tensor& x, const Tensor& out) {
  return AsColumn(AsColumn(dout * conj_of(out))) * H(inverse(x));
}

Tensor slogdet_v2_backward(const Tensor& dsign, const Tensor& dlogdet, const Tensor& x, const Tensor& sign) {
  Tensor g = dlogdet;
  if (phi::IsComplex(x.dtype())) g = complex(dlogdet, imag(dsign * conj_of(sign)));
  return AsColumn(AsColumn(g)) * H(inverse(x));
}
Tensor slogdet_backward(const Tensor& dout, const Tensor& x, const Tensor& out) {
  Tensor glog = squeeze(slice(dout, Ints{0}, Ints{1}, Ints{2}), Ints{0});
  if (!phi::IsComplex(x.dtype())) return AsColumn(AsColumn(glog)) * H(inverse(x));
  Tensor gsign = squeeze(slice(dout, Ints{0}, Ints{0}, Ints{1}), Ints{0});
  return slogdet_v2_backward(gsign, real(glog), x, squeeze(slice(out, Ints{0}, Ints{0}, Ints{1}), Ints{0}));
}

Tensor lu_backward(const Tensor& dout, const Tensor& out, const Tensor& pivots) {
  const int64_t m = size_at(out, -2), n = size_at(out, -1), k = std::min(m, n);
  if (k == 0) return zeros_like_of(out);
  auto [p, l, u] = lu_unpack(out, pivots, true, true);
  Tensor l1 = m > k ? Part(l, true, 0, k) : l, u1 = n > k ? Part(u, false, 0, k) : u;
  Tensor gl = tril(n > k ? Part(dout, false, 0, k) : dout, -1), gu = triu(m > k ? Part(dout, true, 0, k) : dout, 0);
  Tensor lower = Dot(H(l1), m > k ? Part(gl, true, 0, k) : gl), upper = Dot(n > k ? Part(gu, false, 0, k) : gu, H(u1));
  if (n > k) lower = lower - Dot(Part(gu, false, k, n), H(Part(u, false, k, n)));
  if (m > k) upper = upper - Dot(H(Part(l, true, k, m)), Part(gl, true, k, m));
  const auto over_u = [&](const Tensor& t) { return H(triangular_solve(u1, H(t), true, false, false)); };  // t U^-H
  Tensor g = over_u(SolveAdjoint(l1, tril(lower, -1) + triu(upper, 0), false, true));
  if (n > k) g = concat({g, SolveAdjoint(l1, Part(gu, false, k, n), false, true)}, Scalar(out.ndim() - 1));
  if (m > k) g = concat({g, over_u(Part(gl, true, k, m))}, Scalar(out.ndim() - 2));
  return Dot(p, g);
}

Tensor lu_unpack_backward(const Tensor& dl, const Tensor& du, const Tensor& zero) {
  const int64_t m = size_at(zero, -2), n = size_at(zero, -1);
  Tensor g;
  if (dl.defined() && dl.ndim() > 1) g = PadTo(tril(dl, -1), m, n);
  if (du.defined() && du.ndim() > 1) g = Plus(g, PadTo(triu(du, 0), m, n));
  return g.defined() ? g : zero;
}

Tensor lu_solve_backward_b(const Tensor& dout, const Tensor& b, const Tensor& lu, const Tensor& pivots,
                           const std::string& trans) {
  if (trans == "T") return reduce_like(conj_of(lu_solve(conj_of(dout), lu, pivots, "N")), b);
  return reduce_like(lu_solve(dout, lu, pivots, trans == "C" ? "N" : "C"), b);
}
Tensor lu_solve_backward_lu(const Tensor& dout, const Tensor& lu, const Tensor& pivots, const Tensor& out,
                            const std::string& trans) {
  Tensor gb = lu_solve_backward_b(dout, dout, lu, pivots, trans);
  Tensor ga = trans == "N" ? -Dot(gb, H(out)) : trans == "T" ? -Dot(conj_of(out), transpose_of(gb)) : -Dot(out, H(gb));
  auto [p, l, u] = lu_unpack(lu, pivots, true, true);
  Tensor g = Dot(transpose_of(p), ga);
  return reduce_like(tril(Dot(g, H(u)), -1) + triu(Dot(H(l), g), 0), lu);
}

Tensor qr_backward(const Tensor& dq, const Tensor& dr, const Tensor& q, const Tensor& r, const std::string& mode) {
  PD_CHECK(mode != "r", InvalidArgument, "[qr] expected mode reduced or complete for a gradient, got 'r': it needs Q");
  const int64_t m = size_at(q, -2), n = size_at(r, -1);
  PD_CHECK(mode != "complete" || m <= n, InvalidArgument,
           "[qr] expected at most as many rows as columns for the gradient in mode complete, got ", m, " and ", n);
  if (!dq.defined() && !dr.defined()) return Dot(zeros_like_of(q), r);
  Tensor gq = dq, r1 = r, g1 = dr, g2;
  if (m < n) {  // x = Q [R1 R2] with square R1, and R2 = Q^H x2
    r1 = Part(r, false, 0, m);
    if (dr.defined()) {
      g1 = Part(dr, false, 0, m);
      Tensor gr2 = Part(dr, false, m, n);
      g2 = Dot(q, gr2);
      gq = Plus(gq, Dot(q, Dot(Part(r, false, m, n), H(gr2))));
    } else {
      g2 = zeros_like_of(Dot(q, Part(r, false, m, n)));
    }
  }
  Tensor middle;
  if (g1.defined()) middle = Dot(r1, H(g1));
  if (gq.defined()) middle = Plus(middle, -Dot(H(gq), q));
  Tensor g = Plus(gq, Dot(q, MirrorLower(middle)));
  g = H(triangular_solve(r1, H(g), true, false, false));  // g R1^-H
  return g2.defined() ? concat({g, g2}, Scalar(g.ndim() - 1)) : g;
}

Tensor svd_full_backward(const Tensor& du, const Tensor& ds, const Tensor& dvh, const Tensor& x, const Tensor& u,
                         const Tensor& s, const Tensor& vh) {
  // The values alone need only the determined columns, which the thin decomposition has, with its own history.
  const bool thin = size_at(u, -1) == size_at(s, -1) && size_at(vh, -2) == size_at(s, -1);
  if (thin || du.defined() || dvh.defined() || !ds.defined()) return svd_backward(du, ds, dvh, u, s, vh);
  return svdvals_backward(ds, x);
}
Tensor svd_backward(const Tensor& du, const Tensor& ds, const Tensor& dvh, const Tensor& u_full, const Tensor& s,
                    const Tensor& vh_full) {
  const int64_t m = size_at(u_full, -2), n = size_at(vh_full, -1), k = std::min(m, n);
  Tensor u = u_full, vh = vh_full;
  if (size_at(u_full, -1) != k) {
    PD_CHECK(!du.defined(), InvalidArgument,
             "[svd] expected full_matrices=False for a gradient of U, got True: its last ", m - k,
             " columns are not determined");
    u = Part(u_full, false, 0, k);
  }
  if (size_at(vh_full, -2) != k) {
    PD_CHECK(!dvh.defined(), InvalidArgument,
             "[svd] expected full_matrices=False for a gradient of V, got True: its last ", n - k,
             " columns are not determined");
    vh = Part(vh_full, true, 0, k);
  }
  if (!du.defined() && !dvh.defined()) {
    if (!ds.defined()) return Dot(zeros_like_of(u), vh);
    return Dot(u * cast_like(AsRow(ds), u), vh);
  }
  const Tensor row = cast_like(AsRow(s), u), column = cast_like(AsColumn(s), u);
  const Tensor gaps = Gaps(s * s);
  Tensor middle = ds.defined() ? OnDiagonal(cast_like(ds, u)) : Tensor(), phase;
  if (du.defined()) {
    Tensor a = Dot(H(u), du), skew = a - H(a);
    phase = Diagonal(skew);
    middle = Plus(middle, OverGaps(skew, gaps) * row);
  }
  if (dvh.defined()) {
    Tensor a = Dot(vh, H(dvh)), skew = a - H(a);
    phase = Plus(phase, -Diagonal(skew));
    middle = Plus(middle, column * OverGaps(skew, gaps));
  }
  if (phi::IsComplex(u.dtype())) middle = middle + OnDiagonal(phase / cast_like(4.0 * s, u));
  Tensor g = Dot(Dot(u, middle), vh);
  if (du.defined() && m > k) {
    Tensor side = du / row;
    g = g + Dot(side - Dot(u, Dot(H(u), side)), vh);
  }
  if (dvh.defined() && n > k) {
    Tensor side = dvh / column;
    g = g + Dot(u, side - Dot(Dot(side, H(vh)), vh));
  }
  return g;
}
Tensor svdvals_backward(const Tensor& ds, const Tensor& x) {
  auto [u, s, vh] = svd(x, false);
  return svd_backward(Tensor(), ds, Tensor(), u, s, vh);
}

Tensor eigh_backward(const Tensor& dw, const Tensor& dv, const Tensor& w, const Tensor& v) {
  Tensor middle;
  if (dw.defined()) middle = OnDiagonal(cast_like(dw, v));
  if (dv.defined()) middle = Plus(middle, OverGaps(Dot(H(v), dv), Gaps(w)));
  if (!middle.defined()) return zeros_like_of(v);
  const Tensor g = Dot(Dot(v, middle), H(v));
  return (g + H(g)) * 0.5;  // of the Hermitian matrix that the named triangle stands for
}

Tensor eig_backward(const Tensor& dw, const Tensor& dv, const Tensor& w, const Tensor& v) {
  Tensor middle;
  if (dw.defined()) middle = OnDiagonal(dw);
  if (dv.defined()) {
    Tensor a = Dot(H(v), dv);
    // Unit columns: what is along an eigenvector does not count.
    Tensor free = a - Dot(H(v), v) * AsRow(cast_like(real(Diagonal(a)), v));
    middle = Plus(middle, OverGaps(free, conj_of(Gaps(w))));
  }
  if (!middle.defined()) return zeros_like_of(v);
  return solve(H(v), Dot(middle, H(v)));
}
Tensor eigvals_backward(const Tensor& dw, const Tensor& x) {
  auto [w, v] = eig(x);
  return real_if(eig_backward(dw, Tensor(), w, v), x);
}

Tensor matrix_power_compose(const Tensor& x, int64_t n) {
  phi::Meta meta;
  phi::matrix_power_infer(x.meta(), n, meta);
  if (n == 0) {
    Tensor unit = eye(common::ExtentScalar(size_at(x, -1)), common::ExtentScalar(size_at(x, -1)), x.dtype());
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

std::vector<Tensor> multi_dot_backward(const Tensor& dout, const std::vector<Tensor>& x) {
  const std::vector<Tensor> m = AsMatrices(x);
  const size_t n = m.size();
  Tensor g = dout;
  if (x.front().ndim() == 1) g = unsqueeze(g, Ints{0});
  if (x.back().ndim() == 1) g = unsqueeze(g, Ints{-1});
  std::vector<Tensor> after(n), out(n);  // after[i] = m[i + 1] ... m[n - 1]
  for (size_t i = n - 1; i-- > 0;) after[i] = i + 2 == n ? m[n - 1] : Dot(m[i + 1], after[i + 1]);
  for (size_t i = 0; i < n; ++i) {
    // Here g is (m[0] ... m[i - 1])^H dout.
    out[i] = reshape_like(i + 1 == n ? g : Dot(g, H(after[i])), x[i]);
    if (i + 1 < n) g = Dot(H(m[i]), g);
  }
  return out;
}

}  // namespace paddle
