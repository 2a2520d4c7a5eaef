// SPDX-License-Identifier: Apache-2.0
// Ranks, least squares, and the shape rules of products.
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "paddle/common/dtype_error.h"
#include "paddle/phi/backends/cpu/gemm.h"
#include "paddle/phi/backends/cpu/lapack.h"
#include "paddle/phi/core/device_forms.h"
#include "paddle/phi/core/ordered.h"
#include "paddle/phi/ops/linalg/matrices.h"

namespace phi {
namespace {

// The shape of the rank of x under tolerances of the given shapes.
void RankMeta(const char* op, const Meta& x, bool hermitian, std::initializer_list<const Meta*> tolerances, Meta& out) {
  CheckInexact(op, x.dtype);
  CheckMatrix(op, x);
  if (hermitian) CheckSquare(op, x);
  Dims lead = Leading(x.dims);
  for (const Meta* t : tolerances) {
    if (!t) continue;
    PD_CHECK_DTYPE(t->dtype == DataType::FLOAT32 || t->dtype == DataType::FLOAT64, "[", op,
                   "] expected tolerances of float32 or float64, got ", NameOf(t->dtype));
    lead = common::BroadcastDims(op, lead, t->dims);
  }
  out = {lead, DataType::INT64};
}

double DefaultRtol(const Tensor& x) {
  const double eps = RealOf(x.dtype()) == DataType::FLOAT32 ? std::numeric_limits<float>::epsilon()
                                                            : std::numeric_limits<double>::epsilon();
  return eps * static_cast<double>(std::max(Rows(x), Cols(x)));
}

// What counts in the rank of a matrix: sizes above the absolute tolerance, its own or `tol`, and above the relative
// one, its own or `rtol`, times the largest. `alone`: no relative one; `standard`: none where the absolute one is above
// 0.
struct Tolerances {
  const Tensor *absolute = nullptr, *relative = nullptr;  // float64, in the result's shape
  double tol = 0, rtol = 0;
  bool alone = false, standard = false;

  double Least(int64_t i, double top) const {
    const double a = absolute ? absolute->data<double>()[i] : tol;
    if (alone) return a;
    return std::max(a, top * (relative ? relative->data<double>()[i] : standard && a > 0 ? 0.0 : rtol));
  }
};

// Counts the ranks of the matrices of the result into `out`.
void CountRank(const Tensor& x, bool hermitian, const Tolerances& limits, Tensor& out) {
  const int64_t k = std::min(Rows(x), Cols(x)), batch = BatchOf(x);
  Ints dims(x.dims().begin(), x.dims().end() - 2);
  dims.push_back(k);
  const ScratchTensor values(dims, RealOf(x.dtype()));
  const Tensor& s = values.tensor;
  if (hermitian)
    cpu::Eigh(x.dtype(), batch, k, false, x.raw_data(), s.raw_data(), nullptr);
  else
    cpu::Svd(x.dtype(), batch, Rows(x), Cols(x), false, x.raw_data(), nullptr, s.raw_data(), nullptr);
  if (const DeviceForms* d = FormsHere()) {
    const Expanded whole(s, InBatch(s, out, 1, 0));
    const auto of = [](const Tensor* t) { return t ? t->raw_data() : nullptr; };
    return d->ForEach("ranks", s.dtype(), out.numel(),
                      {whole.tensor.raw_data(), of(limits.absolute), of(limits.relative), out.raw_data()},
                      {out.numel(), k, std::bit_cast<int64_t>(limits.tol), std::bit_cast<int64_t>(limits.rtol),
                       limits.standard, limits.alone});
  }
  const Ordered doubles(s, DataType::FLOAT64);
  const Expanded whole(doubles, InBatch(s, out, 1, 0));
  const double* v = whole.tensor.data<double>();
  for (int64_t i = 0; i < out.numel(); ++i, v += k) {
    double top = 0;
    for (int64_t j = 0; j < k; ++j) top = std::max(top, std::abs(v[j]));
    const double least = limits.Least(i, top);
    int64_t n = 0;
    for (int64_t j = 0; j < k; ++j) n += std::abs(v[j]) > least;
    out.data<int64_t>()[i] = n;
  }
}

// Sums of squares of the columns of b - a x.
template <class R>
void SquaredResiduals(const R* ax, const R* b, int64_t batch, int64_t rows, int64_t cols, int64_t parts, R* out) {
  std::fill(out, out + batch * cols, R(0));
  for (int64_t i = 0; i < batch * rows; ++i)
    for (int64_t j = 0; j < cols * parts; ++j) {
      const R d = b[i * cols * parts + j] - ax[i * cols * parts + j];
      out[i / rows * cols + j / parts] += d * d;
    }
}

// Singular values, the same in float64, and what is broadcast to the result.
int64_t RankScratch(const char* op, const Meta& x, bool hermitian, std::initializer_list<const Meta*> tolerances) {
  Meta out;
  RankMeta(op, x, hermitian, tolerances, out);
  const Dim k = MinDim(x.dims[x.dims.size() - 2], x.dims.back());
  const Dims dims = With(Leading(x.dims), {k});
  const DataType real = RealOf(x.dtype);
  int64_t bytes = WorkspaceFor(dims, real) + (real == DataType::FLOAT64 ? 0 : WorkspaceFor(dims, DataType::FLOAT64)) +
                  ExpandedBytes(dims, With(out.dims, {k}), DataType::FLOAT64);
  for (const Meta* t : tolerances)
    if (t) bytes += ExpandedBytes(t->dims, out.dims, DataType::FLOAT64);
  return bytes;
}

}  // namespace

int64_t matrix_rank_workspace(const Meta& x, double, bool, bool hermitian) {
  return RankScratch("matrix_rank", x, hermitian, {});
}
int64_t matrix_rank_tol_workspace(const Meta& x, const Meta& tol, bool, bool hermitian) {
  return RankScratch("matrix_rank_tol", x, hermitian, {&tol});
}
int64_t matrix_rank_atol_rtol_workspace(const Meta& x, const Meta& atol, const Meta* rtol, bool hermitian) {
  return RankScratch("matrix_rank_atol_rtol", x, hermitian, {&atol, rtol});
}
void matrix_rank_infer(const Meta& x, double, bool, bool hermitian, Meta& out) {
  RankMeta("matrix_rank", x, hermitian, {}, out);
}
void matrix_rank_kernel(const Tensor& x, double tol, bool use_default, bool hermitian, Tensor& out) {
  CountRank(x, hermitian, {.tol = use_default ? 0 : tol, .rtol = DefaultRtol(x), .alone = !use_default}, out);
}
void matrix_rank_tol_infer(const Meta& x, const Meta& tol, bool, bool hermitian, Meta& out) {
  RankMeta("matrix_rank_tol", x, hermitian, {&tol}, out);
}
void matrix_rank_tol_kernel(const Tensor& x, const Tensor& tol, bool use_default, bool hermitian, Tensor& out) {
  const Expanded t(tol, out.dims());
  CountRank(x, hermitian, {.absolute = &t.tensor, .rtol = use_default ? DefaultRtol(x) : 0}, out);
}
void matrix_rank_atol_rtol_infer(const Meta& x, const Meta& atol, const Meta* rtol, bool hermitian, Meta& out) {
  RankMeta("matrix_rank_atol_rtol", x, hermitian, {&atol, rtol}, out);
}
void matrix_rank_atol_rtol_kernel(const Tensor& x, const Tensor& atol, const Tensor& rtol, bool hermitian,
                                  Tensor& out) {
  const Expanded a(atol, out.dims());
  std::optional<Expanded> r;
  if (rtol.defined()) r.emplace(rtol, out.dims());
  CountRank(x, hermitian,
            {.absolute = &a.tensor, .relative = r ? &r->tensor : nullptr, .rtol = DefaultRtol(x), .standard = true},
            out);
}

void lstsq_infer(const Meta& x, const Meta& y, const Scalar&, const std::string& driver, Meta& solution,
                 Meta& residuals, Meta& rank, Meta& values) {
  const char* op = "lstsq";
  PD_CHECK(IsInexact(x.dtype), InvalidArgument, "[lstsq] expected float32, float64, complex64 or complex128, got ",
           NameOf(x.dtype));
  CheckMatrix(op, x);
  CheckMatrix(op, y);
  PD_CHECK(x.dtype == y.dtype, InvalidArgument, "[lstsq] expected operands of one dtype, got ", NameOf(x.dtype),
           " and ", NameOf(y.dtype));
  PD_CHECK(driver == "gels" || driver == "gelsy" || driver == "gelsd" || driver == "gelss", InvalidArgument,
           "[lstsq] expected a driver of gels, gelsy, gelsd or gelss, got ", driver);
  const Dim m = x.dims[x.dims.size() - 2], n = x.dims.back(), k = y.dims.back();
  PD_CHECK(!common::CertainlyDiffer(m, y.dims[y.dims.size() - 2]), InvalidArgument,
           "[lstsq] expected as many rows on both sides, got shapes ", common::ShapeText(x.dims), " and ",
           common::ShapeText(y.dims));
  const Dims lead = common::BroadcastDims(op, Leading(x.dims), Leading(y.dims));
  bool empty = false;
  for (Dim d : With(lead, {m, n, k})) empty = empty || (d.known() && d.raw() == 0);
  solution = {With(lead, {n, k}), x.dtype};
  const Dims none{Dim(0)};
  // Whether there are residuals must be known while recording; a system of unknown extents counts as overdetermined.
  const bool tall = !empty && driver != "gelsy" && !(m.known() && n.known() && m.raw() <= n.raw());
  residuals = {tall ? With(lead, {k}) : none, RealOf(x.dtype)};
  rank = empty || driver == "gels" ? Meta{none, DataType::INT64} : Meta{lead, DataType::INT32};
  const bool spectral = !empty && (driver == "gelsd" || driver == "gelss");
  values = {spectral ? With(lead, {MinDim(m, n)}) : none, RealOf(x.dtype)};
}
int64_t lstsq_workspace(const Meta& x, const Meta& y, const Scalar& rcond, const std::string& driver) {
  Meta solution, residuals, rank, values;
  lstsq_infer(x, y, rcond, driver, solution, residuals, rank, values);
  const Dims lead = Leading(solution.dims);
  const bool compared = common::Product(common::ToInts(residuals.dims)) > 0;
  return InBatchBytes(x, lead) + InBatchBytes(y, lead) +
         (compared ? WorkspaceFor(With(lead, {x.dims[x.dims.size() - 2], y.dims.back()}), x.dtype) : 0);
}
void LstsqOnHost(const Tensor& x, const Tensor& y, const Scalar& rcond, const std::string& driver, Tensor& solution,
                 Tensor& residuals, Tensor& rank, Tensor& values) {
  const Expanded whole_x(x, InBatch(x, solution)), whole_y(y, InBatch(y, solution));
  const Tensor &a = whole_x.tensor, &b = whole_y.tensor;
  const int64_t batch = BatchOf(solution), m = Rows(x), n = Cols(x), k = Cols(y);
  const bool counted = rank.dtype() == DataType::INT32;
  cpu::Lstsq(x.dtype(), batch, m, n, k, driver.c_str(), rcond.to_double(), a.raw_data(), b.raw_data(),
             solution.raw_data(), counted ? rank.data<int32_t>() : nullptr,
             values.numel() ? values.raw_data() : nullptr);
  if (residuals.numel() == 0) return;
  const ScratchTensor product(b.dims(), b.dtype());
  const Tensor& ax = product.tensor;
  cpu::Matmul(a.dtype(), a.raw_data(), a.dims(), a.strides(), false, solution.raw_data(), solution.dims(),
              solution.strides(), false, ax.raw_data());
  const int64_t parts = IsComplex(x.dtype()) ? 2 : 1;
  if (residuals.dtype() == DataType::FLOAT32)
    SquaredResiduals(ax.data<float>(), b.data<float>(), batch, m, k, parts, residuals.data<float>());
  else
    SquaredResiduals(ax.data<double>(), b.data<double>(), batch, m, k, parts, residuals.data<double>());
}

void matrix_power_infer(const Meta& x, int64_t, Meta& out) {
  CheckInexact("matrix_power", x.dtype);
  CheckSquare("matrix_power", x);
  out = x;
}
void multi_dot_infer(const MetaList& x, Meta& out) {
  PD_CHECK(x.size() >= 2, InvalidArgument, "[multi_dot] expected at least 2 matrices, got ", x.size());
  out = {{}, x[0].dtype};
  Dim inner;
  for (size_t i = 0; i < x.size(); ++i) {
    const Dims& d = x[i].dims;
    const bool end = i == 0 || i + 1 == x.size();
    PD_CHECK(d.size() == 2 || (end && d.size() == 1), InvalidArgument,
             "[multi_dot] expected matrices, or vectors at the ends, got shape ", common::ShapeText(d), " at ", i);
    PD_CHECK(x[i].dtype == x[0].dtype, InvalidArgument, "[multi_dot] expected operands of one dtype, got ",
             NameOf(x[0].dtype), " and ", NameOf(x[i].dtype));
    PD_CHECK(i == 0 || !common::CertainlyDiffer(inner, d[0]), InvalidArgument, "[multi_dot] expected ",
             common::DimText(inner), " rows at ", i, ", got shape ", common::ShapeText(d));
    if (i == 0 && d.size() == 2) out.dims.push_back(d[0]);
    inner = d.back();
  }
  if (x.back().dims.size() == 2) out.dims.push_back(x.back().dims[1]);
}

}  // namespace phi
